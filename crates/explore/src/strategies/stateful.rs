//! `stateful`: exhaustive search that goes on from each state once (Dunn, section 3.5.2). It ends wherever there are
//! finitely many states, also in programs that run for ever.
//!
//! States are told apart by exact fingerprints of 128 bits: those of a billion states are all different but with a
//! probability of 10^-21. Threads that wait in a loop are followed round; where all that can move go round for ever, that
//! is an end.
//!
//! Not covered: what happened on the way to a state is not part of it. Data races are looked for along the paths that are
//! explored, and one on another path to the same states is missed (see the plan of `check`).

use std::collections::hash_map::Entry;

use threadbare_core::Machine;

use super::Settings;
use super::depth_first::{Arrival, Frame, Rule};
use super::visited::Visited;
use super::walk::{Here, Loops, Walk};

pub struct Stateful {
    visited: Visited<()>,
}

impl Stateful {
    pub fn new(settings: &Settings) -> Self {
        Stateful { visited: Visited::new(settings) }
    }
}

impl<M: Machine> Rule<M> for Stateful {
    type Own = ();

    const LOOPS: Loops = Loops::GoRound;
    const ARRIVALS_COMMUTE: bool = false;

    fn arrive(&mut self, walk: &mut Walk<M>, _: &mut [Frame<()>], here: &Here) -> Arrival<()> {
        match self.visited.here(walk, here) {
            Entry::Occupied(_) => Arrival::Known,
            Entry::Vacant(entry) => {
                entry.insert(());
                Arrival::Go(Frame::new(here, |_| true, ()))
            }
        }
    }
}
