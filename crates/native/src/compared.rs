//! Pointers that compare-exchanges look for, as on the virtual machine (vm/src/races/compared.rs). One that points to freed memory
//! may be found where malloc has given the address out again, which ours never does: then a proof is bounded. A search need
//! not see the two in that order: it is enough that nothing orders the comparison before the free.

use threadbare_core::Tid;

use crate::image;
use crate::run::Run;
use crate::shadow;

/// A thread has compared something with a pointer to a live block of the heap, last at this moment of its clock.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    pub address: u64,
    pub tid: Tid,
    pub time: u32,
}

impl Run {
    /// A compare-exchange of a thread looks for this.
    pub fn note_compared(&mut self, tid: Tid, expected: u64) {
        let Some(number) = image::thread_of_heap(expected).filter(|_| self.is_mapped(expected, 1)) else { return };
        let mut address = expected;
        // SAFETY: memory that was given out, whose shadow the floor has written.
        if unsafe { shadow::state(expected) } != 0 {
            let Some(block) = self.block_near(expected, number).filter(|block| !block.is_thread_local()) else {
                return;
            };
            if block.is_freed() {
                self.stale_pointers = true;
                return;
            }
            address = block.address;
        }
        self.races.compare(tid, address);
    }

    /// A block of the heap is about to be freed.
    pub fn free_compared(&mut self, tid: Tid, address: u64, size: u64) {
        self.stale_pointers |= self.races.free_compared(tid, address..=address.saturating_add(size));
    }
}
