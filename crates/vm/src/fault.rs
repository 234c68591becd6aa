//! What can go wrong in an execution, with everything a report needs to explain it.

use threadbare_core::Tid;

use crate::memory::Addr;
use crate::names::SourcePos;
use crate::races::OtherAccess;

/// The kinds of errors, in the words of the JSON output; `Limit` and `Unsupported` are ends that are not bugs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    Assertion,
    Deadlock,
    Livelock,
    DataRace,
    UseAfterFree,
    OutOfBounds,
    NullDereference,
    DoubleFree,
    InvalidFree,
    Leak,
    UninitialisedRead,
    MutexMisuse,
    ThreadMisuse,
    Crash,
    /// A limit that the user can raise was reached.
    Limit,
    /// Somebody wanted the end, in the middle of a step.
    Stopped,
    /// The program uses something that the machine does not have.
    Unsupported,
}

impl FaultKind {
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Assertion => "assertion",
            FaultKind::Deadlock => "deadlock",
            FaultKind::Livelock => "livelock",
            FaultKind::DataRace => "data-race",
            FaultKind::UseAfterFree => "use-after-free",
            FaultKind::OutOfBounds => "out-of-bounds",
            FaultKind::NullDereference => "null-dereference",
            FaultKind::DoubleFree => "double-free",
            FaultKind::InvalidFree => "invalid-free",
            FaultKind::Leak => "leak",
            FaultKind::UninitialisedRead => "uninitialised-read",
            FaultKind::MutexMisuse => "mutex-misuse",
            FaultKind::ThreadMisuse => "thread-misuse",
            FaultKind::Crash => "crash",
            FaultKind::Limit => "limit",
            FaultKind::Stopped => "stopped",
            FaultKind::Unsupported => "unsupported",
        }
    }
}

/// A position in the code: function and operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CodePos {
    pub function: u32,
    pub pc: u32,
}

impl CodePos {
    /// As one word, never 0.
    pub fn pack(self) -> u64 {
        u64::from(self.function) << 32 | u64::from(self.pc) | 1 << 63
    }

    pub fn unpack(word: u64) -> Option<CodePos> {
        (word >> 63 == 1).then_some(CodePos { function: (word >> 32) as u32 & 0x7fff_ffff, pc: word as u32 })
    }
}

/// An object that a fault concerns, as it was when the fault happened.
#[derive(Clone, PartialEq, Debug)]
pub struct FaultObject {
    /// `heap object`, `` global `buf` ``, `` local variable `x` of `f` ``.
    pub description: String,
    pub size: u64,
    pub offset: i64,
    pub allocated_at: Option<CodePos>,
    /// Of a local variable.
    pub declared_at: Option<SourcePos>,
    pub freed_at: Option<CodePos>,
    /// If it is gone, how it went: `that has been freed`, `whose function has returned`.
    pub ending: &'static str,
    pub owner: Tid,
}

/// A thread that cannot go on, for reports of deadlocks.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiter {
    pub tid: Tid,
    /// What it waits for, in words: ``mutex `m`, held by thread 0.1``.
    pub waits_for: String,
    pub stack: Vec<CodePos>,
}

/// An error in an execution.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    pub message: String,
    pub tid: Tid,
    /// Innermost frame first. The first frame of the program itself (not of the library) is where the report points.
    pub stack: Vec<CodePos>,
    pub object: Option<FaultObject>,
    pub waiters: Vec<Waiter>,
    /// The earlier of two accesses that nothing orders.
    pub other: Option<OtherAccess>,
    /// The address that was accessed, where there was one.
    pub address: Option<Addr>,
    /// The signal that would have killed the process natively.
    pub signal: Option<i32>,
}
