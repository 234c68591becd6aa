//! Automata as other tools read them.

use threadbare_core::source::Source;
use threadbare_logic::{automaton_of, dot, hoa, parse};

#[test]
fn the_hanoi_format() {
    let text = "G ({x == \"a\"} -> F granted)";
    let specification = parse(&Source::new("formula", text)).expect("good");
    let automaton = automaton_of(&specification.formula).expect("small");
    let written = hoa(&automaton, text, &specification.propositions);
    assert_eq!(
        written,
        r#"HOA: v1
name: "G ({x == \"a\"} -> F granted)"
tool: "threadbare"
States: 2
Start: 0
AP: 2 "{x == \"a\"}" "granted"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels trans-acc
--BODY--
State: 0
[!0] 0 {0}
[1] 0 {0}
[0&!1] 1
State: 1
[1] 0 {0}
[!1] 1
--END--
"#
    );
}

#[test]
fn without_acceptance_sets_every_run_counts() {
    let specification = parse(&Source::new("formula", "G p")).expect("good");
    let automaton = automaton_of(&specification.formula).expect("small");
    let written = hoa(&automaton, "G p", &specification.propositions);
    assert!(written.contains("acc-name: all\nAcceptance: 0 t\n") && written.contains("deterministic\n"), "{written}");
    let picture = dot(&automaton, "G p", &specification.propositions);
    assert!(picture.contains("start -> 0;\n  0;\n  0 -> 0 [label = \"p\"];\n}"), "{picture}");
}
