//! Optimal and source dynamic partial-order reduction (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014 and JACM 2017), in
//! the form that decides races when an event is executed and keeps one path with an undo log.
//!
//! What differs from the papers:
//! - Pending operations of threads that cannot go on race like executed ones: `lock` in one thread against a `lock` that
//!   is never released in another is a race that no execution contains.
//! - A blocking operation races with the latest event before which it could have happened, not with the last one that it
//!   conflicts with: an unlock does not hide the lock before it. A writer that several readers block is moved before all
//!   of them (`postponed`).
//! - What the moved operation would do there is told by the values that objects held then; where values do not tell, the
//!   sequence is executed once the search is back at that state (`Deferred`).
//! - A race of the old part of a path is looked at again when events were added that are not after it: they belong to the
//!   sequence that reverses it. Looking at new races only loses traces.
//! - Choices of an operation (which waiter a signal wakes, a nondeterministic value) branch like races.
//! - Arrivals at a barrier are taken to commute until one turns out to meet a generation that it is not ordered after;
//!   then the search starts again with ordered arrivals.
//! - Threads that wait in a loop are parked (see `waiting`), and then count as disabled.
//!
//! *Source mode* keeps one step of each sequence instead of a tree; memory is bounded by the length of the path, and some
//! executions turn out redundant.

mod estimate;
mod find;
mod reverse;
mod shared;

use std::rc::Rc;
use std::sync::{Arc, Mutex};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use threadbare_core::{Choice, Ending, Fingerprint, Machine, Mark, Operation, Pending, Step, Tid};

use crate::crew::{Arrivals, Hand, task_after_task};
use crate::label::{Label, Labels};
use crate::path::Path;
use crate::search::{End, Flow, Search, Stuck, Totals};
use crate::ticks::Ticks;
use crate::waiting::{
    Alone, Histories, completes_a_useless_round, first_that_leaves, has_several, only, without_useless,
};
use crate::wakeup::{Forest, Tree};
pub(crate) use shared::Task;

/// Events that an operation conflicts with.
type Found = SmallVec<[u32; 8]>;

/// Stamps that nothing has.
const NEVER: (u64, u64) = (u64::MAX, u64::MAX);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Wakeup trees: every trace is explored exactly once.
    Sequences,
    /// The first steps only: bounded memory.
    FirstSteps,
}

impl Keep {
    /// Whether a step that was explored, or is being explored, leads to all that the sequence leads to.
    fn covers(self, labels: &Labels, z: &Asleep, v: &[Label]) -> bool {
        // Strict initials: a step of v itself.
        let within = self == Keep::Sequences || v.iter().any(|y| y.tid == z.label.tid);
        within && labels.weak_initial(&z.as_in(v), v)
    }

    /// Adds a sequence to what is to be explored from a state, unless something there leads to the same. It is used up.
    fn insert(self, labels: &Labels, forest: &mut Forest, tree: &mut Tree, v: &mut Vec<Label>) {
        match self {
            Keep::Sequences => {
                forest.insert(labels, tree, v);
            }
            Keep::FirstSteps => {
                // Strict initials: a step of v itself that could come first.
                let initial = |x: &Label| match v.iter().position(|y| y.tid == x.tid) {
                    Some(i) => v[i].choice == x.choice && !v[..i].iter().any(|y| labels.conflict(x, y)),
                    None => false,
                };
                if !forest.siblings(*tree).any(initial) {
                    forest.append(tree, v[0]);
                }
            }
        }
    }
}

/// A state on the path.
struct Frame {
    mark: Mark,
    /// Where its sleep set lies in `sleep`: what was handed down to it, up to `inherited`, then its finished children.
    sleep: (u32, u32),
    inherited: u32,
    tree: Tree,
    /// What was there before the event that led to it.
    before: Before,
    /// Transitions that had been made by then, and those of the last finished branch, unless it was the first.
    began: u64,
    last: u64,
}

/// An executed event, besides what the path knows.
#[derive(Clone, Copy, Default)]
struct Before {
    races: u32,
    postponed: u32,
    histories: u32,
    /// The history of its thread.
    history: u32,
}

/// Sequences whose last step must be tried out at a state, and all that ever were.
#[derive(Default)]
struct Trials {
    deferred: Vec<Rc<Deferred>>,
    known: FxHashSet<Rc<Deferred>>,
}

