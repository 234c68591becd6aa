//! Every instruction but calls: scalars become operations, vectors and aggregates are taken apart.

use threadbare_core::Operation;
use threadbare_ir::{
    BinOp, CastOp, Const, FloatPred, Inst, InstKind, IntPred, LocalId, Operand, Ordering, RmwOp, TypeId, Value,
};

use super::constant::integer_op;
use super::function::{Address, Body, Index, Lowered, Root, Src, local_of};
use crate::bytecode::*;
use crate::layout::{Scalar, Unsupported};
use crate::scalar::mask;

impl Body<'_, '_> {
    pub fn instruction(&mut self, inst: &Inst) -> Lowered<()> {
        match &inst.kind {
            InstKind::Binary { op, lhs, rhs, .. } => {
                let d = self.result(inst);
                self.componentwise(d, lhs.ty, lhs, rhs, |body, scalar, d, a, b| body.binary(*op, scalar, d, a, b))
            }
            InstKind::FNeg(operand) => {
                let d = self.result(inst);
                let leaves = self.leaves(operand.ty)?;
                let sources = self.sources(operand.ty, &operand.value)?;
                for leaf in leaves.iter() {
                    let a = self.slot(sources[leaf.slot as usize]);
                    match leaf.scalar {
                        Scalar::F32 => self.emit(Op::XorI { d: d + leaf.slot, a, i: 1 << 31 }),
                        Scalar::F64 => self.emit(Op::XorI { d: d + leaf.slot, a, i: 1 << 63 }),
                        _ => {
                            let pair = self.pair(&sources, leaf.slot);
                            self.emit(Op::F80Neg { d: d + leaf.slot, a: pair });
                        }
                    }
                }
                Ok(())
            }
            InstKind::Cast { op, from, to } => self.cast(inst, *op, from, *to),
            InstKind::ICmp { pred, lhs, rhs } => {
                if inst.result.is_some_and(|local| self.is_fused(local)) {
                    return Ok(());
                }
                let d = self.result(inst);
                let leaves = self.leaves(lhs.ty)?;
                let x = self.sources(lhs.ty, &lhs.value)?;
                let y = self.sources(lhs.ty, rhs)?;
                for (i, leaf) in leaves.iter().enumerate() {
                    let at = leaf.slot as usize;
                    if leaf.scalar.slots() == 2 {
                        let (a, b) = (self.pair(&x, leaf.slot), self.pair(&y, leaf.slot));
                        self.emit(Op::WideSet { p: pred_of(*pred), w: leaf.scalar.bits(), d: d + i as u16, a, b });
                    } else {
                        self.compare(pred_of(*pred), leaf.scalar.bits(), d + i as u16, x[at], y[at]);
                    }
                }
                Ok(())
            }
            InstKind::FCmp { pred, lhs, rhs } => {
                let d = self.result(inst);
                let leaves = self.leaves(lhs.ty)?;
                let x = self.sources(lhs.ty, &lhs.value)?;
                let y = self.sources(lhs.ty, rhs)?;
                for (i, leaf) in leaves.iter().enumerate() {
                    let (a, b) = if leaf.scalar == Scalar::F80 {
                        (self.pair(&x, leaf.slot), self.pair(&y, leaf.slot))
                    } else {
                        (self.slot(x[leaf.slot as usize]), self.slot(y[leaf.slot as usize]))
                    };
                    self.emit(Op::FSet { p: float_outcomes(*pred), w: leaf.scalar.bits(), d: d + i as u16, a, b });
                }
                Ok(())
            }
            InstKind::Alloca { ty, count, align } => self.alloca(inst, *ty, count.as_ref(), *align),
            InstKind::Load { ty, ptr, ordering, volatile, .. } => self.load(inst, *ty, ptr, *ordering, *volatile),
            InstKind::Store { value, ptr, ordering, volatile, .. } => self.store(value, ptr, *ordering, *volatile),
            InstKind::Gep { source, base, indices, .. } => self.gep(inst, *source, base, indices),
            InstKind::AtomicRmw { op, ptr, value, ordering, .. } => {
                let scalar = self.layout().scalar(value.ty)?;
                let mut args = vec![self.value_slot_ptr(ptr)?];
                let first = self.value_slots(value.ty, &value.value)?;
                args.extend(first..first + scalar.slots());
                let detail = VisibleDetail::Rmw {
                    op: rmw_of(*op),
                    bytes: scalar.bytes(),
                    bits: scalar.bits(),
                    ordering: atomicity(*ordering),
                };
                let d = self.result(inst);
                self.visible(Operation::ReadModifyWrite, detail, args, d, 0);
                Ok(())
            }
            InstKind::CmpXchg { ptr, expected, new, success, .. } => {
                let scalar = self.layout().scalar(expected.ty)?;
                let mut args = vec![self.value_slot_ptr(ptr)?];
                for value in [&expected.value, new] {
                    let first = self.value_slots(expected.ty, value)?;
                    args.extend(first..first + scalar.slots());
                }
                let detail = VisibleDetail::Cas { bytes: scalar.bytes(), ordering: atomicity(*success) };
                let d = self.result(inst);
                self.visible(Operation::CompareExchange, detail, args, d, 0);
                Ok(())
            }
            InstKind::Fence(ordering) => {
                let detail = VisibleDetail::Fence { ordering: atomicity(*ordering) };
                self.visible(Operation::Fence, detail, Vec::new(), 0, 0);
                Ok(())
            }
            InstKind::Call(call) => self.call(inst, call),
            InstKind::Phi { .. } | InstKind::Dbg(_) => Ok(()),
            InstKind::Select { cond, then, els } => self.select(inst, cond, then, els),
            InstKind::ExtractValue { agg, path } => {
                if local_of(&agg.value).is_some() {
                    return Ok(());
                }
                let (slot, ty) = self.path_slot(agg.ty, path)?;
                let sources = self.sources(agg.ty, &agg.value)?;
                let d = self.result(inst);
                for i in 0..self.layout().slots(ty)? {
                    self.move_to(d + i, sources[(slot + i) as usize]);
                }
                Ok(())
            }
            InstKind::InsertValue { agg, elem, path } => {
                let (slot, _) = self.path_slot(agg.ty, path)?;
                let whole = self.sources(agg.ty, &agg.value)?;
                let part = self.sources(elem.ty, &elem.value)?;
                let d = self.result(inst);
                let inside = slot as usize..slot as usize + part.len();
                let local = inst.result.ok_or_else(|| Unsupported("a value without a use".into()))?;
                let in_place = self.is_alias(local);
                for (i, src) in whole.into_iter().enumerate() {
                    if inside.contains(&i) {
                        self.move_to(d + i as u16, part[i - inside.start]);
                    } else if !in_place && !self.set_later(local, i as u16) {
                        self.move_to(d + i as u16, src);
                    }
                }
                Ok(())
            }
            InstKind::ExtractElement { vector, index } => {
                let leaves = self.leaves(vector.ty)?;
                let d = self.result(inst);
                if let Value::Const(Const::Int(i)) = index.value {
                    if local_of(&vector.value).is_none() {
                        let sources = self.sources(vector.ty, &vector.value)?;
                        let leaf =
                            leaves.get(i as usize).ok_or_else(|| Unsupported("an element beyond a vector".into()))?;
                        for k in 0..leaf.scalar.slots() {
                            self.move_to(d + k, sources[(leaf.slot + k) as usize]);
                        }
                    }
                    return Ok(());
                }
                // A variable index: the last element whose number it is.
                let sources = self.sources(vector.ty, &vector.value)?;
                let which = self.value_slot(index.ty, &index.value)?;
                let hit = self.temp(1);
                for (i, leaf) in leaves.iter().enumerate() {
                    self.emit(Op::SetEqI { d: hit, a: which, i: i as u64 });
                    for k in 0..leaf.scalar.slots() {
                        let a = self.slot(sources[(leaf.slot + k) as usize]);
                        if i == 0 {
                            self.emit(Op::Mov { d: d + k, a });
                        } else {
                            self.emit(Op::Select { d: d + k, c: hit, a, b: d + k });
                        }
                    }
                }
                Ok(())
            }
            InstKind::InsertElement { vector, elem, index } => {
                let leaves = self.leaves(vector.ty)?;
                let (_, element) = self.layout().vector(vector.ty)?.expect("a vector");
                let sources = self.sources(vector.ty, &vector.value)?;
                let new = self.sources(element, elem)?;
                let d = self.result(inst);
                let constant = match index.value {
                    Value::Const(Const::Int(i)) => Some(i as usize),
                    _ => None,
                };
                let which = if constant.is_none() { self.value_slot(index.ty, &index.value)? } else { 0 };
                let hit = self.temp(1);
                for (i, leaf) in leaves.iter().enumerate() {
                    for k in 0..leaf.scalar.slots() {
                        let old = sources[(leaf.slot + k) as usize];
                        match constant {
                            Some(chosen) => {
                                self.move_to(d + leaf.slot + k, if chosen == i { new[k as usize] } else { old });
                            }
                            None => {
                                self.emit(Op::SetEqI { d: hit, a: which, i: i as u64 });
                                let (a, b) = (self.slot(new[k as usize]), self.slot(old));
                                self.emit(Op::Select { d: d + leaf.slot + k, c: hit, a, b });
                            }
                        }
                    }
                }
                Ok(())
            }
            InstKind::ShuffleVector { a, b, mask } => {
                let leaves = self.leaves(a.ty)?;
                let x = self.sources(a.ty, &a.value)?;
                let y = self.sources(a.ty, b)?;
                let d = self.result(inst);
                let width = leaves.first().map_or(1, |leaf| leaf.scalar.slots());
                for (i, which) in mask.iter().enumerate() {
                    for k in 0..width {
                        let src = match which {
                            None => Src::Undefined(64),
                            Some(n) if (*n as usize) < leaves.len() => x[(*n as u16 * width + k) as usize],
                            Some(n) => y[((*n as usize - leaves.len()) as u16 * width + k) as usize],
                        };
                        self.move_to(d + i as u16 * width + k, src);
                    }
                }
                Ok(())
            }
            InstKind::VaArg { .. } => Err(Unsupported("the instruction va_arg".into())),
            InstKind::Freeze(operand) => {
                let sources = self.sources(operand.ty, &operand.value)?;
                let d = self.result(inst);
                for (i, src) in sources.into_iter().enumerate() {
                    match src {
                        Src::Slot(a) => self.emit(Op::Freeze { d: d + i as u16, a }),
                        Src::Const(value) => self.emit(Op::Imm { d: d + i as u16, i: value }),
                        Src::Undefined(_) => self.emit(Op::Imm { d: d + i as u16, i: 0 }),
                    }
                }
                Ok(())
            }
            InstKind::Br(to) => {
                let moves = self.phi_moves(self.current_block(), *to)?;
                self.parallel_moves(moves);
                if !self.is_next(*to) {
                    self.emit(Op::Jmp { t: to.0 });
                }
                Ok(())
            }
            InstKind::CondBr { cond, then, els } => {
                let (t, f) = (self.edge(*then)?, self.edge(*els)?);
                if let Some(local) = local_of(cond)
                    && self.is_fused(local)
                    && let Some(Inst { kind: InstKind::ICmp { pred, lhs, rhs }, .. }) = self.definition(local)
                {
                    let w = self.layout().scalar(lhs.ty)?.bits();
                    let (a, b) = (self.source(lhs.ty, &lhs.value)?, self.source(lhs.ty, rhs)?);
                    self.branch(pred_of(*pred), w, a, b, t, f);
                    return Ok(());
                }
                let c = match cond {
                    Value::Local(local) => self.local_slot(*local),
                    Value::Const(constant) => {
                        let src = match constant {
                            Const::Int(bits) => Src::Const(*bits as u64),
                            Const::Undef | Const::Poison => Src::Undefined(1),
                            _ => Src::Const(0),
                        };
                        self.slot(src)
                    }
                };
                self.emit(Op::Br { c, t, f });
                Ok(())
            }
            InstKind::Switch { value, default, cases } => self.switch(value, *default, cases),
            InstKind::IndirectBr { addr, targets } => {
                for &target in targets {
                    if !self.phi_moves(self.current_block(), target)?.is_empty() {
                        return self.indirect_with_phis(addr, targets);
                    }
                }
                let a = self.value_slot_ptr(addr)?;
                self.emit(Op::IndirectBr { a });
                Ok(())
            }
            InstKind::Ret(None) => {
                self.emit(Op::Ret);
                Ok(())
            }
            InstKind::Ret(Some(operand)) => {
                let sources = self.sources(operand.ty, &operand.value)?;
                match sources[..] {
                    [] => self.emit(Op::Ret),
                    [one] => {
                        let a = self.slot(one);
                        self.emit(Op::RetOne { a });
                    }
                    _ => {
                        let slots: Vec<Slot> = sources.into_iter().map(|src| self.slot(src)).collect();
                        let args = self.low.program.args.len() as u32;
                        let n = slots.len() as u16;
                        self.low.program.args.extend(slots);
                        self.emit(Op::RetMany { args, n });
                    }
                }
                Ok(())
            }
            InstKind::Unreachable => {
                self.emit(Op::Unreachable);
                Ok(())
            }
        }
    }

