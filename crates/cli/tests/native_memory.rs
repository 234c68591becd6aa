//! Errors of memory on the native backend: what AddressSanitizer's pass and our floor find, in the words of the virtual machine.

mod common;

use std::path::Path;

use common::{Check, root};

fn check(file: &Path, backend: &str) -> Check {
    check_with(file, backend, "")
}

fn check_with(file: &Path, backend: &str, options: &str) -> Check {
    Check::run(file, &format!("--backend {backend} {options}"), "-w")
}

/// Verdict, exit code, and the first bug: its kind, its line and what is said of it.
fn answer(check: &Check) -> (String, i32, String, u64, String) {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
    let bug = &check.json["bugs"][0];
    let line = bug["line"].as_u64().unwrap_or(0);
    (text(&check.json["verdict"]), check.exit, text(&bug["kind"]), line, text(&bug["message"]))
}

/// Two threads, the second of which does this in line 8.
fn program(body: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <setjmp.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         static int zero, table[4]; static jmp_buf there; int sum(int *p, int n) {{ return n ? *p + sum(p + 1, n - 1) : 0; }} void jump(void) {{ int mine[3] = {{0}}; sum(mine, 1); longjmp(there, 1); }}\n\
         static void *second(void *p) {{\n{body}\nreturn p; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, second, 0); pthread_join(t, 0); return 0; }}\n"
    )
}

#[test]
fn both_machines_say_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("test.c");
    for body in [
        // The heap.
        "char *q = malloc(10); q[10] = 1;",
        "char *q = malloc(10); q[-1] = 1;",
        "char *q = malloc(10); free(q); zero = q[3];",
        "char *q = malloc(10); memcpy(q, \"hello, world\", 12);",
        "char *q = malloc(3); strcpy(q, \"abc\");",
        "char *q = malloc(3); free(q); free(q);",
        "free((char *)malloc(8) + 4);",
        "char *q = realloc(malloc(8), 16); q[16] = 1;",
        "pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0); free(m); pthread_mutex_lock(m);",
        "struct { long n; pthread_mutex_t m; } *q = malloc(sizeof *q); pthread_mutex_init(&q->m, 0); pthread_mutex_lock(&q->m); free(q);",
        "pthread_rwlock_t *r = malloc(sizeof *r); pthread_rwlock_init(r, 0); pthread_rwlock_rdlock(r); pthread_rwlock_rdlock(r); pthread_rwlock_unlock(r); free(r);",
        "pthread_rwlock_t *r = malloc(sizeof *r); pthread_rwlock_init(r, 0); pthread_rwlock_wrlock(r); realloc(r, 1000);",
        // Variables.
        "table[4 + zero] = 1;",
        "int a[3]; for (int i = 0; i <= 3; i++) a[i] = i; zero = a[1];",
        "free(&zero);",
        "int a[3] = {1, 2, 3}; zero = sum(a, 4);",
        // What is nowhere.
        "*(int *)0x123456789a0 = 1;",
        "puts((char *)0x4242424242);",
        "*(int *)p = 1;",
        "__atomic_store_n((int *)p, 1, __ATOMIC_SEQ_CST);",
        // What is right.
        "if (!setjmp(there)) jump(); int a[3] = {1, 2, 3}; zero = sum(a, 3);",
        "for (int i = 0; i < 1000; i++) { pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0); pthread_mutex_lock(m); pthread_mutex_unlock(m); free(m); }",
        "for (int i = 0; i < 1000; i++) { char *q = malloc(i); memset(q, i, i); free(q); }",
        "int n = 5, a[n]; memset(a, 0, sizeof a); zero = sum(a, n); char text[16]; sprintf(text, \"%d\", zero);",
    ] {
        std::fs::write(&file, program(body)).expect("writable");
        let [vm, native] = ["vm", "native"].map(|backend| check(&file, backend));
        assert_eq!(answer(&vm), answer(&native), "{body}\n{}\n{}", vm.json, native.json);
        let is_right = body.contains("setjmp") || body.contains("< 1000") || body.contains("sprintf");
        assert_eq!(answer(&native).1, i32::from(!is_right), "{body}");
    }
}

