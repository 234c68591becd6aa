//! `threadbare replay`: a recorded schedule once more.

use std::process::ExitCode;

use serde_json::json;
use threadbare_core::{Ending, FaultKind, Machine, ScheduleStep, Tid};

use crate::arguments::{Format, ReplayPlan};
use crate::confirm::with_article;
use crate::for_good::ForGood;
use crate::ltl::formulas::Formulas;
use crate::ltl::lasso::{self, Witness};
use crate::story::{Telling, faults_of};
use crate::subject::CSubject;
use crate::syn::spec;
use crate::told::model::ModelSubject;
use crate::told::{RacesIn, Subject, Told, UNSUPPORTED, is_model};
use crate::trace::{AnySubject, Trace, TraceStep};
use crate::{listing, report, screen, simulate, supervisor};

/// The schedule could not be followed, or did not lead to a bug.
const NO_BUG: u8 = 4;

/// Where the program went another way than the recording.
pub struct Divergence {
    /// From 1.
    pub step: usize,
    pub expected: String,
    pub found: String,
}

pub fn replay(plan: &ReplayPlan) -> ExitCode {
    if plan.step && plan.files.iter().all(|file| is_source(file)) {
        return match plan.files.iter().any(|file| is_model(file)) {
            true => match ModelSubject::simulated(plan) {
                Ok(subject) => simulate_from_the_start(&subject),
                Err(refused) => refused.say(Format::Human),
            },
            false => simulate_from_the_start(&CSubject::simulated(plan)),
        };
    }
    let [file] = plan.files.as_slice() else {
        report::message("one trace at a time");
        return ExitCode::from(2);
    };
    if is_source(file) {
        let name = file.display();
        let advice = format!("`threadbare run {name}` runs it, `threadbare replay --step {name}` steps through it");
        return listing::failure(plan.format, &format!("{name} is a program, not a trace: {advice}"), None, 2);
    }
    let trace = match Trace::read(file) {
        Ok(trace) => trace,
        Err(error) => return listing::failure(plan.format, &error, None, 2),
    };
    // Names in the trace are relative to where the check ran.
    if !trace.subject.files().iter().all(|file| file.exists()) && std::env::set_current_dir(&trace.directory).is_err() {
        let missing: Vec<String> = trace.subject.files().iter().map(|file| file.display().to_string()).collect();
        return listing::failure(plan.format, &format!("the sources are gone: {}", missing.join(", ")), None, 2);
    }
    match &trace.subject {
        AnySubject::Native(subject) if plan.step => replay_subject(plan, &trace, subject),
        AnySubject::Native(subject) => match supervisor::supervise(plan.format, None) {
            Some(Ok(code)) => code,
            Some(Err(refusal)) => listing::failure(plan.format, &refusal, None, UNSUPPORTED),
            None => supervisor::take_again(subject).unwrap_or_else(|| replay_subject(plan, &trace, subject)),
        },
        AnySubject::C(subject) => replay_subject(plan, &trace, subject),
        AnySubject::Model(subject) => replay_subject(plan, &trace, subject),
    }
}

