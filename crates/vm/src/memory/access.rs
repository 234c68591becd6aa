//! Checked reads and writes, with their undefined bits.

use super::range::LONG;
use super::*;

/// Where the tables and the contents lie: the same for the life of a memory, so that the interpreter may keep it at hand.
#[derive(Clone, Copy)]
pub struct Places {
    table: *const Entry,
    bytes: *mut u8,
    init: *mut u8,
}

/// The bits of `bytes` bytes all of which are initialised.
#[inline(always)]
pub const fn all_init(bytes: u32) -> u32 {
    (1 << bytes) - 1
}

impl Places {
    /// Where `bytes` bytes at `address` lie in the region.
    #[inline(always)]
    fn locate(self, address: Addr, bytes: u64) -> Option<u64> {
        let id = address >> OFFSET_BITS;
        if id >= IDS {
            return None;
        }
        // SAFETY: id < IDS, the length of the table.
        let entry = unsafe { &*self.table.add(id as usize) };
        let offset = address & OFFSET_MASK;
        (offset + bytes <= u64::from(entry.length)).then(|| entry.base + offset)
    }

    #[inline(always)]
    pub fn locate_writable(self, address: Addr, bytes: u64) -> Option<u64> {
        let id = address >> OFFSET_BITS;
        if id >= IDS {
            return None;
        }
        // SAFETY: id < IDS, the length of the table.
        let entry = unsafe { &*self.table.add(id as usize) };
        let offset = address & OFFSET_MASK;
        (offset + bytes <= u64::from(entry.writable)).then(|| entry.base + offset)
    }

    /// The value, and a bit for each byte that is initialised. The memory must still be there.
    #[inline(always)]
    pub fn load<const N: usize>(self, address: Addr) -> Option<(u64, u32)> {
        let at = self.locate(address, N as u64)?;
        // SAFETY: `at .. at + N` lies within an object, hence within the region.
        Some(unsafe { (self.read::<N>(at), self.init_bits::<N>(at)) })
    }

    #[inline(always)]
    unsafe fn read<const N: usize>(self, at: u64) -> u64 {
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
    unsafe fn init_bits<const N: usize>(self, at: u64) -> u32 {
        // SAFETY: the map of bits is 16 bytes longer than an eighth of the region.
        let bits = unsafe { self.init.add((at >> 3) as usize).cast::<u16>().read_unaligned() };
        (u32::from(bits) >> (at & 7)) & all_init(N as u32)
    }
}

impl Memory {
    #[inline(always)]
    pub fn places(&self) -> Places {
        Places { table: self.table, bytes: self.bytes, init: self.init }
    }

    #[inline(always)]
    pub(super) fn locate(&self, address: Addr, bytes: u64) -> Option<u64> {
        self.places().locate(address, bytes)
    }

    #[inline(always)]
    pub(super) fn locate_writable(&self, address: Addr, bytes: u64) -> Option<u64> {
        self.places().locate_writable(address, bytes)
    }

    /// Whether 1, 2, 4 or 8 bytes that lie there are defined.
    #[inline]
    pub(super) fn is_defined(&self, at: u64, bytes: u8) -> bool {
        // SAFETY: bytes of an object.
        let init = unsafe { self.places().init_bits::<8>(at) };
        let all = all_init(bytes.into());
        init & all == all
    }

    /// The word around some bytes, if these can be accessed and are defined.
    #[inline(always)]
    pub fn defined_word(&self, address: Addr, bytes: u8, writes: bool) -> Option<u64> {
        let (places, length) = (self.places(), u64::from(bytes));
        let at = if writes { places.locate_writable(address, length) } else { places.locate(address, length) }?;
        // SAFETY: objects are padded to whole words.
        ((at & 7) + length <= 8 && self.is_defined(at, bytes)).then(|| unsafe { self.read::<8>(at & !7) })
    }

    /// The value, and its undefined bits.
    #[inline(always)]
    pub fn load<const N: usize>(&self, address: Addr) -> Result<(u64, u64), BadAccess> {
        let Some((value, init)) = self.places().load::<N>(address) else {
            return Err(BadAccess { address, bytes: N as u64, write: false });
        };
        let undefined = if init == all_init(N as u32) { 0 } else { self.undefined_at(address, init, N as u32) };
        Ok((value, undefined))
    }

