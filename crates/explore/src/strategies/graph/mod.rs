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

mod bottom;
mod looks;
mod sets;
mod table;
mod trail;

use rustc_hash::FxHashSet;
use threadbare_core::{Ending, Fingerprint, Hash128, Machine};

use self::bottom::bottom_components;
use self::looks::{LookId, Looks};
use self::sets::{Futures, OperationId, Operations, ThreadSet};
use self::table::Table;
use self::trail::Trail;
use super::Settings;
use super::tree::{Goes, Tree, go};
use super::walk::{Here, Loops, Walk};
use crate::label::{Label, Labels};
use crate::search::{End, Flow, Search, Stored, Totals};

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
        trail: Trail::new(Walk::new(machine, Loops::GoRound, settings)),
        form,
        depth_bound: settings.depth_bound,
        known: Table::default(),
        graph: Graph::default(),
        looks: Looks::default(),
        spinning: FxHashSet::default(),
        open: Vec::new(),
        seen: Vec::new(),
        next: Vec::new(),
        current: 0,
    };
    let flow = explorer.explore(search);
    let mut walk = explorer.trail.walk;
    walk.start_again();
    walk.totals.complete = flow == Flow::Continue;
    walk.totals.states = Some(explorer.known.len() as u64);
    let (table_bytes, graph_bytes) = (explorer.known.bytes() as u64, explorer.graph.bytes() as u64);
    walk.totals.stored = Some(Stored { table_bytes, graph_bytes });
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
    operations: Operations,
    futures: Futures,
    /// States that the search has left, and that have something to explore again.
    work: Vec<StateId>,
    /// Edges whose ends have a new future.
    news: Vec<(StateId, OperationId, StateId)>,
}

impl Tree for Graph {
    fn parent(&self, state: StateId) -> Option<(StateId, Label)> {
        let (parent, event) = self.states[state as usize].parent;
        (parent != state).then(|| (parent, self.operations.label(event)))
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
    fn connect(&mut self, labels: &Labels, u: StateId, event: OperationId, v: StateId) {
        let next = std::mem::replace(&mut self.states[v as usize].edges, self.edges.len() as u32);
        self.edges.push(Edge { from: u, event, next });
        self.news.push((u, event, v));
        while let Some((u, event, v)) = self.news.pop() {
            let threads = self.operations.conflicting(event, self.futures.get(v), labels);
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
    trail: Trail<'m, M>,
    form: Form,
    /// With a bound on the depth, states are kept apart by it.
    depth_bound: usize,
    known: Table,
    graph: Graph,
    looks: Looks,
    spinning: FxHashSet<Fingerprint>,
    open: Vec<Open>,
    /// What the threads of the open states would do.
    seen: Vec<LookId>,
    /// Room for the next operations of a state.
    next: Vec<u64>,
    /// Where the trail has come to.
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
            let totals = &mut self.trail.walk.totals;
            totals.transitions += 1;
            let transitions = totals.transitions;
            let event = self.graph.operations.number(step);
            if self.goes_round(&step) {
                self.graph.connect(&self.trail.walk.path.labels, u, event, u);
            } else {
                self.trail.take(step);
                flow = self.arrive(Some((u, event)), search);
            }
            if flow == Flow::Continue && transitions & (TRANSITIONS_PER_TICK - 1) == 0 {
                search.stored(self.known.len() as u64);
                flow = search.tick();
            }
        }
        flow
    }

    /// Whether a step changes nothing and takes its thread back to where it stands. It may still order more: what can be done
    /// after it can be done without it, and races all the more.
    fn goes_round(&mut self, step: &Label) -> bool {
        let machine = &mut *self.trail.walk.machine;
        machine.may_wait(step.tid) && {
            let round = machine.try_step(step.tid, step.choice);
            round.lasting && round.local.is_some() && round.local == machine.local_fingerprint(step.tid)
        }
    }

    fn go(&mut self, to: StateId) {
        go(&mut self.trail, &self.graph, self.current, to);
        self.current = to;
    }

    /// The next step of the last open state that has one. States without one are left.
    fn next_step(&mut self) -> Option<(StateId, Label)> {
        loop {
            let last = self.open.last_mut()?;
            let u = last.state;
            for &look in &self.seen[(last.looks + last.look) as usize..] {
                let look = self.looks.get(look);
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
                let mut threads = self.seen[last.looks as usize..].iter().map(|&look| self.looks.get(look).tid);
                let first = threads.find(|&tid| left.contains(tid)).expect("it can move");
                (last.exploring, last.look) = (ThreadSet::of(first), 0);
                state.done = state.done.with(last.exploring);
                continue;
            }
            state.is_open = false;
            self.seen.truncate(last.looks as usize);
            let edge = last.edge;
            self.open.pop();
            if let Some((from, event)) = edge {
                self.graph.connect(&self.trail.walk.path.labels, from, event, u);
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
                self.looks.look(&mut self.trail.walk, &mut self.graph.operations, &mut self.seen);
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
        let depth = self.trail.len();
        let machine = &mut *self.trail.walk.machine;
        let mut key = machine.fingerprint().expect("a search that stores states asks for exact ones");
        if self.depth_bound != usize::MAX {
            let mut hash = Hash128::new(0xdeb7);
            hash.word(depth as u64);
            key ^= hash.finish();
        }
        let (v, is_new) = self.known.enter(key);
        if !is_new {
            // The step that failed may have changed nothing.
            let failed = matches!(machine.ending(), Some(Ending::Error(_)));
            let flow = if failed { self.trail.report(search, End::Error) } else { self.trail.redundant(search) };
            if flow == Flow::Continue {
                self.trail.back(1);
                let (u, event) = edge.expect("the first state is new");
                let last = self.open.last_mut().expect("it was come from somewhere");
                last.leads_on |= !self.graph.states[v as usize].is_open;
                self.graph.connect(&self.trail.walk.path.labels, u, event, v);
            }
            return flow;
        }
        let totals = &mut self.trail.walk.totals;
        totals.depth = totals.depth.max(depth);
        let looks = self.seen.len();
        self.looks.look(&mut self.trail.walk, &mut self.graph.operations, &mut self.seen);
        let flow = self.end_here(looks, search);
        let Graph { operations, futures, states, .. } = &mut self.graph;
        let all = &self.seen[looks..];
        self.next.resize(operations.width(), 0);
        self.looks.next(all, &mut self.next);
        futures.push(&self.next);
        let (mut enabled, mut first) = (ThreadSet::default(), ThreadSet::default());
        if depth < self.depth_bound {
            enabled = self.looks.movers(all).map(ThreadSet::of).fold(enabled, ThreadSet::with);
            let tid = self.looks.first(&self.trail.walk.path.labels, operations, all);
            first = tid.map_or(first, ThreadSet::of);
        }
        states.push(State {
            parent: edge.unwrap_or((v, 0)),
            depth: depth as u32,
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
        flow
    }

    /// Tells the search if a new state is an end, whose threads would do what `seen` says from there on.
    fn end_here(&mut self, looks: usize, search: &mut impl Search<M>) -> Flow {
        let movers = self.looks.movers(&self.seen[looks..]);
        if movers.clone().next().is_none() {
            let end = self.trail.walk.classify(&Here::default());
            return self.trail.report(search, end);
        }
        if let Some((end, state)) = self.trail.walk.spinning_end(movers)
            && self.spinning.insert(state)
            && self.trail.report(search, end) == Flow::Stop
        {
            return Flow::Stop;
        }
        match self.trail.len() >= self.depth_bound {
            true => self.trail.report(search, End::Bound),
            false => Flow::Continue,
        }
    }
}
