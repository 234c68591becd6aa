//! Objects and their values in the words of the source, for stories: `queue.head`, `held by thread 0.1`.

use rustc_hash::FxHashMap;
use threadbare_core::{Access, Machine, Place, Space, Tid};
use threadbare_ir::MdId;
use threadbare_ir::debug::DiType;

use crate::bytecode::Program;
use crate::distinct::Distinct;
use crate::fault::CodePos;
use crate::machine::VmMachine;
use crate::memory::{Addr, Life, Object, ObjectKind, code_target};
use crate::names::SourcePos;
use crate::thread::Status;

/// A type of the source: module and metadata node.
type Type = (u16, MdId);

/// Names and values, and what has been found out about heap objects, which have no names and types of their own: a
/// pointer of the program that pointed to one told its type, and they are numbered as they come up.
#[derive(Default)]
pub struct Teller {
    heap: FxHashMap<(Addr, u64), Type>,
    numbered: Vec<HeapName>,
    /// Different variables get different names, and the same ones in every execution.
    distinct: Option<Distinct>,
    /// Names of heap objects that were made so, each with the place where it was allocated.
    distinct_heap: Vec<(String, u64)>,
}

/// A heap object that has a name.
struct HeapName {
    /// Its address, and where it was allocated.
    key: (Addr, u64),
    /// `node`; `heap` where the type is not known.
    kind: String,
    /// From 1, of its kind.
    number: usize,
}

impl From<SourcePos> for Place {
    fn from(at: SourcePos) -> Place {
        Place { file: at.file, line: at.line, column: at.column, function: at.function }
    }
}

impl Teller {
    /// For whoever tells objects apart by their names.
    pub fn distinct() -> Teller {
        Teller { distinct: Some(Distinct::default()), ..Teller::default() }
    }

    /// What an access touches, as the source calls it. `who` makes the access.
    pub fn name(&mut self, machine: &VmMachine, who: Tid, access: &Access) -> String {
        match access.space {
            Space::Thread => match crate::visible::tid_of(access.address) {
                Some(tid) if tid.index() < machine.names.len() => format!("thread {}", machine.names.name(tid)),
                _ => "a thread".into(),
            },
            Space::Wake => match u16::try_from(access.address) {
                Ok(n) if usize::from(n) < machine.names.len() => format!("thread {}", machine.names.name(Tid(n))),
                _ => "a thread".into(),
            },
            Space::Hidden => "library state".into(),
            Space::Property => "an invariant".into(),
            Space::Process => "the process".into(),
            Space::Memory => self.name_at(machine, who, access.address, u64::from(access.length)),
            Space::Barrier => self.name_at(machine, who, address_of(access), 0),
            _ => self.name_at(machine, who, access.address, 0),
        }
    }

    /// `node#2`: the second `struct node` that came up.
    fn heap_name(&mut self, key: (Addr, u64), ty: Option<String>) -> String {
        let named = match self.numbered.iter().position(|named| named.key == key) {
            Some(at) => at,
            None => {
                let kind = ty.as_deref().map_or("heap", |ty| ty.rsplit(' ').next().unwrap_or(ty)).to_string();
                let number = self.numbered.iter().filter(|named| named.kind == kind).count() + 1;
                self.numbered.push(HeapName { key, kind, number });
                self.numbered.len() - 1
            }
        };
        let HeapName { kind, number, .. } = &self.numbered[named];
        format!("{kind}#{number}")
    }

    /// A part of a heap object, or all of it. Where names must mean the same in every execution they tell who has allocated it, and which of
    /// his it is: `heap#2.next of 0.1`. What its type is may be known in some executions only.
    fn heap_part(
        &mut self,
        machine: &VmMachine,
        (start, object): (Addr, Object),
        ty: Option<Type>,
        path: &str,
    ) -> String {
        if self.distinct.is_none() {
            let name = self.heap_name((start, object.allocated_at), ty.map(|ty| machine.program.type_name(ty)));
            return format!("{name}{path}");
        }
        let owner = match object.owner {
            Tid::MAIN => String::new(),
            owner => format!(" of {}", machine.names.name(owner)),
        };
        let name = format!("heap#{}{path}{owner}", machine.memory.heap_number(start));
        if !self.distinct_heap.iter().any(|(known, _)| *known == name) {
            self.distinct_heap.push((name.clone(), object.allocated_at));
        }
        name
    }

