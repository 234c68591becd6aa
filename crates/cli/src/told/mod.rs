//! The seam between machines and what is said of them: a machine that can tell of itself in the words of its program's
//! source, and a subject that makes such machines. Strategies and reports need nothing else, so that `check` and
//! `replay` are written once, and compiled for each kind of machine.

pub mod model;
pub mod native;
mod vm;

use std::path::{Path, PathBuf};

use threadbare_core::source::Source;
use threadbare_core::{Access, Accesses, Choice, FaultKind, Machine, Mode, Place, Space, StoryBug, ThreadNames, Tid};
use threadbare_explore::{Needs, Stuck};

use crate::arguments::Format;
use crate::ltl::formulas::{Formulas, Written};
use crate::trace::AnySubject;

/// How a thread stands that is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    Live,
    NotCreated,
    Ended,
    /// By a failed `assume`.
    Cut,
    /// By its own error.
    Failed,
}

/// Plain accesses that are told of one step: its last ones.
const PLAIN_ACCESSES: usize = 500;

/// Those that are told of what a step has looked at, each with its address and whether it is a write. The operation itself may be a plain store,
/// which an invariant looks at: that is told as such.
fn behind<L>(own: &Accesses, mut looks: Vec<L>, what: impl Fn(&L) -> (u64, bool)) -> Vec<L> {
    let is_own = |(address, writes): (u64, bool)| {
        writes && own.iter().any(|access| access.space == Space::Memory && access.address == address)
    };
    if looks.first().is_some_and(|look| is_own(what(look))) {
        looks.remove(0);
    }
    looks.drain(..looks.len().saturating_sub(PLAIN_ACCESSES));
    looks
}

/// What makes a race the same for a person: its two lines, and the variable. `n++` in two threads races as a read with a
/// write and as two writes, and in an array with every element.
#[derive(PartialEq, Eq)]
struct RaceForPeople {
    lines: Vec<(String, u32)>,
    variable: String,
}

impl RaceForPeople {
    fn new(places: impl Iterator<Item = Place>, variable: &str) -> RaceForPeople {
        let mut lines: Vec<_> = places.map(|place| (place.file, place.line)).collect();
        lines.sort_unstable();
        let parts = variable.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
        RaceForPeople { lines, variable: parts.collect() }
    }
}

/// A plain access behind a step.
pub struct PlainLook {
    pub access: Access,
    pub place: Place,
    /// What was there after it, and which bits of that were never set; where it has that few bytes.
    pub held: Option<(u64, u64)>,
}

/// A machine whose executions can be told.
pub trait Told: Machine<Error = Box<Self::Fault>> + Sized + Send {
    /// An error, as the machine keeps it.
    type Fault: Clone + Send;
    /// What is remembered of names while a story is told.
    type Teller: Default;
    /// What the machines of one search have in common.
    type Kin: Sync;

    /// For others that are going to help with a search. The machine is at the start.
    fn kin(&mut self) -> Self::Kin;

    /// Asks `stop` now and then while a step goes on and on, if one can.
    fn stop_when(&mut self, _stop: fn() -> bool) {}

    /// Somebody is going to ask where its threads are. A search may have put that off.
    fn hold_still(&mut self) {}

    fn names(&self) -> &ThreadNames;
    /// The function that a thread was started with, as the source calls it.
    fn start_name(&self, tid: Tid) -> String;
    fn standing(&self, tid: Tid) -> Standing;
    /// Whether a thread was stopped by its own error.
    fn any_failed(&self) -> bool {
        (0..self.thread_count()).any(|i| self.standing(Tid(i as u16)) == Standing::Failed)
    }
    /// Where a live thread stands in the program's own code, innermost frame first.
    fn places(&self, tid: Tid) -> Vec<Place>;
    /// Names and values of the variables there.
    fn variables(&self, tid: Tid) -> Vec<(String, String)>;
    /// What a thread that cannot go on waits for, in words.
    fn waits_for(&self, tid: Tid) -> String;

    /// A teller that gives no two objects one name, for whoever tells them apart by that.
    fn distinct_teller() -> Self::Teller {
        Self::Teller::default()
    }
    /// What an access of `who` touches, as the source calls it, and what that holds, in words.
    fn object_name(&self, teller: &mut Self::Teller, who: Tid, access: &Access) -> String;

    /// The same of a heap object as a whole, whichever part of it lies there.
    fn whole_name(&self, teller: &mut Self::Teller, who: Tid, address: u64) -> String {
        self.object_name(teller, who, &Access::memory(Mode::Write, address, 0))
    }
    fn object_value(&self, teller: &mut Self::Teller, who: Tid, access: &Access) -> Option<String>;

