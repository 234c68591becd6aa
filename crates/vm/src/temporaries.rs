//! Values that go through memory only to become of another type.
//!
//! An atomic access to a pointer is one to an integer, in IR of level 0: the value that is read is stored in a variable without a
//! name as an integer, and read from there as a pointer. LLVM's `mem2reg` wants one type for all accesses, and leaves such
//! variables in memory, where what they held in the last round of a loop would tell its first round from the others. Here
//! they become casts.

use threadbare_ir::{
    CastOp, Const, FloatKind, Function, InstKind, LocalId, Module, Operand, Ordering, Type, TypeId, Value,
};

use crate::link::Linked;

pub fn become_casts(linked: &mut Linked) {
    for module in &mut linked.modules {
        let mut functions = std::mem::take(&mut module.functions);
        functions.iter_mut().for_each(|function| in_function(module, function));
        module.functions = functions;
    }
}

/// Which locals are such variables. What is read somewhere was stored before, in the same block.
pub fn temporaries(module: &Module, function: &Function) -> Vec<bool> {
    let mut is_temporary = unknown_variables(module, function);
    if !is_temporary.contains(&true) {
        return is_temporary;
    }
    for block in &function.blocks {
        let mut stored: Vec<(LocalId, TypeId)> = Vec::new();
        for inst in &block.insts {
            match &inst.kind {
                InstKind::Store { ptr: Value::Local(to), value, .. } => stored.push((*to, value.ty)),
                InstKind::Load { ptr: Value::Local(from), ty, .. } => {
                    let last = stored.iter().rfind(|(to, _)| to == from);
                    is_temporary[from.0 as usize] &= last.is_some_and(|&(_, held)| cast(module, held, *ty).is_some());
                }
                _ => {}
            }
        }
    }
    is_temporary
}

fn in_function(module: &Module, function: &mut Function) {
    let is_temporary = temporaries(module, function);
    if !is_temporary.contains(&true) {
        return;
    }
    let is_temporary = |value: &Value| matches!(value, Value::Local(local) if is_temporary[local.0 as usize]);
    for block in &mut function.blocks {
        let mut stored: Vec<(LocalId, Operand)> = Vec::new();
        block.insts.retain_mut(|inst| match &mut inst.kind {
            InstKind::Alloca { .. } => !inst.result.is_some_and(|result| is_temporary(&Value::Local(result))),
            InstKind::Store { ptr, value, .. } if is_temporary(ptr) => {
                if let Value::Local(to) = ptr {
                    stored.push((*to, value.clone()));
                }
                false
            }
            InstKind::Load { ptr: ptr @ Value::Local(_), ty, .. } if is_temporary(ptr) => {
                let (_, value) =
                    stored.iter().rfind(|(to, _)| *ptr == Value::Local(*to)).expect("it was stored before");
                let op = cast(module, value.ty, *ty).expect("a type of that size");
                inst.kind = InstKind::Cast { op, from: value.clone(), to: *ty };
                true
            }
            _ => true,
        });
    }
}

/// Variables of which nothing is known but that plain accesses go there.
fn unknown_variables(module: &Module, function: &Function) -> Vec<bool> {
    let mut is_temporary = vec![false; function.local_types.len()];
    let insts = || function.blocks.iter().flat_map(|block| &block.insts);
    for inst in insts() {
        if let (InstKind::Alloca { ty, count: None, .. }, Some(result)) = (&inst.kind, inst.result) {
            is_temporary[result.0 as usize] = size(module, *ty).is_some();
        }
    }
    for inst in insts() {
        // Who has a name stays, to be shown.
        if let InstKind::Dbg(record) = &inst.kind {
            match record.value.as_ref().map(|operand| &operand.value) {
                Some(Value::Local(local)) => is_temporary[local.0 as usize] = false,
                Some(Value::Const(Const::Metadata(_))) => return vec![false; is_temporary.len()],
                _ => {}
            }
        }
        let place = match &inst.kind {
            InstKind::Load { ptr, ordering: Ordering::NotAtomic, volatile: false, .. }
            | InstKind::Store { ptr, ordering: Ordering::NotAtomic, volatile: false, .. } => Some(ptr),
            _ => None,
        };
        threadbare_ir::operands(&inst.kind, &mut |value| {
            if let (Value::Local(local), false) = (value, place.is_some_and(|place| std::ptr::eq(place, value))) {
                is_temporary[local.0 as usize] = false;
            }
        });
    }
    is_temporary
}

/// The bytes of a number or a pointer.
fn size(module: &Module, ty: TypeId) -> Option<u32> {
    match module.types.get(ty) {
        Type::Int(bits) if bits.is_power_of_two() && (8..=64).contains(bits) => Some(bits / 8),
        Type::Float(FloatKind::Float) => Some(4),
        Type::Float(FloatKind::Double) | Type::Ptr => Some(8),
        _ => None,
    }
}

/// What makes a value of one type one of another.
pub fn cast(module: &Module, from: TypeId, to: TypeId) -> Option<CastOp> {
    let sizes = (size(module, from)?, size(module, to)?);
    match (module.types.get(from), module.types.get(to)) {
        _ if sizes.0 != sizes.1 => None,
        (Type::Ptr, Type::Int(_)) => Some(CastOp::PtrToInt),
        (Type::Int(_), Type::Ptr) => Some(CastOp::IntToPtr),
        (Type::Ptr, Type::Float(_)) | (Type::Float(_), Type::Ptr) => None,
        _ => Some(CastOp::BitCast),
    }
}
