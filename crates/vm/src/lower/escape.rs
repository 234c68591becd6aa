//! Whether the address of a stack object may outlive its frame.
//!
//! Where it cannot, the object's id is free again when the function returns: nobody can hold a pointer to the old one.
//! Where it may, the id rests, so that a use of the dead frame is recognised. The analysis follows derived pointers
//! within a function and, for pointers passed on, into the parameters of known callees; whatever it does not know
//! counts as escaping.

use rustc_hash::FxHashMap;
use threadbare_ir::{Callee, Const, Function, InstKind, LocalId, Value};

use super::Lowering;
use super::function::local_of;
use super::primitive;
use crate::link::Symbol;

#[derive(Default)]
pub struct Escapes {
    /// For each function, which of its locals escape; `None` while it is being looked at.
    known: FxHashMap<(usize, String), Option<Vec<bool>>>,
}

impl Lowering<'_> {
    pub(super) fn alloca_escapes(&mut self, m: usize, function: &Function, local: LocalId) -> bool {
        self.escaping(m, function).is_none_or(|escaping| escaping[local.0 as usize])
    }

    fn escaping(&mut self, m: usize, function: &Function) -> Option<Vec<bool>> {
        let key = (m, function.name.clone());
        if let Some(known) = self.escapes.known.get(&key) {
            return known.clone();
        }
        self.escapes.known.insert(key.clone(), None);
        let mut escaping = vec![false; function.local_types.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for inst in function.blocks.iter().rev().flat_map(|block| block.insts.iter().rev()) {
                let result = inst.result.is_some_and(|result| escaping[result.0 as usize]);
                let mut mark = |value: &Value, escapes: bool| {
                    if let (true, Some(local)) = (escapes, local_of(value)) {
                        changed |= !std::mem::replace(&mut escaping[local.0 as usize], true);
                    }
                };
                match &inst.kind {
                    // The address of an access goes nowhere; the stored value does.
                    InstKind::Load { .. } | InstKind::ICmp { .. } => {}
                    InstKind::Store { value, .. } => mark(&value.value, true),
                    InstKind::AtomicRmw { value, .. } => mark(&value.value, true),
                    InstKind::CmpXchg { expected, new, .. } => {
                        mark(&expected.value, true);
                        mark(new, true);
                    }
                    // A derived pointer escapes with its result.
                    InstKind::Gep { base, .. } => mark(&base.value, result),
                    InstKind::Phi { incoming, .. } => incoming.iter().for_each(|(value, _)| mark(value, result)),
                    InstKind::Select { then, els, .. } => {
                        mark(&then.value, result);
                        mark(els, result);
                    }
                    InstKind::Cast { from, .. } => mark(&from.value, result),
                    InstKind::Freeze(operand) => mark(&operand.value, result),
                    InstKind::Call(call) => {
                        let kept = self.kept_arguments(m, call);
                        for (arg, kept) in call.args.iter().zip(kept) {
                            mark(&arg.operand.value, kept);
                        }
                    }
                    InstKind::Dbg(_) => {}
                    kind => threadbare_ir::operands(kind, &mut |value| mark(value, true)),
                }
            }
        }
        self.escapes.known.insert(key, Some(escaping.clone()));
        Some(escaping)
    }

    /// For each argument of a call, whether the callee may keep or give back a pointer.
    fn kept_arguments(&mut self, m: usize, call: &threadbare_ir::Call) -> Vec<bool> {
        let n = call.args.len();
        let Callee::Value(Value::Const(Const::Global(name))) = &call.callee else {
            return vec![true; n];
        };
        if name.starts_with("llvm.") {
            let passes = ["llvm.ptrmask", "llvm.launder", "llvm.strip", "llvm.ptr.annotation", "llvm.ssa.copy"];
            return vec![passes.iter().any(|prefix| name.starts_with(prefix)); n];
        }
        match self.linked.resolve(m, name) {
            Some(Symbol::Function(m, f)) => {
                let callee = &self.linked.modules[m].functions[f];
                let escaping = self.escaping(m, callee);
                let kept = |i: usize| match &escaping {
                    Some(escaping) if i < callee.params.len() => escaping[i],
                    _ => true,
                };
                (0..n).map(kept).collect()
            }
            None if name.starts_with("__tb_") => vec![!primitive::keeps_no_pointer(name); n],
            _ => vec![true; n],
        }
    }
}
