//! Models of the small language: every row of programs/models/TABLE, and random programs against brute force.

use std::collections::HashMap;
use std::path::Path as FilePath;
use std::sync::Arc;

use threadbare_core::{Choices, Machine};
use threadbare_explore::{Dpor, End, Flow, Keep, Path, Search, Totals};
use threadbare_pl::lang::{Source, TbMachine, TbProgram, TbSetup, load};

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
                Choices::Range(n) => (0..*n).map(threadbare_core::Choice).collect(),
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

fn explore(program: &Arc<TbProgram>, keep: Keep) -> (Totals, u64) {
    let mut count = Count::default();
    let totals = Dpor::new(&mut machine(program), keep).run(&mut count);
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
        if number(2) <= MOST_EXECUTIONS || all {
            for keep in [Keep::Sequences, Keep::FirstSteps] {
                rows += 1;
                let (totals, deadlocks) = explore(&program, keep);
                if (totals.executions, deadlocks) != (number(2), number(3)) {
                    wrong.push(format!("{line}: {keep:?} {totals:?}, {deadlocks} deadlocks"));
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