/// A step that need not be taken: it has been explored. The values of one choice are explored one after the other, and
/// there may be thousands: those `from` on to the label's own are one entry.
#[derive(Clone, Copy)]
struct Asleep {
    label: Label,
    from: Choice,
}

impl Asleep {
    fn is(&self, tid: Tid, choice: Choice) -> bool {
        self.label.tid == tid && (self.from..=self.label.choice).contains(&choice)
    }

    /// The same with the next value.
    fn is_followed_by(&self, label: &Label) -> bool {
        self.label.choice.0 + 1 == label.choice.0 && label.with(self.label.choice) == self.label
    }

    /// With the choice that its thread takes in the sequence, if it is one of those.
    fn as_in(&self, v: &[Label]) -> Label {
        let same = v.iter().find(|y| self.is(y.tid, y.choice));
        same.map_or(self.label, |y| self.label.with(y.choice))
    }
}

/// The operation `label` of event `by` (or of a thread that cannot go on) could have happened before event `at`.
#[derive(Clone, Copy)]
struct Race {
    at: u32,
    by: u32,
    label: Label,
    /// Readers that must be postponed besides `at`, in `postponed`.
    postponed: (u32, u32),
    /// What it would do there is not known.
    open: bool,
}

/// Run `v`, then see what `tid` can do.
#[derive(PartialEq, Eq, Hash)]
struct Deferred {
    v: Box<[Label]>,
    tid: Tid,
    /// The local states that `tid` must not come back to without an effect.
    history: SmallVec<[Fingerprint; 2]>,
}

/// What became of a race.
#[derive(PartialEq)]
enum Fate {
    /// Nothing that comes later can make its sequence worth exploring.
    Final,
    Open,
}

pub struct Dpor<'m, M: Machine> {
    machine: &'m mut M,
    /// The states of the path from this one on keep first steps only.
    source_from: usize,
    depth_bound: usize,
    path: Path,
    frames: Vec<Frame>,
    /// By the position of their frame.
    trials: FxHashMap<u32, Trials>,
    sleep: Vec<Asleep>,
    forest: Forest,
    histories: Histories,
    races: Vec<Race>,
    postponed: Vec<u32>,
    /// Races of the path that are to be looked at again when it has another end.
    open: Vec<u32>,
    /// Where the path last branched off: races of later events have not been looked at.
    analysed: usize,
    live_at_start: Vec<bool>,
    /// More threads use a barrier than it counts.
    overused: bool,
    totals: Totals,
    ticks: Ticks,
    /// The other workers, if there are any, and what they know of the first states of the path, with
    /// the numbers of the branches that it takes there.
    hand: Option<&'m Hand<'m, Task>>,
    shared: Vec<(Arc<Mutex<shared::Node>>, u32)>,
    shrinking: estimate::Shrinking,
    /// For each thread whether it was parked when last asked, and what that hangs on (`Path::stamps`).
    parked: Vec<((u64, u64), bool)>,
    /// Somebody was, or would have been: see `shared` for what that means for others.
    parks: bool,
    told: bool,
    /// What is explored hangs on the order of the search.
    alone: bool,
    // Scratch.
    v: Vec<Label>,
    alive: Vec<u32>,
    lowest: Vec<u32>,
}

impl<'m, M: Machine> Dpor<'m, M> {
    pub fn new(machine: &'m mut M, keep: Keep) -> Self {
        Dpor {
            machine,
            source_from: if keep == Keep::FirstSteps { 0 } else { usize::MAX },
            depth_bound: usize::MAX,
            path: Path::default(),
            frames: Vec::new(),
            trials: FxHashMap::default(),
            sleep: Vec::new(),
            forest: Forest::default(),
            histories: Histories::default(),
            races: Vec::new(),
            postponed: Vec::new(),
            open: Vec::new(),
            analysed: 0,
            live_at_start: Vec::new(),
            overused: false,
            totals: Totals::default(),
            ticks: Ticks::new(),
            hand: None,
            shared: Vec::new(),
            shrinking: estimate::Shrinking::default(),
            parked: Vec::new(),
            parks: false,
            told: false,
            alone: false,
            v: Vec::new(),
            alive: Vec::new(),
            lowest: Vec::new(),
        }
    }

