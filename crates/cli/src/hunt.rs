//! What a search is told of, and what it makes of that: bugs with their schedules, limits, progress. Each worker of a search
//! has a hunt of its own; they keep their bugs in one place.

use std::cmp::Reverse;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use threadbare_core::{Choice, Chosen, Ending, FaultKind, Operation, Schedule, ScheduleStep, Tid};
use threadbare_explore::{End, Flow, LeftBehind, Path, Search};
use threadbare_report::ProgressSnapshot;

use crate::arguments::{AtLimit, CheckPlan};
use crate::duel::Stand;
use crate::limits::{self, Watch};
use crate::screen::ProgressLine;
use crate::told::{Refused, Told};
use crate::{report, story};

/// A bug, with the first schedule that showed it.
pub struct Bug<M: Told> {
    pub fault: Box<M::Fault>,
    pub schedule: Schedule,
    pub occurrences: u64,
    /// Others may go on: it takes a look at all that can come after it to see it.
    pub partial: bool,
}

pub struct Hunt<M: Told> {
    bugs: Arc<Mutex<Vec<Bug<M>>>>,
    max_bugs: usize,
    pub watch: Watch,
    /// What the machine cannot do, or will not do beyond a limit.
    pub refused: Option<(FaultKind, Refused)>,
    /// How many executions were not taken to their ends.
    pub given_up: u64,
    /// A thread went round a loop in a program that looks at the time.
    pub waits_for_time: bool,
    /// A compare-exchange looked for a pointer to memory that had been freed.
    pub stale_pointers: bool,
    /// The machine took something for granted that is not so.
    pub must_begin_again: bool,
    /// Where threads were that did most when executions were cut off, and how often.
    pub loops: Vec<(String, u32)>,
    /// How many threads other workers have met.
    pub threads: usize,
    pub progress: Option<ProgressLine>,
    /// Where another engine may be at it, too.
    pub stand: Option<Stand>,
    /// It is for the first of two engines, or there is one: when it stops, everything does.
    pub ends_all: bool,
    leaks: bool,
    /// Where the search of this worker stands.
    pub now: ProgressSnapshot,
    /// Where those of all others stand, as they said last, and which of them this one is.
    others: Arc<Mutex<Vec<ProgressSnapshot>>>,
    number: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<M: Told> Hunt<M> {
    pub fn new(plan: &CheckPlan, watch: Watch, progress: Option<ProgressLine>) -> Hunt<M> {
        Hunt {
            bugs: Arc::default(),
            max_bugs: plan.max_bugs,
            watch,
            refused: None,
            given_up: 0,
            waits_for_time: false,
            stale_pointers: false,
            must_begin_again: false,
            loops: Vec::new(),
            threads: 0,
            progress,
            stand: None,
            ends_all: true,
            leaks: plan.leaks,
            now: ProgressSnapshot::default(),
            others: Arc::new(Mutex::new(vec![ProgressSnapshot::default()])),
            number: 0,
        }
    }

    /// For a search that begins again.
    pub fn again(self, plan: &CheckPlan) -> Hunt<M> {
        let stand = self.stand.as_ref().map(Stand::again);
        Hunt { stand, ends_all: self.ends_all, ..Hunt::new(plan, self.watch, self.progress) }
    }

    /// For another worker of the same search.
    pub fn another(&self) -> Hunter<M> {
        Hunter { bugs: self.bugs.clone(), others: self.others.clone(), ends_all: self.ends_all }
    }

    /// The search is over: what another worker was told.
    pub fn take_over(&mut self, other: Hunt<M>) {
        self.watch.stopped = self.watch.stopped.take().or(other.watch.stopped);
        self.refused = self.refused.take().or(other.refused);
        self.given_up += other.given_up;
        self.waits_for_time |= other.waits_for_time;
        self.must_begin_again |= other.must_begin_again;
        other.loops.into_iter().for_each(|(place, times)| self.met_loop(place, times));
        self.now = self.now.with(&other.now);
        lock(&self.others).clear();
    }

    fn met_loop(&mut self, place: String, times: u32) {
        match self.loops.iter_mut().find(|(known, _)| *known == place) {
            Some((_, before)) => *before += times,
            None => self.loops.push((place, times)),
        }
    }

    /// Where a thread went round and round when executions were cut off. The one that did most in a single one of them may
    /// just have left its loop.
    pub fn loop_at(&self) -> Option<&str> {
        self.loops.iter().max_by_key(|(place, times)| (times, Reverse(place))).map(|(place, _)| place.as_str())
    }

    pub fn bug_count(&self) -> usize {
        lock(&self.bugs).len()
    }

    pub fn take_bugs(&mut self) -> Vec<Bug<M>> {
        std::mem::take(&mut *lock(&self.bugs))
    }

    /// Where the whole search stands.
    fn everywhere(&self) -> ProgressSnapshot {
        let others = lock(&self.others);
        let others = others.iter().enumerate().filter(|(number, _)| *number != self.number);
        let now = others.fold(self.now, |all, (_, other)| all.with(other));
        ProgressSnapshot { bugs: lock(&self.bugs).len() as u64, ..now }
    }
}

/// What other workers get for their hunts.
pub struct Hunter<M: Told> {
    bugs: Arc<Mutex<Vec<Bug<M>>>>,
    others: Arc<Mutex<Vec<ProgressSnapshot>>>,
    ends_all: bool,
}

impl<M: Told> Hunter<M> {
    pub fn hunt(&self, plan: &CheckPlan) -> Hunt<M> {
        let mut others = lock(&self.others);
        others.push(ProgressSnapshot::default());
        let mut watch = Watch::another();
        watch.can_shrink = plan.at_limit == Some(AtLimit::Bitstate);
        Hunt {
            bugs: self.bugs.clone(),
            others: self.others.clone(),
            number: others.len() - 1,
            ends_all: self.ends_all,
            ..Hunt::new(plan, watch, None)
        }
    }
}

impl<M: Told> Search<M> for Hunt<M> {
    fn end(&mut self, machine: &mut M, path: &Path, end: End) -> Flow {
        let flow = self.look_at(machine, path, end);
        // The second of two engines may stop by itself.
        if flow == Flow::Stop && self.ends_all {
            // Others may be in the middle of a long step.
            limits::end_search();
        }
        flow
    }

