//! Places, names and values in words, for reports.

use std::fmt;

use threadbare_core::{Access, FaultKind, Place, Space, Tid};

use super::bytecode::{Op, TbProgram, Value};
use super::fault::{Position, TbFault, TbWaiter};
use super::machine::{TbMachine, owner_of};
use super::thread::Status;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Unit => f.write_str("()"),
            Value::Int(value) => value.fmt(f),
            Value::Bool(value) => value.fmt(f),
            Value::Shared(_) | Value::Cell(_) => f.write_str("a reference"),
            Value::Mutex(_) => f.write_str("a mutex"),
            Value::Code(_) | Value::Closure(_) => f.write_str("a function"),
        }
    }
}

impl TbProgram {
    pub fn place(&self, at: Position) -> Place {
        let function = &self.functions[at.function as usize];
        let place = function.places[at.pc as usize];
        Place {
            file: self.source.file.clone(),
            line: place.line,
            column: place.column,
            function: function.name.clone(),
        }
    }

    pub fn places(&self, stack: &[Position]) -> Vec<Place> {
        stack.iter().map(|at| self.place(*at)).collect()
    }
}

impl TbMachine {
    /// What the source calls a thread: `worker[1]`.
    pub fn start_name(&self, tid: Tid) -> &str {
        let program = self.program();
        let start = match tid {
            Tid::MAIN => program.finally.as_ref(),
            tid => program.threads.get(tid.index() - 1),
        };
        start.map_or("", |start| start.name.as_str())
    }

    /// ``thread 0.1 (`worker[1]`)``
    pub fn thread_words(&self, tid: Tid) -> String {
        format!("thread {} (`{}`)", self.names().name(tid), self.start_name(tid))
    }

    pub fn name_of(&self, access: &Access) -> String {
        let at = access.address as u32;
        match access.space {
            Space::Memory => self.program().name_of(false, at / 8),
            Space::Mutex => self.program().name_of(true, at),
            Space::Thread => format!("thread {}", self.names().name(Tid(at as u16))),
            _ => String::new(),
        }
    }

    /// What the object of an access holds, in words.
    pub fn value_in_words(&self, access: &Access) -> Option<String> {
        let at = access.address as u32;
        match access.space {
            Space::Memory => Some(self.shared()[at as usize / 8].to_string()),
            Space::Mutex => Some(match owner_of(self.holder(at)) {
                Some(holder) => format!("held by thread {}", self.names().name(holder)),
                None => "free".into(),
            }),
            Space::Thread => Some(match self.status(Tid(at as u16)) {
                Status::Live => "running".into(),
                Status::Ended => "ended".into(),
                Status::Cut | Status::Failed => "stopped".into(),
            }),
            _ => None,
        }
    }

    /// The variables in scope where a thread stands, innermost last, as far as their values still matter.
    pub fn locals(&self, tid: Tid) -> Vec<(String, String)> {
        let Some(frame) = self.thread(tid).frames.last() else { return Vec::new() };
        let function = &self.program().functions[frame.function as usize];
        let here = frame.pc;
        let mut list: Vec<(String, String)> = Vec::new();
        for local in function.locals.iter().filter(|local| (local.from..local.to).contains(&here)) {
            let mut value = self.thread(tid).get(self.program(), local.operand);
            // A reference of the thread's own shows what it holds.
            while let Value::Cell(at) = value {
                value = self.thread(tid).heap[at as usize];
            }
            if let Value::Code(_) | Value::Closure(_) = value {
                continue;
            }
            list.retain(|(name, _)| *name != local.name);
            let words = match value {
                Value::Shared(at) => self.program().name_of(false, at),
                Value::Mutex(at) => self.program().name_of(true, at),
                value => value.to_string(),
            };
            list.push((local.name.clone(), words));
        }
        list
    }

    /// The thread without which a waiting thread does not go on.
    pub fn waits_on(&self, tid: Tid) -> Option<Tid> {
        match self.thread(tid).op(self.program()) {
            Op::Lock { mutex } => owner_of(self.holder(self.mutex_at(tid.index(), mutex))),
            Op::Join { thread } => Some(Tid(thread)),
            _ => None,
        }
    }

    /// What a thread that cannot go on waits for.
    pub fn waits_for(&self, tid: Tid) -> String {
        match self.thread(tid).op(self.program()) {
            Op::Lock { mutex } => {
                let at = self.mutex_at(tid.index(), mutex);
                let name = self.program().name_of(true, at);
                let holder = match owner_of(self.holder(at)) {
                    Some(holder) if holder == tid => "itself".into(),
                    Some(holder) if self.status(holder) != Status::Live => {
                        format!("{}, which has ended", self.thread_words(holder))
                    }
                    Some(holder) => self.thread_words(holder),
                    None => "nobody".into(),
                };
                format!("mutex `{name}`, held by {holder}")
            }
            Op::Join { thread } => format!("the end of {}", self.thread_words(Tid(thread))),
            _ => "nothing".into(),
        }
    }

    fn waiter(&self, tid: Tid, waits_for: String) -> TbWaiter {
        TbWaiter { tid, waits_for, waits_on: self.waits_on(tid), stack: self.stack(tid) }
    }

    fn live(&self) -> impl Iterator<Item = Tid> + '_ {
        let all = (0..=self.program().threads.len()).map(|t| Tid(t as u16));
        all.filter(|&tid| self.status(tid) == Status::Live)
    }

    /// Every live thread waits and none can go on.
    pub fn deadlock(&self) -> TbFault {
        let waiters: Vec<TbWaiter> = self.live().map(|tid| self.waiter(tid, self.waits_for(tid))).collect();
        let message = match waiters.len() {
            1 => "the only thread left waits for ever".to_string(),
            n => format!("all {n} threads wait for ever"),
        };
        self.stuck(FaultKind::Deadlock, message, waiters)
    }

    /// These threads wait, and nothing that the others can do lets them go on.
    pub fn partial_deadlock(&self, who: &[Tid]) -> TbFault {
        let waiters: Vec<TbWaiter> = who.iter().map(|&tid| self.waiter(tid, self.waits_for(tid))).collect();
        let message = match waiters.len() {
            1 => "a thread waits for ever, whatever the others do".to_string(),
            n => format!("{n} threads wait for ever, whatever the others do"),
        };
        self.stuck(FaultKind::Deadlock, message, waiters)
    }

    /// These threads go round loops for ever, waiting for what nobody does any more.
    pub fn livelock(&self, spinning: &[Tid]) -> TbFault {
        let what = "a change that nobody makes any more";
        let waiters: Vec<TbWaiter> = spinning.iter().map(|&tid| self.waiter(tid, what.into())).collect();
        let message = match waiters.len() {
            1 => "a thread waits in a loop for ever".to_string(),
            n => format!("{n} threads wait in loops for ever"),
        };
        self.stuck(FaultKind::Livelock, message, waiters)
    }

    fn stuck(&self, kind: FaultKind, message: String, waiters: Vec<TbWaiter>) -> TbFault {
        let (tid, stack) = waiters.first().map_or((Tid::MAIN, Vec::new()), |w| (w.tid, w.stack.clone()));
        TbFault { kind, message, tid, stack, waiters, locals: Vec::new() }
    }
}