    /// A computed goto into blocks with phis: a chain of comparisons, each with its own edge.
    fn indirect_with_phis(&mut self, addr: &Value, targets: &[threadbare_ir::BlockId]) -> Lowered<()> {
        let a = self.value_slot_ptr(addr)?;
        let base = crate::memory::code_address(self.index);
        let mut cases = rustc_hash::FxHashMap::default();
        for &target in targets {
            let edge = self.edge(target)?;
            cases.insert(base + 1 + u64::from(target.0), edge);
        }
        let default = *cases.values().next().ok_or_else(|| Unsupported("a goto without targets".into()))?;
        let table = self.low.program.switches.len() as u32;
        self.low.program.switches.push(SwitchTable { default, kind: SwitchKind::Sparse(cases) });
        self.emit(Op::Switch { a, table });
        Ok(())
    }

    // ---- Scalars ---------------------------------------------------------------------------------------------------

    /// Two consecutive slots for the wide component at `slot` of a value.
    pub fn pair(&mut self, sources: &[Src], slot: u16) -> Slot {
        let (low, high) = (sources[slot as usize], sources[slot as usize + 1]);
        if let (Src::Slot(a), Src::Slot(b)) = (low, high)
            && b == a + 1
        {
            return a;
        }
        let d = self.temp(2);
        self.move_to(d, low);
        self.move_to(d + 1, high);
        d
    }

