//! A C program as machine code, and its machine that tells of itself.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use threadbare_core::memory_words::{Pointee, in_bytes};
use threadbare_core::{Access, Choice, FaultKind, Machine, Mode, Place, StoryBug, StoryWitness, ThreadNames, Tid};
use threadbare_explore::{Needs, Strategy, Stuck};
use threadbare_native::{Fault, Life, NativeMachine, Program, Setup};
use threadbare_vm::{Sources, Teller};

use crate::arguments::{Asked, CheckPlan, Symmetry};
use crate::ltl::formulas::Written;
use crate::subject::{CSubject, LOOP_RULE, NO_SPURIOUS, files_assumption};
use crate::told::{PlainLook, RaceDetection, RaceForPeople, Refused, Standing, Subject, Told, behind};
use crate::{report, supervisor};

/// The same program as on the virtual machine, executed in another way: the name of the field tells traces apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NativeSubject {
    pub native: CSubject,
}

/// Options that the native machine does not serve yet: what they are called inside, and how they are spelled.
const NOT_YET: &[(&str, &str)] = &[
    ("uninit", "`--uninit`"),
    ("abstraction", "`--abstraction`"),
    ("ignored", "`--ignore`"),
    ("step_limit", "`--step-limit`"),
    ("program_memory", "`--program-memory`"),
    ("stack_limit", "`--stack-limit`"),
];

impl NativeSubject {
    /// An option of the plan that it does not serve.
    pub fn lacks(plan: &CheckPlan) -> Option<String> {
        let strategy = match plan.strategy {
            Asked::Named(strategy) if strategy.needs().may_access => Some(format!("`--strategy {strategy}`")),
            _ => None,
        };
        NativeSubject::not_yet(plan).map(String::from).or(strategy)
    }

    /// The first one that it does not serve yet.
    fn not_yet(plan: &CheckPlan) -> Option<&'static str> {
        let is_given = |inside: &str| plan.given.iter().any(|given| given == inside);
        let given = NOT_YET.iter().filter(|(inside, _)| is_given(inside)).map(|(_, spelled)| *spelled);
        let asked = [
            (plan.livelock, "`--livelock`"),
            (!plan.formulas.is_empty(), "`--ltl`"),
            (plan.jobs.is_some_and(|jobs| jobs > 1), "`--jobs` above 1"),
            (plan.syn_out.is_some(), "`--syn-out`"),
            (!plan.trace_spec.is_empty(), "`--trace-spec`"),
            (plan.symmetry == Symmetry::On, "`--symmetry`"),
        ];
        let asked = asked.into_iter().filter(|(is_asked, _)| *is_asked).map(|(_, spelled)| spelled);
        given.chain(asked).next()
    }

    /// The subject, and what of the plan holds for it.
    pub fn checked(plan: &CheckPlan) -> Result<(NativeSubject, CheckPlan), Refused> {
        if let Some(spelled) = NativeSubject::not_yet(plan) {
            let message = format!("{spelled} is not yet available with --backend native; --backend vm has it");
            return Err(message.into());
        }
        let strategy = match plan.strategy {
            Asked::Auto if plan.context_bound.is_some() => Strategy::Dpor,
            Asked::Auto => Strategy::Optimal,
            Asked::Named(strategy) => strategy,
        };
        if strategy.needs().may_access {
            return Err(format!(
                "`--strategy {strategy}` needs to know what the code of each thread may still touch, which nobody knows of machine code; \
                 take `dpor`, `optimal` or `graph`, or --backend vm"
            )
            .into());
        }
        let mut plan = CheckPlan { jobs: Some(1), strategy: Asked::Named(strategy), ..plan.clone() };
        if !supervisor::fatal().is_empty() {
            // What is near to a schedule that kills may kill as well.
            plan.minimise = Duration::ZERO;
        }
        Ok((NativeSubject { native: CSubject::of(&plan) }, plan))
    }

    /// How its machines are set up.
    pub fn native_setup(&self) -> Result<Setup, String> {
        let setup = self.native.setup();
        let (spurious, clock_jumps) = (setup.spurious, setup.clock_jumps.unwrap_or(0));
        let input = self.native.input()?;
        let (leaks, go_on) = (setup.leaks, setup.go_on);
        Ok(Setup { arguments: setup.arguments, spurious, clock_jumps, input, leaks, go_on })
    }
}

impl Subject for NativeSubject {
    type Program = Arc<Program>;
    type Machine = NativeMachine;

