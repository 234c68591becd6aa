//! A table: what is shared, what the threads do, and whether some schedule has a race.

use threadbare_vm::{Fault, FaultKind, RaceVerb, VmMachine};

use super::walk::{compile, first_fault, machine};

/// What is expected over all schedules.
#[derive(Clone, Copy, Debug)]
enum Expect {
    /// No schedule has a fault.
    Clean,
    /// Some schedule has a race of this variable.
    Race(&'static str),
    /// Something is freed, or ends, and is used without an order.
    Freed(&'static str),
}
use Expect::*;

struct Case {
    name: &'static str,
    expect: Expect,
    globals: &'static str,
    threads: &'static [&'static str],
    /// What main does before it creates the threads, while they run, and after it has joined them.
    main: [&'static str; 3],
}

const fn case(name: &'static str, expect: Expect, globals: &'static str, threads: &'static [&'static str]) -> Case {
    Case { name, expect, globals, threads, main: ["", "", ""] }
}

const fn with_main(
    name: &'static str,
    expect: Expect,
    globals: &'static str,
    threads: &'static [&'static str],
    main: [&'static str; 3],
) -> Case {
    Case { name, expect, globals, threads, main }
}

impl Case {
    fn text(&self) -> String {
        let includes =
            ["pthread", "semaphore", "stdatomic", "stdio", "stdlib", "string", "stdint", "threadbare", "time"];
        let mut text = String::from("#define _GNU_SOURCE\n");
        text.extend(includes.iter().map(|name| format!("#include <{name}.h>\n")));
        text += "static int sink(long value) { static _Thread_local volatile long last; last = value; return 0; }\n";
        text += self.globals;
        let [before, during, after] = self.main;
        let count = self.threads.len();
        for (i, body) in self.threads.iter().enumerate() {
            text += &format!("\nstatic void *thread{i}(void *arg) {{ (void)arg; {body}; return 0; }}");
        }
        text += &format!("\nint main(void) {{ pthread_t t[{}]; void *arg = 0; {before};", count.max(1));
        for i in 0..count {
            text += &format!(" pthread_create(&t[{i}], 0, thread{i}, arg);");
        }
        text += during;
        text += ";";
        for i in 0..count {
            text += &format!(" pthread_join(t[{i}], 0);");
        }
        text + after + "; (void)sink; return 0; }\n"
    }
}

const MUTEX: &str = "static int x; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
const FLAG: &str = "static int x; static atomic_int flag, other;";

const CASES: &[Case] = &[
    // ---- plain accesses ----
    case("two writes", Race("`x`"), "static int x;", &["x = 1", "x = 2"]),
    case("write and read", Race("`x`"), "static int x;", &["x = 1", "sink(x)"]),
    case("two reads", Clean, "static int x = 5;", &["sink(x)", "sink(x)"]),
    case("different variables", Clean, "static int x, y;", &["x = 1", "y = 2"]),
    case("neighbouring bytes", Clean, "static char c[8];", &["c[3] = 1", "c[4] = 2; c[2] = 1"]),
    case("the same byte", Race("`c[3]`"), "static char c[8];", &["c[3] = 1", "c[3] = 2"]),
    case("halves of a word", Clean, "static struct { int a, b; } s;", &["s.a = 1; sink(s.a)", "s.b = 2; sink(s.b)"]),
    case("a part of a word", Race("`u"), "static union { long all; char c[8]; } u;", &["u.all = 1", "u.c[5] = 2"]),
    case("unaligned across words", Race("`c[8]`"), "static char c[16];", &["memcpy(c + 5, \"abcd\", 4)", "c[8] = 1"]),
    case("unaligned beside", Clean, "static char c[16];", &["memcpy(c + 5, \"abcd\", 4)", "c[9] = 1; c[4] = 1"]),
    case("odd sizes", Race("`s"), "static struct { char c[3]; char d; } s, from;", &["s = from", "s.c[2] = 1"]),
    case(
        "bit-fields of one unit",
        Race("`s"),
        "static struct { unsigned a : 3, b : 5; } s;",
        &["s.a = 1", "s.b = 2"],
    ),
    case(
        "bit-fields of two units",
        Clean,
        "static struct { unsigned a : 3; unsigned : 0; unsigned b : 5; } s;",
        &["s.a = 1", "s.b = 2"],
    ),
    case("long double", Race("`x`"), "static long double x;", &["x = 1", "sink((long)x)"]),
    case("128 bits", Race("`x"), "static __int128 x;", &["x = 1", "((char *)&x)[12] = 1"]),
    // ---- ranges and the library ----
    case("copies from one source", Clean, "static char a[64], b[64], c[64];", &["memcpy(a, c, 64)", "memcpy(b, c, 64)"]),
    case("copies that overlap", Race("`a"), "static char a[64], b[64];", &["memcpy(a, b, 33)", "memcpy(a + 32, b, 32)"]),
    case("copies side by side", Clean, "static char a[64], b[64];", &["memcpy(a, b, 32)", "memcpy(a + 32, b, 32)"]),
    case("a copy reads", Race("`a"), "static char a[64], b[64];", &["memcpy(b, a, 64)", "a[63] = 1"]),
    case("memset", Race("`a"), "static char a[64];", &["memset(a, 0, 64)", "sink(a[40])"]),
    case("strlen reads", Race("`a"), "static char a[8] = \"abc\";", &["sink(strlen(a))", "a[1] = 'x'"]),
    case("printf reads", Race("`a"), "static char a[8] = \"abc\";", &["printf(\"%s\", a)", "a[1] = 'x'"]),
    case("printing is no race", Clean, "", &["printf(\"a %d\\n\", 1)", "puts(\"b\"); fputs(\"c\", stderr)"]),
    case("puts reads", Race("`a"), "static char a[8] = \"abc\";", &["puts(a)", "a[1] = 'x'"]),
    case("rand has a lock of its own", Clean, "", &["sink(rand())", "sink(rand()); srand(1)"]),
    case("the lock of rand orders nothing", Race("`x`"), "static int x;", &["x = rand()", "sink(rand()); x = 1"]),
    case("drand48 has none", Race(""), "", &["sink((long)drand48())", "sink((long)drand48())"]),
    case("strtok has none", Race(""), "", &["char a[] = \"x y\"; strtok(a, \" \")", "char a[] = \"x y\"; strtok(a, \" \")"]),
    case("errno is a thread's own", Clean, "#include <errno.h>\n", &["errno = 1", "errno = 2"]),
    case("malloc", Clean, "", &["free(malloc(8)); free(calloc(1, 8))", "free(malloc(8)); free(realloc(malloc(3), 8))"]),
    case("structures by value", Race("`s"),
        "struct big { long a[9]; }; static struct big s; static long f(struct big b) { return b.a[3]; }",
        &["sink(f(s))", "s.a[3] = 1"]),
    case("variadic structures", Race("`s"),
        "#include <stdarg.h>\nstruct big { long a[9]; }; static struct big s;
         static long f(int n, ...) { va_list l; va_start(l, n); struct big b = va_arg(l, struct big); va_end(l); return b.a[3]; }",
        &["sink(f(1, s))", "s.a[3] = 1"]),
    case("reading the input has a lock of its own", Clean, "", &["sink(getchar())", "char c[9]; sink(!fgets(c, 9, stdin))"]),
    case("exit handlers have one", Clean, "static void f(void) {}", &["atexit(f)", "atexit(f)"]),
    case("localtime has none", Race(""), "", &["time_t t = 0; sink(localtime(&t)->tm_year)", "time_t t = 0; sink(localtime(&t)->tm_year)"]),
    case("localtime_r needs none", Clean, "", &[
        "time_t t = time(0); struct tm m; localtime_r(&t, &m); sink(m.tm_year)",
        "struct timespec t; clock_gettime(CLOCK_REALTIME, &t); nanosleep(&t, 0)"]),
    case("functions without a state", Clean, "static int less(const void *a, const void *b) { return *(int *)a - *(int *)b; }", &[
        "int a[3] = {3, 2, 1}; qsort(a, 3, sizeof *a, less); char c[9]; snprintf(c, 9, \"%d %f\", a[1], 1.5); sink(strtol(c, 0, 10))",
        "int a[3] = {3, 2, 1}; qsort(a, 3, sizeof *a, less); char c[9]; sprintf(c, \"%d\", a[1]); sink(atoi(c)); sink(getenv(\"X\") == 0)"]),
    case("qsort touches", Race("`a"), "static int a[3] = {3, 2, 1}; static int less(const void *a, const void *b) { return *(int *)a - *(int *)b; }",
        &["qsort(a, 3, sizeof *a, less)", "sink(a[1])"]),
    // ---- sizes ----
    case("a large array, far apart", Clean, "static char a[1 << 20];", &["a[500000] = 1; a[3] = 1", "a[500001] = 1; a[700000] = 1"]),
    case("a large array, one byte", Race("`a[700000]`"), "static char a[1 << 20];", &["a[500000] = 1; a[700000] = 1", "a[700000] = 1"]),
    case("a huge array", Race("`a[20000000]`"), "static char a[40 << 20];", &["a[20000000] = 1", "a[19999999] = 1; a[20000000] = 1"]),
    with_main("a large heap object", Freed("heap object"), "", &["((char *)arg)[900000] = 1"],
        ["arg = malloc(1 << 20)", "free(arg)", ""]),
    // ---- create and join ----
    with_main("before create, after join", Clean, "static int x;", &["x = 2"], ["x = 1", "", "x = 3"]),
    with_main("between create and join", Race("`x`"), "static int x;", &["x = 2"], ["", "x = 1", ""]),
    with_main("a local variable passed on", Clean, "", &["*(int *)arg = 2"], ["int x = 1; arg = &x", "", "sink(x)"]),
    with_main("a local variable shared", Race("local variable `x` of `main`"), "", &["*(int *)arg = 2"],
        ["int x = 1; arg = &x", "sink(x)", ""]),
    with_main("a thread of a thread", Clean,
        "static int x; static void *inner(void *a) { x++; return a; }",
        &["x++; pthread_t t; pthread_create(&t, 0, inner, 0); pthread_join(t, 0); x++"], ["x = 1", "", "x = 3"]),
    with_main("not joined by the one who reads", Race("`x`"),
        "static int x; static void *inner(void *a) { x++; return a; }",
        &["pthread_t t; pthread_create(&t, 0, inner, 0); pthread_detach(t)"], ["", "", "sink(x)"]),
    with_main("joined by another who is joined", Clean,
        "static int x; static void *inner(void *a) { x++; return a; }",
        &["pthread_t t; pthread_create(&t, 0, inner, 0); pthread_join(t, 0)"], ["", "", "sink(x)"]),
    // ---- mutexes and their kin ----
    case("under a mutex", Clean, MUTEX, &[
        "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m)",
        "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m)"]),
    case("under two mutexes", Race("`x`"), "static int x; static pthread_mutex_t m, n;", &[
        "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m)",
        "pthread_mutex_lock(&n); x++; pthread_mutex_unlock(&n)"]),
    case("one forgets the mutex", Race("`x`"), MUTEX, &["pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m)", "x++"]),
    case("after the unlock", Race("`x`"), MUTEX, &[
        "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); x++",
        "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m)"]),
    case("trylock", Clean, MUTEX, &[
        "if (!pthread_mutex_trylock(&m)) { x++; pthread_mutex_unlock(&m); }",
        "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m)"]),
    case("a failed trylock orders nothing", Race("`x`"), MUTEX, &[
        "if (pthread_mutex_trylock(&m)) sink(x); else pthread_mutex_unlock(&m)",
        "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m)"]),
    case("recursive mutex", Clean, "static int x; static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;", &[
        "pthread_mutex_lock(&m); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); x++; pthread_mutex_unlock(&m)",
        "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m)"]),
    case("spinlock", Clean, "static int x; static pthread_spinlock_t s;", &[
        "pthread_spin_lock(&s); x++; pthread_spin_unlock(&s)",
        "pthread_spin_lock(&s); x++; pthread_spin_unlock(&s)"]),
    with_main("a mutex that is initialised too late", Race("`m`"), "static pthread_mutex_t m;", &["pthread_mutex_lock(&m)"],
        ["", "pthread_mutex_init(&m, 0)", ""]),
    with_main("a mutex that is initialised in time", Clean, "static pthread_mutex_t m;",
        &["pthread_mutex_lock(&m); pthread_mutex_unlock(&m)"],
        ["pthread_mutex_init(&m, 0)", "", "pthread_mutex_destroy(&m)"]),
    case("readers and a writer", Clean, "static int x; static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;", &[
        "pthread_rwlock_wrlock(&l); x++; pthread_rwlock_unlock(&l)",
        "pthread_rwlock_rdlock(&l); sink(x); pthread_rwlock_unlock(&l)"]),
    case("two readers", Clean, "static int x; static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;", &[
        "pthread_rwlock_rdlock(&l); sink(x); pthread_rwlock_unlock(&l)",
        "pthread_rwlock_rdlock(&l); sink(x); pthread_rwlock_unlock(&l); pthread_rwlock_wrlock(&l); x++; pthread_rwlock_unlock(&l)"]),
    case("readers who write", Race("`x`"), "static int x; static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;", &[
        "pthread_rwlock_rdlock(&l); x++; pthread_rwlock_unlock(&l)",
        "pthread_rwlock_rdlock(&l); x++; pthread_rwlock_unlock(&l)"]),
    // Readers do not hand on anything to each other.
    case("a reader after a reader", Race("`x`"), "static int x; static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;", &[
        "x = 1; pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l)",
        "pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); sink(x)"]),
    // ---- hand-overs ----
    with_main("semaphore", Clean, "static int x; static sem_t s;", &["x = 1; sem_post(&s)", "sem_wait(&s); sink(x)"],
        ["sem_init(&s, 0, 0)", "", ""]),
    with_main("semaphore with a head start", Race("`x`"), "static int x; static sem_t s;",
        &["x = 1; sem_post(&s)", "sem_wait(&s); sink(x)"], ["sem_init(&s, 0, 1)", "", ""]),
    with_main("semaphore as a lock", Clean, "static int x; static sem_t s;",
        &["sem_wait(&s); x++; sem_post(&s)", "sem_wait(&s); x++; sem_post(&s)"], ["sem_init(&s, 0, 1)", "", ""]),
    with_main("a write after the post", Race("`x`"), "static int x; static sem_t s;",
        &["sem_post(&s); x = 1", "sem_wait(&s); sink(x)"], ["sem_init(&s, 0, 0)", "", ""]),
    with_main("barrier phases", Clean, "static int x, y; static pthread_barrier_t b;", &[
        "x = 1; pthread_barrier_wait(&b); sink(y); pthread_barrier_wait(&b); x = 2",
        "y = 1; pthread_barrier_wait(&b); sink(x); pthread_barrier_wait(&b); y = 2"],
        ["pthread_barrier_init(&b, 0, 2)", "", "pthread_barrier_destroy(&b)"]),
    with_main("a barrier is too early", Race("`x`"), "static int x; static pthread_barrier_t b;",
        &["pthread_barrier_wait(&b); x = 1", "pthread_barrier_wait(&b); sink(x)"],
        ["pthread_barrier_init(&b, 0, 2)", "", ""]),
    with_main("the last at a barrier destroys it", Clean, "",
        &["pthread_barrier_t *b = arg; if (pthread_barrier_wait(b)) { pthread_barrier_destroy(b); free(b); }",
          "pthread_barrier_t *b = arg; if (pthread_barrier_wait(b)) { pthread_barrier_destroy(b); free(b); }"],
        ["arg = malloc(sizeof(pthread_barrier_t)); pthread_barrier_init(arg, 0, 2)", "", ""]),
    case("condition variable", Clean, "static int x, ready; static pthread_mutex_t m; static pthread_cond_t c;", &[
        "x = 1; pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m)",
        "pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); sink(x)"]),
    case("a signal is no order", Race("`x`"), "static int x, ready; static pthread_mutex_t m; static pthread_cond_t c;", &[
        "pthread_mutex_lock(&m); ready = 1; pthread_mutex_unlock(&m); x = 1; pthread_cond_signal(&c)",
        "pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); sink(x)"]),
    case("once", Clean,
        "static int x; static pthread_once_t o = PTHREAD_ONCE_INIT; static void init(void) { x = 1; }",
        &["pthread_once(&o, init); sink(x)", "pthread_once(&o, init); sink(x)"]),
    case("after once", Race("`x`"),
        "static int x; static pthread_once_t o = PTHREAD_ONCE_INIT; static void init(void) { x = 1; }",
        &["pthread_once(&o, init); x = 2", "pthread_once(&o, init); sink(x)"]),
    // ---- atomics ----
    case("message passing, seq_cst", Clean, FLAG, &["x = 1; flag = 1", "if (flag) sink(x)"]),
    case("message passing, release and acquire", Clean, FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_release)",
        "if (atomic_load_explicit(&flag, memory_order_acquire)) sink(x)"]),
    case("message passing, consume", Clean, FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_release)",
        "if (atomic_load_explicit(&flag, memory_order_consume)) sink(x)"]),
    case("message passing, relaxed", Race("`x`"), FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_relaxed)",
        "if (atomic_load_explicit(&flag, memory_order_relaxed)) sink(x)"]),
    case("message passing, relaxed store", Race("`x`"), FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_relaxed)",
        "if (atomic_load_explicit(&flag, memory_order_acquire)) sink(x)"]),
    case("message passing, relaxed load", Race("`x`"), FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_release)",
        "if (atomic_load_explicit(&flag, memory_order_relaxed)) sink(x)"]),
    case("the flag is not looked at", Race("`x`"), FLAG, &["x = 1; flag = 1", "sink(flag); sink(x)"]),
    case("fences on both sides", Clean, FLAG, &[
        "x = 1; atomic_thread_fence(memory_order_release); atomic_store_explicit(&flag, 1, memory_order_relaxed)",
        "if (atomic_load_explicit(&flag, memory_order_relaxed)) { atomic_thread_fence(memory_order_acquire); sink(x); }"]),
    case("fence and release store", Clean, FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_release)",
        "if (atomic_load_explicit(&flag, memory_order_relaxed)) { atomic_thread_fence(memory_order_seq_cst); sink(x); }"]),
    case("acquire load and fence", Clean, FLAG, &[
        "x = 1; atomic_thread_fence(memory_order_seq_cst); atomic_store_explicit(&flag, 1, memory_order_relaxed)",
        "if (atomic_load_explicit(&flag, memory_order_acquire)) sink(x)"]),
    case("a fence after the store", Race("`x`"), FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_relaxed); atomic_thread_fence(memory_order_release)",
        "if (atomic_load_explicit(&flag, memory_order_acquire)) sink(x)"]),
    case("a fence before the load", Race("`x`"), FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_release)",
        "atomic_thread_fence(memory_order_acquire); if (atomic_load_explicit(&flag, memory_order_relaxed)) sink(x)"]),
    case("fences of the wrong kind", Race("`x`"), FLAG, &[
        "x = 1; atomic_thread_fence(memory_order_acquire); atomic_store_explicit(&flag, 1, memory_order_relaxed)",
        "if (atomic_load_explicit(&flag, memory_order_relaxed)) { atomic_thread_fence(memory_order_release); sink(x); }"]),
    case("a signal fence is none", Race("`x`"), FLAG, &[
        "x = 1; atomic_signal_fence(memory_order_seq_cst); atomic_store_explicit(&flag, 1, memory_order_relaxed)",
        "if (atomic_load_explicit(&flag, memory_order_acquire)) sink(x)"]),
    case("a release sequence through an addition", Clean, FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_release)",
        "atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed)",
        "if (atomic_load_explicit(&flag, memory_order_acquire) == 2) sink(x)"]),
    case("a release sequence broken by a store", Race("`x`"), FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_release)",
        "if (atomic_load_explicit(&flag, memory_order_relaxed) == 1) atomic_store_explicit(&flag, 2, memory_order_relaxed)",
        "if (atomic_load_explicit(&flag, memory_order_acquire) == 2) sink(x)"]),
    case("the same thread's own store breaks it, too", Race("`x`"), FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_release); atomic_store_explicit(&flag, 2, memory_order_relaxed)",
        "if (atomic_load_explicit(&flag, memory_order_acquire) == 2) sink(x)"]),
    case("exchange acquires", Clean, FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_release)",
        "if (atomic_exchange_explicit(&flag, 5, memory_order_acquire)) sink(x)"]),
    case("exchange releases", Clean, FLAG, &[
        "x = 1; atomic_exchange_explicit(&flag, 1, memory_order_release)",
        "if (atomic_load_explicit(&flag, memory_order_acquire)) sink(x)"]),
    case("relaxed exchange", Race("`x`"), FLAG, &[
        "x = 1; atomic_exchange_explicit(&flag, 1, memory_order_relaxed)",
        "if (atomic_load_explicit(&flag, memory_order_acquire)) sink(x)"]),
    case("compare-exchange that succeeds", Clean, FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_release)",
        "int e = 1; if (atomic_compare_exchange_strong_explicit(&flag, &e, 2, memory_order_acquire, memory_order_relaxed)) sink(x)"]),
    case("compare-exchange that fails, acquire", Clean, FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_release)",
        "int e = 0; if (!atomic_compare_exchange_strong_explicit(&flag, &e, 0, memory_order_relaxed, memory_order_acquire)) sink(x)"]),
    case("compare-exchange that fails, relaxed", Race("`x`"), FLAG, &[
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_release)",
        "int e = 0; if (!atomic_compare_exchange_strong_explicit(&flag, &e, 0, memory_order_acquire, memory_order_relaxed)) sink(x)"]),
    case("a failed compare-exchange does not publish", Race("`x`"), FLAG, &[
        "x = 1; int e = 7; atomic_compare_exchange_strong(&flag, &e, 8); atomic_store_explicit(&flag, 1, memory_order_relaxed)",
        "if (atomic_load_explicit(&flag, memory_order_acquire)) sink(x)"]),
    case("reference count", Clean, "static int x; static atomic_int n = 2;", &[
        "sink(x); if (atomic_fetch_sub_explicit(&n, 1, memory_order_acq_rel) == 1) x = 1",
        "sink(x); if (atomic_fetch_sub_explicit(&n, 1, memory_order_acq_rel) == 1) x = 1"]),
    case("reference count, relaxed", Race("`x`"), "static int x; static atomic_int n = 2;", &[
        "sink(x); if (atomic_fetch_sub_explicit(&n, 1, memory_order_relaxed) == 1) x = 1",
        "sink(x); if (atomic_fetch_sub_explicit(&n, 1, memory_order_relaxed) == 1) x = 1"]),
    case("relaxed atomics do not race", Clean, FLAG, &[
        "atomic_store_explicit(&flag, 1, memory_order_relaxed)",
        "atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed); sink(atomic_load_explicit(&flag, memory_order_relaxed))"]),
    case("plain against atomic", Race("`x`"), "static int x;", &["__atomic_store_n(&x, 1, __ATOMIC_SEQ_CST)", "sink(x)"]),
    case("plain read against atomic read", Clean, "static int x;", &["sink(__atomic_load_n(&x, __ATOMIC_SEQ_CST))", "sink(x)"]),
    case("plain write against atomic read", Race("`x`"), "static int x;",
        &["sink(__atomic_load_n(&x, __ATOMIC_RELAXED))", "x = 1"]),
    case("plain write against failed compare-exchange", Race("`x`"), "static int x;",
        &["int e = 5; __atomic_compare_exchange_n(&x, &e, 6, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)", "x = 0"]),
    with_main("atomic_init in time", Clean, FLAG, &["flag = 1", "sink(flag)"], ["atomic_init(&flag, 3)", "", ""]),
    with_main("atomic_init too late", Race("`flag`"), FLAG, &["flag = 1"], ["", "atomic_init(&flag, 3)", ""]),
    case("a spinlock of one's own", Clean, "static int x; static atomic_flag f = ATOMIC_FLAG_INIT;", &[
        "if (!atomic_flag_test_and_set_explicit(&f, memory_order_acquire)) { x++; atomic_flag_clear_explicit(&f, memory_order_release); }",
        "if (!atomic_flag_test_and_set_explicit(&f, memory_order_acquire)) { x++; atomic_flag_clear_explicit(&f, memory_order_release); }"]),
    case("old built-ins", Clean, "static int x, f;", &[
        "if (!__sync_lock_test_and_set(&f, 1)) { x++; __sync_lock_release(&f); }",
        "if (__sync_bool_compare_and_swap(&f, 0, 1)) { x++; __sync_synchronize(); __sync_lock_release(&f); }"]),
    case("large atomics", Clean, "static int x; static _Atomic struct big { long a[3]; } s;", &[
        "x = 1; struct big b = {{1, 2, 3}}; s = b", "struct big b = s; if (b.a[2] == 3) sink(x)"]),
    case("large atomics, relaxed", Race("`x`"), "static int x; struct big { long a[3]; }; static struct big s;", &[
        "x = 1; struct big b = {{1, 2, 3}}; __atomic_store(&s, &b, __ATOMIC_RELAXED)",
        "struct big b; __atomic_load(&s, &b, __ATOMIC_RELAXED); if (b.a[2] == 3) sink(x)"]),
    case("a large atomic against a plain access", Race("`s"), "struct big { long a[3]; }; static struct big s;", &[
        "struct big b = {{1, 2, 3}}; __atomic_store(&s, &b, __ATOMIC_SEQ_CST)", "sink(s.a[1])"]),
    // ---- double-checked locking ----
    case("double-checked, plain", Race("`"), "static int x, made; static pthread_mutex_t m;", &[
        "if (!made) { pthread_mutex_lock(&m); if (!made) { x = 1; made = 1; } pthread_mutex_unlock(&m); } sink(x)",
        "if (!made) { pthread_mutex_lock(&m); if (!made) { x = 1; made = 1; } pthread_mutex_unlock(&m); } sink(x)"]),
    case("double-checked, atomic", Clean, "static int x; static atomic_int made; static pthread_mutex_t m;", &[
        "if (!made) { pthread_mutex_lock(&m); if (!made) { x = 1; made = 1; } pthread_mutex_unlock(&m); } sink(x)",
        "if (!made) { pthread_mutex_lock(&m); if (!made) { x = 1; made = 1; } pthread_mutex_unlock(&m); } sink(x)"]),
    case("double-checked, relaxed", Race("`x`"), "static int x; static atomic_int made; static pthread_mutex_t m;", &[
        "if (!atomic_load_explicit(&made, memory_order_relaxed)) { pthread_mutex_lock(&m); if (!made) { x = 1; made = 1; } pthread_mutex_unlock(&m); } sink(x)",
        "if (!atomic_load_explicit(&made, memory_order_relaxed)) { pthread_mutex_lock(&m); if (!made) { x = 1; made = 1; } pthread_mutex_unlock(&m); } sink(x)"]),
    // ---- volatile and atomic blocks ----
    case("volatile is no race", Clean, "static volatile int x;", &["x = 1", "sink(x)"]),
    case("volatile is no order", Race("`x`"), "static int x; static volatile int flag;", &["x = 1; flag = 1", "if (flag) sink(x)"]),
    case("volatile against plain", Clean, "static int x;", &["*(volatile int *)&x = 1", "sink(x)"]),
    case("atomic blocks", Clean, "static int x;", &[
        "tb_atomic_begin(); x++; tb_atomic_end()", "tb_atomic_begin(); x++; tb_atomic_end()"]),
    case("an atomic block against a plain access", Race("`x`"), "static int x;", &[
        "tb_atomic_begin(); x++; tb_atomic_end()", "x++"]),
    case("an atomic block orders what follows", Clean, "static int x, flag;", &[
        "x = 1; tb_atomic_begin(); flag = 1; tb_atomic_end()",
        "tb_atomic_begin(); int f = flag; tb_atomic_end(); if (f) sink(x)"]),
    // ---- lives ----
    with_main("free against a read", Freed("heap object"), "", &["sink(*(int *)arg)"], ["arg = calloc(1, 4)", "free(arg)", ""]),
    with_main("free after the join", Clean, "", &["sink(*(int *)arg)"], ["arg = calloc(1, 4)", "", "free(arg)"]),
    with_main("free against an atomic access", Freed("heap object"), "", &["__atomic_fetch_add((int *)arg, 1, __ATOMIC_SEQ_CST)"],
        ["arg = calloc(1, 4)", "free(arg)", ""]),
    with_main("realloc", Freed("heap object"), "", &["sink(*(int *)arg)"],
        ["arg = calloc(1, 4)", "arg = realloc(arg, 8)", ""]),
    with_main("realloc copies", Race("heap object"), "", &["*(int *)arg = 1"],
        ["arg = calloc(1, 4); void *p = 0", "p = realloc(arg, 8)", "(void)p"]),
    with_main("calloc published by a relaxed store", Race("heap object"),
        "static _Atomic(int *) p;",
        &["atomic_store_explicit(&p, calloc(1, 4), memory_order_relaxed)",
          "int *q = atomic_load_explicit(&p, memory_order_relaxed); if (q) sink(*q)"], ["", "", ""]),
    case("a frame ends", Freed("local variable `x` of `"),
        "static _Atomic(int *) p; static void f(void) { int x = 1; p = &x; p = 0; }",
        &["f()", "int *q = p; if (q) __atomic_load_n(q, __ATOMIC_RELAXED)"]),
    case("a frame ends in time", Clean,
        "static _Atomic(int *) p; static atomic_int done; static void f(void) { int x = 1; p = &x; while (!done) pthread_exit(0); }",
        &["f()", "done = 1"]),
    case("a thread's own variable by pointer", Freed("thread-local `own`"),
        "static _Thread_local int own; static _Atomic(int *) p;",
        &["own = 1; p = &own", "int *q = p; if (q) sink(*q)"]),
    with_main("a thread's own variable in time", Clean,
        "static _Thread_local int own; static _Atomic(int *) p;",
        &["int *q = p; if (q) *q = 2"], ["own = 1; p = &own", "", "sink(own)"]),
    with_main("a mutex in an object that is freed", Clean, "struct o { pthread_mutex_t m; int n; };",
        &["struct o *o = arg; pthread_mutex_lock(&o->m); int n = --o->n; pthread_mutex_unlock(&o->m); if (!n) { pthread_mutex_destroy(&o->m); free(o); }",
          "struct o *o = arg; pthread_mutex_lock(&o->m); int n = --o->n; pthread_mutex_unlock(&o->m); if (!n) { pthread_mutex_destroy(&o->m); free(o); }"],
        ["struct o *o = arg = malloc(sizeof(struct o)); pthread_mutex_init(&o->m, 0); o->n = 2", "", ""]),
    with_main("a signal to a condition variable that is freed", Freed("heap object"),
        "struct o { pthread_mutex_t m; pthread_cond_t c; int n; };",
        &["struct o *o = arg; pthread_mutex_lock(&o->m); o->n = 1; pthread_mutex_unlock(&o->m); pthread_cond_signal(&o->c)",
          "struct o *o = arg; pthread_mutex_lock(&o->m); int n = o->n; pthread_mutex_unlock(&o->m); if (n) free(o)"],
        ["struct o *o = arg = malloc(sizeof(struct o)); pthread_mutex_init(&o->m, 0); pthread_cond_init(&o->c, 0); o->n = 0", "", ""]),
    // ---- keys ----
    with_main("keys", Clean, "static pthread_key_t k;", &[
        "pthread_setspecific(k, &k); sink(pthread_getspecific(k) == &k)",
        "pthread_key_t l; pthread_key_create(&l, 0); pthread_setspecific(k, &l); pthread_setspecific(l, &k)"],
        ["pthread_key_create(&k, 0)", "", ""]),
];

