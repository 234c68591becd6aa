//! `dpor` and `dpor+sleep`: dynamic partial-order reduction with backtracking sets (C. Flanagan, P. Godefroid: "Dynamic
//! partial-order reduction for model checking software", POPL 2005; Dunn, section 3.3, figure 3.4).
//!
//! One step is explored from each state at first. The next operation of every thread is compared with the path: the latest
//! event that it conflicts with, and that does not happen before its thread, could have come after it, so that the thread is
//! added to what is explored from the state before that event. Whether an event happens before a thread is told by the
//! clock vectors of `Path`; reads are distinguished from writes.
//!
//! What differs, and why:
//! - Next operations of threads that cannot go on are compared, too (so do both papers; Yang et al. do not): two threads that
//!   lock one mutex and never unlock it never execute both locks.
//! - The latest event counts only if it and the operation can be enabled at once. Dunn leaves that out, and then an unlock
//!   hides the lock before it. Here a release of what an operation needs is passed over (`only_enables`), and so is an event
//!   before which the thread could not have done the operation either: besides what is added there, the search goes on to
//!   earlier events, down to one before which it could. A writer that several readers block needs that.
//! - A thread is added with all its enabled choices, and a choice that is not enabled (the time-out of a lock that is free)
//!   counts as an operation that cannot go on.
//! - Threads that wait in a loop are parked, and then count as not enabled.
//!
//! With sleep sets (Dunn, section 3.5.4) a step that is asleep in a state is not added there. Each trace is explored once,
//! but some paths turn out redundant.
//!
//! Not covered: which of several backtracking points would do is not optimised (see `optimal`).

use smallvec::SmallVec;
use threadbare_core::{Choice, Machine, Mode, Operation, Outcome, Tid};

use super::depth_first::{Arrival, Frame, Rule};
use super::sleep::SleepSet;
use super::walk::{Here, Loops, Walk};
use crate::label::Label;
use crate::path::Path;

/// What is compared with the path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Sound,
    /// Only operations of threads that can go on (Yang, Chen, Gopalakrishnan, Kirby: figure 5).
    #[cfg(test)]
    EnabledOnly,
    /// Only the latest conflicting event, whatever it is (Dunn, figure 3.4).
    #[cfg(test)]
    LatestConflict,
}

impl Form {
    fn looks_at_disabled(self) -> bool {
        match self {
            Form::Sound => true,
            #[cfg(test)]
            Form::EnabledOnly => false,
            #[cfg(test)]
            Form::LatestConflict => true,
        }
    }

    fn looks_further(self) -> bool {
        match self {
            Form::Sound => true,
            #[cfg(test)]
            Form::EnabledOnly => true,
            #[cfg(test)]
            Form::LatestConflict => false,
        }
    }
}

pub struct Dpor {
    sleeps: bool,
    form: Form,
}

impl Dpor {
    pub fn new() -> Self {
        Dpor { sleeps: false, form: Form::Sound }
    }

    pub fn with_sleep_sets() -> Self {
        Dpor { sleeps: true, form: Form::Sound }
    }
}

/// What is kept for each state of the path.
pub struct State {
    enabled: Vec<Label>,
    /// The threads that were or will be explored from it.
    backtrack: SmallVec<[Tid; 8]>,
    sleep: SleepSet,
    /// The next operations that were compared with the path up to here.
    compared: Vec<Label>,
}

impl Frame<State> {
    fn add(&mut self, tid: Tid) {
        if self.own.backtrack.contains(&tid) {
            return;
        }
        self.own.backtrack.push(tid);
        let mine = self.own.enabled.iter().filter(|t| t.tid == tid);
        let (asleep, awake): (Vec<Label>, Vec<Label>) = mine.partition(|t| self.own.sleep.contains(t));
        self.todo.extend(awake);
        if !asleep.is_empty() {
            self.add_all();
        }
    }

    fn add_all(&mut self) {
        for i in 0..self.own.enabled.len() {
            self.add(self.own.enabled[i].tid);
        }
    }

    fn is_enabled(&self, tid: Tid) -> bool {
        self.own.enabled.iter().any(|t| t.tid == tid)
    }
}

impl<M: Machine> Rule<M> for Dpor {
    type Own = State;

    const LOOPS: Loops = Loops::Park;
    const ARRIVALS_COMMUTE: bool = true;

