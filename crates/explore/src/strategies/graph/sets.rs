//! Sets of operations and of threads, as the state graph keeps them: many states share few of them, so that each is kept
//! once, and what was computed from two of them is not computed again.

use rustc_hash::FxHashMap;
use threadbare_core::Tid;

use crate::label::{Label, Labels};
use crate::strategies::dpor::only_enables;

/// Threads by their numbers. Those from 63 up are one: sets of them may say too much, never too little.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ThreadSet(u64);

impl ThreadSet {
    pub fn of(tid: Tid) -> ThreadSet {
        ThreadSet(1 << tid.index().min(63))
    }

    pub fn with(self, other: ThreadSet) -> ThreadSet {
        ThreadSet(self.0 | other.0)
    }

    pub fn without(self, other: ThreadSet) -> ThreadSet {
        ThreadSet(self.0 & !other.0)
    }

    pub fn contains(self, tid: Tid) -> bool {
        !ThreadSet::of(tid).is_within(ThreadSet(!self.0))
    }

    pub fn is_within(self, other: ThreadSet) -> bool {
        self.0 & !other.0 == 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it may have several threads where it says one.
    pub fn is_crowded(self) -> bool {
        self.contains(Tid(63))
    }
}

pub type OperationId = u32;
pub type SetId = u32;

/// The set without elements.
pub const EMPTY: SetId = 0;

/// All the operations that were met, and the sets of them.
pub struct Sets {
    operations: Vec<Label>,
    numbers: FxHashMap<Label, OperationId>,
    /// A bit for each operation, without trailing zeros.
    sets: Vec<Box<[u64]>>,
    index: FxHashMap<Box<[u64]>, SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
    conflicting: FxHashMap<(OperationId, SetId), ThreadSet>,
}

impl Default for Sets {
    fn default() -> Self {
        let empty: Box<[u64]> = Box::default();
        Sets {
            operations: Vec::new(),
            numbers: FxHashMap::default(),
            sets: vec![empty.clone()],
            index: FxHashMap::from_iter([(empty, EMPTY)]),
            unions: FxHashMap::default(),
            conflicting: FxHashMap::default(),
        }
    }
}

impl Sets {
    pub fn number(&mut self, operation: Label) -> OperationId {
        let fresh = self.operations.len() as OperationId;
        *self.numbers.entry(operation).or_insert_with(|| {
            self.operations.push(operation);
            fresh
        })
    }

    pub fn operation(&self, number: OperationId) -> Label {
        self.operations[number as usize]
    }

    pub fn set_of(&mut self, operations: impl Iterator<Item = OperationId>) -> SetId {
        let mut bits: Vec<u64> = Vec::new();
        for operation in operations {
            let word = operation as usize / 64;
            if bits.len() <= word {
                bits.resize(word + 1, 0);
            }
            bits[word] |= 1 << (operation % 64);
        }
        self.intern(bits.into_boxed_slice())
    }

    fn intern(&mut self, bits: Box<[u64]>) -> SetId {
        if let Some(&known) = self.index.get(&bits) {
            return known;
        }
        let fresh = self.sets.len() as SetId;
        self.sets.push(bits.clone());
        self.index.insert(bits, fresh);
        fresh
    }

    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        let pair = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&pair) {
            return known;
        }
        let (short, long) = (&self.sets[a as usize], &self.sets[b as usize]);
        let (short, long) = if short.len() < long.len() { (short, long) } else { (long, short) };
        let mut bits = long.clone();
        bits.iter_mut().zip(short.iter()).for_each(|(bit, more)| *bit |= more);
        let union = self.intern(bits);
        self.unions.insert(pair, union);
        union
    }

    /// The other threads that have an operation in the set with which `event` conflicts, and not only because it makes it
    /// possible.
    pub fn conflicting(&mut self, event: OperationId, set: SetId, labels: &Labels) -> ThreadSet {
        if let Some(&known) = self.conflicting.get(&(event, set)) {
            return known;
        }
        let e = &self.operations[event as usize];
        let mut threads = ThreadSet::default();
        for (word, &bits) in self.sets[set as usize].iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                let next = &self.operations[64 * word + left.trailing_zeros() as usize];
                left &= left - 1;
                if next.tid != e.tid && labels.conflict(e, next) && !only_enables(e, next) {
                    threads = threads.with(ThreadSet::of(next.tid));
                }
            }
        }
        self.conflicting.insert((event, set), threads);
        threads
    }
}
