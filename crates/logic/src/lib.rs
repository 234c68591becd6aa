//! Temporal logic: what must never happen, and what must eventually.
//!
//! `parser` makes a tree of a text, and has the grammar. `semantics` says what such a tree means on an
//! infinite word that repeats itself, as simply as can be: the oracle of everything else here. `ltl` brings a formula
//! into negation normal form and simplifies it, `alternating` and `translate` make a generalised Büchi automaton of it that
//! accepts exactly the words on which it holds, `reduce` makes that small, and `degeneralise` leaves one acceptance set.
//!
//! `product` goes through a graph and an automaton at once, `emptiness` looks there for a run that the automaton of the
//! negation accepts, and `program` has the states of a machine as such a graph, with the fairness of its threads. `ample`
//! says which steps can be left out there.
//!
//! `ctl` is the logic of branching time, on graphs that are there as a whole.
//!
//! `hoa` and `dot` write automata for other tools and for people.
//!
//! Propositions are opaque here: a text with its place. What it means in a state is known to who has the states.

mod alternating;
mod ample;
mod automaton;
pub mod ctl;
mod degeneralise;
mod dot;
mod emptiness;
mod hoa;
mod lexer;
mod ltl;
pub mod name;
mod parser;
mod product;
mod program;
mod reduce;
pub mod semantics;
mod syntax;
mod translate;

pub use ample::Eyes;
pub use automaton::{Automaton, Cube, Edge, StateId};
pub use degeneralise::degeneralise;
pub use dot::dot;
pub use emptiness::{Run, Step, find_near_run, find_run};
pub use hoa::hoa;
pub use ltl::{Formula, Formulas, Node};
pub use parser::{parse, parse_file, parse_sequence_file};
pub use product::{Labelled, MARKS_OF_GRAPH, Product};
pub use program::{Fairness, Programs, Seen, Taken, identity};
pub use semantics::{Lasso, holds};
pub use syntax::{Binary, Expr, Form, Kind, Named, Proposition, Quantifier, Relation, Specification, Stated, Unary};
pub use translate::{automaton_of, automaton_of_negation};
