//! From what was written to what is executed.
//!
//! Names become registers, shared variables become numbers. The body of a thread that is declared several times is
//! compiled for each of them, so that its number is a constant, and `forks[(i + 1) % N]` a fork that is known. A
//! reference that is only read and written by the function that made it is a register; others live in the heap of
//! their thread. What is constant is computed here.

use std::collections::HashMap;

use super::ast::{Binary, Declaration, Expr, Kind, Module, Name, Unary};
use super::bytecode::{
    Array, Function, List, Live, LocalName, Op, Operand, Register, Target, TbProgram, ThreadStart, Value,
};
use super::source::{Complaint, Result, Source, Span};
use super::values::{apply, apply_unary};
use super::{liveness, reach, waiting};

const MOST_ELEMENTS: i64 = 1 << 20;
const MOST_THREADS: usize = 4096;
/// The last one that is not used, so that there is one behind every other.
const LAST_REGISTER: Register = Operand::MOST as Register - 2;

/// `definitions` are values for parameters, as the command line has them.
pub fn compile(source: &Source, module: &Module, definitions: &[(String, String)]) -> Result<TbProgram> {
    let mut compiler = Compiler {
        program: TbProgram {
            source: source.clone(),
            functions: Vec::new(),
            constants: Vec::new(),
            operands: Vec::new(),
            texts: Vec::new(),
            arrays: Vec::new(),
            shared: Vec::new(),
            mutexes: 0,
            threads: Vec::new(),
            finally: None,
            parameters: Vec::new(),
            reachable: Vec::new(),
        },
        constants: HashMap::new(),
        body: Body::default(),
        globals: Vec::new(),
        joins: module.declarations.iter().any(|declaration| matches!(declaration, Declaration::Finally { .. })),
    };
    compiler.check_definitions(module, definitions)?;
    // `finally` waits for threads that may be declared below it.
    let (last, others): (Vec<_>, Vec<_>) =
        module.declarations.iter().partition(|declaration| matches!(declaration, Declaration::Finally { .. }));
    for declaration in others.into_iter().chain(last) {
        compiler.declaration(declaration, definitions)?;
    }
    if compiler.program.threads.is_empty() {
        return Err(Complaint::nowhere("the program has no threads").note("`thread t { … }` declares one"));
    }
    let mut program = compiler.program;
    for function in &mut program.functions {
        function.live = liveness::live(function, &program.operands);
    }
    waiting::find_waiting(&mut program);
    reach::find_reachable(&mut program);
    Ok(program)
}

/// What a name means inside a function.
#[derive(Clone, Copy)]
enum Local {
    Value(Operand),
    /// A reference that is nothing but this register.
    Variable(Register),
}

#[derive(Clone, Copy)]
enum Global {
    Value(Operand),
    Array(u16),
}

/// The function that is being compiled.
#[derive(Default)]
struct Body {
    code: Vec<Op>,
    spans: Vec<Span>,
    targets: Vec<Target>,
    locals: Vec<LocalName>,
    counting: Vec<(u32, u32)>,
    /// Innermost last.
    names: Vec<(String, Local)>,
    /// The first register that is free.
    next: Register,
    most: Register,
    /// Some jump leads here: what follows cannot be joined with what is before.
    label: usize,
}

struct Compiler {
    program: TbProgram,
    constants: HashMap<Value, Operand>,
    body: Body,
    globals: Vec<(String, Global)>,
    /// There is a `finally`: the end of a thread is an operation that it waits for.
    joins: bool,
}

impl Compiler {
    // Declarations.

