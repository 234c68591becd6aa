//! A schedule told step by step: executed on a machine, with everything a report shows.

use threadbare_core::{
    Access, Choice, Choices, Chosen, Ending, FaultKind, Mark, Mode, Operation, Place, Schedule, ScheduleStep, Space,
    Step, Story, StoryAccess, StoryBug, StoryObject, StoryStep, StoryThread, Then, Tid,
};
use threadbare_explore::{Recorder, could_go_on, stuck};

use crate::told::{Standing, Told};

/// A story that grows and shrinks at its end together with a machine.
pub struct Telling<M: Told> {
    pub story: Story,
    recorder: Recorder,
    teller: M::Teller,
    marks: Vec<Mark>,
}

/// Why a step of a schedule cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(pub String);

impl<M: Told> Telling<M> {
    pub fn new(machine: &mut M) -> Telling<M> {
        let mut telling = Telling {
            story: Story { occurrences: 1, ..Story::default() },
            recorder: Recorder::new(machine),
            teller: M::Teller::default(),
            marks: Vec::new(),
        };
        telling.introduce(machine);
        telling
    }

    /// The thread that took the last step.
    pub fn last(&self) -> Option<Tid> {
        self.story.steps.last().map(|step| Tid(step.thread as u16))
    }

    /// Threads that are new.
    fn introduce(&mut self, machine: &M) {
        for i in 0..machine.thread_count() {
            let tid = Tid(i as u16);
            if i == self.story.threads.len() {
                self.story.threads.push(StoryThread { name: machine.names().name(tid).clone(), start: String::new() });
            }
            if self.story.threads[i].start.is_empty() && machine.is_live(tid) {
                self.story.threads[i].start = machine.start_name(tid);
            }
        }
    }

    /// What a step of a schedule means on this machine, if it can be taken now.
    pub fn resolve(machine: &mut M, step: &ScheduleStep) -> Result<(Tid, Choice), Refusal> {
        let name = &step.thread;
        let tid = machine.names().find(name).ok_or_else(|| Refusal(format!("there is no thread {name}")))?;
        let choice = match &step.chosen {
            Chosen::Number(number) => Choice(*number),
            Chosen::Thread(woken) => match machine.names().find(woken) {
                Some(woken) => Choice(woken.0.into()),
                None => return Err(Refusal(format!("there is no thread {woken} to wake"))),
            },
        };
        can_take(machine, tid, choice).map(|()| (tid, choice))
    }

    /// Takes one step, which must be possible, and tells it.
    pub fn step(&mut self, machine: &mut M, tid: Tid, choice: Choice) -> Step {
        let before = self.others(machine, tid);
        let pending = machine.pending(tid);
        let accesses = machine.accesses(tid, choice);
        let mut objects: Vec<StoryObject> = Vec::new();
        let mut told = Vec::new();
        for access in accesses.iter().filter(|access| is_told(access.space)) {
            let name = machine.object_name(&mut self.teller, tid, access);
            if objects.iter().any(|object| object.name == name && object.space == access.space) {
                continue;
            }
            let value = machine.object_value(&mut self.teller, tid, access);
            objects.push(StoryObject { name, space: access.space, mode: access.mode, before: value, after: None });
            told.push(*access);
        }
        let last = self.last();
        let preempts = last.is_some_and(|last| last != tid && could_go_on(machine, last));
        let stack = machine.places(tid);
        let printed = machine.printed();
        let chosen = chosen(machine, tid, choice);
        let mark = machine.mark();
        self.marks.push(mark);
        let mut plain: Vec<(Access, StoryAccess)> = Vec::new();
        for (access, place) in machine.plain_writes(tid, choice) {
            let name = machine.object_name(&mut self.teller, tid, &access);
            let before = machine.object_value(&mut self.teller, tid, &access);
            let object = StoryObject { name, space: Space::Memory, mode: Mode::Write, before, after: None };
            plain.push((access, StoryAccess { place, object }));
        }
        let step = self.recorder.step(machine, tid, choice);
        for (access, told) in &mut plain {
            told.object.after = machine.object_value(&mut self.teller, tid, access);
        }
        plain.retain(|(_, told)| told.object.before != told.object.after);
        self.introduce(machine);
        for (object, access) in objects.iter_mut().zip(&told) {
            object.after = machine.object_value(&mut self.teller, tid, access);
        }
        let woken = accesses.iter().filter(|access| access.space == Space::Wake && access.mode == Mode::Write);
        let mut affects: Vec<usize> =
            woken.map(|access| access.address as usize).filter(|&thread| thread != tid.index()).collect();
        for (thread, could) in self.others(machine, tid) {
            let known = before.iter().find(|(other, _)| *other == thread);
            let freed = known.map_or(pending.operation == Operation::ThreadCreate, |(_, before)| could && !before);
            if freed && !affects.contains(&thread) {
                affects.push(thread);
            }
        }
        affects.sort_unstable();
        let number = self.story.steps.len();
        let threads = self.story.threads.len();
        let clock = (0..threads).map(|t| self.recorder.path.clock(number).get(t).copied().unwrap_or(0)).collect();
        let then = self.then(machine, tid);
        let output = machine.output_since(printed);
        self.story.schedule.0.push(ScheduleStep { thread: machine.names().name(tid).clone(), chosen: chosen.clone() });
        self.story.steps.push(StoryStep {
            thread: tid.index(),
            operation: pending.operation,
            chosen,
            choices: match pending.choices {
                Choices::Range(n) => n,
                listed => listed.enabled().count() as u32,
            },
            stack,
            objects,
            plain: plain.into_iter().map(|(_, told)| told).collect(),
            affects,
            then,
            preempts,
            output,
            clock,
        });
        step
    }

