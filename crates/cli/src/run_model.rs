//! `threadbare run model.tb`: one execution of a model under a deterministic scheduler, and what it leaves behind.

use std::process::ExitCode;

use threadbare_core::{FaultKind, Machine, Random};

use crate::arguments::{Format, RunPlan};
use crate::story::{Telling, faults_of};
use crate::told::model::{ModelSubject, shared_values};
use crate::told::{Refused, Subject};
use crate::{report, screen};

/// Threadbare itself could not run the program.
const COULD_NOT_RUN: u8 = 125;

pub fn run(plan: &RunPlan) -> ExitCode {
    let loaded = ModelSubject::run(plan).and_then(|subject| {
        let program = subject.load()?;
        Ok(subject.machine(&program, false)?)
    });
    let mut machine = match loaded {
        Ok(machine) => machine,
        Err(refused) => return Refused { code: COULD_NOT_RUN, ..refused }.say(Format::Human),
    };
    let mut telling = Telling::new(&mut machine);
    let mut dice = Random::new(plan.seed);
    loop {
        let pending = machine.all_pending();
        let ready: Vec<_> = pending.iter().filter(|pending| pending.choices.any_enabled()).collect();
        let Some(next) = ready.get(dice.below(ready.len())) else { break };
        let choices: Vec<_> = next.choices.enabled().collect();
        let (tid, choice) = (next.tid, choices[dice.below(choices.len())]);
        if telling.story.steps.len() as u64 >= plan.operation_limit {
            report::message(&format!("limit reached: {} operations (--operation-limit)", plan.operation_limit));
            return ExitCode::from(COULD_NOT_RUN);
        }
        telling.step(&mut machine, tid, choice);
    }
    if machine.is_cut() {
        report::message("an assumption of the program does not hold in this execution: it ends here without a result");
        return ExitCode::SUCCESS;
    }
    if let Some(fault) = faults_of(&mut machine).pop() {
        telling.conclude(&mut machine, &fault);
        screen::story(&telling.story, None, false);
        return ExitCode::from(match fault.kind {
            FaultKind::Limit => COULD_NOT_RUN,
            FaultKind::Assertion => 134,
            FaultKind::Crash => 136,
            FaultKind::OutOfBounds => 139,
            _ => 1,
        });
    }
    let values = shared_values(&machine);
    let width = values.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    screen::print(&format!("all threads have ended, after {} steps\n", telling.story.steps.len()));
    for (name, value) in values {
        screen::print(&format!("  {name:width$} = {value}\n"));
    }
    ExitCode::SUCCESS
}
