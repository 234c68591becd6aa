//! The expectations come from elsewhere: values worked out by hand, `f64` and 128-bit arithmetic where those are exact,
//! and code that clang compiles.

use super::*;
use proptest::prelude::*;

fn f80(bits: u128) -> F80 {
    F80::from_bits(bits)
}

fn d(value: f64) -> F80 {
    F80::from(value)
}

#[test]
fn the_unit_has_its_linux_defaults() {
    let mut control = 0u16;
    // SAFETY: stores the control word in a local.
    unsafe { asm!("fnstcw word ptr [{}]", in(reg) &raw mut control, options(nostack)) }
    assert_eq!(control & 0x0f3f, TO_NEAREST & 0x0f3f);
}

#[test]
fn known_encodings() {
    assert_eq!(d(1.0).to_bits(), 0x3fff_8000_0000_0000_0000);
    assert_eq!(d(-2.0).to_bits(), 0xc000_8000_0000_0000_0000);
    assert_eq!(d(0.1).to_bits(), 0x3ffb_cccc_cccc_cccc_d000);
    assert_eq!(d(f64::INFINITY).to_bits(), F80::INFINITY.to_bits());
    // One tenth with 64 bits: 1/10 rounded, not the double.
    assert_eq!((d(1.0) / d(10.0)).to_bits(), 0x3ffb_cccc_cccc_cccc_cccd);
    assert_eq!((d(1.0) / d(3.0)).to_bits(), 0x3ffd_aaaa_aaaa_aaaa_aaab);
    // The square root of two: 1.6a09e667f3bcc908b2fb1366ea957d3e… in hexadecimal; its first 64 bits, rounded.
    assert_eq!(d(2.0).sqrt().to_bits(), 0x3fff_b504_f333_f9de_6484);
    // 2^64 - 1 and the bit below it.
    assert_eq!(F80::from(u64::MAX).to_bits(), 0x403e_ffff_ffff_ffff_ffff);
    assert_eq!((F80::from(u64::MAX) + F80::ONE).to_bits(), 0x403f_8000_0000_0000_0000);
    assert_eq!(F80::from_le_bytes(d(0.1).to_le_bytes()).to_bits(), d(0.1).to_bits());
}

#[test]
fn ties_round_to_even() {
    let ulp = f80(0x3fc0_8000_0000_0000_0000); // 2^-63
    let half_ulp = ulp * d(0.5);
    assert_eq!((F80::ONE + half_ulp).to_bits(), F80::ONE.to_bits());
    assert_eq!(((F80::ONE + ulp) + half_ulp).to_bits(), (F80::ONE + ulp + ulp).to_bits());
}

#[test]
fn special_values() {
    let nan = F80::INFINITY - F80::INFINITY;
    // The hardware's default NaN is negative.
    assert_eq!(nan.to_bits(), 0xffff_c000_0000_0000_0000);
    assert!(nan.is_nan() && !nan.is_finite());
    assert_eq!(nan.partial_cmp(&nan), None);
    assert!(nan != nan && nan.partial_cmp(&F80::ONE).is_none());
    assert_eq!(d(-0.0).partial_cmp(&d(0.0)), Some(Ordering::Equal));
    assert_eq!((d(1.0) / d(-0.0)).to_bits(), F80::NEG_INFINITY.to_bits());
    assert_eq!((F80::MAX + F80::MAX).to_bits(), F80::INFINITY.to_bits());
    let tiny = F80::MIN_POSITIVE * d(0.5);
    assert!(tiny.is_subnormal() && !tiny.is_normal() && tiny > F80::ZERO);
    assert!((-tiny).abs() == tiny && (-tiny).is_sign_negative());
    // Unnormal and pseudo-infinity: invalid encodings.
    for invalid in [f80(0x3fff_4000_0000_0000_0000), f80(0x7fff_0000_0000_0000_0000)] {
        assert!(invalid.is_nan());
        assert_eq!(invalid.partial_cmp(&invalid), None);
    }
    assert!(d(-1.0).sqrt().is_nan());
    assert_eq!(d(-0.0).sqrt().to_bits(), d(-0.0).to_bits());
}

