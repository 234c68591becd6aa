//! What is worth a word besides the answer: a formula that says less than it seems to, a log that is not what people take it for.

use rustc_hash::FxHashMap;
use threadbare_logic::{Expr, Kind, Specification, Unary};

use crate::answer::Model;
use crate::proposition::{Meaning, fits};
use crate::sequence::{EventId, NameId, Op, Sequence};
use crate::unknown;
use crate::verify::meanings;

/// What a formula says of events and fits none, what it asks of the start, and values that it asks for and that did not matter.
pub fn remarks(
    sequence: &Sequence,
    specification: &Specification,
    model: Option<Model>,
    is_answered: bool,
) -> Vec<String> {
    let none = specification.propositions.iter().filter(|proposition| fits(sequence, proposition) == Some(false));
    let mut all: Vec<String> = none.map(|proposition| format!("no event is `{proposition}`")).collect();
    let Ok(meanings) = meanings(sequence, specification) else { return all };
    // A chain begins with an event.
    if model != Some(Model::PartialOrder) {
        all.extend(of_start(specification, &meanings));
    }
    if is_answered {
        all.extend(unknown::remark(sequence, &meanings));
    }
    all
}

/// Propositions about events that no operator of time stands in front of: there is no event at the start that they could be about.
pub fn of_start(specification: &Specification, meanings: &[Meaning]) -> Vec<String> {
    let mut found = Vec::new();
    asked_of_start(&specification.formula, meanings, &mut found);
    let words = |&number: &u8| {
        let proposition = &specification.propositions[usize::from(number)];
        format!(
            "`{proposition}` is asked of the start, where no event has happened yet: it is false there; `F {proposition}` says that \
             there is such an event"
        )
    };
    found.iter().map(words).collect()
}

fn asked_of_start(expr: &Expr, meanings: &[Meaning], found: &mut Vec<u8>) {
    match &expr.kind {
        Kind::Proposition(p) if matches!(meanings[usize::from(*p)], Meaning::Event(_)) && !found.contains(p) => {
            found.push(*p);
        }
        Kind::Unary(Unary::Not, a) => asked_of_start(a, meanings, found),
        Kind::Binary(op, a, b) if !op.is_temporal() => {
            asked_of_start(a, meanings, found);
            asked_of_start(b, meanings, found);
        }
        _ => {}
    }
}

/// Locks that two processes have at once, and unlocks of what nobody has. A lock only orders here: each operation on it comes behind the
/// one before, and it may be one for several readers, so none of that is refused.
pub fn of_locks(sequence: &Sequence) -> Vec<String> {
    let mut uses: FxHashMap<NameId, Vec<(u32, EventId, Op)>> = FxHashMap::default();
    for (id, event) in (0..).zip(&sequence.events) {
        for part in &event.parts {
            uses.entry(part.object).or_default().push((part.version, id, part.op));
        }
    }
    let mut all = Vec::new();
    for (name, mut list) in uses {
        // Who waits for a condition gives its mutex away in between.
        if !list.iter().all(|(_, _, op)| matches!(op, Op::Lock | Op::Unlock)) {
            continue;
        }
        list.sort_unstable_by_key(|&(version, event, _)| (version, event));
        let mut held: Vec<EventId> = Vec::new();
        let name = &sequence.names[name as usize];
        let process = |event: EventId| sequence.event(event).process;
        for (_, event, op) in list {
            let called = sequence.called(event);
            let own = held.iter().rposition(|&other| process(other) == process(event));
            let told = match (op, own, held.first()) {
                (Op::Lock, _, Some(&other)) if own.is_none() => Some(format!(
                    "{called} comes while {} holds: `{name}` keeps nobody out here, it only puts its events in a row",
                    sequence.called(other)
                )),
                (Op::Unlock, None, _) => Some(format!("{called} unlocks what its process has not locked")),
                _ => None,
            };
            match own.filter(|_| op == Op::Unlock) {
                Some(own) => _ = held.remove(own),
                None if op == Op::Lock => held.push(event),
                None => {}
            }
            if let Some(told) = told {
                all.push((event, told));
                break;
            }
        }
    }
    all.sort_unstable();
    all.into_iter().map(|(_, told)| told).collect()
}
