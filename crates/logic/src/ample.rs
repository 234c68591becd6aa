//! Partial-order reduction for formulas without `X` (E. Clarke, O. Grumberg, M. Minea, D. Peled: "State space reduction using
//! partial order techniques", STTT 1999): where a step of one thread can be told from no other order, the others wait.
//!
//! The steps of one thread are all that is explored of a state if
//! - nothing that the other threads may still do conflicts with them (C1): they stay as they are, and stay enabled;
//! - they change nothing that a formula looks at, wherever they are taken (C2);
//! - they lead to states that were never met before (C3). Whoever is met first is gone through later: along a cycle of such
//!   states each would be gone through later than the one before it. So every cycle has a state that is explored in full.
//!
//! The end of the process is left out of C1, though it stops everybody: an execution that ends without the step goes through the
//! same letters as one that takes it just before, since nobody sees it.
//!
//! **Weak fairness** is kept. Take a fair execution that breaks a formula. In it the thread goes on some time, since it can always
//! go on until then (C1); so its step is moved to the front, and none is added. Of the execution that comes of it, each
//! thread takes the same steps. One that takes none any more stands at an operation that is again and again disabled. The
//! steps that were moved do not conflict with that operation, so they do not enable it, and all others are in their old order:
//! it is again and again disabled in the new execution, too. The marks of fairness are those of the whole state.

use threadbare_core::{Choice, Choices, Machine, Operation, Tid};

/// What can be seen of a machine by propositions.
pub struct Eyes<M> {
    /// Whether the next step of a thread may change what holds, by what it touches.
    pub see_step: fn(&mut M, Tid) -> bool,
    /// Whether what holds hangs on the place where a thread stands.
    pub see_place: fn(&mut M, Tid) -> bool,
}

impl<M> Clone for Eyes<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Eyes<M> {}

impl<M: Machine> Eyes<M> {
    /// Threads that could be explored alone, as far as that can be told without taking their steps.
    pub fn alone(self, machine: &mut M, steps: &[(Tid, Choice)]) -> Vec<Tid> {
        let mut movers: Vec<Tid> = steps.iter().map(|(tid, _)| *tid).collect();
        movers.dedup();
        if movers.len() < 2 {
            return Vec::new();
        }
        let live: Vec<Tid> =
            (0..machine.thread_count()).map(|i| Tid(i as u16)).filter(|&tid| machine.is_live(tid)).collect();
        let may: Vec<_> = live.iter().map(|&tid| (tid, machine.may_access(tid))).collect();
        movers.retain(|&tid| {
            let pending = machine.pending(tid);
            // A range of values is all alike.
            let choices: Vec<Choice> = match &pending.choices {
                Choices::Listed(list) => list.iter().map(|choice| choice.choice).collect(),
                range => range.enabled().take(1).collect(),
            };
            let touched: Vec<_> = choices.iter().flat_map(|&choice| machine.accesses(tid, choice)).collect();
            pending.operation != Operation::Exit
                && may.iter().filter(|(other, _)| *other != tid).all(|(_, set)| {
                    let free = |set: &threadbare_core::AccessSet| {
                        !set.may_create() && !touched.iter().any(|access| set.conflicts_before_the_end(access))
                    };
                    set.as_ref().is_some_and(free)
                })
                && !(self.see_step)(machine, tid)
                && !(self.see_place)(machine, tid)
        });
        movers
    }

    /// Whether the step that was taken last has led to where nothing more can be seen, nothing is wrong, and nobody else has moved.
    pub fn lost_sight(self, machine: &mut M, tid: Tid) -> bool {
        machine.ending().is_none()
            && !machine.is_cut()
            && machine.along().is_empty()
            && !(machine.is_live(tid) && (self.see_place)(machine, tid))
    }
}
