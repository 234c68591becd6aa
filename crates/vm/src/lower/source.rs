//! From debug information to the tables of source positions and variable names.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use threadbare_ir::{DbgKind, DbgOp, DbgRecord, Function, Global, Inst, InstKind, LocalId, MdId, Module, Value};

use crate::bytecode::{Location, Program};
use crate::link::Linked;

/// What is in the tables already.
#[derive(Default)]
pub struct SourceMap {
    locations: FxHashMap<(usize, MdId), u32>,
    files: FxHashMap<Arc<str>, u32>,
    names: FxHashMap<String, u32>,
}

impl SourceMap {
    pub fn file(&mut self, program: &mut Program, path: &str) -> u32 {
        if let Some(&index) = self.files.get(path) {
            return index;
        }
        let index = program.files.len() as u32;
        program.files.push(path.into());
        self.files.insert(path.into(), index);
        index
    }

    pub fn name(&mut self, program: &mut Program, name: &str) -> u32 {
        if let Some(&index) = self.names.get(name) {
            return index;
        }
        let index = program.names.len() as u32;
        program.names.push(name.into());
        self.names.insert(name.into(), index);
        index
    }

    /// The number of a `DILocation` in the table plus one; 0 where there is none. Line 0 is "made by the compiler".
    pub fn location(&mut self, program: &mut Program, linked: &Linked, m: usize, id: Option<MdId>) -> u32 {
        let Some(id) = id else { return 0 };
        if let Some(&index) = self.locations.get(&(m, id)) {
            return index;
        }
        let module = &linked.modules[m];
        let Some(found) = module.location(id) else {
            return 0;
        };
        // Entered before the callers, so that a circle of inlining ends.
        self.locations.insert((m, id), 0);
        let inlined_at = self.location(program, linked, m, found.inlined_at);
        let function = module.scope_function(found.scope).unwrap_or("").to_string();
        let location = Location {
            file: self.file(program, &found.file),
            line: found.line,
            column: found.column,
            function: self.name(program, &function),
            scope: (m as u16, found.scope),
            inlined_at,
        };
        program.locations.push(location);
        let index = program.locations.len() as u32;
        self.locations.insert((m, id), index);
        index
    }

    /// Where the first of some instructions is that has a line.
    pub fn first_location<'i>(
        &mut self,
        program: &mut Program,
        linked: &Linked,
        m: usize,
        mut insts: impl Iterator<Item = &'i Inst>,
    ) -> u32 {
        let has_line = |id: &MdId| linked.modules[m].location(*id).is_some_and(|location| location.line > 0);
        let first = insts.find_map(|inst| inst.loc.filter(has_line));
        self.location(program, linked, m, first)
    }

    /// Where a function begins.
    pub fn function_location(&mut self, program: &mut Program, linked: &Linked, m: usize, function: &Function) -> u32 {
        let insts = function.blocks.iter().flat_map(|block| &block.insts);
        match self.first_location(program, linked, m, insts) {
            0 => self.location(program, linked, m, function.subprogram),
            first => first,
        }
    }
}

pub struct VariableInfo {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub ty: Option<MdId>,
}

pub fn variable_info(module: &Module, global: &Global) -> Option<VariableInfo> {
    let variable = global.dbg.iter().find_map(|&id| module.global_variable(id))?;
    Some(VariableInfo {
        name: variable.name.to_string(),
        file: variable.file.as_deref().unwrap_or("").to_string(),
        line: variable.line,
        ty: variable.ty,
    })
}

/// How the operand of a debug record leads to the variable.
pub enum DebugPlace {
    Value,
    Address,
    /// In a way that is not followed here.
    Other,
}

/// The variable of a record, and how it is found.
pub fn debug_variable(module: &Module, record: &DbgRecord) -> Option<(String, Option<MdId>, DebugPlace)> {
    if record.kind == DbgKind::Label {
        return None;
    }
    let variable = module.local_variable(record.variable)?;
    let place = match (record.kind, &record.expression[..]) {
        (DbgKind::Declare, []) => DebugPlace::Address,
        (DbgKind::Value, []) => DebugPlace::Value,
        (DbgKind::Value, [DbgOp::Word(word)]) if word == "DW_OP_deref" => DebugPlace::Address,
        _ => DebugPlace::Other,
    };
    Some((variable.name.to_string(), variable.ty, place))
}

/// The name of the variable that lies in what an `alloca` made, and where it is declared. A pointer to it is none.
pub fn alloca_variable(module: &Module, function: &Function, local: LocalId) -> Option<(String, Option<MdId>)> {
    function.blocks.iter().flat_map(|block| &block.insts).find_map(|inst| match &inst.kind {
        InstKind::Dbg(record) if record.value.as_ref().is_some_and(|operand| operand.value == Value::Local(local)) => {
            let (name, _, place) = debug_variable(module, record)?;
            matches!(place, DebugPlace::Address).then_some((name, inst.loc))
        }
        _ => None,
    })
}
