//! The native backend: machine code gives the answers of the virtual machine, survives what programs do to it, and refuses by
//! name what it cannot see.

mod common;

use std::path::PathBuf;
use std::process::Command;

use common::{Check, root};

fn check(file: &std::path::Path, backend: &str, options: &str, flags: &str) -> Check {
    Check::run(file, &format!("--backend {backend} {options}"), flags)
}

/// Verdict, number of executions where nothing ends the search early, and kinds of bugs.
fn answer(check: &Check) -> (String, Option<u64>, Vec<String>, i32) {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
    let verdict = text(&check.json["verdict"]);
    let executions = check.json["executions"].as_u64().filter(|_| verdict == "proved");
    let bugs = check.json["bugs"].as_array().expect("a list").iter().map(|bug| text(&bug["kind"])).collect();
    (verdict, executions, bugs, check.exit)
}

fn agree(file: &str, options: &str, flags: &str) {
    let file = root().join("programs").join(file);
    let [vm, native] = ["vm", "native"].map(|backend| check(&file, backend, options, flags));
    assert_eq!(answer(&vm), answer(&native), "{file:?} {options} {flags}\n{}\n{}", vm.json, native.json);
}

#[test]
fn both_machines_explore_as_many_executions() {
    for (file, options, flags) in [
        ("counts/filesystem.c", "", "-DN=17"),
        ("counts/indexer.c", "", "-DN=13"),
        ("counts/readers.c", "", "-DN=8"),
        ("counts/lastzero.c", "", "-DN=5"),
        ("counts/fib_bench.c", "", "-DN=3 -DREADER"),
        ("counts/mutex_counter.c", "", "-DN=5"),
        ("counts/bounded_buffer.c", "", "-DP=2 -DC=2"),
        ("counts/cond_barrier.c", "", "-DN=3 -DS=2"),
        ("counts/pthread_barrier.c", "", "-DN=3 -DS=2"),
        ("counts/philosophers.c", "", "-DN=4 -DORDERED"),
        ("counts/peterson.c", "", "-DK=2"),
        ("counts/spin_locks.c", "", "-DN=3 -DCAS"),
        ("counts/spin_barrier.c", "", "-DN=3"),
        ("counts/lastzero.c", "--races allow", "-DN=5 -DPLAIN"),
    ] {
        agree(file, &format!("--strategy optimal {options}"), flags);
    }
}

#[test]
fn both_machines_find_the_same_bugs() {
    for name in [
        "lock-order",
        "double-init",
        "foreign-unlock",
        "c11-lost-signal",
        "if-instead-of-while",
        "joined-twice",
        "plain-wait-loop",
        "freed-cursor",
        "queue-lock-hand-over",
    ] {
        for kind in ["bug", "fixed"] {
            agree(&format!("pairs/{name}-{kind}.c"), "--strategy optimal", "");
        }
    }
}

/// A preemption is the same on both: starts, ends and joins of threads are no steps, and only who really goes round a loop may be
/// left for nothing.
#[test]
fn bounds_on_preemptions_mean_the_same() {
    for name in ["signal_through_pointer", "lock_by_macro", "cond_signal_after_many"] {
        let file = root().join(format!("tests/c/mt/{name}.c"));
        let strategies: &[_] = if name == "cond_signal_after_many" { &["dpor"] } else { &["dpor", "dfs"] };
        for (bound, strategy) in (0..3).flat_map(|bound| strategies.iter().map(move |strategy| (bound, strategy))) {
            let options = format!("--strategy {strategy} --context-bound {bound} --jobs 1 --depth-bound 1000");
            let [vm, native] = ["vm", "native"].map(|backend| check(&file, backend, &options, ""));
            for field in ["verdict", "executions", "transitions"] {
                assert_eq!(vm.json[field], native.json[field], "{name} {options}\n{}\n{}", vm.json, native.json);
            }
        }
    }
}

/// Nobody who counts the rounds of a loop waits in it, whether they change anything or not; whoever comes back to the same local
/// state does, be it after several rounds.
#[test]
fn loops_that_count_do_not_wait() {
    let folder = Folder::new();
    for body in [
        "for (int i = 0; i < 3; i++) a = 0; b = 1;",
        "int n = 0; for (int i = 0; i < 4; i++) n += b; b = n;",
        "for (int i = 0; i < 3 && pthread_mutex_trylock(&m); i++) {} b = 1;",
        "b++; while (b < 2) {}",
        "b++; int odd; for (odd = 0; b < 2; odd = !odd) {} a = odd;",
        "b++; int i; for (i = 0; b < 2; i = (i + 1) % 5) {} a = i;",
    ] {
        let file = folder.file(&format!("static _Atomic int a, b;\n{}", twice(body)));
        for options in ["optimal", "dpor --context-bound 1", "dpor --context-bound 2"] {
            let options = format!("--strategy {options} --jobs 1 --depth-bound 200");
            let [vm, native] = ["vm", "native"].map(|backend| check(&file, backend, &options, ""));
            for field in ["verdict", "executions", "transitions"] {
                assert_eq!(vm.json[field], native.json[field], "{body} {options}\n{}\n{}", vm.json, native.json);
            }
            if options.contains("optimal") {
                assert_eq!(native.json["verdict"], "proved", "{body}: {}", native.json);
            }
        }
    }
}

