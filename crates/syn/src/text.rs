//! The text format.
//!
//! ```text
//! file     =  { "var" name "=" value { "," value }  |  "process" [ name [ role ] ] ":" { event [ "," ] } }
//! event    =  part { "+" part } [ "[" remark { "," remark } "]" ]
//! part     =  operation "(" name "," version ")"
//! remark   =  "pc" "=" number  |  "line" "=" file ":" number  |  "label" "=" name
//! value    =  number  |  "_"
//! name     =  letters, digits, "_", ".", "$", an index in brackets; or anything in double quotes, there with \" \\ \n \r \t
//! ```
//!
//! Comments begin with `#` or `//` and end with the line. The first value of a variable is that of version 0, which is there at the
//! start; `_` is a value that is not known.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::str::FromStr;

use smallvec::SmallVec;
use threadbare_core::source::{Complaint, Result, Source, Span};
use threadbare_logic::name::{in_quotes, plain_length, quoted, unquoted};

use crate::sequence::{OPERATIONS, Op, Part, Remarks, Sequence};

/// The largest text.
const MOST_BYTES: usize = 256 << 20;
/// Versions are kept in tables.
pub const MOST_VERSIONS: u32 = 100_000_000;

pub fn parse(source: &Source) -> Result<Sequence> {
    parse_from(source, 0)
}

/// The same where something else comes first.
pub fn parse_from(source: &Source, start: usize) -> Result<Sequence> {
    if source.text.len() > MOST_BYTES {
        return Err(Complaint::nowhere(format!("a sequence of more than {} MiB", MOST_BYTES >> 20)));
    }
    let mut parser = Parser { text: &source.text, at: start, sequence: Sequence::default() };
    parser.file()?;
    Ok(parser.sequence)
}

struct Parser<'s> {
    text: &'s str,
    at: usize,
    sequence: Sequence,
}

impl<'s> Parser<'s> {
    fn file(&mut self) -> Result<()> {
        loop {
            self.skip();
            let span = self.next_span();
            match self.word() {
                "" if self.at == self.text.len() => return Ok(()),
                "var" => self.var()?,
                "error" => self.error(span)?,
                "process" => self.process()?,
                _ if self.sequence.processes.is_empty() => {
                    return Err(self
                        .unexpected(span, "`var` or `process`")
                        .note("as in `var a = 4, 7` or `process p0:`; a log in CSV has `process, op, object[, value]` in each line"));
                }
                _ => {
                    self.at = span.from as usize;
                    self.event()?;
                    self.skip();
                    self.take(",");
                }
            }
        }
    }

    fn skip(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') && !trimmed.starts_with("//") {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// The word that begins here, maybe none.
    fn word(&mut self) -> &'s str {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// What stands here, for messages: a word or one character.
    fn next_span(&self) -> Span {
        let rest = &self.text[self.at..];
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = if word > 0 { word } else { rest.chars().next().map_or(0, char::len_utf8) };
        Span::new(self.at, self.at + length)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let is_there = self.text[self.at..].starts_with(symbol);
        self.at += if is_there { symbol.len() } else { 0 };
        is_there
    }

    fn expect(&mut self, symbol: &str) -> Result<()> {
        self.skip();
        let span = self.next_span();
        if self.take(symbol) { Ok(()) } else { Err(self.unexpected(span, &format!("`{symbol}`"))) }
    }

    fn unexpected(&self, span: Span, wanted: &str) -> Box<Complaint> {
        let found = match self.text.get(span.from as usize..span.to as usize) {
            None | Some("") => "the end".to_string(),
            Some(words) if words.chars().any(char::is_control) => "a control character".to_string(),
            Some(words) => format!("`{words}`"),
        };
        Complaint::at(span, format!("{wanted} expected, not {found}"))
    }

    /// A name, in quotes or not, and where it stands.
    fn name(&mut self, what: &str) -> Result<(Cow<'s, str>, Span)> {
        self.skip();
        let from = self.at;
        let rest = &self.text[self.at..];
        if rest.starts_with('"') {
            let (name, length) = unquoted(rest).map_err(|message| Complaint::at(Span::new(from, from + 1), message))?;
            self.at += length;
            return Ok((Cow::Owned(name), Span::new(from, self.at)));
        }
        let length = plain_length(rest);
        if length == 0 {
            return Err(self.unexpected(self.next_span(), what));
        }
        self.at += length;
        Ok((Cow::Borrowed(&rest[..length]), Span::new(from, self.at)))
    }

    fn number<N: FromStr>(&mut self, what: &str) -> Result<(N, Span)> {
        let (number, span) = self.whole(what)?;
        number.map(|number| (number, span)).ok_or_else(|| Complaint::at(span, "this number is too large"))
    }

    /// None where it is too large for its type.
    fn whole<N: FromStr>(&mut self, what: &str) -> Result<(Option<N>, Span)> {
        self.skip();
        let from = self.at;
        let sign = self.take("-");
        let digits = self.word();
        let span = Span::new(from, self.at.max(self.next_span().to as usize));
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let shown = if self.at > from { Span::new(from, self.at) } else { span };
            return Err(self.unexpected(shown, what));
        }
        let span = Span::new(from, self.at);
        Ok((format!("{}{digits}", if sign { "-" } else { "" }).parse().ok(), span))
    }

