//! Models for NuSMV, laid out as those of the thesis (chapter 5): a module for each process that counts its events, a main module that
//! says what may happen next, and what is known of the event that has just happened as definitions.
//!
//! What differs: `process` is gone from newer versions of NuSMV, so which process moves is a variable, `run`; it is -1 at the start, and
//! the number of processes once all is over. All of them then go to the imaginary last event together. Propositions are
//! definitions by the events for which they hold, so `a` cannot be taken for a name where a value is meant, as in the thesis.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use threadbare_core::Mode;
use threadbare_core::source::{Complaint, Result, Span};
use threadbare_logic::ctl::well_formed;
use threadbare_logic::name::quoted;
use threadbare_logic::{Binary, Expr, Kind, Proposition, Quantifier, Relation, Specification, Unary};

use crate::answer::Model;
use crate::proposition::{Comparison, Meaning, about_event, of_event};
use crate::recording::Recording;
use crate::sequence::{EventId, Part, Sequence, VariableId};
use crate::verify::meanings;

/// A formula with its name.
pub struct Spec<'s> {
    pub name: Option<&'s str>,
    pub specification: &'s Specification,
}

pub fn smv(recording: &Recording, model: Model, specs: &[Spec<'_>]) -> Result<String> {
    let mut writer = Writer { recording, model, text: String::new() };
    match model {
        Model::PartialOrder => writer.partial_order(),
        Model::Stateless | Model::Stateful => writer.states(),
    }
    for (number, spec) in specs.iter().enumerate() {
        writer.spec(number, spec)?;
    }
    Ok(writer.text)
}

struct Writer<'r> {
    recording: &'r Recording,
    model: Model,
    text: String,
}

/// `(a) | (b)`, or FALSE where there is none.
fn any(parts: &[String]) -> String {
    if parts.is_empty() { "FALSE".into() } else { parts.join(" | ") }
}

fn all(parts: &[String]) -> String {
    if parts.is_empty() { "TRUE".into() } else { parts.join(" & ") }
}

