//! Formulas that are joined without operators of time: relations, CTL, `A` and `E` are true or false of the execution as a whole, and LTL is about
//! each linearisation.

use threadbare_core::source::{Complaint, Result};
use threadbare_logic::{Binary, Expr, Kind, Unary};

use crate::answer::Answer;
use crate::proposition::Meaning;
use crate::verify::{Found, Verifier};

impl Verifier<'_> {
    /// Beside a relation an event is hardly ever meant to be asked of the start: no event has happened there.
    pub(crate) fn events_at_the_start(&self, expr: &Expr) -> Result<()> {
        match &expr.kind {
            Kind::Proposition(p) if matches!(self.meanings[usize::from(*p)], Meaning::Event(_)) => {
                let shown = format!("{:#}", expr.display(&self.specification.propositions));
                let message = format!("`{shown}` is asked of the start here, where no event has happened yet");
                Err(Complaint::at(expr.span, message)
                    .note("`<`, `||` and `~>` bind tighter than `&` and `|`: write `(p & q) < r` for an event that is both")
                    .note(format!("`F {shown}` says that there is such an event")))
            }
            Kind::Unary(Unary::Not, a) => self.events_at_the_start(a),
            Kind::Binary(op, a, b) if !op.is_temporal() => {
                self.events_at_the_start(a).and_then(|()| self.events_at_the_start(b))
            }
            _ => Ok(()),
        }
    }

    /// Whether something in it is about single linearisations, and no operator of time stands in front of it.
    pub(crate) fn is_mixed(&self, expr: &Expr) -> bool {
        match &expr.kind {
            _ if expr.is_linear() => !self.is_branching(expr),
            Kind::Unary(Unary::Not, _) => expr.parts().any(|part| self.is_mixed(part)),
            Kind::Binary(op, ..) if !op.is_temporal() => expr.parts().any(|part| self.is_mixed(part)),
            _ => false,
        }
    }

    /// LTL joined with what is true or false of the execution as a whole: that is found out first, and stands in the formula as such, which
    /// has to hold on every linearisation.
    pub(crate) fn mixed(&self, expr: &Expr) -> Found<Answer> {
        let mut parts = Vec::new();
        let rest = self.settled(expr, &mut parts)?;
        let most = parts.iter().map(|part| part.states).max().unwrap_or(0);
        if let Kind::Constant(holds) = rest.kind {
            let shows = parts.into_iter().max_by_key(|part| part.evidence.is_some());
            return Ok(
                shows.map_or_else(|| unreachable!("a part decided"), |part| Answer { holds, states: most, ..part })
            );
        }
        let answer = self.linear(&Expr { span: expr.span, ..rest })?;
        Ok(Answer { states: answer.states.max(most), ..answer })
    }

    fn settled(&self, expr: &Expr, parts: &mut Vec<Answer>) -> Found<Expr> {
        let constant = |value| Expr::new(Kind::Constant(value));
        Ok(match &expr.kind {
            _ if expr.is_linear() => expr.clone(),
            Kind::Unary(Unary::Not, a) => match self.settled(a, parts)? {
                Expr { kind: Kind::Constant(value), .. } => constant(!value),
                a => Expr::unary(Unary::Not, a),
            },
            Kind::Binary(op, a, b) if !op.is_temporal() => {
                let (a, b) = (self.settled(a, parts)?, self.settled(b, parts)?);
                let value = |expr: &Expr| if let Kind::Constant(value) = expr.kind { Some(value) } else { None };
                match (op, value(&a), value(&b)) {
                    (Binary::And, Some(false), _) | (Binary::And, _, Some(false)) => constant(false),
                    (Binary::Or, Some(true), _) | (Binary::Or, _, Some(true)) => constant(true),
                    (Binary::Implies, Some(false), _) | (Binary::Implies, _, Some(true)) => constant(true),
                    (_, Some(x), Some(y)) => constant(match op {
                        Binary::And => x && y,
                        Binary::Or => x || y,
                        Binary::Implies => !x || y,
                        _ => x == y,
                    }),
                    _ => Expr::binary(*op, a, b),
                }
            }
            _ => {
                let answer = self.state(expr)?;
                let holds = answer.holds;
                parts.push(answer);
                constant(holds)
            }
        })
    }
}
