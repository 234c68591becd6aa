//! The flaws of the published algorithms, each with its smallest known witness: nothing is lost here, and something is in
//! the published form.

use std::collections::HashSet;

use threadbare_core::{Fingerprint, Machine};
use threadbare_pl::{Code, Expr, Instr, ModelMachine, Program};

use super::Settings;
use super::depth_first::{Rule, depth_first};
use super::dpor::{Dpor, Form, SOUND};
use super::graph;
use super::scale::cb::ContextBounding;
use super::scale::filters::{Filter, Memory};
use super::scale::nsb::not_seen_before;
use super::scale::{self, ss};
use super::sdpor;
use super::spor::StatefulSpor;
use super::stateful::Stateful;
use super::superstep::{self, StatefulSuperstep};
use crate::crew::Alone;
use crate::oracle::{self, trace_hash, trace_of};
use crate::path::Path;
use crate::search::{End, Flow, Search, Totals};

/// Threads side by side: a first one creates the others.
fn side_by_side(threads: &[&[Instr]]) -> Program {
    let creates = (1..=threads.len()).map(Instr::Create).collect();
    let mut all = vec![Code(creates)];
    all.extend(threads.iter().map(|code| Code(code.to_vec())));
    Program { variables: vec![0; 4], mutexes: 1, rwlocks: 1, threads: all, ..Program::default() }
}

#[derive(Default)]
struct Collect {
    traces: HashSet<u64>,
    ends: HashSet<Fingerprint>,
    failed: bool,
}

impl Search<ModelMachine<'_>> for Collect {
    fn end(&mut self, machine: &mut ModelMachine<'_>, path: &Path, end: End) -> Flow {
        self.failed |= machine.state.failed;
        if !matches!(end, End::Redundant | End::Bound) {
            self.traces.insert(trace_hash(&trace_of(path)));
            self.ends.insert(machine.fingerprint().expect("exact"));
        }
        Flow::Continue
    }
}

fn explore<R>(program: &Program, settings: &Settings, rule: impl Fn() -> R + Sync) -> (Collect, Totals)
where
    R: for<'p> Rule<ModelMachine<'p>>,
{
    let mut collect = Collect::default();
    let totals = depth_first(&Alone, &mut ModelMachine::new(program), settings, &mut collect, rule).totals;
    (collect, totals)
}

/// How many traces brute force, `dpor` with all remedies and a form without one of them find.
fn traces(program: &Program, sleeps: bool, form: Form) -> [usize; 3] {
    let truth = oracle::traces(&mut ModelMachine::new(program), 100_000).expect("few traces");
    let found = |form| explore(program, &Settings::default(), || Dpor { sleeps, form }).0.traces.len();
    [truth.traces.len(), found(SOUND), found(form)]
}

#[test]
fn operations_that_cannot_go_on_race() {
    let program = side_by_side(&[&[Instr::Lock(0)], &[Instr::Lock(0)]]);
    for sleeps in [false, true] {
        assert_eq!(traces(&program, sleeps, Form { compares_disabled: false, ..SOUND }), [2, 2, 1]);
    }
}

#[test]
fn an_unlock_does_not_hide_the_lock_before_it() {
    let program = side_by_side(&[&[Instr::Lock(0), Instr::Unlock(0)], &[Instr::Lock(0)]]);
    for sleeps in [false, true] {
        let published = Form { compares_disabled: false, passes_over_releases: false, ..SOUND };
        assert_eq!(traces(&program, sleeps, published), [2, 2, 1]);
        // Either remedy is enough here.
        assert_eq!(traces(&program, sleeps, Form { passes_over_releases: false, ..SOUND }), [2, 2, 2]);
        assert_eq!(traces(&program, sleeps, Form { compares_disabled: false, ..SOUND }), [2, 2, 2]);
    }
}

