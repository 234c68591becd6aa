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

/// Counts the executions with an error.
#[derive(Default)]
struct Errors(u64);

impl Search<VmMachine> for Errors {
    fn end(&mut self, _: &mut VmMachine, _: &Path, end: End) -> Flow {
        self.0 += u64::from(end == End::Error);
        Flow::Continue
    }
}

#[test]
fn what_is_ordered_is_a_part_of_stored_states() {
    let (cases, first) = (2 * setting("TB_FUZZ_C_CASES", 20), setting("TB_FUZZ_SEED", 0));
    let folder = tempfile::tempdir().expect("a place to write");
    let (mut racy, mut missed) = (0, 0);
    for seed in first + 1..=first + cases {
        let text = program(seed);
        let file = folder.path().join("program.c");
        std::fs::write(&file, &text).expect("a place to write");
        let sources = Sources { files: vec![file], exploring: true, ..Sources::default() };
        let loaded = Arc::new(threadbare_vm::load(&sources).expect("the program loads"));
        let races = |strategy: Strategy, order_in_state: bool| {
            let fingerprints = strategy.needs().fingerprints;
            let setup = Setup {
                fingerprints,
                order_in_state,
                merge_idle: true,
                merge_threads: true,
                races: true,
                by_heart: true,
                arguments: vec!["program".into()],
                ..Setup::default()
            };
            let mut machine = VmMachine::new(loaded.clone(), &setup, Console::Kept { input: Vec::new() })
                .expect("memory for the machine");
            let mut errors = Errors::default();
            let totals = strategy.run(&mut machine, &Settings::default(), &mut errors);
            assert!(totals.complete, "seed {seed}\n{text}");
            errors.0 > 0
        };
        let expected = races(Strategy::Optimal, false);
        assert_eq!(races(Strategy::Graph, true), expected, "seed {seed}\n{text}");
        racy += u64::from(expected);
        let unordered = [Strategy::Stateful, Strategy::Graph].map(|strategy| races(strategy, false));
        missed += u64::from(expected && unordered.contains(&false));
    }
    println!("{racy} of {cases} programs have races; {missed} would be missed without what is ordered");
    assert!(racy * 10 > cases && racy * 10 < 9 * cases, "{racy} of {cases} have races: not a fair mixture");
    assert!(missed > 0 || cases < 40, "it makes no difference");
}
