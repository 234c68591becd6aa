//! Every instruction, by its kind: scalars become operations, vectors and aggregates are taken apart.

use threadbare_core::Operation;
use threadbare_ir::{Callee, Const, Inst, InstKind, Ordering, Value};

use super::big::is_big;
use super::function::{Body, Lowered, Src, local_of};
use super::scalars::{float_outcomes, pred_of};
use crate::bytecode::*;
use crate::layout::{Scalar, Unsupported};

impl Body<'_, '_> {
    pub fn instruction(&mut self, inst: &Inst) -> Lowered<()> {
        match &inst.kind {
            InstKind::Binary { op, lhs, rhs, .. } => {
                let d = self.result(inst);
                if self.leaves(lhs.ty)?.first().is_some_and(is_big) {
                    return self.big_binary(*op, d, lhs, rhs);
                }
                self.componentwise(d, lhs.ty, lhs, rhs, |body, scalar, d, a, b| body.binary(*op, scalar, d, a, b))
            }
            InstKind::FNeg(operand) => {
                let d = self.result(inst);
                let leaves = self.leaves(operand.ty)?;
                let sources = self.sources(operand.ty, &operand.value)?;
                for leaf in leaves.iter() {
                    let a = self.slot(sources[leaf.slot as usize]);
                    match leaf.scalar {
                        Scalar::F32 => self.emit(Op::XorI { d: d + leaf.slot, a, i: 1 << 31 }),
                        Scalar::F64 => self.emit(Op::XorI { d: d + leaf.slot, a, i: 1 << 63 }),
                        _ => {
                            let pair = self.pair(&sources, leaf.slot);
                            self.emit(Op::F80Neg { d: d + leaf.slot, a: pair });
                        }
                    }
                }
                Ok(())
            }
            InstKind::Cast { op, from, to } => self.cast(inst, *op, from, *to),
            InstKind::ICmp { pred, lhs, rhs } => {
                if inst.result.is_some_and(|local| self.is_fused(local)) {
                    return Ok(());
                }
                let d = self.result(inst);
                let leaves = self.leaves(lhs.ty)?;
                let x = self.sources(lhs.ty, &lhs.value)?;
                let y = self.sources(lhs.ty, rhs)?;
                for (i, leaf) in leaves.iter().enumerate() {
                    let at = leaf.slot as usize;
                    if let Scalar::Big(w) = leaf.scalar {
                        let limbs = at..at + leaf.scalar.slots() as usize;
                        self.big_compare(pred_of(*pred), w, d + i as u16, &x[limbs.clone()], &y[limbs]);
                    } else if leaf.scalar.slots() == 2 {
                        let (a, b) = (self.pair(&x, leaf.slot), self.pair(&y, leaf.slot));
                        self.emit(Op::WideSet { p: pred_of(*pred), w: leaf.scalar.bits()?, d: d + i as u16, a, b });
                    } else {
                        self.compare(pred_of(*pred), leaf.scalar.bits()?, d + i as u16, x[at], y[at]);
                    }
                }
                Ok(())
            }
            InstKind::FCmp { pred, lhs, rhs } => {
                let d = self.result(inst);
                let leaves = self.leaves(lhs.ty)?;
                let x = self.sources(lhs.ty, &lhs.value)?;
                let y = self.sources(lhs.ty, rhs)?;
                for (i, leaf) in leaves.iter().enumerate() {
                    let (a, b) = if leaf.scalar == Scalar::F80 {
                        (self.pair(&x, leaf.slot), self.pair(&y, leaf.slot))
                    } else {
                        (self.slot(x[leaf.slot as usize]), self.slot(y[leaf.slot as usize]))
                    };
                    self.emit(Op::FSet { p: float_outcomes(*pred), w: leaf.scalar.bits()?, d: d + i as u16, a, b });
                }
                Ok(())
            }
            InstKind::Alloca { ty, count, align } => self.alloca(inst, *ty, count.as_ref(), *align),
            InstKind::Load { ty, ptr, ordering, volatile, .. } => self.load(inst, *ty, ptr, *ordering, *volatile),
            // The frontend's mark of a variable without a value, which has no line: its object is undefined as it is.
            InstKind::Store { value, ptr, .. } if inst.loc.is_none() && self.marks_undefined(value, ptr) => Ok(()),
            InstKind::Store { value, ptr, ordering, volatile, .. } => self.store(value, ptr, *ordering, *volatile),
            InstKind::Gep { source, base, indices, .. } => self.gep(inst, *source, base, indices),
            InstKind::AtomicRmw { op, ptr, value, ordering, .. } => {
                let scalar = self.layout().scalar(value.ty)?;
                let mut args = vec![self.value_slot_ptr(ptr)?];
                let first = self.value_slots(value.ty, &value.value)?;
                args.extend(first..first + scalar.slots());
                let detail = VisibleDetail::Rmw {
                    op: *op,
                    bytes: scalar.bytes()?,
                    bits: scalar.bits()?,
                    ordering: atomicity(*ordering),
                };
                let d = self.result(inst);
                self.visible(Operation::ReadModifyWrite, detail, args, d, 0);
                Ok(())
            }
            InstKind::CmpXchg { ptr, expected, new, weak, success, failure, .. } => {
                self.low.program.weak_exchanges |= *weak;
                let scalar = self.layout().scalar(expected.ty)?;
                let mut args = vec![self.value_slot_ptr(ptr)?];
                for value in [&expected.value, new] {
                    let first = self.value_slots(expected.ty, value)?;
                    args.extend(first..first + scalar.slots());
                }
                let detail = VisibleDetail::Cas {
                    bytes: scalar.bytes()?,
                    ordering: atomicity(*success),
                    failure: atomicity(*failure),
                };
                let d = self.result(inst);
                self.visible(Operation::CompareExchange, detail, args, d, 0);
                Ok(())
            }
            InstKind::Fence(ordering) => {
                let detail = VisibleDetail::Fence { ordering: atomicity(*ordering) };
                self.visible(Operation::Fence, detail, Vec::new(), 0, 0);
                Ok(())
            }
            InstKind::Call(call) => self.call(inst, call),
            InstKind::Phi { .. } | InstKind::Dbg(_) => Ok(()),
            InstKind::Select { cond, then, els } => self.select(inst, cond, then, els),
            InstKind::ExtractValue { agg, path } => {
                if local_of(&agg.value).is_some() {
                    return Ok(());
                }
                let (slot, ty) = self.path_slot(agg.ty, path)?;
                let sources = self.sources(agg.ty, &agg.value)?;
                let d = self.result(inst);
                for i in 0..self.layout().slots(ty)? {
                    self.move_to(d + i, sources[(slot + i) as usize]);
                }
                Ok(())
            }
            InstKind::InsertValue { agg, elem, path } => {
                let (slot, _) = self.path_slot(agg.ty, path)?;
                let whole = self.sources(agg.ty, &agg.value)?;
                let part = self.sources(elem.ty, &elem.value)?;
                let d = self.result(inst);
                let inside = slot as usize..slot as usize + part.len();
                let local = inst.result.ok_or_else(|| Unsupported("a value without a use".into()))?;
                let in_place = self.is_alias(local);
                for (i, src) in whole.into_iter().enumerate() {
                    if inside.contains(&i) {
                        self.move_to(d + i as u16, part[i - inside.start]);
                    } else if !in_place && !self.set_later(local, i as u16) {
                        self.move_to(d + i as u16, src);
                    }
                }
                Ok(())
            }
            InstKind::ExtractElement { vector, index } => {
                let leaves = self.leaves(vector.ty)?;
                let d = self.result(inst);
                if let Value::Const(Const::Int(i)) = index.value {
                    if local_of(&vector.value).is_none() {
                        let sources = self.sources(vector.ty, &vector.value)?;
                        let leaf =
                            leaves.get(i as usize).ok_or_else(|| Unsupported("an element beyond a vector".into()))?;
                        for k in 0..leaf.scalar.slots() {
                            self.move_to(d + k, sources[(leaf.slot + k) as usize]);
                        }
                    }
                    return Ok(());
                }
                // A variable index: the last element whose number it is.
                let sources = self.sources(vector.ty, &vector.value)?;
                let which = self.value_slot(index.ty, &index.value)?;
                let hit = self.temp(1);
                for (i, leaf) in leaves.iter().enumerate() {
                    self.emit(Op::SetEqI { d: hit, a: which, i: i as u64 });
                    for k in 0..leaf.scalar.slots() {
                        let a = self.slot(sources[(leaf.slot + k) as usize]);
                        if i == 0 {
                            self.emit(Op::Mov { d: d + k, a });
                        } else {
                            self.emit(Op::Select { d: d + k, c: hit, a, b: d + k });
                        }
                    }
                }
                Ok(())
            }
            InstKind::InsertElement { vector, elem, index } => {
                let leaves = self.leaves(vector.ty)?;
                let (_, element) = self.layout().vector(vector.ty)?.expect("a vector");
                let sources = self.sources(vector.ty, &vector.value)?;
                let new = self.sources(element, elem)?;
                let d = self.result(inst);
                let constant = match index.value {
                    Value::Const(Const::Int(i)) => Some(i as usize),
                    _ => None,
                };
                let which = if constant.is_none() { self.value_slot(index.ty, &index.value)? } else { 0 };
                let hit = self.temp(1);
                for (i, leaf) in leaves.iter().enumerate() {
                    for k in 0..leaf.scalar.slots() {
                        let old = sources[(leaf.slot + k) as usize];
                        match constant {
                            Some(chosen) => {
                                self.move_to(d + leaf.slot + k, if chosen == i { new[k as usize] } else { old });
                            }
                            None => {
                                self.emit(Op::SetEqI { d: hit, a: which, i: i as u64 });
                                let (a, b) = (self.slot(new[k as usize]), self.slot(old));
                                self.emit(Op::Select { d: d + leaf.slot + k, c: hit, a, b });
                            }
                        }
                    }
                }
                Ok(())
            }
            InstKind::ShuffleVector { a, b, mask } => {
                let leaves = self.leaves(a.ty)?;
                let x = self.sources(a.ty, &a.value)?;
                let y = self.sources(a.ty, b)?;
                let d = self.result(inst);
                let width = leaves.first().map_or(1, |leaf| leaf.scalar.slots());
                for (i, which) in mask.iter().enumerate() {
                    for k in 0..width {
                        let src = match which {
                            None => Src::undefined(64),
                            Some(n) if (*n as usize) < leaves.len() => x[(*n as u16 * width + k) as usize],
                            Some(n) => y[((*n as usize - leaves.len()) as u16 * width + k) as usize],
                        };
                        self.move_to(d + i as u16 * width + k, src);
                    }
                }
                Ok(())
            }
            InstKind::VaArg { .. } => Err(Unsupported("the instruction va_arg".into())),
            InstKind::Freeze(operand) => {
                let sources = self.sources(operand.ty, &operand.value)?;
                let d = self.result(inst);
                for (i, src) in sources.into_iter().enumerate() {
                    match src {
                        Src::Slot(a) => self.emit(Op::Freeze { d: d + i as u16, a }),
                        Src::Const(value) => self.emit(Op::Imm { d: d + i as u16, i: value }),
                        Src::Undefined { .. } => self.emit(Op::Imm { d: d + i as u16, i: 0 }),
                    }
                }
                Ok(())
            }
            InstKind::Br(to) => {
                let moves = self.phi_moves(self.current_block(), *to)?;
                self.parallel_moves(moves);
                if !self.is_next(*to) {
                    self.emit(Op::Jmp { t: to.0 });
                }
                Ok(())
            }
            InstKind::CondBr { cond, then, els } => {
                let (t, f) = (self.edge(*then)?, self.edge(*els)?);
                if let Some(local) = local_of(cond)
                    && self.is_fused(local)
                    && let Some(Inst { kind: InstKind::ICmp { pred, lhs, rhs }, .. }) = self.definition(local)
                {
                    let w = self.layout().scalar(lhs.ty)?.bits()?;
                    let (a, b) = (self.source(lhs.ty, &lhs.value)?, self.source(lhs.ty, rhs)?);
                    self.branch(pred_of(*pred), w, a, b, t, f);
                    return Ok(());
                }
                let c = match cond {
                    Value::Local(local) => self.local_slot(*local),
                    Value::Const(constant) => {
                        let src = match constant {
                            Const::Int(bits) => Src::Const(*bits as u64),
                            Const::Undef | Const::Poison => Src::undefined(1),
                            _ => Src::Const(0),
                        };
                        self.slot(src)
                    }
                };
                self.emit(Op::Br { c, t, f });
                Ok(())
            }
            InstKind::Switch { value, default, cases } => self.switch(value, *default, cases),
            InstKind::IndirectBr { addr, targets } => {
                for &target in targets {
                    if !self.phi_moves(self.current_block(), target)?.is_empty() {
                        return self.indirect_with_phis(addr, targets);
                    }
                }
                let a = self.value_slot_ptr(addr)?;
                self.emit(Op::IndirectBr { a });
                Ok(())
            }
            InstKind::Ret(None) => {
                self.emit(Op::Ret);
                Ok(())
            }
            InstKind::Ret(Some(operand)) => {
                let sources = self.sources(operand.ty, &operand.value)?;
                match sources[..] {
                    [] => self.emit(Op::Ret),
                    [one] => {
                        let a = self.slot(one);
                        if self.is_main() {
                            self.native_site(Native::MainResult, vec![a], 0, 0);
                        }
                        self.emit(Op::RetOne { a });
                    }
                    _ => {
                        let slots: Vec<Slot> = sources.into_iter().map(|src| self.slot(src)).collect();
                        let args = self.low.program.args.len() as u32;
                        let n = slots.len() as u16;
                        self.low.program.args.extend(slots);
                        self.emit(Op::RetMany { args, n });
                    }
                }
                Ok(())
            }
            InstKind::Unreachable => {
                match self.after_failed_assertion() {
                    Some((from, to)) => {
                        let moves = self.phi_moves(from, to)?;
                        self.parallel_moves(moves);
                        self.emit(Op::Jmp { t: to.0 });
                    }
                    None => self.emit(Op::Unreachable),
                }
                Ok(())
            }
        }
    }

