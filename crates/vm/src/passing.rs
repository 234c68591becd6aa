//! How arguments and results are passed, and whether a call fits the function that it comes to. As on the hardware, more arguments
//! than parameters do no harm to a function that takes any number, and a result may be ignored.

use threadbare_ir::{Call, Function, Module, Type, TypeId};

use crate::bytecode::ArgClass;
use crate::layout::{Layout, Leaf, Scalar, Unsupported};

/// What a function takes and gives, or a call gives and takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    pub params: Vec<ArgClass>,
    pub results: Vec<ArgClass>,
    pub varargs: bool,
}

impl Signature {
    /// `None` where a type cannot be passed.
    pub fn of_function(module: &Module, function: &Function) -> Option<Signature> {
        let params = function.params.iter().map(|param| (param.ty, param.attrs.byval, param.attrs.align));
        Signature::new(module, params, function.ret, function.varargs)
    }

    pub fn of_call(module: &Module, call: &Call) -> Option<Signature> {
        let params = call.args.iter().map(|arg| (arg.operand.ty, arg.attrs.byval, arg.attrs.align));
        let varargs = matches!(module.types.get(call.fn_ty), Type::Func { varargs: true, .. });
        Signature::new(module, params, call.ret, varargs)
    }

    fn new(
        module: &Module,
        params: impl Iterator<Item = (TypeId, Option<TypeId>, u32)>,
        result: TypeId,
        varargs: bool,
    ) -> Option<Signature> {
        let layout = Layout::new(&module.types);
        let mut all = Vec::new();
        for (ty, byval, align) in params {
            all.extend(classes(&layout, ty, byval, align).ok()?);
        }
        Some(Signature { params: all, results: classes(&layout, result, None, 0).ok()?, varargs })
    }

    /// Where a call does not fit, in words.
    pub fn misfit(&self, call: &Signature) -> Option<String> {
        let fits = call.params.len() >= self.params.len()
            && self.params.iter().zip(&call.params).all(|(a, b)| a == b)
            && (call.params.len() == self.params.len() || self.varargs || call.varargs)
            && (call.results.is_empty() || call.results == self.results);
        (!fits).then(|| misfit(&self.params, &self.results, &call.params, &call.results))
    }

    /// The same of a call of the library, with so many words: the function need not take all of them, nor give something.
    pub fn misfit_with_words(&self, words: usize) -> Option<String> {
        let fits = self.params.len() <= words && self.params.iter().all(|class| *class == ArgClass::Word);
        let word = [ArgClass::Word];
        let differs = !fits || !matches!(self.results[..], [] | [ArgClass::Word]);
        differs.then(|| misfit(&self.params, &self.results, &word.repeat(words), &word))
    }
}

/// How values of a type are passed.
pub fn classes(
    layout: &Layout<'_>,
    ty: TypeId,
    byval: Option<TypeId>,
    align: u32,
) -> Result<Vec<ArgClass>, Unsupported> {
    if let Some(inner) = byval {
        let size = layout.size(inner)? as u32;
        return Ok(vec![ArgClass::ByVal { size, align }]);
    }
    if let Some((n, element)) = layout.vector(ty)? {
        let bits = layout.scalar(element)?.bits()?;
        let count = u8::try_from(n).map_err(|_| Unsupported(format!("a vector of {n} elements as an argument")))?;
        if bits <= 64 {
            return Ok(vec![ArgClass::Packed { count, bits }]);
        }
    }
    if let Type::Struct { fields, .. } = layout.get(ty)? {
        let mut all = Vec::new();
        for &field in fields {
            all.extend(classes(layout, field, None, 0)?);
        }
        return Ok(all);
    }
    let class = |leaf: &Leaf| {
        Ok(match leaf.scalar {
            Scalar::Int(_) | Scalar::Ptr => ArgClass::Word,
            Scalar::Wide(_) => ArgClass::Wide,
            Scalar::Big(w) => {
                return Err(Unsupported(format!("an integer of {w} bits as an argument or result")));
            }
            Scalar::F32 => ArgClass::F32,
            Scalar::F64 => ArgClass::F64,
            Scalar::F80 => ArgClass::F80,
        })
    };
    layout.leaves(ty)?.iter().map(class).collect()
}

/// In words where a function of these parameters and results and a call of it differ first.
pub fn misfit(params: &[ArgClass], results: &[ArgClass], given: &[ArgClass], wanted: &[ArgClass]) -> String {
    if params.len() != given.len() {
        let count = |n: usize| if n == 1 { "1 argument".to_string() } else { format!("{n} arguments") };
        return format!("it takes {}, but is called with {}", count(params.len()), given.len());
    }
    if let Some(at) = (0..params.len()).find(|&at| params[at] != given[at]) {
        let [takes, gets] = [params[at], given[at]].map(|class| class_list(&[class]));
        return format!("as argument {} it takes {takes}, but gets {gets}", at + 1);
    }
    format!("it gives {}, but the caller takes {}", class_list(results), class_list(wanted))
}

fn class_list(classes: &[ArgClass]) -> String {
    let names: Vec<_> = classes
        .iter()
        .map(|class| match class {
            ArgClass::Word => "an integer or pointer".to_string(),
            ArgClass::Wide => "a 128-bit integer".to_string(),
            ArgClass::F32 => "a float".to_string(),
            ArgClass::F64 => "a double".to_string(),
            ArgClass::F80 => "a long double".to_string(),
            ArgClass::Packed { count, bits } => format!("a vector of {count} × {bits} bits"),
            ArgClass::ByVal { size, .. } => format!("a structure of {size} bytes"),
        })
        .collect();
    if names.is_empty() { "nothing".to_string() } else { names.join(" and ") }
}
