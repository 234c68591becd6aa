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

    pub fn insert(&mut self, label: Label) {
        if let Err(at) = self.0.binary_search_by_key(&Self::key(&label), Self::key) {
            self.0.insert(at, label);
        }
    }

    /// Sleep' = {t' in Sleep | t' is independent of t}, and t itself goes to sleep: it will have been explored when the
    /// set is looked at next.
    pub fn pass_on(&mut self, labels: &Labels, t: Label) -> SleepSet {
        let independent = self.0.iter().filter(|z| !labels.dependent(z, &t)).copied().collect();
        self.insert(t);
        SleepSet(independent)
    }
}

/// The sleep set with which the last step leads to a state.
pub(super) fn inherited<M: Machine>(walk: &Walk<M>, frames: &mut [Frame<SleepSet>]) -> SleepSet {
    match (frames.last_mut(), walk.path.events.last()) {
        (Some(parent), Some(event)) => parent.own.pass_on(&walk.path.labels, event.label),
        _ => SleepSet::default(),
    }
}

pub struct Sleep;

impl<M: Machine> Rule<M> for Sleep {
    type Own = SleepSet;

    const LOOPS: Loops = Loops::Park;
    const ARRIVALS_COMMUTE: bool = true;

    fn arrive(&mut self, walk: &mut Walk<M>, frames: &mut [Frame<SleepSet>], here: &Here) -> Arrival<SleepSet> {
        let sleep = inherited(walk, frames);
        let awake = here.enabled.iter().filter(|t| !sleep.contains(t)).copied();
        Arrival::Go(Frame::new(awake, sleep.clone()))
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
                let awake = here.enabled.iter().filter(|t| !sleep.contains(t)).copied();
                Arrival::Go(Frame::new(awake, sleep.clone()))
            }
            Entry::Occupied(mut entry) => {
                let slept = entry.get();
                let todo: Vec<Label> = slept.0.iter().filter(|t| !sleep.contains(t)).copied().collect();
                if todo.is_empty() {
                    return Arrival::Known;
                }
                let sleep = SleepSet(sleep.0.into_iter().filter(|t| slept.contains(t)).collect());
                entry.insert(sleep.clone());
                Arrival::Go(Frame::new(todo, sleep))
            }
        }
    }
}
