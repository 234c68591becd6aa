//! States that are matched by less than all of them: `--ignore` and `--abstraction`. What that finds, what it may claim, and what is
//! refused.

mod common;

use std::path::Path;

use common::{Check, root};

fn check(program: &str, options: &str) -> Check {
    Check::run(&Path::new("programs/matching").join(program), options, "")
}

fn verdict(check: &Check) -> (&str, i32) {
    (check.json["verdict"].as_str().expect("a verdict"), check.exit)
}

fn states(check: &Check) -> u64 {
    check.json["states"].as_u64().expect("states are stored")
}

fn rests_on(check: &Check, words: &str) -> bool {
    let all = check.json["assumptions"].as_array().expect("a list");
    all.iter().any(|assumption| assumption.as_str().is_some_and(|text| text.contains(words)))
}

fn with_source(source: &str, options: &str) -> Check {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.c");
    std::fs::write(&file, source).expect("a place to write");
    Check::run(&file, options, "")
}

fn message(check: &Check) -> &str {
    check.json["error"]["message"].as_str().unwrap_or_else(|| panic!("no complaint in {}", check.json))
}

/// With the counter every state is a new one; without, there are a handful.
#[test]
fn what_is_ignored_makes_no_state_a_new_one() {
    let with = check("statistics.c", "--strategy graph --time-limit 1");
    assert_eq!(verdict(&with), ("unknown", 4));
    assert!(states(&with) > 1_000);
    for strategy in ["graph", "stateful"] {
        for name in ["stats.served", "stats", "statistics.c:stats.served"] {
            let without = check("statistics.c", &format!("--strategy {strategy} --ignore {name}"));
            assert_eq!(verdict(&without), ("bounded", 4), "{strategy} {name}");
            assert!(states(&without) < 20, "{strategy} {name}");
            let bound = without.json["bound"].as_str().expect("it is bounded");
            assert!(bound.contains(&format!("the states that differ only in `{name}` one each")), "{bound}");
        }
    }
}

/// Only who says that it is right gets a proof, which says what it rests on.
#[test]
fn a_proof_is_for_those_who_answer_for_it() {
    for (program, options) in [("statistics.c", "--ignore stats.served"), ("ring.c", "--abstraction what_matters")] {
        let without = check(program, options);
        assert_eq!(verdict(&without), ("bounded", 4), "{program}");
        assert!(rests_on(&without, "count as one"), "{}", without.json["assumptions"]);
        let with = check(program, &format!("{options} --abstraction-sound"));
        assert_eq!(verdict(&with), ("proved", 0), "{program}");
        assert!(rests_on(&with, "go on alike (--abstraction-sound)"), "{}", with.json["assumptions"]);
        assert_eq!(states(&with), states(&without), "{program}");
    }
    // What orders two accesses is forgotten by this one: that is another reason.
    let sound = check("statistics.c", "--strategy stateful --ignore stats.served --abstraction-sound");
    assert_eq!(verdict(&sound), ("bounded", 4));
}