    /// The heap objects that have come up, each with the place where it was allocated.
    pub fn heap_objects<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = (String, SourcePos)> + 'a {
        let numbered = self.numbered.iter().map(|named| (format!("{}#{}", named.kind, named.number), named.key.1));
        numbered.chain(self.distinct_heap.iter().cloned()).filter_map(|(name, allocated_at)| {
            Some((name, program.source_of(CodePos::unpack(allocated_at)?).swap_remove(0)))
        })
    }

    /// What a pointer points to: of an object that has parts, the whole if it is the start.
    fn target_name(&mut self, machine: &VmMachine, who: Tid, address: Addr) -> String {
        match machine.memory.object_at(address) {
            Some((start, object)) if object.kind == ObjectKind::Heap && start == address => {
                let ty = self.heap_type(machine, who, start);
                self.heap_part(machine, (start, object), ty, "")
            }
            _ => self.name_at(machine, who, address, 0),
        }
    }

    fn name_at(&mut self, machine: &VmMachine, who: Tid, address: Addr, size: u64) -> String {
        let program = &*machine.program;
        if let Some((global, offset)) = program.global_at(address) {
            let path = path_in(program, global.ty, offset, size);
            let name = match &mut self.distinct {
                Some(distinct) => distinct.variable(program, global),
                None => global.name.clone(),
            };
            return format!("{name}{path}");
        }
        let Some((start, object)) = machine.memory.object_at(address) else { return format!("{address:#x}") };
        let offset = address - start;
        match object.kind {
            ObjectKind::Heap => {
                let ty = self.heap_type(machine, who, start);
                let (index, within) = element(program, ty, object.size, offset);
                let index = index.map_or(String::new(), |index| format!("[{index}]"));
                let path = format!("{index}{}", path_in(program, ty, within, size));
                self.heap_part(machine, (start, object), ty, &path)
            }
            ObjectKind::ThreadLocal => match program.thread_locals.get(object.detail as usize) {
                Some(variable) => {
                    let path = path_in(program, variable.ty, offset, size);
                    // Every thread has one.
                    let owner = machine.names.name(object.owner);
                    let name = match &mut self.distinct {
                        Some(distinct) => distinct.variable(program, variable),
                        None => variable.name.clone(),
                    };
                    format!("{name}{path} of {owner}")
                }
                None => "thread-local variable".into(),
            },
            _ => {
                let site = program.allocas.get(object.detail as usize);
                let named = site.and_then(|site| Some((site, site.name.as_deref()?)));
                let path = || path_in(program, local_type(program, object), offset, size);
                match (named, &mut self.distinct) {
                    (Some((_, name)), None) => format!("{name}{}", path()),
                    (None, None) => machine.name_of(address),
                    (Some((site, _)), Some(distinct)) => {
                        let owner = (object.owner != Tid::MAIN).then(|| machine.names.name(object.owner));
                        distinct.local(program, site, owner, start, &path())
                    }
                    (None, Some(distinct)) => distinct.numbered(machine.name_of(address), address),
                }
            }
        }
    }

    /// The type that a pointer gives to the heap object that starts there: a global one, or a variable of `who`.
    fn heap_type(&mut self, machine: &VmMachine, who: Tid, start: Addr) -> Option<Type> {
        let program = &*machine.program;
        let (_, object) = machine.memory.object_at(start)?;
        let key = (start, object.allocated_at);
        if let Some(&known) = self.heap.get(&key) {
            return Some(known);
        }
        let globals =
            program.globals.iter().filter(|global| global.size == 8 && !global.library).filter_map(|global| {
                let (bits, undefined) = machine.memory.load_n(global.address, 8).ok()?;
                (bits == start && undefined == 0).then_some(global.ty?)
            });
        // Whoever points to it says the same in every execution; `who` says it first.
        let others = if self.distinct.is_some() { machine.thread_count() } else { 0 };
        let others = (0..others).map(|i| Tid(i as u16)).filter(|&tid| tid != who && machine.is_live(tid));
        let locals = std::iter::once(who).chain(others).flat_map(|tid| {
            let stack = machine.thread(tid).stack().into_iter().take(8);
            stack.flat_map(move |at| machine.pointers_to(tid, at, start))
        });
        let fits = |&(m, ty): &Type| {
            let size = program.debug[m as usize].di_size(ty);
            size.is_some_and(|size| size > 1 && size <= object.size)
        };
        let found = locals.chain(globals).filter_map(|ty| program.pointee(ty)).find(fits)?;
        self.heap.insert(key, found);
        Some(found)
    }

    /// A pointer of this type points to the start of a heap object.
    fn learn_type(&mut self, machine: &VmMachine, start: Addr, pointee: Type) {
        let (m, ty) = pointee;
        if let Some((at, object)) = machine.memory.object_at(start)
            && object.kind == ObjectKind::Heap
            && at == start
            && machine.program.debug[m as usize].di_size(ty).is_some_and(|size| size > 1 && size <= object.size)
        {
            self.heap.entry((start, object.allocated_at)).or_insert(pointee);
        }
    }

    /// What the object of an access holds, in words, if it holds something.
    pub fn value(&mut self, machine: &VmMachine, who: Tid, access: &Access) -> Option<String> {
        let value = machine.value_of(access);
        let word = |at: Addr| machine.memory.load_u32(at).ok();
        let holder = |owner: u32| match owner.checked_sub(1).map(|n| Tid(n as u16)) {
            Some(tid) if tid.index() < machine.names.len() => format!("thread {}", machine.names.name(tid)),
            _ => "nobody".into(),
        };
        match access.space {
            Space::Memory => self.memory_value(machine, who, access),
            Space::Mutex => {
                let (lock, owner) = (value as u32, (value >> 32) as u32);
                let times = word(access.address + 4)?;
                Some(match lock {
                    0 => "free".into(),
                    // A spin lock holds its owner in the lock word.
                    _ if owner == 0 || times == 0 => format!("held by {}", holder(lock)),
                    _ if times > 1 && times < 1 << 16 => format!("held by {}, {times} times", holder(owner)),
                    _ => format!("held by {}", holder(owner)),
                })
            }
            Space::Cond => {
                let waiters: Vec<String> = (0..128u16)
                    .filter(|w| value >> w & 1 == 1)
                    .map(|w| machine.names.name(Tid(w)).to_string())
                    .collect();
                Some(match waiters.as_slice() {
                    [] => "nobody waits".into(),
                    [one] => format!("thread {one} waits"),
                    more => format!("threads {} wait", more.join(", ")),
                })
            }
            Space::Semaphore => word(access.address).map(|count| count.to_string()),
            Space::RwLock => {
                let (readers, writer) = (value as u32, (value >> 32) as u32);
                Some(match (readers, writer) {
                    (0, 0) => "free".into(),
                    (0, writer) => format!("held by {} for writing", holder(writer)),
                    (1, _) => "held by 1 thread for reading".into(),
                    (n, _) => format!("held by {n} threads for reading"),
                })
            }
            Space::Barrier => {
                let address = address_of(access);
                Some(format!("{} of {} have arrived", word(address + 4)?, word(address)?))
            }
            Space::Once => Some(match value {
                0 => "not yet run".into(),
                1 => "running".into(),
                _ => "done".into(),
            }),
            Space::Thread => {
                let tid = crate::visible::tid_of(access.address)?;
                machine.exists.get(tid.index()).filter(|exists| **exists)?;
                let control = &machine.threads[tid.index()].control;
                let status = match control.status {
                    Status::Ready => "running",
                    Status::Ended => "ended",
                    Status::Cut | Status::Failed => "stopped",
                };
                let more = match (control.joined, control.detached, control.cancel_pending) {
                    (true, _, _) => ", joined",
                    (_, true, _) => ", detached",
                    (_, _, true) => ", to be cancelled",
                    _ => "",
                };
                Some(format!("{status}{more}"))
            }
            Space::Wake | Space::Hidden | Space::Property | Space::Process => None,
        }
    }

    fn memory_value(&mut self, machine: &VmMachine, who: Tid, access: &Access) -> Option<String> {
        let (address, size) = (access.address, u64::from(access.length));
        let (_, object) = machine.memory.object_at(address)?;
        if object.life != Life::Live {
            return Some("(freed)".into());
        }
        if !matches!(size, 1 | 2 | 4 | 8) {
            return None;
        }
        let held = machine.memory.load_n(address, size as u32).ok()?;
        self.value_with(machine, who, access, held)
    }

    /// What memory held, in words: the bits of the access, and which of them were never set.
    pub fn value_with(
        &mut self,
        machine: &VmMachine,
        who: Tid,
        access: &Access,
        (bits, undefined): (u64, u64),
    ) -> Option<String> {
        let size = u64::from(access.length);
        let program = &*machine.program;
        if let Some((m, ty)) = self.scalar(machine, who, access.address, size) {
            if let Some(words) = machine.show(m, ty, bits, undefined) {
                // A sequence has numbers.
                let number = self.distinct.as_ref().and_then(|_| program.enumerator(m, ty, &words));
                return Some(number.map_or(words.clone(), |number| format!("{words} ({number})")));
            }
            let module = &program.debug[m as usize];
            if undefined == 0
                && let Some(stripped) = module.strip_di_type(ty)
                && let DiType::Pointer { to, .. } = module.di_type(stripped)
            {
                if let Some(&to) = to.as_ref() {
                    self.learn_type(machine, bits, (m, to));
                }
                return Some(match code_target(bits) {
                    Some((f, 0)) if (f as usize) < program.functions.len() => {
                        program.functions[f as usize].name.to_string()
                    }
                    _ => format!("&{}", self.target_name(machine, who, bits)),
                });
            }
        }
        let mask = crate::scalar::mask((size * 8) as u8);
        if undefined & mask != 0 {
            return Some(crate::locals::UNDEFINED.into());
        }
        Some(crate::scalar::sext(bits & mask, (size * 8) as u8).to_string())
    }
}

