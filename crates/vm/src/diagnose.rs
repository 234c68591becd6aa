//! From what went wrong to a `Fault` that explains it: which object, how far off, allocated and freed where.

use threadbare_core::{Tid, memory_words};

use crate::bytecode::{AllocaSite, Native, Op, Program};
use crate::fault::{CodePos, Fault, FaultKind, FaultObject};
use crate::interp::{Cpu, alloc_message};
use crate::memory::{Addr, AllocError, BadAccess, Life, Memory, OFFSET_BITS, Object, ObjectKind, code_target};
use crate::origin::Origin;
use crate::varargs::{Overrun, Taken};

/// Where nobody knows what it is called.
const NEVER_SET: &str = "a value is used that was never set";

/// What depends on an undefined result of `main`.
pub const EXIT_CODE: &str = "the exit code depends on it";

/// What the objects are that hold the arguments and the environment: the list in the top byte, below it the number.
pub const ARGUMENTS: u32 = 0xA0;
pub const ENVIRONMENT: u32 = 0xE0;
pub const VECTOR: u32 = 0xff_ffff;

/// Offsets from here on are taken for negative ones of the next object.
const NEGATIVE: u64 = 1 << (OFFSET_BITS - 1);

/// Jumps and calls that take some milliseconds.
pub const BETWEEN_QUESTIONS: u64 = 1 << 20;

