//! `check --syn-out` and `check --trace-spec`: every execution that is explored, as a SYN-sequence. A formula is checked on the partial
//! order of each, so one execution of a trace stands for all of it; a linearisation that breaks the formula is executed as such
//! before it is told.

use std::process::ExitCode;

use threadbare_core::source::{Complaint, Source};
use threadbare_core::{FaultKind, Machine, Operation, Schedule, ScheduleStep, Story, ThreadName, Tid, Verdict};
use threadbare_explore::{End, Flow, Kind, Path, Search, Strategy};
use threadbare_syn::{EventId, Evidence, Outcome, Recording};

use crate::arguments::{CheckPlan, Races};
use crate::check::{conclude, findings, rest_on};
use crate::clocks::Meter;
use crate::hunt::{Hunt, schedule_of};
use crate::limits::{self, Watch};
use crate::listing;
use crate::ltl::formulas::refused;
use crate::plan;
use crate::report;
use crate::screen::ProgressLine;
use crate::story::Telling;
use crate::syn::check::{Asked, asked};
use crate::syn::folder::Folder;
use crate::syn::said::{Said, Start};
use crate::syn::spec::{OPTION, bug, judge, named, notes};
use crate::syn::told::{Execution, Fit, ends_in, fit, marked, sequence};
use crate::told::{Refused, Standing, Subject, Told};

struct Watching<'w, S: Subject> {
    hunt: Hunt<S::Machine>,
    subject: &'w S,
    program: &'w S::Program,
    folder: &'w mut Option<Folder>,
    specs: &'w [Asked],
    /// What a formula names, and no execution has had so far.
    unknown: Vec<Option<Box<Complaint>>>,
    /// An execution that breaks a formula, which names what nobody has had so far: a violation if somebody has it later.
    in_doubt: Vec<Option<Story>>,
    is_mixed: Vec<bool>,
    executions: u64,
    found: Option<Story>,
    /// Why the answer is no proof.
    at_most: Option<String>,
    /// A formula does not hold on an order that is stricter than that of the program.
    is_unsure: bool,
    /// A thread went through a loop that may wait: the search leaves rounds of it out.
    waits: bool,
    start: Start,
    said: Vec<Said>,
    /// Executions, by their numbers, on which a formula hangs on what others may tell.
    pending: Vec<(u64, Execution)>,
    error: Option<Refused>,
}

impl<S: Subject> Search<S::Machine> for Watching<'_, S> {
    fn end(&mut self, machine: &mut S::Machine, path: &Path, end: End) -> Flow {
        let counts = matches!(end, End::Complete | End::Exit(..) | End::Error | End::Stuck(_));
        let is_beginning = matches!(end, End::Error | End::Stuck(_));
        let rest = match &end {
            End::Error => Rest::None,
            End::Stuck(stuck) => {
                let name = |tid: &Tid| machine.names().name(*tid).clone();
                Rest::But(stuck.spinning.iter().map(name).collect(), None)
            }
            End::Exit(tid, choice) => {
                // Who could still move goes round a loop, or the search would not have come to the end.
                let pending = machine.all_pending();
                let waits = pending.iter().filter(|pending| machine.may_wait(pending.tid));
                let spinning = waits.map(|pending| machine.names().name(pending.tid).clone()).collect();
                let thread = machine.names().name(*tid).clone();
                Rest::But(spinning, Some(ScheduleStep { thread, chosen: (*choice).into() }))
            }
            _ => Rest::But(Vec::new(), None),
        };
        let schedule = counts.then(|| schedule_of(machine, path));
        let bugs = self.hunt.bug_count();
        let flow = self.hunt.end(machine, path, end);
        if self.hunt.must_begin_again {
            return flow;
        }
        let Some(schedule) = schedule else { return flow };
        self.executions += 1;
        let is_judged = !is_beginning && self.hunt.bug_count() == bugs;
        if !is_judged && self.hunt.bug_count() == 0 && !self.is_unsure {
            self.at_most = Some("the executions that come to an end".into());
        }
        if let Err(refused) = self.look(&schedule, &rest, is_judged) {
            self.error = Some(refused);
        }
        if self.error.is_some() || self.found.is_some() {
            limits::end_search();
            return Flow::Stop;
        }
        flow
    }

    fn redundant(&mut self, machine: &mut S::Machine, times: u64) -> bool {
        self.hunt.redundant(machine, times)
    }

    fn progress(&mut self, done: f64) {
        self.hunt.progress(done);
    }

    fn tick(&mut self) -> Flow {
        self.hunt.tick()
    }
}

/// What happens where a schedule of the search ends. The search need not see the last steps of threads if nothing depends on
/// them: a join of one that is gone, the end of a thread.
enum Rest {
    /// Nothing more.
    None,
    /// Everybody goes on as long as he can, but for those that go round a loop; then comes the step that ends the process, if any.
    But(Vec<ThreadName>, Option<ScheduleStep>),
}

