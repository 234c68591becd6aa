//! `threadbare syn smv` and `threadbare syn import`: a sequence in other words.

use std::path::PathBuf;
use std::process::ExitCode;

use threadbare_syn::smv::{self, Spec};
use threadbare_syn::text;

use crate::ltl::formulas::refused;
use crate::screen;
use crate::syn::check::{OPTION, asked, model_for};
use crate::syn::{AskedModel, keep_inputs, recording, write_file};
use crate::told::Refused;

#[derive(clap::Args, Clone, Debug)]
pub struct SmvSyn {
    /// A SYN-sequence, or a log in CSV; `-` is the standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// A formula; more than one may be given
    #[arg(long, visible_alias = "ctl", value_name = "FORMULA")]
    pub ltl: Vec<String>,

    /// A file of formulas and definitions
    #[arg(long, value_name = "FILE")]
    pub spec: Vec<PathBuf>,

    /// Which model to write
    #[arg(long, value_name = "MODEL", default_value = "auto")]
    pub model: AskedModel,

    /// Where to write it; to the standard output, if this is not given
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(clap::Args, Clone, Debug)]
pub struct ImportSyn {
    /// A log in CSV, or a sequence as JSON; `-` is the standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Where to write it; to the standard output, if this is not given
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

pub fn smv(plan: &SmvSyn) -> Result<ExitCode, Refused> {
    keep_inputs(plan.spec.iter().chain([&plan.file]), &[plan.output.as_ref()])?;
    let asked = asked(OPTION, &plan.ltl, &plan.spec)?;
    let recording = recording(&plan.file)?;
    let model = model_for(plan.model, &recording, &asked)?;
    for one in &asked {
        let spec = Spec { name: None, specification: &one.stated.specification };
        smv::smv(&recording, model, &[spec]).map_err(|complaint| refused(&one.source, *complaint))?;
    }
    let specs =
        asked.iter().map(|one| Spec { name: one.stated.name.as_deref(), specification: &one.stated.specification });
    let text =
        smv::smv(&recording, model, &specs.collect::<Vec<_>>()).map_err(|complaint| complaint.message.clone())?;
    put(plan.output.as_ref(), &text)
}

pub fn import(plan: &ImportSyn) -> Result<ExitCode, Refused> {
    keep_inputs([&plan.file], &[plan.output.as_ref()])?;
    put(plan.output.as_ref(), &text::write(&recording(&plan.file)?.sequence))
}

pub fn put(file: Option<&PathBuf>, text: &str) -> Result<ExitCode, Refused> {
    match file {
        Some(file) => write_file(file, text)?,
        None => screen::print(text),
    }
    Ok(ExitCode::SUCCESS)
}
