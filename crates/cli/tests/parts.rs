//! The assignment of a structure is no single step where others can see it, on both machines.

use std::path::Path;

use common::Check;

mod common;

/// Exit code, verdict and executions on both machines, and what is said.
fn both(text: &str, options: &str) -> (i32, String, u64, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.c");
    std::fs::write(&file, text).expect("room");
    let answer = |backend: &str| {
        let Check { json, exit } = Check::run(Path::new(&file), &format!("--backend {backend} {options}"), "");
        let words = format!("{} {}", json["bugs"][0]["message"], json["error"]["message"]);
        (exit, json["verdict"].to_string(), json["executions"].as_u64().unwrap_or(0), words)
    };
    let [vm, native] = ["vm", "native"].map(answer);
    assert_eq!(vm, native, "{options}:\n{text}");
    vm
}

fn program(shared: &str, write: &str, read: &str) -> String {
    format!(
        "#include <assert.h>
#include <pthread.h>
#include <string.h>
struct pair {{ int a, b; }};
struct large {{ char bytes[1000]; }};
{shared}
static void *writer(void *unused) {{ {write} return unused; }}
static void *reader(void *unused) {{ {read} return unused; }}
int main(void)
{{
    pthread_t t[2];
    pthread_create(&t[0], 0, writer, 0);
    pthread_create(&t[1], 0, reader, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}}
"
    )
}

#[test]
fn a_structure_is_assigned_and_read_word_by_word_where_every_access_is_a_step() {
    let write = "struct pair n = {1, 1}; g = n;";
    for (read, verdict) in [
        // The lower word is written first and read first: all four outcomes come up, one of them with a < b.
        ("struct pair l = g; assert(l.a == l.b);", "\"violated\""),
        ("struct pair l = g; assert(l.a >= l.b);", "\"violated\""),
        ("struct pair l = g; assert(l.a == 0 || l.a == 1);", "\"proved\""),
    ] {
        let (_, found, executions, _) =
            both(&program("static struct pair g;", write, read), "--races allow --strategy optimal");
        assert_eq!(found, verdict, "{read}");
        assert!(verdict != "\"proved\"" || executions == 4, "{executions}");
    }
}

#[test]
fn memcpy_memmove_and_memset_of_shared_memory_are_steps_of_a_word() {
    for (write, read) in [
        ("memset(g, 1, sizeof g);", "int l[2]; memcpy(l, g, sizeof g); assert(l[0] == l[1]);"),
        ("g[0] = 1; g[1] = 1;", "int l[2]; memmove(l, g, sizeof g); assert(l[0] >= l[1]);"),
        ("int n[2] = {1, 1}; memcpy(g, n, sizeof n);", "int first = g[0], second = g[1]; assert(first >= second);"),
    ] {
        // Behind a word that keeps them at an address that is a multiple of 4 alone.
        let shared = "static struct { int pad; int g[2]; } s;\n#define g s.g";
        let (_, verdict, ..) = both(&program(shared, write, read), "--races allow --strategy optimal");
        assert_eq!(verdict, "\"violated\"", "{write} {read}");
    }
}

#[test]
fn a_volatile_structure_is_assigned_word_by_word() {
    let text = program(
        "static volatile struct pair g;",
        "struct pair n = {1, 1}; g = n;",
        "struct pair l = g; assert(l.a == l.b);",
    );
    assert_eq!(both(&text, "--strategy optimal").1, "\"violated\"");
}

#[test]
fn a_long_copy_is_refused_where_somebody_comes_in_between_and_only_there() {
    let (write, read) = ("memset(&g, 1, sizeof g);", "struct large l = g; assert(l.bytes[0] == l.bytes[9]);");
    let (exit, _, _, words) = both(&program("static struct large g;", write, read), "--races allow");
    assert!(exit == 3 && words.contains("long copies, are not interleaved"), "{exit}: {words}");
    let locked = |what: &str| format!("pthread_mutex_lock(&m); {what} pthread_mutex_unlock(&m);");
    let shared = "static struct large g; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
    let ordered = program(shared, &locked(write), &locked(read));
    assert_eq!(both(&ordered, "--races allow --strategy optimal").1, "\"proved\"");
    let (exit, _, _, words) =
        both(&program("static volatile struct large g, h;", "g = h;", "h = g;"), "--strategy optimal");
    assert!(exit == 3 && words.contains("a volatile copy of more than 64 words"), "{exit}: {words}");
}

#[test]
fn an_invariant_sees_a_long_copy_where_every_access_is_a_step() {
    let shared = "static struct large g; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int same(void) { return g.bytes[0] == g.bytes[999]; }
int untouched(void) { return g.bytes[0] == 0; }";
    let write = "pthread_mutex_lock(&m); memset(&g, 1, sizeof g); memset(&g, 0, sizeof g); pthread_mutex_unlock(&m);";
    let text = program(shared, write, "");
    assert_eq!(both(&text, "--races allow --strategy optimal --invariant same").1, "\"proved\"");
    assert_eq!(both(&text, "--races allow --strategy optimal --invariant untouched").1, "\"violated\"");
}

/// A vector of so many bytes, set by one thread and looked at by the other.
fn vectors(ty: &str, bytes: u32, qualifier: &str) -> String {
    let shared = format!("typedef {ty} vec __attribute__((vector_size({bytes})));\nstatic {qualifier} vec v;");
    let last = format!("{bytes} / sizeof({ty}) - 1");
    program(&shared, "vec n = {0}; n += 1; v = n;", &format!("vec w = v; assert(w[0] == w[{last}]);"))
}

#[test]
fn a_vector_that_others_see_is_moved_element_by_element() {
    for (ty, bytes) in [("int", 8), ("int", 16), ("int", 32), ("long", 16), ("short", 4), ("double", 32), ("float", 64)]
    {
        assert_eq!(both(&vectors(ty, bytes, "volatile"), "--strategy optimal").1, "\"violated\"", "{ty} {bytes}");
        let (_, verdict, ..) = both(&vectors(ty, bytes, ""), "--races allow --strategy optimal");
        assert_eq!(verdict, "\"violated\"", "{ty} {bytes}");
    }
    // Four elements, each before or behind the other access to it.
    let (write, read) = ("vec n = {1, 1, 1, 1}; v = n;", "vec w = v; assert(w[2] == 0 || w[2] == 1);");
    let shared = "typedef int vec __attribute__((vector_size(16))); static volatile vec v;";
    let (_, verdict, executions, _) = both(&program(shared, write, read), "--strategy optimal");
    assert_eq!((verdict.as_str(), executions), ("\"proved\"", 16));
    let (_, verdict, executions, _) =
        both(&program(&shared.replace("volatile ", ""), write, read), "--races allow --strategy optimal");
    assert_eq!((verdict.as_str(), executions), ("\"proved\"", 16));
}

#[test]
fn an_invariant_sees_a_vector_between_its_elements() {
    let shared = "typedef int vec __attribute__((vector_size(16))); static vec v;
int same(void) { return v[0] == v[3]; }";
    let text = program(shared, "vec n = {1, 1, 1, 1}; v = n;", "");
    assert_eq!(both(&text, "--strategy optimal --invariant same").1, "\"violated\"");
}

#[test]
fn a_wide_integer_that_others_see_is_moved_word_by_word() {
    for (bits, executions) in [(128, 2), (200, 16), (215, 16), (256, 16)] {
        let shared = format!("static volatile _BitInt({bits}) v;");
        let (write, read) = (format!("_BitInt({bits}) n = -1; v = n;"), format!("_BitInt({bits}) w = v; (void)w;"));
        let (_, verdict, found, _) = both(&program(&shared, &write, &read), "--strategy optimal");
        assert_eq!((verdict.as_str(), found), ("\"proved\"", executions), "{bits}");
        let read = format!("_BitInt({bits}) w = v; assert(w == 0 || w == -1);");
        let expected = if bits == 128 { "\"proved\"" } else { "\"violated\"" };
        assert_eq!(both(&program(&shared, &write, &read), "--strategy optimal").1, expected, "{bits}");
    }
}
