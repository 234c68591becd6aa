//! `sleep` and `stateful+sleep`: sleep sets (P. Godefroid: "Using partial orders to improve automatic verification
//! methods", CAV 1990; "Partial-Order Methods", LNCS 1032, chapter 5; Dunn, appendix B.4).
//!
//! A step that was explored from a state goes to sleep there: in the branches that are explored after it, it need not be
//! taken before something that depends on it, since that execution is one of its own branch with neighbours swapped. Every
//! trace is explored exactly once; some paths turn out redundant, where all that could move is asleep.
//!
//! With stored states the *revisit rule*: a state keeps the sleep set that it was explored with; when it is met again, what
//! slept then and does not now is explored. Every state is visited, only transitions are saved.
//!
//! What differs: a step is a thread with a choice; whether two are dependent is told by what they would touch in the state
//! where the one went to sleep, which stays right as long as nothing dependent happens.

use std::collections::hash_map::Entry;

use threadbare_core::{Choice, Machine, Tid};

use super::Settings;
use super::depth_first::{Arrival, Frame, Rule};
use super::visited::Visited;
use super::walk::{Here, Loops, Walk};
use crate::label::{Label, Labels};

/// In the order of threads and choices.
#[derive(Clone, Default)]
pub struct SleepSet(Vec<Label>);

impl SleepSet {
    fn key(label: &Label) -> (Tid, Choice) {
        (label.tid, label.choice)
    }

    pub fn contains(&self, label: &Label) -> bool {
        self.0.binary_search_by_key(&Self::key(label), Self::key).is_ok()
    }

    /// The set of the state to which the path goes on: Sleep' = {t' in Sleep | t' is independent of t}, where the branches
    /// that were explored before t have gone to sleep.
    pub fn pass_on<X>(&self, labels: &Labels, frame: &Frame<X>) -> SleepSet {
        let t = frame.current();
        let all = self.0.iter().copied().chain(frame.earlier());
        let mut independent: Vec<Label> = all.filter(|z| !labels.dependent(z, &t)).collect();
        independent.sort_unstable_by_key(Self::key);
        independent.dedup();
        SleepSet(independent)
    }
}

/// The sleep set with which the last step leads to a state.
pub(super) fn inherited<M: Machine>(walk: &Walk<M>, frames: &[Frame<SleepSet>]) -> SleepSet {
    frames.last().map_or_else(SleepSet::default, |parent| parent.own.pass_on(&walk.path.labels, parent))
}

pub struct Sleep;

impl<M: Machine> Rule<M> for Sleep {
    type Own = SleepSet;

    const LOOPS: Loops = Loops::Park;
    const ARRIVALS_COMMUTE: bool = true;

    fn arrive(&mut self, walk: &mut Walk<M>, frames: &mut [Frame<SleepSet>], here: &Here) -> Arrival<SleepSet> {
        let sleep = inherited(walk, frames);
        Arrival::Go(Frame::new(here, |t| !sleep.contains(t), sleep.clone()))
    }
}

pub struct StatefulSleep {
    /// H: the sleep set with which each state was explored.
    slept: Visited<SleepSet>,
}

impl StatefulSleep {
    pub fn new(settings: &Settings) -> Self {
        StatefulSleep { slept: Visited::new(settings) }
    }
}

impl<M: Machine> Rule<M> for StatefulSleep {
    type Own = SleepSet;

    const LOOPS: Loops = Loops::GoRound;
    const ARRIVALS_COMMUTE: bool = false;

    fn arrive(&mut self, walk: &mut Walk<M>, frames: &mut [Frame<SleepSet>], here: &Here) -> Arrival<SleepSet> {
        let sleep = inherited(walk, frames);
        match self.slept.here(walk, here) {
            Entry::Vacant(entry) => {
                entry.insert(sleep.clone());
                Arrival::Go(Frame::new(here, |t| !sleep.contains(t), sleep.clone()))
            }
            Entry::Occupied(mut entry) => {
                let slept = entry.get();
                let both = SleepSet(sleep.0.iter().filter(|t| slept.contains(t)).copied().collect());
                let frame = Frame::new(here, |t| slept.contains(t) && !sleep.contains(t), both.clone());
                if !frame.is_open() {
                    return Arrival::Known;
                }
                entry.insert(both);
                Arrival::Go(frame)
            }
        }
    }
}
