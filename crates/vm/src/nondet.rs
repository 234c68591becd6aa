//! The `nondet` values of more than 16 bits, for a search that has to try them all: a pass over the IR before lowering.
//!
//! Each call of such a function by the program gets the shortest interval that holds all values with which it gets
//! anywhere (`walk`). One of at most 65,536 values is enumerated; any other is refused when it is reached. Calls through
//! pointers are refused.
//!
//! A function of the program that is called `assume_abort_if_not` and does just that is an `assume` here: the benchmarks
//! of SV-COMP define it for that purpose, and mean no error by its `abort`.

mod known;
#[cfg(test)]
mod tests;
mod values;
mod walk;

use rustc_hash::FxHashSet;
use threadbare_ir::{
    Arg, Call, Callee, Const, Function, InstKind, Module, Operand, ParamAttrs, Type, TypeId, Types, Value,
};

use crate::frontend::{PINNED, UNDEFINED};
use crate::link::{Linked, Symbol};
use values::{Interval, Values, highest};
use walk::Meaning;

/// What a call is renamed to, before the name that it had. Its arguments are the lowest value, how many there are
/// above it, and the width; lowering knows it.
pub const BOUNDED: &str = "__tb_nondet.";

/// More than that are not enumerated.
const MOST_VALUES: u128 = 65_536;

/// What is enumerated without any bounds.
const NARROW: u32 = 16;

const ASSUMING_BY_ABORT: &str = "assume_abort_if_not";

/// Says whether a function of the program's own is taken for an `assume`.
pub fn bound_choices(linked: &mut Linked) -> bool {
    let aborting = take_aborts_for_assumes(linked);
    for place in bounded_calls(linked, &aborting) {
        let Place { m, f, block, inst, .. } = place;
        let types = &mut linked.modules[m].types;
        let word = types.intern(Type::Int(64));
        if let InstKind::Call(call) = &mut linked.modules[m].functions[f].blocks[block].insts[inst].kind {
            rename(call, word, &place.name, place.interval, place.bits);
        }
    }
    refuse_the_rest(linked);
    !aborting.is_empty()
}

/// A call of the program that gives one of a few values of a wide type.
pub struct Bounded {
    pub module: usize,
    /// Its line in the module's text.
    pub line: u32,
    pub start: u64,
    pub above: u64,
    pub bits: u32,
}

/// The calls that can be enumerated, for a machine that changes the text.
pub fn bounded_choices(linked: &Linked) -> Vec<Bounded> {
    let places = bounded_calls(linked, &FxHashSet::default()).into_iter();
    let few = places.filter(|place| place.interval.count <= MOST_VALUES);
    few.map(|Place { m, f, block, inst, bits, interval, .. }| {
        let line = linked.modules[m].functions[f].blocks[block].insts[inst].text_line;
        Bounded { module: m, line, start: interval.start, above: (interval.count - 1) as u64, bits }
    })
    .collect()
}

/// A call, and what it may give.
struct Place {
    m: usize,
    f: usize,
    block: usize,
    inst: usize,
    name: String,
    bits: u32,
    interval: Interval,
}

fn bounded_calls(linked: &Linked, aborting: &FxHashSet<(usize, usize)>) -> Vec<Place> {
    let mut places = Vec::new();
    for (m, module) in linked.modules[..linked.user_modules].iter().enumerate() {
        let functions = Functions { linked, m, aborting };
        for (f, function) in module.functions.iter().enumerate() {
            for (block, inst, call) in calls(function) {
                let Some(name) = called(call) else { continue };
                let Some(bits) = functions.wide_nondet(name) else { continue };
                // One that was declared with another type is left to the library.
                if *module.types.get(call.ret) != Type::Int(bits) {
                    continue;
                }
                let used = walk::used_values(module, function, &functions, (block, inst), bits);
                // Where no value is used, one stands for all.
                let interval = used.interval().unwrap_or(Interval { start: 0, count: 1 });
                places.push(Place { m, f, block, inst, name: name.into(), bits, interval });
            }
        }
    }
    places
}

fn calls(function: &Function) -> impl Iterator<Item = (usize, usize, &Call)> {
    function.blocks.iter().enumerate().flat_map(|(b, block)| {
        block.insts.iter().enumerate().filter_map(move |(i, inst)| match &inst.kind {
            InstKind::Call(call) => Some((b, i, &**call)),
            _ => None,
        })
    })
}

