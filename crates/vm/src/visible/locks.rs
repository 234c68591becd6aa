//! Mutexes, condition variables, read-write locks and semaphores as they lie in memory, and their misuse.

use super::*;

impl VmMachine {
    pub(super) fn used_mutex(&mut self, tid: Tid, address: Addr) -> Result<Mutex> {
        self.need_initialised(tid, address, FaultKind::MutexMisuse)?;
        let mutex = self.mutex(address).map_err(self.bad(tid))?;
        if mutex.kind == DESTROYED {
            return Err(self.misuse(tid, FaultKind::MutexMisuse, address, "is used after it was destroyed"));
        }
        Ok(mutex)
    }

    pub(super) fn used_cond(&mut self, tid: Tid, address: Addr) -> Result<()> {
        self.need_initialised(tid, address, FaultKind::MutexMisuse)?;
        if self.load_word(tid, address)? == DESTROYED {
            return Err(self.misuse(tid, FaultKind::MutexMisuse, address, "is used after it was destroyed"));
        }
        Ok(())
    }

    pub(super) fn used_rwlock(&mut self, tid: Tid, address: Addr) -> Result<(u32, u32)> {
        self.need_initialised(tid, address, FaultKind::MutexMisuse)?;
        let (readers, writer) = (self.load_word(tid, address)?, self.load_word(tid, address + 4)?);
        let writer = self.owner_by(address, writer);
        if writer == DESTROYED {
            return Err(self.misuse(tid, FaultKind::MutexMisuse, address, "is used after it was destroyed"));
        }
        Ok((readers, writer))
    }

    pub(super) fn used_semaphore(&mut self, tid: Tid, address: Addr) -> Result<u32> {
        self.need_initialised(tid, address, FaultKind::ThreadMisuse)?;
        let what = match self.load_word(tid, address + 4)? {
            INITIALISED => return self.load_word(tid, address),
            DESTROYED => "is used after it was destroyed",
            _ => "is used before it was initialised: only sem_init makes a semaphore, even of memory that is all zero",
        };
        Err(self.misuse(tid, FaultKind::ThreadMisuse, address, what))
    }

    /// What a lock gives that cannot be had: its owner is told so.
    pub(super) fn busy(&self, tid: Tid, writer: u32, trying: bool) -> u64 {
        if writer == owner_word(tid) && !trying { EDEADLK } else { EBUSY }
    }

    /// `init` of a mutex that somebody holds.
    pub(super) fn check_not_held(&mut self, tid: Tid, address: Addr) -> Result<()> {
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

    pub(super) fn lock(&mut self, tid: Tid, address: Addr) -> Result<u64> {
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
        self.store_word(tid, address + 8, self.owner_mark(tid, address))?;
        self.memory.set_owner(address, owner_word(tid));
        Ok(0)
    }

    pub(super) fn unlock(&mut self, tid: Tid, address: Addr) -> Result<u64> {
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
        self.memory.set_owner(address, 0);
        Ok(0)
    }

    /// Who is signalled and cancelled before it has gone on may end by the cancellation, but then it must not have taken a signal
    /// that others could have had: where one of those is signalled instead is explored as well.
    pub(super) fn wake(&mut self, waiter: Tid, alone: bool) {
        let woken_alone = alone && self.program.cancels;
        let control = Control { woken: true, woken_alone, ..self.threads[waiter.index()].control };
        self.set_control(waiter, control);
    }

    pub(super) fn take_cancel(&mut self, tid: Tid) -> Result<Option<u64>> {
        let control = Control { cancel_pending: false, ..self.threads[tid.index()].control };
        self.set_control(tid, control);
        Ok(Some(CANCELLED))
    }
}
