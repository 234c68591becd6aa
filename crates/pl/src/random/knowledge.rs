//! Data races by C11's happens-before, as simply as can be: who knows of which accesses.
//!
//! Of each thread's accesses of one kind to one cell only the latest matters: who knows of that knows of the earlier ones,
//! and who does not races with that. So an access is one of few, and all that threads and objects know is a set of them.
//! What orders two threads hands a set on. An access that is made anew is one that nobody knows of yet.
//!
//! As sets are finite, so are the states of a program with them, also where executions are endless: brute force over
//! states tells whether some execution has a race.

use super::program::{Cells, Instr, Order, Program};

type Set = u128;

/// The kinds of accesses.
const READ: usize = 0;
const WRITE: usize = 1;
const ATOMIC_READ: usize = 2;
const ATOMIC_WRITE: usize = 3;
const KINDS: usize = 4;

fn conflict(a: usize, b: usize) -> bool {
    let writes = |kind| matches!(kind, WRITE | ATOMIC_WRITE);
    let atomic = |kind| matches!(kind, ATOMIC_READ | ATOMIC_WRITE);
    (writes(a) || writes(b)) && !(atomic(a) && atomic(b))
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Knowledge {
    threads: usize,
    variables: usize,
    blocks: usize,
    made: Set,
    /// Of each thread: what happens before its next operation, what did at its last release fence, what its relaxed loads
    /// have read, and what it finds when it leaves a barrier.
    seen: Vec<Set>,
    fenced: Vec<Set>,
    read: Vec<Set>,
    gates: Vec<Set>,
    /// What objects hand on.
    mutexes: Vec<Set>,
    writers: Vec<Set>,
    readers: Vec<Set>,
    semaphores: Vec<Set>,
    barriers: Vec<Set>,
    /// Of each variable, then each block: what the last atomic write hands on.
    heads: Vec<Set>,
    /// All additions are atomic blocks in C, which are ordered among each other.
    additions: Set,
    /// Two accesses that conflict were not ordered.
    pub race: bool,
}

impl Knowledge {
    pub fn new(program: &Program) -> Knowledge {
        let (threads, variables, blocks) = (program.threads.len(), program.variables.len(), program.blocks);
        let cells = variables + blocks + program.data;
        assert!(cells * threads * KINDS <= Set::BITS as usize, "too many accesses");
        Knowledge {
            threads,
            variables,
            blocks,
            made: 0,
            seen: vec![0; threads],
            fenced: vec![0; threads],
            read: vec![0; threads],
            gates: vec![0; threads],
            mutexes: vec![0; program.mutexes],
            writers: vec![0; program.rwlocks],
            readers: vec![0; program.rwlocks],
            semaphores: vec![0; program.semaphores.len()],
            barriers: vec![0; program.barriers.len()],
            heads: vec![0; variables + blocks],
            additions: 0,
            race: false,
        }
    }

    fn bit(&self, cell: usize, thread: usize, kind: usize) -> Set {
        1 << ((cell * self.threads + thread) * KINDS + kind)
    }

    fn access(&mut self, t: usize, cell: usize, kind: usize) {
        for u in (0..self.threads).filter(|&u| u != t) {
            for other in (0..KINDS).filter(|&other| conflict(kind, other)) {
                let bit = self.bit(cell, u, other);
                self.race |= self.made & bit != 0 && self.seen[t] & bit == 0;
            }
        }
        let bit = self.bit(cell, t, kind);
        let of_threads = [&mut self.seen, &mut self.fenced, &mut self.read, &mut self.gates];
        let of_objects = [&mut self.mutexes, &mut self.writers, &mut self.readers, &mut self.semaphores];
        let rest = [&mut self.barriers, &mut self.heads];
        of_threads.into_iter().chain(of_objects).chain(rest).flatten().for_each(|set| *set &= !bit);
        self.additions &= !bit;
        self.made |= bit;
        self.seen[t] |= bit;
    }

    /// Plain accesses of a thread.
    pub fn plain(&mut self, t: usize, cells: Cells, writes: bool) {
        let kind = if writes { WRITE } else { READ };
        match cells {
            Cells::Data(first, n) => {
                (first..first + n).for_each(|i| self.access(t, self.variables + self.blocks + i, kind));
            }
            Cells::Variable(x) => self.plain_of_atomic(t, x, kind),
            Cells::Block(b) => self.plain_of_atomic(t, self.variables + b, kind),
        }
    }

    fn plain_of_atomic(&mut self, t: usize, cell: usize, kind: usize) {
        self.access(t, cell, kind);
        if kind == WRITE {
            self.heads[cell] = 0;
        }
    }

    /// An atomic read of what the cell holds.
    fn load(&mut self, t: usize, cell: usize, order: Order) {
        match order.acquires() {
            true => self.seen[t] |= self.heads[cell],
            false => self.read[t] |= self.heads[cell],
        }
        self.access(t, cell, ATOMIC_READ);
    }

    /// An atomic write; one that has read what it replaces continues what that handed on. Whether something is not handed
    /// on any more.
    fn store(&mut self, t: usize, cell: usize, order: Order, continues: bool) -> bool {
        self.access(t, cell, ATOMIC_WRITE);
        let published = if order.releases() { self.seen[t] } else { self.fenced[t] };
        let old = std::mem::replace(&mut self.heads[cell], published);
        if continues {
            self.heads[cell] |= old;
        }
        old & !self.heads[cell] != 0
    }

    /// A visible operation, after it has happened. `success` is what its register tells, if it has one. `inside` says that
    /// it was the second half of a wait. `together` are those that leave a barrier because of it. Tells whether less
    /// is handed on than before: then it was an effect, though no value may have changed.
    pub fn happened(
        &mut self,
        t: usize,
        instr: Instr,
        order: Order,
        success: bool,
        inside: bool,
        together: impl Iterator<Item = usize>,
    ) -> bool {
        let block = |b: usize| self.variables + b;
        match instr {
            Instr::Load(_, x) => self.load(t, x, order),
            Instr::ReadBlock(_, b) => self.load(t, block(b), order),
            Instr::Store(x, _) => return self.store(t, x, order, false),
            Instr::WriteBlock(b, _) => return self.store(t, block(b), order, false),
            Instr::Exchange(_, x, _) => {
                self.load(t, x, order);
                self.store(t, x, order, true);
            }
            Instr::CompareExchange(_, x, ..) => {
                self.load(t, x, if success { order } else { order.of_failure() });
                if success {
                    self.store(t, x, order, true);
                }
            }
            Instr::FetchAdd(_, x, _) => {
                self.seen[t] |= self.additions;
                self.load(t, x, Order::SeqCst);
                self.store(t, x, Order::SeqCst, false);
                self.additions = self.seen[t];
            }
            Instr::Fence => {
                if order.acquires() {
                    self.seen[t] |= self.read[t];
                }
                if order.releases() {
                    self.fenced[t] = self.seen[t];
                }
            }
            Instr::Free(b) => {
                let cell = block(b);
                self.access(t, cell, WRITE);
            }
            Instr::Lock(m) => self.seen[t] |= self.mutexes[m],
            Instr::TryLock(_, m) | Instr::TimedLock(_, m) if success => self.seen[t] |= self.mutexes[m],
            Instr::Unlock(m) if success => self.mutexes[m] |= self.seen[t],
            Instr::Wait(_, m) | Instr::TimedWait(_, _, m) if success => match inside {
                true => self.seen[t] |= self.mutexes[m],
                false => self.mutexes[m] |= self.seen[t],
            },
            Instr::ReadLock(l) => self.seen[t] |= self.writers[l],
            Instr::TryReadLock(_, l) | Instr::TimedReadLock(_, l) if success => self.seen[t] |= self.writers[l],
            Instr::WriteLock(l) => self.seen[t] |= self.writers[l] | self.readers[l],
            Instr::TryWriteLock(_, l) | Instr::TimedWriteLock(_, l) if success => {
                self.seen[t] |= self.writers[l] | self.readers[l];
            }
            // `success`: it was held for writing.
            Instr::RwUnlock(l) if success => self.writers[l] |= self.seen[t],
            Instr::RwUnlock(l) => self.readers[l] |= self.seen[t],
            Instr::Post(s) => self.semaphores[s] |= self.seen[t],
            Instr::SemWait(s) => self.seen[t] |= self.semaphores[s],
            Instr::TrySemWait(_, s) | Instr::TimedSemWait(_, s) if success => self.seen[t] |= self.semaphores[s],
            Instr::Barrier(_) if inside => self.seen[t] |= std::mem::take(&mut self.gates[t]),
            Instr::Barrier(b) => {
                self.barriers[b] |= self.seen[t];
                let mut complete = false;
                for u in together {
                    self.gates[u] = self.barriers[b];
                    complete = true;
                }
                if complete {
                    self.barriers[b] = 0;
                }
            }
            Instr::Create(u) => self.seen[u] |= self.seen[t],
            Instr::Join(u) => self.seen[t] |= self.seen[u],
            _ => {}
        }
        false
    }
}
