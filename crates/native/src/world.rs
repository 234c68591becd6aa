//! What the engine shares with the floor under the program (runtime/floor.h), field by field, and the numbers that they
//! agree on.

use std::mem::offset_of;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use threadbare_core::Operation;
use threadbare_vm::rmw64;

use crate::atomics;

/// Why a fiber has stopped: the floor writes it.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Stop {
    Visible,
    Drain,
    Cut,
    Assert,
    Error,
    Unsupported,
    Death,
    Crash,
    Hang,
    BadFree,
    BadAccess,
    Overlap,
    Function,
    Value,
    Call,
    Jump,
    Limit,
}

const LOCALS: usize = 128;
const FRAMES: usize = 256;
const WRITTEN: usize = 4;
pub const LOG: usize = 4096;
const CALLS: usize = 256;

/// The place of the variables of a function that runs.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Frame {
    pub base: u64,
    pub size: u64,
    sp: u64,
    entered: u64,
}

/// What was there before local code has written.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Write {
    address: u64,
    size: u64,
    before: u64,
}

/// The first word of a frame: its function runs, has returned, or was left by longjmp, or it is an array whose block has ended.
pub const LIVE_FRAME: u64 = 0x41b5_8ab3;
pub const RETURNED_FRAME: u64 = 0x45e0_360e;
pub const JUMPED_FRAME: u64 = 0x4a55_4d50;
pub const BLOCK_FRAME: u64 = 0x424c_4f43;

#[repr(C)]
pub struct Fiber {
    pub sp: u64,
    pub stop: Stop,
    pub operation: u64,
    pub arguments: [u64; 6],
    pub pc: u64,
    pub frame: u64,
    pub registers: [u64; 5],
    pub result: u64,
    pub effects: u64,
    pub written: u64,
    pub write: [Write; WRITTEN],
    pub stack_low: u64,
    pub stack_high: u64,
    pub frames: u64,
    pub frames_end: u64,
    pub heap: u64,
    pub heap_end: u64,
    pub last_block: u64,
    pub number: u64,
    pub start: u64,
    pub parameters: [u64; 3],
    pub locals: u64,
    pub cancel_disabled: u64,
    pub local: [[u64; 2]; LOCALS],
    pub live: u64,
    frame_list: [Frame; FRAMES],
}

impl Fiber {
    /// Whether its local code has changed anything besides its stack.
    pub fn had_effects(&self) -> bool {
        let is_changed = |write: &Write| {
            let mut now = [0; 8];
            // SAFETY: at most eight bytes that it may write, as the floor says.
            unsafe { std::ptr::copy_nonoverlapping(write.address as *const u8, now.as_mut_ptr(), write.size as usize) };
            u64::from_le_bytes(now) != write.before
        };
        self.effects != 0 || self.write[..self.written as usize].iter().any(is_changed)
    }

    pub fn operation(&self) -> Operation {
        OPERATIONS[self.operation as usize].1
    }

    /// The frames of functions that have not returned, outermost first.
    pub fn live_frames(&self) -> impl Iterator<Item = &Frame> {
        self.frame_list[..self.live as usize].iter().filter(|frame| frame.entered != 0)
    }
}

/// A fiber, which stays where it is: its frames point into it. Copies of this are the same fiber.
#[derive(Clone, Copy)]
pub struct FiberAt(NonNull<Fiber>);

impl FiberAt {
    /// One that has never run. Somebody has to free it.
    pub fn new() -> FiberAt {
        // SAFETY: numbers only; 0 is the first reason to stop.
        let fiber: Box<Fiber> = unsafe { Box::new(std::mem::zeroed()) };
        FiberAt(NonNull::from(Box::leak(fiber)))
    }

    /// # Safety
    /// Nobody uses it, or another copy, any more.
    pub unsafe fn free(&self) {
        // SAFETY: it was a box, and the caller says the rest.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }

    /// What of it means something: from where to where.
    pub fn in_use(&self) -> [(u64, u64); 3] {
        let fiber = self.0.as_ptr() as u64;
        let at = |offset: usize| fiber + offset as u64;
        let (local, live) = (offset_of!(Fiber, local), offset_of!(Fiber, live));
        let frames = offset_of!(Fiber, frame_list) + self.live as usize * size_of::<Frame>();
        [(fiber, at(local)), (at(local), at(local + 16 * self.locals as usize)), (at(live), at(frames))]
    }
}

impl Deref for FiberAt {
    type Target = Fiber;

