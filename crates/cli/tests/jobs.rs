//! Several workers: what one finds, all find; a bug or a limit ends all of them.

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Check, root};

fn counts(name: &str) -> PathBuf {
    root().join("programs/counts").join(name)
}

fn written(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, text).expect("writable");
    (folder, file)
}

/// Threads that are created by others in any order, with heap objects each: more of them than one arena of ids holds.
const FAMILY: &str = r#"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int x;
static void *grandchild(void *p) {
    atomic_fetch_add((atomic_int *)p, 1);
    atomic_fetch_add(&x, 1);
    return NULL;
}
static void *child(void *p) {
    atomic_int *mine = NULL;
    for (int i = 0; i < 5000; i++) mine = malloc(sizeof *mine);
    atomic_init(mine, 0);
    pthread_t t;
    atomic_fetch_add(&x, 1);
    pthread_create(&t, NULL, grandchild, (void *)mine);
    atomic_load(mine);
    atomic_fetch_add(&x, 1);
    pthread_join(t, NULL);
    return p;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, child, NULL);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    return 0;
}
"#;

#[test]
fn machines_agree_on_threads_and_objects_whoever_meets_them_first() {
    let (_folder, file) = written("family.c", FAMILY);
    let alone = Check::run(&file, "--strategy optimal --jobs 1", "");
    assert_eq!(alone.json["verdict"], "proved", "{}", alone.json);
    for jobs in ["2", "3", "4"] {
        let shared = Check::run(&file, &format!("--strategy optimal --jobs {jobs}"), "");
        assert_eq!(shared.json["verdict"], "proved", "{}", shared.json);
        assert_eq!(shared.json["executions"], alone.json["executions"]);
        assert_eq!(shared.json["jobs"].to_string(), jobs);
    }
}

/// A stack on which two threads push and pop, whose loops look at plain memory as well.
const STACK: &str = r#"
#include <pthread.h>
#include <stdatomic.h>
struct node { struct node *next; } nodes[2];
_Atomic(struct node *) top;
static void *push_and_pop(void *which) {
    struct node *node = &nodes[(long)which];
    node->next = top;
    while (!atomic_compare_exchange_strong(&top, &node->next, node)) {}
    node = top;
    while (node && !atomic_compare_exchange_strong(&top, &node, node->next)) {}
    return NULL;
}
int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, push_and_pop, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return 0;
}
"#;

/// Whether a round of a loop had to be gone through for the plain memory that it reads was answered in another way the
/// first time that a worker met it: each of them explored one execution more or less.
#[test]
fn rounds_that_read_plain_memory_are_the_same_for_whoever_meets_them_first() {
    let (_folder, file) = written("stack.c", STACK);
    let alone = Check::run(&file, "--strategy optimal --jobs 1", "");
    assert_eq!(alone.json["verdict"], "proved", "{}", alone.json);
    assert_eq!(alone.json["executions"].as_u64().map(|n| n % 2), Some(0), "the two threads do the same");
    for (strategy, jobs) in [("optimal", 2), ("optimal", 3), ("source", 1), ("sleep", 1)] {
        let options = &format!("--strategy {strategy} --jobs {jobs}");
        let other = Check::run(&file, options, "");
        assert_eq!(other.json["verdict"], "proved", "{options}: {}", other.json);
        assert_eq!(other.json["executions"], alone.json["executions"], "{options}");
    }
}

/// Every fourth value of what four threads have made of one variable fails, in one of two places.
const MANY_BUGS: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static void *twice(void *p) { atomic_store(&x, atomic_load(&x) * 2); return p; }
static void *more(void *p) { atomic_store(&x, atomic_load(&x) + 1); return p; }
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, i % 2 ? twice : more, NULL);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    int v = atomic_load(&x);
    if (v & 1) assert(v != 3);
    else assert(v != 2);
    assert(v != 1);
    return 0;
}
"#;

