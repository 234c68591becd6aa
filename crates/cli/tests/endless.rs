//! Programs that run for ever, each with a bug found by somebody who did not know the code.

mod common;

use common::Check;

const HEAD: &str =
    "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <time.h>\n#include <threadbare.h>\n";

fn check(program: &str, options: &str) -> Check {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("endless.c");
    std::fs::write(&file, format!("{HEAD}{program}")).expect("writable");
    Check::run(&file, options, "")
}

/// `main` waits three times for time to pass, and then fails. Two days pass in a search if nothing else is said: that is no proof, though
/// the search comes to an end.
#[test]
fn who_looks_at_the_clock_for_ever_is_no_proof() {
    let alone = "atomic_int x; int main(void) { for (int i = 0; i < 3; i++) { time_t start = time(0);\n\
        while (time(0) - start < 5) x = !x; } assert(0); }";
    let beside = "atomic_int x; static void *other(void *p) { for (;;) { x = 1; x = 0; } return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, other, 0);\n\
        for (int i = 0; i < 3; i++) { time_t start = time(0); while (time(0) - start < 5); } assert(0); }";
    for program in [alone, beside] {
        for options in [
            "",
            "--strategy graph",
            "--strategy graph --jobs 2",
            "--strategy graph --symmetry=off",
            "--strategy stateful",
            "--strategy stateful+sleep",
            "--strategy sdpor",
            "--ltl G{x!=3}",
        ] {
            let found = check(program, options);
            assert_eq!((found.exit, found.json["verdict"].as_str()), (4, Some("bounded")), "{options}: {}", found.json);
        }
        let graph = check(program, "--strategy graph");
        assert!(graph.json["bound"].to_string().contains("time that passes unnoticed up to 2 times"), "{}", graph.json);
        let enough = check(program, "--clock-jumps 3 --strategy graph");
        assert_eq!((enough.exit, enough.json["bugs"][0]["kind"].as_str()), (1, Some("assertion")), "{}", enough.json);
    }
}

/// Who looks at it as often as days can pass, and goes on, has seen all there is.
#[test]
fn who_looks_at_the_clock_now_and_then_may_be_proved() {
    let program = "atomic_int x; static void *other(void *p) { for (;;) { x = 1; x = 0; } return p; }\n\
        int main(void) { pthread_t t; time_t start = time(0); pthread_create(&t, 0, other, 0);\n\
        assert(time(0) >= start); pthread_join(t, 0); }";
    for options in ["--strategy graph", "--strategy stateful"] {
        let found = check(program, options);
        assert_eq!(found.json["verdict"], "proved", "{options}: {}", found.json);
    }
}

/// The number of a generation of a barrier is used again when nobody has to leave with it.
#[test]
fn threads_that_meet_for_ever_come_back_to_known_states() {
    let program = |threads: usize, count: usize| {
        format!(
            "static pthread_barrier_t bar; static void *meet(void *p) {{ for (;;) pthread_barrier_wait(&bar); return p; }}\n\
             int main(void) {{ pthread_t t; pthread_barrier_init(&bar, 0, {count});\n\
             for (int i = 0; i < {threads}; i++) pthread_create(&t, 0, meet, 0); pthread_join(t, 0); }}"
        )
    };
    // Three at a barrier for two: one may be late to leave for any number of generations.
    for (threads, count) in [(2, 2), (3, 3), (3, 2)] {
        let program = program(threads, count);
        for strategy in ["graph", "graph --jobs 2", "stateful", "graph --backend native", "graph --backend native -O 1"]
        {
            let found = check(&program, &format!("--strategy {strategy} --time-limit 60"));
            assert_eq!(found.json["verdict"], "proved", "{threads} {count} {strategy}: {}", found.json);
        }
        assert_eq!(check(&program, "--livelock").json["verdict"], "violated", "{threads} {count}");
    }
    // One is missing.
    for backend in ["vm", "native"] {
        let found = check(&program(2, 3), &format!("--strategy graph --backend {backend}"));
        assert_eq!(found.json["bugs"][0]["kind"], "deadlock", "{backend}: {}", found.json);
    }
}

