//! What each visible operation does.

use super::*;

impl VmMachine {
    /// Executes the visible operation of `tid`, which then stands at what comes after it.
    pub(crate) fn perform(&mut self, tid: Tid, choice: Choice) -> Result<()> {
        // SAFETY: a machine keeps its program. A reference of its own would have to be counted, for every step.
        let program = unsafe { &*std::sync::Arc::as_ptr(&self.program) };
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
                    let what = if i == 0 { "an address depends on it" } else { "an atomic operation depends on it" };
                    return Err(self.cpu(tid).uninitialised(what));
                }
            }
        }
        let result = self.operate(tid, choice, site, d)?;
        if self.threads[tid.index()].control.status == Status::Ready {
            let thread = &mut self.threads[tid.index()];
            if let Some(value) = result {
                thread.set_slot(d, value, 0);
            }
            thread.frames.last_mut().expect("a live thread").pc += 1;
        }
        Ok(())
    }

    /// The operation itself, with what it means for races. Gives its result where that is a single slot.
    pub(crate) fn operate(&mut self, tid: Tid, choice: Choice, site: &VisibleSite, d: Slot) -> Result<Option<u64>> {
        if !self.memory.races.is_on() {
            return self.execute(tid, choice, site, d);
        }
        let before = self.race_before(tid, site)?;
        let result = self.execute(tid, choice, site, d)?;
        self.race_after(tid, site, d, before, result)?;
        Ok(result)
    }

    pub(super) fn bad(&mut self, tid: Tid) -> impl FnMut(BadAccess) -> Box<Fault> + '_ {
        move |bad| self.cpu(tid).bad_access(bad)
    }

    /// The generations of a barrier with which somebody has still to leave.
    fn still_to_leave(&self, barrier: Addr) -> impl Iterator<Item = u32> + Clone + '_ {
        self.live_threads().filter_map(move |tid| match self.site(tid) {
            Some((site, _)) if site.operation == Operation::BarrierLeave && self.arg(tid, site, 0) == barrier => {
                Some(self.threads[tid.index()].control.generation)
            }
            _ => None,
        })
    }

    pub(super) fn store_word(&mut self, tid: Tid, address: Addr, value: u32) -> Result<()> {
        self.memory.store_u32(address, value).map_err(|bad| self.cpu(tid).bad_access(bad))
    }

    pub(super) fn load_word(&mut self, tid: Tid, address: Addr) -> Result<u32> {
        self.memory.load_u32(address).map_err(self.bad(tid))
    }

    pub(super) fn misuse(&mut self, tid: Tid, kind: FaultKind, address: Addr, what: &str) -> Box<Fault> {
        let name = self.name_of(address);
        let mut fault = self.cpu(tid).fault(kind, format!("{name} {what}"));
        fault.address = Some(address);
        fault.object = describe(&self.program, &self.memory, address).map(|(object, _)| object);
        fault
    }

    /// Checks that the first word of an object was set by somebody before it is used.
    pub(super) fn need_initialised(&mut self, tid: Tid, address: Addr, kind: FaultKind) -> Result<()> {
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
            Start | Unseen | Recorded => unreachable!("none of them is in the code"),
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
                self.memory.set_owner(a0, 0);
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
                let woken = choice == SPURIOUS;
                let mut control = Control { waiting: a0, woken, ..self.threads[tid.index()].control };
                control.spurious += u8::from(woken);
                self.set_control(tid, control);
                zero
            }
            CondLeave | CondLeaveTimed => {
                let m = arg(self, 1);
                let control =
                    Control { waiting: 0, woken: false, woken_alone: false, ..self.threads[tid.index()].control };
                self.set_control(tid, control);
                match choice {
                    TIME_OUT => Ok(Some(ETIMEDOUT)),
                    CANCEL => self.take_cancel(tid),
                    _ => {
                        self.lock(tid, m)?;
                        zero
                    }
                }
            }
            CondSignal => {
                self.used_cond(tid, a0)?;
                let waiters: SmallVec<[Tid; 8]> = self.waiters(a0).collect();
                if let Some(&waiter) = waiters.iter().find(|waiter| u32::from(waiter.0) == choice.0) {
                    self.wake(waiter, waiters.len() == 1);
                }
                zero
            }
            CondBroadcast => {
                self.used_cond(tid, a0)?;
                let waiters: Vec<Tid> = self.waiters(a0).collect();
                waiters.into_iter().for_each(|waiter| self.wake(waiter, true));
                zero
            }
            RwInit => {
                self.store_word(tid, a0, 0)?;
                self.store_word(tid, a0 + 4, 0)?;
                self.memory.set_free(a0);
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
                let times = self.memory.times_read(a0, owner_word(tid));
                self.memory.set_times_read(a0, owner_word(tid), times + 1);
                zero
            }
            RwWriteLock | RwTryWriteLock | RwTimedWriteLock => {
                let (readers, writer) = self.used_rwlock(tid, a0)?;
                if writer > 0 || readers > 0 {
                    return Ok(Some(self.busy(tid, writer, site.operation == RwTryWriteLock)));
                }
                self.store_word(tid, a0 + 4, self.owner_mark(tid, a0))?;
                self.memory.set_owner(a0, owner_word(tid));
                zero
            }
            RwUnlock => {
                let (readers, writer) = self.used_rwlock(tid, a0)?;
                let times = self.memory.times_read(a0, owner_word(tid));
                if writer == owner_word(tid) {
                    self.store_word(tid, a0 + 4, 0)?;
                    self.memory.set_owner(a0, 0);
                } else if writer == 0 && readers > 0 && times > 0 {
                    self.store_word(tid, a0, readers - 1)?;
                    self.memory.set_times_read(a0, owner_word(tid), times - 1);
                } else {
                    let what = if writer > 0 || readers > 0 {
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
                self.store_word(tid, a0 + 4, INITIALISED)?;
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
                self.memory.set_owner(a0, 0);
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
                self.store_word(tid, a0, self.owner_mark(tid, a0))?;
                self.memory.set_owner(a0, owner_word(tid));
                zero
            }
            SpinUnlock => {
                self.need_initialised(tid, a0, FaultKind::MutexMisuse)?;
                let word = self.load_word(tid, a0)?;
                match self.owner_by(a0, word) {
                    owner if owner == owner_word(tid) => {
                        self.store_word(tid, a0, 0)?;
                        self.memory.set_owner(a0, 0);
                    }
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
                let generation = next_generation(self.still_to_leave(a0));
                for (offset, value) in [(0, arg(self, 1) as u32), (4, 0), (8, generation)] {
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
                    let next = next_generation(self.still_to_leave(a0).chain([generation]));
                    self.store_word(tid, a0 + 8, next)?;
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
                self.look_at_create(tid, detached);
                let function = match code_target(start) {
                    Some((f, 0)) if (f as usize) < self.program.functions.len() => f,
                    _ => return Err(self.cpu(tid).bad_call(start)),
                };
                match self.create_thread(tid, function, &[argument], detached) {
                    Ok(child) => Ok(Some(handle_of(child))),
                    Err(message) => Err(self.cpu(tid).fault(FaultKind::Limit, message)),
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
                let is_due = a0 == 0 && self.can_cancel(tid);
                if !is_due && choice != CANCEL {
                    return zero;
                }
                self.take_cancel(tid)?;
                Ok(Some(1))
            }
            Yield | Label | HiddenState => zero,
            Sleep | SleepUntil => {
                let duration = match site.operation {
                    // Without a search a scheduler has let the time pass.
                    Sleep if self.clock_jumps.is_none() => 0,
                    Sleep => a0,
                    _ => a0.saturating_sub(self.system.state.clock),
                };
                if self.program.reads_clock && duration > 0 {
                    self.system.advance(duration, &mut self.memory);
                }
                zero
            }
            Clock => {
                if choice == TIME_OUT {
                    let control = self.threads[tid.index()].control;
                    self.set_control(tid, Control { clock_jumps: control.clock_jumps + 1, ..control });
                    self.system.advance(CLOCK_JUMP, &mut self.memory);
                } else if let Some(most) = self.clock_jumps {
                    self.looked_in_vain |= self.threads[tid.index()].control.clock_jumps >= most;
                } else {
                    self.system.advance(CLOCK_TICK, &mut self.memory);
                }
                Ok(Some(self.system.state.clock))
            }
            Choose => {
                let (low, high) = (a0 as i64, arg(self, 1) as i64);
                if high < low {
                    let message = format!("tb_choose({low}, {high}) has nothing to choose from");
                    return Err(self.cpu(tid).fault(FaultKind::Unsupported, message));
                }
                Ok(Some(low.wrapping_add(i64::from(choice.0)) as u64))
            }
            Nondet if site.args.len() == 3 => {
                let width = arg(self, 2) as u32;
                Ok(Some(a0.wrapping_add(choice.0.into()) & (u64::MAX >> (64 - width))))
            }
            Nondet => Ok(Some(choice.0.into())),
            Free => {
                self.cpu(tid).heap_object(a0)?;
                self.cpu(tid).need_released(a0, "is freed while it is locked")?;
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
}

/// The operands of a visible operation that may be undefined: those that are only stored, and what a compare-exchange looks
/// for, which it looks at itself.
fn value_operands(site: &VisibleSite) -> std::ops::Range<usize> {
    match site.detail {
        VisibleDetail::Access { .. } | VisibleDetail::Rmw { .. } | VisibleDetail::Cas { .. } => 1..site.args.len(),
        _ if matches!(site.operation, Operation::ThreadCreate | Operation::ThreadEnd) => 0..2,
        _ => 0..0,
    }
}
