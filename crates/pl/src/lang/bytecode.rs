//! What the machine executes: functions of small operations on registers, with every name resolved.

use super::ast::Binary;
use super::source::{LineColumn, Source};

/// A value. Types are checked before, so that nothing ever looks at the tag to decide what to do, but for one question:
/// whether a reference is shared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Value {
    #[default]
    Unit,
    Int(i64),
    Bool(bool),
    /// A shared variable, by its number.
    Shared(u32),
    Mutex(u32),
    /// A reference of the thread's own, in its heap.
    Cell(u32),
    /// A function that captures nothing.
    Code(u32),
    /// One that does: in the heap, `Code` and behind it what it captured.
    Closure(u32),
}

impl Value {
    pub fn int(self) -> i64 {
        match self {
            Value::Int(value) => value,
            other => unreachable!("an integer, not {other:?}: types are checked"),
        }
    }

    pub fn is_true(self) -> bool {
        self == Value::Bool(true)
    }

    /// As two words that no other value has.
    pub fn words(self) -> (u64, u64) {
        match self {
            Value::Unit => (0, 0),
            Value::Int(value) => (1, value as u64),
            Value::Bool(value) => (2, value.into()),
            Value::Shared(at) => (3, at.into()),
            Value::Mutex(at) => (4, at.into()),
            Value::Cell(at) => (5, at.into()),
            Value::Code(at) => (6, at.into()),
            Value::Closure(at) => (7, at.into()),
        }
    }
}

pub type Register = u16;

/// A register of the frame, or a constant of the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operand(u16);

impl Operand {
    const CONSTANT: u16 = 1 << 15;
    /// Registers of a function, and constants of a program.
    pub const MOST: usize = Self::CONSTANT as usize;

    pub fn register(register: Register) -> Operand {
        debug_assert!(register < Self::CONSTANT);
        Operand(register)
    }

    pub fn constant(index: usize) -> Operand {
        debug_assert!(index < Self::MOST);
        Operand(index as u16 | Self::CONSTANT)
    }

    pub fn as_register(self) -> Option<Register> {
        (self.0 & Self::CONSTANT == 0).then_some(self.0)
    }

    pub fn as_constant(self) -> Option<usize> {
        (self.0 & Self::CONSTANT != 0).then_some((self.0 & !Self::CONSTANT) as usize)
    }
}

/// A stretch of `TbProgram::operands`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct List {
    pub first: u32,
    pub count: u16,
}

/// Jumps go to an index of the function's code. `d` is the register for the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Move {
        d: Register,
        s: Operand,
    },
    Not {
        d: Register,
        s: Operand,
    },
    Negate {
        d: Register,
        s: Operand,
    },
    Binary {
        operator: Binary,
        d: Register,
        a: Operand,
        b: Operand,
    },
    Jump {
        to: u32,
    },
    JumpUnless {
        condition: Operand,
        to: u32,
    },
    JumpIf {
        condition: Operand,
        to: u32,
    },
    /// A cell of a shared array, or a mutex of an array.
    Index {
        d: Register,
        array: u16,
        index: Operand,
    },
    NewCell {
        d: Register,
        s: Operand,
    },
    NewClosure {
        d: Register,
        function: u16,
        captured: List,
    },
    Call {
        d: Register,
        callee: Operand,
        arguments: List,
    },
    Return {
        s: Operand,
    },
    Assert {
        condition: Operand,
        text: u16,
    },
    Assume {
        condition: Operand,
    },
    Fail {
        text: u16,
    },
    // Visible operations, those on references if these are shared.
    Read {
        d: Register,
        place: Operand,
    },
    Write {
        place: Operand,
        s: Operand,
    },
    CompareAndSwap {
        d: Register,
        place: Operand,
        old: Operand,
        new: Operand,
    },
    Lock {
        mutex: Operand,
    },
    Unlock {
        mutex: Operand,
    },
    Choose {
        d: Register,
        low: Operand,
        high: Operand,
    },
    Join {
        thread: u16,
    },
    End,
}

impl Op {
    /// Where it may go besides the next operation, and whether it may go there.
    pub fn target(&self) -> (Option<usize>, bool) {
        match self {
            Op::Jump { to } => (Some(*to as usize), false),
            Op::JumpUnless { to, .. } | Op::JumpIf { to, .. } => (Some(*to as usize), true),
            Op::Return { .. } | Op::Fail { .. } => (None, false),
            _ => (None, true),
        }
    }

    pub fn successors(&self, pc: usize) -> impl Iterator<Item = usize> {
        let (target, next) = self.target();
        target.into_iter().chain(next.then_some(pc + 1))
    }

    pub fn result(&self) -> Option<Register> {
        match *self {
            Op::Move { d, .. }
            | Op::Not { d, .. }
            | Op::Negate { d, .. }
            | Op::Binary { d, .. }
            | Op::Index { d, .. }
            | Op::NewCell { d, .. }
            | Op::NewClosure { d, .. }
            | Op::Call { d, .. }
            | Op::Read { d, .. }
            | Op::CompareAndSwap { d, .. }
            | Op::Choose { d, .. } => Some(d),
            _ => None,
        }
    }

    /// The same with another register for the result.
    pub fn with_result(mut self, new: Register) -> Op {
        match &mut self {
            Op::Move { d, .. }
            | Op::Not { d, .. }
            | Op::Negate { d, .. }
            | Op::Binary { d, .. }
            | Op::Index { d, .. }
            | Op::NewCell { d, .. }
            | Op::NewClosure { d, .. }
            | Op::Call { d, .. }
            | Op::Read { d, .. }
            | Op::CompareAndSwap { d, .. }
            | Op::Choose { d, .. } => *d = new,
            _ => {}
        }
        self
    }

