//! `threadbare check`: explore, and say what was found.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use threadbare_core::{BytesPerState, FaultKind, Findings, Machine, Story, Tid, Verdict};
use threadbare_explore::{Coverage, Help, Kind, Strategy, Totals};
use threadbare_report::ProgressSnapshot;

use crate::arguments::{AtLimit, CheckPlan, Format, Symmetry};
use crate::clocks::Meter;
use crate::duel::{Duel, Side, Stand};
use crate::hunt::{Bug, Hunt};
use crate::limits::{self, Watch, catch_interrupts};
use crate::ltl::{formulas, lasso};
use crate::plan::{self, ByLess, Choice, Exploration};
use crate::screen::ProgressLine;
use crate::subject::CSubject;
use crate::told::model::ModelSubject;
use crate::told::native::NativeSubject;
use crate::told::{RacesIn, Refused, Standing, Subject, Told, UNSUPPORTED, is_model};
use crate::trace::{Trace, numbered};
use crate::{confirm, listing, ltl, our_fault, report, screen, supervisor, syn};

/// A process for each execution could not do more.
const ALWAYS_ISOLATED: &str = "--isolate fork changes nothing: executions are always isolated. What one writes, files as well, is in \
    memory that the next one has again as it was; the host's files are only read, and what would need the kernel besides (processes, \
    sockets, directories) is refused by name";

pub fn check(plan: &CheckPlan) -> ExitCode {
    catch_interrupts();
    let mut plan = match with_properties(plan) {
        Ok(plan) => plan,
        Err(error) => return listing::failure(plan.format, &error, None, 2),
    };
    match formulas::written(&plan) {
        Ok(formulas) => plan.formulas = formulas,
        Err(refused) => return refused.say(plan.format),
    }
    let plan = &plan;
    if plan.isolate.is_some() && !supervisor::is_worker() {
        report::message(&report::wrapped("threadbare:", ALWAYS_ISOLATED));
    }
    if plan.files.iter().any(|file| is_model(file)) {
        if plan.backend == "native" {
            let why = "--backend native has no meaning for a model: it is executed by a machine of its own, not as machine code";
            return listing::failure(plan.format, why, None, 2);
        }
        return match ModelSubject::checked(plan) {
            Ok(subject) => explore(plan, &subject),
            Err(refused) => refused.say(plan.format),
        };
    }
    match &*plan.backend {
        "native" => check_natively(plan),
        "auto" if supervisor::is_worker() => check_natively(plan),
        "auto" => try_to_explore(plan, &CSubject::of(plan)).unwrap_or_else(|refused| explore_elsewhere(plan, refused)),
        _ => explore(plan, &CSubject::of(plan)),
    }
}

fn check_natively(plan: &CheckPlan) -> ExitCode {
    let (subject, plan) = match NativeSubject::checked(plan) {
        Ok(checked) => checked,
        Err(refused) => return refused.say(plan.format),
    };
    match supervisor::supervise(plan.format, None) {
        Some(Ok(code)) => code,
        Some(Err(refusal)) => listing::failure(plan.format, &refusal, None, UNSUPPORTED),
        None => supervisor::take_again(&subject).unwrap_or_else(|| match try_to_explore(&plan, &subject) {
            Ok(code) => {
                supervisor::say_instead();
                code
            }
            Err(refused) => supervisor::refuse(&refused).unwrap_or_else(|| refused.say(plan.format)),
        }),
    }
}

/// The virtual machine does not support something that the program has: its own machine code may do.
fn explore_elsewhere(plan: &CheckPlan, mut refused: Refused) -> ExitCode {
    if refused.code != UNSUPPORTED {
        return refused.say(plan.format);
    }
    if let Some(option) = NativeSubject::lacks(plan) {
        refused.notes.push(format!("the native backend may support it, but not with {option}"));
    } else {
        match supervisor::supervise(plan.format, Some(&refused.in_words())) {
            Some(Ok(code)) => return code,
            Some(Err(_)) => refused.notes.push("the native backend refuses it, too (--backend native says why)".into()),
            None => {}
        }
    }
    refused.say(plan.format)
}

