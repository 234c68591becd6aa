//! Every bug is executed again before it is reported, by a shorter schedule if there is one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use threadbare_core::{Ending, Machine, Schedule, Story};
use threadbare_explore::minimise;
use threadbare_vm::{Fault, FaultKind, Program, VmMachine};

use crate::check::{Bug, same_bug};
use crate::story::{Telling, faults_of, schedule_of};
use crate::subject::Subject;

/// A bug whose schedule does not lead to it: a fault of our own.
pub struct DoesNotReplay(pub String);

/// The stories of the bugs, each executed on a machine of its own. The time for shorter schedules is shared out evenly.
pub fn confirm(
    subject: &Subject,
    program: &Arc<Program>,
    bugs: &[Bug],
    budget: Duration,
) -> Result<Vec<Story>, DoesNotReplay> {
    let end = Instant::now() + budget;
    let share = |number: usize| (end - Instant::now().min(end)) / (bugs.len() - number) as u32;
    let bugs = bugs.iter().enumerate();
    bugs.map(|(number, bug)| story_of(subject, program, bug, (!budget.is_zero()).then(|| share(number)))).collect()
}

fn story_of(
    subject: &Subject,
    program: &Arc<Program>,
    bug: &Bug,
    budget: Option<Duration>,
) -> Result<Story, DoesNotReplay> {
    let schedule = match budget {
        Some(budget) => shorten(subject, program, &bug.fault, &bug.schedule, budget)?,
        None => bug.schedule.clone(),
    };
    let mut machine = subject.machine(program, false).map_err(DoesNotReplay)?;
    let mut telling = Telling::new(&mut machine);
    for (number, step) in schedule.0.iter().enumerate() {
        let (tid, choice) = Telling::resolve(&mut machine, step)
            .map_err(|refusal| disagree(bug, &format!("step {} cannot be taken: {}", number + 1, refusal.0)))?;
        telling.step(&mut machine, tid, choice);
        // What an execution does after an error that did not end it is no part of the story.
        if machine.noted().iter().any(|noted| same_bug(program, noted, &bug.fault)) {
            break;
        }
    }
    let faults = faults_of(&mut machine);
    match (faults.iter().find(|fault| same_bug(program, fault, &bug.fault)), faults.last()) {
        (Some(fault), _) => {
            telling.conclude(&mut machine, fault);
            telling.story.occurrences = bug.occurrences;
            Ok(telling.story)
        }
        (None, Some(other)) => {
            Err(disagree(bug, &format!("it shows a {} instead: {}", other.kind.name(), other.message)))
        }
        (None, None) => Err(disagree(bug, "it shows nothing wrong")),
    }
}

fn disagree(bug: &Bug, what: &str) -> DoesNotReplay {
    let (kind, message) = (bug.fault.kind.name(), &bug.fault.message);
    DoesNotReplay(format!("a {kind} was found ({message}), but when its schedule is executed again, {what}"))
}

/// Whether the bug shows where the machine stands. Whether nobody can go on is looked at only where that is the bug.
fn shows(machine: &mut VmMachine, bug: &Fault) -> bool {
    let program = machine.program().clone();
    match (bug.kind, machine.ending()) {
        (FaultKind::Deadlock | FaultKind::Livelock, _) => {
            faults_of(machine).iter().any(|found| same_bug(&program, found, bug))
        }
        (_, Some(Ending::Error(found))) if same_bug(&program, found, bug) => true,
        _ => machine.noted().iter().any(|found| same_bug(&program, found, bug)),
    }
}

fn shorten(
    subject: &Subject,
    program: &Arc<Program>,
    fault: &Fault,
    schedule: &Schedule,
    budget: Duration,
) -> Result<Schedule, DoesNotReplay> {
    let mut machine = subject.machine(program, true).map_err(DoesNotReplay)?;
    let start = machine.mark();
    let mut steps = Vec::with_capacity(schedule.len());
    for (number, step) in schedule.0.iter().enumerate() {
        let (tid, choice) = Telling::resolve(&mut machine, step)
            .map_err(|refusal| DoesNotReplay(format!("step {} does not replay: {}", number + 1, refusal.0)))?;
        machine.step(tid, choice);
        steps.push((tid, choice));
    }
    machine.rewind(start);
    let shows = |machine: &mut VmMachine| shows(machine, fault);
    match minimise(&mut machine, &steps, shows, budget) {
        Some((steps, _)) => Ok(schedule_of(&mut machine, &steps)),
        None => Err(DoesNotReplay(format!(
            "a {} was found ({}), but its schedule does not lead to it again",
            fault.kind.name(),
            fault.message
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Arguments, Command};
    use crate::story::Telling;

    #[test]
    fn a_bug_that_does_not_replay_is_a_fault_of_ours() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("test.c");
        std::fs::write(&file, "#include <assert.h>\nint main(void) { assert(0); return 0; }\n").expect("writable");
        let words = ["threadbare".into(), "check".into(), file.into_os_string()];
        let Ok(Arguments { command: Command::Check(plan) }) = Arguments::read(words) else { panic!("a good line") };
        let subject = Subject::of(&plan);
        let program = subject.load().expect("it compiles");
        let mut machine = subject.machine(&program, false).expect("room");
        let mut telling = Telling::new(&mut machine);
        telling.step(&mut machine, threadbare_core::Tid::MAIN, threadbare_core::Choice(0));
        let fault = faults_of(&mut machine).pop().expect("the assertion fails");
        let budget = Duration::from_millis(100);
        let mut bug = Bug { fault, schedule: telling.story.schedule, occurrences: 7 };
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
