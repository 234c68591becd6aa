//! `pct:D`: probabilistic concurrency testing (S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte: "A randomized
//! scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010).
//!
//! Threads get random priorities, and the one with the highest that can go on does. At D - 1 random points of the execution
//! the priority of the running thread falls below all of the others. A bug of depth D, one that needs D constraints on the
//! order of steps, is found with a probability of at least 1/(n·k^(D-1)) in each execution, if there are at most n threads
//! and k steps.
//!
//! What differs: k is not known before, so it is the most steps that an execution had in earlier rounds (see `sampling`); the
//! first one has no change points. Choices of an operation are drawn evenly, which is outside of the guarantee.

use std::sync::Arc;

use threadbare_core::{Machine, Random, Tid};

use super::sampling::{Scheduler, Seen};
use super::walk::{Here, Walk};

pub struct Pct {
    depth: u32,
    /// Of each thread. What is drawn at the start is above what change points give.
    priorities: Vec<Option<u64>>,
    /// After how many steps the i-th change comes.
    changes: Vec<usize>,
}

impl Pct {
    pub fn new(depth: u32) -> Self {
        Pct { depth, priorities: Vec::new(), changes: Vec::new() }
    }

    /// Of d - 1 change points the i-th gives d - i, so that later ones are lower; the first priorities are d or more.
    fn draw(&self, dice: &mut Random) -> u64 {
        dice.word().max(self.depth.into())
    }
}

impl<M: Machine> Scheduler<M> for Pct {
    fn begin(&mut self, dice: &mut Random, so_far: &Arc<Seen>) {
        self.priorities.clear();
        self.changes.clear();
        if so_far.steps > 0 {
            self.changes.extend((1..self.depth).map(|_| dice.below(so_far.steps)));
        }
    }

    fn pick(&mut self, walk: &mut Walk<M>, here: &Here, dice: &mut Random) -> Tid {
        let threads: Vec<Tid> = here.threads().collect();
        for &tid in &threads {
            if self.priorities.len() <= tid.index() {
                self.priorities.resize(tid.index() + 1, None);
            }
            if self.priorities[tid.index()].is_none() {
                self.priorities[tid.index()] = Some(self.draw(dice));
            }
        }
        let highest = |priorities: &[Option<u64>]| {
            *threads.iter().max_by_key(|tid| priorities[tid.index()]).expect("somebody can go on")
        };
        let running = highest(&self.priorities);
        let change = self.changes.iter().position(|&at| at == walk.path.len());
        if let Some(i) = change {
            self.priorities[running.index()] = Some(u64::from(self.depth) - 1 - i as u64);
            return highest(&self.priorities);
        }
        running
    }

    fn guarantee(&self, Seen { threads, steps, .. }: &Seen) -> String {
        let (depth, power) = (self.depth, self.depth - 1);
        let least = *threads as f64 * (*steps as f64).powi(power as i32);
        format!(
            "a bug of depth {depth} is found with a probability of at least 1/(n k^{power}) = 1/{least:.0} in each, where \
             no execution has more than the n = {threads} threads and k = {steps} steps that were seen"
        )
    }
}
