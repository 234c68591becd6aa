//! The partial-order graph itself as a model (Lee, section 5.3): a state is an event, and what follows it is what comes directly
//! behind it in the order. A path is a chain of events, each before the next, that cannot be made longer; its last event
//! stays for ever. What comes before everything is where chains begin.
//!
//! What differs: edges that others imply are not there, those between neighbours of one process among them.

use threadbare_core::graph::{Arc, Graph, Marks};
use threadbare_logic::ctl::Kripke;
use threadbare_logic::semantics::Letter;
use threadbare_logic::{Labelled, MARKS_OF_GRAPH};

use crate::order::Order;
use crate::proposition::{Meaning, letter_of_event};
use crate::sequence::{EventId, Sequence};

pub struct Chains {
    behind: Vec<Vec<EventId>>,
    letters: Vec<Letter>,
    pub firsts: Vec<EventId>,
    /// Where the search begins.
    pub start: EventId,
}

impl Chains {
    /// `assumed` is what counts as true where it is not known.
    pub fn new(sequence: &Sequence, order: &Order, meanings: &[Meaning], assumed: Letter) -> Chains {
        let events = 0..sequence.events.len() as EventId;
        let mut behind = order.behind();
        for (event, list) in (0..).zip(&mut behind).filter(|(_, list)| list.is_empty()) {
            list.push(event);
        }
        let letter = |event: EventId| letter_of_event(meanings, assumed, sequence, event);
        let firsts: Vec<EventId> = events.clone().filter(|&event| order.before(event).is_empty()).collect();
        Chains { behind, letters: events.map(letter).collect(), start: firsts.first().copied().unwrap_or(0), firsts }
    }

    pub fn explicit(&self) -> Kripke {
        let mut kripke = Kripke {
            initial: self.firsts.clone(),
            letters: self.letters.clone(),
            starts: vec![0],
            targets: Vec::new(),
        };
        for list in &self.behind {
            kripke.targets.extend(list);
            kripke.starts.push(kripke.targets.len() as u32);
        }
        kripke
    }
}

const UNMARKED: Marks = (1 << MARKS_OF_GRAPH) - 1;

impl Graph for Chains {
    type Node = EventId;
    type Step = EventId;

    fn initial(&mut self) -> EventId {
        self.start
    }

    fn place(&self, event: EventId) -> Option<usize> {
        Some(event as usize)
    }

    fn add_successors(&mut self, event: EventId, arcs: &mut Vec<Arc<EventId, EventId>>) {
        arcs.extend(self.behind[event as usize].iter().map(|&to| Arc { step: to, to, marks: UNMARKED }));
    }
}

impl Labelled for Chains {
    fn letter(&mut self, event: EventId) -> Letter {
        self.letters[event as usize]
    }
}
