//! A shorter schedule for a bug that was found: fewest preemptions, then fewest steps, as far as the time allows.
//!
//! Four ways, each on the best that is known so far, and every candidate is executed before it is believed:
//! 1. *Slice*: only what happens before the last step (its causes), and nothing else.
//! 2. *Straighten*: another order of the same trace, in which a thread goes on as long as its next event may come.
//! 3. *Take out*: leave out chunks of steps, and join stretches of one thread, and see whether the rest still fails
//!    (delta debugging: Zeller, Hildebrandt, TSE 2002). What cannot happen any more is skipped.
//! 4. *Search anew* with 0, 1, 2 … preemptions (iterative context bounding: Musuvathi, Qadeer, PLDI 2007), leaving out
//!    states that were met with at least as many preemptions left.
//!
//! It is no proof of the shortest: the time may be short, and of a wide choice only a few values are tried.

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use threadbare_core::{Choice, Fingerprint, Machine, Mark, Operation, Pending, Step, Tid};

use crate::path::Path;
use crate::search::Stuck;
use crate::waiting::{goes_round, spins_for_ever};

pub type Steps = Vec<(Tid, Choice)>;

/// What is to be small, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cost {
    pub preemptions: usize,
    pub steps: usize,
}

/// A better schedule for what `shows`, from where the machine stands; `None` if the given one does not show it.
/// `steps` was recorded on this machine or one with the same thread numbers. The result never has more preemptions nor more
/// steps than the given one.
pub fn minimise<M: Machine>(
    machine: &mut M,
    steps: &[(Tid, Choice)],
    shows: impl FnMut(&mut M) -> bool,
    budget: Duration,
) -> Option<(Steps, Cost)> {
    let start = machine.mark();
    let deadline = Instant::now() + budget;
    let most = Cost { preemptions: usize::MAX, steps: steps.len() };
    let mut minimiser =
        Minimiser { machine, shows, start, deadline, best: Vec::new(), cost: most, longest: steps.len() };
    let found = minimiser.follow(steps, Strictness::Exact);
    if let Some((steps, cost)) = found {
        minimiser.best = steps;
        minimiser.cost = cost;
        if !budget.is_zero() {
            minimiser.run();
        }
    }
    let Minimiser { machine, best, cost, .. } = minimiser;
    machine.rewind(start);
    (cost.preemptions < usize::MAX).then_some((best, cost))
}

/// Whether a thread that was running is preempted if another one takes a step.
pub fn could_go_on<M: Machine>(machine: &mut M, tid: Tid) -> bool {
    machine.is_live(tid) && {
        let pending = machine.pending(tid);
        let waits = matches!(pending.operation, Operation::Yield | Operation::Sleep | Operation::SleepUntil);
        pending.choices.any_enabled() && !waits
    }
}

/// Whether nobody can go on for good, and who spins. Rounds may order less than was ordered before: they overwrite what another thread has
/// released. Several may do that to each other for ever: it is all the same to values. Where a machine cannot leave that out of account,
/// a round of each comes first.
pub fn stuck<M: Machine>(machine: &mut M) -> Option<Stuck> {
    if let Some(stuck) = stuck_now(machine) {
        return Some(stuck);
    }
    if machine.ending().is_some() || machine.is_cut() {
        return None;
    }
    let movers = machine.all_pending().into_iter().filter(|pending| pending.choices.any_enabled());
    let movers: Vec<Tid> = movers.map(|pending| pending.tid).collect();
    if !movers.iter().all(|&tid| machine.may_wait(tid)) {
        return None;
    }
    let mark = machine.mark();
    let by_values = machine.heed_order(false);
    let there = by_values || movers.iter().all(|&tid| goes_round(machine, tid));
    let stuck = there.then(|| stuck_now(machine)).flatten();
    machine.heed_order(true);
    machine.rewind(mark);
    stuck
}

fn stuck_now<M: Machine>(machine: &mut M) -> Option<Stuck> {
    if machine.ending().is_some() || machine.is_cut() {
        return None;
    }
    let pending = machine.all_pending();
    let mut parked = Vec::new();
    for p in &pending {
        if p.choices.any_enabled() {
            if p.operation == Operation::Exit || !machine.may_wait(p.tid) {
                return None;
            }
            parked.push(p.tid);
        }
    }
    let stands = !pending.is_empty() && parked.iter().all(|&tid| spins_for_ever(machine, tid));
    stands.then(|| Stuck { waiting: pending.len() - parked.len(), spinning: parked })
}

