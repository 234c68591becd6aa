//! One pass over the code of a function: what each operation does to the roots of slots and cells.

use smallvec::SmallVec;
use threadbare_core::{Mode, Operation, Space};

use super::operations::{Address, Comparison, PlainAccess, Then, Value, comparison, immediate, plain_access};
use super::*;
use crate::liveness::for_each_operand;
use crate::scalar::compare;

/// The values that were made in the current basic block.
#[derive(Default)]
pub struct Scratch {
    now: Vec<Roots>,
    made_in: Vec<u32>,
    block: u32,
}

impl Points<'_> {
    /// One pass over the code of a function. Whether it taught something about the function's slots.
    pub(super) fn sweep(&mut self, f: u32, body: Option<&mut Body>) -> bool {
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
            Native::MemCpy | Native::MemMove | Native::VaCopy => self.copy(&args[0], &args[1]),
            Native::MemSet => self.fill(&args[0]),
            Native::Read => self.fill(&args[1]),
            Native::HostFile | Native::HostRead => {
                self.touch(&args[0], Space::Memory, Mode::Read);
                self.fill(&args[if matches!(site.native, Native::HostFile) { 1 } else { 2 }]);
            }
            Native::Write => self.touch(&args[1], Space::Memory, Mode::Read),
            Native::ObjectSize | Native::Longjmp | Native::VaEnd => self.touch(&args[0], Space::Memory, Mode::Read),
            Native::VaStart => {
                // The list points to a new object, which holds the arguments and ends with the frame.
                self.touch(&args[0], Space::Memory, Mode::Write);
                self.store(&args[0], &one(ANYTHING));
                self.releases(true);
            }
            // An error ends the execution: what it reads of memory for its message conflicts with nothing.
            Native::AssertFail | Native::Unsupported | Native::Error | Native::Assert | Native::SignalDeath => {}
            // A thread that says what matters of a state says it to nobody.
            Native::Label | Native::Progress | Native::Abstract | Native::Assume | Native::CancelState => {}
            Native::MainResult | Native::ArrayLength { .. } | Native::NeedFunction => {}
            Native::LifetimeStart | Native::LifetimeEnd | Native::Discard => self.fill(&args[0]),
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
            Sleep | SleepUntil | Clock => self.touch(&[CLOCK], Space::Hidden, Write),
            Free => self.touch(&args[0], Space::Memory, Write),
            Exit => self.touch(&[ANYTHING], Space::Process, Write),
            Start | Load | Store | ReadModifyWrite | CompareExchange | Fence => {}
            Yield | Label | Choose | Nondet | AtomicBegin | AtomicEnd | Unseen | Recorded => {}
        }
    }
}
