//! Searches by several workers against one worker and brute force, on random programs: the same executions, the same
//! traces, the same final states, nothing twice. Work is given away whenever there is some, wherever the dice say.
//! `TB_FUZZ_CASES` and `TB_FUZZ_SEED` choose how many programs and which.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use threadbare_core::{Fingerprint, Machine, Random};
use threadbare_explore::oracle::{self, end_signature, trace_hash, trace_of};
use threadbare_explore::{End, Flow, Help, Path, Search, Settings, Strategy, Totals};
use threadbare_pl::{Code, Expr, Instr, ModelMachine, Program, generate, generate_endless, to_c};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

const STRATEGIES: [&str; 8] = ["optimal", "source", "dfs", "sleep", "spor", "spor+sleep", "dpor", "dpor+sleep"];
/// They explore the same paths in whatever order, the redundant ones, too.
const SAME_PATHS: [&str; 5] = ["dfs", "sleep", "spor", "spor+sleep", "dpor"];
const SAMPLING: [&str; 5] = ["random", "pct:1", "pct:3", "pos", "urw"];

/// A search that meets more ends is left out.
const MOST_ENDS: u64 = 1_000;

/// What a worker was told: how often each trace came up, and where it led.
#[derive(Default)]
struct Told {
    traces: HashMap<u64, u32>,
    ends: HashMap<Fingerprint, u32>,
    deadlocks: u32,
    failed: bool,
    /// Signatures of ends instead of plain states, where threads may go round.
    signatures: bool,
    ends_left: Option<u64>,
    /// The trace that ends the search: the first one with a bug.
    stops: bool,
    stopped_at: Option<u64>,
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
            if self.stops && (machine.state.failed || matches!(end, End::Stuck(_))) {
                self.stopped_at = Some(trace_hash(&trace_of(path)));
                return Flow::Stop;
            }
        }
        match &mut self.ends_left {
            Some(0) => return Flow::Stop,
            Some(left) => *left -= 1,
            None => {}
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
        self.stopped_at = self.stopped_at.or(other.stopped_at);
    }
}

/// A search, with what it is told of.
struct Case<'p> {
    program: &'p Program,
    strategy: Strategy,
    settings: Settings,
    signatures: bool,
    stops: bool,
}

impl Case<'_> {
    fn start(&self, ordered: bool) -> (ModelMachine<'_>, Told) {
        let mut machine = ModelMachine::new(self.program);
        machine.ordered_arrivals = ordered;
        (machine, Told { signatures: self.signatures, stops: self.stops, ..Told::default() })
    }

    /// By one worker, and whether arrivals at barriers are ordered. Nothing if there are too many ends.
    fn alone(&self) -> Option<(Told, Totals, bool)> {
        let run = |ordered| {
            let (mut machine, mut told) = self.start(ordered);
            told.ends_left = Some(MOST_ENDS);
            let totals = self.strategy.run(&mut machine, &self.settings, &mut told);
            (told.ends_left != Some(0)).then_some((told, totals, machine.ordered_arrivals))
        };
        let found = run(false)?;
        // If it found out on the way that arrivals at barriers must be ordered: only the second search counts.
        if found.2 { run(true) } else { Some(found) }
    }

    /// By several. Nothing if one of them must begin again alone.
    fn together(&self, ordered: bool, jobs: usize, seed: u64) -> Option<(Told, Totals)> {
        let another = || Some(self.start(ordered));
        let help = Help { jobs, after: Duration::ZERO, another: &another, eager: Some(seed) };
        let (mut machine, mut all) = self.start(ordered);
        let shared = self.strategy.run_with(&mut machine, &self.settings, &mut all, &help);
        if shared.again_alone {
            return None;
        }
        shared.helpers.into_iter().for_each(|(_, told)| all.add(told));
        Some((all, shared.totals))
    }
}

fn describe(name: &str, jobs: usize, seed: u64, program: &Program) -> String {
    format!("{name} with {jobs} jobs, seed {seed}\n{}", to_c(program))
}

/// How much was really explored by others.
fn compare(program: &Program, seed: u64, signatures: bool) -> u64 {
    compare_with(&STRATEGIES, program, seed, signatures)
}

