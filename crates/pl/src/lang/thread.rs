//! One thread: its frames, its registers, its own heap, and how it executes local code.

use std::collections::HashMap;

use threadbare_core::{FaultKind, Fingerprint, Hash128};

use super::bytecode::{Op, Operand, TbProgram, Value};
use super::undo::Undo;
use super::values::{NoValue, apply, apply_unary};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    Live,
    Ended,
    /// A failed `assume`.
    Cut,
    /// Its own error.
    Failed,
}

/// A call that has not returned. `pc` is the operation that the frame stands at: a call, for all but the last frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    pub function: u16,
    pub base: u32,
    pub pc: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    pub status: Status,
    pub frames: Vec<Frame>,
    pub registers: Vec<Value>,
    pub heap: Vec<Value>,
}

/// What a program may use before the machine stops it.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Jumps back and calls between two visible operations.
    pub local_steps: u64,
    /// Nested calls of one thread.
    pub stack_frames: usize,
    /// Bytes of references and functions of one thread.
    pub memory: u64,
    /// Asked now and then by a thread that goes round a loop: whether to give up.
    pub stop: Option<fn() -> bool>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { local_steps: 300_000_000, stack_frames: 100_000, memory: 2 << 30, stop: None }
    }
}

/// Why local code stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    Visible,
    Ended,
    Cut,
    Fault(FaultKind, String),
}

/// Between two visible operations: what is left of the limit, and whether a loop has come back to where it was. That is
/// looked for by Brent's method (1980), once a thread has gone round often.
pub struct Rounds {
    gone: u64,
    /// When to look at the state again.
    next_look: u64,
    /// When to ask whether to give up.
    next_question: u64,
    anchor: Fingerprint,
    next_anchor: u64,
    /// Values in the heap before it is tidied up.
    room: usize,
}

/// Rounds before anybody wonders.
const PATIENCE: u64 = 4096;
const BETWEEN_QUESTIONS: u64 = 1 << 14;
const ROOM: usize = 1 << 16;

impl Rounds {
    pub fn new(limits: &Limits) -> Rounds {
        let next_look = PATIENCE.min(limits.local_steps);
        let next_question = BETWEEN_QUESTIONS;
        Rounds { gone: 0, next_look, next_question, anchor: Fingerprint::default(), next_anchor: next_look, room: ROOM }
    }
}

impl Thread {
    /// One that has not run; without a function it is as good as ended.
    pub fn new(program: &TbProgram, function: Option<u16>) -> Thread {
        let mut thread = Thread { status: Status::Ended, frames: Vec::new(), registers: Vec::new(), heap: Vec::new() };
        if let Some(function) = function {
            thread.status = Status::Live;
            thread.frames.push(Frame { function, base: 0, pc: 0 });
            thread.registers.resize(program.functions[function as usize].registers as usize, Value::Unit);
        }
        thread
    }

    pub fn top(&self) -> &Frame {
        self.frames.last().expect("a live thread has a frame")
    }

    /// The operation that a live thread stands at.
    pub fn op(&self, program: &TbProgram) -> Op {
        let frame = self.top();
        program.functions[frame.function as usize].code[frame.pc as usize]
    }

    #[inline(always)]
    pub fn get(&self, program: &TbProgram, operand: Operand) -> Value {
        let base = self.top().base as usize;
        self.get_from(program, base, operand)
    }

    #[inline(always)]
    fn get_from(&self, program: &TbProgram, base: usize, operand: Operand) -> Value {
        match operand.as_constant() {
            Some(index) => program.constants[index],
            None => self.registers[base + operand.as_register().unwrap_or(0) as usize],
        }
    }

    /// The visible operation is done, with this result: on to the next operation.
    pub fn finish(&mut self, result: Option<(u16, Value)>) {
        let frame = self.frames.last_mut().expect("a live thread has a frame");
        frame.pc += 1;
        let base = frame.base as usize;
        if let Some((d, value)) = result {
            self.registers[base + d as usize] = value;
        }
    }

    /// Nothing of it matters any more. What is left of its heap cannot be reached; it stays for the way back.
    pub fn end(&mut self, status: Status) {
        self.status = status;
        self.frames.clear();
        self.registers.clear();
    }

