//! A thread that waits in a loop which only looks at plain memory never comes to a visible operation. As on the virtual
//! machine (vm/src/spins.rs says which loops these are, and why), each way back in such a loop gets a yield: here in the
//! text of the IR.

use threadbare_ir::{Block, InstKind, Module};
use threadbare_vm::{WayBack, waiting_loops};

use crate::edit::Edit;

const YIELD: &str = "@__tb_yield(";

/// Puts yields into the waiting loops of a module.
pub fn in_waiting_loops(module: &Module, edit: &mut Edit) {
    for (number, WayBack { function, from, to }) in waiting_loops(module).into_iter().enumerate() {
        let blocks = &module.functions[function].blocks;
        let (from, to) = (&blocks[from], &blocks[to]);
        let between = format!("tb.yield.{number}");
        let end = from.insts.last().expect("a block has an end");
        let first = end.text_line as usize - 1;
        let lines = &mut edit.lines;
        // A switch goes on until its list is closed.
        let last = match end.kind {
            InstKind::Switch { .. } => {
                (first..lines.len()).find(|&at| lines[at].trim_start().starts_with(']')).unwrap_or(first)
            }
            _ => first,
        };
        for line in &mut lines[first..=last] {
            *line = with_name(line, "label ", &label(to), &between);
        }
        for line in phis(to) {
            lines[line] = once(&with_name(&lines[line], ", ", &label(from), &between), &between);
        }
        let place = edit.place(last);
        let block = format!("\n{between}:\n  call void {YIELD}){place}\n  br label {}{place}\n", label(to));
        edit.behind(last, &block);
        edit.declare(&format!("void {YIELD})"));
    }
}

/// A block as jumps name it.
fn label(block: &Block) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-$._".contains(c);
    if block.name.chars().all(plain) { format!("%{}", block.name) } else { format!("%\"{}\"", block.name) }
}

/// The lines of its phis.
fn phis(block: &Block) -> impl Iterator<Item = usize> {
    let phis = block.insts.iter().take_while(|inst| matches!(inst.kind, InstKind::Phi { .. }));
    phis.map(|inst| inst.text_line as usize - 1)
}

/// The line with another block in the place of this one, where that is the whole name.
fn with_name(line: &str, before: &str, old: &str, new: &str) -> String {
    let name = format!("{before}{old}");
    let mut result = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(&name) {
        let (head, tail) = rest.split_at(at + name.len());
        if tail.starts_with(|c: char| c.is_ascii_alphanumeric() || "-$._".contains(c)) {
            result += head;
        } else {
            result += &format!("{}{before}%{new}", &head[..at]);
        }
        rest = tail;
    }
    result + rest
}

/// A phi with one entry for the block, which several ways may have led from before.
fn once(phi: &str, block: &str) -> String {
    let parts = phi.split_once("[ ").and_then(|(head, rest)| Some((head, rest.rsplit_once(" ]")?)));
    let Some((head, (list, tail))) = parts else { return phi.into() };
    let (end, mut seen) = (format!(", %{block}"), false);
    let is_first = |entry: &&str| !(entry.ends_with(&end) && std::mem::replace(&mut seen, true));
    let entries: Vec<&str> = list.split(" ], [ ").filter(is_first).collect();
    format!("{head}[ {} ]{tail}", entries.join(" ], [ "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_yields(module: &Module, text: &str) -> String {
        let mut edit = Edit::new(text);
        in_waiting_loops(module, &mut edit);
        edit.finish()
    }

    #[test]
    fn each_way_back_gets_a_yield() {
        let text = "@ready = global i32 0\n\
            define void @wait(i32 %n) {\nentry:\n  br label %loop\n\
            loop:\n  %k = phi i32 [ 0, %entry ], [ %k2, %loop ], [ %k2, %loop.2 ]\n  %k2 = add i32 %k, 1\n\
              %x = load i32, ptr @ready\n  switch i32 %x, label %out [\n    i32 0, label %loop\n    i32 1, label %loop.2\n  ], !dbg !7\n\
            loop.2:\n  br label %loop\n\
            out:\n  ret void\n}\n\
            !7 = !{}\n";
        let module = threadbare_ir::parse_bytes(text.as_bytes()).expect("it is IR");
        let found = with_yields(&module, text);
        for line in [
            "  %k = phi i32 [ 0, %entry ], [ %k2, %tb.yield.0 ], [ %k2, %tb.yield.1 ]",
            "    i32 0, label %tb.yield.0",
            "    i32 1, label %loop.2",
            "  call void @__tb_yield(), !dbg !7",
            "tb.yield.1:",
            "declare void @__tb_yield()",
        ] {
            assert!(found.lines().any(|found| found == line), "{line} in\n{found}");
        }
        assert_eq!(found.matches("br label %loop").count(), 3, "{found}");
    }

    #[test]
    fn two_ways_become_one() {
        let phi = "  %k = phi i32 [ 0, %entry ], [ %n, %y ], [ %n, %y ], !dbg !7";
        assert_eq!(once(phi, "y"), "  %k = phi i32 [ 0, %entry ], [ %n, %y ], !dbg !7");
        assert_eq!(once(phi, "entry"), phi);
    }

    #[test]
    fn what_counts_rounds_does_not_wait() {
        let text = "@ready = global i32 0\n\
            define i32 @count() {\nentry:\n  br label %loop\n\
            loop:\n  %k = phi i32 [ 0, %entry ], [ %k2, %loop ]\n  %k2 = add i32 %k, 1\n\
              %x = load i32, ptr @ready\n  %c = icmp eq i32 %x, %k2\n  br i1 %c, label %out, label %loop\n\
            out:\n  ret i32 %k\n}\n";
        let module = threadbare_ir::parse_bytes(text.as_bytes()).expect("it is IR");
        assert_eq!(with_yields(&module, text), text);
    }
}
