//! The log of changes, and going back along it.

use rustc_hash::FxHashSet;

use super::*;

/// The log of a path of hundreds of thousands of steps.
const LONG_LOG: usize = 1 << 20;

impl Memory {
    #[inline(always)]
    pub(super) fn log(&mut self, change: Change) {
        if self.changes.len() == self.compact_at {
            self.compact();
        }
        let length = self.changes.len();
        debug_assert!(length < self.compact_at && self.compact_at <= self.changes.capacity());
        // SAFETY: there is room for `compact_at` changes.
        unsafe {
            self.changes.as_mut_ptr().add(length).write(change);
            self.changes.set_len(length + 1);
        }
    }

    /// Lets the log grow to twice its length before it is looked after again.
    fn make_room(&mut self) {
        self.compact_at = (self.changes.len() * 2).max(COMPACT_AT);
        self.changes.reserve(self.compact_at - self.changes.len());
    }

    /// Logs a change of the machine's own state: `tag` is at least `OUTSIDE`, `words` are what restores it.
    pub fn log_outside(&mut self, tag: u64, place: u64, words: &[u64]) {
        self.log_outside_by(tag, place, |saves| saves.extend_from_slice(words));
    }

    /// The same where the place tells everything.
    #[inline(always)]
    pub fn log_place(&mut self, tag: u64, place: u64) {
        self.log(Change { place: place | tag << TAG_SHIFT, old: self.saves.len() as u64, new: 0 });
    }

    /// The same where the words are put behind those that are there already.
    #[inline(always)]
    pub fn log_outside_by(&mut self, tag: u64, place: u64, add: impl FnOnce(&mut Vec<u64>)) {
        let saved = self.saves.len();
        add(&mut self.saves);
        let words = self.saves.len() - saved;
        self.log(Change { place: place | tag << TAG_SHIFT, old: saved as u64, new: words as u64 });
    }

    /// The log has grown long since the last mark. Without a mark nobody can go back: drop it. With one, of all changes
    /// of a word since then only the first matters, and none in an object that was made since then.
    #[cold]
    #[inline(never)]
    fn compact(&mut self) {
        self.fold();
        self.compactions += 1;
        let Some(mark) = self.marks.last() else {
            self.changes.clear();
            self.saves.clear();
            self.kept_ranges.clear();
            self.folded = 0;
            self.make_room();
            return;
        };
        let start = mark.changes;
        if self.changes.len() - start > self.compact_at / 2 {
            let mut seen = FxHashSet::default();
            let mut made = FxHashSet::default();
            let mut kept = start;
            for i in start..self.changes.len() {
                let change = self.changes[i];
                let needless = match change.place >> TAG_SHIFT {
                    WORD | INIT if made.contains(&((change.place >> OFFSET_BITS) & (IDS - 1))) => true,
                    WORD | INIT | PARTIAL => !seen.insert(change.place),
                    ALLOC => {
                        let id = change.place & (IDS - 1);
                        made.extend(id..id + change.new);
                        false
                    }
                    _ => false,
                };
                if !needless {
                    self.changes[kept] = change;
                    kept += 1;
                }
            }
            self.changes.truncate(kept);
        }
        self.folded = self.changes.len();
        self.make_room();
    }

