//! `check --syn-out` and `check --trace-spec`, and what else a tester found in `threadbare syn`: each test has the name of what was wrong.

use std::path::Path;
use std::process::{Command, Output};

fn threadbare(words: &[&str]) -> Output {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    Command::new(env!("CARGO_BIN_EXE_threadbare")).current_dir(root).args(words).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Everything that was said, and the exit code.
fn said(words: &[&str]) -> (String, i32) {
    let output = threadbare(words);
    (text(&output.stdout) + &text(&output.stderr), output.status.code().unwrap_or(-1))
}

fn write(folder: &Path, name: &str, content: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, content).expect("writable");
    file.display().to_string()
}

const JOIN: &str = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\nvoid *one(void *u) { x = 1; return u; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); int y = x; (void)y; pthread_join(t, 0); return 0; }\n";

const READERS: &str = "#include <pthread.h>\n#include <stdatomic.h>\npthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\natomic_int a, b;\n\
    void *one(void *u) { pthread_rwlock_rdlock(&l); a = 1; pthread_rwlock_unlock(&l); return u; }\n\
    void *two(void *u) { pthread_rwlock_rdlock(&l); b = 1; pthread_rwlock_unlock(&l); return u; }\n\
    int main(void) { pthread_t t[2]; pthread_create(&t[0], 0, one, 0); pthread_create(&t[1], 0, two, 0);\n\
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return 0; }\n";

/// The search need not see the last steps of threads; sequences have them, and formulas know of them.
#[test]
fn the_last_steps_are_in_the_sequences() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, program) in [("join.c", JOIN), ("readers.c", READERS)] {
        let file = write(folder.path(), name, program);
        let out = folder.path().join(format!("{name}-out"));
        let (words, code) = said(&["check", &file, "--syn-out", &out.display().to_string()]);
        assert_eq!(code, 0, "{words}");
        for entry in std::fs::read_dir(&out).expect("it was made") {
            let sequence = std::fs::read_to_string(entry.expect("a file").path()).expect("text");
            let ends = |process: &str| process.ends_with("[label=end]") || process.ends_with("[label=exit]");
            assert!(sequence.split("\nprocess ").skip(1).all(|process| ends(process.trim_end())), "{sequence}");
        }
    }
    let file = folder.path().join("join.c").display().to_string();
    // Whoever joins ends after that.
    let (words, code) = said(&["check", &file, "--trace-spec", "G (join(*) -> X F 0.*(*))"]);
    assert_eq!((code, words.starts_with("proved")), (0, true), "{words}");
    let (words, code) = said(&["check", &file, "--trace-spec", "F (join(*) & X G !0.*(*))"]);
    assert_eq!(code, 1, "{words}");
}

/// Two read locks commute, and a sequence keeps their order: what does not hold there may hold in the program.
#[test]
fn commuting_operations_are_no_false_alarm() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "readers.c", READERS);
    for (formula, code) in [
        ("w(a) || w(b)", 4),
        ("may(w(a) ~> w(b)) & may(w(b) ~> w(a))", 4),
        ("E[F (w(b) & F w(a))] & E[F (w(a) & F w(b))]", 4),
        ("!(w(a) < w(b)) & !(w(b) < w(a))", 4),
        // What no execution may do is done by one that is known.
        ("w(a) < w(b)  &  w(b) < w(a)", 1),
        ("G !w(a)", 1),
        ("AG !w(a)", 1),
    ] {
        let (words, found) = said(&["check", &file, "--trace-spec", formula]);
        assert_eq!(found, code, "{formula}\n{words}");
        assert_eq!(words.contains("does not hold, and in another it may"), code == 4, "{formula}\n{words}");
    }
}

/// A thread that only some executions have is no mistake in the others; one that none has is.
#[test]
fn threads_that_only_some_executions_have() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\nvoid *one(void *u) { x = 1; return u; }\n\
        void *two(void *u) { y = 1; return u; }\nint main(void) { pthread_t s, t; pthread_create(&s, 0, one, 0);\n\
        if (x) { pthread_create(&t, 0, two, 0); pthread_join(t, 0); } pthread_join(s, 0); return 0; }\n";
    let file = write(folder.path(), "some.c", program);
    for (formula, code) in [
        ("G (0.1.w(y) -> F 0.1.2)", 0),
        ("G !0.1.1", 1),
        ("G (run=\"0.1\" -> !p1.evnt=0)", 0),
        ("G !0.1.evnt=1", 1),
        ("G !0.2.w(y)", 2),
        ("G !0.1.9", 2),
    ] {
        let (words, found) = said(&["check", &file, "--trace-spec", formula]);
        assert_eq!(found, code, "{formula}\n{words}");
    }
}

