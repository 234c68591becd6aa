//! The names inside one function: locals and labels, which share a space, and the numbers of the unnamed ones.
//!
//! Names may be used before they are defined (labels nearly always are, locals in `phi` and in blocks that are
//! printed out of order), while `LocalId` and `BlockId` count definitions. So a label use yields the number of the
//! label (order of first mention), and a use of a local that is not yet defined yields a forward number with the top
//! bit set; `functions` replaces both when the body has ended.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::module::{BlockId, LocalId, TypeId};

/// A name with its quotes and escapes resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Name<'a> {
    Number(u32),
    Text(Cow<'a, str>),
}

impl<'a> Name<'a> {
    pub fn into_text(self) -> Cow<'a, str> {
        match self {
            Name::Number(number) => Cow::Owned(number.to_string()),
            Name::Text(text) => text,
        }
    }
}

impl std::fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Name::Number(number) => write!(f, "{number}"),
            Name::Text(text) => f.write_str(text),
        }
    }
}

/// Marks a `LocalId` that is an index into `Scope::forwards`. A text is below 4 GiB and a definition is longer than
/// two bytes, so real ids never reach it.
const FORWARD: u32 = 1 << 31;

#[derive(Clone, Copy)]
enum Entry {
    Vacant,
    Local(LocalId),
    Forward(u32),
    Label(u32),
}

struct Forward<'a> {
    name: Name<'a>,
    ty: TypeId,
    first_use: usize,
    local: Option<LocalId>,
}

struct Label<'a> {
    name: Name<'a>,
    first_use: usize,
    block: Option<BlockId>,
}

/// What went wrong with a name; the caller adds the place.
pub(super) enum NameError {
    /// A local is used with a type that is not its own.
    Type {
        name: String,
        own: TypeId,
        used: TypeId,
    },
    Other(String),
}

pub(super) struct Scope<'a> {
    /// The result type of the function.
    pub ret: TypeId,
    text_len: usize,
    named: FxHashMap<Cow<'a, str>, Entry>,
    numbered: Vec<Entry>,
    /// What the next unnamed parameter, block or result is called.
    next_number: u32,
    labels: Vec<Label<'a>>,
    forwards: Vec<Forward<'a>>,
    /// Whether a forward number was handed out since the flag was last cleared.
    pub used_forward: bool,
    pub local_types: Vec<TypeId>,
    pub local_names: Vec<String>,
}

impl<'a> Scope<'a> {
    pub fn new(text_len: usize) -> Self {
        Scope {
            ret: TypeId(0),
            text_len,
            named: FxHashMap::default(),
            numbered: Vec::new(),
            next_number: 0,
            labels: Vec::new(),
            forwards: Vec::new(),
            used_forward: false,
            local_types: Vec::new(),
            local_names: Vec::new(),
        }
    }

    /// Begins a function. The map is made anew rather than cleared: clearing costs its capacity, which one large
    /// function would make every later one pay.
    pub fn reset(&mut self, ret: TypeId) {
        self.ret = ret;
        self.named = FxHashMap::default();
        self.numbered.clear();
        self.next_number = 0;
        self.labels.clear();
        self.forwards.clear();
        self.used_forward = false;
        self.local_types = Vec::new();
        self.local_names = Vec::new();
    }

    fn entry(&mut self, name: &Name<'a>) -> Result<&mut Entry, NameError> {
        match name {
            // A number must be defined within this function, each definition takes text, and a function with an
            // undefined one ends the parse: so the table grows with the text at most.
            Name::Number(number) if *number as usize > self.text_len => {
                Err(NameError::Other(format!("use of undefined value '%{number}'")))
            }
            Name::Number(number) => {
                let index = *number as usize;
                if index >= self.numbered.len() {
                    self.numbered.resize(index + 1, Entry::Vacant);
                }
                Ok(&mut self.numbered[index])
            }
            Name::Text(text) => Ok(self.named.entry(text.clone()).or_insert(Entry::Vacant)),
        }
    }

