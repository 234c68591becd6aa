//! Crashes and endless loops of the program are ends of its executions, not of ours: a signal that comes while a fiber runs
//! takes us back to the engine. One that comes elsewhere is a fault of our own, or the program has written over our
//! memory: it kills the process, as does one that somebody sends, and the supervisor tells of it.

use std::ptr::null_mut;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::image::{Image, is_evaluators, open_stack, thread_of_stack};
use crate::world::{Fiber, Stop, World};
use crate::{pages, shadow, untouched};

/// Seconds of processor time that local code may take.
pub const PATIENCE: u64 = 3;
const TICKS_A_SECOND: u64 = 10;
/// So much more does a tick in the program's own code count than one in ours: the engine may have much to do for a single step, naming
/// what a large write hit, say; but a loop without an end that always goes through the engine has one, too.
const WEIGHT_OF_OWN_CODE: u64 = 10;
const SI_KERNEL: i32 = 0x80;
/// What is known of a crash: an access that writes (so the hardware says it), a jump to where there is no code, a division.
pub const WRITE: u64 = 2;
pub const CALL: u64 = 16;
pub const BY_ZERO: u64 = 32;
pub const BY_MINUS_ONE: u64 = 64;
/// What the compiler was promised never to come.
pub const UNREACHABLE: u64 = 128;
const ALTERNATE_STACK: usize = 256 << 10;

static WORLD: AtomicPtr<World> = AtomicPtr::new(null_mut());
static STOP: AtomicUsize = AtomicUsize::new(0);
/// A `fn() -> bool` that says whether somebody wants the end.
static WANTS_END: AtomicUsize = AtomicUsize::new(0);
/// A fiber has called us.
static IN_ENGINE: AtomicBool = AtomicBool::new(false);
static LAST_STEP: AtomicU64 = AtomicU64::new(0);
static TICKS: AtomicU64 = AtomicU64::new(0);

/// What a fiber does while it is in our own code is not to be interrupted.
pub fn in_engine<R>(work: impl FnOnce() -> R) -> R {
    IN_ENGINE.store(true, Relaxed);
    let result = work();
    IN_ENGINE.store(false, Relaxed);
    result
}

/// While the next step goes on, `stop` is asked now and then.
#[inline]
pub fn look_after(stop: Option<fn() -> bool>) {
    WANTS_END.store(stop.map_or(0, |stop| stop as usize), Relaxed);
}

fn running() -> Option<*mut Fiber> {
    let world = WORLD.load(Relaxed);
    // SAFETY: it lives as long as the process.
    let fiber = if world.is_null() { null_mut() } else { unsafe { (*world).running } };
    (!fiber.is_null() && !IN_ENGINE.load(Relaxed)).then_some(fiber)
}

/// Leaves the fiber that runs.
unsafe fn leave(why: Stop, a: u64, b: u64, c: u64, context: *mut libc::c_void) {
    type Leave = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64) -> u64;
    // SAFETY: set together with the world, from the image's own entrance; the context is that of a signal.
    unsafe {
        let registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let stop = std::mem::transmute::<usize, Leave>(STOP.load(Relaxed));
        let (at, top) = (registers[libc::REG_RIP as usize] as u64, registers[libc::REG_RSP as usize] as u64);
        // One behind, as a return address is. Where there is no code at all, whoever called it is to be known.
        let astray = why == Stop::Crash && a == libc::SIGSEGV as u64 && b == at && thread_of_stack(top).is_some();
        let pc = if astray { *(top as *const u64) } else { at + 1 };
        stop(why as u64, 0, a, b, c, top, pc, registers[libc::REG_RBP as usize] as u64);
    }
}

/// What a division that the hardware refuses divides by, if that is in a register: 0xf7, with 6 or 7 in the middle of the next byte.
unsafe fn division(registers: &[i64]) -> u64 {
    use libc::*;
    const NUMBERED: [c_int; 16] = [
        REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11,
        REG_R12, REG_R13, REG_R14, REG_R15,
    ];
    // SAFETY: code that was just executed, and none of it ends there.
    let mut at = registers[REG_RIP as usize] as *const u8;
    let byte = |at: *const u8, n: usize| unsafe { *at.add(n) };
    if byte(at, 0) == 0x66 {
        at = at.wrapping_add(1);
    }
    let (wide, high) = match byte(at, 0) {
        rex @ 0x40..=0x4f => {
            at = at.wrapping_add(1);
            (rex & 8 != 0, rex & 1)
        }
        _ => (false, 0),
    };
    let (opcode, operand) = (byte(at, 0), byte(at, 1));
    if opcode != 0xf7 || operand >> 6 != 3 || operand & 0x30 != 0x30 {
        return 0;
    }
    let value = registers[NUMBERED[usize::from(operand & 7 | high << 3)] as usize];
    match if wide { value } else { i64::from(value as i32) } {
        0 => BY_ZERO,
        -1 => BY_MINUS_ONE,
        _ => 0,
    }
}

