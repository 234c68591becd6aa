//! Whether a graph has an infinite path that takes edges of every acceptance set infinitely often, found while the graph is
//! (J.-M. Couvreur: "On-the-fly verification of linear temporal logic", FM 1999; J.-M. Couvreur, A. Duret-Lutz, D. Poitrenaud:
//! "On-the-fly emptiness checks for generalized Büchi automata", SPIN 2005, algorithm 1).
//!
//! A depth-first search keeps the strongly connected parts of what it has seen, each with the sets that edges inside it
//! belong to. As soon as one has all sets there is such a path. It is then made short: breadth first to the nearest node
//! of that part, and from there through each set that is missing, and back.

use std::collections::VecDeque;
use std::hash::Hash;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use threadbare_core::graph::{ALL, Arc, Graph, Marks};

/// A step of a path, with where it leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<S, N> {
    pub step: S,
    pub to: N,
}

/// An infinite path: from the first node along `prefix`, then along `cycle` for ever, which leads back to where it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run<S, N> {
    pub start: N,
    pub prefix: Vec<Step<S, N>>,
    pub cycle: Vec<Step<S, N>>,
}

type RunOf<G> = Run<<G as Graph>::Step, <G as Graph>::Node>;
type ArcOf<G> = Arc<<G as Graph>::Step, <G as Graph>::Node>;

/// A strongly connected part of what has been seen, while the search is in it.
struct Part {
    /// The number of its first node.
    root: u32,
    /// Of the edges inside it.
    marks: Marks,
    /// Of the edge that led to it.
    before: Marks,
}

/// The nodes that a search has met, numbered in that order: by their places where they have any, and else by a table.
struct Numbers<N> {
    nodes: Vec<N>,
    by_place: Vec<u32>,
    others: FxHashMap<N, u32>,
}

impl<N> Default for Numbers<N> {
    fn default() -> Self {
        Numbers { nodes: Vec::new(), by_place: Vec::new(), others: FxHashMap::default() }
    }
}

const NOT_MET: u32 = u32::MAX;

impl<N: Copy + Eq + Hash> Numbers<N> {
    /// The number of a node, and whether it is new.
    fn enter<G: Graph<Node = N>>(&mut self, graph: &G, node: N) -> (u32, bool) {
        let fresh = self.nodes.len() as u32;
        let number = match graph.place(node) {
            Some(place) => {
                if place >= self.by_place.len() {
                    self.by_place.resize(place + 1, NOT_MET);
                }
                &mut self.by_place[place]
            }
            None => self.others.entry(node).or_insert(NOT_MET),
        };
        if *number != NOT_MET {
            return (*number, false);
        }
        *number = fresh;
        self.nodes.push(node);
        (fresh, true)
    }
}

/// Some accepting path, if there is one. `stop` is asked now and then whether to give up, and then there is no answer.
pub fn find_run<G: Graph>(graph: &mut G, mut stop: impl FnMut() -> bool) -> Option<Option<RunOf<G>>> {
    let start = graph.initial();
    let mut numbers = Numbers::default();
    numbers.enter(graph, start);
    // Whether its part is done with: no accepting path goes through it.
    let mut done = vec![false];
    let mut parts = vec![Part { root: 0, marks: 0, before: 0 }];
    // The nodes of all parts that the search is in, and the path to where it is, with the edges that are left there.
    let mut live = vec![0];
    let mut edges = Vec::new();
    graph.add_successors(start, &mut edges);
    let mut path: Vec<(u32, usize)> = vec![(0, 0)];
    while let Some(&(node, first)) = path.last() {
        let Some(arc) = (edges.len() > first).then(|| edges.pop()).flatten() else {
            path.pop();
            if parts.pop_if(|part| part.root == node).is_some() {
                while let Some(member) = live.pop() {
                    done[member as usize] = true;
                    if member == node {
                        break;
                    }
                }
            }
            continue;
        };
        let (number, is_new) = numbers.enter(graph, arc.to);
        if is_new {
            if stop() {
                return None;
            }
            done.push(false);
            parts.push(Part { root: number, marks: 0, before: arc.marks });
            live.push(number);
            path.push((number, edges.len()));
            graph.add_successors(arc.to, &mut edges);
        } else if !done[number as usize] {
            // An edge back closes a cycle through all parts in between: they are one.
            let mut marks = arc.marks;
            while let Some(part) = parts.pop_if(|part| part.root > number) {
                marks |= part.marks | part.before;
            }
            let part = parts.last_mut().expect("the part of the node itself");
            part.marks |= marks;
            if part.marks == ALL {
                let root = part.root;
                let members = live.iter().filter(|&&number| number >= root);
                let members = members.map(|&number| numbers.nodes[number as usize]).collect();
                let seen = numbers.nodes.into_iter().collect();
                return Some(Some(short_run(graph, start, &seen, &members)));
            }
        }
    }
    Some(None)
}

