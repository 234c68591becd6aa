//! The native machine: a C program as machine code, one visible operation at a time.
//!
//! `compile` makes a shared object of the program that announces every access (LLVM's ThreadSanitizer pass) and runs on our
//! floor (`runtime/`), `scan` refuses what would escape it. `image` holds it in this process, whose engine and the program's
//! threads, which are fibers, run in turns on one thread of the system. `run` is one execution, `table` says what each visible
//! operation touches and `operate` does it; `order` and `races` look for data races. docs/native.md tells more.

mod along;
mod arrays;
mod assembly;
mod atomics;
mod blocks;
mod calls;
mod checkpoints;
mod choices;
mod comebacks;
mod compared;
mod compile;
mod copies;
mod dead;
mod edit;
mod elf;
mod fault;
mod faults;
mod foreign;
mod held;
mod image;
mod invariants;
mod jumps;
mod kept;
mod lent;
mod lines;
mod machine;
mod memory;
mod notes;
mod objects;
mod observed;
mod operate;
mod order;
mod outside;
mod own;
mod pages;
mod parts;
mod places;
mod races;
mod run;
mod scan;
mod scene;
mod selftest;
mod shadow;
mod signals;
mod source;
mod state;
mod table;
mod temporaries;
mod told;
mod traps;
mod unseen;
mod untouched;
mod vectors;
mod words;
mod world;
mod yields;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};
use threadbare_core::{Choice, Place, Relied, Tid};
use threadbare_vm::{LoadError, Sources, Thing, What};

pub use fault::{Fault, Life, Side, Waiter};
pub use machine::NativeMachine;
pub use notes::{Noted, Notes, Step as NotedStep};
pub use pages::verify_copies;
pub use run::Setup;
pub use told::Look;

use image::Image;
use lines::Lines;
use objects::{Global, Object};
use observed::Invariant;
use source::Source;
use threadbare_vm::Signature;
use world::{FiberAt, World};

/// The program in this process. There can be one.
pub struct Program {
    pub(crate) image: Image,
    pub(crate) world: *mut World,
    /// Its variables of static storage, by address.
    pub(crate) globals: Vec<Global>,
    /// Plain accesses are visible operations.
    pub(crate) every_access: bool,
    /// Where threads may wait: a machine that learns of another place has to begin again.
    waiting: Mutex<FxHashSet<u64>>,
    /// The same for what rounds of waiting loops read.
    relied: Mutex<Relied>,
    /// What is known of who goes on behind calls, of functions that were asked for.
    behind: Mutex<FxHashMap<u64, dead::Behind>>,
    /// Local variables, in words, that visible operations of their own thread have written, and such that others have touched.
    locals: Mutex<[FxHashSet<u64>; 2]>,
    /// The machine whose execution the process is in, and how many there have been.
    current: AtomicU64,
    machines: AtomicU64,
    mapped: AtomicUsize,
    lines: Mutex<Lines>,
    /// Where the words of `argv` lie, and how long they are.
    words: Mutex<Vec<(u64, u64)>>,
    /// It looks at the clock, and it may cancel threads.
    pub(crate) reads_clock: bool,
    waits_on_conditions: bool,
    pub(crate) cancels: bool,
    /// Threads are only created, joined, and end.
    plain_threads: bool,
    /// What functions take and give, by their names.
    pub(crate) signatures: FxHashMap<String, Signature>,
    /// What calls by pointers give and take, by the numbers that the floor tells.
    pub(crate) calls: Vec<Signature>,
    /// The functions without a source, each with the object that it is in, and the files of these.
    pub(crate) objects: FxHashMap<String, String>,
    code_files: Vec<PathBuf>,
    notes: Option<Notes>,
    /// Steps the last of which kills the process: it is known from another one, and is not taken.
    fatal: Vec<NotedStep>,
    /// What of it is not executed, or not seen, in words.
    pub foreign: Vec<String>,
    /// There is code of which nobody sees what it accesses.
    pub unseen: bool,
    /// Functions that are to hold in every state, and the fiber that asks them.
    pub(crate) invariants: Vec<Invariant>,
    evaluator: OnceLock<FiberAt>,
    source: OnceLock<Source>,
    folder: tempfile::TempDir,
}

// SAFETY: one machine at a time uses the world, on the thread that explores.
unsafe impl Send for Program {}
unsafe impl Sync for Program {}

