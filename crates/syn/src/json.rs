//! The JSON format: the same as the text, for programs.
//!
//! ```json
//! {"error": "deadlock", "variables": {"a": [4, 7], "b": [3, null]},
//!  "processes": [
//!    {"name": "p0", "role": "worker", "events": [
//!      {"op": "r", "object": "a", "version": 0, "pc": 3, "line": "queue.c:12", "label": "full"},
//!      {"parts": [{"op": "r", "object": "a", "version": 1}, {"op": "w", "object": "b", "version": 1}]}]},
//!    {"events": [{"op": "w", "object": "a", "version": 1}]}]}
//! ```

use smallvec::SmallVec;
use threadbare_core::source::{Complaint, Result, Source};

use crate::log::place;
use crate::sequence::{OPERATIONS, Op, Part, Remarks, Sequence};
use crate::text::MOST_VERSIONS;
use crate::tree::{self, Field, Tree, Value, field};

pub fn parse(source: &Source, start: usize) -> Result<Sequence> {
    let tree = tree::parse(source, start)?;
    let file = tree.fields("a sequence", &["error", "variables", "processes"])?;
    let mut sequence = Sequence::default();
    sequence.error = field(file, "error").map(|tree| tree.name("an error")).transpose()?.map(str::to_string);
    if let Some(variables) = field(file, "variables") {
        let Value::Object(variables) = &variables.value else {
            return Err(Complaint::at(variables.span, "an object with the values of each variable is needed")
                .note("as in `{\"a\": [4, 7, null]}`"));
        };
        for variable in variables {
            values(&mut sequence, variable)?;
        }
    }
    let processes = field(file, "processes").ok_or_else(|| Complaint::at(tree.span, "`processes` is missing"))?;
    for (number, process) in processes.list("a list of processes")?.iter().enumerate() {
        let fields = process.fields("a process", &["name", "role", "events"])?;
        let (name, span) = match field(fields, "name") {
            Some(tree) => (tree.name("the name of a process")?.to_string(), tree.span),
            None => (format!("p{number}"), process.span),
        };
        if sequence.processes.iter().any(|known| known.name == name) {
            return Err(Complaint::at(span, format!("there is a process `{name}` already")));
        }
        let role = field(fields, "role").map_or(Ok(""), |tree| tree.text("the role of a process"))?;
        sequence.add_process(name, role);
        let events = field(fields, "events").ok_or_else(|| Complaint::at(process.span, "`events` is missing"))?;
        for tree in events.list("a list of events")? {
            event(&mut sequence, tree)?;
        }
    }
    Ok(sequence)
}

fn values(sequence: &mut Sequence, variable: &Field) -> Result<()> {
    if variable.name.is_empty() {
        return Err(Complaint::at(variable.span, "the name of a variable is needed, and this is empty"));
    }
    let value = |tree: &Tree| match tree.value {
        Value::Null => Ok(None),
        _ => tree.number("a value").map(Some),
    };
    let values = variable.tree.list("a list of values")?.iter().map(value).collect::<Result<_>>()?;
    let number = sequence.name(&variable.name);
    let number = sequence.variable(number) as usize;
    (sequence.variables[number].values, sequence.variables[number].span) = (values, variable.span);
    Ok(())
}

fn event(sequence: &mut Sequence, tree: &Tree) -> Result<()> {
    const KNOWN: [&str; 7] = ["op", "object", "version", "parts", "pc", "line", "label"];
    let fields = tree.fields("an event", &KNOWN)?;
    let mut parts: SmallVec<[Part; 1]> = SmallVec::new();
    match field(fields, "parts") {
        None => parts.push(part(sequence, tree, fields)?),
        Some(_) if KNOWN[..3].iter().any(|name| field(fields, name).is_some()) => {
            return Err(Complaint::at(tree.span, "an event has `parts`, or an `op` of its own"));
        }
        Some(list) => {
            for tree in list.list("a list of parts")? {
                let fields = tree.fields("a part", &KNOWN[..3])?;
                parts.push(part(sequence, tree, fields)?);
            }
            if parts.is_empty() {
                return Err(Complaint::at(list.span, "an event has at least one part"));
            }
        }
    }
    let line = match field(fields, "line") {
        None => None,
        Some(tree) => {
            let text = tree.text("a file with a line")?;
            Some(place(text).ok_or_else(|| {
                Complaint::at(tree.span, format!("a file with a line is needed, as in `queue.c:12`, not `{text}`"))
            })?)
        }
    };
    let pc = field(fields, "pc").map(|tree| tree.number("a program counter")).transpose()?;
    let label = field(fields, "label").map(|tree| tree.name("a label")).transpose()?.map(str::to_string);
    sequence.add_event(parts, Remarks { pc, line, label }, tree.span);
    Ok(())
}

fn part(sequence: &mut Sequence, tree: &Tree, fields: &[Field]) -> Result<Part> {
    let needed = |name: &str| {
        field(fields, name).ok_or_else(|| {
            Complaint::at(tree.span, format!("`{name}` is missing"))
                .note("an event has `op`, `object` and `version`, or `parts` with these")
        })
    };
    let op = needed("op")?;
    let word = op.text("an operation")?;
    let op = Op::parse(word).ok_or_else(|| {
        let names: Vec<&str> = OPERATIONS.iter().map(|(_, names)| names[0]).collect();
        Complaint::at(op.span, format!("there is no operation `{word}`")).note(format!("there is {}", names.join(", ")))
    })?;
    let object = sequence.name(needed("object")?.name("the name of an object")?);
    let version = needed("version")?;
    let number: Option<i128> = version.whole("the number of a version")?;
    let version = number
        .and_then(|number| u32::try_from(number).ok())
        .filter(|&number| number <= MOST_VERSIONS)
        .ok_or_else(|| Complaint::at(version.span, format!("versions are numbers from 0 to {MOST_VERSIONS}")))?;
    Ok(Part { op, object, version })
}
