//! What each visible operation does, as the virtual machine does it (vm/src/visible/perform.rs), on the program's own memory.

use threadbare_core::{Choice, FaultKind, Operation, Tid, next_generation};
use threadbare_vm::Scene;

use crate::choices::BOUNDED;
use crate::fault::Fault;
use crate::image;
use crate::objects::End;
use crate::races::{Kind, place};
use crate::run::{Done, Run, Status};
use crate::table::{
    CANCEL, DESTROYED, ERRORCHECK, INITIALISED, RECURSIVE, SPURIOUS, TIME_OUT, handle_of, owner_word, packed, tid_of,
};
use crate::world::{OBSERVED, PLAIN, VOLATILE, rmw};

type Result<T> = std::result::Result<T, Box<Fault>>;

/// How far a clock may have gone on when somebody looks: a day.
const CLOCK_JUMP: u64 = 24 * 60 * 60 * 1_000_000_000;

const EPERM: u64 = 1;
const ESRCH: u64 = 3;
/// `-1` as an `int`.
const CANCELLED: u64 = 0xffff_ffff;
const EAGAIN: u64 = 11;
const EBUSY: u64 = 16;
const EDEADLK: u64 = 35;
const EOVERFLOW: u64 = 75;
const ETIMEDOUT: u64 = 110;

/// A result, and whether others can see that anything has changed.
fn gives(result: u64) -> Result<Done> {
    Ok(Done::Goes { result, changes: true })
}

fn only_says(result: u64) -> Result<Done> {
    Ok(Done::Goes { result, changes: false })
}

