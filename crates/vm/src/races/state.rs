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

/// Somebody or something that knows of accesses.
#[derive(Clone, Copy)]
struct Holder {
    /// The hash of what it is, the same in every history.
    name: u128,
    knows: Release,
    /// It is a thread that may still do something.
    lives: bool,
    /// What it knows of the thread that was looked at last.
    knows_of: u32,
}

/// Room for what is needed while a hash is made.
#[derive(Default)]
pub(super) struct Scratch {
    holders: Vec<Holder>,
    /// Accesses by the clock of a thread, and their hashes: see `order_fingerprint`.
    accesses: Vec<(u64, u64)>,
    /// The names of threads by what of them holds something: always the same.
    names: Vec<[u128; 3]>,
}

fn name(kind: u64, place: u64) -> u128 {
    Fingerprint::of(place, kind).0
}

/// What a thread has seen, what it would hand on behind a fence, and what it would take over by one.
const OF_A_THREAD: [u64; 3] = [1, 2, 3];

/// A thread that exists: it may still do something, or be joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Existing {
    pub tid: Tid,
    pub lives: bool,
}

impl Memory {
    /// The hash of what is ordered, as far as it still matters.
    pub(crate) fn order_fingerprint(&mut self, threads: &[Existing]) -> Fingerprint {
        if !self.races.active || self.races.sharing.on {
            return Fingerprint::default();
        }
        let Scratch { mut holders, mut accesses, mut names } = std::mem::take(&mut self.races.scratch);
        for tid in names.len()..self.races.threads.len() {
            names.push(OF_A_THREAD.map(|kind| name(kind, tid as u64)));
        }
        self.holders(threads, &names, &mut holders);
        self.unforgotten(&mut accesses);
        let clocks = &self.races.clocks;
        // A sum, since equal parts must not vanish.
        let mut sum = 0u128;
        // Of the thread that was looked at last: up to when everybody who lives knows what it did.
        let (mut thread, mut all_know) = (None, 0);
        // The hash of the set of those who know what it did at one time.
        let (mut time, mut known_to) = (None, [0u64; 2]);
        for &(key, what) in &accesses {
            let (tid, clock) = ((key >> 16) as u16, (key >> 32) as u32);
            if thread.replace(tid) != Some(tid) {
                holders.iter_mut().for_each(|holder| holder.knows_of = clocks.get(holder.knows, tid));
                let living = holders.iter().filter(|holder| holder.lives);
                all_know = living.map(|holder| holder.knows_of).min().unwrap_or(u32::MAX);
            }
            if clock <= all_know {
                continue;
            }
            if time.replace((tid, clock)) != Some((tid, clock)) {
                let names = holders.iter().map(|holder| if holder.knows_of >= clock { holder.name } else { 0 });
                let all = names.fold(0, u128::wrapping_add);
                let mut hash = Hash128::new(all as u64);
                hash.word((all >> 64) as u64);
                let Fingerprint(hash) = hash.finish();
                known_to = [hash as u64, (hash >> 64) as u64];
            }
            let [low, high] = known_to;
            sum = sum.wrapping_add(Fingerprint::of(what.wrapping_add(low), high).0);
        }
        for (&(address, generation), lock) in self.races.locks.iter().filter(|(_, lock)| lock.left > 0) {
            let mut hash = Hash128::new(address ^ 0xba);
            hash.word(u64::from(generation) << 32 | u64::from(lock.left));
            sum = sum.wrapping_add(hash.finish().0);
        }
        self.races.scratch = Scratch { holders, accesses, names };
        Fingerprint(sum)
    }

    /// The accesses, and comparisons, that are remembered: by whom and when, as in `Access::key`, and what they are. Those of
    /// one thread mostly come in a row.
    fn unforgotten(&self, list: &mut Vec<(u64, u64)>) {
        list.clear();
        let races = &self.races;
        let alive =
            |page: Addr| self.object_at(page).filter(|(_, object)| matches!(object.life, Life::Live | Life::Left));
        let extent = |page: Addr| alive(page).map(|(start, object)| (start, object.size));
        races.shadow.each(extent, |word, access| {
            // An address leaves room for the bytes and the kind.
            list.push((access.key, word << 13 | (access.key & 0xffff) >> 8 << 2 | u64::from(access.kind())));
        });
        for compared in races.compared.iter().filter(|compared| alive(compared.object).is_some()) {
            list.push((super::access::key_of(compared.own, compared.tid), !(compared.object << 13)));
        }
    }

    /// Everything that hands on what it knows.
    fn holders(&self, threads: &[Existing], names: &[[u128; 3]], list: &mut Vec<Holder>) {
        list.clear();
        let races = &self.races;
        for thread in threads {
            let clock = races.threads[thread.tid.index()];
            let [seen, fence, pending] = names[thread.tid.index()];
            let mut add = |name: u128, knows: Release, lives: bool| {
                if !knows.is_nothing() || lives {
                    list.push(Holder { name, knows, lives, knows_of: 0 });
                }
            };
            add(seen, clock.seen, thread.lives);
            if thread.lives {
                add(fence, clock.fence, false);
                add(pending, clock.pending, false);
            }
        }
        let mut add = |kind: u64, place: u64, knows: Release| {
            if !knows.is_nothing() {
                list.push(Holder { name: name(kind, place), knows, lives: false, knows_of: 0 });
            }
        };
        for (&(address, generation), lock) in &races.locks {
            if address == 0 || self.object_at(address).is_some() {
                add(4 | u64::from(generation) << 8, address, lock.release);
                add(5 | u64::from(generation) << 8, address, lock.readers);
            }
        }
        for (&word, heads) in races.heads.iter().filter(|(word, _)| self.object_at(**word).is_some()) {
            for &(bytes, release) in heads {
                add(6 | u64::from(bytes) << 8, word, release);
            }
        }
    }
}
