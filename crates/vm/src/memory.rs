//! The program's memory: objects with identities, checked accesses, and a log that takes every change back.
//!
//! An address has 48 bits, as on x86-64, so that programs that pack tags into the top 16 bits work: 24 bits of object
//! id above 24 bits of offset. Object 0 does not exist, so that null and small integers are invalid; an object of
//! 16 MiB or more takes several consecutive ids. One compare of the offset with the length in the object table catches
//! null, out of bounds and use after free alike: dead objects have length 0.
//!
//! Ids are given out per thread, lowest free one first, so that they do not depend on the order in which different
//! threads allocate. The id of a freed heap object rests until the end; that of a stack object rests if its address
//! may have escaped its frame. Contents live in a flat region that only this module knows: an id may move, the
//! address cannot.
//!
//! Every change is logged as (address, old, new) and taken back in reverse order. The same log feeds the 128-bit
//! fingerprint: it is folded in when somebody asks, so a search without stored states pays nothing for it.
//!
//! What a fresh object holds is undefined. One bit a byte remembers what was written.

mod access;
mod blocks;
mod fingerprint;
mod held;
mod objects;
mod range;
mod reuse;
mod saved;
#[cfg(test)]
mod tests;
mod undo;

use std::sync::{Arc, Mutex};

use memmap2::{MmapMut, MmapOptions};
use rustc_hash::FxHashMap;
use threadbare_core::{Fingerprint, Tid};

use crate::races::Races;
use crate::symmetry::Alike;
pub use access::all_init;
pub use saved::SavedMemory;

pub type Addr = u64;

pub const OFFSET_BITS: u32 = 24;
/// Objects have fewer bytes than that.
pub const LARGEST: u64 = u32::MAX as u64;
const PAGE: u64 = 1 << OFFSET_BITS;
const OFFSET_MASK: u64 = PAGE - 1;
const IDS: u64 = 1 << 24;
/// Ids come in arenas of 4096: one for each thread, more for those that need more.
const ARENA_BITS: u32 = 12;
const ARENA_IDS: u32 = 1 << ARENA_BITS;
/// Which of its ids are in use, in words of a bit each.
const ARENA_WORDS: usize = ARENA_IDS as usize / 64;
const THREAD_ARENAS: u32 = 2048;
/// How many arenas of ids a thread fills before those of freed objects are used again.
const RESTING_ARENAS: usize = 256;
/// Globals and functions have ids of their own at the top.
const FIRST_GLOBAL_ARENA: u32 = 0xE00;
const FIRST_CODE_ARENA: u32 = 0xF00;
/// How many threads there may be in an execution that one can go back in. Without that, the ids of those that are gone serve
/// others.
pub const MAX_THREADS: usize = THREAD_ARENAS as usize;

/// The address of function `index`; offset `1 + b` is its basic block `b`.
pub fn code_address(index: u32) -> Addr {
    (u64::from(FIRST_CODE_ARENA << ARENA_BITS) + u64::from(index)) << OFFSET_BITS
}

/// The function and offset that a code address names.
pub fn code_target(address: Addr) -> Option<(u32, u32)> {
    let id = address >> OFFSET_BITS;
    let first = u64::from(FIRST_CODE_ARENA << ARENA_BITS);
    (first..IDS).contains(&id).then(|| ((id - first) as u32, (address & OFFSET_MASK) as u32))
}

/// What the fast path needs of an object, for each of its pages.
#[derive(Clone, Copy)]
#[repr(C)]
struct Entry {
    /// Where its bytes start in the region.
    base: u64,
    /// Bytes from here to the end of the object; 0 when dead.
    length: u32,
    /// The same for writing; 0 for constants.
    writable: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum ObjectKind {
    /// Never used.
    None,
    Global,
    ThreadLocal,
    Heap,
    Stack,
}

impl ObjectKind {
    /// What `kind as u8` was.
    fn of(number: u8) -> ObjectKind {
        use ObjectKind::*;
        [None, Global, ThreadLocal, Heap, Stack][usize::from(number)]
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Life {
    Unused,
    Live,
    Freed,
    /// The block of a local variable has been left, and may be entered again: its place is kept.
    Left,
}

/// A heap block of the library that it hands from one thread to the next, in order: nobody else can reach it.
pub const OWN_BLOCK: u32 = 1;

/// What reports need of an object.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Object {
    pub size: u64,
    /// Code positions of the allocation and the release.
    pub allocated_at: u64,
    pub freed_at: u64,
    /// Which global, thread-local or alloca site it is; of the heap: whether it is an `OWN_BLOCK`.
    pub detail: u32,
    /// How many marks there were when it was made.
    born: u32,
    pub owner: Tid,
    pub kind: ObjectKind,
    pub life: Life,
    /// The id is kept out of use after the object is gone.
    pub quarantine: bool,
}

impl Object {
    pub fn is_own_block(&self) -> bool {
        self.kind == ObjectKind::Heap && self.detail == OWN_BLOCK
    }
}

/// An access that cannot be: the address, how many bytes, and whether it was to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadAccess {
    pub address: Addr,
    pub bytes: u64,
    pub write: bool,
}

/// Why an allocation failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AllocError {
    /// The limit on the memory of the program is reached.
    MemoryLimit,
    /// No ids are left.
    TooManyObjects,
}

/// A change as the log keeps it. The top 16 bits of the address, free in an address, say what kind of change it is.
#[derive(Clone, Copy)]
struct Change {
    place: u64,
    old: u64,
    new: u64,
}

/// A point of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogPosition {
    length: usize,
    compactions: u64,
}

/// A change as it is told to others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Changed {
    Word(Addr),
    /// An object of that kind was made or is gone.
    Objects(ObjectKind),
    /// Of the machine's own state.
    Outside(u64, u64),
}

