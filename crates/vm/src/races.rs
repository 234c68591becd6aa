//! Data races by C11's happens-before, inside the machine: it sees every plain access.
//!
//! FastTrack (Flanagan, Freund, PLDI 2009) with these differences:
//! - Atomic accesses are accesses, too. They do not race with each other, so that many of them may be unordered; a plain
//!   access races with an unordered atomic one unless both read.
//! - It is exact to the byte. A cell stands for a word of eight bytes and holds up to two accesses with the bytes that they
//!   touched; more of them go into a list. An access is forgotten, byte by byte, once a later one that conflicts with at
//!   least as much is ordered after it: whatever would race with the forgotten one races with that one.
//! - A step of the machine may be taken back. Clocks are values in an arena that never change; every variable (a thread's
//!   clock, what a lock or an atomic holds, a cell) is logged when it changes after a mark, and the arena, the lists and
//!   fresh cells are cut back to the length that they had.
//! - The end of an object (free, a frame that returns, a thread's own variables) is checked like a write of all of it, and
//!   need not be remembered: a later use finds the object dead.
//!
//! While there is only one thread nothing is checked or remembered: all that it did happened before whatever the threads do
//! that it creates. In a search the same holds again once a thread is alone and has joined all others. Objects whose address cannot leave their frame and constants are never looked at.
//!
//! *By sharing.* Many programs share nothing but atomics and locks. A search may begin with less: only program order and
//! the creation of threads count as order, no note is ever taken back, and the first two accesses that conflict end it
//! (`races/sharing.rs`). It begins again with all of the above. If there are none, no execution has a race: whatever could race has
//! been seen, be it in different executions. That may be, since what comes before a thread's creation is the same in all
//! of them. And an access may still be forgotten for a later one: in this order the past of an access is a chain, so
//! that whatever is unordered with the first of two is unordered with the second.
//!
//! What orders two threads stands in `races/order.rs`. Library functions that glibc guards by a lock of its own announce it
//! (`__tb_hidden_state`): what they do to the library's variables in that step is neither checked nor an order.
//!
//! Not covered: the bytes of a `va_list` that `va_start` fills in; the library's own heap blocks behind hidden state
//! (more than 32 exit handlers, registered by several threads). Two histories that differ only in what is ordered have the
//! same fingerprint, unless a search wants it otherwise (`races/state.rs`).

mod access;
mod clocks;
mod compared;
mod learning;
mod order;
mod relied;
mod remembered;
mod report;
mod shadow;
mod sharing;
mod stacks;
mod state;
#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use threadbare_core::{Relied, Tid};

use crate::bytecode::{Program, VisibleSite};
use crate::fault::Fault;
use crate::may_access::Atomics;
use crate::memory::{Addr, OFFSET_BITS, Object};
use crate::thread::Frame;
use crate::uses::Uses;
use clocks::{Clocks, Release};
use compared::Compared;
use relied::Tried;
use shadow::Shadow;
use sharing::Sharing;
use stacks::Stacks;

pub(crate) use access::{ATOMIC_READ, PLAIN_READ, PLAIN_WRITE, Place};
pub(crate) use learning::Lesson;
pub use remembered::PlainAccess;
pub use report::{OtherAccess, RaceVerb};
pub(crate) use state::Existing;

/// The clocks of a thread.
#[derive(Clone, Copy, Default)]
struct ThreadClock {
    /// What happened before its next operation.
    seen: Release,
    /// `seen` at its last release fence: what its relaxed stores publish.
    fence: Release,
    /// What its relaxed loads have read: an acquire fence takes it.
    pending: Release,
}

/// What an object of synchronisation hands on.
#[derive(Clone, Copy, Default)]
struct Lock {
    release: Release,
    /// Of a read-write lock: from the readers to the next writer.
    readers: Release,
    /// Of a generation of a barrier: how many have still to leave.
    left: u32,
}

/// An object of synchronisation: its address, and for barriers the generation. 0 is the lock of all atomic blocks.
type LockKey = (Addr, u32);

/// What the last atomic write of some bytes of a word hands on to those who read them.
type Heads = SmallVec<[(u8, Release); 2]>;

/// What there was at a mark.
#[derive(Clone, Copy)]
struct MarkPoint {
    threads: usize,
    clocks: usize,
    /// Of `compared` and its log.
    compared: (usize, usize),
    created: u32,
    joined: u32,
    active: bool,
}

