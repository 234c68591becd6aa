//! Whether the versions of a sequence can have come about: every version but the first is written once, and none is left out.
//! What is wrong is told with the events; a cycle is found by `order`.

use threadbare_core::Mode;
use threadbare_core::source::{Complaint, Result, Source, Span};

use crate::sequence::{Event, EventId, Sequence, VariableId, counted};

/// For each variable and version: who writes it and who reads it, each in the order of the events.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    /// `firsts[v] + k` is the place of version k of variable v.
    firsts: Vec<u32>,
    pub writers: Vec<Option<EventId>>,
    pub readers: Vec<Vec<EventId>>,
}

impl Versions {
    pub fn place(&self, variable: VariableId, version: u32) -> usize {
        (self.firsts[variable as usize] + version) as usize
    }

    /// How many versions a variable has.
    pub fn count(&self, variable: VariableId) -> u32 {
        let end = self.firsts.get(variable as usize + 1).copied().unwrap_or(self.writers.len() as u32);
        end - self.firsts[variable as usize]
    }
}

/// The versions of a sequence that has no mistake in them.
pub fn versions(sequence: &Sequence, source: &Source) -> Result<Versions> {
    let mut writes = vec![0u32; sequence.variables.len()];
    let accesses = || (0..).zip(&sequence.events).flat_map(|(id, event)| event.accesses.iter().map(move |a| (id, *a)));
    for (event, access) in accesses().filter(|(_, access)| access.mode == Mode::Write) {
        if access.version == 0 {
            let name = sequence.variable_name(access.variable);
            return Err(at(sequence, event, format!("{} writes version 0 of `{name}`", sequence.called(event)))
                .note("version 0 is what is there at the start; the first write makes version 1"));
        }
        writes[access.variable as usize] += 1;
    }
    for (id, event) in (0..).zip(&sequence.events).filter(|(_, event)| event.accesses.len() > 1) {
        once(sequence, id, event)?;
    }
    // Without a gap and without two of one, there are as many versions as writes, and the first.
    let mut firsts = Vec::with_capacity(writes.len());
    let mut total = 0;
    for count in &writes {
        firsts.push(total);
        total += count + 1;
    }
    let mut versions =
        Versions { firsts, writers: vec![None; total as usize], readers: vec![Vec::new(); total as usize] };
    let last = |access: &crate::sequence::Access| writes[access.variable as usize];
    for (event, access) in accesses().filter(|(_, access)| access.mode == Mode::Write) {
        if access.version > last(&access) {
            // Either a version is missing below it, or one was written twice, which comes up by itself.
            continue;
        }
        let writer = &mut versions.writers[(versions.firsts[access.variable as usize] + access.version) as usize];
        if let Some(other) = *writer {
            return Err(twice(sequence, source, other, event, access.variable, access.version));
        }
        *writer = Some(event);
    }
    for (event, access) in accesses().filter(|(_, access)| access.mode == Mode::Write) {
        if access.version > last(&access) {
            return Err(gap(sequence, source, &versions, event, access.variable, access.version));
        }
    }
    for (event, access) in accesses().filter(|(_, access)| access.mode == Mode::Read) {
        let name = sequence.variable_name(access.variable);
        if access.version > last(&access) {
            let message =
                format!("{} reads version {} of `{name}`, which nobody writes", sequence.called(event), access.version);
            let newest = match last(&access) {
                0 => format!("`{name}` is never written: there is version 0 only"),
                newest => format!("the newest version of `{name}` is {newest}"),
            };
            return Err(at(sequence, event, message).note(newest));
        }
        let place = versions.place(access.variable, access.version);
        versions.readers[place].push(event);
    }
    for (number, variable) in sequence.variables.iter().enumerate().filter(|(_, variable)| !variable.values.is_empty())
    {
        let (values, count) = (variable.values.len() as u32, versions.count(number as VariableId));
        if values != count {
            let name = sequence.variable_name(number as VariableId);
            let (of, versions) = (counted(values as usize, "value"), counted(count as usize, "version"));
            let message = format!("`{name}` has {of}, and {versions}, the first included");
            let note = match values > count {
                true => format!("nobody writes version {count}"),
                false => format!("version {values} has no value; one that is not known is `_`"),
            };
            return Err(Complaint::at(variable.span, message).note(note));
        }
    }
    Ok(versions)
}

/// What happens at once sees a variable as it was before, and leaves it in the next version.
fn once(sequence: &Sequence, id: EventId, event: &Event) -> Result<()> {
    for (i, one) in event.accesses.iter().enumerate() {
        for other in &event.accesses[..i] {
            let (read, write) = if one.mode == Mode::Read { (one, other) } else { (other, one) };
            let fits = read.mode == Mode::Read && write.mode == Mode::Write && read.version + 1 == write.version;
            if one.variable == other.variable && !fits {
                let name = sequence.variable_name(one.variable);
                let message = format!("{} touches `{name}` in versions that do not go together", sequence.called(id));
                return Err(at(sequence, id, message).note("one event may read a version and write the one behind it"));
            }
        }
    }
    Ok(())
}

fn at(sequence: &Sequence, event: EventId, message: String) -> Box<Complaint> {
    match sequence.event(event).span {
        span if span == Span::default() => Complaint::nowhere(message),
        span => Complaint::at(span, message),
    }
}

/// Where an event stands, if it is known.
pub fn place(sequence: &Sequence, source: &Source, event: EventId) -> String {
    let span = sequence.event(event).span;
    if span == Span::default() {
        return sequence.called(event);
    }
    let at = source.at(span);
    format!("{} at {}:{}", sequence.called(event), at.line, at.column)
}

fn twice(
    sequence: &Sequence,
    source: &Source,
    first: EventId,
    second: EventId,
    variable: VariableId,
    version: u32,
) -> Box<Complaint> {
    let name = sequence.variable_name(variable);
    let message = format!("{} writes version {version} of `{name}` a second time", sequence.called(second));
    at(sequence, second, message).note(format!("it is written by {}", place(sequence, source, first)))
}

fn gap(
    sequence: &Sequence,
    source: &Source,
    versions: &Versions,
    event: EventId,
    variable: VariableId,
    version: u32,
) -> Box<Complaint> {
    let name = sequence.variable_name(variable);
    // Two may have the same number beyond the last: then that is what is wrong.
    let writes = |id: &EventId| {
        let own = &sequence.event(*id).accesses;
        own.iter().any(|a| a.variable == variable && a.mode == Mode::Write && a.version == version)
    };
    if let Some(other) = (0..event).find(writes).or_else(|| (event + 1..sequence.events.len() as u32).find(writes)) {
        let (first, second) = (other.min(event), other.max(event));
        return twice(sequence, source, first, second, variable, version);
    }
    let missing = (1..version)
        .find(|&k| k >= versions.count(variable) || versions.writers[versions.place(variable, k)].is_none());
    let missing = missing.unwrap_or(version - 1);
    let message =
        format!("{} writes version {version} of `{name}`, but nobody writes version {missing}", sequence.called(event));
    at(sequence, event, message)
}
