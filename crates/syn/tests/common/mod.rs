//! Random sequences, and what is true of them by definition.
#![allow(dead_code)]

pub mod smv;

use smallvec::SmallVec;
use threadbare_core::source::{Source, Span};
use threadbare_core::{Mode, Random};
use threadbare_logic::semantics::{Lasso, Letter};
use threadbare_logic::{Binary, Expr, Form, Kind, Proposition, Quantifier, Specification, Unary, parse_sequence_file};
use threadbare_syn::proposition::{self, Meaning, of_event};
use threadbare_syn::sequence::{Op, Part, Remarks};
use threadbare_syn::{Answer, EventId, Model, Outcome, Recording, Sequence, text, verify};

pub fn recording(text: &str) -> Recording {
    let source = Source::new("test.syn", text);
    Recording::new(text::parse(&source).expect("a good sequence"), &source).expect("a consistent sequence")
}

pub fn formula(text: &str) -> Specification {
    let source = Source::new("formula", text);
    parse_sequence_file(&source).unwrap_or_else(|error| panic!("{text}: {error}")).remove(0).specification
}

/// A sequence that some execution has: a random one is executed, with operations of all kinds.
pub fn random(random: &mut Random, processes: usize, events: usize, variables: usize) -> Sequence {
    // Formulas about it may ask for versions that it does not have.
    let mut sequence = Sequence::default();
    sequence.is_open = true;
    let names: Vec<u32> = (0..variables).map(|v| sequence.name(&format!("v{v}"))).collect();
    let (lock, mail) = (sequence.name("m"), sequence.name("c"));
    let mut versions = vec![0; variables];
    let (mut locked, mut sent, mut received, mut held) = (0, 0, 0, None);
    let mut lists: Vec<Vec<SmallVec<[Part; 1]>>> = vec![Vec::new(); processes];
    let synchronises = random.once_in(3);
    for _ in 0..events {
        let process = random.below(processes);
        let mut parts: SmallVec<[Part; 1]> = SmallVec::new();
        let access = |random: &mut Random, versions: &mut Vec<u32>, v: usize| {
            let op = random.pick(&[Op::Read, Op::Read, Op::Write, Op::Update]);
            versions[v] += u32::from(op != Op::Read);
            Part { op, object: names[v], version: versions[v] }
        };
        match random.below(6) {
            0 if synchronises && (held.is_none() || held == Some(process)) => {
                locked += 1;
                held = if held.is_none() { Some(process) } else { None };
                parts.push(Part {
                    op: if held.is_some() { Op::Lock } else { Op::Unlock },
                    object: lock,
                    version: locked,
                });
            }
            1 if synchronises && sent > received && random.once_in(2) => {
                received += 1;
                parts.push(Part { op: Op::Receive, object: mail, version: received });
            }
            1 if synchronises => {
                sent += 1;
                parts.push(Part { op: Op::Send, object: mail, version: sent });
            }
            2 if variables > 1 => {
                let first = random.below(variables);
                let second = (first + 1 + random.below(variables - 1)) % variables;
                parts.push(access(random, &mut versions, first));
                parts.push(access(random, &mut versions, second));
            }
            _ => {
                let v = random.below(variables);
                parts.push(access(random, &mut versions, v));
            }
        }
        lists[process].push(parts);
    }
    for (process, list) in lists.into_iter().enumerate() {
        sequence.add_process(format!("p{process}"), "");
        list.into_iter().for_each(|parts| _ = sequence.add_event(parts, Remarks::default(), Span::default()));
    }
    for v in 0..variables {
        let variable = sequence.variable(names[v]) as usize;
        sequence.variables[variable].values = (0..=versions[v]).map(|_| Some(random.below(3) as i128)).collect();
    }
    sequence
}

/// Which event comes before which, from what versions mean and nothing else: each pair by itself, then all paths.
pub fn closure(sequence: &Sequence) -> Vec<Vec<bool>> {
    let count = sequence.events.len();
    let mut before = vec![vec![false; count]; count];
    for (i, one) in sequence.events.iter().enumerate() {
        for (j, other) in sequence.events.iter().enumerate().filter(|(j, _)| *j != i) {
            let by_process = one.process == other.process && one.index < other.index;
            let by_version = one.accesses.iter().any(|a| {
                other.accesses.iter().any(|b| {
                    let writes_first = a.version == b.version && a.mode == Mode::Write && b.mode == Mode::Read;
                    a.variable == b.variable && (a.version < b.version || writes_first)
                })
            });
            before[i][j] = by_process || by_version;
        }
    }
    for k in 0..count {
        let through = before[k].clone();
        for row in before.iter_mut().filter(|row| row[k]) {
            row.iter_mut().zip(&through).for_each(|(to, &more)| *to |= more);
        }
    }
    before
}

/// Every order of the events that keeps to the partial one; None where there are more than `most`.
pub fn linearisations(before: &[Vec<bool>], most: usize) -> Option<Vec<Vec<EventId>>> {
    fn extend(before: &[Vec<bool>], line: &mut Vec<EventId>, all: &mut Vec<Vec<EventId>>, most: usize) -> bool {
        if line.len() == before.len() {
            all.push(line.clone());
            return all.len() <= most;
        }
        for event in 0..before.len() {
            let is_done = |other: usize| line.contains(&(other as EventId));
            if !is_done(event) && (0..before.len()).all(|other| !before[other][event] || is_done(other)) {
                line.push(event as EventId);
                let goes_on = extend(before, line, all, most);
                line.pop();
                if !goes_on {
                    return false;
                }
            }
        }
        true
    }
    let mut all = Vec::new();
    extend(before, &mut Vec::new(), &mut all, most).then_some(all)
}