impl Run {
    pub(crate) fn operate(&mut self, tid: Tid, choice: Choice) -> Result<Done> {
        use Operation::*;
        let fiber = &self.threads[tid.index()].fiber;
        let (operation, pc) = (fiber.operation(), self.own_pc(tid));
        let [a0, a1, a2, a3, ..] = fiber.arguments;
        match operation {
            Load | Store | ReadModifyWrite | CompareExchange => self.access(tid, operation, [a0, a1, a2, a3], pc),
            Fence => {
                self.races.fence(tid, a2);
                only_says(0)
            }
            Free => {
                // Of what is no block the floor complains.
                if let Some(size) = self.block_size(a0) {
                    self.need_released(tid, a0, size, "is freed while it is locked")?;
                    self.free_compared(tid, a0, size);
                    self.ends(tid, a0, size, pc, End::Freed)?;
                }
                gives(0)
            }
            Exit => Ok(Done::Exit(a0 as i32)),
            MutexInit | CondInit | RwInit | SemInit | SpinInit | BarrierInit => {
                self.init(tid, operation, a0, a1 as u32, pc)
            }
            MutexDestroy | CondDestroy | RwDestroy | SemDestroy | SpinDestroy | BarrierDestroy => {
                self.destroy(tid, operation, a0, pc)
            }
            MutexLock | MutexTimedLock if choice == TIME_OUT => only_says(ETIMEDOUT),
            MutexLock | MutexTimedLock => self.lock(tid, a0, pc),
            MutexTryLock => {
                let (lock, owner, kind) = self.mutex(tid, a0)?;
                if lock != 0 && !(owner == owner_word(tid) && kind == RECURSIVE) {
                    self.touch(tid, a0, Kind::AtomicRead, pc)?;
                    return only_says(EBUSY);
                }
                self.lock(tid, a0, pc)
            }
            MutexUnlock => self.unlock(tid, a0, pc),
            CondEnter => {
                self.used_cond(tid, a0)?;
                let (lock, owner, kind) = self.mutex(tid, a1)?;
                if lock == 0 || owner != owner_word(tid) {
                    if kind == ERRORCHECK {
                        return only_says(EPERM);
                    }
                    return Err(self.misuse(tid, a1, "is not held by the thread that waits with it"));
                }
                self.touch(tid, a0, Kind::AtomicWrite, pc)?;
                self.unlock(tid, a1, pc)?;
                let thread = &mut self.threads[tid.index()];
                (thread.waiting, thread.woken) = (a0, choice == SPURIOUS);
                thread.spurious += u8::from(choice == SPURIOUS);
                gives(0)
            }
            CondLeave | CondLeaveTimed => {
                let thread = &mut self.threads[tid.index()];
                (thread.waiting, thread.woken, thread.woken_alone) = (0, false, false);
                match choice {
                    CANCEL => self.take_cancel(tid),
                    TIME_OUT => gives(ETIMEDOUT),
                    _ => {
                        self.lock(tid, a1, pc)?;
                        gives(0)
                    }
                }
            }
            CondSignal | CondBroadcast => {
                self.used_cond(tid, a0)?;
                self.touch(tid, a0, Kind::AtomicWrite, pc)?;
                let woken: Vec<Tid> = self.waiters(a0).collect();
                let is_meant = |waiter: &&Tid| operation == CondBroadcast || u32::from(waiter.0) == choice.0;
                // As on the virtual machine (`wake`).
                let alone = self.program.cancels && (operation == CondBroadcast || woken.len() == 1);
                for waiter in woken.iter().filter(is_meant) {
                    let thread = &mut self.threads[waiter.index()];
                    (thread.woken, thread.woken_alone) = (true, alone);
                }
                Ok(Done::Goes { result: 0, changes: !woken.is_empty() })
            }
            RwTimedReadLock | RwTimedWriteLock if choice == TIME_OUT => only_says(ETIMEDOUT),
            RwReadLock | RwTryReadLock | RwTimedReadLock | RwWriteLock | RwTryWriteLock | RwTimedWriteLock => {
                self.lock_rw(tid, operation, a0, pc)
            }
            RwUnlock => self.unlock_rw(tid, a0, pc),
            SemWait | SemTryWait | SemTimedWait => {
                let value = self.semaphore(tid, a0)?;
                if choice == CANCEL {
                    return self.take_cancel(tid);
                }
                if choice == TIME_OUT || value == 0 {
                    self.touch(tid, a0, Kind::AtomicRead, pc)?;
                    return only_says(if choice == TIME_OUT { ETIMEDOUT } else { EAGAIN });
                }
                self.races.acquire(tid, (a0, 0), false);
                self.touch(tid, a0, Kind::AtomicWrite, pc)?;
                self.set(tid, a0, value - 1)?;
                gives(0)
            }
            SemPost => {
                let value = self.semaphore(tid, a0)?;
                self.touch(tid, a0, Kind::AtomicWrite, pc)?;
                if value == i32::MAX as u32 {
                    return only_says(EOVERFLOW);
                }
                self.races.release(tid, (a0, 0), true);
                self.set(tid, a0, value + 1)?;
                gives(0)
            }
            SemGetValue => {
                let value = self.semaphore(tid, a0)?;
                self.touch(tid, a0, Kind::AtomicRead, pc)?;
                only_says(value.into())
            }
            SpinLock | SpinTryLock => {
                if self.get(tid, a0)? != 0 {
                    self.touch(tid, a0, Kind::AtomicRead, pc)?;
                    return only_says(EBUSY);
                }
                self.races.acquire(tid, (a0, 0), false);
                self.touch(tid, a0, Kind::AtomicWrite, pc)?;
                self.set(tid, a0, owner_word(tid))?;
                self.held.own(a0);
                gives(0)
            }
            SpinUnlock => {
                match self.get(tid, a0)? {
                    owner if owner == owner_word(tid) => self.set(tid, a0, 0)?,
                    0 => return Err(self.misuse(tid, a0, "is unlocked while it is not locked")),
                    _ => return Err(self.misuse(tid, a0, "is unlocked by a thread that does not hold it")),
                }
                self.touch(tid, a0, Kind::AtomicWrite, pc)?;
                self.races.release(tid, (a0, 0), false);
                self.held.release(a0);
                gives(0)
            }
            BarrierArrive => self.arrive(tid, a0, pc),
            BarrierLeave => {
                let generation = std::mem::take(&mut self.threads[tid.index()].generation);
                self.races.acquire(tid, (a0, generation + 1), false);
                if !self.still_to_leave(a0).any(|other| other.0 != tid && other.1 == generation) {
                    self.races.forget((a0, generation + 1));
                }
                gives(0)
            }
            OnceEnter => {
                let progress = self.get(tid, a0)?;
                if progress == 0 {
                    self.set(tid, a0, 1)?;
                } else {
                    self.races.acquire(tid, (a0, 0), false);
                }
                self.touch(tid, a0, if progress == 0 { Kind::AtomicWrite } else { Kind::AtomicRead }, pc)?;
                Ok(Done::Goes { result: (progress == 0).into(), changes: progress == 0 })
            }
            OnceDone | OnceAbandon => {
                self.touch(tid, a0, Kind::AtomicWrite, pc)?;
                self.races.release(tid, (a0, 0), false);
                self.set(tid, a0, if operation == OnceDone { 2 } else { 0 })?;
                gives(0)
            }
            ThreadCreate => match self.create_thread(tid, a0, a1, a2 as u32 != 0) {
                Ok(child) => gives(handle_of(child)),
                Err(message) => Err(self.fault(tid, FaultKind::Limit, message)),
            },
            ThreadJoin | ThreadTryJoin | ThreadTimedJoin => self.join(tid, choice, a0, a1),
            ThreadDetach => {
                let target = self.need_joinable(tid, a0, "detached")?;
                if self.threads[target.index()].detached {
                    return Err(self.thread_misuse(tid, target, "is detached a second time"));
                }
                self.threads[target.index()].detached = true;
                gives(0)
            }
            ThreadEnd if self.is_last(tid) => gives(0),
            ThreadEnd => {
                let thread = &mut self.threads[tid.index()];
                (thread.status, thread.result) = (Status::Ended, a0);
                self.end_memory_of(tid, pc)?;
                Ok(Done::Ended)
            }
            ThreadCancel => {
                let Some(target) = self.joinable(a0) else { return only_says(ESRCH) };
                let thread = &mut self.threads[target.index()];
                thread.cancel_pending |= thread.status == Status::Ready;
                gives(0)
            }
            TestCancel if choice == CANCEL || a0 == 0 && self.threads[tid.index()].can_cancel() => {
                self.take_cancel(tid)?;
                gives(1)
            }
            TestCancel | Yield => only_says(0),
            Sleep | SleepUntil => {
                let until = if operation == Sleep { self.clock.saturating_add(a0) } else { a0.max(self.clock) };
                let moves = self.program.reads_clock && until > self.clock;
                if moves {
                    self.clock = until;
                }
                Ok(Done::Goes { result: 0, changes: moves })
            }
            Clock => {
                let jumps = choice == TIME_OUT;
                self.looked_in_vain |= !jumps && self.threads[tid.index()].clock_jumps >= self.setup.clock_jumps;
                if jumps {
                    self.threads[tid.index()].clock_jumps += 1;
                    self.clock = self.clock.saturating_add(CLOCK_JUMP);
                }
                Ok(Done::Goes { result: self.clock, changes: jumps })
            }
            HiddenState => gives(0),
            Unseen => {
                self.races.unseen(tid);
                if a1 > 0 {
                    self.expect_store(a0, a1);
                }
                gives(0)
            }
            Choose => {
                let (low, high) = (a0 as i64, a1 as i64);
                if high < low {
                    let message = format!("tb_choose({low}, {high}) has nothing to choose from");
                    return Err(self.fault(tid, FaultKind::Unsupported, message));
                }
                gives(low.wrapping_add(i64::from(choice.0)) as u64)
            }
            Nondet if a0 <= 16 => gives(choice.0.into()),
            Nondet if a0 & BOUNDED != 0 => gives(a1.wrapping_add(choice.0.into())),
            Nondet => Err(self.refuse(tid, &format!("a nondet of {a0} bits (tb_choose says which values to try)"))),
            AtomicBegin => self.begin_block(tid),
            AtomicEnd => self.end_block(tid),
            Start | Label | Recorded => unreachable!("no operation of the floor"),
        }
    }

