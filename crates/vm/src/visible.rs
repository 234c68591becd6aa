//! The visible operations: whether each can happen, what it touches, and what it does.
//!
//! The state of a synchronisation object lies in its own bytes, with glibc's layout where static initialisers show it:
//! a mutex has lock @0, count @4, owner @8, kind @16; a read-write lock readers @0, writer @4; a semaphore its value @0;
//! a barrier count @0, arrived @4, generation @8; once its progress @0. Owners are thread numbers plus one. Who waits in
//! a condition variable is known by the waiting threads.

use smallvec::SmallVec;
use threadbare_core::{Access, Accesses, Choice, ChoiceState, Choices, Ending, Mode, Operation, Pending, Space, Tid};

use crate::bytecode::{Slot, VisibleDetail, VisibleSite};
use crate::diagnose::describe;
use crate::fault::{Fault, FaultKind, Waiter};
use crate::machine::VmMachine;
use crate::memory::{Addr, BadAccess, Life, ObjectKind, code_target};
use crate::scalar::{mask128, rmw};
use crate::thread::{Control, Status};

type Result<T> = std::result::Result<T, Box<Fault>>;

const EBUSY: u64 = 16;
const EDEADLK: u64 = 35;
const EPERM: u64 = 1;
const EAGAIN: u64 = 11;
const ETIMEDOUT: u64 = 110;
const EOVERFLOW: u64 = 75;
/// A pending cancellation was met.
const CANCELLED: u64 = 0xffff_ffff;

const RECURSIVE: u32 = 1;
const ERRORCHECK: u32 = 2;
/// Marks a destroyed object where it would otherwise hold a small number.
const DESTROYED: u32 = 0xd15a_b1ed;

/// The choice of a timed operation whose time runs out, and of a wait that is cancelled.
const TIME_OUT: Choice = Choice(1);
const CANCEL: Choice = Choice(2);

/// A `pthread_t`. Never 0, and unlike a pointer.
pub fn handle_of(tid: Tid) -> u64 {
    0x7468_0000 + u64::from(tid.0)
}

fn tid_of(handle: u64) -> Option<Tid> {
    u16::try_from(handle.checked_sub(0x7468_0000)?).ok().map(Tid)
}

fn owner_word(tid: Tid) -> u32 {
    u32::from(tid.0) + 1
}

fn owner_of(word: u32) -> Option<Tid> {
    word.checked_sub(1).map(|n| Tid(n as u16))
}

#[derive(Clone, Copy)]
struct Mutex {
    locked: bool,
    count: u32,
    owner: u32,
    kind: u32,
}

impl VmMachine {
    fn arg(&self, tid: Tid, site: &VisibleSite, i: usize) -> u64 {
        self.threads[tid.index()].slot(site.args[i])
    }

    fn word(&self, address: Addr) -> Option<u32> {
        self.memory.load_u32(address).ok()
    }

    fn mutex(&self, address: Addr) -> std::result::Result<Mutex, BadAccess> {
        Ok(Mutex {
            locked: self.memory.load_u32(address)? != 0,
            count: self.memory.load_u32(address + 4)?,
            owner: self.memory.load_u32(address + 8)?,
            kind: self.memory.load_u32(address + 16)?,
        })
    }

    /// Whether `tid` can take the mutex, or gets an answer, at once. What cannot be read is found out by doing it.
    fn can_lock(&self, tid: Tid, address: Addr) -> bool {
        self.mutex(address).map_or(true, |m| {
            let again = m.owner == owner_word(tid) && matches!(m.kind, RECURSIVE | ERRORCHECK);
            !m.locked || again || m.kind == DESTROYED
        })
    }

    fn is_free(&self, address: Addr) -> bool {
        self.word(address).is_none_or(|lock| lock == 0)
    }

    fn can_cancel(&self, tid: Tid) -> bool {
        let control = &self.threads[tid.index()].control;
        control.cancel_pending && !control.cancel_disabled
    }

