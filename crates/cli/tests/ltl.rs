//! Formulas on C programs and on models: what holds, what does not, the lasso that shows it, and what is said of mistakes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/temporal").join(name)
}

fn threadbare(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.args(words).env_remove("COLUMNS").env("LC_ALL", "C.UTF-8");
    command.output().expect("it runs")
}

/// What `check` says of a program under a formula.
fn check(file: &Path, words: &[&str]) -> (i32, Value) {
    let file = file.to_str().expect("a name in UTF-8");
    let output = threadbare(&[&["check", file, "--format", "json"], words].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    let report = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (output.status.code().unwrap_or(-1), report)
}

fn verdict(file: &Path, words: &[&str]) -> String {
    let (code, report) = check(file, words);
    let verdict = report["verdict"].as_str().unwrap_or_default().to_string();
    let expected = match verdict.as_str() {
        "proved" => 0,
        "violated" => 1,
        "error" => 2,
        _ => 4,
    };
    assert_eq!(code, expected, "{report}");
    match report["bugs"][0]["kind"].as_str() {
        Some(kind) => format!("{verdict}: {kind}"),
        None => verdict,
    }
}

fn written(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, text).expect("writable");
    (folder, file)
}

const ENTERS: &str = "G ({want[0]} -> F t0@critical)";
const EXCLUDES: &str = "G !(t0@critical && t1@critical)";

#[test]
fn locks_that_are_fair_and_one_that_is_not() {
    for (file, fairness, formula, expected) in [
        ("peterson.c", "weak", ENTERS, "proved"),
        ("peterson.c", "weak", EXCLUDES, "proved"),
        ("peterson.c", "none", ENTERS, "violated: ltl"),
        ("peterson.c", "weak", "G F t0@critical && G F t1@critical", "proved"),
        ("ticket.c", "weak", ENTERS, "proved"),
        ("ticket.c", "none", ENTERS, "violated: ltl"),
        ("test_and_set.c", "weak", EXCLUDES, "proved"),
        ("test_and_set.c", "weak", ENTERS, "violated: ltl"),
        // Somebody enters again and again.
        ("test_and_set.c", "weak", "G F (t0@critical || t1@critical)", "proved"),
    ] {
        let found = verdict(&program(file), &["--ltl", formula, "--fairness", fairness]);
        assert_eq!(found, expected, "{file}, {fairness}: {formula}");
    }
}

#[test]
fn what_is_produced_is_consumed_unless_a_wake_up_is_lost() {
    let consumed = "G ({stock > 0} -> F {consumed})";
    let file = program("buffer.c");
    assert_eq!(verdict(&file, &["--ltl", consumed]), "proved");
    assert_eq!(verdict(&file, &["--ltl", consumed, "-D", "SLOTS=2"]), "proved");
    let (code, report) = check(&file, &["--ltl", consumed, "-D", "LOST_WAKE_UP"]);
    let bug = &report["bugs"][0];
    assert_eq!((code, bug["kind"].as_str()), (1, Some("ltl")));
    // It ends where nobody can go on.
    assert_eq!(bug["lasso"]["cycle"], bug["steps"]);
    assert!(bug["steps"].as_u64().is_some_and(|steps| steps < 35), "{report}");
    // Without a formula, or with one that has nothing to do with it, it is what it is.
    assert_eq!(verdict(&file, &["--ltl", "G {stock < 2}", "-D", "LOST_WAKE_UP"]), "violated: deadlock");
    assert_eq!(verdict(&file, &["--ltl", "G !deadlock", "-D", "LOST_WAKE_UP"]), "violated: ltl");
    assert_eq!(verdict(&file, &["--ltl", "G (deadlock -> main.blocked)", "-D", "LOST_WAKE_UP"]), "proved");
}

