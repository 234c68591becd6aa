//! What orders two threads: the edges of happens-before, from each visible operation.
//!
//! | from | to |
//! |---|---|
//! | create | the thread's first step |
//! | the thread's last step | the join that takes it |
//! | unlock of a mutex or spinlock, entering a wait on a condition variable | the next lock, leaving the wait |
//! | write unlock of a read-write lock | later locks; a read unlock: later write locks |
//! | post of a semaphore | later waits that take it (all posts so far) |
//! | arriving at a barrier | leaving it in the same generation |
//! | end of a once routine | those who find it done |
//! | end of an atomic block | the next begin of one |
//! | an atomic release write, or a release fence before a relaxed one | an acquire read of it, or an acquire fence after a relaxed one |
//!
//! A read-modify-write continues what it replaces (C17's release sequence without the same thread's later stores, which C20
//! took out); any other atomic store starts anew. `seq_cst` is acquire and release, also for fences: on one total order of
//! steps C11's further rules add no happens-before. `consume` comes from clang as acquire.
//!
//! By sharing (`races`), nothing orders anybody but a create.
//!
//! The operations themselves touch the bytes of their object: atomically, but for init and destroy, which are plain writes.
//! Leaving a barrier or a condition variable does not touch it any more: it may be destroyed by then.

use super::access::{ATOMIC_READ, ATOMIC_WRITE, PLAIN_READ, PLAIN_WRITE};
use super::*;
use crate::bytecode::{Atomicity, Slot, VisibleDetail, VisibleSite};
use crate::fault::{Fault, FaultKind};
use crate::interp::Cpu;
use crate::machine::VmMachine;
use crate::memory::Memory;
use crate::visible::tid_of;
use threadbare_core::Operation;

type Result<T> = std::result::Result<T, Box<Fault>>;

/// Bytes of an object of synchronisation that its operations count as touching.
const OBJECT_BYTES: u64 = 4;

/// The lock that all atomic blocks share.
const ATOMIC_BLOCKS: LockKey = (0, 0);

/// What is gone after the operation but needed then.
#[derive(Clone, Copy, Default)]
pub(crate) struct Before {
    args: [u64; 2],
    /// Of a read-write lock: it is held for writing.
    writing: bool,
    generation: u32,
}

impl VmMachine {
    /// What race detection needs of the state before a visible operation, and the checks of operations that end objects.
    pub(crate) fn race_before(&mut self, tid: Tid, site: &VisibleSite) -> Result<Before> {
        let arg = |i: usize| if i < site.args.len() { self.arg(tid, site, i) } else { 0 };
        let generation = self.threads[tid.index()].control.generation;
        let mut before = Before { args: [arg(0), arg(1)], generation, ..Before::default() };
        if !self.memory.races.active {
            return Ok(before);
        }
        match site.operation {
            Operation::RwUnlock => {
                before.writing = self.memory.load_u32(before.args[0] + 4).is_ok_and(|writer| writer != 0);
            }
            Operation::Free => {
                if let Some((start, object)) = self.memory.object_at(before.args[0]) {
                    self.memory.races.uses.touch(tid, start, object.size, true);
                }
                self.cpu(tid).race_free(before.args[0])?;
            }
            Operation::AtomicBegin => self.memory.races.uses.give_up(),
            // The last thread does not end: it goes on to `exit`.
            Operation::ThreadEnd if !self.is_last(tid) => {
                self.cpu(tid).race_thread_end()?;
            }
            _ => {}
        }
        Ok(before)
    }

