//! Partial deadlocks, shown by a state: threads that are blocked there, and stay so whatever the others do. Everything that can
//! come after the state is explored to see it, once for each state and thread.

use std::collections::HashMap;
use std::time::Instant;

use threadbare_core::{Fingerprint, Tid};
use threadbare_explore::waits_for_good;

use crate::told::Told;

#[derive(Default)]
pub struct ForGood {
    known: HashMap<(Fingerprint, Tid), bool>,
    /// Who is not known by then counts as one that can go on.
    pub deadline: Option<Instant>,
}

impl ForGood {
    /// What is wrong where the machine, which has exact states, stands.
    pub fn fault<M: Told>(&mut self, machine: &mut M) -> Option<Box<M::Fault>> {
        if machine.ending().is_some() || machine.any_failed() {
            return None;
        }
        let pending = machine.all_pending().into_iter();
        let blocked: Vec<Tid> = pending.filter(|p| !p.choices.any_enabled()).map(|p| p.tid).collect();
        let who: Vec<Tid> = blocked.into_iter().filter(|&tid| self.waits(machine, tid)).collect();
        machine.hold_still();
        (!who.is_empty()).then(|| machine.fault_of_left_behind(&who))
    }

    fn waits<M: Told>(&mut self, machine: &mut M, tid: Tid) -> bool {
        let Some(state) = machine.fingerprint() else { return false };
        if let Some(&known) = self.known.get(&(state, tid)) {
            return known;
        }
        let deadline = self.deadline;
        let found = waits_for_good(machine, tid, || deadline.is_some_and(|end| Instant::now() >= end));
        if let Some(waits) = found {
            self.known.insert((state, tid), waits);
        }
        found == Some(true)
    }
}
