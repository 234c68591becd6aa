//! LocalCycleDetection (SCALE, algorithm 5): a thread that goes round without changing anything that others can see is not
//! followed round and round.
//!
//! What differs:
//! - SCALE lets the thread complete the round, and then goes back along the parents of the node to find out. Here the step
//!   that would complete it is not taken; `waiting` keeps the local states of each thread since its last effect. A round
//!   that looks at plain memory is gone through once, since what it reads may race.
//! - A local state is the control point and what is live of the stack, not the bytes of the stack, and whether a step
//!   changes anything is told by what it changes, not by what kind of statement it is.
//! - Nobody asks whether other threads' actions in between conflict with the round. To cut the round out is right in
//!   any case: it changed nothing, and its thread is where it was.
//! - Where nobody can move but threads that go round, `Walk::classify` says whether that is a livelock. SCALE has no
//!   such end.

use super::filters::{At, Filter, Removal, Successor};

pub struct LocalCycleDetection;

impl Filter for LocalCycleDetection {
    fn filter(&mut self, _: &mut At, successors: &mut Vec<Successor>) -> Removal {
        successors.retain(|successor| !successor.step.goes_round);
        Removal::Elsewhere
    }
}