#[test]
fn all_bugs_are_the_same_with_their_occurrences() {
    let (_folder, file) = written("bugs.c", MANY_BUGS);
    let bugs = |jobs: &str| {
        let check = Check::run(&file, &format!("--max-bugs all --jobs {jobs}"), "");
        let list = check.json["bugs"].as_array().expect("a list").clone();
        let one = |bug: &serde_json::Value| format!("{} {} {}", bug["kind"], bug["line"], bug["occurrences"]);
        (check.json["executions"].clone(), list.iter().map(one).collect::<BTreeSet<String>>())
    };
    let alone = bugs("1");
    assert!(alone.1.len() > 1, "{alone:?}");
    for jobs in ["2", "4"] {
        assert_eq!(bugs(jobs), alone);
    }
}

#[test]
fn a_bug_ends_all_workers() {
    let many = format!("{}\n/* the bug */", MANY_BUGS.replace("t[4]", "t[6]").replace("i < 4", "i < 6"));
    let (_folder, file) = written("ended.c", &many);
    for jobs in ["1", "2", "4"] {
        let check = Check::run(&file, &format!("--jobs {jobs} --minimise 0"), "");
        assert_eq!((check.exit, check.json["verdict"].as_str()), (1, Some("violated")), "{}", check.json);
        assert_eq!(check.json["bugs"].as_array().map(Vec::len), Some(1));
        assert!(check.json["executions"].as_u64() < Some(100_000), "{}", check.json);
    }
}

/// What lies within a bound hangs on the order of the search.
#[test]
fn a_search_that_meets_the_depth_bound_has_one_worker() {
    for strategy in ["optimal", "source", "dpor+sleep"] {
        let run = |jobs: &str| {
            let options = format!("--strategy {strategy} --jobs {jobs} --depth-bound 12");
            Check::run(&counts("fib_bench.c"), &options, "-DN=3 -DREADER").json
        };
        let (alone, shared) = (run("1"), run("4"));
        assert_eq!(alone["verdict"], "bounded");
        for field in ["verdict", "executions", "transitions", "bound", "jobs"] {
            assert_eq!(shared[field], alone[field], "{strategy}: {field}");
        }
    }
}

/// A loop with a branch in each of thousands of rounds: who takes one of them has to go all the way there, which took minutes.
#[test]
fn branches_far_away_are_not_given_away() {
    let program = r#"
        #include <pthread.h>
        #include <stdatomic.h>
        static atomic_int flag;
        static void *count(void *u) {
            long rounds = 0;
            while (!atomic_load(&flag)) if (++rounds < 0) return u;
            return (void *)rounds;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, count, 0);
            atomic_store(&flag, 1);
            pthread_join(t, 0);
            return 0;
        }
    "#;
    let (_folder, file) = written("far.c", program);
    let by = |jobs: &str| Check::run(&file, &format!("--strategy optimal --jobs {jobs}"), "").json;
    let (alone, shared) = (by("1"), by("2"));
    assert_eq!((&alone["verdict"], &shared["verdict"]), (&"bounded".into(), &"bounded".into()));
    assert_eq!(shared["executions"], alone["executions"]);
}

/// Where the order does not matter, workers keep to a bound together.
#[test]
fn several_workers_keep_to_a_bound() {
    for (strategy, bound) in
        [("sleep", "--depth-bound 12"), ("dpor", "--depth-bound 12"), ("dpor", "--context-bound 1")]
    {
        let run = |jobs: &str| {
            let options = format!("--strategy {strategy} --jobs {jobs} {bound}");
            Check::run(&counts("fib_bench.c"), &options, "-DN=2 -DREADER").json
        };
        let (alone, shared) = (run("1"), run("3"));
        assert_eq!((&alone["verdict"], &shared["jobs"]), (&"bounded".into(), &3.into()), "{strategy}");
        for field in ["verdict", "executions", "blocked", "transitions", "bound"] {
            assert_eq!(shared[field], alone[field], "{strategy} {bound}: {field}");
        }
    }
}

/// Who is created first by another thread than main is a matter of the schedule, and who is woken, too.
const NESTED: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static int woken, done;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *waits(void *p) {
    pthread_mutex_lock(&m);
    while (!done) pthread_cond_wait(&c, &m);
    woken = woken * 2 + (p != NULL);
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&c);
    return NULL;
}
static void *child(void *p) {
    pthread_t t;
    pthread_create(&t, NULL, waits, p);
    atomic_fetch_add(&x, 1);
    pthread_join(t, NULL);
    return NULL;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, child, i ? &x : NULL);
    pthread_mutex_lock(&m);
    done = 1;
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&c);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
#ifdef BUG
    assert(woken != 1);
