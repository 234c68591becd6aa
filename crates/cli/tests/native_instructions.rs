//! Instructions that LLVM's passes do not look at by themselves: each is a step as on the virtual machine, or refused by name.

use std::path::Path;

use common::Check;

mod common;

fn check(text: &str, options: &str, flags: &str) -> Check {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.c");
    std::fs::write(&file, text).expect("room");
    Check::run(Path::new(&file), options, flags)
}

/// Exit code, verdict and executions on both machines.
fn both(text: &str, options: &str) -> (i32, String, u64) {
    let answer = |backend: &str| {
        let Check { json, exit } = check(text, &format!("--backend {backend} --strategy optimal {options}"), "");
        (
            exit,
            json["verdict"].to_string(),
            json["executions"].as_u64().unwrap_or(0),
            json["bugs"][0]["kind"].to_string(),
        )
    };
    let [vm, native] = ["vm", "native"].map(answer);
    assert_eq!(vm, native, "{options}:\n{text}");
    (vm.0, vm.1, vm.2)
}

/// Two threads, and what holds when they have ended.
fn two(shared: &str, a: &str, b: &str, end: &str) -> String {
    format!(
        "#include <assert.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdlib.h>
{shared}
static void *a(void *unused) {{ {a} return unused; }}
static void *b(void *unused) {{ {b} return unused; }}
int main(void)
{{
    pthread_t t[2];
    pthread_create(&t[0], 0, a, 0);
    pthread_create(&t[1], 0, b, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    {end}
    return 0;
}}
"
    )
}

const TYPES: &[&str] =
    &["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long"];

/// A variable of `main` that a thread knows.
fn lent(variable: &str, address: &str, meanwhile: &str, thread: &str) -> String {
    format!(
        "#include <alloca.h>
#include <assert.h>
#include <pthread.h>
struct job {{ int number, done; struct {{ int low, high; }} range[2]; }};
static struct job *published;
static void *thread(void *argument) {{ struct job *job = argument; (void)job; {thread} return 0; }}
int main(int argc, char **argv)
{{
    pthread_t t;
    (void)argv;
    int n = argc;
    {variable}
    published = (struct job *){address};
    pthread_create(&t, 0, thread, {address});
    {meanwhile}
    pthread_join(t, 0);
    return 0;
}}
"
    )
}

/// LLVM's pass took a member of a variable for one that nobody else knows: its own address is handed to nobody.
#[test]
fn a_member_of_a_local_variable_that_another_thread_knows_is_shared() {
    let job = "struct job own = {0};";
    for (variable, address, meanwhile, thread) in [
        (job, "&own", "own.number = 1;", "job->number = 2;"),
        (job, "&own", "own.done++;", "job->done++;"),
        (job, "&own", "own.range[n].high = 1;", "if (job->range[1].high) job->done = 1;"),
        (job, "&own", "struct job copy = own; if (copy.range[1].low == 9) return 1;", "job->range[1].low = 3;"),
        (job, "&own", "own = (struct job){.done = 1};", "job->range[0].high = 3;"),
        (job, "&own", "own.done = 1;", "published->done = 2;"),
        ("struct job many[2] = {0}; struct job *own = &many[0];", "many", "own[1].done = 1;", "job[1].done = 2;"),
        ("int own[6] = {0};", "own", "own[n] = 1;", "job->done = 2;"),
        ("int own[n + 5]; own[n] = 0;", "own", "own[n] = 1;", "job->done = 2;"),
        ("int *own = alloca(6 * sizeof(int)); own[n] = 0;", "own", "own[n] = 1;", "job->done = 2;"),
    ] {
        let text = lent(variable, address, meanwhile, thread);
        for level in 0..=2 {
            let (exit, ..) = both(&text, &format!("-O {level}"));
            assert_eq!(exit, 1, "-O {level}\n{text}");
        }
        let (exit, _, executions) = both(&text, "--races allow");
        assert_eq!(exit, 0, "{text}");
        assert!(executions > 1, "{text}");
    }
    // Where only the function knows a variable, its members are no steps.
    let text =
        lent("struct job own = {0}, lent;", "&lent", "own.done = 1; own.range[n].low = own.done;", "job->done = 1;");
    assert_eq!(both(&text, "--races allow").2, 1);
}

#[test]
fn every_read_modify_write_of_every_size_is_a_step_as_on_the_virtual_machine() {
    let names = ["add", "sub", "and", "or", "xor", "nand", "min", "max"];
    for ty in TYPES {
        // Each on a variable of its own, and each by both threads: two orders of each. One value is negative where there is a sign.
        let shared = format!("static {ty} x[8] = {{1, 1, 6, 6, 6, 6, 3, 3}}, seen[8][2];");
        let (mut a, mut b) = (String::new(), String::new());
        for (number, name) in names.iter().enumerate() {
            a += &format!("seen[{number}][0] = __atomic_fetch_{name}(&x[{number}], 5, __ATOMIC_SEQ_CST); ");
            b += &format!("seen[{number}][1] = __atomic_{name}_fetch(&x[{number}], ({ty})-3, __ATOMIC_ACQ_REL); ");
        }
        let end = format!(
            "assert(x[0] == ({ty})3 && x[1] == ({ty})-1 && x[2] == 4 && x[3] == ({ty})-1 && x[4] == ({ty})(6 ^ 5 ^ -3));
    assert(x[6] == (({ty})-3 < 3 ? ({ty})-3 : 3) && x[7] == (({ty})-3 > 5 ? ({ty})-3 : 5));
    assert(seen[6][0] == 3 || seen[6][0] == ({ty})-3);"
        );
        let (_, verdict, executions) = both(&two(&shared, &a, &b, &end), "");
        assert_eq!((verdict.as_str(), executions), ("\"proved\"", 256), "{ty}");
    }
}

#[test]
fn arithmetic_on_atomic_floating_point_numbers_is_a_step() {
    for ty in ["float", "double"] {
        let shared = format!("static {ty} x[4] = {{1.5, 1.5, 1.5, 1.5}}, seen[4];");
        let a = ["add", "sub", "max", "min"].iter().enumerate();
        let a: String = a
            .map(|(i, name)| format!("seen[{i}] = __atomic_fetch_{name}(&x[{i}], 2.25, __ATOMIC_SEQ_CST); "))
            .collect();
        let b = "__atomic_fetch_add(&x[0], 1, __ATOMIC_SEQ_CST);";
        let end = "assert(seen[1] == 1.5 && x[0] == 4.75 && x[1] == -0.75 && x[2] == 2.25 && x[3] == 1.5);";
        assert_eq!(both(&two(&shared, &a, b, end), ""), (0, "\"proved\"".into(), 2), "{ty}");
        assert_eq!(both(&two(&shared, &a, b, "assert(seen[0] == 1.5);"), "").1, "\"violated\"", "{ty}");
    }
}

#[test]
fn others_come_before_and_behind_a_maximum() {
    let text = two(
        "static int high, seen;",
        "__atomic_fetch_max(&high, 5, __ATOMIC_SEQ_CST);",
        "seen = __atomic_load_n(&high, __ATOMIC_SEQ_CST);",
        "assert(seen == 5);",
    );
    assert_eq!(both(&text, "").1, "\"violated\"");
    let text = two(
        "static unsigned high, seen;",
        "__sync_fetch_and_umax(&high, 5);",
        "seen = __sync_fetch_and_umin(&high, 7);",
        "assert(seen == 5);",
    );
    assert_eq!(both(&text, "").1, "\"violated\"");
}

#[test]
fn a_maximum_releases_and_acquires() {
    let text = |order: &str| {
        two(
            "static int data, flag;",
            &format!("data = 1; __atomic_fetch_max(&flag, 1, {order});"),
            "if (__atomic_fetch_max(&flag, 0, __ATOMIC_ACQUIRE)) assert(data == 1);",
            "",
        )
    };
    assert_eq!(both(&text("__ATOMIC_RELEASE"), "").1, "\"proved\"");
    assert_eq!(both(&text("__ATOMIC_RELAXED"), "").1, "\"violated\"");
}

#[test]
fn a_maximum_of_freed_memory_is_found() {
    let text = two("static int *p;", "__atomic_fetch_max(p, 1, __ATOMIC_SEQ_CST);", "", "")
        .replace("pthread_t t[2];", "pthread_t t[2]; p = malloc(4); free(p);");
    assert_eq!(both(&text, "").1, "\"violated\"");
}

#[test]
fn no_attribute_hides_a_function() {
    for attribute in ["disable_sanitizer_instrumentation", "no_sanitize(\"thread\")", "no_sanitize(\"all\")"] {
        let shared = format!(
            "static int x, seen;
__attribute__(({attribute})) static void set(void) {{ __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST); }}
__attribute__(({attribute})) static void add(void) {{ seen++; }}"
        );
        let text = two(&shared, "set();", "seen = __atomic_load_n(&x, __ATOMIC_SEQ_CST);", "assert(seen == 1);");
        assert_eq!(both(&text, "").1, "\"violated\"", "{attribute}");
        assert_eq!(both(&two(&shared, "add();", "add();", ""), "").1, "\"violated\"", "{attribute}");
    }
}

