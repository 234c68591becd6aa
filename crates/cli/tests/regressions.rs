//! Wrong answers that `check` once gave, each by its name.

mod common;

use std::process::Command;

use common::Check;
use serde_json::Value;

fn check(program: &str, options: &str) -> Check {
    let file = tempfile::Builder::new().suffix(".c").tempfile().expect("a place to write");
    std::fs::write(file.path(), program).expect("a place to write");
    Check::run(file.path(), options, "")
}

/// A thread that waits for `flag` and looks at `data` in every round, beside one that does `setter`.
fn waits_and_looks(setter: &str, waiter_first: bool) -> String {
    let (first, second) = if waiter_first { ("wait_for_it", "set") } else { ("set", "wait_for_it") };
    format!(
        "#include <pthread.h>
         #include <stdatomic.h>
         static atomic_int flag, other;
         static int data;
         static void *wait_for_it(void *a) {{
             while (!atomic_load(&flag)) {{
                 int seen = data;
                 (void)seen;
             }}
             return a;
         }}
         static void *set(void *a) {{ {setter} return a; }}
         int main(void) {{
             pthread_t t[2];
             pthread_create(&t[0], 0, {first}, 0);
             pthread_create(&t[1], 0, {second}, 0);
             pthread_join(t[0], 0);
             pthread_join(t[1], 0);
             return 0;
         }}"
    )
}

fn has_a_data_race(setter: &str, waiter_first: bool) {
    for strategy in ["optimal", "source"] {
        let check = check(&waits_and_looks(setter, waiter_first), &format!("--strategy {strategy}"));
        let found = (check.exit, &check.json["bugs"][0]["kind"]);
        assert_eq!(found, (1, &"data-race".into()), "{strategy}: {setter}\n{}", check.json);
    }
}

/// Whether a thread was parked was remembered until `flag` changed. A round that it would go through later, when `data`
/// has been written, was never tried out.
#[test]
fn remembered_parking_hid_a_data_race_in_a_wait_loops_body() {
    has_a_data_race("atomic_store(&other, 1); data = 1; atomic_store(&flag, 1);", true);
    has_a_data_race("atomic_store(&other, 1); data = 1;", true);
}

/// What the waiting thread would have done before `flag` was set was told by the value of `flag` then, but with the order
/// that came of setting it.
#[test]
fn a_value_of_the_past_with_the_order_of_today_hid_a_data_race() {
    has_a_data_race("atomic_store(&other, 1); data = 1; atomic_store(&flag, 1);", false);
}

/// A useless round was never gone through, so that what it read could not race with a later write.
#[test]
fn a_round_that_was_left_out_hid_a_race_with_a_later_write() {
    for waiter_first in [true, false] {
        has_a_data_race("atomic_store(&flag, 1); data = 1;", waiter_first);
        has_a_data_race("atomic_store(&flag, 1); atomic_store(&other, 1); data = 1;", waiter_first);
    }
}

/// A store of the value that was there already was taken to change nothing. But who reads it after that is no longer ordered
/// after the one who had stored the value before.
#[test]
fn a_silent_store_that_breaks_an_order_hid_a_data_race() {
    let program = |order: &str| {
        format!(
            "#include <pthread.h>
             #include <stdatomic.h>
             static atomic_int flag, done;
             static int data;
             static void *write(void *a) {{
                 data = 1;
                 atomic_store_explicit(&flag, 1, memory_order_release);
                 return a;
             }}
             static void *keep(void *a) {{
                 while (!atomic_load_explicit(&flag, memory_order_acquire)) ;
                 while (!atomic_load(&done)) atomic_store_explicit(&flag, 1, memory_order_{order});
                 return a;
             }}
             int main(void) {{
                 pthread_t s, t;
                 pthread_create(&s, 0, write, 0);
                 pthread_create(&t, 0, keep, 0);
                 int seen = atomic_load_explicit(&flag, memory_order_acquire) ? data : 0;
                 atomic_store(&done, 1);
                 pthread_join(s, 0);
                 pthread_join(t, 0);
                 return seen > 1;
             }}"
        )
    };
    for strategy in ["optimal", "source"] {
        let options = format!("--strategy {strategy}");
        let broken = check(&program("relaxed"), &options);
        let found = (broken.exit, &broken.json["bugs"][0]["kind"]);
        assert_eq!(found, (1, &"data-race".into()), "{strategy}: {}", broken.json);
        let kept = check(&program("release"), &options);
        assert_eq!((kept.exit, &kept.json["verdict"]), (0, &"proved".into()), "{strategy}: {}", kept.json);
    }
}

/// A thread that waited for a plain variable never came to a visible operation: the search was given up after a long while,
/// and the others were never looked at.
#[test]
fn a_loop_that_waits_for_a_plain_variable_hid_its_data_race() {
    let program = |wait: &str, set: &str| {
        format!(
            "#include <pthread.h>
             static int ready, other;
             static int is_ready(void) {{ return ready && other; }}
             static void *set(void *a) {{ {set} return a; }}
             int main(void) {{
                 pthread_t t;
                 pthread_create(&t, 0, set, 0);
                 {wait}
                 pthread_join(t, 0);
                 return is_ready();
             }}"
        )
    };
    let waits = [
        "while (!ready) ;",
        "do ; while (!ready && other < 1);",
        "while (!is_ready()) ;",
        // Nobody needs what it counts.
        "unsigned n = 0, m = 9; while (!ready) { n++; m -= n; }",
    ];
    for wait in waits {
        for strategy in ["optimal", "source"] {
            for (set, kind) in [("ready = 1;", "data-race"), ("", "livelock")] {
                let found = check(&program(wait, set), &format!("--strategy {strategy}"));
                assert_eq!((found.exit, &found.json["bugs"][0]["kind"]), (1, &kind.into()), "{wait} {}", found.json);
            }
        }
        let enough = wait.replace("while (", "while (!other && ");
        let proved = check(&program(&enough, "").replace("ready, other;", "ready, other = 1;"), "");
        assert_eq!((proved.exit, &proved.json["verdict"]), (0, &"proved".into()), "{enough} {}", proved.json);
    }
}