    /// The visible operation has happened, with this result.
    pub(crate) fn race_after(
        &mut self,
        tid: Tid,
        site: &VisibleSite,
        d: Slot,
        before: Before,
        result: Option<u64>,
    ) -> Result<()> {
        use Operation::*;
        let [a0, a1] = before.args;
        if site.operation == ThreadCreate {
            if let Some(child) = result.and_then(tid_of) {
                let name = self.names.name(child).to_string();
                self.memory.races.created(tid, child, name).ok_or_else(|| self.too_long(tid))?;
            }
            return Ok(());
        }
        if !self.memory.races.active {
            return Ok(());
        }
        // An object that no other thread can reach orders nobody, and its address may soon be another object's.
        if is_on_an_object(site.operation) {
            let waits = matches!(site.operation, CondEnter | CondLeave | CondLeaveTimed);
            if !self.memory.race_is_shared(if waits { a1 } else { a0 }) {
                return Ok(());
            }
        }
        let done = result == Some(0);
        let free = |machine: &Self, mutex: Addr| machine.memory.load_u32(mutex).is_ok_and(|lock| lock == 0);
        let whole_block = match site.operation {
            AtomicBegin => self.is_whole_block(tid, 1),
            AtomicEnd => self.is_whole_block(tid, 0),
            _ => false,
        };
        let races = &mut self.memory.races;
        match site.operation {
            Fence => {
                let VisibleDetail::Fence { ordering } = site.detail else { return Ok(()) };
                return races.fence(tid, ordering).ok_or_else(|| self.too_long(tid));
            }
            Store if matches!(site.detail, VisibleDetail::Copy | VisibleDetail::Set) => {
                let (length, copies) = (self.arg(tid, site, 2), matches!(site.detail, VisibleDetail::Copy));
                let mut cpu = self.cpu(tid);
                if copies {
                    cpu.race_range(a1, length, PLAIN_READ)?;
                }
                cpu.race_range(a0, length, PLAIN_WRITE)?;
            }
            Load | Store | ReadModifyWrite | CompareExchange => {
                let (address, exchanged) = match site.detail {
                    VisibleDetail::Access { offset, .. } => (a0.wrapping_add(offset as i64 as u64), false),
                    VisibleDetail::Cas { bytes, .. } => {
                        (a0, self.threads[tid.index()].slot(d + if bytes > 8 { 2 } else { 1 }) != 0)
                    }
                    _ => (a0, false),
                };
                return self.cpu(tid).race_atomic(site, address, exchanged);
            }
            MutexLock | MutexTryLock | MutexTimedLock | SpinLock | SpinTryLock => {
                if done {
                    races.acquire(tid, (a0, 0));
                }
                self.touch_object(tid, a0, if done { ATOMIC_WRITE } else { ATOMIC_READ })?;
            }
            MutexUnlock | SpinUnlock => {
                self.touch_object(tid, a0, ATOMIC_WRITE)?;
                // An inner unlock of a recursive mutex lets nobody in.
                if done && free(self, a0) {
                    self.release(tid, (a0, 0))?;
                }
            }
            CondEnter => {
                self.touch_object(tid, a0, ATOMIC_WRITE)?;
                self.touch_object(tid, a1, ATOMIC_WRITE)?;
                if done && free(self, a1) {
                    self.release(tid, (a1, 0))?;
                }
            }
            CondLeave | CondLeaveTimed if done => {
                races.acquire(tid, (a1, 0));
                self.touch_object(tid, a1, ATOMIC_WRITE)?;
            }
            CondSignal | CondBroadcast => self.touch_object(tid, a0, ATOMIC_WRITE)?,
            RwReadLock | RwTryReadLock | RwTimedReadLock => {
                if done {
                    races.acquire(tid, (a0, 0));
                }
                self.touch_object(tid, a0, if done { ATOMIC_WRITE } else { ATOMIC_READ })?;
            }
            RwWriteLock | RwTryWriteLock | RwTimedWriteLock => {
                if done {
                    races.acquire(tid, (a0, 0));
                    races.acquire_readers(tid, (a0, 0));
                }
                self.touch_object(tid, a0, if done { ATOMIC_WRITE } else { ATOMIC_READ })?;
            }
            RwUnlock => {
                self.touch_object(tid, a0, ATOMIC_WRITE)?;
                if before.writing {
                    self.release(tid, (a0, 0))?;
                } else {
                    self.memory.races.release_reader(tid, (a0, 0)).ok_or_else(|| self.too_long(tid))?;
                }
            }
            SemWait | SemTryWait | SemTimedWait => {
                if done {
                    races.acquire(tid, (a0, 0));
                }
                self.touch_object(tid, a0, if done { ATOMIC_WRITE } else { ATOMIC_READ })?;
            }
            SemPost => {
                self.touch_object(tid, a0, ATOMIC_WRITE)?;
                if done {
                    self.memory.races.release_more(tid, (a0, 0), 0).ok_or_else(|| self.too_long(tid))?;
                }
            }
            SemGetValue => self.touch_object(tid, a0, ATOMIC_READ)?,
            BarrierArrive => {
                self.touch_object(tid, a0, ATOMIC_WRITE)?;
                let generation = self.threads[tid.index()].control.generation;
                self.memory.races.release_more(tid, (a0, generation), 1).ok_or_else(|| self.too_long(tid))?;
            }
            BarrierLeave => races.leave_barrier(tid, (a0, before.generation)),
            OnceEnter => {
                races.acquire(tid, (a0, 0));
                self.touch_object(tid, a0, ATOMIC_WRITE)?;
            }
            OnceDone | OnceAbandon => {
                self.touch_object(tid, a0, ATOMIC_WRITE)?;
                self.release(tid, (a0, 0))?;
            }
            MutexInit | MutexDestroy | CondInit | CondDestroy | RwInit | RwDestroy | SemInit | SemDestroy
            | SpinInit | SpinDestroy | BarrierInit | BarrierDestroy => self.touch_object(tid, a0, PLAIN_WRITE)?,
            ThreadJoin | ThreadTryJoin | ThreadTimedJoin => {
                if let (true, Some(target)) = (done, tid_of(a0)) {
                    let alone = self.is_last(tid);
                    self.memory.races.join(tid, target, alone);
                }
            }
            AtomicBegin if whole_block => races.acquire(tid, ATOMIC_BLOCKS),
            AtomicEnd if whole_block => self.release(tid, ATOMIC_BLOCKS)?,
            HiddenState => races.now.hidden = true,
            // `free` has been dealt with; the others order nothing.
            _ => {}
        }
        self.memory.races.tidy();
        Ok(())
    }

