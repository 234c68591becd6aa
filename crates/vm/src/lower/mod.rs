//! From linked IR modules to a program of bytecode.
//!
//! Functions and variables are lowered when something that is reachable from the entry refers to them, so that a
//! library may hold what the machine does not support as long as nobody uses it. What is unsupported becomes an
//! operation that refuses by name when it is reached.

mod access;
mod big;
mod call;
mod casts;
mod constant;
mod escape;
mod function;
mod instruction;
mod intrinsic;
mod moves;
mod primitive;
mod scalars;
pub(crate) mod source;
mod tidy;

pub(crate) use primitive::{Primitive, primitive};

use rustc_hash::FxHashMap;
use threadbare_ir::{Module, TypeId};

use crate::bytecode::*;
use crate::frontend::Foreign;
use crate::invariants::{Invariant, Sight};
use crate::layout::{Layout, Unsupported};
use crate::link::{Linked, Symbol};
use crate::liveness::Results;
use crate::matching::Abstraction;
use crate::memory::{Addr, Memory, code_address};
use crate::observe::{Reads, Watched};
use crate::passing;

/// What stands in the way of running a program at all.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LowerError {
    #[error("the program has no function `{name}`{why}")]
    MissingFunction { name: &'static str, why: String },
    #[error("{message}")]
    Unsupported { message: String, file: Option<String>, line: u32 },
}

impl LowerError {
    /// It may be in what nobody executes.
    pub fn missing(name: &'static str, foreign: &Foreign) -> LowerError {
        let why = foreign.assumptions().into_iter().map(|what| format!("; {what}")).collect();
        LowerError::MissingFunction { name, why }
    }
}

pub(crate) struct Lowering<'m> {
    pub linked: &'m Linked,
    pub layouts: Vec<Layout<'m>>,
    pub program: Program,
    functions: FxHashMap<(usize, usize), u32>,
    stubs: FxHashMap<String, u32>,
    variables: FxHashMap<(usize, usize), Addr>,
    thread_locals: FxHashMap<(usize, usize), u32>,
    arrays: FxHashMap<String, Addr>,
    next_global: u32,
    work: Vec<Work>,
    escapes: escape::Escapes,
    pub source: source::SourceMap,
}

enum Work {
    Function(u32, usize, usize),
    Variable(usize, usize, usize),
    ThreadLocal(usize, usize, usize),
}

/// What a name means to a call or an address.
pub(crate) enum Named {
    Function(u32),
    Data(Addr),
    ThreadLocal(u32),
    /// Nothing of that name: a weak reference is null.
    WeakNull,
    /// Not defined by anybody; the machine itself may know it.
    External(String),
}

/// Lowers everything that `__tb_start` reaches.
pub fn lower(linked: &Linked, watched: &[Watched], abstraction: Option<&Watched>) -> Result<Program, LowerError> {
    let mut lowering = Lowering {
        linked,
        layouts: linked.modules.iter().map(|module| Layout::new(&module.types)).collect(),
        program: Program::default(),
        functions: FxHashMap::default(),
        stubs: FxHashMap::default(),
        variables: FxHashMap::default(),
        thread_locals: FxHashMap::default(),
        arrays: FxHashMap::default(),
        next_global: 0,
        work: Vec::new(),
        escapes: escape::Escapes::default(),
        source: source::SourceMap::default(),
    };
    lowering.run(watched, abstraction)?;
    let mut program = lowering.program;
    program.number_signatures();
    let mut results = Results::default();
    for i in 0..program.functions.len() {
        let mut function = std::mem::replace(&mut program.functions[i], Function::default_for_swap());
        // Calls look at the callee's parameters, also at those of the function itself.
        program.functions[i].param_slots = function.param_slots;
        program.functions[i].results = function.results.clone();
        tidy::tidy(&mut program, &mut function);
        crate::liveness::compute(&program, &mut function, &mut results);
        program.functions[i] = function;
    }
    // A site may stand at several places.
    for (sites, in_vain) in [(&results.in_vain, true), (&results.needed, false)] {
        sites.iter().for_each(|&site| program.visibles[site as usize].in_vain = in_vain);
    }
    Ok(program)
}