    fn keep(&self, frame: usize) -> Keep {
        if frame < self.source_from { Keep::Sequences } else { Keep::FirstSteps }
    }

    pub fn depth_bound(mut self, events: usize) -> Self {
        self.depth_bound = events;
        self
    }

    /// All there is to do, or what this one of several workers does of it.
    pub(crate) fn work(mut self, search: &mut impl Search<M>, hand: Option<&'m Hand<'m, Task>>) -> (Totals, Arrivals) {
        self.hand = hand;
        let totals = self.explore(search);
        (totals, if self.overused { Arrivals::Ordered } else { Arrivals::Commute })
    }

    fn explore(&mut self, search: &mut impl Search<M>) -> Totals {
        self.live_at_start = (0..self.machine.thread_count()).map(|i| self.machine.is_live(Tid(i as u16))).collect();
        for i in 0..self.live_at_start.len() {
            if self.live_at_start[i] {
                self.remember(Tid(i as u16), true);
            }
        }
        let start = self.machine.mark();
        let flow = task_after_task(self.hand, search, |search, task| {
            self.machine.rewind(start);
            let (way, done) = (task.as_ref().map_or(0, Task::length), self.totals.transitions);
            let beside = task.as_ref().is_some_and(Task::is_beside);
            let (executions, redundant) = (self.totals.executions, self.totals.blocked);
            let next = match task {
                Some(task) => self.adopt(task, search),
                None => self.begin(start, search),
            };
            let flow = self.go_on(search, next);
            if let Some(hand) = self.hand {
                hand.weigh(way, self.totals.transitions - done);
                if beside {
                    hand.learn(self.totals.executions - executions, self.totals.blocked - redundant);
                }
            }
            if self.overused { Flow::Stop } else { flow }
        });
        self.machine.rewind(start);
        self.totals.complete = flow == Flow::Continue;
        std::mem::take(&mut self.totals)
    }

    fn begin(&mut self, start: Mark, search: &mut impl Search<M>) -> Next {
        let before = Before::default();
        let began = self.totals.transitions;
        self.frames.push(Frame { mark: start, sleep: (0, 0), inherited: 0, tree: Tree::EMPTY, before, began, last: 0 });
        self.arrive(search)
    }

    /// explore(E, sleep, wut) of the paper, without recursion: a frame for each state of the path.
    fn go_on(&mut self, search: &mut impl Search<M>, mut next: Next) -> Flow {
        while !self.overused {
            next = match next {
                Next::End(flow) => return flow,
                Next::Step(label, below) => {
                    self.execute(label, below);
                    let next = self.arrive(search);
                    // Executions may be long.
                    if self.ticks.are_due() { self.tick(search, next) } else { next }
                }
                Next::FromTree => self.next(),
            };
        }
        Flow::Continue
    }

    /// What is to be done in the state at the end of the path, or in the last one before it with something left to do.
    fn next(&mut self) -> Next {
        let top = self.frames.len() - 1;
        let is_shared = top < self.shared.len();
        let next = match is_shared {
            true => self.take_shared(),
            false => self.forest.pop_first(&mut self.frames[top].tree),
        };
        match next {
            Some((label, below)) if self.is_asleep(&label) => {
                self.totals.blocked += 1;
                self.forest.discard(below);
                if is_shared {
                    self.leave_shared();
                }
                Next::FromTree
            }
            Some((label, below)) => Next::Step(label, below),
            None if top == 0 => Next::End(Flow::Continue),
            None => {
                self.go_back();
                Next::FromTree
            }
        }
    }

    /// Says how far it is, and looks whether it is to go on.
    #[cold]
    fn tick(&mut self, search: &mut impl Search<M>, next: Next) -> Next {
        let next = match next {
            Next::End(_) => return next,
            // Others may take it.
            Next::Step(label, _) => {
                self.frames.last_mut().expect("a frame for each state").tree = self.forest.single(label);
                Next::FromTree
            }
            Next::FromTree => next,
        };
        search.progress(self.done());
        if search.tick() == Flow::Stop || self.look_after_others() == Flow::Stop {
            return Next::End(Flow::Stop);
        }
        next
    }

