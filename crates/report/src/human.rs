//! Screens for people: a bug, a proof, an honest bound.

use std::fmt::Write as _;

use threadbare_core::words::{count, grouped};
use threadbare_core::{Findings, Place, Story, StoryBug, StoryWitness, Verdict};

use crate::deadlock::{cycle, deadlock};
use crate::lanes::lanes;
use crate::relevance::shown;
use crate::source::{Sources, excerpt};
use crate::style::{Ink, Style};
use crate::text::{bytes, clean, list, seconds, width, wrap};
use crate::why::why;
use crate::words::{is_quiet, number, thread, without_routines};

/// Calls that led to a place.
const CALLS: usize = 8;
const LOCALS: usize = 8;

/// All that a search found. `traces` are the files that the schedules of the bugs were written to, as far as they were.
pub fn findings(findings: &Findings, sources: &Sources, style: &Style, traces: &[String]) -> String {
    match &findings.verdict {
        Verdict::Proved => proof(findings, style),
        Verdict::Bounded(by) => no_proof(findings, style, "bounded", by),
        Verdict::Unknown(why) => no_proof(findings, style, "unknown", why),
        Verdict::Violated => violated(findings, sources, style, traces),
    }
}

fn violated(findings: &Findings, sources: &Sources, style: &Style, traces: &[String]) -> String {
    let mut text = String::new();
    let total = findings.stories.len();
    if total > 1 {
        text += &overview(findings, sources, style);
    }
    for (i, story) in findings.stories.iter().enumerate() {
        if total > 1 {
            let heading = format!("bug {} of {total}", i + 1);
            let line = style.glyphs().across.to_string();
            let rest = style.width.min(100).saturating_sub(width(&heading) + 4);
            let _ = writeln!(text, "\n{}", style.paint(Ink::Frame, &format!("{line} {heading} {}", line.repeat(rest))));
        }
        text += &bug(story, sources, style, traces.get(i).map(String::as_str));
    }
    if traces.is_empty() {
        let hint = "to replay it or step through it, check again with --trace FILE";
        let _ = writeln!(text, "\n{}", style.paint(Ink::Dim, hint));
    } else {
        text.push('\n');
    }
    let _ = writeln!(text, "{} after {}", style.paint(Ink::Bad, "violated"), cost(findings));
    if let Some(rest) = whether_these_are_all(findings) {
        wrap(&rest, style.width.min(100).saturating_sub(2)).iter().for_each(|line| text += &format!("  {line}\n"));
    }
    text
}

/// Whoever asked for more than one bug wants to know whether there may be others.
fn whether_these_are_all(findings: &Findings) -> Option<String> {
    const MORE: &str = "there may be more bugs";
    Some(match &findings.otherwise {
        None if findings.stories.len() < 2 => return None,
        None => format!("The search ended with the last of these, as --max-bugs asks; {MORE}."),
        Some(Verdict::Proved | Verdict::Violated) => "Every schedule was explored.".into(),
        Some(Verdict::Bounded(by)) => format!("Explored: {by}. Beyond that {MORE}."),
        Some(Verdict::Unknown(why)) => {
            let done = part_done(findings).map_or(String::new(), |done| format!(", {done} done"));
            format!("The search stopped early: {why}{done}; {MORE}.")
        }
    })
}

/// Several bugs: what there is, before each is told.
fn overview(findings: &Findings, sources: &Sources, style: &Style) -> String {
    let rows: Vec<[String; 4]> = findings
        .stories
        .iter()
        .filter_map(|story| {
            let bug = story.bug.as_ref()?;
            let place = location(bug).map_or(String::new(), |place| sources.place(place));
            Some([bug.kind.clone(), place, count(story.occurrences as usize, "schedule"), bug.message.clone()])
        })
        .collect();
    let column = |i: usize| rows.iter().map(|row| width(&row[i])).max().unwrap_or(0);
    let widths = [column(0), column(1), column(2)];
    let mut text = format!("{}\n", style.paint(Ink::Bad, &count(rows.len(), "different bug")));
    for (i, row) in rows.iter().enumerate() {
        let used = 9 + widths.iter().sum::<usize>() + 6;
        let message = crate::text::fit(&clean(&row[3]), style.width.saturating_sub(used), style.glyphs().cut);
        let pad = |i: usize| " ".repeat(widths[i] - width(&row[i]));
        let _ = writeln!(
            text,
            "  {:>3}  {}{}  {}{}  {}{}  {}",
            i + 1,
            style.paint(Ink::Bold, &row[0]),
            pad(0),
            row[1],
            pad(1),
            pad(2),
            row[2],
            style.paint(Ink::Dim, &message)
        );
    }
    text
}

