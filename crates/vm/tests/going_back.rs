//! Going back returns to the very state: random walks with marks and returns, equal states by different schedules,
//! hand-over between machines.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;
use threadbare_core::{Choice, Ending, Fingerprint, Machine, Mark, Step, Tid};
use threadbare_vm::{Console, Program, SavedState, Setup, Sources, VmMachine};

fn program(name: &str, optimisation: u8) -> Arc<Program> {
    let file = format!("{}/tests/going_back/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let sources = Sources {
        files: vec![file.into()],
        clang_flags: Vec::new(),
        optimisation,
        every_access: false,
        exploring: false,
        ..Sources::default()
    };
    Arc::new(threadbare_vm::load(&sources).expect("the program loads"))
}

fn machine(program: &Arc<Program>) -> VmMachine {
    let setup = Setup { fingerprints: true, arguments: vec!["program".into()], ..Setup::default() };
    VmMachine::new(program.clone(), &setup, Console::Kept { input: Vec::new() }).expect("memory for the machine")
}

/// All (thread, choice) pairs that can happen now.
fn enabled(machine: &mut VmMachine) -> Vec<(Tid, Choice)> {
    let pending = machine.all_pending();
    pending.iter().flat_map(|p| p.choices.enabled().map(move |choice| (p.tid, choice))).collect()
}

/// Everything that must come back.
struct Picture {
    mark: Mark,
    fingerprint: Fingerprint,
    state: SavedState,
    enabled: Vec<(Tid, Choice)>,
    output: Vec<u8>,
}

fn picture(machine: &mut VmMachine) -> Picture {
    Picture {
        mark: machine.mark(),
        fingerprint: machine.fingerprint().expect("kept"),
        state: machine.save(),
        enabled: enabled(machine),
        output: machine.system().output(1),
    }
}

fn assert_same(machine: &mut VmMachine, picture: &Picture) {
    assert_eq!(machine.fingerprint(), Some(picture.fingerprint));
    assert_eq!(enabled(machine), picture.enabled);
    assert_eq!(machine.system().output(1), picture.output);
    assert_eq!(machine.save().difference(&picture.state), None);
}

/// The kept fingerprint and one computed anew differ by the same constant for ever: what globals held at the start.
fn constant_part(machine: &mut VmMachine) -> Fingerprint {
    machine.fingerprint().expect("kept") ^ machine.fingerprint_from_scratch()
}

#[derive(Clone, Debug)]
enum Move {
    Step(usize),
    Mark,
    Back(usize),
}

/// With few ways back a walk comes to the end of the program, with many it is all over the place.
fn moves(steps_per_way_back: u32) -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        steps_per_way_back => any::<usize>().prop_map(Move::Step),
        2 => Just(Move::Mark),
        1 => any::<usize>().prop_map(Move::Back),
    ];
    prop::collection::vec(one, 1..400)
}

fn walk(program: &Arc<Program>, moves: &[Move]) {
    let mut machine = machine(program);
    let constant = constant_part(&mut machine);
    let mut pictures = vec![picture(&mut machine)];
    for step in moves {
        match step {
            Move::Step(n) => {
                let choices = enabled(&mut machine);
                if choices.is_empty() {
                    continue;
                }
                let (tid, choice) = choices[n % choices.len()];
                let before = machine.fingerprint();
                if machine.step(tid, choice) == Step::Ended {
                    assert_eq!(machine.ending(), Some(&Ending::Exit(0)));
                    assert_ne!(machine.fingerprint(), before, "the end is a state of its own");
                }
            }
            Move::Mark => pictures.push(picture(&mut machine)),
            Move::Back(n) => {
                let to = n % pictures.len();
                pictures.truncate(to + 1);
                machine.rewind(pictures[to].mark);
                assert_same(&mut machine, &pictures[to]);
            }
        }
        assert_eq!(constant_part(&mut machine), constant, "after {step:?}");
    }
    for picture in pictures.iter().rev() {
        machine.rewind(picture.mark);
        assert_same(&mut machine, picture);
    }
}

#[test]
fn random_walks_come_back_to_where_they_were() {
    for level in [0, 2] {
        let program = program("walk", level);
        let config = ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() };
        proptest!(config, |(moves in prop_oneof![moves(8), moves(200)])| walk(&program, &moves));
    }
}

