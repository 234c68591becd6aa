//! Instructions on the parts of aggregates and vectors.

use crate::lexer::Token;
use crate::module::{Const, ConstOperand, InstKind, Operand, Type, TypeId};

use super::constants::int_of;
use super::instructions::Typed;
use super::{Parser, Result};

/// A mask is spelt out in our types even where the text says `zeroinitializer`: this bounds what that may cost.
const LONGEST_SHORT_MASK: u64 = 1 << 16;

impl Parser<'_> {
    pub(super) fn extract_value(&mut self) -> Result<Typed> {
        let agg = self.operand()?;
        let (path, ty) = self.path(agg.ty)?;
        Ok((InstKind::ExtractValue { agg, path }, ty))
    }

    pub(super) fn insert_value(&mut self) -> Result<Typed> {
        let agg = self.operand()?;
        self.expect(b',')?;
        let here = self.current.start;
        let elem = self.operand()?;
        let (path, ty) = self.path(agg.ty)?;
        self.check_type(elem.ty, ty, here)?;
        let whole = agg.ty;
        Ok((InstKind::InsertValue { agg, elem, path }, whole))
    }

    /// `, 0, 1 …` and the type it leads to.
    fn path(&mut self, whole: TypeId) -> Result<(Vec<u32>, TypeId)> {
        let (mut path, mut ty) = (Vec::new(), whole);
        while path.is_empty() || self.eat_comma_before(|token| matches!(token, Token::Int(_))) {
            if path.is_empty() {
                self.expect(b',')?;
            }
            let here = self.current.start;
            let index = self.unsigned32("an index")?;
            ty = self
                .element(ty, index.into())
                .ok_or_else(|| self.error_at(here, format!("type '{}' has no element {index}", self.show(ty))))?;
            path.push(index);
        }
        Ok((path, ty))
    }

    pub(super) fn extract_element(&mut self) -> Result<Typed> {
        let (vector, _, element) = self.vector_operand()?;
        self.expect(b',')?;
        let index = self.int_operand()?;
        Ok((InstKind::ExtractElement { vector, index }, element))
    }

    pub(super) fn insert_element(&mut self) -> Result<Typed> {
        let (vector, _, element) = self.vector_operand()?;
        self.expect(b',')?;
        let elem = self.operand_of(element)?.value;
        self.expect(b',')?;
        let index = self.int_operand()?;
        let ty = vector.ty;
        Ok((InstKind::InsertElement { vector, elem, index }, ty))
    }

    fn vector_operand(&mut self) -> Result<(Operand, u64, TypeId)> {
        let here = self.current.start;
        let vector = self.operand()?;
        match *self.module.types.get(vector.ty) {
            Type::Vector(length, element) => Ok((vector, length, element)),
            _ => Err(self.error_at(here, format!("'{}' is no vector", self.show(vector.ty)))),
        }
    }

    pub(super) fn int_operand(&mut self) -> Result<Operand> {
        let here = self.current.start;
        let operand = self.operand()?;
        match self.module.types.get(operand.ty) {
            Type::Int(_) => Ok(operand),
            _ => Err(self.error_at(here, format!("'{}' is no integer type", self.show(operand.ty)))),
        }
    }

    pub(super) fn shuffle_vector(&mut self) -> Result<Typed> {
        let (a, length, element) = self.vector_operand()?;
        self.expect(b',')?;
        let b = self.operand_of(a.ty)?.value;
        self.expect(b',')?;
        let here = self.current.start;
        let written = self.constant_operand()?;
        let Type::Vector(mask_length, mask_element) = *self.module.types.get(written.ty) else {
            return Err(self.error_at(here, "a shuffle mask must be a vector"));
        };
        self.check_type(mask_element, self.common.i32, here)?;
        let mask = mask(&written.value, mask_length).ok_or_else(|| self.error_at(here, "malformed shuffle mask"))?;
        if let Some(beyond) = mask.iter().flatten().find(|&&index| u64::from(index) >= 2 * length) {
            return Err(self.error_at(here, format!("the operands have no element {beyond}")));
        }
        let ty = self.module.types.intern(Type::Vector(mask_length, element));
        Ok((InstKind::ShuffleVector { a, b, mask }, ty))
    }
}

fn mask(value: &Const, length: u64) -> Option<Vec<Option<u32>>> {
    let lane = |value: &Const| match value {
        Const::Undef | Const::Poison => Some(None),
        _ => Some(Some(int_of(value)? as u32)),
    };
    let repeated = |lane| (length <= LONGEST_SHORT_MASK).then(|| vec![lane; length as usize]);
    match value {
        Const::Aggregate(lanes) => lanes.iter().map(|ConstOperand { value, .. }| lane(value)).collect(),
        Const::Splat(one) => repeated(lane(&one.value)?),
        Const::Zero => repeated(Some(0)),
        Const::Undef | Const::Poison => repeated(None),
        _ => None,
    }
}
