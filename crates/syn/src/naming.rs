//! What the words of a proposition name in a sequence: events, processes, objects, versions. A name that nobody has is a mistake, told with
//! those that there are. If the sequence is open, other executions of the program may have it.

use std::borrow::Cow;

use threadbare_core::source::{Complaint, Result, Span};
use threadbare_core::words::count;
use threadbare_logic::name::unquoted;
use threadbare_logic::{Form, Proposition};

use crate::log::place;
use crate::proposition::{Comparison, Field, Meaning, Pattern, is_line, numbers};
use crate::sequence::{EventId, NameId, OPERATIONS, Op, Part, Process, Sequence, Value, VariableId};

/// Names that a proposition may mean a variable by, if it asks for what one is in a state.
pub fn variables_named(proposition: &Proposition) -> Vec<String> {
    let (left, comparison) = split(&proposition.text);
    let names = [Some(left), without_ver(left)].into_iter().flatten().filter(|_| comparison.is_some());
    names.map(|name| plain(name).into_owned()).collect()
}

/// `a` of `aVer`, `a.Ver`.
fn without_ver(name: &str) -> Option<&str> {
    name.strip_suffix(".Ver").or_else(|| name.strip_suffix("Ver"))
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

/// Which values there are.
pub const RANGE: &str = "values go from -2^127 to 2^127 - 1";

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

    fn number(&self, text: &str) -> Result<Value> {
        let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits.trim_start()));
        format!("{sign}{digits}").parse().map_err(|_| match digits.bytes().all(|byte| byte.is_ascii_digit()) {
            true if !digits.is_empty() => self.complain("this number is too large").note(RANGE),
            _ => self.complain(format!("a number is needed, not `{text}`")),
        })
    }

    /// An event like that, which there must be: a name or a number that nobody has is a mistake, or else other executions have it.
    fn there_is(&self, pattern: Pattern, is_there: bool, mistake: impl FnOnce() -> Box<Complaint>) -> Result<Meaning> {
        if is_there || self.sequence.is_open { Ok(Meaning::Event(pattern)) } else { Err(mistake()) }
    }

    fn comparison(&self, left: &str, comparison: Comparison, right: &str) -> Result<Meaning> {
        let equal = match comparison {
            Comparison::Equal => Some(true),
            Comparison::Differs => Some(false),
            _ => None,
        };
        let named =
            || equal.ok_or_else(|| self.complain(format!("`{left}` is equal to something or not, it has no order")));
        if let Some(process) = left.strip_suffix(".evnt") {
            return self.counter(process, comparison, self.number(right)?, equal.is_some());
        }
        match left {
            "op" => {
                let op = Op::parse(right).ok_or_else(|| self.no_operation(right))?;
                Ok(Meaning::Event(Pattern::Op(op, named()?)))
            }
            "vid" => Ok(Meaning::Event(Pattern::Object(self.object(right)?, named()?))),
            "label" => self.label(&plain(right), named()?),
            "run" | "prc" => match self.process_of_run(right, equal.is_some())? {
                Some(number) => Ok(Meaning::Event(Pattern::Number(Field::Process, comparison, number))),
                None => self.elsewhere(self.no_process(right)),
            },
            "evnt" => self.field(Field::Index, left, comparison, right),
            "ver" => self.field(Field::Version, left, comparison, right),
            "val" => self.field(Field::Value, left, comparison, right),
            "pc" => self.field(Field::Pc, left, comparison, right),
            "line" => match place(&plain(right)) {
                Some((file, line)) => self.line(&file, line, named()?),
                None => self.field(Field::Line, left, comparison, right),
            },
            _ => self.state(left, comparison, right),
        }
    }

    fn label(&self, label: &str, equal: bool) -> Result<Meaning> {
        let labels = || {
            let remarks = self.sequence.events.iter().filter_map(|event| event.remarks.as_deref());
            remarks.filter_map(|remarks| remarks.label.as_deref())
        };
        self.there_is(Pattern::Label(label.into(), equal), labels().any(|known| known == label), || {
            let complaint = self.complain(format!("no event has the label `{label}`"));
            match first_of(labels()).as_slice() {
                [] => complaint.note("there are no labels in this sequence"),
                known => complaint.note(format!("there is {}", listed(known))),
            }
        })
    }

    /// `line = queue.c:12`
    fn line(&self, file: &str, line: u32, equal: bool) -> Result<Meaning> {
        let lines = || {
            let remarks = self.sequence.events.iter().filter_map(|event| event.remarks.as_deref());
            remarks.filter_map(|remarks| remarks.line.as_ref())
        };
        let is_there = lines().any(|known| is_line(known, file, line));
        self.there_is(Pattern::Line(file.into(), line, equal), is_there, || {
            let complaint = self.complain(format!("no event has the line `{file}:{line}`"));
            let known: Vec<String> = lines().map(|(file, line)| format!("{file}:{line}")).collect();
            match first_of(known.iter().map(String::as_str)).as_slice() {
                [] => complaint.note("there are no lines in this sequence"),
                known => complaint.note(format!("there is {}", listed(known))),
            }
        })
    }

    /// `ver >= 2`. Which values there are is a question; the other numbers are names of something.
    fn field(&self, field: Field, word: &str, comparison: Comparison, right: &str) -> Result<Meaning> {
        let number = self.number(right)?;
        let all = || self.sequence.events.iter().flat_map(|event| numbers(self.sequence, event, field));
        let is_name = field != Field::Value && matches!(comparison, Comparison::Equal | Comparison::Differs);
        self.there_is(
            Pattern::Number(field, comparison, number),
            !is_name || all().any(|known| known == number),
            || {
                let complaint = self.complain(format!("no event has `{word} = {number}`"));
                match (all().min(), all().max()) {
                    (Some(least), Some(most)) => complaint.note(format!("`{word}` goes from {least} to {most}")),
                    _ => complaint.note(format!("no event has a `{word}` in this sequence")),
                }
            },
        )
    }

    /// `p0.evnt = 3`
    fn counter(&self, name: &str, comparison: Comparison, number: Value, is_name: bool) -> Result<Meaning> {
        let Some(process) = self.process(name)? else { return self.elsewhere(self.no_process(name)) };
        let events = self.sequence.processes[process as usize].events;
        if is_name && !(-1..=Value::from(events)).contains(&number) && !self.sequence.is_open {
            return Err(self.no_event(process, number));
        }
        Ok(Meaning::Counter { process, comparison, number })
    }

    fn no_event(&self, process: u32, number: Value) -> Box<Complaint> {
        let process = &self.sequence.processes[process as usize];
        let events = count(process.events as usize, "event");
        self.complain(format!("process `{}` has no event {number}", process.name))
            .note(format!("it has {events}, from 0"))
    }

    /// The process of `run = 1`: by its number, unless processes are called by other numbers; or by its name.
    fn process_of_run(&self, right: &str, is_name: bool) -> Result<Option<Value>> {
        let processes = &self.sequence.processes;
        let Ok(number) = right.parse::<Value>() else {
            if !is_name {
                return Err(self.complain("a process has a name, which has no order; its number has one"));
            }
            return Ok(self.process(right)?.map(Value::from));
        };
        let other = |(index, process): (usize, &Process)| process.name.parse().is_ok_and(|name: usize| name != index);
        if is_name && processes.iter().enumerate().any(other) {
            return Ok(processes.iter().position(|process| process.name == right).map(|index| index as Value));
        }
        let is_there = !is_name || (0..processes.len() as Value).contains(&number);
        Ok(is_there.then_some(number))
    }

    /// A value or, as in `aVer`, a version.
    fn state(&self, left: &str, comparison: Comparison, right: &str) -> Result<Meaning> {
        let number = self.number(right)?;
        let name = without_ver(left);
        if let Some(variable) = self.sequence.find_variable(&plain(left)) {
            let values = &self.sequence.variables[variable as usize].values;
            if values.is_empty() {
                let dot = if left.ends_with(['"', ']']) { "." } else { "" };
                return self.unless_elsewhere(
                    self.complain(format!("the value of `{left}` is not known"))
                        .note(format!("`var {left} = …` says it; `{left}{dot}Ver` is the number of its version")),
                );
            }
            return Ok(Meaning::Value { variable, comparison, number });
        }
        if let Some(variable) = name.and_then(|name| self.sequence.find_variable(&plain(name))) {
            let is_name = matches!(comparison, Comparison::Equal | Comparison::Differs);
            let newest = self.newest(variable);
            if is_name && !(0..=newest).contains(&number) && !self.sequence.is_open {
                return Err(self.no_version(self.sequence.variable_name(variable), number, 0, newest));
            }
            return Ok(Meaning::Version { variable, comparison, number });
        }
        for mailbox in [Some(left), name].into_iter().flatten() {
            if self.sequence.find_name(&plain(mailbox)).is_some_and(|name| self.sequence.is_mailbox(name)) {
                return Err(self
                    .complain(format!("`{mailbox}` is a mailbox, which has neither a value nor a version"))
                    .note(format!("its messages are `send({mailbox},1)`, `receive({mailbox},1)`")));
            }
        }
        self.unless_elsewhere(self.no_object(&plain(left)))
    }

    /// What a variable is that only other executions of the program have, or else a mistake.
    fn unless_elsewhere(&self, mistake: Box<Complaint>) -> Result<Meaning> {
        if self.sequence.is_open { Ok(Meaning::Elsewhere) } else { Err(mistake) }
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
            let Some(process) = self.process(process)? else { return self.elsewhere(self.no_process(process)) };
            if index >= self.sequence.processes[process as usize].events {
                return self.elsewhere(self.no_event(process, index.into()));
            }
            return Ok(Meaning::Event(Pattern::The(self.sequence.event_at(process, index))));
        };
        let (process, word) = head.rsplit_once('.').map_or((None, head), |(process, op)| (Some(process), op));
        let process = match process {
            None => None,
            Some(name) => match self.process(name)? {
                None => return self.elsewhere(self.no_process(name)),
                known => known,
            },
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
        let version = version.transpose()?;
        let is_there = |part: Part| {
            object.is_none_or(|object| object == part.object) && version.is_none_or(|version| version == part.version)
        };
        let mail = object.is_some_and(|object| self.sequence.is_mailbox(object));
        let is_there = version.is_none()
            || version == Some(0) && object.is_some() && !mail
            || self.sequence.events.iter().any(|event| self.sequence.aspects(event).any(is_there));
        self.there_is(Pattern::Part { process, op, object, version }, is_there, || {
            let parts = self.sequence.events.iter().flat_map(|event| &event.parts);
            let own = parts.filter(|part| object.is_none_or(|object| object == part.object));
            let newest = own.map(|part| part.version).max().unwrap_or(0).into();
            let number = version.unwrap_or(0).into();
            match object {
                None => self.complain(format!("nothing has a version {number}")),
                Some(_) if mail => {
                    let name = &self.sequence.names[object.unwrap_or(0) as usize];
                    self.complain(format!("`{name}` has no message {number}"))
                        .note(format!("messages are counted from 1; there are {newest}"))
                }
                Some(object) => self.no_version(&self.sequence.names[object as usize], number, 0, newest),
            }
        })
    }

    fn no_version(&self, name: &str, number: Value, least: Value, newest: Value) -> Box<Complaint> {
        let complaint = self.complain(format!("`{name}` has no version {number}"));
        complaint.note(format!("its versions are {least} to {newest}"))
    }

    fn newest(&self, variable: VariableId) -> Value {
        let all = self.sequence.events.iter().flat_map(|event| &event.accesses);
        all.filter(|access| access.variable == variable).map(|access| access.version).max().unwrap_or(0).into()
    }

    /// By its name, by what it is where there is one such (`main`), or `p3` by its number, unless others are called so.
    fn process(&self, name: &str) -> Result<Option<u32>> {
        let processes = &self.sequence.processes;
        let name = plain(name);
        if let Some(named) = processes.iter().position(|process| process.name == name) {
            return Ok(Some(named as u32));
        }
        let role: Vec<usize> = (0..processes.len()).filter(|&number| processes[number].role == name).collect();
        match role.as_slice() {
            [] => {}
            [one] => return Ok(Some(*one as u32)),
            several => {
                let names = first_of(several.iter().map(|&number| processes[number].name.as_str()));
                let message = format!("{} processes are `{name}`: {}", several.len(), listed(&names));
                return Err(self.complain(message).note("call the one that is meant by its own name"));
            }
        }
        Ok(number_of(&name)
            .filter(|&number| number < processes.len() && self.has_numbers())
            .map(|number| number as u32))
    }

    /// Whether `p3` may be process 3: nobody else has such a name.
    fn has_numbers(&self) -> bool {
        let fits = |(index, process): (usize, &Process)| number_of(&process.name).is_none_or(|number| number == index);
        self.sequence.processes.iter().enumerate().all(fits)
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
        let parts = self.sequence.events.iter().flat_map(|event| &event.parts);
        let known = first_of(parts.map(|part| self.sequence.names[part.object as usize].as_str()));
        if known.is_empty() { complaint } else { complaint.note(format!("there is {}", listed(&known))) }
    }

    fn no_process(&self, name: &str) -> Box<Complaint> {
        let known = first_of(self.sequence.processes.iter().map(|process| process.name.as_str()));
        let numbers = if self.has_numbers() { ", and `p0` is the first" } else { "" };
        self.complain(format!("there is no process `{}`", plain(name)))
            .note(format!("there is {}{numbers}", listed(&known)))
    }

    fn no_operation(&self, word: &str) -> Box<Complaint> {
        let names: Vec<&str> = OPERATIONS.iter().map(|(_, names)| names[0]).collect();
        self.complain(format!("there is no operation `{word}`")).note(format!("there is {}", listed(&names)))
    }
}

/// `3` of `p3`.
fn number_of(name: &str) -> Option<usize> {
    name.strip_prefix('p')?.parse().ok()
}

/// The first of these, each once: one more than are listed.
fn first_of<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut known: Vec<&str> = Vec::new();
    for name in names {
        if !known.contains(&name) {
            known.push(name);
        }
        if known.len() > LISTED {
            break;
        }
    }
    known
}

fn listed(names: &[&str]) -> String {
    // All operations are.
    let most = if names.len() == OPERATIONS.len() { names.len() } else { names.len().min(LISTED) };
    let quoted: Vec<String> = names[..most].iter().map(|name| format!("`{name}`")).collect();
    format!("{}{}", quoted.join(", "), if names.len() > most { " and others" } else { "" })
}
