//! Programs whose threads touch plain data without leaving a trace: they write what is there, look at what another ends, compare
//! pointers. Histories with such a touch and without one come to the same state. A search that looks for races by sharing
//! explores what follows only once, be it before the touch, and several workers have each seen a part: none of it may be lost.

use std::fmt::Write;

use threadbare_core::{Random, Tid};

use super::orders::load_text;
use super::*;

/// What ends, and what others do with it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Nothing,
    /// A thread frees it.
    Block,
    /// A function returns whose local variable it is.
    Local,
    /// The same as a block, and others compare pointers to it.
    Compared,
}

struct Pieces {
    random: Random,
    flags: usize,
    ends: Ends,
}

impl Pieces {
    fn touch(&mut self) -> &'static str {
        match (self.random.below(5), self.ends) {
            (0, _) => "n = 0;",
            (1, Ends::Nothing) => "n = 0;",
            (_, Ends::Nothing) => "if (n == 7) abort();",
            (_, Ends::Compared) => "{ int *q = p; atomic_compare_exchange_strong(&head, &q, 0); }",
            _ => "if (*p == 7) abort();",
        }
    }

    fn some(&mut self, pieces: usize, within: bool) -> String {
        let mut text = String::new();
        for _ in 0..pieces {
            let (flag, value) = (self.random.below(self.flags), self.random.below(2));
            let piece = match self.random.below(10) {
                0..3 => format!("atomic_store(&f{flag}, {value});"),
                3 => format!("atomic_fetch_xor(&f{flag}, 1);"),
                4 => format!("if (atomic_load(&f{flag}) == 5) abort();"),
                5 | 6 if !within => {
                    let inner = 1 + self.random.below(2);
                    let inner = self.some(inner, true);
                    format!("if (atomic_load(&f{flag}) == {value}) {{ {inner}}}")
                }
                7 => format!("pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m);", self.touch()),
                _ if within => self.touch().to_string(),
                _ => format!("atomic_store(&f{flag}, {value});"),
            };
            text += &piece;
            text.push(' ');
        }
        text
    }
}

/// Two or three threads.
fn program(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x70c4);
    let threads = 2 + random.below(3) / 2;
    let ends = random.pick(&[Ends::Nothing, Ends::Block, Ends::Block, Ends::Local, Ends::Compared]);
    let flags = 1 + random.below(3);
    let mut pieces = Pieces { random, flags, ends };
    let mut text = String::from("#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n");
    (0..flags).for_each(|i| writeln!(text, "static atomic_int f{i};").expect("a string"));
    text.push_str("static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic _Atomic(int *) head;\n");
    text.push_str("static int n, *p;\nstatic pthread_t t[3];\n");
    for thread in 0..threads {
        let count = 2 + pieces.random.below(3);
        let mut body = pieces.some(count, false);
        if thread + 1 == threads && matches!(ends, Ends::Block | Ends::Compared) {
            body += "free(p); ";
        }
        writeln!(text, "static void *thread{thread}(void *arg) {{ {body}return arg; }}").expect("a string");
    }
    let creates: String = (0..threads).map(|i| format!("    pthread_create(&t[{i}], 0, thread{i}, 0);\n")).collect();
    let joins: String = (0..threads).map(|i| format!("    pthread_join(t[{i}], 0);\n")).collect();
    let last = 1 + pieces.random.below(3);
    let begins = match ends {
        Ends::Local => format!("    int local = 1;\n    p = &local;\n{creates}    {}\n", pieces.some(last, false)),
        _ => format!("    p = malloc(sizeof *p);\n    *p = 1;\n{creates}"),
    };
    writeln!(text, "static void begin(void) {{\n{begins}}}").expect("a string");
    writeln!(text, "int main(void) {{\n    begin();\n{joins}    return 0;\n}}").expect("a string");
    text
}

/// Whether some execution went wrong, or compared a pointer to memory that could have been given out again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Found {
    error: bool,
    stale: bool,
}

/// An error ends the search.
#[derive(Default)]
struct FirstError(bool);

impl Search<VmMachine> for FirstError {
    fn end(&mut self, machine: &mut VmMachine, _: &Path, end: End) -> Flow {
        self.0 |= end == End::Error && !machine.shares_plain_data();
        if end == End::Error { Flow::Stop } else { Flow::Continue }
    }
}

fn machine(loaded: &Arc<Loaded>, strategy: Strategy, by_sharing: bool) -> VmMachine {
    let setup = Setup {
        fingerprints: strategy.needs().fingerprints,
        order_in_state: strategy.needs().order,
        merge_idle: true,
        merge_threads: true,
        races: true,
        by_heart: true,
        by_sharing,
        arguments: vec!["program".into()],
        ..Setup::default()
    };
    VmMachine::new(loaded.clone(), &setup, Console::Kept { input: Vec::new() }).expect("memory for the machine")
}

