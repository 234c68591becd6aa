//! The memory of accesses: a cell for each word of eight bytes that somebody touched.
//!
//! Cells belong to objects by their ids, and are given out when an object is first looked at: whole objects up to 32 KiB,
//! larger ones in chunks of that size through a directory.

use memmap2::{MmapMut, MmapOptions};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Now;
use super::access::{Access, PLAIN_READ, conflict, covers};
use super::clocks::Clocks;
use crate::memory::{Addr, OFFSET_BITS};

const IDS: usize = 1 << 24;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;
const PAGE_WORDS: u64 = 1 << (OFFSET_BITS - 3);

/// What the table says of an id (of a page of 16 MiB): nothing known yet, not to be looked at, or where its cells start;
/// with the top bit, where its directory starts.
const UNKNOWN: u32 = 0;
const UNSHARED: u32 = 1;
const FIRST: u32 = 2;
const DIRECTORY: u32 = 1 << 31;

const CHUNK_BITS: u32 = 12;
const CHUNK: u64 = 1 << CHUNK_BITS;

/// Marks a cell whose accesses are in a list; `pc` of the first is its number.
const LIST: u64 = 0x80;

type List = SmallVec<[Access; 6]>;

/// The accesses of a word that still matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cell([Access; 2]);

/// Two accesses that nothing orders; the earlier one, and the first byte that both touch.
#[derive(Clone, Copy, Debug)]
pub struct Clash {
    pub address: Addr,
    pub earlier: Access,
}

#[derive(Clone, Copy)]
pub struct MarkPoint {
    changes: usize,
    cells: usize,
    lists: usize,
    directories: usize,
    directory_log: usize,
    known: usize,
}

#[derive(Default)]
pub struct Shadow {
    _map: Option<MmapMut>,
    table: Table,
    cells: Vec<Cell>,
    lists: Vec<List>,
    directories: Vec<u32>,
    /// Ids that have been given cells or a directory, oldest first; some may have lost them again.
    known: Vec<u32>,
    /// What is free while nobody can go back: blocks of cells by the logarithm of their length, lists.
    free_cells: [Vec<u32>; CHUNK_BITS as usize + 1],
    free_lists: Vec<u32>,
    changes: Vec<(u32, Cell)>,
    directory_log: Vec<u32>,
    /// Somebody may go back.
    marked: bool,
    /// Cells and lists from here on are younger than the last mark: nobody wants them back as they were.
    young_cells: usize,
    young_lists: usize,
    /// The words of each id for which there are cells, where cells outlive their objects.
    room: Option<FxHashMap<u64, u64>>,
    /// Grows with every plain access that said something new, and with every end of an object.
    pub looked: u64,
}

/// How many words of an object lie in a page of it.
fn words_of_page(page: u64, object: u64, size: u64) -> u64 {
    (size - ((page - object) << OFFSET_BITS)).div_ceil(8).clamp(1, PAGE_WORDS)
}

/// The map of ids, reserved as a whole and touched where needed.
struct Table(*mut u32);

impl Default for Table {
    fn default() -> Self {
        Table(std::ptr::null_mut())
    }
}

// SAFETY: the pointer is into a map that `Shadow` owns.
unsafe impl Send for Table {}

#[derive(Clone)]
pub struct SavedShadow {
    table: Vec<(u32, u32)>,
    cells: Vec<Cell>,
    lists: Vec<List>,
    directories: Vec<u32>,
    room: Option<FxHashMap<u64, u64>>,
}

impl Shadow {
    pub fn new() -> std::io::Result<Shadow> {
        let mut map = MmapOptions::new().len(IDS * size_of::<u32>()).no_reserve_swap().map_anon()?;
        Ok(Shadow {
            table: Table(map.as_mut_ptr().cast()),
            _map: Some(map),
            cells: vec![Cell::default(); FIRST as usize],
            directories: vec![0],
            ..Shadow::default()
        })
    }

