//! `--invariant` as machine code: the answers of the virtual machine, word by word.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Verdict, executions where there is no bug, bugs and the error.
fn answer(folder: &Path, backend: &str, words: &str) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.current_dir(folder).args(["check", "p.c", "--format", "json", "--backend", backend]);
    let output = command.args(words.split(' ')).output().expect("threadbare starts");
    let found: Value = serde_json::from_slice(&output.stdout).expect("one object");
    let bugs = found["bugs"].as_array().expect("a list").iter();
    let mut bugs: Vec<Value> = bugs.map(|bug| serde_json::json!([bug["kind"], bug["message"], bug["line"]])).collect();
    bugs.sort_by_key(Value::to_string);
    let executions = if found["verdict"] == "proved" { found["executions"].clone() } else { Value::Null };
    serde_json::json!([output.status.code(), found["verdict"], executions, bugs, found["error"]])
}

fn agree(source: &str, cases: &[(&str, &str)]) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.c"), source).expect("room");
    for (words, needed) in cases {
        let [vm, native] = ["vm", "native"].map(|backend| answer(folder.path(), backend, words));
        assert_eq!(vm, native, "{words}");
        assert!(native.to_string().contains(needed), "{words}: {native}");
    }
}

#[test]
fn both_orders_of_two_observed_writes_are_explored() {
    agree(
        "#include <pthread.h>
static int x, y;
static int y_comes_first(void) { return !(x && !y); }
static int x_comes_first(void) { return !(y && !x); }
static _Bool any(void) { return x + y < 3; }
static void *set_x(void *u) { (void)u; x = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, set_x, 0); y = 1; pthread_join(t, 0); return 0; }
",
        &[
            ("--strategy optimal --invariant any", "[0,\"proved\",2,"),
            ("--strategy optimal --invariant x_comes_first", "invariant `x_comes_first` does not hold"),
            ("--strategy source --invariant y_comes_first", "invariant `y_comes_first` does not hold"),
            ("--strategy dfs --invariant y_comes_first", "[1,\"violated\""),
            ("--strategy dpor --races allow --invariant y_comes_first", "[1,\"violated\""),
            ("--strategy optimal --invariant x_comes_first --invariant y_comes_first --max-bugs all", "y_comes_first"),
        ],
    );
}

#[test]
fn invariants_look_at_parts_and_through_pointers() {
    agree(
        "#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { int key; struct node *next; };
static struct { int pad; struct { int a[4]; } in; } s;
static _Atomic(struct node *) list; static int zero, *nowhere;
static int element(void) { return s.in.a[2] < 5; }
static int sum(void) { int n = 0; for (struct node *p = list; p; p = p->next) n += p->key; return n < 3; }
static int start(void) { return zero; }
static int null(void) { return *nowhere == 0; }
static void *put(void *u) {
    struct node *n = malloc(sizeof *n);
    n->key = 1; n->next = list; list = n; s.in.a[1] = 7; s.in.a[2]++;
    return u;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, put, 0); pthread_join(t, 0);
    put(0);
    s.in.a[2] = 5;
    list->key = 9;
    return 0;
}
",
        &[
            ("--strategy optimal --invariant element", "invariant `element` does not hold"),
            ("--strategy optimal --invariant sum", "invariant `sum` does not hold"),
            ("--strategy optimal --invariant start", "when the program starts"),
            ("--strategy optimal --invariant null", "through a null pointer, when the invariant `null` is evaluated"),
        ],
    );
}

#[test]
fn nobody_looks_into_an_atomic_block() {
    agree(
        "#include <pthread.h>
#include <threadbare.h>
int a = 1, b;
int one(void) { return a + b == 1; }
int none(void) { return b == 0; }
static void *t(void *u) { (void)u; tb_atomic_begin(); a--; b++; b--; b++; tb_atomic_end(); return 0; }
int main(void) { pthread_t x; pthread_create(&x, 0, t, 0); pthread_join(x, 0); return 0; }
",
        &[
            ("--strategy optimal --invariant one", "[0,\"proved\""),
            ("--strategy optimal --invariant none", "does not hold"),
        ],
    );
}

#[test]
fn an_invariant_only_looks() {
    agree(
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
int prints(void) { return puts(\"here\") >= 0; }
int allocates(void) { return malloc(1) != NULL; }
int locks(void) { return pthread_mutex_lock(&m) == 0; }
int of_a_thread(void) { return mine == 0; }
int secretly(void) { return by_pointer ? by_pointer() : 1; }
int local(void) { int copy[2] = {x, 1}; memcpy(copy, copy + 1, sizeof *copy); return copy[0]; }
int text(void) { return strcmp(name, \"b\") < 0; }
int takes(int a) { return a; }
int main(void) { by_pointer = writes; pthread_mutex_lock(&m); strcpy(name, \"a\"); pthread_mutex_unlock(&m); return 0; }
",
        &[
            ("--invariant writes", "it writes to `x`"),
            ("--invariant counts", "it writes to `n`"),
            ("--invariant prints", "in `puts`"),
            ("--invariant allocates", "it allocates memory"),
            ("--invariant locks", "mutex lock"),
            ("--invariant of_a_thread", "thread-local"),
            ("--invariant secretly", "it does something that other threads can see (store)"),
            ("--invariant local", "[0,\"proved\""),
            ("--invariant text", "`name[0]` is written by a library function"),
            ("--invariant takes", "has to be `int takes(void)`"),
            ("--invariant nobody", "the program has no function `nobody`"),
        ],
    );
}

#[test]
fn the_way_to_a_broken_invariant_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = "static int x; int zero(void) { return x == 0; }\nint main(void) { x = 1; return 0; }\n";
    std::fs::write(folder.path().join("p.c"), source).expect("room");
    let threadbare = |words: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        let output = command.current_dir(folder.path()).args(words.split(' ')).output().expect("threadbare starts");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, text) = threadbare("check p.c --backend native --invariant zero --trace t.json");
    assert!(code == Some(1) && text.contains("`zero` is at p.c:1"), "{text}");
    let (code, text) = threadbare("replay t.json");
    assert!(code == Some(1) && text.contains("invariant `zero` does not hold"), "{text}");
}
