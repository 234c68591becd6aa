//! Before the code: who uses which value, and as what.

use threadbare_ir::{self as ir, Inst, InstKind, LocalId, Ordering, Value};

use super::super::source::debug_variable;
use super::{Body, local_of};

#[derive(Clone, Copy, Default)]
pub(super) struct Uses {
    /// Uses that need the value in a slot.
    pub(super) value: u32,
    /// Uses as the address of a plain load or store.
    pub(super) address: u32,
    /// Uses as the condition of a branch.
    pub(super) condition: u32,
    /// Uses as an index.
    pub(super) index: u32,
}

impl Uses {
    pub(super) fn any(&self) -> bool {
        self.value + self.address + self.condition + self.index > 0
    }

    /// Whether somebody wants an undefined value in a slot; most take it as a constant.
    pub(super) fn in_slot(&self) -> bool {
        self.address + self.condition + self.index > 0
    }
}

impl Body<'_, '_> {
    pub(super) fn survey(&mut self) {
        let function = self.function;
        for (b, block) in function.blocks.iter().enumerate() {
            for inst in &block.insts {
                if let Some(result) = inst.result {
                    self.defs[result.0 as usize] = Some(inst);
                    self.def_block[result.0 as usize] = b as u32;
                }
                let mut address = None;
                let mut condition = None;
                match &inst.kind {
                    InstKind::Dbg(record) => {
                        self.name_undefined(record);
                        continue;
                    }
                    InstKind::Load { ptr, ordering: Ordering::NotAtomic, volatile: false, .. }
                    | InstKind::Store { ptr, ordering: Ordering::NotAtomic, volatile: false, .. } => {
                        address = local_of(ptr);
                    }
                    InstKind::CondBr { cond, .. } => condition = local_of(cond),
                    // The base of a `getelementptr` folds into it, or is asked for when it does not.
                    InstKind::Gep { base, indices, .. } => {
                        address = local_of(&base.value);
                        for LocalId(l) in indices.iter().filter_map(|index| local_of(&index.value)) {
                            self.uses[l as usize].index += 1;
                        }
                    }
                    _ => {}
                }
                if let Some(LocalId(l)) = address {
                    self.uses[l as usize].address += 1;
                }
                if let Some(LocalId(l)) = condition {
                    self.uses[l as usize].condition += 1;
                }
                let (mut skip_address, mut skip_condition) = (address, condition);
                ir::operands(&inst.kind, &mut |value| {
                    if let Some(local) = local_of(value) {
                        if skip_address == Some(local) && is_address_operand(&inst.kind, value) {
                            skip_address = None;
                        } else if skip_condition == Some(local) {
                            skip_condition = None;
                        } else {
                            self.uses[local.0 as usize].value += 1;
                        }
                    }
                });
            }
        }
        // A comparison that only a branch in its own block looks at is done by the branch.
        for (b, block) in function.blocks.iter().enumerate() {
            if let Some(Inst { kind: InstKind::CondBr { cond: Value::Local(cond), .. }, .. }) = block.insts.last() {
                let c = cond.0 as usize;
                let single = self.uses[c].value == 0 && self.uses[c].condition == 1 && self.def_block[c] == b as u32;
                if let (true, Some(Inst { kind: InstKind::ICmp { lhs, .. }, .. })) = (single, self.defs[c]) {
                    let narrow = self.layout().scalar(lhs.ty).is_ok_and(|scalar| scalar.slots() == 1);
                    self.fused[c] = narrow && self.layout().vector(lhs.ty).is_ok_and(|v| v.is_none());
                }
            }
        }
    }
}

impl Body<'_, '_> {
    /// A record may say which variable an undefined value stands for.
    fn name_undefined(&mut self, record: &ir::DbgRecord) {
        let local = record.value.as_ref().and_then(|operand| local_of(&operand.value));
        if let Some(local) = local.filter(|local| self.is_undefined(*local))
            && let Some((name, ..)) = debug_variable(self.low.module(self.m), record)
        {
            let index = self.low.source.name(&mut self.low.program, &name) + 1;
            self.undefined_variables.insert(local, index);
        }
    }
}

fn is_address_operand(kind: &InstKind, value: &Value) -> bool {
    match kind {
        InstKind::Load { ptr, .. } | InstKind::Store { ptr, .. } => std::ptr::eq(ptr, value),
        InstKind::Gep { base, .. } => std::ptr::eq(&base.value, value),
        _ => false,
    }
}
