//! Debug information as typed views over the metadata, so that reports can name lines, functions and variables.
//!
//! Views are made when asked for, since only reports need them. Metadata comes from outside: a reference may lead to
//! a node of another kind, or in a circle. Every walk here is bounded, and what makes no sense is `None`.

mod parts;
mod paths;
mod types;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::module::{MdId, MdNode, MdValue, Module};

pub use parts::NoPart;
pub use types::{DiType, Encoding, Member, Qualifier, Record, RecordKind};

/// A place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLoc {
    /// With its directory, unless the compiler was given an absolute path.
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
    pub scope: MdId,
    /// The `DILocation` of the call, where this code was inlined.
    pub inlined_at: Option<MdId>,
}

/// A global or local variable of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable<'m> {
    pub name: &'m str,
    pub ty: Option<MdId>,
    pub scope: Option<MdId>,
    pub file: Option<Arc<str>>,
    pub line: u32,
    /// The position of a parameter, from 1.
    pub arg: Option<u32>,
    /// Offset and size in bits, where the optimiser split a variable and only this part is meant.
    pub fragment: Option<(u64, u64)>,
}

/// A label of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label<'m> {
    pub name: &'m str,
    pub file: Option<Arc<str>>,
    pub line: u32,
}

impl MdNode {
    pub fn field(&self, name: &str) -> Option<&MdValue> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    pub fn field_ref(&self, name: &str) -> Option<MdId> {
        match self.field(name)? {
            MdValue::Ref(id) => Some(*id),
            _ => None,
        }
    }

