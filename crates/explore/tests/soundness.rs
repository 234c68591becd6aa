//! Every strategy against brute force on random programs: the same traces, the same final states, nothing twice.
//! `TB_FUZZ_CASES` and `TB_FUZZ_SEED` choose how many programs and which.

use std::collections::{BTreeSet, HashSet};

use threadbare_core::{Choice, Fingerprint, Machine, Random, Tid};
use threadbare_explore::oracle::{self, end_signature, trace_hash, trace_of};
use threadbare_explore::{End, Flow, Path, Search, Settings, Strategy, Totals};
use threadbare_pl::{Code, Instr, ModelMachine, Program, generate, generate_with_error_checks, to_c};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The rows of the dependence table: an operation and what it may touch. Each must come up.
const ROWS: &[&str] = &[
    "barrier wait: Barrier Add",
    "barrier wait: Barrier Write",
    "barrier wait (waiting): Barrier Read",
    "choose:",
    "compare-exchange: Memory Read",
    "compare-exchange: Memory Write",
    "cond broadcast: Cond Read",
    "cond broadcast: Cond Write, Wake Write",
    "cond signal: Cond Read",
    "cond signal: Cond Write, Wake Write",
    "cond timedwait (waiting): Cond Add, Wake Write",
    "cond timedwait (waiting): Mutex Write, Wake Read",
    "cond wait: Mutex Read, Cond Add",
    "cond wait: Mutex Write, Cond Add",
    "cond wait (waiting): Mutex Write, Wake Read",
    "free: Memory Write",
    "load: Memory Read",
    "mutex lock: Mutex Write",
    "mutex timedlock: Mutex Read",
    "mutex timedlock: Mutex Write",
    "mutex trylock: Mutex Read",
    "mutex trylock: Mutex Write",
    "mutex unlock: Mutex Read",
    "mutex unlock: Mutex Write",
    "read-modify-write: Memory Read",
    "read-modify-write: Memory Write",
    "rwlock rdlock: RwLock Add",
    "rwlock timedrdlock: RwLock Add",
    "rwlock timedrdlock: RwLock Read",
    "rwlock timedwrlock: RwLock Read",
    "rwlock timedwrlock: RwLock Write",
    "rwlock tryrdlock: RwLock Add",
    "rwlock tryrdlock: RwLock Read",
    "rwlock trywrlock: RwLock Read",
    "rwlock trywrlock: RwLock Write",
    "rwlock unlock: RwLock Add",
    "rwlock unlock: RwLock Write",
    "rwlock wrlock: RwLock Write",
    "sem getvalue: Semaphore Read",
    "sem post: Semaphore Add",
    "sem timedwait: Semaphore Read",
    "sem timedwait: Semaphore Write",
    "sem trywait: Semaphore Read",
    "sem trywait: Semaphore Write",
    "sem wait: Semaphore Write",
    "store: Memory Write",
    "thread create:",
    "thread end: Thread Write",
    "thread join: Thread Write",
];

#[derive(Default)]
struct Collect {
    traces: HashSet<u64>,
    twice: u64,
    ends: HashSet<Fingerprint>,
    deadlocks: u64,
    rows: BTreeSet<String>,
    /// Work with signatures of ends instead of plain states, and collect local states.
    loops: bool,
}

impl Search<ModelMachine<'_>> for Collect {
    fn end(&mut self, machine: &mut ModelMachine<'_>, path: &Path, end: End) -> Flow {
        for event in &path.events {
            let mut accesses: Vec<String> =
                path.labels.accesses(&event.label).map(|a| format!("{:?} {:?}", a.space, a.mode)).collect();
            accesses.dedup();
            self.rows.insert(format!("{}: {}", event.label.operation.name(), accesses.join(", ")).trim().to_string());
        }
        if end == End::Redundant {
            return Flow::Continue;
        }
        self.deadlocks += u64::from(matches!(end, End::Stuck(_)));
        if !self.traces.insert(trace_hash(&trace_of(path))) {
            self.twice += 1;
        }
        let signature = if self.loops {
            end_signature(machine).expect("an end is an end")
        } else {
            machine.fingerprint().expect("exact")
        };
        self.ends.insert(signature);
        Flow::Continue
    }
}

/// Once more if the search found that arrivals at barriers must be ordered: only the second search counts.
fn explore(program: &Program, strategy: Strategy, loops: bool, ordered: bool) -> (Collect, Totals, bool) {
    let mut machine = ModelMachine::new(program);
    machine.ordered_arrivals = ordered;
    let mut collect = Collect { loops, ..Collect::default() };
    let totals = strategy.run(&mut machine, &Settings::default(), &mut collect);
    if machine.ordered_arrivals && !ordered {
        return explore(program, strategy, loops, true);
    }
    (collect, totals, machine.ordered_arrivals)
}

fn describe(seed: u64, program: &Program) -> String {
    format!("seed {seed}\n{}", to_c(program))
}

