//! What `may_access` promises: whatever a thread touches was in every set that it was said to have before.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use threadbare_core::{Access, AccessSet, Choice, Choices, Machine, Mode, Operation, Space, Step, Tid};
use threadbare_vm::{Console, Program, Setup, Sources, VmMachine, load};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

fn machine(program: &Arc<Program>) -> VmMachine {
    let setup = Setup { arguments: vec!["program".into()], ..Setup::default() };
    VmMachine::new(program.clone(), &setup, Console::Kept { input: Vec::new() }).expect("memory")
}

/// A word of memory that a step has changed: written by plain code, or as part of a synchronisation object.
fn may_change(set: &AccessSet, word: u64) -> bool {
    use Space::*;
    let at = |space, mode| set.contains(&Access { space, mode, length: 1, address: word });
    at(Memory, Mode::Write)
        || [Mutex, Cond, Semaphore, RwLock, Barrier, Once].into_iter().any(|space| at(space, Mode::Add))
}

/// How many of a thread's sets are remembered, besides the current one.
const REMEMBERED: usize = 12;

/// Runs the program once and checks every step; gives the number of checks.
fn check(name: &str, program: &Arc<Program>, seed: u64, most_steps: usize) -> Result<usize, String> {
    let mut machine = machine(program);
    let mut random = Random(seed);
    let mut promised: Vec<Vec<AccessSet>> = Vec::new();
    let mut checks = 0;
    for step in 0..most_steps {
        let pending = machine.pending();
        let mut ways: Vec<(usize, Choice)> = Vec::new();
        for (i, p) in pending.iter().enumerate() {
            match &p.choices {
                Choices::Range(n) => ways.push((i, Choice(random.below(*n as usize) as u32))),
                listed => ways.extend(listed.enabled().map(|choice| (i, choice))),
            }
        }
        if ways.is_empty() {
            break;
        }
        let (i, choice) = ways[random.below(ways.len())];
        let (tid, operation) = (pending[i].tid, pending[i].operation);
        promised.resize_with(promised.len().max(tid.index() + 1), Vec::new);
        let sets = &mut promised[tid.index()];
        let now = machine.may_access(tid).expect("the machine can tell");
        if sets.len() < REMEMBERED {
            sets.push(now.clone());
        }
        let wrong = |what: String| Err(format!("{name}, seed {seed}, step {step}, {tid:?}, {}: {what}", operation.name()));
        let others: Vec<Tid> = pending.iter().map(|p| p.tid).filter(|&other| other != tid).collect();
        for access in &pending[i].accesses {
            let own = access.space <= Space::Once && access.space != Space::Wake && machine.is_own(tid, access.address);
            for set in sets.iter().chain([&now]).filter(|_| !own) {
                checks += 1;
                if !set.contains(access) {
                    return wrong(format!("{access:x?} ({}) is not in the set", machine.name_of(access.address)));
                }
            }
        }
        let mark = machine.mark();
        let ended = machine.step(tid, choice) == Step::Ended;
        // The last thread goes on after its end.
        if operation == Operation::ThreadEnd && !ended && machine.pending().iter().any(|p| p.tid == tid) {
            sets.clear();
            continue;
        }
        for word in machine.memory().written_since(mark.0) {
            if let Some(other) = others.iter().find(|&&other| machine.is_own(other, word)) {
                return wrong(format!("{word:#x} ({}) belongs to {other:?} alone", machine.name_of(word)));
            }
            if !machine.is_own(tid, word) {
                for set in sets.iter().chain([&now]) {
                    checks += 1;
                    if !may_change(set, word) {
                        return wrong(format!("{word:#x} ({}) is written, not in the set", machine.name_of(word)));
                    }
                }
            }
        }
        if ended {
            break;
        }
    }
    Ok(checks)
}

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c").join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("readable").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    files
}

/// Checks all files on two threads.
fn check_all(files: &[PathBuf], optimisation: u8, seeds: u64, most_steps: usize) {
    let queue = Mutex::new(files.iter());
    let wrong = Mutex::new(Vec::new());
    let checks = Mutex::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(file) = queue.lock().expect("no panic").next() else { break };
                    let flags = std::fs::read_to_string(file.with_extension("flags")).unwrap_or_default();
                    let clang_flags = flags.split_whitespace().chain(["-w"]).map(str::to_string).collect();
                    let sources = Sources { files: vec![file.clone()], clang_flags, optimisation };
                    let program = Arc::new(load(&sources).expect("it compiles"));
                    let name = file.file_stem().expect("a name").to_string_lossy();
                    for seed in 0..seeds {
                        match check(&name, &program, seed, most_steps) {
                            Ok(n) => *checks.lock().expect("no panic") += n,
                            Err(what) => wrong.lock().expect("no panic").push(what),
                        }
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    let checks = checks.into_inner().expect("no panic");
    assert!(checks > files.len() * 100, "only {checks} checks");
}

#[test]
fn threads_touch_what_was_said_before() {
    let sample: Vec<PathBuf> = programs("mt").into_iter().step_by(4).collect();
    check_all(&sample, 0, 3, 1500);
}

#[test]
#[ignore = "takes minutes"]
fn threads_of_all_programs_touch_what_was_said_before() {
    for folder in ["mt", "seq", "ok", "err"] {
        for optimisation in [0, 2] {
            check_all(&programs(folder), optimisation, 5, 5000);
        }
    }
}
