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

/// Which of the paths that begin in a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    All,
    Some,
}

/// How events of a recorded execution stand to each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// `p < q`
    Before,
    /// `p || q`
    Parallel,
    /// `p ~> q`
    Directly,
    /// `may(p ~> q)`
    MayDirectly,
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
    /// `E` and `A` of CTL: only the language of recorded executions has them, and LTL is never given one.
    Path(Quantifier, Box<Expr>),
    /// The same holds for these.
    Relation(Relation, Box<Expr>, Box<Expr>),
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

/// One about recorded executions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    pub name: Option<String>,
    pub specification: Specification,
}

impl Expr {
    /// Whether it counts steps: `X`. What does not cannot tell how often a state is repeated.
    pub fn counts_steps(&self) -> bool {
        match &self.kind {
            Kind::Constant(_) | Kind::Proposition(_) => false,
            Kind::Unary(op, a) => *op == Unary::Next || a.counts_steps(),
            Kind::Path(_, a) => a.counts_steps(),
            Kind::Binary(_, a, b) | Kind::Relation(_, a, b) => a.counts_steps() || b.counts_steps(),
        }
    }

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
            Kind::Unary(_, a) | Kind::Path(_, a) => a.size(),
            Kind::Binary(_, a, b) | Kind::Relation(_, a, b) => a.size() + b.size(),
        }
    }

    /// The formulas that it is made of.
    pub fn parts(&self) -> impl Iterator<Item = &Expr> {
        let (a, b) = match &self.kind {
            Kind::Constant(_) | Kind::Proposition(_) => (None, None),
            Kind::Unary(_, a) | Kind::Path(_, a) => (Some(a), None),
            Kind::Binary(_, a, b) | Kind::Relation(_, a, b) => (Some(a), Some(b)),
        };
        a.into_iter().chain(b).map(|part| &**part)
    }

    /// Whether some formula in it, or the whole, is so.
    pub fn any(&self, test: &impl Fn(&Kind) -> bool) -> bool {
        test(&self.kind) || self.parts().any(|part| part.any(test))
    }

    /// Whether it is a formula of LTL: about one path.
    pub fn is_linear(&self) -> bool {
        !self.any(&|kind| matches!(kind, Kind::Path(..) | Kind::Relation(..)))
    }

    /// Whether it says what all executions are like, and not what some can do: if it does not hold on some of the executions, it does
    /// not hold on all of them either.
    pub fn is_universal(&self) -> bool {
        self.speaks_only_of(Quantifier::All)
    }

    fn speaks_only_of(&self, which: Quantifier) -> bool {
        let other = if which == Quantifier::All { Quantifier::Some } else { Quantifier::All };
        match &self.kind {
            Kind::Constant(_) | Kind::Proposition(_) => true,
            Kind::Unary(Unary::Not, a) => a.speaks_only_of(other),
            Kind::Unary(_, a) => a.speaks_only_of(which),
            Kind::Binary(Binary::Implies, a, b) => a.speaks_only_of(other) && b.speaks_only_of(which),
            Kind::Binary(Binary::Iff, ..) => self.parts().all(|a| a.speaks_only_of(which) && a.speaks_only_of(other)),
            Kind::Binary(..) => self.parts().all(|a| a.speaks_only_of(which)),
            Kind::Path(quantifier, a) => *quantifier == which && a.speaks_only_of(which),
            Kind::Relation(Relation::Before | Relation::Directly, ..) => which == Quantifier::All,
            Kind::Relation(Relation::Parallel | Relation::MayDirectly, ..) => which == Quantifier::Some,
        }
    }

    /// Whether it only speaks of the first state.
    pub fn is_boolean(&self) -> bool {
        let temporal = |kind: &Kind| match kind {
            Kind::Unary(op, _) => *op != Unary::Not,
            Kind::Binary(op, ..) => op.is_temporal(),
            _ => false,
        };
        self.is_linear() && !self.any(&temporal)
    }

    /// Whether the formula cannot tell a word from one in which a letter is repeated, as far as its operators say: it has
    /// no `X`.
    pub fn is_stutter_invariant(&self) -> bool {
        !self.any(&|kind| matches!(kind, Kind::Unary(Unary::Next, _) | Kind::Relation(..)))
    }

    /// The formula as text, with as few parentheses as can be. `{:#}` is the form of formulas about recorded executions, where
    /// `||` means something else than `|`.
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

    /// Whether it speaks of more than one state.
    pub fn is_temporal(self) -> bool {
        matches!(self, Binary::Until | Binary::Release | Binary::WeakUntil)
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

impl Quantifier {
    pub fn symbol(self) -> &'static str {
        match self {
            Quantifier::All => "A",
            Quantifier::Some => "E",
        }
    }
}

impl Relation {
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Before => "<",
            Relation::Parallel => "||",
            Relation::Directly | Relation::MayDirectly => "~>",
        }
    }
}

/// Of relations: they bind tighter than every operator of logic that has two sides.
pub(crate) const RELATIONS: u8 = 5;
/// Binds tighter than everything with two sides.
const TIGHTEST: u8 = 6;

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
            Kind::Path(quantifier, a) => match &a.kind {
                // The operators of CTL are one word: `EX p`.
                Kind::Unary(op, inner) if *op != Unary::Not => {
                    write!(f, "{}{} ", quantifier.symbol(), op.symbol())?;
                    self.show(f, inner, TIGHTEST)
                }
                _ => {
                    write!(f, "{}[", quantifier.symbol())?;
                    self.show(f, a, 0)?;
                    f.write_str("]")
                }
            },
            Kind::Relation(relation, a, b) => {
                let (open, close) = match relation {
                    Relation::MayDirectly => ("may(", ")"),
                    _ if RELATIONS < level => ("(", ")"),
                    _ => ("", ""),
                };
                f.write_str(open)?;
                self.show(f, a, TIGHTEST)?;
                write!(f, " {} ", relation.symbol())?;
                self.show(f, b, TIGHTEST)?;
                f.write_str(close)
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
                let symbol = match op {
                    Binary::And if f.alternate() => "&",
                    Binary::Or if f.alternate() => "|",
                    _ => op.symbol(),
                };
                write!(f, " {symbol} ")?;
                self.show(f, b, wants(right && same(b)))?;
                if own < level { f.write_str(")") } else { Ok(()) }
            }
        }
    }
}