#endif
    return 0;
}
"#;

const SHARED: [&str; 8] = ["optimal", "source", "dfs", "sleep", "spor", "spor+sleep", "dpor", "dpor+sleep"];
const BY_CHANCE: [&str; 5] = ["random", "pct:1", "pct:3", "pos", "urw"];

#[test]
fn every_strategy_that_can_be_shared_explores_the_same() {
    let (_folder, file) = written("nested.c", NESTED);
    for strategy in SHARED {
        let run = |jobs: &str| Check::run(&file, &format!("--strategy {strategy} --jobs {jobs}"), "").json;
        let alone = run("1");
        assert_eq!(alone["verdict"], "proved", "{alone}");
        for jobs in ["2", "4"] {
            let shared = run(jobs);
            assert_eq!(shared["jobs"].to_string(), jobs, "{shared}");
            for field in ["verdict", "executions"] {
                assert_eq!(shared[field], alone[field], "{strategy} with {jobs} jobs: {field}");
            }
        }
    }
}

#[test]
fn chance_finds_the_same_bug_in_the_same_execution() {
    let (_folder, file) = written("nested.c", NESTED);
    for strategy in BY_CHANCE {
        for seed in ["3", "4"] {
            let run = |jobs: &str, flags: &str| {
                let options = format!("--strategy {strategy} --seed {seed} --runs 300 --jobs {jobs} --minimise 0");
                let json = Check::run(&file, &options, flags).json;
                let steps = &json["bugs"][0]["schedule"];
                let numbers = ["executions", "transitions", "bound"].map(|field| json[field].to_string());
                (json["verdict"].to_string(), numbers, steps.to_string())
            };
            for flags in ["", "-DBUG"] {
                let alone = run("1", flags);
                assert_eq!(alone.0, if flags.is_empty() { "\"bounded\"" } else { "\"violated\"" }, "{strategy}");
                for jobs in ["2", "4"] {
                    assert_eq!(run(jobs, flags), alone, "{strategy} {flags} with {jobs} jobs, seed {seed}");
                }
            }
        }
    }
}

#[test]
fn models_are_shared_like_programs() {
    let file = root().join("programs/models/fib_bench.tb");
    for strategy in SHARED.into_iter().filter(|name| *name != "dfs") {
        let run = |jobs: &str| Check::run(&file, &format!("--strategy {strategy} --jobs {jobs} -D N=3"), "").json;
        let (alone, shared) = (run("1"), run("3"));
        assert_eq!(shared["jobs"], 3, "{shared}");
        for field in ["verdict", "executions"] {
            assert_eq!(shared[field], alone[field], "{strategy}: {field}");
        }
    }
}

/// A search that would take hours, by three workers.
fn endless(strategy: &str, options: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.arg("check").arg(counts("fib_bench.c")).args(["--format", "json", "--jobs", "3", "--strategy", strategy]);
    if strategy == "random" {
        command.args(["--runs", "1000000000"]);
    }
    command.args(options.split_whitespace()).args(["--", "-DN=9", "-DREADER"]);
    command
}

const ENDLESS: [&str; 6] = ["optimal", "sleep", "dpor", "dpor+sleep", "random", "graph"];

#[test]
fn an_interrupt_ends_all_workers() {
    for strategy in ENDLESS {
        let child = endless(strategy, "").stdout(Stdio::piped()).spawn().expect("threadbare starts");
        std::thread::sleep(Duration::from_millis(1000));
        // SAFETY: a signal to a process that we started and have not waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
        let start = Instant::now();
        let output = child.wait_with_output().expect("it ends");
        assert!(start.elapsed() < Duration::from_secs(20), "{strategy}");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
        let (verdict, bound) = (json["verdict"].as_str(), json["bound"].as_str());
        assert_eq!((verdict, bound), (Some("unknown"), Some("interrupted")), "{strategy}: {json}");
        assert!(json["executions"].as_u64() > Some(0) && json["jobs"] == 3, "{strategy}: {json}");
    }
}