    fn load(&self) -> Result<Arc<Program>, Refused> {
        let sources = Sources {
            files: self.native.files.clone(),
            clang_flags: self.native.clang_flags.clone(),
            optimisation: self.native.optimisation,
            every_access: self.native.races == "allow",
            exploring: true,
            invariants: self.native.invariants.clone(),
            ..Sources::default()
        };
        Ok(Arc::new(Program::load(&sources, supervisor::notes().as_ref(), supervisor::fatal())?))
    }

    fn machine(&self, program: &Arc<Program>, _fingerprints: bool) -> Result<NativeMachine, String> {
        Ok(program.machine(self.native_setup()?))
    }

    fn machine_for_search(
        &self,
        program: &Arc<Program>,
        _needs: Needs,
        _before: Option<&NativeMachine>,
    ) -> Result<NativeMachine, String> {
        Ok(program.machine_for_search(self.native_setup()?))
    }

    fn another_for_search(&self, _: &Arc<Program>, _: Needs, (): &()) -> Result<NativeMachine, String> {
        Err("there is one native machine a process".into())
    }

    fn formulas(&self) -> &[Written] {
        &self.native.ltl
    }

    fn is_fair(&self) -> bool {
        true
    }

    fn race_detection(&self) -> RaceDetection {
        match self.native.races.as_str() {
            "allow" => RaceDetection::OfLibrary,
            _ => RaceDetection::Everywhere,
        }
    }

    fn files(&self) -> &[PathBuf] {
        &self.native.files
    }

    fn sources(&self, program: &Arc<Program>) -> Vec<PathBuf> {
        let files = &self.native.files;
        let libraries = program.code_files().iter().filter(|file| !files.contains(file));
        let named = files.iter().chain(libraries).chain(&self.native.stdin).cloned();
        named.chain(threadbare_vm::host_files_read()).collect()
    }

    /// Not memory that was never set.
    fn properties(&self) -> Vec<FaultKind> {
        use FaultKind::*;
        let races = (self.native.races == "error").then_some(DataRace);
        let always = [
            Assertion,
            Deadlock,
            Livelock,
            UseAfterFree,
            OutOfBounds,
            NullDereference,
            DoubleFree,
            InvalidFree,
            MutexMisuse,
            ThreadMisuse,
            Crash,
        ];
        let leaks = self.native.leaks.then_some(Leak);
        let invariants = (!self.native.invariants.is_empty()).then_some(Invariant);
        always.into_iter().chain(invariants).chain(races).chain(leaks).collect()
    }

    fn is_outdated(&self) -> bool {
        self.native.loop_rule != LOOP_RULE
    }

    fn assumptions(&self, program: &Arc<Program>) -> Vec<String> {
        let subject = &self.native;
        let mut list = vec!["sequential consistency".to_string()];
        list.push(match subject.races.as_str() {
            "allow" => "granularity: every access to shared memory is a scheduling point".into(),
            _ => "granularity: visible operations; plain accesses are checked for data races instead".into(),
        });
        list.push(
            "native machine code: accesses to memory that was never set are no errors, nor those to variables whose block inside a \
             function has ended, to arguments that were not given (va_arg), and those that leap from one object into another one"
                .into(),
        );
        list.push(
            "the C library is that of Threadbare; malloc gives no address out a second time, but for large blocks when 256 MB are used, and does not fail".into(),
        );
        list.extend(
            supervisor::instead().map(|why| format!("not the virtual machine, which refuses the program: {why}")),
        );
        if program.reads_clock() {
            list.push(subject.time_assumption());
        }
        if program.waits_on_conditions() && subject.spurious == 0 {
            list.push(NO_SPURIOUS.into());
        }
        if let Some(file) = &subject.stdin {
            list.push(format!("standard input is {}", file.display()));
        }
        list.extend(files_assumption());
        if subject.leaks {
            list.push("leaks: what any word of a stack points to is not lost".into());
        }
        if subject.optimisation > 0 {
            list.push(format!("the code as clang makes it at -O{}", subject.optimisation));
        }
        if !subject.arguments.is_empty() {
            list.push(format!("arguments: {}", subject.arguments.join(" ")));
        }
        list.extend(program.foreign.iter().cloned());
        list
    }
}

impl Told for NativeMachine {
    type Fault = Fault;
    type Teller = Teller;
    type Kin = ();

    fn kin(&mut self) {}

    fn stop_when(&mut self, stop: fn() -> bool) {
        NativeMachine::stop_when(self, stop);
    }

    fn names(&self) -> &ThreadNames {
        NativeMachine::names(self)
    }

    fn start_name(&self, tid: Tid) -> String {
        self.start_function(tid)
    }

    fn standing(&self, tid: Tid) -> Standing {
        if !self.has_been_created(tid) {
            Standing::NotCreated
        } else if self.is_stopped(tid) {
            Standing::Cut
        } else if self.has_failed(tid) {
            Standing::Failed
        } else if self.has_ended(tid) {
            Standing::Ended
        } else {
            Standing::Live
        }
    }

