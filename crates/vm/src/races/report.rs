//! The checks as the interpreter makes them, and a race in words: both accesses, the variable, nothing that orders them.

use std::fmt;

use super::access::{Access, PLAIN_WRITE, conflict};
use super::order::words_of;
use super::shadow::Clash;
use super::*;
use crate::bytecode::{Atomicity, Op, Program, VisibleDetail};
use crate::diagnose::describe;
use crate::fault::{CodePos, Fault, FaultKind};
use crate::interp::Cpu;
use crate::memory::Memory;
use crate::native::LONG_WORK;
use threadbare_core::Operation;

type Result = std::result::Result<(), Box<Fault>>;

/// What an access did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RaceVerb {
    Reads,
    Writes,
    AtomicallyReads,
    AtomicallyWrites,
    AtomicallyUpdates,
    /// An operation on an object of synchronisation.
    Does(Operation),
    /// `free`, or `realloc`.
    Frees,
    /// The function returns whose local variable it is.
    EndsFrame,
    /// The thread ends whose thread-local variable it is.
    EndsThread,
}

impl fmt::Display for RaceVerb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RaceVerb::Reads => f.write_str("reads"),
            RaceVerb::Writes => f.write_str("writes"),
            RaceVerb::AtomicallyReads => f.write_str("atomically reads"),
            RaceVerb::AtomicallyWrites => f.write_str("atomically writes"),
            RaceVerb::AtomicallyUpdates => f.write_str("atomically updates"),
            RaceVerb::Does(operation) => write!(f, "does a {} of", operation.name()),
            RaceVerb::Frees => f.write_str("frees"),
            RaceVerb::EndsFrame | RaceVerb::EndsThread => f.write_str("ends the life of"),
        }
    }
}

impl RaceVerb {
    /// What the code at a position does when it makes an access of this kind.
    fn of(program: &Program, at: CodePos, kind: u8) -> RaceVerb {
        let op = program.functions[at.function as usize].code[at.pc as usize];
        let is_plain = |site: u32| match program.visibles[site as usize].detail {
            VisibleDetail::Access { ordering, .. } => matches!(ordering, Atomicity::Plain | Atomicity::Volatile),
            _ => false,
        };
        let operation = match op {
            Op::Visible { site, .. } if !is_plain(site) => Some(program.visibles[site as usize].operation),
            _ => None,
        };
        match operation {
            Some(Operation::Load) => RaceVerb::AtomicallyReads,
            Some(Operation::CompareExchange) if kind == ATOMIC_READ => RaceVerb::AtomicallyReads,
            Some(Operation::Store) => RaceVerb::AtomicallyWrites,
            Some(Operation::ReadModifyWrite | Operation::CompareExchange) => RaceVerb::AtomicallyUpdates,
            Some(operation) => RaceVerb::Does(operation),
            None if kind == PLAIN_WRITE => RaceVerb::Writes,
            None => RaceVerb::Reads,
        }
    }
}

/// The earlier access of a race.
#[derive(Clone, PartialEq, Debug)]
pub struct OtherAccess {
    pub tid: Tid,
    pub verb: RaceVerb,
    /// Innermost frame first.
    pub stack: Vec<CodePos>,
    /// What the fault's own access did.
    pub against: RaceVerb,
    /// What both touch, as the source calls it.
    pub object: String,
}

impl Races {
    /// Whether there is nothing to do for an access of the running thread that went well.
    #[inline(always)]
    pub fn has_said<const N: usize, const KIND: u8>(&self, address: Addr) -> bool {
        self.shadow.has_said::<N, KIND>(self.now.key, address)
    }

    /// The running thread has `depth` frames left.
    #[inline]
    pub fn returned(&mut self, depth: usize) {
        self.stacks.returned(depth);
    }

    /// Frames of the running thread may have gone without `returned`.
    pub fn unsure_of_frames(&mut self) {
        self.stacks.unsure();
    }
}

impl Memory {
    /// Whether other threads may reach what lies there.
    pub(crate) fn race_is_shared(&mut self, address: Addr) -> bool {
        self.race_cell(address & !7).is_some()
    }

    /// The cell of a word. `None` if the object needs none.
    fn race_cell(&mut self, word: Addr) -> Option<usize> {
        match self.races.shadow.find(word) {
            Ok(at) => return Some(at),
            Err(true) => return None,
            Err(false) => {}
        }
        let (start, object) = self.object_at(word)?;
        if !Races::is_shared(&object, self.is_constant(word)) {
            self.races.shadow.leave_alone(word);
            return None;
        }
        Some(self.races.shadow.make(word, start, object.size))
    }
}

