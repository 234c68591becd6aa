//! Sets of operations and of threads, as the state graph keeps them: a bit for each. Programs have few operations that differ
//! in who does what to which object, so that the future of a state is a word or a few.

use rustc_hash::FxHashMap;
use threadbare_core::{Mode, Operation, Tid};

use crate::label::{Label, Labels};
use crate::strategies::dpor::only_enables;

/// Threads by their numbers. Those from 63 up are one: sets of them may say too much, never too little.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ThreadSet(u64);

impl ThreadSet {
    /// So many have a bit of their own.
    pub const DISTINCT: usize = 63;

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

    pub fn and(self, other: ThreadSet) -> ThreadSet {
        ThreadSet(self.0 & other.0)
    }

    /// Whether it may have several threads where it says one.
    pub fn is_crowded(self) -> bool {
        self.contains(Tid(63))
    }
}

pub type OperationId = u32;

/// All the operations that were met.
#[derive(Default)]
pub struct Operations {
    labels: Vec<Label>,
    numbers: FxHashMap<Label, OperationId>,
    rivals: Vec<Rivals>,
}

/// The operations of other threads that one gets in the way of, of those that were there when this was last asked for.
#[derive(Default)]
struct Rivals {
    bits: Vec<u64>,
    of: u32,
}

/// How many words have a bit for each.
fn words_for(operations: usize) -> usize {
    operations.div_ceil(64)
}

pub fn set(bits: &mut [u64], operation: OperationId) {
    bits[operation as usize / 64] |= 1 << (operation % 64);
}

impl Operations {
    pub fn number(&mut self, operation: Label) -> OperationId {
        let fresh = self.labels.len() as OperationId;
        *self.numbers.entry(operation).or_insert_with(|| {
            self.labels.push(operation);
            self.rivals.push(Rivals::default());
            fresh
        })
    }

    pub fn label(&self, number: OperationId) -> Label {
        self.labels[number as usize]
    }

    pub fn count(&self) -> u32 {
        self.labels.len() as u32
    }

    /// So many words have a bit for each.
    pub fn width(&self) -> usize {
        words_for(self.labels.len())
    }

    /// The threads of which the set has an operation whose order with `event` matters, and not only because that makes it possible.
    pub fn conflicting(&mut self, event: OperationId, set: &[u64], labels: &Labels) -> ThreadSet {
        self.find_rivals(event, labels);
        let mut threads = ThreadSet::default();
        for (word, (bits, rivals)) in set.iter().zip(&self.rivals[event as usize].bits).enumerate() {
            let mut left = bits & rivals;
            while left != 0 {
                let next = &self.labels[64 * word + left.trailing_zeros() as usize];
                left &= left - 1;
                threads = threads.with(ThreadSet::of(next.tid));
            }
        }
        threads
    }

    /// The same for all operations that were met but for those that are mostly done before anybody else comes, or after
    /// everybody has gone.
    pub fn rivals(&mut self, event: OperationId, labels: &Labels) -> ThreadSet {
        let mut all = vec![0; self.width()];
        let lasting = (0..).zip(&self.labels).filter(|(_, label)| !begins_or_ends(label.operation));
        lasting.for_each(|(number, _)| set(&mut all, number));
        self.conflicting(event, &all, labels)
    }

    fn find_rivals(&mut self, event: OperationId, labels: &Labels) {
        let all = self.labels.len();
        let rivals = &mut self.rivals[event as usize];
        if rivals.of as usize == all {
            return;
        }
        let e = &self.labels[event as usize];
        rivals.bits.resize(words_for(all), 0);
        for number in rivals.of..all as u32 {
            let next = &self.labels[number as usize];
            if next.tid != e.tid && labels.conflict(e, next) && !only_enables(e, next) && !hands_over(e, next) {
                set(&mut rivals.bits, number);
            }
        }
        rivals.of = all as u32;
    }
}

/// Whether both give back the same lock: nobody has it before the other one has given it back. One that fails only looks.
fn hands_over(event: &Label, next: &Label) -> bool {
    use Operation::*;
    let same = match event.operation {
        MutexUnlock | CondEnter => matches!(next.operation, MutexUnlock | CondEnter),
        SpinUnlock => next.operation == SpinUnlock,
        _ => false,
    };
    same && event.first().conflicts(next.first()) && [event, next].iter().all(|label| label.first().mode != Mode::Read)
}

fn begins_or_ends(operation: Operation) -> bool {
    use Operation::*;
    matches!(
        operation,
        MutexInit
            | MutexDestroy
            | CondInit
            | CondDestroy
            | RwInit
            | RwDestroy
            | SemInit
            | SemDestroy
            | SpinInit
            | SpinDestroy
            | BarrierInit
            | BarrierDestroy
            | Free
    )
}

/// The future of each state: what may come after it.
#[derive(Default)]
pub struct Futures {
    words: Vec<u64>,
    width: usize,
}

impl Futures {
    pub fn get(&self, state: u32) -> &[u64] {
        &self.words[state as usize * self.width..][..self.width]
    }

    /// A new state.
    pub fn push(&mut self, future: &[u64]) {
        if future.len() > self.width {
            let mut words = Vec::with_capacity(self.words.len() / self.width.max(1) * future.len());
            for old in self.words.chunks_exact(self.width.max(1)) {
                words.extend_from_slice(old);
                words.resize(words.len() + future.len() - self.width, 0);
            }
            (self.words, self.width) = (words, future.len());
        }
        self.words.extend_from_slice(future);
    }

    /// What may come after `v` may come after `u`. Whether that is news.
    pub fn flow(&mut self, v: u32, u: u32) -> bool {
        let (v, u) = (v as usize * self.width, u as usize * self.width);
        let mut news = false;
        for i in 0..self.width {
            let (from, to) = (self.words[v + i], &mut self.words[u + i]);
            news |= from & !*to != 0;
            *to |= from;
        }
        news
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }
}
