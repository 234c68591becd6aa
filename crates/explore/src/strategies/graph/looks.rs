//! What each thread of a state would do next. Threads stand at the same places over and over: what a machine says of a place
//! is asked for once.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use threadbare_core::{Machine, Operation, Tid};

use super::sets::{self, OperationId, Operations, ThreadSet};
use crate::label::{Label, Labels};
use crate::strategies::walk::Walk;

pub type LookId = u32;

/// What a thread would do from where it stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Look {
    pub tid: Tid,
    /// Its enabled steps. The end of the process is none: it comes when nobody else can move.
    pub steps: SmallVec<[Label; 2]>,
    /// What others must reckon with.
    may_do: SmallVec<[OperationId; 2]>,
}

/// Where a thread stands, and the value that matters there.
type Place = (Tid, u32, u128);

#[derive(Default)]
pub struct Looks {
    looks: Vec<Look>,
    /// Whom each gets in the way of, as far as operations were known when it was last asked for.
    rivals: Vec<(ThreadSet, u32)>,
    index: FxHashMap<Look, LookId>,
    places: FxHashMap<Place, LookId>,
}

/// So many places are kept; then all are forgotten.
const MOST_KEPT: usize = 1 << 17;
/// With more operations than that, rivals are not looked for among those that come later.
pub const MOST_COMPARED: u32 = 1 << 10;

impl Looks {
    pub fn get(&self, look: LookId) -> &Look {
        &self.looks[look as usize]
    }

    /// Looks at all live threads: puts what they would do behind `out`.
    pub fn look<M: Machine>(&mut self, walk: &mut Walk<M>, operations: &mut Operations<'_>, out: &mut Vec<LookId>) {
        for tid in (0..walk.machine.thread_count()).map(|i| Tid(i as u16)) {
            if walk.machine.is_live(tid) {
                out.push(self.look_at(walk, operations, tid));
            }
        }
    }

    /// Who of them can move.
    pub fn movers<'a>(&'a self, all: &'a [LookId]) -> impl Iterator<Item = Tid> + Clone + 'a {
        all.iter().map(|&look| self.get(look)).filter(|look| !look.steps.is_empty()).map(|look| look.tid)
    }

    /// Their next operations, as a set.
    pub fn next(&self, all: &[LookId], set: &mut [u64]) {
        set.fill(0);
        for &look in all {
            self.get(look).may_do.iter().for_each(|&operation| sets::set(set, operation));
        }
    }

    fn look_at<M: Machine>(&mut self, walk: &mut Walk<M>, operations: &mut Operations, tid: Tid) -> LookId {
        let place = walk.machine.place(tid).map(|(at, value)| (tid, at, value));
        if let Some(&known) = place.as_ref().and_then(|place| self.places.get(place)) {
            return known;
        }
        let pending = walk.machine.pending(tid);
        let mut steps = SmallVec::new();
        if pending.operation != Operation::Exit {
            for choice in pending.choices.enabled() {
                let accesses = walk.machine.accesses(tid, choice);
                steps.push(walk.path.labels.label(tid, pending.operation, choice, &accesses));
            }
        }
        let may_do = walk.may_do(tid);
        let may_do = may_do.into_iter().map(|it| operations.number(&mut walk.path.labels, it)).collect();
        let look = Look { tid, steps, may_do };
        let fresh = self.looks.len() as LookId;
        let number = *self.index.entry(look).or_insert_with_key(|look| {
            self.looks.push(look.clone());
            self.rivals.push((ThreadSet::default(), 0));
            fresh
        });
        if let Some(place) = place {
            if self.places.len() >= MOST_KEPT {
                self.places.clear();
            }
            self.places.insert(place, number);
        }
        number
    }

    /// The thread to begin with: one that gets in nobody's way, as far as is known, need not be compared with others. Any
    /// would do.
    pub fn first(
        &mut self,
        labels: &Labels,
        operations: &mut Operations,
        lessons: &Lessons,
        all: &[LookId],
    ) -> Option<Tid> {
        let live = all.iter().map(|&look| ThreadSet::of(self.get(look).tid));
        let live = live.fold(ThreadSet::default(), ThreadSet::with);
        let of = lessons.operations.min(operations.count()).min(MOST_COMPARED);
        let fewest = self.movers(all).map(|tid| lessons.laps(tid)).min()?;
        for &number in all {
            let look = &self.looks[number as usize];
            if look.steps.is_empty() || lessons.laps(look.tid) != fewest {
                continue;
            }
            let (rivals, known) = &mut self.rivals[number as usize];
            if *known != of {
                let each = look.may_do.iter().map(|&operation| operations.rivals(operation, labels, of));
                (*rivals, *known) = (each.fold(ThreadSet::default(), ThreadSet::with), of);
            }
            if rivals.and(live).is_empty() {
                return Some(look.tid);
            }
        }
        self.movers(all).find(|&tid| lessons.laps(tid) == fewest)
    }
}

/// What a search has learned about whom to begin with. It must not hang on the order in which several workers explore: while it
/// learns there is one, and later it learns only where all have come to the same (`Graph::mind_cycles`).
#[derive(Clone, Debug)]
pub struct Lessons {
    /// The first of the operations, with which others are compared.
    pub operations: u32,
    /// How often each thread went round, for all that was explored, while somebody else was left out.
    laps: [u16; 64],
}

impl Default for Lessons {
    fn default() -> Self {
        Lessons { operations: u32::MAX, laps: [0; 64] }
    }
}

impl Lessons {
    fn laps(&self, tid: Tid) -> u16 {
        self.laps[tid.index().min(ThreadSet::DISTINCT)]
    }

    pub fn went_round(&mut self, who: ThreadSet) {
        let all = (0..).zip(&mut self.laps).filter(|(tid, _)| who.contains(Tid(*tid)));
        all.for_each(|(_, laps)| *laps = laps.saturating_add(1));
    }
}
