//! What is known of a local value in terms of one `nondet` value, on one path.

use threadbare_ir::{BinOp, CastOp, IntPred};

use super::values::{Values, highest};

/// Sets of the `nondet` value are never too small: what is unsure counts as possible.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Known {
    /// Has nothing to do with the `nondet` value, and may be anything.
    Free,
    Const(u64),
    /// Computed of the `nondet` value by these steps.
    Term(Vec<Step>),
    /// One of a few values, each with the `nondet` values that it may come from.
    Cases(Vec<(u64, Values)>),
    /// Depends on the `nondet` value somehow.
    Somehow,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    Add(u64),
    Invert,
    ZeroExtend { from: u32 },
    SignExtend { from: u32 },
    Truncate { from: u32 },
    ClearLow(u32),
    Mask(u64),
    ShiftRight(u32),
}

/// More than a condition that somebody writes by hand comes to.
const MOST_CASES: usize = 16;
const MOST_STEPS: usize = 16;

impl Known {
    /// Whether it hangs on the `nondet` value.
    pub fn depends(&self) -> bool {
        !matches!(self, Known::Free | Known::Const(_))
    }

    /// The `nondet` values, of `bits` bits, with which this is in `set`.
    pub fn preimage(&self, set: &Values, bits: u32) -> Values {
        match self {
            Known::Free | Known::Somehow => Values::all(bits),
            Known::Const(value) if set.contains(*value) => Values::all(bits),
            Known::Const(_) => Values::none(bits),
            Known::Term(steps) => steps.iter().rev().fold(set.clone(), |set, step| match *step {
                Step::Add(n) => set.plus(n.wrapping_neg()),
                Step::Invert => set.inverted(),
                Step::ZeroExtend { from } => set.before_zero_extension(from),
                Step::SignExtend { from } => set.before_sign_extension(from),
                Step::Truncate { from } => set.before_truncation(from),
                Step::ClearLow(low) => set.before_clearing(low),
                Step::Mask(mask) => set.before_mask(mask),
                Step::ShiftRight(by) => set.before_shift(by),
            }),
            Known::Cases(cases) => cases
                .iter()
                .filter(|(value, _)| set.contains(*value))
                .fold(Values::none(bits), |all, (_, from)| all.union(from)),
        }
    }

    /// As a list of cases: what is not yet one must be of one bit.
    fn cases(&self, width: u32, bits: u32) -> Option<Vec<(u64, Values)>> {
        match self {
            Known::Cases(cases) => Some(cases.clone()),
            Known::Const(value) => Some(vec![(*value, Values::all(bits))]),
            _ if width == 1 => Some((0..2).map(|value| (value, self.preimage(&Values::one(1, value), bits))).collect()),
            _ => None,
        }
    }

    fn of_cases(list: impl Iterator<Item = (u64, Values)>) -> Known {
        let mut cases: Vec<(u64, Values)> = Vec::new();
        for (value, from) in list.filter(|(_, from)| !from.is_empty()) {
            match cases.iter_mut().find(|(known, _)| *known == value) {
                Some((_, known)) => *known = known.union(&from),
                None => cases.push((value, from)),
            }
        }
        if cases.len() > MOST_CASES { Known::Somehow } else { Known::Cases(cases) }
    }

    fn then(&self, step: Step) -> Known {
        match self {
            Known::Term(steps) if steps.len() < MOST_STEPS => {
                Known::Term(steps.iter().cloned().chain([step]).collect())
            }
            _ => Known::Somehow,
        }
    }

    pub fn cast(&self, op: CastOp, from: u32, to: u32) -> Known {
        let value_of = |value: u64| match op {
            CastOp::SExt if value >> (from - 1) & 1 == 1 => (value | !highest(from)) & highest(to),
            _ => value & highest(to),
        };
        match (self, op) {
            (Known::Free, _) => Known::Free,
            (Known::Const(value), CastOp::ZExt | CastOp::SExt | CastOp::Trunc) => Known::Const(value_of(*value)),
            (Known::Cases(cases), CastOp::ZExt | CastOp::SExt | CastOp::Trunc) => {
                Known::of_cases(cases.iter().map(|(value, set)| (value_of(*value), set.clone())))
            }
            (_, CastOp::ZExt) => self.then(Step::ZeroExtend { from }),
            (_, CastOp::SExt) => self.then(Step::SignExtend { from }),
            (_, CastOp::Trunc) => self.then(Step::Truncate { from }),
            _ => Known::Somehow,
        }
    }

