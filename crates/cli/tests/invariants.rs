//! `--invariant`: what it finds, what it refuses, and that the way to a broken one replays.

use std::path::Path;
use std::process::{Command, Output};

fn threadbare(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.current_dir(folder).args(words).output().expect("threadbare starts")
}

fn json(folder: &Path, words: &[&str]) -> (i32, serde_json::Value) {
    let output = threadbare(folder, &[words, &["--format", "json"]].concat());
    let value = serde_json::from_slice(&output.stdout).expect("one object");
    (output.status.code().expect("it ends by itself"), value)
}

fn folder_with(source: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.c"), source).expect("a place to write");
    folder
}

/// Two plain writes that touch different variables: without the invariant their order does not matter.
const TWO_WRITES: &str = "#include <pthread.h>
static int x, y;
static int y_comes_first(void) { return !(x && !y); }
static int x_comes_first(void) { return !(y && !x); }
static int any(void) { return x + y < 3; }
static void *set_x(void *u) { (void)u; x = 1; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, set_x, 0);
    y = 1;
    pthread_join(t, 0);
    return 0;
}
";

const STRATEGIES: [&str; 10] =
    ["optimal", "source", "dfs", "sleep", "spor", "dpor", "dpor+sleep", "stateful", "stateful+sleep", "stateful+spor"];

#[test]
fn both_orders_of_two_observed_writes_are_explored() {
    let folder = folder_with(TWO_WRITES);
    for strategy in STRATEGIES {
        for invariant in ["x_comes_first", "y_comes_first"] {
            let (exit, found) =
                json(folder.path(), &["check", "p.c", "--strategy", strategy, "--invariant", invariant]);
            assert_eq!((exit, &found["bugs"][0]["kind"]), (1, &"invariant".into()), "{strategy} {invariant}");
        }
        let (exit, found) = json(folder.path(), &["check", "p.c", "--strategy", strategy, "--invariant", "any"]);
        assert_eq!(exit, 0, "{strategy}: {found}");
    }
    let (_, without) = json(folder.path(), &["check", "p.c"]);
    let (_, with) = json(folder.path(), &["check", "p.c", "--invariant", "any"]);
    assert_eq!((&without["executions"], &with["executions"]), (&1.into(), &2.into()));
}

/// What a step has made was no longer new once another invariant had been evaluated: a library function seemed to write to it.
#[test]
fn the_order_in_which_invariants_are_named_does_not_matter() {
    let folder = folder_with(
        "#include <pthread.h>
static int a, b, *p = &b;
static int direct(void) { return a != 2; }
static int through_a_pointer(void) { return *p != 2; }
static void *set(void *u) { a = 1; return u; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    pthread_join(t, 0);
    return 0;
}
",
    );
    for (first, second) in [("direct", "through_a_pointer"), ("through_a_pointer", "direct")] {
        let (exit, found) = json(folder.path(), &["check", "p.c", "--invariant", first, "--invariant", second]);
        assert_eq!(exit, 0, "{first} before {second}: {found}");
    }
}

#[test]
fn every_broken_invariant_is_a_bug_of_its_own() {
    let folder = folder_with(TWO_WRITES);
    std::fs::write(folder.path().join("properties"), "# what must hold\nx_comes_first\n\nany   # always\n")
        .expect("room");
    let words = ["check", "p.c", "--properties", "properties", "--invariant", "y_comes_first", "--max-bugs", "all"];
    let (exit, found) = json(folder.path(), &words);
    let mut messages: Vec<&str> =
        found["bugs"].as_array().expect("a list").iter().filter_map(|bug| bug["message"].as_str()).collect();
    messages.sort_unstable();
    assert_eq!(exit, 1);
    assert_eq!(messages, ["invariant `x_comes_first` does not hold", "invariant `y_comes_first` does not hold"]);
}

#[test]
fn the_way_to_a_broken_invariant_replays() {
    let folder = folder_with(TWO_WRITES);
    let words = ["check", "p.c", "--invariant", "x_comes_first", "--trace", "t.json"];
    assert_eq!(threadbare(folder.path(), &words).status.code(), Some(1));
    let (exit, found) = json(folder.path(), &["replay", "t.json"]);
    assert_eq!((exit, &found["bugs"][0]["message"]), (1, &"invariant `x_comes_first` does not hold".into()), "{found}");
}

