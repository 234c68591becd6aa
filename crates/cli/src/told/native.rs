//! A C program as machine code, and its machine that tells of itself.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use threadbare_core::memory_words::{Pointee, in_bytes};
use threadbare_core::{Access, FaultKind, Machine, Place, Space, StoryBug, StoryWitness, ThreadNames, Tid};
use threadbare_explore::{Needs, Strategy, Stuck};
use threadbare_native::{Fault, Life, NativeMachine, Program, Setup};
use threadbare_vm::Sources;

use crate::arguments::{Asked, CheckPlan};
use crate::ltl::formulas::Written;
use crate::subject::{CSubject, LOOP_RULE};
use crate::told::{RaceDetection, Refused, Standing, Subject, Told};
use crate::{report, supervisor};

/// The same program as on the virtual machine, executed in another way: the name of the field tells traces apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NativeSubject {
    pub native: CSubject,
}

/// Options that the native machine does not serve yet: what they are called inside, and how they are spelled.
const NOT_YET: &[(&str, &str)] = &[
    ("uninit", "--uninit"),
    ("abstraction", "--abstraction"),
    ("ignored", "--ignore"),
    ("step_limit", "--step-limit"),
    ("program_memory", "--program-memory"),
    ("stack_limit", "--stack-limit"),
];

impl NativeSubject {
    /// The subject, and what of the plan holds for it.
    pub fn checked(plan: &CheckPlan) -> Result<(NativeSubject, CheckPlan), Refused> {
        let is_given = |inside: &str| plan.given.iter().any(|given| given == inside);
        let given = NOT_YET.iter().filter(|(inside, _)| is_given(inside)).map(|(_, spelled)| *spelled);
        let asked = [
            (!plan.invariants.is_empty(), "--invariant"),
            (!plan.formulas.is_empty(), "--ltl"),
            (plan.jobs.is_some_and(|jobs| jobs > 1), "--jobs above 1"),
            (plan.syn_out.is_some(), "--syn-out"),
            (!plan.trace_spec.is_empty(), "--trace-spec"),
        ];
        let asked = asked.into_iter().filter(|(is_asked, _)| *is_asked).map(|(_, spelled)| spelled);
        if let Some(spelled) = given.chain(asked).next() {
            let message = format!("`{spelled}` is not yet available with --backend native; --backend vm has it");
            return Err(message.into());
        }
        let strategy = match plan.strategy {
            Asked::Auto if plan.context_bound.is_some() => Strategy::Dpor,
            Asked::Auto => Strategy::Optimal,
            Asked::Named(strategy) => strategy,
        };
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

    fn sources(&self, _: &Arc<Program>) -> Vec<PathBuf> {
        self.native.files.clone()
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
        always.into_iter().chain(races).chain(leaks).collect()
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
            "native machine code: accesses to memory that was never set are no errors, nor those that leap from one object into another \
             one, nor calls through pointers of another type or longjmp to what has returned"
                .into(),
        );
        list.push("the C library is that of Threadbare; malloc gives no address out a second time".into());
        list.extend(
            supervisor::instead().map(|why| format!("not the virtual machine, which refuses the program: {why}")),
        );
        if program.reads_clock() {
            list.push(subject.time_assumption());
        }
        if let Some(file) = &subject.stdin {
            list.push(format!("standard input is {}", file.display()));
        }
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
    type Teller = ();
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

    fn variables(&self, _: Tid) -> Vec<(String, String)> {
        Vec::new()
    }

    fn waits_for(&self, tid: Tid) -> String {
        NativeMachine::waits_for(self, tid)
    }

    fn object_name(&self, (): &mut (), _: Tid, access: &Access) -> String {
        match access.space {
            Space::Thread => {
                let number = (access.address & 0xffff) as u16;
                let known = (usize::from(number) < self.names().len()).then(|| self.names().name(Tid(number)));
                known.map_or("a thread".into(), |name| format!("thread {name}"))
            }
            Space::Wake => format!("thread {}", self.names().name(Tid(access.address as u16))),
            // A generation of a barrier stands above its address.
            Space::Barrier => {
                NativeMachine::object_name(self, &Access { address: access.address << 16 >> 16, ..*access })
            }
            _ => NativeMachine::object_name(self, access),
        }
    }

    fn object_value(&self, (): &mut (), _: Tid, access: &Access) -> Option<String> {
        match access.space {
            Space::Memory => self.memory_value(access),
            Space::Semaphore => Some(self.value(access).to_string()),
            Space::Mutex => {
                let value = self.value(access);
                let owner =
                    ((value >> 32) as u32).checked_sub(1).filter(|owner| (*owner as usize) < self.names().len());
                match (value as u32, owner) {
                    (0, _) => Some("free".into()),
                    (_, Some(owner)) => Some(format!("held by {}", self.names().name(Tid(owner as u16)))),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn noted_faults(&self) -> Vec<Box<Fault>> {
        self.noted()
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
        a.kind == b.kind && places_of(a) == places_of(b)
    }

    /// Who goes round for ever may stand anywhere in the loop.
    fn shows(&self, a: &Fault, b: &Fault) -> bool {
        self.same_bug(a, b) || (a.kind, b.kind) == (FaultKind::Livelock, FaultKind::Livelock)
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
        StoryBug {
            kind: fault.kind.name().into(),
            message: fault.message.clone(),
            thread: fault.waiters.is_empty().then_some(fault.tid.index()),
            stack: places(program, &fault.stack),
            witnesses: waiters.chain(sides).collect(),
            notes: fault.subject.as_ref().map_or_else(Vec::new, |(object, life)| notes(program, fault, object, life)),
            locals: Vec::new(),
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
}

/// Where an object came from, and where it went.
fn notes(program: &Program, fault: &Fault, object: &Pointee, life: &Life) -> Vec<String> {
    let place = |pc: Option<u64>| {
        let place = places(program, &[pc?]).into_iter().next()?;
        Some(format!("at {}:{} in `{}`", place.file, place.line, place.function))
    };
    let what = &object.description;
    let file = places(program, &fault.stack).into_iter().next().map(|place| place.file);
    let declared =
        file.filter(|_| life.declared > 0).map(|file| format!("{what} is declared at {file}:{}", life.declared));
    let made = place(life.made).map(|at| format!("the {what} of {} was allocated {at}", in_bytes(object.size)));
    let ended = place(life.ended).map(|at| format!("{} was freed {at}", if made.is_some() { "it" } else { what }));
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

fn places(program: &Program, stack: &[u64]) -> Vec<Place> {
    let mut found: Vec<Place> = stack.iter().flat_map(|&pc| program.places(pc)).collect();
    found.iter_mut().for_each(|place| place.file = report::path(&place.file));
    found
}
