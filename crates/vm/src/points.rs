//! Where the pointers in slots may point, and which objects only the code that names them can touch.
//!
//! A slot's *roots* say what its value may be made of: nothing (then it is 0), plain data, the address of a certain
//! global, thread-local variable or stack object (a *cell*), a parameter of the function, or anything that was ever put
//! where others find it. The analysis is flow-insensitive but for values that are made and used in one basic block (the
//! slots of constants are used again and again), and goes through calls by summaries: what a function leaks, reads and
//! writes through its parameters, and what it returns. A pointer that is stored in memory, handed to a thread or
//! called through a pointer with *leaks* its roots. A cell that has not leaked is reached by nobody who does not name
//! it; unless it was *opened* by passing it to code that knows it only as a parameter, its contents are known as
//! well: which pointers were stored there, and whether it is 0 for ever, which decides branches of library code for
//! features that the program does not use.
//!
//! Sound because every way that a value takes is followed: whatever is not understood leaks, and comparisons alone do not
//! reveal an address. Not covered, as C forbids it and the machine need not notice: addresses that are guessed, that
//! are taken apart by branches bit by bit, or that arithmetic moves from one object into another one (a constant
//! displacement of half of `OFFSET_BITS`, 8 MiB, out of its object may be taken for another variable).

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use threadbare_core::{Mode, Operation, Space};

use crate::bytecode::*;
use crate::liveness::{block_starts, for_each_operand, successors};
use crate::memory::{Memory, code_address, code_target};
use crate::scalar::compare;

/// One root, as a number: the small ones below, then parameters, then cells.
pub type Root = u32;
/// A value that is no address, and not 0.
const DATA: Root = 0;
/// Whatever has leaked, the heap, and all that they lead to.
pub const ANYTHING: Root = 1;
/// A function.
const CODE: Root = 2;
/// Not of a slot, but of what an operation touches: the thread itself, the virtual clock.
pub const ITSELF: Root = 3;
pub const CLOCK: Root = 4;
/// Beside `ANYTHING`: too many roots were met, and every other one leaks at once.
const WIDE: Root = 5;
const FIRST_PARAM: Root = 8;
const PARAMS: usize = 64;
const FIRST_CELL: Root = FIRST_PARAM + PARAMS as Root;

/// Sorted. More than `MOST_ROOTS` become `ANYTHING` and `WIDE`.
pub type Roots = SmallVec<[Root; 4]>;
const MOST_ROOTS: usize = 8;

pub fn param_of(root: Root) -> Option<usize> {
    (FIRST_PARAM..FIRST_CELL).contains(&root).then(|| (root - FIRST_PARAM) as usize)
}

pub fn cell_of(root: Root) -> Option<usize> {
    root.checked_sub(FIRST_CELL).map(|cell| cell as usize)
}

fn one(root: Root) -> Roots {
    SmallVec::from_slice(&[root])
}

/// Whether `roots` grew.
fn add(roots: &mut Roots, more: &[Root]) -> bool {
    let before = roots.len();
    for &root in more {
        if let Err(at) = roots.binary_search(&root) {
            roots.insert(at, root);
        }
    }
    roots.len() > before
}

/// What a function does with its parameters, a bit each, and what it returns.
#[derive(Clone, Default, PartialEq)]
struct Flow {
    leaks: u64,
    /// Pointers may be read or written through it.
    opens: u64,
    /// Something that is no pointer is written through it.
    soils: u64,
    returns: Roots,
}

/// Something that one operation does, for those who ask what may be touched.
pub enum Action {
    Touch {
        roots: Roots,
        space: Space,
        mode: Mode,
    },
    Call {
        callee: u32,
        args: Vec<Roots>,
    },
    /// Through a pointer, at this call site. All arguments have leaked.
    CallPointer {
        site: u32,
    },
    CreateThread,
}

/// What is known of one function's code in the end.
pub struct Body {
    /// By position.
    pub actions: Vec<(u32, Action)>,
    /// Conditional jumps that always go the same way.
    decided: FxHashMap<u32, u32>,
    /// Its frame holds objects that others may know: leaving it ends them.
    pub releases: bool,
}

pub struct Points<'p> {
    program: &'p Program,
    /// Of globals, then thread-local variables, then stack objects.
    leaked: Vec<bool>,
    open: Vec<bool>,
    contents: Vec<Roots>,
    readers: Vec<FxHashSet<u32>>,
    /// Functions whose address appears somewhere.
    pub taken: Vec<bool>,
    flows: Vec<Flow>,
    slots: Vec<Vec<Roots>>,
    starts: Vec<Vec<bool>>,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    scratch: Scratch,
}

/// The values that were made in the current basic block.
#[derive(Default)]
struct Scratch {
    now: Vec<Roots>,
    made_in: Vec<u32>,
    block: u32,
}

