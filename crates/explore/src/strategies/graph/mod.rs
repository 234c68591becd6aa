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
//! Several workers explore one graph (`stored`). What is explored in the end is the same for any order of exploration, as long as
//! the thread with which a state begins hangs on nothing but the state and on what is known for sure: see `Lessons`. One worker
//! explores until no new operations have come for a while, and learns; then the others may come.
//!
//! On a cycle everybody might rely on somebody else to explore a thread. That matters only where the search cannot leave: if
//! nothing flows any more, every thread that can move somewhere in a bottom component of what was explored must have been
//! explored somewhere in it (`bottom`). From anywhere else a path leads to such a component or to an end, and a thread that was
//! left out on all of it can still move there.
//!
//! A machine that does not tell some threads apart (`Machine::changes_places`) has fewer states: what is known of one counts
//! for all in which these threads have changed places (`turns`). Then there is one worker.

mod bits;
mod bottom;
mod company;
mod for_good;
mod ground;
mod left_behind;
mod looks;
mod room;
mod sets;
mod shelves;
mod stored;
mod table;
mod trail;
mod turns;

use std::sync::atomic::{AtomicBool, Ordering};

use threadbare_core::{Fingerprint, Machine, Tid};

use self::bits::Bits;
pub use self::for_good::waits_for_good;
use self::ground::{Common, Ground};
use self::looks::{Lessons, MOST_COMPARED};
use self::sets::{OperationId, ThreadSet};
use self::stored::{Flows, Graph, StateId};
use self::turns::Turns;
use super::Settings;
use super::tree::go;
use crate::crew::{Hand, Shared, Workers, lock};
use crate::label::Label;
use crate::search::{Flow, Search, Stored};

/// The remedy for cycles can be left out: a test shows what is lost without it.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub proviso: bool,
}

pub fn graph<M: Machine, S: Search<M>>(
    workers: &impl Workers<M, S>,
    machine: &mut M,
    settings: &Settings,
    search: &mut S,
) -> Shared<M, S> {
    in_form(workers, machine, settings, search, Form { proviso: true })
}

pub(super) fn in_form<M: Machine, S: Search<M>>(
    workers: &impl Workers<M, S>,
    machine: &mut M,
    settings: &Settings,
    search: &mut S,
    form: Form,
) -> Shared<M, S> {
    let joint = Joint::new(workers.most());
    let mut shared = workers.explore((machine, search), |machine, search, hand| {
        let mut explorer = Explorer::new(machine, settings, form, &joint, hand);
        let flow = explorer.work(search);
        let mut walk = explorer.ground.trail.walk;
        walk.start_again();
        walk.totals.complete = flow == Flow::Continue;
        walk.totals
    });
    let totals = &mut shared.totals;
    let graph = &joint.graph;
    totals.states = Some(graph.len() as u64);
    totals.stored = Some(Stored { table_bytes: graph.table_bytes() as u64, graph_bytes: graph.bytes() as u64 });
    if totals.complete {
        let mut explorer = Explorer::new(machine, settings, form, &joint, None);
        totals.looked_for_left_behind = explorer.look_for_left_behind(search, settings.whole_states);
        explorer.ground.trail.walk.start_again();
    }
    let gives_up = joint.gives_up.load(Ordering::Relaxed);
    drop(joint);
    if gives_up {
        // It is begun again without the graph, and by one worker.
        let common = Common::default();
        let mut ground = Ground::new(machine, settings, &common);
        let mut bits = Bits::new(search.room());
        let flow = bits::explore(&mut ground, &mut bits, search);
        let mut walk = ground.trail.walk;
        walk.start_again();
        *totals = walk.totals;
        totals.complete = flow == Flow::Continue;
        totals.coverage = Some(bits.coverage()).filter(|_| totals.complete);
        totals.states = Some(bits.states());
        totals.stored = Some(Stored { table_bytes: bits.bytes(), graph_bytes: 0 });
    }
    shared
}

