//! Control flow: terminators and `phi`.
//!
//! The `BlockId`s made here count labels by first mention; `functions` turns them into blocks.

use rustc_hash::FxHashSet;

use crate::lexer::{Symbol, Token};
use crate::module::{BlockId, Const, InstKind, LocalId, Operand, TypeId};

use super::constants::int_of;
use super::instructions::Typed;
use super::scope::NameError;
use super::{Parser, Result};

impl<'a> Parser<'a> {
    pub(super) fn branch(&mut self) -> Result<Typed> {
        if self.current.token == Token::Word("label") {
            return Ok((InstKind::Br(self.label()?), self.common.void));
        }
        let cond = self.operand_of(self.common.i1)?.value;
        self.expect(b',')?;
        let then = self.label()?;
        self.expect(b',')?;
        let els = self.label()?;
        Ok((InstKind::CondBr { cond, then, els }, self.common.void))
    }

    pub(super) fn switch(&mut self) -> Result<Typed> {
        let value = self.int_operand()?;
        self.expect(b',')?;
        let default = self.label()?;
        self.expect(b'[')?;
        let mut cases = Vec::new();
        let mut seen = FxHashSet::default();
        while !self.eat(b']') {
            let here = self.current.start;
            let ty = self.ty()?;
            self.check_type(ty, value.ty, here)?;
            let constant = self.constant(ty)?;
            if matches!(constant, Const::WideInt(_)) {
                return Err(self.error_at(here, "cases of more than 128 bits are unsupported"));
            }
            let case = int_of(&constant).ok_or_else(|| self.error_at(here, "a case must be an integer"))?;
            if !seen.insert(case) {
                return Err(self.error_at(here, "duplicate case"));
            }
            self.expect(b',')?;
            cases.push((case, self.label()?));
        }
        Ok((InstKind::Switch { value, default, cases }, self.common.void))
    }

    pub(super) fn indirect_branch(&mut self) -> Result<Typed> {
        let addr = self.operand_of(self.common.ptr)?.value;
        self.expect(b',')?;
        self.expect(b'[')?;
        let mut targets = Vec::new();
        self.list(b']', |p| {
            targets.push(p.label()?);
            Ok(())
        })?;
        Ok((InstKind::IndirectBr { addr, targets }, self.common.void))
    }

    pub(super) fn ret(&mut self) -> Result<Typed> {
        let here = self.current.start;
        let ty = self.any_type()?;
        self.check_type(ty, self.scope.ret, here)?;
        if ty == self.common.void {
            return Ok((InstKind::Ret(None), self.common.void));
        }
        let value = self.value(ty)?;
        Ok((InstKind::Ret(Some(Operand { ty, value })), self.common.void))
    }

    pub(super) fn phi(&mut self) -> Result<Typed> {
        self.fast_math();
        let here = self.current.start;
        let ty = self.ty()?;
        if !self.is_first_class(ty) {
            return Err(self.error_at(here, format!("no value has type '{}'", self.show(ty))));
        }
        let mut incoming = Vec::new();
        loop {
            self.expect(b'[')?;
            let value = self.value(ty)?;
            self.expect(b',')?;
            let block = self.label_name()?;
            self.expect(b']')?;
            incoming.push((value, block));
            if !self.eat_comma_before(|token| token == Token::Punct(b'[')) {
                return Ok((InstKind::Phi { ty, incoming }, ty));
            }
        }
    }

    /// `label %block`
    fn label(&mut self) -> Result<BlockId> {
        self.expect_word("label")?;
        self.label_name()
    }

    /// `%block`
    pub(super) fn label_name(&mut self) -> Result<BlockId> {
        let Token::Local(symbol) = self.current.token else {
            return Err(self.unexpected("a block"));
        };
        let here = self.current.start;
        let name = self.name(symbol)?;
        let used = self.scope.use_label(name, here);
        let id = self.named(used, here)?;
        self.advance();
        Ok(id)
    }

    /// `%local` as a value of type `ty`.
    pub(super) fn local(&mut self, symbol: Symbol<'a>, ty: TypeId) -> Result<LocalId> {
        let here = self.current.start;
        let name = self.name(symbol)?;
        let used = self.scope.use_local(name, ty, here);
        let id = self.named(used, here)?;
        self.advance();
        Ok(id)
    }

    /// What the scope answered, with the place of the name.
    pub(super) fn named<T>(&self, answer: std::result::Result<T, NameError>, at: usize) -> Result<T> {
        answer.map_err(|error| match error {
            NameError::Other(message) => self.error_at(at, message),
            NameError::Type { name, own, used } => {
                let message = format!("'%{name}' has type '{}', not '{}'", self.show(own), self.show(used));
                self.error_at(at, message)
            }
        })
    }
}
