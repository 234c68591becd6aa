//! Casts, of scalars and component by component of vectors.

use threadbare_ir::{CastOp, Inst, Operand, TypeId};

use super::big::is_big;
use super::function::{Body, Lowered, Src};
use crate::bytecode::*;
use crate::layout::{Scalar, Unsupported};
use crate::scalar::mask;

impl Body<'_, '_> {
    pub(super) fn cast(&mut self, inst: &Inst, op: CastOp, from: &Operand, to: TypeId) -> Lowered<()> {
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
            if is_big(a) || is_big(b) {
                let limbs = &sources[a.slot as usize..(a.slot + a.scalar.slots()) as usize];
                self.big_cast(op, a.scalar, limbs, b.scalar, d + b.slot)?;
                continue;
            }
            self.cast_scalar(op, a.scalar, &sources, a.slot, b.scalar, d + b.slot)?;
        }
        Ok(())
    }

    fn cast_scalar(&mut self, op: CastOp, a: Scalar, sources: &[Src], at: u16, b: Scalar, d: Slot) -> Lowered<()> {
        let low = sources[at as usize];
        let convert = |signed, unsigned, is_signed: bool| if is_signed { signed } else { unsigned };
        match op {
            CastOp::Trunc | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::ZExt => match (a.slots(), b.slots()) {
                (_, 1) if b.bits()? < a.bits()? => {
                    let a = self.slot(low);
                    if b.bits()? == 64 {
                        self.emit(Op::Mov { d, a })
                    } else {
                        self.emit(Op::AndI { d, a, i: mask(b.bits()?) })
                    }
                }
                (_, 1) => self.move_to(d, low),
                (1, _) => {
                    self.move_to(d, low);
                    self.emit(Op::Imm { d: d + 1, i: 0 });
                }
                _ => {
                    let a = self.pair(sources, at);
                    self.emit(Op::WideMask { d, a, w: b.bits()? });
                }
            },
            CastOp::SExt => {
                if b.slots() == 2 {
                    let first = if a.slots() == 2 { self.pair(sources, at) } else { self.slot(low) };
                    self.emit(Op::WideSExt { d, a: first, from: a.bits()?, to: b.bits()? });
                } else {
                    let first = self.slot(low);
                    if a.bits()? == 32 && b.bits()? == 64 {
                        self.emit(Op::SExt32 { d, a: first });
                    } else {
                        self.emit(Op::SExt { d, a: first, from: a.bits()?, to: b.bits()? });
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
                self.emit(Op::Convert { op: conv, w: b.bits()?, d, a: first });
            }
            CastOp::SiToFp | CastOp::UiToFp => {
                let signed = op == CastOp::SiToFp;
                let conv = match b {
                    Scalar::F32 => convert(Conv::SignedToF32, Conv::UnsignedToF32, signed),
                    Scalar::F64 => convert(Conv::SignedToF64, Conv::UnsignedToF64, signed),
                    _ => convert(Conv::SignedToF80, Conv::UnsignedToF80, signed),
                };
                let first = if a.slots() == 2 { self.pair(sources, at) } else { self.slot(low) };
                self.emit(Op::Convert { op: conv, w: a.bits()?, d, a: first });
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
}