#[test]
fn remainders() {
    for (x, y, expected) in [
        (7.5, 2.0, 1.5),
        (-7.5, 2.0, -1.5),
        (7.5, -2.0, 1.5),
        (-6.0, 3.0, -0.0),
        (1e300, 3.0, 1e300 % 3.0),
        (1.0, f64::INFINITY, 1.0),
        (5e-324, 1.0, 5e-324),
    ] {
        assert_eq!((d(x) % d(y)).to_bits(), d(expected).to_bits(), "{x} % {y}");
    }
    assert!((d(1.0) % d(0.0)).is_nan());
    assert!((F80::INFINITY % d(1.0)).is_nan());
    // 2^16383 mod 3: even powers of two leave 1, odd ones 2.
    let power = F80 { mantissa: INTEGER_BIT, sign_exp: 0x7ffe };
    assert_eq!((power % d(3.0)).to_f64(), 2.0);
}

#[test]
fn rounding_to_integers() {
    // floor, ceil, trunc, rint, round
    for (x, expected) in [
        (2.5, [2.0, 3.0, 2.0, 2.0, 3.0]),
        (-2.5, [-3.0, -2.0, -2.0, -2.0, -3.0]),
        (3.5, [3.0, 4.0, 3.0, 4.0, 4.0]),
        (-0.25, [-1.0, -0.0, -0.0, -0.0, -0.0]),
        (0.5, [0.0, 1.0, 0.0, 0.0, 1.0]),
        (-0.5, [-1.0, -0.0, -0.0, -0.0, -1.0]),
        (1e30, [1e30; 5]),
        (-0.0, [-0.0; 5]),
        (f64::NEG_INFINITY, [f64::NEG_INFINITY; 5]),
    ] {
        let x = d(x);
        let got = [x.floor(), x.ceil(), x.trunc(), x.rint(), x.round()];
        assert_eq!(got.map(F80::to_bits), expected.map(|e| d(e).to_bits()), "{x:?}");
        assert_eq!(x.nearbyint().to_bits(), x.roundeven().to_bits());
    }
    assert!(F80::NAN.round().is_nan());
    // 0.5 less one unit must not round up, and 2^63 - 0.5 is a tie.
    let below_half = f80(0x3ffd_ffff_ffff_ffff_ffff);
    assert_eq!(below_half.round().to_bits(), 0);
    let tie = F80::from(i64::MAX as u64) + d(0.5);
    assert_eq!(tie.round().to_bits(), F80::TWO_POW_63.to_bits());
    assert_eq!(tie.trunc().to_bits(), F80::from(i64::MAX).to_bits());
    the_unit_has_its_linux_defaults();
}

#[test]
fn fused_multiply_add_rounds_once() {
    // (2^32 + 1)^2 - 2^64 = 2^33 + 1: the product has 65 bits, and rounding it loses the last.
    let x = F80::from((1u64 << 32) + 1);
    let two_pow_64 = F80::from(1u128 << 64);
    assert_eq!(x.fma(x, -two_pow_64).to_i64(), (1 << 33) + 1);
    assert_eq!((x * x - two_pow_64).to_i64(), 1 << 33);
}

#[test]
fn integers_in_range() {
    for (x, expected) in [(1.99, 1), (-1.99, -1), (127.5, 127), (-128.9, -128), (0.5, 0), (-0.0, 0)] {
        let x = d(x);
        assert_eq!(
            (x.to_i8() as i64, x.to_i16() as i64, x.to_i32() as i64, x.to_i64(), x.to_i128() as i64),
            (expected, expected, expected, expected, expected)
        );
    }
    let x = d(254.9);
    assert_eq!((x.to_u8(), x.to_u16(), x.to_u32(), x.to_u64(), x.to_u128()), (254, 254, 254, 254, 254));
    assert_eq!((d(65535.5).to_u16(), d(4294967295.5).to_u32()), (u16::MAX, u32::MAX));
    assert_eq!(F80::from(u64::MAX).to_u64(), u64::MAX);
    assert_eq!(F80::from(i64::MIN).to_i64(), i64::MIN);
    assert_eq!(F80::from(i128::MIN).to_i128(), i128::MIN);
    assert_eq!(F80::from(u128::MAX).to_u128(), u128::MAX); // 2^128: saturated
    assert_eq!((F80::NAN.to_i128(), d(-1.0).to_u128(), d(-0.5).to_u128()), (0, 0, 0));
    assert_eq!(F80::NEG_INFINITY.to_i128(), i128::MIN);
    assert_eq!(F80::NAN.to_i64(), i64::MIN);
    the_unit_has_its_linux_defaults();
}

