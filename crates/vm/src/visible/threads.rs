//! Joining, ending and their misuse.

use super::*;

impl VmMachine {
    pub(super) fn thread_misuse(&mut self, tid: Tid, target: Tid, what: &str) -> Box<Fault> {
        let name = self.thread_name(target);
        self.cpu(tid).fault(FaultKind::ThreadMisuse, format!("{name} {what}"))
    }

    pub(super) fn need_joinable(&mut self, tid: Tid, handle: u64, verb: &str) -> Result<(Tid, Control)> {
        match self.joinable(handle) {
            Some((target, control)) if control.joined => {
                Err(self.thread_misuse(tid, target, &format!("is {verb} after it was joined")))
            }
            Some(found) => Ok(found),
            None => {
                let message = format!("something is {verb} that is not a thread");
                Err(self.cpu(tid).fault(FaultKind::ThreadMisuse, message))
            }
        }
    }

    pub(super) fn join(
        &mut self,
        tid: Tid,
        choice: Choice,
        site: &VisibleSite,
        handle: u64,
        result: Addr,
    ) -> Result<Option<u64>> {
        let (target, control) = self.need_joinable(tid, handle, "joined")?;
        if control.detached {
            return Err(self.thread_misuse(tid, target, "is joined but detached"));
        }
        if target == tid {
            return Err(self.thread_misuse(tid, target, "joins itself"));
        }
        match choice {
            TIME_OUT => return Ok(Some(ETIMEDOUT)),
            CANCEL => return self.take_cancel(tid),
            _ => {}
        }
        if control.status != Status::Ended {
            debug_assert_eq!(site.operation, Operation::ThreadTryJoin);
            return Ok(Some(EBUSY));
        }
        if result != 0 {
            self.memory.store::<8>(result, control.result).map_err(self.bad(tid))?;
        }
        self.set_control(target, Control { joined: true, ..control });
        Ok(Some(0))
    }

    /// The last thread of the process does not end here: it goes on to `exit(0)`, which lowering has put behind this
    /// operation.
    pub(super) fn end_thread(&mut self, tid: Tid, result: u64) -> Result<Option<u64>> {
        if self.is_last(tid) {
            return Ok(Some(0));
        }
        self.cpu(tid).frame_end_released(0)?;
        self.cpu(tid).release_stack();
        for i in 0..self.threads[tid.index()].thread_locals.len() {
            // What nobody else can reach, nobody can miss.
            let kept = self.own_locals.get(i).copied().unwrap_or(false) && !self.memory.is_hashing();
            if !kept {
                let address = self.threads[tid.index()].thread_locals[i];
                self.memory.release(address, 0);
            }
        }
        let control = Control { status: Status::Ended, result, ..self.threads[tid.index()].control };
        self.set_control(tid, control);
        Ok(None)
    }
}