    /// What the native backend does not have yet.
    fn refuse(&self, tid: Tid, what: &str) -> Box<Fault> {
        self.fault(
            tid,
            FaultKind::Unsupported,
            format!("{what} is not yet supported by the native backend; `--backend vm` may be"),
        )
    }

    /// What the program is about to do itself.
    fn access(&mut self, tid: Tid, operation: Operation, arguments: [u64; 4], pc: u64) -> Result<Done> {
        use Operation::*;
        let [address, second, third, _] = arguments;
        let (size, order, failed, writes) = match operation {
            Load => (second, third, None, false),
            Store => (second, third, None, true),
            ReadModifyWrite => {
                let (size, order, _) = packed(second);
                (size, order, None, true)
            }
            _ => {
                let (size, order, failed) = packed(second);
                if size == 8 {
                    self.note_compared(tid, third);
                }
                let succeeds = self.changes_value(operation, arguments) == Some(true);
                (size, order, (!succeeds).then_some(failed), succeeds)
            }
        };
        let changes = self.changes_value(operation, arguments);
        if order != OBSERVED {
            self.note(tid, address, size, if writes { Kind::AtomicWrite } else { Kind::AtomicRead }, pc)?;
        }
        if self.program.unseen && !matches!(order, VOLATILE | PLAIN | OBSERVED) {
            self.races.beside_unseen(tid, failed.unwrap_or(order), writes);
        }
        let loses =
            !matches!(order, VOLATILE | PLAIN | OBSERVED) && self.races.atomic(tid, operation, address, order, failed);
        let result = if operation == ReadModifyWrite { self.modified(arguments).unwrap_or(0) } else { 0 };
        if loses && !self.program.every_access {
            return gives(result);
        }
        let own = self.is_own_local(tid, address, size, writes);
        if changes.is_none() && !own {
            self.expect_store(address, size);
        }
        Ok(Done::Goes { result, changes: changes != Some(false) && !own })
    }