/// What all workers of a search have in common.
struct Joint {
    common: Common,
    graph: Graph,
    /// Somebody has asked for a search that needs less memory.
    gives_up: AtomicBool,
    /// Whether what was explored may have a cycle. Of one worker: an edge has led back to where it had come from, or it has come back
    /// to a state that it had left. Of several: an edge has led to a state that was met no deeper than the one from which it comes.
    may_go_round: AtomicBool,
}

impl Joint {
    fn new(workers: usize) -> Joint {
        Joint {
            common: Common::default(),
            graph: Graph::new(workers),
            gives_up: AtomicBool::new(false),
            may_go_round: AtomicBool::new(false),
        }
    }
}

/// How long one worker goes on learning.
struct Learning {
    /// So many operations were met.
    operations: u32,
    /// It is over with this transition, if no more are met.
    until: u64,
    /// So many transitions after the last.
    quiet: u64,
}

const FULL: u32 = 1 << 16;

/// None of the looks.
const NOBODY: u32 = u32::MAX;

/// A state on the path of the search.
struct Open {
    state: StateId,
    /// The search has come here by the edge by which the state was found, which does not count as explored yet.
    was_found: bool,
    /// Where what its threads would do starts in `Explorer::seen`.
    looks: u32,
    /// It has been asked where the steps of these lead.
    asked: ThreadSet,
    /// Who is being explored, which of the looks is next, and which step of that.
    exploring: ThreadSet,
    look: u32,
    step: u32,
    /// It has led elsewhere than to states that are open.
    leads_on: bool,
}

impl Open {
    fn at(state: StateId, was_found: bool) -> Open {
        let (asked, exploring) = (ThreadSet::default(), ThreadSet::default());
        Open { state, was_found, looks: 0, asked, exploring, look: NOBODY, step: 0, leads_on: false }
    }
}

/// A step that is to be taken, the operation that it is, and the state to which it leads, if that is known.
struct Taken {
    from: StateId,
    step: Label,
    event: OperationId,
    to: Option<Fingerprint>,
}

/// What is known of the step of a look of an open state.
#[derive(Clone, Copy)]
struct Ahead {
    who: ThreadSet,
    leads: Leads,
}

/// Where it leads.
#[derive(Clone, Copy)]
enum Leads {
    Unasked,
    Anywhere,
    To(Fingerprint),
    /// To a state that was met, and probably has this number.
    Back(Fingerprint, StateId),
}

struct Explorer<'m, M: Machine> {
    ground: Ground<'m, M>,
    form: Form,
    flows: Flows<'m>,
    hand: Option<&'m Hand<'m, StateId>>,
    lessons: Lessons,
    learning: Learning,
    open: Vec<Open>,
    /// An edge from the last open state to one that was met before. It is minded only when the next step has been taken: until
    /// then, what has to come from memory is on its way.
    pending: Option<(StateId, OperationId, StateId)>,
    /// The last state that the search came to was one that it had not met.
    last_was_new: bool,
    /// For each of `Ground::seen`, as far as there is any.
    ahead: Vec<Ahead>,
    /// How many of the states that were left last had all explored that can move: `FULL` if it was all of them.
    fullness: u32,
    /// Room for the next operations of a state.
    next: Vec<u64>,
    /// Where the trail has come to.
    current: StateId,
    /// Or its machine was stopped on the way there: nothing more can be done with it.
    is_lost: bool,
    gives_up: &'m AtomicBool,
    may_go_round: &'m AtomicBool,
    /// The search ends where this thread can go on.
    watched: Option<Tid>,
}

impl<'m, M: Machine> Explorer<'m, M> {
    fn new(
        machine: &'m mut M,
        settings: &Settings,
        form: Form,
        joint: &'m Joint,
        hand: Option<&'m Hand<'m, StateId>>,
    ) -> Self {
        let turns = Turns::of(machine);
        Explorer {
            ground: Ground::new(machine, settings, &joint.common),
            form,
            flows: Flows::new(&joint.graph, hand.map(Hand::number), turns),
            hand,
            lessons: Lessons::default(),
            learning: Learning { operations: 0, until: settings.learns_for, quiet: settings.learns_for },
            open: Vec::new(),
            pending: None,
            last_was_new: true,
            ahead: Vec::new(),
            fullness: 0,
            next: Vec::new(),
            current: 0,
            is_lost: false,
            gives_up: &joint.gives_up,
            may_go_round: &joint.may_go_round,
            watched: None,
        }
    }

