//! Atomic operations that ThreadSanitizer's pass does not announce: minimum and maximum, arithmetic on floating-point numbers,
//! counters that wrap. They become calls of the floor in the text of the IR, and the engine computes what they store. Whatever
//! atomic instruction is left when the pass is done would be no step, and nobody would notice: the program is refused then.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};
use threadbare_ir::{InstKind, Module, Ordering, RmwOp, Type};
use threadbare_vm::LoadError;

use crate::copies::length;
use crate::edit::Edit;
use crate::scan::{complaint, unsupported};

const RMW: &str = "__tb_rmw";

/// What a read-modify-write does, by the numbers of runtime/accesses.c: first those that the pass announces.
pub const OPERATIONS: [RmwOp; 17] = [
    RmwOp::Xchg,
    RmwOp::Add,
    RmwOp::Sub,
    RmwOp::And,
    RmwOp::Or,
    RmwOp::Xor,
    RmwOp::Nand,
    RmwOp::Max,
    RmwOp::Min,
    RmwOp::UMax,
    RmwOp::UMin,
    RmwOp::FAdd,
    RmwOp::FSub,
    RmwOp::FMax,
    RmwOp::FMin,
    RmwOp::UIncWrap,
    RmwOp::UDecWrap,
];
const ANNOUNCED: usize = 7;

fn number_of(op: RmwOp) -> usize {
    OPERATIONS.iter().position(|known| *known == op).expect("the list has all of them")
}

/// As C11 numbers them.
fn order_of(ordering: Ordering) -> usize {
    match ordering {
        Ordering::Acquire => 2,
        Ordering::Release => 3,
        Ordering::AcqRel => 4,
        Ordering::SeqCst => 5,
        _ => 0,
    }
}

/// Announces what the pass does not.
pub fn announce(module: &Module, edit: &mut Edit) {
    for inst in module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.insts) {
        let InstKind::AtomicRmw { op, value, ordering, .. } = &inst.kind else { continue };
        let number = number_of(*op);
        let (bits, is_float) = match module.types.get(value.ty) {
            Type::Int(bits) => (*bits, false),
            Type::Float(kind) => (kind.bits(), true),
            _ => continue,
        };
        if number < ANNOUNCED {
            continue;
        }
        let line = inst.text_line as usize - 1;
        let Some(Parts { result, pointer, ty, value }) = Parts::of(&edit.lines[line]) else { continue };
        let (name, place) = (format!("%tb.rmw.{line}"), edit.place(line));
        let what = (bits as usize / 8) | (order_of(*ordering) << 8) | (number << 16);
        let (widen, narrow) = if bits == 64 { ("bitcast", "bitcast") } else { ("zext", "trunc") };
        let word = format!("i{bits}");
        let mut text = String::new();
        let taken = if is_float { format!("{name}.word") } else { value.to_string() };
        if is_float {
            let _ = writeln!(text, "  {taken} = bitcast {ty} {value} to {word}{place}");
        }
        let _ = writeln!(text, "  {name}.value = {widen} {word} {taken} to i64{place}");
        let _ = writeln!(text, "  {name} = call i64 @{RMW}(ptr {pointer}, i64 {what}, i64 {name}.value){place}");
        let given = if is_float { format!("{name}.old") } else { result.to_string() };
        let _ = writeln!(text, "  {given} = {narrow} i64 {name} to {word}{place}");
        let last =
            if is_float { format!("  {result} = bitcast {word} {given} to {ty}{place}\n") } else { String::new() };
        edit.before(line, &(text + &last));
        edit.lines[line].insert(0, ';');
        edit.declare(&format!("i64 @{RMW}(ptr, i64, i64)"));
    }
}

/// `RESULT = atomicrmw OPERATION ptr POINTER, TYPE VALUE ORDERING, align N`.
#[derive(PartialEq, Debug)]
struct Parts<'t> {
    result: &'t str,
    pointer: &'t str,
    ty: &'t str,
    value: &'t str,
}

