//! `threadbare syn check`: formulas on a recorded execution.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::ValueEnum;
use serde_json::json;
use threadbare_core::source::Source;
use threadbare_logic::{Stated, parse_sequence_file};
use threadbare_report::{Ink, count, grouped, lanes, wrap};
use threadbare_syn::remark::{of_locks, remarks};
use threadbare_syn::smv::{Spec, smv};
use threadbare_syn::story::{SHORT, story};
use threadbare_syn::verify::meanings;
use threadbare_syn::{Answer, EventId, Evidence, Model, Outcome, Recording, TooMany, admits, verify};

use crate::arguments::Format;
use crate::ltl::formulas::refused;
use crate::screen;
use crate::syn::graph::{Drawing, write_pictures};
use crate::syn::{AskedModel, keep_inputs, nusmv, read_file, recording};
use crate::told::Refused;

#[derive(clap::Args, Clone, Debug)]
pub struct CheckSyn {
    /// A SYN-sequence, or a log in CSV; `-` is the standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// A formula: LTL holds on every linearisation; CTL and relations between events are told by what is in it. More than one
    /// may be given
    #[arg(long, visible_alias = "ctl", value_name = "FORMULA")]
    pub ltl: Vec<String>,

    /// A file of formulas, `name: formula`, and of definitions, `define name = formula`
    #[arg(long, value_name = "FILE")]
    pub spec: Vec<PathBuf>,

    /// What formulas are checked on
    #[arg(long, value_name = "MODEL", default_value = "auto")]
    pub model: AskedModel,

    /// Who checks: Threadbare itself, or NuSMV (or nuXmv) if it is on the PATH
    #[arg(long, value_name = "WHO", default_value = "own")]
    pub backend: Backend,

    /// Give up when there are more states
    #[arg(long, value_name = "N", default_value_t = 10_000_000, allow_negative_numbers = true)]
    pub state_limit: usize,

    /// Show every step of a long linearisation
    #[arg(long)]
    pub full: bool,

    /// Draw the partial order for Graphviz, with the linearisation that shows the first answer
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,

    /// The same as a picture
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// How to say it
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// Threadbare
    Own,
    /// NuSMV or nuXmv
    Nusmv,
}

/// A formula, and the text that it stands in.
pub struct Asked {
    pub stated: Stated,
    pub source: Source,
}

/// How errors call what stands on the command line.
pub const OPTION: &str = "--ltl";

/// The formulas of an option of the command line and of files.
pub fn asked(option: &str, formulas: &[String], files: &[PathBuf]) -> Result<Vec<Asked>, Refused> {
    let mut all = Vec::new();
    let texts = formulas.iter().map(|text| Ok::<_, Refused>(Source::new(option, text.clone())));
    let files = files.iter().map(|file| Ok(Source::new(file.display().to_string(), read_file(file)?)));
    for source in texts.chain(files) {
        let source = source?;
        let list = parse_sequence_file(&source).map_err(|complaint| refused(&source, *complaint))?;
        all.extend(list.into_iter().map(|stated| Asked { stated, source: source.clone() }));
    }
    Ok(all)
}

/// The model that was asked for, or one for all of these formulas.
pub fn model_for(asked_model: AskedModel, recording: &Recording, all: &[Asked]) -> Result<Model, Refused> {
    let mut values = false;
    for one in all {
        let meanings = meanings(&recording.sequence, &one.stated.specification);
        let meanings = meanings.map_err(|complaint| refused(&one.source, *complaint))?;
        values |= meanings.iter().any(|meaning| meaning.is_stateful());
    }
    Ok(asked_model.named().unwrap_or(if values { Model::Stateful } else { Model::Stateless }))
}