/// Who waits for nobody goes round for ever, be it in several local states, and what is written again in every round is no news.
#[test]
fn loops_that_wait_are_known_where_states_are_stored() {
    let folder = Folder::new();
    for (body, kind) in [
        ("while (!b) {}", Some("livelock")),
        ("long i = 0; while (!b) i ^= 1;", Some("livelock")),
        ("int i = 0; while (!b) i = (i + 1) % 3;", Some("livelock")),
        ("for (int i = 0; i < 5 && !b; i++) {}", None),
        ("while (sem_trywait(&s)) {}", Some("livelock")),
        ("sem_post(&s); while (sem_trywait(&s)) {}", None),
        ("a = 1; int *i = calloc(1, sizeof *i); while (!a) *i = 1; free(i);", None),
        ("b++; int *i = calloc(1, sizeof *i); while (b < 2) *i = 1; free(i);", None),
        ("int *sum = &sums[b++], seen; while ((seen = b) < 2) *sum += seen < 0;", None),
    ] {
        let before = "#include <semaphore.h>\n#include <stdlib.h>\nstatic _Atomic int a, b;\nstatic int sums[2];\nstatic sem_t s;\n\
                      __attribute__((constructor)) static void begin(void) { sem_init(&s, 0, 0); }";
        let file = folder.file(&format!("{before}\n{}", twice(body)));
        for (backend, strategy) in [("vm", "graph"), ("native", "optimal"), ("native", "graph"), ("native", "stateful")]
        {
            let found = check(&file, backend, &format!("--strategy {strategy} --jobs 1"), "");
            let kinds: Vec<_> =
                found.json["bugs"].as_array().expect("a list").iter().map(|bug| bug["kind"].as_str()).collect();
            let right = kind.map_or(vec![], |kind| vec![Some(kind)]);
            assert_eq!(kinds, right, "{body} {backend} {strategy}: {}", found.json);
            if kind.is_none() && strategy != "stateful" {
                assert_eq!(found.json["verdict"], "proved", "{body} {backend} {strategy}: {}", found.json);
            }
        }
    }
}

/// What a variable without a name held in the last round told the first round of a loop from the others, and so did a write of what was there
/// already, and a read of what was read before.
#[test]
fn a_pointer_that_is_waited_for_is_seen_once() {
    let folder = Folder::new();
    let file = folder.file(
        "#include <pthread.h>\n#include <stdatomic.h>\nstatic struct version { int number; } versions[3] = {{1}, {2}, {3}};\n\
         static struct version *_Atomic newest;\nstatic int limit = 3, bad[2];\n\
         static void *reader(void *p) {\n  int *wrong = p;\n  for (int seen = 0; seen < limit; ) {\n    struct version *it = newest;\n\
         if (it == NULL) continue;\n    *wrong += it->number < seen;\n    seen = it->number;\n  }\n  return NULL; }\n\
         int main(void) {\n  pthread_t s, t;\n  pthread_create(&s, 0, reader, &bad[0]);\n  pthread_create(&t, 0, reader, &bad[1]);\n\
         for (int i = 0; i < 3; i++) newest = &versions[i];\n  pthread_join(s, 0);\n  pthread_join(t, 0);\n  return bad[0] + bad[1]; }\n",
    );
    // Each reader sees some of the first two versions, and the third.
    for backend in ["vm", "native"] {
        let found = check(&file, backend, "--strategy optimal", "");
        assert_eq!(answer(&found), ("proved".into(), Some(16), vec![], 0), "{backend}: {}", found.json);
    }
}

/// What the last round has left in a register told the first round of a loop from the others.
#[test]
fn registers_that_nobody_reads_tell_no_rounds_apart() {
    let folder = Folder::new();
    let file = folder.file(
        "#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\nstatic atomic_int stage;\n\
         static void *reader(void *p) {\n  for (int seen = 0; seen < 2; sched_yield()) seen = stage;\n  return p; }\n\
         int main(void) {\n  pthread_t s, t;\n  pthread_create(&s, 0, reader, 0);\n  pthread_create(&t, 0, reader, 0);\n\
         stage = 1;\n  stage = 2;\n  pthread_join(s, 0);\n  pthread_join(t, 0);\n  return 0; }\n",
    );
    for backend in ["vm", "native", "native -O 2"] {
        let found = check(&file, backend, "--strategy optimal", "");
        assert_eq!(answer(&found), ("proved".into(), Some(1), vec![], 0), "{backend}: {}", found.json);
    }
}