impl Teller {
    /// The type of the scalar of that size that lies there.
    fn scalar(&mut self, machine: &VmMachine, who: Tid, address: Addr, size: u64) -> Option<Type> {
        let (start, object) = machine.memory.object_at(address)?;
        let program = &*machine.program;
        let mut offset = address - start;
        let (m, whole) = match object.kind {
            ObjectKind::Global => program.global_at(address).and_then(|(global, _)| global.ty),
            ObjectKind::Heap => {
                let ty = self.heap_type(machine, who, start);
                (_, offset) = element(program, ty, object.size, offset);
                ty
            }
            ObjectKind::ThreadLocal => program.thread_locals.get(object.detail as usize).and_then(|v| v.ty),
            _ => local_type(program, object),
        }?;
        Some((m, program.debug.get(m as usize)?.scalar_at(whole, offset, size)?))
    }

    /// The variables that an access touches, where it touches several at once, as copies do.
    pub fn parts(&mut self, machine: &VmMachine, who: Tid, access: &Access) -> Vec<Access> {
        let end = access.address + u64::from(access.length);
        let mut parts = Vec::new();
        let mut at = access.address;
        while at < end {
            let fits = |size: &u32| {
                let size = u64::from(*size);
                at.is_multiple_of(size) && at + size <= end && self.scalar(machine, who, at, size).is_some()
            };
            match [8, 4, 2, 1].into_iter().find(fits) {
                Some(size) => {
                    parts.push(Access::memory(access.mode, at, size));
                    at += u64::from(size);
                }
                // Between two of them, or nothing is known of it.
                None => at += 1,
            }
        }
        if parts.is_empty() { vec![*access] } else { parts }
    }
}

