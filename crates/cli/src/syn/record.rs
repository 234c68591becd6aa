//! `threadbare syn record`: one execution as a SYN-sequence, that of a trace or one of a program.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use threadbare_core::{Choice, Machine, Story, Tid};
use threadbare_explore::{Course, Finish};

use crate::arguments::{Format, Races, ReplayPlan};
use crate::replay::{expected, take};
use crate::report;
use crate::story::Telling;
use crate::subject::CSubject;
use crate::syn::convert::put;
use crate::syn::keep_inputs;
use crate::syn::told::{Execution, ends_in, marked, sequence};
use crate::told::model::ModelSubject;
use crate::told::{Refused, Subject, is_model};
use crate::trace::{AnySubject, Trace, TraceStep};

#[derive(clap::Args, Clone, Debug)]
pub struct RecordSyn {
    /// What `threadbare check --trace FILE` wrote, or a program: C source, LLVM IR, or one model (.tb)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Of a program: another seed, another execution, always the same one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Of a program: whether every access to shared memory is an event, or plain ones are none and a data race is an error
    #[arg(long, value_name = "WHAT", default_value = "allow")]
    pub races: Races,

    /// Of a program: a macro, as for clang, or a parameter of the model
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub definitions: Vec<String>,

    /// Where to write it; to the standard output, if this is not given
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Flags for clang: what stands behind `--`
    #[arg(skip)]
    pub clang_flags: Vec<String>,
}

/// An execution of more steps is cut off there.
const MOST_STEPS: u64 = 100_000;

pub fn record(plan: &RecordSyn) -> Result<ExitCode, Refused> {
    keep_inputs(&plan.files, &[plan.output.as_ref()])?;
    let text = if plan.files.len() == 1 && is_trace(&plan.files[0]) {
        let trace = Trace::read(&plan.files[0])?;
        if !trace.subject.files().iter().all(|file| file.exists())
            && std::env::set_current_dir(&trace.directory).is_err()
        {
            return Err(Refused::from("the sources of the trace are gone".to_string()));
        }
        match &trace.subject {
            AnySubject::Native(subject) => follow(subject, &trace.schedule)?,
            AnySubject::C(subject) => follow(subject, &trace.schedule)?,
            AnySubject::Model(subject) => follow(subject, &trace.schedule)?,
        }
    } else {
        let model = plan.files.iter().any(|file| is_model(file));
        let mut clang_flags = plan.clang_flags.clone();
        if !model {
            clang_flags.splice(0..0, plan.definitions.iter().map(|definition| format!("-D{definition}")));
        }
        let program = ReplayPlan {
            files: plan.files.clone(),
            step: false,
            full: false,
            format: Format::Human,
            args: Vec::new(),
            optimisation: 0,
            stdin: None,
            definitions: if model { plan.definitions.clone() } else { Vec::new() },
            given: Vec::new(),
            clang_flags,
        };
        match model {
            true => run(&ModelSubject::simulated(&program)?, plan.seed)?,
            false => {
                let mut subject = CSubject::simulated(&program);
                subject.races = if plan.races == Races::Allow { "allow" } else { "error" }.into();
                run(&subject, plan.seed)?
            }
        }
    };
    put(plan.output.as_ref(), &text)
}

/// Whatever its name is: traces are JSON, and programs never are.
fn is_trace(file: &Path) -> bool {
    let mut first = [0; 64];
    let read = std::fs::File::open(file).and_then(|mut file| file.read(&mut first)).unwrap_or(0);
    String::from_utf8_lossy(&first[..read]).trim_start().starts_with('{')
        || file.extension().is_some_and(|extension| extension == "json")
}

/// The execution of a recorded schedule.
fn follow<S: Subject>(subject: &S, schedule: &[TraceStep]) -> Result<String, Refused> {
    let program = subject.load()?;
    let mut machine = subject.machine(&program, false)?;
    let mut telling = Telling::distinct(&mut machine);
    for (number, step) in schedule.iter().enumerate() {
        if machine.ending().is_some() {
            break;
        }
        take(&mut machine, &mut telling, step, false)
            .map_err(|found| format!("step {}: the recording has {}; found: {found}", number + 1, expected(step)))?;
    }
    Ok(recorded(telling.story, ends_in(&mut machine)))
}

/// The sequence of an execution; one that ends in an error is marked, and told.
fn recorded(story: Story, error: Option<String>) -> String {
    if let Some(error) = &error {
        report::message(&format!("the execution ends in an error, and the sequence is the beginning of one: {error}"));
    }
    marked(sequence(&Execution::new(story)), error)
}

/// One execution under a deterministic scheduler, then once more to tell it.
fn run<S: Subject>(subject: &S, seed: u64) -> Result<String, Refused> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let program = subject.load()?;
    let mut machine = subject.machine(&program, false)?;
    let mut steps: Vec<(Tid, Choice)> = Vec::new();
    let course = Course { seed, operations: MOST_STEPS, interrupted: &NEVER };
    let (finish, _) = threadbare_explore::single(&mut machine, &course, |tid, choice| steps.push((tid, choice)));
    if matches!(finish, Finish::Limit(_)) {
        report::message(&format!("the execution goes on and on: the first {MOST_STEPS} steps are recorded"));
    }
    let mut machine = subject.machine(&program, false)?;
    let mut telling = Telling::distinct(&mut machine);
    for (tid, choice) in steps {
        if machine.ending().is_some() {
            break;
        }
        telling.step(&mut machine, tid, choice);
    }
    if matches!(finish, Finish::Limit(_)) {
        let cut = format!("it was cut off after {MOST_STEPS} steps");
        return Ok(marked(sequence(&Execution::new(telling.story)), Some(cut)));
    }
    let error = ends_in(&mut machine);
    Ok(recorded(telling.story, error))
}
