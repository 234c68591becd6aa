//! LLVM's intrinsic functions, as clang uses them for C.

use threadbare_core::Operation;
use threadbare_ir::{Call, Callee, Const, Inst, InstKind, Value};

use super::function::{Body, Lowered, Src};
use crate::bytecode::*;
use crate::layout::{Scalar, Unsupported};
use crate::math::{self, FloatWidth};
use crate::observe::OBSERVED;

impl Body<'_, '_> {
    pub fn intrinsic(&mut self, inst: &Inst, call: &Call, name: &str) -> Lowered<()> {
        let short = name.strip_prefix("llvm.").unwrap_or(name);
        let is = |prefix: &str| short == prefix || short.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.'));
        if IGNORED.iter().any(|prefix| is(prefix)) {
            return Ok(());
        }
        if is("memcpy") || is("memmove") || is("memcpy.inline") || is("memset") || is("memset.inline") {
            let native = match () {
                () if is("memset") || is("memset.inline") => Native::MemSet,
                () if is("memmove") => Native::MemMove,
                () => Native::MemCpy,
            };
            return self.memory_range(call, native);
        }
        // Only code of level 0 has these names (frontend.rs): the optimiser moves accesses out of blocks.
        if is("tb.lifetime.start") || is("tb.lifetime.end") {
            return self.lifetime(inst, call, is("tb.lifetime.start"));
        }
        if PASSED_THROUGH.iter().any(|prefix| is(prefix)) {
            return self.pass_first(inst, call);
        }
        if is("x86.sse2.mfence") {
            let detail = VisibleDetail::Fence { ordering: Atomicity::SeqCst };
            self.visible(Operation::Fence, detail, Vec::new(), 0, 0);
            return Ok(());
        }
        if is("va_start") {
            return self.native(inst, call, Native::VaStart);
        }
        if is("va_copy") {
            return self.native(inst, call, Native::VaCopy);
        }
        if is("va_end") {
            return self.native(inst, call, Native::VaEnd);
        }
        if is("stacksave") {
            let d = self.result(inst);
            self.emit(Op::StackSave { d });
            return Ok(());
        }
        if is("stackrestore") {
            let a = self.value_slot_ptr(&call.args[0].operand.value)?;
            self.emit(Op::StackRestore { a });
            return Ok(());
        }
        if is("threadlocal.address") {
            let d = self.result(inst);
            let Value::Const(Const::Global(variable)) = &call.args[0].operand.value else {
                return Err(Unsupported("the address of an unnamed thread-local variable".into()));
            };
            let variable = variable.clone();
            if self.is_thread_local(&variable) {
                self.thread_local_address(&variable, d);
                return Ok(());
            }
            return Err(Unsupported(format!("the thread-local variable `{variable}`, which is defined nowhere,")));
        }
        if is("trap") || is("debugtrap") || is("ubsantrap") {
            let signal = self.slot(Src::Const(if is("debugtrap") { 5 } else { 4 }));
            self.native_site(Native::SignalDeath, vec![signal], 0, 0);
            return Ok(());
        }
        if is("objectsize") {
            let smallest = matches!(call.args.get(1).map(|arg| &arg.operand.value), Some(Value::Const(Const::Int(1))));
            let d = self.result(inst);
            self.emit(Op::Imm { d, i: if smallest { 0 } else { u64::MAX } });
            return Ok(());
        }
        if is("is.constant") {
            let d = self.result(inst);
            self.emit(Op::Imm { d, i: 0 });
            return Ok(());
        }
        if is("get.rounding") {
            let d = self.result(inst);
            self.emit(Op::Imm { d, i: 1 });
            return Ok(());
        }
        if is("ptrmask") {
            let d = self.result(inst);
            let (x, y) = (&call.args[0].operand, &call.args[1].operand);
            let x = Src::Slot(self.value_slot_ptr(&x.value)?);
            let y = self.source(y.ty, &y.value)?;
            self.alu(Alu::And, 64, d, x, y);
            return Ok(());
        }
        if is("is.fpclass") {
            return self.float_class(inst, call);
        }
        for (prefix, op) in BITS {
            if is(prefix) {
                return self.bit_operation(inst, call, *op);
            }
        }
        for (prefix, op) in MIN_MAX {
            if is(prefix) {
                return self.min_max(inst, call, *op);
            }
        }
        for (prefix, op) in OVERFLOWS {
            if is(prefix) {
                return self.overflow(inst, call, *op);
            }
        }
        if is("fshl") || is("fshr") {
            return self.funnel(inst, call, is("fshr"));
        }
        if is("ucmp") || is("scmp") {
            return self.three_way(inst, call, is("scmp"));
        }
        if let Some(reduction) = short.strip_prefix("vector.reduce.") {
            return self.reduce(inst, call, reduction.split('.').next().unwrap_or(""));
        }
        if short.starts_with("experimental.constrained.") || is("set.rounding") || is("get.fpenv") || is("set.fpenv") {
            return Err(Unsupported(
                "floating-point environment access (`#pragma STDC FENV_ACCESS ON`, -frounding-math or -ffp-exception-behavior)"
                    .into(),
            ));
        }
        self.math_intrinsic(inst, call, name)
    }

