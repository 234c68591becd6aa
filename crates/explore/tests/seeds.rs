//! The named strategies on the seeds' models: the numbers of traces, states and transitions of programs/models/TABLE, and
//! that a reduction reduces.

use std::path::Path as FilePath;
use std::sync::Arc;

use threadbare_explore::{End, Flow, Path, Search, Settings, Strategy, Totals};
use threadbare_pl::lang::{Source, TbMachine, TbProgram, TbSetup, load};

fn program(file: &str, parameters: &str) -> Arc<TbProgram> {
    let path = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/models").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let definition = |word: &str| word.split_once('=').map(|(name, value)| (name.into(), value.into()));
    let definitions: Vec<(String, String)> =
        parameters.split_whitespace().map(|word| definition(word).expect("NAME=value")).collect();
    let source = Source::new(path.display().to_string(), text);
    Arc::new(load(&source, &definitions).unwrap_or_else(|error| panic!("{file}: {error:?}")))
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

fn explore(program: &Arc<TbProgram>, name: &str) -> (Totals, u64) {
    let strategy: Strategy = name.parse().expect("a strategy");
    let mut machine = TbMachine::new(program.clone(), TbSetup { go_on: true, ..TbSetup::default() });
    let mut count = Count::default();
    let totals = strategy.run(&mut machine, &Settings::default(), &mut count);
    assert!(totals.complete);
    (totals, count.deadlocks)
}

#[test]
fn the_numbers_of_the_table_come_out() {
    let table = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/models/TABLE");
    let table = std::fs::read_to_string(table).expect("the table");
    let (mut rows, mut wrong) = (0, Vec::new());
    for line in table.lines().skip(1) {
        let field: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| field[at].parse::<u64>().ok();
        let program = program(field[0], field[1]);
        let (executions, states, transitions) = (number(2), number(4), number(5));
        let mut expect = |name: &str, found: &dyn Fn(&Totals, u64) -> bool| {
            rows += 1;
            let (totals, deadlocks) = explore(&program, name);
            if !found(&totals, deadlocks) {
                wrong.push(format!("{line}: {name} {totals:?}, {deadlocks} deadlocks"));
            }
        };
        let traces =
            |totals: &Totals, deadlocks: u64| (Some(totals.executions), Some(deadlocks)) == (executions, number(3));
        if executions.is_some_and(|executions| executions <= 1_200) {
            expect("dpor+sleep", &traces);
            // Sleep sets alone go through every state.
            if states.is_some_and(|states| states <= 3_000) {
                expect("sleep", &traces);
            }
        }
        if states.is_some_and(|states| states <= 3_000) {
            let ends = if number(3).is_some_and(|deadlocks| deadlocks > 0) { 1.. } else { 0.. };
            for name in ["sdpor", "scale"] {
                // Models that run for ever have graphs without end.
                if name == "sdpor" || executions.is_some_and(|executions| executions <= 1_200) {
                    expect(name, &|totals, deadlocks| {
                        ends.contains(&deadlocks)
                            && (name == "sdpor" || Some(totals.executions) == executions)
                            && totals.states.is_none_or(|found| Some(found) <= states)
                    });
                }
            }
        }
        if states.is_some_and(|states| states <= 20_000) {
            expect("stateful", &|totals, _| (totals.states, Some(totals.transitions)) == (states, transitions));
            expect("stateful+sleep", &|totals, _| totals.states == states);
        }
    }
    assert!(rows > 200, "only {rows} rows");
    assert!(wrong.is_empty(), "{} of {rows} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn reductions_reduce() {
    const REDUCTIONS: [&str; 6] = ["sleep", "spor", "spor+sleep", "dpor", "dpor+sleep", "scale"];
    println!("transitions of dfs, {REDUCTIONS:?}");
    for (file, parameters, but_for) in [
        // Which slots of the array a thread will touch is not told by its code.
        ("bounded_buffer.tb", "N=3", "spor"),
        ("repeated_accesses.tb", "T=4 G=2 A=1", ""),
        ("repeated_accesses.tb", "T=3 G=2 A=3", ""),
        ("error_trace.tb", "STRICT=false", ""),
        ("naive_cut.tb", "", ""),
        ("philosophers.tb", "N=3", ""),
    ] {
        let program = program(file, parameters);
        let transitions = |name: &str| explore(&program, name).0.transitions;
        let all = transitions("dfs");
        let mut line = format!("{file} {parameters}: {all}");
        for name in REDUCTIONS {
            let reduced = transitions(name);
            line += &format!(" {reduced}");
            let fewer = if name == but_for { reduced <= all } else { reduced < all };
            assert!(fewer, "{name} takes {reduced} of {all} transitions of {file} {parameters}");
        }
        println!("{line}");
    }
    for (file, parameters) in [("repeated_accesses.tb", "T=4 G=2 A=3"), ("error_trace.tb", "STRICT=false")] {
        let program = program(file, parameters);
        let (stateful, _) = explore(&program, "stateful");
        let (sleep, _) = explore(&program, "stateful+sleep");
        let (spor, _) = explore(&program, "stateful+spor");
        assert!(sleep.transitions < stateful.transitions, "{file}: {sleep:?} {stateful:?}");
        let (sdpor, _) = explore(&program, "sdpor");
        assert!(spor.states < stateful.states, "{file}: {spor:?} {stateful:?}");
        assert!(sdpor.states < stateful.states, "{file}: {sdpor:?} {stateful:?}");
    }
}
