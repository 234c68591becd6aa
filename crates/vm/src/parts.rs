//! What IR moves in one go, in parts: the assignment of a structure, `memcpy`, `memmove` and `memset` are several accesses on the
//! hardware, between which other threads may do something. Where that can be seen, because the memory is volatile or every access
//! is a visible operation, each becomes a load and a store a word, from the lowest address on. A word is as large as the
//! memory is aligned, at most 8 bytes: that is all that one access can be relied upon to move. `memmove` loads all words first. Whether the two
//! places of a `memcpy` overlap is not looked at then.
//!
//! What is long, or of a length that is not known before, stays as it is. With `--races allow` it is like a library
//! function then, which is refused where another thread accesses the same memory without an order; if it is volatile it is refused
//! at once.

use rustc_hash::FxHashSet;
use threadbare_ir::{Call, Const, Function, Inst, InstKind, LocalId, Module, Operand, Ordering, Type, Value};

use crate::fine::{called, is_copy, moves_memory, private_locals};
use crate::frontend::LoadError;
use crate::link::Linked;
use crate::lower::LowerError;

/// What has more words is not taken apart.
const MOST_PARTS: u64 = 64;

pub const TOO_LONG: &str =
    "a volatile copy of more than 64 words, or of a size that is not known before, is not supported";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub offset: u64,
    /// 1, 2, 4 or 8.
    pub bytes: u64,
}

/// A call that is to be done in parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    pub parts: Vec<Part>,
    /// What each byte is set to, unless they come from elsewhere.
    pub fill: Option<u8>,
    /// Whether the stores are volatile, and the loads.
    pub volatile: [bool; 2],
    /// All loads before all stores.
    pub loads_first: bool,
}

impl Move {
    /// What is stored to a part of so many bytes.
    pub fn filling(&self, bytes: u64) -> Option<u64> {
        let word = u64::from_ne_bytes([self.fill?; 8]);
        Some(word & u64::MAX >> (64 - 8 * bytes))
    }
}

/// What of the memory of a function others can see.
struct Sight<'m> {
    private: Vec<bool>,
    constants: &'m FxHashSet<String>,
}

impl Sight<'_> {
    fn is_private(&self, value: &Value) -> bool {
        match value {
            Value::Local(local) => self.private[local.0 as usize],
            Value::Const(Const::Global(name)) => self.constants.contains(name),
            Value::Const(_) => false,
        }
    }

    fn part(&self, call: &Call, every_access: bool) -> Option<Move> {
        if !moves_memory(&call.callee) {
            return None;
        }
        let copies = is_copy(&call.callee);
        let pointers = &call.args[..if copies { 2 } else { 1 }];
        let volatile = is_volatile(call);
        if !volatile && !every_access || pointers.iter().all(|arg| self.is_private(&arg.operand.value)) {
            return None;
        }
        let fill = match call.args[1].operand.value {
            _ if copies => None,
            Value::Const(Const::Int(byte)) => Some(byte as u8),
            _ => return None,
        };
        let Value::Const(Const::Int(length)) = call.args[2].operand.value else { return None };
        let length = u64::try_from(length).ok()?;
        let word = pointers.iter().map(|arg| u64::from(arg.attrs.align.max(1))).min()?.min(8);
        if length.div_ceil(word) > MOST_PARTS {
            return None;
        }
        // What only the function knows is no volatile memory.
        let volatile =
            [0, 1].map(|i| volatile && pointers.get(i).is_some_and(|arg| !self.is_private(&arg.operand.value)));
        let loads_first = called(&call.callee).starts_with("llvm.memmove.");
        Some(Move { parts: parts(length, word), fill, volatile, loads_first })
    }
}

fn parts(length: u64, word: u64) -> Vec<Part> {
    let (mut list, mut offset, mut bytes) = (Vec::new(), 0, word);
    while offset < length {
        while bytes > length - offset {
            bytes /= 2;
        }
        list.push(Part { offset, bytes });
        offset += bytes;
    }
    list
}

fn is_volatile(call: &Call) -> bool {
    matches!(call.args.get(3).map(|arg| &arg.operand.value), Some(Value::Const(Const::Int(1))))
}

fn constants(module: &Module) -> FxHashSet<String> {
    module.globals.iter().filter(|global| global.constant).map(|global| global.name.clone()).collect()
}

/// The calls of a module that are to be done in parts, with the lines of its text that they stand in.
pub fn moves(module: &Module, every_access: bool) -> Vec<(u32, Move)> {
    let constants = &constants(module);
    let of_function = |function: &Function| {
        let sight = Sight { private: private_locals(function), constants };
        let insts = function.blocks.iter().flat_map(|block| &block.insts);
        let found = insts.filter_map(|inst| match &inst.kind {
            InstKind::Call(call) => Some((inst.text_line, sight.part(call, every_access)?)),
            _ => None,
        });
        found.collect::<Vec<_>>()
    };
    module.functions.iter().flat_map(of_function).collect()
}

