//! Models of the small language, and their machine that tells of itself.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use threadbare_core::{Access, FaultKind, Place, StoryBug, StoryWitness, ThreadNames, Tid};
use threadbare_explore::{Needs, Stuck};
use threadbare_pl::lang::{
    Array, Complaint, Limits, Source, Status, Symmetry, TbFault, TbMachine, TbProgram, TbSetup, load_with,
};

use crate::arguments::{CheckPlan, Fairness, ReplayPlan, RunPlan};
use crate::ltl::formulas::{self, Asked, Formulas, Written};
use crate::report;
use crate::told::{Inside, Refused, Standing, Subject, Told};

/// A model, as traces keep it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ModelSubject {
    pub files: Vec<PathBuf>,
    /// Values of its parameters: `-D N=4` is `N` and `4`.
    pub definitions: Vec<(String, String)>,
    /// Functions that are to hold in every state.
    #[serde(default)]
    pub invariants: Vec<String>,
    /// Formulas that are to hold, and on which executions.
    #[serde(default)]
    pub ltl: Vec<Written>,
    #[serde(default)]
    pub fairness: Fairness,
    /// An error does not end the execution (more than one bug was asked for).
    pub go_on: bool,
    /// Which of the threads that do the same is where is no part of stored states: an execution is the same, so that traces need
    /// not say it.
    #[serde(skip)]
    pub symmetry: bool,
    pub step_limit: u64,
    pub program_memory: u64,
    pub stack_limit: usize,
}

/// Options that mean nothing for a model: what they are called inside, how they are spelled, and why.
const MEANINGLESS: &[(&str, &str, &str)] = &[
    ("optimisation", "-O has", "a model is not compiled by clang"),
    ("clang_flags", "flags for clang have", "a model is not compiled by clang; `-D NAME=VALUE` sets its parameters"),
    ("args", "--args has", "a model has no arguments; `-D NAME=VALUE` sets its parameters"),
    ("races", "--races has", "every access to a shared variable of a model is a visible operation, and none is a race"),
    ("leaks", "--leaks has", "a model has no memory to lose"),
    ("uninit", "--uninit has", "every variable of a model has a value"),
    ("spurious", "--spurious has", "a model has no condition variables"),
    ("clock_jumps", "--clock-jumps has", "a model has no clock"),
    ("stdin", "--stdin has", "a model reads no input"),
    ("abstraction", "--abstraction has", "what matters of its state is said by what it declares"),
    ("ignored", "--ignore has", "what matters of its state is said by what it declares"),
];

impl ModelSubject {
    fn machine_that_stops(&self, program: &Arc<TbProgram>, stop: Option<fn() -> bool>) -> TbMachine {
        let (local_steps, stack_frames, memory) = (self.step_limit, self.stack_limit, self.program_memory);
        let limits = Limits { local_steps, stack_frames, memory, stop };
        TbMachine::new(program.clone(), TbSetup { limits, go_on: self.go_on, symmetry: self.symmetry })
    }

    pub fn checked(plan: &CheckPlan) -> Result<ModelSubject, Refused> {
        let subject = ModelSubject::new(&plan.files, &plan.definitions, &plan.given)?;
        Ok(ModelSubject {
            invariants: plan.invariants.clone(),
            ltl: plan.formulas.clone(),
            fairness: plan.fairness,
            go_on: plan.max_bugs > 1,
            symmetry: plan.symmetry == crate::arguments::Symmetry::On,
            step_limit: plan.step_limit,
            program_memory: plan.program_memory,
            stack_limit: plan.stack_limit,
            ..subject
        })
    }

    pub fn simulated(plan: &ReplayPlan) -> Result<ModelSubject, Refused> {
        ModelSubject::new(&plan.files, &plan.definitions, &plan.given)
    }

    pub fn run(plan: &RunPlan) -> Result<ModelSubject, Refused> {
        let subject = ModelSubject::new(&plan.files, &plan.definitions, &plan.given)?;
        Ok(ModelSubject {
            step_limit: plan.step_limit,
            program_memory: plan.memory_limit,
            stack_limit: plan.stack_limit as usize,
            ..subject
        })
    }

    fn new(files: &[PathBuf], definitions: &[String], given: &[String]) -> Result<ModelSubject, Refused> {
        if files.len() > 1 {
            return Err("a model is one file, and cannot be linked with others".to_string().into());
        }
        for (inside, spelled, why) in MEANINGLESS {
            if given.iter().any(|given| given == inside) {
                return Err(format!("{spelled} no meaning for a model: {why}").into());
            }
        }
        let parse = |text: &String| match text.split_once('=') {
            Some((name, value)) => (name.trim().to_string(), value.trim().to_string()),
            // As clang has it: a name alone is switched on.
            None => (text.trim().to_string(), "1".to_string()),
        };
        let limits = Limits::default();
        Ok(ModelSubject {
            files: files.to_vec(),
            definitions: definitions.iter().map(parse).collect(),
            invariants: Vec::new(),
            ltl: Vec::new(),
            fairness: Fairness::default(),
            go_on: false,
            symmetry: false,
            step_limit: limits.local_steps,
            program_memory: limits.memory,
            stack_limit: limits.stack_frames,
        })
    }
}