    /// The thread has just entered (depth 1) or left (depth 0) an atomic block of the program. The library makes its atomic
    /// operations of large objects out of blocks, too: those synchronise by their memory order only.
    fn is_whole_block(&self, tid: Tid, depth: u16) -> bool {
        let thread = &self.threads[tid.index()];
        if thread.control.atomic_depth != depth {
            return false;
        }
        let function = &self.program.functions[thread.top().function as usize];
        !function.library || function.name.starts_with("tb_atomic_") || function.name.starts_with("__VERIFIER_atomic_")
    }

    fn release(&mut self, tid: Tid, key: LockKey) -> Result<()> {
        self.memory.races.release(tid, key).ok_or_else(|| self.too_long(tid))
    }

    fn too_long(&mut self, tid: Tid) -> Box<Fault> {
        self.cpu(tid).race_too_long()
    }

    fn touch_object(&mut self, tid: Tid, address: Addr, kind: u8) -> Result<()> {
        self.touch(tid, address, OBJECT_BYTES, kind)
    }

    fn touch(&mut self, tid: Tid, address: Addr, bytes: u64, kind: u8) -> Result<()> {
        match self.place_by_heart(tid) {
            Some(place) if self.memory.race_note(address, bytes, kind, place) => Ok(()),
            _ => self.cpu(tid).race_range(address, bytes, kind),
        }
    }
}

impl Cpu<'_> {
    /// An atomic access of the running thread has happened at this address.
    pub(crate) fn race_atomic(&mut self, site: &VisibleSite, address: Addr, exchanged: bool) -> Result<()> {
        let tid = self.thread.tid;
        self.memory.races.touch(tid, site, address);
        let cannot_race = self.memory.races.cannot_race(self.program, site);
        let concerns_nobody = match cannot_race {
            true => self.memory.races.is_by_sharing(),
            false => !self.memory.race_is_shared(address),
        };
        if concerns_nobody {
            return Ok(());
        }
        let Some((bytes, kind)) = self.memory.race_synchronise(tid, site, address, exchanged) else {
            return Ok(());
        };
        if !cannot_race && let Some(fault) = self.race_access(address, bytes, kind) {
            return Err(fault);
        }
        self.memory.race_publish(tid, site, address, exchanged).ok_or_else(|| self.race_too_long())
    }

    fn race_too_long(&self) -> Box<Fault> {
        let message = "a thread has synchronised more than four thousand million times".to_string();
        self.fault(FaultKind::Limit, message)
    }
}

