//! The virtual machine tells of itself.

use std::path::PathBuf;
use std::sync::Arc;

use threadbare_core::{Access, Choice, FaultKind, Machine, Mode, Place, StoryBug, StoryWitness, ThreadNames, Tid};
use threadbare_explore::{Needs, Stuck};
use threadbare_vm::{
    CodePos, Fault, Kin, LoadError, LowerError, Program, SourcePos, Teller, VmMachine, program_position,
};

use crate::arguments::Fairness;
use crate::ltl::formulas::{Formulas, Written, did_you_mean};
use crate::report;
use crate::subject::{CSubject, LOOP_RULE};
use crate::told::{Inside, PlainLook, RaceDetection, RaceForPeople, RacesIn, Refused, Standing, Subject, Told, behind};

impl Told for VmMachine {
    type Fault = Fault;
    type Teller = Teller;
    type Kin = Kin;

    fn kin(&mut self) -> Kin {
        VmMachine::kin(self)
    }

    fn stop_when(&mut self, stop: fn() -> bool) {
        VmMachine::stop_when(self, stop);
    }

    fn hold_still(&mut self) {
        self.hold_all();
    }

    fn names(&self) -> &ThreadNames {
        VmMachine::names(self)
    }

    fn start_name(&self, tid: Tid) -> String {
        self.start_function(tid).unwrap_or_default()
    }

    fn standing(&self, tid: Tid) -> Standing {
        if !self.has_been_created(tid) {
            Standing::NotCreated
        } else if self.is_stopped(tid) {
            Standing::Cut
        } else if self.has_failed(tid) {
            Standing::Failed
        } else if self.thread(tid).is_live() {
            Standing::Live
        } else {
            Standing::Ended
        }
    }

    fn places(&self, tid: Tid) -> Vec<Place> {
        places(&self.own_stack(tid))
    }

    fn variables(&self, tid: Tid) -> Vec<(String, String)> {
        let stack = self.thread(tid).stack();
        let own = stack.iter().find(|at| !self.program().is_library(at.function));
        let locals = own.map_or_else(Vec::new, |at| self.locals(tid, *at));
        locals.into_iter().map(|local| (local.name, local.value)).collect()
    }

    fn waits_for(&self, tid: Tid) -> String {
        VmMachine::waits_for(self, tid)
    }

    fn distinct_teller() -> Teller {
        Teller::distinct()
    }

    fn object_name(&self, teller: &mut Teller, who: Tid, access: &Access) -> String {
        teller.name(self, who, access)
    }

    fn whole_name(&self, teller: &mut Teller, who: Tid, address: u64) -> String {
        teller.whole_name(self, who, address)
    }

    fn object_value(&self, teller: &mut Teller, who: Tid, access: &Access) -> Option<String> {
        teller.value(self, who, access)
    }

    fn noted_faults(&self) -> Vec<Box<Fault>> {
        self.noted().iter().cloned().map(Box::new).collect()
    }

    fn has_noted_faults(&self) -> bool {
        !self.noted().is_empty()
    }

    /// Where a thread goes round a loop for ever, it is a livelock, whoever else waits for that thread.
    fn fault_of_stuck(&mut self, stuck: &Stuck) -> Box<Fault> {
        if stuck.spinning.is_empty() { self.deadlock() } else { self.livelock(&stuck.spinning) }
    }

    fn fault_of_left_behind(&mut self, who: &[Tid]) -> Box<Fault> {
        self.partial_deadlock(who)
    }

    fn kind(fault: &Fault) -> FaultKind {
        fault.kind
    }

    fn message(fault: &Fault) -> String {
        fault.message.clone()
    }

    fn place_of(&self, fault: &Fault) -> Option<Place> {
        (!fault.stack.is_empty()).then(|| {
            let at = program_position(self.program(), &fault.stack);
            self.program().source_of(at).swap_remove(0).into()
        })
    }

    /// Which thread comes first hangs on the schedule: of those that wait, and of the two accesses of a race.
    fn same_bug(&self, a: &Fault, b: &Fault) -> bool {
        let program = self.program();
        if (a.kind, b.kind) == (FaultKind::DataRace, FaultKind::DataRace) {
            return race(program, a) == race(program, b);
        }
        // Whoever breaks it.
        if (a.kind, b.kind) == (FaultKind::Invariant, FaultKind::Invariant) {
            return a.message == b.message;
        }
        a.kind == b.kind && places_of(program, a, CodePos::pack) == places_of(program, b, CodePos::pack)
    }