/// A loop that looks at memory in every round, without a race, ends with a proof.
#[test]
fn a_wait_loop_that_looks_at_memory_is_parked() {
    for waiter_first in [true, false] {
        let check = check(&waits_and_looks("atomic_store(&other, data); atomic_store(&flag, 1);", waiter_first), "");
        assert_eq!((check.exit, &check.json["verdict"]), (0, &"proved".into()), "{}", check.json);
    }
}

/// Where a path was cut off, only operations that could not happen were looked at for races: whether the deadlock of two
/// threads that lock in opposite orders for ever was found hung on where the cut fell.
#[test]
fn a_bound_between_two_locks_hid_a_deadlock() {
    let text = "#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void round(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static void *one(void *unused) { for (;;) round(&a, &b); return unused; }
static void *two(void *unused) { for (;;) round(&b, &a); return unused; }
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, one, NULL);
    pthread_create(&t, NULL, two, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
";
    for bound in 12..20 {
        let found = check(text, &format!("--depth-bound {bound}"));
        assert_eq!((found.exit, &found.json["bugs"][0]["kind"]), (1, &"deadlock".into()), "{bound}: {}", found.json);
    }
}

/// Time stood still, and looking at it was no operation: a deadline never passed, and loops that waited for one did not end.
#[test]
fn a_deadline_never_passed() {
    let program = |rest: &str| {
        format!(
            "#include <assert.h>
             #include <pthread.h>
             #include <stdatomic.h>
             #include <time.h>
             #include <unistd.h>
             static atomic_int ready;
             static time_t start;
             static void *set(void *a) {{ atomic_store(&ready, 1); return a; }}
             static void *nap(void *a) {{ sleep(3); return a; }}
             int main(void) {{
                 pthread_t t;
                 time_t deadline = time(0) + 5;
                 {rest}
                 pthread_join(t, 0);
                 return 0;
             }}"
        )
    };
    let wait = "while (!atomic_load(&ready) && time(0) < deadline) ;";
    for (rest, verdict) in [
        (format!("pthread_create(&t, 0, set, 0); {wait}"), "proved"),
        (format!("pthread_create(&t, 0, set, 0); {wait} assert(atomic_load(&ready));"), "violated"),
        // Only a loop that looks at the clock may wait for it.
        (format!("pthread_create(&t, 0, nap, 0); {wait}"), "proved"),
        (format!("pthread_create(&t, 0, nap, 0); {wait} while (!atomic_load(&ready)) ;"), "violated"),
        // Both orders of a sleep and a look at the clock.
        ("start = time(0); pthread_create(&t, 0, nap, 0); assert(time(0) != start + 3);".into(), "violated"),
        ("start = time(0); pthread_create(&t, 0, nap, 0); assert(time(0) != start);".into(), "violated"),
    ] {
        for strategy in ["optimal", "source"] {
            let check = check(&program(&rest), &format!("--strategy {strategy}"));
            assert_eq!(check.json["verdict"], verdict, "{strategy}: {rest}\n{}", check.json);
        }
    }
    // More time than it may take.
    let twice = format!("pthread_create(&t, 0, nap, 0); {wait} deadline = time(0) + 5; {wait}");
    let bounded = check(&program(&twice), "--clock-jumps 1");
    assert_eq!((bounded.exit, &bounded.json["verdict"]), (4, &"bounded".into()), "{}", bounded.json);
    let enough = check(&program(&twice), "--clock-jumps 4");
    assert_eq!((enough.exit, &enough.json["verdict"]), (0, &"proved".into()), "{}", enough.json);
}

/// A race ended its thread, so that those behind it were never seen.
#[test]
fn the_first_race_hid_the_others() {
    let program = "#include <assert.h>
        #include <pthread.h>
        int a, b, c[3];
        static void *work(void *x) {
            a++;
            b++;
            for (int i = 0; i < 3; i++)
                c[i]++;
            assert(a < 2);
            return x;
        }
        int main(void) {
            pthread_t t[2];
            for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
            for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
            return 0;
        }";
    let check = check(program, "--max-bugs all");
    let bugs = check.json["bugs"].as_array().expect("a list");
    let mut found: Vec<_> = bugs.iter().map(|bug| (bug["kind"].as_str(), bug["line"].as_u64())).collect();
    found.sort_unstable();
    let race = Some("data-race");
    assert_eq!(
        found,
        [(Some("assertion"), Some(9)), (race, Some(5)), (race, Some(6)), (race, Some(8))],
        "{}",
        check.json
    );
    assert!(bugs.iter().all(|bug| bug["occurrences"].as_u64() <= check.json["executions"].as_u64()), "{}", check.json);
    assert_eq!(check.exit, 1);
}

/// Each value of a choice looked through all that had been tried before.
#[test]
fn many_values_took_quadratic_time() {
    let program = "#include <threadbare.h>\nint main(void) { return tb_choose(0, 65535) < 0; }";
    let check = check(program, "");
    assert_eq!((check.exit, &check.json["executions"]), (0, &65536.into()), "{}", check.json);
    assert!(check.json["cpu_seconds"].as_f64().is_some_and(|time| time < 5.0), "{}", check.json);
}

/// An operation that fails changes nothing, and the state before it was known.
#[test]
fn an_error_that_changes_nothing_was_a_known_state() {
    let strategies = ["optimal", "stateful", "stateful+sleep", "stateful+spor", "stateful --superstep", "sdpor"];
    for (body, kind) in [
        ("int *p = malloc(4); free(p); free(p);", "double-free"),
        ("volatile int *p = 0; *p = 1;", "null-dereference"),
        ("pthread_mutex_unlock(&m);", "mutex-misuse"),
    ] {
        let program = format!(
            "#include <pthread.h>\n#include <stdlib.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
             int main(void) {{ {body} return 0; }}"
        );
        for strategy in strategies {
            for races in ["error", "allow"] {
                let check = check(&program, &format!("--strategy {strategy} --races {races}"));
                let found = (check.exit, &check.json["bugs"][0]["kind"]);
                assert_eq!(found, (1, &kind.into()), "{strategy} {races}: {body}");
            }
        }
    }
}

