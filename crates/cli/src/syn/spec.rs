//! `--trace-spec`: formulas on the sequence of one execution, by the search and when its trace is replayed.

use threadbare_core::source::{Complaint, Source};
use threadbare_core::{FaultKind, Story, StoryBug};
use threadbare_syn::remark::remarks;
use threadbare_syn::{Outcome, Recording, verify};

use crate::ltl::formulas::refused;
use crate::syn::check::{Asked, asked};
use crate::syn::told::{Execution, sequence};
use crate::told::Refused;

/// How errors call what stands on the command line.
pub const OPTION: &str = "--trace-spec";

/// States of one execution's lattice.
const STATE_LIMIT: usize = 1_000_000;

/// What a formula says of an execution, and the complaint if it names what this one does not have: another may.
pub fn judge(recording: &mut Recording, asked: &Asked) -> Result<(Outcome, Option<Box<Complaint>>), Refused> {
    let specification = &asked.stated.specification;
    match verify(recording, specification, None, STATE_LIMIT) {
        Ok(outcome) => Ok((outcome, None)),
        Err(complaint) => {
            recording.sequence.is_open = true;
            let outcome = verify(recording, specification, None, STATE_LIMIT);
            recording.sequence.is_open = false;
            let outcome = outcome.map_err(|complaint| refused(&asked.source, *complaint))?;
            Ok((outcome, Some(complaint)))
        }
    }
}

/// The formula with its name.
pub fn named(asked: &Asked) -> String {
    let specification = &asked.stated.specification;
    let words = format!("{:#}", specification.formula.display(&specification.propositions));
    asked.stated.name.as_ref().map_or(words.clone(), |name| format!("{name}: {words}"))
}

pub fn bug(asked: &Asked, notes: Vec<String>) -> StoryBug {
    StoryBug {
        kind: FaultKind::Ltl.name().into(),
        message: format!("`{}` does not hold on this execution", named(asked)),
        thread: None,
        stack: Vec::new(),
        witnesses: Vec::new(),
        notes,
        locals: Vec::new(),
    }
}

/// What helps to see why a formula does not hold.
pub fn notes(recording: &Recording, asked: &Asked, missing: Option<&Complaint>) -> Vec<String> {
    let missing = missing.map(|complaint| complaint.message.clone());
    missing.into_iter().chain(remarks(&recording.sequence, &asked.stated.specification, None, true)).collect()
}

/// The formula that an execution breaks, if any: one that was recorded because it does.
pub fn broken(story: &Story, formulas: &[String]) -> Result<Option<StoryBug>, Refused> {
    let source = Source::new("the execution", "");
    let mut recording = Recording::new(sequence(&Execution::new(story.clone())), &source)
        .map_err(|complaint| refused(&source, *complaint))?;
    let mut hangs = None;
    for asked in &asked(OPTION, formulas, &[])? {
        let (outcome, missing) = judge(&mut recording, asked)?;
        match outcome {
            Outcome::Answer(answer) if !answer.holds => {
                return Ok(Some(bug(asked, notes(&recording, asked, missing.as_deref()))));
            }
            // Other executions said what the variable is; this one does not touch it.
            Outcome::Hangs(words) => {
                hangs = hangs.or(Some(bug(asked, vec![format!("by this execution alone {words}")])))
            }
            Outcome::Answer(_) | Outcome::TooMany(_) => {}
        }
    }
    Ok(hangs)
}
