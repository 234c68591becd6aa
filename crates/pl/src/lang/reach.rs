//! What the code from each operation on may still touch, found in the code alone: backwards over each function, with the
//! whole of what a function may touch for a call of it, until nothing changes.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use threadbare_core::{Access, AccessSet, Mode, Space};

use super::bytecode::{Function, Op, Target, TbProgram, Value};
use super::machine::{cells, mutexes, thread_access};

/// One thing that may be touched: how, whether it is a mutex, from which number on, and how many.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Touch {
    Read(u32, u32),
    Write(u32, u32),
    Mutex(u32, u32),
    Thread(u16),
    /// The end of whatever thread executes it.
    OwnEnd,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Reach(Vec<Touch>);

impl Reach {
    /// For threads that have several frames: what any of them may touch. `own` is the number of the thread.
    pub fn access_set<'a>(parts: impl Iterator<Item = &'a Reach>, own: u16) -> AccessSet {
        let mut named: Vec<Access> = Vec::new();
        for touch in parts.flat_map(|part| &part.0) {
            named.push(match *touch {
                Touch::Read(first, count) => cells(Mode::Read, first, count),
                Touch::Write(first, count) => cells(Mode::Write, first, count),
                Touch::Mutex(first, count) => mutexes(first, count),
                Touch::Thread(thread) => thread_access(thread),
                Touch::OwnEnd => thread_access(own),
            });
        }
        AccessSet::new(named, std::iter::empty::<(Space, Mode)>(), Arc::default(), false)
    }
}

pub fn find_reachable(program: &mut TbProgram) {
    let count = program.functions.len();
    let mut sets: Vec<Vec<BTreeSet<Touch>>> =
        program.functions.iter().map(|function| vec![BTreeSet::new(); function.code.len()]).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for f in 0..count {
            let function = &program.functions[f];
            for pc in (0..function.code.len()).rev() {
                let op = &function.code[pc];
                let mut set: BTreeSet<Touch> = touches(program, function, pc).into_iter().collect();
                for next in op.successors(pc) {
                    set.extend(&sets[f][next]);
                }
                if let Op::Call { callee, arguments, .. } = op {
                    let known = callee.as_constant().map(|index| program.constants[index]);
                    for (g, whole) in sets.iter().enumerate() {
                        let called = match known {
                            Some(Value::Code(function)) => function as usize == g,
                            _ => program.functions[g].parameters == arguments.count,
                        };
                        if called && let Some(all) = whole.first() {
                            set.extend(all);
                        }
                    }
                }
                if set.len() != sets[f][pc].len() {
                    sets[f][pc] = set;
                    changed = true;
                }
            }
        }
    }
    let mut numbers: HashMap<Reach, u32> = HashMap::new();
    let mut list = Vec::new();
    for (function, sets) in program.functions.iter_mut().zip(sets) {
        let number = |set: BTreeSet<Touch>| {
            let reach = Reach(set.into_iter().collect());
            *numbers.entry(reach.clone()).or_insert_with(|| {
                list.push(reach);
                list.len() as u32 - 1
            })
        };
        function.reach = sets.into_iter().map(number).collect();
    }
    program.reachable = list;
}

fn touches(program: &TbProgram, function: &Function, pc: usize) -> Vec<Touch> {
    let op = &function.code[pc];
    let place = match op {
        Op::Read { place, .. } | Op::Write { place, .. } | Op::CompareAndSwap { place, .. } => place,
        Op::Lock { mutex } | Op::Unlock { mutex } => mutex,
        Op::Join { thread } => return vec![Touch::Thread(*thread)],
        Op::End => return vec![Touch::OwnEnd],
        _ => return Vec::new(),
    };
    let is_mutex = matches!(op, Op::Lock { .. } | Op::Unlock { .. });
    let range = |first: u32, count: u32| match op {
        Op::Read { .. } => Touch::Read(first, count),
        Op::Write { .. } | Op::CompareAndSwap { .. } => Touch::Write(first, count),
        _ => Touch::Mutex(first, count),
    };
    match function.targets[pc] {
        Target::Nothing => Vec::new(),
        Target::Known => match place.as_constant().map(|index| program.constants[index]) {
            Some(Value::Shared(at) | Value::Mutex(at)) => vec![range(at, 1)],
            _ => unreachable!("a place that is known is a constant"),
        },
        Target::Array(array) => {
            let array = &program.arrays[array as usize];
            vec![range(array.first, array.count)]
        }
        Target::Anything => {
            let handed = program.arrays.iter().filter(|array| array.escapes && array.is_mutex == is_mutex);
            handed.map(|array| range(array.first, array.count)).collect()
        }
    }
}
