//! `threadbare run`: one deterministic execution.

use std::process::ExitCode;
use std::sync::Arc;

use threadbare_vm::{Console, FaultKind, Limits, LoadError, LowerError, Outcome, Setup, Sources, VmMachine};

use crate::arguments::{Races, RunPlan};
use crate::report;

/// Threadbare itself could not run the program.
const COULD_NOT_RUN: u8 = 125;

pub fn run(plan: &RunPlan) -> ExitCode {
    let sources =
        Sources { files: plan.files.clone(), clang_flags: plan.clang_flags.clone(), optimisation: plan.optimisation };
    let program = match threadbare_vm::load(&sources) {
        Ok(program) => Arc::new(program),
        Err(error) => return refuse(&error),
    };
    let name = plan.files[0].with_extension("").to_string_lossy().into_owned();
    let setup = Setup {
        limits: Limits { local_steps: plan.step_limit, memory: plan.memory_limit, stack_frames: plan.stack_limit },
        arguments: std::iter::once(name).chain(plan.args.iter().cloned()).collect(),
        environment: std::env::vars_os()
            .map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()))
            .collect(),
        fingerprints: false,
        leaks: plan.leaks,
        races: plan.races == Races::Error,
    };
    let mut machine = match VmMachine::new(program.clone(), &setup, Console::Real) {
        Ok(machine) => machine,
        Err(error) => {
            report::message(&format!("cannot reserve memory for the machine: {error}"));
            return ExitCode::from(COULD_NOT_RUN);
        }
    };
    let outcome = threadbare_vm::run(&mut machine, plan.seed);
    machine.system().flush();
    match outcome {
        Outcome::Exit(status) => ExitCode::from(status as u8),
        Outcome::Cut => {
            report::message(
                "an assumption of the program does not hold in this execution: it ends here without a result",
            );
            ExitCode::SUCCESS
        }
        Outcome::Fault(fault) => {
            report::fault(&machine, &fault);
            match (fault.kind, fault.signal) {
                (FaultKind::Unsupported | FaultKind::Limit, _) => ExitCode::from(COULD_NOT_RUN),
                (_, Some(signal)) => ExitCode::from(128 + signal as u8),
                _ => ExitCode::from(1),
            }
        }
    }
}

fn refuse(error: &LoadError) -> ExitCode {
    match error {
        LoadError::Lower(LowerError::Unsupported { message, file: Some(file), line }) => {
            report::message(&format!("{message}\n  --> {}:{line}", report::path(file)));
        }
        error => report::message(&error.to_string()),
    }
    ExitCode::from(COULD_NOT_RUN)
}
