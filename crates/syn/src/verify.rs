//! A formula on a recorded execution: which model it needs, and what it says there.
//!
//! The types are those of the thesis (section 4.4): I asks for values and needs the stateful model, II asks for events and takes the
//! stateless one, III is about the partial order itself. A relation between events is answered from the graph where that can
//! be. On the other models it is what the thesis writes for it; `ev` holds where some event has just happened:
//!
//! | | |
//! |---|---|
//! | `p < q` | `F (p & ev) & F (q & ev) & G !(q & ev & F (p & ev))` |
//! | `p \|\| q` | in some state events of two processes can happen, one `p`, the other `q` |
//! | `p ~> q` | `F (p & ev & X (q & ev))` |
//! | `may(p ~> q)` | `EF (p & ev & EX (q & ev))` |

use threadbare_core::source::{Complaint, Result, Source};
use threadbare_logic::ctl::{Labelling, well_formed};
use threadbare_logic::semantics::{Lasso, Letter};
use threadbare_logic::{
    Binary, Expr, Kind, Labelled, Product, Quantifier, Relation, Specification, Unary, automaton_of_negation, find_run,
    holds,
};

use crate::chains::Chains;
use crate::consistent::{Versions, versions};
use crate::lattice::{self, Lattice, STAYS};
use crate::order::{Order, order};
use crate::proposition::{Meaning, Pattern, about_event, meaning, of_event};
use crate::relations::{self, Before, Matching, line_with};
use crate::sequence::{EventId, Sequence};

/// A sequence that is consistent, with its order.
pub struct Recording {
    pub sequence: Sequence,
    pub versions: Versions,
    pub order: Order,
}

impl Recording {
    pub fn new(sequence: Sequence, source: &Source) -> Result<Recording> {
        let versions = versions(&sequence, source)?;
        let order = order(&sequence, &versions, source)?;
        Ok(Recording { sequence, versions, order })
    }

    /// How many states the lattice has at most, as a power of ten: where nothing is ordered between processes.
    pub fn most_states(&self) -> f64 {
        self.sequence.processes.iter().map(|process| (f64::from(process.events) + 1.0).log10()).sum()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    PartialOrder,
    Stateless,
    Stateful,
}

impl Model {
    pub fn name(self) -> &'static str {
        match self {
            Model::PartialOrder => "partial-order",
            Model::Stateless => "stateless",
            Model::Stateful => "stateful",
        }
    }
}

/// What shows that a formula holds, or that it does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// A linearisation, or its beginning as far as it matters; what holds before each event and after the last one.
    Line { events: Vec<EventId>, letters: Vec<Letter> },
    /// Events each of which comes before the next.
    Chain(Vec<EventId>),
    /// In words.
    Words(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    pub holds: bool,
    pub model: Model,
    /// States of the lattice that were looked at; none for the graph.
    pub states: usize,
    pub evidence: Option<Evidence>,
}

/// There are more states than were allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooMany {
    pub limit: usize,
    pub model: Model,
}

pub enum Outcome {
    Answer(Answer),
    TooMany(TooMany),
}

enum Stop {
    Complaint(Box<Complaint>),
    TooMany(TooMany),
}

impl From<Box<Complaint>> for Stop {
    fn from(complaint: Box<Complaint>) -> Stop {
        Stop::Complaint(complaint)
    }
}

type Found<T> = std::result::Result<T, Stop>;

/// Whether the formula holds; `None` lets the formula choose its model.
pub fn verify(
    recording: &Recording,
    specification: &Specification,
    model: Option<Model>,
    limit: usize,
) -> Result<Outcome> {
    let verifier = Verifier::new(recording, specification, model, limit)?;
    match verifier.top(&specification.formula) {
        Ok(answer) => Ok(Outcome::Answer(answer)),
        Err(Stop::TooMany(too_many)) => Ok(Outcome::TooMany(too_many)),
        Err(Stop::Complaint(complaint)) => Err(complaint),
    }
}

