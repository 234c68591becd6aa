//! The same sources for a machine that executes machine code: the text of their IR as clang makes it, without what only the
//! virtual machine understands, and the modules of the C runtime that they need.

use std::process::Command;

use threadbare_ir::Module;

use super::{
    LoadError, Sources, Tools, check_readable, expressions, extension, flags, run, temporary_folder, unreadable_ir,
    with_flags,
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

/// Compiles and reads everything. `extra` are flags of the machine's own.
pub fn texts(sources: &Sources, extra: &[&str]) -> Result<Texts, LoadError> {
    check_readable(sources)?;
    if let Some(file) = sources.files.iter().find(|file| !matches!(extension(file), "c" | "i")) {
        return Err(LoadError::Tool(format!("{}: the native backend takes C source (.c)", file.display())));
    }
    let tools = Tools::find()?;
    let folder = temporary_folder()?;
    std::fs::write(folder.path().join("threadbare.h"), crate::runtime::PUBLIC_HEADER)
        .map_err(|error| LoadError::Tool(error.to_string()))?;
    let mut own = Vec::new();
    let mut modules: Vec<Module> = Vec::new();
    for file in &sources.files {
        let mut command = Command::new(&tools.clang);
        command.args(["-S", "-emit-llvm", "-g", "-pthread", "-D__THREADBARE__=1"]);
        command.args(["-Wno-unused-command-line-argument", "-fno-color-diagnostics"]);
        match sources.optimisation {
            0 => command.args(["-O0", "-Xclang", "-disable-O0-optnone"]),
            level => command.arg(format!("-O{level}")).args(["-fno-vectorize", "-fno-slp-vectorize"]),
        };
        command.args(extra);
        with_flags(&mut command, sources, folder.path());
        let text = run(command.args(["-o", "-"]).arg(file), "clang", &[])?
            .map_err(|messages| expressions::complaint(messages, file))?;
        if !text.starts_with(b"; ModuleID") {
            return Err(LoadError::NotIr { file: file.clone() });
        }
        modules.push(threadbare_ir::parse_bytes(&text).map_err(|error| unreadable_ir(file, &text, error))?);
        own.push(text);
    }
    flags::refuse_sanitizers(&sources.clang_flags)?;
    let user_modules = modules.len();
    let (linked, runtime) = crate::runtime::add_with_texts(&tools, modules, user_modules)?;
    Ok(Texts { tools, own, runtime, linked })
}
