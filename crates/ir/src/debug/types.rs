//! Types of the source, one level at a time: a struct that points to itself is a circle, so a view names the types
//! it is made of by `MdId`, and the reader goes on from there as far as it wants.

use crate::module::{MdId, MdNode, MdValue, Module};

/// How many typedefs, qualifiers or arrays may follow one another: metadata that goes in circles ends here.
const MAX_DEPTH: u32 = 64;
/// How many types one name may be made of.
const MAX_NAME_PARTS: u32 = 100;

/// What a type of the source is. Where a type is an `Option<MdId>`, `None` is `void`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiType<'m> {
    Base {
        name: &'m str,
        encoding: Encoding,
        bits: u64,
    },
    Pointer {
        to: Option<MdId>,
        bits: u64,
    },
    Typedef {
        name: &'m str,
        of: Option<MdId>,
    },
    Qualified {
        qualifier: Qualifier,
        of: Option<MdId>,
    },
    Record(Record<'m>),
    /// A dimension is `None` where it is not known: a flexible array member, a variable-length array.
    Array {
        element: Option<MdId>,
        dimensions: Vec<Option<u64>>,
        /// Of `__attribute__((vector_size))`.
        vector: bool,
        bits: u64,
    },
    Enum {
        name: Option<&'m str>,
        underlying: Option<MdId>,
        enumerators: Vec<(&'m str, i128)>,
        bits: u64,
    },
    Function {
        ret: Option<MdId>,
        params: Vec<Option<MdId>>,
        varargs: bool,
    },
    /// No type, or one that C does not have.
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Boolean,
    Signed,
    Unsigned,
    SignedChar,
    UnsignedChar,
    Float,
    ComplexFloat,
    Utf,
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Qualifier {
    Const,
    Volatile,
    Restrict,
    Atomic,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    Struct,
    Union,
    Class,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record<'m> {
    pub kind: RecordKind,
    pub name: Option<&'m str>,
    pub bits: u64,
    /// Empty when only declared.
    pub members: Vec<Member<'m>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member<'m> {
    /// `None` for an anonymous struct or union.
    pub name: Option<&'m str>,
    pub bit_offset: u64,
    pub bit_size: u64,
    pub bit_field: bool,
    pub ty: Option<MdId>,
}

impl Qualifier {
    fn word(self) -> &'static str {
        match self {
            Qualifier::Const => "const",
            Qualifier::Volatile => "volatile",
            Qualifier::Restrict => "restrict",
            Qualifier::Atomic => "_Atomic",
        }
    }
}

impl Module {
    /// The type node `id`, one level deep.
    pub fn di_type(&self, id: MdId) -> DiType<'_> {
        let Some(node) = self.metadata.get(id.0 as usize) else {
            return DiType::Unknown;
        };
        match node.kind.as_str() {
            "DIBasicType" => DiType::Base {
                name: node.field_str("name").unwrap_or("?"),
                encoding: encoding(node.field_word("encoding").unwrap_or_default()),
                bits: node.number("size"),
            },
            "DIDerivedType" => derived(node),
            "DICompositeType" => self.composite(node),
            "DISubroutineType" => self.subroutine(node),
            _ => DiType::Unknown,
        }
    }

    fn composite<'m>(&'m self, node: &'m MdNode) -> DiType<'m> {
        let bits = node.number("size");
        let kind = match node.field_word("tag").unwrap_or_default() {
            "DW_TAG_structure_type" => RecordKind::Struct,
            "DW_TAG_union_type" => RecordKind::Union,
            "DW_TAG_class_type" => RecordKind::Class,
            "DW_TAG_array_type" => {
                return DiType::Array {
                    element: node.field_ref("baseType"),
                    dimensions: self.elements(node, "elements").map(dimension).collect(),
                    vector: node.has_flag("DIFlagVector"),
                    bits,
                };
            }
            "DW_TAG_enumeration_type" => {
                let enumerators = self.elements(node, "elements").filter_map(|element| {
                    let value = element.filter(|node| node.kind == "DIEnumerator")?;
                    Some((value.field_str("name")?, value.field_int("value")?))
                });
                return DiType::Enum {
                    name: node.field_str("name"),
                    underlying: node.field_ref("baseType"),
                    enumerators: enumerators.collect(),
                    bits,
                };
            }
            _ => return DiType::Unknown,
        };
        let members = self.elements(node, "elements").filter_map(|element| element.and_then(member));
        DiType::Record(Record { kind, name: node.field_str("name"), bits, members: members.collect() })
    }

    fn subroutine(&self, node: &MdNode) -> DiType<'_> {
        let Some(types) = self.field_node(node, "types") else {
            return DiType::Function { ret: None, params: Vec::new(), varargs: false };
        };
        let mut types = types.fields.iter().map(|(_, value)| match value {
            MdValue::Ref(id) => Some(*id),
            _ => None,
        });
        let ret = types.next().flatten();
        let mut params: Vec<_> = types.collect();
        // A last `null` stands for `...`, as no parameter is `void`.
        let varargs = params.last() == Some(&None);
        if varargs {
            params.pop();
        }
        DiType::Function { ret, params, varargs }
    }

    /// The nodes of the tuple in a field.
    fn elements<'m>(&'m self, node: &'m MdNode, name: &str) -> impl Iterator<Item = Option<&'m MdNode>> {
        let tuple = self.field_node(node, name).map_or(&[][..], |tuple| &tuple.fields);
        tuple.iter().map(|(_, value)| match value {
            MdValue::Ref(id) => self.metadata.get(id.0 as usize),
            MdValue::Node(node) => Some(node.as_ref()),
            _ => None,
        })
    }

    /// The type behind typedefs and qualifiers; `None` for `void`.
    pub fn strip_di_type(&self, id: MdId) -> Option<MdId> {
        let mut id = id;
        for _ in 0..MAX_DEPTH {
            match self.di_type(id) {
                DiType::Typedef { of, .. } | DiType::Qualified { of, .. } => id = of?,
                _ => return Some(id),
            }
        }
        None
    }

    /// The size in bytes; `None` where it is not known.
    pub fn di_size(&self, id: MdId) -> Option<u64> {
        self.size_in_bits(id, MAX_DEPTH).map(|bits| bits / 8)
    }

    fn size_in_bits(&self, id: MdId, depth: u32) -> Option<u64> {
        let known = |bits: u64| (bits != 0).then_some(bits);
        match self.di_type(self.strip_di_type(id)?) {
            DiType::Base { bits, .. } | DiType::Pointer { bits, .. } | DiType::Enum { bits, .. } => known(bits),
            DiType::Record(record) => known(record.bits),
            DiType::Array { element, dimensions, bits, .. } => known(bits).or_else(|| {
                let mut total = self.size_in_bits(element?, depth.checked_sub(1)?)?;
                for dimension in dimensions {
                    total = total.checked_mul(dimension?)?;
                }
                known(total)
            }),
            _ => None,
        }
    }

    /// The type as C writes it, e.g. `const struct node *` or `int (*)(char, ...)`.
    pub fn di_type_name(&self, id: Option<MdId>) -> String {
        let mut budget = MAX_NAME_PARTS;
        self.declare(id, String::new(), &mut budget)
    }

    /// C's declarators read inside out: `inner` is what has been wrapped around the name so far.
    fn declare(&self, id: Option<MdId>, inner: String, budget: &mut u32) -> String {
        let with = |name: &str, inner: &str| match inner.bytes().next() {
            None | Some(b'[') => format!("{name}{inner}"),
            Some(_) => format!("{name} {inner}"),
        };
        let Some(id) = id else {
            return with("void", &inner);
        };
        if *budget == 0 {
            return with("…", &inner);
        }
        *budget -= 1;
        match self.di_type(id) {
            DiType::Base { name, .. } | DiType::Typedef { name, .. } => with(name, &inner),
            DiType::Pointer { to, .. } => {
                let wrap =
                    to.is_some_and(|to| matches!(self.di_type(to), DiType::Array { .. } | DiType::Function { .. }));
                self.declare(to, if wrap { format!("(*{inner})") } else { format!("*{inner}") }, budget)
            }
            DiType::Qualified { qualifier, of } => {
                let of_pointer = of.is_some_and(|of| matches!(self.di_type(of), DiType::Pointer { .. }));
                if of_pointer {
                    self.declare(of, with(qualifier.word(), &inner), budget)
                } else {
                    format!("{} {}", qualifier.word(), self.declare(of, inner, budget))
                }
            }
            DiType::Record(Record { kind, name, .. }) => {
                let keyword = match kind {
                    RecordKind::Struct => "struct",
                    RecordKind::Union => "union",
                    RecordKind::Class => "class",
                };
                with(&with(keyword, name.unwrap_or("{…}")), &inner)
            }
            DiType::Enum { name, .. } => with(&with("enum", name.unwrap_or("{…}")), &inner),
            DiType::Array { element, dimensions, .. } => {
                let mut declarator = inner;
                for dimension in dimensions {
                    let length = dimension.map(|length| length.to_string()).unwrap_or_default();
                    declarator.push_str(&format!("[{length}]"));
                }
                self.declare(element, declarator, budget)
            }
            DiType::Function { ret, params, varargs } => {
                let mut list = Vec::new();
                for param in params {
                    list.push(self.declare(param, String::new(), budget));
                    if *budget == 0 {
                        break;
                    }
                }
                if varargs {
                    list.push("...".to_owned());
                }
                let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
                self.declare(ret, format!("{inner}({list})"), budget)
            }
            DiType::Unknown => with("?", &inner),
        }
    }
}

