//! `nondet` values under `check`: how many are tried, and which are refused; `run` takes any of them.

mod common;

use std::process::Command;

use common::{Check, root};

const HEADER: &str = "
#include <assert.h>
#include <stdlib.h>
#include <pthread.h>
#include <threadbare.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern char __VERIFIER_nondet_char(void);
extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
";

fn written(main: &str) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".c").tempfile().expect("a place to write");
    std::fs::write(file.path(), format!("{HEADER}{main}\n")).expect("a place to write");
    file
}

/// Where `main` begins.
fn first_line() -> u64 {
    HEADER.lines().count() as u64 + 1
}

#[test]
fn all_values_are_tried() {
    // Verdict, complete executions, and those that an assume cuts.
    for (main, verdict, executions, cut) in [
        ("int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x >= -2 && x < 10); return x; }", "proved", 12, 0),
        ("int main(void) { int x = tb_nondet_int(); tb_assume(x > 0 && x < 4 && x != 2); return x; }", "proved", 2, 1),
        ("int main(void) { int x = tb_nondet_int(); tb_assume(x > 0); tb_assume(x < 4); assert(x != 3); return 0; }", "violated", 3, 0),
        ("int main(void) { int x = tb_nondet_int(); tb_assume(x < 0 && x > -4); assert(x >= -3 && x <= -1); return 0; }", "proved", 3, 0),
        (
            "int main(void) { unsigned long x = __VERIFIER_nondet_ulong(); __VERIFIER_assume(x > 18446744073709551610ul);
               assert(x + 5 <= 4); assert(x); return 0; }",
            "proved",
            5,
            0,
        ),
        (
            "int main(void) { int x = tb_nondet_int(), y = tb_nondet_int(); tb_assume(x > 0 && x < 4 && y > 4 && y < 9);
               return x + y; }",
            "proved",
            12,
            0,
        ),
        ("int main(void) { int x = tb_nondet_int(); (void)x; return 0; }", "proved", 1, 0),
        ("int main(void) { int x = 7; if (x == 8) x = tb_nondet_int(); return x; }", "proved", 1, 0),
        ("int main(void) { long x = tb_nondet_long(); tb_assume(x >= 0 && x <= 1023); return x == 3; }", "proved", 1024, 0),
        ("int main(void) { signed char x = __VERIFIER_nondet_char(); tb_assume(x > 0 && x < 9); return x; }", "proved", 8, 248),
    ] {
        let file = written(main);
        for level in ["0", "2"] {
            let check = Check::run(file.path(), &format!("-O {level}"), "");
            let found = &check.json;
            assert_eq!(found["verdict"], verdict, "-O {level} {main}\n{found}");
            // At a higher level the compiler may leave nothing to choose, or know better what is cut.
            if level == "0" || verdict == "violated" {
                assert_eq!((&found["executions"], &found["cut"]), (&executions.into(), &cut.into()), "{main}\n{found}");
            }
        }
    }
}

/// As the benchmarks of SV-COMP are written.
#[test]
fn a_program_of_sv_comp() {
    let program = |limit: u32| {
        format!(
            "int total; pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; int n;
             void reach_error(void) {{ assert(0); }}
             void *add(void *a) {{
                 for (int i = 0; i < n; i++) {{
                     pthread_mutex_lock(&lock); total += 2; pthread_mutex_unlock(&lock);
                 }}
                 return 0;
             }}
             int main(void) {{
                 int k = __VERIFIER_nondet_int();
                 assume_abort_if_not(k > 0 && k <= 3);
                 n = k;
                 pthread_t t; pthread_create(&t, 0, add, 0); add(0); pthread_join(t, 0);
                 if (total > {limit}) {{ ERROR: {{ reach_error(); abort(); }} }}
                 return 0;
             }}"
        )
    };
    for level in ["0", "2"] {
        let options = format!("-O {level}");
        let proved = Check::run(written(&program(12)).path(), &options, "");
        // Two threads with one lock, k times each: 2, 6 and 20 orders.
        assert_eq!(
            (&proved.json["verdict"], &proved.json["executions"]),
            (&"proved".into(), &28.into()),
            "{}",
            proved.json
        );
        let assumed = proved.json["assumptions"].to_string();
        assert!(assumed.contains("assume_abort_if_not"), "{assumed}");
        let violated = Check::run(written(&program(11)).path(), &options, "");
        assert_eq!((&violated.json["verdict"], violated.exit), (&"violated".into(), 1), "{}", violated.json);
        assert_eq!(violated.json["bugs"][0]["kind"], "assertion", "{}", violated.json);
    }
}

