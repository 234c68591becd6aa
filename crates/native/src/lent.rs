//! Variables of functions whose addresses are handed on: others may access them. ThreadSanitizer's pass of LLVM 19 asks of every address
//! by itself whether it is handed on, so that it passes over an element of an array, or a member of a structure, whose
//! variable others know. In the text of the IR the address of such a variable goes through a `freeze`, which does nothing
//! but that the pass does not see a variable of the function behind it any more. An array that may have a place elsewhere
//! (arrays.rs) gets its address here.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use threadbare_ir::{InstKind, Module};
use threadbare_vm::private_locals;

use crate::arrays;

/// The names of such variables, by the names of their functions.
pub struct Lent<'t>(FxHashMap<String, Vec<&'t str>>);

impl<'t> Lent<'t> {
    pub fn of(module: &Module, text: &'t str) -> Lent<'t> {
        let lines: Vec<&str> = text.lines().collect();
        let mut found = FxHashMap::default();
        for function in &module.functions {
            let private = private_locals(function);
            let insts = function.blocks.iter().flat_map(|block| &block.insts);
            let lent = insts.filter(|inst| {
                matches!(inst.kind, InstKind::Alloca { .. })
                    && inst.result.is_some_and(|local| !private[local.0 as usize])
            });
            let names = lent.filter_map(|inst| variable_of(lines[inst.text_line as usize - 1]));
            let names: Vec<&str> = names.collect();
            if !names.is_empty() {
                found.insert(function.name.clone(), names);
            }
        }
        Lent(found)
    }

    /// The text with whatever was added to it.
    pub fn show(&self, text: &str) -> String {
        let mut result = String::with_capacity(text.len() + text.len() / 8);
        let mut here: &[&str] = &[];
        for line in text.lines() {
            if line.starts_with("define ") {
                here = function_of(line).and_then(|name| self.0.get(name)).map_or(&[], Vec::as_slice);
            }
            let shown = if here.is_empty() || knows_the_variable(line) { line.into() } else { with_others(line, here) };
            result += &shown;
            result.push('\n');
            let number = variable_of(line).and_then(|name| here.iter().position(|lent| *lent == name));
            if let Some(number) = number {
                let freeze = || format!("freeze ptr {}", here[number]);
                let address = arrays::address(line, here[number]).unwrap_or_else(freeze);
                let _ = writeln!(result, "  {} = {address}", shown_as(number));
            }
        }
        result
    }
}

fn shown_as(number: usize) -> String {
    format!("%tb.lent.{number}")
}

/// The name in `  %name = alloca …`.
fn variable_of(line: &str) -> Option<&str> {
    line.split_once(" = alloca ").map(|(name, _)| name.trim_start()).filter(|name| name.starts_with('%'))
}

/// The name in `define … @name(…`.
fn function_of(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once('@')?;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split('(').next(),
    }
}

/// What is said of a variable, not of an address.
fn knows_the_variable(line: &str) -> bool {
    line.trim_start().starts_with("#dbg_")
        || ["@llvm.dbg.", "@llvm.lifetime.", " = alloca "].iter().any(|word| line.contains(word))
}

/// The line with other names in the place of these.
fn with_others(line: &str, names: &[&str]) -> String {
    let mut result = String::with_capacity(line.len() + 16);
    let mut rest = line;
    while let Some(at) = rest.find(['%', '"', ';']) {
        result += &rest[..at];
        rest = &rest[at..];
        let length = match rest.as_bytes() {
            // A comment.
            [b';', ..] => rest.len(),
            [b'%', b'"', ..] => 2 + quoted(&rest[2..]),
            [b'"', ..] => 1 + quoted(&rest[1..]),
            _ => {
                1 + rest[1..]
                    .find(|c: char| !c.is_ascii_alphanumeric() && !"-$._".contains(c))
                    .unwrap_or(rest.len() - 1)
            }
        };
        let (token, behind) = rest.split_at(length);
        match names.iter().position(|name| *name == token) {
            Some(number) => result += &shown_as(number),
            None => result += token,
        }
        rest = behind;
    }
    result + rest
}

/// How far it is behind the next quote.
fn quoted(text: &str) -> usize {
    text.find('"').map_or(text.len(), |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_variable_that_others_know_is_no_longer_seen_to_be_one() {
        let text = "declare void @use(ptr)\ndeclare void @llvm.lifetime.start.p0(i64, ptr)\n\
            define void @\"a b\"(ptr %p) {\nentry:\n  %c = alloca [4 x i32], align 4\n  %own = alloca [4 x i32], align 4\n  %\"q r\" = alloca i32\n\
              call void @llvm.lifetime.start.p0(i64 16, ptr %c)\n\
              %c.1 = getelementptr i32, ptr %c, i64 1\n  store i32 1, ptr %c.1, align 4\n  store ptr %c, ptr %\"q r\"\n\
              %own1 = getelementptr i32, ptr %own, i64 1\n  store i32 2, ptr %own1, align 4\n\
              call void asm sideeffect \"nop # %c\", \"\"()\n  call void @use(ptr %\"q r\")\n  ret void\n}\n\
            define void @other(ptr %c) {\nentry:\n  store i32 3, ptr %c\n  ret void\n}\n";
        let module = threadbare_ir::parse_bytes(text.as_bytes()).unwrap_or_else(|_| panic!("it is no IR"));
        let shown = Lent::of(&module, text).show(text);
        assert!(threadbare_ir::parse_bytes(shown.as_bytes()).is_ok(), "{shown}");
        let changed: Vec<&str> = shown.lines().filter(|line| !text.lines().any(|before| before == *line)).collect();
        assert_eq!(
            changed,
            [
                "  %tb.lent.0 = freeze ptr %c",
                "  %tb.lent.1 = freeze ptr %\"q r\"",
                "%c.1 = getelementptr i32, ptr %tb.lent.0, i64 1",
                "  store ptr %tb.lent.0, ptr %tb.lent.1",
                "  call void @use(ptr %tb.lent.1)",
            ]
        );
    }
}
