//! What a formula means, as simply as can be: its truth at every position of an infinite word that repeats itself.
//! Automata are held against this, and so is every counterexample before it is shown.

use crate::syntax::{Binary, Expr, Kind, Unary};

/// The propositions that hold at one position, as bits.
pub type Letter = u64;

/// `prefix` once, then `cycle` for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    pub prefix: Vec<Letter>,
    pub cycle: Vec<Letter>,
}

impl Lasso {
    /// The positions that differ in what follows them.
    pub fn positions(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    pub fn letter(&self, position: usize) -> Letter {
        match self.prefix.get(position) {
            Some(letter) => *letter,
            None => self.cycle[position - self.prefix.len()],
        }
    }

    pub fn next(&self, position: usize) -> usize {
        if position + 1 < self.positions() { position + 1 } else { self.prefix.len() }
    }
}

/// Whether the formula holds on the word.
pub fn holds(formula: &Expr, word: &Lasso) -> bool {
    truth(formula, word)[0]
}

/// Whether it holds from each position on.
pub fn truth(formula: &Expr, word: &Lasso) -> Vec<bool> {
    let each = |value: &dyn Fn(usize) -> bool| (0..word.positions()).map(value).collect::<Vec<bool>>();
    match &formula.kind {
        Kind::Constant(value) => each(&|_| *value),
        Kind::Proposition(p) => each(&|i| word.letter(i) >> p & 1 == 1),
        Kind::Path(..) | Kind::Relation(..) => unreachable!("a formula of LTL has neither"),
        Kind::Unary(op, a) => {
            let a = truth(a, word);
            match op {
                Unary::Not => each(&|i| !a[i]),
                Unary::Next => each(&|i| a[word.next(i)]),
                Unary::Finally => fixpoint(word, false, |i, next| a[i] || next),
                Unary::Globally => fixpoint(word, true, |i, next| a[i] && next),
            }
        }
        Kind::Binary(op, a, b) => {
            let (a, b) = (truth(a, word), truth(b, word));
            match op {
                Binary::And => each(&|i| a[i] && b[i]),
                Binary::Or => each(&|i| a[i] || b[i]),
                Binary::Implies => each(&|i| !a[i] || b[i]),
                Binary::Iff => each(&|i| a[i] == b[i]),
                Binary::Until => fixpoint(word, false, |i, next| b[i] || a[i] && next),
                Binary::WeakUntil => fixpoint(word, true, |i, next| b[i] || a[i] && next),
                Binary::Release => fixpoint(word, true, |i, next| b[i] && (a[i] || next)),
            }
        }
    }
}

/// The least solution of `truth[i] = rule(i, truth[next i])`, or the greatest, if it starts with true everywhere.
fn fixpoint(word: &Lasso, start: bool, rule: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut truth = vec![start; word.positions()];
    // Once round the cycle tells what its last position has before it, the second time everything.
    for _ in 0..2 {
        for i in (0..word.positions()).rev() {
            truth[i] = rule(i, truth[word.next(i)]);
        }
    }
    truth
}
