//! The static types: Hindley and Milner's inference with levels (Rémy, 1992), over integers, booleans, unit, mutexes,
//! references and functions of several arguments. A program that passes has no name that is not declared and no value
//! of the wrong type; what is left for the machine are divisions by zero, overflows and indices.
//!
//! A shared variable is a reference like those that `ref` makes, so that a function can be given either. Only
//! integers and booleans are shared: nothing of one thread's own can leak to another.

mod unify;

use super::ast::{Binary, Declaration, Expr, Kind, Module, Name, Unary};
use super::source::{Complaint, Result, Source, Span};

type Id = usize;

#[derive(Clone, Debug)]
enum Type {
    Int,
    Bool,
    Unit,
    Mutex,
    Ref(Id),
    Function(Vec<Id>, Id),
    /// Not known yet. `compared`: it must turn out to be an integer or a boolean.
    Unknown {
        level: u32,
        compared: bool,
    },
    /// The same as another.
    Same(Id),
}

#[derive(Clone)]
enum Meaning {
    /// Every use has types of its own for what was unknown at a deeper level.
    Value {
        ty: Id,
        generic: bool,
    },
    SharedArray(Id),
    MutexArray,
}

struct Checker<'s> {
    source: &'s Source,
    types: Vec<Type>,
    level: u32,
    /// Innermost last; the declarations of the program are the first.
    names: Vec<(String, Meaning, Span)>,
    /// All declarations, for better words about those that come later; threads have no value.
    declared: Vec<(Name, bool)>,
}

const INT: Id = 0;
const BOOL: Id = 1;
const UNIT: Id = 2;
const MUTEX: Id = 3;

pub fn check(source: &Source, module: &Module) -> Result<()> {
    let mut checker = Checker {
        source,
        types: vec![Type::Int, Type::Bool, Type::Unit, Type::Mutex],
        level: 0,
        names: Vec::new(),
        declared: module.declarations.iter().filter_map(name_of).collect(),
    };
    for (number, (name, _)) in checker.declared.iter().enumerate() {
        if let Some((first, _)) = checker.declared[..number].iter().find(|(first, _)| first.text == name.text) {
            let line = source.at(first.span).line;
            return Err(Complaint::at(name.span, format!("`{}` is declared twice", name.text))
                .note(format!("it was declared first in line {line}")));
        }
    }
    module.declarations.iter().try_for_each(|declaration| checker.declaration(declaration))
}

/// What a declaration declares, and whether that is a thread.
fn name_of(declaration: &Declaration) -> Option<(Name, bool)> {
    match declaration {
        Declaration::Param { name, .. }
        | Declaration::Let { name, .. }
        | Declaration::Shared { name, .. }
        | Declaration::Mutex { name, .. } => Some((name.clone(), false)),
        Declaration::Thread { name, .. } => Some((name.clone(), true)),
        Declaration::Finally { .. } | Declaration::Invariant { .. } => None,
    }
}