/// The same of what is not kept by sharing.
#[derive(Clone, Copy)]
struct OrderMark {
    locks: usize,
    heads: usize,
    shadow: shadow::MarkPoint,
}

/// The thread that runs.
#[derive(Clone, Copy, Default)]
struct Now {
    /// Its clock and number where a cell has them.
    key: u64,
    seen: Release,
    /// Its last visible operation announced hidden state of the library.
    hidden: bool,
}

/// Everything that race detection knows.
#[derive(Default)]
pub struct Races {
    compared: Vec<Compared>,
    /// Moments that were replaced, and where.
    compared_log: Vec<(u32, u32)>,
    on: bool,
    active: bool,
    /// Nothing is remembered of a thread that is alone: stories, which tell plain writes, want it.
    pub rests: bool,
    now: Now,
    /// A race does not end its thread: it is noted in `found`, and the access goes well.
    pub go_on: bool,
    pub found: Vec<Fault>,
    /// Plain accesses as they come, for stories; one that says what an earlier one of its thread has said is not there.
    told: Option<Vec<remembered::Told>>,
    /// Grows with every atomic store that hands on less than what it replaces: an effect, even if the value stays.
    pub lost: u64,
    /// Grows with every atomic store: whether it is one of those hangs on what it replaces.
    pub stored: u64,
    /// How many threads were created: none is looked after before the first.
    created: u32,
    /// Who uses what by visible operations, for a search.
    pub uses: Uses,
    /// What is known of visible operations, where it pays to know.
    pub(crate) atomics: Atomics,
    /// What a search relies on, if it may, and the plain reads of a step that is tried out.
    pub(crate) relied: Option<Relied>,
    tried: Option<Tried>,
    /// How many marks there were when a value was assumed that some object had before: nobody knows what it handed on then, so that
    /// nothing is taken over from anybody until the machine goes back. 0 if none is.
    pub(crate) assumed_at: u32,
    sharing: Sharing,
    shadow: Shadow,
    clocks: Clocks,
    threads: Vec<ThreadClock>,
    locks: FxHashMap<LockKey, Lock>,
    heads: FxHashMap<Addr, Heads>,
    thread_log: Vec<(Tid, ThreadClock)>,
    lock_log: Vec<(LockKey, Option<Lock>)>,
    head_log: Vec<(Addr, Option<Heads>)>,
    marks: Vec<MarkPoint>,
    /// As many, but none by sharing.
    order_marks: Vec<OrderMark>,
    stacks: Stacks,
    names: Vec<String>,
    /// The library's own variables, by object id.
    library: FxHashSet<u64>,
    scratch: state::Scratch,
}

/// All of it that belongs to a state.
#[derive(Clone)]
pub struct SavedRaces {
    created: u32,
    joined: u32,
    active: bool,
    shadow: shadow::SavedShadow,
    clocks: Clocks,
    threads: Vec<ThreadClock>,
    locks: FxHashMap<LockKey, Lock>,
    heads: FxHashMap<Addr, Heads>,
    stacks: Stacks,
    names: Vec<String>,
    compared: Vec<Compared>,
}

impl Races {
    /// `library` are the addresses of the library's own variables.
    pub fn new(library: impl Iterator<Item = Addr>) -> std::io::Result<Races> {
        let main = ThreadClock { seen: Release::start(Tid::MAIN), ..ThreadClock::default() };
        Ok(Races {
            on: true,
            shadow: Shadow::new()?,
            threads: vec![main],
            stacks: Stacks::new(),
            names: vec!["0".into()],
            library: library.map(|address| address >> OFFSET_BITS).collect(),
            ..Races::default()
        })
    }

    /// Looks for words that are shared, instead of races.
    pub fn by_sharing(&mut self) {
        self.sharing.on = true;
        self.shadow.keep_sizes();
        self.sharing.epoch = 1;
    }

    /// By sharing, and something is shared.
    #[inline]
    pub fn found_sharing(&self) -> bool {
        self.sharing.found
    }

    /// What the running thread has noted under this number need not be noted again. 0 if everything must be.
    #[inline(always)]
    pub fn epoch(&self) -> u64 {
        u64::from(self.sharing.epoch) << 32 | u64::from(self.now.seen.own)
    }

