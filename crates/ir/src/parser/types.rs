//! Types: their grammar, their names, and the questions that other rules ask about them.

use crate::lexer::{Symbol, Token};
use crate::module::{FloatKind, Type, TypeId, Types};

use super::scope::Name;
use super::{Parser, Result};

/// LLVM's own limit on the width of an integer.
const MAX_INT_BITS: u32 = (1 << 23) - 1;

/// Types that rules need by name, interned once.
pub(super) struct Common {
    pub void: TypeId,
    pub i1: TypeId,
    pub i8: TypeId,
    pub i32: TypeId,
    pub ptr: TypeId,
    pub label: TypeId,
    pub metadata: TypeId,
}

impl Common {
    pub fn new(types: &mut Types) -> Self {
        Common {
            void: types.intern(Type::Void),
            i1: types.intern(Type::Int(1)),
            i8: types.intern(Type::Int(8)),
            i32: types.intern(Type::Int(32)),
            ptr: types.intern(Type::Ptr),
            label: types.intern(Type::Label),
            metadata: types.intern(Type::Metadata),
        }
    }
}

/// What `%name` stands for as a type, and where it was first seen.
#[derive(Clone, Copy)]
pub(super) struct NamedType {
    pub ty: TypeId,
    pub defined: bool,
    pub first_use: usize,
}

impl<'a> Parser<'a> {
    /// A type of values (or `label`, `metadata`): anything but `void` and functions.
    pub(super) fn ty(&mut self) -> Result<TypeId> {
        let here = self.current.start;
        let ty = self.any_type()?;
        match self.module.types.get(ty) {
            Type::Void => Err(self.error_at(here, "'void' is only allowed as a function's result")),
            Type::Func { .. } => Err(self.error_at(here, "a function type is not allowed here")),
            _ => Ok(ty),
        }
    }

    /// Any type, with `void` and functions.
    pub(super) fn any_type(&mut self) -> Result<TypeId> {
        let mut ty = self.simple_type()?;
        while self.at(b'(') {
            ty = self.function_type(ty)?;
        }
        Ok(ty)
    }

    /// Whether the current token can begin a type.
    pub(super) fn at_type(&self) -> bool {
        match self.current.token {
            Token::Word(word) => {
                int_bits(word).is_some()
                    || float_kind(word).is_some()
                    || matches!(word, "ptr" | "void" | "label" | "metadata" | "token")
            }
            Token::Local(_) | Token::Punct(b'[' | b'{' | b'<') => true,
            _ => false,
        }
    }

    /// A type without the parameter list that would make it a function type.
    pub(super) fn simple_type(&mut self) -> Result<TypeId> {
        match self.current.token {
            Token::Word(word) => self.type_word(word),
            Token::Local(symbol) => {
                let name = self.name(symbol)?;
                let ty = self.named_type(name, self.current.start);
                self.advance();
                Ok(ty)
            }
            Token::Punct(b'{') => self.nested(|p| p.struct_type(false)),
            Token::Punct(b'[') => self.nested(|p| p.array_type()),
            Token::Punct(b'<') => self.nested(|p| p.vector_or_packed_struct()),
            _ => Err(self.unexpected("a type")),
        }
    }

    fn type_word(&mut self, word: &str) -> Result<TypeId> {
        let ty = match word {
            "ptr" => {
                self.advance();
                self.address_space()?;
                return Ok(self.common.ptr);
            }
            "i32" => self.common.i32,
            "void" => self.common.void,
            "label" => self.common.label,
            "metadata" => self.common.metadata,
            "token" => self.module.types.intern(Type::Token),
            "target" | "x86_mmx" | "x86_amx" | "ppc_fp128" | "opaque" => {
                return Err(self.error(format!("type '{word}' is unsupported")));
            }
            _ => {
                let ty = if let Some(bits) = int_bits(word) {
                    if bits == 0 || bits > MAX_INT_BITS {
                        return Err(self.error(format!("'{word}' is no integer type")));
                    }
                    Type::Int(bits)
                } else if let Some(kind) = float_kind(word) {
                    Type::Float(kind)
                } else {
                    return Err(self.unexpected("a type"));
                };
                self.module.types.intern(ty)
            }
        };
        self.advance();
        Ok(ty)
    }

    /// `addrspace(0)` or nothing: pointers into other address spaces have no place in our types.
    pub(super) fn address_space(&mut self) -> Result<()> {
        if !self.eat_word("addrspace") {
            return Ok(());
        }
        self.expect(b'(')?;
        let here = self.current.start;
        let space = self.unsigned("an address space")?;
        if space != 0 {
            return Err(self.error_at(here, format!("address space {space} is unsupported")));
        }
        self.expect(b')')
    }

    fn named_type(&mut self, name: Name<'a>, first_use: usize) -> TypeId {
        let text = name.into_text();
        if let Some(named) = self.type_names.get(&text) {
            return named.ty;
        }
        let ty = self.module.types.intern(Type::Named(text.clone().into_owned()));
        self.type_names.insert(text, NamedType { ty, defined: false, first_use });
        ty
    }

    fn struct_type(&mut self, packed: bool) -> Result<TypeId> {
        self.expect(b'{')?;
        let mut fields = Vec::new();
        self.list(b'}', |p| {
            fields.push(p.element_type()?);
            Ok(())
        })?;
        Ok(self.module.types.intern(Type::Struct { fields, packed }))
    }

    fn array_type(&mut self) -> Result<TypeId> {
        self.expect(b'[')?;
        let length = self.unsigned("an array length")?;
        self.expect_word("x")?;
        let element = self.element_type()?;
        self.expect(b']')?;
        Ok(self.module.types.intern(Type::Array(length, element)))
    }

