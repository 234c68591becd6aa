//! What the detector knows of accesses, for stories: which plain ones a step has made, where, and with which values.

use threadbare_core::Tid;

use super::access::{Access, PLAIN_READ, PLAIN_WRITE};
use crate::fault::CodePos;
use crate::interp::Cpu;
use crate::machine::VmMachine;
use crate::memory::{Addr, OFFSET_BITS, ObjectKind};

/// A plain access of the program's own code, or a write that a library function makes for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainAccess {
    pub address: Addr,
    pub bytes: u32,
    pub writes: bool,
    /// What was there after it, and which bits of that were never set; where it has that few bytes.
    pub value: Option<(u64, u64)>,
    /// Innermost frame first.
    pub stack: Vec<CodePos>,
}

/// The same before anybody asks.
pub struct Told {
    word: Addr,
    access: Access,
    value: Option<(u64, u64)>,
}

impl Cpu<'_> {
    #[cold]
    pub(super) fn tell(&mut self, word: Addr, access: Access) {
        if access.kind() & PLAIN_READ != 0 {
            let (first, bytes) = (access.bytes().trailing_zeros(), access.bytes().count_ones());
            let value = self.memory.load_n(word + u64::from(first), bytes).ok();
            self.memory.races.told.get_or_insert_default().push(Told { word, access, value });
        }
    }
}

impl VmMachine {
    /// From now on plain accesses to shared memory are remembered one by one.
    pub fn tell_plain_accesses(&mut self) {
        self.memory.races.told = Some(Vec::new());
    }

    /// The plain accesses to shared memory since this was last asked, in their order, without those that say nothing new:
    /// where a thread does the same again and nobody has come between. None while nobody looks for races.
    pub fn told_accesses(&mut self) -> Vec<PlainAccess> {
        let told = self.memory.races.told.as_mut().map(std::mem::take).unwrap_or_default();
        let stacks = &self.memory.races.stacks;
        let all = told.into_iter().map(|Told { word, access, value }| PlainAccess {
            address: word + u64::from(access.bytes().trailing_zeros()),
            bytes: access.bytes().count_ones(),
            writes: access.kind() == PLAIN_WRITE,
            value,
            stack: stacks.positions(access.stack, access.pc),
        });
        let is_own = |at: &CodePos| !self.program.is_library(at.function);
        // What the library keeps for itself is no business of the program's: its variables, and what it has just allocated.
        let for_the_program = |access: &PlainAccess| {
            let Some(caller) = access.stack.iter().copied().find(is_own).filter(|_| access.writes) else {
                return false;
            };
            let Some((_, object)) = self.memory.object_at(access.address) else { return false };
            let line = |at: CodePos| self.program.source_of(at).swap_remove(0);
            let made_by_itself = |at: CodePos| self.program.is_library(at.function) || line(at) == line(caller);
            let thread_local = self.program.thread_locals.get(object.detail as usize);
            !match object.kind {
                ObjectKind::ThreadLocal => thread_local.is_none_or(|variable| variable.library),
                ObjectKind::Global => self.memory.races.library.contains(&(access.address >> OFFSET_BITS)),
                _ => CodePos::unpack(object.allocated_at).is_some_and(made_by_itself),
            }
        };
        all.filter(|access| access.stack.first().is_some_and(is_own) || for_the_program(access)).collect()
    }

    /// Whether it is remembered that a thread accessed a byte there.
    pub fn remembers_access(&mut self, who: Tid, address: Addr, stack: &[CodePos]) -> bool {
        let (word, byte) = (address & !7, address & 7);
        self.memory.races.is_active()
            && self.memory.races.shadow.accesses_of(word).into_iter().any(|access| {
                access.tid() == who
                    && access.bytes() >> byte & 1 == 1
                    && self.memory.races.stacks.positions(access.stack, access.pc) == stack
            })
    }
}
