//! The locks that somebody holds: the memory that they lie in must not go before they are released.
//!
//! The words of a lock say who owns it. Of those who have a read-write lock for reading they say only how many there are; who
//! they are, and how often each has it, is kept here, and is part of a state.

use rustc_hash::FxHashMap;
use threadbare_core::{FaultKind, Tid};

use crate::fault::Fault;
use crate::run::Run;

pub const ENDS_LOCKED: &str = "ends its life while it is locked";

#[derive(Clone, Default)]
pub struct Held {
    /// Addresses of locks that have an owner.
    owned: Vec<u64>,
    /// How often each thread has a lock for reading: never 0.
    reads: FxHashMap<(u64, u16), u32>,
}

impl Held {
    pub fn own(&mut self, lock: u64) {
        if !self.owned.contains(&lock) {
            self.owned.push(lock);
        }
    }

    pub fn release(&mut self, lock: u64) {
        self.owned.retain(|&owned| owned != lock);
    }

    pub fn times_read(&self, lock: u64, tid: Tid) -> u32 {
        self.reads.get(&(lock, tid.0)).copied().unwrap_or(0)
    }

    pub fn set_times_read(&mut self, lock: u64, tid: Tid, times: u32) {
        match times {
            0 => _ = self.reads.remove(&(lock, tid.0)),
            _ => _ = self.reads.insert((lock, tid.0), times),
        }
    }

    /// Locks that are held for reading, by whom and how often.
    pub fn reads(&self) -> impl Iterator<Item = (u64, Tid, u32)> {
        self.reads.iter().map(|(&(lock, tid), &times)| (lock, Tid(tid), times))
    }

    /// Nobody has the lock from here on.
    pub fn forget(&mut self, lock: u64) {
        self.release(lock);
        self.reads.retain(|&(read, _), _| read != lock);
    }

    pub fn clear(&mut self) {
        self.owned.clear();
        self.reads.clear();
    }

    /// The first lock that is held in a piece of memory.
    fn within(&self, start: u64, size: u64) -> Option<u64> {
        let all = self.owned.iter().copied().chain(self.reads.keys().map(|&(lock, _)| lock));
        all.filter(|lock| (start..start + size).contains(lock)).min()
    }
}

impl Run {
    /// A piece of memory is about to go: nobody may hold a lock that lies in it.
    pub fn need_released(&self, tid: Tid, start: u64, size: u64, what: &str) -> Result<(), Box<Fault>> {
        let Some(lock) = self.held.within(start, size) else { return Ok(()) };
        let mut fault = self.fault(tid, FaultKind::MutexMisuse, format!("{} {what}", self.name_of(lock)));
        fault.subject = self.object_at(lock);
        // It ends here.
        fault.subject.iter_mut().filter(|(_, life)| life.local).for_each(|(_, life)| life.ended = None);
        Err(fault)
    }
}
