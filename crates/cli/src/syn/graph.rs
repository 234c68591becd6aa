//! `threadbare syn graph`: a recorded execution as a picture.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use threadbare_report::grouped;
use threadbare_syn::picture::{self, states};
use threadbare_syn::{EventId, Model, Recording};

use crate::syn::convert::put;
use crate::syn::{AskedModel, keep_inputs, recording, write_file};
use crate::told::Refused;

#[derive(clap::Args, Clone, Debug)]
pub struct GraphSyn {
    /// A SYN-sequence, or a log in CSV; `-` is the standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// What to draw: the partial order, or the states that it allows
    #[arg(long, value_name = "MODEL", default_value = "auto")]
    pub model: AskedModel,

    /// Give up when there are more states
    #[arg(long, value_name = "N", default_value_t = 2_000, allow_negative_numbers = true)]
    pub state_limit: usize,

    /// Write it for Graphviz; without --dot and --svg, to the standard output
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,

    /// Draw it, a column for each process: of the partial order only
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// What a picture shows besides the order.
pub struct Drawing<'d> {
    pub line: Option<&'d [EventId]>,
}

pub fn write_pictures(
    recording: &Recording,
    drawing: &Drawing<'_>,
    dot: Option<&Path>,
    svg: Option<&Path>,
) -> Result<(), Refused> {
    let line = drawing.line.unwrap_or(&[]);
    if let Some(file) = dot {
        write_file(file, &picture::dot(recording, line))?;
    }
    match svg {
        Some(file) => write_file(file, &picture::svg(recording, line)),
        None => Ok(()),
    }
}

pub fn graph(plan: &GraphSyn) -> Result<ExitCode, Refused> {
    keep_inputs([&plan.file], &[plan.dot.as_ref(), plan.svg.as_ref()])?;
    let recording = recording(&plan.file)?;
    let refuse = |message: String, code| Refused { message, code, ..Refused::default() };
    let model = plan.model.named().unwrap_or(Model::PartialOrder);
    if model == Model::PartialOrder {
        if plan.dot.is_none() && plan.svg.is_none() {
            return put(None, &picture::dot(&recording, &[]));
        }
        write_pictures(&recording, &Drawing { line: None }, plan.dot.as_deref(), plan.svg.as_deref())?;
        return Ok(ExitCode::SUCCESS);
    }
    if plan.svg.is_some() {
        return Err(refuse(
            "--svg draws the partial order; states are drawn by Graphviz, from what --dot writes".into(),
            2,
        ));
    }
    let text = states(&recording, model, plan.state_limit).ok_or_else(|| {
        let limit = grouped(plan.state_limit as u64);
        refuse(format!("there are more than {limit} states, too many to look at; --state-limit allows more"), 4)
    })?;
    put(plan.dot.as_ref(), &text)
}
