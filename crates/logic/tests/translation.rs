//! Automata against the meaning of formulas: an automaton accepts a word exactly if its formula holds on it, and that of the
//! negation exactly if not. `TB_FUZZ_CASES` says how many random formulas, `TB_FUZZ_SEED` which.

mod random;

use proptest::prelude::*;
use random::{each_formula, words};
use threadbare_core::source::Source;
use threadbare_logic::{
    Automaton, Expr, Formulas, Lasso, automaton_of, automaton_of_negation, degeneralise, holds, parse,
};

/// Every word with so many propositions, up to these lengths.
fn all_words(propositions: u32, prefix: usize, cycle: usize) -> Vec<Lasso> {
    let letters = 1u64 << propositions;
    let texts = |length: usize| -> Vec<Vec<u64>> {
        (0..letters.pow(length as u32))
            .map(|n| (0..length).map(|i| n >> (i as u32 * propositions) & (letters - 1)).collect())
            .collect()
    };
    let prefixes: Vec<_> = (0..=prefix).flat_map(texts).collect();
    let cycles: Vec<_> = (1..=cycle).flat_map(texts).collect();
    prefixes
        .iter()
        .flat_map(|prefix| cycles.iter().map(|cycle| Lasso { prefix: prefix.clone(), cycle: cycle.clone() }))
        .collect()
}

fn check(formula: &Expr, words: &[Lasso]) -> Result<(), TestCaseError> {
    let mut formulas = Formulas::default();
    let root = formulas.read(formula, true);
    let simple = formulas.expr(root);
    let own = automaton_of(formula).expect("small");
    let negation = automaton_of_negation(formula).expect("small");
    let (one_set, of_negation) = (degeneralise(&own), degeneralise(&negation));
    for word in words {
        let truth = holds(formula, word);
        prop_assert_eq!(holds(&simple, word), truth, "simplified to {} on {:?}", simple.display(&[]), word);
        prop_assert_eq!(own.accepts(word), truth, "{:?} on {:?}", own, word);
        prop_assert_eq!(negation.accepts(word), !truth, "of the negation, {:?} on {:?}", negation, word);
        prop_assert_eq!(one_set.accepts(word), truth, "with one set, on {:?}", word);
        prop_assert_eq!(of_negation.accepts(word), !truth, "of the negation, with one set, on {:?}", word);
    }
    Ok(())
}

#[test]
fn automata_accept_the_words_on_which_formulas_hold() {
    let words = words(1, 60);
    each_formula(2_000, 12, |formula| check(formula, &words));
}

fn read(text: &str) -> Expr {
    parse(&Source::new("formula", text)).expect(text).formula
}

/// Formulas that people know, with the states and edges of their automata and of those of their negations.
const KNOWN: &[(&str, [usize; 2], [usize; 2])] = &[
    ("true", [1, 1], [1, 0]),
    ("p", [2, 2], [2, 2]),
    ("G p", [1, 1], [2, 3]),
    ("F p", [2, 3], [1, 1]),
    ("GF p", [1, 2], [2, 3]),
    ("FG p", [2, 3], [1, 2]),
    ("p U q", [2, 3], [2, 3]),
    ("p W q", [2, 3], [2, 3]),
    ("G (p -> F q)", [2, 5], [2, 3]),
    ("G (p -> X q)", [2, 4], [3, 4]),
    ("GF p -> GF q", [4, 8], [2, 4]),
    ("GF p && GF q && GF r", [1, 8], [4, 7]),
    ("G (p -> (q U r))", [2, 5], [3, 6]),
    ("F (p && X F q)", [3, 5], [2, 3]),
    ("p U (q U (p && r))", [3, 6], [3, 8]),
    ("(GF p && GF q) -> GF r", [5, 11], [2, 6]),
    ("GF a && GF b && GF c && GF d && GF e && GF f && GF g && GF h", [1, 256], [9, 17]),
    ("G (p && q -> r W (s || t))", [2, 8], [3, 6]),
];

#[test]
fn automata_of_known_formulas_are_small_and_right() {
    let words = [all_words(2, 2, 2), words(7, 300)].concat();
    let mut wrong = Vec::new();
    for (text, own, negation) in KNOWN {
        let formula = read(text);
        check(&formula, &words).unwrap_or_else(|error| panic!("{text}: {error}"));
        let size = |automaton: Automaton| [automaton.states(), automaton.transitions()];
        let found =
            (size(automaton_of(&formula).expect("small")), size(automaton_of_negation(&formula).expect("small")));
        if found != (*own, *negation) {
            wrong.push(format!("{text}: {:?} and {:?}", found.0, found.1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is too large is refused in a moment: one of these took minutes before it was.
#[test]
fn formulas_without_small_automata_are_refused_soon() {
    let equal = (0..9).map(|i| format!("G F {{x == {i}}}")).collect::<Vec<_>>().join(" <-> ");
    let nested = (1..18).fold("{x == 0}".to_string(), |inner, i| format!("{{x == {i}}} U ({inner})"));
    let pair = |i: usize| format!("(F G {{x == {i}}} && G F {{x == {}}})", i + 1);
    let pairs = (0..12).map(pair).collect::<Vec<_>>().join(" || ");
    for text in [equal, nested, pairs] {
        let formula = read(&text);
        assert!(automaton_of(&formula).is_err() || automaton_of_negation(&formula).is_err(), "{text}");
    }
}
