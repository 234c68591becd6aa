//! Names and types of the source for what the machine code knows by an address: from the debug information of the IR that it
//! was made from, in which all files of the program are one module. It is read when somebody tells a story.

use std::path::Path;

use threadbare_ir::debug::Variable;
use threadbare_ir::{Call, Callee, Const, DbgKind, Function, Inst, InstKind, Module, Value};
use threadbare_vm::{Declared, Type};

#[derive(Default)]
pub struct Source {
    /// One, or none where it could not be read: then things have the names that the linker knows.
    pub modules: Vec<Module>,
}

fn declared<'m>(variable: &Variable<'m>) -> Declared<'m> {
    Declared { name: variable.name, ty: variable.ty.map(|ty| (0, ty)) }
}

impl Source {
    pub fn read(file: &Path) -> Source {
        let module = std::fs::read(file).ok().and_then(|text| threadbare_ir::parse_bytes(&text).ok());
        Source { modules: module.into_iter().collect() }
    }

    /// A variable of static storage, or a thread-local one, by what the linker calls it.
    pub fn variable(&self, symbol: &str) -> Option<Declared<'_>> {
        let module = self.modules.first()?;
        let global = module.globals.iter().find(|global| global.name == symbol)?;
        global.dbg.iter().find_map(|&id| module.global_variable(id)).as_ref().map(declared)
    }

    fn function(&self, symbol: &str) -> Option<(&Module, &Function)> {
        let module = self.modules.first()?;
        Some((module, module.functions.iter().find(|function| function.name == symbol)?))
    }

    fn records<'m>(function: &'m Function, local: &str) -> impl Iterator<Item = (DbgKind, threadbare_ir::MdId)> + 'm {
        let number = function.local_names.iter().position(|name| name == local);
        let insts = function.blocks.iter().flat_map(|block| &block.insts);
        insts.filter_map(move |inst| match &inst.kind {
            InstKind::Dbg(record) => {
                let value = record.value.as_ref().map(|operand| &operand.value);
                let is_it = matches!(value, Some(Value::Local(local)) if Some(local.0 as usize) == number);
                is_it.then_some((record.kind, record.variable))
            }
            _ => None,
        })
    }

    /// A local variable by what the IR calls its place.
    pub fn local(&self, function: &str, place: &str) -> Option<Declared<'_>> {
        let (module, function) = self.function(function)?;
        let mut declares = Source::records(function, place).filter(|(kind, _)| *kind == DbgKind::Declare);
        declares.find_map(|(_, variable)| module.local_variable(variable)).as_ref().map(declared)
    }

    /// File and line of it.
    pub fn declaration(&self, function: &str, place: &str) -> Option<(String, u32)> {
        let (module, function) = self.function(function)?;
        let mut records = Source::records(function, place);
        let variable = records.find_map(|(_, variable)| module.local_variable(variable))?;
        Some((variable.file?.to_string(), variable.line))
    }

    /// Whether its address is handed on to nobody.
    pub fn is_private(&self, function: &str, place: &str) -> bool {
        let Some((_, function)) = self.function(function) else { return false };
        let number = function.local_names.iter().position(|name| name == place);
        number.is_some_and(|number| threadbare_vm::private_locals(function)[number])
    }

    /// File and line of the first thing that a function does.
    pub fn first_line(&self, function: &str) -> Option<(String, u32)> {
        let (module, function) = self.function(function)?;
        let mut places =
            function.blocks.iter().flat_map(|block| &block.insts).filter_map(|inst| module.location(inst.loc?));
        places.find(|at| at.line > 0).map(|at| (at.file.to_string(), at.line))
    }

    /// The types of the variables that get what a call at a place gives.
    pub fn takers(&self, function: &str, (line, column): (u32, u32)) -> Vec<Type> {
        let Some((module, function)) = self.function(function) else { return Vec::new() };
        let is_there = |inst: &&Inst| {
            let at = inst.loc.and_then(|at| module.location(at));
            matches!(&inst.kind, InstKind::Call(call) if !is_intrinsic(call))
                && at.is_some_and(|at| (at.line, at.column) == (line, column))
        };
        let calls = function.blocks.iter().flat_map(|block| &block.insts).filter(is_there);
        let names = calls.filter_map(|call| Some(&*function.local_names[call.result?.0 as usize]));
        let variables = names.flat_map(|name| Source::records(function, name));
        let types = variables.filter(|(kind, _)| *kind == DbgKind::Value);
        types.filter_map(|(_, variable)| Some((0, module.local_variable(variable)?.ty?))).collect()
    }
}

fn is_intrinsic(call: &Call) -> bool {
    matches!(&call.callee, Callee::Value(Value::Const(Const::Global(name))) if name.starts_with("llvm."))
}