    /// Takes the last step back.
    pub fn back(&mut self, machine: &mut M) -> bool {
        let Some(mark) = self.marks.pop() else { return false };
        machine.rewind(mark);
        self.recorder.take_back();
        self.story.steps.pop();
        self.story.schedule.0.pop();
        true
    }

    fn others(&self, machine: &mut M, tid: Tid) -> Vec<(usize, bool)> {
        let pending = machine.all_pending();
        pending.into_iter().filter(|p| p.tid != tid).map(|p| (p.tid.index(), p.choices.any_enabled())).collect()
    }

    fn then(&self, machine: &mut M, tid: Tid) -> Then {
        if matches!(machine.ending(), Some(Ending::Error(_))) {
            return Then::Failed;
        }
        match machine.standing(tid) {
            Standing::Failed => return Then::Failed,
            Standing::Cut => return Then::Cut,
            _ if !machine.is_live(tid) => return Then::Ended,
            _ => {}
        }
        if machine.pending(tid).choices.any_enabled() { Then::GoesOn } else { Then::Waits(machine.waits_for(tid)) }
    }

    /// What is wrong where the machine stands becomes the end of the story.
    pub fn conclude(&mut self, machine: &mut M, fault: &M::Fault) {
        let mut bug = self.bug(machine, fault);
        if M::kind(fault) == FaultKind::Livelock {
            for step in bug.witnesses.iter().filter_map(|witness| witness.step) {
                self.story.steps[step].then = Then::Spins;
            }
        }
        if let (Some(tid), Some(earlier)) = (M::earlier_access(fault), bug.witnesses.first_mut()) {
            earlier.step = self.step_of_access(machine, tid, fault).or(earlier.step);
        }
        self.story.bug = Some(bug);
        let threads = self.story.threads.len();
        for step in &mut self.story.steps {
            step.clock.resize(threads, 0);
        }
    }

    /// The step that made an access that the detector remembers.
    fn step_of_access(&mut self, machine: &mut M, tid: Tid, fault: &M::Fault) -> Option<usize> {
        let steps = self.marks.len();
        let mut found = None;
        let mut from = steps;
        while from > 0 && found.is_none() {
            from -= 1;
            machine.rewind(self.marks[from]);
            if !machine.remembers_earlier_access(fault) && self.story.steps[from].thread == tid.index() {
                found = Some(from);
            }
        }
        for number in from..steps {
            self.marks[number] = machine.mark();
            let label = self.recorder.path.events[number].label;
            machine.step(label.tid, label.choice);
        }
        found
    }

    fn last_step_of(&self, thread: usize) -> Option<usize> {
        self.story.steps.iter().rposition(|step| step.thread == thread)
    }

