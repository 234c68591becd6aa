//! Automata in the Hanoi Omega-Automata Format (T. Babiak and others: "The Hanoi Omega-Automata Format", CAV 2015), version 1,
//! which other tools read.

use std::fmt::Write;

use crate::automaton::{Automaton, Cube};
use crate::syntax::Proposition;

pub fn hoa(automaton: &Automaton, name: &str, propositions: &[Proposition]) -> String {
    let sets: Vec<String> = (0..automaton.sets).map(|set| format!("Inf({set})")).collect();
    let (kind, condition) = match automaton.sets {
        0 => ("all".to_string(), "t".to_string()),
        1 => ("Buchi".to_string(), sets.join("&")),
        n => (format!("generalized-Buchi {n}"), sets.join("&")),
    };
    let names: String =
        propositions.iter().map(|proposition| format!(" {}", quoted(&proposition.to_string()))).collect();
    let mut text = format!(
        "HOA: v1\nname: {}\ntool: \"threadbare\"\nStates: {}\nStart: 0\nAP: {}{names}\nacc-name: {kind}\nAcceptance: {} {condition}\n",
        quoted(name),
        automaton.states(),
        propositions.len(),
        automaton.sets,
    );
    let known = if automaton.is_deterministic() { " deterministic" } else { "" };
    let _ = writeln!(text, "properties: trans-labels explicit-labels trans-acc{known}\n--BODY--");
    for (state, edges) in automaton.edges.iter().enumerate() {
        let _ = writeln!(text, "State: {state}");
        for edge in edges {
            let marks: Vec<String> =
                (0..automaton.sets).filter(|set| edge.marks >> set & 1 == 1).map(|set| set.to_string()).collect();
            let marks = if marks.is_empty() { String::new() } else { format!(" {{{}}}", marks.join(" ")) };
            let _ = writeln!(text, "[{}] {}{marks}", label(edge.label), edge.to);
        }
    }
    text + "--END--\n"
}

fn label(cube: Cube) -> String {
    let literals: Vec<String> = (0..64)
        .filter(|p| (cube.yes | cube.no) >> p & 1 == 1)
        .map(|p| format!("{}{p}", if cube.no >> p & 1 == 1 { "!" } else { "" }))
        .collect();
    if literals.is_empty() { "t".into() } else { literals.join("&") }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
