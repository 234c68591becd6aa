//! `dpor` and `dpor+sleep`: dynamic partial-order reduction with backtracking sets (C. Flanagan, P. Godefroid: "Dynamic
//! partial-order reduction for model checking software", POPL 2005; Dunn, section 3.3, figure 3.4).
//!
//! One step is explored from each state at first. The next operation of every thread is compared with the path: the latest
//! event that it conflicts with, and that does not happen before its thread, could have come after it, so that the thread is
//! added to what is explored from the state before that event. Whether an event happens before a thread is told by the
//! clock vectors of `Path`; reads are distinguished from writes.
//!
//! What differs, and why:
//! - Next operations of threads that cannot go on are compared in every state, too (so do both papers; Yang et al., figure
//!   5, do not): two threads that lock one mutex and never unlock it never execute both locks, and neither does a writer
//!   that readers block. It is also what makes Dunn's figure sound although it leaves out the next point: whoever waits for
//!   a lock has been compared with the lock before the unlock comes.
//! - The latest event counts only if it and the operation may be enabled at once, as in the paper: a release of what the
//!   operation takes is passed over (`only_enables`). Dunn leaves that out, and explores three times as much in random
//!   programs.
//! - A thread is added with all its enabled choices, and a choice that is not enabled (the time-out of a lock that is free)
//!   counts as an operation that cannot go on.
//! - Threads that wait in a loop are parked, and then count as not enabled.
//!
//! With sleep sets (Dunn, section 3.5.4) a step that is asleep in a state is not explored there. To leave it at that, as
//! Dunn does, loses traces: what conflicts with the sleeping step is found out where that is explored, which is not below
//! this state, so that the backtracking set of this state stays too small (`x = 1 ‖ a; r = x ‖ b; r = x`). So a state where a
//! sleeping thread is added is explored in full; all others have explored what they added, and the theorem of the paper
//! holds for them. Each trace is explored once, but some paths turn out redundant.
//!
//! With a bound on preemptions (K. Coons, M. Musuvathi, K. McKinley: "Bounded partial-order reduction", OOPSLA 2013): the thread
//! that ran goes on first, which costs nothing. To come before an event a thread may have to preempt the one that
//! executes it, so that it is also added at the start of the block of steps to which the event belongs, where it need
//! not: a = 1; x = 1 ‖ x = 2 without preemptions. The latest event of *each* other thread counts, since going back before the latest
//! of all may be too dear, and where the thread cannot move all others are added.
//!
//! Not covered: which of several backtracking points would do is not optimised (see `optimal`).

use smallvec::SmallVec;
use threadbare_core::{Choice, Machine, Mode, Operation, Space, Tid};

use super::depth_first::{Arrival, Frame, Rule};
use super::sleep::SleepSet;
use super::walk::{Here, Loops, Walk};
use crate::label::{Label, Labels};
use crate::path::Path;

/// The remedies, each by itself: tests show what is lost without it.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// Without: only operations that are enabled are compared with the path (Yang et al., figure 5).
    pub compares_disabled: bool,
    /// Without: a release counts like any other conflicting event (Dunn, figure 3.4).
    pub passes_over_releases: bool,
    /// Without: a thread that is asleep in a state is just not added there (Dunn, section 3.5.4).
    pub expands_where_asleep: bool,
}

pub(super) const SOUND: Form = Form { compares_disabled: true, passes_over_releases: true, expands_where_asleep: true };

pub struct Dpor {
    pub(super) sleeps: bool,
    pub(super) form: Form,
}

impl Dpor {
    pub fn new() -> Self {
        Dpor { sleeps: false, form: SOUND }
    }

    pub fn with_sleep_sets() -> Self {
        Dpor { sleeps: true, form: SOUND }
    }
}

/// What is kept for each state of the path.
pub struct State {
    /// The threads that were or will be explored from it, as far as this worker knows.
    backtrack: SmallVec<[Tid; 8]>,
    sleep: SleepSet,
    expands_where_asleep: bool,
    /// The next operations that were compared with the path up to here.
    compared: Vec<Label>,
}

impl Frame<State> {
    fn add(&mut self, tid: Tid) {
        if self.own.backtrack.contains(&tid) {
            return;
        }
        self.own.backtrack.push(tid);
        self.explore(|own, t| t.tid == tid && !own.sleep.contains(t));
        let asleep = self.enabled().iter().any(|t| t.tid == tid && self.own.sleep.contains(t));
        if asleep && self.own.expands_where_asleep {
            self.add_all();
        }
    }

    fn add_all(&mut self) {
        for i in 0..self.enabled().len() {
            self.add(self.enabled()[i].tid);
        }
    }

