//! Wakeup trees (Abdulla, Aronis, Jonsson, Sagonas: "Optimal dynamic partial order reduction", POPL 2014): the sequences
//! that are still to be explored from each state of the path, as ordered trees in one arena.

use crate::label::{Label, Labels};

/// The children of a node, or of the state itself: the first one, linked to the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tree(u32);

const NIL: u32 = u32::MAX;

impl Tree {
    pub const EMPTY: Tree = Tree(NIL);

    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == NIL
    }
}

struct Node {
    label: Label,
    children: Tree,
    next: u32,
}

#[derive(Default)]
pub struct Forest {
    nodes: Vec<Node>,
    free: Vec<u32>,
}

impl Forest {
    #[inline]
    fn node(&mut self, label: Label) -> u32 {
        let node = Node { label, children: Tree::EMPTY, next: NIL };
        match self.free.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    /// Takes the first child out of the tree, with what comes below it.
    #[inline]
    pub fn pop_first(&mut self, tree: &mut Tree) -> Option<(Label, Tree)> {
        if tree.is_empty() {
            return None;
        }
        let at = tree.0;
        let node = &self.nodes[at as usize];
        let (label, children) = (node.label, node.children);
        tree.0 = node.next;
        self.free.push(at);
        Some((label, children))
    }

    #[inline]
    pub fn single(&mut self, label: Label) -> Tree {
        Tree(self.node(label))
    }

    /// Gives back all that is below.
    pub fn discard(&mut self, tree: Tree) {
        let mut rest = vec![tree.0];
        while let Some(mut at) = rest.pop() {
            while at != NIL {
                let node = &self.nodes[at as usize];
                rest.push(node.children.0);
                self.free.push(at);
                at = node.next;
            }
        }
    }

    /// Adds the sequence `v`, unless what it leads to is in the tree already. `v` is used up.
    pub fn insert(&mut self, labels: &Labels, tree: &mut Tree, v: &mut Vec<Label>) -> bool {
        // The list of siblings that is looked at: the state's own, or those below `parent`.
        let mut parent = NIL;
        'down: loop {
            let mut at = if parent == NIL { tree.0 } else { self.nodes[parent as usize].children.0 };
            let mut last = NIL;
            while at != NIL {
                let x = self.nodes[at as usize].label;
                if labels.weak_initial(&x, v) {
                    if self.nodes[at as usize].children.is_empty() {
                        return false;
                    }
                    if let Some(i) = v.iter().position(|y| y.tid == x.tid) {
                        v.remove(i);
                    }
                    parent = at;
                    continue 'down;
                }
                last = at;
                at = self.nodes[at as usize].next;
            }
            let mut link = NIL;
            for &label in v.iter().rev() {
                let node = self.node(label);
                self.nodes[node as usize].children = Tree(link);
                link = node;
            }
            match (last, parent) {
                (NIL, NIL) => tree.0 = link,
                (NIL, parent) => self.nodes[parent as usize].children = Tree(link),
                (last, _) => self.nodes[last as usize].next = link,
            }
            return link != NIL;
        }
    }

    /// Source mode: one step at the end of the siblings.
    pub fn append(&mut self, tree: &mut Tree, label: Label) {
        let node = self.node(label);
        let mut at = &mut tree.0;
        if *at == NIL {
            *at = node;
            return;
        }
        let mut last = *at;
        while self.nodes[last as usize].next != NIL {
            last = self.nodes[last as usize].next;
        }
        at = &mut self.nodes[last as usize].next;
        *at = node;
    }

    /// A copy of a tree of another forest.
    pub fn graft(&mut self, other: &Forest, tree: Tree, mut label: impl FnMut(&Label) -> Label) -> Tree {
        let mut copy = Tree::EMPTY;
        // Where to go on: the next sibling over there, and the one before it here, or the parent if it is the first.
        let mut rest = vec![(tree.0, NIL, NIL)];
        while let Some((at, before, parent)) = rest.pop() {
            let Some(node) = other.nodes.get(at as usize) else { continue };
            let new = self.node(label(&node.label));
            match (before, parent) {
                (NIL, NIL) => copy.0 = new,
                (NIL, parent) => self.nodes[parent as usize].children.0 = new,
                (before, _) => self.nodes[before as usize].next = new,
            }
            rest.push((node.next, new, parent));
            rest.push((node.children.0, NIL, new));
        }
        copy
    }

    pub fn siblings(&self, tree: Tree) -> impl Iterator<Item = &Label> {
        let mut at = tree.0;
        std::iter::from_fn(move || {
            let node = self.nodes.get(at as usize)?;
            at = node.next;
            Some(&node.label)
        })
    }
}