/// A join that is cancelled can go on, and a wait that can be cancelled does not hang on its mutex alone.
#[test]
fn cancelled_waits_are_counted_alike() {
    for (name, executions) in [("cancel_join_blocked", 1), ("cancel_cond_wait", 2)] {
        let file = root().join(format!("tests/c/mt/{name}.c"));
        for backend in ["vm", "native"] {
            let found = check(&file, backend, "--strategy optimal", "");
            assert_eq!(
                answer(&found),
                ("proved".into(), Some(executions), vec![], 0),
                "{name} {backend}: {}",
                found.json
            );
        }
    }
}

#[test]
fn strategies_agree() {
    for strategy in ["source", "dfs", "random", "pct:3"] {
        let file = root().join("programs/pairs/lock-order-bug.c");
        let found = check(&file, "native", &format!("--strategy {strategy}"), "");
        assert_eq!(answer(&found).2, ["deadlock"], "{strategy}: {}", found.json);
    }
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, text: &str) -> PathBuf {
        let file = self.0.path().join("test.c");
        std::fs::write(&file, text).expect("writable");
        file
    }

    fn check(&self, text: &str, options: &str) -> Check {
        check(&self.file(text), "native", options, "")
    }
}

/// Two threads, the second of which does this.
fn threads(body: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\nint zero; int deep(int n) {{ char room[4096] = {{n}}; return deep(n + 1) + room[n % 4096]; }}\n\
         static void *second(void *p) {{\n{body}\nreturn p; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, second, 0); pthread_join(t, 0); return 0; }}\n"
    )
}

/// Two threads that do the same.
fn twice(body: &str) -> String {
    format!(
        "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic void *work(void *p) {{\n{body}\nreturn p; }}\n\
         int main(void) {{ pthread_t s, t; pthread_create(&s, 0, work, 0); pthread_create(&t, 0, work, 0);\n\
         pthread_join(s, 0); pthread_join(t, 0); return 0; }}\n"
    )
}

#[test]
fn crashes_are_bugs_with_their_lines() {
    let folder = Folder::new();
    for (body, kind) in [
        ("*(int *)p = 1;", "null-dereference"),
        ("return (void *)(long)(7 / zero);", "crash"),
        ("((void (*)(void))0x1234567)();", "crash"),
        ("zero = deep(0);", "crash"),
        ("abort();", "crash"),
        ("strcpy((char *)8, \"x\");", "null-dereference"),
        ("char *q = malloc(3); free(q); free(q);", "double-free"),
        ("free(&zero);", "invalid-free"),
        (
            "static const pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock((pthread_mutex_t *)&m);",
            "crash",
        ),
        ("pthread_mutex_lock((pthread_mutex_t *)second);", "out-of-bounds"),
        ("return *(void **)second;", "out-of-bounds"),
        (
            "pthread_t t; pthread_create(&t, 0, (void *(*)(void *))abs, 0); pthread_join(t, (void **)\"constant\");",
            "crash",
        ),
    ] {
        let found = folder.check(&threads(body), "");
        let bug = &found.json["bugs"][0];
        assert_eq!((found.exit, bug["kind"].as_str()), (1, Some(kind)), "{body}: {}", found.json);
        // The call of what is far away is known by who called it.
        let line = if body.contains("deep") { 4 } else { 6 };
        assert_eq!(bug["line"], line, "{body}: {}", found.json);
    }
}

#[test]
fn a_bug_replays() {
    let folder = Folder::new();
    let file = folder.file(&threads("*(int *)p = 1;"));
    let trace = folder.0.path().join("bug.tbt");
    let options = format!("--trace {}", trace.display());
    assert_eq!(check(&file, "native", &options, "").exit, 1);
    let output = Command::new(env!("CARGO_BIN_EXE_threadbare")).arg("replay").arg(&trace).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("test.c:6") && text.contains("null pointer"), "{text}");
}