    fn entry(&mut self, id: u64) -> &mut u32 {
        assert!((id as usize) < IDS && !self.table.0.is_null());
        // SAFETY: within the map; its pages are zero, that is `UNKNOWN`, at first.
        unsafe { &mut *self.table.0.add(id as usize) }
    }

    /// Whether an access of `N` bytes need not be looked at. The address is that of an access that went well.
    #[inline(always)]
    pub fn has_said<const N: usize, const KIND: u8>(&self, now: u64, address: Addr) -> bool {
        // SAFETY: an address of an object has an id within the table, and an object's words have cells.
        unsafe {
            let start = *self.table.0.add((address >> OFFSET_BITS) as usize);
            if start < FIRST {
                return start == UNSHARED;
            }
            let word = ((address & OFFSET_MASK) >> 3) as usize;
            let at = if start < DIRECTORY {
                start as usize + word
            } else {
                let directory = (start & !DIRECTORY) as usize + (word >> CHUNK_BITS);
                *self.directories.get_unchecked(directory) as usize + (word & (CHUNK as usize - 1))
            };
            let Cell([first, second]) = self.cells.get_unchecked(at);
            let bytes = ((1u64 << N) - 1) << (address & 7);
            first.says(now, bytes, KIND) || second.says(now, bytes, KIND)
        }
    }

    /// The id is another object's from now on: whether that one matters is not known yet.
    pub fn forget_decision(&mut self, id: u64, pages: u64) {
        for id in id..id + pages {
            let entry = self.entry(id);
            if *entry == UNSHARED {
                *entry = UNKNOWN;
            }
        }
    }

    /// Cells are going to outlive their objects.
    pub fn keep_sizes(&mut self) {
        self.room = Some(FxHashMap::default());
    }

    /// Whether the page of an object whose first page is `object` has cells, of an earlier object, and too few: they are
    /// forgotten.
    pub fn make_room(&mut self, page: u64, object: u64, size: u64) -> bool {
        let words = words_of_page(page, object, size);
        let too_few = *self.entry(page) >= FIRST && self.room.as_ref().is_some_and(|room| room[&page] < words);
        if too_few {
            *self.entry(page) = UNKNOWN;
        }
        too_few
    }

    fn start_of(&self, id: u64) -> u32 {
        assert!((id as usize) < IDS && !self.table.0.is_null());
        // SAFETY: as in `entry`.
        unsafe { *self.table.0.add(id as usize) }
    }

    /// Where the cell of a word is, if it is known. `Err(true)`: never to be looked at.
    pub fn find(&self, address: Addr) -> Result<usize, bool> {
        let start = self.start_of(address >> OFFSET_BITS);
        let word = (address & OFFSET_MASK) >> 3;
        match start {
            UNKNOWN => Err(false),
            UNSHARED => Err(true),
            start if start < DIRECTORY => Ok(start as usize + word as usize),
            start => {
                let directory = (start & !DIRECTORY) as usize + (word >> CHUNK_BITS) as usize;
                match self.directories[directory] {
                    0 => Err(false),
                    chunk => Ok(chunk as usize + (word & (CHUNK - 1)) as usize),
                }
            }
        }
    }

    /// The accesses of a word that are remembered.
    pub fn accesses_of(&self, word: Addr) -> Vec<Access> {
        let Ok(at) = self.find(word) else { return Vec::new() };
        let Cell(inline) = &self.cells[at];
        let list = if inline[0].key == LIST { &self.lists[inline[0].pc as usize] } else { &inline[..] };
        list.iter().copied().filter(|access| access.bytes() != 0).collect()
    }

