//! Models for NuSMV say what our own models say: read by a strict reader that knows nothing of how they are written, and by NuSMV itself where
//! it is installed.

mod common;

use std::path::PathBuf;
use std::process::Command;

use common::smv::read;
use common::{branching, cases, formula, linear, propositions, recording, small};
use threadbare_core::Random;
use threadbare_logic::{Expr, Kind, Quantifier, Specification, Unary};
use threadbare_syn::proposition::{Meaning, meaning};
use threadbare_syn::smv::{Spec, smv};
use threadbare_syn::{Model, Outcome, Recording, verify};

/// A formula that NuSMV takes, and a model that it can be asked on.
fn question(dice: &mut Random, recording: &Recording) -> (Specification, Model) {
    let sequence = &recording.sequence;
    let (size, values) = (1 + dice.below(5), dice.once_in(2));
    let propositions = propositions(dice, sequence, values);
    let is_stateful = |p| meaning(sequence, p).is_ok_and(|meaning: Meaning| meaning.is_stateful());
    let asks = propositions.iter().any(is_stateful);
    let words = |number: usize| propositions[number].text.clone();
    let specification = match dice.below(4) {
        0 => Specification { formula: linear(dice, size), propositions },
        1 => {
            let body = Expr::unary(dice.pick(&[Unary::Finally, Unary::Globally]), branching(dice, size));
            let formula = Expr::new(Kind::Path(dice.pick(&[Quantifier::All, Quantifier::Some]), Box::new(body)));
            Specification { formula, propositions }
        }
        2 => formula(&format!("{} {} {}", words(0), dice.pick(&["<", "||", "~>"]), words(1))),
        _ => formula(&format!("!({} < {}) & EF {} | !may({} ~> {})", words(0), words(1), words(2), words(0), words(2))),
    };
    let has_relation =
        !specification.formula.is_linear() && specification.formula.any(&|kind| matches!(kind, Kind::Relation(..)));
    let model = match dice.below(3) {
        _ if asks => Model::Stateful,
        0 if !has_relation => Model::PartialOrder,
        1 => Model::Stateless,
        _ => Model::Stateful,
    };
    (specification, model)
}

/// What we say ourselves.
fn own(recording: &Recording, specification: &Specification, model: Model) -> bool {
    match verify(recording, specification, Some(model), usize::MAX) {
        Ok(Outcome::Answer(answer)) => answer.holds,
        Ok(_) => panic!("everything is known, and there is no limit"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn models_say_what_ours_say() {
    let (mut dice, mut told) = (Random::new(31), [0; 2]);
    for case in 0..cases(200) {
        let recording = small(&mut dice);
        for _ in 0..4 {
            let (specification, model) = question(&mut dice, &recording);
            let text = smv(&recording, model, &[Spec { name: None, specification: &specification }])
                .unwrap_or_else(|error| panic!("case {case}: {error}"));
            let expected = own(&recording, &specification, model);
            assert_eq!(read(&text).answers(), [expected], "case {case}, {model:?}:\n{text}");
            told[usize::from(expected)] += 1;
        }
    }
    assert!(told.iter().all(|&count| count > cases(200) / 2), "{told:?}");
}

/// Names that are words of NuSMV, variables of one version, processes without events, one event alone.
#[test]
fn odd_models_are_right() {
    for (sequence, words) in [
        (
            "var run = 1, 2\nvar A = 3\nprocess p0: w(run,1)\nprocess p1: r(A,0)",
            "F (run=1 & X {run = 2}) & {A = 3} | F run=0",
        ),
        ("process p: w(a,1)", "F w(a)"),
        ("process p: w(a,1)\nprocess q:", "F p.0 & G !q.evnt=0"),
        ("var \"a b\" = 1, 2\nvar a_b = 5\nprocess \"case\": w(\"a b\",1) r(a_b,0)", "F \"a b\"=2 & G a_b=5"),
    ] {
        let recording = recording(sequence);
        let specification = formula(words);
        let stateful =
            specification.propositions.iter().any(|p| meaning(&recording.sequence, p).is_ok_and(|m| m.is_stateful()));
        let models = [Model::Stateful, Model::Stateless, Model::PartialOrder];
        for &model in &models[..if stateful { 1 } else { 3 }] {
            let text = smv(&recording, model, &[Spec { name: Some("it"), specification: &specification }])
                .expect("it can be said");
            let expected = own(&recording, &specification, model);
            assert_eq!(read(&text).answers(), [expected], "{model:?}:\n{text}");
            if let Some(program) = nusmv() {
                assert_eq!(asked(&program, &text), [expected], "{model:?}:\n{text}");
            }
        }
    }
}

fn nusmv() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let names = ["NuSMV", "nusmv", "nuXmv", "nuxmv"];
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|file| file.is_file())
}

/// What NuSMV says of the specifications of a model, in their order.
fn asked(program: &PathBuf, text: &str) -> Vec<bool> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), text).expect("writable");
    let output = Command::new(program).arg("-dcx").arg(file.path()).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let answers = said.lines().filter(|line| line.starts_with("-- specification"));
    let answers: Vec<bool> = answers.map(|line| line.trim_end().ends_with("is true")).collect();
    assert!(!answers.is_empty(), "{said}{}\n{text}", String::from_utf8_lossy(&output.stderr));
    answers
}

/// The same, asked of NuSMV itself. `make fuzz-syn` with it on the PATH takes more of them.
#[test]
fn nusmv_says_what_we_say() {
    let Some(program) = nusmv() else {
        eprintln!("SKIPPED: there is no NuSMV on the PATH, so models are held against our own reader only");
        return;
    };
    let (mut dice, mut told) = (Random::new(32), [0; 2]);
    for case in 0..cases(200) {
        let recording = small(&mut dice);
        let (specification, model) = question(&mut dice, &recording);
        let text = smv(&recording, model, &[Spec { name: None, specification: &specification }])
            .unwrap_or_else(|error| panic!("case {case}: {error}"));
        let expected = own(&recording, &specification, model);
        assert_eq!(asked(&program, &text), [expected], "case {case}, {model:?}:\n{text}");
        told[usize::from(expected)] += 1;
    }
    assert!(told.iter().all(|&count| count > cases(200) / 8), "{told:?}");
}
