//! The visible operations as others see them: whether each can happen and with which choices, what it touches, and on what
//! that hangs. The rows of the dependence table, as the virtual machine has them (vm/src/visible): the state of an object
//! of synchronisation lies in its own bytes.

use smallvec::SmallVec;
use threadbare_core::{
    Access, Accesses, Choice, ChoiceState, Choices, Mode, Operation, Outcome, Outcomes, Pending, Space, Tid,
};

use threadbare_vm::note_seen;

use crate::choices::BOUNDED;
use crate::run::{Run, Status};
use crate::world::{ADD, Fiber, SUB};

pub const RECURSIVE: u32 = 1;
pub const ERRORCHECK: u32 = 2;
/// Marks a destroyed object where it would otherwise hold a small number.
pub const DESTROYED: u32 = 0xd15a_b1ed;
/// What `sem_init` leaves behind in a semaphore.
pub const INITIALISED: u32 = 0x1217_a11e;

pub const TIME_OUT: Choice = Choice(1);
pub const CANCEL: Choice = Choice(2);
pub const SPURIOUS: Choice = Choice(3);

pub const THREAD_EXISTS: u128 = 1;
pub const THREAD_ENDED: u128 = 2;
pub const THREAD_JOINED: u128 = 4;
pub const THREAD_DETACHED: u128 = 8;

const HANDLES: u64 = 0x7468_0000;

pub fn handle_of(tid: Tid) -> u64 {
    HANDLES + u64::from(tid.0)
}

pub fn tid_of(handle: u64) -> Option<Tid> {
    u16::try_from(handle.checked_sub(HANDLES)?).ok().map(Tid)
}

pub fn owner_word(tid: Tid) -> u32 {
    u32::from(tid.0) + 1
}

/// Lock word, owner, kind.
struct MutexValue(u128);

impl MutexValue {
    fn is_free(&self) -> bool {
        self.0 as u32 == 0
    }

    fn is_own(&self, tid: Tid) -> bool {
        (self.0 >> 32) as u32 == owner_word(tid)
    }

    fn kind(&self) -> u32 {
        (self.0 >> 64) as u32
    }

    /// Whether `tid` can take it, or gets an answer, at once.
    fn can_lock(&self, tid: Tid) -> bool {
        self.is_free() || self.is_own(tid) && matches!(self.kind(), RECURSIVE | ERRORCHECK) || self.kind() == DESTROYED
    }

    fn can_take(&self, tid: Tid) -> bool {
        self.is_free() || self.is_own(tid) && self.kind() == RECURSIVE
    }
}

/// Readers, then the writer.
struct RwValue(u128);

impl RwValue {
    fn writer(&self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn is_free(&self) -> bool {
        self.0 as u64 == 0
    }

    fn answers(&self, tid: Tid) -> bool {
        self.writer() == DESTROYED || self.writer() == owner_word(tid)
    }
}

/// The size of an atomic access, its order, and what it does.
pub fn packed(word: u64) -> (u64, u64, u64) {
    (word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff)
}

fn state(choice: Choice, enabled: bool) -> ChoiceState {
    ChoiceState { choice, enabled }
}

/// The numbers of the bits that are set.
fn bits(mut value: u128) -> impl Iterator<Item = u16> {
    std::iter::from_fn(move || {
        let lowest = (value != 0).then(|| value.trailing_zeros() as u16);
        value &= value.wrapping_sub(1);
        lowest
    })
}

impl Run {
    fn fiber(&self, tid: Tid) -> &Fiber {
        &self.threads[tid.index()].fiber
    }

