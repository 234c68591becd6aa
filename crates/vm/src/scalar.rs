//! Scalar semantics: what each arithmetic operation, comparison and conversion gives, at every width, as x86-64 code
//! compiled by clang gives it; and which bits of a result are undefined when bits of the operands are.

use crate::bytecode::{Alu, BitOp, Conv, FAlu, MinMax, Overflow, Pred, Rmw};
use crate::f80::F80;

#[inline(always)]
pub fn mask(w: u8) -> u64 {
    if w >= 64 { !0 } else { (1 << w) - 1 }
}

#[inline(always)]
pub fn mask128(w: u8) -> u128 {
    if w >= 128 { !0 } else { (1 << w) - 1 }
}

/// Sign-extends the low `w` bits.
#[inline(always)]
pub fn sext(value: u64, w: u8) -> i64 {
    if w >= 64 {
        return value as i64;
    }
    let shift = 64 - u32::from(w);
    ((value << shift) as i64) >> shift
}

pub fn sext128(value: u128, w: u8) -> i128 {
    if w >= 128 {
        return value as i128;
    }
    let shift = 128 - u32::from(w);
    ((value << shift) as i128) >> shift
}

/// `None` is a trap: division by zero, or the one quotient that does not fit.
#[inline(always)]
pub fn alu(op: Alu, w: u8, x: u64, y: u64) -> Option<u64> {
    let m = mask(w);
    Some(match op {
        Alu::Add => x.wrapping_add(y) & m,
        Alu::Sub => x.wrapping_sub(y) & m,
        Alu::Mul => x.wrapping_mul(y) & m,
        Alu::And => x & y,
        Alu::Or => x | y,
        Alu::Xor => x ^ y,
        Alu::UDiv => x.checked_div(y)?,
        Alu::URem => x.checked_rem(y)?,
        Alu::SDiv | Alu::SRem => {
            let (a, b) = (sext(x, w), sext(y, w));
            let smallest = sext(1 << (w - 1), w);
            if b == 0 || (a == smallest && b == -1) {
                return None;
            }
            (if op == Alu::SDiv { a / b } else { a % b }) as u64 & m
        }
        Alu::Shl => shift_amount(y, w).map_or(0, |n| x << n & m),
        Alu::LShr => shift_amount(y, w).map_or(0, |n| x >> n),
        Alu::AShr => {
            let n = shift_amount(y, w).unwrap_or(u32::from(w) - 1);
            (sext(x, w) >> n) as u64 & m
        }
    })
}

/// The hardware takes the low bits of the amount; widths that it does not have shift everything out.
#[inline(always)]
fn shift_amount(y: u64, w: u8) -> Option<u32> {
    if w == 32 || w == 64 { Some((y & u64::from(w - 1)) as u32) } else { (y < u64::from(w)).then_some(y as u32) }
}

pub fn alu128(op: Alu, w: u8, x: u128, y: u128) -> Option<u128> {
    let m = mask128(w);
    let amount = (y < u128::from(w)).then_some(y as u32);
    Some(match op {
        Alu::Add => x.wrapping_add(y) & m,
        Alu::Sub => x.wrapping_sub(y) & m,
        Alu::Mul => x.wrapping_mul(y) & m,
        Alu::And => x & y,
        Alu::Or => x | y,
        Alu::Xor => x ^ y,
        Alu::UDiv => x.checked_div(y)?,
        Alu::URem => x.checked_rem(y)?,
        Alu::SDiv => sext128(x, w).checked_div(sext128(y, w))? as u128 & m,
        Alu::SRem => sext128(x, w).checked_rem(sext128(y, w))? as u128 & m,
        Alu::Shl => amount.map_or(0, |n| x << n & m),
        Alu::LShr => amount.map_or(0, |n| x >> n),
        Alu::AShr => (sext128(x, w) >> amount.unwrap_or(u32::from(w) - 1)) as u128 & m,
    })
}

#[inline(always)]
pub fn compare(p: Pred, w: u8, x: u64, y: u64) -> bool {
    match p {
        Pred::Eq => x == y,
        Pred::Ne => x != y,
        Pred::Ult => x < y,
        Pred::Ule => x <= y,
        Pred::Ugt => x > y,
        Pred::Uge => x >= y,
        Pred::Slt => sext(x, w) < sext(y, w),
        Pred::Sle => sext(x, w) <= sext(y, w),
        Pred::Sgt => sext(x, w) > sext(y, w),
        Pred::Sge => sext(x, w) >= sext(y, w),
    }
}

