//! What a thread may still touch, as far as the code alone tells: a set of accesses that is quick to test for conflicts.
//!
//! A set has two parts. *Named* objects are known one by one. What is *reached* through pointers is known only by its
//! space: it may be any object of that space except the sealed ones, which no pointer of the program can reach. All sets
//! of one program share the list of sealed objects.

use std::ops::Range;
use std::sync::Arc;

use crate::{Access, Mode, Space};

const SPACES: usize = Space::Process as usize + 1;

/// A set of modes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Modes(u8);

impl Modes {
    const READ: u8 = 1;
    const WRITE: u8 = 2;
    const ADD: u8 = 4;

    fn insert(&mut self, mode: Mode) {
        self.0 |= match mode {
            Mode::Read => Self::READ,
            Mode::Write => Self::WRITE,
            Mode::Add => Self::ADD,
        };
    }

    fn of(mode: Mode) -> Self {
        let mut modes = Modes::default();
        modes.insert(mode);
        modes
    }

    /// Whether it has the mode, or one that conflicts with more.
    fn contains(self, mode: Mode) -> bool {
        self.0 & (Modes::of(mode).0 | Self::WRITE) != 0
    }

    /// Whether some mode of the one conflicts with some mode of the other.
    fn conflict(self, other: Modes) -> bool {
        let (a, b) = (self.0, other.0);
        let all_alike = |mode: u8| (a | b) & !mode == 0;
        a != 0 && b != 0 && !all_alike(Self::READ) && !all_alike(Self::ADD)
    }
}

/// A named object. Those of a set are in order and do not overlap.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Named {
    space: Space,
    range: Range<u64>,
    modes: Modes,
    /// No pointer reaches it.
    sealed: bool,
}

/// An over-approximation of what a thread may still touch, which commutes with everything that it does not conflict
/// with. What threads that it may create will touch is not in it.
#[derive(Clone, Debug)]
pub struct AccessSet {
    named: Arc<[Named]>,
    reached: [Modes; SPACES],
    sealed: Arc<[Range<u64>]>,
    everything: bool,
    creates: bool,
}

impl AccessSet {
    /// `named` are the objects that are known, whole ones; `reached` says in which spaces, and how, others are touched
    /// through pointers. `sealed`, in order and without overlaps, are the objects that these others cannot be.
    pub fn new(
        named: impl IntoIterator<Item = Access>,
        reached: impl IntoIterator<Item = (Space, Mode)>,
        sealed: Arc<[Range<u64>]>,
        creates: bool,
    ) -> Self {
        let mut everything = false;
        let mut objects: Vec<Named> = Vec::new();
        for access in named {
            everything |= access.space == Space::Process;
            let range = access.address..access.address + u64::from(access.length);
            let is_sealed = is_sealed(&sealed, &range);
            objects.push(Named { space: access.space, range, modes: Modes::of(access.mode), sealed: is_sealed });
        }
        objects.sort_unstable_by_key(|object| (object.space, object.range.start));
        objects.dedup_by(|next, last| {
            let overlap = next.space == last.space && next.range.start < last.range.end;
            if overlap {
                last.range.end = last.range.end.max(next.range.end);
                last.modes.0 |= next.modes.0;
                last.sealed &= next.sealed;
            }
            overlap
        });
        let mut modes = [Modes::default(); SPACES];
        for (space, mode) in reached {
            everything |= space == Space::Process;
            modes[space as usize].insert(mode);
        }
        AccessSet { named: objects.into(), reached: modes, sealed, everything, creates }
    }

    /// The same set and one more object.
    pub fn with(&self, access: Access) -> Self {
        let range = access.address..access.address + u64::from(access.length);
        let one = Named { space: access.space, range, modes: Modes::of(access.mode), sealed: false };
        let mut named = self.named.to_vec();
        let at = named.partition_point(|n| (n.space, n.range.start) <= (one.space, one.range.start));
        debug_assert!(
            named
                .iter()
                .all(|n| n.space != one.space || n.range.end <= one.range.start || one.range.end <= n.range.start)
        );
        named.insert(at, one);
        AccessSet { named: named.into(), ..self.clone() }
    }

