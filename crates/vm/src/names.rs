//! Positions and addresses in the words of the source.

use threadbare_core::Tid;
use threadbare_ir::{MdId, Module};

use crate::bytecode::{GlobalVar, Program};
use crate::fault::CodePos;
use crate::machine::VmMachine;
use crate::memory::{Addr, code_target};
use crate::scene::path_in;
use crate::thread::Status;

/// A start routine with a longer name is left out.
const SHORT: usize = 24;

impl VmMachine {
    /// What people call a thread: `the main thread`, ``thread 0.1 (`worker`)``.
    pub fn thread_name(&self, tid: Tid) -> String {
        if tid == Tid::MAIN {
            return "the main thread".into();
        }
        let name = self.names().name(tid);
        match self.start_routine(tid).filter(|routine| routine.len() <= SHORT) {
            Some(routine) => format!("thread {name} (`{routine}`)"),
            None => format!("thread {name}"),
        }
    }

    /// The function of the program that a live thread began with.
    pub fn start_routine(&self, tid: Tid) -> Option<&str> {
        let frames = if self.is_live(tid) { &self.thread(tid).frames[..] } else { &[] };
        let first = frames.iter().find(|frame| !self.program.is_library(frame.function))?;
        Some(&self.program.functions[first.function as usize].name)
    }
}

/// A line of the source.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SourcePos {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
}

impl Program {
    /// Keeps what describes types, and lets the code of the modules go.
    pub(crate) fn keep_types(&mut self, modules: Vec<Module>) {
        self.debug = modules
            .into_iter()
            .map(|module| Module { globals: Vec::new(), functions: Vec::new(), aliases: Vec::new(), ..module })
            .collect();
    }

    /// A function of the runtime, not of the program.
    pub fn is_library(&self, function: u32) -> bool {
        self.functions[function as usize].library
    }

    /// The source lines of a position: innermost first, where functions were inlined.
    pub fn source_of(&self, at: CodePos) -> Vec<SourcePos> {
        let function = &self.functions[at.function as usize];
        let mut next = self.nearest_location(at);
        let mut lines = Vec::new();
        while let Some(line) = self.source_at(next) {
            lines.push(line);
            next = self.locations[next as usize - 1].inlined_at;
        }
        if lines.is_empty() {
            lines.push(SourcePos { file: String::new(), line: 0, column: 0, function: function.name.to_string() });
        }
        lines
    }

    /// The source line of a location, given by its index plus one.
    pub(crate) fn source_at(&self, location: u32) -> Option<SourcePos> {
        let location = &self.locations[location.checked_sub(1)? as usize];
        Some(SourcePos {
            file: self.files[location.file as usize].to_string(),
            line: location.line,
            column: location.column,
            function: self.names[location.function as usize].to_string(),
        })
    }

    /// Whether what is declared there can be named at a position. Where code of another function was inlined, nobody knows.
    pub(crate) fn is_in_scope(&self, (m, declaration): (u16, MdId), at: CodePos) -> bool {
        let location = self.nearest_location(at).checked_sub(1).map(|index| &self.locations[index as usize]);
        let module = &self.debug[m as usize];
        let declared = module.local_variable(declaration).and_then(|variable| variable.scope);
        match (declared, location.map(|location| location.scope)) {
            (Some(outer), Some((of, inner)))
                if of == m && module.scope_subprogram(outer) == module.scope_subprogram(inner) =>
            {
                module.is_scope_inside(inner, outer)
            }
            _ => true,
        }
    }

    /// Operations that the compiler made up have line 0 or none: the nearest one before that has a line serves.
    fn nearest_location(&self, at: CodePos) -> u32 {
        let locations = &self.functions[at.function as usize].locations;
        let pc = (at.pc as usize).min(locations.len().saturating_sub(1));
        let known = |&&location: &&u32| location > 0 && self.locations[location as usize - 1].line > 0;
        locations[..=pc].iter().rev().find(known).or_else(|| locations[pc..].iter().find(known)).copied().unwrap_or(0)
    }