    fn redundant(&mut self, machine: &mut M, times: u64) -> bool {
        let look = machine.must_begin_again() || machine.has_noted_faults();
        self.now.blocked += if look { 0 } else { times };
        look
    }

    fn progress(&mut self, done: f64) {
        self.now.done = Some(done);
        if self.number > 0 {
            lock(&self.others)[self.number] = self.now;
        }
    }

    fn stored(&mut self, states: u64) {
        self.now.states = Some(states);
    }

    fn left_behind(&mut self, machine: &mut M, path: &Path, left: &LeftBehind) {
        // Whom a failed thread leaves waiting is no bug of its own.
        if machine.any_failed() {
            return;
        }
        machine.hold_still();
        let fault = machine.fault_of_left_behind(&left.who);
        if self.bug_count() < self.max_bugs {
            let schedule = schedule_of(machine, path);
            self.add(machine, Bug { fault, schedule, occurrences: 1, partial: true });
        }
    }

    fn waits_for_time(&mut self) {
        self.waits_for_time = true;
    }

    fn is_short_of_memory(&mut self) -> bool {
        let must = self.watch.must_shrink();
        if must {
            // What was explored until then counts for nothing.
            self.now = ProgressSnapshot::default();
        }
        must
    }

    fn has_little_memory(&mut self) -> bool {
        self.watch.has_little_memory()
    }

    fn room(&mut self) -> u64 {
        self.watch.room()
    }

    fn tick(&mut self) -> Flow {
        match self.stand.as_mut().map(|stand| stand.look(&self.now)) {
            Some(Flow::Stop) => Flow::Stop,
            _ => self.look_after(),
        }
    }
}

impl<M: Told> Hunt<M> {
    fn look_at(&mut self, machine: &mut M, path: &Path, end: End) -> Flow {
        if machine.must_begin_again() {
            self.must_begin_again = true;
            return Flow::Stop;
        }
        self.now.depth = path.len();
        let mut extra = Vec::new();
        if matches!(end, End::Stuck(_)) {
            extra.resize(machine.catch_up_with_joins(), (Tid::MAIN, Choice::default()));
        }
        if matches!(end, End::Bound | End::Stuck(_)) {
            machine.hold_still();
        }
        match end {
            End::Redundant => self.now.blocked += 1,
            End::Cut | End::Bound => {}
            End::Complete | End::Exit(..) | End::Error | End::Stuck(_) => self.now.executions += 1,
        }
        if end == End::Bound
            && let Some(stand) = &self.stand
        {
            stand.meet_bound();
        }
        if end == End::Bound && self.loops.iter().map(|(_, times)| times).sum::<u32>() < LOOPS_TO_LOOK_AT {
            busiest(machine, path).into_iter().for_each(|place| self.met_loop(place, 1));
        }
        let fault = match end {
            End::Error => match machine.ending() {
                Some(Ending::Error(fault)) => Some(fault.clone()),
                _ => None,
            },
            // The end itself can go wrong only where it is looked over.
            End::Exit(..) if !self.leaks => None,
            End::Exit(tid, choice) => {
                extra.push((tid, choice));
                machine.step(tid, choice);
                match machine.ending() {
                    Some(Ending::Error(fault)) => Some(fault.clone()),
                    _ => None,
                }
            }
            // Whom a failed thread leaves waiting is no bug of its own.
            End::Stuck(_) if machine.any_failed() => None,
            // Time stands still here: a loop that waits for it does not wait for ever.
            End::Stuck(stuck) if stuck.spinning.iter().any(|&tid| story::looks_at_clock(machine, tid)) => {
                self.waits_for_time = true;
                None
            }
            End::Stuck(stuck) => Some(machine.fault_of_stuck(&stuck)),
            End::Complete | End::Cut | End::Redundant | End::Bound => None,
        };
        // What was noted before an execution was given up counts.
        let mut fault = fault;
        let mut after = None;
        if fault.as_ref().is_some_and(|fault| M::kind(fault) == FaultKind::Stopped) {
            self.given_up += 1;
            fault = None;
            after = Some(self.watch.stop());
        }
        let is_refused = |fault: &M::Fault| matches!(M::kind(fault), FaultKind::Unsupported | FaultKind::Limit);
        if let Some(refused) = fault.take_if(|fault| is_refused(fault)) {
            after = Some(self.refuse(machine, &refused));
            self.given_up += 1;
        }
        let noted = machine.noted_faults();
        if noted.is_empty() && fault.is_none() {
            return after.unwrap_or_else(|| self.after_end());
        }
        // An execution may show a bug again and again.
        let mut shown: Vec<usize> = Vec::new();
        let shared = self.bugs.clone();
        let mut bugs = lock(&shared);
        for fault in noted.into_iter().chain(fault) {
            match bugs.iter().position(|bug| machine.same_bug(&bug.fault, &fault)) {
                Some(bug) if shown.contains(&bug) => {}
                Some(bug) => {
                    bugs[bug].occurrences += 1;
                    shown.push(bug);
                }
                None => {
                    shown.push(bugs.len());
                    let mut schedule = schedule_of(machine, path);
                    for &(tid, choice) in &extra {
                        let thread = machine.names().name(tid).clone();
                        schedule.0.push(ScheduleStep { thread, chosen: choice.into() });
                    }
                    bugs.push(Bug { fault, schedule, occurrences: 1, partial: false });
                }
            }
            if bugs.len() >= self.max_bugs {
                return Flow::Stop;
            }
        }
        drop(bugs);
        after.unwrap_or_else(|| self.after_end())
    }