#[derive(Clone, Copy, PartialEq)]
enum Strictness {
    /// Every step, or it is no schedule.
    Exact,
    /// What cannot happen is left out; where the steps are used up, threads go on one after another.
    Roughly,
}

/// After how many steps the clock is looked at: a power of two.
const STEPS_PER_LOOK: u32 = 64;
/// Of a wide choice, how many of its first values are tried in a search from the start.
const FIRST_CHOICES: usize = 3;

struct Minimiser<'m, M, F> {
    machine: &'m mut M,
    shows: F,
    start: Mark,
    deadline: Instant,
    best: Steps,
    cost: Cost,
    /// No result may be longer.
    longest: usize,
}

impl<M: Machine, F: FnMut(&mut M) -> bool> Minimiser<'_, M, F> {
    fn run(&mut self) {
        self.slice_and_straighten();
        self.take_out();
        self.search_anew();
        self.take_out();
    }

    fn out_of_time(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Executes steps from the start until the bug shows.
    fn follow(&mut self, hint: &[(Tid, Choice)], strictness: Strictness) -> Option<(Steps, Cost)> {
        self.machine.rewind(self.start);
        let mut done = Steps::with_capacity(hint.len());
        let mut preemptions = 0;
        let mut last = None;
        if (self.shows)(self.machine) {
            return Some((done, Cost { preemptions, steps: 0 }));
        }
        let mut hint = hint.iter();
        while done.len() < self.longest && preemptions <= self.cost.preemptions {
            let (tid, choice) = match hint.next() {
                Some(&(tid, choice)) => {
                    let can = tid.index() < self.machine.thread_count()
                        && self.machine.is_live(tid)
                        && self.machine.pending(tid).choices.is_enabled(choice);
                    match strictness {
                        _ if can => (tid, choice),
                        Strictness::Exact => return None,
                        Strictness::Roughly => continue,
                    }
                }
                None if strictness == Strictness::Exact => return None,
                None => self.any_step(last)?,
            };
            preemptions += usize::from(self.preempts(last, tid));
            self.machine.step(tid, choice);
            done.push((tid, choice));
            last = Some(tid);
            if (self.shows)(self.machine) {
                let steps = done.len();
                return Some((done, Cost { preemptions, steps }));
            }
            if self.machine.ending().is_some() {
                return None;
            }
        }
        None
    }

    fn preempts(&mut self, last: Option<Tid>, next: Tid) -> bool {
        last.is_some_and(|last| last != next && could_go_on(self.machine, last))
    }

    /// The running thread goes on, or the first that can; the end of the process comes last.
    fn any_step(&mut self, last: Option<Tid>) -> Option<(Tid, Choice)> {
        let pending = self.machine.all_pending();
        let first = |p: &Pending| Some((p.tid, p.choices.enabled().next()?));
        let own = pending.iter().find(|p| Some(p.tid) == last && p.operation != Operation::Exit);
        let others = pending.iter().filter(|p| p.operation != Operation::Exit);
        own.and_then(first).or_else(|| others.filter_map(first).next()).or_else(|| pending.iter().find_map(first))
    }

    /// Whether the steps, as far as they can be taken, lead to the bug at less cost.
    fn attempt(&mut self, hint: &[(Tid, Choice)]) -> bool {
        match self.follow(hint, Strictness::Roughly) {
            Some((steps, cost)) if cost < self.cost => {
                self.best = steps;
                self.cost = cost;
                true
            }
            _ => false,
        }
    }

    // 1 and 2.

    fn slice_and_straighten(&mut self) {
        let Some(path) = self.record() else { return };
        let last = path.len() - 1;
        let causes: Vec<usize> = (0..path.len()).filter(|&i| path.before(i, last)).collect();
        let everything: Vec<usize> = (0..path.len()).collect();
        let threads = path.events.iter().map(|event| event.label.tid.index() + 1).max().unwrap_or(0);
        for events in [causes, everything] {
            let plain: Steps = events.iter().map(|&i| step_of(&path, i)).collect();
            self.attempt(&plain);
            // Which thread to go on with is a guess: by number, by number backwards, and a few draws.
            let mut draw = 0x2545_F491_4F6C_DD1Du64;
            for round in 0..24 {
                if self.out_of_time() {
                    return;
                }
                let mut order: Vec<usize> = (0..threads).collect();
                match round {
                    0 => {}
                    1 => order.reverse(),
                    _ => {
                        for i in (1..threads).rev() {
                            draw ^= draw << 13;
                            draw ^= draw >> 7;
                            draw ^= draw << 17;
                            order.swap(i, (draw % (i as u64 + 1)) as usize);
                        }
                    }
                }
                let straight = straighten(&path, &events, &order);
                self.attempt(&straight);
            }
        }
    }

    /// The best schedule with its clocks.
    fn record(&mut self) -> Option<Path> {
        self.machine.rewind(self.start);
        let mut recorder = Recorder::new(self.machine);
        for &(tid, choice) in &self.best {
            recorder.step(self.machine, tid, choice);
        }
        (!recorder.path.is_empty()).then_some(recorder.path)
    }

    // 3.

    fn take_out(&mut self) {
        let mut better = true;
        while better && !self.out_of_time() {
            better = self.join_stretches();
            let mut chunk = (self.best.len() / 2).max(1);
            loop {
                let mut at = 0;
                while at < self.best.len() && !self.out_of_time() {
                    let mut shorter = self.best.clone();
                    shorter.drain(at..(at + chunk).min(self.best.len()));
                    if self.attempt(&shorter) {
                        better = true;
                    } else {
                        at += chunk;
                    }
                }
                if chunk == 1 || self.out_of_time() {
                    break;
                }
                chunk /= 2;
            }
        }
    }

    /// Moves a stretch of one thread to where that thread ran before or runs next.
    fn join_stretches(&mut self) -> bool {
        let mut better = false;
        let mut at = 0;
        while at < self.best.len() && !self.out_of_time() {
            let tid = self.best[at].0;
            let end = (at..self.best.len()).find(|&i| self.best[i].0 != tid).unwrap_or(self.best.len());
            let next = (end..self.best.len()).find(|&i| self.best[i].0 == tid);
            let Some(next) = next else {
                at = end;
                continue;
            };
            let next_end = (next..self.best.len()).find(|&i| self.best[i].0 != tid).unwrap_or(self.best.len());
            let mut earlier = self.best.clone();
            earlier[end..next_end].rotate_right(next_end - next);
            let mut later = self.best.clone();
            later[at..next].rotate_left(end - at);
            if self.attempt(&earlier) || self.attempt(&later) {
                better = true;
            } else {
                at = end;
            }
        }
        better
    }

    // 4.

    fn search_anew(&mut self) {
        let mut bound = 0;
        while bound <= self.cost.preemptions && !self.out_of_time() {
            self.search(bound);
            bound += 1;
        }
    }

    /// Depth first over all schedules with at most `bound` preemptions that are better than the best.
    fn search(&mut self, bound: usize) {
        self.machine.rewind(self.start);
        let mut known = Known::default();
        let mut path = Steps::new();
        let mark = self.machine.mark();
        let mut frames = vec![self.options(mark, None, 0, bound)];
        let mut looks = 0u32;
        while let Some(frame) = frames.last_mut() {
            let Some((tid, choice, preemptions)) = frame.options.pop() else {
                frames.pop();
                path.pop();
                continue;
            };
            looks += 1;
            if looks & (STEPS_PER_LOOK - 1) == 0 && self.out_of_time() {
                break;
            }
            self.machine.rewind(frame.mark);
            let step = self.machine.step(tid, choice);
            path.push((tid, choice));
            let cost = Cost { preemptions, steps: path.len() };
            let hopeless = path.len() > self.longest || cost >= self.cost;
            if !hopeless && (self.shows)(self.machine) {
                self.best = path.clone();
                self.cost = cost;
                path.pop();
                continue;
            }
            let next = Cost { preemptions, steps: path.len() + 1 };
            if hopeless || next >= self.cost || next.steps > self.longest || step == Step::Ended {
                path.pop();
                continue;
            }
            if let Some(state) = self.machine.fingerprint() {
                let met = known.entry((state, tid)).or_default();
                if met.iter().any(|known| known.preemptions <= preemptions && known.steps <= path.len()) {
                    path.pop();
                    continue;
                }
                met.push(cost);
            }
            let mark = self.machine.mark();
            let frame = self.options(mark, Some(tid), preemptions, bound);
            frames.push(frame);
        }
    }

    /// What can be done next, the best idea last.
    fn options(&mut self, mark: Mark, last: Option<Tid>, preemptions: usize, bound: usize) -> Frame {
        let goes_on = last.is_some_and(|last| could_go_on(self.machine, last));
        let mut options = Vec::new();
        for pending in self.machine.all_pending() {
            let after = preemptions + usize::from(goes_on && Some(pending.tid) != last);
            if after > bound {
                continue;
            }
            let given = self.best.iter().filter(|(tid, _)| *tid == pending.tid).map(|(_, choice)| *choice);
            let mut choices: Vec<Choice> = given.filter(|&choice| pending.choices.is_enabled(choice)).collect();
            choices.extend(pending.choices.enabled().take(FIRST_CHOICES));
            choices.sort_unstable();
            choices.dedup();
            let rank = (pending.operation == Operation::Exit, Some(pending.tid) != last, pending.tid);
            options.extend(choices.into_iter().map(|choice| (rank, (pending.tid, choice, after))));
        }
        options.sort_by(|(a, x), (b, y)| (b, y.1).cmp(&(a, x.1)));
        Frame { mark, options: options.into_iter().map(|(_, option)| option).collect() }
    }
}