/// Generations of a barrier share its address.
fn address_of(access: &Access) -> Addr {
    access.address & ((1 << 48) - 1)
}

pub(crate) fn path_in(program: &Program, ty: Option<Type>, offset: u64, size: u64) -> String {
    let path = match ty {
        Some((m, ty)) => program.debug[m as usize].describe_offset(ty, offset, size),
        None if offset == 0 => String::new(),
        None => format!("+{offset}"),
    };
    // Names with two underscores are the inside of a library's type.
    path.find(".__").map_or(path.as_str(), |inside| &path[..inside]).to_string()
}

/// Which element of a heap object lies at an offset, and where in it: a block that has room for several of what a pointer
/// says that it points to is an array of them, unless the type itself has no end.
fn element(program: &Program, ty: Option<Type>, size: u64, offset: u64) -> (Option<u64>, u64) {
    let whole = (None, offset);
    let Some((m, ty)) = ty else { return whole };
    let debug = &program.debug[m as usize];
    let Some(each) = debug.di_size(ty).filter(|&each| each > 0 && size >= 2 * each && size.is_multiple_of(each)) else {
        return whole;
    };
    let has_no_end = !debug.describe_offset(ty, each, 1).starts_with('+');
    if has_no_end { whole } else { (Some(offset / each), offset % each) }
}

