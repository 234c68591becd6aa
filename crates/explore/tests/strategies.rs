//! The named strategies against brute force on random programs: the same final states, the same traces where they claim to
//! explore every trace, the same states where they store them. `TB_FUZZ_CASES` and `TB_FUZZ_SEED` choose how many programs
//! and which, `TB_FUZZ_ONLY` one of the strategies.

use std::collections::{BTreeMap, HashSet};

use threadbare_core::{Fingerprint, Machine, Operation};
use threadbare_explore::oracle::{self, end_signature, trace_hash, trace_of};
use threadbare_explore::{End, Flow, Path, Search, Settings, Strategy, Totals};
use threadbare_pl::{
    Code, Expr, Instr, ModelMachine, Program, generate, generate_endless, generate_with_error_checks,
    generate_with_invariant, to_c,
};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// `TB_FUZZ_ONLY` names the strategy that is looked at, if it is one.
fn wanted(name: &&'static str) -> bool {
    std::env::var("TB_FUZZ_ONLY").map_or(true, |only| only == *name)
}

/// A strategy with its settings: of `scale`, the filters and the order.
fn strategy(name: &str) -> (Strategy, Settings) {
    let mut words = name.split(' ');
    let strategy = words.next().expect("a name").parse().expect("a strategy");
    let mut settings = Settings::default();
    for word in words {
        if word == "superstep" {
            settings.superstep = true;
        } else if let Ok(order) = word.parse() {
            settings.order = order;
        } else if let Ok(capture) = word.parse() {
            settings.capture = capture;
        } else {
            settings.filters = word.parse().expect("filters");
        }
    }
    (strategy, settings)
}

const STATELESS: [&str; 13] = [
    "dfs",
    "sleep",
    "spor",
    "spor+sleep",
    "dpor",
    "dpor+sleep",
    "scale nsb,lcd",
    "scale nsb,lcd,ss",
    "scale ss,lcd,nsb",
    "scale nsb=exact,lcd,ss random:7",
    "scale nsb=30,lcd,ss",
    "scale nsb,lcd bfs",
    "scale lcd,ss,nsb bfs",
];
/// They claim to explore no trace twice.
fn once(name: &str) -> bool {
    ["sleep", "spor+sleep", "dpor+sleep"].contains(&name) || name.starts_with("scale") && !name.contains("nsb=30")
}

const STORING: [&str; 6] = ["stateful", "stateful+sleep", "stateful+spor", "sdpor", "stateful superstep", "graph"];
/// For programs that end.
const STORING_DELTAS: [&str; 1] = ["sdpor delta"];
const SAMPLING: [&str; 5] = ["random", "pct:1", "pct:3", "pos", "urw"];

/// A search that meets more ends is left out, and counted.
fn most_ends(name: &str) -> u64 {
    if name == "dfs" { 3_000 } else { 50_000 }
}

type LeftOut = BTreeMap<&'static str, u64>;

/// Half of the programs may have too many interleavings, but hardly one too many for a reduction.
fn check_left_out(left_out: &LeftOut, cases: u64) {
    for (name, count) in left_out {
        let most = if *name == "dfs" { cases / 2 } else { cases / 50 };
        assert!(*count <= most, "{name} was too long for {count} of {cases} programs");
    }
}

#[derive(Default)]
struct Collect {
    traces: HashSet<u64>,
    twice: u64,
    /// States at the ends, or their signatures where threads may go round.
    ends: HashSet<Fingerprint>,
    signatures: bool,
    deadlocks: u64,
    failed: bool,
    met: u64,
    most: u64,
}

impl Search<ModelMachine<'_>> for Collect {
    fn end(&mut self, machine: &mut ModelMachine<'_>, path: &Path, end: End) -> Flow {
        self.met += 1;
        self.failed |= machine.state.failed;
        if !matches!(end, End::Redundant | End::Bound) {
            self.deadlocks += u64::from(matches!(end, End::Stuck(_)));
            self.twice += u64::from(!self.traces.insert(trace_hash(&trace_of(path))));
            self.ends.insert(match self.signatures {
                true => end_signature(machine).expect("an end is an end"),
                false => machine.fingerprint().expect("exact"),
            });
        }
        if self.met > self.most { Flow::Stop } else { Flow::Continue }
    }

    fn redundant(&mut self, machine: &mut ModelMachine<'_>, times: u64) -> bool {
        self.met += times;
        self.failed |= machine.state.failed;
        self.met > self.most
    }
}

