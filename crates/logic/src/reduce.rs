//! Smaller automata with the same words.
//!
//! States that lead nowhere go; marks that no accepting run needs go, and acceptance sets that others imply; states that
//! simulate each other become one, and an edge goes if another one of its state can do all that it can (direct
//! simulation with marks on edges: K. Etessami, G. Holzmann, CONCUR 2000; F. Somenzi, R. Bloem, CAV 2000; that such edges
//! may all go at once: L. Clemente, R. Mayr, "Advanced automata minimization", POPL 2013).

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Cube, Edge, StateId};

/// The edges of larger ones are not compared with each other.
const MOST_TO_SIMULATE: usize = 1_500;

pub fn reduce(mut automaton: Automaton) -> Automaton {
    loop {
        let before = (automaton.states(), automaton.transitions(), automaton.sets);
        automaton = without_dead_ends(&automaton);
        let parts = automaton.parts();
        let accepting = accepting_parts(&automaton, &parts);
        let inside =
            |state: usize, edge: &Edge| parts[edge.to as usize] == parts[state] && accepting[parts[state] as usize];
        forget_marks_elsewhere(&mut automaton, inside);
        drop_implied_sets(&mut automaton, inside);
        automaton = merge_equal(automaton);
        if automaton.transitions() <= MOST_TO_SIMULATE {
            automaton = by_simulation(&automaton);
        }
        automaton.edges.iter_mut().for_each(merge_labels);
        if (automaton.states(), automaton.transitions(), automaton.sets) == before {
            return automaton;
        }
    }
}

/// Of each strongly connected part, whether a run that stays there can be accepting.
fn accepting_parts(automaton: &Automaton, parts: &[u32]) -> Vec<bool> {
    let mut marks: Vec<Option<u64>> = vec![None; automaton.states()];
    for (state, edges) in automaton.edges.iter().enumerate() {
        for edge in edges.iter().filter(|edge| parts[edge.to as usize] == parts[state]) {
            let of_part = &mut marks[parts[state] as usize];
            *of_part = Some(of_part.unwrap_or(0) | edge.marks);
        }
    }
    marks.iter().map(|found| *found == Some(automaton.all_marks())).collect()
}

/// Only states from which some word is accepted, and that can be reached; the first stays in any case.
fn without_dead_ends(automaton: &Automaton) -> Automaton {
    let parts = automaton.parts();
    // A part lives if a run there can be accepting, or can leave it for one that lives.
    let mut lives = accepting_parts(automaton, &parts);
    let part = |state: StateId| parts[state as usize] as usize;
    // Edges lead to parts of lower numbers: those are looked at first.
    let mut order: Vec<StateId> = (0..automaton.states() as StateId).collect();
    order.sort_by_key(|&state| part(state));
    for state in order {
        lives[part(state)] |= automaton.edges[state as usize].iter().any(|edge| lives[part(edge.to)]);
    }
    keep(automaton, |state| lives[part(state)])
}

/// The automaton of these states, as far as they can be reached through each other.
fn keep(automaton: &Automaton, wanted: impl Fn(StateId) -> bool) -> Automaton {
    let mut numbers: FxHashMap<StateId, StateId> = FxHashMap::from_iter([(0, 0)]);
    let (mut states, mut edges) = (vec![0], Vec::new());
    while let Some(&state) = states.get(edges.len()) {
        let kept = automaton.edges[state as usize].iter().filter(|edge| wanted(edge.to)).map(|edge| {
            let number = *numbers.entry(edge.to).or_insert_with(|| {
                states.push(edge.to);
                states.len() as StateId - 1
            });
            Edge { to: number, ..*edge }
        });
        let mut kept: Vec<Edge> = kept.collect();
        kept.sort_unstable();
        kept.dedup();
        edges.push(kept);
    }
    Automaton { edges, sets: automaton.sets }
}

/// An edge that no accepting cycle has is not taken infinitely often in an accepting run: no mark of it matters.
fn forget_marks_elsewhere(automaton: &mut Automaton, inside: impl Fn(usize, &Edge) -> bool) {
    for (state, edges) in automaton.edges.iter_mut().enumerate() {
        edges.iter_mut().filter(|edge| !inside(state, edge)).for_each(|edge| edge.marks = 0);
    }
}