fn compare_with(strategies: &[&str], program: &Program, seed: u64, signatures: bool) -> u64 {
    let mut helped = 0;
    for &name in strategies {
        let strategy = name.parse().expect("a strategy");
        let case = Case { program, strategy, settings: Settings::default(), signatures, stops: false };
        let Some((expected, totals, ordered)) = case.alone() else { continue };
        // Several may meet redundant ones: what is explored beside others is explored in source mode.
        if name == "optimal" && !signatures {
            assert_eq!(totals.blocked, 0, "redundant: {}", describe(name, 0, seed, program));
        }
        for jobs in [1, 2, 3, 4] {
            let what = || describe(name, jobs, seed, program);
            let Some((found, sum)) = case.together(ordered, jobs, seed) else {
                assert!(signatures && ["optimal", "source"].contains(&name) && jobs > 1, "alone: {}", what());
                continue;
            };
            helped += u64::from(jobs > 1 && found.traces.len() > 1);
            let lost = expected.traces.keys().filter(|trace| !found.traces.contains_key(trace)).count();
            assert_eq!(lost, 0, "lost {lost} of {} traces: {}", expected.traces.len(), what());
            assert_eq!(found.traces, expected.traces, "how often each trace is explored: {}", what());
            assert_eq!(found.ends, expected.ends, "final states: {}", what());
            assert_eq!((found.deadlocks, found.failed), (expected.deadlocks, expected.failed), "{}", what());
            assert_eq!((sum.executions, sum.cut), (totals.executions, totals.cut), "executions: {}", what());
            assert!(sum.complete, "{}", what());
            if SAME_PATHS.contains(&name) {
                assert_eq!(sum, totals, "{}", what());
            }
        }
    }
    helped
}

#[test]
fn several_workers_explore_what_one_explores() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
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
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
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

/// With wakeup trees, and nothing beside what is in progress, several may wait in loops.
#[test]
fn several_workers_keep_to_the_order_in_loops_that_wait() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let mut shared = 0;
    for seed in first + 1..=first + cases {
        let program = generate(seed, true);
        if oracle::states(&mut ModelMachine::new(&program), 3_000).is_some() {
            shared += compare_with(&["optimal"], &program, 2 * seed, true);
        }
    }
    assert!(shared > cases, "{shared} searches with something to share");
}

/// Loads and stores only, many of them in conflict: where the order of branches matters most.
fn loads_and_stores(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let threads = 2 + random.below(4);
    let mut code = vec![Code((1..=threads).map(Instr::Create).collect())];
    for _ in 0..threads {
        let length = 1 + random.below(if threads < 4 { 3 } else { 2 });
        let access = |_| match (random.once_in(2), random.below(3)) {
            (true, variable) => Instr::Load(0, variable),
            (false, variable) => Instr::Store(variable, Expr::Const(1)),
        };
        code.push(Code((0..length).map(access).collect()));
    }
    Program { variables: vec![0; 3], threads: code, ..Program::default() }
}

#[test]
fn several_workers_explore_what_one_explores_of_loads_and_stores() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    for seed in first + 1..=first + cases {
        compare_with(&["optimal", "source"], &loads_and_stores(seed), seed, false);
    }
}

/// A sequence that two branches lead to lies below the first of them. Where the second one was taken before it, since it did
/// not have to wait for what was in progress, the trace was lost.
#[test]
fn branches_are_taken_in_their_order() {
    let accesses = [
        vec![Instr::Load(0, 1)],
        vec![Instr::Store(0, Expr::Const(1))],
        vec![Instr::Load(0, 1)],
        vec![Instr::Load(0, 0), Instr::Store(1, Expr::Const(1))],
    ];
    let mut threads = vec![Code((1..=accesses.len()).map(Instr::Create).collect())];
    threads.extend(accesses.into_iter().map(Code));
    let program = Program { variables: vec![0; 2], threads, ..Program::default() };
    (0..300).for_each(|seed| _ = compare_with(&["optimal"], &program, seed, false));
}

/// Each value of a choice asked for the next only, and where its own branch began: another worker did not look there.
#[test]
fn all_values_of_choices_are_explored_by_several() {
    let choices = |lengths: &[usize], values| {
        let mut threads = vec![Code((1..=lengths.len()).map(Instr::Create).collect())];
        threads.extend(lengths.iter().map(|&length| Code(vec![Instr::Choose(0, values); length])));
        Program { threads, ..Program::default() }
    };
    for (lengths, values) in [(&[1, 1, 1][..], 3), (&[1, 2, 1], 2), (&[2, 2], 3)] {
        let program = choices(lengths, values);
        (0..300).for_each(|seed| _ = compare_with(&["optimal", "source"], &program, seed, false));
    }
}

