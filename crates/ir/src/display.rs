//! Types as the text writes them, for messages.

use std::fmt;

use crate::module::{FloatKind, Type, TypeId, Types};

impl Types {
    /// The type in LLVM's notation.
    pub fn display(&self, id: TypeId) -> impl fmt::Display + '_ {
        DisplayType { types: self, id }
    }
}

struct DisplayType<'t> {
    types: &'t Types,
    id: TypeId,
}

impl fmt::Display for DisplayType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.types.get(self.id) {
            Type::Void => f.write_str("void"),
            Type::Int(bits) => write!(f, "i{bits}"),
            Type::Float(kind) => f.write_str(match kind {
                FloatKind::Half => "half",
                FloatKind::BFloat => "bfloat",
                FloatKind::Float => "float",
                FloatKind::Double => "double",
                FloatKind::X86Fp80 => "x86_fp80",
                FloatKind::Fp128 => "fp128",
            }),
            Type::Ptr => f.write_str("ptr"),
            Type::Label => f.write_str("label"),
            Type::Metadata => f.write_str("metadata"),
            Type::Token => f.write_str("token"),
            Type::Array(length, element) => {
                write!(f, "[{length} x {}]", self.types.display(*element))
            }
            Type::Vector(length, element) => {
                write!(f, "<{length} x {}>", self.types.display(*element))
            }
            Type::Struct { fields, packed } => {
                f.write_str(if *packed { "<{" } else { "{" })?;
                self.list(f, fields)?;
                f.write_str(if *packed { "}>" } else { "}" })
            }
            Type::Named(name) => write!(f, "%{name}"),
            Type::Func { ret, params, varargs } => {
                write!(f, "{} (", self.types.display(*ret))?;
                self.list(f, params)?;
                f.write_str(match (varargs, params.is_empty()) {
                    (false, _) => ")",
                    (true, true) => "...)",
                    (true, false) => ", ...)",
                })
            }
        }
    }
}

impl DisplayType<'_> {
    fn list(&self, f: &mut fmt::Formatter<'_>, ids: &[TypeId]) -> fmt::Result {
        for (position, id) in ids.iter().enumerate() {
            f.write_str(if position > 0 { ", " } else { "" })?;
            write!(f, "{}", self.types.display(*id))?;
        }
        Ok(())
    }
}
