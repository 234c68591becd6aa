//! A schedule told step by step: executed on a machine, with everything a report shows.

use std::collections::VecDeque;

use threadbare_core::{
    Access, Accesses, Choice, Choices, Chosen, Ending, FaultKind, Fingerprint, Mark, Mode, Operation, Place, Schedule,
    ScheduleStep, Space, Step, Story, StoryAccess, StoryBug, StoryObject, StoryStep, StoryThread, StoryWitness, Then,
    Tid,
};
use threadbare_explore::{Recorder, could_go_on, stuck};

use crate::limits;
use crate::report;
use crate::told::{PlainLook, Standing, Told};

/// A story that grows and shrinks at its end together with a machine.
pub struct Telling<M: Told> {
    pub story: Story,
    recorder: Recorder,
    teller: M::Teller,
    marks: Vec<Mark>,
    /// The plain accesses behind the steps to come, if these are known.
    foreseen: VecDeque<(Tid, Choice, Vec<PlainLook>)>,
}

/// Why a step of a schedule cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(pub String);

impl<M: Told> Telling<M> {
    pub fn new(machine: &mut M) -> Telling<M> {
        Telling::with(machine, M::Teller::default())
    }

    /// With names that no two objects share: what a sequence is made of.
    pub fn distinct(machine: &mut M) -> Telling<M> {
        Telling::with(machine, M::distinct_teller())
    }