pub fn check(plan: &CheckSyn) -> Result<ExitCode, Refused> {
    keep_inputs(plan.spec.iter().chain([&plan.file]), &[plan.dot.as_ref(), plan.svg.as_ref()])?;
    let asked = asked(OPTION, &plan.ltl, &plan.spec)?;
    let recording = recording(&plan.file)?;
    let other = if plan.backend == Backend::Nusmv { Some(nusmv::find()?) } else { None };
    // Nobody wants answers and then an error.
    for one in &asked {
        let specification = &one.stated.specification;
        let admitted = match &other {
            Some(_) => {
                let model = model_for(plan.model, &recording, std::slice::from_ref(one))?;
                smv(&recording, model, &[Spec { name: None, specification }]).map(|_| ())
            }
            None => admits(&recording, specification, plan.model.named()),
        };
        admitted.map_err(|complaint| refused(&one.source, *complaint))?;
    }
    let mut told = Told { plan, recording: &recording, formulas: Vec::new(), drawn: None, worst: 0 };
    let general = general(&recording, asked.is_empty());
    if plan.format == Format::Human {
        let about = if asked.is_empty() { format!("{}\n", summary(&recording)) } else { String::new() };
        let remarks: String = general.iter().map(|remark| indented(remark)).collect();
        screen::print(&screen::style(false).plain(&(about + &remarks)));
    }
    for one in &asked {
        let start = Instant::now();
        let specification = &one.stated.specification;
        let outcome = match &other {
            Some(program) => {
                let model = model_for(plan.model, &recording, std::slice::from_ref(one))?;
                Outcome::Answer(nusmv::ask(program, &recording, one, model)?)
            }
            None => verify(&recording, specification, plan.model.named(), plan.state_limit)
                .map_err(|complaint| refused(&one.source, *complaint))?,
        };
        told.tell(one, &outcome, start.elapsed().as_secs_f64());
    }
    let code = told.worst;
    if plan.format == Format::Json {
        let verdict = match code {
            0 if asked.is_empty() => "consistent",
            0 => "proved",
            1 => "violated",
            _ => "unknown",
        };
        let text = json!({"version": threadbare_report::JSON_VERSION, "verdict": verdict, "error": null,
            "events": recording.sequence.events.len(), "remarks": general, "formulas": told.formulas});
        screen::print(&format!("{text}\n"));
    }
    let drawing = Drawing { line: told.drawn.as_deref() };
    write_pictures(&recording, &drawing, plan.dot.as_deref(), plan.svg.as_deref())?;
    Ok(ExitCode::from(code))
}

/// What is worth a word of the sequence itself.
fn general(recording: &Recording, is_all: bool) -> Vec<String> {
    let beginning = recording
        .sequence
        .error
        .as_ref()
        .map(|error| format!("the sequence is only the beginning of an execution, which ended so: {error}"));
    let locks = if is_all { of_locks(&recording.sequence) } else { Vec::new() };
    beginning.into_iter().chain(locks).collect()
}

fn summary(recording: &Recording) -> String {
    let processes = recording.sequence.processes.len();
    format!(
        "consistent: {} of {}, {}, at most {} states",
        count(recording.sequence.events.len(), "event"),
        if processes == 1 { "1 process".into() } else { format!("{} processes", grouped(processes as u64)) },
        count(recording.order.edges().count(), "edge"),
        size(recording.most_states())
    )
}

/// In lines of the answer.
fn indented(words: &str) -> String {
    let room = screen::style(false).width.min(100).saturating_sub(2);
    wrap(words, room).into_iter().map(|line| format!("  {line}\n")).collect()
}

/// A number by its logarithm: exact where it is small.
fn size(power: f64) -> String {
    if power < 9.0 { grouped(10f64.powf(power).round() as u64) } else { format!("10^{power:.0}") }
}

struct Told<'p> {
    plan: &'p CheckSyn,
    recording: &'p Recording,
    formulas: Vec<serde_json::Value>,
    /// The line of the first answer that has one; one that breaks a formula comes first.
    drawn: Option<Vec<EventId>>,
    worst: u8,
}

