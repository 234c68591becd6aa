//! `auto`: which of two engines answers, and that the answer is right.

mod common;

use common::{Check, root};

fn counts(file: &str, options: &str, flags: &str) -> Check {
    Check::run(&root().join("programs/counts").join(file), &format!("--strategy auto {options}"), flags)
}

fn check(text: &str, options: &str) -> Check {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("test.c");
    std::fs::write(&file, text).expect("writable");
    Check::run(&file, &format!("--strategy auto {options}"), "")
}

#[test]
fn what_is_soon_done_needs_no_choice() {
    for options in ["", "--jobs 1"] {
        let check = counts("increments.c", options, "-DN=3");
        assert_eq!(check.json["strategy"], "optimal", "{}", check.json);
        assert_eq!(check.json["chosen"], serde_json::Value::Null);
        assert_eq!(check.json["executions"], 36);
    }
}

/// Ten threads at one lock: 10! executions, and a few thousand states.
#[test]
fn many_ways_to_few_states_are_for_the_graph() {
    for options in ["", "--jobs 1", "--jobs 2"] {
        let check = counts("mutex_counter.c", options, "-DN=10");
        assert_eq!(check.json["verdict"], "proved", "{}", check.json);
        assert_eq!(check.json["strategy"], "graph");
        let why = check.json["chosen"].as_str().expect("a reason");
        assert!(why.contains("sooner done than `optimal`"), "{why}");
        assert!(check.json["states"].as_u64().is_some_and(|states| states < 20_000));
    }
}

/// Two threads that change places for ever.
const ENDLESS: &str = "
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn;
static void *other(void *unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&lock);
        turn = (turn + 1) % 3;
        assert(turn < LIMIT);
        pthread_mutex_unlock(&lock);
    }
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    for (;;) {
        pthread_mutex_lock(&lock);
        turn = (turn + 2) % 3;
        pthread_mutex_unlock(&lock);
    }
}
";

#[test]
fn what_never_ends_is_for_the_graph() {
    for options in ["", "--jobs 1"] {
        let check = check(&ENDLESS.replace("LIMIT", "3"), options);
        assert_eq!(check.json["verdict"], "proved", "{}", check.json);
        assert_eq!(check.json["strategy"], "graph");
    }
}

#[test]
fn whoever_finds_a_bug_tells_it() {
    let check = check(&ENDLESS.replace("LIMIT", "2"), "");
    assert_eq!(check.json["verdict"], "violated", "{}", check.json);
    assert_eq!(check.json["bugs"][0]["kind"], "assertion");
}

/// A bound, or several bugs to be counted, are for one engine.
#[test]
fn what_only_one_can_do_is_done_by_one() {
    for options in ["--max-bugs all", "--depth-bound 500"] {
        let check = counts("mutex_counter.c", options, "-DN=7");
        assert_eq!((&check.json["strategy"], &check.json["executions"]), (&"optimal".into(), &5040.into()));
    }
}

#[test]
fn a_limit_is_one_for_both() {
    let check = counts("fib_bench.c", "--time-limit 400ms --jobs 1", "-DN=10 -DREADER");
    assert_eq!((check.exit, &check.json["verdict"]), (4, &"unknown".into()), "{}", check.json);
    assert!(check.json["seconds"].as_f64().is_some_and(|seconds| seconds < 10.0));
}
