//! Threads that stay blocked while others go on for ever: partial deadlocks.
//!
//! What a thread waits for never comes if it can move nowhere in a bottom component of what was explored. The reduction leaves
//! no thread out that can ever move, so that it cannot move in any state beyond the component's either. A thread that waits
//! for another to end is not meant, nor one that the end of the process may take away.

use std::collections::VecDeque;

use threadbare_core::{Machine, Operation};

use super::sets::ThreadSet;
use super::{Edge, Explorer, Graph, StateId, bottom_components};
use crate::search::{LeftBehind, Search};

/// Whether a thread waits for others to end.
pub fn joins(operation: Operation) -> bool {
    matches!(operation, Operation::ThreadJoin | Operation::ThreadTimedJoin)
}

impl<M: Machine> Explorer<'_, M> {
    /// Tells the search of them, component by component. Whether all are known.
    pub(super) fn look_for_left_behind(&mut self, search: &mut impl Search<M>) -> bool {
        let mut are_short = false;
        for component in bottom_components(&self.graph) {
            let enabled = component.iter().map(|&state| self.graph.states[state as usize].enabled);
            let enabled = enabled.fold(ThreadSet::default(), ThreadSet::with);
            self.go_to_nearest(&component);
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
                self.graph.shorten_ways();
                are_short = true;
            }
            self.go_to_nearest(&component);
            let for_time = self.looks_at_clock(&component);
            self.ground.trail.catch_up();
            let walk = &mut self.ground.trail.walk;
            search.left_behind(walk.machine, &walk.path, &LeftBehind { who, for_time });
        }
        // Some share a bit, and with a bound on the depth a component may be cut off.
        self.ground.trail.walk.machine.thread_count() <= ThreadSet::DISTINCT && self.ground.depth_bound == usize::MAX
    }

    fn go_to_nearest(&mut self, component: &[StateId]) {
        let nearest = component.iter().min_by_key(|&&state| self.graph.states[state as usize].depth);
        self.go(*nearest.expect("a component has states"));
    }

    /// States are in order.
    fn looks_at_clock(&self, component: &[StateId]) -> bool {
        let inside = |edge: &&Edge| component.binary_search(&edge.from).is_ok();
        let is_look = |edge: &Edge| self.ground.operations.label(edge.event).operation == Operation::Clock;
        component.iter().any(|&state| self.graph.edges_to(state).filter(inside).any(is_look))
    }
}

impl Graph {
    /// How each state was found becomes a shortest way of those that were explored.
    fn shorten_ways(&mut self) {
        let mut edges: Vec<(StateId, StateId, u32)> = Vec::with_capacity(self.edges.len());
        for to in 0..self.states.len() as StateId {
            edges.extend(self.edges_to(to).map(|edge| (edge.from, to, edge.event)));
        }
        edges.sort_unstable();
        let mut met = vec![false; self.states.len()];
        met[0] = true;
        let mut open = VecDeque::from([0]);
        while let Some(from) = open.pop_front() {
            let first = edges.partition_point(|edge| edge.0 < from);
            let depth = self.states[from as usize].depth + 1;
            for &(_, to, event) in edges[first..].iter().take_while(|edge| edge.0 == from) {
                if !std::mem::replace(&mut met[to as usize], true) {
                    let state = &mut self.states[to as usize];
                    (state.parent, state.depth) = ((from, event), depth);
                    open.push_back(to);
                }
            }
        }
    }
}