impl Writer<'_> {
    fn sequence(&self) -> &Sequence {
        &self.recording.sequence
    }

    fn add(&mut self, line: impl AsRef<str>) {
        // A name in a comment may have anything in it.
        let shown = |c: char| if c.is_control() && c != '\n' { '·' } else { c };
        self.text.extend(line.as_ref().chars().map(shown));
        self.text.push('\n');
    }

    /// A name that NuSMV takes. The number keeps those apart that look alike then.
    fn variable(&self, variable: VariableId) -> String {
        let name = self.sequence().variable_name(variable);
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let fits = name.chars().all(plain) && name.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_taken(name);
        if fits { name.into() } else { format!("v{variable}_{}", name.replace(|c| !plain(c), "_")) }
    }

    /// Where an event has just happened.
    fn just(&self, event: EventId) -> String {
        let at = self.sequence().event(event);
        match self.model {
            Model::PartialOrder => format!("eid = {event}"),
            _ => format!("(run = {p} & p{p}.evnt = {})", at.index, p = at.process),
        }
    }

    fn states(&mut self) {
        let count = self.sequence().processes.len();
        let stateful = self.model == Model::Stateful;
        self.add(format!(
            "-- {} states of a SYN-sequence, written by threadbare",
            if stateful { "stateful" } else { "stateless" }
        ));
        for process in 0..count {
            let (events, name) =
                (self.sequence().processes[process].events, quoted(&self.sequence().processes[process].name));
            self.add(format!("\nMODULE seq{process}(run)  -- {name}"));
            self.add(format!("  VAR\n    evnt : -1..{events};"));
            self.add("  ASSIGN\n    init(evnt) := -1;\n    next(evnt) :=\n      case");
            if events > 0 {
                self.add(format!("        next(run) = {process} & evnt < {} : evnt + 1;", events - 1));
            }
            self.add(format!("        next(run) = {count} : {events};\n        TRUE : evnt;\n      esac;"));
        }
        self.add("\nMODULE main");
        self.constants();
        self.add("  VAR");
        self.add(format!("    run : -1..{count};"));
        for process in 0..count {
            self.add(format!("    p{process} : seq{process}(run);"));
        }
        let named = 0..if stateful { self.sequence().variables.len() as VariableId } else { 0 };
        // NuSMV takes a variable of one value for a constant, and refuses to assign to it.
        let (variables, constants): (Vec<VariableId>, Vec<VariableId>) =
            named.clone().partition(|&variable| self.recording.versions.count(variable) > 1);
        for &variable in &variables {
            let (name, newest) = (self.variable(variable), self.recording.versions.count(variable) - 1);
            self.add(format!("    {name}Ver : 0..{newest};"));
        }
        self.add("  ASSIGN\n    init(run) := -1;");
        for &variable in &variables {
            self.version(variable);
        }
        self.add("  DEFINE");
        for &variable in &constants {
            let name = self.variable(variable);
            self.add(format!("    {name}Ver := 0;"));
        }
        for variable in named {
            self.values(variable);
        }
        for process in 0..count {
            let can = self.can(process as u32);
            self.add(format!("    can{process} :=\n      case\n{can}        TRUE : FALSE;\n      esac;"));
        }
        let ends: Vec<String> = (0..count)
            .map(|p| format!("p{p}.evnt >= {}", i64::from(self.sequence().processes[p].events) - 1))
            .collect();
        self.add(format!("    over := {};", all(&ends)));
        self.event_parts();
        let mut moves: Vec<String> = (0..count).map(|p| format!("(next(run) = {p} -> can{p})")).collect();
        moves.push("next(run) != -1".into());
        moves.push(format!("(next(run) = {count} <-> over)"));
        self.add(format!("  TRANS\n    {}", moves.join("\n  & ")));
    }

    /// The next event of a process, and when it can happen.
    fn can(&self, process: u32) -> String {
        let sequence = self.sequence();
        let own = &sequence.processes[process as usize];
        let done =
            |event: EventId| format!("p{}.evnt >= {}", sequence.event(event).process, sequence.event(event).index);
        let mut text = String::new();
        for index in 0..own.events {
            let event = own.first + index;
            let mut needs: Vec<String> = Vec::new();
            if self.model == Model::Stateless {
                let others = self.recording.order.before(event).iter();
                needs.extend(
                    others.filter(|&&other| sequence.event(other).process != process).map(|&other| done(other)),
                );
            }
            for access in sequence.event(event).accesses.iter().filter(|_| self.model == Model::Stateful) {
                let name = self.variable(access.variable);
                if access.mode == Mode::Read {
                    needs.push(format!("{name}Ver = {}", access.version));
                } else {
                    needs.push(format!("{name}Ver = {}", access.version - 1));
                    let readers = &self.recording.versions.readers
                        [self.recording.versions.place(access.variable, access.version - 1)];
                    let last = readers.chunk_by(|&a, &b| sequence.event(a).process == sequence.event(b).process);
                    let last =
                        last.map(|own| own[own.len() - 1]).filter(|&other| sequence.event(other).process != process);
                    needs.extend(last.map(done));
                }
            }
            let _ = writeln!(text, "        p{process}.evnt = {} : {};", i64::from(index) - 1, all(&needs));
        }
        text
    }

    fn version(&mut self, variable: VariableId) {
        let name = self.variable(variable);
        self.add(format!("    init({name}Ver) := 0;\n    next({name}Ver) :=\n      case"));
        for version in 1..self.recording.versions.count(variable) {
            let Some(event) = self.recording.versions.writers[self.recording.versions.place(variable, version)] else {
                continue;
            };
            let at = self.sequence().event(event);
            let (process, before) = (at.process, i64::from(at.index) - 1);
            self.add(format!("        next(run) = {process} & p{process}.evnt = {before} : {version};"));
        }
        self.add(format!("        TRUE : {name}Ver;\n      esac;"));
    }

    fn values(&mut self, variable: VariableId) {
        let values = self.sequence().variables[variable as usize].values.clone();
        if values.is_empty() || values.contains(&None) {
            return;
        }
        let name = self.variable(variable);
        self.add(format!("    {name}Val :=\n      case"));
        for (version, value) in values.iter().enumerate() {
            let when = if version + 1 == values.len() { "TRUE".into() } else { format!("{name}Ver = {version}") };
            self.add(format!("        {when} : {};", value.unwrap_or(0)));
        }
        self.add("      esac;");
    }

    fn op_name(&self, part: Part) -> String {
        format!("op_{}", part.op.name())
    }

    fn object_name(&self, part: Part) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        format!("o{}_{}", part.object, self.sequence().names[part.object as usize].replace(|c| !plain(c), "_"))
    }

    /// The names that `op` and `vid` may be.
    fn constants(&mut self) {
        let parts = || self.sequence().events.iter().map(|event| event.parts[0]);
        let names: BTreeSet<String> =
            parts().flat_map(|part| [self.op_name(part), self.object_name(part)]).chain(["none".into()]).collect();
        self.add(format!("  CONSTANTS {};", names.into_iter().collect::<Vec<_>>().join(", ")));
    }

    /// What is known of the event that has just happened, for formulas that people add.
    fn event_parts(&mut self) {
        for name in ["op", "vid", "ver"] {
            self.add(format!("    {name} :=\n      case"));
            for event in 0..self.sequence().events.len() as EventId {
                let part = self.sequence().event(event).parts[0];
                let value = match name {
                    "op" => self.op_name(part),
                    "vid" => self.object_name(part),
                    _ => part.version.to_string(),
                };
                self.add(format!("        {} : {value};", self.just(event)));
            }
            self.add(format!("        TRUE : {};\n      esac;", if name == "ver" { "-1" } else { "none" }));
        }
    }

    fn partial_order(&mut self) {
        self.add("-- the partial order of a SYN-sequence, written by threadbare\n\nMODULE main");
        self.constants();
        let events = self.sequence().events.len();
        if events == 1 {
            self.add("  DEFINE\n    eid := 0;");
            return self.event_parts();
        }
        self.add(format!("  VAR\n    eid : 0..{};", events - 1));
        let list = |events: &[EventId]| events.iter().map(EventId::to_string).collect::<Vec<_>>().join(", ");
        let firsts: Vec<EventId> =
            (0..events as EventId).filter(|&event| self.recording.order.before(event).is_empty()).collect();
        self.add(format!("  ASSIGN\n    init(eid) := {{{}}};\n    next(eid) :=\n      case", list(&firsts)));
        for (event, behind) in self.recording.order.behind().into_iter().enumerate() {
            let behind = if behind.is_empty() { vec![event as EventId] } else { behind };
            self.add(format!(
                "        eid = {event} : {{{}}};  -- {}",
                list(&behind),
                self.sequence().called(event as EventId)
            ));
        }
        self.add("        TRUE : eid;\n      esac;\n  DEFINE");
        self.event_parts();
    }

    fn spec(&mut self, number: usize, spec: &Spec<'_>) -> Result<()> {
        let Specification { formula, propositions } = spec.specification;
        let meanings = meanings(self.sequence(), spec.specification)?;
        let shown = format!("{:#}", formula.display(propositions));
        self.add(format!("\n-- {}{shown}", spec.name.map_or(String::new(), |name| format!("{name}: "))));
        if !propositions.is_empty() {
            self.add("  DEFINE");
        }
        let has_relation = find_relation(formula, &|_| true).is_some();
        if let Some(proposition) = self.hangs(propositions, &meanings) {
            return Err(Complaint::at(
                proposition.span,
                format!("`{proposition}` asks for a value that is not known, and NuSMV would have to know it"),
            )
            .note("`threadbare syn check` tells whether it matters"));
        }
        for (bit, (proposition, meaning)) in propositions.iter().zip(&meanings).enumerate() {
            if meaning.is_stateful() && self.model != Model::Stateful {
                return Err(Complaint::at(
                    proposition.span,
                    format!("`{proposition}` asks for what a variable is in a state"),
                )
                .note("`--model stateful` has values"));
            }
            let when = self.meaning(meaning);
            self.add(format!("    f{number}_{bit} := {when};  -- {proposition}"));
            if has_relation && matches!(meaning, Meaning::Counter { .. }) {
                let when = self.meaning(&about_event(meaning));
                self.add(format!("    f{number}_{bit}e := {when};  -- the event {proposition}"));
            }
        }
        let processes = self.sequence().processes.len();
        let words = Words { number, meanings: &meanings, processes, on_events: false };
        let (kind, text) = self.formula(&words, formula)?;
        self.add(format!("  {kind} {text};"));
        Ok(())
    }

    /// The first proposition that asks for a value that is not known.
    fn hangs<'p>(&self, propositions: &'p [Proposition], meanings: &[Meaning]) -> Option<&'p Proposition> {
        let events = || 0..self.sequence().events.len() as EventId;
        let is_unknown = |meaning: &Meaning| match meaning {
            Meaning::Value { variable, .. } => self.sequence().variables[*variable as usize].values.contains(&None),
            meaning => events().any(|event| of_event(meaning, self.sequence(), event).is_none()),
        };
        propositions.iter().zip(meanings).find(|(_, meaning)| is_unknown(meaning)).map(|(proposition, _)| proposition)
    }

    fn meaning(&self, meaning: &Meaning) -> String {
        let sign = |comparison: &Comparison| comparison.symbol();
        match meaning {
            Meaning::Value { variable, comparison, number } => {
                format!("{}Val {} {number}", self.variable(*variable), sign(comparison))
            }
            Meaning::Version { variable, comparison, number } => {
                format!("{}Ver {} {number}", self.variable(*variable), sign(comparison))
            }
            Meaning::Counter { process, comparison, number } if self.model != Model::PartialOrder => {
                format!("p{process}.evnt {} {number}", sign(comparison))
            }
            _ => {
                let events = 0..self.sequence().events.len() as EventId;
                any(&events
                    .filter(|&event| of_event(meaning, self.sequence(), event) == Some(true))
                    .map(|event| self.just(event))
                    .collect::<Vec<_>>())
            }
        }
    }

    fn formula(&self, words: &Words<'_>, expr: &Expr) -> Result<(&'static str, String)> {
        if expr.is_linear() {
            return Ok(("LTLSPEC", words.of(expr)));
        }
        if let Kind::Relation(relation, p, q) = &expr.kind {
            self.has_states(expr)?;
            return Ok(words.relation(*relation, p, q));
        }
        // `A` around a formula of LTL says nothing more.
        if let Kind::Path(Quantifier::All, body) = &expr.kind
            && body.is_linear()
            && well_formed(expr).is_err()
        {
            return Ok(("LTLSPEC", words.of(body)));
        }
        if let Some(relation) = find_relation(expr, &|_| true) {
            self.has_states(relation)?;
        }
        if let Some(directly) = find_relation(expr, &|relation| relation == Relation::Directly) {
            return Err(Complaint::at(
                directly.span,
                "`~>` can be said to NuSMV by itself only: it is LTL, and no CTL",
            ));
        }
        if let Some(path) = find_path(expr) {
            let sign = path.0.symbol();
            let message =
                format!("`{sign}[…]` around a formula of LTL cannot be said to NuSMV, which takes LTL or CTL");
            return Err(Complaint::at(path.1, message).note("`threadbare syn check` takes it"));
        }
        well_formed(&without_relations(expr)).map_err(|complaint| {
            complaint.note("NuSMV takes LTL or CTL, not both in one formula; `threadbare syn check` does")
        })?;
        Ok(("CTLSPEC", words.of(expr)))
    }

    fn has_states(&self, relation: &Expr) -> Result<()> {
        if self.model != Model::PartialOrder {
            return Ok(());
        }
        Err(Complaint::at(relation.span, "a relation is answered from the graph itself, not by a model of it")
            .note("`threadbare syn check` does, or `--model stateless`"))
    }
}

