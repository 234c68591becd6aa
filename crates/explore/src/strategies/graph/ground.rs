//! What all searches among stored states stand on: the way to where the search is, and what can be done there.

use std::sync::Mutex;

use rustc_hash::FxHashSet;
use threadbare_core::{Choice, Ending, Fingerprint, Hash128, Machine, Tid};

use super::looks::{Lessons, LookId, Looks, Present};
use super::sets::{Numbers, OperationId, Operations, ThreadSet};
use super::trail::Trail;
use crate::crew::lock;
use crate::label::{Label, Labels};
use crate::search::{End, Flow, Search};
use crate::strategies::Settings;
use crate::strategies::tree::Goes;
use crate::strategies::walk::{Here, Loops, Walk};

/// What all workers of a search have in common.
#[derive(Default)]
pub struct Common {
    numbers: Numbers,
    /// Where all that can move go round for ever.
    spinning: Mutex<FxHashSet<Fingerprint>>,
}

pub struct Ground<'m, M: Machine> {
    pub trail: Trail<'m, M>,
    pub looks: Looks,
    pub operations: Operations<'m>,
    /// What the threads of the open states would do, those of the last state last.
    pub seen: Vec<LookId>,
    /// With a bound on the depth, states are kept apart by it.
    pub depth_bound: usize,
    common: &'m Common,
}

impl<'m, M: Machine> Ground<'m, M> {
    /// At the start of the program.
    pub fn new(machine: &'m mut M, settings: &Settings, common: &'m Common) -> Self {
        machine.order_arrivals();
        Ground {
            trail: Trail::new(Walk::new(machine, Loops::GoRound, settings)),
            looks: Looks::default(),
            operations: Operations::new(&common.numbers),
            seen: Vec::new(),
            depth_bound: settings.depth_bound,
            common,
        }
    }

    pub fn is_at_bound(&self) -> bool {
        self.trail.len() >= self.depth_bound
    }

    /// The state to which the trail has come.
    pub fn state(&mut self) -> Fingerprint {
        let key = self.trail.walk.machine.matched().expect("a search that stores states asks for exact ones");
        at_depth(key, self.trail.len(), self.depth_bound)
    }

    /// The trail has come to a state that was met before, and goes back.
    pub fn leave_known(&mut self, search: &mut impl Search<M>) -> Flow {
        // The step that failed may have changed nothing.
        let failed = matches!(self.trail.walk.machine.ending(), Some(Ending::Error(_)));
        let flow = if failed { self.trail.report(search, End::Error) } else { self.trail.redundant(search) };
        if flow == Flow::Continue {
            self.trail.back(1);
        }
        flow
    }

    /// The trail has come to a new state: looks at what can be done there, puts that behind `seen`, and tells the search if it
    /// is an end.
    pub fn look_around(&mut self, search: &mut impl Search<M>) -> Flow {
        let looks = self.seen.len();
        self.look();
        self.judge(looks, search)
    }

    /// The same where that has been looked at: it begins at `looks`.
    pub fn judge(&mut self, looks: usize, search: &mut impl Search<M>) -> Flow {
        let (depth, totals) = (self.trail.len(), &mut self.trail.walk.totals);
        totals.depth = totals.depth.max(depth);
        let movers = self.looks.movers(&self.seen[looks..]);
        if movers.clone().next().is_none() {
            let end = self.trail.walk.classify(&Here::default());
            return self.trail.report(search, end);
        }
        if let Some((end, state)) = self.trail.walk.spinning_end(movers)
            && lock(&self.common.spinning).insert(state)
            && self.trail.report(search, end) == Flow::Stop
        {
            return Flow::Stop;
        }
        if self.is_at_bound() { self.trail.report(search, End::Bound) } else { Flow::Continue }
    }

    /// Looks at what can be done where the trail has come to.
    pub fn look(&mut self) {
        self.looks.look(&mut self.trail.walk, &mut self.operations, &mut self.seen);
    }

    /// A thread that it is good to begin with, of a state that was looked at.
    #[inline]
    pub fn first(&mut self, lessons: &Lessons, present: &Present, looks: usize) -> ThreadSet {
        let labelled = (&mut self.operations, &self.trail.walk.path.labels);
        self.looks.first(labelled, lessons, present, &self.seen[looks..])
    }

    /// The operation that a step of a look is.
    #[inline]
    pub fn event(&mut self, look: LookId, step: usize) -> OperationId {
        let labels = &mut self.trail.walk.path.labels;
        self.looks.event(look, step, (&mut self.operations, labels))
    }

    /// To number operations, and to compare them.
    pub fn labelled(&mut self) -> (&mut Operations<'m>, &mut Labels) {
        (&mut self.operations, &mut self.trail.walk.path.labels)
    }

    /// Whether a step changes nothing and takes its thread back to where it stands. It may still order more: what can be done
    /// after it can be done without it, and races all the more.
    pub fn goes_round(&mut self, step: &Label) -> bool {
        let machine = &mut *self.trail.walk.machine;
        machine.may_wait(step.tid) && !machine.surely_leaves(step.tid) && {
            let round = machine.try_step(step.tid, step.choice);
            round.lasting && round.local.is_some() && round.local == machine.local_fingerprint(step.tid)
        }
    }

    /// One more transition.
    pub fn count(&mut self) {
        self.trail.walk.totals.transitions += 1;
    }
}

#[inline]
fn at_depth(key: Fingerprint, depth: usize, bound: usize) -> Fingerprint {
    if bound == usize::MAX {
        return key;
    }
    let mut hash = Hash128::new(0xdeb7);
    hash.word(depth as u64);
    key ^ hash.finish()
}

impl<M: Machine> Trail<'_, M> {
    /// The state to which the only step of a thread leads from here, if the machine, which can foresee, knows that without taking it.
    #[inline]
    pub fn look_ahead(&mut self, here: Fingerprint, (who, choice): (Tid, Choice), bound: usize) -> Option<Fingerprint> {
        let (depth, machine) = (self.len(), &mut *self.walk.machine);
        if machine.may_wait(who) {
            return None;
        }
        let change = machine.foresee(who, choice)?;
        Some(at_depth(at_depth(here ^ change, depth, bound), depth + 1, bound))
    }
}
