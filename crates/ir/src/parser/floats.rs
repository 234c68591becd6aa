//! Floating-point literals to bit patterns of their own type.
//!
//! LLVM writes `half` as `0xH…`, `bfloat` as `0xR…`, `x86_fp80` as `0xK…`, `fp128` as `0xL…`, and both `float`
//! and `double` as a double, decimal or `0x…`. A literal that its type cannot hold exactly is an error, as in LLVM.

use crate::module::FloatKind;

/// The bits of a decimal literal in the format `kind`.
pub(super) fn decimal(text: &str, kind: FloatKind) -> Option<u128> {
    let double: f64 = text.parse().ok()?;
    from_double(double.to_bits(), kind)
}

/// The bits of a hexadecimal literal (without its `0x`) in the format `kind`.
pub(super) fn hexadecimal(digits: &str, kind: FloatKind) -> Option<u128> {
    match (digits.as_bytes().first()?, kind) {
        (b'H', FloatKind::Half) | (b'R', FloatKind::BFloat) => hex(&digits[1..], 4),
        // Sign and exponent, then the significand.
        (b'K', FloatKind::X86Fp80) => hex(&digits[1..], 20),
        // The low half comes first.
        (b'L', FloatKind::Fp128) => hex(&digits[1..], 32).map(|bits| bits.rotate_left(64)),
        (b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F', _) => from_double(hex(digits, 16)? as u64, kind),
        _ => None,
    }
}

fn hex(digits: &str, longest: usize) -> Option<u128> {
    let plain = !digits.is_empty() && digits.len() <= longest && digits.bytes().all(|b| b.is_ascii_hexdigit());
    if plain { u128::from_str_radix(digits, 16).ok() } else { None }
}

fn from_double(bits: u64, kind: FloatKind) -> Option<u128> {
    match kind {
        FloatKind::Double => Some(bits.into()),
        FloatKind::Float => narrow(bits, 8, 23),
        FloatKind::Half => narrow(bits, 5, 10),
        FloatKind::BFloat => narrow(bits, 8, 7),
        // These are never written as doubles.
        FloatKind::X86Fp80 | FloatKind::Fp128 => None,
    }
}

/// The double `bits` in a narrower IEEE format, if that is exact. NaN keeps its payload and its quiet bit.
fn narrow(bits: u64, exponent_bits: u32, mantissa_bits: u32) -> Option<u128> {
    let bias = (1_i64 << (exponent_bits - 1)) - 1;
    let infinite_exponent = (1_u64 << exponent_bits) - 1;
    let dropped = 52 - mantissa_bits;
    let exact_shift = |value: u64, by: u32| {
        let exact = by < 64 && value & ((1 << by) - 1) == 0;
        exact.then(|| value >> by)
    };

    let sign = bits >> 63;
    let mantissa = bits & ((1 << 52) - 1);
    let (exponent, mantissa) = match (bits >> 52) & 0x7ff {
        0 if mantissa == 0 => (0, 0),
        // A subnormal double is below every narrower format.
        0 => return None,
        0x7ff => (infinite_exponent, exact_shift(mantissa, dropped)?),
        field => {
            let exponent = field as i64 - 1023;
            if exponent > bias {
                return None;
            }
            if exponent >= 1 - bias {
                ((exponent + bias) as u64, exact_shift(mantissa, dropped)?)
            } else {
                let below = (1 - bias - exponent) as u32;
                (0, exact_shift(1 << 52 | mantissa, dropped + below)?)
            }
        }
    };
    Some((sign << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | mantissa).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_agrees_with_the_hardware() {
        let values = [0.0, -0.0, 1.0, -2.5, 3.4028234663852886e38, 1.401298464324817e-45, f64::INFINITY];
        for value in values {
            let expected = (value as f32).to_bits();
            assert_eq!(from_double(value.to_bits(), FloatKind::Float), Some(expected.into()), "{value}");
        }
        for lossy in [0.1, 1e300, 1e-300, 5e-324, 1.0 + f64::EPSILON] {
            assert_eq!(from_double(f64::to_bits(lossy), FloatKind::Float), None, "{lossy}");
        }
    }

    #[test]
    fn every_float_survives_the_way_through_a_double() {
        for bits in (0..=u32::MAX).step_by(65_521) {
            let value = f32::from_bits(bits);
            if !value.is_nan() {
                let double = f64::from(value).to_bits();
                assert_eq!(from_double(double, FloatKind::Float), Some(bits.into()), "{bits:#x}");
            }
        }
    }

    #[test]
    fn literals_of_every_format() {
        let table = [
            ("7FF8000000000000", FloatKind::Float, Some(0x7fc0_0000)),
            ("7FF0000020000000", FloatKind::Float, Some(0x7f80_0001)),
            ("7FF0000000000001", FloatKind::Float, None),
            ("3FF0000000000000", FloatKind::Half, Some(0x3c00)),
            ("H3C00", FloatKind::Half, Some(0x3c00)),
            ("R3F80", FloatKind::BFloat, Some(0x3f80)),
            ("K3FFF8000000000000000", FloatKind::X86Fp80, Some(0x3fff_8000_0000_0000_0000)),
            ("L00000000000000013FFF000000000000", FloatKind::Fp128, Some(0x3fff << 112 | 1)),
            ("3FF0000000000000", FloatKind::X86Fp80, None),
            ("H3C00", FloatKind::Float, None),
            ("M00000000000000000000000000000000", FloatKind::Fp128, None),
            ("H", FloatKind::Half, None),
            ("12345678901234567", FloatKind::Double, None),
        ];
        for (digits, kind, expected) in table {
            assert_eq!(hexadecimal(digits, kind), expected, "{digits}");
        }
    }
}
