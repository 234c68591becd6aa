//! Which registers matter before each operation: those that are read before they are written. What does not matter is
//! no part of a state.

use super::bytecode::{Function, Live, Operand};

/// Backwards over the code until nothing changes.
pub fn live(function: &Function, operands: &[Operand]) -> Live {
    let words = (function.registers as usize).div_ceil(64).max(1);
    let mut bits = vec![0u64; (function.code.len() + 1) * words];
    let mut changed = true;
    while changed {
        changed = false;
        for (pc, op) in function.code.iter().enumerate().rev() {
            let mut after = vec![0u64; words];
            for next in op.successors(pc) {
                let from = &bits[next * words..][..words];
                after.iter_mut().zip(from).for_each(|(word, bits)| *word |= bits);
            }
            if let Some(d) = op.result() {
                after[d as usize / 64] &= !(1 << (d % 64));
            }
            op.each_operand(operands, |operand| {
                if let Some(register) = operand.as_register() {
                    after[register as usize / 64] |= 1 << (register % 64);
                }
            });
            let before = &mut bits[pc * words..][..words];
            if before != after.as_slice() {
                before.copy_from_slice(&after);
                changed = true;
            }
        }
    }
    Live { words, bits }
}
