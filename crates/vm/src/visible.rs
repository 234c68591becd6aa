//! The visible operations: whether each can happen, what it touches, and what it does.
//!
//! The state of a synchronisation object lies in its own bytes, with glibc's layout where static initialisers show it:
//! a mutex has lock @0, count @4, owner @8, kind @16; a read-write lock readers @0, writer @4; a semaphore its value @0,
//! whether there is one @4;
//! a barrier count @0, arrived @4, generation @8; once its progress @0. Owners are thread numbers plus one. Who waits in
//! a condition variable is known by the waiting threads.

mod accesses;
mod atomics;
mod enabled;
mod locks;
mod perform;
mod threads;
mod values;
mod words;

use smallvec::SmallVec;
use threadbare_core::{
    Access, Accesses, Choice, ChoiceState, Choices, Ending, Machine, Mode, Operation, Outcome, Outcomes, Pending,
    Space, Tid, next_generation,
};

use crate::bytecode::{Rmw, Slot, VisibleDetail, VisibleSite};
use crate::diagnose::describe;
use crate::fault::{Fault, FaultKind, Waiter};
use crate::known::UNKNOWN;
use crate::machine::VmMachine;
use crate::memory::{Addr, BadAccess, Life, ObjectKind, code_target};
use crate::scalar::{mask128, rmw};
use crate::thread::{Control, Status};

use values::{MutexValue, RwValue, THREAD_DETACHED, THREAD_ENDED, THREAD_EXISTS, THREAD_JOINED};

type Result<T> = std::result::Result<T, Box<Fault>>;

const EBUSY: u64 = 16;
const EDEADLK: u64 = 35;
const EPERM: u64 = 1;
const EAGAIN: u64 = 11;
const ETIMEDOUT: u64 = 110;
const EOVERFLOW: u64 = 75;
/// A pending cancellation was met.
const CANCELLED: u64 = 0xffff_ffff;

const RECURSIVE: u32 = 1;
const ERRORCHECK: u32 = 2;
/// Marks a destroyed object where it would otherwise hold a small number.
const DESTROYED: u32 = 0xd15a_b1ed;
/// What `sem_init` leaves behind in a semaphore.
const INITIALISED: u32 = 0x1217_a11e;

/// Somebody owns a lock whose words must not tell threads apart. More than any number of a thread, and less than `DESTROYED`.
const SOMEBODY: u32 = 0x4000_0000;

/// The choice of a timed operation whose time runs out, and of a wait that is cancelled.
const TIME_OUT: Choice = Choice(1);
/// How far a look at the clock moves it that takes its time: longer than a program waits, in nanoseconds.
const CLOCK_JUMP: u64 = 24 * 60 * 60 * 1_000_000_000;
/// How long a look takes where time does not stand still.
const CLOCK_TICK: u64 = 1_000;
const CANCEL: Choice = Choice(2);
/// A wait on a condition variable that nobody has to end. It is chosen when the thread begins to wait: it can, and need not, wake
/// by itself, so who can be woken in no other way may wait for ever. A signal before it wakes by itself wakes somebody else, or
/// the thread as if it had not chosen this.
const SPURIOUS: Choice = Choice(3);

/// A `pthread_t`. Never 0, and unlike a pointer.
pub fn handle_of(tid: Tid) -> u64 {
    0x7468_0000 + u64::from(tid.0)
}

pub fn tid_of(handle: u64) -> Option<Tid> {
    u16::try_from(handle.checked_sub(0x7468_0000)?).ok().map(Tid)
}

/// A word that says so, in the lock at this address and in no other.
fn somebody(lock: Addr) -> u32 {
    SOMEBODY | threadbare_core::Fingerprint::of(lock, 0x50bd).0 as u32 & (SOMEBODY - 1)
}

pub(crate) fn owner_word(tid: Tid) -> u32 {
    u32::from(tid.0) + 1
}

pub(crate) fn owner_of(word: u32) -> Option<Tid> {
    word.checked_sub(1).map(|n| Tid(n as u16))
}

#[derive(Clone, Copy)]
struct Mutex {
    locked: bool,
    count: u32,
    owner: u32,
    kind: u32,
}

impl VmMachine {
    pub(crate) fn arg(&self, tid: Tid, site: &VisibleSite, i: usize) -> u64 {
        let thread = &self.threads[tid.index()];
        match thread.at {
            UNKNOWN => thread.slot(site.args[i]),
            at => self.known.states[at as usize].args[i],
        }
    }

    fn word(&self, address: Addr) -> Option<u32> {
        self.memory.load_u32(address).ok()
    }

    fn mutex(&self, address: Addr) -> std::result::Result<Mutex, BadAccess> {
        Ok(Mutex {
            locked: self.memory.load_u32(address)? != 0,
            count: self.memory.load_u32(address + 4)?,
            owner: self.owner_by(address, self.memory.load_u32(address + 8)?),
            kind: self.memory.load_u32(address + 16)?,
        })
    }

    /// Whether the thread can release the mutex. No other thread can change that.
    #[inline]
    pub(crate) fn owns_mutex(&self, tid: Tid, address: Addr) -> bool {
        self.word(address + 8).map(|word| self.owner_by(address, word)) == Some(owner_word(tid))
    }

    /// What the words of a lock say of its owner: where threads are alike, only that there is one.
    fn owner_mark(&self, tid: Tid, lock: Addr) -> u32 {
        if self.memory.alike.is(tid) { somebody(lock) } else { owner_word(tid) }
    }

    /// The owner of whom a word of the lock says this.
    #[inline]
    fn owner_by(&self, lock: Addr, word: u32) -> u32 {
        if word < SOMEBODY || !self.memory.alike.on { word } else { self.owner_by_mark(lock, word) }
    }

    #[cold]
    fn owner_by_mark(&self, lock: Addr, word: u32) -> u32 {
        let owner = self.memory.owner(lock);
        match word {
            _ if word == somebody(lock) && owner != 0 => owner,
            // Of another lock, or of one that was overwritten.
            _ if word < 2 * SOMEBODY => {
                self.memory.alike.shows_in_state("a lock is copied");
                word
            }
            _ => word,
        }
    }

    fn can_cancel(&self, tid: Tid) -> bool {
        let control = &self.threads[tid.index()].control;
        control.cancel_pending && !control.cancel_disabled
    }

    fn waiters(&self, cond: Addr) -> impl Iterator<Item = Tid> + '_ {
        self.live_threads().filter(move |tid| {
            let control = &self.threads[tid.index()].control;
            control.waiting == cond && !control.woken
        })
    }

    /// Whether the value of a condition variable tells who waits in it: every thread has a bit there.
    fn waiters_have_value(&self) -> bool {
        self.threads.len() <= u128::BITS as usize
    }

    /// Who waits in a condition variable of that value.
    fn waiters_by(&self, cond: Addr, value: u128) -> SmallVec<[Tid; 8]> {
        if self.waiters_have_value() {
            (0..u128::BITS as u16).filter(|waiter| value >> waiter & 1 == 1).map(Tid).collect()
        } else {
            self.waiters(cond).collect()
        }
    }

    /// Live or ended, and not yet gone.
    fn joinable(&self, handle: u64) -> Option<(Tid, Control)> {
        let tid = tid_of(handle)?;
        let exists = *self.exists.get(tid.index())?;
        exists.then(|| (tid, self.threads[tid.index()].control))
    }
}
