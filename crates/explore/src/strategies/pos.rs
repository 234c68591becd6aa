//! `pos`: partial order sampling (X. Yuan, J. Yang, R. Gu: "Partial order aware concurrency sampling", CAV 2018).
//!
//! Every pending operation has a random priority, and the highest that is enabled is executed. Its thread's next operation
//! and all pending ones that race with it get new priorities: two orders of a race are then equally likely, however long
//! the one thread has been waiting.

use std::sync::Arc;

use threadbare_core::{Machine, Random, Tid};

use super::sampling::{Scheduler, Seen};
use super::walk::{Here, Walk};
use crate::label::Label;

pub struct Pos {
    /// Of the operation at which each thread stands; none if it is to be drawn.
    priorities: Vec<Option<u64>>,
}

impl Pos {
    pub fn new() -> Self {
        Pos { priorities: Vec::new() }
    }

    fn priority(&mut self, tid: Tid, dice: &mut Random) -> u64 {
        if self.priorities.len() <= tid.index() {
            self.priorities.resize(tid.index() + 1, None);
        }
        *self.priorities[tid.index()].get_or_insert_with(|| dice.word())
    }
}

impl<M: Machine> Scheduler<M> for Pos {
    fn begin(&mut self, _: &mut Random, _: &Arc<Seen>) {
        self.priorities.clear();
    }

    fn pick(&mut self, walk: &mut Walk<M>, here: &Here, dice: &mut Random) -> Tid {
        let highest = here.threads().max_by_key(|&tid| self.priority(tid, dice)).expect("somebody can go on");
        let mine: Vec<Label> = here.enabled.iter().filter(|t| t.tid == highest).copied().collect();
        for t in &here.enabled {
            if mine.iter().any(|m| walk.path.labels.dependent(m, t)) {
                self.priorities[t.tid.index()] = None;
            }
        }
        highest
    }

    fn guarantee(&self, _: &Seen) -> String {
        "every order of racing operations can come up, both orders of a single race equally likely; there is no figure for \
         a bug that needs several"
            .into()
    }
}
