//! What becomes of the races of a path: the sequences that reverse them go into the trees of the states before them.

use std::rc::Rc;

use smallvec::SmallVec;
use threadbare_core::{Fingerprint, Machine, Operation, Tid};

use super::{Asleep, Deferred, Dpor, Fate, Keep, Left, Race};
use crate::crew::lock;
use crate::label::Label;
use crate::path::NONE;

impl<M: Machine> Dpor<'_, M> {
    /// analyse(): reverses the races of the path that its end is new to. Operations of those who are left race, too.
    pub(super) fn analyse(&mut self, left: Left) {
        let (lo, end) = (self.analysed, self.path.len());
        let executed = self.races.len();
        let postponed = self.postponed.len();
        self.analysed = end;
        let first_new = if lo < end { self.frames[lo + 1].before.races as usize } else { executed };
        // How early each thread is known at the latest to all new events: a quick test that mostly says no.
        self.lowest.clear();
        for x in lo..end {
            let clock = self.path.clock(x);
            if self.lowest.is_empty() {
                self.lowest.extend_from_slice(clock);
            } else {
                self.lowest.iter_mut().zip(clock).for_each(|(low, &c)| *low = (*low).min(c));
            }
        }
        let mut kept = 0;
        for n in 0..self.open.len() {
            let number = self.open[n];
            let race = self.races[number as usize];
            if self.end_adds_to(&race, lo, end) && self.reverse(&race) == Fate::Final {
                continue;
            }
            self.open[kept] = number;
            kept += 1;
        }
        self.open.truncate(kept);
        for number in first_new..executed {
            let race = self.races[number];
            if self.reverse(&race) == Fate::Open {
                self.open.push(number as u32);
            }
        }
        if left == Left::Nobody {
            return;
        }
        for i in 0..self.machine.thread_count() {
            let tid = Tid(i as u16);
            if !self.machine.is_live(tid) {
                continue;
            }
            let pending = self.pending(tid);
            if pending.operation == Operation::Exit {
                continue;
            }
            let stands = left == Left::CutOff || !pending.choices.any_enabled() || self.is_parked(tid, &pending);
            if !stands {
                continue;
            }
            self.path.ask_for(tid);
            self.find_races_of_disabled_choices(&pending, NONE);
            if let Some(choice) = pending.choices.enabled().next() {
                let accesses = self.machine.accesses(tid, choice);
                let label = self.path.labels.label(tid, pending.operation, choice, &accesses);
                self.find_races(&pending, label, NONE);
            }
        }
        for number in executed..self.races.len() {
            let race = self.races[number];
            self.reverse(&race);
        }
        self.races.truncate(executed);
        self.postponed.truncate(postponed);
    }

    /// Whether some event of `lo..end` is after neither side of the race.
    fn end_adds_to(&self, race: &Race, lo: usize, end: usize) -> bool {
        let (at, by) = (race.at as usize, race.by as usize);
        let (first, second) = (&self.path.events[at], &self.path.events[by]);
        let (t, n) = (first.label.tid.index(), first.number);
        let (u, m) = if at == by { (0, u32::MAX) } else { (second.label.tid.index(), second.number) };
        if self.lowest.is_empty() || self.lowest[t] >= n || self.lowest[u] >= m {
            return false;
        }
        self.path.events[lo..end].iter().any(|event| {
            let clock = self.path.clock_of(event);
            clock[t] < n && clock[u] < m
        })
    }

    /// reverse(i, k, e'): v = the events after i that depend on neither i nor k, then e'; where e' is another choice of i itself, also
    /// not on e'. Worth exploring from the state before i unless something that was explored there, or is going to be, leads to the same.
    fn reverse(&mut self, race: &Race) -> Fate {
        let at = race.at as usize;
        let first = &self.path.events[at];
        let choice_only = race.at == race.by;
        if !race.open && !self.path.labels.dependent(&first.label, &race.label) {
            return Fate::Final;
        }
        let end = self.path.len();
        let (t, n) = (first.label.tid.index(), first.number);
        let (u, m) = match race.by {
            NONE => (0, u32::MAX),
            by if by == race.at => (0, u32::MAX),
            by => {
                let second = &self.path.events[by as usize];
                (second.label.tid.index(), second.number)
            }
        };
        let postponed = &self.postponed[race.postponed.0 as usize..race.postponed.1 as usize];
        let mut v = std::mem::take(&mut self.v);
        let mut alive = std::mem::take(&mut self.alive);
        v.clear();
        alive.clear();
        let (from, to) = self.frames[at].sleep;
        alive.extend(from..to);
        let labels = &self.path.labels;
        let sleep = &self.sleep;
        // Gives false if something that sleeps is the next step of the sequence.
        let awake = |alive: &mut Vec<u32>, x: &Label| {
            let mut match_found = false;
            alive.retain(|&z| {
                let z = &sleep[z as usize];
                if z.label.tid == x.tid {
                    match_found |= z.is(x.tid, x.choice);
                    return false;
                }
                !labels.conflict(&z.label, x)
            });
            !match_found
        };
        let mut fate = Fate::Open;
        let mut explored = false;
        let keep = self.keep(at);
        let last = match keep {
            Keep::FirstSteps if choice_only => at + 1,
            Keep::FirstSteps if race.by != NONE => race.by as usize,
            _ => end,
        };
        let mut later: SmallVec<[usize; 4]> = SmallVec::new();
        for (x, event) in (at + 1..last).zip(&self.path.events[at + 1..last]) {
            let clock = self.path.clock_of(event);
            if clock[t] >= n || clock[u] >= m || postponed.iter().any(|&p| self.path.within(p as usize, clock)) {
                continue;
            }
            let label = &event.label;
            // Another choice may touch more than the one that was taken, and may hang on that: what touches it comes later.
            if choice_only
                && (self.path.labels.conflict(label, &race.label) || later.iter().any(|&p| self.path.within(p, clock)))
            {
                later.push(x);
                continue;
            }
            if !alive.is_empty() && !awake(&mut alive, label) {
                if race.by != NONE && x < race.by as usize {
                    fate = Fate::Final;
                }
                explored = true;
                break;
            }
            v.push(*label);
        }
        if !explored && race.open {
            let history = self.histories.of(race.label.tid);
            // The history of the thread at the operation, not at the end of the path.
            let history = match race.by {
                NONE => history.collect(),
                by => self.history_before(by as usize),
            };
            // Once more would find the same: what was inserted then has been explored, or is going to be.
            let deferred = Rc::new(Deferred { v: v.as_slice().into(), tid: race.label.tid, history });
            let trials = self.trials.entry(race.at).or_default();
            if trials.known.insert(deferred.clone()) {
                trials.deferred.push(deferred);
            }
        } else if !explored {
            if !alive.is_empty() && !awake(&mut alive, &race.label) {
                if race.by != NONE && self.path.events[race.by as usize].label == race.label {
                    fate = Fate::Final;
                }
            } else {
                v.push(race.label);
                let worth = match keep {
                    Keep::Sequences => alive.is_empty(),
                    Keep::FirstSteps => true,
                };
                if worth {
                    self.insert(at, &mut v);
                }
            }
        }
        self.v = v;
        self.alive = alive;
        fate
    }

    fn history_before(&self, event: usize) -> SmallVec<[Fingerprint; 2]> {
        self.histories.chain(self.frames[event + 1].before.history).collect()
    }

    fn insert(&mut self, frame: usize, v: &mut Vec<Label>) {
        if let Some((node, _)) = self.shared.get(frame) {
            return lock(node).insert(&self.path.labels, v);
        }
        self.keep(frame).insert(&self.path.labels, &mut self.forest, &mut self.frames[frame].tree, v);
    }

    /// The search is back at the state before the first event of a race whose outcome values did not tell: run the
    /// sequence, and see.
    pub(super) fn try_out(&mut self, frame: usize, deferred: &Deferred) {
        // What sleeps by now may be a step of v that could come first: then it does not matter how v goes on.
        let labels = &self.path.labels;
        let is_step_of_v = |z: &Asleep| {
            deferred.v.iter().any(|y| y.tid == z.label.tid) && labels.weak_initial(&z.as_in(&deferred.v), &deferred.v)
        };
        if self.sleeping(frame).iter().any(is_step_of_v) {
            return;
        }
        let mark = self.frames[frame].mark;
        for label in &deferred.v {
            self.machine.step(label.tid, label.choice);
        }
        let (found, _) = self.steps_of(deferred.tid, &deferred.history);
        self.machine.rewind(mark);
        for label in found {
            let mut v = std::mem::take(&mut self.v);
            v.clear();
            v.extend_from_slice(&deferred.v);
            v.push(label);
            let keep = self.keep(frame);
            let redundant = self.sleeping(frame).iter().any(|z| keep.covers(&self.path.labels, z, &v));
            if !redundant {
                self.insert(frame, &mut v);
            }
            self.v = v;
        }
    }
}
