//! What a proposition means in a state of a recorded execution: what the event is that has just happened, how far each
//! process is, and which values the variables have.

use std::borrow::Cow;

use threadbare_core::source::{Complaint, Result, Span};
use threadbare_logic::name::unquoted;
use threadbare_logic::{Form, Proposition};

use crate::sequence::{Event, EventId, NameId, OPERATIONS, Op, Part, Sequence, VariableId, counted};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Equal,
    Differs,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Comparison {
    fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Comparison::Equal => a == b,
            Comparison::Differs => a != b,
            Comparison::Less => a < b,
            Comparison::AtMost => a <= b,
            Comparison::More => a > b,
            Comparison::AtLeast => a >= b,
        }
    }

    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::Differs => "!=",
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::More => ">",
            Comparison::AtLeast => ">=",
        }
    }
}

/// A number of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    Process,
    Index,
    Version,
    Value,
    Pc,
    Line,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// About the event that has just happened; at the start and at the end there is none.
    Event(Pattern),
    /// `p0.evnt = 3`: the last event of a process; -1 before the first, and the number of its events when all is over.
    Counter { process: u32, comparison: Comparison, number: i64 },
    /// `a = 7`
    Value { variable: VariableId, comparison: Comparison, number: i64 },
    /// `aVer >= 1`
    Version { variable: VariableId, comparison: Comparison, number: i64 },
}

/// What an event must be. A part that is `None` does not matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// `p0.2`
    The(EventId),
    /// `p0.r(a,1)`: one part of the event is all of that.
    Part {
        process: Option<u32>,
        op: Option<Op>,
        object: Option<NameId>,
        version: Option<u32>,
    },
    /// `p0.evnt >= 2` where an event is spoken of, not a state: an event of that process.
    Of {
        process: u32,
        comparison: Comparison,
        number: i64,
    },
    /// `op = r`, `vid != a`, `label = full`
    Op(Op, bool),
    Object(NameId, bool),
    Label(String, bool),
    /// `ver >= 2`
    Number(Field, Comparison, i64),
}

impl Meaning {
    /// Whether it asks for values or versions of variables in a state.
    pub fn is_stateful(&self) -> bool {
        matches!(self, Meaning::Value { .. } | Meaning::Version { .. })
    }
}

impl Pattern {
    pub fn matches(&self, sequence: &Sequence, id: EventId) -> bool {
        let event = sequence.event(id);
        let some = |test: &dyn Fn(&Part) -> bool| event.parts.iter().any(test);
        match self {
            Pattern::The(this) => *this == id,
            Pattern::Part { process, op, object, version } => {
                process.is_none_or(|process| process == event.process)
                    && some(&|part| {
                        op.is_none_or(|op| op == part.op)
                            && object.is_none_or(|object| object == part.object)
                            && version.is_none_or(|version| version == part.version)
                    })
            }
            Pattern::Of { process, comparison, number } => {
                event.process == *process && comparison.holds(event.index.into(), *number)
            }
            Pattern::Op(op, equal) => some(&|part| part.op == *op) == *equal,
            Pattern::Object(object, equal) => some(&|part| part.object == *object) == *equal,
            Pattern::Label(label, equal) => {
                event.remarks.as_ref().is_some_and(|remarks| remarks.label.as_ref() == Some(label)) == *equal
            }
            Pattern::Number(field, comparison, number) => {
                numbers(sequence, event, *field).into_iter().any(|own| comparison.holds(own, *number))
            }
        }
    }
}

fn numbers(sequence: &Sequence, event: &Event, field: Field) -> Vec<i64> {
    let remarks = event.remarks.as_ref();
    match field {
        Field::Process => vec![event.process.into()],
        Field::Index => vec![event.index.into()],
        Field::Version => event.parts.iter().map(|part| part.version.into()).collect(),
        Field::Value => event.accesses.iter().filter_map(|a| sequence.value(a.variable, a.version)).collect(),
        // The number of an event is its program counter where no other is known.
        Field::Pc => vec![remarks.and_then(|remarks| remarks.pc).unwrap_or(event.index.into())],
        Field::Line => {
            remarks.and_then(|remarks| remarks.line.as_ref()).map(|(_, line)| (*line).into()).into_iter().collect()
        }
    }
}

