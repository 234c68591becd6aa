//! Programs from text, and all their schedules.

use std::sync::Arc;

use threadbare_core::{Choice, Ending, Machine, Step, Tid};
use threadbare_vm::{Console, Fault, Program, Setup, Sources, VmMachine};

pub fn compile(text: &str, optimisation: u8) -> Arc<Program> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).expect("room for the program");
    let sources = Sources {
        files: vec![file],
        clang_flags: Vec::new(),
        optimisation,
        every_access: false,
        exploring: false,
        ..Sources::default()
    };
    match threadbare_vm::load(&sources) {
        Ok(program) => Arc::new(program),
        Err(error) => panic!("{error}\n{text}"),
    }
}

pub fn machine(program: &Arc<Program>, by_heart: bool) -> VmMachine {
    let setup = Setup { races: true, by_heart, arguments: vec!["program".into()], ..Setup::default() };
    VmMachine::new(program.clone(), &setup, Console::Kept { input: Vec::new() }).expect("memory for the machine")
}

/// All (thread, choice) pairs that can happen now.
pub fn enabled(machine: &mut VmMachine) -> Vec<(Tid, Choice)> {
    let pending = machine.all_pending();
    pending.iter().flat_map(|p| p.choices.enabled().map(move |choice| (p.tid, choice))).collect()
}

/// Depth-first over all schedules, up to `most` of them or the first fault that is wanted: the fault, and how many
/// schedules there were.
pub fn first_fault(
    machine: &mut VmMachine,
    most: usize,
    wanted: impl Fn(&Fault) -> bool,
) -> (Option<Box<Fault>>, usize) {
    let mut executions = 0;
    let mut stack = vec![(machine.mark(), enabled(machine))];
    while let Some((mark, choices)) = stack.last_mut() {
        let Some((tid, choice)) = choices.pop() else {
            stack.pop();
            continue;
        };
        machine.rewind(*mark);
        if machine.step(tid, choice) == Step::Ended {
            executions += 1;
            if let Some(Ending::Error(fault)) = machine.ending()
                && wanted(fault)
            {
                return (Some(fault.clone()), executions);
            }
            if executions == most {
                break;
            }
        } else {
            let choices = enabled(machine);
            stack.push((machine.mark(), choices));
        }
    }
    (None, executions)
}
