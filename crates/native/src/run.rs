//! One execution of the program: its threads, what they have done, and how far.
//!
//! There is no way back but to the start, or to a copy on the way (checkpoints.rs): the program's memory is restored as it
//! was then, and the rest of the path is taken again. That is put off until somebody looks.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use threadbare_core::{Accesses, Along, Choice, Ending, FaultKind, Operation, Reads, Step, ThreadNames, Tid, Trust};

use crate::Program;
use crate::checkpoints::{Checkpoints, ticks};
use crate::comebacks::{Comebacks, Stood};
use crate::fault::Fault;
use crate::faults::MOST_FAILURES;
use crate::held::Held;
use crate::image::{self, MOST_THREADS};
use crate::invariants::Watch;
use crate::order::Races;
use crate::signals;
use crate::told::Look;
use crate::world::{BY_LIBRARY, Fiber, FiberAt, LOG, Stop, WRITES};

/// How a machine is set up besides its program.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    pub arguments: Vec<String>,
    /// How often a wait of a thread on condition variables may end by itself.
    pub spurious: u8,
    /// How often a look at the clock may find that a day has passed, for each thread.
    pub clock_jumps: u8,
    /// What the program reads as its standard input.
    pub input: Vec<u8>,
    /// Memory that is lost at the end is an error.
    pub leaks: bool,
    /// An error does not end the execution: see faults.rs.
    pub go_on: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Ready,
    Ended,
    Cut,
    /// Stopped by its own error.
    Failed,
}

pub struct Thread {
    pub fiber: FiberAt,
    pub exists: bool,
    pub status: Status,
    pub result: u64,
    pub joined: bool,
    pub detached: bool,
    /// The condition variable in which it waits, and whether it was woken.
    pub waiting: u64,
    pub woken: bool,
    /// Woken when there was nobody to be woken in its place, or with all: a cancellation may still come first.
    pub woken_alone: bool,
    /// Of the barrier at which it waits.
    pub generation: u32,
    pub spurious: u8,
    pub clock_jumps: u8,
    /// Somebody has cancelled it.
    pub cancel_pending: bool,
    /// How many atomic blocks it is in.
    pub atomic_depth: u16,
    pub children: u16,
    /// How far down its stack was seen in use.
    pub lowest: u64,
    /// Where it has stood since it last had an effect.
    pub stood: Vec<Stood>,
    /// What its next local code does to the library's own variables is guarded by a lock of the library.
    pub hidden: bool,
    /// The frames of its functions, as they were when it last stood still.
    pub frames: Vec<(u64, u64)>,
}

impl Clone for Thread {
    fn clone(&self) -> Thread {
        Thread { stood: self.stood.clone(), frames: self.frames.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Thread) {
        let (mut stood, mut frames) = (std::mem::take(&mut self.stood), std::mem::take(&mut self.frames));
        stood.clone_from(&other.stood);
        frames.clone_from(&other.frames);
        *self = Thread { stood, frames, ..*other };
    }
}

/// A step that was taken, and where it led, to see whether it leads there again.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Taken {
    pub tid: Tid,
    pub choice: Choice,
    stop: Stop,
    operation: u64,
    pc: u64,
}

