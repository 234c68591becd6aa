//! Where a longjmp leads: the function that called setjmp must still run, in the same thread. All code has frames that can be walked, but
//! that without a source.

use threadbare_core::{FaultKind, Tid};

use crate::fault::Fault;
use crate::image;
use crate::run::Run;

impl Run {
    /// A thread is about to jump to a stack, a frame and code that a buffer names.
    pub fn look_at_jump(&self, tid: Tid) -> Result<(), Box<Fault>> {
        let fiber = &self.threads[tid.index()].fiber;
        let [sp, frame, pc, ..] = fiber.arguments;
        let code = &self.program.image;
        let crash = |message: String| Err(self.fault(tid, FaultKind::Crash, message));
        if !code.is_code(pc) {
            return crash("longjmp with a buffer that setjmp has not filled".into());
        }
        if !(fiber.stack_low..=fiber.stack_high).contains(&sp) {
            return crash(match image::thread_of_stack(sp) {
                Some(_) => "longjmp into another thread: it was that one which called setjmp with this buffer".into(),
                None => "longjmp with a buffer that setjmp has not filled".into(),
            });
        }
        if code.has_foreign_code() || self.runs_in(tid, frame, pc) {
            return Ok(());
        }
        let function = self.program.function_at(pc - 1).unwrap_or_else(|| "?".into());
        crash(format!("longjmp into `{function}`, which has returned since it called setjmp"))
    }

    /// Whether the function around `pc` runs in that frame.
    fn runs_in(&self, tid: Tid, frame: u64, pc: u64) -> bool {
        let fiber = &self.threads[tid.index()].fiber;
        let function = |pc: u64| self.program.image.symbol(pc - 1).map(|symbol| symbol.address);
        let mut at = fiber.frame;
        while at < frame && at.is_multiple_of(8) && (fiber.stack_low..fiber.stack_high - 8).contains(&at) {
            let (Some(caller), Some(returns)) = (self.number(at, 8), self.number(at + 8, 8)) else { return false };
            if caller == frame {
                return function(returns) == function(pc);
            }
            at = caller;
        }
        false
    }
}