    /// Whether an access changes what is in memory, if that is known before it is made: it may write what is there.
    fn changes_value(&self, operation: Operation, arguments: [u64; 4]) -> Option<bool> {
        use Operation::*;
        let [address, second, third, fourth] = arguments;
        let size = if operation == Store { second } else { packed(second).0 };
        let masked = |value: u64| value & u64::MAX >> (64 - 8 * size);
        match operation {
            Load => Some(false),
            Store if matches!(third, VOLATILE | PLAIN | OBSERVED) => None,
            Store => Some(self.number(address, size as usize) != Some(masked(fourth))),
            ReadModifyWrite => {
                let old = self.number(address, size as usize);
                Some(old.is_none() || self.modified(arguments) != old)
            }
            // One that succeeds counts as a change.
            _ => Some(self.number(address, size as usize) == Some(masked(third))),
        }
    }

    /// What a read-modify-write stores, if it may look there.
    fn modified(&self, [address, second, operand, _]: [u64; 4]) -> Option<u64> {
        let (size, _, what) = packed(second);
        Some(rmw(what, size, self.number(address, size as usize)?, operand))
    }

    /// Whether the operation that a thread stands at will change what others see, where that can be told without doing it.
    pub(crate) fn surely_changes(&self, tid: Tid) -> bool {
        use Operation::*;
        let fiber = &self.threads[tid.index()].fiber;
        let [address, second, third, fourth, ..] = fiber.arguments;
        match fiber.operation() {
            operation @ (Store | ReadModifyWrite | CompareExchange) => {
                image::thread_of_stack(address).is_none()
                    && self.changes_value(operation, [address, second, third, fourth]) == Some(true)
            }
            _ => false,
        }
    }

    fn note(&mut self, tid: Tid, address: u64, size: u64, kind: Kind, pc: u64) -> Result<()> {
        // Of what may not be accessed the floor complains in a moment.
        if !self.is_mapped(address, size.max(1)) || !self.may_access(address, size) {
            return Ok(());
        }
        let place = place(pc, self.threads[tid.index()].fiber.operation);
        self.races.access(tid, address, size, kind, place).map_or(Ok(()), |race| self.met_race(tid, kind, place, race))
    }

