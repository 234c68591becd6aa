//! The partial order of a bug as a graph for Graphviz: a column a thread, an edge where one step must come before
//! another. Only edges that no others imply are drawn (the transitive reduction).

use std::fmt::Write as _;

use threadbare_core::{Mode, Operation, Place, Story};

use crate::relevance::shown;
use crate::source::Sources;
use crate::style::Style;
use crate::words::{access, step as step_words, title, without_routines};

/// Light fills on which black prints well, one for each thread in turn; they differ in grey too.
const FILLS: [&str; 8] = ["#e8eef7", "#fdf1dc", "#e3f2e1", "#f6e4ec", "#ece5f5", "#e0f3f3", "#f7ebe0", "#eeeeee"];

/// Whether step `i` is `j` or must come before it.
fn before(story: &Story, numbers: &[u32], i: usize, j: usize) -> bool {
    let (first, second) = (&story.steps[i], &story.steps[j]);
    if first.thread == second.thread {
        return i <= j;
    }
    second.clock.get(first.thread).is_some_and(|&known| known >= numbers[i])
}

/// The number of each step in its thread, from 1.
fn numbers(story: &Story) -> Vec<u32> {
    let mut counts = vec![0; story.threads.len()];
    story
        .steps
        .iter()
        .map(|step| {
            counts[step.thread] += 1;
            counts[step.thread]
        })
        .collect()
}

/// Edges that no path of others implies, between the steps of `nodes`, which are in the order of the story.
fn edges(story: &Story, nodes: &[usize]) -> Vec<(usize, usize)> {
    let numbers = numbers(story);
    let mut edges = Vec::new();
    for (at, &to) in nodes.iter().enumerate() {
        // From the latest down: a step that is before one that has an edge is implied.
        let mut direct: Vec<usize> = Vec::new();
        for &from in nodes[..at].iter().rev() {
            if before(story, &numbers, from, to) && !direct.iter().any(|&other| before(story, &numbers, from, other)) {
                direct.push(from);
            }
        }
        edges.extend(direct.into_iter().rev().map(|from| (from, to)));
    }
    edges
}

/// The graph of one story; only steps that matter, unless the style asks for all.
pub fn dot(story: &Story, sources: &Sources, style: &Style) -> String {
    let keep = shown(story, sources, style.full);
    let nodes: Vec<usize> = (0..story.steps.len()).filter(|&i| keep[i]).collect();
    let mut text = String::from("digraph threadbare {\n");
    let name = story.bug.as_ref().map_or(String::new(), |bug| format!("{}: {}", bug.kind, bug.message));
    let _ = writeln!(text, "  graph [label={}, labelloc=t, splines=true, nodesep=0.4, ranksep=0.3,", quote(&name));
    text += "    fontname=\"Helvetica\", fontsize=14];\n";
    text +=
        "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=10, margin=\"0.12,0.06\"];\n";
    text += "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#444444\", fontcolor=\"#444444\"];\n";

    let mut heads: Vec<String> = Vec::new();
    for thread in 0..story.threads.len() {
        let own: Vec<usize> = nodes.iter().copied().filter(|&i| story.steps[i].thread == thread).collect();
        let ending = ending(story, thread);
        if own.is_empty() && ending.is_none() {
            continue;
        }
        let look = format!("group=t{thread}, fillcolor=\"{}\"", FILLS[thread % FILLS.len()]);
        let label = quote(&format!("thread {}", title(story, thread)));
        let _ = writeln!(text, "\n  t{thread} [label={label}, {look}, shape=plaintext, style=filled, fontsize=12];");
        heads.push(format!("t{thread}"));
        let mut column = vec![format!("t{thread}")];
        for &i in &own {
            let raced = story.bug.iter().filter(|bug| bug.kind == "data-race").flat_map(|bug| &bug.witnesses);
            let border = match raced.into_iter().any(|witness| witness.step == Some(i)) {
                true => ", color=\"#b00020\", penwidth=2.5",
                false => "",
            };
            let label = quote_lines(&lines(story, sources, i));
            let _ = writeln!(text, "  s{i} [label={label}, {look}{border}];");
            column.push(format!("s{i}"));
        }
        if let Some((what, place)) = ending {
            let mut lines = vec![what];
            lines.extend(place.map(|place| source_line(sources, place)));
            let label = quote_lines(&lines);
            let red = "fillcolor=\"#ffd9d9\", color=\"#b00020\", penwidth=2";
            let _ = writeln!(text, "  bug{thread} [label={label}, group=t{thread}, {red}];");
            column.push(format!("bug{thread}"));
        }
        for (i, pair) in column.windows(2).enumerate() {
            let look = if i == 0 { "style=dotted, arrowhead=none, weight=20" } else { "weight=20, penwidth=1.4" };
            let _ = writeln!(text, "  {} -> {} [{look}];", pair[0], pair[1]);
        }
    }
    // The heads in a row keep the columns in the order of the threads.
    let _ = writeln!(text, "\n  {{ rank=same; {} [style=invis]; }}", heads.join(" -> "));
    for (from, to) in edges(story, &nodes) {
        if story.steps[from].thread != story.steps[to].thread {
            let _ = writeln!(text, "  s{from} -> s{to} [{}];", between(story, from, to));
        }
    }
    for witness in story.bug.iter().flat_map(|bug| &bug.witnesses) {
        if let Some(other) = witness.waits_for.filter(|&other| ending(story, other).is_some()) {
            let look = "style=dashed, color=\"#b00020\", label=\"waits for\", constraint=false";
            let _ = writeln!(text, "  bug{} -> bug{other} [{look}];", witness.thread);
        }
    }
    text += "}\n";
    text
}