/// An execution that an error ends is a beginning: it breaks no formula by what is missing, and the error is what is told.
#[test]
fn errors_are_no_broken_formulas() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "#include <assert.h>\n#include <stdatomic.h>\natomic_int x, y;\n\
        int main(void) { x = 1; assert(x == 0); y = 1; return 0; }\n";
    let file = write(folder.path(), "err.c", program);
    for formula in ["F (w(x) & F op=sync)", "F w(y)", "G !w(x)"] {
        let (words, code) = said(&["check", &file, "--trace-spec", formula]);
        assert_eq!((code, words.starts_with("assertion `x == 0` failed")), (1, true), "{formula}\n{words}");
        assert!(!words.contains("does not hold"), "{formula}\n{words}");
    }
}

const PUBLISH: &str = "programs/syn/publish.c";

/// Files of an earlier run are neither taken for new ones nor removed.
#[test]
fn stale_sequences_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    write(folder.path(), "notes.txt", "mine");
    let (words, code) = said(&["check", PUBLISH, "--syn-out", &out]);
    assert_eq!((code, words.contains("3 sequences written to")), (0, true), "{words}");
    let (words, code) = said(&["check", PUBLISH, "-D", "FIXED", "--syn-out", &out]);
    assert_eq!(code, 2, "{words}");
    assert!(words.contains("has sequences already, execution-1.syn and 2 more; remove them"), "{words}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 4);
}

#[test]
fn sequences_are_counted_and_limited() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let (words, code) = said(&["check", PUBLISH, "--syn-out", &out, "--syn-limit", "1"]);
    assert_eq!(code, 0, "{words}");
    assert!(words.contains("1 sequence written to") && words.contains("2 more executions were left out"), "{words}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 1);
}

/// A trace of `--trace-spec`, whatever it is called, is one for `syn record`; and `replay` says what is violated.
#[test]
fn replay_says_which_formula_is_violated() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("trace.of.mine").display().to_string();
    let specs = ["--trace-spec", "F w(data)", "--trace-spec", "w(data) < w(ready)"];
    let (words, code) = said(&[&["check", PUBLISH, "--trace", &trace][..], &specs].concat());
    assert_eq!(code, 1, "{words}");
    let (words, code) = said(&["replay", &trace]);
    assert_eq!(code, 1, "{words}");
    assert!(
        words.contains("`w(data) < w(ready)` does not hold") && words.contains("the bug of the recording"),
        "{words}"
    );
    let output = threadbare(&["replay", &trace, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&json["verdict"], &json["bugs"][0]["kind"]), (&"violated".into(), &"ltl".into()), "{json}");
    let (words, code) = said(&["syn", "record", &trace]);
    assert_eq!((code, words.contains("w(ready,1)")), (0, true), "{words}");
    // What some execution can do is judged on the order of the whole execution, not on a beginning of it.
    let (words, code) = said(&["check", PUBLISH, "--trace", &trace, "--trace-spec", "AG !(r(ready) & EF w(data))"]);
    assert_eq!(code, 1, "{words}");
    let (words, code) = said(&["replay", &trace]);
    assert_eq!(code, 1, "{words}");
}

/// What is not parallel is told in its order.
#[test]
fn relations_that_do_not_hold_say_why() {
    for (formula, part) in [
        ("p0.0 || p1.0", "p0.0 r(a,0) comes before p1.0 w(a,1)"),
        ("p1.3 || p0.0", "p0.0 r(a,0) comes before p1.3 r(a,2)"),
        ("w(b) || p0.0", "no event is w(b)"),
        ("r(b) < r(a)", "p0.0 r(a,0) comes before p1.2 r(b,0), as in this linearisation"),
        ("!may(r(a) ~> r(b))", "p0.2 r(a,1) comes right before p1.1 r(b,0)"),
        ("!(r(a) || r(b))", "neither of p0.2 r(a,1) and p1.1 r(b,0) comes before the other"),
    ] {
        let (words, code) = said(&["syn", "check", "programs/syn/thesis.syn", "--ltl", formula]);
        assert_eq!((code, words.contains(part)), (1, true), "{formula}\n{words}");
    }
}

