//! Addresses, loads, stores and stack objects.

use std::rc::Rc;

use threadbare_core::Operation;
use threadbare_ir::{BinOp, CastOp, Const, Inst, InstKind, LocalId, Operand, Ordering, TypeId, Value};

use super::big::{in_limbs, is_big};
use super::function::{Address, Body, Index, Lowered, Root, Src, local_of};
use super::instruction::atomicity;
use crate::bytecode::*;
use crate::layout::{Leaf, Scalar, Unsupported};
use crate::scalar::mask;

impl Body<'_, '_> {
    pub fn value_slot_ptr(&mut self, ptr: &Value) -> Lowered<Slot> {
        match ptr {
            Value::Local(local) if self.is_undefined(*local) => {
                let variable = self.undefined_variable(*local);
                Ok(self.slot(Src::Undefined { bits: 64, variable }))
            }
            Value::Local(local) if self.has_home(*local) => Ok(self.local_slot(*local)),
            Value::Local(_) => {
                let address = self.address(ptr)?;
                let d = self.temp(1);
                self.compute(d, &address);
                Ok(d)
            }
            Value::Const(Const::Global(name)) if self.is_thread_local(name) => {
                let d = self.temp(1);
                self.thread_local_address(name, d);
                Ok(d)
            }
            Value::Const(Const::Undef | Const::Poison) => Ok(self.slot(Src::undefined(64))),
            Value::Const(constant) => {
                let at = self.low.constant_address(self.m, constant)?;
                Ok(self.slot(Src::Const(at)))
            }
        }
    }

    /// Puts a folded address into a slot.
    fn compute(&mut self, d: Slot, address: &Address) {
        let offset = address.offset as i32;
        match (address.root, address.index) {
            (Root::Const(p), None) => self.emit(Op::Imm { d, i: p.wrapping_add(address.offset as u64) }),
            (Root::Const(p), Some((index, scale))) => {
                let p = p.wrapping_add(address.offset as u64);
                let b = self.index_slot(index);
                if let Ok(scale) = u8::try_from(scale) {
                    self.emit(Op::LeaG { d, b, scale, p });
                } else {
                    let a = self.slot(Src::Const(p));
                    self.emit(Op::Lea { d, a, b, scale, off: 0 });
                }
            }
            (Root::Local(local), None) => {
                let a = self.local_slot(local);
                self.emit(match address.offset {
                    0 => Op::Mov { d, a },
                    offset => Op::Add64I { d, a, i: offset as u64 },
                });
            }
            (Root::Local(local), Some((index, scale))) => {
                let (a, b) = (self.local_slot(local), self.index_slot(index));
                self.emit(Op::Lea { d, a, b, scale, off: offset });
            }
        }
    }

    pub(super) fn gep(&mut self, inst: &Inst, source: TypeId, base: &Operand, indices: &[Operand]) -> Lowered<()> {
        let local = inst.result.ok_or_else(|| Unsupported("an address without a use".into()))?;
        let ty = self.function.local_types[local.0 as usize];
        if self.layout().vector(ty)?.is_some() {
            return self.vector_gep(local, source, base, indices);
        }
        let address = self.folded(local).expect("folded before");
        if let Some((Index::ExtendedBy(by), _)) = address.index
            && by == local
        {
            let index = indices.iter().find(|index| local_of(&index.value).is_some()).expect("a variable index");
            let from = self.layout().scalar(index.ty)?.bits()?;
            let a = self.value_slot(index.ty, &index.value)?;
            let d = self.extended_slot(local);
            if from == 32 { self.emit(Op::SExt32 { d, a }) } else { self.emit(Op::SExt { d, a, from, to: 64 }) }
        }
        if !self.is_materialised(local) {
            return Ok(());
        }
        let d = self.local_slot(local);
        if address.root != Root::Local(local) {
            self.compute(d, &address);
            return Ok(());
        }
        // More than one index, or numbers that do not fit: step by step.
        let (offset, variable) = self.gep_terms(source, indices)?;
        let mut a = self.value_slot_ptr(&base.value)?;
        if offset != 0 || variable.is_empty() {
            self.emit(Op::Add64I { d, a, i: offset as u64 });
            a = d;
        }
        for (index, scale) in variable {
            let from = self.layout().scalar(self.function.local_types[index.0 as usize])?.bits()?;
            let mut b = self.local_slot(index);
            if from < 64 {
                let extended = self.temp(1);
                self.emit(Op::SExt { d: extended, a: b, from, to: 64 });
                b = extended;
            }
            match i32::try_from(scale) {
                Ok(scale) => self.emit(Op::Lea { d, a, b, scale, off: 0 }),
                Err(_) => {
                    let product = self.temp(1);
                    self.emit(Op::Mul64I { d: product, a: b, i: scale as u64 });
                    self.emit(Op::Add64 { d, a, b: product });
                }
            }
            a = d;
        }
        Ok(())
    }

