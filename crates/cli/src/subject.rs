//! A C program under test, and how its machine is set up.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use threadbare_explore::Needs;
use threadbare_vm::{Console, Kin, Limits, LoadError, Program, Proposition, Setup, Sources, VmMachine};

use crate::arguments::{CLOCK_JUMPS, CheckPlan, Fairness, Races, ReplayPlan, Symmetry, Uninit};
use crate::ltl::formulas::{Asked, Formulas, Written};
use crate::report;
use crate::told::RacesIn;

/// Two executions of one subject under one schedule are the same. Traces keep it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CSubject {
    pub files: Vec<PathBuf>,
    pub clang_flags: Vec<String>,
    pub optimisation: u8,
    /// Arguments of its main, without its name.
    pub arguments: Vec<String>,
    /// The file that its standard input is; nothing is the end of the file at once.
    pub stdin: Option<PathBuf>,
    /// `error` or `allow`: what is a visible operation hangs on it.
    pub races: String,
    pub leaks: bool,
    /// Functions that are to hold in every state.
    #[serde(default)]
    pub invariants: Vec<String>,
    /// What states are matched by: an execution is the same whatever that is, so that traces need not say it.
    #[serde(skip)]
    pub abstraction: Option<String>,
    #[serde(skip)]
    pub ignored: Vec<String>,
    /// Whether a search may take threads for alike.
    #[serde(skip)]
    pub symmetry: bool,
    /// Formulas that are to hold, and on which executions.
    #[serde(default)]
    pub ltl: Vec<Written>,
    #[serde(default)]
    pub fairness: Fairness,
    /// What was never set is zero, not an error.
    #[serde(default)]
    pub zeroed: bool,
    pub spurious: u8,
    /// How often a look at the clock may find that a day has passed, for each thread.
    #[serde(default)]
    pub clock_jumps: u8,
    /// An error does not end the execution (more than one bug was asked for).
    pub go_on: bool,
    /// How loops that may wait are told; grows when that changes.
    pub loop_rule: u32,
    pub step_limit: u64,
    pub program_memory: u64,
    pub stack_limit: usize,
}

/// See `CSubject::loop_rule`.
pub const LOOP_RULE: u32 = 5;

impl CSubject {
    pub fn of(plan: &CheckPlan) -> CSubject {
        CSubject {
            files: plan.files.clone(),
            clang_flags: plan.clang_flags.clone(),
            optimisation: plan.optimisation,
            arguments: plan.args.clone(),
            stdin: plan.stdin.clone(),
            races: match plan.races {
                Races::Error => "error".into(),
                Races::Allow => "allow".into(),
            },
            leaks: plan.leaks,
            invariants: plan.invariants.clone(),
            abstraction: plan.abstraction.clone(),
            ignored: plan.ignored.clone(),
            // Whoever says how many workers there are gets the same states for any number.
            symmetry: match plan.symmetry {
                Symmetry::Auto => plan.depth_bound.is_none() && plan.jobs.is_none(),
                asked => asked == Symmetry::On,
            },
            ltl: plan.formulas.clone(),
            fairness: plan.fairness,
            zeroed: plan.uninit == Uninit::Allow,
            spurious: plan.spurious,
            clock_jumps: plan.clock_jumps,
            go_on: plan.max_bugs > 1,
            loop_rule: LOOP_RULE,
            step_limit: plan.step_limit,
            program_memory: plan.program_memory,
            stack_limit: plan.stack_limit,
        }
    }

    /// A program that somebody wants to step through.
    pub fn simulated(plan: &ReplayPlan) -> CSubject {
        let limits = Limits::default();
        CSubject {
            files: plan.files.clone(),
            clang_flags: plan.clang_flags.clone(),
            optimisation: plan.optimisation,
            arguments: plan.args.clone(),
            stdin: plan.stdin.clone(),
            races: "error".into(),
            leaks: false,
            invariants: Vec::new(),
            abstraction: None,
            ignored: Vec::new(),
            symmetry: false,
            ltl: Vec::new(),
            fairness: Fairness::default(),
            zeroed: false,
            spurious: 0,
            clock_jumps: CLOCK_JUMPS,
            go_on: false,
            loop_rule: LOOP_RULE,
            step_limit: limits.local_steps,
            program_memory: limits.memory,
            stack_limit: limits.stack_frames,
        }
    }

