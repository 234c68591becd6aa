//! What a visible operation touches: the rows of the dependence table, as the value of the first object decides.

use super::*;

impl VmMachine {
    /// What the operation would touch if it happened with `choice` while its first object had that value.
    pub(crate) fn accesses_with(&self, tid: Tid, site: &VisibleSite, choice: Choice, value: u128) -> Accesses {
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
            // One that leaves the value as it is only looks at it; but it may order threads, which races hang on.
            (ReadModifyWrite, VisibleDetail::Rmw { op, bytes, bits, .. }) => {
                let same = !self.memory.races.is_on() && !matches!(op, Rmw::Add | Rmw::Sub) && {
                    let (operand, undefined) = self.wide_arg(tid, site, 1, bytes);
                    undefined == 0 && rmw(op, bits, value, operand) == value
                };
                list.push(Access::memory(if same { Read } else { Write }, arg(0), bytes.into()));
            }
            (CompareExchange, VisibleDetail::Cas { bytes, .. }) => {
                let (expected, undefined) = self.wide_arg(tid, site, 1, bytes);
                let mode = if value == expected & !undefined { Write } else { Read };
                list.push(Access::memory(mode, arg(0), bytes.into()));
            }
            (MutexInit | MutexDestroy | MutexLock, _) => add(Space::Mutex, Write, arg(0)),
            // A release by somebody who does not hold it fails, whatever others do, and leaves it as it is.
            (MutexUnlock, _) => add(Space::Mutex, if self.owns_mutex(tid, arg(0)) { Write } else { Read }, arg(0)),
            (MutexTryLock, _) => add(Space::Mutex, if MutexValue(value).can_take(tid) { Write } else { Read }, arg(0)),
            (MutexTimedLock, _) => add(Space::Mutex, if timed_out { Read } else { Write }, arg(0)),
            (CondInit | CondDestroy, _) => add(Space::Cond, Write, arg(0)),
            (CondEnter, _) => {
                add(Space::Mutex, if self.owns_mutex(tid, arg(1)) { Write } else { Read }, arg(1));
                add(Space::Cond, Add, arg(0));
            }
            // Who gives up takes the mutex later.
            (CondLeave | CondLeaveTimed, _) => {
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
            (CondSignal | CondBroadcast, _) => {
                let mut woken = self.waiters_by(arg(0), value);
                if site.operation == CondSignal {
                    woken.retain(|waiter| u32::from(waiter.0) == choice.0);
                }
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
                add(Space::RwLock, if RwValue(value).writer() == 0 { Add } else { Read }, arg(0));
            }
            (RwTryWriteLock, _) => add(Space::RwLock, if RwValue(value).is_free() { Write } else { Read }, arg(0)),
            (RwUnlock, _) => {
                let reads = self.memory.times_read(arg(0), owner_word(tid)) > 0;
                let writes = RwValue(value).writer() == owner_word(tid);
                add(
                    Space::RwLock,
                    if writes {
                        Write
                    } else if reads {
                        Add
                    } else {
                        Read
                    },
                    arg(0),
                );
            }
            (SemPost, _) => add(Space::Semaphore, Add, arg(0)),
            (SemInit | SemDestroy, _) => add(Space::Semaphore, Write, arg(0)),
            (SemWait | SemTimedWait, _) => {
                add(Space::Semaphore, if choice == Choice(0) { Write } else { Read }, arg(0))
            }
            (SemTryWait, _) => {
                add(Space::Semaphore, if value != 0 { Write } else { Read }, arg(0));
            }
            (SemGetValue, _) => add(Space::Semaphore, Read, arg(0)),
            (SpinInit | SpinDestroy | SpinLock, _) => add(Space::Mutex, Write, arg(0)),
            (SpinUnlock, _) => {
                let owns = self.word(arg(0)).map(|word| self.owner_by(arg(0), word)) == Some(owner_word(tid));
                add(Space::Mutex, if owns { Write } else { Read }, arg(0));
            }
            (SpinTryLock, _) => add(Space::Mutex, if MutexValue(value).is_free() { Write } else { Read }, arg(0)),
            (BarrierInit | BarrierDestroy, _) => add(Space::Barrier, Write, self.barrier_object(arg(0), None)),
            // Where the last to arrive is told so, the order matters.
            (BarrierArrive, _) => {
                let told = arg(1) as u32 != 0 || self.ordered_barriers;
                let mode = if told { Write } else { Add };
                let generation = self.word(arg(0) + 8).unwrap_or(0);
                add(Space::Barrier, mode, self.barrier_object(arg(0), Some(generation)));
                add(Space::Barrier, mode, self.barrier_object(arg(0), None));
            }
            (BarrierLeave, _) => {
                let generation = self.threads[tid.index()].control.generation;
                add(Space::Barrier, Read, self.barrier_object(arg(0), Some(generation)));
            }
            // Once the routine has run, there is nothing but to see that.
            (OnceEnter, _) => add(Space::Once, if value == 2 { Read } else { Write }, arg(0)),
            (OnceDone | OnceAbandon, _) => add(Space::Once, Write, arg(0)),
            (ThreadCreate, _) => {}
            (ThreadTryJoin, _) => add(Space::Thread, if value & THREAD_ENDED != 0 { Write } else { Read }, arg(0)),
            (ThreadJoin | ThreadTimedJoin | ThreadDetach, _) => {
                add(Space::Thread, if timed_out || choice == CANCEL { Read } else { Write }, arg(0));
            }
            (ThreadCancel, _) => add(Space::Thread, Write, arg(0)),
            (TestCancel, _) if !self.can_cancel(tid) => add(Space::Thread, Read, handle_of(tid)),
            (TestCancel | ThreadEnd, _) => add(Space::Thread, Write, handle_of(tid)),
            (HiddenState, _) => add(Space::Hidden, Write, arg(0)),
            (Sleep | SleepUntil, _) if self.program.reads_clock => add(Space::Hidden, Write, 0),
            (Clock, _) => {
                let moves = timed_out || self.clock_jumps.is_none();
                add(Space::Hidden, if moves { Write } else { Read }, 0);
            }
            (Free, _) => {
                let size = self.memory.object_at(arg(0)).map_or(1, |(_, object)| object.size.clamp(1, u32::MAX.into()));
                list.push(Access::memory(Write, arg(0), size as u32));
            }
            (Exit, _) => add(Space::Process, Write, 0),
            _ => {}
        }
        // Waiting is where a cancellation is noticed.
        if self.program.cancels && waits_cancellably(site.operation) {
            list.push(Access::object(Space::Thread, Read, handle_of(tid)));
        }
        self.program.note_observed(&mut list);
        list
    }

    /// A barrier as a whole, or one generation of it.
    fn barrier_object(&self, address: Addr, generation: Option<u32>) -> u64 {
        address | generation.map_or(0, |g| u64::from(g) + 1) << 48
    }
}

fn waits_cancellably(operation: Operation) -> bool {
    use Operation::*;
    matches!(operation, CondLeave | CondLeaveTimed | SemWait | SemTimedWait | ThreadJoin | ThreadTimedJoin)
}
