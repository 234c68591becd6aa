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

use std::rc::Rc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use threadbare_core::{
    Choice, Choices, Ending, Fingerprint, Machine, Mark, Mode, Operation, Outcome, Pending, Step, Tid,
};

use crate::label::Label;
use crate::path::{NONE, Path};
use crate::search::{End, Flow, Search, Stuck, Totals};
use crate::waiting::Histories;
use crate::wakeup::{Forest, Tree};

/// Stamps that nothing has.
const NEVER: (u64, u64) = (u64::MAX, u64::MAX);

/// A power of two.
const TRANSITIONS_PER_TICK: u64 = 1024;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Wakeup trees: every trace is explored exactly once.
    Sequences,
    /// The first steps only: bounded memory.
    FirstSteps,
}

/// A state on the path.
struct Frame {
    mark: Mark,
    /// Where its sleep set lies in `sleep`: what was handed down to it, up to `inherited`, then its finished children.
    sleep: (u32, u32),
    inherited: u32,
    tree: Tree,
    trials: Option<Box<Trials>>,
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

/// An executed event, besides what the path knows.
struct Undo {
    races: u32,
    postponed: u32,
    histories: u32,
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
    keep: Keep,
    depth_bound: usize,
    path: Path,
    undo: Vec<Undo>,
    frames: Vec<Frame>,
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
    /// For each thread whether it was parked when last asked, and what that hangs on (`Path::stamps`).
    parked: Vec<((u64, u64), bool)>,
    // Scratch.
    v: Vec<Label>,
    alive: Vec<u32>,
    lowest: Vec<u32>,
}

impl<'m, M: Machine> Dpor<'m, M> {
    pub fn new(machine: &'m mut M, keep: Keep) -> Self {
        Dpor {
            machine,
            keep,
            depth_bound: usize::MAX,
            path: Path::default(),
            undo: Vec::new(),
            frames: Vec::new(),
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
            parked: Vec::new(),
            v: Vec::new(),
            alive: Vec::new(),
            lowest: Vec::new(),
        }
    }

