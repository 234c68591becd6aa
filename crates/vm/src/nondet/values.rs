//! Sets of the values of an integer of up to 64 bits, as ranges.

use threadbare_ir::IntPred;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Values {
    bits: u32,
    /// Without sign, both ends included, in order; there is a gap between each two.
    ranges: Vec<(u64, u64)>,
}

/// Neighbouring values, from `start` upwards, over the highest to the lowest where need be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    pub start: u64,
    pub count: u128,
}

pub fn highest(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

impl Values {
    pub fn all(bits: u32) -> Values {
        Values { bits, ranges: vec![(0, highest(bits))] }
    }

    pub fn none(bits: u32) -> Values {
        Values { bits, ranges: Vec::new() }
    }

    pub fn one(bits: u32, value: u64) -> Values {
        Values { bits, ranges: vec![(value, value)] }
    }

    fn of(bits: u32, mut ranges: Vec<(u64, u64)>) -> Values {
        ranges.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        Values { bits, ranges: merged }
    }

    /// The values that compare with `constant` like that.
    pub fn compared(bits: u32, pred: IntPred, constant: u64) -> Values {
        use IntPred::*;
        let sign = 1 << (bits - 1);
        let signed = |pred| Values::compared(bits, pred, constant ^ sign).plus(sign);
        match pred {
            Eq => Values::one(bits, constant),
            Ule => Values { bits, ranges: vec![(0, constant)] },
            Ult if constant == 0 => Values::none(bits),
            Ult => Values { bits, ranges: vec![(0, constant - 1)] },
            Ne => Values::compared(bits, Eq, constant).complement(),
            Ugt => Values::compared(bits, Ule, constant).complement(),
            Uge => Values::compared(bits, Ult, constant).complement(),
            Slt => signed(Ult),
            Sle => signed(Ule),
            Sgt => signed(Ugt),
            Sge => signed(Uge),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub fn is_all(&self) -> bool {
        self.ranges == [(0, highest(self.bits))]
    }

    pub fn contains(&self, value: u64) -> bool {
        self.ranges.iter().any(|&(low, high)| low <= value && value <= high)
    }

    pub fn union(&self, other: &Values) -> Values {
        Values::of(self.bits, self.ranges.iter().chain(&other.ranges).copied().collect())
    }

    pub fn intersection(&self, other: &Values) -> Values {
        let mut ranges = Vec::new();
        for &(low, high) in &self.ranges {
            for &(other_low, other_high) in &other.ranges {
                let (low, high) = (low.max(other_low), high.min(other_high));
                if low <= high {
                    ranges.push((low, high));
                }
            }
        }
        Values::of(self.bits, ranges)
    }

    pub fn complement(&self) -> Values {
        let mut ranges = Vec::new();
        let mut next = Some(0);
        for &(low, high) in &self.ranges {
            if let Some(free) = next.filter(|&free| free < low) {
                ranges.push((free, low - 1));
            }
            next = high.checked_add(1);
        }
        if let Some(free) = next.filter(|&free| free <= highest(self.bits)) {
            ranges.push((free, highest(self.bits)));
        }
        Values { bits: self.bits, ranges }
    }

    /// Each value plus `n`, modulo the width.
    pub fn plus(&self, n: u64) -> Values {
        let mask = highest(self.bits);
        let mut ranges = Vec::new();
        for &(low, high) in &self.ranges {
            if high - low == mask {
                return self.clone();
            }
            let (low, high) = (low.wrapping_add(n) & mask, high.wrapping_add(n) & mask);
            if low <= high {
                ranges.push((low, high));
            } else {
                ranges.extend([(low, mask), (0, high)]);
            }
        }
        Values::of(self.bits, ranges)
    }

    /// Each value with all bits the other way round.
    pub fn inverted(&self) -> Values {
        let mask = highest(self.bits);
        Values::of(self.bits, self.ranges.iter().map(|&(low, high)| (mask - high, mask - low)).collect())
    }

    /// What gives a value of the set when zeros are put in front.
    pub fn before_zero_extension(&self, bits: u32) -> Values {
        let fitting = self.intersection(&Values { bits: self.bits, ranges: vec![(0, highest(bits))] });
        Values { bits, ranges: fitting.ranges }
    }

    /// What gives a value of the set when copies of the sign are put in front.
    pub fn before_sign_extension(&self, bits: u32) -> Values {
        // Moved so that the lowest value comes to lie at zero.
        let half = 1 << (bits - 1);
        self.plus(half).before_zero_extension(bits).plus(half)
    }

    /// What gives a value of the set when the upper bits are dropped: too much to be listed, unless it is all or nothing.
    pub fn before_truncation(&self, bits: u32) -> Values {
        if self.is_empty() { Values::none(bits) } else { Values::all(bits) }
    }

    /// What gives a value of the set when so many low bits are cleared.
    pub fn before_clearing(&self, low_bits: u32) -> Values {
        let below = (1 << low_bits) - 1;
        let list = self.ranges.iter().filter_map(|&(low, high)| {
            let first = low.checked_add(below)? & !below;
            (first <= high).then_some((first, high | below))
        });
        Values::of(self.bits, list.collect())
    }

    /// What gives a value of the set when only the bits of `mask` are kept; where that is many ranges, what lies between.
    pub fn before_mask(&self, mask: u64) -> Values {
        let most = highest(self.bits);
        let list = self.ranges.iter().map(|&(low, high)| (low, high.saturating_add(most & !mask).min(most)));
        Values::of(self.bits, list.collect())
    }

    /// What gives a value of the set when it is shifted right by so many bits, zeros coming in.
    pub fn before_shift(&self, by: u32) -> Values {
        let mask = highest(self.bits);
        let below = (1 << by) - 1;
        let list = self.ranges.iter().filter(|range| range.0 <= mask >> by);
        Values::of(self.bits, list.map(|&(low, high)| (low << by, high.min(mask >> by) << by | below)).collect())
    }

    /// The shortest interval that holds them all: what lies outside is the widest gap.
    pub fn interval(&self) -> Option<Interval> {
        let (first, last) = (self.ranges.first()?.0, self.ranges.last()?.1);
        let around = (u128::from(highest(self.bits) - last) + u128::from(first), first);
        let inner = self.ranges.windows(2).map(|pair| (u128::from(pair[1].0 - pair[0].1 - 1), pair[1].0));
        let (gap, start) = inner.fold(around, |widest, gap| if gap.0 > widest.0 { gap } else { widest });
        Some(Interval { start, count: (1 << self.bits) - gap })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every set of a few ranges of 4 bits against its values one by one.
    #[test]
    fn sets_are_what_their_values_say() {
        let sets: Vec<Values> = (0..256u64)
            .map(|pattern| {
                let (a, b) = (pattern & 15, pattern >> 4);
                let one = Values { bits: 4, ranges: vec![(a.min(b), a.max(b))] };
                if pattern % 3 == 0 { one } else { one.union(&Values::one(4, pattern % 16)) }
            })
            .collect();
        let members = |set: &Values| -> Vec<u64> { (0..16).filter(|&value| set.contains(value)).collect() };
        let mapped = |set: &Values, bits: u32, f: &dyn Fn(u64) -> u64| -> Vec<u64> {
            (0..=highest(bits)).filter(|&value| set.contains(f(value))).collect()
        };
        let in_bits =
            |set: &Values, bits: u32| -> Vec<u64> { (0..=highest(bits)).filter(|&v| set.contains(v)).collect() };
        for (i, a) in sets.iter().enumerate() {
            let b = &sets[(i * 7 + 3) % sets.len()];
            let (in_a, in_b) = (members(a), members(b));
            assert_eq!(
                members(&a.union(b)),
                (0..16).filter(|v| in_a.contains(v) || in_b.contains(v)).collect::<Vec<_>>()
            );
            assert_eq!(
                members(&a.intersection(b)),
                (0..16).filter(|v| in_a.contains(v) && in_b.contains(v)).collect::<Vec<_>>()
            );
            assert_eq!(members(&a.complement()), (0..16).filter(|v| !in_a.contains(v)).collect::<Vec<_>>());
            assert_eq!(members(&a.inverted()), mapped(a, 4, &|v| v ^ 15));
            for n in 0..16 {
                assert_eq!(members(&a.plus(n)), mapped(a, 4, &|v| v.wrapping_sub(n) & 15));
            }
            for by in 0..4 {
                assert_eq!(members(&a.before_shift(by)), mapped(a, 4, &|v| v >> by), "{a:?} >> {by}");
                assert_eq!(members(&a.before_clearing(by)), mapped(a, 4, &|v| v & !((1 << by) - 1)), "{a:?} & {by}");
            }
            for mask in 0..16 {
                let kept = a.before_mask(mask);
                assert!(mapped(a, 4, &|v| v & mask).into_iter().all(|v| kept.contains(v)), "{a:?} & {mask}");
            }
            assert_eq!(in_bits(&a.before_zero_extension(2), 2), mapped(a, 2, &|v| v));
            assert_eq!(in_bits(&a.before_sign_extension(2), 2), mapped(a, 2, &|v| if v & 2 != 0 { v | 12 } else { v }));
            let interval = a.interval().expect("not empty");
            let covered: Vec<u64> = (0..interval.count as u64).map(|n| (interval.start + n) & 15).collect();
            assert!(in_a.iter().all(|value| covered.contains(value)), "{a:?} {interval:?}");
        }
    }

    #[test]
    fn comparisons_of_four_bits() {
        use IntPred::*;
        let signed = |v: u64| if v & 8 != 0 { v as i64 - 16 } else { v as i64 };
        for constant in 0..16 {
            for pred in [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle] {
                let set = Values::compared(4, pred, constant);
                for value in 0..16 {
                    let (a, b) = (signed(value), signed(constant));
                    let holds = match pred {
                        Eq => value == constant,
                        Ne => value != constant,
                        Ugt => value > constant,
                        Uge => value >= constant,
                        Ult => value < constant,
                        Ule => value <= constant,
                        Sgt => a > b,
                        Sge => a >= b,
                        Slt => a < b,
                        Sle => a <= b,
                    };
                    assert_eq!(set.contains(value), holds, "{value} {pred:?} {constant}");
                }
            }
        }
    }

    #[test]
    fn intervals_of_64_bits() {
        assert_eq!(Values::all(64).interval(), Some(Interval { start: 0, count: 1 << 64 }));
        assert_eq!(Values::none(64).interval(), None);
        let around = Values::compared(64, IntPred::Sge, -2i64 as u64);
        let around = around.intersection(&Values::compared(64, IntPred::Sle, 2));
        assert_eq!(around.interval(), Some(Interval { start: -2i64 as u64, count: 5 }));
    }
}
