//! Expressions into operations on registers.
//!
//! Registers are taken and given back like a stack: what is bound by a name keeps its register while the name is in
//! scope, and the value of an expression lies in the first register that was free before it, unless it is a constant or
//! was in a register already.

use super::super::ast::{Binary, Expr, Kind, Name, Unary};
use super::super::bytecode::{Array, Op, Operand, Register, Target, Value};
use super::super::source::{Result, Span};
use super::super::values::{apply, apply_unary};
use super::names::{is_only_dereferenced, writes};
use super::{Compiler, Global, Local};

impl Compiler {
    /// For what it does; its value is dropped.
    pub(super) fn effect(&mut self, expr: &Expr) -> Result<()> {
        let free = self.body.next;
        let done = self.value(expr).map(|_| ());
        self.body.next = free;
        done
    }

    /// The value of each, in order. One that is in a variable is copied if something later may write to that.
    pub(super) fn values<const N: usize>(&mut self, exprs: [&Expr; N]) -> Result<[Operand; N]> {
        let list = self.value_list(&exprs)?;
        Ok(list.try_into().expect("as many"))
    }

    pub(super) fn value_list(&mut self, exprs: &[&Expr]) -> Result<Vec<Operand>> {
        let mut list = Vec::with_capacity(exprs.len());
        for (number, expr) in exprs.iter().enumerate() {
            let mut operand = self.value(expr)?;
            if self.is_variable(operand) && exprs[number + 1..].iter().any(|later| writes(later)) {
                let d = self.fresh();
                self.emit(Op::Move { d, s: operand }, expr.span);
                operand = Operand::register(d);
            }
            list.push(operand);
        }
        Ok(list)
    }

