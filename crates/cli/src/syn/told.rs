//! An execution that was told as a SYN-sequence.
//!
//! What a step does to each object is a part of its event; versions are counted as in a log. What orders steps besides (who wakes
//! whom, parts of objects that have other names) is known from the clocks of the story: where the versions do not say it, the
//! earlier event makes an object of its own, `step N of T`, which the later one reads.
//!
//! Operations that commute though they change something (posts of a semaphore, read locks) are kept in the order in which
//! they happened: a sequence may then have fewer linearisations than the program.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use threadbare_core::source::Span;
use threadbare_core::{Mode, Operation, Story, StoryStep};
use threadbare_syn::log::{Log, Touch};
use threadbare_syn::order::known;
use threadbare_syn::sequence::{Op, Remarks, Value};
use threadbare_syn::{Recording, Sequence, text};

use crate::story::faults_of;
use crate::told::Told;

/// An execution as it is recorded: its end is the last thing that happens.
///
/// The process ends when nobody else can move, or cuts off what others would have done: then that is not in this execution. Either way
/// everything that there is comes before `exit`. If the threads end one by one, it is over with the last of them, whichever that is, and
/// nobody's own step ends it.
pub struct Execution(Story);

impl Execution {
    pub fn new(mut story: Story) -> Execution {
        let mut count = vec![0; story.threads.len()];
        story.steps.iter().for_each(|step| count[step.thread] += 1);
        let Some((last, before)) = story.steps.split_last_mut() else { return Execution(story) };
        if last.operation != Operation::Exit {
            return Execution(story);
        }
        let own = before.iter().rfind(|step| step.thread == last.thread);
        if own.is_some_and(|own| own.operation == Operation::ThreadEnd) {
            story.steps.pop();
            story.schedule.0.pop();
        } else {
            last.clock = count;
        }
        Execution(story)
    }

    /// The steps of it, each an event.
    pub fn story(&self) -> &Story {
        &self.0
    }
}

/// How the order of a sequence stands to that of the steps that it was made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fit {
    Exact,
    /// Some steps are ordered that could have come the other way round: posts of a semaphore, read locks.
    Stricter,
    /// Some order is missing: a fault of our own.
    Looser,
}

/// Held against the clocks of the story, which know the order by themselves.
pub fn fit(Execution(story): &Execution, recording: &Recording) -> Fit {
    let sequence = &recording.sequence;
    let mut indices = vec![0; story.threads.len()];
    let events: Vec<usize> = story
        .steps
        .iter()
        .map(|step| {
            indices[step.thread] += 1;
            sequence.event_at(step.thread as u32, indices[step.thread] - 1) as usize
        })
        .collect();
    let (mut fit, mut said) = (Fit::Exact, vec![0; sequence.events.len()]);
    for thread in 0..story.threads.len() {
        known(sequence, &recording.order, thread as u32, &mut said);
        for (step, &event) in story.steps.iter().zip(&events) {
            match said[event].cmp(&step.clock.get(thread).copied().unwrap_or(0)) {
                Ordering::Less => return Fit::Looser,
                Ordering::Equal => {}
                Ordering::Greater => fit = Fit::Stricter,
            }
        }
    }
    fit
}

/// A process for each thread, an event for each step.
pub fn sequence(Execution(story): &Execution) -> Sequence {
    let mut touches: Vec<Vec<Touch>> = story.steps.iter().map(touches_of).collect();
    order_by_clocks(story, &mut touches);
    let mut log = Log::lenient();
    for thread in &story.threads {
        log.process(&thread.name.to_string(), &thread.start);
    }
    for (step, touches) in story.steps.iter().zip(&touches) {
        let place = step.stack.first();
        let remarks = Remarks {
            pc: None,
            line: place.map(|place| (crate::report::path(&place.file), place.line)),
            // Where a thread starts and ends there is no source.
            label: match place.map(|place| place.function.clone()).filter(|function| !function.is_empty()) {
                None => Some(step.operation.name().trim_start_matches("thread ").to_string()),
                function => function,
            },
        };
        log.happens(step.thread, touches, remarks, Span::default()).expect("a lenient log takes everything");
    }
    log.finish()
}

/// The error that an execution ends in, if it does.
pub fn ends_in<M: Told>(machine: &mut M) -> Option<String> {
    let fault = faults_of(machine).into_iter().next()?;
    let place = machine.place_of(&fault);
    let place = place.map_or(String::new(), |at| format!(" at {}:{}", crate::report::path(&at.file), at.line));
    Some(format!("{}, {}{place}", M::kind(&fault).name(), M::message(&fault)))
}

/// A sequence as text, marked if it is only the beginning of an execution.
pub fn marked(mut sequence: Sequence, error: Option<String>) -> String {
    sequence.error = error;
    text::write(&sequence)
}

