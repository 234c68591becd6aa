//! What a thread of a small program may still touch: the instructions that can be reached from where it stands.

use std::sync::Arc;

use threadbare_core::{Access, AccessSet, Mode, Space};

use super::program::{Cells, Instr, Program};

/// Of thread `t` at instruction `pc`.
pub fn may_access(program: &Program, t: usize, pc: usize) -> AccessSet {
    use Mode::{Add, Read, Write};
    let code = &program.threads[t].0;
    let mut reached = vec![false; code.len() + 1];
    let mut open = vec![pc];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut reached[at], true) || at == code.len() {
            continue;
        }
        open.push(at + 1);
        if let Instr::JumpIf(_, target) = code[at] {
            open.push(target);
        }
    }
    let mut named = vec![Access::object(Space::Thread, Write, t as u64)];
    let mut spaces = Vec::new();
    let mut creates = false;
    for instr in code.iter().zip(&reached).filter(|(_, reached)| **reached).map(|(instr, _)| *instr) {
        let mut object = |space, mode, i: usize| named.push(Access::object(space, mode, i as u64));
        match instr {
            Instr::Load(_, x) => named.push(Cells::Variable(x).access(Read)),
            Instr::Store(x, _)
            | Instr::Exchange(_, x, _)
            | Instr::FetchAdd(_, x, _)
            | Instr::CompareExchange(_, x, _, _) => {
                named.push(Cells::Variable(x).access(Write));
                if program.never.iter().any(|(observed, _)| *observed == x) {
                    named.push(Access::object(Space::Property, Write, 0));
                }
                // Additions are ordered among each other where a machine orders threads.
                named.push(Access::object(Space::Hidden, Write, 0));
            }
            Instr::Lock(m) | Instr::Unlock(m) | Instr::TryLock(_, m) | Instr::TimedLock(_, m) => {
                object(Space::Mutex, Write, m);
            }
            Instr::Wait(c, m) | Instr::TimedWait(_, c, m) => {
                object(Space::Mutex, Write, m);
                object(Space::Cond, Add, c);
                object(Space::Wake, Write, t);
            }
            Instr::Signal(c) | Instr::Broadcast(c) => {
                object(Space::Cond, Write, c);
                (0..program.threads.len()).for_each(|w| object(Space::Wake, Write, w));
            }
            Instr::ReadLock(l)
            | Instr::WriteLock(l)
            | Instr::TryReadLock(_, l)
            | Instr::TryWriteLock(_, l)
            | Instr::TimedReadLock(_, l)
            | Instr::TimedWriteLock(_, l)
            | Instr::RwUnlock(l) => object(Space::RwLock, Write, l),
            Instr::Post(s) => object(Space::Semaphore, Add, s),
            Instr::SemWait(s) | Instr::TrySemWait(_, s) | Instr::TimedSemWait(_, s) => {
                object(Space::Semaphore, Write, s);
            }
            Instr::SemValue(_, s) => object(Space::Semaphore, Read, s),
            // Each generation of a barrier is an object.
            Instr::Barrier(_) => spaces.push((Space::Barrier, Write)),
            Instr::Join(u) => object(Space::Thread, Write, u),
            Instr::Create(_) => creates = true,
            Instr::ReadBlock(_, b) => named.push(Cells::Block(b).access(Read)),
            Instr::WriteBlock(b, _) | Instr::Free(b) => named.push(Cells::Block(b).access(Write)),
            Instr::Read(_, cells) => named.push(cells.access(Read)),
            Instr::Write(cells, _) => named.push(cells.access(Write)),
            Instr::Exit => object(Space::Process, Write, 0),
            Instr::Choose(..)
            | Instr::Set(..)
            | Instr::JumpIf(..)
            | Instr::Assert(_)
            | Instr::Assume(_)
            | Instr::Fence => {}
        }
    }
    AccessSet::new(named, spaces, Arc::default(), creates)
}
