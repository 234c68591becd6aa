//! What comes after a search: shorter schedules, traces, replay, the simulator; and searches that end early.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

fn program(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs").join(name);
    path.canonicalize().expect("the program is there").to_string_lossy().into_owned()
}

struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}\n{}", self.out, self.err))
    }
}

fn spawn(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_threadbare"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

fn finish(child: Child) -> Ran {
    let output = child.wait_with_output().expect("it ends");
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

fn run(args: &[&str]) -> Ran {
    finish(spawn(args))
}

fn run_with_input(args: &[&str], input: &str) -> Ran {
    let mut child = spawn(args);
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("it reads");
    finish(child)
}

/// A folder with one C file.
fn folder(source: &str) -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("test.c");
    std::fs::write(&file, source).expect("writable");
    let trace = folder.path().join("trace.json").to_string_lossy().into_owned();
    let file = file.to_string_lossy().into_owned();
    (folder, file, trace)
}

fn steps(ran: &Ran) -> u64 {
    ran.json()["bugs"][0]["steps"].as_u64().unwrap_or_else(|| panic!("a bug: {}{}", ran.out, ran.err))
}

#[test]
fn a_long_schedule_gets_at_least_five_times_shorter() {
    let file = program("pairs/long-trace-bug.c");
    let found = steps(&run(&["check", &file, "--format", "json", "--minimise", "0"]));
    let shown = steps(&run(&["check", &file, "--format", "json"]));
    assert!(shown * 5 <= found, "{found} steps became {shown}");
}

#[test]
fn bugs_of_all_kinds_replay() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, options) in [
        ("lock-order", &[][..]),
        ("lost-wakeup", &[]),
        ("signal-for-many", &[]),
        ("spin-lock-kept", &[]),
        ("chosen-size", &[]),
        ("timed-wait", &[]),
        ("spurious-wake-up", &["--spurious", "1"]),
        ("lost-allocation", &["--leaks"]),
        ("use-after-free", &["--leaks"]),
        ("reference-count", &["--max-bugs", "all"]),
        ("racy-index", &["-O", "2"]),
        ("unprotected-counter", &[]),
        ("lazy-table", &["--max-bugs", "3"]),
    ] {
        let file = program(&format!("pairs/{name}-bug.c"));
        let trace = folder.path().join(format!("{name}.json")).to_string_lossy().into_owned();
        let mut args = vec!["check", &file, "--format", "json", "--trace", &trace];
        args.extend(options);
        let checked = run(&args);
        assert_eq!(checked.code, 1, "{name}: {}{}", checked.out, checked.err);
        let replayed = run(&["replay", &trace, "--format", "json"]);
        assert_eq!(replayed.code, 1, "{name}: {}{}", replayed.out, replayed.err);
        let (before, after) = (&checked.json()["bugs"][0], &replayed.json()["bugs"][0]);
        for key in ["kind", "message", "line", "steps", "preemptions", "schedule"] {
            assert_eq!(before[key], after[key], "{name}: {key}");
        }
        assert_eq!(replayed.json()["diverged"], Value::Null, "{name}");
    }
}

const RACE: &str = r#"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <assert.h>
static atomic_int account = 10;
static void *withdraw(void *unused)
{
    (void)unused;
    if (account >= 10) {
        printf("there is enough\n");
        account -= 10;
    }
    return NULL;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, withdraw, NULL);
    pthread_create(&two, NULL, withdraw, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(account >= 0);
    return 0;
}
"#;

#[test]
fn a_replay_shows_what_the_program_prints() {
    let (_folder, file, trace) = folder(RACE);
    let checked = run(&["check", &file, "--trace", &trace]);
    assert_eq!(checked.code, 1, "{}{}", checked.out, checked.err);
    assert!(checked.out.contains(&format!("threadbare replay {trace}")), "{}", checked.out);
    let replayed = run(&["replay", &trace, "--format", "json"]);
    assert_eq!(replayed.json()["output"], "there is enough\nthere is enough\n");
    let human = run(&["replay", &trace]);
    assert_eq!(human.code, 1);
    assert!(human.out.contains("there is enough") && human.out.contains("account: 0"), "{}", human.out);
}

