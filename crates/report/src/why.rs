//! Why it went wrong, in a sentence: the pattern of accesses that a person would look for first.

use threadbare_core::{Mode, Operation, Place, Space, Story, StoryBug, StoryStep, StoryWitness, Then};

use crate::deadlock::cycle;
use crate::relevance::objects;
use crate::source::Sources;
use crate::text::list;
use crate::words::{Touch, is_library, number, quoted, thread, touches, without_routines};

/// A sentence or two, or nothing where the message says it all.
pub fn why(story: &Story, sources: &Sources) -> Option<String> {
    let bug = story.bug.as_ref()?;
    let sentence = match bug.kind.as_str() {
        "deadlock" => deadlock(story, bug, sources),
        "livelock" => livelock(story, bug, sources),
        // The message tells of both sides.
        "use-after-free" if !bug.witnesses.is_empty() => None,
        "use-after-free" | "double-free" => freed(story, bug, sources).or_else(|| accesses(story, bug, sources)),
        "invariant" => broken(story, sources),
        // Their messages say it.
        "data-race" | "leak" => None,
        _ => accesses(story, bug, sources),
    }?;
    let mut letters = sentence.chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).collect())
}

fn deadlock(story: &Story, bug: &StoryBug, sources: &Sources) -> Option<String> {
    let names: Vec<String> = cycle(&bug.witnesses).iter().map(|&at| number(story, bug.witnesses[at].thread)).collect();
    let held = cycle(&bug.witnesses).iter().all(|&at| bug.witnesses[at].what.contains("held by"));
    match names.len() {
        0 => missed_signal(story, bug, sources).or_else(|| {
            let says = |witness: &StoryWitness| {
                format!("{} {}", thread(story, witness.thread), without_routines(&witness.what))
            };
            let all: Vec<String> = bug.witnesses.iter().map(says).collect();
            (!all.is_empty()).then(|| format!("{}.", all.join("; ")))
        }),
        1 => Some(format!("thread {} waits for itself.", names[0])),
        2 if held => {
            Some(format!("threads {} wait for each other: each holds what the other one needs.", list(&names)))
        }
        2 => Some(format!("threads {} wait for each other.", list(&names))),
        _ if held => Some(format!("threads {} wait in a circle: each for what the next one holds.", list(&names))),
        _ => Some(format!("threads {} wait in a circle: each for the next one.", list(&names))),
    }
}

/// A thread waits for a signal that was given when nobody waited.
fn missed_signal(story: &Story, bug: &StoryBug, sources: &Sources) -> Option<String> {
    bug.witnesses.iter().find_map(|witness| {
        let name = quoted(&witness.what).next()?;
        let signal = story.steps.iter().rfind(|step| {
            matches!(step.operation, Operation::CondSignal | Operation::CondBroadcast)
                && step.objects.iter().any(|object| object.space == Space::Cond && object.name == name)
        })?;
        let verb = if signal.operation == Operation::CondSignal { "signalled" } else { "broadcast" };
        signal.affects.is_empty().then(|| {
            format!(
                "{} {verb} `{name}` at {} when nobody waited for it; {} waits at {} for a signal that will not come.",
                thread(story, signal.thread),
                signal.stack.first().map_or(String::new(), |place| sources.short(place)),
                thread(story, witness.thread),
                witness.stack.first().map_or(String::new(), |place| sources.short(place)),
            )
        })
    })
}

fn livelock(story: &Story, bug: &StoryBug, sources: &Sources) -> Option<String> {
    let says =
        |witness: &StoryWitness| format!("{} {}", thread(story, witness.thread), without_routines(&witness.what));
    if let Some((spins, others)) = bug.witnesses.split_first().filter(|(first, _)| first.what.contains('`')) {
        let at = spins.stack.first().map_or(String::new(), |place| format!(" at {}", sources.short(place)));
        let loops = says(spins).replacen("waits for", &format!("waits in a loop{at} for"), 1);
        let rest: Vec<String> = others.iter().filter(|other| other.what.contains("but waits")).map(says).collect();
        return Some(match rest.is_empty() {
            true => format!("{loops}, and no other thread will ever change it."),
            false => format!("{loops}; {}.", rest.join("; ")),
        });
    }
    // A loop that waits for nothing: that is all there is to say.
    if bug.witnesses.first().is_some_and(|witness| !witness.what.starts_with("waits")) {
        return None;
    }
    let spinning = story.steps.iter().rfind(|step| step.then == Then::Spins);
    // A loop that looks at nothing waits for nobody.
    if spinning.is_none() && bug.witnesses.is_empty() {
        return None;
    }
    let who = spinning.map(|step| step.thread).or(bug.thread)?;
    let witness = bug.witnesses.iter().find(|witness| witness.thread == who);
    let place = witness.map_or(&bug.stack, |witness| &witness.stack).first();
    // The step that goes round the loop is not taken again: the last one may stand somewhere else.
    let line = |place: Option<&Place>| place.map(|place| (place.file.clone(), place.line));
    let object = spinning.filter(|step| line(step.stack.first()) == line(place)).and_then(|step| step.objects.first());
    let what = object.map_or("a change that no other thread will ever make".into(), |object| match &object.before {
        Some(value) => format!("`{}` to be other than {value}, and no other thread will ever change it", object.name),
        None => format!("`{}` to change, and no other thread will ever change it", object.name),
    });
    let at = place.map_or(String::new(), |place| format!(" at {}", sources.short(place)));
    Some(format!("{} waits in a loop{at} for {what}.", thread(story, who)))
}

