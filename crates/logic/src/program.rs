//! The states of a machine as a graph, found while they are asked for.
//!
//! Executions that come to an end stay there for ever. Weak fairness of threads is a matter of marks: an edge has that of a
//! thread if the thread moves along it, or could not move before it. So a path that has each mark infinitely often leaves no
//! thread behind that could always go on. Threads that do not exist cannot move.
//!
//! A failed `assume` ends an execution that nobody asked for: what others do after it may show errors, so it is gone
//! through, but its edges have no marks, and no infinite path there counts.
//!
//! No step is left out, unless somebody says what can be seen of a machine (`ample`).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use threadbare_core::graph::{Arc, Graph, Marks};
use threadbare_core::{Choice, Fingerprint, Machine, Mark, Tid};

use crate::ample::Eyes;
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

/// A fingerprint is a hash already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 ^= u64::from_le_bytes(word);
        }
    }

    fn write_u128(&mut self, number: u128) {
        self.0 ^= number as u64;
    }
}

/// What is to become of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// This holds there.
    Holds(Letter),
    /// It is gone through, but nobody asks for the infinite paths there.
    Unasked,
    /// Nothing leads on from there.
    Dead,
    /// The same, and the search ends here.
    Halt(Letter),
}

type StateNumber = u32;

struct State {
    seen: Seen,
    /// A way that leads there: the first, until it is gone through.
    from: Option<(StateNumber, Tid, Choice)>,
    /// How many steps that way has.
    depth: u32,
    edges: Option<Edges>,
}

/// What leads on from a state: nothing where it stays for ever.
struct Edges {
    /// Those who cannot move there, or need not, as marks.
    waits: u64,
    steps: Box<[Edge]>,
    cut: bool,
}

#[derive(Clone, Copy)]
struct Edge {
    to: StateNumber,
    choice: Choice,
    tid: Tid,
    /// Who moves, that thread and those along with it, as marks.
    moved: u64,
}

/// The states of a program. `look` says what holds in the state in which the machine is, and leaves it as it is.
pub struct Programs<'m, M: Machine, L> {
    machine: &'m mut M,
    look: L,
    fairness: Fairness,
    states: Vec<State>,
    numbers: HashMap<Fingerprint, StateNumber, BuildHasherDefault<AsItIs>>,
    /// The way that the machine has come, with a mark at each state.
    path: Vec<(StateNumber, Mark)>,
    /// The mark of each thread, once it was seen.
    marks: Vec<Option<u8>>,
    too_many_threads: bool,
    transitions: u64,
    halted: Option<StateNumber>,
    eyes: Option<Eyes<M>>,
    /// Of how many states one thread was explored alone.
    reduced: u64,
}

impl<'m, M: Machine, L: FnMut(&mut M) -> Seen> Programs<'m, M, L> {
    /// From the state in which the machine is.
    pub fn new(machine: &'m mut M, fairness: Fairness, look: L) -> Self {
        let mark = machine.mark();
        let mut programs = Programs {
            machine,
            look,
            fairness,
            states: Vec::new(),
            numbers: HashMap::default(),
            path: vec![(0, mark)],
            marks: Vec::new(),
            too_many_threads: false,
            transitions: 0,
            halted: None,
            eyes: None,
            reduced: 0,
        };
        programs.number(None);
        programs
    }

    /// The same, but steps whose order cannot be told are taken in one order only. For formulas without `X`.
    pub fn reduced(self, eyes: Option<Eyes<M>>) -> Self {
        Programs { eyes, ..self }
    }

    /// Of how many states one thread was explored alone.
    pub fn reduced_count(&self) -> u64 {
        self.reduced
    }

    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// How many steps were taken to find them, each counted once.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// The state in which the search ended: what was not found until then is not known.
    pub fn halted(&self) -> Option<u32> {
        self.halted
    }

    /// Threads with the same mark live at the same time: nobody can say what is fair, and the search ends.
    pub fn has_too_many_threads(&self) -> bool {
        self.too_many_threads
    }

    /// The steps of a way to a state.
    pub fn way_to(&self, mut state: u32) -> Vec<(Tid, Choice)> {
        let mut way = Vec::new();
        while let Some((before, tid, choice)) = self.states[state as usize].from {
            way.push((tid, choice));
            state = before;
        }
        way.reverse();
        way
    }