/// States with the thread that was running, and the costs at which they were reached.
type Known = FxHashMap<(Fingerprint, Tid), Vec<Cost>>;

struct Frame {
    mark: Mark,
    options: Vec<(Tid, Choice, usize)>,
}

fn step_of(path: &Path, event: usize) -> (Tid, Choice) {
    let label = &path.events[event].label;
    (label.tid, label.choice)
}

/// Another order of the same events: a thread goes on while its next event may come, then the next in `order`.
/// `events` is closed: what happens before one of them is one of them.
fn straighten(path: &Path, events: &[usize], order: &[usize]) -> Steps {
    let threads = order.len();
    let mut queues: Vec<std::collections::VecDeque<usize>> = vec![Default::default(); threads];
    for &event in events {
        queues[path.events[event].label.tid.index()].push_back(event);
    }
    let mut done = vec![0u32; threads];
    let mut steps = Steps::with_capacity(events.len());
    let ready = |queues: &[std::collections::VecDeque<usize>], done: &[u32], thread: usize| {
        queues[thread].front().is_some_and(|&event| {
            let clock = path.clock(event);
            (0..threads).all(|t| t == thread || clock.get(t).is_none_or(|&needed| needed <= done[t]))
        })
    };
    let mut current = order.first().copied().unwrap_or(0);
    while steps.len() < events.len() {
        if !ready(&queues, &done, current) {
            match order.iter().find(|&&thread| ready(&queues, &done, thread)) {
                Some(&thread) => current = thread,
                None => break,
            }
        }
        if let Some(event) = queues[current].pop_front() {
            done[current] += 1;
            steps.push(step_of(path, event));
        }
    }
    steps
}

