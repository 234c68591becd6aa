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
//! reveal an address. In a program that has constants computed from addresses, everything has leaked. Not covered, as C
//! forbids it and the machine need not notice: addresses that are guessed, that are taken apart by branches bit by bit,
//! or that arithmetic moves from one object into another (a constant displacement of 8 MiB or more out of its
//! object, half of what separates two of them, may be taken for another variable).

mod operations;
mod sweep;

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use threadbare_core::{Mode, Operation, Space};

use self::operations::immediate;
use self::sweep::Scratch;
use crate::bytecode::*;
use crate::liveness::{block_starts, successors};
use crate::memory::{Memory, code_address, code_target};

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
