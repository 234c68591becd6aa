//! What is wrong, who waits for what, and what things are called: in words for people.

use threadbare_core::{FaultKind, Operation, Tid, memory_words};
use threadbare_vm::{Scene, variable_at};

use crate::fault::{Fault, Side, Waiter};
use crate::image;
use crate::races::{Kind, Race, place_of};
use crate::run::Run;
use crate::signals::{BY_MINUS_ONE, BY_ZERO, CALL, UNREACHABLE, WRITE};
use crate::table::tid_of;
use crate::world::{OPERATIONS, Stop};

/// Frames that are looked at.
const FRAMES: usize = 64;

fn signal_name(signal: u64) -> &'static str {
    match signal as i32 {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        _ => "a signal",
    }
}

impl Run {
    /// The addresses to which its functions return, innermost first, those of the program itself. The first may be where it
    /// stands.
    pub fn own_stack(&self, tid: Tid) -> Vec<u64> {
        let Some(thread) = self.threads.get(tid.index()) else { return Vec::new() };
        let fiber = &thread.fiber;
        if fiber.operation() == Operation::Start && fiber.stop == Stop::Visible {
            return Vec::new();
        }
        let mut found = vec![fiber.pc];
        let mut frame = fiber.frame;
        if matches!(fiber.stop, Stop::Crash | Stop::Hang) && self.program.image.is_foreign_code(fiber.pc - 1) {
            found.extend(self.caller_above(tid, fiber.arguments[3]));
        }
        // A thread that has gone astray may have any frame.
        while found.len() < FRAMES && frame % 8 == 0 && (fiber.stack_low..fiber.stack_high).contains(&frame) {
            let (Some(next), Some(pc)) = (self.number(frame, 8), self.number(frame + 8, 8)) else { break };
            if !(found.len() == 1 && pc == fiber.pc) && self.program.image.contains(pc) {
                found.push(pc);
                if self.program.image.is_foreign_code(pc - 1) {
                    found.extend(self.caller_above(tid, frame + 16));
                }
            }
            if next <= frame {
                break;
            }
            frame = next;
        }
        let image = &self.program.image;
        found.retain(|&pc| image.contains(pc) && !image.is_library_code(pc) && self.program.is_own_code(pc));
        found
    }

    /// Code without a source need not have frames: the first word above that looks like where a function of the program goes on after a
    /// call is taken for that.
    fn caller_above(&self, tid: Tid, from: u64) -> Option<u64> {
        let (image, fiber) = (&self.program.image, &self.threads[tid.index()].fiber);
        let from = from.next_multiple_of(8).max(fiber.stack_low);
        let is_own = |pc: u64| {
            image.is_code(pc)
                && !image.is_library_code(pc)
                && !image.is_foreign_code(pc)
                && self.program.is_own_code(pc)
        };
        // Calls of an address that is known, and of those in registers or memory.
        let behind_call = |pc: u64| {
            let byte = |n: u64| self.number(pc - n, 1);
            byte(5) == Some(0xe8) || [2, 3, 6, 7].iter().any(|&n| byte(n) == Some(0xff))
        };
        let words = (from..fiber.stack_high).step_by(8).filter_map(|at| self.number(at, 8));
        words.into_iter().find(|&pc| is_own(pc) && behind_call(pc))
    }

    /// Where it stands in the program itself.
    #[inline]
    pub fn own_pc(&self, tid: Tid) -> u64 {
        let fiber = &self.threads[tid.index()].fiber;
        let (mut pc, mut frame) = (fiber.pc, fiber.frame);
        for _ in 0..FRAMES {
            let in_stack = (fiber.stack_low..fiber.stack_high - 16).contains(&frame) && frame % 8 == 0;
            if !self.program.image.is_library_code(pc) || !in_stack {
                break;
            }
            // SAFETY: a frame on the stack of a fiber that stands still.
            (frame, pc) = unsafe { (*(frame as *const u64), *((frame + 8) as *const u64)) };
        }
        pc
    }

    pub fn fault(&self, tid: Tid, kind: FaultKind, message: String) -> Box<Fault> {
        let stack = self.own_stack(tid);
        Box::new(Fault {
            kind,
            message,
            tid,
            stack,
            waiters: Vec::new(),
            sides: Vec::new(),
            object: String::new(),
            subject: None,
            address: None,
        })
    }

