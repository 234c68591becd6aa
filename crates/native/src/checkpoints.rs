//! Copies of the program along its path. To go back is to restore what it was at the start and to take the steps of the path
//! again; where that has cost more than a copy, a copy is kept, and the next way back begins there. So the price of a step
//! back is at most that of some copies, however long the path is.
//!
//! Of large pieces of memory only those pages are copied that were written since the last copy (pages.rs).
//!
//! Copies are kept only while a path is taken again: who never goes back pays nothing. What is in them is all that steps
//! change: the memory of the program and what of it may be accessed, and what the engine knows of the execution.

use std::arch::x86_64::_rdtsc;

use threadbare_core::{Fingerprint, Hash128};

use crate::fault::Fault;
use crate::held::Held;
use crate::image::{self, Ends};
use crate::order::KeptRaces;
use crate::pages::{self, Kept, LARGE};
use crate::run::{Run, Thread};
use crate::{OUTPUT, lock, untouched};

/// A copy pays if the way to it costs so many times as much.
const WORTH: u64 = 2;
/// Where the machine is to go on, it is likely to come back soon: a copy pays there if the ways since the last one together cost as
/// much as it does, and this way at least such a part of that.
const THIS_WAY: u64 = 2;
/// None costs less.
const LEAST_COST: f64 = 100.0;
/// What all of them together may hold.
const MOST_BYTES: usize = 256 << 20;
/// So many that are done with are used again, if they are not large: their memory is there.
const MOST_SPARE: usize = 64;
const MOST_SPARE_BYTES: usize = 1 << 20;

#[derive(Default)]
pub struct Checkpoints {
    /// By the length of their paths.
    kept: Vec<Checkpoint>,
    bytes: usize,
    spare: Vec<Checkpoint>,
    /// What the steps since the last one, or since the start, have cost: in ticks of the processor. And what those of earlier ways
    /// have that began there.
    since: u64,
    again: u64,
    /// What copies cost of late, and the size of the last one.
    cost: u64,
    size: usize,
    /// For tests: keep one after every step that is taken again.
    always: bool,
}

#[derive(Default)]
struct Checkpoint {
    depth: usize,
    threads: Vec<Thread>,
    /// Of each thread.
    ends: Vec<Ends>,
    clock: u64,
    taken: usize,
    fatal_so_far: bool,
    held: Held,
    races: KeptRaces,
    noted: Vec<Fault>,
    printed: usize,
    input_taken: u64,
    /// How many pages of variables had been written: those that were written later held what they held at first.
    written: usize,
    /// Address and length of each piece of memory, and what is in them, one behind the other.
    pieces: Vec<(u64, usize)>,
    memory: Vec<u8>,
    /// What is in the whole pages of large pieces.
    pages: Vec<Kept>,
    /// What it takes.
    size: usize,
    /// For tests: all of it once more.
    whole: Vec<(u64, Vec<u8>)>,
}

pub fn ticks() -> u64 {
    // SAFETY: every processor that we run on has it.
    unsafe { _rdtsc() }
}

impl Checkpoints {
    pub fn keep_always(&mut self) {
        self.always = true;
    }

    /// Steps have been taken again.
    pub fn worked(&mut self, ticks: u64) {
        self.since += ticks;
    }

    /// The path is only so long now.
    pub fn shorten(&mut self, depth: usize) {
        while let Some(mut last) = self.kept.pop_if(|last| last.depth > depth) {
            self.bytes -= last.size;
            if self.spare.len() < MOST_SPARE && last.size <= MOST_SPARE_BYTES {
                // Others may have these as well, or nobody.
                last.pages.clear();
                self.spare.push(last);
            }
        }
    }

    /// A copy of this size has cost so much. One that took longer than others may have had to wait for the system.
    fn has_cost(&mut self, ticks: u64, size: usize) {
        let before = (self.cost as f64 * grown(self.size, size)).max(LEAST_COST);
        let ticks = ticks as f64;
        let now = if ticks <= before { ticks } else { before + (ticks.min(4.0 * before) - before) / 4.0 };
        (self.cost, self.size) = (now as u64, size);
    }

    pub fn clear(&mut self) {
        self.kept.clear();
        (self.bytes, self.since, self.again) = (0, 0, 0);
    }

    /// Every second one goes: those that are left are as far from each other, everywhere.
    fn thin_out(&mut self) {
        let mut number = 0;
        self.kept.retain(|_| {
            number += 1;
            number % 2 == 0
        });
        self.bytes = self.kept.iter().map(|kept| kept.size).sum();
    }
}

