//! `--context-bound`: what is found within so many preemptions, when the answer is a proof, and who refuses it.

mod common;

use std::path::PathBuf;

use common::{Check, root};
use threadbare_explore::{Kind, Strategy};

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

/// Every strategy by its name, and whether it goes by chance.
fn strategies() -> impl Iterator<Item = (String, Strategy)> {
    Strategy::table().map(|(name, _)| {
        let name = name.replace('D', "2");
        let strategy = name.parse().expect("a strategy");
        (name, strategy)
    })
}

fn model(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("model.tb");
    std::fs::write(&file, text).expect("writable");
    (folder, file)
}

/// What a verdict says of a bound that was in the way: never a proof, and never more than was explored.
#[test]
fn no_strategy_claims_more_than_what_is_within_a_bound() {
    // The assertion fails after nine steps of the first thread, and not before.
    let late = "shared x = 0\nthread a { for i in 0..4 do x := !x + 1; assert !x < 4 }\nthread b { !x }\n";
    let (_folder, file) = model(late);
    for (name, strategy) in strategies() {
        let check = |options: &str| Check::run(&file, &format!("--strategy {name} {options}"), "");
        let bounded = check("--depth-bound 5").json;
        let bound = bounded["bound"].as_str().unwrap_or("").to_string();
        assert_eq!(bounded["verdict"], "bounded", "{name}: {bounded}");
        assert!(bound.contains("executions cut off after 5 visible operations"), "{name}: {bound}");
        // Five steps are no loop.
        assert!(!bound.contains("loop"), "{name}: {bound}");
        let all_orders = !bound.contains("not in all their orders");
        assert_eq!(
            all_orders,
            strategy.explores_all_up_to_a_depth() || strategy.kind() == Kind::Sample,
            "{name}: {bound}"
        );
        assert_eq!(check("--depth-bound 30").exit, 1, "{name}");
        let contexts = check("--context-bound 0");
        match strategy.cannot_bound_contexts() {
            Some(why) => {
                let message = contexts.json["error"]["message"].as_str().unwrap_or("").to_string();
                assert_eq!(contexts.exit, 2, "{name}");
                assert!(message.contains(&format!("`{name}` cannot keep to --context-bound: {why}")), "{message}");
            }
            // Nobody has to be preempted.
            None => assert_eq!(contexts.exit, 1, "{name}: {}", contexts.json),
        }
    }
}

/// Both threads lose what the other one wrote if they are preempted, once.
const LOST: &str = "shared x = 0\nthread t[i in 0..2] { x := !x + 1 }\nfinally { assert !x == 2 }\n";

#[test]
fn a_bound_on_preemptions_leaves_out_what_needs_more() {
    let (_folder, file) = model(LOST);
    for (name, strategy) in strategies().filter(|(_, strategy)| strategy.cannot_bound_contexts().is_none()) {
        let check = |options: &str| Check::run(&file, &format!("--strategy {name} {options}"), "");
        let bounded = check("--context-bound 0").json;
        let bound = bounded["bound"].as_str().unwrap_or("").to_string();
        assert_eq!(bounded["verdict"], "bounded", "{name}: {bounded}");
        assert!(bound.contains("executions with at most 0 preemptions"), "{name}: {bound}");
        assert_eq!(check("--context-bound 1").exit, 1, "{name}");
        assert_eq!(bound.contains("by chance"), strategy.kind() == Kind::Sample, "{bound}");
    }
}

/// A bound that is not in the way takes nothing from a proof.
#[test]
fn a_bound_that_is_never_reached_is_none() {
    let (_folder, file) =
        model(&LOST.replace("shared", "mutex m\nshared").replace("x := !x + 1", "lock m; x := !x + 1; unlock m"));
    for (name, _) in strategies().filter(|(_, strategy)| strategy.kind() != Kind::Sample) {
        let check = Check::run(&file, &format!("--strategy {name} --depth-bound 100"), "");
        assert_eq!(check.json["verdict"], "proved", "{name}: {}", check.json);
    }
}

