//! Machine code without a source on the native backend: objects of another compiler, archives, assembler files and libraries are linked to
//! the program and executed, with our C library beneath them. What they do with threads is seen, what they access is not, and the
//! report says so. What cannot run is refused by name.

use std::path::Path;
use std::process::{Command, Output};

struct Check {
    json: serde_json::Value,
    exit: i32,
}

/// Counts, allocates and prints under a lock of its own, and calls back.
const COUNTER: &str = "#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int calls;
static char *last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total = 5;
int bump(int by)
{
    pthread_mutex_lock(&lock);
    calls++;
    total += by;
    free(last);
    last = malloc(16);
    snprintf(last, 16, \"%d\", total);
    int result = atoi(last);
    pthread_mutex_unlock(&lock);
    return result;
}
int calls_so_far(void) { return calls; }
void each(int *list, int n, void (*f)(int *))
{
    for (int i = 0; i < n; i++)
        f(&list[i]);
}
static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
void sort(int *list, int n) { qsort(list, n, sizeof *list, less); }
";

const MAIN: &str = "#include <assert.h>
#include <pthread.h>
int bump(int), calls_so_far(void);
extern int total;
void each(int *, int, void (*)(int *)), sort(int *, int);
static int seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void note(int *p)
{
    pthread_mutex_lock(&lock);
    seen += *p;
    pthread_mutex_unlock(&lock);
}
static void *work(void *p)
{
    int list[3] = {3, 1, 2};
    bump(2);
    sort(list, 3);
    assert(list[0] == 1 && list[2] == 3);
    each(list, 2, note);
    return p;
}
int main(void)
{
    pthread_t a, b;
    assert(calls_so_far() == 0 && total == 5);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(calls_so_far() == 2 && seen == 6);
    assert(bump(0) == WANTED);
    return 0;
}
";

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("writable");
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn sh(&self, line: &str) {
        let output = Command::new("sh").args(["-ec", line]).current_dir(self.path()).output().expect("a shell");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn threadbare(&self, words: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        command.args(shlex::split(words).expect("words")).current_dir(self.path()).output().expect("it starts")
    }

    /// `words` as one would type them behind `check`.
    fn check(&self, words: &str) -> Check {
        let output = self.threadbare(&format!("check --format json {words}"));
        let text = String::from_utf8_lossy(&output.stdout);
        let json = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{error}: {words}\n{text}\n{}", String::from_utf8_lossy(&output.stderr)));
        Check { json, exit: output.status.code().expect("an exit code") }
    }

    fn refusal(&self, words: &str) -> String {
        let found = self.check(words);
        assert_eq!(found.exit, 3, "{words}: {}", found.json);
        found.json["error"]["message"].as_str().expect("a message").into()
    }
}

fn assumptions(check: &Check) -> String {
    check.json["assumptions"].to_string()
}

fn bug(check: &Check) -> String {
    check.json["bugs"][0]["kind"].as_str().unwrap_or_default().into()
}

/// Both compilers, where both are there.
fn compilers() -> impl Iterator<Item = &'static str> {
    let is_there =
        |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    ["clang-19 -fPIC", "gcc"].into_iter().filter(move |line| is_there(&line.split(' ').next().expect("a word")))
}

/// The verdict is that of the source, and nothing that the source explores is left out; its variables are as they were at the start of each execution.
#[test]
fn objects_run_as_their_sources_do() {
    let folder = Folder::with(&[("counter.c", COUNTER), ("main.c", MAIN)]);
    let with_source = folder.check("--backend native main.c counter.c -- -DWANTED=9");
    assert_eq!(with_source.exit, 0, "{}", with_source.json);
    for compiler in compilers() {
        folder.sh(&format!("{compiler} -O2 -c counter.c -o counter.o"));
        for strategy in ["optimal", "graph"] {
            let found = folder.check(&format!("--backend native --strategy {strategy} main.c counter.o -- -DWANTED=9"));
            assert_eq!((found.exit, &found.json["verdict"]), (0, &"proved".into()), "{compiler}: {}", found.json);
            if strategy == "optimal" {
                let executions = |check: &Check| check.json["executions"].as_u64().expect("a number");
                assert!(executions(&found) >= executions(&with_source), "{compiler}: {}", found.json);
            }
            let words = assumptions(&found);
            assert!(words.contains("machine code without a source (counter.o) is executed"), "{words}");
        }
        let found = folder.check("--backend native --trace bug.json main.c counter.o -- -DWANTED=8");
        assert_eq!((found.exit, bug(&found).as_str()), (1, "assertion"), "{compiler}: {}", found.json);
        let replayed = folder.threadbare("replay bug.json");
        assert_eq!(replayed.status.code(), Some(1), "{}", String::from_utf8_lossy(&replayed.stderr));
    }
}