    pub fn use_local(&mut self, name: Name<'a>, ty: TypeId, at: usize) -> Result<LocalId, NameError> {
        let (id, own) = match *self.entry(&name)? {
            Entry::Local(id) => (id, self.local_types[id.0 as usize]),
            Entry::Forward(index) => {
                self.used_forward = true;
                (LocalId(FORWARD | index), self.forwards[index as usize].ty)
            }
            Entry::Label(_) => {
                return Err(NameError::Other(format!("'%{name}' is a block, not a value")));
            }
            Entry::Vacant => {
                let index = self.forwards.len() as u32;
                *self.entry(&name)? = Entry::Forward(index);
                self.forwards.push(Forward { name, ty, first_use: at, local: None });
                self.used_forward = true;
                return Ok(LocalId(FORWARD | index));
            }
        };
        if own == ty { Ok(id) } else { Err(NameError::Type { name: name.to_string(), own, used: ty }) }
    }

    /// Defines a parameter or a result; without a name it gets the next number.
    pub fn define_local(&mut self, name: Option<Name<'a>>, ty: TypeId) -> Result<LocalId, NameError> {
        let name = self.defined_name(name, "%")?;
        let id = LocalId(self.local_types.len() as u32);
        let entry = self.entry(&name)?;
        match *entry {
            Entry::Vacant => *entry = Entry::Local(id),
            Entry::Forward(index) => {
                *entry = Entry::Local(id);
                let forward = &mut self.forwards[index as usize];
                forward.local = Some(id);
                if forward.ty != ty {
                    return Err(NameError::Type { name: name.to_string(), own: ty, used: forward.ty });
                }
            }
            Entry::Local(_) | Entry::Label(_) => {
                return Err(NameError::Other(format!("redefinition of '%{name}'")));
            }
        }
        self.local_types.push(ty);
        self.local_names.push(name.into_text().into_owned());
        Ok(id)
    }

    /// The number of the label, in the guise of a `BlockId`.
    pub fn use_label(&mut self, name: Name<'a>, at: usize) -> Result<BlockId, NameError> {
        match *self.entry(&name)? {
            Entry::Label(index) => Ok(BlockId(index)),
            Entry::Local(_) | Entry::Forward(_) => Err(NameError::Other(format!("'%{name}' is a value, not a block"))),
            Entry::Vacant => {
                let index = self.labels.len() as u32;
                *self.entry(&name)? = Entry::Label(index);
                self.labels.push(Label { name, first_use: at, block: None });
                Ok(BlockId(index))
            }
        }
    }

    /// Begins a block; without a label it gets the next number. Returns its name.
    pub fn define_label(&mut self, name: Option<Name<'a>>, block: BlockId, at: usize) -> Result<String, NameError> {
        let name = self.defined_name(name, "")?;
        let BlockId(index) = self.use_label(name.clone(), at)?;
        let label = &mut self.labels[index as usize];
        if label.block.is_some() {
            return Err(NameError::Other(format!("redefinition of block '{name}'")));
        }
        label.block = Some(block);
        Ok(name.into_text().into_owned())
    }

    /// LLVM's rule: unnamed parameters, blocks and results count together from 0.
    fn defined_name(&mut self, name: Option<Name<'a>>, sigil: &str) -> Result<Name<'a>, NameError> {
        let expected = self.next_number;
        match name {
            Some(Name::Number(number)) if number != expected => {
                Err(NameError::Other(format!("expected the number '{sigil}{expected}' but found '{sigil}{number}'")))
            }
            Some(Name::Text(text)) => Ok(Name::Text(text)),
            Some(Name::Number(_)) | None => {
                self.next_number += 1;
                Ok(Name::Number(expected))
            }
        }
    }

    /// The first name that was used and never defined, with the place of its first use.
    pub fn undefined(&self) -> Option<(String, usize)> {
        let locals = self.forwards.iter().filter(|f| f.local.is_none());
        let locals = locals.map(|f| (format!("use of undefined value '%{}'", f.name), f.first_use));
        let labels = self.labels.iter().filter(|l| l.block.is_none());
        let labels = labels.map(|l| (format!("use of undefined block '%{}'", l.name), l.first_use));
        locals.chain(labels).min_by_key(|(_, place)| *place)
    }

    /// The final id of what `use_local` returned, once `undefined` has said that there is nothing undefined.
    pub fn settled_local(&self, id: LocalId) -> LocalId {
        if id.0 & FORWARD == 0 {
            return id;
        }
        self.forwards[(id.0 & !FORWARD) as usize].local.unwrap_or(id)
    }

    /// The final id of what `use_label` returned, once `undefined` has said that there is nothing undefined.
    pub fn settled_block(&self, label: BlockId) -> BlockId {
        self.labels[label.0 as usize].block.unwrap_or(label)
    }
}