/// By sharing first, and again with what is ordered in states if something is shared.
fn search(loaded: &Arc<Loaded>, strategy: Strategy, jobs: usize) -> Found {
    let mut by_sharing = true;
    loop {
        let fresh = || machine(loaded, strategy, by_sharing);
        let mut machine = fresh();
        let kin = machine.kin();
        let another = || {
            let mut machine = fresh();
            machine.join_kin(&kin);
            Some((machine, FirstError::default()))
        };
        let help = Help { jobs, after: Duration::ZERO, another: &another, eager: Some(1) };
        let mut errors = FirstError::default();
        let settings = Settings { learns_for: 10, ..Settings::default() };
        let shared = strategy.run_with(&mut machine, &settings, &mut errors, &help);
        let helpers = &shared.helpers;
        machine.compare_notes(&helpers.iter().map(|(other, _)| other).collect::<Vec<_>>());
        if machine.shares_plain_data() || helpers.iter().any(|(other, _)| other.shares_plain_data()) {
            assert!(by_sharing, "what is ordered is known");
            by_sharing = false;
            continue;
        }
        return Found {
            error: errors.0 || helpers.iter().any(|(_, errors)| errors.0),
            stale: machine.has_met_stale_pointers() || helpers.iter().any(|(other, _)| other.has_met_stale_pointers()),
        };
    }
}

#[test]
fn touches_that_leave_no_trace_are_not_lost() {
    let (cases, first) = (10 * setting("TB_FUZZ_C_CASES", 20), setting("TB_FUZZ_SEED", 0));
    let folder = tempfile::tempdir().expect("a place to write");
    let (mut wrong, mut stale) = (0, 0);
    for seed in first + 1..=first + cases {
        let text = program(seed);
        let loaded = load_text(&text, folder.path());
        let expected = search(&loaded, Strategy::Optimal, 1);
        for jobs in [1, 3] {
            let found = search(&loaded, Strategy::Graph, jobs);
            // What comes after an error is not looked at.
            let as_expected = found == expected || expected.error && found.error;
            assert!(as_expected, "seed {seed}, {jobs} workers: {found:?} instead of {expected:?}\n{text}");
        }
        wrong += u64::from(expected.error);
        stale += u64::from(expected.stale && !expected.error);
    }
    println!("{wrong} of {cases} programs are wrong, {stale} compare stale pointers");
    assert!(wrong * 10 > cases && wrong * 10 < 9 * cases && stale > 0, "not a fair mixture");
}

/// Two machines of one search go two ways, given by the threads that take steps, the last of which goes on to its end. Whether they
/// have seen something only together.
fn clash(text: &str, ways: [&[u16]; 2]) -> bool {
    let folder = tempfile::tempdir().expect("a place to write");
    let loaded = load_text(text, folder.path());
    let mut one = machine(&loaded, Strategy::Graph, true);
    let kin = one.kin();
    let mut other = machine(&loaded, Strategy::Graph, true);
    other.join_kin(&kin);
    for (machine, way) in [&mut one, &mut other].into_iter().zip(ways) {
        while machine.thread_count() < 3 || !machine.is_live(Tid(2)) {
            step(machine, Tid::MAIN);
        }
        way.iter().for_each(|&tid| step(machine, Tid(tid)));
        let last = Tid(*way.last().expect("a way"));
        while machine.is_live(last) && machine.ending().is_none() {
            step(machine, last);
        }
        assert!(machine.ending().is_none() && !machine.shares_plain_data(), "alone it has seen nothing\n{text}");
    }
    one.compare_notes(&[&other]);
    one.shares_plain_data()
}

fn step(machine: &mut VmMachine, tid: Tid) {
    let choice = machine.pending(tid).choices.enabled().next().expect("it can move");
    machine.step(tid, choice);
}

#[test]
fn what_two_workers_have_seen_only_together_is_found() {
    let program = |touch: &str, last: &str| {
        format!(
            "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>
            static atomic_int f; static int n, *p; static _Atomic(int *) head;
            static void *touches(void *arg) {{ if (atomic_load(&f)) {{ {touch} }} return arg; }}
            static void *ends(void *arg) {{ atomic_store(&f, 1); atomic_store(&f, 0); {last} return arg; }}
            int main(void) {{
                pthread_t t[2]; p = malloc(sizeof *p); *p = 1;
                pthread_create(&t[0], 0, touches, 0); pthread_create(&t[1], 0, ends, 0);
                pthread_join(t[0], 0); pthread_join(t[1], 0);
            }}"
        )
    };
    // One sees the touch, the other what comes after it.
    let ways: [&[u16]; 2] = [&[2, 1], &[1, 2, 2]];
    let compares = "int *q = p; atomic_compare_exchange_strong(&head, &q, 0);";
    for (touch, last, expected) in [
        ("n = 0;", "if (n == 7) abort();", true),
        ("if (n == 7) abort();", "n = 0;", true),
        ("if (n == 7) abort();", "if (n == 6) abort();", false),
        ("if (*p == 7) abort();", "free(p);", true),
        (compares, "free(p);", true),
        ("n = 0;", "free(p);", false),
        ("n = 0;", "", false),
    ] {
        for ways in [ways, [ways[1], ways[0]]] {
            assert_eq!(clash(&program(touch, last), ways), expected, "{touch} {last}");
        }
    }
}
