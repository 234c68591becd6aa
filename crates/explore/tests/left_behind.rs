//! Threads that stay blocked while others go on for ever, on random programs against brute force: `graph` finds all of them and
//! none besides, by paths that lead to where they wait, and of every state it can be told who waits there for good.

use std::collections::{BTreeSet, HashMap};

use threadbare_core::{Fingerprint, Machine, Operation, Pending};
use threadbare_explore::{End, Flow, LeftBehind, Path, Search, Settings, Steps, Strategy, waits_for_good};
use threadbare_pl::{ModelMachine, Program, State, generate_endless, to_c};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn describe(seed: u64, program: &Program) -> String {
    format!("TB_FUZZ_SEED={} TB_FUZZ_CASES=1\n{program:?}\n{}", seed - 1, to_c(program))
}

/// What `graph` tells of them.
#[derive(Default)]
struct Told {
    who: BTreeSet<usize>,
    /// And where they lead.
    paths: Vec<(Steps, Option<Fingerprint>)>,
}

impl Search<ModelMachine<'_>> for Told {
    fn end(&mut self, _: &mut ModelMachine<'_>, _: &Path, _: End) -> Flow {
        Flow::Continue
    }

    fn redundant(&mut self, _: &mut ModelMachine<'_>, _: u64) -> bool {
        false
    }

    fn left_behind(&mut self, machine: &mut ModelMachine<'_>, path: &Path, left: &LeftBehind) {
        self.who.extend(left.who.iter().map(|who| who.index()));
        let steps = path.events.iter().map(|event| (event.label.tid, event.label.choice)).collect();
        self.paths.push((steps, machine.fingerprint()));
    }
}

/// Every state with all its steps, and from each what can be reached.
struct Everything {
    states: Vec<State>,
    next: Vec<Vec<usize>>,
    reached: Vec<BTreeSet<usize>>,
    /// Who is blocked in each state; nothing where that does not count.
    blocked: Vec<Option<BTreeSet<usize>>>,
}

impl Everything {
    fn of(machine: &mut ModelMachine, most: usize) -> Option<Everything> {
        let mut states = vec![machine.save()];
        let mut index = HashMap::from([(machine.fingerprint().expect("exact"), 0)]);
        let (mut next, mut blocked): (Vec<Vec<usize>>, Vec<Option<BTreeSet<usize>>>) = (Vec::new(), Vec::new());
        while next.len() < states.len() {
            let state = states[next.len()].clone();
            machine.restore(&state);
            let pending = machine.all_pending();
            let counts = !machine.is_cut() && pending.iter().all(|p| p.operation != Operation::Exit);
            let waits = |p: &&Pending| !p.choices.any_enabled() && p.operation != Operation::ThreadJoin;
            blocked.push(counts.then(|| pending.iter().filter(waits).map(|p| p.tid.index()).collect()));
            let steps = pending.iter().filter(|p| p.operation != Operation::Exit);
            let steps: Vec<_> = steps.flat_map(|p| p.choices.enabled().map(|choice| (p.tid, choice))).collect();
            let mut after = Vec::new();
            for (tid, choice) in steps {
                machine.restore(&state);
                machine.step(tid, choice);
                let fresh = states.len();
                let known = *index.entry(machine.fingerprint().expect("exact")).or_insert(fresh);
                if known == fresh {
                    states.push(machine.save());
                }
                after.push(known);
            }
            next.push(after);
            if states.len() > most {
                return None;
            }
        }
        let reached_from = |from: usize| {
            let (mut seen, mut todo) = (BTreeSet::new(), vec![from]);
            while let Some(at) = todo.pop() {
                if seen.insert(at) {
                    todo.extend(&next[at]);
                }
            }
            seen
        };
        let reached = (0..states.len()).map(reached_from).collect();
        Some(Everything { states, next, reached, blocked })
    }

    /// Who is blocked in a state and in all that can come after it.
    fn for_good(&self, from: usize) -> BTreeSet<usize> {
        let mut stay = self.blocked[from].clone().unwrap_or_default();
        for &at in &self.reached[from] {
            stay.retain(|tid| self.blocked[at].as_ref().is_some_and(|here| here.contains(tid)));
        }
        stay
    }

    /// The same for all states from which one can go on for ever, and come back.
    fn left_behind(&self) -> BTreeSet<usize> {
        let is_bottom = |&from: &usize| {
            !self.next[from].is_empty() && self.reached[from].iter().all(|&at| self.reached[at].contains(&from))
        };
        (0..self.states.len()).filter(is_bottom).flat_map(|from| self.for_good(from)).collect()
    }
}

#[test]
fn threads_that_stay_blocked_while_others_go_on_for_ever_are_found() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 200), setting("TB_FUZZ_SEED", 0));
    let (mut programs, mut seed, mut some, mut asked) = (0, first, 0, [0u64; 2]);
    while programs < cases {
        seed += 1;
        let program = generate_endless(seed);
        let mut machine = ModelMachine::new(&program);
        machine.ordered_arrivals = true;
        let start = machine.save();
        let Some(truth) = Everything::of(&mut machine, 400) else { continue };
        programs += 1;
        let mut told = Told::default();
        let totals = Strategy::Graph.run(&mut ModelMachine::new(&program), &Settings::default(), &mut told);
        assert!(totals.complete && totals.looked_for_left_behind);
        let left = truth.left_behind();
        some += u64::from(!left.is_empty());
        assert_eq!(told.who, left, "{}", describe(seed, &program));
        for (steps, there) in told.paths {
            machine.restore(&start);
            for (tid, choice) in steps {
                machine.step(tid, choice);
            }
            assert_eq!(machine.fingerprint(), there, "{}", describe(seed, &program));
        }
        for (number, state) in truth.states.iter().enumerate() {
            machine.restore(state);
            let for_good = truth.for_good(number);
            for pending in machine.all_pending() {
                let answer = waits_for_good(&mut machine, pending.tid, || false).expect("not given up");
                asked[usize::from(answer)] += 1;
                let what = || format!("{:?} of {number}: {}", pending.tid, describe(seed, &program));
                assert_eq!(answer, for_good.contains(&pending.tid.index()), "{}", what());
                assert_eq!(machine.save(), *state, "{}", what());
            }
        }
    }
    println!("{programs} programs, {some} with threads that are left behind; asked {asked:?} times");
    assert!(some * 50 > cases, "only {some} of {cases} programs leave threads behind");
    assert!(asked[1] * 100 > asked[0], "{asked:?}");
}
