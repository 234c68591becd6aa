//! The local variables of a frame, by their source names, with their values in C's notation.
//!
//! Debug records say from which operation on a variable is where. Between branches that disagree it is nowhere: a value
//! that may be of another moment is not shown, nor one of a block that has ended.

use rustc_hash::FxHashMap;
use threadbare_core::Tid;

use crate::bytecode::{Function, Place, Program, Variable};
use crate::fault::CodePos;
use crate::liveness::successors;
use crate::machine::VmMachine;
use crate::scene::{Type, scalar_bytes, show};

/// `i = 3`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalValue {
    pub name: String,
    pub value: String,
}

impl VmMachine {
    /// The scalar variables of the innermost frame of `tid` that stands at `at`, in the order of their declaration.
    pub fn locals(&self, tid: Tid, at: CodePos) -> Vec<LocalValue> {
        let thread = self.thread(tid);
        let Some(frame) = thread.frames.iter().rev().find(|frame| frame.function == at.function) else {
            return Vec::new();
        };
        let slot = |slot: u16| {
            let at = frame.base as usize + slot as usize;
            (thread.slots[at], thread.undefined[at])
        };
        let mut values = Vec::new();
        for variable in variables_at(&self.program, at) {
            let Some(ty) = variable.ty else { continue };
            let bits = match variable.place {
                Place::Constant(bits) => Some((bits, 0)),
                Place::NeverSet => Some((0, u64::MAX)),
                Place::Unknown => None,
                // Whoever goes back does not restore it.
                Place::Slot(s) if self.program.functions[at.function as usize].in_vain.binary_search(&s).is_ok() => {
                    None
                }
                Place::Slot(s) => Some(slot(s)),
                Place::Address(s) => scalar_bytes(&self.program.debug, ty).and_then(|bytes| {
                    let (address, undefined) = slot(s);
                    if undefined == 0 { self.memory.load_n(address, bytes).ok() } else { None }
                }),
            };
            if let Some((bits, undefined)) = bits
                && let Some(value) = show(self, ty, bits, undefined)
            {
                values.push(LocalValue { name: variable.name.to_string(), value });
            }
        }
        values
    }

    /// The types of the variables of a frame that stands at `at` whose value is that address.
    pub(crate) fn pointers_to(&self, tid: Tid, at: CodePos, address: u64) -> Vec<Type> {
        let thread = self.thread(tid);
        let Some(frame) = thread.frames.iter().rev().find(|frame| frame.function == at.function) else {
            return Vec::new();
        };
        let slot = |slot: u16| thread.slots[frame.base as usize + slot as usize];
        let holds = |variable: &&Variable| match variable.place {
            Place::Constant(bits) => bits == address,
            Place::NeverSet | Place::Unknown => false,
            Place::Slot(s) => slot(s) == address,
            Place::Address(s) => self.memory.load_n(slot(s), 8).is_ok_and(|(bits, _)| bits == address),
        };
        variables_at(&self.program, at).into_iter().filter(holds).filter_map(|variable| variable.ty).collect()
    }
}

/// Whether two records say the same: code that was copied has copies of its records.
fn agree(function: &Function, a: Option<usize>, b: Option<usize>) -> bool {
    let says = |record: Option<usize>| record.map(|i| (function.variables[i].ty, function.variables[i].place));
    a == b || says(a) == says(b)
}

/// For each variable, the one record that holds at `at` whatever way led there. Forward data flow over the code.
pub(crate) fn variables_at<'p>(program: &'p Program, at: CodePos) -> Vec<&'p Variable> {
    let function = &program.functions[at.function as usize];
    if function.variables.is_empty() || function.code.len() > 50_000 {
        return Vec::new();
    }
    // Which record holds for each name; `None` is a conflict.
    type Known<'a> = FxHashMap<&'a str, Option<usize>>;
    // Records of each operation, by position.
    let mut records: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (i, variable) in function.variables.iter().enumerate() {
        records.entry(variable.pc).or_default().push(i);
    }
    let say = |known: &mut Known<'p>, pc: u32, behind: bool| {
        let said = records.get(&pc).into_iter().flatten().map(|&i| (i, &function.variables[i]));
        known.extend(said.filter(|(_, said)| said.behind == behind).map(|(i, said)| (&*said.name, Some(i))));
    };
    let mut before: Vec<Option<Known>> = vec![None; function.code.len()];
    before[0] = Some(Known::default());
    let mut work = vec![0u32];
    while let Some(pc) = work.pop() {
        let mut known = before[pc as usize].clone().expect("queued with a state");
        say(&mut known, pc, false);
        say(&mut known, pc, true);
        for next in successors(program, function, pc) {
            let changed = match &mut before[next as usize] {
                Some(old) => {
                    let mut changed = false;
                    for (name, record) in old.iter_mut() {
                        if record.is_some() && !agree(function, *record, known.get(name).copied().flatten()) {
                            *record = None;
                            changed = true;
                        }
                    }
                    changed
                }
                empty => {
                    *empty = Some(known.clone());
                    true
                }
            };
            if changed {
                work.push(next);
            }
        }
    }
    let Some(mut known) = before.get(at.pc as usize).cloned().flatten() else { return Vec::new() };
    say(&mut known, at.pc, false);
    let mut found: Vec<usize> = known.into_values().flatten().collect();
    // In the order of the source: by line, then as they first come up.
    found.sort_by_cached_key(|&i| {
        let Variable { name, declaration: (m, declaration), .. } = &function.variables[i];
        let line = program.debug[*m as usize].local_variable(*declaration).map_or(0, |variable| variable.line);
        (line, function.variables.iter().position(|variable| variable.name == *name))
    });
    let variables = found.into_iter().map(|i| &function.variables[i]);
    variables.filter(|variable| program.is_in_scope(variable.declaration, at)).collect()
}
