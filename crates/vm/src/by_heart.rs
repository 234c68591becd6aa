//! Steps by heart: what a thread does from a local state that has a number. What is known of such states, and how it is
//! learned, stands in `known`.

use std::sync::Arc;

use threadbare_core::{Access, Choice, Fingerprint, Operation, Step, Tid, Trial};

use crate::bytecode::{Slot, VisibleSite};
use crate::interp::Stop;
use crate::known::{Deed, Effect, Found, NOWHERE, Shortcut, Stand, UNKNOWN};
use crate::machine::{LOG_AT, VmMachine};
use crate::quick::{Accessed, Glance, access, compared};
use crate::races::Place;
use crate::thread::Status;
use crate::visible::tid_of;

impl VmMachine {
    /// `advance` for a thread whose local state has a number. The operation is done on its operands; then, if what its
    /// local code does has been written down, that is done again. Only where it has not do the thread's frames come in.
    #[inline]
    pub(crate) fn advance_by_heart(&mut self, who: Tid, choice: Choice) -> Step {
        // SAFETY: a machine keeps its program. A reference of its own would have to be counted, for every step.
        let program = unsafe { &*Arc::as_ptr(&self.program) };
        let at = self.threads[who.index()].at;
        let state = &self.known.states[at as usize];
        let (site, d, place) = (&program.visibles[state.site as usize], state.d, state.place);
        let Stand { shortcut, cannot_race, touched, .. } = state.stand;
        match shortcut {
            Shortcut::End(_) if self.end_by_heart(who) => return Step::Done,
            Shortcut::Join(target) if self.join_by_heart(who, target) => {
                self.log_at(who, at);
                return self.go_on(who, at, site, d, Some(0));
            }
            _ => {}
        }
        let args = &self.known.states[at as usize].args;
        let accessed = access(&mut self.memory, site, |i| args[i]);
        if let (Some(i), true) = (compared(site), accessed.is_some()) {
            self.memory.note_compared(who, args[i]);
        }
        self.log_at(who, at);
        self.memory.races.enter(who);
        match accessed {
            Some(accessed) => {
                let place = (!cannot_race).then_some(place);
                if !touched && self.memory.races.is_active() {
                    self.memory.races.touch(who, site, accessed.address);
                    self.known.states[at as usize].stand.touched = true;
                }
                if self.memory.races.is_active() && !self.race_by_heart(who, site, &accessed, place) {
                    // Once more by the frames: that tells of the race, which ends the thread, or does not.
                    self.leave(who);
                    accessed.put(&mut self.threads[who.index()], site, d);
                    return match self.cpu(who).race_atomic(site, accessed.address, accessed.exchanged) {
                        Ok(()) => {
                            self.threads[who.index()].frames.last_mut().expect("a live thread").pc += 1;
                            self.run_from(who, at, None)
                        }
                        Err(fault) => self.finish_step(who, Stop::Fault(fault)),
                    };
                }
                let key = site.what_matters(accessed.value);
                let Err(record) = self.go_by_heart(who, at, key) else { return Step::Done };
                self.leave(who);
                let thread = &mut self.threads[who.index()];
                accessed.put(thread, site, d);
                thread.frames.last_mut().expect("a live thread").pc += 1;
                self.run_from(who, at, record.then_some(key))
            }
            None if needs_frames(site.operation) => {
                self.leave(who);
                self.perform_here(who, choice).unwrap_or_else(|| self.run_from(who, at, None))
            }
            None => match self.operate(who, choice, site, d) {
                Ok(_) if self.ending.is_some() => {
                    // The end is another place than the one before it.
                    self.leave(who);
                    self.threads[who.index()].frames.last_mut().expect("a live thread").pc += 1;
                    Step::Ended
                }
                Ok(_) if self.threads[who.index()].control.status != Status::Ready => Step::Done,
                Ok(result) => self.go_on(who, at, site, d, result),
                Err(fault) => {
                    self.leave(who);
                    self.note(who, fault).unwrap_or(Step::Done)
                }
            },
        }
    }

