//! The small language for models, files `*.tb`: docs/language.md tells what it is.
//!
//! `lexer` and `parser` make an `ast`, `types` refuses what makes no sense, `compile` makes a `TbProgram` of small
//! operations, and `TbMachine` runs that: `thread` the local code, `machine` what others can see. `liveness`, `waiting`
//! and `reach` find out from the code what matters of a state, where a thread may wait, and what it may still touch.

mod ast;
mod bytecode;
mod compile;
mod fault;
mod invariants;
mod lexer;
mod liveness;
mod machine;
mod parser;
mod reach;
mod symmetry;
mod tell;
mod thread;
mod types;
mod undo;
mod values;
mod waiting;

pub use bytecode::{Array, TbProgram, Value};
pub use fault::{Position, TbFault, TbWaiter};
pub use invariants::Invariant;
pub use machine::{SavedState, TbMachine, TbSetup};
pub use symmetry::Symmetry;
pub use thread::{Limits, Status};
pub use threadbare_core::source::{Complaint, LineColumn, Source, Span};
use threadbare_core::{Role, source};

/// Reads a program and makes it ready to run. `definitions` are values for its parameters.
pub fn load(source: &Source, definitions: &[(String, String)]) -> Result<TbProgram, Box<Complaint>> {
    load_with(source, definitions, &[], &[])
}

/// The same with functions that are to hold in every state, and others that somebody asks for in states.
pub fn load_with(
    source: &Source,
    definitions: &[(String, String)],
    invariants: &[String],
    propositions: &[String],
) -> Result<TbProgram, Box<Complaint>> {
    let load = || {
        let mut module = parser::parse(source)?;
        invariants.iter().try_for_each(|name| module.watch(name, Role::Invariant))?;
        propositions.iter().try_for_each(|name| module.watch(name, Role::Proposition))?;
        types::check(source, &module)?;
        compile::compile(source, &module, definitions)
    };
    // Expressions may lie deep inside each other, and each level takes some of the stack.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, load);
        thread.expect("room for a thread").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Enough for `parser::DEEPEST` levels.
const STACK: usize = 64 << 20;