#[test]
fn errors_name_the_option_that_was_given() {
    for (words, option) in [
        (&["check", PUBLISH, "--trace-spec", "F w(data) &"][..], "--trace-spec:1:"),
        (&["syn", "check", "programs/syn/thesis.syn", "--ltl", "F w(a) &"], "--ltl:1:"),
    ] {
        let (words, code) = said(words);
        assert_eq!((code, words.contains(option)), (2, true), "{words}");
    }
}

/// All formulas are looked at before the first answer.
#[test]
fn no_answers_before_an_error() {
    for wrong in ["F r(nobody)", "EF r(a) & G EF w(a)", "G (r(a) || r(b))", "F r(a) || w(a)"] {
        let output = threadbare(&["syn", "check", "programs/syn/thesis.syn", "--ltl", "F r(b)", "--ltl", wrong]);
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""), "{wrong}");
    }
}

/// The title of a single process is shown, and each part of an event that is joined has its own value.
#[test]
fn pictures_of_one_process_and_of_joined_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "one.syn", "var a = 4, 7\nvar b = 1, 2\nprocess main:\n  r(a,0)+w(b,1) w(a,1)\n");
    let (dot, code) = said(&["syn", "graph", &file]);
    assert_eq!((code, dot.contains("invis")), (0, false), "{dot}");
    assert!(dot.contains("label=\"r(a,0) = 4 +\\nw(b,1) = 2\""), "{dot}");
    let (words, _) = said(&["syn", "check", &file]);
    assert!(words.contains("consistent: 2 events of 1 process, 1 edge, at most 3 states"), "{words}");
    // What stands across two narrow lanes is not cut.
    let (words, _) = said(&["syn", "check", "programs/syn/thesis.syn", "--ltl", "(a=4 | a=7) U vid=b"]);
    assert!(words.contains("everything stays as it is, for ever"), "{words}");
}

/// A lattice of 2^2000 states is refused at once, with its size; what breaks a formula near the start is found all the same.
#[test]
fn a_hopeless_lattice_is_refused_early() {
    let folder = tempfile::tempdir().expect("a folder");
    let wide: String = (0..2_000).map(|n| format!("process q{n}: w(v{n},1)\n")).collect();
    let own = |n: usize| (1..=1_000).map(|k| format!(" w(v{n},{k})")).collect::<String>();
    let long: String = (0..4).map(|n| format!("process q{n}:{}\n", own(n))).collect();
    for (name, sequence, formula, code, part) in [
        ("wide.syn", &wide, "AG !(w(v0) & w(v1))", 4, "there are 10^602 states in the stateless model\n"),
        ("wide.syn", &wide, "G !(w(v0) & w(v1))", 4, "there are 10^602 states in the stateless model; "),
        ("wide.syn", &wide, "w(v0) || w(v1)", 0, "holds"),
        (
            "long.syn",
            &long,
            "G (w(v0,1000) -> X !w(v0,1))",
            4,
            "there are 10^12 states in the stateless model; 100,000",
        ),
        ("long.syn", &long, "F (q0.0 & X q1.0)", 1, "does not hold"),
    ] {
        let file = write(folder.path(), name, sequence);
        let output = threadbare(&["syn", "check", &file, "--ctl", formula]);
        let said = text(&output.stdout);
        assert_eq!((output.status.code(), said.contains(part)), (Some(code), true), "{formula}\n{said}");
        assert_eq!(said.contains("`--model partial-order` has one"), code == 4, "{said}");
    }
}

const BEGIN: &str = "#include <pthread.h>\n#include <stdatomic.h>\n";

/// 1: nothing happens after the end of the process, whoever ends it.
#[test]
fn the_end_of_the_process_comes_after_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    let returns = "atomic_int x, y;\nvoid *one(void *u) { x = 1; return u; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); y = 2; return 0; }\n";
    let exits = "#include <stdlib.h>\natomic_int x, y;\nvoid *one(void *u) { (void)u; y = 1; exit(0); }\n\
        void *two(void *u) { x = 2; return u; }\nint main(void) { pthread_t s, t; pthread_create(&s, 0, one, 0);\n\
        pthread_create(&t, 0, two, 0); pthread_join(s, 0); pthread_join(t, 0); return 0; }\n";
    let spins = "atomic_int x, y;\nvoid *one(void *u) { x = 1; while (!y) ; return u; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); return 0; }\n";
    for (name, program, end) in
        [("returns.c", returns, "label=exit"), ("exits.c", exits, "0.0.2"), ("spins.c", spins, "label=exit")]
    {
        let file = write(folder.path(), name, &format!("{BEGIN}{program}"));
        for (relation, code) in [("<", 0), ("||", 1)] {
            let (words, found) = said(&["check", &file, "--trace-spec", &format!("w(x) {relation} {end}")]);
            assert_eq!(found, code, "{name} {relation}\n{words}");
        }
    }
}

