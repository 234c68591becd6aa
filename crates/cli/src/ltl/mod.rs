//! Temporal logic on programs (`--ltl`): the states of the machine and the automaton of a formula's negation at once, on the
//! fly. A path that both go along for ever breaks the formula, and is told as a lasso.
//!
//! One graph of states serves all formulas. Where no automaton leads there are states left: they are gone through at the end,
//! since a proof says of all executions that nothing else is wrong with them either.

pub mod formulas;
pub mod lasso;

use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};

use threadbare_core::{Access, Choice, Ending, FaultKind, Machine, Operation, Space, Tid};
use threadbare_explore::{Flow, Search, Settings, Strategy, Totals, stuck};
use threadbare_logic::{
    Automaton, Eyes, Fairness, Lasso, Product, Programs, Run, Seen, Taken, automaton_of_negation, dot, find_near_run,
    find_run, hoa, holds,
};

use crate::arguments::CheckPlan;
use crate::hunt::{Bug, Hunt};
use crate::plan::Exploration;
use crate::story::schedule_of;
use crate::told::{RacesIn, Refused, Subject, Told};
use crate::trace::numbered;
use crate::{plan, report};
use formulas::{Formulas, Meaning};
use lasso::Violation;

/// What the search is called in reports.
pub const NAME: &str = "ltl";

/// Options that the search has no use for: what they are called inside, how they are spelled, and why.
const MEANINGLESS: &[(&str, &str, &str)] = &[
    ("strategy", "--strategy", "it has a search of its own, through all states"),
    ("context_bound", "--context-bound", "it is about infinite executions, in which threads take turns for ever"),
    ("depth_bound", "--depth-bound", "it is about infinite executions, and states are stored"),
    ("jobs", "--jobs", "this search cannot be shared"),
    ("filters", "--filters", "no state may be left out"),
    ("order", "--order", "the search is depth first"),
    ("capture", "--capture", "states are always exact"),
    ("at_limit", "--at-limit", "without all of the states there is no telling which cycles there are"),
    ("superstep", "--superstep", "no state may be left out"),
    ("runs", "--runs", "nothing goes by chance"),
    ("seed", "--seed", "nothing goes by chance"),
    ("symmetry", "--symmetry", "a formula may name a thread, and be fair to it"),
    ("abstraction", "--abstraction", "states are always whole"),
    ("ignored", "--ignore", "states are always whole"),
];

/// The search, as the plan has it.
pub fn exploration<S: Subject>(asked: &CheckPlan, subject: &S) -> Result<Exploration, String> {
    for (inside, spelled, why) in MEANINGLESS {
        let is_none = *inside == "jobs" && asked.jobs == Some(1);
        if asked.given.iter().any(|given| given == inside) && !is_none {
            let own = if asked.ltl.is_empty() && asked.ltl_files.is_empty() { "--livelock" } else { "--ltl" };
            return Err(format!("{spelled} does not go with {own}: {why}"));
        }
    }
    Ok(Exploration {
        strategy: Strategy::Stateful,
        settings: Settings::default(),
        jobs: 1,
        alone_for: std::time::Duration::ZERO,
        at_most: plan::at_most(subject.race_detection(), true),
        by_less: None,
    })
}

/// The automata that are looked for.
pub fn automata(formulas: &Formulas) -> Result<Vec<Automaton>, String> {
    let automaton = |(number, formula): (usize, &formulas::Formula)| {
        automaton_of_negation(&formula.expr).map_err(|error| format!("`{}`: {error}", formulas.words(number)))
    };
    formulas.list.iter().enumerate().map(automaton).collect()
}

/// Writes them: for Graphviz, or for tools that read HOA.
pub fn dump(file: &Path, formulas: &Formulas, automata: &[Automaton]) -> Result<(), String> {
    let picture = file.extension().is_some_and(|extension| extension == "dot" || extension == "gv");
    for (number, automaton) in automata.iter().enumerate() {
        let name = format!("not ({})", formulas.words(number));
        let text = if picture { dot } else { hoa }(automaton, &name, &formulas.propositions);
        let file = numbered(file, number);
        std::fs::write(&file, text)
            .map_err(|error| format!("cannot write {}: {}", file.display(), report::why(&error)))?;
    }
    Ok(())
}