impl Memory {
    /// What an atomic access that others may see takes over from them. The bytes and the kind of access that it is, but
    /// for volatile ones.
    #[inline]
    pub(crate) fn race_synchronise(
        &mut self,
        tid: Tid,
        site: &VisibleSite,
        address: Addr,
        exchanged: bool,
    ) -> Option<(u64, u8)> {
        use Atomicity::*;
        let (bytes, ordering) = order_of(site, exchanged)?;
        match ordering {
            Volatile => return None,
            Plain => return Some((bytes.into(), PLAIN_WRITE)),
            _ => {}
        }
        if site.operation != Operation::Store && !self.races.sharing.on {
            let acquires = matches!(ordering, Acquire | AcqRel | SeqCst);
            self.races.read_atomic(tid, address, bytes.into(), acquires);
        }
        let kind = if writes(site, exchanged) { ATOMIC_WRITE } else { ATOMIC_READ };
        Some((bytes.into(), kind))
    }

    /// What it hands on. `None` where a thread's time can no longer be counted.
    #[inline]
    pub(crate) fn race_publish(&mut self, tid: Tid, site: &VisibleSite, address: Addr, exchanged: bool) -> Option<()> {
        use Atomicity::*;
        if self.races.sharing.on {
            return Some(());
        }
        if writes(site, exchanged) {
            let (bytes, ordering) = order_of(site, exchanged)?;
            if ordering == Plain {
                return Some(());
            }
            let releases = matches!(ordering, Release | AcqRel | SeqCst);
            let continues = site.operation != Operation::Store;
            self.races.write_atomic(tid, address, bytes.into(), releases, continues)?;
        }
        self.races.tidy();
        Some(())
    }
}

impl Races {
    /// The visible access of a thread that is not alone.
    pub fn touch(&mut self, tid: Tid, site: &VisibleSite, address: Addr) {
        match order_of(site, true) {
            Some((bytes, _)) => self.uses.touch(tid, address, bytes.into(), site.operation != Operation::Load),
            None => self.uses.give_up(),
        }
    }
}

/// The bytes of an atomic access, and how it orders threads.
fn order_of(site: &VisibleSite, exchanged: bool) -> Option<(u8, Atomicity)> {
    match site.detail {
        VisibleDetail::Access { bytes, ordering, .. } | VisibleDetail::Rmw { bytes, ordering, .. } => {
            Some((bytes, ordering))
        }
        VisibleDetail::Cas { bytes, ordering, failure } => Some((bytes, if exchanged { ordering } else { failure })),
        _ => None,
    }
}

/// Whether a read takes over what is handed on, whatever it finds.
pub(super) fn surely_acquires(site: &VisibleSite) -> bool {
    use Atomicity::*;
    let acquires = |exchanged| matches!(order_of(site, exchanged), Some((_, Acquire | AcqRel | SeqCst)));
    site.operation != Operation::Store && acquires(true) && acquires(false)
}

/// The words of an atomic access at an address, each with its bytes.
pub(super) fn words_at(site: &VisibleSite, address: Addr) -> impl Iterator<Item = (Addr, u8)> {
    words_of(address, order_of(site, true).map_or(0, |(bytes, _)| bytes.into()))
}

fn writes(site: &VisibleSite, exchanged: bool) -> bool {
    match site.operation {
        Operation::Load => false,
        Operation::CompareExchange => exchanged,
        _ => true,
    }
}

