//! Which visible operations lie in a loop that can be gone round without an effect: only there a thread may wait for
//! others by looking again and again. Found in the code: take out the operations that always have an effect, and see
//! what is still on a cycle, through calls as well.
//!
//! A loop that counts (`for`) never comes back to a state that was there before, so that its jump back is no way round;
//! it is taken as a way out, for the sake of loops around it.

use super::bytecode::{Function, Op, Operand, TbProgram, Value};

pub fn find_waiting(program: &mut TbProgram) {
    let count = program.functions.len();
    // A function that is passed to others may be called by any call of an unknown one.
    let callees = |op: &Op| -> Vec<usize> {
        let Op::Call { callee, arguments, .. } = op else { return Vec::new() };
        match known_function(program, *callee) {
            Some(function) => vec![function],
            None => {
                let fits = |function: &Function| function.parameters == arguments.count;
                (0..count).filter(|&f| fits(&program.functions[f])).collect()
            }
        }
    };
    // Functions that can be passed through without an effect.
    let mut passable = vec![false; count];
    loop {
        let passes = |passable: &[bool], op: &Op| match op {
            Op::Call { .. } => callees(op).into_iter().any(|f| passable[f]),
            op => !has_effect(op),
        };
        let newly: Vec<usize> = (0..count)
            .filter(|&f| !passable[f] && returns(&program.functions[f], |op| passes(&passable, op)))
            .collect();
        if newly.is_empty() {
            break;
        }
        newly.into_iter().for_each(|f| passable[f] = true);
    }
    // What lies on a cycle inside a function, and which functions are called from one, or call themselves.
    let mut cycles: Vec<Vec<bool>> = Vec::new();
    for function in &program.functions {
        let passes = |op: &Op| match op {
            Op::Call { .. } => callees(op).into_iter().any(|f| passable[f]),
            op => !has_effect(op),
        };
        cycles.push(on_cycle(function, passes));
    }
    let calls: Vec<Vec<(usize, bool)>> = program
        .functions
        .iter()
        .zip(&cycles)
        .map(|(function, cycle)| {
            let sites = function.code.iter().zip(cycle);
            sites.flat_map(|(op, &again)| callees(op).into_iter().map(move |f| (f, again))).collect()
        })
        .collect();
    let mut repeated: Vec<bool> = (0..count).map(|f| reaches_itself(f, &calls)).collect();
    loop {
        let mut changed = false;
        for (caller, calls) in calls.iter().enumerate() {
            for &(callee, again) in calls {
                if (again || repeated[caller]) && !repeated[callee] {
                    repeated[callee] = true;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    for ((function, cycle), repeated) in program.functions.iter_mut().zip(cycles).zip(repeated) {
        let may_wait = |op: &Op, on_cycle: bool| may_be_silent(op) && (on_cycle || repeated);
        function.may_wait = function.code.iter().zip(cycle).map(|(op, on)| may_wait(op, on)).collect();
    }
}

fn known_function(program: &TbProgram, callee: Operand) -> Option<usize> {
    match program.constants[callee.as_constant()?] {
        Value::Code(function) => Some(function as usize),
        _ => None,
    }
}

/// Whether others see a change whenever it is executed.
fn has_effect(op: &Op) -> bool {
    matches!(op, Op::Lock { .. } | Op::Unlock { .. } | Op::Join { .. } | Op::End)
}

/// A visible operation that need not have an effect: what is written may be there already.
fn may_be_silent(op: &Op) -> bool {
    matches!(op, Op::Read { .. } | Op::Write { .. } | Op::CompareAndSwap { .. } | Op::Choose { .. })
}

fn successors(function: &Function, pc: usize) -> impl Iterator<Item = usize> + '_ {
    let counted = function.counting.iter().find(|(back, _)| *back as usize == pc).map(|(_, after)| *after as usize);
    let plain = counted.is_none().then(|| function.code[pc].successors(pc));
    counted.into_iter().chain(plain.into_iter().flatten())
}

/// Whether the end of the function can be reached from its start through operations that pass.
fn returns(function: &Function, passes: impl Fn(&Op) -> bool) -> bool {
    let mut seen = vec![false; function.code.len()];
    let mut open = vec![0];
    while let Some(pc) = open.pop() {
        if std::mem::replace(&mut seen[pc], true) || !passes(&function.code[pc]) {
            continue;
        }
        if matches!(function.code[pc], Op::Return { .. }) {
            return true;
        }
        open.extend(successors(function, pc));
    }
    false
}

/// For each operation whether it can be reached from itself through operations that pass.
fn on_cycle(function: &Function, passes: impl Fn(&Op) -> bool) -> Vec<bool> {
    let count = function.code.len();
    let passable: Vec<bool> = function.code.iter().map(&passes).collect();
    let has_loops = (0..count).any(|pc| successors(function, pc).any(|next| next <= pc));
    let mut found = vec![false; count];
    if !has_loops {
        return found;
    }
    for start in 0..count {
        let mut seen = vec![false; count];
        let mut open: Vec<usize> = if passable[start] { successors(function, start).collect() } else { Vec::new() };
        while let Some(pc) = open.pop() {
            if pc == start {
                found[start] = true;
                break;
            }
            if passable[pc] && !std::mem::replace(&mut seen[pc], true) {
                open.extend(successors(function, pc));
            }
        }
    }
    found
}

fn reaches_itself(function: usize, calls: &[Vec<(usize, bool)>]) -> bool {
    let mut seen = vec![false; calls.len()];
    let mut open: Vec<usize> = calls[function].iter().map(|(callee, _)| *callee).collect();
    while let Some(next) = open.pop() {
        if next == function {
            return true;
        }
        if !std::mem::replace(&mut seen[next], true) {
            open.extend(calls[next].iter().map(|(callee, _)| *callee));
        }
    }
    false
}
