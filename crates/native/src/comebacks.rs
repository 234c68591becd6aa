//! Which loops wait, and which count: learned from threads that come back to where they were without an effect.
//!
//! One that comes back in the local state in which it was there before waits for others. In another one it may count, or have
//! found what others had changed: it goes on alone for a while, and back, and whether it comes back once more tells which.

use rustc_hash::{FxHashMap, FxHashSet};
use threadbare_core::{Cycle, Reads, Step, Tid};

use crate::run::{Run, Status};

/// Two rounds of a loop with fewer visible operations are looked for.
const MOST_SILENT_STEPS: usize = 1000;

/// A place where a thread has stood: code and stack.
#[derive(Clone, Copy)]
pub struct Stood {
    pc: u64,
    sp: u64,
    /// The local states in which it came back.
    locals: Cycle,
}

/// What a machine knows of loops.
#[derive(Default)]
pub struct Comebacks {
    /// Where threads may wait.
    pub waiting: FxHashSet<u64>,
    /// By the step that was executed last a thread came back to where it was, without an effect, in another local state.
    came_back: bool,
    /// How often new steps did, by place, and where that was since they count.
    times: FxHashMap<u64, u32>,
    counting: FxHashSet<u64>,
}

impl Comebacks {
    pub fn new(waiting: FxHashSet<u64>) -> Comebacks {
        Comebacks { waiting, ..Comebacks::default() }
    }
}

impl Run {
    /// A thread stands somewhere: it may wait there if it has been there in the same local state, without an effect in between.
    pub fn note_place(&mut self, tid: Tid) {
        self.comebacks.came_back = false;
        let silent = self.silent;
        let thread = &mut self.threads[tid.index()];
        if !silent {
            thread.stood.clear();
        }
        if thread.status != Status::Ready {
            return;
        }
        let (pc, sp) = (thread.fiber.pc, thread.fiber.sp);
        let Some(i) = thread.stood.iter().position(|stood| (stood.pc, stood.sp) == (pc, sp)) else {
            thread.stood.push(Stood { pc, sp, locals: Cycle::default() });
            return;
        };
        // Local states are dear: only where somebody has come back to.
        let local = self.local_fingerprint(tid);
        if self.threads[tid.index()].stood[i].locals.closes(local) {
            return self.may_wait_at(pc);
        }
        self.comebacks.came_back = true;
    }

    fn may_wait_at(&mut self, pc: u64) {
        self.comebacks.waiting.insert(pc);
        self.learned |= self.program.may_wait_at(pc);
    }

    /// Whether the thread that took the last step may wait where it is, or count: `learn_loop_of` would tell. That is dear, and
    /// asked for less and less often.
    pub fn is_in_doubt(&mut self, tid: Tid) -> bool {
        let pc = self.threads[tid.index()].fiber.pc;
        std::mem::take(&mut self.comebacks.came_back) && !self.is_waiting_place(pc) && {
            let times = self.comebacks.times.entry(pc).or_default();
            *times += 1;
            times.is_power_of_two()
        }
    }

    /// A thread has come back to where it was, in another local state, and goes on alone for a while, and back. If it comes back
    /// once more it counts, or it waits and is known to: the first round may have begun with anything in variables that were not
    /// set yet. If not, it has found in the first round what others have changed, and may wait for them.
    pub fn learn_loop_of(&mut self, tid: Tid) {
        let place = |run: &Run| (run.threads[tid.index()].fiber.pc, run.threads[tid.index()].fiber.sp);
        let here = place(self);
        let mut counts = self.comebacks.counting.contains(&here.0);
        self.go_on_alone(tid, |run| counts |= place(run) == here);
        match counts {
            true => _ = self.comebacks.counting.insert(here.0),
            false => self.may_wait_at(here.0),
        }
    }

    /// A thread goes on alone as long as it does not change anything, and back.
    pub fn go_on_alone(&mut self, tid: Tid, mut look: impl FnMut(&Run)) {
        self.settle();
        // What is found on the way is nobody's business.
        let (here, told) = (self.path.len(), self.told.take());
        for _ in 0..MOST_SILENT_STEPS {
            if !self.is_live(tid) {
                break;
            }
            let Some(choice) = self.pending_of(tid).choices.enabled().next() else { break };
            if self.step(tid, choice) != Step::Silent {
                break;
            }
            look(self);
        }
        self.rewind(here);
        self.settle();
        self.told = told;
    }

    /// A thread would come back to where it may wait, and reads this on the way: whether the search may rely on it.
    pub fn rely_on(&mut self, tid: Tid, reads: &Reads) -> bool {
        // What nobody sees may write anything.
        let relies = reads.is_empty() || !self.program.unseen;
        let relies = relies && self.races.relied.rely(tid, reads);
        self.learn_what_is_relied_on();
        relies
    }

    #[inline]
    pub fn learn_what_is_relied_on(&mut self) {
        if self.races.relied.take_news() {
            self.program.learn_relied(&self.races.relied);
            self.learned = true;
        }
    }

    #[inline]
    pub fn is_waiting_place(&self, pc: u64) -> bool {
        !self.comebacks.waiting.is_empty() && self.comebacks.waiting.contains(&pc)
    }
}