#[test]
fn instructions_that_do_not_do_the_same_each_time_are_refused_by_name() {
    for (code, instruction) in [
        ("x = __rdtsc();", "rdtsc"),
        ("x = __builtin_readcyclecounter();", "rdtsc"),
        ("unsigned id; x = __builtin_ia32_rdtscp(&id);", "rdtscp"),
        ("unsigned r; x = _rdrand32_step(&r);", "rdrand"),
        ("unsigned r; x = _rdseed32_step(&r);", "rdseed"),
        ("x = _xbegin();", "xbegin"),
        ("x = _rdpid_u32();", "rdpid"),
        ("x = _readfsbase_u64();", "rdfsbase"),
        ("x = _rdpkru_u32();", "rdpkru"),
        ("__asm__ volatile(\"rdpkru\" : \"=a\"(x) : \"c\"(0) : \"edx\");", "rdpkru"),
    ] {
        let text = two("static unsigned long x;", code, "", "");
        let flags = "-mrdrnd -mrdseed -mrtm -mrdpid -mfsgsbase -mpku";
        let Check { json, exit } = check(&text, "--backend native", flags);
        let words = json["error"]["message"].to_string();
        assert!(exit == 3 && words.contains(&format!("`{instruction}`")), "{code}: {exit} {json}");
        assert_eq!(json["error"]["line"], 6, "{code}: {json}");
    }
}

