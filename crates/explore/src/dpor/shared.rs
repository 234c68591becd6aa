//! Optimal and source reduction by several workers (see `crew`).
//!
//! When somebody wants work, a worker makes the states of its path *shared*, down to the first one from which something is
//! still to be explored, and gives away the next branch there. What is known of a shared state besides its path lies in a
//! `Node`: the branches that were taken, in that order, and what is still to be explored. Whoever stands there takes the
//! next branch from it; whoever finds a race that is to be reversed there adds to it. The shared states of a path are
//! its first ones.
//!
//! Why nothing is lost and nothing explored twice: the order of the branches of a state is the order in which they were
//! taken, finished or not. A branch has those before it in its sleep set, so that no two of them explore the same trace.
//! No state is ever closed: the one who adds to a shared state comes back to it on its way up, and takes from it what
//! nobody else has taken by then. So whatever is added is explored, and the search is over when nobody has a path any
//! more. The races of a branch are found on paths that are executed in full, by machines that agree on all numbers.
//!
//! *Optimal* reduction asks for more. That a sequence may be dropped for something asleep that is no step of it (a weak
//! initial) rests on that having been explored to its end: what was found there has been added to the branches that come
//! after it. So a branch is explored with wakeup trees only if it is dependent with all that is in progress there: its sleep
//! set consists of what is done. And branches are taken in their order, since a sequence that several of them lead to lies
//! below the first. Without either, traces are lost (`branches_are_taken_in_their_order`).
//!
//! In source mode only a step of the sequence itself is a reason to drop it: what a branch explores hangs on nothing but
//! its sleep set, and nobody has to wait. So where a worker would have nothing to do, the next branch is explored *beside*
//! those in progress, in source mode from there on, at the risk of some redundant executions. The states above it go on as
//! if it had been explored before. How many are redundant is looked at: exponentially many may be, in some programs.
//! Wakeup trees there, with weak initials for what is done but not for what is in progress, lose traces: what is done was
//! explored relative to what was in progress then. With strict initials only, they meet no fewer redundant executions.
//!
//! Where threads are parked in loops, nothing may be explored beside what is in progress, and in source mode one worker must
//! do it all. What a branch explores is then not all there is behind it: a round that looks useless there may be wanted by a
//! sequence that was found in a branch before it. Alone, that sequence comes in time; here it would find the branch taken, and
//! be dropped (`waiting_loops_are_for_one_worker`).

use std::sync::{Arc, Mutex};

use threadbare_core::Machine;

use super::{Asleep, Before, Dpor, Frame, Keep, Next};
use crate::crew::lock;
use crate::label::{Label, Labels};
use crate::search::{End, Flow, Search};
use crate::wakeup::{Forest, Tree};

/// What all workers know of a state. Labels in it are of its own making.
pub(super) struct Node {
    labels: Labels,
    keep: Keep,
    /// The sleep set with which the search came to it.
    inherited: Vec<Asleep>,
    taken: Vec<Asleep>,
    /// For each of them, how many workers and tasks there are below it.
    busy: Vec<u32>,
    forest: Forest,
    tree: Tree,
    /// How many branches are done.
    finished: u32,
}

impl Node {
    /// Somebody takes a branch: its number among those that were taken. The values of one choice have one number.
    fn take(&mut self, label: Label) -> u32 {
        match self.taken.last_mut() {
            Some(z) if z.is_followed_by(&label) => z.label = label,
            _ => {
                self.taken.push(Asleep { label, from: label.choice });
                self.busy.push(0);
            }
        }
        let number = self.taken.len() - 1;
        self.busy[number] += 1;
        number as u32
    }

    /// Somebody has nothing more to do below a branch. If nobody has, it is done for good: only who is there gives work away
    /// that lies there.
    fn leave(&mut self, branch: u32) {
        self.busy[branch as usize] -= 1;
    }

    /// The next branch, and how it is to be explored if it is taken now.
    fn next(&self) -> Option<(Label, Keep)> {
        let x = self.forest.siblings(self.tree).next()?;
        let mut in_progress = self.taken.iter().zip(&self.busy).filter(|(_, busy)| **busy > 0);
        let waits = in_progress.any(|(z, _)| !self.labels.dependent(&z.label, x));
        Some((*x, if waits { Keep::FirstSteps } else { self.keep }))
    }

    fn pop(&mut self) -> Option<(Label, Tree)> {
        self.forest.pop_first(&mut self.tree)
    }

    /// Adds a sequence, unless a branch leads to the same.
    pub fn insert(&mut self, from: &Labels, v: &[Label]) {
        let keep = self.keep;
        let mut v: Vec<Label> = v.iter().map(|y| self.labels.translate(from, y)).collect();
        let labels = &self.labels;
        if !self.inherited.iter().chain(&self.taken).any(|z| keep.covers(labels, z, &v)) {
            keep.insert(labels, &mut self.forest, &mut self.tree, &mut v);
        }
    }

