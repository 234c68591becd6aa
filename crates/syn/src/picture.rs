//! Sequences as pictures: a column for each process, time from top to bottom, and an arrow where one event must come before
//! another. Events of a linearisation have its numbers, and a line that leads through them.

use std::fmt::Write as _;

use crate::answer::Model;
use crate::lattice::{Budget, Kind, Lattice};
use crate::recording::Recording;
use crate::sequence::EventId;

/// Light fills on which black prints well, one for each process in turn.
const FILLS: [&str; 8] = ["#e8eef7", "#fdf1dc", "#e3f2e1", "#f6e4ec", "#ece5f5", "#e0f3f3", "#f7ebe0", "#eeeeee"];
const PATH: &str = "#b00020";
const EDGE: &str = "#1f5fa8";

/// What an event does, a line for each part, and what else is known of it.
fn lines(recording: &Recording, event: EventId) -> (Vec<String>, Vec<String>) {
    let mut parts = recording.sequence.words_with_values(event);
    let last = parts.len() - 1;
    parts[..last].iter_mut().for_each(|part| part.push_str(" +"));
    let remarks = recording.sequence.event(event).remarks.as_ref();
    let label = remarks.and_then(|remarks| remarks.label.as_ref()).map(|label| format!("@{label}"));
    // Of a path, the file is what there is room for.
    let file = |file: &str| file.rsplit('/').next().unwrap_or(file).to_string();
    let line = remarks.and_then(|remarks| remarks.line.as_ref()).map(|(name, line)| format!("{}:{line}", file(name)));
    (parts, label.into_iter().chain(line).collect())
}

/// The number of each event in the line, from 1.
fn numbers(recording: &Recording, line: &[EventId]) -> Vec<Option<usize>> {
    let mut numbers = vec![None; recording.sequence.events.len()];
    line.iter().enumerate().for_each(|(number, &event)| numbers[event as usize] = Some(number + 1));
    numbers
}

fn head(recording: &Recording, process: usize) -> String {
    let process = &recording.sequence.processes[process];
    format!("{} {}", process.name, process.role).trim().to_string()
}

/// The partial order, for Graphviz.
pub fn dot(recording: &Recording, line: &[EventId]) -> String {
    let numbers = numbers(recording, line);
    let mut text = String::from(
        "digraph syn {\n  graph [splines=true, nodesep=0.5, ranksep=0.3, fontname=\"Helvetica\"];\n  \
         node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=10, margin=\"0.12,0.06\"];\n  \
         edge [fontname=\"Helvetica\", color=\"#444444\"];\n",
    );
    let mut heads = Vec::new();
    let direct: rustc_hash::FxHashSet<(EventId, EventId)> = recording.order.edges().collect();
    for (number, process) in recording.sequence.processes.iter().enumerate() {
        let look = format!("group=p{number}, fillcolor=\"{}\"", FILLS[number % FILLS.len()]);
        let label = quote(&[head(recording, number)]);
        let _ = writeln!(text, "\n  p{number} [label={label}, {look}, shape=plaintext, style=filled, fontsize=12];");
        heads.push(format!("p{number}"));
        let mut above = format!("p{number}");
        for event in process.first..process.first + process.events {
            let index = event - process.first;
            let (mut words, remarks) = lines(recording, event);
            words.extend(remarks);
            let mut border = String::new();
            if let Some(number) = numbers[event as usize] {
                words[0] = format!("{number}  {}", words[0]);
                border = format!(", color=\"{PATH}\", penwidth=1.6");
            }
            let _ =
                writeln!(text, "  e{event} [label={}, tooltip=\"p{number}.{index}\", {look}{border}];", quote(&words));
            // What a path between other processes implies is drawn faintly: it holds the column together.
            let look = match index {
                0 => "style=dotted, arrowhead=none, weight=20",
                _ if direct.contains(&(event - 1, event)) => "weight=20, penwidth=1.4",
                _ => "weight=20, style=dotted, arrowhead=none",
            };
            let _ = writeln!(text, "  {above} -> e{event} [{look}];");
            above = format!("e{event}");
        }
    }
    // One alone would be hidden itself.
    if heads.len() > 1 {
        let _ = writeln!(text, "\n  {{ rank=same; {} [style=invis]; }}", heads.join(" -> "));
    }
    let process = |event: EventId| recording.sequence.event(event).process;
    for (from, to) in recording.order.edges().filter(|&(from, to)| process(from) != process(to)) {
        let _ = writeln!(text, "  e{from} -> e{to} [style=dashed, color=\"{EDGE}\"];");
    }
    for pair in line.windows(2) {
        let _ = writeln!(text, "  e{} -> e{} [color=\"{PATH}\", constraint=false, arrowsize=0.6];", pair[0], pair[1]);
    }
    text + "}\n"
}