/// Executes steps one by one and keeps their clocks.
pub struct Recorder {
    pub path: Path,
    at_start: Vec<bool>,
}

impl Recorder {
    pub fn new<M: Machine>(machine: &M) -> Self {
        let at_start = (0..machine.thread_count()).map(|i| machine.is_live(Tid(i as u16))).collect();
        Recorder { path: Path::default(), at_start }
    }

    /// The choice must be enabled.
    pub fn step<M: Machine>(&mut self, machine: &mut M, tid: Tid, choice: Choice) -> Step {
        let pending = machine.pending(tid);
        let accesses = machine.accesses(tid, choice);
        let label = self.path.labels.label(tid, pending.operation, choice, &accesses);
        self.path.push(label, |access| machine.value(access));
        let step = machine.step(tid, choice);
        if pending.operation == Operation::ThreadCreate && step != Step::Ended {
            let new = |tid: &Tid| !self.at_start.get(tid.index()).copied().unwrap_or(false);
            let threads = (0..machine.thread_count()).map(|i| Tid(i as u16));
            let child = threads.filter(new).find(|&tid| machine.is_live(tid) && !self.path.is_created(tid));
            if let Some(child) = child {
                self.path.created(child);
            }
        }
        step
    }

    /// Forgets the last step; the machine goes back by itself.
    pub fn take_back(&mut self) {
        self.path.pop();
    }
}
