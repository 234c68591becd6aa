//! The machine of the small programs: its state is one value that is copied at every mark, so that there is nothing to
//! get wrong about going back.

use smallvec::{SmallVec, smallvec};
use threadbare_core::{
    Access, AccessSet, Accesses, Choice, ChoiceState, Choices, Ending, Fingerprint, Hash128, Machine, Mark, Mode,
    Operation, Outcome, Outcomes, Pending, Space, Step, Tid, Trial,
};

use super::knowledge::Knowledge;
use super::may_access::may_access;
use super::program::{Cells, Instr, Program, REGISTERS};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Status {
    Unborn,
    Live,
    Ended,
    /// A failed `assume`.
    Cut,
    /// Stopped by its own error.
    Failed,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct ThreadState {
    status: Status,
    pc: usize,
    registers: [i64; REGISTERS],
    /// Inside a wait: has entered it.
    inside: bool,
    woken: bool,
    /// The time of its wait has run out, and it takes the mutex again.
    late: bool,
    /// The generation of the barrier that it waits for.
    generation: u32,
    joined: bool,
}

/// Everything that can differ between two points of an execution.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    threads: Vec<ThreadState>,
    pub variables: Vec<i64>,
    /// The holder's number plus one.
    mutexes: Vec<u32>,
    rwlocks: Vec<(u32, u32)>,
    semaphores: Vec<u32>,
    /// Arrived, generation.
    barriers: Vec<(u32, u32)>,
    /// The value, while it is there.
    blocks: Vec<Option<i64>>,
    pub data: Vec<i64>,
    /// What orders plain accesses, if races are looked for.
    pub knowledge: Option<Knowledge>,
    /// Some assertion failed, or a block was used after it was freed.
    pub failed: bool,
    exited: bool,
}

impl State {
    /// The results that a C version leaves behind: registers of all threads.
    pub fn registers(&self) -> Vec<[i64; REGISTERS]> {
        self.threads.iter().map(|t| t.registers).collect()
    }
}

/// What ends an execution. Other errors are noted in the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelError {
    DataRace,
}

/// What plain accesses are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Plain {
    /// Operations of their own, not local code.
    pub visible: bool,
    /// Races are looked for, and end an execution.
    pub checked: bool,
}

pub struct ModelMachine<'p> {
    program: &'p Program,
    pub state: State,
    marks: Vec<State>,
    /// More threads use a barrier than it counts.
    pub ordered_arrivals: bool,
    /// Dependence as race detection needs it, where what orders threads matters besides values: an exchange is a write
    /// even if it changes nothing, and additions, which are atomic blocks in C, are ordered among each other.
    pub orders_threads: bool,
    pub plain: Plain,
    /// How many plain accesses there were.
    looked: u64,
    /// The last step has changed what orders threads so that less is ordered.
    lost: bool,
    exit: Option<Ending<ModelError>>,
}

/// Where memory has what.
const BLOCKS: u64 = 0x1000;
const DATA: u64 = 0x2000;

impl Cells {
    pub(super) fn access(self, mode: Mode) -> Access {
        match self {
            Cells::Variable(x) => Access::memory(mode, 8 * x as u64, 8),
            Cells::Block(b) => Access::memory(mode, BLOCKS + 8 * b as u64, 8),
            Cells::Data(first, n) => Access::memory(mode, DATA + first as u64, n as u32),
        }
    }
}

const TIME_OUT: Choice = Choice(1);

impl<'p> ModelMachine<'p> {
    pub fn new(program: &'p Program) -> Self {
        Self::with(program, Plain::default())
    }

    pub fn with(program: &'p Program, plain: Plain) -> Self {
        let thread = |i| ThreadState {
            status: if i == 0 { Status::Live } else { Status::Unborn },
            pc: 0,
            registers: [0; REGISTERS],
            inside: false,
            woken: false,
            late: false,
            generation: 0,
            joined: false,
        };
        let mut machine = ModelMachine {
            program,
            state: State {
                threads: (0..program.threads.len()).map(thread).collect(),
                variables: program.variables.clone(),
                mutexes: vec![0; program.mutexes],
                rwlocks: vec![(0, 0); program.rwlocks],
                semaphores: program.semaphores.clone(),
                barriers: vec![(0, 0); program.barriers.len()],
                blocks: vec![Some(0); program.blocks],
                data: vec![0; program.data],
                knowledge: plain.checked.then(|| Knowledge::new(program)),
                failed: false,
                exited: false,
            },
            marks: Vec::new(),
            ordered_arrivals: false,
            orders_threads: plain.checked,
            plain,
            looked: 0,
            lost: false,
            exit: None,
        };
        machine.run_local(0);
        machine.look();
        machine
    }

