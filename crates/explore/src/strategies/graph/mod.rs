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
//! On a cycle everybody might rely on somebody else to explore a thread. That matters only where the search cannot leave: if
//! nothing flows any more, every thread that can move somewhere in a bottom component of what was explored must have been
//! explored somewhere in it (`bottom`). From anywhere else a path leads to such a component or to an end, and a thread that was
//! left out on all of it can still move there.

mod bits;
mod bottom;
mod for_good;
mod ground;
mod left_behind;
mod looks;
mod sets;
mod table;
mod trail;

use threadbare_core::{Machine, Tid};

use self::bits::Bits;
use self::bottom::bottom_components;
pub use self::for_good::waits_for_good;
use self::ground::Ground;
use self::sets::{Futures, OperationId, Operations, ThreadSet};
use self::table::Table;
use super::Settings;
use super::tree::{Tree, go};
use crate::label::{Label, Labels};
use crate::search::{Flow, Search, Stored, Totals};

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
    let mut explorer = Explorer::new(machine, settings, form);
    let mut flow = explorer.explore(search);
    let looked_for_left_behind =
        settings.whole_states && flow == Flow::Continue && explorer.look_for_left_behind(search);
    let mut states = explorer.known.len() as u64;
    let mut stored = Stored { table_bytes: explorer.known.bytes() as u64, graph_bytes: explorer.graph.bytes() as u64 };
    let Explorer { mut ground, gives_up, known, graph, open, .. } = explorer;
    drop((known, graph, open));
    if gives_up {
        // It is begun again without the graph.
        ground.begin_again();
        let mut bits = Bits::new(search.room());
        flow = bits::explore(&mut ground, &mut bits, search);
        states = bits.states();
        stored = Stored { table_bytes: bits.bytes(), graph_bytes: 0 };
        ground.trail.walk.totals.coverage = Some(bits.coverage()).filter(|_| flow == Flow::Continue);
    }
    let mut walk = ground.trail.walk;
    walk.start_again();
    walk.totals.complete = flow == Flow::Continue;
    walk.totals.states = Some(states);
    walk.totals.stored = Some(stored);
    walk.totals.looked_for_left_behind = looked_for_left_behind;
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
    /// The last explored edge that leads here.
    edges: u32,
    is_open: bool,
    /// Threads that can move, those of them that were or will be explored, and those that were.
    enabled: ThreadSet,
    chosen: ThreadSet,
    done: ThreadSet,
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
    futures: Futures,
    /// States that the search has left, and that have something to explore again.
    work: Vec<StateId>,
    /// Edges whose ends have a new future.
    news: Vec<(StateId, OperationId, StateId)>,
}

/// How each state was found.
struct Ways<'g>(&'g Graph, &'g Operations);

impl Tree for Ways<'_> {
    fn parent(&self, state: StateId) -> Option<(StateId, Label)> {
        let (parent, event) = self.0.states[state as usize].parent;
        (parent != state).then(|| (parent, self.1.label(event)))
    }

    fn depth(&self, state: StateId) -> u32 {
        self.0.states[state as usize].depth
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
    fn connect(
        &mut self,
        (operations, labels): (&mut Operations, &Labels),
        u: StateId,
        event: OperationId,
        v: StateId,
    ) {
        let next = std::mem::replace(&mut self.states[v as usize].edges, self.edges.len() as u32);
        self.edges.push(Edge { from: u, event, next });
        self.news.push((u, event, v));
        while let Some((u, event, v)) = self.news.pop() {
            let threads = operations.conflicting(event, self.futures.get(v), labels);
            if !threads.is_within(self.states[u as usize].chosen) {
                self.choose(u, threads);
            }
            if !self.futures.flow(v, u) {
                continue;
            }
            let mut at = self.states[u as usize].edges;
            while let Some(edge) = self.edges.get(at as usize) {
                self.news.push((edge.from, edge.event, u));
                at = edge.next;
            }
        }
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.states) + size_of_val(&*self.edges) + self.futures.bytes()
    }

    /// The edges that lead to a state.
    fn edges_to(&self, state: StateId) -> impl Iterator<Item = &Edge> {
        let first = self.edges.get(self.states[state as usize].edges as usize);
        std::iter::successors(first, |edge| self.edges.get(edge.next as usize))
    }

    /// Nobody is left out for ever: who can move somewhere in a bottom component is explored somewhere in it. Whether there is
    /// something to explore again.
    fn mind_cycles(&mut self) -> bool {
        for component in bottom_components(self) {
            let all_done = component.iter().map(|&state| self.states[state as usize].done);
            let mut done = all_done.fold(ThreadSet::default(), ThreadSet::with);
            for state in component {
                let enabled = self.states[state as usize].enabled;
                if !enabled.is_within(done) || enabled.is_crowded() {
                    self.choose(state, enabled.without(done));
                    done = done.with(enabled);
                }
            }
        }
        !self.work.is_empty()
    }
}

/// A state on the path of the search.
struct Open {
    state: StateId,
    /// The edge by which the search has come here, if that is how the state was found.
    edge: Option<(StateId, OperationId)>,
    /// Where what its threads would do starts in `Explorer::seen`.
    looks: u32,
    /// Who is being explored, which of the looks is next, and which step of that.
    exploring: ThreadSet,
    look: u32,
    step: u32,
    /// It has led elsewhere than to states that are open.
    leads_on: bool,
}

impl Open {
    fn at(state: StateId, edge: Option<(StateId, OperationId)>) -> Open {
        Open { state, edge, looks: 0, exploring: ThreadSet::default(), look: 0, step: 0, leads_on: false }
    }
}

