//! Brute force: what every strategy is compared with. Nothing here is clever.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use threadbare_core::{Accesses, Choice, Choices, Fingerprint, Machine, Operation, Step, Tid};

use crate::path::Path;

/// An event with all that identifies it in a trace.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TraceEvent {
    pub tid: u16,
    operation: Operation,
    choice: u32,
    accesses: Accesses,
    clock: Vec<u32>,
}

/// The same for all executions of a trace: the events of each thread in order, with their clocks.
pub fn trace_hash(events: &[TraceEvent]) -> u64 {
    let mut threads: HashMap<u16, Vec<&TraceEvent>> = HashMap::new();
    for event in events {
        threads.entry(event.tid).or_default().push(event);
    }
    let mut sorted: Vec<_> = threads.into_iter().collect();
    sorted.sort_by_key(|(tid, _)| *tid);
    let mut hasher = DefaultHasher::new();
    sorted.hash(&mut hasher);
    hasher.finish()
}

/// The trace of a strategy's path, with its clocks.
pub fn trace_of(path: &Path) -> Vec<TraceEvent> {
    let events = path.events.iter().enumerate();
    events
        .map(|(i, event)| {
            let mut clock: Vec<u32> = path.clock(i).to_vec();
            trim(&mut clock);
            TraceEvent {
                tid: event.label.tid.0,
                operation: event.label.operation,
                choice: event.label.choice.0,
                accesses: path.labels.accesses(&event.label).copied().collect(),
                clock,
            }
        })
        .collect()
}

fn trim(clock: &mut Vec<u32>) {
    while clock.last() == Some(&0) {
        clock.pop();
    }
}

/// All enabled steps, the end of the process last and alone.
fn steps<M: Machine>(machine: &mut M) -> Vec<(Tid, Choice, Operation)> {
    let mut list = Vec::new();
    let mut exit = Vec::new();
    for pending in machine.all_pending() {
        let into = if pending.operation == Operation::Exit { &mut exit } else { &mut list };
        let count = match pending.choices {
            Choices::Range(n) => n as usize,
            _ => usize::MAX,
        };
        for choice in pending.choices.enabled().take(count) {
            into.push((pending.tid, choice, pending.operation));
        }
    }
    list
}

#[derive(Default, Debug)]
pub struct Truth {
    pub traces: HashSet<u64>,
    /// Fingerprints of the states at the ends.
    pub ends: HashSet<Fingerprint>,
    pub deadlocks: u64,
    pub cut: u64,
}

/// Every trace of a program without endless executions, by a search over all distinct beginnings of traces. `None` when
/// there are more than `limit`.
pub fn traces<M: Machine>(machine: &mut M, limit: usize) -> Option<Truth> {
    struct Brute<'m, M: Machine> {
        machine: &'m mut M,
        events: Vec<TraceEvent>,
        created: HashMap<u16, Vec<u32>>,
        seen: HashSet<u64>,
        truth: Truth,
        limit: usize,
    }
    impl<M: Machine> Brute<'_, M> {
        fn go(&mut self) -> bool {
            if self.seen.len() > self.limit {
                return false;
            }
            let list = steps(self.machine);
            if list.is_empty() {
                self.truth.traces.insert(trace_hash(&self.events));
                let live = self.machine.all_pending();
                let exits = live.iter().any(|p| p.operation == Operation::Exit);
                if self.machine.is_cut() {
                    self.truth.cut += 1;
                } else if !live.is_empty() && !exits {
                    self.truth.deadlocks += 1;
                }
                self.truth.ends.insert(self.machine.fingerprint().expect("exact states"));
                return true;
            }
            let mark = self.machine.mark();
            for (tid, choice, operation) in list {
                let accesses = self.machine.accesses(tid, choice);
                let clock = self.clock(tid, &accesses);
                self.events.push(TraceEvent {
                    tid: tid.0,
                    operation,
                    choice: choice.0,
                    accesses,
                    clock: clock.clone(),
                });
                if self.seen.insert(trace_hash(&self.events)) {
                    let live = |machine: &M| -> Vec<u16> {
                        (0..machine.thread_count() as u16).filter(|&t| machine.is_live(Tid(t))).collect()
                    };
                    let before = live(self.machine);
                    self.machine.step(tid, choice);
                    let born: Vec<u16> = live(self.machine).into_iter().filter(|t| !before.contains(t)).collect();
                    for &child in &born {
                        self.created.insert(child, clock.clone());
                    }
                    let goes_on = self.go();
                    self.machine.rewind(mark);
                    for child in born {
                        self.created.remove(&child);
                    }
                    if !goes_on {
                        return false;
                    }
                }
                self.events.pop();
            }
            true
        }

        /// The join of the clocks of all earlier events that it depends on.
        fn clock(&self, tid: Tid, accesses: &Accesses) -> Vec<u32> {
            let mut clock = self.created.get(&tid.0).cloned().unwrap_or_default();
            let mut number = 1;
            for event in &self.events {
                let conflict = event.accesses.iter().any(|a| accesses.iter().any(|b| a.conflicts(b)));
                if event.tid == tid.0 || conflict {
                    if clock.len() < event.clock.len() {
                        clock.resize(event.clock.len(), 0);
                    }
                    clock.iter_mut().zip(&event.clock).for_each(|(c, &e)| *c = (*c).max(e));
                }
                number += u32::from(event.tid == tid.0);
            }
            if clock.len() <= tid.index() {
                clock.resize(tid.index() + 1, 0);
            }
            clock[tid.index()] = number;
            trim(&mut clock);
            clock
        }
    }
    let mut brute = Brute {
        machine,
        events: Vec::new(),
        created: HashMap::new(),
        seen: HashSet::new(),
        truth: Truth::default(),
        limit,
    };
    brute.go().then_some(brute.truth)
}