/// Where the bug leaves a thread.
fn ending(story: &Story, thread: usize) -> Option<(String, Option<&Place>)> {
    let bug = story.bug.as_ref()?;
    match bug.witnesses.iter().find(|witness| witness.thread == thread) {
        Some(witness) => Some((without_routines(&witness.what).replace('`', ""), witness.stack.first())),
        None if bug.witnesses.is_empty() && bug.thread == Some(thread) => Some((bug.kind.clone(), bug.stack.first())),
        None => None,
    }
}

/// What a node says: the step, its source line, the plain accesses behind it.
fn lines(story: &Story, sources: &Sources, i: usize) -> Vec<String> {
    let wide = Style::default();
    let glyphs = wide.glyphs();
    let step = &story.steps[i];
    let mut lines = vec![format!("{}  {}", i + 1, step_words(story, step, glyphs))];
    lines.extend(step.stack.first().map(|place| source_line(sources, place)));
    for plain in &step.plain {
        let writes = plain.object.mode != Mode::Read;
        let at = sources.short(&plain.place);
        lines.push(format!("{}  ({at})", access(&plain.object, writes, glyphs)));
    }
    lines
}

fn source_line(sources: &Sources, place: &Place) -> String {
    format!("{}  {}", sources.short(place), sources.code_in(place, 48, "…"))
}

/// How an edge between threads looks: named by the object that orders the two steps.
fn between(story: &Story, from: usize, to: usize) -> String {
    let (first, second) = (&story.steps[from], &story.steps[to]);
    if first.operation == Operation::ThreadCreate && first.affects.contains(&second.thread) {
        return "style=bold, color=\"#1f5fa8\", label=\"creates\"".into();
    }
    let objects = |i: usize| {
        let step = &story.steps[i];
        step.objects.iter().chain(step.plain.iter().map(|access| &access.object)).collect::<Vec<_>>()
    };
    let others = objects(to);
    let common = objects(from).into_iter().find(|object| {
        others
            .iter()
            .any(|other| other.space == object.space && other.name == object.name && object.mode.conflicts(other.mode))
    });
    let label = common.map_or(String::new(), |object| format!(", label={}", quote(&object.name)));
    format!("style=dashed, color=\"#1f5fa8\"{label}")
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ")
}

fn quote(text: &str) -> String {
    format!("\"{}\"", escape(text))
}

/// Lines that begin at the left.
fn quote_lines(lines: &[String]) -> String {
    let text: String = lines.iter().map(|line| format!("{}\\l", escape(line))).collect();
    format!("\"{text}\"")
}
