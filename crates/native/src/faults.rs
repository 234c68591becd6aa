//! What becomes of errors: the end of the execution, or, where several bugs are looked for, of their thread; a data race and an
//! assertion that can be passed are only noted. As on the virtual machine (vm/src/machine/ends.rs), but that a thread whose
//! `assert` fails always stops: nobody has made code for what would come then.

use threadbare_core::{Ending, FaultKind, Step, Tid};

use crate::fault::Fault;
use crate::races::{Kind, Race};
use crate::run::{Run, Status};

/// How often assertions may fail in one step before its thread stops: it may never do anything else.
pub const MOST_FAILURES: u32 = 1_000;

impl Run {
    /// An error of a thread that cannot be passed.
    pub fn fail(&mut self, tid: Tid, fault: Box<Fault>) -> Step {
        let is_ours = matches!(fault.kind, FaultKind::Limit | FaultKind::Stopped | FaultKind::Unsupported);
        if !self.setup.go_on || is_ours {
            return self.end(Ending::Error(fault));
        }
        self.note_once(fault);
        self.threads[tid.index()].status = Status::Failed;
        self.silent = false;
        Step::Done
    }

    /// Two accesses that nothing orders.
    pub fn met_race(&mut self, tid: Tid, kind: Kind, place: u64, earlier: Race) -> Result<(), Box<Fault>> {
        let fault = self.race(tid, kind, place, earlier);
        if !self.setup.go_on || fault.kind != FaultKind::DataRace {
            return Err(fault);
        }
        self.note_once(fault);
        Ok(())
    }

    /// A loop makes the same ones in every round.
    pub fn note_once(&mut self, fault: Box<Fault>) {
        let sides = |fault: &Fault| fault.sides.iter().map(|side| (side.tid, side.pc)).collect::<Vec<_>>();
        let is_same = |noted: &Fault| {
            (noted.kind, noted.tid) == (fault.kind, fault.tid)
                && noted.stack == fault.stack
                && sides(noted) == sides(&fault)
        };
        if !self.noted.iter().any(is_same) {
            self.noted.push(*fault);
        }
    }
}
