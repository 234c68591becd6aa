//! What LLVM's verifier asks of the values of a function: that each is computed before it is used, whichever way control
//! comes there, and that a `phi` has a value for each block that control comes from.
//!
//! Dominators as in K. D. Cooper, T. J. Harvey and K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001). As in LLVM,
//! nothing is asked of code that cannot be reached.

use crate::module::{BlockId, Function, Inst, InstKind, LocalId, Value};
use crate::visit;

const UNREACHABLE: u32 = u32::MAX;

/// The first instruction that breaks the rules, and how.
pub(super) fn violation(function: &Function) -> Option<(&Inst, String)> {
    let flow = Flow::of(function);
    if let Some(&back) = flow.predecessors.first().and_then(|entry| entry.first()) {
        let inst = function.blocks[back as usize].insts.last()?;
        return Some((inst, "a jump to the first block of a function".into()));
    }
    let definitions = definitions(function);
    // An operand must be there before instruction `index` of `block`.
    let is_there = |value: &Value, block: u32, index: u32| match value {
        Value::Local(local) => definitions[local.0 as usize].is_none_or(|(of, at)| match of == block {
            true => at < index,
            false => flow.dominates(of, block),
        }),
        Value::Const(_) => true,
    };
    for (b, block) in function.blocks.iter().enumerate() {
        let b = b as u32;
        if !flow.is_reachable(b) {
            continue;
        }
        for (i, inst) in block.insts.iter().enumerate() {
            let mut missing: Option<&Value> = None;
            match &inst.kind {
                InstKind::Dbg(_) => {}
                InstKind::Phi { incoming, .. } => {
                    if let Some(message) = flow.misses_an_edge(function, b, incoming) {
                        return Some((inst, message));
                    }
                    let late = |(value, from): &&(Value, BlockId)| {
                        flow.is_reachable(from.0) && !is_there(value, from.0, u32::MAX)
                    };
                    missing = incoming.iter().find(late).map(|(value, _)| value);
                }
                kind => visit::operands(kind, &mut |value| {
                    if missing.is_none() && !is_there(value, b, i as u32) {
                        missing = Some(value);
                    }
                }),
            }
            if let Some(Value::Local(LocalId(local))) = missing {
                let name = &function.local_names[*local as usize];
                return Some((inst, format!("'%{name}' is used where it has not been computed on every way")));
            }
        }
    }
    None
}

/// Block and index of the instruction that computes each local; none for parameters.
fn definitions(function: &Function) -> Vec<Option<(u32, u32)>> {
    let mut definitions = vec![None; function.local_types.len()];
    for (b, block) in function.blocks.iter().enumerate() {
        for (i, inst) in block.insts.iter().enumerate() {
            if let Some(LocalId(local)) = inst.result {
                definitions[local as usize] = Some((b as u32, i as u32));
            }
        }
    }
    definitions
}

struct Flow {
    /// In order, each once.
    predecessors: Vec<Vec<u32>>,
    /// When each block is entered and left on a walk over the tree of dominators.
    spans: Vec<(u32, u32)>,
}

impl Flow {
    fn of(function: &Function) -> Flow {
        let successors: Vec<Vec<u32>> = function.blocks.iter().map(|block| targets(block.insts.last())).collect();
        let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); successors.len()];
        for (b, targets) in successors.iter().enumerate() {
            for &target in targets {
                let known = &mut predecessors[target as usize];
                if known.last() != Some(&(b as u32)) {
                    known.push(b as u32);
                }
            }
        }
        let postorder = postorder(&successors);
        let mut number = vec![UNREACHABLE; successors.len()];
        for (i, &block) in postorder.iter().enumerate() {
            number[block as usize] = i as u32;
        }
        let parents = immediate_dominators(&postorder, &number, &predecessors);
        // From the entry down: the spans of children lie in those of their parents.
        let mut children = vec![Vec::new(); successors.len()];
        for &block in postorder.iter().rev().skip(1) {
            children[parents[block as usize] as usize].push(block);
        }
        let mut spans = vec![(UNREACHABLE, 0); successors.len()];
        let mut time = 0;
        let mut walk = vec![(0u32, 0usize)];
        while let Some((block, next)) = walk.last_mut() {
            let b = *block as usize;
            if *next == 0 {
                spans[b].0 = time;
                time += 1;
            }
            match children[b].get(*next) {
                Some(&child) => {
                    *next += 1;
                    walk.push((child, 0));
                }
                None => {
                    spans[b].1 = time;
                    time += 1;
                    walk.pop();
                }
            }
        }
        Flow { predecessors, spans }
    }

    fn is_reachable(&self, block: u32) -> bool {
        self.spans[block as usize].0 != UNREACHABLE
    }

    fn dominates(&self, a: u32, b: u32) -> bool {
        let ((from, to), (inner, _)) = (self.spans[a as usize], self.spans[b as usize]);
        from <= inner && inner < to
    }

    /// What is wrong with the edges of a `phi`, if something is.
    fn misses_an_edge(&self, function: &Function, block: u32, incoming: &[(Value, BlockId)]) -> Option<String> {
        let predecessors = &self.predecessors[block as usize];
        let mut given: Vec<u32> = incoming.iter().map(|(_, from)| from.0).collect();
        given.sort_unstable();
        given.dedup();
        let name = |b: u32| &function.blocks[b as usize].name;
        if let Some(&from) = predecessors.iter().find(|from| given.binary_search(from).is_err()) {
            return Some(format!("'phi' has no value for the way from block '%{}'", name(from)));
        }
        let strange = *given.iter().find(|from| predecessors.binary_search(from).is_err())?;
        Some(format!("'phi' has a value for block '%{}', which does not lead here", name(strange)))
    }
}

fn targets(last: Option<&Inst>) -> Vec<u32> {
    let mut targets = Vec::new();
    if let Some(inst) = last.filter(|inst| inst.kind.is_terminator()) {
        visit::blocks(&inst.kind, |block| targets.push(block.0));
    }
    targets
}

/// The blocks that can be reached, each after those behind it.
fn postorder(successors: &[Vec<u32>]) -> Vec<u32> {
    let mut order = Vec::with_capacity(successors.len());
    let mut seen = vec![false; successors.len()];
    seen[0] = true;
    let mut walk = vec![(0u32, 0usize)];
    while let Some((block, next)) = walk.last_mut() {
        match successors[*block as usize].get(*next) {
            Some(&target) => {
                *next += 1;
                if !std::mem::replace(&mut seen[target as usize], true) {
                    walk.push((target, 0));
                }
            }
            None => {
                order.push(*block);
                walk.pop();
            }
        }
    }
    order
}

fn immediate_dominators(postorder: &[u32], number: &[u32], predecessors: &[Vec<u32>]) -> Vec<u32> {
    let mut parents = vec![UNREACHABLE; number.len()];
    parents[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for &block in postorder.iter().rev().skip(1) {
            let known = predecessors[block as usize].iter().copied().filter(|&p| parents[p as usize] != UNREACHABLE);
            let common = known.reduce(|mut a, mut b| {
                while a != b {
                    if number[a as usize] < number[b as usize] {
                        a = parents[a as usize];
                    } else {
                        b = parents[b as usize];
                    }
                }
                a
            });
            if let Some(parent) = common.filter(|&parent| parents[block as usize] != parent) {
                parents[block as usize] = parent;
                changed = true;
            }
        }
    }
    parents
}
