//! The JSON object of `--format json`. `docs/json.md` describes it; fields are added, never renamed or removed.

use serde::Serialize;
use threadbare_core::{Chosen, Findings, Story, Verdict};

use crate::human::location;
use crate::source::Sources;

/// Grows when the meaning of a field changes.
pub const VERSION: u32 = 1;

#[derive(Serialize)]
struct Report<'f> {
    version: u32,
    verdict: &'f str,
    strategy: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<&'f str>,
    jobs: usize,
    executions: u64,
    blocked: u64,
    cut: u64,
    states: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_state: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table_bytes_per_state: Option<u64>,
    transitions: u64,
    seconds: f64,
    cpu_seconds: f64,
    peak_rss_bytes: u64,
    bound: Option<&'f str>,
    assumptions: &'f [String],
    error: Option<Error<'f>>,
    bugs: Vec<Bug<'f>>,
}

#[derive(Serialize)]
struct Error<'f> {
    message: &'f str,
    file: Option<String>,
    line: Option<u32>,
}

#[derive(Serialize)]
struct Bug<'f> {
    kind: &'f str,
    message: &'f str,
    file: Option<String>,
    line: Option<u32>,
    threads: usize,
    steps: usize,
    preemptions: usize,
    occurrences: u64,
    schedule: Vec<(String, Choice)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lasso: Option<Lasso<'f>>,
}

/// An execution that goes on for ever.
#[derive(Serialize)]
struct Lasso<'f> {
    formula: &'f str,
    cycle: usize,
    propositions: &'f [String],
    held: &'f [Vec<bool>],
}

/// A signal's choice is the name of the woken thread, every other one a number.
#[derive(Serialize)]
#[serde(untagged)]
enum Choice {
    Number(u32),
    Thread(String),
}

/// All that a search found, as one object and a line break.
pub fn findings(findings: &Findings, sources: &Sources) -> String {
    let bound = match findings.otherwise.as_ref().unwrap_or(&findings.verdict) {
        Verdict::Bounded(by) | Verdict::Unknown(by) => Some(by.as_str()),
        Verdict::Proved | Verdict::Violated => None,
    };
    write(&Report {
        version: VERSION,
        verdict: findings.verdict.name(),
        strategy: Some(&findings.strategy),
        chosen: findings.chosen.as_deref(),
        jobs: findings.jobs,
        executions: findings.executions,
        blocked: findings.blocked,
        cut: findings.cut,
        states: findings.states,
        bytes_per_state: findings.bytes_per_state.map(|bytes| bytes.all),
        table_bytes_per_state: findings.bytes_per_state.map(|bytes| bytes.table),
        transitions: findings.transitions,
        seconds: findings.seconds,
        cpu_seconds: findings.cpu_seconds,
        peak_rss_bytes: findings.peak_rss_bytes,
        bound,
        assumptions: &findings.assumptions,
        error: None,
        bugs: findings.stories.iter().filter_map(|story| bug(story, sources)).collect(),
    })
}

/// The program could not be checked.
pub fn error(message: &str, place: Option<(&str, u32)>, sources: &Sources) -> String {
    write(&Report {
        version: VERSION,
        verdict: "error",
        strategy: None,
        chosen: None,
        jobs: 0,
        executions: 0,
        blocked: 0,
        cut: 0,
        states: None,
        bytes_per_state: None,
        table_bytes_per_state: None,
        transitions: 0,
        seconds: 0.0,
        cpu_seconds: 0.0,
        peak_rss_bytes: 0,
        bound: None,
        assumptions: &[],
        error: Some(Error {
            message,
            file: place.map(|(file, _)| sources.path(file)),
            line: place.map(|(_, line)| line),
        }),
        bugs: Vec::new(),
    })
}

/// The bug of one story, as it stands in the list of bugs; null if there is none.
pub fn story(story: &Story, sources: &Sources) -> serde_json::Value {
    serde_json::to_value(bug(story, sources)).unwrap_or_default()
}

fn bug<'f>(story: &'f Story, sources: &Sources) -> Option<Bug<'f>> {
    let bug = story.bug.as_ref()?;
    let place = location(bug).filter(|place| !place.file.is_empty());
    let schedule = story.schedule.0.iter().map(|step| {
        let choice = match &step.chosen {
            Chosen::Number(number) => Choice::Number(*number),
            Chosen::Thread(name) => Choice::Thread(name.to_string()),
        };
        (step.thread.to_string(), choice)
    });
    Some(Bug {
        kind: &bug.kind,
        message: &bug.message,
        file: place.map(|place| sources.path(&place.file)),
        line: place.map(|place| place.line),
        threads: story.thread_count(),
        steps: story.schedule.len(),
        preemptions: story.preemptions(),
        occurrences: story.occurrences,
        schedule: schedule.collect(),
        lasso: story.lasso.as_ref().map(|lasso| Lasso {
            formula: &lasso.formula,
            cycle: lasso.cycle,
            propositions: &lasso.propositions,
            held: &lasso.held,
        }),
    })
}

fn write(report: &Report<'_>) -> String {
    // Text and numbers only: nothing in it can fail to be written.
    serde_json::to_string(report).unwrap_or_default() + "\n"
}