    fn componentwise(
        &mut self,
        d: Slot,
        ty: TypeId,
        lhs: &Operand,
        rhs: &Value,
        mut each: impl FnMut(&mut Self, Scalar, Slot, (Src, Src), (Src, Src)) -> Lowered<()>,
    ) -> Lowered<()> {
        let leaves = self.leaves(ty)?;
        let x = self.sources(ty, &lhs.value)?;
        let y = self.sources(ty, rhs)?;
        for leaf in leaves.iter() {
            let at = leaf.slot as usize;
            let high = |list: &[Src]| {
                if leaf.scalar.slots() == 2 { list[at + 1] } else { Src::Const(0) }
            };
            each(self, leaf.scalar, d + leaf.slot, (x[at], high(&x)), (y[at], high(&y)))?;
        }
        Ok(())
    }

    fn binary(&mut self, op: BinOp, scalar: Scalar, d: Slot, x: (Src, Src), y: (Src, Src)) -> Lowered<()> {
        if let Some(float) = float_op(op) {
            match scalar {
                Scalar::F32 => {
                    let (a, b) = (self.slot(x.0), self.slot(y.0));
                    self.emit(Op::F32 { op: float, d, a, b });
                }
                Scalar::F64 => {
                    let (a, b) = (self.slot(x.0), self.slot(y.0));
                    self.emit(Op::F64 { op: float, d, a, b });
                }
                _ => {
                    let (a, b) = (self.pair(&[x.0, x.1], 0), self.pair(&[y.0, y.1], 0));
                    self.emit(Op::F80 { op: float, d, a, b });
                }
            }
            return Ok(());
        }
        let op = integer_op(op).ok_or_else(|| Unsupported(format!("the instruction {op:?}")))?;
        if let Scalar::Wide(w) = scalar {
            let (a, b) = (self.pair(&[x.0, x.1], 0), self.pair(&[y.0, y.1], 0));
            self.emit(Op::Wide { op, w, d, a, b });
            return Ok(());
        }
        self.alu(op, scalar.bits(), d, x.0, y.0);
        Ok(())
    }

