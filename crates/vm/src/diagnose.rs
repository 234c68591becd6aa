//! From what went wrong to a `Fault` that explains it: which object, how far off, allocated and freed where.

use crate::bytecode::Program;
use crate::fault::{CodePos, Fault, FaultKind, FaultObject};
use crate::interp::{Cpu, alloc_message};
use crate::memory::{Addr, AllocError, BadAccess, Life, Memory, OFFSET_BITS, ObjectKind, code_target};

/// Offsets from here on are taken for negative ones of the next object.
const NEGATIVE: u64 = 1 << (OFFSET_BITS - 1);

impl Cpu<'_> {
    pub fn position(&self) -> CodePos {
        let frame = self.thread.top();
        CodePos { function: frame.function, pc: frame.pc }
    }

    /// Where the program itself stands: the innermost frame that is not the library's.
    pub fn program_position(&self) -> CodePos {
        program_position(self.program, &self.thread.stack())
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
        // Inside the library, what matters is which function of it the program called.
        let stack = self.thread.stack();
        let called = stack.iter().take_while(|at| self.program.is_library(at.function)).last();
        let what = match called {
            Some(at) => {
                format!("the library function `{}` depends on it", self.program.functions[at.function as usize].name)
            }
            None => what.to_string(),
        };
        self.fault(FaultKind::UninitialisedRead, format!("a value is used that was never set: {what}"))
    }

    #[cold]
    pub fn uninitialised_at(&self, address: Addr, what: &str) -> Box<Fault> {
        let mut fault = self.uninitialised(what);
        fault.address = Some(address);
        fault.object = describe(self.program, self.memory, address).map(|(object, _)| object);
        fault
    }

    #[cold]
    pub fn division_trap(&self, divisor: u64, _width: u8) -> Box<Fault> {
        let message = if divisor == 0 { "division by zero" } else { "division overflow (the smallest value by -1)" };
        let mut fault = self.fault(FaultKind::Crash, message.into());
        fault.signal = Some(8);
        fault
    }

    #[cold]
    pub fn out_of_fuel(&self) -> Box<Fault> {
        self.fault(
            FaultKind::Limit,
            format!(
                "more than {} jumps and calls without a visible operation: an endless loop? (raise it with --step-limit)",
                self.limits.local_steps
            ),
        )
    }

    #[cold]
    pub fn stack_overflow(&self) -> Box<Fault> {
        self.fault(
            FaultKind::Limit,
            format!(
                "more than {} nested calls: endless recursion? (raise it with --stack-limit)",
                self.limits.stack_frames
            ),
        )
    }

    #[cold]
    pub fn alloc_failed(&self, error: AllocError, size: u64) -> Box<Fault> {
        self.fault(FaultKind::Limit, alloc_message(error, size, self.limits.memory))
    }

    #[cold]
    pub fn bad_call(&self, address: Addr) -> Box<Fault> {
        let mut fault = if address == 0 {
            self.fault(FaultKind::NullDereference, "call through a null function pointer".into())
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
    pub fn heap_object(&self, address: Addr, why: &str) -> Result<u64, Box<Fault>> {
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
                let (kind, what) = if freed {
                    (FaultKind::DoubleFree, "has been freed already")
                } else {
                    (FaultKind::InvalidFree, "is not the start of a heap object")
                };
                let mut fault = self.fault(kind, format!("a pointer is freed, or {why}, that {what}"));
                fault.message = if freed {
                    "a heap object is freed a second time".into()
                } else {
                    "a pointer is freed that is not the start of a heap object".into()
                };
                fault.address = Some(address);
                fault.object = describe(self.program, self.memory, address).map(|(object, _)| object);
                Err(fault)
            }
        }
    }

    #[cold]
    pub fn bad_access(&self, bad: BadAccess) -> Box<Fault> {
        let (kind, message, object) = explain_access(self.program, self.memory, bad);
        let mut fault = self.fault(kind, message);
        fault.address = Some(bad.address);
        fault.object = object;
        fault.signal = Some(11);
        fault
    }
}

pub fn program_position(program: &Program, stack: &[CodePos]) -> CodePos {
    let own = stack.iter().find(|position| !program.functions[position.function as usize].library);
    *own.or(stack.first()).expect("a stack has a frame")
}

/// Kind and words for an access that could not be.
pub fn explain_access(program: &Program, memory: &Memory, bad: BadAccess) -> (FaultKind, String, Option<FaultObject>) {
    let verb = if bad.write { "write" } else { "read" };
    let bytes = match bad.bytes {
        1 => "1 byte".to_string(),
        n => format!("{n} bytes"),
    };
    if bad.address < 1 << OFFSET_BITS {
        let through = if bad.address == 0 {
            "a null pointer".to_string()
        } else {
            format!("the address {:#x}, near null", bad.address)
        };
        return (FaultKind::NullDereference, format!("{verb} of {bytes} through {through}"), None);
    }
    if let Some((function, _)) = code_target(bad.address) {
        let name = program.functions.get(function as usize).map_or("?", |f| &f.name);
        let verb = if bad.write { "write into" } else { "read from" };
        return (FaultKind::OutOfBounds, format!("{verb} the code of function `{name}`"), None);
    }
    let Some((object, live)) = describe(program, memory, bad.address) else {
        return (
            FaultKind::OutOfBounds,
            format!("{verb} of {bytes} at the address {:#x}, where there is no object", bad.address),
            None,
        );
    };
    let name = object.description.clone();
    if !live {
        let what =
            if object.description.starts_with("heap") { "that has been freed" } else { "whose function has returned" };
        return (
            FaultKind::UseAfterFree,
            format!("{verb} of {bytes} in a {name} {what}").replace("a local", "local"),
            Some(object),
        );
    }
    let inside = object.offset >= 0 && object.offset as u64 + bad.bytes <= object.size;
    if inside && bad.write {
        return (FaultKind::Crash, format!("write of {bytes} into constant {name}"), Some(object));
    }
    let article = if name.contains('`') { "" } else { "a " };
    let size = object.size;
    let place = match object.offset {
        n if n < 0 => format!("{} bytes before the start of", -n),
        n if n as u64 >= size => format!("{} bytes past the end of", n as u64 - size),
        0 => "at the start of".to_string(),
        n => format!("{n} bytes into"),
    };
    let place = place.replace("0 bytes past the end", "just past the end").replace("1 bytes ", "1 byte ");
    (FaultKind::OutOfBounds, format!("{verb} of {bytes}, {place} {article}{name} of {size} bytes"), Some(object))
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
    let description = match object.kind {
        ObjectKind::Global => {
            let global = program.globals.iter().find(|global| global.address == start);
            match global {
                Some(global) if global.name.starts_with(".str") => "string literal".to_string(),
                Some(global) => format!("global `{}`", global.name),
                None => "global".to_string(),
            }
        }
        ObjectKind::ThreadLocal => {
            let name = program.thread_locals.get(object.detail as usize).map_or("?", |g| &g.name);
            format!("thread-local `{name}`")
        }
        ObjectKind::Heap => "heap object".to_string(),
        _ => {
            let site = program.allocas.get(object.detail as usize);
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
            description,
            size: object.size,
            offset: address.wrapping_sub(start) as i64,
            allocated_at: CodePos::unpack(object.allocated_at),
            freed_at: CodePos::unpack(object.freed_at).filter(|_| object.life == Life::Freed),
            owner: object.owner,
        },
        object.life == Life::Live,
    );
    Some(object)
}
