//! What is kept of the states, for all workers of a search.
//!
//! What is explored in the end does not hang on the order in which it is explored, nor on how many explore: sets only grow,
//! each by what follows from others, until nothing follows any more. So no worker waits for another. Two things must not
//! be missed.
//!
//! *Futures.* Who adds an edge first puts it on the list of edges into `v`, or says that the one by which `v` was found counts, and then reads the future of `v`; who adds to
//! that future then reads the list. All this is in one order that everybody agrees on (`SeqCst`), so one of the two sees what
//! the other did. It is the same with operations that a worker does not know yet: who met them lets them flow.
//!
//! *Threads to be explored.* Who chooses one for a state that is not open on its own path comes to that state later, and
//! explores what nobody else has taken by then. So whatever is chosen lies ahead of somebody.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use threadbare_core::Fingerprint;

use super::bottom::Ends;
use super::company::Company;
use super::looks::Lessons;
use super::room::Zero;
use super::sets::{Columns, Futures, Near, OperationId, Operations, ThreadSet};
use super::shelves::Shelves;
use super::table::Table;
use super::turns::Turns;
use crate::crew::lock;
use crate::label::{Label, Labels};
use crate::strategies::tree::Tree;

pub type StateId = u32;

/// Numbers of states and edges are given out in blocks, so that workers seldom write side by side.
const BLOCK: u32 = 64;

/// The edge by which a state was found counts as explored. It needs no place among the edges.
const EXPLORED: u32 = 1 << 31;

/// Numbers of operations are below 2^24 where states are found by them. Workers beyond the 255th own nothing: they come back to
/// states that they are in the middle of, and find nothing to do.
const OWNER: u32 = 24;
const EVENTS: u32 = (1 << OWNER) - 1;
const MOST_OWNERS: usize = 255;

/// What is kept of a state that was met, in a line of the cache. The state of a number that nobody has used is one at which nobody
/// can move.
#[derive(Default)]
struct State {
    /// Its fingerprint.
    key: [AtomicU64; 2],
    /// The state from which it was found; of the first state, itself.
    parent: AtomicU32,
    /// By which operation; and in the bits from `OWNER` on who has it on its path: one more than the number of a worker. It may
    /// be on the paths of others, too.
    event: AtomicU32,
    depth: AtomicU32,
    /// One more than the last explored edge that leads here besides the one by which it was found, and `second`; 0 if none does.
    /// `EXPLORED` tells of the one by which it was found.
    edges: AtomicU32,
    /// The first edge that led here besides that one, packed; 0 if there is none.
    second: AtomicU64,
    threads: Threads,
    /// What may come after it: see `sets`.
    future: Near,
}

const _: () = assert!(size_of::<State>() == 64);

// SAFETY: numbers.
unsafe impl Zero for State {}
// SAFETY: numbers.
unsafe impl Zero for Edge {}

impl State {
    #[inline]
    fn key(&self) -> Fingerprint {
        let [low, high] = &self.key;
        Fingerprint(u128::from(low.load(Ordering::Relaxed)) | u128::from(high.load(Ordering::Relaxed)) << 64)
    }

    fn was_found(&self, (parent, event): (StateId, OperationId)) {
        self.parent.store(parent, Ordering::Relaxed);
        self.event.store(event, Ordering::Relaxed);
    }

    fn way(&self) -> (StateId, OperationId) {
        (self.parent.load(Ordering::Relaxed), self.event.load(Ordering::Relaxed) & EVENTS)
    }
}

/// The threads that can move at a state, those of them that were or will be explored (*chosen*), and those of them that somebody
/// explores or has explored (*taken*). Threads become one after the other, so that two bits of each tell all.
#[derive(Default)]
struct Threads {
    /// Those that can move and were not taken.
    untaken: AtomicU64,
    chosen: AtomicU64,
}

impl Threads {
    /// Nobody else writes to it yet.
    fn begin(&self, enabled: ThreadSet, chosen: ThreadSet) {
        debug_assert!(chosen.is_within(enabled));
        self.untaken.store(enabled.bits(), Ordering::Relaxed);
        self.chosen.store(chosen.bits(), Ordering::Relaxed);
    }

