//! What the inner loop of a search costs: a mark, one visible operation, the way back. `steps_per_second [ROUNDS]`.
//!
//! Two threads store into atomic variables, each in a loop of its own. Three measurements, with and without fingerprints
//! kept: one step ahead and back; a tree of all schedules of some depth; straight on. With an argument it does only that
//! many rounds of the first, for an instruction counter: `valgrind --tool=callgrind … 100000`.

use std::sync::Arc;
use std::time::Instant;

use threadbare_core::{Choice, Machine, Operation, Tid};
use threadbare_vm::{Console, Program, Setup, Sources, VmMachine};

const PROGRAM: &str = r#"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *store(void *to)
{
    for (int i = 0;; i++)
        atomic_store_explicit((atomic_int *)to, i, memory_order_relaxed);
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, store, &x);
    pthread_create(&b, NULL, store, &y);
    pthread_join(a, NULL);
    return pthread_join(b, NULL);
}
"#;

const THREADS: [Tid; 2] = [Tid(1), Tid(2)];

/// The machine when both threads are about to store.
fn machine(program: &Arc<Program>, fingerprints: bool) -> VmMachine {
    let setup = Setup { fingerprints, ..Setup::default() };
    let mut machine =
        VmMachine::new(program.clone(), &setup, Console::Kept { input: Vec::new() }).expect("memory for the machine");
    for _ in 0..1000 {
        let live: Vec<Tid> =
            (0..machine.thread_count()).map(|i| Tid(i as u16)).filter(|&tid| Machine::is_live(&machine, tid)).collect();
        let mut next = None;
        let mut storing = 0;
        for tid in live {
            let pending = machine.pending(tid);
            if pending.operation == Operation::Store && THREADS.contains(&tid) {
                storing += 1;
            } else if let (None, Some(choice)) = (next, pending.choices.enabled().next()) {
                next = Some((tid, choice));
            }
        }
        if storing == THREADS.len() {
            return machine;
        }
        let (tid, choice) = next.expect("somebody gets on");
        machine.step(tid, choice);
    }
    unreachable!("the threads get to their loops");
}

/// One step ahead and back, over and over.
fn back_and_forth(machine: &mut VmMachine, rounds: u64) {
    let base = machine.mark();
    for i in 0..rounds {
        machine.mark();
        machine.step(THREADS[(i & 1) as usize], Choice(0));
        machine.rewind(base);
    }
}

/// All schedules of `depth` steps; gives the number of steps.
fn tree(machine: &mut VmMachine, depth: u32) -> u64 {
    if depth == 0 {
        return 0;
    }
    let here = machine.mark();
    let mut steps = 0;
    for tid in THREADS {
        machine.step(tid, Choice(0));
        steps += 1 + tree(machine, depth - 1);
        machine.rewind(here);
    }
    steps
}

/// The least time of some tries, in nanoseconds for each of the steps that one try takes.
fn measure(mut once: impl FnMut() -> u64) -> f64 {
    let tries = (0..100).map(|_| {
        let start = Instant::now();
        let steps = once();
        start.elapsed().as_nanos() as f64 / steps as f64
    });
    tries.fold(f64::INFINITY, f64::min)
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder for the program");
    let file = folder.path().join("stores.c");
    std::fs::write(&file, PROGRAM).expect("the program is written");
    let program = threadbare_vm::load(&Sources { files: vec![file], ..Sources::default() }).expect("it loads");
    let program = Arc::new(program);
    if let Some(rounds) = std::env::args().nth(1) {
        back_and_forth(&mut machine(&program, false), rounds.parse().expect("a number of rounds"));
        return;
    }
    for fingerprints in [false, true] {
        println!("{} fingerprints kept:", if fingerprints { "with" } else { "without" });
        let mut vm = machine(&program, fingerprints);
        let rounds = 20_000;
        let one = measure(|| {
            back_and_forth(&mut vm, rounds);
            rounds
        });
        println!("  mark, step, rewind            {one:7.1} ns");
        let mut vm = machine(&program, fingerprints);
        let all = measure(|| tree(&mut vm, 13));
        println!("  a step in a tree of schedules {all:7.1} ns");
        let mut vm = machine(&program, fingerprints);
        let ahead = measure(|| {
            for i in 0..rounds {
                vm.step(THREADS[(i & 1) as usize], Choice(0));
            }
            rounds
        });
        println!("  a step straight on            {ahead:7.1} ns");
    }
}
