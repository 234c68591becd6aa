//! The machine: memory, threads and the little outside world of one program, advancing one visible operation at a time.

mod ends;
mod hashes;
mod start;
mod step;

use std::cell::RefCell;
use std::sync::Arc;

use smallvec::SmallVec;
use threadbare_core::{
    Access, AccessSet, Accesses, Along, Choice, Due, Ending, Fingerprint, Hash128, Machine, Mark, Operation, Outcomes,
    Pending, Space, Step, ThreadNames, Tid, Trial,
};

use self::hashes::ThreadHashes;
use crate::bytecode::{Op, Program, VisibleSite};
use crate::diagnose::BETWEEN_QUESTIONS;
use crate::fault::Fault;
use crate::interp::Cpu;
use crate::known::{Known, Shortcut, UNKNOWN};
use crate::may_access::Stacks;
use crate::memory::{Addr, Memory, OUTSIDE, SavedMemory};
use crate::races::{Existing, Lesson, Races};
use crate::system::{Console, System};
use crate::thread::{Control, Frame, Status, Thread};
use crate::visible::{handle_of, tid_of};

pub use crate::system::SystemState;

pub(crate) const LOG_FRAME: u64 = OUTSIDE;
pub(crate) const LOG_CONTROL: u64 = OUTSIDE + 1;
pub(crate) const LOG_SYSTEM: u64 = OUTSIDE + 2;
const LOG_CREATED: u64 = OUTSIDE + 3;
pub(crate) const LOG_NOTED: u64 = OUTSIDE + 4;
/// The number of the local state in which a thread was.
pub(crate) const LOG_AT: u64 = OUTSIDE + 5;
/// A thread has ended: its result before that. It has been joined.
const LOG_ENDED: u64 = OUTSIDE + 6;
const LOG_JOINED: u64 = OUTSIDE + 7;

/// The value of bytes that were never set, or are gone.
const UNDEFINED: u128 = u128::MAX;

/// What a program may use before the machine stops it.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Jumps and calls between two visible operations.
    pub local_steps: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Nested calls of one thread.
    pub stack_frames: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { local_steps: 300_000_000, memory: 2 << 30, stack_frames: 100_000 }
    }
}

/// How a machine is set up besides its program.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    pub limits: Limits,
    pub arguments: Vec<String>,
    /// `NAME=value` each.
    pub environment: Vec<String>,
    /// Keep a fingerprint of the state.
    pub fingerprints: bool,
    /// What is ordered belongs to it, as far as it still matters to data races.
    pub order_in_state: bool,
    /// Report heap objects that nothing points to any more when the process ends.
    pub leaks: bool,
    /// How often a wait of a thread on condition variables may end by itself.
    pub spurious: u8,
    /// How often a look of a thread at the clock may find that a day has passed. In a search time stands still otherwise,
    /// unless a thread sleeps; without a number every look takes a microsecond, and a scheduler lets it pass (`pass_time`).
    pub clock_jumps: Option<u8>,
    /// Do what nobody can notice (a yield, a fence, a sleep while nobody looks at the time) with the step before it.
    pub merge_idle: bool,
    /// Do starts, ends and joins of threads with the step that makes them possible, where nothing races with them.
    pub merge_threads: bool,
    /// But a join is a step of its own even then.
    pub join_steps: bool,
    /// Learn what local code does, and do it by heart the next time (see `known`).
    pub by_heart: bool,
    /// An error does not end the execution: it is noted, and its thread stops, or goes on after a failed assertion or a
    /// data race.
    pub go_on: bool,
    /// Every access of the program is a visible operation, and its races are no errors; one with an access of a library
    /// function means that the program cannot be explored that way.
    pub races_of_library: bool,
    /// Report data races.
    pub races: bool,
    /// Rather than races, find out whether there is plain data that two threads share (`shares_plain_data`).
    pub by_sharing: bool,
    /// Objects that are made while the program runs hold zeros, and count as written.
    pub zeroed: bool,
    /// Stored states do not tell threads apart (see `symmetry`).
    pub symmetry: bool,
}

