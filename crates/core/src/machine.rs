//! The seam between programs and strategies: a machine advances one visible operation at a time and can go back.

use smallvec::SmallVec;

use crate::{Access, AccessSet, Accesses, Fingerprint, Operation, Tid};

/// What a visible operation leaves open besides the thread. For a signal it is the number of the woken thread, for a
/// timed operation 0 = it happened, 1 = the time ran out, for a nondeterministic value the value's rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Choice(pub u32);

/// One way in which a pending operation may happen. Enabledness belongs to the choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChoiceState {
    pub choice: Choice,
    pub enabled: bool,
}

/// The choices of a pending operation: listed one by one, or a whole range of values that are all enabled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choices {
    Listed(SmallVec<[ChoiceState; 2]>),
    /// `Choice(0) .. Choice(n)`, all enabled.
    Range(u32),
}

impl Choices {
    pub fn one(enabled: bool) -> Self {
        Choices::Listed(SmallVec::from_slice(&[ChoiceState { choice: Choice(0), enabled }]))
    }

    /// A timed operation: it happens, or its time runs out, whichever the state allows.
    pub fn timed(enabled: bool) -> Self {
        Choices::Listed(SmallVec::from_slice(&[
            ChoiceState { choice: Choice(0), enabled },
            ChoiceState { choice: Choice(1), enabled: !enabled },
        ]))
    }

    pub fn enabled(&self) -> impl Iterator<Item = Choice> + '_ {
        let (listed, range) = match self {
            Choices::Listed(list) => (list.as_slice(), 0),
            Choices::Range(n) => (&[][..], *n),
        };
        listed.iter().filter(|c| c.enabled).map(|c| c.choice).chain((0..range).map(Choice))
    }

    pub fn any_enabled(&self) -> bool {
        self.enabled().next().is_some()
    }

    pub fn is_enabled(&self, choice: Choice) -> bool {
        match self {
            Choices::Listed(list) => list.iter().any(|c| c.enabled && c.choice == choice),
            Choices::Range(n) => choice.0 < *n,
        }
    }
}

/// The visible operation at which a live thread stands, known before it is executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    pub tid: Tid,
    pub operation: Operation,
    pub choices: Choices,
    pub outcome: Outcome,
}

/// What the outcome of a pending operation depends on: whether it is enabled, its choices, and what it touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// On nothing: it is enabled, has one choice and touches the same in every state that leaves its thread alone.
    Fixed,
    /// On the value of the first object that it touches. `Machine::outcome_with` tells.
    ByValue,
    /// On more than that: only executing it tells.
    Open,
}

/// What a pending operation would do if the first object that it touches had another value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcomes(pub SmallVec<[(Choice, Accesses); 1]>);

/// When a thread that waits for time to pass may go on, in virtual nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Due {
    /// So long after it began to wait.
    After(u64),
    /// When the clock shows this.
    At(u64),
}

/// What came of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The thread stands at its next visible operation, or has ended.
    Done,
    /// The same, and nothing has changed but the thread's own control point and local state. Told only where the thread
    /// may wait: nobody asks elsewhere.
    Silent,
    /// The execution is over: the process ended, or an error was found. `Machine::ending` says which.
    Ended,
}

/// What a step would do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trial {
    /// The local state to which it would take its thread, if it changes nothing else and the thread may wait there.
    pub local: Option<Fingerprint>,
    /// The answer stays the same until somebody changes what the operation touches. Not if the thread touches plain memory
    /// besides, where a data race may come up.
    pub lasting: bool,
    /// The value of what the operation touches tells the answer. Not if what orders threads has a say in it.
    pub by_value: bool,
}

/// An operation that a machine does along with a step, because nobody can tell the difference: no other operation races
/// with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Along {
    /// A thread that the step created goes as far as its first operation.
    Start(Tid),
    /// The end of a thread follows its last operation.
    End(Tid),
    /// `who` waited for the end of `target`, and goes on.
    Join { who: Tid, target: Tid },
    /// An operation on what nobody else uses.
    Private(Tid),
}

