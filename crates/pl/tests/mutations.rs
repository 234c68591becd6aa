//! Models with a mistake: whatever a typing error makes of a program, it is refused with words, or it runs.

use std::path::Path;
use std::sync::Arc;

use threadbare_core::{Machine, Random};
use threadbare_pl::lang::{Limits, Source, TbMachine, TbSetup, load};

/// Words to put in where they do not belong.
const WORDS: &[&str] = &[
    "let",
    "rec",
    "in",
    "fun",
    "(x) ->",
    "if",
    "then",
    "else",
    "while",
    "do",
    "for",
    "ref",
    "!",
    ":=",
    "lock",
    "unlock",
    "cas(",
    "choose(",
    "assert",
    "assume",
    "error",
    "0",
    "-1",
    "true",
    "()",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    "==",
    "&&",
    "not",
    "x",
    "i",
    "+",
    "/",
    "..",
    "shared y = 0",
    "mutex k",
    "param P = 1",
    "thread u { }",
    "finally { }",
];

fn words(text: &str) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for c in text.chars() {
        let joins = |last: &String| {
            let of = |c: char| c.is_alphanumeric() || c == '_';
            last.ends_with(of) && of(c) || last.chars().all(char::is_whitespace) && c.is_whitespace()
        };
        match list.last_mut() {
            Some(last) if joins(last) => last.push(c),
            _ => list.push(c.into()),
        }
    }
    list
}

#[test]
fn a_typing_error_never_makes_us_fall_over() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/models");
    let cases = std::env::var("TB_FUZZ_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let (mut refused, mut ran) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("the models") {
        let file = entry.expect("a file").path();
        if file.extension().is_none_or(|extension| extension != "tb") {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("readable");
        // Comments are no place for mistakes.
        let text: String = text.lines().map(|line| line.split("//").next().unwrap_or("").to_string() + "\n").collect();
        for seed in 0..cases {
            let mut dice = Random::new(seed);
            let mut list = words(&text);
            for _ in 0..1 + dice.below(2) {
                let at = dice.below(list.len());
                match dice.below(5) {
                    0 => drop(list.remove(at)),
                    1 => list.insert(at, list[dice.below(list.len())].clone()),
                    2 => list[at] = list[dice.below(list.len())].clone(),
                    3 => list.insert(at, format!(" {} ", WORDS[dice.below(WORDS.len())])),
                    _ => list[at] = format!(" {} ", WORDS[dice.below(WORDS.len())]),
                }
            }
            match load(&Source::new("mutant.tb", list.concat()), &[]) {
                Ok(program) => {
                    ran += 1;
                    let limits = Limits { local_steps: 10_000, stack_frames: 1000, memory: 1 << 20, stop: None };
                    let mut machine =
                        TbMachine::new(Arc::new(program), TbSetup { limits, go_on: seed % 2 == 0, symmetry: false });
                    for _ in 0..200 {
                        let pending = machine.all_pending();
                        let ready: Vec<_> = pending.iter().filter(|p| p.choices.any_enabled()).collect();
                        let Some(next) = ready.get(dice.below(ready.len())) else { break };
                        let choice = next.choices.enabled().next().expect("it is ready");
                        let _ =
                            (machine.accesses(next.tid, choice), machine.may_access(next.tid), machine.fingerprint());
                        machine.step(next.tid, choice);
                    }
                }
                Err(complaint) => {
                    refused += 1;
                    assert!(!complaint.message.is_empty());
                }
            }
        }
    }
    assert!(refused > 100 && ran > 100, "{refused} refused, {ran} ran");
}
