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
    fn step(&mut self, step: Label);
    /// The execution has come to an end.
    fn has_ended(&self) -> bool;

    /// Whether all steps were taken. An execution may end on a way that had none when it was gone first: time is up, or the
    /// machine has seen by now what makes the search begin again.
    #[must_use]
    fn ahead(&mut self, mut steps: impl Iterator<Item = Label>) -> bool {
        steps.all(|step| {
            let goes_on = !self.has_ended();
            if goes_on {
                self.step(step);
            }
            goes_on
        })
    }
}

/// A walk that stands at `from` goes to `to`, which is no end. Whether it has come there.
#[must_use]
pub fn go(walk: &mut impl Goes, tree: &impl Tree, mut from: u32, to: u32) -> bool {
    if from == to {
        return true;
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
    walk.ahead(ahead.into_iter().rev()) && !walk.has_ended()
}