/// Objects of different sizes had the same number on different paths, and what was kept of the smaller one was too little.
#[test]
fn an_object_that_is_larger_on_another_path() {
    let program = "#include <pthread.h>
         #include <stdatomic.h>
         #include <stdlib.h>
         static atomic_int *cells, state;
         static void *set(void *a) { state = 1; return a; }
         int main(void) {
             pthread_t t;
             cells = malloc(16);
             pthread_create(&t, 0, set, 0);
             if (state == 0) cells = realloc(cells, 64);
             pthread_join(t, 0);
             free(cells);
             return 0;
         }";
    for strategy in ["optimal", "source", "dfs"] {
        assert_eq!(check(program, &format!("--strategy {strategy}")).exit, 0, "{strategy}");
    }
}

/// Whoever asked for all bugs was not told that the search had ended before it had found them.
#[test]
fn a_limit_beside_bugs_was_not_said() {
    let program = "#include <assert.h>
         #include <pthread.h>
         #include <stdatomic.h>
         static atomic_int cells[4], many;
         static void *add(void *a) { for (int i = 0; i < 9; i++) { many++; cells[i % 4] = many; assert(i < 2); } return a; }
         int main(void) {
             pthread_t t[4];
             for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, add, 0);
             for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
             return 0;
         }";
    let of = |options: &str| {
        let check = check(program, options);
        assert_eq!((check.exit, &check.json["verdict"]), (1, &"violated".into()), "{options}: {}", check.json);
        check.json["bound"].as_str().map(String::from)
    };
    assert_eq!(of("--max-bugs all --time-limit 300ms").as_deref(), Some("the time limit of 0.3 s"));
    assert!(of("--max-bugs all --depth-bound 15").is_some_and(|bound| bound.contains("after 15 visible operations")));
    assert!(of("--max-bugs all --strategy random --runs 50").is_some_and(|bound| bound.contains("50")));
    assert_eq!(of(""), None, "it ended because it found what it was to find");
}

