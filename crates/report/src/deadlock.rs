//! Who waits for whom: the cycle of a deadlock as a drawing, and the threads that wait beside it.

use std::fmt::Write as _;

use threadbare_core::{Mode, Operation, Place, Space, Story, StoryStep, StoryWitness};

use crate::source::Sources;
use crate::style::{Ink, Style};
use crate::text::{fit, width};
use crate::words::{brief, quoted, title};

/// Locks that a thread holds when the story ends: the name, and the step that took it.
fn held(story: &Story, thread: usize) -> Vec<(String, &StoryStep)> {
    use Operation::*;
    let mut held: Vec<(String, &StoryStep)> = Vec::new();
    for step in story.steps.iter().filter(|step| step.thread == thread) {
        let locks = step.objects.iter().filter(|object| matches!(object.space, Space::Mutex | Space::RwLock));
        for object in locks {
            match step.operation {
                MutexUnlock | RwUnlock | SpinUnlock | CondEnter => held.retain(|(name, _)| *name != object.name),
                // An attempt that fails only looks.
                _ if object.mode == Mode::Read => {}
                MutexInit | MutexDestroy | RwInit | RwDestroy | SpinInit | SpinDestroy => {}
                _ => held.push((object.name.clone(), step)),
            }
        }
    }
    held
}

/// The witnesses of a cycle, in its order.
pub fn cycle(witnesses: &[StoryWitness]) -> Vec<usize> {
    let next = |at: usize| {
        let thread = witnesses[at].waits_for?;
        witnesses.iter().position(|witness| witness.thread == thread)
    };
    for start in 0..witnesses.len() {
        let mut path = vec![start];
        while let Some(at) = next(path[path.len() - 1]) {
            if at == start {
                return path;
            }
            if path.contains(&at) {
                break;
            }
            path.push(at);
        }
    }
    Vec::new()
}

pub fn deadlock(story: &Story, sources: &Sources, style: &Style) -> String {
    let Some(bug) = &story.bug else { return String::new() };
    let glyphs = style.glyphs();
    let frame = |text: &str| style.paint(Ink::Frame, text);
    let cycle = cycle(&bug.witnesses);
    let beside = (0..bug.witnesses.len()).filter(|at| !cycle.contains(at));

    let all: Vec<[String; 4]> = cycle.iter().flat_map(|&at| rows(story, &bug.witnesses[at], sources, style)).collect();
    let column = |i: usize| all.iter().map(|row| width(&row[i])).max().unwrap_or(0);
    let widths = [column(0), column(1).min(style.width / 3), column(2)];
    let table = |row: &[String; 4]| {
        let pad = |text: &str, to: usize| format!("{text}{}", " ".repeat(to.saturating_sub(width(text))));
        let what = pad(&fit(&row[1], style.width / 3, glyphs.cut), widths[1]);
        let place = pad(&row[2], widths[2]);
        let used = 10 + width(&row[0]).max(widths[0]) + width(&what) + width(&place) + 4;
        let code = fit(&row[3], style.width.saturating_sub(used), glyphs.cut);
        format!(
            "{} {}  {}  {}",
            style.paint(if row[0] == "holds" { Ink::Plain } else { Ink::Warn }, &pad(&row[0], widths[0])),
            style.paint(Ink::Value, &what),
            style.paint(Ink::Frame, &place),
            style.paint(Ink::Dim, &code),
        )
        .trim_end()
        .to_string()
    };

    let mut text = String::new();
    for (i, &at) in cycle.iter().enumerate() {
        let witness = &bug.witnesses[at];
        let head = match i {
            0 => format!("{}{}", glyphs.top_left, glyphs.right),
            _ => format!("{} ", glyphs.rail),
        };
        let name = style.paint(Ink::Bold, &title(story, witness.thread));
        let _ = writeln!(text, "  {} thread {name}", frame(&head));
        for row in rows(story, witness, sources, style) {
            let _ = writeln!(text, "  {}      {}", frame(&glyphs.rail.to_string()), table(&row));
        }
        if i + 1 < cycle.len() {
            let _ = writeln!(text, "  {}", frame(&format!("{}        {}", glyphs.rail, glyphs.down)));
        } else {
            let across = glyphs.across.to_string().repeat(8);
            let _ = writeln!(text, "  {}", frame(&format!("{}{across}{}", glyphs.bottom_left, glyphs.bottom_right)));
        }
    }
    for at in beside {
        let witness = &bug.witnesses[at];
        let _ = writeln!(text, "     thread {}", style.paint(Ink::Bold, &title(story, witness.thread)));
        for row in rows(story, witness, sources, style) {
            let _ = writeln!(text, "         {}", table(&row));
        }
    }
    text
}

/// What a thread holds and what it waits for: verb, object, place, source.
fn rows(story: &Story, witness: &StoryWitness, sources: &Sources, style: &Style) -> Vec<[String; 4]> {
    let mut rows = Vec::new();
    let at = |place: &Place| if style.width < 100 { sources.short(place) } else { sources.place(place) };
    for (name, step) in held(story, witness.thread) {
        let mut wanted = story.bug.iter().flat_map(|bug| &bug.witnesses);
        if wanted.any(|waits| quoted(&waits.what).any(|word| word == name)) {
            let place = step.stack.first();
            rows.push([
                "holds".into(),
                name,
                place.map_or(String::new(), at),
                place.map_or(String::new(), |place| sources.code_in(place, style.width / 2, style.glyphs().cut)),
            ]);
        }
    }
    let place = witness.stack.first();
    let what = brief(&witness.what).trim_start_matches("waits for ").to_string();
    let what = what.split(", held by").next().unwrap_or_default().trim_start_matches("mutex ").to_string();
    rows.push([
        if witness.what.starts_with("waits for") { "waits for".into() } else { String::new() },
        what,
        place.map_or(String::new(), at),
        place.map_or(String::new(), |place| sources.code_in(place, style.width / 2, style.glyphs().cut)),
    ]);
    rows
}
