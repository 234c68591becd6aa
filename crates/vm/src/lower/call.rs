//! Calls: of known functions, through pointers, of the machine's own primitives, and of what nobody has.

use threadbare_core::Operation;
use threadbare_ir::{Call, Callee, Const, Inst, Type, Value};

use super::function::{Body, Lowered, Src, is_undefined_call};
use super::primitive::{self, Primitive};
use super::{Lowering, Named, Symbol};
use crate::bytecode::*;
use crate::frontend::PINNED;
use crate::layout::Unsupported;
use crate::math;
use crate::nondet;

/// Slots for the result of a call through a pointer whose caller ignores it.
const IGNORED_RESULT: u16 = 8;

impl Lowering<'_> {
    /// A function of the machine that somebody takes the address of.
    pub(super) fn stub(&mut self, m: usize, name: &str) -> u32 {
        if let Some(&index) = self.stubs.get(name) {
            return index;
        }
        let index = self.program.functions.len() as u32;
        self.stubs.insert(name.into(), index);
        let mut stub = Function::default_for_swap();
        stub.name = name.into();
        stub.library = true;
        let declaration = self.module(m).functions.iter().find(|f| f.name == name);
        if let Some(declared) = declaration {
            stub.params = declared
                .params
                .iter()
                .flat_map(|param| self.classes(m, param.ty, param.attrs.byval, param.attrs.align).unwrap_or_default())
                .collect();
            stub.results = self.classes(m, declared.ret, None, 0).unwrap_or_default();
            stub.varargs = declared.varargs;
        }
        stub.param_slots = stub.params.iter().map(|class| class.slots()).sum();
        let results: u16 = stub.results.iter().map(|class| class.slots()).sum();
        let args: Vec<Slot> = (0..stub.param_slots).collect();
        let d = stub.param_slots;
        stub.slots = u32::from(stub.param_slots + results.max(1));
        match (math::lookup(name), primitive::primitive(name)) {
            (Some(function), _) if function.signature() != (stub.params.clone(), stub.results.clone()) => {
                let message = self.message(other_types(name));
                stub.code.push(Op::Refuse { message });
            }
            (Some(function), _) => {
                let site = self.program.natives.len() as u32;
                self.program.natives.push(NativeSite { native: Native::Math(function), args, result_slots: results });
                stub.code.push(Op::Native { site, d });
            }
            (None, Some(Primitive::Native(native))) => {
                let site = self.program.natives.len() as u32;
                self.program.natives.push(NativeSite { native, args, result_slots: results });
                stub.code.push(Op::Native { site, d });
            }
            (None, Some(Primitive::Visible(operation))) => {
                let site = self.program.visibles.len() as u32;
                let detail = VisibleDetail::Library;
                self.program.visibles.push(VisibleSite {
                    operation,
                    detail,
                    args,
                    result_slots: results,
                    may_wait: false,
                    in_vain: false,
                });
                stub.code.push(Op::Visible { site, d });
            }
            (None, None) => {
                let message = self.message(self.unknown_function(name));
                stub.code.push(Op::Refuse { message });
            }
        }
        match results {
            0 => stub.code.push(Op::Ret),
            1 => stub.code.push(Op::RetOne { a: d }),
            n => {
                let args = self.program.args.len() as u32;
                self.program.args.extend(d..d + n);
                stub.code.push(Op::RetMany { args, n });
            }
        }
        stub.locations = vec![0; stub.code.len()];
        self.program.functions.push(stub);
        index
    }

    /// Why a function cannot be called that has no code.
    fn unknown_function(&self, name: &str) -> String {
        let by_resolver = self.linked.modules.iter().flat_map(|module| &module.aliases);
        if by_resolver.filter(|alias| alias.ifunc).any(|alias| alias.name == name) {
            return format!(
                "the function `{name}` is chosen by a resolver when the program starts (ifunc or target_clones)"
            );
        }
        let name = primitive::source_name(name);
        format!(
            "the function `{name}` is defined neither by the program nor by the library of the machine; \
             give its source as well, or define a replacement{}",
            self.linked.foreign.whence(name)
        )
    }
}

