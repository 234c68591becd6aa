//! The states that were met, by their 128-bit fingerprints, in the order in which they were met.
//!
//! Open addressing: a fingerprint lies together with the number of its state, so that a look costs one miss of the cache, with
//! linear steps from the place that the fingerprint says. Fingerprints are hashes, so their own bits say where to look.
//! There are several tables, chosen by other bits, that grow one by one and by a quarter: no growth takes long, and 20
//! bytes of a state take 25 to 31. They are locked one by one, too: workers of one search are seldom at the same.

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
    key: [u32; 4],
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

/// Where one begins to look for a key among so many slots.
#[inline]
fn home(key: [u32; 4], slots: usize) -> usize {
    ((u64::from(key[0]) * slots as u64) >> 32) as usize
}

impl Shard {
    /// Where a key is, or would be put. There is room for it.
    fn place(&self, key: [u32; 4]) -> usize {
        let mut place = home(key, self.slots.len());
        loop {
            let slot = &self.slots[place];
            if slot.number == 0 || slot.key == key {
                return place;
            }
            place = if place + 1 == self.slots.len() { 0 } else { place + 1 };
        }
    }

    /// Whether its slots lie elsewhere now.
    fn make_room(&mut self) -> bool {
        if 5 * (self.used + 1) <= 4 * self.slots.len() {
            return false;
        }
        let size = self.slots.len();
        let more = if size < SMALL { size.max(8) } else { size / 4 };
        let old = std::mem::replace(&mut self.slots, Room::new(size + more));
        for slot in old.iter().filter(|slot| slot.number != 0) {
            let place = self.place(slot.key);
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

pub struct Table {
    shards: Vec<Mutex<Shard>>,
    whereabouts: Vec<Whereabouts>,
    bits: u32,
}

fn words(Fingerprint(key): Fingerprint) -> [u32; 4] {
    [0, 32, 64, 96].map(|shift| (key >> shift) as u32)
}

impl Table {
    pub fn new(for_several: bool) -> Table {
        let bits = SHARD_BITS[usize::from(for_several)];
        let all = 0..1 << bits;
        Table {
            shards: all.clone().map(|_| Mutex::default()).collect(),
            whereabouts: all.map(|_| Whereabouts::default()).collect(),
            bits,
        }
    }

    #[inline]
    fn shard_of(&self, key: [u32; 4]) -> usize {
        (key[3] >> (32 - self.bits)) as usize
    }

    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).used).sum()
    }

    /// Somebody is going to ask for it soon.
    #[inline]
    pub fn fetch(&self, key: Fingerprint) {
        let key = words(key);
        let Whereabouts { start, slots } = &self.whereabouts[self.shard_of(key)];
        fetch(start.load(Ordering::Relaxed).wrapping_add(home(key, slots.load(Ordering::Relaxed))));
    }

    /// The number of a state, and whether it is new: then it gets this one.
    pub fn enter(&self, key: Fingerprint, fresh: u32) -> (u32, bool) {
        let key = words(key);
        let mut shard = lock(&self.shards[self.shard_of(key)]);
        if shard.make_room() {
            let whereabouts = &self.whereabouts[self.shard_of(key)];
            whereabouts.start.store(shard.slots.as_mut_ptr(), Ordering::Relaxed);
            whereabouts.slots.store(shard.slots.len(), Ordering::Relaxed);
        }
        let place = shard.place(key);
        let slot = &mut shard.slots[place];
        if slot.number != 0 {
            return (slot.number - 1, false);
        }
        *slot = Slot { key, number: fresh + 1 };
        shard.used += 1;
        (fresh, true)
    }

    /// The fingerprints of all states that are wanted, with their numbers. Looks at all there are.
    pub fn keys_of(&self, mut wanted: impl FnMut(u32) -> bool) -> Vec<(Fingerprint, u32)> {
        let mut found = Vec::new();
        for shard in &self.shards {
            for slot in lock(shard).slots.iter().filter(|slot| slot.number != 0 && wanted(slot.number - 1)) {
                let key = slot.key.iter().rev().fold(0, |key, &word| key << 32 | u128::from(word));
                found.push((Fingerprint(key), slot.number - 1));
            }
        }
        found
    }

    pub fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).slots.len() * size_of::<Slot>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashMap;
    use threadbare_core::{Hash128, Random};

    #[test]
    fn a_table_is_a_map_from_states_to_numbers() {
        let (table, mut map, mut random) = (Table::new(false), FxHashMap::default(), Random::new(1));
        for _ in 0..200_000 {
            // Few bits, so that many come again and many begin at the same place.
            let key = [(1 << 10, 22), (32, 40), (8, 125)].map(|(below, shift)| (random.below(below) as u128) << shift);
            let key = Fingerprint(key.iter().fold(0, |all, part| all | part));
            let fresh = map.len() as u32;
            let known = *map.entry(key).or_insert(fresh);
            assert_eq!(table.enter(key, fresh), (known, known == fresh));
        }
        let mut all = table.keys_of(|number| number % 2 == 0);
        all.sort_unstable();
        let mut expected: Vec<_> =
            map.iter().map(|(key, number)| (*key, *number)).filter(|(_, n)| n % 2 == 0).collect();
        expected.sort_unstable();
        assert_eq!(all, expected);
        assert!(map.len() > 50_000 && table.len() == map.len());
    }

    #[test]
    fn a_state_takes_at_most_32_bytes() {
        let table = Table::new(false);
        for number in 0..1_000_000u64 {
            let mut hash = Hash128::new(number);
            hash.word(7);
            assert_eq!(table.enter(hash.finish(), number as u32), (number as u32, true));
            if number > 100_000 && number % 10_000 == 0 {
                assert!(table.bytes() <= 32 * table.len(), "{} bytes for {}", table.bytes(), table.len());
            }
        }
    }
}
