//! Which values of a `nondet` call come to be used: all paths from the call are walked, each up to its first use.
//!
//! Before the value has decided anything, what the program does is the same for all values: such steps are walked over.
//! Once a branch or an `assume` hangs on the value, the path ends at the first thing that somebody could notice, and the
//! values with which it gets there are kept. A value that is kept on no path is stopped by an `assume` on each of them,
//! and up to there it does what every other value does: it need not be tried. `a && b` is nothing special: its branches
//! decide something, but they lead to the `assume` before anybody could notice.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use threadbare_ir::{
    BinOp, BlockId, Call, Callee, Const, Function, Inst, InstKind, LocalId, Module, Type, TypeId, Value,
};

use super::Functions;
use super::known::Known;
use super::values::{Values, highest};

/// Blocks that are walked through for one call. Who needs more gets no bounds.
const MOST_BLOCKS: usize = 5_000;

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// Locals that are not `Free`.
    known: BTreeMap<LocalId, Known>,
    /// The values with which the path is taken.
    possible: Values,
    /// Whether anything was decided by the value.
    decided: bool,
}

/// How a path goes on after an instruction.
enum After {
    Next,
    /// Nobody uses the value on this path, or nothing is possible any more.
    Over,
    /// Here somebody could notice the value.
    Used,
    Branches(Vec<(BlockId, State)>),
}

pub struct Walk<'a> {
    module: &'a Module,
    function: &'a Function,
    functions: &'a Functions<'a>,
    bits: u32,
    /// Block and position of the call, where there is one.
    call: Option<(usize, usize)>,
}

/// The values of the call at `call`, of an integer of `bits` bits, that come to be used.
pub fn used_values(
    module: &Module,
    function: &Function,
    functions: &Functions,
    call: (usize, usize),
    bits: u32,
) -> Values {
    let Some(result) = function.blocks[call.0].insts[call.1].result else { return Values::none(bits) };
    let walk = Walk { module, function, functions, bits, call: Some(call) };
    let known = BTreeMap::from([(result, Known::Term(Vec::new()))]);
    let start = State { known, possible: Values::all(bits), decided: false };
    walk.all_paths((BlockId(call.0 as u32), call.1 + 1, start))
}

/// Where the first block of a function of one integer leads, and for which arguments; `None` if it does more than that.
pub fn first_branches(module: &Module, function: &Function, functions: &Functions) -> Option<Vec<(BlockId, Values)>> {
    let [parameter] = &function.params[..] else { return None };
    let Type::Int(bits @ 1..=64) = *module.types.get(parameter.ty) else { return None };
    let walk = Walk { module, function, functions, bits, call: None };
    let value = match bits {
        1 => Known::Cases((0..2).map(|value| (value, Values::one(1, value))).collect()),
        _ => Known::Term(Vec::new()),
    };
    let known = BTreeMap::from([(LocalId(0), value)]);
    // As if it had decided something: there must be no effect at all.
    let mut state = State { known, possible: Values::all(bits), decided: true };
    for inst in &function.blocks.first()?.insts {
        match walk.execute(inst, &mut state, (0, 0)) {
            After::Next => {}
            After::Branches(list) => return Some(list.into_iter().map(|(to, state)| (to, state.possible)).collect()),
            After::Over | After::Used => return None,
        }
    }
    None
}

