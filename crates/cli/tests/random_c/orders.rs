//! Programs in which much hangs on what is ordered: threads hand data over by flags that order nothing, between critical
//! sections that may. Histories that differ in the order alone come to the same memory: a search that stores states must
//! not take one for the other.

use std::fmt::Write;

use threadbare_core::Random;

use super::*;

/// Two or three threads of a few pieces each.
fn program(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x0de5);
    let threads = 2 + random.below(2);
    let (mutexes, flags) = (1 + random.below(2), 1 + random.below(2));
    let mut text = String::from("#include <pthread.h>\n#include <stdatomic.h>\n");
    for i in 0..mutexes {
        writeln!(text, "pthread_mutex_t m{i} = PTHREAD_MUTEX_INITIALIZER;").expect("a string");
    }
    for i in 0..flags {
        writeln!(text, "atomic_int f{i}; int d{i};").expect("a string");
    }
    for t in 0..threads {
        writeln!(text, "void *thread{t}(void *arg) {{\n    int r = 0;").expect("a string");
        for _ in 0..1 + random.below(if threads == 2 { 4 } else { 3 }) {
            let (m, f) = (random.below(mutexes), random.below(flags));
            let section = format!("pthread_mutex_lock(&m{m}); pthread_mutex_unlock(&m{m});");
            let order = random.pick(&["relaxed", "relaxed", "relaxed", "seq_cst"]);
            // Each flag has one thread that hands data over; the others take it.
            let piece = match (random.below(4), f % threads == t) {
                (0, _) => section,
                (_, true) => format!("d{f} = 1; {section} atomic_store_explicit(&f{f}, 1, memory_order_{order});"),
                (1, _) => format!("if (atomic_load_explicit(&f{f}, memory_order_{order})) r += d{f};"),
                _ => format!("{section} if (atomic_load_explicit(&f{f}, memory_order_{order})) r += d{f};"),
            };
            writeln!(text, "    {piece}").expect("a string");
        }
        writeln!(text, "    return r ? arg : (void *)1;\n}}").expect("a string");
    }
    text.push_str("int main(void) {\n    pthread_t t[3];\n");
    for t in 0..threads {
        writeln!(text, "    pthread_create(&t[{t}], NULL, thread{t}, NULL);").expect("a string");
    }
    for t in 0..threads {
        writeln!(text, "    pthread_join(t[{t}], NULL);").expect("a string");
    }
    text + "    return 0;\n}\n"
}

/// The same with everything that threads can wait for: what one that waits is about to learn counts as known.
fn crowd(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0xc07d);
    let threads = 2 + random.below(2);
    let mut text = String::from("#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n");
    text.push_str("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\npthread_cond_t v = PTHREAD_COND_INITIALIZER;\n");
    text.push_str("pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;\npthread_spinlock_t p;\n");
    text.push_str("pthread_barrier_t b;\nsem_t s;\natomic_int c, e, f0, f1;\nint g, d0, d1;\npthread_t t[3];\n");
    let by_sibling = random.below(4) == 0;
    // Of few kinds each meets itself and the others more often.
    const KINDS: [&[u32]; 10] =
        [&[0], &[1], &[2, 3], &[4, 5], &[6], &[12], &[7, 8], &[7, 8], &[9, 10, 11], &[9, 10, 11]];
    let kinds = [random.pick(&KINDS), random.pick(&KINDS)].concat();
    for t in 0..threads {
        writeln!(text, "void *thread{t}(void *arg) {{\n    int r = 0;").expect("a string");
        if by_sibling && t == 1 {
            text.push_str("    pthread_join(t[0], NULL);\n");
        }
        for _ in 0..1 + random.below(if threads == 2 { 4 } else { 3 }) {
            let order = random.pick(&["relaxed", "release", "acq_rel", "seq_cst"]);
            let read = random.pick(&["relaxed", "acquire", "acquire", "seq_cst"]);
            let sync = match random.pick(&kinds) {
                0 => "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);".to_string(),
                1 => "pthread_spin_lock(&p); pthread_spin_unlock(&p);".to_string(),
                2 => "pthread_rwlock_rdlock(&w); pthread_rwlock_unlock(&w);".to_string(),
                3 => "pthread_rwlock_wrlock(&w); pthread_rwlock_unlock(&w);".to_string(),
                4 => "sem_post(&s);".to_string(),
                5 => "sem_wait(&s);".to_string(),
                6 => "pthread_barrier_wait(&b);".to_string(),
                7 => format!("atomic_fetch_add_explicit(&c, 1, memory_order_{order});"),
                8 if random.below(2) == 0 => format!("while (atomic_load_explicit(&c, memory_order_{read}) < 1) ;"),
                8 => format!("r += atomic_load_explicit(&c, memory_order_{read}) > 9;"),
                // Of one that is stored to as well, nobody knows what it will hand on.
                9 => format!("atomic_fetch_or_explicit(&e, 1, memory_order_{order});"),
                10 => format!("atomic_store_explicit(&e, 1, memory_order_{});", random.pick(&["relaxed", "release"])),
                11 if random.below(2) == 0 => format!("while (!atomic_load_explicit(&e, memory_order_{read})) ;"),
                11 => format!("r += atomic_load_explicit(&e, memory_order_{read}) > 1;"),
                _ if t == 0 => {
                    "pthread_mutex_lock(&m); g = 1; pthread_cond_broadcast(&v); pthread_mutex_unlock(&m);".to_string()
                }
                _ => "pthread_mutex_lock(&m); while (!g) pthread_cond_wait(&v, &m); pthread_mutex_unlock(&m);"
                    .to_string(),
            };
            let f = random.below(2);
            let piece = match (random.below(4), f == t) {
                (0, _) => sync,
                (1, true) => format!("d{f} = 1; {sync}"),
                (1, false) => format!("{sync} r += d{f};"),
                (_, true) => format!("d{f} = 1; {sync} atomic_store_explicit(&f{f}, 1, memory_order_relaxed);"),
                _ => format!("{sync} if (atomic_load_explicit(&f{f}, memory_order_relaxed)) r += d{f};"),
            };
            writeln!(text, "    {piece}").expect("a string");
        }
        writeln!(text, "    return r ? arg : (void *)1;\n}}").expect("a string");
    }
    writeln!(text, "int main(void) {{\n    pthread_barrier_init(&b, NULL, {});", 1 + random.below(2))
        .expect("a string");
    writeln!(text, "    pthread_spin_init(&p, 0);\n    sem_init(&s, 0, {});", random.below(2)).expect("a string");
    for t in 0..threads {
        writeln!(text, "    pthread_create(&t[{t}], NULL, thread{t}, NULL);").expect("a string");
    }
    for t in 0..threads {
        if !(by_sibling && t == 0) {
            writeln!(text, "    pthread_join(t[{t}], NULL);").expect("a string");
        }
    }
    text + "    return 0;\n}\n"
}

