//! Whether a visible operation can happen, and with which choices, as the value of the first object that it touches
//! decides.

use super::*;

/// The object that all atomic blocks share.
const ATOMIC_BLOCKS: u64 = u64::MAX - 1;

fn state(choice: Choice, enabled: bool) -> ChoiceState {
    ChoiceState { choice, enabled }
}

impl VmMachine {
    pub(super) fn choices_with(&self, tid: Tid, site: &VisibleSite, value: u128) -> Choices {
        use Operation::*;
        let arg = |i| self.arg(tid, site, i);
        let one = |ready: bool| Choices::one(ready);
        let cancellable = |ready: bool, timed: bool| {
            let mut list: SmallVec<[ChoiceState; 2]> = SmallVec::new();
            list.push(state(Choice(0), ready));
            if timed {
                list.push(state(TIME_OUT, !ready));
            }
            if self.can_cancel(tid) {
                list.push(state(CANCEL, true));
            }
            Choices::Listed(list)
        };
        match site.operation {
            MutexLock => one(MutexValue(value).can_lock(tid)),
            MutexTimedLock => Choices::timed(MutexValue(value).can_lock(tid)),
            CondLeave | CondLeaveTimed => {
                let control = &self.threads[tid.index()].control;
                let free = MutexValue(value).is_free();
                let mut list: SmallVec<[ChoiceState; 2]> = SmallVec::new();
                list.push(state(Choice(0), control.woken && free));
                if site.operation == CondLeaveTimed {
                    list.push(state(TIME_OUT, !control.woken));
                }
                if self.can_cancel(tid) {
                    list.push(state(CANCEL, !control.woken || control.woken_alone));
                }
                Choices::Listed(list)
            }
            CondEnter if self.threads[tid.index()].control.spurious < self.spurious && self.owns_mutex(tid, arg(1)) => {
                Choices::Listed(SmallVec::from([state(Choice(0), true), state(SPURIOUS, true)]))
            }
            CondSignal => {
                let waiters = self.waiters_by(arg(0), value);
                if waiters.is_empty() {
                    return one(true);
                }
                Choices::Listed(waiters.into_iter().map(|waiter| state(Choice(waiter.0.into()), true)).collect())
            }
            RwReadLock => one(RwValue(value).can_read(tid)),
            RwTimedReadLock => Choices::timed(RwValue(value).can_read(tid)),
            RwWriteLock => one(RwValue(value).can_write(tid)),
            RwTimedWriteLock => Choices::timed(RwValue(value).can_write(tid)),
            SemWait => cancellable(value != 0, false),
            SemTimedWait => cancellable(value != 0, true),
            SpinLock => one(MutexValue(value).is_free()),
            BarrierLeave => {
                let generation = self.threads[tid.index()].control.generation;
                one(self.word(arg(0) + 8).is_none_or(|now| now != generation))
            }
            OnceEnter => one(value != 1),
            // POSIX leaves it open. An atomic block is not left.
            TestCancel
                if arg(0) != 0 && self.can_cancel(tid) && self.threads[tid.index()].control.atomic_depth == 0 =>
            {
                Choices::Listed(SmallVec::from([state(Choice(0), true), state(CANCEL, true)]))
            }
            ThreadJoin => cancellable(can_join(value, tid, arg(0)), false),
            ThreadTimedJoin => cancellable(can_join(value, tid, arg(0)), true),
            Choose => {
                let (low, high) = (arg(0) as i64, arg(1) as i64);
                let count = high.checked_sub(low).and_then(|n| n.checked_add(1)).unwrap_or(i64::MAX);
                if count <= 0 { one(true) } else { Choices::Range(u32::try_from(count).unwrap_or(u32::MAX)) }
            }
            // With bounds: the lowest value, how many there are above it, and the width.
            Nondet if site.args.len() == 3 => Choices::Range(arg(1) as u32 + 1),
            Nondet => Choices::Range(1u32.checked_shl(arg(0) as u32).unwrap_or(u32::MAX)),
            Clock => {
                let control = &self.threads[tid.index()].control;
                let can_jump = self.clock_jumps.is_some_and(|most| control.clock_jumps < most);
                let mut list: SmallVec<[ChoiceState; 2]> = SmallVec::new();
                list.push(state(Choice(0), true));
                // An atomic block takes no time.
                if can_jump && control.atomic_depth == 0 {
                    list.push(state(TIME_OUT, true));
                }
                Choices::Listed(list)
            }
            _ => one(true),
        }
    }

