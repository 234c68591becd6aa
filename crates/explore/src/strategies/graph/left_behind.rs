//! Threads that stay blocked while others go on for ever: partial deadlocks.
//!
//! What a thread waits for never comes if it can move nowhere in a bottom component of what was explored. The reduction leaves
//! no thread out that can ever move, so that it cannot move in any state beyond the component's either. A thread that waits
//! for another to end is not meant, nor one that the end of the process may take away.

use threadbare_core::{Machine, Operation};

use super::Explorer;
use super::sets::ThreadSet;
use super::stored::StateId;
use crate::search::{LeftBehind, Search};

/// Whether a thread waits for others to end.
pub fn joins(operation: Operation) -> bool {
    matches!(operation, Operation::ThreadJoin | Operation::ThreadTimedJoin)
}

impl<M: Machine> Explorer<'_, M> {
    /// Tells the search of them, component by component. Whether all are known. Where somebody looks at the clock for ever, nobody knows
    /// what would come once more time has passed.
    pub(super) fn look_for_left_behind(&mut self, search: &mut impl Search<M>, whole_states: bool) -> bool {
        let graph = self.flows.graph;
        let (operations, labels) = self.ground.labelled();
        operations.catch_up(labels);
        let mut are_short = false;
        for component in graph.bottom() {
            if self.looks_at_clock(&component) {
                search.waits_for_time();
                continue;
            }
            if !whole_states {
                continue;
            }
            let enabled = component.iter().map(|&state| graph.enabled(state));
            let enabled = enabled.fold(ThreadSet::default(), ThreadSet::with);
            self.go_to_nearest(&component);
            if self.is_lost {
                return self.give_up_looking(search);
            }
            let machine = &mut *self.ground.trail.walk.machine;
            let waiting = machine.all_pending();
            if machine.is_cut() || waiting.iter().any(|pending| pending.operation == Operation::Exit) {
                continue;
            }
            let left = waiting.iter().filter(|p| !enabled.contains(p.tid) && !joins(p.operation));
            let who: Vec<_> = left.map(|pending| pending.tid).collect();
            if who.is_empty() {
                continue;
            }
            if !are_short {
                self.go(0);
                graph.shorten_ways();
                are_short = true;
            }
            self.go_to_nearest(&component);
            if self.is_lost || !self.ground.trail.catch_up() {
                return self.give_up_looking(search);
            }
            let walk = &mut self.ground.trail.walk;
            search.left_behind(walk.machine, &walk.path, &LeftBehind { who });
        }
        // Some share a bit, and with a bound on the depth a component may be cut off.
        whole_states
            && self.ground.trail.walk.machine.thread_count() <= ThreadSet::DISTINCT
            && self.ground.depth_bound == usize::MAX
    }

    fn give_up_looking(&mut self, search: &mut impl Search<M>) -> bool {
        self.ground.trail.stopped(search);
        false
    }

    fn go_to_nearest(&mut self, component: &[StateId]) {
        let nearest = component.iter().min_by_key(|&&state| self.flows.graph.depth(state));
        self.go(*nearest.expect("a component has states"));
    }

    /// States are in order.
    fn looks_at_clock(&self, component: &[StateId]) -> bool {
        let is_look = |event| self.ground.operations.label(event).operation == Operation::Clock;
        let looks = |(from, event)| component.binary_search(&from).is_ok() && is_look(event);
        component.iter().any(|&state| self.flows.graph.edges_to(state).any(looks))
    }
}
