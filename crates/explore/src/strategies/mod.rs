//! The named strategies: one table of what there is, and one way to run them all on any machine.

mod branches;
mod depth_first;
mod dfs;
mod dpor;
#[cfg(test)]
mod flaws;
mod graph;
mod pct;
mod pos;
mod random;
mod sampling;
mod scale;
mod sdpor;
mod sleep;
mod spor;
mod stateful;
mod superstep;
mod tree;
mod urw;
mod visited;
mod walk;

use std::fmt;

use threadbare_core::Machine;

use crate::crew::{self, Alone, Hand, Help, Shared, Workers};
use crate::dpor::{Dpor as Wakeup, Keep, Task};
use crate::search::{Search, Totals};
use depth_first::depth_first;
pub use graph::waits_for_good;
use sampling::sample;
pub use scale::{Filters, Order};
pub use sdpor::Capture;

/// What a strategy is given besides the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The most events of an execution. A search that stores states keeps them apart by depth if there is one.
    pub depth_bound: usize,
    /// The most preemptions of an execution: steps of another thread where the last one could have gone on and did not
    /// stand in a loop that may wait.
    pub context_bound: Option<u32>,
    /// For strategies that go by chance.
    pub seed: u64,
    pub runs: u64,
    /// For `scale`.
    pub filters: Filters,
    pub order: Order,
    /// For `sdpor`.
    pub capture: Capture,
    /// For `stateful`: store only the ends of super steps.
    pub superstep: bool,
    /// Stored states are known by all of them. If not, a cycle of them is none of the program.
    pub whole_states: bool,
    /// For `graph`: one worker goes on until so many transitions have come without an operation that is new, and learns
    /// whom to begin with.
    pub learns_for: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            depth_bound: usize::MAX,
            context_bound: None,
            seed: 0,
            runs: 1000,
            filters: Filters::default(),
            order: Order::default(),
            capture: Capture::default(),
            superstep: false,
            whole_states: true,
            learns_for: 1 << 13,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Strategy {
    Optimal,
    Source,
    Dfs,
    Stateful,
    Sleep,
    StatefulSleep,
    Spor,
    StatefulSpor,
    Dpor,
    DporSleep,
    Sdpor,
    Graph,
    SporSleep,
    Scale,
    Random,
    Pct(u32),
    Pos,
    Urw,
}

/// What a strategy explores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// At least one execution of every trace.
    EveryTrace,
    /// Every state that matters, by exact fingerprints. How it was reached is forgotten.
    EveryState,
    /// Some executions.
    Sample,
}

/// What a machine must be able to tell besides the next operations of its threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// `Machine::fingerprint`
    pub fingerprints: bool,
    /// And what is ordered belongs to them: a data race hangs on it.
    pub order: bool,
    /// `Machine::may_access`, or everything counts as a conflict.
    pub may_access: bool,
    /// Every visible operation as a step of its own, since all interleavings or states are counted.
    pub every_step: bool,
    /// A join is a step of its own where the machine could do without: the runs of SCALE's tables and the states of the
    /// seeds' programs are counted so.
    pub join_steps: bool,
}

/// Every strategy with its name and a line of help. `D` in a name is a number.
const TABLE: &[(Strategy, &str, &str)] = &[
    (Strategy::Optimal, "optimal", "optimal dynamic partial-order reduction: every trace exactly once"),
    (Strategy::Source, "source", "source sets: bounded memory, some executions turn out redundant"),
    (Strategy::Dfs, "dfs", "every interleaving"),
    (Strategy::Stateful, "stateful", "every state once; ends where programs run for ever"),
    (Strategy::Sleep, "sleep", "sleep sets: every trace once, some paths turn out redundant"),
    (Strategy::StatefulSleep, "stateful+sleep", "every state, with fewer transitions"),
    (Strategy::Spor, "spor", "persistent sets from what each thread may still touch"),
    (Strategy::SporSleep, "spor+sleep", "the same with sleep sets"),
    (Strategy::StatefulSpor, "stateful+spor", "persistent sets on stored states"),
    (Strategy::Dpor, "dpor", "dynamic partial-order reduction with backtracking sets"),
    (Strategy::DporSleep, "dpor+sleep", "the same with sleep sets: every trace once"),
    (Strategy::Sdpor, "sdpor", "the same on stored states (--capture): fewer of them than there are"),
    (
        Strategy::Graph,
        "graph",
        "the same by what may come after each state: for endless programs and long queues at one lock",
    ),
    (Strategy::Scale, "scale", "happens-before graphs with filters (--filters, --order): every trace"),
    (Strategy::Random, "random", "random walks (--runs, --seed)"),
    (Strategy::Pct(0), "pct:D", "random priorities with D - 1 changes, for bugs of depth D"),
    (Strategy::Pos, "pos", "random priorities for operations, drawn anew after a race"),
    (Strategy::Urw, "urw", "random walks that make interleavings equally likely"),
];

