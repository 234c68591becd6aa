//! What a visible operation touches, and which pairs of touches commute: the one dependence table.

use smallvec::SmallVec;

/// How an operation touches an object. Two accesses of one object conflict unless both are `Read` or both are `Add`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// Looks at it.
    Read,
    /// Changes it.
    Write,
    /// Changes it in a way that commutes with its like: posting a semaphore, taking a read lock, arriving at a barrier.
    Add,
}

impl Mode {
    #[inline]
    pub fn conflicts(self, other: Mode) -> bool {
        self == Mode::Write || self != other
    }
}

/// Which family of objects an address belongs to. A mutex and the bytes it lies in are different objects: lock
/// operations conflict through `Mutex`, plain accesses to those bytes through `Memory`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Space {
    Memory,
    Mutex,
    Cond,
    /// The wake-up flag of a waiting thread.
    Wake,
    Semaphore,
    RwLock,
    Barrier,
    Once,
    /// Hidden state of a library or of the machine: virtual clock, input, key table.
    Hidden,
    /// What an invariant looks at: whatever changes it conflicts with whatever else does.
    Property,
    /// What code touches of which nobody sees the accesses: it changes this one object, and every access to memory, freeing included,
    /// adds to it. So the two conflict, and accesses that are seen do not conflict through it.
    Unseen,
    /// A thread as a whole: create and join.
    Thread,
    /// The whole process: its end conflicts with everything.
    Process,
}

/// The kinds of objects that people know, for messages.
pub type ObjectKind = Space;

/// `length` bytes at `address` of one family, and how they are touched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    pub space: Space,
    pub mode: Mode,
    pub length: u32,
    pub address: u64,
}

impl Access {
    #[inline]
    pub fn memory(mode: Mode, address: u64, length: u32) -> Self {
        Access { space: Space::Memory, mode, length, address }
    }

    #[inline]
    pub fn object(space: Space, mode: Mode, address: u64) -> Self {
        Access { space, mode, length: 1, address }
    }

    #[inline]
    pub fn conflicts(&self, other: &Access) -> bool {
        if self.space == Space::Process || other.space == Space::Process {
            return true;
        }
        self.space == other.space
            && self.mode.conflicts(other.mode)
            && self.address < other.address + u64::from(other.length)
            && other.address < self.address + u64::from(self.length)
    }
}

pub type Accesses = SmallVec<[Access; 2]>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_conflict_unless_both_read_or_both_add() {
        use Mode::*;
        for (a, b, conflict) in [
            (Read, Read, false),
            (Add, Add, false),
            (Read, Add, true),
            (Read, Write, true),
            (Add, Write, true),
            (Write, Write, true),
        ] {
            assert_eq!(a.conflicts(b), conflict, "{a:?} {b:?}");
            assert_eq!(b.conflicts(a), conflict, "{b:?} {a:?}");
        }
    }

    #[test]
    fn ranges_conflict_when_they_overlap() {
        let word = Access::memory(Mode::Write, 0x100, 4);
        assert!(word.conflicts(&Access::memory(Mode::Read, 0x103, 1)));
        assert!(!word.conflicts(&Access::memory(Mode::Read, 0x104, 1)));
        assert!(!word.conflicts(&Access::object(Space::Mutex, Mode::Write, 0x100)));
        assert!(word.conflicts(&Access::object(Space::Process, Mode::Write, 0)));
    }
}
