//! What can be wrong with a program, by its name.

/// The kinds of errors, in the words of the JSON output; `Limit` and `Unsupported` are ends that are not bugs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    Assertion,
    Deadlock,
    Livelock,
    /// A function of the program that must hold in every state does not.
    Invariant,
    /// A formula of temporal logic does not hold on an infinite execution.
    Ltl,
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
            FaultKind::Invariant => "invariant",
            FaultKind::Ltl => "ltl",
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
