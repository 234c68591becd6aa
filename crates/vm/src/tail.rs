//! The last joins of a program by heart. When all other threads have ended, a thread that joins them one after the other
//! and then comes to the end of the process does that in every execution in the same way. Nobody looks at memory there any
//! more: it is enough to see that none of the joins fails, and to move the thread to where it comes to.

use threadbare_core::{Operation, Tid};

use crate::known::{Deed, Effect, Shortcut, UNKNOWN};
use crate::machine::VmMachine;
use crate::memory::Addr;
use crate::thread::Status;

/// What is known of the way from a local state to the end of the process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Not all of it has been executed.
    Unknown,
    /// It is another one.
    Other,
    /// Joins only: the number of the tail.
    Tail(u32),
}

/// From a join to the end of the process.
pub struct Tail {
    targets: Vec<Tid>,
    /// The local code before the last join.
    stretches: Vec<u32>,
    reads: Vec<Effect>,
    /// The objects that go after the last join.
    releases: Vec<Addr>,
    last: u32,
}

impl VmMachine {
    /// The last live thread stands at a join: goes to the end of the process, if it is known that the way there has
    /// nothing to tell.
    pub(crate) fn finish_by_heart(&mut self, who: Tid) -> bool {
        let at = self.threads[who.index()].at;
        if at == UNKNOWN || !self.skips_last_joins {
            return false;
        }
        if self.known.states[at as usize].way == Way::Unknown {
            self.known.states[at as usize].way = self.way_from(at);
        }
        let Way::Tail(number) = self.known.states[at as usize].way else { return false };
        if !self.is_as_ever(who, number) {
            return false;
        }
        self.log_at(who, at);
        self.threads[who.index()].at = self.known.tails[number as usize].last;
        self.hashes.changed(who.index());
        true
    }

    /// Whether all that the tail hangs on is as it was.
    fn is_as_ever(&mut self, who: Tid, number: u32) -> bool {
        let (memory, known) = (&mut self.memory, &self.known);
        let tail = &known.tails[number as usize];
        // Who has not been joined is going to be: after the last join everything is ordered before what follows.
        let mut left = 0;
        for (i, thread) in self.threads.iter().enumerate() {
            if self.exists[i] && i != who.index() && !thread.control.joined {
                if thread.control.status != Status::Ended || thread.control.detached {
                    return false;
                }
                left += 1;
            }
        }
        let waits = |&target: &Tid| self.exists[target.index()] && !self.threads[target.index()].control.joined;
        if tail.targets.len() != left || !tail.targets.iter().all(waits) {
            return false;
        }
        // What is read before the last join must have been held against what others did.
        memory.races.enter(who);
        let epoch = memory.races.epoch();
        let noted = !memory.races.is_active() || tail.stretches.iter().all(|&stretch| known.is_noted(stretch, epoch));
        noted
            && tail.reads.iter().all(|read| memory.holds(read.address, read.bytes, read.value))
            && !tail.releases.iter().any(|&object| memory.held_in(object).is_some())
    }

    fn way_from(&mut self, start: u32) -> Way {
        let (mut targets, mut stretches, mut last) = (Vec::new(), Vec::new(), start);
        let (mut reads, mut releases) = (Vec::new(), Vec::new());
        loop {
            let state = &self.known.states[last as usize];
            if self.is_exit(last) {
                stretches.pop();
                self.known.tails.push(Tail { targets, stretches, reads, releases, last });
                return Way::Tail(self.known.tails.len() as u32 - 1);
            }
            let Shortcut::Join(target) = state.stand.shortcut else { return Way::Other };
            // What goes between two joins may be in use yet; twice the same target is an error.
            if !releases.is_empty() || targets.contains(&target) {
                return Way::Other;
            }
            let Some((stretch, effects, next)) = self.known.only_way(last, 0) else { return Way::Unknown };
            for effect in effects {
                match effect.deed {
                    Deed::Read => reads.push(*effect),
                    Deed::Write => return Way::Other,
                    Deed::Release => releases.push(effect.address),
                }
            }
            targets.push(target);
            if !effects.is_empty() || self.is_exit(next) {
                stretches.push(stretch);
            }
            last = next;
        }
    }

    fn is_exit(&self, at: u32) -> bool {
        let state = &self.known.states[at as usize];
        self.program.visibles[state.site as usize].operation == Operation::Exit
    }
}
