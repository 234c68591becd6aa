//! What is ordered, as a part of the state: two histories that lead to the same memory and the same threads may still differ
//! in what will race.
//!
//! Whether an access races with an earlier one hangs on whether its thread knows of that one, and a thread comes to know of
//! it by taking over what others, locks, atomics … know. So all that matters of the past is, for each remembered access,
//! the set of those who know of it; not who made it, nor when, nor the order of accesses that everybody knows of. An access of which
//! every thread that lives knows cannot race any more: it is left out, so that states with the same future are the same
//! again (and programs that run for ever have finitely many). What a thread is about to learn counts as known (`learning`).
//!
//! Comparisons of pointers (`compared`) are remembered in the same way.

use smallvec::smallvec;
use threadbare_core::{Fingerprint, Hash128, Tid};

use super::clocks::{Clocks, Release};
use super::learning::{Knowledge, Lesson};
use crate::memory::{Addr, Life, Memory};

/// Somebody or something that knows of accesses.
struct Holder {
    /// The hash of what it is, the same in every history.
    name: u128,
    knows: Knowledge,
    /// It is a thread that may still do something.
    lives: bool,
}

/// Room for what is needed while a hash is made.
#[derive(Default)]
pub(super) struct Scratch {
    holders: Vec<Holder>,
    /// By the number of a thread: up to when everybody who lives knows what it did.
    all_know: Vec<u32>,
    /// Who knows what a thread did at a time that not everybody knows of: the thread and the time as in `Access::key`, and the
    /// hash of the set.
    known_to: Vec<(u64, [u64; 2])>,
    /// The names of threads by what of them holds something: always the same.
    names: Vec<[u128; 3]>,
}

impl Holder {
    /// Whether it knows what a thread did at a time.
    fn knows(&self, clocks: &Clocks, tid: u16, clock: u32) -> bool {
        self.knows.iter().any(|&release| clocks.get(release, tid) >= clock)
    }
}

impl Scratch {
    /// Looks for what everybody who lives knows: of nobody's time less than there is, if nobody lives.
    fn find_what_all_know(&mut self, clocks: &Clocks, threads: usize) {
        self.all_know.clear();
        self.all_know.resize(threads, u32::MAX);
        for holder in self.holders.iter().filter(|holder| holder.lives) {
            clocks.lower(&mut self.all_know, &holder.knows);
        }
    }

    /// What an access or comparison that is remembered adds to the hash.
    #[inline]
    fn share(&mut self, clocks: &Clocks, key: u64, what: u64) -> u128 {
        let (tid, clock) = ((key >> 16) as u16, (key >> 32) as u32);
        if self.all_know.get(tid as usize).is_some_and(|&all| clock <= all) {
            return 0;
        }
        let time = key >> 16;
        let [low, high] = match self.known_to.iter().find(|known| known.0 == time) {
            Some(known) => known.1,
            None => {
                let who = self.holders.iter().filter(|holder| holder.knows(clocks, tid, clock));
                let all = who.fold(0u128, |all, holder| all.wrapping_add(holder.name));
                let mut hash = Hash128::new(all as u64);
                hash.word((all >> 64) as u64);
                let Fingerprint(hash) = hash.finish();
                let hash = [hash as u64, (hash >> 64) as u64];
                self.known_to.push((time, hash));
                hash
            }
        };
        Fingerprint::of(what.wrapping_add(low), high).0
    }
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
    /// By whose name it goes.
    pub place: Tid,
    pub lives: bool,
    pub lesson: Lesson,
}

impl Memory {
    /// The hash of what is ordered, as far as it still matters.
    pub(crate) fn order_fingerprint(&mut self, threads: &[Existing]) -> Fingerprint {
        debug_assert!(self.races.keeps_order());
        let mut scratch = std::mem::take(&mut self.races.scratch);
        for tid in scratch.names.len()..self.races.threads.len() {
            scratch.names.push(OF_A_THREAD.map(|kind| name(kind, tid as u64)));
        }
        self.holders(threads, &scratch.names, &mut scratch.holders);
        let (races, clocks) = (&self.races, &self.races.clocks);
        scratch.find_what_all_know(clocks, races.threads.len());
        scratch.known_to.clear();
        // A sum, since equal parts must not vanish.
        let mut sum = 0u128;
        let alive =
            |page: Addr| self.object_at(page).filter(|(_, object)| matches!(object.life, Life::Live | Life::Left));
        let extent = |page: Addr| alive(page).map(|(start, object)| (start, object.size));
        races.shadow.each(extent, |word, access| {
            // An address leaves room for the bytes and the kind.
            let what = word << 13 | (access.key & 0xffff) >> 8 << 2 | u64::from(access.kind());
            sum = sum.wrapping_add(scratch.share(clocks, access.key, what));
        });
        for compared in races.compared.iter().filter(|compared| alive(compared.object).is_some()) {
            let key = super::access::key_of(compared.own, compared.tid);
            sum = sum.wrapping_add(scratch.share(clocks, key, !(compared.object << 13)));
        }
        for (&(address, generation), lock) in races.locks.iter().filter(|(_, lock)| lock.left > 0) {
            let mut hash = Hash128::new(address ^ 0xba);
            hash.word(u64::from(generation) << 32 | u64::from(lock.left));
            sum = sum.wrapping_add(hash.finish().0);
        }
        self.races.scratch = scratch;
        Fingerprint(sum)
    }

    /// Everything that hands on what it knows.
    fn holders(&self, threads: &[Existing], names: &[[u128; 3]], list: &mut Vec<Holder>) {
        list.clear();
        let races = &self.races;
        for thread in threads {
            let clock = races.threads[thread.tid.index()];
            let [seen, fence, pending] = names[thread.place.index()];
            let mut add = |name: u128, knows: Release| {
                if !knows.is_nothing() {
                    list.push(Holder { name, knows: smallvec![knows], lives: false });
                }
            };
            if !thread.lives {
                add(seen, clock.seen);
                continue;
            }
            add(fence, clock.fence);
            add(pending, clock.pending);
            let mut knows = smallvec![clock.seen];
            races.learn(&mut knows, thread.lesson, |tid| {
                let target = threads.iter().find(|other| other.tid == tid);
                target.map_or(Lesson::Nothing, |target| target.lesson)
            });
            list.push(Holder { name: seen, knows, lives: true });
        }
        let mut add = |kind: u64, place: u64, knows: Release| {
            if !knows.is_nothing() {
                list.push(Holder { name: name(kind, place), knows: smallvec![knows], lives: false });
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
