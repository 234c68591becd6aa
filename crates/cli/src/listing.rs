//! Failures, and steps as plain lines for the simulator.

use std::fmt::Write as _;
use std::process::ExitCode;

use threadbare_core::{Mode, Place, Story, StoryBug, StoryStep, Then};

use crate::arguments::Format;
use crate::told::Refused;
use crate::{report, screen};

/// Says that there is no result, and why.
pub fn failure(format: Format, message: &str, place: Option<(String, u32)>, code: u8) -> ExitCode {
    match format {
        Format::Json => {
            let place = place.as_ref().map(|(file, line)| (file.as_str(), *line));
            screen::print(&threadbare_report::json_error(message, place, &screen::sources()));
        }
        Format::Human => match place {
            Some((file, line)) => {
                let words = report::wrapped("threadbare:", message);
                report::message(&format!("{words}\n  --> {file}:{line}"));
            }
            None => report::message(message),
        },
    }
    ExitCode::from(code)
}

/// The same for a program that was not accepted: with its place marked, and what may help.
pub fn refusal(format: Format, refused: &Refused) -> ExitCode {
    match (&refused.place, format) {
        (Some(place), Format::Human) => report::refusal(refused, place),
        (None, Format::Human) => report::message(&[&refused.message, &*notes(&refused.notes)].concat()),
        (place, Format::Json) => {
            let place = place.as_ref().map(|place| (report::path(&place.file), place.line));
            // One field for all: programs that show the message show what may help, too.
            let message = [&refused.message].into_iter().chain(&refused.notes).map(String::as_str);
            return failure(format, &message.collect::<Vec<_>>().join("; "), place, refused.code);
        }
    }
    ExitCode::from(refused.code)
}

fn notes(notes: &[String]) -> String {
    notes.iter().map(|note| format!("\n  = {note}")).collect()
}

pub fn bug(story: &Story, bug: &StoryBug) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}: {}", bug.kind, bug.message);
    for place in &bug.stack {
        let _ = writeln!(text, "  at {}", self::place(place));
    }
    for witness in &bug.witnesses {
        let _ = writeln!(text, "  thread {} {}", story.threads[witness.thread].name, witness.what);
        if let Some(at) = witness.stack.first() {
            let _ = writeln!(text, "    at {}", self::place(at));
        }
    }
    for note in &bug.notes {
        let _ = writeln!(text, "  {note}");
    }
    if !bug.locals.is_empty() {
        let list: Vec<String> = bug.locals.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let _ = writeln!(text, "  here {}", list.join(", "));
    }
    text
}

/// One step on a line, what it printed and how its thread stands then below it.
pub fn step(story: &Story, number: usize, step: &StoryStep) -> String {
    let mark = if step.preempts { "!" } else { " " };
    let name = &story.threads[step.thread].name;
    let mut text = format!("{:>4}{mark} thread {name}: {}", number + 1, step.operation.name());
    if step.choices > 1 {
        let _ = write!(text, " [choice {} of {}]", step.chosen, step.choices);
    }
    for (i, object) in step.objects.iter().enumerate() {
        text += if i == 0 { " " } else { ", " };
        text += &object.name;
        match (&object.before, &object.after) {
            (Some(before), Some(after)) if before != after => {
                let _ = write!(text, ": {before} -> {after}");
            }
            (_, Some(value)) | (Some(value), None) => {
                let _ = write!(text, ": {value}");
            }
            (None, None) => {}
        }
    }
    if let Some(at) = step.stack.first() {
        let _ = write!(text, "  ({})", place(at));
    }
    text.push('\n');
    for plain in &step.plain {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "?".into());
        let (object, at) = (&plain.object, place(&plain.place));
        let (name, before) = (&object.name, value(&object.before));
        let _ = match object.mode {
            Mode::Read => writeln!(text, "        reads {name}: {before}  ({at})"),
            _ => writeln!(text, "        {name}: {before} -> {}  ({at})", value(&object.after)),
        };
    }
    for &thread in &step.affects {
        let _ = writeln!(text, "        thread {} can go on", story.threads[thread].name);
    }
    for line in step.output.lines() {
        let _ = writeln!(text, "        prints: {line}");
    }
    match &step.then {
        Then::GoesOn => {}
        Then::Waits(what) => {
            let _ = writeln!(text, "        then waits for {what}");
        }
        Then::Spins => text += "        then goes round a loop for ever\n",
        Then::Ended => text += "        then has ended\n",
        Then::Cut => text += "        then is stopped: an assumption does not hold\n",
        Then::Failed => text += "        then fails\n",
    }
    text
}

pub fn place(place: &Place) -> String {
    if place.file.is_empty() {
        return format!("`{}`", place.function);
    }
    format!("{}:{} in `{}`", report::path(&place.file), place.line, place.function)
}
