//! `check --syn-out` and `check --trace-spec`: every execution that is explored, as a SYN-sequence. A formula is checked on the partial
//! order of each, so one execution of a trace stands for all of it; a linearisation that breaks the formula is executed as such
//! before it is told.

use std::path::PathBuf;
use std::process::ExitCode;

use threadbare_core::source::{Complaint, Source};
use threadbare_core::{FaultKind, Machine, Schedule, ScheduleStep, Story, StoryBug, Tid, Verdict};
use threadbare_explore::{End, Flow, Kind, Path, Search};
use threadbare_syn::{Evidence, Outcome, Recording, text, verify};

use crate::arguments::CheckPlan;
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
use crate::syn::told::{Fit, fit, sequence};
use crate::told::{Refused, Standing, Subject, Told};

/// States of one execution's lattice.
const STATE_LIMIT: usize = 1_000_000;

struct Watching<'w, S: Subject> {
    hunt: Hunt<S::Machine>,
    subject: &'w S,
    program: &'w S::Program,
    folder: Option<&'w PathBuf>,
    specs: &'w [Asked],
    /// What a formula names, and no execution has had so far.
    unknown: Vec<Option<Box<Complaint>>>,
    executions: u64,
    found: Option<Story>,
    /// Why the answer is no proof.
    at_most: Option<String>,
    error: Option<Refused>,
}

impl<S: Subject> Search<S::Machine> for Watching<'_, S> {
    fn end(&mut self, machine: &mut S::Machine, path: &Path, end: End) -> Flow {
        let counts = matches!(end, End::Complete | End::Exit(..) | End::Error | End::Stuck(_));
        let schedule = counts.then(|| {
            let mut schedule = schedule_of(machine, path);
            if let End::Exit(tid, choice) = end {
                let thread = machine.names().name(tid).clone();
                schedule.0.push(ScheduleStep { thread, chosen: choice.into() });
            }
            schedule
        });
        let flow = self.hunt.end(machine, path, end);
        if self.hunt.must_begin_again {
            return flow;
        }
        let Some(schedule) = schedule else { return flow };
        self.executions += 1;
        if let Err(refused) = self.look(&schedule) {
            self.error = Some(refused);
        }
        if self.error.is_some() || self.found.is_some() {
            limits::end_search();
            return Flow::Stop;
        }
        flow
    }

    fn redundant(&mut self, machine: &mut S::Machine) -> bool {
        self.hunt.redundant(machine)
    }

    fn progress(&mut self, done: f64) {
        self.hunt.progress(done);
    }

    fn tick(&mut self) -> Flow {
        self.hunt.tick()
    }
}

impl<S: Subject> Watching<'_, S> {
    /// The execution once more, told step by step.
    fn tell(&self, schedule: &Schedule) -> Result<Story, String> {
        let mut machine = self.subject.machine(self.program, false)?;
        let mut telling = Telling::new(&mut machine);
        for (number, step) in schedule.0.iter().enumerate() {
            if machine.ending().is_some() {
                break;
            }
            let (tid, choice) = Telling::resolve(&mut machine, step)
                .map_err(|refusal| format!("step {} of an execution does not replay: {}", number + 1, refusal.0))?;
            telling.step(&mut machine, tid, choice);
        }
        Ok(telling.story)
    }

    fn look(&mut self, schedule: &Schedule) -> Result<(), Refused> {
        let story = self.tell(schedule)?;
        let source = Source::new(format!("execution {}", self.executions), "");
        let mut recording =
            Recording::new(sequence(&story), &source).map_err(|complaint| refused(&source, *complaint))?;
        if let Some(folder) = self.folder {
            let file = folder.join(format!("execution-{}.syn", self.executions));
            let cannot = |error| format!("cannot write {}: {}", file.display(), report::why(&error));
            std::fs::write(&file, text::write(&recording.sequence)).map_err(cannot)?;
        }
        match fit(&story, &recording) {
            Fit::Exact => {}
            Fit::Stricter => {
                let what = "operations that commute though they change something (posts, read locks) in the order of each execution";
                self.at_most = Some(format!("the formulas on every trace, with {what}"));
            }
            Fit::Looser => {
                let message = format!("the sequence of execution {} leaves out an order of its steps", self.executions);
                return Err(Refused { message, code: 70, ..Refused::default() });
            }
        }
        for (number, asked) in self.specs.iter().enumerate() {
            let specification = &asked.stated.specification;
            let mut outcome = verify(&recording, specification, None, STATE_LIMIT);
            let mut missing = None;
            // What this execution does not touch, another one may.
            if let Err(complaint) = outcome {
                recording.sequence.is_open = true;
                outcome = verify(&recording, specification, None, STATE_LIMIT);
                recording.sequence.is_open = false;
                missing = Some(complaint.message.clone());
                if let Some(unknown) = &mut self.unknown[number] {
                    *unknown = complaint;
                }
            } else {
                self.unknown[number] = None;
            }
            match outcome.map_err(|complaint| refused(&asked.source, *complaint))? {
                Outcome::Answer(answer) if answer.holds => {}
                Outcome::Answer(answer) => {
                    let order = match &answer.evidence {
                        Some(Evidence::Line { events, .. }) => reordered(&story, &recording, events),
                        _ => story.schedule.clone(),
                    };
                    // A linearisation of what happened can happen, and does.
                    let mut told = self.tell(&order)?;
                    let words = format!("{:#}", specification.formula.display(&specification.propositions));
                    let name = asked.stated.name.as_ref().map_or(words.clone(), |name| format!("{name}: {words}"));
                    told.bug = Some(StoryBug {
                        kind: FaultKind::Ltl.name().into(),
                        message: format!("`{name}` does not hold in this order of execution {}", self.executions),
                        thread: None,
                        stack: Vec::new(),
                        witnesses: Vec::new(),
                        notes: missing.into_iter().collect(),
                        locals: Vec::new(),
                    });
                    told.occurrences = 1;
                    self.found = Some(told);
                    return Ok(());
                }
                Outcome::TooMany(too_many) => {
                    let limit = too_many.limit;
                    self.at_most = Some(format!("executions with at most {limit} states of their partial order"));
                }
            }
        }
        Ok(())
    }
}