/// With a second worker, a sequence that wants another round of a loop came too late, and traces were lost.
#[test]
fn waiting_loops_are_for_one_worker() {
    for seed in [2309, 4632] {
        let program = generate(seed, true);
        (0..4).for_each(|_| _ = compare(&program, seed, true));
    }
}

/// What lies within a bound, and how often it was met.
#[test]
fn several_workers_keep_to_the_same_bounds() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let mut cut = 0;
    for seed in first + 1..=first + cases {
        let program = generate(seed, seed.is_multiple_of(2));
        for name in SAME_PATHS {
            let strategy: Strategy = name.parse().expect("a strategy");
            let depth = Settings { depth_bound: 3 + seed as usize % 6, ..Settings::default() };
            let contexts = Settings { context_bound: Some(seed as u32 % 3), ..Settings::default() };
            for settings in [Some(depth), strategy.cannot_bound_contexts().is_none().then_some(contexts)] {
                let Some(settings) = settings else { continue };
                let case = Case { program: &program, strategy, settings, signatures: false, stops: false };
                let Some((expected, totals, ordered)) = case.alone() else { continue };
                cut += u64::from(totals.beyond_bound + totals.beyond_context > 0);
                for jobs in [2, 4] {
                    let what = || describe(name, jobs, seed, &program);
                    let (found, sum) = case.together(ordered, jobs, seed).expect("any order will do");
                    assert_eq!((found.traces, sum), (expected.traces.clone(), totals.clone()), "{}", what());
                }
            }
        }
    }
    assert!(cut > cases, "{cut} searches were cut off");
}

/// The same executions in the same order, up to the first bug.
#[test]
fn chance_is_the_same_for_several_workers() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let mut bugs = 0;
    for seed in first + 1..=first + cases {
        let program = generate(seed, seed.is_multiple_of(2));
        for name in SAMPLING {
            for stops in [false, true] {
                let strategy = name.parse().expect("a strategy");
                let settings = Settings { seed, runs: 1 + seed % 40, depth_bound: 200, ..Settings::default() };
                let case = Case { program: &program, strategy, settings, signatures: false, stops };
                let (expected, totals, _) = case.alone().expect("few executions");
                bugs += u64::from(expected.stopped_at.is_some());
                for jobs in [2, 4] {
                    let what = || describe(name, jobs, seed, &program);
                    let (found, sum) = case.together(false, jobs, seed).expect("any order will do");
                    assert_eq!(found.stopped_at, expected.stopped_at, "the bug: {}", what());
                    assert_eq!(found.traces, expected.traces, "{}", what());
                    assert_eq!(sum, totals, "{}", what());
                }
            }
        }
    }
    assert!(bugs > cases, "{bugs} searches ended with a bug");
}

/// The states that `graph` stores are the same for any number of workers and any order in which they explore, on cycles, too,
/// and nothing is lost. How long it learns decides which states those are, so that is the same for all.
#[test]
fn several_workers_explore_one_graph() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed, mut reduced) = (0, first, 0);
    while programs < cases {
        seed += 1;
        let program = if seed.is_multiple_of(2) { generate(seed, true) } else { generate_endless(seed) };
        let mut failed = false;
        let look = |machine: &mut ModelMachine| failed |= machine.state.failed;
        let Some(truth) = oracle::graph(&mut ModelMachine::new(&program), 3_000, look) else { continue };
        programs += 1;
        let settings = Settings { learns_for: [0, 3, 20][seed as usize % 3], ..Settings::default() };
        let case = Case { program: &program, strategy: Strategy::Graph, settings, signatures: true, stops: false };
        let (mut machine, mut expected) = case.start(true);
        let totals = case.strategy.run(&mut machine, &case.settings, &mut expected);
        reduced += u64::from(totals.states < Some(truth.states as u64));
        for jobs in [1, 2, 3, 4] {
            let what = || describe("graph", jobs, seed, &program);
            let (found, sum) = case.together(true, jobs, seed).expect("any order will do");
            let ends: HashSet<Fingerprint> = found.ends.keys().copied().collect();
            assert_eq!((ends, found.failed), (truth.ends.clone(), failed), "{}", what());
            assert_eq!(found.ends, expected.ends, "how often each end is told of: {}", what());
            // How deep a state lies hangs on how it was found.
            assert_eq!(
                Totals { depth: 0, stored: None, ..sum },
                Totals { depth: 0, stored: None, ..totals.clone() },
                "{}",
                what()
            );
        }
    }
    println!("{programs} programs, {reduced} with fewer states than there are");
    assert!(3 * reduced > cases);
}
