//! Small concurrent programs as data: an in-memory machine that is simple enough to be trusted, the same programs as C,
//! and a generator of random ones. Strategies are tested on them.

mod generate;
mod machine;
mod may_access;
mod program;
mod to_c;

pub use generate::{Random, generate};
pub use machine::{ModelError, ModelMachine, State};
pub use program::{Code, Expr, Instr, Program, REGISTERS, Reg};
pub use to_c::to_c;
