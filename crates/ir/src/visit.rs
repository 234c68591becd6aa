//! Walks over the parts of an instruction.

use crate::module::{BlockId, Callee, Const, ConstOperand, InstKind, MdValue, Value};

/// One walk, for readers and for those who change something.
macro_rules! operands {
    ($(#[$about:meta])* $scope:vis $name:ident $($mutable:tt)?) => {
        $(#[$about])*
        $scope fn $name<'i>(kind: &'i $($mutable)? InstKind, f: &mut impl FnMut(&'i $($mutable)? Value)) {
            match kind {
                InstKind::Binary { lhs, rhs, .. } | InstKind::ICmp { lhs, rhs, .. } | InstKind::FCmp { lhs, rhs, .. } => {
                    f(&$($mutable)? lhs.value);
                    f(rhs);
                }
                InstKind::FNeg(operand) | InstKind::Freeze(operand) => f(&$($mutable)? operand.value),
                InstKind::Cast { from, .. } => f(&$($mutable)? from.value),
                InstKind::Alloca { count: Some(count), .. } => f(&$($mutable)? count.value),
                InstKind::Load { ptr, .. } => f(ptr),
                InstKind::Store { value, ptr, .. } => {
                    f(&$($mutable)? value.value);
                    f(ptr);
                }
                InstKind::Gep { base, indices, .. } => {
                    f(&$($mutable)? base.value);
                    for index in indices {
                        f(&$($mutable)? index.value);
                    }
                }
                InstKind::AtomicRmw { ptr, value, .. } => {
                    f(ptr);
                    f(&$($mutable)? value.value);
                }
                InstKind::CmpXchg { ptr, expected, new, .. } => {
                    f(ptr);
                    f(&$($mutable)? expected.value);
                    f(new);
                }
                InstKind::Call(call) => {
                    if let Callee::Value(callee) = &$($mutable)? call.callee {
                        f(callee);
                    }
                    for arg in &$($mutable)? call.args {
                        f(&$($mutable)? arg.operand.value);
                    }
                }
                InstKind::Phi { incoming, .. } => {
                    for (incoming, _) in incoming {
                        f(incoming);
                    }
                }
                InstKind::Select { cond, then, els } => {
                    f(&$($mutable)? cond.value);
                    f(&$($mutable)? then.value);
                    f(els);
                }
                InstKind::ExtractValue { agg, .. } => f(&$($mutable)? agg.value),
                InstKind::InsertValue { agg, elem, .. } => {
                    f(&$($mutable)? agg.value);
                    f(&$($mutable)? elem.value);
                }
                InstKind::ExtractElement { vector, index } => {
                    f(&$($mutable)? vector.value);
                    f(&$($mutable)? index.value);
                }
                InstKind::InsertElement { vector, elem, index } => {
                    f(&$($mutable)? vector.value);
                    f(elem);
                    f(&$($mutable)? index.value);
                }
                InstKind::ShuffleVector { a, b, .. } => {
                    f(&$($mutable)? a.value);
                    f(b);
                }
                InstKind::VaArg { list, .. } => f(list),
                InstKind::CondBr { cond, .. } => f(cond),
                InstKind::Switch { value, .. } => f(&$($mutable)? value.value),
                InstKind::IndirectBr { addr, .. } => f(addr),
                InstKind::Ret(Some(operand)) => f(&$($mutable)? operand.value),
                InstKind::Alloca { count: None, .. }
                | InstKind::Ret(None)
                | InstKind::Br(_)
                | InstKind::Fence(_)
                | InstKind::Unreachable
                | InstKind::Dbg(_) => {}
            }
        }
    };
}

operands! {
    /// Calls `f` for every value that the instruction uses; debug records use none.
    pub operands
}
operands!(operands_mut mut);

/// Calls `f` for every value of the instruction, also those in metadata.
pub(crate) fn values_mut(kind: &mut InstKind, f: &mut impl FnMut(&mut Value)) {
    if let InstKind::Dbg(record) = kind {
        if let Some(operand) = &mut record.value {
            value(&mut operand.value, f);
        }
        return;
    }
    operands_mut(kind, &mut |place| value(place, f));
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

macro_rules! blocks {
    ($scope:vis $name:ident $($mutable:tt)?) => {
        /// Calls `f` for every block that the instruction names.
        $scope fn $name(kind: &$($mutable)? InstKind, mut f: impl FnMut(&$($mutable)? BlockId)) {
            match kind {
                InstKind::Br(target) => f(target),
                InstKind::CondBr { then, els, .. } => {
                    f(then);
                    f(els);
                }
                InstKind::Switch { default, cases, .. } => {
                    f(default);
                    for (_, block) in cases {
                        f(block);
                    }
                }
                InstKind::IndirectBr { targets, .. } => {
                    for target in targets {
                        f(target);
                    }
                }
                InstKind::Phi { incoming, .. } => {
                    for (_, block) in incoming {
                        f(block);
                    }
                }
                _ => {}
            }
        }
    };
}

blocks!(pub blocks);
blocks!(pub(crate) blocks_mut mut);

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