    /// `formulas` are those of the subject.
    pub fn load(&self, formulas: &Formulas) -> Result<Arc<Program>, LoadError> {
        // The compiler need not have the source of a function that is only called.
        let is_source =
            |file: &PathBuf| !file.extension().is_some_and(|extension| extension == "ll" || extension == "bc");
        let has_source = self.files.iter().any(is_source);
        let propositions = formulas.asked.iter().map(|asked| match asked {
            Asked::Function(name) if has_source => Proposition::Expression(format!("{name}()")),
            Asked::Function(name) => Proposition::Function(name.clone()),
            Asked::Expression(text) => Proposition::Expression(text.clone()),
        });
        let sources = Sources {
            files: self.files.clone(),
            clang_flags: self.clang_flags.clone(),
            optimisation: self.optimisation,
            every_access: self.races == "allow",
            exploring: true,
            invariants: self.invariants.clone(),
            abstraction: self.abstraction.clone(),
            ignored: self.ignored.clone(),
            propositions: propositions.collect(),
            labels: formulas.labels(),
        };
        let mut program = threadbare_vm::load(&sources)?;
        if self.zeroed {
            program.define_everything();
        }
        Ok(Arc::new(program))
    }

    pub fn setup(&self) -> Setup {
        let name = self.files[0].with_extension("").to_string_lossy().into_owned();
        Setup {
            limits: Limits {
                local_steps: self.step_limit,
                memory: self.program_memory,
                stack_frames: self.stack_limit,
            },
            arguments: std::iter::once(name).chain(self.arguments.iter().cloned()).collect(),
            leaks: self.leaks,
            zeroed: self.zeroed,
            spurious: self.spurious,
            clock_jumps: Some(self.clock_jumps),
            merge_idle: true,
            go_on: self.go_on,
            races: true,
            races_of_library: self.races == "allow",
            ..Setup::default()
        }
    }

    /// What the program reads as its standard input.
    pub fn input(&self) -> Result<Vec<u8>, String> {
        match &self.stdin {
            None => Ok(Vec::new()),
            Some(file) => {
                std::fs::read(file).map_err(|error| format!("cannot read {}: {}", file.display(), report::why(&error)))
            }
        }
    }

    /// A machine at the start of the program. Its output is kept, never printed.
    pub fn machine(&self, program: &Arc<Program>, fingerprints: bool) -> Result<VmMachine, String> {
        self.machine_as(program, Setup { fingerprints, ..self.setup() })
    }

    /// The same with exact states.
    pub fn machine_for_states(&self, program: &Arc<Program>, races: RacesIn) -> Result<VmMachine, String> {
        let order_in_state = races == RacesIn::States && self.races != "allow";
        let by_sharing = races == RacesIn::Sharing;
        // Who knows its steps by heart does not know what it may still touch, which the reduction asks where it can.
        let by_heart = races == RacesIn::States;
        self.machine_as(program, Setup { fingerprints: true, order_in_state, by_sharing, by_heart, ..self.setup() })
    }

    /// The same for a search, which need not see the steps that nothing races with. `schedule_of` tells them.
    pub fn machine_for_search(
        &self,
        program: &Arc<Program>,
        needs: Needs,
        before: Option<&VmMachine>,
    ) -> Result<VmMachine, String> {
        let mut why_not = before.and_then(VmMachine::symmetry).and_then(Result::err);
        if self.symmetry && needs.order && before.is_none() && self.races == "allow" {
            why_not = Some("--races allow looks at what threads share, and any of those that are alike might");
        } else if self.symmetry && needs.order && before.is_none() {
            let machine = self.symmetric_machine(program, needs)?;
            why_not = machine.symmetry().and_then(Result::err);
            if why_not.is_none() {
                return Ok(machine);
            }
        }
        let before = before.filter(|before| !before.is_symmetric());
        let by_sharing = before.is_none_or(|before| before.goes_by_sharing() && !before.shares_plain_data());
        let mut machine = self.machine_as(program, self.setup_for_search(needs, by_sharing))?;
        why_not.inspect(|why| machine.tell_threads_apart(why));
        if !by_sharing && !needs.fingerprints {
            machine.rely_on_reads(before);
        }
        match before {
            // Every write that an invariant may look at is a step.
            _ if needs.every_step || needs.may_access || !program.invariants.is_empty() => {}
            None => machine.guess_uses(),
            Some(before) => machine.guess_like(before),
        }
        Ok(machine)
    }