/// Whether the first argument is the address of an object of synchronisation.
fn is_on_an_object(operation: Operation) -> bool {
    use Operation::*;
    matches!(
        operation,
        MutexInit
            | MutexDestroy
            | MutexLock
            | MutexTryLock
            | MutexTimedLock
            | MutexUnlock
            | CondInit
            | CondDestroy
            | CondEnter
            | CondLeave
            | CondLeaveTimed
            | CondSignal
            | CondBroadcast
            | RwInit
            | RwDestroy
            | RwReadLock
            | RwWriteLock
            | RwTryReadLock
            | RwTryWriteLock
            | RwTimedReadLock
            | RwTimedWriteLock
            | RwUnlock
            | SemInit
            | SemDestroy
            | SemWait
            | SemTryWait
            | SemTimedWait
            | SemPost
            | SemGetValue
            | SpinInit
            | SpinDestroy
            | SpinLock
            | SpinTryLock
            | SpinUnlock
            | BarrierInit
            | BarrierDestroy
            | BarrierArrive
            | BarrierLeave
            | OnceEnter
            | OnceDone
            | OnceAbandon
    )
}

/// The words of a range, each with the bytes of it that belong to the range.
pub(super) fn words_of(address: Addr, bytes: u64) -> impl Iterator<Item = (Addr, u8)> {
    let end = address + bytes;
    (address & !7..end).step_by(8).map(move |word| {
        let from = address.saturating_sub(word);
        let to = (end - word).min(8);
        (word, ((1u32 << to) - (1u32 << from)) as u8)
    })
}

/// `None` where a thread's time can no longer be counted.
impl Races {
    fn thread(&self, tid: Tid) -> ThreadClock {
        self.threads[tid.index()]
    }

    fn see(&mut self, tid: Tid, release: Release) {
        if self.sharing.on || self.assumed_at != 0 {
            return;
        }
        let thread = self.thread(tid);
        let seen = self.clocks.after(thread.seen, release);
        if seen != thread.seen {
            self.set_thread(tid, ThreadClock { seen, ..thread });
            self.now.seen = seen;
        }
    }

    /// What it has done so far has been handed on: what it does now is something else.
    fn move_on(&mut self, tid: Tid) -> Option<()> {
        if self.sharing.on { Some(()) } else { self.have_moved_on(tid) }
    }

    fn have_moved_on(&mut self, tid: Tid) -> Option<()> {
        let thread = self.thread(tid);
        let seen = thread.seen.next()?;
        self.set_thread(tid, ThreadClock { seen, ..thread });
        self.now.seen = seen;
        self.now.key = super::access::key_of(seen.own, tid);
        Some(())
    }

    pub fn created(&mut self, parent: Tid, child: Tid, name: String) -> Option<()> {
        self.created += 1;
        if !self.active {
            self.active = true;
            self.enter(parent);
        }
        if self.threads.len() <= child.index() {
            self.threads.resize(child.index() + 1, ThreadClock::default());
            self.names.resize(child.index() + 1, String::new());
        }
        self.names[child.index()] = name;
        if self.sharing.on {
            self.sharing.note_birth((parent, self.thread(parent).seen.own), child);
        }
        let seen = self.thread(parent).seen.child(child, &mut self.clocks);
        self.set_thread(child, ThreadClock { seen, ..ThreadClock::default() });
        self.have_moved_on(parent)
    }

    /// The thread has joined another, and may be `alone` now.
    pub fn join(&mut self, tid: Tid, target: Tid, alone: bool) {
        if !self.active {
            return;
        }
        if self.sharing.on {
            self.sharing.joined += 1;
            // Whoever has joined another has been joined since.
            self.active = !(self.rests && alone && self.sharing.joined == self.created);
            return;
        }
        self.see(tid, self.thread(target).seen);
        if self.rests && alone {
            self.rest(tid);
        }
        self.tidy();
    }

    /// The thread is alone: if it has seen all that others did, there is nothing to look for until it creates another.
    fn rest(&mut self, tid: Tid) {
        let seen = self.thread(tid).seen;
        let all = self.threads.iter().enumerate().all(|(i, other)| other.seen.own <= self.clocks.get(seen, i as u16));
        self.active = !all;
    }

    fn lock(&self, key: LockKey) -> Lock {
        self.locks.get(&key).copied().unwrap_or_default()
    }

    fn acquire(&mut self, tid: Tid, key: LockKey) {
        self.see(tid, self.lock(key).release);
    }

    fn acquire_readers(&mut self, tid: Tid, key: LockKey) {
        self.see(tid, self.lock(key).readers);
    }

