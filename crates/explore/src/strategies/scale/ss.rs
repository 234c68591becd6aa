//! SuperStepPOR (SCALE, algorithm 6; A. Zaks, R. Joshi: "Verifying multi-threaded C programs with SPIN", 2008, section 4):
//! from a *super node* each thread takes a *super step*, several actions of its own, as long as the threads do not get in
//! each other's way. Between its ends nobody else is scheduled.
//!
//! Only the last action of a super step may conflict with the super steps of the other threads from the same super node, and
//! only that may make it possible for another thread to go on. So whatever the others could have done in between, they
//! could as well have done before or after it; every maximal trace is still explored.
//!
//! What differs:
//! - A super node has a super step for every step that its state offers, also for those whose successors another filter
//!   removed because they were seen elsewhere. Without them the other threads' super steps go on over the conflict with
//!   the first action of such a one, and what comes in between is lost.
//! - A thread that cannot go on has its next operation compared, too, as if it were a super step of one action, and a
//!   super step ends after an action that creates a thread. SCALE asks whether the action makes it possible for another
//!   thread to go on; but that may take an action of each of two super steps (a semaphore is posted in the one, and in the
//!   other the thread is created that waits for it; one signals, another unlocks the mutex).
//! - A node inside a super step is not done with (see `nsb`): it is explored only as seen from its super node.
//! - A super step ends before an operation with several choices, and where a choice of another thread becomes possible, be
//!   it one more of a thread that could go on before.
//! - A thread that goes round a loop ends its super step there (`lcd`), so that none swallows the others. Without that
//!   filter it is the depth bound that ends it, and the verdict says so.
//!
//! Only safety: which states a super step goes through in between is not preserved. For liveness it would have to end
//! after an action that changes a proposition, have a greatest length, and from every cycle each thread must be explored
//! somewhere on it.

use std::cell::RefCell;
use std::rc::Rc;

use threadbare_core::{Choice, Tid};

use super::filters::{At, Filter, Removal, Successor};
use super::nodes::Tags;
use crate::label::Label;

struct SuperStep {
    intermediate: Vec<Label>,
    last: Label,
}

impl SuperStep {
    fn thread(&self) -> Tid {
        self.last.tid
    }
}

/// The super steps that leave it.
type SuperNode = Rc<RefCell<Vec<SuperStep>>>;

/// What is noted of a node.
struct Tag {
    node: SuperNode,
    /// Which of its super steps the node's last action belongs to.
    step: usize,
    before: Rc<Before>,
}

/// What there was before the last action of a node.
struct Before {
    moves: Vec<(Tid, Choice)>,
    waiting: Vec<Tid>,
}

/// The remedies, each by itself: tests show what is lost without it.
#[derive(Clone, Copy)]
pub(in super::super) struct Form {
    /// Without: super steps are made only for the successors that other filters have left.
    pub sees_all: bool,
    /// Without: nodes inside a super step count as done with.
    pub says_in_part: bool,
    /// Without: a thread that cannot go on is looked at only when an action makes it go on.
    pub sees_waiting: bool,
}

pub(in super::super) const SOUND: Form = Form { sees_all: true, says_in_part: true, sees_waiting: true };

pub(in super::super) struct SuperStepPor {
    tags: Tags<Tag>,
    form: Form,
}

impl SuperStepPor {
    pub fn new(form: Form) -> Self {
        SuperStepPor { tags: Tags::default(), form }
    }

    /// The step by which the super step to the node goes on, if it does.
    fn next(&self, at: &At) -> Option<Label> {
        let tag = self.tags.get(at.node)?;
        let steps = tag.node.borrow();
        let mine = &steps[tag.step];
        let mut of_thread = at.moves.iter().filter(|step| step.tid == mine.thread());
        let (Some(next), None) = (of_thread.next(), of_thread.next()) else { return None };
        let others = || steps.iter().filter(|other| other.thread() != mine.thread());
        let independent = |a: &Label, b: &Label| !at.labels.dependent(a, b);
        let last = others().all(|other| independent(&mine.last, &other.last));
        let inter = || others().all(|other| other.intermediate.iter().all(|action| independent(next, action)));
        let enables = || {
            let mut others = at.moves.iter().filter(|step| step.tid != mine.thread());
            others.any(|step| !tag.before.moves.contains(&(step.tid, step.choice)))
        };
        let creates = || {
            let before = &tag.before;
            let lived = |tid| before.waiting.contains(&tid) || before.moves.iter().any(|(other, _)| *other == tid);
            self.form.sees_waiting && at.waiting.iter().any(|step| step.tid != mine.thread() && !lived(step.tid))
        };
        (last && inter() && !enables() && !creates()).then_some(*next)
    }
}

impl Filter for SuperStepPor {
    fn filter(&mut self, at: &mut At, successors: &mut Vec<Successor>) -> Removal {
        let before = Rc::new(Before {
            moves: at.moves.iter().map(|step| (step.tid, step.choice)).collect(),
            waiting: at.waiting.iter().map(|step| step.tid).collect(),
        });
        if let Some(next) = self.next(at) {
            let Tag { node, step, .. } = self.tags.get(at.node).expect("it goes on from there");
            let (node, step) = (node.clone(), *step);
            {
                let mut steps = node.borrow_mut();
                let last = std::mem::replace(&mut steps[step].last, next);
                steps[step].intermediate.push(last);
            }
            successors.retain(|successor| successor.step.label.tid == next.tid);
            for successor in successors {
                self.tags.set(successor.node, Tag { node: node.clone(), step, before: before.clone() });
            }
            return if self.form.says_in_part { Removal::FromHere } else { Removal::Elsewhere };
        }
        let all: Vec<Label> = match self.form.sees_all {
            true => at.moves.to_vec(),
            false => successors.iter().map(|successor| successor.step.label).collect(),
        };
        let waiting: &[Label] = if self.form.sees_waiting { at.waiting } else { &[] };
        let firsts = all.iter().chain(waiting);
        let steps = firsts.map(|&last| SuperStep { intermediate: Vec::new(), last }).collect();
        let node: SuperNode = Rc::new(RefCell::new(steps));
        for successor in successors {
            // None, if it goes round and another filter is going to remove it.
            if let Some(step) = all.iter().position(|&step| step == successor.step.label) {
                self.tags.set(successor.node, Tag { node: node.clone(), step, before: before.clone() });
            }
        }
        Removal::Elsewhere
    }
}
