//! Where a step leads, without taking it: most steps of a search that stores states lead to states that it has met.

use std::sync::Arc;

use threadbare_core::{Fingerprint, Tid};

use crate::known::{Deed, Effect, Found};
use crate::machine::VmMachine;
use crate::quick::plan;

impl VmMachine {
    /// `Machine::can_foresee`.
    pub(crate) fn can_foresee_by_heart(&mut self) -> bool {
        let (program, races) = (&self.program, &self.memory.races);
        let state_is_all = self.memory.is_hashing()
            && program.matching.is_whole()
            && program.invariants.is_empty()
            && !self.memory.alike.on;
        let orders = races.is_active() && !races.is_by_sharing();
        let can = state_is_all && !orders && self.noted.is_empty() && !self.memory.many_rest() && self.ending.is_none();
        if can {
            self.refresh_threads();
        }
        can
    }

    /// `Machine::foresee` for an atomic access behind which local code is known to write nothing.
    #[inline]
    pub(crate) fn foresee_by_heart(&mut self, who: Tid) -> Option<Fingerprint> {
        let at = self.threads[who.index()].at;
        let stand = &self.known.states.get(at as usize)?.stand;
        // What would have to be noted is left to the step itself.
        if self.memory.races.is_active() && !(stand.cannot_race && stand.touched) {
            return None;
        }
        let word = stand.glance?.word(&self.memory)?;
        self.remembered_move(who, word).or_else(|| self.work_out_move(who, at, word))
    }

    #[inline(never)]
    fn work_out_move(&mut self, who: Tid, at: u32, word: u64) -> Option<Fingerprint> {
        // SAFETY: a machine keeps its program.
        let program = unsafe { &*Arc::as_ptr(&self.program) };
        let state = &self.known.states[at as usize];
        let site = &program.visibles[state.site as usize];
        let (accessed, stored) = plan(&self.memory, site, |i| state.args[i])?;
        let change = match stored {
            Some(it) => self.memory.change_by_store(accessed.address, it.at, it.bytes, it.value)?,
            None => Fingerprint::default(),
        };
        let (memory, written) = (&self.memory, accessed.address & !7);
        let fits = |effects: &[Effect]| {
            effects.iter().all(|effect| {
                // What is written comes first, and there may be more to it than a word.
                let is_apart = stored.is_none() || effect.address.abs_diff(written) >= 16;
                effect.deed == Deed::Read && is_apart && memory.holds(effect.address, effect.bytes, effect.value)
            })
        };
        let Found::Stretch { number, effects, next } = self.known.find(at, site.what_matters(accessed.value), fits)
        else {
            return None;
        };
        if self.memory.races.is_active() && effects.0 != effects.1 {
            self.memory.races.enter(who);
            if !self.known.is_noted(number, self.memory.races.epoch()) {
                return None;
            }
        }
        if !self.known.states[next as usize].stand.ordinary {
            return None;
        }
        let change = change ^ self.change_by_moving(who, next);
        if effects.0 == effects.1 {
            self.remember_move(who, word, change);
        }
        Some(change)
    }
}
