//! What the pass makes of calls in C: each line is the body of a function, and what its first wide `nondet` may give.

use std::path::Path;

use super::*;
use crate::frontend::{self, Sources};

const HEADER: &str = "
#include <stdbool.h>
#include <stdlib.h>
#include <pthread.h>
#include <threadbare.h>
extern int __VERIFIER_nondet_int();
extern unsigned __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern long long __VERIFIER_nondet_longlong(void);
extern void __VERIFIER_assume(int);
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void use(long);
void use2(long, long);
extern int flag;
extern pthread_mutex_t m;
#define INT int x = __VERIFIER_nondet_int()
#define UINT unsigned x = __VERIFIER_nondet_uint()
#define LONG long x = __VERIFIER_nondet_long()
#define ULONG unsigned long x = __VERIFIER_nondet_ulong()
#define ASSUME __VERIFIER_assume
";

/// Body, and the interval, `any` for no bounds at all.
const TABLE: &[(&str, &str)] = &[
    // One assume.
    ("INT; ASSUME(x >= 0 && x < 10); use(x);", "0..9"),
    ("INT; ASSUME(x >= -3 && x <= 3); use(x);", "-3..3"),
    ("INT; ASSUME(0 <= x && 9 >= x); use(x);", "0..9"),
    ("INT; tb_assume(x > 0 && x < 1000); use(x);", "1..999"),
    ("INT; assume_abort_if_not(x > 3 && x <= 7); use(x);", "4..7"),
    ("INT; assume_abort_if_not(x == 0 || x == 1); use(x);", "0..1"),
    ("int x = tb_nondet_int(); tb_assume(x > 0 && x < 6); use(x);", "1..5"),
    ("INT; ASSUME(x == 42); use(x);", "42..42"),
    ("INT; ASSUME(!(x < 5) && !(x > 8)); use(x);", "5..8"),
    ("INT; ASSUME(x >= 0 && x < 10 && x != 0 && x != 4); use(x);", "1..9"),
    ("INT; ASSUME(x != 0); use(x);", "1..-1"),
    ("INT; ASSUME((x > 0) & (x < 9)); use(x);", "1..8"),
    ("INT; int ok = x > 0 && x < 9; ASSUME(ok); use(x);", "1..8"),
    ("INT; bool ok = x > 0 && x < 9; tb_assume(ok); use(x);", "1..8"),
    ("INT; ASSUME(x > 0 && x < 9 ? 1 : 0); use(x);", "1..8"),
    ("INT; ASSUME(x == 3 || x == 7); use(x);", "3..7"),
    ("INT; ASSUME((x > 0 && x < 3) || (x > 10 && x < 13)); use(x);", "1..12"),
    ("INT; ASSUME(x); use(x);", "1..-1"),
    // Other types and widths.
    ("UINT; ASSUME(x < 4); use(x);", "0..3"),
    ("UINT; ASSUME(x > 4294967290u); use(x);", "4294967291..4294967295"),
    ("UINT; ASSUME(x <= 2 || x == 4294967295u); use(x);", "4294967295..2"),
    ("LONG; ASSUME(x >= -1 && x <= 1); use(x);", "-1..1"),
    ("LONG; ASSUME(x > 5000000000 && x < 5000000010); use(x);", "5000000001..5000000009"),
    ("ULONG; ASSUME(x < 65536); use(x);", "0..65535"),
    ("unsigned long long x = __VERIFIER_nondet_ulonglong(); ASSUME(x < 5); use(x);", "0..4"),
    ("long long x = __VERIFIER_nondet_longlong(); ASSUME(x < 5 && x > 2); use(x);", "3..4"),
    // Through conversions and sums.
    ("INT; ASSUME((long)x >= 0L && (long)x < 10L); use(x);", "0..9"),
    ("INT; ASSUME((unsigned)x < 10u); use(x);", "0..9"),
    ("INT; long y = x; ASSUME(y > -2 && y < 2); use(y);", "-1..1"),
    ("UINT; ASSUME((unsigned long)x < 10); use(x);", "0..9"),
    ("INT; ASSUME(x + 5 > 0 && x + 5 < 4); use(x);", "-4..-2"),
    ("INT; ASSUME(x - 100 >= 0 && x - 100 <= 3); use(x);", "100..103"),
    ("INT; ASSUME(10 - x >= 0 && 10 - x <= 3); use(x);", "7..10"),
    ("UINT; unsigned y = x + 1; ASSUME(y >= 1 && y <= 3); use(y);", "0..2"),
    ("UINT; ASSUME(x >> 2 == 3); use(x);", "12..15"),
    ("UINT; ASSUME((x & ~7u) == 16); use(x);", "16..23"),
    // Several assumes, and other things in between.
    ("INT; ASSUME(x >= 0); ASSUME(x < 10); use(x);", "0..9"),
    ("INT; tb_assume(x >= 0); ASSUME(x < 10); assume_abort_if_not(x != 9); use(x);", "0..8"),
    ("INT; ASSUME(x >= 0); INT2; ASSUME(y > 5); ASSUME(x < y); ASSUME(x < 10); use2(x, y);", "0..9"),
    ("INT; INT2; ASSUME(y > 5); ASSUME(x > 0 && x < 4); use2(x, y);", "1..3"),
    ("INT; INT2; ASSUME(y > 5 && x > 0 && x < 4); use2(x, y);", "1..3"),
    ("INT; INT2; ASSUME(x > 0 && x < 4 && y > 5); use2(x, y);", "1..3"),
    ("INT; pthread_mutex_lock(&m); flag = 1; ASSUME(x > 0 && x < 4); use(x);", "1..3"),
    ("INT; if (flag) { ASSUME(x > 0 && x < 4); use(x); }", "1..3"),
    ("INT; if (flag) ASSUME(x > 0 && x < 4); else ASSUME(x == 9); use(x);", "1..9"),
    ("INT; for (int i = 0; i < flag; i++) use(i); ASSUME(x > 0 && x < 4); use(x);", "1..3"),
    ("for (int i = 0; i < 3; i++) { INT; ASSUME(x > 0 && x < 4); use(x); }", "1..3"),
    ("for (;;) { INT; if (flag) continue; ASSUME(x > 0 && x < 4); use(x); }", "1..3"),
    ("INT; int z = x * 3; ASSUME(x > 0 && x < 4); use(z);", "1..3"),
    // What nobody uses needs no bounds; what no value fulfils neither.
    ("INT; (void)x;", "0..0"),
    ("INT; ASSUME(x > 3 && x < 2); use(x);", "0..0"),
    // Too late, too little, too complicated.
    ("INT; use(x);", "any"),
    ("INT; use(x); ASSUME(x > 0 && x < 9);", "any"),
    ("INT; flag = x; ASSUME(x > 0 && x < 9); use(x);", "any"),
    ("INT; if (x > 5) use(1); ASSUME(x > 0 && x < 9); use(x);", "1..2147483647"),
    ("INT; if (x > 5) use(1); else use(2); ASSUME(x > 0 && x < 9); use(x);", "any"),
    ("INT; if (flag) ASSUME(x > 0 && x < 9); use(x);", "any"),
    ("INT; ASSUME(x > 0 && x < flag); use(x);", "1..2147483647"),
    ("INT; ASSUME(x > 0); flag = 1; ASSUME(x < 9); use(x);", "1..2147483647"),
    ("INT; ASSUME(x >= 0 && x <= 65536); use(x);", "0..65536"),
    ("INT; ASSUME(x < 10); use(x);", "-2147483648..9"),
    ("INT; ASSUME(x * x < 10); use(x);", "any"),
    ("INT; ASSUME(x > 0 || flag); use(x);", "any"),
    ("INT; ASSUME(8 / x > 3); use(x);", "any"),
    ("INT; int old = 0; for (;;) { use(old); INT2; old = y; if (flag) { ASSUME(x > 0 && x < 4); use(x); } }", "1..3"),
    ("int old = 0; for (;;) { use(old); INT; old = x; if (flag) { ASSUME(x > 0 && x < 4); use(x); } }", "any"),
];

