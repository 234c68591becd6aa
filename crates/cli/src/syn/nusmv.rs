//! Formulas for NuSMV itself, where it is installed: the model of `syn smv`, one formula at a time.

use std::path::{Path, PathBuf};
use std::process::Command;

use threadbare_syn::smv::{Spec, smv};
use threadbare_syn::{Answer, Evidence, Model, Recording};

use crate::ltl::formulas::refused;
use crate::report;
use crate::syn::check::Asked;
use crate::told::Refused;

const NAMES: [&str; 4] = ["NuSMV", "nusmv", "nuXmv", "nuxmv"];

/// So many lines of an error are passed on.
const TOLD: usize = 3;

/// The program, wherever it is on the path.
pub fn find() -> Result<PathBuf, Refused> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let all = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.into_iter().find(|file| file.is_file()).ok_or_else(|| {
        let notes = vec!["`threadbare syn smv` writes the model for a machine that has it".to_string()];
        Refused { message: "there is no NuSMV and no nuXmv on the PATH".into(), notes, code: 2, ..Refused::default() }
    })
}

pub fn ask(program: &Path, recording: &Recording, asked: &Asked, model: Model) -> Result<Answer, Refused> {
    let spec = Spec { name: None, specification: &asked.stated.specification };
    let text = smv(recording, model, &[spec]).map_err(|complaint| refused(&asked.source, *complaint))?;
    let file = std::env::temp_dir().join(format!("threadbare-{}.smv", std::process::id()));
    let cannot = |what: &str, error: std::io::Error| Refused::from(format!("cannot {what}: {}", report::why(&error)));
    std::fs::write(&file, text).map_err(|error| cannot("write the model for NuSMV", error))?;
    let output = Command::new(program).arg(&file).output();
    let _ = std::fs::remove_file(&file);
    let output = output.map_err(|error| cannot(&format!("start {}", program.display()), error))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdict = |line: &&str| line.starts_with("-- specification");
    let holds = match said.lines().find(verdict).map(|line| line.trim_end().rsplit(' ').next()) {
        Some(Some("true")) => true,
        Some(Some("false")) => false,
        _ => {
            let error = String::from_utf8_lossy(&output.stderr);
            let is_telling =
                |line: &&str| !line.trim().is_empty() && !line.starts_with("***") && !line.starts_with("WARNING");
            let lines: Vec<&str> =
                error.lines().chain(said.lines()).filter(is_telling).take(TOLD).map(str::trim).collect();
            let says = if lines.is_empty() { "nothing".to_string() } else { lines.join(" ") };
            return Err(Refused::from(format!("{} gives no answer; it says: {says}", program.display())));
        }
    };
    let trace = said.lines().skip_while(|line| !verdict(line)).skip(1).filter(|line| !line.starts_with("--"));
    let trace = trace.collect::<Vec<_>>().join("\n  ").trim().to_string();
    let evidence = (!trace.is_empty()).then_some(Evidence::Words(trace));
    Ok(Answer { holds, model, states: 0, evidence })
}
