//! Variadic arguments: laid out in memory as the System V ABI wants them, because clang has written the code that takes
//! them from there; and how to tell that a function took more of them than there are.

use crate::bytecode::*;
use crate::fault::Fault;
use crate::interp::Cpu;
use crate::memory::{Addr, Object, ObjectKind};
use crate::thread::Frame;

/// Marks the object that holds variadic arguments, in the place of an alloca site.
const VARIADIC: u32 = u32::MAX - 1;

/// Where the registers end in such an object, and what did not fit into them begins.
const OVERFLOW: u32 = 176;

/// A variadic function that has taken an argument that it was not given.
pub struct Overrun<'a> {
    pub function: &'a str,
    /// How many arguments it was given behind the named ones.
    pub given: usize,
    pub taken: Taken,
}

/// What was taken in vain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// There are no more arguments.
    TooMany,
    /// An integer or a pointer, where there are only floating-point numbers left.
    WordForFloat,
    /// A floating-point number, where there are only integers or pointers left.
    FloatForWord,
}

fn is_variadic(object: &Object) -> bool {
    object.kind == ObjectKind::Stack && object.detail == VARIADIC
}

/// Where each argument lies.
struct Layout {
    /// Registers that the declared parameters take.
    words: u32,
    floats: u32,
    /// (place, slot, bytes) of each piece.
    pieces: Vec<(u32, usize, u32)>,
    /// (place, slot, bytes) of structures that are copied from where the slot points to.
    copies: Vec<(u32, usize, u32)>,
    /// Registers in use, and where the overflow area ends.
    words_end: u32,
    floats_end: u32,
    end: u32,
}

/// `slot` is that of the first variadic argument.
fn layout(function: &Function, classes: &[ArgClass], mut slot: usize) -> Layout {
    let (mut words, mut floats) = (0u32, 0u32);
    for class in &function.params {
        match class {
            ArgClass::Word => words += 1,
            ArgClass::Wide if words + 2 <= 6 => words += 2,
            ArgClass::F32 | ArgClass::F64 | ArgClass::Packed { .. } => floats += 1,
            _ => {}
        }
    }
    let (words, floats) = (words.min(6), floats.min(8));
    let (mut pieces, mut copies) = (Vec::new(), Vec::new());
    let (mut gp, mut fp, mut over) = (words, floats, OVERFLOW);
    for class in classes.iter().skip(function.params.len()) {
        match *class {
            ArgClass::Word if gp < 6 => {
                pieces.push((gp * 8, slot, 8));
                gp += 1;
            }
            ArgClass::Wide if gp + 2 <= 6 => {
                pieces.push((gp * 8, slot, 8));
                pieces.push((gp * 8 + 8, slot + 1, 8));
                gp += 2;
            }
            ArgClass::F32 | ArgClass::F64 if fp < 8 => {
                pieces.push((48 + fp * 16, slot, 8));
                fp += 1;
            }
            ArgClass::Packed { count, bits } => {
                let bytes = u32::from(bits) / 8;
                let size = u32::from(count) * bytes;
                let start = if fp < 8 && size <= 16 {
                    fp += 1;
                    48 + (fp - 1) * 16
                } else {
                    let start = over.next_multiple_of(if size > 8 { 16 } else { 8 });
                    over = start + size.next_multiple_of(8);
                    start
                };
                for i in 0..u32::from(count) {
                    pieces.push((start + i * bytes, slot + i as usize, bytes));
                }
            }
            ArgClass::Word | ArgClass::F32 | ArgClass::F64 => {
                pieces.push((over, slot, 8));
                over += 8;
            }
            ArgClass::Wide | ArgClass::F80 => {
                over = over.next_multiple_of(16);
                pieces.push((over, slot, 8));
                pieces.push((over + 8, slot + 1, if *class == ArgClass::F80 { 2 } else { 8 }));
                over += 16;
            }
            ArgClass::ByVal { size, align } => {
                over = over.next_multiple_of(align.max(8));
                copies.push((over, slot, size));
                over += size.next_multiple_of(8);
            }
        }
        slot += class.slots() as usize;
    }
    Layout { words, floats, pieces, copies, words_end: gp, floats_end: fp, end: over }
}