/// What holds where the machine is, as bits.
pub fn letter<M: Told>(machine: &mut M, formulas: &Formulas) -> Result<u64, Box<M::Fault>> {
    let mut letter = 0;
    for (bit, meaning) in formulas.meanings.iter().enumerate() {
        let live = |machine: &M, name| machine.names().find(name).filter(|&tid| machine.is_live(tid));
        let is_true = match meaning {
            Meaning::Value(number) => machine.holds(*number)?,
            Meaning::At(thread, label) => live(machine, thread).is_some_and(|tid| machine.is_at(tid, label)),
            Meaning::Blocked(thread) => {
                live(machine, thread).is_some_and(|tid| !machine.pending(tid).choices.any_enabled())
            }
            Meaning::Ended(thread) => machine.names().find(thread).is_some_and(|tid| has_ended(machine, tid)),
            Meaning::Deadlock => is_deadlocked(machine),
            Meaning::Halted => is_over(machine),
            Meaning::Progress => {
                tids(machine).any(|tid| machine.is_live(tid) && machine.is_at(tid, threadbare_vm::PROGRESS))
            }
            Meaning::Terminated => matches!(machine.ending(), Some(Ending::Exit(_))) || all_ended(machine),
        };
        letter |= u64::from(is_true) << bit;
    }
    Ok(letter)
}

fn tids<M: Told>(machine: &M) -> impl Iterator<Item = Tid> + use<M> {
    (0..machine.thread_count()).map(|i| Tid(i as u16))
}

/// A thread that was there, and is not any more; the end of the process ends all.
fn has_ended<M: Told>(machine: &M, tid: Tid) -> bool {
    use crate::told::Standing;
    match machine.standing(tid) {
        Standing::Ended => true,
        Standing::Live => machine.ending().is_some(),
        Standing::NotCreated | Standing::Cut | Standing::Failed => false,
    }
}

/// Of a program whose process does not end by itself, as a model.
fn all_ended<M: Told>(machine: &M) -> bool {
    machine.ending().is_none() && tids(machine).all(|tid| !machine.is_live(tid))
}

/// Nobody can move.
fn is_over<M: Told>(machine: &mut M) -> bool {
    !tids(machine).any(|tid| machine.is_live(tid) && machine.pending(tid).choices.any_enabled())
}

fn is_deadlocked<M: Told>(machine: &mut M) -> bool {
    let waits = machine.ending().is_none() && tids(machine).any(|tid| machine.is_live(tid));
    waits && !machine.is_cut() && !machine.any_failed() && is_over(machine)
}

/// What a state shows that must not be, while it is found.
struct Finds<'h, M: Told> {
    hunt: &'h mut Hunt<M>,
    /// Errors, each with the state in which it was found first.
    faults: Vec<(Box<M::Fault>, u32)>,
    states: u32,
    ends: u64,
    cuts: u64,
    halted: bool,
    max_bugs: usize,
    threads: usize,
}