/// Where a bug shows: in the cycle of a deadlock, its own place, or that of its first witness.
pub fn location(bug: &StoryBug) -> Option<&Place> {
    let waits = cycle(&bug.witnesses).first().and_then(|&at| bug.witnesses[at].stack.first());
    waits.or(bug.stack.first()).or_else(|| bug.witnesses.iter().find_map(|witness| witness.stack.first()))
}

/// One bug: what, why, where, and the schedule. `trace` is the file that replays it.
pub fn bug(story: &Story, sources: &Sources, style: &Style, trace: Option<&str>) -> String {
    let Some(bug) = &story.bug else { return lanes(story, sources, style) };
    let mut text = headline(story, bug, sources, style);
    if let Some(why) = why(story, sources) {
        for line in wrap(&why, style.width.min(100).saturating_sub(2)) {
            let _ = writeln!(text, "  {line}");
        }
        text.push('\n');
    }
    match bug.kind.as_str() {
        "deadlock" if !bug.witnesses.is_empty() => text += &deadlock(story, sources, style),
        _ if !bug.witnesses.is_empty() => text += &witnesses(story, bug, sources, style),
        _ => {
            if let Some(place) = bug.stack.first() {
                let nobody = if story.lasso.is_some() { "in the cycle" } else { "at the end" };
                let who = bug.thread.map_or(nobody.into(), |who| thread(story, who));
                text += &excerpt(sources, style, place, Some(&who));
            }
            text += &calls(&bug.stack, sources, style);
        }
    }
    let note = |words: &str| {
        let room = style.width.saturating_sub(4).max(20);
        let lines = wrap(&clean(words), room).join("\n    ");
        format!("  {} {lines}\n", style.paint(Ink::Frame, "="))
    };
    bug.notes.iter().for_each(|words| text += &note(words));
    if !bug.locals.is_empty() {
        let values: Vec<String> =
            bug.locals.iter().take(LOCALS).map(|(name, value)| format!("{name} = {value}")).collect();
        let more = bug.locals.len().saturating_sub(LOCALS);
        let more = if more > 0 { format!(" … and {more} more") } else { String::new() };
        text += &note(&format!("here {}{}", values.join(", "), style.plain(&more)));
    }
    if !story.steps.is_empty() {
        let _ = writeln!(text, "\n{}\n", schedule_heading(story, sources, style));
        text += &lanes(story, sources, style);
    }
    if let Some(trace) = trace {
        let _ = writeln!(text, "\n{} threadbare replay {trace}", style.paint(Ink::Bold, "replay:"));
    }
    text
}

/// `deadlock: all threads wait for ever`; a message that says its kind stands alone.
fn headline(story: &Story, bug: &StoryBug, sources: &Sources, style: &Style) -> String {
    let message = clean(&race_with_places(story, bug, sources).unwrap_or_else(|| bug.message.clone()));
    let whole = match message.starts_with(bug.kind.as_str()) {
        true => message,
        false => format!("{}: {message}", bug.kind),
    };
    let lines = wrap(&whole, style.width.saturating_sub(2));
    let mut text = String::new();
    for (i, line) in lines.iter().enumerate() {
        let _ = match line.strip_prefix(bug.kind.as_str()).filter(|_| i == 0) {
            Some(rest) => {
                writeln!(text, "{}{}", style.paint(Ink::Bad, &bug.kind), style.paint(Ink::Bold, rest))
            }
            None => writeln!(text, "  {}", style.paint(Ink::Bold, line)),
        };
    }
    if lines.len() > 1 {
        text.push('\n');
    }
    text
}

