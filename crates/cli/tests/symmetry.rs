//! `graph` with threads that are not told apart, on C programs: against searches that tell them apart, on random programs with
//! threads that do the same, on such in which something shows who is who, and against theory. `TB_FUZZ_C_CASES` and
//! `TB_FUZZ_SEED` choose how many random programs and which.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;
use std::sync::Arc;

use serde_json::Value;
use threadbare_core::{Ending, Machine, Random};
use threadbare_explore::{End, Flow, Path as Way, Search, Settings, Strategy, Totals};
use threadbare_vm::{Console, Program, Setup, Sources, VmMachine};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn load(text: &str, every_access: bool) -> Arc<Program> {
    let folder = tempfile::tempdir().expect("a place to write");
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).expect("a place to write");
    let sources = Sources {
        files: vec![file],
        clang_flags: vec!["-w".into()],
        every_access,
        exploring: true,
        ..Sources::default()
    };
    Arc::new(threadbare_vm::load(&sources).unwrap_or_else(|error| panic!("{error:?}\n{text}")))
}

/// What a search finds: the values of variables at the ends of executions, who waits for ever, and errors.
struct Found {
    program: Arc<Program>,
    ends: BTreeSet<String>,
    executions: u64,
    most: u64,
}

const VARIABLES: [&str; 4] = ["x", "y", "d", "e"];

