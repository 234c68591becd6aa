//! What orders two threads: the edges of happens-before, from each visible operation. The same as in the virtual machine
//! (vm/src/races/order.rs has the table), but that every object of synchronisation counts, whoever can reach it.

use std::ops::RangeInclusive;

use smallvec::SmallVec;
use threadbare_core::{Fingerprint, Hash128, Operation, Relied, Tid};

use crate::compared::Compared;
use crate::places::{Clear, Name, Table};
use crate::races::{Cell, Clock, KeptShadow, Kind, Race, Shadow, copy, join};

/// The clocks of a thread.
#[derive(Default)]
struct ThreadClock {
    seen: Clock,
    /// `seen` at its last release fence: what its relaxed stores publish.
    fence: Clock,
    /// What its relaxed loads have read: an acquire fence takes it.
    pending: Clock,
}

impl ThreadClock {
    fn copy(&mut self, from: &ThreadClock) {
        copy(&mut self.seen, &from.seen);
        copy(&mut self.fence, &from.fence);
        copy(&mut self.pending, &from.pending);
    }
}

#[derive(Default)]
struct Lock {
    release: Clock,
    /// Of a read-write lock: from the readers to the next writer.
    readers: Clock,
}

impl Lock {
    fn copy(&mut self, from: &Lock) {
        copy(&mut self.release, &from.release);
        copy(&mut self.readers, &from.readers);
    }
}

impl Clear for Lock {
    fn clear(&mut self) {
        self.release.clear();
        self.readers.clear();
    }
}

impl Clear for Clock {
    fn clear(&mut self) {
        self.clear();
    }
}

#[derive(Default)]
pub struct Races {
    /// There has been more than one thread.
    pub active: bool,
    threads: Vec<ThreadClock>,
    /// By address, and for barriers the generation.
    locks: Table<(u64, u32), Lock>,
    /// What the last atomic write of an address hands on.
    heads: Table<u64, Clock>,
    shadow: Shadow,
    /// What searches rely on: every write is held against it.
    pub relied: Relied,
    /// Pointers to live blocks that threads have looked for.
    compared: Vec<Compared>,
}

/// A copy of all that: it means something where it was made.
#[derive(Default)]
pub struct KeptRaces {
    active: bool,
    threads: Vec<ThreadClock>,
    locks: Vec<(Name, Lock)>,
    heads: Vec<(Name, Clock)>,
    shadow: KeptShadow,
    compared: Vec<Compared>,
}

/// Bytes of an object of synchronisation that its operations count as touching.
const OBJECT_BYTES: u64 = 4;

/// What orders code of which nobody sees what it accesses: no address of the program.
const UNSEEN: (u64, u32) = (2, 0);

fn acquires(order: u64) -> bool {
    matches!(order, 1 | 2 | 4 | 5)
}

fn releases(order: u64) -> bool {
    matches!(order, 3..=5)
}

impl Races {
    pub fn relying_on(relied: Relied) -> Races {
        Races { relied, ..Races::default() }
    }

    pub fn clear(&mut self) {
        self.active = false;
        self.threads.clear();
        self.locks.clear();
        self.heads.clear();
        self.shadow.clear();
        self.compared.clear();
    }

    pub fn keep(&self, kept: &mut KeptRaces) {
        kept.active = self.active;
        kept.threads.resize_with(self.threads.len(), ThreadClock::default);
        kept.threads.iter_mut().zip(&self.threads).for_each(|(to, from)| to.copy(from));
        kept.locks.resize_with(self.locks.len(), Default::default);
        for ((name, to), (is, from)) in kept.locks.iter_mut().zip(self.locks.named()) {
            *name = is;
            to.copy(from);
        }
        kept.heads.resize_with(self.heads.len(), Default::default);
        for ((name, to), (is, from)) in kept.heads.iter_mut().zip(self.heads.named()) {
            *name = is;
            copy(to, from);
        }
        self.shadow.keep(&mut kept.shadow);
        kept.compared.clone_from(&self.compared);
    }