/// ``thread 0.1 writes `count` at counter.c:7 and thread 0.0 reads it at counter.c:9, with nothing that orders the two``
fn race_with_places(story: &Story, bug: &StoryBug, sources: &Sources) -> Option<String> {
    let ([first, second], "data-race") = (bug.witnesses.as_slice(), bug.kind.as_str()) else { return None };
    let at = |witness: &StoryWitness| {
        witness.stack.first().map_or(String::new(), |place| format!(" at {}", sources.short(place)))
    };
    // Both end with what they touch: the second time `it` is enough.
    let again = match (verb_and_object(&first.what), verb_and_object(&second.what)) {
        (Some((_, touched)), Some((verb, object))) if touched == object => format!("{verb} it"),
        _ => second.what.clone(),
    };
    Some(format!(
        "{} {}{} and {} {again}{}, with nothing that orders the two",
        thread(story, first.thread),
        first.what,
        at(first),
        thread(story, second.thread),
        at(second)
    ))
}

/// What an access does, and the object behind it: ``atomically writes`` and `` `count` ``, ``does a mutex lock of`` and `` `m` ``.
fn verb_and_object(what: &str) -> Option<(&str, &str)> {
    let verb = match what.split(' ').next()? {
        "does" | "ends" => what.find(" of ")? + " of".len(),
        "atomically" => "atomically ".len() + what.strip_prefix("atomically ")?.find(' ')?,
        _ => what.find(' ')?,
    };
    Some(what.split_at(verb))
}

/// Both accesses of a race, or the threads that go round in a loop.
fn witnesses(story: &Story, bug: &StoryBug, sources: &Sources, style: &Style) -> String {
    let mut text = String::new();
    for (i, witness) in bug.witnesses.iter().enumerate() {
        let number = if bug.witnesses.len() > 1 { format!("({}) ", i + 1) } else { String::new() };
        let who = thread(story, witness.thread);
        let said = format!("{who} {}", clean(&without_routines(&witness.what)));
        let lines = wrap(&said, style.width.saturating_sub(2 + width(&number)));
        let _ = writeln!(text, "  {}{}", style.paint(Ink::Bold, &number), lines.join("\n      "));
        if let Some(place) = witness.stack.first() {
            text += &excerpt(sources, style, place, Some(&who));
        }
        text += &calls(&witness.stack, sources, style);
    }
    text
}

/// The calls that led there.
fn calls(stack: &[Place], sources: &Sources, style: &Style) -> String {
    let mut text = String::new();
    for place in stack.iter().skip(1).take(CALLS) {
        let at = sources.place(place);
        let _ = writeln!(text, "  {} called from {at} in `{}`", style.paint(Ink::Frame, "="), place.function);
    }
    if stack.len() > CALLS + 1 {
        let more = format!("… and {} more calls", stack.len() - CALLS - 1);
        let _ = writeln!(text, "  {} {}", style.paint(Ink::Frame, "="), style.plain(&more));
    }
    text
}

fn schedule_heading(story: &Story, sources: &Sources, style: &Style) -> String {
    let keep = shown(story, sources, style.full);
    let hidden = story.steps.iter().zip(&keep).filter(|(step, keep)| !**keep && !is_quiet(step)).count();
    let mut parts = vec![
        count(story.steps.len(), "step"),
        count(story.thread_count(), "thread"),
        count(story.preemptions(), "preemption"),
    ];
    if story.occurrences > 1 {
        parts.push(format!("seen in {}", count(story.occurrences as usize, "schedule")));
    }
    let mut text = format!("{} {}", style.paint(Ink::Bold, "schedule:"), parts.join(", "));
    if hidden > 0 {
        let silent: Vec<String> = (0..story.threads.len())
            .filter(|&who| {
                let mut own = story.steps.iter().zip(&keep).filter(|(step, _)| step.thread == who).peekable();
                own.peek().is_some() && own.all(|(_, keep)| !keep)
            })
            .map(|who| number(story, who))
            .collect();
        let without = match silent.is_empty() {
            true => String::new(),
            false => format!("; {} {} no part", list(&silent), if silent.len() == 1 { "has" } else { "have" }),
        };
        let words = format!("({} left out, --full shows all{without})", count(hidden, "step"));
        let fits = width("schedule: ") + width(&parts.join(", ")) + 1 + width(&words) <= style.width;
        text += if fits { " " } else { "\n  " };
        text += &style.paint(Ink::Dim, &wrap(&words, style.width.saturating_sub(2)).join("\n  "));
    }
    text
}

