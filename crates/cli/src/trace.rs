//! Trace files: a schedule beside all that gives it its meaning. docs/trace-format.md describes them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use threadbare_core::{Chosen, Hash128, ScheduleStep, Story, StoryStep, ThreadName};

use crate::ltl::formulas::Written;
use crate::report;
use crate::subject::CSubject;
use crate::told::Subject;
use crate::told::model::ModelSubject;
use crate::told::native::NativeSubject;

/// Grows when an old reader would misunderstand a new file.
const VERSION: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trace {
    pub threadbare_trace: u32,
    /// The release that wrote it, for people.
    pub written_by: String,
    /// Where the check ran: relative names are relative to it.
    pub directory: PathBuf,
    pub subject: AnySubject,
    pub sources: Vec<SourceHash>,
    pub bug: TraceBug,
    pub schedule: Vec<TraceStep>,
    /// It goes on for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasso: Option<TraceLasso>,
    /// Formulas about executions, one of which this one breaks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace_spec: Vec<String>,
}

/// Which formula of the subject is broken, and the first step of the cycle, from 0; behind the last one, nothing moves any more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TraceLasso {
    pub formula: usize,
    pub cycle: usize,
}

/// What was checked. Their fields tell them apart.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AnySubject {
    Native(NativeSubject),
    C(CSubject),
    Model(ModelSubject),
}

impl AnySubject {
    pub fn files(&self) -> &[PathBuf] {
        match self {
            AnySubject::Native(subject) => &subject.native.files,
            AnySubject::C(subject) => &subject.files,
            AnySubject::Model(subject) => &subject.files,
        }
    }
}

impl AnySubject {
    fn formulas(&self) -> &[Written] {
        match self {
            AnySubject::Native(subject) => &subject.native.ltl,
            AnySubject::C(subject) => &subject.ltl,
            AnySubject::Model(subject) => &subject.ltl,
        }
    }
}

impl From<NativeSubject> for AnySubject {
    fn from(subject: NativeSubject) -> AnySubject {
        AnySubject::Native(subject)
    }
}

impl From<CSubject> for AnySubject {
    fn from(subject: CSubject) -> AnySubject {
        AnySubject::C(subject)
    }
}

impl From<ModelSubject> for AnySubject {
    fn from(subject: ModelSubject) -> AnySubject {
        AnySubject::Model(subject)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SourceHash {
    pub file: PathBuf,
    pub hash: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TraceBug {
    pub kind: String,
    pub message: String,
    pub file: String,
    pub line: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TraceStep {
    pub thread: String,
    /// A number, or the thread that a signal wakes.
    pub choice: serde_json::Value,
    /// What it was, so that a replay can say where it went another way.
    pub operation: String,
    pub function: String,
    pub line: u32,
}

impl TraceStep {
    fn of(step: &StoryStep, at: &ScheduleStep) -> TraceStep {
        let place = step.stack.first().cloned().unwrap_or_default();
        TraceStep {
            thread: at.thread.to_string(),
            choice: choice_json(&at.chosen),
            operation: step.operation.name().into(),
            function: place.function,
            line: place.line,
        }
    }

    pub fn to_step(&self) -> Option<ScheduleStep> {
        let thread = ThreadName::parse(&self.thread)?;
        let chosen = match &self.choice {
            serde_json::Value::String(name) => Chosen::Thread(ThreadName::parse(name)?),
            number => Chosen::Number(number.as_u64()?.try_into().ok()?),
        };
        Some(ScheduleStep { thread, chosen })
    }
}

fn choice_json(chosen: &Chosen) -> serde_json::Value {
    match chosen {
        Chosen::Number(number) => (*number).into(),
        Chosen::Thread(name) => name.to_string().into(),
    }
}

impl Trace {
    pub fn of<S: Subject>(subject: &S, program: &S::Program, story: &Story) -> Trace {
        let hashed = |file: PathBuf| Some(SourceHash { hash: hash_of(&file)?, file });
        let place = story.bug.as_ref().and_then(threadbare_report::location).cloned().unwrap_or_default();
        Trace {
            threadbare_trace: VERSION,
            written_by: env!("CARGO_PKG_VERSION").into(),
            directory: std::env::current_dir().unwrap_or_default(),
            subject: subject.clone().into(),
            sources: subject.sources(program).into_iter().filter_map(hashed).collect(),
            bug: TraceBug {
                kind: story.bug.as_ref().map_or(String::new(), |bug| bug.kind.clone()),
                message: story.bug.as_ref().map_or(String::new(), |bug| bug.message.clone()),
                file: place.file,
                line: place.line,
            },
            schedule: story.steps.iter().zip(&story.schedule.0).map(|(step, at)| TraceStep::of(step, at)).collect(),
            lasso: story.lasso.as_ref().map(|lasso| TraceLasso { formula: lasso.number, cycle: lasso.cycle }),
            trace_spec: Vec::new(),
        }
    }

    pub fn write(&self, file: &Path) -> std::io::Result<()> {
        let mut text = serde_json::to_string_pretty(self).expect("plain data");
        text.push('\n');
        std::fs::write(file, text)
    }

    pub fn read(file: &Path) -> Result<Trace, String> {
        let name = file.display();
        let text =
            std::fs::read_to_string(file).map_err(|error| format!("cannot read {name}: {}", report::why(&error)))?;
        let value: serde_json::Value = serde_json::from_str(&text)
            .map_err(|error| format!("{name} is no trace: {error} (`threadbare check --trace FILE` writes traces)"))?;
        match value.get("threadbare_trace").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(VERSION) => {}
            Some(version) => {
                return Err(format!("{name} is a trace of format {version}; this version reads format {VERSION}"));
            }
            None => return Err(format!("{name} is no trace (`threadbare check --trace FILE` writes traces)")),
        }
        let trace: Trace = serde_json::from_value(value).map_err(|error| format!("{name}: {error}"))?;
        if let Some(number) = trace.schedule.iter().position(|step| step.to_step().is_none()) {
            return Err(format!("{name}: step {} of the schedule makes no sense", number + 1));
        }
        if let Some(lasso) = &trace.lasso
            && (lasso.cycle > trace.schedule.len() || lasso.formula >= trace.subject.formulas().len())
        {
            return Err(format!("{name}: its cycle makes no sense"));
        }
        if trace.subject.files().is_empty() {
            return Err(format!("{name} names no source"));
        }
        Ok(trace)
    }

    /// The sources that are not what they were.
    pub fn changed_sources(&self) -> Vec<&Path> {
        let changed = self.sources.iter().filter(|source| hash_of(&source.file).as_ref() != Some(&source.hash));
        changed.map(|source| source.file.as_path()).collect()
    }
}

/// The file for the trace of the n-th bug: the given name, then `name-2.json`, `name-3.json` …
pub fn numbered(file: &Path, number: usize) -> PathBuf {
    if number == 0 {
        return file.to_path_buf();
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let extension = file.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
    file.with_file_name(format!("{stem}-{}{extension}", number + 1))
}

/// 128 bits of a file's content, to see whether it has changed.
fn hash_of(file: &Path) -> Option<String> {
    let bytes = std::fs::read(file).ok()?;
    let mut hash = Hash128::new(bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash.word(u64::from_le_bytes(word));
    }
    Some(format!("{:032x}", hash.finish().0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_bugs_have_numbered_traces() {
        assert_eq!(numbered(Path::new("a/t.json"), 0), Path::new("a/t.json"));
        assert_eq!(numbered(Path::new("a/t.json"), 1), Path::new("a/t-2.json"));
        assert_eq!(numbered(Path::new("t"), 2), Path::new("t-3"));
    }
}