#[test]
fn what_cannot_be_seen_is_refused_by_name() {
    let folder = Folder::new();
    for (text, line, words) in [
        (threads("__asm__ volatile(\"lfence; rdtsc\");"), 6, "`rdtsc`"),
        (threads("extern int elsewhere(void); elsewhere();"), 6, "`elsewhere`"),
        (threads("extern int fork(void); fork();"), 6, "fork"),
    ] {
        let found = folder.check(&text, "");
        let error = &found.json["error"];
        let message = error["message"].as_str().unwrap_or_default();
        assert!(found.exit == 3 && message.contains(words), "{text}: {}", found.json);
        assert!(line == 0 || error["line"] == line, "{text}: {}", found.json);
    }
    for (options, words) in [
        ("--uninit error", "`--uninit`"),
        ("--strategy graph --symmetry=on", "`--symmetry`"),
        ("--livelock", "`--livelock`"),
        ("--ignore x", "`--ignore`"),
        ("--step-limit 1000000", "`--step-limit`"),
        ("--program-memory 1G", "`--program-memory`"),
        ("--stack-limit 100", "`--stack-limit`"),
        // The sets that it needs come from code that the virtual machine has: without them it would be `dfs`.
        ("--strategy spor", "`--strategy spor`"),
        ("--strategy spor+sleep", "take `dpor`"),
        ("--strategy stateful+spor", "`--strategy stateful+spor`"),
    ] {
        let refused = folder.check("int main(void) { return 0; }", options);
        assert_eq!(refused.exit, 2, "{options}: {}", refused.json);
        let message = refused.json["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(words), "{options}: {message}");
    }
    let model = Check::run(&root().join("programs/matching/turnstile.tb"), "--backend native", "");
    let message = model.json["error"]["message"].as_str().unwrap_or_default();
    assert!(model.exit == 2 && message.contains("--backend native has no meaning for a model"), "{}", model.json);
}

#[test]
fn a_crash_in_a_constructor_has_its_line() {
    let folder = Folder::new();
    let text = "__attribute__((constructor)) static void first(void)\n{\n    *(volatile int *)8 = 1;\n}\nint main(void) { return 0; }\n";
    let found = folder.check(text, "");
    let bug = &found.json["bugs"][0];
    assert_eq!((bug["kind"].as_str(), bug["line"].as_u64()), (Some("null-dereference"), Some(3)), "{}", found.json);
}

/// `free` takes the place of a destructor that does nothing else, and is called by the library then.
#[test]
fn a_double_free_by_a_destructor_of_a_key_is_one_of_free() {
    let folder = Folder::new();
    let text = "#include <pthread.h>
#include <stdlib.h>
static pthread_key_t key;
static void *_Atomic shared;
static void drop(void *p) { free(p); }
static void *work(void *u) { pthread_setspecific(key, shared); return u; }
int main(void)
{
    pthread_t t[2];
    shared = malloc(8);
    pthread_key_create(&key, drop);
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
";
    for options in ["", "-O 2"] {
        let found = folder.check(text, options);
        assert_eq!(
            found.json["bugs"][0]["message"], "a heap object is freed a second time",
            "{options}: {}",
            found.json
        );
    }
}

/// Nobody else can see them.
#[test]
fn accesses_to_volatile_variables_whose_address_goes_nowhere_are_no_steps() {
    let folder = Folder::new();
    let own = |variable: &str| {
        format!(
            "#include <pthread.h>
static _Atomic int done, p;
static void use(volatile int *at) {{ *at += 1; }}
static void *a(void *u) {{ done++; return u; }}
static void *b(void *u) {{ {variable} done++; return u; }}
int main(void)
{{
    pthread_t t[2];
    pthread_create(&t[0], 0, a, 0); pthread_create(&t[1], 0, b, 0);
    pthread_join(t[0], 0); pthread_join(t[1], 0);
    return 0;
}}
"
        )
    };
    let executions = |variable: &str| {
        let file = folder.file(&own(variable));
        let [vm, native] = ["vm", "native"].map(|backend| check(&file, backend, "--strategy dfs", ""));
        assert_eq!(answer(&vm), answer(&native), "{variable}\n{}\n{}", vm.json, native.json);
        native.json["executions"].as_u64()
    };
    let none = executions("int d = p;");
    assert_eq!(executions("volatile double d = p; d = d * 1.5;"), none);
    assert_eq!(executions("volatile long double d = p; d = d * 1.5L;"), none);
    assert_eq!(executions("volatile int d = p; for (volatile int i = 0; i < 3; i++) d += i;"), none);
    assert_ne!(executions("volatile int d = p; static volatile int *_Atomic at; at = &d; use(at);"), none);
}

/// What such a variable holds outlives a longjmp, as it has to.
#[test]
fn volatile_variables_keep_their_values_over_a_longjmp() {
    let folder = Folder::new();
    let text = "#include <assert.h>
#include <setjmp.h>
static jmp_buf back;
static void again(void) { longjmp(back, 1); }
int main(void)
{
    volatile int rounds = 0;
    setjmp(back);
    rounds++;
    if (rounds < 3) again();
    assert(rounds == 3);
    return 0;
}
";
    for options in ["", "-O 2"] {
        let found = folder.check(text, options);
        assert_eq!(found.exit, 0, "{options}: {}", found.json);
    }
}

#[test]
fn a_verdict_rests_on_what_waits_and_malloc_do_not_do() {
    let file = root().join("programs/counts/bounded_buffer.c");
    let rests_on = |options: &str| {
        let found = check(&file, "native", &format!("--strategy optimal {options}"), "-DP=1 -DC=1");
        found.json["assumptions"].to_string()
    };
    assert!(rests_on("").contains("no wait ends by itself (--spurious N"));
    assert!(rests_on("").contains("and does not fail"));
    assert!(!rests_on("--spurious 1").contains("no wait ends by itself"));
    let folder = Folder::new();
    let found = folder.check(&twice(""), "");
    assert!(!found.json["assumptions"].to_string().contains("no wait ends by itself"), "{}", found.json);
}

/// Accesses that the compiler's pass does not announce are announced all the same.
#[test]
fn accesses_of_any_size_are_seen() {
    let folder = Folder::new();
    for (access, races) in [
        ("static long double x; x += 1;", true),
        ("long double x = 1; x += 1;", false),
        ("typedef int wide __attribute__((vector_size(32))); static wide x; x += 1;", true),
        ("static _Thread_local long double x; x += 1;", false),
    ] {
        let file = folder.file(&twice(access));
        let [vm, native] = ["vm", "native"].map(|backend| check(&file, backend, "--strategy optimal", ""));
        assert_eq!(answer(&vm), answer(&native), "{access}\n{}\n{}", vm.json, native.json);
        assert_eq!(native.exit, i32::from(races), "{access}: {}", native.json);
    }
}

/// Assembly code is executed; that nobody sees what it does is said.
#[test]
fn a_verdict_rests_on_assembly_code() {
    let folder = Folder::new();
    let assumptions = |text: &str| {
        let found = folder.check(&twice(text), "");
        assert_eq!(found.exit, 0, "{text}: {}", found.json);
        let list = found.json["assumptions"].as_array().expect("a list").clone();
        list.iter().filter(|words| words.as_str().is_some_and(|words| words.contains("assembly"))).count()
    };
    assert_eq!(assumptions("static int x; __asm__ volatile(\"lock; incl %0\" : \"+m\"(x));"), 1);
    assert_eq!(assumptions("__asm__ volatile(\"pause\" ::: \"memory\"); __asm__ volatile(\"mfence\");"), 0);
    // A loop that changes something is no loop that waits, even if nobody sees the change.
    let counts = "static int x; int seen; do { __asm__ volatile(\"lock; incl %1; movl %1, %0\" : \"=r\"(seen), \"+m\"(x)); } while (seen < 3);";
    assert_eq!(assumptions(counts), 1);
}

/// States are told apart by all of the memory.
#[test]
fn states_are_stored() {
    let folder = Folder::new();
    let turns = "#include <pthread.h>\n#include <stdatomic.h>\nstatic _Atomic int turn;\nstatic void *work(void *p) {\n\
        for (;;) { while (atomic_load(&turn) != (int)(long)p); atomic_store(&turn, !p); } }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, work, (void *)1L); work(0); }\n";
    for (text, strategy, exit) in [
        (twice("pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"), "graph", 0),
        (twice("pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"), "scale", 0),
        (twice("static int x; x++;"), "graph", 1),
        (twice("static int x; x++;"), "stateful", 1),
        // It runs for ever.
        (turns.to_string(), "graph", 0),
    ] {
        let found = folder.check(&text, &format!("--strategy {strategy}"));
        assert_eq!(found.exit, exit, "{strategy}\n{text}\n{}", found.json);
    }
}

/// Copies that calls make of structures are accesses, too.
#[test]
fn structures_are_passed_by_value() {
    let folder = Folder::new();
    let text = |take: &str, give: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\nstatic struct big {{ long x[9]; }} big; struct two {{ long a, b; }};\n\
             static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
             static struct two ends(struct big b, int i) {{ struct two t = {{b.x[0], b.x[i]}}; b.x[0] = 7; return t; }}\n\
             static struct two (*f)(struct big, int) = ends;\n\
             static void *work(void *p) {{\n  pthread_mutex_lock(&m);\n  big.x[0]++; big.x[8]++;\n  pthread_mutex_unlock(&m);\n  {take}\n\
               for (int i = 0; i < 2; i++) {{\n    struct two t = f(big, 8);\n    assert(t.a == t.b);\n  }}\n  {give}\n  return p; }}\n\
             int main(void) {{ pthread_t s, t; pthread_create(&s, 0, work, 0); pthread_create(&t, 0, work, 0); pthread_join(s, 0);\n\
             pthread_join(t, 0); return 0; }}\n"
        )
    };
    for (take, give, options) in [
        ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);", ""),
        ("", "", ""),
        ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);", "--races allow"),
    ] {
        let file = folder.file(&text(take, give));
        let [vm, native] =
            ["vm", "native"].map(|backend| check(&file, backend, &format!("--strategy optimal {options}"), ""));
        assert_eq!(answer(&vm), answer(&native), "{take} {options}\n{}\n{}", vm.json, native.json);
        assert_eq!(native.exit, i32::from(take.is_empty()), "{}", native.json);
    }
}

