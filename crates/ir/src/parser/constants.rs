//! Constants: literals, aggregates, and the constant expressions that LLVM 19 still has.
//!
//! A constant is read against the type that stands before it, and checked against it here, so that no later stage
//! meets an integer wider than its type or an array with a missing element.

use crate::lexer::{Token, unescape};
use crate::module::{BlockRef, CastOp, Const, ConstOperand, Operand, Type, TypeId, Value};

use super::words::{BINARY_OPS, CASTS, find};
use super::{Parser, Result, floats};

/// The widest integer whose constants are read; clang makes wide ones of structs with bit-fields.
const MAX_CONSTANT_BITS: u32 = 4096;

impl<'a> Parser<'a> {
    /// A type, then a value of it.
    pub(super) fn operand(&mut self) -> Result<Operand> {
        let ty = self.ty()?;
        let value = self.value(ty)?;
        Ok(Operand { ty, value })
    }

    /// A local or a constant of type `ty`.
    pub(super) fn value(&mut self, ty: TypeId) -> Result<Value> {
        if let Token::Local(symbol) = self.current.token {
            if !self.is_first_class(ty) && *self.module.types.get(ty) != Type::Token {
                return Err(self.error(format!("no value has type '{}'", self.show(ty))));
            }
            return self.local(symbol, ty).map(Value::Local);
        }
        self.constant(ty).map(Value::Const)
    }

    pub(super) fn constant_operand(&mut self) -> Result<ConstOperand> {
        let ty = self.ty()?;
        let value = self.constant(ty)?;
        Ok(ConstOperand { ty, value })
    }

    pub(super) fn constant(&mut self, ty: TypeId) -> Result<Const> {
        if !self.is_first_class(ty) {
            return Err(self.error(format!("no constant has type '{}'", self.show(ty))));
        }
        match self.current.token {
            Token::Int(digits) => self.int(digits, ty),
            Token::Word(word) => self.constant_word(word, ty),
            Token::Global(_) => {
                self.require(ty == self.common.ptr, "a global", ty)?;
                Ok(Const::Global(self.global_name()?))
            }
            Token::Float(text) => self.float(ty, |kind| floats::decimal(text, kind)),
            Token::HexFloat(digits) => self.float(ty, |kind| floats::hexadecimal(digits, kind)),
            Token::ByteStr(raw) => self.byte_string(raw, ty),
            Token::Punct(b'[') => self.nested(|p| p.array(ty)),
            Token::Punct(b'{') => self.nested(|p| p.structure(ty, false)),
            Token::Punct(b'<') => self.nested(|p| p.vector_or_packed_struct_constant(ty)),
            Token::Local(_) => Err(self.error("a local value is not a constant")),
            _ => Err(self.unexpected("a value")),
        }
    }

    /// Fails unless `fits`: `what` does not have type `ty`.
    fn require(&self, fits: bool, what: &str, ty: TypeId) -> Result<()> {
        if fits { Ok(()) } else { Err(self.error(format!("{what} cannot have type '{}'", self.show(ty)))) }
    }

    fn int(&mut self, digits: &str, ty: TypeId) -> Result<Const> {
        let Type::Int(bits) = *self.module.types.get(ty) else {
            return Err(self.error(format!("an integer cannot have type '{}'", self.show(ty))));
        };
        let (negative, magnitude) = match digits.strip_prefix('-') {
            Some(magnitude) => (true, magnitude),
            None => (false, digits),
        };
        if bits > MAX_CONSTANT_BITS {
            return Err(self.error(format!("integer constants of more than {MAX_CONSTANT_BITS} bits are unsupported")));
        }
        if bits > 128 {
            let Some(limbs) = wide_int(magnitude, negative, bits) else {
                return Err(self.error(format!("integer '{}' does not fit i{bits}", self.excerpt())));
            };
            self.advance();
            return Ok(Const::WideInt(limbs));
        }
        let mask = u128::MAX >> (128 - bits);
        let largest = if negative { 1 << (bits - 1) } else { mask };
        let Some(magnitude) = magnitude.parse().ok().filter(|&m: &u128| m <= largest) else {
            return Err(self.error(format!("integer '{}' does not fit i{bits}", self.excerpt())));
        };
        self.advance();
        let value = if negative { magnitude.wrapping_neg() } else { magnitude };
        Ok(Const::Int(value & mask))
    }

    fn float(&mut self, ty: TypeId, convert: impl Fn(crate::module::FloatKind) -> Option<u128>) -> Result<Const> {
        let Type::Float(kind) = *self.module.types.get(ty) else {
            return Err(self.error(format!("a float cannot have type '{}'", self.show(ty))));
        };
        let Some(bits) = convert(kind) else {
            let message = format!("float '{}' is no value of type '{}'", self.excerpt(), self.show(ty));
            return Err(self.error(message));
        };
        self.advance();
        Ok(Const::Float(bits))
    }

