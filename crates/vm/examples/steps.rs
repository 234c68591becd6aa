//! Prints the visible operations of one execution: who does what, in the order of a simple scheduler. For looking.

use std::sync::Arc;

use threadbare_core::Machine;
use threadbare_vm::{Console, Setup, Sources, VmMachine};

fn main() {
    let files = std::env::args().skip(1).map(Into::into).collect();
    let program = threadbare_vm::load(&Sources { files, ..Sources::default() }).expect("the program loads");
    let setup = Setup { fingerprints: true, ..Setup::default() };
    let console = Console::Kept { input: Vec::new() };
    let mut machine = VmMachine::new(Arc::new(program), &setup, console).expect("memory for the machine");
    while machine.ending().is_none() {
        let pending = machine.all_pending();
        let next = pending.iter().find_map(|p| p.choices.enabled().next().map(|choice| (p, choice)));
        let Some((p, choice)) = next else {
            println!("nobody can go on");
            break;
        };
        let accesses = machine.accesses(p.tid, choice);
        println!("{:8} {:20} {:x?}", machine.names().name(p.tid).to_string(), p.operation.name(), accesses.as_slice());
        machine.step(p.tid, choice);
    }
    println!("{:?}", machine.ending());
}