    /// Integer arithmetic of up to 64 bits.
    pub fn alu(&mut self, op: Alu, w: u8, d: Slot, x: Src, y: Src) {
        let commutes = matches!(op, Alu::Add | Alu::Mul | Alu::And | Alu::Or | Alu::Xor);
        let (x, y) = if commutes && matches!(x, Src::Const(_)) { (y, x) } else { (x, y) };
        let a = self.slot(x);
        if let Src::Const(i) = y {
            self.emit(match (op, w) {
                (Alu::Add, 32) => Op::Add32I { d, a, i },
                (Alu::Sub, 32) => Op::Sub32I { d, a, i },
                (Alu::Mul, 32) => Op::Mul32I { d, a, i },
                (Alu::Shl, 32) => Op::Shl32I { d, a, i },
                (Alu::LShr, 32) => Op::LShr32I { d, a, i },
                (Alu::AShr, 32) => Op::AShr32I { d, a, i },
                (Alu::Add, 64) => Op::Add64I { d, a, i },
                (Alu::Sub, 64) => Op::Sub64I { d, a, i },
                (Alu::Mul, 64) => Op::Mul64I { d, a, i },
                (Alu::Shl, 64) => Op::Shl64I { d, a, i },
                (Alu::LShr, 64) => Op::LShr64I { d, a, i },
                (Alu::AShr, 64) => Op::AShr64I { d, a, i },
                (Alu::And, _) => Op::AndI { d, a, i },
                (Alu::Or, _) => Op::OrI { d, a, i },
                (Alu::Xor, _) => Op::XorI { d, a, i },
                _ => Op::AluI { op, w, d, a, i },
            });
            return;
        }
        let b = self.slot(y);
        self.emit(match (op, w) {
            (Alu::Add, 32) => Op::Add32 { d, a, b },
            (Alu::Sub, 32) => Op::Sub32 { d, a, b },
            (Alu::Mul, 32) => Op::Mul32 { d, a, b },
            (Alu::Shl, 32) => Op::Shl32 { d, a, b },
            (Alu::LShr, 32) => Op::LShr32 { d, a, b },
            (Alu::AShr, 32) => Op::AShr32 { d, a, b },
            (Alu::Add, 64) => Op::Add64 { d, a, b },
            (Alu::Sub, 64) => Op::Sub64 { d, a, b },
            (Alu::Mul, 64) => Op::Mul64 { d, a, b },
            (Alu::Shl, 64) => Op::Shl64 { d, a, b },
            (Alu::LShr, 64) => Op::LShr64 { d, a, b },
            (Alu::AShr, 64) => Op::AShr64 { d, a, b },
            (Alu::And, _) => Op::And { d, a, b },
            (Alu::Or, _) => Op::Or { d, a, b },
            (Alu::Xor, _) => Op::Xor { d, a, b },
            _ => Op::Alu { op, w, d, a, b },
        });
    }

    fn compare(&mut self, p: Pred, w: u8, d: Slot, x: Src, y: Src) {
        let (p, x, y) = if matches!(x, Src::Const(_)) { (swapped(p), y, x) } else { (p, x, y) };
        let a = self.slot(x);
        let signed_odd = is_signed(p) && w != 32 && w != 64;
        match y {
            Src::Const(i) if !signed_odd => self.emit(match (p, w) {
                (Pred::Eq, _) => Op::SetEqI { d, a, i },
                (Pred::Ne, _) => Op::SetNeI { d, a, i },
                (Pred::Ult, _) => Op::SetUltI { d, a, i },
                (Pred::Ule, _) => Op::SetUleI { d, a, i },
                (Pred::Ugt, _) => Op::SetUgtI { d, a, i },
                (Pred::Uge, _) => Op::SetUgeI { d, a, i },
                (Pred::Slt, 32) => Op::SetSlt32I { d, a, i },
                (Pred::Sle, 32) => Op::SetSle32I { d, a, i },
                (Pred::Sgt, 32) => Op::SetSgt32I { d, a, i },
                (Pred::Sge, 32) => Op::SetSge32I { d, a, i },
                (Pred::Slt, _) => Op::SetSlt64I { d, a, i },
                (Pred::Sle, _) => Op::SetSle64I { d, a, i },
                (Pred::Sgt, _) => Op::SetSgt64I { d, a, i },
                (Pred::Sge, _) => Op::SetSge64I { d, a, i },
            }),
            y => {
                let b = self.slot(y);
                if signed_odd {
                    self.emit(Op::SetW { p, w, d, a, b });
                    return;
                }
                self.emit(match (p, w) {
                    (Pred::Eq, _) => Op::SetEq { d, a, b },
                    (Pred::Ne, _) => Op::SetNe { d, a, b },
                    (Pred::Ult, _) => Op::SetUlt { d, a, b },
                    (Pred::Ule, _) => Op::SetUle { d, a, b },
                    (Pred::Ugt, _) => Op::SetUgt { d, a, b },
                    (Pred::Uge, _) => Op::SetUge { d, a, b },
                    (Pred::Slt, 32) => Op::SetSlt32 { d, a, b },
                    (Pred::Sle, 32) => Op::SetSle32 { d, a, b },
                    (Pred::Sgt, 32) => Op::SetSgt32 { d, a, b },
                    (Pred::Sge, 32) => Op::SetSge32 { d, a, b },
                    (Pred::Slt, _) => Op::SetSlt64 { d, a, b },
                    (Pred::Sle, _) => Op::SetSle64 { d, a, b },
                    (Pred::Sgt, _) => Op::SetSgt64 { d, a, b },
                    (Pred::Sge, _) => Op::SetSge64 { d, a, b },
                });
            }
        }
    }

