//! What is done along with a step, because nobody can tell the difference: a new thread goes as far as its first operation,
//! the end of a thread follows its last one, and whoever waits for that end goes on. As on the virtual machine
//! (vm/src/machine/step.rs): only where threads do nothing else to each other, so that nothing races with that. In whichever
//! order two steps come, the same is done after both.

use threadbare_core::{Along, Choice, Operation, Step, Tid};

use crate::run::{Run, Status};
use crate::table::tid_of;

impl Run {
    /// After the own step of a thread, which came to `step`.
    pub fn settle_others(&mut self, who: Tid, step: Step) -> Step {
        let (silent, looked) = (self.silent, self.looked);
        self.unsettled.push(who);
        while let Some(tid) = self.unsettled.pop() {
            let Some(along) = self.along_of(tid) else { continue };
            self.along.push(along);
            let step = self.own_step(tid, Choice(0));
            if self.past_idle(tid, step) == Step::Ended {
                return Step::Ended;
            }
            self.unsettled.push(tid);
            if self.threads[tid.index()].status == Status::Ended {
                self.unsettle_joiners(tid);
            }
        }
        if self.along.is_empty() {
            return step;
        }
        (self.silent, self.looked) = (silent && self.along.is_empty(), looked);
        Step::Done
    }

    /// An operation that has no effect and touches nothing follows the one before: one at most, so that a thread that does
    /// nothing else is still seen.
    pub fn past_idle(&mut self, tid: Tid, step: Step) -> Step {
        if step == Step::Ended || !self.is_live(tid) || !self.is_idle(tid) || self.may_return_to_foreign_code(tid) {
            return step;
        }
        let (silent, looked) = (self.silent, self.looked);
        let next = self.own_step(tid, Choice(0));
        self.silent &= silent;
        self.looked |= looked;
        match next {
            Step::Silent if !self.silent => Step::Done,
            next => next,
        }
    }

    fn is_idle(&self, tid: Tid) -> bool {
        match self.threads[tid.index()].fiber.operation() {
            Operation::Yield | Operation::Fence => true,
            Operation::Sleep | Operation::SleepUntil => !self.program.reads_clock,
            _ => false,
        }
    }

    fn unsettle_joiners(&mut self, target: Tid) {
        for i in 0..self.threads.len() {
            let tid = Tid(i as u16);
            let fiber = &self.threads[i].fiber;
            let joins = fiber.operation() == Operation::ThreadJoin && tid_of(fiber.arguments[0]) == Some(target);
            if joins && self.is_live(tid) {
                self.unsettled.push(tid);
            }
        }
    }

    /// What the thread stands at, if it is done along with a step.
    fn along_of(&self, tid: Tid) -> Option<Along> {
        if !self.is_live(tid) {
            return None;
        }
        let fiber = &self.threads[tid.index()].fiber;
        match fiber.operation() {
            Operation::Start => Some(Along::Start(tid)),
            Operation::ThreadEnd => Some(Along::End(tid)),
            Operation::ThreadJoin => {
                let target = tid_of(fiber.arguments[0]).unwrap_or(tid);
                // What comes after it in code that nobody sees belongs to a step of its own.
                let goes_on = self.can_join_now(tid) && !self.may_return_to_foreign_code(tid);
                goes_on.then_some(Along::Join { who: tid, target })
            }
            _ => None,
        }
    }
}
