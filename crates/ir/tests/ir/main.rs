//! The reader from outside: what it makes of text, what it refuses, and that nothing makes it panic.

mod clang;
mod constants;
mod debug_info;
mod errors;
mod instructions;
mod limits;
mod modules;
mod mutations;

use threadbare_ir::{Function, Inst, Module, parse};

/// Parses text that must be right.
fn module(text: &str) -> Module {
    match parse(text) {
        Ok(module) => module,
        Err(error) => panic!("{error}\n{text}"),
    }
}

fn function<'m>(module: &'m Module, name: &str) -> &'m Function {
    let found = module.functions.iter().find(|function| function.name == name);
    found.unwrap_or_else(|| panic!("no function '{name}'"))
}

fn insts(function: &Function) -> impl Iterator<Item = &Inst> {
    function.blocks.iter().flat_map(|block| &block.insts)
}

/// The type of an instruction's result in LLVM's notation; empty without result.
fn result_type(module: &Module, function: &Function, inst: &Inst) -> String {
    let result = inst.result.map(|id| function.local_types[id.0 as usize]);
    result.map(|ty| module.types.display(ty).to_string()).unwrap_or_default()
}