    /// Local code has stopped for good.
    pub fn fault_of_stop(&mut self, tid: Tid) -> Box<Fault> {
        let fiber = &self.threads[tid.index()].fiber;
        let [a0, a1, a2, ..] = fiber.arguments;
        let (kind, message) = match fiber.stop {
            Stop::Assert => (FaultKind::Assertion, format!("assertion `{}` failed", self.text(a0))),
            Stop::Error => (FaultKind::Assertion, self.text(a0)),
            Stop::Unsupported => {
                let message = format!("{} is not supported", self.text(a0));
                (FaultKind::Unsupported, message)
            }
            Stop::Limit => (FaultKind::Limit, self.text(a0)),
            Stop::Death => (FaultKind::Crash, threadbare_vm::signal_message(a0 as i32)),
            Stop::BadFree => return self.bad_free(tid, a0, a1 != 0),
            Stop::BadAccess => return self.bad_access(tid, a0, a1, a2 != 0),
            Stop::Overlap => {
                let message = memory_words::overlap(self.called(tid).as_deref(), a0.abs_diff(a1), a2);
                let mut fault = self.fault(tid, FaultKind::Crash, message);
                fault.subject = self.object_at(a0);
                return fault;
            }
            Stop::Hang if a0 != 0 => (FaultKind::Stopped, "stopped".into()),
            Stop::Hang => {
                let seconds = crate::signals::PATIENCE;
                (
                    FaultKind::Limit,
                    format!("a thread went on for {seconds} s of processor time without a visible operation"),
                )
            }
            _ if matches!(a0 as i32, libc::SIGSEGV | libc::SIGBUS) && image::is_below_stack(a1) => {
                (FaultKind::Crash, "the stack is full: endless recursion?".into())
            }
            Stop::Crash if a0 as i32 == libc::SIGSEGV && a1 == u64::MAX => {
                (FaultKind::OutOfBounds, "an access to an address that no object can have".into())
            }
            Stop::Crash if a2 == WRITE && self.program.image.contains(a1) => {
                let object = self.object_at(a1).map_or("data".into(), |(object, _)| object.description);
                (FaultKind::Crash, format!("write into constant {object}"))
            }
            Stop::Crash if a0 as i32 == libc::SIGSEGV && a1 == 0 && a2 == CALL => {
                (FaultKind::NullDereference, "call through a null function pointer".into())
            }
            Stop::Crash if a0 as i32 == libc::SIGFPE && a2 == BY_ZERO => (FaultKind::Crash, "division by zero".into()),
            Stop::Crash if a0 as i32 == libc::SIGFPE && a2 == BY_MINUS_ONE => {
                (FaultKind::Crash, "division overflow (the smallest value by -1)".into())
            }
            Stop::Crash if a2 == UNREACHABLE => {
                let message = "execution reached a point that the compiler was promised is never reached";
                (FaultKind::Crash, message.into())
            }
            _ if a0 as i32 == libc::SIGSEGV && a1 < 4096 => {
                (FaultKind::NullDereference, "an access through a null pointer (SIGSEGV)".into())
            }
            _ if matches!(a0 as i32, libc::SIGSEGV | libc::SIGBUS) => {
                (FaultKind::Crash, format!("an access to the invalid address {a1:#x} ({})", signal_name(a0)))
            }
            _ => (FaultKind::Crash, format!("the program dies of {}", signal_name(a0))),
        };
        let inside = self.inside_object(tid).unwrap_or_default();
        self.fault(tid, kind, message + &inside)
    }

    /// Of code without a source that has crashed or goes on and on: its name, for there is no line.
    fn inside_object(&self, tid: Tid) -> Option<String> {
        let fiber = &self.threads[tid.index()].fiber;
        let pc = fiber.pc - 1;
        if !matches!(fiber.stop, Stop::Crash | Stop::Hang) || !self.program.image.is_foreign_code(pc) {
            return None;
        }
        let name = &self.program.image.symbol(pc)?.name;
        let object = self.program.objects.get(name)?;
        Some(format!(", in `{name}` of {object}, which has no source"))
    }

    /// The library is about to call a function of the program with so many words, and takes one back.
    pub fn look_at_function(&self, tid: Tid) -> Result<(), Box<Fault>> {
        let [address, words, ..] = self.threads[tid.index()].fiber.arguments;
        let by = || self.called(tid).unwrap_or_else(|| "the library".into());
        let refuse = |kind, message| Err(self.fault(tid, kind, message));
        let symbol = self.program.image.symbol(address);
        match symbol.filter(|symbol| symbol.is_function && symbol.address == address) {
            _ if address == 0 => {
                refuse(FaultKind::NullDereference, format!("`{}` is given a null pointer for a function", by()))
            }
            _ if self.program.image.is_foreign_code(address) => Ok(()),
            None if address < 1 << 32 => {
                refuse(FaultKind::Crash, format!("call of the address {address:#x}, which is not a function"))
            }
            None => refuse(FaultKind::Crash, "call through a pointer that is not a function".into()),
            Some(symbol) => match self.program.signatures.get(&symbol.name) {
                Some(signature) => match signature.misfit_with_words(words as usize) {
                    Some(differs) => {
                        let (by, name) = (by(), &symbol.name);
                        refuse(FaultKind::Crash, format!("`{by}` is given `{name}`, which does not fit: {differs}"))
                    }
                    None => Ok(()),
                },
                None => Ok(()),
            },
        }
    }

