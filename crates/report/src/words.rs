//! Threads, steps and accesses in words.

use threadbare_core::{Chosen, Mode, Operation, Place, Space, Story, StoryObject, StoryStep, Then};

use crate::style::Glyphs;

/// `the main thread`, `thread 0.1`
pub fn thread(story: &Story, index: usize) -> String {
    match story.threads.get(index) {
        Some(_) if index == 0 => "the main thread".into(),
        Some(thread) => format!("thread {}", thread.name),
        None => "a thread".into(),
    }
}

/// `0.1`
pub fn number(story: &Story, index: usize) -> String {
    story.threads.get(index).map_or("?".into(), |thread| thread.name.to_string())
}

/// `0.1 worker`
pub fn title(story: &Story, index: usize) -> String {
    match story.threads.get(index) {
        Some(thread) => format!("{} {}", thread.name, thread.start).trim_end().to_string(),
        None => "?".into(),
    }
}

/// One touch of an object by a step, or by the local code behind it, in the order of the story.
#[derive(Clone, Copy)]
pub struct Touch<'s> {
    pub step: usize,
    pub thread: usize,
    pub place: Option<&'s Place>,
    pub object: &'s StoryObject,
    /// Reads and writes at once.
    pub whole: bool,
}

impl Touch<'_> {
    pub fn reads(&self) -> bool {
        self.object.mode == Mode::Read || self.whole
    }

    pub fn writes(&self) -> bool {
        self.object.mode != Mode::Read
    }
}

pub fn touches(story: &Story) -> Vec<Touch<'_>> {
    let mut all = Vec::new();
    for (index, step) in story.steps.iter().enumerate() {
        let whole = matches!(step.operation, Operation::ReadModifyWrite | Operation::CompareExchange);
        let own = step.objects.iter().filter(|_| !is_library(step)).map(|object| (step.stack.first(), object, whole));
        let plain = step.plain.iter().map(|access| (Some(&access.place), &access.object, false));
        all.extend(own.chain(plain).map(|(place, object, whole)| Touch {
            step: index,
            thread: step.thread,
            place,
            object,
            whole,
        }));
    }
    all
}

/// A step that says nothing by itself: the beginning and the end of a thread, and what the library does on its own.
pub fn is_quiet(step: &StoryStep) -> bool {
    use Operation::*;
    let own_business = match step.operation {
        Start | ThreadEnd | Yield | Sleep | SleepUntil | HiddenState => true,
        // One that finds a cancellation ends its thread.
        TestCancel => !matches!(step.then, Then::Ended),
        Clock => step.chosen == Chosen::Number(0),
        // Who has locked it has done what there is to do.
        MutexUnlock => step.objects.iter().any(is_file),
        _ => false,
    };
    let writes = step.plain.iter().any(|access| access.object.mode != Mode::Read);
    (own_business || is_library(step)) && step.then != Then::Failed && !writes
}

/// The lock of a virtual file, or of a stream.
pub fn is_file(object: &StoryObject) -> bool {
    object.space == Space::Mutex && FILES.iter().any(|words| object.name.starts_with(words))
}

/// As the teller of stories calls them (vm/src/opened.rs).
const FILES: &[&str] = &["the file ", "the stream ", "the pipe ", "the table of files", "a stream"];

/// What the library does on its own, as it frees the arguments of a thread that starts.
pub fn is_library(step: &StoryStep) -> bool {
    use Operation::*;
    step.stack.is_empty() && matches!(step.operation, Free | Load | Store | ReadModifyWrite | Exit)
}

