//! What `may_access` promises: whatever a thread touches was in every set that it was said to have before.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use threadbare_core::{Access, AccessSet, Choice, Choices, Machine, Mode, Operation, Random, Space, Step, Tid};
use threadbare_vm::{Console, Limits, Program, Setup, Sources, VmMachine, load};

fn machine(program: &Arc<Program>) -> VmMachine {
    let limits = Limits { local_steps: 5_000_000, memory: 256 << 20, stack_frames: 5_000 };
    let setup = Setup { limits, arguments: vec!["program".into()], ..Setup::default() };
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
    let mut random = Random::new(seed);
    let mut promised: Vec<Vec<AccessSet>> = Vec::new();
    let mut checks = 0;
    for step in 0..most_steps {
        let pending = machine.all_pending();
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
        let wrong =
            |what: String| Err(format!("{name}, seed {seed}, step {step}, {tid:?}, {}: {what}", operation.name()));
        let others: Vec<Tid> = pending.iter().map(|p| p.tid).filter(|&other| other != tid).collect();
        for access in &machine.accesses(tid, choice) {
            // A null pointer is an error, not an access; own variables are in no set.
            let in_memory = access.space <= Space::Once && access.space != Space::Wake;
            let nothing = machine.memory().object_at(access.address).is_none();
            if in_memory && (nothing || machine.is_own(tid, access.address)) {
                continue;
            }
            for set in sets.iter().chain([&now]) {
                checks += 1;
                if !set.contains(access) {
                    return wrong(format!("{access:x?} ({}) is not in the set", machine.name_of(access.address)));
                }
            }
        }
        let mark = machine.mark();
        let ended = machine.step(tid, choice) == Step::Ended;
        // The last thread goes on after its end.
        if operation == Operation::ThreadEnd && !ended && machine.all_pending().iter().any(|p| p.tid == tid) {
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
                    let sources = Sources {
                        files: vec![file.clone()],
                        clang_flags,
                        optimisation,
                        every_access: false,
                        exploring: false,
                        ..Sources::default()
                    };
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
    assert!(checks > files.len() * 10, "only {checks} checks");
}

#[test]
fn threads_touch_what_was_said_before() {
    let sample: Vec<PathBuf> = programs("mt").into_iter().step_by(4).collect();
    check_all(&sample, 0, 3, 1500);
}

#[test]
fn addresses_are_followed_wherever_they_go() {
    for optimisation in [0, 2] {
        check_all(&programs("../../crates/vm/tests/may_access"), optimisation, 20, 5000);
    }
}

#[test]
#[ignore = "takes minutes"]
fn threads_of_all_programs_touch_what_was_said_before() {
    for (folder, seeds) in [("mt", 5), ("ok", 3), ("err", 3), ("seq", 1)] {
        for optimisation in [0, 2] {
            check_all(&programs(folder), optimisation, seeds, 5000);
        }
    }
}

/// A machine whose threads 0.0 and 0.1 stand at their first visible operation within `left` and `right`. Theirs are the
/// numbers 1 and 2.
fn two_threads(source: &str) -> VmMachine {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("two.c");
    let main = "
        int main(void) {
            pthread_t t, u;
            pthread_create(&t, 0, left, 0);
            pthread_create(&u, 0, right, 0);
            pthread_join(t, 0);
            pthread_join(u, 0);
            return 0;
        }";
    let head = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n";
    std::fs::write(&file, format!("{head}{source}{main}")).expect("written");
    let program = load(&Sources { files: vec![file], ..Sources::default() }).expect("it compiles");
    let mut machine = machine(&Arc::new(program));
    let inside = |machine: &VmMachine, tid: Tid, name: &str| {
        machine.live_threads().any(|live| live == tid)
            && machine
                .thread(tid)
                .frames
                .iter()
                .any(|f| &*machine.program().functions[f.function as usize].name == name)
    };
    while !inside(&machine, Tid(2), "right") {
        let pending = machine.all_pending();
        let tid = if pending.len() == 3 && inside(&machine, Tid(1), "left") {
            Tid(2)
        } else if pending.len() > 1 && !inside(&machine, Tid(1), "left") {
            Tid(1)
        } else {
            Tid::MAIN
        };
        assert_ne!(machine.step(tid, Choice(0)), Step::Ended);
    }
    machine
}

#[test]
fn sets_of_two_threads_conflict_only_where_they_must() {
    let lock = "static int add(pthread_mutex_t *m, int *x) {
        pthread_mutex_lock(m); int old = (*x)++; pthread_mutex_unlock(m); return old; }";
    for (what, conflict, source) in [
        (
            "different globals",
            false,
            "static atomic_int a, b;
             static void *left(void *x) { a = 1; a++; return 0; }
             static void *right(void *x) { b = 2; b--; return 0; }",
        ),
        (
            "the same global",
            true,
            "static atomic_int a;
             static void *left(void *x) { a = 1; a++; return 0; }
             static void *right(void *x) { a = 2; return 0; }",
        ),
        (
            "both read",
            false,
            "static atomic_int a;
             static void *left(void *x) { return a ? (void *)&a : 0; }
             static void *right(void *x) { return a ? (void *)&a : 0; }",
        ),
        (
            "plain accesses after a visible one",
            true,
            "static atomic_int a, b; static int c;
             static void *left(void *x) { a = 1; c = 1; return 0; }
             static void *right(void *x) { b = 2; c = 2; return 0; }",
        ),
        (
            "plain accesses before it are over",
            false,
            "static atomic_int a, b; static int c;
             static void *left(void *x) { c = 1; a = 1; return 0; }
             static void *right(void *x) { c = 2; b = 2; return 0; }",
        ),
        (
            "an escaping pointer",
            true,
            "static atomic_int a, b; static atomic_int *_Atomic p = &b;
             static void *left(void *x) { a = 1; *p = 1; return 0; }
             static void *right(void *x) { b = 2; b++; return 0; }",
        ),
        (
            "a pointer that goes nowhere near",
            false,
            "static atomic_int a, b, c; static atomic_int *_Atomic p = &c;
             static void *left(void *x) { a = 1; *p = 1; return 0; }
             static void *right(void *x) { b = 2; b++; return 0; }",
        ),
        (
            "locks and what they guard, as parameters",
            false,
            "static pthread_mutex_t m, n; static int a, b; LOCK
             static void *left(void *x) { add(&m, &a); add(&m, &a); return 0; }
             static void *right(void *x) { add(&n, &b); add(&n, &b); return 0; }",
        ),
        (
            "one lock",
            true,
            "static pthread_mutex_t m; static int a, b; LOCK
             static void *left(void *x) { add(&m, &a); return 0; }
             static void *right(void *x) { add(&m, &b); return 0; }",
        ),
        (
            "own variables",
            false,
            "static pthread_mutex_t m, n; LOCK
             static void *left(void *x) { int own[4] = {0}; add(&m, &own[2]); add(&m, own); return 0; }
             static void *right(void *x) { int own[4] = {0}; add(&n, &own[2]); add(&n, own); return 0; }",
        ),
        (
            "the heap",
            true,
            "static atomic_int a, b;
             static void *left(void *x) { a = 1; free(malloc(1)); return 0; }
             static void *right(void *x) { b = 2; int *p = malloc(4); *p = 1; return 0; }",
        ),
        (
            "the end of the process",
            true,
            "static atomic_int a, b;
             static void *left(void *x) { a = 1; if (a == 2) exit(1); return 0; }
             static void *right(void *x) { b = 2; b--; return 0; }",
        ),
        (
            "a jump back",
            true,
            "#include <setjmp.h>
             static atomic_int a, b; static jmp_buf buffer;
             static void leap(void) { a = 1; longjmp(buffer, 1); }
             static void *left(void *x) { if (setjmp(buffer)) { b = 1; return 0; } leap(); return 0; }
             static void *right(void *x) { b = 2; return 0; }",
        ),
        (
            "keys with destructors that nobody knows",
            true,
            "static atomic_int a, b; static pthread_key_t k; static void done(void *x) { a = 5; }
             static void *left(void *x) { a = 1; pthread_key_create(&k, done); pthread_setspecific(k, &a); return 0; }
             static void *right(void *x) { b = 2; b--; return 0; }",
        ),
    ] {
        let machine = two_threads(&source.replace("LOCK", lock));
        let [left, right, main] = [1, 2, 0].map(|tid| machine.may_access(Tid(tid)).expect("known"));
        assert_eq!(left.conflicts(&right), conflict, "{what}: {left:#x?} {right:#x?}");
        assert!(main.touches_everything() && main.conflicts(&left), "{what}: main ends the process");
        assert!(!right.touches_everything() && !right.may_create(), "{what}");
    }
}