pub struct Run {
    pub program: Arc<Program>,
    pub setup: Setup,
    pub threads: Vec<Thread>,
    pub names: ThreadNames,
    pub ordered_barriers: bool,
    /// Virtual time: nanoseconds since the start.
    pub clock: u64,
    /// The steps that lead to where the machine is, and how many of them the program in this process has taken.
    pub path: Vec<Taken>,
    pub executed: usize,
    /// Starts, ends and joins of threads are done along with steps (along.rs): those of the last step, and who is to be looked at.
    pub merges: bool,
    pub along: Vec<Along>,
    pub unsettled: Vec<Tid>,
    /// How many steps there were, counting those done along with others, and whether they all are steps to death.
    pub taken: usize,
    pub fatal_so_far: bool,
    pub comebacks: Comebacks,
    /// Local variables, in words, that are no part of a local state: others touch them.
    pub shared_locals: FxHashSet<u64>,
    /// What lies where the operation of this step stores something.
    pub stored: Option<(u64, SmallVec<[u8; 16]>)>,
    pub held: Held,
    pub races: Races,
    pub ending: Option<Ending<Box<Fault>>>,
    /// The errors of the execution that did not end it.
    pub noted: Vec<Fault>,
    /// The length of the path there.
    ended_at: usize,
    /// It has learned of a place where threads may wait.
    pub learned: bool,
    /// Somebody has compared and exchanged with a pointer to freed memory, in this execution or another.
    pub stale_pointers: bool,
    /// See `NativeMachine::has_looked_in_vain`.
    pub looked_in_vain: bool,
    /// The last step: whether it had an effect, and whether its local code looked at plain memory.
    pub silent: bool,
    pub looked: bool,
    /// The plain reads of a step that is tried out, on which searches may come to rely.
    pub tried: Option<Reads>,
    pub stop_when: Option<fn() -> bool>,
    pub checkpoints: Checkpoints,
    /// What the atomic block touches that is tried out.
    pub block_accesses: Option<Accesses>,
    /// The plain accesses of the step, if somebody has asked for them.
    pub told: Option<Vec<Look>>,
    /// What invariants want to know of the step.
    pub watched: Option<Watch>,
    number: u64,
}

impl Drop for Run {
    fn drop(&mut self) {
        for thread in &self.threads {
            // SAFETY: the run has made it, and so have copies, which go now as well.
            unsafe { thread.fiber.free() };
        }
    }
}

impl Thread {
    pub fn can_cancel(&self) -> bool {
        self.cancel_pending && self.fiber.cancel_disabled == 0
    }
}

impl Run {
    pub fn new(program: Arc<Program>, setup: Setup) -> Run {
        let (number, waiting) = (program.new_machine(), program.waiting_places());
        let races = Races::relying_on(program.relied());
        Run {
            comebacks: Comebacks::new(waiting),
            shared_locals: program.shared_locals(),
            program,
            setup,
            threads: Vec::new(),
            names: ThreadNames::default(),
            ordered_barriers: false,
            clock: 0,
            path: Vec::new(),
            executed: 0,
            merges: false,
            along: Vec::new(),
            unsettled: Vec::new(),
            taken: 0,
            fatal_so_far: true,
            stored: None,
            held: Held::default(),
            races,
            ending: None,
            noted: Vec::new(),
            ended_at: 0,
            learned: false,
            stale_pointers: false,
            looked_in_vain: false,
            silent: false,
            looked: false,
            tried: None,
            stop_when: None,
            checkpoints: Checkpoints::default(),
            block_accesses: None,
            told: None,
            watched: None,
            number,
        }
    }

    /// Brings the program in this process to where the machine is.
    #[inline]
    pub fn settle(&mut self) {
        if self.executed != self.path.len() || !self.program.is_current(self.number) {
            self.take_path();
        }
    }

    #[inline(never)]
    fn take_path(&mut self) {
        if !self.program.is_current(self.number) {
            self.checkpoints.clear();
            self.begin();
        } else if self.executed > self.path.len() && !self.restore_copy() {
            self.begin();
        }
        let mut before = ticks();
        while self.executed < self.path.len() {
            let expected = self.path[self.executed];
            self.execute(expected.tid, expected.choice);
            let (is, was) = (self.stands(expected.tid), (expected.stop, expected.operation, expected.pc));
            if is != was {
                self.diverged(expected.tid);
                return;
            }
            let now = ticks();
            self.checkpoints.worked(now - before);
            before = now;
            if self.keep_if_worth() {
                before = ticks();
            }
        }
    }

    /// What the schedule cannot decide is not for this machine.
    fn diverged(&mut self, tid: Tid) {
        let step = self.executed;
        self.path.truncate(step);
        let message = format!(
            "step {step} of a schedule led elsewhere when it was taken again: the program hangs on something that the native backend \
             does not control, like memory that was never set"
        );
        let fault = self.fault(tid, FaultKind::Unsupported, message);
        self.end(Ending::Error(fault));
    }

