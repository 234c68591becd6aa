//! The machine: shared variables, mutexes and threads of one program, advancing one visible operation at a time. Going
//! back is by an undo log; a thread is kept as a whole, once between two marks.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};
use threadbare_core::{
    Access, AccessSet, Accesses, Choice, Choices, Ending, FaultKind, Fingerprint, Machine, Mark, Mode, Operation,
    Outcome, Outcomes, Pending, Space, Step, ThreadNames, Tid,
};

use super::bytecode::{Op, TbProgram, Value};
use super::fault::{Position, TbFault};
use super::reach::Reach;
use super::symmetry::Symmetry;
use super::thread::{Limits, Rounds, Status, Stop, Thread};
use super::undo::{Change, Undo};

/// How a machine is set up besides its program.
#[derive(Clone, Debug, Default)]
pub struct TbSetup {
    pub limits: Limits,
    /// An error does not end the execution: it is noted, and its thread stops, or goes on after a failed assertion.
    pub go_on: bool,
    /// Stored states do not tell which of the threads that do the same is where (see `symmetry`).
    pub symmetry: bool,
}

pub struct TbMachine {
    program: Arc<TbProgram>,
    setup: TbSetup,
    shared: Vec<Value>,
    /// The holder's number plus one.
    mutexes: Vec<u16>,
    /// The first is the main thread, which runs `finally`.
    threads: Vec<Thread>,
    names: ThreadNames,
    noted: Vec<TbFault>,
    ending: Option<Ending<Box<TbFault>>>,
    undo: Undo,
    /// Grows with every mark and every return to one; a thread that was kept since then has the same number.
    epoch: u64,
    kept_in: Vec<u64>,
    /// Of the shared variables and mutexes, kept up to date.
    fingerprint: Fingerprint,
    /// Of each thread, where it is known.
    locals: Vec<Option<Fingerprint>>,
    symmetry: Option<Symmetry>,
}

/// A state by itself.
#[derive(Clone)]
pub struct SavedState {
    shared: Vec<Value>,
    mutexes: Vec<u16>,
    threads: Vec<Thread>,
    noted: Vec<TbFault>,
    ending: Option<Ending<Box<TbFault>>>,
    fingerprint: Fingerprint,
}

/// A shared variable is eight bytes, so that reports and clocks treat it like a variable of C.
const CELL: u32 = 8;
/// Values in a heap before it is worth tidying up.
const HEAP: usize = 256;

pub fn cells(mode: Mode, first: u32, count: u32) -> Access {
    Access::memory(mode, u64::from(first) * u64::from(CELL), count * CELL)
}

pub fn mutexes(first: u32, count: u32) -> Access {
    Access { space: Space::Mutex, mode: Mode::Write, length: count, address: first.into() }
}

pub fn thread_access(thread: u16) -> Access {
    Access::object(Space::Thread, Mode::Write, thread.into())
}

fn owner(tid: Tid) -> u16 {
    tid.0 + 1
}

pub(super) fn owner_of(holder: u16) -> Option<Tid> {
    holder.checked_sub(1).map(Tid)
}

/// A cell's part of the fingerprint. What it holds has one type, so that the word alone tells.
fn part_of_cell(at: u32, value: Value) -> Fingerprint {
    Fingerprint::of(u64::from(at) << 1, value.words().1)
}

pub(super) fn part_of_mutex(at: u32, holder: u16) -> Fingerprint {
    Fingerprint::of(u64::from(at) << 1 | 1, holder.into())
}

impl TbMachine {
    pub fn new(program: Arc<TbProgram>, setup: TbSetup) -> TbMachine {
        let starts = std::iter::once(program.finally.as_ref()).chain(program.threads.iter().map(Some));
        let threads: Vec<Thread> =
            starts.map(|start| Thread::new(&program, start.map(|start| start.function))).collect();
        let mut names = ThreadNames::default();
        for k in 0..program.threads.len() {
            names.child(Tid::MAIN, k as u16).expect("the compiler limits the number of threads");
        }
        let (count, shared) = (threads.len(), program.shared.clone());
        let mutexes = vec![0; program.mutexes as usize];
        let parts = shared.iter().enumerate().map(|(at, &value)| part_of_cell(at as u32, value));
        let parts = parts.chain(mutexes.iter().enumerate().map(|(at, &holder)| part_of_mutex(at as u32, holder)));
        let mut machine = TbMachine {
            fingerprint: parts.fold(Fingerprint::default(), |all, part| all ^ part),
            shared,
            mutexes,
            threads,
            names,
            noted: Vec::new(),
            ending: None,
            undo: Undo::default(),
            epoch: 1,
            kept_in: vec![0; count],
            locals: vec![None; count],
            symmetry: setup.symmetry.then(|| Symmetry::of(&program)),
            setup,
            program,
        };
        machine.check_at_start();
        for t in 0..count {
            if machine.threads[t].status == Status::Live && machine.ending.is_none() {
                machine.run_local(t);
            }
        }
        machine.undo.clear();
        machine
    }

