//! From a formula to a generalised Büchi automaton (P. Gastin, D. Oddoux: "Fast LTL to Büchi automata translation", CAV 2001,
//! section 3): a state is a set of states of the alternating automaton, all of which must accept the rest of the word.
//! An acceptance set for each until: an edge is in it if the until is not promised behind it, or is kept at this letter
//! without promising it again.
//!
//! What differs: there is one state where runs begin, and the automaton is reduced by simulation at the end (`reduce`) besides
//! what the paper does on the way.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use crate::alternating::{Alternating, Move, Set, Work, is_subset};
use crate::automaton::{Automaton, Edge, StateId};
use crate::ltl::{Formula, Formulas, Node};
use crate::reduce::reduce;
use crate::syntax::Expr;

/// The formula has no automaton that is worth having: every step of a search would look at too many edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the automaton of this formula is too large: it has more than {MOST_STATES} states, {MOST_TRANSITIONS} edges, \
             {MOST_SETS} untils or {MOST_MOVES} edges of one state, or takes \
             too long to find; several small formulas, each checked by itself, say the same"
        )
    }
}

impl std::error::Error for TooLarge {}

const MOST_STATES: usize = 20_000;
const MOST_TRANSITIONS: usize = 100_000;
const MOST_SETS: usize = 64;
/// Pairs of moves: about a second.
const MOST_COMPARED: usize = 200_000_000;
/// Of one state, before those go that are of no use.
const MOST_MOVES: usize = 2_000;

/// It accepts exactly the words on which the formula holds.
pub fn automaton_of(formula: &Expr) -> Result<Automaton, TooLarge> {
    let mut formulas = Formulas::default();
    let root = formulas.read(formula, true);
    let root = formulas.apart(root);
    translate(&formulas, root)
}

/// It accepts exactly the words on which the formula does not hold: what a program must not have.
pub fn automaton_of_negation(formula: &Expr) -> Result<Automaton, TooLarge> {
    let mut formulas = Formulas::default();
    let root = formulas.read(formula, false);
    let root = formulas.apart(root);
    translate(&formulas, root)
}

fn translate(formulas: &Formulas, root: Formula) -> Result<Automaton, TooLarge> {
    let mut alternating = Alternating::new(formulas, Work::at_most(MOST_COMPARED));
    // As one set, if it is a conjunction; the moves of others are those of a formula as well.
    let start: Set = match &alternating.conjunctions(root)?[..] {
        [] => return Ok(Automaton::empty()),
        [one] => one.clone(),
        _ => [root].into_iter().collect(),
    };
    let untils = untils_of(formulas, root);
    if untils.len() > MOST_SETS {
        return Err(TooLarge);
    }
    let mut needed = FxHashSet::default();
    for &until in &untils {
        needed.extend(alternating.needed_to_keep(until)?);
    }
    let mut transitions = 0;
    let mut numbers = FxHashMap::from_iter([(start.clone(), 0)]);
    let (mut states, mut edges) = (vec![start], Vec::new());
    while let Some(state) = states.get(edges.len()) {
        let moves = alternating.together(state, &needed, MOST_MOVES)?;
        let with_marks = |one: Move| marks(&mut alternating, &untils, &one).map(|marks| (one, marks));
        let moves: Vec<(Move, u64)> = moves.into_iter().map(with_marks).collect::<Result<_, TooLarge>>()?;
        alternating.work.compare(moves.len() * moves.len())?;
        let mut own = Vec::new();
        for (one, marks) in &moves {
            let covers = |(other, more): &(Move, u64)| other != one && other.covers(one) && marks & !more == 0;
            if moves.iter().any(covers) {
                continue;
            }
            let to = *numbers.entry(one.to.clone()).or_insert_with(|| {
                states.push(one.to.clone());
                states.len() as StateId - 1
            });
            own.push(Edge { to, label: one.label, marks: *marks });
        }
        transitions += own.len();
        edges.push(own);
        if states.len() > MOST_STATES || transitions > MOST_TRANSITIONS {
            return Err(TooLarge);
        }
    }
    Ok(reduce(Automaton { edges, sets: untils.len() as u32 }))
}

/// The acceptance sets of a move: of each until that it does not promise, or keeps at this letter by a move that does not
/// promise it again.
fn marks(alternating: &mut Alternating, untils: &[Formula], one: &Move) -> Result<u64, TooLarge> {
    let mut marks = 0;
    for (i, &until) in untils.iter().enumerate() {
        let promises = |to: &Set| to.binary_search(&until).is_ok();
        let keeps = |own: &Move| one.label.implies(own.label) && !promises(&own.to) && is_subset(&own.to, &one.to);
        let moves = alternating.moves(until)?;
        alternating.work.compare(moves.len())?;
        marks |= u64::from(!promises(&one.to) || moves.iter().any(keeps)) << i;
    }
    Ok(marks)
}

/// Every until in the formula.
fn untils_of(formulas: &Formulas, root: Formula) -> Vec<Formula> {
    let (mut open, mut seen) = (vec![root], FxHashSet::from_iter([root]));
    let mut untils = Vec::new();
    while let Some(formula) = open.pop() {
        let parts: SmallVec<[Formula; 4]> = match formulas.node(formula) {
            Node::True | Node::False | Node::Literal { .. } => SmallVec::new(),
            Node::And(parts) | Node::Or(parts) => parts.iter().copied().collect(),
            Node::Next(a) => smallvec![*a],
            Node::Until(a, b) => {
                untils.push(formula);
                smallvec![*a, *b]
            }
            Node::Release(a, b) => smallvec![*a, *b],
        };
        open.extend(parts.into_iter().filter(|&part| seen.insert(part)));
    }
    untils
}