    fn with(machine: &mut M, teller: M::Teller) -> Telling<M> {
        let mut telling = Telling {
            story: Story { occurrences: 1, ..Story::default() },
            recorder: Recorder::new(machine),
            teller,
            marks: Vec::new(),
            foreseen: VecDeque::new(),
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
            let name = self.name(machine, tid, pending.operation, access);
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
        let touched = self.looks(machine, tid, choice);
        let touched: Vec<PlainLook> = touched.into_iter().flat_map(|look| self.parts(machine, tid, look)).collect();
        let before_step: Vec<Option<String>> =
            touched.iter().map(|plain| machine.object_value(&mut self.teller, tid, &plain.access)).collect();
        let step = self.recorder.step(machine, tid, choice);
        let plain = self.plain(machine, tid, &touched, &before_step);
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
            plain,
            affects,
            then,
            preempts,
            output,
            clock,
        });
        step
    }

    /// Takes the steps of a schedule, as far as they can be taken, to know the plain accesses behind each: a step back is dear for
    /// some machines, and this takes one where `looks` takes one for each step.
    pub fn foresee(&mut self, machine: &mut M, schedule: &[ScheduleStep]) {
        let mark = machine.mark();
        for step in schedule {
            // Who is in a hurry wants the bug and its schedule: the accesses may take long to find.
            let Ok((tid, choice)) = Telling::resolve(machine, step) else { break };
            if limits::is_interrupted() {
                break;
            }
            let looks = machine.step_and_look(tid, choice);
            self.foreseen.push_back((tid, choice, looks));
        }
        machine.rewind(mark);
    }

    /// The plain accesses behind a step that could be taken now.
    fn looks(&mut self, machine: &mut M, tid: Tid, choice: Choice) -> Vec<PlainLook> {
        match self.foreseen.pop_front() {
            Some((its, chosen, looks)) if (its, chosen) == (tid, choice) => return looks,
            _ => self.foreseen.clear(),
        }
        if limits::is_interrupted() || !machine.may_look(tid) {
            return Vec::new();
        }
        let mark = machine.mark();
        let looks = machine.step_and_look(tid, choice);
        machine.rewind(mark);
        looks
    }

    /// A look at several variables at once is a look at each.
    fn parts(&mut self, machine: &M, tid: Tid, look: PlainLook) -> Vec<PlainLook> {
        let parts = machine.parts(&mut self.teller, tid, &look.access);
        let part = |access: Access| {
            let shift = (access.address - look.access.address) as u32 * 8;
            let held = look.held.map(|(bits, undefined)| (bits >> shift, undefined >> shift));
            PlainLook { access, place: look.place.clone(), held }
        };
        parts.into_iter().map(part).collect()
    }

    /// The plain accesses of a step that has been taken. `before` are the values before the step.
    fn plain(&mut self, machine: &M, tid: Tid, touched: &[PlainLook], before: &[Option<String>]) -> Vec<StoryAccess> {
        let same =
            |a: &PlainLook, b: &PlainLook| (a.access.address, a.access.length) == (b.access.address, b.access.length);
        let mut told = Vec::with_capacity(touched.len());
        for (i, plain) in touched.iter().enumerate() {
            let access = &plain.access;
            let mut value_of =
                |plain: &PlainLook| plain.held.and_then(|held| machine.held_value(&mut self.teller, tid, access, held));
            let (mut held, mut after) = (value_of(plain), None);
            if access.mode != Mode::Read {
                // The same write again is not told: the last one stands for those after it.
                let last = !touched[i + 1..].iter().any(|other| other.access.mode != Mode::Read && same(other, plain));
                let earlier = touched[..i].iter().rfind(|other| same(other, plain)).map(&mut value_of);
                after = if last { machine.object_value(&mut self.teller, tid, access) } else { held };
                held = earlier.unwrap_or_else(|| before[i].clone());
            }
            let name = machine.object_name(&mut self.teller, tid, access);
            let object = StoryObject { name, space: Space::Memory, mode: access.mode, before: held, after };
            told.push(StoryAccess { place: plain.place.clone(), object });
        }
        told
    }

    /// Takes the last step back.
    pub fn back(&mut self, machine: &mut M) -> bool {
        let Some(mark) = self.marks.pop() else { return false };
        self.foreseen.clear();
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
        // An invariant is looked at when the step is over; what it did after its write breaks nothing.
        if let (FaultKind::Invariant, Some(last)) = (M::kind(fault), self.story.steps.last_mut()) {
            last.plain.clear();
        }
        bug.notes.extend(origins(&self.story, &bug, &machine.origins(&self.teller)));
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
        // Where executions go on after a race, the later access has taken the place of this one.
        let mut remembered = false;
        while from > 0 && found.is_none() {
            from -= 1;
            machine.rewind(self.marks[from]);
            let is_there = machine.remembers_earlier_access(fault);
            if remembered && !is_there && self.story.steps[from].thread == tid.index() {
                found = Some(from);
            }
            remembered |= is_there;
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
            let name = self.name(machine, tid, pending.operation, access);
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

    /// What an access of an operation touches.
    fn name(&mut self, machine: &M, tid: Tid, operation: Operation, access: &Access) -> String {
        match (operation, access.space) {
            (Operation::Free, Space::Memory) => machine.whole_name(&mut self.teller, tid, access.address),
            _ => machine.object_name(&mut self.teller, tid, access),
        }
    }

    /// An error as a story tells it.
    pub fn bug(&mut self, machine: &mut M, fault: &M::Fault) -> StoryBug {
        let mut bug = machine.bug(fault, |tid| self.last_step_of(tid.index()));
        if let (Some((address, words)), Some(thread)) = (M::unnamed_object(fault), bug.thread) {
            // As the steps call it.
            let who = Tid(thread as u16);
            let part = machine.object_name(&mut self.teller, who, &Access::memory(Mode::Read, address, 1));
            let whole = match M::kind(fault) {
                FaultKind::DataRace => part.clone(),
                _ => machine.whole_name(&mut self.teller, who, address),
            };
            let told = bug.witnesses.iter_mut().map(|witness| &mut witness.what).chain([&mut bug.message]);
            for (text, name) in told.zip([part].iter().chain(std::iter::repeat(&whole))) {
                *text = text.replacen(words, &format!("`{name}`"), 1);
            }
        }
        if M::kind(fault) == FaultKind::Livelock {
            self.tell_loops(machine, &mut bug.witnesses);
            if !bug.witnesses.is_empty() && bug.witnesses.iter().all(|witness| witness.what == ENDLESS) {
                bug.message = match bug.witnesses.len() {
                    1 => "a thread goes round an endless loop".into(),
                    n => format!("{n} threads go round endless loops"),
                };
            }
        }
        bug
    }

    /// Threads go round loops: what they look at there, and who would change it if he could go on.
    fn tell_loops(&mut self, machine: &mut M, witnesses: &mut Vec<StoryWitness>) {
        let mut looked_at: Vec<(Access, String)> = Vec::new();
        for witness in witnesses.iter_mut() {
            let tid = Tid(witness.thread as u16);
            let mut names: Vec<String> = Vec::new();
            let looks = round(machine, tid);
            let only_yields = looks.iter().all(|look| look.operation == Operation::Yield);
            for look in looks {
                for access in look.accesses.iter().filter(|access| is_told(access.space)) {
                    let name = machine.object_name(&mut self.teller, tid, access);
                    let value = machine.object_value(&mut self.teller, tid, access);
                    let words = format!("`{name}`{}", value.map_or(String::new(), |value| format!(" ({value})")));
                    if !names.contains(&words) {
                        if names.is_empty() && !look.stack.is_empty() {
                            witness.stack.clone_from(&look.stack);
                        }
                        names.push(words);
                        looked_at.push((Access { mode: Mode::Write, ..*access }, name));
                    }
                }
            }
            // A round that has no operation but to let the others go on may look at plain variables.
            for look in if only_yields { self.looks(machine, tid, Choice::default()) } else { Vec::new() } {
                let name = format!("`{}`", machine.object_name(&mut self.teller, tid, &look.access));
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            match names.as_slice() {
                [] if only_yields => witness.what = ENDLESS.into(),
                [] => {}
                [one] => witness.what = format!("waits for {one} to change"),
                several => witness.what = format!("waits for one of {} to change", several.join(", ")),
            }
        }
        let live = |&tid: &Tid| machine.is_live(tid);
        let others: Vec<Tid> = (0..machine.thread_count()).map(|i| Tid(i as u16)).filter(live).collect();
        for tid in others {
            // Who waits for the end of others is mostly about to end itself, and may call whatever runs then.
            if witnesses.iter().any(|witness| witness.thread == tid.index())
                || machine.pending(tid).operation == Operation::ThreadJoin
            {
                continue;
            }
            let Some(set) = machine.may_access(tid) else { continue };
            let changes = looked_at.iter().find(|(access, _)| set.names(access));
            if let Some((_, name)) = changes {
                witnesses.push(StoryWitness {
                    thread: tid.index(),
                    what: format!("could change `{name}`, but waits for {}", machine.waits_for(tid)),
                    stack: machine.places(tid),
                    step: self.last_step_of(tid.index()),
                    waits_for: None,
                });
            }
        }
    }
}

/// Of a loop that waits for nothing.
const ENDLESS: &str = "goes round a loop that nothing ends";

/// Nobody reads of more operations than that.
const LONGEST_ROUND: usize = 10_000;

/// One operation of a loop.
struct Look {
    operation: Operation,
    accesses: Accesses,
    stack: Vec<Place>,
}

/// What a thread does in one round of the loop that it goes round for ever.
fn round<M: Told>(machine: &mut M, tid: Tid) -> Vec<Look> {
    let mark = machine.mark();
    machine.leave_places(true);
    let mut looks: Vec<Look> = Vec::new();
    let mut seen: Vec<(Fingerprint, usize)> = Vec::new();
    while machine.is_live(tid) && looks.len() < LONGEST_ROUND {
        let local = if machine.may_wait(tid) { machine.local_fingerprint(tid) } else { None };
        if let Some(&(_, first)) = seen.iter().find(|(known, _)| Some(*known) == local) {
            looks.drain(..first);
            break;
        }
        seen.extend(local.map(|local| (local, looks.len())));
        let pending = machine.pending(tid);
        let Some(choice) = pending.choices.enabled().next() else { break };
        let accesses = machine.accesses(tid, choice);
        machine.hold_still();
        looks.push(Look { operation: pending.operation, accesses, stack: machine.places(tid) });
        machine.step(tid, choice);
    }
    machine.leave_places(false);
    machine.rewind(mark);
    machine.hold_still();
    looks
}

/// Whether the loop that a thread goes round for ever looks at the clock: it may wait for time to pass.
pub fn looks_at_clock<M: Told>(machine: &mut M, tid: Tid) -> bool {
    round(machine, tid).iter().any(|look| look.operation == Operation::Clock)
}

/// Where the objects without names of their own come from that the story tells of: those of one place together.
fn origins(story: &Story, bug: &StoryBug, named: &[(String, Place)]) -> Vec<String> {
    let mut words: Vec<&str> = vec![&bug.message];
    words.extend(bug.witnesses.iter().map(|witness| witness.what.as_str()));
    for step in &story.steps {
        for object in step.objects.iter().chain(step.plain.iter().map(|plain| &plain.object)) {
            words.push(&object.name);
            words.extend(object.before.as_deref());
            words.extend(object.after.as_deref());
        }
    }
    let is_named = |name: &str| {
        words.iter().any(|text| {
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit());
            text.match_indices(name).any(|(at, _)| ends(&text[at + name.len()..]))
        })
    };
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, at) in named.iter().filter(|(name, _)| is_named(name)) {
        let place = format!("{}:{} in `{}`", report::path(&at.file), at.line, at.function);
        match groups.iter_mut().find(|(known, _)| *known == place) {
            Some((_, names)) => names.push(name),
            None => groups.push((place, vec![name])),
        }
    }
    // What the bug is about is said already.
    groups.retain(|(place, _)| !bug.notes.iter().any(|note| note.ends_with(&format!("allocated at {place}"))));
    let verb = |names: &[&str]| if names.len() == 1 { "was" } else { "were" };
    groups.iter().map(|(place, names)| format!("{} {} allocated at {place}", names.join(", "), verb(names))).collect()
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
        None if machine.any_failed() => {}
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
    !matches!(space, Space::Process | Space::Wake | Space::Property | Space::Unseen)
}