fn other_types(name: &str) -> String {
    format!("the library function `{name}` is declared or called with other types than it has")
}

impl Body<'_, '_> {
    pub fn call(&mut self, inst: &Inst, call: &Call) -> Lowered<()> {
        if is_undefined_call(call) {
            if let Some(local) = inst.result.filter(|local| self.has_home(*local)) {
                let sources = self.sources(call.ret, &Value::Local(local))?;
                for (i, src) in sources.into_iter().enumerate() {
                    self.move_to(self.local_slot(local) + i as u16, src);
                }
            }
            return Ok(());
        }
        match &call.callee {
            Callee::Asm { template, constraints } => self.inline_assembly(inst, call, template, constraints),
            Callee::Value(Value::Const(Const::Global(name))) if name.starts_with("llvm.") => {
                self.intrinsic(inst, call, name)
            }
            Callee::Value(Value::Const(Const::Global(name))) if name == PINNED => Ok(()),
            Callee::Value(Value::Const(Const::Global(name))) if name.starts_with(nondet::BOUNDED) => {
                self.bounded_nondet(inst, call, &name[nondet::BOUNDED.len()..])
            }
            Callee::Value(Value::Const(Const::Global(name))) => {
                let name = self.variant(inst, name);
                match self.low.named(self.m, name) {
                    Named::Function(f) => self.call_function(inst, call, f),
                    Named::External(name) => self.call_external(inst, call, &name),
                    Named::WeakNull => self.call_pointer(inst, call, Src::Const(0)),
                    Named::Data(address) => self.call_pointer(inst, call, Src::Const(address)),
                    Named::ThreadLocal(_) => Err(Unsupported("a call of a variable".into())),
                }
            }
            Callee::Value(value @ Value::Local(_)) => {
                let slot = self.value_slot_ptr(value)?;
                self.call_pointer(inst, call, Src::Slot(slot))
            }
            Callee::Value(Value::Const(constant)) => {
                let address = self.low.constant_address(self.m, constant)?;
                match crate::memory::code_target(address) {
                    Some((f, 0)) => self.call_function(inst, call, f),
                    _ => self.call_pointer(inst, call, Src::Const(address)),
                }
            }
        }
    }