/// Words that mean something in these models, or to NuSMV.
fn is_taken(name: &str) -> bool {
    const TAKEN: &[&str] = &[
        "run", "over", "op", "vid", "ver", "none", "eid", "main", "case", "esac", "init", "next", "A", "E", "F", "G",
        "H", "O", "S", "T", "U", "V", "X", "Y", "Z", "EX", "EF", "EG", "AX", "AF", "AG", "mod", "union", "in", "xor",
        "self", "process", "array", "boolean", "word",
    ];
    let generated =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    TAKEN.contains(&name) || ["p", "seq", "can", "f", "v", "o"].iter().any(|prefix| generated(prefix))
}

/// The first relation of that kind.
fn find_relation<'e>(expr: &'e Expr, is_so: &dyn Fn(Relation) -> bool) -> Option<&'e Expr> {
    match &expr.kind {
        Kind::Relation(relation, ..) if is_so(*relation) => Some(expr),
        _ => expr.parts().find_map(|part| find_relation(part, is_so)),
    }
}

/// The first `A[…]` or `E[…]` that is no operator of CTL, though what stands in it is LTL.
fn find_path(expr: &Expr) -> Option<(Quantifier, Span)> {
    match &expr.kind {
        Kind::Path(quantifier, body) if body.is_linear() && well_formed(expr).is_err() => {
            Some((*quantifier, expr.span))
        }
        Kind::Path(..) => None,
        _ => expr.parts().find_map(find_path),
    }
}

