//! Formulas as they are written.

use std::fmt;

use threadbare_core::source::Span;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    Not,
    Next,
    Finally,
    Globally,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    And,
    Or,
    Implies,
    Iff,
    Until,
    Release,
    WeakUntil,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    pub span: Span,
    pub kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    Constant(bool),
    /// By its number in `Specification::propositions`.
    Proposition(u8),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// How a proposition is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `{count <= 1}`: an expression of the program's own language.
    Braces,
    /// `excl()`, `t1@critical`, `t2.blocked`, `deadlock`.
    Word,
}

/// What is true or false in a state. Two with the same words are one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposition {
    /// Without its braces, each run of blanks a single one.
    pub text: String,
    pub form: Form,
    /// Where it stands first, without its braces.
    pub span: Span,
}

impl fmt::Display for Proposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.form {
            Form::Braces => write!(f, "{{{}}}", self.text),
            Form::Word => f.write_str(&self.text),
        }
    }
}

/// A formula and the propositions that it is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specification {
    pub formula: Expr,
    pub propositions: Vec<Proposition>,
}

/// One of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    pub name: String,
    pub name_span: Span,
    pub specification: Specification,
}

impl Expr {
    /// A tree that stands in no text.
    pub fn new(kind: Kind) -> Expr {
        Expr { span: Span::default(), kind }
    }

    pub fn unary(op: Unary, a: Expr) -> Expr {
        Expr::new(Kind::Unary(op, Box::new(a)))
    }

    pub fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
        Expr::new(Kind::Binary(op, Box::new(a), Box::new(b)))
    }

    /// How many operators, constants and propositions it has.
    pub fn size(&self) -> usize {
        1 + match &self.kind {
            Kind::Constant(_) | Kind::Proposition(_) => 0,
            Kind::Unary(_, a) => a.size(),
            Kind::Binary(_, a, b) => a.size() + b.size(),
        }
    }

    /// Whether the formula cannot tell a word from one in which a letter is repeated, as far as its operators say: it has
    /// no `X`.
    pub fn is_stutter_invariant(&self) -> bool {
        match &self.kind {
            Kind::Constant(_) | Kind::Proposition(_) => true,
            Kind::Unary(op, a) => *op != Unary::Next && a.is_stutter_invariant(),
            Kind::Binary(_, a, b) => a.is_stutter_invariant() && b.is_stutter_invariant(),
        }
    }

    /// The formula as text, with as few parentheses as can be.
    pub fn display<'e>(&'e self, propositions: &'e [Proposition]) -> impl fmt::Display + 'e {
        Shown { expr: self, propositions }
    }
}

impl Unary {
    pub fn symbol(self) -> &'static str {
        match self {
            Unary::Not => "!",
            Unary::Next => "X",
            Unary::Finally => "F",
            Unary::Globally => "G",
        }
    }
}

impl Binary {
    pub fn symbol(self) -> &'static str {
        match self {
            Binary::And => "&&",
            Binary::Or => "||",
            Binary::Implies => "->",
            Binary::Iff => "<->",
            Binary::Until => "U",
            Binary::Release => "R",
            Binary::WeakUntil => "W",
        }
    }

    /// The higher, the tighter it binds.
    pub fn level(self) -> u8 {
        match self {
            Binary::Iff => 0,
            Binary::Implies => 1,
            Binary::Or => 2,
            Binary::And => 3,
            Binary::Until | Binary::Release | Binary::WeakUntil => 4,
        }
    }

    /// `a -> b -> c` is `a -> (b -> c)`.
    pub fn is_right_associative(self) -> bool {
        matches!(self, Binary::Implies | Binary::Until | Binary::Release | Binary::WeakUntil)
    }
}

/// Binds tighter than every binary operator.
const TIGHTEST: u8 = 5;

struct Shown<'e> {
    expr: &'e Expr,
    propositions: &'e [Proposition],
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(f, self.expr, 0)
    }
}

impl Shown<'_> {
    /// In parentheses, if it binds looser than `level`.
    fn show(&self, f: &mut fmt::Formatter<'_>, expr: &Expr, level: u8) -> fmt::Result {
        match &expr.kind {
            Kind::Constant(value) => write!(f, "{value}"),
            Kind::Proposition(p) => match self.propositions.get(usize::from(*p)) {
                Some(proposition) => write!(f, "{proposition}"),
                None => write!(f, "p{p}"),
            },
            Kind::Unary(op, a) => {
                let gap = if *op == Unary::Not { "" } else { " " };
                write!(f, "{}{gap}", op.symbol())?;
                self.show(f, a, TIGHTEST)
            }
            Kind::Binary(op, a, b) => {
                let own = op.level();
                // Operators of one level that are not the same are told apart.
                let same = |side: &Expr| matches!(&side.kind, Kind::Binary(other, ..) if other == op);
                let (right, wants) = (op.is_right_associative(), |keeps: bool| if keeps { own } else { own + 1 });
                if own < level {
                    f.write_str("(")?;
                }
                self.show(f, a, wants(!right && same(a)))?;
                write!(f, " {} ", op.symbol())?;
                self.show(f, b, wants(right && same(b)))?;
                if own < level { f.write_str(")") } else { Ok(()) }
            }
        }
    }
}
