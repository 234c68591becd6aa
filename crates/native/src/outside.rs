//! Files of the host, for the floor: see `threadbare_vm::host_file`.

use std::ffi::{CStr, c_char};

use crate::signals;

/// # Safety
/// A string that ends.
unsafe fn bytes_of<'a>(text: *const c_char) -> &'a [u8] {
    // SAFETY: the caller says so.
    unsafe { CStr::from_ptr(text) }.to_bytes()
}

pub extern "C" fn host_file(path: *const c_char, to: *mut u8) -> i32 {
    signals::in_engine(|| {
        // SAFETY: the floor has looked for the end of the path, and the runtime has room for the longest name.
        unsafe {
            let (error, file) = threadbare_vm::host_file(bytes_of(path));
            let file = file.in_c();
            std::ptr::copy_nonoverlapping(file.as_ptr(), to, file.len());
            error
        }
    })
}

pub extern "C" fn host_read(name: *const c_char, offset: u64, to: *mut u8, n: u64) {
    signals::in_engine(|| {
        // SAFETY: the floor has checked where to, and the name is the runtime's own.
        unsafe {
            let bytes = threadbare_vm::host_bytes(bytes_of(name));
            let from = (offset as usize).min(bytes.len());
            let n = (n as usize).min(bytes.len() - from);
            std::ptr::copy_nonoverlapping(bytes.as_ptr().add(from), to, n);
        }
    });
}