    /// `self op other`, both of `width` bits.
    pub fn binary(&self, op: BinOp, other: &Known, width: u32, bits: u32) -> Known {
        let mask = highest(width);
        match (self, op, other) {
            (Known::Term(_), BinOp::Add, Known::Const(n)) | (Known::Const(n), BinOp::Add, Known::Term(_)) => {
                let term = if other.depends() { other } else { self };
                return term.then(Step::Add(*n));
            }
            (Known::Term(_), BinOp::Sub, Known::Const(n)) => return self.then(Step::Add(n.wrapping_neg() & mask)),
            (Known::Const(n), BinOp::Sub, Known::Term(_)) => {
                return other.then(Step::Invert).then(Step::Add(n.wrapping_add(1) & mask));
            }
            (Known::Term(_), BinOp::Xor, Known::Const(n)) if *n == mask => return self.then(Step::Invert),
            (Known::Term(_), BinOp::And, Known::Const(n)) if *n != 0 && *n == mask & (mask << n.trailing_zeros()) => {
                return self.then(Step::ClearLow(n.trailing_zeros()));
            }
            (Known::Term(_), BinOp::And, Known::Const(n)) => return self.then(Step::Mask(*n)),
            (Known::Term(_), BinOp::LShr, Known::Const(n)) if *n < width.into() => {
                return self.then(Step::ShiftRight(*n as u32));
            }
            _ => {}
        }
        let apply = |a: u64, b: u64| match op {
            BinOp::And => Some(a & b),
            BinOp::Or => Some(a | b),
            BinOp::Xor => Some(a ^ b),
            BinOp::Add => Some(a.wrapping_add(b) & mask),
            BinOp::Sub => Some(a.wrapping_sub(b) & mask),
            BinOp::Mul => Some(a.wrapping_mul(b) & mask),
            _ => None,
        };
        if !self.depends() && !other.depends() {
            return match (self, other) {
                (Known::Const(a), Known::Const(b)) => apply(*a, *b).map_or(Known::Free, Known::Const),
                _ => Known::Free,
            };
        }
        let (Some(left), Some(right), Some(_)) = (self.cases(width, bits), other.cases(width, bits), apply(0, 0))
        else {
            return Known::Somehow;
        };
        let pairs = left.iter().flat_map(|(a, with_a)| {
            right.iter().filter_map(move |(b, with_b)| Some((apply(*a, *b)?, with_a.intersection(with_b))))
        });
        Known::of_cases(pairs)
    }

    /// The result, of one bit, of a comparison of two values of `width` bits.
    pub fn compare(&self, pred: IntPred, other: &Known, width: u32, bits: u32) -> Known {
        let (value, pred, constant) = match (self, other) {
            (_, Known::Const(constant)) => (self, pred, *constant),
            (Known::Const(constant), _) => (other, mirrored(pred), *constant),
            _ if !self.depends() && !other.depends() => return Known::Free,
            _ => return Known::Somehow,
        };
        match value {
            Known::Free => Known::Free,
            Known::Somehow => Known::Somehow,
            Known::Const(value) => Known::Const(Values::compared(width, pred, constant).contains(*value).into()),
            value => {
                let holds = Values::compared(width, pred, constant);
                let (no, yes) = (value.preimage(&holds.complement(), bits), value.preimage(&holds, bits));
                Known::of_cases([(0, no), (1, yes)].into_iter())
            }
        }
    }

    /// `condition ? self : other`.
    pub fn select(condition: &Known, then: &Known, els: &Known, width: u32, bits: u32) -> Known {
        if let Known::Const(value) = condition {
            return if *value == 0 { els.clone() } else { then.clone() };
        }
        if ![condition, then, els].into_iter().any(Known::depends) {
            return Known::Free;
        }
        let (Some(then), Some(els)) = (then.cases(width, bits), els.cases(width, bits)) else {
            return Known::Somehow;
        };
        let [no, yes] = [0, 1].map(|value| condition.preimage(&Values::one(1, value), bits));
        let list = then.iter().map(|(value, from)| (*value, from.intersection(&yes)));
        Known::of_cases(list.chain(els.iter().map(|(value, from)| (*value, from.intersection(&no)))))
    }
}

/// `a pred b` is `b mirrored a`.
fn mirrored(pred: IntPred) -> IntPred {
    use IntPred::*;
    match pred {
        Eq => Eq,
        Ne => Ne,
        Ugt => Ult,
        Uge => Ule,
        Ult => Ugt,
        Ule => Uge,
        Sgt => Slt,
        Sge => Sle,
        Slt => Sgt,
        Sle => Sge,
    }
}
