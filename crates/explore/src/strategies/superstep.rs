//! Super steps (A. Zaks, R. Joshi: "Verifying multi-threaded C programs with SPIN", SPIN 2008, section 4; SCALE, section 4.2.4):
//! from a *super node* each thread takes several actions of its own, as long as the threads do not get in each other's
//! way. Between the ends of such a step nobody else is scheduled. Two searches take them: `stateful --superstep`, below, and
//! the filter `ss` of `scale`.
//!
//! Only the last action of a super step may conflict with the super steps of the other threads from the same super node, and
//! only that may make it possible for another thread to go on. So whatever the others could have done in between, they
//! could as well have done before or after it. Whether an action goes in is found out lazily, by the super steps of the
//! others as far as they are known, each beginning with its first action. In the words of `test_for_independence`:
//! CONTINUE, POST_STOP where an action conflicts with the last one of another thread, PRE_STOP where it would conflict with
//! one before that.
//!
//! What differs:
//! - A thread that cannot go on has its next operation compared, too, as if it were a super step of one action, and a
//!   super step ends after an action that creates a thread. The papers ask whether an action makes it possible for another
//!   thread to go on; but that may take an action of each of two super steps (a semaphore is posted in the one, and in the
//!   other the thread is created that waits for it; one signals, another unlocks the mutex).
//! - A super step ends before an operation with several choices, and where a choice of another thread becomes possible, be
//!   it one more of a thread that could go on before.
//!
//! Only safety: which states a super step goes through in between is not preserved. For liveness it would have to end
//! after an action that changes a proposition (Zaks and Joshi, claim 1), and with stored states every thread must be
//! explored somewhere on each cycle; that holds here, as from every stored state all threads are.

use std::cell::RefCell;
use std::rc::Rc;

use std::collections::hash_map::Entry;
use threadbare_core::{Choice, Machine, Tid};

use super::Settings;
use super::depth_first::{Arrival, Frame, Rule};
use super::visited::Visited;
use super::walk::{Here, Loops, Walk};
use crate::label::{Label, Labels};

/// The remedies, each by itself: tests show what is lost without it.
#[derive(Clone, Copy)]
pub struct Form {
    /// Without: super steps are made only for the steps that other filters have left.
    pub sees_all: bool,
    /// Without: nodes inside a super step count as done with.
    pub says_in_part: bool,
    /// Without: a thread that cannot go on is looked at only when an action makes it go on.
    pub sees_waiting: bool,
}

pub const SOUND: Form = Form { sees_all: true, says_in_part: true, sees_waiting: true };

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

/// What a state offers.
pub struct Offered<'a> {
    pub moves: &'a [Label],
    /// What live threads would do that they cannot do now: those that wait, and choices that are not there.
    pub waiting: &'a [Label],
}

/// What there was before an action.
struct Before {
    moves: Vec<(Tid, Choice)>,
    waiting: Vec<Tid>,
}

impl Before {
    fn of(offered: &Offered) -> Rc<Before> {
        Rc::new(Before {
            moves: offered.moves.iter().map(|step| (step.tid, step.choice)).collect(),
            waiting: offered.waiting.iter().map(|step| step.tid).collect(),
        })
    }
}

/// Where an action stands in a super step: it is the last one so far.
#[derive(Clone)]
pub struct Position {
    node: SuperNode,
    /// Which of the super steps of the node.
    step: usize,
    before: Rc<Before>,
}

impl Position {
    /// Behind the first action of each super step from a new super node, in the order of `firsts`.
    pub fn after_each(firsts: &[Label], offered: &Offered, form: Form) -> Vec<Position> {
        let waiting: &[Label] = if form.sees_waiting { offered.waiting } else { &[] };
        let all = firsts.iter().chain(waiting);
        let steps = all.map(|&last| SuperStep { intermediate: Vec::new(), last }).collect();
        let node: SuperNode = Rc::new(RefCell::new(steps));
        let before = Before::of(offered);
        (0..firsts.len()).map(|step| Position { node: node.clone(), step, before: before.clone() }).collect()
    }

