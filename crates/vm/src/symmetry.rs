//! Threads that are not told apart: n of them can change places in n! ways, together with the locks that they hold and with
//! what they know of each other's accesses, and of the states that come of that one is gone on with.
//!
//! What a thread goes on to do hangs on its frames and on memory, not on its number, so that any threads may change places
//! unless their numbers show somewhere. They show in the addresses of a thread's own objects, in its handle, in the words of
//! the locks that it holds, and in the order in which threads are joined. That nothing shows is guessed, and held against
//! everything that is executed; the first thing that does not fit ends the search, which begins again without symmetry. That
//! is sound as it is for `uses`: take what does not fit for an error. Up to it all is the same whoever has changed places, so
//! that a search with symmetry finds it if it can be reached.
//!
//! - All but the main thread are alike that were not joined yet. A thread that is joined stays what it is from then on.
//! - A thread that makes an object of its own on the stack or the heap, asks for its own handle or for a thread-local
//!   variable, or creates or joins threads, shows who it is. Library functions may have variables on the stack: nothing in
//!   them hangs on addresses. They must be gone by the next visible operation.
//! - The words of a lock say only that it is owned. Who owns it is kept beside memory (`held`), and changes places, too.
//! - The main thread has handles, in memory that others may read. They are numbers that stay where they are: what matters is
//!   that they are used for nothing but joins, and that all that are there are joined in a row, with no result asked for.
//!   Then it does not matter in which order. Such a row has no effect on others, so that it is put off until all of them have
//!   ended. Whether there is such a row is tried out when the main thread comes to the first join (`look_at_joins`): the
//!   others are taken to have ended, and what its local code reads on the way must be nothing that they may write.
//! - Nothing is guessed to be private to a thread (`uses`), nor looked at by sharing (`races`).

use std::cell::Cell;

use smallvec::SmallVec;
use threadbare_core::{Access, Choice, Fingerprint, Hash128, Mode, Operation, Step, Tid};

use crate::bytecode::Function;
use crate::interp::Cpu;
use crate::known::{Deed, Effect, Shortcut, UNKNOWN};
use crate::machine::VmMachine;
use crate::memory::{Addr, Memory};
use crate::thread::{Control, Status};
use crate::uses::Uses;
use crate::visible::{owner_of, owner_word};

/// Sets of threads have a bit for so many, the main thread included.
const MOST: usize = 63;

/// Functions of the library that may ask for thread-local variables, each with those that may call it; nothing is anybody. The
/// end of a thread looks whether there are values of keys, which others would have put there. Printing looks at `errno` for
/// the sake of `%m`, and may set it. Nothing else reads it without showing who it is.
const MAY_ASK: &[(&str, &[&str])] =
    &[("__tbi_keys_destroy", &[]), ("__errno_location", &["__tbi_format_into", "__tbi_format"])];

/// So far is looked for threads that start alike.
const STEPS: usize = 2_000;

/// Whether threads are taken to be alike, and why they are not.
#[derive(Default)]
pub struct Alike {
    pub on: bool,
    differ: Cell<Option<&'static str>>,
    /// Joins are not put off: somebody wants to see how far they go.
    hurries: bool,
    /// Where threads stood when they had started, in the execution that is looked at first.
    starts: Vec<Fingerprint>,
    /// Where the thread-local variables of each thread begin, and what they add to the hash of memory: always the same.
    locals: Vec<(Addr, Fingerprint)>,
    /// For each thread, who is in its place in the state that stands for all that differ in who is where.
    cast: Vec<Tid>,
}

impl Alike {
    #[inline]
    pub fn is(&self, tid: Tid) -> bool {
        self.on && tid != Tid::MAIN
    }

    /// Something tells the thread from others.
    #[cold]
    pub fn shows(&self, tid: Tid, how: &'static str) {
        if self.is(tid) {
            self.shows_in_state(how);
        }
    }

    /// Something tells threads apart.
    pub fn shows_in_state(&self, how: &'static str) {
        self.differ.set(self.differ.get().or(Some(how)));
    }
}