impl<S: Subject> Watching<'_, S> {
    /// The execution once more, told step by step.
    fn tell(&mut self, schedule: &Schedule, rest: &Rest) -> Result<(Story, S::Machine), Refused> {
        let mut machine = self.subject.machine(self.program, false)?;
        let mut telling = Telling::distinct(&mut machine);
        for step in &schedule.0 {
            if machine.ending().is_some() {
                break;
            }
            self.waits = self.waits || machine.all_pending().iter().any(|pending| machine.may_wait(pending.tid));
            take(&mut machine, &mut telling, step)?;
        }
        let Rest::But(spinning, exit) = rest else { return Ok((telling.story, machine)) };
        while machine.ending().is_none() {
            let pending = machine.all_pending();
            let names = machine.names();
            let others = pending.iter().filter(|pending| !spinning.contains(names.name(pending.tid)));
            let others = others.filter(|pending| pending.operation != Operation::Exit);
            let next = others.map(|pending| (pending.tid, pending.choices.enabled().next()));
            let Some((tid, choice)) = next.into_iter().find_map(|(tid, choice)| Some((tid, choice?))) else { break };
            telling.step(&mut machine, tid, choice);
        }
        if let (Some(exit), None) = (exit, machine.ending()) {
            take(&mut machine, &mut telling, exit)?;
        }
        Ok((telling.story, machine))
    }

    fn look(&mut self, schedule: &Schedule, rest: &Rest, is_judged: bool) -> Result<(), Refused> {
        let (story, mut machine) = self.tell(schedule, rest)?;
        let execution = Execution::new(story);
        if let Some(folder) = &mut self.folder {
            folder.add(|| {
                let error = if is_judged { None } else { ends_in(&mut machine) };
                marked(sequence(&execution), error)
            })?;
        }
        // What ends in an error is the beginning of an execution, and the error is the answer; so is what never ends.
        if is_judged { self.judge(execution, self.executions, false) } else { Ok(()) }
    }

    /// What the formulas say of an execution: while others may follow, or when all that can be told has been told.
    fn judge(&mut self, execution: Execution, which: u64, is_over: bool) -> Result<(), Refused> {
        let source = Source::new(format!("execution {which}"), "");
        let mut sequence = sequence(&execution);
        self.start.complete(&mut sequence);
        if let (Some(name), false) = (&self.start.contradicted, self.is_unsure) {
            self.at_most =
                Some(format!("executions that touch `{name}`, which is not the same in all of them at the start"));
        }
        let mut recording = Recording::new(sequence, &source).map_err(|complaint| refused(&source, *complaint))?;
        let fit = fit(&execution, &recording);
        let mut hangs = None;
        match fit {
            Fit::Exact => {}
            Fit::Stricter if self.is_unsure => {}
            Fit::Stricter => {
                self.at_most =
                    Some(format!("the formulas on every trace, with {COMMUTING} in the order of each execution"));
            }
            Fit::Looser => {
                let message = format!("the sequence of execution {which} leaves out an order of its steps");
                return Err(Refused { message, code: 70, ..Refused::default() });
            }
        }
        for (number, asked) in self.specs.iter().enumerate() {
            let (outcome, missing) = judge(&mut recording, asked)?;
            self.said[number].learn(&recording.sequence, asked);
            let words = || notes(&recording, asked, missing.as_deref());
            let words = if matches!(&outcome, Outcome::Answer(answer) if !answer.holds) { words() } else { Vec::new() };
            match missing {
                None => self.unknown[number] = None,
                Some(complaint) => {
                    if let Some(unknown) = &mut self.unknown[number] {
                        // If executions miss different things, the one may have what the other has not.
                        self.is_mixed[number] |=
                            ![NO_EXECUTION, &complaint.message].contains(&unknown.message.as_str());
                        *unknown = complaint;
                    }
                }
            }
            let is_doubtful = self.unknown[number].is_some() && !self.is_mixed[number];
            if !is_doubtful && self.in_doubt[number].is_some() {
                self.found = self.in_doubt[number].take();
                return Ok(());
            }
            match outcome {
                _ if self.in_doubt[number].is_some() => {}
                Outcome::Answer(answer) if answer.holds => {}
                // The program can do more than this order says: what some execution does is not known then.
                Outcome::Answer(_) if fit == Fit::Stricter && !asked.stated.specification.formula.is_universal() => {
                    let name = named(asked);
                    self.at_most = Some(format!(
                        "every trace, with {COMMUTING} in the order of each execution; in that of execution {which} `{name}` does \
                         not hold, and in another it may"
                    ));
                    self.is_unsure = true;
                }
                Outcome::Answer(answer) => {
                    let order = match answer.evidence.as_ref().and_then(Evidence::line) {
                        Some(events) => reordered(execution.story(), &recording, events),
                        None => execution.story().schedule.clone(),
                    };
                    // A linearisation of what happened can happen, and does.
                    let (mut told, _) = self.tell(&order, &Rest::None)?;
                    told.bug = Some(bug(asked, words));
                    told.occurrences = 1;
                    if !is_doubtful {
                        self.found = Some(told);
                        return Ok(());
                    }
                    self.in_doubt[number] = Some(told);
                }
                Outcome::TooMany(too_many) => {
                    let limit = too_many.limit;
                    if !self.is_unsure {
                        self.at_most = Some(format!("executions with at most {limit} states of their partial order"));
                    }
                }
                Outcome::Hangs(words) => hangs = Some((named(asked), words)),
            }
        }
        if let Some((name, words)) = hangs {
            if !is_over && self.pending.len() < MOST_PENDING {
                self.pending.push((which, execution));
            } else if !self.is_unsure {
                self.at_most = Some(format!(
                    "executions on which the formulas are decided; `{name}` is not on execution {which}: {words}"
                ));
            }
        }
        Ok(())
    }

    /// What could not be told at first.
    fn settle(&mut self) {
        for (which, execution) in std::mem::take(&mut self.pending) {
            if self.error.is_some() || self.found.is_some() {
                return;
            }
            if let Err(refused) = self.judge(execution, which, true) {
                self.error = Some(refused);
            }
        }
    }
}

