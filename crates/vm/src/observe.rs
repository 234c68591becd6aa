//! What invariants look at (`--invariant`).
//!
//! A write to anything that an invariant reads is a visible operation, in every mode: otherwise the states between two of them would not be
//! seen. Which variables its function reads, directly and through the functions that it calls, is told by the code; where it
//! follows a pointer out of memory, that may be everything. The plain stores of the program that may change
//! what is read become visible before lowering (`Ordering::Observed`); for races they stay plain. Whoever looks at the
//! bytes when the program runs is `invariants`, which also refuses what is missed here: writes of library functions.
//!
//! An invariant only computes: what would change memory or be seen by others is refused here, with its line.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use threadbare_ir::{Call, Callee, CastOp, Const, Function, InstKind, MdId, Ordering, Type, TypeId, Value};

use crate::fine::{called, is_copy, moves_memory, private_locals};
use crate::frontend::LoadError;
use crate::layout::{Layout, Scalar};
use crate::link::{Linked, Symbol};
use crate::lower::{LowerError, Primitive, primitive};
use threadbare_core::Role;

/// The last argument of a `memcpy` or `memset` that becomes visible: a bit that no text can hold.
pub const OBSERVED: u128 = 2;

/// Module and number.
pub type Variable = (usize, usize);

pub struct Watched {
    pub name: String,
    /// Module and number.
    pub function: (usize, usize),
    pub reads: Reads,
    pub role: Role,
}

pub enum Reads {
    /// Pointers lead anywhere.
    Everything,
    Variables {
        whole: BTreeSet<Variable>,
        /// Constant addresses, and the types that are read there.
        parts: Vec<(usize, Const, TypeId)>,
    },
}

/// What a pointer may point to, besides variables of the function itself.
#[derive(Clone, Default, PartialEq)]
struct Roots {
    anything: bool,
    thread_local: bool,
    variables: BTreeSet<Variable>,
}

impl Roots {
    fn anything() -> Roots {
        Roots { anything: true, ..Roots::default() }
    }

    fn add(&mut self, other: &Roots) {
        self.anything |= other.anything;
        self.thread_local |= other.thread_local;
        self.variables.extend(&other.variables);
    }

    /// Nobody else can see what is there.
    fn is_private(&self) -> bool {
        !self.anything && !self.thread_local && self.variables.is_empty()
    }
}

/// A function to look at, how it is called in messages, and what for.
pub struct Wanted<'s> {
    pub function: &'s str,
    pub name: &'s str,
    pub role: Role,
}

/// Finds out what these functions read, and makes the stores visible that may change it.
pub fn watch(linked: &mut Linked, wanted: &[Wanted<'_>]) -> Result<Vec<Watched>, LoadError> {
    let mut watched = Vec::new();
    for one in wanted {
        watched.push(looked_at(linked, one)?);
    }
    if !watched.is_empty() {
        make_stores_visible(linked, &watched);
    }
    Ok(watched)
}

/// A function that tells what matters of a state. Nothing becomes visible for it: it is asked where states are stored, and
/// has no say in what is to hold.
pub fn abstraction(linked: &Linked, name: &str) -> Result<Watched, LoadError> {
    looked_at(linked, &Wanted { function: name, name, role: Role::Abstraction })
}

fn looked_at(linked: &Linked, wanted: &Wanted<'_>) -> Result<Watched, LoadError> {
    let (name, role) = (wanted.name, wanted.role.name());
    let own = |m: usize| match linked.resolve(m, wanted.function) {
        Some(Symbol::Function(m, f)) if m < linked.user_modules => Some((m, f)),
        _ => None,
    };
    let Some(function) = (0..linked.user_modules).find_map(own) else {
        let is_variable = (0..linked.user_modules).any(|m| matches!(linked.resolve(m, name), Some(Symbol::Global(..))));
        let functions = linked.modules[..linked.user_modules].iter().flat_map(|module| &module.functions);
        let known = functions.filter(|function| !function.blocks.is_empty()).map(|function| function.name.clone());
        let no_such = |message: String| LoadError::NoSuch { message, name: name.into(), known: known.collect() };
        return Err(no_such(match is_variable {
            true if wanted.role == Role::Abstraction => format!(
                "the {role} `{name}` is no function: write one that tells what matters of a state, `void what_matters(void)`"
            ),
            true => format!(
                "the {role} `{name}` is no function: write one that says what is to hold, `int {name}_ok(void)`"
            ),
            false => format!(
                "the program has no function `{name}` that could be {} (above -O 0, clang leaves a `static` one out)",
                wanted.role.with_article()
            ),
        }));
    };
    let module = &linked.modules[function.0];
    let code = &module.functions[function.1];
    let (fits, forms) = match (wanted.role, module.types.get(code.ret)) {
        (Role::Abstraction, ret) => (*ret == Type::Void, format!("`void {name}(void)`")),
        (_, ret) => (matches!(ret, Type::Int(1 | 32)), format!("`int {name}(void)` or `_Bool {name}(void)`")),
    };
    if !code.params.is_empty() || code.varargs || !fits {
        return Err(LoadError::Invariant(format!("the {role} `{name}` has to be {forms}")));
    }
    let mut closure =
        Closure { linked, name: format!("{role} `{name}`"), params: FxHashMap::default(), order: Vec::new() };
    closure.enter(function, Vec::new(), None);
    closure.solve();
    let reads = closure.reads()?;
    Ok(Watched { name: name.into(), function, reads, role: wanted.role })
}

/// A call: of which function, and where.
type From = Option<((usize, usize), Option<MdId>)>;

/// A function and those that it calls, with what their parameters may point to.
struct Closure<'l> {
    linked: &'l Linked,
    /// ``invariant `excl` ``
    name: String,
    params: FxHashMap<(usize, usize), Vec<Roots>>,
    /// In the order in which they came up, with their first callers.
    order: Vec<((usize, usize), From)>,
}

