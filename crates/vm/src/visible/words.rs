//! Who waits for what, and what was lost, in words for people.

use super::*;
use crate::fault::CodePos;
use threadbare_core::{Machine, Step};

impl VmMachine {
    /// The name of what lies at an address, as the source calls it.
    pub fn name_of(&self, address: Addr) -> String {
        crate::diagnose::name_of(&self.program, &self.memory, address)
    }

    fn thread_label(&self, owner: u32) -> String {
        match owner_of(owner) {
            Some(tid) if tid.index() < self.names.len() => {
                let ended = if self.is_live(tid) { "" } else { ", which has ended" };
                format!("{}{ended}", self.thread_name(tid))
            }
            _ => "nobody".into(),
        }
    }

    /// A fault of nobody: the execution stops while `tid` stands where it stands.
    pub fn stopped(&self, kind: FaultKind, message: String, tid: Tid) -> Box<Fault> {
        let stack = if self.is_live(tid) { self.thread(tid).stack() } else { Vec::new() };
        Box::new(Fault {
            kind,
            message,
            tid,
            stack,
            object: None,
            waiters: Vec::new(),
            address: None,
            other: None,
            signal: None,
        })
    }

    /// Every live thread waits and none can go on.
    pub fn deadlock(&self) -> Box<Fault> {
        let waiters: Vec<Waiter> = self
            .live_threads()
            .map(|tid| Waiter { tid, waits_for: self.waits_for(tid), stack: self.threads[tid.index()].stack() })
            .collect();
        let gone = self.exists.iter().filter(|exists| **exists).count() - waiters.len();
        let message = match (waiters.len(), gone) {
            (1, 0) => "the only thread waits for ever".to_string(),
            (1, _) => "the only thread left waits for ever".to_string(),
            (n, 0) => format!("all {n} threads wait for ever"),
            (n, 1) => format!("{n} threads wait for ever, and the other one has ended"),
            (n, others) => format!("{n} threads wait for ever, and the other {others} have ended"),
        };
        Box::new(Fault {
            kind: FaultKind::Deadlock,
            message,
            tid: waiters.first().map_or(Tid::MAIN, |w| w.tid),
            stack: waiters.first().map_or_else(Vec::new, |w| w.stack.clone()),
            object: None,
            waiters,
            other: None,
            address: None,
            signal: None,
        })
    }

    /// These threads wait, and nothing that the others can do lets them go on.
    pub fn partial_deadlock(&self, who: &[Tid]) -> Box<Fault> {
        let mut fault = self.deadlock();
        fault.waiters.retain(|waiter| who.contains(&waiter.tid));
        fault.message = match fault.waiters.len() {
            1 => "a thread waits for ever, whatever the others do".to_string(),
            n => format!("{n} threads wait for ever, whatever the others do"),
        };
        if let Some(first) = fault.waiters.first() {
            (fault.tid, fault.stack) = (first.tid, first.stack.clone());
        }
        fault
    }

    /// These threads go round loops for ever, waiting for what nobody does any more.
    pub fn livelock(&mut self, spinning: &[Tid]) -> Box<Fault> {
        let waiters: Vec<Waiter> = spinning
            .iter()
            .map(|&tid| Waiter {
                tid,
                waits_for: "a change that nobody makes any more".into(),
                stack: self.start_of_round(tid),
            })
            .collect();
        let message = match waiters.len() {
            1 => "a thread waits in a loop for ever".to_string(),
            n => format!("{n} threads wait in loops for ever"),
        };
        let (tid, stack) = waiters.first().map_or((Tid::MAIN, Vec::new()), |w| (w.tid, w.stack.clone()));
        Box::new(Fault { kind: FaultKind::Livelock, message, tid, stack, waiters, ..*self.deadlock() })
    }

    /// Where in its code the round begins that a thread goes for ever: the same place wherever in it the thread stands.
    fn start_of_round(&mut self, tid: Tid) -> Vec<CodePos> {
        let mark = Machine::mark(self);
        self.leave_places(true);
        let mut seen = Vec::new();
        let mut start: Option<(CodePos, Vec<CodePos>)> = None;
        // It is on the round when it has come to a local state twice; then once round.
        while let Some(local) = self.local_fingerprint(tid)
            && seen.iter().filter(|&&known| known == local).count() < 2
        {
            if seen.contains(&local) {
                self.hold_all();
                let stack = self.threads[tid.index()].stack();
                let own = stack.iter().find(|at| !self.program.is_library(at.function)).or(stack.first()).copied();
                if let Some(own) = own
                    && start.as_ref().is_none_or(|(first, _)| own.pack() < first.pack())
                {
                    start = Some((own, stack));
                }
            }
            seen.push(local);
            if self.step(tid, Choice(0)) != Step::Silent {
                break;
            }
        }
        self.leave_places(false);
        self.rewind(mark);
        self.hold_all();
        start.map_or_else(|| self.threads[tid.index()].stack(), |(_, stack)| stack)
    }

    /// The thread without which a waiting thread does not go on, where there is one: who holds the lock, who is joined.
    pub fn waits_on(&self, tid: Tid) -> Option<Tid> {
        use Operation::*;
        let (site, _) = self.site(tid)?;
        let arg = |i| self.arg(tid, site, i);
        let owner = |address: Addr| owner_of(self.word(address)?).filter(|tid| tid.index() < self.names.len());
        match site.operation {
            MutexLock => owner(arg(0) + 8),
            CondLeave | CondLeaveTimed if self.threads[tid.index()].control.woken => owner(arg(1) + 8),
            RwReadLock | RwWriteLock | RwTimedReadLock | RwTimedWriteLock => owner(arg(0) + 4),
            SpinLock => owner(arg(0)),
            ThreadJoin | ThreadTimedJoin => tid_of(arg(0)).filter(|tid| tid.index() < self.names.len()),
            _ => None,
        }
    }

    /// What a thread that cannot go on waits for.
    pub fn waits_for(&self, tid: Tid) -> String {
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
                Some(target) => format!("the end of {}", self.thread_name(target)),
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
            other: None,
            address: Some(address),
            signal: None,
        }))
    }
}