/// What is known of local variables that an operation touches.
pub(crate) struct Locals {
    /// Nobody else has touched them so far.
    pub only_own: bool,
    /// Somebody else touches them for the first time, and if so, whether a visible operation of their own thread has written them.
    pub is_new: bool,
    pub is_news: bool,
}

/// What threads can do to each other besides.
const NOT_PLAIN: &[&str] = &[
    "__tb_thread_tryjoin",
    "__tb_thread_timedjoin",
    "__tb_thread_detach",
    "__tb_thread_cancel",
    "__tb_testcancel",
    "__tb_thread_detached",
];

const WAITS: &[&str] = &["__tb_cond_leave", "__tb_cond_leave_timed"];

/// Between the words of the arguments.
const ZONE: u64 = 32;

const NO_SHADOW: &str = "the native backend needs addresses that this process has in use already";

const NOT_FOUND: &str = "the linker does not know where what an invariant looks at is";

static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// What is kept of what an execution prints.
const MOST_OUTPUT: usize = 1 << 20;

/// How much the execution has printed.
pub(crate) fn printed() -> usize {
    lock(&OUTPUT).len()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

extern "C" fn print(from: *const u8, n: u64) {
    signals::in_engine(|| {
        let mut output = lock(&OUTPUT);
        let room = MOST_OUTPUT.saturating_sub(output.len()).min(n as usize);
        // SAFETY: the floor has been given so many bytes; an access to others has crashed there before.
        output.extend_from_slice(unsafe { std::slice::from_raw_parts(from, room) });
    });
}

impl Program {
    /// Compiles a program and loads it into this process. `notes` is where steps are noted, for the supervisor; of the `fatal`
    /// ones it knows that the last kills the process.
    pub fn load(sources: &Sources, notes: Option<&PathBuf>, fatal: Vec<NotedStep>) -> Result<Program, LoadError> {
        selftest::look().map_err(LoadError::Tool)?;
        let tool = |error: std::io::Error| LoadError::Tool(error.to_string());
        let folder = tempfile::tempdir().map_err(tool)?;
        let (texts, watched, calls) = compile::compile(sources, folder.path())?;
        let file = folder.path().join(compile::PROGRAM);
        let world = image::new_world(print);
        let image = Image::load(&file, world).map_err(LoadError::Tool)?;
        let globals = image.open().map_err(|error| LoadError::Tool(format!("{NO_SHADOW}: {error}")))?;
        let invariants = observed::locate(watched, &image);
        let invariants = invariants.ok_or_else(|| LoadError::Tool(NOT_FOUND.into()))?;
        signals::catch(world, &image);
        let own = &texts.linked.modules[..texts.linked.user_modules];
        let unseen = !texts.code.objects.is_empty() || unseen::in_any(own);
        let foreign = texts.linked.foreign.assumptions().into_iter().chain(unseen::assumption(own));
        let foreign = foreign.chain(texts.code.assumption()).collect();
        let lines = Lines::new(compile::symbolizer(&texts.tools)?, &file);
        Ok(Program {
            image,
            world,
            globals,
            every_access: sources.every_access,
            waiting: Mutex::default(),
            relied: Mutex::default(),
            behind: Mutex::default(),
            locals: Mutex::default(),
            current: AtomicU64::new(0),
            machines: AtomicU64::new(0),
            mapped: AtomicUsize::new(0),
            lines: Mutex::new(lines),
            words: Mutex::default(),
            reads_clock: texts.linked.undefined().iter().any(|name| name == "__tb_clock"),
            waits_on_conditions: texts.linked.reaches(WAITS, &scan::wanted(&texts)),
            cancels: scan::cancels(&texts),
            signatures: scan::signatures(&texts.linked),
            calls,
            objects: foreign::functions(&texts.code),
            code_files: texts.code.files(),
            plain_threads: !texts.linked.reaches(NOT_PLAIN, &scan::wanted(&texts)),
            notes: notes.map(|file| Notes::write(file)).transpose().map_err(tool)?,
            fatal,
            foreign,
            unseen,
            invariants,
            evaluator: OnceLock::new(),
            source: OnceLock::new(),
            folder,
        })
    }

    /// The files of machine code that are linked to it.
    pub fn code_files(&self) -> &[PathBuf] {
        &self.code_files
    }

    pub fn machine(self: &Arc<Program>, setup: Setup) -> NativeMachine {
        NativeMachine::new(self.clone(), setup, false)
    }

    /// One that need not show the steps with which nothing races.
    pub fn machine_for_search(self: &Arc<Program>, setup: Setup) -> NativeMachine {
        NativeMachine::new(self.clone(), setup, self.plain_threads && self.invariants.is_empty())
    }

    pub fn reads_clock(&self) -> bool {
        self.reads_clock
    }

    /// Whether it may wait on condition variables.
    pub fn waits_on_conditions(&self) -> bool {
        self.waits_on_conditions
    }

    pub(crate) fn new_machine(&self) -> u64 {
        self.machines.fetch_add(1, Relaxed) + 1
    }

    #[inline]
    pub(crate) fn is_current(&self, machine: u64) -> bool {
        self.current.load(Relaxed) == machine
    }

    pub(crate) fn take(&self, machine: u64) {
        self.current.store(machine, Relaxed);
    }

    /// Whoever calls invariants.
    pub(crate) fn evaluator(&self) -> FiberAt {
        *self.evaluator.get_or_init(|| {
            image::map_thread(image::EVALUATOR).expect("the addresses of stacks and heaps are free");
            FiberAt::new()
        })
    }

    pub(crate) fn has_evaluator(&self) -> bool {
        self.evaluator.get().is_some()
    }

    /// Where an invariant is written.
    pub fn place_of_invariant(&self, name: &str) -> Option<Place> {
        let invariant = self.invariants.iter().find(|invariant| invariant.name == name)?;
        let function = &self.image.symbol(invariant.address)?.name;
        let (file, line) = self.source().first_line(function)?;
        Some(Place { file, line, ..Place::default() })
    }

    pub(crate) fn map_thread(&self, number: usize) -> Result<(), String> {
        if self.mapped.load(Relaxed) <= number {
            let failed = |error| format!("there is no room for the stack and the heap of another thread: {error}");
            image::map_thread(number).map_err(failed)?;
            self.mapped.store(number + 1, Relaxed);
        }
        Ok(())
    }

    /// Another machine has been at work: what its threads had is gone.
    pub(crate) fn forget(&self) {
        pages::forget();
        image::forget_all(self.mapped.load(Relaxed));
    }

    /// `argc`, `argv` and `envp`, written anew: the list, which ends with the empty environment, and the words behind it.
    pub(crate) fn arguments(&self, arguments: &[String]) -> [u64; 3] {
        let mut words = lock(&self.words);
        let list = image::ARGUMENTS;
        let count = arguments.len() as u64;
        let size = |word: &String| word.len() as u64 + 1;
        if words.is_empty() {
            let mut at = list + (8 * count + 16).next_multiple_of(8) + ZONE;
            words.push((list, 8 * count + 16));
            for word in arguments {
                words.push((at, size(word)));
                at += size(word).next_multiple_of(8) + ZONE;
            }
            image::map_arguments(&words, at).expect("the addresses of the arguments are free");
        }
        // SAFETY: just mapped, or before.
        unsafe {
            for (i, (word, (at, _))) in arguments.iter().zip(&words[1..]).enumerate() {
                *(list as *mut u64).add(i) = *at;
                std::ptr::copy_nonoverlapping(word.as_ptr(), *at as *mut u8, word.len());
                *(*at as *mut u8).add(word.len()) = 0;
            }
            *(list as *mut u64).add(arguments.len()) = 0;
            *(list as *mut u64).add(arguments.len() + 1) = 0;
        }
        [count, list, list + 8 * count + 8]
    }

    /// Where the words of the arguments lie, and how long they are.
    pub(crate) fn argument_words(&self) -> Vec<(u64, u64)> {
        lock(&self.words).clone()
    }

    /// What an address of the arguments is.
    pub(crate) fn argument_at(&self, address: u64) -> Option<Object<'_>> {
        let words = lock(&self.words);
        let i = words.partition_point(|(at, _)| *at <= address).checked_sub(1)?;
        let (start, size) = words[i];
        let description = i.checked_sub(1).map_or("`argv`".into(), |i| format!("`argv[{i}]`"));
        let thing = Thing { start, size, live: true, made_at: 0, owner: Tid::MAIN, what: What::Local(None) };
        let near = address < start + size + ZONE;
        near.then(|| Object { thing, description, ending: "", life: Life::default() })
    }

    /// The words of its source.
    pub(crate) fn source(&self) -> &Source {
        self.source.get_or_init(|| Source::read(&self.folder.path().join(compile::TEXT)))
    }

    pub(crate) fn clear_output(&self) {
        lock(&OUTPUT).clear();
    }

    pub(crate) fn note_step(&self, length: usize, tid: Tid, choice: Choice) {
        if let Some(notes) = &self.notes {
            notes.step(length, tid, choice);
        }
    }

    pub(crate) fn note_thread(&self, tid: Tid, parent: Tid) {
        if let Some(notes) = &self.notes {
            notes.thread(tid, parent);
        }
    }

    /// Takes the steps of another process once more, and nothing else: it may not come back.
    pub fn take_again(self: &Arc<Program>, setup: Setup, noted: &Noted) {
        let mut run = run::Run::new(self.clone(), setup);
        run.names = noted.names();
        for &(tid, choice) in &noted.steps {
            run.settle();
            if !run.is_live(tid) || run.step(tid, choice) == threadbare_core::Step::Ended {
                return;
            }
        }
    }

    /// Whether the next step of an execution is the next of those that kill the process, and whether so many do.
    #[inline]
    pub(crate) fn is_fatal(&self, number: usize, tid: Tid, choice: Choice) -> bool {
        self.fatal.get(number) == Some(&(tid, choice))
    }

    #[inline]
    pub(crate) fn kills_with(&self, steps: usize) -> bool {
        self.fatal.len() == steps
    }

    /// A visible operation touches these words of a stack, `own` or of another thread.
    pub(crate) fn locals_at(&self, words: RangeInclusive<u64>, own: bool, writes: bool) -> Locals {
        let [written, shared] = &mut *lock(&self.locals);
        let mut found = Locals { only_own: own, is_new: false, is_news: false };
        for word in words {
            if !own {
                let is_new = shared.insert(word);
                found.is_new |= is_new;
                found.is_news |= is_new && written.contains(&word);
            } else if writes {
                found.only_own &= !shared.contains(&word);
                written.insert(word);
            }
        }
        found
    }

    /// Local variables, in words, that others than their own thread have touched.
    pub(crate) fn shared_locals(&self) -> FxHashSet<u64> {
        lock(&self.locals)[1].clone()
    }

    /// Whether that is new.
    pub(crate) fn may_wait_at(&self, pc: u64) -> bool {
        lock(&self.waiting).insert(pc)
    }

    /// What is known of who goes on behind a call.
    pub(crate) fn behind_call(&self, pc: u64) -> dead::Behind {
        let mut behind = lock(&self.behind);
        if let Some(known) = behind.get(&pc) {
            return known.clone();
        }
        if let Some(function) = self.image.symbol(pc - 1).filter(|symbol| symbol.is_function) {
            // Checks of addresses end in such a call, and the next one stands right behind it.
            let is_end = |to| self.image.symbol(to).is_some_and(|symbol| symbol.name.starts_with("__asan_report_"));
            behind.extend(dead::behind_calls(self.image.code_of(function), function.address, is_end));
        }
        behind.entry(pc).or_insert_with(dead::Behind::unknown).clone()
    }

    pub(crate) fn waiting_places(&self) -> FxHashSet<u64> {
        lock(&self.waiting).clone()
    }

    pub(crate) fn relied(&self) -> Relied {
        lock(&self.relied).again()
    }

    pub(crate) fn learn_relied(&self, relied: &Relied) {
        lock(&self.relied).merge(relied);
    }

    /// Not the floor's, which knows constructors and destructors of the program by other names.
    pub(crate) fn is_own_code(&self, pc: u64) -> bool {
        let name = self.image.symbol(pc - 1).map_or("", |symbol| symbol.name.as_str());
        scan::is_constructor(name)
            || !["__tb", "tb_", "__tsan_", "begin", "__emutls"].iter().any(|prefix| name.starts_with(prefix))
    }

    /// Where an address of the program's code is in its source, innermost first.
    pub fn places(&self, pc: u64) -> Vec<Place> {
        match self.image.contains(pc) {
            true => lock(&self.lines).places(pc - self.image.base),
            false => Vec::new(),
        }
    }

    pub(crate) fn function_at(&self, pc: u64) -> Option<String> {
        self.image.symbol(pc).filter(|symbol| symbol.is_function).map(|symbol| symbol.name.clone())
    }
}
