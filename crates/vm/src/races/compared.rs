//! Pointers that compare-exchanges look for. One that points to freed memory may be found where malloc has given the
//! address out again, which this machine never does: then a proof is bounded (`Memory::stale_pointers`). A search need not
//! see the two in that order, since a free and a comparison of a pointer do not depend on each other: it is enough that
//! nothing orders the comparison before the free.

use threadbare_core::Tid;

use super::Races;
use crate::fault::Fault;
use crate::interp::Cpu;
use crate::memory::{Addr, Memory, ObjectKind};

/// A thread has compared something with a pointer to a heap object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Compared {
    pub(super) object: Addr,
    pub(super) tid: Tid,
    pub(super) own: u32,
}

impl Memory {
    /// A compare-exchange of a thread looks for this.
    pub fn note_compared(&mut self, tid: Tid, expected: u64) {
        self.stale_pointers |= self.is_stale(expected);
        if !self.races.is_active() {
            return;
        }
        if let Some((object, found)) = self.object_at(expected)
            && found.kind == ObjectKind::Heap
        {
            let compared = Compared { object, tid, own: self.races.threads[tid.index()].seen.own };
            if self.races.compared.last() != Some(&compared) {
                self.races.compared.push(compared);
            }
        }
    }
}

impl Cpu<'_> {
    /// A heap object is about to be freed.
    pub(super) fn race_compared(&mut self, object: Addr) -> Result<(), Box<Fault>> {
        let tid = self.thread.tid;
        let Races { compared, clocks, now, sharing, .. } = &self.memory.races;
        let is_after = |by: &Compared| !sharing.on && clocks.get(now.seen, by.tid.0) >= by.own;
        if !compared.iter().any(|by| by.object == object && by.tid != tid && !is_after(by)) {
            return Ok(());
        }
        if sharing.on {
            return Err(self.sharing());
        }
        self.memory.stale_pointers = true;
        Ok(())
    }
}