    /// Explores until nothing is left for anybody, or somebody ends the search.
    fn work<S: Search<M>>(&mut self, search: &mut S) -> Flow {
        let graph = self.flows.graph;
        let mut flow = Flow::Continue;
        if self.hand.is_none_or(Hand::begins) {
            flow = self.arrive(None, None, search);
        }
        if flow == Flow::Continue {
            flow = self.explore(search);
        }
        // Those who come later know no more than this.
        if self.hand.is_none_or(Hand::begins) {
            self.end_learning();
        }
        loop {
            if flow == Flow::Stop {
                self.hand.inspect(|hand| hand.stop());
                return flow;
            }
            let minds_cycles = || self.form.proviso && self.may_go_round.load(Ordering::Relaxed);
            let more = || if minds_cycles() { graph.mind_cycles() } else { Vec::new() };
            if self.flows.turns.is_some() && minds_cycles() && graph.has_bottom() {
                self.ground.trail.walk.machine.must_not_change_places("the program may run for ever");
                return Flow::Stop;
            }
            match self.hand {
                None => self.flows.work = more(),
                Some(hand) => self.flows.work.extend(hand.next_or(|| search.tick(), more)),
            }
            let Some(&first) = self.flows.work.first() else { return flow };
            self.lessons = lock(&graph.lessons).clone();
            let before = self.ground.trail.walk.totals.transitions;
            flow = self.explore(search);
            let done = self.ground.trail.walk.totals.transitions - before;
            self.hand.inspect(|hand| hand.weigh(u64::from(graph.depth(first)), done));
        }
    }

    /// Explores what lies on its own way.
    fn explore(&mut self, search: &mut impl Search<M>) -> Flow {
        let mut flow = Flow::Continue;
        while flow == Flow::Continue {
            let Some(Taken { from: u, step, event, to }) = self.next_step(search) else {
                if !self.reopen() {
                    break;
                }
                continue;
            };
            self.go(u);
            if self.is_lost {
                break;
            }
            self.ground.trail.walk.totals.transitions += 1;
            if self.ground.goes_round(&step) {
                self.goes_round();
                self.connect(u, event, u);
            } else {
                self.ground.trail.begin(step);
                flow = self.arrive(Some((u, event)), to, search);
            }
            let transitions = self.ground.trail.walk.totals.transitions;
            if self.is_learning() {
                self.learn(transitions);
            } else if self.hand.is_some_and(Hand::is_wanted) {
                self.share();
            }
            if flow == Flow::Continue && self.ground.trail.walk.ticks.are_due() {
                flow = self.tick(search);
            }
        }
        if self.is_lost { self.ground.trail.stopped(search) } else { flow }
    }

    #[cold]
    fn tick(&mut self, search: &mut impl Search<M>) -> Flow {
        search.stored(self.flows.graph.len() as u64);
        if search.is_short_of_memory() {
            self.gives_up.store(true, Ordering::Relaxed);
            return Flow::Stop;
        }
        match search.tick() {
            Flow::Continue => self.hand.map_or(Flow::Continue, Hand::tick),
            stop => stop,
        }
    }

    fn is_learning(&self) -> bool {
        self.lessons.operations == u32::MAX
    }

    fn learn(&mut self, transitions: u64) {
        let operations = self.ground.operations.count();
        if operations > self.learning.operations {
            self.learning.operations = operations;
            self.learning.until = transitions + self.learning.quiet;
        }
        if transitions >= self.learning.until || operations >= MOST_COMPARED {
            self.end_learning();
        }
    }

    fn end_learning(&mut self) {
        if self.is_learning() {
            self.lessons.operations = self.ground.operations.count();
            lock(&self.flows.graph.lessons).operations = self.lessons.operations;
        }
    }

