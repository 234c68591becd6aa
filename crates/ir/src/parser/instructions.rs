//! Instructions: the dispatch, and those that compute without memory.
//!
//! Each rule returns the instruction with the type of its result (`void` for none): the text seldom writes it, and
//! `local_types` needs it.

use crate::lexer::Token;
use crate::module::{ArithFlags, BinOp, CastOp, InstKind, Operand, Type, TypeId};

use super::words::{BINARY_OPS, CASTS, FAST_MATH, FLOAT_PREDICATES, INT_PREDICATES, find};
use super::{Parser, Result};

/// An instruction and the type of its result.
pub(super) type Typed = (InstKind, TypeId);

impl<'a> Parser<'a> {
    /// An instruction without its `%result =` and its metadata.
    pub(super) fn instruction(&mut self) -> Result<Typed> {
        let here = self.current.start;
        let opcode = self.word("an instruction")?;
        self.advance();
        match opcode {
            "load" => self.load(),
            "store" => self.store(),
            "call" => self.call(false),
            "tail" | "musttail" | "notail" => {
                self.expect_word("call")?;
                self.call(opcode == "musttail")
            }
            "br" => self.branch(),
            "getelementptr" => self.gep(),
            "icmp" => self.icmp(),
            "phi" => self.phi(),
            "alloca" => self.alloca(),
            "ret" => self.ret(),
            "select" => self.select(),
            "switch" => self.switch(),
            "extractvalue" => self.extract_value(),
            "insertvalue" => self.insert_value(),
            "fcmp" => self.fcmp(),
            "fneg" => self.fneg(),
            "unreachable" => Ok((InstKind::Unreachable, self.common.void)),
            "extractelement" => self.extract_element(),
            "insertelement" => self.insert_element(),
            "shufflevector" => self.shuffle_vector(),
            "atomicrmw" => self.atomic_rmw(),
            "cmpxchg" => self.compare_exchange(),
            "fence" => self.fence(),
            "freeze" => self.freeze(),
            "va_arg" => self.va_arg(),
            "indirectbr" => self.indirect_branch(),
            "invoke" | "landingpad" | "resume" | "callbr" | "cleanupret" | "catchret" | "catchswitch" | "catchpad"
            | "cleanuppad" => Err(self.error_at(here, format!("instruction '{opcode}' is unsupported"))),
            _ => {
                if let Some(op) = find(BINARY_OPS, opcode) {
                    self.binary(op, opcode)
                } else if let Some(op) = find(CASTS, opcode) {
                    self.cast(op)
                } else {
                    Err(self.error_at(here, format!("unknown instruction '{opcode}'")))
                }
            }
        }
    }

    fn binary(&mut self, op: BinOp, opcode: &str) -> Result<Typed> {
        let floating = matches!(op, BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem);
        let mut flags = ArithFlags::default();
        match op {
            _ if floating => self.fast_math(),
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl => flags = self.arith_flags(),
            BinOp::UDiv | BinOp::SDiv | BinOp::LShr | BinOp::AShr => flags.exact = self.eat_word("exact"),
            BinOp::Or => {
                self.eat_word("disjoint");
            }
            _ => {}
        }
        let here = self.current.start;
        let lhs = self.operand()?;
        let fits = self.scalar_is(lhs.ty, |t| match t {
            Type::Int(_) => !floating,
            Type::Float(_) => floating,
            _ => false,
        });
        if !fits {
            return Err(self.error_at(here, format!("'{opcode}' does not apply to '{}'", self.show(lhs.ty))));
        }
        self.expect(b',')?;
        let rhs = self.value(lhs.ty)?;
        let ty = lhs.ty;
        Ok((InstKind::Binary { op, flags, lhs, rhs }, ty))
    }

    /// `nuw` and `nsw`, in either order.
    pub(super) fn arith_flags(&mut self) -> ArithFlags {
        let first = self.eat_word("nuw");
        let nsw = self.eat_word("nsw");
        let nuw = first || self.eat_word("nuw");
        ArithFlags { nuw, nsw, exact: false }
    }

    pub(super) fn fast_math(&mut self) {
        while matches!(self.current.token, Token::Word(word) if FAST_MATH.contains(&word)) {
            self.advance();
        }
    }

    fn fneg(&mut self) -> Result<Typed> {
        self.fast_math();
        let here = self.current.start;
        let operand = self.operand()?;
        if !self.scalar_is(operand.ty, |t| matches!(t, Type::Float(_))) {
            return Err(self.error_at(here, format!("'fneg' does not apply to '{}'", self.show(operand.ty))));
        }
        let ty = operand.ty;
        Ok((InstKind::FNeg(operand), ty))
    }

    fn cast(&mut self, op: CastOp) -> Result<Typed> {
        match op {
            CastOp::Trunc => {
                self.arith_flags();
            }
            CastOp::ZExt | CastOp::UiToFp => {
                self.eat_word("nneg");
            }
            CastOp::FpTrunc | CastOp::FpExt => self.fast_math(),
            _ => {}
        }
        let here = self.current.start;
        let from = self.operand()?;
        self.expect_word("to")?;
        let to = self.ty()?;
        self.check_cast(op, from.ty, to, here)?;
        Ok((InstKind::Cast { op, from, to }, to))
    }

