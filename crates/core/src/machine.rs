//! The seam between programs and strategies: a machine advances one visible operation at a time and can go back.

use smallvec::SmallVec;

use crate::{AccessSet, Accesses, Fingerprint, Operation, Tid};

/// What a visible operation leaves open besides the thread. For a signal it is the number of the woken thread, for a
/// timed operation 0 = it happened, 1 = the time ran out, for a nondeterministic value the value's rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Choice(pub u32);

/// One way in which a pending operation may happen. Enabledness belongs to the choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChoiceState {
    pub choice: Choice,
    pub enabled: bool,
}

/// The choices of a pending operation: listed one by one, or a whole range of values that are all enabled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choices {
    Listed(SmallVec<[ChoiceState; 2]>),
    /// `Choice(0) .. Choice(n)`, all enabled.
    Range(u32),
}

impl Choices {
    pub fn one(enabled: bool) -> Self {
        Choices::Listed(SmallVec::from_slice(&[ChoiceState { choice: Choice(0), enabled }]))
    }

    /// A timed operation: it happens, or its time runs out, whichever the state allows.
    pub fn timed(enabled: bool) -> Self {
        Choices::Listed(SmallVec::from_slice(&[
            ChoiceState { choice: Choice(0), enabled },
            ChoiceState { choice: Choice(1), enabled: !enabled },
        ]))
    }

    pub fn enabled(&self) -> impl Iterator<Item = Choice> + '_ {
        let (listed, range) = match self {
            Choices::Listed(list) => (list.as_slice(), 0),
            Choices::Range(n) => (&[][..], *n),
        };
        listed.iter().filter(|c| c.enabled).map(|c| c.choice).chain((0..range).map(Choice))
    }

    pub fn any_enabled(&self) -> bool {
        self.enabled().next().is_some()
    }

    pub fn is_enabled(&self, choice: Choice) -> bool {
        match self {
            Choices::Listed(list) => list.iter().any(|c| c.enabled && c.choice == choice),
            Choices::Range(n) => choice.0 < *n,
        }
    }
}

/// The visible operation at which a live thread stands, known before it is executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    pub tid: Tid,
    pub operation: Operation,
    /// What it will touch if it is executed now with its first enabled choice.
    pub accesses: Accesses,
    pub choices: Choices,
}

/// What came of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The thread stands at its next visible operation, or has ended.
    Done,
    /// The execution is over: the process ended, or an error was found. `Machine::ending` says which.
    Ended,
}

/// How an execution ended. `E` is the machine's own description of an error.
#[derive(Clone, PartialEq, Debug)]
pub enum Ending<E> {
    /// `exit`, return from main, or the last thread is gone.
    Exit(i32),
    Error(E),
}

/// A point on the current path to come back to. Marks are a stack: going back to one forgets those made after it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark(pub u32);

/// A multi-threaded program that advances one visible operation at a time.
pub trait Machine {
    type Error;
    /// A state that was taken off the path: self-contained, can be put back into any machine of the same program.
    type Saved;

    /// The live threads at their visible operations, in the order of their numbers. Empty once the execution ended.
    fn pending(&self) -> Vec<Pending>;

    /// Executes the pending operation of `who` with `choice`, then its local code up to the next visible operation.
    /// The choice must be enabled.
    fn step(&mut self, who: Tid, choice: Choice) -> Step;

    /// How the execution ended, once a step said so.
    fn ending(&self) -> Option<&Ending<Self::Error>>;

    fn mark(&mut self) -> Mark;
    fn rewind(&mut self, to: Mark);

    fn save(&self) -> Self::Saved;
    fn restore(&mut self, saved: &Self::Saved);

    /// The whole live state, where the machine can tell.
    fn fingerprint(&mut self) -> Option<Fingerprint>;
    /// One thread's control point and live local state.
    fn local_fingerprint(&mut self, who: Tid) -> Option<Fingerprint>;

    /// What a thread may still touch as long as there are others, where the machine can tell from the code.
    fn may_access(&self, _who: Tid) -> Option<AccessSet> {
        None
    }
}
