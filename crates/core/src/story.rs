//! What is told of a search, as plain data: machines and strategies fill it in, reports only read it.

use crate::{Chosen, Mode, Operation, Schedule, Space, ThreadName, Verdict};

/// A place in the source, as people name it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryThread {
    pub name: ThreadName,
    /// The function that it started in.
    pub start: String,
}

/// An object that a step touches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryObject {
    /// As the source calls it: `queue.head`.
    pub name: String,
    pub space: Space,
    pub mode: Mode,
    /// Its value in words, where it has one: `3`, `held by thread 0.1`.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// An access of the local code behind a step, to memory that is not the thread's own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryAccess {
    pub place: Place,
    pub object: StoryObject,
}

/// How a thread stands after its step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Then {
    GoesOn,
    /// It cannot go on as things stand: what for, in words.
    Waits(String),
    /// It goes round a loop that changes nothing.
    Spins,
    Ended,
    /// A failed `assume`.
    Cut,
    /// Its error ends the story.
    Failed,
}

/// One executed visible operation, and the local code behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryStep {
    /// Which thread, an index into `Story::threads`.
    pub thread: usize,
    pub operation: Operation,
    pub chosen: Chosen,
    /// How many choices could have been taken.
    pub choices: u32,
    /// Where the operation stands, the program's own innermost frame first.
    pub stack: Vec<Place>,
    pub objects: Vec<StoryObject>,
    /// Plain accesses of the local code behind it, in their order, as far as they are known.
    pub plain: Vec<StoryAccess>,
    /// Threads that it created or woke, indices into `Story::threads`.
    pub affects: Vec<usize>,
    pub then: Then,
    /// Another thread was running, and could have gone on.
    pub preempts: bool,
    /// What the program printed.
    pub output: String,
    /// Steps that happen before it: how many of each thread, itself included.
    pub clock: Vec<u32>,
}

/// One side of a data race, or a thread that waits for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryWitness {
    pub thread: usize,
    /// "writes `count`", "waits for mutex `a`, held by thread 0.1".
    pub what: String,
    pub stack: Vec<Place>,
    /// The step of the story it belongs to.
    pub step: Option<usize>,
    /// Whom it waits for.
    pub waits_for: Option<usize>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryBug {
    /// In the words of the JSON output: `deadlock`.
    pub kind: String,
    pub message: String,
    pub thread: Option<usize>,
    /// Where it shows, the program's own innermost frame first.
    pub stack: Vec<Place>,
    /// The accesses of a race (the earlier one first), the threads of a deadlock.
    pub witnesses: Vec<StoryWitness>,
    /// "the heap object of 16 bytes was allocated at queue.c:12 in `push`".
    pub notes: Vec<String>,
    /// Names and values of local variables there.
    pub locals: Vec<(String, String)>,
}

/// An execution that went wrong, or that somebody wants to see.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Story {
    pub threads: Vec<StoryThread>,
    pub steps: Vec<StoryStep>,
    pub bug: Option<StoryBug>,
    pub schedule: Schedule,
    /// How many schedules showed the same.
    pub occurrences: u64,
    /// It goes on for ever.
    pub lasso: Option<StoryLasso>,
}

/// An infinite execution that breaks a formula: the steps of the story up to the cycle, then those of the cycle for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryLasso {
    /// As people read it, with its name if it has one.
    pub formula: String,
    /// Which of those that were asked for.
    pub number: usize,
    /// The first step of the cycle. Behind the last one: nobody can move any more, and everything stays as it is.
    pub cycle: usize,
    pub propositions: Vec<String>,
    /// For each proposition of the formula whether it holds: before each step, and after the last one.
    pub held: Vec<Vec<bool>>,
}

impl StoryLasso {
    /// The propositions that a step has changed, with what they are after it.
    pub fn changes(&self, step: usize) -> impl Iterator<Item = (&str, bool)> {
        let pairs = self.held[step].iter().zip(&self.held[step + 1]);
        let changed = pairs.enumerate().filter(|(_, (before, after))| before != after);
        changed.map(|(number, (_, &after))| (self.propositions[number].as_str(), after))
    }
}

impl Story {
    /// How many threads there are; a model need not have a main one.
    pub fn thread_count(&self) -> usize {
        let is_there = |thread: &&StoryThread| thread.name != ThreadName::main() || !thread.start.is_empty();
        self.threads.iter().filter(is_there).count()
    }

    pub fn preemptions(&self) -> usize {
        self.steps.iter().filter(|step| step.preempts).count()
    }
}

/// What is kept of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BytesPerState {
    /// To know it again.
    pub table: u64,
    pub all: u64,
}

/// All that is known when a search is over.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    pub verdict: Verdict,
    /// The translation units, as they were given.
    pub files: Vec<String>,
    /// What was looked for, in the words of the JSON output: `deadlock`. A proof claims these and nothing else.
    pub properties: Vec<String>,
    pub strategy: String,
    /// Why this one, where it was a choice between several.
    pub chosen: Option<String>,
    /// How many threads there were at most.
    pub threads: usize,
    /// How many workers explored.
    pub jobs: usize,
    pub executions: u64,
    pub blocked: u64,
    pub cut: u64,
    pub states: Option<u64>,
    pub bytes_per_state: Option<BytesPerState>,
    pub transitions: u64,
    pub seconds: f64,
    pub cpu_seconds: f64,
    pub peak_rss_bytes: u64,
    /// What the verdict rests on: "sequential consistency", "input: none".
    pub assumptions: Vec<String>,
    /// What the verdict would be but for the bugs. None where there are none, or as many as the search was to find.
    pub otherwise: Option<Verdict>,
    /// What the verdict is about besides the program and all its schedules: "its standard input taken as empty".
    pub provided: Option<String>,
    /// How much of the search was done when it stopped, at most, from 0 to 1: where it stopped early.
    pub explored: Option<f64>,
    /// What to try next where there is no proof: "raise --depth-bound (now 10000)".
    pub advice: Vec<String>,
    pub stories: Vec<Story>,
}