impl Cpu<'_> {
    /// An object is made on the stack.
    #[inline]
    pub(crate) fn shows_by_stack(&mut self) {
        if self.memory.alike.on && !self.program.is_library(self.thread.top().function) {
            self.memory.alike.shows(
                self.thread.tid,
                "a thread has variables in memory of its own (arrays, or such whose addresses are taken)",
            );
        }
    }

    /// The address of a thread-local variable is asked for.
    #[inline]
    pub(crate) fn shows_by_thread_local(&mut self) {
        if self.memory.alike.is(self.thread.tid) && !self.may_ask_for_thread_local() {
            let how = "a thread uses thread-local variables, as errno, keys and locales are";
            self.memory.alike.shows(self.thread.tid, how);
        }
    }

    fn may_ask_for_thread_local(&self) -> bool {
        let mut functions = self.thread.frames.iter().rev().map(|f| &self.program.functions[f.function as usize]);
        let (function, caller) = (functions.next(), functions.next());
        let library = |of: Option<&'_ Function>| of.filter(|of| of.library).map(|of| of.name.to_string());
        let (name, caller) = (library(function), library(caller));
        MAY_ASK.iter().any(|(asks, callers)| {
            name.as_deref() == Some(asks)
                && (callers.is_empty() || caller.as_deref().is_some_and(|caller| callers.contains(&caller)))
        })
    }

    #[inline]
    pub(crate) fn shows(&mut self, how: &'static str) {
        if self.memory.alike.on {
            self.memory.alike.shows(self.thread.tid, how);
        }
    }
}

impl Memory {
    /// What an object adds to the hash.
    fn share_of_object(&self, address: Addr) -> Fingerprint {
        self.object_at(address).map_or(Fingerprint::default(), |(start, object)| self.share_of_live(start, &object))
    }

    /// Who holds which lock, where its words do not tell, with other names for threads.
    fn owners(&self, name: impl Fn(Tid) -> Tid) -> Fingerprint {
        let mut hash = Fingerprint::default();
        for held in self.all_held() {
            let who = if held.reader == 0 { held.times } else { held.reader };
            let Some(tid) = owner_of(who) else { continue };
            let named = owner_word(name(tid));
            if held.reader == 0 {
                hash ^= Fingerprint::of(held.lock | 3 << 62, u64::from(named) | 1 << 63);
            } else {
                let times = |reader: u32| Memory::held_hash(held.lock, u64::from(reader) << 32 | u64::from(held.times));
                hash ^= times(who) ^ times(named);
            }
        }
        hash
    }
}

impl VmMachine {
    /// Whether threads are taken to be alike.
    pub fn is_symmetric(&self) -> bool {
        self.memory.alike.on
    }

