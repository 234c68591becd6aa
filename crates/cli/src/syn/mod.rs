//! `threadbare syn`: recorded executions, and what holds on all their linearisations.

mod check;
mod convert;
pub mod executions;
mod folder;
mod graph;
mod nusmv;
mod record;
mod said;
pub mod spec;
mod told;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use threadbare_core::Place;
use threadbare_core::source::Source;
use threadbare_syn::{Model, Recording, read};

use crate::arguments::Format;
use crate::listing;
use crate::ltl::formulas::refused;
use crate::report;
use crate::told::Refused;

#[derive(clap::Args, Clone, Debug)]
#[command(
    about = "Recorded executions: check formulas on all their linearisations, draw them",
    after_help = "A SYN-sequence says which process did what to which version of what; docs/syn.md has the format. Exit codes: 0 every \
formula holds, 1 one does not, 2 wrong usage or unreadable input, 4 there are too many states to tell.

Examples:
  threadbare syn check log.syn --ltl 'G (w(a) -> F r(b))'
  threadbare syn check log.syn --ctl 'EF (a = 7 & b = 3)' --model stateful
  threadbare syn check log.syn --spec rules.spec --dot broken.dot
  threadbare syn check log.syn --ltl 'w(a,1) < r(b)'
  threadbare syn graph log.syn --svg log.svg
  threadbare syn import log.csv > log.syn
  grep worker all.csv | threadbare syn check - --ltl 'w(a) < r(a)'
  threadbare syn record queue.c --seed 3 -o queue.syn -- -Iinclude"
)]
pub struct SynPlan {
    #[command(subcommand)]
    pub command: SynCommand,
}

#[derive(Subcommand, Clone, Debug)]
pub enum SynCommand {
    /// Whether formulas hold on every linearisation; without formulas, whether the sequence is consistent
    Check(check::CheckSyn),
    /// The partial order, or the states that it allows, as a picture
    Graph(graph::GraphSyn),
    /// A model for NuSMV, with the formulas
    Smv(convert::SmvSyn),
    /// A sequence from a log in CSV (process, op, object[, value]) or from JSON, as text
    Import(convert::ImportSyn),
    /// One execution of a program, or that of a trace, as a sequence
    Record(record::RecordSyn),
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AskedModel {
    /// The cheapest on which the formula means what it says
    #[default]
    Auto,
    /// Chains of events, each before the next
    PartialOrder,
    /// States that say how far each process is
    Stateless,
    /// The same, with the values of all variables
    Stateful,
}

impl AskedModel {
    fn named(self) -> Option<Model> {
        match self {
            AskedModel::Auto => None,
            AskedModel::PartialOrder => Some(Model::PartialOrder),
            AskedModel::Stateless => Some(Model::Stateless),
            AskedModel::Stateful => Some(Model::Stateful),
        }
    }
}

impl SynPlan {
    /// What stands behind `--`.
    pub fn set_clang_flags(&mut self, flags: Vec<String>) {
        if let SynCommand::Record(plan) = &mut self.command {
            plan.clang_flags = flags;
        }
    }
}

pub fn syn(plan: &SynPlan) -> ExitCode {
    let result = match &plan.command {
        SynCommand::Check(plan) => check::check(plan),
        SynCommand::Graph(plan) => graph::graph(plan),
        SynCommand::Smv(plan) => convert::smv(plan),
        SynCommand::Import(plan) => convert::import(plan),
        SynCommand::Record(plan) => record::record(plan),
    };
    let format = match &plan.command {
        SynCommand::Check(plan) => plan.format,
        _ => Format::Human,
    };
    result.unwrap_or_else(|refused| listing::refusal(format, &refused))
}

/// The standard input is called so.
const STDIN: &str = "-";

fn read_file(file: &Path) -> Result<String, Refused> {
    let cannot = |why: String| Refused {
        message: format!("cannot read {}: {why}", file.display()),
        code: 2,
        ..Refused::default()
    };
    let bytes = match file == Path::new(STDIN) {
        true => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
        }
        false => std::fs::read(file),
    };
    let bytes = bytes.map_err(|error| cannot(report::why(&error)))?;
    String::from_utf8(bytes).map_err(|error| {
        let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]).into_owned();
        let line = good.rsplit('\n').next().unwrap_or_default();
        let (line, column) = (good.matches('\n').count() as u32 + 1, line.chars().count() as u32 + 1);
        let place = Place { file: file.display().to_string(), line, column, function: String::new() };
        Refused { place: Some(place), ..cannot("it is not text in UTF-8".into()) }
    })
}

/// A sequence from a file, consistent and with its order.
fn recording(file: &Path) -> Result<Recording, Refused> {
    let source = Source::new(file.display().to_string(), read_file(file)?);
    let sequence = read(&source).map_err(|complaint| refused(&source, *complaint))?;
    Recording::new(sequence, &source).map_err(|complaint| refused(&source, *complaint))
}

/// What is read is not what is written: nobody wants to lose a source.
fn keep_inputs<'f>(inputs: impl IntoIterator<Item = &'f PathBuf>, outputs: &[Option<&PathBuf>]) -> Result<(), Refused> {
    let real = |file: &Path| std::fs::canonicalize(file).ok();
    let outputs: Vec<_> = outputs.iter().flatten().filter_map(|file| real(file)).collect();
    match inputs.into_iter().find(|input| real(input).is_some_and(|input| outputs.contains(&input))) {
        None => Ok(()),
        Some(file) => {
            let message = format!("{} is what is read, and would be lost; write to another file", file.display());
            Err(Refused { message, code: 2, ..Refused::default() })
        }
    }
}

fn write_file(file: &Path, text: &str) -> Result<(), Refused> {
    let cannot = |error| {
        let message = format!("cannot write {}: {}", file.display(), report::why(&error));
        Refused { message, code: 2, ..Refused::default() }
    };
    std::fs::write(file, text).map_err(cannot)
}