pub fn cases(usual: usize) -> usize {
    std::env::var("TB_FUZZ_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Propositions about a sequence, some of them about values.
pub fn propositions(dice: &mut Random, sequence: &Sequence, values: bool) -> Vec<Proposition> {
    let processes = sequence.processes.len();
    let one = |dice: &mut Random| {
        let (v, n, p) = (dice.below(2), dice.below(3), dice.below(processes));
        let event = dice.below(sequence.events.len());
        let event = &sequence.events[event];
        match dice.below(if values { 10 } else { 7 }) {
            0 => format!("r(v{v})"),
            1 => format!("*(v{v},{n})"),
            2 => "op=w".to_string(),
            3 => format!("run={p}"),
            4 => format!("p{p}.evnt>={n}"),
            5 => format!("p{}.{}", event.process, event.index),
            6 => format!("val={n}"),
            7 => format!("v{v}={n}"),
            8 => format!("v{v}!={n}"),
            _ => format!("v{v}Ver>={n}"),
        }
    };
    (0..3).map(|_| Proposition { text: one(dice), form: Form::Word, span: Span::default() }).collect()
}

pub fn linear(dice: &mut Random, size: usize) -> Expr {
    if size <= 1 {
        return Expr::new(Kind::Proposition(dice.below(3) as u8));
    }
    use Binary::*;
    match dice.below(2) {
        0 => {
            Expr::unary(dice.pick(&[Unary::Not, Unary::Next, Unary::Finally, Unary::Globally]), linear(dice, size - 1))
        }
        _ => {
            let left = 1 + dice.below(size - 1);
            let op = dice.pick(&[And, Or, Implies, Iff, Until, Release, WeakUntil]);
            Expr::binary(op, linear(dice, left), linear(dice, size - left))
        }
    }
}

pub fn branching(dice: &mut Random, size: usize) -> Expr {
    if size <= 1 {
        return Expr::new(Kind::Proposition(dice.below(3) as u8));
    }
    let quantifier = dice.pick(&[Quantifier::All, Quantifier::Some]);
    let path = |body: Expr| Expr::new(Kind::Path(quantifier, Box::new(body)));
    let left = 1 + dice.below(size - 1);
    use Binary::*;
    match dice.below(4) {
        0 => Expr::unary(Unary::Not, branching(dice, size - 1)),
        1 => path(Expr::unary(dice.pick(&[Unary::Next, Unary::Finally, Unary::Globally]), branching(dice, size - 1))),
        2 => path(Expr::binary(
            dice.pick(&[Until, Release, WeakUntil]),
            branching(dice, left),
            branching(dice, size - left),
        )),
        _ => Expr::binary(dice.pick(&[And, Or, Implies, Iff]), branching(dice, left), branching(dice, size - left)),
    }
}

/// What holds after these events, the last of which has just happened; `over`: nothing has.
pub fn letter(sequence: &Sequence, meanings: &[Meaning], done: &[EventId], over: bool) -> Letter {
    let mut counters = vec![0; sequence.processes.len()];
    let mut versions = vec![0; sequence.variables.len()];
    for &event in done {
        counters[sequence.event(event).process as usize] += 1;
        for access in sequence.event(event).accesses.iter().filter(|a| a.mode == Mode::Write) {
            versions[access.variable as usize] = versions[access.variable as usize].max(access.version);
        }
    }
    let last = done.last().filter(|_| !over);
    (0..).zip(meanings).fold(0, |letter, (bit, meaning)| {
        let is = match meaning {
            Meaning::Event(_) => last.is_some_and(|&event| of_event(meaning, sequence, event).expect("known")),
            _ => proposition::holds(meaning, sequence, &counters, &versions, over).expect("known"),
        };
        letter | Letter::from(is) << bit
    })
}

pub fn word(sequence: &Sequence, meanings: &[Meaning], line: &[EventId]) -> Lasso {
    let prefix = (0..=line.len()).map(|count| letter(sequence, meanings, &line[..count], false)).collect();
    Lasso { prefix, cycle: vec![letter(sequence, meanings, line, true)] }
}

pub fn answer(recording: &Recording, specification: &Specification, model: Option<Model>) -> Answer {
    match verify(recording, specification, model, usize::MAX).unwrap_or_else(|error| panic!("{error}")) {
        Outcome::Answer(answer) => answer,
        Outcome::TooMany(_) => panic!("there is no limit"),
        Outcome::Hangs(words) => panic!("{words}"),
    }
}

pub fn models(meanings: &[Meaning]) -> Vec<Option<Model>> {
    match meanings.iter().any(Meaning::is_stateful) {
        true => vec![None, Some(Model::Stateful)],
        false => vec![None, Some(Model::Stateless), Some(Model::Stateful)],
    }
}

pub fn small(dice: &mut Random) -> Recording {
    loop {
        let (processes, events) = (1 + dice.below(4), 1 + dice.below(8));
        let sequence = random(dice, processes, events, 2);
        if linearisations(&closure(&sequence), 1_000).is_some() {
            return Recording::new(sequence, &Source::new("random", "")).expect("it was executed");
        }
    }
}
