//! Which address computations fold into the accesses that use them.

use threadbare_ir::{self as ir, Const, Inst, InstKind, LocalId, TypeId, Value};

use super::{Body, Lowered};
use crate::bytecode::*;
use crate::layout::{Layout, Scalar, Unsupported};
use crate::scalar::sext128;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Root {
    Local(LocalId),
    Const(u64),
}

/// `root + index * scale + offset`: what one access can compute by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    pub root: Root,
    /// The index and what it is multiplied with. An index of less than 64 bits has been extended into the slot of the
    /// `getelementptr` that is named.
    pub index: Option<(Index, i32)>,
    pub offset: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    Local(LocalId),
    ExtendedBy(LocalId),
}

impl Body<'_, '_> {
    pub(super) fn fold_addresses(&mut self) -> Lowered<()> {
        for local in 0..self.defs.len() {
            if matches!(self.defs[local], Some(Inst { kind: InstKind::Gep { .. }, .. })) {
                self.address_of_local(LocalId(local as u32))?;
            }
        }
        for local in 0..self.defs.len() {
            if let (Some(Inst { kind: InstKind::Gep { .. }, .. }), Some(_)) = (self.defs[local], self.addresses[local])
                && self.uses[local].value > 0
            {
                self.materialised[local] = true;
            }
        }
        Ok(())
    }

    fn plain(local: LocalId) -> Address {
        Address { root: Root::Local(local), index: None, offset: 0 }
    }

    /// The address that a local stands for, folded as far as one access can carry.
    fn address_of_local(&mut self, local: LocalId) -> Lowered<Address> {
        let l = local.0 as usize;
        let Some(Inst { kind: InstKind::Gep { source, base, indices, .. }, .. }) = self.defs[l] else {
            return Ok(Self::plain(local));
        };
        if let Some(address) = self.addresses[l] {
            return Ok(address);
        }
        if self.layout().vector(self.function.local_types[l])?.is_some() {
            // A vector of addresses: component by component, when it is computed.
            self.materialised[l] = true;
            self.addresses[l] = Some(Self::plain(local));
            return Ok(Self::plain(local));
        }
        let mut address = match &base.value {
            Value::Local(inner) => self.address_of_local(*inner)?,
            Value::Const(constant) => match self.low.constant_address(self.m, constant) {
                Ok(at) => Address { root: Root::Const(at), index: None, offset: 0 },
                // A thread-local base, or undef: computed as a value.
                Err(_) => {
                    self.materialised[l] = true;
                    self.addresses[l] = Some(Self::plain(local));
                    return Ok(Self::plain(local));
                }
            },
        };
        let own_base = match &base.value {
            Value::Local(inner) => Self::plain(*inner),
            Value::Const(_) => address,
        };
        let (offset, variable) = self.gep_terms(*source, indices)?;
        let fits = |offset: i64| i32::try_from(offset).is_ok();
        let complex = match variable[..] {
            [] => {
                address.offset = address.offset.wrapping_add(offset);
                false
            }
            [(index, scale)] => {
                if address.index.is_some() {
                    // The inner one has an index already: it is computed, and this one starts from it.
                    if let Value::Local(inner) = &base.value {
                        self.materialised[inner.0 as usize] = true;
                    }
                    address = own_base;
                }
                let index = match self.layout().scalar(self.function.local_types[index.0 as usize])? {
                    Scalar::Int(64) => Index::Local(index),
                    _ => Index::ExtendedBy(local),
                };
                match i32::try_from(scale) {
                    Ok(scale) => {
                        address.index = Some((index, scale));
                        address.offset = address.offset.wrapping_add(offset);
                        false
                    }
                    Err(_) => true,
                }
            }
            _ => true,
        };
        if complex || !fits(address.offset) || !fits(address.offset.wrapping_add(1 << 24)) {
            if let Value::Local(inner) = &base.value
                && matches!(self.defs[inner.0 as usize], Some(Inst { kind: InstKind::Gep { .. }, .. }))
            {
                self.materialised[inner.0 as usize] = true;
            }
            self.materialised[l] = true;
            address = Self::plain(local);
        }
        self.addresses[l] = Some(address);
        Ok(address)
    }

    /// The constant part of the indices, and the variable ones with what they are multiplied with.
    pub fn gep_terms(&mut self, source: TypeId, indices: &[ir::Operand]) -> Lowered<(i64, Vec<(LocalId, i64)>)> {
        let mut ty = source;
        let mut offset = 0i64;
        let mut variable = Vec::new();
        for (depth, index) in indices.iter().enumerate() {
            let step = |layout: &Layout| -> Lowered<i64> {
                let element = if depth == 0 { ty } else { layout.element(ty, 0)?.1 };
                Ok(layout.size(element)? as i64)
            };
            match &index.value {
                Value::Const(constant) => {
                    let bits = self.layout().scalar(index.ty)?.bits()?;
                    let n = sext128(self.low.constant_bits(self.m, index.ty, constant)?, bits) as i64;
                    if depth == 0 {
                        offset = offset.wrapping_add(step(self.layout())?.wrapping_mul(n));
                    } else {
                        let (at, element) = self.layout().element(ty, n as u64)?;
                        offset = offset.wrapping_add(at as i64);
                        ty = element;
                    }
                }
                Value::Local(local) => {
                    variable.push((*local, step(self.layout())?));
                    if depth > 0 {
                        ty = self.layout().element(ty, 0)?.1;
                    }
                }
            }
        }
        Ok((offset, variable))
    }

    /// How an access reaches a pointer operand.
    pub fn address(&mut self, ptr: &Value) -> Lowered<Address> {
        match ptr {
            Value::Local(local) => self.address_of_local(*local),
            Value::Const(Const::Undef | Const::Poison) => {
                let d = self.temp(1);
                self.emit(Op::Undef { d, w: 64, variable: 0 });
                Err(Unsupported("an undefined address".into()))
            }
            Value::Const(Const::Global(name)) if self.is_thread_local(name) => {
                Err(Unsupported("a thread-local variable without llvm.threadlocal.address".into()))
            }
            Value::Const(constant) => {
                let at = self.low.constant_address(self.m, constant)?;
                Ok(Address { root: Root::Const(at), index: None, offset: 0 })
            }
        }
    }

    pub fn index_slot(&self, index: Index) -> Slot {
        match index {
            Index::Local(local) => self.local_slot(local),
            Index::ExtendedBy(gep) => self.extended[gep.0 as usize],
        }
    }

    pub fn extended_slot(&self, gep: LocalId) -> Slot {
        self.extended[gep.0 as usize]
    }

    pub fn folded(&self, local: LocalId) -> Option<Address> {
        self.addresses[local.0 as usize]
    }

    pub fn is_materialised(&self, local: LocalId) -> bool {
        self.materialised[local.0 as usize]
    }
}
