//! Which threads use which memory by visible operations: what only one thread uses, or nobody writes, or only its reader
//! writes, races with nothing. A search need not stop at such *private* operations; they are done along with the step
//! before.
//!
//! Nobody knows this for sure before the search. So it is guessed from one execution, and every use is held against the
//! guess. The first that does not fit ends the search, which begins again with a better guess. That is sound: take a use
//! that does not fit for an error, then no execution up to it has an operation that was wrongly called private, and the
//! search finds every error that can be reached.
//!
//! What a thread does while it is alone is ordered with everything, and does not count. Operations in waiting loops are
//! never private.

use std::cell::Cell;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use threadbare_core::{Access, Choice, Machine, Mode, Operation, Space, Tid};

use crate::machine::VmMachine;
use crate::memory::Addr;

/// Memory is looked at in words of so many bytes.
const WORD_BITS: u32 = 3;
/// Operations of the execution from which the first guess comes.
const SCOUTED: usize = 20_000;
/// It must not cost much: jumps and calls of local code in it between two visible operations, and time for all of it.
const SCOUTED_LOCALLY: u64 = 1_000_000;
const SCOUTING_TIME: Duration = Duration::from_millis(200);

thread_local! {
    static SCOUTED_UNTIL: Cell<Option<Instant>> = const { Cell::new(None) };
}

fn has_scouted_long_enough() -> bool {
    SCOUTED_UNTIL.get().is_some_and(|end| Instant::now() >= end)
}
/// After so many wrong guesses nothing is private any more.
const MOST_GUESSES: u32 = 6;
/// Private operations that are done in a row: a thread that does nothing else must be seen.
pub const MOST_IN_A_ROW: u32 = 1000;

/// Some of the threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Who {
    #[default]
    Nobody,
    Only(Tid),
    Several,
}

impl Who {
    fn and(self, tid: Tid) -> Who {
        match self {
            Who::Nobody => Who::Only(tid),
            Who::Only(other) if other == tid => self,
            _ => Who::Several,
        }
    }

    fn is_at_most(self, tid: Tid) -> bool {
        self == Who::Nobody || self == Who::Only(tid)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Use {
    readers: Who,
    writers: Who,
}

impl Use {
    fn and(self, tid: Tid, writes: bool) -> Use {
        match writes {
            true => Use { writers: self.writers.and(tid), ..self },
            false => Use { readers: self.readers.and(tid), ..self },
        }
    }
}

#[derive(Clone, Default)]
pub struct Uses {
    /// The guess, word by word. What is not in it is taken to be shared.
    guess: FxHashMap<u64, Use>,
    /// The guess is being made.
    scouting: bool,
    wrong: bool,
    guesses: u32,
}

impl Uses {
    pub fn is_scouting(&self) -> bool {
        self.scouting
    }

    pub fn is_guessed(&self) -> bool {
        !self.guess.is_empty() && !self.scouting
    }

    /// Whether an operation of the thread can race with nothing, if the guess is right.
    pub fn is_private(&self, tid: Tid, access: &Access) -> bool {
        self.is_guessed()
            && access.space == Space::Memory
            && words(access.address, access.length.into()).all(|word| {
                self.guess.get(&word).is_some_and(|of| {
                    let writers = of.writers.is_at_most(tid);
                    writers && (access.mode == Mode::Read || of.readers.is_at_most(tid))
                })
            })
    }

    /// A visible operation of a thread that is not alone touches these bytes.
    pub fn touch(&mut self, tid: Tid, address: Addr, bytes: u64, writes: bool) {
        if self.scouting {
            for word in words(address, bytes) {
                let of = self.guess.entry(word).or_default();
                *of = of.and(tid, writes);
            }
        } else if bytes >> WORD_BITS > self.guess.len() as u64 {
            let range = words(address, bytes);
            let within = |word: &u64| range.contains(word);
            let touched: Vec<u64> = self.guess.keys().copied().filter(within).collect();
            touched.into_iter().for_each(|word| self.compare(word, tid, writes));
        } else if !self.guess.is_empty() {
            words(address, bytes).for_each(|word| self.compare(word, tid, writes));
        }
    }

    fn compare(&mut self, word: u64, tid: Tid, writes: bool) {
        if let Some(of) = self.guess.get_mut(&word) {
            let more = of.and(tid, writes);
            self.wrong |= more != *of;
            *of = more;
        }
    }

    /// Something happens that touches memory in ways that are not followed here.
    pub fn give_up(&mut self) {
        self.wrong |= !self.guess.is_empty() && !self.scouting;
        self.guess.clear();
        self.guesses = MOST_GUESSES;
    }
}

fn words(address: Addr, bytes: u64) -> std::ops::RangeInclusive<u64> {
    address >> WORD_BITS..=(address + bytes.max(1) - 1) >> WORD_BITS
}

impl VmMachine {
    /// Makes a first guess.
    pub fn guess_uses(&mut self) {
        self.scout(SCOUTED);
    }

    /// Threads take turns up to the end of an execution, or so many steps, which are then taken back.
    pub(crate) fn scout(&mut self, most: usize) {
        self.memory.races.uses.scouting = true;
        let limit = self.limits.local_steps;
        self.limits.local_steps = limit.min(SCOUTED_LOCALLY);
        let stop = self.stop.replace(has_scouted_long_enough);
        SCOUTED_UNTIL.set(Some(Instant::now() + SCOUTING_TIME));
        let start = self.mark();
        let mut steps = 0;
        let mut moved = true;
        while moved && steps < most && !has_scouted_long_enough() {
            moved = false;
            for i in 0..self.thread_count() {
                let tid = Tid(i as u16);
                if self.ending().is_some() || !Machine::is_live(self, tid) {
                    continue;
                }
                let pending = self.pending(tid);
                let choice: Option<Choice> = pending.choices.enabled().next();
                if let (Some(choice), true) = (choice, pending.operation != Operation::Exit) {
                    self.step(tid, choice);
                    moved = true;
                    steps += 1;
                }
            }
        }
        self.rewind(start);
        self.limits.local_steps = limit;
        self.stop = stop;
        self.memory.races.uses.scouting = false;
        if has_scouted_long_enough() {
            // How far it came hangs on the machine that it runs on.
            self.memory.races.uses.guess.clear();
        }
        // What was learned did not know of private operations.
        self.forget_known();
    }

    /// Takes over the better guess of a search that must begin again.
    pub fn guess_like(&mut self, before: &VmMachine) {
        let before = &before.memory.races.uses;
        let guesses = before.guesses + u32::from(before.wrong);
        if guesses < MOST_GUESSES {
            self.memory.races.uses = Uses { guess: before.guess.clone(), guesses, ..Uses::default() };
        }
    }

    /// A guess has turned out wrong: the search must begin again.
    pub fn has_guessed_wrong(&self) -> bool {
        self.memory.races.uses.wrong
    }
}