    /// Whether the invariant is broken.
    fn look(&mut self) {
        let never = &self.program.never;
        self.state.failed |= !never.is_empty() && never.iter().all(|&(x, value)| self.state.variables[x] == value);
    }

    /// From now on plain accesses are local code, and nobody asks what orders them.
    pub fn forget_order(&mut self) {
        self.state.knowledge = None;
        self.plain = Plain::default();
        for t in 0..self.program.threads.len() {
            let thread = &self.state.threads[t];
            if thread.status == Status::Live && !thread.inside && !self.state.exited {
                self.run_local(t);
            }
        }
    }

    /// The next visible instruction; `None` is the end of the thread.
    pub fn instr(&self, t: usize) -> Option<Instr> {
        self.program.threads[t].0.get(self.state.threads[t].pc).copied()
    }

    /// Local code up to the next visible instruction.
    fn run_local(&mut self, t: usize) {
        let program = self.program;
        let code = &program.threads[t].0;
        loop {
            let pc = self.state.threads[t].pc;
            let instr = code.get(pc).copied();
            if let Some(Instr::Read(..) | Instr::Write(..)) = instr
                && !self.plain.visible
            {
                self.looked += 1;
                if !self.access(t, instr.expect("just matched")) {
                    return;
                }
                self.state.threads[t].pc += 1;
                continue;
            }
            let thread = &mut self.state.threads[t];
            let value = |e: super::program::Expr| e.eval(&thread.registers);
            match instr.as_ref() {
                Some(&Instr::Fence) => {
                    if let Some(knowledge) = &mut self.state.knowledge {
                        knowledge.happened(t, Instr::Fence, program.order(t, pc), true, false, std::iter::empty());
                    }
                }
                Some(&Instr::Set(r, e)) => thread.registers[r] = value(e),
                Some(&Instr::JumpIf(e, target)) => {
                    if value(e) != 0 {
                        thread.pc = target;
                        continue;
                    }
                }
                Some(&Instr::Assert(e)) => self.state.failed |= value(e) == 0,
                Some(&Instr::Assume(e)) => {
                    if value(e) == 0 {
                        thread.status = Status::Cut;
                        return;
                    }
                }
                _ => return,
            }
            self.state.threads[t].pc += 1;
        }
    }

    /// A plain access. No if its thread stops there.
    fn access(&mut self, t: usize, instr: Instr) -> bool {
        let (cells, writes) = match instr {
            Instr::Read(_, cells) => (cells, false),
            Instr::Write(cells, _) => (cells, true),
            _ => unreachable!("a plain access"),
        };
        if let Some(knowledge) = &mut self.state.knowledge {
            knowledge.plain(t, cells, writes);
        }
        if let Cells::Block(b) = cells
            && self.state.blocks[b].is_none()
        {
            // If nothing orders it after the free, that is a race, whichever came first.
            self.end_if_raced();
            if !self.state.exited {
                self.fail(t);
            }
            return false;
        }
        let state = &mut self.state;
        let registers = &mut state.threads[t].registers;
        let touched = match cells {
            Cells::Data(first, n) => &mut state.data[first..first + n],
            Cells::Variable(x) => &mut state.variables[x..=x],
            Cells::Block(b) => state.blocks[b].as_mut_slice(),
        };
        match instr {
            Instr::Read(r, _) => registers[r] = touched.iter().sum::<i64>() % 3,
            Instr::Write(_, e) => touched.fill(e.eval(registers)),
            _ => unreachable!("a plain access"),
        }
        self.end_if_raced();
        !self.state.exited
    }

    /// A race ends the execution.
    fn end_if_raced(&mut self) {
        if self.state.knowledge.as_ref().is_some_and(|knowledge| knowledge.race) {
            self.state.exited = true;
        }
        self.exit = self.ending_of_state();
    }

