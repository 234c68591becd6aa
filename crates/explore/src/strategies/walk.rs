//! What the strategies share: one path through a program that grows and shrinks at its end, which steps its last state
//! offers, and what kind of end it is where it offers none. `Path` keeps the events, `waiting` the loops that wait.

use smallvec::SmallVec;
use threadbare_core::{Along, Choices, Ending, Fingerprint, Machine, Mark, Mode, Operation, Outcome, Step, Tid};

use super::Settings;
use super::tree::Goes;
use crate::label::Label;
use crate::path::Path;
use crate::search::{End, Flow, Search, Stuck, Totals};
use crate::ticks::Ticks;
use crate::waiting::Histories;
use crate::waiting::{
    Alone, completes_a_useless_round, first_that_leaves, has_several, spins_for_ever, without_useless,
};

/// Stamps that nothing has.
const NEVER: (u64, u64) = (u64::MAX, u64::MAX);

/// What is done about loops that wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loops {
    /// A thread that would complete a useless round is parked: what is explored stays finite. For searches that keep no
    /// states.
    Park,
    /// It goes round; a stored state ends the path. Whether a thread is parked hangs on its past, which is no part of a
    /// state.
    GoRound,
}

/// What a state offers.
#[derive(Default)]
pub struct Here {
    /// Every enabled step, by thread and choice, the threads in the order of `Walk::live`. The end of the process is none of them: it comes when nobody else can
    /// move, so that what it would cut off is explored.
    pub enabled: Vec<Label>,
    /// Threads that wait in a loop.
    pub parked: SmallVec<[Tid; 4]>,
    /// The thread that made the last step, if it can go on and does not stand in a loop that may wait: another one would
    /// preempt it. What that hangs on is the state and who came last, nothing else.
    pub running: Option<Tid>,
}

impl Here {
    /// The threads that can move, each once.
    pub fn threads(&self) -> impl Iterator<Item = Tid> + Clone + '_ {
        self.enabled.chunk_by(|a, b| a.tid == b.tid).map(|steps| steps[0].tid)
    }
}

/// One step that a state offers.
#[derive(Clone, Copy)]
pub struct Offer {
    pub label: Label,
    /// It would change nothing and take its thread back to where it was.
    pub goes_round: bool,
}

fn preempts(running: Option<Tid>, label: &Label) -> bool {
    running.is_some_and(|tid| tid != label.tid)
}

pub struct Walk<'m, M: Machine> {
    pub machine: &'m mut M,
    pub path: Path,
    pub totals: Totals,
    pub ticks: Ticks,
    pub loops: Loops,
    depth_bound: usize,
    /// The most preemptions of an execution.
    pub context_bound: Option<u32>,
    /// Those up to each event.
    preemptions: Vec<u32>,
    /// The state before each event, and the last one.
    marks: Vec<Mark>,
    histories: Histories,
    /// How long `histories` was before each event.
    followed: Vec<u32>,
    /// For each thread whether it was parked when last asked, and what that hangs on (`Path::stamps`).
    parked: Vec<((u64, u64), bool)>,
    live_at_start: Vec<bool>,
    /// Who created each thread, as far as it is known: the same in every execution.
    pub parents: Vec<Option<Tid>>,
    /// When each thread was created: of those on the path, the later ones have the higher numbers.
    born: Vec<u64>,
    births: u64,
    /// More threads use a barrier than it counts, so that arrivals do not commute.
    pub overused: bool,
}

impl<'m, M: Machine> Walk<'m, M> {
    pub fn new(machine: &'m mut M, loops: Loops, settings: &Settings) -> Self {
        let live_at_start = (0..machine.thread_count()).map(|i| machine.is_live(Tid(i as u16))).collect();
        let start = machine.mark();
        let mut walk = Walk {
            machine,
            path: Path::default(),
            totals: Totals::default(),
            ticks: Ticks::new(),
            loops,
            depth_bound: settings.depth_bound,
            context_bound: settings.context_bound,
            preemptions: Vec::new(),
            marks: vec![start],
            histories: Histories::default(),
            followed: Vec::new(),
            parked: Vec::new(),
            live_at_start,
            parents: Vec::new(),
            born: Vec::new(),
            births: 0,
            overused: false,
        };
        for tid in walk.live() {
            walk.remember(tid, true);
        }
        walk
    }