    /// The machine in a state that was found.
    pub fn machine_at(&mut self, state: u32) -> &mut M {
        self.go_to(state);
        self.machine
    }

    /// What holds in a state.
    pub fn letter_of(&self, state: u32) -> Letter {
        match self.states[state as usize].seen {
            Seen::Holds(letter) | Seen::Halt(letter) => letter,
            Seen::Unasked | Seen::Dead => 0,
        }
    }

    /// The states on that way.
    pub fn states_to(&self, state: u32) -> Vec<u32> {
        let mut way = vec![state];
        while let Some((before, ..)) = self.states[way[way.len() - 1] as usize].from {
            way.push(before);
        }
        way.reverse();
        way
    }

    /// Goes through all states that a search for runs has left out. `stop` is asked now and then whether to give up.
    pub fn find_all(&mut self, mut stop: impl FnMut() -> bool) -> bool {
        let mut open: Vec<StateNumber> = (0..self.states.len() as StateNumber).collect();
        while let Some(state) = open.pop() {
            if self.states[state as usize].edges.is_some() {
                continue;
            }
            if stop() || self.halted.is_some() {
                return false;
            }
            let known = self.states.len();
            self.find_edges(state);
            open.extend(known as StateNumber..self.states.len() as StateNumber);
        }
        self.halted.is_none()
    }

    /// The number of the state in which the machine is.
    fn number(&mut self, from: Option<(StateNumber, Tid, Choice)>) -> StateNumber {
        let fingerprint = identity(self.machine).expect("a machine with exact states");
        if let Some(&known) = self.numbers.get(&fingerprint) {
            return known;
        }
        let number = self.states.len() as StateNumber;
        let seen = (self.look)(self.machine);
        if matches!(seen, Seen::Halt(_)) {
            self.halted.get_or_insert(number);
        }
        let depth = from.map_or(0, |(before, ..)| self.states[before as usize].depth + 1);
        self.states.push(State { seen, from, depth, edges: None });
        self.numbers.insert(fingerprint, number);
        number
    }

    /// A state that is gone through for the first time can be reached in other ways: one from the end of the machine's own
    /// way is best, since a depth-first search is mostly there.
    fn take_nearest_way(&mut self, state: StateNumber) {
        for &(before, _) in self.path.iter().rev().take(NEAR) {
            let steps = self.states[before as usize].edges.as_ref().map_or(&[][..], |edges| &edges.steps);
            if let Some(&Edge { tid, choice, .. }) = steps.iter().find(|edge| edge.to == state) {
                let depth = self.states[before as usize].depth + 1;
                let State { from, depth: old, .. } = &mut self.states[state as usize];
                (*from, *old) = (Some((before, tid, choice)), depth);
                return;
            }
        }
    }

    /// Takes the machine to a state, along its way.
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

    fn find_edges(&mut self, state: StateNumber) {
        if state > 0 {
            self.take_nearest_way(state);
        }
        self.go_to(state);
        if self.fairness == Fairness::Weak {
            self.give_marks(state);
        }
        let mut steps: Vec<(Tid, Choice)> = Vec::new();
        let seen = self.states[state as usize].seen;
        for tid in (0..self.machine.thread_count()).map(|i| Tid(i as u16)) {
            if seen != Seen::Dead && self.machine.is_live(tid) {
                steps.extend(self.machine.pending(tid).choices.enabled().map(|choice| (tid, choice)));
            }
        }
        let waits = match self.fairness {
            Fairness::None => u64::MAX,
            Fairness::Weak => steps.iter().fold(u64::MAX, |waits, (tid, _)| waits & !self.mark_of(*tid)),
        };
        let cut = self.machine.is_cut() || !matches!(seen, Seen::Holds(_));
        let (_, mark) = *self.path.last().expect("the machine is somewhere");
        if let Some(tid) = self.eyes.filter(|_| !cut).and_then(|eyes| self.explored_alone(eyes, &steps, mark)) {
            self.reduced += 1;
            steps.retain(|(mover, _)| *mover == tid);
        }
        let mut edges = Vec::with_capacity(steps.len());
        for (tid, choice) in steps {
            self.machine.step(tid, choice);
            self.transitions += 1;
            let along = self.machine.along().iter().map(|along| along.who());
            let moved = along.fold(self.mark_of(tid), |moved, who| moved | self.mark_of(who));
            let to = self.number(Some((state, tid, choice)));
            self.machine.rewind(mark);
            edges.push(Edge { to, choice, tid, moved });
        }
        self.states[state as usize].edges = Some(Edges { waits, steps: edges.into(), cut });
    }
}