impl<M: Told> Finds<'_, M> {
    fn add(&mut self, machine: &M, fault: Box<M::Fault>) {
        if !self.faults.iter().any(|(known, _)| machine.same_bug(known, &fault)) {
            self.faults.push((fault, self.states));
        }
    }

    /// A state that is new: what holds there, or that the search is to end.
    fn look_at(&mut self, machine: &mut M, formulas: &Formulas) -> Seen {
        self.threads = self.threads.max(machine.thread_count());
        let seen = match machine.must_begin_again() {
            true => Seen::Halt(0),
            false => self.errors_of(machine, formulas),
        };
        self.states += 1;
        self.hunt.stored(self.states.into());
        let goes_on = self.faults.len() < self.max_bugs
            && (!self.states.is_multiple_of(64) || self.hunt.tick() == Flow::Continue);
        let seen = match seen {
            Seen::Holds(letter) if !goes_on => Seen::Halt(letter),
            _ if !goes_on => Seen::Halt(0),
            seen => seen,
        };
        self.halted |= matches!(seen, Seen::Halt(_));
        seen
    }

    fn errors_of(&mut self, machine: &mut M, formulas: &Formulas) -> Seen {
        for noted in machine.noted_faults() {
            self.add(machine, noted);
        }
        match machine.ending() {
            Some(Ending::Error(fault)) => {
                let fault = fault.clone();
                match M::kind(&fault) {
                    FaultKind::Stopped => self.hunt.watch.stop(),
                    FaultKind::Unsupported | FaultKind::Limit => self.hunt.refuse(machine, &fault),
                    _ => {
                        self.add(machine, fault);
                        return Seen::Dead;
                    }
                };
                return Seen::Halt(0);
            }
            Some(Ending::Exit(_)) | None => {}
        }
        let is_over = is_over(machine);
        if is_over {
            match machine.is_cut() {
                true => self.cuts += 1,
                false => self.ends += 1,
            }
        }
        if is_over && !formulas.are_about_deadlocks() && is_deadlocked(machine) {
            machine.hold_still();
            if let Some(stuck) = stuck(machine) {
                let fault = machine.fault_of_stuck(&stuck);
                self.add(machine, fault);
            }
        }
        match letter(machine, formulas) {
            // What follows from an error is no bug of its own.
            Ok(_) if machine.any_failed() => Seen::Unasked,
            Ok(letter) => Seen::Holds(letter),
            Err(fault) => {
                self.hunt.refuse(machine, &fault);
                Seen::Halt(0)
            }
        }
    }
}

/// Why no step is left out, if so. What is seen of a state may be values and labels: whether nobody can move, say, is a matter of
/// what all threads do.
pub fn not_reduced(plan: &CheckPlan, formulas: &Formulas, races: RacesIn) -> Option<&'static str> {
    let seen = |meaning: &Meaning| matches!(meaning, Meaning::Value(_) | Meaning::At(..) | Meaning::Progress);
    if formulas.list.iter().any(|formula| formula.expr.counts_steps()) {
        Some("a formula has X, which counts steps")
    } else if !formulas.meanings.iter().all(seen) {
        Some("a formula is about who is blocked or has ended")
    } else if plan.leaks {
        Some("what is leaked hangs on all that was done before the end")
    } else if plan.max_bugs > 1 {
        Some("executions go on after an error (--max-bugs)")
    } else if races != RacesIn::Sharing {
        Some("threads share plain data")
    } else {
        None
    }
}

/// What the values and labels of formulas can see.
fn eyes<M: Told>() -> Eyes<M> {
    Eyes {
        see_step: |machine, tid| {
            let choices: Vec<Choice> = machine.pending(tid).choices.enabled().collect();
            let is_seen = |access: &Access| access.space == Space::Property;
            choices.into_iter().any(|choice| machine.accesses(tid, choice).iter().any(is_seen))
        },
        see_place: |machine, tid| machine.pending(tid).operation == Operation::Label,
    }
}

/// What came of a search.
pub struct Found {
    pub totals: Totals,
    /// Of how many states the steps of one thread were explored alone.
    pub reduced: u64,
    pub violations: Vec<Violation>,
    /// Threads that formulas name, and that never came up.
    pub missing: Vec<String>,
    pub threads: usize,
    /// Why there is no answer, though the search ended.
    pub no_answer: Option<&'static str>,
}