#[test]
fn wide_integers_round_to_even() {
    let base = 1u128 << 64;
    for (value, expected) in [
        (base + 1, base),
        (base + 2, base + 2),
        (base + 3, base + 4),
        (2 * base - 1, 2 * base),
        (2 * base + 2, 2 * base),
        (2 * base + 6, 2 * base + 8),
        (2 * base + 3, 2 * base + 4),
    ] {
        assert_eq!(F80::from(value).to_u128(), expected);
        assert_eq!(F80::from(-(value as i128)).to_i128(), -(expected as i128));
    }
}

/// What clang makes of the conversions, out of range too.
#[test]
fn integers_as_compiled() {
    let inputs = [
        "0.0L",
        "-0.75L",
        "1.5L",
        "127.0L",
        "128.0L",
        "-129.0L",
        "255.5L",
        "256.0L",
        "-1.0L",
        "32768.0L",
        "-32769.0L",
        "65535.0L",
        "65536.0L",
        "70000.0L",
        "2147483648.0L",
        "-2147483649.0L",
        "4294967295.5L",
        "4294967296.0L",
        "5e9L",
        "9223372036854775807.0L",
        "9223372036854775808.0L",
        "-9223372036854775808.0L",
        "-1e19L",
        "1e19L",
        "18446744073709551615.0L",
        "18446744073709551616.0L",
        "1e30L",
        "-1e30L",
        "1.0L / 0.0L",
        "0.0L / 0.0L",
    ];
    let source = format!(
        "#include <stdio.h>\n#include <string.h>\nint main(void) {{ volatile long double t[] = {{ {} }};
         for (int i = 0; i < {}; i++) {{ long double x = t[i]; unsigned long m; unsigned short e;
         memcpy(&m, &x, 8); memcpy(&e, (char *)&x + 8, 2);
         printf(\"%lu %hu %d %d %d %ld %u %u %u %lu\\n\", m, e, (signed char)x, (short)x, (int)x, (long)x,
         (unsigned char)x, (unsigned short)x, (unsigned)x, (unsigned long)x); }} }}",
        inputs.join(", "),
        inputs.len()
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.c"), source).unwrap();
    let status = std::process::Command::new("clang-19")
        .args(["-O0", "t.c", "-o", "t"])
        .current_dir(&folder)
        .status()
        .expect("clang-19 must be installed");
    assert!(status.success());
    let output = std::process::Command::new(folder.path().join("t")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), inputs.len());
    for (line, input) in text.lines().zip(inputs) {
        let fields: Vec<&str> = line.split(' ').collect();
        let x = F80 { mantissa: fields[0].parse().unwrap(), sign_exp: fields[1].parse().unwrap() };
        let signed = [x.to_i8().into(), x.to_i16().into(), x.to_i32().into(), x.to_i64()];
        let unsigned = [x.to_u8().into(), x.to_u16().into(), x.to_u32().into(), x.to_u64()];
        let got: Vec<String> =
            signed.map(|v| v.to_string()).into_iter().chain(unsigned.map(|v| v.to_string())).collect();
        assert_eq!(got, fields[2..10], "{input}");
        for (bits, (signed, unsigned)) in [8, 16, 32, 64].into_iter().zip(signed.into_iter().zip(unsigned)) {
            let low = u128::MAX >> (128 - bits);
            assert_eq!(x.to_signed(bits) as u128 & low, signed as u128 & low, "{input}");
            assert_eq!(x.to_unsigned(bits) & low, unsigned as u128 & low, "{input}");
        }
    }
}