impl Cpu<'_> {
    pub fn position(&self) -> CodePos {
        let frame = self.thread.top();
        CodePos { function: frame.function, pc: frame.pc }
    }

    /// Where the program itself stands: the innermost frame that is not the library's.
    pub fn program_position(&self) -> CodePos {
        let frames = &self.thread.frames;
        let own = frames.iter().rposition(|frame| !self.program.is_library(frame.function));
        match own {
            // A frame that has called another stands at its call.
            Some(depth) if depth + 1 < frames.len() => {
                CodePos { function: frames[depth].function, pc: frames[depth].pc.saturating_sub(1) }
            }
            _ => self.position(),
        }
    }

    #[cold]
    pub fn fault(&self, kind: FaultKind, message: String) -> Box<Fault> {
        Box::new(Fault {
            kind,
            message,
            tid: self.thread.tid,
            stack: self.thread.stack(),
            object: None,
            waiters: Vec::new(),
            other: None,
            address: None,
            signal: None,
        })
    }

    #[cold]
    pub fn uninitialised(&self, what: &str) -> Box<Fault> {
        self.never_set(self.origin(), what)
    }

    #[cold]
    pub fn uninitialised_at(&self, address: Addr, what: &str) -> Box<Fault> {
        let unnamed = Origin { words: NEVER_SET.into(), address: Some(address) };
        self.never_set(self.origin_in_memory(address, 1).or(Some(unnamed)), what)
    }

    fn never_set(&self, origin: Option<Origin>, what: &str) -> Box<Fault> {
        if let Some(overrun) = self.overrun_arguments(None) {
            return self.missing_argument(overrun);
        }
        // Inside the library, what matters is which function of it the program called.
        let what = match self.called() {
            Some("exit" | "_exit" | "_Exit" | "quick_exit" | "thrd_exit") => EXIT_CODE.into(),
            Some(name) => format!("the library function `{name}` depends on it"),
            None => what.to_string(),
        };
        let Origin { words, address } = origin.unwrap_or(Origin { words: NEVER_SET.into(), address: None });
        let mut fault = self.fault(FaultKind::UninitialisedRead, format!("{words}: {what}"));
        fault.address = address;
        fault.object =
            address.and_then(|address| describe(self.program, self.memory, address)).map(|(object, _)| object);
        fault
    }

    /// The function of the library that the program called, if that is where the thread is.
    pub(super) fn called(&self) -> Option<&str> {
        let stack = self.thread.stack();
        let called = stack.iter().take_while(|at| self.program.is_library(at.function)).last()?;
        Some(&self.program.functions[called.function as usize].name)
    }

    /// What a variadic function found in the place of an argument that it was not given explains little: that it was not given
    /// does.
    #[cold]
    pub fn missing_argument(&self, Overrun { function, given, taken }: Overrun) -> Box<Fault> {
        let message = match taken {
            Taken::TooMany => {
                let given = if given == 0 { "none".to_string() } else { given.to_string() };
                format!("`{function}` takes more arguments than it was given ({given} after the named ones)")
            }
            Taken::WordForFloat => {
                format!("`{function}` takes an integer or a pointer where it was given a floating-point number")
            }
            Taken::FloatForWord => {
                format!("`{function}` takes a floating-point number where it was given an integer or a pointer")
            }
        };
        self.fault(FaultKind::OutOfBounds, message)
    }

    #[cold]
    pub fn overlap(&self, to: Addr, from: Addr, length: u64) -> Box<Fault> {
        let mut fault = self.fault(FaultKind::Crash, memory_words::overlap(self.called(), to.abs_diff(from), length));
        fault.address = Some(to);
        fault.object = describe(self.program, self.memory, to).map(|(object, _)| object);
        fault
    }

    #[cold]
    pub fn division_trap(&self, divisor: u64, _width: u8) -> Box<Fault> {
        let message = if divisor == 0 { "division by zero" } else { "division overflow (the smallest value by -1)" };
        let mut fault = self.fault(FaultKind::Crash, message.into());
        fault.signal = Some(8);
        fault
    }

    /// Local code has run for a while.
    #[cold]
    pub fn refuel(&mut self) -> Result<(), Box<Fault>> {
        self.fuel = self.reserve.min(BETWEEN_QUESTIONS);
        self.reserve -= self.fuel;
        if self.fuel == 0 { Err(self.out_of_fuel()) } else { self.ask() }
    }

    /// Whether the thread may go on with its local code.
    pub fn ask(&self) -> Result<(), Box<Fault>> {
        match self.stop {
            Some(stop) if stop() => {
                Err(self.fault(FaultKind::Stopped, "the execution was given up in the middle of a step".into()))
            }
            _ => Ok(()),
        }
    }

    fn out_of_fuel(&self) -> Box<Fault> {
        self.fault(
            FaultKind::Limit,
            format!(
                "more than {} jumps and calls without anything that another thread could see: an endless loop? (raise the \
                 limit with --step-limit)",
                self.limits.local_steps
            ),
        )
    }

    #[cold]
    pub fn stack_overflow(&self) -> Box<Fault> {
        self.fault(
            FaultKind::Limit,
            format!(
                "more than {} nested calls: endless recursion? (raise the limit with --stack-limit)",
                self.limits.stack_frames
            ),
        )
    }

    /// A local variable, or memory from `alloca`, so large that it cannot be meant.
    #[cold]
    pub fn beyond_any_stack(&self, site: u32, size: u64) -> Box<Fault> {
        let AllocaSite { name, asked, .. } = &self.program.allocas[site as usize];
        let what = match name {
            Some(name) if !asked => format!("the local variable `{name}`"),
            _ => "memory from `alloca`".into(),
        };
        let message = match size as i64 {
            negative @ ..0 => format!("{what} would have {negative} bytes"),
            _ => format!("{what} would have {size} bytes: no stack is so large"),
        };
        let mut fault = self.fault(FaultKind::OutOfBounds, message);
        fault.signal = Some(11);
        fault
    }

    #[cold]
    pub fn alloc_failed(&self, error: AllocError, size: u64) -> Box<Fault> {
        self.fault(FaultKind::Limit, alloc_message(error, size, self.limits.memory))
    }

    #[cold]
    pub fn bad_call(&self, address: Addr) -> Box<Fault> {
        let mut fault = if address == 0 {
            let message = match self.called() {
                Some(library) => format!("`{library}` is given a null pointer for a function"),
                None => "call through a null function pointer".into(),
            };
            self.fault(FaultKind::NullDereference, message)
        } else if address < 1 << OFFSET_BITS {
            self.fault(FaultKind::Crash, format!("call of the address {address:#x}, which is not a function"))
        } else {
            self.fault(FaultKind::Crash, "call through a pointer that is not a function".into())
        };
        fault.signal = Some(11);
        fault.address = Some(address);
        fault.object = describe(self.program, self.memory, address).map(|(object, _)| object);
        fault
    }

    /// The size of the live heap object that starts at `address`.
    pub fn heap_object(&self, address: Addr) -> Result<u64, Box<Fault>> {
        match self.memory.object_at(address) {
            Some((start, object))
                if start == address && object.kind == ObjectKind::Heap && object.life == Life::Live =>
            {
                Ok(object.size)
            }
            found => {
                let freed = found.is_some_and(|(start, object)| {
                    start == address && object.kind == ObjectKind::Heap && object.life == Life::Freed
                });
                let function = self.called().unwrap_or("free");
                let (kind, message) = if freed {
                    let message = match function {
                        "free" => "a heap object is freed a second time".into(),
                        other => format!("a heap object is given to `{other}` that has been freed"),
                    };
                    (FaultKind::DoubleFree, message)
                } else {
                    let what = pointee(self.program, self.memory, address);
                    (FaultKind::InvalidFree, format!("`{function}` needs the start of a heap object, but {what}"))
                };
                let mut fault = self.fault(kind, message);
                fault.address = Some(address);
                fault.object = describe(self.program, self.memory, address).map(|(object, _)| object);
                Err(fault)
            }
        }
    }

    /// The object that starts at `address` is about to go: nobody may hold a lock that lies in it.
    #[inline]
    pub fn need_released(&self, address: Addr, what: &str) -> Result<(), Box<Fault>> {
        match self.memory.held_in(address) {
            Some(lock) => Err(self.gone_while_held(lock, what)),
            None => Ok(()),
        }
    }

    #[cold]
    fn gone_while_held(&self, lock: Addr, what: &str) -> Box<Fault> {
        let name = name_of(self.program, self.memory, lock);
        let mut fault = self.fault(FaultKind::MutexMisuse, format!("{name} {what}"));
        fault.address = Some(lock);
        fault.object = describe(self.program, self.memory, lock).map(|(object, _)| object);
        fault
    }

    /// The same for stack objects, but for the first `keep`.
    #[inline]
    pub fn frame_end_released(&self, keep: usize) -> Result<(), Box<Fault>> {
        if self.memory.holds_locks() { self.check_frame_end(keep) } else { Ok(()) }
    }

    #[inline(never)]
    fn check_frame_end(&self, keep: usize) -> Result<(), Box<Fault>> {
        let what = "ends its life while it is locked";
        self.thread.allocas.iter().skip(keep).try_for_each(|&address| self.need_released(address, what))
    }

    /// The same at the end of a block. A return from `main` ends the blocks around it, and with them the process.
    pub fn block_end_released(&self, address: Addr) -> Result<(), Box<Fault>> {
        let held = self.need_released(address, "ends its life while it is locked");
        if held.is_err() && self.is_in_main() && self.is_returning() { Ok(()) } else { held }
    }

    /// Whether the innermost function is the program's `main`, called by its start.
    pub fn is_in_main(&self) -> bool {
        self.thread.tid == Tid::MAIN && self.thread.frames.len() == 2
    }

    /// Whether all that is left to do here is to end the lives of variables, and to return. Which blocks a `return` leaves on
    /// its way out, clang notes in a variable.
    fn is_returning(&self) -> bool {
        let CodePos { function, mut pc } = self.position();
        let function = &self.program.functions[function as usize];
        let code = &function.code;
        let base = self.thread.top().base as usize;
        let mut slots = self.thread.slots[base..base + function.slots as usize].to_vec();
        // More than that would be a circle.
        for _ in 0..code.len() {
            pc = match code[pc as usize] {
                Op::Native { site, .. }
                    if matches!(
                        self.program.natives[site as usize].native,
                        Native::LifetimeEnd | Native::MainResult
                    ) =>
                {
                    pc + 1
                }
                Op::Mov { d, a } => {
                    slots[d as usize] = slots[a as usize];
                    pc + 1
                }
                Op::Imm { d, i } => {
                    slots[d as usize] = i;
                    pc + 1
                }
                Op::Jmp { t } => t,
                Op::Switch { a, table } => self.program.switches[table as usize].target(slots[a as usize], || 0),
                Op::Ret | Op::RetOne { .. } => return true,
                _ => return false,
            };
        }
        false
    }

    #[cold]
    pub fn bad_access(&self, bad: BadAccess) -> Box<Fault> {
        if let Some(overrun) = self.overrun_arguments(Some(bad.address)) {
            return self.missing_argument(overrun);
        }
        let (kind, mut message, object) = explain_access(self.program, self.memory, bad);
        // A number that was given for a string, say: the program's line does not show who took it for an address.
        if let Some(function) = self.called().filter(|_| object.is_none()) {
            message += &format!(" (in `{function}`)");
        }
        let mut fault = self.fault(kind, message);
        fault.address = Some(bad.address);
        fault.object = object;
        fault.signal = Some(11);
        fault
    }
}

