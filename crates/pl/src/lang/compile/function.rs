//! Functions: what they capture, and the parts that their bodies are made of.

use super::super::ast::{Expr, Name};
use super::super::bytecode::{Function, List, Live, LocalName, Op, Operand, Register, Target, Value};
use super::super::source::{Complaint, Result, Span};
use super::names::free_names;
use super::{Body, Compiler, LAST_REGISTER, Local, too_large};

impl Compiler {
    pub(super) fn reserve_function(&mut self, name: &str) -> Result<u16> {
        let number = u16::try_from(self.program.functions.len())
            .map_err(|_| Complaint::nowhere("the program has more than 65536 functions and threads"))?;
        self.program.functions.push(Function {
            name: name.into(),
            parameters: 0,
            captured: 0,
            keeps_itself: false,
            registers: 0,
            code: Vec::new(),
            places: Vec::new(),
            targets: Vec::new(),
            counting: Vec::new(),
            locals: Vec::new(),
            live: Live::default(),
            may_wait: Vec::new(),
            reach: Vec::new(),
        });
        Ok(number)
    }

    /// Compiles the body of a function of its own. `captured` are names of the function around it; `itself` is the name
    /// by which it calls itself where that is no constant.
    pub(super) fn fill_function(
        &mut self,
        id: u16,
        parameters: &[Name],
        body: &Expr,
        captured: &[String],
        itself: Option<&str>,
    ) -> Result<()> {
        // What is constant outside is constant inside.
        let is_constant = |local: &Local| matches!(local, Local::Value(operand) if operand.as_constant().is_some());
        let names = self.body.names.iter().filter(|(_, local)| is_constant(local)).cloned().collect();
        let outer = std::mem::replace(&mut self.body, Body { names, ..Body::default() });
        let own = parameters.iter().map(|name| name.text.as_str());
        // A parameter hides a captured name, and the function's own.
        let order = captured.iter().map(String::as_str).chain(itself);
        let count = parameters.len();
        for (place, name) in order.enumerate() {
            let register = (count + place) as Register;
            self.body.names.push((name.into(), Local::Value(Operand::register(register))));
            self.note_local(name, Operand::register(register));
        }
        for (place, name) in own.enumerate() {
            self.body.names.push((name.into(), Local::Value(Operand::register(place as Register))));
            self.note_local(name, Operand::register(place as Register));
        }
        self.body.next = (count + captured.len() + usize::from(itself.is_some())) as Register;
        self.body.most = self.body.next;
        let compiled = self.value(body).and_then(|result| {
            self.emit(Op::Return { s: result }, Span { from: body.span.to, to: body.span.to });
            self.room(body.span)
        });
        self.close_function(id, count as u16, captured.len() as u16, itself.is_some());
        self.body = outer;
        compiled
    }

    pub(super) fn room(&self, span: Span) -> Result<()> {
        if self.body.most > LAST_REGISTER { Err(too_large(span)) } else { Ok(()) }
    }

    pub(super) fn close_function(&mut self, id: u16, parameters: u16, captured: u16, keeps_itself: bool) {
        let body = std::mem::take(&mut self.body);
        let end = body.code.len() as u32;
        let mut locals = body.locals;
        locals.iter_mut().filter(|local| local.to == u32::MAX).for_each(|local| local.to = end);
        let places = body.spans.iter().map(|span| self.program.source.at(*span)).collect();
        let function = &mut self.program.functions[id as usize];
        *function = Function {
            name: std::mem::take(&mut function.name),
            parameters,
            captured,
            keeps_itself,
            registers: body.most,
            code: body.code,
            places,
            targets: body.targets,
            counting: body.counting,
            locals,
            live: Live::default(),
            may_wait: Vec::new(),
            reach: Vec::new(),
        };
    }