    /// The form of a library function that says less, where the call does not look at the result.
    fn variant<'n>(&self, inst: &Inst, name: &'n str) -> &'n str {
        const PASS: &str = "__tbi_barrier_pass";
        if name != "pthread_barrier_wait" || self.result_is_used(inst) {
            return name;
        }
        let module_of = |name| match self.low.linked.resolve(self.m, name) {
            Some(Symbol::Function(m, _)) => Some(m),
            _ => None,
        };
        if module_of(PASS).is_some() && module_of(PASS) == module_of(name) { PASS } else { name }
    }

    /// The slots of all arguments, one a component.
    fn argument_slots(&mut self, call: &Call) -> Lowered<Vec<Slot>> {
        let mut slots = Vec::new();
        for arg in &call.args {
            if matches!(self.layout().get(arg.operand.ty)?, Type::Metadata) {
                continue;
            }
            for src in self.sources(arg.operand.ty, &arg.operand.value)? {
                slots.push(self.slot(src));
            }
        }
        Ok(slots)
    }

    fn argument_classes(&self, call: &Call) -> Lowered<Vec<ArgClass>> {
        let mut classes = Vec::new();
        for arg in &call.args {
            classes.extend(self.low.classes(self.m, arg.operand.ty, arg.attrs.byval, arg.attrs.align)?);
        }
        Ok(classes)
    }

    fn call_function(&mut self, inst: &Inst, call: &Call, f: u32) -> Lowered<()> {
        let classes = self.argument_classes(call)?;
        let results = self.low.classes(self.m, call.ret, None, 0)?;
        let callee = &self.low.program.functions[f as usize];
        let plain = !callee.varargs
            && !call.must_tail
            && classes == callee.params
            && results == callee.results
            && !classes.iter().any(|class| matches!(class, ArgClass::ByVal { .. }));
        if !plain {
            return self.call_site(inst, call, Target::Function(f));
        }
        let slots = self.argument_slots(call)?;
        let d = if results.is_empty() { 0 } else { self.result(inst) };
        let args = self.low.program.args.len() as u32;
        self.low.program.args.extend(slots);
        self.emit(Op::Call { f, d, args });
        Ok(())
    }

    fn call_pointer(&mut self, inst: &Inst, call: &Call, pointer: Src) -> Lowered<()> {
        let slot = self.slot(pointer);
        self.call_site(inst, call, Target::Slot(slot))
    }

    pub(super) fn call_site(&mut self, inst: &Inst, call: &Call, callee: Target) -> Lowered<()> {
        let classes = self.argument_classes(call)?;
        let result_classes = self.low.classes(self.m, call.ret, None, 0)?;
        let result_slots: u16 = result_classes.iter().map(|class| class.slots()).sum();
        let (fixed_types, varargs) = match self.low.module(self.m).types.get(call.fn_ty) {
            Type::Func { params, varargs, .. } => (params.clone(), *varargs),
            _ => (call.args.iter().map(|arg| arg.operand.ty).collect(), false),
        };
        let mut fixed = 0;
        for ty in fixed_types {
            fixed += self.layout().slots(ty)?;
        }
        let args = self.argument_slots(call)?;
        let mut byval = Vec::new();
        let mut position = 0;
        for class in &classes {
            if let ArgClass::ByVal { size, .. } = class {
                byval.push((position, u64::from(*size)));
            }
            position += class.slots();
        }
        let d = if result_slots == 0 { self.temp(IGNORED_RESULT) } else { self.result(inst) };
        let site = self.low.program.calls.len() as u32;
        self.low.program.calls.push(CallSite {
            callee,
            args,
            fixed,
            classes,
            result_slots,
            result_classes,
            byval,
            varargs,
            tail: call.must_tail,
            signature: 0,
        });
        self.emit(Op::CallSite { site, d });
        Ok(())
    }

    fn call_external(&mut self, inst: &Inst, call: &Call, name: &str) -> Lowered<()> {
        if primitive::is_setjmp(name) {
            let slots = self.argument_slots(call)?;
            let a = *slots.first().ok_or_else(|| Unsupported(format!("a call of `{name}` without a buffer")))?;
            let wanted = slots.get(1).copied().filter(|_| primitive::saves_mask(name));
            self.save_signal_mask(a, wanted);
            let d = if inst.result.is_some() { self.result(inst) } else { self.temp(1) };
            self.emit(Op::Setjmp { d, a });
            return Ok(());
        }
        match primitive::primitive(name) {
            Some(Primitive::Native(native)) => return self.native(inst, call, native),
            Some(Primitive::Visible(operation)) => {
                let args = self.argument_slots(call)?;
                let result_slots = self.layout().slots(call.ret)?;
                let d = if result_slots == 0 { self.temp(1) } else { self.result(inst) };
                self.visible(operation, VisibleDetail::Library, args, d, result_slots);
                if operation == Operation::ThreadEnd {
                    self.last_thread_exits()?;
                }
                return Ok(());
            }
            None => {}
        }
        if let Some(function) = math::lookup(name) {
            let result = self.low.classes(self.m, call.ret, None, 0)?;
            if function.signature() == (self.argument_classes(call)?, result) {
                return self.native(inst, call, Native::Math(function));
            }
            let message = self.low.message(other_types(name));
            self.emit(Op::Refuse { message });
            return Ok(());
        }
        let message = self.low.message(self.low.unknown_function(name));
        self.emit(Op::Refuse { message });
        Ok(())
    }

    /// Any value of an interval; or of too many, which is refused.
    fn bounded_nondet(&mut self, inst: &Inst, call: &Call, name: &str) -> Lowered<()> {
        let numbers = call.args.iter().filter_map(|arg| match arg.operand.value {
            Value::Const(Const::Int(number)) => Some(number as u64),
            _ => None,
        });
        let [start, above, bits] = numbers.collect::<Vec<_>>()[..] else {
            return Err(Unsupported(format!("a call of `{name}` with arguments")));
        };
        if let Some(refusal) = nondet::refusal(name, start, above, bits as u32) {
            let message = self.low.message(refusal);
            self.emit(Op::Refuse { message });
            return Ok(());
        }
        let args = [start, above, bits].map(|number| self.slot(Src::Const(number))).into();
        let d = if inst.result.is_some() { self.result(inst) } else { self.temp(1) };
        self.visible(Operation::Nondet, VisibleDetail::Library, args, d, 1);
        Ok(())
    }

    /// Every jump looks whether a mask was saved. Without the function that says so there is nothing that jumps.
    fn save_signal_mask(&mut self, buffer: Slot, wanted: Option<Slot>) {
        if let Named::Function(f) = self.low.named(self.m, "__tb_save_mask") {
            let wanted = wanted.unwrap_or_else(|| self.slot(Src::Const(0)));
            let args = self.low.program.args.len() as u32;
            self.low.program.args.extend([buffer, wanted]);
            self.emit(Op::Call { f, d: 0, args });
        }
    }

    /// The last thread of a process that ends does not end alone: it calls `exit(0)`.
    fn last_thread_exits(&mut self) -> Lowered<()> {
        if let Named::Function(f) = self.low.named(self.m, "exit") {
            let status = self.slot(Src::Const(0));
            let args = self.low.program.args.len() as u32;
            self.low.program.args.push(status);
            self.emit(Op::Call { f, d: 0, args });
        }
        Ok(())
    }

    pub fn native(&mut self, inst: &Inst, call: &Call, native: Native) -> Lowered<()> {
        let args = self.argument_slots(call)?;
        let result_slots = self.layout().slots(call.ret)?;
        let d = if result_slots == 0 { self.temp(2) } else { self.result(inst) };
        self.native_site(native, args, d, result_slots);
        Ok(())
    }

    pub fn native_site(&mut self, native: Native, args: Vec<Slot>, d: Slot, result_slots: u16) {
        let site = self.low.program.natives.len() as u32;
        self.low.program.natives.push(NativeSite { native, args, result_slots });
        self.emit(Op::Native { site, d });
    }

    /// Assembly that means nothing to the machine, or just a fence, is taken; all other is refused.
    fn inline_assembly(&mut self, inst: &Inst, call: &Call, template: &str, constraints: &str) -> Lowered<()> {
        let text: String = template.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        let barrier = matches!(text.as_str(), "" | "nop" | "pause" | "rep; nop" | "rep nop" | "rep;nop" | "rep ; nop");
        if matches!(text.as_str(), "mfence") {
            let detail = VisibleDetail::Fence { ordering: Atomicity::SeqCst };
            self.visible(Operation::Fence, detail, Vec::new(), 0, 0);
            return Ok(());
        }
        // A processor without any features, whatever this one has: what a program does must not hang on where it is checked.
        if text == "cpuid" {
            if self.layout().slots(call.ret)? > 0 {
                let d = self.result(inst);
                (0..self.layout().slots(call.ret)?).for_each(|i| self.move_to(d + i, Src::Const(0)));
            }
            return Ok(());
        }
        if barrier {
            let results = self.layout().slots(call.ret)?;
            if results == 0 {
                return Ok(());
            }
            // `"+r"(x)`: the value comes out as it went in.
            let tied = constraints.split(',').any(|constraint| constraint == "0");
            if tied && call.args.len() == 1 {
                let operand = &call.args[0].operand;
                let sources = self.sources(operand.ty, &operand.value)?;
                let d = self.result(inst);
                for (i, src) in sources.into_iter().enumerate() {
                    self.move_to(d + i as u16, src);
                }
                return Ok(());
            }
        }
        Err(Unsupported("inline assembly (only empty barriers, `pause`, `mfence` and `cpuid` are)".into()))
    }
}
