//! `sdpor`: stateful dynamic partial-order reduction with the visible-operation dependency graph (Y. Yang, X. Chen, G.
//! Gopalakrishnan, R. M. Kirby: "Efficient stateful dynamic partial order reduction", SPIN 2008).
//!
//! From each state one thread is explored at first. An edge `u –e→ v` of the state graph adds to what is explored from `u`
//! every thread that may later do something that `e` conflicts with. What may come later is told by the visible-operation
//! dependency graph G, which the search learns on its way: its nodes are operations, and an edge leads from one to what its
//! thread has been seen to do next. So a state that was visited before need not be explored again to know what comes
//! after it.
//!
//! The published form loses states. What differs, and why:
//! - All edges of the state graph are looked at whenever G grows, not only those of the search stack when a visited state
//!   is met: at that time the visited state may have threads that are still to be explored ("all states reachable from
//!   a visited state have been visited" does not hold), and what they will do is not in G yet. Without it 3 of the 4 final
//!   states of `x = 1 ‖ r = y; s = x ‖ r = x` are found.
//! - Operations of threads that cannot go on count, too (figure 5 takes enabled ones only).
//! - Every conflicting edge counts, not the latest on the stack: there is no happens-before between states that were
//!   reached in several ways.
//! - A state none of whose explored successors was new is explored in full. On a cycle a thread would be ignored for ever
//!   otherwise; the paper is about programs that end.
//! - Edges of G stay within a thread, or lead from a create to the first operation of the child. The paper's lead to
//!   whatever the schedule has next, and say more than may come.
//! - What an operation would touch may change while its thread waits (a compare-exchange that would fail now): in G it
//!   counts as a write, and if it turns to other objects it becomes another node.
//! - An unlock does not conflict with a lock (and the like): the two are never possible at the same time.
//!
//! States are captured in one of two ways (`--capture`): `exact`, or `delta` as in section 3. There, a thread's local state
//! has a number, and the next number is looked up by the number before and what has changed. Local states with one number
//! are the same, but one local state may get several numbers, by the ways to it, and then states are not recognised; a loop
//! gets new numbers in every round, so that only programs that end are explored to the end. Our machines know their states
//! anyway, so that `delta` shows what that costs, not what it saves.
//!
//! Not covered: what happened on the way to a state is no part of it (see `stateful` on data races).

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use threadbare_core::{Ending, Fingerprint, Hash128, Machine, Tid};

use super::Settings;
use super::dpor::only_enables;
use super::tree::{Tree, go};
use super::walk::{Loops, Walk};
use crate::label::Label;
use crate::search::{End, Flow, Search, Totals};

/// How states are recognised.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Capture {
    #[default]
    Exact,
    Delta,
}

impl std::str::FromStr for Capture {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "exact" => Ok(Capture::Exact),
            "delta" => Ok(Capture::Delta),
            _ => Err("there are exact and delta".into()),
        }
    }
}

/// The remedies, each by itself: tests show what is lost without it.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// Without: what is new in G is compared with the edges of the search stack only.
    pub looks_again: bool,
    /// Without: nobody minds cycles.
    pub proviso: bool,
    /// Without: only what is enabled is compared.
    pub compares_disabled: bool,
}

pub(super) const SOUND: Form = Form { looks_again: true, proviso: true, compares_disabled: true };

pub fn sdpor<M: Machine>(machine: &mut M, settings: &Settings, search: &mut impl Search<M>) -> Totals {
    in_form(machine, settings, search, SOUND)
}

pub(super) fn in_form<M: Machine>(
    machine: &mut M,
    settings: &Settings,
    search: &mut impl Search<M>,
    form: Form,
) -> Totals {
    machine.order_arrivals();
    let mut explorer = Explorer {
        walk: Walk::new(machine, Loops::GoRound, settings),
        form,
        states: Vec::new(),
        known: FxHashMap::default(),
        bounded: settings.depth_bound != usize::MAX && settings.capture == Capture::Exact,
        graph: Graph::default(),
        locals: (settings.capture == Capture::Delta).then(Locals::default),
        spinning: FxHashSet::default(),
        work: Vec::new(),
        current: 0,
    };
    let flow = explorer.explore(search);
    let mut walk = explorer.walk;
    walk.start_again();
    walk.totals.complete = flow == Flow::Continue;
    walk.totals.states = Some(explorer.states.len() as u64);
    walk.totals
}

type StateId = u32;
/// A node of G.
type OperationId = u32;

/// A state that was visited.
struct State {
    /// The edge by which it was found.
    parent: Option<(StateId, Label)>,
    depth: u32,
    enabled: Vec<Label>,
    /// The next operation of each live thread, as nodes of G.
    next: SmallVec<[(Tid, OperationId); 4]>,
    /// Threads that were or will be explored.
    backtrack: SmallVec<[Tid; 4]>,
    todo: Vec<Label>,
    found_new: bool,
    /// For `delta`.
    numbers: Vec<u32>,
}

