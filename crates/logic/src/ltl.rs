//! LTL in negation normal form: every formula once, and simplified when it is made.
//!
//! The rules are those of K. Etessami, G. Holzmann ("Optimizing Büchi automata", CONCUR 2000) and F. Somenzi, R. Bloem
//! ("Efficient Büchi automata from LTL formulae", CAV 2000): formulas that imply each other syntactically, and those that
//! are purely eventual (what holds after a prefix holds before it) or purely universal (what holds holds for ever).
//! Each rule stands here once. Its dual comes by negation, which only turns every operator into its dual.

use rustc_hash::FxHashMap;

use crate::syntax::{Binary, Expr, Kind, Unary};

/// By its number: two formulas are the same if and only if their numbers are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Formula(u32);

/// `F a` is `true U a`, `G a` is `false R a`. The parts of conjunctions and disjunctions are in order, and two at least.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    True,
    False,
    Literal { proposition: u8, positive: bool },
    And(Box<[Formula]>),
    Or(Box<[Formula]>),
    Next(Formula),
    Until(Formula, Formula),
    Release(Formula, Formula),
}

pub struct Formulas {
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, Formula>,
    negations: Vec<Option<Formula>>,
    /// Whether each is purely eventual, and purely universal.
    pure: Vec<(bool, bool)>,
    implications: FxHashMap<(Formula, Formula), bool>,
}

pub const TRUE: Formula = Formula(0);
pub const FALSE: Formula = Formula(1);

impl Default for Formulas {
    fn default() -> Self {
        let mut formulas = Formulas {
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            negations: Vec::new(),
            pure: Vec::new(),
            implications: FxHashMap::default(),
        };
        formulas.intern(Node::True);
        formulas.intern(Node::False);
        formulas
    }
}

impl Formulas {
    pub fn node(&self, formula: Formula) -> &Node {
        &self.nodes[formula.0 as usize]
    }

