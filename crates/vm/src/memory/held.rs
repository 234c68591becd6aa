//! The locks that somebody holds: the objects that they lie in must not go before they are released.
//!
//! The words of a lock say who owns it, or only that somebody does (see `symmetry`). Of those who have a read-write lock for
//! reading they say only how many there are; who they are, and how often each has it, is kept here, and is part of the
//! fingerprint.

use super::*;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    pub lock: Addr,
    /// Who reads; 0 is for the owner.
    pub reader: u32,
    /// How often. Of the owner: who it is.
    pub times: u32,
}

impl Memory {
    /// The lock at `address` has this owner from here on; 0 is none.
    pub fn set_owner(&mut self, address: Addr, owner: u32) {
        self.set_times_held(address, 0, owner);
    }

    /// Who owns the lock at `address`; 0 is nobody.
    pub fn owner(&self, address: Addr) -> u32 {
        self.times_read(address, 0)
    }

    /// How often somebody has the lock at `address` for reading.
    pub fn times_read(&self, address: Addr, reader: u32) -> u32 {
        let at = self.place_of_held(address, reader);
        self.held.get(at).filter(|held| (held.lock, held.reader) == (address, reader)).map_or(0, |held| held.times)
    }

    pub fn set_times_read(&mut self, address: Addr, reader: u32, times: u32) {
        debug_assert!(reader != 0);
        self.set_times_held(address, reader, times);
    }

    /// Nobody has the lock at `address` from here on.
    pub fn set_free(&mut self, address: Addr) {
        while let Some(&held) = self.held.get(self.place_of_held(address, 0)).filter(|held| held.lock == address) {
            self.set_times_held(address, held.reader, 0);
        }
    }

    fn set_times_held(&mut self, address: Addr, reader: u32, times: u32) {
        let old = self.times_read(address, reader);
        if old != times {
            self.put_held(address, reader, times);
            let value = |times: u32| u64::from(reader) << 32 | u64::from(times);
            self.log(Change { place: address | HELD << TAG_SHIFT, old: value(old), new: value(times) });
        }
    }

    pub(super) fn undo_held(&mut self, address: Addr, old: u64) {
        self.put_held(address, (old >> 32) as u32, old as u32);
    }

    fn put_held(&mut self, lock: Addr, reader: u32, times: u32) {
        let at = self.place_of_held(lock, reader);
        let known = self.held.get(at).is_some_and(|held| (held.lock, held.reader) == (lock, reader));
        match (known, times) {
            (true, 0) => _ = self.held.remove(at),
            (true, _) => self.held[at].times = times,
            (false, 0) => {}
            (false, _) => self.held.insert(at, Held { lock, reader, times }),
        }
    }

    fn place_of_held(&self, lock: Addr, reader: u32) -> usize {
        self.held.partition_point(|held| (held.lock, held.reader) < (lock, reader))
    }

    /// Of a change of the log. Owners are in the words of the lock already.
    pub fn held_hash(address: Addr, value: u64) -> Fingerprint {
        let (reader, times) = (value >> 32, value as u32);
        if reader == 0 || times == 0 { Fingerprint::default() } else { Fingerprint::of(address | 3 << 62, value) }
    }

    pub(super) fn hash_of_all_held(&self) -> Fingerprint {
        self.held.iter().fold(Fingerprint::default(), |mut hash, held| {
            hash ^= Self::held_hash(held.lock, u64::from(held.reader) << 32 | u64::from(held.times));
            hash
        })
    }

    pub fn all_held(&self) -> &[Held] {
        &self.held
    }

    #[inline]
    pub fn holds_locks(&self) -> bool {
        !self.held.is_empty()
    }

    /// A lock that is held, in the object that starts at `address`.
    pub fn held_in(&self, address: Addr) -> Option<Addr> {
        if !self.holds_locks() {
            return None;
        }
        let (start, object) = self.object_at(address)?;
        let first = self.held.get(self.place_of_held(start, 0))?.lock;
        (object.life == Life::Live && first < start + object.size).then_some(first)
    }
}
