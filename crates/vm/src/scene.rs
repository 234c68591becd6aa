//! What names and values in the words of the source are made from: the same for every machine that executes C.

use threadbare_core::{Access, ThreadNames, Tid};
use threadbare_ir::debug::{DiType, Encoding};
use threadbare_ir::{MdId, Module};

use crate::distinct::Distinct;

/// A type of the source: module and metadata node.
pub type Type = (u16, MdId);

/// The value of what was never set, or was computed from what was never set.
pub const UNDEFINED: &str = "(undefined)";

/// A variable that the source declares.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'s> {
    pub name: &'s str,
    pub ty: Option<Type>,
}

/// What kind of memory an object is.
#[derive(Clone, Copy, Debug)]
pub enum What<'s> {
    Static(Declared<'s>),
    Heap,
    ThreadLocal(Option<Declared<'s>>),
    /// A local variable, or something that has no name.
    Local(Option<Declared<'s>>),
}

/// An object of the program's memory.
#[derive(Clone, Copy, Debug)]
pub struct Thing<'s> {
    pub start: u64,
    pub size: u64,
    pub live: bool,
    /// Where in the code it was made, in the words of the machine.
    pub made_at: u64,
    pub owner: Tid,
    pub what: What<'s>,
}

/// A machine in a state that can be told.
pub trait Scene {
    /// The types of the source, by module.
    fn debug(&self) -> &[Module];
    fn thread_names(&self) -> &ThreadNames;
    /// What people call a thread.
    fn thread_label(&self, tid: Tid) -> String;
    /// The thread that a handle of the program means, if it has been created.
    fn thread_of(&self, handle: u64) -> Option<Tid>;
    /// `ended, joined`.
    fn thread_standing(&self, tid: Tid) -> Option<String>;
    fn live_threads(&self) -> Vec<Tid>;

    /// The object that an address lies in.
    fn thing_at(&self, address: u64) -> Option<Thing<'_>>;
    /// The function that begins there.
    fn function_at(&self, address: u64) -> Option<&str>;
    /// What there is in memory, and which bits of it were never set.
    fn load(&self, address: u64, bytes: u32) -> Option<(u64, u64)>;
    fn value_of(&self, access: &Access) -> u128;
    /// The address of a variable of the runtime, if the program has that.
    fn library_variable(&self, name: &str) -> Option<u64>;
    /// What lies there, in few words, if it has no name.
    fn in_words(&self, address: u64) -> String;
    /// The types of the variables of a thread, and of those of static storage, that hold this address of a heap object.
    fn pointers_of(&self, who: Tid, address: u64) -> Vec<Type>;
    fn static_pointers(&self, address: u64) -> Vec<Type>;

    /// A name that no other object has, of a part of a variable. Only machines that can record sequences have such names.
    fn distinct_name(&self, _: &mut Distinct, _: &Thing<'_>, _address: u64, _path: &str) -> Option<String> {
        None
    }

    /// Which of its thread's heap objects this one is.
    fn heap_number(&self, _start: u64) -> u64 {
        0
    }
}

/// The variable of static storage that an address lies in, and how far.
pub fn static_at(scene: &impl Scene, address: u64) -> Option<(Thing<'_>, Declared<'_>, u64)> {
    let thing = scene.thing_at(address)?;
    match thing.what {
        What::Static(variable) => Some((thing, variable, address - thing.start)),
        _ => None,
    }
}

/// The source name of what lies at an address of static storage: `queue.items[3].key`.
pub fn variable_at(scene: &impl Scene, address: u64) -> Option<String> {
    let (_, variable, offset) = static_at(scene, address)?;
    // What files of the runtime share has a mark before its name.
    let name = variable.name.strip_prefix("__tbi_").unwrap_or(variable.name);
    Some(format!("{name}{}", path_in(scene.debug(), variable.ty, offset, 0)))
}

/// The part of an object of a type: to be appended to its name.
pub fn path_in(debug: &[Module], ty: Option<Type>, offset: u64, size: u64) -> String {
    let path = match ty {
        Some((m, ty)) => debug[m as usize].describe_offset(ty, offset, size),
        None if offset == 0 => String::new(),
        None => format!("+{offset}"),
    };
    // Names with two underscores are the inside of a library's type: `lock`, not `lock.__data.__lock`.
    path.find(".__").map_or(path.as_str(), |inside| &path[..inside]).to_string()
}

pub fn pointee(debug: &[Module], (m, ty): Type) -> Option<Type> {
    let module = debug.get(m as usize)?;
    match module.di_type(module.strip_di_type(ty)?) {
        DiType::Pointer { to: Some(to), .. } => Some((m, to)),
        _ => None,
    }
}

/// The size of a variable's type, if it is a scalar of up to 8 bytes.
pub fn scalar_bytes(debug: &[Module], (m, ty): Type) -> Option<u32> {
    let module = debug.get(m as usize)?;
    let bits = match module.di_type(module.strip_di_type(ty)?) {
        DiType::Base { bits, .. } | DiType::Pointer { bits, .. } | DiType::Enum { bits, .. } => bits,
        _ => return None,
    };
    (8..=64).contains(&bits).then_some(bits as u32 / 8)
}

/// A value of a type in C's notation. Of a pointer, only what it points to if that is a variable of static storage.
pub fn show(scene: &impl Scene, (m, ty): Type, bits: u64, undefined: u64) -> Option<String> {
    let bytes = scalar_bytes(scene.debug(), (m, ty))?;
    let mask = crate::scalar::mask((bytes * 8) as u8);
    if undefined & mask != 0 {
        return Some(UNDEFINED.into());
    }
    let bits = bits & mask;
    let signed = crate::scalar::sext(bits, (bytes * 8) as u8);
    let module = &scene.debug()[m as usize];
    if let DiType::Typedef { name: "pthread_t" | "thrd_t", .. } = module.di_type(ty) {
        return scene.thread_of(bits).map(|tid| scene.thread_label(tid));
    }
    Some(match module.di_type(module.strip_di_type(ty)?) {
        DiType::Base { encoding, .. } => match encoding {
            Encoding::Boolean => (if bits == 0 { "false" } else { "true" }).into(),
            Encoding::Signed => signed.to_string(),
            Encoding::SignedChar | Encoding::UnsignedChar => match u8::try_from(bits) {
                Ok(c) if c.is_ascii_graphic() || c == b' ' => format!("'{}'", c as char),
                _ if encoding == Encoding::SignedChar => signed.to_string(),
                _ => bits.to_string(),
            },
            Encoding::Float if bytes == 4 => f32::from_bits(bits as u32).to_string(),
            Encoding::Float if bytes == 8 => f64::from_bits(bits).to_string(),
            Encoding::Unsigned => bits.to_string(),
            _ => return None,
        },
        DiType::Pointer { .. } if bits == 0 => "NULL".into(),
        DiType::Pointer { to, .. } => {
            // The whole, not the first part of it, if it is as large as what the pointer points to.
            let whole = static_at(scene, bits)
                .filter(|(thing, _, offset)| *offset == 0 && to.and_then(|to| module.di_size(to)) == Some(thing.size));
            let name = whole.map(|(_, variable, _)| variable.name.to_string()).or_else(|| variable_at(scene, bits));
            format!("&{}", name?)
        }
        DiType::Enum { enumerators, .. } => {
            match enumerators.iter().find(|(_, value)| *value == i128::from(signed) || *value == i128::from(bits)) {
                Some((name, _)) => (*name).to_string(),
                None => signed.to_string(),
            }
        }
        _ => return None,
    })
}