/// With more than one bug asked for, executions go on behind errors, and the same ones are found.
#[test]
fn several_bugs_are_found_at_once() {
    let folder = Folder::new();
    let passed = "#include <pthread.h>\n#include <threadbare.h>\nstatic int x; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static void *work(void *p) {\n  pthread_mutex_lock(&m);\n  tb_assert(x == 0);\n  x++;\n  pthread_mutex_unlock(&m);\n\
          pthread_mutex_lock(&m);\n  tb_assert(x != 2);\n  pthread_mutex_unlock(&m);\n  return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); pthread_join(t, 0);\n  tb_assert(x == 1);\n  return 0; }\n";
    let stopped = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nstatic int *shared; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static void *work(void *p) {\n  pthread_mutex_lock(&m);\n  int *q = shared;\n  shared = NULL;\n  pthread_mutex_unlock(&m);\n\
          free(q);\n  *q = 1;\n  return p; }\n\
        int main(void) { shared = malloc(4); pthread_t t; pthread_create(&t, 0, work, 0);\n  pthread_mutex_lock(&m);\n  assert(shared);\n\
          pthread_mutex_unlock(&m);\n  pthread_join(t, 0); return 0; }\n";
    let races = "#include <pthread.h>\nstatic int x, y;\nstatic void *work(void *p) {\n  x = 1;\n  y = 1;\n  return p; }\n\
        int main(void) { pthread_t s, t; pthread_create(&s, 0, work, 0); pthread_create(&t, 0, work, 0); pthread_join(s, 0);\n\
          pthread_join(t, 0); return 0; }\n";
    // As a read with a write, a write with a read and as two writes.
    let in_one_line = "#include <pthread.h>\n#include <stdatomic.h>\nstatic int g, c[3]; static atomic_int f;\n\
        static void *first(void *p) {\n  atomic_load(&f);\n  g++;\n  for (int i = 0; i < 2; i++)\n    c[i]++;\n  return p; }\n\
        static void *second(void *p) {\n  atomic_store(&f, 1);\n  g++;\n  for (int i = 0; i < 2; i++)\n    c[i]++;\n  return p; }\n\
        int main(void) { pthread_t s, t; pthread_create(&s, 0, first, 0); pthread_create(&t, 0, second, 0); pthread_join(s, 0);\n\
          pthread_join(t, 0); return 0; }\n";
    for (text, bugs) in [(passed, 3), (stopped, 2), (races, 2), (in_one_line, 2)] {
        let file = folder.file(text);
        let found = ["vm", "native"].map(|backend| check(&file, backend, "--strategy optimal --max-bugs 20", ""));
        let listed = found.each_ref().map(|check| {
            let list = check.json["bugs"].as_array().expect("a list").iter();
            let mut list: Vec<String> =
                list.map(|bug| format!("{} {} {}", bug["kind"], bug["line"], bug["occurrences"])).collect();
            list.sort();
            list
        });
        assert_eq!(listed[0], listed[1], "{text}\n{}\n{}", found[0].json, found[1].json);
        assert_eq!((listed[1].len(), found[1].exit), (bugs, 1), "{}", found[1].json);
        assert_eq!(found[0].json["executions"], found[1].json["executions"], "{text}");
    }
}

