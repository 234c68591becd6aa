//! The operands of an instruction.

use threadbare_ir::{Callee, InstKind, Value};

/// Calls `visit` for every value that the instruction uses; debug records use none.
pub fn for_each_value<'i>(kind: &'i InstKind, visit: &mut dyn FnMut(&'i Value)) {
    match kind {
        InstKind::Binary { lhs, rhs, .. } | InstKind::ICmp { lhs, rhs, .. } | InstKind::FCmp { lhs, rhs, .. } => {
            visit(&lhs.value);
            visit(rhs);
        }
        InstKind::FNeg(operand) | InstKind::Freeze(operand) => visit(&operand.value),
        InstKind::Cast { from, .. } => visit(&from.value),
        InstKind::Alloca { count, .. } => {
            if let Some(count) = count {
                visit(&count.value);
            }
        }
        InstKind::Load { ptr, .. } => visit(ptr),
        InstKind::Store { value, ptr, .. } => {
            visit(&value.value);
            visit(ptr);
        }
        InstKind::Gep { base, indices, .. } => {
            visit(&base.value);
            indices.iter().for_each(|index| visit(&index.value));
        }
        InstKind::AtomicRmw { ptr, value, .. } => {
            visit(ptr);
            visit(&value.value);
        }
        InstKind::CmpXchg { ptr, expected, new, .. } => {
            visit(ptr);
            visit(&expected.value);
            visit(new);
        }
        InstKind::Call(call) => {
            if let Callee::Value(value) = &call.callee {
                visit(value);
            }
            call.args.iter().for_each(|arg| visit(&arg.operand.value));
        }
        InstKind::Phi { incoming, .. } => incoming.iter().for_each(|(value, _)| visit(value)),
        InstKind::Select { cond, then, els } => {
            visit(&cond.value);
            visit(&then.value);
            visit(els);
        }
        InstKind::ExtractValue { agg, .. } => visit(&agg.value),
        InstKind::InsertValue { agg, elem, .. } => {
            visit(&agg.value);
            visit(&elem.value);
        }
        InstKind::ExtractElement { vector, index } => {
            visit(&vector.value);
            visit(&index.value);
        }
        InstKind::InsertElement { vector, elem, index } => {
            visit(&vector.value);
            visit(elem);
            visit(&index.value);
        }
        InstKind::ShuffleVector { a, b, .. } => {
            visit(&a.value);
            visit(b);
        }
        InstKind::VaArg { list, .. } => visit(list),
        InstKind::CondBr { cond, .. } => visit(cond),
        InstKind::Switch { value, .. } => visit(&value.value),
        InstKind::IndirectBr { addr, .. } => visit(addr),
        InstKind::Ret(Some(operand)) => visit(&operand.value),
        InstKind::Fence(_) | InstKind::Br(_) | InstKind::Ret(None) | InstKind::Unreachable | InstKind::Dbg(_) => {}
    }
}