    fn vector_gep(&mut self, local: LocalId, source: TypeId, base: &Operand, indices: &[Operand]) -> Lowered<()> {
        let d = self.local_slot(local);
        let ty = self.function.local_types[local.0 as usize];
        let (n, _) = self.layout().vector(ty)?.expect("a vector");
        let bases = self.sources(base.ty, &base.value)?;
        for lane in 0..n as usize {
            let start = bases[if bases.len() == 1 { 0 } else { lane }];
            self.move_to(d + lane as u16, start);
        }
        let mut ty = source;
        for (depth, index) in indices.iter().enumerate() {
            let element = if depth == 0 { ty } else { self.layout().element(ty, 0)?.1 };
            let in_struct = depth > 0 && matches!(self.layout().get(ty)?, threadbare_ir::Type::Struct { .. });
            let sources = self.sources(index.ty, &index.value)?;
            let width = match self.layout().vector(index.ty)? {
                Some((_, element)) => self.layout().scalar(element)?.bits()?,
                None => self.layout().scalar(index.ty)?.bits()?,
            };
            if in_struct {
                let Src::Const(field) = sources[0] else {
                    return Err(Unsupported("a variable index into a structure".into()));
                };
                let (offset, field_ty) = self.layout().element(ty, field)?;
                for lane in 0..n as u16 {
                    self.emit(Op::Add64I { d: d + lane, a: d + lane, i: offset });
                }
                ty = field_ty;
                continue;
            }
            let scale = self.layout().size(element)? as i32;
            for lane in 0..n as usize {
                let src = sources[if sources.len() == 1 { 0 } else { lane }];
                let mut b = self.slot(src);
                if width < 64 {
                    let extended = self.temp(1);
                    self.emit(Op::SExt { d: extended, a: b, from: width, to: 64 });
                    b = extended;
                }
                let lane = d + lane as u16;
                self.emit(Op::Lea { d: lane, a: lane, b, scale, off: 0 });
            }
            if depth > 0 {
                ty = element;
            }
        }
        Ok(())
    }

    pub(super) fn alloca(&mut self, inst: &Inst, ty: TypeId, count: Option<&Operand>, align: u32) -> Lowered<()> {
        let d = self.result(inst);
        let size = self.layout().size(ty)?;
        let local = inst.result.expect("an address");
        let escapes = self.low.alloca_escapes(self.m, self.function, local);
        let variable = super::source::alloca_variable(self.low.module(self.m), self.function, local);
        let (name, declared) = variable.map_or((None, None), |(name, declared)| (Some(name.into()), declared));
        let declared = self.low.source.location(&mut self.low.program, self.low.linked, self.m, declared);
        let asked = count.is_some() && name.is_none();
        let mut site = AllocaSite { size, align: align.into(), escapes, name, declared, asked };
        let constant = match count.map(|operand| &operand.value) {
            None => Some(1),
            Some(Value::Const(Const::Int(n))) => Some(*n as u64),
            _ => None,
        };
        let index = self.low.program.allocas.len() as u32;
        if let Some(n) = constant {
            site.size = size.saturating_mul(n);
            let variable = count.is_some() && site.name.is_some();
            self.low.program.allocas.push(site);
            if variable {
                // The length of a variable-length array that the compiler has found out: perhaps an `int` without its sign.
                let bits = if u32::try_from(n).is_ok() { 32 } else { 64 };
                let slot = self.slot(Src::Const(n));
                self.native_site(Native::ArrayLength { site: index, bits }, vec![slot], 0, 0);
            }
            self.emit(Op::Alloca { d, site: index });
        } else {
            let count = count.expect("not constant");
            let a = self.value_slot(count.ty, &count.value)?;
            let variable = site.name.is_some();
            self.low.program.allocas.push(site);
            // What `alloca` gives has no name of its own, and may be empty.
            if variable {
                self.array_lengths(index, count)?;
            }
            self.emit(Op::AllocaN { d, a, site: index });
        }
        Ok(())
    }

