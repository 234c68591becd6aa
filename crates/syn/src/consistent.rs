//! Whether the versions of a sequence can have come about: every version but the first is written once, and none is left out.
//! What is wrong is told with the events; a cycle is found by `order`.

use threadbare_core::Mode;
use threadbare_core::source::{Complaint, Result, Source, Span};
use threadbare_core::words::count;

use crate::sequence::{Event, EventId, Mail, Op, Part, Sequence, VariableId};

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
            let Deed { does, what } = deed(sequence, access.variable);
            let message = format!("{} {does} {}", sequence.called(event), what(0));
            return Err(at(sequence, event, message).note(match sequence.variables[access.variable as usize].hidden {
                None => "version 0 is what is there at the start; the first write makes version 1",
                Some(_) => "messages are counted from 1",
            }));
        }
        writes[access.variable as usize] += 1;
    }
    for (id, event) in (0..).zip(&sequence.events).filter(|(_, event)| event.parts.len() > 1) {
        once(sequence, id, event)?;
    }
    one_kind(sequence, source)?;
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
        if access.version > last(&access) {
            return Err(unwritten(sequence, event, access.variable, access.version, last(&access)));
        }
        let place = versions.place(access.variable, access.version);
        versions.readers[place].push(event);
    }
    for (number, variable) in sequence.variables.iter().enumerate().filter(|(_, variable)| !variable.values.is_empty())
    {
        let (values, versions_there) = (variable.values.len() as u32, versions.count(number as VariableId));
        if values != versions_there {
            let words = |number: u32, what| count(number as usize, what);
            let name = sequence.variable_name(number as VariableId);
            let (of, versions) = (words(values, "value"), words(versions_there, "version"));
            let message = format!("`{name}` has {of}, and {versions}, the first included");
            let note = match values > versions_there {
                true => format!("nobody writes version {versions_there}"),
                false => format!("version {values} has no value; one that is not known is `_`"),
            };
            return Err(Complaint::at(variable.span, message).note(note));
        }
    }
    Ok(versions)
}

/// What happens at once sees a variable as it was before, and leaves it in the next version.
fn once(sequence: &Sequence, id: EventId, event: &Event) -> Result<()> {
    for (i, one) in event.parts.iter().enumerate() {
        // Both write the same version, or read it: the event has one of them.
        let is_same = |other: &&Part| {
            let same = (other.object, other.version) == (one.object, one.version);
            same && (other.op == one.op || !is_mail(other.op) && other.op.only_reads() == one.op.only_reads())
        };
        if let Some(other) = event.parts[..i].iter().find(is_same) {
            let message = match other == one {
                true => format!("`{}` is twice in one event", sequence.part_words(one)),
                false => {
                    let (one, other) = (sequence.part_words(one), sequence.part_words(other));
                    format!("`{other}` and `{one}` in one event make one version")
                }
            };
            return Err(at(sequence, id, message));
        }
    }
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

fn is_mail(op: Op) -> bool {
    matches!(op, Op::Send | Op::Receive)
}

/// What is a mailbox is nothing else.
fn one_kind(sequence: &Sequence, source: &Source) -> Result<()> {
    let mut first: Vec<Option<EventId>> = vec![None; sequence.names.len()];
    let parts = || (0..).zip(&sequence.events).flat_map(|(id, event)| event.parts.iter().map(move |part| (id, part)));
    parts()
        .filter(|(_, part)| is_mail(part.op))
        .for_each(|(id, part)| _ = first[part.object as usize].get_or_insert(id));
    let note = |mail: EventId| format!("{} makes it a mailbox", place(sequence, source, mail));
    for (id, part) in parts().filter(|(_, part)| !is_mail(part.op)) {
        if let Some(mail) = first[part.object as usize] {
            let name = &sequence.names[part.object as usize];
            let message = format!("`{name}` is a mailbox, and {} is no message", sequence.called(id));
            return Err(at(sequence, id, message).note(note(mail)));
        }
    }
    let declared = sequence.variables.iter().filter(|variable| !variable.values.is_empty());
    match declared.filter_map(|variable| Some((variable, first[variable.name as usize]?))).next() {
        Some((variable, mail)) => {
            let name = &sequence.names[variable.name as usize];
            let message = format!("`{name}` is a mailbox, and has no values");
            Err(Complaint::at(variable.span, message).note(note(mail)))
        }
        None => Ok(()),
    }
}

/// What events do to a variable, in words.
struct Deed {
    does: &'static str,
    /// The version with this number.
    what: Box<dyn Fn(u32) -> String>,
}

fn deed(sequence: &Sequence, variable: VariableId) -> Deed {
    let name = sequence.variable_name(variable).to_string();
    let hidden = sequence.variables[variable as usize].hidden;
    // Hidden variables are called `c (in)` and `c (message 1)`.
    let mailbox = name.rsplit_once(" (").map_or(name.clone(), |(mailbox, _)| mailbox.to_string());
    match hidden {
        None => Deed { does: "writes", what: Box::new(move |n| format!("version {n} of `{name}`")) },
        Some(Mail::Out) => Deed { does: "receives", what: Box::new(move |n| format!("message {n} of `{mailbox}`")) },
        Some(Mail::In | Mail::Message) => {
            Deed { does: "sends", what: Box::new(move |n| format!("message {n} into `{mailbox}`")) }
        }
    }
}

/// A version is read that is not there, or a message is received that was not sent.
fn unwritten(sequence: &Sequence, event: EventId, variable: VariableId, version: u32, newest: u32) -> Box<Complaint> {
    let called = sequence.called(event);
    if sequence.variables[variable as usize].hidden.is_some() {
        return at(sequence, event, format!("{called} receives what nobody sends"));
    }
    let name = sequence.variable_name(variable);
    let message = format!("{called} reads version {version} of `{name}`, which nobody writes");
    at(sequence, event, message).note(match newest {
        0 => format!("`{name}` is never written: there is version 0 only"),
        newest => format!("the newest version of `{name}` is {newest}"),
    })
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
    let Deed { does, what } = deed(sequence, variable);
    let message = format!("{} {does} {} a second time", sequence.called(second), what(version));
    at(sequence, second, message).note(format!("{} {does} it, too", place(sequence, source, first)))
}

fn gap(
    sequence: &Sequence,
    source: &Source,
    versions: &Versions,
    event: EventId,
    variable: VariableId,
    version: u32,
) -> Box<Complaint> {
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
    let Deed { does, what } = deed(sequence, variable);
    let thing = if sequence.variables[variable as usize].hidden.is_some() { "message" } else { "version" };
    let message = format!("{} {does} {}, but nobody {does} {thing} {missing}", sequence.called(event), what(version));
    at(sequence, event, message)
}