    fn is_enabled(&self, tid: Tid) -> bool {
        self.enabled().iter().any(|t| t.tid == tid)
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
            if !self.form.compares_disabled && !here.enabled.iter().any(|t| t.tid == p) {
                continue;
            }
            walk.path.ask_for(p);
            for next in walk.next_of(p) {
                compared.push(next);
                // What was compared before the last event need only be compared with that.
                let known = frames.last().is_some_and(|frame| frame.own.compared.contains(&next));
                let last = walk.path.events.last();
                if !known || last.is_some_and(|event| walk.path.labels.dependent(&event.label, &next)) {
                    match walk.context_bound {
                        None => self.update_backtrack_sets(&walk.path, frames, &next),
                        Some(_) => self.update_within_bound(&walk.path, frames, &next),
                    }
                }
            }
        }
        let sleep = match frames.last() {
            Some(parent) if self.sleeps => parent.own.sleep.pass_on(&walk.path.labels, parent),
            _ => SleepSet::default(),
        };
        let first = here.enabled.iter().find(|t| !sleep.contains(t)).map(|t| t.tid);
        let first = if walk.context_bound.is_some() { here.running.or(first) } else { first };
        let own =
            State { backtrack: SmallVec::new(), sleep, expands_where_asleep: self.form.expands_where_asleep, compared };
        let mut frame = Frame::new(here, |_| false, own);
        if let Some(first) = first {
            frame.add(first);
        }
        Arrival::Go(frame)
    }

    fn goes_by_order(&self) -> bool {
        self.sleeps
    }
}

impl Dpor {
    /// UPDATEBACKTRACKSETS(path, next)
    fn update_backtrack_sets(&self, path: &Path, frames: &mut [Frame<State>], next: &Label) {
        let p = next.tid;
        let Some(i) = self.latest_race(path, next) else { return };
        let frame = &mut frames[i];
        if frame.is_enabled(p) {
            return frame.add(p);
        }
        // E of the paper: a thread that must move for p to come where it stands.
        let leads_to_p =
            |q: &Label| (i + 1..path.len()).any(|j| path.events[j].label.tid == q.tid && path.within(j, path.prior(p)));
        match frame.enabled().iter().find(|q| leads_to_p(q)).map(|q| q.tid) {
            Some(q) => frame.add(q),
            None => frame.add_all(),
        }
    }

    /// The same where preemptions are bounded.
    fn update_within_bound(&self, path: &Path, frames: &mut [Frame<State>], next: &Label) {
        let add =
            |frame: &mut Frame<State>| if frame.is_enabled(next.tid) { frame.add(next.tid) } else { frame.add_all() };
        for i in self.latest_races_of_each(path, next) {
            let mover = path.events[i].label.tid;
            let start = (0..i).rev().take_while(|&j| path.events[j].label.tid == mover).last().unwrap_or(i);
            // In a loop that may wait, a thread can be left for nothing.
            let free = (start..=i).rev().find(|&j| frames[j].running != Some(mover)).unwrap_or(start);
            [i, free, start].into_iter().for_each(|j| add(&mut frames[j]));
        }
    }

    /// For each other thread, its latest event that `next` conflicts with and that does not happen before its thread, and
    /// the same without releases. Those count, too: who waits for a lock is left for nothing.
    fn latest_races_of_each(&self, path: &Path, next: &Label) -> SmallVec<[usize; 4]> {
        let mut latest: SmallVec<[(Tid, bool, usize); 4]> = SmallVec::new();
        let prior = path.prior(next.tid);
        for access in path.labels.accesses(next) {
            path.walk_conflicts(next.operation, access, |slot, _| {
                let i = slot.event as usize;
                let event = &path.events[i].label;
                if event.tid == next.tid || path.within(i, prior) {
                    return false;
                }
                for releases in [only_enables(&path.labels, event, next), true] {
                    match latest.iter_mut().find(|(tid, with, _)| (*tid, *with) == (event.tid, releases)) {
                        Some((_, _, known)) => *known = i.max(*known),
                        None => latest.push((event.tid, releases, i)),
                    }
                }
                false
            });
        }
        latest.into_iter().map(|(_, _, i)| i).collect()
    }

    /// The latest event that `next` conflicts with, that may be enabled together with it, and that does not happen before
    /// its thread.
    fn latest_race(&self, path: &Path, next: &Label) -> Option<usize> {
        let mut latest = None;
        let prior = path.prior(next.tid);
        for access in path.labels.accesses(next) {
            path.walk_conflicts(next.operation, access, |slot, hides| {
                let i = slot.event as usize;
                if path.within(i, prior) {
                    return hides;
                }
                if self.form.passes_over_releases && only_enables(&path.labels, &path.events[i].label, next) {
                    return false;
                }
                latest = latest.max(Some(i));
                true
            });
        }
        latest
    }
}

/// Whether an operation can only make the other possible, so that the two are never enabled at once: it releases what the
/// other one takes, or is what the other one waits for.
pub(super) fn only_enables(labels: &Labels, event: &Label, next: &Label) -> bool {
    use Operation::*;
    // A failed one, which only looks, releases nothing; a time-out does not take anything.
    event.first().mode != Mode::Read
        && next.choice == Choice(0)
        && !labels.touches(event, Space::Unseen)
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