    fn pass_first(&mut self, inst: &Inst, call: &Call) -> Lowered<()> {
        let operand = &call.args[0].operand;
        let sources = self.sources(operand.ty, &operand.value)?;
        let d = self.result(inst);
        for (i, src) in sources.into_iter().enumerate() {
            self.move_to(d + i as u16, src);
        }
        Ok(())
    }

    fn memory_range(&mut self, call: &Call, native: Native) -> Lowered<()> {
        let set = matches!(native, Native::MemSet);
        let visible =
            matches!(call.args.get(3).map(|arg| &arg.operand.value), Some(Value::Const(Const::Int(OBSERVED))));
        let to = self.value_slot_ptr(&call.args[0].operand.value)?;
        let second = if set {
            self.value_slot(call.args[1].operand.ty, &call.args[1].operand.value)?
        } else {
            self.value_slot_ptr(&call.args[1].operand.value)?
        };
        let length = self.value_slot(call.args[2].operand.ty, &call.args[2].operand.value)?;
        let args = vec![to, second, length];
        if visible {
            let detail = if set { VisibleDetail::Set } else { VisibleDetail::Copy };
            self.visible(Operation::Store, detail, args, 0, 0);
        } else {
            self.native_site(native, args, 0, 0);
        }
        Ok(())
    }

    /// A variable of the outermost block is new when it is entered, and gone soon after it is left: nothing to do.
    fn lifetime(&mut self, inst: &Inst, call: &Call, start: bool) -> Lowered<()> {
        let number = self.current_block().0;
        let block = &self.function.blocks[number as usize];
        let redundant = if start {
            number == 0
        } else {
            let after = block.insts.iter().skip_while(|other| !std::ptr::eq(*other, inst)).skip(1);
            let is_lifetime = |call: &Call| matches!(&call.callee, Callee::Value(Value::Const(Const::Global(name))) if name.starts_with("llvm.tb.lifetime."));
            matches!(block.insts.last().map(|last| &last.kind), Some(InstKind::Ret(_)))
                && after.into_iter().all(|inst| match &inst.kind {
                    InstKind::Call(call) => is_lifetime(call),
                    InstKind::Ret(_) | InstKind::Dbg(_) => true,
                    _ => false,
                })
        };
        if !redundant {
            let address = self.value_slot_ptr(&call.args[1].operand.value)?;
            let native = if start { Native::LifetimeStart } else { Native::LifetimeEnd };
            self.native_site(native, vec![address], 0, 0);
        }
        Ok(())
    }

    fn float_class(&mut self, inst: &Inst, call: &Call) -> Lowered<()> {
        let operand = &call.args[0].operand;
        let Value::Const(Const::Int(mask)) = call.args[1].operand.value else {
            return Err(Unsupported("is.fpclass with a variable class".into()));
        };
        let leaves = self.leaves(operand.ty)?;
        let sources = self.sources(operand.ty, &operand.value)?;
        let d = self.result(inst);
        for (i, leaf) in leaves.iter().enumerate() {
            let a = if leaf.scalar == Scalar::F80 {
                self.pair(&sources, leaf.slot)
            } else {
                self.slot(sources[leaf.slot as usize])
            };
            self.emit(Op::FClass { w: leaf.scalar.bits()?, d: d + i as u16, a, mask: mask as u32 });
        }
        Ok(())
    }

