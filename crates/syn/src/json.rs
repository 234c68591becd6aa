//! The JSON format: the same as the text, for programs.
//!
//! ```json
//! {"variables": {"a": [4, 7, null]},
//!  "processes": [{"name": "p0", "role": "worker", "events": [
//!     {"op": "r", "object": "a", "version": 0, "pc": 3, "line": "queue.c:12", "label": "full"},
//!     {"parts": [{"op": "r", "object": "a", "version": 1}, {"op": "w", "object": "b", "version": 1}]}]}]}
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;
use smallvec::SmallVec;
use threadbare_core::source::{Complaint, Result, Source, Span};

use crate::log::place;
use crate::sequence::{Op, Part, Remarks, Sequence};
use crate::text::MOST_VERSIONS;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    variables: BTreeMap<String, Vec<Option<i64>>>,
    processes: Vec<ProcessOf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProcessOf {
    name: Option<String>,
    #[serde(default)]
    role: String,
    events: Vec<EventOf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EventOf {
    op: Option<String>,
    object: Option<String>,
    version: Option<u32>,
    parts: Option<Vec<PartOf>>,
    pc: Option<i64>,
    line: Option<String>,
    label: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartOf {
    op: String,
    object: String,
    version: u32,
}

pub fn parse(source: &Source) -> Result<Sequence> {
    let file: File = serde_json::from_str(&source.text).map_err(|error| complaint(source, &error))?;
    let mut sequence = Sequence::default();
    for (name, values) in file.variables {
        let number = sequence.name(&name);
        let variable = sequence.variable(number, false) as usize;
        sequence.variables[variable].values = values;
    }
    for (number, process) in file.processes.into_iter().enumerate() {
        let name = process.name.unwrap_or_else(|| format!("p{number}"));
        if sequence.processes.iter().any(|known| known.name == name) {
            return Err(Complaint::nowhere(format!("there are two processes `{name}`")));
        }
        sequence.add_process(name, process.role);
        for (index, event) in process.events.into_iter().enumerate() {
            let wrong = |message: &str| Complaint::nowhere(format!("event {index} of process {number}: {message}"));
            let parts = match (event.parts, event.op, event.object, event.version) {
                (Some(parts), None, None, None) if !parts.is_empty() => parts,
                (None, Some(op), Some(object), Some(version)) => vec![PartOf { op, object, version }],
                _ => return Err(wrong("`op`, `object` and `version` are needed, or `parts` with these")),
            };
            let mut list: SmallVec<[Part; 1]> = SmallVec::new();
            for PartOf { op, object, version } in parts {
                let op = Op::parse(&op).ok_or_else(|| wrong(&format!("there is no operation `{op}`")))?;
                if version > MOST_VERSIONS {
                    return Err(wrong(&format!("versions are numbers from 0 to {MOST_VERSIONS}")));
                }
                list.push(Part { op, object: sequence.name(&object), version });
            }
            let line = match event.line {
                None => None,
                Some(text) => {
                    Some(place(&text).ok_or_else(|| wrong(&format!("`{text}` is no line, as `queue.c:12` is")))?)
                }
            };
            sequence.add_event(list, Remarks { pc: event.pc, line, label: event.label }, Span::default());
        }
    }
    Ok(sequence)
}

/// What the library says, with its place as ours.
fn complaint(source: &Source, error: &serde_json::Error) -> Box<Complaint> {
    let words = error.to_string();
    let message = words.split(" at line ").next().unwrap_or(&words).to_string();
    let lines = source.text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let at = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
    // Its columns count bytes, and the one behind the end is no place.
    let mut at = at.min(source.text.len().saturating_sub(1));
    while !source.text.is_char_boundary(at) {
        at -= 1;
    }
    Complaint::at(Span::new(at, at + 1), message)
}