    /// The variable of static storage that an address lies in, and how far.
    pub(crate) fn global_at(&self, address: Addr) -> Option<(&GlobalVar, u64)> {
        let inside = |global: &&GlobalVar| address >= global.address && address - global.address < global.size.max(1);
        let global = self.globals.iter().find(inside).filter(|global| !global.name.starts_with(".str"))?;
        Some((global, address - global.address))
    }

    /// The address of a variable of static storage.
    pub fn global(&self, name: &str) -> Option<Addr> {
        self.globals.iter().find(|global| &*global.name == name).map(|global| global.address)
    }

    /// The source name of what lies at an address of static storage: `queue.items[3].key`.
    pub fn variable_at(&self, address: Addr) -> Option<String> {
        let (global, offset) = self.global_at(address)?;
        let path = path_in(&self.debug, global.ty, offset, 0);
        // What files of the runtime share has a mark before its name.
        let name = global.name.strip_prefix("__tbi_").unwrap_or(&global.name);
        Some(format!("{name}{path}"))
    }
}

impl Program {
    /// Whether it may read its standard input.
    pub fn reads_input(&self) -> bool {
        let reads = self.natives.iter().any(|site| matches!(site.native, crate::bytecode::Native::Read));
        // The functions that read files can read it as well: then what counts is whether somebody did.
        let has_files = || self.globals.iter().any(|global| &*global.name == "__tbi_open_files");
        reads && (!has_files() || crate::host::input_was_read())
    }

    /// The program's own lines of a stack, innermost first.
    pub fn own_lines(&self, stack: &[CodePos]) -> Vec<SourcePos> {
        stack.iter().filter(|at| !self.is_library(at.function)).flat_map(|at| self.source_of(*at)).collect()
    }

    /// The files that the program's own code comes from, as far as debug information names them.
    pub fn own_files(&self) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for function in self.functions.iter().filter(|function| !function.library) {
            for &location in function.locations.iter().filter(|location| **location > 0) {
                let file = &*self.files[self.locations[location as usize - 1].file as usize];
                if !files.iter().any(|known| known == file) {
                    files.push(file.to_string());
                }
            }
        }
        files
    }
}

impl VmMachine {
    /// Where a thread stands in the program's own code, innermost frame first.
    pub fn own_stack(&self, tid: Tid) -> Vec<SourcePos> {
        self.program.own_lines(&self.threads[tid.index()].stack())
    }

    /// The function of the program that a thread that exists was started with.
    pub fn start_function(&self, tid: Tid) -> Option<String> {
        if tid == Tid::MAIN {
            return Some("main".into());
        }
        let thread = &self.threads[tid.index()];
        if let Some(outermost) = self.own_stack(tid).last() {
            return Some(outermost.function.clone());
        }
        // Not started: the runtime's block says what it is going to call, in its first word.
        let frame = thread.frames.first()?;
        let block = *thread.slots.get(frame.base as usize)?;
        let (routine, _) = self.memory.load_n(block, 8).ok()?;
        let (function, _) = code_target(routine)?;
        Some(self.program.functions.get(function as usize)?.name.to_string())
    }

    /// Whether the thread is there, or has been there.
    pub fn has_been_created(&self, tid: Tid) -> bool {
        self.exists.get(tid.index()).copied().unwrap_or(false)
    }

    /// Whether a failed `assume` has stopped this thread.
    pub fn is_stopped(&self, tid: Tid) -> bool {
        self.has_status(tid, Status::Cut)
    }

    /// Whether its own error has stopped this thread.
    pub fn has_failed(&self, tid: Tid) -> bool {
        self.has_status(tid, Status::Failed)
    }

    fn has_status(&self, tid: Tid, status: Status) -> bool {
        self.has_been_created(tid) && self.threads[tid.index()].control.status == status
    }
}
