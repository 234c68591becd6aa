//! What is said of a formula on a recorded execution, and what shows it.

use threadbare_logic::semantics::Letter;

use crate::sequence::EventId;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    PartialOrder,
    Stateless,
    Stateful,
}

impl Model {
    pub fn name(self) -> &'static str {
        match self {
            Model::PartialOrder => "partial-order",
            Model::Stateless => "stateless",
            Model::Stateful => "stateful",
        }
    }
}

/// How two events stand to each other, as a linearisation shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stand {
    /// In every linearisation the first comes first.
    Before,
    /// In this one it does.
    MayBeBefore,
    Parallel,
    RightBefore,
    NotRightBefore,
}

impl Stand {
    pub fn words(self, first: &str, second: &str) -> String {
        match self {
            Stand::Before => format!("{first} comes before {second}"),
            Stand::MayBeBefore => format!("{first} may come before {second}"),
            Stand::Parallel => format!("neither of {first} and {second} comes before the other"),
            Stand::RightBefore => format!("{first} comes right before {second}"),
            Stand::NotRightBefore => format!("{first} need not come right before {second}"),
        }
    }
}

/// What shows that a formula holds, or that it does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// A linearisation, or its beginning as far as it matters; what holds before each event and after the last one.
    Line { events: Vec<EventId>, letters: Vec<Letter> },
    /// A linearisation that shows how two events stand to each other.
    Pair { first: EventId, second: EventId, stand: Stand, events: Vec<EventId> },
    /// Events each of which comes before the next.
    Chain(Vec<EventId>),
    /// In words.
    Words(String),
}

impl Evidence {
    /// The events of a linearisation or of its beginning.
    pub fn line(&self) -> Option<&[EventId]> {
        match self {
            Evidence::Line { events, .. } | Evidence::Pair { events, .. } => Some(events),
            Evidence::Chain(_) | Evidence::Words(_) => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    pub holds: bool,
    pub model: Model,
    /// States of the lattice that were looked at; none for the graph.
    pub states: usize,
    pub evidence: Option<Evidence>,
}

/// There are more states than were allowed.
#[derive(Clone, PartialEq, Debug)]
pub struct TooMany {
    pub limit: usize,
    pub model: Model,
    /// How many were looked at.
    pub seen: usize,
    /// So many bytes of memory were used up, and that is why it ended.
    pub memory: Option<usize>,
    /// How many there are at least, as a power of ten.
    pub least: f64,
    /// There are far more than the limit, and not even that many were looked at.
    pub hopeless: bool,
}

pub enum Outcome {
    Answer(Answer),
    TooMany(TooMany),
    /// Nobody knows a value that the answer hangs on, in words.
    Hangs(String),
}