    fn places(&self, tid: Tid) -> Vec<Place> {
        places(self.program(), &self.stack(tid))
    }

    fn variables(&self, tid: Tid) -> Vec<(String, String)> {
        self.locals(tid)
    }

    fn waits_for(&self, tid: Tid) -> String {
        NativeMachine::waits_for(self, tid)
    }

    fn object_name(&self, teller: &mut Teller, who: Tid, access: &Access) -> String {
        NativeMachine::object_name(self, teller, who, access)
    }

    fn whole_name(&self, teller: &mut Teller, who: Tid, address: u64) -> String {
        NativeMachine::whole_name(self, teller, who, address)
    }

    fn object_value(&self, teller: &mut Teller, who: Tid, access: &Access) -> Option<String> {
        NativeMachine::object_value(self, teller, who, access)
    }

    fn may_look(&self, tid: Tid) -> bool {
        NativeMachine::may_look(self, tid)
    }

    fn step_and_look(&mut self, tid: Tid, choice: Choice) -> Vec<PlainLook> {
        let own = self.accesses(tid, choice);
        let looks = NativeMachine::step_and_look(self, tid, choice);
        let told = behind(&own, looks, |look| (look.address, look.writes)).into_iter().map(|look| PlainLook {
            access: Access::memory(if look.writes { Mode::Write } else { Mode::Read }, look.address, look.bytes),
            place: places(self.program(), &[look.pc]).into_iter().next().unwrap_or_default(),
            held: look.value.map(|value| (value, 0)),
        });
        told.collect()
    }

    fn parts(&self, teller: &mut Teller, who: Tid, access: &Access) -> Vec<Access> {
        NativeMachine::parts(self, teller, who, access)
    }

    fn held_value(&self, teller: &mut Teller, who: Tid, access: &Access, (bits, _): (u64, u64)) -> Option<String> {
        NativeMachine::held_value(self, teller, who, access, bits)
    }

    fn earlier_access(fault: &Fault) -> Option<Tid> {
        fault.address.and(fault.sides.first()).map(|earlier| earlier.tid)
    }

    fn remembers_earlier_access(&mut self, fault: &Fault) -> bool {
        match (fault.sides.first(), fault.address) {
            (Some(earlier), Some(address)) => self.remembers_access(earlier.tid, address, earlier.pc),
            _ => false,
        }
    }

    fn origins(&self, teller: &Teller) -> Vec<(String, Place)> {
        let place = |pc| places(self.program(), &[pc]).into_iter().next();
        teller.heap_objects().filter_map(|(name, at)| Some((name, place(at)?))).collect()
    }

    fn unnamed_object(fault: &Fault) -> Option<(u64, &str)> {
        let address = fault.address?;
        fault.object.starts_with("heap object").then_some((address, &fault.object))
    }

    fn noted_faults(&self) -> Vec<Box<Fault>> {
        self.noted()
    }

