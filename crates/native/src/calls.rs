//! Calls by pointers: what is called must be a function of the type that the call has. Before each such call the floor is told what
//! it gives and takes, by a number; a function that it has found right once is right for ever. Of calls by name, which optimisers make of
//! calls by pointers, only those are announced that do not fit.

use threadbare_core::{FaultKind, Tid};
use threadbare_ir::{Callee, Const, InstKind, Value};
use threadbare_vm::{Linked, Signature, Symbol};

use crate::edit::Edit;
use crate::fault::Fault;
use crate::run::Run;

const CALL: &str = "__tb_call";

/// Addresses below are numbers that were taken for functions.
const LOWEST: u64 = 1 << 32;

/// Announces the calls of a module. `kinds` are the signatures by their numbers.
pub fn announce(linked: &Linked, m: usize, kinds: &mut Vec<Signature>, edit: &mut Edit) {
    let module = &linked.modules[m];
    for inst in module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.insts) {
        let InstKind::Call(call) = &inst.kind else { continue };
        let Callee::Value(callee) = &call.callee else { continue };
        let Some(kind) = Signature::of_call(module, call) else { continue };
        if let Value::Const(Const::Global(name)) = callee {
            let fits = match linked.resolve(m, name) {
                Some(Symbol::Function(of, f)) => {
                    let function = Signature::of_function(&linked.modules[of], &linked.modules[of].functions[f]);
                    function.is_none_or(|function| function.misfit(&kind).is_none())
                }
                Some(Symbol::Global(..)) => false,
                _ => true,
            };
            if fits {
                continue;
            }
        }
        let line = inst.text_line as usize - 1;
        let Some(callee) = callee_in(&edit.lines[line]) else { continue };
        let number = kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
            kinds.push(kind);
            kinds.len() - 1
        });
        let text = format!("  call void @{CALL}(ptr {callee}, i64 {number}){}\n", edit.place(line));
        edit.before(line, &text);
        edit.declare(&format!("void @{CALL}(ptr, i64)"));
    }
}

/// The name before the arguments of a call. Types have a space there.
pub fn callee_in(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("call ")?;
    let starts =
        rest.char_indices().filter(|(at, c)| matches!(c, '%' | '@') && (*at == 0 || rest[..*at].ends_with(' ')));
    for (at, _) in starts {
        let name = &rest[at..];
        let length = match name[1..].strip_prefix('"') {
            Some(quoted) => quoted.find('"')? + 3,
            None => {
                let ends = |c: char| !(c.is_ascii_alphanumeric() || "-$._".contains(c));
                name[1..].find(ends).map_or(name.len(), |length| length + 1)
            }
        };
        if name[length..].starts_with('(') {
            return Some(&name[..length]);
        }
    }
    None
}

impl Run {
    /// A thread is about to call something by a pointer, or what does not fit.
    pub fn look_at_call(&self, tid: Tid) -> Result<(), Box<Fault>> {
        let [address, kind, ..] = self.threads[tid.index()].fiber.arguments;
        let image = &self.program.image;
        let symbol = image.symbol(address).filter(|symbol| symbol.is_function);
        let (error, message) = match symbol {
            _ if address == 0 => (FaultKind::NullDereference, "call through a null function pointer".into()),
            _ if image.is_foreign_code(address) => return Ok(()),
            Some(symbol) if symbol.address == address => {
                let signature = self.program.signatures.get(&symbol.name);
                let Some(differs) = signature.and_then(|it| it.misfit(&self.program.calls[kind as usize])) else {
                    return Ok(());
                };
                let name = &symbol.name;
                (FaultKind::Crash, format!("`{name}` is called through a pointer of another type: {differs}"))
            }
            // Code of which nobody knows the name.
            None if image.is_code(address) => return Ok(()),
            _ if address < LOWEST => {
                (FaultKind::Crash, format!("call of the address {address:#x}, which is not a function"))
            }
            _ => (FaultKind::Crash, "call through a pointer that is not a function".into()),
        };
        let mut fault = self.fault(tid, error, message);
        fault.subject = self.object_at(address);
        Err(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_what_is_called() {
        for (line, name) in [
            ("  %r = call i32 %f(i32 noundef 3), !dbg !7", "%f"),
            ("  call void (ptr, ...) %2(ptr noundef @.str, i32 1) #3", "%2"),
            ("  %r = tail call { i64, double } @twice(ptr noundef byval(%struct.s) align 8 %p)", "@twice"),
            ("  %r = call %struct.pair %\"a b\"(ptr %x)", "%\"a b\""),
        ] {
            assert_eq!(callee_in(line), Some(name), "{line}");
        }
        assert_eq!(callee_in("  call void inttoptr (i64 5 to ptr)()"), None);
    }
}