    fn version(&mut self) -> Result<u32> {
        let (number, span) = self.whole::<i128>("the number of a version")?;
        number
            .and_then(|number| u32::try_from(number).ok())
            .filter(|&version| version <= MOST_VERSIONS)
            .ok_or_else(|| Complaint::at(span, format!("versions are numbers from 0 to {MOST_VERSIONS}")))
    }

    fn var(&mut self) -> Result<()> {
        let (name, span) = self.name("the name of a variable")?;
        let number = self.sequence.name(&name);
        let known = self.sequence.variables.len();
        let variable = self.sequence.variable(number) as usize;
        if variable < known && !self.sequence.variables[variable].values.is_empty() {
            return Err(Complaint::at(span, format!("`{name}` has values already")));
        }
        self.expect("=")?;
        let mut values = Vec::new();
        loop {
            self.skip();
            let unknown = self.text[self.at..].starts_with('_');
            values.push(if unknown && self.word() == "_" { None } else { Some(self.number("a value")?.0) });
            self.skip();
            if !self.take(",") {
                break;
            }
        }
        let variable = &mut self.sequence.variables[variable];
        (variable.values, variable.span) = (values, span);
        Ok(())
    }

    /// `error "deadlock"`: what the execution ends in.
    fn error(&mut self, span: Span) -> Result<()> {
        let (error, _) = self.name("the error that the execution ends in")?;
        match self.sequence.error.replace(error.into_owned()) {
            Some(_) => Err(Complaint::at(span, "an execution ends in one error")),
            None => Ok(()),
        }
    }

    fn process(&mut self) -> Result<()> {
        self.skip();
        let number = self.sequence.processes.len();
        let (mut name, mut role) = (format!("p{number}"), Cow::Borrowed(""));
        let mut span = self.next_span();
        if !self.text[self.at..].starts_with(':') {
            let text;
            (text, span) = self.name("the name of a process or `:`")?;
            name = text.into_owned();
            self.skip();
            if !self.text[self.at..].starts_with(':') {
                role = self.name("`:`")?.0;
            }
        }
        if self.sequence.processes.iter().any(|process| process.name == name) {
            return Err(Complaint::at(span, format!("there is a process `{name}` already")));
        }
        self.expect(":")?;
        self.sequence.add_process(name, role);
        Ok(())
    }

