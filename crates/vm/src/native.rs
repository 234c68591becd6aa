//! The primitives that other threads do not see: allocation, ranges of memory, output, variadic arguments, longjmp.

use crate::bytecode::*;
use crate::diagnose::EXIT_CODE;
use crate::f80::F80;
use crate::fault::{Fault, FaultKind};
use crate::interp::{After, Cpu};
use crate::math::MathFn;
use crate::memory::{Addr, OWN_BLOCK, ObjectKind, code_target};
use crate::races::{PLAIN_READ, PLAIN_WRITE};

/// No limit can be set so high: the program is told that there is no memory, as it would be natively.
const ENOMEM_SIZE: u64 = 64 << 30;

/// How many bytes may be touched without asking whether to go on.
pub const LONG_WORK: u64 = 1 << 20;

/// The mark of a buffer that `setjmp` has filled.
pub const JUMP_MARK: u64 = 0x7462_6a6d;

impl Cpu<'_> {
    /// Executes the primitive of call site `index`; the frame's pc is at it.
    pub fn native(&mut self, index: u32, d: Slot) -> Result<After, Box<Fault>> {
        let site = &self.program.natives[index as usize];
        if let Native::Math(function) = site.native {
            self.math(function, &site.args, d);
            return Ok(After::Next);
        }
        if self.thread.undefined_slots > 0 {
            for &arg in &site.args {
                if self.thread.undefined(arg) != 0 {
                    return Err(self.uninitialised(match site.native {
                        Native::MainResult => EXIT_CODE,
                        Native::ArrayLength { .. } => "the size of an array depends on it",
                        _ => "it is passed to the library",
                    }));
                }
            }
        }
        let arg = |i: usize| self.thread.slot(site.args[i]);
        match site.native {
            Native::Malloc => {
                let (size, how) = (arg(0), arg(2) as u32);
                let address = self.malloc(size, how == 1, if how == 2 { OWN_BLOCK } else { 0 })?;
                self.thread.set_slot(d, address, 0);
            }
            Native::Discard => {
                let address = arg(0);
                let at = self.program_position().pack();
                self.memory.release(address, at);
            }
            Native::ObjectSize => {
                let address = arg(0);
                let size = self.heap_object(address)?;
                self.thread.set_slot(d, size, 0);
            }
            Native::MemCpy | Native::MemMove => {
                let (to, from, length) = (arg(0), arg(1), arg(2));
                if let Some(fault) = self.copied_argument_not_given(from, length) {
                    return Err(fault);
                }
                let inside = |at| self.memory.bytes(at, length).is_ok();
                let overlap = to != from && to.abs_diff(from) < length;
                if matches!(site.native, Native::MemCpy) && overlap && inside(to) && inside(from) {
                    return Err(self.overlap(to, from, length));
                }
                self.memory.copy(to, from, length).map_err(|bad| self.bad_access(bad))?;
                self.ask_after(length)?;
                self.race_native(from, length, PLAIN_READ)?;
                self.race_native(to, length, PLAIN_WRITE)?;
            }
            Native::MemSet => {
                let (to, byte, length) = (arg(0), arg(1) as u8, arg(2));
                self.memory.fill(to, byte, length).map_err(|bad| self.bad_access(bad))?;
                self.ask_after(length)?;
                self.race_native(to, length, PLAIN_WRITE)?;
            }
            Native::Write => {
                let (fd, from, length) = (arg(0) as i32, arg(1), arg(2));
                if let Some(at) = self.memory.first_uninit(from, length) {
                    return Err(self.uninitialised_at(at, "it is written to the output"));
                }
                let bytes = self.memory.bytes(from, length).map_err(|bad| self.bad_access(bad))?.to_vec();
                self.race_native(from, length, PLAIN_READ)?;
                self.system.write(fd, &bytes, self.memory);
                self.thread.set_slot(d, length, 0);
            }
            Native::Read => {
                let (to, length) = (arg(1), arg(2));
                crate::host::note_input();
                let bytes = self.system.read(length as usize, self.memory);
                self.memory.write_bytes(to, &bytes).map_err(|bad| self.bad_access(bad))?;
                self.race_native(to, bytes.len() as u64, PLAIN_WRITE)?;
                self.thread.set_slot(d, bytes.len() as u64, 0);
            }
            Native::HostFile => {
                let (path, to) = (arg(0), arg(1));
                let path = self.path(path)?;
                let (error, file) = crate::host::host_file(&path);
                self.memory.write_bytes(to, &file.in_c()).map_err(|bad| self.bad_access(bad))?;
                self.thread.set_slot(d, error as u64, 0);
            }
            Native::HostRead => {
                let (name, offset, to, length) = (arg(0), arg(1) as usize, arg(2), arg(3) as usize);
                let bytes = crate::host::host_bytes(&self.path(name)?);
                let bytes = &bytes[offset.min(bytes.len())..(offset + length).min(bytes.len())];
                self.memory.write_bytes(to, bytes).map_err(|bad| self.bad_access(bad))?;
                self.ask_after(bytes.len() as u64)?;
                self.race_native(to, bytes.len() as u64, PLAIN_WRITE)?;
            }
            Native::SignalDeath => {
                let signal = arg(0) as i32;
                let mut fault = self.fault(FaultKind::Crash, signal_message(signal));
                fault.signal = Some(signal);
                return Err(fault);
            }
            Native::AssertFail => {
                let text = |cpu: &Self, at| cpu.c_string(at).unwrap_or_else(|| "?".into());
                let expression = text(self, arg(0));
                let mut fault = self.fault(FaultKind::Assertion, format!("assertion `{expression}` failed"));
                fault.signal = Some(6);
                return Err(fault);
            }
            Native::Unsupported => {
                let what = self.c_string(arg(0)).unwrap_or_else(|| "?".into());
                return Err(self.fault(FaultKind::Unsupported, format!("{what} is not supported")));
            }
            Native::ThreadSelf => {
                self.shows("a thread asks who it is");
                let handle = crate::visible::handle_of(self.thread.tid);
                self.thread.set_slot(d, handle, 0);
            }
            Native::ThreadIsMain => {
                let main = self.thread.tid == threadbare_core::Tid::MAIN;
                self.thread.set_slot(d, u64::from(main), 0);
            }
            Native::CancelState => {
                let disabled = arg(0) as u32 != 0;
                let mut control = self.thread.control;
                let old = std::mem::replace(&mut control.cancel_disabled, disabled);
                self.set_control(control);
                self.thread.set_slot(d, u64::from(old), 0);
            }
            Native::Assume => {
                if arg(0) as u32 == 0 {
                    return Ok(After::Cut);
                }
            }
            Native::Error => {
                let what = self.c_string(arg(0)).unwrap_or_else(|| "error".into());
                return Err(self.fault(FaultKind::Assertion, what));
            }
            Native::Assert => {
                if arg(0) as u32 == 0 {
                    let what = self.c_string(arg(1)).unwrap_or_else(|| "?".into());
                    return Err(self.fault(FaultKind::Assertion, format!("assertion `{what}` failed")));
                }
            }
            Native::Label | Native::Progress => {}
            Native::Abstract => self.add_to_abstract_state(arg(0), arg(1))?,
            Native::NeedFunction => {
                let (address, words) = (arg(0), arg(1) as usize);
                let function = match code_target(address) {
                    Some((f, 0)) => self.program.functions.get(f as usize),
                    _ => None,
                };
                let Some(function) = function else { return Err(self.bad_call(address)) };
                let fits = function.params.len() <= words && function.params.iter().all(|p| *p == ArgClass::Word);
                if !fits || !matches!(function.results[..], [] | [ArgClass::Word]) {
                    return Err(self.unfit_function(function, words));
                }
            }
            Native::VaStart => self.va_start(arg(0))?,
            Native::VaEnd => self.va_end(arg(0))?,
            Native::VaCopy => {
                let (to, from) = (arg(0), arg(1));
                self.memory.copy(to, from, 24).map_err(|bad| self.bad_access(bad))?;
                self.race_native(from, 24, PLAIN_READ)?;
                self.race_native(to, 24, PLAIN_WRITE)?;
            }
            Native::Longjmp => {
                let (buffer, value) = (arg(0), arg(1) as u32);
                self.longjmp(buffer, value)?;
                return Ok(After::Reload);
            }
            Native::ThreadDetached => {
                return Err(self.fault(FaultKind::Unsupported, "the detach state of another thread".into()));
            }
            Native::MainResult => {}
            Native::ArrayLength { site, bits } => {
                let length = crate::scalar::sext(arg(0), bits);
                if length <= 0 {
                    let name = self.program.allocas[site as usize].name.as_deref().unwrap_or("?");
                    let message = format!("the array `{name}` would have {length} elements: at least 1 is needed");
                    return Err(self.fault(FaultKind::OutOfBounds, message));
                }
            }
            Native::LifetimeStart => self.memory.enter_block(arg(0)),
            Native::LifetimeEnd => {
                self.block_end_released(arg(0))?;
                let at = self.position().pack();
                self.memory.leave_block(arg(0), at);
            }
            Native::Math(_) => unreachable!("handled above"),
        }
        Ok(After::Next)
    }

    /// So many bytes were touched at once: may the thread go on?
    pub fn ask_after(&self, bytes: u64) -> Result<(), Box<Fault>> {
        if bytes >= LONG_WORK { self.ask() } else { Ok(()) }
    }

    fn set_control(&mut self, control: crate::thread::Control) {
        if self.thread.control != control {
            let old = self.thread.control.pack();
            self.memory.log_outside(crate::machine::LOG_CONTROL, self.thread.tid.0.into(), &old);
            self.thread.control = control;
        }
    }

    fn malloc(&mut self, size: u64, zeroed: bool, detail: u32) -> Result<Addr, Box<Fault>> {
        if size > ENOMEM_SIZE {
            return Ok(0);
        }
        self.shows("a thread allocates memory");
        let at = self.program_position().pack();
        let address = self
            .memory
            .allocate(self.thread.tid, ObjectKind::Heap, size, detail, at, true)
            .map_err(|error| self.alloc_failed(error, size))?;
        if zeroed {
            self.memory.define(address, size);
            self.ask_after(size)?;
            self.race_native(address, size, PLAIN_WRITE)?;
        }
        Ok(address)
    }

    /// The bytes of a string that the runtime is given, checked as it would check them itself.
    fn path(&mut self, start: Addr) -> Result<Vec<u8>, Box<Fault>> {
        let mut path = Vec::new();
        loop {
            let at = start + path.len() as u64;
            let (byte, undefined) = self.memory.load::<1>(at).map_err(|bad| self.bad_access(bad))?;
            if undefined != 0 {
                return Err(self.uninitialised_at(at, "it is the name of a file"));
            }
            if byte == 0 {
                break;
            }
            path.push(byte as u8);
        }
        self.race_native(start, path.len() as u64 + 1, PLAIN_READ)?;
        Ok(path)
    }

    pub fn c_string(&self, mut address: Addr) -> Option<String> {
        let mut text = Vec::new();
        while text.len() < 4096 {
            match self.memory.load::<1>(address).ok()?.0 as u8 {
                0 => break,
                byte => text.push(byte),
            }
            address += 1;
        }
        Some(String::from_utf8_lossy(&text).into_owned())
    }

    fn longjmp(&mut self, buffer: Addr, value: u32) -> Result<(), Box<Fault>> {
        let mut words = [0; 4];
        for (i, word) in words.iter_mut().enumerate() {
            let (value, undefined) =
                self.memory.load::<8>(buffer + 8 * i as u64).map_err(|bad| self.bad_access(bad))?;
            *word = if undefined == 0 { value } else { 0 };
        }
        if words[0] >> 32 != JUMP_MARK {
            let message = "longjmp with a buffer that setjmp has not filled";
            return Err(self.fault(FaultKind::Crash, message.into()));
        }
        if (words[3] >> 32) as u16 != self.thread.tid.0 {
            let message = "longjmp into another thread: it was that one which called setjmp with this buffer";
            return Err(self.fault(FaultKind::Crash, message.into()));
        }
        self.race_native(buffer, 32, PLAIN_READ)?;
        let depth = (words[1] >> 32) as usize;
        let target = self.thread.frames.get(depth.wrapping_sub(1));
        if !target.is_some_and(|f| f.function == words[1] as u32 && f.base == (words[2] >> 32) as u32) {
            let function = self.program.functions.get(words[1] as u32 as usize).map_or("?", |function| &function.name);
            let message = format!("longjmp into `{function}`, which has returned since it called setjmp");
            return Err(self.fault(FaultKind::Crash, message));
        }
        if self.memory.races.is_active() {
            self.race_frame_end((words[3] as u32 as usize).min(self.thread.allocas.len()))?;
        }
        self.frame_end_released((words[3] as u32 as usize).min(self.thread.allocas.len()))?;
        self.unwind(depth);
        self.release_allocas((words[3] as u32 as usize).min(self.thread.allocas.len()));
        self.thread.frames.last_mut().expect("the target frame").pc = words[2] as u32;
        self.thread.set_slot(words[0] as u16, u64::from(value.max(1)), 0);
        Ok(())
    }

    /// Ends the frames above `depth`.
    pub fn unwind(&mut self, depth: usize) {
        while self.thread.frames.len() > depth {
            let frame = *self.thread.top();
            self.release_allocas(frame.first_alloca as usize);
            self.forget_undefined(&frame);
            self.thread.frames.pop();
            if let Some(below) = self.thread.frames.len().checked_sub(1) {
                self.expose(below);
            }
        }
    }

    fn forget_undefined(&mut self, frame: &crate::thread::Frame) {
        if self.thread.undefined_slots > 0 {
            let start = frame.base as usize;
            let slots = self.program.functions[frame.function as usize].slots as usize + frame.extra as usize;
            let gone = self.thread.undefined[start..start + slots].iter().filter(|&&s| s != 0).count();
            self.thread.undefined_slots -= gone as u32;
            self.thread.undefined[start..start + slots].fill(0);
        }
    }

    fn math(&mut self, function: MathFn, args: &[Slot], d: Slot) {
        let undefined = self.thread.undefined_slots > 0 && args.iter().any(|&arg| self.thread.undefined(arg) != 0);
        let raw = |i: usize| self.thread.slot(args[i]);
        let f = |i| f32::from_bits(raw(i) as u32);
        let g = |i| f64::from_bits(raw(i));
        let l = |i: usize| F80 { mantissa: raw(i), sign_exp: raw(i + 1) as u16 };
        let int = |i| raw(i) as i32;
        let long = |i| raw(i) as i64;
        let from_f = |x: f32| (u64::from(x.to_bits()), None);
        let from_g = |x: f64| (x.to_bits(), None);
        let from_l = |x: F80| (x.mantissa, Some(u64::from(x.sign_exp)));
        let from_i = |x: i32| (u64::from(x as u32), None);
        let from_q = |x: i64| (x as u64, None);
        use MathFn::*;
        let (low, high) = match function {
            F32ToF32(h) => from_f(h(f(0))),
            F32F32ToF32(h) => from_f(h(f(0), f(1))),
            F32F32F32ToF32(h) => from_f(h(f(0), f(1), f(2))),
            F32I32ToF32(h) => from_f(h(f(0), int(1))),
            F32I64ToF32(h) => from_f(h(f(0), long(1))),
            I32F32ToF32(h) => from_f(h(int(0), f(1))),
            F32F80ToF32(h) => from_f(h(f(0), l(1))),
            F32ToI32(h) => from_i(h(f(0))),
            F32ToI64(h) => from_q(h(f(0))),
            F32F32ToI32(h) => from_i(h(f(0), f(1))),
            F64ToF64(h) => from_g(h(g(0))),
            F64F64ToF64(h) => from_g(h(g(0), g(1))),
            F64F64F64ToF64(h) => from_g(h(g(0), g(1), g(2))),
            F64I32ToF64(h) => from_g(h(g(0), int(1))),
            F64I64ToF64(h) => from_g(h(g(0), long(1))),
            I32F64ToF64(h) => from_g(h(int(0), g(1))),
            F64F80ToF64(h) => from_g(h(g(0), l(1))),
            F64ToI32(h) => from_i(h(g(0))),
            F64ToI64(h) => from_q(h(g(0))),
            F64F64ToI32(h) => from_i(h(g(0), g(1))),
            F80ToF80(h) => from_l(h(l(0))),
            F80F80ToF80(h) => from_l(h(l(0), l(2))),
            F80F80F80ToF80(h) => from_l(h(l(0), l(2), l(4))),
            F80I32ToF80(h) => from_l(h(l(0), int(2))),
            F80I64ToF80(h) => from_l(h(l(0), long(2))),
            I32F80ToF80(h) => from_l(h(int(0), l(1))),
            F80ToI32(h) => from_i(h(l(0))),
            F80ToI64(h) => from_q(h(l(0))),
            F80F80ToI32(h) => from_i(h(l(0), l(2))),
            // Two results: the fraction, then the exponent in the slot after it.
            F32ToF32I32(h) => {
                let (x, n) = h(f(0));
                (u64::from(x.to_bits()), Some(u64::from(n as u32)))
            }
            F64ToF64I32(h) => {
                let (x, n) = h(g(0));
                (x.to_bits(), Some(u64::from(n as u32)))
            }
            F80ToF80I32(h) => {
                let (x, n) = h(l(0));
                self.thread.set_slot(d + 2, u64::from(n as u32), if undefined { !0 } else { 0 });
                from_l(x)
            }
        };
        let s = if undefined { !0 } else { 0 };
        self.thread.set_slot(d, low, s);
        if let Some(high) = high {
            self.thread.set_slot(d + 1, high, s);
        }
    }
}

pub fn signal_message(signal: i32) -> String {
    let name = match signal {
        4 => "SIGILL",
        6 => return "abort() was called".into(),
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        2 => "SIGINT",
        1 => "SIGHUP",
        3 => "SIGQUIT",
        7 => "SIGBUS",
        10 => "SIGUSR1",
        12 => "SIGUSR2",
        _ => return format!("the program was ended by signal {signal}"),
    };
    format!("the program was ended by {name}")
}