/// The bug of one value is shown with the schedule that leads to it, and replays.
#[test]
fn the_schedule_names_the_rank_of_the_value() {
    let file =
        written("int main(void) { int x = tb_nondet_int(); tb_assume(x >= -5 && x <= 5); assert(x != 2); return 0; }");
    let trace = tempfile::NamedTempFile::new().expect("a place to write");
    let check = Check::run(file.path(), &format!("--trace {}", trace.path().display()), "");
    let schedule = check.json["bugs"][0]["schedule"].to_string();
    assert!(schedule.contains("[\"0\",7]"), "{schedule}");
    let replay =
        Command::new(env!("CARGO_BIN_EXE_threadbare")).arg("replay").arg(trace.path()).output().expect("it starts");
    let text = String::from_utf8_lossy(&replay.stdout);
    assert!(text.contains("x != 2"), "{text}{}", String::from_utf8_lossy(&replay.stderr));
}

#[test]
fn what_has_no_bounds_is_refused() {
    for (main, words) in [
        ("int main(void) {\n int x = __VERIFIER_nondet_int();\n return x; }", "`__VERIFIER_nondet_int` without bounds"),
        ("int main(void) {\n int x = tb_nondet_int(); assert(x != 5);\n return 0; }", "`tb_nondet_int` without bounds"),
        (
            "int main(void) {\n int x = tb_nondet_int(); tb_assume(x >= -5 && x <= 100000);\n return x; }",
            "`tb_nondet_int` with bounds that are too wide: it may give any of 100006 values, -5 to 100000",
        ),
        (
            "int main(void) {\n unsigned long x = tb_nondet_ulong(); tb_assume(x > 0);\n return x; }",
            "values, 1 to 18446744073709551615",
        ),
        (
            "int main(void) { int (*volatile f)(void) = tb_nondet_int;\n int x = f(); tb_assume(x > 0 && x < 5);\n return x; }",
            "`tb_nondet_int` without bounds",
        ),
        (
            "int main(void) {\n int x = tb_nondet_int(); int *volatile p = &x; tb_assume(x > 0 && x < 5);\n return *p; }",
            "`tb_nondet_int` without bounds",
        ),
        ("int main(void) {\n double x = __VERIFIER_nondet_double();\n return x > 0; }", "__VERIFIER_nondet_double"),
    ] {
        let check = Check::run(written(main).path(), "", "");
        let error = &check.json["error"];
        let message = error["message"].as_str().unwrap_or_default();
        assert_eq!((check.exit, &check.json["verdict"]), (3, &"error".into()), "{main}\n{}", check.json);
        assert!(message.contains(words), "{main}\n{message}");
        assert!(message.contains("tb_choose(0, 9)") || main.contains("double"), "{main}\n{message}");
        assert_eq!(error["line"], first_line() + 1, "{main}\n{error}");
    }
}

/// One execution takes whatever comes.
#[test]
fn a_run_needs_no_bounds() {
    let file = written(
        "int main(void) { int x = tb_nondet_int(), y = tb_nondet_int(), z = tb_nondet_int();
           return x == y && y == z ? 1 : x > 65535 || y > 65535 || z > 65535 || x < 0 || y < 0 || z < 0 ? 42 : 2; }",
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    let output = command.current_dir(root()).arg("run").arg(file.path()).output().expect("threadbare starts");
    assert_eq!(output.status.code(), Some(42), "{}", String::from_utf8_lossy(&output.stderr));
    let file = written("int main(void) { assume_abort_if_not(0); return 0; }");
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    let output = command.current_dir(root()).arg("run").arg(file.path()).output().expect("threadbare starts");
    assert_eq!(output.status.code(), Some(134), "{}", String::from_utf8_lossy(&output.stderr));
}

/// As machine code the same values are tried.
#[test]
fn machine_code_tries_the_same_values() {
    for main in [
        "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x >= -2 && x < 10); assert(x < 10 && x > -3); return x + 2; }",
        "int main(void) { unsigned long x = __VERIFIER_nondet_ulong(); tb_assume(x < 5); tb_assume(x != 2); assert(x != 4); return 0; }",
        "int main(void) { int x = tb_nondet_int(), y = tb_nondet_int(); tb_assume(x >= 0 && x < 3 && y > 7 && y < 10); assert(x + y < 11 || x == 2); return 0; }",
        "int main(void) { __VERIFIER_nondet_int(); int x = __VERIFIER_nondet_char(); return x == 0; }",
        "int main(void) { int x = __VERIFIER_nondet_int(); return x == 7; }",
    ] {
        let file = written(main);
        let [vm, native] = ["vm", "native"].map(|backend| {
            let check = Check::run(file.path(), &format!("--backend {backend} --strategy optimal"), "-Iinclude -w");
            let part = |name: &str| check.json[name].clone();
            (part("verdict"), part("executions"), part("cut"), check.exit)
        });
        assert_eq!(vm, native, "{main}");
    }
}