    /// Whoever releases has acquired it before: nothing of what it held is lost.
    fn release(&mut self, tid: Tid, key: LockKey) -> Option<()> {
        if self.sharing.on {
            return Some(());
        }
        self.set_lock(key, Some(Lock { release: self.thread(tid).seen, ..Lock::default() }));
        self.move_on(tid)
    }

    fn release_reader(&mut self, tid: Tid, key: LockKey) -> Option<()> {
        if self.sharing.on {
            return Some(());
        }
        let lock = self.lock(key);
        let readers = self.clocks.both(lock.readers, self.thread(tid).seen);
        self.set_lock(key, Some(Lock { readers, ..lock }));
        self.move_on(tid)
    }

    /// Adds to what others have released.
    fn release_more(&mut self, tid: Tid, key: LockKey, left: u32) -> Option<()> {
        if self.sharing.on {
            return Some(());
        }
        let lock = self.lock(key);
        let release = self.clocks.both(lock.release, self.thread(tid).seen);
        self.set_lock(key, Some(Lock { release, left: lock.left + left, ..lock }));
        self.move_on(tid)
    }

    fn leave_barrier(&mut self, tid: Tid, key: LockKey) {
        if self.sharing.on {
            return;
        }
        let lock = self.lock(key);
        self.see(tid, lock.release);
        let left = lock.left.saturating_sub(1);
        self.set_lock(key, (left > 0).then_some(Lock { left, ..lock }));
    }

    fn read_atomic(&mut self, tid: Tid, address: Addr, bytes: u64, acquire: bool) {
        for (word, mask) in words_of(address, bytes) {
            let Some(heads) = self.heads.get(&word) else {
                continue;
            };
            if let [(_, release)] = heads[..] {
                // The usual case.
                if heads[0].0 & mask != 0 {
                    self.read_from(tid, release, acquire);
                }
                continue;
            }
            for (_, release) in heads.clone().into_iter().filter(|(bytes, _)| bytes & mask != 0) {
                self.read_from(tid, release, acquire);
            }
        }
    }

    fn read_from(&mut self, tid: Tid, release: Release, acquire: bool) {
        if acquire {
            return self.see(tid, release);
        }
        if self.assumed_at != 0 {
            return;
        }
        let thread = self.thread(tid);
        let pending = self.clocks.both(thread.pending, release);
        if pending != thread.pending {
            self.set_thread(tid, ThreadClock { pending, ..thread });
        }
    }

    /// `continues`: a read-modify-write, which hands on what it replaces as well.
    fn write_atomic(&mut self, tid: Tid, address: Addr, bytes: u64, release: bool, continues: bool) -> Option<()> {
        let thread = self.thread(tid);
        let mine = if release { thread.seen } else { thread.fence };
        self.stored += u64::from(!continues);
        for (word, mask) in words_of(address, bytes) {
            let old = self.heads.get(&word);
            if old.is_none() && mine.is_nothing() || continues && mine.is_nothing() {
                continue;
            }
            let mut head = mine;
            let mut heads = Heads::new();
            for (bytes, release) in old.cloned().unwrap_or_default() {
                if bytes & mask != 0 {
                    if continues {
                        head = self.clocks.both(head, release);
                    } else if !self.clocks.includes(mine, release) {
                        self.lost += 1;
                    }
                }
                if bytes & !mask != 0 {
                    heads.push((bytes & !mask, release));
                }
            }
            if !head.is_nothing() {
                heads.push((mask, head));
            }
            self.set_heads(word, heads);
        }
        if release { self.move_on(tid) } else { Some(()) }
    }

    fn fence(&mut self, tid: Tid, ordering: Atomicity) -> Option<()> {
        use Atomicity::*;
        if self.sharing.on {
            return Some(());
        }
        if matches!(ordering, Acquire | AcqRel | SeqCst) {
            self.see(tid, self.thread(tid).pending);
        }
        if matches!(ordering, Release | AcqRel | SeqCst) {
            let thread = self.thread(tid);
            self.set_thread(tid, ThreadClock { fence: thread.seen, ..thread });
            self.move_on(tid)?;
        }
        Some(())
    }
}
