//! The steps that a search takes most: an atomic or volatile access of one to eight bytes of which everything is
//! defined. Done at once, without the detours of the general way, which is in `visible`.

use threadbare_core::Operation;

use crate::bytecode::{Op, Slot, VisibleDetail, VisibleSite};
use crate::interp::{Cpu, Stop};
use crate::memory::{Addr, Memory};
use crate::scalar::{mask, rmw64};
use crate::thread::Thread;

/// What a simple access did.
#[derive(Clone, Copy)]
pub struct Accessed {
    pub address: Addr,
    /// The value that was there, but for a store.
    pub value: u64,
    /// A compare-exchange found what it looked for.
    pub exchanged: bool,
}

impl Accessed {
    /// Puts the result where the code wants it.
    pub fn put(self, thread: &mut Thread, site: &VisibleSite, d: Slot) {
        let d = thread.top().base as usize + d as usize;
        match site.operation {
            Operation::Store => {}
            Operation::CompareExchange => {
                thread.slots[d] = self.value;
                thread.slots[d + 1] = u64::from(self.exchanged);
            }
            _ => thread.slots[d] = self.value,
        }
    }
}

/// What such an access stores, and where that lies.
#[derive(Clone, Copy)]
pub struct Stored {
    pub at: u64,
    pub bytes: u8,
    pub value: u64,
}

/// The access, on these operands. `None` if it is not that simple, or cannot be: then nothing has happened.
#[inline(always)]
pub fn access(memory: &mut Memory, site: &VisibleSite, arg: impl Fn(usize) -> u64) -> Option<Accessed> {
    let (accessed, stored) = plan(memory, site, arg)?;
    if let Some(Stored { at, bytes, value }) = stored {
        store(memory, accessed.address, at, bytes, value);
    }
    Some(accessed)
}

/// What it would do.
#[inline(always)]
pub fn plan(memory: &Memory, site: &VisibleSite, arg: impl Fn(usize) -> u64) -> Option<(Accessed, Option<Stored>)> {
    let plain = |address, value| Accessed { address, value, exchanged: false };
    match site.detail {
        VisibleDetail::Access { bytes, offset, bits, .. } => {
            let address = arg(0).wrapping_add(offset as i64 as u64);
            if site.operation == Operation::Load {
                return Some((plain(address, load(memory, address, bytes)? & mask(bits)), None));
            }
            let at = locate(memory, address, bytes)?;
            Some((plain(address, 0), Some(Stored { at, bytes, value: arg(1) })))
        }
        VisibleDetail::Rmw { op, bytes, bits, .. } => {
            let address = arg(0);
            let old = load(memory, address, bytes)?;
            let at = locate(memory, address, bytes)?;
            Some((plain(address, old), Some(Stored { at, bytes, value: rmw64(op, bits, old, arg(1)) })))
        }
        VisibleDetail::Cas { bytes, .. } => {
            let (address, expected, new) = (arg(0), arg(1), arg(2));
            let old = load(memory, address, bytes)?;
            let at = locate(memory, address, bytes)?;
            let exchanged = old == expected;
            let stored = exchanged.then_some(Stored { at, bytes, value: new });
            Some((Accessed { address, value: old, exchanged }, stored))
        }
        _ => None,
    }
}

/// The bytes of such an access.
#[derive(Clone, Copy, Debug)]
pub struct Glance {
    pub address: Addr,
    bytes: u8,
    writes: bool,
}

impl Glance {
    /// Not of one that may compare pointers.
    pub fn of(site: &VisibleSite, arg: impl Fn(usize) -> u64) -> Option<Glance> {
        let (address, bytes) = match site.detail {
            _ if compared(site).is_some() => return None,
            VisibleDetail::Access { bytes, offset, .. } => (arg(0).wrapping_add(offset as i64 as u64), bytes),
            VisibleDetail::Rmw { bytes, .. } | VisibleDetail::Cas { bytes, .. } => (arg(0), bytes),
            _ => return None,
        };
        Some(Glance { address, bytes, writes: site.operation != Operation::Load })
    }

    /// What the word holds around them, if they are there, and defined.
    #[inline(always)]
    pub fn word(self, memory: &Memory) -> Option<u64> {
        memory.defined_word(self.address, self.bytes, self.writes)
    }
}

/// Which operand of a compare-exchange may be a pointer that it looks for.
#[inline(always)]
pub fn compared(site: &VisibleSite) -> Option<usize> {
    matches!(site.detail, VisibleDetail::Cas { bytes, .. } if bytes >= 8).then_some(1)
}

impl Cpu<'_> {
    /// The access at which the thread stands, and the local code behind it. `None` if it is not that simple, or cannot
    /// be: then nothing has happened.
    pub fn quick_step(&mut self) -> Option<Stop> {
        if !self.thread.control.started || self.thread.undefined_slots > 0 {
            return None;
        }
        let program = self.program;
        let frame = *self.thread.top();
        let Op::Visible { site, d } = program.functions[frame.function as usize].code[frame.pc as usize] else {
            return None;
        };
        let site = &program.visibles[site as usize];
        let thread = &*self.thread;
        let done = access(self.memory, site, |i| thread.slots[frame.base as usize + site.args[i] as usize])?;
        if let Some(i) = compared(site) {
            let expected = self.thread.slots[frame.base as usize + site.args[i] as usize];
            self.memory.note_compared(self.thread.tid, expected);
        }
        self.begin_step();
        done.put(self.thread, site, d);
        if self.memory.races.is_active() {
            self.memory.races.enter(self.thread.tid);
            if let Err(fault) = self.race_atomic(site, done.address, done.exchanged) {
                return Some(Stop::Fault(fault));
            }
        }
        self.thread.frames.last_mut().expect("a live thread").pc += 1;
        Some(self.run())
    }
}

#[inline(always)]
fn load(memory: &Memory, address: Addr, bytes: u8) -> Option<u64> {
    let loaded = match bytes {
        1 => memory.load::<1>(address),
        2 => memory.load::<2>(address),
        4 => memory.load::<4>(address),
        8 => memory.load::<8>(address),
        _ => return None,
    };
    loaded.ok().filter(|&(_, undefined)| undefined == 0).map(|(value, _)| value)
}

/// Where that many bytes that can be written lie.
#[inline(always)]
fn locate(memory: &Memory, address: Addr, bytes: u8) -> Option<u64> {
    if matches!(bytes, 1 | 2 | 4 | 8) { memory.places().locate_writable(address, bytes.into()) } else { None }
}

/// `at` is what `locate` gave.
#[inline(always)]
fn store(memory: &mut Memory, address: Addr, at: u64, bytes: u8, value: u64) {
    // SAFETY: the place was located for so many bytes.
    unsafe {
        match bytes {
            1 => memory.store_at::<1>(address, at, value, 0),
            2 => memory.store_at::<2>(address, at, value, 0),
            4 => memory.store_at::<4>(address, at, value, 0),
            _ => memory.store_at::<8>(address, at, value, 0),
        }
    }
}
