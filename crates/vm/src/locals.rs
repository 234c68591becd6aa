//! The local variables of a frame, by their source names, with their values in C's notation.
//!
//! Debug records say from which operation on a variable is where. Between branches that disagree it is nowhere: a value
//! that may be of another moment is not shown, nor one of a block that has ended.

use rustc_hash::FxHashMap;
use threadbare_core::Tid;
use threadbare_ir::MdId;
use threadbare_ir::debug::{DiType, Encoding};

use crate::bytecode::{Function, Place, Program, Variable};
use crate::fault::CodePos;
use crate::liveness::successors;
use crate::machine::VmMachine;

/// The value of what was never set, or was computed from what was never set.
pub(crate) const UNDEFINED: &str = "(undefined)";

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
            let Some((m, ty)) = variable.ty else { continue };
            let bits = match variable.place {
                Place::Constant(bits) => Some((bits, 0)),
                Place::NeverSet => Some((0, u64::MAX)),
                Place::Unknown => None,
                // Whoever goes back does not restore it.
                Place::Slot(s) if self.program.functions[at.function as usize].in_vain.binary_search(&s).is_ok() => {
                    None
                }
                Place::Slot(s) => Some(slot(s)),
                Place::Address(s) => self.program.scalar_bytes(m, ty).and_then(|bytes| {
                    let (address, undefined) = slot(s);
                    if undefined == 0 { self.memory.load_n(address, bytes).ok() } else { None }
                }),
            };
            if let Some((bits, undefined)) = bits
                && let Some(value) = self.show(m, ty, bits, undefined)
            {
                values.push(LocalValue { name: variable.name.to_string(), value });
            }
        }
        values
    }

    /// The types of the variables of a frame that stands at `at` whose value is that address.
    pub(crate) fn pointers_to(&self, tid: Tid, at: CodePos, address: u64) -> Vec<(u16, MdId)> {
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

    pub(crate) fn show(&self, m: u16, ty: MdId, bits: u64, undefined: u64) -> Option<String> {
        let bytes = self.program.scalar_bytes(m, ty)?;
        let mask = crate::scalar::mask((bytes * 8) as u8);
        if undefined & mask != 0 {
            return Some(UNDEFINED.into());
        }
        let bits = bits & mask;
        let signed = crate::scalar::sext(bits, (bytes * 8) as u8);
        let module = &self.program.debug[m as usize];
        if let DiType::Typedef { name: "pthread_t" | "thrd_t", .. } = module.di_type(ty) {
            let tid = crate::visible::tid_of(bits).filter(|tid| tid.index() < self.names.len())?;
            return Some(self.thread_name(tid));
        }
        Some(match module.di_type(module.strip_di_type(ty)?) {
            DiType::Base { encoding, .. } => match encoding {
                Encoding::Boolean => (if bits == 0 { "false" } else { "true" }).into(),
                Encoding::Signed => signed.to_string(),
                Encoding::SignedChar | Encoding::UnsignedChar => match u8::try_from(bits) {
                    Ok(c) if c.is_ascii_graphic() || c == b' ' => format!("'{}'", c as char),
                    _ if encoding == Encoding::SignedChar => signed.to_string(),
                    _ => bits.to_string(),
                },
                Encoding::Float if bytes == 4 => f32::from_bits(bits as u32).to_string(),
                Encoding::Float if bytes == 8 => f64::from_bits(bits).to_string(),
                Encoding::Unsigned => bits.to_string(),
                _ => return None,
            },
            DiType::Pointer { .. } if bits == 0 => "NULL".into(),
            DiType::Pointer { to, .. } => {
                // The whole, not the first part of it, if it is as large as what the pointer points to.
                let whole = self.program.global_at(bits).filter(|(global, offset)| {
                    *offset == 0 && to.and_then(|to| module.di_size(to)) == Some(global.size)
                });
                match whole.map(|(global, _)| global.name.to_string()).or_else(|| self.program.variable_at(bits)) {
                    Some(name) => format!("&{name}"),
                    None => return None,
                }
            }
            DiType::Enum { enumerators, .. } => {
                match enumerators.iter().find(|(_, value)| *value == i128::from(signed) || *value == i128::from(bits)) {
                    Some((name, _)) => (*name).to_string(),
                    None => signed.to_string(),
                }
            }
            _ => return None,
        })
    }
}

impl Program {
    /// The number that a name of an enumeration stands for.
    pub(crate) fn enumerator(&self, m: u16, ty: MdId, name: &str) -> Option<i128> {
        let module = self.debug.get(m as usize)?;
        let DiType::Enum { enumerators, .. } = module.di_type(module.strip_di_type(ty)?) else { return None };
        enumerators.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
    }

    /// The size of a variable's type, if it is a scalar of up to 8 bytes.
    fn scalar_bytes(&self, m: u16, ty: MdId) -> Option<u32> {
        let module = self.debug.get(m as usize)?;
        let stripped = module.strip_di_type(ty)?;
        let bits = match module.di_type(stripped) {
            DiType::Base { bits, .. } | DiType::Pointer { bits, .. } | DiType::Enum { bits, .. } => bits,
            _ => return None,
        };
        (8..=64).contains(&bits).then_some(bits as u32 / 8)
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