#[test]
fn a_time_limit_ends_all_workers() {
    for strategy in ENDLESS {
        let start = Instant::now();
        let output = endless(strategy, "--time-limit 500ms").output().expect("threadbare starts");
        assert!(start.elapsed() < Duration::from_secs(60));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
        assert_eq!((output.status.code(), json["verdict"].as_str()), (Some(4), Some("unknown")), "{strategy}: {json}");
        assert_eq!(json["bound"], "the time limit of 0.5 s", "{strategy}");
    }
}

/// Those who share a graph come to the same states.
#[test]
fn a_graph_is_the_same_for_any_number_of_workers() {
    let (_folder, family) = written("family.c", FAMILY);
    let programs = [
        (family, ""),
        (counts("spin_barrier.c"), "-DN=7"),
        (counts("mutex_counter.c"), "-DN=11"),
        (counts("philosophers.c"), "-DN=11 -DORDERED"),
        (counts("philosophers.c"), "-DN=9"),
    ];
    for (file, flags) in programs {
        let explore = |jobs: usize| {
            let check = Check::run(&file, &format!("--strategy graph --max-bugs 9 --jobs {jobs}"), flags);
            assert_eq!(check.json["jobs"], jobs, "{}", check.json);
            ["verdict", "states", "transitions", "executions", "blocked"].map(|key| check.json[key].clone())
        };
        let alone = explore(1);
        assert!(alone[1].as_u64() > Some(10), "{alone:?}");
        for jobs in 2..=4 {
            assert_eq!(explore(jobs), alone, "{} with {jobs} workers", file.display());
        }
    }
}

/// A worker goes where another one has been, and has seen by then that threads share plain data: the search begins again.
#[test]
fn a_worker_is_stopped_on_its_way() {
    let file = common::root().join("programs/matching/statistics.c");
    for jobs in 2..=3 {
        let check = Check::run(&file, &format!("--strategy graph --depth-bound 20000 --jobs {jobs}"), "");
        assert_eq!((check.exit, &check.json["verdict"]), (4, &"bounded".into()), "{}", check.json);
    }
}

/// Steps take long, and many are taken again on the way to where another worker has been: time is up there, too.
#[test]
fn time_is_up_while_workers_are_on_their_way() {
    let program = "#include <pthread.h>\n#include <stdatomic.h>\n
        static atomic_int x;
        static void *work(void *arg) {
            for (int i = 0; i < 4; i++) {
                x++;
                for (volatile long n = 0; n < 300000; n++);
            }
            return arg;
        }
        int main(void) {
            pthread_t t[3];
            for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
            for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
        }";
    let file = tempfile::Builder::new().suffix(".c").tempfile().expect("a place to write");
    std::fs::write(file.path(), program).expect("a place to write");
    for strategy in ["graph --symmetry=off", "optimal", "sleep", "sdpor --jobs 1", "scale --jobs 1"] {
        let jobs = if strategy.contains("jobs") { "" } else { "--jobs 2" };
        let check = Check::run(file.path(), &format!("--strategy {strategy} {jobs} --time-limit 1"), "");
        assert_eq!((check.exit, &check.json["verdict"]), (4, &"unknown".into()), "{strategy}: {}", check.json);
    }
}

#[test]
fn strategies_that_cannot_be_shared_refuse() {
    for strategy in ["stateful", "stateful+sleep", "stateful+spor", "sdpor", "scale"] {
        let check = Check::run(&counts("fib_bench.c"), &format!("--strategy {strategy} --jobs 2"), "-DN=1");
        assert_eq!(check.exit, 2);
        let message = check.json["error"]["message"].to_string();
        assert!(message.contains("cannot be shared by 2 workers"), "{message}");
        // One is enough for all, and so is saying nothing.
        for options in ["--jobs 1", ""] {
            let check = Check::run(&counts("fib_bench.c"), &format!("--strategy {strategy} {options}"), "-DN=1");
            assert_eq!(check.json["jobs"], 1, "{strategy} {options}");
        }
    }
}
