//! Threads of a model that do the same are not told apart: against brute force over all states of random programs, and against
//! theory. `TB_FUZZ_CASES` and `TB_FUZZ_SEED` choose how many and which.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use threadbare_core::{Choice, Choices, Ending, FaultKind, Fingerprint, Machine, Operation, Random, Tid};
use threadbare_explore::{End, Flow, Path, Search, Settings, Strategy, Totals};
use threadbare_pl::lang::{Source, Symmetry, TbMachine, TbProgram, TbSetup, Value, load};
use threadbare_pl::{Program, Wording, generate, side_by_side, to_tb};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn program(text: &str) -> Arc<TbProgram> {
    let source = Source::new("symmetric.tb", text.to_string());
    Arc::new(load(&source, &[]).unwrap_or_else(|error| panic!("{error:?}\n{text}")))
}

fn machine(program: &Arc<TbProgram>, symmetry: bool) -> TbMachine {
    TbMachine::new(program.clone(), TbSetup { symmetry, ..TbSetup::default() })
}

/// How an execution ends, if not by an error: what it leaves behind, and whether somebody is left waiting.
type Result = (Vec<Value>, bool);

/// What there is to find.
#[derive(Default)]
struct Found {
    results: BTreeSet<String>,
    errors: BTreeSet<&'static str>,
}

impl Found {
    fn note(&mut self, machine: &TbMachine, stuck: bool) {
        let result: Result = (machine.shared().to_vec(), stuck);
        self.results.insert(format!("{result:?}"));
    }

    fn note_error(&mut self, machine: &TbMachine) -> bool {
        let Some(Ending::Error(fault)) = machine.ending() else { return false };
        assert!(!matches!(fault.kind, FaultKind::Limit | FaultKind::Unsupported), "{}", fault.message);
        self.errors.insert(fault.kind.name())
    }
}

impl Search<TbMachine> for Found {
    fn end(&mut self, machine: &mut TbMachine, _: &Path, end: End) -> Flow {
        match &end {
            End::Error => _ = self.note_error(machine),
            End::Complete => self.note(machine, false),
            // Who goes round is looked for elsewhere.
            End::Stuck(stuck) if stuck.spinning.is_empty() => self.note(machine, true),
            End::Stuck(_) | End::Cut | End::Redundant => {}
            End::Exit(..) | End::Bound => panic!("{end:?}"),
        }
        Flow::Continue
    }
}

/// All states, one by one.
#[derive(Default)]
struct Truth {
    found: Found,
    states: usize,
    /// What a search with symmetry may know them by, and those that it has to meet.
    keys: HashSet<Fingerprint>,
    must: HashSet<Fingerprint>,
}

fn brute_force(program: &Arc<TbProgram>, limit: usize) -> Option<Truth> {
    let mut machine = machine(program, true);
    let mut truth = Truth::default();
    if machine.ending().is_some() {
        truth.found.note_error(&machine);
        return Some(truth);
    }
    let mut known = HashSet::from([machine.fingerprint().expect("exact")]);
    let mut open = vec![machine.save()];
    while let Some(state) = open.pop() {
        machine.restore(&state);
        let key = machine.matched().expect("exact");
        truth.keys.insert(key);
        let pending = machine.all_pending();
        let joins = |p: &threadbare_core::Pending| p.operation == Operation::ThreadJoin && p.choices.any_enabled();
        if !pending.iter().any(joins) {
            truth.must.insert(key);
        }
        let mut moves = false;
        for pending in &pending {
            let choices: Vec<Choice> = match &pending.choices {
                Choices::Range(n) => (0..*n).map(Choice).collect(),
                listed => listed.enabled().collect(),
            };
            for choice in choices {
                moves = true;
                machine.restore(&state);
                machine.step(pending.tid, choice);
                if machine.ending().is_some() {
                    truth.found.note_error(&machine);
                } else if known.insert(machine.fingerprint().expect("exact")) {
                    open.push(machine.save());
                }
            }
        }
        machine.restore(&state);
        if !moves && !machine.is_cut() {
            truth.found.note(&machine, !pending.is_empty());
        }
        if known.len() > limit {
            return None;
        }
    }
    truth.states = known.len();
    Some(truth)
}

fn search(program: &Arc<TbProgram>, symmetry: bool) -> (Found, Totals) {
    let mut found = Found::default();
    let mut machine = machine(program, symmetry);
    if machine.ending().is_some() {
        found.note_error(&machine);
    }
    let totals = Strategy::Stateful.run(&mut machine, &Settings::default(), &mut found);
    (found, totals)
}

/// A random program in which some thread is there several times, with its code as it is or in functions, and perhaps with
/// somebody who waits for all.
fn random(seed: u64, loops: bool) -> Option<String> {
    let mut random = Random::new(seed);
    let Program { mut threads, variables, .. } = side_by_side(&generate(seed, loops))?;
    let base = side_by_side(&generate(seed, loops))?;
    let copied = 1 + random.below(threads.len() - 1);
    threads.truncate(3.max(copied + 1));
    for _ in 0..1 + random.below(2) {
        // Not always one after the other.
        let at = 1 + random.below(threads.len());
        let code = base.threads[copied].clone();
        threads.insert(at, code);
    }
    let wording = if random.below(2) == 0 { Wording::Plain } else { Wording::Functions };
    let mut text = to_tb(&Program { threads, ..base }, wording);
    if random.below(2) == 0 && !variables.is_empty() {
        text += "\nfinally {\n  assert !x0 != 2;\n  x0 := 5\n}\n";
    }
    Some(text)
}