/// An unlock by who does not hold the mutex fails, and can happen before and after the lock of another thread.
#[test]
fn an_unlock_that_fails_releases_nothing() {
    let mut program = side_by_side(&[&[Instr::Unlock(0)], &[Instr::Lock(0), Instr::Unlock(0)]]);
    program.error_checks = true;
    for sleeps in [false, true] {
        assert_eq!(traces(&program, sleeps, SOUND), [3, 3, 3]);
    }
}

#[test]
fn a_writer_goes_before_several_readers() {
    let program = side_by_side(&[&[Instr::ReadLock(0)], &[Instr::ReadLock(0)], &[Instr::WriteLock(0)]]);
    for sleeps in [false, true] {
        assert_eq!(traces(&program, sleeps, Form { compares_disabled: false, ..SOUND }), [2, 2, 1]);
    }
}

/// x = 1 ‖ a; r = x ‖ b; r = x: the trace in which the write comes between the reads, that of the last thread first.
#[test]
fn a_thread_that_sleeps_does_not_stand_for_what_it_conflicts_with() {
    let reader = |other| [Instr::Store(other, Expr::Const(1)), Instr::Load(2, 0)];
    let program = side_by_side(&[&[Instr::Store(0, Expr::Const(1))], &reader(1), &reader(2)]);
    assert_eq!(traces(&program, true, Form { expands_where_asleep: false, ..SOUND }), [4, 4, 3]);
}

/// A thread that writes for ever conflicts with nobody, and everybody else is ignored.
#[test]
fn nobody_is_ignored_on_a_cycle() {
    let for_ever = [Instr::Store(0, Expr::Const(0)), Instr::JumpIf(Expr::Const(1), 0)];
    let fails = [Instr::Store(1, Expr::Const(1)), Instr::Assert(Expr::Const(0))];
    let program = side_by_side(&[&for_ever, &fails]);
    let settings = Settings::default();
    let failed = |proviso| {
        let rule = || {
            let mut rule = StatefulSpor::new(&settings);
            rule.proviso = proviso;
            rule
        };
        explore(&program, &settings, rule).0.failed
    };
    assert_eq!((failed(true), failed(false)), (true, false));
}

/// choose r; if (!r) { x = 1; x = 0; } r = 0; y = 1; assert(0): within four steps only by the short way, and the long one
/// comes first.
#[test]
fn a_late_visit_does_not_hide_an_early_one() {
    let code = [
        Instr::Choose(2, 2),
        Instr::JumpIf(Expr::Differ(2, 0), 4),
        Instr::Store(0, Expr::Const(1)),
        Instr::Store(0, Expr::Const(0)),
        Instr::Set(2, Expr::Const(0)),
        Instr::Store(1, Expr::Const(1)),
        Instr::Store(2, Expr::Const(1)),
        Instr::Assert(Expr::Const(0)),
    ];
    let program = Program { variables: vec![0; 3], threads: vec![Code(code.to_vec())], ..Program::default() };
    let bounded = Settings { depth_bound: 4, ..Settings::default() };
    let failed = |noted: &Settings| explore(&program, &bounded, || Stateful::new(noted)).0.failed;
    assert_eq!((failed(&bounded), failed(&Settings::default())), (true, false));
}

/// How many traces brute force, `scale` with the sound form of super steps and another form find.
fn traces_by_super_steps(program: &Program, form: superstep::Form) -> [usize; 3] {
    let truth = oracle::traces(&mut ModelMachine::new(program), 100_000).expect("few traces");
    let found = |form: superstep::Form| {
        let mut collect = Collect::default();
        let chain =
            || -> Vec<Box<dyn Filter>> { vec![not_seen_before(Memory::Hashes), Box::new(ss::SuperStepPor::new(form))] };
        scale::with_chain(&mut ModelMachine::new(program), &Settings::default(), &mut collect, chain);
        collect.traces.len()
    };
    [truth.traces.len(), found(superstep::SOUND), found(form)]
}

