//! The reachability graph of a sequence, found while it is asked for (Lee, sections 3.3, 5.1 and 5.2). A state says how far each
//! process is; two executions of the same events lead to one state (theorem 1), so the states are a lattice.
//!
//! *Stateless*, an event can happen when those have happened that the partial order has before it. *Stateful*, a state has the versions
//! of all variables besides, and the Transition Algorithm says what can happen: who reads a version needs it to be there,
//! who writes one needs the one before it to be there, and nobody who has still to read that.
//!
//! A node is a state together with what is said of the event that has led there. The thesis keeps which process that was;
//! nodes in which the same propositions hold, and which go on in the same way, are one here. After the last event comes a node in which no
//! event holds any more, and it stays for ever.

use std::cell::Cell;
use std::rc::Rc;

use threadbare_core::Mode;
use threadbare_core::graph::{Arc, Graph, Marks};
use threadbare_logic::ctl::{Kripke, NodeId};
use threadbare_logic::semantics::Letter;
use threadbare_logic::{Labelled, MARKS_OF_GRAPH};

use crate::consistent::Versions;
use crate::order::Order;
use crate::proposition::{Meaning, holds};
use crate::sequence::Sequence;
use crate::table::Table;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Stateless,
    Stateful,
}

/// How much of a lattice may be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    pub states: usize,
    pub bytes: usize,
}

/// About what a search keeps of a node besides its state.
const BYTES_OF_NODE: usize = 160;

/// A state by its number, and what holds of the event that led to it.
pub type Node = (u32, Letter);

/// Behind the last event.
const OVER: u32 = u32::MAX;
/// No step of a process: everything stays as it is.
pub const STAYS: u32 = u32::MAX;

pub struct Lattice<'s> {
    sequence: &'s Sequence,
    versions: &'s Versions,
    kind: Kind,
    meanings: &'s [Meaning],
    /// What counts as true where it is not known.
    assumed: Letter,
    /// What holds of each event.
    letters: Vec<Letter>,
    /// For each event the events of other processes that must have happened: process and index.
    waits: Vec<Vec<(u32, u32)>>,
    /// For each version the last read of each process.
    last_reads: Vec<Vec<(u32, u32)>>,
    /// Counters, then versions where they matter.
    states: Table,
    /// Beyond that the search is to stop.
    budget: Budget,
    /// Who searches keeps each node, and the arcs of some.
    expanded: usize,
    /// Who searches asks here whether there are more.
    pub full: Rc<Cell<bool>>,
    row: Vec<u32>,
}

impl<'s> Lattice<'s> {
    pub fn new(
        sequence: &'s Sequence,
        versions: &'s Versions,
        order: &Order,
        kind: Kind,
        (meanings, assumed): (&'s [Meaning], Letter),
        budget: Budget,
    ) -> Lattice<'s> {
        let letter = |event: u32| {
            meanings.iter().enumerate().fold(0, |letter, (bit, meaning)| match meaning {
                Meaning::Event(pattern) if pattern.matches(sequence, event).unwrap_or(assumed >> bit & 1 == 1) => {
                    letter | 1 << bit
                }
                _ => letter,
            })
        };
        let events = 0..sequence.events.len() as u32;
        let at = |event: u32| (sequence.event(event).process, sequence.event(event).index);
        let mut lattice = Lattice {
            sequence,
            versions,
            kind,
            meanings,
            assumed,
            letters: events.clone().map(letter).collect(),
            waits: Vec::new(),
            last_reads: Vec::new(),
            states: Table::new(
                sequence.processes.len() + if kind == Kind::Stateful { sequence.variables.len() } else { 0 },
            ),
            budget,
            expanded: 0,
            full: Rc::default(),
            row: Vec::new(),
        };
        match kind {
            Kind::Stateless => {
                let others = |event: u32| order.before(event).iter().map(|&other| at(other));
                lattice.waits =
                    events.map(|event| others(event).filter(|(p, _)| *p != at(event).0).collect()).collect();
            }
            Kind::Stateful => {
                let last = |readers: &Vec<u32>| {
                    readers.chunk_by(|&a, &b| at(a).0 == at(b).0).map(|own| at(own[own.len() - 1])).collect()
                };
                lattice.last_reads = versions.readers.iter().map(last).collect();
            }
        }
        lattice.row = vec![0; lattice.states.width()];
        lattice
    }

    /// How many states there are so far.
    pub fn size(&self) -> usize {
        self.states.len()
    }

    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// How far the processes are.
    pub fn counters(&self, state: u32) -> &[u32] {
        &self.states.row(state)[..self.sequence.processes.len()]
    }

    /// Which versions there are: of a stateful lattice.
    pub fn versions_of(&self, state: u32) -> &[u32] {
        &self.states.row(state)[self.sequence.processes.len()..]
    }

    /// Whether the next event of a process can happen.
    fn is_enabled(&self, row: &[u32], process: u32) -> bool {
        let own = &self.sequence.processes[process as usize];
        let index = row[process as usize];
        if index == own.events {
            return false;
        }
        let event = own.first + index;
        match self.kind {
            Kind::Stateless => self.waits[event as usize].iter().all(|&(other, index)| row[other as usize] > index),
            Kind::Stateful => {
                let versions = &row[self.sequence.processes.len()..];
                self.sequence.event(event).accesses.iter().all(|access| {
                    let there = versions[access.variable as usize];
                    if access.mode == Mode::Read {
                        return there == access.version;
                    }
                    let readers = &self.last_reads[self.versions.place(access.variable, access.version - 1)];
                    let done =
                        |&(other, last): &(u32, u32)| row[other as usize] > last || (other, last) == (process, index);
                    there + 1 == access.version && readers.iter().all(done)
                })
            }
        }
    }

