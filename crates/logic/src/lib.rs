//! Temporal logic: what must never happen, and what must eventually.
//!
//! `parser` makes a tree of a text, and has the grammar. `semantics` says what such a tree means on an
//! infinite word that repeats itself, as simply as can be: the oracle of everything else here. `ltl` brings a formula
//! into negation normal form and simplifies it, `alternating` and `translate` make a generalised Büchi automaton of it that
//! accepts exactly the words on which it holds, `reduce` makes that small, and `degeneralise` leaves one acceptance set.
//!
//! Propositions are opaque here: a text with its place. What it means in a state is known to who has the states.

mod alternating;
mod automaton;
mod degeneralise;
mod lexer;
mod ltl;
mod parser;
mod reduce;
pub mod semantics;
mod syntax;
mod translate;

pub use automaton::{Automaton, Cube, Edge, StateId};
pub use degeneralise::degeneralise;
pub use ltl::{Formula, Formulas, Node};
pub use parser::{parse, parse_file};
pub use semantics::{Lasso, holds};
pub use syntax::{Binary, Expr, Form, Kind, Named, Proposition, Specification, Unary};
pub use translate::{automaton_of, automaton_of_negation};
