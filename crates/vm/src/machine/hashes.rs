//! The hash of all threads and of the world outside, kept up to date: whoever changes a thread says so, and the next who asks
//! for the hash has only those threads hashed anew.

use threadbare_core::{Ending, Fingerprint, Hash128, Tid};

use super::VmMachine;
use crate::known::UNKNOWN;
use crate::symmetry::share_of;
use crate::thread::{Control, Status, Thread};

/// The part of a fingerprint that a thread has in a local state with a number, or at its end, with this control block.
#[derive(Clone, Copy)]
struct Share {
    at: u32,
    tid: u32,
    control: Control,
    hash: Fingerprint,
}

/// Shares that came up last, by a part of what they are of.
const RECENT: usize = 1 << 12;

pub(crate) struct ThreadHashes {
    /// The share of each thread, nothing of those that do not exist, and all of them together.
    shares: Vec<Fingerprint>,
    total: Fingerprint,
    /// Threads that may have changed since then: a bit for all whose numbers have the same last six bits.
    stale: u64,
    recent: Vec<Share>,
    /// Of simple accesses, where they led to.
    moves: Vec<[u64; Move::WORDS]>,
    /// The clock, the input consumed, and their share.
    outside: (u64, u64, Fingerprint),
}

/// How the fingerprint of a state changes by the access of a thread with this share to a word that holds this, where nothing else matters.
#[derive(Clone, Copy)]
struct Move {
    share: Fingerprint,
    change: Fingerprint,
    word: u64,
}

impl Move {
    /// As they are kept: lists of so many words that are zero take no memory before somebody writes there.
    const WORDS: usize = 5;
    /// So many kinds of shares, and of words for each: searches come to words one after the other that differ by little, and what is
    /// remembered of them is to lie side by side.
    const KINDS: (usize, usize) = (1 << 10, 1 << 6);

    #[inline(always)]
    fn slot(Fingerprint(share): Fingerprint, word: u64) -> usize {
        let (shares, words) = Move::KINDS;
        let word = word ^ word >> 32;
        (share as usize & (shares - 1)) * words + ((word ^ word >> 6) as usize & (words - 1))
    }

    fn pack(&self) -> [u64; Move::WORDS] {
        let (share, change) = (self.share.0, self.change.0);
        [share as u64, (share >> 64) as u64, self.word, change as u64, (change >> 64) as u64]
    }

    #[inline(always)]
    fn unpack([low, high, word, change_low, change_high]: [u64; Move::WORDS]) -> Move {
        let whole = |low, high| Fingerprint(u128::from(low) | u128::from(high) << 64);
        Move { share: whole(low, high), change: whole(change_low, change_high), word }
    }
}

impl Default for ThreadHashes {
    fn default() -> Self {
        let of = |clock, consumed| (clock, consumed, outside_share(clock, consumed, None));
        ThreadHashes {
            shares: Vec::new(),
            total: Fingerprint::default(),
            stale: u64::MAX,
            recent: Vec::new(),
            moves: Vec::new(),
            outside: of(0, 0),
        }
    }
}

impl ThreadHashes {
    /// A thread may be another one than it was.
    #[inline]
    pub fn changed(&mut self, thread: usize) {
        self.stale |= 1 << (thread & 63);
    }

    /// All threads may be others, and fewer.
    pub fn all_changed(&mut self) {
        self.shares.clear();
        (self.total, self.stale) = (Fingerprint::default(), u64::MAX);
    }

    /// Numbers of local states mean others from now on.
    pub fn forget(&mut self) {
        *self = ThreadHashes::default();
    }
}

/// What was printed is no part of the state: it cannot be read back.
fn outside_share(clock: u64, consumed: u64, error: Option<[u64; 3]>) -> Fingerprint {
    let mut hash = Hash128::new(0x5e5);
    hash.word(clock);
    hash.word(consumed);
    error.into_iter().flatten().for_each(|word| hash.word(word));
    hash.finish()
}

impl VmMachine {
    /// Threads and the outside world.
    pub(crate) fn outside_fingerprint(&mut self) -> Fingerprint {
        self.refresh_threads();
        let total = self.hashes.total;
        debug_assert_eq!(total, self.all_threads_from_scratch());
        total ^ self.outside()
    }

    /// The same, hashed anew. For tests.
    pub(super) fn outside_from_scratch(&mut self) -> Fingerprint {
        self.all_threads_from_scratch() ^ self.outside()
    }