fn replay_subject<S: Subject>(plan: &ReplayPlan, trace: &Trace, subject: &S) -> ExitCode {
    let changed: Vec<String> = trace.changed_sources().iter().map(|file| file.display().to_string()).collect();
    // First of all: what has changed may be refused.
    if plan.format == Format::Human {
        for file in &changed {
            report::message(&format!("{file} has changed since the recording: the schedule may not fit any more"));
        }
        if subject.is_outdated() {
            report::message("recorded by a version that cuts executions into steps in another way");
        }
    }
    let program = match subject.load() {
        Ok(program) => program,
        Err(refused) => return refused.say(plan.format),
    };
    let may_be_partial = trace.bug.kind == FaultKind::Deadlock.name() && !plan.step;
    let machine = match &trace.lasso {
        Some(_) if !plan.step => subject.machine_for_states(&program, RacesIn::Path),
        None if may_be_partial => subject.machine_for_states(&program, RacesIn::Path),
        _ => subject.machine(&program, false),
    };
    let mut machine = match machine {
        Ok(machine) => machine,
        Err(error) => return listing::failure(plan.format, &error, None, 2),
    };
    let formulas = match Formulas::read(subject.formulas()) {
        Ok(formulas) => formulas,
        Err(refused) => return refused.say(plan.format),
    };
    let mut telling = match trace.trace_spec.is_empty() {
        true => Telling::new(&mut machine),
        false => Telling::distinct(&mut machine),
    };
    if plan.step {
        return simulate::simulate(&mut machine, &mut telling, &trace.schedule);
    }
    let steps: Vec<ScheduleStep> = trace.schedule.iter().map_while(TraceStep::to_step).collect();
    telling.foresee(&mut machine, &steps);
    let mut witness = trace.lasso.as_ref().map(|lasso| Witness::new(lasso.cycle));
    let mut seen = Ok(());
    let diverged = follow(&mut machine, &mut telling, &trace.schedule, changed.is_empty(), |machine, mover| {
        if let (Some(witness), Ok(())) = (&mut witness, &seen) {
            seen = witness.see(machine, &formulas, mover);
        }
    });
    let can_be_stuck = [FaultKind::Livelock, FaultKind::Deadlock].iter().any(|kind| trace.bug.kind == kind.name());
    if can_be_stuck && machine.ending().is_none() {
        machine.learn_loops();
    }
    let mut faults = match &witness {
        // Where it goes round and round, nothing else is wrong.
        Some(_) if diverged.is_none() => Vec::new(),
        _ => faults_of(&mut machine),
    };
    if may_be_partial && faults.is_empty() && diverged.is_none() {
        faults.extend(ForGood::default().fault(&mut machine));
    }
    let recorded = faults.iter().find(|fault| S::Machine::kind(fault).name() == trace.bug.kind);
    if let Some(fault) = recorded.or(faults.last()) {
        telling.conclude(&mut machine, fault);
    }
    let mut no_lasso = None;
    if let (Some(witness), Some(lasso), None) = (&witness, &trace.lasso, &diverged) {
        let formula = &formulas.list[lasso.formula].expr;
        match seen.and_then(|()| witness.judge(&mut machine, formula, subject.is_fair())) {
            Ok(()) => {
                let told = witness.told(&formulas, lasso.formula);
                lasso::conclude(&mut machine, &mut telling, &formulas, told);
            }
            Err(why) => no_lasso = Some(why),
        }
    }
    if !trace.trace_spec.is_empty() && telling.story.bug.is_none() && diverged.is_none() {
        match spec::broken(&telling.story, &trace.trace_spec) {
            Ok(bug) => telling.story.bug = bug,
            Err(refused) => return refused.say(plan.format),
        }
    }
    let exit = match machine.ending() {
        Some(Ending::Exit(status)) => Some(*status),
        _ => None,
    };
    let story = &telling.story;
    let another = !faults.is_empty() && recorded.is_none();
    match plan.format {
        Format::Json => {
            let output: String = story.steps.iter().map(|step| step.output.as_str()).collect();
            let bugs: Vec<_> =
                story.bug.iter().map(|_| threadbare_report::json_bug(story, &screen::sources())).collect();
            let answer = json!({
                "verdict": if story.bug.is_some() { "violated" } else { "unknown" },
                "recorded": {"kind": trace.bug.kind, "message": trace.bug.message,
                    "file": report::path(&trace.bug.file), "line": trace.bug.line},
                "steps": story.steps.len(),
                "changed": changed,
                "diverged": diverged.as_ref().map(|d| json!({"step": d.step, "expected": d.expected, "found": d.found})),
                "exit": exit,
                "output": output,
                "error": null,
                "bugs": bugs,
            });
            screen::print(&format!("{answer}\n"));
        }
        Format::Human => {
            screen::story(story, None, plan.full);
            screen::print("\n");
            if let Some(d) = &diverged {
                screen::print(
                    &(format!("step {}: the recording has {}; found: {}", d.step, d.expected, d.found) + "\n"),
                );
            }
            match (&story.bug, another) {
                (Some(_), false) => screen::print(concat!("the bug of the recording", "\n")),
                (Some(_), true) => screen::print(
                    &(format!("another bug than that of the recording, {}", with_article(&trace.bug.kind)) + "\n"),
                ),
                (None, _) if no_lasso.is_some() => {
                    let why = no_lasso.unwrap_or_default();
                    screen::print(&format!("the schedule ends, and breaks no formula for ever: {why}\n"));
                }
                (None, _) if diverged.is_some() => {
                    screen::print(concat!("the program went another way than the recording", "\n"))
                }
                (None, _) => screen::print(
                    &(format!(
                        "the schedule ends, and nothing is wrong: the recording had {}",
                        with_article(&trace.bug.kind)
                    ) + "\n"),
                ),
            }
        }
    }
    ExitCode::from(if story.bug.is_some() { 1 } else { NO_BUG })
}

