//! Whether this machine has what the native backend needs, before anything is compiled: one message says what is missing, and what
//! to do about it.

use std::io::Error;
use std::ptr::null_mut;

use crate::image;

/// Linux has MAP_FIXED_NOREPLACE from here on.
const KERNEL: &str = "Linux 4.17";

fn missing(what: &str, remedy: &str) -> String {
    format!("the native backend cannot work here: {what}; {remedy}, or use --backend vm")
}

/// What is missing, in words.
pub fn look() -> Result<(), String> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Err(missing("it makes code for Linux on x86-64", "run it on such a machine"));
    }
    memory()?;
    signals()?;
    loadable()
}

/// Room at the addresses that the stacks and heaps of threads, and their shadow, have in every process.
fn memory() -> Result<(), String> {
    image::try_thread().map_err(|error| {
        let limit = address_space();
        match error.raw_os_error() {
            Some(libc::ENOMEM) if limit != libc::RLIM_INFINITY => missing(
                &format!("processes may have {} MB of addresses (ulimit -v), and each thread needs 2200", limit >> 20),
                "`ulimit -v unlimited` takes the limit away",
            ),
            Some(libc::ENOMEM) => missing(
                "the kernel gives no addresses without memory behind them (vm.overcommit_memory is 2?)",
                "`sysctl vm.overcommit_memory=0` changes that",
            ),
            Some(libc::EEXIST) => missing(
                "something lies at the addresses that it needs",
                "start it without preloaded libraries or sanitizers",
            ),
            Some(libc::EOPNOTSUPP) | None => {
                missing("the kernel does not place memory where it is asked to", &format!("it takes {KERNEL} or later"))
            }
            _ => {
                missing(&format!("the kernel gives no memory at fixed addresses: {error}"), "ask whoever restricts it")
            }
        }
    })
}

fn address_space() -> libc::rlim_t {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a plain system call.
    unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
    limit.rlim_cur
}

/// Crashes are handled on a stack of their own, and local code that never ends is noticed by a timer.
fn signals() -> Result<(), String> {
    let denied = |call: &str, what: &str| {
        let error = Error::last_os_error();
        missing(&format!("`{call}`, which {what}, fails ({error})"), "let the sandbox allow it")
    };
    // SAFETY: plain system calls that change nothing: no timer is set, and the stack is only asked for.
    unsafe {
        let off: libc::itimerval = std::mem::zeroed();
        if libc::setitimer(libc::ITIMER_VIRTUAL, &off, null_mut()) != 0 {
            return Err(denied("setitimer", "ends code that goes on for ever"));
        }
        let mut stack: libc::stack_t = std::mem::zeroed();
        if libc::sigaltstack(null_mut(), &mut stack) != 0 {
            return Err(denied("sigaltstack", "lets a full stack be told from other crashes"));
        }
    }
    Ok(())
}

/// The program is compiled into a temporary folder, and loaded from there.
fn loadable() -> Result<(), String> {
    let folder = std::env::temp_dir();
    let Ok(path) = std::ffi::CString::new(folder.as_os_str().as_encoded_bytes()) else { return Ok(()) };
    // SAFETY: a plain system call with a path that ends.
    let noexec = unsafe {
        let mut about: libc::statvfs = std::mem::zeroed();
        libc::statvfs(path.as_ptr(), &mut about) == 0 && about.f_flag & libc::ST_NOEXEC != 0
    };
    match noexec {
        true => Err(missing(
            &format!("no code can be loaded from {}, which is mounted with `noexec`", folder.display()),
            "let TMPDIR name another folder",
        )),
        false => Ok(()),
    }
}