    fn branch(&mut self, p: Pred, w: u8, x: Src, y: Src, t: u32, f: u32) {
        let (p, x, y) = if matches!(x, Src::Const(_)) { (swapped(p), y, x) } else { (p, x, y) };
        if is_signed(p) && w != 32 && w != 64 {
            let c = self.temp(1);
            self.compare(p, w, c, x, y);
            self.emit(Op::Br { c, t, f });
            return;
        }
        let a = self.slot(x);
        // An immediate is 32 bits, sign-extended: unsigned ones must not have the top bit.
        let immediate = match y {
            Src::Const(value) if is_signed(p) && w == 32 => Some(value as i32),
            Src::Const(value) if is_signed(p) => i32::try_from(value as i64).ok(),
            Src::Const(value) => i32::try_from(value).ok(),
            _ => None,
        };
        if let Some(i) = immediate {
            self.emit(match (p, w) {
                (Pred::Eq, _) => Op::BrEqI { a, i, t, f },
                (Pred::Ne, _) => Op::BrNeI { a, i, t, f },
                (Pred::Ult, _) => Op::BrUltI { a, i, t, f },
                (Pred::Ule, _) => Op::BrUleI { a, i, t, f },
                (Pred::Ugt, _) => Op::BrUgtI { a, i, t, f },
                (Pred::Uge, _) => Op::BrUgeI { a, i, t, f },
                (Pred::Slt, 32) => Op::BrSlt32I { a, i, t, f },
                (Pred::Sle, 32) => Op::BrSle32I { a, i, t, f },
                (Pred::Sgt, 32) => Op::BrSgt32I { a, i, t, f },
                (Pred::Sge, 32) => Op::BrSge32I { a, i, t, f },
                (Pred::Slt, _) => Op::BrSlt64I { a, i, t, f },
                (Pred::Sle, _) => Op::BrSle64I { a, i, t, f },
                (Pred::Sgt, _) => Op::BrSgt64I { a, i, t, f },
                (Pred::Sge, _) => Op::BrSge64I { a, i, t, f },
            });
            return;
        }
        let b = self.slot(y);
        self.emit(match (p, w) {
            (Pred::Eq, _) => Op::BrEq { a, b, t, f },
            (Pred::Ne, _) => Op::BrNe { a, b, t, f },
            (Pred::Ult, _) => Op::BrUlt { a, b, t, f },
            (Pred::Ule, _) => Op::BrUle { a, b, t, f },
            (Pred::Ugt, _) => Op::BrUgt { a, b, t, f },
            (Pred::Uge, _) => Op::BrUge { a, b, t, f },
            (Pred::Slt, 32) => Op::BrSlt32 { a, b, t, f },
            (Pred::Sle, 32) => Op::BrSle32 { a, b, t, f },
            (Pred::Sgt, 32) => Op::BrSgt32 { a, b, t, f },
            (Pred::Sge, 32) => Op::BrSge32 { a, b, t, f },
            (Pred::Slt, _) => Op::BrSlt64 { a, b, t, f },
            (Pred::Sle, _) => Op::BrSle64 { a, b, t, f },
            (Pred::Sgt, _) => Op::BrSgt64 { a, b, t, f },
            (Pred::Sge, _) => Op::BrSge64 { a, b, t, f },
        });
    }

    fn switch(
        &mut self,
        value: &Operand,
        default: threadbare_ir::BlockId,
        cases: &[(u128, threadbare_ir::BlockId)],
    ) -> Lowered<()> {
        let scalar = self.layout().scalar(value.ty)?;
        let default = self.edge(default)?;
        let mut targets = Vec::with_capacity(cases.len());
        for (case, block) in cases {
            targets.push((*case, self.edge(*block)?));
        }
        let kind = if scalar.slots() == 2 {
            SwitchKind::Wide(targets.iter().copied().collect())
        } else {
            let low = targets.iter().map(|(case, _)| *case as u64).min().unwrap_or(0);
            let high = targets.iter().map(|(case, _)| *case as u64).max().unwrap_or(0);
            if high - low < 4 * targets.len() as u64 + 16 {
                let mut dense = vec![default; (high - low) as usize + 1];
                for (case, target) in &targets {
                    dense[(*case as u64 - low) as usize] = *target;
                }
                SwitchKind::Dense { low, targets: dense }
            } else {
                SwitchKind::Sparse(targets.iter().map(|(case, target)| (*case as u64, *target)).collect())
            }
        };
        let a = if scalar.slots() == 2 {
            self.value_slots(value.ty, &value.value)?
        } else {
            self.value_slot(value.ty, &value.value)?
        };
        let table = self.low.program.switches.len() as u32;
        self.low.program.switches.push(SwitchTable { default, kind });
        self.emit(Op::Switch { a, table });
        Ok(())
    }

