//! The numbers of the states that were met, by their 128-bit fingerprints.
//!
//! Open addressing: a slot has the number of a state and 32 bits of its fingerprint, with linear steps from the place that these bits
//! say. The fingerprint itself lies with the state: who finds the bits looks there, and has to look at the state anyway. A state that
//! is not there costs one miss of the cache, and one that is there two.
//! There are several tables, chosen by other bits, that grow one by one and by a quarter: no growth takes long, and 8
//! bytes of a state take 11 to 15. They are few, so that they soon are large enough for large pages.
//!
//! Workers of one search enter states by compare-exchange and wait for nobody, but for a table that grows. Who makes it grow *seals*
//! every empty slot, so that nobody enters anything there any more, and puts what the others hold into a larger one. Where the table
//! lay before stays readable, and empty, for those who are looking there. Whatever they find, or do, counts only if the table still
//! lies there afterwards; if not, they begin again.
//!
//! Numbers are given out one after the other, so that the number of a new state tells how many there are.

use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use threadbare_core::Fingerprint;

use super::room::{Room, fetch};
use crate::crew::lock;

/// There are so many tables, a power of two.
const TABLES: usize = 4;
/// Below this, a table doubles.
const SMALL: usize = 512;
/// Nobody goes so far from the place that the bits say. In a table that is as full as it may be, nobody has to.
const FARTHEST: usize = 4096;

/// One more than the number of a state, below the bits of its fingerprint; or nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Slot(u64);

const EMPTY: Slot = Slot(0);
/// It was empty when the table began to grow.
const SEALED: Slot = Slot(1 << 32);

impl Slot {
    fn new(tag: u32, number: u32) -> Slot {
        Slot(u64::from(tag) << 32 | (u64::from(number) + 1))
    }

    fn tag(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn number(self) -> Option<u32> {
        (self.0 as u32).checked_sub(1)
    }
}

type Slots = Room<AtomicU64>;

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

enum Place {
    /// There it is: its number.
    Of(u32),
    /// It is not there, and would be put here.
    Free(usize),
    /// It is not there, and there is no place for it.
    None,
}

#[inline]
fn place(slots: &Slots, tag: u32, is_it: impl Fn(u32) -> bool) -> Place {
    let mut at = home(tag, slots.len());
    for _ in 0..slots.len().min(FARTHEST) {
        let slot = Slot(slots[at].load(Ordering::Acquire));
        match slot.number() {
            None if slot == EMPTY => return Place::Free(at),
            None => return Place::None,
            Some(number) if slot.tag() == tag && is_it(number) => return Place::Of(number),
            Some(_) => at = if at + 1 == slots.len() { 0 } else { at + 1 },
        }
    }
    Place::None
}

struct Shard {
    /// The last of `rooms`.
    slots: AtomicPtr<Slots>,
    /// The others are empty, or small, and there for those who are still looking. Who makes the table grow has the lock.
    rooms: Mutex<Vec<Arc<Slots>>>,
}

impl Shard {
    fn new() -> Shard {
        let first = Arc::new(Room::new(8));
        Shard { slots: AtomicPtr::new(Arc::as_ptr(&first).cast_mut()), rooms: Mutex::new(vec![first]) }
    }

    #[inline]
    fn slots(&self) -> &Slots {
        // SAFETY: rooms stay where they are as long as somebody may look at them.
        unsafe { &*self.slots.load(Ordering::Acquire) }
    }

    /// Whether this is where the table lies.
    #[inline]
    fn is_at(&self, slots: &Slots) -> bool {
        std::ptr::eq(slots, self.slots.load(Ordering::Acquire))
    }

    /// It lies somewhere else from here on, where there is more room.
    #[cold]
    fn grow(&self, slots: &Slots, alone: bool) {
        let mut rooms = lock(&self.rooms);
        if !self.is_at(slots) {
            return;
        }
        let mut size = slots.len();
        let larger = loop {
            size += if size < SMALL { size } else { size / 4 };
            let mut larger = if alone || size <= SMALL { Room::new(size) } else { Room::mapped(size) };
            let slots = slots.iter().map(|slot| if alone { Slot(slot.load(Ordering::Relaxed)) } else { seal(slot) });
            if slots.filter(|slot| slot.number().is_some()).all(|slot| put(&mut larger, slot)) {
                break Arc::new(larger);
            }
        };
        self.slots.store(Arc::as_ptr(&larger).cast_mut(), Ordering::Release);
        if alone {
            rooms.clear();
        } else {
            slots.empty();
        }
        rooms.push(larger);
    }
}

/// What a slot has, for good.
fn seal(slot: &AtomicU64) -> Slot {
    let has = slot.load(Ordering::Acquire);
    if has != EMPTY.0 {
        return Slot(has);
    }
    match slot.compare_exchange(EMPTY.0, SEALED.0, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => SEALED,
        Err(has) => Slot(has),
    }
}

/// Whether there was a place for it.
fn put(slots: &mut Slots, slot: Slot) -> bool {
    let slots = &mut slots[..];
    let mut at = home(slot.tag(), slots.len());
    for _ in 0..slots.len().min(FARTHEST) {
        let place = slots[at].get_mut();
        if *place == EMPTY.0 {
            *place = slot.0;
            return true;
        }
        at = if at + 1 == slots.len() { 0 } else { at + 1 };
    }
    false
}

pub struct Table {
    shards: [Shard; TABLES],
    /// Nobody else writes to it.
    alone: bool,
}

impl Table {
    pub fn new(workers: usize) -> Table {
        Table { shards: std::array::from_fn(|_| Shard::new()), alone: workers <= 1 }
    }

