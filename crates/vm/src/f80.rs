//! The x87 80-bit extended float: C's `long double`, LLVM's `x86_fp80`.
//!
//! Rust has no such type, and an emulation would have to be as exact as the hardware. So every operation loads its
//! operands into the host's x87 unit, computes there, and stores the 80 bits back: results, NaN payloads and all, are
//! the ones that a native run on this machine gives. The unit runs with its Linux defaults, a 64-bit mantissa and
//! rounding to nearest with ties to even. Only what is plain bit handling (sign, classification, integers) is Rust.
//!
//! `call` calls C functions of the host that take and return `long double`, which Rust's `extern "C"` cannot.

mod call;

pub use call::{call_returning_f64, call_returning_f80, call_returning_integer, pointer_argument};

use core::arch::asm;
use core::cmp::Ordering;
use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Rem, Sub};

/// An 80-bit float, as its bits stand in memory. Equality and order are those of the numbers, as for `f64`: a NaN is
/// not equal to itself. Compare `to_bits` for identity.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct F80 {
    /// The 64 bits of the mantissa; the topmost one is the explicit integer bit.
    pub mantissa: u64,
    /// The sign in bit 15, the biased exponent below it.
    pub sign_exp: u16,
}

/// An `asm!` block that works on the x87 register stack: empty before, empty after.
macro_rules! x87 {
    ($($line:literal),+ ; $($operands:tt)*) => {
        asm!(
            $($line),+,
            $($operands)*
            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            options(nostack),
        )
    };
}

mod integer; // after the macro, which it uses

/// x87 control words: all exceptions masked, 64-bit mantissa, and the rounding in bits 10 and 11.
const TO_NEAREST: u16 = 0x037f;
const DOWN: u16 = 0x077f;
const UP: u16 = 0x0b7f;
const TO_ZERO: u16 = 0x0f7f;

const SIGN: u16 = 0x8000;
const EXP_MASK: u16 = 0x7fff;
const EXP_BIAS: i32 = 0x3fff;
const INTEGER_BIT: u64 = 1 << 63;
const QUIET_BIT: u64 = 1 << 62;

impl F80 {
    pub const ZERO: F80 = F80 { mantissa: 0, sign_exp: 0 };
    pub const ONE: F80 = F80 { mantissa: INTEGER_BIT, sign_exp: EXP_BIAS as u16 };
    pub const INFINITY: F80 = F80 { mantissa: INTEGER_BIT, sign_exp: EXP_MASK };
    pub const NEG_INFINITY: F80 = F80 { mantissa: INTEGER_BIT, sign_exp: EXP_MASK | SIGN };
    pub const NAN: F80 = F80 { mantissa: INTEGER_BIT | QUIET_BIT, sign_exp: EXP_MASK };
    /// The largest finite value.
    pub const MAX: F80 = F80 { mantissa: u64::MAX, sign_exp: EXP_MASK - 1 };
    /// The smallest positive normal value.
    pub const MIN_POSITIVE: F80 = F80 { mantissa: INTEGER_BIT, sign_exp: 1 };
    const HALF: F80 = F80 { mantissa: INTEGER_BIT, sign_exp: EXP_BIAS as u16 - 1 };
    const TWO_POW_63: F80 = F80 { mantissa: INTEGER_BIT, sign_exp: EXP_BIAS as u16 + 63 };

    /// The value with these 80 bits; the upper 48 of the argument are ignored.
    pub const fn from_bits(bits: u128) -> F80 {
        F80 { mantissa: bits as u64, sign_exp: (bits >> 64) as u16 }
    }

    pub const fn to_bits(self) -> u128 {
        (self.sign_exp as u128) << 64 | self.mantissa as u128
    }

    /// The ten bytes as they lie in memory.
    pub fn from_le_bytes(bytes: [u8; 10]) -> F80 {
        let mut wide = [0; 16];
        wide[..10].copy_from_slice(&bytes);
        F80::from_bits(u128::from_le_bytes(wide))
    }

    pub fn to_le_bytes(self) -> [u8; 10] {
        let mut bytes = [0; 10];
        bytes.copy_from_slice(&self.to_bits().to_le_bytes()[..10]);
        bytes
    }

    pub const fn is_sign_negative(self) -> bool {
        self.sign_exp & SIGN != 0
    }