    fn bit_operation(&mut self, inst: &Inst, call: &Call, op: BitOp) -> Lowered<()> {
        let operand = &call.args[0].operand;
        let leaves = self.leaves(operand.ty)?;
        let sources = self.sources(operand.ty, &operand.value)?;
        let d = self.result(inst);
        for leaf in leaves.iter() {
            let (d, w) = (d + leaf.slot, leaf.scalar.bits()?);
            if leaf.scalar.slots() == 2 {
                let a = self.pair(&sources, leaf.slot);
                self.emit(Op::WideBits { op, w, d, a });
            } else {
                let a = self.slot(sources[leaf.slot as usize]);
                self.emit(Op::Bits { op, w, d, a });
            }
        }
        Ok(())
    }

    fn min_max(&mut self, inst: &Inst, call: &Call, op: MinMax) -> Lowered<()> {
        let (x, y) = (&call.args[0].operand, &call.args[1].operand);
        let leaves = self.leaves(x.ty)?;
        let (xs, ys) = (self.sources(x.ty, &x.value)?, self.sources(y.ty, &y.value)?);
        let d = self.result(inst);
        for leaf in leaves.iter() {
            let (d, w) = (d + leaf.slot, leaf.scalar.bits()?);
            if leaf.scalar.slots() == 2 {
                let (a, b) = (self.pair(&xs, leaf.slot), self.pair(&ys, leaf.slot));
                self.emit(Op::WideMinMax { op, w, d, a, b });
            } else {
                let (a, b) = (self.slot(xs[leaf.slot as usize]), self.slot(ys[leaf.slot as usize]));
                self.emit(Op::MinMax { op, w, d, a, b });
            }
        }
        Ok(())
    }

    fn overflow(&mut self, inst: &Inst, call: &Call, op: Overflow) -> Lowered<()> {
        let (x, y) = (&call.args[0].operand, &call.args[1].operand);
        if self.layout().vector(x.ty)?.is_some() {
            return Err(Unsupported("overflow arithmetic on vectors".into()));
        }
        let scalar = self.layout().scalar(x.ty)?;
        let (xs, ys) = (self.sources(x.ty, &x.value)?, self.sources(y.ty, &y.value)?);
        let d = self.result(inst);
        let w = scalar.bits()?;
        if scalar.slots() == 2 {
            let (a, b) = (self.pair(&xs, 0), self.pair(&ys, 0));
            self.emit(Op::WideOverflow { op, w, d, a, b });
        } else {
            let (a, b) = (self.slot(xs[0]), self.slot(ys[0]));
            self.emit(Op::Overflow { op, w, d, a, b });
        }
        Ok(())
    }

    fn funnel(&mut self, inst: &Inst, call: &Call, right: bool) -> Lowered<()> {
        let ty = call.args[0].operand.ty;
        let leaves = self.leaves(ty)?;
        let mut operands = Vec::new();
        for arg in &call.args[..3] {
            operands.push(self.sources(arg.operand.ty, &arg.operand.value)?);
        }
        let d = self.result(inst);
        for leaf in leaves.iter() {
            let (d, w) = (d + leaf.slot, leaf.scalar.bits()?);
            if leaf.scalar.slots() == 2 {
                let slots: Vec<Slot> = operands.iter().map(|list| self.pair(list, leaf.slot)).collect();
                self.emit(Op::WideFunnel { right, w, d, a: slots[0], b: slots[1], c: slots[2] });
            } else {
                let slots: Vec<Slot> = operands.iter().map(|list| self.slot(list[leaf.slot as usize])).collect();
                self.emit(Op::Funnel { right, w, d, a: slots[0], b: slots[1], c: slots[2] });
            }
        }
        Ok(())
    }

