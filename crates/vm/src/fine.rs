//! Every access a visible operation (`--races allow`): the plain loads and stores of the program become atomic ones
//! before lowering, but for variables of a function whose address goes nowhere. Copies are such loads and stores by now (parts.rs).
//! Library functions, and copies that are long, stay as they are: where one of them meets somebody else's access without an
//! order, the race detector finds out, and the program is refused.

use threadbare_ir::{Callee, Const, Function, InstKind, Ordering, Value};

use crate::link::Linked;

pub fn make_accesses_visible(linked: &mut Linked) {
    let user = linked.user_modules;
    for module in &mut linked.modules[..user] {
        let constants: Vec<String> =
            module.globals.iter().filter(|global| global.constant).map(|global| global.name.clone()).collect();
        for function in &mut module.functions {
            let private = private_locals(function);
            let is_private = |value: &Value| match value {
                Value::Local(local) => private[local.0 as usize],
                Value::Const(Const::Global(name)) => constants.contains(name),
                Value::Const(_) => false,
            };
            for inst in function.blocks.iter_mut().flat_map(|block| &mut block.insts) {
                match &mut inst.kind {
                    InstKind::Load { ptr, ordering: ordering @ Ordering::NotAtomic, volatile: false, .. }
                    | InstKind::Store { ptr, ordering: ordering @ Ordering::NotAtomic, volatile: false, .. }
                        if !is_private(ptr) =>
                    {
                        *ordering = Ordering::SeqCst;
                    }
                    _ => {}
                }
            }
        }
    }
}

pub fn called(callee: &Callee) -> &str {
    match callee {
        Callee::Value(Value::Const(Const::Global(name))) => name,
        _ => "",
    }
}

pub fn is_copy(callee: &Callee) -> bool {
    let name = called(callee);
    name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.")
}

pub fn moves_memory(callee: &Callee) -> bool {
    is_copy(callee) || called(callee).starts_with("llvm.memset.")
}

/// The addresses of variables of the function, as far as nobody else can come to know them.
pub fn private_locals(function: &Function) -> Vec<bool> {
    let instructions = || function.blocks.iter().flat_map(|block| &block.insts);
    let mut private = vec![false; function.local_types.len()];
    let mut derived_from: Vec<Option<u32>> = vec![None; private.len()];
    for inst in instructions() {
        let Some(result) = inst.result else { continue };
        match &inst.kind {
            InstKind::Alloca { .. } => private[result.0 as usize] = true,
            InstKind::Gep { base, .. } => {
                if let Value::Local(base) = &base.value {
                    private[result.0 as usize] = true;
                    derived_from[result.0 as usize] = Some(base.0);
                }
            }
            _ => {}
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        let mut lose = |private: &mut Vec<bool>, local: usize| {
            changed |= std::mem::replace(&mut private[local], false);
        };
        for inst in instructions() {
            // What is derived is as private as what it comes from, and the other way round.
            if let (InstKind::Gep { .. }, Some(result)) = (&inst.kind, inst.result) {
                if let Some(base) = derived_from[result.0 as usize] {
                    if !private[base as usize] {
                        lose(&mut private, result.0 as usize);
                    } else if !private[result.0 as usize] {
                        lose(&mut private, base as usize);
                    }
                }
                continue;
            }
            let harmless: Vec<&Value> = match &inst.kind {
                InstKind::Load { ptr, .. } | InstKind::Store { ptr, .. } => vec![ptr],
                InstKind::Call(call) if moves_memory(&call.callee) || called(&call.callee).starts_with("llvm.") => {
                    call.args.iter().map(|arg| &arg.operand.value).collect()
                }
                // Where the handle goes: nobody keeps that.
                InstKind::Call(call) if called(&call.callee) == "pthread_create" => {
                    call.args.iter().take(1).map(|arg| &arg.operand.value).collect()
                }
                InstKind::Dbg(_) => continue,
                _ => Vec::new(),
            };
            threadbare_ir::operands(&inst.kind, &mut |value| {
                if let (Value::Local(local), false) = (value, harmless.iter().any(|h| std::ptr::eq(*h, value))) {
                    lose(&mut private, local.0 as usize);
                }
            });
        }
    }
    private
}
