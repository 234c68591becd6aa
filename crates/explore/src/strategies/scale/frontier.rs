//! The frontier: nodes that are still to be expanded, and which comes next.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use threadbare_core::Random;

use super::nodes::NodeId;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The newest first, of one node's successors that of the first thread.
    #[default]
    DepthFirst,
    /// The oldest first: the shortest way to each bug.
    BreadthFirst,
    /// Depth first, with successors in an order by chance: the SCALE(seed) of the experiments.
    Random(u64),
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':').unwrap_or((text, "")) {
            ("dfs", "") => Ok(Order::DepthFirst),
            ("bfs", "") => Ok(Order::BreadthFirst),
            ("random", seed) => {
                seed.parse().map(Order::Random).map_err(|_| "random wants a seed, as in random:54".into())
            }
            _ => Err("there are dfs, bfs and random:SEED".into()),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::DepthFirst => f.write_str("dfs"),
            Order::BreadthFirst => f.write_str("bfs"),
            Order::Random(seed) => write!(f, "random:{seed}"),
        }
    }
}

pub struct Frontier {
    nodes: VecDeque<NodeId>,
    order: Order,
    random: Random,
}

impl Frontier {
    pub fn new(order: Order) -> Self {
        let seed = if let Order::Random(seed) = order { seed } else { 0 };
        Frontier { nodes: VecDeque::new(), order, random: Random::new(seed) }
    }

    pub fn add(&mut self, mut successors: Vec<NodeId>) {
        match self.order {
            Order::BreadthFirst => {}
            Order::DepthFirst => successors.reverse(),
            Order::Random(_) => {
                for i in (1..successors.len()).rev() {
                    successors.swap(i, self.random.below(i + 1));
                }
            }
        }
        self.nodes.extend(successors);
    }

    pub fn pick(&mut self) -> Option<NodeId> {
        match self.order {
            Order::BreadthFirst => self.nodes.pop_front(),
            Order::DepthFirst | Order::Random(_) => self.nodes.pop_back(),
        }
    }
}
