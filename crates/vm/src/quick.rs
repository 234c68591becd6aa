//! The steps that a search takes most: an atomic or volatile access of one to eight bytes of which everything is
//! defined. Done at once, without the detours of the general way, which is in `visible`.

use threadbare_core::Operation;

use crate::bytecode::{Op, VisibleDetail};
use crate::interp::{Cpu, Stop};
use crate::memory::{Addr, Memory};
use crate::scalar::{mask, rmw};

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
        let base = frame.base as usize;
        let result = d;
        let d = base + d as usize;
        let slot = |i: usize| self.thread.slots[base + site.args[i] as usize];
        if site.args.is_empty() {
            return None;
        }
        let address = slot(0);
        match site.detail {
            VisibleDetail::Access { bytes, offset, bits, .. } => {
                let address = address.wrapping_add(offset as i64 as u64);
                if site.operation == Operation::Load {
                    let value = load(self.memory, address, bytes)?;
                    self.begin_step();
                    self.thread.slots[d] = value & mask(bits);
                } else {
                    let value = slot(1);
                    let at = locate(self.memory, address, bytes)?;
                    self.begin_step();
                    store(self.memory, address, at, bytes, value);
                }
            }
            VisibleDetail::Rmw { op, bytes, bits, .. } => {
                let operand = slot(1);
                let old = load(self.memory, address, bytes)?;
                let at = locate(self.memory, address, bytes)?;
                self.begin_step();
                store(self.memory, address, at, bytes, rmw(op, bits, old.into(), operand.into()) as u64);
                self.thread.slots[d] = old;
            }
            VisibleDetail::Cas { bytes, .. } => {
                let (expected, new) = (slot(1), slot(2));
                let old = load(self.memory, address, bytes)?;
                let at = locate(self.memory, address, bytes)?;
                self.begin_step();
                self.memory.stale_pointers |= bytes >= 8 && self.memory.is_stale(expected);
                if old == expected {
                    store(self.memory, address, at, bytes, new);
                }
                self.thread.slots[d] = old;
                self.thread.slots[d + 1] = u64::from(old == expected);
            }
            _ => return None,
        }
        if self.memory.races.is_active() {
            self.memory.races.enter(self.thread.tid);
            if let Err(fault) = self.race_atomic(site, result, address) {
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