    fn constant_word(&mut self, word: &'a str, ty: TypeId) -> Result<Const> {
        let simple = match word {
            "null" => {
                self.require(ty == self.common.ptr, "'null'", ty)?;
                Const::Null
            }
            "true" | "false" => {
                self.require(ty == self.common.i1, "a truth value", ty)?;
                Const::Int(u128::from(word == "true"))
            }
            "undef" => Const::Undef,
            "poison" => Const::Poison,
            "zeroinitializer" => Const::Zero,
            "splat" => return self.nested(|p| p.splat(ty)),
            "getelementptr" => return self.nested(|p| p.constant_gep(ty)),
            "blockaddress" => return self.block_address(ty),
            _ => return self.nested(|p| p.constant_expression(word, ty)),
        };
        self.advance();
        Ok(simple)
    }

    fn constant_expression(&mut self, word: &'a str, ty: TypeId) -> Result<Const> {
        if let Some(op) = find(CASTS, word) {
            return self.constant_cast(word, op, ty);
        }
        if matches!(word, "add" | "sub" | "mul" | "shl" | "xor") {
            let op = find(BINARY_OPS, word).expect("the table has all binary operations");
            self.advance();
            self.arith_flags();
            self.expect(b'(')?;
            let here = self.current.start;
            let lhs = self.constant_operand()?;
            self.expect(b',')?;
            let rhs = self.constant_operand()?;
            self.expect(b')')?;
            self.check_type(lhs.ty, ty, here)?;
            self.check_type(rhs.ty, ty, here)?;
            if !self.scalar_is(ty, |t| matches!(t, Type::Int(_))) {
                return Err(self.error_at(here, format!("'{word}' does not apply to '{}'", self.show(ty))));
            }
            return Ok(Const::Binary { op, lhs: Box::new(lhs), rhs: Box::new(rhs) });
        }
        const UNSUPPORTED: &[&str] = &[
            "extractelement",
            "insertelement",
            "shufflevector",
            "dso_local_equivalent",
            "no_cfi",
            "ptrauth",
            "none",
            "asm",
            "icmp",
            "fcmp",
            "select",
            "extractvalue",
            "insertvalue",
        ];
        if UNSUPPORTED.contains(&word) {
            return Err(self.error(format!("constant '{word}' is unsupported")));
        }
        Err(self.unexpected("a value"))
    }

    fn constant_cast(&mut self, word: &str, op: CastOp, ty: TypeId) -> Result<Const> {
        let supported =
            matches!(op, CastOp::Trunc | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::BitCast | CastOp::AddrSpaceCast);
        if !supported {
            return Err(self.error(format!("constant '{word}' is unsupported")));
        }
        self.advance();
        if op == CastOp::Trunc {
            self.arith_flags();
        }
        self.expect(b'(')?;
        let here = self.current.start;
        let from = self.constant_operand()?;
        self.expect_word("to")?;
        let to = self.ty()?;
        self.expect(b')')?;
        self.check_cast(op, from.ty, to, here)?;
        self.check_type(to, ty, here)?;
        Ok(Const::Cast { op, from: Box::new(from), to })
    }

    fn constant_gep(&mut self, ty: TypeId) -> Result<Const> {
        self.advance();
        self.gep_flags(true)?;
        self.expect(b'(')?;
        let here = self.current.start;
        let source = self.ty()?;
        let mut args = Vec::new();
        while self.eat(b',') {
            args.push(self.constant_operand()?);
        }
        self.expect(b')')?;
        let Some((base, indices)) = args.split_first() else {
            return Err(self.error_at(here, "getelementptr without a pointer"));
        };
        let indices: Vec<_> = indices.iter().map(|index| (index.ty, int_of(&index.value))).collect();
        let result = self.gep_type(source, base.ty, &indices, here)?;
        self.check_type(result, ty, here)?;
        Ok(Const::Gep { source, args })
    }

    /// `blockaddress(@function, %block)`: the block becomes a number at the end of the text.
    fn block_address(&mut self, ty: TypeId) -> Result<Const> {
        self.require(ty == self.common.ptr, "a block address", ty)?;
        self.advance();
        self.expect(b'(')?;
        let function = self.global_name()?;
        self.expect(b',')?;
        let Token::Local(symbol) = self.current.token else {
            return Err(self.unexpected("a block"));
        };
        let name = self.name(symbol)?.into_text().into_owned();
        self.pending.block_addresses.push((function.clone(), name.clone(), self.current.start));
        self.pending.saw_block_address = true;
        self.advance();
        self.expect(b')')?;
        Ok(Const::BlockAddress { function, block: BlockRef::Name(name) })
    }

