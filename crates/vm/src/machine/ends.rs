//! How a step ends, and what becomes of errors: the end of the execution, of their thread, or neither.

use threadbare_core::{Ending, Step, Tid};

use super::{LOG_NOTED, VmMachine};
use crate::bytecode::Op;
use crate::fault::{Fault, FaultKind};
use crate::interp::Stop;
use crate::thread::{Control, Status};

/// How often assertions may fail in one step before its thread stops: it may never do anything else.
const MOST_FAILURES: u32 = 1_000;

impl VmMachine {
    /// The end of a step, by what has ended its local code.
    pub(crate) fn finish_step(&mut self, who: Tid, mut stop: Stop) -> Step {
        let mut asserted = false;
        let mut failures = 0;
        loop {
            match stop {
                Stop::Visible => return Step::Done,
                Stop::Cut => {
                    self.stop_thread(who, Status::Cut);
                    return Step::Done;
                }
                // Functions that complain of assertions do not return; the program itself may know a way on.
                Stop::Fault(_) if asserted && self.stands_at_unreachable(who) => {
                    let frames = &self.threads[who.index()].frames;
                    let library = frames.last().is_some_and(|frame| self.program.is_library(frame.function));
                    let callers = frames.len() - 1;
                    if !library || callers == 0 {
                        self.stop_thread(who, Status::Failed);
                        return Step::Done;
                    }
                    self.cpu(who).unwind(callers);
                }
                Stop::Fault(fault) => {
                    asserted = fault.kind == FaultKind::Assertion;
                    if let Some(step) = self.note(who, fault) {
                        return step;
                    }
                    // A loop of local code that does nothing but fail.
                    failures += 1;
                    if failures == MOST_FAILURES {
                        self.stop_thread(who, Status::Failed);
                        return Step::Done;
                    }
                }
            }
            stop = self.cpu(who).run();
        }
    }

    /// An error: the end of the execution, or of its thread, or after an assertion (`None`) neither.
    pub(crate) fn note(&mut self, who: Tid, mut fault: Box<Fault>) -> Option<Step> {
        if self.races_of_library && fault.kind == FaultKind::DataRace {
            fault.kind = FaultKind::Unsupported;
            // There every access of the program counts as atomic.
            let message = fault.message.replace(" atomically ", " ");
            fault.message = format!(
                "{message}; with `--races allow` accesses inside library functions, and long copies, are not interleaved. Without it, this is \
                 a data race"
            );
        }
        if !self.go_on || matches!(fault.kind, FaultKind::Limit | FaultKind::Stopped | FaultKind::Unsupported) {
            return Some(self.end(Ending::Error(fault)));
        }
        let goes_on = fault.kind == FaultKind::Assertion;
        self.note_once(*fault);
        if goes_on {
            self.threads[who.index()].frames.last_mut().expect("a live thread").pc += 1;
            None
        } else {
            self.stop_thread(who, Status::Failed);
            Some(Step::Done)
        }
    }

    /// The races of a step become errors of the execution.
    pub(super) fn note_races(&mut self) {
        for fault in std::mem::take(&mut self.memory.races.found) {
            self.note_once(fault);
        }
    }

    /// An error of the execution, unless it is known: a loop makes the same ones in every round.
    fn note_once(&mut self, fault: Fault) {
        let other = |fault: &Fault| fault.other.as_ref().map(|other| other.stack.clone());
        let is_same = |noted: &Fault| {
            (noted.kind, noted.tid) == (fault.kind, fault.tid)
                && noted.stack == fault.stack
                && other(noted) == other(&fault)
        };
        if !self.noted.iter().any(is_same) {
            self.memory.log_outside(LOG_NOTED, 0, &[]);
            self.noted.push(fault);
        }
    }

    fn stop_thread(&mut self, who: Tid, status: Status) {
        let control = Control { status, ..self.threads[who.index()].control };
        self.set_control(who, control);
    }

    fn stands_at_unreachable(&self, who: Tid) -> bool {
        let frame = self.threads[who.index()].top();
        matches!(self.program.functions[frame.function as usize].code[frame.pc as usize], Op::Unreachable)
    }
}
