//! The same sources for a machine that executes machine code: the text of their IR as clang makes it, without what only the
//! virtual machine understands, and the modules of the C runtime that they need.

use std::process::Command;

use threadbare_ir::Module;

use super::{
    LoadError, Sources, Tools, Units, expressions, extension, flags, in_parallel, include_folder, run, run_on,
    temporary_folder, unreadable_ir, with_flags,
};
use crate::link::Linked;

/// A program as text.
pub struct Texts {
    pub tools: Tools,
    /// One for each file.
    pub own: Vec<Vec<u8>>,
    /// Those of the runtime.
    pub runtime: Vec<Vec<u8>>,
    /// All of them read and linked: who defines what.
    pub linked: Linked,
}

/// Compiles and reads everything. `extra` are flags of the machine's own. At level 0, variables that only their function
/// knows are taken out of memory, as for the virtual machine: what is left there of earlier values would tell states apart.
pub fn texts(sources: &Sources, extra: &[&str]) -> Result<Texts, LoadError> {
    let Units { list: units, foreign } = Units::of(sources)?;
    if let Some(unit) = units.iter().find(|unit| !unit.is_source() && extension(&unit.file) != "i") {
        return Err(LoadError::Tool(format!("{}: the native backend takes C source (.c)", unit.file.display())));
    }
    flags::refuse_sanitizers(&sources.clang_flags)?;
    let tools = Tools::find()?;
    let folder = temporary_folder()?;
    let include = include_folder(folder.path())?;
    let made = in_parallel(&units, |unit| {
        let mut command = Command::new(&tools.clang);
        command.args(["-S", "-emit-llvm", "-g", "-pthread", "-D__THREADBARE__=1"]);
        command.args(["-Wno-unused-command-line-argument", "-fno-color-diagnostics"]);
        match sources.optimisation {
            0 => command.args(["-O0", "-Xclang", "-disable-O0-optnone"]),
            level => command.arg(format!("-O{level}")).args(["-fno-vectorize", "-fno-slp-vectorize"]),
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
        let module = threadbare_ir::parse_bytes(&text).map_err(|error| unreadable_ir(&unit.file, &text, error))?;
        Ok((text, module))
    })?;
    let (own, mut modules): (Vec<Vec<u8>>, Vec<Module>) = made.into_iter().unzip();
    for (module, unit) in modules.iter_mut().zip(&units).filter(|(_, unit)| unit.built.is_some()) {
        module.source_filename = unit.file.display().to_string();
    }
    let user_modules = modules.len();
    let (mut linked, runtime) = crate::runtime::add_with_texts(&tools, modules, user_modules)?;
    linked.foreign = foreign;
    Ok(Texts { tools, own, runtime, linked })
}