impl<'l> Closure<'l> {
    fn code(&self, (m, f): (usize, usize)) -> &'l Function {
        &self.linked.modules[m].functions[f]
    }

    /// Whether anything is new.
    fn enter(&mut self, function: (usize, usize), args: Vec<Roots>, from: From) -> bool {
        let known = self.params.contains_key(&function);
        if !known {
            self.order.push((function, from));
        }
        let params = self.params.entry(function).or_default();
        let before = params.clone();
        if params.len() < args.len() {
            params.resize(args.len(), Roots::default());
        }
        params.iter_mut().zip(&args).for_each(|(param, arg)| param.add(arg));
        !known || *params != before
    }

    fn solve(&mut self) {
        loop {
            let mut changed = false;
            for i in 0..self.order.len() {
                let function = self.order[i].0;
                for inst in self.code(function).blocks.iter().flat_map(|block| &block.insts) {
                    let InstKind::Call(call) = &inst.kind else { continue };
                    let Some(Symbol::Function(m, f)) = self.callee(function.0, call) else { continue };
                    let args = call.args.iter().map(|arg| self.roots(function, &arg.operand.value)).collect();
                    changed |= self.enter((m, f), args, Some((function, inst.loc)));
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn callee(&self, m: usize, call: &Call) -> Option<Symbol> {
        let Callee::Value(Value::Const(Const::Global(name))) = &call.callee else { return None };
        match self.linked.resolve(m, name)? {
            Symbol::Alias(m, a) => match &self.linked.modules[m].aliases[a].target {
                Const::Global(name) => self.linked.resolve(m, name),
                _ => None,
            },
            symbol => Some(symbol),
        }
    }

    fn roots(&self, function: (usize, usize), value: &Value) -> Roots {
        let mut roots = Roots::default();
        self.add_roots(function, value, &mut FxHashSet::default(), &mut roots);
        roots
    }

    fn add_roots(&self, function: (usize, usize), value: &Value, seen: &mut FxHashSet<u32>, roots: &mut Roots) {
        let local = match value {
            Value::Const(constant) => return roots.add(&constant_roots(self.linked, function.0, constant)),
            Value::Local(local) => local.0,
        };
        if !seen.insert(local) {
            return;
        }
        let code = self.code(function);
        // The first locals are the parameters.
        if let Some(param) = code.params.get(local as usize) {
            match self.params.get(&function) {
                // A copy of its own.
                _ if param.attrs.byval.is_some() => {}
                Some(known) => roots.add(known.get(local as usize).unwrap_or(&Roots::default())),
                None => roots.anything = true,
            }
            return;
        }
        let mut definitions = code.blocks.iter().flat_map(|block| &block.insts);
        match definitions.find(|inst| inst.result.is_some_and(|result| result.0 == local)).map(|inst| &inst.kind) {
            Some(InstKind::Alloca { .. }) => {}
            Some(InstKind::Gep { base, .. }) => self.add_roots(function, &base.value, seen, roots),
            Some(InstKind::Freeze(operand)) => self.add_roots(function, &operand.value, seen, roots),
            Some(InstKind::Cast { op: CastOp::BitCast | CastOp::AddrSpaceCast, from, .. }) => {
                self.add_roots(function, &from.value, seen, roots);
            }
            Some(InstKind::Call(call)) if called(&call.callee).starts_with("llvm.threadlocal.address") => {
                self.add_roots(function, &call.args[0].operand.value, seen, roots);
            }
            Some(InstKind::Phi { incoming, .. }) => {
                incoming.iter().for_each(|(value, _)| self.add_roots(function, value, seen, roots));
            }
            Some(InstKind::Select { then, els, .. }) => {
                self.add_roots(function, &then.value, seen, roots);
                self.add_roots(function, els, seen, roots);
            }
            _ => roots.anything = true,
        }
    }

    /// What is read; an error if anything else is done.
    fn reads(&self) -> Result<Reads, LoadError> {
        let mut all = Roots::default();
        let mut parts = Vec::new();
        for &(function, from) in &self.order {
            let (m, code) = (function.0, self.code(function));
            for inst in code.blocks.iter().flat_map(|block| &block.insts) {
                let refuse = |what: String| self.refuse(function, from, inst.loc, what);
                let mut read = |value: &Value, ty: Option<TypeId>| {
                    let roots = self.roots(function, value);
                    match (value, ty) {
                        (Value::Const(constant), Some(ty)) if roots.variables.len() == 1 && !roots.anything => {
                            parts.push((m, constant.clone(), ty));
                            all.thread_local |= roots.thread_local;
                        }
                        _ => all.add(&roots),
                    }
                    roots.thread_local && m < self.linked.user_modules
                };
                match &inst.kind {
                    InstKind::Load { ptr, ty, .. } if read(ptr, Some(*ty)) => {
                        return refuse("it reads a thread-local variable, of which every thread has its own".into());
                    }
                    InstKind::Store { ptr, .. } if !self.roots(function, ptr).is_private() => {
                        return refuse(format!("it writes to {}", self.what(function, ptr)));
                    }
                    InstKind::AtomicRmw { ptr, .. } | InstKind::CmpXchg { ptr, .. } => {
                        return refuse(format!("it writes to {}", self.what(function, ptr)));
                    }
                    InstKind::Call(call) if moves_memory(&call.callee) => {
                        if !self.roots(function, &call.args[0].operand.value).is_private() {
                            return refuse(format!(
                                "it writes to {}",
                                self.what(function, &call.args[0].operand.value)
                            ));
                        }
                        if is_copy(&call.callee) {
                            read(&call.args[1].operand.value, None);
                        }
                    }
                    InstKind::Call(call)
                        if m < self.linked.user_modules && called(&call.callee) == "__errno_location" =>
                    {
                        return refuse("it reads `errno`, of which every thread has its own".into());
                    }
                    InstKind::Call(call) => match (self.callee(m, call), &call.callee) {
                        (Some(_), _) => {}
                        (None, Callee::Value(Value::Const(Const::Global(name)))) => match primitive(name) {
                            Some(Primitive::Visible(operation)) => {
                                return refuse(format!(
                                    "it does something that other threads can see ({})",
                                    operation.name()
                                ));
                            }
                            Some(Primitive::Native(_)) if name == "__tb_malloc" => {
                                return refuse("it allocates memory".into());
                            }
                            Some(Primitive::Native(_)) if name == "__tb_write" => return refuse("it prints".into()),
                            _ => {}
                        },
                        // Through a pointer: what that does shows when it is executed.
                        (None, _) => all.anything = true,
                    },
                    _ => {}
                }
            }
        }
        if all.anything {
            return Ok(Reads::Everything);
        }
        Ok(Reads::Variables { whole: all.variables, parts })
    }

    fn what(&self, function: (usize, usize), value: &Value) -> String {
        let roots = self.roots(function, value);
        match roots.variables.first() {
            Some(&(m, g)) if !roots.anything => format!("`{}`", self.linked.modules[m].globals[g].name),
            _ => "memory that is not its own".into(),
        }
    }

    /// Not allowed in an invariant. Of a library function, the call that the program makes is named.
    fn refuse(&self, function: (usize, usize), from: From, at: Option<MdId>, what: String) -> Result<Reads, LoadError> {
        let (mut place, mut caller, mut library) = ((function.0, at), from, None);
        let mut inside = function;
        while inside.0 >= self.linked.user_modules
            && let Some((above, call)) = caller
        {
            library = Some(self.code(inside).name.clone());
            place = (above.0, call);
            inside = above;
            caller = self.order.iter().find(|(known, _)| *known == above).and_then(|(_, from)| *from);
        }
        let what = match library {
            Some(name) => format!("{what}, in `{name}`"),
            None => what,
        };
        let found = place.1.and_then(|id| self.linked.modules[place.0].location(id));
        let message = format!("the {} may only look: {what}", self.name);
        let (file, line) = found.map_or((None, 0), |found| (Some(found.file.to_string()), found.line));
        Err(LoadError::Lower(LowerError::Unsupported { message, file, line }))
    }
}

fn constant_roots(linked: &Linked, m: usize, constant: &Const) -> Roots {
    match constant {
        Const::Global(name) => match linked.resolve(m, name) {
            Some(Symbol::Global(m, g)) => {
                let global = &linked.modules[m].globals[g];
                match (global.thread_local, global.constant) {
                    (true, _) => Roots { thread_local: true, ..Roots::default() },
                    // It never changes.
                    (_, true) => Roots::default(),
                    _ => Roots { variables: BTreeSet::from([(m, g)]), ..Roots::default() },
                }
            }
            Some(Symbol::Alias(m, a)) => constant_roots(linked, m, &linked.modules[m].aliases[a].target),
            Some(Symbol::Function(..)) => Roots::default(),
            Some(Symbol::WeakUndefined) | None => Roots::anything(),
        },
        Const::Gep { args, .. } => match args.first() {
            Some(base) => constant_roots(linked, m, &base.value),
            None => Roots::default(),
        },
        Const::Cast { op: CastOp::BitCast | CastOp::AddrSpaceCast, from, .. } => constant_roots(linked, m, &from.value),
        Const::Null | Const::Zero | Const::Undef | Const::Poison => Roots::default(),
        _ => Roots::anything(),
    }
}

/// The variable that a constant address lies in, and how far.
pub fn place_of(linked: &Linked, m: usize, constant: &Const) -> Option<(Variable, u64)> {
    match constant {
        Const::Global(name) => match linked.resolve(m, name)? {
            Symbol::Global(m, g) => Some(((m, g), 0)),
            Symbol::Alias(m, a) => place_of(linked, m, &linked.modules[m].aliases[a].target),
            _ => None,
        },
        Const::Cast { op: CastOp::BitCast | CastOp::AddrSpaceCast, from, .. } => place_of(linked, m, &from.value),
        Const::Gep { source, args } => {
            let layout = Layout::new(&linked.modules[m].types);
            let (base, indices) = args.split_first()?;
            let (variable, mut offset) = place_of(linked, m, &base.value)?;
            let mut ty = *source;
            for (depth, index) in indices.iter().enumerate() {
                let (Const::Int(n), Scalar::Int(bits)) = (&index.value, layout.scalar(index.ty).ok()?) else {
                    return None;
                };
                let n = crate::scalar::sext128(*n, bits) as i64 as u64;
                if depth == 0 {
                    offset = offset.wrapping_add(layout.size(ty).ok()?.wrapping_mul(n));
                } else {
                    let (within, element) = layout.element(ty, n).ok()?;
                    (offset, ty) = (offset.wrapping_add(within), element);
                }
            }
            Some((variable, offset))
        }
        _ => None,
    }
}

/// Marks the plain stores that may change what is read.
fn make_stores_visible(linked: &mut Linked, watched: &[Watched]) {
    let mut variables: BTreeSet<Variable> = BTreeSet::new();
    let mut everything = false;
    for Watched { reads, .. } in watched {
        match reads {
            Reads::Everything => everything = true,
            Reads::Variables { whole, parts } => {
                variables.extend(whole);
                for (m, constant, _) in parts {
                    variables.extend(constant_roots(linked, *m, constant).variables);
                }
            }
        }
    }
    // A pointer may point to what somebody has taken the address of.
    let through_pointers = everything || variables.iter().any(|variable| address_leaves(linked, *variable));
    for m in 0..linked.user_modules {
        for f in 0..linked.modules[m].functions.len() {
            let code = &linked.modules[m].functions[f];
            let private = private_locals(code);
            // Called from anywhere.
            let nobody = Closure { linked, name: String::new(), params: FxHashMap::default(), order: Vec::new() };
            let observed = |ptr: &Value| {
                if matches!(ptr, Value::Local(local) if private[local.0 as usize]) {
                    return false;
                }
                let roots = nobody.roots((m, f), ptr);
                everything
                    || (roots.anything && through_pointers)
                    || roots.variables.iter().any(|v| variables.contains(v))
            };
            let mut marked = Vec::new();
            for (b, block) in code.blocks.iter().enumerate() {
                for (i, inst) in block.insts.iter().enumerate() {
                    let is_observed = match &inst.kind {
                        InstKind::Store { ptr, ordering: Ordering::NotAtomic, volatile: false, .. } => observed(ptr),
                        InstKind::Call(call) if moves_memory(&call.callee) => {
                            let plain = matches!(
                                call.args.get(3).map(|arg| &arg.operand.value),
                                Some(Value::Const(Const::Int(0)))
                            );
                            plain && observed(&call.args[0].operand.value)
                        }
                        _ => false,
                    };
                    if is_observed {
                        marked.push((b, i));
                    }
                }
            }
            let code = &mut linked.modules[m].functions[f];
            for (b, i) in marked {
                match &mut code.blocks[b].insts[i].kind {
                    InstKind::Store { ordering, .. } => *ordering = Ordering::Observed,
                    InstKind::Call(call) => call.args[3].operand.value = Value::Const(Const::Int(OBSERVED)),
                    _ => {}
                }
            }
        }
    }
}

/// Whether the address of a variable goes anywhere but into accesses: then a pointer may point to it.
fn address_leaves(linked: &Linked, variable: Variable) -> bool {
    let names = |m: usize, constant: &Const| mentions(linked, m, constant, variable);
    for (m, module) in linked.modules[..linked.user_modules].iter().enumerate() {
        if module.globals.iter().any(|global| global.init.as_ref().is_some_and(|init| names(m, init))) {
            return true;
        }
        for code in &module.functions {
            let leaks = leaking_locals(code);
            for inst in code.blocks.iter().flat_map(|block| &block.insts) {
                let harmless = harmless_uses(&inst.kind);
                let derived_leaks = match (&inst.kind, inst.result) {
                    (InstKind::Gep { .. }, Some(result)) => leaks[result.0 as usize],
                    _ => false,
                };
                let mut leaves = false;
                threadbare_ir::operands(&inst.kind, &mut |value| {
                    if let Value::Const(constant) = value
                        && names(m, constant)
                    {
                        leaves |= derived_leaks || !harmless.iter().any(|h| std::ptr::eq(*h, value));
                    }
                });
                if leaves {
                    return true;
                }
            }
        }
    }
    false
}

/// The pointers of an instruction that it only follows, or, in `getelementptr`, moves.
fn harmless_uses(kind: &InstKind) -> Vec<&Value> {
    match kind {
        InstKind::Load { ptr, .. }
        | InstKind::Store { ptr, .. }
        | InstKind::AtomicRmw { ptr, .. }
        | InstKind::CmpXchg { ptr, .. } => {
            vec![ptr]
        }
        InstKind::Gep { base, .. } => vec![&base.value],
        InstKind::ICmp { lhs, rhs, .. } => vec![&lhs.value, rhs],
        InstKind::Call(call) if moves_memory(&call.callee) || called(&call.callee).starts_with("llvm.") => {
            call.args.iter().map(|arg| &arg.operand.value).collect()
        }
        _ => Vec::new(),
    }
}

/// Locals whose value, or one derived from it, goes anywhere but into accesses.
fn leaking_locals(code: &Function) -> Vec<bool> {
    let mut leaks = vec![false; code.local_types.len()];
    let mut changed = true;
    while std::mem::replace(&mut changed, false) {
        for inst in code.blocks.iter().flat_map(|block| &block.insts) {
            if matches!(inst.kind, InstKind::Dbg(_)) {
                continue;
            }
            let harmless = harmless_uses(&inst.kind);
            let derived_leaks = match (&inst.kind, inst.result) {
                (InstKind::Gep { .. }, Some(result)) => leaks[result.0 as usize],
                _ => false,
            };
            threadbare_ir::operands(&inst.kind, &mut |value| {
                if let Value::Local(local) = value {
                    let leaves = derived_leaks || !harmless.iter().any(|h| std::ptr::eq(*h, value));
                    changed |= leaves && !std::mem::replace(&mut leaks[local.0 as usize], true);
                }
            });
        }
    }
    leaks
}

fn mentions(linked: &Linked, m: usize, constant: &Const, variable: Variable) -> bool {
    let inside = |constant: &Const| mentions(linked, m, constant, variable);
    match constant {
        Const::Global(name) => match linked.resolve(m, name) {
            Some(Symbol::Global(m, g)) => (m, g) == variable,
            Some(Symbol::Alias(m, a)) => mentions(linked, m, &linked.modules[m].aliases[a].target, variable),
            _ => false,
        },
        Const::Aggregate(elements) => elements.iter().any(|element| inside(&element.value)),
        Const::Splat(element) => inside(&element.value),
        Const::Gep { args, .. } => args.iter().any(|arg| inside(&arg.value)),
        Const::Cast { from, .. } => inside(&from.value),
        Const::Binary { lhs, rhs, .. } => inside(&lhs.value) || inside(&rhs.value),
        _ => false,
    }
}