impl Memory {
    /// Notes an access at `place` that went well, of the thread that `enter` named. No if it races.
    #[inline]
    pub(crate) fn race_note(&mut self, address: Addr, bytes: u64, kind: u8, place: Place) -> bool {
        let Races { now, library, .. } = &self.races;
        let now = *now;
        if now.hidden && place.library && library.contains(&(address >> OFFSET_BITS)) {
            return true;
        }
        let is_fine = words_of(address, bytes).all(|(word, mask)| {
            let Some(at) = self.race_cell(word) else { return true };
            self.races.record(at, word, Access::new(now.key, mask, kind, place)).is_ok()
        });
        is_fine && !self.share_ended(address)
    }
}

impl Cpu<'_> {
    /// An access that is not known yet; the frame's pc is at it.
    #[inline(never)]
    pub fn race_access(&mut self, address: Addr, bytes: u64, kind: u8) -> Option<Box<Fault>> {
        let Races { shadow, stacks, now, .. } = &mut self.memory.races;
        let first = address & 7;
        if !now.hidden
            && first + bytes <= 8
            && let Ok(at) = shadow.find(address)
        {
            let stack = stacks.number(&self.thread.frames);
            let mask = ((1u32 << bytes) - 1) << first;
            let key = now.key | u64::from(mask) << 8 | u64::from(kind);
            let new = Access { key, pc: self.thread.top().pc, stack };
            let recorded = self.memory.races.record(at, address & !7, new);
            if self.memory.races.told.is_some() {
                self.tell(address & !7, new);
            }
            return match recorded {
                Ok(()) if self.memory.share_ended(address) => Some(self.sharing()),
                Ok(()) => None,
                Err(earlier) => self.raced(at, address & !7, new, earlier).err(),
            };
        }
        self.race_range(address, bytes, kind).err()
    }

    /// Checks and notes an access that went well.
    pub fn race_range(&mut self, address: Addr, bytes: u64, kind: u8) -> Result {
        let place = self.race_place();
        let now = self.memory.races.now;
        if now.hidden && place.library && self.memory.races.library.contains(&(address >> OFFSET_BITS)) {
            return Ok(());
        }
        for (word, mask) in words_of(address, bytes) {
            let Some(at) = self.memory.race_cell(word) else {
                return Ok(());
            };
            let new = Access::new(now.key, mask, kind, place);
            let recorded = self.memory.races.record(at, word, new);
            if self.memory.races.told.is_some() {
                self.tell(word, new);
            }
            if let Err(earlier) = recorded {
                self.raced(at, word, new, earlier)?;
            }
        }
        if self.memory.share_ended(address) { Err(self.sharing()) } else { Ok(()) }
    }

    /// An access races with an earlier one. Where executions go on, it is recorded in its place, and may race with others
    /// of the same word.
    #[cold]
    fn raced(&mut self, at: usize, word: Addr, new: Access, mut earlier: Access) -> Result {
        if self.memory.races.sharing.on {
            return Err(self.sharing());
        }
        loop {
            debug_assert!(conflict(new.kind(), earlier.kind()));
            let address = word + u64::from((new.bytes() & earlier.bytes()).trailing_zeros());
            let fault = self.race_fault(Clash { address, earlier }, new.kind());
            let Races { shadow, clocks, now, go_on, found, .. } = &mut self.memory.races;
            if !*go_on {
                return Err(fault);
            }
            found.push(*fault);
            shadow.forget(at, earlier);
            match shadow.record(at, new, now, clocks) {
                Ok(()) => return Ok(()),
                Err(another) => earlier = another,
            }
        }
    }

    /// The same, if accesses are checked at all.
    pub fn race_native(&mut self, address: Addr, bytes: u64, kind: u8) -> Result {
        if !self.memory.races.active {
            return Ok(());
        }
        let end = address + bytes;
        let mut at = address;
        while end - at > LONG_WORK {
            self.race_range(at, LONG_WORK, kind)?;
            self.ask()?;
            at += LONG_WORK;
        }
        self.race_range(at, end - at, kind)
    }

    pub(crate) fn race_place(&mut self) -> Place {
        let top = self.thread.top();
        let (pc, library) = (top.pc, self.program.functions[top.function as usize].library);
        Place { stack: self.memory.races.stacks.number(&self.thread.frames), pc, library }
    }

    /// A heap object is about to be freed; nothing to say if it is none.
    pub fn race_free(&mut self, address: Addr) -> Result {
        match self.heap_object(address) {
            Ok(size) => {
                self.race_compared(address)?;
                self.race_end(address, size, RaceVerb::Frees)
            }
            Err(_) => Ok(()),
        }
    }

    /// Stack objects are about to go, but for the first `keep`.
    pub fn race_frame_end(&mut self, keep: usize) -> Result {
        for i in keep..self.thread.allocas.len() {
            self.race_own_end(self.thread.allocas[i], RaceVerb::EndsFrame)?;
        }
        Ok(())
    }

    /// All that belongs to the running thread is about to go.
    pub fn race_thread_end(&mut self) -> Result {
        self.race_frame_end(0)?;
        for i in 0..self.thread.thread_locals.len() {
            if self.thread.thread_locals[i] != 0 {
                self.race_own_end(self.thread.thread_locals[i], RaceVerb::EndsThread)?;
            }
        }
        Ok(())
    }

    /// A variable of the thread's own goes.
    #[inline]
    fn race_own_end(&mut self, object: Addr, verb: RaceVerb) -> Result {
        if !self.memory.races.shadow.is_looked_after(object) {
            self.memory.race_note_end(object);
            return Ok(());
        }
        let size = self.memory.object_at(object).map_or(0, |(_, object)| object.size);
        self.race_end(object, size, verb)
    }

    fn race_end(&mut self, object: Addr, size: u64, verb: RaceVerb) -> Result {
        self.memory.races.hold_against_relied(object, size);
        let Races { shadow, clocks, now, .. } = &mut self.memory.races;
        shadow.looked += 1;
        let clash = shadow.find_unordered(object, size, now, clocks);
        if self.memory.races.sharing.on {
            let Races { sharing, now, .. } = &mut self.memory.races;
            sharing.note_end(object, size, now.key);
            return clash.map_or(Ok(()), |_| Err(self.sharing()));
        }
        if let Some(clash) = clash {
            return Err(self.end_fault(object, clash, verb));
        }
        self.memory.races.forget_object(object, size);
        Ok(())
    }

    /// By sharing, and two threads touch one word.
    #[cold]
    pub(super) fn sharing(&mut self) -> Box<Fault> {
        self.memory.races.sharing.found = true;
        self.fault(FaultKind::Stopped, "two threads share plain data".into())
    }

    fn race_name(&self, address: Addr) -> String {
        if let Some(name) = self.program.variable_at(address) {
            return format!("`{name}`");
        }
        match describe(self.program, self.memory, address) {
            Some((object, _)) if object.offset == 0 => object.description,
            Some((object, _)) => format!("{}, byte {},", object.description, object.offset),
            None => format!("address {address:#x}"),
        }
    }

    fn race_thread_name(&self, tid: Tid) -> String {
        format!("thread {}", self.memory.races.names[tid.index()])
    }

    fn other_access(&self, earlier: Access, against: RaceVerb, address: Addr) -> OtherAccess {
        let stack = self.memory.races.stacks.positions(earlier.stack, earlier.pc);
        let verb = RaceVerb::of(self.program, stack[0], earlier.kind());
        OtherAccess { tid: earlier.tid(), verb, stack, against, object: self.race_name(address) }
    }

    /// The function of the library that the program called, where it made the access.
    fn inside(&self, stack: &[CodePos]) -> String {
        match stack.iter().take_while(|at| self.program.is_library(at.function)).last() {
            Some(at) if stack.len() > 1 => format!(" (in `{}`)", self.program.functions[at.function as usize].name),
            _ => String::new(),
        }
    }

    #[cold]
    fn race_fault(&self, clash: Clash, kind: u8) -> Box<Fault> {
        let verb = RaceVerb::of(self.program, self.position(), kind);
        let other = self.other_access(clash.earlier, verb, clash.address);
        let mut fault = self.fault(FaultKind::DataRace, String::new());
        fault.message = format!(
            "{} {verb} {}{} and {} {} it{}, with nothing that orders the two",
            self.race_thread_name(self.thread.tid),
            self.race_name(clash.address),
            if matches!(verb, RaceVerb::Does(_)) { String::new() } else { self.inside(&fault.stack) },
            self.race_thread_name(other.tid),
            other.verb,
            if matches!(other.verb, RaceVerb::Does(_)) { String::new() } else { self.inside(&other.stack) },
        );
        fault.address = Some(clash.address);
        fault.object = describe(self.program, self.memory, clash.address).map(|(object, _)| object);
        fault.other = Some(other);
        fault
    }

    #[cold]
    fn end_fault(&self, object: Addr, clash: Clash, verb: RaceVerb) -> Box<Fault> {
        let other = self.other_access(clash.earlier, verb, object);
        let name = |tid| if tid == Tid::MAIN { "the main thread".into() } else { self.race_thread_name(tid) };
        let (who, user) = (name(self.thread.tid), name(other.tid));
        let how = match verb {
            RaceVerb::EndsFrame => format!("ends with its function in {who} and is used by {user}"),
            RaceVerb::EndsThread => format!("ends with {who} and is used by {user}"),
            _ => format!("is freed by {who} and used by {user}"),
        };
        let message = format!("{} {how}, with nothing that orders the two", self.race_name(object));
        let mut fault = self.fault(FaultKind::UseAfterFree, message);
        fault.address = Some(clash.address);
        fault.object = describe(self.program, self.memory, object).map(|(object, _)| object);
        fault.other = Some(other);
        fault
    }
}

