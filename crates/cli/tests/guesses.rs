//! What a search takes for granted to be quick, and what must come out all the same: that threads share no plain data, that
//! an atomic is used by one thread only, that a loop which counts does not wait.

mod common;

use common::Check;

fn check(program: &str, options: &str) -> Check {
    let file = tempfile::Builder::new().suffix(".c").tempfile().expect("a place to write");
    std::fs::write(file.path(), program).expect("a place to write");
    Check::run(file.path(), options, "")
}

/// `threads` are the bodies of the threads.
fn program(globals: &str, threads: &[&str], after: &str) -> String {
    let mut text = format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
         #define GET(x) atomic_load(&x)\n#define SET(x, v) atomic_store(&x, v)\n{globals}\n"
    );
    for (i, body) in threads.iter().enumerate() {
        text += &format!("static void *thread_{i}(void *unused) {{ (void)unused; {body} return 0; }}\n");
    }
    text += &format!("int main(void) {{ pthread_t t[{}];\n", threads.len());
    for i in 0..threads.len() {
        text += &format!("pthread_create(&t[{i}], 0, thread_{i}, 0);\n");
    }
    for i in 0..threads.len() {
        text += &format!("pthread_join(t[{i}], 0);\n");
    }
    text + after + " return 0; }\n"
}

/// The search that sees every operation as a step of its own explores as many traces.
fn has_as_many_traces_as_seen_step_by_step(program: &str, executions: u64) {
    for strategy in ["optimal", "sleep"] {
        let check = check(program, &format!("--strategy {strategy}"));
        assert_eq!((check.exit, check.json["executions"].as_u64()), (0, Some(executions)), "{strategy}: {program}");
    }
}

#[test]
fn private_operations_are_no_steps() {
    let own = "for (int i = 0; i < 10; i++) SET(a, GET(a) + 1); SET(x, GET(a));";
    let program = program("static atomic_int a, x;", &[own, "SET(x, 1);"], "assert(GET(a) == 10);");
    let quick = check(&program, "");
    let slow = check(&program, "--strategy sleep");
    assert_eq!((quick.exit, slow.exit), (0, 0));
    assert_eq!((quick.json["executions"].as_u64(), slow.json["executions"].as_u64()), (Some(2), Some(2)));
    assert!(quick.json["transitions"].as_u64() < Some(12), "{}", quick.json["transitions"]);
    assert!(slow.json["transitions"].as_u64() > Some(20), "{}", slow.json["transitions"]);
}

/// Threads that take turns never let the second thread see the flag; in other schedules it writes what only the first was
/// seen to use.
#[test]
fn a_wrong_guess_about_who_uses_an_atomic_is_mended() {
    let early = "SET(a, 1); int seen = GET(a); SET(flag, 1); SET(b, seen);";
    let late = "if (GET(flag)) SET(a, 2);";
    has_as_many_traces_as_seen_step_by_step(&program("static atomic_int a, b, flag;", &[early, late], ""), 2);
    let early = "SET(a, 1); SET(flag, 1); assert(GET(a) == 1);";
    let program = program("static atomic_int a, flag;", &[early, late], "");
    for strategy in ["optimal", "source", "dfs"] {
        let check = check(&program, &format!("--strategy {strategy}"));
        assert_eq!((check.exit, &check.json["bugs"][0]["kind"]), (1, &"assertion".into()), "{strategy}");
    }
}

#[test]
fn memory_that_another_thread_frees_is_not_private() {
    let user = "if (GET(ready)) { GET(*cell); GET(*cell); }";
    let freer = "cell = malloc(sizeof *cell); atomic_init(cell, 0); SET(ready, 1); if (GET(go)) free(cell);";
    let other = "SET(go, 1);";
    let program = program("static atomic_int *cell; static atomic_int ready, go;", &[user, freer, other], "");
    for strategy in ["optimal", "source", "dfs"] {
        let check = check(&program, &format!("--strategy {strategy}"));
        assert_eq!((check.exit, &check.json["bugs"][0]["kind"]), (1, &"use-after-free".into()), "{strategy}");
    }
}

/// The plain accesses meet in executions that come late.
#[test]
fn plain_data_that_is_shared_late_is_found_to_race() {
    let writer = "if (GET(x) == 2) data = 1;";
    let reader = "if (GET(x) == 1) { SET(y, data); }";
    let setter = "SET(x, 1); SET(x, 2);";
    let program = program("static atomic_int x, y; static int data;", &[writer, reader, setter], "");
    for strategy in ["optimal", "source", "dfs"] {
        let check = check(&program, &format!("--strategy {strategy}"));
        assert_eq!((check.exit, &check.json["bugs"][0]["kind"]), (1, &"data-race".into()), "{strategy}");
    }
}

/// A search that stores states finds races only along its own paths, unless no data is shared at all.
#[test]
fn stored_states_prove_that_nothing_races_where_nothing_is_shared() {
    let thread = "data[0] = GET(x); SET(x, data[0] + 1);";
    let other = "data[8] = GET(x); SET(x, data[8] + 1);";
    let apart = program("static atomic_int x; static int data[16];", &[thread, other], "");
    assert_eq!(check(&apart, "--strategy stateful").json["verdict"], "proved");
    let lock = "pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m);";
    let shared = program("static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int n;", &[lock, lock], "");
    assert_eq!(check(&shared, "--strategy stateful").json["verdict"], "bounded");
}

