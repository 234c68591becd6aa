//! `threadbare run`: one deterministic execution.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use threadbare_core::{Ending, Machine, Tid};
use threadbare_explore::{Course, Finish};
use threadbare_vm::{Console, Fault, FaultKind, Limits, LoadError, LowerError, Setup, Sources, VmMachine};

use crate::arguments::{Races, RunPlan, Uninit};
use crate::story::Telling;
use crate::told::{Told, is_model};
use crate::{report, run_model};

/// Threadbare itself could not run the program.
pub const COULD_NOT_RUN: u8 = 125;
pub const INTERRUPTED_BY_USER: u8 = 128 + libc::SIGINT as u8;

pub fn run(plan: &RunPlan) -> ExitCode {
    if plan.files.iter().any(|file| is_model(file)) {
        return run_model::run(plan);
    }
    let sources = Sources {
        files: plan.files.clone(),
        clang_flags: plan.clang_flags.clone(),
        optimisation: plan.optimisation,
        every_access: false,
        exploring: false,
        ..Sources::default()
    };
    let mut program = match threadbare_vm::load(&sources) {
        Ok(program) => program,
        Err(error) => return refuse(&error),
    };
    if plan.uninit == Uninit::Allow {
        program.define_everything();
    }
    let program = Arc::new(program);
    let name = plan.files[0].with_extension("").to_string_lossy().into_owned();
    let setup = Setup {
        limits: Limits {
            local_steps: plan.step_limit,
            memory: plan.memory_limit,
            stack_frames: plan.stack_limit as usize,
        },
        arguments: std::iter::once(name).chain(plan.args.iter().cloned()).collect(),
        environment: std::env::vars_os()
            .map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()))
            .collect(),
        fingerprints: false,
        leaks: plan.leaks,
        races: plan.races == Races::Error,
        zeroed: plan.uninit == Uninit::Allow,
        ..Setup::default()
    };
    let mut machine = match VmMachine::new(program.clone(), &setup, Console::Real) {
        Ok(machine) => machine,
        Err(error) => {
            report::message(&format!("cannot reserve memory for the machine: {error}"));
            return ExitCode::from(COULD_NOT_RUN);
        }
    };
    listen_for_interrupts();
    machine.stop_when(|| INTERRUPTED.load(Ordering::Relaxed));
    let (finish, _) = threadbare_explore::single(&mut machine, &course(plan), |_, _| {});
    machine.system().flush();
    let code = match finish {
        Finish::Complete => ExitCode::SUCCESS,
        Finish::Ended => match machine.ending().cloned() {
            Some(Ending::Error(fault)) if fault.kind == FaultKind::Stopped => interrupted(&machine, fault.tid),
            Some(Ending::Error(fault)) => failed(&mut machine, &fault),
            Some(Ending::Exit(status)) => ExitCode::from(status as u8),
            None => ExitCode::SUCCESS,
        },
        Finish::Cut => cut(),
        Finish::Interrupted(tid) => interrupted(&machine, tid),
        Finish::Limit(lately) => {
            let message = limit_reached(plan, &lately, |tid| machine.thread_name(tid));
            let fault = machine.stopped(FaultKind::Limit, message, lately[0].0);
            failed(&mut machine, &fault)
        }
        Finish::Stuck(stuck, _) => {
            let fault = machine.fault_of_stuck(&stuck);
            failed(&mut machine, &fault)
        }
    };
    match machine.system().lost() {
        Some(error) => {
            report::message(&format!("the program's output could not be written: {}", report::why(&error)));
            ExitCode::from(COULD_NOT_RUN)
        }
        None => code,
    }
}

fn failed(machine: &mut VmMachine, fault: &Fault) -> ExitCode {
    if fault.kind == FaultKind::Livelock {
        let bug = Telling::new(machine).bug(machine, fault);
        report::livelock(machine, &bug);
    } else {
        report::fault(machine, fault);
    }
    match (fault.kind, fault.signal) {
        (FaultKind::Unsupported | FaultKind::Limit, _) => ExitCode::from(COULD_NOT_RUN),
        (_, Some(signal)) => ExitCode::from(128 + signal as u8),
        _ => ExitCode::from(1),
    }
}

fn interrupted(machine: &VmMachine, tid: Tid) -> ExitCode {
    let message = format!("{} was running, and stands here", machine.thread_name(tid));
    report::interrupted(machine, &machine.stopped(FaultKind::Stopped, message, tid));
    ExitCode::from(INTERRUPTED_BY_USER)
}

pub fn course(plan: &RunPlan) -> Course<'static> {
    Course { seed: plan.seed, operations: plan.operation_limit, interrupted: &INTERRUPTED }
}

pub fn cut() -> ExitCode {
    report::message("an assumption of the program does not hold in this execution: it ends here without a result");
    ExitCode::SUCCESS
}

/// Who is to blame for the last operations before the limit.
pub fn limit_reached(plan: &RunPlan, lately: &[(Tid, u64)], name: impl Fn(Tid) -> String) -> String {
    let shares: Vec<String> = lately.iter().take(3).map(|&(tid, count)| format!("{} did {count}", name(tid))).collect();
    let last: u64 = lately.iter().map(|(_, count)| count).sum();
    format!(
        "{} operations that other threads can see, and no end. Of the last {last}, {}: does somebody wait in a loop? \
         (raise the limit with --operation-limit)",
        plan.operation_limit,
        shares.join(", ")
    )
}

/// Ctrl-C was pressed.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn interrupt(_signal: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// The first Ctrl-C ends the execution soon, with a word on where that was; a second one ends the process at once.
pub fn listen_for_interrupts() {
    // SAFETY: the handler only stores to an atomic. Without SA_RESTART, a program that waits for input goes on, too.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = interrupt as extern "C" fn(libc::c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_RESETHAND;
        libc::sigaction(libc::SIGINT, &action, std::ptr::null_mut());
    }
}

pub fn refuse(error: &LoadError) -> ExitCode {
    match error {
        LoadError::Lower(LowerError::Unsupported { message, file: Some(file), line }) => {
            report::message(&format!("{message}\n  --> {}:{line}", report::path(file)));
        }
        error => report::message(&error.to_string()),
    }
    ExitCode::from(COULD_NOT_RUN)
}