pub fn compare128(p: Pred, w: u8, x: u128, y: u128) -> bool {
    let (a, b) = (sext128(x, w), sext128(y, w));
    match p {
        Pred::Eq => x == y,
        Pred::Ne => x != y,
        Pred::Ult => x < y,
        Pred::Ule => x <= y,
        Pred::Ugt => x > y,
        Pred::Uge => x >= y,
        Pred::Slt => a < b,
        Pred::Sle => a <= b,
        Pred::Sgt => a > b,
        Pred::Sge => a >= b,
    }
}

pub fn bits(op: BitOp, w: u8, x: u128) -> u128 {
    let w32 = u32::from(w);
    match op {
        BitOp::Popcount => x.count_ones().into(),
        BitOp::LeadingZeros => (x.leading_zeros() - (128 - w32)).into(),
        BitOp::TrailingZeros => x.trailing_zeros().min(w32).into(),
        BitOp::ByteSwap => x.swap_bytes() >> (128 - w32),
        BitOp::BitReverse => x.reverse_bits() >> (128 - w32),
        BitOp::Abs => sext128(x, w).unsigned_abs() & mask128(w),
    }
}

pub fn min_max(op: MinMax, w: u8, x: u128, y: u128) -> u128 {
    let (a, b) = (sext128(x, w), sext128(y, w));
    let m = mask128(w);
    let largest = (m >> 1) as i128;
    let smallest = -largest - 1;
    let saturate = |value: Option<i128>, up: bool| {
        let edge = if up { largest } else { smallest };
        let value = value.unwrap_or(edge);
        value.clamp(smallest, largest) as u128 & m
    };
    match op {
        MinMax::SMin => a.min(b) as u128 & m,
        MinMax::SMax => a.max(b) as u128 & m,
        MinMax::UMin => x.min(y),
        MinMax::UMax => x.max(y),
        MinMax::UAddSat => x.checked_add(y).unwrap_or(m).min(m),
        MinMax::USubSat => x.saturating_sub(y),
        MinMax::SAddSat => saturate(a.checked_add(b), b > 0),
        MinMax::SSubSat => saturate(a.checked_sub(b), b < 0),
        MinMax::UShlSat => {
            let n = y as u32;
            if x == 0 {
                0
            } else if n >= u32::from(w) || x > m >> n {
                m
            } else {
                x << n
            }
        }
        MinMax::SShlSat => {
            let n = y as u32;
            let fits = n < u32::from(w) && sext128((a as u128) << n & m, w) >> n == a;
            if fits { (a as u128) << n & m } else { saturate(None, a >= 0) }
        }
    }
}

pub fn overflow(op: Overflow, w: u8, x: u128, y: u128) -> (u128, bool) {
    let (a, b) = (sext128(x, w), sext128(y, w));
    let m = mask128(w);
    let signed = |(value, lost): (i128, bool)| (value as u128 & m, lost || sext128(value as u128 & m, w) != value);
    let unsigned = |(value, lost): (u128, bool)| (value & m, lost || value > m);
    match op {
        Overflow::SAdd => signed(a.overflowing_add(b)),
        Overflow::SSub => signed(a.overflowing_sub(b)),
        Overflow::SMul => signed(a.overflowing_mul(b)),
        Overflow::UAdd => unsigned(x.overflowing_add(y)),
        Overflow::USub => (x.wrapping_sub(y) & m, x < y),
        Overflow::UMul => unsigned(x.overflowing_mul(y)),
    }
}

/// `llvm.fshl` and `llvm.fshr`: a window of `w` bits into the double word (a, b).
pub fn funnel(right: bool, w: u8, a: u128, b: u128, amount: u128) -> u128 {
    let w32 = u32::from(w);
    let n = (amount % u128::from(w)) as u32;
    let m = mask128(w);
    match (right, n) {
        (false, 0) => a,
        (true, 0) => b,
        (false, n) => (a << n | b >> (w32 - n)) & m,
        (true, n) => (a << (w32 - n) | b >> n) & m,
    }
}

pub fn f64_op(op: FAlu, x: u64, y: u64) -> u64 {
    let (a, b) = (f64::from_bits(x), f64::from_bits(y));
    match op {
        FAlu::Add => a + b,
        FAlu::Sub => a - b,
        FAlu::Mul => a * b,
        FAlu::Div => a / b,
        FAlu::Rem => a % b,
    }
    .to_bits()
}