impl<'p> Points<'p> {
    pub fn new(program: &'p Program) -> Self {
        let escapes = program.allocas.iter().map(|site| site.escapes);
        let variables = program.globals.len() + program.thread_locals.len();
        let leaked: Vec<bool> = std::iter::repeat_n(false, variables).chain(escapes).collect();
        let functions = program.functions.len();
        let mut points = Points {
            program,
            open: leaked.clone(),
            contents: vec![Roots::new(); leaked.len()],
            readers: vec![FxHashSet::default(); leaked.len()],
            leaked,
            taken: vec![false; functions],
            flows: vec![Flow::default(); functions],
            slots: program.functions.iter().map(parameters).collect(),
            starts: program.functions.iter().map(|function| starts(program, function)).collect(),
            queue: VecDeque::new(),
            queued: vec![false; functions],
            scratch: Scratch::default(),
        };
        points.take_addresses();
        if program.mixed_addresses {
            (0..program.globals.len()).for_each(|cell| points.leak_cell(cell));
            points.taken.fill(true);
        }
        points.solve();
        points
    }

    /// For each cell, whether only code that names it touches it.
    pub fn sealed(&self) -> Vec<bool> {
        self.leaked.iter().map(|leaked| !leaked).collect()
    }

    fn is_global(&self, cell: usize) -> bool {
        cell < self.program.globals.len()
    }

    fn thread_local(&self, index: u32) -> Root {
        FIRST_CELL + self.program.globals.len() as Root + index
    }

    fn stack_object(&self, site: u32) -> Root {
        self.thread_local(self.program.thread_locals.len() as u32) + site
    }

    /// Code addresses in operations and initial values, and the variables that lie in those of others.
    fn take_addresses(&mut self) {
        let program = self.program;
        for function in &program.functions {
            for value in function.code.iter().filter_map(immediate) {
                self.take(value);
            }
        }
        for (cell, variable) in program.globals.iter().chain(&program.thread_locals).enumerate() {
            let mut roots = Roots::new();
            // Trailing zeros are left out.
            for at in 0..variable.bytes.len() {
                let mut word = [0; 8];
                let rest = &variable.bytes[at..(at + 8).min(variable.bytes.len())];
                word[..rest.len()].copy_from_slice(rest);
                let word = u64::from_le_bytes(word);
                self.take(word);
                add(&mut roots, &self.constant(word));
            }
            if !variable.bytes.is_empty() || !variable.undefined.is_empty() {
                add(&mut roots, &[DATA]);
            }
            self.put(cell, &roots);
        }
    }

    fn take(&mut self, value: u64) {
        if let Some((f, 0)) = code_target(value)
            && (f as usize) < self.taken.len()
        {
            self.taken[f as usize] = true;
        }
    }

    /// The roots of a constant. An address that lies in no variable belongs to one of its neighbours.
    fn constant(&self, value: u64) -> Roots {
        if value == 0 {
            return Roots::new();
        }
        // Programs keep tags in the top bits.
        let address = value & 0xffff_ffff_ffff;
        if address >= code_address(0) {
            return one(CODE);
        }
        if self.program.mixed_addresses {
            return one(ANYTHING);
        }
        if address < Memory::global_address(0) {
            return one(DATA);
        }
        let globals = &self.program.globals;
        let next = globals.partition_point(|global| global.address <= address);
        let mut roots = Roots::new();
        if let Some(last) = next.checked_sub(1) {
            roots.push(FIRST_CELL + last as Root);
            if address - globals[last].address < globals[last].size {
                return roots;
            }
        }
        if next < globals.len() {
            roots.push(FIRST_CELL + next as Root);
        }
        roots
    }

    // ---- Cells ---------------------------------------------------------------------------------------------------

    fn ask_again(&mut self, cell: usize) {
        // They come back when they read it again.
        for f in std::mem::take(&mut self.readers[cell]) {
            self.enqueue(f);
        }
    }

    fn enqueue(&mut self, f: u32) {
        if !std::mem::replace(&mut self.queued[f as usize], true) {
            self.queue.push_back(f);
        }
    }

    fn leak_cell(&mut self, cell: usize) {
        self.leaked[cell] = true;
        self.open_cell(cell);
    }

    fn open_cell(&mut self, cell: usize) {
        if !std::mem::replace(&mut self.open[cell], true) {
            self.ask_again(cell);
            for root in std::mem::take(&mut self.contents[cell]) {
                cell_of(root).into_iter().for_each(|inner| self.leak_cell(inner));
            }
        }
    }

    /// `roots`, none of which is a parameter, may be stored in the cell.
    fn put(&mut self, cell: usize, roots: &[Root]) {
        if self.open[cell] {
            roots.iter().filter_map(|&root| cell_of(root)).for_each(|inner| self.leak_cell(inner));
        } else if add(&mut self.contents[cell], roots) {
            self.ask_again(cell);
            if self.contents[cell].len() > MOST_ROOTS {
                self.open_cell(cell);
            }
        }
    }

    // ---- The fixpoint --------------------------------------------------------------------------------------------