pub struct VmMachine {
    pub(crate) program: Arc<Program>,
    pub(crate) memory: Memory,
    /// By number; a thread that has not been created yet does not exist.
    pub(crate) threads: Vec<Thread>,
    pub(crate) exists: Vec<bool>,
    /// How many of them are live.
    live: u32,
    pub(crate) names: ThreadNames,
    pub(crate) system: System,
    pub(crate) limits: Limits,
    /// See `stop_when`.
    pub(crate) stop: Option<fn() -> bool>,
    leaks: bool,
    pub(crate) spurious: u8,
    pub(crate) clock_jumps: Option<u8>,
    pub(crate) looked_in_vain: bool,
    /// See `Machine::heed_order`.
    pub(crate) only_values: bool,
    order_in_state: bool,
    merge_idle: bool,
    pub(crate) merge_threads: bool,
    join_steps: bool,
    pub(crate) go_on: bool,
    races_of_library: bool,
    /// The errors of the current execution that did not end it.
    pub(crate) noted: Vec<Fault>,
    /// More threads use a barrier than it counts: who arrives with whom depends on the order.
    pub(crate) ordered_barriers: bool,
    /// While the accesses of an atomic block are looked for.
    pub(crate) block_accesses: Option<Accesses>,
    pub(crate) ending: Option<Ending<Box<Fault>>>,
    marks_at_end: u32,
    /// Grows with every mark and every return to one.
    pub(crate) mark_number: u64,
    /// What the stacks that it has met may still touch.
    pub(crate) stacks: RefCell<Stacks>,
    /// The thread-local variables whose address never leaves their thread, where it pays to know: in a search.
    pub(crate) own_locals: Vec<bool>,
    /// What was done along with the last step.
    along: Vec<Along>,
    /// Threads that may stand at something that is done along with a step.
    unsettled: Vec<Tid>,
    pub(crate) known: Known,
    /// A thread has stood at an operation in a loop that may wait.
    pub(crate) waits: bool,
    pub(crate) hashes: ThreadHashes,
    /// See `matching`: why the abstraction could not be evaluated.
    pub(crate) bad_abstraction: Option<Box<Fault>>,
    /// See `tail`: nobody wants to know how memory is at the end of the process.
    pub(crate) skips_last_joins: bool,
}

/// A state by itself.
#[derive(Clone)]
pub struct SavedState {
    memory: SavedMemory,
    threads: Vec<Thread>,
    exists: Vec<bool>,
    names: ThreadNames,
    system: SystemState,
    noted: Vec<Fault>,
    ending: Option<Ending<Box<Fault>>>,
}

impl SavedState {
    /// What differs between the live objects and threads of two states, in words; `None` if nothing does. For tests.
    pub fn difference(&self, other: &SavedState) -> Option<String> {
        if let Some(what) = self.memory.difference(&other.memory) {
            return Some(what);
        }
        let live = |state: &SavedState| -> Vec<(usize, Control, Vec<Frame>, Vec<Addr>)> {
            let threads = state.threads.iter().zip(&state.exists).enumerate().filter(|(_, (_, exists))| **exists);
            threads.map(|(i, (t, _))| (i, t.control, t.frames.clone(), t.allocas.clone())).collect()
        };
        (live(self) != live(other)).then(|| format!("threads: {:?} and {:?}", live(self), live(other)))
    }
}