    /// In this order: what was taken in between was chosen before.
    #[inline]
    fn both(&self) -> [u64; 2] {
        let untaken = self.untaken.load(Ordering::SeqCst);
        [untaken, self.chosen.load(Ordering::SeqCst)]
    }

    #[inline]
    fn enabled(&self) -> ThreadSet {
        let [untaken, chosen] = self.both();
        ThreadSet::from_bits(untaken | chosen)
    }

    #[inline]
    fn chosen(&self) -> ThreadSet {
        ThreadSet::from_bits(self.chosen.load(Ordering::SeqCst))
    }

    #[inline]
    fn are_all_chosen(&self) -> bool {
        let [untaken, chosen] = self.both();
        untaken & !chosen == 0
    }

    fn taken(&self) -> ThreadSet {
        let [untaken, chosen] = self.both();
        ThreadSet::from_bits(chosen & !untaken)
    }

    /// Chosen and not taken.
    #[inline]
    fn left(&self) -> ThreadSet {
        let [untaken, chosen] = self.both();
        ThreadSet::from_bits(chosen & untaken)
    }

    /// Some of those that can move. Whether not all of them were chosen already.
    fn choose(&self, company: Company, threads: ThreadSet) -> bool {
        debug_assert!(threads.is_within(self.enabled()));
        !threads.is_within(ThreadSet::from_bits(company.add_bits(&self.chosen, threads.bits())))
    }

    /// One of the chosen. Whether nobody else has taken it.
    fn take(&self, company: Company, thread: ThreadSet) -> bool {
        debug_assert!(thread.is_within(self.chosen()));
        company.remove_bits(&self.untaken, thread.bits()) & thread.bits() != 0
    }
}

/// An edge in one word, which is not 0.
fn pack((from, event): (StateId, OperationId)) -> u64 {
    (u64::from(from) + 1) << 32 | u64::from(event)
}

fn unpack(edge: u64) -> Option<(StateId, OperationId)> {
    Some((((edge >> 32) as u32).checked_sub(1)?, edge as u32))
}

/// An explored edge that is neither the one by which a state was found nor its second.
#[derive(Default)]
struct Edge {
    from: AtomicU32,
    event: AtomicU32,
    /// One more than the one before that leads to the same state.
    next: AtomicU32,
}

impl Edge {
    fn get(&self) -> (StateId, OperationId) {
        (self.from.load(Ordering::Relaxed), self.event.load(Ordering::Relaxed))
    }

    fn set(&self, (from, event): (StateId, OperationId)) {
        self.from.store(from, Ordering::Relaxed);
        self.event.store(event, Ordering::Relaxed);
    }
}

pub struct Graph {
    known: Table,
    states: Shelves<State>,
    edges: Shelves<Edge>,
    futures: Columns,
    /// So many numbers were given out.
    state_numbers: AtomicU32,
    edge_numbers: AtomicU32,
    /// Of those of states, so many will not be used: who had them has gone.
    unused_numbers: AtomicU32,
    pub lessons: Mutex<Lessons>,
    /// The bottom components as they were when somebody last looked, and what that told for the next time.
    bottom: Mutex<(Vec<Vec<StateId>>, Ends)>,
}

impl Tree for (&Graph, &Operations<'_>) {
    fn parent(&self, state: StateId) -> Option<(StateId, Label)> {
        let (parent, event) = self.0.states.at(state).way();
        (parent != state).then(|| (parent, self.1.label(event)))
    }

    fn depth(&self, state: StateId) -> u32 {
        self.0.depth(state)
    }
}

impl Graph {
    pub fn new(workers: usize) -> Graph {
        Graph {
            known: Table::new(workers),
            states: Shelves::default(),
            edges: Shelves::default(),
            futures: Columns::default(),
            state_numbers: AtomicU32::default(),
            edge_numbers: AtomicU32::default(),
            unused_numbers: AtomicU32::default(),
            lessons: Mutex::default(),
            bottom: Mutex::default(),
        }
    }

    pub fn bytes(&self) -> usize {
        let states = self.len();
        let edges = self.edge_numbers.load(Ordering::Relaxed) as usize;
        states * (size_of::<State>() - size_of::<Fingerprint>())
            + edges * size_of::<Edge>()
            + self.futures.bytes(states)
            + lock(&self.bottom).1.bytes()
    }