/// What holds in a state: how far the processes are and which versions there are.
pub fn holds(meaning: &Meaning, sequence: &Sequence, counters: &[u32], versions: &[u32], over: bool) -> bool {
    match meaning {
        Meaning::Event(_) => false,
        Meaning::Counter { process, comparison, number } => {
            let count = i64::from(counters[*process as usize]);
            comparison.holds(if over { count } else { count - 1 }, *number)
        }
        Meaning::Value { variable, comparison, number } => sequence
            .value(*variable, versions[*variable as usize])
            .is_some_and(|value| comparison.holds(value, *number)),
        Meaning::Version { variable, comparison, number } => {
            comparison.holds(versions[*variable as usize].into(), *number)
        }
    }
}

pub fn meaning(sequence: &Sequence, proposition: &Proposition) -> Result<Meaning> {
    let reader = Reader { sequence, span: proposition.span };
    let (left, comparison) = split(&proposition.text);
    match (comparison, proposition.form) {
        (Some((comparison, right)), Form::Braces) => reader.state(left, comparison, right),
        (None, Form::Braces) => {
            Err(reader.complain("braces hold a comparison of a variable").note("as in `{q.head = 3}`"))
        }
        (Some((comparison, right)), Form::Word) => reader.comparison(left, comparison, right),
        (None, Form::Word) => reader.event(left),
    }
}

/// `a >= 7` into its sides.
fn split(text: &str) -> (&str, Option<(Comparison, &str)>) {
    use Comparison::*;
    const SIGNS: &[(&str, Comparison)] =
        &[("==", Equal), ("!=", Differs), ("<=", AtMost), (">=", AtLeast), ("=", Equal), ("<", Less), (">", More)];
    let found = SIGNS.iter().filter_map(|(sign, is)| find(text, sign).map(|at| (at, *sign, *is)));
    match found.min_by_key(|(at, sign, _)| (*at, std::cmp::Reverse(sign.len()))) {
        Some((at, sign, comparison)) => (text[..at].trim(), Some((comparison, text[at + sign.len()..].trim()))),
        None => (text.trim(), None),
    }
}

/// Where something stands, but for names in quotes.
fn find(text: &str, what: &str) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with(what) {
            return Some(at);
        }
        at += match unquoted(rest) {
            Ok((_, length)) if rest.starts_with('"') => length,
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    None
}

/// A name without its quotes, if it has any.
fn plain(name: &str) -> Cow<'_, str> {
    match unquoted(name) {
        Ok((inner, length)) if name.starts_with('"') && length == name.len() => Cow::Owned(inner),
        _ => Cow::Borrowed(name),
    }
}

/// So many names are listed in a message.
const LISTED: usize = 8;

struct Reader<'s> {
    sequence: &'s Sequence,
    span: Span,
}