impl VmMachine {
    pub fn new(program: Arc<Program>, setup: &Setup, console: Console) -> std::io::Result<VmMachine> {
        let merge_threads = setup.merge_threads && program.plain_threads;
        let mut machine = VmMachine {
            memory: Memory::new(setup.limits.memory, setup.fingerprints)?,
            program,
            threads: Vec::new(),
            exists: Vec::new(),
            live: 0,
            names: ThreadNames::default(),
            system: System::new(console),
            limits: setup.limits.clone(),
            stop: None,
            leaks: setup.leaks,
            spurious: setup.spurious,
            clock_jumps: setup.clock_jumps,
            looked_in_vain: false,
            only_values: false,
            order_in_state: setup.order_in_state,
            merge_idle: setup.merge_idle,
            merge_threads,
            join_steps: setup.join_steps,
            go_on: setup.go_on,
            races_of_library: setup.races_of_library,
            noted: Vec::new(),
            ordered_barriers: false,
            block_accesses: None,
            ending: None,
            marks_at_end: 0,
            mark_number: 1,
            stacks: RefCell::default(),
            own_locals: Vec::new(),
            along: Vec::new(),
            unsettled: Vec::new(),
            known: Known::new(setup.by_heart),
            waits: !setup.by_heart,
            hashes: ThreadHashes::default(),
            bad_abstraction: None,
            skips_last_joins: setup.by_heart && !setup.leaks && !setup.fingerprints,
        };
        machine.skips_last_joins &= machine.program.invariants.is_empty();
        if setup.races {
            let library = machine.program.globals.iter().filter(|global| global.library);
            machine.memory.races = Races::new(library.map(|global| global.address))?;
            // A race of the library is a reason to refuse the program.
            machine.memory.races.go_on = setup.go_on && !setup.races_of_library;
            if setup.by_sharing {
                machine.memory.races.by_sharing();
            }
        }
        if setup.merge_threads {
            machine.own_locals = machine.own_thread_locals();
            machine.memory.races.atomics = machine.atomics();
            machine.memory.races.rests = true;
        }
        machine.memory.alike.on = setup.symmetry
            && machine.merge_threads
            && machine.known.on
            && machine.memory.is_hashing()
            && machine.program.matching.is_whole()
            && machine.program.invariants.is_empty()
            && !(setup.join_steps || setup.leaks || setup.go_on);
        machine.load(setup);
        if setup.zeroed {
            machine.memory.zero_new_objects();
        }
        Ok(machine)
    }

    #[inline]
    pub(crate) fn set_control(&mut self, tid: Tid, control: Control) {
        let thread = &mut self.threads[tid.index()];
        if thread.control != control {
            self.memory.log_outside(LOG_CONTROL, u64::from(tid.0), &thread.control.pack());
            self.live = self.live + u32::from(control.status == Status::Ready) - u32::from(thread.is_live());
            thread.control = control;
            self.hashes.changed(tid.index());
        }
    }

    /// A live thread ends that leaves nothing behind.
    #[inline]
    pub(crate) fn finish_thread(&mut self, tid: Tid, result: u64) {
        let control = &mut self.threads[tid.index()].control;
        self.memory.log_outside(LOG_ENDED, u64::from(tid.0), &[control.result]);
        (control.status, control.result) = (Status::Ended, result);
        self.hashes.changed(tid.index());
        self.live -= 1;
    }

    #[inline]
    pub(crate) fn set_joined(&mut self, tid: Tid) {
        self.memory.log_place(LOG_JOINED, u64::from(tid.0));
        self.threads[tid.index()].control.joined = true;
        self.hashes.changed(tid.index());
    }

    /// Whether the process has no other live thread.
    #[inline]
    pub(crate) fn is_last(&self, tid: Tid) -> bool {
        self.live == u32::from(VmMachine::is_live(self, tid))
    }

    #[inline]
    pub(crate) fn is_live(&self, tid: Tid) -> bool {
        self.exists.get(tid.index()).copied().unwrap_or(false) && self.threads[tid.index()].is_live()
    }