    pub fn program(&self) -> &Arc<TbProgram> {
        &self.program
    }

    pub fn names(&self) -> &ThreadNames {
        &self.names
    }

    /// The errors of the current execution that did not end it.
    pub fn noted(&self) -> &[TbFault] {
        &self.noted
    }

    pub fn shared(&self) -> &[Value] {
        &self.shared
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.setup.limits
    }

    /// Of the shared variables and mutexes.
    pub(super) fn shared_fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    pub(super) fn holder(&self, mutex: u32) -> u16 {
        self.mutexes[mutex as usize]
    }

    pub(super) fn thread(&self, tid: Tid) -> &Thread {
        &self.threads[tid.index()]
    }

    pub fn status(&self, tid: Tid) -> Status {
        self.threads[tid.index()].status
    }

    fn op(&self, t: usize) -> Op {
        self.threads[t].op(&self.program)
    }

    fn get(&self, t: usize, operand: super::bytecode::Operand) -> Value {
        self.threads[t].get(&self.program, operand)
    }

    fn shared_at(&self, t: usize, place: super::bytecode::Operand) -> u32 {
        match self.get(t, place) {
            Value::Shared(at) => at,
            other => unreachable!("a thread stops at shared variables only, not at {other:?}"),
        }
    }

    pub(super) fn mutex_at(&self, t: usize, mutex: super::bytecode::Operand) -> u32 {
        match self.get(t, mutex) {
            Value::Mutex(at) => at,
            other => unreachable!("types are checked: {other:?} is no mutex"),
        }
    }

    /// Where a thread stands, innermost frame first.
    pub fn stack(&self, tid: Tid) -> Vec<Position> {
        let frames = self.threads[tid.index()].frames.iter().rev();
        frames.map(|frame| Position { function: frame.function, pc: frame.pc }).collect()
    }

    // Changes.

    fn keep(&mut self, t: usize) {
        if self.kept_in[t] != self.epoch {
            self.kept_in[t] = self.epoch;
            self.undo.thread(t as u16, &self.threads[t]);
        }
        self.locals[t] = None;
    }

    /// Whether that was a change.
    fn write(&mut self, at: u32, value: Value) -> bool {
        let old = std::mem::replace(&mut self.shared[at as usize], value);
        if old == value {
            return false;
        }
        self.fingerprint ^= part_of_cell(at, old) ^ part_of_cell(at, value);
        self.undo.changes.push(Change::Shared { at, old });
        true
    }

    fn hold(&mut self, at: u32, holder: u16) {
        let old = std::mem::replace(&mut self.mutexes[at as usize], holder);
        self.fingerprint ^= part_of_mutex(at, old) ^ part_of_mutex(at, holder);
        self.undo.changes.push(Change::Mutex { at, old });
    }

    fn end_with(&mut self, fault: TbFault) {
        self.undo.changes.push(Change::Ended);
        self.ending = Some(Ending::Error(Box::new(fault)));
    }

    fn fault(&self, t: usize, kind: FaultKind, message: String) -> TbFault {
        let tid = Tid(t as u16);
        TbFault { kind, message, tid, stack: self.stack(tid), waiters: Vec::new(), locals: self.locals(tid) }
    }

    /// An error of a thread: the end of the execution, or of the thread; after a failed assertion the thread goes on.
    /// `false`: the thread does not.
    fn note(&mut self, t: usize, kind: FaultKind, message: String) -> bool {
        let goes_on = kind == FaultKind::Assertion && matches!(self.op(t), Op::Assert { .. });
        let fault = self.fault(t, kind, message);
        if !self.note_fault(fault) {
            return false;
        }
        match goes_on {
            true => self.threads[t].finish(None),
            false => self.threads[t].end(Status::Failed),
        }
        goes_on
    }