    /// Whether they are, or why not, if that was looked at. If they were taken to be and are not, the search must begin again.
    pub fn symmetry(&self) -> Option<Result<(), &'static str>> {
        match self.memory.alike.differ.get() {
            Some(why) => Some(Err(why)),
            None => self.is_symmetric().then_some(Ok(())),
        }
    }

    /// They are not, or that is of no use.
    pub fn tell_threads_apart(&mut self, why: &'static str) {
        self.memory.alike.shows_in_state(why);
    }

    /// It is of no use unless two threads start alike: looks at one execution, which is then taken back.
    pub fn look_for_twins(&mut self) {
        self.scout(STEPS);
        // What is private to one thread would have to change places, too.
        self.memory.races.uses = Uses::default();
        let starts = &self.memory.alike.starts;
        if !starts.iter().enumerate().any(|(i, start)| starts[..i].contains(start)) {
            self.tell_threads_apart("no two threads start alike");
        }
    }

    /// A thread stands at its first operation.
    pub(crate) fn look_at_start(&mut self, tid: Tid) {
        if self.memory.alike.is(tid) && self.memory.races.uses.is_scouting() {
            let start = self.plain_share(tid.index());
            self.memory.alike.starts.push(start);
        }
    }

    pub(crate) fn look_at_create(&mut self, by: Tid, detached: bool) {
        if !self.memory.alike.on {
            return;
        }
        self.memory.alike.shows(by, "a thread creates others");
        if detached {
            self.tell_threads_apart("a thread is detached");
        }
        if self.threads.len() >= MOST {
            self.tell_threads_apart("there are more than 62 threads");
        }
        let joins = |tid: Tid| self.site(tid).is_some_and(|(site, _)| site.operation == Operation::ThreadJoin);
        if self.live_threads().any(|tid| tid != by && joins(tid)) {
            self.tell_threads_apart("a thread is created while others are joined");
        }
    }

    /// Those that can change places, in the order of their numbers.
    fn twins(&self) -> SmallVec<[usize; 16]> {
        let is_there = |&i: &usize| self.exists[i] && !self.threads[i].control.joined;
        (1..self.threads.len()).filter(is_there).collect()
    }

    /// Whether the join of a thread is put off, since others that are joined in the same row have not ended.
    #[inline]
    pub(crate) fn waits_for_others(&self, target: Tid) -> bool {
        self.memory.alike.is(target)
            && !self.memory.alike.hurries
            && self.twins().iter().any(|&i| self.threads[i].control.status != Status::Ended)
    }

    /// The joins that were put off, as far as they can happen. How many these are.
    pub fn catch_up_with_joins(&mut self) -> usize {
        let mut joins = 0;
        self.memory.alike.hurries = true;
        while self.memory.alike.on && self.ending.is_none() && self.can_pass_join(Tid::MAIN) {
            self.pass_join(Tid::MAIN);
            joins += 1;
        }
        self.memory.alike.hurries = false;
        joins
    }

    /// A thread stands at a join, and perhaps cannot go on yet: tries out whether all others are joined in a row.
    pub(crate) fn look_at_joins(&mut self, who: Tid) {
        let stands = self.memory.alike.on && VmMachine::is_live(self, who);
        let joins = |site: &crate::bytecode::VisibleSite| site.operation == Operation::ThreadJoin;
        if !stands || !self.site(who).is_some_and(|(site, _)| joins(site)) {
            return;
        }
        self.memory.alike.shows(who, "a thread joins others");
        let mark = threadbare_core::Machine::mark(self);
        let twins = self.twins();
        for &i in &twins {
            let control = Control { status: Status::Ended, ..self.threads[i].control };
            self.set_control(Tid(i as u16), control);
        }
        let read = self.try_joins(who, twins.len());
        threadbare_core::Machine::rewind(self, mark);
        let Some(read) = read else {
            return self.tell_threads_apart("threads are not all joined in a row, without their results");
        };
        self.hold_all();
        for effect in read {
            let access = Access::memory(Mode::Read, effect.address, effect.bytes.into());
            let own = self.is_own(who, effect.address);
            let others = |tid: &Tid| *tid != who;
            if !own && self.live_threads().filter(others).any(|tid| self.access_set(tid).conflicts_with(&access)) {
                self.tell_threads_apart("what is read between joins may be written by the threads that are joined");
            }
        }
    }

    /// Joins all of the threads, which have ended, one after the other: what local code reads between the joins, if that is
    /// all that there is besides.
    fn try_joins(&mut self, who: Tid, mut left: usize) -> Option<Vec<Effect>> {
        let mut read = Vec::new();
        loop {
            let at = self.threads[who.index()].at;
            let state = self.known.states.get(at as usize)?;
            let Shortcut::Join(target) = state.stand.shortcut else { return None };
            let joined = target == Tid::MAIN || self.threads.get(target.index())?.control.joined;
            if joined || !self.exists[target.index()] {
                return None;
            }
            left -= 1;
            if left == 0 {
                return Some(read);
            }
            self.pass_join(who);
            if self.ending.is_some() || !VmMachine::is_live(self, who) || self.threads[who.index()].at == UNKNOWN {
                return None;
            }
            let (_, effects, _) = self.known.only_way(at, 0)?;
            if effects.iter().any(|effect| effect.deed != Deed::Read) {
                return None;
            }
            read.extend_from_slice(effects);
        }
    }

    /// One join, with the local code behind it.
    fn pass_join(&mut self, who: Tid) -> Step {
        self.advance(who, Choice(0))
    }

    /// The hash of a thread but for its number.
    fn plain_share(&mut self, i: usize) -> Fingerprint {
        let frames = self.frames_by_heart(i);
        self.threads[i].fingerprint(&self.program, frames)
    }

    /// Where the words of locks do not tell their owners.
    pub(crate) fn owners_fingerprint(&self) -> Fingerprint {
        if self.memory.alike.on { self.memory.owners(|tid| tid) } else { Fingerprint::default() }
    }

    /// The state that stands for all in which the same threads have changed places. Whatever the order in which they are put,
    /// two states that are the same then are the same but for that.
    pub(crate) fn symmetric_fingerprint(&mut self) -> Option<Fingerprint> {
        let mut hash = self.memory.fingerprint()? ^ self.outside_fingerprint();
        let twins = self.twins();
        let mut order: SmallVec<[(u128, u128, usize); 16]> = SmallVec::new();
        for &i in &twins {
            if self.threads[i].is_live() && !self.threads[i].allocas.is_empty() {
                self.tell_threads_apart("a thread stands in a library function that has variables in memory");
            }
            let Fingerprint(share) = self.plain_share(i);
            order.push((share, self.locks_of(Tid(i as u16)), i));
            hash ^= self.locals_of(i);
        }
        order.sort_unstable();
        let mut cast = std::mem::take(&mut self.memory.alike.cast);
        cast.clear();
        cast.extend((0..self.threads.len()).map(|i| Tid(i as u16)));
        let mut places: SmallVec<[Tid; 16]> = cast.iter().copied().collect();
        for (&place, &(share, _, i)) in twins.iter().zip(&order) {
            cast[place] = Tid(i as u16);
            places[i] = Tid(place as u16);
            hash ^= share_of(i, share) ^ share_of(place, share);
        }
        self.memory.alike.cast = cast;
        hash ^= self.memory.owners(|tid| places.get(tid.index()).copied().unwrap_or(tid));
        Some(hash ^ self.order_in_states(&places))
    }

    /// The locks that a thread holds.
    fn locks_of(&self, tid: Tid) -> u128 {
        let mut all = 0u128;
        for held in self.memory.all_held() {
            let (who, times) = if held.reader == 0 { (held.times, 0) } else { (held.reader, held.times) };
            if who == owner_word(tid) {
                all = all.wrapping_add(Fingerprint::of(held.lock, times.into()).0);
            }
        }
        all
    }

    /// What the thread-local variables of a thread add to the hash of memory while they hold what they began with. Whoever
    /// asks for one shows who it is, but where nothing hangs on what they hold.
    fn locals_of(&mut self, i: usize) -> Fingerprint {
        if !self.threads[i].is_live() || self.threads[i].thread_locals.is_empty() {
            return Fingerprint::default();
        }
        let first = self.threads[i].thread_locals[0];
        if let Some(&(known, share)) = self.memory.alike.locals.get(i)
            && known == first
        {
            return share;
        }
        let share = self.locals_from_scratch(i);
        let all = &mut self.memory.alike.locals;
        all.resize(all.len().max(i + 1), (0, Fingerprint::default()));
        all[i] = (first, share);
        share
    }

    fn locals_from_scratch(&self, i: usize) -> Fingerprint {
        let all = self.threads[i].thread_locals.iter();
        all.fold(Fingerprint::default(), |share, &address| share ^ self.memory.share_of_object(address))
    }

    pub(crate) fn cast_of_state(&self) -> &[Tid] {
        &self.memory.alike.cast
    }
}

/// The part of a fingerprint that a thread has that is in this place.
pub(crate) fn share_of(place: usize, thread: u128) -> Fingerprint {
    let mut hash = Hash128::new(place as u64);
    hash.word(thread as u64);
    hash.word((thread >> 64) as u64);
    hash.finish()
}