    /// The live threads in the order in which they were created on this path. Their numbers may be in another order, since
    /// they hang on other paths and other workers; what is explored must not.
    pub fn live(&self) -> SmallVec<[Tid; 8]> {
        let all = (0..self.machine.thread_count()).map(|i| Tid(i as u16));
        let mut live: SmallVec<[Tid; 8]> = all.filter(|&tid| self.machine.is_live(tid)).collect();
        live.sort_by_key(|tid| self.born(*tid));
        live
    }

    fn born(&self, tid: Tid) -> u64 {
        self.born.get(tid.index()).copied().unwrap_or(0)
    }

    /// As many events as an execution may have.
    pub fn is_at_bound(&self) -> bool {
        self.path.len() >= self.depth_bound
    }

    /// How often a thread of the path was preempted.
    pub fn preemptions(&self) -> u32 {
        self.preemptions.last().copied().unwrap_or(0)
    }

    /// Whether one more thread may be preempted, if `label` preempts the one that runs. Notes that the bound was reached.
    pub fn affords(&mut self, running: Option<Tid>, label: &Label) -> bool {
        let spent = self.preemptions() + u32::from(preempts(running, label));
        let affords = self.context_bound.is_none_or(|most| spent <= most);
        self.totals.beyond_context += u64::from(!affords);
        affords
    }

    /// What the last state offers.
    pub fn here(&mut self) -> Here {
        let mut here = Here::default();
        for tid in self.live() {
            let pending = self.machine.pending(tid);
            if pending.operation == Operation::Exit || !pending.choices.any_enabled() {
                continue;
            }
            if self.loops == Loops::Park && self.is_parked(tid) {
                here.parked.push(tid);
            } else {
                self.add_steps(&mut here, tid);
            }
        }
        let last = self.path.events.last().map(|event| event.label.tid);
        here.running = last.filter(|&tid| here.enabled.iter().any(|t| t.tid == tid) && !self.machine.may_wait(tid));
        here
    }

    /// The same, with the steps that would complete a useless round, for who wants to know.
    pub fn offers(&mut self) -> Vec<Offer> {
        let here = self.here();
        let live = self.live();
        if !live.iter().any(|&tid| self.machine.may_wait(tid)) {
            return here.enabled.into_iter().map(|label| Offer { label, goes_round: false }).collect();
        }
        let mut offers = Vec::new();
        for tid in live {
            let pending = self.machine.pending(tid);
            if pending.operation == Operation::Exit {
                continue;
            }
            for choice in pending.choices.enabled() {
                let accesses = self.machine.accesses(tid, choice);
                let label = self.path.labels.label(tid, pending.operation, choice, &accesses);
                offers.push(Offer { label, goes_round: !here.enabled.contains(&label) });
            }
        }
        offers
    }

    /// The same with the parked threads that would have an effect, given time: for a walk that is to come to an end.
    pub fn unpark(&mut self, here: &mut Here) {
        for tid in std::mem::take(&mut here.parked) {
            match spins_for_ever(self.machine, tid) {
                true => here.parked.push(tid),
                false => self.add_steps(here, tid),
            }
        }
    }

    fn add_steps(&mut self, here: &mut Here, tid: Tid) {
        let mut pending = self.machine.pending(tid);
        if self.loops == Loops::Park && has_several(&pending) {
            let history: SmallVec<[Fingerprint; 2]> = self.histories.of(tid).collect();
            pending = without_useless(self.machine, pending, &history);
        }
        let first = here.enabled.len();
        for choice in pending.choices.enabled() {
            let accesses = self.machine.accesses(tid, choice);
            here.enabled.push(self.path.labels.label(tid, pending.operation, choice, &accesses));
        }
        // Whom to wake.
        if pending.operation == Operation::CondSignal {
            here.enabled[first..].sort_by_key(|label| self.born(Tid(label.choice.0 as u16)));
        }
    }