    fn all_threads_from_scratch(&mut self) -> Fingerprint {
        let existing: Vec<usize> = (0..self.threads.len()).filter(|&i| self.exists[i]).collect();
        existing.into_iter().fold(Fingerprint::default(), |all, i| all ^ self.hash_of_thread(i))
    }

    /// Brings the shares of threads up to date.
    #[inline]
    pub(crate) fn refresh_threads(&mut self) {
        let threads = self.threads.len();
        if self.hashes.shares.len() != threads {
            self.hashes.shares.resize(threads, Fingerprint::default());
        }
        let mut stale = std::mem::take(&mut self.hashes.stale);
        while stale != 0 {
            let mut i = stale.trailing_zeros() as usize;
            stale &= stale - 1;
            while i < threads {
                let share = if self.exists[i] { self.share_of_thread(i) } else { Fingerprint::default() };
                let old = std::mem::replace(&mut self.hashes.shares[i], share);
                self.hashes.total ^= old ^ share;
                i += 64;
            }
        }
    }

    #[inline]
    fn share_of_thread(&mut self, i: usize) -> Fingerprint {
        let Thread { at, ref control, .. } = self.threads[i];
        // Who has ended stands nowhere.
        if at == UNKNOWN && control.status == Status::Ready {
            return self.hash_of_thread(i);
        }
        // Threads that do the same are in the same local states.
        let which = if at == UNKNOWN { i } else { at as usize + 181 * i };
        let slot = (which << 3 | (control.status as usize) << 1 | usize::from(control.joined)) & (RECENT - 1);
        if let Some(share) = self.hashes.recent.get(slot)
            && share.at == at
            && share.tid == i as u32
            && share.control == *control
        {
            return share.hash;
        }
        let control = *control;
        let hash = self.hash_of_thread(i);
        let share = Share { at, tid: i as u32, control, hash };
        if self.hashes.recent.is_empty() {
            self.hashes.recent.resize(RECENT, Share { tid: u32::MAX, ..share });
        }
        self.hashes.recent[slot] = share;
        hash
    }

    /// The change that was remembered for a thread whose next access finds this word. Shares are up to date.
    #[inline]
    pub(crate) fn remembered_move(&self, who: Tid, word: u64) -> Option<Fingerprint> {
        debug_assert_eq!(self.hashes.stale, 0);
        let share = self.hashes.shares[who.index()];
        let known = Move::unpack(*self.hashes.moves.get(Move::slot(share, word))?);
        (known.share == share && known.word == word).then_some(known.change)
    }

    pub(crate) fn remember_move(&mut self, who: Tid, word: u64, change: Fingerprint) {
        let share = self.hashes.shares[who.index()];
        if self.hashes.moves.is_empty() {
            let (shares, words) = Move::KINDS;
            self.hashes.moves = vec![[0; Move::WORDS]; shares * words];
        }
        self.hashes.moves[Move::slot(share, word)] = Move { share, change, word }.pack();
    }

    /// How the hash of all threads would change if one were in another local state. Shares are up to date.
    #[inline]
    pub(crate) fn change_by_moving(&mut self, who: Tid, at: u32) -> Fingerprint {
        let here = std::mem::replace(&mut self.threads[who.index()].at, at);
        let share = self.share_of_thread(who.index());
        self.threads[who.index()].at = here;
        share ^ self.hashes.shares[who.index()]
    }

    fn hash_of_thread(&mut self, i: usize) -> Fingerprint {
        let frames = self.frames_by_heart(i);
        let Fingerprint(thread) = self.threads[i].fingerprint(&self.program, frames);
        share_of(i, thread)
    }

    #[inline]
    fn outside(&mut self) -> Fingerprint {
        let (clock, consumed) = (self.system.state.clock, self.system.state.consumed);
        // An error is a state of its own, even if the operation that failed has changed nothing.
        if let Some(Ending::Error(fault)) = &self.ending {
            let at = fault.stack.first().map_or(0, |at| at.pack());
            return outside_share(clock, consumed, Some([1 + fault.kind as u64, Tid::index(fault.tid) as u64, at]));
        }
        if (self.hashes.outside.0, self.hashes.outside.1) != (clock, consumed) {
            self.hashes.outside = (clock, consumed, outside_share(clock, consumed, None));
        }
        self.hashes.outside.2
    }
}
