//! Formulas of the command line and of files, and what their propositions mean on a program.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use threadbare_core::source::{Complaint, Source, Span};
use threadbare_core::{Place, ThreadName};
use threadbare_logic::{Expr, Form, Kind, Proposition, Specification, parse, parse_file};
use threadbare_vm::{PROGRESS, column_in_proposition, proposition_of};

use crate::arguments::CheckPlan;
use crate::report;
use crate::told::{Inside, Refused};

/// A formula as it was given. Traces keep it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Written {
    /// Those of files have names.
    pub name: Option<String>,
    pub text: String,
    /// It says what no livelock is, and stands nowhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub livelock: bool,
    /// The file that it stands in, and where there.
    #[serde(skip)]
    pub place: Option<(PathBuf, usize)>,
}

impl Written {
    /// The text that it is a part of, and where it begins there.
    fn source(&self) -> (Source, usize) {
        match &self.place {
            Some((file, from)) => {
                let text = std::fs::read_to_string(file).unwrap_or_default();
                (Source::new(file.display().to_string(), text), *from)
            }
            None => (Source::new("--ltl", self.text.clone()), 0),
        }
    }
}

/// All that was asked for, each formula by itself; an error stands where it is.
pub fn written(plan: &CheckPlan) -> Result<Vec<Written>, Refused> {
    let mut all: Vec<Written> = Vec::new();
    for text in &plan.ltl {
        let source = Source::new("--ltl", text.clone());
        parse(&source).map_err(|complaint| refused(&source, *complaint))?;
        all.push(Written { name: None, text: text.clone(), livelock: false, place: None });
    }
    for file in &plan.ltl_files {
        let cannot = |error| format!("cannot read {}: {}", file.display(), report::why(&error));
        let source = Source::new(file.display().to_string(), std::fs::read_to_string(file).map_err(cannot)?);
        for named in parse_file(&source).map_err(|complaint| refused(&source, *complaint))? {
            if all.iter().any(|known| known.name.as_ref() == Some(&named.name)) {
                let again = Complaint::at(named.name_span, format!("there is a formula `{}` already", named.name));
                return Err(refused(&source, *again));
            }
            let span = named.specification.formula.span;
            let text = source.words(span).to_string();
            let place = Some((file.clone(), span.from as usize));
            all.push(Written { name: Some(named.name), text, livelock: false, place });
        }
    }
    if plan.livelock {
        all.push(Written { name: None, text: format!("G F ({PROGRESS} || {HALTED})"), livelock: true, place: None });
    }
    Ok(all)
}

pub fn refused(source: &Source, complaint: Complaint) -> Refused {
    let place = complaint.span.map(|span| {
        let at = source.at(span);
        Place { file: source.file.clone(), line: at.line, column: at.column, function: String::new() }
    });
    let message = match place {
        Some(_) => complaint.message,
        None => format!("{}: {}", source.file, complaint.message),
    };
    Refused { message, place, notes: complaint.notes, code: 2, inside: Some(Box::new(Inside::Text(source.clone()))) }
}

/// Words that no program has: somebody stands at `tb_progress()`, and nobody can move.
const HALTED: &str = "tb_halted";

/// What makes a proposition true in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// The machine knows, by this number among those that it was given.
    Value(usize),
    At(ThreadName, String),
    Blocked(ThreadName),
    Ended(ThreadName),
    /// Nobody can move, and the process has not ended.
    Deadlock,
    /// The process has ended.
    Terminated,
    /// Nobody can move.
    Halted,
    /// Some thread stands at `tb_progress()`.
    Progress,
}

/// An expression of the program's own language, or a function of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    Function(String),
    Expression(String),
}

impl Asked {
    /// Whether a machine complains of this, by its words.
    fn is_named_in(&self, message: &str) -> bool {
        let (Asked::Function(words) | Asked::Expression(words)) = self;
        let call = if matches!(self, Asked::Function(_)) { "()" } else { "" };
        [call, ""].iter().any(|call| message.contains(&format!("the proposition `{words}{call}`")))
    }

    /// What is wrong, and what there is instead, if nobody understands a word that asks something of a thread.
    fn about_a_thread(&self, message: &str) -> Option<(String, String)> {
        let Asked::Expression(words) = self else { return None };
        let (thread, what) =
            words.rsplit_once('.').filter(|(thread, _)| thread_of(thread).is_some()).unwrap_or((words, ""));
        thread_of(thread)?;
        // A variable may be called like a thread.
        let is_unknown =
            ["undeclared", "there is no `", "`.` means nothing"].iter().any(|words| message.contains(words));
        let is_number = words.starts_with(|c: char| c.is_ascii_digit());
        let message = match what {
            "" => format!("`{thread}` is a thread, which is neither true nor false"),
            what => format!("whether a thread is `{what}` is not known"),
        };
        let known =
            format!("what can be asked is `{thread}.blocked`, `{thread}.ended`, and `{thread}@critical` of a label");
        (is_unknown || is_number).then_some((message, known))
    }
}

