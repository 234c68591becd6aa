//! A SYN-sequence: for each process of a recorded execution its events in their order, with the versions of what they
//! touched. (Y.-Y. Lee: "The formal verification of SYN-sequences generated in dynamic testing", 2009, section 3.1.)
//!
//! What differs: an event may touch several variables at once, as a step of a program does, and operations on locks, semaphores and
//! mailboxes are events in their own right, which are reduced to reads and writes here.

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use threadbare_core::Mode;
use threadbare_core::source::Span;
use threadbare_logic::name::quoted;

/// What an event does, as people say it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Read,
    Write,
    /// Reads and writes at once.
    Update,
    Lock,
    Unlock,
    Wait,
    Post,
    Send,
    Receive,
    Create,
    Join,
    /// Whatever else orders processes.
    Sync,
}

/// Every operation with its names; the first is the one that is written.
pub const OPERATIONS: &[(Op, &[&str])] = &[
    (Op::Read, &["r", "read"]),
    (Op::Write, &["w", "write"]),
    (Op::Update, &["rw", "update"]),
    (Op::Lock, &["lock", "acquire"]),
    (Op::Unlock, &["unlock"]),
    (Op::Wait, &["wait", "P"]),
    (Op::Post, &["post", "V"]),
    (Op::Send, &["send"]),
    (Op::Receive, &["receive", "recv"]),
    (Op::Create, &["create"]),
    (Op::Join, &["join"]),
    (Op::Sync, &["sync"]),
];

impl Op {
    /// Logs have them in capital letters, too.
    pub fn parse(word: &str) -> Option<Op> {
        let is_so = |name: &&str| name.eq_ignore_ascii_case(word);
        OPERATIONS.iter().find(|(_, names)| names.iter().any(is_so)).map(|(op, _)| *op)
    }

    pub fn name(self) -> &'static str {
        OPERATIONS.iter().find(|(op, _)| *op == self).map_or("?", |(_, names)| names[0])
    }

    /// Whether it leaves its object as it was.
    pub fn only_reads(self) -> bool {
        self == Op::Read
    }
}

/// Before the names of hidden variables: nobody else has such a name.
const HIDDEN: char = '\0';

/// A name of the sequence, by its number.
pub type NameId = u32;
/// A variable, by its number.
pub type VariableId = u32;
/// An event: those of the first process come first, in their order.
pub type EventId = u32;
/// What a variable is in one of its versions: every integer of C fits.
pub type Value = i128;

/// What a hidden variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mail {
    /// Where messages are put in, one behind the other.
    In,
    /// Where they are taken out.
    Out,
    Message,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: NameId,
    /// Of each version, where it is known; empty where none is.
    pub values: Vec<Option<Value>>,
    /// Where the values are declared.
    pub span: Span,
    /// It belongs to a mailbox, and people do not know it.
    pub hidden: Option<Mail>,
}

/// A variable in one of its versions: the one that is read, or that is there after the write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub variable: VariableId,
    pub mode: Mode,
    pub version: u32,
}

/// An operation on one object, as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub op: Op,
    pub object: NameId,
    pub version: u32,
}

impl Part {
    /// The part itself, and what it is besides: an update reads the version before, and writes its own.
    pub fn aspects(self) -> SmallVec<[Part; 3]> {
        match self.op {
            Op::Update => smallvec![
                self,
                Part { op: Op::Read, version: self.version.saturating_sub(1), ..self },
                Part { op: Op::Write, ..self }
            ],
            _ => smallvec![self],
        }
    }
}

/// What else is known of an event.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Remarks {
    pub pc: Option<i64>,
    /// `queue.c:12`
    pub line: Option<(String, u32)>,
    pub label: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    pub process: u32,
    /// In its process, from 0.
    pub index: u32,
    pub parts: SmallVec<[Part; 1]>,
    pub accesses: SmallVec<[Access; 1]>,
    pub remarks: Option<Box<Remarks>>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    pub name: String,
    /// What it is, where that is known: the function that a thread runs.
    pub role: String,
    /// Its events are `first .. first + events`.
    pub first: EventId,
    pub events: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Sequence {
    pub names: Vec<String>,
    numbers: FxHashMap<String, NameId>,
    pub variables: Vec<Variable>,
    by_name: FxHashMap<NameId, VariableId>,
    pub processes: Vec<Process>,
    pub events: Vec<Event>,
    /// Formulas may name objects that are not in it: other executions of the program have them.
    pub is_open: bool,
    /// The error that the execution ends in: the sequence is the beginning of one.
    pub error: Option<String>,
}

impl Sequence {
    pub fn name(&mut self, text: &str) -> NameId {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let number = self.names.len() as NameId;
        self.names.push(text.to_string());
        self.numbers.insert(text.to_string(), number);
        number
    }

    pub fn find_name(&self, text: &str) -> Option<NameId> {
        self.numbers.get(text).copied()
    }

    pub fn variable(&mut self, name: NameId) -> VariableId {
        self.add_variable(name, None)
    }

    fn add_variable(&mut self, name: NameId, hidden: Option<Mail>) -> VariableId {
        let next = self.variables.len() as VariableId;
        let variable = *self.by_name.entry(name).or_insert(next);
        if variable == next {
            self.variables.push(Variable { name, values: Vec::new(), span: Span::default(), hidden });
        }
        variable
    }

    /// A variable that people know.
    pub fn find_variable(&self, text: &str) -> Option<VariableId> {
        self.variable_of(self.find_name(text)?)
    }

