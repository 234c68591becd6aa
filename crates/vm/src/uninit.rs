//! `--uninit allow`: whatever was never set is zero, and nobody complains.

use crate::bytecode::{Op, Program};

impl Program {
    /// Values that the compiler left open, and variables without an initial value, are zero. `Setup::zeroed` does the same
    /// for what is made later.
    pub fn define_everything(&mut self) {
        for op in self.functions.iter_mut().flat_map(|function| &mut function.code) {
            if let Op::Undef { d, .. } = *op {
                *op = Op::Imm { d, i: 0 };
            }
        }
        for variable in self.globals.iter_mut().chain(&mut self.thread_locals) {
            variable.undefined.clear();
        }
    }
}