    fn shows(&self, a: &Fault, b: &Fault) -> bool {
        let function = |at: CodePos| at.function.into();
        let livelocks = (a.kind, b.kind) == (FaultKind::Livelock, FaultKind::Livelock);
        let functions = |fault| places_of(self.program(), fault, function);
        self.same_bug(a, b) || livelocks && functions(a) == functions(b)
    }

    fn bug(&self, fault: &Fault, last_step: impl Fn(Tid) -> Option<usize>) -> StoryBug {
        let program = self.program();
        let mut witnesses: Vec<StoryWitness> = fault
            .waiters
            .iter()
            .map(|waiter| StoryWitness {
                thread: waiter.tid.index(),
                what: format!("waits for {}", waiter.waits_for),
                stack: places(&program.own_lines(&waiter.stack)),
                step: last_step(waiter.tid),
                waits_for: match fault.kind {
                    FaultKind::Deadlock => self.waits_on(waiter.tid).map(Tid::index),
                    _ => None,
                },
            })
            .collect();
        if let Some(other) = &fault.other {
            let sides = [(other.tid, other.verb, &other.stack), (fault.tid, other.against, &fault.stack)];
            witnesses.extend(sides.into_iter().map(|(tid, verb, stack)| StoryWitness {
                thread: tid.index(),
                what: format!("{verb} {}", other.object),
                stack: places(&lines(self, stack)),
                step: last_step(tid),
                waits_for: None,
            }));
        }
        let mut stack = places(&lines(self, &fault.stack));
        if let (true, Some(first)) = (stack.is_empty(), fault.waiters.first()) {
            stack = places(&lines(self, &first.stack));
        }
        // A thread that has gone on since stands somewhere else.
        let stands = self.ending().is_some() || self.has_failed(fault.tid);
        let at = (stands && !fault.stack.is_empty()).then(|| program_position(program, &fault.stack));
        let locals = match at {
            Some(at) if fault.waiters.is_empty() && fault.kind != FaultKind::Leak => self.locals(fault.tid, at),
            _ => Vec::new(),
        };
        StoryBug {
            kind: fault.kind.name().into(),
            message: fault.message.clone(),
            thread: fault.waiters.is_empty().then_some(fault.tid.index()),
            stack,
            witnesses,
            notes: notes(self, fault),
            locals: locals.into_iter().map(|local| (local.name, local.value)).collect(),
        }
    }

    fn holds(&mut self, proposition: usize) -> Result<bool, Box<Fault>> {
        VmMachine::holds(self, proposition)
    }

    fn is_at(&mut self, tid: Tid, label: &str) -> bool {
        self.label(tid).is_some_and(|name| name == label)
    }

    fn may_look(&self, _tid: Tid) -> bool {
        true
    }

    fn step_and_look(&mut self, tid: Tid, choice: Choice) -> Vec<PlainLook> {
        let own = self.accesses(tid, choice);
        self.tell_plain_accesses();
        self.step(tid, choice);
        let touched = self.told_accesses();
        let told = behind(&own, touched, |plain| (plain.address, plain.writes)).into_iter().map(|plain| PlainLook {
            access: Access::memory(if plain.writes { Mode::Write } else { Mode::Read }, plain.address, plain.bytes),
            place: places(&lines(self, &plain.stack)).into_iter().next().unwrap_or_default(),
            held: plain.value,
        });
        told.collect()
    }

    fn parts(&self, teller: &mut Teller, who: Tid, access: &Access) -> Vec<Access> {
        teller.parts(self, who, access)
    }

    fn held_value(&self, teller: &mut Teller, who: Tid, access: &Access, held: (u64, u64)) -> Option<String> {
        teller.value_with(self, who, access, held)
    }

    fn origins(&self, teller: &Teller) -> Vec<(String, Place)> {
        let place = |at| Some(self.program().source_of(CodePos::unpack(at)?).swap_remove(0).into());
        teller.heap_objects().filter_map(|(name, at)| Some((name, place(at)?))).collect()
    }

    fn printed(&mut self) -> u64 {
        self.system().state.printed
    }

    fn output_since(&mut self, printed: u64) -> String {
        String::from_utf8_lossy(self.system().output_since(printed)).into_owned()
    }

