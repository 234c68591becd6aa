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
        let (rest, decides) = self.settled(expr, &mut parts)?;
        let states = parts.iter().map(|part| part.states).max().unwrap_or(0);
        if let Kind::Constant(holds) = rest.kind {
            // Where one part decides, it shows why.
            let model = parts[decides.unwrap_or(0)].model;
            let evidence = decides.and_then(|number| parts[number].evidence.take());
            return Ok(Answer { holds, model, states, evidence });
        }
        let answer = self.linear(&Expr { span: expr.span, ..rest })?;
        Ok(Answer { states: answer.states.max(states), ..answer })
    }

    /// The formula with constants where the execution as a whole decides; where nothing else is left, the number of the part that does.
    fn settled(&self, expr: &Expr, parts: &mut Vec<Answer>) -> Found<(Expr, Option<usize>)> {
        let constant = |value| Expr::new(Kind::Constant(value));
        Ok(match &expr.kind {
            _ if expr.is_linear() => (expr.clone(), None),
            Kind::Unary(Unary::Not, a) => match self.settled(a, parts)? {
                (Expr { kind: Kind::Constant(value), .. }, decides) => (constant(!value), decides),
                (a, _) => (Expr::unary(Unary::Not, a), None),
            },
            Kind::Binary(op, a, b) if !op.is_temporal() => {
                let ((a, by_a), (b, by_b)) = (self.settled(a, parts)?, self.settled(b, parts)?);
                let value = |expr: &Expr| if let Kind::Constant(value) = expr.kind { Some(value) } else { None };
                match (op, value(&a), value(&b)) {
                    (Binary::And, Some(false), _) => (constant(false), by_a),
                    (Binary::And, _, Some(false)) => (constant(false), by_b),
                    (Binary::Or, Some(true), _) => (constant(true), by_a),
                    (Binary::Or | Binary::Implies, _, Some(true)) => (constant(true), by_b),
                    (Binary::Implies, Some(false), _) => (constant(true), by_a),
                    (_, Some(x), Some(y)) => {
                        let holds = match op {
                            Binary::And => x && y,
                            Binary::Or => x || y,
                            Binary::Implies => !x || y,
                            _ => x == y,
                        };
                        (constant(holds), None)
                    }
                    _ => (Expr::binary(*op, a, b), None),
                }
            }
            _ => {
                let answer = self.state(expr)?;
                let holds = answer.holds;
                parts.push(answer);
                (constant(holds), Some(parts.len() - 1))
            }
        })
    }
}
