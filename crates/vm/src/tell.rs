//! Objects and their values in the words of the source, for stories: `queue.head`, `held by thread 0.1`.

use rustc_hash::FxHashMap;
use threadbare_core::{Access, Place, Space, Tid};
use threadbare_ir::debug::DiType;
use threadbare_ir::{MdId, Module};

use crate::distinct::Distinct;
use crate::memory::Addr;
use crate::names::SourcePos;
use crate::opened;
use crate::scene::{Declared, Scene, Thing, Type, UNDEFINED, What, path_in, pointee, show};

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
    pub fn name(&mut self, scene: &impl Scene, who: Tid, access: &Access) -> String {
        match access.space {
            Space::Thread => match scene.thread_of(access.address) {
                Some(tid) => format!("thread {}", scene.thread_names().name(tid)),
                _ => "a thread".into(),
            },
            Space::Wake => match u16::try_from(access.address) {
                Ok(n) if usize::from(n) < scene.thread_names().len() => {
                    format!("thread {}", scene.thread_names().name(Tid(n)))
                }
                _ => "a thread".into(),
            },
            Space::Hidden => "library state".into(),
            Space::Property => "an invariant".into(),
            Space::Unseen => "what machine code accesses".into(),
            Space::Process => "the process".into(),
            Space::Memory => self.name_at(scene, who, access.address, u64::from(access.length)),
            Space::Mutex if self.distinct.is_none() => {
                let thing = scene.thing_at(access.address);
                let file = thing.and_then(|thing| opened::guarded(scene, &thing, access.address));
                file.unwrap_or_else(|| self.name_at(scene, who, access.address, 0))
            }
            Space::Barrier => self.name_at(scene, who, address_of(access), 0),
            _ => self.name_at(scene, who, access.address, 0),
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
    fn heap_part(&mut self, scene: &impl Scene, object: &Thing<'_>, ty: Option<Type>, path: &str) -> String {
        if self.distinct.is_none() {
            let ty = ty.map(|(m, ty)| scene.debug()[m as usize].di_type_name(Some(ty)));
            return format!("{}{path}", self.heap_name((object.start, object.made_at), ty));
        }
        let owner = match object.owner {
            Tid::MAIN => String::new(),
            owner => format!(" of {}", scene.thread_names().name(owner)),
        };
        let name = format!("heap#{}{path}{owner}", scene.heap_number(object.start));
        if !self.distinct_heap.iter().any(|(known, _)| *known == name) {
            self.distinct_heap.push((name.clone(), object.made_at));
        }
        name
    }

    /// The heap objects that have come up, each with where it was made.
    pub fn heap_objects(&self) -> impl Iterator<Item = (String, u64)> + '_ {
        let numbered = self.numbered.iter().map(|named| (format!("{}#{}", named.kind, named.number), named.key.1));
        numbered.chain(self.distinct_heap.iter().cloned())
    }

    /// The object around an address as a whole, if it is one of the heap: what is freed at once.
    pub fn whole_name(&mut self, scene: &impl Scene, who: Tid, address: Addr) -> String {
        match scene.thing_at(address) {
            Some(object) if matches!(object.what, What::Heap) => {
                let ty = self.heap_type(scene, who, &object);
                self.heap_part(scene, &object, ty, "")
            }
            _ => self.name_at(scene, who, address, 0),
        }
    }

    /// What a pointer points to: of an object that has parts, the whole if it is the start.
    fn target_name(&mut self, scene: &impl Scene, who: Tid, address: Addr) -> String {
        match scene.thing_at(address) {
            Some(object) if object.start == address => self.whole_name(scene, who, address),
            _ => self.name_at(scene, who, address, 0),
        }
    }

    fn name_at(&mut self, scene: &impl Scene, who: Tid, address: Addr, size: u64) -> String {
        let Some(object) = scene.thing_at(address) else { return format!("{address:#x}") };
        let (offset, debug) = (address - object.start, scene.debug());
        let variable = match object.what {
            What::Heap => {
                let ty = self.heap_type(scene, who, &object);
                let (index, within) = element(debug, ty, object.size, offset);
                let index = index.map_or(String::new(), |index| format!("[{index}]"));
                let path = format!("{index}{}", path_in(debug, ty, within, size));
                return self.heap_part(scene, &object, ty, &path);
            }
            What::ThreadLocal(None) => return "thread-local variable".into(),
            What::Static(variable) => Some(variable),
            What::ThreadLocal(variable) | What::Local(variable) => variable,
        };
        let path = variable.map_or(String::new(), |variable| path_in(debug, variable.ty, offset, size));
        let distinct = self.distinct.as_mut();
        if let Some(name) = distinct.and_then(|distinct| scene.distinct_name(distinct, &object, address, &path)) {
            return name;
        }
        match (variable, object.what) {
            // Every thread has one.
            (Some(Declared { name, .. }), What::ThreadLocal(_)) => {
                format!("{name}{path} of {}", scene.thread_names().name(object.owner))
            }
            (Some(Declared { name, .. }), _) => format!("{name}{path}"),
            (None, _) => scene.in_words(address),
        }
    }

    /// The type that a pointer gives to a heap object: a global one, or a variable of `who`.
    fn heap_type(&mut self, scene: &impl Scene, who: Tid, object: &Thing<'_>) -> Option<Type> {
        let (start, debug) = (object.start, scene.debug());
        let key = (start, object.made_at);
        if let Some(&known) = self.heap.get(&key) {
            return Some(known);
        }
        // Whoever points to it says the same in every execution; `who` says it first.
        let others = if self.distinct.is_some() { scene.live_threads() } else { Vec::new() };
        let others = others.into_iter().filter(|&tid| tid != who);
        let locals = std::iter::once(who).chain(others).flat_map(|tid| scene.pointers_of(tid, start));
        let statics = std::iter::once(()).flat_map(|()| scene.static_pointers(start));
        let found = locals.chain(statics).filter_map(|ty| pointee(debug, ty)).find(|ty| fits(debug, *ty, object))?;
        self.heap.insert(key, found);
        Some(found)
    }

    /// A pointer of this type points to the start of a heap object.
    fn learn_type(&mut self, scene: &impl Scene, start: Addr, pointee: Type) {
        if let Some(object) = scene.thing_at(start)
            && matches!(object.what, What::Heap)
            && object.start == start
            && fits(scene.debug(), pointee, &object)
        {
            self.heap.entry((start, object.made_at)).or_insert(pointee);
        }
    }

    /// What the object of an access holds, in words, if it holds something.
    pub fn value(&mut self, scene: &impl Scene, who: Tid, access: &Access) -> Option<String> {
        let value = scene.value_of(access);
        let names = scene.thread_names();
        let word = |at: Addr| scene.load(at, 4).map(|(word, _)| word as u32);
        let holder = |owner: u32| match owner.checked_sub(1).map(|n| Tid(n as u16)) {
            Some(tid) if tid.index() < names.len() => format!("thread {}", names.name(tid)),
            _ => "nobody".into(),
        };
        match access.space {
            Space::Memory => self.memory_value(scene, who, access),
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
                let waits = |w: &u16| value >> w & 1 == 1;
                let waiters: Vec<String> = (0..128).filter(waits).map(|w| names.name(Tid(w)).to_string()).collect();
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
            Space::Thread => scene.thread_standing(scene.thread_of(access.address)?),
            Space::Wake | Space::Hidden | Space::Property | Space::Unseen | Space::Process => None,
        }
    }

    fn memory_value(&mut self, scene: &impl Scene, who: Tid, access: &Access) -> Option<String> {
        let (address, size) = (access.address, u64::from(access.length));
        if !scene.thing_at(address)?.live {
            return Some("(freed)".into());
        }
        if !matches!(size, 1 | 2 | 4 | 8) {
            return None;
        }
        let held = scene.load(address, size as u32)?;
        self.value_with(scene, who, access, held)
    }

    /// What memory held, in words: the bits of the access, and which of them were never set.
    pub fn value_with(
        &mut self,
        scene: &impl Scene,
        who: Tid,
        access: &Access,
        (bits, undefined): (u64, u64),
    ) -> Option<String> {
        let size = u64::from(access.length);
        if let Some((m, ty)) = self.scalar(scene, who, access.address, size) {
            let module = &scene.debug()[m as usize];
            if let Some(words) = show(scene, (m, ty), bits, undefined) {
                // A sequence has numbers.
                let number = self.distinct.as_ref().and_then(|_| enumerator(module, ty, &words));
                return Some(number.map_or(words.clone(), |number| format!("{words} ({number})")));
            }
            if undefined == 0
                && let Some(stripped) = module.strip_di_type(ty)
                && let DiType::Pointer { to, .. } = module.di_type(stripped)
            {
                if let Some(&to) = to.as_ref() {
                    self.learn_type(scene, bits, (m, to));
                }
                return Some(match scene.function_at(bits) {
                    Some(function) => function.to_string(),
                    None => format!("&{}", self.target_name(scene, who, bits)),
                });
            }
        }
        let mask = crate::scalar::mask((size * 8) as u8);
        if undefined & mask != 0 {
            return Some(UNDEFINED.into());
        }
        Some(crate::scalar::sext(bits & mask, (size * 8) as u8).to_string())
    }
}

