//! Conversions between 80-bit floats and integers.

use super::{EXP_BIAS, EXP_MASK, F80, INTEGER_BIT, TO_ZERO};
use core::arch::asm;

impl From<u128> for F80 {
    /// To the nearest value, ties to even; exact up to 64 bits.
    fn from(value: u128) -> F80 {
        if value == 0 {
            return F80::ZERO;
        }
        let zeros = value.leading_zeros();
        let exp = (EXP_BIAS + 127 - zeros as i32) as u16;
        let normal = value << zeros;
        let (kept, rest) = ((normal >> 64) as u64, normal as u64);
        let round_up = rest > INTEGER_BIT || (rest == INTEGER_BIT && kept & 1 == 1);
        match kept.checked_add(round_up as u64) {
            Some(mantissa) => F80 { mantissa, sign_exp: exp },
            None => F80 { mantissa: INTEGER_BIT, sign_exp: exp + 1 },
        }
    }
}

impl From<i128> for F80 {
    /// To the nearest value, ties to even; exact up to 64 bits and the sign.
    fn from(value: i128) -> F80 {
        let magnitude = F80::from(value.unsigned_abs());
        if value < 0 { -magnitude } else { magnitude }
    }
}

macro_rules! exact_from_integer {
    ($($int:ty => $wide:ty),*) => {
        $(
            /// Exact.
            impl From<$int> for F80 {
                fn from(value: $int) -> F80 {
                    F80::from(value as $wide)
                }
            }
        )*
    };
}

exact_from_integer!(i8 => i128, i16 => i128, i32 => i128, i64 => i128);
exact_from_integer!(u8 => u128, u16 => u128, u32 => u128, u64 => u128);

macro_rules! store_integer {
    ($name:ident, $int:ty, $store:literal) => {
        /// Toward zero. A NaN or a value out of range gives the most negative integer, as the instruction does.
        pub fn $name(self) -> $int {
            let (mut result, mut saved, control): ($int, u16, u16) = (0, 0, TO_ZERO);
            // SAFETY: touches the four local values only; the control word is as before at the end.
            unsafe {
                x87!("fnstcw word ptr [{s}]", "fld tbyte ptr [{x}]", "fldcw word ptr [{c}]", $store,
                    "fldcw word ptr [{s}]";
                    x = in(reg) &raw const self, r = in(reg) &raw mut result,
                    c = in(reg) &raw const control, s = in(reg) &raw mut saved,)
            }
            result
        }
    };
}

/// C's conversions to integer types, toward zero. Where the value is out of range C leaves the result undefined; these
/// give what code compiled by clang gives on x86-64 up to 64 bits, and saturate for 128 (NaN: 0).
impl F80 {
    store_integer!(to_i64, i64, "fistp qword ptr [{r}]");
    store_integer!(to_i32, i32, "fistp dword ptr [{r}]");
    store_integer!(to_i16, i16, "fistp word ptr [{r}]");

    pub fn to_i8(self) -> i8 {
        self.to_i16() as i8
    }

    pub fn to_u8(self) -> u8 {
        self.to_i16() as u8
    }

    pub fn to_u16(self) -> u16 {
        self.to_i32() as u16
    }

    pub fn to_u32(self) -> u32 {
        self.to_i64() as u32
    }

    pub fn to_u64(self) -> u64 {
        if self < F80::TWO_POW_63 {
            self.to_i64() as u64
        } else {
            (self - F80::TWO_POW_63).to_i64() as u64 ^ INTEGER_BIT
        }
    }

    pub fn to_u128(self) -> u128 {
        if self.is_nan() || self.is_sign_negative() {
            return 0;
        }
        self.magnitude().unwrap_or(u128::MAX)
    }

    pub fn to_i128(self) -> i128 {
        if self.is_nan() {
            return 0;
        }
        let magnitude = self.magnitude().unwrap_or(u128::MAX);
        if self.is_sign_negative() {
            0i128.checked_sub_unsigned(magnitude).unwrap_or(i128::MIN)
        } else {
            i128::try_from(magnitude).unwrap_or(i128::MAX)
        }
    }

    /// To a signed integer of this many bits; those above them are to be ignored. Other widths than the machine's are
    /// computed in the next larger one.
    pub fn to_signed(self, bits: u32) -> i128 {
        match bits {
            0..=16 => self.to_i16().into(),
            17..=32 => self.to_i32().into(),
            33..=64 => self.to_i64().into(),
            _ => self.to_i128(),
        }
    }

    /// To an unsigned integer of this many bits; those above them are to be ignored.
    pub fn to_unsigned(self, bits: u32) -> u128 {
        match bits {
            0..=8 => self.to_u8().into(),
            9..=16 => self.to_u16().into(),
            17..=32 => self.to_u32().into(),
            33..=64 => self.to_u64().into(),
            _ => self.to_u128(),
        }
    }

    /// The integer part of the absolute value, if it fits; not for NaNs.
    fn magnitude(self) -> Option<u128> {
        // The mantissa counts units of two to this power.
        let unit = (self.sign_exp & EXP_MASK) as i32 - EXP_BIAS - 63;
        match unit {
            ..=-64 => Some(0),
            -63..0 => Some((self.mantissa >> -unit) as u128),
            0..=64 => Some((self.mantissa as u128) << unit),
            _ => None,
        }
    }
}
