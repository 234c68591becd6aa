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

/// Of an automaton with more, a node of the graph meets few.
const MOST_STATES_IN_A_LIST: usize = 16;

pub struct Product<'a, G: Graph> {
    graph: &'a mut G,
    automaton: &'a Automaton,
    /// For the edges of a node of the graph.
    room: Vec<Arc<G::Step, G::Node>>,
}

impl<'a, G: Graph> Product<'a, G> {
    pub fn new(graph: &'a mut G, automaton: &'a Automaton) -> Self {
        Product { graph, automaton, room: Vec::new() }
    }
}

impl<G: Labelled> Graph for Product<'_, G> {
    type Node = (G::Node, StateId);
    type Step = G::Step;

    fn initial(&mut self) -> Self::Node {
        (self.graph.initial(), 0)
    }

    fn place(&self, (node, state): Self::Node) -> Option<usize> {
        let states = self.automaton.edges.len();
        let place = self.graph.place(node).filter(|_| states <= MOST_STATES_IN_A_LIST)?;
        Some(place * states + state as usize)
    }

    fn add_successors(&mut self, (node, state): Self::Node, arcs: &mut Vec<Arc<G::Step, Self::Node>>) {
        let letter = self.graph.letter(node);
        let mut reads = self.automaton.edges[state as usize].iter().filter(|edge| edge.label.has(letter)).peekable();
        if reads.peek().is_none() {
            return;
        }
        self.room.clear();
        self.graph.add_successors(node, &mut self.room);
        let unused = !self.automaton.all_marks();
        for edge in reads {
            let own = Marks::from(edge.marks | unused) << MARKS_OF_GRAPH;
            let both =
                |arc: &Arc<G::Step, G::Node>| Arc { step: arc.step, to: (arc.to, edge.to), marks: arc.marks | own };
            arcs.extend(self.room.iter().map(both));
        }
    }
}