    fn unnamed_object(fault: &Fault) -> Option<(u64, &str)> {
        let (other, address) = (fault.other.as_ref()?, fault.address?);
        other.object.starts_with("heap object").then_some((address, &other.object))
    }

    fn earlier_access(fault: &Fault) -> Option<Tid> {
        fault.address.and(fault.other.as_ref()).map(|other| other.tid)
    }

    fn remembers_earlier_access(&mut self, fault: &Fault) -> bool {
        match (&fault.other, fault.address) {
            (Some(other), Some(address)) => self.remembers_access(other.tid, address, &other.stack),
            _ => false,
        }
    }

    fn compare_notes(&mut self, others: &[&VmMachine]) {
        VmMachine::compare_notes(self, others);
    }

    fn must_begin_again(&self) -> bool {
        self.shares_plain_data()
            || self.has_guessed_wrong()
            || self.relies_on_other_reads()
            || (self.is_symmetric() && VmMachine::symmetry(self).is_some_and(|symmetry| symmetry.is_err()))
    }

    fn symmetry(&self) -> Option<Result<(), &'static str>> {
        VmMachine::symmetry(self)
    }

    fn catch_up_with_joins(&mut self) -> usize {
        VmMachine::catch_up_with_joins(self)
    }

    fn has_looked_for_races_everywhere(&self) -> bool {
        self.goes_by_sharing()
    }

    fn bad_abstraction(&self) -> Option<&Fault> {
        VmMachine::bad_abstraction(self)
    }

    fn has_looked_in_vain(&self) -> bool {
        VmMachine::has_looked_in_vain(self)
    }

    fn has_met_stale_pointers(&self) -> bool {
        VmMachine::has_met_stale_pointers(self)
    }
}

/// Where the threads of a bug stand, in no order.
fn places_of(program: &Program, fault: &Fault, key: impl Fn(CodePos) -> u64) -> Vec<Option<u64>> {
    let waiters = fault.waiters.iter().map(|waiter| &waiter.stack);
    let own = fault.waiters.is_empty().then_some(&fault.stack);
    let stacks = waiters.chain(own).chain(fault.other.as_ref().map(|other| &other.stack));
    // In the program itself: every assertion fails in the same place of the library.
    let place = |stack: &Vec<CodePos>| {
        let own = stack.iter().find(|at| !program.is_library(at.function));
        own.or(stack.first()).copied().map(&key)
    };
    let mut places: Vec<Option<u64>> = stacks.map(place).collect();
    places.sort_unstable();
    places
}

fn race(program: &Program, fault: &Fault) -> RaceForPeople {
    let place = |stack: &Vec<CodePos>| program.source_of(program_position(program, stack)).swap_remove(0).into();
    let other = fault.other.as_ref();
    let stacks = [Some(&fault.stack), other.map(|other| &other.stack)].into_iter().flatten();
    RaceForPeople::new(stacks.map(place), other.map_or("", |other| &other.object))
}

fn lines(machine: &VmMachine, stack: &[CodePos]) -> Vec<SourcePos> {
    let own = machine.program().own_lines(stack);
    match stack.first() {
        Some(_) if own.is_empty() => machine.program().source_of(program_position(machine.program(), stack)),
        _ => own,
    }
}

fn places(lines: &[SourcePos]) -> Vec<Place> {
    lines.iter().cloned().map(Place::from).collect()
}

fn notes(machine: &VmMachine, fault: &Fault) -> Vec<String> {
    if fault.kind == FaultKind::Invariant {
        let name = fault.message.split('`').nth(1).unwrap_or("");
        let place = machine.program().place_of_invariant(name);
        return place.map(|at| format!("`{name}` is at {}:{}", report::path(&at.file), at.line)).into_iter().collect();
    }
    fault.object.as_ref().map_or_else(Vec::new, |object| report::life(machine.program(), object))
}

impl From<LoadError> for Refused {
    fn from(error: LoadError) -> Refused {
        match error {
            LoadError::Lower(LowerError::Unsupported { message, file, line }) => {
                let place = file.map(|file| Place { file, line, ..Place::default() });
                Refused { message, place, code: 3, ..Refused::default() }
            }
            LoadError::Proposition { number, column, message } => {
                let inside = Some(Box::new(Inside::Proposition { number, column }));
                Refused { message, code: 2, inside, ..Refused::default() }
            }
            LoadError::NoSuch { message, name, known } => {
                let notes = did_you_mean(&name, &known).into_iter().collect();
                Refused { message, code: 2, notes, ..Refused::default() }
            }
            error => error.to_string().into(),
        }
    }
}