    /// Whether the operation is enabled, with one choice and the same accesses, in every state that leaves its thread alone.
    pub(crate) fn is_simple(&self, tid: Tid, site: &VisibleSite) -> bool {
        use Operation::*;
        match site.operation {
            // `Machine::simple` asks again: in the same local state its thread may own it or not.
            MutexUnlock => self.owns_mutex(tid, self.arg(tid, site, 0)),
            Load | Store | ReadModifyWrite => self.outcome(tid, site) == Outcome::Fixed,
            _ => false,
        }
    }

    /// `Machine::place`: what the operation hangs on besides the local state, whose number is known.
    #[inline]
    pub(crate) fn place_of_pending(&self, tid: Tid) -> Option<(u32, u128)> {
        let thread = &self.threads[tid.index()];
        let state = self.known.states.get(thread.at as usize)?;
        if self.program.cancels {
            return None;
        }
        if state.stand.depends_on_nothing { Some((thread.at, 0)) } else { self.place_by_value(tid) }
    }

    #[inline(never)]
    fn place_by_value(&self, tid: Tid) -> Option<(u32, u128)> {
        use Operation::*;
        let thread = &self.threads[tid.index()];
        let state = &self.known.states[thread.at as usize];
        let site = &self.program.visibles[state.site as usize];
        let owns = |mutex: usize| u128::from(self.owns_mutex(tid, state.args[mutex]));
        // The same as the first value, for what most threads wait for.
        let value = match site.operation {
            Load | Store | SemPost | ThreadCreate | ThreadEnd | Exit => 0,
            MutexLock | MutexTryLock | SpinLock | SpinTryLock => self.mutex_value(state.args[0]),
            ThreadJoin => self.thread_value(state.args[0]),
            ReadModifyWrite if self.outcome(tid, site) == Outcome::Fixed => 0,
            ReadModifyWrite | CompareExchange | RwReadLock | RwWriteLock | RwTryReadLock | RwTryWriteLock | SemWait
            | SemTryWait => self.first_value(tid, site),
            MutexUnlock => owns(0),
            CondEnter => owns(1) | u128::from(thread.control.spurious) << 64,
            CondLeave => self.first_value(tid, site) | u128::from(thread.control.woken) << 127,
            _ => return None,
        };
        Some((thread.at, value))
    }

    /// Whether a thread that stands at a join need not wait.
    pub(crate) fn can_join_now(&self, tid: Tid, site: &VisibleSite) -> bool {
        can_join(self.first_value(tid, site), tid, self.arg(tid, site, 0))
    }

    /// What the outcome of the operation hangs on.
    fn outcome(&self, tid: Tid, site: &VisibleSite) -> Outcome {
        use Operation::*;
        let told = site.operation == BarrierArrive && self.arg(tid, site, 1) as u32 != 0;
        match site.operation {
            // A cancellation decides as well.
            CondLeave | TestCancel if self.program.cancels => Outcome::Open,
            MutexLock | MutexTryLock | MutexTimedLock | CondLeave | RwReadLock | RwWriteLock | RwTryReadLock
            | RwTryWriteLock | RwTimedReadLock | RwTimedWriteLock | RwUnlock | SpinLock | SpinTryLock | OnceEnter
            | CompareExchange => Outcome::ByValue,
            SemWait | SemTimedWait | ThreadJoin | ThreadTimedJoin if self.program.cancels => Outcome::Open,
            SemWait | SemTryWait | SemTimedWait | ThreadJoin | ThreadTryJoin | ThreadTimedJoin => Outcome::ByValue,
            CondSignal | CondBroadcast if self.waiters_have_value() => Outcome::ByValue,
            CondSignal | CondBroadcast | CondLeaveTimed | BarrierLeave | AtomicBegin | AtomicEnd => Outcome::Open,
            // Which generation it meets hangs on the order, where the order matters.
            BarrierArrive if told || self.ordered_barriers => Outcome::Open,
            ReadModifyWrite => match site.detail {
                VisibleDetail::Rmw { op: Rmw::Add | Rmw::Sub, .. } => Outcome::Fixed,
                _ => Outcome::ByValue,
            },
            _ => Outcome::Fixed,
        }
    }

