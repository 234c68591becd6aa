//! What each thread of a state would do next. Threads stand at the same places over and over: what a machine says of a place
//! is asked for once.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use threadbare_core::{Choice, Machine, Operation, Tid};

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

/// What is asked of a look again and again.
struct Brief {
    tid: Tid,
    who: ThreadSet,
    can_move: bool,
    /// The choice of its step, if there is just one.
    only: Option<Choice>,
    /// What others must reckon with of the first 64 operations, and whether that is not all.
    near: u64,
    is_more: bool,
    /// Whom it gets in the way of, as far as operations were known when that was last asked for.
    rivals: ThreadSet,
    known: u32,
    /// The operations that its steps are, as far as they have been taken.
    events: SmallVec<[OperationId; 2]>,
}

/// A step that has not been taken yet.
const UNNUMBERED: OperationId = OperationId::MAX;

#[derive(Default)]
pub struct Looks {
    looks: Vec<Look>,
    briefs: Vec<Brief>,
    index: FxHashMap<Look, LookId>,
    places: FxHashMap<Place, LookId>,
    /// Where each thread was last seen.
    last: Vec<Option<((u32, u128), LookId)>>,
}

/// Who lives at a state, and who of them can move.
#[derive(Default)]
pub struct Present {
    live: ThreadSet,
    pub enabled: ThreadSet,
    /// The fewest laps of any who can.
    fewest: u16,
}

/// So many places are kept; then all are forgotten.
const MOST_KEPT: usize = 1 << 17;
/// With more operations than that, rivals are not looked for among those that come later.
pub const MOST_COMPARED: u32 = 1 << 10;

impl Looks {
    pub fn get(&self, look: LookId) -> &Look {
        &self.looks[look as usize]
    }

    /// Whose it is.
    #[inline]
    pub fn who(&self, look: LookId) -> Tid {
        self.briefs[look as usize].tid
    }

    /// The same as a set, and the choice of its step, if there is just one.
    #[inline]
    pub fn only_step(&self, look: LookId) -> (ThreadSet, Option<(Tid, Choice)>) {
        let &Brief { tid, who, only, .. } = &self.briefs[look as usize];
        (who, only.map(|choice| (tid, choice)))
    }

    /// The operation that one of its steps is.
    #[inline]
    pub fn event(&mut self, look: LookId, step: usize, labelled: (&mut Operations, &mut Labels)) -> OperationId {
        match self.briefs[look as usize].events[step] {
            UNNUMBERED => self.number_event(look, step, labelled),
            event => event,
        }
    }

    #[cold]
    fn number_event(
        &mut self,
        look: LookId,
        step: usize,
        (operations, labels): (&mut Operations, &mut Labels),
    ) -> OperationId {
        let event = operations.number(labels, self.looks[look as usize].steps[step]);
        self.briefs[look as usize].events[step] = event;
        event
    }

    /// Looks at all live threads: puts what they would do behind `out`.
    pub fn look<M: Machine>(&mut self, walk: &mut Walk<M>, operations: &mut Operations<'_>, out: &mut Vec<LookId>) {
        let threads = walk.machine.thread_count();
        if self.last.len() < threads {
            self.last.resize(threads, None);
        }
        for i in 0..threads {
            let tid = Tid(i as u16);
            if !walk.machine.is_live(tid) {
                continue;
            }
            let place = walk.machine.place(tid);
            let look = match (place, self.last[i]) {
                (Some(place), Some((last, look))) if place == last => look,
                _ => {
                    let look = self.look_again(walk, operations, tid, place.map(|(at, value)| (tid, at, value)));
                    self.last[i] = place.map(|place| (place, look));
                    look
                }
            };
            out.push(look);
        }
    }

    /// Who is there, and, as a set, what they would do next.
    #[inline]
    pub fn present(&self, all: &[LookId], lessons: &Lessons, next: &mut [u64]) -> Present {
        let (mut present, mut near, mut is_more) = (Present { fewest: u16::MAX, ..Present::default() }, 0, false);
        for brief in all.iter().map(|&look| &self.briefs[look as usize]) {
            present.live = present.live.with(brief.who);
            near |= brief.near;
            is_more |= brief.is_more;
            if brief.can_move {
                present.enabled = present.enabled.with(brief.who);
                present.fewest = present.fewest.min(lessons.laps(brief.tid));
            }
        }
        next.fill(0);
        next.iter_mut().take(1).for_each(|first| *first = near);
        if is_more {
            all.iter().flat_map(|&look| &self.get(look).may_do).for_each(|&operation| sets::set(next, operation));
        }
        present
    }

    /// Who of them can move.
    pub fn movers<'a>(&'a self, all: &'a [LookId]) -> impl Iterator<Item = Tid> + Clone + 'a {
        all.iter().map(|&look| &self.briefs[look as usize]).filter(|look| look.can_move).map(|look| look.tid)
    }

    #[inline(never)]
    fn look_again<M: Machine>(
        &mut self,
        walk: &mut Walk<M>,
        operations: &mut Operations,
        tid: Tid,
        place: Option<Place>,
    ) -> LookId {
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
            let is_near = |&&operation: &&OperationId| operation < 64;
            self.briefs.push(Brief {
                tid,
                who: ThreadSet::of(tid),
                can_move: !look.steps.is_empty(),
                only: if let [step] = look.steps[..] { Some(step.choice) } else { None },
                near: look.may_do.iter().filter(is_near).fold(0, |near, operation| near | 1 << operation),
                is_more: !look.may_do.iter().all(|operation| is_near(&operation)),
                rivals: ThreadSet::default(),
                known: 0,
                events: SmallVec::from_elem(UNNUMBERED, look.steps.len()),
            });
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
        (operations, labels): (&mut Operations, &Labels),
        lessons: &Lessons,
        &Present { live, fewest, .. }: &Present,
        all: &[LookId],
    ) -> ThreadSet {
        let of = lessons.operations.min(operations.count()).min(MOST_COMPARED);
        let mut any = ThreadSet::default();
        for &number in all {
            let brief = &mut self.briefs[number as usize];
            if !brief.can_move || lessons.laps(brief.tid) != fewest {
                continue;
            }
            if brief.known != of {
                let look = &self.looks[number as usize];
                let each = look.may_do.iter().map(|&operation| operations.rivals(operation, labels, of));
                (brief.rivals, brief.known) = (each.fold(ThreadSet::default(), ThreadSet::with), of);
            }
            if brief.rivals.and(live).is_empty() {
                return brief.who;
            }
            any = if any.is_empty() { brief.who } else { any };
        }
        any
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
