//! Strategies that try so many executions, each chosen by chance. They find bugs; what they do not find may be there.
//!
//! Threads that wait in a loop are parked, as in the searches: time is not spent on rounds that change nothing. Where nobody
//! else can move they go on, as long as they come to something.
//!
//! Execution i of a seed is the same, whoever executes it and how many workers there are: it has dice of its own, and what a
//! scheduler learns from executions it learns in rounds, each as long as all before it together. Workers execute side by
//! side, but the search is told of one execution after the other, so that the first bug is the first for any number of
//! workers, and what lies behind it counts for nothing.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use threadbare_core::{Machine, Random, Tid};

use super::Settings;
use super::walk::{Here, Loops, Walk};
use crate::crew::{Hand, Shared, Workers, lock};
use crate::search::{End, Flow, Search, Totals};

/// What was seen of executions.
#[derive(Clone, Default)]
pub struct Seen {
    pub executions: u64,
    /// The most threads of an execution that took a step.
    pub threads: usize,
    /// The most steps.
    pub steps: usize,
    /// The steps of each thread in all executions.
    pub steps_of: Vec<u64>,
    /// Who creates each thread.
    pub parents: Vec<Option<Tid>>,
}

impl Seen {
    /// An execution is over; it is on the walk's path.
    fn add<M: Machine>(&mut self, walk: &Walk<M>) {
        self.executions += 1;
        let mut movers: Vec<Tid> = walk.path.events.iter().map(|event| event.label.tid).collect();
        self.steps = self.steps.max(movers.len());
        for tid in &movers {
            if self.steps_of.len() <= tid.index() {
                self.steps_of.resize(tid.index() + 1, 0);
            }
            self.steps_of[tid.index()] += 1;
        }
        movers.sort_unstable();
        movers.dedup();
        self.threads = self.threads.max(movers.len());
        if self.parents.len() < walk.parents.len() {
            self.parents.resize(walk.parents.len(), None);
        }
        for (known, parent) in self.parents.iter_mut().zip(&walk.parents) {
            *known = known.or(*parent);
        }
    }
}

/// Picks the thread that goes on.
pub trait Scheduler<M: Machine> {
    /// Another execution begins.
    fn begin(&mut self, _dice: &mut Random, _so_far: &Arc<Seen>) {}

    /// One of the threads that can go on.
    fn pick(&mut self, walk: &mut Walk<M>, here: &Here, dice: &mut Random) -> Tid;

    /// What it is good for, in words.
    fn guarantee(&self, seen: &Seen) -> String;
}

pub fn sample<M: Machine, S: Search<M>, C: Scheduler<M>>(
    workers: &impl Workers<M, S>,
    machine: &mut M,
    settings: &Settings,
    search: &mut S,
    scheduler: impl Fn() -> C + Sync,
) -> Shared<M, S> {
    let runs = Runs::default();
    let mut shared = workers.explore((machine, search), |machine, search, hand: Option<&Hand<()>>| {
        let walk = Walk::new(machine, Loops::Park, settings);
        Worker { walk, scheduler: scheduler(), settings, runs: &runs, hand }.work(search)
    });
    let Order { told, seen, .. } = runs.order.into_inner().unwrap_or_else(PoisonError::into_inner);
    let executions = if told == 1 { "execution" } else { "executions" };
    let guarantee = scheduler().guarantee(&seen);
    let what = format!("{told} {executions} by chance (seed {}); {guarantee}", settings.seed);
    shared.totals.sampled = Some(what);
    shared
}

/// The executions of a search: which come next, and what came of those before.
#[derive(Default)]
struct Runs {
    order: Mutex<Order>,
    news: Condvar,
}

#[derive(Default)]
struct Order {
    begun: u64,
    /// Of how many the search was told.
    told: u64,
    seen: Seen,
    /// What was seen before this round.
    learned: Arc<Seen>,
    over: bool,
}

/// How often a worker that waits for another one looks after the limits of the search.
const BETWEEN_TICKS: Duration = Duration::from_millis(50);

