//! Minimised schedules of random programs: still wrong, never longer, never more preemptions.

use std::time::Duration;

use threadbare_core::{Choice, Machine, Tid};
use threadbare_explore::{Cost, End, Flow, Path, Search, Settings, Strategy, could_go_on, minimise, stuck};
use threadbare_pl::{ModelMachine, generate};

/// Stops at the first end at which something is wrong.
#[derive(Default)]
struct First {
    deadlocks: bool,
    found: Option<Vec<(Tid, Choice)>>,
}

impl Search<ModelMachine<'_>> for First {
    fn end(&mut self, machine: &mut ModelMachine<'_>, path: &Path, end: End) -> Flow {
        let wrong = if self.deadlocks { matches!(end, End::Stuck(_)) } else { machine.state.failed };
        if !wrong {
            return Flow::Continue;
        }
        self.found = Some(path.events.iter().map(|event| (event.label.tid, event.label.choice)).collect());
        Flow::Stop
    }
}

/// What a schedule costs, if all its steps can be taken and the last one shows the bug.
fn cost(
    machine: &mut ModelMachine<'_>,
    steps: &[(Tid, Choice)],
    mut shows: impl FnMut(&mut ModelMachine<'_>) -> bool,
) -> Option<Cost> {
    let mut preemptions = 0;
    let mut last: Option<Tid> = None;
    for &(tid, choice) in steps {
        if !machine.is_live(tid) || !machine.pending(tid).choices.is_enabled(choice) {
            return None;
        }
        preemptions += usize::from(last.is_some_and(|last| last != tid && could_go_on(machine, last)));
        machine.step(tid, choice);
        last = Some(tid);
    }
    shows(machine).then_some(Cost { preemptions, steps: steps.len() })
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn a_minimised_schedule_still_fails_and_is_never_worse() {
    let cases = setting("TB_FUZZ_CASES", 150);
    let (mut seed, mut bugs, mut before, mut after) = (setting("TB_FUZZ_SEED", 0), 0, 0, 0);
    while bugs < cases {
        seed += 1;
        let program = generate(seed, false);
        for deadlocks in [false, true] {
            let mut machine = ModelMachine::new(&program);
            let mut first = First { deadlocks, found: None };
            let mut count = 0;
            Strategy::Optimal.run(
                &mut machine,
                &Settings { depth_bound: 60, ..Settings::default() },
                &mut Limited(&mut first, &mut count),
            );
            let Some(steps) = first.found else { continue };
            bugs += 1;
            let shows = |m: &mut ModelMachine<'_>| if deadlocks { stuck(m).is_some() } else { m.state.failed };
            let given = cost(&mut ModelMachine::new(&program), &steps, shows)
                .unwrap_or_else(|| panic!("seed {seed}: the schedule that was found does not replay"));
            let mut machine = ModelMachine::new(&program);
            let (short, said) = minimise(&mut machine, &steps, shows, Duration::from_millis(20))
                .unwrap_or_else(|| panic!("seed {seed}: nothing to minimise"));
            let real = cost(&mut ModelMachine::new(&program), &short, shows)
                .unwrap_or_else(|| panic!("seed {seed}: the minimised schedule does not show the bug"));
            assert_eq!(real, said, "seed {seed}");
            assert!(
                real.steps <= given.steps && real.preemptions <= given.preemptions,
                "seed {seed}: {given:?} {real:?}"
            );
            before += given.steps;
            after += real.steps;
        }
    }
    println!("{bugs} bugs, {before} steps before, {after} after");
    assert!(after < before);
}

/// A search that gives up after a thousand ends.
struct Limited<'a>(&'a mut First, &'a mut u32);

impl Search<ModelMachine<'_>> for Limited<'_> {
    fn end(&mut self, machine: &mut ModelMachine<'_>, path: &Path, end: End) -> Flow {
        *self.1 += 1;
        if *self.1 > 1000 { Flow::Stop } else { self.0.end(machine, path, end) }
    }
}

/// The least cost of all schedules of at most so many steps, if there are few enough of them.
struct Brute<'a> {
    shows: &'a dyn Fn(&mut ModelMachine<'_>) -> bool,
    best: Option<Cost>,
    longest: usize,
    nodes: u32,
}

impl Brute<'_> {
    fn search(&mut self, machine: &mut ModelMachine<'_>, last: Option<Tid>, so_far: Cost) {
        self.nodes += 1;
        if (self.shows)(machine) {
            self.best = Some(self.best.map_or(so_far, |best| best.min(so_far)));
            return;
        }
        if so_far.steps == self.longest || self.nodes > 30_000 || machine.ending().is_some() {
            return;
        }
        let preempted = last.is_some_and(|last| could_go_on(machine, last));
        for pending in machine.all_pending() {
            let preemptions = so_far.preemptions + usize::from(preempted && Some(pending.tid) != last);
            for choice in pending.choices.enabled() {
                let mark = machine.mark();
                machine.step(pending.tid, choice);
                self.search(machine, Some(pending.tid), Cost { preemptions, steps: so_far.steps + 1 });
                machine.rewind(mark);
            }
        }
    }
}

#[test]
fn with_enough_time_nothing_is_better() {
    let cases = setting("TB_FUZZ_CASES", 60);
    let (mut seed, mut bugs) = (setting("TB_FUZZ_SEED", 0), 0);
    while bugs < cases {
        seed += 1;
        let program = generate(seed, false);
        for deadlocks in [false, true] {
            let mut first = First { deadlocks, found: None };
            let mut count = 0;
            Strategy::Optimal.run(
                &mut ModelMachine::new(&program),
                &Settings { depth_bound: 12, ..Settings::default() },
                &mut Limited(&mut first, &mut count),
            );
            let Some(steps) = first.found else { continue };
            let shows = move |m: &mut ModelMachine<'_>| if deadlocks { stuck(m).is_some() } else { m.state.failed };
            let mut brute = Brute { shows: &shows, best: None, longest: steps.len(), nodes: 0 };
            brute.search(&mut ModelMachine::new(&program), None, Cost { preemptions: 0, steps: 0 });
            if brute.nodes > 30_000 {
                continue;
            }
            bugs += 1;
            let (_, cost) = minimise(&mut ModelMachine::new(&program), &steps, shows, Duration::from_secs(5))
                .unwrap_or_else(|| panic!("seed {seed}: nothing to minimise"));
            assert_eq!(Some(cost), brute.best, "seed {seed}");
        }
    }
}