    #[inline]
    fn shard_of(&self, Fingerprint(key): Fingerprint) -> &Shard {
        &self.shards[(key >> 64) as usize % TABLES]
    }

    /// Somebody is going to ask for it soon.
    #[inline]
    pub fn fetch(&self, key: Fingerprint) {
        let slots = self.shard_of(key).slots();
        fetch(slots.as_ptr().wrapping_add(home(tag(key), slots.len())));
    }

    /// The number of a state, if it has one. `is_it` tells whether that of a number is the one.
    #[inline]
    pub fn find(&self, key: Fingerprint, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let shard = self.shard_of(key);
        loop {
            let slots = shard.slots();
            let place = place(slots, tag(key), &is_it);
            if self.alone || shard.is_at(slots) {
                return if let Place::Of(number) = place { Some(number) } else { None };
            }
        }
    }

    /// The number of a state, and whether it is new: then it gets this one. It is kept before others may find it, and also where
    /// somebody else turns out to have found it first.
    #[inline]
    pub fn enter(&self, key: Fingerprint, fresh: u32, is_it: impl Fn(u32) -> bool, keep: impl Fn()) -> (u32, bool) {
        let shard = self.shard_of(key);
        loop {
            let slots = shard.slots();
            // The fuller it is, the longer one looks for what is not there.
            if 10 * (fresh as usize / TABLES + 1) > 7 * slots.len() {
                shard.grow(slots, self.alone);
                continue;
            }
            match place(slots, tag(key), &is_it) {
                // Its own, if the table has grown since it was put there.
                Place::Of(number) if self.alone || shard.is_at(slots) => return (number, number == fresh),
                Place::Of(_) => {}
                Place::None => shard.grow(slots, self.alone),
                Place::Free(at) => {
                    keep();
                    let (slot, new) = (&slots[at], Slot::new(tag(key), fresh).0);
                    if self.alone {
                        slot.store(new, Ordering::Relaxed);
                        return (fresh, true);
                    }
                    let entered = slot.compare_exchange(EMPTY.0, new, Ordering::AcqRel, Ordering::Relaxed).is_ok();
                    if entered && shard.is_at(slots) {
                        return (fresh, true);
                    }
                }
            }
        }
    }

    pub fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| size_of_val(&shard.slots()[..])).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashMap;
    use threadbare_core::{Hash128, Random};

    impl Table {
        fn len(&self) -> usize {
            let slots = self.shards.iter().flat_map(|shard| shard.slots().iter());
            slots.filter(|slot| Slot(slot.load(Ordering::Relaxed)).number().is_some()).count()
        }
    }

    #[test]
    fn a_table_is_a_map_from_states_to_numbers() {
        for workers in [1, 3] {
            let (table, mut map, mut random) = (Table::new(workers), FxHashMap::default(), Random::new(1));
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
    fn several_workers_enter_every_state_once_while_tables_grow() {
        const KEYS: u64 = 60_000;
        let key = |number: u64| {
            let mut hash = Hash128::new(number);
            hash.word(1);
            hash.finish()
        };
        let (table, given) = (Table::new(2), AtomicU64::new(0));
        // What lies with the state of each number: which key it has.
        let kept: Vec<AtomicU64> = (0..2 * KEYS).map(|_| AtomicU64::new(0)).collect();
        let (table, kept, given) = (&table, &kept, &given);
        let draw = || given.fetch_add(1, Ordering::Relaxed) as u32;
        // All look for the same ones at about the same time.
        let work = move |worker: u64| {
            let (mut random, mut fresh, mut entered) = (Random::new(worker), draw(), 0);
            for which in (0..4 * KEYS).map(|i| (i / 4 + random.below(8) as u64) % KEYS) {
                let is_it = |number: u32| kept[number as usize].load(Ordering::Relaxed) == which + 1;
                let keep = || kept[fresh as usize].store(which + 1, Ordering::Relaxed);
                let (number, is_new) = table.enter(key(which), fresh, is_it, keep);
                assert!(is_it(number) && is_new == (number == fresh));
                assert_eq!(table.find(key(which), is_it), Some(number));
                if is_new {
                    (fresh, entered) = (draw(), entered + 1);
                }
            }
            // What it has kept last may have been found by somebody else.
            kept[fresh as usize].store(0, Ordering::Relaxed);
            entered
        };
        let entered: u64 = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4).map(|worker| scope.spawn(move || work(worker))).collect();
            workers.into_iter().map(|worker| worker.join().expect("it works")).sum()
        });
        let mut keys: Vec<u64> = kept.iter().map(|key| key.load(Ordering::Relaxed)).filter(|&key| key != 0).collect();
        keys.sort_unstable();
        keys.dedup();
        assert!(entered as usize == keys.len() && table.len() == keys.len() && keys.len() > 50_000, "{entered}");
    }

    #[test]
    fn a_slot_of_a_state_takes_at_most_15_bytes() {
        let table = Table::new(1);
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
