//! Searches that do not go by one path keep the tree of how they came to each place; a walk goes from one to another by the
//! nearest common ancestor.

use threadbare_core::Machine;

use super::walk::Walk;
use crate::label::Label;

pub trait Tree {
    /// Where a place was come to from, and by which step; the root was not.
    fn parent(&self, place: u32) -> Option<(u32, Label)>;
    fn depth(&self, place: u32) -> u32;
}

/// A walk that stands at `from` goes to `to`. What is executed again on the way is not counted.
pub fn go<M: Machine>(walk: &mut Walk<M>, tree: &impl Tree, mut from: u32, to: u32) {
    let mut ahead: Vec<Label> = Vec::new();
    let mut meet = to;
    while meet != from {
        if tree.depth(meet) >= tree.depth(from) {
            let (parent, step) = tree.parent(meet).expect("all come from the root");
            ahead.push(step);
            meet = parent;
        } else {
            walk.back();
            (from, _) = tree.parent(from).expect("all come from the root");
        }
    }
    let transitions = walk.totals.transitions;
    for &step in ahead.iter().rev() {
        walk.take(step, None);
    }
    walk.totals.transitions = transitions;
}