    /// EXPLORE of figure 3.4, up to the loop.
    fn arrive(&mut self, walk: &mut Walk<M>, frames: &mut [Frame<State>], here: &Here) -> Arrival<State> {
        let mut compared = Vec::new();
        for p in walk.live() {
            let pending = walk.machine.pending(p);
            if !self.form.looks_at_disabled() && !here.enabled.iter().any(|t| t.tid == p) {
                continue;
            }
            let always = pending.outcome == Outcome::Fixed && !walk.machine.may_wait(p);
            walk.path.make_room(p.index() + 1);
            for next in walk.next_of(p) {
                compared.push(next);
                // What was compared before the last event need only be compared with that.
                let known = frames.last().is_some_and(|frame| frame.own.compared.contains(&next));
                let last = walk.path.events.last();
                if !known || last.is_some_and(|event| walk.path.labels.dependent(&event.label, &next)) {
                    self.update_backtrack_sets(&walk.path, frames, &next, always);
                }
            }
        }
        let sleep = match (frames.last_mut(), walk.path.events.last()) {
            (Some(parent), Some(event)) if self.sleeps => parent.own.sleep.pass_on(&walk.path.labels, event.label),
            _ => SleepSet::default(),
        };
        let first = here.enabled.iter().find(|t| !sleep.contains(t)).map(|t| t.tid);
        let own = State { enabled: here.enabled.clone(), backtrack: SmallVec::new(), sleep, compared };
        let mut frame = Frame::new([], own);
        if let Some(first) = first {
            frame.add(first);
        }
        Arrival::Go(frame)
    }
}

impl Dpor {
    /// UPDATEBACKTRACKSETS(path, next). `always`: the operation is enabled in every state.
    fn update_backtrack_sets(&self, path: &Path, frames: &mut [Frame<State>], next: &Label, always: bool) {
        let p = next.tid;
        for i in conflicting_events(path, next, always) {
            if self.form.looks_further() && only_enables(&path.events[i].label, next) {
                continue;
            }
            let frame = &mut frames[i];
            if frame.is_enabled(p) {
                frame.add(p);
                let stands_there = || {
                    let same = frame.own.enabled.iter().any(|t| t.same_step(next) && t.operation == next.operation);
                    same && !path.events[i..].iter().any(|event| event.label.tid == p)
                };
                if always || stands_there() {
                    return;
                }
            } else {
                // E of the paper: a thread that must move for p to come where it stands.
                let leads_to_p = |q: &Label| {
                    (i + 1..path.len()).any(|j| path.events[j].label.tid == q.tid && path.within(j, path.prior(p)))
                };
                match frame.own.enabled.iter().find(|q| leads_to_p(q)).map(|q| q.tid) {
                    Some(q) => frame.add(q),
                    None => frame.add_all(),
                }
            }
            if !self.form.looks_further() {
                return;
            }
        }
    }
}

/// The events that `next` conflicts with and that do not happen before its thread, latest first. Of an operation that is
/// always enabled only the latest matters.
fn conflicting_events(path: &Path, next: &Label, always: bool) -> Vec<usize> {
    let mut found = Vec::new();
    let prior = path.prior(next.tid);
    for access in path.labels.accesses(next) {
        path.walk_conflicts(next.operation, access, |slot, hides| {
            let past = path.within(slot.event as usize, prior);
            if !past {
                found.push(slot.event as usize);
            }
            if always { !past || hides } else { past && hides }
        });
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.dedup();
    if always {
        found.truncate(1);
    }
    found
}

/// Whether an operation can only make the other possible, so that the two are never enabled at once: it releases what the
/// other one takes, or is what the other one waits for.
fn only_enables(event: &Label, next: &Label) -> bool {
    use Operation::*;
    // A failed one, which only looks, releases nothing; a time-out does not take anything.
    event.first().mode != Mode::Read
        && next.choice == Choice(0)
        && match event.operation {
            MutexUnlock | CondEnter => {
                matches!(next.operation, MutexLock | MutexTimedLock | CondLeave | CondLeaveTimed)
            }
            CondSignal | CondBroadcast => matches!(next.operation, CondLeave | CondLeaveTimed),
            SpinUnlock => next.operation == SpinLock,
            RwUnlock => matches!(next.operation, RwReadLock | RwWriteLock | RwTimedReadLock | RwTimedWriteLock),
            ThreadEnd => matches!(next.operation, ThreadJoin | ThreadTimedJoin),
            BarrierArrive => next.operation == BarrierLeave,
            _ => false,
        }
}
