//! Small concurrent programs as data: an in-memory machine that is simple enough to be trusted, the same programs as C
//! as `.tb` and as Promela, and a generator of random ones. Strategies are tested on them.

mod generate;
mod knowledge;
mod machine;
mod may_access;
mod plain;
mod program;
mod to_c;
mod to_promela;
mod to_tb;

pub use generate::{generate, generate_endless, generate_with_error_checks, generate_with_invariant};
pub use machine::{ModelError, ModelMachine, Plain, State};
pub use plain::with_plain_accesses;
pub use program::{Cells, Code, Expr, Instr, Order, Program, REGISTERS, Reg};
pub use to_c::to_c;
pub use to_promela::to_promela;
pub use to_tb::{Wording, side_by_side, to_tb};