pub fn f32_op(op: FAlu, x: u64, y: u64) -> u64 {
    let (a, b) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
    let value = match op {
        FAlu::Add => a + b,
        FAlu::Sub => a - b,
        FAlu::Mul => a * b,
        FAlu::Div => a / b,
        FAlu::Rem => a % b,
    };
    u64::from(value.to_bits())
}

pub fn f80(low: u64, high: u64) -> F80 {
    F80 { mantissa: low, sign_exp: high as u16 }
}

pub fn f80_op(op: FAlu, a: F80, b: F80) -> F80 {
    match op {
        FAlu::Add => a + b,
        FAlu::Sub => a - b,
        FAlu::Mul => a * b,
        FAlu::Div => a / b,
        FAlu::Rem => a % b,
    }
}

/// A float predicate is a set of the four outcomes: less 1, equal 2, greater 4, unordered 8.
pub fn float_compare(p: u8, order: Option<std::cmp::Ordering>) -> bool {
    let outcome = match order {
        Some(std::cmp::Ordering::Less) => 1,
        Some(std::cmp::Ordering::Equal) => 2,
        Some(std::cmp::Ordering::Greater) => 4,
        None => 8,
    };
    p & outcome != 0
}

/// `llvm.is.fpclass`: one bit each for sNaN, qNaN, -inf, -normal, -subnormal, -0, +0, +subnormal, +normal, +inf.
pub fn float_class(w: u8, low: u64, high: u64, wanted: u32) -> bool {
    let (negative, exponent, top, fraction, quiet) = match w {
        32 => (low >> 31 & 1 == 1, low >> 23 & 0xff, 0xff, low & 0x7f_ffff, low >> 22 & 1 == 1),
        64 => (low >> 63 == 1, low >> 52 & 0x7ff, 0x7ff, low & 0xf_ffff_ffff_ffff, low >> 51 & 1 == 1),
        _ => (high >> 15 & 1 == 1, high & 0x7fff, 0x7fff, low & (!0 >> 1), low >> 62 & 1 == 1),
    };
    let class = if exponent == top && fraction != 0 {
        return wanted & (if quiet { 2 } else { 1 }) != 0;
    } else if exponent == top {
        if negative { 2 } else { 9 }
    } else if exponent == 0 && fraction == 0 && (w != 80 || low == 0) {
        if negative { 5 } else { 6 }
    } else if exponent == 0 {
        if negative { 4 } else { 7 }
    } else if negative {
        3
    } else {
        8
    };
    wanted >> class & 1 == 1
}

const TWO_TO_63: f64 = (1u64 << 63) as f64;

/// What `cvttsd2si` gives: the integer towards zero, or the smallest one when it does not fit.
fn to_i64(x: f64) -> i64 {
    if (-TWO_TO_63..TWO_TO_63).contains(&x) { x as i64 } else { i64::MIN }
}

fn to_signed(x: f64, w: u8) -> u128 {
    match w {
        0..=32 => {
            let value = if x > -2_147_483_649.0 && x < 2_147_483_648.0 { x as i32 } else { i32::MIN };
            value as u32 as u128 & mask128(w)
        }
        33..=64 => to_i64(x) as u64 as u128 & mask128(w),
        _ => x as i128 as u128 & mask128(w),
    }
}

fn to_unsigned(x: f64, w: u8) -> u128 {
    match w {
        0..=32 => u128::from(to_i64(x) as u64) & mask128(w),
        33..=64 => {
            let value = if x < TWO_TO_63 { to_i64(x) as u64 } else { to_i64(x - TWO_TO_63) as u64 ^ 1 << 63 };
            u128::from(value) & mask128(w)
        }
        _ => x as u128 & mask128(w),
    }
}

