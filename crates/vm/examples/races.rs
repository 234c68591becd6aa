//! What race detection costs a search: random walks with a mark a step, and back again.
//!
//!   cargo run --release -p threadbare-vm --example races -- FILE.c

use std::sync::Arc;

use threadbare_core::{Machine, Step};
use threadbare_vm::{Console, Program, Setup, Sources, VmMachine};

const WALKS: usize = 100;
const STEPS: usize = 2_000;

/// Steps, and nanoseconds a step.
fn walk(program: &Arc<Program>, races: bool) -> (usize, f64) {
    let setup = Setup { races, arguments: vec!["program".into()], ..Setup::default() };
    let console = Console::Kept { input: Vec::new() };
    let mut machine = VmMachine::new(program.clone(), &setup, console).expect("memory for the machine");
    let start = machine.mark();
    let mut state = 88_172_645_463_325_252u64;
    let mut steps = 0;
    let began = processor_time();
    for _ in 0..WALKS {
        machine.rewind(start);
        for _ in 0..STEPS {
            machine.mark();
            let pending = machine.all_pending();
            let enabled: Vec<_> =
                pending.iter().filter_map(|p| p.choices.enabled().next().map(|choice| (p.tid, choice))).collect();
            if enabled.is_empty() {
                break;
            }
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let (tid, choice) = enabled[(state % enabled.len() as u64) as usize];
            steps += 1;
            if machine.step(tid, choice) == Step::Ended {
                break;
            }
        }
    }
    (steps, (processor_time() - began) * 1e9 / steps as f64)
}

/// Seconds of this process, so that others on the machine hardly matter.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("a Linux system");
    let nanoseconds: u64 = text.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    nanoseconds as f64 / 1e9
}

fn main() {
    let files = std::env::args().skip(1).map(Into::into).collect();
    let program = Arc::new(threadbare_vm::load(&Sources { files, ..Sources::default() }).expect("the program loads"));
    for _ in 0..3 {
        let (steps, without) = walk(&program, false);
        let (_, with) = walk(&program, true);
        println!("{steps} steps: {without:.0} ns a step without, {with:.0} ns with race detection");
    }
}
