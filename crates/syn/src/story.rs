//! A linearisation as a story, for the lanes of reports.

use threadbare_core::{
    Chosen, Mode, Operation, Place, Schedule, Space, Story, StoryLasso, StoryObject, StoryStep, StoryThread, Then,
    ThreadName,
};
use threadbare_logic::Specification;
use threadbare_logic::semantics::Letter;

use crate::proposition::Meaning;
use crate::sequence::{Access, EventId, Sequence, VariableId};

/// More steps than that are not all shown, and what the events are tells which ones matter.
pub const SHORT: usize = 60;

/// The events in this order. `breaks` is a formula that does not hold on it, with what holds before each event and at the end.
pub fn story(sequence: &Sequence, line: &[EventId], breaks: Option<(&Specification, &[Meaning], &[Letter])>) -> Story {
    let threads = (0..).zip(&sequence.processes).map(|(number, process)| match ThreadName::parse(&process.name) {
        Some(name) => StoryThread { name, start: process.role.clone() },
        None => {
            let start = format!("{} {}", process.name, process.role).trim().to_string();
            StoryThread { name: ThreadName::process(number), start }
        }
    });
    let lasso = breaks.map(|(specification, meanings, letters)| {
        // Each step is an event, so what is said of events is said by the step, unless most steps are left out.
        let shown = |number: &usize| line.len() > SHORT || !matches!(meanings[*number], Meaning::Event(_));
        let numbers: Vec<usize> = (0..specification.propositions.len()).filter(shown).collect();
        let mut held: Vec<Vec<bool>> =
            letters.iter().map(|letter| numbers.iter().map(|number| letter >> number & 1 == 1).collect()).collect();
        for (place, &number) in numbers.iter().enumerate() {
            if let Meaning::Value { variable, .. } = meanings[number] {
                keep_while_unknown(sequence, line, variable, &mut held, place);
            }
        }
        StoryLasso {
            formula: format!("{:#}", specification.formula.display(&specification.propositions)),
            number: 0,
            cycle: line.len(),
            propositions: numbers.iter().map(|&number| specification.propositions[number].to_string()).collect(),
            held,
        }
    });
    Story {
        threads: threads.collect(),
        steps: line.iter().map(|&event| step(sequence, event)).collect(),
        bug: None,
        schedule: Schedule::default(),
        occurrences: 1,
        lasso,
    }
}

/// Where a value is not known, nothing is told of it: what is said of it stays as it was, or is as it will be.
fn keep_while_unknown(
    sequence: &Sequence,
    line: &[EventId],
    variable: VariableId,
    held: &mut [Vec<bool>],
    place: usize,
) {
    let mut version = 0;
    let mut known = vec![sequence.value(variable, 0).is_some()];
    for &event in line {
        let writes = |access: &&Access| access.variable == variable && access.mode == Mode::Write;
        version = sequence.event(event).accesses.iter().find(writes).map_or(version, |access| access.version);
        known.push(sequence.value(variable, version).is_some());
    }
    let Some(first) = known.iter().position(|known| *known) else { return };
    let mut last = held[first][place];
    for (row, known) in held.iter_mut().zip(known) {
        last = if known { row[place] } else { last };
        row[place] = last;
    }
}

fn step(sequence: &Sequence, id: EventId) -> StoryStep {
    let event = sequence.event(id);
    let mut name = sequence.words_with_values(id).join(" + ");
    let remarks = event.remarks.as_deref();
    if let Some(label) = remarks.and_then(|remarks| remarks.label.as_ref()) {
        name += &format!(" @{label}");
    }
    let line = remarks.and_then(|remarks| remarks.line.as_ref());
    let place = line.map(|(file, line)| Place { file: file.clone(), line: *line, column: 0, function: String::new() });
    let writes = event.parts.iter().any(|part| !part.op.only_reads());
    let mode = if writes { Mode::Write } else { Mode::Read };
    StoryStep {
        thread: event.process as usize,
        operation: Operation::Recorded,
        chosen: Chosen::Number(0),
        choices: 1,
        stack: place.into_iter().collect(),
        objects: vec![StoryObject { name, space: Space::Memory, mode, before: None, after: None }],
        plain: Vec::new(),
        affects: Vec::new(),
        then: Then::GoesOn,
        preempts: false,
        output: String::new(),
        clock: Vec::new(),
    }
}
