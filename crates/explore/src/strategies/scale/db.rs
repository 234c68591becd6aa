//! DepthBounding (SCALE, algorithm 4): no graph with more actions than so many.
//!
//! How many actions a graph has does not depend on the way to it, so that a late visit cannot hide an early one
//! (algorithms that tell *states* apart have to keep them apart by depth), and superstep reduction keeps the length of
//! executions: within the bound nothing is lost.

use super::filters::{At, Filter, Removal, Successor};

pub struct DepthBounding(pub usize);

impl Filter for DepthBounding {
    fn filter(&mut self, at: &mut At, successors: &mut Vec<Successor>) -> Removal {
        if (at.nodes[at.node].depth as usize) < self.0 || successors.is_empty() {
            return Removal::Elsewhere;
        }
        successors.clear();
        Removal::TooDeep
    }
}