/// What a search over states finds, also where executions are endless.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Reachable {
    /// Signatures of the states in which every thread has ended, waits, or goes round a loop for ever without an effect.
    pub ends: HashSet<Fingerprint>,
    /// Every local state of every thread.
    pub locals: HashSet<(u16, Fingerprint)>,
    pub states: usize,
    pub transitions: usize,
    /// An end can be reached from every state.
    pub always_ends: bool,
}

/// All reachable states. `None` when there are more than `limit`, or when some state cannot reach an end.
pub fn states<M: Machine<Saved: Clone>>(machine: &mut M, limit: usize) -> Option<Reachable> {
    graph(machine, limit, |_| {}).filter(|found| found.always_ends)
}

/// All reachable states, each looked at once. `None` when there are more than `limit`.
pub fn graph<M: Machine<Saved: Clone>>(
    machine: &mut M,
    limit: usize,
    mut look: impl FnMut(&mut M),
) -> Option<Reachable> {
    let mut found = Reachable::default();
    let start = machine.save();
    let mut index = HashMap::from([(machine.fingerprint().expect("exact states"), 0usize)]);
    let mut list = vec![start.clone()];
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new()];
    let mut good = Vec::new();
    let mut i = 0;
    while i < list.len() {
        if list.len() > limit {
            machine.restore(&start);
            return None;
        }
        machine.restore(&list[i].clone());
        look(machine);
        for t in 0..machine.thread_count() as u16 {
            if machine.is_live(Tid(t)) {
                found.locals.insert((t, machine.local_fingerprint(Tid(t)).expect("local states")));
            }
        }
        if let Some(signature) = end_signature(machine) {
            found.ends.insert(signature);
            good.push(i);
        }
        for (tid, choice, _) in steps(machine) {
            machine.restore(&list[i].clone());
            machine.step(tid, choice);
            let fingerprint = machine.fingerprint().expect("exact states");
            let next = *index.entry(fingerprint).or_insert_with(|| {
                list.push(machine.save());
                predecessors.push(Vec::new());
                list.len() - 1
            });
            predecessors[next].push(i);
            found.transitions += 1;
        }
        i += 1;
    }
    machine.restore(&start);
    let mut reaches = vec![false; list.len()];
    while let Some(state) = good.pop() {
        if !std::mem::replace(&mut reaches[state], true) {
            good.extend(&predecessors[state]);
        }
    }
    found.states = list.len();
    found.always_ends = reaches.iter().all(|&r| r);
    Some(found)
}

/// What schedules within a bound on preemptions reach: every state with who ran last and what was spent, looked at once.
/// `None` when there are more than `limit`. The ends, and whether the bound was ever in the way.
pub fn within_preemptions<M: Machine<Saved: Clone>>(
    machine: &mut M,
    most: u32,
    limit: usize,
    mut look: impl FnMut(&mut M),
) -> Option<(HashSet<Fingerprint>, bool)> {
    let start = machine.save();
    let (mut ends, mut reached) = (HashSet::new(), false);
    let mut seen = HashSet::from([(machine.fingerprint().expect("exact states"), None, 0)]);
    let mut open = vec![(start.clone(), None, 0)];
    while let Some((state, last, spent)) = open.pop() {
        if seen.len() > limit {
            machine.restore(&start);
            return None;
        }
        machine.restore(&state);
        look(machine);
        ends.extend(end_signature(machine));
        let list = steps(machine);
        let goes_on = |tid: &Tid| list.iter().any(|(t, _, operation)| t == tid && *operation != Operation::Exit);
        let running = last.filter(goes_on).filter(|&tid| !machine.may_wait(tid));
        for (tid, choice, _) in list {
            let spent = spent + u32::from(running.is_some_and(|running| running != tid));
            if spent > most {
                reached = true;
                continue;
            }
            machine.restore(&state);
            machine.step(tid, choice);
            if seen.insert((machine.fingerprint().expect("exact states"), Some(tid), spent)) {
                open.push((machine.save(), Some(tid), spent));
            }
        }
    }
    machine.restore(&start);
    Some((ends, reached))
}

/// If every thread has ended, waits, or goes round for ever without an effect: the state, with each of those loops at
/// its least local state, so that it does not matter where in the loop a thread is met.
pub fn end_signature<M: Machine>(machine: &mut M) -> Option<Fingerprint> {
    let saved = machine.save();
    let mut movers: Vec<Tid> = steps(machine).iter().map(|(tid, _, _)| *tid).collect();
    movers.dedup();
    for tid in movers {
        let mut cycle: Vec<Fingerprint> = Vec::new();
        let mut turned = false;
        loop {
            let local = machine.local_fingerprint(tid).expect("local states");
            if let Some(at) = cycle.iter().position(|&l| l == local) {
                let least = cycle[at..].iter().min().copied().expect("not empty");
                if local == least {
                    break;
                }
                turned = true;
            }
            if !turned {
                cycle.push(local);
            }
            let pending = machine.pending(tid);
            let mut enabled = pending.choices.enabled();
            let silent = match (enabled.next(), enabled.next()) {
                (Some(choice), None) => machine.step(tid, choice) == Step::Silent && machine.is_live(tid),
                _ => false,
            };
            if !silent {
                machine.restore(&saved);
                return None;
            }
        }
    }
    let signature = machine.fingerprint();
    machine.restore(&saved);
    signature
}