    /// How many branches are done, and how many are known.
    pub fn progress(&self) -> (f64, f64) {
        let taken: f64 = self.taken.iter().map(|z| f64::from(z.label.choice.0 - z.from.0 + 1)).sum();
        (f64::from(self.finished), taken + self.forest.siblings(self.tree).count() as f64)
    }
}

/// The way to a branch that somebody has taken for another. Labels in it are of its own making.
pub(crate) struct Task {
    labels: Labels,
    way: Vec<Label>,
    /// The states on the way, the last one that of the branch, with the numbers of the branches.
    nodes: Vec<(Arc<Mutex<Node>>, u32)>,
    branch: Label,
    /// What sleeps there: not the branches that are taken after this one.
    asleep: Vec<Asleep>,
    forest: Forest,
    below: Tree,
    /// The states from which on it keeps first steps only.
    source_from: usize,
}

impl Task {
    /// Whether it is explored beside others.
    pub fn is_beside(&self) -> bool {
        (1..usize::MAX).contains(&self.source_from)
    }

    /// How many steps it takes to come to it.
    pub fn length(&self) -> u64 {
        self.way.len() as u64
    }
}

impl<M: Machine> Dpor<'_, M> {
    /// Gives a branch away: of the first state of the path that has one. Not of the last state, where the path has not
    /// been looked at for races.
    #[cold]
    pub(super) fn share(&mut self) {
        let Some(hand) = self.hand else { return };
        let last = self.frames.len() - 1;
        let next = |at: usize| match self.shared.get(at) {
            Some((node, _)) => lock(node).next().map(|(_, keep)| keep),
            None => {
                let current = &self.path.events[at].label;
                let x = self.forest.siblings(self.frames[at].tree).next()?;
                let waits = !self.path.labels.dependent(current, x);
                Some(if waits { Keep::FirstSteps } else { self.keep(at) })
            }
        };
        let as_alone = (0..last).filter(|&at| next(at) == Some(self.keep(at)));
        let beside = (last.saturating_sub(hand.reach())..last).filter(|&at| next(at).is_some());
        let at = match hand.wants_more() {
            true => hand.choose_beside(beside).or_else(|| hand.choose(as_alone)),
            false => hand.choose(as_alone).or_else(|| hand.choose(beside)),
        };
        let Some(at) = at else { return };
        self.make_shared(at);
        let mut node = lock(&self.shared[at].0);
        // Somebody else may have been quicker.
        let Some((_, keep)) = node.next() else { return };
        if keep != node.keep && !hand.goes_beside() {
            return;
        }
        let (branch, below) = node.pop().expect("the next branch");
        let source_from = match keep {
            Keep::Sequences => usize::MAX,
            Keep::FirstSteps => self.source_from.min(at + 1),
        };
        let Node { labels, inherited, taken, forest, .. } = &mut *node;
        let mut task = Task {
            labels: Labels::default(),
            way: Vec::with_capacity(at),
            nodes: self.shared[..=at].to_vec(),
            branch,
            asleep: Vec::new(),
            forest: Forest::default(),
            below: Tree::EMPTY,
            source_from,
        };
        task.branch = task.labels.translate(labels, &branch);
        for z in inherited.iter().chain(&*taken) {
            task.asleep.push(Asleep { label: task.labels.translate(labels, &z.label), ..*z });
        }
        if keep == Keep::Sequences {
            task.below = task.forest.graft(forest, below, |label| task.labels.translate(labels, label));
        }
        forest.discard(below);
        task.nodes[at].1 = node.take(branch);
        drop(node);
        for (node, branch) in &task.nodes[..at] {
            lock(node).busy[*branch as usize] += 1;
        }
        for event in &self.path.events[..at] {
            task.way.push(task.labels.translate(&self.path.labels, &event.label));
        }
        hand.give(task);
    }

    /// The states of the path up to this one are shared from now on.
    fn make_shared(&mut self, last: usize) {
        for at in self.shared.len()..=last {
            let keep = self.keep(at);
            let frame = &mut self.frames[at];
            let mut labels = Labels::default();
            let own = &self.path.labels;
            let asleep = |labels: &mut Labels, range: std::ops::Range<u32>| -> Vec<Asleep> {
                let range = range.start as usize..range.end as usize;
                let portable = |z: &Asleep| Asleep { label: labels.translate(own, &z.label), ..*z };
                self.sleep[range].iter().map(portable).collect()
            };
            let inherited = asleep(&mut labels, frame.sleep.0..frame.inherited);
            let taken = asleep(&mut labels, frame.inherited..frame.sleep.1);
            let busy = vec![0; taken.len()];
            let mut forest = Forest::default();
            let tree = forest.graft(&self.forest, frame.tree, |label| labels.translate(own, label));
            self.forest.discard(std::mem::replace(&mut frame.tree, Tree::EMPTY));
            let finished = taken.iter().map(|z| z.label.choice.0 - z.from.0 + 1).sum();
            let current = labels.translate(own, &self.path.events[at].label);
            let mut node = Node { labels, keep, inherited, taken, busy, forest, tree, finished };
            let branch = node.take(current);
            self.shared.push((Arc::new(Mutex::new(node)), branch));
        }
    }

    /// The next branch of the state where the path ends, which is shared. What would have to be explored beside others is left
    /// to them, unless they give it away.
    #[cold]
    pub(super) fn take_shared(&mut self) -> Option<(Label, Tree)> {
        let at = self.frames.len() - 1;
        let node = self.shared[at].0.clone();
        let node = &mut *lock(&node);
        self.see_taken(at, node);
        node.next().filter(|(_, keep)| *keep == node.keep)?;
        let (branch, below) = node.pop()?;
        self.shared[at].1 = node.take(branch);
        let labels = &mut self.path.labels;
        let own = self.forest.graft(&node.forest, below, |label| labels.translate(&node.labels, label));
        node.forest.discard(below);
        Some((labels.translate(&node.labels, &branch), own))
    }

    /// A branch of the state where the path ends is done, and the state is shared.
    #[cold]
    pub(super) fn leave_shared(&mut self) {
        let at = self.frames.len() - 1;
        let (node, branch) = self.shared[at].clone();
        let mut node = lock(&node);
        node.finished += 1;
        node.leave(branch);
        self.see_taken(at, &node);
        if at < self.source_from {
            self.source_from = usize::MAX;
        }
    }

    /// The sleep set of the state where the path ends: what was handed down to it, and the branches that were taken.
    fn see_taken(&mut self, at: usize, node: &Node) {
        let frame = &mut self.frames[at];
        let labels = &mut self.path.labels;
        self.sleep.truncate(frame.sleep.0 as usize);
        let mut add = |z: &Asleep| self.sleep.push(Asleep { label: labels.translate(&node.labels, &z.label), ..*z });
        node.inherited.iter().for_each(&mut add);
        node.taken.iter().for_each(&mut add);
        frame.inherited = frame.sleep.0 + node.inherited.len() as u32;
        frame.sleep.1 = self.sleep.len() as u32;
    }

    /// Begins with a task: the machine stands at the start of the program, and there is no path.
    pub(super) fn adopt(&mut self, task: Task, search: &mut impl Search<M>) -> Next {
        let Task { labels, way, nodes, branch, asleep, forest, below, source_from } = task;
        self.source_from = source_from;
        let transitions = self.totals.transitions;
        self.frames.clear();
        self.sleep.clear();
        self.trials.clear();
        let start = self.machine.mark();
        let (before, began) = (Before::default(), transitions);
        self.frames.push(Frame { mark: start, sleep: (0, 0), inherited: 0, tree: Tree::EMPTY, before, began, last: 0 });
        self.shared = nodes;
        for at in 0..self.shared.len() {
            let node = self.shared[at].0.clone();
            self.see_taken(at, &lock(&node));
            if let Some(label) = way.get(at) {
                let label = self.path.labels.translate(&labels, label);
                self.check_label(&label);
                self.execute(label, Tree::EMPTY);
                if self.machine.ending().is_some() {
                    // It was stopped on the way (`Goes::ahead`), and the search is.
                    search.end(self.machine, &self.path, End::Error);
                    return Next::End(Flow::Stop);
                }
            }
        }
        // What is done again does not count.
        self.totals.transitions = transitions;
        // Somebody has looked at the races of the way, with another end.
        self.analysed = self.path.len();
        self.open.clear();
        self.open.extend(0..self.races.len() as u32);
        let own = &mut self.path.labels;
        let last = self.frames.last_mut().expect("a frame for each state of the way");
        self.sleep.truncate(last.sleep.0 as usize);
        self.sleep.extend(asleep.iter().map(|z| Asleep { label: own.translate(&labels, &z.label), ..*z }));
        last.sleep.1 = self.sleep.len() as u32;
        let tree = self.forest.graft(&forest, below, |label| own.translate(&labels, label));
        let label = own.translate(&labels, &branch);
        self.check_label(&label);
        self.execute(label, tree);
        self.arrive(search)
    }

    /// All machines of a search give the same numbers to the same things.
    fn check_label(&mut self, label: &Label) {
        let accesses = self.machine.accesses(label.tid, label.choice);
        let operation = self.machine.pending(label.tid).operation;
        let here = self.path.labels.label(label.tid, operation, label.choice, &accesses);
        assert!(here == *label, "two machines disagree: {here:?} and {label:?}");
    }
}
