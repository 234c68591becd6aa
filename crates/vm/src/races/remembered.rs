//! What the detector remembers of accesses, for stories: which plain writes a step has made, and where.

use threadbare_core::{Mark, Tid};

use super::access::PLAIN_WRITE;
use crate::fault::CodePos;
use crate::machine::VmMachine;
use crate::memory::Addr;

/// A plain write of the program's own code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainWrite {
    pub address: Addr,
    pub bytes: u32,
    /// Innermost frame first.
    pub stack: Vec<CodePos>,
}

impl VmMachine {
    /// The plain writes to shared memory that a thread has made since a mark and that are still remembered; none while
    /// nobody looks for races.
    pub fn plain_writes_since(&mut self, who: Tid, mark: Mark) -> Vec<PlainWrite> {
        if !self.memory.races.is_active() {
            return Vec::new();
        }
        let mut writes: Vec<PlainWrite> = Vec::new();
        for word in self.memory.written_since(mark.0) {
            let mut accesses = self.memory.races.shadow.accesses_of(word);
            accesses.retain(|access| access.tid() == who && access.kind() == PLAIN_WRITE);
            for access in accesses {
                let stack = self.memory.races.stacks.positions(access.stack, access.pc);
                let (first, bytes) = (access.bytes().trailing_zeros(), access.bytes().count_ones());
                let write = PlainWrite { address: word + u64::from(first), bytes, stack };
                let own = write.stack.first().is_some_and(|at| !self.program.is_library(at.function));
                if own && !writes.contains(&write) {
                    writes.push(write);
                }
            }
        }
        writes
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