    /// What a thread does next: the operation, and the objects it would touch as they are now.
    pub fn next(&mut self, machine: &mut M, tid: Tid) -> String {
        let pending = machine.pending(tid);
        let choice = pending.choices.enabled().next().unwrap_or_default();
        let accesses = machine.accesses(tid, choice);
        let mut text = pending.operation.name().to_string();
        let mut names: Vec<String> = Vec::new();
        for access in accesses.iter().filter(|access| is_told(access.space)) {
            let name = machine.object_name(&mut self.teller, tid, access);
            if names.contains(&name) {
                continue;
            }
            text += if names.is_empty() { " " } else { ", " };
            text += &name;
            if let Some(value) = machine.object_value(&mut self.teller, tid, access) {
                text += &format!(" ({value})");
            }
            names.push(name);
        }
        text
    }

    /// Where a thread stands in the program's own code.
    pub fn place(&self, machine: &M, tid: Tid) -> Option<Place> {
        machine.places(tid).into_iter().next()
    }

    /// `name = value` of the variables there.
    pub fn locals(&self, machine: &M, tid: Tid) -> Vec<String> {
        machine.variables(tid).into_iter().take(8).map(|(name, value)| format!("{name} = {value}")).collect()
    }

    /// An error as a story tells it.
    pub fn bug(&self, machine: &M, fault: &M::Fault) -> StoryBug {
        machine.bug(fault, |tid| self.last_step_of(tid.index()))
    }
}

/// Whether a thread can take a step with a choice now, and why not.
pub fn can_take<M: Told>(machine: &mut M, tid: Tid, choice: Choice) -> Result<(), Refusal> {
    let name = machine.names().name(tid).clone();
    if let Some(ending) = machine.ending() {
        return Err(Refusal(match ending {
            Ending::Exit(status) => format!("the process has ended with status {status}"),
            Ending::Error(_) => "the execution has ended with an error".into(),
        }));
    }
    if tid.index() >= machine.thread_count() || !machine.is_live(tid) {
        let why = match machine.standing(tid) {
            Standing::Cut => "was stopped by a failed assume",
            Standing::Failed => "was stopped by its error",
            Standing::NotCreated => "has not been created yet",
            Standing::Live | Standing::Ended => "has ended",
        };
        return Err(Refusal(format!("thread {name} {why}")));
    }
    let pending = machine.pending(tid);
    if pending.choices.is_enabled(choice) {
        return Ok(());
    }
    Err(Refusal(if pending.choices.any_enabled() {
        format!("thread {name} stands at {}, which has no choice {} now", pending.operation.name(), choice.0)
    } else {
        format!("thread {name} cannot go on: it waits for {}", machine.waits_for(tid))
    }))
}

/// What is wrong where the machine stands: errors that did not end the execution, then the one that did.
pub fn faults_of<M: Told>(machine: &mut M) -> Vec<Box<M::Fault>> {
    let mut faults = machine.noted_faults();
    match machine.ending() {
        Some(Ending::Error(fault)) => faults.push(fault.clone()),
        Some(Ending::Exit(_)) => {}
        // Whom a failed thread leaves waiting is no bug of its own.
        None if !faults.is_empty() => {}
        None => faults.extend(stuck(machine).map(|stuck| machine.fault_of_stuck(&stuck))),
    }
    faults
}

/// What was chosen, in a form that means the same in every search: a signal that wakes somebody names whom.
pub fn chosen<M: Told>(machine: &mut M, tid: Tid, choice: Choice) -> Chosen {
    let signal = machine.pending(tid).operation == Operation::CondSignal;
    let wakes = signal && machine.accesses(tid, choice).iter().any(|access| access.space == Space::Wake);
    if wakes { Chosen::Thread(machine.names().name(Tid(choice.0 as u16)).clone()) } else { choice.into() }
}

/// Steps by numbers as a schedule; the machine stands at their start, and is left there.
pub fn schedule_of<M: Told>(machine: &mut M, steps: &[(Tid, Choice)]) -> Schedule {
    let mark = machine.mark();
    let mut schedule = Schedule::default();
    for &(tid, choice) in steps {
        let chosen = chosen(machine, tid, choice);
        schedule.0.push(ScheduleStep { thread: machine.names().name(tid).clone(), chosen });
        machine.step(tid, choice);
    }
    machine.rewind(mark);
    schedule
}

fn is_told(space: Space) -> bool {
    !matches!(space, Space::Process | Space::Wake)
}