    /// Tells every remembered access of the objects that are there still: `extent` says where the one at the start of a
    /// page begins, and how long it is.
    pub fn each(&self, extent: impl Fn(Addr) -> Option<(Addr, u64)>, mut told: impl FnMut(Addr, Access)) {
        let mut tell = |start: u32, words: u64, address: Addr| {
            for word in 0..words {
                for &access in self.accesses(start as usize + word as usize).iter().filter(|a| a.bytes() != 0) {
                    told(address + 8 * word, access);
                }
            }
        };
        for &id in &self.known {
            // SAFETY: an id that was given out.
            let start = unsafe { *self.table.0.add(id as usize) };
            let page = u64::from(id) << OFFSET_BITS;
            let Some((object, size)) = extent(page).filter(|_| start >= FIRST) else { continue };
            let words = words_of_page(id.into(), object >> OFFSET_BITS, size);
            if start < DIRECTORY {
                tell(start, words, page);
                continue;
            }
            for (i, from) in (0..words).step_by(CHUNK as usize).enumerate() {
                match self.directories[(start & !DIRECTORY) as usize + i] {
                    0 => {}
                    chunk => tell(chunk, CHUNK.min(words - from), page + 8 * from),
                }
            }
        }
    }

    /// Where cells outlive their objects: tells every access that is remembered.
    pub fn each_noted(&self, told: impl FnMut(Addr, Access)) {
        let words = |page: Addr| self.room.as_ref()?.get(&(page >> OFFSET_BITS));
        self.each(|page| words(page).map(|&words| (page, 8 * words)), told);
    }

    /// The same of a word.
    pub fn noted_of(&self, word: Addr) -> Vec<Access> {
        let has_cell = |room: &FxHashMap<u64, u64>| {
            room.get(&(word >> OFFSET_BITS)).is_some_and(|&words| (word & OFFSET_MASK) >> 3 < words)
        };
        if self.room.as_ref().is_some_and(has_cell) { self.accesses_of(word) } else { Vec::new() }
    }

    /// Whether an access of its first page was ever noted.
    pub fn is_looked_after(&self, object: Addr) -> bool {
        self.start_of(object >> OFFSET_BITS) >= FIRST
    }

    pub fn leave_alone(&mut self, address: Addr) {
        *self.entry(address >> OFFSET_BITS) = UNSHARED;
    }

    /// Makes cells for the word at `address` of the object that starts at `object` and has `size` bytes.
    pub fn make(&mut self, address: Addr, object: Addr, size: u64) -> usize {
        let id = address >> OFFSET_BITS;
        let words = words_of_page(id, object >> OFFSET_BITS, size);
        if *self.entry(id) == UNKNOWN {
            if let Some(room) = &mut self.room {
                room.insert(id, words);
            }
            let start = if words <= CHUNK {
                self.take_cells(words)
            } else {
                let start = self.directories.len() as u32;
                self.directories.resize(self.directories.len() + words.div_ceil(CHUNK) as usize, 0);
                start | DIRECTORY
            };
            *self.entry(id) = start;
            self.note(id);
        }
        let start = *self.entry(id);
        if start >= DIRECTORY {
            let word = (address & OFFSET_MASK) >> 3;
            let directory = (start & !DIRECTORY) as usize + (word >> CHUNK_BITS) as usize;
            if self.directories[directory] == 0 {
                let chunk = self.take_cells(CHUNK);
                self.directories[directory] = chunk;
                if self.marked {
                    self.directory_log.push(directory as u32);
                }
            }
        }
        self.find(address).expect("just made")
    }

    fn note(&mut self, id: u64) {
        // Without marks objects come and go: forget those that went.
        if !self.marked && self.known.len() == self.known.capacity() && self.known.len() > 1024 {
            let table = self.table.0;
            // SAFETY: ids that were given out.
            self.known.retain(|&id| unsafe { *table.add(id as usize) } >= FIRST);
            self.known.reserve(self.known.len() + 1);
        }
        self.known.push(id as u32);
    }