impl Along {
    /// The thread that does it.
    pub fn who(self) -> Tid {
        match self {
            Along::Start(who) | Along::End(who) | Along::Join { who, .. } | Along::Private(who) => who,
        }
    }
}

/// How an execution ended. `E` is the machine's own description of an error.
#[derive(Clone, PartialEq, Debug)]
pub enum Ending<E> {
    /// `exit`, return from main, or the last thread is gone.
    Exit(i32),
    Error(E),
}

/// A point on the current path to come back to. Marks are a stack: going back to one forgets those made after it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark(pub u32);

/// A multi-threaded program that advances one visible operation at a time.
pub trait Machine {
    type Error;
    /// A state that was taken off the path: self-contained, can be put back into any machine of the same program.
    type Saved;

    /// Thread numbers given out so far: every number below may be asked for.
    fn thread_count(&self) -> usize;

    /// Created, and neither ended nor stopped. Nobody is live once the execution has ended.
    fn is_live(&self, who: Tid) -> bool;

    /// The visible operation at which a live thread stands.
    fn pending(&mut self, who: Tid) -> Pending;

    /// A short cut: the pending operation of a live thread and what it touches, if that is all there is to know of it. It is
    /// enabled in every state, has one choice, touches one object, always in the same mode, and its thread does not stand
    /// in a loop that may wait. A machine may always say `None`.
    fn simple(&self, _who: Tid) -> Option<(Operation, Access)> {
        None
    }

    /// Another one: the thread is not live, or its pending operation is surely not enabled. A machine may always say no.
    fn surely_waits(&self, _who: Tid) -> bool {
        false
    }

    /// A short cut: where a live thread stands, as a number, and the value on which its outcome depends. As long as both are
    /// the same, so are its pending operation, its choices and what they touch. A machine may always say `None`.
    fn place(&self, _who: Tid) -> Option<(u32, u128)> {
        None
    }

    /// Whether `foresee` may be asked as long as the machine stands where it does.
    fn can_foresee(&mut self) -> bool {
        false
    }

    /// A short cut: by how much an enabled step would change `matched` (what it is now, XOR what it would be), where that can be
    /// told without taking it. There is nothing else to say of such a step: it is no end, has no fault, and nothing is done along with it. A machine may
    /// always say `None`.
    fn foresee(&mut self, _who: Tid, _choice: Choice) -> Option<Fingerprint> {
        None
    }

    /// What the pending operation of a live thread touches if it is executed now with `choice`. For a choice that is not
    /// enabled: what it would touch if it were.
    fn accesses(&mut self, who: Tid, choice: Choice) -> Accesses;

    /// The value of the object of an access, as `outcome_with` wants it. Accesses of mode `Add` to one object must change
    /// its value by amounts that do not depend on their order.
    fn value(&self, object: &Access) -> u128;

    /// The enabled outcomes of the pending operation, whose outcome is `ByValue`, if its first object had that value.
    fn outcome_with(&mut self, who: Tid, value: u128) -> Outcomes;

    /// Gives the object of an access a value that it had before, to look at what would happen then; a mark is there to go
    /// back to. Whom that value came from is not known: until then nothing orders its reader behind anybody, so that a race that
    /// is found may be none, and none is missed. The answer is no where a value does not say everything.
    fn assume_value(&mut self, _object: &Access, _value: u128) -> bool {
        false
    }

    /// Executes the pending operation of `who` with `choice`, then its local code up to the next visible operation.
    /// The choice must be enabled.
    fn step(&mut self, who: Tid, choice: Choice) -> Step;

    /// Where a step would take the thread. The step is not taken.
    fn try_step(&mut self, who: Tid, choice: Choice) -> Trial {
        let mark = self.mark();
        let waits = self.step(who, choice) == Step::Silent && self.is_live(who) && self.may_wait(who);
        let local = if waits { self.local_fingerprint(who) } else { None };
        self.rewind(mark);
        Trial { local, lasting: true, by_value: true }
    }

