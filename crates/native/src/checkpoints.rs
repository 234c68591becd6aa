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
use crate::image;
use crate::order::Races;
use crate::pages::{self, Kept};
use crate::run::{Run, Thread};
use crate::{OUTPUT, lock};

/// A copy pays if the way to it costs so many times as much.
const WORTH: u64 = 2;
/// What all of them together may hold.
const MOST_BYTES: usize = 256 << 20;

#[derive(Default)]
pub struct Checkpoints {
    /// By the length of their paths.
    kept: Vec<Checkpoint>,
    bytes: usize,
    /// What the steps since the last one, or since the start, have cost: in ticks of the processor.
    since: u64,
    /// What the last copy cost, and its size.
    cost: u64,
    size: usize,
    /// For tests: keep one after every step that is taken again.
    always: bool,
}

struct Checkpoint {
    depth: usize,
    threads: Vec<Thread>,
    /// Of each thread, where its frames and its heap ended.
    ends: Vec<(u64, u64)>,
    clock: u64,
    taken: usize,
    fatal_so_far: bool,
    held: Held,
    races: Races,
    noted: Vec<Fault>,
    printed: usize,
    input_taken: u64,
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
        while self.kept.last().is_some_and(|last| last.depth > depth) {
            self.bytes -= self.kept.pop().expect("there is one").size;
        }
    }

    pub fn clear(&mut self) {
        self.kept.clear();
        (self.bytes, self.since) = (0, 0);
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
            let differs = now.iter().zip(held).position(|(now, then)| now != then);
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

impl Run {
    /// Keeps a copy here, if that pays.
    pub fn keep_if_worth(&mut self) {
        let Checkpoints { since, cost, always, .. } = self.checkpoints;
        if since <= WORTH * cost && !always || self.ending.is_some() {
            return;
        }
        let pieces = self.pieces();
        let memory = pieces.iter().map(Piece::to_copy).sum::<usize>();
        let size = memory + self.races.size();
        let grown = size as f64 / self.checkpoints.size.max(1) as f64;
        let worth = since as f64 >= (WORTH * cost) as f64 * grown && size <= MOST_BYTES / 4;
        if !worth && !always {
            return;
        }
        let before = ticks();
        let kept = self.copy(&pieces, size);
        let cost = ticks() - before;
        let checkpoints = &mut self.checkpoints;
        checkpoints.bytes += size;
        checkpoints.kept.push(kept);
        (checkpoints.cost, checkpoints.size) = (cost, size);
        checkpoints.since = 0;
        if checkpoints.bytes > MOST_BYTES {
            checkpoints.thin_out();
        }
    }

    /// The memory that steps change.
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut add = |(from, to): (u64, u64), fixed: bool| {
            if from < to {
                pieces.push(Piece { at: from, length: (to - from) as usize, fixed });
            }
        };
        self.program.image.variables().for_each(|(at, size)| add((at, at + size), true));
        self.program.argument_words().into_iter().for_each(|(at, size)| add((at, at + size), false));
        for (number, thread) in self.threads.iter().enumerate().filter(|(_, thread)| thread.exists) {
            let [stack, its_shadow, others @ ..] = image::in_use(&thread.fiber, number, thread.lowest);
            others.into_iter().for_each(|piece| add(piece, true));
            [stack, its_shadow].into_iter().chain(thread.fiber.in_use()).for_each(|piece| add(piece, false));
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
        self.pieces().into_iter().map(of).collect()
    }

    fn copy(&self, all: &[Piece], size: usize) -> Checkpoint {
        // SAFETY: memory of the program, of a fiber or of a shadow that is in use, and nobody runs.
        let held = |at: u64, length: usize| unsafe { std::slice::from_raw_parts(at as *const u8, length) };
        let (mut pieces, mut pages) = (Vec::with_capacity(all.len()), Vec::new());
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
        let mut memory = Vec::with_capacity(pieces.iter().map(|(_, length)| length).sum());
        pieces.iter().for_each(|&(at, length)| memory.extend_from_slice(held(at, length)));
        let whole = all.iter().filter(|_| pages::verifies());
        let whole = whole.map(|piece| (piece.at, held(piece.at, piece.length).to_vec())).collect();
        Checkpoint {
            depth: self.executed,
            threads: self.threads.clone(),
            ends: self.threads.iter().map(|thread| (thread.fiber.frames, thread.fiber.heap)).collect(),
            clock: self.clock,
            taken: self.taken,
            fatal_so_far: self.fatal_so_far,
            held: self.held.clone(),
            races: self.races.clone(),
            noted: self.noted.clone(),
            printed: lock(&OUTPUT).len(),
            // SAFETY: nobody runs.
            input_taken: unsafe { (*self.program.world).input_taken },
            pieces,
            memory,
            pages,
            size,
            whole,
        }
    }

    /// Goes back to the last copy on the path. No if there is none. What the program has done since began there.
    pub fn restore_copy(&mut self) -> bool {
        let mut checkpoints = std::mem::take(&mut self.checkpoints);
        let found = checkpoints.kept.last();
        if let Some(kept) = found {
            debug_assert!(kept.depth <= self.path.len());
            for (number, now) in self.threads.iter_mut().enumerate().filter(|(_, thread)| thread.exists) {
                match kept.threads.get(number).filter(|then| then.exists) {
                    Some(then) => {
                        image::take_back(&now.fiber, number, now.lowest, (then.lowest, kept.ends[number]));
                    }
                    None => {
                        image::forget(&now.fiber, number, now.lowest);
                        now.exists = false;
                    }
                }
            }
            kept.write();
            for (number, then) in kept.threads.iter().enumerate() {
                self.threads[number].clone_from(then);
            }
            (self.clock, self.taken, self.fatal_so_far) = (kept.clock, kept.taken, kept.fatal_so_far);
            self.held.clone_from(&kept.held);
            self.races.clone_from(&kept.races);
            self.noted.clone_from(&kept.noted);
            self.ending = None;
            lock(&OUTPUT).truncate(kept.printed);
            // SAFETY: nobody runs.
            unsafe { (*self.program.world).input_taken = kept.input_taken };
            self.executed = kept.depth;
        }
        let found = found.is_some();
        checkpoints.since = 0;
        self.checkpoints = checkpoints;
        found
    }
}