    /// Checks the dimensions of a variable-length array: clang multiplies them after it has widened each without its sign.
    fn array_lengths(&mut self, site: u32, length: &Operand) -> Lowered<()> {
        let definition = local_of(&length.value).and_then(|local| self.definition(local)).map(|inst| &inst.kind);
        match definition {
            Some(InstKind::Binary { op: BinOp::Mul, lhs, rhs, .. }) => {
                self.array_lengths(site, lhs)?;
                self.array_lengths(site, &Operand { ty: lhs.ty, value: rhs.clone() })
            }
            Some(InstKind::Cast { op: CastOp::ZExt | CastOp::SExt, from, .. }) => self.array_length(site, from),
            _ => self.array_length(site, length),
        }
    }

    fn array_length(&mut self, site: u32, length: &Operand) -> Lowered<()> {
        let bits = self.layout().scalar(length.ty)?.bits()?;
        if bits <= 64 {
            let slot = self.value_slot(length.ty, &length.value)?;
            self.native_site(Native::ArrayLength { site, bits }, vec![slot], 0, 0);
        }
        Ok(())
    }

    pub(super) fn load(
        &mut self,
        inst: &Inst,
        ty: TypeId,
        ptr: &Value,
        ordering: Ordering,
        volatile: bool,
    ) -> Lowered<()> {
        let d = self.result(inst);
        if self.layout().is_bit_vector(ty)? {
            return self.load_bits(d, ty, ptr);
        }
        let leaves = self.accessed(ty, ordering)?;
        if ordering != Ordering::NotAtomic || volatile && !self.is_out_of_sight(ptr) {
            let a = self.value_slot_ptr(ptr)?;
            for leaf in leaves.iter() {
                let detail = self.access_detail(leaf.scalar, leaf.offset, ordering)?;
                self.visible(Operation::Load, detail, vec![a], d + leaf.slot, 0);
            }
            return Ok(());
        }
        let address = self.address_or_slot(ptr)?;
        for leaf in leaves.iter() {
            self.load_scalar(leaf.scalar, d + leaf.slot, &address, leaf.offset)?;
        }
        Ok(())
    }

    /// The components that a load or store moves one by one.
    fn accessed(&self, ty: TypeId, ordering: Ordering) -> Lowered<Rc<[Leaf]>> {
        let leaves = self.leaves(ty)?;
        let atomic = !matches!(ordering, Ordering::NotAtomic | Ordering::Observed);
        if let (true, Some(leaf)) = (atomic, leaves.iter().find(|leaf| is_big(leaf))) {
            // Its limbs would be accessed one after the other.
            return Err(Unsupported(format!("an atomic integer of {} bits", leaf.scalar.width())));
        }
        Ok(in_limbs(leaves))
    }

    /// Like `address`, but what cannot be folded is put into a slot first.
    fn address_or_slot(&mut self, ptr: &Value) -> Lowered<Folded> {
        if let Value::Const(Const::Undef | Const::Poison) = ptr {
            let slot = self.slot(Src::undefined(64));
            return Ok(Folded { base: Base::Slot(slot), index: None, offset: 0 });
        }
        if let Value::Const(Const::Global(name)) = ptr
            && self.is_thread_local(name)
        {
            let slot = self.value_slot_ptr(ptr)?;
            return Ok(Folded { base: Base::Slot(slot), index: None, offset: 0 });
        }
        let address = self.address(ptr)?;
        let base = match address.root {
            Root::Local(local) => Base::Slot(self.local_slot(local)),
            Root::Const(at) => Base::Const(at),
        };
        let index = address.index.map(|(index, scale)| (self.index_slot(index), scale));
        Ok(Folded { base, index, offset: address.offset })
    }

    fn access_detail(&mut self, scalar: Scalar, offset: u64, ordering: Ordering) -> Lowered<VisibleDetail> {
        let offset = i32::try_from(offset).map_err(|_| Unsupported("a volatile access of a huge structure".into()))?;
        Ok(VisibleDetail::Access {
            bytes: scalar.bytes()?,
            offset,
            bits: scalar.bits()?,
            ordering: atomicity(ordering),
        })
    }

    fn load_scalar(&mut self, scalar: Scalar, d: Slot, address: &Folded, offset: u64) -> Lowered<()> {
        let address = address.plus(offset);
        match scalar {
            Scalar::Wide(w) => {
                self.load_bytes(8, d, &address);
                self.load_bytes(w.div_ceil(8) - 8, d + 1, &address.plus(8));
            }
            Scalar::F80 => {
                self.load_bytes(8, d, &address);
                self.load_bytes(2, d + 1, &address.plus(8));
            }
            scalar => {
                self.load_bytes(scalar.bytes()?, d, &address);
                if scalar.bits()? % 8 != 0 {
                    self.emit(Op::AndI { d, a: d, i: mask(scalar.bits()?) });
                }
            }
        }
        Ok(())
    }