    fn solve(&mut self) {
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); self.program.functions.len()];
        for f in callees_first(self.program, &mut callers) {
            self.enqueue(f);
        }
        while let Some(f) = self.queue.pop_front() {
            self.queued[f as usize] = false;
            let before = self.flows[f as usize].clone();
            while self.sweep(f, None) {}
            if self.flows[f as usize] != before {
                callers[f as usize].iter().for_each(|&caller| self.enqueue(caller));
            }
        }
    }

    /// What the function does, now that everything is known.
    pub fn body(&mut self, f: u32) -> Body {
        let mut body = Body { actions: Vec::new(), decided: FxHashMap::default(), releases: false };
        self.sweep(f, Some(&mut body));
        body
    }

    /// One pass over the code of a function. Whether it taught something about the function's slots.
    fn sweep(&mut self, f: u32, body: Option<&mut Body>) -> bool {
        let program = self.program;
        let function = &program.functions[f as usize];
        let mut scratch = std::mem::take(&mut self.scratch);
        let slots = std::mem::take(&mut self.slots[f as usize]);
        let starts = std::mem::take(&mut self.starts[f as usize]);
        let needed = function.slots as usize;
        if scratch.now.len() < needed {
            scratch.now.resize(needed, Roots::new());
            scratch.made_in.resize(needed, 0);
        }
        let mut sweep = Sweep { points: self, f, slots, scratch, body, changed: false, pc: 0 };
        for (pc, op) in function.code.iter().enumerate() {
            sweep.pc = pc as u32;
            if starts[pc] {
                sweep.scratch.block += 1;
            }
            sweep.operation(op);
        }
        sweep.scratch.block += 1;
        let Sweep { slots, scratch, changed, .. } = sweep;
        self.slots[f as usize] = slots;
        self.starts[f as usize] = starts;
        self.scratch = scratch;
        changed
    }
}

impl Body {
    /// Where control may go from `pc`. Beyond the end of a thread it goes only when no other thread is left.
    pub fn successors(&self, program: &Program, function: &Function, pc: u32) -> Vec<u32> {
        if let Some(&target) = self.decided.get(&pc) {
            return vec![target];
        }
        if let Op::Visible { site, .. } = function.code[pc as usize]
            && program.visibles[site as usize].operation == Operation::ThreadEnd
        {
            return Vec::new();
        }
        successors(program, function, pc)
    }
}

fn parameters(function: &Function) -> Vec<Roots> {
    let mut slots = vec![Roots::new(); function.slots as usize];
    for (i, slot) in slots.iter_mut().enumerate().take(function.param_slots as usize) {
        *slot = one(if i < PARAMS { FIRST_PARAM + i as Root } else { ANYTHING });
    }
    slots
}

fn starts(program: &Program, function: &Function) -> Vec<bool> {
    let mut starts = vec![false; function.code.len() + 1];
    block_starts(program, function).into_iter().for_each(|pc| starts[pc as usize] = true);
    // Control comes back to behind a setjmp.
    for pc in 0..function.code.len() {
        starts[pc + 1] |= matches!(function.code[pc], Op::Setjmp { .. });
    }
    starts
}

/// All functions, those that call nobody first; fills in who calls whom.
fn callees_first(program: &Program, callers: &mut [Vec<u32>]) -> Vec<u32> {
    let n = program.functions.len();
    let mut callees: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (f, function) in program.functions.iter().enumerate() {
        let mut seen = FxHashSet::default();
        for callee in function.code.iter().filter_map(|op| direct_callee(program, op)) {
            if seen.insert(callee) {
                callees[f].push(callee);
                callers[callee as usize].push(f as u32);
            }
        }
    }
    let mut order = Vec::with_capacity(n);
    let mut seen = vec![false; n];
    for root in 0..n as u32 {
        let mut stack = vec![(root, 0)];
        while let Some((f, next)) = stack.pop() {
            if next == 0 && std::mem::replace(&mut seen[f as usize], true) {
                continue;
            }
            match callees[f as usize].get(next) {
                Some(&callee) => stack.extend([(f, next + 1), (callee, 0)]),
                None => order.push(f),
            }
        }
    }
    order
}

fn direct_callee(program: &Program, op: &Op) -> Option<u32> {
    match *op {
        Op::Call { f, .. } => Some(f),
        Op::CallSite { site, .. } => match program.calls[site as usize].callee {
            Target::Function(f) => Some(f),
            Target::Slot(_) => None,
        },
        _ => None,
    }
}

/// One pass over one function.
struct Sweep<'a, 'p, 'b> {
    points: &'a mut Points<'p>,
    f: u32,
    slots: Vec<Roots>,
    scratch: Scratch,
    body: Option<&'b mut Body>,
    changed: bool,
    pc: u32,
}