#[test]
fn atomics_of_unaligned_memory_run_and_wide_ones_are_refused() {
    let text = two(
        "static struct __attribute__((packed)) { char c; int i; } p;",
        "int v = 1; __atomic_store(&p.i, &v, __ATOMIC_SEQ_CST);",
        "int v; __atomic_load(&p.i, &v, __ATOMIC_SEQ_CST); assert(v == 0 || v == 1);",
        "int v; __atomic_load(&p.i, &v, __ATOMIC_SEQ_CST); assert(v == 1);",
    );
    assert_eq!(both(&text, ""), (0, "\"proved\"".into(), 2));
    let wide =
        two("struct three { int c[3]; };\nstatic _Atomic(struct three) x;", "struct three v = x; x = v;", "", "");
    let Check { json, exit } = check(&wide, "--backend native", "-mcx16");
    assert_eq!((exit, &json["error"]["line"]), (3, &7.into()), "{json}");
    assert!(json["error"]["message"].to_string().contains("no atomic accesses to a type of this size"), "{json}");
}

#[test]
fn flags_for_the_code_of_functions_are_no_hindrance() {
    let text = two("", "char b[64]; b[sizeof b - 1] = 1; assert(b[63] == 1);", "", "");
    for flags in [
        "-fstack-protector-all",
        "-fstack-protector-strong",
        "-fstack-protector",
        "-pg",
        "-pg -mfentry",
        "-fsplit-stack",
    ] {
        let Check { json, exit } = check(&text, "--backend native", flags);
        assert_eq!(exit, 0, "{flags}: {json}");
    }
}

