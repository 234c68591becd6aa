//! What a visible operation touches: the rows of the dependence table, from its outcome in the current state.

use super::*;

impl VmMachine {
    /// What the operation would touch if it happened now with `choice`.
    pub(super) fn accesses(&self, tid: Tid, site: &VisibleSite, choice: Choice) -> Accesses {
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
}