impl Sweep<'_, '_, '_> {
    fn get(&self, slot: Slot) -> Roots {
        let slot = slot as usize;
        if self.scratch.made_in[slot] == self.scratch.block {
            self.scratch.now[slot].clone()
        } else {
            self.slots[slot].clone()
        }
    }

    fn set(&mut self, slot: Slot, mut roots: Roots) {
        let slot = slot as usize;
        if roots.len() > MOST_ROOTS {
            self.leak(&roots);
            roots = one(ANYTHING);
        }
        let mut all = std::mem::take(&mut self.slots[slot]);
        self.changed |= self.widen(&mut all, &roots);
        self.slots[slot] = all;
        self.scratch.now[slot] = roots;
        self.scratch.made_in[slot] = self.scratch.block;
    }

    /// Adds to roots that are kept; whether they grew.
    fn widen(&mut self, all: &mut Roots, roots: &Roots) -> bool {
        if all.contains(&WIDE) {
            self.leak(roots);
            return false;
        }
        let grew = add(all, roots);
        if all.len() > MOST_ROOTS {
            self.leak(all);
            *all = SmallVec::from_slice(&[ANYTHING, WIDE]);
        }
        grew
    }

    fn flow(&mut self) -> &mut Flow {
        &mut self.points.flows[self.f as usize]
    }

    fn leak(&mut self, roots: &[Root]) {
        for &root in roots {
            if let Some(param) = param_of(root) {
                self.flow().leaks |= 1 << param;
            } else if let Some(cell) = cell_of(root) {
                self.points.leak_cell(cell);
            }
        }
    }

    /// Code that does not know what `roots` are reads or writes pointers there.
    fn open(&mut self, roots: &[Root]) {
        for &root in roots {
            if let Some(param) = param_of(root) {
                self.flow().opens |= 1 << param;
            } else if let Some(cell) = cell_of(root) {
                self.points.open_cell(cell);
            }
        }
    }

    /// Something that is no pointer is written there.
    fn soil(&mut self, roots: &[Root]) {
        for &root in roots {
            if let Some(param) = param_of(root) {
                self.flow().soils |= 1 << param;
            } else if let Some(cell) = cell_of(root) {
                self.points.put(cell, &[DATA]);
            }
        }
    }

    pub(super) fn load(&mut self, from: &[Root]) -> Roots {
        let mut value = Roots::new();
        for &root in from {
            match cell_of(root) {
                Some(cell) if !self.points.open[cell] => {
                    add(&mut value, &self.points.contents[cell]);
                    self.points.readers[cell].insert(self.f);
                }
                None if root == DATA => {
                    add(&mut value, &[DATA]);
                }
                _ => {
                    add(&mut value, &[ANYTHING]);
                }
            }
            if let Some(param) = param_of(root) {
                self.flow().opens |= 1 << param;
            }
        }
        value
    }

    pub(super) fn store(&mut self, to: &[Root], value: &Roots) {
        for &root in to {
            match cell_of(root) {
                Some(cell) if !self.points.open[cell] => {
                    let mut put = value.clone();
                    // A parameter means something else to others, and a thread's own objects are known to it alone.
                    let foreign = |root: Root| {
                        param_of(root).is_some() || cell_of(root).is_some_and(|cell| !self.points.is_global(cell))
                    };
                    if put.iter().any(|&root| foreign(root)) {
                        put.retain(|root| !foreign(*root));
                        add(&mut put, &[ANYTHING]);
                        self.leak(value);
                    }
                    self.points.put(cell, &put);
                }
                _ => self.leak(value),
            }
            if let Some(param) = param_of(root) {
                self.flow().opens |= 1 << param;
            }
        }
    }

    fn act(&mut self, action: impl FnOnce() -> Action) {
        if let Some(body) = &mut self.body {
            body.actions.push((self.pc, action()));
        }
    }

    fn touch(&mut self, roots: &[Root], space: Space, mode: Mode) {
        if roots.iter().any(|&root| root != DATA) {
            self.act(|| Action::Touch { roots: roots.into(), space, mode });
        }
    }

    fn constant(&self, value: u64) -> Roots {
        self.points.constant(value)
    }

    /// Roots of an address. An index that is made of an address tells what it is.
    fn address(&mut self, at: Address) -> Roots {
        let mut roots = self.constant(at.constant);
        if let Some(base) = at.base {
            add(&mut roots, &self.get(base));
        }
        if let Some(index) = at.index {
            let index = self.get(index);
            self.leak(&index);
            add(&mut roots, &index);
        }
        roots
    }

    fn operation(&mut self, op: &Op) {
        if let Some(access) = plain_access(op) {
            return self.plain_access(access);
        }
        if let Some(comparison) = comparison(op) {
            return self.comparison(comparison);
        }
        match *op {
            Op::Mov { d, a } | Op::Freeze { d, a } | Op::SExt32 { d, a } => self.set(d, self.get(a)),
            Op::Imm { d, i } => self.set(d, self.constant(i)),
            Op::Select { d, a, b, .. } | Op::Add64 { d, a, b } | Op::Sub64 { d, a, b } => {
                let mut roots = self.get(a);
                add(&mut roots, &self.get(b));
                self.set(d, roots);
            }
            Op::Add64I { d, a, i } | Op::Sub64I { d, a, i } => {
                let mut roots = self.get(a);
                // A distance, not an address, unless it is one.
                add(&mut roots, &self.constant(i));
                self.set(d, roots);
            }
            Op::And { d, a, b } if self.get(a).is_empty() || self.get(b).is_empty() => self.set(d, Roots::new()),
            Op::AndI { d, a, .. } if self.get(a).is_empty() => self.set(d, Roots::new()),
            Op::Lea { d, a, b, off, .. } => {
                let mut roots = self.address(Address { base: Some(a), index: Some(b), constant: 0 });
                if off != 0 {
                    add(&mut roots, &[DATA]);
                }
                self.set(d, roots);
            }
            Op::LeaG { d, b, p, .. } => {
                let roots = self.address(Address { base: None, index: Some(b), constant: p });
                self.set(d, roots);
            }
            Op::Alloca { d, site } | Op::AllocaN { d, site, .. } => {
                let root = self.points.stack_object(site);
                let leaked = cell_of(root).is_some_and(|cell| self.points.leaked[cell]);
                self.releases(leaked);
                self.set(d, one(root));
            }
            Op::Tls { d, index } => {
                let root = self.points.thread_local(index);
                self.set(d, one(root));
            }
            Op::Br { c, f, .. } => {
                if self.get(c).is_empty() {
                    self.decide(f);
                }
            }
            Op::Call { f, args, .. } => {
                let program = self.points.program;
                let n = program.functions[f as usize].param_slots as usize;
                let args = program.args[args as usize..args as usize + n].iter().map(|&slot| self.get(slot)).collect();
                self.call(op, f, args);
            }
            Op::CallSite { site, .. } => self.call_site(op, site),
            Op::Native { site, .. } => self.native(op, site),
            Op::Visible { site, .. } => self.visible(op, site),
            Op::Setjmp { d, a } => {
                let buffer = self.get(a);
                self.touch(&buffer, Space::Memory, Mode::Write);
                self.soil(&buffer);
                self.set(d, one(DATA));
            }
            Op::RetOne { a } => self.give_back(&[a]),
            Op::RetMany { args, n } => {
                let program = self.points.program;
                self.give_back(&program.args[args as usize..args as usize + n as usize]);
            }
            _ => self.mix(op),
        }
    }

    /// Everything else takes values apart.
    fn mix(&mut self, op: &Op) {
        let mut roots = immediate(op).map_or_else(Roots::new, |i| self.constant(i));
        let mut results: SmallVec<[Slot; 4]> = SmallVec::new();
        for_each_operand(self.points.program, op, &mut |slot, written| {
            if written {
                results.push(slot);
            } else {
                add(&mut roots, &self.get(slot));
            }
        });
        if results.is_empty() {
            return;
        }
        self.leak(&roots);
        add(&mut roots, &[DATA]);
        results.into_iter().for_each(|d| self.set(d, roots.clone()));
    }

    fn plain_access(&mut self, (at, access): (Address, PlainAccess)) {
        let address = self.address(at);
        match access {
            PlainAccess::Load(d) => {
                self.touch(&address, Space::Memory, Mode::Read);
                let value = self.load(&address);
                self.set(d, value);
            }
            PlainAccess::Store(value) => {
                let value = self.value(value);
                self.touch(&address, Space::Memory, Mode::Write);
                self.store(&address, &value);
            }
        }
    }

    fn value(&self, value: Value) -> Roots {
        match value {
            Value::Slot(slot) => self.get(slot),
            Value::Constant(constant) => self.constant(constant),
        }
    }

    fn comparison(&mut self, Comparison { predicate, width, a, b, then }: Comparison) {
        let known = |value: Value| match value {
            Value::Slot(slot) => self.get(slot).is_empty().then_some(0),
            Value::Constant(constant) => Some(constant),
        };
        let answer = match (known(Value::Slot(a)), known(b)) {
            (Some(x), Some(y)) => Some(compare(predicate, width, x, y)),
            (None, Some(0)) if predicate == Pred::Ult => Some(false),
            (None, Some(0)) if predicate == Pred::Uge => Some(true),
            (Some(0), None) if predicate == Pred::Ugt => Some(false),
            (Some(0), None) if predicate == Pred::Ule => Some(true),
            _ => None,
        };
        match then {
            Then::Set(d) => self.set(d, if answer == Some(false) { Roots::new() } else { one(DATA) }),
            Then::Jump(t, f) => {
                if let Some(answer) = answer {
                    self.decide(if answer { t } else { f });
                }
            }
        }
    }

    fn decide(&mut self, target: u32) {
        if let Some(body) = &mut self.body {
            body.decided.insert(self.pc, target);
        }
    }

    fn releases(&mut self, leaked: bool) {
        if let Some(body) = &mut self.body {
            body.releases |= leaked;
        }
    }

    fn give_back(&mut self, slots: &[Slot]) {
        for &slot in slots {
            let roots = self.get(slot);
            if self.points.taken[self.f as usize] {
                self.leak(&roots);
            }
            let mut all = std::mem::take(&mut self.flow().returns);
            self.widen(&mut all, &roots);
            self.flow().returns = all;
        }
    }

    fn set_results(&mut self, op: &Op, roots: &Roots) {
        let mut results: SmallVec<[Slot; 4]> = SmallVec::new();
        for_each_operand(self.points.program, op, &mut |slot, written| {
            if written {
                results.push(slot);
            }
        });
        results.into_iter().for_each(|d| self.set(d, roots.clone()));
    }

    fn call(&mut self, op: &Op, callee: u32, args: Vec<Roots>) {
        let flow = self.points.flows[callee as usize].clone();
        for (i, arg) in args.iter().enumerate() {
            let does = |set: u64| i < PARAMS && set >> i & 1 == 1;
            if i >= PARAMS || does(flow.leaks) {
                self.leak(arg);
            }
            if does(flow.opens) {
                self.open(arg);
            }
            if does(flow.soils) {
                self.soil(arg);
            }
        }
        let mut result = Roots::new();
        for &root in &flow.returns {
            match param_of(root) {
                Some(param) => args.get(param).is_some_and(|arg| add(&mut result, arg)),
                None => add(&mut result, &[root]),
            };
        }
        self.set_results(op, &result);
        self.act(|| Action::Call { callee, args });
    }

    pub(super) fn call_site(&mut self, op: &Op, index: u32) {
        let program = self.points.program;
        let site = &program.calls[index as usize];
        let mut args: Vec<Roots> = site.args.iter().map(|&slot| self.get(slot)).collect();
        for &(position, _) in &site.byval {
            let original = std::mem::replace(&mut args[position as usize], one(ANYTHING));
            self.touch(&original, Space::Memory, Mode::Read);
            self.open(&original);
        }
        if !site.byval.is_empty() {
            self.touch(&[ANYTHING], Space::Memory, Mode::Write);
        }
        match site.callee {
            Target::Function(f) => {
                // Variadic arguments go through memory.
                let fixed = (program.functions[f as usize].param_slots as usize).min(args.len());
                args.drain(fixed..).for_each(|extra| self.leak(&extra));
                self.call(op, f, args);
            }
            Target::Slot(slot) => {
                let pointer = self.get(slot);
                args.iter().for_each(|arg| self.leak(arg));
                self.set_results(op, &one(ANYTHING));
                if !pointer.is_empty() {
                    self.act(|| Action::CallPointer { site: index });
                }
            }
        }
    }

    fn native(&mut self, op: &Op, index: u32) {
        let program = self.points.program;
        let site = &program.natives[index as usize];
        let args: Vec<Roots> = site.args.iter().map(|&slot| self.get(slot)).collect();
        match site.native {
            Native::MemCpy | Native::VaCopy => self.copy(&args[0], &args[1]),
            Native::MemSet => self.fill(&args[0]),
            Native::Read => self.fill(&args[1]),
            Native::Write => self.touch(&args[1], Space::Memory, Mode::Read),
            Native::ObjectSize | Native::Longjmp => self.touch(&args[0], Space::Memory, Mode::Read),
            Native::VaStart => {
                // The list points to a new object, which holds the arguments and ends with the frame.
                self.touch(&args[0], Space::Memory, Mode::Write);
                self.store(&args[0], &one(ANYTHING));
                self.releases(true);
            }
            Native::Clock => self.touch(&[CLOCK], Space::Hidden, Mode::Read),
            // An error ends the execution: what it reads of memory for its message conflicts with nothing.
            Native::AssertFail | Native::Unsupported | Native::Error | Native::Assert | Native::SignalDeath => {}
            Native::Label | Native::Progress | Native::Assume | Native::CancelState => {}
            Native::Malloc | Native::ThreadSelf | Native::ThreadIsMain | Native::ThreadDetached => {}
            // Numbers.
            Native::Math(_) => {}
        }
        let result = if matches!(site.native, Native::Malloc) { ANYTHING } else { DATA };
        self.set_results(op, &one(result));
    }

    fn copy(&mut self, to: &Roots, from: &Roots) {
        self.touch(to, Space::Memory, Mode::Write);
        self.touch(from, Space::Memory, Mode::Read);
        self.open(from);
        self.open(to);
    }

    fn fill(&mut self, to: &Roots) {
        self.touch(to, Space::Memory, Mode::Write);
        self.soil(to);
    }

    fn visible(&mut self, op: &Op, index: u32) {
        let program = self.points.program;
        let site = &program.visibles[index as usize];
        let args: Vec<Roots> = site.args.iter().map(|&slot| self.get(slot)).collect();
        let mut result = one(DATA);
        match site.detail {
            VisibleDetail::Access { .. } | VisibleDetail::Rmw { .. } | VisibleDetail::Cas { .. } => {
                let writes = site.operation != Operation::Load;
                self.touch(&args[0], Space::Memory, if writes { Mode::Write } else { Mode::Read });
                for value in &args[1..] {
                    self.store(&args[0], value);
                }
                // What arithmetic makes of the old value is as little 0 as it is.
                if writes {
                    self.soil(&args[0]);
                }
                if site.operation != Operation::Store {
                    add(&mut result, &self.load(&args[0]));
                }
            }
            VisibleDetail::Copy => self.copy(&args[0], &args[1]),
            VisibleDetail::Set => self.fill(&args[0]),
            VisibleDetail::Fence { .. } => {}
            VisibleDetail::Library => self.library(site.operation, &args),
        }
        self.set_results(op, &result);
    }

    /// The table of `visible::accesses`, with the strongest mode of each operation.
    fn library(&mut self, operation: Operation, args: &[Roots]) {
        use Mode::*;
        use Operation::*;
        let mut object = |space, mode, arg: usize| {
            self.touch(&args[arg], space, mode);
            self.soil(&args[arg]);
        };
        match operation {
            MutexInit | MutexDestroy | MutexLock | MutexTryLock | MutexTimedLock | MutexUnlock => {
                object(Space::Mutex, Write, 0)
            }
            SpinInit | SpinDestroy | SpinLock | SpinTryLock | SpinUnlock => object(Space::Mutex, Write, 0),
            CondInit | CondDestroy => object(Space::Cond, Write, 0),
            CondEnter => {
                object(Space::Mutex, Write, 1);
                object(Space::Cond, Add, 0);
            }
            CondLeave | CondLeaveTimed => {
                object(Space::Mutex, Write, 1);
                object(Space::Cond, Add, 0);
                self.touch(&[ITSELF], Space::Wake, Write);
            }
            CondSignal | CondBroadcast => {
                object(Space::Cond, Write, 0);
                self.touch(&[ANYTHING], Space::Wake, Write);
            }
            RwInit | RwDestroy | RwWriteLock | RwTryWriteLock | RwTimedWriteLock | RwUnlock => {
                object(Space::RwLock, Write, 0)
            }
            RwReadLock => object(Space::RwLock, Add, 0),
            RwTryReadLock | RwTimedReadLock => {
                object(Space::RwLock, Add, 0);
                object(Space::RwLock, Read, 0);
            }
            SemInit | SemDestroy | SemWait | SemTryWait | SemTimedWait => object(Space::Semaphore, Write, 0),
            SemPost => object(Space::Semaphore, Add, 0),
            SemGetValue => object(Space::Semaphore, Read, 0),
            BarrierInit | BarrierDestroy | BarrierArrive => object(Space::Barrier, Write, 0),
            BarrierLeave => object(Space::Barrier, Read, 0),
            OnceEnter | OnceDone | OnceAbandon => object(Space::Once, Write, 0),
            ThreadCreate => {
                args.iter().for_each(|arg| self.leak(arg));
                self.act(|| Action::CreateThread);
            }
            ThreadJoin | ThreadTryJoin | ThreadTimedJoin => {
                self.touch(&[ANYTHING], Space::Thread, Write);
                self.touch(&args[1], Space::Memory, Write);
                self.store(&args[1], &one(ANYTHING));
            }
            ThreadDetach | ThreadCancel => self.touch(&[ANYTHING], Space::Thread, Write),
            TestCancel => self.touch(&[ITSELF], Space::Thread, Write),
            ThreadEnd => {
                args.iter().for_each(|arg| self.leak(arg));
                self.touch(&[ITSELF], Space::Thread, Write);
                // Its thread-local variables end, and others may know them.
                let points = &self.points;
                let variables =
                    points.program.globals.len()..points.program.globals.len() + points.program.thread_locals.len();
                if points.leaked[variables].contains(&true) {
                    self.touch(&[ANYTHING], Space::Memory, Write);
                }
            }
            HiddenState => self.touch(&args[0], Space::Hidden, Write),
            Sleep => self.touch(&[CLOCK], Space::Hidden, Write),
            Free => self.touch(&args[0], Space::Memory, Write),
            Exit => self.touch(&[ANYTHING], Space::Process, Write),
            Start | Load | Store | ReadModifyWrite | CompareExchange | Fence => {}
            Yield | Choose | Nondet | AtomicBegin | AtomicEnd => {}
        }
    }
}