impl Search<VmMachine> for Found {
    fn end(&mut self, machine: &mut VmMachine, _: &Way, end: End) -> Flow {
        if machine.symmetry().is_some_and(|symmetry| symmetry.is_err()) {
            return Flow::Stop;
        }
        let how = match &end {
            End::Redundant => return Flow::Continue,
            End::Error => {
                let Some(Ending::Error(fault)) = machine.ending() else { unreachable!("an error") };
                let at = fault.stack.iter().find(|at| !self.program.is_library(at.function));
                let line = at.map_or(0, |&at| self.program.source_of(at)[0].line);
                // Of a race, either of two lines comes last.
                let line = if fault.kind.name() == "data-race" { 0 } else { line };
                self.ends.insert(format!("{} in line {line}", fault.kind.name()));
                return Flow::Continue;
            }
            End::Stuck(stuck) if stuck.spinning.is_empty() => "stuck",
            End::Stuck(_) => "goes round",
            End::Cut => "cut",
            End::Complete | End::Exit(..) => "done",
            End::Bound => panic!("a bound"),
        };
        let mut text = how.to_string();
        for name in VARIABLES {
            let value = self.program.global(name).map(|at| machine.memory().load::<4>(at).expect("a global").0);
            write!(text, " {name}={value:?}").expect("a string");
        }
        self.ends.insert(text);
        self.executions += 1;
        if self.executions > self.most { Flow::Stop } else { Flow::Continue }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Threads {
    Alike,
    ToldApart,
}

struct Result {
    ends: BTreeSet<String>,
    totals: Totals,
    /// Why threads were told apart, if that was not asked for.
    why: Option<&'static str>,
}

fn search(program: &Arc<Program>, strategy: Strategy, threads: Threads, every_access: bool) -> Result {
    let needs = strategy.needs();
    let symmetry = threads == Threads::Alike;
    let setup = Setup {
        fingerprints: needs.fingerprints || symmetry,
        order_in_state: (needs.order || symmetry) && !every_access,
        merge_idle: true,
        merge_threads: true,
        races: true,
        races_of_library: every_access,
        by_heart: true,
        symmetry,
        arguments: vec!["program".into()],
        ..Setup::default()
    };
    let console = Console::Kept { input: Vec::new() };
    let mut machine = VmMachine::new(program.clone(), &setup, console).expect("memory for the machine");
    if symmetry {
        machine.look_for_twins();
    }
    let most = if strategy == Strategy::Optimal { 4_000 } else { u64::MAX };
    let mut found = Found { program: program.clone(), ends: BTreeSet::new(), executions: 0, most };
    let totals = strategy.run(&mut machine, &Settings::default(), &mut found);
    Result { ends: found.ends, totals, why: machine.symmetry().and_then(std::result::Result::err) }
}

const HEAD: &str = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
                    #include <threadbare.h>\n\
                    _Atomic int x, y;\nint d, e;\n\
                    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;\n\
                    pthread_cond_t c = PTHREAD_COND_INITIALIZER;\npthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\n\
                    pthread_spinlock_t p;\nsem_t s;\npthread_barrier_t b;\n";

fn statement(random: &mut Random, depth: u32) -> String {
    let k = random.below(4);
    let v = ["x", "y"][random.below(2)];
    let inner = |random: &mut Random| {
        let count = if depth == 0 { 0 } else { random.below(2) };
        (0..count).map(|_| statement(random, depth - 1)).collect::<String>()
    };
    match random.below(26) {
        0 => format!("    r = atomic_load(&{v});\n"),
        1 => format!("    atomic_store(&{v}, r + {k});\n"),
        2 | 3 => format!("    r = atomic_fetch_add(&{v}, 1);\n"),
        4 => format!("    r = atomic_exchange(&{v}, {k});\n"),
        5 | 6 => format!("    pthread_mutex_lock(&m); d += r + 1; {}pthread_mutex_unlock(&m);\n", inner(random)),
        7 => format!("    pthread_mutex_lock(&m); {}pthread_mutex_unlock(&m);\n", inner(random)),
        8 => format!("    pthread_mutex_lock(&n); {}pthread_mutex_unlock(&n);\n", inner(random)),
        9 => "    if (pthread_mutex_trylock(&m) == 0) { d++; pthread_mutex_unlock(&m); } else r = 7;\n".into(),
        10 => format!(
            "    pthread_mutex_lock(&m); if (d < {k}) pthread_cond_wait(&c, &m); d++; pthread_mutex_unlock(&m);\n"
        ),
        11 => "    pthread_cond_signal(&c);\n".into(),
        12 => "    pthread_cond_broadcast(&c);\n".into(),
        13 => "    sem_wait(&s);\n".into(),
        14 => "    sem_post(&s);\n".into(),
        15 => "    pthread_rwlock_rdlock(&l); r += e; pthread_rwlock_unlock(&l);\n".into(),
        16 => "    pthread_rwlock_wrlock(&l); e++; pthread_rwlock_unlock(&l);\n".into(),
        17 | 18 => format!("    if (r == {k}) {{\n{}    }}\n", inner(random)),
        19 => format!("    tb_assert(r != {});\n", k + 1),
        20 => "    r = (int)tb_choose(0, 1);\n".into(),
        21 => format!("    tb_assume(r != {});\n", k + 1),
        22 => "    pthread_spin_lock(&p); r++; e += r; pthread_spin_unlock(&p);\n".into(),
        23 if random.below(3) == 0 => "    pthread_barrier_wait(&b);\n".into(),
        24 if random.below(4) == 0 => {
            ["    d++;\n", "    pthread_mutex_lock(&m);\n", "    if (r) pthread_rwlock_rdlock(&l);\n"][random.below(3)]
                .into()
        }
        25 => format!("    while (atomic_load(&{v}) == {k}) ;\n"),
        _ => format!("    {{ int old = {k}; r = atomic_compare_exchange_strong(&{v}, &old, r + 2); }}\n"),
    }
}

/// Two to four threads of one or two kinds, and what the main thread does meanwhile.
fn random_program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = HEAD.to_string();
    let kinds = 1 + random.below(2);
    for kind in 0..kinds {
        let body: String = (0..1 + random.below(4)).map(|_| statement(&mut random, 2)).collect();
        let first = if random.below(6) == 0 { "(int)(long)argument" } else { "0" };
        write!(text, "static void *work{kind}(void *argument) {{\n    int r = {first};\n{body}    return 0;\n}}\n")
            .expect("a string");
    }
    let threads = 2 + random.below(3);
    writeln!(text, "int main(void) {{\n    pthread_t t[{threads}];\n    int r = 0;\n    pthread_spin_init(&p, 0);")
        .expect("a string");
    writeln!(text, "    sem_init(&s, 0, {});\n    pthread_barrier_init(&b, 0, 2);", random.below(2)).expect("a string");
    let by_argument = random.below(8) == 0;
    for i in 0..threads {
        let argument = if by_argument { i / 2 } else { 0 };
        writeln!(text, "    pthread_create(&t[{i}], 0, work{}, (void *){argument});", random.below(kinds))
            .expect("a string");
        if random.below(12) == 0 {
            text += &statement(&mut random, 1);
        }
    }
    if random.below(3) == 0 {
        text += &statement(&mut random, 1);
    }
    match random.below(8) {
        0 => writeln!(text, "    for (int i = {threads} - 1; i >= 0; i--) pthread_join(t[i], 0);"),
        1 => (0..threads).try_for_each(|i| writeln!(text, "    pthread_join(t[{i}], 0);")),
        2 => (0..threads).try_for_each(|i| {
            let between = if random.below(2) == 0 { statement(&mut random, 0) } else { String::new() };
            writeln!(text, "    pthread_join(t[{i}], 0);\n{between}")
        }),
        3 => Ok(()),
        _ => writeln!(text, "    for (int i = 0; i < {threads}; i++) pthread_join(t[i], 0);"),
    }
    .expect("a string");
    text + "    return 0;\n}\n"
}

/// Whether both have found the same. Races are found in one order of two accesses or the other, and what comes after them is
/// anything.
fn agree(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    let racy = |ends: &BTreeSet<String>| ends.iter().any(|end| end.starts_with("data-race"));
    if racy(a) || racy(b) { racy(a) && racy(b) } else { a == b }
}

#[test]
fn nothing_is_lost_but_which_thread_it_was() {
    let (cases, mut seed) = (setting("TB_FUZZ_C_CASES", 40), setting("TB_FUZZ_SEED", 0));
    let (mut compared, mut fewer, mut before, mut after) = (0, 0, 0, 0);
    let mut reasons = std::collections::BTreeMap::new();
    while compared < cases {
        seed += 1;
        let text = random_program(seed);
        let every_access = seed.is_multiple_of(5);
        let program = load(&text, every_access);
        let with = search(&program, Strategy::Graph, Threads::Alike, every_access);
        if let Some(why) = with.why {
            *reasons.entry(why).or_insert(0) += 1;
            continue;
        }
        let without = search(&program, Strategy::Graph, Threads::ToldApart, every_access);
        let oracle = search(&program, Strategy::Optimal, Threads::ToldApart, every_access);
        let what = || format!("seed {seed}\n{text}");
        assert!(with.totals.complete && without.totals.complete, "{}", what());
        assert!(agree(&with.ends, &without.ends), "{:#?}\nwithout symmetry {:#?}\n{}", with.ends, without.ends, what());
        if oracle.totals.complete {
            assert!(agree(&with.ends, &oracle.ends), "{:#?}\noptimal {:#?}\n{}", with.ends, oracle.ends, what());
        }
        let states = |result: &Result| result.totals.states.expect("stored");
        (compared, before, after) = (compared + 1, before + states(&without), after + states(&with));
        fewer += usize::from(states(&with) < states(&without));
    }
    println!(
        "{compared} programs up to seed {seed}, {fewer} with fewer states: {before} without, {after} with symmetry; {reasons:#?}"
    );
    assert!(after < before, "{after} of {before}");
}

/// Two threads that do the same, as a C program: what else there is, what each does, and what the main thread does behind their
/// creation.
fn twins(globals: &str, work: &str, main: &str) -> String {
    format!(
        "{HEAD}{globals}\npthread_t t[2];\nstatic void *work(void *argument) {{\n    int r = 0;\n    {work}\n    return 0;\n}}\n\
         int main(void) {{\n    int i;\n    sem_init(&s, 0, 0);\n\
         for (i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);\n    {main}\n    return 0;\n}}\n"
    )
}

const JOINS: &str = "for (i = 0; i < 2; i++) pthread_join(t[i], 0);";

/// What shows who is who is noticed, and nothing is lost in any case.
#[test]
fn threads_that_show_who_they_are_are_told_apart() {
    let first = "pthread_t self = pthread_self(); r = atomic_fetch_add(&x, 1); if (pthread_equal(self, t[0])) y = r;";
    for (globals, work, main, why) in [
        ("", "r = atomic_fetch_add(&x, 1); if (r == 1) y = 1;", JOINS, None),
        ("", first, JOINS, Some("asks who it is")),
        ("", "r = x; x = r + 1;", "pthread_join(t[0], 0); tb_assert(x == 1); pthread_join(t[1], 0);", Some("in a row")),
        // Who is joined first has written, or has not.
        (
            "",
            "r = atomic_fetch_add(&x, 1); if (r == 0) d = 1;",
            "pthread_join(t[0], 0); d++; pthread_join(t[1], 0);",
            Some("in a row"),
        ),
        (
            "",
            "return (void *)(long)atomic_fetch_add(&x, 1);",
            "void *of; pthread_join(t[0], &of); y = (long)of;",
            Some("in a row"),
        ),
        ("_Atomic(int *) last;", "int mine = 1; last = &mine; mine = 2;", JOINS, Some("variables in memory")),
        ("_Atomic(int *) last;", "last = malloc(4); x++;", JOINS, Some("allocates")),
        ("_Thread_local int own;", "own = x++; x += own;", JOINS, Some("thread-local")),
        (
            "static void *more(void *a) { x++; return 0; }",
            "pthread_t u; pthread_create(&u, 0, more, 0);",
            JOINS,
            Some("variables"),
        ),
        ("", "x++;", "pthread_detach(t[0]); pthread_join(t[1], 0);", Some("no two threads start alike")),
        ("", "x++;", "pthread_join(t[0], 0);", Some("in a row")),
        // The second thread may wait for ever, and the main thread goes on after the first.
        (
            "",
            "r = atomic_fetch_add(&x, 1); if (r == 1) sem_wait(&s);",
            "for (i = 0; i < 2; i++) { pthread_join(t[i], 0); if (d) break; if (x) sem_post(&s); }",
            Some("in a row"),
        ),
        (
            "_Atomic int stop; int off;",
            "r = atomic_fetch_add(&x, 1); if (r == 0) off = 1; else while (!stop) ;",
            "for (i = 0; i < 2; i++) { pthread_join(t[i], 0); if (off) break; } stop = 1;",
            Some("what is read between joins"),
        ),
        ("", "for (;;) { pthread_mutex_lock(&m); d = !d; pthread_mutex_unlock(&m); }", JOINS, Some("for ever")),
        // The words of a lock do not tell its owner.
        ("", "pthread_mutex_lock(&m); r = ((volatile int *)&m)[2]; y = r != 0; pthread_mutex_unlock(&m);", JOINS, None),
        (
            "struct { pthread_mutex_t m; int n; } a = {PTHREAD_MUTEX_INITIALIZER}, copy;",
            "pthread_mutex_lock(&a.m); copy = a; a.n++; if (copy.n == 1) r = pthread_mutex_unlock(&copy.m); pthread_mutex_unlock(&a.m);",
            JOINS,
            Some("a lock is copied"),
        ),
        // Who ends with a lock keeps it.
        ("", "r = atomic_fetch_add(&x, 1); pthread_mutex_lock(&m);", JOINS, None),
        ("", "pthread_rwlock_rdlock(&l); r = atomic_fetch_add(&x, 1); if (r) pthread_rwlock_unlock(&l);", JOINS, None),
        (
            "",
            "pthread_mutex_lock(&m); d++; while (d < 3) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); d++; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
            None,
        ),
        ("#include <errno.h>\n", "printf(\"%d\", x++); x = errno;", JOINS, Some("thread-local")),
        ("", "printf(\"%d\\n\", x++);", JOINS, None),
        (
            "",
            "x++;",
            "for (i = 0; i < 2; i++) pthread_join(t[i], 0); for (i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0); for (i = 0; i < 2; i++) pthread_join(t[i], 0); y = x;",
            None,
        ),
    ] {
        let text = twins(globals, work, main);
        let program = load(&text, false);
        let with = search(&program, Strategy::Graph, Threads::Alike, false);
        match (with.why, why) {
            (None, None) => {}
            (Some(found), Some(expected)) => assert!(found.contains(expected), "{found}\n{text}"),
            (found, expected) => panic!("{found:?} instead of {expected:?}\n{text}"),
        }
        if with.why.is_some() {
            continue;
        }
        for strategy in [Strategy::Graph, Strategy::Optimal, Strategy::Dfs] {
            let without = search(&program, strategy, Threads::ToldApart, false);
            assert!(agree(&with.ends, &without.ends), "{:#?}\n{strategy} {:#?}\n{text}", with.ends, without.ends);
        }
    }
}

/// Threads that go through L places each and have nothing to do with each other: L^n states, and as many multisets of n places as
/// there are with symmetry. The main thread creates one after the other.
#[test]
fn states_fall_by_the_factor_that_theory_says() {
    let choose = |n: u64, k: u64| (0..k).fold(1, |all, i| all * (n - i) / (i + 1));
    for (threads, loads) in [(2u32, 3u64), (3, 5), (4, 6), (5, 4)] {
        let text = format!(
            "{HEAD}static void *work(void *argument) {{\n{}    return 0;\n}}\nint main(void) {{\n    pthread_t t[{threads}];\n\
             for (int i = 0; i < {threads}; i++) pthread_create(&t[i], 0, work, 0);\n\
             for (int i = 0; i < {threads}; i++) pthread_join(t[i], 0);\n    return 0;\n}}\n",
            "    atomic_load(&x);\n".repeat(loads as usize)
        );
        let program = load(&text, false);
        let states = |threads| search(&program, Strategy::Stateful, threads, false).totals.states.expect("stored");
        let places = loads + 1;
        // And the end of the process.
        let all = |of: &dyn Fn(u32) -> u64| (0..=threads).map(of).sum::<u64>() + 1;
        assert_eq!(states(Threads::ToldApart), all(&|created| places.pow(created)), "{text}");
        assert_eq!(
            states(Threads::Alike),
            all(&|created| choose(places + u64::from(created) - 1, created.into())),
            "{text}"
        );
    }
}

fn check(text: &str, options: &[&str]) -> (Value, i32) {
    let folder = tempfile::tempdir().expect("a place to write");
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).expect("a place to write");
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    let output = command.arg("check").arg(&file).args(["--format", "json"]).args(options).output().expect("it starts");
    let json = serde_json::from_slice(&output.stdout);
    (json.unwrap_or_else(|error| panic!("{error}: {output:?}\n{text}")), output.status.code().expect("an exit code"))
}

