//! CTL on a graph that is there as a whole, by labelling (E. Clarke, E. Emerson, A. Sistla: "Automatic verification of
//! finite-state concurrent systems using temporal logic specifications", TOPLAS 1986, section 3): for each formula in
//! the formula the set of nodes in which it holds, from the inside out, each in time linear in the graph.
//!
//! `EX`, `E[a U b]` and `EG` are enough; the others come by negation. What differs from the paper: `EG` takes nodes away that have
//! no successor left, by counting, where the paper looks for strongly connected parts.
//!
//! Every node has a successor.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use threadbare_core::source::{Complaint, Result};

use crate::semantics::Letter;
use crate::syntax::{Binary, Expr, Kind, Quantifier, Unary};

pub type NodeId = u32;

/// A graph, and what holds in its nodes.
#[derive(Clone, Debug, Default)]
pub struct Kripke {
    pub initial: Vec<NodeId>,
    pub letters: Vec<Letter>,
    /// The successors of node n are `targets[starts[n]..starts[n + 1]]`.
    pub starts: Vec<u32>,
    pub targets: Vec<NodeId>,
}

impl Kripke {
    pub fn successors(&self, node: NodeId) -> &[NodeId] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    fn nodes(&self) -> usize {
        self.letters.len()
    }
}

/// The operators that are enough. Formulas are numbers, each behind those that it is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Core {
    True,
    Proposition(u8),
    Not(usize),
    And(usize, usize),
    ExistsNext(usize),
    ExistsUntil(usize, usize),
    ExistsGlobally(usize),
}

/// Nodes, a bit each.
#[derive(Clone)]
struct Nodes(Vec<u64>);

impl Nodes {
    fn of(count: usize, test: impl Fn(usize) -> bool) -> Nodes {
        let mut bits = vec![0; count.div_ceil(64)];
        (0..count).filter(|&node| test(node)).for_each(|node| bits[node / 64] |= 1 << (node % 64));
        Nodes(bits)
    }

    fn has(&self, node: usize) -> bool {
        self.0[node / 64] >> (node % 64) & 1 == 1
    }

    fn set(&mut self, node: usize, value: bool) {
        match value {
            true => self.0[node / 64] |= 1 << (node % 64),
            false => self.0[node / 64] &= !(1 << (node % 64)),
        }
    }
}

/// Whether it is a formula of CTL: each operator of time has its quantifier in front of it.
pub fn well_formed(expr: &Expr) -> Result<()> {
    let star = |part: &Expr| {
        Err(Complaint::at(
            part.span,
            "this is neither LTL nor CTL: operators of time are nested under one quantifier, with others inside",
        )
        .note("in CTL each of `X F G U R W` has an `A` or `E` of its own; in LTL there is none, or one around all"))
    };
    match &expr.kind {
        Kind::Constant(_) | Kind::Proposition(_) => Ok(()),
        Kind::Unary(Unary::Not, a) => well_formed(a),
        Kind::Binary(op, a, b) if !op.is_temporal() => well_formed(a).and_then(|()| well_formed(b)),
        Kind::Path(_, body) => match &body.kind {
            Kind::Unary(op, a) if *op != Unary::Not => well_formed(a),
            Kind::Binary(op, a, b) if op.is_temporal() => well_formed(a).and_then(|()| well_formed(b)),
            _ => star(body),
        },
        Kind::Unary(..) | Kind::Binary(..) => Err(Complaint::at(
            expr.span,
            "an operator of time without `A` or `E` in front of it, in a formula that has these",
        )
        .note("`A[…]` around a formula of LTL says that it holds on all paths")),
        Kind::Relation(..) => Err(Complaint::at(
            expr.span,
            "a relation between events is about the whole execution: it stands in no operator of time",
        )),
    }
}

/// A formula on a graph, with where its parts hold.
pub struct Labelling<'k> {
    graph: &'k Kripke,
    formulas: Vec<Core>,
    numbers: FxHashMap<Core, usize>,
    holds: Vec<Nodes>,
    root: usize,
    /// The predecessors, laid out as the successors are.
    back: (Vec<u32>, Vec<NodeId>),
}