impl Subject for CSubject {
    type Program = Arc<Program>;
    type Machine = VmMachine;

    fn load(&self) -> Result<Arc<Program>, Refused> {
        let formulas = Formulas::read(&self.ltl)?;
        CSubject::load(self, &formulas).map_err(|error| {
            let mut refused = Refused::from(error);
            // The program itself knows the names that it has.
            let name = refused.message.split_once("undeclared ").and_then(|(_, rest)| rest.split('`').nth(1));
            if let (Some(name), Some(_)) = (name, &refused.inside)
                && let Ok(program) = CSubject::load(self, &Formulas::default())
            {
                refused.notes.extend(did_you_mean(name, &program.own_names()));
            }
            formulas.explain(refused)
        })
    }

    fn machine_for_states(&self, program: &Arc<Program>, races: RacesIn) -> Result<VmMachine, String> {
        CSubject::machine_for_states(self, program, races)
    }

    fn formulas(&self) -> &[Written] {
        &self.ltl
    }

    fn is_fair(&self) -> bool {
        self.fairness == Fairness::Weak
    }

    fn look_over(&self, program: &Arc<Program>, formulas: &Formulas) -> Result<(), Refused> {
        let labels = &program.labels;
        formulas.unknown_label(&labels.names).filter(|_| !labels.open).map_or(Ok(()), Err)
    }

    fn machine(&self, program: &Arc<Program>, fingerprints: bool) -> Result<VmMachine, String> {
        CSubject::machine(self, program, fingerprints)
    }

    fn machine_for_search(
        &self,
        program: &Arc<Program>,
        needs: Needs,
        before: Option<&VmMachine>,
    ) -> Result<VmMachine, String> {
        CSubject::machine_for_search(self, program, needs, before)
    }

    fn another_for_search(&self, program: &Arc<Program>, needs: Needs, kin: &Kin) -> Result<VmMachine, String> {
        CSubject::another_for_search(self, program, needs, kin)
    }

    fn race_detection(&self) -> RaceDetection {
        match self.races.as_str() {
            "allow" => RaceDetection::OfLibrary,
            _ => RaceDetection::Everywhere,
        }
    }

    fn files(&self) -> &[PathBuf] {
        &self.files
    }

    fn sources(&self, program: &Arc<Program>) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.files.clone();
        files.extend(self.stdin.clone());
        files.extend(threadbare_vm::host_files_read());
        let known: Vec<PathBuf> = files.iter().filter_map(|file| file.canonicalize().ok()).collect();
        for file in program.own_files() {
            let file = PathBuf::from(file);
            if !file.canonicalize().is_ok_and(|full| known.contains(&full)) {
                files.push(file);
            }
        }
        files
    }

    fn properties(&self) -> Vec<FaultKind> {
        let kinds = [
            FaultKind::Assertion,
            FaultKind::Deadlock,
            FaultKind::Livelock,
            FaultKind::UseAfterFree,
            FaultKind::OutOfBounds,
            FaultKind::NullDereference,
            FaultKind::DoubleFree,
            FaultKind::InvalidFree,
            FaultKind::UninitialisedRead,
            FaultKind::MutexMisuse,
            FaultKind::ThreadMisuse,
            FaultKind::Crash,
        ];
        let sought = |kind: &FaultKind| *kind != FaultKind::UninitialisedRead || !self.zeroed;
        let invariants = (!self.invariants.is_empty()).then_some(FaultKind::Invariant);
        let formulas = (!self.ltl.is_empty()).then_some(FaultKind::Ltl);
        let races = (self.races == "error").then_some(FaultKind::DataRace);
        let leaks = self.leaks.then_some(FaultKind::Leak);
        kinds.into_iter().filter(sought).chain(invariants).chain(formulas).chain(races).chain(leaks).collect()
    }

    fn provided(&self, program: &Arc<Program>) -> Option<String> {
        let empty = program.reads_input() && self.stdin.is_none();
        empty.then(|| "its standard input taken as empty (--stdin FILE)".into())
    }

    fn assumptions(&self, program: &Arc<Program>) -> Vec<String> {
        CSubject::assumptions(self, program)
    }

    fn is_outdated(&self) -> bool {
        self.loop_rule != LOOP_RULE
    }
}