    pub fn depth_bound(mut self, events: usize) -> Self {
        self.depth_bound = events;
        self
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// explore(E, sleep, wut) of the paper, without recursion: a frame for each state of the path.
    pub fn run(mut self, search: &mut impl Search<M>) -> Totals {
        self.live_at_start = (0..self.machine.thread_count()).map(|i| self.machine.is_live(Tid(i as u16))).collect();
        for i in 0..self.live_at_start.len() {
            if self.live_at_start[i] {
                self.remember(Tid(i as u16), true);
            }
        }
        let start = self.machine.mark();
        self.frames.push(Frame { mark: start, sleep: (0, 0), inherited: 0, tree: Tree::EMPTY, trials: None });
        let mut flow = self.arrive(search);
        while flow == Flow::Continue && !self.overused {
            let top = self.frames.len() - 1;
            let mut tree = self.frames[top].tree;
            match self.forest.pop_first(&mut tree) {
                Some((label, below)) => {
                    self.frames[top].tree = tree;
                    if self.is_asleep(&label) {
                        self.totals.blocked += 1;
                        self.forest.discard(below);
                        continue;
                    }
                    self.execute(label, below);
                    flow = self.arrive(search);
                    // Executions may be long.
                    if flow == Flow::Continue && self.totals.transitions & (TRANSITIONS_PER_TICK - 1) == 0 {
                        search.progress(self.done());
                        flow = search.tick();
                    }
                }
                None if top == 0 => break,
                None => self.go_back(),
            }
        }
        self.machine.rewind(start);
        if self.overused {
            self.machine.order_arrivals();
            return Dpor::new(self.machine, self.keep).depth_bound(self.depth_bound).run(search);
        }
        self.totals.complete = flow == Flow::Continue;
        self.totals
    }

    /// How much of the tree of executions is done, as far as its branches are known: the finished children of each state
    /// of the path, weighed by how many there are.
    fn done(&self) -> f64 {
        let (mut done, mut weight) = (0.0, 1.0);
        for frame in &self.frames {
            let own = &self.sleep[frame.inherited as usize..frame.sleep.1 as usize];
            let finished: f64 = own.iter().map(|z| f64::from(z.label.choice.0 - z.from.0 + 1)).sum();
            let known = finished + 1.0 + self.forest.siblings(frame.tree).count() as f64;
            done += weight * finished / known;
            weight /= known;
        }
        done
    }

    /// The path has reached a new state: choose what to do there, or see what kind of end it is.
    fn arrive(&mut self, search: &mut impl Search<M>) -> Flow {
        let top = self.frames.len() - 1;
        if !self.frames[top].tree.is_empty() {
            return Flow::Continue;
        }
        if self.path.len() >= self.depth_bound {
            self.totals.beyond_bound += 1;
            self.analyse_all(true);
            return search.end(self.machine, &self.path, End::Bound);
        }
        match self.pick() {
            Pick::Step(label) => {
                self.frames[top].tree = self.forest.single(label);
                Flow::Continue
            }
            Pick::AllAsleep => {
                self.totals.blocked += 1;
                if self.keep == Keep::FirstSteps {
                    self.analyse();
                }
                search.tick()
            }
            Pick::Nobody { parked } => {
                let end = self.classify(&parked);
                match end {
                    End::Redundant => self.totals.blocked += 1,
                    End::Cut => self.totals.cut += 1,
                    _ => self.totals.executions += 1,
                }
                let flow = search.end(self.machine, &self.path, end);
                // Where an error has ended the execution, nobody stands at an operation.
                if flow == Flow::Stop {
                    return flow;
                }
                self.machine.rewind(self.frames[top].mark);
                self.analyse();
                flow
            }
        }
    }

    fn go_back(&mut self) {
        self.frames.pop();
        let label = self.path.pop();
        let undo = self.undo.pop().expect("an event for each frame but the first");
        self.histories.take_back(undo.histories as usize);
        self.races.truncate(undo.races as usize);
        self.postponed.truncate(undo.postponed as usize);
        while self.open.last().is_some_and(|&race| race >= undo.races) {
            self.open.pop();
        }
        self.analysed = self.analysed.min(self.path.len());
        let top = self.frames.len() - 1;
        self.machine.rewind(self.frames[top].mark);
        let frame = &mut self.frames[top];
        self.sleep.truncate(frame.sleep.1 as usize);
        match self.sleep[frame.inherited as usize..].last_mut() {
            Some(z) if z.is_followed_by(&label) => z.label = label,
            _ => {
                self.sleep.push(Asleep { label, from: label.choice });
                frame.sleep.1 += 1;
            }
        }
        if let Some(trials) = &mut frame.trials {
            for deferred in std::mem::take(&mut trials.deferred) {
                self.try_out(top, &deferred);
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
        let mut any = false;
        for i in 0..self.machine.thread_count() {
            let tid = Tid(i as u16);
            if let Some((operation, access)) = self.machine.simple(tid) {
                any = true;
                let choice = Choice::default();
                if self.sleeping(self.frames.len() - 1).iter().any(|z| z.is(tid, choice)) {
                    continue;
                }
                return Pick::Step(Label::simple(tid, operation, access));
            }
            if self.machine.surely_waits(tid) || !self.machine.is_live(tid) {
                continue;
            }
            let pending = self.pending(tid);
            if pending.operation == Operation::Exit || !pending.choices.any_enabled() {
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
        if any { Pick::AllAsleep } else { Pick::Nobody { parked } }
    }

    fn pending(&mut self, tid: Tid) -> Pending {
        let pending = self.machine.pending(tid);
        if !has_several(&pending) {
            return pending;
        }
        let history: SmallVec<[Fingerprint; 2]> = self.histories.of(tid).collect();
        without_useless(self.machine, pending, &history)
    }

    fn is_parked(&mut self, tid: Tid, pending: &Pending) -> bool {
        if !self.machine.may_wait(tid) {
            return false;
        }
        let Some(choice) = only(pending.choices.enabled()) else { return false };
        let accesses = self.machine.accesses(tid, choice);
        let label = self.path.labels.label(tid, pending.operation, choice, &accesses);
        self.path.make_room(tid.index() + 1);
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
        round.useless
    }

    /// How a path ends on which nobody can move.
    fn classify(&mut self, parked: &[Tid]) -> End {
        if let Some(Ending::Error(_)) = self.machine.ending() {
            return End::Error;
        }
        // A parked thread that would have an effect, given time, is no end: another execution has that effect.
        for &tid in parked {
            if !spins_for_ever(self.machine, tid) {
                return End::Redundant;
            }
        }
        if self.machine.is_cut() {
            return End::Cut;
        }
        let mut live = 0;
        for tid in (0..self.machine.thread_count()).map(|i| Tid(i as u16)) {
            if self.machine.is_live(tid) {
                live += 1;
                let pending = self.machine.pending(tid);
                if pending.operation == Operation::Exit {
                    return End::Exit(tid, pending.choices.enabled().next().unwrap_or_default());
                }
            }
        }
        match live {
            0 => End::Complete,
            _ => End::Stuck(Stuck { spinning: parked.to_vec(), waiting: live - parked.len() }),
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
        self.path.make_room(tid.index() + 1);
        let position = self.path.len() as u32;
        if self.machine.simple(tid).is_some() {
            self.find_fixed(label, position);
        } else {
            let pending = self.pending(tid);
            debug_assert!(self.machine.pending(tid).choices.is_enabled(label.choice), "{label:?}");
            self.find_races(&pending, label, position);
            self.find_races_of_disabled_choices(&pending, position);
            self.branch_over_choices(&pending, &label, position);
            self.overused |= label.operation == Operation::BarrierArrive && self.overuses_barrier(&label);
        }
        let machine = &*self.machine;
        self.path.push(label, |access| machine.value(access));
        let threads = self.machine.thread_count();
        let step = self.machine.step(tid, label.choice);
        self.totals.transitions += 1;
        match self.machine.along() {
            [] if label.operation == Operation::ThreadCreate && step != Step::Ended => self.note_created(threads),
            [] => {}
            along => self.path.done_along(along),
        }
        let histories = self.histories.len() as u32;
        self.remember(tid, step == Step::Silent);
        for i in 0..self.machine.along().len() {
            let other = self.machine.along()[i].who();
            if other != tid {
                self.remember(other, false);
            }
        }
        self.undo.push(Undo { races, postponed, histories });
        let mark = self.machine.mark();
        let inherited = self.sleep.len() as u32;
        self.frames.push(Frame { mark, sleep: (to, inherited), inherited, tree: below, trials: None });
        self.totals.depth = self.totals.depth.max(self.path.len());
    }

    /// An arrival at another generation of the barrier that nothing orders before this one: then the two could have
    /// arrived in the other order, and would have met others. As long as no more threads use a barrier than it counts,
    /// each has left the generation before, which is after all arrivals there.
    fn overuses_barrier(&self, label: &Label) -> bool {
        let mut accesses = self.path.labels.accesses(label);
        let (Some(generation), Some(barrier)) = (accesses.next(), accesses.next()) else { return false };
        generation.mode == Mode::Add
            && self.path.events_on(barrier).any(|event| {
                let other = &self.path.events[event as usize].label;
                other.operation == Operation::BarrierArrive
                    && other.first().address != generation.address
                    && !self.path.within(event as usize, self.path.prior(label.tid))
            })
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

    /// find(e, pv): the events of the path before which the operation could have happened instead.
    fn find_races(&mut self, pending: &Pending, label: Label, by: u32) {
        let waits = self.machine.may_wait(label.tid);
        match pending.outcome {
            Outcome::Open => self.find_open(label, by),
            _ if waits && self.path.labels.accesses(&label).count() == 1 => self.find_waiting(label, by),
            _ if waits => self.find_open(label, by),
            Outcome::Fixed => self.find_fixed(label, by),
            // Its value decides, but what changes an invariant races through that as well.
            Outcome::ByValue if self.path.labels.touches_property(&label) => self.find_open(label, by),
            Outcome::ByValue => self.find_by_value(label, by),
        }
    }

    /// A choice that is not enabled is like an operation that cannot go on.
    fn find_races_of_disabled_choices(&mut self, pending: &Pending, by: u32) {
        let Choices::Listed(list) = &pending.choices else { return };
        for choice in list.iter().filter(|c| !c.enabled) {
            let accesses = self.machine.accesses(pending.tid, choice.choice);
            let label = self.path.labels.label(pending.tid, pending.operation, choice.choice, &accesses);
            self.find_races(pending, label, by);
        }
    }

    fn branch_over_choices(&mut self, pending: &Pending, label: &Label, position: u32) {
        let others: SmallVec<[Choice; 4]> = match &pending.choices {
            Choices::Listed(list) if list.len() < 2 => return,
            // One at a time: the execution with this value asks for the next.
            Choices::Range(n) => (label.choice.0 + 1..*n).take(1).map(Choice).collect(),
            listed => listed.enabled().filter(|&c| c != label.choice).collect(),
        };
        for choice in others {
            let accesses = self.machine.accesses(pending.tid, choice);
            let label = self.path.labels.label(pending.tid, pending.operation, choice, &accesses);
            self.races.push(Race { at: position, by: position, label, postponed: (0, 0), open: false });
        }
    }

    /// Enabled everywhere, with the same label: the conflicting events back to the last write, less those that happen
    /// before the thread's own past or before one that was found.
    fn find_fixed(&mut self, label: Label, by: u32) {
        let mut found: SmallVec<[u32; 8]> = SmallVec::new();
        let (path, prior) = (&self.path, self.path.prior(label.tid));
        for access in path.labels.accesses(&label) {
            path.walk_conflicts(label.operation, access, |slot, hides| {
                if !path.within(slot.event as usize, prior) {
                    found.push(slot.event);
                }
                hides
            });
        }
        if found.len() > 1 {
            found.sort_unstable_by(|a, b| b.cmp(a));
            found.dedup();
        }
        for i in 0..found.len() {
            let at = found[i];
            if !found[..i].iter().any(|&c| self.path.before(at as usize, c as usize)) {
                self.races.push(Race { at, by, label, postponed: (0, 0), open: false });
            }
        }
    }

    /// The outcome hangs on the value of the first object: the latest event before which it could have happened.
    fn find_by_value(&mut self, label: Label, by: u32) {
        let object = *label.first();
        let mut candidates: SmallVec<[(u32, bool, u128, Mode); 8]> = SmallVec::new();
        let (path, prior) = (&self.path, self.path.prior(label.tid));
        path.walk_conflicts(label.operation, &object, |slot, hides| {
            let past = path.within(slot.event as usize, prior);
            if !past {
                candidates.push((slot.event, hides, slot.value, slot.mode));
            }
            past && hides
        });
        let now = self.machine.value(&object);
        let mut chosen: SmallVec<[u32; 8]> = SmallVec::new();
        for (at, hides, value, mode) in candidates {
            if chosen.iter().any(|&c| self.path.before(at as usize, c as usize)) {
                if hides {
                    break;
                }
                continue;
            }
            if !self.same_object(at, &object) {
                self.races.push(Race { at, by, label, postponed: (0, 0), open: true });
                continue;
            }
            if self.waker_is_after(&label, at as usize) {
                continue;
            }
            let first_postponed = self.postponed.len() as u32;
            let mut value = value;
            if mode == Mode::Add {
                // Commuting changes after `at` that do not depend on it stay.
                let concurrent = |path: &Path, event: u32| !path.before(at as usize, event as usize);
                for (slot, change) in self.path.changes_since(&object, at as usize, now) {
                    if slot.mode == Mode::Add && concurrent(&self.path, slot.event) {
                        value = value.wrapping_add(change);
                    }
                }
            }
            let mut outcomes = self.machine.outcome_with(label.tid, value);
            while outcomes.0.is_empty() && mode == Mode::Add {
                match self.postpone_reader(&label, at, first_postponed as usize, now, &mut value) {
                    true => outcomes = self.machine.outcome_with(label.tid, value),
                    false => break,
                }
            }
            if outcomes.0.is_empty() {
                self.postponed.truncate(first_postponed as usize);
                continue;
            }
            let postponed = (first_postponed, self.postponed.len() as u32);
            for (choice, accesses) in outcomes.0 {
                let label = self.path.labels.label(label.tid, label.operation, choice, &accesses);
                self.races.push(Race { at, by, label, postponed, open: false });
            }
            chosen.push(at);
            if hides {
                break;
            }
        }
    }

    /// Whether the event's access to the object is to exactly these bytes, so that its value is the object's.
    fn same_object(&self, event: u32, object: &threadbare_core::Access) -> bool {
        let label = &self.path.events[event as usize].label;
        let mut accesses = self.path.labels.accesses(label);
        accesses.any(|a| a.space == object.space && a.address == object.address && a.length == object.length)
    }

    /// A thread that was woken cannot have gone on before an event that its waker came after.
    fn waker_is_after(&self, label: &Label, at: usize) -> bool {
        use threadbare_core::Space;
        let mut after = false;
        for access in self.path.labels.accesses(label).filter(|a| a.space == Space::Wake && a.mode == Mode::Read) {
            self.path.walk_conflicts(label.operation, access, |slot, _| {
                after |= self.path.before(at, slot.event as usize);
                true
            });
        }
        after
    }

    /// Several readers block a writer: besides `at`, the newest reader that still holds the lock is moved after the
    /// writer too, if it is not in the writer's own past. `value` becomes what the lock then holds.
    fn postpone_reader(&mut self, label: &Label, at: u32, first: usize, now: u128, value: &mut u128) -> bool {
        let object = *label.first();
        let path = &self.path;
        let postponed = &self.postponed[first..];
        let stays = |event: u32| {
            !path.before(at as usize, event as usize)
                && !postponed.iter().any(|&p| path.before(p as usize, event as usize))
        };
        // Newest first: a release seen before the acquisition that it ends takes it out.
        let mut released: SmallVec<[(Tid, u32); 4]> = SmallVec::new();
        let mut reader = None;
        for (slot, change) in path.changes_since(&object, at as usize, now) {
            if slot.mode != Mode::Add || !stays(slot.event) {
                continue;
            }
            let tid = path.events[slot.event as usize].label.tid;
            let count = match released.iter_mut().find(|(t, _)| *t == tid) {
                Some((_, count)) => count,
                None => {
                    released.push((tid, 0));
                    &mut released.last_mut().expect("just pushed").1
                }
            };
            if (change as i128) < 0 {
                *count += 1;
            } else if *count > 0 {
                *count -= 1;
            } else if tid != label.tid && !path.within(slot.event as usize, self.path.prior(label.tid)) {
                reader = Some(slot.event);
                break;
            }
        }
        let Some(reader) = reader else { return false };
        self.postponed.push(reader);
        let postponed = &self.postponed[first..];
        let mut held = None;
        let mut changed = 0u128;
        for (slot, change) in path.changes_since(&object, at as usize, now) {
            let stays = !path.before(at as usize, slot.event as usize)
                && !postponed.iter().any(|&p| path.before(p as usize, slot.event as usize));
            if slot.mode == Mode::Add && stays {
                changed = changed.wrapping_add(change);
            }
            held = Some(slot.value);
        }
        // What the lock held before `at` itself.
        let mut before_at = held.unwrap_or(now);
        path.walk_conflicts(label.operation, &object, |slot, _| {
            if slot.event == at {
                before_at = slot.value;
            }
            slot.event <= at
        });
        *value = before_at.wrapping_add(changed);
        true
    }

    /// An access in a loop that may wait: whether its thread would have been parked hangs on what the object held. The
    /// latest event before which it would not, as for an operation that blocks.
    fn find_waiting(&mut self, label: Label, by: u32) {
        let object = *label.first();
        let mut candidates: SmallVec<[(u32, bool, u128); 8]> = SmallVec::new();
        let (path, prior) = (&self.path, self.path.prior(label.tid));
        path.walk_conflicts(label.operation, &object, |slot, hides| {
            let past = path.within(slot.event as usize, prior);
            if !past {
                candidates.push((slot.event, hides, slot.value));
            }
            past && hides
        });
        let history: SmallVec<[Fingerprint; 2]> = self.histories.of(label.tid).collect();
        let mut chosen: SmallVec<[u32; 8]> = SmallVec::new();
        for (at, hides, value) in candidates {
            if chosen.iter().any(|&c| self.path.before(at as usize, c as usize)) {
                if hides {
                    break;
                }
                continue;
            }
            let mark = self.machine.mark();
            let assumed = self.same_object(at, &object) && self.machine.assume_value(&object, value);
            let told = if assumed { self.steps_of(label.tid, &history) } else { (SmallVec::new(), false) };
            self.machine.rewind(mark);
            // Of other memory that the thread looks at, and of what orders it, nobody knows how it was then.
            let (steps, true) = told else {
                self.races.push(Race { at, by, label, postponed: (0, 0), open: true });
                continue;
            };
            if steps.is_empty() {
                continue;
            }
            for label in steps {
                self.races.push(Race { at, by, label, postponed: (0, 0), open: false });
            }
            chosen.push(at);
            if hides {
                break;
            }
        }
    }

    /// What a thread can do now, if it is not parked, and whether the value of what its operation touches tells that.
    fn steps_of(&mut self, tid: Tid, history: &[Fingerprint]) -> (SmallVec<[Label; 2]>, bool) {
        let mut found = SmallVec::new();
        if !self.machine.is_live(tid) {
            return (found, true);
        }
        let mut pending = self.machine.pending(tid);
        if has_several(&pending) {
            pending = without_useless(self.machine, pending, history);
        }
        let Round { useless, lasting, by_value } = match self.machine.may_wait(tid) {
            true => completes_a_useless_round(self.machine, tid, &pending, history),
            false => Round::NONE,
        };
        let told = lasting && by_value;
        if useless {
            return (found, told);
        }
        let most = if matches!(pending.choices, Choices::Range(_)) { 1 } else { usize::MAX };
        for choice in pending.choices.enabled().take(most) {
            let accesses = self.machine.accesses(tid, choice);
            found.push(self.path.labels.label(tid, pending.operation, choice, &accesses));
        }
        (found, told)
    }

    /// Only trying it out tells: every conflicting event that is not in the thread's own past.
    fn find_open(&mut self, label: Label, by: u32) {
        let mut found: SmallVec<[u32; 8]> = SmallVec::new();
        let (path, prior) = (&self.path, self.path.prior(label.tid));
        for access in path.labels.accesses(&label) {
            path.walk_conflicts(label.operation, access, |slot, hides| {
                let past = path.within(slot.event as usize, prior);
                if !past {
                    found.push(slot.event);
                }
                past && hides
            });
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.dedup();
        for at in found {
            self.races.push(Race { at, by, label, postponed: (0, 0), open: true });
        }
    }

    /// analyse(): reverses the races of the path that its end is new to.
    fn analyse(&mut self) {
        self.analyse_all(false);
    }

    /// The same where the path may have been `cut_off`: then operations race that would have come next, as well.
    fn analyse_all(&mut self, cut_off: bool) {
        let (lo, end) = (self.analysed, self.path.len());
        let executed = self.races.len();
        let postponed = self.postponed.len();
        self.analysed = end;
        let first_new = if lo < end { self.undo[lo].races as usize } else { executed };
        // How early each thread is known at the latest to all new events: a quick test that mostly says no.
        self.lowest.clear();
        for x in lo..end {
            let clock = self.path.clock(x);
            if self.lowest.is_empty() {
                self.lowest.extend_from_slice(clock);
            } else {
                self.lowest.iter_mut().zip(clock).for_each(|(low, &c)| *low = (*low).min(c));
            }
        }
        let mut kept = 0;
        for n in 0..self.open.len() {
            let number = self.open[n];
            let race = self.races[number as usize];
            if self.end_adds_to(&race, lo, end) && self.reverse(&race) == Fate::Final {
                continue;
            }
            self.open[kept] = number;
            kept += 1;
        }
        self.open.truncate(kept);
        for number in first_new..executed {
            let race = self.races[number];
            if self.reverse(&race) == Fate::Open {
                self.open.push(number as u32);
            }
        }
        for i in 0..self.machine.thread_count() {
            let tid = Tid(i as u16);
            if !self.machine.is_live(tid) {
                continue;
            }
            let pending = self.pending(tid);
            if pending.operation == Operation::Exit {
                continue;
            }
            let stands = cut_off || !pending.choices.any_enabled() || self.is_parked(tid, &pending);
            if !stands {
                continue;
            }
            self.path.make_room(tid.index() + 1);
            self.find_races_of_disabled_choices(&pending, NONE);
            if let Some(choice) = pending.choices.enabled().next() {
                let accesses = self.machine.accesses(tid, choice);
                let label = self.path.labels.label(tid, pending.operation, choice, &accesses);
                self.find_races(&pending, label, NONE);
            }
        }
        for number in executed..self.races.len() {
            let race = self.races[number];
            self.reverse(&race);
        }
        self.races.truncate(executed);
        self.postponed.truncate(postponed);
    }

    /// Whether some event of `lo..end` is after neither side of the race.
    fn end_adds_to(&self, race: &Race, lo: usize, end: usize) -> bool {
        let (at, by) = (race.at as usize, race.by as usize);
        let (first, second) = (&self.path.events[at], &self.path.events[by]);
        let (t, n) = (first.label.tid.index(), first.number);
        let (u, m) = if at == by { (0, u32::MAX) } else { (second.label.tid.index(), second.number) };
        if self.lowest.is_empty() || self.lowest[t] >= n || self.lowest[u] >= m {
            return false;
        }
        (lo..end).any(|x| {
            let clock = self.path.clock(x);
            clock[t] < n && clock[u] < m
        })
    }

    /// reverse(i, k, e'): v = the events after i that depend on neither i nor k, then e'. Worth exploring from the state
    /// before i unless something that was explored there, or is going to be, leads to the same.
    fn reverse(&mut self, race: &Race) -> Fate {
        let at = race.at as usize;
        let first = &self.path.events[at];
        let choice_only = race.at == race.by;
        if !race.open && !self.path.labels.dependent(&first.label, &race.label) {
            return Fate::Final;
        }
        let end = self.path.len();
        let (t, n) = (first.label.tid.index(), first.number);
        let (u, m) = match race.by {
            NONE => (0, u32::MAX),
            by if by == race.at => (0, u32::MAX),
            by => {
                let second = &self.path.events[by as usize];
                (second.label.tid.index(), second.number)
            }
        };
        let postponed = &self.postponed[race.postponed.0 as usize..race.postponed.1 as usize];
        let mut v = std::mem::take(&mut self.v);
        let mut alive = std::mem::take(&mut self.alive);
        v.clear();
        alive.clear();
        let (from, to) = self.frames[at].sleep;
        alive.extend(from..to);
        let labels = &self.path.labels;
        let sleep = &self.sleep;
        // Gives false if something that sleeps is the next step of the sequence.
        let awake = |alive: &mut Vec<u32>, x: &Label| {
            let mut match_found = false;
            alive.retain(|&z| {
                let z = &sleep[z as usize];
                if z.label.tid == x.tid {
                    match_found |= z.is(x.tid, x.choice);
                    return false;
                }
                !labels.conflict(&z.label, x)
            });
            !match_found
        };
        let mut fate = Fate::Open;
        let mut explored = false;
        let last = match self.keep {
            Keep::FirstSteps if choice_only => at + 1,
            Keep::FirstSteps if race.by != NONE => race.by as usize,
            _ => end,
        };
        for x in at + 1..last {
            let clock = self.path.clock(x);
            if clock[t] >= n || clock[u] >= m || postponed.iter().any(|&p| self.path.within(p as usize, clock)) {
                continue;
            }
            let label = &self.path.events[x].label;
            if !awake(&mut alive, label) {
                if race.by != NONE && x < race.by as usize {
                    fate = Fate::Final;
                }
                explored = true;
                break;
            }
            v.push(*label);
        }
        if !explored && race.open {
            let history = self.histories.of(race.label.tid);
            // The history of the thread at the operation, not at the end of the path.
            let history = match race.by {
                NONE => history.collect(),
                by => self.history_before(by as usize),
            };
            // Once more would find the same: what was inserted then has been explored, or is going to be.
            let deferred = Rc::new(Deferred { v: v.as_slice().into(), tid: race.label.tid, history });
            let trials = self.frames[at].trials.get_or_insert_default();
            if trials.known.insert(deferred.clone()) {
                trials.deferred.push(deferred);
            }
        } else if !explored {
            if !awake(&mut alive, &race.label) {
                if race.by != NONE && self.path.events[race.by as usize].label == race.label {
                    fate = Fate::Final;
                }
            } else {
                v.push(race.label);
                let worth = match self.keep {
                    Keep::Sequences => alive.is_empty(),
                    Keep::FirstSteps => true,
                };
                if worth {
                    self.insert(at, &mut v);
                }
            }
        }
        self.v = v;
        self.alive = alive;
        fate
    }

    fn history_before(&self, event: usize) -> SmallVec<[Fingerprint; 2]> {
        self.histories.before(self.undo[event].histories as usize).collect()
    }

    fn insert(&mut self, frame: usize, v: &mut Vec<Label>) {
        let mut tree = self.frames[frame].tree;
        match self.keep {
            Keep::Sequences => {
                self.forest.insert(&self.path.labels, &mut tree, v);
            }
            Keep::FirstSteps => {
                // Strict initials: a step of v itself that could come first.
                let labels = &self.path.labels;
                let initial = |x: &Label| match v.iter().position(|y| y.tid == x.tid) {
                    Some(i) => v[i].choice == x.choice && !v[..i].iter().any(|y| labels.conflict(x, y)),
                    None => false,
                };
                if !self.forest.siblings(tree).any(initial) {
                    self.forest.append(&mut tree, v[0]);
                }
            }
        }
        self.frames[frame].tree = tree;
    }

    /// The search is back at the state before the first event of a race whose outcome values did not tell: run the
    /// sequence, and see.
    fn try_out(&mut self, frame: usize, deferred: &Deferred) {
        // What sleeps by now may be a step of v that could come first: then it does not matter how v goes on.
        let labels = &self.path.labels;
        let is_step_of_v = |z: &Asleep| {
            deferred.v.iter().any(|y| y.tid == z.label.tid) && labels.weak_initial(&z.as_in(&deferred.v), &deferred.v)
        };
        if self.sleeping(frame).iter().any(is_step_of_v) {
            return;
        }
        let mark = self.frames[frame].mark;
        for label in &deferred.v {
            self.machine.step(label.tid, label.choice);
        }
        let (found, _) = self.steps_of(deferred.tid, &deferred.history);
        self.machine.rewind(mark);
        for label in found {
            let mut v = std::mem::take(&mut self.v);
            v.clear();
            v.extend_from_slice(&deferred.v);
            v.push(label);
            let redundant = match self.keep {
                Keep::Sequences => self.sleeping(frame).iter().any(|z| self.path.labels.weak_initial(&z.as_in(&v), &v)),
                Keep::FirstSteps => self.sleeping(frame).iter().any(|z| {
                    let at = v.iter().position(|y| y.tid == z.label.tid);
                    at.is_some_and(|_| self.path.labels.weak_initial(&z.as_in(&v), &v))
                }),
            };
            if !redundant {
                self.insert(frame, &mut v);
            }
            self.v = v;
        }
    }
}

enum Pick {
    Step(Label),
    AllAsleep,
    Nobody { parked: SmallVec<[Tid; 4]> },
}

/// The choice, if there is just one.
fn only(mut enabled: impl Iterator<Item = Choice>) -> Option<Choice> {
    match (enabled.next(), enabled.next()) {
        (only, None) => only,
        _ => None,
    }
}

/// Whether the step of a thread changes nothing and takes it back to a local state of its history, and whether the answer
/// lasts until what the step touches is changed. A round that looks at plain memory is gone through once: what it reads
/// there may race with a write that comes later.
pub(crate) fn completes_a_useless_round<M: Machine>(
    machine: &mut M,
    tid: Tid,
    pending: &Pending,
    history: &[Fingerprint],
) -> Round {
    match only(pending.choices.enabled()) {
        Some(choice) if !history.is_empty() => try_round(machine, tid, choice, history),
        _ => Round::NONE,
    }
}

/// What a step would do to a thread that may wait.
pub(crate) struct Round {
    /// It changes nothing, and takes the thread back to where it was.
    pub useless: bool,
    /// See `Trial`.
    pub lasting: bool,
    by_value: bool,
}

impl Round {
    const NONE: Round = Round { useless: false, lasting: true, by_value: true };
}

/// The same for one choice of several.
fn try_round<M: Machine>(machine: &mut M, tid: Tid, choice: Choice, history: &[Fingerprint]) -> Round {
    let trial = machine.try_step(tid, choice);
    let been_there = history.iter().filter(|&&local| Some(local) == trial.local).count();
    let useless = been_there > usize::from(!trial.lasting);
    Round { useless, lasting: trial.lasting, by_value: trial.by_value }
}

pub(crate) fn has_several(pending: &Pending) -> bool {
    matches!(&pending.choices, Choices::Listed(list) if list.iter().filter(|state| state.enabled).count() > 1)
}

/// An operation with several choices. One that completes a useless round is not enabled as long as there is another: a
/// thread that waits for time to pass does not look at the clock in vain.
pub(crate) fn without_useless<M: Machine>(machine: &mut M, pending: Pending, history: &[Fingerprint]) -> Pending {
    let Choices::Listed(list) = &pending.choices else { return pending };
    if history.is_empty() || !machine.may_wait(pending.tid) {
        return pending;
    }
    let mut list = list.clone();
    for state in list.iter_mut().filter(|state| state.enabled) {
        state.enabled = !try_round(machine, pending.tid, state.choice, history).useless;
    }
    let choices = Choices::Listed(list);
    if choices.any_enabled() { Pending { choices, ..pending } } else { pending }
}

/// Whether a thread, left alone, goes round for ever without an effect.
pub(crate) fn spins_for_ever<M: Machine>(machine: &mut M, tid: Tid) -> bool {
    let mark = machine.mark();
    let mut seen = Vec::new();
    let spins = loop {
        if machine.may_wait(tid) {
            let local = machine.local_fingerprint(tid).expect("a machine that may wait knows local states");
            if seen.contains(&local) {
                break true;
            }
            seen.push(local);
        }
        let pending = machine.pending(tid);
        let Some(choice) = only(pending.choices.enabled()) else { break false };
        if machine.step(tid, choice) != Step::Silent || !machine.is_live(tid) {
            break false;
        }
    };
    machine.rewind(mark);
    spins
}