#[test]
fn names_that_others_would_define_are_refused_in_words_of_their_own() {
    let section = "__attribute__((section(\"mine\"), used)) static int one;\nextern int __start_mine[], __stop_mine[];";
    for (text, words) in [
        (
            two(section, "assert(__start_mine != __stop_mine);", "", ""),
            "the linker would define it, as an end of the section `mine`",
        ),
        (two("long syscall(long, ...);", "syscall(39);", "", ""), "there is no kernel behind the program"),
    ] {
        let Check { json, exit } = check(&text, "--backend native", "");
        assert!(exit == 3 && json["error"]["message"].to_string().contains(words), "{exit}: {json}");
    }
    for flags in ["-x c++", "-xc++"] {
        let Check { json, exit } = check(&two("", "", "", ""), "", flags);
        assert!(exit == 2 && json["error"]["message"].to_string().contains("C++ is not supported"), "{exit}: {json}");
    }
}

#[test]
fn an_object_alone_is_refused_with_what_to_give_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, object) = (folder.path().join("p.c"), folder.path().join("p.o"));
    std::fs::write(&file, two("", "", "", "")).expect("room");
    let made = std::process::Command::new("clang-19").arg("-c").arg(&file).arg("-o").arg(&object).status();
    assert!(made.is_ok_and(|status| status.success()));
    let Check { json, exit } = Check::run(&object, "--backend native", "");
    assert!(exit == 2 && json["error"]["message"].to_string().contains("only beside a C file"), "{exit}: {json}");
}

/// What the loader would call is refused on both machines, and so is machine code that is written as numbers.
#[test]
fn what_nobody_here_would_see_is_refused_by_name() {
    for (section, of) in
        [(".init_array", "q"), (".fini_array", "q"), (".preinit_array", "q"), (".init_array.00100", "q")]
    {
        let text = format!(
            "#include <assert.h>\nint n;\nstatic void q(void) {{ n = 5; }}\n\
             __attribute__((section(\"{section}\"), used)) static void (*fp)(void) = {of};\nint main(void) {{ assert(n == 5); }}\n"
        );
        for backend in ["vm", "native"] {
            let Check { json, exit } = check(&text, &format!("--backend {backend}"), "");
            let message = json["error"]["message"].to_string();
            assert!(exit == 3 && message.contains(section) && message.contains("constructor"), "{backend}: {json}");
            assert_eq!(json["error"]["line"], 4, "{json}");
        }
    }
    for (code, name) in [
        (".byte 0x0f,0x05", "`.byte`"),
        (".fill 1, 2, 0x050f", "`.fill`"),
        ("1: syscall", "`syscall`"),
        ("jmp 1f; 2: data16 syscall; 1: jmp 2b", "`syscall`"),
    ] {
        let text = format!(
            "#include <assert.h>\nint main(void) {{\n    __asm__ volatile(\"{code}\" :: \"a\"(231), \"D\"(0) : \"rcx\", \"r11\", \
             \"memory\");\n    assert(0);\n}}\n"
        );
        let Check { json, exit } = check(&text, "--backend native", "");
        assert!(exit == 3 && json["error"]["message"].to_string().contains(name), "{code}: {json}");
        assert_eq!(json["error"]["line"], 3, "{json}");
    }
}

