//! What can only be settled at the end of the text.
//!
//! Names of globals and types may be used before their definition, attribute groups always are, and a block address
//! may name a function that follows. Errors found here still carry the place of the use.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::module::{Alias, BlockId, BlockRef, Const, InstKind, Module, Type, TypeId, Value};
use crate::visit;

use super::attributes::FnAttrs;
use super::{MAX_NESTING, Parser, Result};

#[derive(Clone, Copy)]
pub(super) struct GlobalEntry {
    pub defined: bool,
    pub first_use: usize,
}

/// An instruction by position.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub function: usize,
    pub block: usize,
    pub inst: usize,
}

/// What waits for the end of the text. A place is the offset of the use.
#[derive(Default)]
pub(super) struct Pending<'a> {
    pub globals: FxHashMap<Cow<'a, str>, GlobalEntry>,
    pub next_global_number: u32,

    /// The groups of the attribute list that was read last.
    pub groups: Vec<(u32, usize)>,
    pub group_attrs: FxHashMap<u32, FnAttrs>,
    pub function_groups: Vec<(usize, u32, usize)>,
    pub call_groups: Vec<(Site, u32, usize)>,
    /// Groups of variables, of which nothing is kept.
    pub other_groups: Vec<(u32, usize)>,

    /// Whether a block address was read since this was last cleared. (Places that keep nothing, such as `prefix`
    /// data, leave it set; the next place that keeps something begins by clearing it, or is looked at in vain.)
    pub saw_block_address: bool,
    /// Function, block and place of every block address.
    pub block_addresses: Vec<(String, String, usize)>,
    /// Where block addresses have to be replaced.
    pub address_sites: Vec<Site>,
    pub address_globals: Vec<usize>,
}

impl<'a> Pending<'a> {
    pub fn use_global(&mut self, name: Cow<'a, str>, at: usize) {
        self.globals.entry(name).or_insert(GlobalEntry { defined: false, first_use: at });
    }
}

