//! Steps that were taken before.
//!
//! What a thread's local code does hangs on the local state from which it starts, on the result of the visible operation
//! there, and on the memory that it reads; a search takes it through the same local states over and over. So local states
//! are numbered, and a stretch of local code is written down when it is executed for the first time: what it
//! did to memory, and the local state that it came to. The next time it is enough to see that memory still holds what was
//! read, to make the same writes, and to take over the number of the next local state. Stateful Inspect (Yang, Chen,
//! Gopalakrishnan, Kirby, SPIN 2008) captures local states by such links between numbers; here they also save the
//! execution.
//!
//! The frames and slots of a thread are then behind: `Thread::at` is the number of the local state in which the thread is,
//! `Thread::held` that of the state which its frames show. `hold` makes them the same, and comes before everything that
//! looks at frames.
//!
//! Written down are stretches that compute, jump, call, and access defined memory in sizes of 1, 2, 4 and 8 bytes. All
//! others (stack objects, library primitives, undefined data) are executed each time.

use rustc_hash::FxHashMap;
use threadbare_core::{Access, Fingerprint, Operation, Tid};

use crate::bytecode::{Op, Program, Slot, VisibleSite};
use crate::memory::{Addr, Memory};
use crate::quick::Glance;
use crate::races::{PLAIN_READ, PLAIN_WRITE, Place};
use crate::tail::{Tail, Way};
use crate::thread::Thread;

/// No local state has this number.
pub const UNKNOWN: u32 = u32::MAX;
/// The stack of an access of which nobody will want to know where it was made.
pub const NOWHERE: u32 = u32::MAX;
/// A stretch that cannot be written down.
const BEYOND_WORDS: u32 = u32::MAX - 1;

/// Deeper stacks are not worth it.
const MOST_WORDS: usize = 256;
const MOST_ARGS: usize = 4;
const MOST_EFFECTS: usize = 24;
/// Ways that one stretch goes on, by what it reads. After so many, what it reads is taken to be new each time.
const MOST_WAYS: usize = 8;
/// Words of all local states, stretches, and what they do to memory: when there is so much, nothing is learned any more.
const MOST_STATES: usize = 1 << 20;
const MOST_STRETCHES: usize = 1 << 18;
const MOST_EFFECTS_OF_ALL: usize = 1 << 18;

/// A thread at a visible operation, but for its control block.
#[derive(Clone, Copy)]
pub struct LocalState {
    /// Its frames, packed, in `Known::words`.
    words: (u32, u32),
    /// Another one with the same hash.
    other: u32,
    pub site: u32,
    pub d: Slot,
    /// The operands of the operation.
    pub args: [u64; MOST_ARGS],
    /// Where an access of the operation is made, for reports of races.
    pub place: Place,
    pub frames: Fingerprint,
    pub has_objects: bool,
    pub stand: Stand,
    pub way: Way,
}

/// The ends of threads and joins are part of every execution.
#[derive(Clone, Copy, Default, Debug)]
pub enum Shortcut {
    #[default]
    None,
    /// The end of a thread with this result, and no object that ends with it.
    End(u64),
    /// A join whose result nobody wants.
    Join(Tid),
}

/// What searches want to know, again and again, of the operation at which a thread stands.
#[derive(Clone, Copy, Default, Debug)]
pub struct Stand {
    /// See `Machine::simple`.
    pub simple: Option<(Operation, Access)>,
    /// That is so whatever the others do: it is no unlocking.
    pub depends_on_nothing: bool,
    pub may_wait: bool,
    /// Nothing is done along with the step that leads there.
    pub ordinary: bool,
    /// It has no effect and touches nothing.
    pub idle: bool,
    /// It may be done along with a step.
    pub along: bool,
    pub shortcut: Shortcut,
    /// The memory of which the operation is a simple access.
    pub glance: Option<Glance>,
    /// It accesses what nobody accesses but atomically.
    pub cannot_race: bool,
    /// See `uses`.
    pub private: bool,
    /// Its access has been held against the guess.
    pub touched: bool,
}

