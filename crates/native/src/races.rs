//! Data races by C11's happens-before: FastTrack (Flanagan, Freund, PLDI 2009) as the virtual machine has it, without a way
//! back: an execution begins with nothing, and a prefix that is executed again builds everything anew, or from where a copy of
//! the program was kept.
//!
//! Atomic accesses are accesses, too: they do not race with each other, but with plain ones. It is exact to the byte. An
//! access is forgotten, byte by byte, once a later one that conflicts with at least as much is ordered after it. What
//! orders two threads stands in `order.rs`.

use smallvec::SmallVec;
use threadbare_core::Tid;

use crate::places::{Clear, Name, Table};

/// How many operations of each thread are known to have happened.
pub type Clock = SmallVec<[u32; 16]>;

/// `to` becomes what `from` is, in the room that it has.
pub fn copy(to: &mut Clock, from: &Clock) {
    to.clear();
    to.extend_from_slice(from);
}

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

/// Where an access is made, and in the top byte the visible operation that makes it: its number plus one, 0 for none.
pub fn place(pc: u64, operation: u64) -> u64 {
    pc | (operation + 1) << 56
}

pub fn place_of(place: u64) -> (u64, Option<u64>) {
    (place << 8 >> 8, (place >> 56).checked_sub(1))
}

#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub bytes: u8,
    pub kind: Kind,
    pub tid: Tid,
    pub time: u32,
    place: u64,
}

/// An earlier access that races with the one that was just made.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    pub tid: Tid,
    pub kind: Kind,
    pub place: u64,
    pub address: u64,
}

/// Words that lie side by side.
const CHUNK: usize = 8;

type Cells = SmallVec<[Cell; 4]>;

/// What is known of a chunk of memory: the accesses to each of its words.
type Chunk = [Cells; CHUNK];

impl Clear for Chunk {
    fn clear(&mut self) {
        self.iter_mut().for_each(Cells::clear);
    }
}

/// The first word of the chunk of a word.
fn first_of(word: u64) -> u64 {
    word / CHUNK as u64 * CHUNK as u64
}

/// The accesses to each word, in chunks by their first words.
#[derive(Default)]
pub struct Shadow {
    chunks: Table<u64, Chunk>,
}

/// What a shadow held: the chunks, with how many cells each had, and all of these, with the words that they are of.
#[derive(Default)]
pub struct KeptShadow {
    chunks: Vec<(Name, u32)>,
    cells: Vec<(u8, Cell)>,
}

impl Shadow {
    pub fn clear(&mut self) {
        self.chunks.clear();
    }

    /// How many bytes a copy has, nearly.
    pub fn size(&self) -> usize {
        self.chunks.len() * CHUNK * size_of::<Cell>()
    }

    pub fn keep(&self, kept: &mut KeptShadow) {
        kept.chunks.clear();
        kept.cells.clear();
        for (name, chunk) in self.chunks.named() {
            let before = kept.cells.len();
            for (word, cells) in (0..).zip(chunk) {
                kept.cells.extend(cells.iter().map(|&cell| (word, cell)));
            }
            kept.chunks.push((name, (kept.cells.len() - before) as u32));
        }
    }

    pub fn restore(&mut self, kept: &KeptShadow) {
        self.chunks.clear();
        let mut cells = &kept.cells[..];
        for &(name, count) in &kept.chunks {
            let (own, others) = cells.split_at(count as usize);
            if let Some(chunk) = self.chunks.revive(name) {
                own.iter().for_each(|&(word, cell)| chunk[usize::from(word)].push(cell));
            }
            cells = others;
        }
    }

    /// The accesses that are not forgotten, with the words that they are of.
    pub fn cells(&self) -> impl Iterator<Item = (u64, &Cell)> {
        let words = self.chunks.iter().flat_map(|(first, chunk)| (first..).zip(chunk));
        words.flat_map(|(word, cells)| cells.iter().map(move |cell| (word, cell)))
    }

    fn cells_of(&self, word: u64) -> impl Iterator<Item = &Cell> {
        let first = first_of(word);
        self.chunks.get(first).into_iter().flat_map(move |chunk| &chunk[(word - first) as usize])
    }

    /// Whether an access of `tid` at its moment `time` adds nothing to what is noted. Of those that are not within a word, none is said.
    pub fn says(&self, tid: Tid, time: u32, address: u64, size: u32, kind: Kind) -> bool {
        if address % 8 + u64::from(size) > 8 {
            return false;
        }
        let bytes = (((1u16 << size) - 1) << (address % 8)) as u8;
        let says =
            |cell: &Cell| (cell.tid, cell.time) == (tid, time) && bytes & !cell.bytes == 0 && cell.kind.covers(kind);
        self.cells_of(address / 8).any(says)
    }

    /// Whether it is noted that a thread accessed a byte there.
    pub fn remembers(&self, tid: Tid, address: u64, pc: u64) -> bool {
        let is_it =
            |cell: &Cell| (cell.tid, place_of(cell.place).0) == (tid, pc) && cell.bytes >> (address % 8) & 1 == 1;
        self.cells_of(address / 8).any(is_it)
    }