impl State {
    fn add(&mut self, tid: Tid) {
        if !self.backtrack.contains(&tid) {
            self.backtrack.push(tid);
            self.todo.extend(self.enabled.iter().rev().filter(|step| step.tid == tid));
        }
    }

    fn add_all(&mut self) {
        for i in 0..self.enabled.len() {
            self.add(self.enabled[i].tid);
        }
    }
}

impl Tree for Vec<State> {
    fn parent(&self, state: StateId) -> Option<(StateId, Label)> {
        self[state as usize].parent
    }

    fn depth(&self, state: StateId) -> u32 {
        self[state as usize].depth
    }
}

/// G: what threads have been seen to do after what.
#[derive(Default)]
struct Graph {
    operations: Vec<Label>,
    numbers: FxHashMap<Label, OperationId>,
    /// What comes after each operation, itself among it.
    reached: Vec<Vec<OperationId>>,
    /// The operations from which each is reached.
    reaching: Vec<Vec<OperationId>>,
    /// The explored edges at whose end an operation is the next one of its thread.
    watched: Vec<Vec<(StateId, Label)>>,
    /// `(a, b)`: b has turned out to be reached from a.
    news: Vec<(OperationId, OperationId)>,
}

impl Graph {
    fn number(&mut self, operation: Label) -> OperationId {
        let next = self.operations.len() as u32;
        match self.numbers.entry(operation) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(entry) => {
                entry.insert(next);
                self.operations.push(operation);
                self.reached.push(vec![next]);
                self.reaching.push(vec![next]);
                self.watched.push(Vec::new());
                next
            }
        }
    }

    /// An edge of G: what leads to `a` leads to what comes after `b`.
    fn connect(&mut self, a: OperationId, b: OperationId) {
        if self.reached[a as usize].contains(&b) {
            return;
        }
        for from in self.reaching[a as usize].clone() {
            for to in self.reached[b as usize].clone() {
                if !self.reached[from as usize].contains(&to) {
                    self.reached[from as usize].push(to);
                    self.reaching[to as usize].push(from);
                    self.news.push((from, to));
                }
            }
        }
    }
}

/// L of figure 4: the numbers of local states, for each thread.
#[derive(Default)]
struct Locals {
    next: FxHashMap<(Tid, u32, Fingerprint), u32>,
    /// What each number stands for.
    local: Vec<Fingerprint>,
}

impl Locals {
    /// NEXTLOCAL for every thread that has changed. A thread without a number starts from nothing.
    fn numbers<M: Machine>(&mut self, machine: &mut M, before: &[u32]) -> Vec<u32> {
        if self.local.is_empty() {
            self.local.push(Fingerprint::default());
        }
        let mut numbers = before.to_vec();
        numbers.resize(machine.thread_count(), 0);
        for (i, number) in numbers.iter_mut().enumerate() {
            let tid = Tid(i as u16);
            let live = machine.is_live(tid);
            let now = if live { machine.local_fingerprint(tid).unwrap_or_default() } else { Fingerprint::default() };
            let delta = now ^ self.local[*number as usize];
            if delta != Fingerprint::default() {
                let (fresh, local) = (self.local.len() as u32, &mut self.local);
                *number = *self.next.entry((tid, *number, delta)).or_insert_with(|| {
                    local.push(now);
                    fresh
                });
            }
        }
        numbers
    }
}

struct Explorer<'m, M: Machine> {
    walk: Walk<'m, M>,
    form: Form,
    states: Vec<State>,
    /// H. With a bound on the depth, exact states are kept apart by it.
    known: FxHashMap<(Fingerprint, u32), StateId>,
    bounded: bool,
    graph: Graph,
    locals: Option<Locals>,
    spinning: FxHashSet<Fingerprint>,
    /// States that may have something to explore, as a stack.
    work: Vec<StateId>,
    current: StateId,
}