    /// Local code, up to the next visible operation.
    pub fn run(&mut self, program: &TbProgram, limits: &Limits, rounds: &mut Rounds, log: &mut Undo, own: u16) -> Stop {
        'frame: loop {
            let Frame { function, base, pc } = *self.top();
            let (code, base, mut pc) = (&program.functions[function as usize].code[..], base as usize, pc as usize);
            macro_rules! stop {
                ($stop:expr) => {{
                    self.frames.last_mut().expect("it runs").pc = pc as u32;
                    return $stop;
                }};
            }
            macro_rules! get {
                ($operand:expr) => {
                    self.get_from(program, base, $operand)
                };
            }
            macro_rules! set {
                ($d:expr, $value:expr) => {{
                    let value = $value;
                    self.registers[base + $d as usize] = value;
                }};
            }
            macro_rules! jump {
                ($to:expr) => {{
                    let to = $to as usize;
                    if to <= pc {
                        self.frames.last_mut().expect("it runs").pc = to as u32;
                        if let Some(fault) = self.go_round(program, limits, rounds) {
                            return fault;
                        }
                    }
                    pc = to;
                    continue;
                }};
            }
            loop {
                match code[pc] {
                    Op::Move { d, s } => set!(d, get!(s)),
                    Op::Not { d, s } => set!(d, Value::Bool(!get!(s).is_true())),
                    Op::Negate { d, s } => match apply_unary(super::ast::Unary::Negate, get!(s)) {
                        Some(value) => set!(d, value),
                        None => stop!(no_value(NoValue::Overflow)),
                    },
                    Op::Binary { operator, d, a, b } => match apply(operator, get!(a), get!(b)) {
                        Ok(value) => set!(d, value),
                        Err(why) => stop!(no_value(why)),
                    },
                    Op::Jump { to } => jump!(to),
                    Op::JumpUnless { condition, to } => {
                        if !get!(condition).is_true() {
                            jump!(to);
                        }
                    }
                    Op::JumpIf { condition, to } => {
                        if get!(condition).is_true() {
                            jump!(to);
                        }
                    }
                    Op::Index { d, array, index } => {
                        let array = &program.arrays[array as usize];
                        let index = get!(index).int();
                        if index < 0 || index >= i64::from(array.count) {
                            let last = array.count - 1;
                            let message = format!("index {index} of `{}`, which goes from 0 to {last}", array.name);
                            stop!(Stop::Fault(FaultKind::OutOfBounds, message));
                        }
                        let at = array.first + index as u32;
                        set!(d, if array.is_mutex { Value::Mutex(at) } else { Value::Shared(at) });
                    }
                    Op::NewCell { d, s } => {
                        let value = get!(s);
                        set!(d, Value::Cell(self.heap.len() as u32));
                        self.heap.push(value);
                        if self.heap.len() > rounds.room {
                            self.frames.last_mut().expect("it runs").pc = pc as u32 + 1;
                            if !self.make_room(program, limits, rounds, log, own) {
                                stop!(heap_is_full(limits));
                            }
                        }
                    }
                    Op::NewClosure { d, function, captured } => {
                        let at = self.heap.len() as u32;
                        self.heap.push(Value::Code(function.into()));
                        for &operand in program.list(captured) {
                            let value = get!(operand);
                            self.heap.push(value);
                        }
                        set!(d, Value::Closure(at));
                        if self.heap.len() > rounds.room {
                            self.frames.last_mut().expect("it runs").pc = pc as u32 + 1;
                            if !self.make_room(program, limits, rounds, log, own) {
                                stop!(heap_is_full(limits));
                            }
                        }
                    }
                    Op::Call { callee, arguments, .. } => {
                        self.frames.last_mut().expect("it runs").pc = pc as u32;
                        if let Some(fault) = self.go_round(program, limits, rounds) {
                            return fault;
                        }
                        if self.frames.len() >= limits.stack_frames {
                            let message = format!("more than {} nested calls (--stack-limit)", limits.stack_frames);
                            return Stop::Fault(FaultKind::Limit, message);
                        }
                        self.call(program, base, get!(callee), program.list(arguments));
                        continue 'frame;
                    }
                    Op::Return { s } => {
                        let value = get!(s);
                        self.frames.pop();
                        let Some(caller) = self.frames.last_mut() else {
                            self.end(Status::Ended);
                            return Stop::Ended;
                        };
                        self.registers.truncate(base);
                        let code = &program.functions[caller.function as usize].code;
                        if let Some(d) = code[caller.pc as usize].result() {
                            self.registers[caller.base as usize + d as usize] = value;
                        }
                        caller.pc += 1;
                        continue 'frame;
                    }
                    Op::Assert { condition, text } => {
                        if !get!(condition).is_true() {
                            let message = format!("assertion `{}` failed", program.texts[text as usize]);
                            stop!(Stop::Fault(FaultKind::Assertion, message));
                        }
                    }
                    Op::Assume { condition } => {
                        if !get!(condition).is_true() {
                            self.end(Status::Cut);
                            return Stop::Cut;
                        }
                    }
                    Op::Fail { text } => {
                        let message = match program.texts[text as usize].as_str() {
                            "" => "assertion failed: `error` is reached".to_string(),
                            text => format!("assertion failed: {text}"),
                        };
                        stop!(Stop::Fault(FaultKind::Assertion, message));
                    }
                    Op::Read { d, place } => match get!(place) {
                        Value::Cell(at) => set!(d, self.heap[at as usize]),
                        _ => stop!(Stop::Visible),
                    },
                    Op::Write { place, s } => match get!(place) {
                        Value::Cell(at) => {
                            let value = get!(s);
                            let old = std::mem::replace(&mut self.heap[at as usize], value);
                            log.cell(own, at, old);
                        }
                        _ => stop!(Stop::Visible),
                    },
                    Op::CompareAndSwap { d, place, old, new } => match get!(place) {
                        Value::Cell(at) => {
                            let holds = self.heap[at as usize];
                            let (swaps, new) = (holds == get!(old), get!(new));
                            if swaps {
                                self.heap[at as usize] = new;
                                log.cell(own, at, holds);
                            }
                            set!(d, Value::Bool(swaps));
                        }
                        _ => stop!(Stop::Visible),
                    },
                    Op::Choose { low, high, .. } => {
                        let (low, high) = (get!(low).int(), get!(high).int());
                        match high.checked_sub(low).map(|most| u32::try_from(most).is_ok_and(|n| n < u32::MAX)) {
                            Some(true) => stop!(Stop::Visible),
                            _ if high < low => {
                                let message = format!("choose({low}, {high}) has nothing to choose from");
                                stop!(Stop::Fault(FaultKind::Crash, message))
                            }
                            _ => {
                                let message = format!("choose({low}, {high}) has too many values");
                                stop!(Stop::Fault(FaultKind::Limit, message))
                            }
                        }
                    }
                    Op::Lock { .. } | Op::Unlock { .. } | Op::Join { .. } | Op::End => stop!(Stop::Visible),
                }
                pc += 1;
            }
        }
    }

    fn call(&mut self, program: &TbProgram, base: usize, callee: Value, arguments: &[Operand]) {
        let (function, closure) = match callee {
            Value::Code(function) => (function, None),
            Value::Closure(at) => match self.heap[at as usize] {
                Value::Code(function) => (function, Some(at as usize)),
                other => unreachable!("a closure begins with its code, not with {other:?}"),
            },
            other => unreachable!("types are checked: {other:?} is no function"),
        };
        let called = &program.functions[function as usize];
        let new = self.registers.len();
        self.registers.resize(new + called.registers as usize, Value::Unit);
        for (place, &argument) in arguments.iter().enumerate() {
            self.registers[new + place] = self.get_from(program, base, argument);
        }
        if let Some(at) = closure {
            let (first, count) = (new + called.parameters as usize, called.captured as usize);
            for place in 0..count {
                self.registers[first + place] = self.heap[at + 1 + place];
            }
            if called.keeps_itself {
                self.registers[first + count] = callee;
            }
        }
        self.frames.push(Frame { function: function as u16, base: new as u32, pc: 0 });
    }

    /// A jump back, or a call. The frame stands where it goes on.
    #[inline]
    fn go_round(&mut self, program: &TbProgram, limits: &Limits, rounds: &mut Rounds) -> Option<Stop> {
        rounds.gone += 1;
        if rounds.gone < rounds.next_look { None } else { self.wonder(program, limits, rounds) }
    }

    #[cold]
    fn wonder(&mut self, program: &TbProgram, limits: &Limits, rounds: &mut Rounds) -> Option<Stop> {
        if rounds.gone >= limits.local_steps {
            let message = format!(
                "{} rounds of loops and calls without an operation that others can see (--step-limit)",
                limits.local_steps
            );
            return Some(Stop::Fault(FaultKind::Limit, message));
        }
        if rounds.gone >= rounds.next_question {
            rounds.next_question = rounds.gone + BETWEEN_QUESTIONS;
            if limits.stop.is_some_and(|stop| stop()) {
                return Some(Stop::Fault(
                    FaultKind::Stopped,
                    "the execution was given up in the middle of a step".into(),
                ));
            }
        }
        // A large state is looked at less often, so that looking costs no more than going on. When to look next follows
        // from the state itself: what repeats is still found.
        let size = (self.registers.len() + self.heap.len()) as u64;
        rounds.next_look = (rounds.gone + 1 + size / 8).min(limits.local_steps);
        let now = self.fingerprint(program, 0);
        if now == rounds.anchor {
            let message = "a thread goes round a loop for ever, and does nothing that others can see";
            return Some(Stop::Fault(FaultKind::Livelock, message.into()));
        }
        if rounds.gone >= rounds.next_anchor {
            rounds.anchor = now;
            rounds.next_anchor = rounds.gone * 2;
        }
        None
    }

    /// Leaves in the heap what can be reached; whether that is within the limit.
    #[cold]
    fn make_room(
        &mut self,
        program: &TbProgram,
        limits: &Limits,
        rounds: &mut Rounds,
        log: &mut Undo,
        own: u16,
    ) -> bool {
        let compact = self.compact(program);
        let old = std::mem::replace(self, compact);
        log.heap(own, old.heap);
        rounds.room = ROOM.max(2 * self.heap.len());
        (self.heap.len() * size_of::<Value>()) as u64 <= limits.memory
    }

    /// Whether a register of a frame matters where that frame stands.
    fn is_live(&self, program: &TbProgram, depth: usize, register: usize) -> bool {
        let frame = &self.frames[depth];
        let function = &program.functions[frame.function as usize];
        let pc = frame.pc as usize;
        match depth + 1 == self.frames.len() {
            true => function.live.contains(pc, register),
            // It waits for a result.
            false => function.code[pc].result() != Some(register as u16) && function.live.contains(pc + 1, register),
        }
    }

    /// The same thread without what does not matter: dead registers are empty, the heap has what can be reached, in the
    /// order in which it is reached (Cheney, 1970). Two threads that go on alike are then equal.
    pub fn compact(&self, program: &TbProgram) -> Thread {
        let mut thread = Thread { heap: Vec::new(), ..self.clone() };
        let mut moved: HashMap<u32, u32> = HashMap::new();
        let mut move_value = |heap: &mut Vec<Value>, value: Value| {
            let (at, length) = match value {
                Value::Cell(at) => (at, 1),
                Value::Closure(at) => match self.heap[at as usize] {
                    Value::Code(function) => (at, 1 + program.functions[function as usize].captured as usize),
                    other => unreachable!("a closure begins with its code, not with {other:?}"),
                },
                other => return other,
            };
            let new = *moved.entry(at).or_insert_with(|| {
                heap.extend_from_slice(&self.heap[at as usize..][..length]);
                (heap.len() - length) as u32
            });
            if matches!(value, Value::Cell(_)) { Value::Cell(new) } else { Value::Closure(new) }
        };
        for (depth, frame) in self.frames.iter().enumerate() {
            for register in 0..program.functions[frame.function as usize].registers as usize {
                let at = frame.base as usize + register;
                thread.registers[at] = match self.is_live(program, depth, register) {
                    true => move_value(&mut thread.heap, self.registers[at]),
                    false => Value::Unit,
                };
            }
        }
        let mut at = 0;
        while at < thread.heap.len() {
            let value = thread.heap[at];
            thread.heap[at] = move_value(&mut thread.heap, value);
            at += 1;
        }
        thread
    }

    /// Everything that matters of it.
    pub fn fingerprint(&self, program: &TbProgram, seed: u64) -> Fingerprint {
        self.fingerprint_as(program, seed, |function| function)
    }

    /// The same with other numbers for functions.
    pub fn fingerprint_as(&self, program: &TbProgram, seed: u64, code: impl Fn(u32) -> u32) -> Fingerprint {
        if !self.heap.is_empty() {
            let compact = self.compact(program);
            return compact.hash(program, seed, code);
        }
        self.hash(program, seed, code)
    }

    fn hash(&self, program: &TbProgram, seed: u64, code: impl Fn(u32) -> u32) -> Fingerprint {
        let mut hash = Hash128::new(seed);
        // Who has failed is gone like who has ended, for all but the main thread, which waits for those that end.
        let status = match self.status {
            Status::Failed if program.finally.is_none() => Status::Ended,
            status => status,
        };
        hash.word(status as u64);
        let mut put = |value: Value| {
            let (tag, word) = match value {
                Value::Code(function) => Value::Code(code(function)).words(),
                value => value.words(),
            };
            hash.word(tag);
            hash.word(word);
        };
        for (depth, frame) in self.frames.iter().enumerate() {
            put(Value::Int(i64::from(code(frame.function.into())) << 32 | i64::from(frame.pc)));
            for register in 0..program.functions[frame.function as usize].registers as usize {
                if self.is_live(program, depth, register) {
                    put(self.registers[frame.base as usize + register]);
                }
            }
        }
        self.heap.iter().copied().for_each(&mut put);
        hash.finish()
    }
}

fn heap_is_full(limits: &Limits) -> Stop {
    let message = format!("references and functions of more than {} MiB (--program-memory)", limits.memory >> 20);
    Stop::Fault(FaultKind::Limit, message)
}

fn no_value(why: NoValue) -> Stop {
    Stop::Fault(FaultKind::Crash, why.to_string())
}
