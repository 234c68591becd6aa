//! One function: where its values live, which address computations fold into accesses, the order of its code.

use rustc_hash::FxHashMap;
use threadbare_ir::{self as ir, BlockId, Callee, CastOp, Const, Inst, InstKind, LocalId, Ordering, TypeId, Value};

use super::Lowering;
use super::constant::Word;
use super::source::DebugPlace;
use crate::bytecode::*;
use crate::frontend::UNDEFINED;
use crate::layout::{Layout, Leaf, Scalar, Unsupported};
use crate::liveness::patch_targets;
use crate::scalar::sext128;

pub type Lowered<T> = Result<T, Unsupported>;

/// A component of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Src {
    Slot(Slot),
    Const(u64),
    /// So many undefined low bits.
    Undefined(u8),
}

/// Where a local value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Home {
    /// No slots: never needed as a value.
    None,
    Own(Slot),
    /// The same bits as (a part of) another local.
    Alias(LocalId, u16),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Root {
    Local(LocalId),
    Const(u64),
}

/// `root + index * scale + offset`: what one access can compute by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    pub root: Root,
    /// The index and what it is multiplied with. An index of less than 64 bits has been extended into the slot of the
    /// `getelementptr` that is named.
    pub index: Option<(Index, i32)>,
    pub offset: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    Local(LocalId),
    ExtendedBy(LocalId),
}

#[derive(Clone, Copy, Default)]
struct Uses {
    /// Uses that need the value in a slot.
    value: u32,
    /// Uses as the address of a plain load or store.
    address: u32,
    /// Uses as the condition of a branch.
    condition: u32,
    /// Uses as an index.
    index: u32,
}

impl Uses {
    fn any(&self) -> bool {
        self.value + self.address + self.condition + self.index > 0
    }