#[test]
fn kinds_and_lines_agree_where_the_words_do_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("test.c");
    for body in ["((char *)\"abc\")[zero] = 'x';", "*(long *)0xdeadbeefdeadbeef = 1;"] {
        std::fs::write(&file, program(body)).expect("writable");
        let [vm, native] = ["vm", "native"].map(|backend| answer(&check(&file, backend)));
        assert_eq!((vm.1, vm.2, vm.3), (native.1, native.2, native.3), "{body}");
    }
}

/// Nobody needs the result: the compiler's code generation would leave it out, or move it to where it is needed.
#[test]
fn what_is_computed_in_vain_is_looked_at_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("test.c");
    let head = "#include <limits.h>\n#include <stdlib.h>\n#include <string.h>\n#include <wchar.h>\ntypedef int four __attribute__((vector_size(16)));\n\
        __attribute__((pure)) static int first(const int *p) { return *p; }\n__attribute__((const, noinline)) int second(const int *p) { return p[1]; }\n";
    for (body, exit) in [
        // Calls of what only reads.
        ("char *p = strdup(\"a\"); free(p); size_t n = strlen(p);", 1),
        ("char *p = strdup(\"a\"); free(p); strcmp(p, \"b\");", 1),
        ("char *p = strdup(\"a\"); free(p); (void)(memcmp(p, \"b\", 1) == 0);", 1),
        ("char *p = strdup(\"a\"); free(p); char *q = strchr(p, 'b');", 1),
        ("char *p = strdup(\"7\"); free(p); int n = atoi(p);", 1),
        ("wchar_t *p = malloc(8); *p = 0; free(p); wcslen(p);", 1),
        ("char p[3] = {1, 2, 3}; strlen(p + argc - 1);", 1),
        ("int *p = malloc(8); p[0] = 1; free(p); first(p);", 1),
        ("int *p = malloc(8); p[1] = 1; free(p); int k = second(p);", 1),
        ("int p[2] = {1, 2}; first(p); second(p); strlen(\"abc\");", 0),
        // Loads.
        ("int *p = malloc(8); free(p); *p;", 1),
        ("struct { int a, b; } *p = 0; (void)p->b;", 1),
        // Divisions.
        ("int z = argc - 1, k = 5 / z;", 1),
        ("int z = argc - 1; if (5 % z && argc > 9) return 1;", 1),
        ("int z = argc - 1, k = 0 / z;", 1),
        ("unsigned z = argc - 1, k = z / z;", 1),
        ("unsigned long z = 4ul << (61 + argc * 2), k = 9 % z;", 1),
        ("int k = argc % 0;", 1),
        ("int x = INT_MIN + argc - 1, k = x / -1;", 1),
        ("long x = LONG_MIN, z = -argc, k = x % z;", 1),
        ("__int128 z = argc - 1, k = argc / z;", 1),
        ("__int128 x = (__int128)1 << 127, k = x / -argc;", 1),
        ("_BitInt(24) x = -8388607 - argc, k = x / -(_BitInt(24))argc;", 1),
        ("four a = {1, 2, argc - 1, 4}, k = a / a;", 1),
        ("four a = {1, 2, INT_MIN, 4}, b = {-1, -1, -argc, -1}, k = a % b;", 1),
        (
            "int z = argc - 1; int k = argc > 1 ? 5 / z : 0; four a = {4, 6, INT_MIN, 8}; return (a / 2)[1] - 3 + k + INT_MAX / -argc + INT_MAX;",
            0,
        ),
        ("unsigned long a = LONG_MIN, b = -(long)argc; return (int)(a / b);", 0),
        // What the compiler was promised never to come.
        ("if (argc == 1) __builtin_unreachable();", 1),
        ("switch (argc) { case 1: return 0; default: __builtin_unreachable(); }", 0),
    ] {
        std::fs::write(&file, format!("{head}int main(int argc, char **argv) {{\n{body}\nreturn 0; }}\n"))
            .expect("writable");
        let [vm, native] = ["vm", "native"].map(|backend| check(&file, backend));
        assert_eq!((exit, answer(&vm)), (native.exit, answer(&native)), "{body}\n{}\n{}", vm.json, native.json);
    }
}