    fn ending_of_state(&self) -> Option<Ending<ModelError>> {
        let race = self.state.knowledge.as_ref().is_some_and(|knowledge| knowledge.race);
        match self.state.exited {
            true if race => Some(Ending::Error(ModelError::DataRace)),
            true => Some(Ending::Exit(0)),
            false => None,
        }
    }

    fn waiters(&self, cond: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.state.threads.len()).filter(move |&t| {
            let thread = &self.state.threads[t];
            let here = matches!(self.instr(t), Some(Instr::Wait(c, _) | Instr::TimedWait(_, c, _)) if c == cond);
            here && thread.status == Status::Live && thread.inside && !thread.woken && !thread.late
        })
    }

    fn operation(&self, t: usize) -> Operation {
        use Operation::*;
        let ThreadState { inside, late, .. } = self.state.threads[t];
        match self.instr(t) {
            None => ThreadEnd,
            Some(instr) => match instr {
                Instr::Load(..) | Instr::ReadBlock(..) | Instr::Read(..) => Load,
                Instr::Store(..) | Instr::WriteBlock(..) | Instr::Write(..) => Store,
                Instr::Exchange(..) | Instr::FetchAdd(..) => ReadModifyWrite,
                Instr::CompareExchange(..) => CompareExchange,
                Instr::Lock(_) => MutexLock,
                Instr::Unlock(_) => MutexUnlock,
                Instr::TryLock(..) => MutexTryLock,
                Instr::TimedLock(..) => MutexTimedLock,
                Instr::Wait(..) => [CondEnter, CondLeave][usize::from(inside)],
                Instr::TimedWait(..) if late => MutexLock,
                Instr::TimedWait(..) => [CondEnter, CondLeaveTimed][usize::from(inside)],
                Instr::Signal(_) => CondSignal,
                Instr::Broadcast(_) => CondBroadcast,
                Instr::ReadLock(_) => RwReadLock,
                Instr::WriteLock(_) => RwWriteLock,
                Instr::TryReadLock(..) => RwTryReadLock,
                Instr::TryWriteLock(..) => RwTryWriteLock,
                Instr::TimedReadLock(..) => RwTimedReadLock,
                Instr::TimedWriteLock(..) => RwTimedWriteLock,
                Instr::RwUnlock(_) => RwUnlock,
                Instr::Post(_) => SemPost,
                Instr::SemWait(_) => SemWait,
                Instr::TrySemWait(..) => SemTryWait,
                Instr::TimedSemWait(..) => SemTimedWait,
                Instr::SemValue(..) => SemGetValue,
                Instr::Barrier(_) => [BarrierArrive, BarrierLeave][usize::from(inside)],
                Instr::Create(_) => ThreadCreate,
                Instr::Join(_) => ThreadJoin,
                Instr::Choose(..) => Choose,
                Instr::Free(_) => Free,
                Instr::Exit => Exit,
                Instr::Set(..) | Instr::JumpIf(..) | Instr::Assert(_) | Instr::Assume(_) | Instr::Fence => {
                    unreachable!("local code")
                }
            },
        }
    }

    /// The choices, each with whether it is enabled, as the value of the first object decides.
    fn choices_with(&self, t: usize, value: u128) -> SmallVec<[ChoiceState; 2]> {
        use Operation::*;
        let one = |enabled| smallvec![ChoiceState { choice: Choice(0), enabled }];
        let timed = |ready: bool| {
            smallvec![
                ChoiceState { choice: Choice(0), enabled: ready },
                ChoiceState { choice: TIME_OUT, enabled: !ready }
            ]
        };
        let thread = &self.state.threads[t];
        match self.operation(t) {
            MutexLock => one(self.gets_an_answer(t, value)),
            MutexTimedLock => timed(self.gets_an_answer(t, value)),
            CondLeave => one(thread.woken && value == 0),
            CondLeaveTimed => smallvec![
                ChoiceState { choice: Choice(0), enabled: thread.woken && value == 0 },
                ChoiceState { choice: TIME_OUT, enabled: !thread.woken },
            ],
            CondSignal if value != 0 => (0..128)
                .filter(|w| value >> w & 1 == 1)
                .map(|w| ChoiceState { choice: Choice(w), enabled: true })
                .collect(),
            RwReadLock => one(value >> 32 == 0),
            RwTimedReadLock => timed(value >> 32 == 0),
            RwWriteLock => one(value == 0),
            RwTimedWriteLock => timed(value == 0),
            SemWait => one(value > 0),
            SemTimedWait => timed(value > 0),
            BarrierLeave => {
                let Some(Instr::Barrier(b)) = self.instr(t) else { unreachable!() };
                one(self.state.barriers[b].1 != thread.generation)
            }
            ThreadJoin => one(value & 1 == 1),
            _ => one(true),
        }
    }

    /// Whether a lock of a mutex of that value does not wait.
    fn gets_an_answer(&self, t: usize, value: u128) -> bool {
        value == 0 || self.program.error_checks && value == t as u128 + 1
    }

    fn releases(&self, t: usize, m: usize) -> bool {
        !self.program.error_checks || self.state.mutexes[m] == t as u32 + 1
    }

    /// What the operation touches with a choice, as the value of the first object decides.
    fn accesses_with(&self, t: usize, choice: Choice, value: u128) -> Accesses {
        let mut list = self.own_accesses(t, choice, value);
        let observed = |access: &Access| {
            let variables = self.program.never.iter().map(|&(x, _)| Cells::Variable(x).access(Mode::Read));
            access.space == Space::Memory && variables.into_iter().any(|read| read.conflicts(access))
        };
        if list.iter().any(observed) {
            list.push(Access::object(Space::Property, Mode::Write, 0));
        }
        list
    }

    fn own_accesses(&self, t: usize, choice: Choice, value: u128) -> Accesses {
        use Mode::{Add, Read, Write};
        let thread = &self.state.threads[t];
        let eval = |e: super::program::Expr| e.eval(&thread.registers);
        let object = |space, mode, i: usize| -> Accesses { smallvec![Access::object(space, mode, i as u64)] };
        let cell = |mode, x: usize| -> Accesses { smallvec![Cells::Variable(x).access(mode)] };
        let block = |mode, b: usize| -> Accesses { smallvec![Cells::Block(b).access(mode)] };
        let either = |yes: bool, a: Mode, b: Mode| if yes { a } else { b };
        let happened = choice != TIME_OUT;
        let Some(instr) = self.instr(t) else { return object(Space::Thread, Write, t) };
        match instr {
            Instr::Load(_, x) => cell(Read, x),
            Instr::Store(x, _) => cell(Write, x),
            Instr::FetchAdd(_, x, _) => {
                let mut list = cell(Write, x);
                if self.orders_threads {
                    list.push(Access::object(Space::Hidden, Write, 0));
                }
                list
            }
            Instr::Exchange(_, x, e) => {
                let same = value as i64 == eval(e) && !self.orders_threads;
                cell(either(same, Read, Write), x)
            }
            Instr::CompareExchange(_, x, expected, _) => cell(either(value as i64 == eval(expected), Write, Read), x),
            Instr::Lock(m) => object(Space::Mutex, Write, m),
            // Whether its thread holds it no other thread can change.
            Instr::Unlock(m) => object(Space::Mutex, either(self.releases(t, m), Write, Read), m),
            Instr::TryLock(_, m) => object(Space::Mutex, either(value == 0, Write, Read), m),
            Instr::TimedLock(_, m) => object(Space::Mutex, either(happened, Write, Read), m),
            Instr::Wait(c, m) | Instr::TimedWait(_, c, m) => {
                let cond = Access::object(Space::Cond, Add, c as u64);
                let wake = |mode| Access::object(Space::Wake, mode, t as u64);
                if thread.inside && !happened {
                    return smallvec![cond, wake(Write)];
                }
                let fails = !thread.inside && !self.releases(t, m);
                let mut list = object(Space::Mutex, either(fails, Read, Write), m);
                match (thread.inside, thread.late) {
                    (false, _) => list.push(cond),
                    (true, false) => list.push(wake(Read)),
                    (true, true) => {}
                }
                list
            }
            Instr::Signal(c) | Instr::Broadcast(c) => {
                let woken = match instr {
                    Instr::Signal(_) => value & 1u128.checked_shl(choice.0).unwrap_or(0),
                    _ => value,
                };
                let mut list = object(Space::Cond, either(woken == 0, Read, Write), c);
                let waiters = (0..128u64).filter(|w| woken >> w & 1 == 1);
                list.extend(waiters.map(|w| Access::object(Space::Wake, Write, w)));
                list
            }
            Instr::ReadLock(l) => object(Space::RwLock, Add, l),
            Instr::WriteLock(l) => object(Space::RwLock, Write, l),
            Instr::TryReadLock(_, l) => object(Space::RwLock, either(value >> 32 == 0, Add, Read), l),
            Instr::TryWriteLock(_, l) => object(Space::RwLock, either(value == 0, Write, Read), l),
            Instr::TimedReadLock(_, l) => object(Space::RwLock, either(happened, Add, Read), l),
            Instr::TimedWriteLock(_, l) => object(Space::RwLock, either(happened, Write, Read), l),
            Instr::RwUnlock(l) => object(Space::RwLock, either(value >> 32 == 0, Add, Write), l),
            Instr::Post(s) => object(Space::Semaphore, Add, s),
            Instr::SemWait(s) => object(Space::Semaphore, Write, s),
            Instr::TrySemWait(_, s) => object(Space::Semaphore, either(value > 0, Write, Read), s),
            Instr::TimedSemWait(_, s) => object(Space::Semaphore, either(happened, Write, Read), s),
            Instr::SemValue(_, s) => object(Space::Semaphore, Read, s),
            Instr::Barrier(b) => {
                let generation = if thread.inside { thread.generation } else { self.state.barriers[b].1 };
                let this = b as u64 | (u64::from(generation) + 1) << 32;
                if thread.inside {
                    return smallvec![Access::object(Space::Barrier, Read, this)];
                }
                let mode = either(self.ordered_arrivals, Write, Add);
                smallvec![Access::object(Space::Barrier, mode, this), Access::object(Space::Barrier, mode, b as u64)]
            }
            Instr::Join(u) => object(Space::Thread, Write, u),
            Instr::ReadBlock(_, b) => block(Read, b),
            Instr::WriteBlock(b, _) | Instr::Free(b) => block(Write, b),
            Instr::Exit => object(Space::Process, Write, 0),
            Instr::Read(_, cells) => smallvec![cells.access(Read)],
            Instr::Write(cells, _) => smallvec![cells.access(Write)],
            Instr::Create(_) | Instr::Choose(..) => Accesses::new(),
            Instr::Set(..) | Instr::JumpIf(..) | Instr::Assert(_) | Instr::Assume(_) | Instr::Fence => {
                unreachable!("local code")
            }
        }
    }

    fn value_of_first(&self, t: usize) -> u128 {
        // Which object comes first does not depend on the value.
        self.accesses_with(t, Choice(0), 0).first().map_or(0, |object| self.value(object))
    }

    fn perform(&mut self, t: usize, choice: Choice) {
        let Some(instr) = self.instr(t) else {
            self.state.threads[t].status = Status::Ended;
            return;
        };
        let (pc, inside) = (self.state.threads[t].pc, self.state.threads[t].inside);
        let value = self.value_of_first(t);
        let happened = choice != TIME_OUT;
        let registers = self.state.threads[t].registers;
        let eval = |e: super::program::Expr| e.eval(&registers);
        let holder = t as u32 + 1;
        let released = match instr {
            Instr::Unlock(m) | Instr::Wait(_, m) | Instr::TimedWait(_, _, m) => inside || self.releases(t, m),
            _ => false,
        };
        let state = &mut self.state;
        let mut result = None;
        let mut stays = false;
        let mut together = Vec::new();
        match instr {
            Instr::Load(r, x) => result = Some((r, state.variables[x])),
            Instr::Store(x, e) => state.variables[x] = eval(e),
            Instr::Exchange(r, x, e) => {
                result = Some((r, state.variables[x]));
                state.variables[x] = eval(e);
            }
            Instr::FetchAdd(r, x, e) => {
                result = Some((r, state.variables[x]));
                state.variables[x] = (state.variables[x] + eval(e)).rem_euclid(3);
            }
            Instr::CompareExchange(r, x, expected, new) => {
                let success = state.variables[x] == eval(expected);
                if success {
                    state.variables[x] = eval(new);
                }
                result = Some((r, success.into()));
            }
            Instr::Lock(m) => state.mutexes[m] = holder,
            Instr::Unlock(m) => {
                if released {
                    state.mutexes[m] = 0;
                }
            }
            Instr::TryLock(r, m) => {
                result = Some((r, (value == 0).into()));
                if value == 0 {
                    state.mutexes[m] = holder;
                }
            }
            Instr::TimedLock(r, m) => {
                result = Some((r, (value == 0).into()));
                if happened {
                    state.mutexes[m] = holder;
                }
            }
            Instr::Wait(_, m) | Instr::TimedWait(_, _, m) => {
                let thread = &mut state.threads[t];
                if thread.inside && !happened {
                    thread.late = true;
                    stays = true;
                } else if thread.inside {
                    state.mutexes[m] = holder;
                    if let Instr::TimedWait(r, ..) = instr {
                        result = Some((r, (!thread.late).into()));
                    }
                    (thread.inside, thread.woken, thread.late) = (false, false, false);
                } else if released {
                    state.mutexes[m] = 0;
                    (thread.inside, thread.woken) = (true, false);
                    stays = true;
                } else if let Instr::TimedWait(r, ..) = instr {
                    result = Some((r, 0));
                }
            }
            Instr::Signal(c) => {
                let woken: Vec<usize> = self.waiters(c).filter(|&w| w == choice.0 as usize).collect();
                woken.into_iter().for_each(|w| self.state.threads[w].woken = true);
            }
            Instr::Broadcast(c) => {
                let woken: Vec<usize> = self.waiters(c).collect();
                woken.into_iter().for_each(|w| self.state.threads[w].woken = true);
            }
            Instr::ReadLock(l) => state.rwlocks[l].0 += 1,
            Instr::WriteLock(l) => state.rwlocks[l].1 = holder,
            Instr::TryReadLock(r, l) => {
                let success = value >> 32 == 0;
                state.rwlocks[l].0 += u32::from(success);
                result = Some((r, success.into()));
            }
            Instr::TryWriteLock(r, l) => {
                if value == 0 {
                    state.rwlocks[l].1 = holder;
                }
                result = Some((r, (value == 0).into()));
            }
            Instr::TimedReadLock(r, l) => {
                state.rwlocks[l].0 += u32::from(happened);
                result = Some((r, happened.into()));
            }
            Instr::TimedWriteLock(r, l) => {
                if happened {
                    state.rwlocks[l].1 = holder;
                }
                result = Some((r, happened.into()));
            }
            Instr::RwUnlock(l) => match state.rwlocks[l] {
                (_, writer) if writer == holder => state.rwlocks[l].1 = 0,
                _ => state.rwlocks[l].0 -= 1,
            },
            Instr::Read(..) | Instr::Write(..) => {
                if !self.access(t, instr) {
                    return;
                }
            }
            Instr::Post(s) => state.semaphores[s] += 1,
            Instr::SemWait(s) => state.semaphores[s] -= 1,
            Instr::TrySemWait(r, s) => {
                state.semaphores[s] -= u32::from(value > 0);
                result = Some((r, (value > 0).into()));
            }
            Instr::TimedSemWait(r, s) => {
                state.semaphores[s] -= u32::from(happened);
                result = Some((r, happened.into()));
            }
            Instr::SemValue(r, s) => result = Some((r, state.semaphores[s].into())),
            Instr::Barrier(b) => {
                let thread = &mut state.threads[t];
                if thread.inside {
                    (thread.inside, thread.generation) = (false, 0);
                } else {
                    (thread.inside, thread.generation) = (true, state.barriers[b].1);
                    state.barriers[b].0 += 1;
                    if state.barriers[b].0 == self.program.barriers[b] {
                        let generation = state.barriers[b].1;
                        state.barriers[b] = (0, generation + 1);
                        together = (0..self.program.threads.len())
                            .filter(|&u| self.instr(u) == Some(instr) && self.state.threads[u].inside)
                            .filter(|&u| self.state.threads[u].generation == generation)
                            .collect();
                    }
                    stays = true;
                }
            }
            Instr::Create(u) => state.threads[u].status = Status::Live,
            Instr::Join(u) => state.threads[u].joined = true,
            Instr::Choose(r, _) => result = Some((r, choice.0.into())),
            Instr::ReadBlock(r, b) => match state.blocks[b] {
                Some(value) => result = Some((r, value)),
                None => return self.fail(t),
            },
            Instr::WriteBlock(b, e) => match &mut state.blocks[b] {
                Some(value) => *value = eval(e),
                None => return self.fail(t),
            },
            Instr::Free(b) => {
                if state.blocks[b].take().is_none() {
                    return self.fail(t);
                }
            }
            Instr::Exit => {
                state.exited = true;
                self.exit = Some(Ending::Exit(0));
                return;
            }
            Instr::Set(..) | Instr::JumpIf(..) | Instr::Assert(_) | Instr::Assume(_) | Instr::Fence => {
                unreachable!("local code")
            }
        }
        if let Some(knowledge) = &mut self.state.knowledge {
            let success = match instr {
                Instr::RwUnlock(_) => value >> 32 != 0,
                Instr::Unlock(_) | Instr::Wait(..) | Instr::TimedWait(..) => released && happened,
                _ => result.is_none_or(|(_, value)| value != 0),
            };
            let order = self.program.order(t, pc);
            self.lost |= knowledge.happened(t, instr, order, success, inside, together.into_iter());
            self.end_if_raced();
            if self.state.exited {
                return;
            }
        }
        if let Instr::Create(u) = instr {
            self.run_local(u);
        }
        let thread = &mut self.state.threads[t];
        if let Some((r, value)) = result {
            thread.registers[r] = value;
        }
        if !stays {
            thread.pc += 1;
            self.run_local(t);
        }
    }

    fn fail(&mut self, t: usize) {
        self.state.failed = true;
        self.state.threads[t].status = Status::Failed;
    }
}

