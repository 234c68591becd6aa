//! Which steps of a story matter to its bug. It begins with the steps that the bug names and the objects that it is
//! about, takes the steps on those objects, those by which threads were overtaken, then what their threads had read before
//! them, and fills up to a screen.
//! What is left out is folded, never lost: `Style::full` shows it.

use std::collections::BTreeSet;

use threadbare_core::{Operation, Place, Space, Story, StoryStep, Then};

use crate::source::Sources;
use crate::words::{Touch, identifiers, is_file, is_library, is_quiet, quoted, touches};

/// As many steps are shown without folding anything.
const SHORT: usize = 14;
/// As many steps are shown of a long story.
const LONG: usize = 28;
/// Steps of one thread on one object.
const EACH: usize = 4;
/// Writes on the strength of what was not so any more.
const ACTS: usize = 2;
/// As far as one looks back for what that was.
const FAR: usize = 1000;

/// An object by the name that the source gives it.
pub type Object = (String, Space);

/// Objects that the bug is about.
pub fn objects(story: &Story, sources: &Sources) -> BTreeSet<Object> {
    let Some(bug) = &story.bug else { return BTreeSet::new() };
    let all = touches(story);
    let known: BTreeSet<Object> =
        all.iter().map(|touch| (touch.object.name.clone(), touch.object.space)).filter(names_something).collect();
    let mut found = BTreeSet::new();
    let mut take = |word: &str, exact: bool| {
        found.extend(known.iter().filter(|(name, _)| name == word || !exact && is_part(name, word)).cloned());
    };
    quoted(&bug.message).for_each(|word| take(word, true));
    for witness in &bug.witnesses {
        quoted(&witness.what).for_each(|word| take(word, true));
    }
    // What a lock protects matters where the lock is not itself the matter.
    let about_memory = !matches!(bug.kind.as_str(), "deadlock" | "mutex-misuse" | "thread-misuse");
    if about_memory && bug.witnesses.is_empty() {
        if let Some((place, line)) = bug.stack.first().and_then(|place| Some((place, sources.line(place)?))) {
            identifiers(&line).iter().for_each(|word| take(word, false));
            // Of an array, the elements that it looked at there.
            let mine = all.iter().filter(|touch| Some(touch.thread) == bug.thread);
            let here: Vec<Object> =
                mine.filter(|touch| touch.place.is_some_and(|at| at.line == place.line)).map(key).collect();
            let looked_past = |object: &Object| {
                element_of(object).is_some_and(|array| here.iter().any(|other| element_of(other) == Some(array)))
            };
            found.retain(|object| here.contains(object) || !looked_past(object));
        }
        found.retain(|(_, space)| matches!(space, Space::Memory | Space::Semaphore | Space::Hidden));
        if found.is_empty() {
            let mine = all.iter().rev().filter(|touch| Some(touch.thread) == bug.thread);
            let memory = mine.filter(|touch| touch.object.space == Space::Memory && names_something(&key(touch)));
            found.extend(memory.take(2).map(key));
        }
    }
    if bug.kind == "livelock" {
        let spins = story.steps.iter().filter(|step| step.then == Then::Spins);
        let looks_at = spins.filter(|step| !is_library(step)).flat_map(|step| &step.objects);
        found.extend(looks_at.map(|object| (object.name.clone(), object.space)));
    }
    found
}

fn key(touch: &Touch<'_>) -> Object {
    (touch.object.name.clone(), touch.object.space)
}

fn names_something((name, space): &Object) -> bool {
    !name.is_empty() && !matches!(space, Space::Thread | Space::Process | Space::Wake)
}