/// What is found is real, and replays. What is missed is not called proved.
#[test]
fn bugs_are_real_and_what_is_missed_is_not_ruled_out() {
    let rows = [
        ("statistics.c", "--ignore stats.served -D BROKEN=1", "violated"),
        ("statistics.c", "--ignore stats.busy -D BROKEN=3", "violated"),
        ("statistics.c", "--ignore stats.served -D BROKEN=9", "bounded"),
        ("ring.c", "--abstraction what_matters -D LIMIT=3", "violated"),
        ("ring.c", "--abstraction what_matters -D LIMIT=3 -D TOO_MUCH", "bounded"),
        ("ring.c", "--strategy stateful --abstraction what_matters -D LIMIT=3", "violated"),
    ];
    for (program, options, expected) in rows {
        assert_eq!(verdict(&check(program, options)).0, expected, "{program} {options}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("ring.json");
    check("ring.c", &format!("--abstraction what_matters -D LIMIT=3 --trace {}", trace.display()));
    let mut replay = std::process::Command::new(env!("CARGO_BIN_EXE_threadbare"));
    let replay = replay.current_dir(root()).arg("replay").arg(trace).args(["--format", "json"]).output();
    let replay = replay.expect("threadbare starts");
    let found: serde_json::Value = serde_json::from_slice(&replay.stdout).expect("one object");
    assert_eq!((replay.status.code(), &found["bugs"][0]["kind"]), (Some(1), &"assertion".into()), "{found}");
}

/// Without a strategy, one that can is taken.
#[test]
fn the_strategy_is_one_that_stores_states() {
    let strategy = |options: &str| {
        let check = check("statistics.c", &format!("--ignore stats.served {options}"));
        check.json["strategy"].as_str().map(String::from)
    };
    assert_eq!(strategy("").as_deref(), Some("graph"));
    assert_eq!(strategy("--strategy auto").as_deref(), Some("graph"));
    assert_eq!(strategy("--context-bound 2").as_deref(), Some("stateful"));
}

/// Parts of structs, of arrays and of bit-fields; a member of an array is that of each element.
#[test]
fn parts_of_variables_are_ignored() {
    let source = "#include <pthread.h>
struct part { char name; struct { long hits; }; unsigned a : 3, b : 5; };
static struct { int other; struct part parts[2][3]; } all;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
    for (;;) {
        pthread_mutex_lock(&m);
        CHANGE
        pthread_mutex_unlock(&m);
    }
}
";
    let change = |what: &str, ignored: &str| {
        let source = source.replace("CHANGE", what);
        verdict(&with_source(&source, &format!("--time-limit 1 {ignored}"))).0.to_string()
    };
    let hits = "all.parts[1][2].hits++; all.parts[0][1].hits += 2;";
    assert_eq!(change(hits, "--ignore all.parts.hits --abstraction-sound"), "proved");
    assert_eq!(change(hits, "--ignore all.parts[1][2].hits --ignore all.parts[0].hits --abstraction-sound"), "proved");
    assert_eq!(change(hits, "--ignore all.parts[1].hits --abstraction-sound"), "unknown");
    assert_eq!(change(hits, "--ignore all.parts.name --abstraction-sound"), "unknown");
    assert_eq!(change("all.other++;", "--ignore all.parts --abstraction-sound"), "unknown");
    let in_bits = "all.parts[0][0].a++; all.parts[0][0].b++;";
    let count = |ignored: &str| {
        let source = source.replace("CHANGE", in_bits);
        states(&with_source(&source, &format!("--strategy graph {ignored}")))
    };
    let (all, without_a, without_b) = (count(""), count("--ignore all.parts.a"), count("--ignore all.parts.b"));
    // One counts to 8, the other to 32: both together take as long as the longer one.
    assert_eq!(all, without_a);
    assert!(4 * without_b <= all + 8, "{without_b} of {all}");
}

#[test]
fn names_that_mean_nothing_are_refused_with_near_ones() {
    let rows = [
        ("statistics.c", "--ignore stat", 2, "no global variable `stat`, or does not use it; did you mean `stats`?"),
        ("statistics.c", "--ignore stats.serve", 2, "`stats` has no member `serve`; did you mean `served`?"),
        ("statistics.c", "--ignore stats[1]", 2, "`stats` is no array: it has no [1]"),
        ("statistics.c", "--ignore stats.served.x", 2, "`stats.served` has no members"),
        ("statistics.c", "--ignore other.c:stats", 2, "no global variable `other.c:stats`"),
        ("ring.c", "--abstraction what_matter", 2, "no function `what_matter` that could be an abstraction"),
        ("ring.c", "--abstraction what_matter", 2, "did you mean `what_matters`?"),
        ("ring.c", "--abstraction put", 2, "the abstraction `put` is no function"),
        ("ring.c", "--abstraction produce", 2, "the abstraction `produce` has to be `void produce(void)`"),
        ("ring.c", "--abstraction what_matters --ignore put", 2, "do not go together"),
        ("ring.c", "--abstraction-sound", 2, "is about --abstraction or --ignore: there is neither"),
        ("ring.c", "--ignore put --strategy dpor", 2, "`dpor` does not go with --ignore: it stores no states"),
        ("ring.c", "--ignore put --strategy stateful+sleep", 2, "graph and stateful do"),
        ("ring.c", "--abstraction what_matters --strategy optimal", 2, "`optimal` does not go with --abstraction"),
        ("ring.c", "--ignore put --ltl 'G {put < 3}'", 2, "--ignore does not go with --ltl"),
        ("ring.c", "--ignore put --jobs 1 --ltl 'G {put < 3}'", 2, "--ignore does not go with --ltl"),
        ("../models/counter.tb", "--ignore count", 2, "--ignore has no meaning for a model"),
    ];
    for (program, options, code, words) in rows {
        let check = check(program, options);
        assert_eq!(check.exit, code, "{program} {options}: {}", check.json);
        assert!(message(&check).contains(words), "{program} {options}: {}", message(&check));
    }
}

#[test]
fn some_variables_cannot_be_ignored() {
    let source = "static int *p; _Thread_local int own; static int f(void) { static int n; return n++; }
static int g(void) { static int n; return n++; }
int main(void) { own++; return p == 0 ? f() + g() : 1; }
";
    for (name, words) in [
        ("own", "`own` is thread-local"),
        ("p.x", "`p` is a pointer"),
        ("n", "`n` may be any of 2 variables"),
        ("main", "no global variable `main`"),
    ] {
        let check = with_source(source, &format!("--ignore {name}"));
        assert_eq!(check.exit, 2, "{name}: {}", check.json);
        assert!(message(&check).contains(words), "{name}: {}", message(&check));
    }
}

/// An abstraction is evaluated in every state, and may only look.
#[test]
fn an_abstraction_only_looks_and_never_fails() {
    let source = "#include <pthread.h>
#include <stdlib.h>
#include <threadbare.h>
struct node { int value; struct node *next; };
static struct node *list;
static int n;
static pthread_mutex_t m;
static void careless(void) { tb_abstract(&list->value, sizeof list->value); }
static void careful(void) { for (struct node *p = list; p; p = p->next) tb_abstract(&p->value, sizeof p->value); }
static void too_long(void) { tb_abstract(&n, 8); }
static void writes(void) { n++; }
static void locks(void) { pthread_mutex_lock(&m); }
static void nothing(void) {}
int main(void) {
    list = malloc(sizeof *list);
    list->value = 1;
    list->next = 0;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    n++;
    tb_abstract(&n, 1000);
    return 0;
}
";
    for (name, words) in [
        ("careless", "null"),
        ("careless", "when the abstraction `careless` is evaluated, as it is in every state"),
        ("too_long", "when the abstraction `too_long` is evaluated"),
        ("writes", "the abstraction `writes` may only look: it writes to `n`"),
        ("locks", "the abstraction `locks` may only look"),
    ] {
        let check = with_source(source, &format!("--abstraction {name}"));
        assert_eq!(check.exit, 3, "{name}: {}", check.json);
        assert!(message(&check).contains(words), "{name}: {}", message(&check));
        assert!(check.json["error"]["line"].as_u64() > Some(7), "{}", check.json);
    }
    // Of where threads stand alone something can be seen, too; elsewhere tb_abstract does nothing.
    for name in ["careful", "nothing"] {
        assert_eq!(with_source(source, &format!("--abstraction {name}")).json["verdict"], "bounded", "{name}");
    }
    assert_eq!(with_source(source, "").json["verdict"], "proved");
}

/// A thread that stays blocked among states that only match is none of the program.
#[test]
fn nobody_is_left_behind_by_matching() {
    let source = "#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint rounds;
static void *waits(void *u) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return u; }
int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, waits, 0);
    for (;;)
        if (++rounds == 3)
            pthread_mutex_unlock(&m);
}
";
    let check = with_source(source, "--ignore rounds");
    assert!(!check.json["bound"].as_str().expect("it is bounded").contains("waits for ever"), "{}", check.json);
}

