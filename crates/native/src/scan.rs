//! What of a program cannot run on the floor, or would hide accesses from us: found in the IR, and refused by name.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use threadbare_ir::{
    Call, Callee, Const, Function, Inst, InstKind, Module, Ordering, RmwOp, Type, TypeId, Value, operands,
};
use threadbare_vm::{
    Foreign, Linked, LoadError, LowerError, MATH_NAMES, Signature, Symbol, TOO_LONG, Texts, is_too_long, math_types_of,
    size_of,
};

use crate::edit::Edit;
use crate::world::OPERATIONS;
use crate::{assembly, copies, foreign, unseen};

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
    "host_file",
    "host_read",
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

pub fn is_on_the_floor(name: &str) -> bool {
    let function = name.strip_prefix("__tb_math_").unwrap_or(name);
    SETJMP.contains(&name)
        || MATH_NAMES.contains(&function)
        || name.strip_prefix("__tb_").is_some_and(|rest| {
            FLOOR.contains(&rest) || OPERATIONS.iter().any(|(name, _)| !name.is_empty() && *name == rest)
        })
}

/// Complains of the first thing that is not supported.
pub fn refuse(texts: &Texts) -> Result<(), LoadError> {
    let (linked, by_code) = (&texts.linked, foreign::names(&texts.code));
    let is_there = |name: &String| is_on_the_floor(name) || by_code.contains(name.as_str());
    let missing: Vec<String> = linked.undefined().into_iter().filter(|name| !is_there(name)).collect();
    for (m, module) in linked.modules[..linked.user_modules].iter().enumerate() {
        // The loader would call it before there is anything to run on.
        if let Some(alias) = module.aliases.iter().find(|alias| alias.ifunc) {
            let what = format!("the function `{}` is chosen by a resolver when the program starts (ifunc)", alias.name);
            return Err(unsupported(what, None, 0));
        }
        for function in &module.functions {
            for inst in function.blocks.iter().flat_map(|block| &block.insts) {
                let refused = hidden(module, inst)
                    .or_else(|| is_too_long(module, function, inst).then(|| TOO_LONG.into()))
                    .or_else(|| missing_in(inst, &missing, &linked.foreign))
                    .or_else(|| of_other_types(linked, m, inst));
                if let Some(what) = refused {
                    return Err(complaint(module, function, inst, what));
                }
            }
        }
    }
    if linked.resolve(0, "main").is_none() && !by_code.contains("main") {
        return Err(LowerError::missing("main", &linked.foreign).into());
    }
    match missing.first() {
        Some(name) if name.starts_with("__start_") || name.starts_with("__stop_") => {
            Err(unsupported(nowhere(name, &linked.foreign), None, 0))
        }
        Some(name) => Err(unsupported(format!("`{name}` is defined nowhere"), None, 0)),
        None => Ok(()),
    }
}

/// Whether the program may cancel threads.
pub fn cancels(texts: &Texts) -> bool {
    let own = texts.linked.modules[..texts.linked.user_modules].iter().flat_map(|module| &module.functions);
    let by_code = wanted(texts);
    own.map(|function| &function.name).chain(&by_code).any(|name| name == "pthread_cancel")
}

/// What machine code wants of others.
pub fn wanted(texts: &Texts) -> Vec<String> {
    texts.code.needed().into_iter().chain(texts.code.taken().cloned()).collect()
}

const CONSTRUCTOR: &str = "__tb_constructor_";
const DESTRUCTOR: &str = "__tb_destructor_";

/// The name by which the floor knows a constructor or destructor.
pub fn constructor_name(init: bool, number: usize) -> String {
    format!("{}{number}", if init { CONSTRUCTOR } else { DESTRUCTOR })
}

