//! Programs as they were written.

use super::source::{Complaint, Result, Span};
use threadbare_core::Role;

#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// All declarations of a file, each kind in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub declarations: Vec<Declaration>,
}

#[derive(Clone, Debug)]
pub enum Declaration {
    /// `param N = 2`: a constant that the command line may set.
    Param { name: Name, value: Expr },
    /// `let SIZE = 2 * N`, `let f(x) = …`
    Let { name: Name, recursive: bool, value: Expr },
    /// `shared x = 0`, `shared table[8] = 0`
    Shared { name: Name, size: Option<Expr>, value: Expr },
    /// `mutex m`, `mutex forks[N]`
    Mutex { name: Name, size: Option<Expr> },
    /// `thread t { … }`, `thread worker[i in 0..N] { … }`
    Thread { name: Name, index: Option<(Name, Expr, Expr)>, body: Expr },
    /// `finally { … }`: runs when all threads have ended.
    Finally { keyword: Span, body: Expr },
    /// A function that is to hold in every state, or is looked at there: the command line says so.
    Invariant { name: Name, role: Role },
}

impl Module {
    /// Makes an invariant or a proposition of a function.
    pub fn watch(&mut self, invariant: &str, role: Role) -> Result<()> {
        let found = self.declarations.iter().find_map(|declaration| match declaration {
            Declaration::Let { name, .. } if name.text == invariant => Some(name.clone()),
            _ => None,
        });
        let Some(name) = found else {
            let message = format!("the program has no function `{invariant}` that could be {}", role.with_article());
            return Err(Complaint::nowhere(message).note(format!("`let {invariant}() = …` says what is to hold")));
        };
        self.declarations.push(Declaration::Invariant { name, role });
        Ok(())
    }
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub span: Span,
    pub kind: Kind,
    /// How many expressions lie inside each other here.
    pub depth: u16,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    Plus,
    Minus,
    Times,
    Divide,
    Remainder,
    Equal,
    Differ,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    Not,
    Negate,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Unit,
    Int(i64),
    Bool(bool),
    Name(String),
    /// A cell of a shared array, or a mutex of an array of mutexes.
    Index {
        array: Name,
        index: Box<Expr>,
    },
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Sequence(Vec<Expr>),
    Let {
        name: Name,
        recursive: bool,
        value: Box<Expr>,
        body: Box<Expr>,
    },
    Function {
        parameters: Vec<Name>,
        body: Box<Expr>,
    },
    Call {
        callee: Box<Expr>,
        arguments: Vec<Expr>,
    },
    If {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Option<Box<Expr>>,
    },
    While {
        condition: Box<Expr>,
        body: Box<Expr>,
    },
    For {
        name: Name,
        from: Box<Expr>,
        to: Box<Expr>,
        body: Box<Expr>,
    },
    Ref(Box<Expr>),
    Read(Box<Expr>),
    Write(Box<Expr>, Box<Expr>),
    CompareAndSwap {
        place: Box<Expr>,
        old: Box<Expr>,
        new: Box<Expr>,
    },
    Lock(Box<Expr>),
    Unlock(Box<Expr>),
    Choose(Box<Expr>, Box<Expr>),
    Assert(Box<Expr>),
    Assume(Box<Expr>),
    Error(Option<String>),
}

impl Expr {
    pub fn name(name: &Name) -> Expr {
        Expr { span: name.span, kind: Kind::Name(name.text.clone()), depth: 1 }
    }

    /// The expressions that it is made of, from left to right.
    pub fn parts(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::Unit | Kind::Int(_) | Kind::Bool(_) | Kind::Name(_) | Kind::Error(_) => Vec::new(),
            Kind::Index { index: e, .. }
            | Kind::Unary(_, e)
            | Kind::Function { body: e, .. }
            | Kind::Ref(e)
            | Kind::Read(e)
            | Kind::Lock(e)
            | Kind::Unlock(e)
            | Kind::Assert(e)
            | Kind::Assume(e) => vec![e],
            Kind::Binary(_, a, b)
            | Kind::And(a, b)
            | Kind::Or(a, b)
            | Kind::Write(a, b)
            | Kind::Choose(a, b)
            | Kind::Let { value: a, body: b, .. }
            | Kind::While { condition: a, body: b } => vec![a, b],
            Kind::Sequence(list) => list.iter().collect(),
            Kind::Call { callee, arguments } => std::iter::once(&**callee).chain(arguments).collect(),
            Kind::If { condition, then, otherwise } => {
                [&**condition, then].into_iter().chain(otherwise.as_deref()).collect()
            }
            Kind::For { from, to, body, .. } => vec![from, to, body],
            Kind::CompareAndSwap { place, old, new } => vec![place, old, new],
        }
    }
}
