//! A table whose entries stay where they are from one execution to the next: a new execution, or one that goes back to a copy, begins
//! with none of them, and neither frees nor finds room again. A copy names entries by their places.

use std::hash::Hash;

use rustc_hash::FxHashMap;

pub trait Clear {
    fn clear(&mut self);
}

struct Entry<K, V> {
    key: K,
    /// Of the execution: what is left of an earlier one means nothing.
    generation: u64,
    value: V,
}

pub struct Table<K, V> {
    places: FxHashMap<K, u32>,
    entries: Vec<Entry<K, V>>,
    generation: u64,
    /// The entries of this execution.
    used: Vec<u32>,
    /// The place that somebody asked for last.
    last: u32,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Table<K, V> {
        Table { places: FxHashMap::default(), entries: Vec::new(), generation: 1, used: Vec::new(), last: 0 }
    }
}

impl<K: Copy + Eq + Hash, V: Clear + Default> Table<K, V> {
    pub fn clear(&mut self) {
        self.generation += 1;
        self.used.clear();
    }

    pub fn len(&self) -> usize {
        self.used.len()
    }

    /// The place of an entry, its key and its value.
    pub fn iter(&self) -> impl Iterator<Item = (u32, K, &V)> {
        self.used.iter().map(|&place| {
            let Entry { key, value, .. } = &self.entries[place as usize];
            (place, *key, value)
        })
    }

    pub fn get(&self, key: K) -> Option<&V> {
        let last = self.entries.get(self.last as usize).filter(|entry| entry.key == key);
        let entry = last.or_else(|| Some(&self.entries[*self.places.get(&key)? as usize]))?;
        (entry.generation == self.generation).then_some(&entry.value)
    }

    /// Empty, if there was none.
    #[inline]
    pub fn entry(&mut self, key: K) -> &mut V {
        if self.entries.get(self.last as usize).is_none_or(|entry| entry.key != key) {
            let fresh = self.entries.len() as u32;
            self.last = *self.places.entry(key).or_insert(fresh);
            if self.last == fresh {
                self.entries.push(Entry { key, generation: 0, value: V::default() });
            }
        }
        self.at(self.last)
    }

    /// The same by its place, which it has had before.
    #[inline]
    pub fn at(&mut self, place: u32) -> &mut V {
        let entry = &mut self.entries[place as usize];
        if entry.generation != self.generation {
            entry.generation = self.generation;
            entry.value.clear();
            self.used.push(place);
        }
        &mut entry.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Clear for Vec<u8> {
        fn clear(&mut self) {
            self.clear();
        }
    }

    #[test]
    fn another_execution_finds_nothing_and_the_same_places() {
        let mut table: Table<u64, Vec<u8>> = Table::default();
        table.entry(70).push(1);
        table.entry(80).push(2);
        table.entry(70).push(3);
        assert_eq!((table.get(70), table.get(80), table.get(90)), (Some(&vec![1, 3]), Some(&vec![2]), None));
        let places: Vec<(u32, u64)> = table.iter().map(|(place, key, _)| (place, key)).collect();
        table.clear();
        assert_eq!((table.get(70), table.get(80), table.len()), (None, None, 0));
        assert!(table.entry(80).is_empty());
        table.at(places[0].0).push(4);
        assert_eq!((table.get(70), table.len()), (Some(&vec![4]), 2));
    }
}