    /// The same where threads are taken to be alike; it says so if they are not. What is ordered is a part of states from the
    /// start: who shares plain data could be any of those who are alike.
    fn symmetric_machine(&self, program: &Arc<Program>, needs: Needs) -> Result<VmMachine, String> {
        let setup = Setup { symmetry: true, ..self.setup_for_search(needs, false) };
        let mut machine = self.machine_as(program, setup)?;
        match machine.is_symmetric() {
            true => machine.look_for_twins(),
            false => machine.tell_threads_apart(
                "threads are detached, cancelled or asked whether they have ended, or invariants, leaks or several bugs are looked for",
            ),
        }
        Ok(machine)
    }

    /// Another one that helps with the same search.
    pub fn another_for_search(&self, program: &Arc<Program>, needs: Needs, kin: &Kin) -> Result<VmMachine, String> {
        let mut machine = self.machine_as(program, self.setup_for_search(needs, kin.by_sharing))?;
        machine.join_kin(kin);
        Ok(machine)
    }

    fn setup_for_search(&self, needs: Needs, by_sharing: bool) -> Setup {
        let Needs { fingerprints, order, may_access, join_steps, .. } = needs;
        let order_in_state = order && self.races != "allow";
        // What a thread may still touch is told by its frames, which steps by heart do not keep.
        let by_heart = !may_access;
        Setup { fingerprints, order_in_state, merge_threads: true, join_steps, by_heart, by_sharing, ..self.setup() }
    }

    fn machine_as(&self, program: &Arc<Program>, setup: Setup) -> Result<VmMachine, String> {
        VmMachine::new(program.clone(), &setup, Console::Kept { input: self.input()? })
            .map_err(|error| format!("cannot reserve memory for the machine: {error}"))
    }

    /// What a verdict about it rests on besides the schedules.
    pub fn time_assumption(&self) -> String {
        match self.clock_jumps {
            0 => "time is virtual: it passes when a thread sleeps, and never else".into(),
            n => format!(
                "time is virtual: besides in sleeps it passes between two looks at the clock, a day or none at all, \
                 up to {n} times for each thread (--clock-jumps)"
            ),
        }
    }

    pub fn assumptions(&self, program: &Program) -> Vec<String> {
        let mut list = vec!["sequential consistency".to_string()];
        list.push(match self.races.as_str() {
            "allow" => "granularity: every access to shared memory is a scheduling point".into(),
            _ => "granularity: visible operations; plain accesses are checked for data races instead".into(),
        });
        if self.optimisation > 0 {
            list.push(format!("the code as clang makes it at -O{}", self.optimisation));
        }
        if !self.arguments.is_empty() {
            list.push(format!("arguments: {}", self.arguments.join(" ")));
        }
        if self.zeroed {
            list.push(
                "what was never set is zero (--uninit allow): with other values the program may do something else"
                    .into(),
            );
        }
        if program.reads_clock {
            list.push(self.time_assumption());
        }
        if program.frees_memory() {
            list.push("malloc gives no address out a second time, and does not fail".into());
        }
        if program.has_volatile_accesses() {
            list.push("volatile accesses count as atomic ones without an order, not as data races".into());
        }
        if program.weak_exchanges {
            list.push("a weak compare-exchange fails only where it finds another value, as on x86-64".into());
        }
        if program.waits_on_conditions() && self.spurious == 0 {
            list.push(NO_SPURIOUS.into());
        }
        if program.reads_input() {
            list.push(match &self.stdin {
                Some(file) => format!("standard input is {}", file.display()),
                None => "standard input is empty (--stdin FILE gives it another)".into(),
            });
        }
        list.extend(files_assumption());
        if program.assumes_by_abort {
            list.push("the `abort` of `assume_abort_if_not` is a failed assumption, not an error".into());
        }
        list.extend(program.foreign.iter().cloned());
        list
    }
}

/// What a verdict on a program with condition variables rests on.
pub const NO_SPURIOUS: &str = "no wait ends by itself (--spurious N lets up to N do so)";

/// How many files a verdict names.
const NAMED_FILES: usize = 8;

/// The files of the host that the program has found.
pub fn files_assumption() -> Option<String> {
    let files = threadbare_vm::host_files_read();
    let mut names: Vec<String> = files.iter().take(NAMED_FILES).map(|file| file.display().to_string()).collect();
    if files.len() > NAMED_FILES {
        names.push(format!("{} more", files.len() - NAMED_FILES));
    }
    let (last, others) = names.split_last()?;
    Some(match others {
        [] => format!("the file {last} as it is now"),
        others => format!("the files {} and {last} as they are now", others.join(", ")),
    })
}
