//! Arrays of variable length, and what `alloca` gives. AddressSanitizer's pass leaves them on the stack, where the next function has its own.
//! So those whose address is handed on get a place from the floor, as variables of fixed size do (runtime/frames.c), and lose it with
//! their block (`llvm.stackrestore`) or their function. Where the floor has none, they lie on the stack as ever.

use std::fmt::Write;

use threadbare_ir::{Callee, Const, DbgKind, Function, Inst, InstKind, LocalId, Module, Value};
use threadbare_vm::private_locals;

use crate::copies::length;
use crate::edit::Edit;

const PLACE: &str = "__tb_array";
const BLOCK_ENDS: &str = "__tb_arrays_of_block_end";
const FUNCTION_ENDS: &str = "__tb_arrays_of_function_end";
/// Where the floor's places begin.
const ALIGN: u32 = 64;
/// In the place of a name: it has none.
pub const NAMELESS: &str = "?";

pub fn give_places(module: &Module, edit: &mut Edit) {
    for function in &module.functions {
        give_places_in(module, function, edit);
    }
}

fn give_places_in(module: &Module, function: &Function, edit: &mut Edit) {
    let insts = || function.blocks.iter().flat_map(|block| &block.insts);
    let is_dynamic =
        |inst: &&Inst| matches!(&inst.kind, InstKind::Alloca { count: Some(_), align, .. } if *align <= ALIGN);
    let in_the_way = |inst: &Inst| matches!(&inst.kind, InstKind::Call(call) if call.must_tail);
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\');
    if !insts().any(|inst| is_dynamic(&inst)) || insts().any(in_the_way) || !function.name.chars().all(is_plain) {
        return;
    }
    let private = private_locals(function);
    let mut found = false;
    for inst in insts().filter(is_dynamic) {
        let Some(local) = inst.result.filter(|local| !private[local.0 as usize]) else { continue };
        let line = inst.text_line as usize - 1;
        let Some(Parts { result, ty, count }) = Parts::of(&edit.lines[line]) else { continue };
        let (name, place) = (format!("tb.array.{line}"), edit.place(line));
        let align = edit.lines[line].split_once(", align ").map_or("16", |(_, rest)| &rest[..length(rest)]);
        let size = format!("ptrtoint (ptr getelementptr ({ty}, ptr null, i64 1) to i64)");
        let kept = format!("  {result} = alloca i8, i64 %{name}.left, align {align}{place}");
        let mut text = String::new();
        let mut compute = |result: &str, how: String| {
            let _ = writeln!(text, "  %{name}{result} = {how}{place}");
        };
        compute(".size", format!("mul i64 {count}, {size}"));
        compute("", format!("call ptr @{PLACE}(i64 %{name}.size, ptr @{name}, ptr @\"{}\")", function.name));
        compute(".none", format!("icmp eq ptr %{name}, null"));
        compute(".left", format!("select i1 %{name}.none, i64 %{name}.size, i64 0"));
        let described = format!("1 {ALIGN} ? {}", described(module, function, inst, local));
        edit.before(line, &text);
        edit.lines[line] = kept;
        edit.append(&format!(
            "@{name} = private unnamed_addr constant [{} x i8] c\"{described}\\00\"\n",
            described.len() + 1
        ));
        found = true;
    }
    if !found {
        return;
    }
    edit.declare(&format!("ptr @{PLACE}(i64, ptr, ptr)"));
    edit.declare(&format!("void @{FUNCTION_ENDS}()"));
    edit.declare(&format!("void @{BLOCK_ENDS}(ptr)"));
    for inst in insts() {
        let line = inst.text_line as usize - 1;
        let place = edit.place(line);
        if matches!(inst.kind, InstKind::Ret(_)) {
            edit.before(line, &format!("  call void @{FUNCTION_ENDS}(){place}\n"));
        } else if restores_stack(inst)
            && let Some((_, rest)) = edit.lines[line].split_once("(ptr ")
        {
            let saved = &rest[..length(rest)];
            let text = format!("  call void @{BLOCK_ENDS}(ptr {saved}){place}\n");
            edit.before(line, &text);
        }
    }
}