    /// Notes an access of `tid`, which has seen so much. The earliest byte that races is told.
    pub fn access(&mut self, tid: Tid, seen: &Clock, address: u64, size: u64, kind: Kind, place: u64) -> Option<Race> {
        let mut race = None;
        let end = address.saturating_add(size);
        let time = seen[tid.index()];
        let is_ordered =
            |cell: &Cell| cell.tid == tid || seen.get(cell.tid.index()).is_some_and(|&time| cell.time <= time);
        let mut at = address;
        while at < end {
            let first = first_of(at / 8);
            let chunk = self.chunks.entry(first);
            for (word, cells) in (at / 8..).zip(&mut chunk[(at / 8 - first) as usize..]) {
                let upto = end.min((word * 8).saturating_add(8));
                let bytes = (((1u16 << (upto - at)) - 1) << (at % 8)) as u8;
                at = upto;
                let cell = Cell { bytes, kind, tid, time, place };
                let mut kept = 0;
                for i in 0..cells.len() {
                    let mut earlier = cells[i];
                    let common = earlier.bytes & bytes;
                    if common != 0 {
                        let ordered = is_ordered(&earlier);
                        if !ordered && earlier.kind.conflicts(kind) && race.is_none() {
                            let address = word * 8 + u64::from(common.trailing_zeros());
                            race = Some(Race { tid: earlier.tid, kind: earlier.kind, place: earlier.place, address });
                        }
                        if ordered && kind.covers(earlier.kind) {
                            earlier.bytes &= !bytes;
                        }
                    }
                    if earlier.bytes != 0 {
                        cells[kept] = earlier;
                        kept += 1;
                    }
                }
                // Nearly always in the place of one that is forgotten.
                if kept < cells.len() {
                    cells[kept] = cell;
                    cells.truncate(kept + 1);
                } else {
                    cells.push(cell);
                }
                if at == end {
                    break;
                }
            }
        }
        race
    }

    /// A thread that has seen so much ends what lies there for good: nothing of it needs to be known any more, and nothing is noted, so
    /// that it costs as much as was accessed. The earliest byte that races is told.
    pub fn end(&mut self, tid: Tid, seen: &Clock, address: u64, size: u64) -> Option<Race> {
        let end = address.saturating_add(size);
        let words = first_of(address / 8)..end.div_ceil(8);
        let noted: SmallVec<[u64; 8]> = if ((words.end - words.start) as usize) < CHUNK * self.chunks.len() {
            words.step_by(CHUNK).collect()
        } else {
            self.chunks.iter().map(|(first, _)| first).filter(|first| words.contains(first)).collect()
        };
        let mut race: Option<Race> = None;
        for first in noted {
            let Some(chunk) = self.chunks.get_mut(first) else { continue };
            for (word, cells) in (first..).zip(chunk) {
                let (from, upto) = (address.clamp(word * 8, word * 8 + 8), end.clamp(word * 8, word * 8 + 8));
                let bytes = ((1u16 << (upto - word * 8)) - (1u16 << (from - word * 8))) as u8;
                cells.retain(|cell| {
                    let common = cell.bytes & bytes;
                    let ordered = cell.tid == tid || seen.get(cell.tid.index()).is_some_and(|&time| cell.time <= time);
                    let at = word * 8 + u64::from(common.trailing_zeros());
                    if common != 0 && !ordered && race.is_none_or(|race| at < race.address) {
                        race = Some(Race { tid: cell.tid, kind: cell.kind, place: cell.place, address: at });
                    }
                    cell.bytes &= !bytes;
                    cell.bytes != 0
                });
            }
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
        assert_eq!(race.map(|race| race.place), Some(1));
    }

    #[test]
    fn the_end_of_an_object_races_with_whoever_is_not_ordered_before_and_leaves_nothing_of_it() {
        for size in [100, 1 << 30] {
            let mut shadow = Shadow::default();
            let (start, end) = (0x1004, 0x1004 + size);
            let outside = [(start - 2, 2), (end, 1)];
            for (address, bytes) in outside.into_iter().chain([(start, 2), (0x1047, 1), (end - 1, 1)]) {
                assert!(shadow.access(Tid(0), &clock(&[1]), address, bytes, Kind::PlainRead, 7).is_none());
            }
            // Who has seen them, who has not, and then there is nobody left to race with.
            let mut seen = Shadow::default();
            seen.access(Tid(0), &clock(&[1]), start, 8, Kind::PlainWrite, 7);
            assert!(seen.end(Tid(1), &clock(&[1, 1]), start, size).is_none());
            let race = shadow.end(Tid(1), &clock(&[0, 1]), start, size).expect("a race");
            assert_eq!((race.address, race.tid, race.place), (start, Tid(0), 7));
            assert!(shadow.end(Tid(1), &clock(&[0, 1]), start, size).is_none());
            for (address, bytes) in outside {
                let race = shadow.access(Tid(1), &clock(&[0, 1]), address, bytes, Kind::PlainWrite, 8);
                assert_eq!(race.map(|race| race.address), Some(address));
            }
        }
    }
}
