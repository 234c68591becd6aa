//! `graph`: dynamic partial-order reduction on the graph of states, for programs that run for ever and for those whose
//! executions come to the same states in many ways.
//!
//! Every state is met once. From each one thread is explored at first. What may come after a state is its *future*: the
//! next operations of its threads, and the futures of its explored successors. An edge `u –e→ v` adds to what is explored
//! from `u` every thread with an operation in the future of `v` that conflicts with `e`; if that thread cannot move at `u`,
//! all that can. Futures grow while the search goes on, and what is new flows back over all edges, also those into states
//! that were left long ago, which the search then comes back to: the search is over when nothing flows any more.
//!
//! There is no happens-before between states that are reached in several ways, so that a conflict counts wherever it may
//! come up, not only where it is a race.
//!
//! On a cycle everybody might rely on somebody else to explore a thread: a state none of whose explored successors was new
//! is explored in full.

mod sets;
mod table;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use threadbare_core::{Ending, Fingerprint, Hash128, Machine, Tid};

use self::sets::{OperationId, SetId, Sets, ThreadSet};
use self::table::Table;
use super::Settings;
use super::tree::{Tree, go};
use super::walk::{Here, Loops, Walk};
use crate::label::Label;
use crate::search::{End, Flow, Search, Totals};

/// A power of two.
const TRANSITIONS_PER_TICK: u64 = 1024;

/// The remedy for cycles can be left out: a test shows what is lost without it.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub proviso: bool,
}

pub fn graph<M: Machine>(machine: &mut M, settings: &Settings, search: &mut impl Search<M>) -> Totals {
    in_form(machine, settings, search, Form { proviso: true })
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
        bounded: settings.depth_bound != usize::MAX,
        known: Table::default(),
        graph: Graph::default(),
        spinning: FxHashSet::default(),
        open: Vec::new(),
        current: 0,
    };
    let flow = explorer.explore(search);
    let mut walk = explorer.walk;
    walk.start_again();
    walk.totals.complete = flow == Flow::Continue;
    walk.totals.states = Some(explorer.known.len() as u64);
    walk.totals
}

type StateId = u32;

/// No edge.
const NONE: u32 = u32::MAX;

/// What is kept of a state that was met.
struct State {
    /// The edge by which it was found; of the first state, itself.
    parent: (StateId, OperationId),
    depth: u32,
    future: SetId,
    /// The last explored edge that leads here.
    edges: u32,
    /// Threads that can move, those of them that were or will be explored, and those that were.
    enabled: ThreadSet,
    chosen: ThreadSet,
    done: ThreadSet,
    found_new: bool,
    is_open: bool,
}

/// An explored edge.
struct Edge {
    from: StateId,
    event: OperationId,
    /// The one before that leads to the same state.
    next: u32,
}

#[derive(Default)]
struct Graph {
    states: Vec<State>,
    edges: Vec<Edge>,
    sets: Sets,
    /// States that the search has left, and that have something to explore again.
    work: Vec<StateId>,
    /// Edges whose ends have a new future.
    news: Vec<(StateId, OperationId, StateId)>,
}

impl Tree for Graph {
    fn parent(&self, state: StateId) -> Option<(StateId, Label)> {
        let (parent, event) = self.states[state as usize].parent;
        (parent != state).then(|| (parent, self.sets.operation(event)))
    }

    fn depth(&self, state: StateId) -> u32 {
        self.states[state as usize].depth
    }
}

impl Graph {
    /// These threads are to be explored from a state, or all that can move if one of them cannot.
    fn choose(&mut self, state: StateId, threads: ThreadSet) {
        let it = &mut self.states[state as usize];
        let threads = if threads.is_within(it.enabled) && !threads.is_crowded() { threads } else { it.enabled };
        if !threads.is_within(it.chosen) {
            it.chosen = it.chosen.with(threads);
            if !it.is_open {
                self.work.push(state);
            }
        }
    }

    /// An edge whose end the search has left, or met before: what comes after it is learned, by all that lead to it.
    fn connect<M: Machine>(&mut self, walk: &Walk<M>, u: StateId, event: OperationId, v: StateId) {
        let next = std::mem::replace(&mut self.states[v as usize].edges, self.edges.len() as u32);
        self.edges.push(Edge { from: u, event, next });
        self.news.push((u, event, v));
        while let Some((u, event, v)) = self.news.pop() {
            let future = self.states[v as usize].future;
            let threads = self.sets.conflicting(event, future, &walk.path.labels);
            if !threads.is_empty() {
                self.choose(u, threads);
            }
            let state = &mut self.states[u as usize];
            let more = self.sets.union(state.future, future);
            if more == state.future {
                continue;
            }
            state.future = more;
            let mut at = state.edges;
            while let Some(edge) = self.edges.get(at as usize) {
                self.news.push((edge.from, edge.event, u));
                at = edge.next;
            }
        }
    }
}

/// A state on the path of the search.
struct Open {
    state: StateId,
    /// The edge by which the search has come here, if that is how the state was found.
    edge: Option<(StateId, OperationId)>,
    /// What it offers.
    steps: Vec<Label>,
    /// What is left of the thread that is being explored, the last one first.
    todo: SmallVec<[Label; 2]>,
}