    /// A thread at its end leaves nothing behind, and is not the last.
    #[inline]
    pub(crate) fn end_by_heart(&mut self, who: Tid) -> bool {
        match self.stand(who).map(|stand| stand.shortcut) {
            Some(Shortcut::End(result)) if !self.is_last(who) => {
                self.finish_thread(who, result);
                true
            }
            _ => false,
        }
    }

    /// Where a step would take the thread, if it is a load behind which local code leaves memory alone.
    pub(crate) fn try_by_heart(&mut self, who: Tid) -> Option<Trial> {
        let at = self.threads[who.index()].at;
        let state = self.known.states.get(at as usize)?;
        let site = &self.program.visibles[state.site as usize];
        // A race would have to be seen.
        let may_race = self.memory.races.is_active() && !state.stand.cannot_race;
        if site.operation != Operation::Load || may_race {
            return None;
        }
        let accessed = access(&mut self.memory, site, |i| state.args[i])?;
        let Found::Stretch { effects, next, .. } = self.known.find(at, site.what_matters(accessed.value), |_| false)
        else {
            return None;
        };
        let next = &self.known.states[next as usize];
        // What is idle would be done as well.
        if effects.0 != effects.1 || next.has_objects || next.stand.idle || next.stand.private {
            return None;
        }
        let (waits, frames) = (next.stand.may_wait, next.frames);
        let local = waits.then(|| self.local_hash(who, Some(frames)).finish());
        Some(Trial { local, lasting: true, by_value: true })
    }

    /// See `Machine::surely_leaves`: a load after which local code is known to lead to where nobody waits.
    pub(crate) fn leaves_by_heart(&mut self, who: Tid) -> bool {
        let at = self.threads[who.index()].at;
        let Some(state) = self.known.states.get(at as usize) else { return false };
        let site = &self.program.visibles[state.site as usize];
        if site.operation != Operation::Load {
            return false;
        }
        let Some(accessed) = access(&mut self.memory, site, |i| state.args[i]) else { return false };
        let memory = &self.memory;
        let is_read =
            |effect: &Effect| effect.deed != Deed::Read || memory.holds(effect.address, effect.bytes, effect.value);
        match self.known.find(at, site.what_matters(accessed.value), |effects| effects.iter().all(is_read)) {
            Found::Stretch { next, .. } => {
                let Stand { may_wait, idle, private, .. } = self.known.states[next as usize].stand;
                // What is idle or private would be done as well.
                !may_wait && !idle && !private
            }
            _ => false,
        }
    }

    /// Where the thread was, for the way back.
    #[inline]
    pub(crate) fn log_at(&mut self, who: Tid, at: u32) {
        self.memory.log_place(LOG_AT, u64::from(who.0) | u64::from(at) << 16);
    }

    /// The local code behind an operation with this result of a single slot, if it has one.
    #[inline]
    fn go_on(&mut self, who: Tid, at: u32, site: &VisibleSite, d: Slot, result: Option<u64>) -> Step {
        debug_assert!(site.result_slots <= 1);
        let key = site.what_matters(result.unwrap_or(0));
        let Err(record) = self.go_by_heart(who, at, key) else { return Step::Done };
        self.leave(who);
        let thread = &mut self.threads[who.index()];
        if let Some(value) = result {
            thread.set_slot(d, value, 0);
        }
        thread.frames.last_mut().expect("a live thread").pc += 1;
        self.run_from(who, at, record.then_some(key))
    }

    /// The local code that follows. It is written down for this result of the operation in the local state `at`, if there
    /// is one.
    fn run_from(&mut self, who: Tid, at: u32, result: Option<u64>) -> Step {
        let Some(result) = result else {
            let stop = self.cpu(who).run();
            return self.arrive(who, stop);
        };
        self.known.start_recording();
        let stop = self.cpu(who).run();
        if !matches!(stop, Stop::Visible) {
            self.known.recorder.give_up();
        }
        let step = self.arrive(who, stop);
        self.known.end_recording(at, result, self.threads[who.index()].at);
        step
    }