fn rests_on(json: &Value, words: &str) -> bool {
    json["assumptions"].as_array().expect("a list").iter().any(|one| one.as_str().expect("words").contains(words))
}

/// N threads count under one lock: how many are through, and where the one stands that has the lock, is all that there is.
#[test]
fn a_counter_under_a_lock_has_few_states() {
    let text = include_str!("../../../programs/counts/mutex_counter.c");
    for n in [2, 5, 12] {
        let flag = format!("-DN={n}");
        let (json, exit) = check(text, &["--strategy", "graph", "--", &flag]);
        assert_eq!((exit, json["states"].as_u64()), (0, Some(3 * n + 2)), "{json}");
        assert!(rests_on(&json, "symmetry: threads are told apart by where they stand"), "{json}");
    }
}

/// The schedules are ones of the program as it is, in which threads are joined one after the other.
#[test]
fn bugs_that_are_found_with_symmetry_replay() {
    let one_stays = "r = atomic_fetch_add(&x, 1); if (r == 0) sem_wait(&s);";
    for (work, main, kind) in [
        ("r = x; x = r + 1;", "pthread_join(t[0], 0); pthread_join(t[1], 0); tb_assert(x == 2);", "assertion"),
        (one_stays, "pthread_join(t[0], 0);\n    pthread_join(t[1], 0);", "deadlock"),
        (one_stays, JOINS, "deadlock"),
        (
            "r = atomic_fetch_add(&x, 1); if (r == 1) while (!y) ;",
            "pthread_join(t[0], 0);\n    pthread_join(t[1], 0);",
            "livelock",
        ),
        ("pthread_mutex_lock(&m); r = d; pthread_mutex_unlock(&m); d = r + 1;", JOINS, "data-race"),
        (
            "pthread_mutex_lock(&m); if (!d++) pthread_cond_wait(&c, &m); else pthread_cond_signal(&c);",
            JOINS,
            "deadlock",
        ),
    ] {
        let text = twins("", work, main);
        let (json, exit) = check(&text, &["--strategy", "graph", "--symmetry"]);
        assert_eq!((exit, &json["bugs"][0]["kind"]), (1, &kind.into()), "{json}\n{text}");
        assert!(rests_on(&json, "symmetry: threads are told apart by where they stand"), "{json}");
    }
}

