//! A step: one visible operation, the local code behind it, and what is done along with it.

use threadbare_core::{Along, Choice, Ending, Machine, Operation, Step, Tid, Trial};

use super::{LOG_AT, LOG_FRAME, VmMachine};
use crate::interp::Stop;
use crate::invariants::Watch;
use crate::known::{Shortcut, Stand, UNKNOWN};
use crate::memory::{Changed, LogPosition, ObjectKind};
use crate::thread::{Control, Status};
use crate::uses::MOST_IN_A_ROW;
use crate::visible::tid_of;

impl VmMachine {
    /// `Machine::step`.
    #[inline]
    pub(super) fn take_step(&mut self, who: Tid, choice: Choice) -> Step {
        debug_assert!(self.ending.is_none() && VmMachine::is_live(self, who));
        let watch = self.watch(who, choice);
        let (log, lost) = (self.memory.log_position(), self.memory.races.lost);
        self.along.clear();
        self.unsettled.clear();
        let mut step = self.advance(who, choice);
        let (ordinary, along) = match self.stand(who) {
            Some(stand) if step == Step::Done => (stand.ordinary, stand.along),
            _ => (false, false),
        };
        // Mostly that is all there is to it.
        if ordinary && watch.is_none() && self.unsettled.is_empty() {
            return step;
        }
        if !along {
            step = self.rest_of_own_step(who, step);
        }
        if let (Some(watch), Step::Done) = (&watch, step) {
            step = self.check_invariants(who, log, watch);
        }
        if self.merge_threads && step == Step::Done {
            let own = self.memory.log_position();
            step = self.settle(who);
            if let (Some(_), Step::Done) = (&watch, step) {
                step = self.check_invariants(who, own, &Watch::default());
            }
        }
        let waits = self.waits && step == Step::Done && VmMachine::is_live(self, who) && self.may_wait(who);
        if waits && self.is_silent(who, log, lost) { Step::Silent } else { step }
    }

    /// `Machine::try_step`.
    pub(super) fn try_out(&mut self, who: Tid, choice: Choice) -> Trial {
        if let Some(trial) = self.try_by_heart(who) {
            return trial;
        }
        let mark = self.mark();
        let (log, lost) = (self.memory.log_position(), self.memory.races.lost);
        let (looked, stored) = (self.memory.races.looked(), self.memory.races.stored);
        self.memory.races.begin_trial();
        let done = self.own_step(who, choice) == Step::Done && VmMachine::is_live(self, who);
        let waits = done && self.may_wait(who) && self.is_silent(who, log, lost);
        let local = if waits { self.local_fingerprint(who) } else { None };
        self.rewind(mark);
        let races = &mut self.memory.races;
        let relied = races.end_trial(who, waits);
        let by_value = self.races_of_library || stored == races.stored;
        // What goes wrong where a value is assumed may be a race with what came before: nobody knows whether that was ordered.
        let lasting = looked + relied == races.looked() && (done || races.assumed_at == 0);
        Trial { local, lasting, by_value }
    }

    /// One visible operation, then local code up to the next.
    #[inline]
    pub(crate) fn advance(&mut self, who: Tid, choice: Choice) -> Step {
        self.hashes.changed(who.index());
        let step = self.advance_and_race(who, choice);
        if !self.memory.races.found.is_empty() {
            self.note_races();
        }
        step
    }

    #[inline]
    fn advance_and_race(&mut self, who: Tid, choice: Choice) -> Step {
        if self.threads[who.index()].at != UNKNOWN {
            return self.advance_by_heart(who, choice);
        }
        if let Some(stop) = self.cpu(who).quick_step() {
            return self.arrive(who, stop);
        }
        self.cpu(who).begin_step();
        self.memory.races.enter(who);
        if self.site(who).is_some() {
            if let Some(step) = self.perform_here(who, choice) {
                return step;
            }
        } else {
            let control = Control { started: true, ..self.threads[who.index()].control };
            self.set_control(who, control);
        }
        let stop = self.cpu(who).run();
        self.arrive(who, stop)
    }

