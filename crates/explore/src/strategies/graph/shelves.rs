//! A list that grows while several workers read and write what is in it. Nothing is ever moved: it lies on shelves of the same
//! length, each of which is made when somebody comes to it. What nobody has written to takes no memory.

use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::room::{Room, Zero, fetch};
use crate::crew::lock;

/// So many places has a shelf, and so many there may be.
const PLACES: usize = 1 << 20;
const MOST: usize = 1 << 31;

pub struct Shelves<T> {
    /// Where each begins, if there is one.
    starts: Box<[AtomicPtr<T>]>,
    made: Mutex<Vec<Room<T>>>,
}

impl<T> Default for Shelves<T> {
    fn default() -> Self {
        let starts = (0..MOST / PLACES).map(|_| AtomicPtr::default()).collect();
        Shelves { starts, made: Mutex::default() }
    }
}

impl<T: Zero> Shelves<T> {
    /// What is there; something empty, if nobody has put anything there.
    #[inline]
    pub fn at(&self, index: u32) -> &T {
        let shelf = index as usize / PLACES;
        let mut start = self.starts[shelf].load(Ordering::Acquire);
        if start.is_null() {
            start = self.make(shelf);
        }
        // SAFETY: a shelf has so many places, and stays.
        unsafe { &*start.add(index as usize % PLACES) }
    }

    /// The same, where an empty shelf need not be made.
    #[inline]
    pub fn get(&self, index: u32) -> Option<&T> {
        let start = self.starts[index as usize / PLACES].load(Ordering::Acquire);
        // SAFETY: as above.
        (!start.is_null()).then(|| unsafe { &*start.add(index as usize % PLACES) })
    }

    /// Somebody is going to look at it soon.
    #[inline]
    pub fn fetch(&self, index: u32) {
        fetch(self.starts[index as usize / PLACES].load(Ordering::Relaxed).wrapping_add(index as usize % PLACES));
    }

    #[cold]
    fn make(&self, shelf: usize) -> *mut T {
        let mut made = lock(&self.made);
        let start = &self.starts[shelf];
        if start.load(Ordering::Relaxed).is_null() {
            let mut room = if shelf == 0 { Room::growing(PLACES) } else { Room::new(PLACES) };
            start.store(room.as_mut_ptr(), Ordering::Release);
            made.push(room);
        }
        start.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn every_place_is_another_one() {
        let shelves = Shelves::<AtomicU64>::default();
        let places = || (0..3 * PLACES as u32).step_by(1000).chain([PLACES as u32 - 1, PLACES as u32]);
        assert!(shelves.get(5).is_none());
        places().for_each(|index| shelves.at(index).store(u64::from(index) + 1, Ordering::Relaxed));
        for index in places() {
            assert_eq!(shelves.get(index).map(|it| it.load(Ordering::Relaxed)), Some(u64::from(index) + 1), "{index}");
        }
        assert_eq!(shelves.at(7).load(Ordering::Relaxed), 0);
    }
}