impl Checkpoint {
    /// What was in memory then is there again.
    fn write(&self) {
        let mut from = 0;
        for &(at, length) in &self.pieces {
            // SAFETY: where it was read, which is still mapped, and nobody runs.
            unsafe { std::ptr::copy_nonoverlapping(self.memory[from..].as_ptr(), at as *mut u8, length) };
            from += length;
        }
        self.pages.iter().for_each(pages::restore);
        for (at, held) in &self.whole {
            // SAFETY: the same.
            let now = unsafe { std::slice::from_raw_parts(*at as *const u8, held.len()) };
            let differs = (now != held).then(|| now.iter().zip(held).position(|(now, then)| now != then)).flatten();
            assert!(differs.is_none(), "{:#x} is not what it was", *at + differs.unwrap_or(0) as u64);
        }
    }
}

/// A piece of memory that steps change.
struct Piece {
    at: u64,
    length: usize,
    /// It begins there for good, and only its end moves.
    fixed: bool,
}

impl Piece {
    /// The whole pages of one that is large.
    fn whole_pages(&self) -> Option<(u64, u64)> {
        pages::whole_pages(self.at, self.length).filter(|_| self.fixed)
    }

    /// What a copy takes.
    fn to_copy(&self) -> usize {
        self.whole_pages().map_or(self.length, |(from, to)| pages::to_copy(from, to))
    }
}

fn add(pieces: &mut Vec<Piece>, (from, to): (u64, u64), fixed: bool) {
    if from < to {
        pieces.push(Piece { at: from, length: (to - from) as usize, fixed });
    }
}

/// How many times as large something is as it was.
fn grown(was: usize, is: usize) -> f64 {
    is as f64 / was.max(1) as f64
}

impl Run {
    /// Keeps a copy here, if that pays, and says so.
    pub fn keep_if_worth(&mut self) -> bool {
        let Checkpoints { since, again, cost, always, .. } = self.checkpoints;
        // It pays if it costs less.
        let worth = match self.executed == self.path.len() {
            true if since > cost / THIS_WAY => since + again,
            _ => since / WORTH,
        };
        if worth <= cost && !always || self.ending.is_some() {
            return false;
        }
        let start = ticks();
        let pieces = self.pieces();
        let memory = pieces.iter().map(Piece::to_copy).sum::<usize>();
        let size = memory + self.races.size();
        let is_worth = worth as f64 >= cost as f64 * grown(self.checkpoints.size, size);
        if !(is_worth && size <= MOST_BYTES / 4 || always) {
            return false;
        }
        let mut kept = self.checkpoints.spare.pop().unwrap_or_default();
        self.copy(&pieces, size, &mut kept);
        let mut cost = ticks() - start;
        if self.checkpoints.size == 0 {
            // The first one pays for its memory; the others have it, and so has this one when it is made again.
            let start = ticks();
            self.copy(&self.pieces(), size, &mut kept);
            cost = ticks() - start;
            self.checkpoints.cost = cost;
            self.checkpoints.size = size;
        }
        let checkpoints = &mut self.checkpoints;
        checkpoints.has_cost(cost, size);
        checkpoints.bytes += size;
        checkpoints.kept.push(kept);
        (checkpoints.since, checkpoints.again) = (0, 0);
        if checkpoints.bytes > MOST_BYTES {
            checkpoints.thin_out();
        }
        true
    }