    fn load_bytes(&mut self, n: u8, d: Slot, address: &Folded) {
        let Some(address) = self.fit(address, n) else {
            return;
        };
        let off = address.offset as i32;
        macro_rules! forms {
            ($ld:ident, $ldg:ident, $ldx:ident, $ldgx:ident) => {
                match (address.base, address.index) {
                    (Base::Const(p), None) => Op::$ldg { d, p: p.wrapping_add(address.offset as u64) },
                    (Base::Const(p), Some((b, scale))) => {
                        Op::$ldgx { scale: scale as u8, d, b, p: p.wrapping_add(address.offset as u64) }
                    }
                    (Base::Slot(a), None) => Op::$ld { d, a, off },
                    (Base::Slot(a), Some((b, scale))) => Op::$ldx { d, a, b, scale, off },
                }
            };
        }
        let op = match n {
            1 => forms!(Ld1, LdG1, LdX1, LdGX1),
            2 => forms!(Ld2, LdG2, LdX2, LdGX2),
            4 => forms!(Ld4, LdG4, LdX4, LdGX4),
            8 => forms!(Ld8, LdG8, LdX8, LdGX8),
            n => match address.base {
                Base::Slot(a) => Op::LdN { n, d, a, off },
                Base::Const(_) => unreachable!("put into a slot by fit"),
            },
        };
        self.emit(op);
    }

    fn store_bytes(&mut self, n: u8, src: Src, address: &Folded) {
        let Some(address) = self.fit(address, n) else {
            return;
        };
        let off = address.offset as i32;
        if let (Src::Const(i), Base::Slot(a), None, 1 | 2 | 4 | 8) = (src, address.base, address.index, n) {
            self.emit(Op::StI { n, a, off, i });
            return;
        }
        let v = self.slot(src);
        macro_rules! forms {
            ($st:ident, $stg:ident, $stx:ident, $stgx:ident) => {
                match (address.base, address.index) {
                    (Base::Const(p), None) => Op::$stg { v, p: p.wrapping_add(address.offset as u64) },
                    (Base::Const(p), Some((b, scale))) => {
                        Op::$stgx { scale: scale as u8, v, b, p: p.wrapping_add(address.offset as u64) }
                    }
                    (Base::Slot(a), None) => Op::$st { v, a, off },
                    (Base::Slot(a), Some((b, scale))) => Op::$stx { v, a, b, scale, off },
                }
            };
        }
        let op = match n {
            1 => forms!(St1, StG1, StX1, StGX1),
            2 => forms!(St2, StG2, StX2, StGX2),
            4 => forms!(St4, StG4, StX4, StGX4),
            8 => forms!(St8, StG8, StX8, StGX8),
            n => match address.base {
                Base::Slot(a) => Op::StN { n, v, a, off },
                Base::Const(_) => unreachable!("put into a slot by fit"),
            },
        };
        self.emit(op);
    }

    /// Brings an address into a form that an access of `n` bytes has: small scales with constant bases, 32-bit offsets,
    /// and a plain slot for odd sizes.
    fn fit(&mut self, address: &Folded, n: u8) -> Option<Folded> {
        let mut address = *address;
        let odd = !matches!(n, 1 | 2 | 4 | 8);
        if n == 0 {
            return None;
        }
        if let (Base::Const(p), Some((_, scale))) = (address.base, address.index)
            && (odd || u8::try_from(scale).is_err())
        {
            address.base = Base::Slot(self.slot(Src::Const(p)));
        }
        if odd || i32::try_from(address.offset).is_err() {
            let d = self.temp(1);
            match (address.base, address.index) {
                (Base::Const(p), None) => self.emit(Op::Imm { d, i: p }),
                (Base::Slot(a), None) => self.emit(Op::Mov { d, a }),
                (Base::Slot(a), Some((b, scale))) => self.emit(Op::Lea { d, a, b, scale, off: 0 }),
                (Base::Const(_), Some(_)) => unreachable!("put into a slot above when odd"),
            }
            if i32::try_from(address.offset).is_err() {
                self.emit(Op::Add64I { d, a: d, i: address.offset as u64 });
                address.offset = 0;
            }
            address.base = Base::Slot(d);
            address.index = None;
        }
        Some(address)
    }