/// The virtual machine refuses what calls it, and `auto` goes on to machine code.
#[test]
fn the_virtual_machine_leaves_it_to_machine_code() {
    let folder = Folder::with(&[("counter.c", COUNTER), ("main.c", MAIN)]);
    folder.sh("clang-19 -fPIC -c counter.c -o counter.o");
    let message = folder.refusal("--backend vm main.c counter.o -- -DWANTED=9");
    assert!(message.contains("counter.o") && message.contains("no source"), "{message}");
    let found = folder.check("main.c counter.o -- -DWANTED=9");
    assert_eq!(found.exit, 0, "{}", found.json);
    let words = assumptions(&found);
    assert!(words.contains("the virtual machine, which refuses") && words.contains("(counter.o)"), "{words}");
}

/// Of an archive what is needed, also by its other members, and nothing else. It is found by `-l`, too.
#[test]
fn archives_give_what_is_needed() {
    let folder = Folder::with(&[
        ("one.c", "int two(void);\nint one(void) { return two() - 1; }\n"),
        ("two.c", "int two(void) { return 2; }\n"),
        ("idle.c", "int nowhere(void);\nint idle(void) { return nowhere(); }\n"),
        ("main.c", "#include <assert.h>\nint one(void);\nint main(void) { assert(one() == 1); return 0; }\n"),
        (
            "mine.c",
            "#include <assert.h>\nint one(void);\nint two(void) { return 8; }\nint main(void) { assert(one() == 7); return 0; }\n",
        ),
    ]);
    folder.sh("clang-19 -fPIC -c one.c two.c idle.c; mkdir lib; ar rcs lib/libnumbers.a idle.o two.o one.o");
    for words in ["main.c lib/libnumbers.a", "main.c -- -Llib -lnumbers -lm", "main.c -- -L lib -l numbers"] {
        let found = folder.check(&format!("--backend native {words}"));
        assert_eq!(found.exit, 0, "{words}: {}", found.json);
        let said = assumptions(&found);
        assert!(said.contains("(libnumbers.a: ") && said.contains("one.o") && said.contains("two.o"), "{said}");
        assert!(!said.contains("idle.o"), "{said}");
    }
    let found = folder.check("--backend native mine.c lib/libnumbers.a");
    assert_eq!(found.exit, 0, "{}", found.json);
    assert!(assumptions(&found).contains("(libnumbers.a: one.o)"), "{}", assumptions(&found));
    // What `threadbare cc` has made has its source, also inside of an archive.
    folder.sh(&format!("{} cc -c one.c -o one.o; ar rcs libboth.a one.o two.o", env!("CARGO_BIN_EXE_threadbare")));
    let found = folder.check("--backend native main.c libboth.a");
    assert_eq!(found.exit, 0, "{}", found.json);
    assert!(assumptions(&found).contains("(libboth.a: two.o)"), "{}", assumptions(&found));
}