    /// What an access at a place does, in words.
    fn verb(kind: Kind, place: u64) -> String {
        use Operation::*;
        let operation = place_of(place).1.map(|number| OPERATIONS[number as usize].1);
        match (operation, kind) {
            (Some(Load), _) | (Some(CompareExchange), Kind::AtomicRead) => "atomically reads".into(),
            (Some(Store), _) => "atomically writes".into(),
            (Some(ReadModifyWrite | CompareExchange), _) => "atomically updates".into(),
            (Some(operation), _) => format!("does a {} of", operation.name()),
            (None, Kind::PlainWrite | Kind::AtomicWrite) => "writes".into(),
            (None, _) => "reads".into(),
        }
    }

    pub fn race(&self, tid: Tid, kind: Kind, place: u64, earlier: Race) -> Box<Fault> {
        let (pc, _) = place_of(place);
        let object = self.name_with(earlier.address, |object, offset| format!("{object}, byte {offset},"));
        let sides = vec![
            Side { tid: earlier.tid, verb: Run::verb(earlier.kind, earlier.place), pc: place_of(earlier.place).0 },
            Side { tid, verb: Run::verb(kind, place), pc },
        ];
        let (first, second) = (self.thread_name(earlier.tid), self.thread_name(tid));
        let mut message = format!(
            "{second} {} {object} and {first} {} it, with nothing that orders the two",
            sides[1].verb, sides[0].verb
        );
        let mut kind = FaultKind::DataRace;
        if self.program.every_access {
            kind = FaultKind::Unsupported;
            message = message.replace(" atomically ", " ");
            message += "; with `--races allow` accesses inside library functions, and long copies, are not interleaved. Without it, this is a data race";
        }
        let mut stack = self.own_stack(tid);
        // It may have gone on a little since.
        if stack.first() != Some(&pc) {
            stack = vec![pc];
        }
        Box::new(Fault {
            kind,
            message,
            tid,
            stack,
            waiters: Vec::new(),
            sides,
            object,
            subject: self.object_at(earlier.address),
            address: Some(earlier.address),
        })
    }

    pub fn thread_name(&self, tid: Tid) -> String {
        format!("thread {}", self.names.name(tid))
    }

    /// What lies at an address, in few words.
    pub fn name_of(&self, address: u64) -> String {
        self.name_with(address, |object, offset| format!("{object} + {offset}"))
    }

    /// `part` names a byte of an object that has no name.
    fn name_with(&self, address: u64, part: impl Fn(&str, i64) -> String) -> String {
        match (variable_at(self, address), self.object_at(address)) {
            (Some(name), _) => format!("`{name}`"),
            (None, Some((object, _))) if object.offset == 0 => object.description,
            (None, Some((object, _))) => part(&object.description, object.offset),
            (None, None) => format!("address {address:#x}"),
        }
    }

    fn holder(&self, address: u64) -> Option<Tid> {
        let owner = self.word(address)?.checked_sub(1)?;
        ((owner as usize) < self.names.len()).then_some(Tid(owner as u16))
    }

    fn held_by(&self, address: u64) -> String {
        match self.holder(address) {
            Some(tid) if self.is_live(tid) => self.thread_label(tid),
            Some(tid) => format!("{}, which has ended", self.thread_label(tid)),
            None => "nobody".into(),
        }
    }

    /// The thread without which a waiting thread does not go on, where there is one.
    pub fn waits_on(&self, tid: Tid) -> Option<Tid> {
        use Operation::*;
        let thread = &self.threads[tid.index()];
        let [a0, a1, ..] = thread.fiber.arguments;
        match thread.fiber.operation() {
            MutexLock => self.holder(a0 + 8),
            CondLeave | CondLeaveTimed if thread.woken => self.holder(a1 + 8),
            RwReadLock | RwWriteLock | RwTimedReadLock | RwTimedWriteLock => self.holder(a0 + 4),
            SpinLock => self.holder(a0),
            ThreadJoin | ThreadTimedJoin => tid_of(a0).filter(|tid| tid.index() < self.names.len()),
            _ => None,
        }
    }

