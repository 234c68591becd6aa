//! Calls: the callee, its arguments, inline assembly, operand bundles.

use crate::lexer::Token;
use crate::module::{Arg, Call, Callee, Const, InstKind, Operand, ParamAttrs, Type, TypeId, Value};

use super::instructions::Typed;
use super::words::{CALLING_CONVENTIONS, Place};
use super::{Parser, Result};

impl Parser<'_> {
    pub(super) fn call(&mut self, must_tail: bool) -> Result<Typed> {
        self.fast_math();
        self.calling_convention()?;
        self.param_attrs(Place::RESULT)?;
        self.address_space()?;
        let here = self.current.start;
        let written = self.any_type()?;
        let callee = self.callee()?;
        self.expect(b'(')?;
        let mut args = Vec::new();
        self.list(b')', |p| {
            args.push(p.argument()?);
            Ok(())
        })?;
        let (fn_ty, ret) = self.called_type(written, &args, here)?;
        let attrs = self.fn_attrs()?;
        self.operand_bundles()?;
        let call = Call { fn_ty, ret, callee, args, returns_twice: attrs.returns_twice, must_tail };
        Ok((InstKind::Call(Box::new(call)), ret))
    }

    /// `ccc`, `fastcc`, `coldcc` or nothing.
    pub(super) fn calling_convention(&mut self) -> Result<()> {
        if let Token::Word(word) = self.current.token {
            if CALLING_CONVENTIONS.contains(&word) {
                self.advance();
            } else if word == "cc" || word.ends_with("cc") {
                return Err(self.error(format!("calling convention '{word}' is unsupported")));
            }
        }
        Ok(())
    }

    fn callee(&mut self) -> Result<Callee> {
        if !self.eat_word("asm") {
            return Ok(Callee::Value(self.value(self.common.ptr)?));
        }
        for word in ["sideeffect", "alignstack", "inteldialect", "unwind"] {
            self.eat_word(word);
        }
        let template = self.string()?;
        self.expect(b',')?;
        let constraints = self.string()?;
        Ok(Callee::Asm { template, constraints })
    }

    fn argument(&mut self) -> Result<Arg> {
        if self.current.token == Token::Ellipsis {
            return Err(self.error("forwarding '...' to a 'musttail' call is unsupported"));
        }
        let here = self.current.start;
        let ty = self.ty()?;
        if ty == self.common.metadata {
            let value = Value::Const(Const::Metadata(Box::new(self.metadata_operand()?)));
            return Ok(Arg { operand: Operand { ty, value }, attrs: ParamAttrs::default() });
        }
        if ty == self.common.label {
            return Err(self.error_at(here, "a block cannot be an argument"));
        }
        let attrs = self.param_attrs(Place::PARAM)?;
        let value = self.value(ty)?;
        Ok(Arg { operand: Operand { ty, value }, attrs })
    }

    /// The function type and result of a call: written out, or made from the result and the arguments.
    fn called_type(&mut self, written: TypeId, args: &[Arg], at: usize) -> Result<(TypeId, TypeId)> {
        let Type::Func { ret, params, varargs } = self.module.types.get(written) else {
            if !self.may_be_returned(written) {
                return Err(self.error_at(at, format!("a function cannot return '{}'", self.show(written))));
            }
            let params = args.iter().map(|arg| arg.operand.ty).collect();
            let fn_ty = Type::Func { ret: written, params, varargs: false };
            return Ok((self.module.types.intern(fn_ty), written));
        };
        let counts_fit = args.len() == params.len() || *varargs && args.len() > params.len();
        if !counts_fit {
            let message = format!("the call passes {} arguments for {} parameters", args.len(), params.len());
            return Err(self.error_at(at, message));
        }
        for (arg, &param) in args.iter().zip(params) {
            self.check_type(arg.operand.ty, param, at)?;
        }
        Ok((written, *ret))
    }

    /// `[ "align"(ptr %p, i64 16), … ]`: hints for the optimiser; checked and dropped.
    fn operand_bundles(&mut self) -> Result<()> {
        if !self.eat(b'[') {
            return Ok(());
        }
        self.list(b']', |p| {
            p.string()?;
            p.expect(b'(')?;
            p.list(b')', |p| {
                let ty = p.ty()?;
                if ty == p.common.metadata { p.metadata_operand().map(drop) } else { p.value(ty).map(drop) }
            })
        })
    }
}