    /// Whether 1, 2, 4 or 8 bytes are defined and hold this value.
    #[inline]
    pub fn holds(&self, address: Addr, bytes: u8, value: u64) -> bool {
        let places = self.places();
        let loaded = match bytes {
            1 => places.load::<1>(address),
            2 => places.load::<2>(address),
            4 => places.load::<4>(address),
            _ => places.load::<8>(address),
        };
        loaded == Some((value, all_init(bytes.into())))
    }

    /// Stores 1, 2, 4 or 8 bytes, if they can be written.
    #[inline]
    pub fn store_plain(&mut self, address: Addr, bytes: u8, value: u64) -> bool {
        let stored = match bytes {
            1 => self.store::<1>(address, value),
            2 => self.store::<2>(address, value),
            4 => self.store::<4>(address, value),
            _ => self.store::<8>(address, value),
        };
        stored.is_ok()
    }

    /// The undefined bits of bytes that are not all initialised.
    #[cold]
    #[inline(never)]
    pub fn undefined_at(&self, address: Addr, init: u32, bytes: u32) -> u64 {
        let byte = |i: u32| match init >> i & 1 {
            1 => 0,
            _ => u64::from(self.partial.get(&(address + u64::from(i))).copied().unwrap_or(0xff)),
        };
        (0..bytes).fold(0, |bits, i| bits | byte(i) << (8 * i))
    }

    #[inline(always)]
    pub(super) unsafe fn read<const N: usize>(&self, at: u64) -> u64 {
        // SAFETY: the caller vouches for `at .. at + N`.
        unsafe { self.places().read::<N>(at) }
    }

    #[inline(always)]
    pub(super) unsafe fn write<const N: usize>(&mut self, at: u64, value: u64) {
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

    /// Stores the low N bytes; all of them are initialised from here on.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, address: Addr, value: u64) -> Result<(), BadAccess> {
        self.store_undefined::<N>(address, value, 0)
    }

    /// Stores a value of which some bits are undefined.
    #[inline(always)]
    pub fn store_undefined<const N: usize>(
        &mut self,
        address: Addr,
        value: u64,
        undefined: u64,
    ) -> Result<(), BadAccess> {
        let Some(at) = self.locate_writable(address, N as u64) else {
            return Err(BadAccess { address, bytes: N as u64, write: true });
        };
        // SAFETY: it lies there.
        unsafe { self.store_at::<N>(address, at, value, undefined) };
        Ok(())
    }

    /// The same once it is known where `address` lies.
    ///
    /// # Safety
    /// `at` is what `locate_writable` gives for N bytes at `address`.
    #[inline(always)]
    pub unsafe fn store_at<const N: usize>(&mut self, address: Addr, at: u64, value: u64, undefined: u64) {
        if (at & 7) + N as u64 > 8 {
            return self.store_across::<N>(address, value, undefined);
        }
        // SAFETY: `at .. at + N` lies within an object and within an aligned word.
        unsafe {
            self.store_word::<N>(address, at, value);
            if undefined != 0 {
                self.set_init(address, at, N as u32, undefined);
            } else if self.places().init_bits::<N>(at) != all_init(N as u32) {
                self.set_all_init(address, at, N as u32);
            }
        }
    }

