//! The execution that is being looked at: its events with their vector clocks, and for every object the chain of the
//! events that touched it. Grows and shrinks at its end.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use threadbare_core::{Access, Along, Mode, Operation, Space, Tid};

use crate::label::{Label, Labels};

pub const NONE: u32 = u32::MAX;

pub struct Event {
    pub label: Label,
    /// Its place in its thread, from 1.
    pub number: u32,
    /// Its clock.
    row: u32,
    /// Where what it changed starts: in `slots`, `log`, `along` and `joins`.
    slots: u32,
    log: u32,
    along: u32,
    joins: u32,
}

/// One access of an event, linked to the access of that object before it.
#[derive(Clone, Copy)]
pub struct Slot {
    pub event: u32,
    object: u32,
    before: u32,
    pub mode: Mode,
    /// Which bytes of a cell of memory.
    mask: u8,
    /// What the object of the access held before the event.
    pub value: u128,
}

#[derive(Default)]
pub struct Path {
    pub labels: Labels,
    pub events: Vec<Event>,
    /// Rows of `width` numbers: the first is all zero, then one for each event and each join done along with one.
    clocks: Vec<u32>,
    width: usize,
    /// For each row a number that no other ever gets: what was found out for it still holds as long as it is there.
    stamps: Vec<u64>,
    stamped: u64,
    slots: Vec<Slot>,
    objects: FxHashMap<(Space, u64), u32>,
    recent: Recent,
    /// The cells of memory among them, in order.
    memory: BTreeMap<u64, u32>,
    /// The events of the path that free memory.
    frees: Vec<u32>,
    /// The last access of each object.
    heads: Vec<u32>,
    /// For each thread the row of what comes before its next event: of its last one, or its creation, and its joins.
    now: Vec<u32>,
    /// What `now` and `joined` were before they changed.
    log: Vec<(Tid, u32, u32)>,
    along: Vec<Along>,
    /// Joins that were done along with events: who, and the row of the thread that had ended. Most come last in their
    /// execution, and nobody asks for the clock after them: it is made when somebody does.
    joins: Vec<(Tid, u32)>,
    /// For each thread how many of them its row in `now` has taken in, or need not.
    joined: Vec<u32>,
    /// Whether it was ever one who joined.
    joins_at_all: Vec<bool>,
}

/// Some of the objects that came up last.
struct Recent([((Space, u64), u32); 64]);

impl Default for Recent {
    fn default() -> Self {
        Recent([((Space::Process, u64::MAX), NONE); 64])
    }
}

impl Recent {
    #[inline]
    fn place(&mut self, (_, address): (Space, u64)) -> &mut ((Space, u64), u32) {
        // Objects of the machine lie far apart: the upper bits tell them from each other.
        &mut self.0[(address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize]
    }
}

/// Memory is looked at in cells of eight bytes.
const CELL: u64 = 8;

/// The cell of an access and its bytes there, if it is only one: nearly always.
#[inline]
fn only_cell(access: &Access) -> Option<((Space, u64), u8)> {
    if access.space != Space::Memory {
        return Some(((access.space, access.address), u8::MAX));
    }
    let offset = access.address % CELL;
    let within = offset + u64::from(access.length) <= CELL;
    within.then(|| ((Space::Memory, access.address / CELL), (((1u16 << access.length) - 1) << offset) as u8))
}

fn cells(access: &Access) -> impl Iterator<Item = ((Space, u64), u8)> {
    let (space, from) = (access.space, access.address);
    let to = from.saturating_add(access.length.into());
    let (first, last) = match space {
        Space::Memory => (from / CELL, (to - 1) / CELL),
        _ => (from, from),
    };
    (first..=last).map(move |cell| {
        let mask = match space {
            Space::Memory => {
                let start = cell * CELL;
                let (low, high) = (from.max(start) - start, to.min(start + CELL) - start);
                ((1u16 << high) - (1u16 << low)) as u8
            }
            _ => u8::MAX,
        };
        ((space, cell), mask)
    })
}

impl Path {
    #[inline]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Before the clock of what comes before the next event of a thread is asked for.
    #[inline]
    pub fn ask_for(&mut self, tid: Tid) {
        let threads = tid.index() + 1;
        if self.now.len() < threads || threads > self.width {
            self.grow(threads);
        }
        if self.joins_at_all[tid.index()] {
            self.take_in_joins(tid);
        }
    }

    fn take_in_joins(&mut self, tid: Tid) {
        let from = self.joined[tid.index()] as usize;
        if !self.joins[from..].iter().any(|&(who, _)| who == tid) {
            return;
        }
        let row = self.new_row(self.now[tid.index()]);
        let (old, new) = self.clocks.split_at_mut(row as usize * self.width);
        for &(_, target) in self.joins[from..].iter().filter(|&&(who, _)| who == tid) {
            let from = target as usize * self.width;
            new.iter_mut().zip(&old[from..]).for_each(|(new, old)| *new = (*new).max(*old));
        }
        self.set_now(tid, row);
    }