    /// In the order of their numbers. Whoever makes thread after thread has few at a time: the main thread and the latest, so
    /// the others are looked for from the end.
    pub fn live_threads(&self) -> impl Iterator<Item = Tid> + Clone + '_ {
        let mut first = self.threads.len();
        let mut missing = self.live - u32::from(self.is_live(Tid::MAIN));
        while missing > 0 && first > 1 {
            first -= 1;
            missing -= u32::from(self.is_live(Tid(first as u16)));
        }
        let others = (first.max(1)..self.threads.len()).map(|i| Tid(i as u16));
        std::iter::once(Tid::MAIN).chain(others).filter(|&tid| self.is_live(tid))
    }

    /// Whether a failed `assume` has stopped a thread.
    pub fn any_cut(&self) -> bool {
        self.threads.iter().zip(&self.exists).any(|(thread, &exists)| exists && thread.control.status == Status::Cut)
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    pub fn names(&self) -> &ThreadNames {
        &self.names
    }

    pub fn system(&mut self) -> &mut System {
        &mut self.system
    }

    pub fn thread(&self, tid: Tid) -> &Thread {
        &self.threads[tid.index()]
    }

    /// The visible operation at which a thread stands, and the slot for its result; `None` before its first instruction.
    #[inline]
    pub(crate) fn site(&self, tid: Tid) -> Option<(&VisibleSite, u16)> {
        let thread = &self.threads[tid.index()];
        if thread.at != UNKNOWN {
            return Some(self.known.site(&self.program, thread.at));
        }
        if !thread.control.started {
            return None;
        }
        let frame = thread.top();
        match self.program.functions[frame.function as usize].code[frame.pc as usize] {
            Op::Visible { site, d } => Some((&self.program.visibles[site as usize], d)),
            _ => unreachable!("a ready thread stands at a visible operation"),
        }
    }

    /// Asks `stop` now and then while local code runs on and on: once it says yes, the execution ends as at a limit.
    pub fn stop_when(&mut self, stop: fn() -> bool) {
        self.stop = Some(stop);
    }

    /// A thread with its frames.
    pub(crate) fn cpu(&mut self, tid: Tid) -> Cpu<'_> {
        self.known.hold(&self.program, &mut self.threads[tid.index()]);
        self.hashes.changed(tid.index());
        Cpu {
            program: &self.program,
            memory: &mut self.memory,
            thread: &mut self.threads[tid.index()],
            system: &mut self.system,
            limits: &self.limits,
            mark_number: self.mark_number,
            fuel: self.limits.local_steps.min(BETWEEN_QUESTIONS),
            recorder: &mut self.known.recorder,
            reserve: self.limits.local_steps.saturating_sub(BETWEEN_QUESTIONS),
            stop: self.stop,
        }
    }

    pub(crate) fn end(&mut self, ending: Ending<Box<Fault>>) -> Step {
        if self.leaks || matches!(ending, Ending::Error(_)) {
            self.hold_all();
        }
        let ending = match ending {
            Ending::Exit(_) if self.leaks => match self.find_leak() {
                Some(leak) => Ending::Error(leak),
                None => ending,
            },
            ending => ending,
        };
        self.ending = Some(ending);
        self.marks_at_end = self.memory.marks();
        Step::Ended
    }

    /// What was learned of local states is out of date. Nobody may be in one.
    pub(crate) fn forget_known(&mut self) {
        self.known = Known::new(self.known.on);
        self.hashes.forget();
        debug_assert!(self.threads.iter().all(|thread| thread.at == UNKNOWN));
    }

    /// Everything that is live, hashed anew: what `fingerprint` keeps step by step. For tests.
    pub fn fingerprint_from_scratch(&mut self) -> Fingerprint {
        self.memory.fingerprint_from_scratch() ^ self.outside_from_scratch()
    }

    /// Makes the frames of all threads show where they are: for those who look at them.
    pub fn hold_all(&mut self) {
        for thread in &mut self.threads {
            self.known.hold(&self.program, thread);
        }
    }

    /// What is ordered, if that belongs to states. Threads have changed `places`, if there are any.
    #[inline]
    pub(crate) fn order_in_states(&mut self, places: &[Tid]) -> Fingerprint {
        let known = self.order_in_state && self.memory.races.keeps_order();
        if known { self.order_fingerprint(places) } else { Fingerprint::default() }
    }

    fn order_fingerprint(&mut self, places: &[Tid]) -> Fingerprint {
        let existing = |(i, thread): (usize, &Thread)| {
            let waits_to_be_joined = !thread.control.joined && !thread.control.detached;
            let exists = self.exists[i] && (thread.is_live() || waits_to_be_joined);
            let place = places.get(i).copied().unwrap_or(Tid(i as u16));
            let (tid, lives) = (Tid(i as u16), thread.is_live());
            let lesson = || match self.lesson(tid) {
                // Of threads that have changed places, nobody knows which one will be joined.
                Lesson::Thread(_) if !places.is_empty() => Lesson::Nothing,
                lesson => lesson,
            };
            exists.then(|| Existing { tid, place, lives, lesson: if lives { lesson() } else { Lesson::Nothing } })
        };
        let existing: SmallVec<[Existing; 16]> = self.threads.iter().enumerate().filter_map(existing).collect();
        self.memory.order_fingerprint(&existing)
    }
}

