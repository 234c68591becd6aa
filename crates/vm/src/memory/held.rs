//! The locks that somebody holds: the objects that they lie in must not go before they are released.

use super::*;

impl Memory {
    /// The lock at `address` is held by somebody from here on, or by nobody.
    pub fn set_held(&mut self, address: Addr, held: bool) {
        let place = self.held.partition_point(|&lock| lock < address);
        let was_held = self.held.get(place) == Some(&address);
        if was_held != held {
            self.toggle_held(place, address);
            self.log(Change { place: address | HELD << TAG_SHIFT, old: was_held.into(), new: held.into() });
        }
    }

    pub(super) fn undo_held(&mut self, address: Addr) {
        self.toggle_held(self.held.partition_point(|&lock| lock < address), address);
    }

    fn toggle_held(&mut self, place: usize, address: Addr) {
        match self.held.get(place) == Some(&address) {
            true => _ = self.held.remove(place),
            false => self.held.insert(place, address),
        }
    }

    #[inline]
    pub fn holds_locks(&self) -> bool {
        !self.held.is_empty()
    }

    /// A lock that is held, in the object that starts at `address`.
    pub fn held_in(&self, address: Addr) -> Option<Addr> {
        if !self.holds_locks() {
            return None;
        }
        let (start, object) = self.object_at(address)?;
        let first = *self.held.get(self.held.partition_point(|&lock| lock < start))?;
        (object.life == Life::Live && first < start + object.size).then_some(first)
    }
}
