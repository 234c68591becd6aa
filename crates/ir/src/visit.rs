//! Walks over the parts of an instruction, for the passes that replace provisional numbers.

use crate::module::{BlockId, Callee, Const, ConstOperand, InstKind, MdValue, Value};

/// Calls `f` for every value of the instruction, also those in metadata.
pub(crate) fn values_mut(kind: &mut InstKind, f: &mut impl FnMut(&mut Value)) {
    match kind {
        InstKind::Binary { lhs, rhs, .. } | InstKind::ICmp { lhs, rhs, .. } | InstKind::FCmp { lhs, rhs, .. } => {
            value(&mut lhs.value, f);
            value(rhs, f);
        }
        InstKind::FNeg(operand) | InstKind::Freeze(operand) => value(&mut operand.value, f),
        InstKind::Cast { from, .. } => value(&mut from.value, f),
        InstKind::Alloca { count, .. } => {
            if let Some(count) = count {
                value(&mut count.value, f);
            }
        }
        InstKind::Load { ptr, .. } => value(ptr, f),
        InstKind::Store { value: stored, ptr, .. } => {
            value(&mut stored.value, f);
            value(ptr, f);
        }
        InstKind::Gep { base, indices, .. } => {
            value(&mut base.value, f);
            for index in indices {
                value(&mut index.value, f);
            }
        }
        InstKind::AtomicRmw { ptr, value: operand, .. } => {
            value(ptr, f);
            value(&mut operand.value, f);
        }
        InstKind::CmpXchg { ptr, expected, new, .. } => {
            value(ptr, f);
            value(&mut expected.value, f);
            value(new, f);
        }
        InstKind::Call(call) => {
            if let Callee::Value(callee) = &mut call.callee {
                value(callee, f);
            }
            for arg in &mut call.args {
                value(&mut arg.operand.value, f);
            }
        }
        InstKind::Phi { incoming, .. } => {
            for (incoming, _) in incoming {
                value(incoming, f);
            }
        }
        InstKind::Select { cond, then, els } => {
            value(&mut cond.value, f);
            value(&mut then.value, f);
            value(els, f);
        }
        InstKind::ExtractValue { agg, .. } => value(&mut agg.value, f),
        InstKind::InsertValue { agg, elem, .. } => {
            value(&mut agg.value, f);
            value(&mut elem.value, f);
        }
        InstKind::ExtractElement { vector, index } => {
            value(&mut vector.value, f);
            value(&mut index.value, f);
        }
        InstKind::InsertElement { vector, elem, index } => {
            value(&mut vector.value, f);
            value(elem, f);
            value(&mut index.value, f);
        }
        InstKind::ShuffleVector { a, b, .. } => {
            value(&mut a.value, f);
            value(b, f);
        }
        InstKind::VaArg { list, .. } => value(list, f),
        InstKind::CondBr { cond, .. } => value(cond, f),
        InstKind::Switch { value: operand, .. } => value(&mut operand.value, f),
        InstKind::IndirectBr { addr, .. } => value(addr, f),
        InstKind::Ret(operand) => {
            if let Some(operand) = operand {
                value(&mut operand.value, f);
            }
        }
        InstKind::Dbg(record) => {
            if let Some(operand) = &mut record.value {
                value(&mut operand.value, f);
            }
        }
        InstKind::Br(_) | InstKind::Fence(_) | InstKind::Unreachable => {}
    }
}

fn value(place: &mut Value, f: &mut impl FnMut(&mut Value)) {
    if let Value::Const(Const::Metadata(md)) = place {
        metadata(md, f);
    }
    f(place);
}

fn metadata(md: &mut MdValue, f: &mut impl FnMut(&mut Value)) {
    match md {
        MdValue::Value(operand) => value(&mut operand.value, f),
        MdValue::Node(node) => node.fields.iter_mut().for_each(|(_, field)| metadata(field, f)),
        MdValue::Ref(_) | MdValue::Str(_) | MdValue::Int(_) | MdValue::Word(_) | MdValue::Null => {}
    }
}

/// Calls `f` for every block that the instruction names.
pub(crate) fn blocks_mut(kind: &mut InstKind, mut f: impl FnMut(&mut BlockId)) {
    match kind {
        InstKind::Br(target) => f(target),
        InstKind::CondBr { then, els, .. } => {
            f(then);
            f(els);
        }
        InstKind::Switch { default, cases, .. } => {
            f(default);
            cases.iter_mut().for_each(|(_, block)| f(block));
        }
        InstKind::IndirectBr { targets, .. } => targets.iter_mut().for_each(f),
        InstKind::Phi { incoming, .. } => incoming.iter_mut().for_each(|(_, block)| f(block)),
        _ => {}
    }
}

/// Calls `f` for every leaf of a constant.
pub(crate) fn leaves_mut(constant: &mut Const, f: &mut impl FnMut(&mut Const)) {
    let each = |operands: &mut Vec<ConstOperand>, f: &mut _| {
        operands.iter_mut().for_each(|operand| leaves_mut(&mut operand.value, f));
    };
    match constant {
        Const::Aggregate(operands) | Const::Gep { args: operands, .. } => each(operands, f),
        Const::Splat(operand) | Const::Cast { from: operand, .. } => leaves_mut(&mut operand.value, f),
        Const::Binary { lhs, rhs, .. } => {
            leaves_mut(&mut lhs.value, f);
            leaves_mut(&mut rhs.value, f);
        }
        leaf => f(leaf),
    }
}