/// Nothing, if there are too many ends. Once more if arrivals at barriers turned out to be ordered: only that counts.
fn explore(program: &Program, name: &str, signatures: bool, ordered: bool) -> Option<(Collect, Totals, bool)> {
    explore_within(program, name, signatures, ordered, &Settings::default())
}

fn explore_within(
    program: &Program,
    name: &str,
    signatures: bool,
    ordered: bool,
    settings: &Settings,
) -> Option<(Collect, Totals, bool)> {
    let mut machine = ModelMachine::new(program);
    machine.ordered_arrivals = ordered;
    let mut collect = Collect { signatures, most: most_ends(name), ..Collect::default() };
    let (strategy, own) = strategy(name);
    let Settings { filters, order, capture, superstep, .. } = own;
    let settings = &Settings { filters, order, capture, superstep, ..settings.clone() };
    let totals = strategy.run(&mut machine, settings, &mut collect);
    if machine.ordered_arrivals && !ordered {
        return explore_within(program, name, signatures, true, settings);
    }
    totals.complete.then_some((collect, totals, machine.ordered_arrivals))
}

fn describe(name: &str, seed: u64, program: &Program) -> String {
    format!("{name}, seed {seed}\n{}", to_c(program))
}

#[test]
fn stateless_strategies_explore_every_trace() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed, mut left_out) = (0, first, LeftOut::new());
    let mut executions = [0; STATELESS.len()];
    while programs < cases {
        seed += 1;
        let program = if seed.is_multiple_of(5) { generate_with_error_checks(seed) } else { generate(seed, false) };
        let Some(unordered) = oracle::traces(&mut ModelMachine::new(&program), 4_000) else { continue };
        let mut machine = ModelMachine::new(&program);
        machine.ordered_arrivals = true;
        let Some(ordered) = oracle::traces(&mut machine, 4_000) else { continue };
        programs += 1;
        for (count, name) in executions.iter_mut().zip(STATELESS).filter(|(_, name)| wanted(name)) {
            let Some((found, totals, is_ordered)) = explore(&program, name, false, false) else {
                *left_out.entry(name).or_default() += 1;
                continue;
            };
            let truth = if is_ordered { &ordered } else { &unordered };
            let what = || describe(name, seed, &program);
            assert_eq!(found.traces.difference(&truth.traces).count(), 0, "traces that do not exist: {}", what());
            assert_eq!(found.traces.len(), truth.traces.len(), "lost traces: {}", what());
            assert_eq!(found.ends, truth.ends, "final states: {}", what());
            assert!(totals.executions + totals.cut >= truth.traces.len() as u64, "{}", what());
            if once(name) {
                assert_eq!(found.twice, 0, "explored twice: {}", what());
                assert_eq!((found.deadlocks, totals.cut), (truth.deadlocks, truth.cut), "{}", what());
            }
            *count += totals.executions;
        }
        for name in STORING.into_iter().chain(STORING_DELTAS).filter(wanted) {
            let what = || describe(name, seed, &program);
            let (found, _, _) = explore(&program, name, false, true).unwrap_or_else(|| panic!("{}", what()));
            assert_eq!(found.ends, ordered.ends, "final states: {}", what());
        }
    }
    println!("{programs} programs, left out: {left_out:?}, executions of {STATELESS:?}: {executions:?}");
    check_left_out(&left_out, cases);
}

#[test]
fn loops_that_wait_lose_nothing() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed, mut left_out) = (0, first, LeftOut::new());
    while programs < cases {
        seed += 1;
        let program = generate(seed, true);
        let Some(truth) = oracle::states(&mut ModelMachine::new(&program), 3_000) else { continue };
        programs += 1;
        for name in STATELESS.into_iter().chain(STORING).filter(wanted) {
            let Some((found, totals, _)) = explore(&program, name, true, false) else {
                *left_out.entry(name).or_default() += 1;
                continue;
            };
            let what = || describe(name, seed, &program);
            assert_eq!(found.ends.difference(&truth.ends).count(), 0, "ends that do not exist: {}", what());
            assert_eq!(found.ends.len(), truth.ends.len(), "lost ends: {}", what());
            if once(name) {
                assert_eq!(found.twice, 0, "explored twice: {}", what());
            }
            if name == "stateful" {
                assert_eq!(totals.executions + totals.cut, truth.ends.len() as u64, "each end once: {}", what());
            }
        }
    }
    println!("{programs} programs, left out: {left_out:?}");
    check_left_out(&left_out, cases);
}