    /// What a thread would do with each of its choices, enabled or not. A range of values is all alike, and enabled.
    pub fn next_of(&mut self, tid: Tid) -> SmallVec<[Label; 2]> {
        let pending = self.machine.pending(tid);
        if pending.operation == Operation::Exit {
            return SmallVec::new();
        }
        let choices: SmallVec<[_; 2]> = match &pending.choices {
            Choices::Listed(list) => list.iter().map(|c| c.choice).collect(),
            range => range.enabled().take(1).collect(),
        };
        let label = |choice| {
            let accesses = self.machine.accesses(tid, choice);
            self.path.labels.label(tid, pending.operation, choice, &accesses)
        };
        choices.into_iter().map(label).collect()
    }

    /// The same, as other threads must reckon with it: what may turn out in another way counts as a write.
    pub fn may_do(&mut self, tid: Tid) -> SmallVec<[Label; 2]> {
        let mut next = self.next_of(tid);
        if self.machine.pending(tid).outcome != Outcome::Fixed {
            for operation in &mut next {
                let labels = &mut self.path.labels;
                let mut accesses: SmallVec<[_; 4]> = labels.accesses(operation).copied().collect();
                accesses.iter_mut().for_each(|access| access.mode = Mode::Write);
                *operation = labels.label(tid, operation.operation, operation.choice, &accesses);
            }
        }
        next
    }

    fn is_parked(&mut self, tid: Tid) -> bool {
        if !self.machine.may_wait(tid) {
            return false;
        }
        let pending = self.machine.pending(tid);
        let mut enabled = pending.choices.enabled();
        let (Some(choice), None) = (enabled.next(), enabled.next()) else { return false };
        drop(enabled);
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
        let round = completes_a_useless_round(self.machine, tid, &pending, &history);
        self.parked[tid.index()] = (if round.lasting { stamps } else { NEVER }, round.useless);
        round.useless
    }

    /// Takes a step that is enabled, where `running` would go on.
    pub fn take(&mut self, label: Label, running: Option<Tid>) {
        let tid = label.tid;
        self.preemptions.push(self.preemptions() + u32::from(preempts(running, &label)));
        self.path.ask_for(tid);
        self.overused |= self.path.overuses_barrier(&label);
        let machine = &*self.machine;
        self.path.push(label, |access| machine.value(access));
        let step = self.machine.step(tid, label.choice);
        self.totals.transitions += 1;
        self.totals.depth = self.totals.depth.max(self.path.len());
        match self.machine.along() {
            [] if label.operation == Operation::ThreadCreate && step != Step::Ended => self.note_created(tid),
            [] => {}
            along => self.path.done_along(along),
        }
        for i in 0..self.machine.along().len() {
            if let Along::Start(child) = self.machine.along()[i] {
                self.note_birth(tid, child);
            }
        }
        self.followed.push(self.histories.len() as u32);
        self.remember(tid, step == Step::Silent);
        for i in 0..self.machine.along().len() {
            let other = self.machine.along()[i].who();
            if other != tid {
                self.remember(other, false);
            }
        }
        self.marks.push(self.machine.mark());
    }

    /// Takes the last step back.
    pub fn back(&mut self) {
        self.forget_last();
        self.rewind();
    }

    /// The state before each event, and the last one.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// To the start of the program.
    pub fn start_again(&mut self) {
        while !self.path.is_empty() {
            self.forget_last();
        }
        self.rewind();
    }

    /// The same where somebody else takes the machine back.
    pub fn forget_last(&mut self) {
        self.path.pop();
        self.marks.pop();
        self.preemptions.pop();
        let followed = self.followed.pop().expect("one for each event");
        self.histories.take_back(followed as usize);
    }

    fn rewind(&mut self) {
        self.machine.rewind(*self.marks.last().expect("the start is never left"));
    }

    /// The local state that a thread has come to.
    fn remember(&mut self, tid: Tid, silent: bool) {
        let waits = self.loops == Loops::Park && self.machine.is_live(tid) && self.machine.may_wait(tid);
        let local =
            waits.then(|| self.machine.local_fingerprint(tid).expect("a machine that may wait knows local states"));
        self.histories.advance(tid, local, silent);
    }

    /// The thread that the last event created, if it did.
    fn note_created(&mut self, parent: Tid) {
        let at_start = |tid: Tid| self.live_at_start.get(tid.index()).copied().unwrap_or(false);
        let child = self.live().into_iter().find(|&tid| !at_start(tid) && !self.path.is_created(tid));
        if let Some(child) = child {
            self.path.created(child);
            self.note_birth(parent, child);
        }
    }

