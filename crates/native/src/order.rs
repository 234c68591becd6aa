//! What orders two threads: the edges of happens-before, from each visible operation. The same as in the virtual machine
//! (vm/src/races/order.rs has the table), but that every object of synchronisation counts, whoever can reach it.

use rustc_hash::FxHashMap;
use threadbare_core::{Operation, Tid};

use crate::races::{Clock, Kind, Race, Shadow, join};

/// The clocks of a thread.
#[derive(Clone, Default)]
struct ThreadClock {
    seen: Clock,
    /// `seen` at its last release fence: what its relaxed stores publish.
    fence: Clock,
    /// What its relaxed loads have read: an acquire fence takes it.
    pending: Clock,
}

#[derive(Clone, Default)]
struct Lock {
    release: Clock,
    /// Of a read-write lock: from the readers to the next writer.
    readers: Clock,
}

#[derive(Clone, Default)]
pub struct Races {
    /// There has been more than one thread.
    pub active: bool,
    threads: Vec<ThreadClock>,
    /// By address, and for barriers the generation.
    locks: FxHashMap<(u64, u32), Lock>,
    /// What the last atomic write of an address hands on.
    heads: FxHashMap<u64, Clock>,
    shadow: Shadow,
}

/// Bytes of an object of synchronisation that its operations count as touching.
const OBJECT_BYTES: u64 = 4;

fn acquires(order: u64) -> bool {
    matches!(order, 1 | 2 | 4 | 5)
}

fn releases(order: u64) -> bool {
    matches!(order, 3..=5)
}

impl Races {
    pub fn clear(&mut self) {
        self.active = false;
        self.threads.clear();
        self.locks.clear();
        self.heads.clear();
        self.shadow.clear();
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
        if let Some(lock) = self.locks.get(&key) {
            let seen = &mut self.threads[tid.index()].seen;
            join(seen, &lock.release);
            if also_readers {
                join(seen, &lock.readers);
            }
        }
    }

    /// `more`: besides what others have released.
    pub fn release(&mut self, tid: Tid, key: (u64, u32), more: bool) {
        let seen = self.thread(tid).seen.clone();
        let lock = self.locks.entry(key).or_default();
        if more {
            join(&mut lock.release, &seen);
        } else {
            lock.release = seen;
        }
        self.advance(tid);
    }

    pub fn release_reader(&mut self, tid: Tid, key: (u64, u32)) {
        let seen = self.thread(tid).seen.clone();
        join(&mut self.locks.entry(key).or_default().readers, &seen);
        self.advance(tid);
    }

    pub fn fence(&mut self, tid: Tid, order: u64) {
        let clock = self.thread(tid);
        if acquires(order) {
            let pending = clock.pending.clone();
            join(&mut clock.seen, &pending);
        }
        if releases(order) {
            clock.fence = clock.seen.clone();
            self.advance(tid);
        }
    }

    fn atomic_read(&mut self, tid: Tid, address: u64, order: u64) {
        self.thread(tid);
        if let Some(head) = self.heads.get(&address) {
            let clock = &mut self.threads[tid.index()];
            join(if acquires(order) { &mut clock.seen } else { &mut clock.pending }, head);
        }
    }

    /// `continues`: a read-modify-write hands on what it replaces. Whether something that was handed on before is not any more.
    fn atomic_write(&mut self, tid: Tid, address: u64, order: u64, continues: bool) -> bool {
        let clock = self.thread(tid);
        let own = if releases(order) { clock.seen.clone() } else { clock.fence.clone() };
        let head = self.heads.entry(address).or_default();
        let mut loses = false;
        if continues {
            join(head, &own);
        } else {
            loses = head.iter().enumerate().any(|(i, time)| own.get(i).is_none_or(|own| own < time) && *time > 0);
            *head = own;
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

    pub fn access(&mut self, tid: Tid, address: u64, size: u64, kind: Kind, pc: u64) -> Option<Race> {
        if !self.active {
            return None;
        }
        self.thread(tid);
        self.shadow.access(tid, &self.threads[tid.index()].seen, address, size, kind, pc)
    }

    /// An operation touches its object.
    pub fn touch(&mut self, tid: Tid, address: u64, kind: Kind, pc: u64) -> Option<Race> {
        self.access(tid, address, OBJECT_BYTES, kind, pc)
    }
}