#[test]
fn the_lasso_starves_a_thread_and_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("starves.json");
    let trace = trace.to_str().expect("a name in UTF-8");
    let file = program("test_and_set.c");
    let (_, report) = check(&file, &["--ltl", ENTERS, "--trace", trace]);
    let (bug, lasso) = (&report["bugs"][0], &report["bugs"][0]["lasso"]);
    let cycle = lasso["cycle"].as_u64().expect("a number") as usize;
    let steps = bug["schedule"].as_array().expect("steps");
    assert!(cycle < steps.len());
    // Both move in it: that is fair. Only one gets in.
    for thread in ["0.0", "0.1"] {
        assert!(steps[cycle..].iter().any(|step| step[0] == thread), "{report}");
    }
    let held = lasso["held"].as_array().expect("letters");
    assert_eq!(held.len(), steps.len() + 1);
    assert_eq!(lasso["propositions"], serde_json::json!(["{want[0]}", "t0@critical"]));
    assert!(held[cycle..].iter().all(|held| held[0] == true && held[1] == false), "{report}");

    let replay = |trace: &str| {
        let output = threadbare(&["replay", trace]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, text) = replay(trace);
    assert_eq!(code, Some(1), "{text}");
    for words in ["from here on for ever", "and again from step", "now {want[0]}", "the bug of the recording"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // A cycle that begins elsewhere does not close.
    let text = std::fs::read_to_string(trace).expect("written");
    let mut wrong: Value = serde_json::from_str(&text).expect("JSON");
    wrong["lasso"]["cycle"] = 0.into();
    std::fs::write(trace, wrong.to_string()).expect("writable");
    let (code, text) = replay(trace);
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("the cycle does not lead back to where it began"), "{text}");
}

/// x and y are written by two threads, with plain accesses under a lock: all that a formula looks at is visible.
const TWO: &str = "#include <pthread.h>\n#include <assert.h>\n#include <threadbare.h>\n\
    enum colour { RED, GREEN = 5 };\n\
    struct node { int value; struct node *next; };\n\
    static struct node last = {2, 0}, first = {1, &last};\n\
    static struct { int head, tail; unsigned char small; } q;\n\
    static enum colour light; static int a[3], i = 1; static struct node *list;\n\
    static int excl(void) { return !(q.head && q.tail); }\n\
    static void *one(void *x) { q.head = 1; q.head = 0; light = GREEN; list = &first; return x; }\n\
    static void *two(void *x) { a[i] = -1; q.small = 255; done: a[2] = 7; return x; }\n\
    int main(void) { pthread_t s, t; pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);\n\
      pthread_join(s, 0); pthread_join(t, 0); assert(light == GREEN); return 0; }\n";

#[test]
fn propositions_are_expressions_of_c() {
    let (_folder, file) = written("two.c", TWO);
    for (formula, expected) in [
        ("F {light == GREEN}", "proved"),
        ("F {light == RED + 1}", "violated: ltl"),
        ("F q.head", "proved"),
        ("G !q.head", "violated: ltl"),
        ("F G {!q.head}", "proved"),
        // A step that no other thread can see is one if a formula looks at it.
        ("F {q.head && !a[1]}", "violated: ltl"),
        ("G ({q.head} -> {a[1] == 0})", "violated: ltl"),
        // Conversions of C: a byte is no negative number, -1 is large as an unsigned one.
        ("F {a[i] > 2u}", "proved"),
        ("F {q.small == -1}", "violated: ltl"),
        ("F {(signed char)q.small == -1}", "proved"),
        ("F {list && list->next->value == 2}", "proved"),
        ("F {list == &first && !list->next->next}", "proved"),
        ("F G {sizeof a / sizeof *a == 3 && light >= GREEN}", "proved"),
        ("G excl() && F {a[2] == 7}", "proved"),
        ("F t1@done", "proved"),
        ("G (t1@done -> X {a[2] == 7})", "violated: ltl"),
        ("!{a[2] == 7} U t1@done", "proved"),
        ("F terminated && F t0.ended && !deadlock", "proved"),
        ("G (t0.ended -> {light == GREEN})", "proved"),
        ("G (main.blocked -> !t0.ended || !t1.ended)", "proved"),
        ("F main.blocked", "violated: ltl"),
    ] {
        assert_eq!(verdict(&file, &["--ltl", formula]), expected, "{formula}");
    }
}

