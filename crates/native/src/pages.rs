//! Which pages of large pieces of memory were written since they were copied last. A page that was copied is read-only from then on; whoever
//! writes to it, the program or the engine, takes a fault that is noted here, and goes on. So a copy of a large heap costs as much as what was
//! written since the last one, and so does the way back.
//!
//! A page that is written again and again is not worth the faults: it is copied each time.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};

use crate::lock;

pub const PAGE: usize = 4096;
/// Pieces that are shorter are copied as they are.
pub const LARGE: usize = 256 << 10;
const MOST_REGIONS: usize = 64;
/// The longest piece: a heap.
const MOST_PAGES: usize = (1 << 30) / PAGE;

/// The state of a page: whether it is read-only, and how often somebody has written to it all the same.
const READ_ONLY: u8 = 1;
const ONCE_WRITTEN: u8 = 2;
const HOT: u8 = 4 * ONCE_WRITTEN;

type Page = [u8; PAGE];

/// What the handler of faults knows of a piece: where it begins, how many pages it has, and their states.
struct Region {
    from: AtomicU64,
    pages: AtomicUsize,
    states: AtomicPtr<AtomicU8>,
}

static REGIONS: [Region; MOST_REGIONS] =
    [const { Region { from: AtomicU64::new(0), pages: AtomicUsize::new(0), states: AtomicPtr::new(null_mut()) } };
        MOST_REGIONS];

/// Of each region, what its pages hold that nobody has written to since.
static KNOWN: Mutex<Vec<Vec<Option<Arc<Page>>>>> = Mutex::new(Vec::new());

/// What the whole pages of a piece held.
pub struct Kept {
    region: usize,
    pages: Vec<Arc<Page>>,
}

static VERIFIES: OnceLock<AtomicBool> = OnceLock::new();

fn asked() -> &'static AtomicBool {
    VERIFIES.get_or_init(|| AtomicBool::new(std::env::var_os("THREADBARE_NATIVE_VERIFY").is_some()))
}

/// For tests: short pieces count as large, and all memory is compared after each way back.
pub fn verifies() -> bool {
    asked().load(Relaxed)
}

pub fn verify_copies(verifies: bool) {
    asked().store(verifies, Relaxed);
}

/// The whole pages of a piece of memory: from and to. `None` if it is copied as it is.
pub fn whole_pages(at: u64, length: usize) -> Option<(u64, u64)> {
    let (from, to) = (at.next_multiple_of(PAGE as u64), (at + length as u64) / PAGE as u64 * PAGE as u64);
    let large = length >= if verifies() { 1 } else { LARGE };
    (large && from < to && (to - from) as usize / PAGE <= MOST_PAGES).then_some((from, to))
}

fn protect(from: u64, pages: usize, read_only: bool) -> bool {
    let how = if read_only { libc::PROT_READ } else { libc::PROT_READ | libc::PROT_WRITE };
    // SAFETY: memory of the program, which stays readable.
    pages == 0 || unsafe { libc::mprotect(from as *mut libc::c_void, pages * PAGE, how) } == 0
}

fn mark(states: &[AtomicU8], read_only: bool) {
    for state in states {
        let others = state.load(Relaxed) & !READ_ONLY;
        state.store(others | if read_only { READ_ONLY } else { 0 }, Relaxed);
    }
}

impl Region {
    fn from(&self) -> u64 {
        self.from.load(Relaxed)
    }

    fn states(&self) -> &[AtomicU8] {
        let states = self.states.load(Relaxed);
        if states.is_null() {
            return &[];
        }
        // SAFETY: as long as that, and it stays.
        unsafe { std::slice::from_raw_parts(states, self.pages.load(Relaxed)) }
    }

    fn page(&self, number: usize) -> u64 {
        self.from() + (number * PAGE) as u64
    }

    /// All of it may be written. The handler of faults calls it, too: it allocates nothing.
    fn open(&self) {
        let (states, mut next) = (self.states(), 0);
        let is_closed = |number: usize| states[number].load(Relaxed) & READ_ONLY != 0;
        while next < states.len() {
            let to = (next..states.len()).find(|&number| !is_closed(number)).unwrap_or(states.len());
            protect(self.page(next), to - next, false);
            mark(&states[next..to], false);
            next = to + 1;
        }
    }

    /// These pages may not be written from here on. Where the system has no room to remember that, all may be.
    fn close(&self, from: usize, to: usize) {
        if protect(self.page(from), to - from, true) {
            mark(&self.states()[from..to], true);
        } else {
            self.open();
        }
    }
}

/// Somebody has written to a page that is read-only, if it is: whether he can go on.
pub fn note(fault: u64) -> bool {
    for region in &REGIONS {
        let number = (fault.wrapping_sub(region.from()) / PAGE as u64) as usize;
        let Some(state) = region.states().get(number).filter(|state| state.load(Relaxed) & READ_ONLY != 0) else {
            continue;
        };
        // SAFETY: of this thread.
        let errno = unsafe { *libc::__errno_location() };
        if !protect(region.page(number), 1, false) {
            region.open();
        }
        let before = state.load(Relaxed);
        state.store((before & !READ_ONLY).saturating_add(ONCE_WRITTEN), Relaxed);
        // SAFETY: the same.
        unsafe { *libc::__errno_location() = errno };
        return true;
    }
    false
}