/// 2: where threads end one by one, the order in which they do is free, and no one's own step ends the process.
#[test]
fn the_last_thread_may_be_any() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "atomic_int x, y;\nvoid *one(void *u) { x = 1; return u; }\nvoid *two(void *u) { y = 1; return u; }\n\
        int main(void) { pthread_t s, t; pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0); pthread_exit(0); }\n";
    let file = write(folder.path(), "last.c", &format!("{BEGIN}{program}"));
    for (formula, code) in [("0.0.2 < 0.1.2", 1), ("0.1.2 < 0.0.2", 1), ("0.0.2 || 0.1.2", 0), ("G !label=exit", 2)] {
        let (words, found) = said(&["check", &file, "--trace-spec", formula]);
        assert_eq!(found, code, "{formula}\n{words}");
    }
}

/// 4: static variables of functions and of files, and local ones of threads, are told apart by their names.
#[test]
fn objects_of_one_name_are_not_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let main = "int main(void) { pthread_t s, t; pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);\n\
        pthread_join(s, 0); pthread_join(t, 0); return 0; }\n";
    let functions = "void *one(void *u) { static atomic_int x; x = 1; return u; }\n\
        void *two(void *u) { static atomic_int x; x = 2; return u; }\n";
    let file = write(folder.path(), "functions.c", &format!("{BEGIN}{functions}{main}"));
    let (words, code) = said(&["check", &file, "--trace-spec", "w(one.x) || w(two.x)"]);
    assert_eq!((code, words.contains("executions   1\n")), (0, true), "{words}");
    let first = "static atomic_int x;\nextern void *two(void *);\nvoid *one(void *u) { x = 1; return u; }\n";
    let first = write(folder.path(), "first.c", &format!("{BEGIN}{first}{main}"));
    let second = "static atomic_int x;\nvoid *two(void *u) { x = 2; return u; }\n";
    let second = write(folder.path(), "second.c", &format!("{BEGIN}{second}"));
    let (words, code) = said(&["check", &first, &second, "--trace-spec", "w(first.x) || w(second.x)"]);
    assert_eq!(code, 0, "{words}");
    let locals = "void *other(void *u) { *(atomic_int *)u = 9; return 0; }\nvoid *one(void *u) { atomic_int own = 0; pthread_t t;\n\
        pthread_create(&t, 0, other, &own); pthread_join(t, 0); return u; }\n";
    let file = write(folder.path(), "locals.c", &format!("{BEGIN}{locals}{}", main.replace("two", "one")));
    let (words, code) = said(&["check", &file, "--trace-spec", "w(\"own of 0.0\") || w(\"own of 0.1\")"]);
    assert_eq!(code, 0, "{words}");
}

/// 5: a deadlock is an error like others: no formula is broken by what is missing then.
#[test]
fn deadlocks_are_no_broken_formulas() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\natomic_int x;\n\
        void *one(void *u) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); x = 1; pthread_mutex_unlock(&n);\n\
        pthread_mutex_unlock(&m); return u; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); pthread_mutex_lock(&n); pthread_mutex_lock(&m);\n\
        x = 2; pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); pthread_join(t, 0); return 0; }\n";
    let file = write(folder.path(), "stuck.c", &format!("{BEGIN}{program}"));
    let (words, code) = said(&["check", &file, "--trace-spec", "F w(x)"]);
    assert_eq!((code, words.starts_with("deadlock")), (1, true), "{words}");
    assert!(!words.contains("does not hold") && !words.contains("--max-bugs"), "{words}");
}

