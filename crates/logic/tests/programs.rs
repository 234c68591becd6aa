//! Formulas on random programs: a run that breaks one is found exactly if there is one, with and without fairness, and is
//! what it is said to be.

mod random;

use std::collections::{HashMap, HashSet};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use random::{formula, setting};
use threadbare_core::{Access, Choice, Machine, Mode, Space, Tid};
use threadbare_logic::{
    Automaton, Expr, Eyes, Fairness, Lasso, Product, Programs, Run, Seen, Taken, automaton_of_negation, find_run, holds,
};
use threadbare_pl::{ModelMachine, Program, generate, generate_endless, to_c};

/// Some things that hold in a state or not.
fn letter(machine: &mut ModelMachine<'_>) -> u64 {
    let state = &machine.state;
    let (first, last) = (state.variables[0], state.variables[state.variables.len() - 1]);
    let seen = state.registers().last().is_some_and(|registers| registers[2] == 1);
    u64::from(first == 1) | u64::from(last == 2) << 1 | u64::from(seen) << 2
}

/// A step of the last thread may change a register, and others the variables that are looked at.
fn sees_step(machine: &mut ModelMachine<'_>, tid: Tid) -> bool {
    let (threads, variables) = (machine.thread_count(), machine.state.variables.len() as u64);
    let seen = |access: &Access| {
        access.space == Space::Memory && access.mode != Mode::Read && [0, 8 * (variables - 1)].contains(&access.address)
    };
    let choices: Vec<Choice> = machine.pending(tid).choices.enabled().collect();
    tid.index() + 1 == threads || choices.into_iter().any(|choice| machine.accesses(tid, choice).iter().any(seen))
}

struct Node {
    letter: u64,
    /// The threads that can move.
    movers: HashSet<Tid>,
    /// Nobody, where the program stays for ever.
    edges: Vec<(Option<(Tid, Choice)>, usize)>,
}

/// All states, each found by putting the machine there. `None` if there are many.
fn all_states(program: &Program, most: usize) -> Option<Vec<Node>> {
    let mut machine = ModelMachine::new(program);
    let mut index = HashMap::from([(machine.fingerprint(), 0)]);
    let mut saved = vec![machine.save()];
    let mut nodes = Vec::new();
    while nodes.len() < saved.len() {
        let here = nodes.len();
        machine.restore(&saved[here].clone());
        let mut steps = Vec::new();
        for tid in (0..machine.thread_count()).map(|i| Tid(i as u16)) {
            if machine.is_live(tid) {
                steps.extend(machine.pending(tid).choices.enabled().map(|choice| (tid, choice)));
            }
        }
        let (letter, cut) = (letter(&mut machine), machine.is_cut());
        let movers = steps.iter().map(|(tid, _)| *tid).collect();
        let mut edges = Vec::new();
        for (tid, choice) in steps {
            machine.restore(&saved[here].clone());
            machine.step(tid, choice);
            let to = *index.entry(machine.fingerprint()).or_insert_with(|| {
                saved.push(machine.save());
                saved.len() - 1
            });
            edges.push((Some((tid, choice)), to));
        }
        if edges.is_empty() {
            edges.push((None, here));
        }
        nodes.push(Node { letter, movers, edges: if cut { Vec::new() } else { edges } });
        if saved.len() > most {
            return None;
        }
    }
    Some(nodes)
}

/// Whether the thread is treated fairly along an edge for ever: it moves, or could not.
fn fair_edge(node: &Node, mover: Option<(Tid, Choice)>, tid: Tid) -> bool {
    !node.movers.contains(&tid) || mover.is_some_and(|(who, _)| who == tid)
}

/// Whether some path through the program is accepted: by parts of the product, each found by going forward and back.
fn is_accepted(nodes: &[Node], threads: usize, automaton: &Automaton, fairness: Fairness) -> bool {
    let states = automaton.states();
    let product = |node: usize, state: usize| node * states + state;
    let mut forward: Vec<Vec<(usize, u128)>> = vec![Vec::new(); nodes.len() * states];
    let mut backward: Vec<Vec<usize>> = vec![Vec::new(); nodes.len() * states];
    for (n, node) in nodes.iter().enumerate() {
        for state in 0..states {
            for edge in automaton.edges[state].iter().filter(|edge| edge.label.has(node.letter)) {
                for &(mover, to) in &node.edges {
                    let fair = (0..threads).fold(0u128, |marks, t| {
                        let good = fairness == Fairness::None || fair_edge(node, mover, Tid(t as u16));
                        marks | u128::from(good) << t
                    });
                    let to = product(to, edge.to as usize);
                    forward[product(n, state)].push((to, u128::from(edge.marks) << 64 | fair));
                    backward[to].push(product(n, state));
                }
            }
        }
    }
    let all = u128::from(automaton.all_marks()) << 64 | ((1 << threads) - 1);
    let reach = |from: usize, next: &dyn Fn(usize) -> Vec<usize>| {
        let (mut open, mut seen) = (vec![from], HashSet::from([from]));
        while let Some(node) = open.pop() {
            open.extend(next(node).into_iter().filter(|&to| seen.insert(to)));
        }
        seen
    };
    let ahead = |node: usize| forward[node].iter().map(|(to, _)| *to).collect();
    let behind = |node: usize| backward[node].clone();
    let mut left = reach(0, &ahead);
    while let Some(&node) = left.iter().next() {
        let members: HashSet<usize> = &reach(node, &ahead) & &reach(node, &behind);
        let inside = members.iter().flat_map(|&from| &forward[from]).filter(|(to, _)| members.contains(to));
        if inside.map(|(_, marks)| *marks).reduce(|a, b| a | b) == Some(all) {
            return true;
        }
        left.retain(|node| !members.contains(node));
    }
    false
}