    /// A string that is not empty.
    pub fn field_str(&self, name: &str) -> Option<&str> {
        match self.field(name)? {
            MdValue::Str(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    pub fn field_word(&self, name: &str) -> Option<&str> {
        match self.field(name)? {
            MdValue::Word(word) => Some(word),
            _ => None,
        }
    }

    pub fn field_int(&self, name: &str) -> Option<i128> {
        match self.field(name)? {
            MdValue::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// A number that LLVM omits when it is 0.
    fn number<T: TryFrom<i128> + Default>(&self, name: &str) -> T {
        self.field_int(name).and_then(|number| number.try_into().ok()).unwrap_or_default()
    }

    fn has_flag(&self, flag: &str) -> bool {
        self.field_word("flags").is_some_and(|flags| flags.split(" | ").any(|word| word == flag))
    }
}

impl Module {
    /// The numbered node, if it is there and of this kind.
    fn node(&self, id: MdId, kind: &str) -> Option<&MdNode> {
        self.metadata.get(id.0 as usize).filter(|node| node.kind == kind)
    }

    /// The node behind a field: numbered, or written in place.
    fn field_node<'m>(&'m self, node: &'m MdNode, name: &str) -> Option<&'m MdNode> {
        match node.field(name)? {
            MdValue::Ref(id) => self.metadata.get(id.0 as usize),
            MdValue::Node(node) => Some(node),
            _ => None,
        }
    }

    /// What a `DILocation` says. A `DISubprogram` is where its function begins.
    pub fn location(&self, id: MdId) -> Option<SourceLoc> {
        if let Some(node) = self.node(id, "DISubprogram") {
            return Some(SourceLoc {
                file: self.node_file(node)?,
                line: node.number("line"),
                column: 0,
                scope: id,
                inlined_at: None,
            });
        }
        let node = self.node(id, "DILocation")?;
        let scope = node.field_ref("scope")?;
        Some(SourceLoc {
            file: self.scope_file(scope).unwrap_or_else(|| Arc::from("")),
            line: node.number("line"),
            column: node.number("column"),
            scope,
            inlined_at: node.field_ref("inlinedAt"),
        })
    }

    /// The location and those of the calls through which it was inlined, innermost first.
    pub fn inline_chain(&self, id: MdId) -> Vec<SourceLoc> {
        let mut chain = Vec::new();
        let mut seen = FxHashSet::default();
        let mut next = Some(id);
        while let Some(id) = next.filter(|id| seen.insert(*id)) {
            next = None;
            if let Some(location) = self.location(id) {
                next = location.inlined_at;
                chain.push(location);
            }
        }
        chain
    }

    /// The `DISubprogram` that a scope lies in (or is).
    pub fn scope_subprogram(&self, scope: MdId) -> Option<MdId> {
        let mut seen = FxHashSet::default();
        let mut scope = scope;
        while seen.insert(scope) {
            let node = self.metadata.get(scope.0 as usize)?;
            match node.kind.as_str() {
                "DISubprogram" => return Some(scope),
                "DILexicalBlock" | "DILexicalBlockFile" => scope = node.field_ref("scope")?,
                _ => return None,
            }
        }
        None
    }

    /// Whether a scope is the outer one, or lies in it.
    pub fn is_scope_inside(&self, scope: MdId, outer: MdId) -> bool {
        let mut seen = FxHashSet::default();
        let mut next = Some(scope);
        while let Some(scope) = next.filter(|scope| seen.insert(*scope)) {
            if scope == outer {
                return true;
            }
            next = self.metadata.get(scope.0 as usize).and_then(|node| node.field_ref("scope"));
        }
        false
    }

    /// The name in the source of the function that a scope lies in.
    pub fn scope_function(&self, scope: MdId) -> Option<&str> {
        let subprogram = self.scope_subprogram(scope)?;
        self.metadata.get(subprogram.0 as usize)?.field_str("name")
    }

    fn scope_file(&self, scope: MdId) -> Option<Arc<str>> {
        let node = self.metadata.get(scope.0 as usize)?;
        if node.kind == "DIFile" {
            return file_path(node);
        }
        self.node_file(node)
    }

    /// The path in the `file` field of a node.
    fn node_file(&self, node: &MdNode) -> Option<Arc<str>> {
        self.field_node(node, "file").and_then(file_path)
    }

    /// The variable behind a `DIGlobalVariableExpression` (as in `Global::dbg`) or a `DIGlobalVariable`.
    pub fn global_variable(&self, id: MdId) -> Option<Variable<'_>> {
        let node = self.metadata.get(id.0 as usize)?;
        if node.kind == "DIGlobalVariable" {
            return self.variable(node, None);
        }
        let expression = self.node(id, "DIGlobalVariableExpression")?;
        let variable = self.node(expression.field_ref("var")?, "DIGlobalVariable")?;
        self.variable(variable, self.field_node(expression, "expr").and_then(fragment))
    }

    /// What a `DILocalVariable` says.
    pub fn local_variable(&self, id: MdId) -> Option<Variable<'_>> {
        self.variable(self.node(id, "DILocalVariable")?, None)
    }

    fn variable<'m>(&'m self, node: &'m MdNode, fragment: Option<(u64, u64)>) -> Option<Variable<'m>> {
        Some(Variable {
            name: node.field_str("name")?,
            ty: node.field_ref("type"),
            scope: node.field_ref("scope"),
            file: self.node_file(node),
            line: node.number("line"),
            arg: node.field_int("arg").and_then(|arg| arg.try_into().ok()).filter(|&arg| arg > 0),
            fragment,
        })
    }

    /// What a `DILabel` says.
    pub fn label(&self, id: MdId) -> Option<Label<'_>> {
        let node = self.node(id, "DILabel")?;
        Some(Label { name: node.field_str("name")?, file: self.node_file(node), line: node.number("line") })
    }
}

fn file_path(node: &MdNode) -> Option<Arc<str>> {
    let filename = node.field_str("filename")?;
    match node.field_str("directory") {
        Some(directory) if !filename.starts_with('/') => {
            Some(format!("{}/{filename}", directory.trim_end_matches('/')).into())
        }
        _ => Some(filename.into()),
    }
}

/// Offset and size of `DW_OP_LLVM_fragment`, which ends an expression.
fn fragment(expression: &MdNode) -> Option<(u64, u64)> {
    let [.., (_, MdValue::Word(word)), (_, MdValue::Int(offset)), (_, MdValue::Int(size))] =
        expression.fields.as_slice()
    else {
        return None;
    };
    (word == "DW_OP_LLVM_fragment").then_some(((*offset).try_into().ok()?, (*size).try_into().ok()?))
}
