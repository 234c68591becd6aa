//! Data races of random programs with plain accesses, fences and weak orders: two searches over all states, one with every
//! plain access as a step of its own and one with plain accesses as local code, against each other and against every way to
//! explore. `TB_FUZZ_CASES` and `TB_FUZZ_SEED` choose how many programs and which.

use std::collections::HashSet;

use threadbare_core::{Choice, Ending, Fingerprint, Machine, Operation};
use threadbare_explore::oracle::{self, end_signature, trace_hash, trace_of};
use threadbare_explore::{End, Flow, Path, Search, Settings, Strategy, Totals};
use threadbare_pl::{Instr, ModelMachine, Plain, Program, generate, to_c, with_plain_accesses};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

const CHECKED: Plain = Plain { visible: false, checked: true };
const INTERLEAVED: Plain = Plain { visible: true, checked: false };
/// The truth: every access is a step, and races are looked for.
const BOTH: Plain = Plain { visible: true, checked: true };

/// The state, without what orders threads, if it is an end.
fn end_of(machine: &mut ModelMachine<'_>) -> Option<Fingerprint> {
    let (saved, plain) = (machine.save(), machine.plain);
    machine.forget_order();
    let signature = end_signature(machine);
    machine.plain = plain;
    machine.restore(&saved);
    signature
}

fn has_raced(machine: &ModelMachine<'_>) -> bool {
    matches!(machine.ending(), Some(Ending::Error(_)))
}

/// Two threads stand at accesses that conflict, at least one of them plain, and both can go on.
fn neighbours_race(machine: &mut ModelMachine<'_>) -> bool {
    let mut accesses = Vec::new();
    for pending in machine.all_pending() {
        let instr = machine.instr(pending.tid.index());
        let plain = matches!(instr, Some(Instr::Read(..) | Instr::Write(..)));
        if plain || matches!(pending.operation, Operation::Load | Operation::Store) {
            let access = machine.accesses(pending.tid, Choice(0))[0];
            // What was freed is no race any more.
            if machine.value(&access) != u128::MAX {
                accesses.push((plain, access));
            }
        }
    }
    let both = |i: usize, j: usize| (accesses[i].0 || accesses[j].0) && accesses[i].1.conflicts(&accesses[j].1);
    (0..accesses.len()).any(|i| (0..i).any(|j| both(i, j)))
}

struct Truth {
    race: bool,
    neighbours: bool,
    ends: HashSet<Fingerprint>,
    always_ends: bool,
}

/// All states. `None` where they are too many.
fn truth(program: &Program, plain: Plain, ordered: bool) -> Option<Truth> {
    let mut machine = ModelMachine::with(program, plain);
    machine.ordered_arrivals = ordered;
    let (mut race, mut neighbours, mut ends) = (false, false, HashSet::new());
    let graph = oracle::graph(&mut machine, 4_000, |machine| {
        race |= has_raced(machine);
        neighbours |= plain.visible && neighbours_race(machine);
        if !has_raced(machine) {
            ends.extend(end_of(machine));
        }
    })?;
    Some(Truth { race, neighbours, ends, always_ends: graph.always_ends })
}

#[derive(Default)]
struct Collect {
    traces: HashSet<u64>,
    twice: u64,
    ends: HashSet<Fingerprint>,
    race: bool,
    executions: u64,
    too_many: bool,
}

impl Search<ModelMachine<'_>> for Collect {
    fn end(&mut self, machine: &mut ModelMachine<'_>, path: &Path, end: End) -> Flow {
        self.executions += 1;
        self.race |= end == End::Error;
        self.too_many |= self.executions > 5_000;
        if self.race || self.too_many {
            return Flow::Stop;
        }
        if !matches!(end, End::Redundant | End::Bound) {
            self.twice += u64::from(!self.traces.insert(trace_hash(&trace_of(path))));
            self.ends.insert(end_of(machine).expect("an end is an end"));
        }
        Flow::Continue
    }
}

