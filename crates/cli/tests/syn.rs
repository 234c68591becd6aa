//! `threadbare syn`: answers, exit codes, files.

use std::process::{Command, Output};

fn syn(words: &[&str]) -> Output {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    Command::new(env!("CARGO_BIN_EXE_threadbare")).current_dir(root).arg("syn").args(words).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const EXAMPLE: &str = "programs/syn/thesis.syn";

#[test]
fn formulas_have_answers_and_exit_codes() {
    for (words, code, parts) in [
        (&["check", EXAMPLE][..], 0, &["consistent: 8 events of 2 processes, 8 edges, at most 25 states"][..]),
        (&["check", EXAMPLE, "--ltl", "w(a,1) < r(b)"], 0, &["holds  w(a,1) < r(b)  (partial-order model"]),
        (
            &["check", EXAMPLE, "--ltl", "(a=4 | a=7) U vid=b"],
            1,
            &["does not hold  (a=4 | a=7) U vid=b  (stateful model", "● w(a,2) = 11", "everything stays as it is"],
        ),
        (
            &["check", EXAMPLE, "--ctl", "AG (r(b) -> AF r(a,2))", "--model", "stateful"],
            0,
            &["(stateful model, 13 states"],
        ),
        (&["check", EXAMPLE, "--ctl", "EF (a=4 & p1.1)"], 1, &["does not hold"]),
        (&["check", "programs/syn/mailbox.csv", "--ltl", "w(job,1) < receive(box)"], 0, &["holds"]),
        (
            &["check", "programs/syn/independent-10.syn", "--ltl", "G (p0.5 -> !X p0.0)", "--state-limit", "1000"],
            4,
            &[
                "unknown",
                "there are 14,641 states in the stateless model; 1000 of them were looked at",
                "need no states",
            ],
        ),
        (&["smv", EXAMPLE, "--ltl", "F r(b)"], 0, &["MODULE main", "LTLSPEC F (f0_0);"]),
        (&["import", "programs/syn/mailbox.csv"], 0, &["var job = _, 5, 6", "receive(box,1) [line=pool.c:9]"]),
        (&["graph", EXAMPLE], 0, &["digraph syn {", "e4 -> e2 [style=dashed"]),
        (&["graph", EXAMPLE, "--model", "stateful"], 0, &["a = 4, b = 3\\n-1, -1"]),
    ] {
        let output = syn(words);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{words:?}\n{said}{}", text(&output.stderr));
        assert!(parts.iter().all(|part| said.contains(part)), "{words:?}\n{said}");
    }
}

#[test]
fn mistakes_have_a_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bad.syn");
    std::fs::write(&file, "process:\n  w(a,1)\nprocess:\n  w(a,1)\n").expect("writable");
    let name = file.display().to_string();
    for (words, parts) in [
        (
            &["check", name.as_str()][..],
            &["p1.0 w(a,1) writes version 1 of `a` a second time", "bad.syn:4:3", "p0.0 w(a,1) at 2:3"][..],
        ),
        (&["check", EXAMPLE, "--ltl", "F r(c)"], &["nothing is called `c`", "--ltl:1:3", "there is `a`, `b`"]),
        (&["check", EXAMPLE, "--ltl", "G (r(a) || r(b))"], &["`or` is `|`"]),
        (&["check", "nowhere.syn"], &["cannot read nowhere.syn"]),
    ] {
        let output = syn(words);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}\n{said}");
        assert!(parts.iter().all(|part| said.contains(part)), "{words:?}\n{said}");
    }
}

#[test]
fn pictures_and_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let (dot, svg) = (folder.path().join("a.dot"), folder.path().join("a.svg"));
    let formula = "F (run=1 & p1.evnt=1 & X F (run=0 & p0.evnt=3))";
    let words = ["check", EXAMPLE, "--ltl", formula, "--format", "json"];
    let pictures = ["--dot".into(), dot.display().to_string(), "--svg".into(), svg.display().to_string()];
    let all: Vec<&str> = words.into_iter().chain(pictures.iter().map(String::as_str)).collect();
    let output = syn(&all);
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&json["verdict"], &json["events"]), (&"violated".into(), &8.into()));
    assert_eq!(json["formulas"][0]["events"].as_array().map(Vec::len), Some(8));
    let (dot, svg) = (std::fs::read_to_string(dot).expect("written"), std::fs::read_to_string(svg).expect("written"));
    assert!(dot.contains("label=\"1  r(a,0) = 4\"") && dot.contains("constraint=false"), "{dot}");
    assert!(svg.starts_with("<svg") && svg.matches("<rect").count() == 9 && svg.ends_with("</svg>\n"), "{svg}");
}

fn threadbare(words: &[&str]) -> Output {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    Command::new(env!("CARGO_BIN_EXE_threadbare")).current_dir(root).args(words).output().expect("it starts")
}

const PUBLISH: &str = "programs/syn/publish.c";

