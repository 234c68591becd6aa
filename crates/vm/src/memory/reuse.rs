//! Ids of objects that are gone, used again where states are stored.
//!
//! An id rests after its object was freed, so that every use of a dangling pointer is found. A program that allocates and
//! frees for ever would so come to new ids, and new states, for ever. Once no memory and no thread holds an address of a freed
//! object any more, nobody can tell whether its id is used again: it becomes *spare*, and the next allocation of the same
//! size by the same thread takes it. That an address might be hidden (as the difference of two, say) is left out of account.
//!
//! Looking for addresses takes time in proportion to the memory in use, and which ids are given out then hangs on the order of
//! independent steps, so that one state may come with several choices of ids. So it is not done for a thread of which only a
//! few objects rest. Where it is, it is done soon and the lowest ids are taken first: few of them are in use then.
//!
//! A variable on a stack whose address got about rests in the same way. Functions are called so much more often than memory is
//! freed that its id is looked for at once, after the step in which it went, unless there is much memory to look at: nearly always
//! nobody knows it any more, and the next call has the variable in the same place, in whichever order other threads take their steps.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::*;

/// So many objects of a thread are at rest before their addresses are looked for the first time.
const SOME: u64 = 8;
/// And one more for each of these many bytes, then and later.
const BYTES_FOR_ONE: u64 = 1 << 16;

/// For variables on stacks: there is one for each of these many bytes, globals included.
const BYTES_FOR_VARIABLE: u64 = 1 << 15;

/// The freed objects of a thread.
#[derive(Clone, Default)]
pub(super) struct Rest {
    /// How many rest, and how many variables of its stack do.
    count: u64,
    on_stack: u64,
    /// How often an id has become spare.
    used_again: u64,
    /// The ids that may be used again, by the kind and the size of their objects.
    spare: FxHashMap<(ObjectKind, u64), BTreeSet<u64>>,
}

impl Memory {
    /// A freed object of that thread rests from here on.
    pub(super) fn lay_to_rest(&mut self, Object { owner, kind, .. }: Object) {
        if kind == ObjectKind::Stack {
            let every = 1 + (self.in_use + self.globals) / BYTES_FOR_VARIABLE;
            let looks = self.hashing || self.leaves_places;
            let rest = self.rest_of(owner);
            rest.on_stack += 1;
            self.variables_rest |= looks && rest.on_stack.is_multiple_of(every);
            return;
        }
        let more = self.in_use / BYTES_FOR_ONE;
        let hashing = self.hashing;
        let rest = self.rest_of(owner);
        rest.count += 1;
        let every = if rest.used_again == 0 { SOME } else { 1 } + more;
        self.many_rest |= hashing && rest.count.is_multiple_of(every);
    }

    /// It does not, after all.
    pub(super) fn raise(&mut self, Object { owner, kind, .. }: Object) {
        let rest = self.rest_of(owner);
        let count = if kind == ObjectKind::Stack { &mut rest.on_stack } else { &mut rest.count };
        *count = count.saturating_sub(1);
    }

    /// Whether an object of that kind rests when it is gone.
    pub(super) fn is_laid_to_rest(object: &Object) -> bool {
        matches!(object.kind, ObjectKind::Heap | ObjectKind::Stack) && object.quarantine
    }

    pub(super) fn is_spare(&self, id: u64) -> bool {
        self.rest.iter().any(|rest| rest.spare.values().any(|ids| ids.contains(&id)))
    }

    fn rest_of(&mut self, owner: Tid) -> &mut Rest {
        if self.rest.len() <= owner.index() {
            self.rest.resize(owner.index() + 1, Rest::default());
        }
        &mut self.rest[owner.index()]
    }

    /// Whether it is time to look for objects at rest that nobody knows any more.
    #[inline]
    pub fn many_rest(&self) -> bool {
        self.many_rest | self.variables_rest
    }

    /// Also where no states are stored.
    pub fn leave_places(&mut self, at_once: bool) {
        self.leaves_places = at_once;
    }

    /// Nothing that has ended is to be looked for: the search has gone back.
    pub(super) fn forget_rest(&mut self) {
        (self.many_rest, self.variables_rest) = (false, false);
    }