    /// An error becomes the end of the execution, or is noted: whether the execution goes on.
    pub(super) fn note_fault(&mut self, fault: TbFault) -> bool {
        if !self.setup.go_on || matches!(fault.kind, FaultKind::Limit | FaultKind::Unsupported | FaultKind::Stopped) {
            self.end_with(fault);
            return false;
        }
        // An assertion in a loop may fail again and again, and an invariant stays broken for a while.
        if !self.noted.iter().any(|noted| noted.tid == fault.tid && noted.is_like(&fault)) {
            self.noted.push(fault);
            self.undo.changes.push(Change::Noted);
        }
        true
    }

    /// Local code of a thread up to its next visible operation.
    fn run_local(&mut self, t: usize) {
        let mut rounds = Rounds::new(&self.setup.limits);
        loop {
            let thread = &mut self.threads[t];
            match thread.run(&self.program, &self.setup.limits, &mut rounds, &mut self.undo, t as u16) {
                Stop::Visible | Stop::Ended | Stop::Cut => break,
                Stop::Fault(kind, message) => {
                    if !self.note(t, kind, message) {
                        break;
                    }
                }
            }
        }
        if self.threads[t].heap.len() > HEAP {
            self.tidy_up(t);
        }
    }

    /// Leaves in the heap what can be reached, once that is at most half of it.
    fn tidy_up(&mut self, t: usize) {
        let compact = self.threads[t].compact(&self.program);
        if compact.heap.len() * 2 <= self.threads[t].heap.len() {
            let old = std::mem::replace(&mut self.threads[t], compact);
            self.undo.heap(t as u16, old.heap);
        }
    }

    /// The visible operation itself: whether others can see a change.
    fn perform(&mut self, t: usize, choice: Choice) -> Result<bool, (FaultKind, String)> {
        let tid = Tid(t as u16);
        let (changed, result) = match self.op(t) {
            Op::Read { d, place } => {
                let value = self.shared[self.shared_at(t, place) as usize];
                (false, Some((d, value)))
            }
            Op::Write { place, s } => {
                let (at, value) = (self.shared_at(t, place), self.get(t, s));
                (self.write(at, value), None)
            }
            Op::CompareAndSwap { d, place, old, new } => {
                let (at, old, new) = (self.shared_at(t, place), self.get(t, old), self.get(t, new));
                let swaps = self.shared[at as usize] == old;
                (swaps && self.write(at, new), Some((d, Value::Bool(swaps))))
            }
            Op::Lock { mutex } => {
                let at = self.mutex_at(t, mutex);
                debug_assert_eq!(self.mutexes[at as usize], 0, "only a free mutex can be taken");
                self.hold(at, owner(tid));
                (true, None)
            }
            Op::Unlock { mutex } => {
                let at = self.mutex_at(t, mutex);
                match owner_of(self.mutexes[at as usize]) {
                    Some(holder) if holder == tid => self.hold(at, 0),
                    holder => {
                        let name = self.program.name_of(true, at);
                        let who = holder.map_or("nobody holds".into(), |holder| {
                            format!("is held by {}", self.thread_words(holder))
                        });
                        let message = format!("unlock of mutex `{name}`, which {who}");
                        return Err((FaultKind::MutexMisuse, message));
                    }
                }
                (true, None)
            }
            Op::Choose { d, low, .. } => {
                let value = self.get(t, low).int() + i64::from(choice.0);
                (false, Some((d, Value::Int(value))))
            }
            Op::Join { .. } => (false, None),
            Op::End => (true, None),
            other => unreachable!("{other:?} is no visible operation"),
        };
        self.threads[t].finish(result);
        Ok(changed)
    }

    /// What the pending operation touches if its object has this value.
    fn accesses_with(&self, t: usize, value: u128) -> Accesses {
        match self.op(t) {
            Op::Read { place, .. } => smallvec![cells(Mode::Read, self.shared_at(t, place), 1)],
            Op::Write { place, .. } => self.program.write_to(self.shared_at(t, place)),
            Op::CompareAndSwap { place, old, .. } => {
                let swaps = value == u128::from(self.get(t, old).words().1);
                let at = self.shared_at(t, place);
                if swaps { self.program.write_to(at) } else { smallvec![cells(Mode::Read, at, 1)] }
            }
            Op::Lock { mutex } | Op::Unlock { mutex } => smallvec![mutexes(self.mutex_at(t, mutex), 1)],
            Op::Join { thread } => smallvec![thread_access(thread)],
            Op::End => smallvec![thread_access(t as u16)],
            _ => Accesses::new(),
        }
    }

