//! Points of the program that a property names: `tb_label("critical")`, and labels of C. Where somebody asks for them, a
//! thread that comes to one stands there for a step of its own, which does nothing: so there is a state in which it
//! is there.

use threadbare_core::{Operation, Tid};
use threadbare_ir::{Arg, Call, Callee, Const, DbgKind, InstKind, Module, Operand, ParamAttrs, Type, Value};

use crate::link::Linked;
use crate::machine::VmMachine;

/// The labels that a program has.
#[derive(Clone, Default, Debug)]
pub struct Labels {
    pub names: Vec<String>,
    /// Some call of `tb_label` computes its name.
    pub open: bool,
}

/// The primitive at which a thread stands. It gets the address of a name, or the number of a label of C: such numbers are
/// no addresses.
const REACHED: &str = "__tb_reached";

/// The label that every call of `tb_progress` is, where somebody asks for it.
pub const PROGRESS: &str = "tb_progress";

/// Makes the labels of these names operations, and tells all that there are.
pub fn make_visible(linked: &mut Linked, names: &[String]) -> Labels {
    let mut labels = Labels::default();
    if names.is_empty() {
        return labels;
    }
    let user_modules = linked.user_modules;
    for (m, module) in linked.modules.iter_mut().enumerate() {
        let void = module.types.intern(Type::Void);
        let number_ty = module.types.intern(Type::Int(64));
        let fn_ty = module.types.intern(Type::Func { ret: void, params: vec![number_ty], varargs: false });
        let reached = |number: usize| {
            let operand = Operand { ty: number_ty, value: Value::Const(Const::Int(number as u128)) };
            InstKind::Call(Box::new(Call {
                fn_ty,
                ret: void,
                callee: Callee::Value(Value::Const(Const::Global(REACHED.into()))),
                args: vec![Arg { operand, attrs: ParamAttrs::default() }],
                returns_twice: false,
                must_tail: false,
            }))
        };
        for f in 0..module.functions.len() {
            for b in 0..module.functions[f].blocks.len() {
                for i in 0..module.functions[f].blocks[b].insts.len() {
                    let inst = &module.functions[f].blocks[b].insts[i];
                    match &inst.kind {
                        InstKind::Call(call) if is_call_of(call, "tb_label") && m < user_modules => {
                            match call.args.first().and_then(|arg| text_of(module, &arg.operand.value)) {
                                Some(name) => _ = add(&mut labels.names, &name),
                                None => labels.open = true,
                            }
                        }
                        InstKind::Call(call) if is_call_of(call, "__tb_label") => {
                            let inst = &mut module.functions[f].blocks[b].insts[i];
                            if let InstKind::Call(call) = &mut inst.kind {
                                call.callee = Callee::Value(Value::Const(Const::Global(REACHED.into())));
                            }
                        }
                        InstKind::Call(call)
                            if is_call_of(call, "__tb_progress") && names.iter().any(|name| name == PROGRESS) =>
                        {
                            let call = reached(add(&mut labels.names, PROGRESS));
                            module.functions[f].blocks[b].insts[i].kind = call;
                        }
                        InstKind::Dbg(record) if record.kind == DbgKind::Label && m < user_modules => {
                            let Some(label) = module.label(record.variable) else { continue };
                            let (name, loc) = (label.name.to_string(), record.location);
                            let number = add(&mut labels.names, &name);
                            if names.contains(&name) {
                                let inst = &mut module.functions[f].blocks[b].insts[i];
                                inst.kind = reached(number);
                                inst.loc = inst.loc.or(loc);
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    labels
}

fn add(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_string());
        names.len() - 1
    })
}

fn is_call_of(call: &Call, name: &str) -> bool {
    matches!(&call.callee, Callee::Value(Value::Const(Const::Global(callee))) if callee == name)
}

/// The text of a constant string.
fn text_of(module: &Module, value: &Value) -> Option<String> {
    let Value::Const(Const::Global(name)) = value else { return None };
    let global = module.globals.iter().find(|global| global.name == *name && global.constant)?;
    match global.init.as_ref()? {
        Const::Bytes(bytes) => {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
        }
        Const::Zero => Some(String::new()),
        _ => None,
    }
}

impl VmMachine {
    /// The label at which a live thread stands.
    pub fn label(&mut self, tid: Tid) -> Option<String> {
        let (site, _) = self.site(tid).filter(|(site, _)| site.operation == Operation::Label)?;
        let name = self.arg(tid, site, 0);
        match self.program.labels.names.get(name as usize) {
            Some(name) => Some(name.clone()),
            None => self.cpu(tid).c_string(name),
        }
    }
}
