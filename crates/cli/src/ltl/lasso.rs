//! An infinite execution that breaks a formula, told as a story: a prefix, and a cycle that goes on for ever. Whoever tells it
//! looks whether it is one: the cycle leads back to its first state, the formula does not hold on what was seen on the way, and
//! no thread is left behind that could always have gone on.

use std::collections::BTreeSet;

use threadbare_core::{FaultKind, Fingerprint, Schedule, Story, StoryBug, StoryLasso, StoryWitness, Then, Tid};
use threadbare_explore::stuck;
use threadbare_logic::{Expr, Kind, Lasso, holds, identity};

use super::formulas::Formulas;
use super::letter;
use crate::confirm::DoesNotReplay;
use crate::story::Telling;
use crate::told::{RacesIn, Subject, Told};

/// The steps of one, by names: another machine may meet threads in another order, and gives them other numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Which formula it breaks.
    pub formula: usize,
    pub schedule: Schedule,
    /// The first step of the cycle. Without a cycle it stays where it ends.
    pub cycle: usize,
}

/// What is seen on the way. It is told of every state, the first one too.
pub struct Witness {
    /// The first step of the cycle.
    cycle: usize,
    letters: Vec<u64>,
    first: Option<Fingerprint>,
    /// Who was treated fairly in the cycle: moved, or could not.
    fair: BTreeSet<Tid>,
}

impl Witness {
    pub fn new(cycle: usize) -> Witness {
        Witness { cycle, letters: Vec::new(), first: None, fair: BTreeSet::new() }
    }

    /// The machine stands before a step of `mover`, or behind the last one.
    pub fn see<M: Told>(&mut self, machine: &mut M, formulas: &Formulas, mover: Option<Tid>) -> Result<(), String> {
        if self.letters.len() == self.cycle {
            self.first = identity(machine);
        }
        if self.letters.len() >= self.cycle {
            for tid in (0..machine.thread_count()).map(|i| Tid(i as u16)) {
                let can_move = machine.is_live(tid) && machine.pending(tid).choices.any_enabled();
                if !can_move || mover == Some(tid) {
                    self.fair.insert(tid);
                }
            }
        }
        self.letters.push(letter(machine, formulas).map_err(|fault| M::message(&fault))?);
        Ok(())
    }

    /// The machine stands behind the last step: why this is no execution that breaks the formula.
    pub fn judge<M: Told>(&self, machine: &mut M, formula: &Expr, fair: bool) -> Result<(), String> {
        let stays = self.letters.len() == self.cycle + 1;
        if self.first.is_none() || identity(machine) != self.first {
            return Err("the cycle does not lead back to where it began".into());
        }
        if stays && (0..machine.thread_count()).any(|i| self.left_behind(machine, Tid(i as u16))) {
            return Err("a thread could go on at the end".into());
        }
        let mut prefix = self.letters.clone();
        let mut cycle = prefix.split_off(self.cycle);
        if !stays {
            cycle.pop();
        }
        if holds(formula, &Lasso { prefix, cycle }) {
            return Err("the formula holds on it".into());
        }
        let unfair = (0..machine.thread_count()).map(|i| Tid(i as u16)).find(|tid| !self.fair.contains(tid));
        match unfair.filter(|_| fair) {
            Some(tid) => Err(format!("thread {} could always go on, and does not", machine.names().name(tid))),
            None => Ok(()),
        }
    }

    fn left_behind<M: Told>(&self, machine: &mut M, tid: Tid) -> bool {
        machine.is_live(tid) && machine.pending(tid).choices.any_enabled()
    }

    /// What the story says of it.
    pub fn told(&self, formulas: &Formulas, number: usize) -> StoryLasso {
        let livelock = formulas.list[number].livelock;
        let own = if livelock { BTreeSet::new() } else { propositions_of(&formulas.list[number].expr) };
        let held = |letter: &u64| own.iter().map(|p| letter >> p & 1 == 1).collect();
        StoryLasso {
            formula: formulas.words(number),
            number,
            cycle: self.cycle,
            propositions: own.iter().map(|&p| formulas.propositions[usize::from(p)].to_string()).collect(),
            held: self.letters.iter().map(held).collect(),
        }
    }
}

fn propositions_of(expr: &Expr) -> BTreeSet<u8> {
    match &expr.kind {
        Kind::Proposition(p) => BTreeSet::from([*p]),
        _ => expr.parts().flat_map(propositions_of).collect(),
    }
}

