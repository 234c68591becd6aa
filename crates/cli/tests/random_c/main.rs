//! Random small programs as C on the virtual machine against the same programs on the in-memory machine: as many
//! executions, the same results, with race detection and without, whether starts, ends and joins of threads are steps of
//! their own or not, and with `graph` by one worker and by several. `TB_FUZZ_C_CASES` and `TB_FUZZ_SEED` choose how many and which.

mod ignored;
mod orders;
mod plain;
mod sharing;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use threadbare_core::{Ending, Machine};
use threadbare_explore::{End, Flow, Help, Kind, Path, Search, Settings, Strategy, Totals};
use threadbare_pl::{
    Instr, ModelMachine, Plain, Program, generate, generate_with_error_checks, generate_with_invariant, to_c,
};
use threadbare_vm::{Console, Program as Loaded, Setup, Sources, VmMachine};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What an execution leaves behind.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Result {
    variables: Vec<i64>,
    data: Vec<i64>,
    failed: bool,
    stuck: bool,
    cut: bool,
}

/// What all executions leave behind.
#[derive(Default, Debug)]
struct Results {
    all: BTreeSet<Result>,
    /// Whether some execution has a data race.
    racy: bool,
    /// Whether something has failed in some execution that went on.
    failed: bool,
    /// An error has ended an execution, and the search with it; a bound has ended an execution.
    error: Option<String>,
    bound: bool,
    too_many: bool,
    executions: u64,
}

impl Results {
    /// What comes out of a search. One that stores states does not tell those with something failed in their past from others.
    fn to_compare(&self, way: Way) -> (bool, BTreeSet<Result>) {
        let past = |result: &Result| Result { failed: result.failed && way.counts(), ..result.clone() };
        (self.failed, self.all.iter().map(past).collect())
    }

    fn note(&mut self, end: &End, result: impl FnOnce(bool, bool) -> Result) -> Flow {
        let (stuck, cut) = match end {
            End::Redundant => return Flow::Continue,
            End::Error => return Flow::Stop,
            End::Bound => {
                self.bound = true;
                return Flow::Stop;
            }
            End::Stuck(_) => (true, false),
            End::Cut => (false, true),
            End::Complete | End::Exit(..) => (false, false),
        };
        self.all.insert(result(stuck, cut));
        self.executions += 1;
        self.too_many |= self.executions > MOST_EXECUTIONS;
        if self.too_many { Flow::Stop } else { Flow::Continue }
    }
}

const MOST_EXECUTIONS: u64 = 3_000;
const DEPTH: usize = 400;

impl Search<ModelMachine<'_>> for Results {
    fn end(&mut self, machine: &mut ModelMachine<'_>, _: &Path, end: End) -> Flow {
        self.racy |= end == End::Error;
        let state = &machine.state;
        self.failed |= state.failed;
        let (variables, data, failed) = (state.variables.clone(), state.data.clone(), state.failed);
        self.note(&end, |stuck, cut| Result { variables, data, failed, stuck, cut })
    }
}

struct OfVm<'p> {
    results: Results,
    program: &'p Program,
    loaded: &'p Loaded,
}

impl Search<VmMachine> for OfVm<'_> {
    fn end(&mut self, machine: &mut VmMachine, _: &Path, end: End) -> Flow {
        if end == End::Error {
            let Some(Ending::Error(fault)) = machine.ending() else { unreachable!("an error") };
            self.results.error = Some(fault.message.clone());
        }
        let failed = !machine.noted().is_empty();
        self.results.failed |= failed;
        self.results.racy |= machine.noted().iter().any(|fault| fault.other.is_some());
        let (program, loaded) = (self.program, self.loaded);
        self.results.note(&end, |stuck, cut| {
            let memory = machine.memory();
            // What nobody uses is not there, and strategies its value.
            let long = |address: u64| memory.load::<8>(address).expect("a global").0 as i64;
            let variable = |x: usize| loaded.global(&format!("x{x}")).map_or(program.variables[x], long);
            let data = loaded.global("data").map(|data| if program.data_on_heap { long(data) as u64 } else { data });
            let byte = |at: usize| data.map_or(0, |data| memory.load::<1>(data + at as u64).expect("data").0 as i64);
            let variables = (0..program.variables.len()).map(variable).collect();
            Result { variables, data: (0..program.data).map(byte).collect(), failed, stuck, cut }
        })
    }
}

