//! The partial order of a sequence as a graph with as few edges as can be (Lee, section 3.2: the Dependency Algorithm).
//!
//! The algorithm has an edge from the last read of each process to the write that comes next, and from a write to the
//! first read of each process. What differs: it leaves edges that others imply, and forgets some where a version is not read by
//! others; here there is also one from each write to the next, and then everything goes that a path of other edges implies. What stays
//! is the transitive reduction, the order of each process included.
//!
//! Both take one pass over the graph for each process, and memory for one pass.

use threadbare_core::source::{Complaint, Result, Source, Span};

use crate::consistent::{Versions, place};
use crate::sequence::{EventId, Sequence};

#[derive(Clone, Debug, Default)]
pub struct Order {
    /// The edges that lead to event e are `sources[starts[e]..starts[e + 1]]`, in the order of the events.
    starts: Vec<u32>,
    sources: Vec<EventId>,
    /// Every event behind those that come before it.
    pub line: Vec<EventId>,
}

impl Order {
    /// What comes directly before an event.
    pub fn before(&self, event: EventId) -> &[EventId] {
        &self.sources[self.starts[event as usize] as usize..self.starts[event as usize + 1] as usize]
    }

    /// Every edge, by where it leads.
    pub fn edges(&self) -> impl Iterator<Item = (EventId, EventId)> + '_ {
        (0..self.starts.len() as EventId - 1).flat_map(|to| self.before(to).iter().map(move |&from| (from, to)))
    }

    /// Edges turned round: what comes directly behind each event.
    pub fn behind(&self) -> Vec<Vec<EventId>> {
        let mut lists = vec![Vec::new(); self.starts.len() - 1];
        self.edges().for_each(|(from, to)| lists[from as usize].push(to));
        lists
    }

    fn new(events: usize, mut edges: Vec<(EventId, EventId)>) -> Order {
        edges.sort_unstable_by_key(|&(from, to)| (to, from));
        edges.dedup();
        let mut starts = vec![0u32; events + 1];
        edges.iter().for_each(|&(_, to)| starts[to as usize + 1] += 1);
        (0..events).for_each(|event| starts[event + 1] += starts[event]);
        Order { starts, sources: edges.into_iter().map(|(from, _)| from).collect(), line: Vec::new() }
    }
}

/// The order of a sequence, or the cycle that leaves none.
pub fn order(sequence: &Sequence, versions: &Versions, source: &Source) -> Result<Order> {
    let edges = dependencies(sequence, versions);
    let mut order = Order::new(sequence.events.len(), edges);
    order.line = line(&order).map_err(|cycle| complaint(sequence, source, &cycle))?;
    Ok(reduced(sequence, order))
}

/// What the versions say, and the order of each process.
fn dependencies(sequence: &Sequence, versions: &Versions) -> Vec<(EventId, EventId)> {
    let mut edges: Vec<(EventId, EventId)> = Vec::new();
    let process = |event: EventId| sequence.event(event).process;
    let mut add = |from: EventId, to: EventId| {
        // Forwards in a process is said already; backwards is a contradiction, and will show.
        if from != to && (process(from) != process(to) || from > to) {
            edges.push((from, to));
        }
    };
    for variable in 0..sequence.variables.len() as u32 {
        for version in 0..versions.count(variable) {
            let here = versions.place(variable, version);
            let writer = versions.writers[here];
            let next = (version + 1 < versions.count(variable)).then(|| versions.writers[here + 1]).flatten();
            // `head` and `tail` of each process.
            for readers in versions.readers[here].chunk_by(|&a, &b| process(a) == process(b)) {
                if let Some(writer) = writer {
                    add(writer, readers[0]);
                }
                if let Some(next) = next {
                    add(readers[readers.len() - 1], next);
                }
            }
            if let (Some(writer), Some(next)) = (writer, next) {
                add(writer, next);
            }
        }
    }
    for process in &sequence.processes {
        edges.extend((process.first + 1..process.first + process.events).map(|event| (event - 1, event)));
    }
    edges
}

