//! The numbers of the states that were met, by their 128-bit fingerprints.
//!
//! Open addressing: a slot has the number of a state and 32 bits of its fingerprint, with linear steps from the place that these bits
//! say. The fingerprint itself lies with the state: who finds the bits looks there, and has to look at the state anyway. A state that
//! is not there costs one miss of the cache, and one that is there two.
//! There are several tables, chosen by other bits, that grow one by one and by a quarter: no growth takes long, and 8
//! bytes of a state take 11 to 15.
//!
//! Workers of one search look for states without a lock, and lock the table that they enter one into. A table that has grown lies
//! elsewhere: where it lay before stays readable, and empty, for those who were looking there. They look again.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use threadbare_core::Fingerprint;

use super::room::{Room, fetch};
use crate::crew::lock;

/// There are so many tables for one worker, and for each of several, powers of two. The fewer, the sooner they are large enough for
/// large pages; the more, the seldomer workers are at the same.
const SHARDS: [usize; 2] = [8, 32];
/// Below this, a table doubles.
const SMALL: usize = 512;

/// One more than the number of a state, below the bits of its fingerprint; or nothing.
#[derive(Clone, Copy)]
struct Slot(u64);

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

/// Where a state is, and its number; or where it would be put. There is room for it.
#[inline]
fn place(slots: &Slots, tag: u32, is_it: impl Fn(u32) -> bool) -> (usize, Option<u32>) {
    let mut place = home(tag, slots.len());
    loop {
        let slot = Slot(slots[place].load(Ordering::Acquire));
        match slot.number() {
            None => return (place, None),
            Some(number) if slot.tag() == tag && is_it(number) => return (place, Some(number)),
            Some(_) => place = if place + 1 == slots.len() { 0 } else { place + 1 },
        }
    }
}

struct Shard {
    /// One of `Kept::rooms`.
    slots: AtomicPtr<Slots>,
    lock: Mutex<()>,
    kept: UnsafeCell<Kept>,
}

// SAFETY: who looks at what is kept has the lock, or is alone.
unsafe impl Sync for Shard {}

struct Kept {
    used: usize,
    /// The last one has the slots. The others are empty, or small, and there for those who are still looking.
    rooms: Vec<Arc<Slots>>,
}

impl Shard {
    fn new() -> Shard {
        let first = Arc::new(Room::new(8));
        let slots = AtomicPtr::new(Arc::as_ptr(&first).cast_mut());
        Shard { slots, lock: Mutex::default(), kept: UnsafeCell::new(Kept { used: 0, rooms: vec![first] }) }
    }

    #[inline]
    fn slots(&self) -> &Slots {
        // SAFETY: rooms stay where they are as long as somebody may look at them.
        unsafe { &*self.slots.load(Ordering::Acquire) }
    }

    /// One more will be entered.
    fn make_room(&self, kept: &mut Kept, alone: bool) {
        let slots = self.slots();
        let size = slots.len();
        // The fuller it is, the longer one looks for what is not there.
        if 10 * (kept.used + 1) <= 7 * size {
            return;
        }
        let size = size + if size < SMALL { size } else { size / 4 };
        let mut larger = if alone || size <= SMALL { Room::new(size) } else { Room::mapped(size) };
        for slot in slots.iter().map(|slot| slot.load(Ordering::Relaxed)).filter(|&slot| slot != 0) {
            let (at, _) = place(&larger, Slot(slot).tag(), |_| false);
            *larger[at].get_mut() = slot;
        }
        let larger = Arc::new(larger);
        self.slots.store(Arc::as_ptr(&larger).cast_mut(), Ordering::Release);
        if alone {
            kept.rooms.clear();
        } else {
            slots.empty();
        }
        kept.rooms.push(larger);
    }
}

pub struct Table {
    shards: Vec<Shard>,
    bits: u32,
    /// One worker needs no locks.
    alone: bool,
}

impl Table {
    pub fn new(workers: usize) -> Table {
        let alone = workers <= 1;
        let bits = (SHARDS[usize::from(!alone)] * workers).next_power_of_two().ilog2();
        Table { shards: (0..1 << bits).map(|_| Shard::new()).collect(), bits, alone }
    }

    #[inline]
    fn shard_of(&self, Fingerprint(key): Fingerprint) -> &Shard {
        &self.shards[((key >> 64) as u64 >> (64 - self.bits)) as usize]
    }

    #[inline]
    fn with<R>(&self, shard: &Shard, what: impl FnOnce(&mut Kept) -> R) -> R {
        let _lock = (!self.alone).then(|| lock(&shard.lock));
        // SAFETY: it is locked, or there is nobody else.
        what(unsafe { &mut *shard.kept.get() })
    }

    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| self.with(shard, |kept| kept.used)).sum()
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
            let (_, found) = place(slots, tag(key), &is_it);
            if found.is_some() || self.alone || std::ptr::eq(slots, shard.slots()) {
                return found;
            }
        }
    }

    /// The number of a state, and whether it is new: then it gets this one, and is kept.
    #[inline]
    pub fn enter(&self, key: Fingerprint, fresh: u32, is_it: impl Fn(u32) -> bool, keep: impl FnOnce()) -> (u32, bool) {
        if !self.alone
            && let Some(known) = self.find(key, &is_it)
        {
            return (known, false);
        }
        let shard = self.shard_of(key);
        self.with(shard, |kept| {
            shard.make_room(kept, self.alone);
            let slots = shard.slots();
            match place(slots, tag(key), is_it) {
                (_, Some(known)) => (known, false),
                (at, None) => {
                    keep();
                    slots[at].store(Slot::new(tag(key), fresh).0, Ordering::Release);
                    kept.used += 1;
                    (fresh, true)
                }
            }
        })
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
        let table = Table::new(2);
        // What lies with the state of each number: which key it has.
        let kept: Vec<AtomicU64> = (0..4 * KEYS).map(|_| AtomicU64::new(0)).collect();
        let (table, kept) = (&table, &kept);
        let work = move |worker: u64| {
            let mut random = Random::new(worker);
            let mut fresh = (worker * KEYS) as u32;
            for _ in 0..4 * KEYS {
                let which = random.below(KEYS as usize) as u64;
                let is_it = |number: u32| kept[number as usize].load(Ordering::Relaxed) == which + 1;
                let keep = || kept[fresh as usize].store(which + 1, Ordering::Relaxed);
                let (number, is_new) = table.enter(key(which), fresh, is_it, keep);
                assert_eq!(table.find(key(which), is_it), Some(number));
                fresh += u32::from(is_new);
            }
            u64::from(fresh) - worker * KEYS
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
