//! `threadbare check`: explore, and say what was found.

use std::process::ExitCode;
use std::time::Duration;

use threadbare_core::{
    Choice, Chosen, Ending, FaultKind, Findings, Machine, Operation, Schedule, ScheduleStep, Story, Tid, Verdict,
};
use threadbare_explore::{End, Flow, Kind, Path, Search, Strategy, Totals};
use threadbare_report::ProgressSnapshot;

use crate::arguments::{CheckPlan, Format};
use crate::clocks::Meter;
use crate::limits::{self, Watch, catch_interrupts};
use crate::plan::{self, Exploration};
use crate::screen::ProgressLine;
use crate::subject::CSubject;
use crate::told::model::ModelSubject;
use crate::told::{Refused, Standing, Subject, Told, is_model};
use crate::trace::{Trace, numbered};
use crate::{confirm, listing, our_fault, report, screen, story};

/// A bug, with the first schedule that showed it.
pub struct Bug<M: Told> {
    pub fault: Box<M::Fault>,
    pub schedule: Schedule,
    pub occurrences: u64,
}

struct Hunt<M: Told> {
    bugs: Vec<Bug<M>>,
    max_bugs: usize,
    watch: Watch,
    /// What the machine cannot do, or will not do beyond a limit.
    refused: Option<(FaultKind, Refused)>,
    /// The last execution was not taken to its end.
    given_up: bool,
    /// A thread went round a loop in a program that looks at the time.
    waits_for_time: bool,
    /// A compare-exchange looked for a pointer to memory that had been freed.
    stale_pointers: bool,
    /// Where a thread went round and round when an execution was cut off.
    loop_at: Option<String>,
    progress: Option<ProgressLine>,
    leaks: bool,
    /// Where the search stands.
    now: ProgressSnapshot,
}

impl<M: Told> Hunt<M> {
    fn new(plan: &CheckPlan, watch: Watch, progress: Option<ProgressLine>) -> Hunt<M> {
        Hunt {
            bugs: Vec::new(),
            max_bugs: plan.max_bugs,
            watch,
            refused: None,
            given_up: false,
            waits_for_time: false,
            stale_pointers: false,
            loop_at: None,
            progress,
            leaks: plan.leaks,
            now: ProgressSnapshot::default(),
        }
    }
}