    /// The set of a thread that will do nothing.
    pub fn empty() -> Self {
        AccessSet::new([], [], Arc::default(), false)
    }

    /// Whether some access of the one may conflict with some access of the other.
    pub fn conflicts(&self, other: &AccessSet) -> bool {
        self.everything
            || other.everything
            || self.reached.iter().zip(&other.reached).any(|(a, b)| a.conflict(*b))
            || self.reaches_named_of(other)
            || other.reaches_named_of(self)
            || self.shares_named_with(other)
    }

    /// Whether some access of the set may conflict with `access`.
    pub fn conflicts_with(&self, access: &Access) -> bool {
        self.everything || access.space == Space::Process || self.conflicts_before_the_end(access)
    }

    /// The same, leaving out the end of the process: for a search that puts it off until nobody else can move.
    pub fn conflicts_before_the_end(&self, access: &Access) -> bool {
        let range = access.address..access.address + u64::from(access.length);
        let modes = Modes::of(access.mode);
        let reached = self.reached[access.space as usize].conflict(modes) && !is_sealed(&self.sealed, &range);
        let first = self.named.partition_point(|n| (n.space, n.range.end) <= (access.space, range.start));
        let overlapping =
            || self.named[first..].iter().take_while(|n| n.space == access.space && n.range.start < range.end);
        reached || overlapping().any(|n| n.modes.conflict(modes))
    }

    /// Whether the access is one of the set. An object that only one thread can reach is in no set.
    pub fn contains(&self, access: &Access) -> bool {
        if access.space == Space::Process {
            return self.everything;
        }
        let range = access.address..access.address + u64::from(access.length);
        let reached = self.reached[access.space as usize].contains(access.mode) && !is_sealed(&self.sealed, &range);
        reached || self.names(access)
    }

    /// Whether the access is one to an object that is known, not only one that some pointer may reach.
    pub fn names(&self, access: &Access) -> bool {
        let range = access.address..access.address + u64::from(access.length);
        let after = self.named.partition_point(|n| (n.space, n.range.start) <= (access.space, range.start));
        let named = after.checked_sub(1).map(|last| &self.named[last]).filter(|n| n.space == access.space);
        named.is_some_and(|n| range.end <= n.range.end && n.modes.contains(access.mode))
    }

    /// Whether it conflicts with whatever another thread does: it may end the process.
    pub fn touches_everything(&self) -> bool {
        self.everything
    }

    /// Whether the thread may create others, whose accesses are not in the set.
    pub fn may_create(&self) -> bool {
        self.creates
    }

    fn reaches_named_of(&self, other: &AccessSet) -> bool {
        other.named.iter().any(|n| !n.sealed && self.reached[n.space as usize].conflict(n.modes))
    }

    fn shares_named_with(&self, other: &AccessSet) -> bool {
        let (mut a, mut b) = (self.named.iter().peekable(), other.named.iter().peekable());
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            if (x.space, x.range.end) <= (y.space, y.range.start) {
                a.next();
            } else if (y.space, y.range.end) <= (x.space, x.range.start) {
                b.next();
            } else if x.modes.conflict(y.modes) {
                return true;
            } else if (x.space, x.range.end) < (y.space, y.range.end) {
                a.next();
            } else {
                b.next();
            }
        }
        false
    }
}