/// create; create; post s; x = 1 ‖ post s; r = x ‖ wait s
#[test]
fn two_super_steps_together_let_a_third_thread_go_on() {
    let main = [Instr::Create(1), Instr::Create(2), Instr::Post(0), Instr::Store(0, Expr::Const(1))];
    let threads: [&[Instr]; 3] = [&main, &[Instr::Post(0), Instr::Load(2, 0)], &[Instr::SemWait(0)]];
    let threads = threads.iter().map(|code| Code(code.to_vec())).collect();
    let program = Program { variables: vec![0], semaphores: vec![0], threads, ..Program::default() };
    assert_eq!(traces_by_super_steps(&program, superstep::Form { sees_waiting: false, ..superstep::SOUND }), [6, 6, 5]);
}

/// r = x ‖ x = 1; x = 2 ‖ r = x; r = x
#[test]
fn what_was_seen_elsewhere_still_conflicts() {
    let (read, write) = (Instr::Load(2, 0), |value| Instr::Store(0, Expr::Const(value)));
    let program = side_by_side(&[&[read], &[write(1), write(2)], &[read, read]]);
    assert_eq!(traces_by_super_steps(&program, superstep::Form { sees_all: false, ..superstep::SOUND }), [18, 18, 17]);
}

/// r = y; x = 1 ‖ r = x; x = 2
#[test]
fn an_expensive_visit_does_not_hide_a_cheap_one() {
    let program = side_by_side(&[
        &[Instr::Load(2, 1), Instr::Store(0, Expr::Const(1))],
        &[Instr::Load(2, 0), Instr::Store(0, Expr::Const(2))],
    ]);
    let ends = |keeps_apart| {
        let mut collect = Collect::default();
        let chain = || -> Vec<Box<dyn Filter>> {
            let mut cb = ContextBounding::new(1);
            cb.keeps_apart = keeps_apart;
            vec![not_seen_before(Memory::Hashes), Box::new(cb)]
        };
        scale::with_chain(&mut ModelMachine::new(&program), &Settings::default(), &mut collect, chain);
        collect.ends.len()
    };
    assert_eq!((ends(true), ends(false)), (3, 2));
}

/// A reader that looks at x before and after y until it has not changed, a writer of x that holds a lock, and one that
/// counts y up: the smallest program that is known.
#[test]
fn a_node_inside_a_super_step_is_not_done_with() {
    let reader = [
        Instr::Create(1),
        Instr::Create(2),
        Instr::Set(0, Expr::Const(0)),
        Instr::Set(1, Expr::Const(0)),
        Instr::Load(0, 0),
        Instr::Load(3, 1),
        Instr::Load(1, 0),
        Instr::JumpIf(Expr::RegsDiffer(0, 1), 2),
    ];
    let writer = [
        Instr::Set(0, Expr::Const(0)),
        Instr::Set(1, Expr::Const(0)),
        Instr::TryLock(0, 0),
        Instr::JumpIf(Expr::Equal(0, 0), 0),
        Instr::Store(0, Expr::Const(1)),
        Instr::Unlock(0),
        Instr::Free(0),
        Instr::Exit,
    ];
    let counter = [
        Instr::Set(0, Expr::Const(0)),
        Instr::Set(1, Expr::Const(0)),
        Instr::Load(0, 1),
        Instr::CompareExchange(1, 1, Expr::Reg(0), Expr::Plus(0, 1)),
        Instr::JumpIf(Expr::Equal(1, 0), 0),
    ];
    let threads: [&[Instr]; 3] = [&reader, &writer, &counter];
    let threads = threads.iter().map(|code| Code(code.to_vec())).collect();
    let program = Program { variables: vec![0; 2], mutexes: 1, blocks: 1, threads, ..Program::default() };
    assert_eq!(traces_by_super_steps(&program, superstep::Form { says_in_part: false, ..superstep::SOUND }), [7, 7, 6]);
}