    /// Whether somebody wants work, or has ended the search.
    #[inline]
    fn look_after_others(&mut self) -> Flow {
        let Some(hand) = self.hand else { return Flow::Continue };
        if self.alone || self.parks && self.source_from == 0 {
            if hand.stay_alone() == Flow::Stop {
                return Flow::Stop;
            }
            // From here on there is nobody else.
            self.hand = None;
            return Flow::Continue;
        }
        if self.parks && !self.told && {
            self.told = true;
            hand.never_beside() == Flow::Stop
        } {
            return Flow::Stop;
        }
        let flow = hand.tick();
        if flow == Flow::Continue && hand.is_wanted() {
            self.share();
        }
        flow
    }

    /// The path has reached a new state: choose what to do there, or see what kind of end it is.
    fn arrive(&mut self, search: &mut impl Search<M>) -> Next {
        let top = self.frames.len() - 1;
        if !self.frames[top].tree.is_empty() {
            return Next::FromTree;
        }
        match self.pick() {
            Pick::Step(_) if self.path.len() >= self.depth_bound => {
                self.totals.beyond_bound += 1;
                if let Some(hand) = self.hand
                    && hand.stay_alone() == Flow::Stop
                {
                    return Next::End(Flow::Stop);
                }
                self.analyse(Left::CutOff);
                Next::after(search.end(self.machine, &self.path, End::Bound))
            }
            Pick::Step(label) => Next::Step(label, Tree::EMPTY),
            Pick::AllAsleep => {
                self.totals.blocked += 1;
                if self.source_from <= top {
                    self.analyse(Left::Standing);
                }
                Next::after(search.tick())
            }
            Pick::Nobody { parked, standing, exit } => {
                let end = self.classify(&parked, standing, exit);
                match end {
                    End::Redundant => self.totals.blocked += 1,
                    End::Cut => self.totals.cut += 1,
                    End::Bound => self.totals.beyond_bound += 1,
                    _ => self.totals.executions += 1,
                }
                // Where an error has ended the execution, nobody stands at an operation.
                if search.end(self.machine, &self.path, end) == Flow::Stop {
                    return Next::End(Flow::Stop);
                }
                self.machine.rewind(self.frames[top].mark);
                self.analyse(if standing == 0 { Left::Nobody } else { Left::Standing });
                Next::after(self.look_after_others())
            }
        }
    }

    /// Back to the last state in which something may be left to do.
    fn go_back(&mut self) {
        let mut to = self.frames.len() - 2;
        while self.trials.is_empty() && to >= self.shared.len().max(1) && self.frames[to].tree.is_empty() {
            to -= 1;
        }
        let Frame { before, began, .. } = self.frames[to + 1];
        self.frames.truncate(to + 1);
        let frame = &mut self.frames[to];
        if frame.sleep.1 > frame.inherited {
            let size = self.totals.transitions.saturating_sub(began);
            if frame.last > 0 {
                self.shrinking.note(frame.last, size);
            }
            frame.last = size;
        }
        let label = self.path.truncate(to);
        self.histories.take_back(before.histories as usize);
        self.races.truncate(before.races as usize);
        self.postponed.truncate(before.postponed as usize);
        while self.open.last().is_some_and(|&race| race >= before.races) {
            self.open.pop();
        }
        self.analysed = self.analysed.min(to);
        self.machine.rewind(self.frames[to].mark);
        self.shared.truncate(to + 1);
        let is_shared = to < self.shared.len();
        if !is_shared {
            self.fall_asleep(to, label);
        }
        if !self.trials.is_empty() {
            self.trials.remove(&(to as u32 + 1));
            if let Some(trials) = self.trials.get_mut(&(to as u32)) {
                for deferred in std::mem::take(&mut trials.deferred) {
                    self.try_out(to, &deferred);
                }
            }
        }
        if is_shared {
            self.leave_shared();
        }
    }

    fn fall_asleep(&mut self, frame: usize, label: Label) {
        let frame = &mut self.frames[frame];
        self.sleep.truncate(frame.sleep.1 as usize);
        match self.sleep[frame.inherited as usize..].last_mut() {
            Some(z) if z.is_followed_by(&label) => z.label = label,
            _ => {
                self.sleep.push(Asleep { label, from: label.choice });
                frame.sleep.1 += 1;
            }
        }
    }

