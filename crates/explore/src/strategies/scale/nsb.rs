//! NotSeenBefore (SCALE, algorithm 3): a node that was expanded before is not expanded again.
//!
//! Nodes are told apart by hashes of 128 bits. SCALE's are shorter, and miss a handful of nodes in a few million (its
//! tables 6.1 to 6.3 against our counts); `nsb=exact` compares the graphs themselves. `nsb=N` keeps at most N hashes, as
//! section 4.2.1 proposes: a newer one takes the place of an older one, and what was forgotten is explored again.
//!
//! What differs: a node is noted only after all filters have spoken, and only if it was expanded as a whole. SCALE notes
//! every visited node. Then one inside a super step, of which only one thread was followed, counts as seen, and what the
//! other threads do from there is lost when the search comes to it in another way.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use threadbare_core::Fingerprint;

use super::filters::{At, Filter, Memory, Removal, Successor};
use super::nodes::{NodeId, Nodes};

/// H: what was seen.
trait Seen {
    fn contains(&self, nodes: &Nodes, node: NodeId) -> bool;
    fn insert(&mut self, nodes: &mut Nodes, node: NodeId);
}

struct Hashes(FxHashSet<Fingerprint>);

impl Seen for Hashes {
    fn contains(&self, nodes: &Nodes, node: NodeId) -> bool {
        self.0.contains(&nodes[node].key)
    }

    fn insert(&mut self, nodes: &mut Nodes, node: NodeId) {
        self.0.insert(nodes[node].key);
    }
}

#[derive(Default)]
struct Graphs(FxHashMap<Fingerprint, SmallVec<[NodeId; 1]>>);

impl Seen for Graphs {
    fn contains(&self, nodes: &Nodes, node: NodeId) -> bool {
        self.0.get(&nodes[node].key).is_some_and(|known| known.iter().any(|&other| nodes.same_graph(node, other)))
    }

    fn insert(&mut self, nodes: &mut Nodes, node: NodeId) {
        if !self.contains(nodes, node) {
            nodes.hold(node);
            self.0.entry(nodes[node].key).or_default().push(node);
        }
    }
}

/// Each hash has its place.
struct Cache(Vec<Fingerprint>);

impl Cache {
    fn place(&self, key: Fingerprint) -> usize {
        (key.0 % self.0.len() as u128) as usize
    }
}

impl Seen for Cache {
    fn contains(&self, nodes: &Nodes, node: NodeId) -> bool {
        let key = nodes[node].key;
        self.0[self.place(key)] == key
    }

    fn insert(&mut self, nodes: &mut Nodes, node: NodeId) {
        let key = nodes[node].key;
        let place = self.place(key);
        self.0[place] = key;
    }
}

pub struct NotSeenBefore<S> {
    seen: S,
}

pub fn not_seen_before(memory: Memory) -> Box<dyn Filter> {
    match memory {
        Memory::Hashes => Box::new(NotSeenBefore { seen: Hashes(FxHashSet::default()) }),
        Memory::Exact => Box::new(NotSeenBefore { seen: Graphs::default() }),
        Memory::Cache(size) => Box::new(NotSeenBefore { seen: Cache(vec![Fingerprint(u128::MAX); size]) }),
    }
}

impl<S: Seen> Filter for NotSeenBefore<S> {
    fn filter(&mut self, at: &mut At, successors: &mut Vec<Successor>) -> Removal {
        successors.retain(|successor| self.wants(at.nodes, successor.node));
        Removal::Elsewhere
    }

    fn expanded(&mut self, at: &mut At) {
        self.seen.insert(at.nodes, at.node);
    }

    fn wants(&self, nodes: &Nodes, node: NodeId) -> bool {
        !self.seen.contains(nodes, node)
    }
}