/// The invariants of the property file belong to those of the line. Empty lines and what stands behind `#` are for people.
fn with_properties(plan: &CheckPlan) -> Result<CheckPlan, String> {
    let mut plan = plan.clone();
    if let Some(file) = &plan.properties {
        let cannot = |error| format!("cannot read {}: {}", file.display(), report::why(&error));
        let text = std::fs::read_to_string(file).map_err(cannot)?;
        let names = text.lines().map(|line| line.split('#').next().unwrap_or("").trim());
        let names: Vec<String> = names.filter(|name| !name.is_empty()).map(String::from).collect();
        if names.is_empty() {
            return Err(format!("{} names no invariant", file.display()));
        }
        plan.invariants.extend(names);
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

/// Formulas have a search of their own.
fn explore_formulas<S: Subject>(plan: &CheckPlan, subject: &S) -> Result<ExitCode, Refused> {
    let wrong = |error: &str| Ok(listing::failure(plan.format, error, None, 2));
    let exploration = match ltl::exploration(plan, subject) {
        Ok(exploration) => exploration,
        Err(error) => return wrong(&error),
    };
    let program = subject.load()?;
    let formulas = match ltl::formulas_of(subject, &program) {
        Ok(formulas) => formulas,
        Err(refused) => return Ok(refused.say(plan.format)),
    };
    let automata = match ltl::automata(&formulas) {
        Ok(automata) => automata,
        Err(error) => return wrong(&error),
    };
    if let Some(Err(error)) = plan.dump_automaton.as_ref().map(|file| ltl::dump(file, &formulas, &automata)) {
        return wrong(&error);
    }
    let meter = Meter::start();
    let mut hunt = Hunt::new(plan, Watch::new(plan.time_limit, plan.memory_limit), ProgressLine::open(plan.format));
    let mut races = RacesIn::Sharing;
    let (machine, mut found) = loop {
        let mut machine = match subject.machine_for_states(&program, races) {
            Ok(machine) => machine,
            Err(error) => return wrong(&error),
        };
        machine.stop_when(limits::are_reached);
        limits::begin_search();
        let reduces = ltl::not_reduced(plan, &formulas, races).is_none();
        let found = ltl::search(plan, subject, &mut machine, &formulas, &automata, &mut hunt, reduces);
        // With plain data that threads share, what is ordered is a part of states.
        let again = machine.must_begin_again() && races == RacesIn::Sharing && hunt.watch.stopped.is_none();
        if !again {
            break (machine, found);
        }
        races = RacesIn::States;
        hunt = Hunt::new(plan, hunt.watch, hunt.progress);
    };
    if let Err(error) = ltl::shorten(plan, subject, &program, &formulas, &automata, &mut found.violations) {
        return wrong(&error);
    }
    hunt.stale_pointers |= machine.has_met_stale_pointers();
    hunt.waits_for_time |= machine.has_looked_in_vain();
    let mut findings = findings(plan, &exploration, subject, &hunt, &found.totals, &meter);
    findings.strategy = ltl::NAME.into();
    if !found.violations.is_empty() {
        findings.verdict = Verdict::Violated;
    } else if let (Some(why), Verdict::Proved | Verdict::Unknown(_)) = (found.no_answer, &findings.verdict) {
        findings.verdict = Verdict::Unknown(why.into());
    }
    let no_main = machine.standing(Tid::MAIN) == Standing::NotCreated;
    findings.threads = found.threads - usize::from(no_main);
    hunt.progress = None;
    let found_nothing = hunt.bug_count() == 0 && found.violations.is_empty();
    if let Some((_, refused)) = hunt.refused.take_if(|(kind, _)| found_nothing && *kind == FaultKind::Unsupported) {
        return Err(formulas.explain(refused));
    }
    drop(machine);
    for violation in &found.violations {
        match lasso::story_of(subject, &program, &formulas, violation) {
            Ok(story) => findings.stories.push(story),
            Err(confirm::DoesNotReplay(what)) => return Ok(our_fault::say(plan.format, &what)),
        }
    }
    if plan.livelock {
        findings.properties.push(FaultKind::Livelock.name().into());
    }
    if plan.formulas.iter().all(|formula| formula.livelock) {
        findings.properties.retain(|kind| kind != FaultKind::Ltl.name());
    }
    rest_on(&mut findings, subject, &program, &exploration, &found.totals);
    if !plan.livelock {
        let what = "what goes on for ever is no bug by itself, be it a loop in which everybody waits: formulas say what must happen";
        findings.assumptions.push(format!("{what}, and --livelock looks for the want of progress"));
    }
    findings.assumptions.push(match subject.is_fair() {
        true => "weak fairness: a thread that can always go on does so some time; one that can go on only now and then may be left \
                 behind for ever (--fairness none asks for none)"
            .into(),
        false => "no fairness: a thread may be left behind for ever (--fairness weak)".into(),
    });
    findings.assumptions.push(match (ltl::not_reduced(plan, &formulas, races), found.reduced) {
        (None, 1..) => "steps whose order no formula can tell are explored in one order".into(),
        (None, 0) => "all interleavings are explored".into(),
        (Some(why), _) => format!("all interleavings are explored, without reduction: {why}"),
    });
    if formulas.are_about_deadlocks() {
        findings.assumptions.push("a deadlock is a bug only if a formula says so".into());
        findings.properties.retain(|kind| kind != FaultKind::Deadlock.name());
    }
    if found.totals.complete && !found.missing.is_empty() {
        let missing = found.missing.join(", ");
        findings.assumptions.push(format!("no execution has a thread {missing}, which a formula names"));
    }
    Ok(conclude(plan, subject, &program, findings, &hunt.take_bugs()))
}

fn explore<S: Subject>(plan: &CheckPlan, subject: &S) -> ExitCode {
    try_to_explore(plan, subject).unwrap_or_else(|refused| refused.say(plan.format))
}

/// A machine that does not take the program says so, unless something else is to be said before: another one may.
fn try_to_explore<S: Subject>(plan: &CheckPlan, subject: &S) -> Result<ExitCode, Refused> {
    let by_executions = plan.syn_out.is_some() || !plan.trace_spec.is_empty();
    if !plan.formulas.is_empty() && by_executions {
        let why = "--syn-out and --trace-spec are about executions, and --ltl stores states: one of them at a time";
        return Ok(listing::failure(plan.format, why, None, 2));
    }
    if !plan.formulas.is_empty() {
        return explore_formulas(plan, subject);
    }
    for (inside, option) in [("dump_automaton", "--dump-automaton"), ("fairness", "--fairness")] {
        if plan.given.iter().any(|given| given == inside) {
            return Ok(listing::failure(plan.format, &format!("`{option}` needs a formula: --ltl"), None, 2));
        }
    }
    if by_executions {
        return syn::executions::explore(plan, subject);
    }
    let Choice { first, second } = match plan::plan(plan, subject) {
        Ok(choice) => choice,
        Err(error) => return Ok(listing::failure(plan.format, &error, None, 2)),
    };
    let program = subject.load()?;
    let meter = Meter::start();
    let mut hunt = Hunt::new(plan, Watch::new(plan.time_limit, plan.memory_limit), ProgressLine::open(plan.format));
    hunt.watch.can_shrink = plan.at_limit == Some(AtLimit::Bitstate);
    limits::begin_search();
    let searched = match second {
        Some(second) => duel(plan, subject, &program, hunt, first, second),
        None => search(plan, subject, &program, hunt, first).map(|searched| (searched, None)),
    };
    let (Searched { machine, mut hunt, totals, jobs, mut exploration }, chosen) = match searched {
        Ok(searched) => searched,
        Err(error) => return Ok(listing::failure(plan.format, &error, None, 2)),
    };
    if machine.has_looked_for_races_everywhere() {
        exploration.at_most = None;
    }
    hunt.stale_pointers |= machine.has_met_stale_pointers();
    // Who comes back to a known state may look at the clock for ever. `graph` tells it of those who do.
    let stores = exploration.strategy.kind() == Kind::EveryState || exploration.strategy == Strategy::Scale;
    hunt.waits_for_time |= stores && exploration.strategy != Strategy::Graph && machine.has_looked_in_vain();
    if let Some(fault) = machine.bad_abstraction() {
        hunt.refuse(&machine, fault);
    }
    let mut findings = findings(plan, &exploration, subject, &hunt, &totals, &meter);
    findings.jobs = jobs;
    findings.chosen = chosen;
    // A model may do without a main thread.
    let no_main = machine.standing(Tid::MAIN) == Standing::NotCreated;
    findings.threads = machine.thread_count().max(hunt.threads) - usize::from(no_main);
    hunt.progress = None;
    if let Some((_, refused)) = hunt.refused.take_if(|(kind, _)| *kind == FaultKind::Unsupported)
        && hunt.bug_count() == 0
    {
        return Err(refused);
    }
    let symmetry = machine.symmetry();
    drop(machine);
    rest_on(&mut findings, subject, &program, &exploration, &totals);
    findings.assumptions.extend(match symmetry {
        Some(Ok(())) => Some("symmetry: threads are told apart by where they stand, and not by who they are".into()),
        Some(Err(why)) if plan.symmetry == Symmetry::On => Some(format!("symmetry was not used: {why}")),
        _ => None,
    });
    Ok(conclude(plan, subject, &program, findings, &hunt.take_bugs()))
}

/// What the verdict rests on.
pub fn rest_on<S: Subject>(
    findings: &mut Findings,
    subject: &S,
    program: &S::Program,
    exploration: &Exploration,
    totals: &Totals,
) {
    findings.provided = subject.provided(program);
    findings.assumptions = subject.assumptions(program);
    if exploration.strategy.kind() == Kind::EveryState {
        let what = if totals.looked_for_left_behind {
            "no thread waits for ever in a loop, or for the end of another that goes on for ever"
        } else {
            "no thread waits for ever, blocked or in a loop, while others go on for ever"
        };
        findings.assumptions.push(format!("{what}: that is not looked for where states are stored"));
    }
    findings.assumptions.extend(exploration.by_less.as_ref().map(ByLess::assumption));
    if totals.executions == 0 && totals.cut > 0 {
        findings.assumptions.push("every execution was cut off by a failed assume: none was checked to its end".into());
        findings.provided = Some("but no execution comes past a failed assume".into());
    }
}

/// The bugs are executed again, and everything is told.
pub fn conclude<S: Subject>(
    plan: &CheckPlan,
    subject: &S,
    program: &S::Program,
    mut findings: Findings,
    bugs: &[Bug<S::Machine>],
) -> ExitCode {
    match confirm::confirm(subject, program, bugs, plan.minimise) {
        Ok(stories) => findings.stories.extend(stories),
        Err(confirm::DoesNotReplay(what)) => return our_fault::say(plan.format, &what),
    }
    let traces = match write_traces(plan, subject, program, &findings.stories) {
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

/// What a search came to.
struct Searched<M: Told> {
    machine: M,
    hunt: Hunt<M>,
    totals: Totals,
    jobs: usize,
    exploration: Exploration,
}

/// Explores, and begins again where that is needed.
fn search<S: Subject>(
    plan: &CheckPlan,
    subject: &S,
    program: &S::Program,
    mut hunt: Hunt<S::Machine>,
    mut exploration: Exploration,
) -> Result<Searched<S::Machine>, String> {
    let mut before = None;
    loop {
        let needs = exploration.strategy.needs();
        let mut machine = subject.machine_for_search(program, needs, before.as_ref())?;
        machine.stop_when(limits::are_reached);
        // Who comes first decides whose place is whose.
        let most = if machine.symmetry() == Some(Ok(())) { 1 } else { exploration.jobs };
        let kin = (most > 1).then(|| machine.kin());
        let hunter = hunt.another();
        let another = || {
            let mut machine = subject.another_for_search(program, needs, kin.as_ref()?).ok()?;
            machine.stop_when(limits::are_reached);
            Some((machine, hunter.hunt(plan)))
        };
        let help = Help { jobs: most, after: exploration.alone_for, another: &another, eager: None };
        let shared = exploration.strategy.run_with(&mut machine, &exploration.settings, &mut hunt, &help);
        let jobs = 1 + shared.helpers.len();
        machine.compare_notes(&shared.helpers.iter().map(|(other, _)| other).collect::<Vec<_>>());
        for (other, told) in shared.helpers {
            hunt.take_over(told);
            hunt.stale_pointers |= other.has_met_stale_pointers();
            hunt.threads = hunt.threads.max(other.thread_count());
            if other.must_begin_again() && !machine.must_begin_again() {
                machine = other;
            }
        }
        let begins_again = match exploration.strategy.kind() {
            // What lies behind the last execution that counts does not.
            Kind::Sample => hunt.must_begin_again,
            _ => machine.must_begin_again(),
        };
        if hunt.watch.stopped.is_none() && (begins_again || shared.again_alone) {
            if shared.again_alone {
                exploration.jobs = 1;
            }
            before = Some(machine);
            hunt = hunt.again(plan);
            limits::begin_search();
            continue;
        }
        let totals = shared.totals;
        let next = exploration.settings.context_bound.map_or(0, |bound| bound + 1);
        let again = totals.beyond_context > 0
            && hunt.bug_count() == 0
            && hunt.refused.is_none()
            && hunt.watch.stopped.is_none()
            && plan.context_bound.is_some_and(|bounds| next <= bounds.last);
        if !again {
            return Ok(Searched { machine, hunt, totals, jobs, exploration });
        }
        // What was found within less counts for nothing: all of it is within more, too.
        exploration.settings.context_bound = Some(next);
        hunt.now = ProgressSnapshot::default();
        before = Some(machine);
        limits::begin_search();
    }
}

/// Two engines, and the answer of the one that has it first; with what is to be said of the choice, if both were at it.
fn duel<S: Subject>(
    plan: &CheckPlan,
    subject: &S,
    program: &S::Program,
    mut hunt: Hunt<S::Machine>,
    first: Exploration,
    second: Exploration,
) -> Result<(Searched<S::Machine>, Option<String>), String> {
    let duel = Arc::new(Duel::new(first.jobs == 1, plan.memory_limit, plan.time_limit.is_some()));
    hunt.stand = Some(Stand::new(&duel, Side::First));
    let (first, second) = std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let _guard = Absent(&duel, Side::Second);
            if !duel.is_called() {
                return None;
            }
            let mut hunt = Hunt::new(plan, Watch::another(), None);
            hunt.stand = Some(Stand::new(&duel, Side::Second));
            hunt.ends_all = false;
            let searched = search(plan, subject, program, hunt, second).ok()?;
            let verdict = but_for_bugs(plan, &searched.exploration, &searched.hunt, &searched.totals);
            let stopped = searched.hunt.watch.stopped.is_some();
            // What goes on for ever, and waits for time, the first could only cut off.
            let is_proof = verdict == Verdict::Proved || searched.totals.complete && searched.hunt.waits_for_time;
            duel.leave(Side::Second, searched.hunt.bug_count() > 0 || is_proof && !stopped);
            Some(searched)
        });
        let _guard = Absent(&duel, Side::First);
        let searched = search(plan, subject, program, hunt, first);
        // Beyond a bound there may be more to find. A limit is one for both.
        let has_answer = searched.as_ref().map_or(true, |it| {
            it.hunt.bug_count() > 0 || it.totals.beyond_bound == 0 && (it.totals.complete || it.hunt.refused.is_some())
        });
        let stopped = searched.as_ref().is_ok_and(|it| it.hunt.watch.stopped.is_some());
        duel.leave(Side::First, has_answer || stopped);
        (searched, second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let mut first = first?;
    let Some(mut second) = second else { return Ok((first, None)) };
    let percent = |it: &Searched<S::Machine>| {
        let done = it.hunt.now.done.unwrap_or(0.0) * 100.0;
        if done < 0.1 { "less than 0.1 %".to_string() } else { format!("about {done:.1} %") }
    };
    let stored = |it: &Searched<S::Machine>| threadbare_report::grouped(it.hunt.now.states.unwrap_or(0));
    Ok(match duel.winner() {
        Some(Side::Second) => {
            second.hunt.progress = first.hunt.progress.take();
            let why = match first.totals.beyond_bound {
                0 => format!("sooner done than `optimal`, of which {} was done", percent(&first)),
                _ => "`optimal` met the bound on the length of executions".into(),
            };
            (second, Some(why))
        }
        Some(Side::First) => {
            let why = format!("sooner done than `graph`, with {} states by then", stored(&second));
            (first, Some(why))
        }
        None => {
            // Both had the same time. What the first has explored counts, but it was not the end of the matter.
            let why = match second.hunt.watch.stopped.take() {
                Some(why) => format!(": {why}"),
                None if duel.out_of_patience() => {
                    format!(", with {} states in several times as long; --strategy graph goes on", stored(&second))
                }
                None => String::new(),
            };
            (first, Some(format!("`graph` has no answer either{why}")))
        }
    })
}

/// Whoever panics leaves the other alone.
struct Absent<'d>(&'d Duel, Side);

impl Drop for Absent<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.leave(self.1, true);
        }
    }
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
        let mut trace = Trace::of(subject, program, story);
        if trace.bug.kind == FaultKind::Ltl.name() && trace.lasso.is_none() {
            trace.trace_spec.clone_from(&plan.trace_spec);
        }
        trace.write(&file).map_err(|error| format!("cannot write {}: {}", file.display(), report::why(&error)))?;
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

