//! Relations between events: from the graph where that can be, or else as formulas about states.

use rustc_hash::FxHashMap;
use threadbare_core::graph::Graph;
use threadbare_core::source::{Complaint, Result};
use threadbare_logic::semantics::{Lasso, Letter};
use threadbare_logic::{Binary, Expr, Kind, Labelled, Quantifier, Relation, Unary, holds};

use crate::answer::{Answer, Evidence, Model, Stand};
use crate::lattice::STAYS;
use crate::proposition::{about_event, letter_of_event};
use crate::recording::Recording;
use crate::relations::{self, Before, Matching, line_apart, line_with};
use crate::sequence::EventId;
use crate::verify::{Found, PARALLEL, Verifier};

impl Verifier<'_> {
    /// The events for which an expression without operators of time holds.
    fn matching(&self, relation: Relation, expr: &Expr) -> Result<Matching> {
        if !expr.is_boolean() {
            let complaint = Complaint::at(expr.span, "an event is needed on both sides of a relation");
            return Err(match relation {
                Relation::Parallel => complaint.note(PARALLEL),
                _ => complaint.note("propositions with `! & |`, without operators of time"),
            });
        }
        let sequence = &self.recording.sequence;
        let matching = (0..sequence.events.len() as EventId).map(|event| {
            let letter = letter_of_event(&self.meanings, self.assumed, sequence, event);
            holds(expr, &Lasso { prefix: vec![], cycle: vec![letter] })
        });
        Ok(matching.collect())
    }

    /// The events of both sides, where the graph answers; None where a model has to.
    pub(crate) fn sides(&self, relation: Relation, p: &Expr, q: &Expr) -> Result<Option<(Matching, Matching)>> {
        let (first, second) = (self.matching(relation, p)?, self.matching(relation, q)?);
        let from_graph = relation != Relation::Directly || alone(&first, &second);
        match self.asked {
            Some(Model::PartialOrder) if !from_graph => {
                let complaint = Complaint::at(
                    p.span.to(q.span),
                    "the graph does not tell whether one of several events always comes right before another",
                );
                Err(complaint.note("`--model stateless` does"))
            }
            Some(Model::Stateless | Model::Stateful) => Ok(None),
            None if self.asks_for_values(p) || self.asks_for_values(q) || !from_graph => Ok(None),
            _ => Ok(Some((first, second))),
        }
    }

    /// Which of two events comes first, in words, if one must.
    fn order_of(&self, one: EventId, other: EventId) -> Option<Evidence> {
        let called = |event| self.recording.sequence.called(event);
        let words = |early, late| Stand::Before.words(&called(early), &called(late));
        let [forth, back] =
            [(one, other), (other, one)].map(|(a, b)| self.recording.is_before(a, b).then(|| words(a, b)));
        forth.or(back).map(Evidence::Words)
    }

    pub(crate) fn relation(&self, relation: Relation, p: &Expr, q: &Expr) -> Found<Answer> {
        let Some((first, second)) = self.sides(relation, p, q)? else { return self.expanded(relation, p, q) };
        let Recording { sequence, order, .. } = self.recording;
        let line = |first, second, stand| {
            Some(Evidence::Pair { first, second, stand, events: line_with(order, first, second) })
        };
        let both = |event: EventId| Some(Evidence::Words(format!("{} is both", sequence.called(event))));
        let answer = |holds, evidence| Ok(Answer { holds, model: Model::PartialOrder, states: 0, evidence });
        let words = |expr: &Expr| format!("{:#}", expr.display(&self.specification.propositions));
        let none = |expr: &Expr| Some(Evidence::Words(format!("no event is {}", words(expr))));
        let is_empty = |matching: &Matching| !matching.contains(&true);
        let event = |matching: &Matching| matching.iter().position(|m| *m).unwrap_or(0) as EventId;
        match relation {
            Relation::Before => match relations::before(sequence, order, &first, &second) {
                Before::Always => answer(true, None),
                Before::NoFirst => answer(false, none(p)),
                Before::NoSecond => answer(false, none(q)),
                Before::Not(early, late) if early == late => answer(false, both(early)),
                Before::Not(early, late) => {
                    let must = self.recording.is_before(late, early);
                    answer(false, line(late, early, if must { Stand::Before } else { Stand::MayBeBefore }))
                }
            },
            Relation::Parallel => match relations::parallel(sequence, order, &first, &second) {
                Some((one, other)) => answer(true, line(one, other, Stand::Parallel)),
                None if is_empty(&first) => answer(false, none(p)),
                None if is_empty(&second) => answer(false, none(q)),
                None => answer(false, self.order_of(event(&first), event(&second)).filter(|_| alone(&first, &second))),
            },
            Relation::MayDirectly => match relations::may_directly(sequence, order, &first, &second) {
                Some((one, other)) => answer(true, line(one, other, Stand::RightBefore)),
                None if is_empty(&first) => answer(false, none(p)),
                None if is_empty(&second) => answer(false, none(q)),
                None => answer(false, None),
            },
            Relation::Directly => {
                let (first, second) = (event(&first), event(&second));
                if relations::always_directly(order, first, second) {
                    return answer(true, None);
                }
                let events = line_apart(order, first, second);
                let apart = Evidence::Pair { first, second, stand: Stand::NotRightBefore, events };
                answer(false, if first == second { both(first) } else { Some(apart) })
            }
        }
    }

    /// A relation as a formula about states.
    fn expanded(&self, relation: Relation, p: &Expr, q: &Expr) -> Found<Answer> {
        // How far a process is, is a state that lasts; between events it says which one.
        let meanings = self.meanings.iter().map(about_event).collect();
        let on_events = Verifier { meanings, ..*self };
        let and = |a: Expr, b: Expr| Expr::binary(Binary::And, a, b);
        let on_event = |expr: &Expr| and(expr.clone(), Expr::new(Kind::Proposition(self.event)));
        let (p, q) = (on_event(p), on_event(q));
        let unary = |op, a: &Expr| Expr::unary(op, a.clone());
        let exists = |op, a: Expr| Expr::new(Kind::Path(Quantifier::Some, Box::new(Expr::unary(op, a))));
        let (next, ever) = (Unary::Next, Unary::Finally);
        match relation {
            Relation::Before => {
                let after = Expr::unary(Unary::Not, and(q.clone(), unary(ever, &p)));
                let both = and(unary(ever, &p), unary(ever, &q));
                on_events.linear(&and(both, Expr::unary(Unary::Globally, after)))
            }
            Relation::Directly => on_events.linear(&Expr::unary(ever, and(p, Expr::unary(next, q)))),
            Relation::MayDirectly => on_events.branching(&exists(ever, and(p, exists(next, q)))),
            Relation::Parallel => on_events.parallel_states(&p, &q),
        }
    }

    /// Whether events of two processes can happen in one state, one of the first kind, the other of the second.
    fn parallel_states(&self, p: &Expr, q: &Expr) -> Found<Answer> {
        let values = self.asks_for_values(p) || self.asks_for_values(q);
        let model = self.asked.unwrap_or(if values { Model::Stateful } else { Model::Stateless });
        let mut lattice = self.lattice(model);
        let mut known: FxHashMap<Letter, (bool, bool)> = FxHashMap::default();
        // How each state was found: from which one, by which process.
        let mut found: Vec<(u32, u32)> = vec![(0, STAYS)];
        let start = lattice.initial().0;
        let mut state = start;
        while (state as usize) < found.len() {
            let arcs = lattice.successors((state, 0));
            let mut kinds: Vec<(u32, bool, bool)> = Vec::new();
            for arc in arcs.into_iter().filter(|arc| arc.step != STAYS) {
                let letter = lattice.letter(arc.to);
                let (one, other) = *known.entry(letter).or_insert_with(|| {
                    let word = Lasso { prefix: vec![], cycle: vec![letter] };
                    (holds(p, &word), holds(q, &word))
                });
                kinds.push((arc.step, one, other));
                if arc.to.0 as usize == found.len() {
                    found.push((state, arc.step));
                }
            }
            for &(first, _, _) in kinds.iter().filter(|(_, one, _)| *one) {
                if let Some(&(second, _, _)) = kinds.iter().find(|(process, _, other)| *other && *process != first) {
                    let mut steps = vec![second, first];
                    while state != start {
                        let (before, process) = found[state as usize];
                        steps.push(process);
                        state = before;
                    }
                    steps.reverse();
                    let Evidence::Line { events, .. } = self.line(&steps, Vec::new()) else { unreachable!("a line") };
                    let [.., first, second] = events[..] else { unreachable!("two events at least") };
                    let evidence = Some(Evidence::Pair { first, second, stand: Stand::Parallel, events });
                    return Ok(Answer { holds: true, model, states: lattice.size(), evidence });
                }
            }
            if lattice.full.get() {
                return Err(self.too_many(model, &lattice));
            }
            state += 1;
        }
        Ok(Answer { holds: false, model, states: lattice.size(), evidence: None })
    }
}

/// Whether each side is one event.
fn alone(first: &Matching, second: &Matching) -> bool {
    [first, second].iter().all(|matching| matching.iter().filter(|m| **m).count() == 1)
}