/// What the machine cannot do took the bugs away that had been found before.
#[test]
fn a_refusal_hid_the_bugs_before_it() {
    let program = "#include <assert.h>
         #include <pthread.h>
         #include <stdatomic.h>
         #include <stdio.h>
         static atomic_int go;
         static void *set(void *a) { go = 1; return a; }
         int main(void) {
             pthread_t t;
             pthread_create(&t, 0, set, 0);
             int seen = go;
             assert(seen);
             if (seen) popen(\"there\", \"r\");
             return 0;
         }";
    let check = check(program, "--max-bugs all");
    let answer = (check.exit, check.json["bound"].as_str().unwrap_or_default());
    assert!(answer.0 == 1 && answer.1.contains("popen"), "{}", check.json);
}

/// Whether memory goes while it is in use hangs on what orders the two, which is no part of a state: searches that store
/// states left out the path on which nothing did, and said that there is none.
#[test]
fn stored_states_hid_a_free_of_memory_in_use() {
    let of_the_heap = "#include <pthread.h>
         #include <stdatomic.h>
         #include <stdlib.h>
         static atomic_int done, turn;
         static void *use(void *cell) {
             atomic_store((atomic_int *)cell, 1);
             atomic_exchange(&turn, 1);
             atomic_store_explicit(&done, 1, memory_order_relaxed);
             return 0;
         }
         static void *drop(void *cell) {
             atomic_exchange(&turn, 1);
             if (atomic_load_explicit(&done, memory_order_relaxed)) free(cell);
             return 0;
         }
         int main(void) {
             pthread_t t, u;
             atomic_int *cell = malloc(sizeof *cell);
             atomic_init(cell, 0);
             pthread_create(&t, 0, use, cell);
             pthread_create(&u, 0, drop, cell);
             pthread_join(t, 0);
             pthread_join(u, 0);
             return 0;
         }";
    let of_a_frame = "#include <pthread.h>
         #include <stdatomic.h>
         static atomic_int done, turn;
         static void *use(void *cell) {
             atomic_store((atomic_int *)cell, 1);
             atomic_exchange(&turn, 1);
             atomic_store_explicit(&done, 1, memory_order_relaxed);
             return 0;
         }
         static int lend(pthread_t *t) {
             atomic_int cell = 0;
             pthread_create(t, 0, use, &cell);
             atomic_exchange(&turn, 1);
             if (atomic_load_explicit(&done, memory_order_relaxed)) return 0;
             pthread_join(*t, 0);
             return 1;
         }
         int main(void) {
             pthread_t t;
             if (!lend(&t)) pthread_join(t, 0);
             return 0;
         }";
    for program in [of_the_heap, of_a_frame] {
        assert_eq!(check(program, "--races allow").exit, 1);
        for strategy in ["stateful", "stateful+sleep", "stateful+spor", "stateful --superstep", "sdpor"] {
            let check = check(program, &format!("--races allow --strategy {strategy}"));
            assert!(matches!(check.exit, 1 | 4), "{strategy}: {}", check.json);
        }
    }
}

/// What a resolver chooses was taken for the resolver; functions of the library with other types than they have were
/// called all the same.
#[test]
fn what_cannot_be_called_was_called() {
    let by_resolver = "static int chosen(void) { return 42; }
         static void *choose(void) { return (void *)chosen; }
         int answer(void) __attribute__((ifunc(\"choose\")));
         int main(void) { return answer() != 42; }";
    let too_few = "double fma(double); int main(void) { return fma(2) > 1; }";
    let others = "int floor(int); int main(void) { return floor(2); }";
    for (program, name) in [(by_resolver, "`answer`"), (too_few, "`fma`"), (others, "`floor`")] {
        let check = check(program, "");
        let message = check.json["error"]["message"].as_str().unwrap_or_default();
        assert!(check.exit == 3 && message.contains(name), "{}", check.json);
    }
}

/// A compare-exchange looks for a pointer whose memory another thread frees, and nothing orders the two: the search need
/// not see the free first, and took it for proved that addresses given out again do not matter.
#[test]
fn a_pointer_that_is_compared_before_its_memory_goes_was_forgotten() {
    let program = "#include <assert.h>
         #include <pthread.h>
         #include <stdatomic.h>
         #include <stdlib.h>
         static _Atomic(void *) top;
         static void *first;
         static int taken_by_one, taken_by_two;
         static atomic_int noise;
         static void *one(void *unused) {
             (void)unused;
             void *seen = top;
             if (seen == first && atomic_compare_exchange_strong(&top, &seen, NULL)) taken_by_one = 1;
             return NULL;
         }
         static void *two(void *unused) {
             (void)unused;
             if (atomic_exchange(&top, NULL) == first) { taken_by_two = 1; noise = 1; free(first); }
             return NULL;
         }
         static void *three(void *unused) { (void)unused; top = malloc(4); noise = 2; return NULL; }
         int main(void) {
             pthread_t t[3];
             top = first = malloc(4);
             pthread_create(&t[0], NULL, one, NULL);
             pthread_create(&t[1], NULL, three, NULL);
             pthread_create(&t[2], NULL, two, NULL);
             for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
             assert(!(taken_by_one && taken_by_two));
             return 0;
         }";
    for strategy in ["optimal", "source", "sleep", "dpor+sleep", "dfs", "scale"] {
        let check = check(program, &format!("--strategy {strategy}"));
        assert_eq!(check.exit, 4, "{strategy}: {}", check.json);
    }
    // Where the comparison is ordered before the free there is nothing to fear.
    let ordered = "#include <pthread.h>
         #include <stdatomic.h>
         #include <stdlib.h>
         static _Atomic(void *) top;
         static atomic_int done;
         static void *one(void *unused) {
             (void)unused;
             void *seen = top;
             atomic_compare_exchange_strong(&top, &seen, NULL);
             done = 1;
             return NULL;
         }
         static void *two(void *cell) { if (done) free(cell); return NULL; }
         int main(void) {
             pthread_t t, u;
             void *cell = malloc(4);
             top = cell;
             pthread_create(&t, NULL, one, NULL);
             pthread_create(&u, NULL, two, cell);
             pthread_join(t, NULL);
             pthread_join(u, NULL);
             return 0;
         }";
    for strategy in ["optimal", "source", "dfs"] {
        assert_eq!(check(ordered, &format!("--strategy {strategy}")).exit, 0, "{strategy}");
    }
}

/// Two threads take a lock: `acquire` waits for it in a loop that does something in each round.
fn takes_a_lock(acquire: &str) -> String {
    format!(
        r#"
        #include <pthread.h>
        #include <sched.h>
        #include <stdatomic.h>
        static atomic_int taken;
        static int count;
        static void acquire(void) {{
            {acquire}
        }}
        static void *work(void *u) {{
            acquire();
            count++;
            atomic_store(&taken, 0);
            return u;
        }}
        int main(void) {{
            pthread_t t[2];
            for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
            for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
            return count != 2;
        }}
        "#
    )
}

/// Variables of a block in the loop are made anew in each round, and nobody else can see a volatile one that stays in its function.
#[test]
fn variables_of_a_round_kept_a_loop_from_waiting() {
    for acquire in [
        "while (1) { struct { int seen, more; } now = { atomic_exchange(&taken, 1), 1 }; if (!now.seen) return; }",
        "while (1) { { int pair[2] = { 1, 2 }; for (int i = 0; i < pair[1]; i++) sched_yield(); } \
         if (!atomic_exchange(&taken, 1)) return; }",
        "for (int pause = 1;; pause = pause < 64 ? pause * 2 : 64) { if (!atomic_exchange(&taken, 1)) return;          for (volatile int i = 0; i < pause; i++) {} }",
    ] {
        let found = check(&takes_a_lock(acquire), "");
        assert_eq!(found.json["verdict"], "proved", "{acquire}: {}", found.json);
    }
}

/// The thread that did most may have left its loop at last when the bound was met.
#[test]
fn the_loop_that_needed_a_bound_was_another_one() {
    let acquire = "int rounds = 0; while (atomic_exchange(&taken, 1)) if (++rounds > 100) sched_yield();";
    let found = check(&takes_a_lock(acquire), "--depth-bound 1000");
    assert_eq!(found.json["verdict"], "bounded", "{}", found.json);
    let bound = found.json["bound"].as_str().expect("a sentence");
    assert!(bound.contains("in `acquire` goes on"), "{bound}");
}

/// A thread counts the rounds in which it waits, somewhere that belongs to it alone.
fn counts_its_rounds(declared: &str, count: &str, sets_the_flag: bool) -> String {
    let set = if sets_the_flag { "atomic_store(&flag, 1);" } else { "" };
    format!(
        r#"
        #include <assert.h>
        #include <errno.h>
        #include <pthread.h>
        #include <stdatomic.h>
        static atomic_int flag;
        {declared}
        static void *wait_for_it(void *u) {{
            while (!atomic_load(&flag)) if (({count}) == 3) return u;
            assert(({count}) != 3);
            return u;
        }}
        int main(void) {{
            pthread_t t;
            pthread_create(&t, 0, wait_for_it, 0);
            {set}
            pthread_join(t, 0);
            return 0;
        }}
        "#
    )
}

/// A round that changes a variable of its thread was taken for one that changes nothing: what came after it was never seen.
#[test]
fn rounds_that_change_thread_local_variables_were_left_out() {
    let places = [
        ("static _Thread_local int rounds;", "++rounds"),
        ("", "++errno"),
        (
            "static pthread_key_t key; static pthread_once_t once = PTHREAD_ONCE_INIT;\n\
             static void make(void) { pthread_key_create(&key, 0); }\n\
             static long next(void) { pthread_once(&once, make); long n = (long)pthread_getspecific(key) + 1;\n\
             pthread_setspecific(key, (void *)n); return n; }",
            "next()",
        ),
    ];
    for (declared, count) in places {
        for strategy in ["optimal", "source", "dfs", "sleep", "dpor", "scale", "stateful"] {
            let options = format!("--strategy {strategy}");
            let found = check(&counts_its_rounds(declared, count, true), &options);
            assert_eq!(found.json["bugs"][0]["kind"], "assertion", "{count}, {strategy}: {}", found.json);
            let found = check(&counts_its_rounds(declared, count, false), &options);
            assert_eq!(found.json["verdict"], "proved", "{count}, {strategy}: {}", found.json);
        }
    }
}

/// A loop that goes on for ever is a cycle of states like any other: nobody looks for it there.
#[test]
fn stored_states_said_that_there_is_no_livelock() {
    let program = r#"
        #include <pthread.h>
        #include <stdatomic.h>
        static atomic_int flag, x;
        static void *wait_for_it(void *u) {
            while (!atomic_load(&flag)) { atomic_store(&x, 1); atomic_store(&x, 0); }
            return u;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, wait_for_it, 0);
            pthread_join(t, 0);
            return 0;
        }
    "#;
    let file = tempfile::Builder::new().suffix(".c").tempfile().expect("a place to write");
    std::fs::write(file.path(), program).expect("a place to write");
    for strategy in ["stateful", "sdpor"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_threadbare"));
        let output = command.args(["check", "--strategy", strategy]).arg(file.path()).output().expect("it starts");
        let screen = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(screen.contains("no deadlock") && !screen.contains("livelock"), "{screen}");
    }
}

/// Two threads that do this, and every strategy that explores all.
fn side_by_side(globals: &str, first: &str, second: &str, look: impl Fn(&str, Check)) {
    let program = format!(
        "#define _GNU_SOURCE
         #include <pthread.h>
         {globals}
         static void *a(void *p) {{ {first} return p; }}
         static void *b(void *p) {{ {second} return p; }}
         int main(void) {{
             pthread_t t[2];
             pthread_create(&t[0], 0, a, 0);
             pthread_create(&t[1], 0, b, 0);
             pthread_join(t[0], 0);
             pthread_join(t[1], 0);
             return 0;
         }}"
    );
    for strategy in "dfs stateful sleep spor dpor dpor+sleep sdpor scale source optimal".split(' ') {
        look(strategy, check(&program, &format!("--jobs 1 --strategy {strategy}")));
    }
}

/// A thread that reads was taken to be any thread: who unlocked in its stead was an error only if it came too early, and
/// that it could do so nobody looked for.
#[test]
fn a_read_lock_that_another_thread_gave_back_was_proved() {
    let lock = "static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;";
    for twice in ["", "pthread_rwlock_rdlock(&l);"] {
        let reads = format!("pthread_rwlock_rdlock(&l); {twice}");
        side_by_side(lock, &reads, "pthread_rwlock_unlock(&l);", |strategy, check| {
            let found = (check.exit, &check.json["bugs"][0]["kind"]);
            assert_eq!(found, (1, &"mutex-misuse".into()), "{strategy}\n{}", check.json);
        });
    }
    // Who reads twice gives it back twice.
    let reads =
        "pthread_rwlock_rdlock(&l); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l);";
    side_by_side(lock, reads, "pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l);", |strategy, check| {
        assert_eq!(check.exit, 0, "{strategy}\n{}", check.json);
    });
}

/// An unlock that fails was taken for one that lets others in, so that `dpor` did not put it before the lock.
#[test]
fn an_unlock_that_fails_was_never_tried_before_the_lock() {
    let mutex = "static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;";
    let locks = "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);";
    side_by_side(mutex, "pthread_mutex_unlock(&m);", locks, |strategy, check| {
        let executions = check.json["executions"].as_u64().expect("a number");
        let wanted = match strategy {
            "dfs" => 4,
            "stateful" | "sdpor" => 1,
            _ => 3,
        };
        assert_eq!((check.exit, executions), (0, wanted), "{strategy}\n{}", check.json);
    });
}

/// A store of what is already there changes nothing, but it may end what another thread has released. Executed again with all
/// orders looked at, that was an effect; and a read of volatile data in the loop let the thread stand elsewhere in it.
#[test]
fn a_livelock_that_writes_what_is_there_did_not_replay() {
    for round in ["atomic_store(&a, 1);", "r = v; atomic_store_explicit(&a, 1, memory_order_release);"] {
        let text = format!(
            "#include <pthread.h>
            #include <stdatomic.h>
            static atomic_int a;
            static volatile int v;
            static void *once(void *unused) {{ atomic_store(&a, 1); return unused; }}
            static void *for_ever(void *unused) {{ int r = 0; for (;;) {{ {round} }} return (void *)(long)(r + !unused); }}
            int main(void) {{
                pthread_t thread;
                pthread_create(&thread, NULL, once, NULL);
                pthread_create(&thread, NULL, for_ever, NULL);
                pthread_exit(NULL);
            }}"
        );
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("test.c");
        std::fs::write(&file, text).expect("writable");
        for strategy in ["optimal", "source", "graph", "dfs"] {
            let check = Check::run(&file, &format!("--strategy {strategy}"), "");
            let found = (check.exit, &check.json["bugs"][0]["kind"]);
            assert_eq!(found, (1, &"livelock".into()), "{strategy}\n{}", check.json);
        }
    }
}

fn model(text: &str, options: &str) -> Check {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("model.tb");
    std::fs::write(&file, text).expect("writable");
    Check::run(&file, options, "")
}

/// One thread waits for good and another goes round a loop: executed again, only the loop was looked at.
#[test]
fn a_deadlock_beside_a_livelock_did_not_replay() {
    let text = "shared x = 0\nmutex m\nthread a { x := 1; while !x != 0 do () }\nthread b { lock m; lock m }\n";
    let check = model(text, "--strategy graph --max-bugs all --minimise 0");
    let bugs = check.json["bugs"].as_array().expect("a list");
    let mut kinds: Vec<&str> = bugs.iter().filter_map(|bug| bug["kind"].as_str()).collect();
    kinds.sort_unstable();
    assert_eq!((check.exit, kinds), (1, vec!["deadlock", "livelock"]), "{}", check.json);
}

/// A thread of a model that goes on by itself for minutes did not hear of the limit.
#[test]
fn the_time_limit_holds_in_the_middle_of_local_code_of_a_model() {
    let text = "shared x = 0\nthread t { for k in 0..1000000000000 do (); x := 1 }\n";
    let check = model(text, "--time-limit 0.2");
    assert_eq!((check.exit, &check.json["verdict"]), (4, &"unknown".into()), "{}", check.json);
    assert!(check.json["bound"].to_string().contains("time limit"), "{}", check.json);
}

/// `optimal` and `source` took an execution that has as many operations as the bound allows for a longer one.
#[test]
fn an_execution_may_be_as_long_as_the_bound() {
    let text = "shared x = 0\nshared y = 0\nthread a { x := 1; y := 1 }\nthread b { y := 2; x := 2 }\n";
    for strategy in ["optimal", "source", "dfs", "sleep", "dpor", "dpor+sleep", "stateful", "graph", "sdpor", "scale"] {
        for (bound, verdict) in [(4, "proved"), (3, "bounded")] {
            let check = model(text, &format!("--strategy {strategy} --depth-bound {bound}"));
            assert_eq!(check.json["verdict"], verdict, "{strategy} {bound}: {}", check.json);
        }
    }
}

/// A page of variables that is first written in a later execution kept what was written there (native backend).
#[test]
fn variables_of_machine_code_do_not_keep_what_other_executions_wrote() {
    let who_was_first = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>
        static atomic_int first; static char table[3 * 4096];
        static void *run(void *me) { int none = 0; atomic_compare_exchange_strong(&first, &none, (int)(long)me); return 0; }
        int main(void) {
            pthread_t t[3];
            for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, run, (void *)(i + 1));
            for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
            if (first == GOOD) table[8000] = 1;
            if (first != 1) assert(table[8000] == 1);
        }";
    let pages = "#include <assert.h>\n#include <threadbare.h>
        static _Atomic int page[3][2048];
        int main(void) { int one = tb_choose(0, 2); page[one][0]++; assert(page[0][0] + page[1][0] + page[2][0] == 1 - BAD * (one == 2)); }";
    let twice = "#include <assert.h>\n#include <pthread.h>
        static _Atomic int n;
        static void *add(void *by) { n += 1; return by; }
        int main(void) {
            pthread_t t[2];
            for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, add, 0);
            for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
            assert(n != 2);
        }";
    for (text, flag, options, verdict) in [
        (who_was_first, "-DGOOD=2", &["--strategy", "optimal"][..], "violated"),
        (who_was_first, "-DGOOD=3", &["--strategy", "graph"][..], "violated"),
        (pages, "-DBAD=1", &[][..], "violated"),
        (pages, "-DBAD=0", &[][..], "proved"),
        (twice, "-DN", &["--strategy", "scale", "--order", "bfs"][..], "violated"),
        (twice, "-DN", &["--strategy", "sdpor"][..], "violated"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("program.c");
        std::fs::write(&file, text).expect("a place to write");
        let trace = folder.path().join("bug.json");
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        command.args(["check", "--backend", "native", "--format", "json", "--trace"]).arg(&trace).arg(&file);
        let output = command.args(options).args(["--", flag]).output().expect("it starts");
        let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}\n{text}"));
        assert_eq!(json["verdict"], verdict, "{flag} {options:?}\n{text}");
        if verdict == "violated" {
            let replay =
                Command::new(env!("CARGO_BIN_EXE_threadbare")).arg("replay").arg(&trace).output().expect("it starts");
            assert_eq!(replay.status.code(), Some(1), "{replay:?}\n{text}");
        }
    }
}

/// The optimiser loaded what it might need before it knew whether it is wanted: a race that nobody wrote.
#[test]
fn the_optimiser_made_a_race_of_correct_message_passing() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>
        static int data; static atomic_int ready;
        static void *tell(void *none) { data = 42; if (ORDERED) atomic_store(&ready, 1); return none; }
        static void *hear(void *none) { int heard = 42; if (!ORDERED || atomic_load(&ready)) heard = data; return (void *)(long)heard; }
        int main(void) {
            pthread_t t[2];
            pthread_create(&t[0], 0, tell, 0); pthread_create(&t[1], 0, hear, 0);
            for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
        }";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).expect("a place to write");
    for backend in ["vm", "native"] {
        for (level, flag, verdict) in [
            (1, "-DORDERED=1", "proved"),
            (2, "-DORDERED=1", "proved"),
            (3, "-DORDERED=1", "proved"),
            (2, "-DORDERED=0", "violated"),
        ] {
            let check = Check::run(&file, &format!("--backend {backend} -O {level}"), flag);
            assert_eq!(check.json["verdict"], verdict, "{backend} -O {level}: {}", check.json);
        }
    }
}