    fn vector_or_packed_struct(&mut self) -> Result<TypeId> {
        self.expect(b'<')?;
        if self.at(b'{') {
            let ty = self.struct_type(true)?;
            self.expect(b'>')?;
            return Ok(ty);
        }
        if self.current.token == Token::Word("vscale") {
            return Err(self.error("scalable vectors are unsupported"));
        }
        let here = self.current.start;
        let length = self.unsigned("a vector length")?;
        if length == 0 || u32::try_from(length).is_err() {
            return Err(self.error_at(here, format!("a vector cannot have {length} elements")));
        }
        self.expect_word("x")?;
        let here = self.current.start;
        let element = self.ty()?;
        if !matches!(self.module.types.get(element), Type::Int(_) | Type::Float(_) | Type::Ptr) {
            return Err(self.error_at(here, format!("vectors of '{}' do not exist", self.show(element))));
        }
        self.expect(b'>')?;
        Ok(self.module.types.intern(Type::Vector(length, element)))
    }

    /// The type of a field or an array element: one that lives in memory.
    fn element_type(&mut self) -> Result<TypeId> {
        let here = self.current.start;
        let ty = self.ty()?;
        if self.is_first_class(ty) {
            Ok(ty)
        } else {
            Err(self.error_at(here, format!("'{}' cannot be an element", self.show(ty))))
        }
    }

    fn function_type(&mut self, ret: TypeId) -> Result<TypeId> {
        if !self.may_be_returned(ret) {
            return Err(self.error(format!("a function cannot return '{}'", self.show(ret))));
        }
        self.advance();
        let mut params = Vec::new();
        let mut varargs = false;
        self.nested(|p| {
            p.list(b')', |p| {
                if p.current.token == Token::Ellipsis {
                    p.advance();
                    varargs = true;
                    return if p.at(b')') { Ok(()) } else { Err(p.unexpected("')' after '...'")) };
                }
                params.push(p.ty()?);
                Ok(())
            })
        })?;
        Ok(self.module.types.intern(Type::Func { ret, params, varargs }))
    }

    pub(super) fn may_be_returned(&self, ty: TypeId) -> bool {
        !matches!(self.module.types.get(ty), Type::Func { .. } | Type::Label | Type::Metadata)
    }

    /// `%name = type …`
    pub(super) fn type_definition(&mut self, symbol: Symbol<'a>) -> Result<()> {
        let here = self.current.start;
        let name = self.name(symbol)?;
        let text = name.clone().into_text();
        self.advance();
        self.expect(b'=')?;
        self.expect_word("type")?;
        let ty = self.named_type(name, here);
        let entry = self.type_names.get_mut(&text).expect("named_type has just entered it");
        if std::mem::replace(&mut entry.defined, true) {
            return Err(self.error_at(here, format!("redefinition of type '%{text}'")));
        }
        if self.eat_word("opaque") {
            return Ok(());
        }
        let start = self.current.start;
        let body = self.ty()?;
        if !matches!(self.module.types.get(body), Type::Struct { .. }) {
            return Err(self.error_at(start, "names for types other than structs are unsupported"));
        }
        self.module.types.bodies.insert(ty, body);
        Ok(())
    }

    // Questions about types.

    /// A type that a value in memory or in an aggregate can have.
    pub(super) fn is_first_class(&self, ty: TypeId) -> bool {
        !matches!(
            self.module.types.get(ty),
            Type::Void | Type::Label | Type::Metadata | Type::Token | Type::Func { .. }
        )
    }

    /// Whether `ty`, or the element of the vector `ty`, fulfils `check`.
    pub(super) fn scalar_is(&self, ty: TypeId, check: impl Fn(&Type) -> bool) -> bool {
        match self.module.types.get(ty) {
            Type::Vector(_, element) => check(self.module.types.get(*element)),
            scalar => check(scalar),
        }
    }

    /// `element`, or a vector of it when `shape` is a vector.
    pub(super) fn shaped_like(&mut self, shape: TypeId, element: TypeId) -> TypeId {
        match *self.module.types.get(shape) {
            Type::Vector(length, _) => self.module.types.intern(Type::Vector(length, element)),
            _ => element,
        }
    }

    /// The type of element `index` of a struct or array; `None` where there is none.
    pub(super) fn element(&self, ty: TypeId, index: u64) -> Option<TypeId> {
        match self.module.types.get(self.module.types.resolve(ty)?) {
            Type::Struct { fields, .. } => fields.get(usize::try_from(index).ok()?).copied(),
            Type::Array(length, element) => (index < *length).then_some(*element),
            _ => None,
        }
    }

    /// Fails unless memory can hold a `ty`.
    pub(super) fn require_sized(&self, ty: TypeId, at: usize) -> Result<()> {
        if self.is_first_class(ty) && self.module.types.resolve(ty).is_some() {
            Ok(())
        } else {
            Err(self.error_at(at, format!("type '{}' has no size", self.show(ty))))
        }
    }
}

/// The width of `iN`; numbers that do not fit are 0, which no integer has.
fn int_bits(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('i')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(0))
}

fn float_kind(word: &str) -> Option<FloatKind> {
    Some(match word {
        "double" => FloatKind::Double,
        "float" => FloatKind::Float,
        "half" => FloatKind::Half,
        "bfloat" => FloatKind::BFloat,
        "x86_fp80" => FloatKind::X86Fp80,
        "fp128" => FloatKind::Fp128,
        _ => return None,
    })
}