#[test]
fn whoever_asks_for_symmetry_is_told_why_there_is_none() {
    let text = twins("", "x = (int)pthread_self();", JOINS);
    let (json, exit) = check(&text, &["--symmetry=on"]);
    assert_eq!((exit, json["strategy"].as_str()), (0, Some("graph")), "{json}");
    assert!(rests_on(&json, "symmetry was not used: a thread asks who it is"), "{json}");
    let (json, _) = check(&text, &["--strategy", "graph"]);
    assert!(!rests_on(&json, "symmetry"), "{json}");
    let (json, _) = check(&twins("", "x++;", JOINS), &["--strategy", "graph", "--symmetry=off"]);
    assert!(!rests_on(&json, "symmetry"), "{json}");
    for (options, words) in [
        (&["--symmetry", "--strategy", "optimal"][..], "not for optimal"),
        (&["--symmetry", "--depth-bound", "9"], "not for --depth-bound"),
        (&["--symmetry", "--jobs", "2"], "not for --jobs"),
        (&["--symmetry", "--ltl", "F {x == 1}"], "--symmetry does not go with --ltl"),
    ] {
        let (json, exit) = check(&text, options);
        let message = json["error"]["message"].as_str().unwrap_or_default();
        assert!(exit == 2 && message.contains(words), "{options:?}: {json}");
    }
}
