//! Sizes and offsets of IR types under the x86-64 data layout, and how values of a type spread over slots.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use threadbare_ir::{FloatKind, Type, TypeId, Types};

/// The widest integer that the machine represents.
const MAX_BITS: u32 = 4096;

/// A component of a value that an operation works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// Up to 64 bits.
    Int(u8),
    /// 65 to 128 bits: two slots.
    Wide(u8),
    /// More than 128 bits: as many slots as it has limbs of 64. Clang makes them of structs with bit-fields.
    Big(u16),
    F32,
    F64,
    /// Two slots.
    F80,
    Ptr,
}

impl Scalar {
    pub fn slots(self) -> u16 {
        match self {
            Scalar::Wide(_) | Scalar::F80 => 2,
            Scalar::Big(w) => w.div_ceil(64),
            _ => 1,
        }
    }

    /// The width of its bits.
    pub fn width(self) -> u16 {
        match self {
            Scalar::Int(w) | Scalar::Wide(w) => w.into(),
            Scalar::Big(w) => w,
            Scalar::F32 => 32,
            Scalar::F64 | Scalar::Ptr => 64,
            Scalar::F80 => 80,
        }
    }

    /// The width as operations of the bytecode take it: they have at most two slots.
    pub fn bits(self) -> Result<u8, Unsupported> {
        match self {
            Scalar::Big(w) => Err(Unsupported(format!("this operation on an integer of {w} bits"))),
            scalar => Ok(scalar.width() as u8),
        }
    }

    /// How many bytes a load or store of it touches.
    pub fn bytes(self) -> Result<u8, Unsupported> {
        self.bits().map(|bits| bits.div_ceil(8))
    }
}

/// A scalar component: its first slot relative to the value's, and where it lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    pub scalar: Scalar,
    pub slot: u16,
    pub offset: u64,
}

impl Leaf {
    /// Its slots, lowest first, and how many bits each holds.
    pub fn pieces(&self) -> impl Iterator<Item = (u16, u8)> + use<> {
        let (slot, bits) = (self.slot, self.scalar.width());
        (0..bits.div_ceil(64)).map(move |i| (slot + i, (bits - 64 * i).min(64) as u8))
    }
}

/// The size of a type in memory, where it has one.
pub fn size_of(types: &Types, ty: TypeId) -> Option<u64> {
    Layout::new(types).size(ty).ok()
}

/// What the machine has no way to represent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported(pub String);

pub struct Layout<'m> {
    types: &'m Types,
    flat: RefCell<FxHashMap<TypeId, Rc<[Leaf]>>>,
}

impl<'m> Layout<'m> {
    pub fn new(types: &'m Types) -> Self {
        Layout { types, flat: RefCell::default() }
    }

