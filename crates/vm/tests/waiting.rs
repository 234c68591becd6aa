//! Which operations lie in loops that may wait.

use std::io::Write;

use threadbare_vm::{Sources, load};

/// The functions of the program with such operations.
fn waiting(body: &str) -> Vec<String> {
    let mut file = tempfile::Builder::new().suffix(".c").tempfile().expect("a place to write");
    write!(
        file,
        "#include <stdatomic.h>
         static atomic_int flag, cells[8];
         static int look(int i) {{ return atomic_load(&cells[i]); }}
         int under_test(int n) {{ {body} }}
         int main(void) {{ return under_test(3) + look(0); }}"
    )
    .expect("a place to write");
    let program = load(&Sources { files: vec![file.path().into()], ..Sources::default() }).expect("it compiles");
    let own = |name: &String| name == "under_test" || name == "look";
    program.waiting_sites().into_iter().map(|(function, _)| function).filter(own).collect()
}

#[test]
fn loops_that_wait() {
    let one = ["under_test"];
    assert_eq!(waiting("while (!atomic_load(&flag)) ; return n;"), one);
    assert_eq!(waiting("do n = atomic_load(&flag); while (n == 0); return n;"), one);
    // The counter of the inner loop starts anew in every round of the outer one.
    assert_eq!(waiting("for (;;) for (int i = 0; i < n; i++) if (atomic_load(&cells[i])) return i;"), one);
    // It counts in some rounds only.
    assert_eq!(waiting("for (;;) { int now = atomic_load(&flag); if (now == 1) n++; else if (now) return n; }"), one);
    // After 256 rounds it is back.
    assert_eq!(waiting("unsigned char i = 0; while (!atomic_load(&flag)) i++; return i;"), one);
    assert_eq!(waiting("while (!look(n)) ; return n;"), ["look"]);
}

#[test]
fn loops_that_count_for_nobody_wait() {
    let one = ["under_test"];
    assert_eq!(waiting("int spins = 0; while (!atomic_load(&flag)) spins++; return n;"), one);
    assert_eq!(waiting("int a = 0; long b = 9; while (!atomic_load(&flag)) { b -= 2; a++; } return n;"), one);
    // From one to the other and back.
    assert_eq!(
        waiting("int a = 0, b = 0; while (!atomic_load(&flag)) { int c = a + 1; a = b; b = c; } return n;"),
        one
    );
    let none: [&str; 0] = [];
    assert_eq!(waiting("int spins = 0; while (!atomic_load(&flag)) spins++; return spins;"), none);
    assert_eq!(waiting("int spins = 0; while (!atomic_load(&flag)) if (++spins == n) break; return n;"), none);
    assert_eq!(waiting("int spins = 0; while (!atomic_load(&flag)) atomic_store(&cells[0], ++spins); return n;"), none);
    // The other one is read.
    assert_eq!(waiting("int a = 0, b = 0; while (!atomic_load(&flag)) { a++; b = a + 1; } return b;"), none);
}

#[test]
fn loops_that_count_do_not_wait() {
    let none: [&str; 0] = [];
    assert_eq!(waiting("for (int i = 0; i < n; i++) if (atomic_load(&cells[i])) return i; return n;"), none);
    assert_eq!(waiting("while (atomic_load(&cells[n])) n--; return n;"), none);
    assert_eq!(
        waiting("for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) n += atomic_load(&flag); return n;"),
        none
    );
    assert_eq!(waiting("for (long i = n; i > 0; i -= 2) if (!look(i)) return i; return 0;"), none);
}

#[test]
fn what_is_gone_through_once_does_not_wait() {
    let none: [&str; 0] = [];
    assert_eq!(waiting("for (int j = 0; !j; j = 1) n += atomic_load(&flag); return n;"), none);
    assert_eq!(waiting("for (int i = 0, j = 1; j; j = i) n += atomic_load(&flag); return n;"), none);
    assert_eq!(waiting("for (int j = 0; !j; j = 0) n += atomic_load(&flag); return n;"), ["under_test"]);
    assert_eq!(waiting("for (int j = 0; !j; j = atomic_load(&flag)) n = 0; return n;"), ["under_test"]);
}

/// What comes behind an effect is no part of a round, though its function may return without one.
#[test]
fn only_ways_without_an_effect_wait() {
    let mut file = tempfile::Builder::new().suffix(".c").tempfile().expect("a place to write");
    write!(
        file,
        "#include <stdatomic.h>
         static atomic_int flag, other;
         static int behind(int n) {{ if (n) return 0; atomic_fetch_add(&other, 1); return atomic_load(&flag); }}
         static int before(int n) {{ if (n) return 0; int now = atomic_load(&flag); if (now) atomic_fetch_add(&other, 1); return now; }}
         static int (*list[])(int) = {{behind, before}};
         int main(int n, char **v) {{ while (!list[n & 1](n)) ; return v == 0; }}"
    )
    .expect("a place to write");
    let program = load(&Sources { files: vec![file.path().into()], ..Sources::default() }).expect("it compiles");
    let sites = program.waiting_sites();
    let own: Vec<&str> = sites.iter().map(|(f, _)| f.as_str()).filter(|f| ["behind", "before"].contains(f)).collect();
    assert_eq!(own, ["before"]);
}
