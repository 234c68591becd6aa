//! Atomic and volatile accesses.

use super::*;

impl VmMachine {
    /// Up to 16 bytes, with their undefined bits.
    pub(super) fn load_wide(&self, address: Addr, bytes: u8) -> std::result::Result<(u128, u128), BadAccess> {
        let wide = |(value, undefined): (u64, u64)| (u128::from(value), u128::from(undefined));
        if bytes <= 8 {
            return self.memory.load_n(address, bytes.into()).map(wide);
        }
        self.memory.bytes(address, bytes.into())?;
        let (low, below) = wide(self.memory.load_n(address, 8)?);
        let (high, above) = wide(self.memory.load_n(address + 8, u32::from(bytes) - 8)?);
        Ok((low | high << 64, below | above << 64))
    }

    fn store_wide(
        &mut self,
        address: Addr,
        bytes: u8,
        value: u128,
        undefined: u128,
    ) -> std::result::Result<(), BadAccess> {
        match bytes {
            1 if undefined == 0 => self.memory.store::<1>(address, value as u64),
            2 if undefined == 0 => self.memory.store::<2>(address, value as u64),
            4 if undefined == 0 => self.memory.store::<4>(address, value as u64),
            8 if undefined == 0 => self.memory.store::<8>(address, value as u64),
            n if n <= 8 => self.memory.store_n(address, n.into(), value as u64, undefined as u64),
            _ => {
                self.memory.bytes(address, bytes.into())?;
                self.memory.store_n(address, 8, value as u64, undefined as u64)?;
                let (high, above) = ((value >> 64) as u64, (undefined >> 64) as u64);
                self.memory.store_n(address + 8, u32::from(bytes) - 8, high, above)
            }
        }
    }

    /// An operand of one or two slots starting at argument `i`, and its undefined bits.
    pub(super) fn wide_arg(&self, tid: Tid, site: &VisibleSite, i: usize, bytes: u8) -> (u128, u128) {
        let thread = &self.threads[tid.index()];
        if thread.at != UNKNOWN {
            let high = if bytes > 8 { self.arg(tid, site, i + 1) } else { 0 };
            return (u128::from(self.arg(tid, site, i)) | u128::from(high) << 64, 0);
        }
        let (low, undefined) = (thread.slot(site.args[i]), thread.undefined(site.args[i]));
        if bytes <= 8 {
            return (low.into(), undefined.into());
        }
        let (high, above) = (thread.slot(site.args[i + 1]), thread.undefined(site.args[i + 1]));
        (u128::from(low) | u128::from(high) << 64, u128::from(undefined) | u128::from(above) << 64)
    }

    fn set_wide(&mut self, tid: Tid, d: Slot, bytes: u8, value: u128, undefined: u128) {
        let thread = &mut self.threads[tid.index()];
        thread.set_slot(d, value as u64, undefined as u64);
        if bytes > 8 {
            thread.set_slot(d + 1, (value >> 64) as u64, (undefined >> 64) as u64);
        }
    }

    pub(super) fn memory_operation(&mut self, tid: Tid, site: &VisibleSite, d: Slot) -> Result<()> {
        let a0 = if site.args.is_empty() { 0 } else { self.arg(tid, site, 0) };
        match site.detail {
            VisibleDetail::Access { bytes, offset, bits, .. } => {
                let address = a0.wrapping_add(offset as i64 as u64);
                if site.operation == Operation::Load {
                    let (value, undefined) = self.load_wide(address, bytes).map_err(self.bad(tid))?;
                    self.set_wide(tid, d, bytes, value & mask128(bits), undefined & mask128(bits));
                } else {
                    let (value, undefined) = self.wide_arg(tid, site, 1, bytes);
                    self.store_wide(address, bytes, value, undefined).map_err(self.bad(tid))?;
                }
            }
            VisibleDetail::Rmw { op, bytes, bits, .. } => {
                let (old, unset) = self.load_wide(a0, bytes).map_err(self.bad(tid))?;
                let (operand, undefined) = self.wide_arg(tid, site, 1, bytes);
                let undefined = match op {
                    crate::bytecode::Rmw::Xchg => undefined,
                    _ if unset | undefined == 0 => 0,
                    _ => mask128(bits),
                };
                self.store_wide(a0, bytes, rmw(op, bits, old, operand), undefined).map_err(self.bad(tid))?;
                self.set_wide(tid, d, bytes, old, unset);
            }
            VisibleDetail::Cas { bytes, .. } => {
                let (old, unset) = self.load_wide(a0, bytes).map_err(self.bad(tid))?;
                let width = if bytes > 8 { 2 } else { 1 };
                let (expected, undefined) = self.wide_arg(tid, site, 1, bytes);
                // All bytes are compared, those between the members of a structure as well. Nobody need have set them:
                // they are zero then. But something must be there.
                let all = mask128(bytes * 8);
                if unset == all {
                    return Err(self.cpu(tid).uninitialised_at(a0, "a compare-exchange depends on it"));
                }
                if undefined == all {
                    return Err(self.cpu(tid).uninitialised("a compare-exchange depends on it"));
                }
                let success = old & !unset == expected & !undefined;
                let (new, undefined) = self.wide_arg(tid, site, 1 + width, bytes);
                if bytes >= 8 {
                    self.memory.note_compared(tid, expected as u64);
                }
                if success {
                    self.store_wide(a0, bytes, new, undefined).map_err(self.bad(tid))?;
                } else if self.memory.is_constant(a0) {
                    return Err(self.cpu(tid).bad_access(BadAccess { address: a0, bytes: bytes.into(), write: true }));
                }
                self.set_wide(tid, d, bytes, old, unset);
                self.threads[tid.index()].set_slot(d + width as u16, success.into(), 0);
            }
            VisibleDetail::Fence { .. } | VisibleDetail::Library => {}
            VisibleDetail::Copy => {
                let (from, length) = (self.arg(tid, site, 1), self.arg(tid, site, 2));
                self.memory.copy(a0, from, length).map_err(self.bad(tid))?;
            }
            VisibleDetail::Set => {
                let (byte, length) = (self.arg(tid, site, 1) as u8, self.arg(tid, site, 2));
                self.memory.fill(a0, byte, length).map_err(self.bad(tid))?;
            }
        }
        Ok(())
    }
}