/// Where memory runs out, `graph` tells of the states that fit, or goes on with bits for the others: never a proof.
/// A whole run takes 28 MiB, and a program without states 15: how much it is exactly hangs on the machine.
#[test]
fn no_proof_where_states_do_not_fit_into_memory() {
    let check = |options: &str| {
        let program = root().join("programs/counts/mutex_counter.c");
        Check::run(&program, &format!("--strategy graph --jobs 1 {options}"), "-DN=14")
    };
    let all = check("");
    assert_eq!(all.json["verdict"], "proved", "{}", all.json);
    assert!(all.json["table_bytes_per_state"].as_u64().is_some_and(|bytes| bytes <= 32), "{}", all.json);
    let some = check("--memory-limit 22M");
    assert_eq!((some.exit, some.json["verdict"].as_str()), (4, Some("bounded")), "{}", some.json);
    assert!(some.json["bound"].to_string().contains("the states that fit into the memory limit of 22 MiB"));
    let bits = check("--memory-limit 22M --at-limit bitstate");
    assert_eq!((bits.exit, bits.json["verdict"].as_str()), (4, Some("bounded")), "{}", bits.json);
    assert!(bits.json["bound"].to_string().contains("about 99.9"), "{}", bits.json);
    // The program itself takes more than that.
    let none = check("--memory-limit 4M --at-limit bitstate");
    assert_eq!((none.exit, none.json["verdict"].as_str()), (4, Some("bounded")), "{}", none.json);
    assert!(none.json["bound"].to_string().contains("too little room for --at-limit bitstate"), "{}", none.json);
    // Without the reduction there are more of them.
    let states = |check: &Check| check.json["states"].as_u64().unwrap_or(0);
    assert!(states(&some) < states(&all) && states(&all) < states(&bits), "{} {}", all.json, bits.json);
}

#[test]
fn only_graph_has_a_choice_at_the_limit() {
    for options in ["--at-limit bitstate", "--strategy graph --at-limit bitstate", "--memory-limit 1G --at-limit stop"]
    {
        assert_eq!(counter(options).exit, 2, "{options}");
    }
}

/// Two threads that take two locks in opposite orders, or in the same one, beside a third that goes on for ever.
fn beside_an_endless_thread(second: &str, options: &str) -> Check {
    let text = format!(
        "#include <pthread.h>\n#include <stdatomic.h>\n\
         static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
         static atomic_int light;\n\
         static void *blink(void *x) {{ for (;;) {{ light = 1; light = 0; }} return x; }}\n\
         static void *one(void *x) {{ for (;;) {{ pthread_mutex_lock(&a); pthread_mutex_lock(&b);\n\
         pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); }} return x; }}\n\
         static void *two(void *x) {{ for (;;) {{ {second}\n\
         pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); }} return x; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, blink, 0); pthread_create(&t, 0, one, 0);\n\
         two(0); return 0; }}\n"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("locks.c");
    std::fs::write(&file, text).expect("writable");
    let trace = folder.path().join("trace.json");
    let check = Check::run(&file, &format!("{options} --trace {}", trace.display()), "");
    if check.exit == 1 {
        let replayed = std::process::Command::new(env!("CARGO_BIN_EXE_threadbare"))
            .arg("replay")
            .args([&trace])
            .output()
            .expect("it starts");
        let told = String::from_utf8_lossy(&replayed.stdout).into_owned();
        assert!(replayed.status.code() == Some(1) && told.contains("the bug of the recording"), "{told}");
    }
    check
}

#[test]
fn threads_that_stay_blocked_beside_one_that_goes_on_for_ever_are_a_bug() {
    for strategy in ["graph", "auto"] {
        for minimise in ["0", "1s"] {
            let options = format!("--strategy {strategy} --minimise {minimise}");
            let opposite = beside_an_endless_thread("pthread_mutex_lock(&b); pthread_mutex_lock(&a);", &options);
            assert_eq!((opposite.exit, opposite.json["verdict"].as_str()), (1, Some("violated")), "{}", opposite.json);
            let bug = &opposite.json["bugs"][0];
            assert_eq!((bug["kind"].as_str(), opposite.json["strategy"].as_str()), (Some("deadlock"), Some("graph")));
            assert_eq!(bug["message"], "2 threads wait for ever, whatever the others do");
            // Both creates, each lock once and the attempt that fails; main need not have made the endless thread wait.
            assert!(minimise == "0" || bug["steps"].as_u64().is_some_and(|steps| steps <= 8), "{bug}");
        }
        let options = format!("--strategy {strategy}");
        let same = beside_an_endless_thread("pthread_mutex_lock(&a); pthread_mutex_lock(&b);", &options);
        assert_eq!(same.json["verdict"], "proved", "{}", same.json);
        assert!(!same.json["assumptions"].to_string().contains("blocked"), "{}", same.json);
    }
}

/// A thread that waits for a signal, which comes when another has seen enough time go by. Time stands still in a search.
#[test]
fn who_waits_for_one_that_looks_at_the_clock_is_no_bug() {
    let text = "#include <pthread.h>\n#include <time.h>\n#include <semaphore.h>\n\
        static sem_t bell;\n\
        static void *sleeper(void *x) { sem_wait(&bell); return x; }\n\
        int main(void) { pthread_t t; sem_init(&bell, 0, 0); pthread_create(&t, 0, sleeper, 0);\n\
        time_t start = time(0); while (time(0) < start + 10000000) ;\n\
        sem_post(&bell); pthread_join(t, 0); return 0; }\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("clock.c");
    std::fs::write(&file, text).expect("writable");
    let check = Check::run(&file, "--strategy graph", "");
    assert_eq!((check.exit, check.json["verdict"].as_str()), (4, Some("bounded")), "{}", check.json);
}