/// They have no place in the frame of their function, but one of their own, until their block or their function ends.
#[test]
fn arrays_of_variable_length_end_with_their_block_or_function() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("arrays.c");
    let head = "#include <alloca.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <string.h>\nstatic int *shared; static atomic_int ready;\n\
        static int use(int *p) { return p[0]; }\nstatic void *writes(void *p) {\n*(int *)p = 1; return p; }\n";
    for (text, exit) in [
        // Their function has returned.
        (
            "static int *f(int n) { int a[n]; int *p = a; p[0] = 3; return p; }\nint main(void) { int *p = f(3);\nreturn p[0]; }",
            1,
        ),
        ("static char *f(int n) { return alloca(n); }\nint main(void) { char *p = f(3);\np[1] = 1; return 0; }", 1),
        (
            "static pthread_t f(int n) { pthread_t t; int x[n];\npthread_create(&t, 0, writes, x);\nreturn t;\n}\nint main(void) { pthread_join(f(4), 0); return 0; }",
            1,
        ),
        (
            "static pthread_t f(int n) { pthread_t t; int *x = alloca(n * 4);\npthread_create(&t, 0, writes, x);\nreturn t;\n}\nint main(void) { pthread_join(f(4), 0); return 0; }",
            1,
        ),
        (
            "static int deep(int n) { int a[n]; a[0] = n; shared = a; return n > 1 ? deep(n - 1) + use(a) : use(a); }\nint main(void) { deep(5);\nreturn *shared; }",
            1,
        ),
        // Their block has ended.
        (
            "int main(int n, char **v) { int *p; for (int i = 1; i < 4; i++) { int a[i + n]; a[0] = i; p = a; use(p); }\nreturn *p; }",
            1,
        ),
        (
            "int main(int n, char **v) { { int a[n + 1]; a[0] = 1; shared = a; }\nint b[n]; b[0] = 0; shared[0] = 1; return use(b); }",
            1,
        ),
        (
            "int main(int n, char **v) { int b[n]; b[0] = 0; { int a[n + 1]; a[0] = 1; use(a); } { int c[n]; c[0] = 0; b[0] = use(c); } return use(b); }",
            0,
        ),
        (
            "int main(int n, char **v) { for (int i = 0; i < 3; i++) { int a[n]; a[0] = 0; if (i == 1) continue; if (use(a)) break; } return 0; }",
            0,
        ),
        // Their thread has ended.
        (
            "static void *makes(void *p) { int x[1 + !p]; x[0] = 1; shared = x; pthread_exit(0); }\nint main(void) { pthread_t t; pthread_create(&t, 0, makes, 0); pthread_join(t, 0);\nreturn shared[0]; }",
            1,
        ),
        // Others use them in time.
        (
            "static int f(int n) { pthread_t t; int x[n];\npthread_create(&t, 0, writes, x); pthread_join(t, 0); return x[0]; }\nint main(void) { return f(2) - 1; }",
            0,
        ),
        // Beyond their ends.
        ("int main(int n, char **v) { int a[n + 1]; a[0] = use(a + 2); return 0; }", 1),
        ("int main(int n, char **v) { int a[n + 1]; a[0] = use(a - 1); return 0; }", 1),
        // Many, and large ones.
        (
            "int main(int n, char **v) { int s = 0; for (int i = 1; i < 200000; i++) { int a[n]; a[0] = i & 1; s += use(a); } return s != 100000; }",
            0,
        ),
        (
            "int main(int n, char **v) { char *p = 0; for (int i = 0; i < 1000; i++) { char *q = alloca(n + 7); memcpy(q, &p, 8); p = q; }\n\
             int k = 0; for (; p; memcpy(&p, p, 8)) k++; return k != 1000; }",
            0,
        ),
        (
            "static int f(int n) { int a[n]; memset(a, 0, sizeof a); return use(a) + a[n - 1]; }\nint main(void) { for (int i = 1; i < 200; i++) if (f(i * 1000)) return 1; return 0; }",
            0,
        ),
        // A loop that waits.
        (
            "static void *sets(void *p) { ready = 1; return p; }\nint main(int n, char **v) { pthread_t t; pthread_create(&t, 0, sets, 0);\n\
             while (!ready) { int a[n]; a[0] = 0; if (use(a)) return 1; }\npthread_join(t, 0); return 0; }",
            0,
        ),
    ] {
        std::fs::write(&file, format!("{head}{text}\n")).expect("writable");
        let [vm, native] = ["vm", "native"].map(|backend| check(&file, backend));
        assert_eq!((exit, answer(&vm)), (native.exit, answer(&native)), "{text}\n{}\n{}", vm.json, native.json);
    }
}