#[test]
fn other_bugs_are_found_on_the_way() {
    let broken = TWO.replace("assert(light == GREEN)", "assert(a[2] != 7)");
    let (_folder, file) = written("two.c", &broken);
    // Nobody need look at a single state for this formula, but a proof is about all of them.
    for formula in ["true", "F {light == GREEN}", "G {i == 1}"] {
        assert_eq!(verdict(&file, &["--ltl", formula]), "violated: assertion", "{formula}");
    }
    let racy = TWO.replace("a[i] = -1;", "a[i] = -1; light = 1;");
    let (_folder, file) = written("racy.c", &racy);
    assert_eq!(verdict(&file, &["--ltl", "F {a[2] == 7}"]), "violated: data-race");
}

#[test]
fn several_formulas_and_files_of_them() {
    let text =
        "# what a lock is for\nexclusion: G !(t0@critical && t1@critical)\nentry: G ({want[0]} -> F t0@critical)\n";
    let (folder, file) = written("lock.ltl", text);
    let formulas = file.to_str().expect("a name");
    assert_eq!(verdict(&program("peterson.c"), &["--ltl-file", formulas]), "proved");
    let automaton = folder.path().join("a.hoa");
    let dump = automaton.to_str().expect("a name");
    let (_, report) = check(&program("test_and_set.c"), &["--ltl-file", formulas, "--dump-automaton", dump]);
    let message = report["bugs"][0]["message"].as_str().unwrap_or_default();
    assert_eq!(message, "`entry: G ({want[0]} -> F t0@critical)` does not hold");
    // Each has its own propositions.
    let first = std::fs::read_to_string(&automaton).expect("written");
    assert!(first.contains("\nAP: 2 \"t0@critical\" \"t1@critical\"\n"), "{first}");
    let second = std::fs::read_to_string(folder.path().join("a-2.hoa")).expect("one for each formula");
    assert!(second.contains("\nAP: 2 \"t0@critical\" \"{want[0]}\"\n") && second.contains("\n[!0&1] 1\n"), "{second}");
    assert!(second.starts_with("HOA: v1") && second.contains("name: \"not (entry: G ({want[0]} -> F t0@critical))\""));
    let picture = folder.path().join("a.dot");
    check(&program("peterson.c"), &["--ltl", ENTERS, "--dump-automaton", picture.to_str().expect("a name")]);
    assert!(std::fs::read_to_string(picture).expect("written").starts_with("digraph"));
    // A formula may begin and end with a brace.
    let text = "first: {taken < 3}\nsecond: G {want[0] < 3}\nthird: F {want[0]} -> F G !{taken}\n";
    let (_braces, file) = written("braces.ltl", text);
    let (_, report) = check(&program("test_and_set.c"), &["--ltl-file", file.to_str().expect("a name")]);
    let message = report["bugs"][0]["message"].as_str().unwrap_or_default();
    assert_eq!(message, "`third: F {want[0]} -> F G !{taken}` does not hold", "{report}");
    // Two bugs, if so many are asked for.
    let (_, report) =
        check(&program("test_and_set.c"), &["--ltl", ENTERS, "--ltl", "F t0@critical", "--max-bugs", "2"]);
    assert_eq!(report["bugs"].as_array().map(Vec::len), Some(2), "{report}");
}

