//! What can go wrong in an execution.

use threadbare_core::memory_words::Pointee;
use threadbare_core::{FaultKind, Tid};

/// A thread that cannot go on.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiter {
    pub tid: Tid,
    pub waits_for: String,
    pub waits_on: Option<Tid>,
    pub stack: Vec<u64>,
}

/// One of two accesses that nothing orders.
#[derive(Clone, PartialEq, Debug)]
pub struct Side {
    pub tid: Tid,
    pub verb: &'static str,
    pub pc: u64,
}

/// Where an object was made, and where it ended: addresses in the code, and a line of the source or 0.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Life {
    pub made: Option<u64>,
    pub ended: Option<u64>,
    pub declared: u32,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    pub message: String,
    pub tid: Tid,
    /// Addresses in the program's own code, innermost first.
    pub stack: Vec<u64>,
    pub waiters: Vec<Waiter>,
    /// Of a race: the earlier access, then the later one, and what they touch.
    pub sides: Vec<Side>,
    pub object: String,
    /// Of an error of memory.
    pub subject: Option<(Pointee, Life)>,
}
