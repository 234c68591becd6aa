//! One function: the order of its code. What is found out before that is in the modules below.

mod addresses;
mod homes;
mod survey;

use rustc_hash::FxHashMap;
use threadbare_ir::{self as ir, BlockId, Callee, Const, Inst, InstKind, LocalId, TypeId, Value};

pub use addresses::{Address, Index, Root};
use homes::Home;
pub use homes::is_undefined_call;
use survey::Uses;

use super::Lowering;
use super::constant::Word;
use super::source::DebugPlace;
use crate::bytecode::*;
use crate::layout::{Layout, Leaf, Unsupported};
use crate::liveness::patch_targets;

pub type Lowered<T> = Result<T, Unsupported>;

/// A component of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Src {
    Slot(Slot),
    Const(u64),
    /// So many undefined low bits, of a variable of the program that was never set (see `Op::Undef`).
    Undefined {
        bits: u8,
        variable: u32,
    },
}

impl Src {
    /// Undefined, whatever the source calls it.
    pub fn undefined(bits: u8) -> Src {
        Src::Undefined { bits, variable: 0 }
    }
}

pub struct Body<'a, 'm> {
    pub low: &'a mut Lowering<'m>,
    pub m: usize,
    pub function: &'m ir::Function,
    pub index: u32,
    pub code: Vec<Op>,
    locations: Vec<u32>,
    location: u32,
    homes: Vec<Home>,
    defs: Vec<Option<&'m Inst>>,
    def_block: Vec<u32>,
    uses: Vec<Uses>,
    /// How each `getelementptr` folds; `None` is not known yet.
    addresses: Vec<Option<Address>>,
    materialised: Vec<bool>,
    /// Comparisons that are part of the branch behind them.
    fused: Vec<bool>,
    extended: Vec<Slot>,
    /// For the first of a chain of `insertvalue`s that share their slots: which of them the others set.
    chains: FxHashMap<LocalId, Vec<std::ops::Range<u16>>>,
    next_slot: u32,
    first_temp: u32,
    next_temp: u32,
    most_slots: u32,
    /// Code for edges that carry values into phis: (moves, target).
    stubs: Vec<(Vec<(Slot, Src)>, u32)>,
    pub variables: Vec<Variable>,
    /// The names of variables that were never set, by the values that stand for them.
    undefined_variables: FxHashMap<LocalId, u32>,
    block: u32,
    /// Where each block starts, once it is known.
    positions: Vec<u32>,
}

impl<'m> Lowering<'m> {
    pub(super) fn lower_function(&mut self, index: u32, m: usize, f: usize) {
        let function = &self.module(m).functions[f];
        let lowered = Body::new(self, index, m, function).and_then(|mut body| {
            body.lower()?;
            let blocks = body.block_positions();
            Ok((body.code, body.locations, body.most_slots, body.variables, blocks))
        });
        match lowered {
            Ok((code, mut locations, slots, variables, blocks)) => {
                // The optimiser may leave nothing that has a line.
                if locations.iter().all(|&location| location == 0)
                    && let Some(first) = locations.first_mut()
                {
                    *first = self.source.function_location(&mut self.program, self.linked, m, function);
                }
                let target = &mut self.program.functions[index as usize];
                target.code = code;
                target.locations = locations;
                target.slots = slots;
                target.variables = variables;
                target.blocks = blocks;
            }
            Err(Unsupported(what)) => {
                // Nothing of the function can run: entering it is refused.
                let message =
                    self.message(format!("the function `{}` uses {}", function.name, what.trim_end_matches(',')));
                let location = self.refused_location(m, function);
                let target = &mut self.program.functions[index as usize];
                target.code = vec![Op::Refuse { message }];
                target.locations = vec![location];
                target.slots = u32::from(target.param_slots).max(1);
                target.blocks = Vec::new();
            }
        }
    }

    /// Where a function that uses a type that there is not uses it first, as far as that can be seen; or begins.
    fn refused_location(&mut self, m: usize, function: &ir::Function) -> u32 {
        let layout = &self.layouts[m];
        let is_refused = |inst: &&Inst| {
            let stored = match &inst.kind {
                InstKind::Store { value, .. } => Some(value.ty),
                _ => None,
            };
            let made = inst.result.map(|local| function.local_types[local.0 as usize]);
            made.or(stored).is_some_and(|ty| layout.leaves(ty).is_err())
        };
        let refused = function.blocks.iter().flat_map(|block| &block.insts).filter(is_refused);
        match self.source.first_location(&mut self.program, self.linked, m, refused) {
            0 => self.source.function_location(&mut self.program, self.linked, m, function),
            location => location,
        }
    }