/// What all programs about waits with a time limit have in common. `wait_a_second` gives 1 if the time has run out.
const WAITS_A_SECOND: &str = "#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n#include <semaphore.h>
    #include <threads.h>\n#include <time.h>
    #ifdef C11
    static mtx_t lock; static cnd_t news;
    __attribute__((constructor)) static void begin(void) { mtx_init(&lock, mtx_plain); cnd_init(&news); }
    #define pthread_mutex_lock mtx_lock
    #define pthread_mutex_unlock mtx_unlock
    #define pthread_cond_signal cnd_signal
    #define pthread_cond_broadcast cnd_broadcast
    #define WAIT(limit) (cnd_timedwait(&news, &lock, limit) == thrd_timedout)
    #else
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
    int pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
    #ifdef CLOCK
    #define WAIT(limit) (pthread_cond_clockwait(&news, &lock, CLOCK_MONOTONIC, limit) == ETIMEDOUT)
    #else
    #define WAIT(limit) (pthread_cond_timedwait(&news, &lock, limit) == ETIMEDOUT)
    #endif
    #endif
    static int wait_a_second(void) { struct timespec limit = {2000000000, 0}; return WAIT(&limit); }
    static int ready, late[2];
";

/// The time of a wait ran out only while nobody held the mutex, in the step that took it again. So whoever signals with the
/// mutex held always met the waiter, and no waiter saw both that it was late and what it had waited for. A
/// cancellation came in the same way.
#[test]
fn a_waiter_gave_up_only_while_nobody_held_the_mutex() {
    let late_and_ready = "
        static void *hear(void *none) {
            pthread_mutex_lock(&lock);
            int is_late = 0;
            while (!ready && !is_late) is_late = wait_a_second();
            assert(!ready || !is_late);
            pthread_mutex_unlock(&lock);
            return none;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, hear, 0);
            pthread_mutex_lock(&lock); ready = 1; pthread_cond_signal(&news); pthread_mutex_unlock(&lock);
            pthread_join(t, 0);
        }";
    let left_behind = "
        static int item, closed;
        static void *take(void *none) {
            pthread_mutex_lock(&lock);
            while (!item)
                if (wait_a_second()) { closed = 1; pthread_mutex_unlock(&lock); return none; }
            item = 0;
            pthread_mutex_unlock(&lock);
            return none;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, take, 0);
            pthread_mutex_lock(&lock); if (!closed) item = 1; pthread_cond_signal(&news); pthread_mutex_unlock(&lock);
            pthread_join(t, 0);
            assert(!item);
        }";
    let one_of_two = "
        static sem_t waits;
        static void *hear(void *who) {
            pthread_mutex_lock(&lock);
            sem_post(&waits);
            late[(long)who] = wait_a_second() ? 1 + ready : 0;
            pthread_mutex_unlock(&lock);
            return 0;
        }
        int main(void) {
            pthread_t t[2];
            sem_init(&waits, 0, 0);
            for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, hear, (void *)i);
            for (int i = 0; i < 2; i++) sem_wait(&waits);
            pthread_mutex_lock(&lock); ready = 1; pthread_cond_broadcast(&news); pthread_mutex_unlock(&lock);
            for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
            assert(!(late[0] == 0 && late[1] == 2));
        }";
    let cancelled = "
        static void forget(void *none) { (void)none; assert(!ready); pthread_mutex_unlock(&lock); }
        static void *hear(void *none) {
            pthread_mutex_lock(&lock);
            pthread_cleanup_push(forget, 0);
            while (!ready) WAITS;
            pthread_cleanup_pop(0);
            pthread_mutex_unlock(&lock);
            return none;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, hear, 0);
            pthread_cancel(t);
            pthread_mutex_lock(&lock); ready = 1; pthread_cond_signal(&news); pthread_mutex_unlock(&lock);
            pthread_join(t, 0);
        }";
    // The signal goes to whoever still waits: nobody is forgotten, and no wait that nothing limits is late.
    let handed_on = "
        static sem_t waits;
        static void *patient(void *none) {
            pthread_mutex_lock(&lock);
            sem_post(&waits);
            pthread_cond_wait(&news, &lock);
            pthread_mutex_unlock(&lock);
            return none;
        }
        static void *hasty(void *none) {
            pthread_mutex_lock(&lock);
            if (!wait_a_second()) pthread_cond_signal(&news);
            pthread_mutex_unlock(&lock);
            return none;
        }
        int main(void) {
            pthread_t t[2];
            sem_init(&waits, 0, 0);
            pthread_create(&t[0], 0, patient, 0); pthread_create(&t[1], 0, hasty, 0);
            sem_wait(&waits);
            pthread_mutex_lock(&lock); pthread_cond_signal(&news); pthread_mutex_unlock(&lock);
            for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
        }";
    for (body, flags, verdict) in [
        (late_and_ready, "", "violated"),
        (late_and_ready, "-DCLOCK", "violated"),
        (late_and_ready, "-DC11", "violated"),
        (left_behind, "", "violated"),
        (one_of_two, "", "violated"),
        (cancelled, "'-DWAITS=pthread_cond_wait(&news,&lock)'", "violated"),
        (cancelled, "'-DWAITS=wait_a_second()'", "violated"),
        (handed_on, "", "proved"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("program.c");
        std::fs::write(&file, format!("{WAITS_A_SECOND}{body}")).expect("a place to write");
        for options in ["--strategy optimal", "--strategy source", "--strategy graph", "--strategy dfs"] {
            let mut executions = Vec::new();
            for backend in ["vm", "native"] {
                let check = Check::run(&file, &format!("--backend {backend} {options}"), flags);
                assert_eq!(check.json["verdict"], verdict, "{backend} {options} {flags}{body}\n{}", check.json);
                executions.push(check.json["executions"].clone());
            }
            if options == "--strategy optimal" && verdict == "proved" {
                assert_eq!(executions[0], executions[1], "{flags}{body}");
            }
        }
    }
}

