//! The values of objects: what the outcome of an operation on them hangs on.

use super::*;

pub(super) const THREAD_EXISTS: u128 = 1;
pub(super) const THREAD_ENDED: u128 = 2;
pub(super) const THREAD_JOINED: u128 = 4;
pub(super) const THREAD_DETACHED: u128 = 8;
const THREAD_CANCELLED: u128 = 16;

/// Lock word, owner, kind. A spin lock has only the first.
#[derive(Clone, Copy)]
pub(super) struct MutexValue(pub u128);

impl MutexValue {
    /// What cannot be read is found out by doing it.
    const UNREADABLE: u128 = (DESTROYED as u128) << 64;

    fn owner(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn kind(self) -> u32 {
        (self.0 >> 64) as u32
    }

    pub fn is_free(self) -> bool {
        self.0 as u32 == 0
    }

    /// Whether `tid` can take the mutex, or gets an answer, at once.
    pub fn can_lock(self, tid: Tid) -> bool {
        let again = self.owner() == owner_word(tid) && matches!(self.kind(), RECURSIVE | ERRORCHECK);
        self.is_free() || again || self.kind() == DESTROYED
    }

    /// Whether `tid` would get it.
    pub fn can_take(self, tid: Tid) -> bool {
        self.is_free() || (self.owner() == owner_word(tid) && self.kind() == RECURSIVE)
    }
}

/// Readers, then the writer.
#[derive(Clone, Copy)]
pub(super) struct RwValue(pub u128);

impl RwValue {
    fn readers(self) -> u32 {
        self.0 as u32
    }

    pub fn writer(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Whether `tid` gets a read lock, or an answer, at once.
    pub fn can_read(self, tid: Tid) -> bool {
        matches!(self.writer(), 0 | DESTROYED) || self.writer() == owner_word(tid)
    }

    pub fn can_write(self, tid: Tid) -> bool {
        self.is_free() || self.writer() == DESTROYED || self.writer() == owner_word(tid)
    }

    pub fn is_free(self) -> bool {
        self.readers() == 0 && self.writer() == 0
    }
}

impl VmMachine {
    /// The object that the operation touches first: the only one whose value its outcome may hang on.
    fn first_object(&self, tid: Tid, site: &VisibleSite) -> Option<Access> {
        use Operation::*;
        let arg = |i| self.arg(tid, site, i);
        let object = |space, address| Some(Access::object(space, Mode::Read, address));
        match (site.operation, site.detail) {
            (ReadModifyWrite, VisibleDetail::Rmw { bytes, .. })
            | (CompareExchange, VisibleDetail::Cas { bytes, .. }) => {
                Some(Access::memory(Mode::Read, arg(0), bytes.into()))
            }
            (MutexLock | MutexTryLock | MutexTimedLock | SpinLock | SpinTryLock, _) => object(Space::Mutex, arg(0)),
            (CondLeave | CondLeaveTimed, _) => object(Space::Mutex, arg(1)),
            (CondSignal | CondBroadcast, _) => object(Space::Cond, arg(0)),
            (
                RwReadLock | RwWriteLock | RwTryReadLock | RwTryWriteLock | RwTimedReadLock | RwTimedWriteLock
                | RwUnlock,
                _,
            ) => object(Space::RwLock, arg(0)),
            (SemWait | SemTryWait | SemTimedWait, _) => object(Space::Semaphore, arg(0)),
            (OnceEnter, _) => object(Space::Once, arg(0)),
            (ThreadJoin | ThreadTryJoin | ThreadTimedJoin, _) => object(Space::Thread, arg(0)),
            _ => None,
        }
    }

    pub(super) fn first_value(&self, tid: Tid, site: &VisibleSite) -> u128 {
        self.first_object(tid, site).map_or(0, |object| self.value_of(&object))
    }

    pub(crate) fn value_of(&self, object: &Access) -> u128 {
        let address = object.address;
        let word = |offset: u64| self.word(address + offset);
        match object.space {
            Space::Memory if object.length <= 16 => {
                self.load_wide(address, object.length as u8).map_or(0, |(value, undefined)| value & !undefined)
            }
            Space::Memory => 0,
            Space::Mutex => self.mutex_value(address),
            Space::Cond => {
                self.waiters(address).fold(0, |set, waiter| set | 1u128.checked_shl(waiter.0.into()).unwrap_or(0))
            }
            Space::Wake => {
                let control = self.threads.get(address as usize).map(|thread| &thread.control);
                control.map_or(0, |control| u128::from(control.woken) | u128::from(control.woken_alone) << 1)
            }
            // What is not a semaphore is found out by taking it.
            Space::Semaphore => match (self.memory.load::<4>(address), word(4)) {
                (Ok((value, 0)), Some(INITIALISED)) => value.into(),
                _ => 1,
            },
            Space::RwLock => match (word(0), word(4)) {
                (Some(readers), Some(writer)) => u128::from(readers) | u128::from(self.owner_by(address, writer)) << 32,
                _ => u128::from(DESTROYED) << 32,
            },
            Space::Once => word(0).map_or(0, u128::from),
            Space::Thread => self.thread_value(address),
            Space::Barrier | Space::Hidden | Space::Property | Space::Unseen | Space::Process => 0,
        }
    }

    /// See `MutexValue`. A spin lock is shorter than a mutex.
    #[inline]
    pub(super) fn mutex_value(&self, address: Addr) -> u128 {
        let [lock, owner, kind] = match self.memory.load_u32s(address, [0, 8, 16]) {
            Some(words) => words,
            None => {
                let word = |offset: u64| self.word(address + offset);
                let Some(lock) = word(0) else { return MutexValue::UNREADABLE };
                [lock, word(8).unwrap_or(0), word(16).unwrap_or(0)]
            }
        };
        u128::from(lock) | u128::from(self.owner_by(address, owner)) << 32 | u128::from(kind) << 64
    }

    /// What a join hangs on.
    #[inline]
    pub(super) fn thread_value(&self, handle: u64) -> u128 {
        let Some((tid, control)) = self.joinable(handle) else { return 0 };
        let flag = |set: bool, bit: u128| if set { bit } else { 0 };
        THREAD_EXISTS
            | flag(control.status == Status::Ended && !self.waits_for_others(tid), THREAD_ENDED)
            | flag(control.joined, THREAD_JOINED)
            | flag(control.detached, THREAD_DETACHED)
            | flag(control.cancel_pending, THREAD_CANCELLED)
    }
}
