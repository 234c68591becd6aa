//! A formula on a recorded execution: which model it needs, and what it says there.
//!
//! The types are those of the thesis (section 4.4): I asks for values and needs the stateful model, II asks for events and takes the
//! stateless one, III is about the partial order itself. A relation between events is answered from the graph where that can
//! be. On the other models it is a formula that says the same of states. A side of a relation is about events: an event is like `p` if `p`
//! holds in the state right behind it, and how far a process is (`p0.evnt = 3`) says there which event it is. `ev` holds where some
//! event has just happened:
//!
//! | | |
//! |---|---|
//! | `p < q` | `F (p & ev) & F (q & ev) & G !(q & ev & F (p & ev))` |
//! | `p \|\| q` | in some state events of two processes can happen, one `p`, the other `q` |
//! | `p ~> q` | `F (p & ev & X (q & ev))` |
//! | `may(p ~> q)` | `EF (p & ev & EX (q & ev))` |

use threadbare_core::source::{Complaint, Result, Span};
use threadbare_logic::ctl::{Labelling, well_formed};
use threadbare_logic::semantics::{Lasso, Letter};
use threadbare_logic::{
    Binary, Expr, Kind, Labelled, Product, Quantifier, Relation, Specification, Unary, automaton_of_negation, find_run,
    holds,
};

use crate::answer::{Answer, Evidence, Model, Outcome, TooMany};
use crate::chains::Chains;
use crate::lattice::{self, Budget, Lattice, STAYS};
use crate::proposition::{Meaning, Pattern, meaning};
use crate::recording::Recording;
use crate::sequence::{EventId, Sequence};
use crate::unknown::unknowns;

/// A lattice of so many times the limit will not be searched through. What breaks a formula may be near the start all the same, so some
/// of it is looked at.
const HOPELESS: f64 = 100.0;
/// How much of it, in states and bytes, and how much of others.
const LOOK: Budget = Budget { states: 100_000, bytes: 256 << 20 };
const MOST_BYTES: usize = 4 << 30;

/// Of an execution without the variable, as long as no other has told what it is.
const ELSEWHERE: &str = "it asks for a variable that nobody touches here, and of which nothing is known";

/// To whoever means something else.
pub(crate) const PARALLEL: &str = "`||` says that events are parallel; `or` is `|`";

pub(crate) enum Stop {
    Complaint(Box<Complaint>),
    TooMany(TooMany),
}

impl From<Box<Complaint>> for Stop {
    fn from(complaint: Box<Complaint>) -> Stop {
        Stop::Complaint(complaint)
    }
}

pub(crate) type Found<T> = std::result::Result<T, Stop>;

/// Whether the formula holds; `None` lets the formula choose its model.
pub fn verify(
    recording: &Recording,
    specification: &Specification,
    model: Option<Model>,
    limit: usize,
) -> Result<Outcome> {
    let verifier = Verifier::new(recording, specification, model, limit)?;
    verifier.admits(&specification.formula, true)?;
    if verifier.meanings.contains(&Meaning::Elsewhere) {
        return Ok(Outcome::Hangs(ELSEWHERE.into()));
    }
    match unknowns(&recording.sequence, &verifier.meanings).as_slice() {
        [] => verifier.outcome(),
        unknown => verifier.whatever(unknown),
    }
}

/// Whether the formula can be asked at all, told without a look at states.
pub fn admits(recording: &Recording, specification: &Specification, model: Option<Model>) -> Result<()> {
    Verifier::new(recording, specification, model, 0)?.admits(&specification.formula, true)
}

/// What the propositions of a formula mean, and behind them that some event has just happened.
pub fn meanings(sequence: &Sequence, specification: &Specification) -> Result<Vec<Meaning>> {
    let all = specification.propositions.iter().map(|proposition| meaning(sequence, proposition));
    all.collect()
}

pub(crate) struct Verifier<'r> {
    pub(crate) recording: &'r Recording,
    pub(crate) specification: &'r Specification,
    pub(crate) asked: Option<Model>,
    pub(crate) limit: usize,
    pub(crate) meanings: Vec<Meaning>,
    /// What counts as true where it is not known.
    pub(crate) assumed: Letter,
    /// The proposition that some event has just happened.
    pub(crate) event: u8,
}