#[test]
fn a_changed_source_is_named_and_the_place_where_the_program_went_another_way() {
    let (_folder, file, trace) = folder(RACE);
    assert_eq!(run(&["check", &file, "--trace", &trace]).code, 1);
    // Lines move: the bug is still there.
    std::fs::write(&file, format!("/* a comment */\n\n{RACE}")).expect("writable");
    let moved = run(&["replay", &trace]);
    assert_eq!(moved.code, 1, "{}{}", moved.out, moved.err);
    assert!(moved.err.contains("test.c has changed since the recording"), "{}", moved.err);
    // The program does something else.
    let repaired = RACE
        .replace("if (account >= 10) {", "int ten = 10;\n    if (atomic_compare_exchange_strong(&account, &ten, 0)) {");
    std::fs::write(&file, repaired.replace("account -= 10;", "")).expect("writable");
    let other = run(&["replay", &trace, "--format", "json"]);
    assert_eq!(other.code, 4, "{}{}", other.out, other.err);
    let json = other.json();
    assert!(json["changed"][0].as_str().is_some_and(|name| name.ends_with("test.c")), "{json}");
    let diverged = &json["diverged"];
    assert!(diverged["expected"].as_str().is_some_and(|text| text.contains("load in `withdraw`")), "{json}");
    assert!(diverged["found"].as_str().is_some_and(|text| text.contains("compare-exchange")), "{json}");
    assert!(diverged["step"].as_u64().is_some_and(|step| step > 1), "{json}");
}

#[test]
fn what_the_recording_had_is_named_where_nothing_is_wrong_any_more() {
    let source = "#include <assert.h>\nint main(void) { int wrong = 1; assert(!wrong); return 0; }\n";
    let (_folder, file, trace) = folder(source);
    assert_eq!(run(&["check", &file, "--trace", &trace]).code, 1);
    std::fs::write(&file, source.replace("= 1", "= 0")).expect("writable");
    let replayed = run(&["replay", &trace]);
    assert!(replayed.out.contains("nothing is wrong: the recording had an assertion"), "{}", replayed.out);
}

#[test]
fn what_is_no_trace_is_refused() {
    let (folder, file, trace) = folder("int main(void) { return 0; }");
    std::fs::write(&trace, "{\"threadbare_trace\": 99}").expect("writable");
    let text = folder.path().join("text").to_string_lossy().into_owned();
    std::fs::write(&text, "hello").expect("writable");
    for (args, message) in [
        (vec!["replay", &trace], "a trace of format 99"),
        (vec!["replay", &text], "is no trace"),
        (vec!["replay", "nowhere.json"], "cannot read nowhere.json"),
        (vec!["replay", &file], "a program, not a trace"),
    ] {
        let ran = run(&args);
        assert_eq!(ran.code, 2, "{args:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(message), "{args:?}: {}", ran.err);
    }
}

#[test]
fn the_simulator_goes_forwards_and_backwards_and_refuses() {
    let file = program("pairs/lock-order-bug.c");
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("t.json").to_string_lossy().into_owned();
    assert_eq!(run(&["check", &file, "--trace", &trace]).code, 1);
    let ran = run_with_input(&["replay", "--step", &trace], "n\nn\nb\nb\nb\ng 99\n1\n7\nwhy\n?\nq\n");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    for text in [
        "--- step 0 of ",
        "this is the start",
        "deadlock: all 3 threads wait for ever",
        "thread 0.0 cannot go on: it waits for mutex `accounts[1].lock`",
        "there is no thread 7",
        "`why`?",
        "one step back",
    ] {
        assert!(ran.out.contains(text), "`{text}` in:\n{}", ran.out);
    }
    // Two steps, and back to the very same view.
    let views: Vec<&str> = ran.out.split("--- step ").collect();
    assert_eq!(views[2].lines().nth(2), views[4].lines().nth(2));
}

#[test]
fn a_program_can_be_simulated_without_a_trace() {
    let (_folder, file, _) = folder(RACE);
    let ran = run_with_input(&["replay", "--step", &file], "n\nn\nn\n1\n1\n1\n0.1\n0\nl\nq\n");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("thread 0 cannot go on: it waits for the end of thread 0.0"), "{}", ran.out);
    assert!(ran.out.contains("load account: 10"), "{}", ran.out);
    let empty = run_with_input(&["replay", "--step", &file], "");
    assert_eq!(empty.code, 0);
}