    /// The object that the operation touches first: the only one whose value its outcome may hang on.
    fn first_object(&self, tid: Tid) -> Option<Access> {
        use Operation::*;
        let fiber = self.fiber(tid);
        let arg = |i: usize| fiber.arguments[i];
        let object = |space, address| Some(Access::object(space, Mode::Read, address));
        match fiber.operation() {
            ReadModifyWrite | CompareExchange => Some(Access::memory(Mode::Read, arg(0), packed(arg(1)).0 as u32)),
            MutexLock | MutexTryLock | MutexTimedLock | SpinLock | SpinTryLock => object(Space::Mutex, arg(0)),
            CondLeave | CondLeaveTimed => object(Space::Mutex, arg(1)),
            CondSignal | CondBroadcast => object(Space::Cond, arg(0)),
            RwReadLock | RwWriteLock | RwTryReadLock | RwTryWriteLock | RwTimedReadLock | RwTimedWriteLock
            | RwUnlock => object(Space::RwLock, arg(0)),
            SemWait | SemTryWait | SemTimedWait => object(Space::Semaphore, arg(0)),
            OnceEnter => object(Space::Once, arg(0)),
            ThreadJoin | ThreadTryJoin | ThreadTimedJoin => object(Space::Thread, arg(0)),
            _ => None,
        }
    }

    fn first_value(&self, tid: Tid) -> u128 {
        self.first_object(tid).map_or(0, |object| self.value_of(&object))
    }

    pub fn value_of(&self, object: &Access) -> u128 {
        let address = object.address;
        let word = |offset: u64| self.word(address + offset).filter(|_| self.may_access(address + offset, 4));
        match object.space {
            Space::Memory if object.length <= 8 => self.number(address, object.length as usize).map_or(0, u128::from),
            // What cannot be read is found out by doing it.
            Space::Mutex => match word(0) {
                None => u128::from(DESTROYED) << 64,
                Some(lock) => {
                    let (owner, kind) = (word(8).unwrap_or(0), word(16).unwrap_or(0));
                    u128::from(lock) | u128::from(owner) << 32 | u128::from(kind) << 64
                }
            },
            Space::Cond => {
                self.waiters(address).fold(0, |set, waiter| set | 1u128.checked_shl(waiter.0.into()).unwrap_or(0))
            }
            Space::Wake => {
                let thread = self.threads.get(address as usize);
                thread.map_or(0, |thread| u128::from(thread.woken) | u128::from(thread.woken_alone) << 1)
            }
            Space::Semaphore => match (word(0), word(4)) {
                (Some(value), Some(INITIALISED)) => value.into(),
                _ => 1,
            },
            Space::RwLock => match (word(0), word(4)) {
                (Some(readers), Some(writer)) => u128::from(readers) | u128::from(writer) << 32,
                _ => u128::from(DESTROYED) << 32,
            },
            Space::Once => word(0).map_or(0, u128::from),
            Space::Thread => match self.joinable(address) {
                None => 0,
                Some(target) => {
                    let thread = &self.threads[target.index()];
                    let flag = |set: bool, bit: u128| if set { bit } else { 0 };
                    THREAD_EXISTS
                        | flag(thread.status == Status::Ended, THREAD_ENDED)
                        | flag(thread.joined, THREAD_JOINED)
                        | flag(thread.detached, THREAD_DETACHED)
                }
            },
            _ => 0,
        }
    }

    pub fn waiters(&self, cond: u64) -> impl Iterator<Item = Tid> + '_ {
        let live = (0..self.threads.len()).filter(|&i| self.is_live(Tid(i as u16)));
        let waits = move |&i: &usize| self.threads[i].waiting == cond && !self.threads[i].woken;
        live.filter(waits).map(|i| Tid(i as u16))
    }