    fn note_birth(&mut self, parent: Tid, child: Tid) {
        if self.parents.len() <= child.index() {
            self.parents.resize(child.index() + 1, None);
            self.born.resize(child.index() + 1, 0);
        }
        self.parents[child.index()] = Some(parent);
        self.births += 1;
        self.born[child.index()] = self.births;
    }

    /// What kind of end it is where nobody can move.
    pub fn classify(&mut self, here: &Here) -> End {
        if let Some(Ending::Error(_)) = self.machine.ending() {
            return End::Error;
        }
        // A parked thread that would have an effect, given time, is no end: another execution has that effect.
        match first_that_leaves(self.machine, &here.parked) {
            None => self.end_of(&here.parked),
            Some(Alone::Unknown) => End::Bound,
            Some(_) => End::Redundant,
        }
    }

    /// Nobody can move but `spinning`, who go round for ever.
    fn end_of(&mut self, spinning: &[Tid]) -> End {
        if self.machine.is_cut() {
            return End::Cut;
        }
        let live = self.live();
        for &tid in &live {
            let pending = self.machine.pending(tid);
            if pending.operation == Operation::Exit {
                return End::Exit(tid, pending.choices.enabled().next().unwrap_or_default());
            }
        }
        match live.len() {
            0 => End::Complete,
            count => End::Stuck(Stuck { spinning: spinning.to_vec(), waiting: count - spinning.len() }),
        }
    }

    /// Where threads that wait go round: the end, if all that can move do so for ever without an effect, and the state
    /// with each of them at the least point of its loop, which tells one such end from another.
    pub fn spinning_end(&mut self, movers: impl Iterator<Item = Tid> + Clone) -> Option<(End, Fingerprint)> {
        if !self.machine.has_met_waiting_loops() {
            return None;
        }
        let all_may_wait = movers.clone().next().is_some() && movers.clone().all(|tid| self.machine.may_wait(tid));
        if !all_may_wait || !movers.clone().all(|tid| spins_for_ever(self.machine, tid)) {
            return None;
        }
        let movers: Vec<Tid> = movers.collect();
        let mark = self.machine.mark();
        for &tid in &movers {
            self.go_to_least_point(tid);
        }
        let state = self.machine.fingerprint().expect("a search that stores states asks for exact ones");
        self.machine.rewind(mark);
        Some((self.end_of(&movers), state))
    }

    /// A thread that goes round for ever: to the local state of its loop with the least fingerprint.
    fn go_to_least_point(&mut self, tid: Tid) {
        let mut seen: Vec<Fingerprint> = Vec::new();
        let mut goal = None;
        loop {
            let local = self.machine.local_fingerprint(tid).expect("a machine that may wait knows local states");
            if goal.is_none()
                && let Some(entry) = seen.iter().position(|&l| l == local)
            {
                goal = seen[entry..].iter().min().copied();
            }
            if goal == Some(local) {
                return;
            }
            seen.push(local);
            let choice = self.machine.pending(tid).choices.enabled().next().expect("it goes round");
            self.machine.step(tid, choice);
        }
    }

    /// Tells the search of an end, and counts it.
    pub fn report(&mut self, search: &mut impl Search<M>, end: End) -> Flow {
        match end {
            End::Redundant => self.totals.blocked += 1,
            End::Cut => self.totals.cut += 1,
            End::Bound => self.totals.beyond_bound += 1,
            End::Complete | End::Exit(..) | End::Error | End::Stuck(_) => self.totals.executions += 1,
        }
        let flow = search.end(self.machine, &self.path, end);
        if flow == Flow::Continue {
            self.rewind();
        }
        flow
    }

    /// The machine was stopped on a way that it has to go (`Goes::ahead`): so is the search.
    pub fn stopped(&mut self, search: &mut impl Search<M>) -> Flow {
        search.end(self.machine, &self.path, End::Error);
        Flow::Stop
    }
}

impl<M: Machine> Goes for Walk<'_, M> {
    fn back(&mut self, steps: usize) {
        (0..steps).for_each(|_| self.forget_last());
        self.rewind();
    }

    fn step(&mut self, step: Label) {
        self.take(step, None);
        self.totals.transitions -= 1;
    }

    fn has_ended(&self) -> bool {
        self.machine.ending().is_some()
    }
}
