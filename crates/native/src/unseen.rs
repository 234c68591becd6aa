//! What ThreadSanitizer's pass does not announce. Accesses to `long double`, wide vectors and other types of unusual sizes are
//! announced here, in the text of the IR. What assembly code accesses nobody can tell: it is a visible operation that conflicts with
//! every access, and the verdict rests on it.

use threadbare_ir::{Callee, Function, Inst, InstKind, Module, Ordering, Type, TypeId, Value, operands};
use threadbare_vm::{LoadError, size_of};

use crate::assembly::{accesses_memory, is_harmless, only_changes};
use crate::copies::length;
use crate::edit::Edit;
use crate::own::Own;
use crate::scan::complaint;

/// Plain and volatile ones.
pub const READS: [&str; 2] = ["__tb_reads", "__tb_reads_volatile"];
pub const WRITES: [&str; 2] = ["__tb_writes", "__tb_writes_volatile"];
const ASSEMBLY: &str = "__tb_assembly";
/// So many bytes assembly changes at most of which that is known.
const CHANGED: u64 = 16;

/// The size of what an access accesses, if the pass knows none of that size: it knows 1, 2, 4, 8 and 16 bytes.
pub fn unusual_size(module: &Module, ty: TypeId) -> Option<u64> {
    let bits = match module.types.get(ty) {
        Type::Ptr => 64,
        Type::Int(1) => 8,
        Type::Int(bits) => u64::from(*bits),
        Type::Float(kind) => u64::from(kind.bits()),
        Type::Vector(n, element) => match module.types.get(*element) {
            Type::Int(bits) => n * u64::from(*bits),
            Type::Float(kind) => n * u64::from(kind.bits()),
            Type::Ptr => n * 64,
            _ => 0,
        },
        // A small structure, for which functions use two registers.
        _ => size_of(&module.types, ty).unwrap_or(0).saturating_mul(8),
    };
    (!matches!(bits, 8 | 16 | 32 | 64 | 128)).then(|| bits.div_ceil(8))
}

/// A variable that only loads and stores know: it will be in a register.
fn is_register(function: &Function, ptr: &Value) -> bool {
    let Value::Local(local) = ptr else { return false };
    let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
    let is_variable =
        insts.clone().any(|inst| inst.result == Some(*local) && matches!(inst.kind, InstKind::Alloca { .. }));
    is_variable
        && !insts.any(|inst| {
            let only_accessed = match &inst.kind {
                InstKind::Load { volatile, .. } => !volatile,
                InstKind::Store { value, volatile, .. } => !volatile && value.value != *ptr,
                _ => false,
            };
            let mut used = false;
            operands(&inst.kind, &mut |value| used |= value == ptr);
            used && !only_accessed
        })
}

/// Size, place and direction of an access that the pass does not announce.
struct Unseen<'m> {
    size: u64,
    ty: TypeId,
    ptr: &'m Value,
    function: &'static str,
}

impl<'m> Unseen<'m> {
    fn of(module: &Module, inst: &'m Inst) -> Option<Unseen<'m>> {
        match &inst.kind {
            InstKind::Load { ty, ptr, ordering: Ordering::NotAtomic, volatile, .. } => {
                Some(Unseen { size: unusual_size(module, *ty)?, ty: *ty, ptr, function: READS[usize::from(*volatile)] })
            }
            InstKind::Store { value, ptr, ordering: Ordering::NotAtomic, volatile, .. } => Some(Unseen {
                size: unusual_size(module, value.ty)?,
                ty: value.ty,
                ptr,
                function: WRITES[usize::from(*volatile)],
            }),
            _ => None,
        }
    }
}

/// Whether an access of an unusual size can be announced here.
pub fn can_be_announced(module: &Module, inst: &Inst) -> bool {
    Unseen::of(module, inst).is_some_and(|unseen| unseen.size > 0)
}

/// Announces what the pass does not.
pub fn announce(module: &Module, edit: &mut Edit) {
    for function in &module.functions {
        let own = Own::of(module, function);
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            let line = inst.text_line as usize - 1;
            let place = || edit.place(line);
            if let Some(unseen) = Unseen::of(module, inst)
                && !edit.lines[line].starts_with(';')
                && !is_register(function, unseen.ptr)
                && !own.has(unseen.ptr, unseen.ty)
            {
                let Unseen { size, function, .. } = unseen;
                let pointer = pointer(&edit.lines[line]).unwrap_or_default();
                let call = format!("  call void @{function}(ptr {pointer}, i64 {size}){}\n", place());
                edit.before(line, &call);
                edit.declare(&format!("void @{function}(ptr, i64)"));
            } else if let Some((template, constraints)) = unseen_assembly(inst) {
                let (pointer, size) = match only_changes(&edit.lines[line], template, constraints) {
                    Some(pointer) => (pointer, CHANGED),
                    None => ("null", 0),
                };
                let call = format!("  call void @{ASSEMBLY}(ptr {pointer}, i64 {size}){}\n", place());
                edit.before(line, &call);
                edit.declare(&format!("void @{ASSEMBLY}(ptr, i64)"));
            }
        }
    }
}