    fn check_definitions(&self, module: &Module, definitions: &[(String, String)]) -> Result<()> {
        let names: Vec<&str> = module
            .declarations
            .iter()
            .filter_map(|declaration| match declaration {
                Declaration::Param { name, .. } => Some(name.text.as_str()),
                _ => None,
            })
            .collect();
        for (number, (name, _)) in definitions.iter().enumerate() {
            if !names.contains(&name.as_str()) {
                let complaint = Complaint::nowhere(format!("the program has no parameter `{name}`"));
                return Err(match names.as_slice() {
                    [] => complaint.note("it has none; `param N = 2` declares one"),
                    names => complaint.note(format!("it has {}", names.join(", "))),
                });
            }
            if definitions[..number].iter().any(|(other, _)| other == name) {
                return Err(Complaint::nowhere(format!("the parameter `{name}` is given twice")));
            }
        }
        Ok(())
    }

    fn declaration(&mut self, declaration: &Declaration, definitions: &[(String, String)]) -> Result<()> {
        match declaration {
            Declaration::Param { name, value } => {
                let default = self.constant(value)?;
                let given = definitions.iter().find(|(given, _)| *given == name.text);
                let value = match given {
                    Some((_, text)) => parse_value(&name.text, text, default)?,
                    None => default,
                };
                self.program.parameters.push((name.text.clone(), value));
                self.define_constant(name, value)?;
            }
            Declaration::Let { name, recursive, value } => {
                let operand = match &value.kind {
                    Kind::Function { parameters, body } => {
                        let id = self.reserve_function(&name.text)?;
                        let own = self.constant_operand(Value::Code(id.into()), name.span)?;
                        if *recursive {
                            self.globals.push((name.text.clone(), Global::Value(own)));
                        }
                        self.fill_function(id, parameters, body, &[], None)?;
                        own
                    }
                    _ => {
                        let value = self.constant(value)?;
                        self.constant_operand(value, name.span)?
                    }
                };
                self.globals.push((name.text.clone(), Global::Value(operand)));
            }
            Declaration::Shared { name, size, value } => {
                let value = self.constant(value)?;
                let first = self.program.shared.len() as u32;
                let count = self.declare(name, size.as_ref(), false, first)?;
                self.program.shared.extend(std::iter::repeat_n(value, count as usize));
            }
            Declaration::Mutex { name, size } => {
                let first = self.program.mutexes;
                self.program.mutexes += self.declare(name, size.as_ref(), true, first)?;
            }
            Declaration::Thread { name, index: None, body } => {
                let function = self.thread(name.text.clone(), body, None)?;
                self.add_thread(name, ThreadStart { name: name.text.clone(), function })?;
            }
            Declaration::Thread { name, index: Some((index, from, to)), body } => {
                let (from, to) = (self.constant(from)?.int(), self.constant(to)?.int());
                for number in from..to {
                    let title = format!("{}[{number}]", name.text);
                    let function = self.thread(title.clone(), body, Some((index, number)))?;
                    self.add_thread(name, ThreadStart { name: title, function })?;
                }
            }
            Declaration::Finally { keyword, body } => {
                if self.program.finally.is_some() {
                    return Err(Complaint::at(*keyword, "there is a second `finally`"));
                }
                let function = self.reserve_function("finally")?;
                for thread in 1..=self.program.threads.len() {
                    self.emit(Op::Join { thread: thread as u16 }, *keyword);
                }
                self.effect(body)?;
                self.finish_thread(function, Span { from: body.span.to, to: body.span.to }, false)?;
                self.program.finally = Some(ThreadStart { name: "finally".into(), function });
            }
        }
        Ok(())
    }

    fn define_constant(&mut self, name: &Name, value: Value) -> Result<()> {
        let operand = self.constant_operand(value, name.span)?;
        self.globals.push((name.text.clone(), Global::Value(operand)));
        Ok(())
    }