    /// A step begins that needs the frames of its thread. Where the thread was is in the log.
    fn leave(&mut self, who: Tid) {
        let thread = &mut self.threads[who.index()];
        self.known.hold(&self.program, thread);
        (thread.at, thread.held) = (UNKNOWN, UNKNOWN);
        thread.frames_changed(thread.frames.len() - 1);
        thread.saved_for = self.mark_number;
        thread.saved_depth = 0;
    }

    /// What an atomic access means for races: it orders threads, and may be part of one, unless it has no place. No if it
    /// is one.
    #[inline]
    fn race_by_heart(&mut self, who: Tid, site: &VisibleSite, accessed: &Accessed, place: Option<Place>) -> bool {
        let (address, exchanged) = (accessed.address, accessed.exchanged);
        if place.is_none() && self.memory.races.is_by_sharing() {
            return true;
        }
        if place.is_some() && !self.memory.race_is_shared(address) {
            return true;
        }
        let Some((bytes, kind)) = self.memory.race_synchronise(who, site, address, exchanged) else { return true };
        place.is_none_or(|place| self.memory.race_note(address, bytes, kind, place))
            && self.memory.race_publish(who, site, address, exchanged).is_some()
    }

    /// The local code that follows this result. If it is not known what it does, whether it may be written down.
    #[inline]
    fn go_by_heart(&mut self, who: Tid, at: u32, result: u64) -> Result<(), bool> {
        let memory = &self.memory;
        let races = memory.races.is_active();
        let fits = |effects: &[Effect]| {
            effects.iter().all(|effect| {
                (!races || effect.place.stack != NOWHERE)
                    && (effect.deed != Deed::Read || memory.holds(effect.address, effect.bytes, effect.value))
            })
        };
        let (number, effects, next) = match self.known.find(at, result, fits) {
            Found::Stretch { number, effects, next } => (number, effects, next),
            Found::Nothing => return Err(true),
            Found::BeyondWords => return Err(false),
        };
        if effects.0 != effects.1 {
            if !self.memory.has_room_to_log() {
                return Err(false);
            }
            let before = self.memory.log_position();
            let epoch = self.memory.races.epoch();
            let noted = self.known.is_noted(number, epoch);
            // Reads have been looked at.
            if !noted || self.known.changes(number) {
                let effects = self.known.effects(effects);
                if !effects.iter().all(|effect| self.memory.do_again(effect, noted)) {
                    self.memory.take_back_to(before);
                    return Err(false);
                }
                // Last: the end of an object that is younger than the last mark is not in the log.
                for effect in effects.iter().filter(|effect| effect.deed == Deed::Release) {
                    self.memory.release(effect.address, effect.value);
                }
            }
            if races && !noted {
                self.known.set_noted(number, epoch);
            }
        }
        self.threads[who.index()].at = next;
        Ok(())
    }

    /// Where the operation of a thread stands, if its local state has a number.
    pub(crate) fn place_by_heart(&self, who: Tid) -> Option<Place> {
        self.known.states.get(self.threads[who.index()].at as usize).map(|state| state.place)
    }

    pub(crate) fn learn(&mut self, who: Tid) {
        let thread = &mut self.threads[who.index()];
        if thread.control.status != Status::Ready || thread.control.atomic_depth > 0 {
            self.waits = true;
            return;
        }
        let (program, races) = (&self.program, &mut self.memory.races);
        let number = self.known.number(program, thread, |thread| {
            let library = program.functions[thread.top().function as usize].library;
            races.place_of(who, &thread.frames, library)
        });
        let Some((number, new)) = number else {
            self.waits = true;
            return;
        };
        (thread.at, thread.held) = (number, number);
        if new {
            let stand = self.stand_of(who);
            self.waits |= stand.may_wait;
            self.known.states[number as usize].stand = stand;
        }
    }