/// What lies at an address, in few words.
pub fn name_of(program: &Program, memory: &Memory, address: Addr) -> String {
    if let Some(name) = program.variable_at(address) {
        return format!("`{name}`");
    }
    match describe(program, memory, address) {
        Some((object, _)) if object.offset == 0 => object.description,
        Some((object, _)) => format!("{} + {}", object.description, object.offset),
        None => format!("address {address:#x}"),
    }
}

pub fn program_position(program: &Program, stack: &[CodePos]) -> CodePos {
    let own = stack.iter().find(|position| !program.functions[position.function as usize].library);
    *own.or(stack.first()).expect("a stack has a frame")
}

/// What a pointer is that should have been something else: "it points 3 bytes into a heap object of 10 bytes".
fn pointee(program: &Program, memory: &Memory, address: Addr) -> String {
    if let Some((function, _)) = code_target(address) {
        let name = program.functions.get(function as usize).map_or("?", |function| &function.name);
        return format!("this is the function `{name}`");
    }
    let object = describe(program, memory, address).map(|(object, live)| object.pointee(live));
    memory_words::what_it_is(address, object.as_ref())
}

/// How an object that is no longer there came to its end.
fn ending(program: &Program, object: &Object) -> &'static str {
    match object.kind {
        ObjectKind::Heap => return "that has been freed",
        ObjectKind::ThreadLocal => return "whose thread has ended",
        _ => {}
    }
    let op = CodePos::unpack(object.freed_at)
        .and_then(|at| program.functions[at.function as usize].code.get(at.pc as usize).copied());
    match op {
        Some(Op::StackRestore { .. }) => "whose block has ended",
        Some(Op::Native { site, .. }) => match program.natives[site as usize].native {
            Native::LifetimeEnd => "whose block has ended",
            _ => "whose function was left by longjmp",
        },
        Some(Op::Visible { .. }) => "whose thread has ended",
        _ => "whose function has returned",
    }
}