fn on_model(program: &Program, plain: Plain) -> (Results, Totals) {
    let mut results = Results::default();
    let mut machine = ModelMachine::with(program, plain);
    // Also where the races of every access are allowed, those of library functions are looked for.
    machine.orders_threads = plain.checked || plain.visible;
    let totals =
        Strategy::Optimal.run(&mut machine, &Settings { depth_bound: DEPTH, ..Settings::default() }, &mut results);
    (results, totals)
}

fn load(program: &Program, folder: &std::path::Path, optimisation: u8, every_access: bool) -> Arc<Loaded> {
    let file = folder.join("program.c");
    std::fs::write(&file, to_c(program)).expect("a place to write");
    let loaded = threadbare_vm::load(&Sources {
        files: vec![file],
        clang_flags: vec!["-w".into()],
        optimisation,
        every_access,
        exploring: true,
        invariants: if program.never.is_empty() { Vec::new() } else { vec!["invariant".into()] },
        ..Sources::default()
    });
    Arc::new(loaded.expect("the program loads"))
}

/// How a search is made. What it finds must not hang on it.
#[derive(Clone, Copy, Debug)]
struct Way {
    strategy: Strategy,
    merge_threads: bool,
    races: bool,
    by_heart: bool,
    go_on: bool,
    every_access: bool,
}

impl Way {
    fn all() -> impl Iterator<Item = Way> {
        Way::by(&[Strategy::Optimal, Strategy::Source])
    }

    fn by(strategies: &[Strategy]) -> impl Iterator<Item = Way> {
        strategies.iter().flat_map(|&strategy| {
            (0..8).map(move |switches| Way {
                strategy,
                merge_threads: switches & 1 != 0,
                races: switches & 2 != 0,
                by_heart: switches & 4 != 0,
                go_on: true,
                every_access: false,
            })
        })
    }

    /// Whether it counts each trace once.
    fn counts(self) -> bool {
        self.strategy.kind() == Kind::EveryTrace
    }
}

fn on_vm(program: &Program, loaded: &Arc<Loaded>, way: Way) -> (Results, Totals) {
    let needs = way.strategy.needs();
    let setup = Setup {
        fingerprints: needs.fingerprints,
        order_in_state: needs.order && !way.every_access,
        go_on: way.go_on,
        merge_idle: true,
        merge_threads: way.merge_threads,
        races: way.races,
        races_of_library: way.every_access,
        by_heart: way.by_heart,
        arguments: vec!["program".into()],
        ..Setup::default()
    };
    let start = || {
        let console = Console::Kept { input: Vec::new() };
        let machine = VmMachine::new(loaded.clone(), &setup, console).expect("memory for the machine");
        (machine, OfVm { results: Results::default(), program, loaded })
    };
    let depth_bound = if way.counts() { 2 * DEPTH } else { usize::MAX };
    let settings = Settings { depth_bound, learns_for: 10, ..Settings::default() };
    let (mut machine, mut search) = start();
    let kin = machine.kin();
    let totals = way.strategy.run(&mut machine, &settings, &mut search);
    if way.strategy == Strategy::Graph {
        let another = || {
            let (mut machine, search) = start();
            machine.join_kin(&kin);
            Some((machine, search))
        };
        let help = Help { jobs: 3, after: Duration::ZERO, another: &another, eager: Some(1) };
        let (mut machine, mut together) = another().expect("there is room");
        let shared = way.strategy.run_with(&mut machine, &settings, &mut together, &help);
        let all = || shared.helpers.iter().map(|(_, helper)| &helper.results).chain([&together.results]);
        let complete = shared.totals.complete;
        assert_eq!(complete, totals.complete, "{way:?}\n{}", to_c(program));
        // What comes after a race hangs on how the search came there.
        if complete && !search.results.racy {
            let found = all().map(|results| results.to_compare(way)).reduce(|mut found, (failed, more)| {
                found.0 |= failed;
                found.1.extend(more);
                found
            });
            let of = |totals: &Totals| (totals.states, totals.transitions, totals.executions, totals.cut);
            assert_eq!(
                (found, of(&shared.totals)),
                (Some(search.results.to_compare(way)), of(&totals)),
                "{way:?}\n{}",
                to_c(program)
            );
        }
        let told = |of: fn(&Results) -> bool| (all().any(of), of(&search.results));
        for (together, alone) in [told(|it| it.error.is_some()), told(|it| it.racy)] {
            assert_eq!(together, alone, "{way:?}\n{}", to_c(program));
        }
    }
    (search.results, totals)
}

