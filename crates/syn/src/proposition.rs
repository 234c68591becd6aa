//! What a proposition means in a state of a recorded execution: what the event is that has just happened, how far each
//! process is, and which values the variables have.

use threadbare_logic::Proposition;
use threadbare_logic::semantics::Letter;

pub use crate::naming::{meaning, variables_named};
use crate::sequence::{Event, EventId, NameId, Op, Part, Sequence, Value, VariableId};

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
    pub(crate) fn holds(self, a: Value, b: Value) -> bool {
        match self {
            Comparison::Equal => a == b,
            Comparison::Differs => a != b,
            Comparison::Less => a < b,
            Comparison::AtMost => a <= b,
            Comparison::More => a > b,
            Comparison::AtLeast => a >= b,
        }
    }

    /// Whether some of the numbers of an event are so; `!=` is the contrary of `=`, so none of them is.
    fn holds_of(self, numbers: &[Value], number: Value) -> bool {
        match self {
            Comparison::Differs => !numbers.contains(&number),
            _ => numbers.iter().any(|own| self.holds(*own, number)),
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
    Counter { process: u32, comparison: Comparison, number: Value },
    /// `a = 7`
    Value { variable: VariableId, comparison: Comparison, number: Value },
    /// `aVer >= 1`
    Version { variable: VariableId, comparison: Comparison, number: Value },
    /// A variable that only other executions have, as far as is known: of an open sequence.
    Elsewhere,
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
        number: Value,
    },
    /// `op = r`, `vid != a`, `label = full`
    Op(Op, bool),
    Object(NameId, bool),
    Label(String, bool),
    /// `ver >= 2`
    Number(Field, Comparison, Value),
    /// `line = queue.c:12`
    Line(String, u32, bool),
}

impl Meaning {
    /// Whether it asks for values or versions of variables in a state.
    pub fn is_stateful(&self) -> bool {
        matches!(self, Meaning::Value { .. } | Meaning::Version { .. } | Meaning::Elsewhere)
    }
}

impl Pattern {
    /// Whether an event is like that; None where that hangs on a value that is not known.
    pub fn matches(&self, sequence: &Sequence, id: EventId) -> Option<bool> {
        if let Pattern::Number(Field::Value, comparison, number) = self {
            let mut values = sequence.touched(sequence.event(id)).filter(|(v, _)| sequence.has_values(*v));
            let is_unknown = values.any(|(v, version)| sequence.value(v, version).is_none());
            let known = comparison.holds_of(&numbers(sequence, sequence.event(id), Field::Value), *number);
            // One value is enough for an answer, and the other way round for `!=`.
            return Some(known).filter(|known| !is_unknown || *known == (*comparison != Comparison::Differs));
        }
        Some(self.matches_what_is_known(sequence, id))
    }

    fn matches_what_is_known(&self, sequence: &Sequence, id: EventId) -> bool {
        let event = sequence.event(id);
        let some = |test: &dyn Fn(&Part) -> bool| sequence.aspects(event).any(|part| test(&part));
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
                comparison.holds_of(&numbers(sequence, event, *field), *number)
            }
            Pattern::Line(file, line, equal) => {
                let known = event.remarks.as_ref().and_then(|remarks| remarks.line.as_ref());
                known.is_some_and(|known| is_line(known, file, *line)) == *equal
            }
        }
    }
}

pub(crate) fn numbers(sequence: &Sequence, event: &Event, field: Field) -> Vec<Value> {
    let remarks = event.remarks.as_ref();
    match field {
        Field::Process => vec![event.process.into()],
        Field::Index => vec![event.index.into()],
        Field::Version => sequence.aspects(event).map(|part| part.version.into()).collect(),
        Field::Value => sequence.touched(event).filter_map(|(v, version)| sequence.value(v, version)).collect(),
        Field::Pc => remarks.and_then(|remarks| remarks.pc).map(Value::from).into_iter().collect(),
        Field::Line => {
            remarks.and_then(|remarks| remarks.line.as_ref()).map(|(_, line)| (*line).into()).into_iter().collect()
        }
    }
}

/// A file may be called by the end of its path.
pub(crate) fn is_line((known, at): &(String, u32), file: &str, line: u32) -> bool {
    *at == line && known.strip_suffix(file).is_some_and(|folders| folders.is_empty() || folders.ends_with('/'))
}

/// What holds in a state: how far the processes are and which versions there are. None where a value is asked for that is not known.
pub fn holds(meaning: &Meaning, sequence: &Sequence, counters: &[u32], versions: &[u32], over: bool) -> Option<bool> {
    Some(match meaning {
        Meaning::Event(_) | Meaning::Elsewhere => false,
        Meaning::Counter { process, comparison, number } => {
            let count = Value::from(counters[*process as usize]);
            comparison.holds(if over { count } else { count - 1 }, *number)
        }
        Meaning::Value { variable, comparison, number } => {
            comparison.holds(sequence.value(*variable, versions[*variable as usize])?, *number)
        }
        Meaning::Version { variable, comparison, number } => {
            comparison.holds(versions[*variable as usize].into(), *number)
        }
    })
}

/// Whether a proposition about events may fit one of them. None if it is about something else, or names what there is not.
pub fn fits(sequence: &Sequence, proposition: &Proposition) -> Option<bool> {
    let Ok(Meaning::Event(pattern)) = meaning(sequence, proposition) else { return None };
    let mut events = 0..sequence.events.len() as EventId;
    Some(events.any(|event| pattern.matches(sequence, event) != Some(false)))
}

/// A proposition where an event is spoken of, not a state.
pub fn about_event(meaning: &Meaning) -> Meaning {
    match *meaning {
        Meaning::Counter { process, comparison, number } => Meaning::Event(Pattern::Of { process, comparison, number }),
        _ => meaning.clone(),
    }
}

/// What holds of an event by itself; None where that hangs on a value that is not known.
pub fn of_event(meaning: &Meaning, sequence: &Sequence, id: EventId) -> Option<bool> {
    match about_event(meaning) {
        Meaning::Event(pattern) => pattern.matches(sequence, id),
        _ => Some(false),
    }
}

/// The letter of an event by itself, where `assumed` has what is not known.
pub fn letter_of_event(meanings: &[Meaning], assumed: Letter, sequence: &Sequence, id: EventId) -> Letter {
    let is = |bit: u32, meaning| of_event(meaning, sequence, id).unwrap_or(assumed >> bit & 1 == 1);
    (0..).zip(meanings).fold(0, |letter, (bit, meaning)| letter | Letter::from(is(bit, meaning)) << bit)
}
