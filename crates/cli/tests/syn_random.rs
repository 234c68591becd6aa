//! `check --trace-spec` on random programs, against every interleaving of them, simulated here: reads, writes and updates of atomic
//! variables, some of them behind a condition, so that executions differ in what they touch.

use std::process::Command;

use threadbare_core::Random;
use threadbare_core::source::Source;
use threadbare_logic::parse_sequence_file;
use threadbare_logic::semantics::{Lasso, Letter, holds};
use threadbare_logic::{Expr, Kind, Relation};

const NAMES: [&str; 3] = ["x", "y", "z"];
const START: [i64; 3] = [0, 3, 1];

#[derive(Clone, Copy, PartialEq, Debug)]
enum Op {
    Load(usize),
    Store(usize, i64),
    Add(usize, i64),
}

/// What a thread does, each only if what it has read last is that number, where there is one.
type Thread = Vec<(Option<i64>, Op)>;

fn thread(dice: &mut Random) -> Thread {
    let mut ops = Vec::new();
    for _ in 0..1 + dice.below(2) {
        let (v, w, n) = (dice.below(3), dice.below(3), dice.below(4) as i64);
        match dice.below(5) {
            0 => ops.push((None, Op::Store(v, n))),
            1 => ops.push((None, Op::Add(v, 1 + n % 2))),
            2 => ops.push((None, Op::Load(v))),
            _ => {
                ops.push((None, Op::Load(v)));
                let then = if dice.once_in(3) { Op::Add(w, 1) } else { Op::Store(w, n) };
                ops.push((Some(if dice.once_in(2) { START[v] } else { n }), then));
            }
        }
    }
    ops.truncate(3);
    ops
}

fn source(threads: &[Thread]) -> String {
    let mut text = String::from("#include <pthread.h>\n#include <stdatomic.h>\natomic_int x = 0, y = 3, z = 1;\n");
    for (number, ops) in threads.iter().enumerate() {
        text += &format!("void *t{number}(void *u) {{ int v = -1; (void)v;\n");
        for (when, op) in ops {
            text += &when.map_or(String::new(), |when| format!("if (v == {when}) "));
            text += &match op {
                Op::Load(v) => format!("v = atomic_load(&{});\n", NAMES[*v]),
                Op::Store(v, n) => format!("atomic_store(&{}, {n});\n", NAMES[*v]),
                Op::Add(v, n) => format!("atomic_fetch_add(&{}, {n});\n", NAMES[*v]),
            };
        }
        text += "return u; }\n";
    }
    text += "int main(void) { pthread_t t[2];\n";
    (0..threads.len()).for_each(|n| text += &format!("pthread_create(&t[{n}], 0, t{n}, 0);\n"));
    (0..threads.len()).for_each(|n| text += &format!("pthread_join(t[{n}], 0);\n"));
    text + "return 0; }\n"
}

/// What happens: of which thread (0 is `main`), its number there, and what it does to a variable.
type Happened = (usize, usize, Option<Op>);

/// After each event, the event and the values; the first and the last have none.
type Run = Vec<(Option<Happened>, [i64; 3])>;

#[derive(Clone)]
struct State {
    /// How far `main` is: it starts, creates two, joins two, ends.
    main: usize,
    /// How far each thread is; 0 before it has started, one more than its operations and its start before its end.
    at: [usize; 2],
    events: [usize; 3],
    read: [i64; 2],
    values: [i64; 3],
}

fn runs(threads: &[Thread]) -> Vec<Run> {
    fn go(threads: &[Thread], state: &State, run: &mut Run, all: &mut Vec<Run>) {
        let last = |t: usize| threads[t].len() + 2;
        let mut moved = false;
        let mut take = |next: State, who: usize, op: Option<Op>| {
            moved = true;
            run.push((Some((who, state.events[who], op)), next.values));
            let mut next = next;
            next.events[who] += 1;
            go(threads, &next, run, all);
            run.pop();
        };
        let can = match state.main {
            0..=2 => true,
            3 | 4 => state.at[state.main - 3] == last(state.main - 3),
            step => step == 5,
        };
        if can {
            take(State { main: state.main + 1, ..state.clone() }, 0, None);
        }
        for (t, own) in threads.iter().enumerate() {
            let at = state.at[t];
            if state.main < t + 2 || at == last(t) {
                continue;
            }
            let mut next = state.clone();
            next.at[t] += 1;
            let op = at.checked_sub(1).and_then(|at| own.get(at)).map(|(_, op)| *op);
            match op {
                Some(Op::Load(v)) => next.read[t] = state.values[v],
                Some(Op::Store(v, n)) => next.values[v] = n,
                Some(Op::Add(v, n)) => next.values[v] += n,
                None => {}
            }
            // What is not to happen is no event.
            while let Some((Some(when), _)) = next.at[t].checked_sub(1).and_then(|at| own.get(at)) {
                if *when == next.read[t] {
                    break;
                }
                next.at[t] += 1;
            }
            take(next, t + 1, op);
        }
        if !moved {
            let mut whole = run.clone();
            whole.push((None, state.values));
            all.push(whole);
        }
    }
    let start = State { main: 0, at: [0; 2], events: [0; 3], read: [-1; 2], values: START };
    let mut all = Vec::new();
    go(threads, &start, &mut vec![(None, START)], &mut all);
    all
}

fn is_like(op: Option<Op>, name: &str, variable: usize) -> bool {
    match op {
        Some(Op::Load(v)) => name == "r" && v == variable,
        Some(Op::Store(v, _)) => name == "w" && v == variable,
        Some(Op::Add(v, _)) => v == variable,
        None => false,
    }
}

/// Where a proposition holds.
type Test = Box<dyn Fn(&(Option<Happened>, [i64; 3])) -> bool>;

