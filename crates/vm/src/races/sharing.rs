//! Race detection by sharing (`races`): what is noted besides the accesses of words. None of it is ever taken back.
//!
//! The end of an object is an access of all of it. That is noted as well: another thread's access may come later in the search
//! though it comes earlier in its execution, which then leads to a state from where the end was explored before.
//!
//! Several machines of one search note what each of them executes. At the end their notes are held against each other.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use threadbare_core::Tid;

use super::access::{Access, conflict};
use super::clocks::Clocks;
use super::{Now, Races};
use crate::machine::VmMachine;
use crate::memory::{Addr, Memory, OFFSET_BITS};

#[derive(Default)]
pub(super) struct Sharing {
    pub on: bool,
    pub found: bool,
    /// What was noted before the machine took over a state from elsewhere has another number.
    pub epoch: u32,
    /// How many threads were joined.
    pub joined: u32,
    /// Of each page of an object that has ended the threads that ended it, with their last moments: keys without bytes.
    ends: FxHashMap<u64, SmallVec<[u64; 1]>>,
    /// The threads that have compared something with a pointer to a heap object.
    compared: FxHashMap<Addr, SmallVec<[Tid; 2]>>,
    /// What each thread had seen of its ancestors when it was created, which is the same in all executions: the only order.
    births: Vec<Seen>,
}

type Seen = SmallVec<[(Tid, u32); 2]>;

fn pages(object: Addr, size: u64) -> std::ops::RangeInclusive<u64> {
    object >> OFFSET_BITS..=(object + size.max(1) - 1) >> OFFSET_BITS
}

fn tid_of(key: u64) -> Tid {
    Access { key, ..Access::default() }.tid()
}

impl Sharing {
    /// An object ends at the moment `now` of a thread.
    pub fn note_end(&mut self, object: Addr, size: u64, now: u64) {
        for page in pages(object, size) {
            let ends = self.ends.entry(page).or_default();
            match ends.iter_mut().find(|end| tid_of(**end) == tid_of(now)) {
                // What is unordered with the first of two is unordered with the second.
                Some(end) => *end = now.max(*end),
                None => ends.push(now),
            }
        }
    }

    /// Whether somebody has ended the object of an address, and nothing orders that with now.
    pub fn is_ended(&self, address: Addr, now: &Now, clocks: &Clocks) -> bool {
        let unordered = |&end: &u64| {
            let end = Access { key: end, ..Access::default() };
            end.tid() != tid_of(now.key) && end.clock() > clocks.get(now.seen, end.tid().0)
        };
        self.ends.get(&(address >> OFFSET_BITS)).is_some_and(|ends| ends.iter().any(unordered))
    }

    /// A thread has compared something with a pointer to a heap object.
    pub fn note_compared(&mut self, object: Addr, tid: Tid) {
        let who = self.compared.entry(object).or_default();
        if !who.contains(&tid) {
            who.push(tid);
            let ends = self.ends.get(&(object >> OFFSET_BITS));
            self.found |= ends.into_iter().flatten().any(|&end| tid_of(end) != tid);
        }
    }

    /// Whether another thread has compared something with a pointer to it.
    pub fn is_compared(&self, object: Addr, tid: Tid) -> bool {
        self.compared.get(&object).is_some_and(|who| who.iter().any(|&other| other != tid))
    }

    /// A thread creates another: what that has seen.
    pub fn note_birth(&mut self, (parent, own): (Tid, u32), child: Tid) {
        let of_parent = self.births.get(parent.index()).cloned().unwrap_or_default();
        let seen: Seen = of_parent.into_iter().chain([(parent, own)]).collect();
        if self.births.len() <= child.index() {
            self.births.resize(child.index() + 1, Seen::default());
        }
        let before = std::mem::replace(&mut self.births[child.index()], seen);
        debug_assert!(before.is_empty() || before == self.births[child.index()], "births differ");
    }