    fn take_cells(&mut self, words: u64) -> u32 {
        if !self.marked
            && let Some(start) = self.free_cells[class_of(words)].pop()
        {
            return start;
        }
        let start = self.cells.len();
        let words = words.next_power_of_two() as usize;
        assert!(start + words < DIRECTORY as usize, "too much memory to look after");
        self.cells.resize(start + words, Cell::default());
        start as u32
    }

    /// Notes an access of some bytes of the word of cell `at`, unless it races with an earlier one.
    #[inline]
    pub fn record(&mut self, at: usize, new: Access, now: &Now, clocks: &Clocks) -> Result<(), Access> {
        let Cell([first, second]) = self.cells[at];
        let has_said = |earlier: Access| earlier.says(now.key, new.bytes().into(), new.kind());
        if has_said(first) || has_said(second) {
            return Ok(());
        }
        if first.key == LIST {
            return self.record_in_list(at, first.pc, new, now, clocks);
        }
        self.looked += u64::from(new.kind() & PLAIN_READ);
        let (mut first, mut second) = (meet(first, new, now, clocks)?, meet(second, new, now, clocks)?);
        let mut merged = new;
        for earlier in [&mut first, &mut second] {
            if earlier.is_like(new) {
                merged = merged.with(earlier.bytes());
                *earlier = Access::default();
            }
        }
        if first.bytes() == 0 {
            self.set(at, Cell([merged, second]));
        } else if second.bytes() == 0 {
            self.set(at, Cell([first, merged]));
        } else {
            self.new_list(at, [first, second, merged].into_iter().collect());
        }
        Ok(())
    }

    #[inline(never)]
    fn record_in_list(&mut self, at: usize, list: u32, new: Access, now: &Now, clocks: &Clocks) -> Result<(), Access> {
        let accesses = &self.lists[list as usize];
        if accesses.iter().any(|earlier| earlier.says(now.key, new.bytes().into(), new.kind())) {
            return Ok(());
        }
        self.looked += u64::from(new.kind() & PLAIN_READ);
        let mut kept = List::new();
        let mut merged = new;
        for &earlier in accesses {
            let rest = meet(earlier, new, now, clocks)?;
            if rest.is_like(new) {
                merged = merged.with(rest.bytes());
            } else if rest.bytes() != 0 {
                kept.push(rest);
            }
        }
        kept.push(merged);
        if kept.len() <= 2 {
            if !self.marked {
                self.free_lists.push(list);
            }
            self.set(at, Cell([kept[0], kept.get(1).copied().unwrap_or_default()]));
        } else if list as usize >= self.young_lists {
            self.lists[list as usize] = kept;
        } else {
            self.new_list(at, kept);
        }
        Ok(())
    }

    /// An access of the cell counts no more: it has raced with another one, which does.
    pub fn forget(&mut self, at: usize, access: Access) {
        let kept: List = self.accesses(at).iter().copied().filter(|&a| a != access && a.bytes() != 0).collect();
        match kept.len() {
            0..=2 => {
                let one = |i: usize| kept.get(i).copied().unwrap_or_default();
                self.set(at, Cell([one(0), one(1)]));
            }
            _ => self.new_list(at, kept),
        }
    }

    fn new_list(&mut self, at: usize, accesses: List) {
        let free = if self.marked { None } else { self.free_lists.pop() };
        let number = match free {
            Some(number) => {
                self.lists[number as usize] = accesses;
                number
            }
            None => {
                self.lists.push(accesses);
                self.lists.len() as u32 - 1
            }
        };
        self.set(at, Cell([Access { key: LIST, pc: number, stack: 0 }, Access::default()]));
    }

    #[inline]
    fn set(&mut self, at: usize, cell: Cell) {
        if at < self.young_cells {
            self.changes.push((at as u32, self.cells[at]));
        }
        self.cells[at] = cell;
    }

    fn accesses(&self, at: usize) -> &[Access] {
        let Cell(inline) = &self.cells[at];
        if inline[0].key == LIST { &self.lists[inline[0].pc as usize] } else { inline }
    }