    /// What rests and is known to nobody may be used again: `others` are all words that may hold addresses besides those of
    /// the memory.
    #[cold]
    pub fn use_again(&mut self, others: &[u64]) {
        let spare: FxHashSet<u64> = self.rest.iter().flat_map(|rest| rest.spare.values().flatten().copied()).collect();
        let rests = |&id: &u64| {
            let object = self.object(id);
            object.life == Life::Freed
                && Self::is_laid_to_rest(&object)
                && (self.many_rest || object.kind == ObjectKind::Stack)
                && !spare.contains(&id)
        };
        let mut unknown: Vec<u64> = self.used_ids().filter(rests).collect();
        self.forget_rest();
        unknown.sort_unstable();
        let mut known = FxHashSet::default();
        let (first, last) = match unknown[..] {
            [] => return,
            [first, .., last] => (first, last + Self::pages(self.object(last).size)),
            [only] => (only, only + Self::pages(self.object(only).size)),
        };
        let mut look = |word: u64| {
            // Some keep bits of their own above an address.
            let id = (word >> OFFSET_BITS) & (IDS - 1);
            if (first..last).contains(&id) {
                known.insert(id);
            }
        };
        others.iter().copied().for_each(&mut look);
        for id in self.used_ids().filter(|&id| self.object(id).life == Life::Live) {
            // SAFETY: here and below, the id of a live object, which is padded to whole words.
            let entry = unsafe { *self.table.add(id as usize) };
            // What cannot be written was there before anything was freed.
            let words = if entry.writable == 0 { 0 } else { self.object(id).size.div_ceil(8) };
            let mut before = 0;
            for word in (0..words).map(|i| unsafe { self.read::<8>(entry.base + 8 * i) }) {
                if word | before == 0 {
                    continue;
                }
                look(word);
                // An address need not be aligned.
                (1..8).for_each(|byte| look(before >> (8 * byte) | word << (64 - 8 * byte)));
                before = word;
            }
        }
        unknown.retain(|&id| !(id..id + Self::pages(self.object(id).size)).any(|page| known.contains(&page)));
        for id in unknown {
            let object = self.object(id);
            self.races.object_unknown(id << OFFSET_BITS, object.size);
            self.raise(object);
            let rest = self.rest_of(object.owner);
            rest.used_again += u64::from(object.kind != ObjectKind::Stack);
            rest.spare.entry((object.kind, object.size)).or_default().insert(id);
            self.log(Change { place: id | SPARE << TAG_SHIFT, old: 0, new: 0 });
        }
    }

    pub(super) fn undo_spare(&mut self, id: u64) {
        let object = self.object(id);
        let rest = self.rest_of(object.owner);
        let was_spare = rest.spare.get_mut(&(object.kind, object.size)).is_some_and(|ids| ids.remove(&id));
        debug_assert!(was_spare);
        if object.kind == ObjectKind::Stack {
            rest.on_stack += 1;
        } else {
            rest.used_again -= 1;
            rest.count += 1;
        }
    }

    /// An id for an object of that size, if there is a spare one, and where its freed object is saved.
    #[inline]
    pub(super) fn take_spare(&mut self, owner: Tid, kind: ObjectKind, size: u64) -> Option<(u64, u64)> {
        let id = self.rest.get_mut(owner.index())?.spare.get_mut(&(kind, size))?.pop_first()?;
        let saved = self.saves.len() as u64;
        let freed = self.object(id);
        let detail_born = u64::from(freed.detail) | u64::from(freed.born) << 32;
        self.saves.extend([freed.allocated_at, freed.freed_at, detail_born]);
        Some((id, saved))
    }

    /// The object that took a spare id is gone: the id is spare again, and its freed object what it was.
    pub(super) fn undo_take_spare(&mut self, id: u64, saved: usize) {
        let [allocated_at, freed_at, detail_born] = self.saves[saved..saved + 3] else {
            unreachable!("three words are saved")
        };
        let (detail, born) = (detail_born as u32, (detail_born >> 32) as u32);
        let object = Object { allocated_at, freed_at, detail, born, life: Life::Freed, ..self.object(id) };
        self.set_object(id, object);
        self.rest_of(object.owner).spare.entry((object.kind, object.size)).or_default().insert(id);
    }
}
