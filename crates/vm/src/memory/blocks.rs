//! Local variables whose block is left before their function returns, and perhaps entered again.
//!
//! The object keeps its id and its place all the time, so that a loop needs no new ones; while the block is not being
//! executed, no access fits into it.

use super::*;

impl Memory {
    /// The block of the stack object at `address` is entered: the variable is there, and undefined.
    pub fn enter_block(&mut self, address: Addr) {
        let id = address >> OFFSET_BITS;
        let object = self.object(id);
        match object.life {
            Life::Live => self.undefine(address, object.size),
            Life::Left => {
                self.log(Change { place: id | BLOCK << TAG_SHIFT, old: 0, new: 1 });
                self.revive(id, &object);
                if self.hashing {
                    self.hash ^= Self::existence(id, &object);
                }
            }
            Life::Unused | Life::Freed => return,
        }
        if self.zeroing {
            self.define(address, object.size);
        }
    }

    /// The block of the stack object at `address` is left.
    pub fn leave_block(&mut self, address: Addr, at: u64) {
        let id = address >> OFFSET_BITS;
        let object = self.object(id);
        if object.life != Life::Live {
            return;
        }
        self.undefine(address, object.size);
        self.log(Change { place: id | BLOCK << TAG_SHIFT, old: 1, new: 0 });
        if self.hashing {
            self.hash ^= Self::existence(id, &object);
        }
        self.suspend(id, object.size);
        // SAFETY: the id of an object.
        unsafe { (*self.objects.add(id as usize)).freed_at = at };
    }

    /// Takes an entering or a leaving back. What has been released since stays so: nobody can go back to it.
    pub(super) fn undo_block(&mut self, id: u64, was_live: bool) {
        let object = self.object(id);
        match object.life {
            Life::Left if was_live => self.revive(id, &object),
            Life::Live if !was_live => self.suspend(id, object.size),
            _ => {}
        }
    }

    fn revive(&mut self, id: u64, object: &Object) {
        // SAFETY: the id of an object; its entry kept the base.
        unsafe {
            let base = (*self.table.add(id as usize)).base;
            self.set_entries(id, base, object.size, false);
            (*self.objects.add(id as usize)).life = Life::Live;
        }
    }

    pub(super) fn suspend(&mut self, id: u64, size: u64) {
        self.kill_entries(id, size);
        // SAFETY: the id of an object.
        unsafe { (*self.objects.add(id as usize)).life = Life::Left };
    }

    /// What the object holds is zero and counts as never written, as in a fresh one.
    fn undefine(&mut self, address: Addr, size: u64) {
        self.forget_partial(address, size);
        let Some(base) = self.locate(address, 0) else { return };
        for word in 0..size.div_ceil(8) {
            let (at, place) = (base + word * 8, address + word * 8);
            // SAFETY: objects are padded to whole words.
            unsafe {
                let (old, init) = (self.read::<8>(at), *self.init.add((at >> 3) as usize));
                if old != 0 {
                    self.write::<8>(at, 0);
                    self.log(Change { place, old, new: 0 });
                }
                if init != 0 {
                    *self.init.add((at >> 3) as usize) = 0;
                    self.log(Change { place: place | INIT << TAG_SHIFT, old: init.into(), new: 0 });
                }
            }
        }
    }
}