/// 6a: what is read is not overwritten.
#[test]
fn inputs_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = write(folder.path(), "join.c", JOIN);
    let log = write(folder.path(), "log.csv", "p, w, a, 1\n");
    for (words, file) in [
        (&["syn", "record", &program, "-o", &program][..], &program),
        (&["syn", "import", &log, "-o", &log], &log),
        (&["syn", "smv", &log, "--ltl", "F w(a)", "-o", &log], &log),
        (&["syn", "check", &log, "--dot", &log], &log),
        (&["syn", "graph", &log, "--svg", &log], &log),
    ] {
        let before = std::fs::read_to_string(file).expect("text");
        let (said, code) = said(words);
        assert_eq!((code, said.contains("would be lost")), (2, true), "{words:?}\n{said}");
        assert_eq!(std::fs::read_to_string(file).expect("text"), before);
    }
}

/// 6b: what could not be written is an error.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    for words in [
        &["syn", "import", "programs/syn/thesis.syn"][..],
        &["syn", "graph", "programs/syn/thesis.syn"],
        &["syn", "check", "programs/syn/thesis.syn"],
        &["syn", "check", "programs/syn/thesis.syn", "--ltl", "F r(b)"],
        &["syn", "check", "programs/syn/thesis.syn", "--ltl", "G r(b)", "--format", "json"],
        &["check", PUBLISH],
        &["check", PUBLISH, "--format", "json"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        let output = command.current_dir(root).args(words).stdout(full).output().expect("it starts");
        let said = text(&output.stderr);
        assert_eq!(
            (output.status.code(), said.contains("cannot write to the standard output")),
            (Some(2), true),
            "{said}"
        );
    }
}

/// 3: what no execution has is refused, whether or not the formula would hold without it; what some have is not.
#[test]
fn names_that_no_execution_has() {
    let folder = tempfile::tempdir().expect("a folder");
    for formula in ["F w(nope)", "G !w(nope)", "w(nope) < w(ready)"] {
        let (words, code) = said(&["check", PUBLISH, "--trace-spec", formula]);
        assert_eq!((code, words.contains("no execution has it")), (2, true), "{formula}\n{words}");
        assert!(words.contains("--races allow"), "{words}");
    }
    let program = "atomic_int x, y;\nvoid *one(void *u) { x = 1; return u; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); if (x) y = 1; pthread_join(t, 0); return 0; }\n";
    let file = write(folder.path(), "some.c", &format!("{BEGIN}{program}"));
    for (formula, code) in [("F w(y)", 1), ("G !w(y)", 1), ("F w(x)", 0)] {
        let (words, found) = said(&["check", &file, "--trace-spec", formula]);
        assert_eq!(found, code, "{formula}\n{words}");
    }
}

/// 6c, 6d: nothing is dropped in silence.
#[test]
fn values_of_messages_and_repeated_remarks_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content, part) in [
        ("mail.csv", "p, send, c, 5\nq, receive, c\n", "messages have no values"),
        ("twice.syn", "process p:\n  w(a,1) [label=x, label=y]\n", "an event has one `label` only"),
    ] {
        let (words, code) = said(&["syn", "check", &write(folder.path(), name, content)]);
        assert_eq!((code, words.contains(part)), (2, true), "{words}");
    }
}

/// 3: recordings say what a process is, and formulas may call it so.
#[test]
fn processes_are_called_by_what_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.syn").display().to_string();
    assert_eq!(said(&["syn", "record", PUBLISH, "-o", &file]).1, 0);
    for formula in ["main.0 < main.1", "main.create(*) < produce.w(data)", "F run = main", "F main.evnt = 1"] {
        let (words, code) = said(&["syn", "check", &file, "--ltl", formula]);
        assert_eq!(code, 0, "{formula}\n{words}");
    }
    let (words, code) = said(&["check", PUBLISH, "--trace-spec", "main.0 < produce.w(data)"]);
    assert_eq!(code, 0, "{words}");
    let program = "void *one(void *u) { return u; }\nint main(void) { pthread_t s, t; pthread_create(&s, 0, one, 0);\n\
        pthread_create(&t, 0, one, 0); pthread_join(s, 0); pthread_join(t, 0); return 0; }\n";
    let twice = write(folder.path(), "twice.c", &format!("{BEGIN}{program}"));
    let (words, code) = said(&["check", &twice, "--trace-spec", "F one.0"]);
    assert_eq!((code, words.contains("2 processes are `one`: `0.0`, `0.1`")), (2, true), "{words}");
}