/// Two threads create others, so that the search meets these in another order than whoever takes the steps again.
const CREATORS: &str = "#include <pthread.h>\n#include <stdatomic.h>\n\
    static atomic_int x, got; static int n, go;\n\
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
    static void *waits(void *a) { pthread_mutex_lock(&m); n++; while (!go) pthread_cond_wait(&c, &m); got = *(int *)a;\n\
      pthread_mutex_unlock(&m); return a; }\n\
    static int one = 1, two = 2;\n\
    static void *ends(void *a) { return a; }\n\
    static void *creates(void *a) { pthread_t in; pthread_create(&in, 0, INNER, &one); return a; }\n\
    static void *spins(void *a) { for (;;) x = 0; return a; }\n\
    static void signals(void) { pthread_mutex_lock(&m); if (n == 2) { go = 1; pthread_cond_signal(&c); }\n\
      pthread_mutex_unlock(&m); while (go && !got) ; }\n\
    int main(void) { pthread_t t, u; pthread_create(&t, 0, creates, 0); pthread_create(&u, 0, OTHER, &two);\n\
      pthread_join(t, 0); LAST; return 0; }\n";

#[test]
fn threads_are_the_same_in_whatever_order_they_come_up() {
    let (folder, file) = written("creators.c", CREATORS);
    let trace = folder.path().join("trace.json");
    let trace = trace.to_str().expect("a name in UTF-8");
    let (joins, signals) = ("LAST=x = 1; pthread_join(u, 0)", "LAST=signals()");
    for (words, inner, other, last, expected) in [
        (&["--livelock"][..], "INNER=ends", "OTHER=spins", joins, "violated: livelock"),
        (&["--ltl", "F G {x == 2}"], "INNER=ends", "OTHER=ends", joins, "violated: ltl"),
        (&["--ltl", "F G {x == 1}"], "INNER=ends", "OTHER=ends", joins, "proved"),
        // Whom a signal wakes is a thread as well.
        (&["--ltl", "G {got != 1}"], "INNER=waits", "OTHER=waits", signals, "violated: ltl"),
        (&["--ltl", "G {got != 2}"], "INNER=waits", "OTHER=waits", signals, "violated: ltl"),
    ] {
        for minimise in ["0", "1"] {
            let more = ["-D", inner, "-D", other, "-D", last, "--minimise", minimise, "--trace", trace];
            assert_eq!(verdict(&file, &[words, &more].concat()), expected, "{words:?}, {last}");
            if expected != "proved" {
                let output = threadbare(&["replay", trace]);
                assert_eq!(output.status.code(), Some(1), "{words:?}: {}", String::from_utf8_lossy(&output.stdout));
            }
        }
    }
}

/// The search begins again when it sees that plain data is shared: a cycle that it closes just then is no matter.
#[test]
fn a_search_that_ends_on_a_cycle_begins_again() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>\n\
        static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER; static int d; static atomic_int seen;\n\
        static void *reads(void *x) { for (;;) { pthread_rwlock_rdlock(&rw); seen = d; pthread_rwlock_unlock(&rw); } return x; }\n\
        static void *writes(void *x) { for (;;) { pthread_rwlock_wrlock(&rw); d = VALUE; pthread_rwlock_unlock(&rw); } return x; }\n\
        int main(void) { pthread_t a, b, c; pthread_create(&a, 0, reads, 0); pthread_create(&b, 0, reads, 0);\n\
          pthread_create(&c, 0, WRITER, 0); pthread_join(a, 0); return 0; }\n";
    let (_folder, file) = written("readers.c", text);
    let racy = "WRITER=(d = 1, reads)";
    for (words, value, writer, expected) in [
        (&["--livelock"][..], "VALUE=0", "WRITER=writes", "violated: livelock"),
        (&["--ltl", "F t1.ended"], "VALUE=!d", "WRITER=writes", "violated: ltl"),
        (&["--ltl", "F t1.ended", "--fairness", "none"], "VALUE=!d", "WRITER=writes", "violated: ltl"),
        (&["--ltl", "G F {seen < 2}"], "VALUE=!d", "WRITER=writes", "proved"),
        (&["--livelock"], "VALUE=0", racy, "violated: data-race"),
    ] {
        assert_eq!(verdict(&file, &[words, &["-D", value, "-D", writer]].concat()), expected, "{words:?}, {writer}");
    }
}

