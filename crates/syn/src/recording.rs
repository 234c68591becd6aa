//! A sequence with its order, and how large its lattice is, told without a look at the states.

use threadbare_core::source::{Result, Source};

use crate::consistent::{Versions, versions};
use crate::order::{Order, known, order};
use crate::sequence::{EventId, Sequence};

/// A sequence that is consistent, with its order.
pub struct Recording {
    pub sequence: Sequence,
    pub versions: Versions,
    pub order: Order,
}

impl Recording {
    pub fn new(sequence: Sequence, source: &Source) -> Result<Recording> {
        let versions = versions(&sequence, source)?;
        let order = order(&sequence, &versions, source)?;
        Ok(Recording { sequence, versions, order })
    }

    /// Whether one event comes before another in every linearisation.
    pub fn is_before(&self, early: EventId, late: EventId) -> bool {
        let mut passed = vec![0; self.sequence.events.len()];
        known(&self.sequence, &self.order, self.sequence.event(early).process, &mut passed);
        early != late && passed[late as usize] > self.sequence.event(early).index
    }

    /// How many states the lattice has at least, as a power of ten. What every process can do by itself from some state on, it can do
    /// in any mixture with the others: that many states lie between that state and the one where all have done it, from
    /// which the count goes on.
    pub fn least_states(&self) -> f64 {
        let mut total = 0.0_f64;
        let mut counters = vec![0; self.sequence.processes.len()];
        loop {
            let mut power = 0.0;
            let start = counters.clone();
            for (number, process) in self.sequence.processes.iter().enumerate() {
                let can = |event: EventId| {
                    self.order.before(event).iter().all(|&other| {
                        let at = self.sequence.event(other);
                        at.process as usize == number || at.index < start[at.process as usize]
                    })
                };
                while counters[number] < process.events && can(process.first + counters[number]) {
                    counters[number] += 1;
                }
                power += f64::from(counters[number] - start[number] + 1).log10();
            }
            if power == 0.0 {
                return total;
            }
            // The state where it begins is counted already: 10^total + 10^power - 1.
            let (large, small) = (total.max(power), total.min(power));
            total = large + (10f64.powf(small - large) - 10f64.powf(-large)).ln_1p() / std::f64::consts::LN_10;
        }
    }

    /// How many states the lattice has at most, as a power of ten: where nothing is ordered between processes.
    pub fn most_states(&self) -> f64 {
        self.sequence.processes.iter().map(|process| (f64::from(process.events) + 1.0).log10()).sum()
    }
}