struct Explorer<'m, M: Machine> {
    walk: Walk<'m, M>,
    form: Form,
    /// With a bound on the depth, states are kept apart by it.
    bounded: bool,
    known: Table,
    graph: Graph,
    spinning: FxHashSet<Fingerprint>,
    open: Vec<Open>,
    /// Where the walk stands.
    current: StateId,
}

impl<M: Machine> Explorer<'_, M> {
    fn explore(&mut self, search: &mut impl Search<M>) -> Flow {
        let mut flow = self.arrive(None, search);
        while flow == Flow::Continue {
            let Some((u, step)) = self.next_step() else {
                if !self.reopen() {
                    break;
                }
                continue;
            };
            self.go(u);
            self.walk.take(step, None);
            let event = self.graph.sets.number(step);
            flow = self.arrive(Some((u, event)), search);
            if flow == Flow::Continue && self.walk.totals.transitions & (TRANSITIONS_PER_TICK - 1) == 0 {
                flow = search.tick();
            }
        }
        flow
    }

    fn go(&mut self, to: StateId) {
        go(&mut self.walk, &self.graph, self.current, to);
        self.current = to;
    }

    /// The next step of the last open state that has one. States without one are left.
    fn next_step(&mut self) -> Option<(StateId, Label)> {
        loop {
            let last = self.open.last_mut()?;
            let u = last.state;
            if let Some(step) = last.todo.pop() {
                return Some((u, step));
            }
            let state = &mut self.graph.states[u as usize];
            let mut left = state.chosen.without(state.done);
            if left.is_empty() && self.form.proviso && !state.found_new {
                state.chosen = state.enabled;
                left = state.chosen.without(state.done);
            }
            if let Some(first) = last.steps.iter().map(|step| step.tid).find(|&tid| left.contains(tid)) {
                let threads = ThreadSet::of(first);
                state.done = state.done.with(threads);
                last.todo.extend(last.steps.iter().rev().filter(|step| threads.contains(step.tid)).copied());
                continue;
            }
            state.is_open = false;
            let left = self.open.pop().expect("the last one");
            if let Some((from, event)) = left.edge {
                self.graph.connect(&self.walk, from, event, u);
            }
        }
    }

    /// Comes back to a state that has something to explore again.
    fn reopen(&mut self) -> bool {
        while let Some(u) = self.graph.work.pop() {
            let state = &mut self.graph.states[u as usize];
            if state.chosen.is_within(state.done) {
                continue;
            }
            state.is_open = true;
            self.go(u);
            let steps = self.walk.here().enabled;
            self.open.push(Open { state: u, edge: None, steps, todo: SmallVec::new() });
            return true;
        }
        false
    }

    /// The walk has come to a state. If it is a new one, it is the current one now; if not, the walk goes back.
    fn arrive(&mut self, edge: Option<(StateId, OperationId)>, search: &mut impl Search<M>) -> Flow {
        let mut key = self.walk.machine.fingerprint().expect("a search that stores states asks for exact ones");
        let depth = self.walk.path.len() as u32;
        if self.bounded {
            let mut hash = Hash128::new(0xdeb7);
            hash.word(depth.into());
            key ^= hash.finish();
        }
        let (v, is_new) = self.known.enter(key);
        if !is_new {
            // The step that failed may have changed nothing.
            let failed = matches!(self.walk.machine.ending(), Some(Ending::Error(_)));
            let flow = self.walk.report(search, if failed { End::Error } else { End::Redundant });
            if flow == Flow::Continue {
                self.walk.back();
                let (u, event) = edge.expect("the first state is new");
                self.graph.connect(&self.walk, u, event, v);
            }
            return flow;
        }
        if let Some((u, _)) = edge {
            self.graph.states[u as usize].found_new = true;
        }
        let here = self.walk.here();
        let mut next: SmallVec<[OperationId; 16]> = SmallVec::new();
        for tid in self.walk.live() {
            let operations = self.walk.may_do(tid);
            next.extend(operations.into_iter().map(|operation| self.graph.sets.number(operation)));
        }
        let future = self.graph.sets.set_of(next.into_iter());
        let flow = self.end_here(&here, search);
        let first = here.threads().next().filter(|_| !self.walk.is_at_bound());
        let enabled = |tid: Option<Tid>| tid.map_or(ThreadSet::default(), ThreadSet::of);
        let can_move = here.threads().filter(|_| first.is_some()).map(ThreadSet::of);
        self.graph.states.push(State {
            parent: edge.unwrap_or((v, 0)),
            depth,
            future,
            edges: NONE,
            enabled: can_move.fold(ThreadSet::default(), ThreadSet::with),
            chosen: enabled(first),
            done: ThreadSet::default(),
            found_new: false,
            is_open: true,
        });
        self.open.push(Open { state: v, edge, steps: here.enabled, todo: SmallVec::new() });
        self.current = v;
        flow
    }

    /// Tells the search if a new state is an end.
    fn end_here(&mut self, here: &Here, search: &mut impl Search<M>) -> Flow {
        if here.enabled.is_empty() {
            let end = self.walk.classify(here);
            return self.walk.report(search, end);
        }
        if let Some((end, state)) = self.walk.spinning_end(here)
            && self.spinning.insert(state)
            && self.walk.report(search, end) == Flow::Stop
        {
            return Flow::Stop;
        }
        if self.walk.is_at_bound() { self.walk.report(search, End::Bound) } else { Flow::Continue }
    }
}