/// A set that has all edges of another one, and so all that is taken infinitely often there, says nothing. One that has
/// all edges inside accepting parts only says which parts those are, for which another one will do.
fn drop_implied_sets(automaton: &mut Automaton, inside: impl Fn(usize, &Edge) -> bool) {
    // For each set, the sets that have all its edges.
    let mut above = vec![automaton.all_marks(); automaton.sets as usize];
    let mut everywhere = automaton.all_marks();
    for (state, edges) in automaton.edges.iter().enumerate() {
        for edge in edges.iter().filter(|edge| inside(state, edge)) {
            everywhere &= edge.marks;
            let of_edge = above.iter_mut().enumerate().filter(|(i, _)| edge.marks >> i & 1 == 1);
            of_edge.for_each(|(_, set)| *set &= edge.marks);
        }
    }
    let mut kept: Vec<u32> = Vec::new();
    for i in 0..automaton.sets {
        let implied = |j: u32| above[j as usize] >> i & 1 == 1;
        // Of sets that are the same, the first stays.
        let by = |j: u32| implied(j) && (above[i as usize] >> j & 1 == 0 || j < i);
        if !(0..automaton.sets).any(|j| j != i && by(j)) {
            kept.push(i);
        }
    }
    // Then it is the only one.
    let has_rejecting_cycle = || {
        let parts = automaton.parts();
        let cycle = |state: usize, edge: &Edge| parts[edge.to as usize] == parts[state] && !inside(state, edge);
        automaton.edges.iter().enumerate().any(|(state, edges)| edges.iter().any(|edge| cycle(state, edge)))
    };
    if let [one] = kept[..]
        && everywhere >> one & 1 == 1
        && !has_rejecting_cycle()
    {
        kept.clear();
    }
    for edge in automaton.edges.iter_mut().flatten() {
        edge.marks = kept.iter().enumerate().fold(0, |marks, (new, old)| marks | (edge.marks >> old & 1) << new);
    }
    automaton.sets = kept.len() as u32;
}

/// Whether `b` can do what `a` can.
fn covers(simulates: &[Vec<bool>], b: &Edge, a: &Edge) -> bool {
    a.label.implies(b.label) && leads_as_far(simulates, b, a)
}

/// The same, at the letters that they share.
fn leads_as_far(simulates: &[Vec<bool>], b: &Edge, a: &Edge) -> bool {
    a.marks & !b.marks == 0 && simulates[b.to as usize][a.to as usize]
}

/// States with the same edges are one, again and again.
fn merge_equal(mut automaton: Automaton) -> Automaton {
    loop {
        let mut first: FxHashMap<Vec<Edge>, StateId> = FxHashMap::default();
        let mut stands: Vec<StateId> = Vec::new();
        for (state, edges) in automaton.edges.iter_mut().enumerate() {
            edges.sort_unstable();
            edges.dedup();
            stands.push(*first.entry(edges.clone()).or_insert(state as StateId));
        }
        if first.len() == automaton.states() {
            return automaton;
        }
        automaton.edges.iter_mut().flatten().for_each(|edge| edge.to = stands[edge.to as usize]);
        automaton = keep(&automaton, |_| true);
    }
}

fn by_simulation(automaton: &Automaton) -> Automaton {
    let states = automaton.states();
    // simulates[b][a]: every run from a has one from b on the same word with at least the same marks.
    let mut simulates = vec![vec![true; states]; states];
    let mut changed = true;
    while changed {
        changed = false;
        for b in 0..states {
            for a in 0..states {
                let (of_a, of_b) = (&automaton.edges[a], &automaton.edges[b]);
                if simulates[b][a] && !of_a.iter().all(|x| of_b.iter().any(|y| covers(&simulates, y, x))) {
                    simulates[b][a] = false;
                    changed = true;
                }
            }
        }
    }
    // Of states that simulate each other the first stands for all.
    let stands: Vec<usize> =
        (0..states).map(|a| (0..=a).find(|&b| simulates[a][b] && simulates[b][a]).expect("itself")).collect();
    let mut smaller = automaton.clone();
    for edges in &mut smaller.edges {
        edges.iter_mut().for_each(|edge| edge.to = stands[edge.to as usize] as StateId);
        edges.sort_unstable();
        edges.dedup();
        // No two of them cover each other now.
        let all = edges.clone();
        edges.retain(|edge| !all.iter().any(|other| other != edge && covers(&simulates, other, edge)));
        // Nor need an edge be taken at some of its letters: the fewer choices there are, the smaller are products.
        for at in 0..edges.len() {
            for other in 0..edges.len() {
                let (edge, by) = (edges[at], edges[other]);
                if (edge.to, edge.marks) != (by.to, by.marks)
                    && leads_as_far(&simulates, &by, &edge)
                    && let Some(label) = edge.label.without(by.label)
                {
                    edges[at].label = label;
                }
            }
        }
    }
    keep(&smaller, |_| true)
}

/// Two edges that differ in the sign of one proposition are one.
fn merge_labels(edges: &mut Vec<Edge>) {
    let mut at = 0;
    while at < edges.len() {
        let same = |edge: &Edge, other: &Edge| (edge.to, edge.marks) == (other.to, other.marks);
        let merged = (at + 1..edges.len())
            .filter(|&i| same(&edges[at], &edges[i]))
            .find_map(|i| Some((i, edges[at].label.merged(edges[i].label)?)));
        match merged {
            Some((i, label)) => {
                edges.remove(i);
                edges[at].label = label;
                let covered = |other: &Edge, label: Cube| other.label.implies(label);
                let edge = edges[at];
                edges.retain(|other| *other == edge || !(same(other, &edge) && covered(other, label)));
                at = 0;
            }
            None => at += 1,
        }
    }
}