/// Locals that the compiler keeps in memory, and what only the plain code shows.
const AT_LEVEL_0: &[(&str, &str)] = &[
    ("INT; ASSUME((char)x == 3); use(x);", "any"),
    ("INT; int *p = &x; use(*p); ASSUME(x > 0 && x < 9); use(x);", "any"),
    ("INT; int *p = &x; ASSUME(x > 0 && x < 9); use(*p);", "any"),
    ("volatile INT; ASSUME(x > 0 && x < 9); use(x);", "any"),
];

fn bounds(table: &[(&str, &str)], optimisation: u8) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("table.c");
    let mut text = HEADER.to_string() + "#define INT2 int y = __VERIFIER_nondet_int()\n";
    for (i, (body, _)) in table.iter().enumerate() {
        text += &format!("void f{i}(void) {{ {body} }}\n");
    }
    text += "int main(void) { return 0; }\n";
    std::fs::write(&file, text).expect("a place to write");
    let mut linked = load(&file, optimisation);
    let aborting = take_aborts_for_assumes(&mut linked);
    assert_eq!(aborting.len(), 1);
    let places = bounded_calls(&linked, &aborting);
    (0..table.len())
        .map(|i| {
            let of_function = |place: &&Place| linked.modules[0].functions[place.f].name == format!("f{i}");
            let Some(place) = places.iter().find(of_function) else { return "none".into() };
            let Interval { start, count } = place.interval;
            if count == 1 << place.bits {
                return "any".into();
            }
            let last = start.wrapping_add((count - 1) as u64) & highest(place.bits);
            let write = |value| written(&place.name, value, place.bits);
            format!("{}..{}", write(start), write(last))
        })
        .collect()
}

