//! Plain accesses: races are found on the virtual machine where the in-memory machine has them, whatever way a search goes,
//! and programs without races leave the same behind, also as the compiler optimises them. With every access as a step of its own the
//! executions are those of the in-memory machine.

use threadbare_pl::{Code, with_plain_accesses};

use super::*;

/// Races are errors. The first error ends a search, or none does.
fn ways_with_races() -> impl Iterator<Item = Way> {
    let ways = Way::all().chain(Way::by(&[Strategy::Graph]));
    ways.filter(|way| way.races).flat_map(|way| [true, false].map(|go_on| Way { go_on, ..way }))
}

/// Races are allowed.
fn ways_with_every_access() -> impl Iterator<Item = Way> {
    Way::all().filter(|way| way.races).map(|way| Way { every_access: true, ..way })
}

/// Whether a thread that goes back has written plain memory since.
fn writes_in_rounds(program: &Program) -> bool {
    let writes = |instr: &Instr| matches!(instr, Instr::Write(..));
    let goes_back = |code: &Code, at: usize| match code.0[at] {
        Instr::JumpIf(_, to) if to <= at => code.0[to..at].iter().any(writes),
        _ => false,
    };
    program.threads.iter().any(|code| (0..code.0.len()).any(|at| goes_back(code, at)))
}

#[test]
fn plain_accesses_race_in_c_as_in_the_model() {
    let (cases, first) = (setting("TB_FUZZ_C_CASES", 20), setting("TB_FUZZ_SEED", 0));
    let folder = tempfile::tempdir().expect("a place to write");
    let (mut compared, mut endless, mut racy, mut programs, mut seed) = (0, 0, 0, 0, first);
    while programs < cases {
        seed += 1;
        let loops = seed % 2 == 0;
        let program = with_plain_accesses(&generate(seed, loops), seed);
        let (expected, of_model) = on_model(&program, Plain { visible: false, checked: true });
        if expected.too_many || expected.bound || locks_its_own_write_lock(&program) {
            continue;
        }
        programs += 1;
        racy += u64::from(expected.racy);
        let wrong = expected.racy || expected.all.iter().any(|result| result.failed);
        for optimisation in [0, 2] {
            // What the compiler makes of a program with errors is another one.
            if optimisation > 0 && wrong {
                continue;
            }
            let loaded = load(&program, folder.path(), optimisation, false);
            for way in ways_with_races() {
                let what = || format!("seed {seed}, -O{optimisation}, {way:?}\n{}", to_c(&program));
                let (found, totals) = on_vm(&program, &loaded, way);
                compared += 1;
                // The model ends at the first race; here something else may come first, and have no end.
                // And a round that writes plain memory is never one that only waits, though it may write what was there.
                if (expected.racy || writes_in_rounds(&program)) && (found.bound || found.too_many) {
                    endless += 1;
                    continue;
                }
                if !way.go_on {
                    assert_eq!(found.error.is_some(), wrong, "{:?}: {}", found.error, what());
                    continue;
                }
                assert_eq!(found.error, None, "{}", what());
                assert_eq!(found.racy, expected.racy, "race: {}", what());
                if found.racy {
                    continue;
                }
                assert!(!found.bound && !found.too_many, "no end: {}", what());
                assert_eq!(found.to_compare(way), expected.to_compare(way), "results: {}", what());
                if !loops && way.counts() {
                    assert_eq!(totals.executions, of_model.executions, "executions: {}", what());
                }
            }
        }
        let (expected, of_model) = on_model(&program, Plain { visible: true, checked: false });
        if expected.too_many || expected.bound {
            continue;
        }
        let loaded = load(&program, folder.path(), 0, true);
        for way in ways_with_every_access() {
            let what = || format!("seed {seed}, {way:?}\n{}", to_c(&program));
            let (found, totals) = on_vm(&program, &loaded, way);
            compared += 1;
            assert_eq!(found.error, None, "{}", what());
            // What frees a block that another thread has used, and nothing orders the two, is wrong in any case.
            if found.racy {
                assert!(frees(&program), "a race: {}", what());
                continue;
            }
            assert!(!found.bound && !found.too_many, "no end: {}", what());
            assert_eq!(found.all, expected.all, "results: {}", what());
            if !loops {
                assert_eq!(totals.executions, of_model.executions, "executions: {}", what());
            }
        }
    }
    println!(
        "{compared} searches of {programs} programs compared, {racy} programs with races, {endless} searches without an end"
    );
    // A few programs are no mixture at all.
    if programs < 20 {
        return;
    }
    assert!(endless * 50 < compared, "{endless} of {compared} searches without an end");
    assert!(racy * 8 > programs && racy * 8 < programs * 7, "{racy} of {programs} have races: not a fair mixture");
}