    /// The variable of an object, if it is one that people know.
    fn variable_of(&self, object: NameId) -> Option<VariableId> {
        let variable = *self.by_name.get(&object)?;
        Some(variable).filter(|&variable| self.variables[variable as usize].hidden.is_none())
    }

    /// A variable that nobody touches, so that it has one version; other executions of the program have it.
    pub fn add_untouched(&mut self, name: &str, value: Option<Value>) {
        let name = self.name(name);
        let variable = self.variable(name) as usize;
        self.variables[variable].values = vec![value];
    }

    pub fn variable_name(&self, variable: VariableId) -> &str {
        self.names[self.variables[variable as usize].name as usize].trim_start_matches(HIDDEN)
    }

    pub fn add_process(&mut self, name: impl Into<String>, role: impl Into<String>) {
        let first = self.events.len() as EventId;
        self.processes.push(Process { name: name.into(), role: role.into(), first, events: 0 });
    }

    /// One more event of the last process.
    pub fn add_event(&mut self, parts: SmallVec<[Part; 1]>, remarks: Remarks, span: Span) -> EventId {
        let mut accesses: SmallVec<[Access; 1]> = SmallVec::new();
        for part in &parts {
            for access in self.reduced(*part) {
                if !accesses.contains(&access) {
                    accesses.push(access);
                }
            }
        }
        let process = self.processes.len() as u32 - 1;
        let own = self.processes.last_mut().expect("an event belongs to a process");
        let index = own.events;
        own.events += 1;
        let remarks = (remarks != Remarks::default()).then(|| Box::new(remarks));
        self.events.push(Event { process, index, parts, accesses, remarks, span });
        self.events.len() as EventId - 1
    }

    /// An operation as reads and writes. Each operation on a lock or a semaphore is a write: they come one after the other.
    /// A mailbox is a row of messages with two ends: sends follow each other at one end, receives at the other, and a receive
    /// reads the message that its send has written. So a send does not wait for receives.
    fn reduced(&mut self, part: Part) -> SmallVec<[Access; 2]> {
        let (read, write) = (Mode::Read, Mode::Write);
        let access = |variable, mode, version| Access { variable, mode, version };
        match part.op {
            Op::Send | Op::Receive => {
                let object = self.names[part.object as usize].clone();
                let mut hidden = |name: String, what: Mail| {
                    let name = self.name(&name);
                    self.add_variable(name, Some(what))
                };
                let sends = part.op == Op::Send;
                let (which, is) = if sends { ("in", Mail::In) } else { ("out", Mail::Out) };
                let end = hidden(format!("{HIDDEN}{object} ({which})"), is);
                let message = hidden(format!("{HIDDEN}{object} (message {})", part.version), Mail::Message);
                let mode = if sends { write } else { read };
                smallvec![access(end, write, part.version), access(message, mode, 1)]
            }
            op => {
                let variable = self.variable(part.object);
                smallvec![access(variable, if op.only_reads() { read } else { write }, part.version)]
            }
        }
    }

    /// Whether a message was sent into it, or received from it.
    pub fn is_mailbox(&self, name: NameId) -> bool {
        let mail = |part: &Part| part.object == name && matches!(part.op, Op::Send | Op::Receive);
        self.events.iter().any(|event| event.parts.iter().any(mail))
    }

    /// What an event is in all its parts.
    pub fn aspects<'e>(&self, event: &'e Event) -> impl Iterator<Item = Part> + use<'e> {
        event.parts.iter().flat_map(|part| part.aspects())
    }

    /// The versions of variables that an event reads and writes.
    pub fn touched(&self, event: &Event) -> impl Iterator<Item = (VariableId, u32)> {
        self.aspects(event).filter_map(|part| Some((self.variable_of(part.object)?, part.version)))
    }

    pub fn event(&self, event: EventId) -> &Event {
        &self.events[event as usize]
    }

    pub fn event_at(&self, process: u32, index: u32) -> EventId {
        self.processes[process as usize].first + index
    }

    /// `r(a,0)`
    pub fn part_words(&self, part: &Part) -> String {
        format!("{}({},{})", part.op.name(), quoted(&self.names[part.object as usize]), part.version)
    }

    /// The same of each part, with `+`.
    pub fn words(&self, event: EventId) -> String {
        self.event(event).parts.iter().map(|part| self.part_words(part)).collect::<Vec<_>>().join("+")
    }

    /// `r(a,0) = 4` for each part.
    pub fn words_with_values(&self, event: EventId) -> Vec<String> {
        let words = |part: &Part| {
            let value = self.variable_of(part.object).and_then(|variable| self.value(variable, part.version));
            let value = value.map_or(String::new(), |value| format!(" = {value}"));
            format!("{}{value}", self.part_words(part))
        };
        self.event(event).parts.iter().map(words).collect()
    }

    /// `main.2 r(a,1)`, as formulas call it.
    pub fn called(&self, event: EventId) -> String {
        let at = self.event(event);
        let process = quoted(&self.processes[at.process as usize].name);
        format!("{process}.{} {}", at.index, self.words(event))
    }

    /// Whether values of a variable were recorded, though some may not be known. Locks and their like have none.
    pub fn has_values(&self, variable: VariableId) -> bool {
        !self.variables[variable as usize].values.is_empty()
    }

    /// The value of a variable in one of its versions.
    pub fn value(&self, variable: VariableId, version: u32) -> Option<Value> {
        self.variables[variable as usize].values.get(version as usize).copied().flatten()
    }
}