/// Why a name is no strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoStrategy {
    Unknown,
    /// `pct` wants a number from 1 up.
    Depth,
}

impl fmt::Display for NoStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = TABLE.iter().map(|(_, name, _)| *name).collect();
        let there_are = format!("there are {}", names.join(", "));
        match self {
            NoStrategy::Unknown => f.write_str(&there_are),
            NoStrategy::Depth => f.write_str("the depth of the bugs is a number from 1 to 100, as in pct:3"),
        }
    }
}

impl std::error::Error for NoStrategy {}

impl std::str::FromStr for Strategy {
    type Err = NoStrategy;

    fn from_str(text: &str) -> Result<Self, NoStrategy> {
        let (name, argument) = match text.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (text, None),
        };
        if name == "pct" {
            let depth = argument.and_then(|depth| depth.parse().ok()).filter(|depth| (1..=100).contains(depth));
            return depth.map(Strategy::Pct).ok_or(NoStrategy::Depth);
        }
        match TABLE.iter().find(|(_, known, _)| *known == text) {
            Some((strategy, _, _)) => Ok(*strategy),
            None => Err(NoStrategy::Unknown),
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Strategy::Pct(depth) = self {
            return write!(f, "pct:{depth}");
        }
        let row = TABLE.iter().find(|(strategy, _, _)| strategy == self);
        f.write_str(row.map_or("", |(_, name, _)| name))
    }
}

impl Strategy {
    /// Names and a line of help each.
    pub fn table() -> impl Iterator<Item = (&'static str, &'static str)> {
        TABLE.iter().map(|(_, name, help)| (*name, *help))
    }

    pub fn kind(self) -> Kind {
        match self {
            Strategy::Stateful
            | Strategy::StatefulSleep
            | Strategy::StatefulSpor
            | Strategy::Sdpor
            | Strategy::Graph => Kind::EveryState,
            Strategy::Random | Strategy::Pct(_) | Strategy::Pos | Strategy::Urw => Kind::Sample,
            _ => Kind::EveryTrace,
        }
    }

    pub fn needs(self) -> Needs {
        Needs {
            fingerprints: self.kind() == Kind::EveryState,
            order: self == Strategy::Graph,
            may_access: matches!(self, Strategy::Spor | Strategy::SporSleep | Strategy::StatefulSpor),
            every_step: !matches!(self, Strategy::Optimal | Strategy::Source),
            join_steps: matches!(self, Strategy::Scale | Strategy::Stateful),
        }
    }

