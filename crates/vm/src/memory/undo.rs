//! The log of changes, and going back along it.

use rustc_hash::FxHashSet;

use super::*;

impl Memory {
    #[inline(always)]
    pub(super) fn log(&mut self, change: Change) {
        if self.changes.len() == self.compact_at {
            self.compact();
        }
        self.changes.push(change);
    }

    /// Logs a change of the machine's own state: `tag` is at least `OUTSIDE`, `words` are what restores it.
    pub fn log_outside(&mut self, tag: u64, place: u64, words: &[u64]) {
        let saved = self.saves.len() as u64;
        self.saves.extend_from_slice(words);
        self.log(Change { place: place | tag << TAG_SHIFT, old: saved, new: words.len() as u64 });
    }

    /// The log has grown long since the last mark. Without a mark nobody can go back: drop it. With one, of all changes
    /// of a word since then only the first matters.
    #[cold]
    #[inline(never)]
    fn compact(&mut self) {
        self.fold();
        let Some(mark) = self.marks.last() else {
            self.changes.clear();
            self.saves.clear();
            self.folded = 0;
            return;
        };
        let start = mark.changes;
        if self.changes.len() - start > self.compact_at / 2 {
            // An id may be used again: what is logged after an allocation belongs to another object.
            let mut seen = FxHashSet::default();
            let mut lives = FxHashMap::<u64, u32>::default();
            let mut kept = start;
            for i in start..self.changes.len() {
                let change = self.changes[i];
                let repeats = match change.place >> TAG_SHIFT {
                    WORD | INIT | PARTIAL => {
                        let id = (change.place >> OFFSET_BITS) & (IDS - 1);
                        !seen.insert((change.place, lives.get(&id).copied().unwrap_or(0)))
                    }
                    ALLOC => {
                        *lives.entry(change.place & (IDS - 1)).or_default() += 1;
                        false
                    }
                    _ => false,
                };
                if !repeats {
                    self.changes[kept] = change;
                    kept += 1;
                }
            }
            self.changes.truncate(kept);
        }
        self.folded = self.changes.len();
        self.compact_at = (self.changes.len() * 2).max(COMPACT_AT);
    }

    pub fn mark(&mut self) -> u32 {
        self.fold();
        self.races.mark();
        self.marks.push(MarkPoint { changes: self.changes.len(), saves: self.saves.len(), hash: self.hash });
        self.marks.len() as u32 - 1
    }

    /// The words written since a mark in objects that were there before. For tests.
    pub fn written_since(&self, mark: u32) -> Vec<Addr> {
        let mut made = FxHashSet::default();
        let mut words = Vec::new();
        for change in &self.changes[self.marks[mark as usize].changes..] {
            let place = change.place & ((1 << TAG_SHIFT) - 1);
            match change.place >> TAG_SHIFT {
                ALLOC => {
                    made.insert(place << OFFSET_BITS);
                }
                WORD if self.object_at(place).is_none_or(|(start, _)| !made.contains(&start)) => words.push(place),
                _ => {}
            }
        }
        words
    }

    pub fn has_marks(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Goes back to a mark; `outside` takes back the machine's own changes, newest first.
    pub fn rewind(&mut self, to: u32, mut outside: impl FnMut(u64, u64, &[u64])) {
        let mark = self.marks[to as usize];
        self.marks.truncate(to as usize + 1);
        self.races.rewind(to);
        while self.changes.len() > mark.changes {
            let change = self.changes.pop().expect("longer than the mark");
            let place = change.place & ((1 << TAG_SHIFT) - 1);
            match change.place >> TAG_SHIFT {
                WORD => {
                    if let Some(at) = self.locate_word(place) {
                        // SAFETY: a word of an object.
                        unsafe { self.write::<8>(at, change.old) };
                    }
                }
                INIT => {
                    if let Some(at) = self.locate_word(place) {
                        // SAFETY: a word of an object.
                        unsafe { *self.init.add((at >> 3) as usize) = change.old as u8 };
                    }
                }
                PARTIAL => {
                    match change.old as u8 {
                        0 => self.partial.remove(&place),
                        bits => self.partial.insert(place, bits),
                    };
                }
                ALLOC => self.undo_allocate(place),
                FREE => self.undo_release(place, change.old as usize),
                tag => {
                    let saved = change.old as usize;
                    outside(tag, place, &self.saves[saved..saved + change.new as usize]);
                }
            }
        }
        self.saves.truncate(mark.saves);
        self.hash = mark.hash;
        self.folded = mark.changes;
        self.compact_at = (self.changes.len() * 2).max(COMPACT_AT);
    }

    /// The word at an aligned address of a live object. A word of an object that was made and gone since the mark has
    /// no place any more, and needs none.
    fn locate_word(&self, address: Addr) -> Option<u64> {
        self.locate(address, 1)
    }
}