    fn stands(&self, tid: Tid) -> (Stop, u64, u64) {
        let fiber = &self.threads[tid.index()].fiber;
        (fiber.stop, fiber.operation, fiber.pc)
    }

    /// The start of the program.
    fn begin(&mut self) {
        if !self.program.is_current(self.number) {
            self.program.forget();
        }
        self.program.take(self.number);
        self.program.image.restore();
        for (number, thread) in self.threads.iter_mut().enumerate().filter(|(_, thread)| thread.exists) {
            image::forget(&thread.fiber, number, thread.lowest);
            thread.exists = false;
        }
        self.held.clear();
        self.races.clear();
        self.noted.clear();
        self.program.clear_output();
        (self.executed, self.taken, self.clock) = (0, 0, 0);
        self.fatal_so_far = true;
        self.ending = None;
        // SAFETY: nobody runs; the input stays as long as the machine.
        unsafe {
            let world = self.program.world;
            (*world).input = self.setup.input.as_ptr();
            ((*world).input_length, (*world).input_taken) = (self.setup.input.len() as u64, 0);
        }
        let start = self.program.image.entrances.start;
        let parameters = self.program.arguments(&self.setup.arguments);
        self.add_thread(Tid::MAIN, start, parameters).expect("there was room when we looked");
    }

    /// A thread before its first step.
    fn add_thread(&mut self, tid: Tid, start: u64, parameters: [u64; 3]) -> Result<(), String> {
        while self.threads.len() <= tid.index() {
            let number = self.threads.len();
            self.program.map_thread(number)?;
            self.threads.push(Thread {
                fiber: FiberAt::new(),
                exists: false,
                status: Status::Ended,
                result: 0,
                joined: false,
                detached: false,
                waiting: 0,
                woken: false,
                woken_alone: false,
                generation: 0,
                spurious: 0,
                clock_jumps: 0,
                cancel_pending: false,
                atomic_depth: 0,
                children: 0,
                lowest: image::open_from(number),
                stood: Vec::new(),
                hidden: false,
                frames: Vec::new(),
            });
        }
        let thread = &mut self.threads[tid.index()];
        image::reset(&mut thread.fiber, tid.index(), thread.lowest);
        (thread.fiber.start, thread.fiber.parameters) = (start, parameters);
        // SAFETY: a fresh stack.
        unsafe { (self.program.image.entrances.prepare)(&mut *thread.fiber) };
        (thread.exists, thread.status) = (true, Status::Ready);
        (thread.result, thread.joined, thread.detached) = (0, false, false);
        (thread.waiting, thread.woken, thread.generation, thread.spurious) = (0, false, 0, 0);
        thread.woken_alone = false;
        (thread.children, thread.hidden, thread.atomic_depth) = (0, false, 0);
        (thread.clock_jumps, thread.cancel_pending, thread.fiber.cancel_disabled) = (0, false, 0);
        thread.stood.clear();
        thread.frames.clear();
        Ok(())
    }

    pub fn create_thread(&mut self, parent: Tid, start: u64, argument: u64, detached: bool) -> Result<Tid, String> {
        let k = self.threads[parent.index()].children;
        let known = self.names.len();
        let child = self.names.child(parent, k).filter(|tid| tid.index() < MOST_THREADS);
        let child = child.ok_or_else(|| format!("more than {MOST_THREADS} threads, those that have ended included"))?;
        if child.index() == known {
            self.program.note_thread(child, parent);
        }
        self.threads[parent.index()].children += 1;
        self.add_thread(child, start, [argument, 0, 0])?;
        self.threads[child.index()].detached = detached;
        self.races.create(parent, child);
        self.unsettled.push(child);
        Ok(child)
    }

    pub fn is_live(&self, tid: Tid) -> bool {
        self.threads.get(tid.index()).is_some_and(|thread| thread.exists && thread.status == Status::Ready)
    }

    pub fn is_last(&self, tid: Tid) -> bool {
        (0..self.threads.len()).all(|i| i == tid.index() || !self.is_live(Tid(i as u16)))
    }

    pub fn end(&mut self, ending: Ending<Box<Fault>>) -> Step {
        self.ending = Some(ending);
        self.ended_at = self.path.len();
        Step::Ended
    }