/// A machine that knows what local code does, side by side with one that executes it.
fn walk_beside(by_heart: &mut VmMachine, by_code: &mut VmMachine, moves: &[Move]) {
    let mut marks = vec![(by_heart.mark(), by_code.mark())];
    for step in moves {
        match step {
            Move::Step(n) => {
                let choices = enabled(by_code);
                if choices.is_empty() {
                    continue;
                }
                let (tid, choice) = choices[n % choices.len()];
                let steps = (by_heart.step(tid, choice), by_code.step(tid, choice));
                assert_eq!(steps.0, steps.1);
                assert_eq!(by_heart.ending(), by_code.ending());
            }
            Move::Mark => marks.push((by_heart.mark(), by_code.mark())),
            Move::Back(n) => {
                marks.truncate(n % marks.len() + 1);
                let &(mine, other) = marks.last().expect("the first one stays");
                by_heart.rewind(mine);
                by_code.rewind(other);
            }
        }
        assert_eq!(enabled(by_heart), enabled(by_code), "after {step:?}");
        assert_eq!(by_heart.fingerprint(), by_code.fingerprint(), "after {step:?}");
        for tid in (0..by_code.thread_count()).map(|i| Tid(i as u16)) {
            assert_eq!(by_heart.local_fingerprint(tid), by_code.local_fingerprint(tid), "after {step:?}");
        }
        if matches!(step, Move::Mark | Move::Back(_)) {
            assert_eq!(by_heart.save().difference(&by_code.save()), None, "after {step:?}");
        }
    }
    let (mine, other) = marks[0];
    by_heart.rewind(mine);
    by_code.rewind(other);
}

#[test]
fn what_is_done_by_heart_is_what_the_code_does() {
    // A search also leaves out of its races what can have none; `random_c` compares that.
    for (level, races, merge_threads) in [(0, true, false), (2, true, false), (0, false, true), (1, false, true)] {
        let program = program("walk", level);
        let new = |by_heart| {
            let setup = Setup {
                fingerprints: true,
                arguments: vec!["program".into()],
                races,
                merge_threads,
                by_heart,
                ..Setup::default()
            };
            VmMachine::new(program.clone(), &setup, Console::Kept { input: Vec::new() }).expect("memory")
        };
        // The same machines for all walks: the one should know more and more.
        let machines = std::cell::RefCell::new((new(true), new(false)));
        let config = ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() };
        proptest!(config, |(moves in prop_oneof![moves(8), moves(200)])| {
            let (by_heart, by_code) = &mut *machines.borrow_mut();
            walk_beside(by_heart, by_code, &moves);
        });
    }
}

/// Every step that can be foreseen is taken, and leads there. How many there were.
fn walk_foreseeing(machine: &mut VmMachine, moves: &[Move]) -> usize {
    let mut marks = vec![machine.mark()];
    let mut foreseen = 0;
    for step in moves {
        let choices = enabled(machine);
        for &(tid, choice) in &choices {
            if !machine.can_foresee() {
                continue;
            }
            let Some(change) = machine.foresee(tid, choice) else { continue };
            let state = machine.matched().expect("kept") ^ change;
            let (mark, shared) = (machine.mark(), machine.shares_plain_data());
            assert_eq!(machine.step(tid, choice), Step::Done, "{tid:?}");
            assert_eq!(machine.matched(), Some(state), "{tid:?}");
            assert!(machine.along().is_empty() && machine.noted().is_empty());
            assert_eq!(machine.shares_plain_data(), shared);
            machine.rewind(mark);
            foreseen += 1;
        }
        match step {
            Move::Step(n) if !choices.is_empty() => {
                let (tid, choice) = choices[n % choices.len()];
                machine.step(tid, choice);
            }
            Move::Step(_) => {}
            Move::Mark => marks.push(machine.mark()),
            Move::Back(n) => {
                marks.truncate(n % marks.len() + 1);
                machine.rewind(*marks.last().expect("the first one stays"));
            }
        }
    }
    machine.rewind(marks[0]);
    foreseen
}