    pub fn each_operand(&self, operands: &[Operand], mut tell: impl FnMut(Operand)) {
        let list = |list: &List| &operands[list.first as usize..][..list.count as usize];
        match self {
            Op::Move { s, .. } | Op::Not { s, .. } | Op::Negate { s, .. } => tell(*s),
            Op::NewCell { s, .. } | Op::Return { s } => tell(*s),
            Op::Binary { a, b, .. } => [*a, *b].into_iter().for_each(tell),
            Op::JumpUnless { condition, .. } | Op::JumpIf { condition, .. } => tell(*condition),
            Op::Assert { condition, .. } | Op::Assume { condition } => tell(*condition),
            Op::Index { index, .. } => tell(*index),
            Op::NewClosure { captured, .. } => list(captured).iter().copied().for_each(tell),
            Op::Call { callee, arguments, .. } => {
                tell(*callee);
                list(arguments).iter().copied().for_each(tell);
            }
            Op::Read { place, .. } => tell(*place),
            Op::Write { place, s } => [*place, *s].into_iter().for_each(tell),
            Op::CompareAndSwap { place, old, new, .. } => [*place, *old, *new].into_iter().for_each(tell),
            Op::Lock { mutex } | Op::Unlock { mutex } => tell(*mutex),
            Op::Choose { low, high, .. } => [*low, *high].into_iter().for_each(tell),
            Op::Jump { .. } | Op::Fail { .. } | Op::Join { .. } | Op::End => {}
        }
    }
}

/// What the place of an operation may be, as far as the code tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    Nothing,
    /// A constant operand tells which.
    Known,
    /// Some element of the array.
    Array(u16),
    /// Any shared variable, or any mutex, that is handed around as a value.
    Anything,
}

/// A variable of the source, for reports: what it is called while the thread is at these operations.
#[derive(Clone, Debug)]
pub struct LocalName {
    pub name: String,
    pub operand: Operand,
    pub from: u32,
    pub to: u32,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub parameters: u16,
    /// Behind the parameters lie what it captured, and then itself if it is recursive and captures something.
    pub captured: u16,
    pub keeps_itself: bool,
    pub registers: u16,
    pub code: Vec<Op>,
    /// For each operation:
    pub places: Vec<LineColumn>,
    pub targets: Vec<Target>,
    /// Jumps back of loops that count, with where the loop goes on afterwards: such a round never comes back to a
    /// state that was there before.
    pub counting: Vec<(u32, u32)>,
    pub locals: Vec<LocalName>,
    pub live: Live,
    /// For each operation: whether a thread may wait there.
    pub may_wait: Vec<bool>,
    /// For each operation: the number of the set of what the code from there to the end of the function may touch.
    pub reach: Vec<u32>,
}

/// The registers that matter before each operation: a set of bits each.
#[derive(Clone, Debug, Default)]
pub struct Live {
    pub words: usize,
    pub bits: Vec<u64>,
}

impl Live {
    pub fn contains(&self, pc: usize, register: usize) -> bool {
        self.bits[pc * self.words + register / 64] >> (register % 64) & 1 == 1
    }
}

/// Shared variables or mutexes that were declared together: one, or an array of them.
#[derive(Clone, Debug)]
pub struct Array {
    pub name: String,
    pub is_mutex: bool,
    pub first: u32,
    pub count: u32,
    /// Declared with a size, so that its elements have an index.
    pub indexed: bool,
    /// Handed around as a value somewhere.
    pub escapes: bool,
}

impl Array {
    pub fn element(&self, at: u32) -> String {
        match self.indexed {
            true => format!("{}[{}]", self.name, at - self.first),
            false => self.name.clone(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct ThreadStart {
    /// `worker[2]`
    pub name: String,
    pub function: u16,
}

/// A program that is ready to run.
#[derive(Clone, Debug)]
pub struct TbProgram {
    pub source: Source,
    pub functions: Vec<Function>,
    pub constants: Vec<Value>,
    pub operands: Vec<Operand>,
    pub texts: Vec<String>,
    pub arrays: Vec<Array>,
    /// The first values of the shared variables.
    pub shared: Vec<Value>,
    pub mutexes: u32,
    /// The threads side by side; thread 0, the main one, is not among them.
    pub threads: Vec<ThreadStart>,
    /// What the main thread does when the others have ended.
    pub finally: Option<ThreadStart>,
    pub parameters: Vec<(String, Value)>,
    pub invariants: Vec<super::invariants::Invariant>,
    /// For each shared variable the invariants that may read it; nothing if there are none at all.
    pub watched: Vec<Vec<u16>>,
    /// The sets of `Function::reach`.
    pub reachable: Vec<super::reach::Reach>,
}

impl TbProgram {
    pub fn array_of(&self, is_mutex: bool, at: u32) -> &Array {
        let mut arrays = self.arrays.iter().filter(|array| array.is_mutex == is_mutex);
        let found = arrays.find(|array| (array.first..array.first + array.count).contains(&at));
        found.expect("every address belongs to an array")
    }

    /// As the source calls it: `table[3]`.
    pub fn name_of(&self, is_mutex: bool, at: u32) -> String {
        self.array_of(is_mutex, at).element(at)
    }

    pub fn list(&self, list: List) -> &[Operand] {
        &self.operands[list.first as usize..][..list.count as usize]
    }
}