/// Local code from one local state to the next.
#[derive(Clone, Copy)]
struct Stretch {
    effects: (u32, u32),
    next: u32,
    /// The same start and result, with other values read.
    other: u32,
    /// See `Races::epoch`.
    noted: u64,
    /// It does not only read.
    changes: bool,
}

/// A local state and the result of the operation there, and the first of the stretches that followed.
#[derive(Clone, Copy)]
struct Start {
    at: u32,
    stretch: u32,
    result: u64,
}

const RECENT_BITS: u32 = 10;

impl Start {
    const NONE: Start = Start { at: UNKNOWN, stretch: UNKNOWN, result: 0 };

    #[inline(always)]
    fn slot(at: u32, result: u64) -> usize {
        let mixed = (u64::from(at) ^ result.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (64 - RECENT_BITS)) as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deed {
    Read,
    Write,
    /// The stack object there goes. The value is where in the code that was.
    Release,
}

/// What local code did to memory.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    pub address: Addr,
    pub value: u64,
    pub bytes: u8,
    pub deed: Deed,
    pub place: Place,
}

impl Effect {
    fn end(&self) -> Addr {
        self.address + u64::from(self.bytes)
    }

    fn overlaps(&self, other: &Effect) -> bool {
        self.address < other.end() && other.address < self.end()
    }
}

/// Writes down what local code does while it is executed.
#[derive(Default)]
pub struct Recorder {
    pub on: bool,
    /// All of it could be written down so far.
    pub whole: bool,
    pub effects: Vec<Effect>,
}

impl Recorder {
    fn start(&mut self) {
        self.effects.clear();
        self.on = true;
        self.whole = true;
    }

    /// Something happened that cannot be written down.
    pub fn give_up(&mut self) {
        self.whole = false;
    }

    pub fn note(&mut self, effect: Effect) {
        // What it has written itself it would read again. A read of a part of that is too rare to be worth it.
        let written = |earlier: &&Effect| earlier.deed == Deed::Write && earlier.overlaps(&effect);
        let before = self.effects.iter().rev().find(written);
        match before {
            Some(written) if effect.deed == Deed::Read => {
                let same = written.address == effect.address && written.bytes == effect.bytes;
                self.whole &= same;
            }
            _ if self.effects.len() == MOST_EFFECTS => self.whole = false,
            _ => self.effects.push(effect),
        }
    }
}

#[derive(Default)]
pub struct Known {
    pub on: bool,
    pub states: Vec<LocalState>,
    words: Vec<u64>,
    by_hash: FxHashMap<u64, u32>,
    stretches: Vec<Stretch>,
    by_start: FxHashMap<(u32, u64), u32>,
    /// Some of the starts that came up last, by a part of their hash.
    recent: Vec<Start>,
    effects: Vec<Effect>,
    pub tails: Vec<Tail>,
    pub recorder: Recorder,
    scratch: Vec<u64>,
}

impl Known {
    /// One that learns, or never will.
    pub fn new(on: bool) -> Known {
        Known { on, recent: vec![Start::NONE; 1 << RECENT_BITS], ..Known::default() }
    }

    pub fn site<'p>(&self, program: &'p Program, at: u32) -> (&'p VisibleSite, Slot) {
        let state = &self.states[at as usize];
        (&program.visibles[state.site as usize], state.d)
    }

    /// The number of the local state that the frames of a thread show, if it is worth one, and whether it is new. `place` tells where an access
    /// of the operation at which it stands is made.
    pub fn number(
        &mut self,
        program: &Program,
        thread: &mut Thread,
        place: impl FnOnce(&Thread) -> Place,
    ) -> Option<(u32, bool)> {
        let top = *thread.top();
        let Op::Visible { site, d } = program.functions[top.function as usize].code[top.pc as usize] else {
            return None;
        };
        let operands = &program.visibles[site as usize].args;
        if thread.undefined_slots > 0 || operands.len() > MOST_ARGS {
            return None;
        }
        let mut words = std::mem::take(&mut self.scratch);
        words.clear();
        pack(program, thread, &mut words);
        let number = self.find_or_add(program, thread, &words, place, site, d);
        self.scratch = words;
        number
    }

