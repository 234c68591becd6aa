//! Loops that wait. A round of a loop that changes nothing and returns its thread to an earlier local state can be cut
//! out of an execution without a trace, so that the step which would complete such a round is never taken: its thread is
//! *parked* there, until somebody changes what it looks at. What is explored is then finite for spin locks, flags, CAS
//! loops and the like.
//!
//! A round that looks at plain memory besides is gone through once: the rest of the execution is the same without it, but
//! what it reads may race with a write before or after it. More rounds read the same.
//!
//! A thread's history are its local states since its own last effect. Only states from which the machine says that the
//! thread may wait are kept: a useless round consists of nothing else.

use threadbare_core::{Fingerprint, Tid};

const NONE: u32 = u32::MAX;

#[derive(Default)]
pub struct Histories {
    /// The last entry of each thread.
    heads: Vec<u32>,
    entries: Vec<(Fingerprint, u32)>,
    log: Vec<Before>,
}

/// What takes a step back.
#[derive(Clone, Copy)]
struct Before {
    tid: Tid,
    head: u32,
    entries: u32,
}

impl Histories {
    /// What there is of a thread now: see `chain`.
    #[inline]
    pub fn head(&self, tid: Tid) -> u32 {
        self.heads.get(tid.index()).copied().unwrap_or(NONE)
    }

    /// How many changes there have been.
    #[inline]
    pub fn len(&self) -> usize {
        self.log.len()
    }

    /// After a step of `tid`: its local state if it may wait there, and whether the step had an effect.
    #[inline]
    pub fn advance(&mut self, tid: Tid, local: Option<Fingerprint>, silent: bool) {
        if local.is_none() && self.head(tid) == NONE {
            return;
        }
        if self.heads.len() <= tid.index() {
            self.heads.resize(tid.index() + 1, NONE);
        }
        let before = Before { tid, head: self.heads[tid.index()], entries: self.entries.len() as u32 };
        self.heads[tid.index()] = match local {
            Some(local) => {
                self.entries.push((local, if silent { before.head } else { NONE }));
                before.entries
            }
            None => NONE,
        };
        self.log.push(before);
    }

    /// Goes back to the first of them.
    #[inline]
    pub fn take_back(&mut self, changes: usize) {
        while self.log.len() > changes {
            let before = self.log.pop().expect("longer");
            self.heads[before.tid.index()] = before.head;
            self.entries.truncate(before.entries as usize);
        }
    }

    #[inline]
    pub fn of(&self, tid: Tid) -> impl Iterator<Item = Fingerprint> + '_ {
        self.chain(self.head(tid))
    }

    /// What it was when the head of its thread was this one.
    pub fn chain(&self, mut at: u32) -> impl Iterator<Item = Fingerprint> + '_ {
        std::iter::from_fn(move || {
            let (local, before) = *self.entries.get(at as usize)?;
            at = before;
            Some(local)
        })
    }
}