/// The same near the start: first only nodes within few edges are looked at, then more and more. What it finds is short, but
/// where there is nothing, the whole graph is gone through many times: for those who know that there is something.
pub fn find_near_run<G: Graph>(graph: &mut G, mut stop: impl FnMut() -> bool) -> Option<RunOf<G>> {
    let start = graph.initial();
    let mut near: FxHashSet<G::Node> = FxHashSet::from_iter([start]);
    let (mut rim, mut radius, mut next) = (vec![start], 0, 4);
    loop {
        for node in std::mem::take(&mut rim) {
            for arc in graph.successors(node) {
                if near.insert(arc.to) {
                    rim.push(arc.to);
                }
            }
            if stop() {
                return None;
            }
        }
        radius += 1;
        if radius < next && !rim.is_empty() {
            continue;
        }
        next += 1 + next / 8;
        match find_run(&mut Within { graph, near: &near }, &mut stop) {
            Some(Some(run)) => return Some(run),
            Some(None) if !rim.is_empty() => {}
            _ => return None,
        }
    }
}

/// A part of a graph.
struct Within<'g, G: Graph> {
    graph: &'g mut G,
    near: &'g FxHashSet<G::Node>,
}

impl<G: Graph> Graph for Within<'_, G> {
    type Node = G::Node;
    type Step = G::Step;

    fn initial(&mut self) -> G::Node {
        self.graph.initial()
    }

    fn add_successors(&mut self, node: G::Node, edges: &mut Vec<ArcOf<G>>) {
        edges.extend(self.graph.successors(node).into_iter().filter(|arc| self.near.contains(&arc.to)));
    }
}

/// How many nodes of a part are tried as the first of the cycle.
const FIRSTS: usize = 40;

/// A short path to a part of the graph whose edges have all marks, and round there: the shortest of those that begin their
/// cycles at the nearest nodes of the part.
fn short_run<G: Graph>(
    graph: &mut G,
    start: G::Node,
    seen: &FxHashSet<G::Node>,
    members: &FxHashSet<G::Node>,
) -> RunOf<G> {
    let known = |arc: &ArcOf<G>| seen.contains(&arc.to);
    let mut best: Option<RunOf<G>> = None;
    let mut firsts: FxHashSet<G::Node> = FxHashSet::default();
    while firsts.len() < FIRSTS {
        let prefix = match members.contains(&start) && firsts.is_empty() {
            true => Vec::new(),
            false => {
                let another = |arc: &ArcOf<G>| members.contains(&arc.to) && !firsts.contains(&arc.to);
                let Some(prefix) = shortest(graph, start, known, another) else { break };
                steps(&prefix)
            }
        };
        let first = prefix.last().map_or(start, |step| step.to);
        firsts.insert(first);
        let length = |run: &RunOf<G>| run.prefix.len() + run.cycle.len();
        if best.as_ref().is_some_and(|best| prefix.len() >= length(best)) {
            break;
        }
        let run = Run { start, prefix, cycle: short_cycle(graph, first, members) };
        if best.as_ref().is_none_or(|best| length(&run) < length(best)) {
            best = Some(run);
        }
    }
    best.expect("the part was found along edges that were seen")
}

/// Round a part, from a node and back, through edges of all marks.
fn short_cycle<G: Graph>(graph: &mut G, first: G::Node, members: &FxHashSet<G::Node>) -> Vec<Step<G::Step, G::Node>> {
    let (mut cycle, mut here, mut marks): (Vec<ArcOf<G>>, _, _) = (Vec::new(), first, 0);
    let inside = |arc: &ArcOf<G>| members.contains(&arc.to);
    while marks != ALL {
        let missing = |arc: &ArcOf<G>| arc.marks & !marks != 0;
        let way = shortest(graph, here, inside, missing).expect("the part has all marks");
        marks |= marks_of(&way);
        here = way.last().expect("an edge at least").to;
        cycle.extend(way);
    }
    if here != first || cycle.is_empty() {
        cycle.extend(shortest(graph, here, inside, |arc| arc.to == first).expect("the part is strongly connected"));
    }
    while let Some(detour) = detour(&cycle, first) {
        cycle.drain(detour);
    }
    steps(&cycle)
}

/// Edges of a cycle that lead from a node back to it, and that nobody misses.
fn detour<S: Copy, N: Copy + Eq>(cycle: &[Arc<S, N>], first: N) -> Option<Range<usize>> {
    let from = |edge: usize| if edge == 0 { first } else { cycle[edge - 1].to };
    let is_detour = |part: &Range<usize>| {
        let back = cycle[part.end - 1].to == from(part.start);
        back && part.len() < cycle.len() && marks_of(&cycle[..part.start]) | marks_of(&cycle[part.end..]) == ALL
    };
    let parts = (0..cycle.len()).flat_map(|start| (start + 1..=cycle.len()).map(move |end| start..end));
    parts.take(DETOURS).find(is_detour)
}