impl Subject for ModelSubject {
    type Program = Arc<TbProgram>;
    type Machine = TbMachine;

    fn load(&self) -> Result<Arc<TbProgram>, Refused> {
        let [file] = self.files.as_slice() else { return Err("a model is one file".to_string().into()) };
        let name = file.display().to_string();
        let bytes = std::fs::read(file).map_err(|error| format!("cannot read {name}: {}", report::why(&error)))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{name} is not a text in UTF-8"))?;
        let formulas = Formulas::read(&self.ltl)?;
        let source = Source::new(name, text);
        let load = |source: &Source, propositions: &[String]| {
            load_with(source, &self.definitions, &self.invariants, propositions).map(Arc::new)
        };
        // The file is there: its line is shown from it.
        let refused = |complaint: Box<Complaint>| Refused { inside: None, ..formulas::refused(&source, *complaint) };
        if formulas.asked.is_empty() {
            return load(&source, &[]).map_err(refused);
        }
        let (longer, propositions, places) = with_propositions(&source, &formulas);
        load(&longer, &propositions).map_err(|complaint| {
            // What is wrong with the model itself comes first.
            if let Err(own) = load(&source, &[]) {
                return refused(own);
            }
            let at = complaint.span.and_then(|span| Some((places.iter().rfind(|(_, from)| *from <= span.from)?, span)));
            let is_missing = |asked: &Asked| matches!(asked, Asked::Function(name) if complaint.message.contains(&format!("`{name}`")));
            let missing = formulas.asked.iter().position(is_missing);
            let (number, column) = match (at, missing) {
                (Some((&(number, from), span)), _) => (number, span.from - from + 1),
                (None, Some(number)) => (number, 1),
                (None, None) => return refused(complaint),
            };
            let inside = Some(Box::new(Inside::Proposition { number, column }));
            let Complaint { message, notes, .. } = *complaint;
            formulas.explain(Refused { message, notes, inside, code: 2, ..Refused::default() })
        })
    }

    fn machine(&self, program: &Arc<TbProgram>, _fingerprints: bool) -> Result<TbMachine, String> {
        Ok(self.machine_that_stops(program, None))
    }

    /// Its threads go to their first operations at once: it must know from the start when to give up.
    fn machine_for_search(
        &self,
        program: &Arc<TbProgram>,
        _needs: Needs,
        _before: Option<&TbMachine>,
    ) -> Result<TbMachine, String> {
        Ok(self.machine_that_stops(program, Some(crate::limits::are_reached)))
    }

    fn another_for_search(&self, program: &Arc<TbProgram>, needs: Needs, (): &()) -> Result<TbMachine, String> {
        self.machine_for_search(program, needs, None)
    }

    fn formulas(&self) -> &[Written] {
        &self.ltl
    }

    fn is_fair(&self) -> bool {
        self.fairness == Fairness::Weak
    }

    fn look_over(&self, _: &Arc<TbProgram>, formulas: &Formulas) -> Result<(), Refused> {
        formulas.unknown_label(&[]).map_or(Ok(()), |refused| {
            Err(Refused {
                notes: vec!["a model has no labels: give it a variable that says where a thread is".into()],
                ..refused
            })
        })
    }

    fn files(&self) -> &[PathBuf] {
        &self.files
    }

    fn sources(&self, _program: &Arc<TbProgram>) -> Vec<PathBuf> {
        self.files.clone()
    }

    fn properties(&self) -> Vec<FaultKind> {
        use FaultKind::*;
        let invariants = (!self.invariants.is_empty()).then_some(Invariant);
        let formulas = (!self.ltl.is_empty()).then_some(Ltl);
        let always = [Assertion, Deadlock, Livelock, OutOfBounds, MutexMisuse, Crash];
        always.into_iter().chain(invariants).chain(formulas).collect()
    }

    fn assumptions(&self, program: &Arc<TbProgram>) -> Vec<String> {
        let mut list = vec!["sequential consistency".to_string()];
        list.push("granularity: every read, write, cas, lock and unlock of what is shared is one step".into());
        if !program.parameters.is_empty() {
            let values: Vec<String> =
                program.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            list.push(format!("parameters: {}", values.join(", ")));
        }
        if self.symmetry {
            list.push(told_apart(program));
        }
        list
    }
}

/// What `--symmetry` has made of the threads.
fn told_apart(program: &TbProgram) -> String {
    let name = |tid: Tid| program.threads[tid.index() - 1].name.as_str();
    let kind = |mut kind: Vec<&str>| {
        let last = kind.pop().unwrap_or_default();
        format!("{} and {last}", kind.join(", "))
    };
    let symmetry = Symmetry::of(program);
    let kinds: Vec<String> = symmetry.kinds().map(|threads| kind(threads.map(name).collect())).collect();
    match kinds.is_empty() {
        true => "symmetry: no two threads do the same".into(),
        false => format!("symmetry: these do the same, and are not told apart: {}", kinds.join("; ")),
    }
}