    /// How many states there are; as long as workers explore, a few more.
    pub fn len(&self) -> usize {
        let given = self.state_numbers.load(Ordering::Relaxed);
        given.saturating_sub(self.unused_numbers.load(Ordering::Relaxed)) as usize
    }

    /// The bytes that the search among them takes.
    pub fn table_bytes(&self) -> usize {
        self.known.bytes() + self.len() * size_of::<Fingerprint>()
    }

    /// Somebody is going to ask soon whether there is such a state.
    #[inline]
    pub fn expect(&self, key: Fingerprint) {
        self.known.fetch(key);
    }

    /// The same, a while later: somebody will look at that state, too. The number that it probably has, if it was met.
    #[inline]
    pub fn guess(&self, key: Fingerprint) -> Option<StateId> {
        let state = self.known.find(key, |_| true);
        state.inspect(|&state| self.fetch(state))
    }

    /// The number of a state of which there was a guess.
    #[inline]
    pub fn settle(&self, key: Fingerprint, guess: StateId) -> Option<StateId> {
        if self.key(guess) == key { Some(guess) } else { self.find(key) }
    }

    /// Whether all that can move are to be explored.
    pub fn is_full(&self, state: StateId) -> bool {
        self.states.at(state).threads.are_all_chosen()
    }

    #[inline]
    pub fn key(&self, state: StateId) -> Fingerprint {
        self.states.at(state).key()
    }

    /// The number of a state, if it was met.
    fn find(&self, key: Fingerprint) -> Option<StateId> {
        self.known.find(key, |state| self.states.at(state).key() == key)
    }

    /// The number of a state, and whether it is new: then it gets this one, and was met that deep.
    #[inline]
    pub fn enter(&self, key: Fingerprint, fresh: StateId, depth: u32) -> (StateId, bool) {
        let keep = || {
            let state = self.states.at(fresh);
            state.key[0].store(key.0 as u64, Ordering::Relaxed);
            state.key[1].store((key.0 >> 64) as u64, Ordering::Relaxed);
            state.depth.store(depth, Ordering::Relaxed);
        };
        self.known.enter(key, fresh, |state| self.states.at(state).key() == key, keep)
    }

    /// All numbers that a state may have.
    pub fn numbers(&self) -> std::ops::Range<StateId> {
        0..self.state_numbers.load(Ordering::SeqCst)
    }

    pub fn depth(&self, state: StateId) -> u32 {
        self.states.at(state).depth.load(Ordering::Relaxed)
    }

    /// Somebody is going to look at it soon.
    #[inline]
    pub fn fetch(&self, state: StateId) {
        self.states.fetch(state);
    }

    pub fn enabled(&self, state: StateId) -> ThreadSet {
        self.states.at(state).threads.enabled()
    }

    /// Those that are to be explored, and that nobody has taken.
    pub fn left(&self, state: StateId) -> ThreadSet {
        self.states.at(state).threads.left()
    }

    /// Another number whenever there is one edge more that leads there; 0 if none does.
    pub fn newest_edge(&self, state: StateId) -> u32 {
        let it = self.states.at(state);
        let (edges, second) = (it.edges.load(Ordering::SeqCst), it.second.load(Ordering::SeqCst));
        // The list has no such number.
        if edges & !EXPLORED == 0 && second != 0 { edges | !EXPLORED } else { edges }
    }

    /// Where the edges that lead to a state come from, and by what.
    pub fn edges_to(&self, state: StateId) -> impl Iterator<Item = (StateId, OperationId)> {
        let it = self.states.at(state);
        let (edges, second) = (it.edges.load(Ordering::SeqCst), it.second.load(Ordering::SeqCst));
        let way = (edges & EXPLORED != 0).then(|| it.way());
        way.into_iter().chain(unpack(second)).chain(self.other_edges(edges).map(Edge::get))
    }

    fn other_edges(&self, edges: u32) -> impl Iterator<Item = &Edge> {
        let edge = |number: u32| number.checked_sub(1).map(|at| self.edges.at(at));
        std::iter::successors(edge(edges & !EXPLORED), move |it| edge(it.next.load(Ordering::Relaxed)))
    }

