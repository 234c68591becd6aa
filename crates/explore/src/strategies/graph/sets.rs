//! Sets of operations and of threads, as the state graph keeps them: a bit for each. Programs have few operations that differ
//! in who does what to which object, so that the future of a state is a word or a few.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;
use threadbare_core::{Mode, Operation, Space, Tid};

use super::company::Company;
use super::shelves::Shelves;
use crate::crew::lock;
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

    pub fn bits(self) -> u64 {
        self.0
    }

    pub fn from_bits(bits: u64) -> ThreadSet {
        ThreadSet(bits)
    }

    /// Whether it may have several threads where it says one.
    pub fn is_crowded(self) -> bool {
        self.contains(Tid(63))
    }
}

pub type OperationId = u32;

/// The numbers that all workers of a search give to operations.
#[derive(Default)]
pub struct Numbers {
    given: Mutex<Given>,
    count: AtomicU32,
}

#[derive(Default)]
struct Given {
    /// The labels are of their own making.
    labels: Labels,
    all: Vec<Label>,
    index: FxHashMap<Label, OperationId>,
}

/// All the operations that were met, as one worker knows them.
pub struct Operations<'s> {
    numbers: &'s Numbers,
    labels: Vec<Label>,
    index: FxHashMap<Label, OperationId>,
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

impl<'s> Operations<'s> {
    pub fn new(numbers: &'s Numbers) -> Self {
        Operations { numbers, labels: Vec::new(), index: FxHashMap::default(), rivals: Vec::new() }
    }

    pub fn number(&mut self, labels: &mut Labels, operation: Label) -> OperationId {
        if let Some(&known) = self.index.get(&operation) {
            return known;
        }
        {
            let mut given = lock(&self.numbers.given);
            let it = given.labels.translate(labels, &operation);
            let fresh = given.all.len() as OperationId;
            if *given.index.entry(it).or_insert(fresh) == fresh {
                given.all.push(it);
                // Nobody has it in a set before it is counted.
                self.numbers.count.store(fresh + 1, Ordering::SeqCst);
            }
        }
        self.catch_up(labels);
        self.index[&operation]
    }

    /// Whether others have met operations that are not known here.
    #[inline]
    pub fn is_behind(&self) -> bool {
        self.numbers.count.load(Ordering::SeqCst) as usize != self.labels.len()
    }

    /// Learns of what others have met.
    #[cold]
    pub fn catch_up(&mut self, labels: &mut Labels) {
        let given = lock(&self.numbers.given);
        for number in self.labels.len()..given.all.len() {
            let it = labels.translate(&given.labels, &given.all[number]);
            self.labels.push(it);
            self.index.insert(it, number as OperationId);
            self.rivals.push(Rivals::default());
        }
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
    pub fn conflicting(&mut self, event: OperationId, set: impl Fn(usize) -> u64, labels: &Labels) -> ThreadSet {
        self.find_rivals(event, labels);
        let mut threads = ThreadSet::default();
        for (word, rivals) in self.rivals[event as usize].bits.iter().enumerate().filter(|(_, rivals)| **rivals != 0) {
            let mut left = set(word) & rivals;
            while left != 0 {
                let next = &self.labels[64 * word + left.trailing_zeros() as usize];
                left &= left - 1;
                threads = threads.with(ThreadSet::of(next.tid));
            }
        }
        threads
    }

    /// The same for the first `of` operations that were met but for those that are mostly done before anybody else comes,
    /// or after everybody has gone.
    pub fn rivals(&mut self, event: OperationId, labels: &Labels, of: u32) -> ThreadSet {
        let mut all = vec![0; self.width()];
        let lasting = (0..of).zip(&self.labels).filter(|(_, label)| !begins_or_ends(label.operation));
        lasting.for_each(|(number, _)| set(&mut all, number));
        self.conflicting(event, |word| all[word], labels)
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
            if next.tid != e.tid
                && labels.conflict(e, next)
                && !only_enables(labels, e, next)
                && !hands_over(labels, e, next)
            {
                set(&mut rivals.bits, number);
            }
        }
        rivals.of = all as u32;
    }
}