    pub(super) fn function(
        &mut self,
        name: &str,
        recursive: bool,
        parameters: &[Name],
        body: &Expr,
        span: Span,
    ) -> Result<Operand> {
        let mut bound: Vec<&str> = parameters.iter().map(|name| name.text.as_str()).collect();
        if recursive {
            bound.push(name);
        }
        let mut free = Vec::new();
        free_names(body, &mut bound, &mut free);
        let mut captured: Vec<(String, Operand)> = Vec::new();
        for free in free {
            let local = self.body.names.iter().rev().find(|(name, _)| name == free);
            if let Some((name, Local::Value(operand))) = local
                && operand.as_register().is_some()
            {
                captured.push((name.clone(), *operand));
            }
        }
        let id = self.reserve_function(name)?;
        if captured.is_empty() {
            let own = self.constant_operand(Value::Code(id.into()), span)?;
            if recursive {
                self.body.names.push((name.into(), Local::Value(own)));
            }
            let filled = self.fill_function(id, parameters, body, &[], None);
            if recursive {
                self.body.names.pop();
            }
            return filled.map(|()| own);
        }
        let (names, operands): (Vec<String>, Vec<Operand>) = captured.into_iter().unzip();
        self.fill_function(id, parameters, body, &names, recursive.then_some(name))?;
        let captured = self.list(&operands);
        let d = self.fresh();
        self.emit(Op::NewClosure { d, function: id, captured }, span);
        Ok(Operand::register(d))
    }

    // The parts of a body.

    pub(super) fn emit(&mut self, op: Op, span: Span) -> usize {
        self.emit_at(op, span, Target::Nothing)
    }

    pub(super) fn emit_at(&mut self, op: Op, span: Span, target: Target) -> usize {
        self.body.code.push(op);
        self.body.spans.push(span);
        self.body.targets.push(target);
        self.body.code.len() - 1
    }

    /// The first free register. Where there are no more, `room` says so in the end.
    pub(super) fn fresh(&mut self) -> Register {
        let register = self.body.next.min(LAST_REGISTER);
        self.body.next = register + 1;
        self.body.most = self.body.most.max(self.body.next);
        register
    }

    pub(super) fn constant_operand(&mut self, value: Value, span: Span) -> Result<Operand> {
        if let Some(&known) = self.constants.get(&value) {
            return Ok(known);
        }
        let index = self.program.constants.len();
        if index == Operand::MOST {
            return Err(too_large(span));
        }
        self.program.constants.push(value);
        let operand = Operand::constant(index);
        self.constants.insert(value, operand);
        Ok(operand)
    }

    pub(super) fn text(&mut self, text: &str, span: Span) -> Result<u16> {
        let known = self.program.texts.iter().position(|known| known == text);
        let number = known.unwrap_or_else(|| {
            self.program.texts.push(text.into());
            self.program.texts.len() - 1
        });
        u16::try_from(number).map_err(|_| too_large(span))
    }

    pub(super) fn known(&self, operand: Operand) -> Option<Value> {
        operand.as_constant().map(|index| self.program.constants[index])
    }

    pub(super) fn list(&mut self, operands: &[Operand]) -> List {
        let first = self.program.operands.len() as u32;
        self.program.operands.extend_from_slice(operands);
        List { first, count: operands.len() as u16 }
    }

    /// Jumps that were sent nowhere lead here.
    pub(super) fn land(&mut self, jumps: &[usize]) {
        let here = self.body.code.len();
        for &at in jumps {
            match &mut self.body.code[at] {
                Op::Jump { to } | Op::JumpUnless { to, .. } | Op::JumpIf { to, .. } => *to = here as u32,
                other => unreachable!("{other:?} is no jump"),
            }
        }
        self.body.label = here;
    }

    pub(super) fn here(&mut self) -> usize {
        self.body.label = self.body.code.len();
        self.body.code.len()
    }

    pub(super) fn note_local(&mut self, name: &str, operand: Operand) {
        let from = self.body.code.len() as u32;
        self.body.locals.push(LocalName { name: name.into(), operand, from, to: u32::MAX });
    }

    pub(super) fn forget_locals(&mut self, from: usize) {
        let here = self.body.code.len() as u32;
        self.body.locals[from..].iter_mut().filter(|local| local.to == u32::MAX).for_each(|local| local.to = here);
    }

    pub(super) fn is_variable(&self, operand: Operand) -> bool {
        let is = |local: &Local| matches!(local, Local::Variable(r) if operand == Operand::register(*r));
        self.body.names.iter().any(|(_, local)| is(local))
    }
}
