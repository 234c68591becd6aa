//! The mathematical library of the machine: C functions and LLVM intrinsics, by name.
//!
//! All of them run the host's own glibc, so that a program computes the same bits here as natively on this computer. A
//! function comes as a Rust function pointer in a variant that tells its signature; the interpreter converts the
//! operands. Functions that write through pointers, set `errno`, or work on complex numbers are C: `runtime/math.c`
//! wraps the natives here, under their names with the prefix `__tb_math_`.

mod libm;

pub use libm::NAMES;

use crate::bytecode::ArgClass;
use crate::f80::F80;

/// A native function with its signature: operands in order, `To` the result. `long double` is `F80`.
#[derive(Clone, Copy, Debug)]
pub enum MathFn {
    F32ToF32(fn(f32) -> f32),
    F32F32ToF32(fn(f32, f32) -> f32),
    F32F32F32ToF32(fn(f32, f32, f32) -> f32),
    F32I32ToF32(fn(f32, i32) -> f32),
    F32I64ToF32(fn(f32, i64) -> f32),
    I32F32ToF32(fn(i32, f32) -> f32),
    F32F80ToF32(fn(f32, F80) -> f32),
    F32ToI32(fn(f32) -> i32),
    F32ToI64(fn(f32) -> i64),
    F32F32ToI32(fn(f32, f32) -> i32),
    F32ToF32I32(fn(f32) -> (f32, i32)),

    F64ToF64(fn(f64) -> f64),
    F64F64ToF64(fn(f64, f64) -> f64),
    F64F64F64ToF64(fn(f64, f64, f64) -> f64),
    F64I32ToF64(fn(f64, i32) -> f64),
    F64I64ToF64(fn(f64, i64) -> f64),
    I32F64ToF64(fn(i32, f64) -> f64),
    F64F80ToF64(fn(f64, F80) -> f64),
    F64ToI32(fn(f64) -> i32),
    F64ToI64(fn(f64) -> i64),
    F64F64ToI32(fn(f64, f64) -> i32),
    F64ToF64I32(fn(f64) -> (f64, i32)),

    F80ToF80(fn(F80) -> F80),
    F80F80ToF80(fn(F80, F80) -> F80),
    F80F80F80ToF80(fn(F80, F80, F80) -> F80),
    F80I32ToF80(fn(F80, i32) -> F80),
    F80I64ToF80(fn(F80, i64) -> F80),
    I32F80ToF80(fn(i32, F80) -> F80),
    F80ToI32(fn(F80) -> i32),
    F80ToI64(fn(F80) -> i64),
    F80F80ToI32(fn(F80, F80) -> i32),
    F80ToF80I32(fn(F80) -> (F80, i32)),
}

impl MathFn {
    /// How its arguments and its result travel. A variant's name is its signature.
    pub fn signature(self) -> (Vec<ArgClass>, Vec<ArgClass>) {
        let name = format!("{self:?}");
        let name = name.split('(').next().unwrap_or_default();
        let (arguments, result) = name.split_once("To").expect("a variant with its signature as its name");
        let classes = |types: &str| {
            let class = |i: usize| match &types[i..i + 3] {
                "F32" => ArgClass::F32,
                "F64" => ArgClass::F64,
                "F80" => ArgClass::F80,
                _ => ArgClass::Word,
            };
            (0..types.len()).step_by(3).map(class).collect()
        };
        (classes(arguments), classes(result))
    }
}

/// What the native with this C name takes and gives, as the variants above are called: `F64I32ToF64`.
pub fn types_of(name: &str) -> Option<String> {
    lookup(name).map(|native| format!("{native:?}").split('(').next().unwrap_or_default().to_string())
}

/// The float type that an intrinsic is instantiated for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatWidth {
    F32,
    F64,
    F80,
}

/// The native with this C name, with or without the prefix `__tb_math_`. Only functions without pointers are here.
pub fn lookup(name: &str) -> Option<MathFn> {
    let name = name.strip_prefix("__tb_math_").unwrap_or(name);
    libm::lookup(name).or_else(|| {
        // TS 18661 names: `sinf32` and the like are plain aliases in glibc, and with clang the types are as well.
        let (base, suffix) = [("f64x", "l"), ("f32x", ""), ("f64", ""), ("f32", "f")]
            .iter()
            .find_map(|(alias, suffix)| Some((name.strip_suffix(alias)?, suffix)))?;
        libm::lookup(&format!("{base}{suffix}"))
    })
}

