//! Automata as pictures, for Graphviz. What is written at an arrow must hold for it to be taken; a number in a circle stands for an
//! acceptance set that it belongs to.

use std::fmt::Write;

use crate::automaton::{Automaton, Cube, StateId};
use crate::syntax::Proposition;

pub fn dot(automaton: &Automaton, name: &str, propositions: &[Proposition]) -> String {
    let mut text = format!(
        "digraph automaton {{\n  label = {}; labelloc = t; rankdir = LR; fontname = \"sans-serif\";\n  \
         node [shape = circle, fontname = \"sans-serif\"]; edge [fontname = \"sans-serif\", fontsize = 11];\n  \
         start [shape = point, width = 0.1]; start -> 0;\n",
        quoted(name),
    );
    for (state, edges) in automaton.edges.iter().enumerate() {
        let _ = writeln!(text, "  {state};");
        // Edges between the same states are one arrow with several lines.
        let mut targets: Vec<StateId> = edges.iter().map(|edge| edge.to).collect();
        targets.sort_unstable();
        targets.dedup();
        for to in targets {
            let lines: Vec<String> = edges
                .iter()
                .filter(|edge| edge.to == to)
                .map(|edge| format!("{}{}", label(edge.label, propositions), marks(edge.marks, automaton.sets)))
                .collect();
            let _ = writeln!(text, "  {state} -> {to} [label = {}];", quoted(&lines.join("\n")));
        }
    }
    text + "}\n"
}

fn label(cube: Cube, propositions: &[Proposition]) -> String {
    let literals: Vec<String> = propositions
        .iter()
        .enumerate()
        .filter(|(p, _)| (cube.yes | cube.no) >> p & 1 == 1)
        .map(|(p, proposition)| format!("{}{proposition}", if cube.no >> p & 1 == 1 { "!" } else { "" }))
        .collect();
    if literals.is_empty() { "true".into() } else { literals.join(" && ") }
}

/// Circled numbers, as far as there are any.
fn marks(marks: u64, sets: u32) -> String {
    let circled = |set: u32| match set {
        0 => '⓪'.to_string(),
        1..=20 => char::from_u32('①' as u32 + set - 1).expect("they come in a row").to_string(),
        more => format!("({more})"),
    };
    (0..sets).filter(|set| marks >> set & 1 == 1).map(|set| format!(" {}", circled(set))).collect()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