    /// -1, 0 or 1: greater minus less.
    fn three_way(&mut self, inst: &Inst, call: &Call, signed: bool) -> Lowered<()> {
        let (x, y) = (&call.args[0].operand, &call.args[1].operand);
        let leaves = self.leaves(x.ty)?;
        let results = self.leaves(call.ret)?;
        let (xs, ys) = (self.sources(x.ty, &x.value)?, self.sources(y.ty, &y.value)?);
        let d = self.result(inst);
        for (leaf, result) in leaves.iter().zip(results.iter()) {
            let (greater, less) = (self.temp(1), self.temp(1));
            let (g, l) = if signed { (Pred::Sgt, Pred::Slt) } else { (Pred::Ugt, Pred::Ult) };
            let w = leaf.scalar.bits()?;
            if leaf.scalar.slots() == 2 {
                let (a, b) = (self.pair(&xs, leaf.slot), self.pair(&ys, leaf.slot));
                self.emit(Op::WideSet { p: g, w, d: greater, a, b });
                self.emit(Op::WideSet { p: l, w, d: less, a, b });
            } else {
                let (a, b) = (self.slot(xs[leaf.slot as usize]), self.slot(ys[leaf.slot as usize]));
                self.emit(Op::SetW { p: g, w, d: greater, a, b });
                self.emit(Op::SetW { p: l, w, d: less, a, b });
            }
            let w = result.scalar.bits()?;
            self.alu(Alu::Sub, w, d + result.slot, Src::Slot(greater), Src::Slot(less));
        }
        Ok(())
    }

    fn reduce(&mut self, inst: &Inst, call: &Call, operation: &str) -> Lowered<()> {
        // Float reductions start from a value of their own.
        let float = matches!(operation, "fadd" | "fmul");
        let operand = &call.args[usize::from(float)].operand;
        let leaves = self.leaves(operand.ty)?;
        let sources = self.sources(operand.ty, &operand.value)?;
        let d = self.result(inst);
        let scalar = leaves.first().map(|leaf| leaf.scalar).ok_or_else(|| Unsupported("an empty vector".into()))?;
        if scalar.slots() != 1 {
            return Err(Unsupported("a reduction of wide elements".into()));
        }
        let w = scalar.bits()?;
        let (first, rest) = if float {
            let start = &call.args[0].operand;
            (self.source(start.ty, &start.value)?, &leaves[..])
        } else {
            (sources[leaves[0].slot as usize], &leaves[1..])
        };
        self.move_to(d, first);
        for leaf in rest {
            let next = sources[leaf.slot as usize];
            let min_max = match operation {
                "smin" => Some(MinMax::SMin),
                "smax" => Some(MinMax::SMax),
                "umin" => Some(MinMax::UMin),
                "umax" => Some(MinMax::UMax),
                _ => None,
            };
            let alu = match operation {
                "add" => Some(Alu::Add),
                "mul" => Some(Alu::Mul),
                "and" => Some(Alu::And),
                "or" => Some(Alu::Or),
                "xor" => Some(Alu::Xor),
                _ => None,
            };
            let b = self.slot(next);
            if let Some(op) = min_max {
                self.emit(Op::MinMax { op, w, d, a: d, b });
            } else if let Some(op) = alu {
                self.alu(op, w, d, Src::Slot(d), Src::Slot(b));
            } else if float {
                let op = if operation == "fadd" { FAlu::Add } else { FAlu::Mul };
                self.emit(if w == 32 { Op::F32 { op, d, a: d, b } } else { Op::F64 { op, d, a: d, b } });
            } else {
                return Err(Unsupported(format!("the vector reduction {operation}")));
            }
        }
        Ok(())
    }