/// The region that begins there, which may be new, with room for so many pages. `None` if there are too many.
fn region(from: u64, pages: usize, known: &mut Vec<Vec<Option<Arc<Page>>>>) -> Option<usize> {
    let found = REGIONS.iter().position(|region| region.from() == from || region.from() == 0)?;
    let region = &REGIONS[found];
    if region.from() == 0 {
        let states = (0..MOST_PAGES).map(|_| AtomicU8::new(0)).collect::<Vec<AtomicU8>>();
        region.states.store(Box::leak(states.into_boxed_slice()).as_mut_ptr(), Relaxed);
        region.from.store(from, Relaxed);
        known.push(Vec::new());
    }
    if known[found].len() < pages {
        known[found].resize(pages, None);
        region.pages.store(pages, Relaxed);
    }
    Some(found)
}

/// How many bytes a copy of these pages would take.
pub fn to_copy(from: u64, to: u64) -> usize {
    let pages = (to - from) as usize / PAGE;
    let states = REGIONS.iter().find(|region| region.from() == from).map_or(&[][..], Region::states);
    let clean = states.iter().take(pages).filter(|state| state.load(Relaxed) & READ_ONLY != 0).count();
    (pages - clean) * PAGE + pages * size_of::<usize>()
}

/// Keeps what whole pages hold.
pub fn keep(from: u64, to: u64) -> Option<Kept> {
    let mut known = lock(&KNOWN);
    let count = (to - from) as usize / PAGE;
    let region = region(from, count, &mut known)?;
    let (known, place) = (&mut known[region], &REGIONS[region]);
    let mut pages = Vec::with_capacity(count);
    let mut fresh = Runs::default();
    for (number, state) in place.states()[..count].iter().enumerate() {
        let state = state.load(Relaxed);
        if state & READ_ONLY == 0 {
            // SAFETY: a page of the program's memory that is in use, and nobody runs.
            let now = unsafe { &*(place.page(number) as *const Page) };
            if known[number].as_deref() != Some(now) {
                known[number] = Some(Arc::new(*now));
            }
            if state < HOT {
                fresh.add(number);
            }
        }
        pages.push(known[number].clone().expect("it was copied"));
    }
    fresh.each(|from, to| place.close(from, to));
    Some(Kept { region, pages })
}

/// The pages hold again what they held.
pub fn restore(kept: &Kept) {
    let (known, place) = (&mut lock(&KNOWN)[kept.region], &REGIONS[kept.region]);
    let (mut others, mut written) = (Runs::default(), Runs::default());
    let states = place.states();
    for (number, page) in kept.pages.iter().enumerate() {
        let state = states[number].load(Relaxed);
        let same = known[number].as_ref().is_some_and(|now| Arc::ptr_eq(now, page));
        match state & READ_ONLY != 0 {
            true if same => continue,
            true => others.add(number),
            false => {}
        }
        if state < HOT {
            written.add(number);
        }
    }
    others.each(|from, to| {
        if !protect(place.page(from), to - from, false) {
            place.open();
        }
        mark(&states[from..to], false);
    });
    for (number, page) in
        kept.pages.iter().enumerate().filter(|(number, _)| states[*number].load(Relaxed) & READ_ONLY == 0)
    {
        // SAFETY: where it was read, which is still mapped and may be written, and nobody runs.
        unsafe { *(place.page(number) as *mut Page) = **page };
        known[number] = Some(page.clone());
    }
    written.each(|from, to| place.close(from, to));
}

/// All memory may be written, and nothing is known of it any more.
pub fn forget() {
    for (region, known) in REGIONS.iter().zip(lock(&KNOWN).iter_mut()) {
        region.open();
        known.fill(None);
    }
}

/// Numbers that come in order, as ranges.
#[derive(Default)]
struct Runs(Vec<(usize, usize)>);

impl Runs {
    fn add(&mut self, number: usize) {
        match self.0.last_mut() {
            Some((_, to)) if *to == number => *to += 1,
            _ => self.0.push((number, number + 1)),
        }
    }

    fn each(&self, f: impl Fn(usize, usize)) {
        self.0.iter().for_each(|&(from, to)| f(from, to));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the handler does: the page can be written from then on.
    fn write(at: u64, byte: u8) -> bool {
        let noted = note(at);
        // SAFETY: of the test, and writable now.
        unsafe { *(at as *mut u8) = byte };
        noted
    }

    #[test]
    fn what_was_written_is_copied_and_restored() {
        const PAGES: usize = 100;
        let memory = 0x1e00_0000_0000;
        crate::image::map(memory, (PAGES * PAGE) as u64).expect("free addresses");
        let (from, to) = whole_pages(memory, PAGES * PAGE).expect("it is large");
        let page = |number: usize| memory + (number * PAGE) as u64;
        let bytes_to_copy = |pages: usize| pages * PAGE + PAGES * size_of::<usize>();
        // SAFETY: mapped above.
        let byte = |at: u64| unsafe { *(at as *const u8) };
        assert!(!note(page(3)) && to_copy(from, to) == bytes_to_copy(PAGES));
        let first = keep(from, to).expect("room");
        assert_eq!(to_copy(from, to), bytes_to_copy(0));
        assert!(write(page(3), 7) && !write(page(3) + 1, 8) && write(page(99), 9));
        assert_eq!(to_copy(from, to), bytes_to_copy(2));
        let second = keep(from, to).expect("room");
        assert!(write(page(4), 1));
        for _ in 0..6 {
            restore(&first);
            assert_eq!((byte(page(3)), byte(page(4)), byte(page(99))), (0, 0, 0));
            write(page(3), 5);
            restore(&second);
            assert_eq!((byte(page(3)), byte(page(3) + 1), byte(page(4)), byte(page(99))), (7, 8, 0, 9));
        }
        // By now, page 3 is not worth a fault any more.
        assert!(!write(page(3), 6) && to_copy(from, to) == bytes_to_copy(1));
        restore(&second);
        assert_eq!(byte(page(3)), 7);
        forget();
        assert!(!write(page(50), 1) && to_copy(from, to) == bytes_to_copy(PAGES));
    }
}