    /// A shared variable, a mutex, or an array of them: how many there are.
    fn declare(&mut self, name: &Name, size: Option<&Expr>, is_mutex: bool, first: u32) -> Result<u32> {
        let count = match size {
            Some(size) => match self.constant(size)?.int() {
                count @ 1..=MOST_ELEMENTS => count as u32,
                count => {
                    let message = format!("an array of {count}: from 1 to {MOST_ELEMENTS} are possible");
                    return Err(Complaint::at(size.span, message));
                }
            },
            None => 1,
        };
        let number = u16::try_from(self.program.arrays.len()).map_err(|_| too_large(name.span))?;
        if i64::from(first) + i64::from(count) > 16 * MOST_ELEMENTS {
            return Err(too_large(name.span));
        }
        let indexed = size.is_some();
        self.program.arrays.push(Array { name: name.text.clone(), is_mutex, first, count, indexed, escapes: false });
        self.globals.push((name.text.clone(), Global::Array(number)));
        Ok(count)
    }

    fn add_thread(&mut self, name: &Name, start: ThreadStart) -> Result<()> {
        if self.program.threads.len() == MOST_THREADS {
            return Err(Complaint::at(name.span, format!("more than {MOST_THREADS} threads")));
        }
        self.program.threads.push(start);
        Ok(())
    }

    fn thread(&mut self, title: String, body: &Expr, index: Option<(&Name, i64)>) -> Result<u16> {
        let function = self.reserve_function(&title)?;
        if let Some((name, number)) = index {
            let operand = self.constant_operand(Value::Int(number), name.span)?;
            self.body.names.push((name.text.clone(), Local::Value(operand)));
        }
        self.effect(body)?;
        let end = Span { from: body.span.to, to: body.span.to };
        self.finish_thread(function, end, self.joins)?;
        Ok(function)
    }

    fn finish_thread(&mut self, function: u16, end: Span, tells: bool) -> Result<()> {
        if tells {
            self.emit(Op::End, end);
        }
        let unit = self.constant_operand(Value::Unit, end)?;
        self.emit(Op::Return { s: unit }, end);
        let fits = self.room(end);
        self.close_function(function, 0, 0, false);
        fits
    }

    /// What can be computed now.
    fn constant(&mut self, expr: &Expr) -> Result<Value> {
        let outer = std::mem::take(&mut self.body);
        let operand = self.value(expr);
        let code = std::mem::replace(&mut self.body, outer).code;
        match operand?.as_constant() {
            Some(index) if code.is_empty() => Ok(self.program.constants[index]),
            _ => Err(self.not_constant(expr, &code)),
        }
    }

    fn not_constant(&self, expr: &Expr, code: &[Op]) -> Box<Complaint> {
        if let [Op::Binary { operator, a, b, .. }] = code
            && let (Some(a), Some(b)) = (self.known(*a), self.known(*b))
            && let Err(why) = apply(*operator, a, b)
        {
            return Complaint::at(expr.span, why.to_string());
        }
        Complaint::at(expr.span, "this must be known before the program runs")
            .note("it can be made of numbers, parameters, constants, operators and `if`")
    }

    // Functions.

