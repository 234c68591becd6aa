//! What formulas on recorded executions say where somebody may mean something else: values that are not known, variables that not every
//! execution has, events that there are none of, and the words of all that.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn command(words: &[&str]) -> Command {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.current_dir(root).args(words);
    command
}

fn text(output: &Output) -> (String, i32) {
    let both = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    (both.concat(), output.status.code().unwrap_or(-1))
}

/// Everything that was said, and the exit code.
fn said(words: &[&str]) -> (String, i32) {
    text(&command(words).output().expect("it starts"))
}

/// Without breaks of lines.
fn flat(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn write(folder: &Path, name: &str, content: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, content).expect("writable");
    file.display().to_string()
}

const THESIS: &str = "programs/syn/thesis.syn";
const BEGIN: &str = "#include <pthread.h>\n#include <stdatomic.h>\n";

/// What reads and writes at once does both, and what fits no event of any execution is told.
#[test]
fn updates_are_reads_and_writes_of_a_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "atomic_int x, done;\nvoid *add(void *u) { atomic_fetch_add(&x, 1); atomic_store(&done, 1); return u; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); add(0); pthread_join(t, 0); return 0; }\n";
    let file = write(folder.path(), "add.c", &format!("{BEGIN}{program}"));
    for (formula, code, part) in [
        ("G !w(x)", 1, "`G !w(x)` does not hold"),
        ("F (r(x) & w(x) & rw(x))", 0, "proved"),
        ("G (w(x) -> r(x))", 0, "proved"),
        ("G !lock(x)", 0, "no event of any execution is `lock(x)`"),
        ("F lock(x)", 1, "no event is `lock(x)`"),
        ("w(x) -> false", 0, "`w(x)` is asked of the start, where no event has happened yet"),
    ] {
        let (words, found) = said(&["check", &file, "--trace-spec", formula]);
        assert_eq!((found, flat(&words).contains(part)), (code, true), "{formula}\n{words}");
    }
    let output =
        command(&["check", &file, "--trace-spec", "G !lock(x)", "--format", "json"]).output().expect("it starts");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(json["assumptions"].to_string().contains("no event of any execution is `lock(x)`"), "{json}");
}

/// A variable that an execution does not touch is what others say it is at the start, whichever comes first.
#[test]
fn variables_that_only_some_executions_touch() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = |first: &str, then: &str| {
        format!(
            "{BEGIN}atomic_int x, y = 3, z;\nvoid *one(void *u) {{ {first} return u; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, one, 0); {then} pthread_join(t, 0); return 0; }}\n"
        )
    };
    // Either way round, so that the search comes to the execution with `y` first or last.
    let programs =
        [program("if (x) y = 1;", "x = 1;"), program("x = 1;", "if (x) y = 1;"), program("x = 1;", "if (!x) y = 1;")];
    for (number, program) in programs.iter().enumerate() {
        let file = write(folder.path(), &format!("some{number}.c"), program);
        for (formula, code) in [
            ("G y<4", 0),
            ("G y>0", 0),
            ("F y=3", 0),
            ("G y=3", 1),
            ("F y=1", 1),
            ("EF y=3", 0),
            ("yVer=0", 0),
            ("F yVer=1", 1),
            ("G (w(y) -> y=1)", 0),
            ("G (y=3 | y=1)", 0),
            ("G nobody=3", 2),
        ] {
            for strategy in ["optimal", "dfs"] {
                let (words, found) = said(&["check", &file, "--trace-spec", formula, "--strategy", strategy]);
                assert_eq!(found, code, "{number} {formula} {strategy}\n{words}");
            }
        }
        // It is replayed as what it is.
        let trace = folder.path().join("t.json").display().to_string();
        let (words, code) = said(&["check", &file, "--trace-spec", "F y=1", "--trace", &trace]);
        assert_eq!(code, 1, "{words}");
        let (words, code) = said(&["replay", &trace]);
        assert_eq!((code, words.contains("`F y=1` does not hold")), (1, true), "{words}");
    }
}

/// What differs at the start is no variable that others could tell of: an answer that rests on it is no proof.
#[test]
fn variables_that_differ_at_the_start_prove_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    // A plain access is no event, so `y` is 0 or 5 when it is first looked at.
    let program = "atomic_int x;\nint y;\nvoid *one(void *u) { x = 1; return u; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); if (x) y = 5; if (x) __atomic_load_n(&y, 5);\n\
        pthread_join(t, 0); return 0; }\n";
    let file = write(folder.path(), "own.c", &format!("{BEGIN}{program}"));
    for (formula, code) in [("G y<9", 4), ("F w(x)", 0), ("G (r(y) -> y<9)", 0)] {
        for strategy in ["optimal", "dfs"] {
            let (words, found) = said(&["check", &file, "--trace-spec", formula, "--strategy", strategy]);
            assert_eq!(found, code, "{formula} {strategy}\n{words}");
        }
    }
}