    fn has_noted_faults(&self) -> bool {
        !self.noted().is_empty()
    }

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
        places(self.program(), &fault.stack).into_iter().next()
    }

    fn same_bug(&self, a: &Fault, b: &Fault) -> bool {
        // Whoever breaks it.
        if (a.kind, b.kind) == (FaultKind::Invariant, FaultKind::Invariant) {
            return a.message == b.message;
        }
        if (a.kind, b.kind) == (FaultKind::DataRace, FaultKind::DataRace) {
            let program = self.program();
            // Code without a source has no lines.
            if let (Some(a), Some(b)) = (race(program, a), race(program, b)) {
                return a == b;
            }
        }
        is_at_the_same_places(a, b)
    }

    /// Who goes round for ever may stand anywhere in the loop, and a variable may have another name than when it was found.
    fn shows(&self, a: &Fault, b: &Fault) -> bool {
        let livelocks = (a.kind, b.kind) == (FaultKind::Livelock, FaultKind::Livelock);
        self.same_bug(a, b) || livelocks || a.kind != FaultKind::Invariant && is_at_the_same_places(a, b)
    }

    fn bug(&self, fault: &Fault, last_step: impl Fn(Tid) -> Option<usize>) -> StoryBug {
        let program = self.program();
        let waiters = fault.waiters.iter().map(|waiter| StoryWitness {
            thread: waiter.tid.index(),
            what: format!("waits for {}", waiter.waits_for),
            stack: places(program, &waiter.stack),
            step: last_step(waiter.tid),
            waits_for: waiter.waits_on.filter(|_| fault.kind == FaultKind::Deadlock).map(Tid::index),
        });
        let sides = fault.sides.iter().map(|side| StoryWitness {
            thread: side.tid.index(),
            what: format!("{} {}", side.verb, fault.object),
            stack: places(program, &[side.pc]),
            step: last_step(side.tid),
            waits_for: None,
        });
        // A thread that has gone on since stands somewhere else.
        let stands = self.ending().is_some() || self.has_failed(fault.tid);
        let tells = stands && fault.waiters.is_empty() && !fault.stack.is_empty() && fault.kind != FaultKind::Leak;
        StoryBug {
            kind: fault.kind.name().into(),
            message: fault.message.clone(),
            thread: fault.waiters.is_empty().then_some(fault.tid.index()),
            stack: places(program, &fault.stack),
            witnesses: waiters.chain(sides).collect(),
            notes: match &fault.subject {
                _ if fault.kind == FaultKind::Invariant => place_of_invariant(program, fault).into_iter().collect(),
                Some((object, life)) => notes(program, fault, object, life),
                None => Vec::new(),
            },
            locals: if tells { self.locals(fault.tid) } else { Vec::new() },
        }
    }

    fn holds(&mut self, _: usize) -> Result<bool, Box<Fault>> {
        unreachable!("no formulas: they are refused")
    }

    fn is_at(&mut self, _: Tid, _: &str) -> bool {
        false
    }

    fn printed(&mut self) -> u64 {
        NativeMachine::printed(self)
    }

    fn output_since(&mut self, printed: u64) -> String {
        NativeMachine::output_since(self, printed)
    }

    fn must_begin_again(&self) -> bool {
        NativeMachine::must_begin_again(self)
    }

    fn learn_loops(&mut self) {
        NativeMachine::learn_loops(self);
    }

    fn has_looked_in_vain(&self) -> bool {
        NativeMachine::has_looked_in_vain(self)
    }

    fn has_met_stale_pointers(&self) -> bool {
        NativeMachine::has_met_stale_pointers(self)
    }
}

fn place_of_invariant(program: &Program, fault: &Fault) -> Option<String> {
    let name = fault.message.split('`').nth(1)?;
    let at = program.place_of_invariant(name)?;
    Some(format!("`{name}` is at {}:{}", report::path(&at.file), at.line))
}

/// Where an object came from, and where it went.
fn notes(program: &Program, fault: &Fault, object: &Pointee, life: &Life) -> Vec<String> {
    let place = |pc: Option<u64>| {
        let place = places(program, &[pc?]).into_iter().next()?;
        Some(format!("at {}:{} in `{}`", place.file, place.line, place.function))
    };
    let what = &object.description;
    let own = || places(program, &fault.stack).into_iter().next().map(|place| place.file);
    let declared = life.declared.as_ref().filter(|(_, line)| *line > 0).and_then(|(file, line)| {
        let file = if file.is_empty() { own()? } else { report::path(file) };
        Some(format!("{what} is declared at {file}:{line}"))
    });
    let made = place(life.made).map(|at| format!("the {what} of {} was allocated {at}", in_bytes(object.size)));
    let it = if made.is_some() || declared.is_some() { "it" } else { what };
    let how = if life.local { "ended its life" } else { "was freed" };
    let ended = place(life.ended).map(|at| format!("{it} {how} {at}"));
    declared.into_iter().chain(made).chain(ended).collect()
}

/// Where the threads of a bug stand, in no order.
fn places_of(fault: &Fault) -> Vec<Option<u64>> {
    let waiters = fault.waiters.iter().map(|waiter| waiter.stack.first().copied());
    let sides = fault.sides.iter().map(|side| Some(side.pc));
    let own = (fault.waiters.is_empty() && fault.sides.is_empty()).then(|| fault.stack.first().copied());
    let mut places: Vec<Option<u64>> = waiters.chain(sides).chain(own).collect();
    places.sort_unstable();
    places
}

fn is_at_the_same_places(a: &Fault, b: &Fault) -> bool {
    a.kind == b.kind && places_of(a) == places_of(b)
}

fn race(program: &Program, fault: &Fault) -> Option<RaceForPeople> {
    let innermost = |pc| places(program, &[pc]).into_iter().next();
    let places: Vec<Place> = fault.sides.iter().map(|side| innermost(side.pc)).collect::<Option<_>>()?;
    Some(RaceForPeople::new(places.into_iter(), &fault.object))
}

fn places(program: &Program, stack: &[u64]) -> Vec<Place> {
    let mut found: Vec<Place> = stack.iter().flat_map(|&pc| program.places(pc)).collect();
    found.iter_mut().for_each(|place| place.file = report::path(&place.file));
    found
}