/// Whether `word` is a name on the way to the object: `queue.head` has the parts `queue` and `head`.
fn is_part(name: &str, word: &str) -> bool {
    name.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

/// The array whose element it is: `queue.items` of `queue.items[3]`.
fn element_of((name, _): &Object) -> Option<&str> {
    name.strip_suffix(']').and_then(|name| name.rsplit_once('[')).map(|(array, _)| array)
}

/// For every step, whether it is shown.
pub fn shown(story: &Story, sources: &Sources, full: bool) -> Vec<bool> {
    let steps = &story.steps;
    let loud = steps.iter().filter(|step| !is_quiet(step)).count();
    if full || story.bug.is_none() && story.lasso.is_none() {
        return vec![true; steps.len()];
    }
    let mut order = Order { rank: vec![usize::MAX; steps.len()], next: 0 };
    let all = touches(story);
    let objects = objects(story, sources);

    for_ever(story, &mut order);
    named(story, sources, &mut order);
    of_objects(story, &all, &objects, &mut order);
    of_files(story, &all, &mut order);
    overtaken(&all, &mut order);
    behind(&all, &objects, &mut order);
    if objects.is_empty() {
        // Nothing tells what matters: what came last does.
        let last = (0..steps.len()).rev().filter(|&i| !is_quiet(&steps[i]));
        last.take(SHORT).for_each(|i| order.take(i));
    }

    let limit = if loud <= SHORT { loud } else { LONG };
    if loud <= SHORT {
        (0..steps.len()).filter(|&i| !is_quiet(&steps[i])).for_each(|i| order.take(i));
    }
    let mut keep: Vec<bool> = order.rank.iter().map(|&rank| rank < limit).collect();
    creations(story, &mut keep);
    keep
}

/// Steps in the order of their weight.
struct Order {
    rank: Vec<usize>,
    next: usize,
}

impl Order {
    fn take(&mut self, step: usize) {
        if self.rank[step] == usize::MAX {
            self.rank[step] = self.next;
            self.next += 1;
        }
    }

    fn has(&self, step: usize) -> bool {
        self.rank[step] != usize::MAX
    }
}

/// The steps that change what a formula is about, and those of its cycle.
fn for_ever(story: &Story, order: &mut Order) {
    let Some(lasso) = &story.lasso else { return };
    let changes = |&step: &usize| lasso.changes(step).next().is_some();
    (lasso.cycle..story.steps.len()).filter(changes).for_each(|step| order.take(step));
    (0..lasso.cycle).rev().filter(changes).take(SHORT).for_each(|step| order.take(step));
    let loud = |&step: &usize| !is_quiet(&story.steps[step]);
    (lasso.cycle..story.steps.len()).filter(loud).for_each(|step| order.take(step));
}

/// The steps that the bug itself names: where it shows, its witnesses, the places in its notes.
fn named(story: &Story, sources: &Sources, order: &mut Order) {
    let Some(bug) = &story.bug else { return };
    let last_of = |thread: usize| story.steps.iter().rposition(|step| step.thread == thread);
    let failed = story.steps.iter().rposition(|step| step.then == Then::Failed);
    failed.into_iter().chain(bug.thread.and_then(last_of)).for_each(|step| order.take(step));
    for witness in &bug.witnesses {
        witness.step.or_else(|| last_of(witness.thread)).into_iter().for_each(|step| order.take(step));
    }
    let mentioned = |place: &Place| {
        let place = sources.place(place);
        bug.notes.iter().any(|note| note.split(' ').any(|word| word == place))
    };
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (i, step) in story.steps.iter().enumerate().rev() {
        let places = step.stack.first().into_iter().chain(step.plain.iter().map(|access| &access.place));
        for place in places.filter(|place| mentioned(place)) {
            if seen.insert(sources.place(place)) {
                order.take(i);
            }
        }
    }
    if matches!(bug.kind.as_str(), "use-after-free" | "double-free") {
        let frees = |step: &StoryStep| step.operation == Operation::Free && step.then != Then::Failed;
        let free = story.steps.iter().rposition(|step| frees(step) && !is_library(step));
        free.into_iter().for_each(|step| order.take(step));
    }
}

/// Steps on the objects of the bug, the last ones of each thread.
fn of_objects(story: &Story, all: &[Touch<'_>], objects: &BTreeSet<Object>, order: &mut Order) {
    for object in objects {
        let mut taken = vec![0; story.threads.len()];
        for touch in all.iter().rev().filter(|touch| key(touch) == *object) {
            let known = order.has(touch.step);
            if let Some(count) = taken.get_mut(touch.thread).filter(|count| known || **count < EACH) {
                *count += 1;
                order.take(touch.step);
            }
        }
    }
}

/// Steps on files that several threads use, the last ones of each: what a thread reads hangs on them.
fn of_files(story: &Story, all: &[Touch<'_>], order: &mut Order) {
    let is_use =
        |touch: &&Touch<'_>| is_file(touch.object) && story.steps[touch.step].operation != Operation::MutexUnlock;
    let uses: Vec<&Touch<'_>> = all.iter().filter(is_use).collect();
    let files: BTreeSet<Object> = uses.iter().map(|touch| key(touch)).collect();
    let shared = |file: &Object| {
        let threads: BTreeSet<usize> =
            uses.iter().filter(|touch| key(touch) == *file).map(|touch| touch.thread).collect();
        threads.len() > 1
    };
    let shared: BTreeSet<Object> = files.into_iter().filter(shared).collect();
    of_objects(story, &uses.into_iter().copied().collect::<Vec<_>>(), &shared, order);
}

/// Reads that were out of date when their thread acted on them: it reads, another thread writes there, and it goes on to its
/// next write without another look. The last such writes, each with what was read before it, and who changed that.
fn overtaken(all: &[Touch<'_>], order: &mut Order) {
    let memory = |touch: &&Touch<'_>| touch.object.space == Space::Memory && names_something(&key(touch));
    let changes = |touch: &Touch<'_>| touch.writes() && touch.object.before != touch.object.after;
    let all: Vec<&Touch<'_>> = all.iter().filter(memory).collect();
    let mut acts = 0;
    for (at, act) in all.iter().enumerate().rev().filter(|(_, touch)| changes(touch)) {
        let own = |touch: &Touch<'_>| touch.thread == act.thread;
        // What happened since the thread's write before that, latest first.
        let since = all[..at].iter().rev().take(FAR).take_while(|touch| !own(touch) || !touch.writes());
        let since: Vec<&&Touch<'_>> = since.collect();
        let mut stale = Vec::new();
        for (age, read) in since.iter().enumerate().filter(|(_, touch)| own(touch)) {
            let later = || since[..age].iter().filter(|touch| key(touch) == key(read));
            let change = later().rfind(|touch| changes(touch));
            if let Some(change) = change.filter(|_| !later().any(|touch| own(touch))) {
                stale.push((read.step, change.step));
            }
        }
        if stale.is_empty() {
            continue;
        }
        order.take(act.step);
        stale.into_iter().take(EACH).for_each(|(read, change)| {
            order.take(read);
            order.take(change);
        });
        acts += 1;
        if acts == ACTS {
            return;
        }
    }
}

/// What the threads of those steps had read just before them, and who had written that.
fn behind(all: &[Touch<'_>], objects: &BTreeSet<Object>, order: &mut Order) {
    let memory = |touch: &&Touch<'_>| touch.object.space == Space::Memory && names_something(&key(touch));
    let writes: Vec<&Touch<'_>> = all
        .iter()
        .filter(memory)
        .filter(|touch| touch.writes() && objects.contains(&key(touch)) && order.has(touch.step))
        .collect();
    for write in writes {
        let before = all.iter().filter(memory).rfind(|touch| {
            // What counts up in passing says little about what comes after it.
            let reads = touch.reads() && !touch.writes();
            touch.step < write.step && touch.thread == write.thread && reads && !objects.contains(&key(touch))
        });
        let Some(read) = before else { continue };
        let source = all.iter().filter(memory).rfind(|touch| {
            touch.step < read.step && touch.thread != read.thread && touch.writes() && key(touch) == key(read)
        });
        if let Some(source) = source {
            order.take(read.step);
            order.take(source.step);
        }
    }
}

/// Where the threads that are shown come from.
fn creations(story: &Story, keep: &mut [bool]) {
    let mut wanted = vec![false; story.threads.len()];
    for i in (0..story.steps.len()).rev() {
        let step = &story.steps[i];
        let creates = step.operation == Operation::ThreadCreate
            && step.affects.iter().any(|&thread| wanted.get(thread) == Some(&true));
        keep[i] |= creates;
        if let Some(thread) = wanted.get_mut(step.thread) {
            *thread |= keep[i];
        }
    }
}
