//! `threadbare check`: explore, and say what was found.

use std::process::ExitCode;
use std::sync::Arc;

use threadbare_core::{
    Choice, Chosen, Ending, Findings, Machine, Operation, Schedule, ScheduleStep, Story, Tid, Verdict,
};
use threadbare_explore::{End, Flow, Path, Search, Strategy, Totals};
use threadbare_report::ProgressSnapshot;
use threadbare_vm::{CodePos, Fault, FaultKind, LoadError, LowerError, Program, VmMachine};

use crate::arguments::{CheckPlan, Format, Races};
use crate::clocks::Meter;
use crate::limits::{Watch, catch_interrupts};
use crate::plan::{self, Exploration};
use crate::screen::ProgressLine;
use crate::subject::Subject;
use crate::trace::{Trace, numbered};
use crate::{confirm, listing, report, screen, story};

/// A bug, with the first schedule that showed it.
pub struct Bug {
    pub fault: Box<Fault>,
    pub schedule: Schedule,
    pub occurrences: u64,
}

struct Hunt {
    bugs: Vec<Bug>,
    max_bugs: usize,
    watch: Watch,
    refused: Option<Box<Fault>>,
    /// A thread went round a loop in a program that looks at the time.
    waits_for_time: bool,
    /// A compare-exchange looked for a pointer to memory that had been freed.
    stale_pointers: bool,
    /// Where a thread went round and round when an execution was cut off.
    loop_at: Option<String>,
    progress: Option<ProgressLine>,
    /// Where the search stands.
    now: ProgressSnapshot,
}