pub fn is_constructor(name: &str) -> bool {
    name.starts_with(CONSTRUCTOR) || name.starts_with(DESTRUCTOR)
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

pub fn unsupported(message: String, file: Option<&str>, line: u32) -> LoadError {
    LowerError::Unsupported { message, file: file.map(String::from), line }.into()
}

pub fn complaint(module: &Module, function: &Function, inst: &Inst, what: String) -> LoadError {
    let place = inst.loc.or(function.subprogram).and_then(|loc| module.location(loc));
    unsupported(what, place.as_ref().map(|place| &*place.file), place.as_ref().map_or(0, |place| place.line))
}

/// Why there is nothing by this name.
fn nowhere(name: &str, foreign: &Foreign) -> String {
    let section = name.strip_prefix("__start_").or_else(|| name.strip_prefix("__stop_"));
    match section {
        Some(section) => format!(
            "`{name}` is not supported: the linker would define it, as an end of the section `{section}`, and Threadbare has no such sections"
        ),
        None if name == "syscall" => {
            "`syscall` is not supported: there is no kernel behind the program, only the C library of Threadbare; call the function of the C library instead".into()
        }
        None => format!(
            "`{name}` is not supported: it is defined neither in the program nor in the C library of Threadbare{}",
            foreign.whence(name)
        ),
    }
}

fn missing_in(inst: &Inst, missing: &[String], foreign: &Foreign) -> Option<String> {
    let mut found = None;
    let mut look = |name: &String| {
        if found.is_none() && missing.contains(name) {
            found = Some(nowhere(name, foreign));
        }
    };
    operands(&inst.kind, &mut |value: &Value| {
        if let Value::Const(Const::Global(name)) = value {
            look(name);
        }
    });
    found
}

/// A call of a library function that is declared as something else: machine code would take whatever it finds for arguments.
fn of_other_types(linked: &Linked, m: usize, inst: &Inst) -> Option<String> {
    let InstKind::Call(call) = &inst.kind else { return None };
    let Callee::Value(Value::Const(Const::Global(name))) = &call.callee else { return None };
    let complaint = || {
        let where_it_is = if name.starts_with("tb_") { "; threadbare.h declares it" } else { "" };
        format!("the library function `{name}` is declared or called with other types than it has{where_it_is}")
    };
    let symbol = linked.resolve(m, name).filter(|_| !name.starts_with("llvm."));
    let Some(Symbol::Function(of, f)) = symbol else {
        let known = math_types_of(name).filter(|_| symbol.is_none() && MATH_NAMES.contains(&name.as_str()))?;
        return (known != math_types(&linked.modules[m], call)).then(complaint);
    };
    if of < linked.user_modules {
        return None;
    }
    let (module, library) = (&linked.modules[m], &linked.modules[of]);
    let callee = &library.functions[f];
    let same = |a: TypeId, b: TypeId| match (module.types.get(a), library.types.get(b)) {
        (Type::Int(_) | Type::Float(_) | Type::Ptr | Type::Void, other) => module.types.get(a) == other,
        _ => size_of(&module.types, a) == size_of(&library.types, b),
    };
    let fixed = call.args.len() == callee.params.len() || callee.varargs && call.args.len() >= callee.params.len();
    let fits = fixed
        && call.args.iter().zip(&callee.params).all(|(arg, param)| same(arg.operand.ty, param.ty))
        && (inst.result.is_none() || same(call.ret, callee.ret));
    (!fits).then(complaint)
}

/// The types of a call, as the virtual machine names those of functions of mathematics.
fn math_types(module: &Module, call: &Call) -> String {
    let name = |ty: TypeId| match module.types.get(ty) {
        Type::Float(kind) => format!("F{}", kind.bits()),
        Type::Int(bits) => format!("I{bits}"),
        _ => "?".into(),
    };
    let taken: String = call.args.iter().map(|arg| name(arg.operand.ty)).collect();
    format!("{taken}To{}", name(call.ret))
}

/// What functions take and give, of all whose names are theirs alone.
pub fn signatures(linked: &Linked) -> FxHashMap<String, Signature> {
    let mut found: FxHashMap<String, Option<Signature>> = FxHashMap::default();
    for module in &linked.modules {
        for function in module.functions.iter().filter(|function| !function.is_declaration()) {
            let signature = Signature::of_function(module, function);
            let known = found.entry(function.name.clone()).or_insert_with(|| signature.clone());
            if *known != signature {
                *known = None;
            }
        }
    }
    found.into_iter().filter_map(|(name, signature)| Some((name, signature?))).collect()
}

/// Accesses that nobody announces.
fn hidden(module: &Module, inst: &Inst) -> Option<String> {
    let unusual = |ty: TypeId| unseen::unusual_size(module, ty).filter(|_| !unseen::can_be_announced(module, inst));
    // The pass announces 16 bytes as well, but the floor has nothing for them.
    let wide = |ty: TypeId, ordering: Ordering| {
        let atomic = !matches!(ordering, Ordering::NotAtomic | Ordering::Observed);
        size_of(&module.types, ty).filter(|size| atomic && *size > 8)
    };
    let size = |_| "the native backend has no atomic accesses to a type of this size".to_string();
    match &inst.kind {
        InstKind::Load { ty, ordering, .. } => unusual(*ty).or_else(|| wide(*ty, *ordering)).map(size),
        InstKind::Store { value, ordering, .. } => unusual(value.ty).or_else(|| wide(value.ty, *ordering)).map(size),
        InstKind::CmpXchg { expected, .. } => wide_atomic(module, expected.ty),
        InstKind::AtomicRmw { op: RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin, value, .. } if matches!(module.types.get(value.ty), Type::Float(kind) if matches!(kind.bits(), 32 | 64)) => {
            None
        }
        InstKind::AtomicRmw { value, .. } => wide_atomic(module, value.ty),
        InstKind::Call(call) => match &call.callee {
            Callee::Asm { template, .. } => assembly::refused_assembly(template),
            Callee::Value(Value::Const(Const::Global(name))) if uncontrolled(name).is_some() => uncontrolled(name)
                .map(|it| format!("the native backend cannot control what the instruction `{it}` does")),
            Callee::Value(Value::Const(Const::Global(name))) if is_hidden_intrinsic(module, name, call) => {
                Some(format!("the native backend cannot see what the operation `{name}` accesses"))
            }
            _ if call.args.iter().any(|arg| arg.attrs.byval.is_some()) && !copies::can_be_announced(inst) => {
                Some("the native backend cannot see the copy of a structure that is passed by value in memory".into())
            }
            _ => None,
        },
        _ => None,
    }
}

/// Operations of the compiler's that do not do the same each time or leave the program, and the instructions behind them: they
/// read clocks, chance, the processor and the thread that we happen to run on, begin transactions, or wait for a while.
const UNCONTROLLED: &[(&str, &str)] = &[
    ("readcyclecounter", "rdtsc"),
    ("readsteadycounter", "rdtsc"),
    ("x86.rdtscp", "rdtscp"),
    ("x86.rdtsc", "rdtsc"),
    ("x86.rdrand", "rdrand"),
    ("x86.rdseed", "rdseed"),
    ("x86.rdpmc", "rdpmc"),
    ("x86.rdpru", "rdpru"),
    ("x86.rdpid", "rdpid"),
    ("x86.rdpkru", "rdpkru"),
    ("x86.wrpkru", "wrpkru"),
    ("x86.rdfsbase", "rdfsbase"),
    ("x86.rdgsbase", "rdgsbase"),
    ("x86.wrfsbase", "wrfsbase"),
    ("x86.wrgsbase", "wrgsbase"),
    ("x86.xbegin", "xbegin"),
    ("x86.xend", "xend"),
    ("x86.xabort", "xabort"),
    ("x86.xtest", "xtest"),
    ("x86.tpause", "tpause"),
    ("x86.umwait", "umwait"),
    ("x86.mwait", "mwait"),
    ("x86.int", "int"),
    ("x86.senduipi", "senduipi"),
];

fn uncontrolled(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("llvm.")?;
    let is = |known: &str| name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    UNCONTROLLED.iter().find(|(known, _)| is(known)).map(|(_, instruction)| *instruction)
}

/// Operations of the compiler's that are given addresses: those that the pass announces, and those that access nothing.
const INTRINSICS: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "lifetime",
    "dbg",
    "va_",
    "stack",
    "prefetch",
    "invariant",
    "objectsize",
    "assume",
    "ptrmask",
    "launder",
    "strip",
    "threadlocal",
    "ptr.annotation",
    "var.annotation",
    "experimental.noalias",
    "eh.",
    "frameaddress",
    "returnaddress",
    "addressofreturnaddress",
    "sponentry",
    "localescape",
    "instrprof",
    "is.constant",
    "expect",
    "umin",
    "umax",
];

