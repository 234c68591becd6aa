//! Lists the visible operations of a program that lie in loops that may wait. For looking.

use threadbare_vm::Sources;

fn main() {
    let files = std::env::args().skip(1).map(Into::into).collect();
    let program = threadbare_vm::load(&Sources { files, ..Sources::default() }).expect("the program loads");
    for (function, operation) in program.waiting_sites() {
        println!("{function}: {}", operation.name());
    }
}