impl<'r> Verifier<'r> {
    pub(crate) fn new(
        recording: &'r Recording,
        specification: &'r Specification,
        asked: Option<Model>,
        limit: usize,
    ) -> Result<Verifier<'r>> {
        let mut meanings = meanings(&recording.sequence, specification)?;
        for (proposition, _) in
            specification.propositions.iter().zip(&meanings).filter(|(_, meaning)| meaning.is_stateful())
        {
            if let Some(model @ (Model::Stateless | Model::PartialOrder)) = asked {
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
        Ok(Verifier { recording, specification, asked, limit, meanings, assumed: 0, event })
    }

    pub(crate) fn outcome(&self) -> Result<Outcome> {
        match self.top(&self.specification.formula) {
            Ok(answer) => Ok(Outcome::Answer(answer)),
            Err(Stop::TooMany(too_many)) => Ok(Outcome::TooMany(too_many)),
            Err(Stop::Complaint(complaint)) => Err(complaint),
        }
    }

    pub(crate) fn asks_for_values(&self, expr: &Expr) -> bool {
        expr.any(&|kind| matches!(kind, Kind::Proposition(p) if self.meanings[usize::from(*p)].is_stateful()))
    }

    /// The cheapest model on which a formula about states means what it says.
    fn model(&self, expr: &Expr) -> Model {
        self.asked.unwrap_or(if self.asks_for_values(expr) { Model::Stateful } else { Model::Stateless })
    }

    /// What speaks against a formula, the whole one or a part of it that no operator of time stands in front of.
    fn admits(&self, expr: &Expr, whole: bool) -> Result<()> {
        if whole && expr.is_linear() {
            return Ok(());
        }
        if whole && expr.any(&|kind| matches!(kind, Kind::Relation(..))) {
            self.events_at_the_start(expr)?;
        }
        if let Some((relation, span)) = relation_in_time(expr, false) {
            let complaint = Complaint::at(
                span,
                "a relation between events is about the whole execution, and no operator of time stands in front of it",
            );
            return Err(match relation {
                Relation::Parallel => complaint.note(PARALLEL),
                _ => complaint.note("it may be joined with other formulas by `! & | -> <->`"),
            });
        }
        match &expr.kind {
            Kind::Relation(relation, p, q) => self.sides(*relation, p, q).map(|_| ()),
            _ if self.is_branching(expr) || expr.is_linear() => Ok(()),
            Kind::Unary(Unary::Not, a) => self.admits(a, false),
            Kind::Binary(op, a, b) if !op.is_temporal() => self.admits(a, false).and(self.admits(b, false)),
            Kind::Path(_, body) if body.is_linear() => Ok(()),
            _ => match well_formed(expr) {
                Err(complaint) => Err(complaint),
                Ok(_) => Err(Complaint::at(expr.span, "this is neither LTL nor CTL")),
            },
        }
    }

    /// Whether it is a formula of CTL.
    pub(crate) fn is_branching(&self, expr: &Expr) -> bool {
        !expr.any(&|kind| matches!(kind, Kind::Relation(..))) && well_formed(expr).is_ok()
    }

    fn top(&self, expr: &Expr) -> Found<Answer> {
        if expr.is_linear() { self.linear(expr) } else { self.state(expr) }
    }

    /// What is true or false of the execution as a whole: formulas of CTL, `A` and `E` of formulas of LTL, relations, and what is
    /// made of them without operators of time.
    pub(crate) fn state(&self, expr: &Expr) -> Found<Answer> {
        if self.is_branching(expr) {
            return self.branching(expr);
        }
        match &expr.kind {
            Kind::Relation(relation, p, q) => self.relation(*relation, p, q),
            _ if self.is_mixed(expr) => self.mixed(expr),
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
            _ => unreachable!("`admits` has seen to that"),
        }
    }

    fn chains(&self) -> Chains {
        Chains::new(&self.recording.sequence, &self.recording.order, &self.meanings, self.assumed)
    }

    pub(crate) fn lattice(&self, model: Model) -> Lattice<'_> {
        let kind = if model == Model::Stateful { lattice::Kind::Stateful } else { lattice::Kind::Stateless };
        let Recording { sequence, versions, order } = self.recording;
        let budget = match self.is_hopeless() {
            true => Budget { states: self.limit.min(LOOK.states), ..LOOK },
            false => Budget { states: self.limit, bytes: MOST_BYTES },
        };
        Lattice::new(sequence, versions, order, kind, (&self.meanings, self.assumed), budget)
    }