    /// The visible operation, by its thread's frames. What came of it if no local code follows.
    pub(crate) fn perform_here(&mut self, who: Tid, choice: Choice) -> Option<Step> {
        match self.perform(who, choice) {
            Ok(()) if self.ending.is_some() => Some(Step::Ended),
            Ok(()) if self.threads[who.index()].control.status != Status::Ready => Some(Step::Done),
            Ok(()) => None,
            Err(fault) => Some(self.note(who, fault).unwrap_or(Step::Done)),
        }
    }

    /// A step has ended, for this reason: the local state gets its number.
    pub(crate) fn arrive(&mut self, who: Tid, stop: Stop) -> Step {
        let step = self.finish_step(who, stop);
        if self.known.on && step == Step::Done {
            self.learn(who);
        }
        step
    }

    /// The same, and an operation that nobody can notice: one at most, so that a thread that does nothing else is still
    /// seen.
    #[inline]
    fn advance_past_idle(&mut self, who: Tid, choice: Choice) -> Step {
        let step = self.advance(who, choice);
        self.past_idle(who, step)
    }

    #[inline]
    fn past_idle(&mut self, who: Tid, step: Step) -> Step {
        let idle = self.merge_idle && step == Step::Done && {
            // What ended is nowhere.
            let live = self.threads[who.index()].is_live();
            live && self.stand(who).map_or_else(|| self.is_idle(who), |stand| stand.idle)
        };
        if idle { self.advance(who, Choice(0)) } else { step }
    }

    /// The same, and private operations behind it.
    #[inline]
    fn advance_past_private(&mut self, who: Tid, choice: Choice) -> Step {
        let step = self.advance_past_idle(who, choice);
        self.past_private(who, step)
    }

    #[inline]
    fn past_private(&mut self, who: Tid, mut step: Step) -> Step {
        let mut rest = MOST_IN_A_ROW;
        while step == Step::Done && rest > 0 && self.is_private(who) {
            self.along.push(Along::Private(who));
            step = self.advance_past_idle(who, Choice(0));
            rest -= 1;
        }
        step
    }

    #[inline]
    fn is_private(&self, who: Tid) -> bool {
        let thread = &self.threads[who.index()];
        thread.is_live()
            && match self.stand(who) {
                Some(stand) => stand.private,
                // The same answer for every thread in this state, whether or not there was room to learn it.
                None if thread.undefined_slots > 0 || !self.memory.races.uses.is_guessed() => false,
                None => self.simple_access(who).is_some_and(|(_, access)| self.is_private_access(who, &access)),
            }
    }

    /// A step without what is done along with it.
    #[inline]
    fn own_step(&mut self, who: Tid, choice: Choice) -> Step {
        self.along.clear();
        self.unsettled.clear();
        let step = self.advance(who, choice);
        self.rest_of_own_step(who, step)
    }

    fn rest_of_own_step(&mut self, who: Tid, step: Step) -> Step {
        let step = self.past_idle(who, step);
        let mut step = self.past_private(who, step);
        // An atomic block is one step.
        while step == Step::Done && self.threads[who.index()].control.atomic_depth > 0 && VmMachine::is_live(self, who)
        {
            step = match self.choice_inside_block(who) {
                Ok(choice) => self.advance(who, choice),
                Err(fault) => self.end(Ending::Error(fault)),
            };
        }
        step
    }

    /// What belongs to a step of `who` besides: threads that it has created start, its end, the joins that it passes or
    /// makes possible. In whichever order two steps come, the same is done after both.
    #[inline]
    fn settle(&mut self, who: Tid) -> Step {
        self.look_at_joins(who);
        self.unsettled.push(who);
        while let Some(tid) = self.unsettled.pop() {
            let Some(along) = self.along_of(tid) else { continue };
            if self.live == 1 && matches!(along, Along::Join { .. }) && self.finish_by_heart(tid) {
                return Step::Done;
            }
            self.along.push(along);
            let ends = matches!(along, Along::End(_)) && self.end_by_heart(tid);
            if !ends {
                if self.advance_past_private(tid, Choice(0)) == Step::Ended {
                    return Step::Ended;
                }
                if matches!(along, Along::Start(_)) {
                    self.look_at_start(tid);
                }
                self.look_at_joins(tid);
                self.unsettled.push(tid);
            }
            if self.threads[tid.index()].control.status == Status::Ended {
                self.unsettle_joiners(tid);
            }
        }
        Step::Done
    }

