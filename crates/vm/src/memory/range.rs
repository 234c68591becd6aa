//! Writes of long ranges: one entry of the log, instead of one or two for each word.
//!
//! The entry says which words were written; what they held before lies with it, unless nobody can go back to it: because
//! the object is younger than the last mark, or because it was kept already since then.

use super::*;

/// From this length on a write is a long one.
pub(super) const LONG: u64 = 1 << 12;

/// In the place of where the old contents lie.
const NOT_KEPT: u64 = u64::MAX;

impl Memory {
    /// Writes whole words of one object by `write`, which is given where their bytes and their bits of what is initialised
    /// lie.
    ///
    /// # Safety
    /// The words lie within one object that can be written, at `at`, and `write` touches nothing else.
    pub(super) unsafe fn write_range(
        &mut self,
        address: Addr,
        at: u64,
        length: u64,
        write: impl FnOnce(*mut u8, *mut u8),
    ) {
        debug_assert!((address | at | length) & 7 == 0);
        self.forget_partial(address, length);
        let kept = self.keep_range(address, at, length);
        if self.hashing {
            self.hash ^= self.range_hash(address, at, length);
        }
        // SAFETY: the caller vouches for the range.
        unsafe { write(self.bytes.add(at as usize), self.init.add((at >> 3) as usize)) };
        if self.hashing {
            self.hash ^= self.range_hash(address, at, length);
        }
        self.log(Change { place: address | RANGE << TAG_SHIFT, old: kept, new: length });
    }

    /// Keeps what a range holds, if somebody may go back to it. Gives where.
    fn keep_range(&mut self, address: Addr, at: u64, length: u64) -> u64 {
        let is_young = self.object_at(address).is_none_or(|(_, object)| object.born == self.marks.len() as u32);
        let range = address..address + length;
        if is_young || self.kept_ranges.iter().any(|kept| kept.start <= range.start && range.end <= kept.end) {
            return NOT_KEPT;
        }
        self.kept_ranges.push(range);
        let kept = self.saves.len();
        let words = (length / 8) as usize;
        self.saves.reserve(words + words.div_ceil(8));
        // SAFETY: the range lies within the object. Its bits are copied by bytes, as they may lie anywhere.
        unsafe {
            let bytes = self.bytes.add(at as usize).cast::<u64>();
            self.saves.extend_from_slice(std::slice::from_raw_parts(bytes, words));
            let init = std::slice::from_raw_parts(self.init.add((at >> 3) as usize), words);
            self.saves.extend(init.chunks(8).map(|bits| {
                let mut word = [0; 8];
                word[..bits.len()].copy_from_slice(bits);
                u64::from_le_bytes(word)
            }));
        }
        kept as u64
    }

    pub(super) fn undo_range(&mut self, address: Addr, kept: u64, length: u64) {
        let Some(at) = self.locate(address, length).filter(|_| kept != NOT_KEPT) else { return };
        let words = (length / 8) as usize;
        let (bytes, bits) = self.saves[kept as usize..].split_at(words);
        // SAFETY: the range lies within the object, and so many words and bits were kept.
        unsafe {
            self.bytes.add(at as usize).cast::<u64>().copy_from_nonoverlapping(bytes.as_ptr(), words);
            self.init.add((at >> 3) as usize).copy_from_nonoverlapping(bits.as_ptr().cast(), words);
        }
    }

    /// The whole words of a range of which the first lies at `at`: how many bytes there are before them, and in them.
    pub(super) fn whole_words(at: u64, length: u64) -> (u64, u64) {
        let before = at.next_multiple_of(8) - at;
        (before.min(length), length.saturating_sub(before) & !7)
    }
}
