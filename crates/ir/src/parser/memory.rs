//! Instructions that touch memory or compute addresses: `alloca`, `load`, `store`, `getelementptr`, the atomics.

use crate::lexer::Token;
use crate::module::{InstKind, Ordering, RmwOp, Type, TypeId, Value};

use super::constants::int_of;
use super::instructions::Typed;
use super::words::{ORDERINGS, RMW_OPS, find};
use super::{Parser, Result};

impl Parser<'_> {
    pub(super) fn alloca(&mut self) -> Result<Typed> {
        if let Token::Word(word @ ("inalloca" | "swifterror")) = self.current.token {
            return Err(self.error(format!("'alloca {word}' is unsupported")));
        }
        let here = self.current.start;
        let ty = self.ty()?;
        self.require_sized(ty, here)?;
        let is_count = |token| !matches!(token, Token::Word("align" | "addrspace") | Token::MdName(_));
        let count = if self.eat_comma_before(is_count) { Some(self.int_operand()?) } else { None };
        let align = self.trailing_align()?;
        if self.eat_comma_before(|token| token == Token::Word("addrspace")) {
            self.address_space()?;
        }
        Ok((InstKind::Alloca { ty, count, align }, self.common.ptr))
    }

    pub(super) fn load(&mut self) -> Result<Typed> {
        let here = self.current.start;
        let atomic = self.eat_word("atomic");
        let volatile = self.eat_word("volatile");
        let start = self.current.start;
        let ty = self.ty()?;
        self.require_sized(ty, start)?;
        self.expect(b',')?;
        let ptr = self.pointer()?;
        let ordering = if atomic { self.atomic_ordering()? } else { Ordering::NotAtomic };
        if matches!(ordering, Ordering::Release | Ordering::AcqRel) {
            return Err(self.error_at(here, "a load cannot release"));
        }
        let align = self.trailing_align()?;
        if atomic {
            self.check_atomic_access(ty, align, here)?;
        }
        Ok((InstKind::Load { ty, ptr, ordering, volatile, align }, ty))
    }

    pub(super) fn store(&mut self) -> Result<Typed> {
        let here = self.current.start;
        let atomic = self.eat_word("atomic");
        let volatile = self.eat_word("volatile");
        let start = self.current.start;
        let value = self.operand()?;
        self.require_sized(value.ty, start)?;
        self.expect(b',')?;
        let ptr = self.pointer()?;
        let ordering = if atomic { self.atomic_ordering()? } else { Ordering::NotAtomic };
        if matches!(ordering, Ordering::Acquire | Ordering::AcqRel) {
            return Err(self.error_at(here, "a store cannot acquire"));
        }
        let align = self.trailing_align()?;
        if atomic {
            self.check_atomic_access(value.ty, align, here)?;
        }
        Ok((InstKind::Store { value, ptr, ordering, volatile, align }, self.common.void))
    }

    fn check_atomic_access(&self, ty: TypeId, align: u32, at: usize) -> Result<()> {
        if !matches!(self.module.types.get(ty), Type::Int(_) | Type::Float(_) | Type::Ptr) {
            return Err(self.error_at(at, format!("'{}' cannot be accessed atomically", self.show(ty))));
        }
        if align == 0 { Err(self.error_at(at, "an atomic access needs an alignment")) } else { Ok(()) }
    }

    /// `ptr %p`
    fn pointer(&mut self) -> Result<Value> {
        Ok(self.operand_of(self.common.ptr)?.value)
    }

    /// `, align n`; 0 when absent.
    pub(super) fn trailing_align(&mut self) -> Result<u32> {
        if self.eat_comma_before_word("align") { self.alignment() } else { Ok(0) }
    }

    /// `, align n` of instructions for which our types keep none.
    fn dropped_align(&mut self) -> Result<()> {
        self.trailing_align().map(drop)
    }

    fn ordering(&mut self) -> Result<Ordering> {
        let word = self.word("an ordering")?;
        let ordering = find(ORDERINGS, word).ok_or_else(|| self.unexpected("an ordering"))?;
        self.advance();
        Ok(ordering)
    }

    /// The ordering of an access: other threads always see it, as no C program can say otherwise.
    fn atomic_ordering(&mut self) -> Result<Ordering> {
        let here = self.current.start;
        if self.single_thread_scope()? {
            return Err(self.error_at(here, "syncscope(\"singlethread\") is only supported on 'fence'"));
        }
        self.ordering()
    }

    /// `syncscope("singlethread")`, or `syncscope("")` or nothing for the whole system.
    fn single_thread_scope(&mut self) -> Result<bool> {
        if !self.eat_word("syncscope") {
            return Ok(false);
        }
        self.expect(b'(')?;
        let single = match self.current.token {
            Token::Str(b"singlethread") => true,
            Token::Str(b"") => false,
            _ => return Err(self.unexpected("\"singlethread\"")),
        };
        self.advance();
        self.expect(b')')?;
        Ok(single)
    }

    /// A fence against signal handlers only (`atomic_signal_fence`) orders nothing between threads: its ordering is
    /// `NotAtomic`.
    pub(super) fn fence(&mut self) -> Result<Typed> {
        let single_thread = self.single_thread_scope()?;
        let here = self.current.start;
        let written = self.ordering()?;
        if matches!(written, Ordering::Unordered | Ordering::Monotonic) {
            return Err(self.error_at(here, "a fence must acquire or release"));
        }
        let ordering = if single_thread { Ordering::NotAtomic } else { written };
        Ok((InstKind::Fence(ordering), self.common.void))
    }

    pub(super) fn atomic_rmw(&mut self) -> Result<Typed> {
        let volatile = self.eat_word("volatile");
        let word = self.word("an atomic operation")?;
        let op = find(RMW_OPS, word).ok_or_else(|| self.unexpected("an atomic operation"))?;
        self.advance();
        let ptr = self.pointer()?;
        self.expect(b',')?;
        let here = self.current.start;
        let value = self.operand()?;
        let fits = match self.module.types.get(value.ty) {
            Type::Int(_) => !matches!(op, RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin),
            Type::Float(_) => {
                matches!(op, RmwOp::Xchg | RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin)
            }
            Type::Ptr => op == RmwOp::Xchg,
            _ => false,
        };
        if !fits {
            return Err(self.error_at(here, format!("'{word}' does not apply to '{}'", self.show(value.ty))));
        }
        let here = self.current.start;
        let ordering = self.atomic_ordering()?;
        if ordering == Ordering::Unordered {
            return Err(self.error_at(here, "'atomicrmw' cannot be unordered"));
        }
        self.dropped_align()?;
        let ty = value.ty;
        Ok((InstKind::AtomicRmw { op, ptr, value, ordering, volatile }, ty))
    }

    pub(super) fn compare_exchange(&mut self) -> Result<Typed> {
        let weak = self.eat_word("weak");
        let volatile = self.eat_word("volatile");
        let ptr = self.pointer()?;
        self.expect(b',')?;
        let here = self.current.start;
        let expected = self.operand()?;
        if !matches!(self.module.types.get(expected.ty), Type::Int(_) | Type::Ptr) {
            let message = format!("'cmpxchg' does not apply to '{}'", self.show(expected.ty));
            return Err(self.error_at(here, message));
        }
        self.expect(b',')?;
        let new = self.operand_of(expected.ty)?.value;
        let here = self.current.start;
        let success = self.atomic_ordering()?;
        let failure = self.ordering()?;
        if success == Ordering::Unordered
            || matches!(failure, Ordering::Unordered | Ordering::Release | Ordering::AcqRel)
        {
            return Err(self.error_at(here, "invalid orderings for 'cmpxchg'"));
        }
        self.dropped_align()?;
        let fields = vec![expected.ty, self.common.i1];
        let ty = self.module.types.intern(Type::Struct { fields, packed: false });
        Ok((InstKind::CmpXchg { ptr, expected, new, weak, success, failure, volatile }, ty))
    }

    pub(super) fn va_arg(&mut self) -> Result<Typed> {
        let list = self.pointer()?;
        self.expect(b',')?;
        let here = self.current.start;
        let ty = self.ty()?;
        self.require_sized(ty, here)?;
        Ok((InstKind::VaArg { list, ty }, ty))
    }

    pub(super) fn gep(&mut self) -> Result<Typed> {
        let inbounds = self.gep_flags(false)?;
        let here = self.current.start;
        let source = self.ty()?;
        self.expect(b',')?;
        let base = self.operand()?;
        let mut indices = Vec::new();
        let mut shapes = Vec::new();
        while self.eat_comma_before(|token| !matches!(token, Token::MdName(_))) {
            let index = self.operand()?;
            let known = match &index.value {
                Value::Const(value) => int_of(value),
                Value::Local(_) => None,
            };
            shapes.push((index.ty, known));
            indices.push(index);
        }
        let ty = self.gep_type(source, base.ty, &shapes, here)?;
        Ok((InstKind::Gep { source, base, indices, inbounds }, ty))
    }

    /// `inbounds`, `nuw`, `nusw` and, in constants, `inrange(a, b)`.
    pub(super) fn gep_flags(&mut self, constant: bool) -> Result<bool> {
        let mut inbounds = false;
        loop {
            match self.current.token {
                Token::Word("inbounds") => inbounds = true,
                Token::Word("nuw" | "nusw") => {}
                Token::Word("inrange") if constant => {
                    self.advance();
                    self.expect(b'(')?;
                    self.signed("an offset")?;
                    self.expect(b',')?;
                    self.signed("an offset")?;
                    self.expect(b')')?;
                    continue;
                }
                _ => return Ok(inbounds),
            }
            self.advance();
        }
    }

    /// Walks the indices (their types, and their values where constant) through `source`: a field that does not
    /// exist is an error here, and the result is a vector if any operand is.
    pub(super) fn gep_type(
        &mut self,
        source: TypeId,
        base: TypeId,
        indices: &[(TypeId, Option<u128>)],
        at: usize,
    ) -> Result<TypeId> {
        self.require_sized(source, at)?;
        if !self.scalar_is(base, |t| *t == Type::Ptr) {
            return Err(self.error_at(at, format!("'{}' is no pointer", self.show(base))));
        }
        let mut shape = base;
        let mut ty = source;
        for (position, &(index_ty, value)) in indices.iter().enumerate() {
            if !self.scalar_is(index_ty, |t| matches!(t, Type::Int(_))) {
                return Err(self.error_at(at, format!("'{}' is no index type", self.show(index_ty))));
            }
            let is_vector = |p: &Self, ty| matches!(p.module.types.get(ty), Type::Vector(..));
            if is_vector(self, index_ty) {
                if is_vector(self, shape) && self.shaped_like(shape, index_ty) != self.shaped_like(index_ty, index_ty) {
                    return Err(self.error_at(at, "getelementptr with vectors of different lengths"));
                }
                shape = index_ty;
            }
            // The first index steps over whole objects.
            if position > 0 {
                ty = self.gep_step(ty, value, at)?;
            }
        }
        Ok(self.shaped_like(shape, self.common.ptr))
    }

    fn gep_step(&self, ty: TypeId, index: Option<u128>, at: usize) -> Result<TypeId> {
        let invalid = || self.error_at(at, format!("invalid getelementptr index into '{}'", self.show(ty)));
        let body = self.module.types.resolve(ty).ok_or_else(invalid)?;
        match self.module.types.get(body) {
            Type::Array(_, element) | Type::Vector(_, element) => Ok(*element),
            Type::Struct { .. } => {
                let index = index.and_then(|index| u64::try_from(index).ok()).ok_or_else(invalid)?;
                self.element(ty, index).ok_or_else(invalid)
            }
            _ => Err(invalid()),
        }
    }
}