impl<'t> Parts<'t> {
    fn of(line: &'t str) -> Option<Parts<'t>> {
        let (result, rest) = line.split_once(" = atomicrmw ")?;
        let (_, rest) = rest.split_once("ptr ")?;
        let pointer = &rest[..length(rest)];
        let (ty, rest) = rest[pointer.len()..].strip_prefix(", ")?.split_once(' ')?;
        let (value, _ordering) = rest[..length(rest)].rsplit_once(' ')?;
        let value = value.strip_suffix(" syncscope(\"\")").unwrap_or(value);
        Some(Parts { result: result.trim_start(), pointer, ty, value })
    }
}

const LOAD: &str = "load atomic ";
const OTHERS: &[&str] = &["atomicrmw ", "cmpxchg ", "fence ", "store atomic "];

/// What is left of atomic instructions.
enum Left {
    /// Loads that the pass has announced: they stay where they were, and nobody needs what they give.
    InVain(FxHashSet<usize>),
    /// The line of one that is not announced.
    Unseen(usize),
}

fn left(text: &str) -> Left {
    let mut in_vain = FxHashSet::default();
    let mut loads: FxHashMap<&str, usize> = FxHashMap::default();
    let mut used: FxHashSet<&str> = FxHashSet::default();
    for (at, line) in text.lines().enumerate() {
        if line == "}" {
            if let Some(load) = used.iter().find_map(|name| loads.get(name)) {
                return Left::Unseen(*load);
            }
            in_vain.extend(loads.drain().map(|(_, at)| at));
            used.clear();
        }
        let Some(line) = line.strip_prefix("  ") else { continue };
        let (result, instruction) = line.split_once(" = ").filter(|_| line.starts_with('%')).unwrap_or(("", line));
        if instruction.starts_with(LOAD) {
            loads.insert(result, at);
        } else if OTHERS.iter().any(|words| instruction.starts_with(words)) {
            return Left::Unseen(at);
        }
        if !loads.is_empty() {
            used.extend(names(instruction));
        }
    }
    Left::InVain(in_vain)
}

/// The names of locals in an instruction.
fn names(instruction: &str) -> impl Iterator<Item = &str> {
    instruction.match_indices('%').map(|(at, _)| {
        let rest = &instruction[at + 1..];
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.find('"'));
        let ends = |c: char| !(c.is_ascii_alphanumeric() || "-$._".contains(c));
        let end = quoted.map_or_else(|| rest.find(ends).unwrap_or(rest.len()), |length| length + 2);
        &instruction[at..at + 1 + end]
    })
}

/// The text that has passed the pass without what it leaves in vain. Complains of an atomic instruction that nobody sees.
pub fn without_the_rest(text: &str) -> Result<String, LoadError> {
    let at = match left(text) {
        Left::Unseen(at) => at,
        Left::InVain(loads) => {
            let mut result = String::with_capacity(text.len());
            for (_, line) in text.lines().enumerate().filter(|(at, _)| !loads.contains(at)) {
                result.push_str(line);
                result.push('\n');
            }
            return Ok(result);
        }
    };
    let instruction = text.lines().nth(at).unwrap_or_default().trim();
    let what = format!("the native backend cannot see the atomic operation `{instruction}`");
    let module = threadbare_ir::parse_bytes(text.as_bytes()).map_err(|_| unsupported(what.clone(), None, 0))?;
    for function in &module.functions {
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            if inst.text_line as usize == at + 1 {
                return Err(complaint(&module, function, inst, what));
            }
        }
    }
    Err(unsupported(what, None, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::edited;

    #[test]
    fn what_the_pass_passes_over_becomes_a_call() {
        let text = "@g = global [2 x i32] zeroinitializer\n\
            define void @f(ptr %p, double %x) {\nentry:\n\
              %0 = atomicrmw max ptr getelementptr (i8, ptr @g, i64 4), i32 5 seq_cst, align 4\n\
              %1 = atomicrmw volatile umin ptr %p, i64 ptrtoint (ptr @g to i64) acq_rel, align 8\n\
              %2 = atomicrmw fadd ptr %p, double %x syncscope(\"\") monotonic, align 8\n\
              %3 = atomicrmw add ptr %p, i32 1 seq_cst, align 4\n\
              ret void\n}\n";
        let found = edited(text, announce);
        for line in [
            "%tb.rmw.3 = call i64 @__tb_rmw(ptr getelementptr (i8, ptr @g, i64 4), i64 460036, i64 %tb.rmw.3.value)",
            "%0 = trunc i64 %tb.rmw.3 to i32",
            "%tb.rmw.4.value = bitcast i64 ptrtoint (ptr @g to i64) to i64",
            "%tb.rmw.5.word = bitcast double %x to i64",
            "%2 = bitcast i64 %tb.rmw.5.old to double",
            "%3 = atomicrmw add ptr %p, i32 1 seq_cst, align 4",
        ] {
            assert!(found.lines().any(|found| found.trim() == line), "{line} in\n{found}");
        }
    }

    #[test]
    fn an_atomic_instruction_that_is_left_is_refused() {
        let text = |instruction: &str| format!("define void @f(ptr %p) {{\nentry:\n  {instruction}\n  ret void\n}}\n");
        for left in [
            "%0 = atomicrmw max ptr %p, i32 5 seq_cst, align 4",
            "%old = cmpxchg weak ptr %p, i32 5, i32 6 seq_cst seq_cst, align 4",
            "fence acquire",
            "%\"a b\" = load atomic i32, ptr %p acquire, align 4\n  call void @g(i32 %\"a b\")",
            "store atomic i32 1, ptr %p release, align 4",
        ] {
            let refused = without_the_rest(&text(left)).err().map(|error| error.to_string());
            assert!(refused.is_some_and(|words| words.contains(left.lines().next().unwrap_or_default())), "{left}");
        }
        let announced = "%0 = call i32 @__tsan_atomic32_load(ptr %p, i32 5)\n  %1 = load atomic i32, ptr %p seq_cst, align 4\n  \
            call void @g(i32 %0, i32 %10)";
        let rest = without_the_rest(&text(announced)).expect("all are announced");
        assert!(rest.contains("call i32 @__tsan") && !rest.contains("load atomic"), "{rest}");
        assert!(without_the_rest(&text("store i32 1, ptr %p, align 4 ; fence acquire")).is_ok());
    }
}
