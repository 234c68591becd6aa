//! Random small programs as C on the virtual machine against the same programs on the in-memory machine: as many
//! executions, the same results, with race detection and without, whether starts, ends and joins of threads are steps of
//! their own or not. `TB_FUZZ_C_CASES` and `TB_FUZZ_SEED` choose how many and which.

use std::collections::BTreeSet;
use std::sync::Arc;

use threadbare_core::Machine;
use threadbare_explore::{Dpor, End, Flow, Keep, Path, Search, Totals};
use threadbare_pl::{Instr, ModelMachine, Program, generate, generate_with_invariant, to_c};
use threadbare_vm::{Console, Program as Loaded, Setup, Sources, VmMachine};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
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
struct Results(BTreeSet<Result>);

fn kind(end: &End) -> Option<(bool, bool)> {
    match end {
        End::Redundant => None,
        End::Stuck(_) => Some((true, false)),
        End::Cut => Some((false, true)),
        End::Complete | End::Exit(..) => Some((false, false)),
        End::Error | End::Bound => panic!("{end:?}"),
    }
}

impl Search<ModelMachine<'_>> for Results {
    fn end(&mut self, machine: &mut ModelMachine<'_>, _: &Path, end: End) -> Flow {
        if let Some((stuck, cut)) = kind(&end) {
            let (variables, failed) = (machine.state.variables.clone(), machine.state.failed);
            self.0.insert(Result { variables, failed, stuck, cut });
        }
        Flow::Continue
    }
}

struct OfVm {
    results: Results,
    variables: Vec<Option<u64>>,
    /// Whether some execution has a data race.
    racy: bool,
}

impl Search<VmMachine> for OfVm {
    fn end(&mut self, machine: &mut VmMachine, _: &Path, end: End) -> Flow {
        if end == End::Error {
            panic!("{:?}", machine.ending());
        }
        if let Some((stuck, cut)) = kind(&end) {
            let load = |address: &Option<u64>| {
                address.map_or(0, |address| machine.memory().load::<8>(address).expect("a global").0 as i64)
            };
            let variables = self.variables.iter().map(load).collect();
            let failed = !machine.noted().is_empty();
            self.racy |= machine.noted().iter().any(|fault| fault.other.is_some());
            self.results.0.insert(Result { variables, failed, stuck, cut });
        }
        Flow::Continue
    }
}

fn on_model(program: &Program, races: bool) -> (Results, Totals) {
    let mut results = Results::default();
    let mut machine = ModelMachine::new(program);
    machine.orders_threads = races;
    let totals = Dpor::new(&mut machine, Keep::Sequences).run(&mut results);
    (results, totals)
}

fn load(program: &Program, folder: &std::path::Path) -> Arc<Loaded> {
    let file = folder.join("program.c");
    std::fs::write(&file, to_c(program)).expect("a place to write");
    let loaded = threadbare_vm::load(&Sources {
        files: vec![file],
        clang_flags: vec!["-w".into()],
        optimisation: 0,
        every_access: false,
        exploring: false,
        invariants: if program.never.is_empty() { Vec::new() } else { vec!["invariant".into()] },
    });
    Arc::new(loaded.expect("the program loads"))
}

/// How a search is made. What it finds must not hang on it.
#[derive(Clone, Copy, Debug)]
struct Way {
    keep: Keep,
    merge_threads: bool,
    races: bool,
    by_heart: bool,
}

impl Way {
    fn all() -> impl Iterator<Item = Way> {
        let keeps = [Keep::Sequences, Keep::FirstSteps].into_iter();
        keeps.flat_map(|keep| {
            (0..8).map(move |switches| Way {
                keep,
                merge_threads: switches & 1 != 0,
                races: switches & 2 != 0,
                by_heart: switches & 4 != 0,
            })
        })
    }
}

fn on_vm(program: &Program, loaded: &Arc<Loaded>, way: Way) -> (OfVm, Totals) {
    // What nobody uses is not there, and keeps its value.
    let variables = (0..program.variables.len()).map(|x| loaded.global(&format!("x{x}"))).collect();
    let setup = Setup {
        go_on: true,
        merge_idle: true,
        merge_threads: way.merge_threads,
        races: way.races,
        by_heart: way.by_heart,
        arguments: vec!["program".into()],
        ..Setup::default()
    };
    let mut machine =
        VmMachine::new(loaded.clone(), &setup, Console::Kept { input: Vec::new() }).expect("memory for the machine");
    let mut search = OfVm { results: Results::default(), variables, racy: false };
    let totals = Dpor::new(&mut machine, way.keep).run(&mut search);
    (search, totals)
}

#[test]
fn c_programs_have_the_executions_of_the_model() {
    let (cases, first) = (setting("TB_FUZZ_C_CASES", 20), setting("TB_FUZZ_SEED", 0));
    let folder = tempfile::tempdir().expect("a place to write");
    let (mut compared, mut racy) = (0, 0);
    for seed in first + 1..=first + cases {
        let loops = seed % 4 == 0;
        let program = if seed % 2 == 0 { generate(seed, loops) } else { generate_with_invariant(seed, loops) };
        let expected = [false, true].map(|races| on_model(&program, races));
        if expected[0].1.executions > 3_000 || locks_its_own_write_lock(&program) {
            continue;
        }
        let loaded = load(&program, folder.path());
        let mut rounds = [None; 2];
        for way in Way::all() {
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
            assert_eq!(found.results.0, results.0, "results: {}", what());
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