    pub fn message(&mut self, text: String) -> u32 {
        self.program.messages.push(text.into());
        self.program.messages.len() as u32 - 1
    }

    pub(super) fn calls_setjmp(&self, m: usize, f: usize) -> bool {
        self.module(m).functions[f]
            .blocks
            .iter()
            .flat_map(|block| &block.insts)
            .any(|inst| matches!(&inst.kind, InstKind::Call(call) if self.is_setjmp(m, call)))
    }

    pub(super) fn is_setjmp(&self, m: usize, call: &ir::Call) -> bool {
        match &call.callee {
            Callee::Value(Value::Const(Const::Global(name))) => {
                super::primitive::is_setjmp(name) && self.linked.resolve(m, name).is_none()
            }
            _ => false,
        }
    }
}

impl<'a, 'm> Body<'a, 'm> {
    fn new(low: &'a mut Lowering<'m>, index: u32, m: usize, function: &'m ir::Function) -> Lowered<Self> {
        let locals = function.local_types.len();
        let mut body = Body {
            low,
            m,
            function,
            index,
            code: Vec::new(),
            locations: Vec::new(),
            location: 0,
            homes: vec![Home::None; locals],
            defs: vec![None; locals],
            def_block: vec![0; locals],
            uses: vec![Uses::default(); locals],
            addresses: vec![None; locals],
            materialised: vec![false; locals],
            fused: vec![false; locals],
            extended: vec![0; locals],
            chains: FxHashMap::default(),
            next_slot: 0,
            first_temp: 0,
            next_temp: 0,
            most_slots: 0,
            stubs: Vec::new(),
            variables: Vec::new(),
            undefined_variables: FxHashMap::default(),
            block: 0,
            positions: Vec::new(),
        };
        // The signature left out what cannot be passed.
        for param in &function.params {
            body.low.classes(m, param.ty, param.attrs.byval, param.attrs.align)?;
        }
        body.low.classes(m, function.ret, None, 0)?;
        body.survey();
        body.fold_addresses()?;
        body.give_homes()?;
        Ok(body)
    }