    /// The variable that the pending operation may write to, if an invariant may read it, and where the thread stands.
    fn watched_place(&self, t: usize) -> Option<(u32, Vec<Position>)> {
        let at = match self.op(t) {
            _ if self.program.invariants.is_empty() => return None,
            Op::Write { place, .. } | Op::CompareAndSwap { place, .. } => self.shared_at(t, place),
            _ => return None,
        };
        (!self.program.watched[at as usize].is_empty()).then(|| (at, self.stack(Tid(t as u16))))
    }

    fn value_of_object(&self, t: usize) -> u128 {
        match self.op(t) {
            Op::CompareAndSwap { place, .. } => self.shared[self.shared_at(t, place) as usize].words().1.into(),
            Op::Lock { mutex } => self.mutexes[self.mutex_at(t, mutex) as usize].into(),
            Op::Join { thread } => (self.threads[thread as usize].status == Status::Ended).into(),
            _ => 0,
        }
    }

    fn is_enabled_with(&self, t: usize, value: u128) -> bool {
        match self.op(t) {
            Op::Lock { .. } => value == 0,
            Op::Join { .. } => value == 1,
            _ => true,
        }
    }

    fn take_back(&mut self, change: Change) {
        match change {
            Change::Shared { at, old } => {
                let new = std::mem::replace(&mut self.shared[at as usize], old);
                self.fingerprint ^= part_of_cell(at, old) ^ part_of_cell(at, new);
            }
            Change::Mutex { at, old } => {
                let new = std::mem::replace(&mut self.mutexes[at as usize], old);
                self.fingerprint ^= part_of_mutex(at, old) ^ part_of_mutex(at, new);
            }
            Change::Thread { number, status, frames, registers, heap } => {
                self.locals[number as usize] = None;
                let thread = &mut self.threads[number as usize];
                self.undo.take_back(thread, status, frames, registers, heap);
            }
            Change::Cell { number, at, old } => self.threads[number as usize].heap[at as usize] = old,
            Change::Heap { number, old } => self.threads[number as usize].heap = old.into(),
            Change::Noted => drop(self.noted.pop()),
            Change::Ended => self.ending = None,
            Change::Everything(saved) => self.put(*saved),
        }
    }

    fn put(&mut self, saved: SavedState) {
        self.shared = saved.shared;
        self.mutexes = saved.mutexes;
        self.threads = saved.threads;
        self.noted = saved.noted;
        self.ending = saved.ending;
        self.fingerprint = saved.fingerprint;
        self.locals.fill(None);
    }

    fn state(&self, threads: Vec<Thread>) -> SavedState {
        SavedState {
            shared: self.shared.clone(),
            mutexes: self.mutexes.clone(),
            threads,
            noted: self.noted.clone(),
            ending: self.ending.clone(),
            fingerprint: self.fingerprint,
        }
    }

    fn local(&mut self, t: usize) -> Fingerprint {
        let (program, threads) = (&self.program, &self.threads);
        *self.locals[t].get_or_insert_with(|| threads[t].fingerprint(program, 2 + t as u64))
    }
}

impl Machine for TbMachine {
    type Error = Box<TbFault>;
    type Saved = SavedState;

    fn thread_count(&self) -> usize {
        self.threads.len()
    }

    fn is_live(&self, who: Tid) -> bool {
        self.ending.is_none() && self.threads[who.index()].status == Status::Live
    }

    fn pending(&mut self, who: Tid) -> Pending {
        let t = who.index();
        let (operation, outcome) = match self.op(t) {
            Op::Read { .. } => (Operation::Load, Outcome::Fixed),
            Op::Write { .. } => (Operation::Store, Outcome::Fixed),
            Op::CompareAndSwap { .. } => (Operation::CompareExchange, Outcome::ByValue),
            Op::Lock { .. } => (Operation::MutexLock, Outcome::ByValue),
            Op::Unlock { .. } => (Operation::MutexUnlock, Outcome::Fixed),
            Op::Choose { low, high, .. } => {
                let values = self.get(t, high).int() - self.get(t, low).int() + 1;
                let choices = Choices::Range(values as u32);
                return Pending { tid: who, operation: Operation::Choose, choices, outcome: Outcome::Fixed };
            }
            Op::Join { .. } => (Operation::ThreadJoin, Outcome::ByValue),
            Op::End => (Operation::ThreadEnd, Outcome::Fixed),
            other => unreachable!("{other:?} is no visible operation"),
        };
        let enabled = self.is_enabled_with(t, self.value_of_object(t));
        Pending { tid: who, operation, choices: Choices::one(enabled), outcome }
    }

