//! A graph and an automaton at once: the automaton reads what holds in each node of a path.

use threadbare_core::graph::{Arc, Graph, Marks};

use crate::automaton::{Automaton, StateId};
use crate::semantics::Letter;

/// A graph that says what holds in its nodes. The marks of its edges are below bit `MARKS_OF_GRAPH`; all others are not set.
pub trait Labelled: Graph {
    fn letter(&mut self, node: Self::Node) -> Letter;
}

/// The marks of the graph come first, then those of the automaton.
pub const MARKS_OF_GRAPH: u32 = 64;

pub struct Product<'a, G> {
    pub graph: &'a mut G,
    pub automaton: &'a Automaton,
}

impl<G: Labelled> Graph for Product<'_, G> {
    type Node = (G::Node, StateId);
    type Step = G::Step;

    fn initial(&mut self) -> Self::Node {
        (self.graph.initial(), 0)
    }

    fn successors(&mut self, (node, state): Self::Node) -> Vec<Arc<G::Step, Self::Node>> {
        let letter = self.graph.letter(node);
        let mut reads = self.automaton.edges[state as usize].iter().filter(|edge| edge.label.has(letter)).peekable();
        if reads.peek().is_none() {
            return Vec::new();
        }
        let arcs = self.graph.successors(node);
        let unused = !self.automaton.all_marks();
        reads
            .flat_map(|edge| {
                let own = Marks::from(edge.marks | unused) << MARKS_OF_GRAPH;
                arcs.iter().map(move |arc| Arc { step: arc.step, to: (arc.to, edge.to), marks: arc.marks | own })
            })
            .collect()
    }
}
