//! A thread of the program: its stack of frames over one array of slots, and its place in the world of threads.

use threadbare_core::{Fingerprint, Hash128, Tid};

use crate::bytecode::{Function, Program, Slot};
use crate::fault::CodePos;
use crate::known::UNKNOWN;
use crate::memory::Addr;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Frame {
    pub function: u32,
    /// The next operation; while the frame has called another, the one after the call.
    pub pc: u32,
    /// Where its slots start.
    pub base: u32,
    /// Where the caller wants the result, in the caller's slots.
    pub ret: Slot,
    /// Slots beyond the function's own: variadic arguments.
    pub extra: u16,
    /// Where its objects start in `Thread::allocas`.
    pub first_alloca: u32,
    /// The call site that described the variadic arguments, plus one.
    pub call_site: u32,
}

/// A frame in the log: itself, and how many objects it has, with a bit each for undefined slots and for one that rests.
#[derive(Clone, Copy)]
#[repr(C)]
struct PackedFrame {
    frame: Frame,
    objects: u64,
}

const PACKED_FRAME_WORDS: usize = 4;
const TAINTED: u64 = 1 << 63;
const RESTING: u64 = 1 << 62;
const _: () = assert!(size_of::<PackedFrame>() == 8 * PACKED_FRAME_WORDS && size_of::<Frame>() == 24);

impl PackedFrame {
    fn words(self) -> [u64; PACKED_FRAME_WORDS] {
        // SAFETY: as large as the words, without gaps.
        unsafe { std::mem::transmute(self) }
    }