impl Teller {
    /// The type of the scalar of that size that lies there.
    fn scalar(&mut self, scene: &impl Scene, who: Tid, address: Addr, size: u64) -> Option<Type> {
        let object = scene.thing_at(address)?;
        let (mut offset, debug) = (address - object.start, scene.debug());
        let (m, whole) = match object.what {
            What::Heap => {
                let ty = self.heap_type(scene, who, &object);
                (_, offset) = element(debug, ty, object.size, offset);
                ty
            }
            What::Static(variable) => variable.ty,
            What::ThreadLocal(variable) | What::Local(variable) => variable?.ty,
        }?;
        Some((m, debug.get(m as usize)?.scalar_at(whole, offset, size)?))
    }

    /// The variables that an access touches, where it touches several at once, as copies do.
    pub fn parts(&mut self, scene: &impl Scene, who: Tid, access: &Access) -> Vec<Access> {
        let end = access.address + u64::from(access.length);
        let mut parts = Vec::new();
        let mut at = access.address;
        while at < end {
            let fits = |size: &u32| {
                let size = u64::from(*size);
                at.is_multiple_of(size) && at + size <= end && self.scalar(scene, who, at, size).is_some()
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

/// Whether a heap object may be of that type.
fn fits(debug: &[Module], (m, ty): Type, object: &Thing<'_>) -> bool {
    debug[m as usize].di_size(ty).is_some_and(|size| size > 1 && size <= object.size)
}

/// Which element of a heap object lies at an offset, and where in it: a block that has room for several of what a pointer
/// says that it points to is an array of them, unless the type itself has no end.
fn element(debug: &[Module], ty: Option<Type>, size: u64, offset: u64) -> (Option<u64>, u64) {
    let whole = (None, offset);
    let Some((m, ty)) = ty else { return whole };
    let debug = &debug[m as usize];
    let Some(each) = debug.di_size(ty).filter(|&each| each > 0 && size >= 2 * each && size.is_multiple_of(each)) else {
        return whole;
    };
    let has_no_end = !debug.describe_offset(ty, each, 1).starts_with('+');
    if has_no_end { whole } else { (Some(offset / each), offset % each) }
}

/// The number that a name of an enumeration stands for.
fn enumerator(module: &Module, ty: MdId, name: &str) -> Option<i128> {
    let DiType::Enum { enumerators, .. } = module.di_type(module.strip_di_type(ty)?) else { return None };
    enumerators.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
}