impl Reader<'_> {
    fn complain(&self, message: impl Into<String>) -> Box<Complaint> {
        Complaint::at(self.span, message)
    }

    /// What names a process or an event that other executions of the program have, or else is a mistake.
    fn elsewhere(&self, mistake: Box<Complaint>) -> Result<Meaning> {
        // No event has this number.
        if self.sequence.is_open { Ok(Meaning::Event(Pattern::The(EventId::MAX))) } else { Err(mistake) }
    }

    fn number(&self, text: &str) -> Result<i64> {
        let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits.trim_start()));
        format!("{sign}{digits}").parse().map_err(|_| self.complain(format!("a number is needed, not `{text}`")))
    }

    fn comparison(&self, left: &str, comparison: Comparison, right: &str) -> Result<Meaning> {
        let equal = match comparison {
            Comparison::Equal => Some(true),
            Comparison::Differs => Some(false),
            _ => None,
        };
        let field = |field: Field| Ok(Meaning::Event(Pattern::Number(field, comparison, self.number(right)?)));
        let named =
            || equal.ok_or_else(|| self.complain(format!("`{left}` is equal to something or not, it has no order")));
        if let Some(process) = left.strip_suffix(".evnt") {
            let number = self.number(right)?;
            return match self.process(process) {
                Some(process) => Ok(Meaning::Counter { process, comparison, number }),
                None => self.elsewhere(self.no_process(process)),
            };
        }
        match left {
            "op" => {
                let op = Op::parse(right).ok_or_else(|| self.no_operation(right))?;
                Ok(Meaning::Event(Pattern::Op(op, named()?)))
            }
            "vid" => Ok(Meaning::Event(Pattern::Object(self.object(right)?, named()?))),
            "label" => Ok(Meaning::Event(Pattern::Label(plain(right).into(), named()?))),
            "run" | "prc" => match right.parse() {
                Ok(number) => Ok(Meaning::Event(Pattern::Number(Field::Process, comparison, number))),
                Err(_) => {
                    named()?;
                    let Some(process) = self.process(right) else { return self.elsewhere(self.no_process(right)) };
                    Ok(Meaning::Event(Pattern::Number(Field::Process, comparison, process.into())))
                }
            },
            "evnt" => field(Field::Index),
            "ver" => field(Field::Version),
            "val" => field(Field::Value),
            "pc" => field(Field::Pc),
            "line" => field(Field::Line),
            _ => self.state(left, comparison, right),
        }
    }

    /// A value or, as in `aVer`, a version.
    fn state(&self, left: &str, comparison: Comparison, right: &str) -> Result<Meaning> {
        let number = self.number(right)?;
        let name = left.strip_suffix(".Ver").or_else(|| left.strip_suffix("Ver"));
        if let Some(variable) = self.sequence.find_variable(&plain(left)) {
            let values = &self.sequence.variables[variable as usize].values;
            if values.is_empty() || values.contains(&None) {
                let missing = values.iter().position(Option::is_none);
                let which = missing.map_or(String::new(), |version| format!(" in version {version}"));
                let dot = if left.ends_with('"') { "." } else { "" };
                return Err(self
                    .complain(format!("the value of `{left}`{which} is not known"))
                    .note(format!("`var {left} = …` says it; `{left}{dot}Ver` is the number of its version")));
            }
            return Ok(Meaning::Value { variable, comparison, number });
        }
        match name.and_then(|name| self.sequence.find_variable(&plain(name))) {
            Some(variable) => Ok(Meaning::Version { variable, comparison, number }),
            None => Err(self.no_object(&plain(left))),
        }
    }

    /// `r(a)`, `p0.w(a,1)`, `*(x)`, `p0.3`
    fn event(&self, text: &str) -> Result<Meaning> {
        let Some((head, arguments)) = find(text, "(").map(|at| (&text[..at], &text[at + 1..])) else {
            let (process, index) = text.rsplit_once('.').unwrap_or((text, ""));
            let no_event = || {
                self.complain(format!("`{text}` is no event"))
                    .note("events are `p0.3`, `r(a)`, `w(a,1)`, `*(x)`, `op = r`, `label = full`; values are `a = 7`")
            };
            let Ok(index) = index.parse::<u32>() else { return Err(no_event()) };
            let Some(process) = self.process(process) else { return self.elsewhere(no_event()) };
            let events = self.sequence.processes[process as usize].events;
            if index >= events {
                let name = &self.sequence.processes[process as usize].name;
                let events = counted(events as usize, "event");
                return self.elsewhere(self.complain(format!("process `{name}` has {events}, from 0")));
            }
            return Ok(Meaning::Event(Pattern::The(self.sequence.event_at(process, index))));
        };
        let (process, word) = head.rsplit_once('.').map_or((None, head), |(process, op)| (Some(process), op));
        let process = match process.map(|name| self.process(name).ok_or(name)).transpose() {
            Ok(process) => process,
            Err(name) => return self.elsewhere(self.no_process(name)),
        };
        let op = match word.trim() {
            "*" => None,
            word => Some(Op::parse(word).ok_or_else(|| self.no_operation(word))?),
        };
        let arguments = arguments.strip_suffix(')').unwrap_or(arguments);
        let (object, version) = match find(arguments, ",") {
            Some(at) => (arguments[..at].trim(), Some(arguments[at + 1..].trim())),
            None => (arguments.trim(), None),
        };
        let object = if object == "*" { None } else { Some(self.object(object)?) };
        let version = version.filter(|version| *version != "*").map(|version| {
            version
                .parse::<u32>()
                .map_err(|_| self.complain(format!("the number of a version is needed, not `{version}`")))
        });
        Ok(Meaning::Event(Pattern::Part { process, op, object, version: version.transpose()? }))
    }

    /// By its name, or `p3` by its number.
    fn process(&self, name: &str) -> Option<u32> {
        let processes = &self.sequence.processes;
        let named = processes.iter().position(|process| process.name == plain(name));
        let number = || name.strip_prefix('p')?.parse().ok().filter(|&number: &usize| number < processes.len());
        named.or_else(number).map(|number| number as u32)
    }

    fn object(&self, name: &str) -> Result<NameId> {
        // No event has this number.
        let nobody = self.sequence.is_open.then_some(NameId::MAX);
        if let (true, Err(message)) = (name.starts_with('"'), unquoted(name)) {
            return Err(self.complain(message));
        }
        let name = plain(name);
        self.sequence.find_name(&name).or(nobody).ok_or_else(|| self.no_object(&name))
    }

    fn no_object(&self, name: &str) -> Box<Complaint> {
        let complaint = self.complain(format!("nothing is called `{name}` in this sequence"));
        let mut known: Vec<&str> = Vec::new();
        for part in self.sequence.events.iter().flat_map(|event| &event.parts) {
            let name = self.sequence.names[part.object as usize].as_str();
            if !known.contains(&name) {
                known.push(name);
            }
            if known.len() > LISTED {
                break;
            }
        }
        if known.is_empty() { complaint } else { complaint.note(format!("there is {}", listed(&known))) }
    }

    fn no_process(&self, name: &str) -> Box<Complaint> {
        let known: Vec<&str> = self.sequence.processes.iter().map(|process| process.name.as_str()).collect();
        self.complain(format!("there is no process `{name}`"))
            .note(format!("there is {}, and `p0` is the first", listed(&known)))
    }

    fn no_operation(&self, word: &str) -> Box<Complaint> {
        let names: Vec<&str> = OPERATIONS.iter().map(|(_, names)| names[0]).collect();
        self.complain(format!("there is no operation `{word}`")).note(format!("there is {}", listed(&names)))
    }
}

fn listed(names: &[&str]) -> String {
    let most = names.len().min(OPERATIONS.len());
    let quoted: Vec<String> = names[..most].iter().map(|name| format!("`{name}`")).collect();
    format!("{}{}", quoted.join(", "), if names.len() > most { " and others" } else { "" })
}

/// A proposition where an event is spoken of, not a state.
pub fn about_event(meaning: &Meaning) -> Meaning {
    match *meaning {
        Meaning::Counter { process, comparison, number } => Meaning::Event(Pattern::Of { process, comparison, number }),
        _ => meaning.clone(),
    }
}

/// What holds of an event by itself.
pub fn of_event(meaning: &Meaning, sequence: &Sequence, id: EventId) -> bool {
    matches!(about_event(meaning), Meaning::Event(pattern) if pattern.matches(sequence, id))
}