/// Models whose threads do the same: as proved as without, and a bug is as real.
#[test]
fn threads_that_do_the_same_are_not_told_apart() {
    let without = check("turnstile.tb", "--strategy stateful");
    let with = check("turnstile.tb", "--symmetry");
    assert_eq!((verdict(&without), verdict(&with)), (("proved", 0), ("proved", 0)));
    assert!(rests_on(&with, "not told apart: visitor[0], visitor[1],"), "{}", with.json["assumptions"]);
    assert!(25 * states(&with) < states(&without), "{} of {}", states(&with), states(&without));
    for careless in [1, 2] {
        let found = check("turnstile.tb", &format!("--symmetry -D N=3 -D CARELESS={careless}"));
        assert_eq!((verdict(&found), &found.json["bugs"][0]["kind"]), (("violated", 1), &"assertion".into()));
    }
    assert!(rests_on(&check("../models/peterson.tb", "--symmetry"), "no two threads do the same"));
}

#[test]
fn symmetry_is_refused_where_it_is_not_known_to_be_right() {
    for (program, options, words) in [
        (
            "ring.c",
            "--symmetry --strategy stateful",
            "not for stateful: what it leaves out would have to change places",
        ),
        (
            "turnstile.tb",
            "--symmetry --strategy graph",
            "not for graph: what it leaves out would have to change places",
        ),
        ("turnstile.tb", "--symmetry --strategy optimal", "not for optimal"),
        ("turnstile.tb", "--symmetry --strategy stateful --superstep", "not for --superstep"),
        ("turnstile.tb", "--symmetry --context-bound 2", "not for --context-bound"),
        ("turnstile.tb", "--symmetry --depth-bound 20", "not for --depth-bound"),
        ("turnstile.tb", "--symmetry --ltl 'F {!passed == N}'", "--symmetry does not go with --ltl"),
    ] {
        let check = check(program, options);
        assert_eq!(check.exit, 2, "{program} {options}: {}", check.json);
        assert!(message(&check).contains(words), "{program} {options}: {}", message(&check));
    }
}