    /// A state is found by another one of the edges that lead to it: the two change places.
    fn find_by(&self, state: StateId, way: (StateId, OperationId), depth: u32) {
        let it = self.states.at(state);
        let before = it.way();
        if unpack(it.second.load(Ordering::SeqCst)) == Some(way) {
            it.second.store(pack(before), Ordering::SeqCst);
        } else if before != way {
            let mut others = self.other_edges(it.edges.load(Ordering::SeqCst));
            others.find(|edge| edge.get() == way).expect("an edge that leads there").set(before);
        }
        it.was_found(way);
        it.depth.store(depth, Ordering::Relaxed);
    }

    /// Everything was explored: how each state was found becomes a shortest way of those that were explored.
    pub fn shorten_ways(&self) {
        let mut edges: Vec<(StateId, StateId, OperationId)> = Vec::new();
        for to in self.numbers() {
            edges.extend(self.edges_to(to).map(|(from, event)| (from, to, event)));
        }
        edges.sort_unstable();
        let mut met = vec![false; self.numbers().len()];
        met[0] = true;
        let mut open = VecDeque::from([0]);
        while let Some(from) = open.pop_front() {
            let first = edges.partition_point(|edge| edge.0 < from);
            let depth = self.depth(from) + 1;
            for &(_, to, event) in edges[first..].iter().take_while(|edge| edge.0 == from) {
                if !std::mem::replace(&mut met[to as usize], true) {
                    self.find_by(to, (from, event), depth);
                    open.push_back(to);
                }
            }
        }
    }

    /// The bottom components, when everything was explored.
    pub fn bottom(&self) -> Vec<Vec<StateId>> {
        std::mem::take(&mut lock(&self.bottom).0)
    }

    pub fn has_bottom(&self) -> bool {
        !self.look_for_bottom().0.is_empty()
    }

    fn look_for_bottom(&self) -> MutexGuard<'_, (Vec<Vec<StateId>>, Ends)> {
        let mut looked = lock(&self.bottom);
        looked.0 = looked.1.bottom_components(self);
        looked
    }

    /// Nothing flows any more, and nobody explores. Nobody is left out for ever: who can move somewhere in a bottom component is
    /// explored somewhere in it. What there is to explore again.
    pub fn mind_cycles(&self) -> Vec<StateId> {
        let mut went_round = ThreadSet::default();
        let mut work = Vec::new();
        let mut choose = |state: StateId, who: ThreadSet| {
            if self.states.at(state).threads.choose(Company { alone: false }, who) {
                work.push(state);
            }
        };
        for component in &self.look_for_bottom().0 {
            let union = |of: fn(&Threads) -> ThreadSet| {
                let all = component.iter().map(|&state| of(&self.states.at(state).threads));
                all.fold(ThreadSet::default(), ThreadSet::with)
            };
            let (enabled, taken) = (union(Threads::enabled), union(Threads::taken));
            if enabled.is_within(taken) && !enabled.is_crowded() {
                continue;
            }
            went_round = went_round.with(taken);
            let mut left_out = enabled.without(taken);
            // Those who share a bit may be somebody else every time.
            for &state in component.iter().filter(|&&state| self.enabled(state).is_crowded()) {
                choose(state, self.enabled(state));
                left_out = left_out.without(self.enabled(state));
            }
            // In an order that is the same for any numbers of states.
            let first = |who: ThreadSet| {
                let can_move = component.iter().filter(|&&state| !self.enabled(state).and(who).is_empty());
                can_move.min_by_key(|&&state| self.key(state))
            };
            while let Some(&state) = first(left_out) {
                choose(state, self.enabled(state).and(left_out));
                left_out = left_out.without(self.enabled(state));
            }
        }
        if went_round.is_empty() {
            return work;
        }
        work.sort_unstable_by_key(|&state| self.key(state));
        lock(&self.lessons).went_round(went_round);
        work
    }
}

