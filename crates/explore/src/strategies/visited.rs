//! The states that a search has met, by exact 128-bit fingerprints, each with what the strategy notes of it.
//!
//! Where executions are bounded, a state that was met late in one execution, or after many preemptions, says nothing about
//! an earlier meeting, which may go further: then what is left of the budget is part of the key, and who would be preempted.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use threadbare_core::{Fingerprint, Machine, Tid};

use super::Settings;
use super::walk::{Here, Walk};

/// What was spent on the way to a state, as far as there are bounds: depth, preemptions, and whom the next would preempt.
type Spent = (u32, u32, Option<Tid>);

pub struct Visited<V> {
    notes: FxHashMap<(Fingerprint, Spent), V>,
    depth_bounded: bool,
    context_bounded: bool,
    /// With bounds, states are counted by themselves.
    states: FxHashSet<Fingerprint>,
}

impl<V> Visited<V> {
    pub fn new(settings: &Settings) -> Self {
        Visited {
            notes: FxHashMap::default(),
            depth_bounded: settings.depth_bound != usize::MAX,
            context_bounded: settings.context_bound.is_some(),
            states: FxHashSet::default(),
        }
    }

    fn key<M: Machine>(&self, walk: &mut Walk<M>, here: &Here) -> (Fingerprint, Spent) {
        let state = walk.machine.matched().expect("a search that stores states asks for exact ones");
        let depth = if self.depth_bounded { walk.path.len() as u32 } else { 0 };
        let (preemptions, running) = if self.context_bounded { (walk.preemptions(), here.running) } else { (0, None) };
        (state, (depth, preemptions, running))
    }

    /// Whether a walk stands at a state that was noted.
    pub fn knows<M: Machine>(&self, walk: &mut Walk<M>, here: &Here) -> bool {
        self.notes.contains_key(&self.key(walk, here))
    }

    /// The state at which a walk stands: nothing noted, if it has never been there.
    pub fn here<M: Machine>(&mut self, walk: &mut Walk<M>, here: &Here) -> Entry<'_, (Fingerprint, Spent), V> {
        let key = self.key(walk, here);
        let entry = self.notes.entry(key);
        let bounded = self.depth_bounded || self.context_bounded;
        let is_new = matches!(entry, Entry::Vacant(_)) && (!bounded || self.states.insert(key.0));
        *walk.totals.states.get_or_insert(0) += u64::from(is_new);
        entry
    }
}