    /// Those who stand at the join of a thread may go on.
    #[inline]
    fn unsettle_joiners(&mut self, target: Tid) {
        for i in 0..self.threads.len() {
            // Most have ended, or have something else to do.
            let thread = &self.threads[i];
            if !thread.is_live() || !self.exists[i] {
                continue;
            }
            let is_it = |other: Tid| other == target || self.memory.alike.is(other);
            let joins = match self.known.states.get(thread.at as usize).map(|state| &state.stand) {
                Some(stand) if !stand.along => false,
                Some(Stand { shortcut: Shortcut::Join(other), .. }) => is_it(*other),
                _ => self.site(Tid(i as u16)).is_some_and(|(site, _)| {
                    site.operation == Operation::ThreadJoin
                        && tid_of(self.arg(Tid(i as u16), site, 0)).is_some_and(is_it)
                }),
            };
            if joins {
                self.unsettled.push(Tid(i as u16));
            }
        }
    }

    /// Whether the thread stands at a join that can happen.
    pub(crate) fn can_pass_join(&self, tid: Tid) -> bool {
        matches!(self.along_of(tid), Some(Along::Join { .. }))
    }

    /// What the thread stands at, if it is done along with a step.
    #[inline]
    fn along_of(&self, tid: Tid) -> Option<Along> {
        use threadbare_core::Operation::{ThreadEnd, ThreadJoin};
        if !VmMachine::is_live(self, tid) {
            return None;
        }
        match self.stand(tid).map(|stand| (stand.along, stand.shortcut)) {
            Some((false, _)) => return None,
            Some((true, Shortcut::End(_))) => return Some(Along::End(tid)),
            Some((true, Shortcut::Join(_))) if self.join_steps => return None,
            Some((true, Shortcut::Join(target))) if self.exists[target.index()] => {
                let control = &self.threads[target.index()].control;
                let ended = control.status == Status::Ended && !self.waits_for_others(target);
                let gone = ended || control.joined || control.detached;
                return gone.then_some(Along::Join { who: tid, target });
            }
            _ => {}
        }
        match self.site(tid) {
            None => Some(Along::Start(tid)),
            Some((site, _)) if site.operation == ThreadEnd => Some(Along::End(tid)),
            Some((site, _)) if site.operation == ThreadJoin && !self.join_steps && self.can_join_now(tid, site) => {
                let target = tid_of(self.arg(tid, site, 0)).unwrap_or(tid);
                Some(Along::Join { who: tid, target })
            }
            _ => None,
        }
    }

    /// Whether the thread stands at an operation that has no effect and touches nothing.
    pub(crate) fn is_idle(&self, who: Tid) -> bool {
        use threadbare_core::Operation::{Fence, Sleep, SleepUntil, Yield};
        VmMachine::is_live(self, who)
            && self.site(who).is_some_and(|(site, _)| match site.operation {
                Yield | Fence => true,
                Sleep | SleepUntil => !self.program.reads_clock,
                _ => false,
            })
    }

    /// Whether nothing has changed since the log had that length but the thread's frames and variables on its stack: what
    /// its local fingerprint tells. Thread-local variables are no part of that. What orders threads may have come to order more, not less than it did when so much was `lost`: without a round that
    /// orders more there are more races, not fewer.
    fn is_silent(&self, who: Tid, log: LogPosition, lost: u64) -> bool {
        let on_stack = |address| self.memory.object_at(address).is_some_and(|(_, it)| it.kind == ObjectKind::Stack);
        // Where all accesses are interleaved, values tell everything.
        let order_matters = !self.races_of_library && !self.only_values;
        let orders_less = lost != self.memory.races.lost && order_matters;
        !orders_less
            && self.memory.changes_since(log, |change| match change {
                Changed::Word(address) => on_stack(address) && self.is_own(who, address),
                Changed::Outside(tag, _) => matches!(tag, LOG_FRAME | LOG_AT),
                Changed::Objects(kind) => kind == ObjectKind::Stack,
            })
    }
}