/// What `sdpor` with all remedies finds, and a form without one of them.
fn by_sdpor(program: &Program, form: sdpor::Form) -> [Collect; 2] {
    [sdpor::SOUND, form].map(|form| {
        let mut collect = Collect::default();
        sdpor::in_form(&mut ModelMachine::new(program), &Settings::default(), &mut collect, form);
        collect
    })
}

/// x = 1 ‖ r = y; s = x ‖ r = x
#[test]
fn a_visited_state_may_still_have_something_to_tell() {
    let (write, read) = (Instr::Store(0, Expr::Const(1)), Instr::Load(3, 0));
    let program = side_by_side(&[&[write], &[Instr::Load(2, 1), read], &[read]]);
    let truth = oracle::states(&mut ModelMachine::new(&program), 10_000).expect("few states");
    let found = by_sdpor(&program, sdpor::Form { looks_again: false, ..sdpor::SOUND });
    assert_eq!([truth.ends.len(), found[0].ends.len(), found[1].ends.len()], [4, 4, 3]);
}

#[test]
fn nobody_is_ignored_on_a_cycle_of_stored_states() {
    let for_ever = [Instr::Store(0, Expr::Const(0)), Instr::JumpIf(Expr::Const(1), 0)];
    let fails = [Instr::Store(1, Expr::Const(1)), Instr::Assert(Expr::Const(0))];
    let program = side_by_side(&[&for_ever, &fails]);
    let found = by_sdpor(&program, sdpor::Form { proviso: false, ..sdpor::SOUND });
    assert_eq!(found.map(|found| found.failed), [true, false]);
}

#[test]
fn operations_that_cannot_go_on_count_for_stored_states() {
    let program = side_by_side(&[&[Instr::Lock(0)], &[Instr::Lock(0)]]);
    let found = by_sdpor(&program, sdpor::Form { compares_disabled: false, ..sdpor::SOUND });
    assert_eq!(found.map(|found| found.ends.len()), [2, 1]);
}

#[test]
fn nobody_is_ignored_on_a_cycle_of_the_state_graph() {
    let for_ever = [Instr::Store(0, Expr::Const(0)), Instr::JumpIf(Expr::Const(1), 0)];
    let fails = [Instr::Store(1, Expr::Const(1)), Instr::Assert(Expr::Const(0))];
    let program = side_by_side(&[&for_ever, &fails]);
    let fails = |proviso| {
        let mut collect = Collect::default();
        let (mut machine, settings) = (ModelMachine::new(&program), Settings::default());
        graph::in_form(&Alone, &mut machine, &settings, &mut collect, graph::Form { proviso });
        collect.failed
    };
    assert_eq!([true, false].map(fails), [true, false]);
}

/// create; create; x = 1 ‖ post s; y = 1 ‖ wait s; r = x; t = y
#[test]
fn two_super_steps_together_let_a_third_thread_go_on_between_stored_states() {
    let main = [Instr::Create(1), Instr::Create(2), Instr::Store(0, Expr::Const(1))];
    let poster = [Instr::Post(0), Instr::Store(1, Expr::Const(1))];
    let waiter = [Instr::SemWait(0), Instr::Load(2, 0), Instr::Load(3, 1)];
    let threads: [&[Instr]; 3] = [&main, &poster, &waiter];
    let threads = threads.iter().map(|code| Code(code.to_vec())).collect();
    let program = Program { variables: vec![0; 2], semaphores: vec![0], threads, ..Program::default() };
    let settings = Settings::default();
    let ends = |form| explore(&program, &settings, || StatefulSuperstep::new(&settings, form)).0.ends.len();
    let truth = oracle::states(&mut ModelMachine::new(&program), 10_000).expect("few states");
    let published = superstep::Form { sees_waiting: false, ..superstep::SOUND };
    assert_eq!([truth.ends.len(), ends(superstep::SOUND), ends(published)], [4, 4, 3]);
}
