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
    pub verb: String,
    pub pc: u64,
}

/// Where an object was made, and where it ended: addresses in the code.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Life {
    pub made: Option<u64>,
    pub ended: Option<u64>,
    /// File and line.
    pub declared: Option<(String, u32)>,
    /// A variable of a function.
    pub local: bool,
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
    /// Of a race: where the two meet, or the object that ends.
    pub address: Option<u64>,
}
