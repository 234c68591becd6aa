//! Frames: calls with all their conventions, stack objects, setjmp, and what is saved so that one can go back.

use crate::bytecode::*;
use crate::fault::{Fault, FaultKind};
use crate::interp::Cpu;
use crate::memory::{BadAccess, LARGEST, ObjectKind, code_target};
use crate::passing::misfit;
use crate::races::PLAIN_READ;
use crate::thread::Frame;

impl Cpu<'_> {
    /// Frame `depth` is about to run: if somebody may want to come back to a point at which it rested, save it first.
    #[inline(always)]
    pub fn expose(&mut self, depth: usize) {
        self.thread.frames_changed(depth);
        if (depth as u32) < self.thread.saved_depth {
            self.save_frame(depth, false);
        }
    }

    #[inline(never)]
    fn save_frame(&mut self, depth: usize, resting: bool) {
        self.thread.saved_depth = depth as u32;
        if self.memory.has_marks() {
            let place = u64::from(self.thread.tid.0) | (depth as u64) << 16;
            let (thread, program) = (&*self.thread, self.program);
            self.memory.log_outside_by(crate::machine::LOG_FRAME, place, |words| {
                thread.pack_frame(program, depth, resting, words);
            });
        }
    }

    /// Called before a step: the frame that will run is saved once for each mark.
    pub fn begin_step(&mut self) {
        let depth = self.thread.frames.len() - 1;
        self.thread.frames_changed(depth);
        if self.thread.saved_for != self.mark_number {
            self.thread.saved_for = self.mark_number;
            self.save_frame(depth, true);
        } else if (depth as u32) < self.thread.saved_depth {
            self.save_frame(depth, true);
        }
    }

    pub(super) fn alloca(&mut self, site: u32, size: u64) -> Result<u64, Box<Fault>> {
        if size >= LARGEST {
            return Err(self.beyond_any_stack(site, size));
        }
        self.shows_by_stack();
        let escapes = self.program.allocas[site as usize].escapes;
        let at = self.position().pack();
        match self.memory.allocate(self.thread.tid, ObjectKind::Stack, size, site, at, escapes) {
            Ok(address) => {
                self.thread.allocas.push(address);
                Ok(address)
            }
            Err(error) => Err(self.alloc_failed(error, size)),
        }
    }

    pub fn release_allocas(&mut self, keep: usize) {
        let at = self.position().pack();
        while self.thread.allocas.len() > keep {
            let address = self.thread.allocas.pop().expect("longer than kept");
            self.memory.release(address, at);
        }
    }

    /// The thread ends, and with it all its stack objects. Its frames stay as they are: nobody will run them.
    pub fn release_stack(&mut self) {
        let at = self.position().pack();
        for i in (0..self.thread.allocas.len()).rev() {
            self.memory.release(self.thread.allocas[i], at);
        }
    }

    pub(super) fn setjmp(&mut self, buffer: u64, d: Slot) -> Result<(), BadAccess> {
        let frame = *self.thread.top();
        let depth = self.thread.frames.len() as u64;
        self.memory.store::<8>(buffer, crate::native::JUMP_MARK << 32 | u64::from(d))?;
        self.memory.store::<8>(buffer + 8, u64::from(frame.function) | depth << 32)?;
        self.memory.store::<8>(buffer + 16, u64::from(frame.pc) | u64::from(frame.base) << 32)?;
        self.memory.store::<8>(buffer + 24, self.thread.allocas.len() as u64 | u64::from(self.thread.tid.0) << 32)
    }

    /// A call that is more than a known function with plain arguments.
    pub(super) fn call_site(&mut self, index: u32, d: Slot) -> Result<(), Box<Fault>> {
        let program = self.program;
        let site = &program.calls[index as usize];
        let f = match site.callee {
            Target::Function(f) => f,
            Target::Slot(slot) => {
                if self.thread.undefined(slot) != 0 {
                    return Err(self.uninitialised("the function that is called depends on it"));
                }
                let address = self.thread.slot(slot);
                match code_target(address) {
                    Some((f, 0)) if (f as usize) < program.functions.len() => f,
                    _ => return Err(self.bad_call(address)),
                }
            }
        };
        let callee = &program.functions[f as usize];
        // The library calls constructors with arguments that they need not take.
        let library = program.functions[self.thread.top().function as usize].library;
        self.check_signature(site, callee, library)?;
        // `void main`, or a thread whose function gives nothing: the library sees 0.
        if library && callee.results.is_empty() && site.result_classes == [ArgClass::Word] {
            self.thread.set_slot(d, 0, 0);
        }
        if self.thread.frames.len() >= self.limits.stack_frames {
            return Err(self.stack_overflow());
        }
        let frame = *self.thread.top();
        let base =
            frame.base as usize + program.functions[frame.function as usize].slots as usize + frame.extra as usize;
        let fixed = callee.param_slots as usize;
        let extra = if callee.varargs { site.args.len() - fixed } else { 0 };
        self.thread.reserve(base, callee.slots as usize + extra);
        let from = frame.base as usize;
        for (i, &arg) in site.args.iter().enumerate().take(fixed + extra) {
            let to = if i < fixed { base + i } else { base + callee.slots as usize + (i - fixed) };
            let at = from + arg as usize;
            self.thread.slots[to] = self.thread.slots[at];
            if self.thread.undefined_slots > 0 {
                let s = self.thread.undefined[at];
                self.thread.undefined[to] = s;
                self.thread.undefined_slots += u32::from(s != 0);
            }
        }
        if callee.returns_twice {
            self.thread.slots[base + fixed..base + callee.slots as usize].fill(0);
        }
        let first_alloca = self.thread.allocas.len() as u32;
        // The callee of a `byval` argument owns the copy: it lives as long as the callee's frame.
        for &(position, size) in &site.byval {
            self.shows_by_stack();
            let original = self.thread.slots[from + site.args[position as usize] as usize];
            let at = self.position().pack();
            let copy = match self.memory.allocate(self.thread.tid, ObjectKind::Stack, size, u32::MAX, at, true) {
                Ok(copy) => copy,
                Err(error) => return Err(self.alloc_failed(error, size)),
            };
            self.memory.copy(copy, original, size).map_err(|bad| self.bad_access(bad))?;
            self.race_native(original, size, PLAIN_READ)?;
            self.thread.allocas.push(copy);
            let position = position as usize;
            let to = if position < fixed { base + position } else { base + callee.slots as usize + position - fixed };
            self.thread.slots[to] = copy;
        }
        self.thread.frames.last_mut().expect("running").pc += 1;
        self.thread.frames.push(Frame {
            function: f,
            pc: 0,
            base: base as u32,
            ret: d,
            extra: extra as u16,
            first_alloca,
            call_site: index + 1,
        });
        Ok(())
    }

    /// A call in the place of the running function: the frame of that one goes, and its caller gets the result.
    pub(super) fn tail_call(&mut self, index: u32, d: Slot) -> Result<(), Box<Fault>> {
        let frame = *self.thread.top();
        let (first, at) = (frame.first_alloca as usize, self.position().pack());
        if self.memory.races.is_active() {
            self.race_frame_end(first)?;
        }
        self.frame_end_released(first)?;
        self.call_site(index, d)?;
        let callee = self.thread.frames.pop().expect("the callee's");
        self.thread.frames.pop();
        for object in self.thread.allocas.drain(first..callee.first_alloca as usize).rev() {
            self.memory.release(object, at);
        }
        let size = self.program.functions[callee.function as usize].slots as usize + callee.extra as usize;
        let (from, to) = (callee.base as usize, frame.base as usize);
        self.thread.slots.copy_within(from..from + size, to);
        if self.thread.undefined_slots > 0 {
            self.thread.undefined.copy_within(from..from + size, to);
            self.thread.undefined[to + size..].fill(0);
            self.thread.undefined_slots = self.thread.undefined.iter().filter(|&&bits| bits != 0).count() as u32;
        }
        self.thread.frames.push(Frame { base: frame.base, ret: frame.ret, first_alloca: frame.first_alloca, ..callee });
        if self.memory.races.is_active() {
            self.memory.races.returned(self.thread.frames.len() - 1);
        }
        Ok(())
    }

    /// Arguments must arrive where the callee looks for them. As on the hardware, more arguments than parameters do no
    /// harm, and a result may be ignored.
    fn check_signature(&mut self, site: &CallSite, callee: &Function, direct: bool) -> Result<(), Box<Fault>> {
        if site.signature == callee.signature {
            return Ok(());
        }
        let fits = site.classes.len() >= callee.params.len()
            && callee.params.iter().zip(&site.classes).all(|(a, b)| a == b)
            && (site.classes.len() == callee.params.len() || callee.varargs || site.varargs || direct)
            && (site.result_classes.is_empty()
                || site.result_classes == callee.results
                || direct && callee.results.is_empty() && site.result_classes == [ArgClass::Word]);
        if fits {
            return Ok(());
        }
        let differs = misfit(&callee.params, &callee.results, &site.classes, &site.result_classes);
        let message = format!("`{}` is called through a pointer of another type: {differs}", callee.name);
        Err(self.fault(FaultKind::Crash, message))
    }
}

impl Cpu<'_> {
    /// A function is given to the library, which cannot call it.
    #[cold]
    pub(super) fn unfit_function(&self, function: &Function, words: usize) -> Box<Fault> {
        let word = [ArgClass::Word];
        let differs = misfit(&function.params, &function.results, &word.repeat(words), &word);
        let by = self.called().unwrap_or("the library");
        self.fault(FaultKind::Crash, format!("`{by}` is given `{}`, which does not fit: {differs}", function.name))
    }
}