impl Walk<'_> {
    fn all_paths(&self, start: (BlockId, usize, State)) -> Values {
        let mut used = Values::none(self.bits);
        let mut seen: FxHashSet<(BlockId, State)> = FxHashSet::default();
        let mut work = vec![start];
        while let Some((block, from, mut state)) = work.pop() {
            for (i, inst) in self.function.blocks[block.0 as usize].insts.iter().enumerate().skip(from) {
                match self.execute(inst, &mut state, (block.0 as usize, i)) {
                    After::Next => continue,
                    After::Over => {}
                    After::Used => used = used.union(&state.possible),
                    After::Branches(list) => {
                        for (to, mut state) in list.into_iter().filter(|(_, state)| !state.possible.is_empty()) {
                            self.enter(block, to, &mut state);
                            if seen.insert((to, state.clone())) {
                                work.push((to, 0, state));
                            }
                        }
                    }
                }
                break;
            }
            if used.is_all() || seen.len() > MOST_BLOCKS {
                return Values::all(self.bits);
            }
        }
        used
    }

    /// All phis of a block at a time.
    fn enter(&self, from: BlockId, to: BlockId, state: &mut State) {
        let mut set = Vec::new();
        for inst in &self.function.blocks[to.0 as usize].insts {
            let (InstKind::Phi { ty, incoming }, Some(result)) = (&inst.kind, inst.result) else { continue };
            let value = incoming.iter().find(|(_, block)| *block == from).map(|(value, _)| value);
            let known = value.map_or(Known::Somehow, |value| self.known(state, *ty, value));
            // Numbers that loops count up would make every round another one.
            let counted = matches!(known, Known::Const(_)) && !state.decided && self.width(*ty) != Some(1);
            set.push((result, if counted { Known::Free } else { known }));
        }
        for (result, known) in set {
            state.set(result, known);
        }
    }

    fn width(&self, ty: TypeId) -> Option<u32> {
        match self.module.types.get(ty) {
            Type::Int(bits) if *bits <= 64 => Some(*bits),
            _ => None,
        }
    }

    fn known(&self, state: &State, ty: TypeId, value: &Value) -> Known {
        match value {
            Value::Local(local) => state.known.get(local).cloned().unwrap_or(Known::Free),
            Value::Const(constant) => match (self.width(ty), constant) {
                (Some(bits), Const::Int(value)) => Known::Const(*value as u64 & highest(bits)),
                (Some(_), Const::Zero) => Known::Const(0),
                _ => Known::Free,
            },
        }
    }

    fn execute(&self, inst: &Inst, state: &mut State, at: (usize, usize)) -> After {
        if Some(at) == self.call {
            // Anew. Only a phi can have kept the value of the round before.
            let kept = || self.phis().any(|phi| state.known.get(&phi).is_some_and(Known::depends));
            return if state.decided || kept() { After::Used } else { After::Over };
        }
        let known = match &inst.kind {
            InstKind::Phi { .. } | InstKind::Dbg(_) => return After::Next,
            InstKind::Br(to) => return After::Branches(vec![(*to, state.clone())]),
            InstKind::CondBr { cond, then, els } => {
                let cond = self.condition(state, cond);
                return self.branch(state, &cond, [(Values::one(1, 1), *then), (Values::one(1, 0), *els)]);
            }
            InstKind::Switch { value, default, cases } if self.width(value.ty).is_some() => {
                let width = self.width(value.ty).expect("just asked");
                let known = self.known(state, value.ty, &value.value);
                let mut others = Values::all(width);
                let mut targets = Vec::new();
                for (case, to) in cases {
                    let case = Values::one(width, *case as u64 & highest(width));
                    others = others.intersection(&case.complement());
                    targets.push((case, *to));
                }
                return self.branch(state, &known, targets.into_iter().chain([(others, *default)]));
            }
            InstKind::Call(call) => return self.call(inst, call, state),
            InstKind::Cast { op, from, to } => {
                let known = self.known(state, from.ty, &from.value);
                match (self.width(from.ty), self.width(*to)) {
                    (Some(from), Some(to)) => known.cast(*op, from, to),
                    _ => self.anything(inst, state),
                }
            }
            InstKind::Freeze(operand) => self.known(state, operand.ty, &operand.value),
            InstKind::Binary { op, lhs, rhs, .. } if self.width(lhs.ty).is_some() => {
                let divides = matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem);
                let (a, b) = (self.known(state, lhs.ty, &lhs.value), self.known(state, lhs.ty, rhs));
                // A division may end in a crash.
                if divides && !matches!(b, Known::Const(n) if n != 0 && n != highest(self.width(lhs.ty).unwrap_or(64)))
                {
                    return self.effect(inst, state);
                }
                a.binary(*op, &b, self.width(lhs.ty).expect("just asked"), self.bits)
            }
            InstKind::ICmp { pred, lhs, rhs } if self.width(lhs.ty).is_some() => {
                let (a, b) = (self.known(state, lhs.ty, &lhs.value), self.known(state, lhs.ty, rhs));
                a.compare(*pred, &b, self.width(lhs.ty).expect("just asked"), self.bits)
            }
            InstKind::Select { cond, then, els } if self.width(then.ty).is_some() => {
                let (a, b) = (self.known(state, then.ty, &then.value), self.known(state, then.ty, els));
                let cond = self.condition(state, &cond.value);
                Known::select(&cond, &a, &b, self.width(then.ty).expect("just asked"), self.bits)
            }
            InstKind::ICmp { .. }
            | InstKind::FCmp { .. }
            | InstKind::FNeg(_)
            | InstKind::Select { .. }
            | InstKind::Gep { .. }
            | InstKind::ExtractValue { .. }
            | InstKind::InsertValue { .. }
            | InstKind::ExtractElement { .. }
            | InstKind::InsertElement { .. }
            | InstKind::ShuffleVector { .. } => self.anything(inst, state),
            InstKind::Binary { op: BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem, .. } => {
                self.anything(inst, state)
            }
            InstKind::Ret(_) | InstKind::Unreachable => {
                return if state.decided || self.uses(inst, state) { After::Used } else { After::Over };
            }
            InstKind::Switch { .. } | InstKind::IndirectBr { .. } => return After::Used,
            _ => return self.effect(inst, state),
        };
        if let Some(result) = inst.result {
            state.set(result, known);
        }
        After::Next
    }

    fn phis(&self) -> impl Iterator<Item = LocalId> + '_ {
        let insts = self.function.blocks.iter().flat_map(|block| &block.insts);
        insts.filter(|inst| matches!(inst.kind, InstKind::Phi { .. })).filter_map(|inst| inst.result)
    }

    /// A value of one bit.
    fn condition(&self, state: &State, value: &Value) -> Known {
        match value {
            Value::Local(local) => state.known.get(local).cloned().unwrap_or(Known::Free),
            Value::Const(Const::Int(value)) => Known::Const(*value as u64 & 1),
            Value::Const(_) => Known::Free,
        }
    }

    fn branch(&self, state: &State, on: &Known, targets: impl IntoIterator<Item = (Values, BlockId)>) -> After {
        let list = targets.into_iter().map(|(set, to)| {
            let possible = state.possible.intersection(&on.preimage(&set, self.bits));
            (to, State { possible, decided: state.decided || on.depends(), known: state.known.clone() })
        });
        After::Branches(list.collect())
    }

    fn uses(&self, inst: &Inst, state: &State) -> bool {
        let mut uses = false;
        threadbare_ir::operands(&inst.kind, &mut |value| {
            if let Value::Local(local) = value {
                uses |= state.known.get(local).is_some_and(Known::depends);
            }
        });
        uses
    }

    /// The result of something that nobody notices.
    fn anything(&self, inst: &Inst, state: &State) -> Known {
        if self.uses(inst, state) { Known::Somehow } else { Known::Free }
    }

    /// Something that somebody may notice.
    fn effect(&self, inst: &Inst, state: &mut State) -> After {
        if state.decided || self.uses(inst, state) {
            return After::Used;
        }
        if let Some(result) = inst.result {
            state.set(result, Known::Free);
        }
        After::Next
    }

    fn call(&self, inst: &Inst, call: &Call, state: &mut State) -> After {
        let Callee::Value(Value::Const(Const::Global(name))) = &call.callee else { return self.effect(inst, state) };
        let argument = |state: &State| {
            let operand = call.args.first().map(|arg| &arg.operand)?;
            Some((self.width(operand.ty)?, self.known(state, operand.ty, &operand.value)))
        };
        let known = match self.functions.meaning(name) {
            Meaning::Assume => {
                let Some((width, condition)) = argument(state) else { return self.effect(inst, state) };
                let holds = Values::one(width, 0).complement();
                state.possible = state.possible.intersection(&condition.preimage(&holds, self.bits));
                state.decided |= condition.depends();
                return if state.possible.is_empty() { After::Over } else { After::Next };
            }
            Meaning::Nothing => Known::Free,
            Meaning::Itself => argument(state).map_or(Known::Free, |(_, known)| known),
            Meaning::Computes => self.anything(inst, state),
            Meaning::Chooses if !self.uses(inst, state) => Known::Free,
            Meaning::Chooses | Meaning::Anything => return self.effect(inst, state),
        };
        if let Some(result) = inst.result {
            state.set(result, known);
        }
        After::Next
    }
}

impl State {
    fn set(&mut self, local: LocalId, known: Known) {
        match known {
            Known::Free => self.known.remove(&local),
            known => self.known.insert(local, known),
        };
    }
}

/// What a call is to the walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    Assume,
    /// A mark.
    Nothing,
    /// Gives its first argument.
    Itself,
    /// Gives something computed of its arguments, and that is all.
    Computes,
    /// Gives a value that is chosen: nobody can notice that by itself.
    Chooses,
    Anything,
}