/// Looks for executions that break formulas, and for whatever else is wrong. The machine is at the start, and is left there.
pub fn search<S: Subject>(
    plan: &CheckPlan,
    subject: &S,
    machine: &mut S::Machine,
    formulas: &Formulas,
    automata: &[Automaton],
    hunt: &mut Hunt<S::Machine>,
    reduces: bool,
) -> Found {
    let start = machine.mark();
    let fairness = if subject.is_fair() { Fairness::Weak } else { Fairness::None };
    let max_bugs = plan.max_bugs;
    let finds = RefCell::new(Finds {
        hunt,
        faults: Vec::new(),
        states: 0,
        ends: 0,
        cuts: 0,
        halted: false,
        max_bugs,
        threads: 0,
    });
    let mut graph =
        Programs::new(machine, fairness, |machine: &mut S::Machine| finds.borrow_mut().look_at(machine, formulas))
            .reduced(reduces.then(eyes));
    let mut asked = 0u32;
    let mut stop = || {
        asked += 1;
        let mut finds = finds.borrow_mut();
        finds.halted || asked.is_multiple_of(256) && finds.hunt.tick() == Flow::Stop
    };
    let mut violations: Vec<Steps> = Vec::new();
    let (mut complete, mut product, mut waits_for_time) = (true, 0, false);
    for (number, automaton) in automata.iter().enumerate() {
        let mut visited = 0u64;
        let run = find_run(&mut Product::new(&mut graph, automaton), || {
            visited += 1;
            stop()
        });
        product += visited;
        match run {
            // What has ended the search says more than a path that it was still on.
            _ if graph.halted().is_some() => complete = false,
            None => complete = false,
            Some(Some(run)) if looks_at_clock(&mut graph, &run) => waits_for_time = true,
            Some(Some(run)) => violations.push(Steps::of(number, &run)),
            Some(None) => {}
        }
        if !complete || violations.len() >= max_bugs {
            break;
        }
    }
    if violations.len() < max_bugs && complete {
        complete = graph.find_all(&mut stop);
    }
    // Who comes to a deadlock stays there: if a formula does not hold on that, it says more than the deadlock.
    let faults = std::mem::take(&mut finds.borrow_mut().faults);
    let mut ways = Vec::new();
    for (fault, state) in faults {
        let way = graph.way_to(state);
        let letters: Vec<u64> = graph.states_to(state).into_iter().map(|state| graph.letter_of(state)).collect();
        let is_deadlock = <S::Machine as Told>::kind(&fault) == FaultKind::Deadlock;
        let word = Lasso { cycle: letters[letters.len() - 1..].to_vec(), prefix: letters };
        let broken = (0..formulas.list.len()).find(|&number| !holds(&formulas.list[number].expr, &word));
        match broken.filter(|_| is_deadlock) {
            Some(number) if !violations.iter().any(|known| known.formula == number) => {
                violations.push(Steps { formula: number, cycle: way.len(), steps: way.clone() });
                if max_bugs > 1 {
                    ways.push((fault, way));
                }
            }
            Some(_) if max_bugs == 1 => {}
            _ => ways.push((fault, way)),
        }
    }
    let (states, transitions) = (graph.state_count() as u64, graph.transitions());
    let reduced = graph.reduced_count();
    let no_answer = graph
        .has_too_many_threads()
        .then_some("there are too many threads at the same time to be fair to each of them, more than 64 as a rule");
    drop(graph);
    let finds = finds.into_inner();
    let (executions, cut, threads) = (finds.ends, finds.cuts, finds.threads);
    hunt.waits_for_time |= waits_for_time;
    machine.rewind(start);
    // What was found is told, whatever time that takes.
    machine.stop_when(|| false);
    let violations = violations.iter().map(|violation| violation.named(machine)).collect();
    for (fault, way) in ways {
        let schedule = schedule_of(machine, &way);
        hunt.add(machine, Bug { fault, schedule, occurrences: 1, partial: false });
    }
    let named = formulas.threads().into_iter();
    let missing = named.filter(|name| machine.names().find(name).is_none()).map(|name| name.to_string()).collect();
    let depth = product as usize;
    let totals = Totals { executions, cut, transitions, states: Some(states), complete, depth, ..Totals::default() };
    Found { totals, reduced, violations, missing, threads, no_answer }
}