impl Parser<'_> {
    pub(super) fn finish(mut self) -> Result<Module> {
        self.check_names()?;
        self.check_type_nesting()?;
        self.check_aliases()?;
        self.settle_groups()?;
        self.settle_block_addresses()?;
        self.module.metadata = self.metadata.nodes;
        Ok(self.module)
    }

    fn check_names(&self) -> Result<()> {
        let types = self.type_names.iter().filter(|(_, named)| !named.defined);
        let types = types.map(|(name, named)| (named.first_use, format!("use of undefined type '%{name}'")));
        let globals = self.pending.globals.iter().filter(|(_, entry)| !entry.defined);
        let globals = globals.map(|(name, entry)| (entry.first_use, format!("use of undefined value '@{name}'")));
        let metadata = self.metadata.undefined().into_iter();
        let metadata = metadata.map(|(id, place)| (place, format!("use of undefined metadata '!{id}'")));
        match types.chain(globals).chain(metadata).min() {
            Some((place, message)) => Err(self.error_at(place, message)),
            None => Ok(()),
        }
    }

    /// Refuses types that contain themselves by value, and those nested so deep that a recursive walk could
    /// overflow the stack. Only named types can do either across several lines of text.
    /// No alias may mean itself by way of others.
    fn check_aliases(&self) -> Result<()> {
        let by_name: FxHashMap<&str, &Alias> = self.module.aliases.iter().map(|alias| (&*alias.name, alias)).collect();
        for alias in &self.module.aliases {
            let (mut at, mut steps) = (alias, 0);
            while let Some(next) = base_of(&at.target).and_then(|name| by_name.get(name)) {
                (at, steps) = (next, steps + 1);
                if steps > by_name.len() {
                    let message = format!("the alias '@{}' means itself", alias.name);
                    return Err(self.error_in_line(alias.text_line, message));
                }
            }
        }
        Ok(())
    }

    fn check_type_nesting(&self) -> Result<()> {
        let types = &self.module.types;
        // Depth of each finished type; a type in progress that is met again contains itself.
        let mut depths = vec![None; types.list.len()];
        let mut in_progress = vec![false; types.list.len()];
        for root in 0..types.list.len() as u32 {
            let mut stack = vec![TypeId(root)];
            while let Some(&ty) = stack.last() {
                let index = ty.0 as usize;
                if depths[index].is_some() {
                    stack.pop();
                    continue;
                }
                let parts = self.parts(ty);
                if in_progress[index] {
                    let deepest = parts.iter().filter_map(|part| depths[part.0 as usize]).max();
                    let named = matches!(types.get(ty), Type::Named(_));
                    let depth = deepest.unwrap_or(0) + u32::from(!named);
                    if depth > MAX_NESTING {
                        return Err(self.type_error(ty, "is nested too deep"));
                    }
                    depths[index] = Some(depth);
                    stack.pop();
                    continue;
                }
                in_progress[index] = true;
                for &part in parts {
                    if depths[part.0 as usize].is_none() {
                        if in_progress[part.0 as usize] {
                            return Err(self.type_error(part, "contains itself"));
                        }
                        stack.push(part);
                    }
                }
            }
        }
        Ok(())
    }

    /// What a type holds by value.
    fn parts(&self, ty: TypeId) -> &[TypeId] {
        let types = &self.module.types;
        match types.get(ty) {
            Type::Struct { fields, .. } => fields,
            Type::Array(_, element) | Type::Vector(_, element) => std::slice::from_ref(element),
            Type::Named(_) => types.bodies.get(&ty).map_or(&[], std::slice::from_ref),
            _ => &[],
        }
    }

    fn type_error(&self, ty: TypeId, what: &str) -> crate::ParseError {
        let place = self.type_names.values().find(|named| named.ty == ty).map_or(0, |named| named.first_use);
        self.error_at(place, format!("type '{}' {what}", self.show(ty)))
    }

    fn settle_groups(&mut self) -> Result<()> {
        let function_groups = std::mem::take(&mut self.pending.function_groups);
        for (function, group, place) in function_groups {
            let attrs = self.group(group, place)?;
            let function = &mut self.module.functions[function];
            function.returns_twice |= attrs.returns_twice;
            function.noreturn |= attrs.noreturn;
        }
        for (site, group, place) in std::mem::take(&mut self.pending.call_groups) {
            let attrs = self.group(group, place)?;
            if let InstKind::Call(call) = self.inst_kind(site) {
                call.returns_twice |= attrs.returns_twice;
            }
        }
        for &(group, place) in &self.pending.other_groups {
            self.group(group, place)?;
        }
        Ok(())
    }

    fn group(&self, group: u32, place: usize) -> Result<FnAttrs> {
        let attrs = self.pending.group_attrs.get(&group).copied();
        attrs.ok_or_else(|| self.error_at(place, format!("use of undefined attribute group '#{group}'")))
    }

    fn inst_kind(&mut self, site: Site) -> &mut InstKind {
        &mut self.module.functions[site.function].blocks[site.block].insts[site.inst].kind
    }

    fn settle_block_addresses(&mut self) -> Result<()> {
        let addresses = std::mem::take(&mut self.pending.block_addresses);
        if addresses.is_empty() {
            return Ok(());
        }
        let targets = self.address_targets(&addresses)?;
        let patch = |leaf: &mut Const| {
            let Const::BlockAddress { function, block } = leaf else {
                return;
            };
            if let BlockRef::Name(name) = block {
                *block = BlockRef::Id(targets[function][name]);
            }
        };
        for index in std::mem::take(&mut self.pending.address_globals) {
            if let Some(init) = &mut self.module.globals[index].init {
                visit::leaves_mut(init, &mut { patch });
            }
        }
        for site in std::mem::take(&mut self.pending.address_sites) {
            visit::values_mut(self.inst_kind(site), &mut |value| {
                if let Value::Const(constant) = value {
                    visit::leaves_mut(constant, &mut { patch });
                }
            });
        }
        Ok(())
    }

    /// The blocks by name of every function whose blocks have their address taken; all of `addresses` exist.
    fn address_targets(
        &self,
        addresses: &[(String, String, usize)],
    ) -> Result<FxHashMap<String, FxHashMap<String, BlockId>>> {
        let wanted: FxHashSet<&str> = addresses.iter().map(|(function, ..)| function.as_str()).collect();
        let functions = self.module.functions.iter().filter(|f| wanted.contains(f.name.as_str()));
        let targets: FxHashMap<_, FxHashMap<_, _>> = functions
            .map(|function| {
                let blocks = function.blocks.iter().enumerate();
                let blocks = blocks.map(|(index, block)| (block.name.clone(), BlockId(index as u32)));
                (function.name.clone(), blocks.collect())
            })
            .collect();
        for (function, block, place) in addresses {
            if !targets.get(function).is_some_and(|blocks| blocks.contains_key(block)) {
                let message = format!("function '@{function}' has no block '%{block}'");
                return Err(self.error_at(*place, message));
            }
        }
        Ok(targets)
    }
}

/// The name that an address is computed from.
fn base_of(constant: &Const) -> Option<&str> {
    match constant {
        Const::Global(name) => Some(name),
        Const::Gep { args, .. } => base_of(&args.first()?.value),
        Const::Cast { from, .. } => base_of(&from.value),
        Const::Binary { lhs, rhs, .. } => base_of(&lhs.value).or_else(|| base_of(&rhs.value)),
        _ => None,
    }
}