/// Values before `sem_init` are not known, and matter to few formulas; names of an enumeration are numbers.
#[test]
fn semaphores_and_enumerations_have_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "#include <semaphore.h>\nenum colour { RED, GREEN = 7 };\n_Atomic enum colour colour;\nsem_t s;\n\
        void *one(void *u) { colour = GREEN; sem_post(&s); return u; }\n\
        int main(void) { pthread_t t; sem_init(&s, 0, 1); pthread_create(&t, 0, one, 0); sem_wait(&s); pthread_join(t, 0); return 0; }\n";
    let file = write(folder.path(), "values.c", &format!("{BEGIN}{program}"));
    for (formula, code, part) in [
        ("F colour=7", 0, "proved"),
        ("G (colour=0 | colour=7)", 0, "proved"),
        ("G colour<7", 1, "colour: RED (0) → GREEN (7)"),
        ("F (post(s) & s>0)", 0, "proved"),
        ("G (post(s) -> s>0)", 0, "proved"),
        (
            "G s<=2",
            4,
            "the value of `s` in version 0, which is not known: it holds if that is 2, and does not if it is 3",
        ),
    ] {
        let (words, found) = said(&["check", &file, "--trace-spec", formula]);
        assert_eq!((found, flat(&words).contains(part)), (code, true), "{formula}\n{words}");
    }
}

#[test]
fn logs_that_begin_with_a_write_have_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = write(folder.path(), "log.csv", "p,w,a,1\nq,r,a,1\nq,w,a,2\nq,w,b,_\n");
    for (formula, code, part) in [
        ("F a=1", 0, "  the value of `a` in version 0 is not known; the answer is the same whatever it is"),
        ("F val=1", 0, "holds"),
        ("G (r(a) -> a=1)", 0, "holds"),
        ("G a<3", 4, "unknown  G a<3\n  it hangs on the value of `a` in version 0, which is not known"),
    ] {
        let (words, found) = said(&["syn", "check", &log, "--ltl", formula]);
        let is_there = words.contains(part) || flat(&words).contains(&flat(part));
        assert_eq!((found, is_there), (code, true), "{formula}\n{words}");
    }
    let output = command(&["syn", "check", &log, "--ltl", "G a<3", "--format", "json"]).output().expect("it starts");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&json["verdict"], &json["formulas"][0]["holds"]), (&"unknown".into(), &serde_json::Value::Null));
    assert!(json["formulas"][0]["reason"].as_str().is_some_and(|why| why.contains("not known")), "{json}");
    // What is not known is not shown as if it were.
    let (words, code) = said(&["syn", "check", &log, "--ltl", "G (a=1 -> X a=7)"]);
    assert_eq!((code, words.contains("longer a=7"), words.contains("no longer a=1")), (1, false, true), "{words}");
    let (words, code) = said(&["syn", "smv", &log, "--ltl", "F a=1"]);
    assert_eq!((code, words.contains("`a=1` asks for a value that is not known")), (2, true), "{words}");
}

/// One rule for all parts of an event; what nobody has written is not there.
#[test]
fn parts_of_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(
        folder.path(),
        "parts.syn",
        "var a = 0, 1, 2\nprocess p: w(a,1) [line=src/a.c:9] r(a,1)+w(a,2) [pc=7, line=b.c:9]\nprocess q: r(b,0)+w(c,1)\n",
    );
    for (formula, code) in [
        ("F (op!=r & p.1)", 1),
        ("F (vid!=b & q.0)", 1),
        ("F (ver!=1 & p.1)", 1),
        ("F (val!=2 & p.1)", 1),
        ("F (val!=7 & q.0)", 0),
        ("F (ver<2 & ver>1)", 0),
        ("F (pc=7 & p.1)", 0),
        ("F (pc!=7 & p.0)", 0),
        ("F pc=1", 2),
        ("F (line=9 & p.0) & F (line=9 & p.1)", 0),
        ("G (line=a.c:9 <-> p.0) & G (line=src/a.c:9 <-> p.0)", 0),
        ("G (line=\"b.c:9\" <-> p.1)", 0),
        ("F line=c.c:9", 2),
        ("F line=.c:9", 2),
    ] {
        let (words, found) = said(&["syn", "check", &file, "--ltl", formula]);
        assert_eq!(found, code, "{formula}\n{words}");
    }
    let (words, code) = said(&["syn", "check", THESIS, "--ltl", "F pc=3"]);
    assert_eq!((code, words.contains("no event has a `pc` in this sequence")), (2, true), "{words}");
}