#[test]
fn optimal_and_source_explore_every_trace_once() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 1000), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut traces, mut rows) = (0, 0, BTreeSet::new());
    let mut seed = first;
    while programs < cases {
        seed += 1;
        let program = if seed.is_multiple_of(5) { generate_with_error_checks(seed) } else { generate(seed, false) };
        let Some(truth) = oracle::traces(&mut ModelMachine::new(&program), 4_000) else { continue };
        let mut machine = ModelMachine::new(&program);
        machine.ordered_arrivals = true;
        let Some(ordered_truth) = oracle::traces(&mut machine, 4_000) else { continue };
        programs += 1;
        traces += truth.traces.len();
        for strategy in [Strategy::Optimal, Strategy::Source] {
            let (found, totals, ordered) = explore(&program, strategy, false, false);
            // The states at the ends do not hang on what is taken to commute.
            let truth = if ordered { &ordered_truth } else { &truth };
            assert_eq!(truth.ends, ordered_truth.ends, "arrivals must be ordered: {}", describe(seed, &program));
            let what = || format!("{strategy:?}, {}", describe(seed, &program));
            assert_eq!(found.traces.difference(&truth.traces).count(), 0, "traces that do not exist: {}", what());
            let lost = truth.traces.len() - found.traces.len();
            assert_eq!(lost, 0, "lost {lost} of {} traces: {}", truth.traces.len(), what());
            assert_eq!(found.ends, truth.ends, "final states: {}", what());
            assert_eq!(found.twice, 0, "explored twice: {}", what());
            assert_eq!(found.deadlocks, truth.deadlocks, "deadlocks: {}", what());
            assert_eq!(totals.cut, truth.cut, "cut: {}", what());
            if strategy == Strategy::Optimal {
                assert_eq!(totals.blocked, 0, "redundant executions: {}", what());
            }
            rows.extend(found.rows);
        }
    }
    println!("{programs} programs, {traces} traces, {} rows", rows.len());
    let missing: Vec<_> = ROWS.iter().filter(|row| !rows.contains(**row)).collect();
    assert!(missing.is_empty(), "never produced: {missing:?}");
    let unknown: Vec<_> = rows.iter().filter(|row| !ROWS.contains(&row.as_str())).collect();
    assert!(unknown.is_empty(), "not in the table: {unknown:?}");
}

#[test]
fn loops_that_wait_lose_nothing() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 1000), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed) = (0, first);
    while programs < cases {
        seed += 1;
        let program = generate(seed, true);
        let Some(truth) = oracle::states(&mut ModelMachine::new(&program), 3_000) else { continue };
        programs += 1;
        for strategy in [Strategy::Optimal, Strategy::Source] {
            let (found, _, _) = explore(&program, strategy, true, false);
            let what = || format!("{strategy:?}, {}", describe(seed, &program));
            assert_eq!(found.ends.difference(&truth.ends).count(), 0, "ends that do not exist: {}", what());
            assert_eq!(found.ends.len(), truth.ends.len(), "lost ends: {}", what());
            assert_eq!(found.twice, 0, "explored twice: {}", what());
        }
    }
}

/// Two enabled steps whose labels do not conflict commute: the same state both ways, on every state of random walks.
#[test]
fn independent_steps_commute() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 1000), setting("TB_FUZZ_SEED", 0));
    let mut pairs = 0u64;
    for seed in first..first + cases {
        let checked = seed.is_multiple_of(5);
        let program = if checked { generate_with_error_checks(seed) } else { generate(seed, seed % 3 == 0) };
        let mut machine = ModelMachine::new(&program);
        let uses = |code: &Code| code.0.iter().any(|instr| matches!(instr, Instr::Barrier(_)));
        let users = program.threads.iter().filter(|code| uses(code)).count();
        machine.ordered_arrivals = users > program.barriers[0] as usize;
        let mut random = Random::new(seed);
        for _ in 0..60 {
            let pending = machine.all_pending();
            let steps: Vec<(Tid, Choice)> = pending
                .iter()
                .filter(|p| p.operation != threadbare_core::Operation::Exit)
                .flat_map(|p| p.choices.enabled().map(move |choice| (p.tid, choice)))
                .collect();
            let mark = machine.mark();
            for &a in &steps {
                for &b in steps.iter().filter(|b| b.0 > a.0) {
                    let (x, y) = (machine.accesses(a.0, a.1), machine.accesses(b.0, b.1));
                    if x.iter().any(|x| y.iter().any(|y| x.conflicts(y))) {
                        continue;
                    }
                    pairs += 1;
                    let mut both = |first: (Tid, Choice), second: (Tid, Choice)| {
                        machine.step(first.0, first.1);
                        let enabled = machine.pending(second.0).choices.is_enabled(second.1);
                        assert!(enabled, "{first:?} disables {second:?}: {}", describe(seed, &program));
                        machine.step(second.0, second.1);
                        let state = machine.fingerprint();
                        machine.rewind(mark);
                        state
                    };
                    assert_eq!(both(a, b), both(b, a), "{a:?} {b:?}: {}", describe(seed, &program));
                }
            }
            if steps.is_empty() {
                break;
            }
            let (tid, choice) = steps[random.below(steps.len())];
            machine.step(tid, choice);
        }
    }
    assert!(pairs > cases, "only {pairs} pairs");
}