    /// Grows with every plain access, and every end of an object, that the rest of the execution may race with. By sharing
    /// nothing is taken back, so that a step which was only tried out has said what there is to say.
    #[inline]
    pub fn looked(&self) -> u64 {
        if self.sharing.on { 0 } else { self.shadow.looked }
    }

    /// Whether an operation of the program is an atomic access of what nobody accesses otherwise.
    #[inline]
    pub fn cannot_race(&self, program: &Program, site: &VisibleSite) -> bool {
        self.atomics.pure.get(program.number_of(site)).copied().unwrap_or(false)
    }

    /// Whether it is one of what nobody stores to but by read-modify-writes.
    #[inline]
    pub fn only_grows(&self, program: &Program, site: &VisibleSite) -> bool {
        self.atomics.grows.get(program.number_of(site)).copied().unwrap_or(false)
    }

    #[inline(always)]
    pub fn is_by_sharing(&self) -> bool {
        self.sharing.on
    }

    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Whether accesses are to be checked: there has been a second thread.
    #[inline(always)]
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// Whether what is ordered is known, and may still matter.
    #[inline]
    pub fn keeps_order(&self) -> bool {
        self.active && !self.sharing.on
    }

    /// Nothing is looked at until the next way back.
    pub fn pause(&mut self) {
        self.active = false;
    }

    /// A step of a thread begins.
    #[inline]
    pub fn enter(&mut self, tid: Tid) {
        if self.active {
            let seen = self.threads[tid.index()].seen;
            self.now = Now { key: access::key_of(seen.own, tid), seen, hidden: false };
            self.stacks.enter(tid);
        }
    }

    /// Where the thread stands, whose frames are these. A step of it has just ended.
    pub(crate) fn place_of(&mut self, tid: Tid, frames: &[Frame], library: bool) -> Place {
        let pc = frames.last().map_or(0, |top| top.pc);
        if !self.on {
            return Place { stack: 0, pc, library };
        }
        self.stacks.enter(tid);
        Place { stack: self.stacks.number(frames), pc, library }
    }

    /// Whether an access of the object was ever noted.
    pub fn looks_after(&self, object: Addr) -> bool {
        self.shadow.is_looked_after(object)
    }

    /// An id has a new owner, which other threads may reach or not.
    #[inline]
    pub fn object_made(&mut self, id: u64, size: u64, pages: u64, shared: bool) {
        if self.on && shared {
            self.shadow.forget_decision(id, pages);
        }
        self.object_back(id, size, pages);
    }

    /// An id belongs to this object, or again.
    #[inline]
    pub fn object_back(&mut self, id: u64, size: u64, pages: u64) {
        if self.sharing.on {
            // Cells that were given to another object of this id are still there, and may be too few: then what they say is
            // lost.
            for page in id..id + pages {
                self.sharing.found |= self.shadow.make_room(page, id, size);
            }
        }
    }

    #[inline]
    pub fn mark(&mut self) {
        if !self.on {
            return;
        }
        self.marks.push(MarkPoint {
            threads: self.thread_log.len(),
            clocks: self.clocks.len(),
            compared: (self.compared.len(), self.compared_log.len()),
            created: self.created,
            joined: self.sharing.joined,
            active: self.active,
        });
        if !self.sharing.on {
            let (locks, heads) = (self.lock_log.len(), self.head_log.len());
            self.order_marks.push(OrderMark { locks, heads, shadow: self.shadow.mark() });
        }
    }

    #[inline]
    pub fn rewind(&mut self, to: u32) {
        if !self.on {
            return;
        }
        self.marks.truncate(to as usize + 1);
        let mark = *self.marks.last().expect("a mark to go back to");
        while self.thread_log.len() > mark.threads {
            let (tid, old) = self.thread_log.pop().expect("longer than the mark");
            self.threads[tid.index()] = old;
        }
        self.clocks.truncate(mark.clocks);
        self.forget_comparisons(mark.compared);
        (self.created, self.sharing.joined, self.active) = (mark.created, mark.joined, mark.active);
        if !self.sharing.on {
            self.order_back_to(to as usize);
        }
    }

