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
    // Other formulas have propositions of their own.
    let looked_at = automaton.edges.iter().flatten().fold(0, |all, edge| all | edge.label.yes | edge.label.no);
    let own: Vec<usize> = (0..propositions.len()).filter(|p| looked_at >> p & 1 == 1).collect();
    let names: String = own.iter().map(|&p| format!(" {}", quoted(&propositions[p].to_string()))).collect();
    let mut text = format!(
        "HOA: v1\nname: {}\ntool: \"threadbare\"\nStates: {}\nStart: 0\nAP: {}{names}\nacc-name: {kind}\nAcceptance: {} {condition}\n",
        quoted(name),
        automaton.states(),
        own.len(),
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
            let _ = writeln!(text, "[{}] {}{marks}", label(edge.label, &own), edge.to);
        }
    }
    text + "--END--\n"
}

fn label(cube: Cube, own: &[usize]) -> String {
    let literals: Vec<String> = own
        .iter()
        .enumerate()
        .filter(|(_, p)| (cube.yes | cube.no) >> *p & 1 == 1)
        .map(|(number, p)| format!("{}{number}", if cube.no >> p & 1 == 1 { "!" } else { "" }))
        .collect();
    if literals.is_empty() { "t".into() } else { literals.join("&") }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