    /// The formula, or its negation, without `->`, `<->`, `W`, and with negations of propositions only.
    pub fn read(&mut self, expr: &Expr, positive: bool) -> Formula {
        match &expr.kind {
            Kind::Constant(value) => {
                if *value == positive {
                    TRUE
                } else {
                    FALSE
                }
            }
            Kind::Proposition(p) => self.intern(Node::Literal { proposition: *p, positive }),
            Kind::Unary(Unary::Not, a) => self.read(a, !positive),
            _ if !positive => {
                let formula = self.read(expr, true);
                self.not(formula)
            }
            Kind::Path(..) | Kind::Relation(..) => unreachable!("a formula of LTL has neither"),
            Kind::Unary(op, a) => {
                let a = self.read(a, true);
                match op {
                    Unary::Not => unreachable!("read above"),
                    Unary::Next => self.next(a),
                    Unary::Finally => self.until(TRUE, a),
                    Unary::Globally => self.release(FALSE, a),
                }
            }
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.read(a, true), self.read(b, true));
                match op {
                    Binary::And => self.and(&[a, b]),
                    Binary::Or => self.or(&[a, b]),
                    Binary::Implies => {
                        let not_a = self.not(a);
                        self.or(&[not_a, b])
                    }
                    Binary::Iff => {
                        let (not_a, not_b) = (self.not(a), self.not(b));
                        let (both, none) = (self.and(&[a, b]), self.and(&[not_a, not_b]));
                        self.or(&[both, none])
                    }
                    Binary::Until => self.until(a, b),
                    Binary::Release => self.release(a, b),
                    Binary::WeakUntil => {
                        let either = self.or(&[a, b]);
                        self.release(b, either)
                    }
                }
            }
        }
    }

    fn intern(&mut self, node: Node) -> Formula {
        if let Some(&known) = self.numbers.get(&node) {
            return known;
        }
        let formula = Formula(self.nodes.len() as u32);
        self.pure.push(self.purity(&node));
        self.nodes.push(node.clone());
        self.negations.push(None);
        self.numbers.insert(node, formula);
        formula
    }

    fn purity(&self, node: &Node) -> (bool, bool) {
        let of = |f: &Formula| self.pure[f.0 as usize];
        let all = |parts: &[Formula]| (parts.iter().all(|f| of(f).0), parts.iter().all(|f| of(f).1));
        match node {
            Node::True | Node::False => (true, true),
            Node::Literal { .. } => (false, false),
            Node::And(parts) | Node::Or(parts) => all(parts),
            Node::Next(a) => of(a),
            Node::Until(TRUE, a) => (true, of(a).1),
            Node::Release(FALSE, a) => (of(a).0, true),
            Node::Until(a, b) | Node::Release(a, b) => all(&[*a, *b]),
        }
    }

    fn is_eventual(&self, formula: Formula) -> bool {
        self.pure[formula.0 as usize].0
    }

    /// Whether it only speaks of the first letter.
    fn is_boolean(&self, formula: Formula) -> bool {
        match self.node(formula) {
            Node::True | Node::False | Node::Literal { .. } => true,
            Node::And(parts) | Node::Or(parts) => parts.iter().all(|&part| self.is_boolean(part)),
            Node::Next(_) | Node::Until(..) | Node::Release(..) => false,
        }
    }

    fn is_universal(&self, formula: Formula) -> bool {
        self.pure[formula.0 as usize].1
    }

    pub fn not(&mut self, formula: Formula) -> Formula {
        if let Some(known) = self.negations[formula.0 as usize] {
            return known;
        }
        let dual = match self.node(formula).clone() {
            Node::True => Node::False,
            Node::False => Node::True,
            Node::Literal { proposition, positive } => Node::Literal { proposition, positive: !positive },
            Node::And(parts) => Node::Or(self.not_each(&parts)),
            Node::Or(parts) => Node::And(self.not_each(&parts)),
            Node::Next(a) => Node::Next(self.not(a)),
            Node::Until(a, b) => Node::Release(self.not(a), self.not(b)),
            Node::Release(a, b) => Node::Until(self.not(a), self.not(b)),
        };
        let negation = self.intern(dual);
        self.negations[formula.0 as usize] = Some(negation);
        self.negations[negation.0 as usize] = Some(formula);
        negation
    }

    fn not_each(&mut self, parts: &[Formula]) -> Box<[Formula]> {
        let mut parts: Vec<Formula> = parts.iter().map(|&part| self.not(part)).collect();
        parts.sort_unstable();
        parts.into()
    }

    pub fn or(&mut self, parts: &[Formula]) -> Formula {
        let parts = self.not_each(parts);
        let and = self.and(&parts);
        self.not(and)
    }

    pub fn release(&mut self, a: Formula, b: Formula) -> Formula {
        let (a, b) = (self.not(a), self.not(b));
        let until = self.until(a, b);
        self.not(until)
    }

    pub fn next(&mut self, a: Formula) -> Formula {
        // What is purely eventual and purely universal does not hang on any prefix.
        if self.is_eventual(a) && self.is_universal(a) { a } else { self.intern(Node::Next(a)) }
    }

    pub fn until(&mut self, a: Formula, b: Formula) -> Formula {
        if self.is_eventual(b) || self.implies(a, b) {
            return b;
        }
        let not_b = self.not(b);
        if a != TRUE && self.implies(not_b, a) {
            return self.until(TRUE, b);
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            // a U (c U d) is c U d if a implies c; F (c U d) is F d.
            (_, Node::Until(c, _)) if self.implies(a, c) => b,
            (Node::True, Node::Until(_, d)) => self.until(TRUE, d),
            (Node::True, Node::Next(c)) => {
                let inner = self.until(TRUE, c);
                self.next(inner)
            }
            (Node::Next(c), Node::Next(d)) => {
                let inner = self.until(c, d);
                self.next(inner)
            }
            // F (c && d) is F c && d if d is purely eventual and universal, and the same in every until.
            (_, Node::And(parts)) if parts.iter().any(|&part| self.is_eventual(part) && self.is_universal(part)) => {
                let (out, inside): (Vec<Formula>, Vec<Formula>) =
                    parts.iter().partition(|&&part| self.is_eventual(part) && self.is_universal(part));
                let inside = self.and(&inside);
                let until = self.until(a, inside);
                self.and(&[out, vec![until]].concat())
            }
            _ => self.intern(Node::Until(a, b)),
        }
    }

    pub fn and(&mut self, parts: &[Formula]) -> Formula {
        let mut flat: Vec<Formula> = Vec::new();
        for &part in parts {
            match self.node(part) {
                Node::And(inner) => flat.extend(inner.iter()),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        if self.gather(&mut flat) {
            return self.and(&flat);
        }
        // What another one implies says nothing.
        let mut at = 0;
        while at < flat.len() {
            let part = flat[at];
            let not_part = self.not(part);
            let others: Vec<Formula> = flat.iter().copied().filter(|&other| other != part).collect();
            if others.iter().any(|&other| self.implies(other, not_part)) {
                return FALSE;
            }
            match others.iter().any(|&other| self.implies(other, part)) {
                true => _ = flat.remove(at),
                false => at += 1,
            }
        }
        match flat[..] {
            [] => TRUE,
            [one] => one,
            _ => self.intern(Node::And(flat.into())),
        }
    }

    /// Parts of a conjunction that are one: `X a && X b`, `G a && G b` and all `c R a && c R b`, `a U c && b U c`,
    /// `F G a && F G b`.
    fn gather(&mut self, parts: &mut Vec<Formula>) -> bool {
        for i in 0..parts.len() {
            for j in i + 1..parts.len() {
                let (x, y) = (parts[i], parts[j]);
                let one = match (self.node(x).clone(), self.node(y).clone()) {
                    (Node::Next(a), Node::Next(b)) => {
                        let both = self.and(&[a, b]);
                        self.next(both)
                    }
                    (Node::Release(a, b), Node::Release(c, d)) if a == c => {
                        let both = self.and(&[b, d]);
                        self.release(a, both)
                    }
                    (Node::Until(a, b), Node::Until(c, d)) if b == d => {
                        let both = self.and(&[a, c]);
                        self.until(both, b)
                    }
                    (Node::Until(TRUE, b), Node::Until(TRUE, d)) if self.is_universal(b) && self.is_universal(d) => {
                        let both = self.and(&[b, d]);
                        self.until(TRUE, both)
                    }
                    _ => continue,
                };
                parts.remove(j);
                parts[i] = one;
                return true;
            }
        }
        false
    }

    /// Whether every word of `a` is one of `b`, as far as their form tells.
    pub fn implies(&mut self, a: Formula, b: Formula) -> bool {
        if a == b || a == FALSE || b == TRUE {
            return true;
        }
        if a == TRUE || b == FALSE {
            return false;
        }
        if let Some(&known) = self.implications.get(&(a, b)) {
            return known;
        }
        let answer = self.follows(a, b);
        self.implications.insert((a, b), answer);
        answer
    }

    fn follows(&mut self, a: Formula, b: Formula) -> bool {
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Or(parts), _) => return parts.iter().all(|&part| self.implies(part, b)),
            (_, Node::And(parts)) => return parts.iter().all(|&part| self.implies(a, part)),
            (Node::Next(x), Node::Next(y)) => return self.implies(x, y),
            (Node::Until(x, y), Node::Until(c, d)) if self.implies(x, c) && self.implies(y, d) => return true,
            (Node::Release(x, y), Node::Release(c, d)) if self.implies(x, c) && self.implies(y, d) => return true,
            _ => {}
        }
        let from_a = match self.node(a).clone() {
            Node::And(parts) => parts.iter().any(|&part| self.implies(part, b)),
            Node::Until(x, y) => self.implies(x, b) && self.implies(y, b),
            Node::Release(_, y) => self.implies(y, b),
            _ => false,
        };
        from_a
            || match self.node(b).clone() {
                Node::Or(parts) => parts.iter().any(|&part| self.implies(a, part)),
                Node::Until(_, d) => self.implies(a, d),
                Node::Release(c, d) => self.implies(a, c) && self.implies(a, d),
                _ => false,
            }
    }

    /// The same with `G a && G b` for `G (a && b)`, unless both only speak of one letter: the automaton has a state for each, and
    /// what each of them promises is seen by itself. (Its dual is not wanted: `F (G a || G b)` has a smaller automaton than
    /// `F G a || F G b`.)
    pub fn apart(&mut self, formula: Formula) -> Formula {
        self.set_apart(formula, &mut FxHashMap::default())
    }

    fn set_apart(&mut self, formula: Formula, known: &mut FxHashMap<Formula, Formula>) -> Formula {
        if let Some(&done) = known.get(&formula) {
            return done;
        }
        let done = match self.node(formula).clone() {
            Node::True | Node::False | Node::Literal { .. } => formula,
            Node::And(parts) => {
                let parts = parts.iter().map(|&part| self.set_apart(part, known)).collect();
                self.conjunction(parts)
            }
            Node::Or(parts) => {
                let mut parts: Vec<Formula> = parts.iter().map(|&part| self.set_apart(part, known)).collect();
                parts.sort_unstable();
                self.intern(Node::Or(parts.into()))
            }
            Node::Next(a) => {
                let a = self.set_apart(a, known);
                self.intern(Node::Next(a))
            }
            Node::Until(a, b) => {
                let (a, b) = (self.set_apart(a, known), self.set_apart(b, known));
                self.intern(Node::Until(a, b))
            }
            Node::Release(a, b) => {
                let (a, b) = (self.set_apart(a, known), self.set_apart(b, known));
                match self.node(b).clone() {
                    Node::And(parts) if a == FALSE => {
                        let (boolean, mut each): (Vec<Formula>, Vec<Formula>) =
                            parts.iter().partition(|&&part| self.is_boolean(part));
                        each.extend((!boolean.is_empty()).then(|| self.conjunction(boolean)));
                        let each = each.into_iter().map(|part| self.intern(Node::Release(FALSE, part))).collect();
                        self.conjunction(each)
                    }
                    _ => self.intern(Node::Release(a, b)),
                }
            }
        };
        known.insert(formula, done);
        done
    }

    /// All of them, as they are.
    fn conjunction(&mut self, mut parts: Vec<Formula>) -> Formula {
        parts.sort_unstable();
        parts.dedup();
        match parts[..] {
            [one] => one,
            _ => self.intern(Node::And(parts.into())),
        }
    }

    /// The formula as a tree again.
    pub fn expr(&self, formula: Formula) -> Expr {
        let join = |op, parts: &[Formula]| {
            let parts = parts.iter().map(|&part| self.expr(part));
            parts.reduce(|a, b| Expr::binary(op, a, b)).expect("two at least")
        };
        match self.node(formula) {
            Node::True => Expr::new(Kind::Constant(true)),
            Node::False => Expr::new(Kind::Constant(false)),
            Node::Literal { proposition, positive } => {
                let proposition = Expr::new(Kind::Proposition(*proposition));
                if *positive { proposition } else { Expr::unary(Unary::Not, proposition) }
            }
            Node::And(parts) => join(Binary::And, parts),
            Node::Or(parts) => join(Binary::Or, parts),
            Node::Next(a) => Expr::unary(Unary::Next, self.expr(*a)),
            Node::Until(TRUE, a) => Expr::unary(Unary::Finally, self.expr(*a)),
            Node::Release(FALSE, a) => Expr::unary(Unary::Globally, self.expr(*a)),
            Node::Until(a, b) => Expr::binary(Binary::Until, self.expr(*a), self.expr(*b)),
            Node::Release(a, b) => Expr::binary(Binary::Release, self.expr(*a), self.expr(*b)),
        }
    }
}