impl<M: Machine, L: FnMut(&mut M) -> Seen> Programs<'_, M, L> {
    /// Whoever lives where the machine is needs a mark that nobody else has who lives there. Threads that never live at the same time may
    /// share one: along a cycle the same threads live all the time, since no thread comes back that has ended.
    fn give_marks(&mut self, state: StateNumber) {
        let threads = self.machine.thread_count();
        self.marks.resize(threads.max(self.marks.len()), None);
        let live = |i: &usize| self.machine.is_live(Tid(*i as u16));
        let (known, new): (Vec<usize>, Vec<usize>) = (0..threads).filter(live).partition(|&i| self.marks[i].is_some());
        let (mut taken, mut enough) = (0u64, true);
        for i in known {
            let mark = self.mark_of(Tid(i as u16));
            enough &= taken & mark == 0;
            taken |= mark;
        }
        for i in new {
            // Round by round: those that come one after the other may still be seen together.
            let mut round = (0..MARKS_OF_GRAPH).map(|next| (i as u32 + next) % MARKS_OF_GRAPH);
            let free = round.find(|mark| taken >> mark & 1 == 0);
            enough &= free.is_some();
            self.marks[i] = free.map(|mark| mark as u8);
            taken |= self.mark_of(Tid(i as u16));
        }
        if !enough {
            (self.too_many_threads, self.halted) = (true, self.halted.or(Some(state)));
        }
    }

    fn mark_of(&self, tid: Tid) -> u64 {
        self.marks.get(tid.0 as usize).copied().flatten().map_or(0, |mark| 1 << mark)
    }

    /// A thread whose steps are all that needs to be explored where the machine is.
    fn explored_alone(&mut self, eyes: Eyes<M>, steps: &[(Tid, Choice)], mark: Mark) -> Option<Tid> {
        let candidates = eyes.alone(self.machine, steps);
        candidates.into_iter().find(|&tid| {
            steps.iter().filter(|(mover, _)| *mover == tid).all(|&(_, choice)| {
                self.machine.step(tid, choice);
                let unseen = eyes.lost_sight(self.machine, tid);
                let state = identity(self.machine).expect("a machine with exact states");
                self.machine.rewind(mark);
                unseen && !self.numbers.contains_key(&state)
            })
        })
    }
}

/// How far back on the machine's way another way to a state is looked for.
const NEAR: usize = 64;

/// What tells states apart. Who ends the process stays where he was, but afterwards nobody can move.
pub fn identity<M: Machine>(machine: &mut M) -> Option<Fingerprint> {
    const OVER: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834;
    let Fingerprint(state) = machine.fingerprint()?;
    Some(Fingerprint(if machine.ending().is_some() { state ^ OVER } else { state }))
}

impl<M: Machine, L: FnMut(&mut M) -> Seen> Graph for Programs<'_, M, L> {
    type Node = StateNumber;
    type Step = Taken;

    fn initial(&mut self) -> StateNumber {
        0
    }

    fn place(&self, state: StateNumber) -> Option<usize> {
        Some(state as usize)
    }

    fn add_successors(&mut self, state: StateNumber, arcs: &mut Vec<Arc<Taken, StateNumber>>) {
        if self.states[state as usize].edges.is_none() {
            // What was found until then stays.
            if self.halted.is_some() {
                return;
            }
            self.find_edges(state);
        }
        let edges = self.states[state as usize].edges.as_ref().expect("they were found");
        if edges.steps.is_empty() {
            let marks = if edges.cut { 0 } else { u64::MAX };
            arcs.push(Arc { step: Taken::Stays, to: state, marks: marks.into() });
            return;
        }
        let arc = |edge: &Edge| {
            let marks = if edges.cut { 0 } else { edges.waits | edge.moved };
            Arc { step: Taken::Step(edge.tid, edge.choice), to: edge.to, marks: Marks::from(marks) }
        };
        arcs.extend(edges.steps.iter().map(arc));
    }
}

impl<M: Machine, L: FnMut(&mut M) -> Seen> Labelled for Programs<'_, M, L> {
    fn letter(&mut self, state: StateNumber) -> Letter {
        self.letter_of(state)
    }
}