/// A barrier that is destroyed by the last to arrive, and made again, lets those go who have still to leave.
#[test]
fn a_barrier_that_is_made_again_holds_nobody() {
    let program = "static pthread_barrier_t bar; static void *meet(void *p) { pthread_barrier_wait(&bar); return p; }\n\
        int main(void) { pthread_t t; pthread_barrier_init(&bar, 0, 2); pthread_create(&t, 0, meet, 0);\n\
        pthread_barrier_wait(&bar); pthread_barrier_destroy(&bar); pthread_barrier_init(&bar, 0, 2); pthread_join(t, 0); }";
    for backend in ["vm", "native"] {
        for strategy in ["optimal", "graph"] {
            let found = check(program, &format!("--backend {backend} --strategy {strategy}"));
            assert_eq!(found.json["verdict"], "proved", "{backend} {strategy}: {}", found.json);
        }
    }
}

/// A generation with a number that was used before hands on nothing of what those knew who had it then.
#[test]
fn a_number_of_a_generation_that_is_used_again_orders_nothing() {
    let program = "static pthread_barrier_t bar; static atomic_int twice; static int data;\n\
        static void *a(void *p) { data = 1; pthread_barrier_wait(&bar); pthread_barrier_wait(&bar);\n\
          atomic_store_explicit(&twice, 1, memory_order_relaxed); return p; }\n\
        static void *b(void *p) { pthread_barrier_wait(&bar); pthread_barrier_wait(&bar); return p; }\n\
        static void *c(void *p) { while (!atomic_load_explicit(&twice, memory_order_relaxed));\n\
          pthread_barrier_wait(&bar); return p ? &data : (void *)(long)data; }\n\
        static void *d(void *p) { while (!atomic_load_explicit(&twice, memory_order_relaxed));\n\
          pthread_barrier_wait(&bar); return p; }\n\
        int main(void) { pthread_t t[4]; void *(*does[])(void *) = {a, b, c, d}; pthread_barrier_init(&bar, 0, 2);\n\
          for (int i = 0; i < 4; i++) pthread_create(t + i, 0, does[i], 0);\n\
          for (int i = 0; i < 4; i++) pthread_join(t[i], 0); }";
    for backend in ["vm", "native"] {
        for strategy in ["optimal", "graph"] {
            let found = check(program, &format!("--backend {backend} --strategy {strategy}"));
            assert_eq!(found.json["bugs"][0]["kind"], "data-race", "{backend} {strategy}: {}", found.json);
        }
    }
}

/// Each of them overwrites what the other has released, round after round: a livelock all the same, and one that replays.
#[test]
fn rounds_that_order_less_are_a_livelock_that_replays() {
    let two = "static atomic_int z, y; static void *go(void *p) { for (;;) { z = 0; (void)y; } return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, go, 0); for (;;) { z = 0; (void)y; } }";
    let locked = "static atomic_int z, y; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static void *go(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); for (;;) { z = 0; (void)y; } return p; }\n\
        int main(void) { pthread_t s, t; pthread_create(&s, 0, go, 0); pthread_create(&t, 0, go, 0);\n\
        pthread_join(s, 0); pthread_join(t, 0); }";
    for program in [two, locked] {
        for strategy in ["auto", "optimal", "graph", "stateful", "dpor"] {
            for more in ["", "--minimise 0"] {
                let found = check(program, &format!("--strategy {strategy} {more}"));
                assert_eq!(
                    (found.exit, found.json["bugs"][0]["kind"].as_str()),
                    (1, Some("livelock")),
                    "{strategy} {more}: {}",
                    found.json
                );
            }
        }
    }
}

/// Where every state lies behind the one before, the way back takes more than the bits: paths get no longer then, and the verdict says so.
#[test]
fn bits_are_of_use_where_paths_are_long() {
    let program = "static atomic_int a, b, c; static void *go(void *p) { for (;;) { a = (a + 1) % 40; b = (b + 1) % 41; } return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, go, 0); for (;;) { c = (c + 1) % 43; assert(a < 40 && b < 41); } }";
    for jobs in [1, 2] {
        let found = check(program, &format!("--strategy graph --jobs {jobs} --memory-limit 40M --at-limit bitstate"));
        assert_eq!((found.exit, found.json["verdict"].as_str()), (4, Some("bounded")), "{}", found.json);
        let bound = found.json["bound"].to_string();
        assert!(bound.contains("each known by three bits") && bound.contains("on paths of at most"), "{}", found.json);
    }
}