/// The run is one of the program, the formula does not hold on it, and no thread is treated unfairly.
fn check_run(program: &Program, formula: &Expr, fairness: Fairness, run: &Run<Taken, (u32, u32)>) {
    let mut machine = ModelMachine::new(program);
    let mut letters = vec![letter(&mut machine)];
    let mut go = |steps: &[threadbare_logic::Step<Taken, (u32, u32)>], fair: Option<&mut HashSet<Tid>>| {
        let (mut fair, threads) = (fair, machine.thread_count());
        for step in steps {
            if let Some(fair) = fair.as_deref_mut() {
                let can = |machine: &mut ModelMachine<'_>, tid: Tid| {
                    machine.is_live(tid) && machine.pending(tid).choices.any_enabled()
                };
                let waits = (0..threads).map(|t| Tid(t as u16)).filter(|&tid| !can(&mut machine, tid));
                fair.extend(waits.collect::<Vec<_>>());
            }
            if let Taken::Step(tid, choice) = step.step {
                fair.as_deref_mut().into_iter().for_each(|fair| _ = fair.insert(tid));
                machine.step(tid, choice);
            }
            letters.push(letter(&mut machine));
        }
        (machine.fingerprint(), threads)
    };
    let (first, _) = go(&run.prefix, None);
    let mut fair = HashSet::new();
    let (back, threads) = go(&run.cycle, Some(&mut fair));
    assert_eq!(first, back, "the cycle is none");
    letters.pop();
    let cycle = letters.split_off(run.prefix.len());
    assert!(!holds(formula, &Lasso { prefix: letters, cycle }), "the formula holds on the run");
    assert!(fairness == Fairness::None || fair.len() == threads, "the run is not fair");
}

#[test]
fn runs_that_break_formulas_are_found() {
    let (cases, first) = (setting("TB_FUZZ_CASES", 300), setting("TB_FUZZ_SEED", 0));
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut formulas = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[first as u8; 32]));
    let (mut programs, mut seed, mut broken, mut saved_by_fairness) = (0, first, 0, 0);
    let (mut states, mut alone) = ([0, 0], 0);
    while programs < cases {
        seed += 1;
        let program = if seed % 2 == 0 { generate(seed, true) } else { generate_endless(seed) };
        let Some(nodes) = all_states(&program, 400) else { continue };
        programs += 1;
        for _ in 0..5 {
            let formula = formula(8).new_tree(&mut formulas).expect("a formula").current();
            let what = || format!("seed {seed}: {}\n{}", formula.display(&[]), to_c(&program));
            let automaton = automaton_of_negation(&formula).expect("small");
            let found = [Fairness::None, Fairness::Weak].map(|fairness| {
                let mut machine = ModelMachine::new(&program);
                let threads = machine.thread_count();
                let mut graph = Programs::new(&mut machine, fairness, |machine: &mut _| Seen::Holds(letter(machine)));
                let run = find_run(&mut Product::new(&mut graph, &automaton), || false).expect("an answer");
                assert!(graph.state_count() <= nodes.len() && !graph.has_too_many_threads());
                let truth = is_accepted(&nodes, threads, &automaton, fairness);
                assert_eq!(run.is_some(), truth, "{fairness:?}, {}", what());
                if let Some(run) = &run {
                    check_run(&program, &formula, fairness, run);
                }
                let all = match graph.find_all(|| false) {
                    true => graph.state_count(),
                    false => unreachable!("nobody stops it"),
                };
                if !formula.counts_steps() {
                    let mut machine = ModelMachine::new(&program);
                    let eyes = Eyes { see_step: sees_step, see_place: |_, _| false };
                    let look = |machine: &mut _| Seen::Holds(letter(machine));
                    let mut graph = Programs::new(&mut machine, fairness, look).reduced(Some(eyes));
                    let run = find_run(&mut Product::new(&mut graph, &automaton), || false).expect("an answer");
                    assert_eq!(run.is_some(), truth, "reduced, {fairness:?}, {}", what());
                    if let Some(run) = &run {
                        check_run(&program, &formula, fairness, run);
                    }
                    assert!(graph.find_all(|| false));
                    states[0] += all;
                    states[1] += graph.state_count();
                    alone += graph.reduced_count();
                }
                run.is_some()
            });
            assert!(found[0] || !found[1], "fairness makes no new runs: {}", what());
            broken += u64::from(found[1]);
            saved_by_fairness += u64::from(found[0] && !found[1]);
        }
    }
    println!("{programs} programs with 5 formulas each: {broken} broken, {saved_by_fairness} hold only with fairness");
    println!("reduced: {} states of {}, {alone} of them with one thread alone", states[1], states[0]);
    assert!(alone > cases && states[1] < states[0]);
    assert!(saved_by_fairness > 0 && broken > cases && broken < 4 * cases);
}
