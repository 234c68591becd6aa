//! From what was written to what is executed.
//!
//! Names become registers, shared variables become numbers. The body of a thread that is declared several times is
//! compiled for each of them, so that its number is a constant, and `forks[(i + 1) % N]` a fork that is known. A
//! reference that is only read and written by the function that made it is a register; others live in the heap of
//! their thread. What is constant is computed here.

mod expression;
mod function;
mod names;

use std::collections::HashMap;

use super::ast::{Declaration, Expr, Kind, Module, Name};
use super::bytecode::{Array, LocalName, Op, Operand, Register, Target, TbProgram, ThreadStart, Value};
use super::invariants::Invariant;
use super::source::{Complaint, Result, Source, Span};
use super::values::apply;
use super::{invariants, liveness, reach, waiting};
use threadbare_core::Role;

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
            invariants: Vec::new(),
            watched: Vec::new(),
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
        return Err(no_threads(module));
    }
    let mut program = compiler.program;
    for function in &mut program.functions {
        function.live = liveness::live(function, &program.operands);
    }
    waiting::find_waiting(&mut program);
    reach::find_reachable(&mut program);
    invariants::find_watched(&mut program);
    Ok(program)
}

/// Where threads are declared, they are numbered, and the numbers are none.
fn no_threads(module: &Module) -> Box<Complaint> {
    let empty = module.declarations.iter().find_map(|declaration| match declaration {
        Declaration::Thread { index: Some((_, from, to)), .. } => Some(Span { from: from.span.from, to: to.span.to }),
        _ => None,
    });
    match empty {
        Some(range) => Complaint::at(range, "the program has no threads: this range is empty")
            .note("`0..N` has the numbers from 0 to N - 1; `-D N=2` gives a parameter another value"),
        None => Complaint::nowhere("the program has no threads").note("`thread t { … }` declares one"),
    }
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
            Declaration::Invariant { name, role } => self.invariant(name, *role)?,
        }
        Ok(())
    }

    /// A function that calls the invariant, which cannot be called by others.
    fn invariant(&mut self, name: &Name, role: Role) -> Result<()> {
        let caller = self.reserve_function(&name.text)?;
        let callee = Expr::name(name);
        let known = self.value(&callee)?.as_constant().map(|index| self.program.constants[index]);
        let Some(Value::Code(function)) = known else { unreachable!("a function of the program is a constant") };
        let call = Kind::Call { callee: Box::new(callee), arguments: Vec::new() };
        let s = self.value(&Expr { span: name.span, kind: call, depth: 2 })?;
        self.emit(Op::End, name.span);
        self.emit(Op::Return { s }, name.span);
        self.close_function(caller, 0, 0, false);
        self.program.invariants.push(Invariant { name: name.text.clone(), caller, function: function as u16, role });
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
