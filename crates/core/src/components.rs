//! Strongly connected components (R. Tarjan: "Depth-first search and linear graph algorithms", 1972; without recursion).

const NOT_YET: u32 = u32::MAX;

/// The number of the component of each node. Edges lead to components of the same or a lower number. `edge` tells where an edge of a node
/// leads, by its number among them, as long as there are more.
pub fn components(nodes: usize, edge: impl Fn(usize, usize) -> Option<usize>) -> Vec<u32> {
    let mut component = vec![NOT_YET; nodes];
    // When each was met, and the earliest that is known to be reached from it.
    let (mut met, mut low) = (vec![NOT_YET; nodes], vec![0; nodes]);
    let (mut meetings, mut count) = (0, 0);
    // Nodes on the way, with how many of their edges were gone, and those that have no component yet.
    let (mut path, mut waiting): (Vec<(u32, u32)>, Vec<u32>) = (Vec::new(), Vec::new());
    for start in 0..nodes {
        if met[start] != NOT_YET {
            continue;
        }
        path.push((start as u32, 0));
        while let Some((at, gone)) = path.last_mut() {
            let here = *at as usize;
            if met[here] == NOT_YET {
                (met[here], low[here]) = (meetings, meetings);
                meetings += 1;
                waiting.push(*at);
            }
            if let Some(to) = edge(here, *gone as usize) {
                *gone += 1;
                if met[to] == NOT_YET {
                    path.push((to as u32, 0));
                } else if component[to] == NOT_YET {
                    low[here] = low[here].min(met[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(before, _)) = path.last() {
                low[before as usize] = low[before as usize].min(low[here]);
            }
            if low[here] == met[here] {
                while let Some(node) = waiting.pop() {
                    component[node as usize] = count;
                    if node as usize == here {
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
    use crate::Random;

    #[test]
    fn nodes_share_a_component_if_each_reaches_the_other() {
        let mut random = Random::new(7);
        for _ in 0..2_000 {
            let nodes = 1 + random.below(8);
            let mut edges = vec![Vec::new(); nodes];
            (0..random.below(14)).for_each(|_| edges[random.below(nodes)].push(random.below(nodes)));
            let mut reaches = vec![vec![false; nodes]; nodes];
            for (from, to) in edges.iter().enumerate() {
                reaches[from][from] = true;
                to.iter().for_each(|&to| reaches[from][to] = true);
            }
            for via in 0..nodes {
                for from in 0..nodes {
                    for to in 0..nodes {
                        reaches[from][to] |= reaches[from][via] && reaches[via][to];
                    }
                }
            }
            let found = components(nodes, |node, i| edges[node].get(i).copied());
            for a in 0..nodes {
                for b in 0..nodes {
                    assert_eq!(found[a] == found[b], reaches[a][b] && reaches[b][a], "{edges:?}");
                    assert!(!edges[a].contains(&b) || found[b] <= found[a], "{edges:?}");
                }
            }
        }
    }
}