    fn after_end(&mut self) -> Flow {
        match self.stand.as_mut().map(|stand| stand.tick(&self.now)) {
            Some(Flow::Stop) => Flow::Stop,
            _ => self.look_after(),
        }
    }

    /// The screen, and limits.
    fn look_after(&mut self) -> Flow {
        if self.progress.as_ref().is_some_and(ProgressLine::is_due) {
            let now = self.everywhere();
            if let Some(progress) = &mut self.progress {
                progress.draw(now);
            }
        }
        self.watch.look()
    }
}

impl<M: Told> Hunt<M> {
    /// The machine cannot go on, or will not beyond a limit.
    pub fn refuse(&mut self, machine: &M, refused: &M::Fault) -> Flow {
        // `run` and `check` name the limit differently.
        let mut message = M::message(refused).replace("--memory-limit", "--program-memory");
        let place = machine.place_of(refused);
        if let (FaultKind::Limit, Some(at)) = (M::kind(refused), &place) {
            message += &format!(", at {}:{} in `{}`", report::path(&at.file), at.line, at.function);
        }
        let kind = if M::kind(refused) == FaultKind::Limit { FaultKind::Limit } else { FaultKind::Unsupported };
        self.refused = Some((kind, Refused { message, place, code: 3, ..Refused::default() }));
        Flow::Stop
    }

    /// A bug that was found elsewhere than at the end of an execution.
    pub fn add(&mut self, machine: &M, bug: Bug<M>) {
        let mut bugs = lock(&self.bugs);
        match bugs.iter_mut().find(|known| machine.same_bug(&known.fault, &bug.fault)) {
            Some(known) => known.occurrences += 1,
            None => bugs.push(bug),
        }
    }
}

/// So many that the answer is the same however many workers there are.
const LOOPS_TO_LOOK_AT: u32 = 4096;
/// A thread that does less before it is cut off may have been in no loop at all.
const STEPS_OF_A_LOOP: u32 = 20;

/// Where the thread stands that did most at the end of the path, if it did much.
fn busiest<M: Told>(machine: &M, path: &Path) -> Option<String> {
    let mut counts = vec![0u32; machine.thread_count()];
    path.events.iter().rev().take(1000).for_each(|event| counts[event.label.tid.index()] += 1);
    let live = (0..counts.len()).filter(|&t| machine.is_live(Tid(t as u16)));
    let tid = Tid(live.max_by_key(|&t| counts[t]).filter(|&t| counts[t] >= STEPS_OF_A_LOOP)? as u16);
    let place = machine.places(tid).into_iter().next()?;
    Some(format!("{}:{} in `{}`", report::path(&place.file), place.line, place.function))
}

/// The steps of the path, each with what the machine did along with it.
pub fn schedule_of<M: Told>(machine: &M, path: &Path) -> Schedule {
    let names = machine.names();
    let mut steps = Vec::new();
    for (number, event) in path.events.iter().enumerate() {
        let label = &event.label;
        let wakes = label.operation == Operation::CondSignal && path.labels.accesses(label).count() > 1;
        let chosen = match wakes {
            true => Chosen::Thread(names.name(Tid(label.choice.0 as u16)).clone()),
            false => label.choice.into(),
        };
        steps.push(ScheduleStep { thread: names.name(label.tid).clone(), chosen });
        let along = path.along(number).iter().map(|along| names.name(along.who()).clone());
        steps.extend(along.map(|thread| ScheduleStep { thread, chosen: Choice::default().into() }));
    }
    Schedule(steps)
}
