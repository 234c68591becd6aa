//! A formula as a very weak alternating automaton (P. Gastin, D. Oddoux: "Fast LTL to Büchi automata translation", CAV
//! 2001, section 2). Its states are formulas; a state moves, at the letters of a cube, to a set of states from each of which the
//! rest of the word must be accepted. No run stays in an until for ever.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::automaton::Cube;
use crate::ltl::{Formula, Formulas, Node};

/// Formulas that must all hold, in order.
pub type Set = SmallVec<[Formula; 4]>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    pub label: Cube,
    pub to: Set,
}

impl Move {
    /// Whether it can do all that the other can: at least at the same letters, to fewer states.
    pub fn covers(&self, other: &Move) -> bool {
        other.label.implies(self.label) && is_subset(&self.to, &other.to)
    }
}

pub fn is_subset(a: &[Formula], b: &[Formula]) -> bool {
    a.iter().all(|f| b.binary_search(f).is_ok())
}

fn union(a: &[Formula], b: &[Formula]) -> Set {
    let mut both: Set = a.iter().chain(b).copied().collect();
    both.sort_unstable();
    both.dedup();
    both
}

/// The moves of formulas, each found once.
pub struct Alternating<'f> {
    formulas: &'f Formulas,
    moves: FxHashMap<Formula, Rc<[Move]>>,
}

impl<'f> Alternating<'f> {
    pub fn new(formulas: &'f Formulas) -> Self {
        Alternating { formulas, moves: FxHashMap::default() }
    }

    /// δ of a temporal formula, Δ of others.
    pub fn moves(&mut self, formula: Formula) -> Rc<[Move]> {
        if let Some(known) = self.moves.get(&formula) {
            return known.clone();
        }
        let stays = || vec![Move { label: Cube::ANY, to: [formula].into_iter().collect() }];
        let found = match self.formulas.node(formula).clone() {
            Node::True => vec![Move { label: Cube::ANY, to: Set::new() }],
            Node::False => Vec::new(),
            Node::Literal { proposition, positive } => {
                vec![Move { label: Cube::literal(proposition, positive), to: Set::new() }]
            }
            Node::Next(a) => self.conjunctions(a).into_iter().map(|to| Move { label: Cube::ANY, to }).collect(),
            Node::And(parts) => {
                let start = vec![Move { label: Cube::ANY, to: Set::new() }];
                parts.iter().fold(start, |so_far, &part| product(&so_far, &self.moves(part)))
            }
            Node::Or(parts) => least(parts.iter().flat_map(|&part| self.moves(part).to_vec()).collect()),
            Node::Until(a, b) => {
                let goes_on = product(&self.moves(a), &stays());
                least([self.moves(b).to_vec(), goes_on].concat())
            }
            Node::Release(a, b) => {
                let either = [self.moves(a).to_vec(), stays()].concat();
                product(&self.moves(b), &either)
            }
        };
        let found: Rc<[Move]> = found.into();
        self.moves.insert(formula, found.clone());
        found
    }

    /// The moves of all of them together, `None` if there are more than `most`. Also those that others cover: a state that
    /// keeps an until while it promises the same again does more than one that only promises it. But a move goes that
    /// promises more than another one at the same letters, if nothing of that is in `needed` to keep some until.
    pub fn together(&mut self, formulas: &[Formula], needed: &FxHashSet<Formula>, most: usize) -> Option<Vec<Move>> {
        let mut all = vec![Move { label: Cube::ANY, to: Set::new() }];
        for &formula in formulas {
            let own = self.moves(formula);
            if all.len() * own.len() > 4 * most {
                return None;
            }
            all = pairs(&all, &own);
            all.sort_unstable();
            all.dedup();
            let more = |one: &Move, other: &Move| {
                let only_here = |f: &&Formula| other.to.binary_search(f).is_err();
                one.label == other.label
                    && one != other
                    && is_subset(&other.to, &one.to)
                    && !one.to.iter().filter(only_here).any(|f| needed.contains(f))
            };
            // Moves with the same label stand side by side.
            let kept = all
                .chunk_by(|a, b| a.label == b.label)
                .flat_map(|same| same.iter().filter(|one| !same.iter().any(|other| more(one, other))).cloned());
            all = kept.collect();
        }
        (all.len() <= most).then_some(all)
    }

    /// What a move promises that keeps the until, besides the until itself.
    pub fn needed_to_keep(&mut self, until: Formula) -> Vec<Formula> {
        let moves = self.moves(until);
        moves.iter().filter(|own| !own.to.contains(&until)).flat_map(|own| own.to.iter().copied()).collect()
    }

    /// The formula as a disjunction of conjunctions of formulas that are neither.
    pub fn conjunctions(&self, formula: Formula) -> Vec<Set> {
        let moves = |formula: Formula| -> Vec<Move> {
            self.conjunctions(formula).into_iter().map(|to| Move { label: Cube::ANY, to }).collect()
        };
        let found = match self.formulas.node(formula) {
            Node::True => vec![Move { label: Cube::ANY, to: Set::new() }],
            Node::False => Vec::new(),
            Node::And(parts) => {
                let start = vec![Move { label: Cube::ANY, to: Set::new() }];
                parts.iter().fold(start, |so_far, &part| product(&so_far, &moves(part)))
            }
            Node::Or(parts) => least(parts.iter().flat_map(|&part| moves(part)).collect()),
            _ => vec![Move { label: Cube::ANY, to: [formula].into_iter().collect() }],
        };
        found.into_iter().map(|found| found.to).collect()
    }
}

/// ⊗: both moves at once.
fn product(a: &[Move], b: &[Move]) -> Vec<Move> {
    least(pairs(a, b))
}

fn pairs(a: &[Move], b: &[Move]) -> Vec<Move> {
    let mut both = Vec::new();
    for x in a {
        for y in b {
            if let Some(label) = x.label.and(y.label) {
                both.push(Move { label, to: union(&x.to, &y.to) });
            }
        }
    }
    both
}

/// Without those that another one covers.
fn least(moves: Vec<Move>) -> Vec<Move> {
    let mut kept: Vec<Move> = Vec::new();
    for one in moves {
        if !kept.iter().any(|other| other.covers(&one)) {
            kept.retain(|other| !one.covers(other));
            kept.push(one);
        }
    }
    kept
}
