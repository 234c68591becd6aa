//! What of a program cannot run on the floor, or would hide accesses from us: found in the IR, and refused by name.

use std::fmt::Write;

use threadbare_ir::{Callee, Const, Function, Inst, InstKind, Module, Type, TypeId, Value, operands};
use threadbare_vm::{Foreign, Linked, LoadError, LowerError};

use crate::world::OPERATIONS;

/// What the floor defines besides the operations.
const FLOOR: &[&str] = &[
    "free",
    "thread_end",
    "malloc",
    "object_size",
    "discard",
    "memcpy",
    "memmove",
    "memset",
    "write",
    "read",
    "signal_death",
    "unsupported",
    "error",
    "assert_fail",
    "assert",
    "assume",
    "thread_self",
    "thread_is_main",
    "thread_detached",
    "cancel_state",
    "label",
    "progress",
    "abstract",
    "need_function",
    "array_init",
    "array_fini",
    "longjmp",
];
const SETJMP: &[&str] = &["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"];

fn is_on_the_floor(name: &str) -> bool {
    SETJMP.contains(&name)
        || name.strip_prefix("__tb_").is_some_and(|rest| {
            FLOOR.contains(&rest) || OPERATIONS.iter().any(|(name, _)| !name.is_empty() && *name == rest)
        })
}

/// Complains of the first thing that is not supported.
pub fn refuse(linked: &Linked) -> Result<(), LoadError> {
    let missing: Vec<String> = linked.undefined().into_iter().filter(|name| !is_on_the_floor(name)).collect();
    for module in &linked.modules[..linked.user_modules] {
        for function in &module.functions {
            for inst in function.blocks.iter().flat_map(|block| &block.insts) {
                if let Some(what) = hidden(module, inst).or_else(|| missing_in(inst, &missing, &linked.foreign)) {
                    return Err(complaint(module, function, inst, what));
                }
            }
        }
    }
    if linked.resolve(0, "main").is_none() {
        return Err(LowerError::MissingFunction("main".into()).into());
    }
    match missing.first() {
        Some(name) => Err(unsupported(format!("`{name}` is defined nowhere"), None, 0)),
        None => Ok(()),
    }
}

/// Whether the program may cancel threads.
pub fn cancels(linked: &Linked) -> bool {
    let own = linked.modules[..linked.user_modules].iter().flat_map(|module| &module.functions);
    own.into_iter().any(|function| function.name == "pthread_cancel")
}

/// The name by which the floor knows a constructor or destructor.
pub fn constructor_name(init: bool, number: usize) -> String {
    format!("__tb_{}_{number}", if init { "constructor" } else { "destructor" })
}

/// The text of a module without the lists of its constructors and destructors, which the floor calls by other names.
pub fn without_constructors(linked: &Linked, m: usize, text: &str) -> String {
    let mut result: String = text.lines().filter(|line| !line.starts_with("@llvm.global_")).fold(
        String::with_capacity(text.len()),
        |mut result, line| {
            result.push_str(line);
            result.push('\n');
            result
        },
    );
    for init in [true, false] {
        for (number, (_, name)) in linked.constructors(init).iter().enumerate().filter(|(_, (of, _))| *of == m) {
            let _ = writeln!(result, "@{} = alias void (), ptr @\"{name}\"", constructor_name(init, number));
        }
    }
    result
}

fn unsupported(message: String, file: Option<&str>, line: u32) -> LoadError {
    LowerError::Unsupported { message, file: file.map(String::from), line }.into()
}

fn complaint(module: &Module, function: &Function, inst: &Inst, what: String) -> LoadError {
    let place = inst.loc.or(function.subprogram).and_then(|loc| module.location(loc));
    unsupported(what, place.as_ref().map(|place| &*place.file), place.as_ref().map_or(0, |place| place.line))
}

