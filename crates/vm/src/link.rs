//! Linking by name: which definition each reference of each module means.
//!
//! The program's own modules come first; the runtime's are like an archive behind them: they serve what is still
//! undefined, so that a program may define `strlcpy` itself.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use threadbare_ir::{Const, Function, Linkage, Module, Value, operands};

use crate::frontend::{Foreign, Offered};
use crate::lower::{LowerError, source::variable_info};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symbol {
    Function(usize, usize),
    Global(usize, usize),
    Alias(usize, usize),
    /// Declared weak and defined nowhere: its address is null.
    WeakUndefined,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is defined twice, in {first} and in {second}")]
pub struct LinkError {
    pub name: String,
    pub first: String,
    pub second: String,
}

pub struct Linked {
    pub modules: Vec<Module>,
    /// Modules from this one on are the runtime's.
    pub user_modules: usize,
    /// What of the program is machine code that nobody executes.
    pub foreign: Foreign,
    /// For each of the program's own modules, when its file is initialised: a library before those that need it.
    pub turns: Vec<usize>,
    /// Definitions that other modules see.
    shared: FxHashMap<String, (Symbol, Strength)>,
    /// All definitions of each module, whatever their linkage.
    own: Vec<FxHashMap<String, Symbol>>,
    /// The largest size of each common variable.
    commons: FxHashMap<String, u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Strength {
    Runtime,
    /// A body that the compiler may use but need not emit.
    Available,
    Weak,
    Common,
    Strong,
}

fn strength(linkage: Linkage) -> Option<Strength> {
    match linkage {
        Linkage::Internal | Linkage::Private => None,
        Linkage::External | Linkage::Appending => Some(Strength::Strong),
        Linkage::Common => Some(Strength::Common),
        Linkage::AvailableExternally => Some(Strength::Available),
        Linkage::Weak | Linkage::WeakOdr | Linkage::LinkOnce | Linkage::LinkOnceOdr | Linkage::ExternWeak => {
            Some(Strength::Weak)
        }
    }
}

/// What other modules see, under this name.
pub struct Definition {
    pub name: String,
    pub strength: Strength,
    /// The number of the file that the loader maps it with (`Unit::loaded`), and the source.
    pub loaded: usize,
    pub file: String,
    /// That file uses it whatever others define: why.
    pub own: Option<&'static str>,
}

/// Of what several files define the loader takes the first, in the order of their numbers. Here all are linked as one, and the strongest
/// counts: complains where that is another one. A variable of the executable without a value is one with the variable of a library:
/// the linker sees to that.
pub fn refuse_other_choices(definitions: impl Iterator<Item = Definition>) -> Result<(), LowerError> {
    // Of each name, the strongest definition in each file.
    let mut strongest: BTreeMap<(String, usize), Definition> = BTreeMap::new();
    for definition in definitions.filter(|definition| definition.strength > Strength::Available) {
        match strongest.entry((definition.name.clone(), definition.loaded)) {
            Entry::Occupied(mut known) if known.get().strength < definition.strength => {
                known.insert(definition);
            }
            Entry::Occupied(_) => {}
            Entry::Vacant(place) => {
                place.insert(definition);
            }
        }
    }
    let own: BTreeMap<&str, &Definition> =
        strongest.values().filter(|it| it.own.is_some()).map(|definition| (&*definition.name, definition)).collect();
    for other in strongest.values() {
        if let Some(own) = own.get(&*other.name).filter(|own| own.loaded != other.loaded) {
            let message = format!(
                "`{}` is {} {}, and {}, of another loaded file, defines one of that name as well: two variables or functions of one \
                 name are not supported",
                own.name,
                own.own.unwrap_or_default(),
                own.file,
                other.file
            );
            return Err(LowerError::Unsupported { message, file: None, line: 0 });
        }
    }
    for (first, second) in strongest.values().zip(strongest.values().skip(1)) {
        let how = match first.strength {
            Strength::Weak => "weak",
            _ if first.loaded == 0 => continue,
            _ => "without a value",
        };
        if first.name == second.name && first.strength < second.strength {
            let message = format!(
                "`{}` is {how} in {}, and {}, of another loaded file, defines it as well: the loader takes the first, which is \
                 not supported",
                first.name, first.file, second.file
            );
            return Err(LowerError::Unsupported { message, file: None, line: 0 });
        }
    }
    Ok(())
}

/// Whether the linker has bound a name inside the file that defines it.
pub fn bound(offered: &Offered, loaded: usize, name: &str) -> Option<&'static str> {
    offered.get(&loaded).filter(|names| !names.contains(name)).map(|_| "bound by the linker to the one in")
}

impl Linked {
    pub fn new(modules: Vec<Module>, user_modules: usize) -> Result<Linked, LinkError> {
        let mut linked = Linked {
            own: vec![FxHashMap::default(); modules.len()],
            modules,
            user_modules,
            foreign: Foreign::default(),
            turns: Vec::new(),
            shared: FxHashMap::default(),
            commons: FxHashMap::default(),
        };
        for m in 0..linked.modules.len() {
            linked.add_module(m)?;
        }
        Ok(linked)
    }

    fn add_module(&mut self, m: usize) -> Result<(), LinkError> {
        for (name, symbol, linkage) in self.defined(m) {
            self.own[m].insert(name.clone(), symbol);
            let Some(mut strength) = strength(linkage) else {
                continue;
            };
            if m >= self.user_modules {
                strength = Strength::Runtime;
            }
            if let (Strength::Common, Symbol::Global(m, g)) = (strength, symbol) {
                let layout = crate::layout::Layout::new(&self.modules[m].types);
                let size = layout.size(self.modules[m].globals[g].ty).unwrap_or(0);
                let common = self.commons.entry(name.clone()).or_default();
                *common = (*common).max(size);
            }
            match self.shared.get(&name) {
                Some((first, Strength::Strong)) if strength == Strength::Strong => {
                    let place = |symbol: &Symbol| match symbol {
                        Symbol::Function(m, _) | Symbol::Global(m, _) | Symbol::Alias(m, _) => {
                            self.modules[*m].source_filename.clone()
                        }
                        Symbol::WeakUndefined => String::new(),
                    };
                    return Err(LinkError { first: place(first), second: place(&symbol), name });
                }
                Some((_, other)) if *other >= strength => {}
                _ => {
                    self.shared.insert(name, (symbol, strength));
                }
            }
        }
        Ok(())
    }

    /// What module `m` defines, for others or not.
    fn defined(&self, m: usize) -> Vec<(String, Symbol, Linkage)> {
        let module = &self.modules[m];
        let functions = module.functions.iter().enumerate().filter(|(_, f)| !f.is_declaration());
        let globals = module.globals.iter().enumerate().filter(|(_, g)| g.init.is_some());
        let aliases = module.aliases.iter().enumerate();
        let mut defined: Vec<(String, Symbol, Linkage)> = functions
            .map(|(i, f)| (f.name.clone(), Symbol::Function(m, i), f.linkage))
            .chain(globals.map(|(i, g)| (g.name.clone(), Symbol::Global(m, i), g.linkage)))
            .chain(aliases.map(|(i, a)| (a.name.clone(), Symbol::Alias(m, i), a.linkage)))
            .collect();
        defined.retain(|(_, _, linkage)| *linkage != Linkage::Appending);
        defined
    }

    /// The loader calls what such variables point to, and assembly outside of functions is a part of the file. Here nobody would see to
    /// that.
    pub fn refuse_what_the_loader_would_do(&self) -> Result<(), LowerError> {
        const CALLED: [&str; 5] = [".preinit_array", ".init_array", ".fini_array", ".ctors", ".dtors"];
        let is_called = |section: &str| {
            CALLED
                .iter()
                .any(|called| section.strip_prefix(called).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
        };
        for module in &self.modules[..self.user_modules] {
            crate::assembly::refuse_outside_of_functions(module)?;
            if let Some((name, section)) = module.sections.iter().find(|(_, section)| is_called(section)) {
                let message = format!(
                    "`{name}` in the section {section}, from which the loader calls functions, is not supported: say \
                     __attribute__((constructor)) or __attribute__((destructor)) of the function"
                );
                let global = module.globals.iter().find(|global| global.name == *name);
                let info = global.and_then(|global| variable_info(module, global));
                let (file, line) = info.map_or((module.source_filename.clone(), 0), |info| (info.file, info.line));
                return Err(LowerError::Unsupported { message, file: Some(file), line });
            }
        }
        Ok(())
    }

    /// What the program's own modules define for others. `loaded` are the numbers of their files.
    pub fn definitions(&self, loaded: &[usize], offered: &Offered) -> impl Iterator<Item = Definition> {
        loaded.iter().enumerate().flat_map(move |(m, &loaded)| {
            let file = &self.modules[m].source_filename;
            self.defined(m).into_iter().filter_map(move |(name, _, linkage)| {
                let is_hidden = self.modules[m].own_names.contains(&name);
                let own = if is_hidden { Some("hidden or protected in") } else { bound(offered, loaded, &name) };
                Some(Definition { name, strength: strength(linkage)?, loaded, file: file.clone(), own })
            })
        })
    }

    /// What `name` means in module `m`.
    pub fn resolve(&self, m: usize, name: &str) -> Option<Symbol> {
        if let Some(&symbol) = self.own[m].get(name) {
            let linkage = match symbol {
                Symbol::Function(m, f) => self.modules[m].functions[f].linkage,
                Symbol::Global(m, g) => self.modules[m].globals[g].linkage,
                Symbol::Alias(m, a) => self.modules[m].aliases[a].linkage,
                Symbol::WeakUndefined => Linkage::External,
            };
            if matches!(linkage, Linkage::Internal | Linkage::Private) {
                return Some(symbol);
            }
        }
        if let Some(&(symbol, _)) = self.shared.get(name) {
            return Some(symbol);
        }
        let module = &self.modules[m];
        let weak = module.functions.iter().any(|f| f.name == name && f.linkage == Linkage::ExternWeak)
            || module.globals.iter().any(|g| g.name == name && g.linkage == Linkage::ExternWeak);
        weak.then_some(Symbol::WeakUndefined)
    }

    /// Whether a module defines it for others.
    pub fn defines(&self, name: &str) -> bool {
        self.shared.contains_key(name)
    }

    /// The source that defines it so that nobody else may.
    pub fn definer(&self, name: &str) -> Option<String> {
        match self.shared.get(name)? {
            (Symbol::Function(m, _) | Symbol::Global(m, _) | Symbol::Alias(m, _), Strength::Strong) => {
                Some(self.modules[*m].source_filename.clone())
            }
            _ => None,
        }
    }

    /// Declared as a variable, not as a function.
    pub fn is_variable(&self, m: usize, name: &str) -> bool {
        self.modules[m].globals.iter().any(|g| g.name == name)
    }

    pub fn common_size(&self, m: usize, g: usize) -> Option<u64> {
        self.commons.get(&self.modules[m].globals[g].name).copied()
    }

    /// Names that the modules refer to and nobody defines.
    pub fn undefined(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (m, module) in self.modules.iter().enumerate() {
            let functions = module.functions.iter().filter(|f| f.is_declaration()).map(|f| &f.name);
            let globals = module.globals.iter().filter(|g| g.init.is_none()).map(|g| &g.name);
            for name in functions.chain(globals) {
                if !name.starts_with("llvm.") && self.resolve(m, name).is_none() {
                    names.push(name.clone());
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether what the program calls, or only names, may lead to one of these functions. So may these names.
    pub fn reaches(&self, goals: &[&str], also: &[String]) -> bool {
        let mut seen: FxHashSet<(usize, &str)> = FxHashSet::default();
        let mut open: Vec<(usize, &str)> = vec![(0, "__tb_start")];
        open.extend(also.iter().map(|name| match self.shared.get(name) {
            Some((Symbol::Function(m, _) | Symbol::Global(m, _) | Symbol::Alias(m, _), _)) => (*m, name.as_str()),
            _ => (0, name.as_str()),
        }));
        for (m, module) in self.modules[..self.user_modules].iter().enumerate() {
            module.functions.iter().for_each(|function| names_in_code(function, &mut |name| open.push((m, name))));
            let values = module.globals.iter().filter_map(|global| global.init.as_ref());
            values.for_each(|value| names_in(value, &mut |name| open.push((m, name))));
        }
        while let Some((m, name)) = open.pop() {
            if goals.contains(&name) {
                return true;
            }
            if !seen.insert((m, name)) {
                continue;
            }
            match self.resolve(m, name) {
                Some(Symbol::Function(m, f)) => {
                    names_in_code(&self.modules[m].functions[f], &mut |name| open.push((m, name)));
                }
                Some(Symbol::Global(m, g)) => {
                    let value = &self.modules[m].globals[g].init;
                    value.iter().for_each(|value| names_in(value, &mut |name| open.push((m, name))));
                }
                Some(Symbol::Alias(m, a)) => {
                    names_in(&self.modules[m].aliases[a].target, &mut |name| open.push((m, name)));
                }
                Some(Symbol::WeakUndefined) | None => {}
            }
        }
        false
    }

    /// The functions of `llvm.global_ctors` or `llvm.global_dtors` of all modules, file by file that the loader maps, and by
    /// priority: constructors from the lowest number up, destructors the other way round.
    pub fn constructors(&self, init: bool) -> Vec<(usize, String)> {
        let name = if init { "llvm.global_ctors" } else { "llvm.global_dtors" };
        let mut found: Vec<((usize, u128), usize, String)> = Vec::new();
        for (m, module) in self.modules.iter().enumerate() {
            let Some(list) = module.globals.iter().find(|g| g.name == name) else {
                continue;
            };
            let Some(Const::Aggregate(entries)) = &list.init else {
                continue;
            };
            for entry in entries {
                let Const::Aggregate(fields) = &entry.value else {
                    continue;
                };
                if let [priority, function, ..] = &fields[..]
                    && let (Const::Int(priority), Const::Global(function)) = (&priority.value, &function.value)
                {
                    let turn = self.turns.get(m).copied().unwrap_or(0);
                    found.push(((turn, *priority), m, function.clone()));
                }
            }
        }
        found.sort_by_key(|(when, _, _)| *when);
        if !init {
            found.reverse();
        }
        found.into_iter().map(|(_, m, function)| (m, function)).collect()
    }
}

fn names_in_code<'m>(function: &'m Function, f: &mut impl FnMut(&'m str)) {
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        operands(&inst.kind, &mut |value| {
            if let Value::Const(constant) = value {
                names_in(constant, f);
            }
        });
    }
}

/// The variables and functions that a constant names.
fn names_in<'m>(constant: &'m Const, f: &mut impl FnMut(&'m str)) {
    match constant {
        Const::Global(name) | Const::BlockAddress { function: name, .. } => f(name),
        Const::Aggregate(parts) | Const::Gep { args: parts, .. } => {
            parts.iter().for_each(|part| names_in(&part.value, f));
        }
        Const::Splat(part) | Const::Cast { from: part, .. } => names_in(&part.value, f),
        Const::Binary { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(|part| names_in(&part.value, f)),
        _ => {}
    }
}