    /// Writes within an aligned word, and logs it.
    #[inline(always)]
    pub(super) unsafe fn store_word<const N: usize>(&mut self, address: Addr, at: u64, value: u64) {
        // SAFETY: the object's bytes are padded to 16, so the word around `at` is within the region.
        unsafe {
            let word = at & !7;
            let old = self.read::<8>(word);
            // Put together here: a read of the word that follows a write of its part would have to wait for it.
            let new = if N == 8 {
                value
            } else {
                let shift = (at & 7) * 8;
                let mask = ((1u64 << (N * 8 % 64)) - 1) << shift;
                old & !mask | value << shift & mask
            };
            self.write::<8>(word, new);
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

    /// Notes that `bytes` bytes at `at`, within one word, are initialised, which they were not.
    #[inline(never)]
    fn set_all_init(&mut self, address: Addr, at: u64, bytes: u32) {
        if !self.partial.is_empty() {
            return self.set_init(address, at, bytes, 0);
        }
        // SAFETY: `at` lies within an object.
        unsafe {
            let place = self.init.add((at >> 3) as usize);
            let old = *place;
            let new = old | (all_init(bytes) << (at & 7)) as u8;
            *place = new;
            self.log(Change { place: (address & !7) | INIT << TAG_SHIFT, old: old.into(), new: new.into() });
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
    pub(super) fn set_partial(&mut self, address: Addr, bits: u8) {
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

    /// Several of them, at these places from its start on, the last one last; nothing if not all of them are there.
    #[inline]
    pub fn load_u32s<const K: usize>(&self, address: Addr, places: [u64; K]) -> Option<[u32; K]> {
        let at = self.locate(address, places[K - 1] + 4)?;
        // SAFETY: all of them lie within an object.
        Some(places.map(|place| unsafe { self.read::<4>(at + place) } as u32))
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
        if length >= LONG {
            return self.fill_long(address, byte, length);
        }
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

    fn fill_long(&mut self, address: Addr, byte: u8, length: u64) -> Result<(), BadAccess> {
        let Some(at) = self.locate_writable(address, length) else {
            return Err(BadAccess { address, bytes: length, write: true });
        };
        let (before, words) = Self::whole_words(at, length);
        self.fill(address, byte, before)?;
        // SAFETY: whole words of the range that was located.
        unsafe {
            self.write_range(address + before, at + before, words, |bytes, init| {
                bytes.write_bytes(byte, words as usize);
                init.write_bytes(0xff, words as usize / 8);
            });
        }
        self.fill(address + before + words, byte, length - before - words)
    }

    /// What a fresh object holds, which is zero, counts as written.
    pub fn define(&mut self, address: Addr, length: u64) {
        match self.locate_writable(address, length) {
            Some(at) if length >= LONG => {
                let words = length & !7;
                // SAFETY: whole words of the range that was located.
                unsafe {
                    self.write_range(address, at, words, |_, init| init.write_bytes(0xff, words as usize / 8));
                }
                self.fill(address + words, 0, length - words).expect("it was located");
            }
            _ => self.fill(address, 0, length).expect("a fresh object"),
        }
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
        if (to | from | length) & 7 == 0 && length <= 64 && (to + length <= from || from + length <= to) {
            return self.copy_words(to, from, length);
        }
        if length >= LONG && (to ^ from) & 7 == 0 && self.partial.is_empty() {
            return self.copy_long(to, from, length);
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

    /// A long range of the same alignment, in which no byte is undefined in part. The ranges have been checked.
    fn copy_long(&mut self, to: Addr, from: Addr, length: u64) -> Result<(), BadAccess> {
        let (source, target) = (self.locate(from, length), self.locate_writable(to, length));
        let (Some(source), Some(target)) = (source, target) else { unreachable!("the ranges were checked") };
        let (before, words) = Self::whole_words(target, length);
        let (first, last) = (0..before, before + words..length);
        // What the ends hold, before something is written that they may overlap with.
        let ends: Vec<(u64, (u64, u64))> =
            first.chain(last).map(|i| Ok((i, self.load::<1>(from + i)?))).collect::<Result<_, _>>()?;
        // SAFETY: whole words of ranges that were located; they may overlap.
        unsafe {
            let bytes_from = self.bytes.add((source + before) as usize);
            let init_from = self.init.add(((source + before) >> 3) as usize);
            self.write_range(to + before, target + before, words, |bytes, init| {
                bytes.copy_from(bytes_from, words as usize);
                init.copy_from(init_from, words as usize / 8);
            });
        }
        ends.into_iter().try_for_each(|(i, (byte, undefined))| self.store_undefined::<1>(to + i, byte, undefined))
    }

    /// A few whole words that do not overlap, as when a structure is assigned. The ranges have been checked.
    #[inline]
    fn copy_words(&mut self, to: Addr, from: Addr, length: u64) -> Result<(), BadAccess> {
        let (source, target) = (self.locate(from, length), self.locate_writable(to, length));
        let (Some(source), Some(target)) = (source, target) else { unreachable!("the ranges were checked") };
        for i in (0..length).step_by(8) {
            // SAFETY: both ranges lie within objects; aligned addresses are aligned places.
            unsafe {
                let (value, init) = (self.read::<8>(source + i), self.places().init_bits::<8>(source + i));
                let undefined = if init == all_init(8) { 0 } else { self.undefined_at(from + i, init, 8) };
                self.store_at::<8>(to + i, target + i, value, undefined);
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
}
