//! The programs: a few threads of straight code with jumps, over shared variables and synchronisation objects.

use std::collections::BTreeMap;

pub const REGISTERS: usize = 4;

pub type Reg = usize;

/// A value from the registers of the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expr {
    Const(i64),
    Reg(Reg),
    /// Modulo 3, so that states stay few.
    Plus(Reg, i64),
    Equal(Reg, i64),
    Differ(Reg, i64),
    RegsDiffer(Reg, Reg),
}

impl Expr {
    pub fn eval(self, registers: &[i64; REGISTERS]) -> i64 {
        match self {
            Expr::Const(value) => value,
            Expr::Reg(r) => registers[r],
            Expr::Plus(r, value) => (registers[r] + value).rem_euclid(3),
            Expr::Equal(r, value) => (registers[r] == value).into(),
            Expr::Differ(r, value) => (registers[r] != value).into(),
            Expr::RegsDiffer(a, b) => (registers[a] != registers[b]).into(),
        }
    }
}

/// The memory order of an atomic operation or a fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }

    /// Of a compare-exchange that fails.
    pub fn of_failure(self) -> Order {
        match self {
            Order::SeqCst => Order::SeqCst,
            order if order.acquires() => Order::Acquire,
            _ => Order::Relaxed,
        }
    }
}

/// What a plain access touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cells {
    /// So many bytes of the plain data, from this one on.
    Data(usize, usize),
    /// What others access atomically.
    Variable(usize),
    Block(usize),
}

/// Objects are named by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instr {
    Load(Reg, usize),
    Store(usize, Expr),
    Exchange(Reg, usize, Expr),
    FetchAdd(Reg, usize, Expr),
    /// The register tells whether it succeeded.
    CompareExchange(Reg, usize, Expr, Expr),
    Lock(usize),
    Unlock(usize),
    /// The register of a try or a timed operation tells whether it succeeded.
    TryLock(Reg, usize),
    TimedLock(Reg, usize),
    /// Condition variable, mutex.
    Wait(usize, usize),
    TimedWait(Reg, usize, usize),
    Signal(usize),
    Broadcast(usize),
    ReadLock(usize),
    WriteLock(usize),
    TryReadLock(Reg, usize),
    TryWriteLock(Reg, usize),
    TimedReadLock(Reg, usize),
    TimedWriteLock(Reg, usize),
    RwUnlock(usize),
    Post(usize),
    SemWait(usize),
    TrySemWait(Reg, usize),
    TimedSemWait(Reg, usize),
    SemValue(Reg, usize),
    Barrier(usize),
    Create(usize),
    Join(usize),
    /// 0 .. n
    Choose(Reg, u32),
    /// A heap block: read its cell, write it, free it.
    ReadBlock(Reg, usize),
    WriteBlock(usize, Expr),
    Free(usize),
    /// With an order of `Program::orders`.
    Fence,
    Exit,
    /// A plain read, the sum of the cells modulo 3, and a plain write of the same value to each: local code, or operations
    /// of their own, as the machine is set.
    Read(Reg, Cells),
    Write(Cells, Expr),
    // Local code.
    Set(Reg, Expr),
    JumpIf(Expr, usize),
    Assert(Expr),
    Assume(Expr),
}

#[derive(Clone, Debug, Default)]
pub struct Code(pub Vec<Instr>);

/// Thread 0 runs at the start; the others when they are created, each at most once.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub variables: Vec<i64>,
    pub mutexes: usize,
    /// The mutexes are error-checking ones: a lock by who holds it fails, and so does an unlock by who does not.
    pub error_checks: bool,
    pub conditions: usize,
    pub rwlocks: usize,
    pub semaphores: Vec<u32>,
    pub barriers: Vec<u32>,
    pub blocks: usize,
    /// Bytes that are accessed plainly.
    pub data: usize,
    /// As C: they are not a variable.
    pub data_on_heap: bool,
    /// Orders of atomic operations, by thread and instruction, where they are not sequentially consistent.
    pub orders: BTreeMap<(usize, usize), Order>,
    pub threads: Vec<Code>,
    /// An invariant: these variables never have these values, all of them at a time. Without any, nothing is looked at.
    pub never: Vec<(usize, i64)>,
}

impl Program {
    pub fn order(&self, thread: usize, pc: usize) -> Order {
        self.orders.get(&(thread, pc)).copied().unwrap_or(Order::SeqCst)
    }
}