/// What a search finds, once more if arrivals at barriers must be ordered.
fn explore(program: &Program, plain: Plain, strategy: Strategy, ordered: bool) -> (Collect, Totals, bool) {
    let mut machine = ModelMachine::with(program, plain);
    machine.ordered_arrivals = ordered;
    let mut collect = Collect::default();
    let totals = strategy.run(&mut machine, &Settings { depth_bound: 400, ..Settings::default() }, &mut collect);
    if machine.ordered_arrivals && !ordered && !collect.race {
        return explore(program, plain, strategy, true);
    }
    (collect, totals, machine.ordered_arrivals)
}

#[test]
fn races_are_found_where_there_are_any() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 400), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut racy, mut hidden, mut endless, mut skipped) = (0, 0, 0, 0, 0);
    let mut seed = first;
    while programs < cases {
        seed += 1;
        let loops = seed % 2 == 0;
        let program = with_plain_accesses(&generate(seed, loops), seed);
        let what = || format!("seed {seed}\n{}", to_c(&program));
        let (Some(every), Some(local)) = (truth(&program, BOTH, false), truth(&program, CHECKED, false)) else {
            skipped += 1;
            continue;
        };
        programs += 1;
        assert_eq!(every.race, local.race, "accesses as steps and as local code: {}", what());
        assert!(every.race || !every.neighbours, "neighbours race: {}", what());
        if !every.race {
            assert_eq!(every.ends, local.ends, "ends of a program without races: {}", what());
        }
        racy += u64::from(every.race);
        hidden += u64::from(every.race && !every.neighbours);
        for strategy in [Strategy::Optimal, Strategy::Source] {
            let (found, totals, ordered) = explore(&program, CHECKED, strategy, false);
            let what = || format!("{strategy:?}, {}", what());
            if found.too_many || totals.beyond_bound > 0 {
                endless += 1;
                continue;
            }
            assert_eq!(found.race, every.race, "race: {}", what());
            if every.race {
                continue;
            }
            assert_eq!(found.ends.difference(&every.ends).count(), 0, "ends that do not exist: {}", what());
            if every.always_ends {
                assert_eq!(found.ends, every.ends, "lost ends: {}", what());
            }
            assert_eq!(found.twice, 0, "explored twice: {}", what());
            if !loops {
                let mut machine = ModelMachine::with(&program, CHECKED);
                machine.ordered_arrivals = ordered;
                let Some(traces) = oracle::traces(&mut machine, 4_000) else { continue };
                assert_eq!(found.traces, traces.traces, "traces: {}", what());
                assert!(strategy == Strategy::Source || totals.blocked == 0, "redundant executions: {}", what());
            }
        }
    }
    println!(
        "{programs} programs, {racy} with races, {hidden} of them where neighbours never race, {endless} searches without an end, \
         {skipped} programs too large"
    );
    assert!(racy * 5 > programs && racy * 5 < programs * 4, "{racy} of {programs} have races: not a fair mixture");
    assert!(hidden * 50 > programs, "only {hidden} of {programs} have races by weak orders");
}

/// The same programs with every access a step of its own, of different sizes, and no races.
#[test]
fn interleaved_accesses_lose_nothing() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 400), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed) = (0, first);
    while programs < cases {
        seed += 1;
        let loops = seed % 2 == 0;
        let program = with_plain_accesses(&generate(seed, loops), seed);
        let Some(every) = truth(&program, INTERLEAVED, false) else { continue };
        if !every.always_ends {
            continue;
        }
        programs += 1;
        for strategy in [Strategy::Optimal, Strategy::Source] {
            let (found, totals, ordered) = explore(&program, INTERLEAVED, strategy, false);
            let what = || format!("{strategy:?}, seed {seed}\n{}", to_c(&program));
            if found.too_many || totals.beyond_bound > 0 {
                continue;
            }
            assert_eq!(found.ends, every.ends, "ends: {}", what());
            assert_eq!(found.twice, 0, "explored twice: {}", what());
            if !loops {
                let mut machine = ModelMachine::with(&program, INTERLEAVED);
                machine.ordered_arrivals = ordered;
                let Some(traces) = oracle::traces(&mut machine, 4_000) else { continue };
                assert_eq!(found.traces, traces.traces, "traces: {}", what());
                assert!(strategy == Strategy::Source || totals.blocked == 0, "redundant executions: {}", what());
            }
        }
    }
}