/// A step that was taken before can be taken again: if not, it is a fault of our own.
fn take<M: Told>(machine: &mut M, telling: &mut Telling<M>, step: &ScheduleStep) -> Result<(), Refused> {
    let (tid, choice) = Telling::resolve(machine, step).map_err(|refusal| {
        let number = telling.story.steps.len() + 1;
        let message = format!("step {number} of an execution does not replay: {}", refusal.0);
        Refused { message, code: 70, ..Refused::default() }
    })?;
    telling.step(machine, tid, choice);
    Ok(())
}

/// So many executions wait for what others tell.
const MOST_PENDING: usize = 1_000;

/// Before the first one.
const NO_EXECUTION: &str = "there was no execution";

/// Operations that a sequence keeps in the order in which they happened.
const COMMUTING: &str = "operations that commute though they change something (posts, read locks)";

const ALL_ORDERS: &str = "--strategy dfs explores every order of posts and of read locks, and so finds an execution that breaks a \
                          formula by one";

/// What the executions of a search do not have, though those of the program do.
const WITHOUT_ROUNDS: &str = "the formulas on every trace, without the rounds of loops in which a thread only waits: what it reads \
                              there is no event";

/// The steps of a story in the order of a linearisation. If that is the beginning of one only, what is left comes behind it as it
/// happened.
fn reordered(story: &Story, recording: &Recording, events: &[EventId]) -> Schedule {
    let mut own: Vec<Vec<&ScheduleStep>> = vec![Vec::new(); story.threads.len()];
    let mut happened: Vec<EventId> = Vec::new();
    for (step, taken) in story.steps.iter().zip(&story.schedule.0) {
        happened.push(recording.sequence.event_at(step.thread as u32, own[step.thread].len() as u32));
        own[step.thread].push(taken);
    }
    let step = |&event: &EventId| {
        let at = recording.sequence.event(event);
        own[at.process as usize][at.index as usize].clone()
    };
    let mut is_first = vec![false; happened.len()];
    events.iter().for_each(|&event| is_first[event as usize] = true);
    let rest = happened.iter().filter(|&&event| !is_first[event as usize]);
    Schedule(events.iter().chain(rest).map(step).collect())
}