/// Counts the executions with an error.
#[derive(Default)]
struct Errors(u64);

impl Search<VmMachine> for Errors {
    fn end(&mut self, _: &mut VmMachine, _: &Path, end: End) -> Flow {
        self.0 += u64::from(end == End::Error);
        Flow::Continue
    }
}

pub fn load_text(text: &str, folder: &std::path::Path) -> Arc<Loaded> {
    let file = folder.join("program.c");
    std::fs::write(&file, text).expect("a place to write");
    let sources = Sources { files: vec![file], exploring: true, ..Sources::default() };
    Arc::new(threadbare_vm::load(&sources).expect("the program loads"))
}

/// Whether a search finds a race, and how many states it stores.
fn races(loaded: &Arc<Loaded>, strategy: Strategy, order_in_state: bool) -> (bool, Option<u64>) {
    let setup = Setup {
        fingerprints: strategy.needs().fingerprints,
        order_in_state,
        merge_idle: true,
        merge_threads: true,
        races: true,
        by_heart: true,
        arguments: vec!["program".into()],
        ..Setup::default()
    };
    let mut machine =
        VmMachine::new(loaded.clone(), &setup, Console::Kept { input: Vec::new() }).expect("memory for the machine");
    let mut errors = Errors::default();
    let totals = strategy.run(&mut machine, &Settings::default(), &mut errors);
    assert!(totals.complete);
    (errors.0 > 0, totals.states)
}

/// How many programs have races, and how many of these would be missed without what is ordered; all of them are found with it.
fn compare(cases: u64, first: u64, program: impl Fn(u64) -> String) -> (u64, u64) {
    let folder = tempfile::tempdir().expect("a place to write");
    let (mut racy, mut missed) = (0, 0);
    for seed in first + 1..=first + cases {
        let text = program(seed);
        let loaded = load_text(&text, folder.path());
        let (expected, _) = races(&loaded, Strategy::Optimal, false);
        assert_eq!(races(&loaded, Strategy::Graph, true).0, expected, "seed {seed}\n{text}");
        racy += u64::from(expected);
        let unordered = [Strategy::Stateful, Strategy::Graph].map(|strategy| races(&loaded, strategy, false).0);
        missed += u64::from(expected && unordered.contains(&false));
    }
    println!("{racy} of {cases} programs have races; {missed} would be missed without what is ordered");
    assert!(racy * 10 > cases && racy * 10 < 9 * cases, "{racy} of {cases} have races: not a fair mixture");
    (racy, missed)
}