/// Variables whose addresses get about, in functions that are called again and again: nobody knows them any more, and states come back.
#[test]
fn functions_with_variables_that_others_know_come_back_to_known_states() {
    let head = "#include <time.h>\nstatic atomic_int x; struct list { struct list *next; int of; } *_Atomic first;\n\
        static pthread_once_t once = PTHREAD_ONCE_INIT; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static void init(void) {} static void unlock(void *p) { pthread_mutex_unlock(p); }\n\
        static void __attribute__((noinline)) add(struct list *entry) { entry->next = first; first = entry; }\n\
        static void take(void) { first = first->next; }\n";
    let program = |body: &str| {
        format!(
            "{head}static void *go(void *p) {{ for (;;) {{ {body} x ^= 1; }} return p; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, go, 0); pthread_create(&t, 0, go, 0); pthread_join(t, 0); }}"
        )
    };
    for body in [
        "pthread_once(&once, init);",
        "pthread_mutex_lock(&m); pthread_cleanup_push(unlock, &m); x ^= 1; pthread_cleanup_pop(1);",
        "pthread_mutex_lock(&m); struct list entry = {0}; add(&entry); take(); pthread_mutex_unlock(&m);",
    ] {
        for strategy in ["auto", "graph", "graph --jobs 2", "stateful"] {
            let found = check(&program(body), &format!("--strategy {strategy} --time-limit 60"));
            let verdict = if strategy == "stateful" { "bounded proved" } else { "proved" };
            assert!(
                verdict.contains(found.json["verdict"].as_str().unwrap_or("?")),
                "{body} {strategy}: {}",
                found.json
            );
            assert!(found.json["states"].as_u64() > Some(1), "{body} {strategy}: {}", found.json);
        }
    }
    // One that still knows where such a variable was finds it gone, in whichever round.
    let late = program("{ struct list entry = {0}; if (x) take(); else add(&entry); if (first && first->of) x = 7; }");
    let found = check(&late, "--strategy graph --time-limit 60");
    assert_eq!(found.json["verdict"], "violated", "{}", found.json);
}

/// A thread that calls such a function alone, with nothing that ever changes, waits for ever: found, and found again.
#[test]
fn loops_that_call_such_functions_are_livelocks_that_replay() {
    let program = "static atomic_int x; struct cb { void *a; }; static void __attribute__((noinline)) g(struct cb *h) { h->a = h; x = 2; }\n\
        static void f(void) { if (x) return; struct cb h; g(&h); x = 1; }\n\
        static void *go(void *p) { for (;;) f(); return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, go, 0); pthread_join(t, 0); }";
    for strategy in ["auto", "graph", "stateful"] {
        let found = check(program, &format!("--strategy {strategy} --time-limit 30"));
        assert_eq!(found.json["bugs"][0]["kind"], "livelock", "{strategy}: {}", found.json);
    }
}

/// Whoever counts the rounds that it waits never comes back, and the search ends all the same.
#[test]
fn who_counts_rounds_is_given_up_in_time() {
    let program = "static atomic_int flag; static void *go(void *p) { unsigned n = 0; while (!flag) n++; return (void *)(long)n; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, go, 0); pthread_join(t, 0); }";
    let spawns = "static void *leaf(void *p) { return p; }\n\
        int main(void) { for (;;) { pthread_t t; pthread_create(&t, 0, leaf, 0); pthread_join(t, 0); } }";
    for program in [program, spawns] {
        for strategy in ["auto", "graph", "stateful", "optimal", "sdpor"] {
            let begin = std::time::Instant::now();
            let found = check(program, &format!("--strategy {strategy} --time-limit 2"));
            let verdict = found.json["verdict"].as_str().unwrap_or("?").to_string();
            assert!(["bounded", "unknown"].contains(&&*verdict), "{strategy}: {}", found.json);
            // The machine may be busy.
            assert!(begin.elapsed().as_secs() < 30, "{strategy}: {:?}", begin.elapsed());
        }
    }
}