/// The meaning of an LLVM intrinsic, named without its type suffixes (`llvm.sin`). The variants for a program that sets
/// `FENV_ACCESS` (`llvm.experimental.constrained.sin`) do the same here: there is one rounding mode and no traps.
pub fn intrinsic(base: &str, float: FloatWidth) -> Option<MathFn> {
    let name = base.strip_prefix("llvm.")?;
    let name = name.strip_prefix("experimental.constrained.").unwrap_or(name);
    let c_name = match name {
        "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "atan2" | "sinh" | "cosh" | "tanh" | "pow" | "exp"
        | "exp2" | "exp10" | "log" | "log2" | "log10" | "sqrt" | "floor" | "ceil" | "trunc" | "rint" | "nearbyint"
        | "round" | "roundeven" | "fabs" | "copysign" | "fma" | "ldexp" | "lround" | "llround" | "lrint" | "llrint" => {
            name
        }
        "minimum" => "fminimum",
        "maximum" => "fmaximum",
        "minnum" | "maxnum" | "fmuladd" | "powi" | "frexp" => {
            return special_intrinsic(name, float);
        }
        _ => return None,
    };
    let suffix = match float {
        FloatWidth::F32 => "f",
        FloatWidth::F64 => "",
        FloatWidth::F80 => "l",
    };
    libm::lookup(&format!("{c_name}{suffix}"))
}

/// Intrinsics that are not a C function by another name. They do what LLVM's x86-64 code for them does.
fn special_intrinsic(name: &str, float: FloatWidth) -> Option<MathFn> {
    use FloatWidth as W;
    use MathFn::*;
    Some(match (name, float) {
        // Inline code with minss and the like: of two zeros the first. glibc's fmin takes the second.
        ("minnum", W::F32) => F32F32ToF32(|x, y| if x.is_nan() || y < x { y } else { x }),
        ("minnum", W::F64) => F64F64ToF64(|x, y| if x.is_nan() || y < x { y } else { x }),
        ("minnum", W::F80) => libm::lookup("fminl")?,
        ("maxnum", W::F32) => F32F32ToF32(|x, y| if x.is_nan() || y > x { y } else { x }),
        ("maxnum", W::F64) => F64F64ToF64(|x, y| if x.is_nan() || y > x { y } else { x }),
        ("maxnum", W::F80) => libm::lookup("fmaxl")?,
        // The x86-64 baseline has no fused instruction: two operations, two roundings.
        ("fmuladd", W::F32) => F32F32F32ToF32(|x, y, z| x * y + z),
        ("fmuladd", W::F64) => F64F64F64ToF64(|x, y, z| x * y + z),
        ("fmuladd", W::F80) => F80F80F80ToF80(|x, y, z| x * y + z),
        ("powi", W::F32) => F32I32ToF32(|x, n| powi(x, 1.0, n)),
        ("powi", W::F64) => F64I32ToF64(|x, n| powi(x, 1.0, n)),
        ("powi", W::F80) => F80I32ToF80(|x, n| powi(x, F80::ONE, n)),
        ("frexp", W::F32) => F32ToF32I32(libm::frexpf),
        ("frexp", W::F64) => F64ToF64I32(libm::frexp),
        ("frexp", W::F80) => F80ToF80I32(libm::frexpl),
        _ => return None,
    })
}

/// The multiplications of the compiler library's `__powidf2`, in its order.
fn powi<T>(mut base: T, one: T, exponent: i32) -> T
where
    T: Copy + std::ops::Mul<Output = T> + std::ops::Div<Output = T>,
{
    let mut rest = exponent.unsigned_abs();
    let mut product = if rest % 2 == 1 { base } else { one };
    while rest > 1 {
        rest /= 2;
        base = base * base;
        if rest % 2 == 1 {
            product = product * base;
        }
    }
    if exponent < 0 { one / product } else { product }
}

#[cfg(test)]
mod tests;
