//! `spor`, `spor+sleep` and `stateful+spor`: static partial-order reduction by persistent sets (Godefroid, LNCS 1032, chapter 4; Dunn,
//! section 3.5.3 and appendix B.3).
//!
//! From each state only the steps of a *persistent set* are explored: whatever the other threads do without it, nothing of
//! that conflicts with a step of the set. Every execution that goes on to an end then has one of the set, and the first one
//! could as well have come at once.
//!
//! What differs from Dunn's appendix B.3, which compares all that one thread may ever touch with all that another may:
//! - The *next* operation of each thread inside is compared with what those outside may *still* touch
//!   (`Machine::may_access`), in each state anew. The sets are smaller, and no reason is left to give up where a thread of
//!   the set cannot go on: what could let it go on conflicts with its operation, and is inside.
//! - Reads are distinguished from writes. References may be handed from thread to thread: the machine's sets know it.
//! - A thread that may create others conflicts with everything: its set leaves out what they touch.
//! - The end of the process conflicts with nothing: it waits until nobody else can move, and as long as it waits the steps
//!   of the set can still be taken.
//!
//! With stored states a *proviso* against ignoring: a thread in an endless loop that nobody conflicts with would be a
//! persistent set for ever, and the others were never seen. A state none of whose explored successors was new is explored
//! in full: following new states from any state, the search comes to one where nobody is left out. Without stored states a
//! loop that changes something ends at the depth bound, and one that waits is parked.

use std::collections::hash_map::Entry;

use smallvec::SmallVec;
use threadbare_core::{Machine, Tid};

use super::Settings;
use super::depth_first::{Arrival, Frame, Rule};
use super::sleep::{SleepSet, inherited};
use super::visited::Visited;
use super::walk::{Here, Loops, Walk};
use crate::label::Label;

/// The threads of the smallest persistent set that starts from one of them.
fn persistent_set<M: Machine>(walk: &mut Walk<M>, here: &Here) -> SmallVec<[Tid; 8]> {
    let live = walk.live();
    let next: Vec<SmallVec<[Label; 2]>> = live.iter().map(|&tid| walk.next_of(tid)).collect();
    // Only the end of the process is left for a thread without a next operation here.
    let may_still: Vec<_> = live.iter().map(|&tid| walk.machine.may_access(tid)).collect();
    let disturbs = |q: usize, p: usize| match &may_still[q] {
        None => true,
        Some(set) if set.may_create() => true,
        Some(set) => next[p]
            .iter()
            .any(|label| walk.path.labels.accesses(label).any(|access| set.conflicts_before_the_end(access))),
    };
    let mut best: Option<SmallVec<[Tid; 8]>> = None;
    let steps_of = |inside: &[Tid]| here.enabled.iter().filter(|t| inside.contains(&t.tid)).count();
    for start in here.threads() {
        let start = live.iter().position(|&tid| tid == start).expect("a thread that can move lives");
        let mut inside: SmallVec<[usize; 8]> = SmallVec::from_slice(&[start]);
        let mut looked_at = 0;
        while let Some(&p) = inside.get(looked_at) {
            looked_at += 1;
            for (q, operations) in next.iter().enumerate() {
                if !inside.contains(&q) && !operations.is_empty() && disturbs(q, p) {
                    inside.push(q);
                }
            }
        }
        let inside: SmallVec<[Tid; 8]> = inside.into_iter().map(|p| live[p]).collect();
        if best.as_ref().is_none_or(|best| steps_of(&inside) < steps_of(best)) {
            best = Some(inside);
        }
    }
    best.unwrap_or_default()
}

pub struct Spor;

impl<M: Machine> Rule<M> for Spor {
    type Own = ();

    const LOOPS: Loops = Loops::Park;
    const ARRIVALS_COMMUTE: bool = true;

    fn arrive(&mut self, walk: &mut Walk<M>, _: &mut [Frame<()>], here: &Here) -> Arrival<()> {
        let set = persistent_set(walk, here);
        Arrival::Go(Frame::new(here, |t| set.contains(&t.tid), ()))
    }
}

/// Of the persistent set, only what is awake (Godefroid, chapter 6): the two reductions add up.
pub struct SporSleep;

impl<M: Machine> Rule<M> for SporSleep {
    type Own = SleepSet;

    const LOOPS: Loops = Loops::Park;
    const ARRIVALS_COMMUTE: bool = true;

    fn arrive(&mut self, walk: &mut Walk<M>, frames: &mut [Frame<SleepSet>], here: &Here) -> Arrival<SleepSet> {
        let sleep = inherited(walk, frames);
        let set = persistent_set(walk, here);
        Arrival::Go(Frame::new(here, |t| set.contains(&t.tid) && !sleep.contains(t), sleep.clone()))
    }
}

pub struct StatefulSpor {
    visited: Visited<()>,
    /// Without it threads are ignored, as a test shows.
    pub(super) proviso: bool,
}

impl StatefulSpor {
    pub fn new(settings: &Settings) -> Self {
        StatefulSpor { visited: Visited::new(settings), proviso: true }
    }
}

/// Whether a successor of a state was new.
#[derive(Default)]
pub struct FoundNew(bool);

impl<M: Machine> Rule<M> for StatefulSpor {
    type Own = FoundNew;

    const LOOPS: Loops = Loops::GoRound;
    const ARRIVALS_COMMUTE: bool = false;

    fn arrive(&mut self, walk: &mut Walk<M>, frames: &mut [Frame<FoundNew>], here: &Here) -> Arrival<FoundNew> {
        match self.visited.here(walk, here) {
            Entry::Occupied(_) => return Arrival::Known,
            Entry::Vacant(entry) => entry.insert(()),
        };
        if let Some(parent) = frames.last_mut() {
            parent.own.0 = true;
        }
        let set = persistent_set(walk, here);
        Arrival::Go(Frame::new(here, |t| set.contains(&t.tid), FoundNew::default()))
    }

    fn leave(&mut self, frame: &mut Frame<FoundNew>) {
        if self.proviso && !frame.own.0 {
            frame.explore(|_, _| true);
        }
    }
}