    /// The threads that have still to leave a barrier, and the generation with which each of them has come.
    pub fn still_to_leave(&self, barrier: u64) -> impl Iterator<Item = (Tid, u32)> + Clone + '_ {
        self.threads.iter().enumerate().filter_map(move |(i, thread)| {
            let fiber = &thread.fiber;
            let waits = || fiber.operation() == Operation::BarrierLeave && fiber.arguments[0] == barrier;
            (self.is_live(Tid(i as u16)) && waits()).then_some((Tid(i as u16), thread.generation))
        })
    }

    /// Whether the value of a condition variable tells who waits in it: every thread has a bit there.
    fn waiters_have_value(&self) -> bool {
        self.threads.len() <= u128::BITS as usize
    }

    fn waiters_by(&self, cond: u64, value: u128) -> SmallVec<[Tid; 8]> {
        if self.waiters_have_value() { bits(value).map(Tid).collect() } else { self.waiters(cond).collect() }
    }

    pub fn joinable(&self, handle: u64) -> Option<Tid> {
        tid_of(handle).filter(|tid| self.threads.get(tid.index()).is_some_and(|thread| thread.exists))
    }

    pub fn owns_mutex(&self, tid: Tid, address: u64) -> bool {
        self.word(address + 8) == Some(owner_word(tid))
    }

    fn choices_with(&self, tid: Tid, value: u128) -> Choices {
        use Operation::*;
        let (thread, fiber) = (&self.threads[tid.index()], self.fiber(tid));
        let arg = |i: usize| fiber.arguments[i];
        let mutex = MutexValue(value);
        let cancellable = |ready: bool, timed: bool| {
            let mut list: SmallVec<[ChoiceState; 2]> = SmallVec::new();
            list.push(state(Choice(0), ready));
            if timed {
                list.push(state(TIME_OUT, !ready));
            }
            if thread.can_cancel() {
                list.push(state(CANCEL, true));
            }
            Choices::Listed(list)
        };
        let can_read = || matches!(RwValue(value).writer(), 0) || RwValue(value).answers(tid);
        let can_write = || RwValue(value).is_free() || RwValue(value).answers(tid);
        match fiber.operation() {
            MutexLock => Choices::one(mutex.can_lock(tid)),
            MutexTimedLock => Choices::timed(mutex.can_lock(tid)),
            CondLeave | CondLeaveTimed => {
                let free = mutex.is_free();
                let mut list: SmallVec<[ChoiceState; 2]> = SmallVec::new();
                list.push(state(Choice(0), thread.woken && free));
                if fiber.operation() == CondLeaveTimed {
                    list.push(state(TIME_OUT, !thread.woken));
                }
                if thread.can_cancel() {
                    list.push(state(CANCEL, !thread.woken || thread.woken_alone));
                }
                Choices::Listed(list)
            }
            CondEnter if thread.spurious < self.setup.spurious && self.owns_mutex(tid, arg(1)) => {
                Choices::Listed(SmallVec::from([state(Choice(0), true), state(SPURIOUS, true)]))
            }
            CondSignal => match self.waiters_by(arg(0), value) {
                none if none.is_empty() => Choices::one(true),
                some => Choices::Listed(some.into_iter().map(|waiter| state(Choice(waiter.0.into()), true)).collect()),
            },
            RwReadLock => Choices::one(can_read()),
            RwTimedReadLock => Choices::timed(can_read()),
            RwWriteLock => Choices::one(can_write()),
            RwTimedWriteLock => Choices::timed(can_write()),
            // POSIX leaves it open. An atomic block is not left.
            TestCancel if arg(0) != 0 && thread.can_cancel() && thread.atomic_depth == 0 => {
                Choices::Listed(SmallVec::from([state(Choice(0), true), state(CANCEL, true)]))
            }
            SemWait => cancellable(value != 0, false),
            SemTimedWait => cancellable(value != 0, true),
            SpinLock => Choices::one(mutex.is_free()),
            BarrierLeave => Choices::one(self.word(arg(0) + 8).is_none_or(|now| now != thread.generation)),
            OnceEnter => Choices::one(value != 1),
            ThreadJoin => cancellable(can_join(value, tid, arg(0)), false),
            ThreadTimedJoin => cancellable(can_join(value, tid, arg(0)), true),
            Clock => {
                let mut list: SmallVec<[ChoiceState; 2]> = SmallVec::new();
                list.push(state(Choice(0), true));
                // An atomic block takes no time.
                if thread.clock_jumps < self.setup.clock_jumps && thread.atomic_depth == 0 {
                    list.push(state(TIME_OUT, true));
                }
                Choices::Listed(list)
            }
            Choose => {
                let (low, high) = (arg(0) as i64, arg(1) as i64);
                let count = high.checked_sub(low).and_then(|n| n.checked_add(1)).unwrap_or(i64::MAX);
                if count <= 0 { Choices::one(true) } else { Choices::Range(u32::try_from(count).unwrap_or(u32::MAX)) }
            }
            Nondet if arg(0) <= 16 => Choices::Range(1 << arg(0)),
            Nondet if arg(0) & BOUNDED != 0 => Choices::Range(arg(2) as u32 + 1),
            _ => Choices::one(true),
        }
    }

    fn accesses_with(&self, tid: Tid, choice: Choice, value: u128) -> Accesses {
        use Mode::*;
        use Operation::*;
        let fiber = self.fiber(tid);
        let arg = |i: usize| fiber.arguments[i];
        let timed_out = choice == TIME_OUT;
        let mut list = Accesses::new();
        let mut add = |space, mode, address| list.push(Access::object(space, mode, address));
        match fiber.operation() {
            Load => list.push(Access::memory(Read, arg(0), arg(1) as u32)),
            Store => list.push(Access::memory(Write, arg(0), arg(1).min(u64::from(u32::MAX)) as u32)),
            ReadModifyWrite => {
                // One that leaves the value as it is may still order threads, which races hang on.
                list.push(Access::memory(Write, arg(0), packed(arg(1)).0 as u32));
            }
            CompareExchange => {
                let size = packed(arg(1)).0;
                let mask = u128::from(u64::MAX >> (64 - 8 * size));
                let mode = if value == u128::from(arg(2)) & mask { Write } else { Read };
                list.push(Access::memory(mode, arg(0), size as u32));
            }
            MutexInit | MutexDestroy | MutexLock => add(Space::Mutex, Write, arg(0)),
            MutexUnlock => add(Space::Mutex, if self.owns_mutex(tid, arg(0)) { Write } else { Read }, arg(0)),
            MutexTryLock => add(Space::Mutex, if MutexValue(value).can_take(tid) { Write } else { Read }, arg(0)),
            MutexTimedLock => add(Space::Mutex, if timed_out { Read } else { Write }, arg(0)),
            CondInit | CondDestroy => add(Space::Cond, Write, arg(0)),
            CondEnter => {
                add(Space::Mutex, if self.owns_mutex(tid, arg(1)) { Write } else { Read }, arg(1));
                add(Space::Cond, Add, arg(0));
            }
            // Who gives up takes the mutex later.
            CondLeave | CondLeaveTimed => {
                if !matches!(choice, TIME_OUT | CANCEL) {
                    add(Space::Mutex, Write, arg(1));
                }
                if choice == Choice(0) {
                    add(Space::Wake, Read, tid.0.into());
                } else {
                    add(Space::Cond, Add, arg(0));
                    add(Space::Wake, Write, tid.0.into());
                }
            }
            CondSignal | CondBroadcast => {
                let mut woken = self.waiters_by(arg(0), value);
                if fiber.operation() == CondSignal {
                    woken.retain(|waiter| u32::from(waiter.0) == choice.0);
                }
                add(Space::Cond, if woken.is_empty() { Read } else { Write }, arg(0));
                for waiter in woken {
                    add(Space::Wake, Write, waiter.0.into());
                }
            }
            RwInit | RwDestroy | RwWriteLock => add(Space::RwLock, Write, arg(0)),
            RwReadLock => add(Space::RwLock, Add, arg(0)),
            RwTimedReadLock => add(Space::RwLock, if timed_out { Read } else { Add }, arg(0)),
            RwTimedWriteLock => add(Space::RwLock, if timed_out { Read } else { Write }, arg(0)),
            RwTryReadLock => add(Space::RwLock, if RwValue(value).writer() == 0 { Add } else { Read }, arg(0)),
            RwTryWriteLock => add(Space::RwLock, if RwValue(value).is_free() { Write } else { Read }, arg(0)),
            RwUnlock => {
                let reads = self.held.times_read(arg(0), tid) > 0;
                let mode = match RwValue(value).writer() == owner_word(tid) {
                    true => Write,
                    false if reads => Add,
                    false => Read,
                };
                add(Space::RwLock, mode, arg(0));
            }
            SemPost => add(Space::Semaphore, Add, arg(0)),
            SemInit | SemDestroy => add(Space::Semaphore, Write, arg(0)),
            SemWait | SemTimedWait => {
                add(Space::Semaphore, if choice == Choice(0) { Write } else { Read }, arg(0));
            }
            SemTryWait => add(Space::Semaphore, if value != 0 { Write } else { Read }, arg(0)),
            SemGetValue => add(Space::Semaphore, Read, arg(0)),
            SpinInit | SpinDestroy | SpinLock => add(Space::Mutex, Write, arg(0)),
            SpinUnlock => {
                let owns = self.word(arg(0)) == Some(owner_word(tid));
                add(Space::Mutex, if owns { Write } else { Read }, arg(0));
            }
            SpinTryLock => add(Space::Mutex, if MutexValue(value).is_free() { Write } else { Read }, arg(0)),
            BarrierInit | BarrierDestroy => add(Space::Barrier, Write, barrier(arg(0), None)),
            // Where the last to arrive is told so, the order matters.
            BarrierArrive => {
                let told = arg(1) as u32 != 0 || self.ordered_barriers;
                let mode = if told { Write } else { Add };
                add(Space::Barrier, mode, barrier(arg(0), Some(self.word(arg(0) + 8).unwrap_or(0))));
                add(Space::Barrier, mode, barrier(arg(0), None));
            }
            BarrierLeave => add(Space::Barrier, Read, barrier(arg(0), Some(self.threads[tid.index()].generation))),
            OnceEnter => add(Space::Once, if value == 2 { Read } else { Write }, arg(0)),
            OnceDone | OnceAbandon => add(Space::Once, Write, arg(0)),
            ThreadTryJoin => add(Space::Thread, if value & THREAD_ENDED != 0 { Write } else { Read }, arg(0)),
            ThreadJoin | ThreadTimedJoin | ThreadDetach => {
                add(Space::Thread, if timed_out || choice == CANCEL { Read } else { Write }, arg(0));
            }
            ThreadCancel => add(Space::Thread, Write, arg(0)),
            Sleep | SleepUntil if self.program.reads_clock => add(Space::Hidden, Write, 0),
            Clock => add(Space::Hidden, if timed_out { Write } else { Read }, 0),
            TestCancel if !self.threads[tid.index()].can_cancel() => add(Space::Thread, Read, handle_of(tid)),
            TestCancel | ThreadEnd => add(Space::Thread, Write, handle_of(tid)),
            HiddenState => add(Space::Hidden, Write, arg(0)),
            Unseen => add(Space::Unseen, Write, 0),
            Free => {
                let size = self.block_size(arg(0)).unwrap_or(1).clamp(1, u32::MAX.into());
                list.push(Access::memory(Write, arg(0), size as u32));
            }
            Exit => add(Space::Process, Write, 0),
            _ => {}
        }
        // Waiting is where a cancellation is noticed.
        if self.program.cancels && waits_cancellably(fiber.operation()) {
            list.push(Access::object(Space::Thread, Read, handle_of(tid)));
        }
        if self.program.unseen {
            if self.may_return_to_foreign_code(tid) && fiber.operation() != Unseen {
                list.push(Access::object(Space::Unseen, Write, 0));
            } else if matches!(fiber.operation(), Load | Store | ReadModifyWrite | CompareExchange | Free) {
                list.push(Access::object(Space::Unseen, Add, 0));
            }
        }
        note_seen(self.program.invariants.iter().map(|invariant| &invariant.sight), &mut list);
        list
    }

    fn outcome(&self, tid: Tid) -> Outcome {
        use Operation::*;
        let fiber = self.fiber(tid);
        match fiber.operation() {
            // A cancellation decides as well.
            CondLeave | SemWait | SemTimedWait | ThreadJoin | ThreadTimedJoin | TestCancel if self.program.cancels => {
                Outcome::Open
            }
            MutexLock | MutexTryLock | MutexTimedLock | CondLeave | RwReadLock | RwWriteLock | RwTryReadLock
            | RwTryWriteLock | RwTimedReadLock | RwTimedWriteLock | RwUnlock | SpinLock | SpinTryLock | OnceEnter
            | CompareExchange | SemWait | SemTryWait | SemTimedWait | ThreadJoin | ThreadTryJoin | ThreadTimedJoin => {
                Outcome::ByValue
            }
            CondSignal | CondBroadcast if self.waiters_have_value() => Outcome::ByValue,
            CondSignal | CondBroadcast | CondLeaveTimed | BarrierLeave | AtomicBegin | AtomicEnd => Outcome::Open,
            BarrierArrive if fiber.arguments[1] as u32 != 0 || self.ordered_barriers => Outcome::Open,
            ReadModifyWrite if !matches!(packed(fiber.arguments[1]).2, ADD | SUB) => Outcome::ByValue,
            _ => Outcome::Fixed,
        }
    }

    pub fn pending_of(&self, tid: Tid) -> Pending {
        let operation = self.fiber(tid).operation();
        let outcome = self.outcome(tid);
        let value = if outcome == Outcome::Fixed { 0 } else { self.first_value(tid) };
        Pending { tid, operation, choices: self.choices_with(tid, value), outcome }
    }

    /// An operation that can always happen, in one way, and touches one object, always in the same mode.
    #[inline]
    pub fn simple(&self, tid: Tid) -> Option<(Operation, Access)> {
        use Operation::*;
        let fiber = self.fiber(tid);
        let [a0, a1, ..] = fiber.arguments;
        let operation = fiber.operation();
        let access = match operation {
            Load => Access::memory(Mode::Read, a0, a1 as u32),
            Store if a1 <= 16 => Access::memory(Mode::Write, a0, a1 as u32),
            ReadModifyWrite if matches!(packed(a1).2, ADD | SUB) => {
                Access::memory(Mode::Write, a0, packed(a1).0 as u32)
            }
            MutexUnlock if self.owns_mutex(tid, a0) => Access::object(Space::Mutex, Mode::Write, a0),
            _ => return None,
        };
        let only_that = self.program.invariants.is_empty() && !self.program.unseen;
        (!self.is_waiting_place(fiber.pc) && only_that).then_some((operation, access))
    }

    /// A join of a thread that goes on, which nobody cancels.
    #[inline]
    pub fn surely_waits(&self, tid: Tid) -> bool {
        let fiber = self.fiber(tid);
        fiber.operation() == Operation::ThreadJoin
            && !self.program.cancels
            && tid_of(fiber.arguments[0]).is_some_and(|target| {
                target != tid && self.is_live(target) && {
                    let thread = &self.threads[target.index()];
                    !thread.detached && !thread.joined
                }
            })
    }

    /// Whether a thread that stands at a join need not wait.
    pub fn can_join_now(&self, tid: Tid) -> bool {
        can_join(self.first_value(tid), tid, self.fiber(tid).arguments[0])
    }

    pub fn accesses_of(&mut self, tid: Tid, choice: Choice) -> Accesses {
        if self.fiber(tid).operation() == Operation::AtomicBegin {
            return self.accesses_of_block(tid, choice);
        }
        self.accesses_with(tid, choice, self.first_value(tid))
    }

    pub fn outcomes(&self, tid: Tid, value: u128) -> Outcomes {
        let choices = self.choices_with(tid, value);
        Outcomes(choices.enabled().map(|c| (c, self.accesses_with(tid, c, value))).collect())
    }
}

/// A barrier as a whole, or one generation of it.
fn barrier(address: u64, generation: Option<u32>) -> u64 {
    address | generation.map_or(0, |g| u64::from(g) + 1) << 48
}

fn waits_cancellably(operation: Operation) -> bool {
    use Operation::*;
    matches!(operation, CondLeave | CondLeaveTimed | SemWait | SemTimedWait | ThreadJoin | ThreadTimedJoin)
}

/// A join can happen when the thread has ended, or when there is something to complain of.
fn can_join(value: u128, tid: Tid, handle: u64) -> bool {
    value & (THREAD_ENDED | THREAD_JOINED | THREAD_DETACHED) != 0
        || value & THREAD_EXISTS == 0
        || tid_of(handle) == Some(tid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_that_is_set_is_told_once() {
        for set in [vec![], vec![0], vec![127], vec![3, 4, 63, 64, 100], (0..128).collect()] {
            let value = set.iter().fold(0, |value, bit| value | 1 << bit);
            assert_eq!(bits(value).collect::<Vec<u16>>(), set);
        }
    }
}
