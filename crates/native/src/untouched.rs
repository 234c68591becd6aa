//! Pages of the program's variables that nobody has written so far, in any execution: they hold what they held at first, so that nobody has
//! to copy them, or to restore them. They are read-only, and the first write to one takes a fault that is noted here: one for
//! the whole search. Most of what the C library has is never touched.
//!
//! A copy of the program that was made before the first write to a page does not have it: who goes back to that copy has to know which
//! pages were written since (`count`, `since`), and they get what they held at first.
//!
//! Large variables are not for this: pages.rs looks after them, and knows more.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::pages::{LARGE, PAGE};

/// A bit for each page.
const MOST: usize = LARGE / PAGE;
const WORDS: usize = MOST / 64;
/// A shared object has one segment of variables, or two.
const MOST_SEGMENTS: usize = 4;

/// What the handler of faults knows: where the pages begin, how many there are, and which were not written.
struct Segment {
    from: AtomicU64,
    pages: AtomicUsize,
    untouched: [AtomicU64; WORDS],
}

static SEGMENTS: [Segment; MOST_SEGMENTS] = [const {
    Segment { from: AtomicU64::new(0), pages: AtomicUsize::new(0), untouched: [const { AtomicU64::new(0) }; WORDS] }
}; MOST_SEGMENTS];

/// The pages that were written, as they came.
static WRITTEN: [AtomicU64; MOST_SEGMENTS * MOST] = [const { AtomicU64::new(0) }; MOST_SEGMENTS * MOST];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// How many pages were written so far.
pub fn count() -> usize {
    COUNT.load(Relaxed)
}

/// Those that were written when there had been so many.
pub fn since(count: usize) -> impl Iterator<Item = u64> {
    WRITTEN[count..COUNT.load(Relaxed)].iter().map(|page| page.load(Relaxed))
}

/// Of one piece of memory.
pub struct Untouched(Option<&'static Segment>);

fn protect(at: u64, pages: usize, how: libc::c_int) -> bool {
    // SAFETY: whole pages of the program's variables, which stay readable.
    pages == 0 || unsafe { libc::mprotect(at as *mut libc::c_void, pages * PAGE, how) } == 0
}

impl Segment {
    fn is_untouched(&self, page: usize) -> bool {
        self.untouched[page / 64].load(Relaxed) >> (page % 64) & 1 == 1
    }

    fn touch(&self, page: usize) {
        self.untouched[page / 64].fetch_and(!(1 << (page % 64)), Relaxed);
        // Once for each page, so that there is room for all.
        WRITTEN[COUNT.fetch_add(1, Relaxed)].store(self.page(page), Relaxed);
    }

    fn page(&self, number: usize) -> u64 {
        self.from.load(Relaxed) + (number * PAGE) as u64
    }
}

impl Untouched {
    /// The whole pages of these variables are untouched from here on.
    pub fn new(at: u64, length: usize) -> Untouched {
        let from = at.next_multiple_of(PAGE as u64);
        let pages = ((at + length as u64).saturating_sub(from)) as usize / PAGE;
        let segment = SEGMENTS.iter().find(|segment| segment.pages.load(Relaxed) == 0);
        let Some(segment) = segment.filter(|_| length < LARGE && pages > 0) else { return Untouched(None) };
        if !protect(from, pages, libc::PROT_READ) {
            return Untouched(None);
        }
        segment.from.store(from, Relaxed);
        segment.pages.store(pages, Relaxed);
        (0..pages).for_each(|page| _ = segment.untouched[page / 64].fetch_or(1 << (page % 64), Relaxed));
        Untouched(Some(segment))
    }

    /// The rest of the variables, which are these: address and length of each part.
    pub fn others(&self, at: u64, length: usize) -> impl Iterator<Item = (u64, usize)> + use<> {
        let end = at + length as u64;
        let segment = self.0;
        let pages = segment.map_or(0, |segment| segment.pages.load(Relaxed));
        let (mut next, mut page) = (at, 0);
        std::iter::from_fn(move || {
            let segment = segment.filter(|_| page < pages);
            // Up to the next page that is untouched; behind it and those that follow it goes on.
            let from = next;
            let untouched = segment.and_then(|segment| (page..pages).find(|&page| segment.is_untouched(page)));
            let to = segment.zip(untouched).map_or(end, |(segment, untouched)| {
                let behind = (untouched..pages).find(|&page| !segment.is_untouched(page)).unwrap_or(pages);
                (page, next) = (behind, segment.page(behind));
                segment.page(untouched)
            });
            if untouched.is_none() {
                (page, next) = (pages, end);
            }
            (from < end).then_some((from, (to - from) as usize))
        })
        .filter(|(_, length)| *length > 0)
    }
}

/// Somebody has written to an untouched page, if it is one: whether he can go on.
pub fn note(fault: u64) -> bool {
    for segment in &SEGMENTS {
        let page = (fault.wrapping_sub(segment.from.load(Relaxed)) / PAGE as u64) as usize;
        if page < segment.pages.load(Relaxed) && segment.is_untouched(page) {
            // SAFETY: of this thread.
            let errno = unsafe { *libc::__errno_location() };
            let opened = protect(segment.page(page), 1, libc::PROT_READ | libc::PROT_WRITE);
            segment.touch(page);
            // SAFETY: the same.
            unsafe { *libc::__errno_location() = errno };
            return opened;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_known() {
        let memory = 0x1d00_0000_0000;
        crate::image::map(memory, 8 * PAGE as u64).expect("free addresses");
        let (at, length) = (memory + 100, 7 * PAGE);
        let untouched = Untouched::new(at, length);
        let page = |number: usize| memory + (number * PAGE) as u64;
        let others = || untouched.others(at, length).map(|(at, length)| (at - memory, length)).collect::<Vec<_>>();
        let ends = [(100, PAGE - 100), (7 * PAGE as u64, 100)];
        assert_eq!(others(), ends);
        assert!(!note(page(0)) && !note(page(7)) && !note(page(9)) && note(page(3) + 5) && !note(page(3)));
        // SAFETY: mapped above, and writable now.
        unsafe { *(page(3) as *mut u8) = 1 };
        assert_eq!(others(), [ends[0], (3 * PAGE as u64, PAGE), ends[1]]);
        let before = count();
        assert!(note(page(1)) && note(page(4)) && note(page(6)));
        assert_eq!(since(before).collect::<Vec<_>>(), [1, 4, 6].map(page));
        assert_eq!(others(), [(100, 2 * PAGE - 100), (3 * PAGE as u64, 2 * PAGE), (6 * PAGE as u64, PAGE + 100)]);
        assert_eq!(Untouched(None).others(at, length).collect::<Vec<_>>(), [(at, length)]);
    }
}
