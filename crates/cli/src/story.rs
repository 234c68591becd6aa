//! A schedule told step by step: executed on a machine, with everything a report shows.

use threadbare_core::{
    Access, Accesses, Choice, Choices, Chosen, Ending, Fingerprint, Machine, Mark, Mode, Operation, Place, Schedule,
    ScheduleStep, Space, Step, Story, StoryAccess, StoryBug, StoryObject, StoryStep, StoryThread, StoryWitness, Then,
    Tid,
};
use threadbare_explore::{Recorder, Stuck, could_go_on, stuck};
use threadbare_vm::{CodePos, Fault, FaultKind, PlainAccess, SourcePos, Teller, VmMachine, program_position};

use crate::report;

/// A story that grows and shrinks at its end together with a machine.
pub struct Telling {
    pub story: Story,
    recorder: Recorder,
    teller: Teller,
    marks: Vec<Mark>,
}

/// Plain accesses that are told of one step: its last ones.
const PLAIN_ACCESSES: usize = 500;

/// Why a step of a schedule cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(pub String);

impl Telling {
    pub fn new(machine: &mut VmMachine) -> Telling {
        machine.tell_plain_accesses();
        let mut telling = Telling {
            story: Story { occurrences: 1, ..Story::default() },
            recorder: Recorder::new(machine),
            teller: Teller::default(),
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
    fn introduce(&mut self, machine: &VmMachine) {
        for i in 0..machine.thread_count() {
            let tid = Tid(i as u16);
            if i == self.story.threads.len() {
                self.story.threads.push(StoryThread { name: machine.names().name(tid).clone(), start: String::new() });
            }
            if self.story.threads[i].start.is_empty() && machine.is_live(tid) {
                self.story.threads[i].start = machine.start_function(tid).unwrap_or_default();
            }
        }
    }

    /// What a step of a schedule means on this machine, if it can be taken now.
    pub fn resolve(machine: &mut VmMachine, step: &ScheduleStep) -> Result<(Tid, Choice), Refusal> {
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
    pub fn step(&mut self, machine: &mut VmMachine, tid: Tid, choice: Choice) -> Step {
        let before = self.others(machine, tid);
        let pending = machine.pending(tid);
        let accesses = machine.accesses(tid, choice);
        let mut objects: Vec<StoryObject> = Vec::new();
        let mut told = Vec::new();
        for access in accesses.iter().filter(|access| is_told(access.space)) {
            let name = self.teller.name(machine, tid, access);
            if objects.iter().any(|object| object.name == name && object.space == access.space) {
                continue;
            }
            let value = self.teller.value(machine, tid, access);
            objects.push(StoryObject { name, space: access.space, mode: access.mode, before: value, after: None });
            told.push(*access);
        }
        let last = self.last();
        let preempts = last.is_some_and(|last| last != tid && could_go_on(machine, last));
        let stack = places(&machine.own_stack(tid));
        let printed = machine.system().state.printed;
        let chosen = chosen(machine, tid, choice);
        let mark = machine.mark();
        self.marks.push(mark);
        // Once to see what it touches, so that the values before can be looked at.
        machine.told_accesses();
        machine.step(tid, choice);
        let mut touched = machine.told_accesses();
        machine.rewind(mark);
        touched.drain(..touched.len().saturating_sub(PLAIN_ACCESSES));
        let accesses_of = |plain: &PlainAccess| {
            Access::memory(if plain.writes { Mode::Write } else { Mode::Read }, plain.address, plain.bytes)
        };
        let before_step: Vec<Option<String>> =
            touched.iter().map(|plain| self.teller.value(machine, tid, &accesses_of(plain))).collect();
        let step = self.recorder.step(machine, tid, choice);
        machine.told_accesses();
        let plain = self.plain(machine, tid, &touched, &before_step);
        self.introduce(machine);
        for (object, access) in objects.iter_mut().zip(&told) {
            object.after = self.teller.value(machine, tid, access);
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
        let output = String::from_utf8_lossy(machine.system().output_since(printed)).into_owned();
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

    /// The plain accesses of a step that has been taken. `before` are the values before the step.
    fn plain(
        &mut self,
        machine: &VmMachine,
        tid: Tid,
        touched: &[PlainAccess],
        before: &[Option<String>],
    ) -> Vec<StoryAccess> {
        let same = |a: &PlainAccess, b: &PlainAccess| (a.address, a.bytes) == (b.address, b.bytes);
        let mut told = Vec::with_capacity(touched.len());
        for (i, plain) in touched.iter().enumerate() {
            let mode = if plain.writes { Mode::Write } else { Mode::Read };
            let access = Access::memory(mode, plain.address, plain.bytes);
            let mut value_of =
                |plain: &PlainAccess| plain.value.and_then(|bits| self.teller.value_with(machine, tid, &access, bits));
            let (mut held, mut after) = (value_of(plain), None);
            if plain.writes {
                // The same write again is not told: the last one stands for those after it.
                let last = !touched[i + 1..].iter().any(|other| other.writes && same(other, plain));
                let earlier = touched[..i].iter().rfind(|other| same(other, plain)).map(&mut value_of);
                after = if last { self.teller.value(machine, tid, &access) } else { held };
                held = earlier.unwrap_or_else(|| before[i].clone());
            }
            let name = self.teller.name(machine, tid, &access);
            let object = StoryObject { name, space: Space::Memory, mode, before: held, after };
            let place = places(&lines(machine, &plain.stack)).into_iter().next().unwrap_or_default();
            told.push(StoryAccess { place, object });
        }
        told
    }

    /// Takes the last step back.
    pub fn back(&mut self, machine: &mut VmMachine) -> bool {
        let Some(mark) = self.marks.pop() else { return false };
        machine.rewind(mark);
        self.recorder.take_back();
        self.story.steps.pop();
        self.story.schedule.0.pop();
        true
    }

    fn others(&self, machine: &mut VmMachine, tid: Tid) -> Vec<(usize, bool)> {
        let pending = machine.all_pending();
        pending.into_iter().filter(|p| p.tid != tid).map(|p| (p.tid.index(), p.choices.any_enabled())).collect()
    }

    fn then(&self, machine: &mut VmMachine, tid: Tid) -> Then {
        if matches!(machine.ending(), Some(Ending::Error(_))) || machine.has_failed(tid) {
            return Then::Failed;
        }
        if machine.is_stopped(tid) {
            return Then::Cut;
        }
        if !machine.is_live(tid) {
            return Then::Ended;
        }
        if machine.pending(tid).choices.any_enabled() { Then::GoesOn } else { Then::Waits(machine.waits_for(tid)) }
    }

    /// What is wrong where the machine stands becomes the end of the story.
    pub fn conclude(&mut self, machine: &mut VmMachine, fault: &Fault) {
        if fault.kind == FaultKind::Livelock {
            for waiter in &fault.waiters {
                if let Some(step) = self.last_step_of(waiter.tid.index()) {
                    self.story.steps[step].then = Then::Spins;
                }
            }
        }
        let mut bug = self.bug(machine, fault);
        if let (Some(other), Some(address), Some(earlier)) = (&fault.other, fault.address, bug.witnesses.first_mut()) {
            earlier.step = self.step_of_access(machine, other.tid, address, &other.stack).or(earlier.step);
        }
        let program = machine.program().clone();
        let named: Vec<(String, SourcePos)> = self.teller.heap_objects(&program).collect();
        bug.notes.extend(origins(&self.story, &bug, &named));
        self.story.bug = Some(bug);
        let threads = self.story.threads.len();
        for step in &mut self.story.steps {
            step.clock.resize(threads, 0);
        }
    }

    /// The step that made an access that the detector remembers.
    fn step_of_access(&mut self, machine: &mut VmMachine, tid: Tid, address: u64, stack: &[CodePos]) -> Option<usize> {
        let steps = self.marks.len();
        let mut found = None;
        let mut from = steps;
        // Where executions go on after a race, the later access has taken the place of this one.
        let mut remembered = false;
        while from > 0 && found.is_none() {
            from -= 1;
            machine.rewind(self.marks[from]);
            let is_there = machine.remembers_access(tid, address, stack);
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
    pub fn next(&mut self, machine: &mut VmMachine, tid: Tid) -> String {
        let pending = machine.pending(tid);
        let choice = pending.choices.enabled().next().unwrap_or_default();
        let accesses = machine.accesses(tid, choice);
        let mut text = pending.operation.name().to_string();
        let mut names: Vec<String> = Vec::new();
        for access in accesses.iter().filter(|access| is_told(access.space)) {
            let name = self.teller.name(machine, tid, access);
            if names.contains(&name) {
                continue;
            }
            text += if names.is_empty() { " " } else { ", " };
            text += &name;
            if let Some(value) = self.teller.value(machine, tid, access) {
                text += &format!(" ({value})");
            }
            names.push(name);
        }
        text
    }

    /// Where a thread stands in the program's own code.
    pub fn place(&self, machine: &VmMachine, tid: Tid) -> Option<Place> {
        machine.own_stack(tid).into_iter().next().map(Place::from)
    }

    /// `name = value` of the variables there.
    pub fn locals(&self, machine: &VmMachine, tid: Tid) -> Vec<String> {
        let stack = machine.thread(tid).stack();
        let own = stack.iter().find(|at| !machine.program().is_library(at.function));
        let locals = own.map_or_else(Vec::new, |at| machine.locals(tid, *at));
        locals.into_iter().take(8).map(|local| format!("{} = {}", local.name, local.value)).collect()
    }

    /// An error as a story tells it.
    pub fn bug(&mut self, machine: &mut VmMachine, fault: &Fault) -> StoryBug {
        let loops = match fault.kind {
            FaultKind::Livelock => self.loops(machine, fault),
            _ => Vec::new(),
        };
        let program = &machine.program().clone();
        let mut witnesses: Vec<StoryWitness> = fault
            .waiters
            .iter()
            .map(|waiter| StoryWitness {
                thread: waiter.tid.index(),
                what: format!("waits for {}", waiter.waits_for),
                stack: places(&program.own_lines(&waiter.stack)),
                step: self.last_step_of(waiter.tid.index()),
                waits_for: match fault.kind {
                    FaultKind::Deadlock => machine.waits_on(waiter.tid).map(Tid::index),
                    _ => None,
                },
            })
            .collect();
        if !loops.is_empty() {
            witnesses = loops;
        }
        if let Some(other) = &fault.other {
            let sides = [(other.tid, other.verb, &other.stack), (fault.tid, other.against, &fault.stack)];
            witnesses.extend(sides.into_iter().map(|(tid, verb, stack)| StoryWitness {
                thread: tid.index(),
                what: format!("{verb} {}", other.object),
                stack: places(&lines(machine, stack)),
                step: self.last_step_of(tid.index()),
                waits_for: None,
            }));
        }
        let mut stack = places(&lines(machine, &fault.stack));
        if let (true, Some(first)) = (stack.is_empty(), fault.waiters.first()) {
            stack = places(&lines(machine, &first.stack));
        }
        // A thread that has gone on since stands somewhere else.
        let stands = machine.ending().is_some() || machine.has_failed(fault.tid);
        let at = (stands && !fault.stack.is_empty()).then(|| program_position(program, &fault.stack));
        let locals = match at {
            Some(at) if fault.waiters.is_empty() && fault.kind != FaultKind::Leak => machine.locals(fault.tid, at),
            _ => Vec::new(),
        };
        StoryBug {
            kind: fault.kind.name().into(),
            message: fault.message.clone(),
            thread: fault.waiters.is_empty().then_some(fault.tid.index()),
            stack,
            witnesses,
            notes: notes(machine, fault),
            locals: locals.into_iter().map(|local| (local.name, local.value)).collect(),
        }
    }
}

impl Telling {
    /// The threads that go round loops, with what they look at there, and those that would change it if they could go on.
    fn loops(&mut self, machine: &mut VmMachine, fault: &Fault) -> Vec<StoryWitness> {
        let mut witnesses: Vec<StoryWitness> = Vec::new();
        let mut looked_at: Vec<(Access, String)> = Vec::new();
        for waiter in &fault.waiters {
            let mut names: Vec<String> = Vec::new();
            let mut stack = places(&machine.program().own_lines(&waiter.stack));
            for look in round(machine, waiter.tid) {
                for access in look.accesses.iter().filter(|access| is_told(access.space)) {
                    let name = self.teller.name(machine, waiter.tid, access);
                    let value = self.teller.value(machine, waiter.tid, access);
                    let words = format!("`{name}`{}", value.map_or(String::new(), |value| format!(" ({value})")));
                    if !names.contains(&words) {
                        if names.is_empty() && !look.stack.is_empty() {
                            stack = places(&look.stack);
                        }
                        names.push(words);
                        looked_at.push((Access { mode: Mode::Write, ..*access }, name));
                    }
                }
            }
            let what = match names.as_slice() {
                [] => waiter.waits_for.clone(),
                [one] => format!("{one} to change"),
                several => format!("one of {} to change", several.join(", ")),
            };
            let step = self.last_step_of(waiter.tid.index());
            let what = format!("waits for {what}");
            witnesses.push(StoryWitness { thread: waiter.tid.index(), what, stack, step, waits_for: None });
        }
        let others: Vec<Tid> = machine.live_threads().collect();
        for tid in others.into_iter().filter(|tid| fault.waiters.iter().all(|waiter| waiter.tid != *tid)) {
            // Who waits for the end of others is mostly about to end itself, and may call whatever runs then.
            if machine.pending(tid).operation == Operation::ThreadJoin {
                continue;
            }
            let Some(set) = machine.may_access(tid) else { continue };
            let changes = looked_at.iter().find(|(access, _)| set.names(access));
            if let Some((_, name)) = changes {
                witnesses.push(StoryWitness {
                    thread: tid.index(),
                    what: format!("could change `{name}`, but waits for {}", machine.waits_for(tid)),
                    stack: places(&machine.own_stack(tid)),
                    step: self.last_step_of(tid.index()),
                    waits_for: None,
                });
            }
        }
        witnesses
    }
}

/// One operation of a loop.
struct Look {
    operation: Operation,
    accesses: Accesses,
    stack: Vec<SourcePos>,
}

/// What a thread does in one round of the loop that it goes round for ever.
fn round(machine: &mut VmMachine, tid: Tid) -> Vec<Look> {
    let mark = machine.mark();
    let mut looks: Vec<Look> = Vec::new();
    let mut seen: Vec<(Fingerprint, usize)> = Vec::new();
    while machine.is_live(tid) {
        let local = machine.local_fingerprint(tid).filter(|_| machine.may_wait(tid));
        if let Some(&(_, first)) = seen.iter().find(|(known, _)| Some(*known) == local) {
            looks.drain(..first);
            break;
        }
        seen.extend(local.map(|local| (local, looks.len())));
        let pending = machine.pending(tid);
        let Some(choice) = pending.choices.enabled().next() else { break };
        let accesses = machine.accesses(tid, choice);
        looks.push(Look { operation: pending.operation, accesses, stack: machine.own_stack(tid) });
        machine.step(tid, choice);
    }
    machine.rewind(mark);
    looks
}

/// Whether the loop that a thread goes round for ever looks at the clock: it may wait for time to pass.
pub fn looks_at_clock(machine: &mut VmMachine, tid: Tid) -> bool {
    round(machine, tid).iter().any(|look| look.operation == Operation::Clock)
}

/// Whether a thread can take a step with a choice now, and why not.
pub fn can_take(machine: &mut VmMachine, tid: Tid, choice: Choice) -> Result<(), Refusal> {
    let name = machine.names().name(tid).clone();
    if let Some(ending) = machine.ending() {
        return Err(Refusal(match ending {
            Ending::Exit(status) => format!("the process has ended with status {status}"),
            Ending::Error(_) => "the execution has ended with an error".into(),
        }));
    }
    if tid.index() >= machine.thread_count() || !machine.is_live(tid) {
        let why = if machine.is_stopped(tid) {
            "was stopped by a failed assume"
        } else if machine.has_failed(tid) {
            "was stopped by its error"
        } else if machine.has_been_created(tid) {
            "has ended"
        } else {
            "has not been created yet"
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
#[expect(clippy::vec_box, reason = "machines keep them so")]
pub fn faults_of(machine: &mut VmMachine) -> Vec<Box<Fault>> {
    let mut faults: Vec<Box<Fault>> = machine.noted().iter().cloned().map(Box::new).collect();
    match machine.ending() {
        Some(Ending::Error(fault)) => faults.push(fault.clone()),
        Some(Ending::Exit(_)) => {}
        // Whom a failed thread leaves waiting is no bug of its own.
        None if machine.any_failed() => {}
        None => faults.extend(stuck(machine).map(|stuck| fault_of_stuck(machine, &stuck))),
    }
    faults
}

/// Where a thread goes round a loop for ever, it is a livelock, whoever else waits for that thread.
pub fn fault_of_stuck(machine: &VmMachine, stuck: &Stuck) -> Box<Fault> {
    if stuck.spinning.is_empty() { machine.deadlock() } else { machine.livelock(&stuck.spinning) }
}

/// What was chosen, in a form that means the same in every search: a signal that wakes somebody names whom.
pub fn chosen(machine: &mut VmMachine, tid: Tid, choice: Choice) -> Chosen {
    let signal = machine.pending(tid).operation == Operation::CondSignal;
    let wakes = signal && machine.accesses(tid, choice).iter().any(|access| access.space == Space::Wake);
    if wakes { Chosen::Thread(machine.names().name(Tid(choice.0 as u16)).clone()) } else { choice.into() }
}

/// Steps by numbers as a schedule; the machine stands at their start, and is left there.
pub fn schedule_of(machine: &mut VmMachine, steps: &[(Tid, Choice)]) -> Schedule {
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

fn lines(machine: &VmMachine, stack: &[CodePos]) -> Vec<SourcePos> {
    let own = machine.program().own_lines(stack);
    match stack.first() {
        Some(_) if own.is_empty() => machine.program().source_of(program_position(machine.program(), stack)),
        _ => own,
    }
}

pub fn places(lines: &[SourcePos]) -> Vec<Place> {
    lines.iter().cloned().map(Place::from).collect()
}

/// Where the heap objects come from that the story names: those of one place together.
fn origins(story: &Story, bug: &StoryBug, named: &[(String, SourcePos)]) -> Vec<String> {
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

fn notes(machine: &VmMachine, fault: &Fault) -> Vec<String> {
    let mut notes = Vec::new();
    let program = machine.program();
    let place = |at: CodePos| {
        let at = program.source_of(at).swap_remove(0);
        format!("{}:{} in `{}`", report::path(&at.file), at.line, at.function)
    };
    if let Some(object) = &fault.object {
        let (what, local) = (&object.description, object.description.starts_with("local"));
        if let Some(at) = object.allocated_at.filter(|_| !local) {
            notes.push(format!("the {what} of {} bytes was allocated at {}", object.size, place(at)));
        }
        if let Some(at) = object.freed_at {
            notes.push(format!("it {} at {}", if local { "ended its life" } else { "was freed" }, place(at)));
        }
    }
    notes
}