/// A proposition in words, whether it is about events, and what it means.
fn proposition(dice: &mut Random, of_events: bool) -> (String, Test) {
    let (v, t, n) = (dice.below(3), dice.below(2), dice.below(6) as i64);
    let op = dice.pick(&["r", "w", "rw"]);
    let event = move |happened: &Option<Happened>, own: bool| {
        happened.is_some_and(|(who, _, what)| (!own || who == t + 1) && is_like(what, op, v))
    };
    match dice.below(if of_events { 2 } else { 5 }) {
        0 => (format!("{op}({})", NAMES[v]), Box::new(move |(happened, _)| event(happened, false))),
        1 => (format!("0.{t}.{op}({})", NAMES[v]), Box::new(move |(happened, _)| event(happened, true))),
        2 => (format!("{}={n}", NAMES[v]), Box::new(move |(_, values)| values[v] == n)),
        3 => (format!("{}<{n}", NAMES[v]), Box::new(move |(_, values)| values[v] < n)),
        _ => {
            (format!("0.{t}.0"), Box::new(move |(happened, _)| matches!(happened, Some((who, 0, _)) if *who == t + 1)))
        }
    }
}

fn linear(dice: &mut Random, words: &[String], size: usize) -> String {
    if size <= 1 {
        return words[dice.below(words.len())].clone();
    }
    let left = 1 + dice.below(size - 1);
    match dice.below(6) {
        0 => format!("!({})", linear(dice, words, size - 1)),
        1 => format!("X ({})", linear(dice, words, size - 1)),
        2 => format!("F ({})", linear(dice, words, size - 1)),
        3 => format!("G ({})", linear(dice, words, size - 1)),
        4 => format!("({}) U ({})", linear(dice, words, left), linear(dice, words, size - left)),
        _ => {
            let op = dice.pick(&["&", "|", "->", "<->"]);
            format!("({}) {op} ({})", linear(dice, words, left), linear(dice, words, size - left))
        }
    }
}

/// Whether a formula holds on a run; `letters` has what holds in each state.
fn on_run(formula: &Expr, letters: &[Letter]) -> bool {
    let is = |expr: &Expr, letter: Letter| holds(expr, &Lasso { prefix: vec![], cycle: vec![letter] });
    // The first and the last are no events.
    let events = &letters[1..letters.len() - 1];
    match &formula.kind {
        Kind::Relation(Relation::Before, p, q) => {
            let (last, first) = (events.iter().rposition(|l| is(p, *l)), events.iter().position(|l| is(q, *l)));
            last.is_some_and(|last| first.is_some_and(|first| last < first))
        }
        Kind::Relation(_, p, q) => events.windows(2).any(|pair| is(p, pair[0]) && is(q, pair[1])),
        _ => holds(
            formula,
            &Lasso { prefix: letters[..letters.len() - 1].to_vec(), cycle: vec![letters[letters.len() - 1]] },
        ),
    }
}

#[test]
fn trace_specs_hold_on_every_interleaving() {
    let from_env = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let cases = from_env("TB_FUZZ_CASES").unwrap_or(15);
    let mut dice = Random::new(from_env("TB_FUZZ_SEED").unwrap_or(51) as u64);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("random.c");
    let mut told = [0; 3];
    for case in 0..cases {
        let threads = [thread(&mut dice), thread(&mut dice)];
        let runs = runs(&threads);
        let program = source(&threads);
        std::fs::write(&file, &program).expect("writable");
        let touches = |v: usize| {
            let is = |(happened, _): &(Option<Happened>, _)| {
                happened.is_some_and(|(_, _, op)| ["r", "w"].iter().any(|name| is_like(op, name, v)))
            };
            runs.iter().any(|run| run.iter().any(is))
        };
        for round in 0..5 {
            let relation = dice.once_in(3);
            let propositions: Vec<(String, Test)> = (0..3).map(|_| proposition(&mut dice, relation)).collect();
            let words: Vec<String> = propositions.iter().map(|(words, _)| words.clone()).collect();
            let text = match relation {
                true => format!("{} {} {}", words[0], dice.pick(&["<", "~>"]), words[1]),
                false => {
                    let size = 1 + dice.below(6);
                    linear(&mut dice, &words, size)
                }
            };
            let source = Source::new("formula", text.as_str());
            let specification = parse_sequence_file(&source).expect("a formula").remove(0).specification;
            let meant: Vec<&Test> = specification
                .propositions
                .iter()
                .map(|own| &propositions.iter().find(|(words, _)| *words == own.text).expect("one of these").1)
                .collect();
            let named = |v: usize| {
                let name = NAMES[v];
                specification
                    .propositions
                    .iter()
                    .any(|p| p.text.starts_with(name) || p.text.contains(&format!("({name})")))
            };
            let letters = |run: &Run| -> Vec<Letter> {
                let letter = |state| (0..).zip(&meant).fold(0, |l, (bit, test)| l | Letter::from(test(state)) << bit);
                run.iter().map(letter).collect()
            };
            let is_known = (0..3).all(|v| !named(v) || touches(v));
            let expected = match is_known {
                false => 2,
                true => i32::from(!runs.iter().all(|run| on_run(&specification.formula, &letters(run)))),
            };
            let strategy = ["auto", "optimal", "dfs", "source", "dpor"][round];
            let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
            let arguments = ["check", "random.c", "--trace-spec", &text, "--strategy", strategy];
            let output = command.current_dir(folder.path()).args(arguments).output().expect("it starts");
            let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(expected), "case {case}, {strategy}: {text}\n{program}\n{said}");
            told[expected as usize] += 1;
        }
    }
    assert!(told[0] > cases / 2 && told[1] > cases && told[2] > 0, "{told:?}");
}
