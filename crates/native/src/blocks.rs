//! Atomic blocks: one step from their begin to their end, as on the virtual machine.

use threadbare_core::{Access, Accesses, Choice, Ending, FaultKind, Mode, Operation, Space, Step, Tid};

use crate::fault::Fault;
use crate::run::{Done, Run};

/// What orders blocks: no address of the program.
const ATOMIC_BLOCKS: u64 = 1;

type Result<T> = std::result::Result<T, Box<Fault>>;

impl Run {
    pub fn begin_block(&mut self, tid: Tid) -> Result<Done> {
        self.threads[tid.index()].atomic_depth += 1;
        if self.is_whole_block(tid, 1) {
            self.races.acquire(tid, (ATOMIC_BLOCKS, 0), false);
        }
        Ok(Done::Goes { result: 0, changes: true })
    }

    pub fn end_block(&mut self, tid: Tid) -> Result<Done> {
        let thread = &mut self.threads[tid.index()];
        thread.atomic_depth = thread.atomic_depth.saturating_sub(1);
        if self.is_whole_block(tid, 0) {
            self.races.release(tid, (ATOMIC_BLOCKS, 0), false);
        }
        Ok(Done::Goes { result: 0, changes: true })
    }

    /// The thread has just entered (depth 1) or left (depth 0) an atomic block of the program. The library's own order nothing.
    fn is_whole_block(&self, tid: Tid, depth: u16) -> bool {
        let thread = &self.threads[tid.index()];
        let pc = thread.fiber.pc;
        let of_program = || {
            let function = self.program.function_at(pc - 1).unwrap_or_default();
            ["tb_atomic_", "__VERIFIER_atomic_"].iter().any(|name| function.starts_with(name))
        };
        thread.atomic_depth == depth && (!self.program.image.is_library_code(pc) || of_program())
    }

    /// What follows in the block that a thread has entered, if it has.
    pub fn rest_of_block(&mut self, tid: Tid, mut step: Step) -> Step {
        while step != Step::Ended && self.threads[tid.index()].atomic_depth > 0 && self.is_live(tid) {
            step = match self.choice_inside_block(tid) {
                Ok(choice) => self.operate_and_go_on(tid, choice),
                Err(fault) => self.end(Ending::Error(fault)),
            };
            self.silent = false;
            step = if step == Step::Ended { step } else { Step::Done };
        }
        step
    }

    /// How an operation inside an atomic block goes on.
    fn choice_inside_block(&mut self, tid: Tid) -> Result<Choice> {
        let pending = self.pending_of(tid);
        let mut enabled = pending.choices.enabled();
        let refuse = |what: &str| {
            let message = format!("{} {what} inside an atomic block", pending.operation.name());
            Err(self.fault(tid, FaultKind::Unsupported, message))
        };
        let choice = match (enabled.next(), enabled.next()) {
            (Some(choice), None) => choice,
            (None, _) => return refuse("would have to wait"),
            (Some(_), Some(_)) => return refuse("leaves a choice"),
        };
        drop(enabled);
        if self.block_accesses.is_some() && pending.operation != Operation::AtomicBegin {
            let more = self.accesses_of(tid, choice);
            if let Some(list) = &mut self.block_accesses {
                for access in more {
                    if !list.contains(&access) {
                        list.push(access);
                    }
                }
            }
        }
        Ok(choice)
    }

    /// What an atomic block touches is known when it has been executed.
    pub fn accesses_of_block(&mut self, tid: Tid, choice: Choice) -> Accesses {
        let depth = self.path.len();
        self.block_accesses = Some(Accesses::new());
        self.step(tid, choice);
        let mut list = self.block_accesses.take().unwrap_or_default();
        // Blocks order each other, which races hang on.
        list.push(Access::object(Space::Hidden, Mode::Write, ATOMIC_BLOCKS));
        self.rewind(depth);
        self.settle();
        list
    }
}