#[test]
fn searches_that_store_states_visit_all_that_matters_in_endless_programs() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed, mut endless) = (0, first, 0);
    let (mut saved_transitions, mut saved_states) = (0, 0);
    while programs < cases {
        seed += 1;
        let program = generate_endless(seed);
        let mut failed = false;
        let look = |machine: &mut ModelMachine| failed |= machine.state.failed;
        let Some(truth) = oracle::graph(&mut ModelMachine::new(&program), 3_000, look) else { continue };
        programs += 1;
        endless += u64::from(!truth.always_ends);
        for name in STORING.into_iter().filter(wanted) {
            let what = || describe(name, seed, &program);
            let (found, totals, _) = explore(&program, name, true, true).unwrap_or_else(|| panic!("{}", what()));
            assert_eq!(found.ends, truth.ends, "ends: {}", what());
            assert_eq!(found.failed, failed, "failed assertions: {}", what());
            let states = totals.states.expect("they are counted");
            match name {
                "stateful" => {
                    assert_eq!(
                        (states, totals.transitions),
                        (truth.states as u64, truth.transitions as u64),
                        "{}",
                        what()
                    );
                }
                "stateful+sleep" => {
                    assert_eq!(states, truth.states as u64, "{}", what());
                    saved_transitions += truth.transitions as i64 - totals.transitions as i64;
                }
                _ => {
                    assert!(states <= truth.states as u64, "{}", what());
                    saved_states += truth.states as u64 - states;
                }
            }
        }
    }
    println!("{programs} programs, {endless} endless; {saved_transitions} transitions and {saved_states} states saved");
    assert!(endless * 10 > cases, "only {endless} endless programs");
    assert!(saved_transitions > 0 && saved_states > 0 || std::env::var("TB_FUZZ_ONLY").is_ok());
}

#[test]
fn within_the_filter_on_preemptions_nothing_is_lost() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed, mut cut) = (0, first, 0);
    while programs < cases {
        seed += 1;
        let program = generate(seed, false);
        for most in 0..3 {
            let mut machine = ModelMachine::new(&program);
            machine.ordered_arrivals = true;
            let Some((ends, _)) = oracle::within_preemptions(&mut machine, most, 5_000, |_| {}) else { break };
            programs += 1;
            for filters in ["nsb,cb=", "lcd,nsb=exact,cb=", "cb="] {
                let name = format!("scale {filters}{most}");
                let what = || describe(&name, seed, &program);
                let (found, totals, _) = explore(&program, &name, true, true).unwrap_or_else(|| panic!("{}", what()));
                assert_eq!(found.ends, ends, "{}", what());
                cut += u64::from(totals.beyond_context > 0);
            }
        }
    }
    assert!(cut > cases, "{cut} searches were cut");
}

#[test]
fn executions_by_chance_are_executions() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed) = (0, first);
    while programs < cases {
        seed += 1;
        let program = generate(seed, true);
        let Some(truth) = oracle::states(&mut ModelMachine::new(&program), 3_000) else { continue };
        programs += 1;
        for name in SAMPLING {
            let what = || describe(name, seed, &program);
            let settings = Settings { seed, runs: 20, ..Settings::default() };
            let run = || {
                let mut collect = Collect { signatures: true, most: u64::MAX, ..Collect::default() };
                let totals = strategy(name).0.run(&mut ModelMachine::new(&program), &settings, &mut collect);
                (collect, totals)
            };
            let (found, totals) = run();
            assert_eq!(found.ends.difference(&truth.ends).count(), 0, "ends that do not exist: {}", what());
            assert_eq!((totals.executions + totals.cut, totals.blocked), (20, 0), "{}", what());
            assert!(totals.sampled.is_some() && !totals.complete, "{}", what());
            assert_eq!(run().1, totals, "a seed means the same for ever: {}", what());
        }
    }
}