// ---- Operations by what they do --------------------------------------------------------------------------------------

#[derive(Clone, Copy)]
enum Value {
    Slot(Slot),
    Constant(u64),
}

/// `constant + base + index * scale`.
#[derive(Clone, Copy)]
struct Address {
    base: Option<Slot>,
    index: Option<Slot>,
    constant: u64,
}

enum PlainAccess {
    Load(Slot),
    Store(Value),
}

fn plain_access(op: &Op) -> Option<(Address, PlainAccess)> {
    let through = |a| Address { base: Some(a), index: None, constant: 0 };
    let indexed = |a, b| Address { base: Some(a), index: Some(b), constant: 0 };
    let named = |constant| Address { base: None, index: None, constant };
    let table = |constant, b| Address { base: None, index: Some(b), constant };
    macro_rules! widths {
        ($($ld:ident $ldg:ident $ldx:ident $ldgx:ident $st:ident $stg:ident $stx:ident $stgx:ident)*) => {
            match *op {
                $(
                    Op::$ld { d, a, .. } => (through(a), PlainAccess::Load(d)),
                    Op::$ldg { d, p } => (named(p), PlainAccess::Load(d)),
                    Op::$ldx { d, a, b, .. } => (indexed(a, b), PlainAccess::Load(d)),
                    Op::$ldgx { d, b, p, .. } => (table(p, b), PlainAccess::Load(d)),
                    Op::$st { v, a, .. } => (through(a), PlainAccess::Store(Value::Slot(v))),
                    Op::$stg { v, p } => (named(p), PlainAccess::Store(Value::Slot(v))),
                    Op::$stx { v, a, b, .. } => (indexed(a, b), PlainAccess::Store(Value::Slot(v))),
                    Op::$stgx { v, b, p, .. } => (table(p, b), PlainAccess::Store(Value::Slot(v))),
                )*
                Op::LdN { d, a, .. } => (through(a), PlainAccess::Load(d)),
                Op::StN { v, a, .. } => (through(a), PlainAccess::Store(Value::Slot(v))),
                Op::StI { a, i, .. } => (through(a), PlainAccess::Store(Value::Constant(i))),
                _ => return None,
            }
        };
    }
    Some(widths! {
        Ld1 LdG1 LdX1 LdGX1 St1 StG1 StX1 StGX1
        Ld2 LdG2 LdX2 LdGX2 St2 StG2 StX2 StGX2
        Ld4 LdG4 LdX4 LdGX4 St4 StG4 StX4 StGX4
        Ld8 LdG8 LdX8 LdGX8 St8 StG8 StX8 StGX8
    })
}

