//! The states that were met, by their 128-bit fingerprints, in the order in which they were met.
//!
//! Open addressing: a table of numbers, with linear steps from the place that the fingerprint says. Fingerprints are hashes,
//! so their own bits say where to look, and a new state costs one look into the table and, where that is taken, one
//! comparison. It is at most three quarters full: 16 bytes for a fingerprint and 5.3 to 10.7 for its place.

use threadbare_core::Fingerprint;

const FREE: u32 = u32::MAX;

pub struct Table {
    keys: Vec<Fingerprint>,
    places: Vec<u32>,
}

impl Default for Table {
    fn default() -> Self {
        Table { keys: Vec::new(), places: vec![FREE; 1024] }
    }
}

impl Table {
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The number of a state, and whether it is new.
    pub fn enter(&mut self, key: Fingerprint) -> (u32, bool) {
        if 4 * self.keys.len() >= 3 * self.places.len() {
            self.grow();
        }
        let place = self.place(key);
        match self.places[place] {
            FREE => {
                let fresh = self.keys.len() as u32;
                assert!(fresh < FREE, "more than four billion states");
                self.keys.push(key);
                self.places[place] = fresh;
                (fresh, true)
            }
            known => (known, false),
        }
    }

    /// Where a key is, or would be put.
    fn place(&self, key: Fingerprint) -> usize {
        let mask = self.places.len() - 1;
        let mut place = key.0 as usize & mask;
        loop {
            match self.places[place] {
                FREE => return place,
                known if self.keys[known as usize] == key => return place,
                _ => place = (place + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.places = vec![FREE; 2 * self.places.len()];
        let mask = self.places.len() - 1;
        for (number, key) in self.keys.iter().enumerate() {
            let mut place = key.0 as usize & mask;
            while self.places[place] != FREE {
                place = (place + 1) & mask;
            }
            self.places[place] = number as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashMap;
    use threadbare_core::Random;

    #[test]
    fn a_table_is_a_map_from_states_to_numbers() {
        let (mut table, mut map, mut random) = (Table::default(), FxHashMap::default(), Random::new(1));
        for _ in 0..200_000 {
            // Few bits, so that many come again and many begin at the same place.
            let key = Fingerprint((random.below(1 << 16) as u128) << 3 | (random.below(4) as u128) << 100);
            let fresh = map.len() as u32;
            let known = *map.entry(key).or_insert(fresh);
            assert_eq!(table.enter(key), (known, known == fresh));
        }
        assert!(map.len() > 50_000 && table.len() == map.len());
    }
}
