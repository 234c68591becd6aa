//! What can go wrong in an execution.

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
}