    fn touch(&mut self, tid: Tid, address: u64, kind: Kind, pc: u64) -> Result<()> {
        let place = place(pc, self.threads[tid.index()].fiber.operation);
        self.races.touch(tid, address, kind, place).map_or(Ok(()), |race| self.met_race(tid, kind, place, race))
    }

    /// The thread goes on to its end: `-1` says so.
    fn take_cancel(&mut self, tid: Tid) -> Result<Done> {
        self.threads[tid.index()].cancel_pending = false;
        gives(CANCELLED)
    }

    fn get(&mut self, tid: Tid, address: u64) -> Result<u32> {
        self.word(address)
            .filter(|_| self.may_access(address, 4))
            .ok_or_else(|| self.bad_access(tid, address, 4, false))
    }

    fn set(&mut self, tid: Tid, address: u64, value: u32) -> Result<()> {
        let stored = self.is_mapped(address, 4) && self.may_access(address, 4) && self.store_word(address, value);
        if stored { Ok(()) } else { Err(self.bad_access(tid, address, 4, true)) }
    }

    fn misuse(&self, tid: Tid, address: u64, what: &str) -> Box<Fault> {
        self.fault(tid, FaultKind::MutexMisuse, format!("{} {what}", self.name_of(address)))
    }

    /// Lock word, owner and kind of a mutex that may be used.
    fn mutex(&mut self, tid: Tid, address: u64) -> Result<(u32, u32, u32)> {
        let mutex = (self.get(tid, address)?, self.get(tid, address + 8)?, self.get(tid, address + 16)?);
        if mutex.2 == DESTROYED {
            return Err(self.misuse(tid, address, "is used after it was destroyed"));
        }
        Ok(mutex)
    }

    fn used_cond(&mut self, tid: Tid, address: u64) -> Result<()> {
        match self.get(tid, address)? {
            DESTROYED => Err(self.misuse(tid, address, "is used after it was destroyed")),
            _ => Ok(()),
        }
    }

    fn semaphore(&mut self, tid: Tid, address: u64) -> Result<u32> {
        let what = match self.get(tid, address + 4)? {
            INITIALISED => return self.get(tid, address),
            DESTROYED => "is used after it was destroyed",
            _ => "is used before it was initialised: only sem_init makes a semaphore, even of memory that is all zero",
        };
        Err(self.fault(tid, FaultKind::ThreadMisuse, format!("{} {what}", self.name_of(address))))
    }

    fn init(&mut self, tid: Tid, operation: Operation, address: u64, value: u32, pc: u64) -> Result<Done> {
        use Operation::*;
        if operation == MutexInit {
            let (lock, owner, kind) =
                (self.get(tid, address)?, self.get(tid, address + 8)?, self.get(tid, address + 16)?);
            let holder = owner.checked_sub(1).map(|n| Tid(n as u16));
            if lock != 0 && kind <= 3 && holder.is_some_and(|holder| self.is_live(holder)) {
                return Err(self.misuse(tid, address, "is initialised while it is locked"));
            }
        }
        self.touch(tid, address, Kind::PlainWrite, pc)?;
        let generation = || next_generation(self.still_to_leave(address).map(|(_, generation)| generation));
        let words: &[(u64, u32)] = match operation {
            MutexInit => &[(0, 0), (4, 0), (8, 0), (16, value)],
            RwInit => &[(0, 0), (4, 0)],
            SemInit => &[(0, value), (4, INITIALISED)],
            BarrierInit => &[(0, value), (4, 0), (8, generation())],
            _ => &[(0, 0)],
        };
        for &(offset, value) in words {
            self.set(tid, address + offset, value)?;
        }
        self.held.forget(address);
        gives(0)
    }