    /// The object ends: the first byte of it whose access does not happen before now, if there is one.
    pub fn find_unordered(&mut self, object: Addr, size: u64, now: &Now, clocks: &Clocks) -> Option<Clash> {
        let mut address = object;
        while address < object + size {
            match self.find(address) {
                Ok(at) => {
                    let unordered = |a: &&Access| a.bytes() != 0 && !is_ordered(**a, now, clocks);
                    let first_byte = |a: &&Access| a.bytes().trailing_zeros();
                    if let Some(&earlier) = self.accesses(at).iter().filter(unordered).min_by_key(first_byte) {
                        let address = address + u64::from(earlier.bytes().trailing_zeros());
                        return Some(Clash { address, earlier });
                    }
                    address += 8;
                }
                // Nothing is known of this chunk, which is the whole page if that is small.
                Err(_) => address = (address | (CHUNK * 8 - 1)) + 1,
            }
        }
        None
    }

    /// The object is gone. If nobody can go back, so are its cells.
    pub fn drop_object(&mut self, object: Addr, size: u64) {
        if self.marked {
            return;
        }
        for page in 0..=size >> OFFSET_BITS {
            let id = (object >> OFFSET_BITS) + page;
            let start = std::mem::replace(self.entry(id), UNKNOWN);
            let words = (size - (page << OFFSET_BITS)).div_ceil(8).clamp(1, PAGE_WORDS);
            if start < FIRST {
                continue;
            }
            if start < DIRECTORY {
                self.give_cells(start, words);
                continue;
            }
            let directory = (start & !DIRECTORY) as usize;
            for i in directory..directory + words.div_ceil(CHUNK) as usize {
                let chunk = std::mem::take(&mut self.directories[i]);
                if chunk != 0 {
                    self.give_cells(chunk, CHUNK);
                }
            }
        }
    }

    /// Nothing is remembered of the object any more.
    pub fn clear(&mut self, object: Addr, size: u64) {
        for word in (object..object + size).step_by(8) {
            if let Ok(at) = self.find(word)
                && self.cells[at] != Cell::default()
            {
                self.set(at, Cell::default());
            }
        }
    }

    fn give_cells(&mut self, start: u32, words: u64) {
        for at in start as usize..(start as u64 + words) as usize {
            let Cell([first, _]) = std::mem::take(&mut self.cells[at]);
            if first.key == LIST {
                self.free_lists.push(first.pc);
            }
        }
        self.free_cells[class_of(words)].push(start);
    }

    pub fn mark(&mut self) -> MarkPoint {
        let mark = MarkPoint {
            changes: self.changes.len(),
            cells: self.cells.len(),
            lists: self.lists.len(),
            directories: self.directories.len(),
            directory_log: self.directory_log.len(),
            known: self.known.len(),
        };
        self.be_at(mark);
        mark
    }

    fn be_at(&mut self, mark: MarkPoint) {
        self.marked = true;
        self.young_cells = mark.cells;
        self.young_lists = mark.lists;
    }

    pub fn rewind(&mut self, mark: MarkPoint) {
        while self.changes.len() > mark.changes {
            let (at, old) = self.changes.pop().expect("longer than the mark");
            self.cells[at as usize] = old;
        }
        while self.directory_log.len() > mark.directory_log {
            let directory = self.directory_log.pop().expect("longer than the mark");
            self.directories[directory as usize] = 0;
        }
        while self.known.len() > mark.known {
            let id = self.known.pop().expect("longer than the mark");
            *self.entry(id.into()) = UNKNOWN;
        }
        self.cells.truncate(mark.cells);
        self.lists.truncate(mark.lists);
        self.directories.truncate(mark.directories);
        self.be_at(mark);
    }