    /// The memory that steps change, but for variables that nobody has written so far.
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(4 + 9 * self.threads.len());
        self.program.image.touched().for_each(|(at, size)| add(&mut pieces, (at, at + size), size >= LARGE as u64));
        self.program.argument_words().into_iter().for_each(|(at, size)| add(&mut pieces, (at, at + size), false));
        for (number, thread) in self.threads.iter().enumerate().filter(|(_, thread)| thread.exists) {
            let [stack, its_shadow, others @ ..] = image::in_use(&thread.fiber, number, thread.lowest);
            // Where it begins is wanted again, even if there is nothing in it.
            pieces.push(Piece { at: stack.0, length: (stack.1 - stack.0) as usize, fixed: false });
            others.into_iter().for_each(|piece| add(&mut pieces, piece, true));
            [its_shadow].into_iter().chain(thread.fiber.in_use()).for_each(|piece| add(&mut pieces, piece, false));
        }
        pieces
    }

    /// The same with those variables, and with all of the stacks that was ever in use.
    fn all_pieces(&self) -> Vec<Piece> {
        let mut pieces = self.pieces();
        pieces.retain(|piece| !self.program.image.is_variable(piece.at));
        self.program.image.variables().for_each(|(at, size)| add(&mut pieces, (at, at + size), false));
        for (number, thread) in self.threads.iter().enumerate().filter(|(_, thread)| thread.exists) {
            add(&mut pieces, image::open_stack_of(number, thread.lowest), false);
        }
        pieces
    }

    /// What is in it, piece by piece, but for what is zero, and for what nobody needs any more of stacks.
    pub fn memory(&self) -> Vec<(u64, Fingerprint)> {
        let of = |Piece { at, length, .. }: Piece| {
            let stack = image::thread_of_stack(at).map_or(at, |number| self.threads[number].fiber.sp.max(at));
            let (at, length) = (stack, length - (stack - at).min(length as u64) as usize);
            let mut hash = Hash128::new(0x3e3);
            // SAFETY: as in `copy`.
            let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, length) };
            for (at, &byte) in (at..).zip(bytes).filter(|(_, byte)| **byte != 0) {
                hash.word(at << 8 | u64::from(byte));
            }
            (at + length as u64, hash.finish())
        };
        self.all_pieces().into_iter().map(of).collect()
    }

    fn copy(&self, all: &[Piece], size: usize, kept: &mut Checkpoint) {
        // SAFETY: memory of the program, of a fiber or of a shadow that is in use, and nobody runs.
        let held = |at: u64, length: usize| unsafe { std::slice::from_raw_parts(at as *const u8, length) };
        let Checkpoint { pieces, memory, pages, whole, ends, threads, .. } = kept;
        pieces.clear();
        memory.clear();
        pages.clear();
        whole.clear();
        ends.clear();
        for piece in all {
            let Piece { at, length, .. } = *piece;
            let whole = piece.whole_pages().and_then(|(from, to)| Some((from, to, pages::keep(from, to)?)));
            match whole {
                Some((from, to, kept)) => {
                    pages.push(kept);
                    let around = [(at, (from - at) as usize), (to, (at + length as u64 - to) as usize)];
                    pieces.extend(around.iter().filter(|(_, length)| *length > 0));
                }
                None => pieces.push((at, length)),
            }
        }
        memory.reserve(pieces.iter().map(|(_, length)| length).sum());
        pieces.iter().for_each(|&(at, length)| memory.extend_from_slice(held(at, length)));
        if pages::verifies() {
            whole.extend(self.all_pieces().iter().map(|piece| (piece.at, held(piece.at, piece.length).to_vec())));
        }
        threads.clone_from(&self.threads);
        // The pieces come in the order of the threads.
        let mut stacks = all.iter();
        for (number, thread) in self.threads.iter().enumerate() {
            let (_, high) = image::stack_of(number);
            let is_stack = |piece: &Piece| piece.at + piece.length as u64 == high;
            let stack = if thread.exists { stacks.find(|piece| is_stack(piece)) } else { None };
            let used = stack.map_or(high, |stack| stack.at);
            let fiber = &thread.fiber;
            ends.push(Ends { lowest: thread.lowest, used, frames: fiber.frames, heap: fiber.heap });
        }
        (kept.depth, kept.size) = (self.executed, size);
        (kept.clock, kept.taken, kept.fatal_so_far) = (self.clock, self.taken, self.fatal_so_far);
        kept.held.clone_from(&self.held);
        self.races.keep(&mut kept.races);
        kept.noted.clone_from(&self.noted);
        kept.printed = lock(&OUTPUT).len();
        kept.written = untouched::count();
        // SAFETY: nobody runs.
        kept.input_taken = unsafe { (*self.program.world).input_taken };
    }

    /// Goes back to the last copy on the path. No if there is none. What the program has done since began there.
    pub fn restore_copy(&mut self) -> bool {
        let mut checkpoints = std::mem::take(&mut self.checkpoints);
        let found = checkpoints.kept.last();
        if let Some(kept) = found {
            debug_assert!(kept.depth <= self.path.len());
            for (number, now) in self.threads.iter_mut().enumerate().filter(|(_, thread)| thread.exists) {
                match kept.threads.get(number).filter(|then| then.exists) {
                    Some(_) => {
                        image::take_back(&now.fiber, number, now.lowest, kept.ends[number]);
                    }
                    None => {
                        image::forget(&now.fiber, number, now.lowest);
                        now.exists = false;
                    }
                }
            }
            self.program.image.restore_pages(untouched::since(kept.written));
            kept.write();
            for (number, then) in kept.threads.iter().enumerate() {
                self.threads[number].clone_from(then);
            }
            (self.clock, self.taken, self.fatal_so_far) = (kept.clock, kept.taken, kept.fatal_so_far);
            self.held.clone_from(&kept.held);
            self.races.restore(&kept.races);
            self.noted.clone_from(&kept.noted);
            self.ending = None;
            lock(&OUTPUT).truncate(kept.printed);
            // SAFETY: nobody runs.
            unsafe { (*self.program.world).input_taken = kept.input_taken };
            self.executed = kept.depth;
        }
        let found = found.is_some();
        checkpoints.again += std::mem::take(&mut checkpoints.since);
        self.checkpoints = checkpoints;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_copy_that_took_long_does_not_make_the_others_dear() {
        let mut copies = Checkpoints { cost: 1000, size: 100, ..Checkpoints::default() };
        copies.has_cost(1_000_000, 100);
        assert_eq!(copies.cost, 1750);
        copies.has_cost(900, 100);
        assert_eq!(copies.cost, 900);
        // One that is twice as large may cost twice as much.
        copies.has_cost(1800, 200);
        assert_eq!((copies.cost, copies.size), (1800, 200));
        // One that is much smaller costs something nevertheless, and that is found out.
        copies.has_cost(700, 0);
        assert!(copies.cost > 100);
    }
}
