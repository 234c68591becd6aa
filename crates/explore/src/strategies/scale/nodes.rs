//! Representations of states: happens-before graphs, stored incrementally. A node is its parent and one more action; its
//! hash is that of the parent XOR that of the action, so that it does not matter in which order a set of actions came
//! about.
//!
//! An *extended action* says where an action stands in the graph. SCALE counts for each access how often its variable has
//! been written; here it is the clock of the action, how many actions of each thread happen before it. Both say the same,
//! but a clock needs no counters for bytes that overlap, for accesses that commute although they change something, or for
//! threads that are created and joined.

use std::ops::Index;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use threadbare_core::{Fingerprint, Hash128, Tid};

use crate::label::Label;
use crate::path::Path;
use crate::strategies::tree::Tree;

pub type NodeId = u32;

pub const ROOT: NodeId = 0;

pub struct Node {
    pub parent: NodeId,
    /// The action that extends the parent; the root has none.
    pub last_action: Option<Label>,
    /// How many actions the graph has.
    pub depth: u32,
    /// The hash of the graph, and of what filters want kept apart besides.
    pub key: Fingerprint,
    /// The number of the extended action, where graphs are compared exactly.
    action: u32,
    /// The frontier, its children and whoever else wants it to stay.
    holders: u32,
}

impl Node {
    pub fn last_thread(&self) -> Option<Tid> {
        self.last_action.map(|action| action.tid)
    }
}

pub struct Nodes {
    nodes: Vec<Node>,
    free: Vec<NodeId>,
    /// Every extended action that has come up, if graphs are compared exactly.
    exact: Option<FxHashMap<SmallVec<[u32; 12]>, u32>>,
}

impl Index<NodeId> for Nodes {
    type Output = Node;
    fn index(&self, node: NodeId) -> &Node {
        &self.nodes[node as usize]
    }
}

impl Tree for Nodes {
    fn parent(&self, node: NodeId) -> Option<(NodeId, Label)> {
        let node = &self[node];
        node.last_action.map(|action| (node.parent, action))
    }

    fn depth(&self, node: NodeId) -> u32 {
        self[node].depth
    }
}

impl Nodes {
    /// With the root, which the caller holds.
    pub fn new(exact: bool) -> Self {
        let root = Node {
            parent: ROOT,
            last_action: None,
            depth: 0,
            key: Fingerprint::default(),
            action: 0,
            // Nobody has to think of it.
            holders: 2,
        };
        Nodes { nodes: vec![root], free: Vec::new(), exact: exact.then(FxHashMap::default) }
    }

    /// extend(parent, action). The path leads to the parent. The caller holds the child.
    pub fn extend(&mut self, parent: NodeId, action: Label, path: &mut Path) -> NodeId {
        let words = extended(action, path);
        let mut hash = Hash128::new(0x5ca1e);
        words.iter().for_each(|&word| hash.word(word.into()));
        let number = self.exact.as_mut().map_or(0, |known| {
            let next = known.len() as u32;
            *known.entry(words).or_insert(next)
        });
        self.nodes[parent as usize].holders += 1;
        let Node { depth, key, .. } = self[parent];
        let node = Node {
            parent,
            last_action: Some(action),
            depth: depth + 1,
            key: key ^ hash.finish(),
            action: number,
            holders: 1,
        };
        match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    /// Nodes with other `what` are other nodes, even if their graphs are the same.
    pub fn keep_apart(&mut self, node: NodeId, what: Fingerprint) {
        self.nodes[node as usize].key ^= what;
    }

    pub fn hold(&mut self, node: NodeId) {
        self.nodes[node as usize].holders += 1;
    }

    pub fn release(&mut self, mut node: NodeId) {
        loop {
            let it = &mut self.nodes[node as usize];
            it.holders -= 1;
            if it.holders > 0 {
                return;
            }
            self.free.push(node);
            node = it.parent;
        }
    }

    /// Whether two graphs are the same. Only where they are compared exactly.
    pub fn same_graph(&self, a: NodeId, b: NodeId) -> bool {
        self[a].depth == self[b].depth && (a == b || self.actions(a) == self.actions(b))
    }

    fn actions(&self, node: NodeId) -> Vec<u32> {
        let mut actions: Vec<u32> = self.way_to(node).map(|node| node.action).collect();
        actions.sort_unstable();
        actions
    }

    /// The nodes from one up to the root, without that.
    fn way_to(&self, node: NodeId) -> impl Iterator<Item = &Node> {
        let mut at = node;
        std::iter::from_fn(move || {
            let node = &self[at];
            at = node.parent;
            node.last_action.map(|_| node)
        })
    }
}

/// Who, its how-manieth action, which, and what happens before it.
fn extended(action: Label, path: &mut Path) -> SmallVec<[u32; 12]> {
    path.push(action, |_| 0);
    let event = path.len() - 1;
    let clock = path.clock(event);
    let known = clock.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    let head = [action.tid.0.into(), path.events[event].number, action.operation as u32, action.choice.0];
    let words = head.into_iter().chain(clock[..known].iter().copied()).collect();
    path.pop();
    words
}

/// What a filter notes of nodes.
pub struct Tags<T>(Vec<Option<T>>);

impl<T> Default for Tags<T> {
    fn default() -> Self {
        Tags(Vec::new())
    }
}

impl<T> Tags<T> {
    pub fn get(&self, node: NodeId) -> Option<&T> {
        self.0.get(node as usize)?.as_ref()
    }

    pub fn set(&mut self, node: NodeId, tag: T) {
        let at = node as usize;
        if self.0.len() <= at {
            self.0.resize_with(at + 1, || None);
        }
        self.0[at] = Some(tag);
    }
}
