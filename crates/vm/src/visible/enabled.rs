//! Whether a visible operation can happen, and with which choices.

use super::*;

impl VmMachine {
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
}