    fn waiters(&self, cond: Addr) -> impl Iterator<Item = Tid> + '_ {
        self.live_threads().filter(move |tid| {
            let control = &self.threads[tid.index()].control;
            control.waiting == cond && !control.woken
        })
    }

    /// Live or ended, and not yet gone.
    fn joinable(&self, handle: u64) -> Option<(Tid, Control)> {
        let tid = tid_of(handle)?;
        let exists = *self.exists.get(tid.index())?;
        exists.then(|| (tid, self.threads[tid.index()].control))
    }

    /// A join can happen when the thread has ended, or when there is something to complain of.
    fn can_join(&self, tid: Tid, handle: u64) -> bool {
        match self.joinable(handle) {
            Some((target, control)) => {
                control.status == Status::Ended || control.joined || control.detached || target == tid
            }
            None => true,
        }
    }

    // ---- Enabledness ---------------------------------------------------------------------------------------------

    fn choices(&self, tid: Tid, site: &VisibleSite) -> Choices {
        use Operation::*;
        let arg = |i| self.arg(tid, site, i);
        let waiting = |ready: bool| {
            let mut list: SmallVec<[ChoiceState; 2]> = SmallVec::new();
            list.push(ChoiceState { choice: Choice(0), enabled: ready });
            if self.can_cancel(tid) {
                list.push(ChoiceState { choice: CANCEL, enabled: true });
            }
            Choices::Listed(list)
        };
        let timed = |ready: bool| {
            let mut list: SmallVec<[ChoiceState; 2]> = SmallVec::new();
            list.push(ChoiceState { choice: Choice(0), enabled: ready });
            list.push(ChoiceState { choice: TIME_OUT, enabled: !ready });
            if self.can_cancel(tid) {
                list.push(ChoiceState { choice: CANCEL, enabled: true });
            }
            Choices::Listed(list)
        };
        match site.operation {
            MutexLock => Choices::one(self.can_lock(tid, arg(0))),
            MutexTimedLock => Choices::timed(self.can_lock(tid, arg(0))),
            CondLeave | CondLeaveTimed => {
                let control = &self.threads[tid.index()].control;
                let free = self.is_free(arg(1));
                let mut list: SmallVec<[ChoiceState; 2]> = SmallVec::new();
                list.push(ChoiceState { choice: Choice(0), enabled: control.woken && free });
                if site.operation == CondLeaveTimed {
                    list.push(ChoiceState { choice: TIME_OUT, enabled: !control.woken && free });
                }
                if self.can_cancel(tid) {
                    list.push(ChoiceState { choice: CANCEL, enabled: free && !control.woken });
                }
                Choices::Listed(list)
            }
            CondSignal => {
                let list: SmallVec<[ChoiceState; 2]> = self
                    .waiters(arg(0))
                    .map(|waiter| ChoiceState { choice: Choice(u32::from(waiter.0)), enabled: true })
                    .collect();
                if list.is_empty() { Choices::one(true) } else { Choices::Listed(list) }
            }
            RwReadLock | RwTimedReadLock => {
                let writer = self.word(arg(0) + 4).unwrap_or(0);
                let ready = writer == 0 || writer == DESTROYED || writer == owner_word(tid);
                if site.operation == RwReadLock { Choices::one(ready) } else { Choices::timed(ready) }
            }
            RwWriteLock | RwTimedWriteLock => {
                let writer = self.word(arg(0) + 4).unwrap_or(0);
                let readers = self.word(arg(0)).unwrap_or(0);
                let ready = writer == DESTROYED || writer == owner_word(tid) || (writer == 0 && readers == 0);
                if site.operation == RwWriteLock { Choices::one(ready) } else { Choices::timed(ready) }
            }
            SemWait => waiting(self.word(arg(0)).is_none_or(|value| value > 0)),
            SemTimedWait => timed(self.word(arg(0)).is_none_or(|value| value > 0)),
            SpinLock => Choices::one(self.is_free(arg(0))),
            BarrierLeave => {
                let generation = self.threads[tid.index()].control.generation;
                Choices::one(self.word(arg(0) + 8).is_none_or(|now| now != generation))
            }
            OnceEnter => Choices::one(self.word(arg(0)).is_none_or(|state| state != 1)),
            ThreadJoin => waiting(self.can_join(tid, arg(0))),
            ThreadTimedJoin => timed(self.can_join(tid, arg(0))),
            Choose => {
                let (low, high) = (arg(0) as i64, arg(1) as i64);
                let count = high.checked_sub(low).and_then(|n| n.checked_add(1)).unwrap_or(i64::MAX);
                if count <= 0 { Choices::one(true) } else { Choices::Range(u32::try_from(count).unwrap_or(u32::MAX)) }
            }
            Nondet => Choices::Range(1u32.checked_shl(arg(0) as u32).unwrap_or(u32::MAX)),
            _ => Choices::one(true),
        }
    }

    pub(crate) fn pending_of(&self, tid: Tid) -> Pending {
        match self.site(tid) {
            None => {
                Pending { tid, operation: Operation::Start, accesses: Accesses::new(), choices: Choices::one(true) }
            }
            Some((site, _)) => {
                let choices = self.choices(tid, site);
                let first = choices.enabled().next().unwrap_or_default();
                Pending { tid, operation: site.operation, accesses: self.accesses(tid, site, first), choices }
            }
        }
    }

    // ---- Dependence ----------------------------------------------------------------------------------------------

    /// What the operation would touch if it happened now with `choice`.
    fn accesses(&self, tid: Tid, site: &VisibleSite, choice: Choice) -> Accesses {
        use Mode::*;
        use Operation::*;
        let arg = |i| self.arg(tid, site, i);
        let timed_out = choice == TIME_OUT;
        let mut list = Accesses::new();
        let mut add = |space, mode, address| list.push(Access::object(space, mode, address));
        match (site.operation, site.detail) {
            (Load, VisibleDetail::Access { bytes, offset, .. }) => {
                list.push(Access::memory(Read, arg(0).wrapping_add(offset as i64 as u64), bytes.into()));
            }
            (Store, VisibleDetail::Access { bytes, offset, .. }) => {
                list.push(Access::memory(Write, arg(0).wrapping_add(offset as i64 as u64), bytes.into()));
            }
            (Store, VisibleDetail::Copy) => {
                let length = arg(2).min(u64::from(u32::MAX)) as u32;
                list.push(Access::memory(Read, arg(1), length));
                list.push(Access::memory(Write, arg(0), length));
            }
            (Store, _) => list.push(Access::memory(Write, arg(0), arg(2).min(u64::from(u32::MAX)) as u32)),
            (ReadModifyWrite, VisibleDetail::Rmw { bytes, .. }) => {
                list.push(Access::memory(Write, arg(0), bytes.into()))
            }
            (CompareExchange, VisibleDetail::Cas { bytes, .. }) => {
                let wide = bytes > 8;
                let expected = u128::from(arg(1)) | if wide { u128::from(arg(2)) << 64 } else { 0 };
                let now = self.load_wide(arg(0), bytes).map(|(value, _)| value);
                let mode = if now.is_ok_and(|value| value == expected) { Write } else { Read };
                list.push(Access::memory(mode, arg(0), bytes.into()));
            }
            (MutexInit | MutexDestroy | MutexLock | MutexUnlock, _) => add(Space::Mutex, Write, arg(0)),
            (MutexTryLock, _) => add(Space::Mutex, if self.can_lock(tid, arg(0)) { Write } else { Read }, arg(0)),
            (MutexTimedLock, _) => add(Space::Mutex, if timed_out { Read } else { Write }, arg(0)),
            (CondInit | CondDestroy, _) => add(Space::Cond, Write, arg(0)),
            (CondEnter, _) => {
                add(Space::Mutex, Write, arg(1));
                add(Space::Cond, Add, arg(0));
            }
            (CondLeave | CondLeaveTimed, _) => {
                add(Space::Mutex, Write, arg(1));
                if choice == Choice(0) {
                    add(Space::Wake, Read, tid.0.into());
                } else {
                    add(Space::Cond, Add, arg(0));
                    add(Space::Wake, Write, tid.0.into());
                }
            }
            (CondSignal | CondBroadcast, _) => {
                let woken: Vec<Tid> = match site.operation {
                    CondSignal => self.waiters(arg(0)).filter(|w| Choice(w.0.into()) == choice).collect(),
                    _ => self.waiters(arg(0)).collect(),
                };
                add(Space::Cond, if woken.is_empty() { Read } else { Write }, arg(0));
                for waiter in woken {
                    add(Space::Wake, Write, waiter.0.into());
                }
            }
            (RwInit | RwDestroy | RwWriteLock, _) => add(Space::RwLock, Write, arg(0)),
            (RwReadLock, _) => add(Space::RwLock, Add, arg(0)),
            (RwTimedReadLock, _) => add(Space::RwLock, if timed_out { Read } else { Add }, arg(0)),
            (RwTimedWriteLock, _) => add(Space::RwLock, if timed_out { Read } else { Write }, arg(0)),
            (RwTryReadLock, _) => {
                let free = self.word(arg(0) + 4) == Some(0);
                add(Space::RwLock, if free { Add } else { Read }, arg(0));
            }
            (RwTryWriteLock, _) => {
                let free = self.word(arg(0) + 4) == Some(0) && self.word(arg(0)) == Some(0);
                add(Space::RwLock, if free { Write } else { Read }, arg(0));
            }
            (RwUnlock, _) => {
                let writing = self.word(arg(0) + 4).is_some_and(|writer| writer != 0);
                add(Space::RwLock, if writing { Write } else { Add }, arg(0));
            }
            (SemPost, _) => add(Space::Semaphore, Add, arg(0)),
            (SemInit | SemDestroy, _) => add(Space::Semaphore, Write, arg(0)),
            (SemWait | SemTimedWait, _) => {
                add(Space::Semaphore, if choice == Choice(0) { Write } else { Read }, arg(0))
            }
            (SemTryWait, _) => {
                add(Space::Semaphore, if self.word(arg(0)).is_some_and(|v| v > 0) { Write } else { Read }, arg(0));
            }
            (SemGetValue, _) => add(Space::Semaphore, Read, arg(0)),
            (SpinInit | SpinDestroy | SpinLock | SpinUnlock, _) => add(Space::Mutex, Write, arg(0)),
            (SpinTryLock, _) => add(Space::Mutex, if self.is_free(arg(0)) { Write } else { Read }, arg(0)),
            // The last to arrive is told so: who that is depends on the order.
            (BarrierInit | BarrierDestroy | BarrierArrive, _) => add(Space::Barrier, Write, arg(0)),
            (BarrierLeave, _) => add(Space::Barrier, Read, arg(0)),
            (OnceEnter | OnceDone | OnceAbandon, _) => add(Space::Once, Write, arg(0)),
            (ThreadCreate, _) => {}
            (ThreadJoin | ThreadTryJoin | ThreadTimedJoin | ThreadDetach, _) => {
                add(Space::Thread, if timed_out { Read } else { Write }, arg(0));
            }
            (ThreadCancel, _) => add(Space::Thread, Write, arg(0)),
            (TestCancel | ThreadEnd, _) => add(Space::Thread, Write, handle_of(tid)),
            (HiddenState, _) => add(Space::Hidden, Write, arg(0)),
            (Sleep, _) => add(Space::Hidden, Write, 0),
            (Free, _) => {
                let size = self.memory.object_at(arg(0)).map_or(1, |(_, object)| object.size.clamp(1, u32::MAX.into()));
                list.push(Access::memory(Write, arg(0), size as u32));
            }
            (Exit, _) => add(Space::Process, Write, 0),
            _ => {}
        }
        list
    }

    // ---- Execution -----------------------------------------------------------------------------------------------

    /// Executes the visible operation of `tid`. Its thread then stands at the operation after it.
    pub(crate) fn perform(&mut self, tid: Tid, choice: Choice) -> Result<()> {
        let program = self.program.clone();
        let thread = &self.threads[tid.index()];
        let frame = *thread.top();
        let crate::bytecode::Op::Visible { site, d } =
            program.functions[frame.function as usize].code[frame.pc as usize]
        else {
            unreachable!("the thread stands at a visible operation")
        };
        let site = &program.visibles[site as usize];
        let value_args = value_operands(site);
        if thread.undefined_slots > 0 {
            for (i, &arg) in site.args.iter().enumerate() {
                if !value_args.contains(&i) && thread.undefined(arg) != 0 {
                    return Err(self.cpu(tid).uninitialised("a visible operation depends on it"));
                }
            }
        }
        let result = self.execute(tid, choice, site, d)?;
        if self.threads[tid.index()].control.status == Status::Ready {
            let thread = &mut self.threads[tid.index()];
            if let Some(value) = result {
                thread.set_slot(d, value, 0);
            }
            thread.frames.last_mut().expect("a live thread").pc += 1;
        }
        Ok(())
    }

    fn bad(&mut self, tid: Tid) -> impl FnMut(BadAccess) -> Box<Fault> + '_ {
        move |bad| self.cpu(tid).bad_access(bad)
    }

    fn store_word(&mut self, tid: Tid, address: Addr, value: u32) -> Result<()> {
        self.memory.store_u32(address, value).map_err(|bad| self.cpu(tid).bad_access(bad))
    }

    fn load_word(&mut self, tid: Tid, address: Addr) -> Result<u32> {
        self.memory.load_u32(address).map_err(self.bad(tid))
    }

    fn misuse(&mut self, tid: Tid, kind: FaultKind, address: Addr, what: &str) -> Box<Fault> {
        let name = self.name_of(address);
        let mut fault = self.cpu(tid).fault(kind, format!("{name} {what}"));
        fault.address = Some(address);
        fault.object = describe(&self.program, &self.memory, address).map(|(object, _)| object);
        fault
    }

    /// Checks that the first word of an object was set by somebody before it is used.
    fn need_initialised(&mut self, tid: Tid, address: Addr, kind: FaultKind) -> Result<()> {
        match self.memory.load::<4>(address) {
            Ok((_, 0)) => Ok(()),
            Ok(_) => Err(self.misuse(tid, kind, address, "is used before it was initialised")),
            Err(bad) => Err(self.cpu(tid).bad_access(bad)),
        }
    }

    /// The result of the operation, where it has one of a single slot.
    fn execute(&mut self, tid: Tid, choice: Choice, site: &VisibleSite, d: Slot) -> Result<Option<u64>> {
        use Operation::*;
        let arg = |machine: &Self, i| machine.arg(tid, site, i);
        let a0 = if site.args.is_empty() { 0 } else { arg(self, 0) };
        let zero = Ok(Some(0));
        match site.operation {
            Start => unreachable!("a start is not in the code"),
            Load | Store | ReadModifyWrite | CompareExchange | Fence => {
                self.memory_operation(tid, site, d)?;
                Ok(None)
            }
            MutexInit => {
                self.check_not_held(tid, a0)?;
                let kind = arg(self, 1) as u32;
                for (offset, value) in [(0, 0), (4, 0), (8, 0), (16, kind)] {
                    self.store_word(tid, a0 + offset, value)?;
                }
                zero
            }
            MutexDestroy => {
                let mutex = self.used_mutex(tid, a0)?;
                if mutex.locked {
                    return Err(self.misuse(tid, FaultKind::MutexMisuse, a0, "is destroyed while it is locked"));
                }
                self.store_word(tid, a0 + 16, DESTROYED)?;
                zero
            }
            MutexLock => self.lock(tid, a0).map(Some),
            MutexTryLock => {
                let mutex = self.used_mutex(tid, a0)?;
                if mutex.locked && !(mutex.owner == owner_word(tid) && mutex.kind == RECURSIVE) {
                    return Ok(Some(EBUSY));
                }
                self.lock(tid, a0).map(Some)
            }
            MutexTimedLock if choice == TIME_OUT => Ok(Some(ETIMEDOUT)),
            MutexTimedLock => self.lock(tid, a0).map(Some),
            MutexUnlock => self.unlock(tid, a0).map(Some),
            CondInit => {
                self.store_word(tid, a0, 0)?;
                zero
            }
            CondDestroy => {
                if self.waiters(a0).next().is_some() {
                    return Err(self.misuse(tid, FaultKind::MutexMisuse, a0, "is destroyed while threads wait in it"));
                }
                self.store_word(tid, a0, DESTROYED)?;
                zero
            }
            CondEnter => {
                self.used_cond(tid, a0)?;
                let m = arg(self, 1);
                let mutex = self.used_mutex(tid, m)?;
                if !mutex.locked || mutex.owner != owner_word(tid) {
                    if mutex.kind == ERRORCHECK {
                        return Ok(Some(EPERM));
                    }
                    return Err(self.misuse(
                        tid,
                        FaultKind::MutexMisuse,
                        m,
                        "is not held by the thread that waits with it",
                    ));
                }
                self.unlock(tid, m)?;
                let control = Control { waiting: a0, woken: false, ..self.threads[tid.index()].control };
                self.set_control(tid, control);
                zero
            }
            CondLeave | CondLeaveTimed => {
                let m = arg(self, 1);
                let control = Control { waiting: 0, woken: false, ..self.threads[tid.index()].control };
                self.set_control(tid, control);
                self.lock(tid, m)?;
                match choice {
                    TIME_OUT => Ok(Some(ETIMEDOUT)),
                    CANCEL => self.take_cancel(tid),
                    _ => zero,
                }
            }
            CondSignal => {
                self.used_cond(tid, a0)?;
                let waiter = self.waiters(a0).find(|waiter| u32::from(waiter.0) == choice.0);
                if let Some(waiter) = waiter {
                    self.wake(waiter);
                }
                zero
            }
            CondBroadcast => {
                self.used_cond(tid, a0)?;
                let waiters: Vec<Tid> = self.waiters(a0).collect();
                waiters.into_iter().for_each(|waiter| self.wake(waiter));
                zero
            }
            RwInit => {
                self.store_word(tid, a0, 0)?;
                self.store_word(tid, a0 + 4, 0)?;
                zero
            }
            RwDestroy => {
                let (readers, writer) = self.used_rwlock(tid, a0)?;
                if readers > 0 || writer > 0 {
                    return Err(self.misuse(tid, FaultKind::MutexMisuse, a0, "is destroyed while it is locked"));
                }
                self.store_word(tid, a0 + 4, DESTROYED)?;
                zero
            }
            RwTimedReadLock | RwTimedWriteLock if choice == TIME_OUT => Ok(Some(ETIMEDOUT)),
            RwReadLock | RwTryReadLock | RwTimedReadLock => {
                let (readers, writer) = self.used_rwlock(tid, a0)?;
                if writer > 0 {
                    return Ok(Some(self.busy(tid, writer, site.operation == RwTryReadLock)));
                }
                self.store_word(tid, a0, readers + 1)?;
                zero
            }
            RwWriteLock | RwTryWriteLock | RwTimedWriteLock => {
                let (readers, writer) = self.used_rwlock(tid, a0)?;
                if writer > 0 || readers > 0 {
                    return Ok(Some(self.busy(tid, writer, site.operation == RwTryWriteLock)));
                }
                self.store_word(tid, a0 + 4, owner_word(tid))?;
                zero
            }
            RwUnlock => {
                let (readers, writer) = self.used_rwlock(tid, a0)?;
                if writer == owner_word(tid) {
                    self.store_word(tid, a0 + 4, 0)?;
                } else if writer == 0 && readers > 0 {
                    self.store_word(tid, a0, readers - 1)?;
                } else {
                    let what = if writer > 0 {
                        "is unlocked by a thread that does not hold it"
                    } else {
                        "is unlocked while it is not locked"
                    };
                    return Err(self.misuse(tid, FaultKind::MutexMisuse, a0, what));
                }
                zero
            }
            SemInit => {
                let value = arg(self, 1) as u32;
                self.store_word(tid, a0, value)?;
                self.store_word(tid, a0 + 4, 0)?;
                zero
            }
            SemDestroy => {
                self.used_semaphore(tid, a0)?;
                self.store_word(tid, a0 + 4, DESTROYED)?;
                zero
            }
            SemWait | SemTryWait | SemTimedWait => {
                let value = self.used_semaphore(tid, a0)?;
                match choice {
                    TIME_OUT => return Ok(Some(ETIMEDOUT)),
                    CANCEL => return self.take_cancel(tid),
                    _ if value == 0 => return Ok(Some(EAGAIN)),
                    _ => {}
                }
                self.store_word(tid, a0, value - 1)?;
                zero
            }
            SemPost => {
                let value = self.used_semaphore(tid, a0)?;
                if value == i32::MAX as u32 {
                    return Ok(Some(EOVERFLOW));
                }
                self.store_word(tid, a0, value + 1)?;
                zero
            }
            SemGetValue => self.used_semaphore(tid, a0).map(|value| Some(value.into())),
            SpinInit => {
                self.store_word(tid, a0, 0)?;
                zero
            }
            SpinDestroy => {
                self.need_initialised(tid, a0, FaultKind::MutexMisuse)?;
                if self.load_word(tid, a0)? != 0 {
                    return Err(self.misuse(tid, FaultKind::MutexMisuse, a0, "is destroyed while it is locked"));
                }
                zero
            }
            SpinLock | SpinTryLock => {
                self.need_initialised(tid, a0, FaultKind::MutexMisuse)?;
                if self.load_word(tid, a0)? != 0 {
                    return Ok(Some(EBUSY));
                }
                self.store_word(tid, a0, owner_word(tid))?;
                zero
            }
            SpinUnlock => {
                self.need_initialised(tid, a0, FaultKind::MutexMisuse)?;
                match self.load_word(tid, a0)? {
                    owner if owner == owner_word(tid) => self.store_word(tid, a0, 0)?,
                    0 => {
                        return Err(self.misuse(tid, FaultKind::MutexMisuse, a0, "is unlocked while it is not locked"));
                    }
                    _ => {
                        let what = "is unlocked by a thread that does not hold it";
                        return Err(self.misuse(tid, FaultKind::MutexMisuse, a0, what));
                    }
                }
                zero
            }
            BarrierInit => {
                for (offset, value) in [(0, arg(self, 1) as u32), (4, 0), (8, 0)] {
                    self.store_word(tid, a0 + offset, value)?;
                }
                zero
            }
            BarrierDestroy => {
                self.need_initialised(tid, a0, FaultKind::ThreadMisuse)?;
                if self.load_word(tid, a0 + 4)? > 0 {
                    return Err(self.misuse(tid, FaultKind::ThreadMisuse, a0, "is destroyed while threads wait at it"));
                }
                self.store_word(tid, a0, 0)?;
                zero
            }
            BarrierArrive => {
                self.need_initialised(tid, a0, FaultKind::ThreadMisuse)?;
                let count = self.load_word(tid, a0)?;
                if count == 0 {
                    return Err(self.misuse(tid, FaultKind::ThreadMisuse, a0, "is a barrier that is not initialised"));
                }
                let arrived = self.load_word(tid, a0 + 4)? + 1;
                let generation = self.load_word(tid, a0 + 8)?;
                let control = Control { generation, ..self.threads[tid.index()].control };
                self.set_control(tid, control);
                let last = arrived >= count;
                self.store_word(tid, a0 + 4, if last { 0 } else { arrived })?;
                if last {
                    self.store_word(tid, a0 + 8, generation.wrapping_add(1))?;
                }
                Ok(Some(last.into()))
            }
            BarrierLeave => {
                let control = Control { generation: 0, ..self.threads[tid.index()].control };
                self.set_control(tid, control);
                zero
            }
            OnceEnter => {
                let first = self.load_word(tid, a0)? == 0;
                if first {
                    self.store_word(tid, a0, 1)?;
                }
                Ok(Some(first.into()))
            }
            OnceDone => {
                self.store_word(tid, a0, 2)?;
                zero
            }
            OnceAbandon => {
                self.store_word(tid, a0, 0)?;
                zero
            }
            ThreadCreate => {
                let (start, argument, detached) = (a0, arg(self, 1), arg(self, 2) as u32 != 0);
                let function = match code_target(start) {
                    Some((f, 0)) if (f as usize) < self.program.functions.len() => f,
                    _ => return Err(self.cpu(tid).bad_call(start)),
                };
                match self.create_thread(tid, function, &[argument], detached) {
                    Some(child) => Ok(Some(handle_of(child))),
                    None => {
                        let message = format!("more than {} threads", crate::memory::MAX_THREADS);
                        Err(self.cpu(tid).fault(FaultKind::Limit, message))
                    }
                }
            }
            ThreadJoin | ThreadTryJoin | ThreadTimedJoin => self.join(tid, choice, site, a0, arg(self, 1)),
            ThreadDetach => {
                let (target, control) = self.need_joinable(tid, a0, "detached")?;
                if control.detached {
                    return Err(self.thread_misuse(tid, target, "is detached a second time"));
                }
                self.set_control(target, Control { detached: true, ..control });
                zero
            }
            ThreadEnd => self.end_thread(tid, a0),
            ThreadCancel => {
                let Some((target, control)) = self.joinable(a0) else {
                    return Ok(Some(3));
                };
                if control.status == Status::Ready {
                    self.set_control(target, Control { cancel_pending: true, ..control });
                }
                zero
            }
            TestCancel => {
                if !self.can_cancel(tid) {
                    return zero;
                }
                self.take_cancel(tid)?;
                Ok(Some(1))
            }
            Yield | HiddenState => zero,
            Sleep => {
                self.system.advance(a0, &mut self.memory);
                zero
            }
            Choose => {
                let (low, high) = (a0 as i64, arg(self, 1) as i64);
                if high < low {
                    let message = format!("tb_choose({low}, {high}) has nothing to choose from");
                    return Err(self.cpu(tid).fault(FaultKind::Unsupported, message));
                }
                Ok(Some(low.wrapping_add(i64::from(choice.0)) as u64))
            }
            Nondet => Ok(Some(choice.0.into())),
            Free => {
                self.cpu(tid).heap_object(a0, "it is freed")?;
                let at = self.cpu(tid).program_position().pack();
                self.memory.release(a0, at);
                zero
            }
            AtomicBegin | AtomicEnd => {
                let mut control = self.threads[tid.index()].control;
                control.atomic_depth = match site.operation {
                    AtomicBegin => control.atomic_depth + 1,
                    _ => control.atomic_depth.saturating_sub(1),
                };
                self.set_control(tid, control);
                zero
            }
            Exit => {
                self.end(Ending::Exit(a0 as i32));
                zero
            }
        }
    }

    // ---- Mutexes and their like ----------------------------------------------------------------------------------

    fn used_mutex(&mut self, tid: Tid, address: Addr) -> Result<Mutex> {
        self.need_initialised(tid, address, FaultKind::MutexMisuse)?;
        let mutex = self.mutex(address).map_err(self.bad(tid))?;
        if mutex.kind == DESTROYED {
            return Err(self.misuse(tid, FaultKind::MutexMisuse, address, "is used after it was destroyed"));
        }
        Ok(mutex)
    }

    fn used_cond(&mut self, tid: Tid, address: Addr) -> Result<()> {
        self.need_initialised(tid, address, FaultKind::MutexMisuse)?;
        if self.load_word(tid, address)? == DESTROYED {
            return Err(self.misuse(tid, FaultKind::MutexMisuse, address, "is used after it was destroyed"));
        }
        Ok(())
    }

    fn used_rwlock(&mut self, tid: Tid, address: Addr) -> Result<(u32, u32)> {
        self.need_initialised(tid, address, FaultKind::MutexMisuse)?;
        let (readers, writer) = (self.load_word(tid, address)?, self.load_word(tid, address + 4)?);
        if writer == DESTROYED {
            return Err(self.misuse(tid, FaultKind::MutexMisuse, address, "is used after it was destroyed"));
        }
        Ok((readers, writer))
    }

    fn used_semaphore(&mut self, tid: Tid, address: Addr) -> Result<u32> {
        self.need_initialised(tid, address, FaultKind::ThreadMisuse)?;
        if self.load_word(tid, address + 4)? == DESTROYED {
            return Err(self.misuse(tid, FaultKind::ThreadMisuse, address, "is used after it was destroyed"));
        }
        self.load_word(tid, address)
    }

    /// What a lock gives that cannot be had: its owner is told so.
    fn busy(&self, tid: Tid, writer: u32, trying: bool) -> u64 {
        if writer == owner_word(tid) && !trying { EDEADLK } else { EBUSY }
    }

    /// `init` of a mutex that somebody holds.
    fn check_not_held(&mut self, tid: Tid, address: Addr) -> Result<()> {
        let fresh = self.memory.load::<4>(address).is_ok_and(|(_, undefined)| undefined != 0);
        if fresh {
            return Ok(());
        }
        // The bytes may hold anything; they are a held mutex only if an owner is there who lives.
        match self.mutex(address) {
            Ok(m) if m.locked && m.kind <= 3 && owner_of(m.owner).is_some_and(|owner| self.is_live(owner)) => {
                Err(self.misuse(tid, FaultKind::MutexMisuse, address, "is initialised while it is locked"))
            }
            Ok(_) => Ok(()),
            Err(bad) => Err(self.cpu(tid).bad_access(bad)),
        }
    }

    fn lock(&mut self, tid: Tid, address: Addr) -> Result<u64> {
        let mutex = self.used_mutex(tid, address)?;
        if mutex.locked {
            return match mutex.kind {
                RECURSIVE if mutex.owner == owner_word(tid) => {
                    if mutex.count == u32::MAX {
                        return Ok(EAGAIN);
                    }
                    self.store_word(tid, address + 4, mutex.count + 1)?;
                    Ok(0)
                }
                _ => Ok(EDEADLK),
            };
        }
        self.store_word(tid, address, 1)?;
        self.store_word(tid, address + 4, 1)?;
        self.store_word(tid, address + 8, owner_word(tid))?;
        Ok(0)
    }

    fn unlock(&mut self, tid: Tid, address: Addr) -> Result<u64> {
        let mutex = self.used_mutex(tid, address)?;
        if !mutex.locked || mutex.owner != owner_word(tid) {
            if matches!(mutex.kind, RECURSIVE | ERRORCHECK) {
                return Ok(EPERM);
            }
            let what = if mutex.locked {
                "is unlocked by a thread that does not hold it"
            } else {
                "is unlocked while it is not locked"
            };
            return Err(self.misuse(tid, FaultKind::MutexMisuse, address, what));
        }
        if mutex.kind == RECURSIVE && mutex.count > 1 {
            self.store_word(tid, address + 4, mutex.count - 1)?;
            return Ok(0);
        }
        self.store_word(tid, address, 0)?;
        self.store_word(tid, address + 4, 0)?;
        self.store_word(tid, address + 8, 0)?;
        Ok(0)
    }

    fn wake(&mut self, waiter: Tid) {
        let control = Control { woken: true, ..self.threads[waiter.index()].control };
        self.set_control(waiter, control);
    }

    fn take_cancel(&mut self, tid: Tid) -> Result<Option<u64>> {
        let control = Control { cancel_pending: false, ..self.threads[tid.index()].control };
        self.set_control(tid, control);
        Ok(Some(CANCELLED))
    }

    // ---- Threads -------------------------------------------------------------------------------------------------

    fn thread_misuse(&mut self, tid: Tid, target: Tid, what: &str) -> Box<Fault> {
        let name = self.names.name(target).to_string();
        self.cpu(tid).fault(FaultKind::ThreadMisuse, format!("thread {name} {what}"))
    }

    fn need_joinable(&mut self, tid: Tid, handle: u64, verb: &str) -> Result<(Tid, Control)> {
        match self.joinable(handle) {
            Some((target, control)) if control.joined => {
                Err(self.thread_misuse(tid, target, &format!("is {verb} after it was joined")))
            }
            Some(found) => Ok(found),
            None => {
                let message = format!("something is {verb} that is not a thread");
                Err(self.cpu(tid).fault(FaultKind::ThreadMisuse, message))
            }
        }
    }

    fn join(&mut self, tid: Tid, choice: Choice, site: &VisibleSite, handle: u64, result: Addr) -> Result<Option<u64>> {
        let (target, control) = self.need_joinable(tid, handle, "joined")?;
        if control.detached {
            return Err(self.thread_misuse(tid, target, "is joined but detached"));
        }
        if target == tid {
            return Err(self.thread_misuse(tid, target, "joins itself"));
        }
        match choice {
            TIME_OUT => return Ok(Some(ETIMEDOUT)),
            CANCEL => return self.take_cancel(tid),
            _ => {}
        }
        if control.status != Status::Ended {
            debug_assert_eq!(site.operation, Operation::ThreadTryJoin);
            return Ok(Some(EBUSY));
        }
        if result != 0 {
            self.memory.store::<8>(result, control.result).map_err(self.bad(tid))?;
        }
        self.set_control(target, Control { joined: true, ..control });
        Ok(Some(0))
    }

    /// The last thread of the process does not end here: it goes on to `exit(0)`, which lowering has put behind this
    /// operation.
    fn end_thread(&mut self, tid: Tid, result: u64) -> Result<Option<u64>> {
        if self.live_threads().all(|other| other == tid) {
            return Ok(Some(0));
        }
        self.cpu(tid).unwind(0);
        let locals = self.threads[tid.index()].thread_locals.clone();
        for address in locals {
            self.memory.release(address, 0);
        }
        let control = Control { status: Status::Ended, result, ..self.threads[tid.index()].control };
        self.set_control(tid, control);
        Ok(None)
    }

    // ---- Atomic and volatile accesses ----------------------------------------------------------------------------

    /// Up to 16 bytes, with their undefined bits.
    fn load_wide(&self, address: Addr, bytes: u8) -> std::result::Result<(u128, u128), BadAccess> {
        let wide = |(value, undefined): (u64, u64)| (u128::from(value), u128::from(undefined));
        if bytes <= 8 {
            return self.memory.load_n(address, bytes.into()).map(wide);
        }
        self.memory.bytes(address, bytes.into())?;
        let (low, below) = wide(self.memory.load_n(address, 8)?);
        let (high, above) = wide(self.memory.load_n(address + 8, u32::from(bytes) - 8)?);
        Ok((low | high << 64, below | above << 64))
    }

    fn store_wide(
        &mut self,
        address: Addr,
        bytes: u8,
        value: u128,
        undefined: u128,
    ) -> std::result::Result<(), BadAccess> {
        match bytes {
            1 if undefined == 0 => self.memory.store::<1>(address, value as u64),
            2 if undefined == 0 => self.memory.store::<2>(address, value as u64),
            4 if undefined == 0 => self.memory.store::<4>(address, value as u64),
            8 if undefined == 0 => self.memory.store::<8>(address, value as u64),
            n if n <= 8 => self.memory.store_n(address, n.into(), value as u64, undefined as u64),
            _ => {
                self.memory.bytes(address, bytes.into())?;
                self.memory.store_n(address, 8, value as u64, undefined as u64)?;
                let (high, above) = ((value >> 64) as u64, (undefined >> 64) as u64);
                self.memory.store_n(address + 8, u32::from(bytes) - 8, high, above)
            }
        }
    }

    /// An operand of one or two slots starting at argument `i`, and its undefined bits.
    fn wide_arg(&self, tid: Tid, site: &VisibleSite, i: usize, bytes: u8) -> (u128, u128) {
        let thread = &self.threads[tid.index()];
        let (low, undefined) = (thread.slot(site.args[i]), thread.undefined(site.args[i]));
        if bytes <= 8 {
            return (low.into(), undefined.into());
        }
        let (high, above) = (thread.slot(site.args[i + 1]), thread.undefined(site.args[i + 1]));
        (u128::from(low) | u128::from(high) << 64, u128::from(undefined) | u128::from(above) << 64)
    }

    fn set_wide(&mut self, tid: Tid, d: Slot, bytes: u8, value: u128, undefined: u128) {
        let thread = &mut self.threads[tid.index()];
        thread.set_slot(d, value as u64, undefined as u64);
        if bytes > 8 {
            thread.set_slot(d + 1, (value >> 64) as u64, (undefined >> 64) as u64);
        }
    }

    fn memory_operation(&mut self, tid: Tid, site: &VisibleSite, d: Slot) -> Result<()> {
        let a0 = if site.args.is_empty() { 0 } else { self.arg(tid, site, 0) };
        match site.detail {
            VisibleDetail::Access { bytes, offset, bits, .. } => {
                let address = a0.wrapping_add(offset as i64 as u64);
                if site.operation == Operation::Load {
                    let (value, undefined) = self.load_wide(address, bytes).map_err(self.bad(tid))?;
                    self.set_wide(tid, d, bytes, value & mask128(bits), undefined & mask128(bits));
                } else {
                    let (value, undefined) = self.wide_arg(tid, site, 1, bytes);
                    self.store_wide(address, bytes, value, undefined).map_err(self.bad(tid))?;
                }
            }
            VisibleDetail::Rmw { op, bytes, bits, .. } => {
                let (old, unset) = self.load_wide(a0, bytes).map_err(self.bad(tid))?;
                let (operand, undefined) = self.wide_arg(tid, site, 1, bytes);
                let undefined = match op {
                    crate::bytecode::Rmw::Xchg => undefined,
                    _ if unset | undefined == 0 => 0,
                    _ => mask128(bits),
                };
                self.store_wide(a0, bytes, rmw(op, bits, old, operand), undefined).map_err(self.bad(tid))?;
                self.set_wide(tid, d, bytes, old, unset);
            }
            VisibleDetail::Cas { bytes, .. } => {
                let (old, unset) = self.load_wide(a0, bytes).map_err(self.bad(tid))?;
                if unset != 0 {
                    return Err(self.cpu(tid).uninitialised_at(a0, "a compare-exchange depends on it"));
                }
                let width = if bytes > 8 { 2 } else { 1 };
                let (expected, undefined) = self.wide_arg(tid, site, 1, bytes);
                if undefined != 0 {
                    return Err(self.cpu(tid).uninitialised("a compare-exchange depends on it"));
                }
                let (new, undefined) = self.wide_arg(tid, site, 1 + width, bytes);
                let success = old == expected;
                if success {
                    self.store_wide(a0, bytes, new, undefined).map_err(self.bad(tid))?;
                } else if self.memory.is_constant(a0) {
                    return Err(self.cpu(tid).bad_access(BadAccess { address: a0, bytes: bytes.into(), write: true }));
                }
                self.set_wide(tid, d, bytes, old, 0);
                self.threads[tid.index()].set_slot(d + width as u16, success.into(), 0);
            }
            VisibleDetail::Fence { .. } | VisibleDetail::Library => {}
            VisibleDetail::Copy => {
                let (from, length) = (self.arg(tid, site, 1), self.arg(tid, site, 2));
                self.memory.copy(a0, from, length).map_err(self.bad(tid))?;
            }
            VisibleDetail::Set => {
                let (byte, length) = (self.arg(tid, site, 1) as u8, self.arg(tid, site, 2));
                self.memory.fill(a0, byte, length).map_err(self.bad(tid))?;
            }
        }
        Ok(())
    }

    // ---- Words for people ----------------------------------------------------------------------------------------

    /// The name of what lies at an address, as the source calls it.
    pub fn name_of(&self, address: Addr) -> String {
        if let Some(name) = self.program.variable_at(address) {
            return format!("`{name}`");
        }
        match describe(&self.program, &self.memory, address) {
            Some((object, _)) if object.offset == 0 => object.description,
            Some((object, _)) => format!("{} + {}", object.description, object.offset),
            None => format!("address {address:#x}"),
        }
    }

    fn thread_label(&self, owner: u32) -> String {
        match owner_of(owner) {
            Some(tid) if tid.index() < self.names.len() => {
                let ended = if self.is_live(tid) { "" } else { ", which has ended" };
                format!("thread {}{ended}", self.names.name(tid))
            }
            _ => "nobody".into(),
        }
    }

    /// Every live thread waits and none can go on.
    pub fn deadlock(&self) -> Box<Fault> {
        let waiters: Vec<Waiter> = self
            .live_threads()
            .map(|tid| Waiter { tid, waits_for: self.waits_for(tid), stack: self.threads[tid.index()].stack() })
            .collect();
        let message = match waiters.len() {
            1 => "the only thread left waits for ever".to_string(),
            n => format!("all {n} threads wait for ever"),
        };
        Box::new(Fault {
            kind: FaultKind::Deadlock,
            message,
            tid: waiters.first().map_or(Tid::MAIN, |w| w.tid),
            stack: waiters.first().map_or_else(Vec::new, |w| w.stack.clone()),
            object: None,
            waiters,
            address: None,
            signal: None,
        })
    }

    fn waits_for(&self, tid: Tid) -> String {
        use Operation::*;
        let Some((site, _)) = self.site(tid) else {
            return "nothing".into();
        };
        let arg = |i| self.arg(tid, site, i);
        let held = |address: Addr, offset: u64| self.thread_label(self.word(address + offset).unwrap_or(0));
        match site.operation {
            MutexLock => format!("mutex {}, held by {}", self.name_of(arg(0)), held(arg(0), 8)),
            CondLeave | CondLeaveTimed => {
                let control = &self.threads[tid.index()].control;
                if control.woken {
                    format!(
                        "mutex {} (after a wake-up of {}), held by {}",
                        self.name_of(arg(1)),
                        self.name_of(arg(0)),
                        held(arg(1), 8)
                    )
                } else {
                    format!("a signal of condition variable {}", self.name_of(arg(0)))
                }
            }
            RwReadLock | RwTimedReadLock => {
                format!("read lock of {}, held for writing by {}", self.name_of(arg(0)), held(arg(0), 4))
            }
            RwWriteLock | RwTimedWriteLock => match self.word(arg(0)) {
                Some(readers) if readers > 0 => {
                    format!("write lock of {}, held by {readers} for reading", self.name_of(arg(0)))
                }
                _ => format!("write lock of {}, held by {}", self.name_of(arg(0)), held(arg(0), 4)),
            },
            SemWait | SemTimedWait => {
                format!("semaphore {} (its value is 0)", self.name_of(arg(0)))
            }
            SpinLock => format!("spin lock {}, held by {}", self.name_of(arg(0)), held(arg(0), 0)),
            BarrierLeave => format!(
                "barrier {}: {} of {} have arrived",
                self.name_of(arg(0)),
                self.word(arg(0) + 4).unwrap_or(0),
                self.word(arg(0)).unwrap_or(0)
            ),
            OnceEnter => format!("the end of the routine of once {}", self.name_of(arg(0))),
            ThreadJoin | ThreadTimedJoin => match tid_of(arg(0)) {
                Some(target) => format!("the end of thread {}", self.names.name(target)),
                None => "the end of a thread".into(),
            },
            operation => operation.name().into(),
        }
    }

    /// A heap object that was lost: nothing points to it any more, directly or through others.
    pub(crate) fn find_leak(&mut self) -> Option<Box<Fault>> {
        let mut lost = self.unreachable_heap();
        lost.sort_by_key(|(address, _)| *address);
        let &(address, object) = lost.first()?;
        let bytes: u64 = lost.iter().map(|(_, object)| object.size).sum();
        let message = match lost.len() {
            1 => format!("a heap object of {} bytes is never freed, and nothing points to it any more", object.size),
            n => format!("{n} heap objects ({bytes} bytes) are never freed, and nothing points to them any more"),
        };
        let description = describe(&self.program, &self.memory, address).map(|(object, _)| object);
        let stack = description.as_ref().and_then(|object| object.allocated_at).into_iter().collect();
        debug_assert!(object.kind == ObjectKind::Heap && object.life == Life::Live);
        Some(Box::new(Fault {
            kind: FaultKind::Leak,
            message,
            tid: object.owner,
            stack,
            object: description,
            waiters: Vec::new(),
            address: Some(address),
            signal: None,
        }))
    }
}

/// The operands of a visible operation that are only stored, so that they may be undefined.
fn value_operands(site: &VisibleSite) -> std::ops::Range<usize> {
    match site.detail {
        VisibleDetail::Access { .. } | VisibleDetail::Rmw { .. } => 1..site.args.len(),
        VisibleDetail::Cas { bytes, .. } => {
            if bytes > 8 {
                3..5
            } else {
                2..3
            }
        }
        _ if matches!(site.operation, Operation::ThreadCreate | Operation::ThreadEnd) => 0..2,
        _ => 0..0,
    }
}
