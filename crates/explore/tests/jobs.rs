//! Searches by several workers against one worker and brute force, on random programs: the same executions, the same
//! traces, the same final states, nothing twice. Work is given away whenever there is some, wherever the dice say.
//! `TB_FUZZ_CASES` and `TB_FUZZ_SEED` choose how many programs and which.

use std::collections::HashMap;
use std::time::Duration;

use threadbare_core::{Fingerprint, Machine};
use threadbare_explore::oracle::{self, end_signature, trace_hash, trace_of};
use threadbare_explore::{End, Flow, Help, Path, Search, Settings, Strategy, Totals};
use threadbare_pl::{ModelMachine, Program, generate, to_c};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

const STRATEGIES: [&str; 2] = ["optimal", "source"];

/// What a worker was told: how often each trace came up, and where it led.
#[derive(Default)]
struct Told {
    traces: HashMap<u64, u32>,
    ends: HashMap<Fingerprint, u32>,
    deadlocks: u32,
    failed: bool,
    /// Signatures of ends instead of plain states, where threads may go round.
    signatures: bool,
}

impl Search<ModelMachine<'_>> for Told {
    fn end(&mut self, machine: &mut ModelMachine<'_>, path: &Path, end: End) -> Flow {
        self.failed |= machine.state.failed;
        if !matches!(end, End::Redundant | End::Bound) {
            self.deadlocks += u32::from(matches!(end, End::Stuck(_)));
            *self.traces.entry(trace_hash(&trace_of(path))).or_default() += 1;
            let state = match self.signatures {
                true => end_signature(machine).expect("an end is an end"),
                false => machine.fingerprint().expect("exact"),
            };
            *self.ends.entry(state).or_default() += 1;
        }
        Flow::Continue
    }
}

impl Told {
    fn add(&mut self, other: Told) {
        other.traces.into_iter().for_each(|(trace, count)| *self.traces.entry(trace).or_default() += count);
        other.ends.into_iter().for_each(|(state, count)| *self.ends.entry(state).or_default() += count);
        self.deadlocks += other.deadlocks;
        self.failed |= other.failed;
    }
}

fn alone(program: &Program, strategy: Strategy, signatures: bool) -> (Told, Totals, bool) {
    let run = |ordered| {
        let mut machine = ModelMachine::new(program);
        machine.ordered_arrivals = ordered;
        let mut told = Told { signatures, ..Told::default() };
        let totals = strategy.run(&mut machine, &Settings::default(), &mut told);
        (told, totals, machine.ordered_arrivals)
    };
    let found = run(false);
    // If it found out on the way that arrivals at barriers must be ordered: only the second search counts.
    if found.2 { run(true) } else { found }
}

fn together(
    program: &Program,
    strategy: Strategy,
    signatures: bool,
    ordered: bool,
    jobs: usize,
    seed: u64,
) -> (Told, Totals) {
    let told = || Told { signatures, ..Told::default() };
    let another = || {
        let mut machine = ModelMachine::new(program);
        machine.ordered_arrivals = ordered;
        Some((machine, told()))
    };
    let help = Help { jobs, after: Duration::ZERO, another: &another, eager: Some(seed) };
    let (mut machine, mut all) = another().expect("always");
    let shared = strategy.run_with(&mut machine, &Settings::default(), &mut all, &help);
    assert!(!shared.again_alone);
    shared.helpers.into_iter().for_each(|(_, told)| all.add(told));
    (all, shared.totals)
}

fn describe(name: &str, jobs: usize, seed: u64, program: &Program) -> String {
    format!("{name} with {jobs} jobs, seed {seed}\n{}", to_c(program))
}

/// How much was really explored by others.
fn compare(program: &Program, seed: u64, signatures: bool) -> u64 {
    let mut helped = 0;
    for name in STRATEGIES {
        let strategy: Strategy = name.parse().expect("a strategy");
        let (expected, totals, ordered) = alone(program, strategy, signatures);
        for jobs in [1, 2, 3, 4] {
            let what = || describe(name, jobs, seed, program);
            let (found, sum) = together(program, strategy, signatures, ordered, jobs, seed);
            helped += u64::from(jobs > 1 && found.traces.len() > 1);
            let lost = expected.traces.keys().filter(|trace| !found.traces.contains_key(trace)).count();
            assert_eq!(lost, 0, "lost {lost} of {} traces: {}", expected.traces.len(), what());
            assert_eq!(found.traces, expected.traces, "how often each trace is explored: {}", what());
            assert_eq!(found.ends, expected.ends, "final states: {}", what());
            assert_eq!((found.deadlocks, found.failed), (expected.deadlocks, expected.failed), "{}", what());
            assert_eq!((sum.executions, sum.cut), (totals.executions, totals.cut), "executions: {}", what());
            assert!(sum.complete, "{}", what());
            if name == "optimal" && !signatures {
                assert_eq!(sum.blocked, 0, "redundant: {}", what());
            }
        }
    }
    helped
}

#[test]
fn several_workers_explore_what_one_explores() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 300), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed, mut helped) = (0, first, 0);
    while programs < cases {
        seed += 1;
        let program = generate(seed, false);
        if oracle::traces(&mut ModelMachine::new(&program), 4_000).is_none() {
            continue;
        }
        programs += 1;
        helped += compare(&program, seed, false);
    }
    println!("{programs} programs, {helped} searches with something to share");
    assert!(helped > cases);
}

#[test]
fn several_workers_lose_nothing_in_loops_that_wait() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 300), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed) = (0, first);
    while programs < cases {
        seed += 1;
        let program = generate(seed, true);
        if oracle::states(&mut ModelMachine::new(&program), 3_000).is_none() {
            continue;
        }
        programs += 1;
        compare(&program, seed, true);
    }
}