    #[cold]
    fn grow(&mut self, threads: usize) {
        if self.now.len() < threads {
            self.now.resize(threads, 0);
            self.joined.resize(threads, 0);
            self.joins_at_all.resize(threads, false);
        }
        if threads > self.width {
            let width = threads.next_multiple_of(8);
            self.stamps.resize(self.stamps.len().max(1), 0);
            let mut clocks = vec![0; self.stamps.len() * width];
            for (new, old) in clocks.chunks_exact_mut(width).zip(self.clocks.chunks_exact(self.width.max(1))) {
                new[..self.width].copy_from_slice(old);
            }
            self.clocks = clocks;
            self.width = width;
        }
    }

    #[inline]
    fn row(&self, row: u32) -> &[u32] {
        &self.clocks[row as usize * self.width..][..self.width]
    }

    /// A copy of a row behind the others.
    #[inline]
    fn new_row(&mut self, of: u32) -> u32 {
        let from = of as usize * self.width;
        self.clocks.extend_from_within(from..from + self.width);
        self.stamped += 1;
        self.stamps.push(self.stamped);
        self.stamps.len() as u32 - 1
    }

    #[inline]
    fn set_now(&mut self, tid: Tid, row: u32) {
        let now = std::mem::replace(&mut self.now[tid.index()], row);
        let joined = std::mem::replace(&mut self.joined[tid.index()], self.joins.len() as u32);
        self.log.push((tid, now, joined));
    }

    #[inline]
    pub fn clock(&self, event: usize) -> &[u32] {
        self.clock_of(&self.events[event])
    }

    #[inline]
    pub fn clock_of(&self, event: &Event) -> &[u32] {
        self.row(event.row)
    }

    /// Whether event `i` happens before whatever has this clock, or is it.
    #[inline]
    pub fn within(&self, i: usize, clock: &[u32]) -> bool {
        let event = &self.events[i];
        clock.get(event.label.tid.index()).is_some_and(|&known| known >= event.number)
    }

    /// Whether event `i` is `x` or happens before it.
    #[inline]
    pub fn before(&self, i: usize, x: usize) -> bool {
        self.within(i, self.clock(x))
    }

    /// The clock of what comes before the next event of a thread: its last event or its creation, and its joins.
    #[inline]
    pub fn prior(&self, tid: Tid) -> &[u32] {
        self.row(self.now[tid.index()])
    }

    /// What the next step of a thread hangs on: where the thread stands, and the last change of what the step touches. As
    /// long as both stamps are the same, so is the step.
    pub fn stamps(&self, tid: Tid, label: &Label) -> (u64, u64) {
        let mut touched = 0;
        for access in self.labels.accesses(label) {
            let access = Access { mode: Mode::Read, ..*access };
            self.walk_conflicts(label.operation, &access, |slot, _| {
                touched = touched.max(self.stamps[self.events[slot.event as usize].row as usize]);
                true
            });
        }
        (self.stamps[self.now[tid.index()] as usize], touched)
    }

    /// Adds an event. `value` tells what an object holds now.
    pub fn push(&mut self, label: Label, value: impl Fn(&Access) -> u128) {
        self.push_and_find(label, value, |_| {});
    }

    /// The same, and names the events that it conflicts with, for each cell back to the last that hides the others, but
    /// for those that its thread knew of.
    #[inline]
    pub fn push_and_find(&mut self, label: Label, value: impl Fn(&Access) -> u128, mut found: impl FnMut(u32)) {
        self.ask_for(label.tid);
        let (slots, log, along) = (self.slots.len() as u32, self.log.len() as u32, self.along.len() as u32);
        let joins = self.joins.len() as u32;
        let prior = self.now[label.tid.index()];
        let row = self.new_row(prior);
        let (start, prior) = (row as usize * self.width, prior as usize * self.width);
        for i in 0..self.labels.count(&label) {
            let access = self.labels.nth(&label, i);
            let held = value(&access);
            self.touch_all((start, prior), label.operation, &access, held, &mut found);
        }
        if label.operation == Operation::Free {
            self.frees.push(self.events.len() as u32);
        }
        let number = &mut self.clocks[start + label.tid.index()];
        *number += 1;
        let number = *number;
        self.set_now(label.tid, row);
        self.events.push(Event { label, number, row, slots, log, along, joins });
    }

