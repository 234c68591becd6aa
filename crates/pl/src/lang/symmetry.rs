//! Threads that do the same: which of them is where makes no difference (E. Clarke, R. Enders, T. Filkorn, S. Jha: "Exploiting symmetry in
//! temporal logic model checking", Formal Methods in System Design 9, 1996).
//!
//! Threads are of one kind if their code is the same, number by number of its operations. They have no names inside a program: no
//! value of the language is a thread, and of those that are side by side nobody is created or asked for. A thread shows in two places
//! only, in what it holds, and in what `finally` waits for. So a state may be taken for another one in which threads of a
//! kind have changed places together with the mutexes that they hold. The least of all these states is never made; what is common to them is
//! hashed: of each kind its threads in the order of their hashes.
//!
//! `finally` waits for the threads in their order, which tells them apart after all, though nothing hangs on it: until the last
//! one is joined it does nothing else. How far it has come is therefore left out, but for the number of joins that it could do now. With two
//! states that differ in nothing else, each step of a thread is possible in both and leads to two such states again; a join leads
//! to such a state by itself; and where the joins stop, the number is 0, so that a deadlock is met, or all threads have
//! ended, and the number says how many joins are left.
//!
//! For searches that take every step from every state that they go on from, and from whose keys nothing but the state is known.
//! Where steps are left out by what threads may still do, that would have to change places, too.

use std::collections::HashMap;

use threadbare_core::{Fingerprint, Hash128, Tid};

use super::bytecode::{Function, List, Op, Operand, TbProgram, Value};
use super::machine::{TbMachine, owner_of, part_of_mutex};
use super::thread::Status;

/// What holds a mutex instead of a thread: its kind.
const KIND: u16 = 1 << 15;

#[derive(Clone, Debug)]
pub struct Symmetry {
    /// The threads of each kind that has several, by their numbers.
    kinds: Vec<Vec<u16>>,
    /// For each thread, the kind that it is of.
    kind_of: Vec<Option<u16>>,
    /// For each function, the one of the first thread of its kind that is the same.
    function: Vec<u16>,
}

impl Symmetry {
    pub fn of(program: &TbProgram) -> Symmetry {
        let mut function: Vec<u16> = (0..program.functions.len() as u16).collect();
        let mut kinds: Vec<Vec<u16>> = Vec::new();
        for (k, thread) in program.threads.iter().enumerate() {
            let number = k as u16 + 1;
            let like = kinds.iter_mut().find_map(|kind| {
                let first = program.threads[usize::from(kind[0]) - 1].function;
                same_code(program, thread.function, first).map(|same| (kind, same))
            });
            match like {
                Some((kind, same)) => {
                    kind.push(number);
                    same.into_iter().for_each(|(own, first)| function[usize::from(own)] = first);
                }
                None => kinds.push(vec![number]),
            }
        }
        kinds.retain(|kind| kind.len() > 1);
        let mut kind_of = vec![None; 1 + program.threads.len()];
        for (number, kind) in kinds.iter().enumerate() {
            kind.iter().for_each(|&thread| kind_of[usize::from(thread)] = Some(number as u16));
        }
        Symmetry { kinds, kind_of, function }
    }

    /// The threads of each kind that has several.
    pub fn kinds(&self) -> impl Iterator<Item = impl Iterator<Item = Tid> + '_> {
        self.kinds.iter().map(|kind| kind.iter().map(|&thread| Tid(thread)))
    }
}

/// Whether two functions do the same: then which function of the one is which of the other. What both refer to is the same as itself.
fn same_code(program: &TbProgram, a: u16, b: u16) -> Option<HashMap<u16, u16>> {
    let shape = |f: &Function| (f.registers, f.parameters, f.captured, f.keeps_itself);
    let mut same = HashMap::from([(a, b)]);
    let mut todo = vec![(a, b)];
    while let Some((a, b)) = todo.pop() {
        let (a, b) = (&program.functions[usize::from(a)], &program.functions[usize::from(b)]);
        if a.code.len() != b.code.len() || shape(a) != shape(b) {
            return None;
        }
        let mut is_same = |a: u16, b: u16| match same.get(&a) {
            Some(&known) => known == b,
            None => {
                same.insert(a, b);
                todo.push((a, b));
                true
            }
        };
        let mut operand = |a: Operand, b: Operand| {
            a == b
                || match (a.as_constant(), b.as_constant()) {
                    (Some(a), Some(b)) => match (program.constants[a], program.constants[b]) {
                        (Value::Code(a), Value::Code(b)) => is_same(a as u16, b as u16),
                        (a, b) => a == b,
                    },
                    _ => false,
                }
        };
        for (&a, &b) in a.code.iter().zip(&b.code) {
            if !same_operation(program, a, b, &mut operand) {
                return None;
            }
        }
        for (a, b) in a.code.iter().zip(&b.code) {
            if let (Op::NewClosure { function: a, .. }, Op::NewClosure { function: b, .. }) = (a, b)
                && !is_same(*a, *b)
            {
                return None;
            }
        }
    }
    Some(same)
}

