//! Invariants, as on the virtual machine (vm/src/invariants.rs): functions of the program that are to hold in every state. After a
//! step that may have changed what one reads, its function is called on a stack of its own, that of a thread which is none.
//! It only looks: what it does besides, or what is written where nobody could come between, ends the search.

use std::ops::Range;

use threadbare_core::{Accesses, Choice, Ending, FaultKind, Operation, Space, Step, Tid};
use threadbare_vm::{Sight, written};

use crate::fault::Fault;
use crate::image;
use crate::observed::Invariant;
use crate::run::Run;
use crate::signals;
use crate::world::{BY_LIBRARY, Fiber, FiberAt, LOG, Stop, WRITES};

/// So much of its stack is as new for every evaluation.
const DEEP: u64 = 64 << 10;

/// What is known of a step before it is taken.
#[derive(Default)]
pub struct Watch {
    /// What its operation writes, which of that a plain store has written, and whether some invariant may look at it.
    writes: Vec<Range<u64>>,
    stored: Vec<Range<u64>>,
    changes: bool,
    /// Where it is.
    stack: Vec<u64>,
    /// The first step: whatever holds in the end has to hold in the beginning.
    first: bool,
    /// Where the next block of the thread's heap will be.
    heap: u64,
    /// Something was written there, by no operation, and this invariant may look at it.
    unseen: Option<(usize, u64)>,
}

impl Run {
    /// Before a step. Nobody asks again where a path is taken again: what did not hold would have ended it.
    pub fn watch(&mut self, tid: Tid, choice: Choice) {
        let in_block = self.threads[tid.index()].atomic_depth > 0;
        if !in_block {
            self.watched = None;
        }
        if self.program.invariants.is_empty() || self.executed < self.path.len() && !self.setup.go_on {
            return;
        }
        let operation = self.threads[tid.index()].fiber.operation();
        // What a block touches is found out by taking this step; its operations tell in their turns.
        let accesses = match operation {
            Operation::AtomicBegin => Accesses::new(),
            _ => self.accesses_of(tid, choice),
        };
        // A block is one step: nobody looks in between.
        if let Some(watch) = self.watched.as_mut() {
            watch.writes.extend(written(&accesses));
            watch.stored.clear();
            watch.changes |= accesses.iter().any(|access| access.space == Space::Property);
            return;
        }
        self.watched = Some(Watch {
            writes: written(&accesses),
            changes: accesses.iter().any(|access| access.space == Space::Property),
            stack: self.own_stack(tid),
            first: operation == Operation::Start && tid == Tid::MAIN,
            heap: self.threads[tid.index()].fiber.heap,
            ..Watch::default()
        });
    }

    /// The plain writes of its local code: the store that was announced, once, and such as nobody looks at.
    pub fn watch_writes(&mut self, tid: Tid) {
        let Some(mut watch) = self.watched.take() else { return };
        // SAFETY: nobody runs.
        let world = unsafe { &*self.program.world };
        for entry in world.log[..world.logged as usize].iter().filter(|entry| entry.flags & WRITES != 0) {
            let bytes = entry.address..entry.address.saturating_add(entry.size.into());
            let own = watch.writes.iter().any(|range| range.start <= bytes.start && bytes.end <= range.end);
            for (i, invariant) in self.program.invariants.iter().enumerate() {
                let hidden = matches!(invariant.sight, Sight::Everything)
                    && self.is_out_of_sight(tid, entry.address, entry.flags & BY_LIBRARY != 0, watch.heap);
                if hidden || !invariant.sight.sees(&bytes) || own && !watch.stored.contains(&bytes) {
                    continue;
                }
                watch.unseen.get_or_insert((i, entry.address));
            }
            if own {
                watch.stored.push(bytes);
            }
        }
        self.watched = Some(watch);
    }

    /// Memory to which no pointer of the program leads: what this step has made, variables whose address stays in their
    /// thread, and what belongs to the library.
    fn is_out_of_sight(&self, tid: Tid, address: u64, by_library: bool, heap: u64) -> bool {
        let is_new = image::thread_of_heap(address) == Some(tid.index()) && address >= heap;
        is_new || by_library && self.program.image.is_library_variable(address) || self.is_own_variable(tid, address)
    }