    fn of_words(words: [u64; PACKED_FRAME_WORDS]) -> PackedFrame {
        // SAFETY: every value of the fields is a good one.
        unsafe { std::mem::transmute(words) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Status {
    /// Stands at a visible operation (or at its very start).
    Ready,
    /// Its function has ended; its result waits to be joined.
    Ended,
    /// A failed `assume`: it does not go on, and the execution does not count.
    Cut,
    /// Stopped by its own error, while others go on.
    Failed,
}

/// What other threads may ask of a thread, and what it waits for. Small and copied as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Control {
    pub status: Status,
    pub started: bool,
    pub detached: bool,
    pub joined: bool,
    pub cancel_pending: bool,
    pub cancel_disabled: bool,
    /// Waiting in this condition variable's queue; 0 is none.
    pub waiting: Addr,
    /// Woken from that queue.
    pub woken: bool,
    /// Woken when there was nobody to be woken in its place, or with all: a cancellation may still come first.
    pub woken_alone: bool,
    /// The generation of the barrier that it waits for.
    pub generation: u32,
    /// How many threads it has created.
    pub children: u16,
    pub atomic_depth: u16,
    /// Waits that ended by themselves.
    pub spurious: u8,
    /// Looks at the clock that found a day gone.
    pub clock_jumps: u8,
    pub result: u64,
}

pub const CONTROL_WORDS: usize = 4;

impl Control {
    pub fn new(detached: bool) -> Self {
        Control {
            status: Status::Ready,
            started: false,
            detached,
            joined: false,
            cancel_pending: false,
            cancel_disabled: false,
            waiting: 0,
            woken: false,
            woken_alone: false,
            generation: 0,
            children: 0,
            atomic_depth: 0,
            spurious: 0,
            clock_jumps: 0,
            result: 0,
        }
    }

    pub fn pack(&self) -> [u64; CONTROL_WORDS] {
        let asked = [self.started, self.detached, self.joined, self.cancel_pending, self.cancel_disabled];
        let flags = asked.into_iter().chain([self.woken, self.woken_alone]);
        let bits = flags.enumerate().fold(0, |bits, (i, flag)| bits | u64::from(flag) << i);
        [
            self.status as u64
                | bits << 8
                | u64::from(self.children) << 16
                | u64::from(self.atomic_depth) << 32
                | u64::from(self.spurious) << 48
                | u64::from(self.clock_jumps) << 56,
            self.waiting,
            u64::from(self.generation),
            self.result,
        ]
    }

    pub fn unpack(words: &[u64]) -> Control {
        let flag = |i: u32| words[0] >> (8 + i) & 1 == 1;
        Control {
            status: match words[0] as u8 {
                0 => Status::Ready,
                1 => Status::Ended,
                2 => Status::Cut,
                _ => Status::Failed,
            },
            started: flag(0),
            detached: flag(1),
            joined: flag(2),
            cancel_pending: flag(3),
            cancel_disabled: flag(4),
            woken: flag(5),
            woken_alone: flag(6),
            children: (words[0] >> 16) as u16,
            atomic_depth: (words[0] >> 32) as u16,
            spurious: (words[0] >> 48) as u8,
            clock_jumps: (words[0] >> 56) as u8,
            waiting: words[1],
            generation: words[2] as u32,
            result: words[3],
        }
    }
}

#[derive(Clone)]
pub struct Thread {
    pub tid: Tid,
    pub slots: Vec<u64>,
    /// A bit for each undefined bit of a slot. All zero while `undefined_slots` is 0.
    pub undefined: Vec<u64>,
    pub undefined_slots: u32,
    pub frames: Vec<Frame>,
    /// Stack objects of all frames, oldest first.
    pub allocas: Vec<Addr>,
    /// This thread's copies of the thread-local variables.
    pub thread_locals: Vec<Addr>,
    pub control: Control,
    /// The number of the local state in which it is, and of the one that its frames show (see `known`).
    pub at: u32,
    pub held: u32,
    /// Frames at this depth and above have been saved for the mark number `saved_for`.
    pub saved_depth: u32,
    pub saved_for: u64,
    /// Running hash of the frames below the top one, as far as it is known.
    chain: Vec<Hash128>,
}

impl Thread {
    pub fn new(tid: Tid, detached: bool) -> Self {
        Thread {
            tid,
            slots: Vec::new(),
            undefined: Vec::new(),
            undefined_slots: 0,
            frames: Vec::new(),
            allocas: Vec::new(),
            thread_locals: Vec::new(),
            control: Control::new(detached),
            at: UNKNOWN,
            held: UNKNOWN,
            saved_depth: 0,
            saved_for: 0,
            chain: Vec::new(),
        }
    }

    pub fn is_live(&self) -> bool {
        self.control.status == Status::Ready
    }

    pub fn top(&self) -> &Frame {
        self.frames.last().expect("a live thread has a frame")
    }

    /// Makes room for a frame of `slots` slots at `base`.
    pub fn reserve(&mut self, base: usize, slots: usize) {
        let needed = base + slots;
        if needed > self.slots.len() {
            let length = needed.next_power_of_two().max(256);
            self.slots.resize(length, 0);
            self.undefined.resize(length, 0);
        }
    }

    pub fn slot(&self, slot: Slot) -> u64 {
        self.slots[self.top().base as usize + slot as usize]
    }

    pub fn set_slot(&mut self, slot: Slot, value: u64, undefined: u64) {
        let at = self.top().base as usize + slot as usize;
        self.slots[at] = value;
        self.undefined_slots += u32::from(undefined != 0);
        self.undefined_slots -= u32::from(self.undefined[at] != 0);
        self.undefined[at] = undefined;
    }

    pub fn undefined(&self, slot: Slot) -> u64 {
        if self.undefined_slots == 0 { 0 } else { self.undefined[self.top().base as usize + slot as usize] }
    }

    /// Where the thread stands, innermost frame first. A frame that has called another stands at its call.
    pub fn stack(&self) -> Vec<CodePos> {
        let last = self.frames.len().saturating_sub(1);
        let position = |(depth, frame): (usize, &Frame)| CodePos {
            function: frame.function,
            pc: if depth == last { frame.pc } else { frame.pc.saturating_sub(1) },
        };
        self.frames.iter().enumerate().map(position).rev().collect()
    }

    /// Puts what restores frame `depth` behind `words`: itself, its objects, its live slots.
    pub fn pack_frame(&self, program: &Program, depth: usize, resting: bool, words: &mut Vec<u64>) {
        let frame = &self.frames[depth];
        let function = &program.functions[frame.function as usize];
        let objects_end = self.frames.get(depth + 1).map_or(self.allocas.len(), |next| next.first_alloca as usize);
        let objects = &self.allocas[frame.first_alloca as usize..objects_end];
        let tainted = self.undefined_slots > 0;
        let bits = if tainted { TAINTED } else { 0 } | if resting { RESTING } else { 0 };
        let header = PackedFrame { frame: *frame, objects: objects.len() as u64 | bits }.words();
        if objects.is_empty() && !tainted && !function.returns_twice && frame.extra == 0 {
            // The usual case, of which there is one for each step of a search.
            let live = function.live(frame.pc, resting);
            let slots = &self.slots[frame.base as usize..];
            words.reserve(header.len() + live.len());
            let (to, rest) = words.spare_capacity_mut().split_at_mut(header.len());
            to.iter_mut().zip(header).for_each(|(to, word)| _ = to.write(word));
            rest.iter_mut().zip(live).for_each(|(to, &slot)| _ = to.write(slots[slot as usize]));
            // SAFETY: so many were written, and there was room for them.
            unsafe { words.set_len(words.len() + header.len() + live.len()) };
            return;
        }
        words.extend_from_slice(&header);
        if !objects.is_empty() {
            words.extend_from_slice(objects);
        }
        save_slots(function, frame, resting, &self.slots, words);
        if tainted {
            save_slots(function, frame, resting, &self.undefined, words);
        }
    }

    pub fn unpack_frame(&mut self, program: &Program, depth: usize, words: &[u64]) {
        let (header, rest) = words.split_first_chunk().expect("a frame was saved");
        let PackedFrame { frame, objects } = PackedFrame::of_words(*header);
        let (tainted, resting) = (objects & TAINTED != 0, objects & RESTING != 0);
        let (objects, rest) = rest.split_at((objects & !(TAINTED | RESTING)) as usize);
        let function = &program.functions[frame.function as usize];
        let base = frame.base as usize;
        // What lies above the frame is gone, and with it every undefined bit there.
        if self.undefined_slots > 0 {
            let top = self.frames.last().map_or(0, |top| {
                top.base as usize + program.functions[top.function as usize].slots as usize + top.extra as usize
            });
            if base < top {
                self.undefined[base..top].fill(0);
            }
        }
        if self.frames.len() == depth + 1 {
            self.frames[depth] = frame;
        } else {
            self.frames.truncate(depth);
            self.frames.push(frame);
        }
        self.allocas.truncate(frame.first_alloca as usize);
        if !objects.is_empty() {
            self.allocas.extend_from_slice(objects);
        }
        self.chain.truncate(depth);
        let rest = load_slots(function, &frame, resting, rest, &mut self.slots);
        if tainted {
            load_slots(function, &frame, resting, rest, &mut self.undefined);
        }
        // Slots that are dead by now may have been undefined then: count what is.
        if tainted || self.undefined_slots > 0 {
            let top = base + function.slots as usize + frame.extra as usize;
            self.undefined_slots = self.undefined[..top].iter().filter(|&&s| s != 0).count() as u32;
        }
    }

    /// Frames from `depth` on have changed: what is known of their hash is void.
    pub fn frames_changed(&mut self, depth: usize) {
        self.chain.truncate(depth);
    }

    /// The thread's control point and live local state. `frames` is the fingerprint of its frames, if it is known.
    pub fn fingerprint(&mut self, program: &Program, frames: Option<Fingerprint>) -> Fingerprint {
        let mut hash = Hash128::new(0x7d);
        for word in self.control.pack() {
            hash.word(word);
        }
        if self.control.status == Status::Ready {
            let Fingerprint(frames) = frames.unwrap_or_else(|| self.frames_fingerprint(program));
            hash.word(frames as u64);
            hash.word((frames >> 64) as u64);
        }
        hash.finish()
    }

    /// Its stack: where it stands, and live slots.
    pub fn frames_fingerprint(&mut self, program: &Program) -> Fingerprint {
        let below = self.frames.len() - 1;
        while self.chain.len() < below {
            let depth = self.chain.len();
            let mut chain = if depth == 0 { Hash128::new(1) } else { self.chain[depth - 1] };
            self.hash_frame(program, depth, &mut chain);
            self.chain.push(chain);
        }
        let mut top = if below == 0 { Hash128::new(1) } else { self.chain[below - 1] };
        self.hash_frame(program, below, &mut top);
        top.finish()
    }

    fn hash_frame(&self, program: &Program, depth: usize, hash: &mut Hash128) {
        let frame = &self.frames[depth];
        let function = &program.functions[frame.function as usize];
        let base = frame.base as usize;
        let objects_end = self.frames.get(depth + 1).map_or(self.allocas.len(), |next| next.first_alloca as usize);
        hash.word(u64::from(frame.function) | u64::from(frame.pc) << 32);
        hash.word(u64::from(frame.ret) | ((objects_end - frame.first_alloca as usize) as u64) << 16);
        hash.word(u64::from(frame.call_site));
        let extra = base + function.slots as usize;
        let mut add = |at: usize| {
            hash.word(self.slots[at]);
            // Only what is undefined is told, so that the hash of a frame does not depend on other frames.
            if self.undefined_slots > 0 && self.undefined[at] != 0 {
                hash.word(0x5eed);
                hash.word(self.undefined[at]);
            }
        };
        if function.returns_twice {
            (base..extra).for_each(&mut add);
        } else {
            let resting = depth + 1 == self.frames.len();
            function.live(frame.pc, resting).iter().for_each(|&slot| add(base + slot as usize));
        }
        (extra..extra + frame.extra as usize).for_each(&mut add);
    }
}

/// Puts what a frame still needs of an array of slots behind `words`.
#[inline(always)]
fn save_slots(function: &Function, frame: &Frame, resting: bool, array: &[u64], words: &mut Vec<u64>) {
    let array = &array[frame.base as usize..];
    let slots = function.slots as usize;
    if function.returns_twice {
        words.extend_from_slice(&array[..slots]);
    } else {
        words.extend(function.live(frame.pc, resting).iter().map(|&slot| array[slot as usize]));
    }
    if frame.extra > 0 {
        words.extend_from_slice(&array[slots..slots + frame.extra as usize]);
    }
}

/// Puts it back; gives the words that are left.
#[inline(always)]
fn load_slots<'a>(function: &Function, frame: &Frame, resting: bool, words: &'a [u64], array: &mut [u64]) -> &'a [u64] {
    let array = &mut array[frame.base as usize..];
    let slots = function.slots as usize;
    let mut words = words;
    if function.returns_twice {
        let (saved, rest) = words.split_at(slots);
        array[..slots].copy_from_slice(saved);
        words = rest;
    } else {
        let live = function.live(frame.pc, resting);
        let (saved, rest) = words.split_at(live.len());
        for (&slot, &value) in live.iter().zip(saved) {
            array[slot as usize] = value;
        }
        words = rest;
    }
    if frame.extra > 0 {
        let (saved, rest) = words.split_at(frame.extra as usize);
        array[slots..slots + frame.extra as usize].copy_from_slice(saved);
        words = rest;
    }
    words
}