    pub fn layout(&self) -> &Layout<'m> {
        &self.low.layouts[self.m]
    }

    pub fn leaves(&self, ty: TypeId) -> Lowered<std::rc::Rc<[Leaf]>> {
        self.layout().leaves(ty)
    }

    // ---- Values ----------------------------------------------------------------------------------------------------

    /// The components of an operand, one a slot.
    pub fn sources(&mut self, ty: TypeId, value: &Value) -> Lowered<Vec<Src>> {
        match value {
            Value::Local(local) if self.is_undefined(*local) => {
                let variable = self.undefined_variable(*local);
                let words = self.low.constant_words(self.m, ty, &Const::Undef)?;
                let source = |word| match word {
                    Word::Undefined(bits) => Src::Undefined { bits, variable },
                    word => word.into(),
                };
                Ok(words.into_iter().map(source).collect())
            }
            Value::Local(local) => {
                let first = self.local_slot(*local);
                Ok((0..self.layout().slots(ty)?).map(|i| Src::Slot(first + i)).collect())
            }
            Value::Const(Const::Global(name)) if self.is_thread_local(name) => {
                let d = self.temp(1);
                self.thread_local_address(name, d);
                Ok(vec![Src::Slot(d)])
            }
            Value::Const(constant) => {
                let words = self.low.constant_words(self.m, ty, constant)?;
                Ok(words.into_iter().map(Src::from).collect())
            }
        }
    }

    /// The name of a variable that was never set, as `Op::Undef` has it.
    pub fn undefined_variable(&self, local: LocalId) -> u32 {
        self.undefined_variables.get(&local).copied().unwrap_or(0)
    }

    pub fn source(&mut self, ty: TypeId, value: &Value) -> Lowered<Src> {
        self.sources(ty, value)?.first().copied().ok_or_else(|| Unsupported("a value without bits".into()))
    }

    /// A slot that holds a component; constants are put into a temporary one.
    pub fn slot(&mut self, src: Src) -> Slot {
        match src {
            Src::Slot(slot) => slot,
            _ => {
                let d = self.temp(1);
                self.move_to(d, src);
                d
            }
        }
    }

    pub fn move_to(&mut self, d: Slot, src: Src) {
        match src {
            Src::Slot(a) if a == d => {}
            Src::Slot(a) => self.emit(Op::Mov { d, a }),
            Src::Const(i) => self.emit(Op::Imm { d, i }),
            Src::Undefined { bits, variable } => self.emit(Op::Undef { d, w: bits, variable }),
        }
    }

    pub fn value_slot(&mut self, ty: TypeId, value: &Value) -> Lowered<Slot> {
        let src = self.source(ty, value)?;
        Ok(self.slot(src))
    }

    /// Consecutive slots that hold all components.
    pub fn value_slots(&mut self, ty: TypeId, value: &Value) -> Lowered<Slot> {
        if let Value::Local(local) = value
            && self.has_home(*local)
        {
            return Ok(self.local_slot(*local));
        }
        let sources = self.sources(ty, value)?;
        let first = self.temp(sources.len() as u16);
        for (i, src) in sources.into_iter().enumerate() {
            self.move_to(first + i as u16, src);
        }
        Ok(first)
    }

    pub fn result(&self, inst: &Inst) -> Slot {
        inst.result.map_or(0, |local| self.local_slot(local))
    }

    /// Slots for the length of one instruction.
    pub fn temp(&mut self, slots: u16) -> Slot {
        let slot = self.next_temp;
        self.next_temp += u32::from(slots);
        self.most_slots = self.most_slots.max(self.next_temp);
        slot as Slot
    }

    pub fn emit(&mut self, op: Op) {
        self.code.push(op);
        self.locations.push(self.location);
    }

    pub fn is_thread_local(&self, name: &str) -> bool {
        match self.low.linked.resolve(self.m, name) {
            Some(crate::link::Symbol::Global(m, g)) => self.low.module(m).globals[g].thread_local,
            _ => false,
        }
    }

    pub fn thread_local_address(&mut self, name: &str, d: Slot) {
        if let super::Named::ThreadLocal(index) = self.low.named(self.m, name) {
            self.emit(Op::Tls { d, index });
        }
    }

    pub fn result_is_used(&self, inst: &Inst) -> bool {
        inst.result.is_some_and(|local| self.uses[local.0 as usize].any())
    }

    pub fn is_fused(&self, local: LocalId) -> bool {
        self.fused[local.0 as usize]
    }

    /// The program's first function, whose result is the exit code.
    pub fn is_main(&self) -> bool {
        self.m < self.low.linked.user_modules && self.function.name == "main"
    }

    pub fn definition(&self, local: LocalId) -> Option<&'m Inst> {
        self.defs[local.0 as usize]
    }

    // ---- Code ------------------------------------------------------------------------------------------------------

    fn lower(&mut self) -> Lowered<()> {
        let function = self.function;
        let blocks = function.blocks.len() as u32;
        let mut positions = Vec::with_capacity(blocks as usize);
        let ways_in = ways_in(function);
        for (b, block) in function.blocks.iter().enumerate() {
            self.block = b as u32;
            positions.push(self.code.len() as u32);
            for inst in &block.insts {
                self.next_temp = self.first_temp;
                self.location = self.low.source.location(&mut self.low.program, self.low.linked, self.m, inst.loc);
                if let InstKind::Dbg(record) = &inst.kind {
                    self.debug_record(record);
                    continue;
                }
                if let Err(Unsupported(what)) = self.instruction(inst) {
                    let message = self.low.message(what.trim_end_matches(',').into());
                    self.emit(Op::Refuse { message });
                }
            }
            // What is said at the end of a block that runs on into the next is not to be said of every way there.
            let (start, end) = (positions[b], self.code.len() as u32);
            for variable in self.variables.iter_mut().rev().take_while(|variable| variable.pc == end) {
                if end > start {
                    (variable.pc, variable.behind) = (end - 1, true);
                } else if ways_in[b + 1] > 1 {
                    variable.place = Place::Unknown;
                }
            }
        }
        // Edges that carry values, then all targets: blocks by number, edges after them.
        let mut stub = 0;
        while stub < self.stubs.len() {
            self.next_temp = self.first_temp;
            positions.push(self.code.len() as u32);
            let (moves, target) = self.stubs[stub].clone();
            self.parallel_moves(moves);
            self.emit(Op::Jmp { t: target });
            stub += 1;
        }
        for op in &mut self.code {
            patch_targets(op, &mut |target| *target = positions[*target as usize]);
            if let Op::Switch { table, .. } = op {
                let table = &mut self.low.program.switches[*table as usize];
                table.default = positions[table.default as usize];
                match &mut table.kind {
                    SwitchKind::Dense { targets, .. } => {
                        targets.iter_mut().for_each(|target| *target = positions[*target as usize]);
                    }
                    SwitchKind::Sparse(map) => {
                        map.values_mut().for_each(|target| *target = positions[*target as usize])
                    }
                    SwitchKind::Wide(map) => map.values_mut().for_each(|target| *target = positions[*target as usize]),
                }
            }
        }
        positions.truncate(blocks as usize);
        self.positions = positions;
        Ok(())
    }

    /// Positions of blocks whose address is taken; the others cannot be jumped to by address.
    fn block_positions(&self) -> Vec<u32> {
        let indirect: Vec<BlockId> = self
            .function
            .blocks
            .iter()
            .flat_map(|block| &block.insts)
            .filter_map(|inst| match &inst.kind {
                InstKind::IndirectBr { targets, .. } => Some(targets),
                _ => None,
            })
            .flatten()
            .copied()
            .collect();
        let taken = |b: usize| indirect.contains(&BlockId(b as u32));
        self.positions.iter().enumerate().map(|(b, &at)| if taken(b) { at } else { u32::MAX }).collect()
    }

    pub fn is_next(&self, block: BlockId) -> bool {
        block.0 == self.block + 1
    }

    pub fn current_block(&self) -> BlockId {
        BlockId(self.block)
    }

    /// The values that `to`'s phis take when control comes from `from`.
    pub fn phi_moves(&mut self, from: BlockId, to: BlockId) -> Lowered<Vec<(Slot, Src)>> {
        let function = self.function;
        let mut moves = Vec::new();
        for inst in &function.blocks[to.0 as usize].insts {
            match &inst.kind {
                InstKind::Dbg(_) => {}
                InstKind::Phi { ty, incoming } => {
                    let Some((value, _)) = incoming.iter().find(|(_, block)| *block == from) else {
                        return Err(Unsupported("a phi without a value for an edge".into()));
                    };
                    let d = self.result(inst);
                    for (i, src) in self.sources(*ty, value)?.into_iter().enumerate() {
                        moves.push((d + i as u16, src));
                    }
                }
                _ => break,
            }
        }
        Ok(moves)
    }

    /// Where a conditional jump to `to` goes: the block itself, or code that first moves values into its phis.
    pub fn edge(&mut self, to: BlockId) -> Lowered<u32> {
        let moves = self.phi_moves(self.current_block(), to)?;
        if moves.is_empty() {
            return Ok(to.0);
        }
        self.stubs.push((moves, to.0));
        Ok(self.function.blocks.len() as u32 + self.stubs.len() as u32 - 1)
    }

    fn debug_record(&mut self, record: &ir::DbgRecord) {
        let variable = super::source::debug_variable(self.low.module(self.m), record);
        // The lengths of arrays are the compiler's own variables.
        let Some((name, ty, place)) = variable.filter(|(name, ..)| !name.starts_with("__vla_expr")) else { return };
        let value = record.value.as_ref().map(|operand| &operand.value);
        let place = match (place, value) {
            (DebugPlace::Value, Some(Value::Const(Const::Int(bits)))) => Place::Constant(*bits as u64),
            (DebugPlace::Value, Some(Value::Local(local))) if self.is_undefined(*local) => Place::NeverSet,
            (DebugPlace::Value, Some(Value::Local(local))) if self.has_home(*local) => {
                Place::Slot(self.local_slot(*local))
            }
            (DebugPlace::Address, Some(Value::Local(local))) if self.has_home(*local) => {
                Place::Address(self.local_slot(*local))
            }
            // What an earlier record said holds no longer.
            _ => Place::Unknown,
        };
        let ty = ty.map(|ty| (self.m as u16, ty));
        let declaration = (self.m as u16, record.variable);
        let pc = self.code.len() as u32;
        self.variables.push(Variable { pc, behind: false, name: name.into(), ty, declaration, place });
    }
}

/// How many jumps lead to each block.
fn ways_in(function: &ir::Function) -> Vec<u32> {
    let mut ways = vec![0; function.blocks.len() + 1];
    for last in function.blocks.iter().filter_map(|block| block.insts.last()) {
        ir::blocks(&last.kind, |target| ways[target.0 as usize] += 1);
    }
    ways
}

impl From<Word> for Src {
    fn from(word: Word) -> Src {
        match word {
            Word::Value(value) => Src::Const(value),
            Word::Undefined(bits) => Src::undefined(bits),
        }
    }
}

pub fn local_of(value: &Value) -> Option<LocalId> {
    match value {
        Value::Local(local) => Some(*local),
        Value::Const(_) => None,
    }
}