/// The bounds that were in the way, in words.
fn bounds<M: Told>(exploration: &Exploration, hunt: &Hunt<M>, totals: &Totals) -> Option<String> {
    let depth = (totals.beyond_bound > 0).then(|| {
        let place = hunt.loop_at().map_or(String::new(), |at| format!("; the loop at {at} goes on"));
        let some = totals.sampled.is_some() || exploration.strategy.explores_all_up_to_a_depth();
        let orders = if some { "" } else { ", not in all their orders" };
        format!("executions cut off after {} visible operations{orders}{place}", exploration.settings.depth_bound)
    });
    let both: Vec<String> = context_bound(exploration, totals).into_iter().chain(depth).collect();
    (!both.is_empty()).then(|| both.join("; "))
}

/// What can be said of all that was explored, if there is no bug in it.
fn but_for_bugs<M: Told>(plan: &CheckPlan, exploration: &Exploration, hunt: &Hunt<M>, totals: &Totals) -> Verdict {
    if let Some(coverage) = totals.coverage {
        const BITS: &str = "each known by three bits since memory ran out";
        Verdict::Bounded(match coverage {
            Coverage::Part(part) => format!("about {} % of the states, {BITS}", (part * 10_000.0).floor() / 100.0),
            Coverage::Paths(longest) => {
                let [states, longest] = [totals.states.unwrap_or(0), longest as u64].map(threadbare_report::grouped);
                format!(
                    "{states} states, {BITS}, on paths of at most {longest} steps, which is as far as memory reaches"
                )
            }
        })
    } else if let Some(why) = &hunt.watch.stopped {
        let out_of_memory = exploration.strategy.kind() == Kind::EveryState && why.contains("memory");
        if out_of_memory {
            let bits = match plan.at_limit {
                Some(AtLimit::Bitstate) => ", which leaves too little room for --at-limit bitstate, too",
                _ => "",
            };
            Verdict::Bounded(format!("the states that fit into {why}{bits}"))
        } else {
            Verdict::Unknown(why.clone())
        }
    } else if let Some((_, refused)) = &hunt.refused {
        Verdict::Unknown(refused.message.clone())
    } else if let Some(what) = &totals.sampled {
        let bounds = bounds(exploration, hunt, totals);
        Verdict::Bounded([Some(what.clone()), bounds].into_iter().flatten().collect::<Vec<String>>().join("; "))
    } else if let Some(bounds) = bounds(exploration, hunt, totals) {
        Verdict::Bounded(bounds)
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
    } else {
        let by_less = exploration.by_less.as_ref().and_then(ByLess::bound);
        match [by_less, exploration.at_most.map(String::from)].into_iter().flatten().reduce(|a, b| format!("{a}; {b}"))
        {
            Some(why) => Verdict::Bounded(why),
            None => Verdict::Proved,
        }
    }
}