pub struct Formula {
    pub name: Option<String>,
    pub livelock: bool,
    /// Over the propositions of all formulas.
    pub expr: Expr,
}

/// All formulas, over one list of propositions.
#[derive(Default)]
pub struct Formulas {
    pub list: Vec<Formula>,
    pub propositions: Vec<Proposition>,
    pub meanings: Vec<Meaning>,
    /// What the machine is asked.
    pub asked: Vec<Asked>,
    /// Where each of them stands: in which formula, and where there.
    asked_at: Vec<(usize, Span)>,
    labels_at: Vec<(String, usize, Span)>,
    written: Vec<Written>,
}

/// A letter has as many bits.
const MOST: usize = 64;

impl Formulas {
    pub fn read(written: &[Written]) -> Result<Formulas, Refused> {
        let mut all = Formulas { written: written.to_vec(), ..Formulas::default() };
        for (number, one) in written.iter().enumerate() {
            let source = Source::new("--ltl", one.text.clone());
            let Specification { mut formula, propositions } =
                parse(&source).map_err(|complaint| all.complain(number, *complaint))?;
            let mut numbers = Vec::new();
            for proposition in propositions {
                let words = source.words(proposition.span).to_string();
                numbers.push(all.add(number, proposition, &words)?);
            }
            renumber(&mut formula, &numbers);
            all.list.push(Formula { name: one.name.clone(), livelock: one.livelock, expr: formula });
        }
        Ok(all)
    }

    /// A formula in as few characters as can be, with its name.
    pub fn words(&self, number: usize) -> String {
        let formula = &self.list[number];
        let text = formula.expr.display(&self.propositions).to_string();
        match &formula.name {
            Some(name) => format!("{name}: {text}"),
            None => text,
        }
    }

    /// Whether some formula is about deadlocks: then it says whether there may be any.
    pub fn are_about_deadlocks(&self) -> bool {
        self.meanings.contains(&Meaning::Deadlock)
    }

    /// The threads that formulas name.
    pub fn threads(&self) -> Vec<ThreadName> {
        let mut threads: Vec<ThreadName> = Vec::new();
        for meaning in &self.meanings {
            if let Meaning::At(thread, _) | Meaning::Blocked(thread) | Meaning::Ended(thread) = meaning
                && !threads.contains(thread)
            {
                threads.push(thread.clone());
            }
        }
        threads
    }

    /// The labels that formulas name.
    pub fn labels(&self) -> Vec<String> {
        let progress = self.meanings.contains(&Meaning::Progress).then(|| PROGRESS.to_string());
        self.labels_at.iter().map(|(label, ..)| label.clone()).chain(progress).collect()
    }

    fn add(&mut self, formula: usize, proposition: Proposition, words: &str) -> Result<u8, Refused> {
        let same = |known: &Proposition| known.text == proposition.text && known.form == proposition.form;
        if let Some(known) = self.propositions.iter().position(same) {
            return Ok(known as u8);
        }
        let span = proposition.span;
        if self.propositions.len() == MOST {
            let message = format!("all formulas together have at most {MOST} propositions");
            return Err(self.complain(formula, *Complaint::at(span, message)));
        }
        let meaning = match proposition.form {
            Form::Braces => {
                balanced(words).map_err(|what| self.complain(formula, *Complaint::at(span, what)))?;
                self.ask(formula, span, Asked::Expression(words.to_string()))
            }
            Form::Word => self.meaning(formula, span, &proposition.text)?,
        };
        self.propositions.push(proposition);
        self.meanings.push(meaning);
        Ok(self.propositions.len() as u8 - 1)
    }

    fn ask(&mut self, formula: usize, span: Span, asked: Asked) -> Meaning {
        self.asked.push(asked);
        self.asked_at.push((formula, span));
        Meaning::Value(self.asked.len() - 1)
    }

