//! Parses `.ll` files and prints what they hold and how long it took: `cargo run --release --example llparse -- a.ll`.

use std::process::ExitCode;
use std::time::Instant;

use threadbare_ir::{InstKind, parse_bytes};

fn main() -> ExitCode {
    let mut failed = false;
    for path in std::env::args().skip(1) {
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{path}: {error}");
                failed = true;
                continue;
            }
        };
        let start = Instant::now();
        match parse_bytes(&text) {
            Ok(module) => {
                let elapsed = start.elapsed();
                let blocks = module.functions.iter().flat_map(|function| &function.blocks);
                let insts = blocks.clone().flat_map(|block| &block.insts);
                let (records, insts): (Vec<_>, Vec<_>) = insts.partition(|inst| matches!(inst.kind, InstKind::Dbg(_)));
                println!(
                    "{path}: {} functions, {} blocks, {} instructions, {} debug records, {} globals, {} metadata \
                     nodes, {:.1} MB in {:.3} s",
                    module.functions.len(),
                    blocks.count(),
                    insts.len(),
                    records.len(),
                    module.globals.len(),
                    module.metadata.len(),
                    text.len() as f64 / 1e6,
                    elapsed.as_secs_f64(),
                );
            }
            Err(error) => {
                eprintln!("{path}:{error}");
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
