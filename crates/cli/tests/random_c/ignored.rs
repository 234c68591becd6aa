//! A variable that nobody reads tells who was last in one of some random places of random programs: what comes out is the same, whether
//! states are told apart by it or not.

use threadbare_core::Random;
use threadbare_explore::Strategy;
use threadbare_pl::{Plain, generate, generate_with_invariant, to_c};
use threadbare_vm::Sources;

use super::{Way, frees, locks_its_own_write_lock, on_model, on_vm, setting};

/// It shares a word with something else.
const VARIABLE: &str = "static struct { int other; _Atomic int last; } dead;\n";

/// The program with a variable that the code of its threads writes to, and in how many places.
fn with_writes(text: &str, random: &mut Random) -> (String, u32) {
    let (mut written, mut inside, mut places) = (String::new(), false, 0);
    for line in text.lines() {
        if line.starts_with("void *thread") && line.ends_with("{") {
            inside = true;
        }
        let is_statement = line.starts_with("    ") && !line.contains("unused") && !line.contains("r0 = 0");
        inside &= !line.contains("result");
        written += line;
        written.push('\n');
        if inside && is_statement && random.below(2) == 0 {
            places += 1;
            written += &format!("    atomic_store(&dead.last, {places});\n");
        }
    }
    // Behind the headers.
    let at = written.find("\n\n").expect("headers end") + 2;
    written.insert_str(at, VARIABLE);
    (written, places)
}

#[test]
fn what_nobody_reads_can_be_ignored() {
    let (cases, mut seed) = (setting("TB_FUZZ_C_CASES", 20), setting("TB_FUZZ_SEED", 0));
    let folder = tempfile::tempdir().expect("a place to write");
    let file = folder.path().join("program.c");
    let (mut compared, mut before, mut after) = (0, 0, 0);
    while compared < cases {
        seed += 1;
        let program = if seed.is_multiple_of(2) { generate(seed, false) } else { generate_with_invariant(seed, false) };
        let (expected, _) = on_model(&program, Plain::default());
        let (text, places) = with_writes(&to_c(&program), &mut Random::new(seed));
        if expected.too_many || frees(&program) || locks_its_own_write_lock(&program) || places == 0 {
            continue;
        }
        compared += 1;
        std::fs::write(&file, &text).expect("a place to write");
        let load = |ignored: &[&str]| {
            let invariants = if program.never.is_empty() { Vec::new() } else { vec!["invariant".into()] };
            let sources = Sources {
                files: vec![file.clone()],
                clang_flags: vec!["-w".into()],
                exploring: true,
                invariants,
                ignored: ignored.iter().map(|name| name.to_string()).collect(),
                ..Sources::default()
            };
            std::sync::Arc::new(threadbare_vm::load(&sources).expect("the program loads"))
        };
        let loaded = [load(&[]), load(&["dead.last"])];
        for strategy in [Strategy::Graph, Strategy::Stateful] {
            let way = Way {
                strategy,
                merge_threads: true,
                races: false,
                by_heart: seed.is_multiple_of(3),
                go_on: true,
                every_access: false,
            };
            let states = loaded.each_ref().map(|loaded| {
                let (found, totals) = on_vm(&program, loaded, way);
                assert_eq!(found.error, None, "seed {seed}, {strategy}\n{text}");
                assert_eq!(found.to_compare(way), expected.to_compare(way), "seed {seed}, {strategy}\n{text}");
                totals.states.expect("they are stored")
            });
            // A reduction may go another way where it meets other states first.
            assert!(strategy == Strategy::Graph || states[1] <= states[0], "seed {seed}: {states:?}\n{text}");
            (before, after) = (before + states[0], after + states[1]);
        }
    }
    println!("{compared} programs, {before} states, {after} without the variable");
    assert!(after < before, "{after} of {before}");
}