#[test]
fn assembler_files_are_assembled() {
    let main = "#include <assert.h>\nint three(int (*)(int));\nstatic int twice(int n) { return 2 * n; }\n\
        int main(void) { assert(three(twice) == 2 * N + 1); return 0; }\n";
    let three = "#define NUMBER N\n.globl three\nthree:\n push %rbp\n mov %rdi, %rax\n mov $NUMBER, %edi\n call *%rax\n add $1, %eax\n pop %rbp\n ret\n\
        .section .note.GNU-stack,\"\",@progbits\n";
    let folder = Folder::with(&[("main.c", main), ("three.S", three)]);
    let found = folder.check("--backend native main.c three.S -- -DN=21");
    assert_eq!(found.exit, 0, "{}", found.json);
    assert!(assumptions(&found).contains("(three.S)"), "{}", assumptions(&found));
    std::fs::write(folder.path().join("bad.s"), " movq %nowhere, %rax\n").expect("writable");
    let found = folder.check("--backend native main.c bad.s -- -DN=21");
    assert_eq!(found.exit, 2, "{}", found.json);
}

/// Locks, threads and conditions of an object are those of the program: a deadlock that needs both of them is found.
#[test]
fn a_deadlock_through_an_object_is_found() {
    let library = "#include <pthread.h>
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
void inside(void (*f)(void)) { pthread_mutex_lock(&inner); f(); pthread_mutex_unlock(&inner); }
void start(pthread_t *t, void *(*f)(void *)) { pthread_create(t, 0, f, 0); }
";
    let main = "#include <pthread.h>
void inside(void (*)(void)), start(pthread_t *, void *(*)(void *));
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void nothing(void) { n++; }
static void locked(void) { pthread_mutex_lock(&outer); n++; pthread_mutex_unlock(&outer); }
static void *work(void *p)
{
#ifdef ORDERED
    inside(locked);
#else
    pthread_mutex_lock(&outer);
    inside(nothing);
    pthread_mutex_unlock(&outer);
#endif
    return p;
}
int main(void)
{
    pthread_t t;
    start(&t, work);
    inside(locked);
    pthread_join(t, 0);
    return 0;
}
";
    let folder = Folder::with(&[("library.c", library), ("main.c", main)]);
    for compiler in compilers() {
        folder.sh(&format!("{compiler} -O2 -fomit-frame-pointer -c library.c -o library.o"));
        let found = folder.check("--backend native main.c library.o");
        assert_eq!((found.exit, bug(&found).as_str()), (1, "deadlock"), "{compiler}: {}", found.json);
        let found = folder.check("--backend native main.c library.o -- -DORDERED");
        assert_eq!(found.exit, 0, "{compiler}: {}", found.json);
    }
}

/// A loop is not taken for one that waits if an object changes something in it that nobody sees.
#[test]
fn what_an_object_does_is_an_effect() {
    let library = "#include <pthread.h>
#include <stdatomic.h>
static int rounds;
int again(atomic_int *flag) { (void)flag; return ++rounds < 5; }
int spin(pthread_mutex_t *m) { int n = 0; do { pthread_mutex_lock(m); pthread_mutex_unlock(m); n = ++rounds; } while (n < 9); return n; }
";
    let main = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int again(atomic_int *), spin(pthread_mutex_t *);
static atomic_int flag;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return p; }
int main(void)
{
    pthread_t t;
    while (atomic_load(&flag) == 0 && again(&flag)) { }
    pthread_create(&t, 0, work, 0);
    assert(spin(&m) == 9);
    pthread_join(t, 0);
    return 0;
}
";
    let folder = Folder::with(&[("library.c", library), ("main.c", main)]);
    folder.sh("clang-19 -fPIC -O2 -c library.c -o library.o");
    for strategy in ["optimal", "graph"] {
        let found = folder.check(&format!("--backend native --strategy {strategy} main.c library.o"));
        assert_eq!((found.exit, &found.json["verdict"]), (0, &"proved".into()), "{}", found.json);
    }
}