    /// The event that is being made touches an object.
    #[inline]
    fn touch_all(
        &mut self,
        rows: (usize, usize),
        operation: Operation,
        access: &Access,
        held: u128,
        found: &mut impl FnMut(u32),
    ) {
        if operation == Operation::Free {
            for object in self.known_cells(access) {
                self.touch(rows, object, (access.mode, u8::MAX), held, found);
            }
        } else if let Some((key, mask)) = only_cell(access) {
            let object = self.object(key);
            self.touch(rows, object, (access.mode, mask), held, found);
        } else {
            for (key, mask) in cells(access) {
                let object = self.object(key);
                self.touch(rows, object, (access.mode, mask), held, found);
            }
        }
        for at in 0..self.frees.len() {
            let free = self.frees[at];
            if self.events[free as usize].label.first().conflicts(access) {
                self.meet(rows, free, found);
            }
        }
    }

    #[inline]
    fn touch(
        &mut self,
        rows: (usize, usize),
        object: u32,
        (mode, mask): (Mode, u8),
        value: u128,
        found: &mut impl FnMut(u32),
    ) {
        self.join_conflicts(rows, object, mode, mask, found);
        let (event, before) = (self.events.len() as u32, self.heads[object as usize]);
        self.slots.push(Slot { event, object, before, mode, mask, value });
        self.heads[object as usize] = self.slots.len() as u32 - 1;
    }

    #[inline]
    fn object(&mut self, key: (Space, u64)) -> u32 {
        match *self.recent.place(key) {
            (known, object) if known == key => object,
            _ => {
                let object = self.find_object(key);
                *self.recent.place(key) = (key, object);
                object
            }
        }
    }

    #[inline(never)]
    fn find_object(&mut self, key: (Space, u64)) -> u32 {
        let (heads, memory) = (&mut self.heads, &mut self.memory);
        *self.objects.entry(key).or_insert_with(|| {
            heads.push(NONE);
            let object = heads.len() as u32 - 1;
            if key.0 == Space::Memory {
                memory.insert(key.1, object);
            }
            object
        })
    }

    /// The cells of an object that is freed, as far as anybody has ever touched them. A cell that somebody touches for
    /// the first time after that finds the event in `frees`.
    fn known_cells(&self, access: &Access) -> Vec<u32> {
        let end = access.address.saturating_add(access.length.into());
        self.memory.range(access.address / CELL..end.div_ceil(CELL)).map(|(_, &object)| object).collect()
    }

    /// Joins the clock of an event into the clock that is being made, of a thread that has come to know of the event now or
    /// before. `found` if it did not know it `prior` to this.
    #[inline]
    fn meet(&mut self, (start, prior): (usize, usize), event: u32, found: &mut impl FnMut(u32)) {
        let other = &self.events[event as usize];
        if self.clocks[prior + other.label.tid.index()] >= other.number {
            return;
        }
        found(event);
        if self.clocks[start + other.label.tid.index()] < other.number {
            let from = other.row as usize * self.width;
            let (old, new) = self.clocks.split_at_mut(start);
            for (new, old) in new.iter_mut().zip(&old[from..from + self.width]) {
                *new = (*new).max(*old);
            }
        }
    }

    /// Joins the clocks of what conflicts with an access into the clock that is being made at the end of `clocks`.
    #[inline]
    fn join_conflicts(&mut self, rows: (usize, usize), object: u32, mode: Mode, mask: u8, found: &mut impl FnMut(u32)) {
        let mut at = self.heads[object as usize];
        while at != NONE {
            let slot = &self.slots[at as usize];
            // An event that touches a cell twice meets itself; its clock is the one that is being made.
            if slot.mask & mask != 0 && slot.mode.conflicts(mode) && (slot.event as usize) < self.events.len() {
                let (event, hides) = (slot.event, slot.mode == Mode::Write && mask & !slot.mask == 0);
                at = slot.before;
                self.meet(rows, event, found);
                if hides {
                    return;
                }
                continue;
            }
            at = slot.before;
        }
    }

    /// The last event created this thread.
    pub fn created(&mut self, child: Tid) {
        self.ask_for(child);
        let row = self.events.last().expect("an event").row;
        self.set_now(child, row);
    }

    /// Whether somebody on the path created it.
    pub fn is_created(&self, tid: Tid) -> bool {
        self.now.get(tid.index()).is_some_and(|&row| row != 0)
    }

    /// What the machine did along with the last event.
    pub fn done_along(&mut self, along: &[Along]) {
        for &along in along {
            self.along.push(along);
            match along {
                Along::Start(child) => self.created(child),
                Along::End(_) | Along::Private(_) => {}
                Along::Join { who, target } => {
                    self.ask_for(target);
                    self.joins.push((who, self.now[target.index()]));
                    self.joins_at_all[who.index()] = true;
                }
            }
        }
    }

