//! Integers of more than 128 bits, limb by limb: what clang makes of packed structs with bit-fields.
//!
//! A value is as many slots as it has limbs of 64 bits, lowest first; bits above its width are zero. Clang only moves,
//! masks, shifts by constants, resizes and compares such values; everything else is refused by name.

use std::rc::Rc;

use threadbare_ir::{BinOp, CastOp, Operand, Value};

use super::function::{Body, Lowered, Src};
use crate::bytecode::*;
use crate::layout::{Leaf, Scalar, Unsupported};
use crate::scalar::mask;

/// What loads and stores move: the same components, with the limbs of big ones as integers of their own.
pub(super) fn in_limbs(leaves: Rc<[Leaf]>) -> Rc<[Leaf]> {
    if !leaves.iter().any(is_big) {
        return leaves;
    }
    let mut limbs = Vec::new();
    for leaf in leaves.iter() {
        if is_big(leaf) {
            limbs.extend(leaf.pieces().map(|(slot, bits)| {
                let offset = leaf.offset + 8 * u64::from(slot - leaf.slot);
                Leaf { scalar: Scalar::Int(bits), slot, offset }
            }));
        } else {
            limbs.push(*leaf);
        }
    }
    limbs.into()
}

pub(super) fn is_big(leaf: &Leaf) -> bool {
    matches!(leaf.scalar, Scalar::Big(_))
}

/// How many bits the highest limb of a value of `w` bits holds.
fn top_bits(w: u16) -> u8 {
    ((w - 1) % 64 + 1) as u8
}

impl Body<'_, '_> {
    pub(super) fn big_binary(&mut self, op: BinOp, d: Slot, lhs: &Operand, rhs: &Value) -> Lowered<()> {
        let leaves = self.leaves(lhs.ty)?;
        let x = self.sources(lhs.ty, &lhs.value)?;
        let y = self.sources(lhs.ty, rhs)?;
        for leaf in leaves.iter() {
            let limbs = leaf.slot as usize..(leaf.slot + leaf.scalar.slots()) as usize;
            let (w, d, x, y) = (leaf.scalar.width(), d + leaf.slot, &x[limbs.clone()], &y[limbs]);
            match op {
                BinOp::And => self.each_limb(Alu::And, d, x, y),
                BinOp::Or => self.each_limb(Alu::Or, d, x, y),
                BinOp::Xor => self.each_limb(Alu::Xor, d, x, y),
                BinOp::Add => self.big_sum(Alu::Add, w, d, x, y),
                BinOp::Sub => self.big_sum(Alu::Sub, w, d, x, y),
                BinOp::Shl | BinOp::LShr | BinOp::AShr => self.big_shift(op, w, d, x, y)?,
                op => return Err(Unsupported(format!("the instruction {op:?} on integers of {w} bits"))),
            }
        }
        Ok(())
    }

    fn each_limb(&mut self, op: Alu, d: Slot, x: &[Src], y: &[Src]) {
        for (i, (&x, &y)) in x.iter().zip(y).enumerate() {
            self.alu(op, 64, d + i as u16, x, y);
        }
    }

    /// Sets the bits above the width to zero.
    fn mask_top(&mut self, w: u16, d: Slot) {
        let top = d + w.div_ceil(64) - 1;
        if top_bits(w) < 64 {
            self.emit(Op::AndI { d: top, a: top, i: mask(top_bits(w)) });
        }
    }

    fn big_sum(&mut self, op: Alu, w: u16, d: Slot, x: &[Src], y: &[Src]) {
        let mut carry = None;
        for (i, (&x, &y)) in x.iter().zip(y).enumerate() {
            let d = d + i as u16;
            self.alu(op, 64, d, x, y);
            let out = self.temp(1);
            // A sum wraps if it is less than an operand; a difference, if the operand was less.
            match op {
                Alu::Add => self.compare(Pred::Ult, 64, out, Src::Slot(d), x),
                _ => self.compare(Pred::Ult, 64, out, x, y),
            }
            if let Some(carry) = carry {
                let again = self.temp(1);
                if op != Alu::Add {
                    self.emit(Op::SetUlt { d: again, a: d, b: carry });
                }
                self.alu(op, 64, d, Src::Slot(d), Src::Slot(carry));
                if op == Alu::Add {
                    self.emit(Op::SetUlt { d: again, a: d, b: carry });
                }
                self.emit(Op::Or { d: out, a: out, b: again });
            }
            carry = Some(out);
        }
        self.mask_top(w, d);
    }