    fn splat(&mut self, ty: TypeId) -> Result<Const> {
        let Type::Vector(_, element) = *self.module.types.get(ty) else {
            return Err(self.error(format!("a splat cannot have type '{}'", self.show(ty))));
        };
        self.advance();
        self.expect(b'(')?;
        let here = self.current.start;
        let value = self.constant_operand()?;
        self.check_type(value.ty, element, here)?;
        self.expect(b')')?;
        Ok(Const::Splat(Box::new(value)))
    }

    fn byte_string(&mut self, raw: &[u8], ty: TypeId) -> Result<Const> {
        let bytes = unescape(raw).into_owned();
        let fits = *self.module.types.get(ty) == Type::Array(bytes.len() as u64, self.common.i8);
        self.require(fits, &format!("a string of {} bytes", bytes.len()), ty)?;
        self.advance();
        Ok(Const::Bytes(bytes))
    }

    fn array(&mut self, ty: TypeId) -> Result<Const> {
        let Type::Array(length, element) = *self.module.types.get(ty) else {
            return Err(self.error(format!("an array cannot have type '{}'", self.show(ty))));
        };
        self.advance();
        self.elements(b']', ty, length, |_, _| Some(element))
    }

    fn structure(&mut self, ty: TypeId, packed: bool) -> Result<Const> {
        let body = self.module.types.resolve(ty);
        let length = match body.map(|body| self.module.types.get(body)) {
            Some(Type::Struct { fields, packed: p }) if *p == packed => fields.len() as u64,
            _ => {
                let what = if packed { "a packed struct" } else { "a struct" };
                return Err(self.error(format!("{what} cannot have type '{}'", self.show(ty))));
            }
        };
        self.expect(b'{')?;
        self.elements(b'}', ty, length, |p, index| p.element(ty, index))
    }

    fn vector_or_packed_struct_constant(&mut self, ty: TypeId) -> Result<Const> {
        if self.peek() == Token::Punct(b'{') {
            self.advance();
            let value = self.structure(ty, true)?;
            self.expect(b'>')?;
            return Ok(value);
        }
        let Type::Vector(length, element) = *self.module.types.get(ty) else {
            return Err(self.error(format!("a vector cannot have type '{}'", self.show(ty))));
        };
        self.advance();
        self.elements(b'>', ty, length, |_, _| Some(element))
    }

    /// The elements of an aggregate up to `close`, each of the type that `type_of` says.
    fn elements(
        &mut self,
        close: u8,
        ty: TypeId,
        length: u64,
        type_of: impl Fn(&Self, u64) -> Option<TypeId>,
    ) -> Result<Const> {
        let start = self.current.start;
        let mut elements = Vec::new();
        self.list(close, |p| {
            let here = p.current.start;
            let element = p.constant_operand()?;
            let Some(expected) = type_of(p, elements.len() as u64) else {
                return Err(p.error_at(here, format!("too many elements for type '{}'", p.show(ty))));
            };
            p.check_type(element.ty, expected, here)?;
            elements.push(element);
            Ok(())
        })?;
        if elements.len() as u64 != length {
            let message = format!("type '{}' needs {length} elements, not {}", self.show(ty), elements.len());
            return Err(self.error_at(start, message));
        }
        Ok(Const::Aggregate(elements))
    }

    /// Fails unless the type that the text gave is the one that belongs there.
    pub(super) fn check_type(&self, found: TypeId, expected: TypeId, at: usize) -> Result<()> {
        if found == expected {
            return Ok(());
        }
        let message = format!("expected type '{}' but found '{}'", self.show(expected), self.show(found));
        Err(self.error_at(at, message))
    }
}

/// The limbs of a constant of more than 128 bits; `None` if it does not fit.
fn wide_int(magnitude: &str, negative: bool, bits: u32) -> Option<Vec<u64>> {
    let mut limbs = vec![0u64; bits.div_ceil(64) as usize];
    for digit in magnitude.bytes() {
        let mut carry = u128::from(digit.checked_sub(b'0').filter(|&digit| digit < 10)?);
        for limb in &mut limbs {
            let product = u128::from(*limb) * 10 + carry;
            *limb = product as u64;
            carry = product >> 64;
        }
        if carry != 0 {
            return None;
        }
    }
    let top_mask = u64::MAX >> ((64 - bits % 64) % 64);
    let sign = top_mask ^ (top_mask >> 1);
    let top = limbs.len() - 1;
    if !negative {
        return (limbs[top] <= top_mask).then_some(limbs);
    }
    let smallest = limbs[top] == sign && limbs[..top].iter().all(|&limb| limb == 0);
    if limbs[top] >= sign && !smallest {
        return None;
    }
    let mut carry = true;
    for limb in &mut limbs {
        (*limb, carry) = (!*limb).overflowing_add(carry.into());
    }
    limbs[top] &= top_mask;
    Some(limbs)
}

/// The value of an integer constant, for the checks that need one.
pub(super) fn int_of(value: &Const) -> Option<u128> {
    match value {
        Const::Int(value) => Some(*value),
        Const::Zero => Some(0),
        _ => None,
    }
}