fn is_hidden_intrinsic(module: &Module, name: &str, call: &Call) -> bool {
    let Some(name) = name.strip_prefix("llvm.") else { return false };
    let is_address = |ty: TypeId| match module.types.get(ty) {
        Type::Ptr => true,
        Type::Vector(_, element) => *module.types.get(*element) == Type::Ptr,
        _ => false,
    };
    call.args.iter().any(|arg| is_address(arg.operand.ty)) && !INTRINSICS.iter().any(|known| name.starts_with(known))
}

fn wide_atomic(module: &Module, ty: TypeId) -> Option<String> {
    match module.types.get(ty) {
        Type::Int(8 | 16 | 32 | 64) | Type::Ptr => None,
        _ => Some("the native backend has no atomic operations on this type, but on integers of up to 8 bytes".into()),
    }
}

/// Calls of `pthread_barrier_wait` whose result nobody looks at get the form that says so: the order of arrivals does not matter
/// then.
pub fn quieten(linked: &Linked, m: usize, edit: &mut Edit) {
    const WAIT: &str = "@pthread_barrier_wait(";
    let own = linked.modules[..linked.user_modules].iter().flat_map(|module| &module.functions);
    if own.into_iter().any(|f| f.name == "pthread_barrier_wait" && !f.is_declaration()) {
        return;
    }
    for function in &linked.modules[m].functions {
        let insts = || function.blocks.iter().flat_map(|block| &block.insts);
        for inst in insts() {
            let InstKind::Call(call) = &inst.kind else { continue };
            let waits = matches!(&call.callee, Callee::Value(Value::Const(Const::Global(name))) if name == "pthread_barrier_wait");
            let is_result = |value: &Value| matches!(value, Value::Local(local) if Some(*local) == inst.result);
            let is_used = || {
                insts().any(|other| {
                    let mut used = false;
                    operands(&other.kind, &mut |value| used |= is_result(value));
                    used
                })
            };
            if waits && !is_used() {
                let line = &mut edit.lines[inst.text_line as usize - 1];
                *line = line.replace(WAIT, "@__tbi_barrier_pass(");
                edit.declare("i32 @__tbi_barrier_pass(ptr)");
            }
        }
    }
}