/// What one worker writes to the graph.
pub struct Flows<'s> {
    pub graph: &'s Graph,
    /// One more than the number of the worker, at its place in `State::event`; 0 if it owns nothing.
    worker: u32,
    company: Company,
    futures: Futures<'s>,
    states: std::ops::Range<StateId>,
    edges: std::ops::Range<u32>,
    /// States that are not on its path, and that have something to explore.
    pub work: Vec<StateId>,
    /// Edges whose ends have a new future.
    news: Vec<(StateId, OperationId, StateId)>,
    pub turns: Option<Turns>,
}

/// The next number.
fn draw(block: &mut std::ops::Range<u32>, given: &AtomicU32) -> u32 {
    if block.start == block.end {
        let start = given.fetch_add(BLOCK, Ordering::SeqCst);
        assert!(start < EXPLORED - (1 << 20), "more than two billion states or edges");
        *block = start..start + BLOCK;
    }
    block.next().expect("a block has some")
}

impl Drop for Flows<'_> {
    fn drop(&mut self) {
        self.graph.unused_numbers.fetch_add(self.states.len() as u32, Ordering::Relaxed);
    }
}

impl<'s> Flows<'s> {
    /// `worker` is its number, if it is not alone.
    pub fn new(graph: &'s Graph, worker: Option<usize>, turns: Option<Turns>) -> Self {
        let (company, worker) = (Company { alone: worker.is_none() }, worker.unwrap_or(0));
        Flows {
            graph,
            worker: if worker < MOST_OWNERS { (worker as u32 + 1) << OWNER } else { 0 },
            company,
            futures: Futures::new(&graph.futures, company),
            states: 0..0,
            edges: 0..0,
            work: Vec::new(),
            news: Vec::new(),
            turns,
        }
    }

    /// The number that the next new state gets.
    pub fn next_state(&mut self) -> StateId {
        if self.states.start == self.states.end {
            let next = draw(&mut self.states, &self.graph.state_numbers);
            self.states.start = next;
        }
        self.states.start
    }

    /// A new state with that number, which was found by an edge from `parent`.
    pub fn add_state(
        &mut self,
        parent: Option<(StateId, OperationId)>,
        next: &[u64],
        (enabled, first): (ThreadSet, ThreadSet),
    ) -> StateId {
        let state = self.states.next().expect("it was asked for");
        let it = self.graph.states.at(state);
        let way = parent.unwrap_or((state, 0));
        assert!(way.1 <= EVENTS, "more than sixteen million operations");
        it.was_found(way);
        it.threads.begin(enabled, first);
        self.futures.widen(next.len());
        self.futures.begin((state, &it.future), next);
        // Others may have met it by now, and lead edges to it; nothing else of it is theirs to write before its own edges are
        // explored. What they have not read here is told to those whose edges are read from now on.
        self.company.fence();
        state
    }

    #[inline]
    pub fn is_mine(&self, state: StateId) -> bool {
        let owner = self.graph.states.at(state).event.load(Ordering::Relaxed) & !EVENTS;
        owner == self.worker && owner != 0
    }

    pub fn come_to(&self, state: StateId) {
        let event = &self.graph.states.at(state).event;
        event.store(event.load(Ordering::Relaxed) & EVENTS | self.worker, Ordering::Relaxed);
    }