impl<'m> Lowering<'m> {
    fn run(&mut self, watched: &[Watched], abstraction: Option<&Watched>) -> Result<(), LowerError> {
        match self.linked.resolve(0, "main") {
            Some(Symbol::Function(m, f)) => self.check_main(m, f)?,
            _ => return Err(LowerError::missing("main", &self.linked.foreign)),
        }
        let entry = match self.linked.resolve(0, "__tb_start") {
            Some(Symbol::Function(m, f)) => self.function_index(m, f),
            _ => return Err(LowerError::missing("__tb_start", &self.linked.foreign)),
        };
        self.program.entry = entry;
        if !watched.is_empty() || abstraction.is_some() {
            self.add_rest();
        }
        if let Some(Watched { name, function: (m, f), .. }) = abstraction {
            let function = self.function_index(*m, *f);
            self.program.matching.abstraction = Some(Abstraction { name: name.as_str().into(), function });
        }
        for invariant in watched {
            self.add_invariant(invariant)?;
        }
        while let Some(work) = self.work.pop() {
            match work {
                Work::Function(index, m, f) => self.lower_function(index, m, f),
                Work::Variable(slot, m, g) => {
                    let filled = self.initial_value(m, g);
                    let variable = &mut self.program.globals[slot];
                    (variable.bytes, variable.undefined) = filled?;
                }
                Work::ThreadLocal(slot, m, g) => {
                    let filled = self.initial_value(m, g);
                    let variable = &mut self.program.thread_locals[slot];
                    (variable.bytes, variable.undefined) = filled?;
                }
            }
        }
        Ok(())
    }

    /// See `Program::rest`.
    fn add_rest(&mut self) {
        let site = self.program.visibles.len() as u32;
        let (operation, detail) = (threadbare_core::Operation::Yield, VisibleDetail::Library);
        self.program.visibles.push(VisibleSite {
            operation,
            detail,
            args: Vec::new(),
            result_slots: 0,
            may_wait: false,
            in_vain: false,
        });
        let mut rest = Function::default_for_swap();
        rest.name = "(invariants)".into();
        rest.code = vec![Op::Visible { site, d: 0 }, Op::Unreachable];
        rest.locations = vec![0; 2];
        rest.slots = 1;
        rest.library = true;
        self.program.rest = self.program.functions.len() as u32;
        self.program.functions.push(rest);
    }

    /// The function of an invariant, which nothing else need refer to, and the bytes that it reads.
    fn add_invariant(&mut self, watched: &Watched) -> Result<(), LowerError> {
        let (m, f) = watched.function;
        let function = self.function_index(m, f);
        let code = &self.module(m).functions[f];
        let place = self.source.function_location(&mut self.program, self.linked, m, code);
        let unsupported = |Unsupported(what): Unsupported| LowerError::Unsupported {
            message: format!("the {} `{}` reads {what}", watched.role.name(), watched.name),
            file: None,
            line: 0,
        };
        let sight = match &watched.reads {
            Reads::Everything => Sight::Everything,
            Reads::Variables { whole, parts } => {
                let mut ranges = Vec::new();
                for &(m, g) in whole {
                    let address = self.variable_address(m, g);
                    let size =
                        self.program.globals.iter().find(|global| global.address == address).map_or(0, |g| g.size);
                    ranges.push(address..address + size);
                }
                for (m, constant, ty) in parts {
                    let address = self.constant_address(*m, constant).map_err(unsupported)?;
                    let size = self.layouts[*m].size(*ty).map_err(unsupported)?;
                    ranges.push(address..address + size);
                }
                Sight::Ranges(ranges)
            }
        };
        let (name, role) = (watched.name.as_str().into(), watched.role);
        self.program.invariants.push(Invariant { name, function, place, sight, role });
        Ok(())
    }

