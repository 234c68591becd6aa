//! Volatile variables that only their function knows: nobody else can see the accesses to them, so that they are no visible operations,
//! as on the virtual machine. ThreadSanitizer's pass, which announces all that is volatile, is told to pass them over. They
//! stay volatile: what they hold has to outlive a longjmp.

use threadbare_ir::{Function, InstKind, Module, Ordering, TypeId, Value};
use threadbare_vm::{private_locals, size_of};

use crate::edit::Edit;

const PASS_OVER: &str = ", !nosanitize !{}";

pub fn pass_over(module: &Module, edit: &mut Edit) {
    for function in &module.functions {
        let own = Own::of(module, function);
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            let (ty, ptr) = match &inst.kind {
                InstKind::Load { ty, ptr, ordering: Ordering::NotAtomic, volatile: true, .. } => (*ty, ptr),
                InstKind::Store { value, ptr, ordering: Ordering::NotAtomic, volatile: true, .. } => (value.ty, ptr),
                _ => continue,
            };
            if own.has(ptr, ty) {
                edit.lines[inst.text_line as usize - 1] += PASS_OVER;
            }
        }
    }
}

/// The variables of a function that nobody else knows, by their sizes.
pub struct Own<'m> {
    module: &'m Module,
    sizes: Vec<Option<u64>>,
}

impl<'m> Own<'m> {
    pub fn of(module: &'m Module, function: &Function) -> Own<'m> {
        let mut sizes = vec![None; function.local_types.len()];
        let insts = || function.blocks.iter().flat_map(|block| &block.insts);
        let is_volatile = |kind: &InstKind| {
            matches!(kind, InstKind::Load { volatile: true, .. } | InstKind::Store { volatile: true, .. })
        };
        if insts().any(|inst| is_volatile(&inst.kind)) {
            let private = private_locals(function);
            for inst in insts() {
                if let (InstKind::Alloca { ty, count: None, .. }, Some(local)) = (&inst.kind, inst.result)
                    && private[local.0 as usize]
                {
                    sizes[local.0 as usize] = size_of(&module.types, *ty);
                }
            }
        }
        Own { module, sizes }
    }

    /// Whether an access is to all or a part of one of them: AddressSanitizer's pass does not look at it any more.
    pub fn has(&self, ptr: &Value, ty: TypeId) -> bool {
        let Value::Local(local) = ptr else { return false };
        match (self.sizes[local.0 as usize], size_of(&self.module.types, ty)) {
            (Some(room), Some(size)) => size <= room,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::edited;

    #[test]
    fn only_accesses_to_variables_whose_address_goes_nowhere_are_passed_over() {
        let text = "declare void @use(ptr)\ndefine void @f(ptr %p) {\nentry:\n  %own = alloca i32, align 4\n  %lent = alloca i32, align 4\n\
              store volatile i32 1, ptr %own, align 4\n  store volatile i32 2, ptr %lent, align 4\n  call void @use(ptr %lent)\n\
              %x = load volatile i32, ptr %own, align 4\n  %y = load volatile i64, ptr %own, align 4\n  store volatile i32 %x, ptr %p, align 4\n\
              ret void\n}\n";
        let found = edited(text, pass_over);
        let passed: Vec<&str> = found
            .lines()
            .filter(|line| line.ends_with(PASS_OVER))
            .map(|line| line.trim().split(", ").next().unwrap_or(""))
            .collect();
        assert_eq!(passed, ["store volatile i32 1", "%x = load volatile i32"]);
    }
}
