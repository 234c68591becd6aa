//! The bottom components of what was explored: sets of states that the search cannot leave, and in which it can go from each
//! to each. Most programs end: then there are none, and one look at each edge tells so.

use super::stored::{Graph, StateId};

/// No number.
const NOT_YET: u32 = u32::MAX;

/// Which states can come to an end. What is explored only grows, so that they still can when somebody looks again, and only
/// edges that are new need a look.
#[derive(Default)]
pub struct Ends {
    can_end: Vec<bool>,
    /// The newest of the edges to each state that was looked at.
    newest: Vec<u32>,
}

impl Ends {
    pub fn bytes(&self) -> usize {
        self.can_end.len() * (size_of::<bool>() + size_of::<u32>())
    }

    /// Components that have a cycle, each in the order of its numbers.
    pub fn bottom_components(&mut self, graph: &Graph) -> Vec<Vec<StateId>> {
        self.look_at(graph);
        let is_endless = |&state: &StateId| !self.can_end[state as usize] && !graph.enabled(state).is_empty();
        let endless: Vec<StateId> = graph.numbers().filter(is_endless).collect();
        if endless.is_empty() {
            return Vec::new();
        }
        let mut place = vec![NOT_YET; graph.numbers().len()];
        endless.iter().zip(0..).for_each(|(&state, at)| place[state as usize] = at);
        // An endless state has endless successors only.
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for (&state, to) in endless.iter().zip(0..) {
            let from = graph.edges_to(state).map(|(from, _)| place[from as usize]);
            edges.extend(from.filter(|&from| from != NOT_YET).map(|from| (from, to)));
        }
        let edges = Edges::new(endless.len(), &edges);
        let component = components(&edges);
        let count = component.iter().max().map_or(0, |&last| last as usize + 1);
        let mut is_left = vec![false; count];
        for (at, &here) in component.iter().enumerate() {
            is_left[here as usize] |= edges.from(at).iter().any(|&to| component[to as usize] != here);
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

    fn look_at(&mut self, graph: &Graph) {
        let all = graph.numbers();
        self.can_end.resize(all.len(), false);
        self.newest.resize(all.len(), 0);
        // States that are found later mostly have higher numbers: one pass in the order of memory finds nearly all.
        let mut todo = Vec::new();
        for state in all.rev() {
            // A number that nobody has used yet has no edges.
            if self.can_end[state as usize] || graph.newest_edge(state) != 0 && graph.enabled(state).is_empty() {
                self.can_end[state as usize] = true;
                todo.push(state);
            }
            while let Some(at) = todo.pop() {
                let newest = graph.newest_edge(at);
                if std::mem::replace(&mut self.newest[at as usize], newest) == newest {
                    continue;
                }
                for (from, _) in graph.edges_to(at) {
                    if !std::mem::replace(&mut self.can_end[from as usize], true) && from > state {
                        todo.push(from);
                    }
                }
            }
        }
    }
}

/// The edges of a graph, by where they begin.
struct Edges {
    /// Where those of each place begin in `to`, and where the last ones end.
    first: Vec<u32>,
    to: Vec<u32>,
}

impl Edges {
    fn new(places: usize, edges: &[(u32, u32)]) -> Edges {
        let mut first = vec![0; places + 1];
        edges.iter().for_each(|edge| first[edge.0 as usize] += 1);
        let mut count = 0;
        for first in &mut first {
            count += *first;
            *first = count;
        }
        let mut to = vec![0; edges.len()];
        for edge in edges {
            let first = &mut first[edge.0 as usize];
            *first -= 1;
            to[*first as usize] = edge.1;
        }
        Edges { first, to }
    }

    fn places(&self) -> usize {
        self.first.len() - 1
    }

    fn from(&self, place: usize) -> &[u32] {
        &self.to[self.first[place] as usize..self.first[place + 1] as usize]
    }
}

/// The number of the strongly connected component of each place, by Tarjan's algorithm.
fn components(edges: &Edges) -> Vec<u32> {
    let places = edges.places();
    let mut component = vec![NOT_YET; places];
    // When each was met, and the earliest that is known to be reached from it.
    let (mut met, mut low) = (vec![NOT_YET; places], vec![0; places]);
    let (mut meetings, mut count) = (0, 0);
    // Places on the way, with how many of their edges were gone.
    let (mut path, mut waiting): (Vec<(u32, usize)>, Vec<u32>) = (Vec::new(), Vec::new());
    for start in 0..places as u32 {
        if met[start as usize] != NOT_YET {
            continue;
        }
        path.push((start, 0));
        while let Some((at, gone)) = path.last_mut() {
            let here = *at as usize;
            if met[here] == NOT_YET {
                (met[here], low[here]) = (meetings, meetings);
                meetings += 1;
                waiting.push(*at);
            }
            if let Some(&to) = edges.from(here).get(*gone) {
                *gone += 1;
                if met[to as usize] == NOT_YET {
                    path.push((to, 0));
                } else if component[to as usize] == NOT_YET {
                    low[here] = low[here].min(met[to as usize]);
                }
                continue;
            }
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
            let edges: Vec<(u32, u32)> =
                (0..count).map(|_| (random.below(places) as u32, random.below(places) as u32)).collect();
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
            let found = components(&Edges::new(places, &edges));
            for a in 0..places {
                for b in 0..places {
                    assert_eq!(found[a] == found[b], reaches[a][b] && reaches[b][a], "{edges:?}");
                }
            }
        }
    }
}