    /// Whether what happens at one key happens before what happens at another.
    fn is_before(&self, a: u64, b: u64) -> bool {
        let earlier = Access { key: a, ..Access::default() };
        let seen = self.births.get(tid_of(b).index()).into_iter().flatten();
        let own = seen.filter(|(tid, _)| *tid == earlier.tid()).map(|&(_, own)| own).max();
        tid_of(a) == tid_of(b) || own.is_some_and(|own| earlier.clock() <= own)
    }

    fn are_ordered(&self, other: &Sharing, a: u64, b: u64) -> bool {
        // Whichever machine has made the notes knows the births.
        [self, other].iter().any(|it| it.is_before(a, b) || it.is_before(b, a))
    }
}

impl Races {
    /// Whether what another machine of the same search has noted does not go together with what this one has.
    fn clashes_with(&self, other: &Races) -> bool {
        let ordered = |a: u64, b: u64| self.sharing.are_ordered(&other.sharing, a, b);
        let ended = |of: &Sharing, word: Addr, access: Access| {
            let ends = of.ends.get(&(word >> OFFSET_BITS));
            ends.into_iter().flatten().any(|&end| !ordered(end, access.key))
        };
        let compared = |of: &Sharing, by: &Sharing| {
            let ends = by.ends.iter().flat_map(|(page, ends)| ends.iter().map(move |&end| (page << OFFSET_BITS, end)));
            ends.into_iter().any(|(object, end)| of.is_compared(object, tid_of(end)))
        };
        let mut clash = compared(&self.sharing, &other.sharing) || compared(&other.sharing, &self.sharing);
        self.shadow.each_noted(|word, access| clash |= ended(&other.sharing, word, access));
        other.shadow.each_noted(|word, access| {
            let conflicts = |a: &Access| a.bytes() & access.bytes() != 0 && conflict(a.kind(), access.kind());
            clash |= ended(&self.sharing, word, access)
                || self.shadow.noted_of(word).iter().any(|a| conflicts(a) && !ordered(a.key, access.key));
        });
        clash
    }
}

impl Memory {
    /// An access was noted: whether somebody has ended its object. If so, that is found, since it is not noted again.
    #[inline]
    pub(super) fn share_ended(&mut self, address: Addr) -> bool {
        let Races { sharing, now, clocks, .. } = &mut self.races;
        let ended = sharing.on && sharing.is_ended(address, now, clocks);
        sharing.found |= ended;
        ended
    }

    /// A stack object goes of which no access was noted.
    pub(crate) fn race_note_end(&mut self, object: Addr) {
        if self.races.relies() {
            let size = self.object_at(object).map_or(0, |(_, found)| found.size);
            self.races.hold_against_relied(object, size);
        }
        if self.races.sharing.on
            && let Some((start, found)) = self.object_at(object)
            && Races::is_shared(&found, false)
        {
            let now = self.races.now.key;
            self.races.sharing.note_end(start, found.size, now);
        }
    }
}

impl VmMachine {
    /// Others have helped with the search: what each has noted by sharing is held against what the rest have.
    pub fn compare_notes(&mut self, others: &[&VmMachine]) {
        if !self.memory.races.sharing.on {
            return;
        }
        let all: Vec<&Races> = others.iter().map(|other| &other.memory.races).chain([&self.memory.races]).collect();
        let clash = (0..all.len()).any(|i| all[..i].iter().any(|other| other.clashes_with(all[i])));
        self.memory.races.sharing.found |= clash;
    }
}

#[cfg(test)]
mod tests {
    use super::super::access::key_of;
    use super::*;

    #[test]
    fn creation_orders_what_was_done_before() {
        let mut sharing = Sharing::default();
        let [main, child, grandchild] = [0, 1, 2].map(Tid);
        sharing.note_birth((main, 2), child);
        sharing.note_birth((child, 1), grandchild);
        let before = |a: (u32, Tid), b: (u32, Tid)| sharing.is_before(key_of(a.0, a.1), key_of(b.0, b.1));
        assert!(
            before((2, main), (1, child)) && before((1, main), (1, grandchild)) && before((1, child), (1, grandchild))
        );
        assert!(
            !before((3, main), (1, child)) && !before((2, child), (1, grandchild)) && !before((1, child), (9, main))
        );
        assert!(before((5, main), (1, main)), "a thread is ordered with itself");
    }
}