    #[inline]
    pub fn mark(&mut self) -> u32 {
        self.fold();
        self.races.mark();
        self.kept_ranges.clear();
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

    /// Where the log ends.
    pub fn log_position(&self) -> LogPosition {
        LogPosition { length: self.changes.len(), compactions: self.compactions }
    }

    /// Tells what has changed since then, until the answer is no; no, too, if that is not known any more. Words that hold again what
    /// they held then are left out, and so are words of objects that are gone.
    pub fn changes_since(&self, from: LogPosition, mut tell: impl FnMut(Changed) -> bool) -> bool {
        // Changes have moved within the log, or are gone: nobody can say any more.
        if from.compactions != self.compactions {
            return false;
        }
        self.changes[from.length.min(self.changes.len())..].iter().all(|change| {
            let place = change.place & ((1 << TAG_SHIFT) - 1);
            match change.place >> TAG_SHIFT {
                WORD => match self.locate_word(place) {
                    // SAFETY: a word of an object.
                    Some(at) if unsafe { self.read::<8>(at) } != change.old => tell(Changed::Word(place)),
                    _ => true,
                },
                // Of a variable whose block has been left nobody can see it.
                INIT | PARTIAL => self.locate_word(place).is_none() || tell(Changed::Word(place)),
                ALLOC | FREE | BLOCK => tell(Changed::Objects(self.object(place & (IDS - 1)).kind)),
                // The words of the lock say it, too. Nobody can tell that an id is spare.
                HELD | SPARE => true,
                // Too many words to tell.
                RANGE => false,
                tag => tell(Changed::Outside(tag, place)),
            }
        })
    }

    /// Made since the last mark.
    pub fn is_young(&self, object: &Object) -> bool {
        object.born == self.marks.len() as u32
    }

    /// Room for what a step of usual length changes, so that `writes_since` can tell it.
    pub fn make_ready_to_tell(&mut self) {
        if self.compact_at - self.changes.len() < COMPACT_AT / 2 {
            self.compact();
        }
    }

    /// Tells the bytes that were changed since then, one range after the other, as often as they were; no if that is not
    /// known any more.
    pub fn writes_since(&self, from: LogPosition, mut tell: impl FnMut(std::ops::Range<Addr>)) -> bool {
        if from.compactions != self.compactions {
            return false;
        }
        for change in &self.changes[from.length.min(self.changes.len())..] {
            let place = change.place & ((1 << TAG_SHIFT) - 1);
            match change.place >> TAG_SHIFT {
                WORD => {
                    let changed = change.old ^ change.new;
                    (0..8)
                        .filter(|byte| changed >> (8 * byte) & 0xff != 0)
                        .for_each(|i| tell(place + i..place + i + 1));
                }
                INIT | PARTIAL => tell(place & !7..(place & !7) + 8),
                RANGE => tell(place..place + change.new),
                _ => {}
            }
        }
        true
    }

    /// The words and undefined bits of an object, hashed.
    pub fn hash_object(&self, address: Addr, hash: &mut threadbare_core::Hash128) {
        let Some((start, object)) = self.object_at(address) else { return };
        for offset in (0..object.size).step_by(8) {
            let bytes = (object.size - offset).min(8) as u32;
            let word = if bytes == 8 { self.load::<8>(start + offset) } else { self.load_n(start + offset, bytes) };
            if let Ok((value, undefined)) = word {
                hash.word(value);
                if undefined != 0 {
                    hash.word(0x5eed);
                    hash.word(undefined);
                }
            }
        }
    }

    pub fn marks(&self) -> u32 {
        self.marks.len() as u32
    }

    pub fn has_marks(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Goes back to a mark; `outside` takes back the machine's own changes, newest first.
    #[inline]
    pub fn rewind(&mut self, to: u32, mut outside: impl FnMut(u64, u64, &[u64])) {
        let mark = self.marks[to as usize];
        self.marks.truncate(to as usize + 1);
        self.forget_rest();
        self.races.rewind(to);
        self.take_back(mark.changes, &mut outside);
        self.changes.truncate(mark.changes);
        self.saves.truncate(mark.saves);
        self.kept_ranges.clear();
        self.hash = mark.hash;
        self.folded = mark.changes;
        if to == 0 && self.changes.capacity() > LONG_LOG {
            self.give_back_room();
        }
        // The room that there is will do.
        self.compact_at = (self.changes.len() * 2).max(COMPACT_AT).min(self.changes.capacity());
    }

    /// Whoever begins again after a path as long as that may need the memory for something else.
    #[cold]
    fn give_back_room(&mut self) {
        self.changes.shrink_to(COMPACT_AT);
        self.saves.shrink_to(0);
        self.marks.shrink_to(0);
    }

    /// Whether a few dozen changes can be logged before the log is looked after.
    pub fn has_room_to_log(&self) -> bool {
        self.changes.len() + 256 < self.compact_at
    }

    /// Takes the changes of words back that were made since then, by somebody who made no others.
    pub fn take_back_to(&mut self, position: LogPosition) {
        assert!(position.compactions == self.compactions, "a few writes later");
        self.take_back(position.length, &mut |_, _, _| unreachable!("only words have changed"));
        self.changes.truncate(position.length);
        self.folded = self.folded.min(position.length);
    }

    #[inline(always)]
    fn take_back(&mut self, start: usize, outside: &mut impl FnMut(u64, u64, &[u64])) {
        for i in (start..self.changes.len()).rev() {
            let change = self.changes[i];
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
                ALLOC => self.undo_allocate(place, change.old),
                FREE => self.undo_release(place, change.old as usize),
                SPARE => self.undo_spare(place),
                BLOCK => self.undo_block(place, change.old == 1),
                HELD => self.undo_held(place, change.old),
                RANGE => self.undo_range(place, change.old, change.new),
                tag => {
                    let saved = change.old as usize;
                    outside(tag, place, &self.saves[saved..saved + change.new as usize]);
                }
            }
        }
    }

    /// The word at an aligned address of a live object. A word of an object that was made and gone since the mark has
    /// no place any more, and needs none.
    fn locate_word(&self, address: Addr) -> Option<u64> {
        self.locate(address, 1)
    }
}
