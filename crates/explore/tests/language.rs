//! Models of the small language: every row of programs/models/TABLE, and random programs against brute force.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path as FilePath;
use std::sync::Arc;

use threadbare_core::{Choice, Choices, FaultKind, Fingerprint, Machine, Random, Tid};
use threadbare_explore::oracle::{self, end_signature, trace_hash, trace_of};
use threadbare_explore::{End, Flow, Kind, Path, Search, Settings, Strategy, Totals};
use threadbare_pl::lang::{Source, TbMachine, TbProgram, TbSetup, Value, load, load_with};
use threadbare_pl::{ModelMachine, Program, Wording, generate, generate_with_invariant, side_by_side, to_tb};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn program(file: &FilePath, parameters: &str) -> Arc<TbProgram> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let definitions: Vec<(String, String)> = parameters
        .split_whitespace()
        .map(|word| word.split_once('=').map(|(name, value)| (name.into(), value.into())).expect("NAME=value"))
        .collect();
    let source = Source::new(file.display().to_string(), text);
    Arc::new(load(&source, &definitions).unwrap_or_else(|error| panic!("{}: {error:?}", file.display())))
}

fn machine(program: &Arc<TbProgram>) -> TbMachine {
    TbMachine::new(program.clone(), TbSetup { go_on: true, ..TbSetup::default() })
}

/// All states and steps between them, up to a limit.
fn graph(machine: &mut TbMachine, limit: usize) -> Option<(usize, usize)> {
    let mut index = HashMap::from([(machine.fingerprint().expect("exact"), ())]);
    let mut open = vec![machine.save()];
    let mut steps = 0;
    while let Some(state) = open.pop() {
        machine.restore(&state);
        for pending in machine.all_pending() {
            let choices: Vec<_> = match &pending.choices {
                Choices::Range(n) => (0..*n).map(Choice).collect(),
                listed => listed.enabled().collect(),
            };
            for choice in choices {
                machine.restore(&state);
                machine.step(pending.tid, choice);
                steps += 1;
                if index.insert(machine.fingerprint().expect("exact"), ()).is_none() {
                    open.push(machine.save());
                }
            }
        }
        if index.len() > limit {
            return None;
        }
    }
    Some((index.len(), steps))
}

#[derive(Default)]
struct Count {
    deadlocks: u64,
}

impl Search<TbMachine> for Count {
    fn end(&mut self, _: &mut TbMachine, _: &Path, end: End) -> Flow {
        self.deadlocks += u64::from(matches!(end, End::Stuck(_)));
        Flow::Continue
    }
}

fn explore(program: &Arc<TbProgram>, strategy: Strategy) -> (Totals, u64) {
    let mut count = Count::default();
    let totals = strategy.run(&mut machine(program), &Settings::default(), &mut count);
    (totals, count.deadlocks)
}

/// Rows with more are for `make fuzz-engine` (`TB_ALL_COUNTS=1`).
const MOST_EXECUTIONS: u64 = 20_000;