    fn destroy(&mut self, tid: Tid, operation: Operation, address: u64, pc: u64) -> Result<Done> {
        use Operation::*;
        let locked = "is destroyed while it is locked";
        match operation {
            MutexDestroy if self.mutex(tid, address)?.0 != 0 => return Err(self.misuse(tid, address, locked)),
            MutexDestroy => self.set(tid, address + 16, DESTROYED)?,
            CondDestroy if self.waiters(address).next().is_some() => {
                return Err(self.misuse(tid, address, "is destroyed while threads wait in it"));
            }
            CondDestroy => self.set(tid, address, DESTROYED)?,
            RwDestroy => {
                let (readers, writer) = self.rwlock(tid, address)?;
                if readers > 0 || writer > 0 {
                    return Err(self.misuse(tid, address, locked));
                }
                self.set(tid, address + 4, DESTROYED)?;
            }
            SemDestroy => {
                self.semaphore(tid, address)?;
                self.set(tid, address + 4, DESTROYED)?;
            }
            SpinDestroy if self.get(tid, address)? != 0 => return Err(self.misuse(tid, address, locked)),
            SpinDestroy => {}
            _ => {
                if self.get(tid, address + 4)? > 0 {
                    let message = format!("{} is destroyed while threads wait at it", self.name_of(address));
                    return Err(self.fault(tid, FaultKind::ThreadMisuse, message));
                }
                self.set(tid, address, 0)?;
            }
        }
        self.touch(tid, address, Kind::PlainWrite, pc)?;
        gives(0)
    }

    fn lock(&mut self, tid: Tid, address: u64, pc: u64) -> Result<Done> {
        let (lock, owner, kind) = self.mutex(tid, address)?;
        if lock != 0 {
            if owner == owner_word(tid) && kind == RECURSIVE {
                let count = self.get(tid, address + 4)?;
                self.set(tid, address + 4, count + 1)?;
                return gives(0);
            }
            self.touch(tid, address, Kind::AtomicRead, pc)?;
            return only_says(if owner == owner_word(tid) { EDEADLK } else { EBUSY });
        }
        self.races.acquire(tid, (address, 0), false);
        self.touch(tid, address, Kind::AtomicWrite, pc)?;
        for (offset, value) in [(0, 1), (4, 1), (8, owner_word(tid))] {
            self.set(tid, address + offset, value)?;
        }
        self.held.own(address);
        gives(0)
    }

    fn unlock(&mut self, tid: Tid, address: u64, pc: u64) -> Result<Done> {
        let (lock, owner, kind) = self.mutex(tid, address)?;
        if lock == 0 || owner != owner_word(tid) {
            if matches!(kind, RECURSIVE | ERRORCHECK) {
                return only_says(EPERM);
            }
            let what = if lock == 0 {
                "is unlocked while it is not locked"
            } else {
                "is unlocked by a thread that does not hold it"
            };
            return Err(self.misuse(tid, address, what));
        }
        self.touch(tid, address, Kind::AtomicWrite, pc)?;
        let count = self.get(tid, address + 4)?;
        if kind == RECURSIVE && count > 1 {
            self.set(tid, address + 4, count - 1)?;
            return gives(0);
        }
        for offset in [0, 4, 8] {
            self.set(tid, address + offset, 0)?;
        }
        self.races.release(tid, (address, 0), false);
        self.held.release(address);
        gives(0)
    }

    fn rwlock(&mut self, tid: Tid, address: u64) -> Result<(u32, u32)> {
        let lock = (self.get(tid, address)?, self.get(tid, address + 4)?);
        if lock.1 == DESTROYED {
            return Err(self.misuse(tid, address, "is used after it was destroyed"));
        }
        Ok(lock)
    }

    fn lock_rw(&mut self, tid: Tid, operation: Operation, address: u64, pc: u64) -> Result<Done> {
        use Operation::*;
        let (readers, writer) = self.rwlock(tid, address)?;
        let trying = matches!(operation, RwTryReadLock | RwTryWriteLock);
        let reading = matches!(operation, RwReadLock | RwTryReadLock | RwTimedReadLock);
        if writer > 0 || !reading && readers > 0 {
            self.touch(tid, address, Kind::AtomicRead, pc)?;
            return only_says(if writer == owner_word(tid) && !trying { EDEADLK } else { EBUSY });
        }
        self.races.acquire(tid, (address, 0), !reading);
        self.touch(tid, address, Kind::AtomicWrite, pc)?;
        if reading {
            self.set(tid, address, readers + 1)?;
            self.held.set_times_read(address, tid, self.held.times_read(address, tid) + 1);
        } else {
            self.set(tid, address + 4, owner_word(tid))?;
            self.held.own(address);
        }
        gives(0)
    }