    /// The errors of the current execution that did not end it.
    fn noted_faults(&self) -> Vec<Box<Self::Fault>>;
    fn has_noted_faults(&self) -> bool;
    /// What is wrong where nobody can go on.
    fn fault_of_stuck(&mut self, stuck: &Stuck) -> Box<Self::Fault>;
    /// What is wrong where these threads are blocked for good, though others may go on.
    fn fault_of_left_behind(&mut self, who: &[Tid]) -> Box<Self::Fault>;
    fn kind(fault: &Self::Fault) -> FaultKind;
    fn message(fault: &Self::Fault) -> String;
    /// Where it shows, if that is known.
    fn place_of(&self, fault: &Self::Fault) -> Option<Place>;
    /// The same bug by another schedule: of the same kind, at the same places.
    fn same_bug(&self, a: &Self::Fault, b: &Self::Fault) -> bool;
    /// Whether an error is this bug, found again by its own schedule. Who goes round for ever may stand anywhere in the loop.
    fn shows(&self, found: &Self::Fault, bug: &Self::Fault) -> bool {
        self.same_bug(found, bug)
    }
    /// An error as a story tells it. `last_step` of a thread is its last step there.
    fn bug(&self, fault: &Self::Fault, last_step: impl Fn(Tid) -> Option<usize>) -> StoryBug;

    /// Whether a proposition that the program was loaded with holds where the machine is, which stays there.
    fn holds(&mut self, proposition: usize) -> Result<bool, Box<Self::Fault>>;
    /// Whether a live thread stands at a label.
    fn is_at(&mut self, tid: Tid, label: &str) -> bool;

    // What only some machines have.

    /// Whether there can be plain accesses to shared memory behind the next step of a thread.
    fn may_look(&self, _tid: Tid) -> bool {
        false
    }

    /// Takes a step, and tells the plain accesses of the local code behind it in their order: the last ones.
    fn step_and_look(&mut self, tid: Tid, choice: Choice) -> Vec<PlainLook> {
        self.step(tid, choice);
        Vec::new()
    }

    /// The variables that a plain access touches, if it is more than one.
    fn parts(&self, _: &mut Self::Teller, _who: Tid, access: &Access) -> Vec<Access> {
        vec![*access]
    }

    /// What an object held at a plain access, in words.
    fn held_value(&self, _: &mut Self::Teller, _who: Tid, _access: &Access, _held: (u64, u64)) -> Option<String> {
        None
    }

    /// Objects without names of their own that have come up, as they were called, each with the place it comes from.
    fn origins(&self, _: &Self::Teller) -> Vec<(String, Place)> {
        Vec::new()
    }

    /// How much the program has printed, and what it has printed since then.
    fn printed(&mut self) -> u64 {
        0
    }

    fn output_since(&mut self, _printed: u64) -> String {
        String::new()
    }

    /// A byte that two accesses touch that race, or that one of them touches before the other one ends all of its object; if
    /// the error has no name for it but these words.
    fn unnamed_object(_fault: &Self::Fault) -> Option<(u64, &str)> {
        None
    }

    /// The thread of the earlier of two accesses that race, and whether the detector remembers that access now.
    fn earlier_access(_fault: &Self::Fault) -> Option<Tid> {
        None
    }

    fn remembers_earlier_access(&mut self, _fault: &Self::Fault) -> bool {
        false
    }

    /// Others have helped with the search: what only several together have seen may make it begin again.
    fn compare_notes(&mut self, _others: &[&Self]) {}

    /// What was taken for granted is not so: the search must begin again.
    fn must_begin_again(&self) -> bool {
        false
    }

    /// Whether a search that ends without a race has shown that there is none along any path, be it explored or not.
    fn has_looked_for_races_everywhere(&self) -> bool {
        false
    }

    /// Whether threads were taken to be alike, or why not, if that was looked at.
    fn symmetry(&self) -> Option<Result<(), &'static str>> {
        None
    }

    /// Joins that can happen and were put off happen now: how many, all of the main thread.
    fn catch_up_with_joins(&mut self) -> usize {
        0
    }

    /// Why states could not be told apart as was asked for.
    fn bad_abstraction(&self) -> Option<&Self::Fault> {
        None
    }

    /// A machine that knows of waiting loops only once somebody has gone round them: whoever stands in one now goes round it, and
    /// everything is as before.
    fn learn_loops(&mut self) {}

    /// Whether a thread has looked at the clock after all the days that could pass for it: with more of them it might go on elsewhere.
    fn has_looked_in_vain(&self) -> bool {
        false
    }

    /// Whether a pointer was compared whose memory could have been given out again.
    fn has_met_stale_pointers(&self) -> bool {
        false
    }
}

