//! The plain accesses of a step one by one, with what was there, for stories. While they are asked for, the log of the floor
//! has room for one: the engine looks at memory before each.

use threadbare_core::Tid;

use crate::objects::Block;
use crate::races::Kind;
use crate::run::Run;
use crate::world::{BY_LIBRARY, Entry, Stop, WRITES};

/// A plain access of the program's own code, or a write that a library function makes for it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Look {
    pub address: u64,
    pub bytes: u32,
    pub writes: bool,
    /// What was there after it.
    pub value: Option<u64>,
    pub pc: u64,
}

impl Run {
    /// The fiber has stopped: the access before this one is over, and one may be new.
    pub fn tell(&mut self, tid: Tid) {
        let value_of = |look: &Look| self.number(look.address, look.bytes as usize);
        let done = self.told.as_ref().and_then(|told| told.last()).filter(|last| last.writes).map(value_of);
        if let (Some(value), Some(last)) = (done, self.told.as_mut().and_then(|told| told.last_mut())) {
            last.value = value;
        }
        // An access that may not be was announced before it was looked at.
        let fiber = &self.threads[tid.index()].fiber;
        let bad = (fiber.stop == Stop::BadAccess).then_some(fiber.arguments[0]);
        if let Some(told) = self.told.as_mut()
            && bad.is_some()
            && told.last().map(|last| last.address) == bad
        {
            told.pop();
        }
        // SAFETY: nobody runs.
        let world = unsafe { &*self.program.world };
        for entry in &world.log[..world.logged as usize] {
            if Some(entry.address) == bad || !self.races.active || !self.is_told(tid, entry) {
                continue;
            }
            let writes = entry.flags & WRITES != 0;
            let kind = if writes { Kind::PlainWrite } else { Kind::PlainRead };
            let mut looks = Vec::new();
            let (mut at, end) = (entry.address, entry.address.saturating_add(entry.size.into()));
            while at < end {
                let upto = end.min(at / 8 * 8 + 8);
                let bytes = (upto - at) as u32;
                // The same again says nothing new.
                if !self.races.says(tid, at, bytes, kind) {
                    looks.push(Look {
                        address: at,
                        bytes,
                        writes,
                        value: self.number(at, bytes as usize),
                        pc: entry.pc,
                    });
                }
                at = upto;
            }
            self.told.iter_mut().for_each(|told| told.append(&mut looks));
        }
    }

    /// What the library keeps for itself is no business of the program's: its variables, and what it has just allocated.
    fn is_told(&self, tid: Tid, entry: &Entry) -> bool {
        let image = &self.program.image;
        let at = entry.address;
        if image.contains(at) && !image.is_variable(at) || self.is_own_variable(tid, at) {
            return false;
        }
        if entry.flags & BY_LIBRARY == 0 {
            return true;
        }
        let line = |pc: u64| self.program.places(pc).into_iter().next().map(|place| (place.file, place.line));
        let made_by_itself = |block: Block| {
            block.is_thread_local() || image.is_library_code(block.allocated) || line(block.allocated) == line(entry.pc)
        };
        entry.flags & WRITES != 0
            && !image.is_library_variable(at)
            && !self.block_around(at).is_some_and(made_by_itself)
    }
}
