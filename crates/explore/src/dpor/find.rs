//! The races of a step: the events of the path before which its operation could have happened instead.

use smallvec::SmallVec;
use threadbare_core::{Choice, Choices, Fingerprint, Machine, Mode, Outcome, Pending, Space, Tid};

use super::{Dpor, Found, Race};
use crate::crew::Hand;
use crate::label::Label;
use crate::path::Path;
use crate::waiting::{Round, completes_a_useless_round, has_several, without_useless};

/// The values of a choice with more of them are explored by one worker.
const MOST_VALUES_AT_ONCE: u32 = 64;

impl<M: Machine> Dpor<'_, M> {
    /// find(e, pv): the events of the path before which the operation could have happened instead.
    pub(super) fn find_races(&mut self, pending: &Pending, label: Label, by: u32) {
        let waits = self.machine.may_wait(label.tid);
        match pending.outcome {
            Outcome::Open => self.find_open(label, by),
            _ if waits && self.path.labels.accesses(&label).count() == 1 => self.find_waiting(label, by),
            _ if waits => self.find_open(label, by),
            Outcome::Fixed => self.find_fixed(label, by),
            // Its value decides, but what changes an invariant, or what nobody sees, races through that as well.
            Outcome::ByValue if self.touches_more(&label) => self.find_open(label, by),
            Outcome::ByValue => self.find_by_value(label, by),
        }
    }

    fn touches_more(&self, label: &Label) -> bool {
        [Space::Property, Space::Unseen].iter().any(|&space| self.path.labels.touches(label, space))
    }

    /// A choice that is not enabled is like an operation that cannot go on.
    pub(super) fn find_races_of_disabled_choices(&mut self, pending: &Pending, by: u32) {
        let Choices::Listed(list) = &pending.choices else { return };
        for choice in list.iter().filter(|c| !c.enabled) {
            let accesses = self.machine.accesses(pending.tid, choice.choice);
            let label = self.path.labels.label(pending.tid, pending.operation, choice.choice, &accesses);
            self.find_races(pending, label, by);
        }
    }

    pub(super) fn branch_over_choices(&mut self, pending: &Pending, label: &Label, position: u32) {
        let others: SmallVec<[Choice; 4]> = match &pending.choices {
            Choices::Listed(list) if list.len() < 2 => return,
            // One at a time: the execution with this value asks for the next. It does so where its own branch began, which need
            // not be where somebody else looks for it.
            Choices::Range(n) if self.hand.is_none_or(Hand::is_alone) || *n > MOST_VALUES_AT_ONCE => {
                self.alone = true;
                (label.choice.0 + 1..*n).take(1).map(Choice).collect()
            }
            listed => listed.enabled().filter(|&c| c != label.choice).collect(),
        };
        for choice in others {
            let accesses = self.machine.accesses(pending.tid, choice);
            let label = self.path.labels.label(pending.tid, pending.operation, choice, &accesses);
            self.races.push(Race { at: position, by: position, label, postponed: (0, 0), open: false });
        }
    }

    /// Enabled everywhere, with the same label: the conflicting events back to the last write, less those that happen
    /// before the thread's own past or before one that was found.
    fn find_fixed(&mut self, label: Label, by: u32) {
        let mut found: Found = SmallVec::new();
        let (path, prior) = (&self.path, self.path.prior(label.tid));
        for access in path.labels.accesses(&label) {
            path.walk_conflicts(label.operation, access, |slot, hides| {
                if !path.within(slot.event as usize, prior) {
                    found.push(slot.event);
                }
                hides
            });
        }
        self.keep_latest(found, label, by);
    }

    /// The races with these events, but for those that happen before another one of them.
    #[inline]
    pub(super) fn keep_latest(&mut self, mut found: Found, label: Label, by: u32) {
        if found.len() > 1 {
            found.sort_unstable_by(|a, b| b.cmp(a));
            found.dedup();
        }
        for i in 0..found.len() {
            let at = found[i];
            if !found[..i].iter().any(|&c| self.path.before(at as usize, c as usize)) {
                self.races.push(Race { at, by, label, postponed: (0, 0), open: false });
            }
        }
    }

    /// The outcome hangs on the value of the first object: the latest event before which it could have happened.
    fn find_by_value(&mut self, label: Label, by: u32) {
        let object = *label.first();
        let mut candidates: SmallVec<[(u32, bool, u128, Mode); 8]> = SmallVec::new();
        let (path, prior) = (&self.path, self.path.prior(label.tid));
        path.walk_conflicts(label.operation, &object, |slot, hides| {
            let past = path.within(slot.event as usize, prior);
            if !past {
                candidates.push((slot.event, hides, slot.value, slot.mode));
            }
            past && hides
        });
        let now = self.machine.value(&object);
        let mut chosen: SmallVec<[u32; 8]> = SmallVec::new();
        for (at, hides, value, mode) in candidates {
            if chosen.iter().any(|&c| self.path.before(at as usize, c as usize)) {
                if hides {
                    break;
                }
                continue;
            }
            if !self.same_object(at, &object) {
                self.races.push(Race { at, by, label, postponed: (0, 0), open: true });
                continue;
            }
            if self.waker_is_after(&label, at as usize) {
                continue;
            }
            let first_postponed = self.postponed.len() as u32;
            let mut value = value;
            if mode == Mode::Add {
                // Commuting changes after `at` that do not depend on it stay.
                let concurrent = |path: &Path, event: u32| !path.before(at as usize, event as usize);
                for (slot, change) in self.path.changes_since(&object, at as usize, now) {
                    if slot.mode == Mode::Add && concurrent(&self.path, slot.event) {
                        value = value.wrapping_add(change);
                    }
                }
            }
            let mut outcomes = self.machine.outcome_with(label.tid, value);
            while outcomes.0.is_empty() && mode == Mode::Add {
                match self.postpone_reader(&label, at, first_postponed as usize, now, &mut value) {
                    true => outcomes = self.machine.outcome_with(label.tid, value),
                    false => break,
                }
            }
            if outcomes.0.is_empty() {
                self.postponed.truncate(first_postponed as usize);
                continue;
            }
            let postponed = (first_postponed, self.postponed.len() as u32);
            for (choice, accesses) in outcomes.0 {
                let label = self.path.labels.label(label.tid, label.operation, choice, &accesses);
                self.races.push(Race { at, by, label, postponed, open: false });
            }
            chosen.push(at);
            if hides {
                break;
            }
        }
    }

    /// Whether the event's access to the object is to exactly these bytes, so that its value is the object's.
    fn same_object(&self, event: u32, object: &threadbare_core::Access) -> bool {
        let label = &self.path.events[event as usize].label;
        let mut accesses = self.path.labels.accesses(label);
        accesses.any(|a| a.space == object.space && a.address == object.address && a.length == object.length)
    }

    /// A thread that was woken cannot have gone on before an event that its waker came after.
    fn waker_is_after(&self, label: &Label, at: usize) -> bool {
        let mut after = false;
        for access in self.path.labels.accesses(label).filter(|a| a.space == Space::Wake && a.mode == Mode::Read) {
            self.path.walk_conflicts(label.operation, access, |slot, _| {
                after |= self.path.before(at, slot.event as usize);
                true
            });
        }
        after
    }

    /// Several readers block a writer: besides `at`, the newest reader that still holds the lock is moved after the
    /// writer too, if it is not in the writer's own past. `value` becomes what the lock then holds.
    fn postpone_reader(&mut self, label: &Label, at: u32, first: usize, now: u128, value: &mut u128) -> bool {
        let object = *label.first();
        let path = &self.path;
        let postponed = &self.postponed[first..];
        let stays = |event: u32| {
            !path.before(at as usize, event as usize)
                && !postponed.iter().any(|&p| path.before(p as usize, event as usize))
        };
        // Newest first: a release seen before the acquisition that it ends takes it out.
        let mut released: SmallVec<[(Tid, u32); 4]> = SmallVec::new();
        let mut reader = None;
        for (slot, change) in path.changes_since(&object, at as usize, now) {
            if slot.mode != Mode::Add || !stays(slot.event) {
                continue;
            }
            let tid = path.events[slot.event as usize].label.tid;
            let count = match released.iter_mut().find(|(t, _)| *t == tid) {
                Some((_, count)) => count,
                None => {
                    released.push((tid, 0));
                    &mut released.last_mut().expect("just pushed").1
                }
            };
            if (change as i128) < 0 {
                *count += 1;
            } else if *count > 0 {
                *count -= 1;
            } else if tid != label.tid && !path.within(slot.event as usize, self.path.prior(label.tid)) {
                reader = Some(slot.event);
                break;
            }
        }
        let Some(reader) = reader else { return false };
        self.postponed.push(reader);
        let postponed = &self.postponed[first..];
        let mut held = None;
        let mut changed = 0u128;
        for (slot, change) in path.changes_since(&object, at as usize, now) {
            let stays = !path.before(at as usize, slot.event as usize)
                && !postponed.iter().any(|&p| path.before(p as usize, slot.event as usize));
            if slot.mode == Mode::Add && stays {
                changed = changed.wrapping_add(change);
            }
            held = Some(slot.value);
        }
        // What the lock held before `at` itself.
        let mut before_at = held.unwrap_or(now);
        path.walk_conflicts(label.operation, &object, |slot, _| {
            if slot.event == at {
                before_at = slot.value;
            }
            slot.event <= at
        });
        *value = before_at.wrapping_add(changed);
        true
    }

    /// An access in a loop that may wait: whether its thread would have been parked hangs on what the object held. The
    /// latest event before which it would not, as for an operation that blocks.
    fn find_waiting(&mut self, label: Label, by: u32) {
        let object = *label.first();
        let mut candidates: SmallVec<[(u32, bool, u128); 8]> = SmallVec::new();
        let (path, prior) = (&self.path, self.path.prior(label.tid));
        path.walk_conflicts(label.operation, &object, |slot, hides| {
            let past = path.within(slot.event as usize, prior);
            if !past {
                candidates.push((slot.event, hides, slot.value));
            }
            past && hides
        });
        let history: SmallVec<[Fingerprint; 2]> = self.histories.of(label.tid).collect();
        let mut chosen: SmallVec<[u32; 8]> = SmallVec::new();
        for (at, hides, value) in candidates {
            if chosen.iter().any(|&c| self.path.before(at as usize, c as usize)) {
                if hides {
                    break;
                }
                continue;
            }
            let mark = self.machine.mark();
            let assumed = self.same_object(at, &object) && self.machine.assume_value(&object, value);
            let told = if assumed { self.steps_of(label.tid, &history) } else { (SmallVec::new(), false) };
            self.machine.rewind(mark);
            // Of other memory that the thread looks at, and of what orders it, nobody knows how it was then.
            let (steps, true) = told else {
                self.races.push(Race { at, by, label, postponed: (0, 0), open: true });
                continue;
            };
            if steps.is_empty() {
                continue;
            }
            for label in steps {
                self.races.push(Race { at, by, label, postponed: (0, 0), open: false });
            }
            chosen.push(at);
            if hides {
                break;
            }
        }
    }

    /// What a thread can do now, if it is not parked, and whether the value of what its operation touches tells that.
    pub(super) fn steps_of(&mut self, tid: Tid, history: &[Fingerprint]) -> (SmallVec<[Label; 2]>, bool) {
        let mut found = SmallVec::new();
        if !self.machine.is_live(tid) {
            return (found, true);
        }
        let mut pending = self.machine.pending(tid);
        if has_several(&pending) {
            pending = without_useless(self.machine, pending, history);
        }
        let Round { useless, lasting, by_value } = match self.machine.may_wait(tid) {
            true => completes_a_useless_round(self.machine, tid, &pending, history),
            false => Round::NONE,
        };
        let told = lasting && by_value;
        if useless {
            return (found, told);
        }
        let most = if matches!(pending.choices, Choices::Range(_)) { 1 } else { usize::MAX };
        for choice in pending.choices.enabled().take(most) {
            let accesses = self.machine.accesses(tid, choice);
            found.push(self.path.labels.label(tid, pending.operation, choice, &accesses));
        }
        (found, told)
    }

    /// Only trying it out tells: every conflicting event that is not in the thread's own past.
    fn find_open(&mut self, label: Label, by: u32) {
        let mut found: SmallVec<[u32; 8]> = SmallVec::new();
        let (path, prior) = (&self.path, self.path.prior(label.tid));
        for access in path.labels.accesses(&label) {
            path.walk_conflicts(label.operation, access, |slot, hides| {
                let past = path.within(slot.event as usize, prior);
                if !past {
                    found.push(slot.event);
                }
                past && hides
            });
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.dedup();
        for at in found {
            self.races.push(Race { at, by, label, postponed: (0, 0), open: true });
        }
    }
}
