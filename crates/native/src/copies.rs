//! A structure that is passed by value in memory is copied by the code of the call itself, which ThreadSanitizer's pass does
//! not announce. So it is copied before, by a function of the floor that does, to a variable of the caller's, and the call
//! copies that: nobody else knows it.

use threadbare_ir::{Function, Inst, InstKind, Module};

use crate::edit::Edit;

const COPY: &str = "__tbl_memcpy";

/// Whether the call copies a structure, and that can be announced. A call that takes its caller's place has no room for it.
pub fn can_be_announced(inst: &Inst) -> bool {
    matches!(&inst.kind, InstKind::Call(call) if !call.must_tail)
}

fn passes_by_value(inst: &Inst) -> bool {
    matches!(&inst.kind, InstKind::Call(call) if call.args.iter().any(|arg| arg.attrs.byval.is_some()))
}

pub fn announce(module: &Module, edit: &mut Edit) {
    let mut number = 0;
    for function in &module.functions {
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            if passes_by_value(inst) && can_be_announced(inst) {
                announce_in(function, inst.text_line as usize - 1, &mut number, edit);
            }
        }
    }
    if number > 0 {
        edit.declare(&format!("void @{COPY}(ptr, ptr, i64)"));
    }
}

fn announce_in(function: &Function, line: usize, number: &mut usize, edit: &mut Edit) {
    let first = function.blocks[0].insts[0].text_line as usize - 1;
    let (text, place) = (edit.lines[line].clone(), edit.place(line));
    let mut result = String::new();
    let mut rest = text.as_str();
    while let Some(argument) = Argument::first_in(rest) {
        let Argument { before, ty, between, operand, after } = argument;
        let copy = format!("%tb.copy.{number}");
        *number += 1;
        // On a stack everything has this alignment, unless it needs a larger one.
        let align = between.trim().strip_prefix("align ").and_then(|n| n.trim().parse::<u32>().ok()).unwrap_or(8);
        edit.before(first, &format!("  {copy} = alloca {ty}, align {}\n", align.max(8)));
        let size = format!("ptrtoint (ptr getelementptr ({ty}, ptr null, i64 1) to i64)");
        edit.before(line, &format!("  call void @{COPY}(ptr {copy}, ptr {operand}, i64 {size}){place}\n"));
        result += &format!("{before}byval({ty}){between}{copy}");
        rest = after;
    }
    edit.lines[line] = result + rest;
}

/// An argument of a call that is passed by value: `ptr noundef byval(TYPE) align 8 OPERAND`.
#[derive(PartialEq, Debug)]
struct Argument<'t> {
    before: &'t str,
    ty: &'t str,
    /// With spaces around it.
    between: &'t str,
    operand: &'t str,
    after: &'t str,
}

impl<'t> Argument<'t> {
    fn first_in(text: &'t str) -> Option<Argument<'t>> {
        let (before, rest) = text.split_once("byval(")?;
        let ty = &rest[..length(rest)];
        let rest = &rest[ty.len() + 1..];
        // Attributes end where a name or a constant begins.
        let attributes = rest
            .strip_prefix(" align ")
            .map_or(1, |n| " align ".len() + n.find(|c: char| !c.is_ascii_digit()).unwrap_or(0) + 1);
        let (between, rest) = rest.split_at(attributes.min(rest.len()));
        let operand = &rest[..length(rest)];
        Some(Argument { before, ty, between, operand, after: &rest[operand.len()..] })
    }
}

/// How far it is to the comma or bracket that ends what stands at the start.
pub fn length(text: &str) -> usize {
    let (mut depth, mut quoted) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' if depth > 0 => depth -= 1,
            ')' | ',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::edited;

    #[test]
    fn the_copy_is_announced_and_passed_on() {
        let text = "%struct.big = type { [9 x i64] }\n@g = global %struct.big zeroinitializer\n\
            declare void @take(ptr byval(%struct.big) align 8, i32, ptr byval({ i64, [4 x i32] }) align 16)\n\
            define void @call(ptr %p) {\nentry:\n  %x = add i32 1, 2\n\
              call void @take(ptr noundef byval(%struct.big) align 8 @g, i32 noundef %x, ptr noundef byval({ i64, [4 x i32] }) align 16 %p)\n\
              ret void\n}\n";
        let found = edited(text, announce);
        for line in [
            "  %tb.copy.0 = alloca %struct.big, align 8",
            "  %tb.copy.1 = alloca { i64, [4 x i32] }, align 16",
            "  call void @__tbl_memcpy(ptr %tb.copy.0, ptr @g, i64 ptrtoint (ptr getelementptr (%struct.big, ptr null, i64 1) to i64))",
            "  call void @take(ptr noundef byval(%struct.big) align 8 %tb.copy.0, i32 noundef %x, ptr noundef byval({ i64, [4 x i32] }) align 16 %tb.copy.1)",
            "declare void @__tbl_memcpy(ptr, ptr, i64)",
        ] {
            assert!(found.lines().any(|found| found.trim() == line.trim()), "{line} in\n{found}");
        }
    }
}