    /// Why it cannot keep to a bound on preemptions and still find all there is within it.
    pub fn cannot_bound_contexts(self) -> Option<&'static str> {
        match self {
            Strategy::Dfs | Strategy::Stateful | Strategy::Dpor => None,
            _ if self.kind() == Kind::Sample => None,
            Strategy::Sleep | Strategy::StatefulSleep | Strategy::SporSleep | Strategy::DporSleep => Some(
                "sleep sets leave an execution out because one with its steps in another order is explored, which may need \
                 more preemptions",
            ),
            Strategy::Spor | Strategy::StatefulSpor | Strategy::Sdpor | Strategy::Graph => {
                Some("it leaves out threads that can wait, and to come back to them may take more preemptions")
            }
            Strategy::Scale => Some("its bound is the filter cb=N of --filters"),
            _ => Some("it explores one execution of each trace, which may need more preemptions than another one"),
        }
    }

    /// Whether what it explores of executions up to a bound on their length is all there is.
    pub fn explores_all_up_to_a_depth(self) -> bool {
        matches!(self, Strategy::Dfs | Strategy::Stateful | Strategy::Sleep | Strategy::StatefulSleep)
    }

    /// Whether states may be known by less than all of them: it goes on from the first that it meets, and what it keeps of a
    /// state is about that one.
    pub fn can_match_by_less(self) -> bool {
        matches!(self, Strategy::Stateful | Strategy::Graph)
    }

    /// Why it cannot be shared by several workers and still come to the same result.
    pub fn cannot_share(self) -> Option<&'static str> {
        match self {
            Strategy::Scale => {
                Some("the order in which it takes graphs from its frontier decides what its filters drop")
            }
            _ if self.kind() == Kind::EveryState && self != Strategy::Graph => {
                Some("its workers would have to share what they store, which is not yet available")
            }
            _ => None,
        }
    }

    pub fn run<M: Machine, S: Search<M>>(self, machine: &mut M, settings: &Settings, search: &mut S) -> Totals {
        self.explore(machine, settings, search, &Alone).totals
    }

    /// The same with the help of others, if it can be shared.
    pub fn run_with<M: Machine + Send, S: Search<M> + Send>(
        self,
        machine: &mut M,
        settings: &Settings,
        search: &mut S,
        help: &Help<M, S>,
    ) -> Shared<M, S> {
        self.explore(machine, settings, search, help)
    }

    fn explore<M: Machine, S: Search<M>>(
        self,
        machine: &mut M,
        settings: &Settings,
        search: &mut S,
        workers: &impl Workers<M, S>,
    ) -> Shared<M, S> {
        match self {
            Strategy::Optimal => wakeup(workers, machine, settings, search, Keep::Sequences),
            Strategy::Source => wakeup(workers, machine, settings, search, Keep::FirstSteps),
            Strategy::Dfs => depth_first(workers, machine, settings, search, || dfs::Dfs),
            Strategy::Stateful if settings.superstep => {
                let rule = || superstep::StatefulSuperstep::new(settings, superstep::SOUND);
                depth_first(&Alone, machine, settings, search, rule)
            }
            Strategy::Stateful => depth_first(&Alone, machine, settings, search, || stateful::Stateful::new(settings)),
            Strategy::Sleep => depth_first(workers, machine, settings, search, || sleep::Sleep),
            Strategy::StatefulSleep => {
                depth_first(&Alone, machine, settings, search, || sleep::StatefulSleep::new(settings))
            }
            Strategy::Spor => depth_first(workers, machine, settings, search, || spor::Spor),
            Strategy::StatefulSpor => {
                depth_first(&Alone, machine, settings, search, || spor::StatefulSpor::new(settings))
            }
            Strategy::SporSleep => depth_first(workers, machine, settings, search, || spor::SporSleep),
            Strategy::Dpor => depth_first(workers, machine, settings, search, dpor::Dpor::new),
            Strategy::DporSleep => depth_first(workers, machine, settings, search, dpor::Dpor::with_sleep_sets),
            Strategy::Sdpor => Shared::alone(sdpor::sdpor(machine, settings, search)),
            Strategy::Graph => graph::graph(workers, machine, settings, search),
            Strategy::Scale => Shared::alone(scale::scale(machine, settings, search)),
            Strategy::Random => sample(workers, machine, settings, search, || random::RandomWalk),
            Strategy::Pct(depth) => sample(workers, machine, settings, search, || pct::Pct::new(depth)),
            Strategy::Pos => sample(workers, machine, settings, search, pos::Pos::new),
            Strategy::Urw => sample(workers, machine, settings, search, urw::Urw::default),
        }
    }
}

fn wakeup<M: Machine, S: Search<M>>(
    workers: &impl Workers<M, S>,
    machine: &mut M,
    settings: &Settings,
    search: &mut S,
    keep: Keep,
) -> Shared<M, S> {
    crew::explore(workers, machine, search, |machine: &mut M, search: &mut S, hand: Option<&Hand<Task>>| {
        Wakeup::new(machine, keep).depth_bound(settings.depth_bound).work(search, hand)
    })
}
