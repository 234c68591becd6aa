//! The report of a bug that machine code shows is that of the virtual machine: names of objects, their parts and values, lanes and
//! notes, word by word. CI takes a part of programs/pairs, `TB_ALL_AGREEMENT=1` (`make agree-native`) all of it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Of so many programs CI takes one.
const ONE_OF: usize = 8;

/// Pairs whose reports differ, and why that is so.
const DIFFERENT: &[(&str, &str)] = &[
    ("bakery-without-choosing", "more executions, see agreement.rs"),
    ("bit-fields", "another order of threads: instrumentation reads the word that is written"),
    ("byte-of-a-word", "another order of threads: the word is written in parts"),
    ("destructor-after-destroy", "the type of a heap object is known where it is allocated"),
    ("detached-argument", "a wait that native code learns of comes to another schedule"),
    ("double-init", "what the library writes into a mutex is not told"),
    ("freed-before-grace", "another schedule of the same length"),
    ("late-hazard-pointer", "the access that comes too late is told as a read, too"),
    ("partial-deadlock", "what a thread may still touch is not known"),
    ("queue-lock-hand-over", "another schedule of the same length"),
    ("thread-local-handed-out", "the access that comes too late is told as a read, too"),
    ("time-out-ignored", "looks at the clock are steps of their own"),
    ("timed-wait", "looks at the clock are steps of their own"),
    ("unchecked-timed-lock", "looks at the clock are steps of their own"),
    ("unset-limit", "memory that was never set is no error"),
    ("wrong-mutex", "another order of threads"),
];

/// Without what machine code does not know: variables in registers, the calls that led to an access behind which a thread has gone
/// on, and which function of the library made it. And without costs. `None` if there is no bug.
fn report(file: &Path, backend: &str, more: &[&str]) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_threadbare"))
        .current_dir(root())
        .args(["check", "--strategy", "optimal", "--time-limit", "60", "--backend", backend])
        .args(more)
        .arg(file)
        .env("COLUMNS", "100")
        .output()
        .expect("threadbare starts");
    if output.status.code() != Some(1) {
        return None;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let without_library = |line: &str| match line.split_once(" (in `") {
        Some((before, after)) => before.to_string() + after.split_once("`)").map_or("", |(_, rest)| rest),
        None => line.to_string(),
    };
    let is_told = |line: &&str| !line.starts_with("  = here ") && !line.starts_with("  = called from ");
    let without_costs = |line: &str| match line.split_once(" executions, ").or(line.split_once(" execution, ")) {
        Some((before, _)) => before.to_string(),
        None => line.to_string(),
    };
    Some(text.lines().filter(is_told).map(|line| without_costs(&without_library(line)) + "\n").collect())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project")
}

fn pairs() -> Vec<PathBuf> {
    let folder = root().join("programs/pairs");
    let list = std::fs::read_dir(folder).expect("the pairs").map(|entry| entry.expect("readable").path());
    let mut list: Vec<PathBuf> = list.filter(|path| path.to_string_lossy().ends_with("-bug.c")).collect();
    list.sort();
    list
}

#[test]
fn reports_are_those_of_the_virtual_machine() {
    let all = std::env::var_os("TB_ALL_AGREEMENT").is_some();
    let is_known = |path: &Path| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        DIFFERENT.iter().any(|(known, _)| name.strip_suffix("-bug.c") == Some(known))
    };
    let programs = pairs().into_iter().enumerate().filter(|(i, path)| (all || i % ONE_OF == 0) && !is_known(path));
    let (mut wrong, mut same) = (Vec::new(), 0);
    for (_, file) in programs {
        // Some show their bugs only with options.
        let Some(vm) = report(&file, "vm", &[]) else { continue };
        let native = report(&file, "native", &[]).unwrap_or_default();
        if vm == native {
            same += 1;
        } else {
            wrong.push(format!("{}\nvirtual machine:\n{vm}\nnative:\n{native}", file.display()));
        }
    }
    println!("{same} reports are the same");
    assert!(wrong.is_empty() && same > 5, "{}", wrong.join("\n"));
}

/// All steps, with all their objects and values.
#[test]
fn values_of_every_type_are_told_alike() {
    let file = root().join("tests/words/queue.c");
    let [vm, native] = ["vm", "native"].map(|backend| report(&file, backend, &["--full"]).expect("a bug"));
    assert_eq!(vm, native);
    for words in [
        "store.list.head: NULL → &node#1",
        "store.list.letters[2][1]",
        "store.weight: 0 → 1.25",
        "store.colour: RED → GREEN",
        "store.set: false → true",
        "store.small: 0 → 200",
        "callback: NULL → seven",
        "&locks[1]",
        "mine of 0.0",
        "table[3]",
        "number",
    ] {
        assert!(native.contains(words), "{words}:\n{native}");
    }
}