impl<M: Machine> Explorer<'_, M> {
    fn explore(&mut self, search: &mut impl Search<M>) -> Flow {
        let (_, mut flow) = self.arrive(None, &[], search);
        while let (Flow::Continue, Some(&u)) = (flow, self.work.last()) {
            let state = &mut self.states[u as usize];
            if state.todo.is_empty() && self.form.proviso && !state.found_new {
                state.add_all();
            }
            let Some(e) = state.todo.pop() else {
                self.work.pop();
                continue;
            };
            if !go(&mut self.walk, &self.states, self.current, u) {
                return self.walk.stopped(search);
            }
            self.current = u;
            self.walk.take(e, None);
            let numbers = std::mem::take(&mut self.states[u as usize].numbers);
            let (v, arrived) = self.arrive(Some((u, e)), &numbers, search);
            self.states[u as usize].numbers = numbers;
            flow = arrived;
            self.explored(u, e, v);
            if flow == Flow::Continue && self.walk.ticks.are_due() {
                search.stored(self.states.len() as u64);
                flow = search.tick();
            }
        }
        flow
    }

    /// The walk has come to a state, which becomes the current one, or goes back from it.
    fn arrive(
        &mut self,
        edge: Option<(StateId, Label)>,
        before: &[u32],
        search: &mut impl Search<M>,
    ) -> (StateId, Flow) {
        let mut key = self.walk.machine.fingerprint().expect("a search that stores states asks for exact ones");
        let mut numbers = Vec::new();
        if let Some(locals) = &mut self.locals {
            numbers = locals.numbers(self.walk.machine, before);
            let mut hash = Hash128::new(0xde17a);
            numbers.iter().for_each(|&number| hash.word(number.into()));
            key ^= hash.finish();
        }
        let depth = self.walk.path.len() as u32;
        let fresh = self.states.len() as u32;
        match self.known.entry((key, if self.bounded { depth } else { 0 })) {
            Entry::Occupied(known) => {
                let v = *known.get();
                // The step that failed may have changed nothing.
                let failed = matches!(self.walk.machine.ending(), Some(Ending::Error(_)));
                let flow = self.walk.report(search, if failed { End::Error } else { End::Redundant });
                if flow == Flow::Continue {
                    self.walk.back();
                }
                return (v, flow);
            }
            Entry::Vacant(entry) => entry.insert(fresh),
        };
        if let Some((u, _)) = edge {
            self.states[u as usize].found_new = true;
        }
        let here = self.walk.here();
        let mut next = SmallVec::new();
        for tid in self.walk.live() {
            next.extend(self.next_of(tid).into_iter().map(|operation| (tid, self.graph.number(operation))));
        }
        let first = here.threads().next();
        let mut flow = Flow::Continue;
        if first.is_none() {
            let end = self.walk.classify(&here);
            flow = self.walk.report(search, end);
        } else if let Some((end, state)) = self.walk.spinning_end(here.threads())
            && self.spinning.insert(state)
        {
            flow = self.walk.report(search, end);
        }
        let mut state = State {
            parent: edge,
            depth,
            enabled: here.enabled,
            next,
            backtrack: SmallVec::new(),
            todo: Vec::new(),
            found_new: false,
            numbers,
        };
        if self.walk.is_at_bound() && first.is_some() {
            state.enabled.clear();
            flow = if flow == Flow::Stop { flow } else { self.walk.report(search, End::Bound) };
        } else if let Some(first) = first {
            state.add(first);
        }
        self.states.push(state);
        self.work.push(fresh);
        self.current = fresh;
        (fresh, flow)
    }

    /// The next operation of a thread, as it stands in G.
    fn next_of(&mut self, tid: Tid) -> SmallVec<[Label; 2]> {
        let enabled = self.walk.machine.pending(tid).choices.any_enabled();
        if self.form.compares_disabled || enabled { self.walk.may_do(tid) } else { SmallVec::new() }
    }

    /// A new edge of the state graph: G grows, and whoever may later do what conflicts with `e` is explored from `u`.
    fn explored(&mut self, u: StateId, e: Label, v: StateId) {
        let (before, after) = (self.states[u as usize].next.clone(), self.states[v as usize].next.clone());
        for &(tid, b) in &after {
            let mut from: SmallVec<[OperationId; 2]> = before.iter().filter(|(t, _)| *t == tid).map(|p| p.1).collect();
            if from.is_empty() {
                // `e` has created it.
                from.extend(before.iter().filter(|(t, _)| *t == e.tid).map(|p| p.1));
            }
            from.into_iter().filter(|&a| a != b).for_each(|a| self.graph.connect(a, b));
        }
        for &(_, operation) in &after {
            for at in 0..self.graph.reached[operation as usize].len() {
                self.compare(u, e, self.graph.reached[operation as usize][at]);
            }
            self.graph.watched[operation as usize].push((u, e));
        }
        while let Some((a, b)) = self.graph.news.pop() {
            for at in 0..self.graph.watched[a as usize].len() {
                let (u, e) = self.graph.watched[a as usize][at];
                if self.form.looks_again || self.is_on_stack(u, e) {
                    self.compare(u, e, b);
                }
            }
        }
    }

    /// Whether the current state was come to by that edge.
    fn is_on_stack(&self, u: StateId, e: Label) -> bool {
        let mut at = self.current;
        while let Some((parent, step)) = self.states[at as usize].parent {
            if (parent, step) == (u, e) {
                return true;
            }
            at = parent;
        }
        false
    }

    /// UPDATEBACKTRACKSETS for one edge and one operation that may come after it.
    fn compare(&mut self, u: StateId, e: Label, operation: OperationId) {
        let operation = self.graph.operations[operation as usize];
        let conflict = operation.tid != e.tid && self.walk.path.labels.conflict(&e, &operation);
        if !conflict || only_enables(&self.walk.path.labels, &e, &operation) {
            return;
        }
        let state = &mut self.states[u as usize];
        let had = state.todo.len();
        match state.enabled.iter().any(|step| step.tid == operation.tid) {
            true => state.add(operation.tid),
            false => state.add_all(),
        }
        if state.todo.len() > had {
            self.work.push(u);
        }
    }
}
