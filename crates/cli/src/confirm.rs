//! Every bug is executed again before it is reported, by a shorter schedule if there is one.

use std::time::{Duration, Instant};

use threadbare_core::{Ending, FaultKind, Machine, Schedule, Story};
use threadbare_explore::minimise;

use crate::for_good::ForGood;
use crate::hunt::Bug;
use crate::story::{Telling, faults_of, schedule_of};
use crate::told::{RacesIn, Subject, Told};

/// A bug whose schedule does not lead to it: a fault of our own.
pub struct DoesNotReplay(pub String);

/// The stories of the bugs, each executed on a machine of its own. The time for shorter schedules is shared out evenly.
pub fn confirm<S: Subject>(
    subject: &S,
    program: &S::Program,
    bugs: &[Bug<S::Machine>],
    budget: Duration,
) -> Result<Vec<Story>, DoesNotReplay> {
    let end = Instant::now() + budget;
    let share = |number: usize| (end - Instant::now().min(end)) / (bugs.len() - number) as u32;
    let bugs = bugs.iter().enumerate();
    bugs.map(|(number, bug)| story_of(subject, program, bug, (!budget.is_zero()).then(|| share(number)))).collect()
}

fn story_of<S: Subject>(
    subject: &S,
    program: &S::Program,
    bug: &Bug<S::Machine>,
    budget: Option<Duration>,
) -> Result<Story, DoesNotReplay> {
    let schedule = match budget {
        Some(budget) => shorten(subject, program, bug, budget)?,
        None => bug.schedule.clone(),
    };
    let mut machine = machine_for(subject, program, bug, false)?;
    let mut telling = Telling::new(&mut machine);
    telling.foresee(&mut machine, &schedule.0);
    for (number, step) in schedule.0.iter().enumerate() {
        let (tid, choice) = Telling::resolve(&mut machine, step)
            .map_err(|refusal| disagree(bug, &format!("step {} cannot be taken: {}", number + 1, refusal.0)))?;
        telling.step(&mut machine, tid, choice);
        // What an execution does after an error that did not end it is no part of the story.
        if machine.noted_faults().iter().any(|noted| machine.shows(noted, &bug.fault)) {
            break;
        }
    }
    let mut faults = faults_of(&mut machine);
    // Beside those who wait, others may go round a loop for ever.
    if bug.partial {
        faults.extend(ForGood::default().fault(&mut machine));
    }
    match (faults.iter().find(|fault| machine.shows(fault, &bug.fault)), faults.last()) {
        (Some(fault), _) => {
            telling.conclude(&mut machine, fault);
            telling.story.occurrences = bug.occurrences;
            Ok(telling.story)
        }
        (None, Some(other)) => {
            let (kind, message) = (S::Machine::kind(other).name(), S::Machine::message(other));
            Err(disagree(bug, &format!("it shows a {kind} instead: {message}")))
        }
        (None, None) => Err(disagree(bug, "it shows nothing wrong")),
    }
}

/// A partial deadlock is looked for among exact states.
fn machine_for<S: Subject>(
    subject: &S,
    program: &S::Program,
    bug: &Bug<S::Machine>,
    fingerprints: bool,
) -> Result<S::Machine, DoesNotReplay> {
    let machine = match bug.partial {
        true => subject.machine_for_states(program, RacesIn::Path),
        false => subject.machine(program, fingerprints),
    };
    machine.map_err(DoesNotReplay)
}

/// `an assertion`, `a use-after-free`.
pub fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'i', 'o']) || name.starts_with("un") { "an" } else { "a" };
    format!("{article} {name}")
}

fn disagree<M: Told>(bug: &Bug<M>, what: &str) -> DoesNotReplay {
    let (kind, message) = (with_article(M::kind(&bug.fault).name()), M::message(&bug.fault));
    DoesNotReplay(format!("{kind} was found ({message}), but when its schedule is executed again, {what}"))
}

