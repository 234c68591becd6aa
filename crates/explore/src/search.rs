//! What a search tells while it goes on.

use threadbare_core::{Choice, Machine, Tid};

use crate::path::Path;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    Continue,
    Stop,
}

/// How an explored path ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// Every thread has ended.
    Complete,
    /// This step ends the process; it is not on the path.
    Exit(Tid, Choice),
    /// The machine says what went wrong.
    Error,
    /// Nobody can go on.
    Stuck(Stuck),
    /// A failed `assume` stopped a thread.
    Cut,
    /// Not an end: what could still be done is done in another execution.
    Redundant,
    /// The bound on the length of executions.
    Bound,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// Threads that go round a loop for ever.
    pub spinning: Vec<Tid>,
    /// How many wait in a blocking operation.
    pub waiting: usize,
}

/// Threads that stay blocked while others go on for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftBehind {
    pub who: Vec<Tid>,
}

/// Is told of every end; the machine stands there.
pub trait Search<M: Machine> {
    fn end(&mut self, machine: &mut M, path: &Path, end: End) -> Flow;

    /// So many paths have turned out redundant. Whether `end` is to be told, though it takes a while to make the path: there is
    /// something to look at nevertheless.
    fn redundant(&mut self, _machine: &mut M, _times: u64) -> bool {
        true
    }

    /// How much is done, from 0 to 1, as far as the branches of the search are known. Told now and then.
    fn progress(&mut self, _done: f64) {}

    /// How many states there are so far, of a search that stores them. Told now and then.
    fn stored(&mut self, _states: u64) {}

    /// The search has met everything. The machine stands, behind the path, where these threads are blocked and will never go on
    /// again, though others go on for ever.
    fn left_behind(&mut self, _machine: &mut M, _path: &Path, _left: &LeftBehind) {}

    /// The search has met everything. Somebody looks at the clock for ever: time stands still in a search but for some jumps, and more of
    /// it might lead elsewhere.
    fn waits_for_time(&mut self) {}

    /// Whether memory has run out, for a search that can do with less. Asked now and then.
    fn is_short_of_memory(&mut self) -> bool {
        false
    }

    /// After that: whether there is just enough left for what does not grow.
    fn has_little_memory(&mut self) -> bool {
        false
    }

    /// How many bytes there are for a table, after that.
    fn room(&mut self) -> u64 {
        1 << 20
    }

    /// Called now and then.
    fn tick(&mut self) -> Flow {
        Flow::Continue
    }
}

/// Bytes that a search keeps of the states that it has met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// To know them again.
    pub table_bytes: u64,
    /// How to come to them, and what comes after them.
    pub graph_bytes: u64,
}

/// Of a search that may take states for each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Coverage {
    /// So much of all states was met, as far as one can tell.
    Part(f64),
    /// There was no memory for paths that are longer than that.
    Paths(usize),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    pub executions: u64,
    pub blocked: u64,
    pub cut: u64,
    pub transitions: u64,
    /// Executions that reached the bound on their length.
    pub beyond_bound: u64,
    /// How often a preemption was one too many.
    pub beyond_context: u64,
    /// How many states there are, where they are told apart.
    pub states: Option<u64>,
    /// What is kept of them.
    pub stored: Option<Stored>,
    /// What of them was met, where states may be taken for each other: a proof is none then.
    pub coverage: Option<Coverage>,
    /// The search has looked for threads that stay blocked while others go on for ever.
    pub looked_for_left_behind: bool,
    /// What was explored, and what that is good for, where it is not everything by design.
    pub sampled: Option<String>,
    /// The longest path.
    pub depth: usize,
    /// Nothing was left to explore.
    pub complete: bool,
}

impl Totals {
    /// What another worker of the same search did.
    pub fn add(&mut self, other: &Totals) {
        self.executions += other.executions;
        self.blocked += other.blocked;
        self.cut += other.cut;
        self.transitions += other.transitions;
        self.beyond_bound += other.beyond_bound;
        self.beyond_context += other.beyond_context;
        self.depth = self.depth.max(other.depth);
        self.complete &= other.complete;
    }
}
