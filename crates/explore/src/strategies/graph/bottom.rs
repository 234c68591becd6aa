//! The bottom components of what was explored: sets of states that the search cannot leave, and in which it can go from each
//! to each. Most programs end: then there are none, and one look at each edge tells so.

use threadbare_core::components;

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
        let component = components(endless.len(), |place, i| edges.from(place).get(i).map(|&to| to as usize));
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

    fn from(&self, place: usize) -> &[u32] {
        &self.to[self.first[place] as usize..self.first[place + 1] as usize]
    }
}
