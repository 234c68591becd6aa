//! What the program calls a value that was never set, found out when it is used: backwards through the code that led there,
//! as long as there is only one way. Nothing is kept for that while the program runs. What cannot be found out has no name.

use threadbare_core::memory_words::in_bytes;

use crate::bytecode::*;
use crate::fault::CodePos;
use crate::interp::Cpu;
use crate::liveness::{for_each_operand, successors};
use crate::locals::variables_at;
use crate::memory::{Addr, ObjectKind};
use crate::scene::path_in;
use crate::seen::local_type;

/// How far back it is looked for: operations up to the one that wrote a value, and values that others were made from.
const OPERATIONS: usize = 1000;
const VALUES: u32 = 32;

/// A variable, or the part of an object that lies at an address.
pub struct Origin {
    /// `` `x` was never set ``.
    pub words: String,
    pub address: Option<Addr>,
}

impl Origin {
    fn never_set(name: &str, address: Option<Addr>) -> Origin {
        Origin { words: format!("{name} was never set"), address }
    }
}

/// An operation of a frame of the thread.
#[derive(Clone, Copy)]
struct At {
    depth: usize,
    pc: u32,
}

impl Cpu<'_> {
    /// What was never set that the operation needs at which the thread stands. In the library that is what the program has
    /// given to it.
    pub fn origin(&self) -> Option<Origin> {
        let frames = &self.thread.frames;
        let top = frames.len() - 1;
        let own = frames.iter().rposition(|frame| !self.program.is_library(frame.function));
        let call = own.filter(|&own| own < top).map(|own| At { depth: own, pc: frames[own].pc.saturating_sub(1) });
        let here = At { depth: top, pc: frames[top].pc };
        call.and_then(|call| self.origin_of_operands(call, VALUES)).or_else(|| self.origin_of_operands(here, VALUES))
    }

    fn origin_of_operands(&self, at: At, values: u32) -> Option<Origin> {
        let values = values.checked_sub(1)?;
        let mut undefined = Vec::new();
        for_each_operand(self.program, self.operation(at), &mut |slot, write| {
            if !write && self.is_undefined_in(at.depth, slot) {
                undefined.push(slot);
            }
        });
        undefined.into_iter().find_map(|slot| self.origin_of(at, slot, values))
    }

    /// Of what a slot holds in front of an operation.
    fn origin_of(&self, at: At, slot: Slot, values: u32) -> Option<Origin> {
        self.origin_of_written(at, slot, values).or_else(|| {
            // It may have been computed from what was not set.
            let function = self.thread.frames[at.depth].function;
            let variables = variables_at(self.program, CodePos { function, pc: at.pc });
            let variable = variables.iter().find(|variable| variable.place == Place::Slot(slot))?;
            Some(Origin {
                words: format!("`{}` was computed from something that was never set", variable.name),
                address: None,
            })
        })
    }

    fn origin_of_written(&self, at: At, slot: Slot, values: u32) -> Option<Origin> {
        let writer = At { pc: self.writer(at, slot)?, ..at };
        match *self.operation(writer) {
            Op::Undef { variable: 0, .. } => None,
            Op::Undef { variable, .. } => {
                let name = &self.program.names[variable as usize - 1];
                Some(Origin::never_set(&format!("`{name}`"), None))
            }
            Op::Call { f, .. } => Some(self.result_of(f)),
            Op::CallSite { site, .. } => match self.program.calls[site as usize].callee {
                Target::Function(f) => Some(self.result_of(f)),
                Target::Slot(_) => None,
            },
            Op::Native { .. } => None,
            _ => match self.loaded_from(writer) {
                Some((address, bytes)) => self.origin_in_memory(address, bytes),
                None => self.origin_of_operands(writer, values),
            },
        }
    }

    fn result_of(&self, function: u32) -> Origin {
        let name = &self.program.functions[function as usize].name;
        Origin::never_set(&format!("the result of `{name}`"), None)
    }

    fn operation(&self, at: At) -> &Op {
        let function = self.thread.frames[at.depth].function;
        &self.program.functions[function as usize].code[at.pc as usize]
    }

    fn value_in(&self, depth: usize, slot: Slot) -> u64 {
        self.thread.slots[self.thread.frames[depth].base as usize + slot as usize]
    }

    fn is_undefined_in(&self, depth: usize, slot: Slot) -> bool {
        self.thread.undefined[self.thread.frames[depth].base as usize + slot as usize] != 0
    }

    /// The operation that wrote the slot last, if there is only one way back to it.
    fn writer(&self, at: At, slot: Slot) -> Option<u32> {
        let function = &self.program.functions[self.thread.frames[at.depth].function as usize];
        let mut before = vec![Vec::new(); function.code.len()];
        for pc in 0..function.code.len() as u32 {
            for next in successors(self.program, function, pc) {
                before[next as usize].push(pc);
            }
        }
        let mut pc = at.pc;
        for _ in 0..OPERATIONS {
            let [only] = before[pc as usize][..] else { return None };
            pc = only;
            let mut writes = false;
            for_each_operand(self.program, &function.code[pc as usize], &mut |s, write| writes |= write && s == slot);
            if writes {
                return Some(pc);
            }
        }
        None
    }

    /// Address and size of what a load reads, if its operands are still there.
    fn loaded_from(&self, at: At) -> Option<(Addr, u8)> {
        let get = |slot| self.value_in(at.depth, slot);
        let far = |off: i32| off as i64 as u64;
        macro_rules! loads {
            (
                binary { $($binary:tt)* }
                compare { $($compare:tt)* }
                memory { $($n:tt $ld:ident $ldg:ident $ldx:ident $ldgx:ident $st:ident $stg:ident $stx:ident $stgx:ident,)* }
            ) => {
                match *self.operation(at) {
                    $(
                        Op::$ld { a, off, .. } => Some((get(a).wrapping_add(far(off)), $n)),
                        Op::$ldg { p, .. } => Some((p, $n)),
                        Op::$ldx { a, b, scale, off, .. } => {
                            Some((get(a).wrapping_add(get(b).wrapping_mul(far(scale))).wrapping_add(far(off)), $n))
                        }
                        Op::$ldgx { scale, b, p, .. } => Some((p.wrapping_add(get(b).wrapping_mul(scale.into())), $n)),
                    )*
                    Op::LdN { n, a, off, .. } => Some((get(a).wrapping_add(far(off)), n)),
                    Op::Visible { site, .. } => match &self.program.visibles[site as usize] {
                        VisibleSite { detail: VisibleDetail::Access { bytes, offset, .. }, args, .. } => {
                            Some((get(args[0]).wrapping_add(far(*offset)), *bytes))
                        }
                        _ => None,
                    },
                    _ => None,
                }
            };
        }
        operation_groups!(loads)
    }

    /// Only if there is something there that was never set: the operands may be others by now.
    pub fn origin_in_memory(&self, address: Addr, bytes: u8) -> Option<Origin> {
        let never_set = self.memory.load_n(address, u32::from(bytes).min(8)).is_ok_and(|(_, undefined)| undefined != 0);
        let (start, object) = self.memory.object_at(address).filter(|_| never_set)?;
        let made_by_library =
            CodePos::unpack(object.allocated_at).is_some_and(|at| self.program.is_library(at.function));
        let offset = address - start;
        let name = match object.kind {
            ObjectKind::Heap if offset == 0 => "the value at the start of a heap object".into(),
            ObjectKind::Heap => format!("the value {} into a heap object", in_bytes(offset)),
            ObjectKind::Stack if !made_by_library => {
                let variable = self.program.allocas.get(object.detail as usize)?.name.as_deref()?;
                let path = path_in(&self.program.debug, local_type(self.program, object), offset, bytes.into());
                format!("`{variable}{path}`")
            }
            ObjectKind::Global => format!("`{}`", self.program.variable_at(address)?),
            _ => return None,
        };
        Some(Origin::never_set(&name, Some(address)))
    }
}
