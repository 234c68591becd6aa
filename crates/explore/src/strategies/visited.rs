//! The states that a search has met, by exact 128-bit fingerprints, each with what the strategy notes of it.
//!
//! Where executions are bounded in length, a state that was met late in one execution says nothing about an earlier
//! meeting, which may go further: then the depth is part of the key.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use threadbare_core::{Fingerprint, Machine};

use super::Settings;
use super::walk::Walk;

pub struct Visited<V> {
    notes: FxHashMap<(Fingerprint, u32), V>,
    /// The depth is part of the key, and the states are counted by themselves.
    bounded: bool,
    states: FxHashSet<Fingerprint>,
}

impl<V> Visited<V> {
    pub fn new(settings: &Settings) -> Self {
        let bounded = settings.depth_bound != usize::MAX;
        Visited { notes: FxHashMap::default(), bounded, states: FxHashSet::default() }
    }

    /// The state at which a walk stands: nothing noted, if it has never been there.
    pub fn here<M: Machine>(&mut self, walk: &mut Walk<M>) -> Entry<'_, (Fingerprint, u32), V> {
        let state = walk.machine.fingerprint().expect("a search that stores states asks for exact ones");
        let depth = if self.bounded { walk.path.len() as u32 } else { 0 };
        let entry = self.notes.entry((state, depth));
        let is_new = matches!(entry, Entry::Vacant(_)) && (!self.bounded || self.states.insert(state));
        *walk.totals.states.get_or_insert(0) += u64::from(is_new);
        entry
    }
}