/// Refuses volatile memory that would be moved in one go.
fn refuse_long(linked: &Linked) -> Result<(), LoadError> {
    for module in &linked.modules[..linked.user_modules] {
        for function in &module.functions {
            for inst in function.blocks.iter().flat_map(|block| &block.insts) {
                if is_too_long(module, function, inst) {
                    let place = inst.loc.and_then(|loc| module.location(loc));
                    let (file, line) = place.map_or((None, 0), |place| (Some(place.file.to_string()), place.line));
                    return Err(LowerError::Unsupported { message: TOO_LONG.into(), file, line }.into());
                }
            }
        }
    }
    Ok(())
}

/// Whether it is volatile memory that is moved, and cannot be taken apart.
pub fn is_too_long(module: &Module, function: &Function, inst: &Inst) -> bool {
    let InstKind::Call(call) = &inst.kind else { return false };
    if !moves_memory(&call.callee) || !is_volatile(call) {
        return false;
    }
    let sight = Sight { private: private_locals(function), constants: &constants(module) };
    let pointers = &call.args[..if is_copy(&call.callee) { 2 } else { 1 }];
    !pointers.iter().all(|arg| sight.is_private(&arg.operand.value)) && sight.part(call, false).is_none()
}

/// Does so in the program.
pub fn take_apart(linked: &mut Linked, every_access: bool) -> Result<(), LoadError> {
    refuse_long(linked)?;
    let user = linked.user_modules;
    for module in &mut linked.modules[..user] {
        let constants = constants(module);
        let byte = module.types.intern(Type::Int(8));
        let offset = module.types.intern(Type::Int(64));
        let pointer = module.types.intern(Type::Ptr);
        for function in &mut module.functions {
            let sight = Sight { private: private_locals(function), constants: &constants };
            for b in 0..function.blocks.len() {
                let mut i = 0;
                while i < function.blocks[b].insts.len() {
                    let inst = &function.blocks[b].insts[i];
                    i += 1;
                    let InstKind::Call(call) = &inst.kind else { continue };
                    let Some(found) = sight.part(call, every_access) else { continue };
                    let (call, inst) = (call.clone(), inst.clone());
                    let mut fresh = |ty| {
                        function.local_types.push(ty);
                        function.local_names.push(String::new());
                        LocalId(function.local_types.len() as u32 - 1)
                    };
                    let (mut loads, mut stores) = (Vec::new(), Vec::new());
                    let new = |result, kind| Inst { result, kind, ..inst.clone() };
                    for &Part { offset: at, bytes } in &found.parts {
                        let ty = module.types.intern(Type::Int(8 * bytes as u32));
                        let ([volatile, volatile_load], align, ordering) =
                            (found.volatile, bytes as u32, Ordering::NotAtomic);
                        let mut place = |list: &mut Vec<Inst>, argument: usize| {
                            let base = call.args[argument].operand.clone();
                            if at == 0 {
                                return base.value;
                            }
                            let result = fresh(pointer);
                            let by = Operand { ty: offset, value: Value::Const(Const::Int(at.into())) };
                            let kind = InstKind::Gep { source: byte, base, indices: vec![by], inbounds: false };
                            list.push(new(Some(result), kind));
                            Value::Local(result)
                        };
                        let to = place(&mut stores, 0);
                        let value = match found.filling(bytes) {
                            Some(word) => Value::Const(Const::Int(word.into())),
                            None => {
                                let ptr = place(&mut loads, 1);
                                let word = fresh(ty);
                                let kind = InstKind::Load { ty, ptr, ordering, volatile: volatile_load, align };
                                loads.push(new(Some(word), kind));
                                Value::Local(word)
                            }
                        };
                        let value = Operand { ty, value };
                        stores.push(new(None, InstKind::Store { value, ptr: to, ordering, volatile, align }));
                        if !found.loads_first {
                            loads.append(&mut stores);
                        }
                    }
                    loads.append(&mut stores);
                    let many = loads.len();
                    function.blocks[b].insts.splice(i - 1..i, loads);
                    i = i - 1 + many;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_large_as_the_alignment_and_what_is_left_allow() {
        let sizes = |length, word| parts(length, word).iter().map(|part| part.bytes).collect::<Vec<_>>();
        assert_eq!(sizes(16, 8), [8, 8]);
        assert_eq!(sizes(15, 8), [8, 4, 2, 1]);
        assert_eq!(sizes(12, 4), [4, 4, 4]);
        assert_eq!(sizes(3, 1), [1, 1, 1]);
        assert_eq!(parts(0, 8), []);
        assert_eq!(parts(7, 4)[2], Part { offset: 6, bytes: 1 });
    }

    #[test]
    fn a_filled_word_has_its_byte_everywhere() {
        let filled = Move { parts: Vec::new(), fill: Some(0xab), volatile: [false; 2], loads_first: false };
        assert_eq!(
            [1, 4, 8].map(|bytes| filled.filling(bytes)),
            [Some(0xab), Some(0xabab_abab), Some(0xabab_abab_abab_abab)]
        );
    }
}