    /// The value of an expression: a constant, a register that it was in before, or the first register that was free.
    pub(super) fn value(&mut self, expr: &Expr) -> Result<Operand> {
        let span = expr.span;
        let free = self.body.next;
        let unit = |compiler: &mut Self| {
            compiler.body.next = free;
            compiler.constant_operand(Value::Unit, span)
        };
        // Operands are read before the result is written: they may share a register.
        let result = |compiler: &mut Self| {
            compiler.body.next = free;
            compiler.fresh()
        };
        match &expr.kind {
            Kind::Unit => unit(self),
            Kind::Int(value) => self.constant_operand(Value::Int(*value), span),
            Kind::Bool(value) => self.constant_operand(Value::Bool(*value), span),
            Kind::Name(text) => self.name(text, span),
            Kind::Index { array, index } => {
                let (operand, _) = self.element(array, index, span, true)?;
                Ok(operand)
            }
            Kind::Unary(operator, operand) => {
                let s = self.value(operand)?;
                if let Some(value) = self.known(s).and_then(|value| apply_unary(*operator, value)) {
                    return self.constant_operand(value, span);
                }
                let d = result(self);
                let op = match operator {
                    Unary::Not => Op::Not { d, s },
                    Unary::Negate => Op::Negate { d, s },
                };
                self.emit(op, span);
                Ok(Operand::register(d))
            }
            Kind::Binary(operator, left, right) => {
                let [a, b] = self.values([left, right])?;
                if let (Some(x), Some(y)) = (self.known(a), self.known(b))
                    && let Ok(value) = apply(*operator, x, y)
                {
                    return self.constant_operand(value, span);
                }
                let d = result(self);
                self.emit(Op::Binary { operator: *operator, d, a, b }, span);
                Ok(Operand::register(d))
            }
            Kind::And(left, right) | Kind::Or(left, right) => {
                let is_and = matches!(expr.kind, Kind::And(..));
                let first = self.value(left)?;
                match self.known(first) {
                    Some(value) if value.is_true() == is_and => return self.value(right),
                    Some(_) => return Ok(first),
                    None => {}
                }
                let d = result(self);
                self.keep(first, d, d, left.span);
                let condition = Operand::register(d);
                let jump = match is_and {
                    true => Op::JumpUnless { condition, to: 0 },
                    false => Op::JumpIf { condition, to: 0 },
                };
                let jump = self.emit(jump, span);
                let second = self.value(right)?;
                self.keep(second, d, d + 1, right.span);
                self.land(&[jump]);
                self.body.next = d + 1;
                Ok(condition)
            }
            Kind::Sequence(list) => {
                let (last, rest) = list.split_last().expect("a sequence has parts");
                rest.iter().try_for_each(|part| self.effect(part))?;
                self.value(last)
            }
            Kind::Let { name, recursive, value, body } => self.local(name, *recursive, value, body),
            Kind::Function { parameters, body } => self.function("fun", false, parameters, body, span),
            Kind::Call { callee, arguments } => {
                let exprs: Vec<&Expr> = std::iter::once(&**callee).chain(arguments).collect();
                let operands = self.value_list(&exprs)?;
                let arguments = self.list(&operands[1..]);
                let d = result(self);
                self.emit(Op::Call { d, callee: operands[0], arguments }, span);
                Ok(Operand::register(d))
            }
            Kind::If { condition, then, otherwise } => self.conditional(condition, then, otherwise.as_deref(), span),
            Kind::While { condition, body } => {
                let start = self.here();
                let mut exits = Vec::new();
                if self.jump_unless(condition, &mut exits)? == Some(false) {
                    return unit(self);
                }
                self.effect(body)?;
                self.emit(Op::Jump { to: start as u32 }, span);
                self.land(&exits);
                unit(self)
            }
            Kind::For { name, from, to, body } => {
                self.counting_loop(name, from, to, body, span)?;
                unit(self)
            }
            Kind::Ref(value) => {
                let s = self.value(value)?;
                let d = result(self);
                self.emit(Op::NewCell { d, s }, span);
                Ok(Operand::register(d))
            }
            Kind::Read(place) => {
                if let Some(variable) = self.variable(place) {
                    return Ok(Operand::register(variable));
                }
                let (place, target) = self.place(place)?;
                let d = result(self);
                self.emit_at(Op::Read { d, place }, span, target);
                Ok(Operand::register(d))
            }
            Kind::Write(place, value) => {
                if let Some(variable) = self.variable(place) {
                    let s = self.value(value)?;
                    self.keep(s, variable, free, span);
                    return unit(self);
                }
                let (place, target) = self.place_before(place, &[value])?;
                let s = self.value(value)?;
                self.emit_at(Op::Write { place, s }, span, target);
                unit(self)
            }
            Kind::CompareAndSwap { place, old, new } => {
                let (place, target) = self.place_before(place, &[old, new])?;
                let [old, new] = self.values([old, new])?;
                let d = result(self);
                self.emit_at(Op::CompareAndSwap { d, place, old, new }, span, target);
                Ok(Operand::register(d))
            }
            Kind::Lock(mutex) | Kind::Unlock(mutex) => {
                let (mutex, target) = self.place(mutex)?;
                let op = match expr.kind {
                    Kind::Lock(_) => Op::Lock { mutex },
                    _ => Op::Unlock { mutex },
                };
                self.emit_at(op, span, target);
                unit(self)
            }
            Kind::Choose(low, high) => {
                let [low, high] = self.values([low, high])?;
                let d = result(self);
                self.emit(Op::Choose { d, low, high }, span);
                Ok(Operand::register(d))
            }
            Kind::Assert(condition) => {
                let operand = self.value(condition)?;
                let words = self.program.source.one_line(condition.span);
                let text = self.text(&words, span)?;
                self.emit(Op::Assert { condition: operand, text }, span);
                unit(self)
            }
            Kind::Assume(condition) => {
                let operand = self.value(condition)?;
                self.emit(Op::Assume { condition: operand }, span);
                unit(self)
            }
            Kind::Error(text) => {
                let text = self.text(text.as_deref().unwrap_or_default(), span)?;
                self.emit(Op::Fail { text }, span);
                // Nobody comes by here with a value, whatever type it should have.
                Ok(Operand::register(result(self)))
            }
        }
    }

    /// Puts a value into a register: by the operation that makes it, if that is the last one and nobody else wants its
    /// result, which is so for the registers from `own` on.
    pub(super) fn keep(&mut self, s: Operand, d: Register, own: Register, span: Span) {
        if s == Operand::register(d) {
            return;
        }
        let here = self.body.code.len();
        let temporary = s.as_register().is_some_and(|register| register >= own);
        if let Some(last) = self.body.code.last_mut()
            && temporary
            && self.body.label < here
            && last.result().map(Operand::register) == Some(s)
        {
            *last = last.with_result(d);
            return;
        }
        self.emit(Op::Move { d, s }, span);
    }

    pub(super) fn name(&mut self, text: &str, span: Span) -> Result<Operand> {
        match self.body.names.iter().rev().find(|(name, _)| name == text) {
            Some((_, Local::Value(operand))) => return Ok(*operand),
            Some((_, Local::Variable(_))) => unreachable!("`{text}` is only read and written"),
            None => {}
        }
        match self.global(text) {
            Global::Value(operand) => Ok(operand),
            Global::Array(array) => {
                self.program.arrays[array as usize].escapes = true;
                self.first_of(array, span)
            }
        }
    }