    pub(crate) fn too_many(&self, model: Model, lattice: &Lattice<'_>) -> Stop {
        let (least, hopeless) = (self.recording.least_states(), self.is_hopeless());
        let Budget { states, bytes } = lattice.budget();
        let memory = lattice.is_out_of_memory().then_some(bytes);
        Stop::TooMany(TooMany { limit: self.limit, model, seen: lattice.size().min(states), memory, least, hopeless })
    }

    fn is_hopeless(&self) -> bool {
        self.is_beyond(self.limit as f64 * HOPELESS)
    }

    fn is_beyond(&self, limit: f64) -> bool {
        self.recording.least_states() > limit.log10()
    }

    /// LTL on all paths.
    pub(crate) fn linear(&self, expr: &Expr) -> Found<Answer> {
        let model = self.model(expr);
        let automaton = automaton_of_negation(expr).map_err(|error| Complaint::at(expr.span, error.to_string()))?;
        if model == Model::PartialOrder {
            let mut chains = self.chains();
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
        let Some(run) = run else { return Err(self.too_many(model, &lattice)) };
        let Some(run) = run else {
            // What was left out at the very end may break it.
            if full.get() {
                return Err(self.too_many(model, &lattice));
            }
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
    pub(crate) fn line(&self, steps: &[u32], mut letters: Vec<Letter>) -> Evidence {
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
    pub(crate) fn branching(&self, expr: &Expr) -> Found<Answer> {
        let model = self.model(expr);
        if model == Model::PartialOrder {
            let chains = self.chains();
            let graph = chains.explicit();
            let labelling = Labelling::new(&graph, expr);
            let against = graph.initial.iter().find(|&&start| !labelling.holds(start));
            let shows = against.or(graph.initial.first());
            let evidence = shows.map(|&start| labelling.path(start)).filter(|path| path.len() > 1).map(Evidence::Chain);
            return Ok(Answer { holds: against.is_none(), model, states: 0, evidence });
        }
        let mut lattice = self.lattice(model);
        // Labels are for all states: there is nothing to find near the start.
        if self.is_beyond(self.limit as f64) {
            return Err(self.too_many(model, &lattice));
        }
        let Some((graph, nodes)) = lattice.explicit() else { return Err(self.too_many(model, &lattice)) };
        let labelling = Labelling::new(&graph, expr);
        let path: Vec<lattice::Node> = labelling.path(0).iter().map(|&node| nodes[node as usize]).collect();
        let steps: Vec<u32> = path.windows(2).map(|pair| lattice.step_between(pair[0], pair[1])).collect();
        let letters: Vec<Letter> = path.iter().map(|&node| lattice.letter(node)).collect();
        let evidence = Some(self.line(&steps, letters)).filter(|_| path.len() > 1);
        Ok(Answer { holds: labelling.holds(0), model, states: lattice.size(), evidence })
    }
}

/// A relation under an operator of time.
fn relation_in_time(expr: &Expr, inside: bool) -> Option<(Relation, Span)> {
    let time = match &expr.kind {
        Kind::Relation(relation, ..) if inside => return Some((*relation, expr.span)),
        Kind::Unary(op, _) => *op != Unary::Not,
        Kind::Binary(op, ..) => op.is_temporal(),
        Kind::Path(..) => true,
        _ => false,
    };
    expr.parts().find_map(|part| relation_in_time(part, inside || time))
}