/// From a C program to its sequences, to formulas on them, to a violation with source lines.
#[test]
fn executions_of_a_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let output = threadbare(&["check", PUBLISH, "--syn-out", &out]);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    let files = std::fs::read_dir(&out).expect("it was made").count();
    // The consumer reads the flag before or after it is set, and the data before or after they are there.
    assert_eq!(files, 3);
    let first = format!("{out}/execution-1.syn");
    let written = std::fs::read_to_string(&first).expect("one at least");
    assert!(
        written.contains("process 0.0 produce:") && written.contains("[line=programs/syn/publish.c:14, label=produce]"),
        "{written}"
    );
    for number in 1..=files {
        let output = syn(&["check", &format!("{out}/execution-{number}.syn"), "--ltl", "w(data) < w(ready)"]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
        assert!(text(&output.stdout).contains("data = 42;"), "{}", text(&output.stdout));
        let output = syn(&[
            "check",
            &format!("{out}/execution-{number}.syn"),
            "--ltl",
            "F data = 42",
            "--ltl",
            "create(*) < join(*)",
        ]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    }
    for (flags, code, parts) in [
        (&[][..], 1, &["`w(data) < w(ready)` does not hold", "ready: 0 → 1", ":14 ready = 1;", "violated after"][..]),
        (&["-D", "FIXED"], 0, &["proved"]),
    ] {
        let output = threadbare(&[&["check", PUBLISH, "--trace-spec", "w(data) < w(ready)"][..], flags].concat());
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{said}{}", text(&output.stderr));
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
    }
    // An order that no schedule of the search had need not be: what is parallel is so in each.
    let output = threadbare(&["check", PUBLISH, "--trace-spec", "!(w(data) || r(ready))"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    for (words, part) in [
        (&["--trace-spec", "G !w(nobody)"][..], "nothing is called `nobody`"),
        (&["--trace-spec", "F w(data)", "--strategy", "graph"], "stores states"),
        (&["--trace-spec", "F w(data)", "--ltl", "F x"], "one of them at a time"),
    ] {
        let output = threadbare(&[&["check", PUBLISH][..], words].concat());
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        assert!(text(&output.stderr).contains(part), "{}", text(&output.stderr));
    }
}

#[test]
fn one_execution_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, trace) =
        (folder.path().join("p.syn").display().to_string(), folder.path().join("t.json").display().to_string());
    let output = syn(&["record", PUBLISH, "-o", &file, "--seed", "2", "-D", "FIXED"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = syn(&["check", &file, "--ltl", "w(data) < w(ready)", "--ltl", "G (r(data) -> val=42)"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    let program = folder.path().join("bug.c").display().to_string();
    std::fs::write(&program, "#include <assert.h>\n#include <stdatomic.h>\natomic_int x;\nint main(void) { x = 3; assert(x == 4); return 0; }\n").expect("writable");
    let output = threadbare(&["check", &program, "--trace", &trace]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let output = syn(&["record", &trace]);
    assert!(text(&output.stdout).contains("w(x,1)"), "{}{}", text(&output.stdout), text(&output.stderr));
}

/// NuSMV is asked one formula at a time, and its words are passed on. What stands in for it looks at the kind of formula.
#[test]
fn nusmv_answers_where_it_is_installed() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("NuSMV");
    let script = "#!/bin/sh\nif grep -q LTLSPEC \"$1\"; then echo '-- specification F x  is true'; else\n\
                  echo '-- specification EF x  is false'; echo 'Trace Type: Counterexample'; fi\n";
    std::fs::write(&file, script).expect("writable");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("ours");
    let ask = |path: String, formula: &str| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let words = ["syn", "check", EXAMPLE, "--backend", "nusmv", "--ltl", formula];
        let binary = env!("CARGO_BIN_EXE_threadbare");
        Command::new(binary).current_dir(root).env("PATH", path).args(words).output().expect("it starts")
    };
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let output = ask(path.clone(), "F r(b)");
    assert_eq!(
        (output.status.code(), text(&output.stdout).starts_with("holds  F r(b)")),
        (Some(0), true),
        "{}",
        text(&output.stderr)
    );
    let output = ask(path.clone(), "EF (a=7 & r(b))");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("(stateful model") && text(&output.stdout).contains("Counterexample"));
    // What has changed in each state is told as events; what is not understood is passed on as it is.
    let trace = "-> State: 1.1 <-\\n  run = -1\\n-> State: 1.2 <-\\n  run = 0\\n  p0.evnt = 0\\n-> State: 1.3 <-\\n  p0.evnt = 1\\n-> State: 1.4 <-\\n  run = 1\\n";
    let script = format!("#!/bin/sh\necho '-- specification G x  is false'; printf -- '{trace}'\n");
    std::fs::write(&file, script).expect("writable");
    let output = ask(path.clone(), "G r(a,0)");
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(
        said.contains("as in this linearisation:") && said.contains("   3  │                 ● w(a,1) = 7"),
        "{said}"
    );
    let output = ask("/nowhere".into(), "F r(b)");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no NuSMV"), "{}", text(&output.stderr));
}

/// Waits and signals are ordered by what has no name, and posts commute: the first is a proof, the second is none.
#[test]
fn sequences_are_as_ordered_as_their_executions() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, program, formula, code) in [
        (
            "cond.c",
            "#include <pthread.h>\n#include <stdatomic.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
             pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nint ready;\natomic_int data, seen;\n\
             void *set(void *x) { data = 7; pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return x; }\n\
             int main(void) { pthread_t t; pthread_create(&t, 0, set, 0); pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m);\n\
             pthread_mutex_unlock(&m); seen = data; pthread_join(t, 0); return 0; }\n",
            "w(data) < r(data) & w(data) < w(seen)",
            0,
        ),
        (
            "post.c",
            "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\nsem_t s;\natomic_int data;\n\
             void *post(void *x) { sem_post(&s); return x; }\n\
             int main(void) { pthread_t a, b; sem_init(&s, 0, 0); pthread_create(&a, 0, post, 0); pthread_create(&b, 0, post, 0);\n\
             sem_wait(&s); sem_wait(&s); data = 1; pthread_join(a, 0); pthread_join(b, 0); return 0; }\n",
            "post(s) < w(data)",
            4,
        ),
    ] {
        let file = folder.path().join(name);
        std::fs::write(&file, program).expect("writable");
        let output = threadbare(&["check", &file.display().to_string(), "--trace-spec", formula]);
        assert_eq!(output.status.code(), Some(code), "{name}\n{}{}", text(&output.stdout), text(&output.stderr));
    }
}