fn called(call: &Call) -> Option<&str> {
    match &call.callee {
        Callee::Value(Value::Const(Const::Global(name))) => Some(name),
        _ => None,
    }
}

fn constant(ty: TypeId, value: u64) -> Arg {
    let operand = Operand { ty, value: Value::Const(Const::Int(value.into())) };
    Arg { operand, attrs: ParamAttrs::default() }
}

fn rename(call: &mut Call, word: TypeId, name: &str, interval: Interval, bits: u32) {
    call.callee = Callee::Value(Value::Const(Const::Global(format!("{BOUNDED}{name}"))));
    let above = (interval.count - 1) as u64;
    call.args = [interval.start, above, bits.into()].map(|value| constant(word, value)).into();
}

/// The width that a function of the library asks `__tb_nondet` for, if it is wide.
fn asked_width(function: &Function) -> Option<(usize, usize, u32)> {
    let (block, inst, call) = calls(function).find(|(_, _, call)| called(call) == Some("__tb_nondet"))?;
    match call.args.first().map(|arg| &arg.operand.value) {
        Some(Value::Const(Const::Int(bits))) if *bits > NARROW.into() && *bits <= 64 => {
            Some((block, inst, *bits as u32))
        }
        _ => None,
    }
}

/// Inside the library: for calls that the pass has not seen, as those through pointers.
fn refuse_the_rest(linked: &mut Linked) {
    let user = linked.user_modules;
    for Module { functions, types, .. } in &mut linked.modules[user..] {
        for function in functions {
            let Some((block, inst, bits)) = asked_width(function) else { continue };
            if let InstKind::Call(call) = &mut function.blocks[block].insts[inst].kind {
                let all = Interval { start: 0, count: 1 << bits };
                rename(call, types.intern(Type::Int(64)), &function.name, all, bits);
            }
        }
    }
}

/// What lowering makes of a renamed call: why it is refused, if it is.
pub fn refusal(name: &str, start: u64, above: u64, bits: u32) -> Option<String> {
    let count = u128::from(above) + 1;
    if count <= MOST_VALUES {
        return None;
    }
    let what = if above == highest(bits) {
        format!("`{name}` without bounds: it may give any of 2^{bits} values")
    } else {
        let last = start.wrapping_add(above) & highest(bits);
        let (low, high) = (written(name, start, bits), written(name, last, bits));
        format!("`{name}` with bounds that are too wide: it may give any of {count} values, {low} to {high}")
    };
    Some(format!(
        "{what}, and at most {MOST_VALUES} are tried. Say between which constants it lies, with an assume before any other \
         use of the value: `tb_assume(x >= 0 && x <= 9)`; or take `tb_choose(0, 9)` of threadbare.h instead, which gives \
         each of 0 to 9"
    ))
}

/// A value as one that has the function's type.
fn written(name: &str, value: u64, bits: u32) -> String {
    let kind = name.strip_prefix("__VERIFIER_nondet_").or(name.strip_prefix("tb_nondet_")).unwrap_or(name);
    if kind.starts_with('u') || kind == "size_t" {
        return value.to_string();
    }
    ((value << (64 - bits)) as i64 >> (64 - bits)).to_string()
}

/// What the names mean that a module of the program calls.
pub struct Functions<'a> {
    linked: &'a Linked,
    m: usize,
    /// Functions that are an `assume` by an `abort`.
    aborting: &'a FxHashSet<(usize, usize)>,
}

/// Intrinsics that compute something and do nothing else.
const COMPUTING: [&str; 20] = [
    "smax.", "smin.", "umax.", "umin.", "abs.", "ctpop.", "ctlz.", "cttz.", "bswap.", "fshl.", "fshr.", "sadd.",
    "uadd.", "ssub.", "usub.", "smul.", "umul.", "ucmp.", "scmp.", "fabs.",
];

/// Intrinsics that say something to the compiler, and lowering's own.
const MARKS: [&str; 5] = ["lifetime.", "tb.lifetime.", "dbg.", "assume", "experimental.noalias.scope.decl"];