    fn find_or_add(
        &mut self,
        program: &Program,
        thread: &mut Thread,
        words: &[u64],
        place: impl FnOnce(&Thread) -> Place,
        site: u32,
        d: Slot,
    ) -> Option<(u32, bool)> {
        if words.len() > MOST_WORDS {
            return None;
        }
        let hash = hash_of(words);
        let first = self.by_hash.get(&hash).copied().unwrap_or(UNKNOWN);
        let mut at = first;
        while at != UNKNOWN {
            let state = &self.states[at as usize];
            if self.words[state.words.0 as usize..state.words.1 as usize] == *words {
                return Some((at, false));
            }
            at = state.other;
        }
        if self.words.len() + words.len() > MOST_STATES {
            return None;
        }
        let start = self.words.len() as u32;
        self.words.extend_from_slice(words);
        let mut args = [0; MOST_ARGS];
        let operands = &program.visibles[site as usize].args;
        args.iter_mut().zip(operands).for_each(|(arg, &slot)| *arg = thread.slot(slot));
        self.states.push(LocalState {
            words: (start, self.words.len() as u32),
            other: first,
            site,
            d,
            args,
            place: place(thread),
            frames: thread.frames_fingerprint(program),
            has_objects: !thread.allocas.is_empty(),
            stand: Stand::default(),
            way: Way::Unknown,
        });
        let number = self.states.len() as u32 - 1;
        self.by_hash.insert(hash, number);
        Some((number, true))
    }

    /// What `pack` says of a thread.
    pub fn words_of(&self, program: &Program, thread: &Thread, words: &mut Vec<u64>) {
        match self.states.get(thread.at as usize) {
            Some(state) => words.extend_from_slice(&self.words[state.words.0 as usize..state.words.1 as usize]),
            None => pack(program, thread, words),
        }
    }

    /// Makes the frames of a thread show the local state in which it is.
    #[inline]
    pub fn hold(&self, program: &Program, thread: &mut Thread) {
        if thread.at != thread.held && thread.at != UNKNOWN {
            self.unpack(program, thread);
        }
    }

    /// A thread by itself: its frames show where it is.
    pub fn away(&self, program: &Program, thread: &Thread) -> Thread {
        let mut thread = thread.clone();
        self.hold(program, &mut thread);
        (thread.at, thread.held) = (UNKNOWN, UNKNOWN);
        thread
    }

    #[inline(never)]
    fn unpack(&self, program: &Program, thread: &mut Thread) {
        let (from, to) = self.states[thread.at as usize].words;
        let words = &self.words[from as usize..to as usize];
        let mut rest = &words[1 + (words[0] >> 16) as usize..];
        let mut depth = 0;
        while let Some((&length, after)) = rest.split_first() {
            let (frame, after) = after.split_at(length as usize);
            thread.unpack_frame(program, depth, frame);
            rest = after;
            depth += 1;
        }
        thread.held = thread.at;
    }

    /// The stretches that have followed this result of the operation in this local state, if any could be written down.
    /// Each is taken as long as the answer is no.
    #[inline]
    pub fn find(&mut self, at: u32, result: u64, mut fits: impl FnMut(&[Effect]) -> bool) -> Found {
        let recent = &mut self.recent[Start::slot(at, result)];
        let mut number = if recent.at == at && recent.result == result {
            recent.stretch
        } else {
            match self.by_start.get(&(at, result)) {
                Some(&stretch) => {
                    *recent = Start { at, stretch, result };
                    stretch
                }
                None => return Found::Nothing,
            }
        };
        let mut ways = 0;
        while number < BEYOND_WORDS {
            let stretch = &self.stretches[number as usize];
            let (from, to) = stretch.effects;
            if from == to || fits(&self.effects[from as usize..to as usize]) {
                return Found::Stretch { number, effects: (from, to), next: stretch.next };
            }
            ways += 1;
            number = stretch.other;
        }
        if number == BEYOND_WORDS || ways >= MOST_WAYS { Found::BeyondWords } else { Found::Nothing }
    }

    /// The stretch that follows this result in this local state, if it is the only one that has.
    pub fn only_way(&self, at: u32, result: u64) -> Option<(u32, &[Effect], u32)> {
        let &number = self.by_start.get(&(at, result))?;
        let stretch = self.stretches.get(number as usize)?;
        (stretch.other >= BEYOND_WORDS).then(|| (number, self.effects(stretch.effects), stretch.next))
    }