    /// NaN, also in the encodings that the unit rejects as invalid (they behave as NaNs in every operation).
    pub const fn is_nan(self) -> bool {
        let exp = self.sign_exp & EXP_MASK;
        (exp == EXP_MASK && self.mantissa != INTEGER_BIT) || (exp != 0 && self.mantissa & INTEGER_BIT == 0)
    }

    pub const fn is_infinite(self) -> bool {
        self.sign_exp & EXP_MASK == EXP_MASK && self.mantissa == INTEGER_BIT
    }

    pub const fn is_finite(self) -> bool {
        !self.is_nan() && !self.is_infinite()
    }

    pub const fn is_zero(self) -> bool {
        self.sign_exp & EXP_MASK == 0 && self.mantissa == 0
    }

    pub const fn is_subnormal(self) -> bool {
        self.sign_exp & EXP_MASK == 0 && self.mantissa != 0
    }

    pub const fn is_normal(self) -> bool {
        self.is_finite() && self.sign_exp & EXP_MASK != 0
    }

    /// The absolute value: the sign bit alone changes, also of a NaN.
    pub const fn abs(self) -> F80 {
        F80 { mantissa: self.mantissa, sign_exp: self.sign_exp & EXP_MASK }
    }

    /// This value with the sign of the other.
    pub const fn copysign(self, sign: F80) -> F80 {
        F80 { mantissa: self.mantissa, sign_exp: self.sign_exp & EXP_MASK | sign.sign_exp & SIGN }
    }

    pub fn sqrt(self) -> F80 {
        let mut result = F80::ZERO;
        // SAFETY: reads and writes the ten bytes of two local values; the register stack is left empty.
        unsafe {
            x87!("fld tbyte ptr [{x}]", "fsqrt", "fstp tbyte ptr [{r}]";
                x = in(reg) &raw const self, r = in(reg) &raw mut result,)
        }
        result
    }

    pub fn floor(self) -> F80 {
        self.round_to_integer(DOWN)
    }

    pub fn ceil(self) -> F80 {
        self.round_to_integer(UP)
    }

    pub fn trunc(self) -> F80 {
        self.round_to_integer(TO_ZERO)
    }

    /// To the nearest integer, ties to even. The machine has no other rounding mode, so this is `rint` and `nearbyint`
    /// as well: the two differ in the "inexact" flag only.
    pub fn roundeven(self) -> F80 {
        self.round_to_integer(TO_NEAREST)
    }

    pub fn rint(self) -> F80 {
        self.roundeven()
    }

    pub fn nearbyint(self) -> F80 {
        self.roundeven()
    }

    /// To the nearest integer, ties away from zero.
    pub fn round(self) -> F80 {
        let whole = self.trunc();
        // The difference is exact; for infinities and NaNs it is a NaN, and the comparison false.
        if (self - whole).abs() >= F80::HALF { whole + F80::ONE.copysign(self) } else { whole }
    }

    fn round_to_integer(self, control: u16) -> F80 {
        let (mut result, mut saved) = (F80::ZERO, 0u16);
        // SAFETY: touches the four local values only; the control word is as before at the end.
        unsafe {
            x87!("fnstcw word ptr [{s}]", "fld tbyte ptr [{x}]", "fldcw word ptr [{c}]", "frndint",
                "fldcw word ptr [{s}]", "fstp tbyte ptr [{r}]";
                x = in(reg) &raw const self, r = in(reg) &raw mut result,
                c = in(reg) &raw const control, s = in(reg) &raw mut saved,)
        }
        result
    }

    /// `self * y + z` with one rounding. The unit cannot do it: the host's `fmal` does.
    pub fn fma(self, y: F80, z: F80) -> F80 {
        #[link(name = "m")]
        unsafe extern "C" {
            fn fmal();
        }
        // SAFETY: fmal takes three long doubles and returns one.
        unsafe { call_returning_f80(fmal, 0, [self, y, z]) }
    }
}

// Arithmetic.

macro_rules! binary_operator {
    ($trait:ident, $method:ident, $instruction:literal) => {
        impl $trait for F80 {
            type Output = F80;

            fn $method(self, other: F80) -> F80 {
                let mut result = F80::ZERO;
                // SAFETY: reads and writes the ten bytes of three local values; the register stack is left empty.
                unsafe {
                    x87!("fld tbyte ptr [{x}]", "fld tbyte ptr [{y}]", $instruction, "fstp tbyte ptr [{r}]";
                        x = in(reg) &raw const self, y = in(reg) &raw const other, r = in(reg) &raw mut result,)
                }
                result
            }
        }
    };
}