impl Functions<'_> {
    fn is_library(&self, name: &str) -> bool {
        matches!(self.linked.resolve(self.m, name), Some(Symbol::Function(m, _)) if m >= self.linked.user_modules)
    }

    fn wide_nondet(&self, name: &str) -> Option<u32> {
        match self.linked.resolve(self.m, name) {
            Some(Symbol::Function(m, f)) if m >= self.linked.user_modules => {
                asked_width(&self.linked.modules[m].functions[f]).map(|(_, _, bits)| bits)
            }
            _ => None,
        }
    }

    pub fn meaning(&self, name: &str) -> Meaning {
        let is = |list: &[&str], name: &str| list.iter().any(|prefix| name.starts_with(prefix));
        if let Some(intrinsic) = name.strip_prefix("llvm.") {
            return match intrinsic {
                _ if is(&MARKS, intrinsic) => Meaning::Nothing,
                _ if is(&COMPUTING, intrinsic) => Meaning::Computes,
                _ if is(&["expect."], intrinsic) => Meaning::Itself,
                _ => Meaning::Anything,
            };
        }
        match name {
            "__tb_assume" => Meaning::Assume,
            "__VERIFIER_assume" | "tb_assume" if self.is_library(name) => Meaning::Assume,
            _ if name == PINNED || name.starts_with(UNDEFINED) => Meaning::Nothing,
            _ if is(&["__VERIFIER_nondet_", "tb_nondet_", "tb_choose"], name) && self.is_library(name) => {
                Meaning::Chooses
            }
            _ => match self.linked.resolve(self.m, name) {
                Some(Symbol::Function(m, f)) if self.aborting.contains(&(m, f)) => Meaning::Assume,
                _ => Meaning::Anything,
            },
        }
    }
}

/// The functions `assume_abort_if_not` that are `if (!condition) abort();` and nothing else. Their calls of `abort`, also
/// where the compiler has put them into their callers, become failed assumptions.
fn take_aborts_for_assumes(linked: &mut Linked) -> FxHashSet<(usize, usize)> {
    let mut found = FxHashSet::default();
    for m in 0..linked.user_modules {
        let functions = Functions { linked, m, aborting: &FxHashSet::default() };
        let module = &linked.modules[m];
        let Some(f) = module.functions.iter().position(|function| function.name == ASSUMING_BY_ABORT) else { continue };
        if !functions.is_library("abort") || !only_aborts(module, &module.functions[f], &functions) {
            continue;
        }
        found.insert((m, f));
        let mut aborts = Vec::new();
        for (g, function) in module.functions.iter().enumerate() {
            for (block, inst, call) in calls(function) {
                let from = function.blocks[block].insts[inst].loc.and_then(|loc| module.location(loc));
                let inlined = from.is_some_and(|from| {
                    from.inlined_at.is_some() && module.scope_function(from.scope) == Some(ASSUMING_BY_ABORT)
                });
                if called(call) == Some("abort") && (f == g || inlined) {
                    aborts.push((g, block, inst));
                }
            }
        }
        let Module { functions, types, .. } = &mut linked.modules[m];
        for (g, block, inst) in aborts {
            if let InstKind::Call(call) = &mut functions[g].blocks[block].insts[inst].kind {
                fail_assumption(call, types);
            }
        }
    }
    found
}

fn fail_assumption(call: &mut Call, types: &mut Types) {
    call.callee = Callee::Value(Value::Const(Const::Global("__tb_assume".into())));
    call.args = vec![constant(types.intern(Type::Int(32)), 0)];
}

/// Whether a function aborts if its argument is zero, returns if not, and does nothing else.
fn only_aborts(module: &Module, function: &Function, functions: &Functions) -> bool {
    let Some(branches) = walk::first_branches(module, function, functions) else { return false };
    let [(a, with_a), (b, with_b)] = &branches[..] else { return false };
    let kinds = |block: &threadbare_ir::BlockId| -> Vec<&InstKind> {
        let insts = function.blocks[block.0 as usize].insts.iter().map(|inst| &inst.kind);
        insts.filter(|kind| !matches!(kind, InstKind::Dbg(_))).collect()
    };
    let aborts = |block| matches!(&kinds(block)[..], [InstKind::Call(call), InstKind::Unreachable] if called(call) == Some("abort"));
    let returns = |block| matches!(kinds(block)[..], [InstKind::Ret(None)]);
    let Type::Int(bits) = *module.types.get(function.params[0].ty) else { return false };
    let zero = Values::one(bits, 0);
    let fits = |bad, with_bad: &Values, good, with_good: &Values| {
        aborts(bad) && returns(good) && *with_bad == zero && *with_good == zero.complement()
    };
    fits(a, with_a, b, with_b) || fits(b, with_b, a, with_a)
}
