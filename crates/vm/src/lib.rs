//! The virtual machine: executes the LLVM IR of a C program exactly as the hardware does, one visible operation at a
//! time, and can go back.
//!
//! `frontend` makes IR of C files, `link` and `lower` make a `Program` of bytecode, `VmMachine` runs it: `interp` the
//! local code of a thread, `visible` what other threads can see. `memory` holds the objects and the undo log.

pub mod assembly;
mod by_heart;
mod bytecode;
mod calls;
mod diagnose;
mod distinct;
mod f80;
mod fault;
mod fine;
mod foresee;
mod frontend;
mod host;
mod interp;
mod invariants;
mod kin;
mod known;
mod labels;
mod layout;
mod leaks;
mod link;
mod liveness;
mod locals;
mod loops;
mod lower;
mod machine;
mod matching;
mod math;
mod may_access;
mod memory;
mod names;
mod native;
mod nondet;
mod observe;
mod opened;
mod origin;
mod parts;
mod passing;
mod points;
mod quick;
mod races;
mod runtime;
mod scalar;
mod scene;
mod seen;
mod spins;
mod symmetry;
mod system;
mod tail;
mod tell;
mod temporaries;
mod thread;
mod uninit;
mod uses;
mod varargs;
mod visible;

pub use bytecode::{Function, Location, Program};
pub use diagnose::program_position;
pub use fault::{CodePos, Fault, FaultKind, FaultObject, Waiter};
pub use fine::private_locals;
pub use frontend::code::{Linkage, Object, foreign_libraries, renamed_in, support_names};
pub use frontend::expressions::{column_in as column_in_proposition, number_of as proposition_of};
pub use frontend::renamed::names_of;
pub use frontend::texts::{Texts, texts};
pub use frontend::{
    Foreign, LLVM_MAJOR, LoadError, Proposition, Sources, Tools, elf, flags, include_folder, record, temporary_folder,
};
pub use host::{HostFile, host_bytes, host_file, host_files_read};
pub use invariants::{Sight, note_seen, written};
pub use kin::Kin;
pub use labels::{Labels, PROGRESS};
pub use layout::size_of;
pub use leaks::LostObjects;
pub use link::{Linked, Symbol};
pub use locals::LocalValue;
pub use lower::LowerError;
pub use machine::{Limits, SavedState, Setup, VmMachine};
pub use math::{NAMES as MATH_NAMES, types_of as math_types_of};
pub use memory::ObjectKind;
pub use names::SourcePos;
pub use native::signal_message;
pub use nondet::{Bounded, bounded_choices};
pub use observe::{OBSERVED, Reads, Variable, Wanted, Watched, place_of, watch};
pub use parts::{Move, Part, TOO_LONG, is_too_long, moves};
pub use passing::Signature;
pub use races::{OtherAccess, PlainAccess, RaceVerb};
pub use runtime::cache_folder;
pub use scalar::rmw64;
pub use scene::{Declared, Scene, Thing, Type, What, pointee, scalar_bytes, show, variable_at};
pub use spins::{WayBack, waiting_loops};
pub use system::{Console, System};
pub use tell::Teller;
pub use temporaries::{cast, temporaries};

use threadbare_core::{Operation, Role};

/// Compiles, links and lowers a program.
pub fn load(sources: &Sources) -> Result<Program, LoadError> {
    use Operation::*;
    let mut linked = frontend::load(sources)?;
    temporaries::become_casts(&mut linked);
    parts::take_apart(&mut linked, sources.every_access)?;
    match sources.every_access {
        true => fine::make_accesses_visible(&mut linked),
        false => spins::yield_in_waiting_loops(&mut linked),
    }
    let assumes_by_abort = sources.exploring && nondet::bound_choices(&mut linked);
    let labels = labels::make_visible(&mut linked, &sources.labels);
    let invariants =
        sources.invariants.iter().map(|name| observe::Wanted { function: name, name, role: Role::Invariant });
    let functions = frontend::functions_of(&sources.propositions);
    let propositions = functions.iter().zip(&sources.propositions).map(|(function, proposition)| observe::Wanted {
        function,
        name: proposition.words(),
        role: Role::Proposition,
    });
    let watched =
        observe::watch(&mut linked, &invariants.chain(propositions).collect::<Vec<_>>()).map_err(in_proposition)?;
    let abstraction = sources.abstraction.as_ref().map(|name| observe::abstraction(&linked, name)).transpose()?;
    let mut program =
        lower::lower(&linked, &watched, abstraction.as_ref()).map_err(|error| in_proposition(error.into()))?;
    program.labels = labels;
    program.assumes_by_abort = assumes_by_abort;
    loops::find_waiting(&mut program);
    let asks = |op| matches!(op, ThreadTryJoin | ThreadTimedJoin | ThreadDetach | ThreadCancel | TestCancel);
    program.plain_threads = !program.visibles.iter().any(|site| asks(site.operation));
    let compares = |site: &bytecode::VisibleSite| match site.operation {
        CompareExchange | ReadModifyWrite => true,
        Load | Store => site.may_wait,
        _ => false,
    };
    program.compares = program.visibles.iter().any(compares);
    program.cancels = program.visibles.iter().any(|site| site.operation == Operation::ThreadCancel);
    program.reads_clock = program.visibles.iter().any(|site| site.operation == Clock);
    program.foreign = linked.foreign.assumptions();
    program.keep_types(linked.modules);
    program.leave_out(&sources.ignored)?;
    Ok(program)
}

/// What is wrong with an expression that was given stands in no file.
fn in_proposition(error: LoadError) -> LoadError {
    if let LoadError::Lower(LowerError::Unsupported { message, file: Some(file), .. }) = &error
        && let Some(number) = frontend::expressions::number_of(file)
    {
        return LoadError::Proposition { number, column: 1, message: message.clone() };
    }
    error
}

impl Program {
    /// The variables and functions of the program itself, for whoever looks for a name.
    pub fn own_names(&self) -> Vec<String> {
        let variables = self.globals.iter().filter(|global| !global.library).map(|global| global.name.to_string());
        let functions =
            self.functions.iter().filter(|function| !function.library).map(|function| function.name.to_string());
        let names = variables.chain(functions).filter(|name| !name.starts_with(['.', '_']) && !name.contains('.'));
        names.collect()
    }

    pub fn frees_memory(&self) -> bool {
        let own = |name: &str| matches!(name, "free" | "realloc");
        self.functions.iter().any(|function| function.library && own(&function.name))
    }

    /// Whether the program itself has volatile accesses.
    pub fn has_volatile_accesses(&self) -> bool {
        use bytecode::{Atomicity, Op, VisibleDetail};
        self.functions.iter().filter(|function| !function.library).flat_map(|function| &function.code).any(|op| {
            let Op::Visible { site, .. } = op else { return false };
            matches!(self.visibles[*site as usize].detail, VisibleDetail::Access { ordering: Atomicity::Volatile, .. })
        })
    }

    /// Whether it may wait on condition variables.
    pub fn waits_on_conditions(&self) -> bool {
        use Operation::{CondLeave, CondLeaveTimed};
        self.visibles.iter().any(|site| matches!(site.operation, CondLeave | CondLeaveTimed))
    }
}
