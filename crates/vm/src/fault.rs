//! What can go wrong in an execution, with everything a report needs to explain it.

pub use threadbare_core::FaultKind;
use threadbare_core::Tid;
use threadbare_core::memory_words::Pointee;

use crate::memory::{Addr, ObjectKind};
use crate::names::SourcePos;
use crate::races::OtherAccess;

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
    pub kind: ObjectKind,
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

impl FaultObject {
    pub fn pointee(&self, live: bool) -> Pointee {
        let FaultObject { description, size, offset, ending, .. } = self;
        Pointee { description: description.clone(), size: *size, offset: *offset, live, ending }
    }
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