    fn reserve_function(&mut self, name: &str) -> Result<u16> {
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
    fn fill_function(
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

    fn room(&self, span: Span) -> Result<()> {
        if self.body.most > LAST_REGISTER { Err(too_large(span)) } else { Ok(()) }
    }

    fn close_function(&mut self, id: u16, parameters: u16, captured: u16, keeps_itself: bool) {
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

    fn function(
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

    fn emit(&mut self, op: Op, span: Span) -> usize {
        self.emit_at(op, span, Target::Nothing)
    }

    fn emit_at(&mut self, op: Op, span: Span, target: Target) -> usize {
        self.body.code.push(op);
        self.body.spans.push(span);
        self.body.targets.push(target);
        self.body.code.len() - 1
    }

    /// The first free register. Where there are no more, `room` says so in the end.
    fn fresh(&mut self) -> Register {
        let register = self.body.next.min(LAST_REGISTER);
        self.body.next = register + 1;
        self.body.most = self.body.most.max(self.body.next);
        register
    }

    fn constant_operand(&mut self, value: Value, span: Span) -> Result<Operand> {
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

    fn text(&mut self, text: &str, span: Span) -> Result<u16> {
        let known = self.program.texts.iter().position(|known| known == text);
        let number = known.unwrap_or_else(|| {
            self.program.texts.push(text.into());
            self.program.texts.len() - 1
        });
        u16::try_from(number).map_err(|_| too_large(span))
    }

    fn known(&self, operand: Operand) -> Option<Value> {
        operand.as_constant().map(|index| self.program.constants[index])
    }

    fn list(&mut self, operands: &[Operand]) -> List {
        let first = self.program.operands.len() as u32;
        self.program.operands.extend_from_slice(operands);
        List { first, count: operands.len() as u16 }
    }

    /// Jumps that were sent nowhere lead here.
    fn land(&mut self, jumps: &[usize]) {
        let here = self.body.code.len();
        for &at in jumps {
            match &mut self.body.code[at] {
                Op::Jump { to } | Op::JumpUnless { to, .. } | Op::JumpIf { to, .. } => *to = here as u32,
                other => unreachable!("{other:?} is no jump"),
            }
        }
        self.body.label = here;
    }

    fn here(&mut self) -> usize {
        self.body.label = self.body.code.len();
        self.body.code.len()
    }

    fn note_local(&mut self, name: &str, operand: Operand) {
        let from = self.body.code.len() as u32;
        self.body.locals.push(LocalName { name: name.into(), operand, from, to: u32::MAX });
    }

    fn forget_locals(&mut self, from: usize) {
        let here = self.body.code.len() as u32;
        self.body.locals[from..].iter_mut().filter(|local| local.to == u32::MAX).for_each(|local| local.to = here);
    }

    fn is_variable(&self, operand: Operand) -> bool {
        let is = |local: &Local| matches!(local, Local::Variable(r) if operand == Operand::register(*r));
        self.body.names.iter().any(|(_, local)| is(local))
    }

    // Expressions.

    /// For what it does; its value is dropped.
    fn effect(&mut self, expr: &Expr) -> Result<()> {
        let free = self.body.next;
        let done = self.value(expr).map(|_| ());
        self.body.next = free;
        done
    }

    /// The value of each, in order. One that is in a variable is copied if something later may write to that.
    fn values<const N: usize>(&mut self, exprs: [&Expr; N]) -> Result<[Operand; N]> {
        let list = self.value_list(&exprs)?;
        Ok(list.try_into().expect("as many"))
    }

    fn value_list(&mut self, exprs: &[&Expr]) -> Result<Vec<Operand>> {
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
    fn value(&mut self, expr: &Expr) -> Result<Operand> {
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
    fn keep(&mut self, s: Operand, d: Register, own: Register, span: Span) {
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

    fn name(&mut self, text: &str, span: Span) -> Result<Operand> {
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

    fn global(&self, text: &str) -> Global {
        let found = self.globals.iter().rev().find(|(name, _)| name == text);
        found.expect("types are checked: every name is declared").1
    }

    fn first_of(&mut self, array: u16, span: Span) -> Result<Operand> {
        let Array { is_mutex, first, .. } = self.program.arrays[array as usize];
        self.constant_operand(if is_mutex { Value::Mutex(first) } else { Value::Shared(first) }, span)
    }

    /// An element of an array. `escapes`: as a value, not only to be touched here.
    fn element(&mut self, array: &Name, index: &Expr, span: Span, escapes: bool) -> Result<(Operand, Target)> {
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
    fn place(&mut self, expr: &Expr) -> Result<(Operand, Target)> {
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
    fn place_before(&mut self, expr: &Expr, later: &[&Expr]) -> Result<(Operand, Target)> {
        let (operand, target) = self.place(expr)?;
        if self.is_variable(operand) && later.iter().any(|later| writes(later)) {
            let d = self.fresh();
            self.emit(Op::Move { d, s: operand }, expr.span);
            return Ok((Operand::register(d), target));
        }
        Ok((operand, target))
    }

    /// The register that a reference is, if it is one.
    fn variable(&self, place: &Expr) -> Option<Register> {
        let Kind::Name(text) = &place.kind else { return None };
        match self.body.names.iter().rev().find(|(name, _)| name == text)? {
            (_, Local::Variable(register)) => Some(*register),
            _ => None,
        }
    }

    fn local(&mut self, name: &Name, recursive: bool, value: &Expr, body: &Expr) -> Result<Operand> {
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

    fn conditional(&mut self, condition: &Expr, then: &Expr, otherwise: Option<&Expr>, span: Span) -> Result<Operand> {
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
    fn jump_unless(&mut self, condition: &Expr, jumps: &mut Vec<usize>) -> Result<Option<bool>> {
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

    fn counting_loop(&mut self, name: &Name, from: &Expr, to: &Expr, body: &Expr, span: Span) -> Result<()> {
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

fn too_large(span: Span) -> Box<Complaint> {
    Complaint::at(span, "the program is too large for this machine here")
}

/// A value of the command line, of the same type as the default.
fn parse_value(name: &str, text: &str, default: Value) -> Result<Value> {
    match default {
        Value::Bool(_) => match text {
            "true" | "1" | "" => Ok(Value::Bool(true)),
            "false" | "0" => Ok(Value::Bool(false)),
            _ => Err(Complaint::nowhere(format!("the parameter `{name}` is `true` or `false`, not `{text}`"))),
        },
        _ => text
            .parse()
            .map(Value::Int)
            .map_err(|_| Complaint::nowhere(format!("the parameter `{name}` is an integer, not `{text}`"))),
    }
}

/// Whether something in it may write to a variable of the function.
fn writes(expr: &Expr) -> bool {
    matches!(expr.kind, Kind::Write(..)) || expr.parts().into_iter().any(writes)
}

/// Whether a reference of this name is only read and written in the expression, by the function that it is in: then it
/// can be a register.
fn is_only_dereferenced(name: &str, expr: &Expr) -> bool {
    let is_it = |place: &Expr| matches!(&place.kind, Kind::Name(text) if text == name);
    match &expr.kind {
        Kind::Name(text) => text != name,
        Kind::Read(place) if is_it(place) => true,
        Kind::Write(place, value) if is_it(place) => is_only_dereferenced(name, value),
        Kind::Function { parameters, body } => {
            let mut bound: Vec<&str> = parameters.iter().map(|name| name.text.as_str()).collect();
            let mut free = Vec::new();
            free_names(body, &mut bound, &mut free);
            !free.contains(&name)
        }
        // A name that hides it.
        Kind::Let { name: other, recursive, value, .. } if other.text == name => {
            *recursive || is_only_dereferenced(name, value)
        }
        Kind::For { name: other, from, to, .. } if other.text == name => {
            is_only_dereferenced(name, from) && is_only_dereferenced(name, to)
        }
        _ => expr.parts().into_iter().all(|part| is_only_dereferenced(name, part)),
    }
}

/// The names in an expression that are bound neither in it nor by `bound`, each once.
fn free_names<'e>(expr: &'e Expr, bound: &mut Vec<&'e str>, free: &mut Vec<&'e str>) {
    match &expr.kind {
        Kind::Name(text) => {
            if !bound.contains(&text.as_str()) && !free.contains(&text.as_str()) {
                free.push(text);
            }
        }
        Kind::Let { name, recursive, value, body } => {
            bound.push(&name.text);
            if *recursive {
                free_names(value, bound, free);
            }
            free_names(body, bound, free);
            bound.pop();
            if !recursive {
                free_names(value, bound, free);
            }
        }
        Kind::Function { parameters, body } => {
            bound.extend(parameters.iter().map(|name| name.text.as_str()));
            free_names(body, bound, free);
            bound.truncate(bound.len() - parameters.len());
        }
        Kind::For { name, from, to, body } => {
            free_names(from, bound, free);
            free_names(to, bound, free);
            bound.push(&name.text);
            free_names(body, bound, free);
            bound.pop();
        }
        _ => expr.parts().into_iter().for_each(|part| free_names(part, bound, free)),
    }
}