/// The events one behind the other (A. Kahn: "Topological sorting of large networks", 1962), or some that wait for each other.
fn line(order: &Order) -> std::result::Result<Vec<EventId>, Vec<EventId>> {
    let behind = order.behind();
    let mut open: Vec<u32> = (0..behind.len() as EventId).map(|event| order.before(event).len() as u32).collect();
    let mut line: Vec<EventId> = (0..behind.len() as EventId).filter(|&event| open[event as usize] == 0).collect();
    let mut done = 0;
    while let Some(&event) = line.get(done) {
        done += 1;
        for &to in &behind[event as usize] {
            open[to as usize] -= 1;
            if open[to as usize] == 0 {
                line.push(to);
            }
        }
    }
    let Some(start) = (0..behind.len()).find(|&event| open[event] > 0) else { return Ok(line) };
    // Whoever waits waits for one that waits.
    let (mut path, mut at) = (Vec::new(), start as EventId);
    let mut seen = rustc_hash::FxHashMap::default();
    while seen.insert(at, path.len()).is_none() {
        path.push(at);
        at = *order.before(at).iter().find(|&&from| open[from as usize] > 0).expect("it waits for one of these");
    }
    let mut cycle = path.split_off(seen_first(&path, at));
    cycle.reverse();
    Err(cycle)
}

fn seen_first(path: &[EventId], event: EventId) -> usize {
    path.iter().position(|&other| other == event).unwrap_or(0)
}

/// So many events of a cycle are listed.
const LISTED: usize = 12;

fn complaint(sequence: &Sequence, source: &Source, cycle: &[EventId]) -> Box<Complaint> {
    let first = cycle.iter().position(|event| Some(event) == cycle.iter().min()).unwrap_or(0);
    let round: Vec<EventId> = cycle[first..].iter().chain(&cycle[..first]).copied().collect();
    let message = format!("{} events come before each other in a circle", round.len());
    let span = sequence.event(round[0]).span;
    let mut complaint =
        if span == Span::default() { Complaint::nowhere(message) } else { Complaint::at(span, message) };
    for (i, &event) in round.iter().enumerate().take(LISTED) {
        let next = round[(i + 1) % round.len()];
        complaint =
            complaint.note(format!("{} comes before {}", place(sequence, source, event), sequence.called(next)));
    }
    if round.len() > LISTED { complaint.note(format!("… and {} more", round.len() - LISTED)) } else { complaint }
}

/// How many events of a process come before each event, the event itself included: one pass along the order.
pub fn known(sequence: &Sequence, order: &Order, process: u32, known: &mut [u32]) {
    for &event in &order.line {
        let at = sequence.event(event);
        known[event as usize] = match at.process == process {
            true => at.index + 1,
            false => order.before(event).iter().map(|&from| known[from as usize]).max().unwrap_or(0),
        };
    }
}

/// Without edges that a path of others implies.
fn reduced(sequence: &Sequence, order: Order) -> Order {
    let events = sequence.events.len();
    // Only those that have rivals can go.
    let mut candidates: Vec<Vec<(EventId, EventId)>> = vec![Vec::new(); sequence.processes.len()];
    for to in (0..events as EventId).filter(|&to| order.before(to).len() > 1) {
        order.before(to).iter().for_each(|&from| candidates[sequence.event(from).process as usize].push((from, to)));
    }
    let mut implied: rustc_hash::FxHashSet<(EventId, EventId)> = rustc_hash::FxHashSet::default();
    let mut passed = vec![0; events];
    for (process, edges) in candidates.iter().enumerate().filter(|(_, edges)| !edges.is_empty()) {
        known(sequence, &order, process as u32, &mut passed);
        implied.extend(edges.iter().filter(|&&(from, to)| {
            let index = sequence.event(from).index;
            order.before(to).iter().any(|&other| other != from && passed[other as usize] > index)
        }));
    }
    let kept = order.edges().filter(|edge| !implied.contains(edge)).collect();
    Order { line: order.line, ..Order::new(events, kept) }
}
