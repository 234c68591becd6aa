//! What a proposition means in a state of a recorded execution: what the event is that has just happened, how far each
//! process is, and which values the variables have.

use threadbare_logic::Proposition;

pub use crate::naming::meaning;
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
    fn holds(self, a: Value, b: Value) -> bool {
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
    Counter { process: u32, comparison: Comparison, number: Value },
    /// `a = 7`
    Value { variable: VariableId, comparison: Comparison, number: Value },
    /// `aVer >= 1`
    Version { variable: VariableId, comparison: Comparison, number: Value },
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

pub(crate) fn numbers(sequence: &Sequence, event: &Event, field: Field) -> Vec<Value> {
    let remarks = event.remarks.as_ref();
    match field {
        Field::Process => vec![event.process.into()],
        Field::Index => vec![event.index.into()],
        Field::Version => event.parts.iter().map(|part| part.version.into()).collect(),
        Field::Value => event.accesses.iter().filter_map(|a| sequence.value(a.variable, a.version)).collect(),
        // The number of an event is its program counter where no other is known.
        Field::Pc => vec![remarks.and_then(|remarks| remarks.pc).map_or(event.index.into(), Value::from)],
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
            let count = Value::from(counters[*process as usize]);
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

/// What is said of events and fits none of them: a formula says little then.
pub fn remarks(sequence: &Sequence, propositions: &[Proposition]) -> Vec<String> {
    let fits_none = |proposition: &&Proposition| match meaning(sequence, proposition) {
        Ok(Meaning::Event(pattern)) => {
            !(0..sequence.events.len() as EventId).any(|event| pattern.matches(sequence, event))
        }
        _ => false,
    };
    propositions.iter().filter(fits_none).map(|proposition| format!("no event is `{proposition}`")).collect()
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