/// The states of a lattice and the events between them, for Graphviz. None where there are more than `limit`.
pub fn states(recording: &Recording, model: Model, limit: usize) -> Option<String> {
    let kind = if model == Model::Stateful { Kind::Stateful } else { Kind::Stateless };
    let sequence = &recording.sequence;
    let budget = Budget { states: limit, bytes: usize::MAX };
    let mut lattice = Lattice::new(sequence, &recording.versions, &recording.order, kind, (&[], 0), budget);
    let mut text = String::from(
        "digraph states {\n  node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=10];\n  \
         edge [fontname=\"Helvetica\", fontsize=9];\n",
    );
    lattice.first();
    let mut state = 0;
    while (state as usize) < lattice.size() {
        let mut words = Vec::new();
        if kind == Kind::Stateful {
            let values = (0..sequence.variables.len() as u32)
                .filter(|&v| sequence.variables[v as usize].hidden.is_none())
                .map(|v| {
                    let version = lattice.versions_of(state)[v as usize];
                    let value = sequence.value(v, version).map_or(format!("v{version}"), |value| value.to_string());
                    format!("{} = {value}", sequence.variable_name(v))
                });
            words.push(values.collect::<Vec<_>>().join(", "));
        }
        words.push(
            lattice
                .counters(state)
                .iter()
                .map(|count| (i64::from(*count) - 1).to_string())
                .collect::<Vec<_>>()
                .join(", "),
        );
        let _ = writeln!(text, "  s{state} [label={}];", quote(&words));
        for process in lattice.enabled(state) {
            let event = sequence.event_at(process, lattice.counters(state)[process as usize]);
            let to = lattice.after(state, process);
            let _ = writeln!(text, "  s{state} -> s{to} [label={}];", quote(&[sequence.called(event)]));
        }
        if lattice.full.get() {
            return None;
        }
        state += 1;
    }
    Some(text + "}\n")
}

fn quote(lines: &[String]) -> String {
    let escape = |line: &String| line.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ");
    let escape = |line: &String| escape(line).replace(|c: char| c.is_control(), "·");
    format!("\"{}\"", lines.iter().map(escape).collect::<Vec<_>>().join("\\n"))
}

const COLUMN: usize = 190;
const ROW: usize = 56;
const BOX: (usize, usize) = (150, 34);
const TOP: usize = 60;