fn freed(story: &Story, bug: &StoryBug, sources: &Sources) -> Option<String> {
    let frees = |step: &StoryStep| step.operation == Operation::Free && step.then != Then::Failed;
    let step = story.steps.iter().rfind(|step| frees(step) && !is_library(step))?;
    let at = sources.short(step.stack.first()?);
    let who = bug.thread.filter(|&who| who != step.thread)?;
    let now = sources.short(bug.stack.first()?);
    let verb = if bug.kind == "double-free" { "frees it again" } else { "still uses it" };
    Some(format!(
        "{} freed the object at {at}, and {} {verb} at {now}.",
        thread(story, step.thread),
        thread(story, who)
    ))
}

/// The write after which an invariant does not hold, and the last one of somebody else before it.
fn broken(story: &Story, sources: &Sources) -> Option<String> {
    let says = |step: &StoryStep| {
        let object = step.objects.iter().find(|object| object.space == Space::Memory && object.mode != Mode::Read)?;
        let at = sources.short(step.stack.first()?);
        let value = object.after.as_ref().map_or(String::new(), |value| format!(" to {value}"));
        Some((object.name.clone(), format!("{} set `{}`{value} at {at}", thread(story, step.thread), object.name)))
    };
    let (last, before) = story.steps.split_last()?;
    let (name, now) = says(last)?;
    let other = before.iter().rev().filter(|step| step.thread != last.thread && !is_library(step)).find_map(says);
    Some(match other {
        Some((earlier, then)) if earlier != name => format!("{then}; {now}, and the two do not fit together."),
        _ => format!("{now}."),
    })
}

/// For what depends on values: the lost update, the value that is out of date, the value that another thread wrote.
fn accesses(story: &Story, bug: &StoryBug, sources: &Sources) -> Option<String> {
    let objects = objects(story, sources);
    let all = touches(story);
    let of = |name: &str| -> Vec<&Touch<'_>> {
        all.iter().filter(|touch| touch.object.space == Space::Memory && touch.object.name == name).collect()
    };
    let names: Vec<&String> =
        objects.iter().filter(|(_, space)| *space == Space::Memory).map(|(name, _)| name).collect();
    let lost = names.iter().filter_map(|name| lost_update(&of(name))).max_by_key(|(.., write)| write.step);
    if let Some((read, between, write)) = lost {
        return Some(format!(
            "{} read `{}`{}{}; {} then {}{}; {} overwrote that{}{}, knowing only the old value.",
            thread(story, read.thread),
            read.object.name,
            value(" = ", &read.object.before),
            at(sources, read),
            thread(story, between.thread),
            changed(between),
            at(sources, between),
            thread(story, write.thread),
            value(" with ", &write.object.after),
            at(sources, write),
        ));
    }
    let who = bug.thread?;
    let between = names.iter().filter_map(|name| in_between(&of(name), who)).max_by_key(|(.., after)| after.step);
    if let Some((before, other, after)) = between {
        return Some(format!(
            "{} {}{}; {} then {}{}, before {} came back to it{}.",
            thread(story, who),
            did(before),
            at(sources, before),
            thread(story, other.thread),
            changed(other),
            at(sources, other),
            thread(story, who),
            at(sources, after),
        ));
    }
    let mut parts = Vec::new();
    for name in names {
        let touches = of(name);
        let Some(at_read) = touches.iter().rposition(|touch| touch.thread == who && touch.reads()) else {
            parts.extend(last_writes(story, sources, &touches).map(|words| (1, None, words)));
            continue;
        };
        let read = touches[at_read];
        let others = |touch: &&&Touch<'_>| touch.thread != who && touch.writes();
        let later = touches[at_read..].iter().filter(others).find(|touch| touch.step > read.step);
        let said = format!(
            "{} read `{name}`{}{}",
            thread(story, who),
            value(" = ", &read.object.before.clone().or(read.object.after.clone())),
            at(sources, read)
        );
        if let Some(later) = later {
            let words = format!(
                "{said}, but {} {}{} before that value was used",
                thread(story, later.thread),
                changed(later),
                at(sources, later)
            );
            parts.push((0, Some(read.step), words));
        } else if let Some(earlier) = touches[..at_read].iter().rfind(|touch| touch.writes()) {
            let writer = match earlier.thread == who {
                true => "it".into(),
                false => thread(story, earlier.thread),
            };
            let words = format!("{said}, as {writer} wrote it{}", at(sources, earlier));
            parts.push((if earlier.thread == who { 2 } else { 1 }, Some(read.step), words));
        } else {
            // What a program does while it has one thread is not told, nor what the library puts into memory that it allocates.
            let threads = story.steps[..=read.step].iter().any(|step| step.operation == Operation::ThreadCreate);
            let nobody = match threads && !name.contains('#') {
                true => ", and nobody had written it since threads were created",
                false => "",
            };
            parts.push((2, Some(read.step), format!("{said}{nobody}")));
        }
    }
    // What the last step of the thread looked at is what it fell over.
    let last = story.steps.iter().rposition(|step| step.thread == who);
    if parts.iter().any(|(_, step, _)| *step == last) {
        parts.retain(|(_, step, _)| *step == last);
    }
    parts.sort_by_key(|(rank, ..)| *rank);
    parts.truncate(2);
    let words: Vec<String> = parts.into_iter().map(|(.., words)| words).collect();
    (!words.is_empty()).then(|| format!("{}.", words.join("; ")))
}

