//! The numbers of the states that were met, by their 128-bit fingerprints.
//!
//! Open addressing: a slot has the number of a state and 32 bits of its fingerprint, with linear steps from the place that these bits
//! say. The fingerprint itself lies with the state: who finds the bits looks there, and has to look at the state anyway. A state that
//! is not there costs one miss of the cache, and one that is there two.
//! There are several tables, chosen by other bits, that grow one by one and by a quarter: no growth takes long, and 8
//! bytes of a state take 11 to 15. They are locked one by one, too: workers of one search are seldom at the same.

use std::cell::UnsafeCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use threadbare_core::Fingerprint;

use super::room::{Room, Zero, fetch};
use crate::crew::lock;

/// There are two to the power of that many tables for one worker, and for several. The fewer, the sooner they are large
/// enough for large pages.
const SHARD_BITS: [u32; 2] = [3, 6];
/// Below this, a table doubles.
const SMALL: usize = 256;

#[derive(Clone, Copy)]
struct Slot {
    tag: u32,
    /// One more than the number of the state, or nothing.
    number: u32,
}

// SAFETY: numbers.
unsafe impl Zero for Slot {}

#[derive(Default)]
struct Shard {
    slots: Room<Slot>,
    used: usize,
}

/// The bits of a fingerprint that a slot has.
#[inline]
fn tag(Fingerprint(key): Fingerprint) -> u32 {
    key as u32
}

/// Where one begins to look for a tag among so many slots.
#[inline]
fn home(tag: u32, slots: usize) -> usize {
    ((u64::from(tag) * slots as u64) >> 32) as usize
}

impl Shard {
    /// Where a state is, or would be put. There is room for it.
    #[inline]
    fn place(&self, tag: u32, is_it: impl Fn(u32) -> bool) -> usize {
        let mut place = home(tag, self.slots.len());
        loop {
            let slot = &self.slots[place];
            if slot.number == 0 || slot.tag == tag && is_it(slot.number - 1) {
                return place;
            }
            place = if place + 1 == self.slots.len() { 0 } else { place + 1 };
        }
    }

    /// Whether its slots lie elsewhere now.
    fn make_room(&mut self) -> bool {
        // The fuller it is, the longer one looks for what is not there.
        if 10 * (self.used + 1) <= 7 * self.slots.len() {
            return false;
        }
        let size = self.slots.len();
        let more = if size < SMALL { size.max(8) } else { size / 4 };
        let old = std::mem::replace(&mut self.slots, Room::new(size + more));
        for slot in old.iter().filter(|slot| slot.number != 0) {
            let place = self.place(slot.tag, |_| false);
            self.slots[place] = *slot;
        }
        true
    }
}

/// Where the slots of a table lie, and how many they are, as far as one can tell without its lock.
#[derive(Default)]
struct Whereabouts {
    start: AtomicPtr<Slot>,
    slots: AtomicUsize,
}

#[derive(Default)]
struct Locked {
    lock: Mutex<()>,
    shard: UnsafeCell<Shard>,
}

pub struct Table {
    shards: Vec<Locked>,
    whereabouts: Vec<Whereabouts>,
    bits: u32,
    /// One worker needs no locks.
    alone: bool,
}

// SAFETY: who looks at a shard has its lock, or is alone.
unsafe impl Sync for Table {}

impl Table {
    pub fn new(for_several: bool) -> Table {
        let bits = SHARD_BITS[usize::from(for_several)];
        let all = 0..1 << bits;
        Table {
            shards: all.clone().map(|_| Locked::default()).collect(),
            whereabouts: all.map(|_| Whereabouts::default()).collect(),
            bits,
            alone: !for_several,
        }
    }

    #[inline]
    fn shard_of(&self, Fingerprint(key): Fingerprint) -> usize {
        (key >> (128 - self.bits)) as usize
    }

