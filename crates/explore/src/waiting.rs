//! Loops that wait. A round of a loop that changes nothing and returns its thread to an earlier local state can be cut
//! out of an execution without a trace, so that the step which would complete such a round is never taken: its thread is
//! *parked* there, until somebody changes what it looks at. What is explored is then finite for spin locks, flags, CAS
//! loops and the like.
//!
//! A round that looks at plain memory besides is gone through once: the rest of the execution is the same without it, but
//! what it reads may race with a write before or after it. More rounds read the same. A machine that relies on it that there
//! is no such write (`Relied`) says that its answer lasts.
//!
//! A thread's history are its local states since its own last effect. Only states from which the machine says that the
//! thread may wait are kept: a useless round consists of nothing else.

use threadbare_core::{Choice, Choices, Cycle, Fingerprint, Machine, Pending, Step, Tid};

const NONE: u32 = u32::MAX;

/// A loop that takes more steps than that does not just wait.
const LONGEST_ROUND: usize = 1000;

/// After so many steps without an effect a thread is given up that does not come back to where it was.
const LONGEST_SPIN: usize = 1 << 16;

#[derive(Default)]
pub struct Histories {
    /// The last entry of each thread.
    heads: Vec<u32>,
    entries: Vec<(Fingerprint, u32)>,
    log: Vec<Before>,
}

/// What takes a step back.
#[derive(Clone, Copy)]
struct Before {
    tid: Tid,
    head: u32,
    entries: u32,
}

impl Histories {
    /// What there is of a thread now: see `chain`.
    #[inline]
    pub fn head(&self, tid: Tid) -> u32 {
        self.heads.get(tid.index()).copied().unwrap_or(NONE)
    }

    /// How many changes there have been.
    #[inline]
    pub fn len(&self) -> usize {
        self.log.len()
    }

    /// After a step of `tid`: its local state if it may wait there, and whether the step had an effect.
    #[inline]
    pub fn advance(&mut self, tid: Tid, local: Option<Fingerprint>, silent: bool) {
        if local.is_none() && self.head(tid) == NONE {
            return;
        }
        if self.heads.len() <= tid.index() {
            self.heads.resize(tid.index() + 1, NONE);
        }
        let before = Before { tid, head: self.heads[tid.index()], entries: self.entries.len() as u32 };
        self.heads[tid.index()] = match local {
            Some(local) => {
                self.entries.push((local, if silent { before.head } else { NONE }));
                before.entries
            }
            None => NONE,
        };
        self.log.push(before);
    }

    /// Goes back to the first of them.
    #[inline]
    pub fn take_back(&mut self, changes: usize) {
        while self.log.len() > changes {
            let before = self.log.pop().expect("longer");
            self.heads[before.tid.index()] = before.head;
            self.entries.truncate(before.entries as usize);
        }
    }

    #[inline]
    pub fn of(&self, tid: Tid) -> impl Iterator<Item = Fingerprint> + '_ {
        self.chain(self.head(tid))
    }

    /// What it was when the head of its thread was this one.
    pub fn chain(&self, mut at: u32) -> impl Iterator<Item = Fingerprint> + '_ {
        std::iter::from_fn(move || {
            let (local, before) = *self.entries.get(at as usize)?;
            at = before;
            Some(local)
        })
    }
}

/// The choice, if there is just one.
pub(crate) fn only(mut enabled: impl Iterator<Item = Choice>) -> Option<Choice> {
    match (enabled.next(), enabled.next()) {
        (only, None) => only,
        _ => None,
    }
}

/// Whether the step of a thread changes nothing and takes it back to a local state of its history, and whether the answer
/// lasts until what the step touches is changed. A round that looks at plain memory is gone through once: what it reads
/// there may race with a write that comes later.
pub(crate) fn completes_a_useless_round<M: Machine>(
    machine: &mut M,
    tid: Tid,
    pending: &Pending,
    history: &[Fingerprint],
) -> Round {
    match only(pending.choices.enabled()) {
        Some(choice) if !history.is_empty() => try_round(machine, tid, choice, history),
        _ => Round::NONE,
    }
}

