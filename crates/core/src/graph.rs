//! A directed graph that is searched while it is found: the states of a machine, the product of those with an automaton,
//! the lattice of a recorded execution.

use std::hash::Hash;

/// Acceptance sets, as bits. An edge that is in all sets, and in those that do not exist, has `ALL`.
pub type Marks = u128;

pub const ALL: Marks = Marks::MAX;

/// An edge, and what makes a search go along it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arc<Step, Node> {
    pub step: Step,
    pub to: Node,
    pub marks: Marks,
}

pub trait Graph {
    type Node: Copy + Eq + Hash;
    /// How an edge is called: a thread and its choice.
    type Step: Copy;

    fn initial(&mut self) -> Self::Node;

    /// A small number of its own for each node, if there is one: a search may then keep what it knows of nodes in a list.
    fn place(&self, _node: Self::Node) -> Option<usize> {
        None
    }

    /// Puts the edges of a node behind others. A depth-first search asks for those of a node right after it has come there for
    /// the first time; what has been asked for once may be asked for again at any time.
    fn add_successors(&mut self, node: Self::Node, edges: &mut Vec<Arc<Self::Step, Self::Node>>);

    /// The edges of a node.
    fn successors(&mut self, node: Self::Node) -> Vec<Arc<Self::Step, Self::Node>> {
        let mut edges = Vec::new();
        self.add_successors(node, &mut edges);
        edges
    }
}