pub fn explore<S: Subject>(plan: &CheckPlan, subject: &S) -> Result<ExitCode, Refused> {
    let wrong = |error: &str| Ok(listing::failure(plan.format, error, None, 2));
    let specs = match asked(OPTION, &plan.trace_spec, &[]) {
        Ok(specs) => specs,
        Err(refused) => return Ok(refused.say(plan.format)),
    };
    if plan.jobs.is_some_and(|jobs| jobs > 1) {
        return wrong("--syn-out and --trace-spec look at one execution after the other: --jobs 1");
    }
    let mut exploration = match plan::plan(plan, subject) {
        Ok(choice) => choice.first,
        Err(error) => return wrong(&error),
    };
    exploration.jobs = 1;
    if exploration.strategy.kind() == Kind::EveryState {
        let strategy = exploration.strategy;
        return wrong(&format!(
            "--syn-out and --trace-spec are about executions, and `{strategy}` stores states; take optimal"
        ));
    }
    let program = subject.load()?;
    let mut folder = match plan.syn_out.as_ref().map(|path| Folder::open(path, plan.syn_limit)).transpose() {
        Ok(folder) => folder,
        Err(error) => return wrong(&error),
    };
    let meter = Meter::start();
    let mut hunt = Hunt::new(plan, Watch::new(plan.time_limit, plan.memory_limit), ProgressLine::open(plan.format));
    let mut before = None;
    let (machine, watching, totals) = loop {
        limits::begin_search();
        let mut machine = match subject.machine_for_search(&program, exploration.strategy.needs(), before.as_ref()) {
            Ok(machine) => machine,
            Err(error) => return wrong(&error),
        };
        machine.stop_when(limits::are_reached);
        let unknown = specs.iter().map(|_| Some(Complaint::nowhere(NO_EXECUTION))).collect();
        let mut watching = Watching {
            hunt,
            subject,
            program: &program,
            folder: &mut folder,
            specs: &specs,
            unknown,
            in_doubt: specs.iter().map(|_| None).collect(),
            is_mixed: vec![false; specs.len()],
            executions: 0,
            found: None,
            at_most: None,
            is_unsure: false,
            waits: false,
            start: Start::new(&specs),
            said: vec![Said::default(); specs.len()],
            pending: Vec::new(),
            error: None,
        };
        let totals = exploration.strategy.run(&mut machine, &exploration.settings, &mut watching);
        if watching.hunt.bug_count() == 0 {
            watching.settle();
        }
        let stopped = watching.hunt.watch.stopped.is_some() || watching.found.is_some() || watching.error.is_some();
        if !machine.must_begin_again() || stopped {
            break (machine, watching, totals);
        }
        before = Some(machine);
        hunt = watching.hunt.again(plan);
        if let Some(Err(error)) = folder.as_mut().map(Folder::begin_again) {
            return wrong(&error);
        }
    };
    let Watching { mut hunt, unknown, in_doubt, said, mut found, mut at_most, waits, error, .. } = watching;
    if waits && at_most.is_none() {
        at_most = Some(WITHOUT_ROUNDS.into());
    }
    // Where the search was cut short, what it has not seen may be there.
    if hunt.watch.stopped.is_some() && found.is_none() {
        found = in_doubt.into_iter().flatten().next();
    }
    hunt.progress = None;
    if let Some(refused) = error {
        return Ok(refused.say(plan.format));
    }
    let never = specs.iter().zip(unknown).find_map(|(asked, unknown)| Some((asked, unknown?)));
    let is_clean = found.is_none() && hunt.bug_count() == 0;
    if let (Some((asked, complaint)), true, true) = (never, is_clean, totals.executions > 0) {
        let mut complaint = complaint.note("no execution has it");
        // An object may be one, and nothing else.
        if plan.races != Races::Allow && complaint.message.starts_with("nothing is called") {
            complaint = complaint.note("accesses to plain variables are events with --races allow only");
        }
        if waits {
            complaint = complaint.note("what a thread does in rounds of a loop in which it only waits is no event");
        }
        return Ok(refused(&asked.source, *complaint).say(plan.format));
    }
    if machine.has_looked_for_races_everywhere() {
        exploration.at_most = None;
    }
    hunt.stale_pointers |= machine.has_met_stale_pointers();
    let mut findings = findings(plan, &exploration, subject, &hunt, &totals, &meter);
    let no_main = machine.standing(Tid::MAIN) == Standing::NotCreated;
    findings.threads = machine.thread_count().max(hunt.threads) - usize::from(no_main);
    let found_nothing = hunt.bug_count() == 0;
    if let Some((_, refused)) = hunt.refused.take_if(|(kind, _)| found_nothing && *kind == FaultKind::Unsupported) {
        return Err(refused);
    }
    drop(machine);
    rest_on(&mut findings, subject, &program, &exploration, &totals);
    if !specs.is_empty() {
        findings.properties.push(FaultKind::Ltl.name().into());
    }
    if found.is_none() {
        findings.assumptions.extend(specs.iter().zip(&said).flat_map(|(asked, said)| said.remarks(asked)));
    }
    if let (Verdict::Proved, Some(why), false) = (&findings.verdict, at_most, specs.is_empty()) {
        if why.contains(COMMUTING) && exploration.strategy != Strategy::Dfs {
            findings.advice.push(ALL_ORDERS.into());
        }
        findings.verdict = Verdict::Bounded(why);
    }
    if let Some(story) = found {
        findings.verdict = Verdict::Violated;
        findings.stories.push(story);
    }
    if let Some(folder) = &folder {
        report::message(&folder.told());
    }
    Ok(conclude(plan, subject, &program, findings, &hunt.take_bugs()))
}