    pub fn get(&self, ty: TypeId) -> Result<&'m Type, Unsupported> {
        match self.types.resolve(ty) {
            Some(id) => Ok(self.types.get(id)),
            None => Err(Unsupported("a value of an incomplete structure type".into())),
        }
    }

    /// Size in memory with padding up to the alignment (what an array steps by), and the alignment.
    pub fn size_align(&self, ty: TypeId) -> Result<(u64, u64), Unsupported> {
        Ok(match self.get(ty)? {
            Type::Int(bits) => {
                let bytes = u64::from(*bits).div_ceil(8);
                let align = bytes.next_power_of_two().min(16);
                (bytes.next_multiple_of(align), align)
            }
            Type::Float(kind) => match kind {
                FloatKind::Half | FloatKind::BFloat => (2, 2),
                FloatKind::Float => (4, 4),
                FloatKind::Double => (8, 8),
                FloatKind::X86Fp80 | FloatKind::Fp128 => (16, 16),
            },
            Type::Ptr => (8, 8),
            Type::Array(n, element) => {
                let (size, align) = self.size_align(*element)?;
                (size.saturating_mul(*n), align)
            }
            Type::Vector(n, element) => {
                let bits = match self.get(*element)? {
                    Type::Int(bits) => u64::from(*bits),
                    _ => self.size_align(*element)?.0 * 8,
                };
                let bytes = (bits * n).div_ceil(8);
                let align = bytes.next_power_of_two();
                (bytes.next_multiple_of(align), align)
            }
            Type::Struct { fields, packed } => {
                let (mut offset, mut most) = (0u64, 1);
                for &field in fields {
                    let (size, align) = self.size_align(field)?;
                    let align = if *packed { 1 } else { align };
                    offset = offset.next_multiple_of(align).saturating_add(size);
                    most = most.max(align);
                }
                (offset.next_multiple_of(most), most)
            }
            other => return Err(Unsupported(format!("memory of the type {other:?}"))),
        })
    }

    pub fn size(&self, ty: TypeId) -> Result<u64, Unsupported> {
        self.size_align(ty).map(|(size, _)| size)
    }

    /// Offset and type of an element of a struct, array or vector.
    pub fn element(&self, ty: TypeId, index: u64) -> Result<(u64, TypeId), Unsupported> {
        match self.get(ty)? {
            Type::Struct { fields, packed } => {
                let mut offset = 0u64;
                for (i, &field) in fields.iter().enumerate() {
                    let (size, align) = self.size_align(field)?;
                    offset = offset.next_multiple_of(if *packed { 1 } else { align });
                    if i as u64 == index {
                        return Ok((offset, field));
                    }
                    offset += size;
                }
                Err(Unsupported("an index beyond a structure".into()))
            }
            Type::Array(_, element) | Type::Vector(_, element) => {
                Ok((self.size(*element)?.wrapping_mul(index), *element))
            }
            other => Err(Unsupported(format!("an index into the type {other:?}"))),
        }
    }

    /// A type that is a single component.
    pub fn scalar(&self, ty: TypeId) -> Result<Scalar, Unsupported> {
        Ok(match self.get(ty)? {
            Type::Int(bits @ 1..=64) => Scalar::Int(*bits as u8),
            Type::Int(bits @ 65..=128) => Scalar::Wide(*bits as u8),
            Type::Int(bits @ 129..=MAX_BITS) => Scalar::Big(*bits as u16),
            Type::Int(bits) => return Err(Unsupported(format!("an integer of {bits} bits"))),
            Type::Float(FloatKind::Float) => Scalar::F32,
            Type::Float(FloatKind::Double) => Scalar::F64,
            Type::Float(FloatKind::X86Fp80) => Scalar::F80,
            Type::Float(FloatKind::Half) => return Err(Unsupported("the type _Float16".into())),
            Type::Float(FloatKind::BFloat) => return Err(Unsupported("the type __bf16".into())),
            Type::Float(FloatKind::Fp128) => return Err(Unsupported("the type __float128".into())),
            Type::Ptr => Scalar::Ptr,
            other => return Err(Unsupported(format!("an operation on the type {other:?}"))),
        })
    }

    /// The element type and length of a vector.
    pub fn vector(&self, ty: TypeId) -> Result<Option<(u64, TypeId)>, Unsupported> {
        Ok(match self.get(ty)? {
            Type::Vector(n, element) => Some((*n, *element)),
            _ => None,
        })
    }

    /// The scalar components of a value, in order.
    pub fn leaves(&self, ty: TypeId) -> Result<Rc<[Leaf]>, Unsupported> {
        if let Some(flat) = self.flat.borrow().get(&ty) {
            return Ok(flat.clone());
        }
        let mut leaves = Vec::new();
        let mut slot = 0;
        self.flatten(ty, 0, &mut slot, &mut leaves)?;
        let leaves: Rc<[Leaf]> = leaves.into();
        self.flat.borrow_mut().insert(ty, leaves.clone());
        Ok(leaves)
    }

    fn flatten(&self, ty: TypeId, offset: u64, slot: &mut u16, leaves: &mut Vec<Leaf>) -> Result<(), Unsupported> {
        match self.get(ty)? {
            Type::Void => {}
            Type::Struct { fields, .. } => {
                for i in 0..fields.len() as u64 {
                    let (at, field) = self.element(ty, i)?;
                    self.flatten(field, offset + at, slot, leaves)?;
                }
            }
            Type::Array(n, element) | Type::Vector(n, element) => {
                if *n > 4096 {
                    return Err(Unsupported(format!("a value that is an array of {n} elements")));
                }
                for i in 0..*n {
                    let (at, _) = self.element(ty, i)?;
                    self.flatten(*element, offset + at, slot, leaves)?;
                }
            }
            _ => {
                let scalar = self.scalar(ty)?;
                leaves.push(Leaf { scalar, slot: *slot, offset });
                *slot =
                    slot.checked_add(scalar.slots()).ok_or_else(|| Unsupported("a value that is too large".into()))?;
            }
        }
        Ok(())
    }

    pub fn slots(&self, ty: TypeId) -> Result<u16, Unsupported> {
        Ok(self.leaves(ty)?.last().map_or(0, |leaf| leaf.slot + leaf.scalar.slots()))
    }

    /// Vectors of bits are packed in memory, unlike their slots.
    pub fn is_bit_vector(&self, ty: TypeId) -> Result<bool, Unsupported> {
        Ok(match self.get(ty)? {
            Type::Vector(_, element) => {
                matches!(self.get(*element)?, Type::Int(bits) if bits % 8 != 0)
            }
            _ => false,
        })
    }
}
