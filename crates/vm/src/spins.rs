//! Loops that wait by looking at plain memory, or for nothing at all: going round one changes nothing, so that it goes on
//! until another thread changes what it looks at. Plain accesses are local code, and a thread in such a loop would never
//! come to a visible operation. So each way back gets a yield: the others take their turns, race detection sees what they
//! write, and a search finds that the thread waits.
//!
//! A round changes nothing if its blocks only read and compute, and no value goes from one round to the next, but for those
//! that nobody needs: a counter that nobody reads.

use rustc_hash::FxHashSet;
use threadbare_ir::{
    BinOp, Block, BlockId, Call, Callee, Const, Function, Inst, InstKind, LocalId, Module, Ordering, Type, TypeId,
    Value,
};

use crate::frontend::PINNED;
use crate::link::Linked;

/// A way back in such a loop: from one block of a function to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WayBack {
    pub function: usize,
    pub from: usize,
    pub to: usize,
}

pub fn yield_in_waiting_loops(linked: &mut Linked) {
    let user = linked.user_modules;
    for module in &mut linked.modules[..user] {
        let found = waiting_loops(module);
        let void = module.types.intern(Type::Void);
        let fn_ty = module.types.intern(Type::Func { ret: void, params: Vec::new(), varargs: false });
        for WayBack { function, from, to } in found {
            yield_between(&mut module.functions[function], from, to, fn_ty, void);
        }
    }
}

/// Where the functions of a module get a yield.
pub fn waiting_loops(module: &Module) -> Vec<WayBack> {
    let quiet_functions = quiet_functions(module);
    let of = |(function, body)| {
        let edges = ways_back(body, &quiet_functions);
        edges.into_iter().map(move |(from, to)| WayBack { function, from, to })
    };
    module.functions.iter().enumerate().flat_map(of).collect()
}

/// The names of functions that only read and compute.
fn quiet_functions(module: &Module) -> FxHashSet<String> {
    let mut quiet = FxHashSet::default();
    loop {
        let known = quiet.len();
        for function in module.functions.iter().filter(|function| !function.is_declaration()) {
            if !quiet.contains(&function.name) && function.blocks.iter().all(|block| is_quiet(block, &quiet)) {
                quiet.insert(function.name.clone());
            }
        }
        if quiet.len() == known {
            return quiet;
        }
    }
}

fn is_quiet(block: &Block, quiet_functions: &FxHashSet<String>) -> bool {
    block.insts.iter().all(|inst| match &inst.kind {
        InstKind::Load { ordering, volatile, .. } => *ordering == Ordering::NotAtomic && !volatile,
        InstKind::Call(call) => match &call.callee {
            Callee::Value(Value::Const(Const::Global(name))) => {
                let nothing =
                    ["llvm.lifetime.", "llvm.expect.", "llvm.dbg."].iter().any(|start| name.starts_with(start));
                nothing || name == PINNED || quiet_functions.contains(name)
            }
            _ => false,
        },
        kind => !matches!(
            kind,
            InstKind::Store { .. }
                | InstKind::AtomicRmw { .. }
                | InstKind::CmpXchg { .. }
                | InstKind::Fence(_)
                | InstKind::Alloca { .. }
                | InstKind::VaArg { .. }
                | InstKind::IndirectBr { .. }
        ),
    })
}