/// Both were called by the name of the first part, and the virtual machine told an access to one part by the name of another.
#[test]
fn the_whole_is_freed_and_a_part_was_used() {
    let file = root().join("tests/words/freed.c");
    let [vm, native] = ["vm", "native"].map(|backend| report(&file, backend, &[]).expect("a bug"));
    assert_eq!(vm, native);
    for words in [
        "`entry#1` is freed by thread 0.1 and used by thread 0.0",
        "thread 0.0 reads `entry#1[2].value`",
        "thread 0.1 frees `entry#1`",
        "● free entry#1\n",
    ] {
        assert!(native.contains(words), "{words}:\n{native}");
    }
}

/// Machine code that is kept from the last time says nothing of types.
#[test]
fn a_program_that_was_checked_before_is_told_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("twice.c");
    let text = "#include <pthread.h>\n#include <stdatomic.h>\nstatic struct item { int number; } *_Atomic shared;\n\
        static void *work(void *p) {\n  int n = atomic_load(&shared)->number;\n  return n ? p : 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); return 0; }\n";
    std::fs::write(&file, text).expect("writable");
    let [first, second] = [(), ()].map(|()| report(&file, "native", &[]).expect("a bug"));
    assert_eq!(first, second);
    assert!(first.contains("shared = NULL"), "{first}");
}

/// Verbs that end alike, as `atomically writes` and `writes`, were cut off together with the object: `atomically it`.
#[test]
fn both_verbs_of_a_race_are_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = "atomic_store(&x, 1);|*(int *)&x = 2;";
    let lock = "pthread_mutex_lock(&m);|pthread_mutex_init(&m, 0);";
    let said = [
        (plain, "0.1 writes `x` at test.c:6 and thread 0.0 atomically writes it at test.c:5,"),
        (lock, "0.0 does a mutex lock of `m` at test.c:5 and thread 0.1 does a mutex init of it at test.c:6,"),
    ];
    for (bodies, words) in said {
        let (first, second) = bodies.split_once('|').expect("two");
        let text = format!(
            "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x;\nstatic pthread_mutex_t m;\n\
             static void *first(void *p) {{ {first} return p; }}\nstatic void *second(void *p) {{ {second} return p; }}\n\
             int main(void) {{ pthread_t a, b; pthread_create(&a, 0, first, 0); pthread_create(&b, 0, second, 0);\n\
             pthread_join(a, 0); pthread_join(b, 0); return 0; }}\n"
        );
        let file = folder.path().join("test.c");
        std::fs::write(&file, text).expect("writable");
        for backend in ["vm", "native"] {
            let report = report(&file, backend, &[]).expect("a bug");
            let report =
                report.split_whitespace().collect::<Vec<_>>().join(" ").replace(&*folder.path().to_string_lossy(), "");
            assert!(report.replace("/test.c", "test.c").contains(words), "{backend}: {words}\n{report}");
        }
    }
}

/// What `main` writes before there are threads is not told, and not denied.
#[test]
fn what_one_thread_writes_is_not_denied() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wrote.c");
    let text = "#include <assert.h>\n#include <pthread.h>\nstatic int x;\nstatic void *worker(void *p) { x = 2; return p; }\n\
        int main(void) { x = 1; pthread_t a; pthread_create(&a, 0, worker, 0); assert(x == 2); pthread_join(a, 0); return 0; }\n";
    std::fs::write(&file, text).expect("writable");
    for backend in ["vm", "native"] {
        let report = report(&file, backend, &[]).expect("a bug").replace("\n  ", " ");
        assert!(report.contains("`x` = 1") && report.contains("since threads were created"), "{backend}\n{report}");
        assert!(!report.contains("written it before"), "{backend}\n{report}");
    }
}

/// Whoever comes back to where it was is let go on alone, to learn whether it waits there; what it does then is not told.
#[test]
fn what_is_tried_out_is_not_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sum.c");
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int f;\nstatic int data[4] = {1, 2, 3, 4};\n\
        static void *worker(void *p) {\n  int sum = 0;\n  for (int i = 0; i < 3 && !f; i++) sum += data[i];\n  assert(sum != 3);\n  return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); f = 1; pthread_join(t, 0); return 0; }\n";
    std::fs::write(&file, text).expect("writable");
    let [vm, native] = ["vm", "native"].map(|backend| report(&file, backend, &["--full"]).expect("a bug"));
    assert!(vm.matches("read data[1] = 2").count() == 1, "{vm}");
    assert_eq!(vm, native);
}
