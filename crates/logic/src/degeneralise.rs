//! One acceptance set instead of several: a run counts through the sets in turn, and is accepting if it comes to the
//! end of them infinitely often (P. Gastin, D. Oddoux, CAV 2001, section 4; sets that an edge has in a row are counted at
//! once). Where a run leaves a strongly connected part it begins to count again, which keeps states few.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Edge, StateId};

/// The same words, with states that are accepting or not: all edges of a state have the mark, or none.
pub fn degeneralise(automaton: &Automaton) -> Automaton {
    let parts = automaton.parts();
    let sets = automaton.sets;
    let mut numbers: FxHashMap<(StateId, u32), StateId> = FxHashMap::from_iter([((0, 0), 0)]);
    let (mut states, mut edges) = (vec![(0, 0)], Vec::new());
    while let Some(&(state, level)) = states.get(edges.len()) {
        let (accepting, from) = (level == sets, if level == sets { 0 } else { level });
        let next = automaton.edges[state as usize].iter().map(|edge| {
            let stays = parts[edge.to as usize] == parts[state as usize];
            let counted = (from..sets).take_while(|i| edge.marks >> i & 1 == 1).count() as u32;
            let to = (edge.to, if stays { from + counted } else { 0 });
            let number = *numbers.entry(to).or_insert_with(|| {
                states.push(to);
                states.len() as StateId - 1
            });
            Edge { to: number, label: edge.label, marks: accepting.into() }
        });
        let next = next.collect();
        edges.push(next);
    }
    Automaton { edges, sets: 1 }
}
