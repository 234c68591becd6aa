//! What a filter is, and which there are.

use std::fmt;
use std::str::FromStr;

use super::nodes::{NodeId, Nodes};
use super::{cb, db, lcd, nsb, ss};
use crate::label::{Label, Labels};
use crate::strategies::superstep::SOUND;
use crate::strategies::walk::Offer;

/// The node that is being expanded.
pub struct At<'a> {
    pub nodes: &'a mut Nodes,
    pub labels: &'a Labels,
    pub node: NodeId,
    /// Every step that its state offers, whatever filters have removed: but for steps that go round, if those are filtered.
    pub moves: &'a [Label],
    /// What live threads would do that they cannot do now: those that wait, and choices that are not there.
    pub waiting: &'a [Label],
}

/// What a filter's removal means for the node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Removal {
    /// Nothing is lost: what is removed is explored elsewhere, or need not be. The node is done with.
    Elsewhere,
    /// What is removed is explored elsewhere only as seen from here: the same node met in another way is to be looked at again.
    FromHere,
    /// Something is lost, by one bound or the other.
    TooDeep,
    TooManyPreemptions,
}

/// A state filter (section 4.2): takes successors away from those of a node. What it notes of nodes it keeps itself.
pub trait Filter {
    /// A successor has come up. The time to note what filters after this one want to know.
    fn tag(&mut self, _at: &mut At, _successor: Successor) {}

    /// `Successors = f(Successors)`
    fn filter(&mut self, at: &mut At, successors: &mut Vec<Successor>) -> Removal;

    /// All filters have spoken. Unless it was explored only in part, the node is done with.
    fn expanded(&mut self, _at: &mut At) {}

    /// Whether a node that was put into the frontier is still wanted.
    fn wants(&self, _nodes: &Nodes, _node: NodeId) -> bool {
        true
    }
}

#[derive(Clone, Copy)]
pub struct Successor {
    pub node: NodeId,
    pub step: Offer,
}

/// How much NotSeenBefore keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// The hash of every node.
    Hashes,
    /// Every node, to compare graphs themselves.
    Exact,
    /// So many hashes.
    Cache(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FilterName {
    NotSeenBefore(Memory),
    DepthBounding(usize),
    LocalCycleDetection,
    SuperStepPor,
    ContextBounding(u32),
}

impl FilterName {
    fn make(self) -> Box<dyn Filter> {
        match self {
            FilterName::NotSeenBefore(memory) => nsb::not_seen_before(memory),
            FilterName::DepthBounding(most) => Box::new(db::DepthBounding(most)),
            FilterName::LocalCycleDetection => Box::new(lcd::LocalCycleDetection),
            FilterName::SuperStepPor => Box::new(ss::SuperStepPor::new(SOUND)),
            FilterName::ContextBounding(most) => Box::new(cb::ContextBounding::new(most)),
        }
    }

    fn kind(self) -> &'static str {
        match self {
            FilterName::NotSeenBefore(_) => "nsb",
            FilterName::DepthBounding(_) => "db",
            FilterName::LocalCycleDetection => "lcd",
            FilterName::SuperStepPor => "ss",
            FilterName::ContextBounding(_) => "cb",
        }
    }
}

impl fmt::Display for FilterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match self {
            FilterName::NotSeenBefore(Memory::Exact) => f.write_str("=exact"),
            FilterName::NotSeenBefore(Memory::Cache(size)) => write!(f, "={size}"),
            FilterName::DepthBounding(most) => write!(f, "={most}"),
            FilterName::ContextBounding(most) => write!(f, "={most}"),
            _ => Ok(()),
        }
    }
}

impl FromStr for FilterName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const THERE_ARE: &str = "there are nsb, nsb=N, nsb=exact, db=N, lcd, ss, cb=N";
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let number = |value: &str| value.parse::<u32>().map_err(|_| format!("{name}=N wants a number from 0 up"));
        Ok(match (name, value) {
            ("nsb", None) => FilterName::NotSeenBefore(Memory::Hashes),
            ("nsb", Some("exact")) => FilterName::NotSeenBefore(Memory::Exact),
            ("nsb", Some(size)) => FilterName::NotSeenBefore(Memory::Cache(number(size)?.max(1) as usize)),
            ("lcd", None) => FilterName::LocalCycleDetection,
            ("ss", None) => FilterName::SuperStepPor,
            ("db", Some(most)) => FilterName::DepthBounding(number(most)? as usize),
            ("cb", Some(most)) => FilterName::ContextBounding(number(most)?),
            ("db" | "cb", None) => return Err(format!("{name} wants its bound, as in {name}=2")),
            _ => return Err(format!("`{text}` is no filter; {THERE_ARE}")),
        })
    }
}

/// The filters in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Filters(Vec<FilterName>);

impl Default for Filters {
    fn default() -> Self {
        use FilterName::{LocalCycleDetection, NotSeenBefore, SuperStepPor};
        Filters(vec![NotSeenBefore(Memory::Hashes), LocalCycleDetection, SuperStepPor])
    }
}

impl FromStr for Filters {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Filters(Vec::new()));
        }
        let filters: Vec<FilterName> = text.split(',').map(str::parse).collect::<Result<_, _>>()?;
        for (i, filter) in filters.iter().enumerate() {
            if filters[..i].iter().any(|other| other.kind() == filter.kind()) {
                return Err(format!("{} comes twice", filter.kind()));
            }
        }
        let filters = Filters(filters);
        if filters.has("ss") && filters.has("cb") {
            return Err(
                "ss and cb do not go together: of the executions that ss takes for the same it keeps one, and that \
                        may need more context switches than another"
                    .into(),
            );
        }
        Ok(filters)
    }
}

impl fmt::Display for Filters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        let names: Vec<String> = self.0.iter().map(|filter| filter.to_string()).collect();
        f.write_str(&names.join(","))
    }
}

impl Filters {
    fn has(&self, kind: &str) -> bool {
        self.0.iter().any(|filter| filter.kind() == kind)
    }

    /// Whether steps that go round are removed.
    pub fn detects_cycles(&self) -> bool {
        self.has("lcd")
    }

    pub fn depth_bound(&self) -> Option<usize> {
        self.0.iter().find_map(|filter| if let FilterName::DepthBounding(most) = filter { Some(*most) } else { None })
    }

    pub fn context_bound(&self) -> Option<u32> {
        self.0.iter().find_map(|filter| if let FilterName::ContextBounding(most) = filter { Some(*most) } else { None })
    }

    pub fn compares_exactly(&self) -> bool {
        self.0.contains(&FilterName::NotSeenBefore(Memory::Exact))
    }

    /// The chain. Where no filter bounds the depth, one at its end does.
    pub fn make(&self, depth_bound: usize) -> Vec<Box<dyn Filter>> {
        let bound = self.depth_bound().is_none().then_some(FilterName::DepthBounding(depth_bound));
        self.0.iter().copied().chain(bound).map(FilterName::make).collect()
    }
}