/// How many parts of a cycle are tried.
const DETOURS: usize = 100_000;

fn marks_of<S, N>(edges: &[Arc<S, N>]) -> Marks {
    edges.iter().fold(0, |marks, edge| marks | edge.marks)
}

fn steps<S: Copy, N: Copy>(edges: &[Arc<S, N>]) -> Vec<Step<S, N>> {
    edges.iter().map(|edge| Step { step: edge.step, to: edge.to }).collect()
}

/// The shortest path along edges that may be taken that ends with a wanted one.
fn shortest<G: Graph>(
    graph: &mut G,
    from: G::Node,
    may: impl Fn(&ArcOf<G>) -> bool,
    wanted: impl Fn(&ArcOf<G>) -> bool,
) -> Option<Vec<ArcOf<G>>> {
    let mut came: FxHashMap<G::Node, (G::Node, ArcOf<G>)> = FxHashMap::default();
    let mut open = VecDeque::from([from]);
    while let Some(node) = open.pop_front() {
        for arc in graph.successors(node).into_iter().filter(&may) {
            if wanted(&arc) {
                let (mut way, mut at) = (vec![arc], node);
                while at != from {
                    let (before, arc) = came[&at];
                    way.push(arc);
                    at = before;
                }
                way.reverse();
                return Some(way);
            }
            if arc.to != from && !came.contains_key(&arc.to) {
                came.insert(arc.to, (node, arc));
                open.push_back(arc.to);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadbare_core::Random;

    struct Explicit(Vec<Vec<Arc<usize, usize>>>);

    impl Graph for Explicit {
        type Node = usize;
        type Step = usize;

        fn initial(&mut self) -> usize {
            0
        }

        fn add_successors(&mut self, node: usize, edges: &mut Vec<Arc<usize, usize>>) {
            edges.extend(&self.0[node]);
        }
    }

    fn random(random: &mut Random) -> Explicit {
        let (nodes, sets) = (1 + random.below(9), random.below(4) as u32);
        let others = ALL << sets;
        let mut number = 0;
        let mut edge = |random: &mut Random| {
            number += 1;
            let mark = |random: &mut Random| if random.once_in(3) { 1 } else { 0 };
            let marks = (0..sets).fold(others, |marks, i| marks | mark(random) << i);
            Arc { step: number, to: random.below(nodes), marks }
        };
        Explicit((0..nodes).map(|_| (0..random.below(4)).map(|_| edge(random)).collect()).collect())
    }

    /// Whether some strongly connected part that can be reached has an edge inside, and all marks.
    fn has_run(graph: &Explicit) -> bool {
        let reached = |from: usize| {
            let (mut open, mut seen) = (vec![from], FxHashSet::default());
            while let Some(node) = open.pop() {
                open.extend(graph.0[node].iter().map(|arc| arc.to).filter(|&to| seen.insert(to)));
            }
            seen
        };
        let from_start = reached(0);
        (0..graph.0.len()).filter(|node| *node == 0 || from_start.contains(node)).any(|node| {
            let members: Vec<usize> = reached(node).into_iter().filter(|&to| reached(to).contains(&node)).collect();
            let inside = members.iter().flat_map(|&from| &graph.0[from]).filter(|arc| members.contains(&arc.to));
            inside.map(|arc| arc.marks).reduce(|a, b| a | b) == Some(ALL)
        })
    }

    #[test]
    fn runs_are_found_if_there_are_any() {
        let (mut dice, mut found) = (Random::new(11), 0);
        for _ in 0..20_000 {
            let mut graph = random(&mut dice);
            let run = find_run(&mut graph, || false).expect("not stopped");
            assert_eq!(run.is_some(), has_run(&graph), "{:?}", graph.0);
            let near = find_near_run(&mut graph, || false);
            assert_eq!(near.is_some(), run.is_some(), "{:?}", graph.0);
            let run = if dice.once_in(2) { near } else { run };
            let Some(run) = run else { continue };
            found += 1;
            let follow = |from: usize, steps: &[Step<usize, usize>]| {
                steps.iter().fold((from, 0), |(at, marks), step| {
                    let arc = graph.0[at].iter().find(|arc| arc.step == step.step).expect("an edge from there");
                    assert_eq!(arc.to, step.to);
                    (arc.to, marks | arc.marks)
                })
            };
            let (first, _) = follow(run.start, &run.prefix);
            assert!(!run.cycle.is_empty());
            assert_eq!(follow(first, &run.cycle), (first, ALL), "{:?}: {run:?}", graph.0);
        }
        assert!((5_000..15_000).contains(&found), "{found} graphs have runs");
    }
}