    /// `deadlock`, `t1@critical`, `t1.blocked`, `excl()`; everything else is an expression that needs no braces.
    fn meaning(&mut self, formula: usize, span: Span, word: &str) -> Result<Meaning, Refused> {
        match word {
            "deadlock" => return Ok(Meaning::Deadlock),
            "terminated" => return Ok(Meaning::Terminated),
            HALTED => return Ok(Meaning::Halted),
            PROGRESS => return Ok(Meaning::Progress),
            _ => {}
        }
        if let Some((thread, label)) = word.split_once('@') {
            let Some(thread) = thread_of(thread) else {
                let wrong = Complaint::at(span, format!("`{thread}` is no thread"));
                let note = "threads are called `main`, `t1` (the second that main creates) or `0.1`, which is the same";
                return Err(self.complain(formula, *wrong.note(note)));
            };
            self.labels_at.push((label.to_string(), formula, span));
            return Ok(Meaning::At(thread, label.to_string()));
        }
        if let Some((thread, what)) = word.rsplit_once('.')
            && let Some(thread) = thread_of(thread)
        {
            match what {
                "blocked" => return Ok(Meaning::Blocked(thread)),
                "ended" => return Ok(Meaning::Ended(thread)),
                _ => {}
            }
        }
        let asked = match word.strip_suffix("()") {
            Some(name) if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') => {
                Asked::Function(name.to_string())
            }
            _ => Asked::Expression(word.to_string()),
        };
        Ok(self.ask(formula, span, asked))
    }

    /// Something is wrong in a formula.
    fn complain(&self, formula: usize, complaint: Complaint) -> Refused {
        let (source, from) = self.written[formula].source();
        let moved = |span: Span| Span::new(span.from as usize + from, span.to as usize + from);
        refused(&source, Complaint { span: complaint.span.map(moved), ..complaint })
    }

    /// What the machine's language says of something that it was asked, with its place in a formula.
    pub fn explain(&self, mut refused: Refused) -> Refused {
        // It may have come up while the program ran.
        if let Some(at) = &refused.place
            && let Some(number) = proposition_of(&at.file)
        {
            refused.inside = Some(Box::new(Inside::Proposition { number, column: column_in_proposition(at.column) }));
            refused
                .notes
                .push("a proposition has a value in every state, also before anything is set up: `{p && p->x}`".into());
        }
        // Or in a function that it calls.
        let named = (0..self.asked.len()).find(|&number| self.asked[number].is_named_in(&refused.message));
        if let (None, Some(number)) = (&refused.inside, named) {
            let at = refused.place.as_ref().map(|at| format!("that is at {}:{}", report::path(&at.file), at.line));
            refused.notes.extend(at);
            refused.inside = Some(Box::new(Inside::Proposition { number, column: 1 }));
        }
        let Some(Inside::Proposition { number, column }) = refused.inside.as_deref() else { return refused };
        let Some(&(formula, span)) = self.asked_at.get(*number) else { return refused };
        if let Some((message, note)) = self.asked[*number].about_a_thread(&refused.message) {
            return self.complain(formula, *Complaint::at(span, message).note(note));
        }
        let from = span.from.saturating_add(column.saturating_sub(1)).min(span.to.saturating_sub(1).max(span.from));
        let at = Complaint { message: refused.message, span: Some(Span { from, to: from }), notes: refused.notes };
        self.complain(formula, at)
    }

    /// A label that the program does not have.
    pub fn unknown_label(&self, known: &[String]) -> Option<Refused> {
        let (label, formula, span) = self.labels_at.iter().find(|(label, ..)| !known.contains(label))?;
        let complaint = Complaint::at(*span, format!("the program has no label `{label}`"));
        let complaint = match did_you_mean(label, known) {
            None => complaint
                .note(format!("`tb_label(\"{label}\")` or `{label}:` names a point"))
                .note("clang leaves out what no way leads to, such as what stands behind an endless loop"),
            Some(note) => complaint.note(note),
        };
        Some(self.complain(*formula, *complaint))
    }
}

/// `main`, `0.1`, and `t1` for that.
fn thread_of(word: &str) -> Option<ThreadName> {
    match word.strip_prefix('t') {
        _ if word == "main" => Some(ThreadName::main()),
        Some(child) => ThreadName::parse(&format!("0.{child}")),
        None => ThreadName::parse(word),
    }
}

fn renumber(expr: &mut Expr, numbers: &[u8]) {
    match &mut expr.kind {
        Kind::Constant(_) => {}
        Kind::Proposition(p) => *p = numbers[usize::from(*p)],
        Kind::Unary(_, a) | Kind::Path(_, a) => renumber(a, numbers),
        Kind::Binary(_, a, b) | Kind::Relation(_, a, b) => {
            renumber(a, numbers);
            renumber(b, numbers);
        }
    }
}