    pub(crate) fn pending_of(&self, tid: Tid) -> Pending {
        let Some((site, _)) = self.site(tid) else {
            let (operation, outcome) = (Operation::Start, Outcome::Fixed);
            return Pending { tid, operation, choices: Choices::one(true), outcome };
        };
        let outcome = self.outcome(tid, site);
        let value = match outcome {
            Outcome::Fixed => 0,
            _ => self.first_value(tid, site),
        };
        let choices = self.choices_with(tid, site, value);
        Pending { tid, operation: site.operation, choices, outcome }
    }
}

impl VmMachine {
    pub(crate) fn accesses_of(&mut self, tid: Tid, choice: Choice) -> Accesses {
        let Some((site, _)) = self.site(tid) else { return Accesses::new() };
        if site.operation == Operation::AtomicBegin {
            return self.accesses_of_block(tid, choice);
        }
        self.accesses_with(tid, site, choice, self.first_value(tid, site))
    }

    pub(crate) fn outcomes(&self, tid: Tid, value: u128) -> Outcomes {
        let Some((site, _)) = self.site(tid) else { return Outcomes::default() };
        let choices = self.choices_with(tid, site, value);
        Outcomes(choices.enabled().map(|c| (c, self.accesses_with(tid, site, c, value))).collect())
    }

    /// What an atomic block touches is known when it has been executed.
    fn accesses_of_block(&mut self, tid: Tid, choice: Choice) -> Accesses {
        let mark = self.mark();
        let mut list = Accesses::new();
        self.block_accesses = Some(Accesses::new());
        self.step(tid, choice);
        if let Some(found) = self.block_accesses.take() {
            list = found;
        }
        // Blocks order each other, which races hang on.
        if self.memory.races.is_on() {
            list.push(Access::object(Space::Hidden, Mode::Write, ATOMIC_BLOCKS));
        }
        self.rewind(mark);
        list
    }

    /// How an operation inside an atomic block goes on.
    pub(crate) fn choice_inside_block(&mut self, tid: Tid) -> Result<Choice> {
        let pending = self.pending_of(tid);
        let mut enabled = pending.choices.enabled();
        let choice = match (enabled.next(), enabled.next()) {
            (Some(choice), None) => choice,
            (None, _) => {
                let message = format!("{} would have to wait inside an atomic block", pending.operation.name());
                return Err(self.cpu(tid).fault(FaultKind::Unsupported, message));
            }
            (Some(_), Some(_)) => {
                let message = format!("{} leaves a choice inside an atomic block", pending.operation.name());
                return Err(self.cpu(tid).fault(FaultKind::Unsupported, message));
            }
        };
        if self.block_accesses.is_some() && pending.operation != Operation::AtomicBegin {
            let more = self.accesses_of(tid, choice);
            if let Some(list) = &mut self.block_accesses {
                for access in more {
                    if !list.contains(&access) {
                        list.push(access);
                    }
                }
            }
        }
        Ok(choice)
    }
}

/// A join can happen when the thread has ended, or when there is something to complain of.
fn can_join(value: u128, tid: Tid, handle: u64) -> bool {
    value & (THREAD_ENDED | THREAD_JOINED | THREAD_DETACHED) != 0
        || value & THREAD_EXISTS == 0
        || tid_of(handle) == Some(tid)
}