#[test]
fn models_have_as_many_executions_and_states_as_the_table_says() {
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/models");
    let table = std::fs::read_to_string(folder.join("TABLE")).expect("the table");
    let all = std::env::var_os("TB_ALL_COUNTS").is_some();
    let (mut rows, mut wrong) = (0, Vec::new());
    for line in table.lines().skip(1) {
        let field: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| field[at].parse::<u64>().expect("a number");
        let program = program(&folder.join(field[0]), field[1]);
        if field[2] != "-" && (number(2) <= MOST_EXECUTIONS || all) {
            for strategy in [Strategy::Optimal, Strategy::Source] {
                rows += 1;
                let (totals, deadlocks) = explore(&program, strategy);
                if (totals.executions, deadlocks) != (number(2), number(3)) {
                    wrong.push(format!("{line}: {strategy:?} {totals:?}, {deadlocks} deadlocks"));
                }
            }
        }
        if field[4] != "-" {
            rows += 1;
            let found = graph(&mut machine(&program), 100_000);
            if found != Some((number(4) as usize, number(5) as usize)) {
                wrong.push(format!("{line}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {rows} rows:\n{}", wrong.len(), wrong.join("\n"));
}

/// What an execution leaves behind.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Result {
    variables: Vec<i64>,
    failed: bool,
    stuck: bool,
    cut: bool,
}

#[derive(Default)]
struct Collect {
    results: BTreeSet<Result>,
    traces: HashSet<u64>,
    twice: u64,
    ends: HashSet<Fingerprint>,
    deadlocks: u64,
    /// Work with signatures of ends instead of plain states.
    loops: bool,
}

impl Collect {
    fn note(&mut self, path: &Path, end: &End, variables: Vec<i64>, failed: bool) {
        let (stuck, cut) = (matches!(end, End::Stuck(_)), *end == End::Cut);
        self.deadlocks += u64::from(stuck);
        self.results.insert(Result { variables, failed, stuck, cut });
        self.twice += u64::from(!self.traces.insert(trace_hash(&trace_of(path))));
    }
}

impl Search<ModelMachine<'_>> for Collect {
    fn end(&mut self, machine: &mut ModelMachine<'_>, path: &Path, end: End) -> Flow {
        if end != End::Redundant {
            self.note(path, &end, machine.state.variables.clone(), machine.state.failed);
        }
        Flow::Continue
    }
}

impl Search<TbMachine> for Collect {
    fn end(&mut self, machine: &mut TbMachine, path: &Path, end: End) -> Flow {
        assert!(!matches!(end, End::Error | End::Bound | End::Exit(..)), "{end:?}: {:?}", machine.ending());
        if end != End::Redundant {
            let number = |value: &Value| match value {
                Value::Int(value) => *value,
                other => panic!("{other:?}"),
            };
            let variables = machine.shared().iter().map(number).collect();
            self.note(path, &end, variables, !machine.noted().is_empty());
            let signature = match self.loops {
                true => end_signature(machine).expect("an end is an end"),
                false => machine.fingerprint().expect("exact"),
            };
            self.ends.insert(signature);
        }
        Flow::Continue
    }
}

/// A random program as data, and in both wordings of the small language.
fn random(seed: u64, loops: bool) -> Option<(Program, Vec<Arc<TbProgram>>)> {
    let program = side_by_side(&generate(seed, loops))?;
    let said = said(seed, &program);
    Some((program, said))
}

fn said(seed: u64, program: &Program) -> Vec<Arc<TbProgram>> {
    let invariants: &[String] = if program.never.is_empty() { &[] } else { &["holds".into()] };
    let say = |wording| {
        let source = Source::new("random.tb", to_tb(program, wording));
        let loaded = load_with(&source, &[], invariants, &[]);
        Arc::new(loaded.unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{}", source.text)))
    };
    [Wording::Plain, Wording::Functions].map(say).into()
}

fn explore_random(program: &Arc<TbProgram>, strategy: Strategy, loops: bool) -> (Collect, Totals) {
    let mut collect = Collect { loops, ..Collect::default() };
    let totals = strategy.run(&mut machine(program), &Settings::default(), &mut collect);
    (collect, totals)
}

#[test]
fn random_programs_have_the_traces_of_brute_force_and_of_the_model() {
    let (cases, mut seed) = (setting("TB_FUZZ_CASES", 500), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut traces) = (0, 0);
    while programs < cases {
        seed += 1;
        let Some((model, said)) = random(seed, false) else { continue };
        let mut expected = Collect::default();
        let totals = Strategy::Optimal.run(&mut ModelMachine::new(&model), &Settings::default(), &mut expected);
        if totals.executions > 2_000 {
            continue;
        }
        programs += 1;
        for program in &said {
            let what = || format!("seed {seed}\n{}", program.source.text);
            let truth = oracle::traces(&mut machine(program), 200_000).expect("few traces");
            assert_eq!(truth.traces.len(), expected.traces.len(), "traces of brute force: {}", what());
            traces += truth.traces.len();
            for strategy in [Strategy::Optimal, Strategy::Source] {
                let (found, totals) = explore_random(program, strategy, false);
                assert_eq!(found.traces, truth.traces, "{strategy:?}, traces: {}", what());
                assert_eq!(found.ends, truth.ends, "{strategy:?}, final states: {}", what());
                assert_eq!(found.results, expected.results, "{strategy:?}, results: {}", what());
                assert_eq!(found.twice, 0, "{strategy:?}, explored twice: {}", what());
                assert_eq!(found.deadlocks, truth.deadlocks, "{strategy:?}, deadlocks: {}", what());
                assert_eq!(found.deadlocks, expected.deadlocks, "{strategy:?}, deadlocks: {}", what());
                assert_eq!(totals.cut, truth.cut, "{strategy:?}, cut: {}", what());
            }
        }
    }
    println!("{programs} programs, {traces} traces");
}

#[test]
fn loops_that_wait_lose_nothing() {
    let (cases, mut seed) = (setting("TB_FUZZ_CASES", 500), setting("TB_FUZZ_SEED", 0));
    let mut programs = 0;
    while programs < cases {
        seed += 1;
        let Some((_, said)) = random(seed, true) else { continue };
        let Some(truth) = oracle::states(&mut machine(&said[0]), 3_000) else { continue };
        programs += 1;
        for (number, program) in said.iter().enumerate() {
            let what = || format!("seed {seed}\n{}", program.source.text);
            let truth = match number {
                0 => &truth,
                _ => &oracle::states(&mut machine(program), 10_000).expect("as few states"),
            };
            for strategy in [Strategy::Optimal, Strategy::Source] {
                let (found, _) = explore_random(program, strategy, true);
                assert_eq!(found.ends.difference(&truth.ends).count(), 0, "{strategy:?}, no such end: {}", what());
                assert_eq!(found.ends.len(), truth.ends.len(), "{strategy:?}, lost ends: {}", what());
                assert_eq!(found.twice, 0, "{strategy:?}, explored twice: {}", what());
            }
        }
    }
}

/// Whether an invariant was broken, and how the executions ended.
#[derive(Default)]
struct Broken {
    broken: bool,
    ends: HashSet<Fingerprint>,
    met: u32,
}

impl Search<TbMachine> for Broken {
    fn end(&mut self, machine: &mut TbMachine, _: &Path, end: End) -> Flow {
        self.met += 1;
        self.broken |= machine.noted().iter().any(|fault| fault.kind == FaultKind::Invariant);
        if end != End::Redundant {
            self.ends.insert(end_signature(machine).expect("an end is an end"));
        }
        if self.met > 5_000 { Flow::Stop } else { Flow::Continue }
    }
}

/// What an invariant looks at is visible: it is broken in some explored state iff it is in some state at all.
#[test]
fn every_strategy_sees_whether_an_invariant_is_broken() {
    let (cases, mut seed) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut broken, mut left_out) = (0, 0, 0);
    let strategies: Vec<Strategy> = Strategy::table().filter_map(|(name, _)| name.parse().ok()).collect();
    while programs < cases {
        seed += 1;
        let Some(model) = side_by_side(&generate_with_invariant(seed, seed.is_multiple_of(3))) else { continue };
        if model.never.is_empty() {
            continue;
        }
        for program in said(seed, &model) {
            let what = || format!("seed {seed}\n{}", program.source.text);
            let mut truly = false;
            let look = |machine: &mut TbMachine| {
                let holds = |(x, value): &(usize, i64)| machine.shared()[*x] == Value::Int(*value);
                truly |= model.never.iter().all(holds);
            };
            let Some(truth) = oracle::graph(&mut machine(&program), 2_000, look) else { continue };
            if !truth.always_ends {
                continue;
            }
            programs += 1;
            broken += u64::from(truly);
            for strategy in strategies.iter().filter(|strategy| strategy.kind() != Kind::Sample) {
                let mut found = Broken::default();
                let totals = strategy.run(&mut machine(&program), &Settings::default(), &mut found);
                if !totals.complete {
                    left_out += 1;
                    continue;
                }
                assert_eq!(found.broken, truly, "{strategy}: {}", what());
                assert_eq!(found.ends, truth.ends, "{strategy}: {}", what());
            }
        }
    }
    println!("{programs} programs, {broken} with a broken invariant, {left_out} searches were too long");
    assert!(broken * 10 > cases && broken * 10 < cases * 9, "{broken} of {cases} broken");
    assert!(left_out < cases, "{left_out} searches left out");
}

/// On every state of random walks: what a step touches is in what the code says that the thread may touch; going back
/// gives the same state, saving and restoring too; steps that do not conflict commute.
#[test]
fn every_state_can_be_left_and_found_again() {
    let (cases, mut seed) = (setting("TB_FUZZ_CASES", 300), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut pairs) = (0, 0u64);
    while programs < cases {
        seed += 1;
        let generated = if seed % 2 == 0 { generate_with_invariant } else { generate };
        let Some(model) = side_by_side(&generated(seed, seed % 3 == 0)) else { continue };
        programs += 1;
        for program in &said(seed, &model) {
            let what = || format!("seed {seed}\n{}", program.source.text);
            let mut machine = machine(program);
            let mut dice = Random::new(seed);
            let mut path = Vec::new();
            for _ in 0..40 {
                let pending = machine.all_pending();
                let steps: Vec<(Tid, Choice)> =
                    pending.iter().flat_map(|p| p.choices.enabled().map(move |choice| (p.tid, choice))).collect();
                let (mark, state, saved) = (machine.mark(), machine.fingerprint(), machine.save());
                path.push((mark, state));
                for &a in &steps {
                    let accesses = machine.accesses(a.0, a.1);
                    let may = machine.may_access(a.0).expect("the code tells");
                    assert!(accesses.iter().all(|access| may.contains(access)), "{accesses:?} of {may:?}: {}", what());
                    for &b in steps.iter().filter(|b| b.0 > a.0) {
                        let other = machine.accesses(b.0, b.1);
                        if accesses.iter().any(|x| other.iter().any(|y| x.conflicts(y))) {
                            continue;
                        }
                        pairs += 1;
                        let mut both = |first: (Tid, Choice), second: (Tid, Choice)| {
                            machine.step(first.0, first.1);
                            assert!(machine.pending(second.0).choices.is_enabled(second.1), "{}", what());
                            machine.step(second.0, second.1);
                            let after = machine.fingerprint();
                            machine.rewind(mark);
                            assert_eq!(machine.fingerprint(), state, "going back: {}", what());
                            after
                        };
                        assert_eq!(both(a, b), both(b, a), "{a:?} {b:?}: {}", what());
                    }
                }
                if steps.is_empty() {
                    break;
                }
                let (tid, choice) = steps[dice.below(steps.len())];
                machine.step(tid, choice);
                let after = machine.fingerprint();
                machine.restore(&saved);
                assert_eq!(machine.fingerprint(), state, "restoring: {}", what());
                machine.step(tid, choice);
                assert_eq!(machine.fingerprint(), after, "the same step: {}", what());
            }
            while let Some((mark, state)) = path.pop() {
                machine.rewind(mark);
                assert_eq!(machine.fingerprint(), state, "going back: {}", what());
            }
        }
    }
    assert!(pairs > cases, "only {pairs} pairs");
}

/// How much was said to be done, and how many executions there were by then.
#[derive(Default)]
struct Progress {
    executions: u64,
    told: Vec<(f64, u64)>,
}

impl Search<TbMachine> for Progress {
    fn end(&mut self, _: &mut TbMachine, _: &Path, _: End) -> Flow {
        self.executions += 1;
        Flow::Continue
    }

    fn progress(&mut self, done: f64) {
        self.told.push((done, self.executions));
    }
}

/// Of N readers that may come before the writer each leaves half as much to explore as the one before: branches are not of
/// one size, which the estimate learns.
#[test]
fn how_much_is_done_is_told_though_branches_differ_in_size() {
    let file = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/models/readers.tb");
    let program = program(&file, "N=13");
    let mut search = Progress::default();
    Strategy::Optimal.run(&mut machine(&program), &Settings::default(), &mut search);
    let all = search.executions as f64;
    assert!(search.told.len() > 20, "{} times", search.told.len());
    for (done, executions) in search.told {
        let really = executions as f64 / all;
        assert!((0.0..=1.0).contains(&done), "{done}");
        assert!(really < 0.1 || (done / really > 0.5 && done / really < 2.0), "{done} instead of {really}");
    }
}