fn same_operation(program: &TbProgram, a: Op, b: Op, same: &mut impl FnMut(Operand, Operand) -> bool) -> bool {
    let text = |number: u16| &program.texts[usize::from(number)];
    let mut lists =
        |a: List, b: List| a.count == b.count && program.list(a).iter().zip(program.list(b)).all(|(&a, &b)| same(a, b));
    match (a, b) {
        (Op::Move { d, s }, Op::Move { d: d2, s: s2 })
        | (Op::Not { d, s }, Op::Not { d: d2, s: s2 })
        | (Op::Negate { d, s }, Op::Negate { d: d2, s: s2 })
        | (Op::NewCell { d, s }, Op::NewCell { d: d2, s: s2 })
        | (Op::Read { d, place: s }, Op::Read { d: d2, place: s2 }) => d == d2 && same(s, s2),
        (Op::Binary { operator, d, a, b }, Op::Binary { operator: operator2, d: d2, a: a2, b: b2 }) => {
            operator == operator2 && d == d2 && same(a, a2) && same(b, b2)
        }
        (Op::Choose { d, low, high }, Op::Choose { d: d2, low: low2, high: high2 }) => {
            d == d2 && same(low, low2) && same(high, high2)
        }
        (Op::JumpUnless { condition, to }, Op::JumpUnless { condition: condition2, to: to2 })
        | (Op::JumpIf { condition, to }, Op::JumpIf { condition: condition2, to: to2 }) => {
            to == to2 && same(condition, condition2)
        }
        (Op::Index { d, array, index }, Op::Index { d: d2, array: array2, index: index2 }) => {
            (d, array) == (d2, array2) && same(index, index2)
        }
        // The functions themselves are compared by who asks.
        (Op::NewClosure { d, captured, .. }, Op::NewClosure { d: d2, captured: captured2, .. }) => {
            d == d2 && lists(captured, captured2)
        }
        (Op::Call { d, callee, arguments }, Op::Call { d: d2, callee: callee2, arguments: arguments2 }) => {
            d == d2 && lists(arguments, arguments2) && same(callee, callee2)
        }
        (Op::Assert { condition, text: t }, Op::Assert { condition: condition2, text: t2 }) => {
            text(t) == text(t2) && same(condition, condition2)
        }
        (Op::Fail { text: t }, Op::Fail { text: t2 }) => text(t) == text(t2),
        (Op::Write { place, s }, Op::Write { place: place2, s: s2 }) => same(place, place2) && same(s, s2),
        (
            Op::CompareAndSwap { d, place, old, new },
            Op::CompareAndSwap { d: d2, place: place2, old: old2, new: new2 },
        ) => d == d2 && same(place, place2) && same(old, old2) && same(new, new2),
        (Op::Return { s: x }, Op::Return { s: y })
        | (Op::Assume { condition: x }, Op::Assume { condition: y })
        | (Op::Lock { mutex: x }, Op::Lock { mutex: y })
        | (Op::Unlock { mutex: x }, Op::Unlock { mutex: y }) => same(x, y),
        // Jumps and ends have nothing to compare but themselves; what differs in kind differs.
        (a, b) => a == b,
    }
}

impl TbMachine {
    /// Everything that matters of the state, but not which thread of a kind is where.
    pub(super) fn canonical(&self, symmetry: &Symmetry) -> Fingerprint {
        let mut state = self.shared_fingerprint();
        let mut held: Vec<Vec<u64>> = vec![Vec::new(); symmetry.kind_of.len()];
        for at in 0..self.program().mutexes {
            let holder = self.holder(at);
            let Some(tid) = owner_of(holder) else { continue };
            if let Some(kind) = symmetry.kind_of[tid.index()] {
                held[tid.index()].push(at.into());
                state ^= part_of_mutex(at, holder) ^ part_of_mutex(at, KIND | kind);
            }
        }
        let code = |function: u32| u32::from(symmetry.function[function as usize]);
        for (number, kind) in symmetry.kinds.iter().enumerate() {
            let mut all: Vec<u128> = Vec::with_capacity(kind.len());
            for &thread in kind {
                let Fingerprint(local) = self.thread(Tid(thread)).fingerprint_as(self.program(), 1, code);
                let mut hash = Hash128::new(2);
                [local as u64, (local >> 64) as u64].into_iter().for_each(|word| hash.word(word));
                held[usize::from(thread)].iter().for_each(|&mutex| hash.word(mutex));
                all.push(hash.finish().0);
            }
            all.sort_unstable();
            let mut hash = Hash128::new(3 + number as u64);
            for one in all {
                hash.word(one as u64);
                hash.word((one >> 64) as u64);
            }
            state ^= hash.finish();
        }
        for t in (0..symmetry.kind_of.len()).filter(|&t| symmetry.kind_of[t].is_none()) {
            let tid = Tid(t as u16);
            state ^= match self.joins_possible(tid) {
                Some(joins) if !symmetry.kinds.is_empty() => Fingerprint::of(u64::MAX, joins),
                _ => self.thread(tid).fingerprint(self.program(), 2 + t as u64),
            };
        }
        state
    }

    /// How many threads one that waits for the end of all others could join now, one after the other.
    fn joins_possible(&self, tid: Tid) -> Option<u64> {
        let thread = self.thread(tid);
        if thread.status != Status::Live {
            return None;
        }
        let frame = thread.top();
        let code = &self.program().functions[usize::from(frame.function)].code[frame.pc as usize..];
        let Some(Op::Join { .. }) = code.first() else { return None };
        let is_over = |op: &&Op| match op {
            Op::Join { thread } => self.status(Tid(*thread)) == Status::Ended,
            _ => false,
        };
        Some(code.iter().take_while(is_over).count() as u64)
    }
}
