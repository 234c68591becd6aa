//! Names that no two variables share, for recordings, which know objects by their names alone. What can be seen of the program decides about
//! them, not the order of an execution, so a name means the same in each:
//!
//! - a variable whose name nobody else has keeps it,
//! - static variables of functions have the function before their names, `work.x`; those of several files the file, `queue.x`,
//! - local variables of threads other than the first say whose they are, `x of 0.1`; and their function, where the program has several
//!   variables of that name.
//!
//! Of what is still the same then, such as a variable of a function that was called twice, the second that comes up is `x@2`.

use rustc_hash::FxHashMap;
use threadbare_core::ThreadName;

use crate::bytecode::{AllocaSite, GlobalVar, Program};
use crate::memory::Addr;

#[derive(Default)]
pub struct Distinct {
    /// Which objects had a name, by their addresses.
    taken: FxHashMap<String, Vec<Addr>>,
}

impl Distinct {
    /// A variable of static storage, or a thread-local one.
    pub fn variable(&mut self, program: &Program, variable: &GlobalVar) -> Box<str> {
        let statics = || program.globals.iter().chain(&program.thread_locals);
        if is_alone(program, &variable.name) {
            return variable.name.clone();
        }
        let is_same = |other: &GlobalVar| {
            (other.address, &other.symbol, other.file) == (variable.address, &variable.symbol, variable.file)
        };
        let symbol = &variable.symbol;
        let others = || statics().filter(|other| other.symbol == *symbol && !is_same(other));
        if others().next().is_none() {
            return symbol.clone();
        }
        // Of two files that have one name in different folders, the first that was linked comes first.
        let stem = |variable: &GlobalVar| stem(&program.files[variable.file as usize]).to_string();
        let own = stem(variable);
        let before = statics().take_while(|other| !is_same(other));
        match before.filter(|other| other.symbol == *symbol && stem(other) == own).count() {
            0 => format!("{own}.{symbol}"),
            n => format!("{own}.{symbol}@{}", n + 1),
        }
        .into()
    }

    /// A local variable that starts at `start`, of a thread that is not the first. `path` is the part of it.
    pub fn local(
        &mut self,
        program: &Program,
        site: &AllocaSite,
        owner: Option<&ThreadName>,
        start: Addr,
        path: &str,
    ) -> String {
        let name = site.name.as_deref().unwrap_or_default();
        let is_alone = is_alone(program, name);
        let declared = if is_alone { None } else { program.source_at(site.declared) };
        let function = declared.map_or(String::new(), |at| format!("{}.", at.function));
        let owner = match owner {
            Some(owner) => format!(" of {owner}"),
            None if is_alone => String::new(),
            None => " of 0".into(),
        };
        let number = self.number(format!("{function}{name}{owner}"), start);
        format!("{function}{name}{number}{path}{owner}")
    }

    /// What has no name in the source.
    pub fn numbered(&mut self, words: String, address: Addr) -> String {
        let number = self.number(words.clone(), address);
        format!("{words}{number}")
    }

    fn number(&mut self, name: String, address: Addr) -> String {
        let taken = self.taken.entry(name).or_default();
        let at = taken.iter().position(|&other| other == address).unwrap_or_else(|| {
            taken.push(address);
            taken.len() - 1
        });
        if at == 0 { String::new() } else { format!("@{}", at + 1) }
    }
}

/// Whether one variable of the program at most has a name.
fn is_alone(program: &Program, name: &str) -> bool {
    let statics = program.globals.iter().chain(&program.thread_locals).filter(|other| &*other.name == name);
    let locals = program.allocas.iter().filter(|site| site.name.as_deref() == Some(name));
    statics.count() + locals.count() <= 1
}

/// `queue` of `src/queue.c`.
fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}
