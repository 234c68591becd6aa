//! What takes steps back: the old values of what has changed, newest last.

use super::bytecode::Value;
use super::machine::SavedState;
use super::thread::{Frame, Status, Thread};

pub enum Change {
    Shared {
        at: u32,
        old: Value,
    },
    Mutex {
        at: u32,
        old: u16,
    },
    /// A thread as it was; its frames and registers lie at the ends of `frames` and `registers`.
    Thread {
        number: u16,
        status: Status,
        frames: u32,
        registers: u32,
        heap: u32,
    },
    Cell {
        number: u16,
        at: u32,
        old: Value,
    },
    /// The heap was tidied up.
    Heap {
        number: u16,
        old: Box<[Value]>,
    },
    /// An error was noted.
    Noted,
    /// The execution ended.
    Ended,
    /// Another state was put in its place.
    Everything(Box<SavedState>),
}

#[derive(Default)]
pub struct Undo {
    pub changes: Vec<Change>,
    frames: Vec<Frame>,
    registers: Vec<Value>,
    /// Where each mark stands in `changes`.
    pub marks: Vec<u32>,
}

impl Undo {
    /// A mark where nothing has changed since the last one is that one.
    pub fn mark(&mut self) -> u32 {
        let here = self.changes.len() as u32;
        if self.marks.last() != Some(&here) {
            self.marks.push(here);
        }
        self.marks.len() as u32 - 1
    }

    pub fn cell(&mut self, number: u16, at: u32, old: Value) {
        self.changes.push(Change::Cell { number, at, old });
    }

    pub fn heap(&mut self, number: u16, old: Vec<Value>) {
        self.changes.push(Change::Heap { number, old: old.into() });
    }

    /// Keeps a thread as it is now. A heap only grows at its end, and cells that change are kept one by one.
    pub fn thread(&mut self, number: u16, thread: &Thread) {
        self.frames.extend_from_slice(&thread.frames);
        self.registers.extend_from_slice(&thread.registers);
        self.changes.push(Change::Thread {
            number,
            status: thread.status,
            frames: thread.frames.len() as u32,
            registers: thread.registers.len() as u32,
            heap: thread.heap.len() as u32,
        });
    }

    /// Puts the frames and registers that were kept last back into their thread.
    pub fn take_back(&mut self, thread: &mut Thread, status: Status, frames: u32, registers: u32, heap: u32) {
        thread.status = status;
        let (frames, registers) = (self.frames.len() - frames as usize, self.registers.len() - registers as usize);
        thread.frames.clear();
        thread.frames.extend_from_slice(&self.frames[frames..]);
        thread.registers.clear();
        thread.registers.extend_from_slice(&self.registers[registers..]);
        self.frames.truncate(frames);
        self.registers.truncate(registers);
        thread.heap.truncate(heap as usize);
    }

    pub fn clear(&mut self) {
        self.changes.clear();
        self.frames.clear();
        self.registers.clear();
        self.marks.clear();
    }
}