impl Told<'_> {
    fn tell(&mut self, asked: &Asked, outcome: &Outcome, seconds: f64) {
        let code = match outcome {
            Outcome::Answer(answer) if answer.holds => 0,
            Outcome::Answer(_) => 1,
            Outcome::TooMany(_) | Outcome::Hangs(_) => 4,
        };
        // A formula that does not hold is certain, whatever else is not known.
        self.worst = if self.worst == 1 || code == 1 { 1 } else { self.worst.max(code) };
        if let Outcome::Answer(Answer {
            evidence: Some(Evidence::Line { events, .. } | Evidence::Pair { events, .. } | Evidence::Chain(events)),
            ..
        }) = outcome
            && (self.drawn.is_none() || code == 1)
        {
            self.drawn = Some(events.clone());
        }
        match self.plan.format {
            Format::Human => screen::print(&self.words(asked, outcome, seconds)),
            Format::Json => {
                let value = self.json(asked, outcome, seconds);
                self.formulas.push(value);
            }
        }
    }

    fn formula(asked: &Asked) -> String {
        let specification = &asked.stated.specification;
        format!("{:#}", specification.formula.display(&specification.propositions))
    }

    /// What the formula speaks of, and there is not.
    fn remarks(&self, asked: &Asked, outcome: &Outcome) -> Vec<String> {
        let is_answered = matches!(outcome, Outcome::Answer(_));
        remarks(&self.recording.sequence, &asked.stated.specification, self.plan.model.named(), is_answered)
    }

    fn words(&self, asked: &Asked, outcome: &Outcome, seconds: f64) -> String {
        let style = screen::style(self.plan.full);
        let name = asked.stated.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
        let formula = format!("{name}{}", Self::formula(asked));
        let answer = match outcome {
            Outcome::TooMany(_) | Outcome::Hangs(_) => {
                let heading = style.paint(Ink::Warn, "unknown");
                let remarks: String = self.remarks(asked, outcome).iter().map(|remark| indented(remark)).collect();
                return style.plain(&format!("{heading}  {formula}\n{}{remarks}", self.unknown(outcome)));
            }
            Outcome::Answer(answer) => answer,
        };
        let heading =
            if answer.holds { style.paint(Ink::Good, "holds") } else { style.paint(Ink::Bad, "does not hold") };
        let how = match answer.states {
            0 => format!("{} model", answer.model.name()),
            states => format!("{} model, {}", answer.model.name(), count(states, "state")),
        };
        let mut text =
            format!("{heading}  {formula}  {}\n", style.paint(Ink::Dim, &format!("({how}, {seconds:.3} s)")));
        for remark in self.remarks(asked, outcome) {
            // The answer may be just that.
            if !matches!(&answer.evidence, Some(Evidence::Words(words)) if *words == remark.replace('`', "")) {
                text += &indented(&remark);
            }
        }
        match &answer.evidence {
            Some(Evidence::Words(words)) => _ = writeln!(text, "  {words}"),
            Some(Evidence::Chain(events)) => {
                let names: Vec<String> = events.iter().map(|&event| self.recording.sequence.called(event)).collect();
                _ = writeln!(text, "  the chain {}", names.join(" → "));
            }
            Some(Evidence::Pair { first, second, stand, events }) => {
                let sequence = &self.recording.sequence;
                let words = stand.words(&sequence.called(*first), &sequence.called(*second));
                let is_shown = events.len() <= SHORT || self.plan.full;
                let end = match is_shown {
                    true => ", as in this linearisation:".to_string(),
                    false => {
                        format!(" in a linearisation; --full shows all its {} events", grouped(events.len() as u64))
                    }
                };
                let _ = writeln!(text, "  {words}{end}");
                if is_shown {
                    text += &lanes(&story(sequence, events, None), &screen::sources(), &screen::style(true));
                }
            }
            Some(Evidence::Line { events, letters }) => {
                let specification = &asked.stated.specification;
                let meanings = meanings(&self.recording.sequence, specification).unwrap_or_default();
                let whole = events.len() == self.recording.sequence.events.len() && letters.len() == events.len() + 1;
                let breaks = whole.then_some((specification, meanings.as_slice(), letters.as_slice()));
                let story = story(&self.recording.sequence, events, breaks);
                let mut style = screen::style(self.plan.full);
                style.full |= events.len() <= SHORT;
                if let (false, false, Some(&last)) = (whole, style.full, events.last()) {
                    let (last, all) = (self.recording.sequence.called(last), count(events.len(), "event"));
                    let _ = writeln!(text, "  {last} is the last of {all} that show it; --full shows them all");
                    return style.plain(&text);
                }
                let _ =
                    writeln!(text, "  {}", if answer.holds { "as this shows:" } else { "as in this linearisation:" });
                text += &lanes(&story, &screen::sources(), &style);
            }
            None => {}
        }
        style.plain(&text)
    }

    /// Why there is no answer.
    fn reason(&self, outcome: &Outcome) -> Option<String> {
        match outcome {
            Outcome::Answer(_) => None,
            Outcome::TooMany(too_many) => Some(self.too_many(too_many)),
            Outcome::Hangs(words) => Some(words.clone()),
        }
    }

    fn too_many(&self, too_many: &TooMany) -> String {
        let most = self.recording.most_states();
        let model = too_many.model.name();
        let enough = match too_many.least > (too_many.limit as f64).log10() {
            true => format!("at least {}", size(too_many.least)),
            false => format!("more than {}", grouped(too_many.limit.min(too_many.seen) as u64)),
        };
        let size = match most - too_many.least < 0.01 {
            true => format!("there are {} states in the {model} model", size(most)),
            false => format!("there are {enough} states in the {model} model, and at most {}", size(most)),
        };
        let looked = match too_many.seen {
            0 | 1 => String::new(),
            seen => {
                let memory =
                    too_many.memory.map(|bytes| format!(", which took up {} MiB", grouped(bytes as u64 >> 20)));
                format!("; {} of them were looked at{}", grouped(seen as u64), memory.unwrap_or_default())
            }
        };
        format!("{size}{looked}")
    }

    /// The same, with what to do about it.
    fn unknown(&self, outcome: &Outcome) -> String {
        let reason = indented(&self.reason(outcome).unwrap_or_default());
        let Outcome::TooMany(TooMany { limit, memory, hopeless, .. }) = outcome else { return reason };
        // Nobody has so much time and memory.
        let limit = match memory.is_some() || *hopeless {
            true => String::new(),
            false => format!("; --state-limit (now {}) allows more", grouped(*limit as u64)),
        };
        let advice = "relations between events (`p < q`, `p || q`) need no states, and `--model partial-order` has one for each event, but \
                      asks about chains";
        reason + &indented(&format!("{advice}{limit}"))
    }

    fn json(&self, asked: &Asked, outcome: &Outcome, seconds: f64) -> serde_json::Value {
        let (holds, model, states, evidence) = match outcome {
            Outcome::Answer(answer) => {
                (Some(answer.holds), Some(answer.model), answer.states, answer.evidence.as_ref())
            }
            Outcome::TooMany(too_many) => (None, Some(too_many.model), too_many.seen, None),
            Outcome::Hangs(_) => (None, None, 0, None),
        };
        let sequence = &self.recording.sequence;
        let events = evidence.and_then(|evidence| match evidence {
            Evidence::Line { events, .. } | Evidence::Pair { events, .. } | Evidence::Chain(events) => {
                let event =
                    |&id: &EventId| json!([sequence.event(id).process, sequence.event(id).index, sequence.words(id)]);
                Some(events.iter().map(event).collect::<Vec<_>>())
            }
            Evidence::Words(_) => None,
        });
        json!({"name": asked.stated.name, "formula": Self::formula(asked), "holds": holds, "model": model.map(Model::name),
            "states": states, "seconds": seconds, "events": events, "reason": self.reason(outcome),
            "remarks": self.remarks(asked, outcome)})
    }
}
