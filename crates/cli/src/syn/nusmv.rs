//! Formulas for NuSMV itself, where it is installed: the model of `syn smv`, one formula at a time.

use std::path::{Path, PathBuf};
use std::process::Command;

use threadbare_syn::smv::{Spec, smv};
use threadbare_syn::{Answer, EventId, Evidence, Model, Recording};

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
    let trace: Vec<&str> = trace.collect();
    let evidence = match shown(recording, model, &trace) {
        None => Some(trace.join("\n  ").trim().to_string()).filter(|words| !words.is_empty()).map(Evidence::Words),
        shown => shown,
    };
    Ok(Answer { holds, model, states: 0, evidence })
}

/// A trace as the events that happen in it: NuSMV tells of each state what has changed. None where it is not what we know.
fn shown(recording: &Recording, model: Model, trace: &[&str]) -> Option<Evidence> {
    let asked = if model == Model::PartialOrder { "eid" } else { "run" };
    let mut states: Vec<i64> = Vec::new();
    for line in trace {
        if line.starts_with("-> State:") {
            states.push(*states.last().unwrap_or(&-1));
        } else if let Some((name, value)) = line.split_once('=')
            && name.trim() == asked
        {
            *states.last_mut()? = value.trim().parse().ok()?;
        }
    }
    let sequence = &recording.sequence;
    if model == Model::PartialOrder {
        let mut events = states.iter().map(|&event| EventId::try_from(event).ok()).collect::<Option<Vec<_>>>()?;
        events.dedup();
        let is_there = |&event: &EventId| (event as usize) < sequence.events.len();
        let is_chain = events.len() > 1 && events.iter().all(is_there);
        return is_chain.then_some(Evidence::Chain(events));
    }
    let (mut counters, count) = (vec![0; sequence.processes.len()], sequence.processes.len() as i64);
    let mut events: Vec<EventId> = Vec::new();
    // -1 is the start, and the number of all processes the end.
    for process in states.into_iter().filter(|process| (0..count).contains(process)) {
        let own = &mut counters[process as usize];
        let event = sequence.event_at(process as u32, *own);
        *own += 1;
        let may_happen = *own <= sequence.processes[process as usize].events
            && recording.order.before(event).iter().all(|other| events.contains(other));
        if !may_happen {
            return None;
        }
        events.push(event);
    }
    (!events.is_empty()).then_some(Evidence::Line { events, letters: Vec::new() })
}
