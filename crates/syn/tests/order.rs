//! The partial order against its definition: edges, relations, models.

mod common;

use common::{cases, closure, random, recording};
use threadbare_core::Random;
use threadbare_core::source::Source;
use threadbare_syn::relations::{Before, always_directly, before, line_apart, may_directly, parallel};
use threadbare_syn::{EventId, Recording, text};

#[test]
fn edges_are_the_transitive_reduction() {
    let mut dice = Random::new(3);
    let mut implied = 0;
    for case in 0..cases(2_000) {
        let (processes, events, variables) = (1 + dice.below(4), dice.below(24), 1 + dice.below(3));
        let sequence = random(&mut dice, processes, events, variables);
        let order = closure(&sequence);
        let source = Source::new("random", "");
        let recording = Recording::new(sequence, &source).unwrap_or_else(|error| panic!("case {case}: {error}"));
        let count = order.len();
        let mut expected: Vec<(EventId, EventId)> = Vec::new();
        for to in 0..count {
            for from in 0..count {
                let between = |k: usize| order[from][k] && order[k][to];
                if order[from][to] && !(0..count).any(between) {
                    expected.push((from as EventId, to as EventId));
                }
            }
        }
        let mut edges: Vec<(EventId, EventId)> = recording.order.edges().collect();
        expected.sort_unstable();
        edges.sort_unstable();
        assert_eq!(edges, expected, "case {case}:\n{}", text::write(&recording.sequence));
        implied += usize::from(edges.len() + 1 < count);
        let place = |event: usize| recording.order.line.iter().position(|&other| other as usize == event);
        for (from, row) in order.iter().enumerate() {
            assert!(row.iter().enumerate().all(|(to, &is)| !is || place(from) < place(to)));
        }
    }
    assert!(implied > 0);
}

#[test]
fn relations_are_those_of_reachability() {
    let mut dice = Random::new(4);
    let mut told = [0; 3];
    for case in 0..cases(2_000) {
        let (processes, events, variables) = (1 + dice.below(4), 1 + dice.below(24), 1 + dice.below(3));
        let sequence = random(&mut dice, processes, events, variables);
        let order = closure(&sequence);
        let recording = Recording::new(sequence, &Source::new("random", "")).expect("it was executed");
        let often = 1 + dice.below(8);
        let mut some = || (0..order.len()).map(|_| dice.once_in(often)).collect::<Vec<bool>>();
        let (p, q) = (some(), some());
        let pairs = || {
            let both = (0..order.len()).flat_map(|i| (0..order.len()).map(move |j| (i, j)));
            both.filter(|&(i, j)| p[i] && q[j])
        };
        let (sequence, graph) = (&recording.sequence, &recording.order);
        let expected = p.contains(&true) && q.contains(&true) && pairs().all(|(i, j)| order[i][j]);
        let found = matches!(before(sequence, graph, &p, &q), Before::Always);
        assert_eq!(found, expected, "case {case}:\n{}", text::write(sequence));
        let apart = |i: usize, j: usize| i != j && !order[i][j] && !order[j][i];
        let found = parallel(sequence, graph, &p, &q);
        assert_eq!(found.is_some(), pairs().any(|(i, j)| apart(i, j)), "case {case}:\n{}", text::write(sequence));
        assert!(found.is_none_or(|(i, j)| p[i as usize] && q[j as usize] && apart(i as usize, j as usize)));
        let direct = |i: usize, j: usize| order[i][j] && !(0..order.len()).any(|k| order[i][k] && order[k][j]);
        let expected = pairs().any(|(i, j)| apart(i, j) || direct(i, j));
        let may = may_directly(sequence, graph, &p, &q);
        assert_eq!(may.is_some(), expected, "case {case}:\n{}", text::write(sequence));
        told[0] += usize::from(matches!(before(sequence, graph, &p, &q), Before::Always));
        told[1] += usize::from(found.is_some());
        told[2] += usize::from(found.is_none() && expected);
    }
    assert!(told.iter().all(|&count| count > 20), "{told:?}");
}

/// Written and read again, a sequence is the same.
#[test]
fn what_is_written_is_read() {
    let mut dice = Random::new(5);
    for _ in 0..300 {
        let (processes, events) = (1 + dice.below(4), dice.below(20));
        let sequence = random(&mut dice, processes, events, 2);
        let written = text::write(&sequence);
        let again = recording(&written).sequence;
        let parts = |s: &threadbare_syn::Sequence| (0..s.events.len() as u32).map(|e| s.called(e)).collect::<Vec<_>>();
        assert_eq!(parts(&again), parts(&sequence));
        assert_eq!(text::write(&again), written);
    }
}

/// Ten thousand events, and more: passes over the graph, no states.
#[test]
fn long_sequences_take_linear_time() {
    let mut dice = Random::new(6);
    for (processes, events) in [(100, 10_000), (10, 200_000)] {
        let sequence = random(&mut dice, processes, events, 20);
        let recording = Recording::new(sequence, &Source::new("random", "")).expect("it was executed");
        let every = |n: usize, at: usize| (0..events).map(|event| event % n == at).collect::<Vec<bool>>();
        let some = (0..events).map(|event| event == 3).collect::<Vec<bool>>();
        let (p, q) = (every(1_000, 7), every(1_000, 8));
        assert!(!matches!(before(&recording.sequence, &recording.order, &p, &q), Before::Always));
        assert!(parallel(&recording.sequence, &recording.order, &some, &some).is_none());
        let _ = parallel(&recording.sequence, &recording.order, &p, &q);
    }
}

/// Where one event need not come right before another, there is a linearisation that shows it.
#[test]
fn what_need_not_be_next_is_shown_apart() {
    let (mut dice, mut apart) = (Random::new(5), 0);
    for case in 0..cases(200) {
        let (processes, events) = (1 + dice.below(3), 2 + dice.below(6));
        let sequence = random(&mut dice, processes, events, 2);
        let closed = closure(&sequence);
        let recording = Recording::new(sequence, &Source::new("random", "")).expect("it was executed");
        let count = recording.sequence.events.len() as EventId;
        for (first, second) in (0..count).flat_map(|first| (0..count).map(move |second| (first, second))) {
            if first == second || always_directly(&recording.order, first, second) {
                continue;
            }
            let line = line_apart(&recording.order, first, second);
            let place = |event: EventId| line.iter().position(|&other| other == event).expect("all are there");
            let shown = || format!("case {case}: {first} {second} {line:?}\n{}", text::write(&recording.sequence));
            assert_eq!(line.len(), closed.len(), "{}", shown());
            let keeps = |a: usize, b: usize| !closed[a][b] || place(a as EventId) < place(b as EventId);
            assert!((0..closed.len()).all(|a| (0..closed.len()).all(|b| keeps(a, b))), "{}", shown());
            assert_ne!(place(first) + 1, place(second), "{}", shown());
            apart += 1;
        }
    }
    assert!(apart > cases(200), "{apart}");
}
