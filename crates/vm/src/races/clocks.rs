//! Vector clocks as values: a clock in the arena never changes, and is named by its place.

use rustc_hash::FxHashMap;
use threadbare_core::Tid;

/// A clock of which one entry is kept apart, so that a thread's own time may go on without a new clock: `base`, and at
/// least `own` for `tid`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Release {
    base: u32,
    pub own: u32,
    tid: u16,
}

impl Release {
    /// The first moment of a thread that has seen nothing.
    pub fn start(tid: Tid) -> Release {
        Release { base: 0, own: 1, tid: tid.0 }
    }

    /// The first moment of a thread that has seen this.
    pub fn child(self, tid: Tid, clocks: &mut Clocks) -> Release {
        Release { base: clocks.join(self, Release::default()), own: 1, tid: tid.0 }
    }

    /// The thread's next moment. `None` after more of them than can be counted.
    pub fn next(self) -> Option<Release> {
        Some(Release { own: self.own.checked_add(1)?, ..self })
    }

    pub fn is_nothing(self) -> bool {
        self == Release::default()
    }
}

/// Place 0 is the clock that has seen nothing. A clock is its length and its entries; the rest of them are 0.
#[derive(Clone)]
pub struct Clocks {
    words: Vec<u32>,
    crowded_at: usize,
}

const CROWDED_AT: usize = 1 << 20;

impl Default for Clocks {
    fn default() -> Self {
        Clocks { words: vec![0], crowded_at: CROWDED_AT }
    }
}

impl Clocks {
    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn truncate(&mut self, length: usize) {
        self.words.truncate(length);
    }

    fn entries(&self, base: u32) -> &[u32] {
        let at = base as usize;
        &self.words[at + 1..at + 1 + self.words[at] as usize]
    }

    #[inline]
    pub fn get(&self, release: Release, tid: u16) -> u32 {
        let base = self.entries(release.base).get(tid as usize).copied().unwrap_or(0);
        if tid == release.tid { base.max(release.own) } else { base }
    }

    /// Lowers each time, by the number of a thread, to what one of them has seen.
    pub fn lower(&self, times: &mut [u32], releases: &[Release]) {
        let &[release] = releases else {
            for (tid, time) in (0..).zip(times) {
                let seen = releases.iter().map(|&release| self.get(release, tid)).max();
                *time = (*time).min(seen.unwrap_or(0));
            }
            return;
        };
        let own = times.get(release.tid as usize).map(|&time| time.min(self.get(release, release.tid)));
        let entries = self.entries(release.base);
        let known = entries.len().min(times.len());
        times[..known].iter_mut().zip(entries).for_each(|(time, &entry)| *time = (*time).min(entry));
        times[known..].fill(0);
        if let Some(own) = own {
            times[release.tid as usize] = own;
        }
    }

    /// Whether `b` has seen all of `a`.
    pub fn includes(&self, b: Release, a: Release) -> bool {
        if a.own > self.get(b, a.tid) {
            return false;
        }
        if a.base == b.base {
            return true;
        }
        let (mine, other) = (self.entries(b.base), self.entries(a.base));
        other.iter().enumerate().all(|(i, &entry)| {
            let known = mine.get(i).copied().unwrap_or(0);
            entry <= known || i == b.tid as usize && entry <= b.own
        })
    }

    /// A new clock that has seen both.
    fn join(&mut self, a: Release, b: Release) -> u32 {
        let base = u32::try_from(self.words.len()).expect("fewer than four thousand million words of clocks");
        let needed = |r: Release| if r.own > 0 { r.tid as usize + 1 } else { 0 };
        let (a_length, b_length) = (self.entries(a.base).len(), self.entries(b.base).len());
        let length = a_length.max(b_length).max(needed(a)).max(needed(b));
        self.words.push(length as u32);
        let (from, b_from) = (a.base as usize + 1, b.base as usize + 1);
        self.words.extend_from_within(from..from + a_length);
        let start = base as usize + 1;
        self.words.resize(start + length, 0);
        let (old, new) = self.words.split_at_mut(start);
        for (entry, &other) in new.iter_mut().zip(&old[b_from..b_from + b_length]) {
            *entry = (*entry).max(other);
        }
        for release in [a, b] {
            if release.own > 0 {
                let entry = &mut new[release.tid as usize];
                *entry = (*entry).max(release.own);
            }
        }
        base
    }

    /// What has seen both, as the clock of nobody.
    pub fn both(&mut self, a: Release, b: Release) -> Release {
        if self.includes(b, a) {
            return b;
        }
        if self.includes(a, b) {
            return a;
        }
        Release { base: self.join(a, b), own: 0, tid: 0 }
    }

    /// A thread's clock after it has seen `release`.
    pub fn after(&mut self, thread: Release, release: Release) -> Release {
        if self.includes(thread, release) { thread } else { Release { base: self.join(thread, release), ..thread } }
    }

    pub fn is_crowded(&self) -> bool {
        self.words.len() > self.crowded_at
    }

    pub fn successor(&self) -> Successor {
        Successor { clocks: Clocks::default(), moved: FxHashMap::from_iter([(0, 0)]) }
    }

    pub fn moved(&self, release: Release, to: &mut Successor) -> Release {
        let Successor { clocks, moved } = to;
        let base = *moved.entry(release.base).or_insert_with(|| {
            let entries = self.entries(release.base);
            let base = clocks.words.len() as u32;
            clocks.words.push(entries.len() as u32);
            clocks.words.extend_from_slice(entries);
            base
        });
        Release { base, ..release }
    }
}

/// An arena that gets what is still needed of another.
pub struct Successor {
    clocks: Clocks,
    moved: FxHashMap<u32, u32>,
}

impl Successor {
    pub fn finish(mut self) -> Clocks {
        self.clocks.crowded_at = (self.clocks.len() * 2).max(CROWDED_AT);
        self.clocks
    }
}