struct Comparison {
    predicate: Pred,
    width: u8,
    a: Slot,
    b: Value,
    then: Then,
}

enum Then {
    Set(Slot),
    Jump(u32, u32),
}

fn comparison(op: &Op) -> Option<Comparison> {
    macro_rules! predicates {
        ($($predicate:ident $width:literal $set:ident $seti:ident $br:ident $bri:ident)*) => {
            match *op {
                $(
                    Op::$set { d, a, b } => (Pred::$predicate, $width, a, Value::Slot(b), Then::Set(d)),
                    Op::$seti { d, a, i } => (Pred::$predicate, $width, a, Value::Constant(i), Then::Set(d)),
                    Op::$br { a, b, t, f } => (Pred::$predicate, $width, a, Value::Slot(b), Then::Jump(t, f)),
                    Op::$bri { a, i, t, f } => {
                        (Pred::$predicate, $width, a, Value::Constant(i as i64 as u64), Then::Jump(t, f))
                    }
                )*
                Op::SetW { p, w, d, a, b } => (p, w, a, Value::Slot(b), Then::Set(d)),
                _ => return None,
            }
        };
    }
    let (predicate, width, a, b, then) = predicates! {
        Eq 64 SetEq SetEqI BrEq BrEqI
        Ne 64 SetNe SetNeI BrNe BrNeI
        Ult 64 SetUlt SetUltI BrUlt BrUltI
        Ule 64 SetUle SetUleI BrUle BrUleI
        Ugt 64 SetUgt SetUgtI BrUgt BrUgtI
        Uge 64 SetUge SetUgeI BrUge BrUgeI
        Slt 32 SetSlt32 SetSlt32I BrSlt32 BrSlt32I
        Sle 32 SetSle32 SetSle32I BrSle32 BrSle32I
        Sgt 32 SetSgt32 SetSgt32I BrSgt32 BrSgt32I
        Sge 32 SetSge32 SetSge32I BrSge32 BrSge32I
        Slt 64 SetSlt64 SetSlt64I BrSlt64 BrSlt64I
        Sle 64 SetSle64 SetSle64I BrSle64 BrSle64I
        Sgt 64 SetSgt64 SetSgt64I BrSgt64 BrSgt64I
        Sge 64 SetSge64 SetSge64I BrSge64 BrSge64I
    };
    Some(Comparison { predicate, width, a, b, then })
}

/// A constant in an operation that could be an address.
fn immediate(op: &Op) -> Option<u64> {
    macro_rules! binary {
        ($($name:ident)*) => {
            match *op {
                $( Op::$name { i, .. } => Some(i), )*
                Op::Imm { i, .. } | Op::AluI { i, .. } | Op::StI { i, .. } => Some(i),
                Op::LeaG { p, .. } => Some(p),
                _ => None,
            }
        };
    }
    binary! {
        Add32I Sub32I Mul32I Shl32I LShr32I AShr32I Add64I Sub64I Mul64I Shl64I LShr64I AShr64I AndI OrI XorI
    }
}