    pub fn restore(&mut self, kept: &KeptRaces) {
        self.active = kept.active;
        self.threads.resize_with(kept.threads.len(), ThreadClock::default);
        self.threads.iter_mut().zip(&kept.threads).for_each(|(to, from)| to.copy(from));
        self.locks.clear();
        for (name, lock) in &kept.locks {
            self.locks.revive(*name).into_iter().for_each(|to| to.copy(lock));
        }
        self.heads.clear();
        for (name, head) in &kept.heads {
            self.heads.revive(*name).into_iter().for_each(|to| copy(to, head));
        }
        self.shadow.restore(&kept.shadow);
        self.compared.clone_from(&kept.compared);
    }

    fn thread(&mut self, tid: Tid) -> &mut ThreadClock {
        while self.threads.len() <= tid.index() {
            let mut clock = ThreadClock::default();
            clock.seen.resize(self.threads.len() + 1, 0);
            clock.seen[self.threads.len()] = 1;
            self.threads.push(clock);
        }
        &mut self.threads[tid.index()]
    }

    /// What the thread does from now on is not what it has published.
    fn advance(&mut self, tid: Tid) {
        self.thread(tid).seen[tid.index()] += 1;
    }

    pub fn create(&mut self, parent: Tid, child: Tid) {
        self.active = true;
        let seen = self.thread(parent).seen.clone();
        self.thread(child);
        let mut fresh = ThreadClock::default();
        fresh.seen.resize(child.index() + 1, 0);
        fresh.seen[child.index()] = 1;
        join(&mut fresh.seen, &seen);
        self.threads[child.index()] = fresh;
        self.advance(parent);
    }

    pub fn join(&mut self, tid: Tid, target: Tid) {
        let seen = self.thread(target).seen.clone();
        join(&mut self.thread(tid).seen, &seen);
    }

    pub fn acquire(&mut self, tid: Tid, key: (u64, u32), also_readers: bool) {
        self.thread(tid);
        if let Some(lock) = self.locks.get(key) {
            let seen = &mut self.threads[tid.index()].seen;
            join(seen, &lock.release);
            if also_readers {
                join(seen, &lock.readers);
            }
        }
    }

    /// `more`: besides what others have released.
    pub fn release(&mut self, tid: Tid, key: (u64, u32), more: bool) {
        self.thread(tid);
        let (seen, lock) = (&self.threads[tid.index()].seen, self.locks.entry(key));
        if more {
            join(&mut lock.release, seen);
        } else {
            copy(&mut lock.release, seen);
        }
        self.advance(tid);
    }

    /// What nobody can take any more.
    pub fn forget(&mut self, key: (u64, u32)) {
        if let Some(lock) = self.locks.get_mut(key) {
            lock.clear();
        }
    }

    pub fn release_reader(&mut self, tid: Tid, key: (u64, u32)) {
        self.thread(tid);
        join(&mut self.locks.entry(key).readers, &self.threads[tid.index()].seen);
        self.advance(tid);
    }

    /// Code of which nobody sees what it accesses may order threads as atomic operations do: it comes after all others of its kind
    /// before it, and after all atomic ones.
    pub fn unseen(&mut self, tid: Tid) {
        self.acquire(tid, UNSEEN, true);
        self.release(tid, UNSEEN, true);
    }

    /// An atomic operation where there is such code.
    pub fn beside_unseen(&mut self, tid: Tid, order: u64, writes: bool) {
        self.thread(tid);
        if let Some(lock) = self.locks.get(UNSEEN) {
            let clock = &mut self.threads[tid.index()];
            join(if acquires(order) { &mut clock.seen } else { &mut clock.pending }, &lock.release);
        }
        if writes {
            let clock = &self.threads[tid.index()];
            let own = if releases(order) { &clock.seen } else { &clock.fence };
            join(&mut self.locks.entry(UNSEEN).readers, own);
        }
    }

    pub fn fence(&mut self, tid: Tid, order: u64) {
        let clock = self.thread(tid);
        if acquires(order) {
            join(&mut clock.seen, &clock.pending);
        }
        if releases(order) {
            copy(&mut clock.fence, &clock.seen);
            self.advance(tid);
        }
    }

