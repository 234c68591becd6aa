//! Random sequences, and what is true of them by definition.
#![allow(dead_code)]

use smallvec::SmallVec;
use threadbare_core::source::{Source, Span};
use threadbare_core::{Mode, Random};
use threadbare_logic::{Specification, parse_sequence_file};
use threadbare_syn::sequence::{Op, Part, Remarks};
use threadbare_syn::{EventId, Recording, Sequence, text};

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