/// The optimiser moves a load to the start of a function, where it has no line: that where the function begins is none of a statement.
#[test]
fn the_line_of_what_the_optimiser_has_moved() {
    let folder = Folder::new();
    let file = folder.file(
        "#include <pthread.h>\nstatic int x;\nstatic void *work(void *p)\n{\n    for (int i = 0; i < 2; i++) x += i;\n    return p;\n}\n\
         int main(void)\n{\n    pthread_t s, t;\n    pthread_create(&s, 0, work, 0);\n    pthread_create(&t, 0, work, 0);\n    \
         pthread_join(s, 0);\n    pthread_join(t, 0);\n    return 0;\n}\n",
    );
    let places = ["vm", "native"].map(|backend| {
        let check = check(&file, backend, "-O 2", "");
        assert_eq!(check.exit, 1, "{}", check.json);
        let bug = &check.json["bugs"][0];
        format!("{}:{} {}", bug["line"], bug["column"], bug["witnesses"])
    });
    assert!(places[0].starts_with("5:"), "{places:?}");
    assert_eq!(places[0], places[1]);
}

/// A worker that is killed is told as that; a schedule that kills workers is a bug.
#[test]
fn the_supervisor_survives_its_worker() {
    let folder = Folder::new();
    let body = "static pthread_mutex_t m;\nfor (long i = 0; i < 2000000000; i++) {\npthread_mutex_lock(&m);\npthread_mutex_unlock(&m); }";
    let file = folder.file(&threads(body));
    for (signal, words) in [(libc::SIGKILL, "killed from outside"), (libc::SIGSEGV, "do not kill it")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        command.args(["check", "--backend", "native", "--depth-bound", "2000000000"]).arg(&file);
        let temporary = tempfile::tempdir().expect("a folder");
        command.env("TMPDIR", temporary.path());
        let supervisor = command.stderr(std::process::Stdio::piped()).spawn().expect("it starts");
        let children = format!("/proc/{0}/task/{0}/children", supervisor.id());
        // It is at work once it has compiled the program, and made nothing but steps since.
        let worker = loop {
            std::thread::sleep(std::time::Duration::from_millis(50));
            let list = std::fs::read_to_string(&children).expect("it lives");
            let Some(worker) = list.split_whitespace().next().and_then(|pid| pid.parse::<i32>().ok()) else { continue };
            let maps = std::fs::read_to_string(format!("/proc/{worker}/maps")).unwrap_or_default();
            if maps.contains("program.so") {
                break worker;
            }
        };
        std::thread::sleep(std::time::Duration::from_millis(300));
        // SAFETY: a process that this test has started.
        unsafe { libc::kill(worker, signal) };
        let output = supervisor.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(words), "{signal}: {text}");
        assert_eq!(output.status.code(), Some(4), "{text}");
        assert_eq!(std::fs::read_dir(temporary.path()).expect("readable").count(), 0, "{signal}");
    }
    // The fourth step is the first lock of the second thread.
    let (fatal, notes) = (folder.0.path().join("fatal"), folder.0.path().join("notes"));
    let known = threadbare_native::Notes::write(&fatal).expect("writable");
    for (length, tid) in [0, 0, 1, 1].into_iter().enumerate() {
        known.step(length + 1, threadbare_core::Tid(tid), threadbare_core::Choice(0));
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.args(["check", "--backend", "native", "--format", "json"]).arg(&file);
    command.env("THREADBARE_NATIVE_NOTES", &notes).env("THREADBARE_NATIVE_FATAL", &fatal);
    let output = command.output().expect("it starts");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let bug = &json["bugs"][0];
    assert_eq!((&bug["kind"], &bug["line"], &bug["steps"]), (&"crash".into(), &8.into(), &4.into()), "{json}");
    // The steps themselves kill nobody.
    command.env_remove("THREADBARE_NATIVE_FATAL").env("THREADBARE_NATIVE_AGAIN", &fatal);
    let output = command.output().expect("it starts");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    assert_eq!(threadbare_native::Notes::read(&notes).expect("readable").steps.len(), 4);
}