/// A value as reports write it: truth values and letters are numbers in C, and names of enumerations have theirs behind them.
fn number(text: &str) -> Option<Value> {
    match text {
        "false" => Some(0),
        "true" => Some(1),
        _ => match text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).map(str::as_bytes) {
            Some([letter]) => Some((*letter).into()),
            _ => {
                let named = text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
                named.map_or(text, |(_, number)| number).parse().ok()
            }
        },
    }
}

fn touches_of(step: &StoryStep) -> Vec<Touch> {
    let number = |value: &Option<String>| value.as_deref().and_then(number);
    let touch = |object: &threadbare_core::StoryObject| {
        let reads = object.mode == Mode::Read;
        let op = if reads { Op::Read } else { operation(step.operation) };
        // What is only for order, such as the end of a block of memory, has no value: the bits of a structure are none.
        let number = |value: &Option<String>| number(value).filter(|_| op != Op::Sync);
        let value = if reads { number(&object.before) } else { number(&object.after) };
        Touch { op, object: object.name.clone(), before: number(&object.before), value }
    };
    let mut touches: Vec<Touch> = Vec::new();
    for one in step.objects.iter().filter(|object| !object.name.is_empty()).map(touch) {
        // A mutex and the memory that it lies in have one name.
        match touches.iter_mut().find(|known| known.object == one.object) {
            Some(known) if known.op == Op::Read => *known = one,
            Some(_) => {}
            None => touches.push(one),
        }
    }
    touches
}

/// What is written of an operation that changes its object.
fn operation(operation: Operation) -> Op {
    use Operation::*;
    match operation {
        Store => Op::Write,
        Load | ReadModifyWrite | CompareExchange => Op::Update,
        MutexLock | MutexTryLock | MutexTimedLock | SpinLock | SpinTryLock | RwWriteLock | RwReadLock => Op::Lock,
        MutexUnlock | SpinUnlock | RwUnlock => Op::Unlock,
        SemWait | SemTryWait | SemTimedWait => Op::Wait,
        SemPost => Op::Post,
        ThreadCreate => Op::Create,
        ThreadJoin | ThreadTryJoin | ThreadTimedJoin => Op::Join,
        _ => Op::Sync,
    }
}

/// What a step is called that orders others by itself.
fn own_step(story: &Story, thread: usize, number: usize) -> String {
    format!("step {number} of {}", story.threads[thread].name)
}

/// A step whose object has no name.
fn nameless(step: &StoryStep, object: String) -> Touch {
    let op = if step.operation == Operation::ThreadCreate { Op::Create } else { Op::Sync };
    Touch { op, object, before: None, value: None }
}

/// What the versions of objects say of each step, beside what its clock says.
fn order_by_clocks(story: &Story, touches: &mut [Vec<Touch>]) {
    #[derive(Default)]
    struct Seen {
        write: Vec<u32>,
        reads: Vec<u32>,
    }
    fn join(known: &mut Vec<u32>, other: &[u32]) {
        known.resize(known.len().max(other.len()), 0);
        known.iter_mut().zip(other).for_each(|(a, b)| *a = (*a).max(*b));
    }
    let mut objects: BTreeMap<String, Seen> = BTreeMap::new();
    // The steps of each thread, and what each of them knows by versions alone.
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); story.threads.len()];
    let mut by_versions: Vec<Vec<u32>> = Vec::new();
    for (number, step) in story.steps.iter().enumerate() {
        let mut now = own[step.thread].last().map_or(Vec::new(), |&before| by_versions[before].clone());
        now.resize(story.threads.len(), 0);
        now[step.thread] += 1;
        for touch in &touches[number] {
            let seen = objects.entry(touch.object.clone()).or_default();
            join(&mut now, &seen.write);
            if touch.op != Op::Read {
                join(&mut now, &seen.reads);
            }
        }
        for thread in (0..step.clock.len()).filter(|&thread| thread != step.thread) {
            let must = step.clock[thread];
            if now[thread] >= must {
                continue;
            }
            let earlier = own[thread][must as usize - 1];
            let object = own_step(story, thread, must as usize - 1);
            if !touches[earlier].iter().any(|touch| touch.object == object) {
                touches[earlier].push(nameless(&story.steps[earlier], object.clone()));
            }
            touches[number].push(Touch { op: Op::Read, object, before: None, value: None });
            join(&mut now, &by_versions[earlier]);
        }
        if touches[number].is_empty() {
            let object = own_step(story, step.thread, own[step.thread].len());
            touches[number].push(nameless(step, object));
        }
        for touch in &touches[number] {
            let seen = objects.entry(touch.object.clone()).or_default();
            match touch.op {
                Op::Read => join(&mut seen.reads, &now),
                _ => *seen = Seen { write: now.clone(), reads: Vec::new() },
            }
        }
        own[step.thread].push(number);
        by_versions.push(now);
    }
}
