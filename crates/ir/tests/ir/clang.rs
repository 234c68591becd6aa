//! What clang writes for rich C programs at every level of optimisation is read completely: the counts of functions,
//! blocks and instructions equal those that a plain look at the lines gives.

use std::path::Path;
use std::process::Command;

use threadbare_ir::{InstKind, Module, parse_bytes};

pub const PROGRAMS: &[&str] = &["atomics.c", "control.c", "data.c", "numbers.c"];

/// The text that clang prints for a program of `tests/c`.
pub fn compile(program: &str, flags: &[&str]) -> Vec<u8> {
    let clang = std::env::var("TB_CLANG").unwrap_or_else(|_| "clang-19".to_owned());
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let output = Command::new(&clang)
        .current_dir(directory)
        .args(["-std=gnu17", "-w", "-S", "-emit-llvm", "-o", "-"])
        .args(flags)
        .arg(program)
        .output()
        .unwrap_or_else(|error| panic!("these tests need {clang} (set TB_CLANG for another): {error}"));
    assert!(output.status.success(), "{program} {flags:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[derive(PartialEq, Eq, Debug, Default)]
struct Counts {
    functions: usize,
    globals: usize,
    blocks: usize,
    insts: usize,
    records: usize,
    metadata: usize,
}

fn counts_of_module(module: &Module) -> Counts {
    let blocks = module.functions.iter().flat_map(|function| &function.blocks);
    let all: Vec<_> = blocks.clone().flat_map(|block| &block.insts).collect();
    let records = all.iter().filter(|inst| matches!(inst.kind, InstKind::Dbg(_))).count();
    Counts {
        functions: module.functions.len(),
        globals: module.globals.len() + module.aliases.len(),
        blocks: blocks.count(),
        insts: all.len() - records,
        records,
        metadata: module.metadata.len(),
    }
}

/// Counts lines by how LLVM lays them out, knowing nothing of the grammar.
fn counts_of_lines(text: &str) -> Counts {
    let mut counts = Counts::default();
    let mut in_body = false;
    let mut block_open = false;
    let mut in_cases = false;
    for line in text.lines() {
        if line.starts_with("define ") || line.starts_with("declare ") {
            counts.functions += 1;
            in_body = line.starts_with("define ");
            block_open = false;
        } else if line == "}" {
            in_body = false;
        } else if in_body {
            if in_cases {
                in_cases = !line.trim_start().starts_with(']');
            } else if line.trim_start().starts_with("#dbg_") {
                counts.records += 1;
            } else if line.starts_with("  ") {
                // The first block of a function has no label unless it has a name.
                counts.blocks += usize::from(!block_open);
                block_open = true;
                counts.insts += 1;
                in_cases = line.ends_with('[');
            } else if !line.is_empty() && !line.starts_with(';') {
                counts.blocks += 1;
                block_open = true;
            }
        } else if line.starts_with('@') {
            counts.globals += 1;
        } else if line.starts_with('!') && line.as_bytes()[1].is_ascii_digit() {
            counts.metadata += 1;
        }
    }
    counts
}

fn check(program: &str, flags: &[&str]) {
    let text = compile(program, flags);
    let module = parse_bytes(&text).unwrap_or_else(|error| panic!("{program} {flags:?}: {error}"));
    let expected = counts_of_lines(&String::from_utf8_lossy(&text));
    assert!(expected.insts > 100, "the lines were not understood: {expected:?}");
    assert_eq!(counts_of_module(&module), expected, "{program} {flags:?}");
}

#[test]
fn every_level_of_optimisation() {
    for program in PROGRAMS {
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            check(program, &[level]);
            check(program, &[level, "-g"]);
        }
    }
}

/// Flags that bring in other words: sanitizers, hardening, profiles, other kinds of debug information.
#[test]
fn other_flags() {
    let table: &[&[&str]] = &[
        &["-O0", "-g", "-Xclang", "-disable-O0-optnone"],
        &["-O2", "-g", "-fno-vectorize", "-fno-slp-vectorize"],
        &["-O2", "-march=x86-64-v4", "-ffast-math"],
        &["-O1", "-g", "-fsanitize=thread"],
        &["-O1", "-fsanitize=undefined"],
        &["-O1", "-g", "-fsanitize=address"],
        &["-O2", "-g3", "-fdebug-macro", "-fPIC", "-fvisibility=hidden"],
        &["-O2", "-g", "-flto=thin"],
        &["-O2", "-ftrivial-auto-var-init=pattern", "-fstack-protector-strong", "-fcf-protection=full"],
        &["-O2", "-fprofile-instr-generate", "-fcoverage-mapping"],
        &["-O2", "-ffp-model=strict", "-fno-discard-value-names"],
        &["-O2", "-g", "-Xclang", "-fexperimental-assignment-tracking=forced"],
    ];
    for flags in table {
        for program in PROGRAMS {
            check(program, flags);
        }
    }
}