#[test]
fn nothing_is_lost_but_which_thread_it_was() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 300), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed, mut before, mut after) = (0, first, 0, 0);
    while programs < cases {
        seed += 1;
        let Some(text) = random(seed, seed % 3 == 0) else { continue };
        let program = program(&text);
        assert!(Symmetry::of(&program).kinds().next().is_some(), "seed {seed}: some thread is there twice\n{text}");
        let Some(truth) = brute_force(&program, 10_000) else { continue };
        let (found, totals) = search(&program, true);
        assert!(totals.complete);
        assert_eq!(found.results, truth.found.results, "ends, seed {seed}\n{text}");
        assert_eq!(found.errors, truth.found.errors, "errors, seed {seed}\n{text}");
        let states = totals.states.expect("they are stored") as usize;
        if truth.found.errors.is_empty() {
            let (least, most) = (truth.must.len(), truth.keys.len());
            assert!((least..=most).contains(&states), "{states} states of {least} to {most}, seed {seed}\n{text}");
        }
        (programs, before, after) = (programs + 1, before + truth.states, after + states);
    }
    println!("{programs} programs, {before} states, {after} with symmetry");
    assert!(after < before * 2 / 3, "{after} of {before}");
}

/// Threads that go through L places each and have nothing to do with each other: L^n states, and as many multisets of n places as
/// there are with symmetry. Together that is almost n! times fewer.
#[test]
fn states_fall_by_the_factor_that_theory_says() {
    let choose = |n: u64, k: u64| (0..k).fold(1, |all, i| all * (n - i) / (i + 1));
    for (threads, reads) in [(2, 3), (3, 6), (4, 9), (5, 7)] {
        let text = format!(
            "shared x = 0\nthread t[i in 0..{threads}] {{\n{}  ()\n}}\n",
            "  !x == 1;\n".repeat(reads as usize)
        );
        let program = program(&text);
        let places = reads + 1;
        let (_, without) = search(&program, false);
        assert_eq!(without.states, Some(u64::pow(places, threads)), "{text}");
        let (_, with) = search(&program, true);
        assert_eq!(with.states, Some(choose(places + u64::from(threads) - 1, threads.into())), "{text}");
    }
}

/// Who holds a mutex changes places with it.
#[test]
fn locks_change_places_with_those_who_hold_them() {
    let text = |threads: u32| {
        format!(
            "shared n = 0\nmutex m\nthread t[i in 0..{threads}] {{ lock m; n := !n + 1; unlock m }}\n\
             finally {{ assert !n == {threads} }}\n"
        )
    };
    for threads in [2, 4, 6] {
        let program = program(&text(threads));
        let ((found, with), (_, without)) = (search(&program, true), search(&program, false));
        assert!(found.errors.is_empty() && found.results.len() == 1, "{:?}", found.results);
        assert!(with.states < without.states);
        // One is inside or nobody; n says how many are through; how many of these have ended; and the joins.
        assert!(with.states.expect("stored") < 20 * u64::from(threads).pow(2), "{threads}: {:?}", with.states);
    }
}

/// Of two threads at different places it matters which of them holds the mutex.
#[test]
fn who_holds_a_mutex_is_a_part_of_the_state() {
    let program = program(
        "shared x = 0\nmutex m\nthread t[i in 0..2] { if choose(0, 1) == 1 then lock m else (); x := 1; x := 2 }\n",
    );
    // The first is `near` and the other one has gone on; one of them holds the mutex.
    let state = |near: u16, holder: u16| {
        let mut machine = machine(&program, true);
        for thread in [near, 3 - near] {
            machine.step(Tid(thread), Choice(u32::from(thread == holder)));
            if thread == holder {
                machine.step(Tid(thread), Choice(0));
            }
        }
        machine.step(Tid(3 - near), Choice(0));
        (machine.fingerprint(), machine.matched())
    };
    let ((one, key), (mirrored, its_key), (_, other_key)) = (state(1, 1), state(2, 2), state(1, 2));
    assert_ne!(one, mirrored);
    assert_eq!(key, its_key);
    assert_ne!(key, other_key);
}

#[test]
fn threads_that_differ_are_told_apart() {
    let kinds = |text: &str| {
        let symmetry = Symmetry::of(&program(text));
        symmetry.kinds().map(|kind| kind.map(Tid::index).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let shared = "shared x = 0\nshared y = 0\nshared a[3] = 0\nmutex m\nlet set(r, v) = r := v()\n";
    for (threads, expected) in [
        ("thread t[i in 0..3] { x := 1 }", vec![vec![1, 2, 3]]),
        ("thread t[i in 0..3] { x := i }", vec![]),
        ("thread t[i in 0..3] { a[i] := 1 }", vec![]),
        ("thread t { x := 1 } thread u { y := 1 } thread v { x := 1 }", vec![vec![1, 3]]),
        ("thread t { x := 1 } thread u { x := 2 }", vec![]),
        ("thread t { x := 1; y := 2 } thread u { y := 2; x := 1 }", vec![]),
        ("thread t { lock m; unlock m } thread u { lock m }", vec![]),
        ("thread t[i in 0..2] { set(x, fun () -> 1) }", vec![vec![1, 2]]),
        ("thread t[i in 0..2] { set(x, fun () -> i) }", vec![]),
        ("thread t[i in 0..2] { let r = ref 0 in { r := 1; set(x, fun () -> !r) } }", vec![vec![1, 2]]),
        ("thread t { set(x, fun () -> 1) } thread u { set(x, fun () -> 2) }", vec![]),
        ("thread t { assert !x == 0 } thread u { assert !x == 0 } thread v { assert !x == 1 }", vec![vec![1, 2]]),
    ] {
        assert_eq!(kinds(&format!("{shared}{threads}\n")), expected, "{threads}");
    }
}
