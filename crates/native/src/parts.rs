//! Copies in parts, in the text of the IR: which ones, and into which, vm/src/parts.rs says.

use std::fmt::Write;

use threadbare_ir::Module;
use threadbare_vm::{Move, Part, moves};

use crate::edit::Edit;
use crate::observed::operands_of_move;

/// Takes them apart. What stood there stays as a comment, as lines keep their numbers.
pub fn take_apart(module: &Module, every_access: bool, edit: &mut Edit) {
    for (number, (line, found)) in moves(module, every_access).into_iter().enumerate() {
        let line = line as usize - 1;
        if let Some([to, from, _]) = operands_of_move(&edit.lines[line]) {
            let text = in_parts(number, &found, &to, &from, &edit.place(line));
            edit.before(line, &text);
            edit.lines[line].insert(0, ';');
        }
    }
}

fn in_parts(number: usize, found: &Move, to: &str, from: &str, debug: &str) -> String {
    let (mut loads, mut stores) = (String::new(), String::new());
    let [to_volatile, from_volatile] = found.volatile.map(|volatile| if volatile { "volatile " } else { "" });
    for Part { offset, bytes } in &found.parts {
        let (bits, name) = (8 * bytes, format!("%tb.part.{number}.{offset}"));
        let value = match found.filling(*bytes) {
            Some(word) => word.to_string(),
            None => {
                let _ = writeln!(loads, "  {name}.from = getelementptr i8, ptr {from}, i64 {offset}{debug}");
                let _ =
                    writeln!(loads, "  {name} = load {from_volatile}i{bits}, ptr {name}.from, align {bytes}{debug}");
                name.clone()
            }
        };
        let _ = writeln!(stores, "  {name}.to = getelementptr i8, ptr {to}, i64 {offset}{debug}");
        let _ = writeln!(stores, "  store {to_volatile}i{bits} {value}, ptr {name}.to, align {bytes}{debug}");
        if !found.loads_first {
            loads += &std::mem::take(&mut stores);
        }
    }
    loads + &stores
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::edited;

    #[test]
    fn a_copy_of_shared_memory_becomes_loads_and_stores() {
        let text = "@g = global [12 x i8] zeroinitializer\n\
            declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n\
            declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n\
            define void @f(ptr %p) {\nentry:\n\
              call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p, ptr align 4 getelementptr (i8, ptr @g, i64 4), i64 6, i1 false)\n\
              call void @llvm.memset.p0.i64(ptr align 4 %p, i8 1, i64 4, i1 false)\n\
              ret void\n}\n";
        let found = edited(text, |module, edit| take_apart(module, true, edit));
        for line in [
            "%tb.part.0.0.from = getelementptr i8, ptr getelementptr (i8, ptr @g, i64 4), i64 0",
            "%tb.part.0.4 = load i16, ptr %tb.part.0.4.from, align 2",
            "store i16 %tb.part.0.4, ptr %tb.part.0.4.to, align 2",
            "store i32 16843009, ptr %tb.part.1.0.to, align 4",
        ] {
            assert!(found.lines().any(|found| found.trim() == line), "{line} in\n{found}");
        }
        let read = threadbare_ir::parse_bytes(found.as_bytes()).expect("it is IR still");
        assert_eq!(moves(&read, true), []);
    }
}
