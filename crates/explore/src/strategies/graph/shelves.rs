//! A list that grows while several workers read and write what is in it. Nothing is ever moved: it lies on shelves, each a
//! quarter of what there was when the last doubling began, so that at most a quarter of it is empty.

use std::sync::OnceLock;

/// The first shelves have 256 places each.
const FIRST_BITS: u32 = 10;
const SHELVES: usize = 4 * (33 - FIRST_BITS as usize);

pub struct Shelves<T>([OnceLock<Box<[T]>>; SHELVES]);

impl<T> Default for Shelves<T> {
    fn default() -> Self {
        Shelves([const { OnceLock::new() }; SHELVES])
    }
}

/// The shelf, the place on it, and how many there are on it.
#[inline]
fn locate(index: u32) -> (usize, usize, usize) {
    let position = u64::from(index) + (1 << FIRST_BITS);
    let bits = position.ilog2();
    let size = 1usize << (bits - 2);
    let shelf = 4 * (bits - FIRST_BITS) as usize + ((position >> (bits - 2)) & 3) as usize;
    (shelf, position as usize & (size - 1), size)
}

impl<T: Default> Shelves<T> {
    /// What is there; something empty, if nobody has put anything there.
    #[inline]
    pub fn at(&self, index: u32) -> &T {
        let (shelf, place, size) = locate(index);
        &self.0[shelf].get_or_init(|| (0..size).map(|_| T::default()).collect())[place]
    }

    /// The same, where an empty shelf need not be made.
    #[inline]
    pub fn get(&self, index: u32) -> Option<&T> {
        let (shelf, place, _) = locate(index);
        Some(&self.0[shelf].get()?[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_another_one() {
        let mut expected = (0, 0);
        for index in 0..100_000 {
            let (shelf, place, size) = locate(index);
            assert_eq!((shelf, place), expected, "{index}");
            expected = if place + 1 == size { (shelf + 1, 0) } else { (shelf, place + 1) };
        }
        assert!(locate(u32::MAX).0 < SHELVES);
    }
}