/// Text and constraints of assembly that may access memory.
fn unseen_assembly(inst: &Inst) -> Option<(&str, &str)> {
    let InstKind::Call(call) = &inst.kind else { return None };
    let Callee::Asm { template, constraints } = &call.callee else { return None };
    (!is_harmless(template) && accesses_memory(template, constraints)).then_some((template, constraints))
}

/// Whether there is any in the program.
pub fn in_any(modules: &[Module]) -> bool {
    pieces(modules).next().is_some()
}

/// The pointer of a load or store: the second of its operands.
fn pointer(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("load ").or_else(|| line.split_once("store "))?;
    let rest = rest[length(rest)..].strip_prefix(", ptr ")?;
    Some(&rest[..length(rest)])
}

/// Each piece of it.
fn pieces(modules: &[Module]) -> impl Iterator<Item = (&Module, &Function, &Inst)> {
    let functions = modules.iter().flat_map(|module| module.functions.iter().map(move |function| (module, function)));
    let insts = functions.flat_map(|(module, function)| {
        let insts = function.blocks.iter().flat_map(|block| &block.insts);
        insts.map(move |inst| (module, function, inst))
    });
    insts.filter(|(_, _, inst)| unseen_assembly(inst).is_some())
}

/// Complains of the first piece beside an invariant.
pub fn refuse_beside(invariant: &str, modules: &[Module]) -> Result<(), LoadError> {
    let Some((module, function, inst)) = pieces(modules).next() else { return Ok(()) };
    let what = format!("nobody sees when this assembly changes what the invariant `{invariant}` looks at");
    Err(complaint(module, function, inst, what))
}

/// What a verdict rests on.
pub fn assumption(modules: &[Module]) -> Option<String> {
    let place_of = |(module, function, inst): (&Module, &Function, &Inst)| {
        let place = inst.loc.or(function.subprogram).and_then(|loc| module.location(loc));
        place.map_or(format!("in `{}`", function.name), |place| {
            let file = place.file.rsplit('/').next().unwrap_or_default();
            format!("{file}:{}", place.line)
        })
    };
    let mut places: Vec<String> = pieces(modules).map(place_of).collect();
    places.dedup();
    let first = places.first()?;
    let more = match places.len() {
        1 => String::new(),
        2 => " and at one more place".into(),
        n => format!(" and at {} more places", n - 1),
    };
    Some(format!(
        "assembly code ({first}{more}) is executed, but nobody sees what it accesses: each statement is one step, in all orders with other \
         steps that access memory, and orders threads as a lock would; neither races with it nor its accesses outside of objects are found"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::edited;

    #[test]
    fn accesses_of_unusual_sizes_are_announced() {
        let text = "%pair = type { ptr, [2 x i64] }\n@g = global [4 x x86_fp80] zeroinitializer\n\
            define x86_fp80 @sum(ptr %p) {\nentry:\n  %x = alloca x86_fp80, align 16\n\
              %a = load x86_fp80, ptr %p, align 16\n  store x86_fp80 %a, ptr %x, align 16\n\
              store x86_fp80 %a, ptr getelementptr inbounds ([4 x x86_fp80], ptr @g, i64 0, i64 2), align 16\n\
              call void asm sideeffect \"lock; incl ($0)\", \"r,~{memory}\"(ptr %p)\n\
              call void asm sideeffect \"pause\", \"~{memory}\"()\n\
              %b = load x86_fp80, ptr %x, align 16\n  ret x86_fp80 %b\n}\n";
        let found = edited(text, announce);
        for line in [
            "call void @__tb_reads(ptr %p, i64 10)",
            "call void @__tb_writes(ptr getelementptr inbounds ([4 x x86_fp80], ptr @g, i64 0, i64 2), i64 10)",
            "call void @__tb_assembly(ptr %p, i64 16)",
        ] {
            assert_eq!(found.lines().filter(|found| found.trim() == line).count(), 1, "{line} in\n{found}");
        }
        assert!(!found.contains("(ptr %x, i64"), "a variable of its own function alone\n{found}");
        let module = threadbare_ir::parse_bytes(text.as_bytes()).expect("it is IR");
        assert!(assumption(&[module]).is_some_and(|words| words.contains("in `sum`")));
    }
}