    fn math_intrinsic(&mut self, inst: &Inst, call: &Call, name: &str) -> Lowered<()> {
        let unknown = || Unsupported(format!("the compiler intrinsic {name}"));
        // `llvm.sin.f64`, `llvm.fma.v4f32`, `llvm.lround.i64.f64`: the types stand behind the name.
        let mut base = name;
        while let Some((rest, last)) = base.rsplit_once('.') {
            let is_type =
                last.len() > 1 && last.contains(|c: char| c.is_ascii_digit()) && last.starts_with(['f', 'i', 'v', 'p']);
            let is_function = matches!(last, "exp2" | "exp10" | "log2" | "log10" | "atan2");
            if !is_type || is_function {
                break;
            }
            base = rest;
        }
        let operand = &call.args.first().ok_or_else(unknown)?.operand;
        let leaves = self.leaves(operand.ty)?;
        let width = match leaves.first().map(|leaf| leaf.scalar) {
            Some(Scalar::F32) => FloatWidth::F32,
            Some(Scalar::F64) => FloatWidth::F64,
            Some(Scalar::F80) => FloatWidth::F80,
            _ => return Err(unknown()),
        };
        let function = math::intrinsic(base, width).ok_or_else(unknown)?;
        let results = self.leaves(call.ret)?;
        let mut operands = Vec::new();
        for arg in &call.args {
            if matches!(self.layout().get(arg.operand.ty)?, threadbare_ir::Type::Metadata) {
                continue;
            }
            operands.push((self.leaves(arg.operand.ty)?, self.sources(arg.operand.ty, &arg.operand.value)?));
        }
        let d = self.result(inst);
        let lanes = if self.layout().vector(operand.ty)?.is_some() { leaves.len() } else { 1 };
        for lane in 0..lanes {
            let mut args = Vec::new();
            for (leaves, sources) in &operands {
                let leaf = leaves[if leaves.len() == 1 { 0 } else { lane }];
                for k in 0..leaf.scalar.slots() {
                    args.push(self.slot(sources[(leaf.slot + k) as usize]));
                }
            }
            // A function of two results (frexp) has only one lane: its result is all of them.
            let (slot, slots) = if lanes == 1 {
                (0, self.layout().slots(call.ret)?)
            } else {
                (results[lane].slot, results[lane].scalar.slots())
            };
            self.native_site(Native::Math(function), args, d + slot, slots);
        }
        Ok(())
    }
}

/// Hints and markers without an effect.
const IGNORED: &[&str] = &[
    "lifetime.start",
    "lifetime.end",
    "dbg.declare",
    "dbg.value",
    "dbg.assign",
    "dbg.label",
    "assume",
    "donothing",
    "sideeffect",
    // Hints to the processor, and orders that a machine with sequential consistency has anyway.
    "x86.sse2.pause",
    "x86.sse2.lfence",
    "x86.sse.sfence",
    "prefetch",
    "experimental.noalias.scope.decl",
    "invariant.end",
    "var.annotation",
    "pseudoprobe",
    "codeview.annotation",
];

/// The first argument comes back.
const PASSED_THROUGH: &[&str] = &[
    "expect",
    "expect.with.probability",
    "launder.invariant.group",
    "strip.invariant.group",
    "annotation",
    "ptr.annotation",
    "ssa.copy",
    "arithmetic.fence",
];

const BITS: &[(&str, BitOp)] = &[
    ("ctpop", BitOp::Popcount),
    ("ctlz", BitOp::LeadingZeros),
    ("cttz", BitOp::TrailingZeros),
    ("bswap", BitOp::ByteSwap),
    ("bitreverse", BitOp::BitReverse),
    ("abs", BitOp::Abs),
];

const MIN_MAX: &[(&str, MinMax)] = &[
    ("smin", MinMax::SMin),
    ("smax", MinMax::SMax),
    ("umin", MinMax::UMin),
    ("umax", MinMax::UMax),
    ("sadd.sat", MinMax::SAddSat),
    ("uadd.sat", MinMax::UAddSat),
    ("ssub.sat", MinMax::SSubSat),
    ("usub.sat", MinMax::USubSat),
    ("sshl.sat", MinMax::SShlSat),
    ("ushl.sat", MinMax::UShlSat),
];

const OVERFLOWS: &[(&str, Overflow)] = &[
    ("sadd.with.overflow", Overflow::SAdd),
    ("uadd.with.overflow", Overflow::UAdd),
    ("ssub.with.overflow", Overflow::SSub),
    ("usub.with.overflow", Overflow::USub),
    ("smul.with.overflow", Overflow::SMul),
    ("umul.with.overflow", Overflow::UMul),
];