extern "C" fn crashed(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel has given it to us.
    let at = unsafe { (*info).si_addr() } as u64;
    // Nothing may come in between.
    let runs = running().is_some();
    let before = IN_ENGINE.swap(true, Relaxed);
    let handled = signal == libc::SIGSEGV
        && (pages::note(at) || untouched::note(at) || open_stack(at) || runs && shadow::map_on_demand(at));
    IN_ENGINE.store(before, Relaxed);
    if handled {
        return;
    }
    // SAFETY: the kernel has given it to us.
    let sent = unsafe { (*info).si_code } <= libc::SI_USER;
    if running().is_none() || sent {
        // SAFETY: it comes again, and kills us.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            if sent {
                libc::raise(signal);
            }
        }
        return;
    }
    // SAFETY: a fiber runs; the kernel has given us both.
    unsafe {
        // An address that the hardware has none for is not told: no object can have it.
        let at = if (*info).si_code == SI_KERNEL { u64::MAX } else { at };
        let registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let what = match signal {
            libc::SIGFPE => division(registers),
            _ if registers[libc::REG_RIP as usize] as u64 == at => CALL,
            _ => registers[libc::REG_ERR as usize] as u64 & WRITE,
        };
        leave(Stop::Crash, signal as u64, at, what, context)
    };
}

extern "C" fn tick(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let world = WORLD.load(Relaxed);
    // SAFETY: it lives as long as the process.
    let step = if world.is_null() { return } else { unsafe { (*world).steps } };
    if LAST_STEP.swap(step, Relaxed) != step {
        TICKS.store(0, Relaxed);
        return;
    }
    // The engine itself may be at it, or about to let a fiber go on: then the next tick will do.
    // SAFETY: the kernel has given it to us.
    let top = unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RSP as usize] } as u64;
    let in_fiber = running().is_some() && (thread_of_stack(top).is_some() || is_evaluators(top));
    let weight = if in_fiber { WEIGHT_OF_OWN_CODE } else { 1 };
    let ticks = TICKS.fetch_add(weight, Relaxed) + weight;
    if !in_fiber {
        return;
    }
    let wants_end = WANTS_END.load(Relaxed);
    // SAFETY: a function, or 0. The fiber is in the program's own code, so that ours may do what it likes.
    let ends = wants_end != 0 && unsafe { std::mem::transmute::<usize, fn() -> bool>(wants_end)() };
    if ends || ticks >= PATIENCE * TICKS_A_SECOND * WEIGHT_OF_OWN_CODE {
        // SAFETY: a fiber runs.
        unsafe { leave(Stop::Hang, ends.into(), 0, 0, context) };
    }
}

/// From here on the signals of the process are ours.
pub fn catch(world: *mut World, image: &Image) {
    STOP.store(image.entrances.stop as *const () as usize, Relaxed);
    WORLD.store(world, Relaxed);
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: plain system calls with memory that stays.
        unsafe {
            let stack = Box::leak(vec![0u8; ALTERNATE_STACK].into_boxed_slice());
            let alternate = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: ALTERNATE_STACK };
            libc::sigaltstack(&alternate, null_mut());
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_RESTART;
            action.sa_sigaction = crashed as *const () as usize;
            for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP] {
                libc::sigaction(signal, &action, null_mut());
            }
            action.sa_sigaction = tick as *const () as usize;
            libc::sigaction(libc::SIGVTALRM, &action, null_mut());
            let each = libc::timeval { tv_sec: 0, tv_usec: 1_000_000 / TICKS_A_SECOND as i64 };
            let timer = libc::itimerval { it_interval: each, it_value: each };
            libc::setitimer(libc::ITIMER_VIRTUAL, &timer, null_mut());
        }
    });
}