    /// Gives a state away that has something to explore: one to which it would have to come back, or the first of its path.
    #[cold]
    fn share(&mut self) {
        let (Some(hand), graph) = (self.hand, self.flows.graph) else { return };
        while let Some(state) = self.flows.work.pop() {
            if !graph.left(state).is_empty() {
                return hand.give(state);
            }
        }
        let chosen = |open: &[Open]| {
            let at = hand.choose((0..open.len()).filter(|&at| !graph.left(open[at].state).is_empty()));
            at.map(|at| (at, open[at].state))
        };
        let mut found = chosen(&self.open);
        if found.is_none_or(|(at, _)| at + 1 == self.open.len()) {
            self.tell_the_way();
            found = chosen(&self.open);
        }
        found.inspect(|&(_, state)| hand.give(state));
    }

    /// What may come after a state is known to those before it when the search leaves it. Somebody waits for work: what is known by
    /// now may say what else is to be explored from the first states of the path, where there is most of it.
    fn tell_the_way(&mut self) {
        for at in (0..self.open.len()).rev() {
            if std::mem::take(&mut self.open[at].was_found) {
                self.flows.connect_way(self.ground.labelled(), self.open[at].state);
            }
        }
    }

    #[inline]
    fn go(&mut self, to: StateId) {
        if self.current != to {
            self.go_there(to);
        }
    }

    fn go_there(&mut self, to: StateId) {
        let (operations, labels) = self.ground.labelled();
        if operations.is_behind() {
            operations.catch_up(labels);
        }
        let Ground { trail, operations, .. } = &mut self.ground;
        self.is_lost |= !go(trail, &(self.flows.graph, &*operations), self.current, to);
        self.current = to;
    }

    fn connect(&mut self, u: StateId, event: OperationId, v: StateId) {
        self.flows.connect(self.ground.labelled(), u, event, v);
    }

    fn mind_pending(&mut self) {
        if let Some(edge) = self.pending.take() {
            self.mind(edge);
        }
    }

    /// An edge from the last open state to one that was met before.
    fn mind(&mut self, (u, event, v): (StateId, OperationId, StateId)) {
        let last = self.open.last_mut().expect("it was come from somewhere");
        let (graph, is_open) = (self.flows.graph, self.flows.is_mine(v));
        last.leads_on |= !is_open;
        if self.hand.map_or(is_open, |_| graph.depth(v) <= graph.depth(u)) {
            self.goes_round();
        }
        self.connect(u, event, v);
    }

    fn goes_round(&self) {
        // It is read by all, and seldom written.
        if !self.may_go_round.load(Ordering::Relaxed) {
            self.may_go_round.store(true, Ordering::Relaxed);
        }
    }

    /// The next step of the last open state that has one. States without one are left.
    fn next_step(&mut self, search: &mut impl Search<M>) -> Option<Taken> {
        let graph = self.flows.graph;
        // Whether their steps lead to known states has been looked at, of the last open state.
        let mut looked_at = ThreadSet::default();
        loop {
            let is_learning = self.is_learning();
            let last = self.open.last_mut()?;
            let u = last.state;
            let from = last.looks as usize;
            while let Some(&look) = self.ground.seen.get(from + last.look as usize) {
                if last.exploring.contains(self.ground.looks.who(look)) {
                    let at = last.step as usize;
                    if let Some(&step) = self.ground.looks.get(look).steps.get(at) {
                        let to = match self.ahead.get(from + last.look as usize).map(|ahead| ahead.leads) {
                            Some(Leads::To(state) | Leads::Back(state, _)) => Some(state),
                            _ => None,
                        };
                        last.step += 1;
                        return Some(Taken { from: u, step, event: self.ground.event(look, at), to });
                    }
                    if !last.exploring.is_crowded() {
                        last.look = NOBODY;
                        break;
                    }
                }
                last.look += 1;
                last.step = 0;
            }
            let mut left = graph.left(u);
            if left.is_empty() && self.pending.is_some() {
                self.mind_pending();
                continue;
            }
            // Mostly there is somebody else to explore then. If not, it is found out later.
            if left.is_empty() && self.form.proviso && is_learning && !last.leads_on {
                self.flows.choose_all(u);
                left = graph.left(u);
            }
            if !left.is_within(looked_at) {
                looked_at = left;
                if self.pass_known(u, left, search) {
                    continue;
                }
            }
            let last = self.open.last_mut()?;
            if !left.is_empty() {
                let mut threads = self.ground.seen[from..].iter().map(|&look| self.ground.looks.who(look));
                let at = threads.position(|tid| left.contains(tid)).expect("it can move");
                let first = ThreadSet::of(self.ground.looks.who(self.ground.seen[from + at]));
                if self.flows.take(u, first) {
                    (last.exploring, last.look, last.step) = (first, at as u32, 0);
                }
                continue;
            }
            self.fullness += u32::from(graph.is_full(u)) * FULL / 16;
            self.fullness -= self.fullness / 16;
            self.flows.leave(u);
            self.ground.seen.truncate(last.looks as usize);
            let was_found = last.was_found;
            looked_at = ThreadSet::default();
            self.open.pop();
            if was_found {
                self.flows.connect_way(self.ground.labelled(), u);
            }
        }
    }