    fn sleeping(&self, frame: usize) -> &[Asleep] {
        let (from, to) = self.frames[frame].sleep;
        &self.sleep[from as usize..to as usize]
    }

    fn is_asleep(&self, label: &Label) -> bool {
        self.sleeping(self.frames.len() - 1).iter().any(|z| z.is(label.tid, label.choice))
    }

    /// The first step that is enabled and not asleep. The end of the process comes last, when nobody else can move: what
    /// it would cut off is explored, and it cannot undo what others did.
    fn pick(&mut self) -> Pick {
        let mut parked = SmallVec::new();
        let (mut any, mut standing, mut exit) = (false, 0, None);
        for i in 0..self.machine.thread_count() {
            let tid = Tid(i as u16);
            if !self.machine.is_live(tid) {
                continue;
            }
            if let Some((operation, access)) = self.machine.simple(tid) {
                any = true;
                let choice = Choice::default();
                if self.sleeping(self.frames.len() - 1).iter().any(|z| z.is(tid, choice)) {
                    continue;
                }
                return Pick::Step(Label::simple(tid, operation, access));
            }
            standing += 1;
            if self.machine.surely_waits(tid) {
                continue;
            }
            let pending = self.pending(tid);
            if pending.operation == Operation::Exit {
                exit = exit.or(Some((tid, pending.choices.enabled().next().unwrap_or_default())));
                standing -= 1;
                continue;
            }
            if !pending.choices.any_enabled() {
                continue;
            }
            if self.is_parked(tid, &pending) {
                parked.push(tid);
                continue;
            }
            any = true;
            for choice in pending.choices.enabled() {
                let top = self.frames.len() - 1;
                if self.sleeping(top).iter().any(|z| z.is(tid, choice)) {
                    continue;
                }
                let accesses = self.machine.accesses(tid, choice);
                return Pick::Step(self.path.labels.label(tid, pending.operation, choice, &accesses));
            }
        }
        if any { Pick::AllAsleep } else { Pick::Nobody { parked, standing, exit } }
    }

    fn pending(&mut self, tid: Tid) -> Pending {
        let pending = self.machine.pending(tid);
        if !has_several(&pending) {
            return pending;
        }
        let history: SmallVec<[Fingerprint; 2]> = self.histories.of(tid).collect();
        let all = pending.choices.enabled().count();
        let pending = without_useless(self.machine, pending, &history);
        self.parks |= pending.choices.enabled().count() < all;
        pending
    }

    fn is_parked(&mut self, tid: Tid, pending: &Pending) -> bool {
        if !self.machine.may_wait(tid) {
            return false;
        }
        let Some(choice) = only(pending.choices.enabled()) else { return false };
        let accesses = self.machine.accesses(tid, choice);
        let label = self.path.labels.label(tid, pending.operation, choice, &accesses);
        self.path.ask_for(tid);
        let stamps = self.path.stamps(tid, &label);
        if self.parked.len() <= tid.index() {
            self.parked.resize(tid.index() + 1, (NEVER, false));
        }
        let (known, parked) = self.parked[tid.index()];
        if known == stamps {
            return parked;
        }
        let history: SmallVec<[Fingerprint; 2]> = self.histories.of(tid).collect();
        let round = completes_a_useless_round(self.machine, tid, pending, &history);
        self.parked[tid.index()] = (if round.lasting { stamps } else { NEVER }, round.useless);
        self.parks |= round.useless;
        round.useless
    }

    /// How a path ends on which nobody can move.
    fn classify(&mut self, parked: &[Tid], standing: usize, exit: Option<(Tid, Choice)>) -> End {
        if let Some(Ending::Error(_)) = self.machine.ending() {
            return End::Error;
        }
        // A parked thread that would have an effect, given time, is no end: another execution has that effect.
        match first_that_leaves(self.machine, parked) {
            None => {}
            Some(Alone::Unknown) => return End::Bound,
            Some(_) => return End::Redundant,
        }
        if self.machine.is_cut() {
            return End::Cut;
        }
        match (exit, standing) {
            (Some((tid, choice)), _) => End::Exit(tid, choice),
            (None, 0) => End::Complete,
            _ => End::Stuck(Stuck { spinning: parked.to_vec(), waiting: standing - parked.len() }),
        }
    }