    /// The events that can happen in a state, by their processes.
    pub fn enabled(&self, state: u32) -> Vec<u32> {
        let row = self.states.row(state);
        (0..self.sequence.processes.len() as u32).filter(|&process| self.is_enabled(row, process)).collect()
    }

    pub fn first(&mut self) -> u32 {
        self.row.fill(0);
        self.states.number(&self.row)
    }

    /// The state behind the next event of a process.
    pub fn after(&mut self, state: u32, process: u32) -> u32 {
        self.row.copy_from_slice(self.states.row(state));
        let event = self.sequence.event_at(process, self.row[process as usize]);
        self.row[process as usize] += 1;
        if self.kind == Kind::Stateful {
            let versions = &mut self.row[self.sequence.processes.len()..];
            for access in self.sequence.event(event).accesses.iter().filter(|access| access.mode == Mode::Write) {
                versions[access.variable as usize] = access.version;
            }
        }
        let number = self.states.number(&self.row);
        if self.states.len() > self.budget.states || self.is_out_of_memory() {
            self.full.set(true);
        }
        number
    }

    pub fn is_out_of_memory(&self) -> bool {
        self.states.bytes() + self.expanded * BYTES_OF_NODE > self.budget.bytes
    }

    fn is_last(&self, state: u32) -> bool {
        let counters = self.counters(state);
        self.sequence.processes.iter().zip(counters).all(|(process, &count)| process.events == count)
    }

    /// The whole graph, for labelling, with the step that led to each node first. None where there are too many states.
    pub fn explicit(&mut self) -> Option<(Kripke, Vec<Node>)> {
        let mut numbers: rustc_hash::FxHashMap<Node, NodeId> = rustc_hash::FxHashMap::default();
        let start = self.initial();
        let mut nodes = vec![start];
        numbers.insert(start, 0);
        let mut kripke = Kripke { initial: vec![0], starts: vec![0], ..Kripke::default() };
        let mut at = 0;
        while at < nodes.len() {
            let node = nodes[at];
            at += 1;
            kripke.letters.push(self.letter(node));
            for arc in self.successors(node) {
                let number = *numbers.entry(arc.to).or_insert_with(|| {
                    nodes.push(arc.to);
                    nodes.len() as NodeId - 1
                });
                kripke.targets.push(number);
            }
            kripke.starts.push(kripke.targets.len() as u32);
            if self.full.get() {
                return None;
            }
        }
        Some((kripke, nodes))
    }

    /// Which process takes a node to another; `STAYS` at the end.
    pub fn step_between(&self, from: Node, to: Node) -> u32 {
        if to.0 == OVER {
            return STAYS;
        }
        let (before, after) = (self.counters(from.0), self.counters(to.0));
        before.iter().zip(after).position(|(a, b)| a != b).map_or(STAYS, |process| process as u32)
    }
}

/// No edge of this graph is special.
const UNMARKED: Marks = (1 << MARKS_OF_GRAPH) - 1;

impl Graph for Lattice<'_> {
    type Node = Node;
    type Step = u32;

    fn initial(&mut self) -> Node {
        (self.first(), 0)
    }

    fn add_successors(&mut self, (state, _): Node, arcs: &mut Vec<Arc<u32, Node>>) {
        self.expanded += 1;
        if state == OVER || self.is_last(state) {
            arcs.push(Arc { step: STAYS, to: (OVER, 0), marks: UNMARKED });
            return;
        }
        for process in 0..self.sequence.processes.len() as u32 {
            if self.is_enabled(self.states.row(state), process) {
                let event = self.sequence.event_at(process, self.counters(state)[process as usize]);
                let to = (self.after(state, process), self.letters[event as usize]);
                arcs.push(Arc { step: process, to, marks: UNMARKED });
            }
            if self.full.get() {
                return;
            }
        }
    }
}

impl Labelled for Lattice<'_> {
    fn letter(&mut self, (state, event): Node) -> Letter {
        let over = state == OVER;
        if self.meanings.iter().all(|meaning| matches!(meaning, Meaning::Event(_))) {
            return event;
        }
        // The values at the end are those of the last state, which is there once it is over.
        let last: Vec<u32>;
        let row = match over {
            false => self.states.row(state),
            true => {
                let counts = self.sequence.processes.iter().map(|process| process.events);
                let newest = (0..self.sequence.variables.len() as u32).map(|v| self.versions.count(v) - 1);
                last = counts.chain(newest).collect();
                &last[..]
            }
        };
        let (counters, versions) = row.split_at(self.sequence.processes.len());
        self.meanings.iter().enumerate().fold(event, |letter, (bit, meaning)| {
            // Without values nobody asks for them: `verify` sees to that.
            if self.kind == Kind::Stateless && meaning.is_stateful() {
                return letter;
            }
            let is = holds(meaning, self.sequence, counters, versions, over).unwrap_or(self.assumed >> bit & 1 == 1);
            letter | Letter::from(is) << bit
        })
    }
}
