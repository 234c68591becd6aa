//! The program's memory as the engine reads and writes it: never where it could not.

use std::ffi::CStr;

use smallvec::SmallVec;
use threadbare_core::Tid;

use crate::image;
use crate::run::Run;

/// What is stored at once and is longer than that counts as a change.
const MOST_COMPARED: u64 = 16;

impl Run {
    /// Whether the program can access these bytes.
    pub fn is_mapped(&self, address: u64, length: u64) -> bool {
        let last = address.saturating_add(length - 1);
        let is_there = |thread: Option<usize>| thread.is_some_and(|thread| thread < self.threads.len());
        [address, last].iter().all(|&at| {
            self.program.image.is_loaded(at)
                || is_there(image::thread_of_stack(at))
                || self.program.has_evaluator() && image::is_evaluators(at)
                || image::thread_of_heap(at)
                    .is_some_and(|thread| self.threads.get(thread).is_some_and(|thread| at < thread.fiber.heap))
        })
    }

    pub fn word(&self, address: u64) -> Option<u32> {
        self.number(address, 4).map(|number| number as u32)
    }

    /// A little-endian number of up to eight bytes in the program's memory.
    pub fn number(&self, address: u64, length: usize) -> Option<u64> {
        // SAFETY: mapped, there is room, and nobody else runs.
        (length <= 8 && self.is_mapped(address, length as u64)).then(|| unsafe {
            // Those that atomic operations have, without a call.
            match length {
                1 => (address as *const u8).read().into(),
                2 => (address as *const u16).read_unaligned().into(),
                4 => (address as *const u32).read_unaligned().into(),
                8 => (address as *const u64).read_unaligned(),
                _ => {
                    let mut bytes = [0; 8];
                    std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), length);
                    u64::from_le_bytes(bytes)
                }
            }
        })
    }

    pub fn bytes(&self, address: u64, length: usize) -> SmallVec<[u8; 16]> {
        // SAFETY: mapped, and nobody else runs.
        SmallVec::from_slice(unsafe { std::slice::from_raw_parts(address as *const u8, length) })
    }

    /// The operation stores something here: whether that is a change is known once it has.
    pub fn expect_store(&mut self, address: u64, size: u64) {
        if size <= MOST_COMPARED && self.is_mapped(address, size) {
            self.stored = Some((address, self.bytes(address, size as usize)));
        }
    }

    /// Whether an operation touches nothing but local variables of its thread: what is in them belongs to its local state. A
    /// variable that others have touched as well is not only that; if there were rounds that took it for one, the search
    /// has to begin again.
    pub fn is_own_local(&mut self, tid: Tid, address: u64, size: u64, writes: bool) -> bool {
        let Some(owner) = image::thread_of_stack(address).filter(|_| size > 0) else { return false };
        let own = owner == tid.index();
        if own && size > MOST_COMPARED {
            return false;
        }
        self.note_locals(address, size, own, writes)
    }

    /// Words of a stack are touched. What others touch is no part of a local state any more: whoever waits begins again.
    fn note_locals(&mut self, address: u64, size: u64, own: bool, writes: bool) -> bool {
        let known = self.program.locals_at(address / 8..=(address + size - 1) / 8, own, writes);
        self.learned |= known.is_news || (known.is_new && !self.comebacks.waiting.is_empty());
        known.only_own
    }

    /// Local code writes there. If that is the variable of another thread, it is shared; if it is a shared one of its own, whether
    /// others can see that.
    pub fn is_seen_in_stacks(&mut self, tid: Tid, address: u64, size: u64) -> bool {
        let Some(owner) = image::thread_of_stack(address).filter(|_| size > 0) else { return false };
        let is_shared = |word: u64| self.shared_locals.contains(&word);
        let mut words = address / 8..=(address + size - 1) / 8;
        if owner == tid.index() {
            return !self.shared_locals.is_empty() && words.any(is_shared);
        }
        // Of what is longer nobody need know: it stays a part of the local state.
        if size <= MOST_COMPARED && !words.all(is_shared) {
            self.note_locals(address, size, false, true);
        }
        false
    }

    /// Whether there was room for it.
    pub fn store_word(&self, address: u64, value: u32) -> bool {
        self.store(address, &value.to_le_bytes())
    }

    /// The same for some bytes.
    pub fn store(&self, address: u64, bytes: &[u8]) -> bool {
        let image = &self.program.image;
        let last = address.saturating_add(bytes.len() as u64 - 1);
        let constant = |at: u64| image.contains(at) && !image.is_variable(at);
        let mapped = self.is_mapped(address, bytes.len() as u64) && !constant(address) && !constant(last);
        if mapped {
            // SAFETY: mapped, and nobody else runs.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
        }
        mapped
    }

    /// A text in the program's memory.
    pub fn text(&self, address: u64) -> String {
        if !self.is_mapped(address, 1) {
            return String::new();
        }
        // SAFETY: a constant of the program or of the floor, or memory that it has announced.
        unsafe { CStr::from_ptr(address as *const libc::c_char) }.to_string_lossy().into_owned()
    }
}
