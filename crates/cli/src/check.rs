//! `threadbare check`: explore, and say what was found.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use threadbare_core::{Chosen, Ending, Machine, Operation, Schedule, ScheduleStep, Verdict};
use threadbare_explore::{Dpor, End, Flow, Keep, Path, Search, Totals};
use threadbare_vm::{Console, Fault, FaultKind, Limits, Setup, Sources, VmMachine};

use crate::arguments::{CheckPlan, Format, Strategy};
use crate::clocks::Meter;
use crate::{report, run};

/// A bug, with the first schedule that showed it.
pub struct Bug {
    pub fault: Box<Fault>,
    pub schedule: Schedule,
    pub occurrences: u64,
}

struct Hunt {
    bugs: Vec<Bug>,
    max_bugs: usize,
    deadline: Option<Instant>,
    out_of_time: bool,
    refused: Option<Box<Fault>>,
    ticks: u32,
}

impl Search<VmMachine> for Hunt {
    fn end(&mut self, machine: &mut VmMachine, path: &Path, end: End) -> Flow {
        let mut extra = None;
        let fault = match end {
            End::Error => match machine.ending() {
                Some(Ending::Error(fault)) => Some(fault.clone()),
                _ => None,
            },
            End::Exit(tid, choice) => {
                extra = Some((tid, choice));
                machine.step(tid, choice);
                match machine.ending() {
                    Some(Ending::Error(fault)) => Some(fault.clone()),
                    _ => None,
                }
            }
            // Whom a failed thread leaves waiting is no bug of its own.
            End::Stuck(_) if !machine.noted().is_empty() => None,
            End::Stuck(stuck) if stuck.waiting == 0 => Some(machine.livelock(&stuck.spinning)),
            End::Stuck(_) => Some(machine.deadlock()),
            End::Complete | End::Cut | End::Redundant | End::Bound => None,
        };
        if let Some(refused) = fault.as_ref().filter(|f| matches!(f.kind, FaultKind::Unsupported | FaultKind::Limit)) {
            self.refused = Some(refused.clone());
            return Flow::Stop;
        }
        let noted: Vec<Box<Fault>> = machine.noted().to_vec();
        for fault in noted.into_iter().chain(fault) {
            match self.bugs.iter_mut().find(|bug| same_bug(&bug.fault, &fault)) {
                Some(bug) => bug.occurrences += 1,
                None => {
                    let mut schedule = schedule_of(machine, path);
                    if let Some((tid, choice)) = extra {
                        let thread = machine.names().name(tid).clone();
                        schedule.0.push(ScheduleStep { thread, chosen: choice.into() });
                    }
                    self.bugs.push(Bug { fault, schedule, occurrences: 1 });
                }
            }
            if self.bugs.len() >= self.max_bugs {
                return Flow::Stop;
            }
        }
        self.tick()
    }

    fn tick(&mut self) -> Flow {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks % 64 == 0 && self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.out_of_time = true;
            return Flow::Stop;
        }
        Flow::Continue
    }
}

/// The same bug by another schedule: of the same kind, at the same place.
fn same_bug(a: &Fault, b: &Fault) -> bool {
    a.kind == b.kind
        && a.stack.first() == b.stack.first()
        && a.waiters.iter().map(|w| w.stack.first()).eq(b.waiters.iter().map(|w| w.stack.first()))
}

fn schedule_of(machine: &VmMachine, path: &Path) -> Schedule {
    let names = machine.names();
    let steps = path.events.iter().map(|event| {
        let label = &event.label;
        let wakes = label.operation == Operation::CondSignal && path.labels.accesses(label).count() > 1;
        let chosen = match wakes {
            true => Chosen::Thread(names.name(threadbare_core::Tid(label.choice.0 as u16)).clone()),
            false => label.choice.into(),
        };
        ScheduleStep { thread: names.name(label.tid).clone(), chosen }
    });
    Schedule(steps.collect())
}

