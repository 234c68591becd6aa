//! A table whose entries stay where they are from one execution to the next: a new execution, or one that goes back to a copy, begins
//! with none of them, and neither frees nor finds room again. A copy names entries by their places, and by their versions: those that nobody has
//! changed since need not be restored.

use std::hash::Hash;

use rustc_hash::FxHashMap;

pub trait Clear {
    fn clear(&mut self);
}

/// What a copy calls an entry.
#[derive(Clone, Copy, Default)]
pub struct Name {
    place: u32,
    version: u64,
}

struct Entry<K, V> {
    key: K,
    /// Another one whenever somebody may change it, and the one that it had when it is what it was.
    version: u64,
    /// Of the execution: what is left of an earlier one means nothing.
    generation: u64,
    value: V,
}

pub struct Table<K, V> {
    places: FxHashMap<K, u32>,
    entries: Vec<Entry<K, V>>,
    generation: u64,
    versions: u64,
    /// The entries of this execution.
    used: Vec<u32>,
    /// The place that somebody asked for last.
    last: u32,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Table<K, V> {
        let (places, entries) = (FxHashMap::default(), Vec::new());
        Table { places, entries, generation: 1, versions: 0, used: Vec::new(), last: 0 }
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

    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.used.iter().map(|&place| {
            let Entry { key, value, .. } = &self.entries[place as usize];
            (*key, value)
        })
    }

    /// The same with what copies call entries.
    pub fn named(&self) -> impl Iterator<Item = (Name, &V)> {
        self.used.iter().map(|&place| {
            let Entry { version, value, .. } = &self.entries[place as usize];
            (Name { place, version: *version }, value)
        })
    }

    /// An entry is in the table again. If it is not what it was then, it is empty, and is to be filled.
    pub fn revive(&mut self, Name { place, version }: Name) -> Option<&mut V> {
        let entry = &mut self.entries[place as usize];
        entry.generation = self.generation;
        self.used.push(place);
        if entry.version == version {
            return None;
        }
        entry.version = version;
        entry.value.clear();
        Some(&mut entry.value)
    }

    pub fn get(&self, key: K) -> Option<&V> {
        let last = self.entries.get(self.last as usize).filter(|entry| entry.key == key);
        let entry = last.or_else(|| Some(&self.entries[*self.places.get(&key)? as usize]))?;
        (entry.generation == self.generation).then_some(&entry.value)
    }

    /// To be changed, if there is one.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let entry = &mut self.entries[*self.places.get(&key)? as usize];
        if entry.generation != self.generation {
            return None;
        }
        self.versions += 1;
        entry.version = self.versions;
        Some(&mut entry.value)
    }

    /// Empty, if there was none.
    #[inline]
    pub fn entry(&mut self, key: K) -> &mut V {
        if self.entries.get(self.last as usize).is_none_or(|entry| entry.key != key) {
            let fresh = self.entries.len() as u32;
            self.last = *self.places.entry(key).or_insert(fresh);
            if self.last == fresh {
                self.entries.push(Entry { key, version: 0, generation: 0, value: V::default() });
            }
        }
        let entry = &mut self.entries[self.last as usize];
        if entry.generation != self.generation {
            entry.generation = self.generation;
            entry.value.clear();
            self.used.push(self.last);
        }
        self.versions += 1;
        entry.version = self.versions;
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
        table.clear();
        assert_eq!((table.get(70), table.get(80), table.len()), (None, None, 0));
        assert!(table.get_mut(80).is_none());
        assert!(table.entry(80).is_empty());
        assert_eq!(table.iter().collect::<Vec<_>>(), [(80, &vec![])]);
    }

    #[test]
    fn what_has_changed_since_a_copy_is_to_be_restored() {
        let mut table: Table<u64, Vec<u8>> = Table::default();
        (0..4).for_each(|key| table.entry(key).push(key as u8));
        let names: Vec<Name> = table.named().map(|(name, _)| name).collect();
        table.entry(1).push(7);
        table.get_mut(3).unwrap().clear();
        table.clear();
        table.entry(2).push(2);
        table.entry(9).push(9);
        // Changed, changed after the end of the execution, and not at all.
        for (round, changed) in [vec![1, 2, 3], vec![]].into_iter().enumerate() {
            table.clear();
            for (key, name) in (0..4).zip(&names) {
                let restored = table.revive(*name).map(|value| value.push(key as u8));
                assert_eq!(restored.is_some(), changed.contains(&key), "{key} in round {round}");
                assert_eq!(table.get(key), Some(&vec![key as u8]));
            }
            assert_eq!((table.len(), table.get(9)), (4, None));
        }
    }
}