    /// exec(e): finds the races of the step, adds it to the path, and takes it.
    fn execute(&mut self, label: Label, below: Tree) {
        let top = self.frames.len() - 1;
        let (from, to) = self.frames[top].sleep;
        for i in from..to {
            let z = self.sleep[i as usize];
            if !self.path.labels.dependent(&z.label, &label) {
                self.sleep.push(z);
            }
        }
        let (races, postponed) = (self.races.len() as u32, self.postponed.len() as u32);
        let tid = label.tid;
        self.path.ask_for(tid);
        let position = self.path.len() as u32;
        let simple = self.machine.simple(tid).is_some();
        if !simple {
            let pending = self.pending(tid);
            debug_assert!(self.machine.pending(tid).choices.is_enabled(label.choice), "{label:?}");
            self.find_races(&pending, label, position);
            self.find_races_of_disabled_choices(&pending, position);
            self.branch_over_choices(&pending, &label, position);
            self.overused |= self.path.overuses_barrier(&label);
        }
        let machine = &*self.machine;
        if simple {
            // The races of an operation with a fixed outcome come to light on the way.
            let mut found: Found = SmallVec::new();
            self.path.push_and_find(label, |access| machine.value(access), |event| found.push(event));
            match found[..] {
                [] => {}
                [at] => self.races.push(Race { at, by: position, label, postponed: (0, 0), open: false }),
                _ => self.keep_latest(found, label, position),
            }
        } else {
            self.path.push(label, |access| machine.value(access));
        }
        let threads = self.machine.thread_count();
        let step = self.machine.step(tid, label.choice);
        self.totals.transitions += 1;
        match self.machine.along() {
            [] if label.operation == Operation::ThreadCreate && step != Step::Ended => self.note_created(threads),
            [] => {}
            along => self.path.done_along(along),
        }
        let (histories, history) = (self.histories.len() as u32, self.histories.head(tid));
        if self.machine.has_met_waiting_loops() {
            self.remember(tid, step == Step::Silent);
            for i in 0..self.machine.along().len() {
                let other = self.machine.along()[i].who();
                if other != tid {
                    self.remember(other, false);
                }
            }
        }
        let before = Before { races, postponed, histories, history };
        // Of two accesses that race the later one ends the execution, whichever that is: what was to come is moot.
        let below = match step {
            Step::Ended => {
                self.forest.discard(below);
                Tree::EMPTY
            }
            _ => below,
        };
        let mark = self.machine.mark();
        let inherited = self.sleep.len() as u32;
        let began = self.totals.transitions;
        self.frames.push(Frame { mark, sleep: (to, inherited), inherited, tree: below, before, began, last: 0 });
        self.totals.depth = self.totals.depth.max(self.path.len());
    }

    /// The local state that a thread has come to.
    fn remember(&mut self, tid: Tid, silent: bool) {
        let local = (self.machine.is_live(tid) && self.machine.may_wait(tid))
            .then(|| self.machine.local_fingerprint(tid).expect("a machine that may wait knows local states"));
        self.histories.advance(tid, local, silent);
    }

    /// The thread that the last event created, if it did.
    fn note_created(&mut self, threads_before: usize) {
        let count = self.machine.thread_count().max(threads_before);
        let child = (0..count).map(|i| Tid(i as u16)).find(|&tid| {
            let at_start = self.live_at_start.get(tid.index()).copied().unwrap_or(false);
            !at_start && self.machine.is_live(tid) && !self.path.is_created(tid)
        });
        if let Some(child) = child {
            self.path.created(child);
        }
    }
}

/// What the search does next.
enum Next {
    /// This step, with what is to be explored below it.
    Step(Label, Tree),
    /// What the tree of the last state says.
    FromTree,
    End(Flow),
}

impl Next {
    fn after(flow: Flow) -> Next {
        if flow == Flow::Continue { Next::FromTree } else { Next::End(flow) }
    }
}

enum Pick {
    Step(Label),
    AllAsleep,
    /// Nobody can move: some are parked, so many stand at an operation besides the end of the process.
    Nobody {
        parked: SmallVec<[Tid; 4]>,
        standing: usize,
        exit: Option<(Tid, Choice)>,
    },
}

/// Who is left at the end of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Nobody,
    /// Threads that cannot go on.
    Standing,
    /// Threads that could.
    CutOff,
}