struct Worker<'m, M: Machine, C> {
    walk: Walk<'m, M>,
    scheduler: C,
    settings: &'m Settings,
    runs: &'m Runs,
    hand: Option<&'m Hand<'m, ()>>,
}

impl<'m, M: Machine, C: Scheduler<M>> Worker<'m, M, C> {
    fn work(mut self, search: &mut impl Search<M>) -> Totals {
        while let Some((number, learned)) = self.next(search) {
            let before = self.walk.totals.clone();
            let mut dice = self.dice(number);
            self.scheduler.begin(&mut dice, &learned);
            let end = self.run(search, &mut dice);
            let was_told = end.is_some_and(|end| self.tell(number, end, search));
            if !was_told {
                self.walk.totals = before;
            }
            self.walk.start_again();
        }
        self.walk.totals
    }

    fn dice(&self, number: u64) -> Random {
        let seed = Random::new(self.settings.seed).word();
        Random::new(Random::new(seed.wrapping_add(number)).word())
    }

    /// The next execution, once the rounds before its own are over, and what was seen in them.
    fn next(&self, search: &mut impl Search<M>) -> Option<(u64, Arc<Seen>)> {
        let number = {
            let mut order = lock(&self.runs.order);
            order.begun += 1;
            order.begun - 1
        };
        if number >= self.settings.runs || self.tick(search) == Flow::Stop {
            return None;
        }
        let round = number.checked_ilog2().map_or(0, |power| 1 << power);
        let order = self.wait_until(search, |order| order.told >= round)?;
        Some((number, order.learned.clone()))
    }

    /// Tells the search of an execution, when it is its turn. Not if the search is over by then.
    fn tell(&mut self, number: u64, end: End, search: &mut impl Search<M>) -> bool {
        let Some(mut order) = self.wait_until(search, |order| order.told == number) else { return false };
        order.seen.add(&self.walk);
        order.told += 1;
        if order.told.is_power_of_two() {
            order.learned = Arc::new(order.seen.clone());
        }
        order.over = self.walk.report(search, end) == Flow::Stop;
        search.progress(order.told as f64 / self.settings.runs as f64);
        self.runs.news.notify_all();
        true
    }

    /// Nothing if the search is over before.
    fn wait_until(&self, search: &mut impl Search<M>, ready: impl Fn(&Order) -> bool) -> Option<MutexGuard<'m, Order>> {
        let mut order = lock(&self.runs.order);
        while !order.over && !ready(&order) {
            drop(self.runs.news.wait_timeout(order, BETWEEN_TICKS));
            self.tick(search);
            order = lock(&self.runs.order);
        }
        (!order.over).then_some(order)
    }

    /// Looks after the limits of the search, and whether somebody has ended it.
    fn tick(&self, search: &mut impl Search<M>) -> Flow {
        let stops = search.tick() == Flow::Stop || self.hand.is_some_and(|hand| hand.tick() == Flow::Stop);
        if !stops {
            return Flow::Continue;
        }
        lock(&self.runs.order).over = true;
        self.runs.news.notify_all();
        Flow::Stop
    }

    /// One execution, to its end. Nothing if the search is over before.
    fn run(&mut self, search: &mut impl Search<M>, dice: &mut Random) -> Option<End> {
        loop {
            let mut here = self.walk.here();
            if here.enabled.is_empty() {
                self.walk.unpark(&mut here);
            }
            if here.enabled.is_empty() {
                return Some(self.walk.classify(&here));
            }
            if self.walk.is_at_bound() {
                return Some(End::Bound);
            }
            let running = here.running;
            here.enabled.retain(|label| self.walk.affords(running, label));
            let tid = self.scheduler.pick(&mut self.walk, &here, dice);
            let count = here.enabled.iter().filter(|t| t.tid == tid).count();
            let choice = if count == 1 { 0 } else { dice.below(count) };
            let step = here.enabled.iter().filter(|t| t.tid == tid).nth(choice);
            self.walk.take(*step.expect("the scheduler picks a thread that can go on"), running);
            if self.walk.ticks.are_due() && self.tick(search) == Flow::Stop {
                return None;
            }
        }
    }
}