/// 6e: truth values, letters and large numbers are values.
#[test]
fn values_of_all_integers_are_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "#include <stdbool.h>\natomic_bool b; atomic_ulong u; atomic_char c;\n\
        int main(void) { b = true; u = ~0ul; c = 'x'; b = false; c = 1; return 0; }\n";
    let file = write(folder.path(), "values.c", &format!("{BEGIN}{program}"));
    let (words, code) = said(&["syn", "record", &file]);
    assert_eq!(code, 0, "{words}");
    for part in ["var b = 0, 1, 0\n", "var u = 0, 18446744073709551615\n", "var c = 0, 120, 1\n"] {
        assert!(words.contains(part), "{part}\n{words}");
    }
    let (words, code) = said(&["check", &file, "--trace-spec", "F (b = 1 & u = 18446744073709551615 & c = 120)"]);
    assert_eq!(code, 0, "{words}");
}

/// What threads allocate has the same name whoever comes first.
#[test]
fn heap_objects_have_one_name_in_all_executions() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "#include <stdlib.h>\nstruct cell { atomic_int a, b; };\nstruct cell *_Atomic top;\n\
        void *one(void *u) { struct cell *c = calloc(1, sizeof *c); c->a = 1; top = c; return u; }\n\
        void *two(void *u) { struct cell *c = calloc(1, sizeof *c); c->b = 2; top = c; return u; }\n\
        int main(void) { pthread_t s, t; pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);\n\
        pthread_join(s, 0); pthread_join(t, 0); top->a = 3; free(top); return 0; }\n";
    let file = write(folder.path(), "heap.c", &format!("{BEGIN}{program}"));
    let out = folder.path().join("out").display().to_string();
    let (words, code) = said(&["check", &file, "--syn-out", &out]);
    assert_eq!(code, 0, "{words}");
    let mut files = 0;
    for entry in std::fs::read_dir(&out).expect("it was made") {
        let sequence = std::fs::read_to_string(entry.expect("a file").path()).expect("text");
        let own = |process: &str| {
            let of = sequence.split("\nprocess ").find(|text| text.starts_with(process)).expect("there");
            of.lines().find_map(|line| line.trim().strip_prefix("w(\"heap#")).map(str::to_string)
        };
        assert!(own("0.0 one").is_some_and(|name| name.contains(".a of 0.0\"")), "{sequence}");
        assert!(sequence.contains("sync(\"heap#1 of 0.") && !sequence.contains("var \"heap#1 of"), "{sequence}");
        assert!(own("0.1 two").is_some_and(|name| name.contains(".b of 0.1\"")), "{sequence}");
        files += 1;
    }
    assert!(files > 1);
}

/// 10a: what is only the beginning of an execution says so.
#[test]
fn recordings_of_errors_are_marked() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "#include <assert.h>\natomic_int x;\nint main(void) { x = 3; assert(x == 4); return 0; }\n";
    let file = write(folder.path(), "bug.c", &format!("{BEGIN}{program}"));
    let dead = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }\n";
    let dead = write(folder.path(), "dead.c", &format!("{BEGIN}{dead}"));
    let (trace, out) = (folder.path().join("t").display().to_string(), folder.path().join("out").display().to_string());
    assert_eq!(said(&["check", &file, "--trace", &trace, "--syn-out", &out]).1, 1);
    let mut texts = vec![std::fs::read_to_string(format!("{out}/execution-1.syn")).expect("written")];
    for (from, words) in [(&file, "assertion"), (&trace, "assertion"), (&dead, "deadlock")] {
        let output = threadbare(&["syn", "record", from]);
        assert_eq!(output.status.code(), Some(0));
        let told = text(&output.stderr);
        assert!(told.contains("ends in an error") && told.contains(words), "{told}");
        texts.push(text(&output.stdout));
    }
    for written in texts {
        assert!(written.starts_with("error \""), "{written}");
        let file = write(folder.path(), "again.syn", &written);
        assert_eq!(said(&["syn", "check", &file]).1, 0, "{written}");
    }
}