    fn select(&mut self, inst: &Inst, cond: &Operand, then: &Operand, els: &Value) -> Lowered<()> {
        let d = self.result(inst);
        let leaves = self.leaves(then.ty)?;
        let x = self.sources(then.ty, &then.value)?;
        let y = self.sources(then.ty, els)?;
        let conditions = self.sources(cond.ty, &cond.value)?;
        let per_element = self.layout().vector(cond.ty)?.is_some();
        for (i, leaf) in leaves.iter().enumerate() {
            let c = self.slot(conditions[if per_element { i } else { 0 }]);
            for k in leaf.slot..leaf.slot + leaf.scalar.slots() {
                let (a, b) = (self.slot(x[k as usize]), self.slot(y[k as usize]));
                self.emit(Op::Select { d: d + k, c, a, b });
            }
        }
        Ok(())
    }

    // ---- Casts -----------------------------------------------------------------------------------------------------

    fn cast(&mut self, inst: &Inst, op: CastOp, from: &Operand, to: TypeId) -> Lowered<()> {
        let local = inst.result.ok_or_else(|| Unsupported("a cast without a result".into()))?;
        if self.is_alias(local) {
            return Ok(());
        }
        let d = self.local_slot(local);
        let from_leaves = self.leaves(from.ty)?;
        let to_leaves = self.leaves(to)?;
        let sources = self.sources(from.ty, &from.value)?;
        if op == CastOp::BitCast || op == CastOp::AddrSpaceCast {
            self.repack(d, &from_leaves, &sources, &to_leaves);
            return Ok(());
        }
        for (a, b) in from_leaves.iter().zip(to_leaves.iter()) {
            self.cast_scalar(op, a.scalar, &sources, a.slot, b.scalar, d + b.slot)?;
        }
        Ok(())
    }

    fn cast_scalar(&mut self, op: CastOp, a: Scalar, sources: &[Src], at: u16, b: Scalar, d: Slot) -> Lowered<()> {
        let low = sources[at as usize];
        let convert = |signed, unsigned, is_signed: bool| if is_signed { signed } else { unsigned };
        match op {
            CastOp::Trunc | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::ZExt => match (a.slots(), b.slots()) {
                (_, 1) if b.bits() < a.bits() => {
                    let a = self.slot(low);
                    if b.bits() == 64 {
                        self.emit(Op::Mov { d, a })
                    } else {
                        self.emit(Op::AndI { d, a, i: mask(b.bits()) })
                    }
                }
                (_, 1) => self.move_to(d, low),
                (1, _) => {
                    self.move_to(d, low);
                    self.emit(Op::Imm { d: d + 1, i: 0 });
                }
                _ => {
                    let a = self.pair(sources, at);
                    self.emit(Op::WideMask { d, a, w: b.bits() });
                }
            },
            CastOp::SExt => {
                if b.slots() == 2 {
                    let first = if a.slots() == 2 { self.pair(sources, at) } else { self.slot(low) };
                    self.emit(Op::WideSExt { d, a: first, from: a.bits(), to: b.bits() });
                } else {
                    let first = self.slot(low);
                    if a.bits() == 32 && b.bits() == 64 {
                        self.emit(Op::SExt32 { d, a: first });
                    } else {
                        self.emit(Op::SExt { d, a: first, from: a.bits(), to: b.bits() });
                    }
                }
            }
            CastOp::FpTrunc | CastOp::FpExt => {
                let conv = match (a, b) {
                    (Scalar::F32, Scalar::F64) => Conv::F32ToF64,
                    (Scalar::F64, Scalar::F32) => Conv::F64ToF32,
                    (Scalar::F32, Scalar::F80) => Conv::F32ToF80,
                    (Scalar::F64, Scalar::F80) => Conv::F64ToF80,
                    (Scalar::F80, Scalar::F32) => Conv::F80ToF32,
                    _ => Conv::F80ToF64,
                };
                let first = if a == Scalar::F80 { self.pair(sources, at) } else { self.slot(low) };
                self.emit(Op::Convert { op: conv, w: 64, d, a: first });
            }
            CastOp::FpToSi | CastOp::FpToUi => {
                let signed = op == CastOp::FpToSi;
                let conv = match a {
                    Scalar::F32 => convert(Conv::F32ToSigned, Conv::F32ToUnsigned, signed),
                    Scalar::F64 => convert(Conv::F64ToSigned, Conv::F64ToUnsigned, signed),
                    _ => convert(Conv::F80ToSigned, Conv::F80ToUnsigned, signed),
                };
                let first = if a == Scalar::F80 { self.pair(sources, at) } else { self.slot(low) };
                self.emit(Op::Convert { op: conv, w: b.bits(), d, a: first });
            }
            CastOp::SiToFp | CastOp::UiToFp => {
                let signed = op == CastOp::SiToFp;
                let conv = match b {
                    Scalar::F32 => convert(Conv::SignedToF32, Conv::UnsignedToF32, signed),
                    Scalar::F64 => convert(Conv::SignedToF64, Conv::UnsignedToF64, signed),
                    _ => convert(Conv::SignedToF80, Conv::UnsignedToF80, signed),
                };
                let first = if a.slots() == 2 { self.pair(sources, at) } else { self.slot(low) };
                self.emit(Op::Convert { op: conv, w: a.bits(), d, a: first });
            }
            CastOp::BitCast | CastOp::AddrSpaceCast => unreachable!("repacked"),
        }
        Ok(())
    }

