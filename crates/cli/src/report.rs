//! What a person reads when something is wrong.

use std::fmt::Write as _;
use std::io::Write as _;

use threadbare_core::{Place, StoryBug, Tid};
use threadbare_report::Ink;
use threadbare_vm::{
    CodePos, Fault, FaultKind, FaultObject, LostObjects, ObjectKind, Program, SourcePos, VmMachine, program_position,
};

use crate::screen;
use crate::told::{Inside, Refused};

/// One message of ours.
pub fn message(text: &str) {
    let name = screen::error_style().paint(Ink::Bad, "threadbare:");
    say(&format!("{name} {text}\n"));
}

/// A text as it goes on behind a heading, in lines that fit the terminal.
pub fn wrapped(heading: &str, text: &str) -> String {
    let lines = threadbare_report::wrap(&format!("{heading} {text}"), screen::error_columns() - 2).join("\n  ");
    lines.strip_prefix(heading).map_or(lines.as_str(), str::trim_start).to_string()
}

/// A path as short as the current folder allows.
pub fn path(file: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    std::path::Path::new(file).strip_prefix(&here).map_or(file.to_string(), |short| short.display().to_string())
}

/// A program that is not accepted: the message, the place, and what may help.
pub fn refusal(refused: &Refused, place: &Place) {
    let style = screen::error_style();
    let words = wrapped("threadbare:", &refused.message);
    let sources = match refused.inside.as_deref() {
        Some(Inside::Text(source)) => screen::sources().with(&source.file, &source.text),
        _ => screen::sources(),
    };
    let mut text = format!("{} {words}\n", style.paint(Ink::Bad, "threadbare:"));
    text += &match place.column {
        0 => format!("  {} {}:{}\n", style.paint(Ink::Frame, "-->"), path(&place.file), place.line),
        _ => threadbare_report::excerpt(&sources, &style, place, None),
    };
    for note in &refused.notes {
        let _ = writeln!(text, "  {} {note}", style.paint(Ink::Frame, "="));
    }
    say(&text);
}

/// The words of an error of the operating system, without its number.
pub fn why(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error").map_or(text.clone(), |(words, _)| words.into())
}

pub fn fault(machine: &VmMachine, fault: &Fault) {
    let heading = match fault.kind {
        FaultKind::Unsupported => "not supported",
        FaultKind::Limit => "limit reached",
        kind => kind.name(),
    };
    say(&render(machine, heading, fault));
}

/// Threads that go round loops for ever, and what they look at there.
pub fn livelock(machine: &VmMachine, bug: &StoryBug) {
    let mut text = headline(&bug.kind, &bug.message);
    for witness in &bug.witnesses {
        let tid = Tid(witness.thread as u16);
        let _ = writeln!(text, "  {} {}", machine.thread_name(tid), witness.what);
        if let Some(at) = witness.stack.first() {
            text += &stands(machine, tid, at);
        }
    }
    say(&text);
}

/// Where an execution stood that the user ended.
pub fn interrupted(machine: &VmMachine, fault: &Fault) {
    say(&render(machine, "interrupted", fault));
}

/// Unlike `eprint`, no panic where stderr is closed or full: nobody is left to tell.
fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn headline(heading: &str, message: &str) -> String {
    let style = screen::error_style();
    let words = wrapped(&format!("{heading}:"), message);
    format!("{}{}\n", style.paint(Ink::Bad, heading), style.paint(Ink::Bold, &format!(": {words}")))
}

fn render(machine: &VmMachine, heading: &str, fault: &Fault) -> String {
    let program = machine.program();
    let mut text = headline(heading, &fault.message);
    let dash = screen::error_style().paint(Ink::Frame, "=");
    let other = fault.other.as_ref().map(|other| {
        let who = machine.thread_name(other.tid);
        format!("  {dash} before that, {who} {} it:\n{}", other.verb, place(machine, other.tid, &other.stack))
    });
    for waiter in &fault.waiters {
        let _ = writeln!(text, "  {} waits for {}", machine.thread_name(waiter.tid), waiter.waits_for);
        text += &place(machine, waiter.tid, &waiter.stack);
        for note in calls(program, &waiter.stack) {
            let _ = writeln!(text, "  {dash} {note}");
        }
    }
    if !fault.waiters.is_empty() || fault.stack.is_empty() {
        return text;
    }
    let mut notes = Vec::new();
    if fault.kind == FaultKind::Leak {
        let groups = machine.lost_objects();
        if let Some(at) = groups.first().and_then(|group| group.allocated_at) {
            text += &excerpt(&program.source_of(at).swap_remove(0).into(), None);
        }
        notes = lost(program, &groups);
    } else {
        text += &place(machine, fault.tid, &fault.stack);
        let locals = machine.locals(fault.tid, program_position(program, &fault.stack));
        if !locals.is_empty() {
            let list: Vec<String> = locals.iter().take(8).map(|l| format!("{} = {}", l.name, l.value)).collect();
            notes.push(format!("here {}", list.join(", ")));
        }
        notes.extend(calls(program, &fault.stack));
        notes.extend(fault.object.as_ref().map(|object| life(program, object)).into_iter().flatten());
        if program.source_of(fault.stack[0])[0].file.is_empty() {
            notes.push("the code has no source lines: compile it with -g to see them here".into());
        }
    }
    for note in notes {
        let _ = writeln!(text, "  {dash} {note}");
    }
    text.extend(other);
    text
}