/// Converts (low, high) slots; `w` is the width of the integer side.
pub fn convert(op: Conv, w: u8, low: u64, high: u64) -> (u64, u64) {
    let wide = u128::from(low) | u128::from(high) << 64;
    let integer = if w <= 64 { u128::from(low) } else { wide };
    let signed = || sext128(integer, w);
    let split = |value: u128| (value as u64, (value >> 64) as u64);
    let from_f32 = |value: f32| (u64::from(value.to_bits()), 0);
    let from_f64 = |value: f64| (value.to_bits(), 0);
    let from_f80 = |value: F80| (value.mantissa, u64::from(value.sign_exp));
    let as_f32 = f32::from_bits(low as u32);
    let as_f64 = f64::from_bits(low);
    let as_f80 = f80(low, high);
    match op {
        Conv::F32ToF64 => from_f64(f64::from(as_f32)),
        Conv::F64ToF32 => from_f32(as_f64 as f32),
        Conv::F32ToF80 => from_f80(F80::from_f32(as_f32)),
        Conv::F64ToF80 => from_f80(F80::from_f64(as_f64)),
        Conv::F80ToF32 => from_f32(as_f80.to_f32()),
        Conv::F80ToF64 => from_f64(as_f80.to_f64()),
        Conv::F32ToSigned => split(to_signed(f64::from(as_f32), w)),
        Conv::F32ToUnsigned => split(to_unsigned(f64::from(as_f32), w)),
        Conv::F64ToSigned => split(to_signed(as_f64, w)),
        Conv::F64ToUnsigned => split(to_unsigned(as_f64, w)),
        Conv::F80ToSigned => split(as_f80.to_signed(w.into()) as u128 & mask128(w)),
        Conv::F80ToUnsigned => split(as_f80.to_unsigned(w.into()) & mask128(w)),
        Conv::SignedToF32 => from_f32(signed() as f32),
        Conv::UnsignedToF32 => from_f32(integer as f32),
        Conv::SignedToF64 => from_f64(signed() as f64),
        Conv::UnsignedToF64 => from_f64(integer as f64),
        Conv::SignedToF80 => from_f80(F80::from_i128(signed())),
        Conv::UnsignedToF80 => from_f80(F80::from_u128(integer)),
    }
}

/// `rmw` for up to 64 bits. The usual ones are done at once.
#[inline]
pub fn rmw64(op: Rmw, bits: u8, old: u64, operand: u64) -> u64 {
    match op {
        Rmw::Xchg => operand,
        Rmw::Add => old.wrapping_add(operand) & mask(bits),
        Rmw::Sub => old.wrapping_sub(operand) & mask(bits),
        Rmw::And => old & operand,
        Rmw::Or => old | operand,
        Rmw::Xor => old ^ operand,
        _ => rmw(op, bits, old.into(), operand.into()) as u64,
    }
}

pub fn rmw(op: Rmw, bits: u8, old: u128, operand: u128) -> u128 {
    let m = mask128(bits);
    let (a, b) = (sext128(old, bits), sext128(operand, bits));
    let float = |f32op: fn(f32, f32) -> f32, f64op: fn(f64, f64) -> f64| {
        if bits == 32 {
            u128::from(f32op(f32::from_bits(old as u32), f32::from_bits(operand as u32)).to_bits())
        } else {
            u128::from(f64op(f64::from_bits(old as u64), f64::from_bits(operand as u64)).to_bits())
        }
    };
    match op {
        Rmw::Xchg => operand,
        Rmw::Add => old.wrapping_add(operand) & m,
        Rmw::Sub => old.wrapping_sub(operand) & m,
        Rmw::And => old & operand,
        Rmw::Nand => !(old & operand) & m,
        Rmw::Or => old | operand,
        Rmw::Xor => old ^ operand,
        Rmw::Max => a.max(b) as u128 & m,
        Rmw::Min => a.min(b) as u128 & m,
        Rmw::UMax => old.max(operand),
        Rmw::UMin => old.min(operand),
        Rmw::FAdd => float(|x, y| x + y, |x, y| x + y),
        Rmw::FSub => float(|x, y| x - y, |x, y| x - y),
        Rmw::FMax => float(f32::max, f64::max),
        Rmw::FMin => float(f32::min, f64::min),
        Rmw::UIncWrap => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        Rmw::UDecWrap => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
    }
}

// ---- Undefined bits --------------------------------------------------------------------------------------------------

/// Everything from the lowest undefined bit up: a carry may reach it.
fn upwards(s: u64) -> u64 {
    s | s.wrapping_neg()
}

/// The undefined bits of a result. `sx` and `sy` are those of the operands, at least one not zero.
pub fn alu_undefined(op: Alu, w: u8, x: u64, y: u64, sx: u64, sy: u64) -> u64 {
    let m = mask(w);
    match op {
        Alu::Add | Alu::Sub | Alu::Mul => upwards(sx | sy) & m,
        Alu::And => (sx & sy) | (sx & y) | (sy & x),
        Alu::Or => (sx & sy) | (sx & !y) | (sy & !x),
        Alu::Xor => sx | sy,
        Alu::Shl | Alu::LShr | Alu::AShr if sy != 0 => m,
        Alu::Shl | Alu::LShr | Alu::AShr => alu(op, w, sx, y).unwrap_or(m),
        Alu::UDiv | Alu::SDiv | Alu::URem | Alu::SRem => m,
    }
}

