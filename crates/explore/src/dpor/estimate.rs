//! How much of the tree of executions is done. Branches are counted by the transitions in them. Those that are known and still to
//! come are taken to be to the one before them as later ones were to earlier ones so far: what was explored first sleeps in
//! those that come later, which are often half as large, or less.

use threadbare_core::Machine;

use super::Dpor;
use crate::crew::lock;

/// Branches of one state that were explored one after the other, but for the first, which nobody had asked for.
#[derive(Default)]
pub(super) struct Shrinking {
    earlier: f64,
    later: f64,
}

impl Shrinking {
    pub fn note(&mut self, earlier: u64, later: u64) {
        self.earlier += earlier as f64;
        self.later += later as f64;
    }

    /// How large all of so many more are together, if the one before them has size 1.
    fn rest(&self, more: usize) -> f64 {
        let factor = if self.earlier == 0.0 { 1.0 } else { (self.later / self.earlier).min(1.0) };
        let mut size = 1.0;
        (0..more.min(1000))
            .map(|_| {
                size *= factor;
                size
            })
            .sum()
    }
}

impl<M: Machine> Dpor<'_, M> {
    /// From 0 to 1, as far as branches are known.
    pub(super) fn done(&self) -> f64 {
        let (mut done, mut weight) = (0.0, 1.0);
        for (node, _) in &self.shared {
            let (finished, known) = lock(node).progress();
            done += weight * finished / known;
            weight /= known;
        }
        let own = &self.frames[self.shared.len().min(self.frames.len())..];
        let now = self.totals.transitions;
        // Of what lies ahead of a frame; nothing lies ahead of the last one.
        let (mut end, mut size) = (now, None);
        for frame in own.iter().rev() {
            let last = size.unwrap_or(frame.last.max(1) as f64);
            let more = self.forest.siblings(frame.tree).count();
            let spent = end.saturating_sub(frame.began) as f64;
            size = Some(spent + size.unwrap_or(0.0) + last * self.shrinking.rest(more));
            end = frame.began;
        }
        let spent = own.first().map_or(0, |frame| now.saturating_sub(frame.began)) as f64;
        done + weight * spent / size.unwrap_or(0.0).max(spent).max(1.0)
    }
}