/// What a step does, in as few words as a lane has room for: `count: 0 → 1`.
pub fn step(story: &Story, step: &StoryStep, glyphs: &Glyphs) -> String {
    use Operation::*;
    let names = || {
        let known = step.objects.iter().filter(|object| !matches!(object.space, Space::Hidden | Space::Process));
        known.map(|object| object.name.as_str()).filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
    };
    let first = step.objects.first();
    let name = |space: Space| {
        step.objects.iter().find(|object| object.space == space).map_or(String::new(), |object| object.name.clone())
    };
    let late = if timed(step.operation) && step.chosen == Chosen::Number(1) { ": time runs out" } else { "" };
    let affected = || step.affects.iter().map(|&thread| number(story, thread)).collect::<Vec<_>>().join(", ");
    let text = match step.operation {
        Load | Store | ReadModifyWrite | CompareExchange if first.is_some() && !is_library(step) => {
            let object = first.expect("there is one");
            // Two values may read alike and be different: what was touched how tells.
            let failed = step.operation == CompareExchange && object.mode == Mode::Read;
            match failed {
                true => format!("{}, compare-exchange fails", access(object, false, glyphs)),
                false => access(object, step.operation != Load, glyphs),
            }
        }
        _ if is_library(step) => "goes on".into(),
        Start => "starts".into(),
        ThreadEnd => "ends".into(),
        MutexLock | SpinLock => format!("lock {}", names()),
        MutexTimedLock => format!("timedlock {}{late}", names()),
        MutexTryLock | SpinTryLock => format!("trylock {}{}", names(), busy(first)),
        MutexUnlock | SpinUnlock | RwUnlock => format!("unlock {}", names()),
        RwReadLock => format!("rdlock {}", names()),
        RwWriteLock => format!("wrlock {}", names()),
        RwTimedReadLock => format!("timedrdlock {}{late}", names()),
        RwTimedWriteLock => format!("timedwrlock {}{late}", names()),
        RwTryReadLock => format!("tryrdlock {}{}", names(), busy(first)),
        RwTryWriteLock => format!("trywrlock {}{}", names(), busy(first)),
        CondEnter => match (name(Space::Cond), name(Space::Mutex)) {
            (cond, mutex) if !mutex.is_empty() => format!("wait on {cond}, unlock {mutex}"),
            (cond, _) => format!("wait on {cond}"),
        },
        operation if is_cancelled(operation, &step.chosen) => "is cancelled".into(),
        CondLeave | CondLeaveTimed => {
            let how = match late.is_empty() {
                false => "stops waiting",
                true if wakes_by_itself(story, step) => "wakes by itself",
                true => "woken",
            };
            match name(Space::Cond) {
                cond if cond.is_empty() => format!("{how}{late}"),
                cond => format!("{how} on {cond}{late}"),
            }
        }
        CondSignal | CondBroadcast => {
            let verb = if step.operation == CondSignal { "signal" } else { "broadcast" };
            match step.affects.is_empty() {
                true => format!("{verb} {}: nobody waits", name(Space::Cond)),
                false => format!("{verb} {}: wakes {}", name(Space::Cond), affected()),
            }
        }
        SemWait | SemTryWait | SemPost | SemTimedWait | SemGetValue if first.is_some() => {
            let object = first.expect("there is one");
            format!("{} {}{}{late}", step.operation.name(), object.name, change(object, glyphs))
        }
        ThreadCreate => format!("create {}", affected()),
        ThreadJoin | ThreadTryJoin | ThreadTimedJoin | ThreadDetach | ThreadCancel => {
            let verb = step.operation.name().trim_start_matches("thread ");
            let whom = name(Space::Thread);
            format!("{verb} {}{late}", whom.trim_start_matches("thread "))
        }
        BarrierArrive => format!("reach barrier {}", names()),
        BarrierLeave => format!("pass barrier {}", names()),
        // The rank of the value: from 1, as people count.
        Choose | Nondet => match step.chosen {
            Chosen::Number(rank) => format!("takes value {} of {}", rank + 1, step.choices),
            Chosen::Thread(_) => "takes a value".into(),
        },
        HiddenState => "calls the library".into(),
        Unseen => "runs machine code".into(),
        Label => "passes the label".into(),
        // Cancellation points are everywhere: where nobody cancels they are nothing.
        TestCancel if !story.steps.iter().any(|step| step.operation == ThreadCancel) => "goes on".into(),
        TestCancel => "looks for a cancellation".into(),
        Sleep | SleepUntil => "time passes".into(),
        Clock if step.chosen == Chosen::Number(0) => "look at the clock".into(),
        Clock => "look at the clock: a day has passed".into(),
        Free => format!("free {}", names()),
        Recorded => names(),
        other => format!("{} {}", other.name(), names()),
    };
    text.trim_end().to_string()
}

/// The choices of waits that have ends of their own: docs/json.md.
const CANCEL: u32 = 2;
const SPURIOUS: u32 = 3;

