//! `urw`: uniform random walk over interleavings (H. Zhao, D. Wolff, U. Mathur, A. Roychoudhury: "Selectively uniform
//! concurrency testing", ASPLOS 2025, algorithm 1).
//!
//! A thread is picked with the probability (its remaining steps) / (all remaining steps): then all interleavings are equally
//! likely, while an even choice of threads favours those where short threads come early. Steps of threads that are not
//! created yet count for the thread that will create them.
//!
//! What differs: how many steps a thread takes is not known before, so it is the mean of the executions of earlier rounds
//! (see `sampling`); the first one is a random walk.

use std::sync::Arc;

use threadbare_core::{Machine, Random, Tid};

use super::sampling::{Scheduler, Seen};
use super::walk::{Here, Walk};

#[derive(Default)]
pub struct Urw {
    /// What was seen of executions.
    seen: Arc<Seen>,
}

impl Urw {
    /// Steps that each thread has still to take, with those of the threads that it has still to create.
    fn remaining<M: Machine>(&self, walk: &Walk<M>) -> Vec<f64> {
        let Seen { steps_of, executions, parents, .. } = &*self.seen;
        let count = steps_of.len().max(walk.machine.thread_count());
        let mean = |steps: u64| steps as f64 / *executions as f64;
        let mut remaining: Vec<f64> = (0..count).map(|t| steps_of.get(t).map_or(0.0, |&s| mean(s))).collect();
        let mut begun = vec![false; count];
        for event in &walk.path.events {
            remaining[event.label.tid.index()] -= 1.0;
            begun[event.label.tid.index()] = true;
        }
        remaining.iter_mut().for_each(|steps| *steps = steps.max(0.0));
        // Children have higher numbers than their parents.
        for t in (0..count).rev() {
            let parent = parents.get(t).copied().flatten();
            if let Some(parent) = parent.filter(|_| !begun[t] && !walk.machine.is_live(Tid(t as u16))) {
                remaining[parent.index()] += remaining[t];
            }
        }
        remaining
    }
}

impl<M: Machine> Scheduler<M> for Urw {
    fn begin(&mut self, _: &mut Random, so_far: &Arc<Seen>) {
        self.seen = so_far.clone();
    }

    fn pick(&mut self, walk: &mut Walk<M>, here: &Here, dice: &mut Random) -> Tid {
        let threads: Vec<Tid> = here.threads().collect();
        // In hundredths; somebody who can go on has a step to take, whatever was seen before.
        let weight = |remaining: f64| ((remaining * 100.0) as usize).max(1);
        let weights: Vec<usize> = match self.seen.executions {
            0 => vec![1; threads.len()],
            _ => {
                let remaining = self.remaining(walk);
                threads.iter().map(|tid| weight(remaining[tid.index()])).collect()
            }
        };
        let mut at = dice.below(weights.iter().sum());
        for (&tid, &weight) in threads.iter().zip(&weights) {
            if at < weight {
                return tid;
            }
            at -= weight;
        }
        unreachable!("below the sum of the weights")
    }

    fn guarantee(&self, _: &Seen) -> String {
        "all interleavings are equally likely, where every thread takes the same number of steps in each and never has to \
         wait"
            .into()
    }
}