    /// After a step that went well: evaluates the invariants that look at something it may have changed.
    pub fn check_invariants(&mut self, tid: Tid) -> Option<Step> {
        if self.threads[tid.index()].atomic_depth > 0 {
            return None;
        }
        let watch = self.watched.take()?;
        let program = self.program.clone();
        if let Some((i, address)) = watch.unseen {
            let message = format!(
                "after this, {} is written by a library function, and the invariant `{}` may look at it: what library functions \
                 write is not interleaved",
                self.name_of(address),
                program.invariants[i].name
            );
            let mut fault = self.fault(tid, FaultKind::Unsupported, message);
            if !watch.stack.is_empty() {
                fault.stack = watch.stack;
            }
            return Some(self.end(Ending::Error(fault)));
        }
        if !watch.changes && !watch.first {
            return None;
        }
        for invariant in &program.invariants {
            let fault = match self.evaluate(tid, invariant) {
                Ok(0) => self.broken(tid, invariant, &watch),
                Ok(_) => continue,
                Err(fault) => fault,
            };
            if !self.setup.go_on || fault.kind != FaultKind::Invariant {
                return Some(self.end(Ending::Error(fault)));
            }
            // It stays broken for a while.
            if !self.noted.iter().any(|noted| noted.kind == fault.kind && noted.message == fault.message) {
                self.noted.push(*fault);
            }
        }
        None
    }

    fn broken(&self, tid: Tid, invariant: &Invariant, watch: &Watch) -> Box<Fault> {
        let start = if watch.first { " when the program starts" } else { "" };
        let message = format!("invariant `{}` does not hold{start}", invariant.name);
        let mut fault = self.fault(tid, FaultKind::Invariant, message);
        fault.stack = match watch.stack.as_slice() {
            stack if !watch.first && !stack.is_empty() => stack.to_vec(),
            _ => vec![invariant.address + 1],
        };
        fault
    }

    /// What its function gives.
    fn evaluate(&mut self, tid: Tid, invariant: &Invariant) -> Result<u64, Box<Fault>> {
        let mut evaluator = self.program.evaluator();
        let number = image::EVALUATOR;
        let lowest = image::stack_of(number).1 - DEEP;
        image::reset(&mut evaluator, number, lowest);
        (evaluator.start, evaluator.parameters) = (self.program.image.entrances.evaluate, [invariant.address, 0, 0]);
        // SAFETY: a fresh stack; nobody else runs.
        unsafe {
            (self.program.image.entrances.prepare)(&mut *evaluator);
            let world = self.program.world;
            ((*world).every_access, (*world).logging, (*world).most) = (0, 1, LOG as u64);
        }
        // Whatever goes wrong is told of the thread whose step it was, where the function stands.
        let own: FiberAt = std::mem::replace(&mut self.threads[tid.index()].fiber, evaluator);
        let result = self.look(tid, invariant);
        let evaluator = std::mem::replace(&mut self.threads[tid.index()].fiber, own);
        image::forget(&evaluator, number, lowest);
        let words = format!("the invariant `{}`", invariant.name);
        result.map_err(|mut fault| {
            fault.message = match fault.kind {
                FaultKind::Unsupported => format!("{words} may only look: {}", fault.message),
                _ => format!("{}, when {words} is evaluated", fault.message),
            };
            fault
        })
    }

    fn look(&mut self, tid: Tid, invariant: &Invariant) -> Result<u64, Box<Fault>> {
        let (mask, printed) = (if invariant.is_bool { 0xff } else { 0xffff_ffff }, crate::printed());
        let refuse = |run: &Run, what: String| Err(run.fault(tid, FaultKind::Unsupported, what));
        signals::look_after(self.stop_when);
        loop {
            let fiber: *mut Fiber = &mut *self.threads[tid.index()].fiber;
            // SAFETY: the fiber stands where it can go on.
            unsafe { (self.program.image.entrances.resume)(fiber) };
            let fiber = &self.threads[tid.index()].fiber;
            // SAFETY: nobody runs now.
            let world = unsafe { &mut *self.program.world };
            let count = std::mem::take(&mut world.logged) as usize;
            let is_own = |address: u64| image::is_evaluators(address);
            let bad = fiber.stop == Stop::BadAccess;
            let mut entries = world.log[..count].iter();
            if let Some(write) = entries.rfind(|entry| entry.flags & WRITES != 0 && !is_own(entry.address))
                && !bad
            {
                let mut fault = self.fault(tid, FaultKind::Unsupported, "it changes memory".into());
                fault.stack = vec![write.pc];
                return Err(fault);
            }
            match fiber.stop {
                Stop::Drain => {}
                // As it is.
                Stop::Visible if fiber.operation() == Operation::Load => {}
                Stop::Visible => {
                    let name = fiber.operation().name();
                    return refuse(self, format!("it does something that other threads can see ({name})"));
                }
                Stop::Function => self.look_at_function(tid)?,
                Stop::Call => self.look_at_call(tid)?,
                Stop::Jump => self.look_at_jump(tid)?,
                Stop::Cut => return refuse(self, "it assumes something".into()),
                Stop::Value if crate::printed() != printed => return refuse(self, "it prints".into()),
                Stop::Value if fiber.last_block != 0 => return refuse(self, "it allocates memory".into()),
                Stop::Value => return Ok(fiber.arguments[0] & mask),
                _ => return Err(self.fault_of_stop(tid)),
            }
        }
    }
}
