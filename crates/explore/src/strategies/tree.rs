//! Searches that do not go by one path keep the tree of how they came to each place; a walk goes from one to another by the
//! nearest common ancestor.

use crate::label::Label;

pub trait Tree {
    /// Where a place was come to from, and by which step; the root was not.
    fn parent(&self, place: u32) -> Option<(u32, Label)>;
    fn depth(&self, place: u32) -> u32;
}

/// Who goes along the tree. What is executed again on the way is not counted.
pub trait Goes {
    fn back(&mut self, steps: usize);
    fn ahead(&mut self, steps: impl Iterator<Item = Label>);
}

/// A walk that stands at `from` goes to `to`.
pub fn go(walk: &mut impl Goes, tree: &impl Tree, mut from: u32, to: u32) {
    if from == to {
        return;
    }
    let mut ahead: Vec<Label> = Vec::new();
    let (mut meet, mut back) = (to, 0);
    while meet != from {
        if tree.depth(meet) >= tree.depth(from) {
            let (parent, step) = tree.parent(meet).expect("all come from the root");
            ahead.push(step);
            meet = parent;
        } else {
            back += 1;
            (from, _) = tree.parent(from).expect("all come from the root");
        }
    }
    walk.back(back);
    walk.ahead(ahead.into_iter().rev());
}