    pub(super) fn global(&self, text: &str) -> Global {
        let found = self.globals.iter().rev().find(|(name, _)| name == text);
        found.expect("types are checked: every name is declared").1
    }

    pub(super) fn first_of(&mut self, array: u16, span: Span) -> Result<Operand> {
        let Array { is_mutex, first, .. } = self.program.arrays[array as usize];
        self.constant_operand(if is_mutex { Value::Mutex(first) } else { Value::Shared(first) }, span)
    }

    /// An element of an array. `escapes`: as a value, not only to be touched here.
    pub(super) fn element(
        &mut self,
        array: &Name,
        index: &Expr,
        span: Span,
        escapes: bool,
    ) -> Result<(Operand, Target)> {
        let Global::Array(number) = self.global(&array.text) else { unreachable!("types are checked: an array") };
        self.program.arrays[number as usize].escapes |= escapes;
        let free = self.body.next;
        let index = self.value(index)?;
        let Array { is_mutex, first, count, .. } = self.program.arrays[number as usize];
        if let Some(Value::Int(at)) = self.known(index)
            && (0..i64::from(count)).contains(&at)
        {
            let at = first + at as u32;
            let value = if is_mutex { Value::Mutex(at) } else { Value::Shared(at) };
            return Ok((self.constant_operand(value, span)?, Target::Known));
        }
        self.body.next = free;
        let d = self.fresh();
        self.emit(Op::Index { d, array: number, index }, span);
        Ok((Operand::register(d), Target::Array(number)))
    }

    /// What is read, written or locked, and what is known of it.
    pub(super) fn place(&mut self, expr: &Expr) -> Result<(Operand, Target)> {
        match &expr.kind {
            Kind::Index { array, index } => self.element(array, index, expr.span, false),
            Kind::Name(text)
                if !self.body.names.iter().any(|(name, _)| name == text)
                    && let Global::Array(array) = self.global(text) =>
            {
                Ok((self.first_of(array, expr.span)?, Target::Known))
            }
            _ => {
                let operand = self.value(expr)?;
                let known = matches!(self.known(operand), Some(Value::Shared(_) | Value::Mutex(_)));
                Ok((operand, if known { Target::Known } else { Target::Anything }))
            }
        }
    }

    /// The same where other expressions come before the operation.
    pub(super) fn place_before(&mut self, expr: &Expr, later: &[&Expr]) -> Result<(Operand, Target)> {
        let (operand, target) = self.place(expr)?;
        if self.is_variable(operand) && later.iter().any(|later| writes(later)) {
            let d = self.fresh();
            self.emit(Op::Move { d, s: operand }, expr.span);
            return Ok((Operand::register(d), target));
        }
        Ok((operand, target))
    }

    /// The register that a reference is, if it is one.
    pub(super) fn variable(&self, place: &Expr) -> Option<Register> {
        let Kind::Name(text) = &place.kind else { return None };
        match self.body.names.iter().rev().find(|(name, _)| name == text)? {
            (_, Local::Variable(register)) => Some(*register),
            _ => None,
        }
    }

    pub(super) fn local(&mut self, name: &Name, recursive: bool, value: &Expr, body: &Expr) -> Result<Operand> {
        let free = self.body.next;
        let notes = self.body.locals.len();
        let local = match &value.kind {
            Kind::Ref(first) if is_only_dereferenced(&name.text, body) => {
                let s = self.value(first)?;
                self.body.next = free;
                let register = self.fresh();
                self.keep(s, register, free, value.span);
                Local::Variable(register)
            }
            Kind::Function { parameters, body } => {
                Local::Value(self.function(&name.text, recursive, parameters, body, value.span)?)
            }
            _ => {
                let mut operand = self.value(value)?;
                if self.is_variable(operand) {
                    self.body.next = free;
                    let register = self.fresh();
                    self.emit(Op::Move { d: register, s: operand }, value.span);
                    operand = Operand::register(register);
                }
                Local::Value(operand)
            }
        };
        let shown = match local {
            Local::Value(operand) => operand,
            Local::Variable(register) => Operand::register(register),
        };
        let taken = shown.as_register().is_some_and(|register| register >= free);
        self.body.next = free + Register::from(taken);
        self.note_local(&name.text, shown);
        self.body.names.push((name.text.clone(), local));
        let result = self.value(body)?;
        self.body.names.pop();
        self.forget_locals(notes);
        // The value of the body may lie behind, or be, what goes out of scope now.
        if result.as_register().is_some_and(|register| register >= free) {
            self.body.next = free + 1;
            self.keep(result, free, free, body.span);
            return Ok(Operand::register(free));
        }
        self.body.next = free;
        Ok(result)
    }

