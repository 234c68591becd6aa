//! Values that nobody has recorded (`_`). A formula is settled if it holds whatever they are, or does not whatever they are.
//!
//! Where each proposition that asks for one stands in the formula in one way, negated or not, two worlds are enough: the one in which
//! what is not known is as bad for the formula as can be, and the one in which it is as good. If it holds in the first it
//! holds in all, and if it does not in the second it does in none. (These worlds need not exist: in one, `a = 1` and `a = 2` may
//! both be false and in the other both be true.) Otherwise each value is tried that the formula can tell from others, as long as
//! there are few ways to choose them.

use rustc_hash::FxHashSet;
use threadbare_core::source::Result;
use threadbare_core::words::grouped;
use threadbare_logic::name::quoted;
use threadbare_logic::semantics::Letter;
use threadbare_logic::{Binary, Expr, Kind, Relation, Unary};

use crate::answer::{Outcome, TooMany};
use crate::proposition::{Comparison, Field, Meaning, Pattern};
use crate::recording::Recording;
use crate::sequence::{Sequence, Value, VariableId};
use crate::verify::Verifier;

/// So many ways to choose values are tried.
const MOST_WAYS: usize = 256;

/// A version of which the value is not known, and which values the formula tells apart there.
pub(crate) struct Unknown {
    pub variable: VariableId,
    pub version: u32,
    kinds: Vec<Value>,
}

/// The values that a formula asks for, and nobody knows.
pub(crate) fn unknowns(sequence: &Sequence, meanings: &[Meaning]) -> Vec<Unknown> {
    let of_events: Vec<(Comparison, Value)> = meanings.iter().filter_map(of_value).collect();
    let touched: FxHashSet<(VariableId, u32)> = match of_events.is_empty() {
        true => FxHashSet::default(),
        false => sequence.events.iter().flat_map(|event| sequence.touched(event)).collect(),
    };
    let mut all = Vec::new();
    for (variable, known) in (0..).zip(&sequence.variables) {
        let own = |meaning: &Meaning| match *meaning {
            Meaning::Value { variable: of, comparison, number } if of == variable => Some((comparison, number)),
            _ => None,
        };
        let own: Vec<(Comparison, Value)> = meanings.iter().filter_map(own).collect();
        for (version, _) in (0..).zip(&known.values).filter(|(_, value)| value.is_none()) {
            let events = of_events.iter().filter(|_| touched.contains(&(variable, version)));
            let asked: Vec<(Comparison, Value)> = own.iter().chain(events).copied().collect();
            if !asked.is_empty() {
                all.push(Unknown { variable, version, kinds: kinds(&asked) });
            }
        }
    }
    all
}

/// `val = 7`
fn of_value(meaning: &Meaning) -> Option<(Comparison, Value)> {
    match *meaning {
        Meaning::Event(Pattern::Number(Field::Value, comparison, number)) => Some((comparison, number)),
        _ => None,
    }
}

/// One value of each kind that these comparisons tell apart.
fn kinds(asked: &[(Comparison, Value)]) -> Vec<Value> {
    let near = |number: Value| [number, number.saturating_add(1), number.saturating_sub(1)];
    let mut values: Vec<Value> = asked.iter().flat_map(|&(_, number)| near(number)).collect();
    let mut seen: FxHashSet<Vec<bool>> = FxHashSet::default();
    values.retain(|&value| {
        seen.insert(asked.iter().map(|(comparison, number)| comparison.holds(value, *number)).collect())
    });
    values
}

/// `a` in version 0
fn called(sequence: &Sequence, unknown: &Unknown) -> String {
    format!("`{}` in version {}", quoted(sequence.variable_name(unknown.variable)), unknown.version)
}

/// What an answer does not hang on, though it was asked for.
pub(crate) fn remark(sequence: &Sequence, meanings: &[Meaning]) -> Option<String> {
    let all = unknowns(sequence, meanings);
    let first = called(sequence, all.first()?);
    Some(match all.len() {
        1 => format!("the value of {first} is not known; the answer is the same whatever it is"),
        more => format!(
            "{} values are not known, that of {first} is the first; the answer is the same whatever they are",
            grouped(more as u64)
        ),
    })
}