/// Takes the steps on a machine of its own.
pub fn story_of<S: Subject>(
    subject: &S,
    program: &S::Program,
    formulas: &Formulas,
    violation: &Violation,
) -> Result<Story, DoesNotReplay> {
    let mut machine = subject.machine_for_states(program, RacesIn::Path).map_err(DoesNotReplay)?;
    let mut telling = Telling::new(&mut machine);
    let mut witness = Witness::new(violation.cycle);
    let disagrees = |what: String| {
        let words = formulas.words(violation.formula);
        DoesNotReplay(format!("`{words}` does not hold on an execution, but when that is executed again, {what}"))
    };
    for step in &violation.schedule.0 {
        let (tid, choice) = Telling::resolve(&mut machine, step).map_err(|refusal| disagrees(refusal.0))?;
        witness.see(&mut machine, formulas, Some(tid)).map_err(disagrees)?;
        telling.step(&mut machine, tid, choice);
    }
    witness.see(&mut machine, formulas, None).map_err(disagrees)?;
    let formula = &formulas.list[violation.formula].expr;
    witness.judge(&mut machine, formula, subject.is_fair()).map_err(disagrees)?;
    conclude(&mut machine, &mut telling, formulas, witness.told(formulas, violation.formula));
    Ok(telling.story)
}

/// The broken formula becomes the end of the story.
pub fn conclude<M: Told>(machine: &mut M, telling: &mut Telling<M>, formulas: &Formulas, lasso: StoryLasso) {
    machine.hold_still();
    let stays = lasso.cycle == telling.story.steps.len();
    let waits = stays.then(|| stuck(machine)).flatten();
    let witnesses: Vec<StoryWitness> = match waits {
        Some(stuck) => {
            let fault = machine.fault_of_stuck(&stuck);
            telling.bug(machine, &fault).witnesses
        }
        None => Vec::new(),
    };
    let place = match lasso.cycle {
        _ if stays => witnesses.first().map(|witness| witness.stack.clone()),
        cycle => telling.story.steps[cycle..].iter().map(|step| step.stack.clone()).find(|stack| !stack.is_empty()),
    };
    let notes = notes(machine, &telling.story, &lasso);
    let (kind, message) = match formulas.list[lasso.number].livelock {
        true => (
            FaultKind::Livelock,
            "these steps go on for ever without progress: no thread ends, none gets to tb_progress()".into(),
        ),
        false => (FaultKind::Ltl, format!("`{}` does not hold", lasso.formula)),
    };
    telling.story.bug = Some(StoryBug {
        kind: kind.name().into(),
        message,
        thread: None,
        stack: place.unwrap_or_default(),
        witnesses,
        notes,
        locals: Vec::new(),
    });
    telling.story.lasso = Some(lasso);
    let threads = telling.story.threads.len();
    for step in &mut telling.story.steps {
        step.clock.resize(threads, 0);
    }
}

/// What holds for ever, and who takes no part in that.
fn notes<M: Told>(machine: &mut M, story: &Story, lasso: &StoryLasso) -> Vec<String> {
    let stays = lasso.cycle == story.steps.len();
    let mut notes = Vec::new();
    let seen = &lasso.held[lasso.cycle..];
    let (mut always, mut never) = (Vec::new(), Vec::new());
    for (number, words) in lasso.propositions.iter().enumerate() {
        match seen.iter().filter(|held| held[number]).count() {
            0 => never.push(format!("`{words}`")),
            all if all == seen.len() => always.push(format!("`{words}`")),
            _ => {}
        }
    }
    let verb = |names: &[String]| if names.len() == 1 { "holds" } else { "hold" };
    let mut parts = Vec::new();
    if !always.is_empty() {
        parts.push(format!("{} always {}", always.join(", "), verb(&always)));
    }
    if !never.is_empty() {
        parts.push(format!("{} never {}", never.join(", "), verb(&never)));
    }
    if !parts.is_empty() {
        let when = if stays { "from the end on" } else { "in the cycle" };
        notes.push(format!("{when}, {}", parts.join(", and ")));
    }
    if stays {
        notes.push(match machine.ending() {
            Some(_) => "the program has ended: everything stays as it is".into(),
            None if story.threads.len() > 1 => "nobody can go on: everything stays as it is".to_string(),
            None => "everything stays as it is".to_string(),
        });
        return notes;
    }
    for tid in (0..machine.thread_count()).map(|i| Tid(i as u16)) {
        let moves = story.steps[lasso.cycle..].iter().any(|step| step.thread == tid.index());
        if moves || !machine.is_live(tid) {
            continue;
        }
        let name = machine.names().name(tid).clone();
        let pending = machine.pending(tid);
        let last = story.steps.iter().rev().find(|step| step.thread == tid.index());
        notes.push(match (pending.choices.any_enabled(), last.map(|step| &step.then)) {
            (false, _) => format!("thread {name} takes no step in it: it waits for {}", machine.waits_for(tid)),
            (true, Some(Then::Waits(what))) => {
                format!("thread {name} takes no step in it: again and again it has to wait for {what}")
            }
            (true, _) => format!("thread {name} takes no step in it, though it can at times"),
        });
    }
    notes
}
