//! A log of what happened, one thing after the other, as a sequence: who touches an object finds its newest version, and who changes
//! it makes the next one.
//!
//! As CSV: `process, op, object[, value]` in each line, in the order in which it happened. A first line with the names of columns may
//! put them in another order, and add `pc`, `line` and `label`. A value is what was read, or what is there after a write.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use threadbare_core::source::{Complaint, Result, Source, Span};

use crate::sequence::{OPERATIONS, Op, Part, Remarks, Sequence};

/// One touch of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touch {
    pub op: Op,
    pub object: String,
    /// What was there before a write, where it is known.
    pub before: Option<i64>,
    /// What was read, or is there afterwards.
    pub value: Option<i64>,
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
    values: FxHashMap<u32, Vec<Option<i64>>>,
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
            false => Err(format!("message {count} is received from `{}`, and {other} were sent before", touch.object)),
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
        for (object, values) in self.values {
            if values.iter().any(Option::is_some) && !self.doubtful.contains(&object) {
                let variable = self.sequence.variable(object, false) as usize;
                self.sequence.variables[variable].values = values;
            }
        }
        self.sequence
    }
}

const COLUMNS: [&str; 7] = ["process", "op", "object", "value", "pc", "line", "label"];

/// A log in CSV.
pub fn parse(source: &Source) -> Result<Sequence> {
    let mut log = Log::default();
    let mut columns: Vec<usize> = (0..4).collect();
    let mut at = 0;
    let mut is_first = true;
    for line in source.text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let fields = fields(line, start)?;
        let known = |(text, _): &(String, Span)| COLUMNS.iter().position(|name| text.eq_ignore_ascii_case(name));
        if std::mem::take(&mut is_first) && known(&fields[0]).is_some() {
            columns = header(&fields)?;
            continue;
        }
        entry(&mut log, &columns, &fields, Span::new(start, start + line.len()))?;
    }
    Ok(log.finish())
}

fn header(fields: &[(String, Span)]) -> Result<Vec<usize>> {
    let mut columns = Vec::new();
    for (text, span) in fields {
        let column = COLUMNS.iter().position(|name| text.eq_ignore_ascii_case(name)).ok_or_else(|| {
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

/// The fields of a line without the blanks around them; those in double quotes may have commas.
fn fields(line: &str, start: usize) -> Result<Vec<(String, Span)>> {
    let mut fields = Vec::new();
    let mut at = 0;
    loop {
        let rest = &line[at..];
        let blanks = rest.len() - rest.trim_start().len();
        let from = at + blanks;
        let (text, end) = match line[from..].strip_prefix('"') {
            Some(inner) => {
                let Some(length) = inner.find('"') else {
                    return Err(Complaint::at(Span::new(start + from, start + from + 1), "this quote is never closed"));
                };
                let end = from + length + 2;
                let after = &line[end..];
                let gap = after.find(',').unwrap_or(after.len());
                if !after[..gap].trim().is_empty() {
                    return Err(Complaint::at(
                        Span::new(start + end, start + end + gap),
                        "a comma expected behind the quote",
                    ));
                }
                (inner[..length].to_string(), end + gap)
            }
            None => {
                let length = line[from..].find(',').unwrap_or(line.len() - from);
                (line[from..from + length].trim_end().to_string(), from + length)
            }
        };
        fields.push((text, Span::new(start + from.min(line.len()), start + end)));
        if end >= line.len() {
            return Ok(fields);
        }
        at = end + 1;
    }
}

fn entry(log: &mut Log, columns: &[usize], fields: &[(String, Span)], line: Span) -> Result<()> {
    if fields.len() > columns.len() {
        let message = format!("{} fields, and there are {} columns", fields.len(), columns.len());
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
    let number = |column: usize| {
        let number = |(text, span): &(String, Span)| {
            text.parse::<i64>().map_err(|_| Complaint::at(*span, format!("a number is needed, not `{text}`")))
        };
        field(column).map(number).transpose()
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
    let remarks = Remarks { pc: number(4)?, line: place, label: field(6).map(|(text, _)| text.clone()) };
    let touch = Touch { op, object, before: None, value: number(3)? };
    log.happens(process, &[touch], remarks, line).map_err(|message| Complaint::at(line, message))
}

/// `queue.c:12`
pub fn place(text: &str) -> Option<(String, u32)> {
    let (file, line) = text.rsplit_once(':')?;
    Some((file.to_string(), line.parse().ok()?)).filter(|(file, _)| !file.is_empty())
}