/// Whether the whole range lies in a sealed object.
fn is_sealed(sealed: &[Range<u64>], range: &Range<u64>) -> bool {
    let after = sealed.partition_point(|object| object.start <= range.start);
    after > 0 && range.end <= sealed[after - 1].end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Named objects are 16 bytes at multiples of 0x100; 0x100 and 0x200 are sealed.
    fn set(named: &[(Space, Mode, u64)], reached: &[(Space, Mode)]) -> AccessSet {
        let sealed: Arc<[Range<u64>]> = Arc::new([0x100..0x110, 0x200..0x210]);
        let named = named.iter().map(|&(space, mode, address)| Access { space, mode, length: 16, address });
        AccessSet::new(named, reached.iter().copied(), sealed, false)
    }

    #[test]
    fn sets_of_modes_conflict_as_their_members_do() {
        let all = [Mode::Read, Mode::Write, Mode::Add];
        let members = |set: u8| (0..3).filter(move |i| set >> i & 1 == 1).map(|i| all[i as usize]);
        for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
            let expected = members(a).any(|x| members(b).any(|y| x.conflicts(y)));
            assert_eq!(Modes(a).conflict(Modes(b)), expected, "{a:#b} {b:#b}");
        }
    }

    #[test]
    fn sets_conflict_through_named_and_reached_objects() {
        use Mode::*;
        use Space::*;
        let table = [
            (set(&[(Memory, Write, 0x100)], &[]), set(&[(Memory, Write, 0x200)], &[]), false),
            (set(&[(Memory, Write, 0x100)], &[]), set(&[(Memory, Read, 0x100)], &[]), true),
            (set(&[(Memory, Read, 0x100)], &[]), set(&[(Memory, Read, 0x100)], &[]), false),
            (set(&[(Memory, Write, 0x100)], &[]), set(&[(Mutex, Write, 0x100)], &[]), false),
            (set(&[(Memory, Write, 0x100)], &[]), set(&[], &[(Memory, Write)]), false),
            (set(&[(Memory, Write, 0x300)], &[]), set(&[], &[(Memory, Read)]), true),
            (set(&[(Memory, Write, 0x300)], &[]), set(&[], &[(Mutex, Write)]), false),
            (set(&[], &[(Memory, Write)]), set(&[], &[(Memory, Read)]), true),
            (set(&[], &[(Semaphore, Add)]), set(&[], &[(Semaphore, Add)]), false),
            (set(&[(Process, Write, 0)], &[]), AccessSet::empty(), true),
            (
                set(&[(Memory, Read, 0x100), (Memory, Read, 0x300), (Mutex, Write, 0x400)], &[]),
                set(&[(Memory, Write, 0x200), (Mutex, Write, 0x400)], &[]),
                true,
            ),
        ];
        for (i, (a, b, expected)) in table.iter().enumerate() {
            assert_eq!(a.conflicts(b), *expected, "row {i}");
            assert_eq!(b.conflicts(a), *expected, "row {i}, turned round");
        }
    }

    #[test]
    fn a_set_contains_its_accesses_and_weaker_ones() {
        use Mode::*;
        let a = set(&[(Space::Memory, Write, 0x100), (Space::Memory, Read, 0x400)], &[(Space::Semaphore, Add)]);
        for (access, expected) in [
            (Access::memory(Read, 0x108, 8), true),
            (Access::memory(Write, 0x108, 8), true),
            (Access::memory(Read, 0x109, 8), false),
            (Access::memory(Read, 0x400, 16), true),
            (Access::memory(Write, 0x400, 16), false),
            (Access::object(Space::Semaphore, Add, 0x300), true),
            (Access::object(Space::Semaphore, Read, 0x300), false),
            (Access::object(Space::Semaphore, Add, 0x100), false),
            (Access::object(Space::Process, Write, 0), false),
        ] {
            assert_eq!(a.contains(&access), expected, "{access:?}");
        }
    }

    #[test]
    fn a_set_conflicts_with_single_accesses() {
        use Mode::*;
        let a = set(&[(Space::Memory, Write, 0x100), (Space::Memory, Read, 0x400)], &[(Space::Mutex, Write)]);
        for (access, expected) in [
            (Access::memory(Read, 0x10f, 1), true),
            (Access::memory(Read, 0x110, 8), false),
            (Access::memory(Write, 0xfc, 8), true),
            (Access::memory(Read, 0x404, 4), false),
            (Access::memory(Write, 0x404, 4), true),
            (Access::object(Space::Mutex, Write, 0x100), false),
            (Access::object(Space::Mutex, Write, 0x300), true),
            (Access::object(Space::Process, Write, 0), true),
        ] {
            assert_eq!(a.conflicts_with(&access), expected, "{access:?}");
        }
    }
}