#[test]
fn too_many_states_are_told_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let wide: String = (0..3_000).map(|n| format!("process q{n}: w(v{n},1)\n")).collect();
    let wide = write(folder.path(), "wide.syn", &wide);
    let (words, code) = said(&["syn", "check", &wide, "--ltl", "F w(v7)"]);
    let words = flat(&words);
    assert_eq!((code, words.contains("were looked at, which took up 256 MiB")), (4, true), "{words}");
    assert!(!words.contains("--state-limit"), "{words}");
    let (words, code) = said(&["syn", "check", &wide, "--ltl", "G !w(v2999)", "--state-limit", "5"]);
    assert_eq!((code, flat(&words).contains("; 5 of them were looked at")), (4, true), "{words}");
    let few =
        ["syn", "check", "programs/syn/independent-10.syn", "--ltl", "G (p0.5 -> !X p0.0)", "--state-limit", "1000"];
    let (words, code) = said(&few);
    let words = flat(&words);
    assert!(
        code == 4 && words.contains("1000 of them were looked at relations") && words.contains("(now 1000) allows"),
        "{words}"
    );
}

#[test]
fn an_event_that_is_asked_of_the_start_is_told() {
    for (words, told) in [
        (&["r(a) -> false"][..], true),
        (&["F r(a) | w(a)"], true),
        (&["AG (r(a) -> AF w(a)) | r(b)"], true),
        (&["G (r(a) -> F r(a))"], false),
        (&["a=4 -> F r(b)"], false),
        (&["r(a) -> F r(b)", "--model", "partial-order"], false),
    ] {
        let (said, code) = said(&[&["syn", "check", THESIS, "--ltl"][..], words].concat());
        assert_eq!((code < 2, said.contains("is asked of the start")), (true, told), "{words:?}\n{said}");
    }
}

/// Messages of formulas, each with what helps.
#[test]
fn mistakes_in_formulas_have_their_own_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let indexed = write(folder.path(), "indexed.syn", "process: w(q[3],1)\n");
    let long = "9".repeat(44);
    for (file, formula, parts) in [
        (indexed.as_str(), "{q[3] = -5}", &["`q[3].Ver` is the number of its version"][..]),
        (THESIS, "a=", &["a number or a name is needed behind `=`", "--ltl:1:2"]),
        (THESIS, "F a != ", &["a number or a name is needed behind `!=`"]),
        (THESIS, "F p9.0", &["there is no process `p9`", "there is `p0`, `p1`"]),
        (THESIS, "may(r(a) ~> w(a) & r(b))", &["`)` expected, not `&`", "write `may(p ~> (q & r))`"]),
        (THESIS, "r(a) ~> w(a) ~> r(b)", &["write `p ~> q & q ~> r` for three in a row"]),
        (THESIS, "r(a) || w(a) || r(b)", &["write `p || q & q || r` for three in a row"]),
        (THESIS, &format!("F a = {long}"), &["this number is too large", "2^127"]),
    ] {
        let (words, code) = said(&["syn", "check", file, "--ltl", formula]);
        assert_eq!((code, parts.iter().all(|part| words.contains(part))), (2, true), "{formula}\n{words}");
    }
    let (words, code) = said(&["syn", "check", &indexed, "--ltl", "F q[3].Ver = 1"]);
    assert_eq!(code, 0, "{words}");
    for (spec, part) in [
        ("define N(a) = r(a)\nF r(a)", "a definition is one name, `=` and a formula"),
        ("x y: F r(a)", "the name of a formula is one word"),
    ] {
        let (words, code) = said(&["syn", "check", THESIS, "--spec", &write(folder.path(), "a.spec", spec)]);
        assert_eq!((code, words.contains(part)), (2, true), "{words}");
    }
    let (words, code) = said(&["syn", "smv", THESIS, "--ltl", "E[G F r(a)]"]);
    assert_eq!((code, words.contains("`E[…]` around a formula of LTL cannot be said to NuSMV")), (2, true), "{words}");
    let (words, code) = said(&["syn", "check", THESIS, "--ltl", "F r(a)", "--state-limit", "-1"]);
    assert_eq!((code, words.contains("clang"), words.contains("invalid value '-1'")), (2, false, true), "{words}");
    let (words, code) = said(&["syn", "check", THESIS, "--lt", "F r(a)"]);
    assert_eq!((code, words.contains("clang")), (2, false), "{words}");
    for version in ["18446744073709551615", "4294967296", &long] {
        let file = write(folder.path(), "large.syn", &format!("process: w(a,{version})\n"));
        let (words, code) = said(&["syn", "check", &file]);
        assert_eq!((code, words.contains("versions are numbers from 0 to 100000000")), (2, true), "{words}");
    }
}