    /// Natively a `main` of another type may do anything; one without a result ends with 0 here.
    fn check_main(&mut self, m: usize, f: usize) -> Result<(), LowerError> {
        let signature = self.signature(m, f);
        let words = |classes: &[ArgClass]| classes.iter().all(|class| *class == ArgClass::Word);
        let fits = words(&signature.params) && signature.params.len() <= 3;
        let function = &self.module(m).functions[f];
        // A structure as the result shows as a hidden parameter.
        let hidden = function.params.first().is_some_and(|param| param.attrs.sret.is_some());
        if fits && !hidden && words(&signature.results) && signature.results.len() <= 1 {
            return Ok(());
        }
        let location = self.source.function_location(&mut self.program, self.linked, m, function);
        let place = location.checked_sub(1).map(|at| &self.program.locations[at as usize]);
        Err(LowerError::Unsupported {
            message: "`main` has a type that no `main` has: it takes nothing or (int, char **), and gives an int"
                .into(),
            file: place.map(|place| self.program.files[place.file as usize].to_string()),
            line: place.map_or(0, |place| place.line),
        })
    }

    pub fn module(&self, m: usize) -> &'m Module {
        &self.linked.modules[m]
    }

    /// The number of a defined function; it is lowered in its turn.
    pub fn function_index(&mut self, m: usize, f: usize) -> u32 {
        if let Some(&index) = self.functions.get(&(m, f)) {
            return index;
        }
        let index = self.program.functions.len() as u32;
        self.functions.insert((m, f), index);
        let signature = self.signature(m, f);
        self.program.functions.push(signature);
        self.work.push(Work::Function(index, m, f));
        index
    }

    /// A function with its outside only: name, parameters, results.
    fn signature(&self, m: usize, f: usize) -> Function {
        let function = &self.module(m).functions[f];
        let mut shell = Function::default_for_swap();
        shell.varargs = function.varargs;
        shell.library = m >= self.linked.user_modules;
        shell.name = if shell.library { primitive::source_name(&function.name) } else { &function.name }.into();
        shell.returns_twice = self.calls_setjmp(m, f);
        // A type that the machine cannot represent is refused when the function is lowered.
        shell.params = function
            .params
            .iter()
            .flat_map(|param| self.classes(m, param.ty, param.attrs.byval, param.attrs.align).unwrap_or_default())
            .collect();
        shell.results = self.classes(m, function.ret, None, 0).unwrap_or_default();
        shell.param_slots = shell.params.iter().map(|class| class.slots()).sum();
        shell
    }

    /// How values of a type are passed.
    pub fn classes(
        &self,
        m: usize,
        ty: TypeId,
        byval: Option<TypeId>,
        align: u32,
    ) -> Result<Vec<ArgClass>, Unsupported> {
        passing::classes(&self.layouts[m], ty, byval, align)
    }

    pub fn named(&mut self, m: usize, name: &str) -> Named {
        if let Some(list) = name.strip_prefix("__tb_array_") {
            return Named::Data(self.constructor_array(list));
        }
        match self.linked.resolve(m, name) {
            Some(Symbol::Function(m, f)) => Named::Function(self.function_index(m, f)),
            Some(Symbol::Global(m, g)) if self.module(m).globals[g].thread_local => {
                Named::ThreadLocal(self.thread_local_index(m, g))
            }
            Some(Symbol::Global(m, g)) => Named::Data(self.variable_address(m, g)),
            Some(Symbol::Alias(m, a)) if self.module(m).aliases[a].ifunc => Named::External(name.into()),
            Some(Symbol::Alias(m, a)) => {
                let target = self.module(m).aliases[a].target.clone();
                match self.constant_address(m, &target) {
                    Ok(address) => match crate::memory::code_target(address) {
                        Some((f, 0)) => Named::Function(f),
                        _ => Named::Data(address),
                    },
                    Err(_) => Named::External(name.into()),
                }
            }
            Some(Symbol::WeakUndefined) => Named::WeakNull,
            None => Named::External(name.into()),
        }
    }

    /// The address of anything that has a name. A function that only the machine knows gets a stub that calls it.
    pub fn address_of(&mut self, m: usize, name: &str) -> Result<Addr, Unsupported> {
        Ok(match self.named(m, name) {
            Named::Function(f) => {
                self.program.address_taken.insert(f);
                code_address(f)
            }
            Named::Data(address) => address,
            Named::WeakNull => 0,
            Named::ThreadLocal(_) => {
                return Err(Unsupported("the address of a thread-local variable in a constant".into()));
            }
            Named::External(name) => {
                if self.linked.is_variable(m, &name) {
                    return Err(Unsupported(format!("the variable `{name}`, which is defined nowhere,")));
                }
                let f = self.stub(m, &name);
                self.program.address_taken.insert(f);
                code_address(f)
            }
        })
    }

    fn new_variable(&mut self, m: usize, g: usize, address: Addr) -> GlobalVar {
        let global = &self.module(m).globals[g];
        let (size, align) = self.layouts[m].size_align(global.ty).unwrap_or((0, 1));
        let size = self.linked.common_size(m, g).map_or(size, |common| common.max(size));
        let info = source::variable_info(self.module(m), global);
        let (file, line) =
            info.as_ref().map_or((0, 0), |info| (self.source.file(&mut self.program, &info.file), info.line));
        GlobalVar {
            name: info.as_ref().map_or(global.name.as_str(), |info| info.name.as_str()).into(),
            symbol: global.name.as_str().into(),
            size,
            align: align.max(global.align.into()),
            constant: global.constant,
            address,
            bytes: Vec::new(),
            undefined: Vec::new(),
            library: m >= self.linked.user_modules,
            ty: info.and_then(|info| info.ty).map(|ty| (m as u16, ty)),
            file,
            line,
        }
    }

    pub fn variable_address(&mut self, m: usize, g: usize) -> Addr {
        if let Some(&address) = self.variables.get(&(m, g)) {
            return address;
        }
        let address = Memory::global_address(self.next_global);
        self.variables.insert((m, g), address);
        let variable = self.new_variable(m, g, address);
        self.next_global = Memory::next_global(self.next_global, variable.size);
        self.work.push(Work::Variable(self.program.globals.len(), m, g));
        self.program.globals.push(variable);
        address
    }

    pub fn thread_local_index(&mut self, m: usize, g: usize) -> u32 {
        if let Some(&index) = self.thread_locals.get(&(m, g)) {
            return index;
        }
        let index = self.program.thread_locals.len() as u32;
        self.thread_locals.insert((m, g), index);
        let variable = self.new_variable(m, g, 0);
        self.work.push(Work::ThreadLocal(index as usize, m, g));
        self.program.thread_locals.push(variable);
        index
    }

    /// `__tb_array_init` and `__tb_array_fini`: the constructors and destructors of all modules by priority, as an array
    /// of pointers that ends with null.
    fn constructor_array(&mut self, which: &str) -> Addr {
        if let Some(&address) = self.arrays.get(which) {
            return address;
        }
        let pointers = self.linked.constructors(which == "init");
        let mut bytes = Vec::new();
        for (m, name) in pointers {
            let address = self.address_of(m, &name).unwrap_or(0);
            bytes.extend(address.to_le_bytes());
        }
        bytes.extend([0; 8]);
        let address = Memory::global_address(self.next_global);
        self.next_global = Memory::next_global(self.next_global, bytes.len() as u64);
        self.arrays.insert(which.into(), address);
        self.program.globals.push(GlobalVar {
            name: format!("__tb_array_{which}").into(),
            symbol: format!("__tb_array_{which}").into(),
            size: bytes.len() as u64,
            align: 8,
            constant: true,
            address,
            bytes,
            undefined: Vec::new(),
            library: true,
            ty: None,
            file: 0,
            line: 0,
        });
        address
    }
}