/// An expression is one: its parentheses are its own, and nothing ends it.
fn balanced(text: &str) -> Result<(), String> {
    let (mut open, mut quote, mut escaped) = (Vec::new(), None, false);
    for c in text.chars() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(end), c) if c == end => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => open.push(c),
            (None, ')' | ']' | '}') => match (open.pop(), c) {
                (Some('('), ')') | (Some('['), ']') | (Some('{'), '}') => {}
                _ => return Err(format!("`{c}` closes nothing here")),
            },
            (None, ';') => return Err("an expression is needed, not a statement".into()),
            _ => {}
        }
    }
    open.pop().map_or(Ok(()), |c| Err(format!("`{c}` is never closed")))
}

/// The names that are nearly this one, or, where there are none, those that there are.
pub fn did_you_mean(name: &str, known: &[String]) -> Option<String> {
    let listed = |names: &[&String]| {
        let quoted: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
        let more = if names.len() > MOST_NAMES { " and others" } else { "" };
        format!("{}{more}", quoted.join(", "))
    };
    let mut near: Vec<(usize, &String)> =
        known.iter().map(|other| (strsim::osa_distance(&name.to_lowercase(), &other.to_lowercase()), other)).collect();
    near.retain(|(distance, other)| *distance <= 1 + name.len() / 4 || name.len() > 2 && other.contains(name));
    near.sort();
    match near.as_slice() {
        _ if known.is_empty() => None,
        [] => Some(format!("there is {}", listed(&known.iter().collect::<Vec<_>>()))),
        near => Some(format!("did you mean {}?", listed(&near.iter().map(|(_, name)| *name).collect::<Vec<_>>()))),
    }
}

/// So many that they fit a line or two.
const MOST_NAMES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Result<Formulas, Refused> {
        let one = |text: &&str| Written { name: None, text: text.to_string(), livelock: false, place: None };
        Formulas::read(&texts.iter().map(one).collect::<Vec<_>>())
    }

    #[test]
    fn propositions_of_all_formulas_have_one_list() {
        let Ok(all) = read(&["G (want -> F t1@critical)", "G !(t1@critical && 0.0.blocked) || F {n  == 2}"]) else {
            panic!("good formulas")
        };
        let words: Vec<String> = all.propositions.iter().map(ToString::to_string).collect();
        assert_eq!(words, ["want", "t1@critical", "0.0.blocked", "{n == 2}"]);
        assert_eq!(all.asked, [Asked::Expression("want".into()), Asked::Expression("n  == 2".into())]);
        let thread = |text| ThreadName::parse(text).expect("a name");
        assert_eq!(all.meanings[1], Meaning::At(thread("0.1"), "critical".into()));
        assert_eq!(all.meanings[2], Meaning::Blocked(thread("0.0")));
        assert_eq!(all.words(1), "G !(t1@critical && 0.0.blocked) || F {n == 2}");
        assert_eq!(all.threads(), [thread("0.1"), thread("0.0")]);
    }

    #[test]
    fn words_are_threads_functions_or_expressions() {
        let Ok(all) = read(&["F excl() && q.full && a[i] && deadlock && main.ended && t2.x && f(3)"]) else {
            panic!("a good formula")
        };
        assert_eq!(all.meanings[3..5], [Meaning::Deadlock, Meaning::Ended(ThreadName::main())]);
        let expressions: Vec<Asked> = ["q.full", "a[i]", "t2.x", "f(3)"].map(|e| Asked::Expression(e.into())).into();
        assert_eq!(all.asked, [vec![Asked::Function("excl".into())], expressions].concat());
    }

    #[test]
    fn expressions_are_whole() {
        for bad in ["{x) || (y}", "{x; y}", "{(x}", "{a[1}"] {
            let Err(refused) = read(&[&format!("G {bad}")]) else { panic!("{bad} is no expression") };
            assert_eq!(refused.place.map(|at| (at.line, at.column)), Some((1, 4)), "{bad}");
        }
        assert!(read(&["G {c == ')' && s[0] == \"(;\"[0]}"]).is_ok());
    }

    #[test]
    fn a_wrong_name_stands_where_it_is() {
        let Ok(all) = read(&["F x", "G {a +  b > 2}"]) else { panic!("good formulas") };
        let inside = Some(Box::new(Inside::Proposition { number: 1, column: 6 }));
        let said = Refused { message: "what?".into(), inside, ..Refused::default() };
        let place = all.explain(said).place.expect("a place");
        assert_eq!((place.file.as_str(), place.line, place.column), ("--ltl", 1, 9));
        let Ok(all) = read(&["F t0@critcal"]) else { panic!("a good formula") };
        let refused = all.unknown_label(&["critical".into(), "done".into()]).expect("it is not there");
        assert_eq!(refused.notes, ["did you mean `critical`?"]);
    }
}