/// How two events stand to each other, in words that fit, and with a linearisation.
#[test]
fn relations_are_shown_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "two.syn", "var a = 0, 5\nprocess p: w(a,1)\nprocess q: r(b,0)\n");
    for (file, formula, part) in [
        (file.as_str(), "val=5 < q.0", "q.0 r(b,0) may come before p.0 w(a,1), as in this linearisation:"),
        (THESIS, "r(b) < r(a)", "p0.0 r(a,0) comes before p1.2 r(b,0), as in this linearisation:"),
        (THESIS, "p1.1 ~> p1.2", "p1.1 r(b,0) need not come right before p1.2 r(b,0), as in this linearisation:"),
        (THESIS, "p0.0 ~> p0.0", "p0.0 r(a,0) is both"),
    ] {
        let (words, code) = said(&["syn", "check", file, "--ltl", formula]);
        assert_eq!((code, flat(&words).contains(part)), (1, true), "{formula}\n{words}");
    }
    let apart = ["syn", "check", THESIS, "--ltl", "p1.1 ~> p1.2", "--format", "json"];
    let json: serde_json::Value =
        serde_json::from_slice(&command(&apart).output().expect("it starts").stdout).expect("JSON");
    assert_eq!(json["formulas"][0]["events"].as_array().map(Vec::len), Some(8), "{json}");
}

/// A log may have any name, and come from the standard input.
#[test]
fn logs_are_known_by_what_is_in_them() {
    let folder = tempfile::tempdir().expect("a folder");
    for log in ["p,w,a,1\nq,r,a,1\n", "# a log\nprocess, op, object, value\np, w, a, 1\n", "\"p 1\",lock,m\n"] {
        let (words, code) = said(&["syn", "check", &write(folder.path(), "log.txt", log)]);
        assert_eq!((code, words.starts_with("consistent: ")), (0, true), "{words}");
        for sequence in [
            log,
            "process: r(a,0)\n",
            "{\"processes\": [{\"events\": [{\"op\": \"r\", \"object\": \"a\", \"version\": 0}]}]}",
        ] {
            let mut child = command(&["syn", "check", "-"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("it starts");
            child.stdin.take().expect("a pipe").write_all(sequence.as_bytes()).expect("it reads");
            let (words, code) = text(&child.wait_with_output().expect("it ends"));
            assert_eq!((code, words.starts_with("consistent: ")), (0, true), "{words}");
        }
    }
    let (words, code) = said(&["syn", "check", &write(folder.path(), "odd.txt", "p; w; a\n")]);
    assert_eq!((code, words.contains("a log in CSV has `process, op, object[, value]`")), (2, true), "{words}");
}

#[test]
fn json_has_its_version_and_says_what_was_shown() {
    for (words, verdict, code) in [
        (&[][..], "consistent", 0),
        (&["--ltl", "F r(a)"], "proved", 0),
        (&["--ltl", "G r(a)"], "violated", 1),
        (&["--ltl", "F r(nobody)"], "error", 2),
    ] {
        let all = [&["syn", "check", THESIS, "--format", "json"][..], words].concat();
        let output = command(&all).output().expect("it starts");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!((&json["version"], &json["verdict"]), (&1.into(), &verdict.into()), "{json}");
        assert_eq!((json["error"].is_null(), output.status.code()), (code != 2, Some(code)), "{json}");
    }
}

/// Locks only put their events in a row; a log that looks otherwise is remarked on.
#[test]
fn locks_that_keep_nobody_out_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    for (log, told) in [
        ("s,lock,m\nt,lock,m\ns,unlock,m\nt,unlock,m\n", Some("t.0 lock(m,2) comes while s.0 lock(m,1) holds")),
        ("s,lock,m\ns,lock,m\ns,unlock,m\ns,unlock,m\nt,lock,m\n", None),
        ("s,unlock,m\n", Some("s.0 unlock(m,1) unlocks what its process has not locked")),
        ("s,lock,m\ns,sync,m\nt,lock,m\nt,unlock,m\n", None),
    ] {
        let (words, code) = said(&["syn", "check", &write(folder.path(), "log.csv", log)]);
        assert_eq!(
            (code, words.lines().count()),
            (0, if told.is_some() { words.lines().count().max(2) } else { 1 }),
            "{words}"
        );
        assert!(told.is_none_or(|told| flat(&words).contains(told)), "{words}");
    }
}

/// What is only the beginning of an execution says so wherever it is looked at.
#[test]
fn beginnings_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }\n";
    let file = write(folder.path(), "dead.c", &format!("{BEGIN}{program}"));
    let out = folder.path().join("dead.syn").display().to_string();
    assert_eq!(said(&["syn", "record", &file, "-o", &out]).1, 0);
    let again = folder.path().join("again.syn").display().to_string();
    assert_eq!(said(&["syn", "import", &out, "-o", &again]).1, 0);
    for file in [&out, &again] {
        for formulas in [&[][..], &["--ltl", "F unlock(m)"]] {
            let (words, _) = said(&[&["syn", "check", file][..], formulas].concat());
            assert!(
                flat(&words).contains("the sequence is only the beginning of an execution, which ended so: deadlock"),
                "{words}"
            );
        }
    }
    let endless = "atomic_int x;\nint main(void) { for (;;) x++; }\n";
    let file = write(folder.path(), "endless.c", &format!("{BEGIN}{endless}"));
    let output = command(&["syn", "record", &file]).output().expect("it starts");
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(words.starts_with("error \"it was cut off after 100000 steps\""), "{:?}", words.lines().next());
    let json = write(
        folder.path(),
        "a.json",
        "{\"error\": \"crash\", \"processes\": [{\"events\": [{\"op\": \"r\", \"object\": \"a\", \"version\": 0}]}]}",
    );
    let (words, code) = said(&["syn", "check", &json]);
    assert_eq!((code, words.contains("the beginning of an execution, which ended so: crash")), (0, true), "{words}");
}

