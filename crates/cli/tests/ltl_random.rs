//! Random programs as C, under random formulas: the same answers as on the machine of the small model, which
//! `crates/logic/tests/programs.rs` holds against brute force. Formulas have no `X`: C takes more steps.

use std::process::Command;

use threadbare_core::Random;
use threadbare_core::source::Source;
use threadbare_logic::{Fairness, Product, Programs, Seen, automaton_of_negation, find_run, parse};
use threadbare_pl::{ModelMachine, Program, generate, generate_endless, to_c};

/// Values of the first and of the last variable.
fn propositions(program: &Program) -> [String; 3] {
    let last = program.variables.len() - 1;
    ["{x0 == 1}".into(), format!("{{x{last} == 2}}"), format!("{{x0 > x{last}}}")]
}

fn letter(machine: &ModelMachine<'_>) -> [bool; 3] {
    let variables = &machine.state.variables;
    let (first, last) = (variables[0], variables[variables.len() - 1]);
    [first == 1, last == 2, first > last]
}

fn formula(random: &mut Random, propositions: &[String; 3], size: usize) -> String {
    if size <= 1 {
        return propositions[random.below(3)].clone();
    }
    match random.below(8) {
        0 => format!("!({})", formula(random, propositions, size - 1)),
        1 | 2 => format!("F ({})", formula(random, propositions, size - 1)),
        3 | 4 => format!("G ({})", formula(random, propositions, size - 1)),
        _ => {
            let op = random.pick(&["&&", "||", "->", "U", "R", "W"]);
            let left = 1 + random.below(size - 1);
            let (a, b) = (formula(random, propositions, left), formula(random, propositions, size - left));
            format!("({a}) {op} ({b})")
        }
    }
}

/// Whether all executions of the model satisfy the formula. `None` if it has many states.
fn holds_on_model(program: &Program, formula: &str, fairness: Fairness) -> Option<bool> {
    let specification = parse(&Source::new("formula", formula)).expect("a good formula");
    let all = propositions(program);
    let numbers: Vec<usize> = specification
        .propositions
        .iter()
        .map(|own| all.iter().position(|known| *known == own.to_string()).expect("one of them"))
        .collect();
    let automaton = automaton_of_negation(&specification.formula).expect("small");
    let mut machine = ModelMachine::new(program);
    let mut graph = Programs::new(&mut machine, fairness, |machine: &mut ModelMachine<'_>| {
        let all = letter(machine);
        Seen::Holds(numbers.iter().enumerate().fold(0, |bits, (bit, &number)| bits | u64::from(all[number]) << bit))
    });
    let mut nodes = 0;
    let run = find_run(&mut Product::new(&mut graph, &automaton), || {
        nodes += 1;
        nodes > 5_000
    });
    run.map(|run| run.is_none())
}

#[test]
fn formulas_hold_on_c_as_they_do_on_models() {
    let setting = |name: &str, else_: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(else_);
    let (cases, first) = (setting("TB_FUZZ_CASES", 25), setting("TB_FUZZ_SEED", 0));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("test.c");
    let (mut done, mut seed, mut broken) = (0, first, 0);
    while done < cases {
        seed += 1;
        let mut random = Random::new(seed);
        let program = if seed % 2 == 0 { generate(seed, true) } else { generate_endless(seed) };
        let text = formula(&mut random, &propositions(&program), 7);
        let (fairness, name) = random.pick(&[(Fairness::Weak, "weak"), (Fairness::None, "none")]);
        let Some(expected) = holds_on_model(&program, &text, fairness) else { continue };
        std::fs::write(&file, to_c(&program)).expect("writable");
        // A formula that names deadlocks decides about them: here they are none of its business.
        let asked = format!("({text}) && (deadlock || !deadlock)");
        let output = Command::new(env!("CARGO_BIN_EXE_threadbare"))
            .arg("check")
            .arg(&file)
            .args(["--ltl", &asked, "--fairness", name, "--format", "json", "--time-limit", "20", "--minimise", "0"])
            .output()
            .expect("it runs");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("seed {seed}: {error}: {}", String::from_utf8_lossy(&output.stderr));
        });
        let found = match (report["verdict"].as_str(), report["bugs"][0]["kind"].as_str()) {
            (Some("proved"), _) => true,
            (Some("violated"), Some("ltl")) => false,
            // The model has no errors of its own.
            _ => continue,
        };
        assert_eq!(found, expected, "seed {seed}, {name}: {text}\n{}\n{report}", to_c(&program));
        (done, broken) = (done + 1, broken + u64::from(!expected));
    }
    println!("{done} programs, {broken} formulas broken");
    assert!(broken * 5 > cases && broken * 5 < 4 * cases, "{broken} of {cases}");
}