fn hash(value: &impl std::hash::Hash) -> Fingerprint {
    struct Words(Hash128);
    impl std::hash::Hasher for Words {
        fn write(&mut self, bytes: &[u8]) {
            for chunk in bytes.chunks(8) {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                self.0.word(u64::from_le_bytes(word));
            }
        }
        fn finish(&self) -> u64 {
            0
        }
    }
    let mut words = Words(Hash128::new(1));
    value.hash(&mut words);
    words.0.finish()
}

impl Machine for ModelMachine<'_> {
    type Error = ModelError;
    type Saved = State;

    fn thread_count(&self) -> usize {
        self.state.threads.len()
    }

    fn is_live(&self, who: Tid) -> bool {
        !self.state.exited && self.state.threads[who.index()].status == Status::Live
    }

    fn pending(&mut self, who: Tid) -> Pending {
        use Operation::*;
        let t = who.index();
        let operation = self.operation(t);
        let choices = match self.instr(t) {
            Some(Instr::Choose(_, n)) => Choices::Range(n),
            _ => Choices::Listed(self.choices_with(t, self.value_of_first(t))),
        };
        let outcome = match operation {
            CondLeaveTimed | BarrierLeave => Outcome::Open,
            // Which generation it meets.
            BarrierArrive if self.ordered_arrivals => Outcome::Open,
            Load | Store | MutexUnlock | CondEnter | SemPost | SemGetValue | BarrierArrive | ThreadCreate
            | ThreadEnd | Choose | Free | Exit => Outcome::Fixed,
            ReadModifyWrite if matches!(self.instr(t), Some(Instr::FetchAdd(..))) => Outcome::Fixed,
            _ => Outcome::ByValue,
        };
        Pending { tid: who, operation, choices, outcome }
    }

    fn accesses(&mut self, who: Tid, choice: Choice) -> Accesses {
        self.accesses_with(who.index(), choice, self.value_of_first(who.index()))
    }

    fn value(&self, object: &Access) -> u128 {
        let i = object.address as usize;
        let state = &self.state;
        match object.space {
            Space::Memory if i >= DATA as usize => 0,
            Space::Memory if i < BLOCKS as usize => state.variables[i / 8] as u64 as u128,
            Space::Memory => state.blocks[(i - BLOCKS as usize) / 8].map_or(u128::MAX, |value| value as u64 as u128),
            Space::Mutex => state.mutexes[i].into(),
            Space::Cond => self.waiters(i).fold(0, |set, w| set | 1 << w),
            Space::Wake => state.threads[i].woken.into(),
            Space::RwLock => u128::from(state.rwlocks[i].0) | u128::from(state.rwlocks[i].1) << 32,
            Space::Semaphore => state.semaphores[i].into(),
            Space::Barrier => 0,
            Space::Thread => (state.threads[i].status == Status::Ended).into(),
            Space::Once | Space::Hidden | Space::Property | Space::Unseen | Space::Process => 0,
        }
    }

    fn outcome_with(&mut self, who: Tid, value: u128) -> Outcomes {
        let t = who.index();
        let choices = self.choices_with(t, value);
        let enabled = choices.iter().filter(|c| c.enabled);
        Outcomes(enabled.map(|c| (c.choice, self.accesses_with(t, c.choice, value))).collect())
    }

    fn assume_value(&mut self, object: &Access, value: u128) -> bool {
        let variable = object.space == Space::Memory && object.address < BLOCKS;
        if variable {
            self.state.variables[object.address as usize / 8] = value as i64;
        }
        variable
    }

    fn step(&mut self, who: Tid, choice: Choice) -> Step {
        let before = self.state.clone();
        self.lost = false;
        self.perform(who.index(), choice);
        self.look();
        if self.exit.is_some() {
            return Step::Ended;
        }
        let mut mine = before;
        mine.threads[who.index()] = self.state.threads[who.index()].clone();
        mine.knowledge.clone_from(&self.state.knowledge);
        let changed = mine != self.state || self.lost || self.state.threads[who.index()].status != Status::Live;
        if changed { Step::Done } else { Step::Silent }
    }

    /// What a round looks at plainly may race with a write that comes later.
    fn try_step(&mut self, who: Tid, choice: Choice) -> Trial {
        let (mark, looked, instr) = (self.mark(), self.looked, self.instr(who.index()));
        let waits = self.step(who, choice) == Step::Silent && self.is_live(who) && self.may_wait(who);
        let local = if waits { self.local_fingerprint(who) } else { None };
        self.rewind(mark);
        let by_value = !self.plain.checked || !matches!(instr, Some(Instr::Store(..) | Instr::WriteBlock(..)));
        Trial { local, lasting: !self.plain.checked || looked == self.looked, by_value }
    }

    fn order_arrivals(&mut self) {
        self.ordered_arrivals = true;
    }

    fn may_wait(&self, who: Tid) -> bool {
        let t = who.index();
        // Somewhere at or after this point a jump leads back to it or before.
        let pc = self.state.threads[t].pc;
        let code = &self.program.threads[t].0;
        code.iter().enumerate().any(|(i, instr)| matches!(instr, Instr::JumpIf(_, to) if *to <= pc && i >= pc))
    }

    fn is_cut(&self) -> bool {
        self.state.threads.iter().any(|t| t.status == Status::Cut)
    }

    fn ending(&self) -> Option<&Ending<ModelError>> {
        self.exit.as_ref()
    }

    fn mark(&mut self) -> Mark {
        self.marks.push(self.state.clone());
        Mark(self.marks.len() as u32 - 1)
    }

    fn rewind(&mut self, to: Mark) {
        self.marks.truncate(to.0 as usize + 1);
        self.state = self.marks[to.0 as usize].clone();
        self.exit = self.ending_of_state();
    }

    fn save(&self) -> State {
        self.state.clone()
    }

    fn restore(&mut self, saved: &State) {
        self.state = saved.clone();
        self.exit = self.ending_of_state();
    }

    fn fingerprint(&mut self) -> Option<Fingerprint> {
        Some(hash(&self.state))
    }

    fn local_fingerprint(&mut self, who: Tid) -> Option<Fingerprint> {
        Some(hash(&self.state.threads[who.index()]))
    }

    fn may_access(&self, who: Tid) -> Option<AccessSet> {
        Some(may_access(self.program, who.index(), self.state.threads[who.index()].pc))
    }
}