    /// From now on, somebody must come back to it if there is something to explore.
    pub fn leave(&self, state: StateId) {
        let event = &self.graph.states.at(state).event;
        let now = event.load(Ordering::Relaxed);
        if now & !EVENTS == self.worker {
            if self.company.alone {
                event.store(now & EVENTS, Ordering::Relaxed);
                return;
            }
            _ = event.compare_exchange(now, now & EVENTS, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    pub fn choose_all(&self, state: StateId) {
        let threads = &self.graph.states.at(state).threads;
        threads.choose(self.company, threads.enabled());
    }

    /// Whether nobody else has taken it.
    pub fn take(&self, state: StateId, thread: ThreadSet) -> bool {
        self.graph.states.at(state).threads.take(self.company, thread)
    }

    /// These threads are to be explored from a state, or all that can move if one of them cannot.
    fn choose(&mut self, state: StateId, threads: ThreadSet) {
        let of = &self.graph.states.at(state).threads;
        if threads.is_within(of.chosen()) {
            return;
        }
        let enabled = of.enabled();
        let threads = if threads.is_within(enabled) && !threads.is_crowded() { threads } else { enabled };
        if of.choose(self.company, threads) && !self.is_mine(state) {
            self.work.push(state);
        }
    }

    /// A new state: others may have come to it meanwhile.
    pub fn tell_those_who_came(&mut self, labelled: (&mut Operations, &mut Labels), state: StateId) {
        self.news_of(state);
        if !self.news.is_empty() {
            self.spread(labelled);
        }
    }

    /// An edge whose end the search has left, or met before: what comes after it is learned, by all that lead to it.
    pub fn connect(&mut self, labelled: (&mut Operations, &mut Labels), u: StateId, event: OperationId, v: StateId) {
        let to = self.graph.states.at(v);
        if !self.company.fill(&to.second, pack((u, event))) {
            let number = draw(&mut self.edges, &self.graph.edge_numbers);
            let edge = self.graph.edges.at(number);
            edge.set((u, event));
            self.company.change(&to.edges, |before| {
                edge.next.store(before & !EXPLORED, Ordering::Relaxed);
                (number + 1) | before & EXPLORED
            });
        }
        self.learn(labelled, (u, event, v));
    }

    /// The same for the edge by which a state was found.
    pub fn connect_way(&mut self, labelled: (&mut Operations, &mut Labels), v: StateId) {
        let it = self.graph.states.at(v);
        self.company.change(&it.edges, |edges| edges | EXPLORED);
        let (u, event) = it.way();
        self.learn(labelled, (u, event, v));
    }

    /// What comes after an edge is learned by all that lead to it.
    #[inline]
    fn learn(&mut self, (operations, labels): (&mut Operations, &mut Labels), edge: (StateId, OperationId, StateId)) {
        self.flow((operations, labels), edge);
        if !self.news.is_empty() {
            self.spread((operations, labels));
        }
    }

    fn spread(&mut self, (operations, labels): (&mut Operations, &mut Labels)) {
        while let Some(edge) = self.news.pop() {
            self.flow((operations, labels), edge);
        }
    }

    /// What may come after `v` may come after `u`, and counts for who is explored there.
    #[inline]
    fn flow(
        &mut self,
        (operations, labels): (&mut Operations, &mut Labels),
        (u, event, v): (StateId, OperationId, StateId),
    ) {
        if operations.is_behind() {
            operations.catch_up(labels);
        }
        self.futures.widen(operations.width());
        if self.turns.is_some() {
            return self.flow_turned((operations, labels), (u, event, v));
        }
        self.flow_straight((operations, labels), (u, event, v));
    }

    #[inline]
    fn flow_straight(
        &mut self,
        (operations, labels): (&mut Operations, &mut Labels),
        (u, event, v): (StateId, OperationId, StateId),
    ) {
        let (from, to) = (self.graph.states.at(u), self.graph.states.at(v));
        let after = (v, &to.future);
        // Where all are explored, nobody need be chosen.
        if !from.threads.are_all_chosen() {
            let threads = operations.conflicting(event, |word| self.futures.word(after, word), labels);
            self.choose(u, threads);
        }
        if self.futures.flow(after, (u, &from.future)) {
            self.news_of(u);
        }
    }

    /// The same where threads may have changed places.
    #[inline(never)]
    fn flow_turned(
        &mut self,
        (operations, labels): (&mut Operations, &mut Labels),
        (u, event, v): (StateId, OperationId, StateId),
    ) {
        let turns = self.turns.as_mut().expect("somebody may have");
        let (event, Some(turn)) = turns.split(event) else {
            return self.flow_straight((operations, labels), (u, event, v));
        };
        let to = (v, &self.graph.states.at(v).future);
        let future: Vec<u64> = (0..operations.width()).map(|word| self.futures.word(to, word)).collect();
        let future = turns.turn(turn, &future, operations, labels);
        self.futures.widen(operations.width());
        let threads = operations.conflicting(event, |word| future.get(word).copied().unwrap_or(0), labels);
        self.choose(u, threads);
        if self.futures.add_all((u, &self.graph.states.at(u).future), &future) {
            self.news_of(u);
        }
    }

    /// The future of a state has grown.
    fn news_of(&mut self, state: StateId) {
        self.news.extend(self.graph.edges_to(state).map(|(from, event)| (from, event, state)));
    }
}