/// What the propositions of a formula mean, and behind them that some event has just happened.
pub fn meanings(sequence: &Sequence, specification: &Specification) -> Result<Vec<Meaning>> {
    let all = specification.propositions.iter().map(|proposition| meaning(sequence, proposition));
    all.collect()
}

struct Verifier<'r> {
    recording: &'r Recording,
    specification: &'r Specification,
    asked: Option<Model>,
    limit: usize,
    meanings: Vec<Meaning>,
    /// The proposition that some event has just happened.
    event: u8,
}

impl<'r> Verifier<'r> {
    fn new(
        recording: &'r Recording,
        specification: &'r Specification,
        asked: Option<Model>,
        limit: usize,
    ) -> Result<Verifier<'r>> {
        let mut meanings = meanings(&recording.sequence, specification)?;
        for (proposition, meaning) in
            specification.propositions.iter().zip(&meanings).filter(|(_, meaning)| meaning.is_stateful())
        {
            if let Some(model @ (Model::Stateless | Model::PartialOrder)) = asked {
                let _ = meaning;
                return Err(Complaint::at(
                    proposition.span,
                    format!("`{proposition}` asks for what a variable is in a state"),
                )
                .note(format!("the {} model has no values; `--model stateful` has them", model.name())));
            }
        }
        let event = meanings.len() as u8;
        if meanings.len() < 64 {
            meanings.push(Meaning::Event(Pattern::Part { process: None, op: None, object: None, version: None }));
        } else if !specification.formula.is_linear() {
            return Err(Complaint::nowhere("a formula that is not LTL has at most 63 propositions"));
        }
        Ok(Verifier { recording, specification, asked, limit, meanings, event })
    }

    /// The cheapest model on which a formula about states means what it says.
    fn model(&self, expr: &Expr) -> Model {
        let needs_values =
            expr.any(&|kind| matches!(kind, Kind::Proposition(p) if self.meanings[usize::from(*p)].is_stateful()));
        self.asked.unwrap_or(if needs_values { Model::Stateful } else { Model::Stateless })
    }

    fn top(&self, expr: &Expr) -> Found<Answer> {
        if expr.is_linear() {
            return self.linear(expr);
        }
        if let Some(span) = relation_in_time(expr, false) {
            let complaint = Complaint::at(
                span,
                "a relation between events is about the whole execution, and no operator of time stands in front of it",
            );
            return Err(complaint.note("`||` says that events are parallel; `or` is `|`").into());
        }
        self.state(expr)
    }

    /// What is true or false of the execution as a whole: formulas of CTL, `A` and `E` of formulas of LTL, relations, and what is
    /// made of them without operators of time.
    fn state(&self, expr: &Expr) -> Found<Answer> {
        let relation = |kind: &Kind| matches!(kind, Kind::Relation(..));
        if !expr.any(&relation) && well_formed(expr).is_ok() {
            return self.branching(expr);
        }
        match &expr.kind {
            Kind::Relation(relation, p, q) => self.relation(*relation, p, q),
            Kind::Unary(Unary::Not, a) => {
                let answer = self.state(a)?;
                Ok(Answer { holds: !answer.holds, ..answer })
            }
            Kind::Binary(op, a, b) if !op.is_temporal() => {
                let (a, b) = (self.state(a)?, self.state(b)?);
                let holds = match op {
                    Binary::And => a.holds && b.holds,
                    Binary::Or => a.holds || b.holds,
                    Binary::Implies => !a.holds || b.holds,
                    _ => a.holds == b.holds,
                };
                // The part that decides shows it.
                let decides = match op {
                    Binary::And => a.holds == holds,
                    Binary::Or => a.holds == holds,
                    Binary::Implies => a.holds != holds && !b.holds,
                    _ => true,
                };
                let (one, other) = if decides { (a, b) } else { (b, a) };
                let model = if one.states >= other.states { one.model } else { other.model };
                let states = one.states.max(other.states);
                Ok(Answer { holds, model, states, evidence: one.evidence.or(other.evidence) })
            }
            Kind::Path(quantifier, body) if body.is_linear() => match quantifier {
                Quantifier::All => self.linear(body),
                Quantifier::Some => {
                    let answer = self.linear(&Expr { span: body.span, kind: Kind::Unary(Unary::Not, body.clone()) })?;
                    Ok(Answer { holds: !answer.holds, ..answer })
                }
            },
            _ => Err(well_formed(expr)
                .err()
                .unwrap_or_else(|| Complaint::at(expr.span, "this is neither LTL nor CTL"))
                .into()),
        }
    }

    fn lattice(&self, model: Model) -> Lattice<'_> {
        let kind = if model == Model::Stateful { lattice::Kind::Stateful } else { lattice::Kind::Stateless };
        let Recording { sequence, versions, order } = self.recording;
        Lattice::new(sequence, versions, order, kind, &self.meanings, self.limit)
    }

    fn too_many(&self, model: Model) -> Stop {
        Stop::TooMany(TooMany { limit: self.limit, model })
    }

    /// LTL on all paths.
    fn linear(&self, expr: &Expr) -> Found<Answer> {
        let model = self.model(expr);
        let automaton = automaton_of_negation(expr).map_err(|error| Complaint::at(expr.span, error.to_string()))?;
        if model == Model::PartialOrder {
            let mut chains = Chains::new(&self.recording.sequence, &self.recording.order, &self.meanings);
            for start in chains.firsts.clone() {
                chains.start = start;
                let run = find_run(&mut Product::new(&mut chains, &automaton), || false).flatten();
                if let Some(run) = run {
                    let nodes = |steps: &[threadbare_logic::Step<EventId, _>]| {
                        steps.iter().map(|step| step.step).collect::<Vec<_>>()
                    };
                    let mut events = [vec![start], nodes(&run.prefix), nodes(&run.cycle)].concat();
                    events.dedup();
                    let evidence = Some(Evidence::Chain(events));
                    return Ok(Answer { holds: false, model, states: 0, evidence });
                }
            }
            return Ok(Answer { holds: true, model, states: 0, evidence: None });
        }
        let mut lattice = self.lattice(model);
        let full = lattice.full.clone();
        let run = find_run(&mut Product::new(&mut lattice, &automaton), || full.get());
        let Some(run) = run else { return Err(self.too_many(model)) };
        let Some(run) = run else {
            return Ok(Answer { holds: true, model, states: lattice.size(), evidence: None });
        };
        let start = run.start.0;
        let nodes: Vec<lattice::Node> = run.prefix.iter().chain(&run.cycle).map(|step| step.to.0).collect();
        let steps: Vec<u32> = run.prefix.iter().chain(&run.cycle).map(|step| step.step).collect();
        let letters: Vec<Letter> = std::iter::once(start).chain(nodes).map(|node| lattice.letter(node)).collect();
        // A counterexample is held against what the formula means before anybody sees it.
        let word = Lasso { prefix: letters[..letters.len() - 1].to_vec(), cycle: vec![letters[letters.len() - 1]] };
        assert!(!holds(expr, &word), "a linearisation that was found breaks the formula");
        let line = self.line(&steps, letters);
        Ok(Answer { holds: false, model, states: lattice.size(), evidence: Some(line) })
    }

    /// The events of a path by its processes.
    fn line(&self, steps: &[u32], mut letters: Vec<Letter>) -> Evidence {
        let mut counters = vec![0; self.recording.sequence.processes.len()];
        let moves = steps.iter().filter(|&&step| step != STAYS);
        let events: Vec<EventId> = moves
            .map(|&process| {
                counters[process as usize] += 1;
                self.recording.sequence.event_at(process, counters[process as usize] - 1)
            })
            .collect();
        letters.truncate(events.len() + 1);
        Evidence::Line { events, letters }
    }

    /// CTL by labelling.
    fn branching(&self, expr: &Expr) -> Found<Answer> {
        let model = self.model(expr);
        if model == Model::PartialOrder {
            let chains = Chains::new(&self.recording.sequence, &self.recording.order, &self.meanings);
            let graph = chains.explicit();
            let labelling = Labelling::new(&graph, expr);
            let against = graph.initial.iter().find(|&&start| !labelling.holds(start));
            let shows = against.or(graph.initial.first());
            let evidence = shows.map(|&start| labelling.path(start)).filter(|path| path.len() > 1).map(Evidence::Chain);
            return Ok(Answer { holds: against.is_none(), model, states: 0, evidence });
        }
        let mut lattice = self.lattice(model);
        let Some((graph, nodes)) = lattice.explicit() else { return Err(self.too_many(model)) };
        let labelling = Labelling::new(&graph, expr);
        let path: Vec<lattice::Node> = labelling.path(0).iter().map(|&node| nodes[node as usize]).collect();
        let steps: Vec<u32> = path.windows(2).map(|pair| lattice.step_between(pair[0], pair[1])).collect();
        let letters: Vec<Letter> = path.iter().map(|&node| lattice.letter(node)).collect();
        let evidence = Some(self.line(&steps, letters)).filter(|_| path.len() > 1);
        Ok(Answer { holds: labelling.holds(0), model, states: lattice.size(), evidence })
    }

    /// The events for which an expression without operators of time holds.
    fn matching(&self, expr: &Expr) -> Found<Matching> {
        if !expr.is_boolean() {
            let complaint = Complaint::at(expr.span, "an event is needed on both sides of a relation");
            return Err(complaint.note("`||` says that events are parallel; `or` is `|`").into());
        }
        let sequence = &self.recording.sequence;
        let matching = (0..sequence.events.len() as EventId).map(|event| {
            let letter = (0..)
                .zip(&self.meanings)
                .fold(0, |letter, (bit, meaning)| letter | Letter::from(of_event(meaning, sequence, event)) << bit);
            holds(expr, &Lasso { prefix: vec![], cycle: vec![letter] })
        });
        Ok(matching.collect())
    }

    fn relation(&self, relation: Relation, p: &Expr, q: &Expr) -> Found<Answer> {
        let stateful = |expr: &Expr| {
            expr.any(&|kind| matches!(kind, Kind::Proposition(n) if self.meanings[usize::from(*n)].is_stateful()))
        };
        let (first, second) = (self.matching(p)?, self.matching(q)?);
        let values = stateful(p) || stateful(q);
        let (Recording { sequence, order, .. }, alone) =
            (self.recording, |m: &Matching| m.iter().filter(|m| **m).count() == 1);
        let from_graph = relation != Relation::Directly || alone(&first) && alone(&second);
        match self.asked {
            None if values || !from_graph => return self.expanded(relation, p, q, values),
            None | Some(Model::PartialOrder) => {}
            Some(_) if relation == Relation::Parallel && !values => return self.parallel_states(&first, &second),
            Some(_) => return self.expanded(relation, p, q, values),
        }
        if !from_graph {
            let complaint = Complaint::at(
                p.span.to(q.span),
                "the graph does not tell whether one of several events always comes right before another",
            );
            return Err(complaint.note("`--model stateless` does").into());
        }
        let line = |first, second| Evidence::Line { events: line_with(order, first, second), letters: Vec::new() };
        let answer = |holds, evidence| Ok(Answer { holds, model: Model::PartialOrder, states: 0, evidence });
        let words = |expr: &Expr| format!("{:#}", expr.display(&self.specification.propositions));
        let none = |expr: &Expr| Some(Evidence::Words(format!("no event is {}", words(expr))));
        match relation {
            Relation::Before => match relations::before(sequence, order, &first, &second) {
                Before::Always => answer(true, None),
                Before::NoFirst => answer(false, none(p)),
                Before::NoSecond => answer(false, none(q)),
                Before::Not(early, late) if early == late => {
                    answer(false, Some(Evidence::Words(format!("{} is both", sequence.called(early)))))
                }
                Before::Not(early, late) => answer(false, Some(line(late, early))),
            },
            Relation::Parallel => match relations::parallel(sequence, order, &first, &second) {
                Some((one, other)) => answer(true, Some(line(one, other))),
                None => answer(false, None),
            },
            Relation::MayDirectly => match relations::may_directly(sequence, order, &first, &second) {
                Some((one, other)) => answer(true, Some(line(one, other))),
                None => answer(false, None),
            },
            Relation::Directly => {
                let event = |matching: &Matching| matching.iter().position(|m| *m).unwrap_or(0) as EventId;
                answer(relations::always_directly(order, event(&first), event(&second)), None)
            }
        }
    }

    /// A relation as a formula about states.
    fn expanded(&self, relation: Relation, p: &Expr, q: &Expr, values: bool) -> Found<Answer> {
        let and = |a: Expr, b: Expr| Expr::binary(Binary::And, a, b);
        let on_event = |expr: &Expr| match values {
            true => expr.clone(),
            false => and(expr.clone(), Expr::new(Kind::Proposition(self.event))),
        };
        if !values && self.meanings.iter().any(|meaning| about_event(meaning) != *meaning) {
            // How far a process is, is a state that lasts; between events it says which one.
            let meanings = self.meanings.iter().map(about_event).collect();
            return Verifier { meanings, ..*self }.expanded(relation, p, q, values);
        }
        let (p, q) = (on_event(p), on_event(q));
        let unary = |op, a: &Expr| Expr::unary(op, a.clone());
        let exists = |op, a: Expr| Expr::new(Kind::Path(Quantifier::Some, Box::new(Expr::unary(op, a))));
        let (next, ever) = (Unary::Next, Unary::Finally);
        match relation {
            Relation::Before => {
                let after = Expr::unary(Unary::Not, and(q.clone(), unary(ever, &p)));
                let both = and(unary(ever, &p), unary(ever, &q));
                self.linear(&and(both, Expr::unary(Unary::Globally, after)))
            }
            Relation::Directly => self.linear(&Expr::unary(ever, and(p, Expr::unary(next, q)))),
            Relation::MayDirectly => self.branching(&exists(ever, and(p, exists(next, q)))),
            Relation::Parallel => self.branching(&exists(ever, and(exists(next, p), exists(next, q)))),
        }
    }

    /// Whether events of two processes can happen in one state, one of the first, the other of the second.
    fn parallel_states(&self, p: &Matching, q: &Matching) -> Found<Answer> {
        let model = self.asked.unwrap_or(Model::Stateless);
        let sequence = &self.recording.sequence;
        let mut lattice = self.lattice(model);
        let mut seen = 0;
        lattice.first();
        while seen < lattice.size() {
            let state = seen as u32;
            seen += 1;
            let enabled = lattice.enabled(state);
            let next: Vec<EventId> = enabled
                .iter()
                .map(|&process| sequence.event_at(process, lattice.counters(state)[process as usize]))
                .collect();
            for &one in next.iter().filter(|&&event| p[event as usize]) {
                if let Some(&other) = next.iter().find(|&&event| event != one && q[event as usize]) {
                    let events = line_with(&self.recording.order, one, other);
                    let evidence = Some(Evidence::Line { events, letters: Vec::new() });
                    return Ok(Answer { holds: true, model, states: lattice.size(), evidence });
                }
            }
            enabled.iter().for_each(|&process| _ = lattice.after(state, process));
            if lattice.full.get() {
                return Err(self.too_many(model));
            }
        }
        Ok(Answer { holds: false, model, states: lattice.size(), evidence: None })
    }
}

/// A relation under an operator of time.
fn relation_in_time(expr: &Expr, inside: bool) -> Option<threadbare_core::source::Span> {
    let time = match &expr.kind {
        Kind::Relation(..) if inside => return Some(expr.span),
        Kind::Unary(op, _) => *op != Unary::Not,
        Kind::Binary(op, ..) => op.is_temporal(),
        Kind::Path(..) => true,
        _ => false,
    };
    expr.parts().find_map(|part| relation_in_time(part, inside || time))
}