    /// Whether the accesses of a stretch were noted in this epoch.
    pub fn is_noted(&self, stretch: u32, epoch: u64) -> bool {
        epoch >> 32 != 0 && self.stretches[stretch as usize].noted == epoch
    }

    pub fn set_noted(&mut self, stretch: u32, epoch: u64) {
        self.stretches[stretch as usize].noted = epoch;
    }

    pub fn changes(&self, stretch: u32) -> bool {
        self.stretches[stretch as usize].changes
    }

    pub fn effects(&self, (from, to): (u32, u32)) -> &[Effect] {
        &self.effects[from as usize..to as usize]
    }

    /// A stretch begins that nobody knows.
    pub fn start_recording(&mut self) {
        self.recorder.start();
    }

    /// It has ended in the local state `next`; `UNKNOWN` if that has no number.
    pub fn end_recording(&mut self, at: u32, result: u64, next: u32) {
        let recorder = &mut self.recorder;
        let full = self.stretches.len() >= MOST_STRETCHES || self.effects.len() >= MOST_EFFECTS_OF_ALL;
        if !std::mem::take(&mut recorder.on) || full {
            return;
        }
        let first = self.by_start.get(&(at, result)).copied();
        if !recorder.whole || next == UNKNOWN {
            // What could be written down before may be the way that it goes mostly.
            if first.is_none() {
                self.by_start.insert((at, result), BEYOND_WORDS);
            }
            return;
        }
        let start = self.effects.len() as u32;
        self.effects.extend_from_slice(&recorder.effects);
        let other = first.unwrap_or(UNKNOWN);
        let changes = recorder.effects.iter().any(|effect| effect.deed != Deed::Read);
        self.stretches.push(Stretch { effects: (start, self.effects.len() as u32), next, other, noted: 0, changes });
        let number = self.stretches.len() as u32 - 1;
        self.by_start.insert((at, result), number);
        self.recent[Start::slot(at, result)] = Start::NONE;
    }
}

pub enum Found {
    Stretch { number: u32, effects: (u32, u32), next: u32 },
    Nothing,
    BeyondWords,
}

/// What tells a local state from all others: the thread, its frames with their live slots and objects. The addresses of
/// its thread-local variables are no part of a frame.
fn pack(program: &Program, thread: &Thread, words: &mut Vec<u64>) {
    let Tid(tid) = thread.tid;
    words.push(u64::from(tid) | (thread.thread_locals.len() as u64) << 16);
    words.extend_from_slice(&thread.thread_locals);
    let top = thread.frames.len() - 1;
    for depth in 0..=top {
        let at = words.len();
        words.push(0);
        thread.pack_frame(program, depth, depth == top, words);
        words[at] = (words.len() - at - 1) as u64;
    }
}

fn hash_of(words: &[u64]) -> u64 {
    words.iter().fold(0x9e37_79b9_7f4a_7c15, |hash: u64, &word| {
        (hash.rotate_left(29) ^ word).wrapping_mul(0xa076_1d64_78bd_642f)
    })
}

impl Memory {
    /// Does to memory what local code did, and notes it unless that was done for good. No if it cannot be, or races.
    #[inline]
    pub fn do_again(&mut self, effect: &Effect, noted: bool) -> bool {
        let races = self.races.is_active();
        let note = |memory: &mut Memory, kind: u8| {
            !races || noted || memory.race_note(effect.address, effect.bytes.into(), kind, effect.place)
        };
        match effect.deed {
            Deed::Read => note(self, PLAIN_READ),
            Deed::Write => self.store_plain(effect.address, effect.bytes, effect.value) && note(self, PLAIN_WRITE),
            // Others may have used it, or it holds a lock: that is for the code itself to find out. Otherwise it goes when
            // all else is done.
            Deed::Release => {
                let fits = !(races && self.races.looks_after(effect.address)) && self.held_in(effect.address).is_none();
                if fits && races && !noted {
                    self.race_note_end(effect.address);
                }
                fits
            }
        }
    }
}