/// Where a thread stands.
fn place(machine: &VmMachine, tid: Tid, stack: &[CodePos]) -> String {
    let program = machine.program();
    stands(machine, tid, &program.source_of(program_position(program, stack)).swap_remove(0).into())
}

fn stands(machine: &VmMachine, tid: Tid, position: &Place) -> String {
    let who = match machine.start_routine(tid) {
        // The function is named already.
        Some(routine) if tid != Tid::MAIN && routine == position.function => {
            format!("thread {}", machine.names().name(tid))
        }
        _ => machine.thread_name(tid),
    };
    excerpt(position, Some(&who))
}

/// The line of the source, marked. `who` stands there.
fn excerpt(position: &Place, who: Option<&str>) -> String {
    threadbare_report::excerpt(&screen::sources(), &screen::error_style(), position, who)
}

/// `file.c:3 in `f``, as far as it is known.
fn describe_position(program: &Program, at: CodePos) -> String {
    describe_line(&program.source_of(at)[0])
}

fn describe_line(position: &SourcePos) -> String {
    if position.file.is_empty() {
        return format!("in `{}`", position.function);
    }
    format!("at {}:{} in `{}`", path(&position.file), position.line, position.function)
}

/// Where an object came from, and where it went.
pub fn life(program: &Program, object: &FaultObject) -> Vec<String> {
    let place = |at: Option<CodePos>| at.map(|at| describe_position(program, at));
    let local = object.kind == ObjectKind::Stack;
    let what = &object.description;
    let mut notes = Vec::new();
    if let Some(at) = &object.declared_at {
        notes.push(format!("{what} is declared at {}:{}", path(&at.file), at.line));
    } else if local && object.allocated_at.is_some_and(|at| program.is_library(at.function)) {
        // The inside of a library function says nothing to its caller.
        return notes;
    } else if let Some(at) = place(object.allocated_at) {
        notes.push(format!(
            "the {what} of {} was {} {at}",
            bytes(object.size),
            if local { "made" } else { "allocated" }
        ));
    }
    if let Some(at) = place(object.freed_at) {
        let what = if notes.is_empty() { what } else { "it" };
        notes.push(format!("{what} {} {at}", if local { "ended its life" } else { "was freed" }));
    }
    notes
}

fn bytes(n: u64) -> String {
    if n == 1 { "1 byte".into() } else { format!("{n} bytes") }
}

/// How many places of lost memory are listed.
const LOST_PLACES: usize = 10;

fn lost(program: &Program, groups: &[LostObjects]) -> Vec<String> {
    let mut notes: Vec<String> = groups
        .iter()
        .take(LOST_PLACES)
        .map(|group| {
            let at = group.allocated_at.map_or(String::new(), |at| describe_position(program, at));
            match group.count {
                1 => format!("{} allocated {at}", bytes(group.bytes)),
                n => format!("{} in {n} objects allocated {at}", bytes(group.bytes)),
            }
        })
        .collect();
    if groups.len() > LOST_PLACES {
        let rest: u64 = groups[LOST_PLACES..].iter().map(|group| group.bytes).sum();
        notes.push(format!("… and {} from {} more places", bytes(rest), groups.len() - LOST_PLACES));
    }
    notes
}

/// How many calls are listed.
const CALLS: usize = 12;

/// The calls that led there, the program's own ones. Calls from one place again and again are one line.
fn calls(program: &Program, stack: &[CodePos]) -> Vec<String> {
    let own = stack.iter().filter(|at| !program.is_library(at.function)).flat_map(|at| program.source_of(*at));
    let mut runs: Vec<(SourcePos, usize)> = Vec::new();
    for position in own.skip(1) {
        match runs.last_mut() {
            Some((last, count)) if *last == position => *count += 1,
            _ => runs.push((position, 1)),
        }
    }
    let mut notes: Vec<String> = Vec::new();
    for (position, count) in runs.iter().take(CALLS) {
        let times = if *count > 1 { format!(", {count} times") } else { String::new() };
        let line = describe_line(position);
        notes.push(match line.strip_prefix("at ") {
            Some(place) => format!("called from {place}{times}"),
            None => format!("called {line}{times}"),
        });
    }
    if runs.len() > CALLS {
        let rest: usize = runs[CALLS..].iter().map(|(_, count)| count).sum();
        notes.push(format!("… and {rest} more calls"));
    }
    notes
}