    pub fn rewind(&mut self, depth: usize) {
        if depth < self.path.len() {
            self.path.truncate(depth);
            self.checkpoints.shorten(depth);
        }
        if depth < self.ended_at {
            self.ending = None;
        }
    }

    /// A step, new on the path.
    pub fn step(&mut self, tid: Tid, choice: Choice) -> Step {
        self.settle();
        if self.ending.is_some() {
            return Step::Ended;
        }
        self.path.push(Taken { tid, choice, stop: Stop::Visible, operation: 0, pc: 0 });
        let step = self.execute(tid, choice);
        let (stop, operation, pc) = self.stands(tid);
        *self.path.last_mut().expect("just added") = Taken { tid, choice, stop, operation, pc };
        step
    }

    /// A step of the path: that of its thread, and what is done along with it.
    fn execute(&mut self, tid: Tid, choice: Choice) -> Step {
        self.executed += 1;
        self.along.clear();
        self.unsettled.clear();
        let step = self.own_step(tid, choice);
        let step = self.past_idle(tid, step);
        let step = self.rest_of_block(tid, step);
        if self.merges && step != Step::Ended { self.settle_others(tid, step) } else { step }
    }

    /// The visible operation of a thread, then its local code.
    pub fn own_step(&mut self, tid: Tid, choice: Choice) -> Step {
        self.fatal_so_far &= self.program.is_fatal(self.taken, tid, choice);
        self.taken += 1;
        self.program.note_step(self.taken, tid, choice);
        if self.fatal_so_far && self.program.kills_with(self.taken) {
            let message =
                "the process that runs the program dies here, each time: it destroys what is not its own".into();
            let fault = self.fault(tid, FaultKind::Crash, message);
            return self.end(Ending::Error(fault));
        }
        self.operate_and_go_on(tid, choice)
    }

    /// The same where nobody need know.
    pub fn operate_and_go_on(&mut self, tid: Tid, choice: Choice) -> Step {
        let operation = self.threads[tid.index()].fiber.operation();
        let effects = self.may_return_to_foreign_code(tid).into();
        let fiber = &mut self.threads[tid.index()].fiber;
        (fiber.effects, fiber.written) = (effects, 0);
        self.looked = false;
        self.stored = None;
        self.watch(tid, choice);
        let mut changes = match operation {
            Operation::Start => true,
            _ => match self.operate(tid, choice) {
                Ok(Done::Goes { result, changes }) => {
                    self.threads[tid.index()].fiber.result = result;
                    changes
                }
                Ok(Done::Ended) => {
                    self.silent = false;
                    return Step::Done;
                }
                Ok(Done::Exit(code)) => {
                    let leak = if self.setup.leaks { self.find_leak() } else { None };
                    return self.end(leak.map_or(Ending::Exit(code), Ending::Error));
                }
                Err(fault) => return self.fail(tid, fault),
            },
        };
        self.threads[tid.index()].hidden = operation == Operation::HiddenState;
        let stopped = self.go_on(tid);
        // Nobody else has run, and what its local code writes besides is an effect by itself.
        if let Some((address, before)) = self.stored.take() {
            changes = self.bytes(address, before.len()) != before;
        }
        self.silent = !changes && !self.threads[tid.index()].fiber.had_effects();
        match stopped {
            Ok(()) => {
                self.note_place(tid);
                if let Some(ended) = self.check_invariants(tid) {
                    return ended;
                }
                if self.silent { Step::Silent } else { Step::Done }
            }
            Err(fault) => self.fail(tid, fault),
        }
    }

    /// Whether functions are on the stack of which nobody sees what they do: some word of it may be where they go on.
    pub fn may_return_to_foreign_code(&self, tid: Tid) -> bool {
        let image = &self.program.image;
        image.has_foreign_code() && {
            let fiber = &self.threads[tid.index()].fiber;
            let words = (fiber.sp..fiber.stack_high).step_by(8);
            // SAFETY: the stack of a fiber that stands still, in whole words.
            words.into_iter().any(|at| image.is_foreign_code(unsafe { *(at as *const u64) }))
        }
    }