    /// Where the program would have gone, had the assertion held that this block complains of: the edge that its only
    /// predecessor takes otherwise. A search for more than one bug goes on there.
    fn after_failed_assertion(&self) -> Option<(threadbare_ir::BlockId, threadbare_ir::BlockId)> {
        let here = self.current_block();
        let calls_assert_fail = |inst: &Inst| match &inst.kind {
            InstKind::Call(call) => {
                matches!(&call.callee, Callee::Value(Value::Const(Const::Global(name))) if name == "__assert_fail")
            }
            _ => false,
        };
        if !self.function.blocks[here.0 as usize].insts.iter().any(calls_assert_fail) {
            return None;
        }
        let mut found = None;
        for (from, block) in self.function.blocks.iter().enumerate() {
            let from = threadbare_ir::BlockId(from as u32);
            match &block.insts.last()?.kind {
                InstKind::CondBr { then, els, .. } if *then == here || *els == here => {
                    let to = if *then == here { *els } else { *then };
                    if to == here || found.replace((from, to)).is_some() {
                        return None;
                    }
                }
                InstKind::Br(to) if *to == here => return None,
                InstKind::Switch { .. } | InstKind::IndirectBr { .. }
                    if self.may_jump_to(&block.insts.last()?.kind, here) =>
                {
                    return None;
                }
                _ => {}
            }
        }
        found
    }