/// 9: what is long is folded.
#[test]
fn long_linearisations_are_folded() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut sequence = String::from("process p:\n");
    (1..=300).for_each(|n| sequence += &format!("  w(a,{n})\n"));
    let file = write(folder.path(), "long.syn", &sequence);
    for formula in ["G !w(a,200)", "F w(a,300) & AG !w(a,200)", "EF w(a,200)", "!w(a,250) < w(a,250)"] {
        let [short, long] =
            [&[][..], &["--full"]].map(|flags| said(&[&["syn", "check", &file, "--ltl", formula], flags].concat()).0);
        assert!(short.lines().count() < 60, "{formula}\n{short}");
        assert!(long.lines().count() > 200, "{formula}\n{long}");
        assert!(short.contains("--full") || short.contains("200"), "{formula}\n{short}");
    }
}

/// 11: exit codes, reasons, places, remarks.
#[test]
fn small_things() {
    let folder = tempfile::tempdir().expect("a folder");
    let wide = "programs/syn/independent-10.syn";
    let (words, code) = said(&["syn", "graph", wide, "--model", "stateless"]);
    assert_eq!((code, words.contains("more than 2000 states")), (4, true), "{words}");
    let limited = ["syn", "check", wide, "--ltl", "G (p0.5 -> !X p0.0)", "--state-limit", "1000", "--format", "json"];
    let output = threadbare(&limited);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let reason = json["formulas"][0]["reason"].as_str().unwrap_or_default();
    assert_eq!((output.status.code(), reason.starts_with("there are 14,641 states")), (Some(4), true), "{json}");
    let bytes = folder.path().join("bytes.syn");
    std::fs::write(&bytes, b"process:\n  w(\xffa,1)\n").expect("writable");
    let (words, code) = said(&["syn", "check", &bytes.display().to_string()]);
    assert_eq!((code, words.contains("not text in UTF-8") && words.contains("bytes.syn:2:5")), (2, true), "{words}");
    // A value that nobody has is a question, and the answer says what it rests on.
    let example = "programs/syn/thesis.syn";
    let (words, code) = said(&["syn", "check", example, "--ltl", "G !val=9"]);
    assert_eq!((code, words.contains("\n  no event is `val=9`\n")), (0, true), "{words}");
    let (words, _) = said(&["syn", "check", example, "--ltl", "val=9 < r(b)"]);
    assert_eq!(words.matches("no event is").count(), 1, "{words}");
}

/// Whoever copies an example from the manual has a sequence that is accepted.
#[test]
fn the_examples_of_the_manual_are_consistent() {
    let folder = tempfile::tempdir().expect("a folder");
    let manual =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/syn.md")).expect("it is there");
    let mut checked = 0;
    for block in manual.split("\n\n    ") {
        let own =
            block.lines().enumerate().take_while(|(i, line)| *i == 0 || line.is_empty() || line.starts_with("    "));
        let text: String = own.map(|(_, line)| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect();
        let name = match &text {
            text if text.starts_with("var ") => "a.syn",
            text if text.starts_with("{\"") => "a.json",
            text if text.starts_with("process, ") => "a.csv",
            _ => continue,
        };
        // The text goes on behind an empty line.
        let text = if name == "a.syn" { example(&manual) } else { text };
        let (words, code) = said(&["syn", "check", &write(folder.path(), name, &text)]);
        assert_eq!((code, words.starts_with("consistent: ")), (0, true), "{text}\n{words}");
        checked += 1;
    }
    assert_eq!(checked, 3);
}

/// The example of the text format, as it stands there.
fn example(manual: &str) -> String {
    let from = manual.find("    var a = ").expect("there is one");
    let lines = manual[from..].lines().take_while(|line| line.is_empty() || line.starts_with("    "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The rounds of a loop that waits are no events of a search, so that formulas about them were "proved" that a recording breaks.
#[test]
fn rounds_of_waiting_loops_are_no_proof() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = |wait: &str| {
        format!(
            "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\nvoid *one(void *u) {{ {wait} return u; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, one, 0); x = 1; pthread_join(t, 0); return 0; }}\n"
        )
    };
    let waits = write(folder.path(), "waits.c", &program("while (!x) {}"));
    for strategy in ["optimal", "dfs"] {
        let (answer, code) = said(&["check", &waits, "--trace-spec", "w(x) < r(x)", "--strategy", strategy]);
        assert!(code == 4 && answer.contains("only waits"), "{strategy}: {answer}");
    }
    let looks = write(folder.path(), "looks.c", &program("(void)(x == 2);"));
    let (answer, code) = said(&["check", &looks, "--trace-spec", "F w(x)"]);
    assert!(code == 0 && answer.starts_with("proved"), "{answer}");
}