impl Races {
    /// The object is gone, and if nobody can go back, so is what is known of it.
    fn forget_object(&mut self, object: Addr, size: u64) {
        if !self.marks.is_empty() {
            return;
        }
        self.shadow.drop_object(object, size);
        let range = object..object + size;
        if size / 8 < (self.heads.len() + self.locks.len()) as u64 {
            for (word, _) in words_of(object, size) {
                self.heads.remove(&word);
            }
            // Objects of synchronisation are aligned to four bytes, barriers are rare.
            for at in range.step_by(4) {
                self.locks.remove(&(at, 0));
            }
        } else {
            self.heads.retain(|word, _| !range.contains(word));
            self.locks.retain(|(address, _), _| !range.contains(address));
        }
    }
}

impl Races {
    /// Nobody knows an object any more that is gone, and its id may be used again. Can be taken back.
    pub fn object_unknown(&mut self, object: Addr, size: u64) {
        if !self.on || self.sharing.on {
            return;
        }
        self.shadow.clear(object, size);
        let range = object..object + size;
        let locks: Vec<_> = self.locks.keys().copied().filter(|(address, _)| range.contains(address)).collect();
        locks.into_iter().for_each(|key| self.set_lock(key, None));
        let heads: Vec<_> = self.heads.keys().copied().filter(|word| range.contains(word)).collect();
        heads.into_iter().for_each(|word| self.set_heads(word, Heads::default()));
    }
}

