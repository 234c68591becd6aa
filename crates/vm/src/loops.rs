//! Which visible operations lie in a loop that can be gone round without an effect: only there a thread may wait for
//! others by looking again and again. Found in the code: take out every operation that always has an effect, and see
//! what is still on a cycle, through calls as well.

use threadbare_core::Operation;

use crate::bytecode::{CallSite, Function, Op, Program, Rmw, Target, VisibleDetail, VisibleSite};
use crate::liveness::{for_each_operand, successors};

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
    let mut waits = vec![false; program.visibles.len()];
    for (f, function) in program.functions.iter().enumerate() {
        for (pc, op) in function.code.iter().enumerate() {
            if let Op::Visible { site, .. } = op {
                let effect = has_effect(program, function, &program.visibles[*site as usize]);
                waits[*site as usize] = !effect && (cycles[f][pc] || repeated[f]);
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

fn returns_without_effect(program: &Program, function: &Function, passable: &[bool]) -> bool {
    let mut seen = vec![false; function.code.len()];
    let mut rest = vec![0u32];
    while let Some(pc) = rest.pop() {
        if std::mem::replace(&mut seen[pc as usize], true) {
            continue;
        }
        let op = &function.code[pc as usize];
        if matches!(op, Op::Ret | Op::RetOne { .. } | Op::RetMany { .. }) {
            return true;
        }
        if passes(program, function, op, passable) {
            rest.extend(successors(program, function, pc));
        }
    }
    false
}

/// Which operations are on a cycle of operations that can be passed (Tarjan, without recursion).
fn on_cycle(program: &Program, function: &Function, passable: &[bool]) -> Vec<bool> {
    let n = function.code.len();
    let edges: Vec<Vec<u32>> = (0..n)
        .map(|pc| {
            let op = &function.code[pc];
            if passes(program, function, op, passable) { successors(program, function, pc as u32) } else { Vec::new() }
        })
        .collect();
    components(&edges)
}

/// Which nodes lie on a cycle.
fn components(edges: &[Vec<u32>]) -> Vec<bool> {
    const UNSEEN: u32 = u32::MAX;
    let n = edges.len();
    let (mut index, mut low) = (vec![UNSEEN; n], vec![0u32; n]);
    let mut on_stack = vec![false; n];
    let mut cyclic = vec![false; n];
    let mut stack: Vec<u32> = Vec::new();
    let mut next = 0;
    for start in 0..n as u32 {
        if index[start as usize] != UNSEEN {
            continue;
        }
        let mut work = vec![(start, 0usize)];
        while let Some(&mut (v, ref mut edge)) = work.last_mut() {
            let at = v as usize;
            if *edge == 0 {
                (index[at], low[at]) = (next, next);
                next += 1;
                stack.push(v);
                on_stack[at] = true;
            }
            if let Some(&w) = edges[at].get(*edge) {
                *edge += 1;
                if w == v {
                    cyclic[at] = true;
                }
                if index[w as usize] == UNSEEN {
                    work.push((w, 0));
                } else if on_stack[w as usize] {
                    low[at] = low[at].min(index[w as usize]);
                }
                // An empty list must not count as unvisited again: it is popped below.
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                low[parent as usize] = low[parent as usize].min(low[at]);
            }
            if low[at] == index[at] {
                let first = stack.iter().rposition(|&x| x == v).expect("on the stack");
                let many = stack.len() - first > 1;
                for x in stack.drain(first..) {
                    on_stack[x as usize] = false;
                    cyclic[x as usize] |= many;
                }
            }
        }
    }
    cyclic
}

/// Which functions may be called again and again without an effect between: those called on a cycle, and what they call.
/// Whom no call comes back from without an effect is not part of a round.
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
            rest.extend(program.functions[f as usize].code.iter().flat_map(callees));
        }
    }
    repeated
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn nodes_on_cycles_are_found() {
        let edges = [vec![1], vec![2], vec![1, 3], vec![4], vec![4], vec![]];
        assert_eq!(components(&edges), [false, true, true, false, true, false]);
    }
}