    /// Local code up to the next visible operation.
    fn go_on(&mut self, tid: Tid) -> Result<(), Box<Fault>> {
        let world = self.program.world;
        // SAFETY: one machine at a time runs the one program of the process.
        unsafe {
            (*world).every_access = self.program.every_access.into();
            (*world).logging = (self.races.active || self.watched.is_some()).into();
            (*world).most = if self.told.is_some() { 1 } else { LOG as u64 };
            (*world).steps += 1;
        }
        signals::look_after(self.stop_when);
        let mut failures = 0;
        loop {
            let fiber: *mut Fiber = &mut *self.threads[tid.index()].fiber;
            // SAFETY: the fiber stands where it can go on.
            unsafe { (self.program.image.entrances.resume)(fiber) };
            let thread = &mut self.threads[tid.index()];
            let seen = thread.fiber.sp.max(thread.fiber.stack_low).min(image::open_from(tid.index()));
            thread.lowest = thread.lowest.min(seen);
            if self.told.is_some() {
                self.tell(tid);
            }
            self.watch_writes(tid);
            self.look_for_races(tid)?;
            self.end_frames_of(tid)?;
            let fiber = &self.threads[tid.index()].fiber;
            match fiber.stop {
                Stop::Visible => return Ok(()),
                Stop::Drain => {}
                Stop::Function => self.look_at_function(tid)?,
                Stop::Call => self.look_at_call(tid)?,
                Stop::Jump => self.look_at_jump(tid)?,
                Stop::Cut => {
                    self.threads[tid.index()].status = Status::Cut;
                    return Ok(());
                }
                // A failed assertion that can be passed.
                Stop::Assert if self.setup.go_on && fiber.arguments[1] == 0 && failures < MOST_FAILURES => {
                    failures += 1;
                    let fault = self.fault_of_stop(tid);
                    self.note_once(fault);
                }
                _ => return Err(self.fault_of_stop(tid)),
            }
        }
    }

    /// The plain accesses of the local code.
    fn look_for_races(&mut self, tid: Tid) -> Result<(), Box<Fault>> {
        use crate::races::Kind::{PlainRead, PlainWrite};
        // SAFETY: see `go_on`.
        let world = unsafe { &mut *self.program.world };
        let count = std::mem::take(&mut world.logged) as usize;
        // An access that may not be is no race: it was announced before it was looked at.
        let fiber = &self.threads[tid.index()].fiber;
        let bad = (fiber.stop == Stop::BadAccess).then_some(fiber.arguments[0]);
        let count = count - world.log[..count].iter().rev().take_while(|entry| Some(entry.address) == bad).count();
        let mut found_races = Vec::new();
        for entry in &world.log[..count] {
            let by_library = entry.flags & BY_LIBRARY != 0;
            let hidden = self.threads[tid.index()].hidden && by_library;
            if hidden && self.program.image.is_library_variable(entry.address) {
                continue;
            }
            let kind = if entry.flags & WRITES != 0 { PlainWrite } else { PlainRead };
            if kind == PlainWrite && self.is_seen_in_stacks(tid, entry.address, entry.size.into()) {
                self.threads[tid.index()].fiber.effects = 1;
            }
            if self.races.says(tid, entry.address, entry.size, kind) {
                continue;
            }
            match &mut self.tried {
                Some(tried) if kind == PlainRead => {
                    match self.races.relied.trust(tid, entry.address, entry.size.into()) {
                        Trust::Yes => {}
                        Trust::Unknown => tried.push((entry.address, entry.size.into())),
                        Trust::No => self.looked = true,
                    }
                }
                _ => self.looked = true,
            }
            if let Some(found) = self.races.access(tid, entry.address, entry.size.into(), kind, entry.pc) {
                found_races.push((found, kind, entry.pc));
                if !self.setup.go_on {
                    break;
                }
            }
        }
        found_races.into_iter().try_for_each(|(found, kind, pc)| self.met_race(tid, kind, pc, found))
    }
}

/// What an operation has come to.
pub enum Done {
    Goes { result: u64, changes: bool },
    Ended,
    Exit(i32),
}
