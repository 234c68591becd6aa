//! What a person reads when something is wrong.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};

use threadbare_core::Tid;
use threadbare_vm::{CodePos, Fault, FaultKind, Program, SourcePos, VmMachine, program_position};

/// Colours, on a terminal only.
struct Style {
    bold: &'static str,
    red: &'static str,
    blue: &'static str,
    off: &'static str,
}

fn style() -> Style {
    if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
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

/// A path as short as the current folder allows.
pub fn path(file: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    std::path::Path::new(file).strip_prefix(&here).map_or(file.to_string(), |short| short.display().to_string())
}

pub fn fault(machine: &VmMachine, fault: &Fault) {
    say(&render(machine, fault));
}

/// Unlike `eprint`, no panic where stderr is closed or full: nobody is left to tell.
fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn render(machine: &VmMachine, fault: &Fault) -> String {
    let Style { bold, red, blue, off } = style();
    let program = machine.program();
    let mut text = String::new();
    let heading = match fault.kind {
        FaultKind::Unsupported => "not supported",
        FaultKind::Limit => "limit reached",
        kind => kind.name(),
    };
    let _ = writeln!(text, "{red}{heading}{off}{bold}: {}{off}", fault.message);
    if fault.waiters.is_empty() {
        if !fault.stack.is_empty() {
            let at = program_position(program, &fault.stack);
            text += &excerpt(&program.source_of(at)[0], &thread_name(machine, fault.tid));
        }
        if let Some(object) = &fault.object {
            let place = |at: Option<CodePos>| at.map(|at| describe_position(program, at));
            let what = &object.description;
            if let Some(at) = place(object.allocated_at).filter(|_| !what.starts_with("local")) {
                let _ = writeln!(text, "  {blue}={off} the {what} of {} bytes was allocated at {at}", object.size);
            }
            if let Some(at) = place(object.freed_at) {
                let verb = if what.starts_with("local") { "ended its life" } else { "was freed" };
                let _ = writeln!(text, "  {blue}={off} it {verb} at {at}");
            }
        }
        if let Some(at) = (!fault.stack.is_empty()).then(|| program_position(program, &fault.stack)) {
            let locals = machine.locals(fault.tid, at);
            if !locals.is_empty() && fault.kind != FaultKind::Leak {
                let list: Vec<String> = locals.iter().take(8).map(|l| format!("{} = {}", l.name, l.value)).collect();
                let _ = writeln!(text, "  {blue}={off} here {}", list.join(", "));
            }
        }
        text += &calls(program, &fault.stack);
    }
    if let Some(other) = &fault.other {
        let at = program_position(program, &other.stack);
        let who = thread_name(machine, other.tid);
        let _ = writeln!(text, "  {blue}={off} before that, {who} {} it:", other.verb);
        text += &excerpt(&program.source_of(at)[0], &who);
        text += &calls(program, &other.stack);
    }
    for waiter in &fault.waiters {
        let _ = writeln!(text, "  thread {} waits for {}", machine.names().name(waiter.tid), waiter.waits_for);
        let at = program_position(program, &waiter.stack);
        text += &excerpt(&program.source_of(at)[0], &thread_name(machine, waiter.tid));
    }
    text
}

fn thread_name(machine: &VmMachine, tid: Tid) -> String {
    if tid == Tid::MAIN { "the main thread".into() } else { format!("thread {}", machine.names().name(tid)) }
}

/// The line of the source, marked.
fn excerpt(position: &SourcePos, who: &str) -> String {
    let Style { blue, off, .. } = style();
    if position.file.is_empty() {
        return format!("  {blue}-->{off} in `{}`, {who}\n", position.function);
    }
    let mut text = format!(
        "  {blue}-->{off} {}:{}:{} in `{}`, {who}\n",
        path(&position.file),
        position.line,
        position.column,
        position.function
    );
    let source = std::fs::read_to_string(&position.file).unwrap_or_default();
    if let Some(line) = source.lines().nth(position.line.saturating_sub(1) as usize) {
        let number = position.line.to_string();
        let margin = " ".repeat(number.len());
        let shown = line.replace('\t', " ");
        let _ = writeln!(text, " {blue}{margin} |{off}");
        let _ = writeln!(text, " {blue}{number} |{off} {shown}");
        let column = position.column.max(1) as usize - 1;
        let _ = writeln!(text, " {blue}{margin} |{off} {}{blue}^{off}", " ".repeat(column.min(shown.len())));
    }
    text
}

fn describe_position(program: &Program, at: CodePos) -> String {
    let position = &program.source_of(at)[0];
    format!("{}:{} in `{}`", path(&position.file), position.line, position.function)
}

/// The calls that led there, the program's own ones, if there is more than one.
fn calls(program: &Program, stack: &[CodePos]) -> String {
    let Style { blue, off, .. } = style();
    let own: Vec<SourcePos> =
        stack.iter().filter(|at| !program.is_library(at.function)).flat_map(|at| program.source_of(*at)).collect();
    let mut text = String::new();
    if own.len() > 1 {
        for position in own.iter().skip(1).take(12) {
            let _ = writeln!(
                text,
                "  {blue}={off} called from {}:{} in `{}`",
                path(&position.file),
                position.line,
                position.function
            );
        }
        if own.len() > 13 {
            let _ = writeln!(text, "  {blue}={off} … and {} more calls", own.len() - 13);
        }
    }
    text
}
