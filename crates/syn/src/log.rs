//! A log of what happened, one thing after the other, as a sequence: who touches an object finds its newest version, and who changes
//! it makes the next one.
//!
//! As CSV: `process, op, object[, value]` in each line, in the order in which it happened. A first line with the names of columns may
//! put them in another order, and add `pc`, `line` and `label`. A value is what was read, or what is there after a write.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use threadbare_core::source::{Complaint, Result, Source, Span};

use crate::sequence::{OPERATIONS, Op, Part, Remarks, Sequence, Value};

/// One touch of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touch {
    pub op: Op,
    pub object: String,
    /// What was there before a write, where it is known.
    pub before: Option<Value>,
    /// What was read, or is there afterwards.
    pub value: Option<Value>,
}

struct Entry {
    parts: SmallVec<[Part; 1]>,
    remarks: Remarks,
    span: Span,
}

#[derive(Default)]
pub struct Log {
    sequence: Sequence,
    processes: Vec<(String, String, Vec<Entry>)>,
    by_name: FxHashMap<String, usize>,
    /// The values of the versions of each object, by its name.
    values: FxHashMap<u32, Vec<Option<Value>>>,
    /// Values that do not fit are forgotten: whoever told them did not tell everything.
    lenient: bool,
    doubtful: Vec<u32>,
    /// How many messages were sent and received.
    mail: FxHashMap<u32, (u32, u32)>,
}

impl Log {
    /// Of somebody who may not have seen every write.
    pub fn lenient() -> Log {
        Log { lenient: true, ..Log::default() }
    }

    /// A process, whether or not it does anything. The first name decides about its role.
    pub fn process(&mut self, name: &str, role: &str) -> usize {
        if let Some(&known) = self.by_name.get(name) {
            return known;
        }
        self.processes.push((name.into(), role.into(), Vec::new()));
        self.by_name.insert(name.into(), self.processes.len() - 1);
        self.processes.len() - 1
    }

    /// What a process does next, all at once. The error is what cannot be, in words.
    pub fn happens(
        &mut self,
        process: usize,
        touches: &[Touch],
        remarks: Remarks,
        span: Span,
    ) -> std::result::Result<(), String> {
        let mut parts: SmallVec<[Part; 1]> = SmallVec::new();
        for touch in touches {
            let object = self.sequence.name(&touch.object);
            let version = match touch.op {
                Op::Send | Op::Receive => self.message(object, touch)?,
                _ => self.version(object, touch)?,
            };
            parts.push(Part { op: touch.op, object, version });
        }
        self.processes[process].2.push(Entry { parts, remarks, span });
        Ok(())
    }

    fn message(&mut self, object: u32, touch: &Touch) -> std::result::Result<u32, String> {
        let (sent, received) = self.mail.entry(object).or_default();
        let (count, other) = if touch.op == Op::Send { (sent, u32::MAX) } else { (received, *sent) };
        *count += 1;
        match *count <= other {
            true => Ok(*count),
            false => Err(format!(
                "message {count} is received from `{}`, and {} sent before",
                touch.object,
                match other {
                    0 => "none was".to_string(),
                    1 => "only 1 was".to_string(),
                    other => format!("only {other} were"),
                }
            )),
        }
    }

    fn version(&mut self, object: u32, touch: &Touch) -> std::result::Result<u32, String> {
        let values = self.values.entry(object).or_insert_with(|| vec![None]);
        let reads = if touch.op.only_reads() { touch.value } else { touch.before };
        let newest = values.len() - 1;
        match (values[newest], reads) {
            (Some(there), Some(read)) if there != read && self.lenient => self.doubtful.push(object),
            (Some(there), Some(read)) if there != read => {
                let name = &touch.object;
                return Err(format!("{read} is read from `{name}`, which was {there}: version {newest} has one value"));
            }
            (None, Some(read)) => values[newest] = Some(read),
            _ => {}
        }
        if !touch.op.only_reads() {
            values.push(touch.value);
        }
        Ok(values.len() as u32 - 1)
    }

    pub fn finish(mut self) -> Sequence {
        for (name, role, entries) in self.processes {
            self.sequence.add_process(name, role);
            for entry in entries {
                self.sequence.add_event(entry.parts, entry.remarks, entry.span);
            }
        }
        for (object, mut values) in self.values {
            if values.iter().any(Option::is_some) {
                if self.doubtful.contains(&object) {
                    values.fill(None);
                }
                let variable = self.sequence.variable(object) as usize;
                self.sequence.variables[variable].values = values;
            }
        }
        self.sequence
    }
}

const COLUMNS: [&str; 7] = ["process", "op", "object", "value", "pc", "line", "label"];

type Cell = (String, Span);

fn column(text: &str) -> Option<usize> {
    COLUMNS.iter().position(|name| text.eq_ignore_ascii_case(name))
}

/// A log in CSV, as RFC 4180 has it, and with comments.
pub fn parse(source: &Source, start: usize) -> Result<Sequence> {
    let mut log = Log::default();
    let mut columns: Vec<usize> = (0..4).collect();
    let (mut at, mut is_first) = (start, true);
    let text = source.text.as_str();
    while at < text.len() {
        let line = &text[at..at + text[at..].find('\n').unwrap_or(text.len() - at)];
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            at += line.len() + 1;
            continue;
        }
        let (fields, end) = record(text, at)?;
        // One name of a column alone may be that of a process.
        let is_header = fields.iter().filter(|(text, _)| column(text).is_some()).count() > 1;
        match std::mem::take(&mut is_first) && is_header {
            true => columns = header(&fields)?,
            false => entry(&mut log, &columns, &fields, Span::new(at, text[..end].trim_end().len().max(at)))?,
        }
        at = end + 1;
    }
    Ok(log.finish())
}

