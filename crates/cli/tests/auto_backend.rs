//! `--backend auto`: the virtual machine where it can, machine code where that one refuses the program, and a line that says so.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use common::{Check, root};

/// Instructions on vectors, which the virtual machine does not know.
const VECTORS: &str = "#include <assert.h>
#include <emmintrin.h>
#include <pthread.h>
static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p) {
    __m128i both = _mm_packs_epi32(_mm_set1_epi32(3), _mm_set1_epi32(4));
    pthread_mutex_lock(&lock);
    sum += _mm_extract_epi16(both, 0) + _mm_extract_epi16(both, 7);
    pthread_mutex_unlock(&lock);
    return p;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, work, 0);
    pthread_create(&t, 0, work, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(sum == WANTED);
    return 0;
}
";

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(text: &str) -> (Folder, PathBuf) {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        let file = folder.0.path().join("test.c");
        std::fs::write(&file, text).expect("writable");
        (folder, file)
    }
}

fn said(file: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.arg("check").arg(file).args(words).output().expect("it starts")
}

#[test]
fn what_the_virtual_machine_refuses_is_explored_as_machine_code() {
    let (_folder, file) = Folder::with(VECTORS);
    assert_eq!(Check::run(&file, "--backend vm", "-DWANTED=14").exit, 3);
    for (wanted, exit, verdict) in [(14, 0, "proved"), (15, 1, "violated")] {
        let found = Check::run(&file, "", &format!("-DWANTED={wanted}"));
        assert_eq!((found.exit, &found.json["verdict"]), (exit, &verdict.into()), "{}", found.json);
        let rests_on = found.json["assumptions"].to_string();
        assert!(rests_on.contains("the virtual machine, which refuses") && rests_on.contains("packssdw"), "{rests_on}");
    }
    let output = said(&file, &["--", "-DWANTED=14"]);
    let text = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    let line = "explored as native machine code, since the virtual machine refuses it";
    assert!(output.status.success() && text.contains(line) && text.contains("test.c:7"), "{text}");
    assert_eq!(text.matches(line).count(), 1, "{text}");
}

/// A bug that comes of it replays without a word about backends.
#[test]
fn its_trace_replays() {
    let (folder, file) = Folder::with(VECTORS);
    let trace = folder.0.path().join("trace");
    assert_eq!(Check::run(&file, &format!("--trace {}", trace.display()), "-DWANTED=15").exit, 1);
    let output = Command::new(env!("CARGO_BIN_EXE_threadbare")).arg("replay").arg(&trace).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn where_both_refuse_the_virtual_machine_says_so() {
    for text in
        ["int main(void) { __asm__ volatile(\"hlt\"); return 0; }\n", "int f(void);\nint main(void) { return f(); }\n"]
    {
        let (_folder, file) = Folder::with(text);
        let [vm, auto] = ["vm", "auto"].map(|backend| Check::run(&file, &format!("--backend {backend}"), ""));
        assert_eq!((vm.exit, auto.exit), (3, 3), "{}", auto.json);
        let message = |check: &Check| check.json["error"]["message"].as_str().expect("a message").to_string();
        assert!(message(&auto).starts_with(&message(&vm)), "{}\n{}", vm.json, auto.json);
        assert!(message(&auto).contains("the native backend refuses it, too"), "{}", auto.json);
        assert_eq!(vm.json["error"]["line"], auto.json["error"]["line"]);
        let output = said(&file, &[]);
        assert!(!String::from_utf8_lossy(&output.stderr).contains("explored as"), "{:?}", output.stderr);
    }
}

/// What only the virtual machine has stays with it.
#[test]
fn options_that_native_code_does_not_have_stay_refused() {
    let (folder, file) = Folder::with(VECTORS);
    let syn_out = format!("--syn-out {}/syn", folder.0.path().display());
    let options = [
        ("--ltl 'F {sum == 14}'", "`--ltl`"),
        (&*syn_out, "`--syn-out`"),
        ("--jobs 2", "`--jobs` above 1"),
        ("--step-limit 900", "`--step-limit`"),
        ("--strategy spor", "`--strategy spor`"),
    ];
    for (option, named) in options {
        let found = Check::run(&file, option, "-DWANTED=14");
        let message = found.json["error"]["message"].as_str().expect("a message");
        let note = format!("the native backend may support it, but not with {named}");
        assert!(found.exit == 3 && message.contains(&note), "{}", found.json);
    }
    let refused = Check::run(&file, "--jobs 2 --backend native", "");
    let message = refused.json["error"]["message"].to_string();
    assert!(refused.exit == 2 && message.contains("`--jobs` above 1 is not yet available"), "{message}");
}

/// How many of our own programs the virtual machine refuses: none, and so it shall stay.
#[test]
fn the_virtual_machine_takes_all_programs() {
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["counts", "matching", "pairs", "seeds", "temporal"] {
        let list = std::fs::read_dir(root().join("programs").join(folder)).expect("a folder of programs");
        files.extend(
            list.map(|entry| entry.expect("readable").path()).filter(|path| path.extension().is_some_and(|e| e == "c")),
        );
    }
    let (next, refused) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |n| n.get()) {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Relaxed)) {
                    let found = Check::run(file, "--backend vm --strategy random --runs 1 --minimise 0", "-w");
                    if found.exit == 3 {
                        refused.lock().expect("no panic inside").push(format!(
                            "{}: {}",
                            file.display(),
                            found.json["error"]
                        ));
                    }
                }
            });
        }
    });
    let refused = refused.into_inner().expect("no panic inside");
    println!("the virtual machine refuses {} of {} programs", refused.len(), files.len());
    assert!(files.len() > 200, "only {} programs", files.len());
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