/// With constants in the place of relations, which are true or false of the whole.
fn without_relations(expr: &Expr) -> Expr {
    let of = |a: &Expr| Box::new(without_relations(a));
    let kind = match &expr.kind {
        Kind::Relation(..) => Kind::Constant(true),
        Kind::Unary(op, a) => Kind::Unary(*op, of(a)),
        Kind::Binary(op, a, b) => Kind::Binary(*op, of(a), of(b)),
        Kind::Path(quantifier, a) => Kind::Path(*quantifier, of(a)),
        other => other.clone(),
    };
    Expr { span: expr.span, kind }
}

/// A formula in NuSMV's words, all in parentheses.
struct Words<'w> {
    /// Of the formula.
    number: usize,
    meanings: &'w [Meaning],
    processes: usize,
    /// How far a process is, says here which event it is.
    on_events: bool,
}

impl Words<'_> {
    fn of(&self, expr: &Expr) -> String {
        let number = self.number;
        match &expr.kind {
            Kind::Constant(value) => if *value { "TRUE" } else { "FALSE" }.into(),
            Kind::Proposition(p) => {
                let counts = matches!(self.meanings.get(usize::from(*p)), Some(Meaning::Counter { .. }));
                format!("f{number}_{p}{}", if self.on_events && counts { "e" } else { "" })
            }
            Kind::Unary(op, a) => format!("{} ({})", op.symbol(), self.of(a)),
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                match op {
                    Binary::And => format!("(({a}) & ({b}))"),
                    Binary::Or => format!("(({a}) | ({b}))"),
                    Binary::Implies => format!("(({a}) -> ({b}))"),
                    Binary::Iff => format!("(({a}) <-> ({b}))"),
                    Binary::Until => format!("(({a}) U ({b}))"),
                    Binary::Release => format!("(({a}) V ({b}))"),
                    Binary::WeakUntil => format!("(({b}) V (({a}) | ({b})))"),
                }
            }
            Kind::Path(quantifier, body) => {
                let (own, other) = if *quantifier == Quantifier::All { ("A", "E") } else { ("E", "A") };
                match &body.kind {
                    Kind::Unary(op, a) if *op != Unary::Not => format!("{own}{} ({})", op.symbol(), self.of(a)),
                    Kind::Binary(Binary::Until, a, b) => format!("{own} [({}) U ({})]", self.of(a), self.of(b)),
                    // NuSMV has no release in CTL.
                    Kind::Binary(Binary::Release, a, b) => {
                        format!("!({other} [(!({})) U (!({}))])", self.of(a), self.of(b))
                    }
                    Kind::Binary(Binary::WeakUntil, a, b) => {
                        let (a, b) = (self.of(a), self.of(b));
                        format!("!({other} [(!({b})) U (!(({a}) | ({b})))])")
                    }
                    _ => self.of(body),
                }
            }
            // Among others each is CTL: some path has them the wrong way round if some state has the one, and some state behind it the other.
            Kind::Relation(Relation::Before, p, q) => {
                let (p, q) = self.sides(p, q);
                format!("(AF {p} & AF {q} & !EF ({q} & EF {p}))")
            }
            Kind::Relation(relation, p, q) => format!("({})", self.relation(*relation, p, q).1),
        }
    }

    /// Both sides of a relation, each where an event has just happened.
    fn sides(&self, p: &Expr, q: &Expr) -> (String, String) {
        let words = Words { on_events: true, ..*self };
        let on_event = |expr: &Expr| format!("(({}) & run >= 0 & run < {})", words.of(expr), self.processes);
        (on_event(p), on_event(q))
    }

    /// A relation by itself, as `verify` has it.
    fn relation(&self, relation: Relation, p: &Expr, q: &Expr) -> (&'static str, String) {
        let (p, q) = self.sides(p, q);
        match relation {
            Relation::Before => ("LTLSPEC", format!("F {p} & F {q} & G !({q} & F {p})")),
            Relation::Directly => ("LTLSPEC", format!("F ({p} & X {q})")),
            Relation::MayDirectly => ("CTLSPEC", format!("EF ({p} & EX {q})")),
            Relation::Parallel => {
                let others = |i: usize| (0..self.processes).filter(move |&j| j != i).map(move |j| (i, j));
                let pairs = (0..self.processes).flat_map(others);
                let pairs = pairs.map(|(i, j)| format!("EF (EX (run = {i} & {p}) & EX (run = {j} & {q}))"));
                ("CTLSPEC", any(&pairs.collect::<Vec<_>>()))
            }
        }
    }
}
