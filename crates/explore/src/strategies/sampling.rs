//! Strategies that try so many executions, each chosen by chance. They find bugs; what they do not find may be there.
//!
//! Threads that wait in a loop are parked, as in the searches: time is not spent on rounds that change nothing. Where nobody
//! else can move they go on, as long as they come to something.

use threadbare_core::{Machine, Random, Tid};

use super::Settings;
use super::walk::{Here, Loops, Walk};
use crate::search::{End, Flow, Search, Totals};

/// How large the executions were.
#[derive(Clone, Copy, Default)]
pub struct Sizes {
    /// The most threads of an execution that took a step.
    pub threads: usize,
    /// The most steps.
    pub steps: usize,
}

/// Picks the thread that goes on.
pub trait Scheduler<M: Machine> {
    /// Another execution begins.
    fn begin(&mut self, dice: &mut Random, so_far: Sizes);

    /// One of the threads that can go on.
    fn pick(&mut self, walk: &mut Walk<M>, here: &Here, dice: &mut Random) -> Tid;

    /// An execution is over; it is on the walk's path.
    fn learn(&mut self, _walk: &Walk<M>) {}

    /// What it is good for, in words.
    fn guarantee(&self, sizes: Sizes) -> String;
}

pub fn sample<M: Machine>(
    machine: &mut M,
    settings: &Settings,
    search: &mut impl Search<M>,
    mut scheduler: impl Scheduler<M>,
) -> Totals {
    let mut dice = Random::new(settings.seed);
    let mut walk = Walk::new(machine, Loops::Park, settings);
    let mut sizes = Sizes::default();
    let mut flow = Flow::Continue;
    let mut runs = 0;
    while runs < settings.runs && flow == Flow::Continue {
        scheduler.begin(&mut dice, sizes);
        flow = run(&mut walk, search, &mut scheduler, &mut dice);
        runs += 1;
        scheduler.learn(&walk);
        let mut movers: Vec<Tid> = walk.path.events.iter().map(|event| event.label.tid).collect();
        movers.sort_unstable();
        movers.dedup();
        sizes.threads = sizes.threads.max(movers.len());
        sizes.steps = sizes.steps.max(walk.path.len());
        walk.start_again();
        search.progress(runs as f64 / settings.runs as f64);
    }
    let executions = if runs == 1 { "execution" } else { "executions" };
    let what = format!("{runs} {executions} by chance (seed {}); {}", settings.seed, scheduler.guarantee(sizes));
    walk.totals.sampled = Some(what);
    walk.totals
}

/// One execution.
fn run<M: Machine>(
    walk: &mut Walk<M>,
    search: &mut impl Search<M>,
    scheduler: &mut impl Scheduler<M>,
    dice: &mut Random,
) -> Flow {
    loop {
        let mut here = walk.here();
        if here.enabled.is_empty() {
            walk.unpark(&mut here);
        }
        if here.enabled.is_empty() {
            let end = walk.classify(&here);
            return walk.report(search, end);
        }
        if walk.is_at_bound() {
            return walk.report(search, End::Bound);
        }
        let running = here.running;
        here.enabled.retain(|label| walk.affords(running, label));
        let tid = scheduler.pick(walk, &here, dice);
        let count = here.enabled.iter().filter(|t| t.tid == tid).count();
        let choice = if count == 1 { 0 } else { dice.below(count) };
        let step = here.enabled.iter().filter(|t| t.tid == tid).nth(choice);
        walk.take(*step.expect("the scheduler picks a thread that can go on"), running);
        if walk.totals.transitions & 1023 == 0 && search.tick() == Flow::Stop {
            return Flow::Stop;
        }
    }
}