    /// The same bits cut into other components, lowest first.
    pub fn repack(&mut self, d: Slot, from: &[crate::layout::Leaf], sources: &[Src], to: &[crate::layout::Leaf]) {
        let pieces = |leaves: &[crate::layout::Leaf]| -> Vec<(u16, u32)> {
            leaves.iter().flat_map(|leaf| leaf.pieces()).map(|(slot, bits)| (slot, bits.into())).collect()
        };
        let from = pieces(from);
        let mut start = 0u32;
        for (slot, bits) in pieces(to) {
            let d = d + slot;
            let mut first = true;
            let mut at = 0u32;
            for &(source, width) in &from {
                let (low, high) = (at.max(start), (at + width).min(start + bits));
                if low < high {
                    // Bits low..high of the stream: from bit low-at of the source to bit low-start of the target.
                    let part = self.temp(1);
                    let mut src = sources[source as usize];
                    if low > at {
                        self.alu(Alu::LShr, 64, part, src, Src::Const((low - at).into()));
                        src = Src::Slot(part);
                    }
                    if high < at + width {
                        self.alu(Alu::And, 64, part, src, Src::Const(mask((high - low) as u8)));
                        src = Src::Slot(part);
                    }
                    if low > start {
                        self.alu(Alu::Shl, 64, part, src, Src::Const((low - start).into()));
                        src = Src::Slot(part);
                    }
                    if first {
                        self.move_to(d, src);
                    } else {
                        self.alu(Alu::Or, 64, d, Src::Slot(d), src);
                    }
                    first = false;
                }
                at += width;
            }
            start += bits;
        }
    }

    // ---- Memory ----------------------------------------------------------------------------------------------------

