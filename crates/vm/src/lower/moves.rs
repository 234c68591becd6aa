//! Moves that happen at once, as on the edge into a block with phis, put into an order that gives the same.

use super::function::{Body, Src};
use crate::bytecode::{Op, Slot};

impl Body<'_, '_> {
    pub fn parallel_moves(&mut self, mut moves: Vec<(Slot, Src)>) {
        moves.retain(|&(d, src)| src != Src::Slot(d));
        while !moves.is_empty() {
            // A move whose target nobody reads any more can be done.
            let ready =
                moves.iter().position(|&(d, _)| !moves.iter().any(|&(other, src)| src == Src::Slot(d) && other != d));
            match ready {
                Some(i) => {
                    let (d, src) = moves.swap_remove(i);
                    self.move_to(d, src);
                }
                None => {
                    // Only cycles are left: free one target by keeping its value aside.
                    let (d, _) = moves[0];
                    let aside = self.temp(1);
                    self.emit(Op::Mov { d: aside, a: d });
                    for (_, src) in &mut moves {
                        if *src == Src::Slot(d) {
                            *src = Src::Slot(aside);
                        }
                    }
                }
            }
        }
    }
}