/// Constructors run before `main`, in every execution; a crash and an endless loop inside of an object are results.
#[test]
fn constructors_crashes_and_loops() {
    let library = "#include <stdio.h>
static int ready;
__attribute__((constructor)) static void begin(void) { ready += 7; }
__attribute__((destructor)) static void end(void) { puts(\"end\"); }
int get(int *p) { while (p == (int *)8) { } return p ? *p : ready; }
";
    let main = "#include <assert.h>\n#include <stddef.h>\nint get(int *);\nint main(void) { assert(get((int *)AT) == 7); return 0; }\n";
    let folder = Folder::with(&[("library.c", library), ("main.c", main)]);
    for compiler in compilers() {
        folder.sh(&format!("{compiler} -O1 -c library.c -o library.o"));
        let found = folder.check("--backend native main.c library.o -- -DAT=0");
        assert_eq!(found.exit, 0, "{compiler}: {}", found.json);
        let found = folder.check("--backend native main.c library.o -- -DAT=16");
        assert_eq!((found.exit, bug(&found).as_str()), (1, "null-dereference"), "{}", found.json);
        assert!(found.json["bugs"][0]["file"].to_string().contains("main.c"), "{}", found.json);
        assert!(found.json["bugs"][0]["message"].to_string().contains("in `get` of library.o"), "{}", found.json);
    }
    let found = folder.check("--backend native main.c library.o -- -DAT=8");
    assert_eq!((found.exit, &found.json["verdict"]), (4, &"unknown".into()), "{}", found.json);
    assert!(found.json.to_string().contains("in `get` of library.o"), "{}", found.json);
}

/// Also if nobody needs it, as a linker would.
#[test]
fn what_is_not_there_or_cut_off_is_named() {
    let folder = Folder::with(&[("f.c", "int f(void) { return 0; }"), ("main.c", "int main(void) { return 0; }")]);
    folder.sh("clang-19 -fPIC -c f.c -o f.o; ar rc f.a f.o");
    for (name, from) in [("cut.o", "f.o"), ("cut.a", "f.a")] {
        let bytes = std::fs::read(folder.path().join(from)).expect("it is there");
        for left in [bytes.len() - 1, bytes.len() / 2, 70] {
            std::fs::write(folder.path().join(name), &bytes[..left]).expect("writable");
            let found = folder.check(&format!("--backend native main.c {name}"));
            let message = found.json["error"]["message"].to_string();
            assert!(found.exit == 2 && message.contains(name), "{left} of {from}: {}", found.json);
        }
    }
    for (words, name) in [("main.c gone.o", "gone.o"), ("main.c gone.a", "gone.a"), ("main.c -- -lgone", "-lgone")] {
        let found = folder.check(&format!("--backend native {words}"));
        let message = found.json["error"]["message"].to_string();
        assert!(found.exit == 2 && message.contains(name), "{words}: {}", found.json);
    }
}

#[test]
fn objects_for_their_compiler_alone_are_refused() {
    let main = "int f(void);\nint main(void) { return f(); }\n";
    let folder = Folder::with(&[("f.c", "int f(void) { return 0; }"), ("main.c", main)]);
    for compiler in compilers() {
        folder.sh(&format!("rm -f f.a; {compiler} -flto -O1 -c f.c -o f.o; ar rc f.a f.o"));
        let message = folder.refusal("--backend native main.c f.o");
        assert!(message.contains("f.o") && message.contains("-flto"), "{compiler}: {message}");
        if compiler.starts_with("gcc") {
            let message = folder.refusal("--backend native main.c f.a");
            assert!(message.contains("f.a(f.o)") && message.contains("-flto"), "{message}");
            folder.sh("gcc -flto -ffat-lto-objects -fPIC -O1 -c f.c -o f.o");
            assert_eq!(folder.check("--backend native main.c f.o").exit, 0);
        }
    }
}

#[test]
fn a_trace_knows_which_objects_have_changed() {
    let main = "#include <assert.h>\nint f(void), g(void);\nint main(void) { assert(f() + g() == 1); return 0; }\n";
    let folder =
        Folder::with(&[("f.c", "int f(void) { return 0; }"), ("g.c", "int g(void) { return 0; }"), ("main.c", main)]);
    let make = "clang-19 -fPIC -c f.c g.c; ar rc libg.a g.o";
    folder.sh(make);
    folder.threadbare("check --backend native main.c f.o --trace t.json -- -L. -lg");
    let replay = || {
        let output = folder.threadbare("replay t.json");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(replay(), (Some(1), String::new()));
    folder.sh("echo 'int n; int g(void) { return 0; }' > g.c; rm libg.a");
    folder.sh(make);
    let (exit, said) = replay();
    assert!(exit == Some(1) && said.contains("libg.a has changed since the recording"), "{exit:?} {said}");
    folder.sh("rm f.o");
    let (exit, said) = replay();
    assert!(exit == Some(2) && said.contains("f.o has changed since the recording"), "{exit:?} {said}");
}

#[test]
fn what_cannot_run_is_refused_by_name() {
    let main = "int f(void);\nint main(void) { return f(); }\n";
    let folder = Folder::with(&[("main.c", main)]);
    for (text, flags, words) in [
        (
            "int nowhere(void);\nint f(void) { return nowhere(); }",
            "-fPIC",
            &["`nowhere`", "f.o", "neither in the program"][..],
        ),
        (
            "_Thread_local int counter;\nint f(void) { return counter++; }",
            "-fPIC",
            &["`counter`", "thread-local", "f.o"],
        ),
        ("extern _Thread_local int other;\nint f(void) { return other; }", "-fPIC", &["`other`", "thread-local"]),
        (
            "int g;\nint f(void) { int *volatile p = &g; return *p; }",
            "-fno-pic -fno-pie",
            &["f.o", "-fPIC", "position-independent"],
        ),
        (
            "static int a(void) { return 0; }\nstatic void *pick(void) { return a; }\nint f(void) __attribute__((ifunc(\"pick\")));",
            "-fPIC",
            &["`f`", "ifunc"],
        ),
        (
            "int f(void) { long r; __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(39) : \"rcx\", \"r11\", \"memory\"); return r; }",
            "-fPIC",
            &["`syscall`", "`f`", "f.o"],
        ),
        ("int f(void) { return __builtin_ia32_rdtsc(); }", "-fPIC", &["`rdtsc`", "`f`"]),
        (
            "static volatile int n;\n__attribute__((constructor(200))) static void c(void) { n = 1; }\nint f(void) { return 0; }",
            "-fPIC",
            &["constructors", "f.o"],
        ),
    ] {
        std::fs::write(folder.path().join("f.c"), text).expect("writable");
        folder.sh(&format!("clang-19 {flags} -O1 -c f.c -o f.o"));
        let message = folder.refusal("--backend native main.c f.o");
        assert!(words.iter().all(|word| message.contains(word)), "{words:?} in {message}");
    }
    std::fs::write(folder.path().join("f.c"), "int f(void) { return 0; }\nint main(void) { return 0; }")
        .expect("writable");
    folder.sh("clang-19 -fPIC -c f.c -o f.o");
    let twice = folder.check("--backend native main.c f.o");
    assert!(twice.exit == 2 && twice.json["error"]["message"].to_string().contains("defined twice"), "{}", twice.json);
    // A library that is only there as a shared one.
    folder.sh("clang-19 -fPIC -shared f.c -o libonly.so");
    let message = folder.refusal("--backend native main.c -- -L. -lonly");
    assert!(message.contains("`f`") && message.contains("libonly.so") && message.contains("shared"), "{message}");
    let message = folder.refusal("--backend native main.c f.o --invariant holds -- -Dmain=unused");
    assert!(message.contains("f.o") && message.contains("`holds`"), "{message}");
}

/// Code of another compiler with the names of fortified functions and a stack protector, from a real library, if it is installed.
#[test]
fn a_round_trip_through_zlib() {
    if !Path::new("/usr/include/zlib.h").exists() {
        return println!("zlib is not installed");
    }
    let main = "#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <zlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int good;
static void *work(void *p)
{
    unsigned char in[400], out[800], back[400];
    for (int i = 0; i < 400; i++)
        in[i] = \"hello world \"[i % 12];
    uLongf n = sizeof out, k = sizeof back;
    assert(compress(out, &n, in, sizeof in) == Z_OK && n < 100);
    pthread_mutex_lock(&lock);
    good++;
    pthread_mutex_unlock(&lock);
    assert(uncompress(back, &k, out, n) == Z_OK && k == 400 && !memcmp(in, back, 400));
    return p;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(good == 2);
    return 0;
}
";
    let folder = Folder::with(&[("main.c", main)]);
    let found = folder.check("--backend native main.c -- -lz");
    assert_eq!((found.exit, &found.json["verdict"]), (0, &"proved".into()), "{}", found.json);
    let words = assumptions(&found);
    assert!(words.contains("(libz.a: ") && words.contains("deflate.o") && !words.contains("gzread.o"), "{words}");
}

/// Nobody sees what calls access: they were not put into another order, and a counter of references was always 1.
#[test]
fn calls_come_in_every_order() {
    let counter = "static int n;\nint get(void) { return __atomic_add_fetch(&n, 1, 5); }\n\
                   int put(void) { return __atomic_sub_fetch(&n, 1, 5); }\n";
    let main = "#include <assert.h>\n#include <pthread.h>\nint get(void), put(void);\n\
                static void *user(void *p) { CALL(get); CALL(put); return p; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, user, 0);\n\
                int (*volatile first)(void) = get; int n = first(); assert(n == 1); put(); pthread_join(t, 0); return 0; }\n";
    let folder = Folder::with(&[("counter.c", counter), ("main.c", main)]);
    folder.sh("clang-19 -fPIC -O2 -c counter.c -o counter.o");
    for (what, exit) in [("'-DCALL(f)=f()'", 1), ("'-DCALL(f)=(void)0'", 0)] {
        for code in ["counter.c", "counter.o"] {
            let found = folder.check(&format!("--backend native main.c {code} -- {what}"));
            assert_eq!(found.exit, exit, "{code}: {}", found.json);
        }
    }
}

const TWO_THREADS: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
int data;
void setx(int), lock_and_set(void);
void *setter(void *);
static void *one(void *p) { FIRST; return p; }
static void *two(void *p) { SECOND; return p; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, START, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

const SETTERS: &str = "#include <pthread.h>
#include <stdatomic.h>
extern atomic_int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void setx(int v) { atomic_store(&x, v); }
void lock_and_set(void) { pthread_mutex_lock(&m); atomic_store(&x, 1); pthread_mutex_unlock(&m); atomic_store(&x, 2); }
void *setter(void *p) { atomic_store(&x, 1); return p; }
";

/// A call of code without a source comes before and after whatever the program accesses, and so does what that code does between two
/// operations of ours, and a thread that is nothing else.
#[test]
fn calls_of_objects_come_in_all_orders_with_accesses() {
    let folder = Folder::with(&[("main.c", TWO_THREADS), ("setters.c", SETTERS)]);
    folder.sh("clang-19 -fPIC -O2 -c setters.c");
    let check = |first: &str, start: &str, second: &str, more: &str| {
        folder.check(&format!(
            "--backend native {more} main.c setters.o -- '-DFIRST={first}' -DSTART={start} '-DSECOND={second}'"
        ))
    };
    for (first, start, second) in [
        ("setx(1)", "one", "assert(atomic_load(&x) == 1)"),
        ("setx(1)", "one", "assert(atomic_load(&x) == 0)"),
        ("lock_and_set()", "one", "assert(atomic_load(&x) != 1)"),
        ("lock_and_set()", "one", "assert(atomic_load(&x) != 2)"),
        ("", "setter", "assert(atomic_load(&x) == 0)"),
        ("", "setter", "assert(atomic_load(&x) == 1)"),
        ("setx(1)", "one", "int v = 0; assert(!atomic_compare_exchange_strong(&x, &v, 5))"),
        ("setx(1)", "one", "int v = 1; assert(!atomic_compare_exchange_strong(&x, &v, 5))"),
    ] {
        for strategy in ["optimal", "source", "dpor", "sdpor", "dfs", "graph", "scale"] {
            let found = check(first, start, second, &format!("--strategy {strategy}"));
            assert_eq!(bug(&found), "assertion", "{first} {start} {second} {strategy}: {}", found.json);
        }
    }
    // What is published there is not taken for racy.
    let published = check("data = 1; setx(1)", "one", "if (atomic_load(&x) == 1) assert(data == 1)", "");
    assert_eq!((published.exit, &published.json["verdict"]), (0, &"proved".into()), "{}", published.json);
    assert!(
        assumptions(&published).contains("in all orders with other steps that access memory"),
        "{}",
        published.json
    );
}

/// So it is with assembly inside of functions. A lock that is written in it protects what it protects, and a loop that waits for it is
/// known as one.
#[test]
fn assembly_comes_in_all_orders_with_accesses() {
    let main = format!(
        "static int __attribute__((unused)) xchg(void *p, int v) \
         {{ __asm__ volatile(\"xchgl %0,%1\" : \"+r\"(v), \"+m\"(*(int *)p) :: \"memory\"); return v; }}\n\
         static int __attribute__((unused)) xadd(int *p) \
         {{ int old = 1; __asm__ volatile(\"lock; xaddl %0,(%1)\" : \"+r\"(old) : \"r\"(p) : \"memory\"); return old; }}\n\
         static int word, got[2];\n{TWO_THREADS}"
    );
    let folder = Folder::with(&[("main.c", &main)]);
    let check = |first: &str, second: &str, more: &str| {
        folder.check(&format!("{more} main.c -- '-DFIRST={first}' -DSTART=one '-DSECOND={second}'"))
    };
    for (first, second) in [
        ("xchg(&x, 1)", "assert(atomic_load(&x) == 1)"),
        ("xchg(&x, 1)", "assert(atomic_load(&x) == 0)"),
        ("got[0] = xadd(&word)", "got[1] = xadd(&word); assert(got[1] == 1)"),
        ("got[0] = xadd(&word)", "got[1] = xadd(&word); assert(got[1] == 0)"),
    ] {
        for more in ["", "--backend native --strategy dpor", "--backend native --strategy graph"] {
            let found = check(first, second, more);
            assert_eq!(bug(&found), "assertion", "{first} {second} {more}: {}", found.json);
        }
    }
    let locked = "while (xchg(&word, 1)) __asm__ volatile(\"pause\"); data++; xchg(&word, 0)";
    for strategy in ["optimal", "graph"] {
        let found = check(locked, locked, &format!("--backend native --strategy {strategy}"));
        assert_eq!((found.exit, &found.json["verdict"]), (0, &"proved".into()), "{strategy}: {}", found.json);
    }
    let barrier = "__asm__ volatile(\"\" ::: \"memory\")";
    let found = check(barrier, barrier, "--backend native --strategy optimal");
    assert_eq!((found.exit, &found.json["executions"]), (0, &1.into()), "{}", found.json);
}

/// A definition of the program gives way to one of machine code, which the virtual machine does not execute; and the linker takes
/// the first of two that give way. Both were `proved` with the program's own one.
#[test]
fn definitions_give_way_to_machine_code() {
    let main = "#include <assert.h>\n__attribute__((weak)) int pick(void) { return 1; }\nint main(void) { assert(pick() == 1); }\n";
    let folder = Folder::with(&[
        ("main.c", main),
        ("strong.c", "int pick(void) { return 2; }\n"),
        ("weak.c", "__attribute__((weak)) int pick(void) { return 2; }\n"),
        ("first.c", "int first; __attribute__((constructor)) static void set(void) { first = 1; }\n"),
        ("quiet.c", "int main(void) { return 0; }\n"),
    ]);
    folder.sh("for name in strong weak first; do clang-19 -fPIC -c $name.c -o $name.o; done");
    let message = folder.refusal("--backend vm main.c strong.o");
    assert!(message.contains("`pick` of main.c gives way to that of strong.o"), "{message}");
    for backend in ["auto", "native"] {
        let check = folder.check(&format!("--backend {backend} main.c strong.o"));
        assert_eq!(bug(&check), "assertion", "{}", check.json);
    }
    for files in ["main.c weak.o", "weak.o main.c"] {
        let message = folder.refusal(&format!("--backend native {files}"));
        assert!(message.contains("`pick` is weak in main.c and in weak.o"), "{message}");
        assert!(folder.refusal(&format!("--backend vm {files}")).contains("gives way"), "{files}");
    }
    let message = folder.refusal("--backend vm quiet.c first.o");
    assert!(message.contains("first.o") && message.contains("constructors"), "{message}");
    assert_eq!(folder.check("quiet.c first.o").exit, 0);
}