    /// Kinds of the scalars, equal shapes, and that widths grow or shrink as the cast says.
    pub(super) fn check_cast(&self, op: CastOp, from: TypeId, to: TypeId, at: usize) -> Result<()> {
        let types = &self.module.types;
        let scalar = |ty: TypeId| match *types.get(ty) {
            Type::Vector(length, element) => (types.get(element), length),
            _ => (types.get(ty), 0),
        };
        let ((from_scalar, from_length), (to_scalar, to_length)) = (scalar(from), scalar(to));
        let kinds_fit = match (op, from_scalar, to_scalar) {
            (CastOp::Trunc, Type::Int(f), Type::Int(t)) => f > t,
            (CastOp::ZExt | CastOp::SExt, Type::Int(f), Type::Int(t)) => f < t,
            (CastOp::FpTrunc, Type::Float(f), Type::Float(t)) => f.bits() > t.bits(),
            (CastOp::FpExt, Type::Float(f), Type::Float(t)) => f.bits() < t.bits(),
            (CastOp::FpToUi | CastOp::FpToSi, Type::Float(_), Type::Int(_))
            | (CastOp::UiToFp | CastOp::SiToFp, Type::Int(_), Type::Float(_))
            | (CastOp::PtrToInt, Type::Ptr, Type::Int(_))
            | (CastOp::IntToPtr, Type::Int(_), Type::Ptr) => true,
            (CastOp::BitCast, ..) => {
                let bits = |scalar: &Type, length: u64| {
                    let bits = match scalar {
                        Type::Int(bits) => u64::from(*bits),
                        Type::Float(kind) => u64::from(kind.bits()),
                        _ => return None,
                    };
                    Some(bits * length.max(1))
                };
                let same_bits =
                    bits(from_scalar, from_length).is_some_and(|size| bits(to_scalar, to_length) == Some(size));
                return if from == to && self.is_first_class(from) || same_bits {
                    Ok(())
                } else {
                    Err(self.invalid_cast(from, to, at))
                };
            }
            _ => false,
        };
        if kinds_fit && from_length == to_length { Ok(()) } else { Err(self.invalid_cast(from, to, at)) }
    }

    fn invalid_cast(&self, from: TypeId, to: TypeId, at: usize) -> crate::ParseError {
        self.error_at(at, format!("invalid cast from '{}' to '{}'", self.show(from), self.show(to)))
    }

    fn icmp(&mut self) -> Result<Typed> {
        self.eat_word("samesign");
        let word = self.word("a predicate")?;
        let pred = find(INT_PREDICATES, word).ok_or_else(|| self.unexpected("a predicate"))?;
        self.advance();
        let here = self.current.start;
        let lhs = self.operand()?;
        if !self.scalar_is(lhs.ty, |t| matches!(t, Type::Int(_) | Type::Ptr)) {
            return Err(self.error_at(here, format!("'icmp' does not apply to '{}'", self.show(lhs.ty))));
        }
        self.expect(b',')?;
        let rhs = self.value(lhs.ty)?;
        let ty = self.shaped_like(lhs.ty, self.common.i1);
        Ok((InstKind::ICmp { pred, lhs, rhs }, ty))
    }

    fn fcmp(&mut self) -> Result<Typed> {
        self.fast_math();
        let word = self.word("a predicate")?;
        let pred = find(FLOAT_PREDICATES, word).ok_or_else(|| self.unexpected("a predicate"))?;
        self.advance();
        let here = self.current.start;
        let lhs = self.operand()?;
        if !self.scalar_is(lhs.ty, |t| matches!(t, Type::Float(_))) {
            return Err(self.error_at(here, format!("'fcmp' does not apply to '{}'", self.show(lhs.ty))));
        }
        self.expect(b',')?;
        let rhs = self.value(lhs.ty)?;
        let ty = self.shaped_like(lhs.ty, self.common.i1);
        Ok((InstKind::FCmp { pred, lhs, rhs }, ty))
    }

    fn select(&mut self) -> Result<Typed> {
        self.fast_math();
        let here = self.current.start;
        let cond = self.operand()?;
        self.expect(b',')?;
        let then = self.operand()?;
        self.expect(b',')?;
        let expected = then.ty;
        let els = self.operand_of(expected)?;
        if cond.ty != self.common.i1 {
            let per_element = self.shaped_like(then.ty, self.common.i1);
            self.check_type(cond.ty, per_element, here)?;
        }
        Ok((InstKind::Select { cond, then, els: els.value }, expected))
    }

    fn freeze(&mut self) -> Result<Typed> {
        let operand = self.operand()?;
        let ty = operand.ty;
        Ok((InstKind::Freeze(operand), ty))
    }

    /// An operand that must have type `expected`.
    pub(super) fn operand_of(&mut self, expected: TypeId) -> Result<Operand> {
        let here = self.current.start;
        let ty = self.ty()?;
        self.check_type(ty, expected, here)?;
        let value = self.value(ty)?;
        Ok(Operand { ty, value })
    }
}