impl Cpu<'_> {
    fn argument_layout(&self, frame: &Frame) -> Layout {
        let function = &self.program.functions[frame.function as usize];
        let classes: &[ArgClass] = match frame.call_site {
            0 => &[],
            site => &self.program.calls[site as usize - 1].classes,
        };
        layout(function, classes, frame.base as usize + function.slots as usize)
    }

    /// Lays the arguments of the running function out, and fills its `va_list` in.
    pub(super) fn va_start(&mut self, list: Addr) -> Result<(), Box<Fault>> {
        let Layout { words, floats, pieces, copies, end, .. } = self.argument_layout(self.thread.top());
        self.shows_by_stack();
        let at = self.position().pack();
        let area = self
            .memory
            .allocate(self.thread.tid, ObjectKind::Stack, u64::from(end), VARIADIC, at, true)
            .map_err(|error| self.alloc_failed(error, u64::from(end)))?;
        self.thread.allocas.push(area);
        let tracked = self.thread.undefined_slots > 0;
        for (place, slot, bytes) in pieces {
            let undefined = if tracked { self.thread.undefined[slot] } else { 0 };
            let value = self.thread.slots[slot];
            self.memory.store_n(area + u64::from(place), bytes, value, undefined).expect("a fresh object");
        }
        for (place, slot, size) in copies {
            let from = self.thread.slots[slot];
            self.memory.copy(area + u64::from(place), from, u64::from(size)).map_err(|bad| self.bad_access(bad))?;
            self.race_native(from, u64::from(size), crate::races::PLAIN_READ)?;
        }
        let mut fill = |offset, value, four: bool| {
            if four {
                self.memory.store::<4>(list + offset, value)
            } else {
                self.memory.store::<8>(list + offset, value)
            }
        };
        let filled = fill(0, u64::from(words * 8), true)
            .and_then(|()| fill(4, u64::from(48 + floats * 16), true))
            .and_then(|()| fill(8, area + u64::from(OVERFLOW), false))
            .and_then(|()| fill(16, area, false));
        filled.map_err(|bad| self.bad_access(bad))
    }

    /// The running function has taken its arguments: there must have been so many.
    pub(super) fn va_end(&self, list: Addr) -> Result<(), Box<Fault>> {
        let frame = self.thread.top();
        let area = self.memory.load_n(list + 16, 8).map_err(|bad| self.bad_access(bad))?.0;
        let of_frame = self.thread.allocas[frame.first_alloca as usize..].contains(&area);
        let taken = if of_frame { self.taken_in_vain(list, area, &self.argument_layout(frame)) } else { None };
        taken.map_or(Ok(()), |taken| Err(self.missing_argument(self.overrun(frame, taken))))
    }

    /// A variadic function of this thread whose arguments have run out: one whose `va_list` has gone past them, or behind
    /// whose arguments `touched` lies.
    pub(super) fn overrun_arguments(&self, touched: Option<Addr>) -> Option<Overrun<'_>> {
        let touched =
            touched.and_then(|address| self.memory.object_at(address)).filter(|(_, object)| is_variadic(object));
        for (depth, frame) in self.thread.frames.iter().enumerate() {
            let function = &self.program.functions[frame.function as usize];
            if !function.varargs || frame.call_site == 0 {
                continue;
            }
            let next = self.thread.frames.get(depth + 1);
            let end = next.map_or(self.thread.allocas.len(), |next| next.first_alloca as usize);
            let layout = self.argument_layout(frame);
            for &area in &self.thread.allocas[frame.first_alloca as usize..end] {
                if !self.memory.object_at(area).is_some_and(|(_, object)| is_variadic(&object)) {
                    continue;
                }
                let lists = &self.thread.allocas[frame.first_alloca as usize..];
                let touched = touched.filter(|(start, _)| *start == area).map(|_| Taken::TooMany);
                let taken = lists.iter().find_map(|&object| self.list_ran_out(object, area, &layout)).or(touched);
                if let Some(taken) = taken {
                    return Some(self.overrun(frame, taken));
                }
            }
        }
        None
    }

    /// A variadic function that takes an argument from a place where none was put. What was put there may itself be undefined.
    #[cold]
    pub(super) fn argument_not_given(&self, address: Addr) -> Option<Box<Fault>> {
        let (area, _) = self.memory.object_at(address).filter(|(_, object)| is_variadic(object))?;
        let at = self.thread.allocas.iter().position(|&object| object == area)?;
        let frame = self.thread.frames.iter().rfind(|frame| frame.first_alloca as usize <= at)?;
        let layout = self.argument_layout(frame);
        let mut given = layout.pieces.iter().chain(&layout.copies);
        let offset = address - area;
        if given.any(|&(place, _, bytes)| (place.into()..u64::from(place + bytes)).contains(&offset)) {
            return None;
        }
        self.overrun_arguments(Some(address)).map(|overrun| self.missing_argument(overrun))
    }

    /// The same of a structure, which is copied from there.
    pub(super) fn copied_argument_not_given(&self, from: Addr, length: u64) -> Option<Box<Fault>> {
        self.memory.object_at(from).filter(|(_, object)| is_variadic(object))?;
        self.memory.first_uninit(from, length).and_then(|at| self.argument_not_given(at))
    }

    fn overrun(&self, frame: &Frame, taken: Taken) -> Overrun<'_> {
        let function = &self.program.functions[frame.function as usize];
        let classes = match frame.call_site {
            0 => 0,
            site => self.program.calls[site as usize - 1].classes.len(),
        };
        Overrun { function: &function.name, given: classes.saturating_sub(function.params.len()), taken }
    }

    /// What a `va_list` has taken in vain that lies in the object and has gone past the arguments in `area`.
    fn list_ran_out(&self, object: Addr, area: Addr, layout: &Layout) -> Option<Taken> {
        let size = self.memory.object_at(object).map_or(0, |(_, object)| object.size.min(1 << 12));
        (0..size.saturating_sub(23)).step_by(8).find_map(|offset| self.taken_in_vain(object + offset, area, layout))
    }

    /// The same of the `va_list` at an address, if there is one for the arguments in `area`.
    fn taken_in_vain(&self, list: Addr, area: Addr, layout: &Layout) -> Option<Taken> {
        let word = |at: Addr| {
            let loaded = self.memory.load::<8>(at).ok().filter(|(_, undefined)| *undefined == 0);
            loaded.map(|(word, _)| word)
        };
        let (offsets, over) = (word(list)?, word(list + 8)?);
        if word(list + 16) != Some(area) {
            return None;
        }
        let (words, floats) = (offsets as u32, (offsets >> 32) as u32);
        let (words_end, floats_end) = (layout.words_end * 8, 48 + layout.floats_end * 16);
        if words > words_end && floats < floats_end {
            Some(Taken::WordForFloat)
        } else if floats > floats_end && words < words_end {
            Some(Taken::FloatForWord)
        } else {
            let ran_out = words > words_end || floats > floats_end || over > area + u64::from(layout.end);
            ran_out.then_some(Taken::TooMany)
        }
    }
}
