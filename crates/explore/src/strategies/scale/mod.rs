//! `scale`: search over happens-before graphs with a frontier and a chain of filters (M. Florian: "SCALE: Source Code
//! Analyzer for Locating Errors", 2010, chapters 4 and 5, algorithm 2).
//!
//! A state is represented by the happens-before graph of the actions that lead to it: executions that differ only in the
//! order of independent actions lead to one node. A state has as many nodes as there are traces that lead to it, so that
//! the search does not merge what `stateful` merges; but each maximal trace is executed, and executed once with `nsb`,
//! which is what data races need.
//!
//! What differs:
//! - To go back, the program is not started anew: the search steps back to the nearest common ancestor.
//! - Choices of an operation branch like threads do.
//! - The filters have their sound forms; see there.
//!
//! Runs, as SCALE's tables count them: `executions`, and `blocked` for those that end where everything was seen before. With
//! `nsb`, and without `ss`, a node is visited once: there is one more than `transitions`.
//!
//! Not covered: a program that runs for ever and changes something has graphs without end, whatever the filters.

pub(super) mod cb;
mod db;
pub(super) mod filters;
mod frontier;
mod lcd;
mod nodes;
pub(super) mod nsb;
pub(super) mod ss;

use threadbare_core::{Machine, Tid};

use super::Settings;
use super::superstep::waiting;
use super::tree::go;
use super::walk::{Here, Loops, Walk};
use crate::label::Label;
use crate::search::{End, Flow, Search, Totals};
pub use filters::Filters;
use filters::{At, Filter, Removal, Successor};
use frontier::Frontier;
pub use frontier::Order;
use nodes::{NodeId, Nodes, ROOT};

pub fn scale<M: Machine>(machine: &mut M, settings: &Settings, search: &mut impl Search<M>) -> Totals {
    with_chain(machine, settings, search, || settings.filters.make(settings.depth_bound))
}

/// The same with filters of one's own.
pub(super) fn with_chain<M: Machine>(
    machine: &mut M,
    settings: &Settings,
    search: &mut impl Search<M>,
    chain: impl Fn() -> Vec<Box<dyn Filter>>,
) -> Totals {
    loop {
        let mut explorer = Explorer {
            walk: Walk::new(machine, Loops::Park, &Settings::default()),
            nodes: Nodes::new(settings.filters.compares_exactly()),
            filters: chain(),
            frontier: Frontier::new(settings.order),
            detects_cycles: settings.filters.detects_cycles(),
            current: ROOT,
        };
        let flow = explorer.explore(search);
        let mut walk = explorer.walk;
        walk.start_again();
        if !walk.overused || flow == Flow::Stop {
            walk.totals.complete = flow == Flow::Continue;
            return walk.totals;
        }
        machine.order_arrivals();
    }
}

struct Explorer<'m, M: Machine> {
    walk: Walk<'m, M>,
    nodes: Nodes,
    filters: Vec<Box<dyn Filter>>,
    frontier: Frontier,
    detects_cycles: bool,
    /// The node at which the walk stands.
    current: NodeId,
}

impl<M: Machine> Explorer<'_, M> {
    /// Algorithm 2.
    fn explore(&mut self, search: &mut impl Search<M>) -> Flow {
        self.nodes.hold(ROOT);
        self.frontier.add(vec![ROOT]);
        let mut flow = Flow::Continue;
        while flow == Flow::Continue && !self.walk.overused {
            let Some(n) = self.frontier.pick() else { break };
            if self.filters.iter().all(|filter| filter.wants(&self.nodes, n)) {
                if !self.replay(n) {
                    return self.walk.stopped(search);
                }
                flow = self.expand(search);
                if flow == Flow::Continue && self.walk.ticks.are_due() {
                    flow = search.tick();
                }
            }
            self.nodes.release(n);
        }
        flow
    }

    /// replay(n)
    fn replay(&mut self, n: NodeId) -> bool {
        let arrives = go(&mut self.walk, &self.nodes, self.current, n);
        self.walk.totals.transitions += u64::from(n != ROOT);
        self.nodes.hold(n);
        self.nodes.release(self.current);
        self.current = n;
        arrives
    }

    /// Lines 6 to 13, or an end.
    fn expand(&mut self, search: &mut impl Search<M>) -> Flow {
        let offers = self.walk.offers();
        let goes_on = offers.iter().filter(|offer| !offer.goes_round || !self.detects_cycles);
        let moves: Vec<Label> = goes_on.map(|offer| offer.label).collect();
        let mut successors: Vec<Successor> = Vec::new();
        for &step in if moves.is_empty() { &[] } else { offers.as_slice() } {
            let node = self.nodes.extend(self.current, step.label, &mut self.walk.path);
            successors.push(Successor { node, step });
        }
        let waiting = waiting(&mut self.walk, &moves);
        let all = successors.clone();
        let labels = &self.walk.path.labels;
        let mut at = At { nodes: &mut self.nodes, labels, node: self.current, moves: &moves, waiting: &waiting };
        for filter in &mut self.filters {
            all.iter().for_each(|&successor| filter.tag(&mut at, successor));
        }
        let (mut in_part, mut too_deep) = (false, false);
        for filter in &mut self.filters {
            let removal = filter.filter(&mut at, &mut successors);
            in_part |= removal == Removal::FromHere;
            too_deep |= removal == Removal::TooDeep;
            self.walk.totals.beyond_context += u64::from(removal == Removal::TooManyPreemptions);
        }
        if !in_part {
            self.filters.iter_mut().for_each(|filter| filter.expanded(&mut at));
        }
        for successor in all {
            if !successors.iter().any(|kept| kept.node == successor.node) {
                self.nodes.release(successor.node);
            }
        }
        if !successors.is_empty() {
            self.frontier.add(successors.iter().map(|successor| successor.node).collect());
            return Flow::Continue;
        }
        let end = if moves.is_empty() {
            let mut parked: Vec<Tid> = offers.iter().map(|offer| offer.label.tid).collect();
            parked.dedup();
            self.walk.classify(&Here { parked: parked.into(), ..Here::default() })
        } else if too_deep {
            End::Bound
        } else {
            End::Redundant
        };
        self.walk.report(search, end)
    }
}