impl VmMachine {
    /// A thread has looked at the clock after all the days that could pass for it.
    pub fn has_looked_in_vain(&self) -> bool {
        self.looked_in_vain
    }

    /// Whether a compare-exchange has looked for a pointer to freed memory: what it finds hangs on whether malloc would
    /// have given the address out again.
    pub fn has_met_stale_pointers(&self) -> bool {
        self.memory.stale_pointers
    }

    /// Ids of freed objects whose addresses neither memory nor threads hold.
    #[cold]
    fn use_ids_again(&mut self) {
        let mut words = Vec::new();
        for (thread, _) in self.threads.iter().zip(&self.exists).filter(|(_, exists)| **exists) {
            words.extend(thread.control.pack());
            if thread.is_live() {
                self.known.words_of(&self.program, thread, &mut words);
            }
        }
        self.memory.use_again(&words);
    }

    /// Races were looked for by sharing, and there may be some: the search must begin again.
    pub fn shares_plain_data(&self) -> bool {
        self.memory.races.found_sharing()
    }

    /// Whether it looks for shared data rather than for races.
    pub fn goes_by_sharing(&self) -> bool {
        self.memory.races.is_by_sharing()
    }

    /// The errors of the current execution that did not end it.
    pub fn noted(&self) -> &[Fault] {
        &self.noted
    }
}

impl Machine for VmMachine {
    type Error = Box<Fault>;
    type Saved = SavedState;

    #[inline]
    fn thread_count(&self) -> usize {
        self.threads.len()
    }

    #[inline]
    fn is_live(&self, who: Tid) -> bool {
        self.ending.is_none() && VmMachine::is_live(self, who)
    }

    fn pending(&mut self, who: Tid) -> Pending {
        self.pending_of(who)
    }

    fn accesses(&mut self, who: Tid, choice: Choice) -> Accesses {
        self.accesses_of(who, choice)
    }

    #[inline]
    fn value(&self, object: &Access) -> u128 {
        match object.space {
            // Most programs never ask what memory held.
            Space::Memory if !self.program.compares => 0,
            Space::Memory if object.length <= 8 => {
                let loaded = match object.length {
                    4 => self.memory.load::<4>(object.address),
                    8 => self.memory.load::<8>(object.address),
                    length => self.memory.load_n(object.address, length),
                };
                match loaded {
                    Ok((value, 0)) => value.into(),
                    _ => UNDEFINED,
                }
            }
            _ => self.value_of(object),
        }
    }

    fn assume_value(&mut self, object: &Access, value: u128) -> bool {
        self.memory.races.assumed_at = self.memory.marks();
        object.space == Space::Memory
            && object.length <= 8
            && value != UNDEFINED
            && self.memory.store_n(object.address, object.length, value as u64, 0).is_ok()
    }

    fn outcome_with(&mut self, who: Tid, value: u128) -> Outcomes {
        self.outcomes(who, value)
    }

    #[inline]
    fn step(&mut self, who: Tid, choice: Choice) -> Step {
        let step = self.take_step(who, choice);
        if self.memory.many_rest() {
            self.use_ids_again();
        }
        step
    }

    #[inline]
    fn can_foresee(&mut self) -> bool {
        self.can_foresee_by_heart()
    }

    #[inline]
    fn foresee(&mut self, who: Tid, _: Choice) -> Option<Fingerprint> {
        self.foresee_by_heart(who)
    }

    fn try_step(&mut self, who: Tid, choice: Choice) -> Trial {
        self.try_out(who, choice)
    }

    fn surely_leaves(&mut self, who: Tid) -> bool {
        self.leaves_by_heart(who)
    }

    fn leave_places(&mut self, at_once: bool) {
        self.memory.leave_places(at_once);
    }

    fn heed_order(&mut self, heeds: bool) -> bool {
        self.only_values = !heeds;
        true
    }

    #[inline]
    fn along(&self) -> &[Along] {
        &self.along
    }

    fn order_arrivals(&mut self) {
        self.ordered_barriers = true;
    }