pub fn findings<S: Subject>(
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
    let (verdict, otherwise) = match hunt.bug_count() {
        0 => (otherwise, None),
        found => (Verdict::Violated, Some(otherwise).filter(|_| found < plan.max_bugs)),
    };
    Findings {
        verdict,
        files: subject.files().iter().map(|file| file.display().to_string()).collect(),
        properties: subject
            .properties()
            .into_iter()
            // Where states are stored, a loop that goes on for ever is nothing but a cycle of them.
            .filter(|&kind| kind != FaultKind::Livelock || exploration.strategy.kind() != Kind::EveryState)
            .map(|kind| kind.name().to_string())
            .collect(),
        strategy: exploration.strategy.to_string(),
        threads: 1,
        jobs: 1,
        executions: totals.executions - hunt.given_up,
        blocked: totals.blocked,
        cut: totals.cut,
        states: totals.states,
        bytes_per_state: totals.stored.zip(totals.states).map(|(stored, states)| {
            let each = |bytes: u64| bytes / states.max(1);
            BytesPerState { table: each(stored.table_bytes), all: each(stored.table_bytes + stored.graph_bytes) }
        }),
        transitions: totals.transitions,
        seconds: meter.seconds(),
        cpu_seconds: meter.cpu_seconds(),
        peak_rss_bytes: meter.peak_rss_bytes(),
        assumptions: Vec::new(),
        otherwise,
        provided: None,
        explored,
        chosen: None,
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
            if exploration.strategy == Strategy::Optimal {
                advice.push("take --strategy source, whose memory is bounded by the longest execution".into());
            }
        }
        _ => {}
    }
    if totals.coverage.is_some() {
        advice.push("raise --memory-limit: a proof takes every state by itself".into());
    }
    if totals.beyond_bound > 0 {
        if let Some(at) = hunt.loop_at() {
            advice.push(format!(
                "if the loop at {at} waits, let its rounds change nothing, not even a counter that is read later: then it \
                 needs no bound"
            ));
        }
        if exploration.strategy.kind() != Kind::EveryState && hunt.stand.is_none() {
            advice
                .push("if the program runs for ever, take --strategy graph, which ends when no new states come".into());
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
    } else if exploration.by_less.as_ref().and_then(ByLess::bound).is_some() {
        advice.push("if you know that such states go on alike, say so: --abstraction-sound".into());
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