#[test]
fn nothing_hangs_us() {
    let folder = Folder::new();
    // What only looks waits for ever; what does more goes on until somebody has had enough.
    let found = folder.check(&threads("while (!zero) {}"), "");
    assert_eq!(answer(&found).2, ["livelock"], "{}", found.json);
    let endless = threads("for (unsigned i = 0;; i++) zero = i % 7;");
    let found = folder.check(&endless, "--time-limit 1");
    assert_eq!(found.exit, 4, "{}", found.json);
    let found = folder.check(&endless, "");
    assert!(found.exit == 4 && found.json.to_string().contains("3 s of processor time"), "{}", found.json);
    // The memory of threads that there are not, our own data, ...: whatever it destroys, there is an answer.
    let wild = threads("for (char *q = (char *)environ; ; q -= 64) memset(q - 4096, 0x5a, 4096);");
    let found = folder.check(&wild.replace("#include <string.h>", "#include <string.h>\nextern char **environ;"), "");
    assert!(matches!(found.exit, 1 | 4), "{}", found.json);
}

/// The native heap gives no address out twice either: `proved` would claim what happens when malloc does.
#[test]
fn a_compare_exchange_with_a_pointer_to_freed_memory_bounds_the_verdict_as_on_the_virtual_machine() {
    let folder = Folder::new();
    let head = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
                static _Atomic(int *) top; static atomic_int version, done; static _Atomic(long) number;\n";
    let two = |user: &str, other: &str| {
        format!(
            "{head}static void *use(void *x) {{ {user} return x; }}\nstatic void *renew(void *x) {{ {other} return x; }}\n\
             int main(void) {{ pthread_t a, b; top = malloc(4);\n\
             pthread_create(&a, 0, use, 0); pthread_create(&b, 0, renew, 0); pthread_join(a, 0); pthread_join(b, 0); }}\n"
        )
    };
    let alone = |body: &str| format!("{head}int main(void) {{ {body} }}\n");
    let renew = "int *p = atomic_exchange(&top, NULL); if (p) { free(p); version++; top = malloc(4); }";
    let take = "int *p = top; int v = version; if (v == 0 && p) atomic_compare_exchange_strong(&top, &p, NULL);";
    let take_and_say = format!("{take} done = 1;");
    for (text, verdict) in [
        // Nothing orders the comparison and the free.
        (two(take, renew), "bounded"),
        // The free comes first, each time.
        (alone("int *p = malloc(4); top = p; free(p); atomic_compare_exchange_strong(&top, &p, NULL);"), "bounded"),
        (
            alone(
                "char *p = malloc(4); char *q = p + 3; free(p); atomic_compare_exchange_strong(&top, (int **)&q, NULL);",
            ),
            "bounded",
        ),
        (alone("int *p = malloc(0); free(p); atomic_compare_exchange_strong(&top, &p, NULL);"), "bounded"),
        // What is freed was compared before, and all know.
        (two(&take_and_say, "if (done) { int *p = atomic_exchange(&top, NULL); free(p); }"), "proved"),
        (alone("int *p = malloc(4); top = p; atomic_compare_exchange_strong(&top, &p, NULL); free(p);"), "proved"),
        (
            alone(
                "int *p = malloc(4), *q = malloc(4); top = p; free(q); atomic_compare_exchange_strong(&top, &p, NULL); free(p);",
            ),
            "proved",
        ),
        (two("long n = 7; atomic_compare_exchange_strong(&number, &n, 8);", renew), "proved"),
    ] {
        let file = folder.file(&text);
        for strategy in ["optimal", "graph", "dfs"] {
            let [vm, native] =
                ["vm", "native"].map(|backend| check(&file, backend, &format!("--strategy {strategy}"), ""));
            assert_eq!(native.json["verdict"], verdict, "{strategy}\n{text}\n{}", native.json);
            assert_eq!(native.json["bound"], vm.json["bound"], "{strategy}\n{text}\n{}\n{}", vm.json, native.json);
        }
    }
}