    /// Whether somebody wants an undefined value in a slot; most take it as a constant.
    fn in_slot(&self) -> bool {
        self.address + self.condition + self.index > 0
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
            Ok((code, locations, slots, variables, blocks)) => {
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

    // ---- Before the code: who uses what, what folds, who lives where ----------------------------------------------

    fn survey(&mut self) {
        let function = self.function;
        for (b, block) in function.blocks.iter().enumerate() {
            for inst in &block.insts {
                if let Some(result) = inst.result {
                    self.defs[result.0 as usize] = Some(inst);
                    self.def_block[result.0 as usize] = b as u32;
                }
                let mut address = None;
                let mut condition = None;
                match &inst.kind {
                    InstKind::Dbg(_) => continue,
                    InstKind::Load { ptr, ordering: Ordering::NotAtomic, volatile: false, .. }
                    | InstKind::Store { ptr, ordering: Ordering::NotAtomic, volatile: false, .. } => {
                        address = local_of(ptr);
                    }
                    InstKind::CondBr { cond, .. } => condition = local_of(cond),
                    // The base of a `getelementptr` folds into it, or is asked for when it does not.
                    InstKind::Gep { base, indices, .. } => {
                        address = local_of(&base.value);
                        for LocalId(l) in indices.iter().filter_map(|index| local_of(&index.value)) {
                            self.uses[l as usize].index += 1;
                        }
                    }
                    _ => {}
                }
                if let Some(LocalId(l)) = address {
                    self.uses[l as usize].address += 1;
                }
                if let Some(LocalId(l)) = condition {
                    self.uses[l as usize].condition += 1;
                }
                let (mut skip_address, mut skip_condition) = (address, condition);
                super::values::for_each_value(&inst.kind, &mut |value| {
                    if let Some(local) = local_of(value) {
                        if skip_address == Some(local) && is_address_operand(&inst.kind, value) {
                            skip_address = None;
                        } else if skip_condition == Some(local) {
                            skip_condition = None;
                        } else {
                            self.uses[local.0 as usize].value += 1;
                        }
                    }
                });
            }
        }
        // A comparison that only a branch in its own block looks at is done by the branch.
        for (b, block) in function.blocks.iter().enumerate() {
            if let Some(Inst { kind: InstKind::CondBr { cond: Value::Local(cond), .. }, .. }) = block.insts.last() {
                let c = cond.0 as usize;
                let single = self.uses[c].value == 0 && self.uses[c].condition == 1 && self.def_block[c] == b as u32;
                if let (true, Some(Inst { kind: InstKind::ICmp { lhs, .. }, .. })) = (single, self.defs[c]) {
                    let narrow = self.layout().scalar(lhs.ty).is_ok_and(|scalar| scalar.slots() == 1);
                    self.fused[c] = narrow && self.layout().vector(lhs.ty).is_ok_and(|v| v.is_none());
                }
            }
        }
    }

    fn fold_addresses(&mut self) -> Lowered<()> {
        for local in 0..self.defs.len() {
            if matches!(self.defs[local], Some(Inst { kind: InstKind::Gep { .. }, .. })) {
                self.address_of_local(LocalId(local as u32))?;
            }
        }
        for local in 0..self.defs.len() {
            if let (Some(Inst { kind: InstKind::Gep { .. }, .. }), Some(_)) = (self.defs[local], self.addresses[local])
                && self.uses[local].value > 0
            {
                self.materialised[local] = true;
            }
        }
        Ok(())
    }

    fn plain(local: LocalId) -> Address {
        Address { root: Root::Local(local), index: None, offset: 0 }
    }

    /// The address that a local stands for, folded as far as one access can carry.
    fn address_of_local(&mut self, local: LocalId) -> Lowered<Address> {
        let l = local.0 as usize;
        let Some(Inst { kind: InstKind::Gep { source, base, indices, .. }, .. }) = self.defs[l] else {
            return Ok(Self::plain(local));
        };
        if let Some(address) = self.addresses[l] {
            return Ok(address);
        }
        if self.layout().vector(self.function.local_types[l])?.is_some() {
            // A vector of addresses: component by component, when it is computed.
            self.materialised[l] = true;
            self.addresses[l] = Some(Self::plain(local));
            return Ok(Self::plain(local));
        }
        let mut address = match &base.value {
            Value::Local(inner) => self.address_of_local(*inner)?,
            Value::Const(constant) => match self.low.constant_address(self.m, constant) {
                Ok(at) => Address { root: Root::Const(at), index: None, offset: 0 },
                // A thread-local base, or undef: computed as a value.
                Err(_) => {
                    self.materialised[l] = true;
                    self.addresses[l] = Some(Self::plain(local));
                    return Ok(Self::plain(local));
                }
            },
        };
        let own_base = match &base.value {
            Value::Local(inner) => Self::plain(*inner),
            Value::Const(_) => address,
        };
        let (offset, variable) = self.gep_terms(*source, indices)?;
        let fits = |offset: i64| i32::try_from(offset).is_ok();
        let complex = match variable[..] {
            [] => {
                address.offset = address.offset.wrapping_add(offset);
                false
            }
            [(index, scale)] => {
                if address.index.is_some() {
                    // The inner one has an index already: it is computed, and this one starts from it.
                    if let Value::Local(inner) = &base.value {
                        self.materialised[inner.0 as usize] = true;
                    }
                    address = own_base;
                }
                let index = match self.layout().scalar(self.function.local_types[index.0 as usize])? {
                    Scalar::Int(64) => Index::Local(index),
                    _ => Index::ExtendedBy(local),
                };
                match i32::try_from(scale) {
                    Ok(scale) => {
                        address.index = Some((index, scale));
                        address.offset = address.offset.wrapping_add(offset);
                        false
                    }
                    Err(_) => true,
                }
            }
            _ => true,
        };
        if complex || !fits(address.offset) || !fits(address.offset.wrapping_add(1 << 24)) {
            if let Value::Local(inner) = &base.value
                && matches!(self.defs[inner.0 as usize], Some(Inst { kind: InstKind::Gep { .. }, .. }))
            {
                self.materialised[inner.0 as usize] = true;
            }
            self.materialised[l] = true;
            address = Self::plain(local);
        }
        self.addresses[l] = Some(address);
        Ok(address)
    }

    /// The constant part of the indices, and the variable ones with what they are multiplied with.
    pub fn gep_terms(&mut self, source: TypeId, indices: &[ir::Operand]) -> Lowered<(i64, Vec<(LocalId, i64)>)> {
        let mut ty = source;
        let mut offset = 0i64;
        let mut variable = Vec::new();
        for (depth, index) in indices.iter().enumerate() {
            let step = |layout: &Layout| -> Lowered<i64> {
                let element = if depth == 0 { ty } else { layout.element(ty, 0)?.1 };
                Ok(layout.size(element)? as i64)
            };
            match &index.value {
                Value::Const(constant) => {
                    let bits = self.layout().scalar(index.ty)?.bits()?;
                    let n = sext128(self.low.constant_bits(self.m, index.ty, constant)?, bits) as i64;
                    if depth == 0 {
                        offset = offset.wrapping_add(step(self.layout())?.wrapping_mul(n));
                    } else {
                        let (at, element) = self.layout().element(ty, n as u64)?;
                        offset = offset.wrapping_add(at as i64);
                        ty = element;
                    }
                }
                Value::Local(local) => {
                    variable.push((*local, step(self.layout())?));
                    if depth > 0 {
                        ty = self.layout().element(ty, 0)?.1;
                    }
                }
            }
        }
        Ok((offset, variable))
    }

    fn give_homes(&mut self) -> Lowered<()> {
        let params = self.function.params.len();
        for local in 0..params {
            let ty = self.function.local_types[local];
            let slots = if self.function.params[local].attrs.byval.is_some() { 1 } else { self.layout().slots(ty)? };
            self.homes[local] = Home::Own(self.take(slots)?);
        }
        for local in params..self.defs.len() {
            let Some(inst) = self.defs[local] else {
                continue;
            };
            let ty = self.function.local_types[local];
            self.homes[local] = match &inst.kind {
                InstKind::Gep { .. } => {
                    if let Some(Some(Address { index: Some((Index::ExtendedBy(by), _)), .. })) =
                        self.addresses.get(local)
                        && by.0 as usize == local
                    {
                        self.extended[local] = self.take(1)?;
                    }
                    if self.materialised[local] {
                        let slots = self.layout().slots(ty)?;
                        Home::Own(self.take(slots)?)
                    } else {
                        Home::None
                    }
                }
                InstKind::ICmp { .. } if self.fused[local] => Home::None,
                InstKind::Call(call) if is_undefined_call(call) && !self.uses[local].in_slot() => Home::None,
                InstKind::InsertValue { agg, elem, path } if self.continues_chain(local, agg) => {
                    let Value::Local(inner) = agg.value else { unreachable!("a chain continues a local") };
                    let mut head = inner;
                    while let Home::Alias(of, _) = self.homes[head.0 as usize] {
                        head = of;
                    }
                    let (slot, _) = self.path_slot(agg.ty, path)?;
                    let end = slot + self.layout().slots(elem.ty)?;
                    self.chains.entry(head).or_default().push(slot..end);
                    Home::Alias(inner, 0)
                }
                kind => match self.alias_of(kind, ty)? {
                    Some((of, part)) => Home::Alias(of, part),
                    None => {
                        let slots = self.layout().slots(ty)?;
                        Home::Own(self.take(slots)?)
                    }
                },
            };
        }
        self.first_temp = self.next_slot;
        self.next_temp = self.next_slot;
        self.most_slots = self.next_slot.max(1);
        Ok(())
    }

    /// The value of an uninitialised variable.
    pub fn is_undefined(&self, local: LocalId) -> bool {
        match self.defs[local.0 as usize] {
            Some(Inst { kind: InstKind::Call(call), .. }) => is_undefined_call(call),
            _ => false,
        }
    }

    /// The store of an undefined value into a variable of this function.
    pub fn marks_undefined(&self, value: &ir::Operand, ptr: &Value) -> bool {
        let variable = local_of(ptr).and_then(|local| self.definition(local));
        local_of(&value.value).is_some_and(|local| self.is_undefined(local))
            && variable.is_some_and(|inst| matches!(inst.kind, InstKind::Alloca { .. }))
    }

    /// An `insertvalue` into a value that nobody else looks at changes it in place.
    fn continues_chain(&self, local: usize, agg: &ir::Operand) -> bool {
        let Value::Local(inner) = agg.value else {
            return false;
        };
        let inner = inner.0 as usize;
        matches!(self.defs[inner], Some(Inst { kind: InstKind::InsertValue { .. }, .. }))
            && inner < local
            && self.uses[inner].value == 1
            && self.def_block[inner] == self.def_block[local]
    }

    /// Whether later members of the chain that starts with `local` set this slot.
    pub fn set_later(&self, local: LocalId, slot: u16) -> bool {
        self.chains.get(&local).is_some_and(|ranges| ranges.iter().any(|range| range.contains(&slot)))
    }

    fn take(&mut self, slots: u16) -> Lowered<Slot> {
        let slot = self.next_slot;
        self.next_slot += u32::from(slots);
        if self.next_slot > 60_000 {
            return Err(Unsupported("more than 60,000 values at a time".into()));
        }
        Ok(slot as Slot)
    }

    /// Casts that change no bit, and parts of aggregates, need no code.
    fn alias_of(&self, kind: &InstKind, ty: TypeId) -> Lowered<Option<(LocalId, u16)>> {
        Ok(match kind {
            InstKind::Cast { op, from, .. } => {
                let Value::Local(local) = from.value else {
                    return Ok(None);
                };
                if self.layout().vector(ty)?.is_some() || self.layout().vector(from.ty)?.is_some() {
                    return Ok(None);
                }
                let (Ok(a), Ok(b)) = (self.layout().scalar(from.ty), self.layout().scalar(ty)) else {
                    return Ok(None);
                };
                let same = match op {
                    CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr => {
                        a.slots() == 1 && b.slots() == 1 && b.width() >= a.width()
                    }
                    CastOp::BitCast | CastOp::AddrSpaceCast => a.slots() == b.slots() && a.width() == b.width(),
                    _ => false,
                };
                same.then_some((local, 0))
            }
            InstKind::ExtractValue { agg, path } => match agg.value {
                Value::Local(local) => Some((local, self.path_slot(agg.ty, path)?.0)),
                Value::Const(_) => None,
            },
            InstKind::ExtractElement { vector, index } => match (&vector.value, &index.value) {
                (Value::Local(local), Value::Const(Const::Int(i))) => {
                    let leaves = self.leaves(vector.ty)?;
                    leaves.get(*i as usize).map(|leaf| (*local, leaf.slot))
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// The first slot, relative to the whole, of the part of an aggregate that `path` names, and its type.
    pub fn path_slot(&self, ty: TypeId, path: &[u32]) -> Lowered<(u16, TypeId)> {
        let (mut slot, mut ty) = (0, ty);
        for &step in path {
            for i in 0..u64::from(step) {
                let (_, element) = self.layout().element(ty, i)?;
                slot += self.layout().slots(element)?;
            }
            ty = self.layout().element(ty, u64::from(step))?.1;
        }
        Ok((slot, ty))
    }

    // ---- Values ----------------------------------------------------------------------------------------------------

    pub fn local_slot(&self, local: LocalId) -> Slot {
        match self.homes[local.0 as usize] {
            Home::Own(slot) => slot,
            Home::Alias(of, part) => self.local_slot(of) + part,
            Home::None => unreachable!("{} is asked for as a value", self.function.local_names[local.0 as usize]),
        }
    }

    pub fn is_alias(&self, local: LocalId) -> bool {
        matches!(self.homes[local.0 as usize], Home::Alias(..))
    }

    pub fn has_home(&self, local: LocalId) -> bool {
        match self.homes[local.0 as usize] {
            Home::None => false,
            Home::Own(_) => true,
            Home::Alias(of, _) => self.has_home(of),
        }
    }

    /// The components of an operand, one a slot.
    pub fn sources(&mut self, ty: TypeId, value: &Value) -> Lowered<Vec<Src>> {
        match value {
            Value::Local(local) if self.is_undefined(*local) => {
                let words = self.low.constant_words(self.m, ty, &Const::Undef)?;
                Ok(words.into_iter().map(Src::from).collect())
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
            Src::Undefined(w) => self.emit(Op::Undef { d, w }),
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

    // ---- Addresses -------------------------------------------------------------------------------------------------

    /// How an access reaches a pointer operand.
    pub fn address(&mut self, ptr: &Value) -> Lowered<Address> {
        match ptr {
            Value::Local(local) => self.address_of_local(*local),
            Value::Const(Const::Undef | Const::Poison) => {
                let d = self.temp(1);
                self.emit(Op::Undef { d, w: 64 });
                Err(Unsupported("an undefined address".into()))
            }
            Value::Const(Const::Global(name)) if self.is_thread_local(name) => {
                Err(Unsupported("a thread-local variable without llvm.threadlocal.address".into()))
            }
            Value::Const(constant) => {
                let at = self.low.constant_address(self.m, constant)?;
                Ok(Address { root: Root::Const(at), index: None, offset: 0 })
            }
        }
    }

    pub fn index_slot(&self, index: Index) -> Slot {
        match index {
            Index::Local(local) => self.local_slot(local),
            Index::ExtendedBy(gep) => self.extended[gep.0 as usize],
        }
    }

    pub fn extended_slot(&self, gep: LocalId) -> Slot {
        self.extended[gep.0 as usize]
    }

    pub fn folded(&self, local: LocalId) -> Option<Address> {
        self.addresses[local.0 as usize]
    }

    pub fn is_materialised(&self, local: LocalId) -> bool {
        self.materialised[local.0 as usize]
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
        let Some((name, ty, place)) = super::source::debug_variable(self.low.module(self.m), record) else {
            return;
        };
        let place = match (place, &record.value) {
            (DebugPlace::Value, Some(operand)) => match &operand.value {
                Value::Local(local) if self.has_home(*local) => Place::Slot(self.local_slot(*local)),
                Value::Const(Const::Int(bits)) => Place::Constant(*bits as u64),
                _ => return,
            },
            (DebugPlace::Address, Some(operand)) => match &operand.value {
                Value::Local(local) if self.has_home(*local) => Place::Address(self.local_slot(*local)),
                _ => return,
            },
            _ => return,
        };
        let ty = ty.map(|ty| (self.m as u16, ty));
        self.variables.push(Variable { pc: self.code.len() as u32, name: name.into(), ty, place });
    }
}

impl From<Word> for Src {
    fn from(word: Word) -> Src {
        match word {
            Word::Value(value) => Src::Const(value),
            Word::Undefined(bits) => Src::Undefined(bits),
        }
    }
}

pub fn is_undefined_call(call: &ir::Call) -> bool {
    matches!(&call.callee, Callee::Value(Value::Const(Const::Global(name))) if name.starts_with(UNDEFINED))
}

pub fn local_of(value: &Value) -> Option<LocalId> {
    match value {
        Value::Local(local) => Some(*local),
        Value::Const(_) => None,
    }
}

fn is_address_operand(kind: &InstKind, value: &Value) -> bool {
    match kind {
        InstKind::Load { ptr, .. } | InstKind::Store { ptr, .. } => std::ptr::eq(ptr, value),
        InstKind::Gep { base, .. } => std::ptr::eq(&base.value, value),
        _ => false,
    }
}
