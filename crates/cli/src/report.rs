//! What a person reads when something is wrong.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};

use threadbare_core::Tid;
use threadbare_vm::{
    CodePos, Fault, FaultKind, FaultObject, LostObjects, Program, SourcePos, VmMachine, program_position,
};
use unicode_width::UnicodeWidthChar;

use crate::screen;

/// Colours, on a terminal only.
struct Style {
    bold: &'static str,
    red: &'static str,
    blue: &'static str,
    off: &'static str,
}

fn style() -> Style {
    if screen::colours(std::io::stderr().is_terminal()) {
        Style { bold: "\x1b[1m", red: "\x1b[1;31m", blue: "\x1b[1;34m", off: "\x1b[0m" }
    } else {
        Style { bold: "", red: "", blue: "", off: "" }
    }
}

/// One message of ours.
pub fn message(text: &str) {
    let Style { red, off, .. } = style();
    say(&format!("{red}threadbare:{off} {text}\n"));
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

pub fn fault(machine: &VmMachine, fault: &Fault) {
    let heading = match fault.kind {
        FaultKind::Unsupported => "not supported",
        FaultKind::Limit => "limit reached",
        kind => kind.name(),
    };
    say(&render(machine, heading, fault));
}

/// Where an execution stood that the user ended.
pub fn interrupted(machine: &VmMachine, fault: &Fault) {
    say(&render(machine, "interrupted", fault));
}

/// Unlike `eprint`, no panic where stderr is closed or full: nobody is left to tell.
fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn render(machine: &VmMachine, heading: &str, fault: &Fault) -> String {
    let Style { bold, red, blue, off } = style();
    let program = machine.program();
    let mut text = String::new();
    let _ = writeln!(text, "{red}{heading}{off}{bold}: {}{off}", wrapped(&format!("{heading}:"), &fault.message));
    let other = fault.other.as_ref().map(|other| {
        let who = machine.thread_name(other.tid);
        format!("  {blue}={off} before that, {who} {} it:\n{}", other.verb, place(machine, other.tid, &other.stack))
    });
    for waiter in &fault.waiters {
        let _ = writeln!(text, "  {} waits for {}", machine.thread_name(waiter.tid), waiter.waits_for);
        text += &place(machine, waiter.tid, &waiter.stack);
    }
    if !fault.waiters.is_empty() || fault.stack.is_empty() {
        return text;
    }
    let mut notes = Vec::new();
    if fault.kind == FaultKind::Leak {
        let groups = machine.lost_objects();
        if let Some(at) = groups.first().and_then(|group| group.allocated_at) {
            let position = &program.source_of(at)[0];
            text += &excerpt(position, &format!("in `{}`", position.function));
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
        let _ = writeln!(text, "  {blue}={off} {note}");
    }
    text.extend(other);
    text
}

/// Where a thread stands.
fn place(machine: &VmMachine, tid: Tid, stack: &[CodePos]) -> String {
    let program = machine.program();
    let position = &program.source_of(program_position(program, stack))[0];
    let who = match machine.start_routine(tid) {
        // The function is named already.
        Some(routine) if tid != Tid::MAIN && routine == position.function => {
            format!("thread {}", machine.names().name(tid))
        }
        _ => machine.thread_name(tid),
    };
    excerpt(position, &format!("in `{}`, {who}", position.function))
}

/// The line of the source, marked.
fn excerpt(position: &SourcePos, what: &str) -> String {
    let Style { blue, off, .. } = style();
    if position.file.is_empty() {
        return format!("  {blue}-->{off} {what}\n");
    }
    let mut text = format!("  {blue}-->{off} {}:{}:{} {what}\n", path(&position.file), position.line, position.column);
    let source = std::fs::read(&position.file).unwrap_or_default();
    let line = source.split(|&byte| byte == b'\n').nth(position.line.saturating_sub(1) as usize);
    if let Some(line) = line.filter(|line| !line.is_empty()) {
        let number = position.line.to_string();
        let margin = " ".repeat(number.len());
        let (shown, caret) = window(line, position.column.max(1) as usize - 1);
        let _ = writeln!(text, " {blue}{margin} |{off}");
        let _ = writeln!(text, " {blue}{number} |{off} {shown}");
        let _ = writeln!(text, " {blue}{margin} |{off} {}{blue}^{off}", " ".repeat(caret));
    }
    text
}

/// A longer line is cut on both sides of the caret.
const WIDTH: usize = 110;
const TAB: usize = 4;

/// A line as a terminal shows it, and the column of the byte `at` there.
fn window(line: &[u8], at: usize) -> (String, usize) {
    let at = at.min(line.len());
    let mut cells: Vec<(char, usize)> = Vec::new();
    let mut add = |part: &[u8]| {
        for c in String::from_utf8_lossy(part).trim_end_matches('\r').chars() {
            match c {
                '\t' => {
                    let column: usize = cells.iter().map(|(_, width)| width).sum();
                    cells.extend(std::iter::repeat_n((' ', 1), TAB - column % TAB));
                }
                c if c.is_control() => cells.push((char::REPLACEMENT_CHARACTER, 1)),
                c => cells.push((c, c.width().unwrap_or(0))),
            }
        }
        cells.len()
    };
    let caret = add(&line[..at]);
    add(&line[at..]);
    let width = |cells: &[(char, usize)]| cells.iter().map(|(_, width)| width).sum::<usize>();
    let text = |cells: &[(char, usize)]| cells.iter().map(|(c, _)| c).collect::<String>();
    if width(&cells) <= WIDTH {
        return (text(&cells), width(&cells[..caret]));
    }
    // From the left, as much as leaves room for what follows the caret.
    let mut from = 0;
    while width(&cells[from..caret]) > WIDTH * 2 / 3 {
        from += 1;
    }
    let mut to = cells.len();
    while width(&cells[from..to]) > WIDTH {
        to -= 1;
    }
    let (before, after) = (if from > 0 { "… " } else { "" }, if to < cells.len() { " …" } else { "" });
    let shown = format!("{before}{}{after}", text(&cells[from..to]));
    (shown, before.chars().count() + width(&cells[from..caret]))
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
fn life(program: &Program, object: &FaultObject) -> Vec<String> {
    let place = |at: Option<CodePos>| at.map(|at| describe_position(program, at));
    let what = &object.description;
    let local = what.starts_with("local");
    let mut notes = Vec::new();
    if let Some(at) = place(object.allocated_at).filter(|_| !local) {
        notes.push(format!("the {what} of {} was allocated {at}", bytes(object.size)));
    }
    if let Some(at) = place(object.freed_at) {
        notes.push(format!("it {} {at}", if local { "ended its life" } else { "was freed" }));
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
        notes.push(format!("called from {}{times}", line.strip_prefix("at ").unwrap_or(&line)));
    }
    if runs.len() > CALLS {
        let rest: usize = runs[CALLS..].iter().map(|(_, count)| count).sum();
        notes.push(format!("… and {rest} more calls"));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::window;

    #[test]
    fn the_caret_is_under_its_character() {
        assert_eq!(window(b"a = b;", 4), ("a = b;".into(), 4));
        assert_eq!(window(b"\tint x;", 5), ("    int x;".into(), 8));
        assert_eq!(window(b"ab\tc;\r", 3), ("ab  c;".into(), 4));
        // Columns of the compiler are bytes; characters may have several, and be two columns wide, or none.
        let line = "\u{e9} \u{6f22}e\u{301} *p;";
        assert_eq!(window(line.as_bytes(), line.find('*').expect("there")), (line.into(), 6));
        assert_eq!(window(b"/* \xff\xfe */ *p", 9), ("/* \u{fffd}\u{fffd} */ *p".into(), 9));
        assert_eq!(window(b"short", 99), ("short".into(), 5));
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let line = format!("{}*p{}", "x ".repeat(500), " y".repeat(500));
        let (shown, caret) = window(line.as_bytes(), 1000);
        assert!(shown.starts_with("… ") && shown.ends_with(" …") && shown.chars().count() < 120, "{shown}");
        assert_eq!(shown.chars().nth(caret), Some('*'));
        let (shown, caret) = window(line.as_bytes(), 0);
        assert!(shown.starts_with("x x") && shown.ends_with(" …") && caret == 0);
    }
}