/// The model with a function for each proposition at its end: their names, and where each text begins.
fn with_propositions(source: &Source, formulas: &Formulas) -> (Source, Vec<String>, Vec<(usize, u32)>) {
    let (mut names, mut places, mut text) = (Vec::new(), Vec::new(), source.text.clone());
    for (number, asked) in formulas.asked.iter().enumerate() {
        match asked {
            Asked::Function(function) => names.push(function.clone()),
            Asked::Expression(expression) => {
                let function = format!("tb_holds_{number}");
                text += &format!("\nlet {function}() = (");
                places.push((number, text.len() as u32));
                text += &format!("{expression}\n)\n");
                names.push(function);
            }
        }
    }
    (Source::new(source.file.clone(), text), names, places)
}

impl Told for TbMachine {
    type Fault = TbFault;
    type Teller = ();
    type Kin = ();

    fn kin(&mut self) {}

    fn names(&self) -> &ThreadNames {
        TbMachine::names(self)
    }

    fn start_name(&self, tid: Tid) -> String {
        TbMachine::start_name(self, tid).to_string()
    }

    fn standing(&self, tid: Tid) -> Standing {
        match self.status(tid) {
            // Without a `finally` there is no main thread.
            Status::Ended if tid == Tid::MAIN && self.program().finally.is_none() => Standing::NotCreated,
            Status::Live => Standing::Live,
            Status::Ended => Standing::Ended,
            Status::Cut => Standing::Cut,
            Status::Failed => Standing::Failed,
        }
    }

    fn places(&self, tid: Tid) -> Vec<Place> {
        self.program().places(&self.stack(tid))
    }

    fn variables(&self, tid: Tid) -> Vec<(String, String)> {
        self.locals(tid)
    }

    fn waits_for(&self, tid: Tid) -> String {
        TbMachine::waits_for(self, tid)
    }

    fn object_name(&self, _: &mut (), _: Tid, access: &Access) -> String {
        self.name_of(access)
    }

    fn object_value(&self, _: &mut (), _: Tid, access: &Access) -> Option<String> {
        self.value_in_words(access)
    }

    fn noted_faults(&self) -> Vec<Box<TbFault>> {
        self.noted().iter().cloned().map(Box::new).collect()
    }

    fn has_noted_faults(&self) -> bool {
        !self.noted().is_empty()
    }

    fn fault_of_stuck(&mut self, stuck: &Stuck) -> Box<TbFault> {
        Box::new(if stuck.spinning.is_empty() { self.deadlock() } else { self.livelock(&stuck.spinning) })
    }

    fn fault_of_left_behind(&mut self, who: &[Tid]) -> Box<TbFault> {
        Box::new(self.partial_deadlock(who))
    }

    fn kind(fault: &TbFault) -> FaultKind {
        fault.kind
    }

    fn message(fault: &TbFault) -> String {
        fault.message.clone()
    }

    fn place_of(&self, fault: &TbFault) -> Option<Place> {
        self.program().places(&fault.stack).into_iter().next()
    }

    fn holds(&mut self, proposition: usize) -> Result<bool, Box<TbFault>> {
        TbMachine::holds(self, proposition)
    }

    fn is_at(&mut self, _: Tid, _: &str) -> bool {
        false
    }

    fn same_bug(&self, a: &TbFault, b: &TbFault) -> bool {
        a.is_like(b)
    }

    fn bug(&self, fault: &TbFault, last_step: impl Fn(Tid) -> Option<usize>) -> StoryBug {
        let program = self.program();
        let witnesses = fault.waiters.iter().map(|waiter| StoryWitness {
            thread: waiter.tid.index(),
            what: format!("waits for {}", waiter.waits_for),
            stack: program.places(&waiter.stack),
            step: last_step(waiter.tid),
            waits_for: waiter.waits_on.map(Tid::index),
        });
        StoryBug {
            kind: fault.kind.name().into(),
            message: fault.message.clone(),
            thread: fault.waiters.is_empty().then_some(fault.tid.index()),
            stack: program.places(&fault.stack),
            witnesses: witnesses.collect(),
            notes: notes(program, fault),
            locals: fault.locals.clone(),
        }
    }
}

/// Where a broken invariant is written.
fn notes(program: &TbProgram, fault: &TbFault) -> Vec<String> {
    let name = fault.message.split('`').nth(1).filter(|_| fault.kind == FaultKind::Invariant);
    let place = name.and_then(|name| Some((name, program.place_of_invariant(name)?)));
    place.map(|(name, at)| format!("`{name}` is at {}:{}", report::path(&at.file), at.line)).into_iter().collect()
}

/// The shared variables with their values, as `run` shows them in the end: arrays on one line.
pub fn shared_values(machine: &TbMachine) -> Vec<(String, String)> {
    let arrays = machine.program().arrays.iter().filter(|array| !array.is_mutex);
    let show = |array: &Array| {
        let values = &machine.shared()[array.first as usize..][..array.count as usize];
        let words: Vec<String> = values.iter().map(ToString::to_string).collect();
        match array.indexed {
            true => (array.name.clone(), format!("[{}]", words.join(", "))),
            false => (array.name.clone(), words.join(", ")),
        }
    };
    arrays.map(show).collect()
}