    fn accesses(&mut self, who: Tid, _choice: Choice) -> Accesses {
        self.accesses_with(who.index(), self.value_of_object(who.index()))
    }

    fn value(&self, object: &Access) -> u128 {
        let at = object.address as usize;
        match object.space {
            Space::Memory => self.shared[at / CELL as usize].words().1.into(),
            Space::Mutex => self.mutexes[at].into(),
            Space::Thread => (self.threads[at].status == Status::Ended).into(),
            _ => 0,
        }
    }

    fn outcome_with(&mut self, who: Tid, value: u128) -> Outcomes {
        let t = who.index();
        let enabled = self.is_enabled_with(t, value);
        Outcomes(enabled.then(|| (Choice(0), self.accesses_with(t, value))).into_iter().collect::<SmallVec<_>>())
    }

    fn assume_value(&mut self, object: &Access, value: u128) -> bool {
        if object.space != Space::Memory {
            return false;
        }
        let at = object.address as u32 / CELL;
        let value = match self.shared[at as usize] {
            Value::Bool(_) => Value::Bool(value != 0),
            _ => Value::Int(value as i64),
        };
        self.write(at, value);
        true
    }

    fn step(&mut self, who: Tid, choice: Choice) -> Step {
        let t = who.index();
        debug_assert!(Machine::is_live(self, who));
        if self.undo.marks.is_empty() {
            // Nobody goes back.
            self.undo.clear();
        }
        self.keep(t);
        let noted = self.noted.len();
        let written = self.watched_place(t);
        let changed = match self.perform(t, choice) {
            Ok(changed) => {
                if let (true, Some((at, stack))) = (changed, written) {
                    self.check_watchers(who, at, &stack);
                }
                if self.ending.is_none() {
                    self.run_local(t);
                }
                changed
            }
            Err((kind, message)) => {
                self.note(t, kind, message);
                true
            }
        };
        if self.ending.is_some() {
            Step::Ended
        } else if changed || self.threads[t].status != Status::Live || self.noted.len() != noted {
            Step::Done
        } else {
            Step::Silent
        }
    }

    fn order_arrivals(&mut self) {}

    fn may_wait(&self, who: Tid) -> bool {
        let frame = self.threads[who.index()].top();
        self.program.functions[frame.function as usize].may_wait[frame.pc as usize]
    }

    fn is_cut(&self) -> bool {
        self.threads.iter().any(|thread| thread.status == Status::Cut)
    }

    fn ending(&self) -> Option<&Ending<Box<TbFault>>> {
        self.ending.as_ref()
    }

    fn mark(&mut self) -> Mark {
        self.epoch += 1;
        Mark(self.undo.mark())
    }

    fn rewind(&mut self, to: Mark) {
        self.epoch += 1;
        let length = self.undo.marks[to.0 as usize] as usize;
        while self.undo.changes.len() > length {
            let change = self.undo.changes.pop().expect("longer");
            self.take_back(change);
        }
        self.undo.marks.truncate(to.0 as usize + 1);
    }

    fn save(&self) -> SavedState {
        self.state(self.threads.iter().map(|thread| thread.compact(&self.program)).collect())
    }

    fn restore(&mut self, saved: &SavedState) {
        self.epoch += 1;
        // Whoever has a mark may come back to it.
        if self.undo.marks.is_empty() {
            self.undo.clear();
        } else {
            let now = self.state(self.threads.clone());
            self.undo.changes.push(Change::Everything(Box::new(now)));
        }
        self.put(saved.clone());
    }

    fn fingerprint(&mut self) -> Option<Fingerprint> {
        let threads = (0..self.threads.len()).fold(Fingerprint::default(), |all, t| all ^ self.local(t));
        Some(self.fingerprint ^ threads)
    }

    fn matched(&mut self) -> Option<Fingerprint> {
        match &self.symmetry {
            Some(symmetry) => Some(self.canonical(symmetry)),
            None => self.fingerprint(),
        }
    }

    fn local_fingerprint(&mut self, who: Tid) -> Option<Fingerprint> {
        Some(self.local(who.index()))
    }

    fn may_access(&self, who: Tid) -> Option<AccessSet> {
        let functions = &self.program.functions;
        let frames = self.threads[who.index()].frames.iter();
        let sets = frames.map(|frame| functions[frame.function as usize].reach[frame.pc as usize]);
        let set = Reach::access_set(sets.map(|set| &self.program.reachable[set as usize]), who.0);
        Some(self.program.with_invariants(set))
    }
}
