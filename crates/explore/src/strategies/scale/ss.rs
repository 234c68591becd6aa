//! SuperStepPOR (SCALE, algorithm 6): nobody else is scheduled inside a super step (see `superstep`). Every maximal trace is
//! still explored.
//!
//! What differs besides:
//! - A super node has a super step for every step that its state offers, also for those whose successors another filter
//!   removed because they were seen elsewhere. Without them the other threads' super steps go on over the conflict with
//!   the first action of such a one, and what comes in between is lost.
//! - A node inside a super step is not done with (see `nsb`): it is explored only as seen from its super node.
//! - A thread that goes round a loop ends its super step there (`lcd`), so that none swallows the others. Without that
//!   filter it is the depth bound that ends it, and the verdict says so.

use super::filters::{At, Filter, Removal, Successor};
use super::nodes::Tags;
use crate::label::Label;
use crate::strategies::superstep::{Form, Offered, Position};

pub(in super::super) struct SuperStepPor {
    tags: Tags<Position>,
    form: Form,
}

impl SuperStepPor {
    pub fn new(form: Form) -> Self {
        SuperStepPor { tags: Tags::default(), form }
    }
}

impl Filter for SuperStepPor {
    fn filter(&mut self, at: &mut At, successors: &mut Vec<Successor>) -> Removal {
        let offered = Offered { moves: at.moves, waiting: at.waiting };
        let position = self.tags.get(at.node).filter(|_| at.nodes[at.node].last_action.is_some());
        if let Some((position, next)) =
            position.and_then(|p| Some((p.clone(), p.next(at.labels, &offered, self.form)?)))
        {
            let position = position.after(next, &offered);
            successors.retain(|successor| successor.step.label.tid == next.tid);
            successors.iter().for_each(|successor| self.tags.set(successor.node, position.clone()));
            return if self.form.says_in_part { Removal::FromHere } else { Removal::Elsewhere };
        }
        let firsts: Vec<Label> = match self.form.sees_all {
            true => at.moves.to_vec(),
            false => successors.iter().map(|successor| successor.step.label).collect(),
        };
        let positions = Position::after_each(&firsts, &offered, self.form);
        for successor in successors {
            // None, if it goes round and another filter is going to remove it.
            if let Some(step) = firsts.iter().position(|&step| step == successor.step.label) {
                self.tags.set(successor.node, positions[step].clone());
            }
        }
        Removal::Elsewhere
    }
}
