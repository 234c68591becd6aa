//! ContextBounding: at most so many *preemptions*, switches away from a thread that could have gone on (Musuvathi, Qadeer
//! 2007; planned for SCALE in its chapter 7; Zaks, Joshi, figure 4).
//!
//! How many an execution has is not told by its graph. So the number, and who moved last, are part of what NotSeenBefore
//! compares: otherwise an expensive visit hides a cheap one (Zaks and Joshi leave both out of the state, and miss states).
//!
//! Not together with SuperStepPOR: the execution that stands for others may have more preemptions than those.

use threadbare_core::Fingerprint;

use super::filters::{At, Filter, Removal, Successor};
use super::nodes::Tags;

pub struct ContextBounding {
    most: u32,
    preemptions: Tags<u32>,
    /// Without it an expensive visit hides a cheap one, as a test shows.
    pub(in super::super) keeps_apart: bool,
}

impl ContextBounding {
    pub fn new(most: u32) -> Self {
        ContextBounding { most, preemptions: Tags::default(), keeps_apart: true }
    }
}

impl Filter for ContextBounding {
    fn tag(&mut self, at: &mut At, successor: Successor) {
        let last = at.nodes[at.node].last_thread();
        let next = successor.step.label.tid;
        let could_go_on = |tid| at.moves.iter().any(|step| step.tid == tid);
        let preempts = last.is_some_and(|last| last != next && could_go_on(last));
        let before = self.preemptions.get(at.node).copied().unwrap_or(0);
        let now = before + u32::from(preempts);
        self.preemptions.set(successor.node, now);
        if self.keeps_apart {
            // Takes that of the parent out, and puts its own in.
            let mark = |tid: threadbare_core::Tid, count: u32| {
                Fingerprint::of(0xcb, u64::from(tid.0) << 32 | u64::from(count))
            };
            if let Some(last) = last {
                at.nodes.keep_apart(successor.node, mark(last, before));
            }
            at.nodes.keep_apart(successor.node, mark(next, now));
        }
    }

    fn filter(&mut self, _: &mut At, successors: &mut Vec<Successor>) -> Removal {
        let all = successors.len();
        successors.retain(|s| self.preemptions.get(s.node).is_some_and(|&count| count <= self.most));
        if successors.len() < all { Removal::TooManyPreemptions } else { Removal::Elsewhere }
    }
}