    /// The action by which the super step goes on from a state, if it does.
    pub fn next(&self, labels: &Labels, offered: &Offered, form: Form) -> Option<Label> {
        let steps = self.node.borrow();
        let mine = &steps[self.step];
        let mut of_thread = offered.moves.iter().filter(|step| step.tid == mine.thread());
        let (Some(next), None) = (of_thread.next(), of_thread.next()) else { return None };
        let others = || steps.iter().filter(|other| other.thread() != mine.thread());
        let independent = |a: &Label, b: &Label| !labels.dependent(a, b);
        let last = others().all(|other| independent(&mine.last, &other.last));
        let inter = || others().all(|other| other.intermediate.iter().all(|action| independent(next, action)));
        let enables = || {
            let mut others = offered.moves.iter().filter(|step| step.tid != mine.thread());
            others.any(|step| !self.before.moves.contains(&(step.tid, step.choice)))
        };
        let creates = || {
            let before = &self.before;
            let lived = |tid| before.waiting.contains(&tid) || before.moves.iter().any(|(other, _)| *other == tid);
            form.sees_waiting && offered.waiting.iter().any(|step| step.tid != mine.thread() && !lived(step.tid))
        };
        (last && inter() && !enables() && !creates()).then_some(*next)
    }

    /// Behind that action.
    pub fn after(&self, next: Label, offered: &Offered) -> Position {
        let mut steps = self.node.borrow_mut();
        let last = std::mem::replace(&mut steps[self.step].last, next);
        steps[self.step].intermediate.push(last);
        Position { node: self.node.clone(), step: self.step, before: Before::of(offered) }
    }

    /// How many actions the super step has.
    fn length(&self) -> usize {
        self.node.borrow()[self.step].intermediate.len() + 1
    }
}

/// What live threads would do besides these moves.
pub fn waiting<M: Machine>(walk: &mut Walk<M>, moves: &[Label]) -> Vec<Label> {
    let mut waiting = Vec::new();
    for tid in walk.live() {
        let next = walk.next_of(tid).into_iter();
        waiting.extend(next.filter(|next| !moves.iter().any(|step| (step.tid, step.choice) == (tid, next.choice))));
    }
    waiting
}

/// A super step over a loop that changes something would never end.
const MAX_SUPERSTEP_LENGTH: usize = 100;

/// `stateful --superstep`: only super nodes are stored. Which executions there are from a stored state does not depend on how
/// it was reached, and each has fewer actions left behind its first super step, so that cycles do no harm.
pub struct StatefulSuperstep {
    visited: Visited<()>,
    form: Form,
}

impl StatefulSuperstep {
    pub fn new(settings: &Settings, form: Form) -> Self {
        StatefulSuperstep { visited: Visited::new(settings), form }
    }
}

impl<M: Machine> Rule<M> for StatefulSuperstep {
    /// The steps that are explored from a state, each with its place.
    type Own = Vec<(Label, Position)>;

    const LOOPS: Loops = Loops::GoRound;
    const ARRIVALS_COMMUTE: bool = false;

    fn arrive(&mut self, walk: &mut Walk<M>, frames: &mut [Frame<Self::Own>], here: &Here) -> Arrival<Self::Own> {
        let last = walk.path.events.last().map(|event| event.label);
        let steps = frames.last().map_or(&[][..], |frame| &frame.own);
        let position = steps.iter().find(|(step, _)| Some(*step) == last).map(|(_, position)| position.clone());
        let waiting = waiting(walk, &here.enabled);
        let offered = Offered { moves: &here.enabled, waiting: &waiting };
        if let Some(position) = position
            && position.length() < MAX_SUPERSTEP_LENGTH
            && let Some(next) = position.next(&walk.path.labels, &offered, self.form)
            && !walk.machine.may_wait(next.tid)
        {
            if self.visited.knows(walk, here) {
                return Arrival::Known;
            }
            return Arrival::Go(Frame::new(here, |step| *step == next, vec![(next, position.after(next, &offered))]));
        }
        match self.visited.here(walk, here) {
            Entry::Occupied(_) => return Arrival::Known,
            Entry::Vacant(entry) => entry.insert(()),
        };
        let positions = Position::after_each(&here.enabled, &offered, self.form);
        let steps = here.enabled.iter().copied().zip(positions).collect();
        Arrival::Go(Frame::new(here, |_| true, steps))
    }
}