impl<M: Told> Search<M> for Hunt<M> {
    fn end(&mut self, machine: &mut M, path: &Path, end: End) -> Flow {
        if machine.must_begin_again() {
            return Flow::Stop;
        }
        self.now.depth = path.len();
        if matches!(end, End::Bound | End::Stuck(_)) {
            machine.hold_still();
        }
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
            // The end itself can go wrong only where it is looked over.
            End::Exit(..) if !self.leaks => None,
            End::Exit(tid, choice) => {
                extra = Some((tid, choice));
                machine.step(tid, choice);
                match machine.ending() {
                    Some(Ending::Error(fault)) => Some(fault.clone()),
                    _ => None,
                }
            }
            // Whom a failed thread leaves waiting is no bug of its own.
            End::Stuck(_) if machine.any_failed() => None,
            // Time stands still here: a loop that waits for it does not wait for ever.
            End::Stuck(stuck) if stuck.spinning.iter().any(|&tid| story::looks_at_clock(machine, tid)) => {
                self.waits_for_time = true;
                None
            }
            End::Stuck(stuck) => Some(machine.fault_of_stuck(&stuck)),
            End::Complete | End::Cut | End::Redundant | End::Bound => None,
        };
        if fault.as_ref().is_some_and(|fault| M::kind(fault) == FaultKind::Stopped) {
            self.given_up = true;
            return self.watch.stop();
        }
        let is_refused = |fault: &M::Fault| matches!(M::kind(fault), FaultKind::Unsupported | FaultKind::Limit);
        if let Some(refused) = fault.as_ref().filter(|fault| is_refused(fault)) {
            // `run` and `check` name the limit differently.
            let mut message = M::message(refused).replace("--memory-limit", "--program-memory");
            let place = machine.place_of(refused);
            if let (FaultKind::Limit, Some(at)) = (M::kind(refused), &place) {
                message += &format!(", at {}:{} in `{}`", report::path(&at.file), at.line, at.function);
            }
            let refusal = Refused { message, place, notes: Vec::new(), code: 3 };
            self.refused = Some((M::kind(refused), refusal));
            self.given_up = true;
            return Flow::Stop;
        }
        let noted = machine.noted_faults();
        // An execution may show a bug again and again.
        let mut shown: Vec<usize> = Vec::new();
        for fault in noted.into_iter().chain(fault) {
            match self.bugs.iter().position(|bug| machine.same_bug(&bug.fault, &fault)) {
                Some(bug) if shown.contains(&bug) => {}
                Some(bug) => {
                    self.bugs[bug].occurrences += 1;
                    shown.push(bug);
                }
                None => {
                    shown.push(self.bugs.len());
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
fn busiest<M: Told>(machine: &M, path: &Path) -> Option<String> {
    let mut counts = vec![0u32; machine.thread_count()];
    path.events.iter().rev().take(1000).for_each(|event| counts[event.label.tid.index()] += 1);
    let live = (0..counts.len()).filter(|&t| machine.is_live(Tid(t as u16)));
    let tid = Tid(live.max_by_key(|&t| counts[t])? as u16);
    let place = machine.places(tid).into_iter().next()?;
    Some(format!("{}:{} in `{}`", report::path(&place.file), place.line, place.function))
}

/// The steps of the path, each with what the machine did along with it.
fn schedule_of<M: Told>(machine: &M, path: &Path) -> Schedule {
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
    let plan = &match with_properties(plan) {
        Ok(plan) => plan,
        Err(error) => return listing::failure(plan.format, &error, None, 2),
    };
    if plan.files.iter().any(|file| is_model(file)) {
        return match ModelSubject::checked(plan) {
            Ok(subject) => explore(plan, &subject),
            Err(refused) => refused.say(plan.format),
        };
    }
    explore(plan, &CSubject::of(plan))
}

/// The invariants of the property file belong to those of the line. Empty lines and what stands behind `#` are for people.
fn with_properties(plan: &CheckPlan) -> Result<CheckPlan, String> {
    let mut plan = plan.clone();
    if let Some(file) = &plan.properties {
        let cannot = |error| format!("cannot read {}: {}", file.display(), report::why(&error));
        let text = std::fs::read_to_string(file).map_err(cannot)?;
        let names = text.lines().map(|line| line.split('#').next().unwrap_or("").trim());
        plan.invariants.extend(names.filter(|name| !name.is_empty()).map(String::from));
    }
    let mut seen = Vec::new();
    plan.invariants.retain(|name| {
        !seen.contains(name) && {
            seen.push(name.clone());
            true
        }
    });
    Ok(plan)
}

fn explore<S: Subject>(plan: &CheckPlan, subject: &S) -> ExitCode {
    let mut exploration = match plan::plan(plan, subject) {
        Ok(exploration) => exploration,
        Err(error) => return listing::failure(plan.format, &error, None, 2),
    };
    let program = match subject.load() {
        Ok(program) => program,
        Err(refused) => return refused.say(plan.format),
    };
    let meter = Meter::start();
    let mut hunt = Hunt::new(plan, Watch::new(plan.time_limit, plan.memory_limit), ProgressLine::open(plan.format));
    let mut before = None;
    let (machine, totals) = loop {
        let needs = exploration.strategy.needs();
        let mut machine = match subject.machine_for_search(&program, needs, before.as_ref()) {
            Ok(machine) => machine,
            Err(error) => return listing::failure(plan.format, &error, None, 2),
        };
        machine.stop_when(limits::are_reached);
        let totals = exploration.strategy.run(&mut machine, &exploration.settings, &mut hunt);
        if machine.must_begin_again() && hunt.watch.stopped.is_none() {
            before = Some(machine);
            hunt = Hunt::new(plan, hunt.watch, hunt.progress);
            continue;
        }
        let next = exploration.settings.context_bound.map_or(0, |bound| bound + 1);
        let again = totals.beyond_context > 0
            && hunt.bugs.is_empty()
            && hunt.refused.is_none()
            && hunt.watch.stopped.is_none()
            && plan.context_bound.is_some_and(|bounds| next <= bounds.last);
        if !again {
            break (machine, totals);
        }
        // What was found within less counts for nothing: all of it is within more, too.
        exploration.settings.context_bound = Some(next);
        hunt.now = ProgressSnapshot::default();
        before = Some(machine);
    };
    if machine.has_looked_for_races_everywhere() {
        exploration.at_most = None;
    }
    hunt.stale_pointers = machine.has_met_stale_pointers();
    let mut findings = findings(plan, &exploration, subject, &hunt, &totals, &meter);
    // A model may do without a main thread.
    let no_main = machine.standing(Tid::MAIN) == Standing::NotCreated;
    findings.threads = machine.thread_count() - usize::from(no_main);
    hunt.progress = None;
    if let (Some((FaultKind::Unsupported, refused)), []) = (&hunt.refused, &*hunt.bugs) {
        return refused.say(plan.format);
    }
    drop(machine);
    findings.provided = subject.provided(&program);
    findings.assumptions = subject.assumptions(&program);
    findings.assumptions.extend(exploration.assumptions);
    if totals.executions == 0 && totals.cut > 0 {
        findings.assumptions.push("every execution was cut off by a failed assume: none was checked to its end".into());
        findings.provided = Some("but no execution comes past a failed assume".into());
    }
    match confirm::confirm(subject, &program, &hunt.bugs, plan.minimise) {
        Ok(stories) => findings.stories = stories,
        Err(confirm::DoesNotReplay(what)) => return our_fault::say(plan.format, &what),
    }
    let traces = match write_traces(plan, subject, &program, &findings.stories) {
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
fn write_traces<S: Subject>(
    plan: &CheckPlan,
    subject: &S,
    program: &S::Program,
    stories: &[Story],
) -> Result<Vec<String>, String> {
    let Some(file) = &plan.trace else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    for (number, story) in stories.iter().enumerate() {
        let file = numbered(file, number);
        let written = Trace::of(subject, program, story).write(&file);
        written.map_err(|error| format!("cannot write {}: {}", file.display(), report::why(&error)))?;
        names.push(file.display().to_string());
    }
    Ok(names)
}

/// The bound on preemptions, if it was in the way.
fn context_bound(exploration: &Exploration, totals: &Totals) -> Option<String> {
    let settings = &exploration.settings;
    let most = settings.context_bound.or(settings.filters.context_bound()).unwrap_or(0);
    let times = if most == 1 { "preemption" } else { "preemptions" };
    (totals.beyond_context > 0)
        .then(|| format!("executions with at most {most} {times}: switches away from a thread that could go on"))
}

/// What can be said of all that was explored, if there is no bug in it.
fn but_for_bugs<M: Told>(plan: &CheckPlan, exploration: &Exploration, hunt: &Hunt<M>, totals: &Totals) -> Verdict {
    if let Some(why) = &hunt.watch.stopped {
        Verdict::Unknown(why.clone())
    } else if let Some((_, refused)) = &hunt.refused {
        Verdict::Unknown(refused.message.clone())
    } else if let Some(what) = &totals.sampled {
        Verdict::Bounded(what.clone())
    } else if totals.beyond_bound > 0 {
        let place = hunt.loop_at.as_ref().map_or(String::new(), |at| format!("; the loop at {at} goes on"));
        let orders = match exploration.strategy.explores_all_up_to_a_depth() {
            true => "",
            false => ", not in all their orders",
        };
        let contexts = context_bound(exploration, totals).map_or(String::new(), |bound| format!("{bound}; "));
        Verdict::Bounded(format!(
            "{contexts}executions cut off after {} visible operations{orders}{place}",
            exploration.settings.depth_bound
        ))
    } else if let Some(bound) = context_bound(exploration, totals) {
        Verdict::Bounded(bound)
    } else if !totals.complete {
        Verdict::Unknown("the search did not end".into())
    } else if hunt.waits_for_time {
        let jumps = plan.clock_jumps;
        Verdict::Bounded(format!(
            "time that passes unnoticed up to {jumps} times for each thread; one waits in a loop, perhaps for more"
        ))
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

fn findings<S: Subject>(
    plan: &CheckPlan,
    exploration: &Exploration,
    subject: &S,
    hunt: &Hunt<S::Machine>,
    totals: &Totals,
    meter: &Meter,
) -> Findings {
    let otherwise = but_for_bugs(plan, exploration, hunt, totals);
    let mut now = hunt.now;
    now.elapsed = Duration::from_secs_f64(meter.seconds());
    let explored = now.explored().filter(|_| matches!(otherwise, Verdict::Unknown(_)));
    let (verdict, otherwise) = match hunt.bugs.len() {
        0 => (otherwise, None),
        found => (Verdict::Violated, Some(otherwise).filter(|_| found < hunt.max_bugs)),
    };
    Findings {
        verdict,
        files: subject.files().iter().map(|file| file.display().to_string()).collect(),
        properties: subject.properties().into_iter().map(|kind| kind.name().to_string()).collect(),
        strategy: exploration.strategy.to_string(),
        threads: 1,
        executions: totals.executions - u64::from(hunt.given_up),
        blocked: totals.blocked,
        cut: totals.cut,
        states: totals.states,
        transitions: totals.transitions,
        seconds: meter.seconds(),
        cpu_seconds: meter.cpu_seconds(),
        peak_rss_bytes: meter.peak_rss_bytes(),
        assumptions: Vec::new(),
        otherwise,
        provided: None,
        explored,
        advice: advice(plan, exploration, hunt, totals),
        stories: Vec::new(),
    }
}

/// What to try where there is no proof.
fn advice<M: Told>(plan: &CheckPlan, exploration: &Exploration, hunt: &Hunt<M>, totals: &Totals) -> Vec<String> {
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
        if let Some(at) = &hunt.loop_at {
            advice.push(format!(
                "if the loop at {at} waits, let its rounds change nothing, not even a counter that is read later: then it \
                 needs no bound"
            ));
        }
        if exploration.strategy.kind() != Kind::EveryState {
            advice.push(
                "if the program runs for ever, take --strategy stateful, which ends when nothing new comes".into(),
            );
        }
        advice.push(format!("raise --depth-bound (now {})", exploration.settings.depth_bound));
    }
    if totals.beyond_context > 0 {
        advice.push(match exploration.settings.context_bound {
            Some(now) => format!("raise --context-bound (now {now}), or leave it out"),
            None => "raise cb=N of --filters, or leave it out".into(),
        });
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
    if hunt.waits_for_time {
        advice.push(format!("raise --clock-jumps (now {})", plan.clock_jumps));
    }
    if hunt.watch.stopped.is_some() || totals.beyond_bound > 0 {
        advice.push("make the test smaller: fewer threads, rounds or items show the same bugs".into());
    }
    advice
}