fn is_source(file: &std::path::Path) -> bool {
    let known = ["c", "ll", "bc", "tb"];
    file.extension().is_some_and(|extension| known.iter().any(|known| extension == *known)) || is_executable(file)
}

fn is_executable(file: &std::path::Path) -> bool {
    let mut start = [0; 4];
    let read = std::fs::File::open(file).and_then(|mut opened| std::io::Read::read_exact(&mut opened, &mut start));
    read.is_ok() && threadbare_vm::elf::is_elf(&start)
}

/// Takes the steps of the recording, as far as they are those of the program.
fn follow<M: Told>(
    machine: &mut M,
    telling: &mut Telling<M>,
    schedule: &[TraceStep],
    unchanged: bool,
    mut see: impl FnMut(&mut M, Option<Tid>),
) -> Option<Divergence> {
    for (number, recorded) in schedule.iter().enumerate() {
        see(machine, recorded.to_step().and_then(|step| machine.names().find(&step.thread)));
        if let Err(found) = take(machine, telling, recorded, unchanged) {
            return Some(Divergence { step: number + 1, expected: expected(recorded), found });
        }
        if machine.ending().is_some() && number + 1 < schedule.len() && faults_of(machine).is_empty() {
            let found = "the process has ended".to_string();
            return Some(Divergence { step: number + 2, expected: expected(&schedule[number + 1]), found });
        }
        if matches!(machine.ending(), Some(Ending::Error(_))) {
            return None;
        }
    }
    see(machine, None);
    None
}

pub fn expected(step: &TraceStep) -> String {
    match step.function.as_str() {
        "" => format!("thread {}: {}", step.thread, step.operation),
        function => format!("thread {}: {} in `{function}`, line {}", step.thread, step.operation, step.line),
    }
}

/// Takes a recorded step; what was found instead, if that cannot be.
pub fn take<M: Told>(
    machine: &mut M,
    telling: &mut Telling<M>,
    recorded: &TraceStep,
    unchanged: bool,
) -> Result<(), String> {
    let step = recorded.to_step().ok_or("a step that makes no sense")?;
    let (tid, choice) = Telling::resolve(machine, &step).map_err(|refusal| refusal.0)?;
    let operation = machine.pending(tid).operation.name();
    let place = machine.places(tid).into_iter().next();
    let line = place.as_ref().map_or(0, |place| place.line);
    let function = place.map_or(String::new(), |place| place.function);
    // Lines move when a source changes; that by itself is no other way.
    let same =
        operation == recorded.operation && function == recorded.function && (line == recorded.line || !unchanged);
    if !same {
        return Err(match function.as_str() {
            "" => format!("{operation} of thread {}", recorded.thread),
            function => format!("{operation} of thread {} in `{function}`, line {line}", recorded.thread),
        });
    }
    telling.step(machine, tid, choice);
    Ok(())
}

fn simulate_from_the_start<S: Subject>(subject: &S) -> ExitCode {
    let program = match subject.load() {
        Ok(program) => program,
        Err(refused) => return refused.say(Format::Human),
    };
    let mut machine = match subject.machine(&program, false) {
        Ok(machine) => machine,
        Err(error) => return listing::failure(Format::Human, &error, None, 2),
    };
    let mut telling = Telling::new(&mut machine);
    simulate::simulate(&mut machine, &mut telling, &[])
}
