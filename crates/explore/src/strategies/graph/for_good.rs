//! Whether a thread that is blocked stays so, whatever the others do: everything that can come after a state is explored, and
//! the thread can go on nowhere in it.
//!
//! This is what makes a partial deadlock a fact about the state in which it is shown, and not about the search that found it.
//! The reduction of `graph` may be used: it leaves no thread out that can ever move.

use threadbare_core::{Machine, Operation, Tid};

use super::left_behind::joins;
use super::sets::ThreadSet;
use super::{Explorer, Form, Joint};
use crate::path::Path;
use crate::search::{End, Flow, Search};
use crate::strategies::Settings;

/// Whether a live thread is blocked where the machine stands, and stays so in every continuation. Not if it waits for another
/// to end, if the process may end, and if somebody looks at the clock, which stands still here. The machine has exact states,
/// and stays where it is. `stop` is asked now and then whether to give up, and then there is no answer.
pub fn waits_for_good<M: Machine>(machine: &mut M, who: Tid, stop: impl FnMut() -> bool) -> Option<bool> {
    let pending = machine.pending(who);
    if pending.choices.any_enabled() || joins(pending.operation) {
        return Some(false);
    }
    let mut watch = Watch { stop, gives_up: false };
    let joint = Joint::new(1);
    let mut explorer = Explorer::new(machine, &Settings::default(), Form { proviso: true }, &joint, None);
    explorer.watched = Some(who);
    let flow = explorer.work(&mut watch);
    explorer.ground.trail.walk.start_again();
    (!watch.gives_up).then_some(flow == Flow::Continue)
}

impl<M: Machine> Explorer<'_, M> {
    /// Whether what is known of the state that was come to is enough to say that a thread need not wait for ever.
    pub(super) fn escapes(&mut self, who: Tid, enabled: ThreadSet) -> bool {
        let machine = &mut *self.ground.trail.walk.machine;
        let ends = |operation| matches!(operation, Operation::Exit | Operation::Clock);
        enabled.contains(who) || machine.is_cut() || machine.all_pending().iter().any(|pending| ends(pending.operation))
    }
}

struct Watch<F> {
    stop: F,
    gives_up: bool,
}

impl<M: Machine, F: FnMut() -> bool> Search<M> for Watch<F> {
    fn end(&mut self, _: &mut M, _: &Path, end: End) -> Flow {
        match end {
            // The others have come to a standstill, too, or go round for ever.
            End::Stuck(_) | End::Redundant => Flow::Continue,
            End::Complete | End::Exit(..) | End::Error | End::Cut | End::Bound => Flow::Stop,
        }
    }

    fn redundant(&mut self, _: &mut M, _: u64) -> bool {
        false
    }

    fn tick(&mut self) -> Flow {
        self.gives_up = (self.stop)();
        if self.gives_up { Flow::Stop } else { Flow::Continue }
    }
}
