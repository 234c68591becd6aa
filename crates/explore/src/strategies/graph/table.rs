//! The states that were met, by their 128-bit fingerprints, in the order in which they were met.
//!
//! Open addressing: a fingerprint lies together with the number of its state, so that a look costs one miss of the cache, with
//! linear steps from the place that the fingerprint says. Fingerprints are hashes, so their own bits say where to look.
//! There are many small tables, chosen by other bits, that grow one by one and by a quarter: no growth takes long, and 20
//! bytes of a state take 25 to 31. They are locked one by one, too: workers of one search are seldom at the same.

use std::sync::Mutex;

use threadbare_core::Fingerprint;

use crate::crew::lock;

const FREE: u32 = u32::MAX;

/// Of these many tables.
const SHARD_BITS: u32 = 8;
/// Below this, a table doubles.
const SMALL: usize = 256;

#[derive(Clone, Copy)]
struct Slot {
    key: [u32; 4],
    number: u32,
}

const FREE_SLOT: Slot = Slot { key: [0; 4], number: FREE };

#[derive(Default)]
struct Shard {
    slots: Vec<Slot>,
    used: usize,
}

impl Shard {
    /// Where a key is, or would be put. There is room for it.
    fn place(&self, key: [u32; 4]) -> usize {
        let mut place = ((u64::from(key[0]) * self.slots.len() as u64) >> 32) as usize;
        loop {
            let slot = &self.slots[place];
            if slot.number == FREE || slot.key == key {
                return place;
            }
            place = if place + 1 == self.slots.len() { 0 } else { place + 1 };
        }
    }

    fn make_room(&mut self) {
        if 5 * (self.used + 1) <= 4 * self.slots.len() {
            return;
        }
        let size = self.slots.len();
        let more = if size < SMALL { size.max(8) } else { size / 4 };
        let old = std::mem::replace(&mut self.slots, vec![FREE_SLOT; size + more]);
        for slot in old.into_iter().filter(|slot| slot.number != FREE) {
            let place = self.place(slot.key);
            self.slots[place] = slot;
        }
    }
}

pub struct Table(Vec<Mutex<Shard>>);

impl Default for Table {
    fn default() -> Self {
        Table((0..1 << SHARD_BITS).map(|_| Mutex::default()).collect())
    }
}

fn words(Fingerprint(key): Fingerprint) -> [u32; 4] {
    [0, 32, 64, 96].map(|shift| (key >> shift) as u32)
}

impl Table {
    pub fn len(&self) -> usize {
        self.0.iter().map(|shard| lock(shard).used).sum()
    }

    /// The number of a state, and whether it is new: then it gets this one.
    pub fn enter(&self, key: Fingerprint, fresh: u32) -> (u32, bool) {
        let key = words(key);
        let mut shard = lock(&self.0[(key[3] >> (32 - SHARD_BITS)) as usize]);
        shard.make_room();
        let place = shard.place(key);
        let slot = &mut shard.slots[place];
        if slot.number != FREE {
            return (slot.number, false);
        }
        *slot = Slot { key, number: fresh };
        shard.used += 1;
        (fresh, true)
    }

    /// The fingerprints of all states that are wanted, with their numbers. Looks at all there are.
    pub fn keys_of(&self, mut wanted: impl FnMut(u32) -> bool) -> Vec<(Fingerprint, u32)> {
        let mut found = Vec::new();
        for shard in &self.0 {
            for slot in lock(shard).slots.iter().filter(|slot| slot.number != FREE && wanted(slot.number)) {
                let key = slot.key.iter().rev().fold(0, |key, &word| key << 32 | u128::from(word));
                found.push((Fingerprint(key), slot.number));
            }
        }
        found
    }

    pub fn bytes(&self) -> usize {
        self.0.iter().map(|shard| lock(shard).slots.len() * size_of::<Slot>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashMap;
    use threadbare_core::{Hash128, Random};

    #[test]
    fn a_table_is_a_map_from_states_to_numbers() {
        let (table, mut map, mut random) = (Table::default(), FxHashMap::default(), Random::new(1));
        for _ in 0..200_000 {
            // Few bits, so that many come again and many begin at the same place.
            let key = Fingerprint((random.below(1 << 16) as u128) << 3 | (random.below(4) as u128) << 124);
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
        let table = Table::default();
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
