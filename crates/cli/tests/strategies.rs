//! Every strategy on C: the same answer about the same program, and no more claimed than it can know.

mod common;

use common::{Check, root};

const EVERY_TRACE: [&str; 9] =
    ["optimal", "source", "dfs", "sleep", "spor", "spor+sleep", "dpor", "dpor+sleep", "scale"];
/// They forget what is ordered; `graph` does not.
const EVERY_STATE: [&str; 4] = ["stateful", "stateful+sleep", "stateful+spor", "sdpor"];
const SAMPLE: [&str; 5] = ["random", "pct:2", "pct:3", "pos", "urw"];

fn check(text: &str, options: &str) -> Check {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("test.c");
    std::fs::write(&file, text).expect("writable");
    Check::run(&file, options, "")
}

#[test]
fn all_agree() {
    let counts = root().join("programs/counts");
    for (file, flags, verdict, shares_plain_data) in [
        ("philosophers.c", "-DN=3", "violated", false),
        ("philosophers.c", "-DN=3 -DORDERED", "proved", false),
        ("increments.c", "-DN=2", "proved", false),
        ("peterson.c", "", "proved", true),
        ("pthread_barrier.c", "-DN=2 -DS=2", "proved", true),
        ("pingpong.c", "-DK=1", "proved", true),
        ("spin_locks.c", "-DN=2 -DTICKET", "proved", true),
    ] {
        for name in EVERY_TRACE.into_iter().chain(EVERY_STATE).chain(["graph"]).chain(SAMPLE) {
            let check = Check::run(&counts.join(file), &format!("--strategy {name}"), flags);
            let expected = match verdict {
                "proved" if SAMPLE.contains(&name) => "bounded",
                "proved" if EVERY_STATE.contains(&name) && shares_plain_data => "bounded",
                other => other,
            };
            assert_eq!(check.json["verdict"], expected, "{file} {flags} {name}: {}", check.json);
            assert_eq!(check.json["strategy"], name);
            let stores = name == "graph" || EVERY_STATE.contains(&name);
            assert_eq!(check.json["states"].is_u64(), stores, "{name}: {}", check.json);
        }
    }
}

