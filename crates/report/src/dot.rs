//! The partial order of a bug as a graph for Graphviz: a column a thread, an edge where one step must come before
//! another. Only edges that no others imply are drawn (the transitive reduction).

use std::fmt::Write as _;

use threadbare_core::{Operation, Story};

use crate::relevance::shown;
use crate::source::Sources;
use crate::style::Style;
use crate::text::fit;
use crate::words::{access, step as step_words, title};

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
    let wide = Style { unicode: true, ..style.clone() };
    let glyphs = wide.glyphs();
    let mut text = String::from("digraph threadbare {\n");
    let name = story.bug.as_ref().map_or(String::new(), |bug| format!("{}: {}", bug.kind, bug.message));
    let _ = writeln!(text, "  graph [label={}, labelloc=t, rankdir=TB, newrank=true, splines=true,", quote(&name));
    text += "    nodesep=0.35, ranksep=0.3, fontname=\"Helvetica\", fontsize=14];\n";
    text +=
        "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=10, margin=\"0.12,0.06\"];\n";
    text += "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#444444\"];\n";

    let raced: Vec<usize> =
        story.bug.iter().flat_map(|bug| &bug.witnesses).filter_map(|witness| witness.step).collect();
    let failed = |thread: usize| {
        let bug = story.bug.as_ref()?;
        let witness = bug.witnesses.iter().find(|witness| witness.thread == thread);
        match witness {
            Some(witness) => Some((witness.what.replace('`', ""), witness.stack.first())),
            None if bug.witnesses.is_empty() && bug.thread == Some(thread) => {
                Some((bug.kind.clone(), bug.stack.first()))
            }
            None => None,
        }
    };
    let mut heads: Vec<String> = Vec::new();
    for thread in 0..story.threads.len() {
        let own: Vec<usize> = nodes.iter().copied().filter(|&i| story.steps[i].thread == thread).collect();
        let ending = failed(thread);
        if own.is_empty() && ending.is_none() {
            continue;
        }
        let fill = FILLS[thread % FILLS.len()];
        let _ = writeln!(text, "  subgraph cluster_{thread} {{");
        let label = quote(&format!("thread {}", title(story, thread)));
        text += "    style=rounded; color=\"#999999\";\n";
        let _ = writeln!(text, "    t{thread} [label={label}, shape=plaintext, style=\"\", fontsize=12];");
        let first = own.first().map_or(format!("bug{thread}"), |first| format!("s{first}"));
        let _ = writeln!(text, "    t{thread} -> {first} [style=invis, weight=20];");
        heads.push(format!("t{thread}"));
        for &i in &own {
            let step = &story.steps[i];
            let mut lines = vec![format!("{}  {}", i + 1, step_words(story, step, glyphs))];
            lines.extend(
                step.stack
                    .first()
                    .map(|place| format!("{}  {}", sources.short(place), fit(&sources.code(place), 48, glyphs.cut))),
            );
            for plain in &step.plain {
                let writes = plain.object.mode != threadbare_core::Mode::Read;
                let at = sources.short(&plain.place);
                lines.push(format!("{}  ({at})", access(&plain.object, writes, glyphs)));
            }
            let border = if raced.contains(&i) { ", color=\"#b00020\", penwidth=2.5" } else { "" };
            let label = quote_lines(&lines);
            let _ = writeln!(text, "    s{i} [label={label}, fillcolor=\"{fill}\"{border}];");
        }
        if let Some((what, place)) = ending {
            let mut lines = vec![what];
            lines.extend(
                place.map(|place| format!("{}  {}", sources.short(place), fit(&sources.code(place), 48, glyphs.cut))),
            );
            let label = quote_lines(&lines);
            let _ = writeln!(
                text,
                "    bug{thread} [label={label}, fillcolor=\"#ffd9d9\", color=\"#b00020\", penwidth=2, shape=octagon, style=filled];"
            );
        }
        text += "  }\n";
        if let Some(&last) = own.last().filter(|_| failed(thread).is_some()) {
            let _ = writeln!(text, "  s{last} -> bug{thread} [color=\"#b00020\", penwidth=1.5];");
        }
    }
    // The heads in a row keep the columns in the order of the threads.
    let _ = writeln!(text, "  {{ rank=same; {} [style=invis]; }}", heads.join(" -> "));
    for (from, to) in edges(story, &nodes) {
        let same = story.steps[from].thread == story.steps[to].thread;
        let shape = if same { "weight=20, penwidth=1.4".to_string() } else { between(story, from, to) };
        let _ = writeln!(text, "  s{from} -> s{to} [{shape}];");
    }
    if let Some(bug) = &story.bug {
        for witness in &bug.witnesses {
            if let Some(other) = witness.waits_for.filter(|&other| failed(other).is_some()) {
                let _ = writeln!(
                    text,
                    "  bug{} -> bug{other} [style=dashed, color=\"#b00020\", label=\"waits for\", constraint=false];",
                    witness.thread
                );
            }
        }
    }
    text += "}\n";
    text
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
