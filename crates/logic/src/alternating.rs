//! A formula as a very weak alternating automaton (P. Gastin, D. Oddoux: "Fast LTL to Büchi automata translation", CAV
//! 2001, section 2). Its states are formulas; a state moves, at the letters of a cube, to a set of states from each of which the
//! rest of the word must be accepted. No run stays in an until for ever.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::automaton::Cube;
use crate::ltl::{Formula, Formulas, Node};
use crate::translate::TooLarge;

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

/// How many pairs of moves may still be looked at: what a formula is worth does not grow with its size, and its automaton does.
pub struct Work {
    left: usize,
}

impl Work {
    pub fn at_most(pairs: usize) -> Work {
        Work { left: pairs }
    }

    pub fn compare(&mut self, pairs: usize) -> Result<(), TooLarge> {
        self.left = self.left.checked_sub(pairs).ok_or(TooLarge)?;
        Ok(())
    }
}

/// The moves of formulas, each found once.
pub struct Alternating<'f> {
    formulas: &'f Formulas,
    moves: FxHashMap<Formula, Rc<[Move]>>,
    pub work: Work,
}

impl<'f> Alternating<'f> {
    pub fn new(formulas: &'f Formulas, work: Work) -> Self {
        Alternating { formulas, moves: FxHashMap::default(), work }
    }

    /// δ of a temporal formula, Δ of others.
    pub fn moves(&mut self, formula: Formula) -> Result<Rc<[Move]>, TooLarge> {
        if let Some(known) = self.moves.get(&formula) {
            return Ok(known.clone());
        }
        let stays = || vec![Move { label: Cube::ANY, to: [formula].into_iter().collect() }];
        let found = match self.formulas.node(formula).clone() {
            Node::True => vec![Move { label: Cube::ANY, to: Set::new() }],
            Node::False => Vec::new(),
            Node::Literal { proposition, positive } => {
                vec![Move { label: Cube::literal(proposition, positive), to: Set::new() }]
            }
            Node::Next(a) => self.conjunctions(a)?.into_iter().map(|to| Move { label: Cube::ANY, to }).collect(),
            Node::And(parts) => self.all_of(&parts, Self::moves)?,
            Node::Or(parts) => self.any_of(&parts, Self::moves)?,
            Node::Until(a, b) => {
                let (ends, goes_on) = (self.moves(b)?, self.moves(a)?);
                let goes_on = product(&goes_on, &stays(), &mut self.work)?;
                least([ends.to_vec(), goes_on].concat(), &mut self.work)?
            }
            Node::Release(a, b) => {
                let (holds, either) = (self.moves(b)?, [self.moves(a)?.to_vec(), stays()].concat());
                product(&holds, &either, &mut self.work)?
            }
        };
        let found: Rc<[Move]> = found.into();
        self.moves.insert(formula, found.clone());
        Ok(found)
    }

    fn all_of<M: AsRef<[Move]>>(
        &mut self,
        parts: &[Formula],
        of: impl Fn(&mut Self, Formula) -> Result<M, TooLarge>,
    ) -> Result<Vec<Move>, TooLarge> {
        let start = vec![Move { label: Cube::ANY, to: Set::new() }];
        parts.iter().try_fold(start, |so_far, &part| {
            let own = of(self, part)?;
            product(&so_far, own.as_ref(), &mut self.work)
        })
    }

    fn any_of<M: AsRef<[Move]>>(
        &mut self,
        parts: &[Formula],
        of: impl Fn(&mut Self, Formula) -> Result<M, TooLarge>,
    ) -> Result<Vec<Move>, TooLarge> {
        let mut all = Vec::new();
        for &part in parts {
            all.extend_from_slice(of(self, part)?.as_ref());
        }
        least(all, &mut self.work)
    }

    /// The moves of all of them together, if there are no more than `most`. Also those that others cover: a state that
    /// keeps an until while it promises the same again does more than one that only promises it. But a move goes that
    /// promises more than another one at the same letters, if nothing of that is in `needed` to keep some until.
    pub fn together(
        &mut self,
        formulas: &[Formula],
        needed: &FxHashSet<Formula>,
        most: usize,
    ) -> Result<Vec<Move>, TooLarge> {
        let mut all = vec![Move { label: Cube::ANY, to: Set::new() }];
        for &formula in formulas {
            let own = self.moves(formula)?;
            if all.len() * own.len() > 4 * most {
                return Err(TooLarge);
            }
            all = pairs(&all, &own, &mut self.work)?;
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
            let same = || all.chunk_by(|a, b| a.label == b.label);
            self.work.compare(same().map(|same| same.len() * same.len()).sum())?;
            let kept =
                same().flat_map(|same| same.iter().filter(|one| !same.iter().any(|other| more(one, other))).cloned());
            all = kept.collect();
        }
        if all.len() <= most { Ok(all) } else { Err(TooLarge) }
    }

    /// What a move promises that keeps the until, besides the until itself.
    pub fn needed_to_keep(&mut self, until: Formula) -> Result<Vec<Formula>, TooLarge> {
        let moves = self.moves(until)?;
        Ok(moves.iter().filter(|own| !own.to.contains(&until)).flat_map(|own| own.to.iter().copied()).collect())
    }

    /// The formula as a disjunction of conjunctions of formulas that are neither.
    pub fn conjunctions(&mut self, formula: Formula) -> Result<Vec<Set>, TooLarge> {
        let moves = |this: &mut Self, formula: Formula| -> Result<Vec<Move>, TooLarge> {
            Ok(this.conjunctions(formula)?.into_iter().map(|to| Move { label: Cube::ANY, to }).collect())
        };
        let formulas = self.formulas;
        let found = match formulas.node(formula) {
            Node::True => vec![Move { label: Cube::ANY, to: Set::new() }],
            Node::False => Vec::new(),
            Node::And(parts) => self.all_of(parts, moves)?,
            Node::Or(parts) => self.any_of(parts, moves)?,
            _ => vec![Move { label: Cube::ANY, to: [formula].into_iter().collect() }],
        };
        Ok(found.into_iter().map(|found| found.to).collect())
    }
}

/// ⊗: both moves at once.
fn product(a: &[Move], b: &[Move], work: &mut Work) -> Result<Vec<Move>, TooLarge> {
    least(pairs(a, b, work)?, work)
}

fn pairs(a: &[Move], b: &[Move], work: &mut Work) -> Result<Vec<Move>, TooLarge> {
    work.compare(a.len() * b.len())?;
    let mut both = Vec::new();
    for x in a {
        for y in b {
            if let Some(label) = x.label.and(y.label) {
                both.push(Move { label, to: union(&x.to, &y.to) });
            }
        }
    }
    Ok(both)
}

/// Without those that another one covers.
fn least(moves: Vec<Move>, work: &mut Work) -> Result<Vec<Move>, TooLarge> {
    let mut kept: Vec<Move> = Vec::new();
    for one in moves {
        work.compare(kept.len())?;
        if !kept.iter().any(|other| other.covers(&one)) {
            kept.retain(|other| !one.covers(other));
            kept.push(one);
        }
    }
    Ok(kept)
}
