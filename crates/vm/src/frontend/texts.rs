//! The same sources for a machine that executes machine code: the text of their IR as clang makes it, without what only the
//! virtual machine understands, and the modules of the C runtime that they need.

use std::process::Command;

use threadbare_ir::Module;

use super::code::Linkage;
use super::{
    LoadError, Sources, Tools, Unit, Units, expressions, extension, flags, in_parallel, include_folder, optimise, run,
    run_on, temporary_folder, unreadable_ir, with_flags,
};
use crate::link::{Linked, refuse_other_choices};

/// A program as text.
pub struct Texts {
    pub tools: Tools,
    /// One for each file.
    pub own: Vec<Vec<u8>>,
    /// Those of the runtime.
    pub runtime: Vec<Vec<u8>>,
    /// All of them read and linked: who defines what.
    pub linked: Linked,
    /// The machine code that belongs to it.
    pub code: Linkage,
}

/// Compiles and reads everything. `extra` are flags of the machine's own. At level 0, variables that only their function
/// knows are taken out of memory, as for the virtual machine: what is left there of earlier values would tell states apart.
pub fn texts(sources: &Sources, extra: &[&str]) -> Result<Texts, LoadError> {
    let units = Units::of(sources)?;
    let turns = units.turns();
    let Units { list: mut units, mut foreign, code, offered, .. } = units;
    if let Some(unit) = units.iter().find(|unit| !unit.is_source() && extension(&unit.file) != "i") {
        return Err(LoadError::Tool(format!("{}: the native backend takes C source (.c)", unit.file.display())));
    }
    flags::refuse_sanitizers(&sources.clang_flags)?;
    let tools = Tools::find()?;
    let folder = temporary_folder()?;
    let include = include_folder(folder.path())?;
    let mut code = Linkage::read(&code, sources, &tools)?;
    foreign.lack(std::mem::take(&mut code.lacking), &code.found);
    let make = |unit: &Unit| {
        let mut command = Command::new(&tools.clang);
        command.args(["-S", "-emit-llvm", "-g", "-pthread", "-D__THREADBARE__=1"]);
        command.args(["-Wno-unused-command-line-argument", "-fno-color-diagnostics"]);
        match sources.optimisation {
            0 => command.args(["-O0", "-Xclang", "-disable-O0-optnone"]),
            level => optimise(&mut command, level),
        };
        // Nobody need call what is only looked at.
        if !sources.invariants.is_empty() {
            command.args(["-Xclang", "-femit-all-decls"]);
        }
        command.args(extra);
        with_flags(&mut command, sources, unit, &include);
        let failed = |messages| expressions::complaint(messages, &unit.file);
        let mut text = run_on(command.args(["-o", "-"]), unit, None)?.map_err(failed)?;
        if !text.starts_with(b"; ModuleID") {
            return Err(LoadError::NotIr { file: unit.file.clone() });
        }
        if sources.optimisation == 0 {
            let mut command = tools.companion("opt")?;
            text = run(command.args(["-S", "-passes=mem2reg", "-o", "-"]), "opt", &text)?.map_err(failed)?;
        }
        let mut module = threadbare_ir::parse_bytes(&text).map_err(|error| unreadable_ir(&unit.file, &text, error))?;
        if unit.built.is_some() {
            module.source_filename = unit.file.display().to_string();
        }
        Ok((text, module))
    };
    let (mut own, mut modules): (Vec<Vec<u8>>, Vec<Module>) = (Vec::new(), Vec::new());
    let mut loaded = Vec::new();
    // Members of archives may have sources, which need other members.
    while !units.is_empty() {
        for (text, module) in in_parallel(&units, make)? {
            own.push(text);
            modules.push(module);
        }
        loaded.extend(units.iter().map(|unit| unit.loaded));
        let user_modules = modules.len();
        let linked = Linked::new(modules, user_modules)?;
        let records = code.take(&linked.undefined(), |name| linked.defines(name));
        code.refuse_doubles(|name| linked.definer(name))?;
        code.refuse_what_gives_way(linked.definitions(&loaded, &offered), true)?;
        refuse_other_choices(linked.definitions(&loaded, &offered).chain(code.definitions(&offered)))?;
        modules = linked.modules;
        units = records.into_iter().map(|record| Unit::of(record, 0)).collect();
    }
    let user_modules = modules.len();
    let (mut linked, runtime) = crate::runtime::add_with_texts(&tools, modules, user_modules, &code)?;
    linked.foreign = foreign;
    linked.turns = loaded.iter().map(|&file| turns[file]).collect();
    linked.refuse_what_the_loader_would_do()?;
    Ok(Texts { tools, own, runtime, linked, code })
}