    pub fn waits_for(&self, tid: Tid) -> String {
        use Operation::*;
        let thread = &self.threads[tid.index()];
        let [a0, a1, ..] = thread.fiber.arguments;
        let name = |address| self.name_of(address);
        let held = |address| self.held_by(address);
        match thread.fiber.operation() {
            MutexLock => format!("mutex {}, held by {}", name(a0), held(a0 + 8)),
            CondLeave | CondLeaveTimed if thread.woken => {
                format!("mutex {} (after a wake-up of {}), held by {}", name(a1), name(a0), held(a1 + 8))
            }
            CondLeave | CondLeaveTimed => format!("a signal of condition variable {}", name(a0)),
            RwReadLock | RwTimedReadLock => format!("read lock of {}, held for writing by {}", name(a0), held(a0 + 4)),
            RwWriteLock | RwTimedWriteLock => match self.word(a0) {
                Some(readers) if readers > 0 => format!("write lock of {}, held by {readers} for reading", name(a0)),
                _ => format!("write lock of {}, held by {}", name(a0), held(a0 + 4)),
            },
            SemWait | SemTimedWait => format!("semaphore {} (its value is 0)", name(a0)),
            SpinLock => format!("spin lock {}, held by {}", name(a0), held(a0)),
            BarrierLeave => {
                let (arrived, count) = (self.word(a0 + 4).unwrap_or(0), self.word(a0).unwrap_or(0));
                format!("barrier {}: {arrived} of {count} have arrived", name(a0))
            }
            OnceEnter => format!("the end of the routine of once {}", name(a0)),
            ThreadJoin | ThreadTimedJoin => match tid_of(a0).filter(|tid| tid.index() < self.names.len()) {
                Some(target) => format!("the end of {}", self.thread_label(target)),
                None => "the end of a thread".into(),
            },
            operation => operation.name().into(),
        }
    }

    fn waiter(&self, tid: Tid) -> Waiter {
        Waiter { tid, waits_for: self.waits_for(tid), waits_on: self.waits_on(tid), stack: self.own_stack(tid) }
    }

    fn waiting(&self, kind: FaultKind, message: String, waiters: Vec<Waiter>) -> Box<Fault> {
        let tid = waiters.first().map_or(Tid::MAIN, |waiter| waiter.tid);
        let stack = waiters.first().map_or_else(Vec::new, |waiter| waiter.stack.clone());
        Box::new(Fault {
            kind,
            message,
            tid,
            stack,
            waiters,
            sides: Vec::new(),
            object: String::new(),
            subject: None,
            address: None,
        })
    }

    /// Every live thread waits and none can go on.
    pub fn deadlock(&self) -> Box<Fault> {
        let numbers = (0..self.threads.len()).map(|i| Tid(i as u16));
        let waiters: Vec<Waiter> = numbers.filter(|&tid| self.is_live(tid)).map(|tid| self.waiter(tid)).collect();
        let gone = self.threads.iter().filter(|thread| thread.exists).count() - waiters.len();
        let message = match (waiters.len(), gone) {
            (1, 0) => "the only thread waits for ever".to_string(),
            (1, _) => "the only thread left waits for ever".to_string(),
            (n, 0) => format!("all {n} threads wait for ever"),
            (n, 1) => format!("{n} threads wait for ever, and the other one has ended"),
            (n, others) => format!("{n} threads wait for ever, and the other {others} have ended"),
        };
        self.waiting(FaultKind::Deadlock, message, waiters)
    }

    pub fn partial_deadlock(&self, who: &[Tid]) -> Box<Fault> {
        let waiters: Vec<Waiter> = who.iter().map(|&tid| self.waiter(tid)).collect();
        let message = match waiters.len() {
            1 => "a thread waits for ever, whatever the others do".to_string(),
            n => format!("{n} threads wait for ever, whatever the others do"),
        };
        self.waiting(FaultKind::Deadlock, message, waiters)
    }

    pub fn livelock(&self, spinning: &[Tid]) -> Box<Fault> {
        let waits_for = "a change that nobody makes any more".to_string();
        let waiter = |&tid: &Tid| Waiter { waits_for: waits_for.clone(), waits_on: None, ..self.waiter(tid) };
        let waiters: Vec<Waiter> = spinning.iter().map(waiter).collect();
        let message = match waiters.len() {
            1 => "a thread waits in a loop for ever".to_string(),
            n => format!("{n} threads wait in loops for ever"),
        };
        self.waiting(FaultKind::Livelock, message, waiters)
    }
}
