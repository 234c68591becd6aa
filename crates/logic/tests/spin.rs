//! SPIN as another opinion: the never claim that it makes of a formula accepts the same words as our automaton, and formulas
//! hold on programs here and there, with and without weak fairness.

mod random;

use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use random::{PROPOSITIONS, each_formula, formula, setting, words};
use threadbare_core::source::Source;
use threadbare_logic::{
    Automaton, Binary, Cube, Edge, Expr, Fairness, Kind, Lasso, Product, Programs, Seen, Unary, automaton_of,
    automaton_of_negation, degeneralise, find_run, holds, parse,
};
use threadbare_pl::{
    Expr as ValueOf, Instr, ModelMachine, Program, generate, generate_endless, side_by_side, to_promela,
};

/// What a command says. `None` if it takes more than a minute: SPIN's translation of some small formulas never ends.
fn said_by(folder: &Path, words: &[&str]) -> Option<String> {
    let output = Command::new("timeout").arg("60").args(words).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", words[0]));
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() != Some(127), "{} is not installed: {said}", words[0]);
    (output.status.code() != Some(124)).then_some(said)
}

#[test]
#[ignore = "needs spin: make fuzz-logic"]
fn spin_means_the_same() {
    let words = words(3, 40);
    let (ours, theirs) = (Cell::new(0), Cell::new(0));
    each_formula(200, 8, |formula| {
        prop_assume!(formula.is_stutter_invariant());
        let (own, claim) = (automaton_of(formula).expect("small"), never_claim(&for_spin(formula)));
        prop_assume!(claim.is_some());
        let claim = claim.expect("as assumed");
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

/// What formulas speak of, in both languages: 0, 1 and 2 by number.
fn letter(machine: &mut ModelMachine<'_>) -> u64 {
    let variables = &machine.state.variables;
    let (first, last) = (variables[0], variables[variables.len() - 1]);
    u64::from(first == 1) | u64::from(last == 2) << 1 | u64::from(first == 0) << 2
}

/// A program with threads side by side whose every loop does something that can be seen.
fn program(seed: u64) -> Option<Program> {
    let program = side_by_side(&if seed.is_multiple_of(4) { generate(seed, true) } else { generate_endless(seed) })?;
    let good = program.threads.iter().all(|code| {
        let seen = |instr: &&Instr| !matches!(instr, Instr::Set(..) | Instr::Assert(_));
        code.0.iter().enumerate().all(|(at, instr)| match instr {
            Instr::Assume(_) => false,
            Instr::JumpIf(_, to) if *to <= at => {
                code.0[*to..at].iter().find(seen).is_some_and(|first| !matches!(first, Instr::JumpIf(..)))
            }
            _ => true,
        })
    });
    good.then_some(program)
}

/// The program beside a thread that is never done, so that no execution ends: where one does, SPIN loses runs if it is to be
/// fair. (It finds one that breaks `F !p` there, and none that breaks `F !(p W q)`.)
fn never_done(mut program: Program) -> Program {
    let first = &mut program.threads[0].0;
    first.extend([Instr::Choose(0, 1), Instr::JumpIf(ValueOf::Const(1), first.len())]);
    program
}

/// Of each formula, whether some execution breaks it, if there is an answer.
fn by_spin(program: &Program, formulas: &[Expr], fairness: Fairness) -> Vec<Option<bool>> {
    let folder = tempfile::tempdir().expect("a place to write");
    let mut text = to_promela(program);
    let last = program.variables.len() - 1;
    text += &format!("\n#define p0 (x0 == 1)\n#define p1 (x{last} == 2)\n#define p2 (x0 == 0)\n");
    for (i, formula) in formulas.iter().enumerate() {
        text += &format!("ltl f{i} {{ {} }}\n", for_spin(formula));
    }
    std::fs::write(folder.path().join("model.pml"), &text).expect("a place to write");
    let run = |words: &[&str]| said_by(folder.path(), words);
    let Some(said) = run(&["spin", "-a", "model.pml"]) else { return vec![None; formulas.len()] };
    let compiled = run(&["cc", "-w", "-DNOREDUCE", "-DNFAIR=3", "-o", "pan", "pan.c"]).expect("a short program");
    let broken = |i: usize| {
        let fair = fairness == Fairness::Weak;
        let words = ["./pan", "-a", "-E", "-m1000000", "-N", &format!("f{i}"), "-f"];
        let words = if fair { &words[..] } else { &words[..words.len() - 1] };
        let report = run(words)?;
        let errors = report.split("errors: ").nth(1);
        let errors = errors.unwrap_or_else(|| panic!("{text}\n{said}\n{compiled}\n{report}"));
        let broken = !errors.starts_with('0');
        // Without an answer where it went too deep.
        (broken || !report.contains("max search depth too small")).then_some(broken)
    };
    (0..formulas.len()).map(broken).collect()
}

#[test]
#[ignore = "needs spin: make fuzz-logic"]
fn formulas_hold_on_the_same_programs() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 40), setting("TB_FUZZ_SEED", 0));
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let mut dice = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[first as u8; 32]));
    let (mut programs, mut seed, mut counts) = (0, first, [0; 2]);
    let (mut fair_and_broken, mut unfair_and_broken, mut unanswered) = (0, 0, 0);
    while programs < cases {
        seed += 1;
        let Some(program) = program(seed) else { continue };
        programs += 1;
        let mut draw = || formula(7).new_tree(&mut dice).expect("a formula").current();
        let formulas: Vec<Expr> =
            std::iter::repeat_with(&mut draw).filter(Expr::is_stutter_invariant).take(5).collect();
        let endless = never_done(program.clone());
        for (program, fairness) in [(&program, Fairness::None), (&endless, Fairness::None), (&endless, Fairness::Weak)]
        {
            for (formula, theirs) in formulas.iter().zip(by_spin(program, &formulas, fairness)) {
                let Some(theirs) = theirs else {
                    unanswered += 1;
                    continue;
                };
                let automaton = automaton_of_negation(formula).expect("small");
                let mut machine = ModelMachine::new(program);
                let mut graph = Programs::new(&mut machine, fairness, |machine: &mut _| Seen::Holds(letter(machine)));
                let run = find_run(&mut Product::new(&mut graph, &automaton), || false);
                let ours = run.expect("an answer").is_some();
                let shown = || format!("seed {seed}, {fairness:?}, {}\n{}", formula.display(&[]), to_promela(program));
                assert_eq!(ours, theirs, "broken: {}", shown());
                counts[usize::from(ours)] += 1;
                fair_and_broken += u64::from(fairness == Fairness::Weak && ours);
                unfair_and_broken += u64::from(std::ptr::eq(program, &endless) && fairness == Fairness::None && ours);
            }
        }
    }
    println!(
        "{programs} programs: {counts:?} times a formula holds and does not, {unanswered} times spin has no answer"
    );
    println!("where nothing ends, {fair_and_broken} are broken by fair executions and {unfair_and_broken} by any");
    assert!(counts[0] > 0 && fair_and_broken > 0 && fair_and_broken < unfair_and_broken);
    assert!(unanswered * 10 < counts[0] + counts[1], "spin has no answer {unanswered} times");
}

/// The formula as SPIN reads it: it knows no `W`, and has `V` for `R`.
fn for_spin(formula: &Expr) -> String {
    match &formula.kind {
        Kind::Constant(value) => value.to_string(),
        Kind::Proposition(p) => format!("p{p}"),
        Kind::Path(..) | Kind::Relation(..) => unreachable!("LTL has neither"),
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

/// A never claim as an automaton whose labels are single letters, if SPIN makes one in time.
fn never_claim(formula: &str) -> Option<Automaton> {
    let text = said_by(&std::env::temp_dir(), &["spin", "-f", formula])?;
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
    Some(Automaton { edges, sets: 1 })
}