fn restores_stack(inst: &Inst) -> bool {
    let InstKind::Call(call) = &inst.kind else { return false };
    matches!(&call.callee, Callee::Value(Value::Const(Const::Global(name))) if name.starts_with("llvm.stackrestore"))
}

/// As the pass describes variables in frames: the length of the name with the line, and these.
fn described(module: &Module, function: &Function, inst: &Inst, local: LocalId) -> String {
    let mut records = function.blocks.iter().flat_map(|block| &block.insts).filter_map(|inst| match &inst.kind {
        InstKind::Dbg(record) if record.kind == DbgKind::Declare => record.value.as_ref(),
        _ => None,
    });
    let name = &function.local_names[local.0 as usize];
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "-$._".contains(c));
    let is_declared = records.any(|operand| operand.value == Value::Local(local));
    let name = if is_plain && is_declared { name } else { NAMELESS };
    let line = inst.loc.and_then(|loc| module.location(loc)).map_or(0, |place| place.line);
    let text = format!("{name}:{line}");
    format!("{} {text}", text.len())
}

/// `RESULT = alloca TYPE, i64 COUNT, align N`.
struct Parts<'t> {
    result: &'t str,
    ty: &'t str,
    count: &'t str,
}

impl<'t> Parts<'t> {
    fn of(line: &'t str) -> Option<Parts<'t>> {
        let (result, rest) = line.split_once(" = alloca ")?;
        let ty = &rest[..length(rest)];
        let rest = rest[ty.len()..].strip_prefix(", i64 ")?;
        Some(Parts { result: result.trim_start(), ty, count: &rest[..length(rest)] })
    }
}

/// What the address of a variable is, if this is the line of an array that may have a place: `VARIABLE = alloca …`.
pub fn address(line: &str, variable: &str) -> Option<String> {
    let (_, rest) = line.split_once(" = alloca i8, i64 %tb.array.")?;
    let number = rest.split_once(".left,")?.0;
    Some(format!("select i1 %tb.array.{number}.none, ptr {variable}, ptr %tb.array.{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::edited;

    #[test]
    fn an_array_whose_address_is_handed_on_asks_for_a_place() {
        let text = "declare void @use(ptr)\ndeclare ptr @llvm.stacksave.p0()\ndeclare void @llvm.stackrestore.p0(ptr)\n\
            define void @f(i64 %n) {\nentry:\n  %own = alloca i32, i64 %n, align 16\n  store i32 1, ptr %own, align 4\n\
              %s = call ptr @llvm.stacksave.p0()\n  %lent = alloca [2 x i32], i64 %n, align 16\n  call void @use(ptr %lent)\n\
              call void @llvm.stackrestore.p0(ptr %s)\n  ret void\n}\n";
        let found = edited(text, give_places);
        for line in [
            "%own = alloca i32, i64 %n, align 16",
            "%tb.array.8.size = mul i64 %n, ptrtoint (ptr getelementptr ([2 x i32], ptr null, i64 1) to i64)",
            "%tb.array.8 = call ptr @__tb_array(i64 %tb.array.8.size, ptr @tb.array.8, ptr @\"f\")",
            "%tb.array.8.left = select i1 %tb.array.8.none, i64 %tb.array.8.size, i64 0",
            "%lent = alloca i8, i64 %tb.array.8.left, align 16",
            "call void @__tb_arrays_of_block_end(ptr %s)",
            "call void @__tb_arrays_of_function_end()",
            "@tb.array.8 = private unnamed_addr constant [13 x i8] c\"1 64 ? 3 ?:0\\00\"",
        ] {
            assert!(found.lines().any(|found| found.trim() == line), "{line} in\n{found}");
        }
        let line = found.lines().find(|line| line.contains("%lent = ")).unwrap_or_default();
        assert_eq!(address(line, "%lent").as_deref(), Some("select i1 %tb.array.8.none, ptr %lent, ptr %tb.array.8"));
    }
}