/// What ends while somebody else may use it, though the execution at hand has it in the right order.
#[test]
fn lives_that_end_too_early_are_found() {
    for name in [
        "dead-frame",
        "freed-before-grace",
        "pointer-into-vector",
        "promise-on-the-stack",
        "reference-count-release-only",
        "thread-local-handed-out",
    ] {
        for kind in ["bug", "fixed"] {
            let file = root().join(format!("programs/pairs/{name}-{kind}.c"));
            let [vm, native] = ["vm", "native"].map(|backend| answer(&check(&file, backend)));
            assert_eq!((vm.0, vm.1, vm.2, vm.3), (native.0, native.1, native.2, native.3), "{name}-{kind}");
        }
    }
}

/// What machine code does not know by itself: which locks are held, where a jump leads, and what is called.
#[test]
fn locks_that_end_and_jumps_and_calls_to_nowhere_are_told_alike() {
    for name in [
        "mutex_freed_locked",
        "mutex_frame_ends_locked",
        "mutex_thread_ends_locked",
        "mutex_init_held",
        "longjmp_other_thread",
        "longjmp_returned",
        "longjmp_unset",
        "call_data_pointer",
        "call_garbage_pointer",
        "call_too_few_arguments",
        "call_wrong_type",
    ] {
        let file = root().join(format!("tests/c/err/{name}.c"));
        let [vm, native] = ["vm", "native"].map(|backend| answer(&check(&file, backend)));
        assert_eq!((vm.1, &vm), (1, &native), "{name}");
    }
}

/// Whatever the optimiser makes of it; what is right is called as ever.
#[test]
fn calls_by_pointers_are_looked_at() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("calls.c");
    let head = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\nstruct pair { long a, b; double c; };\nstatic void *volatile any;\n\
        static int one(int x) { return x; }\nstatic double half(double x) { return x / 2; }\nstatic long sum(struct pair p) { return p.a + p.b; }\n\
        static struct pair make(long a) { struct pair p = {a, a, 1}; return p; }\nstatic void nothing(void) {}\nstatic int old();\nstatic int old(x) int x; { return x; }\n";
    for (body, exit) in [
        ("any = one; return ((int (*)(int))any)(0);", 0),
        ("any = half; return (int)((double (*)(double))any)(0.0);", 0),
        ("any = sum; struct pair p = {0, 0, 1}; return (int)((long (*)(struct pair))any)(p);", 0),
        ("any = make; return (int)((struct pair (*)(long))any)(0).a;", 0),
        ("any = printf; return ((int (*)(const char *, ...))any)(\"%d\", 3) - 1;", 0),
        ("any = old; return ((int (*)())any)(0);", 0),
        ("any = one; ((void (*)(int))any)(0); return 0;", 0),
        ("any = sqrt; return (int)((double (*)(double))any)(0.0);", 0),
        (
            "for (int i = 0; i < 1000; i++) { any = i % 2 ? (void *)one : (void *)abs; if (((int (*)(int))any)(i) != i) return 1; } return 0;",
            0,
        ),
        ("any = one; return (int)((int (*)(double))any)(0.0);", 1),
        ("any = half; return (int)((float (*)(double))any)(0.0);", 1),
        ("any = nothing; return ((int (*)(void))any)();", 1),
        ("any = sum; return (int)((long (*)(long))any)(0);", 1),
        ("any = (char *)one + 1; return ((int (*)(int))any)(0);", 1),
        ("any = (void *)16; ((void (*)(void))any)(); return 0;", 1),
        ("any = 0; ((void (*)(void))any)(); return 0;", 1),
        ("any = malloc(100); ((void (*)(void))any)(); return 0;", 1),
    ] {
        std::fs::write(&file, format!("{head}int main(void) {{\n{body}\n}}\n")).expect("writable");
        for level in [0, 2] {
            let [vm, native] =
                ["vm", "native"].map(|backend| answer(&check_with(&file, backend, &format!("-O {level}"))));
            assert_eq!((exit, &vm), (native.1, &native), "{body} at {level}");
        }
    }
}