/// What is checked for data races.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RaceDetection {
    /// Every plain access; it is no scheduling point.
    Everywhere,
    /// Accesses inside library functions; all others are scheduling points.
    OfLibrary,
    /// Every access is a scheduling point.
    Nowhere,
}

/// How a machine with exact states looks for data races.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RacesIn {
    /// Along the path that it goes.
    Path,
    /// Not at all: it ends where threads share plain data, and somebody has to begin again.
    Sharing,
    /// What they hang on belongs to states.
    States,
}

/// The exit code for what is not supported.
pub const UNSUPPORTED: u8 = 3;

/// Why there is no program to check.
#[derive(Default)]
pub struct Refused {
    pub message: String,
    pub place: Option<Place>,
    pub notes: Vec<String>,
    /// The exit code: 2 for what cannot be read, 3 for what is not supported.
    pub code: u8,
    /// Where that is in no file of the program.
    pub inside: Option<Box<Inside>>,
}

pub enum Inside {
    /// The place is in this text.
    Text(Source),
    /// A proposition is not understood, at this column of it.
    Proposition { number: usize, column: u32 },
}

impl From<String> for Refused {
    fn from(message: String) -> Refused {
        Refused { message, code: 2, ..Refused::default() }
    }
}

impl Refused {
    /// On one line, with its place.
    pub fn in_words(&self) -> String {
        let message = self.message.lines().next().unwrap_or_default();
        match &self.place {
            Some(place) => format!("{message} ({}:{})", crate::report::path(&place.file), place.line),
            None => message.into(),
        }
    }

    pub fn say(&self, format: Format) -> std::process::ExitCode {
        crate::listing::refusal(format, self)
    }
}

/// What gives a schedule its meaning: a program, and how its machine is set up. Two executions of one subject under one
/// schedule are the same. Traces keep it.
pub trait Subject: Clone + Into<AnySubject> + Sync {
    type Program: Sync;
    type Machine: Told;

    fn load(&self) -> Result<Self::Program, Refused>;
    /// A machine at the start of the program.
    fn machine(&self, program: &Self::Program, fingerprints: bool) -> Result<Self::Machine, String>;
    /// The same for a search, which need not see the steps that nothing races with; it may take for granted what would
    /// make it quick. If that turns out wrong, the next machine takes less for granted than the one `before`.
    fn machine_for_search(
        &self,
        program: &Self::Program,
        needs: Needs,
        _before: Option<&Self::Machine>,
    ) -> Result<Self::Machine, String> {
        self.machine(program, needs.fingerprints)
    }
    /// Another one that helps with the same search.
    fn another_for_search(
        &self,
        program: &Self::Program,
        needs: Needs,
        kin: &<Self::Machine as Told>::Kin,
    ) -> Result<Self::Machine, String>;
    /// A machine at the start of the program with exact states, one for every visible operation of every thread, for what
    /// is to be seen in each.
    fn machine_for_states(&self, program: &Self::Program, _races: RacesIn) -> Result<Self::Machine, String> {
        self.machine(program, true)
    }
    /// The formulas that are to hold, whether only fair executions count, and what is wrong with them that only the program
    /// knows.
    fn formulas(&self) -> &[Written];
    fn is_fair(&self) -> bool;
    fn look_over(&self, _program: &Self::Program, _formulas: &Formulas) -> Result<(), Refused> {
        Ok(())
    }
    /// What is checked for data races.
    fn race_detection(&self) -> RaceDetection {
        RaceDetection::Nowhere
    }
    /// The files that the program was given as.
    fn files(&self) -> &[PathBuf];
    /// All files that it depends on.
    fn sources(&self, program: &Self::Program) -> Vec<PathBuf>;
    /// What is looked for: a proof claims this and nothing else.
    fn properties(&self) -> Vec<FaultKind>;
    /// What was taken for granted that belongs beside the verdict itself: "its standard input taken as empty".
    fn provided(&self, _program: &Self::Program) -> Option<String> {
        None
    }
    /// What a verdict about it rests on besides the schedules.
    fn assumptions(&self, program: &Self::Program) -> Vec<String>;
    /// Whether it was recorded by a version that cuts executions into other steps.
    fn is_outdated(&self) -> bool {
        false
    }
}

/// Whether a file is a program of the small language.
pub fn is_model(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "tb")
}
