//! `--context-bound`: what is found within so many preemptions, when the answer is a proof, and who refuses it.

mod common;

use common::{Check, root};

/// Two increments that read, then write: one is lost if a thread is preempted in between.
fn counter(options: &str) -> Check {
    Check::run(&root().join("examples/counter.c"), options, "")
}

#[test]
fn a_bug_of_one_preemption_is_found_with_one() {
    for strategy in ["", "--strategy dpor", "--strategy dfs", "--strategy stateful", "--strategy random"] {
        let without = counter(&format!("--context-bound 0 {strategy}"));
        assert_eq!((without.exit, without.json["verdict"].as_str()), (4, Some("bounded")), "{strategy}");
        let with = counter(&format!("--context-bound 1 {strategy}"));
        assert_eq!((with.exit, with.json["bugs"][0]["preemptions"].as_u64()), (1, Some(1)), "{strategy}");
    }
    let bound = counter("--context-bound 0").json["bound"].to_string();
    assert!(bound.contains("at most 0 preemptions"), "{bound}");
}

#[test]
fn bounds_are_tried_up_to_a_bug_or_a_proof() {
    assert_eq!(counter("--context-bound 0..9").exit, 1);
    let locked = Check::run(&root().join("programs/counts/mutex_counter.c"), "--context-bound 0..99", "");
    assert_eq!(locked.json["verdict"], "proved", "{}", locked.json);
    let bounded = Check::run(&root().join("programs/counts/writers.c"), "--context-bound 0..1", "-DN=4");
    assert!(["bounded", "proved"].contains(&bounded.json["verdict"].as_str().unwrap_or("")), "{}", bounded.json);
}

#[test]
fn who_cannot_keep_to_a_bound_says_so() {
    for strategy in ["optimal", "source", "sleep", "stateful+sleep", "spor", "stateful+spor", "dpor+sleep", "scale"] {
        let check = counter(&format!("--context-bound 1 --strategy {strategy}"));
        let message = check.json["error"]["message"].as_str().unwrap_or("").to_string();
        assert_eq!(check.exit, 2, "{strategy}");
        assert!(message.contains(&format!("`{strategy}` cannot keep to --context-bound: ")), "{message}");
    }
}
