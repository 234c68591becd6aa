//! Integer and float arithmetic, comparisons, branches and switches.

use threadbare_ir::{BinOp, FloatPred, Inst, IntPred, Operand, TypeId, Value};

use super::constant::integer_op;
use super::function::{Body, Lowered, Src};
use crate::bytecode::*;
use crate::layout::{Scalar, Unsupported};

impl Body<'_, '_> {
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

    pub(super) fn componentwise(
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

    pub(super) fn binary(&mut self, op: BinOp, scalar: Scalar, d: Slot, x: (Src, Src), y: (Src, Src)) -> Lowered<()> {
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
        self.alu(op, scalar.bits()?, d, x.0, y.0);
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

    pub(super) fn compare(&mut self, p: Pred, w: u8, d: Slot, x: Src, y: Src) {
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

    pub(super) fn branch(&mut self, p: Pred, w: u8, x: Src, y: Src, t: u32, f: u32) {
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

    pub(super) fn switch(
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

    pub(super) fn select(&mut self, inst: &Inst, cond: &Operand, then: &Operand, els: &Value) -> Lowered<()> {
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
}

pub(super) fn is_signed(p: Pred) -> bool {
    matches!(p, Pred::Slt | Pred::Sle | Pred::Sgt | Pred::Sge)
}

pub(super) fn swapped(p: Pred) -> Pred {
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

pub(super) fn pred_of(p: IntPred) -> Pred {
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
pub(super) fn float_outcomes(p: FloatPred) -> u8 {
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

pub(super) fn float_op(op: BinOp) -> Option<FAlu> {
    Some(match op {
        BinOp::FAdd => FAlu::Add,
        BinOp::FSub => FAlu::Sub,
        BinOp::FMul => FAlu::Mul,
        BinOp::FDiv => FAlu::Div,
        BinOp::FRem => FAlu::Rem,
        _ => return None,
    })
}