    /// Steps to states that were met before need not be taken, if the machine knows where they lead. Of those that are left to be
    /// explored from the last open state they are looked for at the same time: what they need comes from memory, which takes longer
    /// than all the rest. Whether there were any.
    fn pass_known(&mut self, u: StateId, left: ThreadSet, search: &mut impl Search<M>) -> bool {
        self.go(u);
        if self.is_lost {
            return false;
        }
        let Some(last) = self.open.last() else { return false };
        let (from, asks) = (last.looks as usize, !left.is_within(last.asked));
        self.ahead.truncate(self.ground.seen.len());
        if asks {
            self.foresee(u, from, left);
        }
        self.mind_pending();
        let graph = self.flows.graph;
        let mut times = 0;
        for Ahead { who, leads } in &mut self.ahead[from..] {
            let is_left = who.is_within(left);
            match *leads {
                Leads::To(key) if is_left || asks => match graph.guess(key) {
                    Some(guess) => *leads = Leads::Back(key, guess),
                    None => continue,
                },
                Leads::Back(_, state) if is_left => graph.fetch(state),
                _ => continue,
            }
            times += u64::from(is_left);
        }
        // Somebody may want to look at it.
        times != 0 && !search.redundant(self.ground.trail.walk.machine, times) && self.pass(u, from, left)
    }

    /// Asks where the steps lead that are left to be explored from the last open state.
    fn foresee(&mut self, u: StateId, from: usize, left: ThreadSet) {
        // Where others are explored as well, as a rule, what they need may come at the same time.
        let wanted = if self.fullness > FULL / 2 { ThreadSet::from_bits(u64::MAX) } else { left };
        if let Some(last) = self.open.last_mut() {
            last.asked = last.asked.with(wanted);
        }
        let (graph, Ground { trail, looks, seen, depth_bound, .. }) = (self.flows.graph, &mut self.ground);
        let unasked = |&look| Ahead { who: looks.only_step(look).0, leads: Leads::Unasked };
        self.ahead.extend(seen[self.ahead.len()..].iter().map(unasked));
        let (here, can_foresee) = (graph.key(u), trail.walk.machine.can_foresee());
        for (ahead, &look) in self.ahead[from..].iter_mut().zip(&seen[from..]) {
            if !matches!(ahead.leads, Leads::Unasked) || !ahead.who.is_within(wanted) {
                continue;
            }
            let step = looks.only_step(look).1.filter(|_| can_foresee && !ahead.who.is_crowded());
            ahead.leads = match step.and_then(|step| trail.look_ahead(here, step, *depth_bound)) {
                Some(key) => {
                    graph.expect(key);
                    Leads::To(key)
                }
                None => Leads::Anywhere,
            };
        }
    }