/// What is claimed of a kind of bug.
fn absent(kind: &str) -> String {
    let words = match kind {
        "assertion" => "failed assertion",
        "data-race" => "data race",
        "use-after-free" => "use after free",
        "out-of-bounds" => "access out of bounds",
        "null-dereference" => "null dereference",
        "double-free" => "double free",
        "invalid-free" => "invalid free",
        "leak" => "memory leak",
        "uninitialised-read" => "uninitialised read",
        "mutex-misuse" => "misuse of a mutex",
        "thread-misuse" => "misuse of a thread",
        "invariant" => "broken invariant",
        "ltl" => "broken LTL formula",
        other => other,
    };
    format!("no {words}")
}

/// What a verdict is about: the files, `schedules`, and what was taken for granted of the input.
fn program(findings: &Findings, schedules: &str) -> String {
    let files = match findings.files.as_slice() {
        [] => "the program".into(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {}", count(rest.len(), "other file")),
    };
    let provided = findings.provided.as_ref().map_or(String::new(), |provided| format!(", {provided}"));
    format!("{files}{schedules}{provided}")
}

/// The first line: the verdict in its colour, and what it is about.
fn verdict(ink: Ink, word: &str, about: &str, style: &Style) -> String {
    let lines = wrap(&format!("{word}: {about}"), style.width.min(100).saturating_sub(2));
    let mut text = String::new();
    for (i, line) in lines.iter().enumerate() {
        let _ = match line.strip_prefix(word).filter(|_| i == 0) {
            Some(rest) => writeln!(text, "{}{}", style.paint(ink, word), style.paint(Ink::Bold, rest)),
            None => writeln!(text, "  {}", style.paint(Ink::Bold, line)),
        };
    }
    text
}

fn proof(findings: &Findings, style: &Style) -> String {
    let schedules = match (findings.threads, findings.executions) {
        (1, 0 | 1) => ", which has one thread, and so one schedule",
        (1, _) => ", which has one thread, with all its choices",
        _ => ", under every schedule",
    };
    let mut text = verdict(Ink::Good, "proved", &program(findings, schedules), style);
    text.push('\n');
    text += "  In every execution there is\n";
    text += &table(findings, style);
    text.push('\n');
    text += &numbers(findings, style);
    text += &bullets("this rests on", &findings.assumptions, style);
    text
}

/// The properties, in as many columns as there is room for.
fn table(findings: &Findings, style: &Style) -> String {
    let items: Vec<String> = findings.properties.iter().map(|kind| absent(kind)).collect();
    let widest = items.iter().map(|item| width(item)).max().unwrap_or(0) + 4;
    let columns = (style.width.min(100).saturating_sub(4) / widest.max(1)).clamp(1, 4);
    let rows = items.len().div_ceil(columns);
    let check = style.glyphs().check.to_string();
    let mut text = String::new();
    for row in 0..rows {
        let mut line = String::from("    ");
        for item in items.iter().skip(row).step_by(rows) {
            let _ = write!(line, "{} {item}{}", style.paint(Ink::Good, &check), " ".repeat(widest - 2 - width(item)));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn cost(findings: &Findings) -> String {
    format!(
        "{}, {}, {} ({})",
        count(findings.executions as usize, "execution"),
        count(findings.transitions as usize, "transition"),
        seconds(findings.seconds),
        findings.strategy
    )
}

fn numbers(findings: &Findings, style: &Style) -> String {
    let mut rows = Vec::new();
    let mut besides = Vec::new();
    if findings.blocked > 0 {
        // A search that stores states gives up where it has been before, not only at ends.
        let what = if findings.states.is_some() { "that came to a known state" } else { "redundant" };
        besides.push(format!("{} {what}", grouped(findings.blocked)));
    }
    if findings.cut > 0 {
        besides.push(format!("{} cut by an assumption of the program", grouped(findings.cut)));
    }
    let besides = if besides.is_empty() { String::new() } else { format!(" (besides {})", list(&besides)) };
    // All was explored, and nothing ended.
    let endless = findings.executions + findings.cut == 0 && findings.verdict == Verdict::Proved;
    let endless = if endless { ": the program runs for ever" } else { "" };
    rows.push(("executions", format!("{}{endless}{besides}", grouped(findings.executions))));
    if let Some(states) = findings.states {
        rows.push(("states", grouped(states)));
    }
    rows.push(("transitions", grouped(findings.transitions)));
    if let Some(done) = part_done(findings) {
        rows.push(("done", format!("{done} of the search, as far as one can tell")));
    }
    let workers = match findings.jobs {
        0 | 1 => String::new(),
        jobs => format!(", {jobs} workers ({} of processor time)", seconds(findings.cpu_seconds)),
    };
    rows.push(("time", format!("{}{workers}", seconds(findings.seconds))));
    rows.push(("memory", bytes(findings.peak_rss_bytes)));
    let chosen = findings.chosen.as_ref().map_or(String::new(), |why| format!(" (auto: {why})"));
    rows.push(("strategy", format!("{}{chosen}", findings.strategy)));
    rows.into_iter()
        .map(|(name, value)| format!("  {} {value}\n", style.paint(Ink::Dim, &format!("{name:<12}"))))
        .collect()
}

/// How much of the search was done. "At most all of it" says nothing.
fn part_done(findings: &Findings) -> Option<String> {
    findings.explored.filter(|&done| done < 0.995).map(percent)
}

/// `at most 8 %`, `less than 1 %`
pub fn percent(most: f64) -> String {
    match (most.clamp(0.0, 1.0) * 100.0).round() {
        0.0 => "less than 1 %".into(),
        percent => format!("at most {percent} %"),
    }
}

fn bullets(heading: &str, items: &[String], style: &Style) -> String {
    if items.is_empty() {
        return String::new();
    }
    let mut text = format!("\n  {}\n", style.paint(Ink::Bold, heading));
    for item in items {
        let lines = wrap(item, style.width.min(100).saturating_sub(6)).join("\n      ");
        let _ = writeln!(text, "    {} {lines}", style.glyphs().dash);
    }
    text
}

fn no_proof(findings: &Findings, style: &Style, word: &str, reason: &str) -> String {
    let (what, claim) = match word {
        "bounded" => (
            "No bug within the bound, which is not a proof",
            format!("Explored: {reason}. A bug that shows only beyond that has not been ruled out."),
        ),
        _ => (
            "No bug so far, which is not a proof",
            format!("The search stopped early: {reason}. What was explored is free of bugs; the rest is not known."),
        ),
    };
    let mut text = verdict(Ink::Warn, word, &program(findings, ""), style);
    let claim = format!("{what}. {claim}");
    for line in wrap(&claim, style.width.min(100).saturating_sub(2)) {
        let _ = writeln!(text, "  {line}");
    }
    text.push('\n');
    text += &numbers(findings, style);
    if !findings.properties.is_empty() {
        text += "\n  looked for\n";
        text += &looked_for(findings, style);
    }
    text += &bullets("this rests on", &findings.assumptions, style);
    text += &bullets("what to do next", &findings.advice, style);
    text
}

fn looked_for(findings: &Findings, style: &Style) -> String {
    wrap(&findings.properties.join(", "), style.width.min(100).saturating_sub(4))
        .iter()
        .map(|line| format!("    {}\n", style.paint(Ink::Dim, line)))
        .collect()
}