/// Whether both give back the same lock: nobody has it before the other one has given it back. One that fails only looks.
fn hands_over(labels: &Labels, event: &Label, next: &Label) -> bool {
    use Operation::*;
    let same = match event.operation {
        MutexUnlock | CondEnter => matches!(next.operation, MutexUnlock | CondEnter),
        SpinUnlock => next.operation == SpinUnlock,
        _ => false,
    };
    same && !labels.touches(event, Space::Unseen)
        && event.first().conflicts(next.first())
        && [event, next].iter().all(|label| label.first().mode != Mode::Read)
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

/// So many words of the future of a state lie with the state: it is mostly looked at for both.
const NEAR: usize = 1;

#[derive(Default)]
pub struct Near([AtomicU64; NEAR]);

/// A further word of the future of each state.
type Column = Shelves<AtomicU64>;

/// The future of each state, what may come after it, where it has more than a few words: a column for every 64 operations.
#[derive(Default)]
pub struct Columns(Mutex<Vec<Arc<Column>>>);

impl Columns {
    pub fn bytes(&self, states: usize) -> usize {
        8 * states * lock(&self.0).len()
    }
}

/// A state, and what lies with it of its future.
type At<'a> = (u32, &'a Near);

/// The same, as one worker knows it. It takes part in a protocol (`stored`), so the order of what is done to words and
/// lists of edges is the same for all.
pub struct Futures<'s> {
    shared: &'s Columns,
    company: Company,
    known: Vec<Arc<Column>>,
    width: usize,
}

impl<'s> Futures<'s> {
    pub fn new(shared: &'s Columns, company: Company) -> Self {
        Futures { shared, company, known: Vec::new(), width: 0 }
    }

    /// There are so many words now, or more.
    #[inline]
    pub fn widen(&mut self, width: usize) {
        if self.width < width {
            self.widen_all(width);
        }
    }

    #[cold]
    fn widen_all(&mut self, width: usize) {
        let mut shared = lock(&self.shared.0);
        while shared.len() + NEAR < width {
            shared.push(Arc::default());
        }
        self.known.clone_from(&shared);
        self.width = width.max(if shared.is_empty() { 0 } else { shared.len() + NEAR });
    }

    #[inline]
    pub fn word(&self, (state, near): At, word: usize) -> u64 {
        match near.0.get(word) {
            Some(it) => it.load(Ordering::SeqCst),
            None => self.known[word - NEAR].get(state).map_or(0, |it| it.load(Ordering::SeqCst)),
        }
    }

    /// The first of the operations that may come next, of a state of which nobody has read any yet. Others may be reading
    /// them: see `Flows::add_state`.
    #[inline]
    pub fn begin(&self, (state, near): At, next: &[u64]) {
        for (word, &bits) in next.iter().enumerate() {
            match near.0.get(word) {
                Some(it) => it.store(bits, Ordering::Relaxed),
                None if bits == 0 => {}
                None => self.known[word - NEAR].at(state).store(bits, Ordering::Relaxed),
            }
        }
    }

    /// Operations that may come next. Whether that is news.
    #[inline]
    fn add(&self, at: At, word: usize, bits: u64) -> bool {
        if bits & !self.word(at, word) == 0 {
            return false;
        }
        let it = at.1.0.get(word).unwrap_or_else(|| self.known[word - NEAR].at(at.0));
        let before = self.company.add_bits(it, bits);
        bits & !before != 0
    }

    /// All of these may come next. Whether that is news.
    pub fn add_all(&self, at: At, future: &[u64]) -> bool {
        future.iter().enumerate().fold(false, |news, (word, &bits)| self.add(at, word, bits) | news)
    }

    /// What may come after `v` may come after `u`. Whether that is news.
    #[inline]
    pub fn flow(&self, v: At, u: At) -> bool {
        (0..self.width).fold(false, |news, word| self.add(u, word, self.word(v, word)) | news)
    }
}
