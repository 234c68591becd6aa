//! `threadbare run model.tb`: one execution of a model under a deterministic scheduler, and what it leaves behind.

use std::process::ExitCode;

use threadbare_core::{Choice, Ending, FaultKind, Machine, Tid};
use threadbare_explore::Finish;
use threadbare_pl::lang::{TbFault, TbMachine};

use crate::arguments::{Format, RunPlan};
use crate::run::{COULD_NOT_RUN, INTERRUPTED_BY_USER, course, cut, limit_reached, listen_for_interrupts};
use crate::story::{Telling, faults_of};
use crate::told::model::{ModelSubject, shared_values};
use crate::told::{Refused, Subject, Told};
use crate::{report, screen};

/// Steps that are told of an execution that goes wrong.
const TOLD: usize = 5_000;

pub fn run(plan: &RunPlan) -> ExitCode {
    let loaded = ModelSubject::run(plan).and_then(|subject| {
        let program = subject.load()?;
        let machines = (subject.machine(&program, false)?, subject.machine(&program, false)?);
        Ok(machines)
    });
    let (mut machine, fresh) = match loaded {
        Ok(machines) => machines,
        Err(refused) => return Refused { code: COULD_NOT_RUN, ..refused }.say(Format::Human),
    };
    listen_for_interrupts();
    let mut schedule: Vec<(Tid, Choice)> = Vec::new();
    let (finish, done) = threadbare_explore::single(&mut machine, &course(plan), |tid, choice| {
        if schedule.len() < TOLD {
            schedule.push((tid, choice));
        }
    });
    let (fault, steps) = match finish {
        Finish::Cut => return cut(),
        Finish::Complete => return complete(&machine, done),
        Finish::Ended => match machine.ending().cloned() {
            Some(Ending::Error(fault)) => (fault, done),
            Some(Ending::Exit(_)) | None => return complete(&machine, done),
        },
        Finish::Stuck(stuck, silent) => (machine.fault_of_stuck(&stuck), done - silent),
        Finish::Limit(lately) => {
            let message = limit_reached(plan, &lately, |tid| machine.thread_words(tid));
            return stopped(&machine, &format!("limit reached: {message}"), lately[0].0, COULD_NOT_RUN);
        }
        Finish::Interrupted(tid) => {
            let who = machine.thread_words(tid);
            let message = format!("interrupted: {who} was running, and stands here, after {done} steps");
            return stopped(&machine, &message, tid, INTERRUPTED_BY_USER);
        }
    };
    if steps <= schedule.len() as u64 {
        tell(fresh, &schedule, steps as usize, &fault);
    } else {
        conclude(Telling::new(&mut machine), &mut machine, &fault);
        screen::print(&format!("\nafter {steps} steps: too many to show as a schedule\n"));
    }
    ExitCode::from(match fault.kind {
        FaultKind::Limit => COULD_NOT_RUN,
        FaultKind::Assertion => 134,
        FaultKind::Crash => 136,
        FaultKind::OutOfBounds => 139,
        _ => 1,
    })
}

/// The execution once more, step by step, up to where it is sure to go wrong.
fn tell(mut machine: TbMachine, schedule: &[(Tid, Choice)], steps: usize, fault: &TbFault) {
    let mut telling = Telling::new(&mut machine);
    let mut found = None;
    for (i, &(tid, choice)) in schedule.iter().enumerate() {
        if i >= steps {
            found = faults_of(&mut machine).pop();
            if found.is_some() {
                break;
            }
        }
        telling.step(&mut machine, tid, choice);
    }
    conclude(telling, &mut machine, found.as_deref().unwrap_or(fault));
}

fn conclude(mut telling: Telling<TbMachine>, machine: &mut TbMachine, fault: &TbFault) {
    telling.conclude(machine, fault);
    screen::story(&telling.story, None, false);
}

fn complete(machine: &TbMachine, steps: u64) -> ExitCode {
    let values = shared_values(machine);
    let width = values.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    screen::print(&format!("all threads have ended, after {steps} steps\n"));
    for (name, value) in values {
        screen::print(&format!("  {name:width$} = {value}\n"));
    }
    ExitCode::SUCCESS
}

/// The execution has no end of its own; `tid` was running.
fn stopped(machine: &TbMachine, message: &str, tid: Tid, code: u8) -> ExitCode {
    match machine.places(tid).first() {
        Some(place) => report::refusal(&Refused { message: message.into(), ..Refused::default() }, place),
        None => report::message(message),
    }
    ExitCode::from(code)
}