    #[inline]
    fn surely_waits(&self, who: Tid) -> bool {
        match self.stand(who).map(|stand| stand.shortcut) {
            Some(Shortcut::Join(target)) if VmMachine::is_live(self, target) => {
                // Otherwise there is something to complain of.
                let control = &self.threads[target.index()].control;
                !control.detached && !control.joined
            }
            _ => false,
        }
    }

    #[inline]
    fn simple(&self, who: Tid) -> Option<(Operation, Access)> {
        let simple = self.known.states.get(self.threads[who.index()].at as usize)?.stand.simple;
        simple.filter(|(operation, mutex)| *operation != Operation::MutexUnlock || self.owns_mutex(who, mutex.address))
    }

    #[inline]
    fn place(&self, who: Tid) -> Option<(u32, u128)> {
        self.place_of_pending(who)
    }

    #[inline]
    fn may_wait(&self, who: Tid) -> bool {
        if let Some(stand) = self.stand(who) {
            return stand.may_wait;
        }
        self.site(who).is_some_and(|(site, _)| site.may_wait)
    }

    #[inline]
    fn has_met_waiting_loops(&self) -> bool {
        self.waits
    }

    fn is_cut(&self) -> bool {
        self.any_cut()
    }

    fn ending(&self) -> Option<&Ending<Box<Fault>>> {
        self.ending.as_ref()
    }

    #[inline]
    fn mark(&mut self) -> Mark {
        self.mark_number += 1;
        Mark(self.memory.mark())
    }

    #[inline]
    fn rewind(&mut self, to: Mark) {
        self.mark_number += 1;
        // A mark that was made after the end does not lead back before it.
        if self.marks_at_end > to.0 {
            self.ending = None;
        }
        if self.memory.races.assumed_at > to.0 {
            self.memory.races.assumed_at = 0;
        }
        let (threads, exists, program, system) = (&mut self.threads, &mut self.exists, &self.program, &mut self.system);
        let (noted, known, live) = (&mut self.noted, &self.known, &mut self.live);
        let hashes = &mut self.hashes;
        self.memory.rewind(to.0, |tag, place, words| {
            let index = place as u16 as usize;
            // Some of them are not about threads: one hash too many.
            hashes.changed(index);
            match tag {
                LOG_AT => threads[index].at = (place >> 16) as u32,
                LOG_FRAME => {
                    let thread = &mut threads[index];
                    known.hold(program, thread);
                    thread.unpack_frame(program, (place >> 16) as usize, words);
                    (thread.at, thread.held) = (UNKNOWN, UNKNOWN);
                }
                LOG_CONTROL => {
                    let thread = &mut threads[index];
                    *live -= u32::from(thread.is_live());
                    thread.control = Control::unpack(words);
                    *live += u32::from(thread.is_live());
                }
                LOG_ENDED => {
                    let control = &mut threads[index].control;
                    (control.status, control.result) = (Status::Ready, words[0]);
                    *live += 1;
                }
                LOG_JOINED => threads[index].control.joined = false,
                LOG_SYSTEM => system.rewind(SystemState::unpack(words)),
                LOG_CREATED => {
                    exists[index] = false;
                    *live -= 1;
                    let thread = &mut threads[index];
                    thread.thread_locals.clear();
                    (thread.at, thread.held) = (UNKNOWN, UNKNOWN);
                }
                LOG_NOTED => {
                    noted.pop();
                }
                _ => unreachable!("no such change"),
            }
        });
    }

    fn save(&self) -> SavedState {
        SavedState {
            memory: self.memory.save(),
            threads: self.threads.iter().map(|thread| self.known.away(&self.program, thread)).collect(),
            exists: self.exists.clone(),
            names: self.names.clone(),
            system: self.system.state,
            noted: self.noted.clone(),
            ending: self.ending.clone(),
        }
    }

