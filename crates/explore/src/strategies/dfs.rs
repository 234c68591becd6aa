//! `dfs`: plain exhaustive search (M. Dunn's simple model checker, appendix B.1; SCALE's algorithm 1). Every enabled step
//! of every state of every execution is taken: each interleaving is explored.
//!
//! What differs: choices of an operation branch like threads do, and threads that wait in a loop are parked (see
//! `waiting`), so that spin locks do not make it endless. What is left out by that are rounds that change nothing.
//!
//! Not covered: loops that do change something and never end reach the depth bound.

use threadbare_core::Machine;

use super::depth_first::{Arrival, Frame, Rule};
use super::walk::{Here, Loops, Walk};

pub struct Dfs;

impl<M: Machine> Rule<M> for Dfs {
    type Own = ();

    const LOOPS: Loops = Loops::Park;
    const ARRIVALS_COMMUTE: bool = false;

    fn arrive(&mut self, _: &mut Walk<M>, _: &mut [Frame<()>], here: &Here) -> Arrival<()> {
        Arrival::Go(Frame::new(here, |_| true, ()))
    }
}
