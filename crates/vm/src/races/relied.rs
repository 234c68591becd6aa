//! What a search relies on (`threadbare_core::Relied`): plain memory that rounds of waiting loops read.
//!
//! Where states are stored nobody does: what a thread knows of one that has not read anything is no part of a state.

use threadbare_core::{Reads, Relied, Tid, Trust};

use super::Races;
use super::access::{ATOMIC_WRITE, Access, PLAIN_READ};
use crate::machine::VmMachine;
use crate::memory::Addr;

const WORD: u64 = 8;

/// Plain reads of a step that is tried out, which said something new.
#[derive(Default)]
pub(super) struct Tried {
    /// Those that nobody has asked for before.
    reads: Reads,
    /// How many the search relies on, those included.
    relied: u64,
}

impl Races {
    /// Whether the search relies on something.
    #[inline]
    pub(super) fn relies(&self) -> bool {
        self.relied.as_ref().is_some_and(|relied| !relied.is_empty())
    }

    /// A thread writes this, or ends its life: does anybody rely on it who may have read it at the same time?
    #[inline]
    pub(super) fn hold_against_relied(&mut self, address: Addr, bytes: u64) {
        let Some(relied) = self.relied.as_mut().filter(|relied| !relied.is_empty()) else { return };
        let (now, clocks, threads) = (self.now, &self.clocks, &self.threads);
        let running = Access { key: now.key, ..Access::default() }.tid();
        relied.written(address, bytes, |reader| {
            let knows = |own: u32| own <= clocks.get(now.seen, reader.0);
            reader != running && threads.get(reader.index()).is_some_and(|thread| !knows(thread.seen.own))
        });
    }

    /// Notes an access of a word, whose cell is `at`, unless it races with an earlier one.
    #[inline]
    pub(super) fn record(&mut self, at: usize, word: Addr, new: Access) -> Result<(), Access> {
        if new.kind() & ATOMIC_WRITE != 0 {
            self.hold_against_relied(word, WORD);
        }
        let looked = self.shadow.looked;
        self.shadow.record(at, new, &self.now, &self.clocks)?;
        if self.tried.is_some() && self.shadow.looked > looked {
            self.note_tried(word, new);
        }
        Ok(())
    }

    /// A step that is tried out has made a plain access that said something new.
    #[cold]
    fn note_tried(&mut self, word: Addr, new: Access) {
        let (Some(relied), Some(tried)) = (&self.relied, &mut self.tried) else { return };
        let trust = if new.kind() == PLAIN_READ { relied.trust(new.tid(), word, WORD) } else { Trust::No };
        tried.relied += u64::from(trust != Trust::No);
        if trust == Trust::Unknown {
            tried.reads.push((word, WORD));
        }
    }

    /// A step is about to be tried out.
    pub(crate) fn begin_trial(&mut self) {
        self.tried = self.relied.is_some().then(Tried::default);
    }

    /// It was: how many plain accesses does the search rely on that said something new? It `comes_back` if it changes nothing.
    pub(crate) fn end_trial(&mut self, who: Tid, comes_back: bool) -> u64 {
        let (Some(relied), Some(tried)) = (&mut self.relied, self.tried.take()) else { return 0 };
        let relies = if comes_back { relied.rely(who, &tried.reads) } else { tried.reads.is_empty() };
        if relies { tried.relied } else { 0 }
    }
}

impl VmMachine {
    /// A search that stores no states relies on what rounds of waiting loops read. `before` is the machine of one that had to begin
    /// again.
    pub fn rely_on_reads(&mut self, before: Option<&VmMachine>) {
        let before = before.and_then(|before| before.memory.races.relied.as_ref());
        self.memory.races.relied = Some(before.map_or_else(Relied::default, Relied::again));
    }

    /// What it relied on was written, or there is more to rely on: the search must begin again.
    pub fn relies_on_other_reads(&self) -> bool {
        self.memory.races.relied.as_ref().is_some_and(Relied::is_news)
    }
}