binary_operator!(Add, add, "faddp st(1), st");
binary_operator!(Sub, sub, "fsubp st(1), st");
binary_operator!(Mul, mul, "fmulp st(1), st");
binary_operator!(Div, div, "fdivp st(1), st");

/// C's `fmod`, LLVM's `frem`: exact, with the sign of the dividend.
impl Rem for F80 {
    type Output = F80;

    fn rem(self, divisor: F80) -> F80 {
        let mut result = F80::ZERO;
        // SAFETY: reads and writes the ten bytes of three local values; the register stack is left empty. The loop
        // ends: each fprem takes at least 32 off the difference of the exponents, until it clears the C2 flag (bit 10).
        unsafe {
            x87!("fld tbyte ptr [{y}]", "fld tbyte ptr [{x}]",
                "2:", "fprem", "fnstsw ax", "test ah, 4", "jnz 2b",
                "fstp tbyte ptr [{r}]", "fstp st(0)";
                x = in(reg) &raw const self, y = in(reg) &raw const divisor, r = in(reg) &raw mut result,
                out("ax") _,)
        }
        result
    }
}

impl Neg for F80 {
    type Output = F80;

    fn neg(self) -> F80 {
        F80 { mantissa: self.mantissa, sign_exp: self.sign_exp ^ SIGN }
    }
}

impl PartialEq for F80 {
    fn eq(&self, other: &F80) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for F80 {
    fn partial_cmp(&self, other: &F80) -> Option<Ordering> {
        let (unordered, above, equal): (u8, u8, u8);
        // SAFETY: reads the ten bytes of two values; the register stack is left empty.
        unsafe {
            x87!("fld tbyte ptr [{y}]", "fld tbyte ptr [{x}]", "fucomip st, st(1)",
                "setp {u}", "seta {a}", "sete {e}", "fstp st(0)";
                x = in(reg) self, y = in(reg) other,
                u = out(reg_byte) unordered, a = out(reg_byte) above, e = out(reg_byte) equal,)
        }
        match (unordered, above, equal) {
            (1, _, _) => None,
            (_, 1, _) => Some(Ordering::Greater),
            (_, _, 1) => Some(Ordering::Equal),
            _ => Some(Ordering::Less),
        }
    }
}

// Conversions between floats.

macro_rules! float_conversions {
    ($float:ty, $load:literal, $store:literal, $to:ident) => {
        /// Exact. A signalling NaN becomes quiet, as on the hardware.
        impl From<$float> for F80 {
            fn from(value: $float) -> F80 {
                let mut result = F80::ZERO;
                // SAFETY: reads and writes two local values; the register stack is left empty.
                unsafe {
                    x87!($load, "fstp tbyte ptr [{r}]"; x = in(reg) &raw const value, r = in(reg) &raw mut result,)
                }
                result
            }
        }

        impl F80 {
            /// Rounded to the nearest value, ties to even.
            pub fn $to(self) -> $float {
                let mut result: $float = 0.0;
                // SAFETY: reads and writes two local values; the register stack is left empty.
                unsafe {
                    x87!("fld tbyte ptr [{x}]", $store; x = in(reg) &raw const self, r = in(reg) &raw mut result,)
                }
                result
            }
        }
    };
}

float_conversions!(f32, "fld dword ptr [{x}]", "fstp dword ptr [{r}]", to_f32);
float_conversions!(f64, "fld qword ptr [{x}]", "fstp qword ptr [{r}]", to_f64);

/// The conversions under the names of their types, beside `to_f32` and the like.
impl F80 {
    pub fn from_f32(value: f32) -> F80 {
        value.into()
    }

    pub fn from_f64(value: f64) -> F80 {
        value.into()
    }

    pub fn from_i128(value: i128) -> F80 {
        value.into()
    }

    pub fn from_u128(value: u128) -> F80 {
        value.into()
    }
}

/// Debugging output: the value rounded to `f64`, and the exact bits.
impl fmt::Debug for F80 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ({:04x}:{:016x})", self.to_f64(), self.sign_exp, self.mantissa)
    }
}

#[cfg(test)]
mod tests;