impl Verifier<'_> {
    /// The answer, if it is the same whatever these are.
    pub(crate) fn whatever(mut self, unknown: &[Unknown]) -> Result<Outcome> {
        let mut stopped: Option<TooMany> = None;
        if let Some(worst) = self.worst() {
            for (assumed, holds) in [(worst, true), (!worst, false)] {
                self.assumed = assumed;
                match self.outcome()? {
                    Outcome::Answer(answer) if answer.holds == holds => return Ok(Outcome::Answer(answer)),
                    Outcome::TooMany(too_many) => stopped = Some(too_many),
                    Outcome::Answer(_) | Outcome::Hangs(_) => {}
                }
            }
        }
        match stopped {
            Some(too_many) => Ok(Outcome::TooMany(too_many)),
            None => self.each(unknown),
        }
    }

    /// What counts as true where it is not known, if that is to be as bad for the formula as can be. None where a proposition stands
    /// in it both ways.
    fn worst(&self) -> Option<Letter> {
        let (mut straight, mut negated) = (0, 0);
        polarity(&self.specification.formula, true, &mut straight, &mut negated);
        let sequence = &self.recording.sequence;
        let is_asked = |meaning: &Meaning| match meaning {
            Meaning::Value { variable, .. } => sequence.variables[*variable as usize].values.contains(&None),
            meaning => of_value(meaning).is_some(),
        };
        let asked =
            (0..).zip(&self.meanings).filter(|(_, meaning)| is_asked(meaning)).fold(0, |all, (bit, _)| all | 1 << bit);
        (straight & negated & asked == 0).then_some(negated)
    }

    /// All ways to choose values, one after the other.
    fn each(&self, unknown: &[Unknown]) -> Result<Outcome> {
        let ways = unknown.iter().try_fold(1usize, |ways, one| ways.checked_mul(one.kinds.len()));
        let sequence = &self.recording.sequence;
        let may = || {
            let (number, first) = (grouped(unknown.len() as u64), called(sequence, &unknown[0]));
            let words =
                format!("it may hang on values that are not known: there are {number}, that of {first} is the first");
            Ok(Outcome::Hangs(words))
        };
        if ways.is_none_or(|ways| ways > MOST_WAYS) {
            return may();
        }
        let Recording { sequence: _, versions, order } = self.recording;
        let mut filled = Recording { sequence: sequence.clone(), versions: versions.clone(), order: order.clone() };
        let mut chosen = vec![0; unknown.len()];
        let (mut first, mut spent): (Option<Outcome>, usize) = (None, 0);
        loop {
            for (one, &kind) in unknown.iter().zip(&chosen) {
                filled.sequence.variables[one.variable as usize].values[one.version as usize] = Some(one.kinds[kind]);
            }
            let known = Verifier::new(&filled, self.specification, self.asked, self.limit)?;
            let outcome = known.outcome()?;
            // The limit is for all of them together.
            spent += if let Outcome::Answer(answer) = &outcome { answer.states } else { 0 };
            if spent > self.limit && first.is_some() {
                return may();
            }
            match (outcome, &first) {
                (Outcome::Answer(answer), Some(Outcome::Answer(before))) if answer.holds != before.holds => {
                    // With any other kind in one place this comes earlier in the row, and was answered the other way.
                    let last = chosen.iter().rposition(|&kind| kind > 0).unwrap_or(0);
                    let (now, then) = (unknown[last].kinds[chosen[last]], unknown[last].kinds[chosen[last] - 1]);
                    let (yes, no) = if answer.holds { (now, then) } else { (then, now) };
                    let value = called(sequence, &unknown[last]);
                    return Ok(Outcome::Hangs(format!(
                        "it hangs on the value of {value}, which is not known: it holds if that is {yes}, and does not if it is {no}"
                    )));
                }
                (Outcome::Answer(answer), None) => first = Some(Outcome::Answer(answer)),
                (Outcome::Answer(_), Some(_)) => {}
                (other, _) => return Ok(other),
            }
            // The next one, as numbers are counted.
            let Some(place) = (0..chosen.len()).rfind(|&place| chosen[place] + 1 < unknown[place].kinds.len()) else {
                break;
            };
            chosen[place] += 1;
            chosen[place + 1..].fill(0);
        }
        Ok(first.expect("there is one way at least"))
    }
}

/// Which propositions stand in a formula as they are, and which negated.
fn polarity(expr: &Expr, as_it_is: bool, straight: &mut Letter, negated: &mut Letter) {
    match &expr.kind {
        Kind::Constant(_) => {}
        Kind::Proposition(p) => *(if as_it_is { straight } else { negated }) |= 1 << p,
        Kind::Unary(Unary::Not, a) => polarity(a, !as_it_is, straight, negated),
        Kind::Binary(Binary::Implies, a, b) => {
            polarity(a, !as_it_is, straight, negated);
            polarity(b, as_it_is, straight, negated);
        }
        // Each of the first comes before each of the second, and there are both.
        Kind::Binary(Binary::Iff, ..) | Kind::Relation(Relation::Before, ..) => {
            for part in expr.parts() {
                polarity(part, true, straight, negated);
                polarity(part, false, straight, negated);
            }
        }
        Kind::Unary(..) | Kind::Binary(..) | Kind::Path(..) | Kind::Relation(..) => {
            expr.parts().for_each(|part| polarity(part, as_it_is, straight, negated));
        }
    }
}