impl<'k> Labelling<'k> {
    /// The formula must be `well_formed`.
    pub fn new(graph: &'k Kripke, formula: &Expr) -> Labelling<'k> {
        let back = reversed(graph);
        let (formulas, numbers, holds) = (Vec::new(), FxHashMap::default(), Vec::new());
        let mut labelling = Labelling { graph, formulas, numbers, holds, root: 0, back };
        labelling.root = labelling.read(formula);
        labelling
    }

    pub fn holds(&self, node: NodeId) -> bool {
        self.holds[self.root].has(node as usize)
    }

    fn add(&mut self, core: Core) -> usize {
        if let Core::Not(a) = core
            && let Core::Not(inner) = self.formulas[a]
        {
            return inner;
        }
        if let Some(&known) = self.numbers.get(&core) {
            return known;
        }
        let nodes = self.label(core);
        self.formulas.push(core);
        self.holds.push(nodes);
        self.numbers.insert(core, self.formulas.len() - 1);
        self.formulas.len() - 1
    }

    fn not(&mut self, a: usize) -> usize {
        self.add(Core::Not(a))
    }

    fn or(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.not(a), self.not(b));
        let and = self.add(Core::And(a, b));
        self.not(and)
    }

    fn read(&mut self, expr: &Expr) -> usize {
        match &expr.kind {
            Kind::Constant(value) => {
                let yes = self.add(Core::True);
                if *value { yes } else { self.not(yes) }
            }
            Kind::Proposition(p) => self.add(Core::Proposition(*p)),
            Kind::Unary(Unary::Not, a) => {
                let a = self.read(a);
                self.not(a)
            }
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                match op {
                    Binary::And => self.add(Core::And(a, b)),
                    Binary::Or => self.or(a, b),
                    Binary::Implies => {
                        let not_a = self.not(a);
                        self.or(not_a, b)
                    }
                    Binary::Iff => {
                        let (not_a, not_b) = (self.not(a), self.not(b));
                        let (there, back) = (self.or(not_a, b), self.or(not_b, a));
                        self.add(Core::And(there, back))
                    }
                    Binary::Until | Binary::Release | Binary::WeakUntil => unreachable!("well formed"),
                }
            }
            Kind::Path(quantifier, body) => self.read_path(*quantifier, body),
            Kind::Unary(..) | Kind::Relation(..) => unreachable!("well formed"),
        }
    }

    /// `A` of a path formula is the negation of `E` of its negation, and negations go inwards.
    fn read_path(&mut self, quantifier: Quantifier, body: &Expr) -> usize {
        let all = quantifier == Quantifier::All;
        let turned = |labelling: &mut Self, a: usize| if all { labelling.not(a) } else { a };
        let exists = match &body.kind {
            Kind::Unary(op, a) => {
                let a = self.read(a);
                let a = turned(self, a);
                match (op, all) {
                    (Unary::Next, _) => self.add(Core::ExistsNext(a)),
                    (Unary::Finally, false) | (Unary::Globally, true) => {
                        let yes = self.add(Core::True);
                        self.add(Core::ExistsUntil(yes, a))
                    }
                    _ => self.add(Core::ExistsGlobally(a)),
                }
            }
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                // a W b is b R (a | b).
                let (a, b) = if *op == Binary::WeakUntil { (b, self.or(a, b)) } else { (a, b) };
                let (a, b) = (turned(self, a), turned(self, b));
                match (*op == Binary::Until) != all {
                    true => self.add(Core::ExistsUntil(a, b)),
                    // E[a R b]: b for ever, or until both hold.
                    false => {
                        let both = self.add(Core::And(a, b));
                        let (ever, until) = (self.add(Core::ExistsGlobally(b)), self.add(Core::ExistsUntil(b, both)));
                        self.or(ever, until)
                    }
                }
            }
            _ => unreachable!("well formed"),
        };
        turned(self, exists)
    }

    fn label(&self, core: Core) -> Nodes {
        let count = self.graph.nodes();
        let holds = |formula: usize, node: usize| self.holds[formula].has(node);
        match core {
            Core::True => Nodes::of(count, |_| true),
            Core::Proposition(p) => Nodes::of(count, |node| self.graph.letters[node] >> p & 1 == 1),
            Core::Not(a) => Nodes::of(count, |node| !holds(a, node)),
            Core::And(a, b) => Nodes::of(count, |node| holds(a, node) && holds(b, node)),
            Core::ExistsNext(a) => {
                Nodes::of(count, |node| self.graph.successors(node as NodeId).iter().any(|&to| holds(a, to as usize)))
            }
            Core::ExistsUntil(a, b) => {
                let mut nodes = self.holds[b].clone();
                let mut open: Vec<usize> = (0..count).filter(|&node| nodes.has(node)).collect();
                while let Some(node) = open.pop() {
                    for &from in self.predecessors(node) {
                        let from = from as usize;
                        if holds(a, from) && !nodes.has(from) {
                            nodes.set(from, true);
                            open.push(from);
                        }
                    }
                }
                nodes
            }
            Core::ExistsGlobally(a) => {
                let mut nodes = self.holds[a].clone();
                let staying =
                    |node: usize| self.graph.successors(node as NodeId).iter().filter(|&&to| holds(a, to as usize));
                let mut left: Vec<u32> = (0..count).map(|node| staying(node).count() as u32).collect();
                let mut open: Vec<usize> = (0..count).filter(|&node| nodes.has(node) && left[node] == 0).collect();
                open.iter().for_each(|&node| nodes.set(node, false));
                while let Some(node) = open.pop() {
                    for &from in self.predecessors(node) {
                        let from = from as usize;
                        left[from] -= 1;
                        if left[from] == 0 && nodes.has(from) {
                            nodes.set(from, false);
                            open.push(from);
                        }
                    }
                }
                nodes
            }
        }
    }

    fn predecessors(&self, node: usize) -> &[NodeId] {
        &self.back.1[self.back.0[node] as usize..self.back.0[node + 1] as usize]
    }

    /// A path from a node that shows why the formula holds there, or why it does not, as far as one path can show it: to
    /// where it leads, and if it goes round, up to the node that it comes back to.
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path = vec![node];
        self.explain(self.root, self.holds(node), &mut path);
        path
    }

    /// Why a formula holds (or does not) at the end of the path, which is made longer.
    fn explain(&self, formula: usize, value: bool, path: &mut Vec<NodeId>) {
        let node = *path.last().expect("it has a first node");
        let holds = |formula: usize, node: NodeId| self.holds[formula].has(node as usize);
        match (self.formulas[formula], value) {
            (Core::True | Core::Proposition(_), _) => {}
            (Core::Not(a), _) => self.explain(a, !value, path),
            // One path cannot show both: the part that shows more.
            (Core::And(a, b), true) => {
                let of = |part: usize| {
                    let mut longer = path.clone();
                    self.explain(part, true, &mut longer);
                    longer
                };
                let (with_a, with_b) = (of(a), of(b));
                *path = if with_a.len() >= with_b.len() { with_a } else { with_b };
            }
            (Core::And(a, b), false) => {
                let part = if holds(a, node) { b } else { a };
                self.explain(part, false, path);
            }
            (Core::ExistsNext(a), true) => {
                let to = self.graph.successors(node).iter().find(|&&to| holds(a, to)).expect("it holds");
                path.push(*to);
                self.explain(a, true, path);
            }
            (Core::ExistsUntil(a, b), true) => {
                let way = self.shortest(node, |n| holds(a, n), |n| holds(b, n)).expect("it holds");
                path.extend(way);
                self.explain(b, true, path);
            }
            (Core::ExistsGlobally(_), true) => {
                let mut at = node;
                let mut seen = rustc_hash::FxHashSet::from_iter([at]);
                loop {
                    at = *self.graph.successors(at).iter().find(|&&to| holds(formula, to)).expect("it holds");
                    if !seen.insert(at) {
                        break;
                    }
                    path.push(at);
                }
            }
            // That no path is so, no path can show.
            (Core::ExistsNext(_) | Core::ExistsUntil(..) | Core::ExistsGlobally(_), false) => {}
        }
    }

    /// The nodes behind the first one on a shortest path to a wanted node.
    fn shortest(
        &self,
        from: NodeId,
        may: impl Fn(NodeId) -> bool,
        wanted: impl Fn(NodeId) -> bool,
    ) -> Option<Vec<NodeId>> {
        let mut came: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        let mut open = VecDeque::from([from]);
        while let Some(node) = open.pop_front() {
            if wanted(node) {
                let (mut way, mut at) = (Vec::new(), node);
                while at != from {
                    way.push(at);
                    at = came[&at];
                }
                way.reverse();
                return Some(way);
            }
            if !may(node) {
                continue;
            }
            for &to in self.graph.successors(node) {
                if to != from && !came.contains_key(&to) {
                    came.insert(to, node);
                    open.push_back(to);
                }
            }
        }
        None
    }
}

fn reversed(graph: &Kripke) -> (Vec<u32>, Vec<NodeId>) {
    let count = graph.nodes();
    let mut starts = vec![0u32; count + 1];
    graph.targets.iter().for_each(|&to| starts[to as usize + 1] += 1);
    (0..count).for_each(|node| starts[node + 1] += starts[node]);
    let (mut next, mut sources) = (starts.clone(), vec![0; graph.targets.len()]);
    for node in 0..count as NodeId {
        for &to in graph.successors(node) {
            sources[next[to as usize] as usize] = node;
            next[to as usize] += 1;
        }
    }
    (starts, sources)
}