    /// Passes those that are left and lead back to states that were met. Whether there were any.
    fn pass(&mut self, u: StateId, from: usize, left: ThreadSet) -> bool {
        let before = self.ground.trail.walk.totals.transitions;
        for at in from..self.ahead.len() {
            let Ahead { who, leads } = self.ahead[at];
            let Leads::Back(key, guess) = leads else { continue };
            if !who.is_within(left) {
                continue;
            }
            let Some(v) = self.flows.graph.settle(key, guess) else { continue };
            // Others may have taken it.
            if self.flows.take(u, who) {
                let totals = &mut self.ground.trail.walk.totals;
                totals.transitions += 1;
                totals.blocked += 1;
                let event = self.ground.event(self.ground.seen[at], 0);
                self.mind((u, event, v));
            }
        }
        self.ground.trail.walk.totals.transitions != before
    }

    /// Comes back to a state that has something to explore again.
    fn reopen(&mut self) -> bool {
        while let Some(u) = self.flows.work.pop() {
            if self.flows.graph.left(u).is_empty() {
                continue;
            }
            if self.hand.is_none() {
                self.goes_round();
            }
            self.flows.come_to(u);
            self.go(u);
            if self.is_lost {
                return false;
            }
            self.ground.look();
            self.ahead.clear();
            // Somebody has looked after that, or will.
            self.open.push(Open { leads_on: true, ..Open::at(u, false) });
            return true;
        }
        false
    }

    /// The trail has come to a state, but for the mark, which may be known. If it is a new one, it is the current one now; if not, the
    /// trail goes back.
    fn arrive(
        &mut self,
        edge: Option<(StateId, OperationId)>,
        state: Option<Fingerprint>,
        search: &mut impl Search<M>,
    ) -> Flow {
        debug_assert!(state.is_none_or(|state| state == self.ground.state()));
        let (state, fresh) = (state.unwrap_or_else(|| self.ground.state()), self.flows.next_state());
        self.flows.graph.expect(state);
        if edge.is_some() {
            self.ground.trail.end_step();
        }
        self.mind_pending();
        let looks = self.ground.seen.len();
        // If it is a new one, that must be done anyway, and takes as long as the table takes to answer.
        let has_looked = self.last_was_new;
        if has_looked {
            self.ground.look();
        }
        let (v, is_new) = self.flows.graph.enter(state, fresh, self.ground.trail.len() as u32);
        // What is done next may change them.
        let cast = self.ground.trail.walk.machine.cast().to_vec();
        self.last_was_new = is_new;
        if !is_new {
            self.flows.graph.fetch(v);
            self.ground.seen.truncate(looks);
            let flow = self.ground.leave_known(search);
            if flow == Flow::Continue {
                let (u, event) = edge.expect("the first state is new");
                let event = match &mut self.flows.turns {
                    Some(turns) => turns.event(event, v, &cast),
                    None => event,
                };
                self.pending = Some((u, event, v));
            }
            return flow;
        }
        if !has_looked {
            self.ground.look();
        }
        let flow = self.ground.judge(looks, search);
        let all = &self.ground.seen[looks..];
        self.next.resize(self.ground.operations.width(), 0);
        let present = self.ground.looks.present(all, &self.lessons, &mut self.next);
        let (mut enabled, mut first) = (ThreadSet::default(), ThreadSet::default());
        if !self.ground.is_at_bound() {
            enabled = present.enabled;
            first = self.ground.first(&self.lessons, &present, looks);
        }
        self.flows.add_state(edge, &self.next, (enabled, first));
        if let Some(turns) = &mut self.flows.turns {
            turns.found(v, &cast);
        }
        self.flows.come_to(v);
        self.flows.tell_those_who_came(self.ground.labelled(), v);
        if let Some(last) = self.open.last_mut() {
            last.leads_on = true;
        }
        self.ahead.truncate(looks);
        self.open.push(Open { looks: looks as u32, ..Open::at(v, edge.is_some()) });
        self.current = v;
        if self.watched.is_some_and(|who| self.escapes(who, enabled)) { Flow::Stop } else { flow }
    }
}
