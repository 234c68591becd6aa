//! What a thread is about to learn.
//!
//! Where the next operation of a thread takes over what somebody or something hands on, and that can only grow until then, the
//! thread does nothing before it knows all of it. So what it does not know of it yet makes no difference: for the
//! state it counts as known. Threads that wait at a barrier have arrived in some order, and those who wait for a lock have last held it
//! at some time; neither lives on in states.
//!
//! | next operation | what is learned | why that only grows |
//! |---|---|---|
//! | lock of a mutex, spinlock or read-write lock, leaving a wait on a condition variable | what the lock hands on | who unlocks has locked before |
//! | wait for a semaphore | what has been posted | posts add up |
//! | leaving a barrier | what those who arrived know | arrivals add up |
//! | join | what the thread knows, or is about to learn | threads forget nothing |
//! | acquire read of a variable that nobody stores to but by read-modify-writes | what its writers have handed on | they continue what they replace |
//!
//! An operation that may fail, and go on without having learned, is none of them; one that is an error ends the execution either way.
//! A lock that is refused to its own holder hands on nothing that the holder does not know.

use smallvec::SmallVec;
use threadbare_core::{Operation, Tid};

use super::clocks::Release;
use super::order::{surely_acquires, words_at};
use super::{LockKey, Races};
use crate::bytecode::VisibleDetail;
use crate::machine::VmMachine;
use crate::memory::Addr;
use crate::visible::tid_of;

/// What the next operation of a thread surely takes over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lesson {
    Nothing,
    Lock(LockKey),
    Thread(Tid),
    /// One with these bytes of a word.
    Atomic(Addr, u8),
}

/// What a thread knows, and what it is about to learn.
pub(super) type Knowledge = SmallVec<[Release; 3]>;

impl VmMachine {
    #[inline]
    pub(crate) fn lesson(&self, tid: Tid) -> Lesson {
        use Operation::*;
        // Where an error has ended the execution, threads may stand anywhere.
        let site = if self.ending.is_none() { self.site(tid) } else { None };
        let Some((site, _)) = site else { return Lesson::Nothing };
        let arg = |i: usize| self.arg(tid, site, i);
        match site.operation {
            MutexLock | SpinLock | RwReadLock | RwWriteLock => Lesson::Lock((arg(0), 0)),
            // Who gives up does nothing before it locks the mutex.
            CondLeave | CondLeaveTimed => Lesson::Lock((arg(1), 0)),
            SemWait if !self.program.cancels => Lesson::Lock((arg(0), 0)),
            BarrierLeave => Lesson::Lock((arg(0), self.threads[tid.index()].control.generation)),
            ThreadJoin if self.program.plain_threads => tid_of(arg(0)).map_or(Lesson::Nothing, Lesson::Thread),
            Load | ReadModifyWrite | CompareExchange
                if self.memory.races.only_grows(&self.program, site) && surely_acquires(site) =>
            {
                let offset = match site.detail {
                    VisibleDetail::Access { offset, .. } => offset as i64 as u64,
                    _ => 0,
                };
                let address = arg(0).wrapping_add(offset);
                // Of more than one word there may be several heads.
                let mut words = words_at(site, address);
                match (words.next(), words.next()) {
                    (Some((word, bytes)), None) => Lesson::Atomic(word, bytes),
                    _ => Lesson::Nothing,
                }
            }
            _ => Lesson::Nothing,
        }
    }
}

impl Races {
    /// Adds what a thread is about to learn. `lesson_of` tells it of the others.
    pub(super) fn learn(&self, knowledge: &mut Knowledge, lesson: Lesson, lesson_of: impl FnOnce(Tid) -> Lesson) {
        let mut add = |release: Release| {
            if !release.is_nothing() {
                knowledge.push(release);
            }
        };
        let mut lesson = lesson;
        if let Lesson::Thread(target) = lesson {
            let Some(clock) = self.threads.get(target.index()) else { return };
            add(clock.seen);
            lesson = lesson_of(target);
        }
        match lesson {
            Lesson::Nothing => {}
            Lesson::Lock(key) => add(self.locks.get(&key).map_or(Release::default(), |lock| lock.release)),
            Lesson::Atomic(word, bytes) => {
                let heads = self.heads.get(&word).into_iter().flatten();
                heads.filter(|head| head.0 & bytes != 0).for_each(|head| add(head.1));
            }
            // Of a chain of those who wait for each other two are enough.
            Lesson::Thread(target) => add(self.threads.get(target.index()).map_or(Release::default(), |it| it.seen)),
        }
    }
}