#[test]
fn an_invariant_holds_in_the_beginning() {
    let folder = folder_with("static int x = 1;\nint zero(void) { return x == 0; }\nint main(void) { return 0; }\n");
    let (exit, found) = json(folder.path(), &["check", "p.c", "--invariant", "zero"]);
    assert_eq!(exit, 1);
    assert_eq!(found["bugs"][0]["message"], "invariant `zero` does not hold when the program starts");
}

/// Races are found although the writes are visible.
#[test]
fn observed_plain_accesses_still_race() {
    let folder = folder_with(
        "#include <pthread.h>
#include <string.h>
struct pair { int a, b; } p, q;
int small(void) { return p.a < 9; }
static void *t(void *u) { (void)u; q.a = 1; p = q; return 0; }
int main(void) { pthread_t x; pthread_create(&x, 0, t, 0); p.a = 2; pthread_join(x, 0); return 0; }
",
    );
    let (exit, found) = json(folder.path(), &["check", "p.c", "--invariant", "small"]);
    assert_eq!((exit, &found["bugs"][0]["kind"]), (1, &"data-race".into()), "{found}");
}

/// An atomic block is one step: nobody looks in between.
#[test]
fn nobody_looks_into_an_atomic_block() {
    let folder = folder_with(
        "#include <pthread.h>
#include <threadbare.h>
int a = 1, b;
int one(void) { return a + b == 1; }
static void *t(void *u) { (void)u; tb_atomic_begin(); a--; b++; b--; b++; tb_atomic_end(); return 0; }
int main(void) { pthread_t x; pthread_create(&x, 0, t, 0); pthread_join(x, 0); return 0; }
",
    );
    let (exit, found) = json(folder.path(), &["check", "p.c", "--invariant", "one"]);
    assert_eq!(exit, 0, "{found}");
}

