//! Random small programs as C on the virtual machine against the same programs on the in-memory machine: as many
//! executions, the same results. `TB_FUZZ_C_CASES` and `TB_FUZZ_SEED` choose how many and which.

use std::collections::BTreeSet;
use std::sync::Arc;

use threadbare_core::Machine;
use threadbare_explore::{Dpor, End, Flow, Keep, Path, Search, Totals};
use threadbare_pl::{ModelMachine, Program, REGISTERS, generate, to_c};
use threadbare_vm::{Console, Setup, Sources, VmMachine};

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
            self.results.0.insert(Result { variables, failed, stuck, cut });
        }
        Flow::Continue
    }
}

fn on_model(program: &Program, keep: Keep) -> (Results, Totals) {
    let mut results = Results::default();
    let totals = Dpor::new(&mut ModelMachine::new(program), keep).run(&mut results);
    (results, totals)
}

fn on_vm(program: &Program, folder: &std::path::Path, merge_threads: bool, keep: Keep) -> (Results, Totals) {
    let file = folder.join("program.c");
    std::fs::write(&file, to_c(program)).expect("a place to write");
    let loaded = threadbare_vm::load(&Sources {
        files: vec![file],
        clang_flags: vec!["-w".into()],
        optimisation: 0,
        every_access: false,
        exploring: false,
    });
    let loaded = Arc::new(loaded.expect("the program loads"));
    // What nobody uses is not there, and keeps its value.
    let variables = (0..program.variables.len()).map(|x| loaded.global(&format!("x{x}"))).collect();
    let arguments = vec!["program".into()];
    let setup = Setup { go_on: true, merge_idle: true, merge_threads, arguments, ..Setup::default() };
    let mut machine =
        VmMachine::new(loaded, &setup, Console::Kept { input: Vec::new() }).expect("memory for the machine");
    let mut search = OfVm { results: Results::default(), variables };
    let totals = Dpor::new(&mut machine, keep).run(&mut search);
    (search.results, totals)
}

#[test]
fn c_programs_have_the_executions_of_the_model() {
    let (cases, first) = (setting("TB_FUZZ_C_CASES", 20), setting("TB_FUZZ_SEED", 0));
    let folder = tempfile::tempdir().expect("a place to write");
    let _ = REGISTERS;
    for seed in first + 1..=first + cases {
        let loops = seed % 4 == 0;
        let program = generate(seed, loops);
        let (expected, expected_totals) = on_model(&program, Keep::Sequences);
        if expected_totals.executions > 3_000 {
            continue;
        }
        for keep in [Keep::Sequences, Keep::FirstSteps] {
            let (found, totals) = on_vm(&program, folder.path(), seed % 3 > 0, keep);
            let what = || format!("seed {seed}, {keep:?}\n{}", to_c(&program));
            assert_eq!(found.0, expected.0, "results: {}", what());
            assert_eq!(totals.cut, expected_totals.cut, "cut: {}", what());
            // A loop's rounds are told apart by dead registers in the model, not on the machine.
            if !loops {
                assert_eq!(totals.executions, expected_totals.executions, "executions: {}", what());
            }
        }
    }
}