/// A thread reads, another one writes, the first one writes what it made of the old value.
fn lost_update<'t, 's>(touches: &[&'t Touch<'s>]) -> Option<(&'t Touch<'s>, &'t Touch<'s>, &'t Touch<'s>)> {
    for (k, write) in touches.iter().enumerate().rev().filter(|(_, touch)| touch.writes() && !touch.whole) {
        let before = &touches[..k];
        let Some(i) = before.iter().rposition(|touch| touch.thread == write.thread) else { continue };
        let read = before[i];
        if !read.reads() || read.whole {
            continue;
        }
        let between = before[i..].iter().rfind(|touch| touch.thread != write.thread && touch.writes());
        if let Some(between) = between {
            return Some((read, between, write));
        }
    }
    None
}

/// Where reads are not known: who wrote last, and which other thread before.
fn last_writes(story: &Story, sources: &Sources, touches: &[&Touch<'_>]) -> Option<String> {
    let last = touches.iter().rfind(|touch| touch.writes())?;
    let says = |touch: &Touch<'_>| format!("{} {}{}", thread(story, touch.thread), did(touch), at(sources, touch));
    let other = touches.iter().rfind(|touch| touch.writes() && touch.thread != last.thread);
    Some(match other {
        Some(other) => format!("{}, and then {}", says(other), says(last)),
        None => says(last),
    })
}

/// Another thread writes between two accesses of this one, which reads the second time: what it knew is out of date.
fn in_between<'t, 's>(touches: &[&'t Touch<'s>], who: usize) -> Option<(&'t Touch<'s>, &'t Touch<'s>, &'t Touch<'s>)> {
    let other = touches.iter().rposition(|touch| touch.thread != who && touch.writes())?;
    let before = touches[..other].iter().rfind(|touch| touch.thread == who)?;
    let after = touches[other..].iter().find(|touch| touch.thread == who)?;
    Some((before, touches[other], after))
}

fn did(touch: &Touch<'_>) -> String {
    let name = &touch.object.name;
    match touch.writes() {
        true => format!("set `{name}`{}", value(" to ", &touch.object.after)),
        false => format!("read `{name}`{}", value(" = ", &touch.object.before)),
    }
}

fn value(words: &str, value: &Option<String>) -> String {
    value.as_ref().map_or(String::new(), |value| format!("{words}{value}"))
}

fn changed(touch: &Touch<'_>) -> String {
    match &touch.object.after {
        Some(value) => format!("set it to {value}"),
        None => "changed it".into(),
    }
}

fn at(sources: &Sources, touch: &Touch<'_>) -> String {
    touch.place.map_or(String::new(), |place| format!(" at {}", sources.short(place)))
}
