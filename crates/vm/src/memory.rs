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

use memmap2::{MmapMut, MmapOptions};
use rustc_hash::{FxHashMap, FxHashSet};
use threadbare_core::{Fingerprint, Tid};

pub type Addr = u64;

pub const OFFSET_BITS: u32 = 24;
const PAGE: u64 = 1 << OFFSET_BITS;
const OFFSET_MASK: u64 = PAGE - 1;
const IDS: u64 = 1 << 24;
/// Ids come in arenas of 4096: one for each thread, more for those that need more.
const ARENA_BITS: u32 = 12;
const ARENA_IDS: u32 = 1 << ARENA_BITS;
const THREAD_ARENAS: u32 = 2048;
/// Globals and functions have ids of their own at the top.
const FIRST_GLOBAL_ARENA: u32 = 0xE00;
const FIRST_CODE_ARENA: u32 = 0xF00;
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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ObjectKind {
    /// Never used.
    None,
    Global,
    ThreadLocal,
    Heap,
    Stack,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Life {
    Unused,
    Live,
    Freed,
}

/// What reports need of an object.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Object {
    pub size: u64,
    /// Code positions of the allocation and the release.
    pub allocated_at: u64,
    pub freed_at: u64,
    /// Which global, thread-local or alloca site it is.
    pub detail: u32,
    /// How many marks there were when it was made.
    born: u32,
    pub owner: Tid,
    pub kind: ObjectKind,
    pub life: Life,
    /// The id is kept out of use after the object is gone.
    quarantine: bool,
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

const TAG_SHIFT: u32 = 48;
const WORD: u64 = 0;
const INIT: u64 = 1;
const ALLOC: u64 = 2;
const FREE: u64 = 3;
const PARTIAL: u64 = 4;
/// Changes of this tag and above are taken back by the machine, which knows threads.
pub const OUTSIDE: u64 = 5;

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
}

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
    /// The undefined bits of bytes that are undefined only in part; they count as not initialised.
    partial: FxHashMap<Addr, u8>,
    changes: Vec<Change>,
    /// `changes` is looked after when it reaches this length.
    compact_at: usize,
    saves: Vec<u64>,
    marks: Vec<MarkPoint>,
    hashing: bool,
    hash: Fingerprint,
    folded: usize,
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
            partial: FxHashMap::default(),
            changes: Vec::with_capacity(COMPACT_AT),
            compact_at: COMPACT_AT,
            saves: Vec::new(),
            marks: Vec::new(),
            hashing,
            hash: Fingerprint::default(),
            folded: 0,
        })
    }

    fn region(&self) -> u64 {
        self._maps[2].len() as u64 - 16
    }

    // ---- Accesses ------------------------------------------------------------------------------------------------

    /// Where `bytes` bytes at `address` lie in the region.
    #[inline(always)]
    fn locate(&self, address: Addr, bytes: u64) -> Option<u64> {
        let id = address >> OFFSET_BITS;
        if id >= IDS {
            return None;
        }
        // SAFETY: id < IDS, the length of the table.
        let entry = unsafe { *self.table.add(id as usize) };
        let offset = address & OFFSET_MASK;
        (offset + bytes <= u64::from(entry.length)).then(|| entry.base + offset)
    }

    #[inline(always)]
    fn locate_writable(&self, address: Addr, bytes: u64) -> Option<u64> {
        let id = address >> OFFSET_BITS;
        if id >= IDS {
            return None;
        }
        // SAFETY: id < IDS, the length of the table.
        let entry = unsafe { *self.table.add(id as usize) };
        let offset = address & OFFSET_MASK;
        (offset + bytes <= u64::from(entry.writable)).then(|| entry.base + offset)
    }

    /// The value, and its undefined bits.
    #[inline(always)]
    pub fn load<const N: usize>(&self, address: Addr) -> Result<(u64, u64), BadAccess> {
        let Some(at) = self.locate(address, N as u64) else {
            return Err(BadAccess { address, bytes: N as u64, write: false });
        };
        // SAFETY: `at .. at + N` lies within an object, hence within the region.
        let (value, init) = unsafe { (self.read::<N>(at), self.init_bits::<N>(at)) };
        let undefined = if init == Self::all_init::<N>() { 0 } else { self.undefined_at(address, init, N as u32) };
        Ok((value, undefined))
    }

    const fn all_init<const N: usize>() -> u32 {
        (1 << N) - 1
    }

    /// The undefined bits of bytes that are not all initialised.
    #[cold]
    #[inline(never)]
    fn undefined_at(&self, address: Addr, init: u32, bytes: u32) -> u64 {
        let byte = |i: u32| match init >> i & 1 {
            1 => 0,
            _ => u64::from(self.partial.get(&(address + u64::from(i))).copied().unwrap_or(0xff)),
        };
        (0..bytes).fold(0, |bits, i| bits | byte(i) << (8 * i))
    }

    #[inline(always)]
    unsafe fn read<const N: usize>(&self, at: u64) -> u64 {
        // SAFETY: the caller vouches for `at .. at + N`.
        unsafe {
            let place = self.bytes.add(at as usize);
            match N {
                1 => u64::from(*place),
                2 => u64::from(place.cast::<u16>().read_unaligned()),
                4 => u64::from(place.cast::<u32>().read_unaligned()),
                _ => place.cast::<u64>().read_unaligned(),
            }
        }
    }

    #[inline(always)]
    unsafe fn write<const N: usize>(&mut self, at: u64, value: u64) {
        // SAFETY: the caller vouches for `at .. at + N`.
        unsafe {
            let place = self.bytes.add(at as usize);
            match N {
                1 => *place = value as u8,
                2 => place.cast::<u16>().write_unaligned(value as u16),
                4 => place.cast::<u32>().write_unaligned(value as u32),
                _ => place.cast::<u64>().write_unaligned(value),
            }
        }
    }

    #[inline(always)]
    unsafe fn init_bits<const N: usize>(&self, at: u64) -> u32 {
        // SAFETY: the map of bits is 16 bytes longer than an eighth of the region.
        let bits = unsafe { self.init.add((at >> 3) as usize).cast::<u16>().read_unaligned() };
        (u32::from(bits) >> (at & 7)) & Self::all_init::<N>()
    }

    /// Stores the low N bytes; all of them are initialised from here on.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, address: Addr, value: u64) -> Result<(), BadAccess> {
        let Some(at) = self.locate_writable(address, N as u64) else {
            return Err(BadAccess { address, bytes: N as u64, write: true });
        };
        if (at & 7) + N as u64 > 8 {
            self.store_across::<N>(address, value, 0);
            return Ok(());
        }
        // SAFETY: `at .. at + N` lies within an object and within an aligned word.
        unsafe {
            self.store_word::<N>(address, at, value);
            if self.init_bits::<N>(at) != Self::all_init::<N>() {
                self.set_init(address, at, N as u32, 0);
            }
        }
        Ok(())
    }

    /// Stores a value of which some bits are undefined.
    pub fn store_undefined<const N: usize>(&mut self, address: Addr, value: u64, undefined: u64) -> Result<(), BadAccess> {
        let Some(at) = self.locate_writable(address, N as u64) else {
            return Err(BadAccess { address, bytes: N as u64, write: true });
        };
        if (at & 7) + N as u64 > 8 {
            self.store_across::<N>(address, value, undefined);
            return Ok(());
        }
        // SAFETY: as in `store`.
        unsafe {
            self.store_word::<N>(address, at, value);
            self.set_init(address, at, N as u32, undefined);
        }
        Ok(())
    }

    /// Writes within an aligned word, and logs it.
    #[inline(always)]
    unsafe fn store_word<const N: usize>(&mut self, address: Addr, at: u64, value: u64) {
        // SAFETY: the object's bytes are padded to 16, so the word around `at` is within the region.
        unsafe {
            let word = at & !7;
            let old = self.read::<8>(word);
            self.write::<N>(at, value);
            let new = self.read::<8>(word);
            self.log(Change { place: address & !7, old, new });
        }
    }

    /// A store that is not within one aligned word: byte by byte.
    #[cold]
    fn store_across<const N: usize>(&mut self, address: Addr, value: u64, undefined: u64) {
        for i in 0..N as u64 {
            let (byte, bits) = ((value >> (8 * i)) & 0xff, (undefined >> (8 * i)) & 0xff);
            self.store_undefined::<1>(address + i, byte, bits).expect("the whole range was checked");
        }
    }

    /// Notes which of `bytes` bytes at `at`, within one word, are undefined, and in which bits.
    #[cold]
    #[inline(never)]
    fn set_init(&mut self, address: Addr, at: u64, bytes: u32, undefined: u64) {
        let byte = |i: u32| (undefined >> (8 * i)) as u8;
        let init = (0..bytes).filter(|&i| byte(i) == 0).fold(0u32, |bits, i| bits | 1 << i);
        // SAFETY: `at` lies within an object.
        unsafe {
            let place = self.init.add((at >> 3) as usize);
            let shift = at & 7;
            let mask = ((1u32 << bytes) - 1) << shift;
            let old = *place;
            let new = (u32::from(old) & !mask | init << shift) as u8;
            if old != new {
                *place = new;
                self.log(Change { place: (address & !7) | INIT << TAG_SHIFT, old: old.into(), new: new.into() });
            }
        }
        // A byte that is undefined in part is rare: bit-fields of a structure that is being filled in.
        for i in 0..bytes {
            let bits = if byte(i) == 0xff { 0 } else { byte(i) };
            if bits != 0 || !self.partial.is_empty() {
                self.set_partial(address + u64::from(i), bits);
            }
        }
    }

    /// `bits` is 0 for a byte that is undefined as a whole or not at all.
    fn set_partial(&mut self, address: Addr, bits: u8) {
        let old = if bits == 0 { self.partial.remove(&address) } else { self.partial.insert(address, bits) };
        let old = old.unwrap_or(0);
        if old != bits {
            self.log(Change { place: address | PARTIAL << TAG_SHIFT, old: old.into(), new: bits.into() });
        }
    }

    /// Up to 8 bytes, for odd sizes.
    pub fn load_n(&self, address: Addr, n: u32) -> Result<(u64, u64), BadAccess> {
        if self.locate(address, u64::from(n)).is_none() {
            return Err(BadAccess { address, bytes: u64::from(n), write: false });
        }
        let (mut value, mut undefined) = (0, 0);
        for i in 0..n {
            let (byte, bits) = self.load::<1>(address + u64::from(i))?;
            value |= byte << (8 * i);
            undefined |= bits << (8 * i);
        }
        Ok((value, undefined))
    }

    pub fn store_n(&mut self, address: Addr, n: u32, value: u64, undefined: u64) -> Result<(), BadAccess> {
        if self.locate_writable(address, u64::from(n)).is_none() {
            return Err(BadAccess { address, bytes: u64::from(n), write: true });
        }
        for i in 0..n {
            let (byte, bits) = ((value >> (8 * i)) & 0xff, (undefined >> (8 * i)) & 0xff);
            self.store_undefined::<1>(address + u64::from(i), byte, bits)?;
        }
        Ok(())
    }

    /// A word of a synchronisation object or of a machine structure in memory.
    pub fn load_u32(&self, address: Addr) -> Result<u32, BadAccess> {
        self.load::<4>(address).map(|(value, _)| value as u32)
    }

    pub fn store_u32(&mut self, address: Addr, value: u32) -> Result<(), BadAccess> {
        self.store::<4>(address, u64::from(value))
    }

    /// The bytes of a range that can be read.
    pub fn bytes(&self, address: Addr, length: u64) -> Result<&[u8], BadAccess> {
        match self.locate(address, length) {
            // SAFETY: the range lies within an object.
            Some(at) => Ok(unsafe { std::slice::from_raw_parts(self.bytes.add(at as usize), length as usize) }),
            None if length == 0 => Ok(&[]),
            None => Err(BadAccess { address, bytes: length, write: false }),
        }
    }

    /// The first byte of the range that is not initialised.
    pub fn first_uninit(&self, address: Addr, length: u64) -> Option<Addr> {
        (0..length).map(|i| address + i).find(|&a| matches!(self.load::<1>(a), Ok((_, bits)) if bits != 0))
    }

    pub fn write_bytes(&mut self, address: Addr, bytes: &[u8]) -> Result<(), BadAccess> {
        if !bytes.is_empty() && self.locate_writable(address, bytes.len() as u64).is_none() {
            return Err(BadAccess { address, bytes: bytes.len() as u64, write: true });
        }
        let mut at = address;
        let mut rest = bytes;
        while let Some((&byte, tail)) = rest.split_first() {
            if at & 7 == 0 && rest.len() >= 8 {
                let word = u64::from_le_bytes(rest[..8].try_into().expect("eight bytes"));
                self.store::<8>(at, word)?;
                at += 8;
                rest = &rest[8..];
            } else {
                self.store::<1>(at, u64::from(byte))?;
                at += 1;
                rest = tail;
            }
        }
        Ok(())
    }

    pub fn fill(&mut self, address: Addr, byte: u8, length: u64) -> Result<(), BadAccess> {
        if length > 0 && self.locate_writable(address, length).is_none() {
            return Err(BadAccess { address, bytes: length, write: true });
        }
        let word = u64::from(byte) * 0x0101_0101_0101_0101;
        let (mut at, end) = (address, address + length);
        while at < end {
            if at & 7 == 0 && end - at >= 8 {
                self.store::<8>(at, word)?;
                at += 8;
            } else {
                self.store::<1>(at, u64::from(byte))?;
                at += 1;
            }
        }
        Ok(())
    }

    /// `memmove`, with the bits of what is initialised.
    pub fn copy(&mut self, to: Addr, from: Addr, length: u64) -> Result<(), BadAccess> {
        if length == 0 {
            return Ok(());
        }
        if self.locate(from, length).is_none() {
            return Err(BadAccess { address: from, bytes: length, write: false });
        }
        if self.locate_writable(to, length).is_none() {
            return Err(BadAccess { address: to, bytes: length, write: true });
        }
        let backwards = to > from && to < from + length;
        if (to ^ from) & 7 == 0 && !backwards {
            // Same alignment: bytes up to a word border, words, the rest.
            let mut i = 0;
            while i < length {
                if (to + i) & 7 == 0 && length - i >= 8 {
                    self.copy_word(to + i, self.load::<8>(from + i)?)?;
                    i += 8;
                } else {
                    self.copy_byte(to + i, from + i)?;
                    i += 1;
                }
            }
        } else if backwards {
            for i in (0..length).rev() {
                self.copy_byte(to + i, from + i)?;
            }
        } else {
            // Reads may be unaligned; writes are by words so that the log stays short.
            let mut i = 0;
            while i < length {
                let disjoint = from >= to + length || to >= from + length || from > to + 8;
                if (to + i) & 7 == 0 && length - i >= 8 && disjoint {
                    self.copy_word(to + i, self.load::<8>(from + i)?)?;
                    i += 8;
                } else {
                    self.copy_byte(to + i, from + i)?;
                    i += 1;
                }
            }
        }
        Ok(())
    }

    fn copy_byte(&mut self, to: Addr, from: Addr) -> Result<(), BadAccess> {
        match self.load::<1>(from)? {
            (byte, 0) => self.store::<1>(to, byte),
            (byte, undefined) => self.store_undefined::<1>(to, byte, undefined),
        }
    }

    fn copy_word(&mut self, to: Addr, (word, undefined): (u64, u64)) -> Result<(), BadAccess> {
        if undefined == 0 { self.store::<8>(to, word) } else { self.store_undefined::<8>(to, word, undefined) }
    }

    // ---- Objects -------------------------------------------------------------------------------------------------

    /// The object that an address belongs to, dead or alive, with the start of the object.
    pub fn object_at(&self, address: Addr) -> Option<(Addr, Object)> {
        let mut id = address >> OFFSET_BITS;
        if id == 0 || id >= IDS {
            return None;
        }
        loop {
            let object = self.object(id);
            if object.life == Life::Unused && object.size == 0 {
                return None;
            }
            // A continuation page says how many pages lie before it.
            if object.kind == ObjectKind::None {
                id -= object.size;
                continue;
            }
            return Some((id << OFFSET_BITS, object));
        }
    }

    fn object(&self, id: u64) -> Object {
        // SAFETY: callers pass ids < IDS; all-zero bytes are a valid Object.
        unsafe { *self.objects.add(id as usize) }
    }

    fn pages(size: u64) -> u64 {
        // One past the end must still lie in the object's own range.
        size / PAGE + 1
    }

    fn set_entries(&mut self, id: u64, base: u64, size: u64, constant: bool) {
        for page in 0..Self::pages(size) {
            let rest = u32::try_from(size - page * PAGE).expect("objects are smaller than 4 GiB");
            let entry = Entry { base: base + page * PAGE, length: rest, writable: if constant { 0 } else { rest } };
            // SAFETY: an id range that was handed out lies within the table.
            unsafe { *self.table.add((id + page) as usize) = entry };
        }
    }

    fn kill_entries(&mut self, id: u64, size: u64) {
        for page in 0..Self::pages(size) {
            // SAFETY: as above.
            unsafe {
                let entry = self.table.add((id + page) as usize);
                (*entry).length = 0;
                (*entry).writable = 0;
            }
        }
    }

    fn set_object(&mut self, id: u64, object: Object) {
        // SAFETY: an id range that was handed out lies within the table.
        unsafe {
            *self.objects.add(id as usize) = object;
            for page in 1..Self::pages(object.size) {
                *self.objects.add((id + page) as usize) =
                    Object { size: page, kind: ObjectKind::None, life: Life::Live, ..object };
            }
        }
    }

    /// A fresh, uninitialised object.
    pub fn allocate(
        &mut self,
        owner: Tid,
        kind: ObjectKind,
        size: u64,
        detail: u32,
        at: u64,
        quarantine: bool,
    ) -> Result<Addr, AllocError> {
        if size >= u64::from(u32::MAX) || self.in_use + size > self.limit {
            return Err(AllocError::MemoryLimit);
        }
        let id = self.take_id(owner, Self::pages(size))?;
        let base = self.take_block(size)?;
        self.set_entries(id, base, size, false);
        let object = Object {
            size,
            allocated_at: at,
            freed_at: 0,
            detail,
            born: self.marks.len() as u32,
            owner,
            kind,
            life: Life::Live,
            quarantine,
        };
        self.set_object(id, object);
        self.in_use += size;
        if self.hashing {
            self.hash ^= Self::existence(id, &object);
        }
        self.log(Change { place: id | ALLOC << TAG_SHIFT, old: 0, new: 0 });
        Ok(id << OFFSET_BITS)
    }

    /// A variable of static storage: an id by its number. Not taken back, not limited.
    pub fn define_global(
        &mut self,
        index: u32,
        size: u64,
        constant: bool,
        kind: ObjectKind,
    ) -> Result<Addr, AllocError> {
        debug_assert!(self.marks.is_empty());
        let id = u64::from((FIRST_GLOBAL_ARENA << ARENA_BITS) + index);
        if id + Self::pages(size) > u64::from(FIRST_CODE_ARENA << ARENA_BITS) {
            return Err(AllocError::TooManyObjects);
        }
        let base = self.take_block(size)?;
        self.set_entries(id, base, size, constant);
        self.set_object(
            id,
            Object {
                size,
                allocated_at: 0,
                freed_at: 0,
                detail: index,
                born: 0,
                owner: Tid::MAIN,
                kind,
                life: Life::Live,
                quarantine: true,
            },
        );
        Ok(id << OFFSET_BITS)
    }

    /// A variable that is not to be written from here on.
    pub fn make_constant(&mut self, address: Addr) {
        let id = address >> OFFSET_BITS;
        for page in 0..Self::pages(self.object(id).size) {
            // SAFETY: the id of an object.
            unsafe { (*self.table.add((id + page) as usize)).writable = 0 };
        }
    }

    pub fn is_constant(&self, address: Addr) -> bool {
        self.locate(address, 1).is_some() && self.locate_writable(address, 1).is_none()
    }

    /// The first id that global number `index` of that size leaves free.
    pub fn next_global(index: u32, size: u64) -> u32 {
        index + Self::pages(size) as u32
    }

    pub fn global_address(index: u32) -> Addr {
        u64::from((FIRST_GLOBAL_ARENA << ARENA_BITS) + index) << OFFSET_BITS
    }

    /// Ends the life of the object that starts at `address`.
    pub fn release(&mut self, address: Addr, at: u64) {
        let id = address >> OFFSET_BITS;
        let object = self.object(id);
        debug_assert!(object.life == Life::Live && address & OFFSET_MASK == 0);
        // SAFETY: the id of a live object.
        let base = unsafe { (*self.table.add(id as usize)).base };
        self.forget_partial(address, object.size);
        if self.hashing {
            self.fold();
            self.hash ^= Self::existence(id, &object) ^ self.content_hash(id, base, object.size);
        }
        if object.born == self.marks.len() as u32 {
            // Nobody can go back to a point at which it lived: its place is free at once, and nothing need be kept.
            self.blocks[class_of(object.size).0].push(base);
        } else {
            let saved = self.saves.len() as u64;
            self.saves.extend([
                base,
                object.size,
                object.allocated_at,
                u64::from(object.detail) | u64::from(object.born) << 32,
                u64::from(object.owner.0) | (object.kind as u64) << 16 | u64::from(object.quarantine) << 24,
            ]);
            self.log(Change { place: id | FREE << TAG_SHIFT, old: saved, new: 0 });
        }
        self.kill_entries(id, object.size);
        // SAFETY: the id of an object.
        unsafe {
            (*self.objects.add(id as usize)).life = Life::Freed;
            (*self.objects.add(id as usize)).freed_at = at;
        }
        self.in_use -= object.size;
        if !object.quarantine {
            self.give_id(object.owner, id, Self::pages(object.size));
        }
    }

    /// The object goes: so does what is noted of its bytes.
    fn forget_partial(&mut self, address: Addr, size: u64) {
        if !self.partial.is_empty() {
            let gone: Vec<Addr> = self.partial.keys().copied().filter(|a| (address..address + size).contains(a)).collect();
            gone.into_iter().for_each(|a| self.set_partial(a, 0));
        }
    }

    fn undo_release(&mut self, id: u64, saved: usize) {
        let [base, size, allocated_at, detail_born, rest] = self.saves[saved..saved + 5] else {
            unreachable!("five words are saved")
        };
        let kind = match (rest >> 16) as u8 {
            k if k == ObjectKind::Heap as u8 => ObjectKind::Heap,
            k if k == ObjectKind::Stack as u8 => ObjectKind::Stack,
            k if k == ObjectKind::ThreadLocal as u8 => ObjectKind::ThreadLocal,
            _ => ObjectKind::Global,
        };
        let object = Object {
            size,
            allocated_at,
            freed_at: 0,
            detail: detail_born as u32,
            born: (detail_born >> 32) as u32,
            owner: Tid(rest as u16),
            kind,
            life: Life::Live,
            quarantine: rest >> 24 & 1 == 1,
        };
        self.set_entries(id, base, size, false);
        self.set_object(id, object);
        self.in_use += size;
        if !object.quarantine {
            self.mark_id(object.owner, id, Self::pages(size), true);
        }
    }

    fn undo_allocate(&mut self, id: u64) {
        let object = self.object(id);
        if object.life == Life::Live {
            // SAFETY: the id of a live object.
            let base = unsafe { (*self.table.add(id as usize)).base };
            self.blocks[class_of(object.size).0].push(base);
            self.kill_entries(id, object.size);
            self.in_use -= object.size;
        }
        let unused = Object { life: Life::Unused, size: 0, ..object };
        // SAFETY: the id of an object.
        unsafe {
            for page in 0..Self::pages(object.size) {
                *self.objects.add((id + page) as usize) = unused;
            }
        }
        self.mark_id(object.owner, id, Self::pages(object.size), false);
    }

    /// The ids of all objects that have one, dead ones that rest included.
    fn used_ids(&self) -> impl Iterator<Item = u64> + '_ {
        let used = self.ids.iter().flat_map(|ids| {
            (0..ids.used.len() * 64)
                .filter(|&slot| ids.used[slot / 64] >> (slot % 64) & 1 == 1)
                .map(|slot| ids.id_of(slot))
        });
        let globals = u64::from(FIRST_GLOBAL_ARENA << ARENA_BITS)..u64::from(FIRST_CODE_ARENA << ARENA_BITS);
        let globals = globals.take_while(|&id| self.object(id).life != Life::Unused);
        used.chain(globals).filter(|&id| self.object(id).kind != ObjectKind::None)
    }

    fn take_block(&mut self, size: u64) -> Result<u64, AllocError> {
        let (class, rounded) = class_of(size);
        if let Some(base) = self.blocks[class].pop() {
            // SAFETY: a block of this class has `rounded` bytes within the region, 16-aligned.
            unsafe {
                self.bytes.add(base as usize).write_bytes(0, size.next_multiple_of(8) as usize);
                self.init.add((base >> 3) as usize).write_bytes(0, size.div_ceil(8) as usize);
            }
            return Ok(base);
        }
        let base = self.fresh;
        if base + rounded > self.region() {
            return Err(AllocError::MemoryLimit);
        }
        self.fresh += rounded;
        Ok(base)
    }

    fn take_id(&mut self, owner: Tid, pages: u64) -> Result<u64, AllocError> {
        while self.ids.len() <= owner.index() {
            let arena = self.ids.len() as u32;
            let mut ids = Ids { arenas: vec![arena], used: vec![0; ARENA_IDS as usize / 64], hint: 0 };
            if arena == 0 {
                ids.used[0] = 1; // null
            }
            self.ids.push(ids);
        }
        loop {
            let ids = &mut self.ids[owner.index()];
            let found = if pages == 1 { ids.take_one() } else { ids.take_many(pages) };
            if let Some(slot) = found {
                return Ok(ids.id_of(slot));
            }
            let wanted = if pages > u64::from(ARENA_IDS) {
                return Err(AllocError::MemoryLimit);
            } else {
                1
            };
            if self.next_arena + wanted > FIRST_GLOBAL_ARENA {
                return Err(AllocError::TooManyObjects);
            }
            ids.arenas.push(self.next_arena);
            ids.used.extend(std::iter::repeat_n(0, ARENA_IDS as usize / 64));
            self.next_arena += 1;
        }
    }

    fn give_id(&mut self, owner: Tid, id: u64, pages: u64) {
        self.mark_id(owner, id, pages, false);
    }

    fn mark_id(&mut self, owner: Tid, id: u64, pages: u64, used: bool) {
        let ids = &mut self.ids[owner.index()];
        for id in id..id + pages {
            let slot = ids.slot_of(id);
            if used {
                ids.used[slot / 64] |= 1 << (slot % 64);
            } else {
                ids.used[slot / 64] &= !(1 << (slot % 64));
                ids.hint = ids.hint.min(slot / 64);
            }
        }
    }

    /// The live heap objects, for the search for leaks.
    pub fn live_heap(&self) -> Vec<(Addr, Object)> {
        let mut found = Vec::new();
        for ids in &self.ids {
            for (word, &bits) in ids.used.iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    let slot = word * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let id = ids.id_of(slot);
                    let object = self.object(id);
                    if object.life == Life::Live && object.kind == ObjectKind::Heap {
                        found.push((id << OFFSET_BITS, object));
                    }
                }
            }
        }
        found
    }

    // ---- Going back ----------------------------------------------------------------------------------------------

    #[inline(always)]
    fn log(&mut self, change: Change) {
        if self.changes.len() == self.compact_at {
            self.compact();
        }
        self.changes.push(change);
    }

    /// Logs a change of the machine's own state: `tag` is at least `OUTSIDE`, `words` are what restores it.
    pub fn log_outside(&mut self, tag: u64, place: u64, words: &[u64]) {
        let saved = self.saves.len() as u64;
        self.saves.extend_from_slice(words);
        self.log(Change { place: place | tag << TAG_SHIFT, old: saved, new: words.len() as u64 });
    }

    /// The log has grown long since the last mark. Without a mark nobody can go back: drop it. With one, of all changes
    /// of a word since then only the first matters.
    #[cold]
    #[inline(never)]
    fn compact(&mut self) {
        self.fold();
        let Some(mark) = self.marks.last() else {
            self.changes.clear();
            self.saves.clear();
            self.folded = 0;
            return;
        };
        let start = mark.changes;
        if self.changes.len() - start > self.compact_at / 2 {
            // An id may be used again: what is logged after an allocation belongs to another object.
            let mut seen = FxHashSet::default();
            let mut lives = FxHashMap::<u64, u32>::default();
            let mut kept = start;
            for i in start..self.changes.len() {
                let change = self.changes[i];
                let repeats = match change.place >> TAG_SHIFT {
                    WORD | INIT | PARTIAL => {
                        let id = (change.place >> OFFSET_BITS) & (IDS - 1);
                        !seen.insert((change.place, lives.get(&id).copied().unwrap_or(0)))
                    }
                    ALLOC => {
                        *lives.entry(change.place & (IDS - 1)).or_default() += 1;
                        false
                    }
                    _ => false,
                };
                if !repeats {
                    self.changes[kept] = change;
                    kept += 1;
                }
            }
            self.changes.truncate(kept);
        }
        self.folded = self.changes.len();
        self.compact_at = (self.changes.len() * 2).max(COMPACT_AT);
    }

    pub fn mark(&mut self) -> u32 {
        self.fold();
        self.marks.push(MarkPoint { changes: self.changes.len(), saves: self.saves.len(), hash: self.hash });
        self.marks.len() as u32 - 1
    }

    pub fn has_marks(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Goes back to a mark; `outside` takes back the machine's own changes, newest first.
    pub fn rewind(&mut self, to: u32, mut outside: impl FnMut(u64, u64, &[u64])) {
        let mark = self.marks[to as usize];
        self.marks.truncate(to as usize + 1);
        while self.changes.len() > mark.changes {
            let change = self.changes.pop().expect("longer than the mark");
            let place = change.place & ((1 << TAG_SHIFT) - 1);
            match change.place >> TAG_SHIFT {
                WORD => {
                    if let Some(at) = self.locate_word(place) {
                        // SAFETY: a word of an object.
                        unsafe { self.write::<8>(at, change.old) };
                    }
                }
                INIT => {
                    if let Some(at) = self.locate_word(place) {
                        // SAFETY: a word of an object.
                        unsafe { *self.init.add((at >> 3) as usize) = change.old as u8 };
                    }
                }
                PARTIAL => {
                    match change.old as u8 {
                        0 => self.partial.remove(&place),
                        bits => self.partial.insert(place, bits),
                    };
                }
                ALLOC => self.undo_allocate(place),
                FREE => self.undo_release(place, change.old as usize),
                tag => {
                    let saved = change.old as usize;
                    outside(tag, place, &self.saves[saved..saved + change.new as usize]);
                }
            }
        }
        self.saves.truncate(mark.saves);
        self.hash = mark.hash;
        self.folded = mark.changes;
        self.compact_at = (self.changes.len() * 2).max(COMPACT_AT);
    }

    /// The word at an aligned address of a live object. A word of an object that was made and gone since the mark has
    /// no place any more, and needs none.
    fn locate_word(&self, address: Addr) -> Option<u64> {
        self.locate(address, 1)
    }

    // ---- Fingerprint ---------------------------------------------------------------------------------------------

    fn existence(id: u64, object: &Object) -> Fingerprint {
        Fingerprint::of(id << OFFSET_BITS | 1, object.size ^ (object.kind as u64) << 56)
    }

    #[inline]
    fn word_hash(address: Addr, value: u64) -> Fingerprint {
        // A fresh word costs nothing: objects come zeroed and go with what differs from zero.
        if value == 0 { Fingerprint::default() } else { Fingerprint::of(address, value) }
    }

    #[inline]
    fn init_hash(address: Addr, bits: u64) -> Fingerprint {
        if bits == 0 { Fingerprint::default() } else { Fingerprint::of(address | 1 << 63, bits) }
    }

    fn partial_hash(address: Addr, bits: u64) -> Fingerprint {
        if bits == 0 { Fingerprint::default() } else { Fingerprint::of(address | 1 << 62, bits) }
    }

    fn content_hash(&self, id: u64, base: u64, size: u64) -> Fingerprint {
        let mut hash = Fingerprint::default();
        for word in 0..size.div_ceil(8) {
            let address = (id << OFFSET_BITS) + word * 8;
            // SAFETY: objects are padded to whole words.
            unsafe {
                hash ^= Self::word_hash(address, self.read::<8>(base + word * 8));
                hash ^= Self::init_hash(address, u64::from(*self.init.add(((base >> 3) + word) as usize)));
            }
        }
        hash
    }

    fn fold(&mut self) {
        if self.hashing {
            self.hash = self.folded_hash();
            self.folded = self.changes.len();
        }
    }

    /// The hash with the changes that have not been folded in yet.
    fn folded_hash(&self) -> Fingerprint {
        let mut hash = self.hash;
        if self.hashing {
            for change in &self.changes[self.folded..] {
                let place = change.place & ((1 << TAG_SHIFT) - 1);
                let of = match change.place >> TAG_SHIFT {
                    WORD => Self::word_hash,
                    INIT => Self::init_hash,
                    PARTIAL => Self::partial_hash,
                    _ => continue,
                };
                hash ^= of(place, change.old) ^ of(place, change.new);
            }
        }
        hash
    }

    /// The hash of all live objects, if the memory was made to keep one.
    pub fn fingerprint(&mut self) -> Option<Fingerprint> {
        self.fold();
        self.hashing.then_some(self.hash)
    }

    /// The hash computed from scratch over everything that lives: what `fingerprint` must equal up to a constant. For
    /// tests.
    pub fn fingerprint_from_scratch(&self) -> Fingerprint {
        let mut hash = Fingerprint::default();
        for id in self.used_ids() {
            let object = self.object(id);
            if object.life == Life::Live {
                // SAFETY: the id of a live object.
                let base = unsafe { (*self.table.add(id as usize)).base };
                if object.kind != ObjectKind::Global {
                    hash ^= Self::existence(id, &object);
                }
                hash ^= self.content_hash(id, base, object.size);
            }
        }
        for (&address, &bits) in &self.partial {
            hash ^= Self::partial_hash(address, bits.into());
        }
        hash
    }

    pub fn in_use(&self) -> u64 {
        self.in_use
    }

    pub fn log_length(&self) -> usize {
        self.changes.len()
    }

    // ---- Hand-over -----------------------------------------------------------------------------------------------

    /// All live objects and what they hold, to be put into another memory of the same program.
    pub fn save(&self) -> SavedMemory {
        let mut objects = Vec::new();
        for id in self.used_ids() {
            let object = self.object(id);
            let (bytes, init) = if object.life == Life::Live {
                // SAFETY: the id of a live object; objects are padded to whole words.
                unsafe {
                    let entry = *self.table.add(id as usize);
                    let words = object.size.div_ceil(8) as usize;
                    (
                        std::slice::from_raw_parts(self.bytes.add(entry.base as usize), words * 8).into(),
                        std::slice::from_raw_parts(self.init.add((entry.base >> 3) as usize), words).into(),
                    )
                }
            } else {
                Default::default()
            };
            // SAFETY: as above.
            let constant =
                unsafe { (*self.table.add(id as usize)).writable == 0 && object.life == Life::Live && object.size > 0 };
            objects.push(SavedObject { id, object, constant, bytes, init });
        }
        SavedMemory {
            objects,
            arenas: self.ids.iter().map(|ids| ids.arenas.clone()).collect(),
            next_arena: self.next_arena,
            partial: self.partial.clone(),
            hash: self.folded_hash(),
        }
    }

    /// Becomes what was saved. Marks are forgotten.
    pub fn restore(&mut self, saved: &SavedMemory) {
        self.forget_all();
        self.ids = saved
            .arenas
            .iter()
            .map(|arenas| Ids {
                arenas: arenas.clone(),
                used: vec![0; arenas.len() * ARENA_IDS as usize / 64],
                hint: 0,
            })
            .collect();
        if let Some(main) = self.ids.first_mut() {
            main.used[0] |= 1;
        }
        self.next_arena = saved.next_arena;
        self.partial = saved.partial.clone();
        for SavedObject { id, object, constant, bytes, init } in &saved.objects {
            let mut object = *object;
            object.born = 0;
            self.set_object(*id, object);
            if !matches!(object.kind, ObjectKind::Global) {
                self.mark_id(object.owner, *id, Self::pages(object.size), true);
            }
            if object.life == Life::Live {
                let base = self.take_block(object.size).expect("it fitted into the memory it came from");
                self.set_entries(*id, base, object.size, *constant);
                // SAFETY: the block has room for whole words.
                unsafe {
                    self.bytes.add(base as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                    self.init.add((base >> 3) as usize).copy_from_nonoverlapping(init.as_ptr(), init.len());
                }
                if !matches!(object.kind, ObjectKind::Global) {
                    self.in_use += object.size;
                }
            }
        }
        self.hash = saved.hash;
    }

    /// Empties the tables and gives all blocks back.
    fn forget_all(&mut self) {
        let used: Vec<u64> = self.used_ids().collect();
        for id in used {
            let object = self.object(id);
            if object.life == Life::Live {
                // SAFETY: the id of a live object.
                let base = unsafe { (*self.table.add(id as usize)).base };
                self.blocks[class_of(object.size).0].push(base);
                self.kill_entries(id, object.size);
            }
            for page in 0..Self::pages(object.size) {
                // SAFETY: the id of an object.
                unsafe {
                    *self.objects.add((id + page) as usize) = Object { life: Life::Unused, size: 0, ..object };
                }
            }
        }
        self.in_use = 0;
        self.changes.clear();
        self.saves.clear();
        self.marks.clear();
        self.folded = 0;
        self.compact_at = COMPACT_AT;
    }
}

/// The contents of a memory by themselves.
#[derive(Clone)]
pub struct SavedMemory {
    objects: Vec<SavedObject>,
    arenas: Vec<Vec<u32>>,
    next_arena: u32,
    partial: FxHashMap<Addr, u8>,
    hash: Fingerprint,
}

impl SavedMemory {
    pub fn difference(&self, other: &SavedMemory) -> Option<String> {
        let live = |memory: &SavedMemory| -> std::collections::BTreeMap<u64, (u64, Box<[u8]>, Box<[u8]>)> {
            let objects = memory.objects.iter().filter(|saved| saved.object.life == Life::Live);
            objects.map(|saved| (saved.id, (saved.object.size, saved.bytes.clone(), saved.init.clone()))).collect()
        };
        let (mine, others) = (live(self), live(other));
        if mine.keys().ne(others.keys()) {
            return Some(format!("objects {:x?} and {:x?}", mine.keys(), others.keys()));
        }
        for (id, object) in &mine {
            if *object != others[id] {
                return Some(format!("object {id:x}: {object:?} and {:?}", others[id]));
            }
        }
        (self.partial != other.partial).then(|| "partly initialised bytes".into())
    }
}

#[derive(Clone)]
struct SavedObject {
    id: u64,
    object: Object,
    constant: bool,
    bytes: Box<[u8]>,
    init: Box<[u8]>,
}

impl Ids {
    fn id_of(&self, slot: usize) -> u64 {
        u64::from(self.arenas[slot >> ARENA_BITS] << ARENA_BITS) + (slot as u64 & u64::from(ARENA_IDS - 1))
    }

    fn slot_of(&self, id: u64) -> usize {
        let arena = (id >> ARENA_BITS) as u32;
        let index = self.arenas.iter().position(|&a| a == arena).expect("an id of this thread");
        (index << ARENA_BITS) + (id as usize & (ARENA_IDS as usize - 1))
    }

    fn take_one(&mut self) -> Option<usize> {
        while self.hint < self.used.len() {
            let free = !self.used[self.hint];
            if free != 0 {
                let bit = free.trailing_zeros() as usize;
                self.used[self.hint] |= 1 << bit;
                return Some(self.hint * 64 + bit);
            }
            self.hint += 1;
        }
        None
    }

    /// Consecutive ids within one arena.
    fn take_many(&mut self, pages: u64) -> Option<usize> {
        let pages = pages as usize;
        let free = |used: &[u64], slot: usize| used[slot / 64] >> (slot % 64) & 1 == 0;
        for arena in 0..self.arenas.len() {
            let (start, end) = (arena << ARENA_BITS, (arena + 1) << ARENA_BITS);
            let mut run = 0;
            for slot in start..end {
                run = if free(&self.used, slot) { run + 1 } else { 0 };
                if run == pages {
                    for slot in slot + 1 - pages..=slot {
                        self.used[slot / 64] |= 1 << (slot % 64);
                    }
                    return Some(slot + 1 - pages);
                }
            }
        }
        None
    }
}