/// Whoever reads `bounded` because of read locks is told what to try.
#[test]
fn orders_of_read_locks_can_be_explored() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\n\
        void *one(void *u) { pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); return u; }\n\
        int main(void) { pthread_t s, t; pthread_create(&s, 0, one, 0); pthread_create(&t, 0, one, 0);\n\
        pthread_join(s, 0); pthread_join(t, 0); return 0; }\n";
    let file = write(folder.path(), "readers.c", &format!("{BEGIN}{program}"));
    let (words, code) = said(&["check", &file, "--trace-spec", "0.0.1 < 0.1.1"]);
    assert_eq!((code, flat(&words).contains("--strategy dfs explores every order")), (4, true), "{words}");
    let (words, code) = said(&["check", &file, "--trace-spec", "0.0.1 < 0.1.1", "--strategy", "dfs"]);
    assert_eq!(code, 1, "{words}");
}

/// What no screen shows is a number in a text, and a dot in a picture.
#[test]
fn control_characters_are_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let event = r#"{"op": "w", "object": "a\u001b[2Jb", "version": 1, "label": "x\u0007", "line": "f\u0001.c:3"}"#;
    let json = format!(r#"{{"processes": [{{"name": "p\u0000q", "role": "r\u0002", "events": [{event}]}}]}}"#);
    let file = write(folder.path(), "odd.json", &json);
    let svg = folder.path().join("odd.svg").display().to_string();
    let (imported, _) = said(&["syn", "import", &file]);
    assert!(
        imported.contains(r#"w("a\u001b[2Jb",1)"#) && imported.contains(r#"process "p\u0000q" "r\u0002":"#),
        "{imported}"
    );
    let again = write(folder.path(), "odd.syn", &imported);
    assert_eq!(said(&["syn", "import", &again]).0, imported);
    let (words, code) = said(&["syn", "check", &again, "--ltl", r#"F w("a\u001b[2Jb")"#]);
    assert_eq!(code, 0, "{words}");
    assert_eq!(said(&["syn", "graph", &file, "--svg", &svg]).1, 0);
    let svg = std::fs::read_to_string(&svg).expect("written");
    let written = [imported, said(&["syn", "graph", &file]).0, said(&["syn", "graph", &file, "--model", "stateful"]).0];
    let more = [
        said(&["syn", "smv", &file, "--ltl", r#"F w("a\u001b[2Jb")"#]).0,
        said(&["syn", "check", &file, "--ltl", "G false"]).0,
        svg,
    ];
    for text in written.iter().chain(&more) {
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
}
