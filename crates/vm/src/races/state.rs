//! What is ordered, as a part of the state: two histories that lead to the same memory and the same threads may still differ
//! in what will race.
//!
//! Whether an access races with an earlier one hangs on whether its thread knows of that one, and a thread comes to know of
//! it by taking over what others, locks, atomics … know. So all that matters of the past is, for each remembered access,
//! the set of those who know of it; not who made it, nor when, nor the order of accesses that everybody knows of. An access of which
//! every thread that lives knows cannot race any more: it is left out, so that states with the same future are the same
//! again (and programs that run for ever have finitely many).
//!
//! Comparisons of pointers (`compared`) are remembered in the same way.

use threadbare_core::{Fingerprint, Hash128, Tid};

use super::clocks::Release;
use crate::memory::{Addr, Life, Memory};

/// Somebody or something that knows of accesses, by a number that is the same in every history.
struct Holder {
    name: u64,
    knows: Release,
}

/// A thread that exists: it may still do something, or be joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Existing {
    pub tid: Tid,
    pub lives: bool,
}

impl Memory {
    /// The hash of what is ordered, as far as it still matters.
    pub(crate) fn order_fingerprint(&self, threads: &[Existing]) -> Fingerprint {
        let races = &self.races;
        if !races.active || races.sharing.on {
            return Fingerprint::default();
        }
        let holders = self.holders(threads);
        let living: Vec<Release> =
            threads.iter().filter(|thread| thread.lives).map(|thread| races.thread_knows(thread.tid)).collect();
        // A sum, since equal parts must not vanish.
        let mut sum = 0u128;
        let mut add = |mut hash: Hash128, tid: Tid, clock: u32| {
            let known_to = |release: &Release| races.clocks.get(*release, tid.0) >= clock;
            if living.iter().all(known_to) {
                return;
            }
            for holder in holders.iter().filter(|holder| known_to(&holder.knows)) {
                hash.word(holder.name);
            }
            sum = sum.wrapping_add(hash.finish().0);
        };
        let alive =
            |page: Addr| self.object_at(page).filter(|(_, object)| matches!(object.life, Life::Live | Life::Left));
        let extent = |page: Addr| alive(page).map(|(start, object)| (start, object.size));
        races.shadow.each(extent, |word, access| {
            let mut hash = Hash128::new(word);
            hash.word(access.key & 0xffff);
            add(hash, access.tid(), access.clock());
        });
        for compared in races.compared.iter().filter(|compared| alive(compared.object).is_some()) {
            add(Hash128::new(compared.object ^ 0xc0), compared.tid, compared.own);
        }
        for (&(address, generation), lock) in races.locks.iter().filter(|(_, lock)| lock.left > 0) {
            let mut hash = Hash128::new(address ^ 0xba);
            hash.word(u64::from(generation) << 32 | u64::from(lock.left));
            sum = sum.wrapping_add(hash.finish().0);
        }
        Fingerprint(sum)
    }

    /// Everything that hands on what it knows, in an order of its own.
    fn holders(&self, threads: &[Existing]) -> Vec<Holder> {
        let races = &self.races;
        let mut list = Vec::new();
        let mut add = |kind: u64, place: u64, knows: Release| {
            if !knows.is_nothing() {
                list.push(Holder { name: place ^ kind << 60, knows });
            }
        };
        for thread in threads {
            let clock = races.threads[thread.tid.index()];
            let place = u64::from(thread.tid.0);
            add(1, place, clock.seen);
            if thread.lives {
                add(2, place, clock.fence);
                add(3, place, clock.pending);
            }
        }
        for (&(address, generation), lock) in &races.locks {
            let place = address ^ u64::from(generation) << 40;
            if address == 0 || self.object_at(address).is_some() {
                add(4, place, lock.release);
                add(5, place, lock.readers);
            }
        }
        for (&word, heads) in races.heads.iter().filter(|(word, _)| self.object_at(**word).is_some()) {
            for &(bytes, release) in heads {
                add(6, word ^ u64::from(bytes) << 52, release);
            }
        }
        list.sort_unstable_by_key(|holder| holder.name);
        list
    }
}

impl super::Races {
    fn thread_knows(&self, tid: Tid) -> Release {
        self.threads[tid.index()].seen
    }
}
