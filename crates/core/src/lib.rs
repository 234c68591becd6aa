//! The words of Threadbare as types: threads, visible operations, accesses and their modes, choices, fingerprints,
//! and the one trait that every machine implements. Nothing here knows how a program is executed or explored.

mod access;
mod access_set;
mod components;
mod cycle;
mod fault;
mod fingerprint;
pub mod graph;
mod machine;
pub mod memory_words;
mod operation;
mod random;
mod relied;
mod role;
mod schedule;
pub mod source;
mod story;
mod thread;
mod verdict;
pub mod words;

pub use access::{Access, Accesses, Mode, ObjectKind, Space};
pub use access_set::AccessSet;
pub use components::components;
pub use cycle::Cycle;
pub use fault::FaultKind;
pub use fingerprint::{Fingerprint, Hash128};
pub use machine::{
    Along, Choice, ChoiceState, Choices, Due, Ending, Machine, Mark, Outcome, Outcomes, Pending, Step, Trial,
};
pub use operation::{Operation, next_generation};
pub use random::Random;
pub use relied::{Reads, Relied, Trust};
pub use role::Role;
pub use schedule::{Chosen, Schedule, ScheduleStep};
pub use story::{
    BytesPerState, Findings, Place, Story, StoryAccess, StoryBug, StoryLasso, StoryObject, StoryStep, StoryThread,
    StoryWitness, Then,
};
pub use thread::{ThreadName, ThreadNames, Tid};
pub use verdict::Verdict;