    fn atomic_read(&mut self, tid: Tid, address: u64, order: u64) {
        self.thread(tid);
        if let Some(head) = self.heads.get(address) {
            let clock = &mut self.threads[tid.index()];
            join(if acquires(order) { &mut clock.seen } else { &mut clock.pending }, head);
        }
    }

    /// `continues`: a read-modify-write hands on what it replaces. Whether something that was handed on before is not any more.
    fn atomic_write(&mut self, tid: Tid, address: u64, order: u64, continues: bool) -> bool {
        self.thread(tid);
        let clock = &self.threads[tid.index()];
        let own = if releases(order) { &clock.seen } else { &clock.fence };
        let head = self.heads.entry(address);
        let mut loses = false;
        if continues {
            join(head, own);
        } else {
            loses = head.iter().enumerate().any(|(i, time)| own.get(i).is_none_or(|own| own < time) && *time > 0);
            copy(head, own);
        }
        if releases(order) {
            self.advance(tid);
        }
        loses
    }

    /// An atomic operation on memory. `failed` is the order of a compare-exchange that does not change it. Whether less is
    /// ordered by it than before.
    pub fn atomic(&mut self, tid: Tid, operation: Operation, address: u64, order: u64, failed: Option<u64>) -> bool {
        use Operation::*;
        match (operation, failed) {
            (Store, _) => return self.atomic_write(tid, address, order, false),
            (Load, _) => self.atomic_read(tid, address, order),
            (_, Some(order)) => self.atomic_read(tid, address, order),
            _ => {
                self.atomic_read(tid, address, order);
                self.atomic_write(tid, address, order, true);
            }
        }
        false
    }

    pub fn access(&mut self, tid: Tid, address: u64, size: u64, kind: Kind, place: u64) -> Option<Race> {
        if !self.active {
            return None;
        }
        self.thread(tid);
        if kind.writes() {
            self.hold_against_relied(tid, address, size);
        }
        self.shadow.access(tid, &self.threads[tid.index()].seen, address, size, kind, place)
    }

    /// A thread writes this, or ends its life: does anybody rely on it who may have read it at the same time?
    #[inline]
    fn hold_against_relied(&mut self, tid: Tid, address: u64, size: u64) {
        let Races { relied, threads, .. } = self;
        if !relied.is_empty() {
            let time = |of: Tid, to: Tid| threads[of.index()].seen.get(to.index()).copied().unwrap_or(0);
            let exists = |reader: Tid| reader.index() < threads.len();
            relied.written(address, size, |reader| {
                reader != tid && exists(reader) && time(tid, reader) < time(reader, reader)
            });
        }
    }

    /// See `Shadow`.
    pub fn end(&mut self, tid: Tid, address: u64, size: u64) -> Option<Race> {
        if !self.active {
            return None;
        }
        self.thread(tid);
        self.hold_against_relied(tid, address, size);
        self.shadow.end(tid, &self.threads[tid.index()].seen, address, size)
    }

    /// A thread looks for a pointer to a live block.
    pub fn compare(&mut self, tid: Tid, address: u64) {
        if !self.active {
            return;
        }
        let time = self.thread(tid).seen[tid.index()];
        // Who has seen the last time has seen those before.
        match self.compared.iter_mut().find(|by| (by.address, by.tid) == (address, tid)) {
            Some(before) => before.time = time,
            None => self.compared.push(Compared { address, tid, time }),
        }
    }

    /// A thread frees these addresses: whether another one has looked for one of them, with nothing that orders it before.
    pub fn free_compared(&mut self, tid: Tid, block: RangeInclusive<u64>) -> bool {
        if self.compared.is_empty() {
            return false;
        }
        self.thread(tid);
        let seen = &self.threads[tid.index()].seen;
        let is_before = |by: &Compared| by.tid == tid || seen.get(by.tid.index()).is_some_and(|&time| by.time <= time);
        let found = self.compared.iter().any(|by| block.contains(&by.address) && !is_before(by));
        self.compared.retain(|by| !block.contains(&by.address));
        found
    }

    /// See `Shadow`.
    pub fn says(&mut self, tid: Tid, address: u64, size: u32, kind: Kind) -> bool {
        let time = self.thread(tid).seen[tid.index()];
        self.shadow.says(tid, time, address, size, kind)
    }