    /// What there is to know of the operation at which a thread stands, whatever the others do.
    fn stand_of(&self, who: Tid) -> Stand {
        use Operation::{ThreadEnd, ThreadJoin};
        let Some((site, _)) = self.site(who) else { return Stand::default() };
        let simple = self.simple_access(who);
        let private = simple.is_some_and(|(_, access)| self.is_private_access(who, &access));
        let (may_wait, idle) = (site.may_wait, self.is_idle(who));
        let along = matches!(site.operation, ThreadEnd | ThreadJoin);
        Stand {
            simple,
            depends_on_nothing: simple.is_some_and(|(operation, _)| operation != Operation::MutexUnlock),
            private,
            touched: false,
            may_wait,
            idle,
            along,
            ordinary: !private && !may_wait && !idle && !along,
            shortcut: self.shortcut(who, site),
            glance: Glance::of(site, |i| self.arg(who, site, i)),
            cannot_race: self.memory.races.cannot_race(&self.program, site),
        }
    }

    /// See `Machine::simple`.
    pub(crate) fn simple_access(&self, who: Tid) -> Option<(Operation, Access)> {
        let (site, _) = self.site(who)?;
        if site.operation == Operation::Exit || site.may_wait || !self.is_simple(who, site) {
            return None;
        }
        match self.accesses_with(who, site, Choice(0), 0)[..] {
            [access] => Some((site.operation, access)),
            _ => None,
        }
    }

    pub(crate) fn is_private_access(&self, who: Tid, access: &Access) -> bool {
        self.merge_threads && self.memory.races.uses.is_private(who, access)
    }

    /// The end of a thread that leaves nothing behind, and a join that wants no result.
    fn shortcut(&self, who: Tid, site: &VisibleSite) -> Shortcut {
        let thread = &self.threads[who.index()];
        let kept = |i: usize| self.own_locals.get(i).copied().unwrap_or(false) && !self.memory.is_hashing();
        match site.operation {
            Operation::ThreadEnd if thread.allocas.is_empty() && (0..thread.thread_locals.len()).all(kept) => {
                Shortcut::End(self.arg(who, site, 0))
            }
            Operation::ThreadJoin if !self.program.cancels && self.arg(who, site, 1) == 0 => {
                tid_of(self.arg(who, site, 0)).filter(|&target| target != who).map_or(Shortcut::None, Shortcut::Join)
            }
            _ => Shortcut::None,
        }
    }

    /// Joins a thread that has ended. No if there is anything to say about it.
    #[inline]
    fn join_by_heart(&mut self, who: Tid, target: Tid) -> bool {
        if !self.exists.get(target.index()).copied().unwrap_or(false) {
            return false;
        }
        let control = self.threads[target.index()].control;
        if control.status != Status::Ended || control.joined || control.detached {
            return false;
        }
        self.set_joined(target);
        let alone = self.is_last(who);
        self.memory.races.enter(who);
        self.memory.races.join(who, target, alone);
        true
    }

    /// What is known of where a thread stands, if its local state has a number.
    #[inline]
    pub(crate) fn stand(&self, who: Tid) -> Option<&Stand> {
        self.known.states.get(self.threads[who.index()].at as usize).map(|state| &state.stand)
    }

    /// The fingerprint of a thread's frames, where that is known.
    pub(crate) fn frames_by_heart(&self, thread: usize) -> Option<Fingerprint> {
        let at = self.threads[thread].at;
        self.known.states.get(at as usize).map(|state| state.frames)
    }
}

/// Whether an operation cannot be done on its operands alone.
fn needs_frames(operation: Operation) -> bool {
    use Operation::*;
    matches!(operation, Load | Store | ReadModifyWrite | CompareExchange | AtomicBegin | AtomicEnd)
}
