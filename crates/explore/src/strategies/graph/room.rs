//! Room for very many small things, with all bits zero. Large rooms ask for large pages: what is looked for in them lies
//! anywhere, and every look would miss the processor's table of pages as well.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;

use memmap2::MmapMut;

/// What may have all bits zero, and has nothing to do when it goes.
///
/// # Safety
/// That is so.
pub unsafe trait Zero: Sized {}

// SAFETY: a number.
unsafe impl Zero for AtomicU64 {}

/// A large page.
const PAGE: usize = 2 << 20;

pub struct Room<T> {
    bytes: Bytes,
    start: *mut T,
    length: usize,
}

enum Bytes {
    Few(Box<[u64]>),
    Many(MmapMut),
}

// SAFETY: it owns what is in it.
unsafe impl<T: Send> Send for Room<T> {}
// SAFETY: it lends what is in it.
unsafe impl<T: Sync> Sync for Room<T> {}

impl<T: Zero> Room<T> {
    /// All of it will be used.
    pub fn new(length: usize) -> Room<T> {
        Room::with(length, PAGE, 0)
    }

    /// It will be used from its start on: until it has come to be large, small pages do.
    pub fn growing(length: usize) -> Room<T> {
        Room::with(length, PAGE, PAGE)
    }

    /// One that can be made empty.
    pub fn mapped(length: usize) -> Room<T> {
        Room::with(length, 1, 0)
    }

    fn with(length: usize, least: usize, small: usize) -> Room<T> {
        assert!(align_of::<T>() <= align_of::<u64>() && size_of::<T>() > 0);
        let size = size_of::<T>() * length;
        // Large pages lie at multiples of their size. What is not used takes no memory.
        let room = if size >= PAGE { size + PAGE } else { size };
        let mut bytes = match (size >= least).then(|| MmapMut::map_anon(room)) {
            Some(Ok(map)) => Bytes::Many(map),
            _ => Bytes::Few(vec![0; size.div_ceil(size_of::<u64>())].into_boxed_slice()),
        };
        let start = match &mut bytes {
            Bytes::Few(words) => words.as_mut_ptr().cast(),
            Bytes::Many(map) if size >= PAGE => {
                let before = map.as_ptr().align_offset(PAGE);
                // It does as well without.
                #[cfg(target_os = "linux")]
                let _ = map.advise_range(memmap2::Advice::HugePage, before + small, size - small);
                map[before..].as_mut_ptr().cast()
            }
            Bytes::Many(map) => map.as_mut_ptr().cast(),
        };
        Room { bytes, start, length }
    }
}

impl Room<AtomicU64> {
    /// Gives its memory back, while others may be reading: what they find is as it was, or zero. Where that is not possible, it stays.
    pub fn empty(&self) {
        // SAFETY: it is read and written atomically, and zero is as good as anything.
        #[cfg(target_os = "linux")]
        if let Bytes::Many(map) = &self.bytes {
            let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }
}

impl<T> Deref for Room<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        debug_assert!(matches!(self.bytes, Bytes::Few(_)) || self.length > 0);
        // SAFETY: room for so many, all of them zero at first.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl<T> DerefMut for Room<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and nobody else has it.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.length) }
    }
}

/// It will be read soon.
#[inline(always)]
pub fn fetch<T>(what: *const T) {
    // SAFETY: a hint, whatever is there.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(what.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}

#[cfg(test)]
mod tests {
    use super::*;

    // SAFETY: numbers.
    unsafe impl Zero for u32 {}

    #[test]
    fn rooms_of_any_size_are_empty_and_keep_what_is_put_there() {
        for length in [0, 1, 7, 1000, PAGE / 4 - 1, PAGE / 4, PAGE + 3] {
            let mut room = Room::<u32>::new(length);
            assert!(room.len() == length && room.iter().all(|&it| it == 0));
            room.iter_mut().zip(1..).for_each(|(it, number)| *it = number);
            assert!(room.iter().zip(1..).all(|(&it, number)| it == number));
        }
    }
}
