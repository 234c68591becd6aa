//! `random`: a random walk. At each state, one of the threads that can go on, all with the same probability.

use threadbare_core::{Machine, Random, Tid};

use super::sampling::{Scheduler, Seen};
use super::walk::{Here, Walk};

pub struct RandomWalk;

impl<M: Machine> Scheduler<M> for RandomWalk {
    fn pick(&mut self, _: &mut Walk<M>, here: &Here, dice: &mut Random) -> Tid {
        let count = here.threads().count();
        here.threads().nth(dice.below(count)).expect("below the count")
    }

    fn guarantee(&self, Seen { threads, steps, .. }: &Seen) -> String {
        format!(
            "every schedule can come up, one of {steps} steps of {threads} threads with a probability of at least \
             1/{threads}^{steps} in each"
        )
    }
}