    fn unlock_rw(&mut self, tid: Tid, address: u64, pc: u64) -> Result<Done> {
        let (readers, writer) = self.rwlock(tid, address)?;
        let times = self.held.times_read(address, tid);
        if writer == owner_word(tid) {
            self.touch(tid, address, Kind::AtomicWrite, pc)?;
            self.set(tid, address + 4, 0)?;
            self.held.release(address);
            self.races.release(tid, (address, 0), false);
        } else if writer == 0 && readers > 0 && times > 0 {
            self.touch(tid, address, Kind::AtomicWrite, pc)?;
            self.set(tid, address, readers - 1)?;
            self.held.set_times_read(address, tid, times - 1);
            self.races.release_reader(tid, (address, 0));
        } else if writer > 0 || readers > 0 {
            return Err(self.misuse(tid, address, "is unlocked by a thread that does not hold it"));
        } else {
            return Err(self.misuse(tid, address, "is unlocked while it is not locked"));
        }
        gives(0)
    }

    fn arrive(&mut self, tid: Tid, address: u64, pc: u64) -> Result<Done> {
        let (count, arrived, generation) =
            (self.get(tid, address)?, self.get(tid, address + 4)? + 1, self.get(tid, address + 8)?);
        if count == 0 {
            let message = format!("{} is a barrier that is not initialised", self.name_of(address));
            return Err(self.fault(tid, FaultKind::ThreadMisuse, message));
        }
        self.touch(tid, address, Kind::AtomicWrite, pc)?;
        self.races.release(tid, (address, generation + 1), true);
        self.threads[tid.index()].generation = generation;
        let last = arrived >= count;
        self.set(tid, address + 4, if last { 0 } else { arrived })?;
        if last {
            let taken = self.still_to_leave(address).map(|(_, generation)| generation);
            self.set(tid, address + 8, next_generation(taken.chain([generation])))?;
        }
        gives(last.into())
    }

    fn need_joinable(&mut self, tid: Tid, handle: u64, verb: &str) -> Result<Tid> {
        match self.joinable(handle) {
            Some(target) if self.threads[target.index()].joined => {
                Err(self.thread_misuse(tid, target, &format!("is {verb} after it was joined")))
            }
            Some(target) => Ok(target),
            None => Err(self.fault(tid, FaultKind::ThreadMisuse, format!("something is {verb} that is not a thread"))),
        }
    }

    fn thread_misuse(&self, tid: Tid, target: Tid, what: &str) -> Box<Fault> {
        self.fault(tid, FaultKind::ThreadMisuse, format!("{} {what}", self.thread_label(target)))
    }

    fn join(&mut self, tid: Tid, choice: Choice, handle: u64, result: u64) -> Result<Done> {
        let target = self.need_joinable(tid, handle, "joined")?;
        debug_assert_eq!(tid_of(handle), Some(target));
        if self.threads[target.index()].detached {
            return Err(self.thread_misuse(tid, target, "is joined but detached"));
        }
        if target == tid {
            return Err(self.thread_misuse(tid, target, "joins itself"));
        }
        match choice {
            TIME_OUT => return only_says(ETIMEDOUT),
            CANCEL => return self.take_cancel(tid),
            _ => {}
        }
        if self.threads[target.index()].status != Status::Ended {
            return only_says(EBUSY);
        }
        let value = self.threads[target.index()].result;
        let room = |at: u64| self.is_mapped(at, 8) && self.may_access(at, 8);
        if result != 0 && !(room(result) && self.store(result, &value.to_le_bytes())) {
            return Err(self.bad_access(tid, result, 8, true));
        }
        self.races.join(tid, target);
        self.threads[target.index()].joined = true;
        gives(0)
    }
}
