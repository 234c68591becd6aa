//! Which visible operations lie in a loop that can be gone round without an effect: only there a thread may wait for
//! others by looking again and again. Found in the code: take out every operation that always has an effect, and see
//! what is still on a cycle, through calls as well. A cycle that counts is no such round, either: whoever goes round it does not
//! come back to the same local state.

use rustc_hash::FxHashMap;
use threadbare_core::{Operation, components};

use crate::bytecode::{CallSite, Function, Op, Program, Rmw, Target, VisibleDetail, VisibleSite};
use crate::liveness::{for_each_operand, successors};

/// Longer functions are not looked through for counters that are not plain to see.
const LONG_FUNCTION: usize = 2000;

/// So many operations behind a constant are looked at.
const FAR: usize = 16;

pub fn find_waiting(program: &mut Program) {
    let functions = program.functions.len();
    let mut passable = vec![false; functions];
    loop {
        let mut changed = false;
        for f in 0..functions {
            if !passable[f] && returns_without_effect(program, &program.functions[f], &passable) {
                passable[f] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let cycles: Vec<Vec<bool>> = program.functions.iter().map(|f| on_cycle(program, f, &passable)).collect();
    let repeated = repeated(program, &cycles, &passable);
    let ways = |(f, function)| if repeated[f] { ways_through(program, function, &passable) } else { Vec::new() };
    let ways: Vec<Vec<bool>> = program.functions.iter().enumerate().map(ways).collect();
    let mut waits = vec![false; program.visibles.len()];
    for (f, function) in program.functions.iter().enumerate() {
        for (pc, op) in function.code.iter().enumerate() {
            if let Op::Visible { site, .. } = op {
                let effect = has_effect(program, function, &program.visibles[*site as usize]);
                waits[*site as usize] = !effect && (cycles[f][pc] || ways[f].get(pc).is_some_and(|on_way| *on_way));
            }
        }
    }
    for (site, waits) in program.visibles.iter_mut().zip(waits) {
        site.may_wait = waits;
    }
}

impl Program {
    /// The operations that may wait, by function. For looking.
    pub fn waiting_sites(&self) -> Vec<(String, Operation)> {
        let mut list = Vec::new();
        for function in &self.functions {
            for op in &function.code {
                if let Op::Visible { site, .. } = op
                    && self.visibles[*site as usize].may_wait
                {
                    list.push((function.name.to_string(), self.visibles[*site as usize].operation));
                }
            }
        }
        list
    }
}

enum Callee {
    Known(u32),
    Unknown,
}

fn callee(program: &Program, op: &Op) -> Option<Callee> {
    match op {
        Op::Call { f, .. } => Some(Callee::Known(*f)),
        Op::CallSite { site, .. } => Some(match program.calls[*site as usize].callee {
            Target::Function(f) => Callee::Known(f),
            Target::Slot(_) => Callee::Unknown,
        }),
        _ => None,
    }
}

/// Whether the operation can be passed without an effect.
fn passes(program: &Program, function: &Function, op: &Op, passable: &[bool]) -> bool {
    match op {
        Op::Visible { site, .. } => !has_effect(program, function, &program.visibles[*site as usize]),
        op => match callee(program, op) {
            Some(Callee::Known(f)) => passable[f as usize],
            Some(Callee::Unknown) | None => true,
        },
    }
}

/// Where an operation leads to.
fn next(program: &Program, function: &Function, pc: u32) -> Vec<u32> {
    decided(&function.code, pc).map_or_else(|| successors(program, function, pc), |target| vec![target])
}

/// Where control comes to behind an operation that sets a slot to a constant, if that decides the next branch:
/// `for (j = 0; !j; j = 1)` is no loop.
fn decided(code: &[Op], pc: u32) -> Option<u32> {
    let Op::Imm { d, i } = code[pc as usize] else { return None };
    let mut known = vec![(d, i)];
    let mut at = pc + 1;
    for _ in 0..FAR {
        let value = |slot: u16| known.iter().rev().find(|(known, _)| *known == slot).map(|(_, value)| *value);
        let set = match *code.get(at as usize)? {
            Op::Jmp { t } => {
                at = t;
                continue;
            }
            Op::Imm { d, i } => (d, i),
            Op::Mov { d, a } => (d, value(a)?),
            Op::XorI { d, a, i } => (d, value(a)? ^ i),
            Op::SetEqI { d, a, i } => (d, (value(a)? == i).into()),
            Op::SetNeI { d, a, i } => (d, (value(a)? != i).into()),
            Op::Br { c, t, f } => return Some(if value(c)? & 1 == 1 { t } else { f }),
            Op::BrEqI { a, i, t, f } => return Some(if value(a)? == i as i64 as u64 { t } else { f }),
            Op::BrNeI { a, i, t, f } => return Some(if value(a)? != i as i64 as u64 { t } else { f }),
            _ => return None,
        };
        known.push(set);
        at += 1;
    }
    None
}

/// Whether the operation changes something that others can see, each time.
fn has_effect(program: &Program, function: &Function, site: &VisibleSite) -> bool {
    use Operation::*;
    match (site.operation, site.detail) {
        // A constant may be there already.
        (Store, VisibleDetail::Access { .. }) => constant(program, function, site.args[1]).is_none(),
        (ReadModifyWrite, VisibleDetail::Rmw { op: Rmw::Add | Rmw::Sub, .. }) => {
            constant(program, function, site.args[1]).is_none_or(|value| value != 0)
        }
        (operation, _) => !matches!(
            operation,
            Load | Store
                | ReadModifyWrite
                | CompareExchange
                | Fence
                | MutexTryLock
                | MutexTimedLock
                | SpinTryLock
                | RwTryReadLock
                | RwTryWriteLock
                | RwTimedReadLock
                | RwTimedWriteLock
                | SemTryWait
                | SemTimedWait
                | SemGetValue
                | CondSignal
                | CondBroadcast
                | OnceEnter
                | ThreadTryJoin
                | ThreadTimedJoin
                | TestCancel
                | Yield
                | Label
                | Sleep
                | SleepUntil
                | Clock
                | HiddenState
                | AtomicBegin
        ),
    }
}

/// The value of a slot that only constants are written to.
fn constant(program: &Program, function: &Function, slot: u16) -> Option<u64> {
    let mut value = None;
    for op in &function.code {
        let mut written = false;
        for_each_operand(program, op, &mut |s, write| written |= write && s == slot);
        if written {
            match op {
                Op::Imm { i, .. } => value = Some(*i),
                _ => return None,
            }
        }
    }
    value
}

fn is_return(op: &Op) -> bool {
    matches!(op, Op::Ret | Op::RetOne { .. } | Op::RetMany { .. })
}

/// Which operations can be come to from the start of a function without an effect.
fn reached(program: &Program, function: &Function, passable: &[bool]) -> Vec<bool> {
    let mut seen = vec![false; function.code.len()];
    let mut rest = vec![0u32];
    while let Some(pc) = rest.pop() {
        if std::mem::replace(&mut seen[pc as usize], true) {
            continue;
        }
        if passes(program, function, &function.code[pc as usize], passable) {
            rest.extend(next(program, function, pc));
        }
    }
    seen
}

fn returns_without_effect(program: &Program, function: &Function, passable: &[bool]) -> bool {
    let reached = reached(program, function, passable);
    function.code.iter().zip(reached).any(|(op, reached)| reached && is_return(op))
}

/// Which operations lie on a way from the start of a function to its return that has no effect.
fn ways_through(program: &Program, function: &Function, passable: &[bool]) -> Vec<bool> {
    let reached = reached(program, function, passable);
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); function.code.len()];
    let mut rest: Vec<u32> = Vec::new();
    for (pc, op) in function.code.iter().enumerate().filter(|(pc, _)| reached[*pc]) {
        if is_return(op) {
            rest.push(pc as u32);
        } else if passes(program, function, op, passable) {
            next(program, function, pc as u32).iter().for_each(|&next| before[next as usize].push(pc as u32));
        }
    }
    let mut ways = vec![false; function.code.len()];
    while let Some(pc) = rest.pop() {
        if !std::mem::replace(&mut ways[pc as usize], true) {
            rest.extend(&before[pc as usize]);
        }
    }
    ways
}

/// Which operations are on a cycle of operations that can be passed, and that counts nothing.
fn on_cycle(program: &Program, function: &Function, passable: &[bool]) -> Vec<bool> {
    let n = function.code.len();
    let mut edges: Vec<Vec<u32>> = (0..n)
        .map(|pc| {
            let op = &function.code[pc];
            if passes(program, function, op, passable) { next(program, function, pc as u32) } else { Vec::new() }
        })
        .collect();
    let mut on_cycle = cycles(&edges);
    loop {
        let steps = counters(program, function, &edges, &on_cycle);
        if steps.is_empty() {
            return on_cycle.into_iter().map(|component| component.is_some()).collect();
        }
        steps.into_iter().for_each(|pc| edges[pc].clear());
        on_cycle = cycles(&edges);
    }
}

/// The operations by which every round of a loop that goes through them counts on: nothing else in the loop sets their
/// slot.
fn counters(program: &Program, function: &Function, edges: &[Vec<u32>], on_cycle: &[Option<u32>]) -> Vec<usize> {
    let code = &function.code;
    // The operation that writes a slot in a component, if it is the only one there.
    let mut writers: FxHashMap<(u32, u16), Option<usize>> = FxHashMap::default();
    for (pc, op) in code.iter().enumerate() {
        let Some(component) = on_cycle[pc] else { continue };
        for_each_operand(program, op, &mut |slot, write| {
            if write {
                writers.entry((component, slot)).and_modify(|only| *only = None).or_insert(Some(pc));
            }
        });
    }
    let only_writer = |component: u32, slot: u16| writers.get(&(component, slot)).copied().flatten();
    let is_counter = |&pc: &usize| {
        let (Some(component), Some((from, to))) = (on_cycle[pc], counts(&code[pc])) else { return false };
        // What is counted in vain is no part of the local state.
        if only_writer(component, to) != Some(pc) || function.in_vain.binary_search(&to).is_ok() {
            return false;
        }
        if from == to {
            return true;
        }
        // Through another slot: no round may go through only one of the two.
        let copy = only_writer(component, from).filter(|&copy| matches!(code[copy], Op::Mov { a, .. } if a == to));
        let needs = |one: usize, other: usize| {
            let mut without = edges.to_vec();
            without[other].clear();
            cycles(&without)[one].is_none()
        };
        copy.is_some_and(|copy| code.len() <= LONG_FUNCTION && needs(pc, copy) && needs(copy, pc))
    };
    (0..code.len()).filter(is_counter).collect()
}

/// Of which slot to which the operation counts, in steps so small that it takes millions of rounds to come back.
fn counts(op: &Op) -> Option<(u16, u16)> {
    let (d, a, step) = match *op {
        Op::Add32I { d, a, i } | Op::Sub32I { d, a, i } => (d, a, i64::from(i as i32)),
        Op::Add64I { d, a, i } | Op::Sub64I { d, a, i } => (d, a, i as i64),
        _ => return None,
    };
    (step != 0 && step.unsigned_abs() <= 256).then_some((a, d))
}

/// For each node that lies on a cycle, the number of its component.
fn cycles(edges: &[Vec<u32>]) -> Vec<Option<u32>> {
    let component = components(edges.len(), |node, i| edges[node].get(i).map(|&to| to as usize));
    // Where a component has an edge inside, it has one from each of its nodes.
    let stays = |node: usize| edges[node].iter().any(|&to| component[to as usize] == component[node]);
    (0..edges.len()).map(|node| stays(node).then_some(component[node])).collect()
}

/// Which functions may be called again and again without an effect between: those called on a cycle, and what they call on a
/// way through them without an effect. Whom no call comes back from without an effect is not part of a round.
fn repeated(program: &Program, cycles: &[Vec<bool>], passable: &[bool]) -> Vec<bool> {
    // Through a pointer any function of that type may be called whose address is taken.
    let callees = |op: &Op| -> Vec<u32> {
        let fits = |f: &Function, site: &CallSite| {
            f.results == site.result_classes && (f.varargs || site.varargs || f.params == site.classes)
        };
        match (callee(program, op), op) {
            (Some(Callee::Known(g)), _) => vec![g],
            (Some(Callee::Unknown), Op::CallSite { site, .. }) => {
                let site = &program.calls[*site as usize];
                let taken = program.address_taken.iter().copied();
                taken.filter(|&g| fits(&program.functions[g as usize], site)).collect()
            }
            _ => Vec::new(),
        }
    };
    let mut repeated = vec![false; program.functions.len()];
    let mut rest: Vec<u32> = Vec::new();
    for (f, function) in program.functions.iter().enumerate() {
        for (pc, op) in function.code.iter().enumerate() {
            if cycles[f][pc] {
                rest.extend(callees(op));
            }
        }
    }
    while let Some(f) = rest.pop() {
        if passable[f as usize] && !std::mem::replace(&mut repeated[f as usize], true) {
            let function = &program.functions[f as usize];
            let ways = ways_through(program, function, passable);
            let on_way = function.code.iter().zip(ways).filter(|(_, on_way)| *on_way);
            rest.extend(on_way.flat_map(|(op, _)| callees(op)));
        }
    }
    repeated
}

#[cfg(test)]
mod tests {
    use super::cycles;

    #[test]
    fn nodes_on_cycles_are_found() {
        let edges = [vec![1], vec![2], vec![1, 3], vec![4], vec![4], vec![]];
        let cyclic: Vec<bool> = cycles(&edges).iter().map(Option::is_some).collect();
        assert_eq!(cyclic, [false, true, true, false, true, false]);
    }
}