#[test]
fn what_is_foreseen_comes_true() {
    for name in ["walk", "atomics"] {
        for (level, races, merge_threads) in [(0, true, true), (2, true, true), (0, false, false), (2, false, true)] {
            let program = program(name, level);
            let setup = Setup {
                fingerprints: true,
                arguments: vec!["program".into()],
                races,
                by_sharing: races,
                merge_threads,
                by_heart: true,
                ..Setup::default()
            };
            let console = Console::Kept { input: Vec::new() };
            let machine = VmMachine::new(program.clone(), &setup, console).expect("memory");
            let state = std::cell::RefCell::new((machine, 0));
            let config = ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() };
            proptest!(config, |(moves in prop_oneof![moves(8), moves(200)])| {
                let (machine, foreseen) = &mut *state.borrow_mut();
                *foreseen += walk_foreseeing(machine, &moves);
            });
            let (_, foreseen) = state.into_inner();
            assert!(foreseen > 1000 || name == "walk", "{name} -O{level}, races: {races}: only {foreseen}");
        }
    }
}

/// Depth-first over all schedules; gives the fingerprints of all final states, and how many executions there were.
fn final_states(machine: &mut VmMachine, most: usize) -> (HashSet<Fingerprint>, usize) {
    let mut found = HashSet::new();
    let mut executions = 0;
    let mut stack = vec![(machine.mark(), enabled(machine))];
    while let Some((mark, choices)) = stack.last_mut() {
        let Some((tid, choice)) = choices.pop() else {
            stack.pop();
            continue;
        };
        machine.rewind(*mark);
        if machine.step(tid, choice) == Step::Ended {
            assert_eq!(machine.ending(), Some(&Ending::Exit(0)));
            found.insert(machine.fingerprint().expect("kept"));
            executions += 1;
            if executions == most {
                break;
            }
        } else {
            let choices = enabled(machine);
            assert!(!choices.is_empty(), "this program has no deadlock");
            stack.push((machine.mark(), choices));
        }
    }
    (found, executions)
}

#[test]
fn the_order_of_allocations_in_different_threads_does_not_show() {
    for level in [0, 2] {
        let program = program("allocate", level);
        let (found, executions) = final_states(&mut machine(&program), 20_000);
        assert!(executions > 60, "{executions} schedules");
        assert_eq!(found.len(), 1, "all schedules end in one state");
    }
}

#[test]
fn a_hundred_thousand_steps_are_taken_back() {
    let program = program("long", 0);
    let mut machine = machine(&program);
    let start = picture(&mut machine);
    let mut steps = 0;
    while steps < 100_000 {
        // One mark a step, as a search makes them.
        machine.mark();
        let choices = enabled(&mut machine);
        let (tid, choice) = choices[steps % choices.len()];
        steps += 1;
        if machine.step(tid, choice) == Step::Ended {
            break;
        }
    }
    // Linear in what was written: an atomic add, a plain store and the saved frame make a handful of entries a step.
    assert!(machine.memory().log_length() < 12 * steps, "{} entries for {steps} steps", machine.memory().log_length());
    machine.rewind(start.mark);
    assert_same(&mut machine, &start);
}

#[test]
fn a_saved_state_goes_on_in_another_machine() {
    let program = program("walk", 0);
    let mut second = machine(&program);
    let advance = |machine: &mut VmMachine, from: usize, steps: usize| {
        for i in from..from + steps {
            let choices = enabled(machine);
            if choices.is_empty() {
                break;
            }
            let (tid, choice) = choices[(i * 7919) % choices.len()];
            if machine.step(tid, choice) == Step::Ended {
                break;
            }
        }
    };
    // The second has been elsewhere before.
    advance(&mut second, 5, 60);
    for start in [0, 10, 40, 90] {
        let mut first = machine(&program);
        advance(&mut first, 0, start);
        second.restore(&first.save());
        assert_eq!(second.fingerprint(), first.fingerprint(), "at {start}");
        assert_eq!(second.save().difference(&first.save()), None);
        let mark = second.mark();
        advance(&mut second, start, 30);
        advance(&mut first, start, 30);
        assert_eq!(second.fingerprint(), first.fingerprint(), "30 steps after {start}");
        second.rewind(mark);
        advance(&mut second, start, 30);
        assert_eq!(second.fingerprint(), first.fingerprint(), "the same again");
    }
}