    fn deref(&self) -> &Fiber {
        // SAFETY: until it is freed. The engine and the fibers take turns on one thread.
        unsafe { self.0.as_ref() }
    }
}

impl DerefMut for FiberAt {
    fn deref_mut(&mut self) -> &mut Fiber {
        // SAFETY: as above.
        unsafe { self.0.as_mut() }
    }
}

// SAFETY: one machine at a time uses it, on the thread that explores.
unsafe impl Send for FiberAt {}

pub const WRITES: u32 = 1;
pub const BY_LIBRARY: u32 = 2;

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Entry {
    pub address: u64,
    pub pc: u64,
    pub size: u32,
    pub flags: u32,
}

#[repr(C)]
pub struct World {
    pub running: *mut Fiber,
    pub engine: u64,
    registers: [u64; 5],
    pub every_access: u64,
    pub logging: u64,
    pub logged: u64,
    pub most: u64,
    pub steps: u64,
    pub print: extern "C" fn(*const u8, u64),
    pub input: *const u8,
    pub input_length: u64,
    pub input_taken: u64,
    pub host_file: extern "C" fn(*const libc::c_char, *mut u8) -> i32,
    pub host_read: extern "C" fn(*const libc::c_char, u64, *mut u8, u64),
    pub log: [Entry; LOG],
    calls: [[u64; 2]; CALLS],
}

/// Orders of accesses besides those of C11, which have its numbers.
pub const VOLATILE: u64 = 6;
pub const PLAIN: u64 = 7;
/// A plain store that invariants look at: it is announced again, as what it is.
pub const OBSERVED: u64 = 8;

/// What a read-modify-write does, by the numbers of `atomics::OPERATIONS`.
pub const ADD: u64 = 1;
pub const SUB: u64 = 2;

/// What it makes of a value of so many bytes.
pub fn rmw(what: u64, size: u64, old: u64, operand: u64) -> u64 {
    let bits = 8 * size as u8;
    rmw64(atomics::OPERATIONS[what as usize], bits, old, operand & u64::MAX >> (64 - bits))
}

/// The visible operations by their numbers. Those with a name are primitives of the C runtime, `__tb_NAME`, and the engine
/// does what they do; the others announce what the program does itself once it may.
pub const OPERATIONS: &[(&str, Operation)] = {
    use Operation::*;
    &[
        ("", Start),
        ("", Load),
        ("", Store),
        ("", ReadModifyWrite),
        ("", CompareExchange),
        ("", Fence),
        ("", Free),
        ("", Unseen),
        ("exit", Exit),
        ("sleep", Sleep),
        ("sleep_until", SleepUntil),
        ("clock", Clock),
        ("hidden_state", HiddenState),
        ("mutex_init", MutexInit),
        ("mutex_destroy", MutexDestroy),
        ("mutex_lock", MutexLock),
        ("mutex_trylock", MutexTryLock),
        ("mutex_timedlock", MutexTimedLock),
        ("mutex_unlock", MutexUnlock),
        ("cond_init", CondInit),
        ("cond_destroy", CondDestroy),
        ("cond_enter", CondEnter),
        ("cond_leave", CondLeave),
        ("cond_leave_timed", CondLeaveTimed),
        ("cond_signal", CondSignal),
        ("cond_broadcast", CondBroadcast),
        ("rwlock_init", RwInit),
        ("rwlock_destroy", RwDestroy),
        ("rwlock_rdlock", RwReadLock),
        ("rwlock_wrlock", RwWriteLock),
        ("rwlock_tryrdlock", RwTryReadLock),
        ("rwlock_trywrlock", RwTryWriteLock),
        ("rwlock_timedrdlock", RwTimedReadLock),
        ("rwlock_timedwrlock", RwTimedWriteLock),
        ("rwlock_unlock", RwUnlock),
        ("sem_init", SemInit),
        ("sem_destroy", SemDestroy),
        ("sem_wait", SemWait),
        ("sem_trywait", SemTryWait),
        ("sem_timedwait", SemTimedWait),
        ("sem_post", SemPost),
        ("sem_getvalue", SemGetValue),
        ("spin_init", SpinInit),
        ("spin_destroy", SpinDestroy),
        ("spin_lock", SpinLock),
        ("spin_trylock", SpinTryLock),
        ("spin_unlock", SpinUnlock),
        ("barrier_init", BarrierInit),
        ("barrier_destroy", BarrierDestroy),
        ("barrier_arrive", BarrierArrive),
        ("barrier_leave", BarrierLeave),
        ("once_enter", OnceEnter),
        ("once_done", OnceDone),
        ("once_abandon", OnceAbandon),
        ("thread_create", ThreadCreate),
        ("thread_join", ThreadJoin),
        ("thread_tryjoin", ThreadTryJoin),
        ("thread_timedjoin", ThreadTimedJoin),
        ("thread_detach", ThreadDetach),
        ("", ThreadEnd),
        ("thread_cancel", ThreadCancel),
        ("testcancel", TestCancel),
        ("yield", Yield),
        ("choose", Choose),
        ("nondet", Nondet),
        ("atomic_begin", AtomicBegin),
        ("atomic_end", AtomicEnd),
    ]
};
