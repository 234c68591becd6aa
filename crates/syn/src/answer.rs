//! What is said of a formula on a recorded execution, and what shows it.

use threadbare_logic::Relation;
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

/// What shows that a formula holds, or that it does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// A linearisation, or its beginning as far as it matters; what holds before each event and after the last one.
    Line { events: Vec<EventId>, letters: Vec<Letter> },
    /// A linearisation in which one event comes before another, right before it where that can be.
    Pair { first: EventId, second: EventId, relation: Relation, events: Vec<EventId> },
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
    /// They took up too much memory.
    pub memory: bool,
    /// How many there are at least, as a power of ten.
    pub least: f64,
}

pub enum Outcome {
    Answer(Answer),
    TooMany(TooMany),
}
