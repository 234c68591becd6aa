//! Generalised Büchi automata with acceptance on edges: a word is accepted if some run on it takes edges of every
//! acceptance set infinitely often.

use rustc_hash::FxHashSet;
use threadbare_core::components;

use crate::semantics::{Lasso, Letter};

/// A conjunction of propositions and negated ones: the letters at which an edge can be taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Cube {
    pub yes: Letter,
    pub no: Letter,
}

impl Cube {
    /// Every letter.
    pub const ANY: Cube = Cube { yes: 0, no: 0 };

    pub fn literal(proposition: u8, positive: bool) -> Cube {
        let bit = 1 << proposition;
        if positive { Cube { yes: bit, no: 0 } } else { Cube { yes: 0, no: bit } }
    }

    pub fn has(self, letter: Letter) -> bool {
        letter & self.yes == self.yes && letter & self.no == 0
    }

    /// The letters of both, if there are any.
    pub fn and(self, other: Cube) -> Option<Cube> {
        let both = Cube { yes: self.yes | other.yes, no: self.no | other.no };
        (both.yes & both.no == 0).then_some(both)
    }

    /// Whether all its letters are letters of the other.
    pub fn implies(self, other: Cube) -> bool {
        other.yes & !self.yes == 0 && other.no & !self.no == 0
    }

    /// The letters that the other does not have, if that says one literal more.
    pub fn without(self, other: Cube) -> Option<Cube> {
        let both = self.and(other)?;
        let (yes, no) = (both.yes & !self.yes, both.no & !self.no);
        (yes.count_ones() + no.count_ones() == 1).then_some(Cube { yes: self.yes | no, no: self.no | yes })
    }

    /// The letters of either, if they are a cube because the two differ in the sign of one proposition.
    pub fn merged(self, other: Cube) -> Option<Cube> {
        let (yes, no) = (self.yes ^ other.yes, self.no ^ other.no);
        (yes == no && yes.count_ones() == 1).then_some(Cube { yes: self.yes & !yes, no: self.no & !no })
    }
}

pub type StateId = u32;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    pub to: StateId,
    pub label: Cube,
    /// The acceptance sets that it belongs to, as bits.
    pub marks: u64,
}

/// State 0 is where runs begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// The edges of each state.
    pub edges: Vec<Vec<Edge>>,
    /// How many acceptance sets there are. Without any, every infinite run is accepting.
    pub sets: u32,
}

impl Automaton {
    /// Of no word at all.
    pub fn empty() -> Automaton {
        Automaton { edges: vec![Vec::new()], sets: 0 }
    }

    pub fn states(&self) -> usize {
        self.edges.len()
    }

    pub fn transitions(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// All acceptance sets.
    pub fn all_marks(&self) -> u64 {
        if self.sets == 64 { u64::MAX } else { (1 << self.sets) - 1 }
    }

    /// Whether some state has several edges at one letter.
    pub fn is_deterministic(&self) -> bool {
        self.edges.iter().all(|edges| {
            edges.iter().enumerate().all(|(i, edge)| edges[i + 1..].iter().all(|o| edge.label.and(o.label).is_none()))
        })
    }

    /// The strongly connected part of each state. Edges lead to parts of the same or a lower number.
    pub(crate) fn parts(&self) -> Vec<u32> {
        components(self.states(), |state, i| self.edges[state].get(i).map(|edge| edge.to as usize))
    }

    /// Whether it accepts the word: by the strongly connected parts of its product with the word, all at once.
    pub fn accepts(&self, word: &Lasso) -> bool {
        let (positions, all) = (word.positions(), self.all_marks());
        let node = |state: StateId, position: usize| state as usize * positions + position;
        let mut product: Vec<Vec<(usize, u64)>> = vec![Vec::new(); self.states() * positions];
        let (mut open, mut seen) = (vec![(0, 0)], FxHashSet::default());
        seen.insert((0, 0));
        while let Some((state, position)) = open.pop() {
            for edge in self.edges[state as usize].iter().filter(|edge| edge.label.has(word.letter(position))) {
                let to = (edge.to, word.next(position));
                product[node(state, position)].push((node(to.0, to.1), edge.marks));
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        let parts = components(product.len(), |n, i| product[n].get(i).map(|edge| edge.0));
        let mut marks = vec![None; product.len()];
        for (n, edges) in product.iter().enumerate() {
            for (to, mark) in edges.iter().filter(|(to, _)| parts[*to] == parts[n]) {
                let of_part: &mut Option<u64> = &mut marks[parts[*to] as usize];
                *of_part = Some(of_part.unwrap_or(0) | mark);
            }
        }
        marks.contains(&Some(all))
    }
}