#[test]
fn an_invariant_only_looks() {
    let folder = folder_with(
        "#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int x; _Thread_local int mine; char name[8]; atomic_int n;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int (*by_pointer)(void);
int writes(void) { x = 1; return 1; }
int counts(void) { return ++n > 0; }
static int helper(int *p) { return (*p)++ == 0; }
int calls(void) { return helper(&x); }
int prints(void) { return puts(\"here\") >= 0; }
int allocates(void) { return malloc(1) != NULL; }
int locks(void) { return pthread_mutex_lock(&m) == 0; }
int of_a_thread(void) { return mine == 0; }
int secretly(void) { return by_pointer ? by_pointer() : 1; }
int local(void) { int copy[2] = {x, 1}; memcpy(copy, copy + 1, sizeof *copy); return copy[0]; }
int text(void) { return strcmp(name, \"b\") < 0; }
int takes(int a) { return a; }
long wide(void) { return 1; }
int of_errno(void) { int *__errno_location(void); return *__errno_location() == 0; }
int main(void) { by_pointer = writes; pthread_mutex_lock(&m); strcpy(name, \"a\"); pthread_mutex_unlock(&m); return 0; }
",
    );
    for (name, exit, line, message) in [
        ("writes", 3, 9, "the invariant `writes` may only look: it writes to `x`"),
        ("counts", 3, 10, "it writes to `n`"),
        ("calls", 3, 11, "it writes to `x`"),
        ("prints", 3, 13, "in `puts`"),
        ("allocates", 3, 14, "it allocates memory, in `malloc`"),
        ("locks", 3, 15, "other threads can see (mutex lock), in `pthread_mutex_lock`"),
        ("of_a_thread", 3, 16, "thread-local"),
        ("of_errno", 3, 22, "it reads `errno`, of which every thread has its own"),
        (
            "secretly",
            3,
            9,
            "the invariant `secretly` may only look: it does something that other threads can see (store)",
        ),
        ("text", 3, 0, "`name[0]` is written by a library function, and the invariant `text` may look at it"),
        ("takes", 2, 0, "has to be `int takes(void)`"),
        ("wide", 2, 0, "has to be `int wide(void)`"),
        ("nobody", 2, 0, "the program has no function `nobody`"),
        ("x", 2, 0, "the invariant `x` is no function"),
        ("local", 0, 0, ""),
    ] {
        let (found_exit, found) = json(folder.path(), &["check", "p.c", "--invariant", name]);
        assert_eq!(found_exit, exit, "{name}: {found}");
        let said = found["error"]["message"].as_str().unwrap_or("");
        assert!(said.contains(message), "{name}: {said}");
        if line > 0 {
            assert_eq!(found["error"]["line"], line, "{name}: {found}");
        }
    }
}

fn folder_with_model(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.tb"), text).expect("a place to write");
    folder
}

const TWO_WRITES_OF_A_MODEL: &str = "shared x = 0
shared y = 0
shared z = 0
let y_comes_first() = not (!x == 1 && !y == 0)
let x_comes_first() = not (!y == 1 && !x == 0)
let any() = !x + !y < 3
thread a { x := 1; z := 1 }
thread b { y := 1 }
";

#[test]
fn invariants_of_models_see_what_those_of_programs_see() {
    let folder = folder_with_model(TWO_WRITES_OF_A_MODEL);
    let check = |options: &[&str]| json(folder.path(), &[&["check", "m.tb"], options].concat());
    for strategy in STRATEGIES {
        for invariant in ["x_comes_first", "y_comes_first"] {
            let (exit, found) = check(&["--strategy", strategy, "--invariant", invariant]);
            assert_eq!((exit, &found["bugs"][0]["kind"]), (1, &"invariant".into()), "{strategy} {invariant}");
        }
        assert_eq!(check(&["--strategy", strategy, "--invariant", "any"]).0, 0, "{strategy}");
    }
    let executions = |options: &[&str]| check(options).1["executions"].clone();
    assert_eq!((executions(&[]), executions(&["--invariant", "any"])), (1.into(), 2.into()));
    std::fs::write(folder.path().join("properties"), "x_comes_first\ny_comes_first\nany\n").expect("room");
    let (_, all) = check(&["--properties", "properties", "--max-bugs", "all"]);
    assert_eq!(all["bugs"].as_array().map(Vec::len), Some(2), "{all}");
}

#[test]
fn the_way_to_a_broken_invariant_of_a_model_replays() {
    let folder = folder_with_model(TWO_WRITES_OF_A_MODEL);
    let words = ["check", "m.tb", "--invariant", "x_comes_first", "--trace", "t.json"];
    let output = threadbare(folder.path(), &words);
    let screen = String::from_utf8_lossy(&output.stdout);
    assert!(screen.contains("m.tb:8:") && screen.contains("`x_comes_first` is at m.tb:5"), "{screen}");
    let (exit, found) = json(folder.path(), &["replay", "t.json"]);
    assert_eq!((exit, &found["bugs"][0]["message"]), (1, &"invariant `x_comes_first` does not hold".into()), "{found}");
}

#[test]
fn an_invariant_of_a_model_only_looks() {
    let folder = folder_with_model(
        "shared x = 0
shared table[3] = 0
mutex m
let writes() = { x := 1; true }
let swaps() = cas(x, 0, 1)
let locks() = { lock m; true }
let chooses() = choose(0, 1) == 0
let assumes() = { assume !x == 5; true }
let counts() = { let sum = ref 0 in for i in 0..3 do sum := !sum + !table[i]; !sum < 3 }
let outside() = !table[!x] == 0
let number() = !x
let takes(a) = a == 1
let constant = 5
let zero() = !x == 1
thread t { table[1] := 1; x := 3 }
",
    );
    for (name, exit, line, message) in [
        ("writes", 3, 4, "the invariant `writes` may only look: it changes a shared variable"),
        ("swaps", 3, 5, "it changes a shared variable"),
        ("locks", 3, 6, "it takes or gives back a mutex"),
        ("chooses", 3, 7, "it chooses"),
        ("assumes", 3, 8, "it assumes something"),
        ("number", 2, 11, "an invariant"),
        ("takes", 2, 12, "an invariant"),
        ("constant", 2, 13, "an invariant"),
        ("x", 2, 0, "the program has no function `x` that could be an invariant"),
        ("counts", 0, 0, ""),
    ] {
        let (found_exit, found) = json(folder.path(), &["check", "m.tb", "--invariant", name]);
        assert_eq!(found_exit, exit, "{name}: {found}");
        let said = found["error"]["message"].as_str().unwrap_or("");
        assert!(said.contains(message), "{name}: {said}");
        if line > 0 {
            assert_eq!(found["error"]["line"], line, "{name}: {found}");
        }
    }
    let message = |name: &str| {
        let (exit, found) = json(folder.path(), &["check", "m.tb", "--invariant", name]);
        (exit, found["bugs"][0]["message"].as_str().unwrap_or("").to_string())
    };
    let outside = "index 3 of `table`, which goes from 0 to 2, when the invariant `outside` is evaluated";
    assert_eq!(message("outside"), (1, outside.into()));
    assert_eq!(message("zero"), (1, "invariant `zero` does not hold when the program starts".into()));
}
