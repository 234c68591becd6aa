//! The bottom components of what was explored: sets of states that the search cannot leave, and in which it can go from each
//! to each. Most programs end: then there are none, and one look at each edge tells so.

use super::stored::{Graph, StateId};

/// Those that have a cycle, each in the order of its numbers.
pub fn bottom_components(graph: &Graph) -> Vec<Vec<StateId>> {
    let endless = endless(graph);
    let number = |state: StateId| endless.binary_search(&state).ok().map(|at| at as u32);
    // An endless state has endless successors only.
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for (to, &state) in endless.iter().enumerate() {
        edges.extend(graph.edges_to(state).filter_map(|(from, _)| Some((number(from)?, to as u32))));
    }
    edges.sort_unstable();
    let component = components(endless.len(), &edges);
    let count = component.iter().max().map_or(0, |&last| last as usize + 1);
    let mut is_left = vec![false; count];
    for &(from, to) in &edges {
        let (from, to) = (component[from as usize], component[to as usize]);
        is_left[from as usize] |= from != to;
    }
    let mut bottom: Vec<Vec<StateId>> = vec![Vec::new(); count];
    for (at, &state) in endless.iter().enumerate() {
        let component = component[at] as usize;
        if !is_left[component] {
            bottom[component].push(state);
        }
    }
    bottom.retain(|states| !states.is_empty());
    bottom
}

/// The states from which no end can be reached, in order.
fn endless(graph: &Graph) -> Vec<StateId> {
    let all = graph.numbers();
    let mut ends: Vec<bool> = all.clone().map(|state| graph.enabled(state).is_empty()).collect();
    // States that are found later mostly have higher numbers: one pass in the order of memory finds nearly all.
    let mut todo = Vec::new();
    for state in all.clone().rev() {
        if ends[state as usize] {
            todo.push(state);
        }
        while let Some(at) = todo.pop() {
            for (from, _) in graph.edges_to(at) {
                if !std::mem::replace(&mut ends[from as usize], true) && from > state {
                    todo.push(from);
                }
            }
        }
    }
    all.filter(|&state| !ends[state as usize]).collect()
}

/// The number of the strongly connected component of each place, by Tarjan's algorithm. Edges are sorted.
fn components(places: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    const NOT_YET: u32 = u32::MAX;
    let first_edge = |from: u32| edges.partition_point(|edge| edge.0 < from);
    let mut component = vec![NOT_YET; places];
    // When each was met, and the earliest that is known to be reached from it.
    let (mut met, mut low) = (vec![NOT_YET; places], vec![0; places]);
    let (mut meetings, mut count) = (0, 0);
    let (mut path, mut waiting): (Vec<(u32, usize)>, Vec<u32>) = (Vec::new(), Vec::new());
    for start in 0..places as u32 {
        if met[start as usize] != NOT_YET {
            continue;
        }
        path.push((start, NOT_YET as usize));
        while let Some((at, edge)) = path.last_mut() {
            let here = *at as usize;
            if *edge == NOT_YET as usize {
                *edge = first_edge(*at);
                (met[here], low[here]) = (meetings, meetings);
                meetings += 1;
                waiting.push(*at);
            }
            match edges.get(*edge) {
                Some(&(from, to)) if from == *at => {
                    *edge += 1;
                    let to = to as usize;
                    if met[to] == NOT_YET {
                        path.push((to as u32, NOT_YET as usize));
                    } else if component[to] == NOT_YET {
                        low[here] = low[here].min(met[to]);
                    }
                }
                _ => {
                    path.pop();
                    if let Some(&(before, _)) = path.last() {
                        low[before as usize] = low[before as usize].min(low[here]);
                    }
                    if low[here] == met[here] {
                        while let Some(place) = waiting.pop() {
                            component[place as usize] = count;
                            if place as usize == here {
                                break;
                            }
                        }
                        count += 1;
                    }
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadbare_core::Random;

    #[test]
    fn places_share_a_component_if_each_reaches_the_other() {
        let mut random = Random::new(7);
        for _ in 0..2_000 {
            let places = 1 + random.below(8);
            let count = random.below(14);
            let mut edges: Vec<(u32, u32)> =
                (0..count).map(|_| (random.below(places) as u32, random.below(places) as u32)).collect();
            edges.sort_unstable();
            let mut reaches = vec![vec![false; places]; places];
            (0..places).for_each(|i| reaches[i][i] = true);
            edges.iter().for_each(|&(from, to)| reaches[from as usize][to as usize] = true);
            for via in 0..places {
                for from in 0..places {
                    for to in 0..places {
                        reaches[from][to] |= reaches[from][via] && reaches[via][to];
                    }
                }
            }
            let found = components(places, &edges);
            for a in 0..places {
                for b in 0..places {
                    assert_eq!(found[a] == found[b], reaches[a][b] && reaches[b][a], "{edges:?}");
                }
            }
        }
    }
}
