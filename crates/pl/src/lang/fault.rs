//! What can go wrong in an execution.

use threadbare_core::{FaultKind, Tid};

/// A position in the code: function and operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Position {
    pub function: u16,
    pub pc: u32,
}

/// A thread that cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TbWaiter {
    pub tid: Tid,
    /// In words: ``mutex `m`, held by thread 0.1``.
    pub waits_for: String,
    /// The thread without which it does not go on.
    pub waits_on: Option<Tid>,
    pub stack: Vec<Position>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TbFault {
    pub kind: FaultKind,
    pub message: String,
    pub tid: Tid,
    /// Innermost frame first.
    pub stack: Vec<Position>,
    pub waiters: Vec<TbWaiter>,
    /// Names and values of local variables there.
    pub locals: Vec<(String, String)>,
}

impl TbFault {
    /// The same error by another schedule: of the same kind, at the same places; of an invariant, whoever breaks it.
    pub fn is_like(&self, other: &TbFault) -> bool {
        if (self.kind, other.kind) == (FaultKind::Invariant, FaultKind::Invariant) {
            return self.message == other.message;
        }
        let places = |fault: &TbFault| {
            let waiters = fault.waiters.iter().map(|waiter| waiter.stack.first().copied());
            let own = fault.waiters.is_empty().then(|| fault.stack.first().copied());
            let mut places: Vec<Option<Position>> = waiters.chain(own).collect();
            places.sort_unstable();
            places
        };
        self.kind == other.kind && places(self) == places(other)
    }
}