/// The steps of a story in the order of a linearisation, which may be the beginning of one only.
fn reordered(story: &Story, recording: &Recording, events: &[u32]) -> Schedule {
    let mut own: Vec<Vec<&ScheduleStep>> = vec![Vec::new(); story.threads.len()];
    story.steps.iter().zip(&story.schedule.0).for_each(|(step, taken)| own[step.thread].push(taken));
    let step = |&event: &u32| {
        let at = recording.sequence.event(event);
        own[at.process as usize][at.index as usize].clone()
    };
    Schedule(events.iter().map(step).collect())
}

pub fn explore<S: Subject>(plan: &CheckPlan, subject: &S) -> ExitCode {
    let wrong = |error: &str| listing::failure(plan.format, error, None, 2);
    let specs = match asked(&plan.trace_spec, &[]) {
        Ok(specs) => specs,
        Err(refused) => return refused.say(plan.format),
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
    if let Some(Err(error)) = plan.syn_out.as_ref().map(std::fs::create_dir_all) {
        return wrong(&format!("cannot make the folder of --syn-out: {}", report::why(&error)));
    }
    let program = match subject.load() {
        Ok(program) => program,
        Err(refused) => return refused.say(plan.format),
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
        let unknown = specs.iter().map(|_| Some(Complaint::nowhere("there was no execution"))).collect();
        let (folder, specs) = (plan.syn_out.as_ref(), specs.as_slice());
        let (executions, found, at_most, error) = (0, None, None, None);
        let mut watching =
            Watching { hunt, subject, program: &program, folder, specs, unknown, executions, found, at_most, error };
        let totals = exploration.strategy.run(&mut machine, &exploration.settings, &mut watching);
        let stopped = watching.hunt.watch.stopped.is_some() || watching.found.is_some() || watching.error.is_some();
        if !machine.must_begin_again() || stopped {
            break (machine, watching, totals);
        }
        before = Some(machine);
        hunt = watching.hunt.again(plan);
    };
    let Watching { mut hunt, unknown, found, at_most, error, .. } = watching;
    hunt.progress = None;
    if let Some(refused) = error {
        return refused.say(plan.format);
    }
    let never = specs.iter().zip(unknown).find_map(|(asked, unknown)| Some((asked, unknown?)));
    if let (Some((asked, complaint)), None, true) = (never, &found, totals.executions > 0) {
        return refused(&asked.source, *complaint.note("no execution has it")).say(plan.format);
    }
    if machine.has_looked_for_races_everywhere() {
        exploration.at_most = None;
    }
    hunt.stale_pointers |= machine.has_met_stale_pointers();
    let mut findings = findings(plan, &exploration, subject, &hunt, &totals, &meter);
    let no_main = machine.standing(Tid::MAIN) == Standing::NotCreated;
    findings.threads = machine.thread_count().max(hunt.threads) - usize::from(no_main);
    if let (Some((FaultKind::Unsupported, refused)), 0) = (&hunt.refused, hunt.bug_count()) {
        return refused.say(plan.format);
    }
    drop(machine);
    rest_on(&mut findings, subject, &program, &exploration, &totals);
    if !specs.is_empty() {
        findings.properties.push(FaultKind::Ltl.name().into());
    }
    if let (Verdict::Proved, Some(why), false) = (&findings.verdict, at_most, specs.is_empty()) {
        findings.verdict = Verdict::Bounded(why);
    }
    if let Some(story) = found {
        findings.verdict = Verdict::Violated;
        findings.stories.push(story);
    }
    conclude(plan, subject, &program, findings, &hunt.take_bugs())
}