/// Whether a thread that waits on a condition variable has chosen so when it began to.
fn wakes_by_itself(story: &Story, leave: &StoryStep) -> bool {
    let before = story.steps.iter().take_while(|step| !std::ptr::eq(*step, leave));
    let enter = before.filter(|step| step.thread == leave.thread && step.operation == Operation::CondEnter).last();
    enter.is_some_and(|enter| enter.chosen == Chosen::Number(SPURIOUS))
}

fn is_cancelled(operation: Operation, chosen: &Chosen) -> bool {
    use Operation::*;
    let may = matches!(operation, CondLeave | CondLeaveTimed | SemWait | SemTimedWait | ThreadJoin | ThreadTimedJoin);
    may && *chosen == Chosen::Number(CANCEL)
}

fn timed(operation: Operation) -> bool {
    use Operation::*;
    matches!(
        operation,
        MutexTimedLock | CondLeaveTimed | RwTimedReadLock | RwTimedWriteLock | SemTimedWait | ThreadTimedJoin
    )
}

/// One that does not get the lock only looks at it.
fn busy(object: Option<&StoryObject>) -> &'static str {
    if object.is_some_and(|object| object.mode == Mode::Read) { ": busy" } else { "" }
}

/// `: 0 → 1`, or nothing where values are not known.
fn change(object: &StoryObject, glyphs: &Glyphs) -> String {
    match (&object.before, &object.after) {
        (Some(before), Some(after)) => format!(": {before} {} {after}", glyphs.becomes),
        (None, Some(after)) => format!(": {} {after}", glyphs.becomes),
        _ => String::new(),
    }
}

/// ` = 0` of what was read, `: 0 → 1` of what was written.
pub fn values(object: &StoryObject, glyphs: &Glyphs) -> String {
    match (object.mode, &object.before) {
        (Mode::Read, Some(value)) => format!(" = {value}"),
        (Mode::Read, None) => String::new(),
        _ => change(object, glyphs),
    }
}

/// `read count = 0`, `count: 0 → 1`
pub fn access(object: &StoryObject, writes: bool, glyphs: &Glyphs) -> String {
    if !writes {
        return match object.before.as_ref().or(object.after.as_ref()) {
            Some(value) => format!("read {} = {value}", object.name),
            None => format!("read {}", object.name),
        };
    }
    match (&object.before, &object.after) {
        (None, None) => format!("write {}", object.name),
        _ => format!("{}{}", object.name, change(object, glyphs)),
    }
}

/// What a thread waits for, in few words and without backticks.
pub fn brief(what: &str) -> String {
    without_routines(what)
        .replace('`', "")
        .replace(", held by thread ", ", held by ")
        .replace("a signal of condition variable ", "a signal on ")
}

/// Without what the heads of lanes say already: ``thread 0.1 (`dine`)`` is `thread 0.1`.
pub fn without_routines(what: &str) -> String {
    let mut rest = what;
    let mut text = String::new();
    while let Some(at) = rest.find(" (`") {
        let Some(end) = rest[at..].find("`)") else { break };
        text += &rest[..at];
        rest = &rest[at + end + 2..];
    }
    text + rest
}

/// The words that a message puts in backticks.
pub fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The names in a line of C, without its strings and comments.
pub fn identifiers(code: &str) -> Vec<String> {
    let code = code.split("//").next().unwrap_or("").split("/*").next().unwrap_or("");
    let outside: String = code.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let mut names: Vec<String> = Vec::new();
    for word in outside.split(|c: char| !c.is_alphanumeric() && c != '_') {
        if word.starts_with(|c: char| c.is_alphabetic() || c == '_') && !names.iter().any(|name| name == word) {
            names.push(word.to_string());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_line() {
        assert_eq!(
            identifiers(r#"assert(queue->count == 2 && "never"); // as it should"#),
            ["assert", "queue", "count"]
        );
        let what = "mutex `b`, held by thread 0.1 (`two`)";
        assert_eq!(without_routines(what), "mutex `b`, held by thread 0.1");
        assert_eq!(quoted("waits for mutex `a`, held by `b`").collect::<Vec<_>>(), ["a", "b"]);
    }
}