/// A wake-up that nobody causes may come, and need not. It was taken for one that comes, and hid the deadlock.
#[test]
fn a_spurious_wake_up_need_not_come() {
    let program = |body: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n
             static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
             static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
             static atomic_int heard;
             static void *hear(void *none) {{
                 pthread_mutex_lock(&lock);
                 pthread_cond_wait(&news, &lock);
                 heard++;
                 pthread_mutex_unlock(&lock);
                 return none;
             }}
             int main(void) {{ pthread_t t[2]; {body} }}"
        )
    };
    const ALONE: &str = "pthread_create(&t[0], 0, hear, 0); pthread_join(t[0], 0);";
    // The wake-up takes no signal from anybody: where one wakes by itself, the other one can have it.
    const BOTH: &str = "for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, hear, 0);
                        pthread_mutex_lock(&lock); pthread_cond_signal(&news); pthread_mutex_unlock(&lock);
                        for (int i = 0; i < 2; i++) pthread_detach(t[i]);
                        tb_assume(heard == 2); assert(0);";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    for (body, spurious, kind) in
        [(ALONE, 0, "deadlock"), (ALONE, 1, "deadlock"), (BOTH, 0, "proved"), (BOTH, 1, "assertion")]
    {
        std::fs::write(&file, format!("#include <threadbare.h>\n{}", program(body))).expect("a place to write");
        for backend in ["vm", "native"] {
            for strategy in ["optimal", "source", "graph", "dfs"] {
                let options = format!("--backend {backend} --strategy {strategy} --spurious {spurious}");
                let check = Check::run(&file, &options, "");
                let found =
                    check.json["bugs"][0]["kind"].as_str().unwrap_or_else(|| check.json["verdict"].as_str().unwrap());
                assert_eq!(found, kind, "{options} {body}\n{}", check.json);
            }
        }
    }
    std::fs::write(&file, program(ALONE)).expect("a place to write");
    for fairness in ["weak", "none"] {
        let check = Check::run(&file, &format!("--spurious 1 --ltl 'F {{heard == 1}}' --fairness {fairness}"), "");
        assert_eq!(check.json["bugs"][0]["kind"], "ltl", "{}", check.json);
    }
}