    #[inline]
    fn with<R>(&self, Locked { lock: own, shard }: &Locked, what: impl FnOnce(&mut Shard) -> R) -> R {
        let _lock = (!self.alone).then(|| lock(own));
        // SAFETY: it is locked, or there is nobody else.
        what(unsafe { &mut *shard.get() })
    }

    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| self.with(shard, |shard| shard.used)).sum()
    }

    /// Somebody is going to ask for it soon.
    #[inline]
    pub fn fetch(&self, key: Fingerprint) {
        let Whereabouts { start, slots } = &self.whereabouts[self.shard_of(key)];
        fetch(start.load(Ordering::Relaxed).wrapping_add(home(tag(key), slots.load(Ordering::Relaxed))));
    }

    /// The number that a state probably has, if it has one.
    #[inline]
    pub fn guess(&self, key: Fingerprint) -> Option<u32> {
        self.find(key, |_| true)
    }

    /// The number of a state, if it has one. `is_it` tells whether that of a number is the one.
    #[inline]
    pub fn find(&self, key: Fingerprint, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        self.with(&self.shards[self.shard_of(key)], |shard| {
            let none = shard.used == 0;
            if none { None } else { shard.slots[shard.place(tag(key), is_it)].number.checked_sub(1) }
        })
    }

    /// The number of a state, and whether it is new: then it gets this one, and is kept.
    #[inline]
    pub fn enter(&self, key: Fingerprint, fresh: u32, is_it: impl Fn(u32) -> bool, keep: impl FnOnce()) -> (u32, bool) {
        let at = self.shard_of(key);
        self.with(&self.shards[at], |shard| {
            if shard.make_room() {
                let whereabouts = &self.whereabouts[at];
                whereabouts.start.store(shard.slots.as_mut_ptr(), Ordering::Relaxed);
                whereabouts.slots.store(shard.slots.len(), Ordering::Relaxed);
            }
            let place = shard.place(tag(key), is_it);
            let slot = &mut shard.slots[place];
            if slot.number != 0 {
                return (slot.number - 1, false);
            }
            *slot = Slot { tag: tag(key), number: fresh + 1 };
            shard.used += 1;
            keep();
            (fresh, true)
        })
    }

    pub fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| self.with(shard, |shard| shard.slots.len() * size_of::<Slot>())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashMap;
    use threadbare_core::{Hash128, Random};

    #[test]
    fn a_table_is_a_map_from_states_to_numbers() {
        for for_several in [false, true] {
            let (table, mut map, mut random) = (Table::new(for_several), FxHashMap::default(), Random::new(1));
            let keys = std::cell::RefCell::new(Vec::new());
            for _ in 0..200_000 {
                // Few bits, so that many come again and many begin at the same place, some with the same tag.
                let key =
                    [(1 << 10, 22), (32, 40), (8, 125)].map(|(below, shift)| (random.below(below) as u128) << shift);
                let key = Fingerprint(key.iter().fold(0, |all, part| all | part));
                let fresh = map.len() as u32;
                let is_it = |number: u32| keys.borrow()[number as usize] == key;
                assert_eq!(table.find(key, is_it), map.get(&key).copied());
                let known = *map.entry(key).or_insert(fresh);
                let entered = table.enter(key, fresh, is_it, || keys.borrow_mut().push(key));
                assert_eq!(entered, (known, known == fresh));
            }
            assert!(map.len() > 50_000 && table.len() == map.len());
        }
    }

    #[test]
    fn a_slot_of_a_state_takes_at_most_15_bytes() {
        let table = Table::new(false);
        for number in 0..1_000_000u64 {
            let mut hash = Hash128::new(number);
            hash.word(7);
            assert_eq!(table.enter(hash.finish(), number as u32, |_| false, || {}), (number as u32, true));
            if number > 100_000 && number % 10_000 == 0 {
                assert!(table.bytes() <= 15 * table.len(), "{} bytes for {}", table.bytes(), table.len());
            }
        }
    }
}