    fn restore(&mut self, saved: &SavedState) {
        self.mark_number += 1;
        self.hashes.all_changed();
        let renumbered = self.memory.restore(&saved.memory);
        self.threads = saved.threads.clone();
        if renumbered {
            // What was learned says where accesses were made.
            self.forget_known();
        }
        self.exists = saved.exists.clone();
        self.live = (0..self.threads.len()).filter(|&i| self.is_live(Tid(i as u16))).count() as u32;
        self.names = saved.names.clone();
        self.system.rewind(saved.system);
        self.noted = saved.noted.clone();
        self.ending = saved.ending.clone();
        for thread in &mut self.threads {
            thread.saved_for = 0;
        }
    }

    fn all_pending(&mut self) -> Vec<Pending> {
        let live: Vec<Tid> = self.live_threads().filter(|&tid| Machine::is_live(self, tid)).collect();
        live.into_iter().map(|tid| self.pending(tid)).collect()
    }

    fn fingerprint(&mut self) -> Option<Fingerprint> {
        let memory = self.memory.fingerprint()?;
        Some(memory ^ self.outside_fingerprint() ^ self.owners_fingerprint() ^ self.order_in_states(&[]))
    }

    #[inline]
    fn matched(&mut self) -> Option<Fingerprint> {
        match self.program.matching.is_whole() {
            true if self.memory.alike.on => self.symmetric_fingerprint(),
            true => self.fingerprint(),
            false => self.matched_state(),
        }
    }

    fn changes_places(&self) -> bool {
        self.is_symmetric()
    }

    fn cast(&self) -> &[Tid] {
        self.cast_of_state()
    }

    fn in_other_places(access: &Access, place: impl Fn(Tid) -> Tid) -> Access {
        let address = match access.space {
            Space::Wake => place(Tid(access.address as u16)).0.into(),
            Space::Thread => tid_of(access.address).map_or(access.address, |tid| handle_of(place(tid))),
            _ => access.address,
        };
        Access { address, ..*access }
    }

    fn must_not_change_places(&mut self, why: &'static str) {
        self.tell_threads_apart(why);
    }

    fn local_fingerprint(&mut self, who: Tid) -> Option<Fingerprint> {
        if !self.exists[who.index()] {
            return None;
        }
        let at = self.threads[who.index()].at;
        if at != UNKNOWN && self.known.states[at as usize].has_objects {
            self.known.hold(&self.program, &mut self.threads[who.index()]);
        }
        let frames = self.frames_by_heart(who.index());
        let mut hash = self.local_hash(who, frames);
        if at != UNKNOWN && !self.known.states[at as usize].has_objects {
            return Some(hash.finish());
        }
        // Variables on its stack that nobody else can reach are local, too.
        for i in 0..self.threads[who.index()].allocas.len() {
            let address = self.threads[who.index()].allocas[i];
            if self.is_own(who, address) {
                self.memory.hash_object(address, &mut hash);
            }
        }
        Some(hash.finish())
    }

    fn now(&self) -> u64 {
        self.system.state.clock
    }

    fn due(&self, who: Tid) -> Option<Due> {
        use Operation::*;
        let (site, _) = self.site(who)?;
        let arg = |i| self.arg(who, site, i);
        match site.operation {
            Sleep => Some(Due::After(arg(0))),
            SleepUntil => Some(Due::At(arg(0))),
            MutexTimedLock | SemTimedWait | RwTimedReadLock | RwTimedWriteLock => Some(Due::At(arg(1))),
            CondLeaveTimed | ThreadTimedJoin => Some(Due::At(arg(2))),
            _ => None,
        }
    }

    fn pass_time(&mut self, until: u64) {
        let left = until.saturating_sub(self.system.state.clock);
        if left > 0 {
            self.system.advance(left, &mut self.memory);
        }
    }

    fn may_access(&self, who: Tid) -> Option<AccessSet> {
        // A thread that goes by heart has no frames to tell it from.
        self.stand(who).is_none().then(|| self.access_set(who))
    }
}

impl VmMachine {
    /// The local state of a thread but for what lies in memory. `frames` is the fingerprint of its frames, if it is known.
    pub(crate) fn local_hash(&mut self, who: Tid, frames: Option<Fingerprint>) -> Hash128 {
        let Fingerprint(thread) = self.threads[who.index()].fingerprint(&self.program, frames);
        let mut hash = Hash128::new(0x10ca1);
        hash.word(thread as u64);
        hash.word((thread >> 64) as u64);
        hash
    }
}