fn missing_in(inst: &Inst, missing: &[String], foreign: &Foreign) -> Option<String> {
    let mut found = None;
    let mut look = |name: &String| {
        if found.is_none() && missing.contains(name) {
            found = Some(format!(
                "`{name}` is not supported: it is defined neither in the program nor in the C library of Threadbare{}",
                foreign.whence(name)
            ));
        }
    };
    operands(&inst.kind, &mut |value: &Value| {
        if let Value::Const(Const::Global(name)) = value {
            look(name);
        }
    });
    found
}

/// Accesses that ThreadSanitizer's pass does not announce.
fn hidden(module: &Module, inst: &Inst) -> Option<String> {
    match &inst.kind {
        InstKind::Load { ty, .. } => unseen(module, *ty),
        InstKind::Store { value, .. } => unseen(module, value.ty),
        InstKind::CmpXchg { expected, .. } => wide_atomic(module, expected.ty),
        InstKind::AtomicRmw { value, .. } => wide_atomic(module, value.ty),
        InstKind::Call(call) => match &call.callee {
            // Which features the processor has is no access.
            Callee::Asm { template, .. } if !matches!(template.trim(), "" | "cpuid") => {
                Some("the native backend cannot see what assembly code accesses".into())
            }
            _ if call.args.iter().any(|arg| arg.attrs.byval.is_some()) => {
                Some("the native backend cannot see the copy of a structure that is passed by value in memory".into())
            }
            _ => None,
        },
        _ => None,
    }
}

fn wide_atomic(module: &Module, ty: TypeId) -> Option<String> {
    match module.types.get(ty) {
        Type::Int(8 | 16 | 32 | 64) | Type::Ptr => None,
        _ => Some("the native backend has no atomic operations on this type, but on integers of up to 8 bytes".into()),
    }
}

/// The pass knows accesses of 1, 2, 4, 8 and 16 bytes.
fn unseen(module: &Module, ty: TypeId) -> Option<String> {
    let bits = match module.types.get(ty) {
        Type::Ptr => 64,
        Type::Int(1) => 8,
        Type::Int(bits) => u64::from(*bits),
        Type::Float(kind) => u64::from(kind.bits()),
        Type::Vector(n, element) => match module.types.get(*element) {
            Type::Int(bits) => n * u64::from(*bits),
            Type::Float(kind) => n * u64::from(kind.bits()),
            Type::Ptr => n * 64,
            _ => 0,
        },
        _ => 0,
    };
    let what = match bits {
        8 | 16 | 32 | 64 | 128 => return None,
        80 => "long double",
        _ => "a type of this size",
    };
    Some(format!("the native backend cannot see accesses to {what}"))
}

/// The text of the program's module with calls of `pthread_barrier_wait` whose result nobody looks at in the form that says so: the
/// order of arrivals does not matter then.
pub fn quieter(linked: &Linked, m: usize, text: &str) -> String {
    const WAIT: &str = "@pthread_barrier_wait(";
    let mut lines = Vec::new();
    for function in &linked.modules[m].functions {
        let insts = || function.blocks.iter().flat_map(|block| &block.insts);
        for inst in insts() {
            let InstKind::Call(call) = &inst.kind else { continue };
            let waits = matches!(&call.callee, Callee::Value(Value::Const(Const::Global(name))) if name == "pthread_barrier_wait");
            let is_result = |value: &Value| matches!(value, Value::Local(local) if Some(*local) == inst.result);
            let is_used = insts().any(|other| {
                let mut used = false;
                operands(&other.kind, &mut |value| used |= is_result(value));
                used
            });
            if waits && !is_used {
                lines.push(inst.text_line as usize);
            }
        }
    }
    let own = linked.modules[..linked.user_modules].iter().flat_map(|module| &module.functions);
    if lines.is_empty() || own.into_iter().any(|f| f.name == "pthread_barrier_wait" && !f.is_declaration()) {
        return text.into();
    }
    let mut result = String::with_capacity(text.len() + 100);
    for (number, line) in text.lines().enumerate() {
        match lines.contains(&(number + 1)) {
            true => result += &line.replace(WAIT, "@__tbi_barrier_pass("),
            false => result += line,
        }
        result.push('\n');
    }
    let _ = writeln!(result, "declare i32 @__tbi_barrier_pass(ptr)");
    result
}
