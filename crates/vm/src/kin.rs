//! Several machines of one search. Each executes what the others found, so that all of them give the same numbers to the
//! same threads and objects, whoever meets them first, and take the same for granted.

use threadbare_core::{Relied, ThreadNames};

use crate::machine::VmMachine;
use crate::memory::CommonArenas;
use crate::uses::Uses;

/// What they have in common.
pub struct Kin {
    names: ThreadNames,
    arenas: CommonArenas,
    uses: Uses,
    relied: Option<Relied>,
    pub by_sharing: bool,
}

impl VmMachine {
    /// For others to become like this one, which is at the start of its program.
    pub fn kin(&mut self) -> Kin {
        Kin {
            names: self.names.alike(),
            arenas: self.memory.common_arenas(),
            uses: self.memory.races.uses.clone(),
            relied: self.memory.races.relied.clone(),
            by_sharing: self.goes_by_sharing(),
        }
    }

    /// A fresh machine, set up in the same way, joins the others.
    pub fn join_kin(&mut self, kin: &Kin) {
        self.names = kin.names.clone();
        self.name_threads();
        self.memory.agree_on(kin.arenas.clone());
        self.memory.races.uses = kin.uses.clone();
        self.memory.races.relied = kin.relied.clone();
    }
}