/// Whether the bug shows where the machine stands. Whether nobody can go on is looked at only where that is the bug.
fn shows<M: Told>(machine: &mut M, bug: &M::Fault) -> bool {
    match (M::kind(bug), machine.ending()) {
        (FaultKind::Deadlock | FaultKind::Livelock, _) => {
            faults_of(machine).iter().any(|found| machine.shows(found, bug))
        }
        (_, Some(Ending::Error(found))) if machine.shows(found, bug) => true,
        _ => machine.noted_faults().iter().any(|found| machine.shows(found, bug)),
    }
}

fn shorten<S: Subject>(
    subject: &S,
    program: &S::Program,
    bug: &Bug<S::Machine>,
    budget: Duration,
) -> Result<Schedule, DoesNotReplay> {
    let Bug { fault, schedule, .. } = bug;
    let mut machine = machine_for(subject, program, bug, true)?;
    let start = machine.mark();
    let mut steps = Vec::with_capacity(schedule.len());
    for (number, step) in schedule.0.iter().enumerate() {
        let (tid, choice) = Telling::resolve(&mut machine, step)
            .map_err(|refusal| DoesNotReplay(format!("step {} does not replay: {}", number + 1, refusal.0)))?;
        machine.step(tid, choice);
        steps.push((tid, choice));
    }
    // However long it takes where the schedule leads to: shorter ones have less time.
    let mut for_good = ForGood::default();
    if bug.partial {
        for_good.fault(&mut machine);
        for_good.deadline = Some(Instant::now() + budget);
    }
    machine.rewind(start);
    let shows = |machine: &mut S::Machine| match bug.partial {
        true => for_good.fault(machine).is_some_and(|found| machine.shows(&found, fault)),
        false => shows(machine, fault),
    };
    match minimise(&mut machine, &steps, shows, budget) {
        Some((steps, _)) => Ok(schedule_of(&mut machine, &steps)),
        None => Err(DoesNotReplay(format!(
            "{} was found ({}), but its schedule does not lead to it again",
            with_article(S::Machine::kind(fault).name()),
            S::Machine::message(fault)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_fit_their_words() {
        let kinds = [FaultKind::Assertion, FaultKind::UseAfterFree, FaultKind::UninitialisedRead, FaultKind::DataRace];
        let words = ["an assertion", "a use-after-free", "an uninitialised-read", "a data-race"];
        assert_eq!(kinds.map(|kind| with_article(kind.name())), words);
    }

    use crate::arguments::{Arguments, Command};
    use crate::subject::CSubject;

    #[test]
    fn a_bug_that_does_not_replay_is_a_fault_of_ours() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("test.c");
        std::fs::write(&file, "#include <assert.h>\nint main(void) { assert(0); return 0; }\n").expect("writable");
        let words = ["threadbare".into(), "check".into(), file.into_os_string()];
        let Ok(Arguments { command: Command::Check(plan) }) = Arguments::read(words) else { panic!("a good line") };
        let subject = CSubject::of(&plan);
        let program = subject.load(&Default::default()).expect("it compiles");
        let mut machine = subject.machine(&program, false).expect("room");
        let mut telling = Telling::new(&mut machine);
        telling.step(&mut machine, threadbare_core::Tid::MAIN, threadbare_core::Choice(0));
        let fault = faults_of(&mut machine).pop().expect("the assertion fails");
        let budget = Duration::from_millis(100);
        let mut bug = Bug { fault, schedule: telling.story.schedule, occurrences: 7, partial: false };
        let Ok(stories) = confirm(&subject, &program, std::slice::from_ref(&bug), budget) else { panic!("it replays") };
        assert_eq!((stories[0].occurrences, stories[0].steps.len()), (7, 1));
        // Too short a schedule, then another bug than that of the schedule.
        let schedule = std::mem::take(&mut bug.schedule);
        for budget in [budget, Duration::ZERO] {
            assert!(confirm(&subject, &program, std::slice::from_ref(&bug), budget).is_err());
        }
        bug.schedule = schedule;
        bug.fault.kind = FaultKind::Crash;
        for budget in [budget, Duration::ZERO] {
            assert!(confirm(&subject, &program, std::slice::from_ref(&bug), budget).is_err());
        }
    }
}
