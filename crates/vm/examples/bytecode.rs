//! Prints the bytecode of functions: `bytecode FILE [FUNCTION…]`, all of the program's own if none is named. For looking.

use threadbare_vm::Sources;

fn main() {
    let mut args = std::env::args().skip(1);
    let files = args.next().into_iter().map(Into::into).collect();
    let program = threadbare_vm::load(&Sources { files, ..Sources::default() }).expect("the program loads");
    let names: Vec<String> = args.collect();
    for function in &program.functions {
        let wanted =
            if names.is_empty() { !function.library } else { names.iter().any(|name| **name == *function.name) };
        if wanted {
            println!("{}: {} slots, {} of them parameters", function.name, function.slots, function.param_slots);
            for (pc, op) in function.code.iter().enumerate() {
                println!("{pc:5}  {op:?}");
            }
        }
    }
}