/// Kind and words for an access that could not be.
pub fn explain_access(program: &Program, memory: &Memory, bad: BadAccess) -> (FaultKind, String, Option<FaultObject>) {
    if let Some((kind, message)) = memory_words::null_access(bad.address, bad.bytes, bad.write) {
        return (kind, message, None);
    }
    if let Some((function, _)) = code_target(bad.address) {
        let name = program.functions.get(function as usize).map_or("?", |f| &f.name);
        let verb = if bad.write { "write into" } else { "read from" };
        return (FaultKind::OutOfBounds, format!("{verb} the code of function `{name}`"), None);
    }
    let found = describe(program, memory, bad.address);
    let pointee = found.as_ref().map(|(object, live)| object.pointee(*live));
    let (kind, message) = memory_words::bad_access(bad.address, bad.bytes, bad.write, pointee.as_ref());
    (kind, message, found.map(|(object, _)| object))
}

/// Where `main` has its arguments from.
fn argument_name(detail: u32) -> String {
    match (detail >> 24, detail & 0xff_ffff) {
        (ARGUMENTS, VECTOR) => "`argv`".into(),
        (ARGUMENTS, i) => format!("`argv[{i}]`"),
        (ENVIRONMENT, VECTOR) => "`environ`".into(),
        _ => "string of the environment".into(),
    }
}

/// The object around an address, and whether it is alive.
pub fn describe(program: &Program, memory: &Memory, address: Addr) -> Option<(FaultObject, bool)> {
    let negative = address & ((1 << OFFSET_BITS) - 1) >= NEGATIVE;
    let next = (address | ((1 << OFFSET_BITS) - 1)) + 1;
    let found =
        memory.object_at(address).filter(|(start, object)| !negative || address - start < object.size + NEGATIVE);
    let (start, object) = match found {
        Some(found) if !negative || address - found.0 <= found.1.size => found,
        // Just below another object: a negative index into that one.
        _ if negative => memory.object_at(next).filter(|(start, _)| *start == next).or(found)?,
        found => found?,
    };
    let site = program.allocas.get(object.detail as usize).filter(|_| object.kind == ObjectKind::Stack);
    let description = match object.kind {
        ObjectKind::Global => {
            let global = program.globals.iter().find(|global| global.address == start);
            match global {
                Some(global) if global.name.starts_with(".str") => "string literal".to_string(),
                Some(global) => format!("global `{}`", global.name),
                None => argument_name(object.detail),
            }
        }
        ObjectKind::ThreadLocal => {
            let name = program.thread_locals.get(object.detail as usize).map_or("?", |g| &g.name);
            format!("thread-local `{name}`")
        }
        ObjectKind::Heap => "heap object".to_string(),
        _ if site.is_some_and(|site| site.asked) => "memory from `alloca`".to_string(),
        _ => {
            let name = site.and_then(|site| site.name.as_deref());
            let function =
                CodePos::unpack(object.allocated_at).map(|at| &*program.functions[at.function as usize].name);
            match (name, function) {
                (Some(name), Some(function)) => format!("local variable `{name}` of `{function}`"),
                (None, Some(function)) => format!("local object of `{function}`"),
                _ => "local object".to_string(),
            }
        }
    };
    let object = (
        FaultObject {
            kind: object.kind,
            description,
            size: object.size,
            offset: address.wrapping_sub(start) as i64,
            allocated_at: CodePos::unpack(object.allocated_at),
            declared_at: site.and_then(|site| program.source_at(site.declared)),
            freed_at: CodePos::unpack(object.freed_at).filter(|_| object.life != Life::Live),
            ending: ending(program, &object),
            owner: object.owner,
        },
        object.life == Life::Live,
    );
    Some(object)
}