    fn may_jump_to(&self, kind: &InstKind, block: threadbare_ir::BlockId) -> bool {
        match kind {
            InstKind::Switch { default, cases, .. } => *default == block || cases.iter().any(|(_, to)| *to == block),
            InstKind::IndirectBr { targets, .. } => targets.contains(&block),
            _ => false,
        }
    }

    /// A computed goto into blocks with phis: a chain of comparisons, each with its own edge.
    fn indirect_with_phis(&mut self, addr: &Value, targets: &[threadbare_ir::BlockId]) -> Lowered<()> {
        let a = self.value_slot_ptr(addr)?;
        let base = crate::memory::code_address(self.index);
        let mut cases = rustc_hash::FxHashMap::default();
        for &target in targets {
            let edge = self.edge(target)?;
            cases.insert(base + 1 + u64::from(target.0), edge);
        }
        let default = *cases.values().next().ok_or_else(|| Unsupported("a goto without targets".into()))?;
        let table = self.low.program.switches.len() as u32;
        self.low.program.switches.push(SwitchTable { default, kind: SwitchKind::Sparse(cases) });
        self.emit(Op::Switch { a, table });
        Ok(())
    }
}

pub(super) fn atomicity(ordering: Ordering) -> Atomicity {
    match ordering {
        Ordering::NotAtomic => Atomicity::Volatile,
        Ordering::Observed => Atomicity::Plain,
        Ordering::Unordered | Ordering::Monotonic => Atomicity::Relaxed,
        Ordering::Acquire => Atomicity::Acquire,
        Ordering::Release => Atomicity::Release,
        Ordering::AcqRel => Atomicity::AcqRel,
        Ordering::SeqCst => Atomicity::SeqCst,
    }
}
