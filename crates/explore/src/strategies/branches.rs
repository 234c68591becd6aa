//! A state of the path of a depth-first search, and which of the steps that it offers are explored from it, in which order.
//!
//! Several workers may stand at one state, each on a path of its own. Then they take branches from one list: whoever comes
//! back to the state takes the next one, whoever finds out that more is to be explored there adds to it. The order of the
//! list is the order of the search, and nothing in it ever changes, so that a branch has the same ones before it whoever
//! explores it, finished or not.

use std::sync::{Arc, Mutex};

use smallvec::SmallVec;
use threadbare_core::{Choice, Tid};

use super::walk::Here;
use crate::crew::lock;
use crate::label::Label;

#[derive(Default)]
struct Branches {
    /// Numbers of steps that the state offers, none of them twice.
    steps: SmallVec<[u32; 4]>,
    taken: usize,
    /// Of those that were taken.
    done: usize,
}

impl Branches {
    fn is_open(&self) -> bool {
        self.taken < self.steps.len()
    }

    /// The position of the next one.
    fn take(&mut self) -> Option<usize> {
        let next = self.is_open().then_some(self.taken);
        self.taken += usize::from(next.is_some());
        next
    }
}

/// Who knows of them.
enum Known {
    OneWorker(Branches),
    All(Arc<Mutex<Branches>>),
}

pub struct Frame<X> {
    /// What the state offers.
    enabled: Vec<Label>,
    branches: Known,
    /// The position of the branch that the path takes.
    current: usize,
    /// See `Here::running`.
    pub running: Option<Tid>,
    /// What the rule of the search keeps.
    pub own: X,
}

fn numbers(enabled: &[Label], wanted: impl Fn(&Label) -> bool) -> impl Iterator<Item = u32> {
    (0..enabled.len()).filter(move |&i| wanted(&enabled[i])).map(|i| i as u32)
}

impl<X> Frame<X> {
    /// Explore those steps from here. More may be added later.
    pub fn new(here: &Here, wanted: impl Fn(&Label) -> bool, own: X) -> Self {
        let steps = numbers(&here.enabled, wanted).collect();
        let branches = Known::OneWorker(Branches { steps, ..Branches::default() });
        Frame { enabled: here.enabled.clone(), branches, current: 0, running: here.running, own }
    }

    /// Explore those, too.
    pub fn explore(&mut self, wanted: impl Fn(&X, &Label) -> bool) {
        let wanted: SmallVec<[u32; 4]> = numbers(&self.enabled, |step| wanted(&self.own, step)).collect();
        self.change(|branches| {
            for i in wanted {
                if !branches.steps.contains(&i) {
                    branches.steps.push(i);
                }
            }
        });
    }

    pub fn enabled(&self) -> &[Label] {
        &self.enabled
    }

    fn look<R>(&self, at: impl FnOnce(&Branches) -> R) -> R {
        match &self.branches {
            Known::OneWorker(branches) => at(branches),
            Known::All(branches) => at(&lock(branches)),
        }
    }

    fn change<R>(&mut self, change: impl FnOnce(&mut Branches) -> R) -> R {
        match &mut self.branches {
            Known::OneWorker(branches) => change(branches),
            Known::All(branches) => change(&mut lock(branches)),
        }
    }

    /// Whether something is left that nobody has taken.
    pub fn is_open(&self) -> bool {
        self.look(Branches::is_open)
    }

    /// The path takes the next branch.
    pub fn take_next(&mut self) -> Option<Label> {
        self.current = self.change(Branches::take)?;
        Some(self.current())
    }

    /// The step by which the path goes on from here.
    pub fn current(&self) -> Label {
        self.branch(self.current)
    }

    fn branch(&self, position: usize) -> Label {
        self.look(|branches| self.enabled[branches.steps[position] as usize])
    }

    /// The branches before that one.
    pub fn earlier(&self) -> SmallVec<[Label; 8]> {
        self.look(|branches| branches.steps[..self.current].iter().map(|&i| self.enabled[i as usize]).collect())
    }

    /// The path is back from a branch.
    pub fn note_done(&mut self) {
        self.change(|branches| branches.done += 1);
    }

    /// How many branches are done, and how many are known.
    pub fn progress(&self) -> (usize, usize) {
        self.look(|branches| (branches.done, branches.steps.len()))
    }

    /// The turn that the path takes here. From now on others may take branches, too.
    pub fn turn(&mut self) -> Turn {
        self.turn_to(self.current)
    }

    /// The next branch, for another worker.
    pub fn give_next(&mut self) -> Option<Turn> {
        let position = self.change(Branches::take)?;
        Some(self.turn_to(position))
    }

    fn turn_to(&mut self, position: usize) -> Turn {
        if let Known::OneWorker(branches) = &mut self.branches {
            self.branches = Known::All(Arc::new(Mutex::new(std::mem::take(branches))));
        }
        let Known::All(branches) = &self.branches else { unreachable!("all know of them by now") };
        let label = self.branch(position);
        Turn { branches: branches.clone(), position, step: (label.tid, label.choice) }
    }

    /// The path takes the turn that another one took here, or gave away.
    pub fn follow(&mut self, turn: Turn) {
        self.branches = Known::All(turn.branches);
        self.current = turn.position;
        let label = self.current();
        assert_eq!((label.tid, label.choice), turn.step, "two machines disagree");
    }
}

/// One branch of a state whose branches all know of, with its step, on which all machines agree.
pub struct Turn {
    branches: Arc<Mutex<Branches>>,
    position: usize,
    step: (Tid, Choice),
}