fn load(file: &Path, optimisation: u8) -> Linked {
    let sources =
        Sources { files: vec![file.into()], optimisation, clang_flags: vec!["-w".into()], ..Sources::default() };
    frontend::load(&sources).expect("C that compiles")
}

fn compare(table: &[(&str, &str)], levels: &[u8]) {
    let mut wrong = String::new();
    for &level in levels {
        for ((body, expected), found) in table.iter().zip(bounds(table, level)) {
            if found != *expected {
                wrong += &format!("-O{level}: {body}\n    {found} instead of {expected}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn intervals_follow_from_assumes() {
    compare(TABLE, &[0, 1, 2, 3]);
}

#[test]
fn variables_in_memory_have_no_bounds() {
    compare(AT_LEVEL_0, &[0]);
}

/// Only a body that is exactly `if (!condition) abort();` makes an `assume` of the program's own function.
#[test]
fn what_aborts_and_more_is_no_assume() {
    for (definition, taken) in [
        ("void assume_abort_if_not(int cond) { if (!cond) abort(); }", true),
        ("void assume_abort_if_not(_Bool cond) { if (!cond) { abort(); } }", true),
        ("void assume_abort_if_not(long cond) { if (cond == 0) abort(); else return; }", true),
        ("static void assume_abort_if_not(int cond) { if (!cond) abort(); }", true),
        ("void assume_abort_if_not(int cond) { if (cond) abort(); }", false),
        ("void assume_abort_if_not(int cond) { if (cond < 0) abort(); }", false),
        ("void assume_abort_if_not(int cond) { if (!cond) exit(1); }", false),
        ("int n; void assume_abort_if_not(int cond) { n++; if (!cond) abort(); }", false),
        ("int n; void assume_abort_if_not(int cond) { if (!cond) { n++; abort(); } }", false),
        ("void assume_abort_if_not(int cond);", false),
        ("void abort(void) { for (;;); } void assume_abort_if_not(int cond) { if (!cond) abort(); }", false),
        ("void assume(int cond) { if (!cond) abort(); } void assume_abort_if_not(int cond) { assume(cond); }", false),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("definition.c");
        let text = format!(
            "_Noreturn void exit(int); void abort(void) __attribute__((noreturn)); {definition}
             int main(int n, char **names) {{ assume_abort_if_not(n); return 0; }}"
        );
        std::fs::write(&file, text).expect("a place to write");
        let found = take_aborts_for_assumes(&mut load(&file, 0));
        assert_eq!(!found.is_empty(), taken, "{definition}");
    }
}
