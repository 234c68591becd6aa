//! The states that were met, by their 128-bit fingerprints, in the order in which they were met.
//!
//! Open addressing: a fingerprint lies together with the number of its state, so that a look costs one miss of the cache, with
//! linear steps from the place that the fingerprint says. Fingerprints are hashes, so their own bits say where to look.
//! There are many small tables, chosen by other bits, that grow one by one and by a quarter: no growth takes long, and 20
//! bytes of a state take 25 to 31.

use threadbare_core::Fingerprint;

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

pub struct Table {
    shards: Vec<Shard>,
    states: u32,
}

impl Default for Table {
    fn default() -> Self {
        Table { shards: (0..1 << SHARD_BITS).map(|_| Shard::default()).collect(), states: 0 }
    }
}

impl Table {
    pub fn len(&self) -> usize {
        self.states as usize
    }

    /// The number of a state, and whether it is new.
    pub fn enter(&mut self, Fingerprint(key): Fingerprint) -> (u32, bool) {
        let key = [0, 32, 64, 96].map(|shift| (key >> shift) as u32);
        let shard = &mut self.shards[(key[3] >> (32 - SHARD_BITS)) as usize];
        shard.make_room();
        let place = shard.place(key);
        let slot = &mut shard.slots[place];
        if slot.number != FREE {
            return (slot.number, false);
        }
        assert!(self.states < FREE, "more than four billion states");
        *slot = Slot { key, number: self.states };
        shard.used += 1;
        self.states += 1;
        (slot.number, true)
    }

    pub fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| shard.slots.len() * size_of::<Slot>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashMap;
    use threadbare_core::{Hash128, Random};

    #[test]
    fn a_table_is_a_map_from_states_to_numbers() {
        let (mut table, mut map, mut random) = (Table::default(), FxHashMap::default(), Random::new(1));
        for _ in 0..200_000 {
            // Few bits, so that many come again and many begin at the same place.
            let key = Fingerprint((random.below(1 << 16) as u128) << 3 | (random.below(4) as u128) << 124);
            let fresh = map.len() as u32;
            let known = *map.entry(key).or_insert(fresh);
            assert_eq!(table.enter(key), (known, known == fresh));
        }
        assert!(map.len() > 50_000 && table.len() == map.len());
    }

    #[test]
    fn a_state_takes_at_most_32_bytes() {
        let mut table = Table::default();
        for number in 0..1_000_000u64 {
            let mut hash = Hash128::new(number);
            hash.word(7);
            assert_eq!(table.enter(hash.finish()), (number as u32, true));
            if number > 100_000 && number % 1_000 == 0 {
                assert!(table.bytes() <= 32 * table.len(), "{} bytes for {}", table.bytes(), table.len());
            }
        }
    }
}