/// A label hid all that stands behind it on its line, from the search and from the report: this was `proved`.
#[test]
fn assembly_behind_a_label_is_seen() {
    let text = "#include <assert.h>\n#include <pthread.h>\nstatic int flag;\n\
                static void *set(void *arg) { __asm__ volatile(\"1: movl $1, %0\" : \"=m\"(flag)); return arg; }\n\
                int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, set, 0);\n    int seen;\n    \
                __asm__ volatile(\"1: movl %1, %0\" : \"=r\"(seen) : \"m\"(flag));\n    assert(!seen);\n    \
                return pthread_join(t, 0);\n}\n";
    let Check { json, exit } = check(text, "--backend native", "");
    assert!(exit == 1 && json["bugs"][0]["kind"] == "assertion", "{exit}: {json}");
    assert!(json["assumptions"].to_string().contains("assembly code"), "{json}");
}

/// Whoever leaves the worker past the C library leaves no verdict behind, whatever exit code he chose.
#[test]
fn a_worker_that_the_program_ends_has_proved_nothing() {
    for code in [0, 3] {
        let text = format!(
            "#include <assert.h>\nint main(void) {{\n    __asm__ volatile(\"jmp .+3; movl $0x050f, %%ecx\" :: \"a\"(231), \"D\"({code}) : \
             \"rcx\", \"r11\", \"memory\");\n    assert(0);\n}}\n"
        );
        let Check { json, exit } = check(&text, "--backend native", "");
        assert!(exit == 4 && json["error"]["message"].to_string().contains("past the C library"), "{exit} {json}");
    }
}

/// It was skipped without a word, or executed where nobody saw it.
#[test]
fn assembly_outside_of_functions_is_refused() {
    let text = "#include <assert.h>\n__attribute__((weak)) int extra(void);\n\
                __asm__(\".text\\n.globl extra\\nextra:\\n\\tmovl $2,%eax\\n\\tret\\n\");\n\
                int main(void) { if (extra) assert(extra() == 1); }\n";
    for backend in ["vm", "native", "auto"] {
        let Check { json, exit } = check(text, &format!("--backend {backend}"), "");
        let message = json["error"]["message"].to_string();
        assert!(exit == 3 && message.contains("assembly outside of functions"), "{backend}: {json}");
        assert_eq!(json["error"]["line"], 3, "{json}");
    }
    let note = "__asm__(\".section .note.GNU-stack,\\\"\\\",@progbits\");\nint main(void) { return 0; }\n";
    for backend in ["vm", "native"] {
        assert_eq!(check(note, &format!("--backend {backend}"), "").exit, 0);
    }
    let jumps =
        "static int f;\nint main(void) {\n    __asm__ goto(\"jmp %l1\" :: \"m\"(f) :: out);\nout:\n    return 0;\n}\n";
    for backend in ["vm", "native"] {
        let Check { json, exit } = check(jumps, &format!("--backend {backend}"), "");
        assert!(exit == 3 && json["error"]["message"].to_string().contains("`asm goto`"), "{backend}: {json}");
        assert_eq!(json["error"]["line"], 3, "{json}");
    }
}

/// What assembly writes was no reason to look at an invariant again.
#[test]
fn invariants_beside_assembly_are_refused() {
    let text = |code: &str| {
        format!(
            "int x;\nint inv(void) {{ return x == 0; }}\nint main(void) {{\n    __asm__ volatile({code});\n    return 0;\n}}\n"
        )
    };
    let Check { json, exit } = check(&text("\"movl $1, %0\" : \"=m\"(x)"), "--backend native --invariant inv", "");
    assert!(exit == 3 && json["error"]["message"].to_string().contains("`inv`"), "{json}");
    assert_eq!(json["error"]["line"], 4, "{json}");
    assert_eq!(check(&text("\"pause\" ::: \"memory\""), "--backend native --invariant inv", "").exit, 0);
}