    fn event(&mut self) -> Result<()> {
        let from = self.at;
        let mut parts: SmallVec<[Part; 1]> = SmallVec::new();
        loop {
            self.skip();
            let span = self.next_span();
            let word = self.word();
            let Some(op) = Op::parse(word) else {
                let names: Vec<&str> = OPERATIONS.iter().map(|(_, names)| names[0]).collect();
                return Err(self.unexpected(span, "an event").note(format!("the operations are {}", names.join(", "))));
            };
            self.expect("(")?;
            let (object, _) = self.name("the name of a variable or another object")?;
            let object = self.sequence.name(&object);
            self.expect(",")?;
            let version = self.version()?;
            self.expect(")")?;
            parts.push(Part { op, object, version });
            self.skip();
            if !self.take("+") {
                break;
            }
        }
        let span = Span::new(from, self.text[..self.at].trim_end().len());
        let remarks = if self.take("[") { self.remarks()? } else { Remarks::default() };
        self.sequence.add_event(parts, remarks, span);
        Ok(())
    }

    fn remarks(&mut self) -> Result<Remarks> {
        let mut remarks = Remarks::default();
        loop {
            self.skip();
            let span = self.next_span();
            let what = self.word();
            if !matches!(what, "pc" | "line" | "label") {
                return Err(self
                    .unexpected(span, "`pc`, `line` or `label`")
                    .note("as in `[pc=3, line=queue.c:12, label=full]`"));
            }
            let is_there = match what {
                "pc" => remarks.pc.is_some(),
                "label" => remarks.label.is_some(),
                _ => remarks.line.is_some(),
            };
            if is_there {
                return Err(Complaint::at(span, format!("an event has one `{what}` only")));
            }
            self.expect("=")?;
            match what {
                "pc" => remarks.pc = Some(self.number("a program counter")?.0),
                "label" => remarks.label = Some(self.name("a label")?.0.into_owned()),
                _ => {
                    let file = self.file_name()?;
                    self.expect(":")?;
                    let (line, span) = self.number::<i64>("the number of a line")?;
                    let line = u32::try_from(line).map_err(|_| Complaint::at(span, "lines are counted from 1"))?;
                    remarks.line = Some((file.into_owned(), line));
                }
            }
            self.skip();
            if !self.take(",") {
                self.expect("]")?;
                return Ok(remarks);
            }
        }
    }

    /// More than a name: it may have folders.
    fn file_name(&mut self) -> Result<Cow<'s, str>> {
        self.skip();
        if self.text[self.at..].starts_with('"') {
            return Ok(self.name("a file")?.0);
        }
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | ']' | '"')).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.unexpected(self.next_span(), "a file with a line, `queue.c:12`,"));
        }
        self.at += length;
        Ok(Cow::Borrowed(&rest[..length]))
    }
}

/// The sequence as this format has it.
pub fn write(sequence: &Sequence) -> String {
    let mut text = sequence.error.as_ref().map_or(String::new(), |error| format!("error {}\n", in_quotes(error)));
    for variable in sequence.variables.iter().filter(|variable| !variable.values.is_empty()) {
        let values: Vec<String> =
            variable.values.iter().map(|value| value.map_or("_".into(), |value| value.to_string())).collect();
        let _ = writeln!(text, "var {} = {}", quoted(&sequence.names[variable.name as usize]), values.join(", "));
    }
    for process in &sequence.processes {
        let role = if process.role.is_empty() { String::new() } else { format!(" {}", quoted(&process.role)) };
        let _ = writeln!(text, "\nprocess {}{role}:", quoted(&process.name));
        for id in process.first..process.first + process.events {
            let event = sequence.event(id);
            let mut remarks = Vec::new();
            if let Some(known) = &event.remarks {
                remarks.extend(known.pc.map(|pc| format!("pc={pc}")));
                remarks.extend(known.line.as_ref().map(|(file, line)| format!("line={}:{line}", quoted_file(file))));
                remarks.extend(known.label.as_ref().map(|label| format!("label={}", quoted(label))));
            }
            let remarks = if remarks.is_empty() { String::new() } else { format!(" [{}]", remarks.join(", ")) };
            let _ = writeln!(text, "  {}{remarks}", sequence.words(id));
        }
    }
    text
}

fn quoted_file(name: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, ':' | ',' | ']' | '"');
    if !name.is_empty() && name.chars().all(plain) { name.into() } else { in_quotes(name) }
}