    #[inline]
    fn order_back_to(&mut self, to: usize) {
        self.order_marks.truncate(to + 1);
        let mark = *self.order_marks.last().expect("as many marks");
        while self.lock_log.len() > mark.locks {
            let (key, old) = self.lock_log.pop().expect("longer than the mark");
            put_back(&mut self.locks, key, old);
        }
        while self.head_log.len() > mark.heads {
            let (word, old) = self.head_log.pop().expect("longer than the mark");
            put_back(&mut self.heads, word, old);
        }
        self.shadow.rewind(mark.shadow);
    }

    pub fn save(&self) -> Option<Box<SavedRaces>> {
        self.on.then(|| {
            Box::new(SavedRaces {
                created: self.created,
                joined: self.sharing.joined,
                active: self.active,
                shadow: self.shadow.save(),
                clocks: self.clocks.clone(),
                threads: self.threads.clone(),
                locks: self.locks.clone(),
                heads: self.heads.clone(),
                stacks: self.stacks.clone(),
                names: self.names.clone(),
                compared: self.compared.clone(),
            })
        })
    }

    /// Becomes what was saved. Marks are forgotten. Whether the numbers of stacks are others now.
    pub fn restore(&mut self, saved: Option<&SavedRaces>) -> bool {
        if !self.on {
            return false;
        }
        let saved = saved.expect("a state with race detection comes from a machine that has it");
        self.created = saved.created;
        self.active = saved.active;
        self.sharing.joined = saved.joined;
        self.sharing.epoch += u32::from(self.sharing.on);
        self.shadow.restore(&saved.shadow);
        self.clocks = saved.clocks.clone();
        self.threads = saved.threads.clone();
        self.locks = saved.locks.clone();
        self.heads = saved.heads.clone();
        self.compared = saved.compared.clone();
        self.compared_log.clear();
        let renumbered = self.stacks.become_like(&saved.stacks);
        self.names = saved.names.clone();
        self.thread_log.clear();
        self.lock_log.clear();
        self.head_log.clear();
        self.marks.clear();
        self.order_marks.clear();
        renumbered
    }

    /// In words what differs between two states; for tests.
    pub fn difference(a: Option<&SavedRaces>, b: Option<&SavedRaces>) -> Option<String> {
        let (Some(a), Some(b)) = (a, b) else {
            return a.is_some().ne(&b.is_some()).then(|| "only one knows of races".into());
        };
        report::difference(a, b)
    }

    fn set_thread(&mut self, tid: Tid, new: ThreadClock) {
        if !self.marks.is_empty() {
            self.thread_log.push((tid, self.threads[tid.index()]));
        }
        self.threads[tid.index()] = new;
    }

    fn set_lock(&mut self, key: LockKey, new: Option<Lock>) {
        let old = match new {
            Some(lock) => self.locks.insert(key, lock),
            None => self.locks.remove(&key),
        };
        if !self.order_marks.is_empty() {
            self.lock_log.push((key, old));
        }
    }

    fn set_heads(&mut self, word: Addr, new: Heads) {
        let old = if new.is_empty() { self.heads.remove(&word) } else { self.heads.insert(word, new) };
        if !self.order_marks.is_empty() {
            self.head_log.push((word, old));
        }
    }

    /// Nobody can go back, so that clocks that nothing holds any more may go.
    fn tidy(&mut self) {
        if !self.marks.is_empty() || !self.clocks.is_crowded() {
            return;
        }
        let mut new = self.clocks.successor();
        let Races { threads, locks, heads, clocks, now, .. } = self;
        let mut keep = |release: &mut Release| *release = clocks.moved(*release, &mut new);
        for thread in threads {
            [&mut thread.seen, &mut thread.fence, &mut thread.pending].into_iter().for_each(&mut keep);
        }
        for lock in locks.values_mut() {
            [&mut lock.release, &mut lock.readers].into_iter().for_each(&mut keep);
        }
        heads.values_mut().flatten().for_each(|(_, release)| keep(release));
        keep(&mut now.seen);
        self.clocks = new.finish();
    }

    /// Whether other threads may reach the object, so that its accesses matter.
    fn is_shared(object: &Object, constant: bool) -> bool {
        object.quarantine && !constant && !object.is_own_block()
    }
}

fn put_back<K: std::hash::Hash + Eq, V>(map: &mut FxHashMap<K, V>, key: K, old: Option<V>) {
    match old {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    };
}