pub fn check(plan: &CheckPlan) -> ExitCode {
    let sources =
        Sources { files: plan.files.clone(), clang_flags: plan.clang_flags.clone(), optimisation: plan.optimisation };
    let program = match threadbare_vm::load(&sources) {
        Ok(program) => Arc::new(program),
        Err(error) => return run::refuse(&error),
    };
    let name = plan.files[0].with_extension("").to_string_lossy().into_owned();
    let setup = Setup {
        limits: Limits { local_steps: plan.step_limit, memory: plan.memory_limit, stack_frames: plan.stack_limit },
        arguments: std::iter::once(name).chain(plan.args.iter().cloned()).collect(),
        leaks: plan.leaks,
        spurious: plan.spurious,
        merge_idle: true,
        go_on: plan.max_bugs > 1,
        ..Setup::default()
    };
    let meter = Meter::start();
    let mut machine = match VmMachine::new(program.clone(), &setup, Console::Kept { input: Vec::new() }) {
        Ok(machine) => machine,
        Err(error) => {
            report::message(&format!("cannot reserve memory for the machine: {error}"));
            return ExitCode::from(70);
        }
    };
    let keep = match plan.strategy {
        Strategy::Optimal => Keep::Sequences,
        Strategy::Source => Keep::FirstSteps,
    };
    let mut hunt = Hunt {
        bugs: Vec::new(),
        max_bugs: plan.max_bugs,
        deadline: plan.time_limit.map(|limit| Instant::now() + limit),
        out_of_time: false,
        refused: None,
        ticks: 0,
    };
    let totals = Dpor::new(&mut machine, keep).depth_bound(plan.depth_bound).run(&mut hunt);
    let verdict = verdict(plan, &hunt, &totals);
    match plan.format {
        Format::Json => println!("{}", json(plan, &hunt, &totals, &verdict, &meter, &machine)),
        Format::Human => {
            for bug in &hunt.bugs {
                report::fault(&machine, &bug.fault);
            }
            println!("{}: {totals:?} {:.3}s", verdict.name(), meter.cpu_seconds());
        }
    }
    ExitCode::from(verdict.exit_code())
}

fn verdict(plan: &CheckPlan, hunt: &Hunt, totals: &Totals) -> Verdict {
    if !hunt.bugs.is_empty() {
        Verdict::Violated
    } else if hunt.out_of_time {
        Verdict::Unknown("the time limit".into())
    } else if totals.beyond_bound > 0 {
        Verdict::Bounded(format!("executions of at most {} visible operations", plan.depth_bound))
    } else if !totals.complete {
        Verdict::Unknown("the search did not end".into())
    } else {
        Verdict::Proved
    }
}

fn json(
    plan: &CheckPlan,
    hunt: &Hunt,
    totals: &Totals,
    verdict: &Verdict,
    meter: &Meter,
    machine: &VmMachine,
) -> serde_json::Value {
    let bugs: Vec<serde_json::Value> = hunt
        .bugs
        .iter()
        .map(|bug| {
            let stack = match bug.fault.waiters.first() {
                Some(waiter) => &waiter.stack,
                None => &bug.fault.stack,
            };
            let at = threadbare_vm::program_position(machine.program(), stack);
            let place = &machine.program().source_of(at)[0];
            let schedule: Vec<serde_json::Value> = bug
                .schedule
                .0
                .iter()
                .map(|step| match &step.chosen {
                    Chosen::Number(n) => serde_json::json!([step.thread.to_string(), n]),
                    Chosen::Thread(t) => serde_json::json!([step.thread.to_string(), t.to_string()]),
                })
                .collect();
            serde_json::json!({
                "kind": bug.fault.kind.name(),
                "message": bug.fault.message,
                "file": report::path(&place.file),
                "line": place.line,
                "steps": bug.schedule.len(),
                "occurrences": bug.occurrences,
                "schedule": schedule,
            })
        })
        .collect();
    serde_json::json!({
        "verdict": verdict.name(),
        "strategy": plan.strategy.name(),
        "executions": totals.executions,
        "blocked": totals.blocked,
        "cut": totals.cut,
        "states": null,
        "transitions": totals.transitions,
        "seconds": meter.seconds(),
        "cpu_seconds": meter.cpu_seconds(),
        "peak_rss_bytes": meter.peak_rss_bytes(),
        "bound": match verdict { Verdict::Bounded(by) | Verdict::Unknown(by) => Some(by), _ => None },
        "assumptions": [],
        "error": null,
        "bugs": bugs,
    })
}
