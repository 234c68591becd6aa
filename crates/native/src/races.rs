//! Data races by C11's happens-before: FastTrack (Flanagan, Freund, PLDI 2009) as the virtual machine has it, without a way
//! back: an execution begins with nothing, and a prefix that is executed again builds everything anew.
//!
//! Atomic accesses are accesses, too: they do not race with each other, but with plain ones. It is exact to the byte. An
//! access is forgotten, byte by byte, once a later one that conflicts with at least as much is ordered after it. What
//! orders two threads stands in `order.rs`.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use threadbare_core::Tid;

/// How many operations of each thread are known to have happened.
pub type Clock = SmallVec<[u32; 8]>;

pub fn join(into: &mut Clock, other: &Clock) {
    if into.len() < other.len() {
        into.resize(other.len(), 0);
    }
    into.iter_mut().zip(other).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    PlainRead,
    PlainWrite,
    AtomicRead,
    AtomicWrite,
}

impl Kind {
    fn is_plain(self) -> bool {
        matches!(self, Kind::PlainRead | Kind::PlainWrite)
    }

    pub fn writes(self) -> bool {
        matches!(self, Kind::PlainWrite | Kind::AtomicWrite)
    }

    fn conflicts(self, other: Kind) -> bool {
        (self.writes() || other.writes()) && (self.is_plain() || other.is_plain())
    }

    /// Whatever conflicts with `other` conflicts with this one.
    fn covers(self, other: Kind) -> bool {
        self == other
            || self == Kind::PlainWrite
            || (other == Kind::AtomicRead && matches!(self, Kind::PlainRead | Kind::AtomicWrite))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub bytes: u8,
    pub kind: Kind,
    pub tid: Tid,
    pub time: u32,
    pc: u64,
}

/// An earlier access that races with the one that was just made.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    pub tid: Tid,
    pub kind: Kind,
    pub pc: u64,
    pub address: u64,
}

#[derive(Clone, Default)]
pub struct Shadow {
    words: FxHashMap<u64, SmallVec<[Cell; 2]>>,
}

impl Shadow {
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// The accesses that are not forgotten, with the words that they are of.
    pub fn cells(&self) -> impl Iterator<Item = (u64, &Cell)> {
        self.words.iter().flat_map(|(word, cells)| cells.iter().map(|cell| (*word, cell)))
    }

    /// Notes an access of `tid`, which has seen so much. The earliest byte that races is told.
    pub fn access(&mut self, tid: Tid, seen: &Clock, address: u64, size: u64, kind: Kind, pc: u64) -> Option<Race> {
        let mut race = None;
        let end = address.saturating_add(size);
        let mut at = address;
        while at < end {
            let word = at / 8;
            let upto = end.min((word * 8).saturating_add(8));
            let bytes = (((1u16 << (upto - at)) - 1) << (at % 8)) as u8;
            let cells = self.words.entry(word).or_default();
            let mut known = false;
            cells.retain(|cell| {
                let common = cell.bytes & bytes;
                if common == 0 {
                    return true;
                }
                let ordered = cell.tid == tid || seen.get(cell.tid.index()).is_some_and(|&time| cell.time <= time);
                if !ordered && cell.kind.conflicts(kind) && race.is_none() {
                    let address = word * 8 + u64::from(common.trailing_zeros());
                    race = Some(Race { tid: cell.tid, kind: cell.kind, pc: cell.pc, address });
                }
                if ordered && kind.covers(cell.kind) {
                    cell.bytes &= !bytes;
                }
                known |= cell.bytes & bytes == bytes && cell.tid == tid && cell.kind == kind;
                cell.bytes != 0
            });
            if !known {
                cells.push(Cell { bytes, kind, tid, time: seen[tid.index()], pc });
            }
            at = upto;
        }
        race
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(times: &[u32]) -> Clock {
        SmallVec::from_slice(times)
    }

    #[test]
    fn two_accesses_race_unless_ordered_or_both_read_or_both_atomic() {
        use Kind::*;
        for (first, second, races) in [
            (PlainRead, PlainRead, false),
            (PlainRead, PlainWrite, true),
            (PlainWrite, PlainRead, true),
            (AtomicWrite, AtomicWrite, false),
            (AtomicWrite, PlainRead, true),
            (AtomicRead, PlainRead, false),
            (AtomicRead, PlainWrite, true),
        ] {
            for ordered in [false, true] {
                let mut shadow = Shadow::default();
                assert!(shadow.access(Tid(0), &clock(&[1]), 0x1003, 4, first, 1).is_none());
                let seen = clock(&[u32::from(ordered), 1]);
                let found = shadow.access(Tid(1), &seen, 0x1006, 8, second, 2);
                assert_eq!(found.is_some(), races && !ordered, "{first:?} {second:?} {ordered}");
                // Beside it there is nothing.
                assert!(shadow.access(Tid(2), &clock(&[0, 0, 1]), 0x100e, 1, PlainWrite, 3).is_none());
            }
        }
    }

    #[test]
    fn a_read_is_not_forgotten_for_an_atomic_write_behind_it() {
        let mut shadow = Shadow::default();
        shadow.access(Tid(0), &clock(&[1]), 8, 8, Kind::PlainRead, 1);
        assert!(shadow.access(Tid(1), &clock(&[1, 1]), 8, 8, Kind::AtomicWrite, 2).is_none());
        // It has seen the second, not the first: that cannot be, but shows that the first is there.
        let race = shadow.access(Tid(2), &clock(&[0, 1, 1]), 8, 8, Kind::AtomicWrite, 3);
        assert_eq!(race.map(|race| race.pc), Some(1));
    }
}