    pub(super) fn conditional(
        &mut self,
        condition: &Expr,
        then: &Expr,
        otherwise: Option<&Expr>,
        span: Span,
    ) -> Result<Operand> {
        let free = self.body.next;
        let mut jumps = Vec::new();
        if let Some(value) = self.jump_unless(condition, &mut jumps)? {
            return match (value, otherwise) {
                (true, None) => {
                    self.effect(then)?;
                    self.constant_operand(Value::Unit, span)
                }
                (true, Some(_)) => self.value(then),
                (false, Some(otherwise)) => self.value(otherwise),
                (false, None) => self.constant_operand(Value::Unit, span),
            };
        }
        let Some(otherwise) = otherwise else {
            self.effect(then)?;
            self.land(&jumps);
            self.body.next = free;
            return self.constant_operand(Value::Unit, span);
        };
        self.body.next = free;
        let d = self.fresh();
        let first = self.value(then)?;
        self.keep(first, d, d + 1, then.span);
        let end = self.emit(Op::Jump { to: 0 }, span);
        self.land(&jumps);
        self.body.next = d + 1;
        let second = self.value(otherwise)?;
        self.keep(second, d, d + 1, otherwise.span);
        self.land(&[end]);
        self.body.next = d + 1;
        Ok(Operand::register(d))
    }

    /// Goes on if the condition holds; `jumps` are taken if not. What is returned is known of the condition.
    pub(super) fn jump_unless(&mut self, condition: &Expr, jumps: &mut Vec<usize>) -> Result<Option<bool>> {
        let free = self.body.next;
        if let Kind::And(left, right) = &condition.kind {
            return match self.jump_unless(left, jumps)? {
                Some(false) => Ok(Some(false)),
                Some(true) => self.jump_unless(right, jumps),
                None => {
                    if self.jump_unless(right, jumps)? == Some(false) {
                        jumps.push(self.emit(Op::Jump { to: 0 }, right.span));
                    }
                    Ok(None)
                }
            };
        }
        let (negated, plain) = match &condition.kind {
            Kind::Unary(Unary::Not, operand) => (true, &**operand),
            _ => (false, condition),
        };
        let operand = self.value(plain)?;
        self.body.next = free;
        if let Some(value) = self.known(operand) {
            return Ok(Some(value.is_true() != negated));
        }
        let jump = match negated {
            true => Op::JumpIf { condition: operand, to: 0 },
            false => Op::JumpUnless { condition: operand, to: 0 },
        };
        jumps.push(self.emit(jump, condition.span));
        Ok(None)
    }

    pub(super) fn counting_loop(&mut self, name: &Name, from: &Expr, to: &Expr, body: &Expr, span: Span) -> Result<()> {
        let counter = self.fresh();
        let first = self.value(from)?;
        self.body.next = counter + 1;
        self.keep(first, counter, counter + 1, from.span);
        let mut end = self.value(to)?;
        if self.is_variable(end) {
            let register = self.fresh();
            self.emit(Op::Move { d: register, s: end }, to.span);
            end = Operand::register(register);
        }
        let start = self.here();
        let notes = self.body.locals.len();
        self.note_local(&name.text, Operand::register(counter));
        let test = self.fresh();
        let i = Operand::register(counter);
        self.emit(Op::Binary { operator: Binary::Less, d: test, a: i, b: end }, name.span);
        let exit = self.emit(Op::JumpUnless { condition: Operand::register(test), to: 0 }, name.span);
        self.body.next = test;
        self.body.names.push((name.text.clone(), Local::Value(i)));
        self.effect(body)?;
        self.body.names.pop();
        let one = self.constant_operand(Value::Int(1), span)?;
        self.emit(Op::Binary { operator: Binary::Plus, d: counter, a: i, b: one }, name.span);
        let back = self.emit(Op::Jump { to: start as u32 }, span);
        self.forget_locals(notes);
        self.land(&[exit]);
        let after = self.body.code.len() as u32;
        self.body.counting.push((back as u32, after));
        Ok(())
    }
}