struct Explorer<'m, M: Machine> {
    ground: Ground<'m, M>,
    form: Form,
    known: Table,
    graph: Graph,
    open: Vec<Open>,
    /// Room for the next operations of a state.
    next: Vec<u64>,
    /// Where the trail has come to.
    current: StateId,
    /// For a search that needs less memory.
    gives_up: bool,
    /// The search ends where this thread can go on.
    watched: Option<Tid>,
}

impl<'m, M: Machine> Explorer<'m, M> {
    fn new(machine: &'m mut M, settings: &Settings, form: Form) -> Self {
        Explorer {
            ground: Ground::new(machine, settings),
            form,
            known: Table::default(),
            graph: Graph::default(),
            open: Vec::new(),
            next: Vec::new(),
            current: 0,
            gives_up: false,
            watched: None,
        }
    }

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
            let transitions = self.ground.count();
            let event = self.ground.operations.number(step);
            if self.ground.goes_round(&step) {
                self.connect(u, event, u);
            } else {
                self.ground.trail.take(step);
                flow = self.arrive(Some((u, event)), search);
            }
            if flow == Flow::Continue && transitions & (TRANSITIONS_PER_TICK - 1) == 0 {
                search.stored(self.known.len() as u64);
                self.gives_up = search.is_short_of_memory();
                flow = if self.gives_up { Flow::Stop } else { search.tick() };
            }
        }
        flow
    }

    fn go(&mut self, to: StateId) {
        let Ground { trail, operations, .. } = &mut self.ground;
        go(trail, &Ways(&self.graph, operations), self.current, to);
        self.current = to;
    }

    fn connect(&mut self, u: StateId, event: OperationId, v: StateId) {
        let Ground { trail, operations, .. } = &mut self.ground;
        self.graph.connect((operations, &trail.walk.path.labels), u, event, v);
    }

    /// The next step of the last open state that has one. States without one are left.
    fn next_step(&mut self) -> Option<(StateId, Label)> {
        loop {
            let last = self.open.last_mut()?;
            let u = last.state;
            for &look in &self.ground.seen[(last.looks + last.look) as usize..] {
                let look = self.ground.looks.get(look);
                if last.exploring.contains(look.tid)
                    && let Some(&step) = look.steps.get(last.step as usize)
                {
                    last.step += 1;
                    return Some((u, step));
                }
                last.look += 1;
                last.step = 0;
            }
            let state = &mut self.graph.states[u as usize];
            let mut left = state.chosen.without(state.done);
            if left.is_empty() && self.form.proviso && !last.leads_on {
                state.chosen = state.enabled;
                left = state.chosen.without(state.done);
            }
            if !left.is_empty() {
                let mut threads =
                    self.ground.seen[last.looks as usize..].iter().map(|&look| self.ground.looks.get(look).tid);
                let first = threads.find(|&tid| left.contains(tid)).expect("it can move");
                (last.exploring, last.look) = (ThreadSet::of(first), 0);
                state.done = state.done.with(last.exploring);
                continue;
            }
            state.is_open = false;
            self.ground.seen.truncate(last.looks as usize);
            let edge = last.edge;
            self.open.pop();
            if let Some((from, event)) = edge {
                self.connect(from, event, u);
            }
        }
    }

    /// Comes back to a state that has something to explore again.
    fn reopen(&mut self) -> bool {
        loop {
            while let Some(u) = self.graph.work.pop() {
                let state = &mut self.graph.states[u as usize];
                if state.chosen.is_within(state.done) {
                    continue;
                }
                state.is_open = true;
                self.go(u);
                self.ground.look();
                // Somebody has looked after that, or will.
                self.open.push(Open { leads_on: true, ..Open::at(u, None) });
                return true;
            }
            if !self.form.proviso || !self.graph.mind_cycles() {
                return false;
            }
        }
    }

    /// The trail has come to a state. If it is a new one, it is the current one now; if not, the trail goes back.
    fn arrive(&mut self, edge: Option<(StateId, OperationId)>, search: &mut impl Search<M>) -> Flow {
        let (v, is_new) = self.known.enter(self.ground.state());
        if !is_new {
            let flow = self.ground.leave_known(search);
            if flow == Flow::Continue {
                let (u, event) = edge.expect("the first state is new");
                let last = self.open.last_mut().expect("it was come from somewhere");
                last.leads_on |= !self.graph.states[v as usize].is_open;
                self.connect(u, event, v);
            }
            return flow;
        }
        let looks = self.ground.seen.len();
        let flow = self.ground.look_around(search);
        let all = &self.ground.seen[looks..];
        self.next.resize(self.ground.operations.width(), 0);
        self.ground.looks.next(all, &mut self.next);
        self.graph.futures.push(&self.next);
        let (mut enabled, mut first) = (ThreadSet::default(), ThreadSet::default());
        if !self.ground.is_at_bound() {
            enabled = self.ground.looks.movers(all).map(ThreadSet::of).fold(enabled, ThreadSet::with);
            first = self.ground.first(looks).map_or(first, ThreadSet::of);
        }
        self.graph.states.push(State {
            parent: edge.unwrap_or((v, 0)),
            depth: self.ground.trail.len() as u32,
            edges: NONE,
            is_open: true,
            enabled,
            chosen: first,
            done: ThreadSet::default(),
        });
        if let Some(last) = self.open.last_mut() {
            last.leads_on = true;
        }
        self.open.push(Open { looks: looks as u32, ..Open::at(v, edge) });
        self.current = v;
        if self.watched.is_some_and(|who| self.escapes(who, enabled)) { Flow::Stop } else { flow }
    }
}
