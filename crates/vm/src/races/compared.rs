//! Pointers that compare-exchanges look for. One that points to freed memory may be found where malloc has given the
//! address out again, which this machine never does: then a proof is bounded (`Memory::stale_pointers`). A search need not
//! see the two in that order, since a free and a comparison of a pointer do not depend on each other: it is enough that
//! nothing orders the comparison before the free.

use threadbare_core::Tid;

use super::Races;
use crate::fault::Fault;
use crate::interp::Cpu;
use crate::memory::{Addr, Memory, ObjectKind};

/// A thread has compared something with a pointer to a heap object, last at this moment: whatever that is ordered before, its
/// earlier comparisons are.
#[derive(Clone, Copy)]
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
            if self.races.sharing.on {
                self.races.sharing.note_compared(object, tid);
                return;
            }
            let own = self.races.threads[tid.index()].seen.own;
            let Races { compared, compared_log, .. } = &mut self.races;
            match compared.iter().rposition(|by| by.object == object && by.tid == tid) {
                None => compared.push(Compared { object, tid, own }),
                Some(at) if compared[at].own != own => {
                    compared_log.push((at as u32, compared[at].own));
                    compared[at].own = own;
                }
                Some(_) => {}
            }
        }
    }
}

impl Races {
    pub(super) fn forget_comparisons(&mut self, (compared, log): (usize, usize)) {
        while self.compared_log.len() > log {
            let (at, own) = self.compared_log.pop().expect("longer than the mark");
            self.compared[at as usize].own = own;
        }
        self.compared.truncate(compared);
    }
}

impl Cpu<'_> {
    /// A heap object is about to be freed.
    pub(super) fn race_compared(&mut self, object: Addr) -> Result<(), Box<Fault>> {
        let tid = self.thread.tid;
        let Races { compared, clocks, now, sharing, .. } = &self.memory.races;
        if sharing.is_compared(object, tid) {
            return Err(self.sharing());
        }
        let is_after = |by: &Compared| clocks.get(now.seen, by.tid.0) >= by.own;
        let stale = compared.iter().any(|by| by.object == object && by.tid != tid && !is_after(by));
        self.memory.stale_pointers |= stale;
        Ok(())
    }
}
