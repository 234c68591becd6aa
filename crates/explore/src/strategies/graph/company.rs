//! Changes that several workers may make at once. Where there is only one, plain loads and stores do, which take a tenth of the
//! time.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

#[derive(Clone, Copy)]
pub struct Company {
    pub alone: bool,
}

impl Company {
    /// What it was before.
    #[inline]
    pub fn add_bits(self, to: &AtomicU64, bits: u64) -> u64 {
        if !self.alone {
            return to.fetch_or(bits, Ordering::SeqCst);
        }
        let before = to.load(Ordering::Relaxed);
        to.store(before | bits, Ordering::Relaxed);
        before
    }

    /// What it was before.
    #[inline]
    pub fn remove_bits(self, of: &AtomicU64, bits: u64) -> u64 {
        if !self.alone {
            return of.fetch_and(!bits, Ordering::SeqCst);
        }
        let before = of.load(Ordering::Relaxed);
        of.store(before & !bits, Ordering::Relaxed);
        before
    }

    /// Whether nothing was there: then this is.
    #[inline]
    pub fn fill(self, place: &AtomicU64, with: u64) -> bool {
        if self.alone {
            let is_empty = place.load(Ordering::Relaxed) == 0;
            if is_empty {
                place.store(with, Ordering::Relaxed);
            }
            return is_empty;
        }
        place.compare_exchange(0, with, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// What it was before.
    #[inline]
    pub fn change(self, of: &AtomicU32, to: impl Fn(u32) -> u32) -> u32 {
        let mut before = of.load(Ordering::Relaxed);
        if self.alone {
            of.store(to(before), Ordering::Relaxed);
            return before;
        }
        loop {
            match of.compare_exchange_weak(before, to(before), Ordering::SeqCst, Ordering::Relaxed) {
                Ok(_) => return before,
                Err(other) => before = other,
            }
        }
    }

    /// What was written before this and is read after it is in one order that everybody agrees on.
    #[inline]
    pub fn fence(self) {
        if !self.alone {
            fence(Ordering::SeqCst);
        }
    }
}