const TAG_SHIFT: u32 = 48;
const WORD: u64 = 0;
const INIT: u64 = 1;
const ALLOC: u64 = 2;
const FREE: u64 = 3;
const PARTIAL: u64 = 4;
const BLOCK: u64 = 5;
const HELD: u64 = 6;
const RANGE: u64 = 7;
const SPARE: u64 = 8;
/// Changes of this tag and above are taken back by the machine, which knows threads.
pub const OUTSIDE: u64 = 9;

#[derive(Clone, Copy)]
struct MarkPoint {
    changes: usize,
    saves: usize,
    hash: Fingerprint,
}

/// Which ids of a thread are in use.
#[derive(Clone, Default)]
struct Ids {
    arenas: Vec<u32>,
    used: Vec<u64>,
    /// No free id before this word.
    hint: usize,
    /// From so many arenas on, ids of objects that were freed are looked for.
    recycle_from: usize,
}

/// The arenas that any machine has given to each thread besides its first, and the next free one.
#[derive(Clone)]
pub struct CommonArenas(Arc<Mutex<(Vec<Vec<u32>>, u32)>>);

const SMALL_CLASSES: usize = 64;
const CLASSES: usize = SMALL_CLASSES + 48;

pub struct Memory {
    // The maps are what the raw pointers below point into: never moved, dropped with them.
    _maps: [MmapMut; 4],
    table: *mut Entry,
    objects: *mut Object,
    bytes: *mut u8,
    init: *mut u8,
    limit: u64,
    /// Where untouched, all-zero region starts.
    fresh: u64,
    in_use: u64,
    blocks: Vec<Vec<u64>>,
    ids: Vec<Ids>,
    next_arena: u32,
    /// Arenas that were taken back from threads that need them no more.
    empty_arenas: Vec<u32>,
    /// Where several machines must agree on addresses.
    common_arenas: Option<CommonArenas>,
    /// The undefined bits of bytes that are undefined only in part; they count as not initialised.
    partial: FxHashMap<Addr, u8>,
    /// The freed objects of each thread, and whether some of them may be used again.
    rest: Vec<reuse::Rest>,
    many_rest: bool,
    /// The same of variables on stacks.
    variables_rest: bool,
    /// The bytes of global variables that can be written.
    globals: u64,
    leaves_places: bool,
    /// The locks that somebody holds, in order.
    held: Vec<held::Held>,
    changes: Vec<Change>,
    /// `changes` is looked after when it reaches this length, for which it has room.
    compact_at: usize,
    /// How often that has happened.
    compactions: u64,
    saves: Vec<u64>,
    /// The long ranges whose contents at the last mark are in `saves`.
    kept_ranges: Vec<std::ops::Range<Addr>>,
    marks: Vec<MarkPoint>,
    hashing: bool,
    hash: Fingerprint,
    folded: usize,
    /// New objects are zeroed, so that nothing is undefined.
    zeroing: bool,
    /// Somebody has compared and exchanged with a pointer to freed memory, in this execution or another.
    pub stale_pointers: bool,
    /// Race detection: goes back and forth with the memory.
    pub races: Races,
    pub alike: Alike,
}

// SAFETY: the raw pointers are into maps that this value owns.
unsafe impl Send for Memory {}

const COMPACT_AT: usize = 1 << 16;

fn class_of(size: u64) -> (usize, u64) {
    let rounded = size.max(1).next_multiple_of(16);
    if rounded <= 16 * SMALL_CLASSES as u64 {
        ((rounded / 16 - 1) as usize, rounded)
    } else {
        let power = rounded.next_power_of_two();
        (SMALL_CLASSES + power.trailing_zeros() as usize - 10, power)
    }
}

fn map(bytes: u64) -> std::io::Result<MmapMut> {
    MmapOptions::new().len(bytes as usize).no_reserve_swap().map_anon()
}

impl Memory {
    /// `limit` is how many bytes the program may have at a time.
    pub fn new(limit: u64, hashing: bool) -> std::io::Result<Memory> {
        // Size classes round up to less than twice, and objects freed since a mark keep their place.
        let region = (limit * 4).max(1 << 24).next_multiple_of(4096);
        let mut maps = [
            map(IDS * size_of::<Entry>() as u64)?,
            map(IDS * size_of::<Object>() as u64)?,
            map(region + 16)?,
            map(region / 8 + 16)?,
        ];
        Ok(Memory {
            table: maps[0].as_mut_ptr().cast(),
            objects: maps[1].as_mut_ptr().cast(),
            bytes: maps[2].as_mut_ptr(),
            init: maps[3].as_mut_ptr(),
            _maps: maps,
            limit,
            fresh: 0,
            in_use: 0,
            blocks: vec![Vec::new(); CLASSES],
            ids: Vec::new(),
            next_arena: THREAD_ARENAS,
            empty_arenas: Vec::new(),
            common_arenas: None,
            partial: FxHashMap::default(),
            rest: Vec::new(),
            many_rest: false,
            variables_rest: false,
            globals: 0,
            leaves_places: false,
            held: Vec::new(),
            changes: Vec::with_capacity(COMPACT_AT),
            compact_at: COMPACT_AT,
            compactions: 0,
            saves: Vec::new(),
            kept_ranges: Vec::new(),
            marks: Vec::new(),
            hashing,
            hash: Fingerprint::default(),
            folded: 0,
            zeroing: false,
            stale_pointers: false,
            races: Races::default(),
            alike: Alike::default(),
        })
    }

    pub fn zero_new_objects(&mut self) {
        self.zeroing = true;
    }

    /// Whether a fingerprint is kept.
    pub fn is_hashing(&self) -> bool {
        self.hashing
    }

    fn region(&self) -> u64 {
        self._maps[2].len() as u64 - 16
    }
}