    pub fn remembers(&self, tid: Tid, address: u64, pc: u64) -> bool {
        self.active && self.shadow.remembers(tid, address, pc)
    }

    /// How many bytes a copy has, nearly.
    pub fn size(&self) -> usize {
        self.shadow.size()
    }

    /// What races hang on. A time matters only in so far as accesses that somebody may still race with come before or after it, so
    /// that executions which differ in how often threads have done what all have seen come to the same.
    pub fn fingerprint(&self, lives: impl Fn(usize) -> bool, ended: impl Fn(usize) -> bool) -> Fingerprint {
        let time_of = |clock: &Clock, tid: usize| clock.get(tid).copied().unwrap_or(0);
        let unseen = |tid: Tid, time: u32| {
            let mut others = self.threads.iter().enumerate().filter(|(number, _)| lives(*number));
            others.any(|(_, clock)| time_of(&clock.seen, tid.index()) < time)
        };
        let cells: Vec<(u64, &Cell)> = self.shadow.cells().filter(|(_, cell)| unseen(cell.tid, cell.time)).collect();
        let compared: SmallVec<[&Compared; 8]> = self.compared.iter().filter(|by| unseen(by.tid, by.time)).collect();
        // The moments of each thread that clocks are compared with: those accesses, and now.
        let mut moments: Vec<SmallVec<[u32; 8]>> = self.threads.iter().map(|_| SmallVec::new()).collect();
        cells.iter().for_each(|(_, cell)| moments[cell.tid.index()].push(cell.time));
        compared.iter().for_each(|by| moments[by.tid.index()].push(by.time));
        for (number, clock) in self.threads.iter().enumerate() {
            moments[number].push(time_of(&clock.seen, number));
            moments[number].sort_unstable();
            moments[number].dedup();
        }
        let rank = |number: usize, time: u32| moments[number].partition_point(|&moment| moment <= time) as u64;
        let hashed = |seed: u64, clock: &Clock| {
            let mut hash = Hash128::new(seed);
            let ranks = clock.iter().enumerate().map(|(number, &time)| (number as u64, rank(number, time)));
            ranks.filter(|(_, rank)| *rank > 0).for_each(|(number, rank)| hash.word(number << 32 | rank));
            hash.finish()
        };
        let nothing = |seed: u64| hashed(seed, &Clock::new());
        let mut all = u128::from(self.active);
        // Sums, since they come in any order.
        let mut add = |part: Fingerprint| all = all.wrapping_add(part.0);
        for (number, clock) in self.threads.iter().enumerate() {
            let seed = |kind: u64| (number as u64) << 8 | kind;
            if lives(number) {
                add(hashed(seed(1), &clock.seen));
                add(hashed(seed(2), &clock.fence));
                add(hashed(seed(3), &clock.pending));
            } else if ended(number) {
                add(hashed(seed(4), &clock.seen));
            }
        }
        let locks = self.locks.iter().flat_map(|((at, generation), lock)| {
            let seed = Fingerprint::of(at, generation.into()).0 as u64;
            [(seed, &lock.release), (!seed, &lock.readers)]
        });
        let heads = self.heads.iter().map(|(at, head)| (Fingerprint::of(at, u64::MAX).0 as u64, head));
        for (seed, clock) in locks.chain(heads) {
            let part = hashed(seed, clock);
            if part != nothing(seed) {
                add(part);
            }
        }
        for (word, cell) in cells {
            let tid = cell.tid.index();
            let what = (tid as u64) << 48 | rank(tid, cell.time) << 16 | u64::from(cell.bytes) << 8 | cell.kind as u64;
            add(Fingerprint::of(word, what));
        }
        for by in compared {
            let tid = by.tid.index();
            add(Fingerprint::of(!by.address, (tid as u64) << 48 | rank(tid, by.time)));
        }
        Fingerprint(all)
    }

    /// An operation touches its object.
    pub fn touch(&mut self, tid: Tid, address: u64, kind: Kind, place: u64) -> Option<Race> {
        self.access(tid, address, OBJECT_BYTES, kind, place)
    }
}