#[test]
fn every_case_gets_its_verdict() {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let wrong = std::sync::Mutex::new(Vec::new());
    let only = std::env::var("CASE").ok();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = CASES.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    if only.as_ref().is_none_or(|only| case.name.contains(only.as_str()))
                        && let Err(what) = check(case)
                    {
                        wrong.lock().expect("no panic").push(format!("{}: {what}", case.name));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}

fn check(case: &Case) -> Result<(), String> {
    let program = compile(&case.text(), 0);
    [false, true].into_iter().try_for_each(|by_heart| {
        check_machine(case, &mut machine(&program, by_heart)).map_err(|what| format!("by heart: {by_heart}: {what}"))
    })
}

fn check_machine(case: &Case, machine: &mut VmMachine) -> Result<(), String> {
    // Where the use comes after the end no race is needed to see it: look for the other order.
    let wanted = |fault: &Fault| !matches!(case.expect, Freed(_)) || fault.other.is_some();
    let (fault, executions) = first_fault(machine, 30_000, wanted);
    let found = fault
        .as_ref()
        .map_or(format!("nothing in {executions} schedules"), |f| f.kind.name().to_string() + ": " + &f.message);
    let (kind, name) = match case.expect {
        Clean if fault.is_none() => return Ok(()),
        Clean => return Err(format!("expected nothing, found {found}")),
        Race(name) => (FaultKind::DataRace, name),
        Freed(name) => (FaultKind::UseAfterFree, name),
    };
    let Some(fault) = fault.filter(|fault| fault.kind == kind && fault.message.contains(name)) else {
        return Err(format!("expected {} of {name}, found {found}", kind.name()));
    };
    let Some(other) = &fault.other else {
        return Err("the other access is missing".into());
    };
    let own = |stack: &[threadbare_vm::CodePos]| stack.iter().any(|at| !machine.program().is_library(at.function));
    // A thread that ends has none of the program's frames left.
    let ends = fault.message.contains("ends with thread");
    if other.tid == fault.tid || !own(&other.stack) || !(ends || own(&fault.stack)) || other.verb == RaceVerb::Frees {
        return Err(format!("a strange pair: {fault:?}"));
    }
    Ok(())
}