#[test]
fn what_is_ordered_is_a_part_of_stored_states() {
    let cases = 2 * setting("TB_FUZZ_C_CASES", 20);
    let (_, missed) = compare(cases, setting("TB_FUZZ_SEED", 0), program);
    assert!(missed > 0 || cases < 40, "it makes no difference");
}

#[test]
fn what_threads_are_about_to_learn_counts_as_known() {
    let cases = 6 * setting("TB_FUZZ_C_CASES", 20);
    let (_, missed) = compare(cases, setting("TB_FUZZ_SEED", 0), crowd);
    assert!(missed > 0 || cases < 120, "it makes no difference");
}

/// Three threads that share a counter, a flag, a semaphore and plain data.
fn three(bodies: [&str; 3]) -> String {
    let mut text = String::from("#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n");
    text.push_str("atomic_int c, z; int d; sem_t s;\n");
    for (t, body) in bodies.iter().enumerate() {
        writeln!(text, "void *thread{t}(void *arg) {{ int r = 0; {body} return r ? arg : 0; }}").expect("a string");
    }
    text.push_str("int main(void) { pthread_t t[3]; sem_init(&s, 0, 0);\n");
    (0..3).for_each(|t| writeln!(text, "pthread_create(&t[{t}], 0, thread{t}, 0);").expect("a string"));
    (0..3).for_each(|t| writeln!(text, "pthread_join(t[{t}], 0);").expect("a string"));
    text + "return 0; }\n"
}

/// A thread looks at a counter, which may or may not teach it what another wrote, and then waits in a way that surely teaches it,
/// or does not.
#[test]
fn a_wait_that_may_teach_nothing_is_no_lesson() {
    let folder = tempfile::tempdir().expect("a place to write");
    let adds = "d = 1; atomic_fetch_or_explicit(&c, 2, memory_order_release);";
    let looks = "r = atomic_load_explicit(&c, memory_order_acquire) > 9;";
    let waits = |order: &str| format!("while (!(atomic_load_explicit(&c, memory_order_{order}) & 2));");
    let acquires = format!("{looks} {} r += d;", waits("acquire"));
    let relaxed = format!("{looks} {} r += d;", waits("relaxed"));
    let failing = format!(
        "{looks} int x; do {{ x = 9; atomic_compare_exchange_strong_explicit(&c, &x, 9, memory_order_acquire, \
         memory_order_relaxed); }} while (!(x & 2)); r += d;"
    );
    // A store to the counter hands on less than what it replaces.
    let tells = format!("{looks} atomic_store_explicit(&z, 1, memory_order_relaxed); {} r += d;", waits("acquire"));
    let told = format!("while (!atomic_load_explicit(&z, memory_order_relaxed)); {}", waits("relaxed"));
    let stores = format!("{told} atomic_store_explicit(&c, 3, memory_order_relaxed);");
    let changes = format!("{told} atomic_fetch_or_explicit(&c, 1, memory_order_relaxed);");
    // What cannot be had is not waited for.
    let posts = format!("{adds} sem_post(&s);");
    let takes = "sem_wait(&s); atomic_store_explicit(&z, 1, memory_order_relaxed);";
    let tries =
        format!("{looks} while (!atomic_load_explicit(&z, memory_order_relaxed)); r += sem_trywait(&s); r += d;");
    for (bodies, racy) in [
        ([adds, &acquires, ""], false),
        ([adds, &relaxed, ""], true),
        ([adds, &failing, ""], true),
        ([adds, &tells, &changes], false),
        ([adds, &tells, &stores], true),
        ([&posts, &tries, takes], true),
    ] {
        let text = three(bodies);
        let loaded = load_text(&text, folder.path());
        assert_eq!(races(&loaded, Strategy::Optimal, false).0, racy, "{text}");
        assert_eq!(races(&loaded, Strategy::Graph, true).0, racy, "{text}");
    }
}

/// Threads wait at a barrier in whatever order they have arrived: there is a state for each set of them.
#[test]
fn the_order_in_which_threads_have_come_to_where_they_wait_is_forgotten() {
    let folder = tempfile::tempdir().expect("a place to write");
    let text = "#include <pthread.h>\n#include <stdatomic.h>\n
        static atomic_int missing = 6; static int ready[6];
        static void *walk(void *mine) {
            *(int *)mine = 1; atomic_fetch_sub(&missing, 1); while (missing > 0);
            int all = 1; for (int i = 0; i < 6; i++) all &= ready[i]; return all ? 0 : mine;
        }
        int main(void) {
            pthread_t t[6];
            for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, walk, &ready[i]);
            for (int i = 0; i < 6; i++) pthread_join(t[i], 0);
            return 0;
        }";
    let (racy, states) = races(&load_text(text, folder.path()), Strategy::Graph, true);
    assert!(!racy && states.is_some_and(|states| states < 2 * 64), "{states:?} states");
}