/// Edges that close loops in which nothing changes: every such loop has one that leads to a block not behind its own.
fn ways_back(function: &Function, quiet_functions: &FxHashSet<String>) -> Vec<(usize, usize)> {
    let quiet: Vec<bool> = function.blocks.iter().map(|block| is_quiet(block, quiet_functions)).collect();
    let in_vain = computed_in_vain(function);
    let hands_on = |block: usize| {
        let mut phis = function.blocks[block].insts.iter().take_while(|inst| matches!(inst.kind, InstKind::Phi { .. }));
        phis.any(|phi| phi.result.is_none_or(|result| !in_vain.contains(&result)))
    };
    let mut found = Vec::new();
    for from in (0..quiet.len()).filter(|&from| quiet[from]) {
        for to in targets(&function.blocks[from]) {
            // What the loop hands on to its next round comes in at its start.
            if to <= from && quiet[to] && !hands_on(to) && reaches(function, &quiet, to, from) {
                found.push((from, to));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Sums that go into nothing but such sums.
fn computed_in_vain(function: &Function) -> FxHashSet<LocalId> {
    let insts = || function.blocks.iter().flat_map(|block| &block.insts);
    let sums = insts().filter(|inst| {
        let sum = |op: &BinOp| matches!(op, BinOp::Add | BinOp::Sub);
        matches!(&inst.kind, InstKind::Phi { .. }) || matches!(&inst.kind, InstKind::Binary { op, .. } if sum(op))
    });
    let mut in_vain: FxHashSet<LocalId> = sums.filter_map(|inst| inst.result).collect();
    loop {
        let known = in_vain.len();
        for inst in insts() {
            if inst.result.is_none_or(|result| !in_vain.contains(&result)) {
                threadbare_ir::operands(&inst.kind, &mut |value| {
                    if let Value::Local(local) = value {
                        in_vain.remove(local);
                    }
                });
            }
        }
        if in_vain.len() == known {
            return in_vain;
        }
    }
}

fn targets(block: &Block) -> Vec<usize> {
    let ids: Vec<BlockId> = match block.insts.last().map(|inst| &inst.kind) {
        Some(InstKind::Br(to)) => vec![*to],
        Some(InstKind::CondBr { then, els, .. }) => vec![*then, *els],
        Some(InstKind::Switch { default, cases, .. }) => cases.iter().map(|(_, to)| *to).chain([*default]).collect(),
        _ => Vec::new(),
    };
    ids.into_iter().map(|id| id.0 as usize).collect()
}

/// Through quiet blocks only.
fn reaches(function: &Function, quiet: &[bool], from: usize, to: usize) -> bool {
    let mut seen = vec![false; quiet.len()];
    let mut open = vec![from];
    while let Some(block) = open.pop() {
        if block == to {
            return true;
        }
        if quiet[block] && !std::mem::replace(&mut seen[block], true) {
            open.extend(targets(&function.blocks[block]));
        }
    }
    false
}

/// A block of its own between the two.
fn yield_between(function: &mut Function, from: usize, to: usize, fn_ty: TypeId, void: TypeId) {
    let between = BlockId(function.blocks.len() as u32);
    let end = function.blocks[from].insts.last_mut().expect("a block has an end");
    let (loc, text_line) = (end.loc, end.text_line);
    let redirect = |id: &mut BlockId| {
        if id.0 as usize == to {
            *id = between;
        }
    };
    match &mut end.kind {
        InstKind::Br(id) => redirect(id),
        InstKind::CondBr { then, els, .. } => [then, els].into_iter().for_each(redirect),
        InstKind::Switch { default, cases, .. } => {
            cases.iter_mut().map(|(_, id)| id).chain([default]).for_each(redirect);
        }
        _ => unreachable!("it has targets"),
    }
    for inst in &mut function.blocks[to].insts {
        if let InstKind::Phi { incoming, .. } = &mut inst.kind {
            incoming.iter_mut().filter(|(_, block)| block.0 as usize == from).for_each(|(_, block)| *block = between);
        }
    }
    let callee = Callee::Value(Value::Const(Const::Global("__tb_yield".into())));
    let call = Call { fn_ty, ret: void, callee, args: Vec::new(), returns_twice: false, must_tail: false };
    let inst = |kind| Inst { result: None, kind, loc, text_line };
    function.blocks.push(Block {
        name: format!("yield.{}", between.0),
        insts: vec![inst(InstKind::Call(Box::new(call))), inst(InstKind::Br(BlockId(to as u32)))],
    });
}