/// What an invariant looks at is visible: it is broken in some explored state iff it is in some state at all, and the ends in
/// whose past it was broken are the same.
#[test]
fn every_strategy_sees_whether_an_invariant_is_broken() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed, mut broken, mut left_out) = (0, first, 0, LeftOut::new());
    while programs < cases {
        seed += 1;
        let program = generate_with_invariant(seed, seed.is_multiple_of(3));
        if program.never.is_empty() {
            continue;
        }
        let mut failed = false;
        let look = |machine: &mut ModelMachine| failed |= machine.state.failed;
        let Some(truth) = oracle::graph(&mut ModelMachine::new(&program), 3_000, look) else { continue };
        if !truth.always_ends {
            continue;
        }
        programs += 1;
        broken += u64::from(failed);
        for name in ["optimal", "source"].into_iter().chain(STATELESS).chain(STORING).filter(wanted) {
            let Some((found, _, _)) = explore(&program, name, true, false) else {
                *left_out.entry(name).or_default() += 1;
                continue;
            };
            let what = || format!("never {:?}: {}", program.never, describe(name, seed, &program));
            assert_eq!(found.failed, failed, "the invariant: {}", what());
            assert_eq!(found.ends, truth.ends, "ends: {}", what());
        }
    }
    println!("{programs} programs, {broken} with a broken invariant, left out: {left_out:?}");
    assert!(broken * 10 > cases && broken * 10 < cases * 9, "{broken} of {cases} broken");
    check_left_out(&left_out, cases);
}

/// Within a bound on preemptions, strategies that keep to one find exactly what brute force finds; where the bound was
/// never in the way, that is everything.
#[test]
fn nothing_within_a_bound_on_preemptions_is_lost() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed, mut left_out, mut unbounded, mut fewer) = (0, first, LeftOut::new(), 0, 0);
    while programs < cases {
        seed += 1;
        let program = generate_with_invariant(seed, seed.is_multiple_of(3));
        let Some(all) = oracle::states(&mut ModelMachine::new(&program), 3_000) else { continue };
        programs += 1;
        for bound in 0..3 {
            let mut failed = false;
            let look = |machine: &mut ModelMachine| failed |= machine.state.failed;
            let truth = oracle::within_preemptions(&mut ModelMachine::new(&program), bound, 60_000, look);
            let (ends, reached) = truth.expect("few states");
            fewer += u64::from(ends != all.ends);
            unbounded += u64::from(!reached);
            for name in ["dfs", "stateful", "dpor"] {
                let settings = Settings { context_bound: Some(bound), ..Settings::default() };
                let Some((found, totals, _)) = explore_within(&program, name, true, false, &settings) else {
                    *left_out.entry(name).or_default() += 1;
                    continue;
                };
                let what =
                    || format!("{bound} preemptions, never {:?}: {}", program.never, describe(name, seed, &program));
                assert_eq!(found.ends.difference(&ends).count(), 0, "ends beyond the bound: {}", what());
                assert_eq!(found.ends.len(), ends.len(), "lost ends: {}", what());
                assert_eq!(found.failed, failed, "the invariant: {}", what());
                if totals.beyond_context == 0 {
                    assert_eq!(found.ends, all.ends, "the bound was never in the way: {}", what());
                }
            }
        }
    }
    println!("{programs} programs, {fewer} bounds that matter, {unbounded} never reached, left out: {left_out:?}");
    assert!(fewer > 0 && unbounded > 0);
}

/// The ends of all executions of so many events at most, and whether something fails within them, by trying every step.
fn ends_up_to(
    machine: &mut ModelMachine,
    left: usize,
    ends: &mut HashSet<Fingerprint>,
    failed: &mut bool,
    tries: &mut u32,
) {
    *tries = tries.saturating_sub(1);
    *failed |= machine.state.failed;
    let pending = machine.all_pending();
    let steps = pending.iter().filter(|p| p.operation != Operation::Exit);
    let steps: Vec<_> = steps.flat_map(|p| p.choices.enabled().map(|choice| (p.tid, choice))).collect();
    if steps.is_empty() {
        ends.insert(machine.fingerprint().expect("exact"));
    }
    for (tid, choice) in steps {
        if *tries > 0 && left > 0 {
            let mark = machine.mark();
            machine.step(tid, choice);
            ends_up_to(machine, left - 1, ends, failed, tries);
            machine.rewind(mark);
        }
    }
}