proptest! {
    #[test]
    fn doubles_survive_the_round_trip(bits: u64) {
        let x = f64::from_bits(bits);
        let back = F80::from(x).to_f64();
        if x.is_nan() {
            prop_assert_eq!(back.to_bits(), bits | 1 << 51); // quiet
        } else {
            prop_assert_eq!(back.to_bits(), bits);
        }
    }

    #[test]
    fn floats_survive_the_round_trip(x: f32) {
        prop_assert_eq!(F80::from(x).to_f32().to_bits(), x.to_bits());
        prop_assert_eq!(F80::from(x).to_f64().to_bits(), (x as f64).to_bits());
    }

    #[test]
    fn narrowing_rounds_once(x: i64) {
        // Every i64 is exact in 80 bits, so its double must be the one that the direct conversion gives.
        prop_assert_eq!(F80::from(x).to_f64(), x as f64);
        prop_assert_eq!(F80::from(x).to_f32(), x as f32);
        prop_assert_eq!(F80::from(x as u64).to_f64(), x as u64 as f64);
    }

    #[test]
    fn integers_survive_the_round_trip(x: i64) {
        prop_assert_eq!(F80::from(x).to_i64(), x);
        prop_assert_eq!(F80::from(x as u64).to_u64(), x as u64);
        prop_assert_eq!(F80::from(x).to_i128(), x as i128);
        prop_assert_eq!(F80::from(x as i32).to_i32(), x as i32);
        prop_assert_eq!(F80::from(x as u32).to_u32(), x as u32);
    }

    #[test]
    fn sums_and_products_of_integers_are_exact(x: i32, y: i32, z in -1i64 << 61..1 << 61, w in -1i64 << 61..1 << 61) {
        prop_assert_eq!((F80::from(x) * F80::from(y)).to_i128(), x as i128 * y as i128);
        prop_assert_eq!((F80::from(z) + F80::from(w)).to_i64(), z + w);
        prop_assert_eq!((F80::from(z) - F80::from(w)).to_i64(), z - w);
        prop_assert_eq!(F80::from(z).partial_cmp(&F80::from(w)), z.partial_cmp(&w));
        if w != 0 {
            prop_assert_eq!((F80::from(z) % F80::from(w)).to_i64(), z % w);
        }
    }

    #[test]
    fn products_round_as_128_bit_integers_do(x: u64, y: u64) {
        let product = F80::from(x) * F80::from(y);
        prop_assert_eq!(product.to_bits(), F80::from(x as u128 * y as u128).to_bits());
    }

    #[test]
    fn quotients_are_the_nearest(x: u64, y in 1u64..) {
        // q = x/y rounded: |x - q*y| is at most half a unit of q times y. fma gives the difference exactly.
        let (fx, fy) = (F80::from(x), F80::from(y));
        let q = fx / fy;
        let unit = F80 { mantissa: INTEGER_BIT, sign_exp: q.sign_exp.saturating_sub(63) };
        prop_assert!(x == 0 || q.fma(-fy, fx).abs() * F80::from(2) <= unit * fy);
    }

    #[test]
    fn small_doubles_agree(x in -1e6f64..1e6, y in -1e6f64..1e6) {
        // With 24-bit operands sum, product and difference are exact in both formats.
        let (x, y) = (x as f32, y as f32);
        prop_assert_eq!((F80::from(x) * F80::from(y)).to_f64(), x as f64 * y as f64);
        prop_assert_eq!((F80::from(x) + F80::from(y)).to_f64(), x as f64 + y as f64);
        prop_assert_eq!(F80::from(x).floor().to_f64(), (x as f64).floor());
        prop_assert_eq!(F80::from(x).round().to_f64(), (x as f64).round());
        prop_assert_eq!((F80::from(x) % F80::from(y)).to_f64(), x as f64 % y as f64);
        prop_assert_eq!(F80::from(x) < F80::from(y), x < y);
    }
}
