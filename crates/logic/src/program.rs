//! The states of a machine as a graph, found while they are asked for.
//!
//! Executions that come to an end stay there for ever. Weak fairness of threads is a matter of marks: an edge has that of a
//! thread if the thread moves along it, or could not move before it. So a path that has each mark infinitely often leaves no
//! thread behind that could always go on. Threads that do not exist cannot move.
//!
//! A failed `assume` ends an execution that nobody asked for: it has no continuation here, and so no infinite path.
//!
//! No step is left out: this is the plain search that others are compared with.

use rustc_hash::FxHashMap;
use threadbare_core::graph::{Arc, Graph, Marks};
use threadbare_core::{Choice, Fingerprint, Machine, Mark, Tid};

use crate::product::{Labelled, MARKS_OF_GRAPH};
use crate::semantics::Letter;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fairness {
    None,
    /// A thread that can always move moves.
    Weak,
}

/// What leads from a state to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    Step(Tid, Choice),
    /// Nobody can move any more.
    Stays,
}

type StateNumber = u32;

struct State {
    letter: Letter,
    /// The first way that led there.
    from: Option<(StateNumber, Tid, Choice)>,
    /// How many steps that way has.
    depth: u32,
    arcs: Option<Vec<Arc<Taken, StateNumber>>>,
}

/// The states of a program. `letter` says what holds in the state in which the machine is; it leaves it as it is.
pub struct Programs<'m, M: Machine, L> {
    machine: &'m mut M,
    letter: L,
    fairness: Fairness,
    states: Vec<State>,
    numbers: FxHashMap<Fingerprint, StateNumber>,
    /// The way that the machine has come, with a mark at each state.
    path: Vec<(StateNumber, Mark)>,
    too_many_threads: bool,
}

impl<'m, M: Machine, L: FnMut(&mut M) -> Letter> Programs<'m, M, L> {
    /// From the state in which the machine is.
    pub fn new(machine: &'m mut M, fairness: Fairness, letter: L) -> Self {
        let mark = machine.mark();
        let mut programs = Programs {
            machine,
            letter,
            fairness,
            states: Vec::new(),
            numbers: FxHashMap::default(),
            path: vec![(0, mark)],
            too_many_threads: false,
        };
        programs.number(None);
        programs
    }

    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// There were more threads than have marks of their own: nobody can say what is fair, and no answer counts.
    pub fn has_too_many_threads(&self) -> bool {
        self.too_many_threads && self.fairness == Fairness::Weak
    }

    /// The number of the state in which the machine is.
    fn number(&mut self, from: Option<(StateNumber, Tid, Choice)>) -> StateNumber {
        let fingerprint = self.machine.fingerprint().expect("a machine with exact states");
        if let Some(&known) = self.numbers.get(&fingerprint) {
            return known;
        }
        let number = self.states.len() as StateNumber;
        let letter = (self.letter)(self.machine);
        let depth = from.map_or(0, |(before, ..)| self.states[before as usize].depth + 1);
        self.states.push(State { letter, from, depth, arcs: None });
        self.numbers.insert(fingerprint, number);
        number
    }

    /// Takes the machine to a state, along the way that first led there.
    fn go_to(&mut self, state: StateNumber) {
        let mut way = Vec::new();
        let mut at = state;
        let depth_of = |state: StateNumber| self.states[state as usize].depth as usize;
        // From where the two ways part.
        while self.path.get(depth_of(at)).is_none_or(|(there, _)| *there != at) {
            let (before, tid, choice) = self.states[at as usize].from.expect("all ways have the first state");
            way.push((at, tid, choice));
            at = before;
        }
        self.path.truncate(depth_of(at) + 1);
        let (_, mark) = *self.path.last().expect("the first state at least");
        self.machine.rewind(mark);
        for &(to, tid, choice) in way.iter().rev() {
            self.machine.step(tid, choice);
            let mark = self.machine.mark();
            self.path.push((to, mark));
        }
    }

    fn find_arcs(&mut self, state: StateNumber) -> Vec<Arc<Taken, StateNumber>> {
        self.go_to(state);
        if self.machine.is_cut() {
            return Vec::new();
        }
        self.too_many_threads |= self.machine.thread_count() > MARKS_OF_GRAPH as usize;
        let mut steps: Vec<(Tid, Choice)> = Vec::new();
        for tid in (0..self.machine.thread_count()).map(|i| Tid(i as u16)) {
            if self.machine.is_live(tid) {
                steps.extend(self.machine.pending(tid).choices.enabled().map(|choice| (tid, choice)));
            }
        }
        if steps.is_empty() {
            return vec![Arc { step: Taken::Stays, to: state, marks: u64::MAX.into() }];
        }
        let waits = match self.fairness {
            Fairness::None => u64::MAX,
            Fairness::Weak => steps.iter().fold(u64::MAX, |waits, (tid, _)| waits & !bit(*tid)),
        };
        let (_, mark) = *self.path.last().expect("the machine is somewhere");
        let mut arcs = Vec::new();
        for (tid, choice) in steps {
            self.machine.step(tid, choice);
            let along = self.machine.along().iter().fold(0, |moved, along| moved | bit(along.who()));
            let to = self.number(Some((state, tid, choice)));
            self.machine.rewind(mark);
            arcs.push(Arc { step: Taken::Step(tid, choice), to, marks: Marks::from(waits | bit(tid) | along) });
        }
        arcs
    }
}

/// The mark of a thread, if it has one.
fn bit(tid: Tid) -> u64 {
    1u64.checked_shl(u32::from(tid.0)).unwrap_or(0)
}

impl<M: Machine, L: FnMut(&mut M) -> Letter> Graph for Programs<'_, M, L> {
    type Node = StateNumber;
    type Step = Taken;

    fn initial(&mut self) -> StateNumber {
        0
    }

    fn successors(&mut self, state: StateNumber) -> Vec<Arc<Taken, StateNumber>> {
        if let Some(arcs) = &self.states[state as usize].arcs {
            return arcs.clone();
        }
        let arcs = self.find_arcs(state);
        self.states[state as usize].arcs = Some(arcs.clone());
        arcs
    }
}

impl<M: Machine, L: FnMut(&mut M) -> Letter> Labelled for Programs<'_, M, L> {
    fn letter(&mut self, state: StateNumber) -> Letter {
        self.states[state as usize].letter
    }
}