    /// Whether the label is an arrival at another generation of a barrier than an earlier one that nothing orders before
    /// it: then the two could have arrived in the other order, and would have met others. As long as no more threads use a
    /// barrier than it counts, each has left the generation before, which is after all arrivals there.
    pub fn overuses_barrier(&self, label: &Label) -> bool {
        if label.operation != Operation::BarrierArrive {
            return false;
        }
        let mut accesses = self.labels.accesses(label);
        let (Some(generation), Some(barrier)) = (accesses.next(), accesses.next()) else { return false };
        generation.mode == Mode::Add
            && self.events_on(barrier).any(|event| {
                let other = &self.events[event as usize].label;
                other.operation == Operation::BarrierArrive
                    && other.first().address != generation.address
                    && !self.within(event as usize, self.prior(label.tid))
            })
    }

    /// What was done along with an event.
    #[inline]
    pub fn along(&self, event: usize) -> &[Along] {
        let end = self.events.get(event + 1).map_or(self.along.len(), |next| next.along as usize);
        &self.along[self.events[event].along as usize..end]
    }

    #[inline]
    pub fn pop(&mut self) -> Label {
        self.truncate(self.len() - 1)
    }

    /// Takes events back until there are so many. The first of them is named.
    #[inline]
    pub fn truncate(&mut self, length: usize) -> Label {
        let Event { label, row, slots, log, along, joins, .. } = self.events[length];
        self.events.truncate(length);
        for slot in self.slots[slots as usize..].iter().rev() {
            self.heads[slot.object as usize] = slot.before;
        }
        self.slots.truncate(slots as usize);
        for &(tid, row, joined) in self.log[log as usize..].iter().rev() {
            self.now[tid.index()] = row;
            self.joined[tid.index()] = joined;
        }
        self.log.truncate(log as usize);
        self.along.truncate(along as usize);
        self.joins.truncate(joins as usize);
        while self.frees.last().is_some_and(|&event| event as usize >= length) {
            self.frees.pop();
        }
        self.clocks.truncate(row as usize * self.width);
        self.stamps.truncate(row as usize);
        label
    }

    /// The accesses that conflict with `access` of the operation, for each of its cells newest first, until the answer
    /// is that it is enough.
    #[inline]
    pub fn walk_conflicts(&self, operation: Operation, access: &Access, mut enough: impl FnMut(&Slot, bool) -> bool) {
        if operation == Operation::Free {
            for object in self.known_cells(access) {
                self.walk_cell(object, u8::MAX, access.mode, &mut enough);
            }
        } else if let Some((key, mask)) = only_cell(access) {
            if let Some(&object) = self.objects.get(&key) {
                self.walk_cell(object, mask, access.mode, &mut enough);
            }
        } else {
            for (key, mask) in cells(access) {
                if let Some(&object) = self.objects.get(&key) {
                    self.walk_cell(object, mask, access.mode, &mut enough);
                }
            }
        }
        for &free in self.frees.iter().rev() {
            if self.events[free as usize].label.first().conflicts(access) {
                let mode = Mode::Write;
                enough(&Slot { event: free, object: NONE, before: NONE, mode, mask: u8::MAX, value: 0 }, true);
            }
        }
    }

    #[inline]
    fn walk_cell(&self, object: u32, mask: u8, mode: Mode, enough: &mut impl FnMut(&Slot, bool) -> bool) {
        let mut at = self.heads[object as usize];
        while at != NONE {
            let slot = &self.slots[at as usize];
            if slot.mask & mask != 0 && slot.mode.conflicts(mode) {
                let hides = slot.mode == Mode::Write && mask & !slot.mask == 0;
                if enough(slot, hides) {
                    return;
                }
            }
            at = slot.before;
        }
    }

    /// The events that touched the object of `access`, newest first.
    pub fn events_on(&self, access: &Access) -> impl Iterator<Item = u32> + '_ {
        let key = cells(access).next().map(|(key, _)| key);
        let mut at = key.and_then(|key| self.objects.get(&key)).map_or(NONE, |&object| self.heads[object as usize]);
        std::iter::from_fn(move || {
            let slot = self.slots.get(at as usize)?;
            at = slot.before;
            Some(slot.event)
        })
    }

    /// All accesses to the object of `access` after event `i`, newest first, each with what the object held before and
    /// after it. `now` is what it holds now.
    pub fn changes_since(&self, access: &Access, i: usize, now: u128) -> impl Iterator<Item = (Slot, u128)> + '_ {
        let key = cells(access).next().map(|(key, _)| key);
        let mut at = key.and_then(|key| self.objects.get(&key)).map_or(NONE, |&object| self.heads[object as usize]);
        let mut after = now;
        std::iter::from_fn(move || {
            let slot = *self.slots.get(at as usize)?;
            (slot.event as usize > i).then(|| {
                at = slot.before;
                let change = after.wrapping_sub(slot.value);
                after = slot.value;
                (slot, change)
            })
        })
    }
}