    /// Whether the machine knows, without taking it, that the step of a thread which may wait is not `Step::Silent`. It may say no
    /// where it does not know.
    fn surely_leaves(&mut self, _who: Tid) -> bool {
        false
    }

    /// Whether it counts as an effect of a step that less is ordered than before: it overwrites what another thread has released. It does,
    /// until somebody says that nothing but values matters. No if the machine cannot do without.
    fn heed_order(&mut self, _heeds: bool) -> bool {
        false
    }

    /// Whether variables of functions that have returned leave their places to the next calls at once, if nobody knows them any more: a
    /// thread that goes round in a loop comes back to where it was then. Where states are stored they always do.
    fn leave_places(&mut self, _at_once: bool) {}

    /// What was done along with the last step, in order.
    fn along(&self) -> &[Along] {
        &[]
    }

    /// Arrivals at a barrier commute only as long as no more threads use it than it counts. A search that finds out
    /// that more do calls this at the start: from then on, who arrives before whom matters.
    fn order_arrivals(&mut self);

    /// Whether the thread stands in a loop that it may go round without a change that others can see: a loop that may
    /// wait. Saying yes too often costs time, too rarely makes searches endless.
    fn may_wait(&self, who: Tid) -> bool;

    /// Whether there has been any state in which a thread may.
    fn has_met_waiting_loops(&self) -> bool {
        true
    }

    /// Whether a failed `assume` has stopped a thread.
    fn is_cut(&self) -> bool;

    fn ending(&self) -> Option<&Ending<Self::Error>>;

    fn mark(&mut self) -> Mark;
    fn rewind(&mut self, to: Mark);

    fn save(&self) -> Self::Saved;
    fn restore(&mut self, saved: &Self::Saved);

    /// The whole live state, where the machine can tell.
    fn fingerprint(&mut self) -> Option<Fingerprint>;
    /// What a stored state is known by: the whole live state, unless somebody has said what matters of it.
    fn matched(&mut self) -> Option<Fingerprint> {
        self.fingerprint()
    }
    /// Whether `matched` does not tell threads apart, and so stands for all states in which some of them have changed places.
    fn changes_places(&self) -> bool {
        false
    }
    /// For each thread, who is in its place in the state that `matched` was last asked for.
    fn cast(&self) -> &[Tid] {
        &[]
    }
    /// What an operation touches when threads have changed places.
    fn in_other_places(access: &Access, _place: impl Fn(Tid) -> Tid) -> Access
    where
        Self: Sized,
    {
        *access
    }
    /// The search does not go with threads that change places, and must begin again without.
    fn must_not_change_places(&mut self, _why: &'static str) {}
    /// One thread's control point and live local state.
    fn local_fingerprint(&mut self, who: Tid) -> Option<Fingerprint>;

    /// The live threads at their visible operations, in the order of their numbers.
    fn all_pending(&mut self) -> Vec<Pending> {
        let numbers = (0..self.thread_count()).map(|i| Tid(i as u16));
        let live: Vec<Tid> = numbers.filter(|&tid| self.is_live(tid)).collect();
        live.into_iter().map(|tid| self.pending(tid)).collect()
    }

    /// What the virtual clock shows.
    fn now(&self) -> u64 {
        0
    }

    /// When the pending operation of a live thread, a sleep or a timed one, has waited long enough.
    fn due(&self, _who: Tid) -> Option<Due> {
        None
    }

    /// Lets time pass until the clock shows this, for a scheduler that keeps to the order of time. A search does not: it
    /// takes sleeps and time-outs as choices.
    fn pass_time(&mut self, _until: u64) {}

    /// What a thread may still touch as long as there are others, where the machine can tell from the code.
    fn may_access(&self, _who: Tid) -> Option<AccessSet> {
        None
    }
}
