//! Every strategy against brute force on random programs: the same traces, the same final states, nothing twice.
//! `TB_FUZZ_CASES` and `TB_FUZZ_SEED` choose how many programs and which.

use std::collections::{BTreeSet, HashSet};

use threadbare_core::{Fingerprint, Machine, Mode, Operation, Space, Tid};
use threadbare_explore::oracle::{self, end_signature, trace_hash, trace_of};
use threadbare_explore::{Dpor, End, Flow, Keep, Path, Search, Totals};
use threadbare_pl::{ModelMachine, Program, generate, to_c};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A row of the dependence table: an operation and what it touched.
type Row = (String, Vec<(Space, String)>);

#[derive(Default)]
struct Collect {
    traces: HashSet<u64>,
    twice: u64,
    ends: HashSet<Fingerprint>,
    locals: HashSet<(u16, Fingerprint)>,
    deadlocks: u64,
    rows: BTreeSet<Row>,
    /// Work with signatures of ends instead of plain states, and collect local states.
    loops: bool,
}

fn mode_name(mode: Mode) -> String {
    format!("{mode:?}")
}

impl Search<ModelMachine<'_>> for Collect {
    fn end(&mut self, machine: &mut ModelMachine<'_>, path: &Path, end: End) -> Flow {
        for event in &path.events {
            let mut accesses: Vec<(Space, String)> =
                path.labels.accesses(&event.label).map(|a| (a.space, mode_name(a.mode))).collect();
            accesses.dedup();
            self.rows.insert((event.label.operation.name().into(), accesses));
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

fn explore(program: &Program, keep: Keep, loops: bool) -> (Collect, Totals) {
    let mut machine = ModelMachine::new(program);
    let mut collect = Collect { loops, ..Collect::default() };
    let totals = Dpor::new(&mut machine, keep).run(&mut collect);
    (collect, totals)
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
        let program = generate(seed, false);
        let Some(truth) = oracle::traces(&mut ModelMachine::new(&program), 4_000) else { continue };
        programs += 1;
        traces += truth.traces.len();
        for keep in [Keep::Sequences, Keep::FirstSteps] {
            let (found, totals) = explore(&program, keep, false);
            let what = || format!("{keep:?}, {}", describe(seed, &program));
            assert_eq!(found.traces.difference(&truth.traces).count(), 0, "traces that do not exist: {}", what());
            let lost = truth.traces.len() - found.traces.len();
            assert_eq!(lost, 0, "lost {lost} of {} traces: {}", truth.traces.len(), what());
            assert_eq!(found.ends, truth.ends, "final states: {}", what());
            assert_eq!(found.twice, 0, "explored twice: {}", what());
            assert_eq!(found.deadlocks, truth.deadlocks, "deadlocks: {}", what());
            assert_eq!(totals.cut, truth.cut, "cut: {}", what());
            if keep == Keep::Sequences {
                assert_eq!(totals.blocked, 0, "redundant executions: {}", what());
            }
            rows.extend(found.rows);
        }
    }
    println!("{programs} programs, {traces} traces, {} rows", rows.len());
    for row in &rows {
        println!("{row:?}");
    }
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
        for keep in [Keep::Sequences, Keep::FirstSteps] {
            let (found, _) = explore(&program, keep, true);
            let what = || format!("{keep:?}, {}", describe(seed, &program));
            assert_eq!(found.ends.difference(&truth.ends).count(), 0, "ends that do not exist: {}", what());
            assert_eq!(found.ends.len(), truth.ends.len(), "lost ends: {}", what());
            let _ = found.locals;
            assert_eq!(found.twice, 0, "explored twice: {}", what());
        }
    }
    let _ = Tid::MAIN;
    let _ = Operation::Load;
}
