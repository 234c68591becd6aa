//! Values that go through memory only to become of another type: see vm/src/temporaries.rs. What they have left in the stack
//! would tell the first round of a waiting loop from the others. Here they become casts, too.

use rustc_hash::FxHashMap;
use threadbare_ir::{CastOp, InstKind, LocalId, Module, TypeId, Value};
use threadbare_vm::{cast, temporaries};

use crate::edit::Edit;

/// After all other changes: whole lines go.
pub fn become_casts(module: &Module, edit: &mut Edit) {
    for function in &module.functions {
        let is_temporary = temporaries(module, function);
        if !is_temporary.contains(&true) {
            continue;
        }
        for block in &function.blocks {
            let mut stored: FxHashMap<LocalId, (TypeId, String)> = FxHashMap::default();
            for inst in &block.insts {
                let line = inst.text_line as usize - 1;
                match &inst.kind {
                    InstKind::Store { ptr: Value::Local(to), value, .. } if is_temporary[to.0 as usize] => {
                        let text = std::mem::take(&mut edit.lines[line]);
                        let operand = text.split_once("store ").and_then(|(_, rest)| rest.rsplit_once(", ptr %"));
                        stored.insert(*to, (value.ty, operand.map_or("", |(operand, _)| operand).to_string()));
                    }
                    InstKind::Load { ptr: Value::Local(from), ty, .. } if is_temporary[from.0 as usize] => {
                        let (held, operand) = &stored[from];
                        let name = match cast(module, *held, *ty).expect("a type of that size") {
                            CastOp::PtrToInt => "ptrtoint",
                            CastOp::IntToPtr => "inttoptr",
                            _ => "bitcast",
                        };
                        let (text, place) = (&edit.lines[line], edit.place(line));
                        let (result, rest) = text.split_once(" = load ").expect("a load with a result");
                        let (to, _) = rest.split_once(", ptr %").expect("from a variable");
                        edit.lines[line] = format!("{result} = {name} {operand} to {to}{place}");
                    }
                    _ => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::edited;

    #[test]
    fn what_is_only_read_as_another_type_is_cast() {
        let text = "define ptr @f(ptr %p) {\n  %t = alloca ptr, align 8\n  %1 = load atomic i64, ptr %p seq_cst, align 8\n  \
                    store i64 %1, ptr %t, align 8\n  %2 = load ptr, ptr %t, align 8\n  ret ptr %2\n}\n";
        let found = edited(text, become_casts);
        assert!(found.contains("  %2 = inttoptr i64 %1 to ptr\n") && !found.contains("store"), "{found}");
    }

    #[test]
    fn a_variable_that_is_known_elsewhere_stays() {
        let text = "declare void @g(ptr)\ndefine ptr @f(i64 %v) {\n  %t = alloca ptr, align 8\n  store i64 %v, ptr %t, align 8\n  \
                    call void @g(ptr %t)\n  %w = load ptr, ptr %t, align 8\n  ret ptr %w\n}\n";
        assert_eq!(edited(text, become_casts), text);
    }
}