/// Within a bound on the length of executions, strategies that claim to explore all up to it do.
#[test]
fn nothing_within_a_bound_on_the_depth_is_lost() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed, mut cut, mut shorter, mut failures) = (0, first, 0, 0, 0);
    while programs < cases {
        seed += 1;
        let program = generate_with_invariant(seed, false);
        let ordered = || {
            let mut machine = ModelMachine::new(&program);
            machine.ordered_arrivals = true;
            machine
        };
        let depth = 2 + (seed % 12) as usize;
        let (mut ends, mut failed, mut tries) = (HashSet::new(), false, 30_000);
        ends_up_to(&mut ordered(), depth, &mut ends, &mut failed, &mut tries);
        if tries == 0 {
            continue;
        }
        programs += 1;
        shorter += u64::from(!ends.is_empty());
        failures += u64::from(failed);
        for name in ["dfs", "stateful", "sleep", "stateful+sleep", "random"] {
            let settings = Settings { depth_bound: depth, runs: 50, seed, ..Settings::default() };
            let what = || format!("{depth} events, never {:?}: {}", program.never, describe(name, seed, &program));
            let mut collect = Collect { most: u64::MAX, ..Collect::default() };
            let (strategy, _) = strategy(name);
            let totals = strategy.run(&mut ordered(), &settings, &mut collect);
            assert_eq!(collect.ends.difference(&ends).count(), 0, "ends beyond the bound: {}", what());
            assert!(!collect.failed || failed, "a failure beyond the bound: {}", what());
            if strategy.explores_all_up_to_a_depth() {
                assert_eq!(collect.ends.len(), ends.len(), "lost ends: {}", what());
                assert_eq!(collect.failed, failed, "a lost failure: {}", what());
                cut += u64::from(totals.beyond_bound > 0);
            }
        }
    }
    println!("{programs} programs, {shorter} with ends, {failures} with failures, {cut} searches were cut");
    assert!(cut > cases && shorter > cases / 5 && failures > 0, "{cut} {shorter} {failures}");
}

/// Executions by chance keep to the bound, too, and so do those that are cut off at a depth.
#[test]
fn executions_by_chance_keep_to_a_bound_on_preemptions() {
    for seed in 1..60 {
        let program = generate(seed, true);
        let Some((ends, _)) = oracle::within_preemptions(&mut ModelMachine::new(&program), 1, 20_000, |_| {}) else {
            continue;
        };
        for name in SAMPLING {
            let settings = Settings { seed, runs: 20, context_bound: Some(1), ..Settings::default() };
            let mut collect = Collect { signatures: true, most: u64::MAX, ..Collect::default() };
            strategy(name).0.run(&mut ModelMachine::new(&program), &settings, &mut collect);
            assert_eq!(collect.ends.difference(&ends).count(), 0, "{}", describe(name, seed, &program));
        }
    }
}

/// Threads side by side: a first one creates the others.
fn side_by_side(variables: &[i64], threads: &[&[Instr]]) -> Program {
    let creates = (1..=threads.len()).map(Instr::Create).collect();
    let all = std::iter::once(creates).chain(threads.iter().map(|code| code.to_vec())).map(Code).collect();
    Program { variables: variables.to_vec(), threads: all, ..Program::default() }
}

/// y = 1 ‖ exchange(x, 1), never x == 1 and y == 0: the two meet only in the invariant, which a read-modify-write that was
/// compared by the value of its variable alone did not see. `optimal` lost the broken state.
#[test]
fn a_read_modify_write_races_with_every_write_that_an_invariant_sees() {
    let mut program =
        side_by_side(&[0, 0], &[&[Instr::Store(1, Expr::Const(1))], &[Instr::Exchange(2, 0, Expr::Const(1))]]);
    program.never = vec![(0, 1), (1, 0)];
    for name in ["optimal", "source"].into_iter().chain(STATELESS).chain(STORING).filter(wanted) {
        let (found, _, _) = explore(&program, name, true, false).expect("it is small");
        assert!(found.failed, "{name}");
    }
}

/// y = 1; while (a == 0); x = 1 ‖ r = y; x = 2, where a is 1: without preemptions, r == 1 and x == 1 comes about only if the first
/// thread is left in front of its loop, where it may wait. A bounded `dpor` that went back to the start of the thread's steps lost it.
#[test]
fn a_thread_may_be_left_for_nothing_in_front_of_a_loop_that_waits() {
    let waits = [
        Instr::Store(1, Expr::Const(1)),
        Instr::Load(2, 0),
        Instr::JumpIf(Expr::Equal(2, 0), 1),
        Instr::Store(2, Expr::Const(1)),
    ];
    let program = side_by_side(&[1, 0, 0], &[&waits, &[Instr::Load(2, 1), Instr::Store(2, Expr::Const(2))]]);
    let truth = oracle::within_preemptions(&mut ModelMachine::new(&program), 0, 1_000, |_| {});
    let (ends, reached) = truth.expect("few states");
    assert!(reached && ends.len() == 3, "{}", ends.len());
    for name in ["dfs", "stateful", "dpor"] {
        let settings = Settings { context_bound: Some(0), ..Settings::default() };
        let (found, _, _) = explore_within(&program, name, true, false, &settings).expect("it is small");
        assert_eq!(found.ends, ends, "{name}");
    }
}