/// The partial order as SVG: an event stands below all that come before it.
pub fn svg(recording: &Recording, line: &[EventId]) -> String {
    let sequence = &recording.sequence;
    let numbers = numbers(recording, line);
    let mut rows = vec![0usize; sequence.events.len()];
    for &event in &recording.order.line {
        let above = recording.order.before(event).iter().map(|&other| rows[other as usize] + 1).max().unwrap_or(0);
        // Also below its neighbour, whether or not the edge between them is implied.
        let own = if sequence.event(event).index > 0 { rows[event as usize - 1] + 1 } else { 0 };
        rows[event as usize] = above.max(own);
    }
    let height = TOP + (rows.iter().max().map_or(0, |row| row + 1)) * ROW + 20;
    let width = sequence.processes.len() * COLUMN + 40;
    let centre = |event: EventId| {
        let at = sequence.event(event);
        (20 + at.process as usize * COLUMN + COLUMN / 2, TOP + rows[event as usize] * ROW + BOX.1 / 2)
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<defs>{}{}</defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        arrow_head("edge", EDGE),
        arrow_head("path", PATH),
    );
    for process in 0..sequence.processes.len() {
        let x = 20 + process * COLUMN + COLUMN / 2;
        let _ = writeln!(
            text,
            "<text x=\"{x}\" y=\"30\" text-anchor=\"middle\" font-size=\"14\" font-weight=\"bold\">{}</text>\n\
             <line x1=\"{x}\" y1=\"40\" x2=\"{x}\" y2=\"{}\" stroke=\"#cccccc\" stroke-width=\"2\"/>",
            escape(&head(recording, process)),
            height - 10
        );
    }
    for (from, to) in recording.order.edges() {
        let ((x1, y1), (x2, y2)) = (centre(from), centre(to));
        if x1 != x2 {
            let _ = writeln!(
                text,
                "<path d=\"{}\" fill=\"none\" stroke=\"{EDGE}\" stroke-width=\"1.3\" stroke-dasharray=\"5 3\" \
                 marker-end=\"url(#edge)\"/>",
                route((x1, y1), (x2, y2))
            );
        }
    }
    for pair in line.windows(2) {
        let ((x1, y1), (x2, y2)) = path_ends(centre(pair[0]), centre(pair[1]));
        let _ = writeln!(
            text,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{PATH}\" stroke-width=\"1\" opacity=\"0.55\" \
             marker-end=\"url(#path)\"/>"
        );
    }
    for event in 0..sequence.events.len() as EventId {
        let (x, y) = centre(event);
        let number = numbers[event as usize];
        let (fill, stroke) = (
            FILLS[sequence.event(event).process as usize % FILLS.len()],
            if number.is_some() { PATH } else { "#888888" },
        );
        let (parts, remarks) = lines(recording, event);
        let _ = writeln!(
            text,
            "<g><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"{fill}\" stroke=\"{stroke}\"/>",
            escape(&sequence.called(event)),
            x - BOX.0 / 2,
            y - BOX.1 / 2,
            BOX.0,
            BOX.1
        );
        let first = y + 4 - if remarks.is_empty() { 0 } else { 7 };
        let _ = writeln!(
            text,
            "<text x=\"{x}\" y=\"{first}\" text-anchor=\"middle\">{}</text>",
            escape(&cut(&parts.join(" ")))
        );
        if !remarks.is_empty() {
            let rest = cut(&remarks.join(" "));
            let _ = writeln!(
                text,
                "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" font-size=\"9\" fill=\"#555555\">{}</text>",
                y + 12,
                escape(&rest)
            );
        }
        if let Some(number) = number {
            let _ = writeln!(
                text,
                "<text x=\"{}\" y=\"{}\" fill=\"{PATH}\" font-size=\"10\">{number}</text>",
                x - BOX.0 / 2 + 4,
                y - 5
            );
        }
        text += "</g>\n";
    }
    text + "</svg>\n"
}

/// From one box to another: between neighbours straight across, else through the gap above the row of the second, where no box is.
fn route((x1, y1): (usize, usize), (x2, y2): (usize, usize)) -> String {
    let is_far = x1.abs_diff(x2) > COLUMN;
    let (from, to) = sides(x1, x2);
    if !is_far {
        let middle = (from + to) / 2;
        return format!("M{from} {y1} C{middle} {y1} {middle} {y2} {to} {y2}");
    }
    // The gutters beside the columns are as wide as boxes leave them.
    let gutter = (COLUMN - BOX.0) / 2;
    let [first, in_gap, out_of_gap, second] = match x1 < x2 {
        true => [from + gutter, from + 2 * gutter, to - 2 * gutter, to - gutter],
        false => [from - gutter, from - 2 * gutter, to + 2 * gutter, to + gutter],
    };
    let gap = y2 - ROW / 2;
    format!(
        "M{from} {y1} C{first} {y1} {first} {gap} {in_gap} {gap} L{out_of_gap} {gap} C{second} {gap} {second} {y2} {to} {y2}"
    )
}

/// A step of a linearisation: from below one box to above the next, or across where that is not below.
fn path_ends((x1, y1): (usize, usize), (x2, y2): (usize, usize)) -> ((usize, usize), (usize, usize)) {
    if y2 > y1 {
        return ((x1, y1 + BOX.1 / 2), (x2, y2 - BOX.1 / 2 - 2));
    }
    let (from, to) = sides(x1, x2);
    ((from, y1), (to, y2))
}

/// From the side of one box to the side of another.
fn sides(x1: usize, x2: usize) -> (usize, usize) {
    if x1 < x2 { (x1 + BOX.0 / 2, x2 - BOX.0 / 2 - 2) } else { (x1 - BOX.0 / 2, x2 + BOX.0 / 2 + 2) }
}

fn arrow_head(name: &str, colour: &str) -> String {
    format!(
        "<marker id=\"{name}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
         <path d=\"M0 0 L10 5 L0 10 z\" fill=\"{colour}\"/></marker>"
    )
}

/// As much as a box has room for.
fn cut(text: &str) -> String {
    const ROOM: usize = 24;
    if text.chars().count() <= ROOM { text.into() } else { text.chars().take(ROOM - 1).chain(['…']).collect() }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace(|c: char| c.is_control(), " ")
}
