//! Constants: their slots when they are operands, their bytes when they are initial values.

use threadbare_ir::{BinOp, BlockRef, CastOp, Const, Type, TypeId};

use super::{LowerError, Lowering};
use crate::bytecode::Alu;
use crate::layout::{Scalar, Unsupported};
use crate::memory::{Addr, Memory};
use crate::scalar::{alu128, mask128, sext128};

/// One slot of a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    Value(u64),
    /// So many undefined low bits.
    Undefined(u8),
}

impl Lowering<'_> {
    /// The slots of a constant of type `ty`.
    pub fn constant_words(&mut self, m: usize, ty: TypeId, constant: &Const) -> Result<Vec<Word>, Unsupported> {
        let slots = self.layouts[m].slots(ty)? as usize;
        Ok(match constant {
            Const::Undef | Const::Poison => {
                let mut words = Vec::with_capacity(slots);
                for leaf in self.layouts[m].leaves(ty)?.iter() {
                    words.extend(leaf.pieces().map(|(_, bits)| Word::Undefined(bits)));
                }
                words
            }
            Const::Zero | Const::Null => vec![Word::Value(0); slots],
            Const::Int(bits) | Const::Float(bits) => split(*bits, slots),
            Const::WideInt(limbs) => limbs.iter().copied().map(Word::Value).collect(),
            Const::Aggregate(elements) => {
                let mut words = Vec::with_capacity(slots);
                for element in elements {
                    words.extend(self.constant_words(m, element.ty, &element.value)?);
                }
                words
            }
            Const::Bytes(bytes) => bytes.iter().map(|&byte| Word::Value(byte.into())).collect(),
            Const::Splat(element) => {
                let one = self.constant_words(m, element.ty, &element.value)?;
                let times = if one.is_empty() { 0 } else { slots / one.len() };
                one.iter().copied().cycle().take(times * one.len()).collect()
            }
            Const::Metadata(_) => Vec::new(),
            Const::Cast { op: CastOp::BitCast, from, .. }
                if slots > 1 || self.layouts[m].vector(from.ty)?.is_some() =>
            {
                let Some(mut bits) = self.packed_bits(m, from.ty, &from.value)? else {
                    return self.constant_words(m, ty, &Const::Undef);
                };
                let mut words = Vec::with_capacity(slots);
                for leaf in self.layouts[m].leaves(ty)?.iter() {
                    for (_, width) in leaf.pieces() {
                        words.push(Word::Value((bits & mask128(width)) as u64));
                        bits = bits.checked_shr(width.into()).unwrap_or(0);
                    }
                }
                words
            }
            _ => split(self.constant_bits(m, ty, constant)?, slots),
        })
    }

    /// The components of a constant side by side, to be cut into others; `None` if all are undefined. If some are, as in
    /// the rest of the byte that clang puts a vector of a few `_Bool`s into, they are zero: the others count as they are.
    fn packed_bits(&mut self, m: usize, ty: TypeId, constant: &Const) -> Result<Option<u128>, Unsupported> {
        let words = self.constant_words(m, ty, constant)?;
        let (mut bits, mut at, mut defined) = (0u128, 0, false);
        for leaf in self.layouts[m].leaves(ty)?.iter() {
            for (slot, width) in leaf.pieces() {
                if let Word::Value(value) = words[slot as usize] {
                    self.note_mixed(value.into());
                    bits |= u128::from(value).checked_shl(at).unwrap_or(0);
                    defined = true;
                }
                at += u32::from(width);
            }
        }
        if at > 128 { Err(Unsupported(format!("a constant cast of {at} bits"))) } else { Ok(defined.then_some(bits)) }
    }

    pub fn constant_address(&mut self, m: usize, constant: &Const) -> Result<Addr, Unsupported> {
        match constant {
            Const::Global(name) => self.address_of(m, name),
            Const::Null | Const::Zero => Ok(0),
            Const::BlockAddress { function, block } => {
                let base = self.address_of(m, function)?;
                match block {
                    BlockRef::Id(id) => Ok(base + 1 + u64::from(id.0)),
                    BlockRef::Name(name) => Err(Unsupported(format!("the address of the label {name}"))),
                }
            }
            Const::Gep { source, args } => {
                let (base, indices) = args.split_first().ok_or_else(|| Unsupported("an empty address".into()))?;
                let mut address = self.constant_address(m, &base.value)?;
                let mut ty = *source;
                for (depth, index) in indices.iter().enumerate() {
                    let bits = match self.layouts[m].scalar(index.ty)? {
                        Scalar::Int(w) => w,
                        _ => return Err(Unsupported("a vector of addresses in a constant".into())),
                    };
                    let n = sext128(self.constant_bits(m, index.ty, &index.value)?, bits) as i64 as u64;
                    if depth == 0 {
                        address = address.wrapping_add(self.layouts[m].size(ty)?.wrapping_mul(n));
                    } else {
                        let (offset, element) = self.layouts[m].element(ty, n)?;
                        address = address.wrapping_add(offset);
                        ty = element;
                    }
                }
                Ok(address)
            }
            Const::Cast { op: CastOp::IntToPtr | CastOp::BitCast | CastOp::AddrSpaceCast, from, .. } => {
                self.constant_bits(m, from.ty, &from.value).map(|bits| bits as u64)
            }
            _ => Err(Unsupported("a constant address of this form".into())),
        }
    }

    /// The bits of a constant of a scalar type.
    pub fn constant_bits(&mut self, m: usize, ty: TypeId, constant: &Const) -> Result<u128, Unsupported> {
        match constant {
            Const::Int(bits) | Const::Float(bits) => Ok(*bits),
            Const::Null | Const::Zero | Const::Undef | Const::Poison => Ok(0),
            Const::Global(_) | Const::Gep { .. } | Const::BlockAddress { .. } => {
                self.constant_address(m, constant).map(u128::from)
            }
            Const::Cast { op: CastOp::BitCast, from, .. } if self.layouts[m].vector(from.ty)?.is_some() => {
                Ok(self.packed_bits(m, from.ty, &from.value)?.unwrap_or(0))
            }
            Const::Cast { op, from, to } => {
                let bits = self.constant_bits(m, from.ty, &from.value)?;
                let from_bits = self.layouts[m].scalar(from.ty)?.bits()?;
                let to_bits = self.layouts[m].scalar(*to)?.bits()?;
                if to_bits < from_bits {
                    self.note_mixed(bits);
                }
                Ok(match op {
                    CastOp::SExt => sext128(bits, from_bits) as u128 & mask128(to_bits),
                    _ => bits & mask128(to_bits),
                })
            }
            Const::Binary { op, lhs, rhs } => {
                let x = self.constant_bits(m, lhs.ty, &lhs.value)?;
                let y = self.constant_bits(m, rhs.ty, &rhs.value)?;
                let bits = self.layouts[m].scalar(ty)?.bits()?;
                self.note_mixed(x);
                self.note_mixed(y);
                integer_op(*op)
                    .and_then(|op| alu128(op, bits, x, y))
                    .ok_or_else(|| Unsupported(format!("the constant operation {op:?}")))
            }
            _ => Err(Unsupported("a constant of this form".into())),
        }
    }

    /// A constant is computed from these bits.
    fn note_mixed(&mut self, bits: u128) {
        self.program.mixed_addresses |= bits >= Memory::global_address(0).into();
    }

    /// Initial bytes of a variable, without trailing zeros, and its undefined ranges.
    #[allow(clippy::type_complexity)]
    pub(super) fn initial_value(&mut self, m: usize, g: usize) -> Result<(Vec<u8>, Vec<(u64, u64)>), LowerError> {
        let global = &self.module(m).globals[g];
        let mut image = Image::default();
        if let Some(init) = &global.init {
            self.write_constant(m, global.ty, init, 0, &mut image).map_err(|Unsupported(what)| {
                let info = super::source::variable_info(self.module(m), global);
                LowerError::Unsupported {
                    message: format!("the initial value of `{}` uses {what} which is not supported", global.name),
                    file: info.as_ref().map(|info| info.file.clone()),
                    line: info.map_or(0, |info| info.line),
                }
            })?;
        }
        while image.bytes.last() == Some(&0) {
            image.bytes.pop();
        }
        Ok((image.bytes, image.undefined))
    }

    fn write_constant(
        &mut self,
        m: usize,
        ty: TypeId,
        constant: &Const,
        at: u64,
        image: &mut Image,
    ) -> Result<(), Unsupported> {
        match constant {
            Const::Zero | Const::Null => {}
            Const::Undef | Const::Poison => {
                let size = self.layouts[m].size(ty)?;
                if size > 0 {
                    image.undefined.push((at, at + size));
                }
            }
            Const::Bytes(bytes) => image.put(at, bytes),
            // Elements that share bytes.
            Const::Aggregate(_) | Const::Splat(_) if self.layouts[m].is_bit_vector(ty)? => {
                let size = self.layouts[m].size(ty)?;
                match self.packed_bits(m, ty, constant)? {
                    Some(bits) => image.put(at, &bits.to_le_bytes()[..size.min(16) as usize]),
                    None => image.undefined.push((at, at + size)),
                }
            }
            Const::Aggregate(elements) => {
                for (i, element) in elements.iter().enumerate() {
                    let (offset, _) = self.layouts[m].element(ty, i as u64)?;
                    self.write_constant(m, element.ty, &element.value, at + offset, image)?;
                }
            }
            Const::Splat(element) => {
                let Type::Vector(n, _) = self.layouts[m].get(ty)? else {
                    return Err(Unsupported("a splat that is no vector".into()));
                };
                for i in 0..*n {
                    let (offset, _) = self.layouts[m].element(ty, i)?;
                    self.write_constant(m, element.ty, &element.value, at + offset, image)?;
                }
            }
            Const::WideInt(limbs) => {
                let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
                let width = self.layouts[m].scalar(ty)?.width();
                image.put(at, &bytes[..width.div_ceil(8).into()]);
            }
            _ => {
                let bits = self.constant_bits(m, ty, constant)?;
                let bytes = self.layouts[m].scalar(ty)?.bytes()? as usize;
                image.put(at, &bits.to_le_bytes()[..bytes]);
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Image {
    bytes: Vec<u8>,
    undefined: Vec<(u64, u64)>,
}

impl Image {
    fn put(&mut self, at: u64, bytes: &[u8]) {
        let at = at as usize;
        if self.bytes.len() < at + bytes.len() {
            self.bytes.resize(at + bytes.len(), 0);
        }
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }
}

fn split(bits: u128, slots: usize) -> Vec<Word> {
    (0..slots).map(|i| Word::Value((bits >> (64 * i)) as u64)).collect()
}

pub fn integer_op(op: BinOp) -> Option<Alu> {
    Some(match op {
        BinOp::Add => Alu::Add,
        BinOp::Sub => Alu::Sub,
        BinOp::Mul => Alu::Mul,
        BinOp::UDiv => Alu::UDiv,
        BinOp::SDiv => Alu::SDiv,
        BinOp::URem => Alu::URem,
        BinOp::SRem => Alu::SRem,
        BinOp::Shl => Alu::Shl,
        BinOp::LShr => Alu::LShr,
        BinOp::AShr => Alu::AShr,
        BinOp::And => Alu::And,
        BinOp::Or => Alu::Or,
        BinOp::Xor => Alu::Xor,
        _ => return None,
    })
}