fn encoding(word: &str) -> Encoding {
    match word {
        "DW_ATE_boolean" => Encoding::Boolean,
        "DW_ATE_signed" => Encoding::Signed,
        "DW_ATE_unsigned" => Encoding::Unsigned,
        "DW_ATE_signed_char" => Encoding::SignedChar,
        "DW_ATE_unsigned_char" => Encoding::UnsignedChar,
        "DW_ATE_float" => Encoding::Float,
        "DW_ATE_complex_float" => Encoding::ComplexFloat,
        "DW_ATE_UTF" => Encoding::Utf,
        _ => Encoding::Other,
    }
}

fn derived(node: &MdNode) -> DiType<'_> {
    let of = node.field_ref("baseType");
    let qualifier = match node.field_word("tag").unwrap_or_default() {
        "DW_TAG_pointer_type" => {
            return DiType::Pointer { to: of, bits: node.number("size") };
        }
        "DW_TAG_typedef" => {
            return DiType::Typedef { name: node.field_str("name").unwrap_or("?"), of };
        }
        "DW_TAG_const_type" => Qualifier::Const,
        "DW_TAG_volatile_type" => Qualifier::Volatile,
        "DW_TAG_restrict_type" => Qualifier::Restrict,
        "DW_TAG_atomic_type" => Qualifier::Atomic,
        _ => return DiType::Unknown,
    };
    DiType::Qualified { qualifier, of }
}

fn member(node: &MdNode) -> Option<Member<'_>> {
    (node.field_word("tag") == Some("DW_TAG_member")).then(|| Member {
        name: node.field_str("name"),
        bit_offset: node.number("offset"),
        bit_size: node.number("size"),
        bit_field: node.has_flag("DIFlagBitField"),
        ty: node.field_ref("baseType"),
    })
}

/// The length that a `DISubrange` gives. A flexible array member has the count -1, or none.
fn dimension(subrange: Option<&MdNode>) -> Option<u64> {
    let subrange = subrange?;
    let lower: i128 = subrange.number("lowerBound");
    let upper = subrange.field_int("upperBound");
    let count = subrange.field_int("count").or_else(|| upper?.checked_sub(lower)?.checked_add(1));
    count.and_then(|count| count.try_into().ok())
}