/// What both backends say of a program, with several strategies: the kind of the bug, or the verdict.
fn everybody_says(program: &str, expected: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, program).expect("a place to write");
    for backend in ["vm", "native"] {
        for strategy in ["optimal", "source", "graph", "dfs"] {
            let options = format!("--backend {backend} --strategy {strategy}");
            let check = Check::run(&file, &options, "");
            let found =
                check.json["bugs"][0]["kind"].as_str().unwrap_or_else(|| check.json["verdict"].as_str().unwrap());
            assert_eq!(found, expected, "{options}\n{program}\n{}", check.json);
        }
    }
}

/// Writing, opening and closing were no cancellation points, and streams never were, which POSIX leaves open.
#[test]
fn a_thread_was_never_cancelled_in_a_write() {
    let program = |call: &str, cancel: &str, look: &str| {
        format!(
            "#include <assert.h>\n#include <fcntl.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <unistd.h>\n
             static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, go = PTHREAD_MUTEX_INITIALIZER;
             static void *work(void *none) {{
                 pthread_mutex_lock(&go);
                 pthread_mutex_lock(&lock);
                 {call};
                 pthread_mutex_unlock(&lock);
                 return none;
             }}
             int main(void) {{
                 pthread_t t;
                 pthread_mutex_lock(&go);
                 pthread_create(&t, 0, work, 0);
                 {cancel};
                 pthread_mutex_unlock(&go);
                 pthread_join(t, 0);
                 assert({look}(pthread_mutex_trylock(&lock) == 0));
                 return 0;
             }}"
        )
    };
    for call in ["write(1, \"\", 1)", "close(7)", "open(\"none\", O_RDONLY)", "fsync(7)"] {
        everybody_says(&program(call, "pthread_cancel(t)", ""), "assertion");
        everybody_says(&program(call, "pthread_cancel(t)", "!"), "proved");
    }
    // Both are possible.
    for call in ["fputs(\"\", stderr)", "fflush(stdout)", "fopen(\"none\", \"r\")", "getchar()"] {
        everybody_says(&program(call, "pthread_cancel(t)", ""), "assertion");
        everybody_says(&program(call, "pthread_cancel(t)", "!"), "assertion");
    }
    for call in ["write(1, \"\", 1)", "fputs(\"\", stderr)", "pthread_mutex_trylock(&go)"] {
        let cancel = if call.contains("go") { "pthread_cancel(t)" } else { "" };
        everybody_says(&program(call, cancel, ""), "proved");
    }
}