    /// A variable of the function whose address goes nowhere: however it is declared, nobody else can see it.
    fn is_out_of_sight(&mut self, ptr: &Value) -> bool {
        let Some(local) = local_of(ptr) else { return false };
        let insts = self.function.blocks.iter().flat_map(|block| &block.insts);
        let is_alloca =
            insts.filter(|inst| inst.result == Some(local)).any(|inst| matches!(inst.kind, InstKind::Alloca { .. }));
        is_alloca && !self.low.alloca_escapes(self.m, self.function, local)
    }

    pub(super) fn store(&mut self, value: &Operand, ptr: &Value, ordering: Ordering, volatile: bool) -> Lowered<()> {
        if self.layout().is_bit_vector(value.ty)? {
            if ordering == Ordering::Observed {
                return Err(Unsupported("a vector of bits that an invariant may look at".into()));
            }
            return self.store_bits(value, ptr);
        }
        let leaves = self.accessed(value.ty, ordering)?;
        let sources = self.sources(value.ty, &value.value)?;
        if ordering != Ordering::NotAtomic || volatile && !self.is_out_of_sight(ptr) {
            let a = self.value_slot_ptr(ptr)?;
            for leaf in leaves.iter() {
                let detail = self.access_detail(leaf.scalar, leaf.offset, ordering)?;
                let mut args = vec![a];
                for k in leaf.slot..leaf.slot + leaf.scalar.slots() {
                    args.push(self.slot(sources[k as usize]));
                }
                self.visible(Operation::Store, detail, args, 0, 0);
            }
            return Ok(());
        }
        let address = self.address_or_slot(ptr)?;
        for leaf in leaves.iter() {
            let at = address.plus(leaf.offset);
            let low = sources[leaf.slot as usize];
            match leaf.scalar {
                Scalar::Wide(w) => {
                    self.store_bytes(8, low, &at);
                    self.store_bytes(w.div_ceil(8) - 8, sources[leaf.slot as usize + 1], &at.plus(8));
                }
                Scalar::F80 => {
                    self.store_bytes(8, low, &at);
                    self.store_bytes(2, sources[leaf.slot as usize + 1], &at.plus(8));
                }
                scalar => self.store_bytes(scalar.bytes()?, low, &at),
            }
        }
        Ok(())
    }

    /// A vector of bits lies packed in memory.
    fn load_bits(&mut self, d: Slot, ty: TypeId, ptr: &Value) -> Lowered<()> {
        let leaves = self.leaves(ty)?;
        let bits: u32 = leaves.iter().map(|leaf| u32::from(leaf.scalar.width())).sum();
        if bits > 64 {
            return Err(Unsupported(format!("a vector of {bits} bits in memory")));
        }
        let address = self.address_or_slot(ptr)?;
        let word = self.temp(1);
        self.load_bytes(bits.div_ceil(8) as u8, word, &address);
        let whole = [Leaf { scalar: Scalar::Int(bits as u8), slot: 0, offset: 0 }];
        self.repack(d, &whole, &[Src::Slot(word)], &leaves);
        Ok(())
    }

    fn store_bits(&mut self, value: &Operand, ptr: &Value) -> Lowered<()> {
        let leaves = self.leaves(value.ty)?;
        let bits: u32 = leaves.iter().map(|leaf| u32::from(leaf.scalar.width())).sum();
        if bits > 64 {
            return Err(Unsupported(format!("a vector of {bits} bits in memory")));
        }
        let sources = self.sources(value.ty, &value.value)?;
        let word = self.temp(1);
        let whole = [Leaf { scalar: Scalar::Int(bits as u8), slot: 0, offset: 0 }];
        self.repack(word, &leaves, &sources, &whole);
        let address = self.address_or_slot(ptr)?;
        self.store_bytes(bits.div_ceil(8) as u8, Src::Slot(word), &address);
        Ok(())
    }

    pub fn visible(
        &mut self,
        operation: Operation,
        detail: VisibleDetail,
        args: Vec<Slot>,
        d: Slot,
        result_slots: u16,
    ) {
        let site = self.low.program.visibles.len() as u32;
        self.low.program.visibles.push(VisibleSite {
            operation,
            detail,
            args,
            result_slots,
            may_wait: false,
            in_vain: false,
        });
        self.emit(Op::Visible { site, d });
    }
}

/// An address whose parts are in slots.
#[derive(Clone, Copy)]
struct Folded {
    base: Base,
    index: Option<(Slot, i32)>,
    offset: i64,
}

#[derive(Clone, Copy)]
enum Base {
    Slot(Slot),
    Const(u64),
}

impl Folded {
    fn plus(&self, offset: u64) -> Folded {
        Folded { offset: self.offset.wrapping_add(offset as i64), ..*self }
    }
}
