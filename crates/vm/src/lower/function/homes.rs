//! Where the values of a function live: in slots of their own, in those of others, or nowhere.

use threadbare_ir::{self as ir, Callee, CastOp, Const, Inst, InstKind, LocalId, TypeId, Value};

use super::addresses::{Address, Index};
use super::{Body, Lowered, local_of};
use crate::bytecode::*;
use crate::frontend::UNDEFINED;
use crate::layout::Unsupported;

/// Where a local value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    /// No slots: never needed as a value.
    None,
    Own(Slot),
    /// The same bits as (a part of) another local.
    Alias(LocalId, u16),
}

impl Body<'_, '_> {
    pub(super) fn give_homes(&mut self) -> Lowered<()> {
        let params = self.function.params.len();
        for local in 0..params {
            let ty = self.function.local_types[local];
            let slots = if self.function.params[local].attrs.byval.is_some() { 1 } else { self.layout().slots(ty)? };
            self.homes[local] = Home::Own(self.take(slots)?);
        }
        for local in params..self.defs.len() {
            let Some(inst) = self.defs[local] else {
                continue;
            };
            let ty = self.function.local_types[local];
            self.homes[local] = match &inst.kind {
                InstKind::Gep { .. } => {
                    if let Some(Some(Address { index: Some((Index::ExtendedBy(by), _)), .. })) =
                        self.addresses.get(local)
                        && by.0 as usize == local
                    {
                        self.extended[local] = self.take(1)?;
                    }
                    if self.materialised[local] {
                        let slots = self.layout().slots(ty)?;
                        Home::Own(self.take(slots)?)
                    } else {
                        Home::None
                    }
                }
                InstKind::ICmp { .. } if self.fused[local] => Home::None,
                InstKind::Call(call) if is_undefined_call(call) && !self.uses[local].in_slot() => Home::None,
                InstKind::InsertValue { agg, elem, path } if self.continues_chain(local, agg) => {
                    let Value::Local(inner) = agg.value else { unreachable!("a chain continues a local") };
                    let mut head = inner;
                    while let Home::Alias(of, _) = self.homes[head.0 as usize] {
                        head = of;
                    }
                    let (slot, _) = self.path_slot(agg.ty, path)?;
                    let end = slot + self.layout().slots(elem.ty)?;
                    self.chains.entry(head).or_default().push(slot..end);
                    Home::Alias(inner, 0)
                }
                kind => match self.alias_of(kind, ty)? {
                    Some((of, part)) => Home::Alias(of, part),
                    None => {
                        let slots = self.layout().slots(ty)?;
                        Home::Own(self.take(slots)?)
                    }
                },
            };
        }
        self.first_temp = self.next_slot;
        self.next_temp = self.next_slot;
        self.most_slots = self.next_slot.max(1);
        Ok(())
    }

    /// The value of an uninitialised variable.
    pub fn is_undefined(&self, local: LocalId) -> bool {
        match self.defs[local.0 as usize] {
            Some(Inst { kind: InstKind::Call(call), .. }) => is_undefined_call(call),
            _ => false,
        }
    }

    /// The store of an undefined value into a variable of this function.
    pub fn marks_undefined(&self, value: &ir::Operand, ptr: &Value) -> bool {
        let variable = local_of(ptr).and_then(|local| self.definition(local));
        local_of(&value.value).is_some_and(|local| self.is_undefined(local))
            && variable.is_some_and(|inst| matches!(inst.kind, InstKind::Alloca { .. }))
    }

    /// An `insertvalue` into a value that nobody else looks at changes it in place.
    fn continues_chain(&self, local: usize, agg: &ir::Operand) -> bool {
        let Value::Local(inner) = agg.value else {
            return false;
        };
        let inner = inner.0 as usize;
        matches!(self.defs[inner], Some(Inst { kind: InstKind::InsertValue { .. }, .. }))
            && inner < local
            && self.uses[inner].value == 1
            && self.def_block[inner] == self.def_block[local]
    }

    /// Whether later members of the chain that starts with `local` set this slot.
    pub fn set_later(&self, local: LocalId, slot: u16) -> bool {
        self.chains.get(&local).is_some_and(|ranges| ranges.iter().any(|range| range.contains(&slot)))
    }

    fn take(&mut self, slots: u16) -> Lowered<Slot> {
        let slot = self.next_slot;
        self.next_slot += u32::from(slots);
        if self.next_slot > 60_000 {
            return Err(Unsupported("more than 60,000 values at a time".into()));
        }
        Ok(slot as Slot)
    }

    /// Casts that change no bit, and parts of aggregates, need no code.
    fn alias_of(&self, kind: &InstKind, ty: TypeId) -> Lowered<Option<(LocalId, u16)>> {
        Ok(match kind {
            InstKind::Cast { op, from, .. } => {
                // What was never set may have no place of its own.
                let Some(local) = local_of(&from.value).filter(|&local| !self.is_undefined(local)) else {
                    return Ok(None);
                };
                if self.layout().vector(ty)?.is_some() || self.layout().vector(from.ty)?.is_some() {
                    return Ok(None);
                }
                let (Ok(a), Ok(b)) = (self.layout().scalar(from.ty), self.layout().scalar(ty)) else {
                    return Ok(None);
                };
                let same = match op {
                    CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr => {
                        a.slots() == 1 && b.slots() == 1 && b.width() >= a.width()
                    }
                    CastOp::BitCast | CastOp::AddrSpaceCast => a.slots() == b.slots() && a.width() == b.width(),
                    _ => false,
                };
                same.then_some((local, 0))
            }
            InstKind::ExtractValue { agg, path } => match agg.value {
                Value::Local(local) => Some((local, self.path_slot(agg.ty, path)?.0)),
                Value::Const(_) => None,
            },
            InstKind::ExtractElement { vector, index } => match (&vector.value, &index.value) {
                (Value::Local(local), Value::Const(Const::Int(i))) => {
                    let leaves = self.leaves(vector.ty)?;
                    leaves.get(*i as usize).map(|leaf| (*local, leaf.slot))
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// The first slot, relative to the whole, of the part of an aggregate that `path` names, and its type.
    pub fn path_slot(&self, ty: TypeId, path: &[u32]) -> Lowered<(u16, TypeId)> {
        let (mut slot, mut ty) = (0, ty);
        for &step in path {
            for i in 0..u64::from(step) {
                let (_, element) = self.layout().element(ty, i)?;
                slot += self.layout().slots(element)?;
            }
            ty = self.layout().element(ty, u64::from(step))?.1;
        }
        Ok((slot, ty))
    }

    pub fn local_slot(&self, local: LocalId) -> Slot {
        match self.homes[local.0 as usize] {
            Home::Own(slot) => slot,
            Home::Alias(of, part) => self.local_slot(of) + part,
            Home::None => unreachable!("{} is asked for as a value", self.function.local_names[local.0 as usize]),
        }
    }

    pub fn is_alias(&self, local: LocalId) -> bool {
        matches!(self.homes[local.0 as usize], Home::Alias(..))
    }

    pub fn has_home(&self, local: LocalId) -> bool {
        match self.homes[local.0 as usize] {
            Home::None => false,
            Home::Own(_) => true,
            Home::Alias(of, _) => self.has_home(of),
        }
    }
}

pub fn is_undefined_call(call: &ir::Call) -> bool {
    matches!(&call.callee, Callee::Value(Value::Const(Const::Global(name))) if name.starts_with(UNDEFINED))
}