/// What differs between two states.
pub fn difference(a: &SavedRaces, b: &SavedRaces) -> Option<String> {
    let vector = |of: &SavedRaces, release: Release| -> Vec<u32> {
        let mut entries: Vec<u32> = (0..of.threads.len() as u16).map(|tid| of.clocks.get(release, tid)).collect();
        while entries.last() == Some(&0) {
            entries.pop();
        }
        entries
    };
    let threads = |of: &SavedRaces| -> Vec<[Vec<u32>; 3]> {
        let live = of.threads.iter().filter(|thread| !thread.seen.is_nothing());
        live.map(|t| [vector(of, t.seen), vector(of, t.fence), vector(of, t.pending)]).collect()
    };
    let locks = |of: &SavedRaces| {
        let mut list: Vec<_> =
            of.locks.iter().map(|(key, l)| (*key, vector(of, l.release), vector(of, l.readers), l.left)).collect();
        list.sort();
        list
    };
    let heads = |of: &SavedRaces| {
        let words = of.heads.iter().flat_map(|(word, heads)| heads.iter().map(move |head| (*word, *head)));
        let mut list: Vec<_> = words.map(|(word, (bytes, release))| (word, bytes, vector(of, release))).collect();
        list.sort();
        list
    };
    let accesses = |of: &SavedRaces| -> Vec<_> {
        let words = of.shadow.contents().into_iter();
        words
            .flat_map(|(word, list)| list.into_iter().map(move |access| (word, access)))
            .map(|(word, access)| (word, access.key, of.stacks.positions(access.stack, access.pc)))
            .collect()
    };
    if a.created != b.created {
        return Some(format!("{} and {} threads created", a.created, b.created));
    }
    let differ = |what: &str, x: String, y: String| (x != y).then(|| format!("{what}: {x} and {y}"));
    differ("clocks", format!("{:?}", threads(a)), format!("{:?}", threads(b)))
        .or_else(|| differ("locks", format!("{:?}", locks(a)), format!("{:?}", locks(b))))
        .or_else(|| differ("heads", format!("{:?}", heads(a)), format!("{:?}", heads(b))))
        .or_else(|| differ("accesses", format!("{:?}", accesses(a)), format!("{:?}", accesses(b))))
}