    fn big_shift(&mut self, op: BinOp, w: u16, d: Slot, x: &[Src], y: &[Src]) -> Lowered<()> {
        let (Src::Const(by), true) = (y[0], y[1..].iter().all(|limb| matches!(limb, Src::Const(_)))) else {
            return Err(Unsupported(format!("a shift of an integer of {w} bits by a variable")));
        };
        if by >= w.into() || y[1..].iter().any(|&limb| limb != Src::Const(0)) {
            for (slot, bits) in (Leaf { scalar: Scalar::Big(w), slot: d, offset: 0 }).pieces() {
                self.emit(Op::Undef { d: slot, w: bits, variable: 0 });
            }
            return Ok(());
        }
        let (limbs, bits) = (by as usize / 64, by % 64);
        let mut x = x.to_vec();
        let outside = if op == BinOp::AShr { self.extend_top(top_bits(w), &mut x) } else { Src::Const(0) };
        let n = x.len();
        for i in 0..n {
            let d = d + i as u16;
            // The limb that gives most of the bits, and the one that fills what the shift leaves free.
            let (near, far, shift, back) = if op == BinOp::Shl {
                let at = |k: usize| i.checked_sub(k).map_or(Src::Const(0), |i| x[i]);
                (at(limbs), at(limbs + 1), Alu::Shl, Alu::LShr)
            } else {
                let at = |k: usize| x.get(i + k).copied().unwrap_or(outside);
                (at(limbs), at(limbs + 1), Alu::LShr, Alu::Shl)
            };
            if bits == 0 {
                self.move_to(d, near);
                continue;
            }
            if near == Src::Const(0) && far == Src::Const(0) {
                self.emit(Op::Imm { d, i: 0 });
                continue;
            }
            self.alu(shift, 64, d, near, Src::Const(bits));
            if far != Src::Const(0) {
                let fill = self.temp(1);
                self.alu(back, 64, fill, far, Src::Const(64 - bits));
                self.emit(Op::Or { d, a: d, b: fill });
            }
        }
        self.mask_top(w, d);
        Ok(())
    }

    /// Extends the sign of a value through its highest limb, which holds `bits` bits; gives the limbs above.
    fn extend_top(&mut self, bits: u8, limbs: &mut [Src]) -> Src {
        let top = limbs.last_mut().expect("an integer has a limb");
        if bits < 64 {
            let (d, a) = (self.temp(1), self.slot(*top));
            self.emit(Op::SExt { d, a, from: bits, to: 64 });
            *top = Src::Slot(d);
        }
        let sign = self.temp(1);
        self.alu(Alu::AShr, 64, sign, *top, Src::Const(63));
        Src::Slot(sign)
    }

    /// A cast from or to more than 128 bits; `sources` are the limbs of the operand.
    pub(super) fn big_cast(&mut self, op: CastOp, from: Scalar, sources: &[Src], to: Scalar, d: Slot) -> Lowered<()> {
        let mut limbs = sources.to_vec();
        let above = match op {
            CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr => Src::Const(0),
            CastOp::SExt => self.extend_top(top_bits(from.width()), &mut limbs),
            _ => {
                let w = from.width().max(to.width());
                return Err(Unsupported(format!("a conversion between an integer of {w} bits and a float")));
            }
        };
        for i in 0..to.slots() {
            self.move_to(d + i, limbs.get(i as usize).copied().unwrap_or(above));
        }
        if op != CastOp::ZExt {
            self.mask_top(to.width(), d);
        }
        Ok(())
    }

    pub(super) fn big_compare(&mut self, p: Pred, w: u16, d: Slot, x: &[Src], y: &[Src]) {
        match p {
            Pred::Eq | Pred::Ne => {
                // One undefined bit makes the result undefined unless others differ: as if it were one operation.
                let (all, one) = (self.temp(1), self.temp(1));
                self.alu(Alu::Xor, 64, all, x[0], y[0]);
                for (&x, &y) in x.iter().zip(y).skip(1) {
                    self.alu(Alu::Xor, 64, one, x, y);
                    self.emit(Op::Or { d: all, a: all, b: one });
                }
                self.compare(p, 64, d, Src::Slot(all), Src::Const(0));
            }
            Pred::Ult => self.big_less(false, w, d, x, y),
            Pred::Ugt => self.big_less(false, w, d, y, x),
            Pred::Slt => self.big_less(true, w, d, x, y),
            Pred::Sgt => self.big_less(true, w, d, y, x),
            Pred::Uge | Pred::Ule | Pred::Sge | Pred::Sle => {
                let less = match p {
                    Pred::Uge => Pred::Ult,
                    Pred::Ule => Pred::Ugt,
                    Pred::Sge => Pred::Slt,
                    _ => Pred::Sgt,
                };
                self.big_compare(less, w, d, x, y);
                self.emit(Op::XorI { d, a: d, i: 1 });
            }
        }
    }

    /// Less in a limb, or equal there and less below; the sign is in the highest.
    fn big_less(&mut self, signed: bool, w: u16, d: Slot, x: &[Src], y: &[Src]) {
        let (less, equal) = (self.temp(1), self.temp(1));
        self.compare(Pred::Ult, 64, d, x[0], y[0]);
        for i in 1..x.len() {
            if signed && i + 1 == x.len() {
                self.compare(Pred::Slt, top_bits(w), less, x[i], y[i]);
            } else {
                self.compare(Pred::Ult, 64, less, x[i], y[i]);
            }
            self.compare(Pred::Eq, 64, equal, x[i], y[i]);
            self.emit(Op::And { d, a: d, b: equal });
            self.emit(Op::Or { d, a: d, b: less });
        }
    }
}
