//! What of the program's memory may be accessed, a byte for every eight: see runtime/shadow.h.

use std::io::Error;

use crate::image::map;

pub const SHADOW: u64 = 0x7fff_8000;
/// All that the program could name has its shadow below this one.
const END: u64 = SHADOW + (1 << 44);
const PAGE: u64 = 4096;

pub const GLOBAL_ZONE: u8 = 0xf9;
pub const HEAP_ZONE: u8 = 0xfa;
pub const NO_OBJECT: u8 = 0xfe;
pub const FRAME_GONE: u8 = 0xf5;

fn of(address: u64) -> u64 {
    (address >> 3) + SHADOW
}

/// These addresses may be accessed from here on, but for what is poisoned later.
pub fn open(from: u64, to: u64) -> Result<(), Error> {
    let (low, high) = (of(from) / PAGE * PAGE, of(to + 7).next_multiple_of(PAGE));
    map(low, high - low)
}

/// Writes the shadow of whole granules, whose shadow is mapped.
///
/// # Safety
/// It is.
pub unsafe fn set(from: u64, to: u64, state: u8) {
    if from < to {
        // SAFETY: says the caller.
        unsafe { std::ptr::write_bytes(of(from) as *mut u8, state, ((to - from).div_ceil(8)) as usize) };
    }
}

/// An object may be accessed, but nothing behind it up to the next granule.
///
/// # Safety
/// As `set`.
pub unsafe fn open_object(from: u64, size: u64) {
    // SAFETY: says the caller.
    unsafe {
        set(from, from + size / 8 * 8, 0);
        if !size.is_multiple_of(8) {
            set(from + size / 8 * 8, from + size, (size % 8) as u8);
        }
    }
}

/// Where the shadow of whole pages of shadow lies.
pub fn range(from: u64, to: u64) -> (u64, u64) {
    (of(from), of(to))
}

/// The state of a granule whose shadow is mapped.
///
/// # Safety
/// It is.
pub unsafe fn state(address: u64) -> u8 {
    // SAFETY: says the caller.
    unsafe { *(of(address) as *const u8) }
}

/// Somebody has looked at shadow that was never mapped: there is no object. Whether that was it.
pub fn map_on_demand(fault: u64) -> bool {
    let page = fault / PAGE * PAGE;
    let fresh = (SHADOW..END).contains(&fault) && map(page, PAGE).is_ok();
    if fresh {
        // SAFETY: just mapped.
        unsafe { std::ptr::write_bytes(page as *mut u8, NO_OBJECT, PAGE as usize) };
    }
    fresh
}

/// The shadow of these addresses is as if nobody had ever looked, page by page.
pub fn forget(from: u64, to: u64) {
    let (low, high) = (of(from), of(to));
    // SAFETY: shadow, whole pages of it, that nobody but us uses.
    unsafe { libc::munmap(low as *mut libc::c_void, (high - low) as usize) };
}