/// Whether a text is a log, by its first line: names of columns, or an operation in its place.
pub fn is_log(text: &str) -> bool {
    let is_empty = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let Some(line) = text.lines().find(|line| !is_empty(line)) else { return false };
    // The text format has such comments, and logs have none.
    let Some(Ok((fields, _))) = (!line.trim_start().starts_with("//")).then(|| record(line, 0)) else { return false };
    let columns = fields.iter().filter(|(text, _)| column(text).is_some()).count();
    columns > 1 || fields.len() > 2 && Op::parse(&fields[1].0).is_some()
}

fn header(fields: &[Cell]) -> Result<Vec<usize>> {
    let mut columns = Vec::new();
    for (text, span) in fields {
        let column = column(text).ok_or_else(|| {
            Complaint::at(*span, format!("there is no column `{text}`"))
                .note(format!("there is {}", COLUMNS.join(", ")))
        })?;
        if columns.contains(&column) {
            return Err(Complaint::at(*span, format!("there are two columns `{text}`")));
        }
        columns.push(column);
    }
    match (0..3).find(|column| !columns.contains(column)) {
        Some(missing) => Err(Complaint::at(fields[0].1, format!("a column `{}` is missing", COLUMNS[missing]))),
        None => Ok(columns),
    }
}

/// The fields of a line without the blanks around them, and where it ends. Those in double quotes may have commas, breaks of lines, and
/// quotes, two for each.
fn record(text: &str, start: usize) -> Result<(Vec<Cell>, usize)> {
    let mut fields = Vec::new();
    let mut at = start;
    loop {
        let rest = &text[at..];
        let from = at + rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let end_of_field = |at: usize| at + text[at..].find([',', '\n']).unwrap_or(text.len() - at);
        let (field, end) = match text[from..].starts_with('"') {
            true => {
                let (field, behind) = in_quotes(text, from)?;
                let end = end_of_field(behind);
                if !text[behind..end].trim().is_empty() {
                    return Err(Complaint::at(
                        Span::new(behind, end),
                        "a comma expected behind the quote; a quote in quotes is written twice",
                    ));
                }
                (field, end)
            }
            false => {
                let end = end_of_field(from);
                (text[from..end].trim_end().to_string(), end)
            }
        };
        fields.push((field, Span::new(from.min(end), end)));
        if !text[end..].starts_with(',') {
            return Ok((fields, end));
        }
        at = end + 1;
    }
}

/// A field in quotes, and where it ends.
fn in_quotes(text: &str, from: usize) -> Result<(String, usize)> {
    let (mut field, mut at) = (String::new(), from + 1);
    loop {
        let Some(length) = text[at..].find('"') else {
            return Err(Complaint::at(Span::new(from, from + 1), "this quote is never closed"));
        };
        field += &text[at..at + length];
        at += length + 1;
        if !text[at..].starts_with('"') {
            return Ok((field, at));
        }
        field.push('"');
        at += 1;
    }
}

fn entry(log: &mut Log, columns: &[usize], fields: &[Cell], line: Span) -> Result<()> {
    if fields.len() > columns.len() {
        let message = format!("{} fields, and there are only {} columns", fields.len(), columns.len());
        return Err(Complaint::at(fields[columns.len()].1, message).note("process, op, object[, value]"));
    }
    let field = |column: usize| {
        let at = columns.iter().position(|&known| known == column)?;
        fields.get(at).filter(|(text, _)| !text.is_empty())
    };
    let needed = |column: usize| {
        field(column).ok_or_else(|| {
            Complaint::at(line, format!("the {} is missing", COLUMNS[column])).note("process, op, object[, value]")
        })
    };
    let process = log.process(&needed(0)?.0, "");
    let (word, span) = needed(1)?;
    let op = Op::parse(word).ok_or_else(|| {
        let names: Vec<&str> = OPERATIONS.iter().map(|(_, names)| names[0]).collect();
        Complaint::at(*span, format!("there is no operation `{word}`")).note(format!("there is {}", names.join(", ")))
    })?;
    let object = needed(2)?.0.clone();
    let place = match field(5) {
        None => None,
        Some((text, span)) => Some(place(text).ok_or_else(|| {
            Complaint::at(*span, format!("a file with a line is needed, as in `queue.c:12`, not `{text}`"))
        })?),
    };
    let remarks =
        Remarks { pc: field(4).map(number).transpose()?, line: place, label: field(6).map(|(text, _)| text.clone()) };
    if let (Op::Send | Op::Receive, Some((_, span))) = (op, field(3)) {
        return Err(Complaint::at(*span, "messages have no values in a sequence")
            .note("leave it empty, or write it to a variable of its own"));
    }
    // As in the other formats, `_` is not known.
    let value = field(3).filter(|(text, _)| text != "_").map(number).transpose()?;
    let touch = Touch { op, object, before: None, value };
    log.happens(process, &[touch], remarks, line).map_err(|message| Complaint::at(line, message))
}

fn number<N: std::str::FromStr>((text, span): &Cell) -> Result<N> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    text.parse().map_err(|_| match digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty() {
        true => Complaint::at(*span, "this number is too large"),
        false => Complaint::at(*span, format!("a number is needed, not `{text}`")),
    })
}

/// `queue.c:12`
pub fn place(text: &str) -> Option<(String, u32)> {
    let (file, line) = text.rsplit_once(':')?;
    Some((file.to_string(), line.parse().ok()?)).filter(|(file, _)| !file.is_empty())
}