#[test]
fn standard_input_is_empty_or_a_file() {
    let source = "#include <stdio.h>\n#include <assert.h>\nint main(void) { assert(getchar() != 'x'); return 0; }\n";
    let (folder, file, trace) = folder(source);
    let without = run(&["check", &file, "--format", "json"]);
    assert_eq!(without.code, 0, "{}{}", without.out, without.err);
    let assumptions = without.json()["assumptions"].to_string();
    assert!(assumptions.contains("standard input is empty"), "{assumptions}");
    let input: PathBuf = folder.path().join("input");
    std::fs::write(&input, "x").expect("writable");
    let input = input.to_string_lossy().into_owned();
    let with = run(&["check", &file, "--format", "json", "--stdin", &input, "--trace", &trace]);
    assert_eq!(with.code, 1, "{}{}", with.out, with.err);
    assert_eq!(run(&["replay", &trace]).code, 1);
    assert_eq!(run(&["check", &file, "--stdin", "nowhere"]).code, 2);
}

#[test]
fn limits_end_a_search_with_what_is_known() {
    let file = program("counts/writers.c");
    for (option, value, bound) in
        [("--time-limit", "300ms", "the time limit of 0.3 s"), ("--memory-limit", "1M", "the memory limit of 1 MiB")]
    {
        let ran = run(&["check", &file, "--strategy", "optimal", "--format", "json", option, value, "--", "-DN=12"]);
        assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
        let json = ran.json();
        assert_eq!((&json["verdict"], &json["bound"]), (&"unknown".into(), &bound.into()), "{json}");
        assert!(json["executions"].as_u64().is_some_and(|n| n > 0), "{json}");
    }
}

#[test]
fn limits_end_a_search_in_the_middle_of_a_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |name: &str, body: &str, option: &str, value: &str| {
        let file = folder.path().join(name);
        let text = format!(
            "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\nenum {{ SIZE = 1 << 28 }};\nchar *p;\n\
             static void *worker(void *x) {{ {body} return x; }}\n\
             int main(void) {{\n  p = calloc(1, SIZE);\n  pthread_t t, u;\n  pthread_create(&t, 0, worker, 0);\n  \
             pthread_create(&u, 0, worker, 0);\n  pthread_join(t, 0);\n  pthread_join(u, 0);\n  return 0;\n}}\n"
        );
        std::fs::write(&file, text).expect("writable");
        let limits = ["--step-limit", "1000000000000", option, value];
        let ran = run(&[&["check", &file.to_string_lossy(), "--format", "json"], &limits[..]].concat());
        assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
        assert_eq!(ran.json()["executions"], 0, "none came to its end: {}", ran.out);
        ran.json()["bound"].as_str().unwrap_or("").to_string()
    };
    let counting = "for (unsigned i = 1; i; i |= 1) { }";
    assert_eq!(check("counting.c", counting, "--time-limit", "300ms"), "the time limit of 0.3 s");
    // What a race detector keeps of each word is more than the word.
    let writing = "for (;;) memset(p, 1, SIZE);";
    assert_eq!(check("writing.c", writing, "--time-limit", "300ms"), "the time limit of 0.3 s");
    assert_eq!(check("writing.c", writing, "--memory-limit", "600M"), "the memory limit of 600 MiB");
}

fn interrupt(child: &Child) {
    // SAFETY: a signal to a process that we started and have not waited for.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
}

#[test]
fn an_interrupted_search_says_what_it_knows() {
    let child =
        spawn(&["check", &program("counts/writers.c"), "--strategy", "optimal", "--format", "json", "--", "-DN=12"]);
    std::thread::sleep(Duration::from_secs(2));
    interrupt(&child);
    let ran = finish(child);
    assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
    assert_eq!(ran.json()["bound"], "interrupted");
}

#[test]
fn a_second_interrupt_ends_at_once() {
    // It waits for somebody to write into a pipe, and does not look at its limits.
    let (folder, file, _) = folder("int main(void) { return 0; }");
    let pipe = folder.path().join("pipe").to_string_lossy().into_owned();
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let child = spawn(&["check", &file, "--stdin", &pipe]);
    std::thread::sleep(Duration::from_secs(2));
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(200));
    interrupt(&child);
    assert_eq!(finish(child).code, 130);
}