/// Another thread's lock counts, whatever way the search has come; a return from `main` is the end of all.
#[test]
fn locks_of_others_are_known_after_a_way_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("locks.c");
    let head = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <setjmp.h>\nstatic atomic_int n; static jmp_buf there; static pthread_mutex_t *shared;\n";
    for (text, exit) in [
        // Only if the second thread comes first does it not hold the lock when main frees it.
        (
            "static void *second(void *p) { pthread_mutex_lock(shared); n++; n++; pthread_mutex_unlock(shared); return p; }\n\
             int main(void) { pthread_t t; shared = malloc(sizeof *shared); pthread_mutex_init(shared, 0); pthread_create(&t, 0, second, 0);\n\
             if (n == 1) free(shared); pthread_join(t, 0); return 0; }",
            1,
        ),
        (
            "static void *second(void *p) { pthread_mutex_lock(shared); n++; pthread_mutex_unlock(shared); n++; return p; }\n\
             int main(void) { pthread_t t; shared = malloc(sizeof *shared); pthread_mutex_init(shared, 0); pthread_create(&t, 0, second, 0);\n\
             if (n == 2) free(shared); pthread_join(t, 0); return 0; }",
            0,
        ),
        ("int main(void) { pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&own); return n; }", 0),
        (
            "static void f(void) { pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&own); exit(0); }\nint main(void) { f(); return n; }",
            0,
        ),
        // Jumps that are right: out of a recursion, and again and again.
        (
            "static void deep(int k) { if (!k) longjmp(there, 1); deep(k - 1); }\n\
             int main(void) { for (volatile int i = 0; i < 3; i++) if (!setjmp(there)) deep(i); return n; }",
            0,
        ),
        (
            "static int set(void) { return setjmp(there); }\nstatic void jump(void) { longjmp(there, 1); }\n\
             int main(void) { if (!set()) jump(); return n; }",
            1,
        ),
    ] {
        std::fs::write(&file, format!("{head}{text}\n")).expect("writable");
        for level in [0, 2] {
            let [vm, native] =
                ["vm", "native"].map(|backend| answer(&check_with(&file, backend, &format!("-O {level}"))));
            assert_eq!((exit, &vm), (native.1, &native), "{text} at {level}");
        }
    }
}

#[test]
fn lost_memory_is_found_when_asked_for() {
    for name in ["lost-allocation", "not-yet-published", "use-after-free"] {
        for kind in ["bug", "fixed"] {
            let file = root().join(format!("programs/pairs/{name}-{kind}.c"));
            let [vm, native] = ["vm", "native"].map(|backend| answer(&check_with(&file, backend, "--leaks")));
            assert_eq!((vm.0, vm.1, vm.2, vm.3), (native.0, native.1, native.2, native.3), "{name}-{kind}");
        }
    }
}

/// What a function with a large frame leaves behind when it returns was met by the next execution: a value that was never set was
/// another one then, and an assertion held that a fresh process would not hold.
#[test]
fn what_functions_leave_behind_is_gone_with_the_execution() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("left.c");
    for size in [8192, 20_000, 100_000] {
        let text = format!(
            "#include <threadbare.h>\nstatic int deep(void) {{ char a[{size}]; int r = a[50]; a[50] = 9; a[{size} - 1] = 1; return r + a[{size} - 1] - 1; }}\n\
             int main(void) {{ int c = (int)tb_choose(0, 1); int r = deep(); tb_assert(!(r == 0 && c == 1)); return 0; }}\n"
        );
        std::fs::write(&file, text).expect("writable");
        let found = Check::run(&file, "--backend native", "-w");
        assert_eq!((found.exit, &found.json["executions"]), (1, &2.into()), "{size}: {}", found.json);
    }
}