/// A pointer is handed over by a flag that orders nothing. Where the other critical section came first, the mutex does not
/// order the accesses to `x` either; the states are the same.
const RACE_OF_ANOTHER_PATH: &str = "
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
atomic_int flag;
static void section(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
static void *writer(void *arg) {
    x = 1;
    section();
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}
static void *reader(void *arg) {
    section();
    if (atomic_load_explicit(&flag, memory_order_relaxed)) return x ? arg : 0;
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

#[test]
fn stored_states_claim_nothing_about_data_races() {
    for name in EVERY_TRACE.into_iter().chain(["graph"]) {
        let found = check(RACE_OF_ANOTHER_PATH, &format!("--strategy {name}"));
        assert_eq!((found.exit, &found.json["bugs"][0]["kind"]), (1, &"data-race".into()), "{name}: {}", found.json);
    }
    for name in EVERY_STATE {
        let missed = check(RACE_OF_ANOTHER_PATH, &format!("--strategy {name}"));
        // It happens to take the other path.
        if name == "sdpor" {
            assert_eq!(missed.json["bugs"][0]["kind"], "data-race", "{}", missed.json);
            continue;
        }
        assert_eq!((missed.exit, &missed.json["verdict"]), (4, &"bounded".into()), "{name}: {}", missed.json);
        assert!(missed.json["bound"].to_string().contains("data races"), "{name}: {}", missed.json);
        let allowed = check(RACE_OF_ANOTHER_PATH, &format!("--strategy {name} --races allow"));
        assert_eq!((allowed.exit, &allowed.json["verdict"]), (0, &"proved".into()), "{name}: {}", allowed.json);
    }
}

#[test]
fn programs_that_run_for_ever_have_states() {
    let text = "
#include <pthread.h>
#include <stdatomic.h>
atomic_int turn;
static void *other(void *arg) { for (;;) { while (turn != 1) {} turn = 0; } return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    for (;;) { while (turn != 0) {} turn = 1; }
}
";
    let endless = check(text, "--strategy dpor --depth-bound 100");
    assert_eq!(endless.json["verdict"], "bounded", "{}", endless.json);
    let ends = check(text, "--strategy graph");
    assert_eq!((ends.exit, &ends.json["verdict"]), (0, &"proved".into()), "{}", ends.json);
    for name in EVERY_STATE.into_iter().chain(["graph"]) {
        let ends = check(text, &format!("--strategy {name} --races allow"));
        assert_eq!(ends.json["verdict"], "proved", "{name}: {}", ends.json);
        let bounded = check(text, &format!("--strategy {name} --races allow --depth-bound 5"));
        assert_eq!(bounded.json["verdict"], "bounded", "{name}: {}", bounded.json);
    }
}

/// Freed memory is forgotten once nobody knows its address any more, and not before.
#[test]
fn programs_that_allocate_for_ever_have_states() {
    let text = "
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(int *) box;
static void *maker(void *arg) {
    for (;;) {
        int *letter = malloc(sizeof *letter);
        *letter = 1;
        int *none = NULL;
        if (!atomic_compare_exchange_strong(&box, &none, letter))
            free(letter);
    }
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, maker, 0);
    int *first = NULL, sum = 0;
    for (int rounds = 0;;) {
        int *letter = atomic_exchange(&box, NULL);
        if (!letter)
            continue;
        sum = *letter;
        KEEP
        free(letter);
        if (rounds == 12)
            USE
        else
            rounds++;
    }
}
";
    let program = |keep: &str, last: &str| text.replace("KEEP", keep).replace("USE", last);
    let forgets = program("", "sum = first != NULL;");
    // Those that forget what is ordered do not claim more.
    for (name, verdict) in [("graph", "proved"), ("stateful", "bounded"), ("sdpor", "bounded")] {
        let ends = check(&forgets, &format!("--strategy {name} --time-limit 100"));
        assert_eq!(ends.json["verdict"], verdict, "{name}: {}", ends.json);
        assert!(ends.json["states"].as_u64().is_some_and(|states| states < 50_000), "{name}: {}", ends.json);
    }
    let uses = program("if (!first) first = letter;", "sum = *first;");
    for name in ["graph", "stateful"] {
        let dangling = check(&uses, &format!("--strategy {name} --time-limit 100"));
        assert_eq!(dangling.json["bugs"][0]["kind"], "use-after-free", "{name}: {}", dangling.json);
    }
}

/// What a new thread is told lies in a block whose id is used again. Nobody shares it: the philosophers share no plain data,
/// however many sit down, and what is ordered stays out of their states.
#[test]
fn blocks_that_start_threads_are_not_shared() {
    let table = root().join("programs/counts/philosophers.c");
    let states = |philosophers: u64| {
        let json = Check::run(&table, "--strategy graph", &format!("-DN={philosophers} -DORDERED")).json;
        assert_eq!(json["verdict"], "proved", "{json}");
        json["states"].as_u64().expect("a number")
    };
    let (nine, ten) = (states(9), states(10));
    assert!(ten < 3 * nine, "{nine} states for nine, {ten} for ten");
}

/// The rounds of a thread that polls under a lock change something, so that there is no end of executions; but of states.
#[test]
fn polling_under_a_lock_has_few_states() {
    let text = "
#include <pthread.h>
static int done;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *poll(void *arg) {
    for (;;) {
        pthread_mutex_lock(&m);
        int seen = done;
        pthread_mutex_unlock(&m);
        if (seen)
            return arg;
    }
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, poll, 0);
    pthread_create(&b, 0, poll, 0);
    SET
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";
    let locked =
        check(&text.replace("SET", "pthread_mutex_lock(&m); done = 1; pthread_mutex_unlock(&m);"), "--strategy graph");
    assert_eq!(locked.json["verdict"], "proved", "{}", locked.json);
    assert!(locked.json["states"].as_u64().is_some_and(|states| states < 100), "{}", locked.json);
    let unlocked = check(&text.replace("SET", "done = 1;"), "--strategy graph");
    assert_eq!(unlocked.json["bugs"][0]["kind"], "data-race", "{}", unlocked.json);
}

#[test]
fn chance_says_what_it_is_good_for() {
    let fine = root().join("programs/counts/philosophers.c");
    let check = |options: &str| Check::run(&fine, options, "-DN=2 -DORDERED").json;
    let pct = check("--strategy pct:3 --runs 50 --seed 7");
    let bound = pct["bound"].to_string();
    assert!(bound.contains("50 executions by chance (seed 7)") && bound.contains("1/(n k^2) = 1/"), "{bound}");
    assert_eq!(pct["executions"], 50);
    let json = check("--strategy urw --runs 20");
    assert_eq!((&json["verdict"], &json["executions"]), (&"bounded".into(), &20.into()));
}

#[test]
fn what_does_not_fit_is_refused() {
    let fine = root().join("programs/counts/philosophers.c");
    for (options, what) in [
        ("--strategy dfs --seed 3", "`--seed` is for strategies that go by chance"),
        ("--strategy stateful --runs 3", "`--runs` is for strategies that go by chance"),
    ] {
        let check = Check::run(&fine, options, "");
        assert_eq!(check.exit, 2);
        assert!(check.json["error"]["message"].to_string().contains(what), "{}", check.json);
    }
    for (name, what) in
        [("pct", "as in pct:3"), ("pct:0", "as in pct:3"), ("dfs+sleep", "there are auto, optimal, source, dfs")]
    {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_threadbare"));
        let output = command.args(["check", "x.c", "--strategy", name]).output().expect("threadbare starts");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {text}");
        assert!(text.contains(what), "{name}: {text}");
    }
}

/// Whatever the filters, an answer says what it is worth; what does not go together is refused.
#[test]
fn filters_of_scale() {
    let counts = root().join("programs/counts");
    let check = |options: &str| Check::run(&counts.join("increments.c"), options, "-DN=3");
    for (options, verdict) in [
        ("--filters none", "proved"),
        ("--filters nsb=100,lcd --order bfs", "proved"),
        ("--filters ss,nsb=exact --order random:54", "proved"),
        ("--filters nsb,cb=100", "proved"),
        ("--filters nsb,cb=0", "bounded"),
        ("--filters nsb,db=4", "bounded"),
        ("--depth-bound 4", "bounded"),
    ] {
        let found = check(&format!("--strategy scale {options}"));
        assert_eq!(found.json["verdict"], verdict, "{options}: {}", found.json);
    }
    for (options, why) in [
        ("--strategy scale --filters nsb,nsb=7", "nsb comes twice"),
        ("--strategy scale --filters ss,cb=2", "may need more context switches"),
        ("--strategy scale --filters db", "as in db=2"),
        ("--strategy scale --filters sleep", "`sleep` is no filter"),
        ("--strategy scale --order up", "there are dfs, bfs and random:SEED"),
        ("--strategy scale --filters db=3 --depth-bound 4", "say the same"),
        ("--strategy dpor --filters nsb", "is for the strategy scale"),
        ("--strategy dpor --capture delta", "is for the strategy sdpor"),
        ("--strategy stateful+spor --superstep", "is for the strategy stateful"),
        ("--strategy stateful --superstep --context-bound 2", "do not go together"),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_threadbare"))
            .arg("check")
            .arg(counts.join("increments.c"))
            .args(options.split(' '))
            .output()
            .expect("threadbare starts");
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(output.status.code() == Some(2) && said.contains(why), "{options}: {said}");
    }
}

/// One thread goes on for ever, the other waits for itself: no deadlock of all, but one of some.
#[test]
fn stored_states_do_not_hide_who_waits_beside_endless_threads() {
    let text = "
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *flip(void *arg) { for (;;) atomic_fetch_xor(&a, 1); return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, flip, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}
";
    // `graph` looks for that; who does not says so.
    for (name, field) in [("graph", "bound"), ("stateful", "assumptions")] {
        let found = check(text, &format!("--strategy {name}"));
        let said = found.json[field].to_string();
        assert!(found.exit == 1 || said.contains("while others go on for ever"), "{name}: {}", found.json);
        assert!(found.exit != 0 || name != "graph", "{}", found.json);
    }
}

/// The id of a local variable that was given to another one, larger or smaller, on another path: the cells of the one are not
/// those of the other.
#[test]
fn objects_that_share_an_id_on_different_paths() {
    let text = "
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void set(void) { a = 1; b = 1; }
static void *child(void *arg) { int seen = a; a = 1; return seen ? arg : 0; }
static void *spin(void *arg) { while (a != 1) {} return arg; }
static void *one(void *arg) { pthread_once(&once, set); return arg; }
static void *two(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_t t;
        pthread_create(&t, 0, child, 0);
        pthread_detach(t);
    }
    pthread_once(&once, set);
    return arg;
}
int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, spin, 0);
    pthread_create(&t[1], 0, one, 0);
    pthread_create(&t[2], 0, two, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
";
    let found = check(text, "--strategy graph");
    assert_eq!((found.exit, &found.json["verdict"]), (0, &"proved".into()), "{}", found.json);
}

/// A failed assertion that was noted counts, though the execution was given up later; and a loop that does nothing but fail
/// comes to an end.
#[test]
fn what_was_noted_is_not_lost() {
    let endless = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a;
static void look(int *p) { (void)p; }
static void *compute(void *arg) { int y = 0; look(&y); for (;;) y = 0; return arg; }
int main(void) {
    assert(a == 1);
    pthread_t t;
    pthread_create(&t, 0, compute, 0);
    pthread_join(t, 0);
    return 0;
}
";
    let found = check(endless, "--max-bugs 2 --time-limit 1");
    assert_eq!((found.exit, &found.json["bugs"][0]["kind"]), (1, &"assertion".into()), "{}", found.json);
    let fails = "#include <assert.h>\nint main(void) { int y = 0, *p = &y; for (;;) { assert(*p != 0); *p = 0; } }\n";
    let found = check(fails, "--max-bugs all --time-limit 20");
    assert_eq!((found.exit, &found.json["bugs"][0]["kind"]), (1, &"assertion".into()), "{}", found.json);
}