/// Rounds that count differ from each other, and none is left out.
#[test]
fn a_loop_that_counts_while_it_waits_is_cut_off_and_not_taken_for_a_livelock() {
    let wait = "for (int i = 0; i < 3; i++) if (GET(flag)) { SET(x, i); break; }";
    has_as_many_traces_as_seen_step_by_step(&program("static atomic_int flag, x;", &[wait, "SET(flag, 1);"], ""), 4);
    let for_ever = "int rounds = 0; while (!GET(flag)) rounds++; SET(x, rounds);";
    let check = check(&program("static atomic_int flag, x;", &[for_ever, ""], ""), "--depth-bound 50");
    assert_eq!(check.json["verdict"], "bounded", "{}", check.json);
}

fn is_found(program: &str, kind: &str) {
    for strategy in ["optimal", "source", "dfs"] {
        let check = check(program, &format!("--strategy {strategy}"));
        assert_eq!((check.exit, &check.json["bugs"][0]["kind"]), (1, &kind.into()), "{strategy}: {program}");
    }
}

/// The way from the last joins to the end of the process is the same in most executions, and skipped. In some it is not.
#[test]
fn the_last_joins_are_not_always_the_same() {
    // The process ends in another way.
    let late = "if (GET(flag) && GET(other)) atexit(fail);";
    let globals = "static atomic_int flag, other; static void fail(void) { assert(GET(flag) == 0); }";
    is_found(&program(globals, &["SET(other, 1);", "SET(flag, 1);", late], ""), "assertion");
    // A lock on the stack is held when that goes.
    let on_the_stack = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int flag;\n\
        static void *sets(void *unused) { (void)unused; flag = 1; return 0; }\n\
        static void *locks(void *lock) { if (flag) pthread_mutex_lock(lock); return 0; }\n\
        static void work(void) { pthread_mutex_t lock; pthread_mutex_init(&lock, 0); pthread_t a, b;\n\
        pthread_create(&a, 0, locks, &lock); pthread_create(&b, 0, sets, 0);\n\
        pthread_join(a, 0); pthread_join(b, 0); }\nint main(void) { work(); return 0; }\n";
    is_found(on_the_stack, "mutex-misuse");
    // Another thread has joined one of those that main joins.
    let joined_before = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int flag; static pthread_t a;\n\
        static void *sets(void *unused) { (void)unused; flag = 1; return 0; }\n\
        static void *joins(void *unused) { (void)unused; if (flag) pthread_join(a, 0); return 0; }\n\
        int main(void) { pthread_t b; pthread_create(&a, 0, sets, 0); pthread_create(&b, 0, joins, 0);\n\
        pthread_join(b, 0); pthread_join(a, 0); return 0; }\n";
    is_found(joined_before, "thread-misuse");
}

/// What a thread uses under a lock if a flag was set when it looked, which leaves no trace, and another frees.
const FREED: &str = "static atomic_int x; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    static _Atomic(int *) head; static int *p;
    __attribute__((constructor)) static void make(void) { p = malloc(sizeof *p); *p = 1; }";

/// The search comes to the free without the use first, and with it to a state that it knows.
#[test]
fn a_use_that_the_search_meets_after_the_free_is_not_lost() {
    let uses = "if (GET(x)) { pthread_mutex_lock(&m); assert(*p == 1); pthread_mutex_unlock(&m); GET(x); } SET(x, 1);";
    let program = program(FREED, &[uses, "SET(x, 1); GET(x); free(p);"], "");
    for options in ["--strategy graph", "--strategy graph --symmetry=off --jobs 2", "--strategy optimal", ""] {
        let check = check(&program, options);
        assert_eq!(check.exit, 1, "{options}: {}", check.json);
        assert_eq!(check.json["bugs"][0]["kind"], "use-after-free", "{options}: {}", check.json);
    }
}

/// The same with a comparison: the address could have been given out again.
#[test]
fn a_comparison_that_the_search_meets_after_the_free_is_not_lost() {
    let compares =
        "pthread_mutex_lock(&m); int *q = p; atomic_compare_exchange_strong(&head, &q, 0); pthread_mutex_unlock(&m);";
    let early = format!(
        "atomic_fetch_xor(&x, 1); if (!GET(z)) SET(z, 0); if (GET(y)) {{ {compares} }} if (!GET(x)) SET(z, 1);"
    );
    let late =
        "if (!GET(x)) atomic_fetch_xor(&z, 1); SET(x, 0); if (!GET(z)) atomic_fetch_xor(&y, 1); SET(y, 0); free(p);";
    let program = program(&format!("{FREED} static atomic_int y, z;"), &[&early, late], "");
    for options in ["--strategy graph", "--strategy optimal"] {
        let check = check(&program, options);
        assert_eq!((check.exit, &check.json["verdict"]), (4, &"bounded".into()), "{options}: {}", check.json);
    }
}

/// Only the last comparison of a thread with a pointer matters: an endless loop of them has finitely many states.
#[test]
fn comparisons_of_an_endless_loop_are_not_piled_up() {
    let compares = "for (;;) { int *q = p; atomic_compare_exchange_strong(&head, &q, 0); SET(x, 0); }";
    let check = check(&program(FREED, &[compares, "free(p);"], ""), "--strategy graph");
    assert_eq!((check.exit, &check.json["bugs"][0]["kind"]), (1, &"livelock".into()), "{}", check.json);
    assert!(check.json["states"].as_u64() < Some(100), "{}", check.json["states"]);
}