/// The type of a local variable, by its name in the function that made it.
pub(crate) fn local_type(program: &Program, object: crate::memory::Object) -> Option<Type> {
    let name = program.allocas.get(object.detail as usize)?.name.as_deref()?;
    let function = &program.functions[CodePos::unpack(object.allocated_at)?.function as usize];
    function.variables.iter().find(|variable| &*variable.name == name)?.ty
}

impl Program {
    fn type_name(&self, (m, ty): Type) -> String {
        self.debug[m as usize].di_type_name(Some(ty))
    }

    fn pointee(&self, (m, ty): Type) -> Option<Type> {
        let module = self.debug.get(m as usize)?;
        match module.di_type(module.strip_di_type(ty)?) {
            DiType::Pointer { to: Some(to), .. } => Some((m, to)),
            _ => None,
        }
    }

    /// Whether it may read its standard input.
    pub fn reads_input(&self) -> bool {
        self.natives.iter().any(|site| matches!(site.native, crate::bytecode::Native::Read))
    }

    /// The program's own lines of a stack, innermost first.
    pub fn own_lines(&self, stack: &[CodePos]) -> Vec<SourcePos> {
        stack.iter().filter(|at| !self.is_library(at.function)).flat_map(|at| self.source_of(*at)).collect()
    }

    /// The files that the program's own code comes from, as far as debug information names them.
    pub fn own_files(&self) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for function in self.functions.iter().filter(|function| !function.library) {
            for &location in function.locations.iter().filter(|location| **location > 0) {
                let file = &*self.files[self.locations[location as usize - 1].file as usize];
                if !files.iter().any(|known| known == file) {
                    files.push(file.to_string());
                }
            }
        }
        files
    }
}

impl VmMachine {
    /// Where a thread stands in the program's own code, innermost frame first.
    pub fn own_stack(&self, tid: Tid) -> Vec<SourcePos> {
        self.program.own_lines(&self.threads[tid.index()].stack())
    }

    /// The function of the program that a thread that exists was started with.
    pub fn start_function(&self, tid: Tid) -> Option<String> {
        if tid == Tid::MAIN {
            return Some("main".into());
        }
        let thread = &self.threads[tid.index()];
        if let Some(outermost) = self.own_stack(tid).last() {
            return Some(outermost.function.clone());
        }
        // Not started: the runtime's block says what it is going to call, in its first word.
        let frame = thread.frames.first()?;
        let block = *thread.slots.get(frame.base as usize)?;
        let (routine, _) = self.memory.load_n(block, 8).ok()?;
        let (function, _) = code_target(routine)?;
        Some(self.program.functions.get(function as usize)?.name.to_string())
    }

    /// Whether the thread is there, or has been there.
    pub fn has_been_created(&self, tid: Tid) -> bool {
        self.exists.get(tid.index()).copied().unwrap_or(false)
    }

    /// Whether a failed `assume` has stopped this thread.
    pub fn is_stopped(&self, tid: Tid) -> bool {
        self.has_status(tid, Status::Cut)
    }

    /// Whether its own error has stopped this thread.
    pub fn has_failed(&self, tid: Tid) -> bool {
        self.has_status(tid, Status::Failed)
    }

    fn has_status(&self, tid: Tid, status: Status) -> bool {
        self.has_been_created(tid) && self.threads[tid.index()].control.status == status
    }
}