#[test]
fn mistakes_stand_where_they_are() {
    let said = |file: &Path, words: &[&str]| {
        let output = threadbare(&[&["check", file.to_str().expect("a name")], words].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let lock = program("test_and_set.c");
    for (formula, words, column) in [
        ("G ({wnt[0]} -> F t0@critical)", &["undeclared identifier `wnt`", "did you mean `want`?"][..], 5),
        ("G ({want[0]} -> F t0@critcal)", &["no label `critcal`", "did you mean `critical`?"], 19),
        ("G ({want[0]} -> F t0@critical", &["not the end"], 30),
        ("F {want[0] = 1}", &["may only look: it writes to `want`"], 4),
        ("F {want[0] +}", &["expected expression"], 12),
        ("F wnt()", &["undeclared function `wnt`", "did you mean `want`?"], 3),
        ("F {taken;}", &["an expression is needed"], 4),
        ("G want[0].x", &["is not a structure or union"], 10),
        ("G t0.sleeping", &["whether a thread is `sleeping` is not known", "`t0.blocked`, `t0.ended`"], 3),
        ("G 0.0.waiting", &["whether a thread is `waiting` is not known"], 3),
        ("G (main || t0)", &["`main` is a function"], 4),
        ("G t0", &["`t0` is a thread", "`t0@critical`"], 3),
        ("G t0@", &["means nothing here", "stands at the label"], 5),
        ("G taken@critical", &["`taken` is no thread"], 3),
        ("G worker", &["`worker` is a function, and its address is never null", "`worker()`"], 3),
        ("G {want && taken}", &["`want` is never null, so that this is always true"], 4),
        ("G {\"no\"}", &["a text is always true"], 4),
    ] {
        let (code, text) = said(&lock, &["--ltl", formula]);
        assert_eq!(code, Some(2), "{formula}: {text}");
        for words in words {
            assert!(text.contains(words), "{formula}: {text}");
        }
        let mark = text.lines().find_map(|line| line.split('│').nth(1)?.find('^')).expect("a mark");
        assert_eq!(mark, column, "{formula}: {text}");
    }
    let (folder, file) = written("lock.ltl", "one: F t0@critical\n\ntwo:\n  G (taken ->\n     F {tken})\n");
    let (code, text) = said(&lock, &["--ltl-file", file.to_str().expect("a name")]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("lock.ltl:5:9") && text.contains("undeclared identifier `tken`"), "{text}");
    drop(folder);
    let (folder, file) = written("lock.ltl", "one: {taken < 3}\ntwo: {taken < 3 && tken}\n");
    let (code, text) = said(&lock, &["--ltl-file", file.to_str().expect("a name")]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("lock.ltl:2:20") && text.contains("undeclared identifier `tken`"), "{text}");
    drop(folder);
    let (_folder, file) = written(
        "values.c",
        "struct pair { int a, b; } both; int n; void go(void) {} int set(void) { n = 1; return 1; }\n\
         int *p; int at(void) { return *p; }\n\
         int main(void) { go(); return both.a + set() + (p ? at() : 0); }\n",
    );
    for (formula, words) in [
        ("G both", "this is a `struct pair`, and a proposition is true or false"),
        ("G go()", "this has no value"),
        ("G set()", "it writes to `n`"),
        ("G {n == 5 || set()}", "it writes to `n`"),
        ("G at()", "through a null pointer"),
    ] {
        let (code, text) = said(&file, &["--ltl", formula]);
        let tells = text.contains(words) && text.contains("--ltl:1:") && !text.contains("tb_holds");
        assert!(code == Some(2) && tells, "{formula}: {code:?} {text}");
    }
    assert_eq!(said(&lock, &["--ltl", EXCLUDES, "--jobs", "1"]).0, Some(0));
    for words in [
        &["--strategy", "dpor"][..],
        &["--context-bound", "2"],
        &["--depth-bound", "9", "--jobs", "1"],
        &["--jobs", "2"],
        &["--memory-limit", "1G", "--at-limit", "bitstate"],
    ] {
        let (code, text) = said(&lock, &[&["--ltl", "F t0@critical"], words].concat());
        assert!(code == Some(2) && text.contains("does not go with --ltl"), "{text}");
    }
    for words in [["--dump-automaton", "x.hoa"], ["--fairness", "none"]] {
        let (code, text) = said(&lock, &words);
        assert!(code == Some(2) && text.contains("needs a formula"), "{text}");
    }
    let (_folder, file) = written("list.c", "static struct n { int v; } *p; int main(void) { return !!p; }\n");
    let (code, text) = said(&file, &["--ltl", "F {p->v == 3}"]);
    assert!(code == Some(2) && text.contains("through a null pointer") && text.contains("--ltl:1:7"), "{text}");
}

/// Where no formula can tell the order of steps, one order is enough; the report says where that cannot be.
#[test]
fn steps_that_nobody_sees_are_taken_in_one_order() {
    let file = program("ticket.c");
    let (_, reduced) = check(&file, &["--ltl", ENTERS]);
    let (_, all) = check(&file, &["--ltl", &format!("{ENTERS} && X true")]);
    let states = |report: &Value| report["states"].as_u64().unwrap_or(0);
    assert!(0 < states(&reduced) && states(&reduced) * 5 < states(&all) * 4, "{reduced} {all}");
    let says = |report: &Value, words: &str| report["assumptions"].to_string().contains(words);
    assert!(says(&reduced, "explored in one order") && says(&all, "a formula has X"), "{reduced} {all}");
    let (_, blocked) = check(&file, &["--ltl", "G F !t0.blocked"]);
    assert!(says(&blocked, "who is blocked"), "{blocked}");
}

#[test]
fn limits_leave_no_proof() {
    let file = program("ticket.c");
    let (code, report) = check(&file, &["--ltl", ENTERS, "--time-limit", "20ms", "-D", "THREADS=3"]);
    assert_eq!((code, report["verdict"].as_str()), (4, Some("unknown")), "{report}");
    assert!(report["bound"].as_str().is_some_and(|bound| bound.contains("time limit")), "{report}");
}

#[test]
fn who_is_too_polite_goes_round_for_ever() {
    let file = program("polite.c");
    let (code, report) = check(&file, &["--livelock"]);
    let bug = &report["bugs"][0];
    assert_eq!((code, bug["kind"].as_str()), (1, Some("livelock")));
    let cycle = bug["lasso"]["cycle"].as_u64().expect("a number") as usize;
    let steps = &bug["schedule"].as_array().expect("steps")[cycle..];
    assert!(["0.0", "0.1"].iter().all(|thread| steps.iter().any(|step| step[0] == *thread)), "{report}");
    assert_eq!(verdict(&file, &["--livelock", "-D", "STUBBORN"]), "proved");
    // Whoever waits in a loop for somebody who can go on is none.
    let spins = "#include <pthread.h>\n#include <stdatomic.h>\n#include <threadbare.h>\n\
        static atomic_int taken, n;\n\
        static void *add(void *x) { do { while (atomic_exchange(&taken, 1)) ; n = !n; taken = 0; WORK } while (FOR_EVER);\n\
          return x; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); add(0); pthread_join(t, 0); return 0; }\n";
    let (_folder, file) = written("spins.c", spins);
    assert_eq!(verdict(&file, &["--livelock", "-D", "WORK=", "-D", "FOR_EVER=0"]), "proved");
    assert_eq!(verdict(&file, &["--livelock", "-D", "WORK=", "-D", "FOR_EVER=1"]), "violated: livelock");
    assert_eq!(verdict(&file, &["--livelock", "-D", "WORK=tb_progress();", "-D", "FOR_EVER=1"]), "proved");
    assert_eq!(
        verdict(&file, &["--livelock", "-D", "WORK=", "-D", "FOR_EVER=0", "--fairness", "none"]),
        "violated: livelock"
    );
    let output = threadbare(&["check", file.to_str().expect("a name"), "--livelock", "--strategy", "dpor"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("--strategy does not go with --livelock"));
}

#[test]
fn whoever_waits_for_time_does_not_wait_for_ever() {
    let text = "#include <time.h>\nstatic int done;\nint main(void) { time_t end = time(0) + 5; while (time(0) < end) ;\n\
        done = 1; return 0; }\n";
    let (_folder, file) = written("clock.c", text);
    let (code, report) = check(&file, &["--ltl", "F {done}"]);
    assert_eq!((code, report["verdict"].as_str()), (4, Some("bounded")), "{report}");
    assert!(report["bound"].as_str().is_some_and(|bound| bound.contains("time that passes")), "{report}");
    assert_eq!(verdict(&file, &["--ltl", "G {!done}"]), "violated: ltl");
}

#[test]
fn several_translation_units() {
    let folder = tempfile::tempdir().expect("a folder");
    let (a, b) = (folder.path().join("a.c"), folder.path().join("b.c"));
    std::fs::write(&a, "static int mine = 1; void go(void); int main(void) { go(); mine = 0; return 0; }\n").unwrap();
    std::fs::write(&b, "static int mine = 7; static int theirs; void go(void) { theirs = mine; }\n").unwrap();
    let other = b.to_str().expect("a name");
    // A name means what it means in the first unit that has it.
    assert_eq!(verdict(&a, &[other, "--ltl", "F {theirs == 7} && {mine == 1} U {theirs == 7}"]), "proved");
    assert_eq!(verdict(&a, &[other, "--ltl", "F {nobodys == 7}"]), "error");
}

#[test]
fn models_have_formulas_too() {
    let model = "shared x = 0\nshared y = 0\nthread a { x := 1; x := 2 }\nthread b { y := !x }\n";
    let (_folder, file) = written("m.tb", model);
    for (formula, expected) in [
        ("F {!x == 2}", "proved"),
        ("F {!y == 2}", "violated: ltl"),
        ("F terminated && F t0.ended", "proved"),
        ("G ({!y == 2} -> {!x == 2})", "proved"),
    ] {
        assert_eq!(verdict(&file, &["--ltl", formula]), expected, "{formula}");
    }
    let output = threadbare(&["check", file.to_str().expect("a name"), "--ltl", "F {!x == z}"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && text.contains("--ltl:1:10") && text.contains("`z`"), "{text}");
}

/// Threads beyond the 64th had no mark of fairness: what was found there was a fault of our own.
#[test]
fn whoever_has_ended_needs_no_fairness() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>\n#define MOST 70\nstatic atomic_int x; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static void *nothing(void *a) { return a; }\nstatic void *waits(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return a; }\n\
        static void *set(void *a) { x = 1; return a; }\n\
        int main(void) { pthread_t t[MOST];\n\
        #ifdef AT_ONCE\n pthread_mutex_lock(&m); for (int i = 0; i < MOST; i++) pthread_create(&t[i], 0, waits, 0);\n\
        #else\n for (int i = 0; i < MOST; i++) { pthread_create(&t[i], 0, nothing, 0); pthread_join(t[i], 0); }\n\
        #endif\n pthread_create(&t[0], 0, set, 0); while (!x); return 0; }";
    let (_folder, file) = written("many.c", text);
    assert_eq!(verdict(&file, &["--ltl", "F x"]), "proved");
    assert_eq!(verdict(&file, &["--ltl", "F x", "--fairness", "none"]), "violated: ltl");
    assert_eq!(verdict(&file, &["--livelock"]), "proved");
    let (code, report) = check(&file, &["-DAT_ONCE", "--ltl", "F x"]);
    assert_eq!((code, report["verdict"].as_str()), (4, Some("unknown")), "{report}");
    assert!(report["bound"].to_string().contains("too many threads"), "{report}");
}
