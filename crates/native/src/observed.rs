//! What invariants look at, in the text of the IR: before each plain store that may change it, a call to the floor makes that a
//! visible operation; the store itself stays plain, also for races. Which stores these are vm/src/observe.rs says. The addresses
//! of what is looked at are written into the text as constants, so that the linker finds also what has no name outside.

use std::fmt::Write;
use std::ops::Range;

use threadbare_core::Role;
use threadbare_ir::{Callee, Const, InstKind, Module, Ordering, Type, Value};
use threadbare_vm::{Linked, LoadError, OBSERVED, Reads, Sight, Sources, Variable, Wanted, place_of, size_of, watch};

use crate::copies::length;
use crate::edit::Edit;
use crate::image::Image;

pub const ANNOUNCE: &str = "__tb_observed";
const SIGHT: &str = "__tb_sight.";
const FUNCTION: &str = "__tb_invariant.";

/// A function of the program that is to hold in every state.
pub struct Watched {
    pub name: String,
    /// As the linker calls it, and whether it gives a `_Bool`.
    symbol: String,
    is_bool: bool,
    function: (usize, usize),
    /// Variable, offset, and size if it is not all of it. `None`: everything.
    spots: Option<Vec<(Variable, u64, Option<u64>)>>,
}

/// The same in the program that was loaded.
pub struct Invariant {
    pub name: String,
    pub address: u64,
    pub is_bool: bool,
    pub sight: Sight,
}

/// Finds out what the invariants read, and marks the stores that may change it.
pub fn find(linked: &mut Linked, sources: &Sources) -> Result<Vec<Watched>, LoadError> {
    let wanted: Vec<Wanted> =
        sources.invariants.iter().map(|name| Wanted { function: name, name, role: Role::Invariant }).collect();
    let watched = watch(linked, &wanted)?;
    let found = watched.into_iter().map(|it| {
        let spots = match &it.reads {
            Reads::Everything => None,
            Reads::Variables { whole, parts } => {
                let parts = parts.iter().map(|(m, constant, ty)| {
                    let size = size_of(&linked.modules[*m].types, *ty);
                    place_of(linked, *m, constant).map(|(variable, offset)| (variable, offset, size))
                });
                whole.iter().map(|&variable| Some((variable, 0, None))).chain(parts).collect()
            }
        };
        let module = &linked.modules[it.function.0];
        let code = &module.functions[it.function.1];
        let is_bool = *module.types.get(code.ret) == Type::Int(1);
        Watched { symbol: code.name.clone(), name: it.name, is_bool, function: it.function, spots }
    });
    Ok(found.collect())
}

/// Announces the marked stores of a module; where every access is visible, those that are made in one go and are not.
pub fn announce(module: &Module, every_access: bool, edit: &mut Edit) {
    for inst in module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.insts) {
        let line = inst.text_line as usize - 1;
        let found = match &inst.kind {
            InstKind::Store { value, ordering: Ordering::Observed, .. } if !every_access => {
                stored_to(&edit.lines[line])
                    .and_then(|operand| Some((operand, size_of(&module.types, value.ty)?.to_string())))
            }
            InstKind::Call(call) if is_observed(call.args.get(3).map(|arg| &arg.operand.value)) => {
                moved_to(&edit.lines[line], &call.callee)
            }
            _ => None,
        };
        if let Some((operand, size)) = found {
            let place = edit.place(line);
            edit.before(line, &format!("  call void @{ANNOUNCE}(ptr {operand}, i64 {size}){place}\n"));
            edit.declare(&format!("void @{ANNOUNCE}(ptr, i64)"));
        }
    }
}

/// Writes down where what is looked at is.
pub fn locate_in(m: usize, watched: &[Watched], linked: &Linked, edit: &mut Edit) {
    let mut constants = String::new();
    for (i, invariant) in watched.iter().enumerate() {
        let mut constant = |kind: &str, number: usize, name: &str| {
            let _ = writeln!(constants, "@\"{kind}{i}.{number}\" = constant ptr @\"{name}\"");
        };
        if invariant.function.0 == m {
            constant(FUNCTION, 0, &invariant.symbol);
        }
        for (number, ((of, g), ..)) in invariant.spots.iter().flatten().enumerate() {
            if *of == m {
                constant(SIGHT, number, &linked.modules[m].globals[*g].name);
            }
        }
    }
    edit.append(&constants);
}

fn is_observed(value: Option<&Value>) -> bool {
    matches!(value, Some(Value::Const(Const::Int(OBSERVED))))
}

/// Where `store TYPE VALUE, ptr OPERAND, …` stores.
fn stored_to(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("store ")?;
    let pointer = rest[length(rest)..].strip_prefix(", ptr ")?;
    Some(pointer[..length(pointer)].to_string())
}

/// Destination and size of a call that moves memory, unless that is taken apart already.
fn moved_to(line: &str, callee: &Callee) -> Option<(String, String)> {
    let Callee::Value(Value::Const(Const::Global(name))) = callee else { return None };
    if !name.starts_with("llvm.mem") || line.starts_with(';') {
        // A fourth argument that happens to be the mark.
        return None;
    }
    let [to, _, size] = operands_of_move(line)?;
    Some((to, size))
}

/// Destination, source or byte, and size of `call void @llvm.memcpy…(ptr align 8 TO, ptr FROM, i64 SIZE, …)`.
pub fn operands_of_move(line: &str) -> Option<[String; 3]> {
    let (_, rest) = line.split_once("@llvm.mem")?;
    let (_, rest) = rest.split_once('(')?;
    let to = operand(&rest[..length(rest)])?;
    let behind = rest[length(rest)..].strip_prefix(", ")?;
    let second = &behind[..length(behind)];
    let second = operand(second).or_else(|| second.strip_prefix("i8 "))?;
    let size = behind[length(behind)..].strip_prefix(", ")?;
    let size = &size[..length(size)];
    Some([to, second, size.strip_prefix("i64 ")?].map(String::from))
}

/// An argument without its type and attributes.
fn operand(argument: &str) -> Option<&str> {
    let starts = [" %", " @", " getelementptr", " inttoptr", " null"];
    let at = starts.iter().filter_map(|start| argument.find(start)).min()?;
    Some(argument[at..].trim())
}

/// The invariants by their addresses in the loaded program.
pub fn locate(watched: Vec<Watched>, image: &Image) -> Option<Vec<Invariant>> {
    let pointer = |name: String| {
        let at = image.named(&name)?;
        // SAFETY: a constant of the object.
        Some(unsafe { *(at as *const u64) })
    };
    let mut found = Vec::new();
    for (i, invariant) in watched.into_iter().enumerate() {
        let sight = match &invariant.spots {
            None => Sight::Everything,
            Some(spots) => {
                let ranges = spots.iter().enumerate().map(|(number, (_, offset, size))| {
                    let start = pointer(format!("{SIGHT}{i}.{number}"))?;
                    let size = size.or_else(|| image.described_size(start))?;
                    Some(start.wrapping_add(*offset)..start.wrapping_add(*offset) + size)
                });
                Sight::Ranges(ranges.collect::<Option<Vec<Range<u64>>>>()?)
            }
        };
        let address = pointer(format!("{FUNCTION}{i}.0"))?;
        found.push(Invariant { name: invariant.name, address, is_bool: invariant.is_bool, sight });
    }
    Some(found)
}