/// Looks for shorter ones, for as long as the plan has it. What is ordered is nothing that executions hang on.
pub fn shorten<S: Subject>(
    plan: &CheckPlan,
    subject: &S,
    program: &S::Program,
    formulas: &Formulas,
    automata: &[Automaton],
    violations: &mut [Violation],
) -> Result<(), String> {
    let fairness = if subject.is_fair() { Fairness::Weak } else { Fairness::None };
    let budget = plan.minimise / violations.len().max(1) as u32;
    for violation in violations.iter_mut().filter(|_| !budget.is_zero()) {
        let mut machine = subject.machine_for_states(program, RacesIn::Path)?;
        let start = machine.mark();
        let automaton = &automata[violation.formula];
        if let Some(nearer) = nearer(&mut machine, fairness, formulas, automaton, budget) {
            let found = Steps::of(violation.formula, &nearer);
            if found.steps.len() < violation.schedule.len() {
                machine.rewind(start);
                *violation = found.named(&mut machine);
            }
        }
    }
    Ok(())
}

/// A violation near the start.
fn nearer<M: Told>(
    machine: &mut M,
    fairness: Fairness,
    formulas: &Formulas,
    automaton: &Automaton,
    budget: Duration,
) -> Option<Run<Taken, (u32, u32)>> {
    let look = |machine: &mut M| match letter(machine, formulas) {
        Ok(_) if machine.any_failed() => Seen::Unasked,
        Ok(letter) if !matches!(machine.ending(), Some(Ending::Error(_))) => Seen::Holds(letter),
        _ => Seen::Dead,
    };
    let mut graph = Programs::new(machine, fairness, look);
    let end = Instant::now() + budget;
    let run = find_near_run(&mut Product::new(&mut graph, automaton), || Instant::now() >= end);
    run.filter(|run| !graph.has_too_many_threads() && !looks_at_clock(&mut graph, run))
}

/// Whether a thread looks at the clock in the cycle. Time stands still in a search but for some jumps: what waits for it does
/// not wait for ever.
fn looks_at_clock<M: Told>(
    graph: &mut Programs<'_, M, impl FnMut(&mut M) -> Seen>,
    run: &Run<Taken, (u32, u32)>,
) -> bool {
    let first = run.prefix.last().map_or(run.start, |step| step.to);
    let nodes = std::iter::once(first).chain(run.cycle.iter().map(|step| step.to));
    nodes.zip(&run.cycle).any(|((state, _), step)| match step.step {
        Taken::Step(tid, _) => graph.machine_at(state).pending(tid).operation == Operation::Clock,
        Taken::Stays => false,
    })
}

/// A violation as the machine that found it numbers its threads.
struct Steps {
    formula: usize,
    steps: Vec<(Tid, Choice)>,
    cycle: usize,
}

impl Steps {
    fn of(formula: usize, run: &Run<Taken, (u32, u32)>) -> Steps {
        let taken = |step: &threadbare_logic::Step<Taken, (u32, u32)>| match step.step {
            Taken::Step(tid, choice) => Some((tid, choice)),
            Taken::Stays => None,
        };
        let mut steps: Vec<(Tid, Choice)> = run.prefix.iter().filter_map(taken).collect();
        let cycle = steps.len();
        steps.extend(run.cycle.iter().filter_map(taken));
        Steps { formula, steps, cycle }
    }

    /// That machine is at the start, and is left there.
    fn named<M: Told>(&self, machine: &mut M) -> Violation {
        Violation { formula: self.formula, schedule: schedule_of(machine, &self.steps), cycle: self.cycle }
    }
}

/// The formulas of a subject, as far as the program has what they name.
pub fn formulas_of<S: Subject>(subject: &S, program: &S::Program) -> Result<Formulas, Refused> {
    let formulas = Formulas::read(subject.formulas())?;
    subject.look_over(program, &formulas)?;
    Ok(formulas)
}