impl Checker<'_> {
    // Names.

    fn lookup(&self, text: &str, span: Span) -> Result<&Meaning> {
        if let Some((_, meaning, _)) = self.names.iter().rev().find(|(name, ..)| name == text) {
            return Ok(meaning);
        }
        let complaint = Complaint::at(span, format!("there is no `{text}` here"));
        if let Some((declared, is_thread)) = self.declared.iter().find(|(name, _)| name.text == text) {
            let line = self.source.at(declared.span).line;
            return Err(complaint.note(match declared.span.from > span.from {
                _ if *is_thread => format!("the thread `{text}` of line {line} is no value"),
                true => format!("it is declared further down, in line {line}"),
                false => format!("a function that calls itself begins with `let rec {text}`"),
            }));
        }
        let known = self.names.iter().map(|(name, ..)| name.as_str());
        let near = known.map(|name| (distance(name, text), name)).min();
        Err(match near {
            Some((edits, name)) if edits <= 1 + text.len() / 4 => complaint.note(format!("did you mean `{name}`?")),
            _ => complaint,
        })
    }

    fn with<T>(&mut self, name: &Name, meaning: Meaning, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.names.push((name.text.clone(), meaning, name.span));
        let result = inside(self);
        self.names.pop();
        result
    }

    fn define(&mut self, name: &Name, meaning: Meaning) {
        self.names.push((name.text.clone(), meaning, name.span));
    }

    // Declarations.

    fn declaration(&mut self, declaration: &Declaration) -> Result<()> {
        match declaration {
            Declaration::Param { name, value } => {
                let ty = self.plain(value, "a parameter")?;
                self.define(name, Meaning::Value { ty, generic: false });
            }
            Declaration::Let { name, recursive, value } => {
                let meaning = self.definition(name, *recursive, value)?;
                self.define(name, meaning);
            }
            Declaration::Shared { name, size, value } => {
                let inner = self.plain(value, "a shared variable")?;
                let ty = self.new_type(Type::Ref(inner));
                let meaning = match size {
                    Some(size) => {
                        self.expect(size, INT, "the size of an array")?;
                        Meaning::SharedArray(ty)
                    }
                    None => Meaning::Value { ty, generic: false },
                };
                self.define(name, meaning);
            }
            Declaration::Mutex { name, size } => {
                let meaning = match size {
                    Some(size) => {
                        self.expect(size, INT, "the size of an array")?;
                        Meaning::MutexArray
                    }
                    None => Meaning::Value { ty: MUTEX, generic: false },
                };
                self.define(name, meaning);
            }
            Declaration::Thread { index: None, body, .. } | Declaration::Finally { body, .. } => {
                self.expression(body)?;
            }
            Declaration::Thread { index: Some((index, from, to)), body, .. } => {
                self.expect(from, INT, "the number of a thread")?;
                self.expect(to, INT, "the number of a thread")?;
                self.with(index, Meaning::Value { ty: INT, generic: false }, |checker| checker.expression(body))?;
            }
            Declaration::Invariant { name, role } => {
                let found = self.expression(&Expr::name(name))?;
                let needed = self.new_type(Type::Function(Vec::new(), BOOL));
                if !self.unify(found, needed) {
                    return Err(self.mismatch(name.span, found, needed, role.with_article()));
                }
            }
        }
        Ok(())
    }

    /// The type of what may be a parameter or shared: an integer or a boolean.
    fn plain(&mut self, value: &Expr, what: &str) -> Result<Id> {
        let ty = self.expression(value)?;
        match self.get(ty) {
            Type::Int | Type::Bool => Ok(ty),
            _ => {
                let message = format!("{what} is an integer or a boolean, not of the type `{}`", self.show(ty));
                Err(Complaint::at(value.span, message))
            }
        }
    }

    fn definition(&mut self, name: &Name, recursive: bool, value: &Expr) -> Result<Meaning> {
        let generic = matches!(value.kind, Kind::Function { .. });
        self.level += 1;
        let ty = if recursive {
            let own = self.unknown();
            let found = self.with(name, Meaning::Value { ty: own, generic: false }, |c| c.expression(value));
            let found = found?;
            if !self.unify(own, found) {
                return Err(self.mismatch(name.span, found, own, "this function"));
            }
            found
        } else {
            self.expression(value)?
        };
        self.level -= 1;
        if !generic {
            // What is not known yet becomes known once, for all uses.
            let level = self.level;
            self.admit(Id::MAX, ty, level);
        }
        Ok(Meaning::Value { ty, generic })
    }

    // Expressions.

    fn expect(&mut self, expr: &Expr, needed: Id, what: &str) -> Result<()> {
        let found = self.expression(expr)?;
        match self.unify(found, needed) {
            true => Ok(()),
            false => Err(self.mismatch(expr.span, found, needed, what)),
        }
    }

    /// The type of what a place holds.
    fn place(&mut self, place: &Expr, inner: Id, what: &str) -> Result<()> {
        let needed = self.new_type(Type::Ref(inner));
        self.expect(place, needed, what)
    }

    /// An expression whose value nobody wants.
    fn dropped(&mut self, expr: &Expr) -> Result<()> {
        let ty = self.expression(expr)?;
        let words = self.source.one_line(expr.span);
        match self.get(ty) {
            Type::Function(..) => Err(Complaint::at(expr.span, "a function that is not called does nothing")
                .note(format!("`{words}(…)` calls it"))),
            Type::Ref(_) => Err(Complaint::at(expr.span, "a reference by itself does nothing")
                .note(format!("`!{words}` reads it, `{words} := …` writes it"))),
            Type::Mutex => Err(Complaint::at(expr.span, "a mutex by itself does nothing")
                .note(format!("`lock {words}` takes it, `unlock {words}` gives it back"))),
            _ => Ok(()),
        }
    }

    fn expression(&mut self, expr: &Expr) -> Result<Id> {
        Ok(match &expr.kind {
            Kind::Unit => UNIT,
            Kind::Int(_) => INT,
            Kind::Bool(_) => BOOL,
            Kind::Name(text) => match self.lookup(text, expr.span)?.clone() {
                Meaning::Value { ty, generic: true } => self.instance(ty, &mut Vec::new()),
                Meaning::Value { ty, generic: false } => ty,
                Meaning::SharedArray(_) | Meaning::MutexArray => {
                    return Err(Complaint::at(expr.span, format!("`{text}` is an array"))
                        .note(format!("`{text}[i]` is one of its cells")));
                }
            },
            Kind::Index { array, index } => {
                let cell = match self.lookup(&array.text, array.span)?.clone() {
                    Meaning::SharedArray(ty) => ty,
                    Meaning::MutexArray => MUTEX,
                    Meaning::Value { ty, .. } => {
                        let ty = self.show(ty);
                        let message = format!("`{}` is no array, but of the type `{ty}`", array.text);
                        return Err(Complaint::at(array.span, message));
                    }
                };
                self.expect(index, INT, "an index")?;
                cell
            }
            Kind::Unary(Unary::Not, operand) => {
                self.expect(operand, BOOL, "the operand of `not`")?;
                BOOL
            }
            Kind::Unary(Unary::Negate, operand) => {
                self.expect(operand, INT, "the operand of `-`")?;
                INT
            }
            Kind::Binary(Binary::Equal | Binary::Differ, left, right) => {
                let ty = self.comparable();
                self.expect(left, ty, "what is compared")?;
                self.expect(right, ty, "what is compared")?;
                BOOL
            }
            Kind::Binary(operator, left, right) => {
                use Binary::*;
                self.expect(left, INT, "this operand")?;
                self.expect(right, INT, "this operand")?;
                if matches!(operator, Less | AtMost | Greater | AtLeast) { BOOL } else { INT }
            }
            Kind::And(left, right) | Kind::Or(left, right) => {
                self.expect(left, BOOL, "this operand")?;
                self.expect(right, BOOL, "this operand")?;
                BOOL
            }
            Kind::Sequence(list) => {
                let (last, rest) = list.split_last().expect("a sequence has parts");
                rest.iter().try_for_each(|part| self.dropped(part))?;
                self.expression(last)?
            }
            Kind::Let { name, recursive, value, body } => {
                let meaning = self.definition(name, *recursive, value)?;
                self.with(name, meaning, |checker| checker.expression(body))?
            }
            Kind::Function { parameters, body } => {
                let types: Vec<Id> = parameters.iter().map(|_| self.unknown()).collect();
                for (name, &ty) in parameters.iter().zip(&types) {
                    self.define(name, Meaning::Value { ty, generic: false });
                }
                let result = self.expression(body);
                self.names.truncate(self.names.len() - parameters.len());
                let result = result?;
                self.new_type(Type::Function(types, result))
            }
            Kind::Call { callee, arguments } => self.call(callee, arguments)?,
            Kind::If { condition, then, otherwise } => {
                self.expect(condition, BOOL, "a condition")?;
                match otherwise {
                    Some(otherwise) => {
                        let ty = self.expression(then)?;
                        self.expect(otherwise, ty, "what stands behind `else`")?;
                        ty
                    }
                    None => {
                        self.dropped(then)?;
                        UNIT
                    }
                }
            }
            Kind::While { condition, body } => {
                self.expect(condition, BOOL, "a condition")?;
                self.dropped(body)?;
                UNIT
            }
            Kind::For { name, from, to, body } => {
                self.expect(from, INT, "the first number of a loop")?;
                self.expect(to, INT, "the end of a loop")?;
                self.with(name, Meaning::Value { ty: INT, generic: false }, |checker| checker.dropped(body))?;
                UNIT
            }
            Kind::Ref(value) => {
                let inner = self.expression(value)?;
                self.new_type(Type::Ref(inner))
            }
            Kind::Read(place) => {
                let inner = self.unknown();
                self.place(place, inner, "what `!` reads")?;
                inner
            }
            Kind::Write(place, value) => {
                let inner = self.unknown();
                self.place(place, inner, "what `:=` writes to")?;
                self.expect(value, inner, "the value that is written")?;
                UNIT
            }
            Kind::CompareAndSwap { place, old, new } => {
                let inner = self.comparable();
                self.place(place, inner, "what `cas` changes")?;
                self.expect(old, inner, "the old value")?;
                self.expect(new, inner, "the new value")?;
                BOOL
            }
            Kind::Lock(mutex) | Kind::Unlock(mutex) => {
                let what = if matches!(expr.kind, Kind::Lock(_)) { "what is locked" } else { "what is unlocked" };
                self.expect(mutex, MUTEX, what)?;
                UNIT
            }
            Kind::Choose(low, high) => {
                self.expect(low, INT, "the least choice")?;
                self.expect(high, INT, "the greatest choice")?;
                INT
            }
            Kind::Assert(condition) => {
                self.expect(condition, BOOL, "what is asserted")?;
                UNIT
            }
            Kind::Assume(condition) => {
                self.expect(condition, BOOL, "what is assumed")?;
                UNIT
            }
            // It has no value: any will do.
            Kind::Error(_) => self.unknown(),
        })
    }

    fn call(&mut self, callee: &Expr, arguments: &[Expr]) -> Result<Id> {
        let ty = self.expression(callee)?;
        let parameters = match self.get(ty).clone() {
            Type::Function(parameters, _) if parameters.len() == arguments.len() => parameters,
            Type::Function(parameters, _) => {
                let count = |n: usize| if n == 1 { "1 argument".to_string() } else { format!("{n} arguments") };
                let span = callee.span.to(arguments.last().map_or(callee.span, |last| last.span));
                let (takes, given) = (count(parameters.len()), arguments.len());
                let name = self.source.one_line(callee.span);
                return Err(Complaint::at(span, format!("`{name}` takes {takes}, not {given}")));
            }
            Type::Unknown { .. } => arguments.iter().map(|_| self.unknown()).collect(),
            _ => {
                let message = format!("only a function can be called; this has the type `{}`", self.show(ty));
                return Err(Complaint::at(callee.span, message));
            }
        };
        for (argument, parameter) in arguments.iter().zip(&parameters) {
            self.expect(argument, *parameter, "this argument")?;
        }
        let result = self.unknown();
        let needed = self.new_type(Type::Function(parameters, result));
        if !self.unify(ty, needed) {
            return Err(self.mismatch(callee.span, ty, needed, "what is called"));
        }
        Ok(result)
    }
}

/// How many letters must be changed, put in or left out to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