/// What a step would do to a thread that may wait.
pub(crate) struct Round {
    /// It changes nothing, and takes the thread back to where it was.
    pub useless: bool,
    /// See `Trial`.
    pub lasting: bool,
    pub by_value: bool,
}

impl Round {
    pub const NONE: Round = Round { useless: false, lasting: true, by_value: true };
}

/// The same for one choice of several.
fn try_round<M: Machine>(machine: &mut M, tid: Tid, choice: Choice, history: &[Fingerprint]) -> Round {
    let trial = machine.try_step(tid, choice);
    let been_there = history.iter().filter(|&&local| Some(local) == trial.local).count();
    let useless = been_there > usize::from(!trial.lasting);
    Round { useless, lasting: trial.lasting, by_value: trial.by_value }
}

pub(crate) fn has_several(pending: &Pending) -> bool {
    matches!(&pending.choices, Choices::Listed(list) if list.iter().filter(|state| state.enabled).count() > 1)
}

/// An operation with several choices. One that completes a useless round is not enabled as long as there is another: a
/// thread that waits for time to pass does not look at the clock in vain.
pub(crate) fn without_useless<M: Machine>(machine: &mut M, pending: Pending, history: &[Fingerprint]) -> Pending {
    let Choices::Listed(list) = &pending.choices else { return pending };
    if history.is_empty() || !machine.may_wait(pending.tid) {
        return pending;
    }
    let mut list = list.clone();
    for state in list.iter_mut().filter(|state| state.enabled) {
        state.enabled = !try_round(machine, pending.tid, state.choice, history).useless;
    }
    let choices = Choices::Listed(list);
    if choices.any_enabled() { Pending { choices, ..pending } } else { pending }
}

/// Takes a thread to where it has been before, whatever it does on the way. No if it leaves its loop.
pub(crate) fn goes_round<M: Machine>(machine: &mut M, tid: Tid) -> bool {
    machine.leave_places(true);
    let mut seen = Vec::new();
    let mut comes_back = false;
    for _ in 0..LONGEST_ROUND {
        if !machine.is_live(tid) {
            break;
        }
        if machine.may_wait(tid) {
            let local = machine.local_fingerprint(tid).expect("a machine that may wait knows local states");
            comes_back = seen.contains(&local);
            if comes_back {
                break;
            }
            seen.push(local);
        }
        let Some(choice) = only(machine.pending(tid).choices.enabled()) else { break };
        machine.step(tid, choice);
    }
    machine.leave_places(false);
    comes_back
}

/// What becomes of a thread that is left alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Alone {
    /// It goes round for ever without an effect.
    Spins,
    /// It has an effect, ends, or cannot go on.
    Leaves,
    /// It has no effect for a long time, and does not come back to where it was: it may count its rounds.
    Unknown,
}

pub(crate) fn spins_for_ever<M: Machine>(machine: &mut M, tid: Tid) -> bool {
    alone(machine, tid) == Alone::Spins
}

/// What becomes of the first of these that does not go round for ever.
pub(crate) fn first_that_leaves<M: Machine>(machine: &mut M, parked: &[Tid]) -> Option<Alone> {
    parked.iter().map(|&tid| alone(machine, tid)).find(|&becomes| becomes != Alone::Spins)
}

/// Lets a thread go on alone.
pub(crate) fn alone<M: Machine>(machine: &mut M, tid: Tid) -> Alone {
    if machine.surely_leaves(tid) {
        return Alone::Leaves;
    }
    let mark = machine.mark();
    machine.leave_places(true);
    let (mut locals, mut steps) = (Cycle::default(), 0);
    let becomes = loop {
        if machine.may_wait(tid) {
            let local = machine.local_fingerprint(tid).expect("a machine that may wait knows local states");
            if locals.closes(local) {
                break Alone::Spins;
            }
        }
        if steps == LONGEST_SPIN {
            break Alone::Unknown;
        }
        steps += 1;
        let pending = machine.pending(tid);
        let Some(choice) = only(pending.choices.enabled()) else { break Alone::Leaves };
        if machine.step(tid, choice) != Step::Silent || !machine.is_live(tid) {
            break Alone::Leaves;
        }
    };
    machine.leave_places(false);
    machine.rewind(mark);
    becomes
}
