//! SPIN as another opinion: the never claim that it makes of a formula accepts the same words as our automaton. So both
//! mean the same by a formula.

mod random;

use std::cell::Cell;
use std::collections::HashMap;
use std::process::Command;

use proptest::prelude::*;
use random::{PROPOSITIONS, each_formula, words};
use threadbare_core::source::Source;
use threadbare_logic::{
    Automaton, Binary, Cube, Edge, Expr, Kind, Lasso, Unary, automaton_of, degeneralise, holds, parse,
};

#[test]
#[ignore = "needs spin: make fuzz-logic"]
fn spin_means_the_same() {
    let words = words(3, 40);
    let (ours, theirs) = (Cell::new(0), Cell::new(0));
    each_formula(200, 8, |formula| {
        prop_assume!(formula.is_stutter_invariant());
        let (own, claim) = (automaton_of(formula).expect("small"), never_claim(&for_spin(formula)));
        ours.set(ours.get() + degeneralise(&own).states());
        theirs.set(theirs.get() + claim.states());
        for word in &words {
            let truth = holds(formula, word);
            prop_assert_eq!(own.accepts(word), truth, "ours on {:?}", word);
            prop_assert_eq!(claim.accepts(word), truth, "that of spin on {:?}", word);
        }
        Ok(())
    });
    println!("{} states of ours with one acceptance set, {} of spin", ours.get(), theirs.get());
    assert!(ours.get() <= theirs.get());
}

/// The formula as SPIN reads it: it knows no `W`, and has `V` for `R`.
fn for_spin(formula: &Expr) -> String {
    match &formula.kind {
        Kind::Constant(value) => value.to_string(),
        Kind::Proposition(p) => format!("p{p}"),
        Kind::Unary(op, a) => {
            let op = match op {
                Unary::Not => "!",
                Unary::Finally => "<>",
                Unary::Globally => "[]",
                Unary::Next => unreachable!("left out"),
            };
            format!("{op} ({})", for_spin(a))
        }
        Kind::Binary(op, a, b) => {
            let (a, b) = (for_spin(a), for_spin(b));
            match op {
                Binary::WeakUntil => format!("(({a}) U ({b})) || ([] ({a}))"),
                Binary::Release => format!("({a}) V ({b})"),
                op => format!("({a}) {} ({b})", op.symbol()),
            }
        }
    }
}

/// A never claim as an automaton whose labels are single letters.
fn never_claim(formula: &str) -> Automaton {
    let folder = std::env::temp_dir();
    let output = Command::new("spin").current_dir(folder).args(["-f", formula]).output().expect("spin is installed");
    let text = String::from_utf8(output.stdout).expect("text");
    // A state may have several names, of which one that begins with `accept` makes it accepting.
    let (mut numbers, mut accepting): (HashMap<&str, usize>, Vec<bool>) = Default::default();
    let mut rules: Vec<(usize, &str, &str)> = Vec::new();
    let mut named = false;
    for line in text.lines().map(str::trim) {
        let here = accepting.len().wrapping_sub(1);
        if let Some(name) = line.strip_suffix(':') {
            if !named {
                accepting.push(false);
            }
            *accepting.last_mut().expect("a state") |= name.starts_with("accept");
            numbers.insert(name, accepting.len() - 1);
        } else if let Some((condition, to)) = line.strip_prefix("::").and_then(|rule| rule.split_once("-> goto ")) {
            rules.push((here, condition, to));
        } else if let Some(rule) = line.strip_prefix(":: atomic {") {
            // The claim ends there, and accepts whatever follows.
            rules.push((here, rule.split("-> assert").next().expect("a condition"), "accept_all"));
        } else if line == "skip" {
            rules.push((here, "true", "accept_all"));
        }
        named = line.ends_with(':');
    }
    assert!(!rules.is_empty(), "spin -f '{formula}': {text}");
    let mut edges = vec![Vec::new(); accepting.len()];
    for (from, condition, to) in rules {
        let condition = parse(&Source::new("claim", condition)).unwrap_or_else(|e| panic!("{condition}: {e}"));
        let own: Vec<u64> =
            condition.propositions.iter().map(|p| p.text[1..].parse().expect("p and a number")).collect();
        for letter in 0..1u64 << PROPOSITIONS {
            let seen = own.iter().enumerate().fold(0, |seen, (i, p)| seen | (letter >> p & 1) << i);
            if holds(&condition.formula, &Lasso { prefix: vec![], cycle: vec![seen] }) {
                let label = Cube { yes: letter, no: !letter & ((1 << PROPOSITIONS) - 1) };
                edges[from].push(Edge { to: numbers[to] as u32, label, marks: accepting[from].into() });
            }
        }
    }
    Automaton { edges, sets: 1 }
}