impl Search<VmMachine> for Hunt {
    fn end(&mut self, machine: &mut VmMachine, path: &Path, end: End) -> Flow {
        self.now.depth = path.len();
        match end {
            End::Redundant => self.now.blocked += 1,
            End::Cut | End::Bound => {}
            End::Complete | End::Exit(..) | End::Error | End::Stuck(_) => self.now.executions += 1,
        }
        if end == End::Bound && self.loop_at.is_none() {
            self.loop_at = busiest(machine, path);
        }
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
            // Time stands still here: a loop that waits for it does not wait for ever.
            End::Stuck(stuck) if !stuck.spinning.is_empty() && machine.program().reads_clock => {
                self.waits_for_time = true;
                None
            }
            End::Stuck(stuck) => Some(story::fault_of_stuck(machine, &stuck)),
            End::Complete | End::Cut | End::Redundant | End::Bound => None,
        };
        if let Some(refused) = fault.as_ref().filter(|f| matches!(f.kind, FaultKind::Unsupported | FaultKind::Limit)) {
            // `run` and `check` name the limit differently.
            let message = refused.message.replace("--memory-limit", "--program-memory");
            self.refused = Some(Box::new(Fault { message, ..(**refused).clone() }));
            return Flow::Stop;
        }
        let noted: Vec<Box<Fault>> = machine.noted().iter().cloned().map(Box::new).collect();
        for fault in noted.into_iter().chain(fault) {
            match self.bugs.iter_mut().find(|bug| same_bug(machine.program(), &bug.fault, &fault)) {
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

    fn progress(&mut self, done: f64) {
        self.now.done = Some(done);
    }

    fn tick(&mut self) -> Flow {
        if let Some(progress) = self.progress.as_mut().filter(|progress| progress.is_due()) {
            self.now.bugs = self.bugs.len() as u64;
            progress.draw(self.now);
        }
        self.watch.look()
    }
}

/// Where the thread stands that did most at the end of the path.
fn busiest(machine: &VmMachine, path: &Path) -> Option<String> {
    let mut counts = vec![0u32; machine.thread_count()];
    path.events.iter().rev().take(1000).for_each(|event| counts[event.label.tid.index()] += 1);
    let live = (0..counts.len()).filter(|&t| machine.is_live(Tid(t as u16)));
    let tid = Tid(live.max_by_key(|&t| counts[t])? as u16);
    let place = machine.own_stack(tid).into_iter().next()?;
    Some(format!("{}:{} in `{}`", report::path(&place.file), place.line, place.function))
}

/// The same bug by another schedule: of the same kind, at the same places. Which thread comes first hangs on the schedule:
/// of those that wait, and of the two accesses of a race.
pub fn same_bug(program: &Program, a: &Fault, b: &Fault) -> bool {
    let places = |fault: &Fault| {
        let waiters = fault.waiters.iter().map(|waiter| &waiter.stack);
        let own = fault.waiters.is_empty().then_some(&fault.stack);
        let stacks = waiters.chain(own).chain(fault.other.as_ref().map(|other| &other.stack));
        // In the program itself: every assertion fails in the same place of the library.
        let place = |stack: &Vec<CodePos>| {
            let own = stack.iter().find(|at| !program.is_library(at.function));
            own.or(stack.first()).copied().map(CodePos::pack)
        };
        let mut places: Vec<Option<u64>> = stacks.map(place).collect();
        places.sort_unstable();
        places
    };
    a.kind == b.kind && places(a) == places(b)
}

/// The steps of the path, each with what the machine did along with it.
fn schedule_of(machine: &VmMachine, path: &Path) -> Schedule {
    let names = machine.names();
    let mut steps = Vec::new();
    for (number, event) in path.events.iter().enumerate() {
        let label = &event.label;
        let wakes = label.operation == Operation::CondSignal && path.labels.accesses(label).count() > 1;
        let chosen = match wakes {
            true => Chosen::Thread(names.name(Tid(label.choice.0 as u16)).clone()),
            false => label.choice.into(),
        };
        steps.push(ScheduleStep { thread: names.name(label.tid).clone(), chosen });
        let along = path.along(number).iter().map(|along| names.name(along.who()).clone());
        steps.extend(along.map(|thread| ScheduleStep { thread, chosen: Choice::default().into() }));
    }
    Schedule(steps)
}

pub fn check(plan: &CheckPlan) -> ExitCode {
    catch_interrupts();
    let exploration = match plan::plan(plan) {
        Ok(exploration) => exploration,
        Err(error) => return listing::failure(plan.format, &error, None, 2),
    };
    let subject = Subject::of(plan);
    let program = match subject.load() {
        Ok(program) => program,
        Err(error) => return refuse(plan.format, &error),
    };
    let meter = Meter::start();
    let mut machine = match subject.machine_for_search(&program, exploration.fingerprints) {
        Ok(machine) => machine,
        Err(error) => return listing::failure(plan.format, &error, None, 2),
    };
    let watch = Watch::new(plan.time_limit, plan.memory_limit);
    let mut hunt = Hunt {
        bugs: Vec::new(),
        max_bugs: plan.max_bugs,
        watch,
        refused: None,
        waits_for_time: false,
        stale_pointers: false,
        loop_at: None,
        progress: ProgressLine::open(plan.format),
        now: ProgressSnapshot::default(),
    };
    let totals = exploration.strategy.run(&mut machine, &exploration.settings, &mut hunt);
    hunt.stale_pointers = machine.has_met_stale_pointers();
    let mut findings = findings(plan, &exploration, &hunt, &totals, &meter);
    hunt.progress = None;
    if let Some(fault) = hunt.refused.as_ref().filter(|fault| fault.kind == FaultKind::Unsupported) {
        return refuse_fault(plan.format, &machine, fault);
    }
    drop(machine);
    findings.assumptions = subject.assumptions(&program);
    findings.assumptions.extend(exploration.assumptions);
    if totals.executions == 0 && totals.cut > 0 {
        findings.assumptions.push("every execution was cut off by a failed assume: none was checked to its end".into());
    }
    match confirm::confirm(&subject, &program, &hunt.bugs, plan.minimise) {
        Ok(stories) => findings.stories = stories,
        Err(confirm::DoesNotReplay(what)) => {
            let text = format!("{what}\nThis is a fault of Threadbare, not of the program. Please report it.");
            return listing::failure(plan.format, &text, None, 70);
        }
    }
    let traces = match write_traces(plan, &subject, &program, &findings.stories) {
        Ok(traces) => traces,
        Err(error) => return listing::failure(plan.format, &error, None, 2),
    };
    let graph = plan.dot.as_ref().zip(findings.stories.first());
    if let Some(Err(error)) = graph.map(|(file, story)| screen::write_dot(file, story, plan.full)) {
        return listing::failure(plan.format, &error, None, 2);
    }
    match plan.format {
        Format::Json => screen::print(&threadbare_report::json(&findings, &screen::sources())),
        Format::Human => screen::findings(&findings, &traces, plan.full),
    }
    ExitCode::from(findings.verdict.exit_code())
}

/// The trace of each bug, if traces are wanted: their names.
fn write_traces(
    plan: &CheckPlan,
    subject: &Subject,
    program: &Arc<Program>,
    stories: &[Story],
) -> Result<Vec<String>, String> {
    let Some(file) = &plan.trace else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    for (number, story) in stories.iter().enumerate() {
        let file = numbered(file, number);
        let written = Trace::of(subject, program, story).write(&file);
        written.map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        names.push(file.display().to_string());
    }
    Ok(names)
}

fn verdict(exploration: &Exploration, hunt: &Hunt, totals: &Totals) -> Verdict {
    if !hunt.bugs.is_empty() {
        Verdict::Violated
    } else if let Some(why) = &hunt.watch.stopped {
        Verdict::Unknown(why.clone())
    } else if let Some(fault) = &hunt.refused {
        Verdict::Unknown(fault.message.clone())
    } else if let Some(what) = &totals.sampled {
        Verdict::Bounded(what.clone())
    } else if totals.beyond_bound > 0 {
        let place = hunt.loop_at.as_ref().map_or(String::new(), |at| format!("; the loop at {at} goes on"));
        Verdict::Bounded(format!(
            "executions of at most {} visible operations{place}",
            exploration.settings.depth_bound
        ))
    } else if !totals.complete {
        Verdict::Unknown("the search did not end".into())
    } else if hunt.waits_for_time {
        Verdict::Bounded("time that stands still; a thread waits in a loop, perhaps for time to pass".into())
    } else if hunt.stale_pointers {
        let what =
            "a compare-exchange compared a pointer to freed memory, whose address could have been given out again";
        Verdict::Bounded(format!("memory that malloc gives out only once; {what}"))
    } else if let Some(why) = exploration.at_most {
        Verdict::Bounded(why.into())
    } else {
        Verdict::Proved
    }
}

fn findings(plan: &CheckPlan, exploration: &Exploration, hunt: &Hunt, totals: &Totals, meter: &Meter) -> Findings {
    Findings {
        verdict: verdict(exploration, hunt, totals),
        files: plan.files.iter().map(|file| file.display().to_string()).collect(),
        properties: properties(plan),
        strategy: exploration.strategy.to_string(),
        executions: totals.executions,
        blocked: totals.blocked,
        cut: totals.cut,
        states: totals.states,
        transitions: totals.transitions,
        seconds: meter.seconds(),
        cpu_seconds: meter.cpu_seconds(),
        peak_rss_bytes: meter.peak_rss_bytes(),
        assumptions: Vec::new(),
        explored: hunt.progress.as_ref().and_then(|progress| progress.explored(hunt.now)),
        advice: advice(plan, exploration, hunt, totals),
        stories: Vec::new(),
    }
}

/// What is looked for: a proof claims this and nothing else.
fn properties(plan: &CheckPlan) -> Vec<String> {
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
    let races = (plan.races == Races::Error).then_some(FaultKind::DataRace);
    let leaks = plan.leaks.then_some(FaultKind::Leak);
    kinds.into_iter().chain(races).chain(leaks).map(|kind| kind.name().to_string()).collect()
}

/// What to try where there is no proof.
fn advice(plan: &CheckPlan, exploration: &Exploration, hunt: &Hunt, totals: &Totals) -> Vec<String> {
    let mut advice = Vec::new();
    match &hunt.watch.stopped {
        Some(why) if why.contains("time") => {
            let now = plan.time_limit.map_or(String::new(), |limit| format!(" (now {} s)", limit.as_secs_f64()));
            advice.push(format!("raise --time-limit{now}"));
        }
        Some(why) if why.contains("memory") => {
            let now = plan.memory_limit.map_or(String::new(), |limit| format!(" (now {} MiB)", limit >> 20));
            advice.push(format!("raise --memory-limit{now}"));
            if plan.strategy == Strategy::Optimal {
                advice.push("take --strategy source, whose memory is bounded by the longest execution".into());
            }
        }
        _ => {}
    }
    if totals.beyond_bound > 0 {
        advice.push(format!("raise --depth-bound (now {})", exploration.settings.depth_bound));
    }
    if totals.sampled.is_some() {
        advice.push(format!("try more --runs (now {}), or another --seed", exploration.settings.runs));
        advice.push("take --strategy optimal, which may end with a proof".into());
    } else if exploration.at_most.is_some() {
        advice.push("take --strategy optimal, which finds every data race".into());
        advice.push(
            "or --races allow, which explores every access to shared memory and needs no races to be found".into(),
        );
    }
    if hunt.watch.stopped.is_some() || totals.beyond_bound > 0 {
        advice.push("make the test smaller: fewer threads, rounds or items show the same bugs".into());
    }
    advice
}

/// A program that could not be loaded.
pub fn refuse(format: Format, error: &LoadError) -> ExitCode {
    match error {
        LoadError::Lower(LowerError::Unsupported { message, file, line }) => {
            let place = file.as_ref().map(|file| (report::path(file), *line));
            listing::failure(format, message, place, 3)
        }
        error => listing::failure(format, &error.to_string(), None, 2),
    }
}

/// Something that the machine does not have was met on the way.
fn refuse_fault(format: Format, machine: &VmMachine, fault: &Fault) -> ExitCode {
    let place = (!fault.stack.is_empty()).then(|| {
        let at = threadbare_vm::program_position(machine.program(), &fault.stack);
        let place = machine.program().source_of(at).swap_remove(0);
        (report::path(&place.file), place.line)
    });
    listing::failure(format, &fault.message, place, 3)
}