/// What was freed makes room, and a heap that is full is a limit and no failure of `malloc`.
#[test]
fn malloc_gives_memory_or_ends_the_search() {
    let folder = Folder::new();
    let program = |body: &str| {
        format!(
            "#include <assert.h>\n#include <stdlib.h>\n#include <sys/mman.h>\n#include <string.h>\nint main(void) {{ {body} return 0; }}\n"
        )
    };
    let map = "mmap(0, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)";
    for (body, exit, words) in [
        ("for (int i = 0; i < 40; i++) { char *p = malloc(64 << 20); assert(p); p[i] = 1; free(p); }", 0, ""),
        ("char *p = malloc(1ul << 30); assert(p); p[(1ul << 30) - 1] = 1; free(p);", 0, ""),
        (
            &format!(
                "for (int i = 0; i < 40; i++) {{ char *p = {map}; assert(p != MAP_FAILED && !p[5]); p[5] = 1; munmap(p, 64 << 20); }}"
            ),
            0,
            "",
        ),
        ("for (int i = 0; i < 40; i++) assert(malloc(64 << 20));", 4, "the heap of a thread is full"),
        ("char *p = malloc(64 << 20); free(p); p[3] = 1;", 1, "freed"),
        (
            "for (int i = 0; i < 9; i++) free(malloc(64 << 20)); char *p = malloc(64 << 20); free(p); free(p);",
            1,
            "a second time",
        ),
    ] {
        let found = folder.check(&program(body), "");
        assert_eq!(found.exit, exit, "{body}: {}", found.json);
        assert!(found.json.to_string().contains(words), "{body}: {}", found.json);
    }
}

/// Recursion that the system has room for is no bug, nor is a large variable on a stack of the size that was asked for; a stack that is full
/// is said to be.
#[test]
fn stacks_are_as_large_as_those_of_the_system() {
    let folder = Folder::new();
    let deep = "#include <string.h>\nstatic int f(int n) { char a[200]; memset(a, n, sizeof a); return n ? f(n - 1) + (a[n % 200] == (char)n) : 0; }\n\
        int main(void) { return f(30000) != 30000; }\n";
    let large = |megabytes: u32| {
        format!(
            "#include <pthread.h>\n#include <string.h>\nstatic void *work(void *p) {{ char big[{megabytes} << 20]; memset(big, 1, sizeof big); return big[5] ? p : 0; }}\n\
             int main(void) {{ pthread_attr_t a; pthread_t t; pthread_attr_init(&a); pthread_attr_setstacksize(&a, 64 << 20);\n\
             pthread_create(&t, &a, work, 0); pthread_join(t, 0); return 0; }}\n"
        )
    };
    for (text, exit) in [(deep.to_string(), 0), (large(40), 0), (large(200), 1)] {
        let found = folder.check(&text, "");
        assert_eq!(found.exit, exit, "{text}: {}", found.json);
        if exit == 1 {
            assert!(found.json.to_string().contains("the stack is full"), "{}", found.json);
        }
    }
}

/// To tell a step does not cost what all steps before it cost.
#[test]
fn a_long_schedule_is_told_in_time() {
    let folder = Folder::new();
    let text = "#include <assert.h>\n#include <stdlib.h>\nint main(void) { for (int i = 0; i < 1000; i++) {\n\
        char *p = malloc(1 << 20); p[0] = 1; free(p); }\nassert(0); }\n";
    let start = std::time::Instant::now();
    let found = folder.check(text, "--strategy optimal --minimise 0");
    assert_eq!(found.exit, 1, "{}", found.json);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