/// Who was signalled and then cancelled, before it went on, was never cancelled. If it is, the signal is not lost to another one.
#[test]
fn a_waiter_that_was_signalled_could_not_be_cancelled_any_more() {
    let program = |wakes: &str, waiters: u32, look: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <threadbare.h>\n
             static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
             static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
             static atomic_int waiting, woken;
             static void leave(void *none) {{ pthread_mutex_unlock(&lock); }}
             static void *wait_for_it(void *none) {{
                 pthread_mutex_lock(&lock);
                 pthread_cleanup_push(leave, 0);
                 waiting++;
                 pthread_cond_wait(&news, &lock);
                 woken++;
                 pthread_cleanup_pop(1);
                 return none;
             }}
             int main(void) {{
                 pthread_t t[2];
                 void *result;
                 for (int i = 0; i < {waiters}; i++) pthread_create(&t[i], 0, wait_for_it, 0);
                 pthread_mutex_lock(&lock);
                 tb_assume(waiting == {waiters});
                 pthread_cond_{wakes}(&news);
                 pthread_mutex_unlock(&lock);
                 pthread_cancel(t[0]);
                 pthread_join(t[0], &result);
                 {look}
                 return 0;
             }}"
        )
    };
    for wakes in ["signal", "broadcast"] {
        everybody_says(&program(wakes, 1, "assert(result != PTHREAD_CANCELED);"), "assertion");
        everybody_says(&program(wakes, 1, "assert(result == PTHREAD_CANCELED);"), "assertion");
    }
    everybody_says(&program("broadcast", 2, "pthread_join(t[1], 0);"), "proved");
    const THE_OTHER_HAS_IT: &str = "if (result == PTHREAD_CANCELED) pthread_join(t[1], 0);";
    everybody_says(&program("signal", 2, THE_OTHER_HAS_IT), "proved");
    everybody_says(&program("signal", 2, "if (result != PTHREAD_CANCELED) pthread_join(t[1], 0);"), "deadlock");
}