    pub fn value_slot_ptr(&mut self, ptr: &Value) -> Lowered<Slot> {
        match ptr {
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
            Value::Const(Const::Undef | Const::Poison) => Ok(self.slot(Src::Undefined(64))),
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
                self.emit(Op::Add64I { d, a, i: address.offset as u64 });
            }
            (Root::Local(local), Some((index, scale))) => {
                let (a, b) = (self.local_slot(local), self.index_slot(index));
                self.emit(Op::Lea { d, a, b, scale, off: offset });
            }
        }
    }

    fn gep(&mut self, inst: &Inst, source: TypeId, base: &Operand, indices: &[Operand]) -> Lowered<()> {
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
            let from = self.layout().scalar(index.ty)?.bits();
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
            let from = self.layout().scalar(self.function.local_types[index.0 as usize])?.bits();
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
                Some((_, element)) => self.layout().scalar(element)?.bits(),
                None => self.layout().scalar(index.ty)?.bits(),
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

    fn alloca(&mut self, inst: &Inst, ty: TypeId, count: Option<&Operand>, align: u32) -> Lowered<()> {
        let d = self.result(inst);
        let size = self.layout().size(ty)?;
        let escapes = self.low.alloca_escapes(self.m, self.function, inst.result.expect("an address"));
        let name = super::source::alloca_name(self.low.module(self.m), self.function, inst.result.expect("an address"));
        let mut site = AllocaSite { size, align: align.into(), escapes, name: name.map(Into::into) };
        let constant = match count.map(|operand| &operand.value) {
            None => Some(1),
            Some(Value::Const(Const::Int(n))) => Some(*n as u64),
            _ => None,
        };
        let index = self.low.program.allocas.len() as u32;
        if let Some(n) = constant {
            site.size = size.saturating_mul(n);
            self.low.program.allocas.push(site);
            self.emit(Op::Alloca { d, site: index });
        } else {
            let count = count.expect("not constant");
            let a = self.value_slot(count.ty, &count.value)?;
            self.low.program.allocas.push(site);
            self.emit(Op::AllocaN { d, a, site: index });
        }
        Ok(())
    }

    fn load(&mut self, inst: &Inst, ty: TypeId, ptr: &Value, ordering: Ordering, volatile: bool) -> Lowered<()> {
        let d = self.result(inst);
        let leaves = self.leaves(ty)?;
        if self.layout().is_bit_vector(ty)? {
            return self.load_bits(d, ty, ptr);
        }
        if ordering != Ordering::NotAtomic || volatile {
            let a = self.value_slot_ptr(ptr)?;
            for leaf in leaves.iter() {
                let detail = self.access_detail(leaf.scalar, leaf.offset, ordering)?;
                self.visible(Operation::Load, detail, vec![a], d + leaf.slot, 0);
            }
            return Ok(());
        }
        let address = self.address_or_slot(ptr)?;
        for leaf in leaves.iter() {
            self.load_scalar(leaf.scalar, d + leaf.slot, &address, leaf.offset);
        }
        Ok(())
    }

    /// Like `address`, but what cannot be folded is put into a slot first.
    fn address_or_slot(&mut self, ptr: &Value) -> Lowered<Folded> {
        if let Value::Const(Const::Undef | Const::Poison) = ptr {
            let slot = self.slot(Src::Undefined(64));
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
        Ok(VisibleDetail::Access { bytes: scalar.bytes(), offset, bits: scalar.bits(), ordering: atomicity(ordering) })
    }

    fn load_scalar(&mut self, scalar: Scalar, d: Slot, address: &Folded, offset: u64) {
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
                self.load_bytes(scalar.bytes(), d, &address);
                if scalar.bits() % 8 != 0 {
                    self.emit(Op::AndI { d, a: d, i: mask(scalar.bits()) });
                }
            }
        }
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

    fn store(&mut self, value: &Operand, ptr: &Value, ordering: Ordering, volatile: bool) -> Lowered<()> {
        let leaves = self.leaves(value.ty)?;
        if self.layout().is_bit_vector(value.ty)? {
            return self.store_bits(value, ptr);
        }
        let sources = self.sources(value.ty, &value.value)?;
        if ordering != Ordering::NotAtomic || volatile {
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
                scalar => self.store_bytes(scalar.bytes(), low, &at),
            }
        }
        Ok(())
    }

    /// A vector of bits lies packed in memory.
    fn load_bits(&mut self, d: Slot, ty: TypeId, ptr: &Value) -> Lowered<()> {
        let leaves = self.leaves(ty)?;
        let bits: u32 = leaves.iter().map(|leaf| u32::from(leaf.scalar.bits())).sum();
        if bits > 64 {
            return Err(Unsupported(format!("a vector of {bits} bits in memory")));
        }
        let address = self.address_or_slot(ptr)?;
        let word = self.temp(1);
        self.load_bytes(bits.div_ceil(8) as u8, word, &address);
        let whole = [crate::layout::Leaf { scalar: Scalar::Int(bits as u8), slot: 0, offset: 0 }];
        self.repack(d, &whole, &[Src::Slot(word)], &leaves);
        Ok(())
    }

    fn store_bits(&mut self, value: &Operand, ptr: &Value) -> Lowered<()> {
        let leaves = self.leaves(value.ty)?;
        let bits: u32 = leaves.iter().map(|leaf| u32::from(leaf.scalar.bits())).sum();
        if bits > 64 {
            return Err(Unsupported(format!("a vector of {bits} bits in memory")));
        }
        let sources = self.sources(value.ty, &value.value)?;
        let word = self.temp(1);
        let whole = [crate::layout::Leaf { scalar: Scalar::Int(bits as u8), slot: 0, offset: 0 }];
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
        self.low.program.visibles.push(VisibleSite { operation, detail, args, result_slots });
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

fn is_signed(p: Pred) -> bool {
    matches!(p, Pred::Slt | Pred::Sle | Pred::Sgt | Pred::Sge)
}

fn swapped(p: Pred) -> Pred {
    match p {
        Pred::Eq => Pred::Eq,
        Pred::Ne => Pred::Ne,
        Pred::Ult => Pred::Ugt,
        Pred::Ule => Pred::Uge,
        Pred::Ugt => Pred::Ult,
        Pred::Uge => Pred::Ule,
        Pred::Slt => Pred::Sgt,
        Pred::Sle => Pred::Sge,
        Pred::Sgt => Pred::Slt,
        Pred::Sge => Pred::Sle,
    }
}

fn pred_of(p: IntPred) -> Pred {
    match p {
        IntPred::Eq => Pred::Eq,
        IntPred::Ne => Pred::Ne,
        IntPred::Ugt => Pred::Ugt,
        IntPred::Uge => Pred::Uge,
        IntPred::Ult => Pred::Ult,
        IntPred::Ule => Pred::Ule,
        IntPred::Sgt => Pred::Sgt,
        IntPred::Sge => Pred::Sge,
        IntPred::Slt => Pred::Slt,
        IntPred::Sle => Pred::Sle,
    }
}

/// Less 1, equal 2, greater 4, unordered 8.
fn float_outcomes(p: FloatPred) -> u8 {
    match p {
        FloatPred::False => 0,
        FloatPred::Olt => 1,
        FloatPred::Oeq => 2,
        FloatPred::Ole => 3,
        FloatPred::Ogt => 4,
        FloatPred::One => 5,
        FloatPred::Oge => 6,
        FloatPred::Ord => 7,
        FloatPred::Uno => 8,
        FloatPred::Ult => 9,
        FloatPred::Ueq => 10,
        FloatPred::Ule => 11,
        FloatPred::Ugt => 12,
        FloatPred::Une => 13,
        FloatPred::Uge => 14,
        FloatPred::True => 15,
    }
}

fn float_op(op: BinOp) -> Option<FAlu> {
    Some(match op {
        BinOp::FAdd => FAlu::Add,
        BinOp::FSub => FAlu::Sub,
        BinOp::FMul => FAlu::Mul,
        BinOp::FDiv => FAlu::Div,
        BinOp::FRem => FAlu::Rem,
        _ => return None,
    })
}

fn rmw_of(op: RmwOp) -> Rmw {
    match op {
        RmwOp::Xchg => Rmw::Xchg,
        RmwOp::Add => Rmw::Add,
        RmwOp::Sub => Rmw::Sub,
        RmwOp::And => Rmw::And,
        RmwOp::Nand => Rmw::Nand,
        RmwOp::Or => Rmw::Or,
        RmwOp::Xor => Rmw::Xor,
        RmwOp::Max => Rmw::Max,
        RmwOp::Min => Rmw::Min,
        RmwOp::UMax => Rmw::UMax,
        RmwOp::UMin => Rmw::UMin,
        RmwOp::FAdd => Rmw::FAdd,
        RmwOp::FSub => Rmw::FSub,
        RmwOp::FMax => Rmw::FMax,
        RmwOp::FMin => Rmw::FMin,
        RmwOp::UIncWrap => Rmw::UIncWrap,
        RmwOp::UDecWrap => Rmw::UDecWrap,
    }
}

fn atomicity(ordering: Ordering) -> Atomicity {
    match ordering {
        Ordering::NotAtomic => Atomicity::Volatile,
        Ordering::Unordered | Ordering::Monotonic => Atomicity::Relaxed,
        Ordering::Acquire => Atomicity::Acquire,
        Ordering::Release => Atomicity::Release,
        Ordering::AcqRel => Atomicity::AcqRel,
        Ordering::SeqCst => Atomicity::SeqCst,
    }
}