/// Whether the outcome of a comparison depends on undefined bits.
pub fn compare_undefined(p: Pred, w: u8, x: u64, y: u64, sx: u64, sy: u64) -> bool {
    match p {
        Pred::Eq | Pred::Ne => (x ^ y) & !(sx | sy) & mask(w) == 0,
        _ => {
            // The smallest and the largest value that each side may have, in an unsigned order.
            let flip = if matches!(p, Pred::Slt | Pred::Sle | Pred::Sgt | Pred::Sge) { 1 << (w - 1) } else { 0 };
            let (x, y) = (x ^ flip, y ^ flip);
            let (x0, x1, y0, y1) = (x & !sx, x | sx, y & !sy, y | sy);
            let decided = match p {
                Pred::Ult | Pred::Slt | Pred::Uge | Pred::Sge => x1 < y0 || x0 >= y1,
                _ => x1 <= y0 || x0 > y1,
            };
            !decided
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_traps_where_the_hardware_does() {
        assert_eq!(alu(Alu::UDiv, 32, 1, 0), None);
        assert_eq!(alu(Alu::SDiv, 32, 0x8000_0000, 0xffff_ffff), None);
        assert_eq!(alu(Alu::SRem, 64, 1 << 63, !0), None);
        assert_eq!(alu(Alu::SDiv, 32, (-7i32) as u32 as u64, 2), Some((-3i32) as u32 as u64));
        assert_eq!(alu(Alu::SRem, 8, 0xf9, 2), Some(0xff));
        assert_eq!(alu128(Alu::SDiv, 128, 1 << 127, !0), None);
    }

    #[test]
    fn saturation_and_overflow_at_odd_widths() {
        assert_eq!(min_max(MinMax::SAddSat, 8, 100, 100), 127);
        assert_eq!(min_max(MinMax::SSubSat, 8, 0x9c, 100), 0x80);
        assert_eq!(min_max(MinMax::UAddSat, 16, 0xffff, 1), 0xffff);
        assert_eq!(min_max(MinMax::SShlSat, 8, 0x40, 1), 127);
        assert_eq!(overflow(Overflow::SMul, 32, 0x10000, 0x10000), (0, true));
        assert_eq!(overflow(Overflow::USub, 64, 1, 2), (u128::from(u64::MAX), true));
        assert_eq!(overflow(Overflow::SMul, 128, 3, 4), (12, false));
        assert_eq!(funnel(false, 32, 0x8000_0001, 0x8000_0001, 1), 3);
    }

    #[test]
    fn undefined_bits_follow_the_data() {
        // Storing three bits into a fresh byte and looking at them only is defined.
        let fresh = 0xff;
        let cleared = alu_undefined(Alu::And, 8, 0, 0xf8, fresh, 0);
        assert_eq!(cleared, 0xf8);
        let stored = alu_undefined(Alu::Or, 8, 0, 5, cleared, 0);
        assert_eq!(stored & 7, 0);
        let shifted = alu_undefined(Alu::Shl, 8, 5, 5, stored, 0);
        assert_eq!(shifted, 0);
        assert!(!compare_undefined(Pred::Eq, 8, 0x80, 0, 0x0f, 0));
        assert!(compare_undefined(Pred::Eq, 8, 0x0f, 0, 0x0f, 0));
        assert!(!compare_undefined(Pred::Slt, 32, 0, 100, 0xf, 0));
        assert!(compare_undefined(Pred::Slt, 32, 0, 8, 0xf, 0));
        assert_eq!(alu_undefined(Alu::Add, 32, 0, 0, 0x100, 0), 0xffff_ff00);
    }

    #[test]
    fn float_classes() {
        assert!(float_class(64, f64::NAN.to_bits(), 0, 3));
        assert!(float_class(32, u64::from(f32::NEG_INFINITY.to_bits()), 0, 1 << 2));
        assert!(float_class(64, (-0.0f64).to_bits(), 0, 1 << 5));
        assert!(float_class(64, 1u64, 0, 1 << 7));
        assert!(!float_class(64, 1.0f64.to_bits(), 0, 1 << 7));
    }
}