    pub fn save(&self) -> SavedShadow {
        // SAFETY: ids that were given out.
        let entry = |&id: &u32| (id, unsafe { *self.table.0.add(id as usize) });
        SavedShadow {
            table: self.known.iter().map(entry).filter(|&(_, start)| start >= FIRST).collect(),
            cells: self.cells.clone(),
            lists: self.lists.clone(),
            directories: self.directories.clone(),
            room: self.room.clone(),
        }
    }

    pub fn restore(&mut self, saved: &SavedShadow) {
        for id in std::mem::take(&mut self.known) {
            *self.entry(id.into()) = UNKNOWN;
        }
        for &(id, start) in &saved.table {
            *self.entry(id.into()) = start;
            self.known.push(id);
        }
        *self = Shadow {
            _map: self._map.take(),
            table: std::mem::take(&mut self.table),
            known: std::mem::take(&mut self.known),
            cells: saved.cells.clone(),
            lists: saved.lists.clone(),
            directories: saved.directories.clone(),
            room: saved.room.clone(),
            ..Shadow::default()
        };
    }
}

impl SavedShadow {
    /// The accesses of every word that has some, in an order of their own.
    pub fn contents(&self) -> Vec<(Addr, Vec<Access>)> {
        let mut words = Vec::new();
        let mut add = |start: usize, length: usize, address: Addr| {
            for (i, Cell(inline)) in self.cells.iter().skip(start).take(length).enumerate() {
                let list = if inline[0].key == LIST { &self.lists[inline[0].pc as usize] } else { &inline[..] };
                let mut list: Vec<Access> = list.iter().copied().filter(|access| access.bytes() != 0).collect();
                list.sort_by_key(|access| (access.key, access.pc));
                if !list.is_empty() {
                    words.push((address + 8 * i as u64, list));
                }
            }
        };
        let mut starts: Vec<usize> = self.table.iter().map(|&(_, start)| start as usize).collect();
        starts.extend(self.directories.iter().map(|&chunk| chunk as usize));
        starts.push(self.cells.len());
        starts.sort_unstable();
        // Blocks lie one behind the other: one ends where the next begins.
        let length = |start: usize| starts[starts.partition_point(|&s| s <= start)] - start;
        let directories: Vec<usize> =
            self.table.iter().filter(|t| t.1 >= DIRECTORY).map(|t| (t.1 & !DIRECTORY) as usize).collect();
        let directory_end =
            |start: usize| directories.iter().copied().filter(|&d| d > start).min().unwrap_or(self.directories.len());
        for &(id, start) in &self.table {
            let address = u64::from(id) << OFFSET_BITS;
            if start < DIRECTORY {
                add(start as usize, length(start as usize), address);
                continue;
            }
            let first = (start & !DIRECTORY) as usize;
            for i in first..directory_end(first) {
                if self.directories[i] != 0 {
                    add(self.directories[i] as usize, CHUNK as usize, address + (i - first) as u64 * CHUNK * 8);
                }
            }
        }
        words.sort_by_key(|&(address, _)| address);
        words
    }
}

fn class_of(words: u64) -> usize {
    words.next_power_of_two().trailing_zeros() as usize
}

#[inline(always)]
fn is_ordered(earlier: Access, now: &Now, clocks: &Clocks) -> bool {
    (earlier.key ^ now.key) as u32 >> 16 == 0 || earlier.clock() <= clocks.get(now.seen, earlier.tid().0)
}

/// A new access meets an earlier one of the same word: what is left of the earlier one, or the race.
#[inline(always)]
fn meet(earlier: Access, new: Access, now: &Now, clocks: &Clocks) -> Result<Access, Access> {
    if earlier.bytes() & new.bytes() == 0 {
        return Ok(earlier);
    }
    if !is_ordered(earlier, now, clocks) {
        return if conflict(earlier.kind(), new.kind()) { Err(earlier) } else { Ok(earlier) };
    }
    Ok(if covers(new.kind(), earlier.kind()) { earlier.without(new.bytes()) } else { earlier })
}