#[test]
fn c_programs_have_the_executions_of_the_model() {
    let (cases, first) = (setting("TB_FUZZ_C_CASES", 20), setting("TB_FUZZ_SEED", 0));
    let folder = tempfile::tempdir().expect("a place to write");
    let (mut compared, mut racy) = (0, 0);
    for seed in first + 1..=first + cases {
        let loops = seed % 4 == 0 && seed % 5 != 0;
        let program = match seed % 5 {
            0 => generate_with_error_checks(seed),
            1 | 3 => generate_with_invariant(seed, loops),
            _ => generate(seed, loops),
        };
        let expected = [false, true].map(|checked| on_model(&program, Plain { visible: false, checked }));
        if expected[0].0.too_many || locks_its_own_write_lock(&program) {
            continue;
        }
        let loaded = load(&program, folder.path(), 0, false);
        let mut rounds = [None; 2];
        for way in Way::all().chain(Way::by(&[Strategy::Graph])) {
            let (found, totals) = on_vm(&program, &loaded, way);
            let (results, of_model) = &expected[usize::from(way.races)];
            let what = || format!("seed {seed}, {way:?}\n{}", to_c(&program));
            if found.racy {
                // The model does not know races: a block that one thread frees while another one uses it.
                assert!(frees(&program), "a race: {}", what());
                racy += 1;
                continue;
            }
            compared += 1;
            assert_eq!(found.error, None, "{}", what());
            assert_eq!(found.to_compare(way), results.to_compare(way), "results: {}", what());
            if !way.counts() {
                continue;
            }
            assert_eq!(totals.cut, of_model.cut, "cut: {}", what());
            // A loop's rounds are told apart by dead registers in the model, not on the machine.
            let rounds = &mut rounds[usize::from(way.races)];
            let executions = if loops { *rounds.get_or_insert(totals.executions) } else { of_model.executions };
            assert_eq!(totals.executions, executions, "executions: {}", what());
        }
    }
    println!("{compared} searches compared, {racy} with races");
    assert!(compared > racy, "{compared} searches compared, {racy} with races");
}

/// Whether a thread may lock a read-write lock that it holds for writing: C gives EDEADLK, the model waits for ever.
fn locks_its_own_write_lock(program: &Program) -> bool {
    use Instr::*;
    program.threads.iter().any(|code| {
        let mut held: Option<usize> = None;
        code.0.iter().any(|instr| match *instr {
            ReadLock(l) | TimedReadLock(_, l) if held == Some(l) => true,
            WriteLock(l) | TryWriteLock(_, l) | TimedWriteLock(_, l) => held.replace(l) == Some(l),
            RwUnlock(l) if held == Some(l) => {
                held = None;
                false
            }
            _ => false,
        })
    })
}

fn frees(program: &Program) -> bool {
    program.threads.iter().any(|code| code.0.iter().any(|instr| matches!(instr, Instr::Free(_))))
}
