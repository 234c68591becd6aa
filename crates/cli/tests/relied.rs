//! Rounds of waiting loops that read plain memory are left out where nobody writes that. Random programs with such loops, on
//! both machines, against the same programs with their loops unrolled, where there is nothing to leave out: a data race in one is
//! one in the other. `TB_FUZZ_C_CASES` and `TB_FUZZ_SEED` choose the programs.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use threadbare_core::Random;

const THREADS: usize = 3;
const FLAGS: usize = 3;
/// In every other program: what two threads and one flag can do wrong is not hidden behind other races.
const FEW: (usize, usize) = (2, 1);
/// Global, in the heap, and on the stack of the main thread.
const WORDS: [&str; 5] = ["a", "b", "c", "(*heap)", "(*local)"];

/// Who may do what to a word: nothing that races, unless nobody keeps to it.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    OnlyRead,
    /// Written by who sets a flag, before, and read by who has waited for it.
    HandedOn(usize),
    /// Under the mutex.
    Guarded,
    None,
}

struct Generator {
    random: Random,
    rules: [Rule; WORDS.len()],
    setters: [usize; FLAGS],
    threads: usize,
    flags: usize,
    text: String,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut random = Random::new(seed);
        let (threads, flags) = if random.once_in(2) { FEW } else { (THREADS, FLAGS) };
        let setters = std::array::from_fn(|_| random.below(threads));
        let racy = random.once_in(3);
        let rules = std::array::from_fn(|_| match random.below(6) {
            0 | 1 => Rule::OnlyRead,
            2 | 3 => Rule::HandedOn(random.below(flags)),
            4 if racy => Rule::None,
            _ => Rule::Guarded,
        });
        Generator { random, rules, setters, threads, flags, text: String::new() }
    }

    fn word(&mut self, fits: impl Fn(Rule) -> bool) -> Option<&'static str> {
        let at = self.random.below(WORDS.len());
        (fits(self.rules[at]) || self.random.once_in(6)).then_some(WORDS[at])
    }

    fn order(&mut self, strong: &'static str) -> &'static str {
        if self.random.once_in(12) { "memory_order_relaxed" } else { strong }
    }

    /// A plain access that keeps to the rules, for the most part, of a thread before this flag is set or waited for.
    fn access(&mut self, thread: usize, flag: usize) {
        let setters = self.setters;
        let line = match self.random.below(4) {
            0 => self
                .word(|rule| rule == Rule::Guarded)
                .map(|word| format!("pthread_mutex_lock(&mutex); {word}++; pthread_mutex_unlock(&mutex);")),
            1 => self
                .word(|rule| matches!(rule, Rule::HandedOn(by) if by >= flag && setters[by] == thread))
                .map(|word| format!("{word} = {};", 2 + thread)),
            _ => self
                .word(|rule| match rule {
                    Rule::OnlyRead => true,
                    Rule::HandedOn(by) => by < flag,
                    _ => false,
                })
                .map(|word| format!("read({word});")),
        };
        line.into_iter().for_each(|line| writeln!(self.text, "    {line}").expect("room"));
    }

    fn thread(&mut self, thread: usize) {
        writeln!(self.text, "static void *thread{thread}(void *unused) {{").expect("room");
        // Flags in their order, so that nobody waits for ever.
        for flag in 0..self.flags {
            (0..self.random.below(3)).for_each(|_| self.access(thread, flag));
            if self.setters[flag] == thread {
                let order = self.order("memory_order_release");
                writeln!(self.text, "    atomic_store_explicit(&flags[{flag}], 1, {order});").expect("room");
            } else if self.random.once_in(2) {
                let order = self.order("memory_order_acquire");
                let words: Vec<&str> = (0..self.random.below(3))
                    .filter_map(|_| self.word(|rule| matches!(rule, Rule::OnlyRead | Rule::None)))
                    .collect();
                let reads: String = words.iter().map(|word| format!("read({word}); ")).collect();
                writeln!(self.text, "    WAIT(flags[{flag}], {order}, {reads})").expect("room");
            }
        }
        (0..self.random.below(2)).for_each(|_| self.access(thread, self.flags));
        writeln!(self.text, "    return unused;\n}}\n").expect("room");
    }

    fn program(mut self) -> String {
        self.text.push_str(
            r"#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threadbare.h>

#ifdef UNROLLED
#define WAIT(flag, order, reads) for (int k = 0; !atomic_load_explicit(&flag, order); k++) { reads tb_assume(k < 1); }
#else
#define WAIT(flag, order, reads) while (!atomic_load_explicit(&flag, order)) { reads }
#endif

static void read(int value) { if (value == 1000) abort(); }

static int a = 1, b = 1, c = 1, *heap, *local;
static atomic_int flags[3];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

",
        );
        (0..self.threads).for_each(|thread| self.thread(thread));
        self.text.push_str("int main(void) {\n    pthread_t t[3];\n    int own = 1;\n    local = &own;\n");
        self.text.push_str("    heap = malloc(sizeof *heap);\n    *heap = 1;\n");
        for thread in 0..self.threads {
            if self.random.once_in(6) {
                let word = self.random.pick(&WORDS);
                writeln!(self.text, "    {word} = 5;").expect("room");
            }
            writeln!(self.text, "    pthread_create(&t[{thread}], 0, thread{thread}, 0);").expect("room");
        }
        let early = self.random.once_in(8);
        let free = "    free(heap);\n";
        self.text.push_str(if early { free } else { "" });
        (0..self.threads).for_each(|thread| writeln!(self.text, "    pthread_join(t[{thread}], 0);").expect("room"));
        self.text.push_str(if early { "" } else { free });
        self.text.push_str("    return 0;\n}\n");
        self.text
    }
}

fn check(file: &Path, options: &str) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.arg("check").arg(file).args(["--format", "json", "--minimise", "0", "--time-limit", "60"]);
    let output = command.args(options.split(' ')).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {command:?}\n{text}"))
}

/// What is wrong: nothing, a race, or what comes of one.
fn what(json: &Value) -> (&str, &str) {
    (json["verdict"].as_str().unwrap_or_default(), json["bugs"][0]["kind"].as_str().unwrap_or_default())
}

#[test]
fn races_of_waiting_rounds_are_found_whether_they_are_gone_through_or_not() {
    let setting = |name: &str, else_: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(else_);
    let (cases, first) = (setting("TB_FUZZ_C_CASES", 24), setting("TB_FUZZ_SEED", 0));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("test.c");
    let (mut wrong, mut fewer) = (0, 0);
    for seed in first + 1..=first + cases {
        let text = Generator::new(seed).program();
        std::fs::write(&file, &text).expect("writable");
        let unrolled = check(&file, "--strategy optimal --jobs 1 -- -DUNROLLED");
        let expected = what(&unrolled);
        let told =
            |how: &str, found: &Value| format!("seed {seed}, {how}:\n{text}\nunrolled {unrolled}\nfound {found}");
        assert!(["proved", "violated"].contains(&expected.0), "{}", told("unrolled", &unrolled));
        let all = [
            "--strategy optimal --jobs 1",
            "--strategy optimal --jobs 2",
            "--strategy source",
            "--strategy graph",
            "--strategy optimal --backend native",
            "--strategy graph --backend native",
        ];
        let found = all.map(|options| check(&file, options));
        for (options, found) in all.iter().zip(&found) {
            assert_eq!(what(found).0, expected.0, "{}", told(options, found));
            // Which of several is found first hangs on the order of the search.
            if expected.0 == "violated" {
                assert!(["data-race", "use-after-free"].contains(&what(found).1), "{}", told(options, found));
            }
        }
        wrong += u64::from(expected.0 == "violated");
        if expected.0 == "proved" {
            assert_eq!(found[0]["executions"], found[1]["executions"], "{}", told("two jobs", &found[1]));
            assert_eq!(found[0]["executions"], found[4]["executions"], "{}", told("native", &found[4]));
            fewer += u64::from(found[0]["executions"].as_u64() < unrolled["executions"].as_u64());
        }
    }
    println!("{wrong} of {cases} race, {fewer} have fewer executions than with loops unrolled");
    assert!(cases < 20 || (wrong * 5 > cases && wrong * 5 < cases * 4 && fewer * 5 > cases), "{wrong}, {fewer}");
}

/// A round that reads what was written before its thread was there: it was tried out only with the value that the flag once had, and
/// then what the flag hands on now ordered the two.
#[test]
fn a_round_races_with_a_write_from_before_its_thread() {
    let text = r#"
#include <pthread.h>
#include <stdatomic.h>
static int data = 1;
static atomic_int ready;
static void use(int value) { if (value == 1000) __builtin_abort(); }
static void *writer(void *unused) {
    data = 3;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}
static void *reader(void *unused) {
    while (!atomic_load_explicit(&ready, memory_order_acquire)) use(data);
    return unused;
}
int main(void) {
    pthread_t writes, reads;
    pthread_create(&writes, 0, writer, 0);
    pthread_create(&reads, 0, reader, 0);
    pthread_join(writes, 0);
    pthread_join(reads, 0);
    return 0;
}
"#;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("test.c");
    std::fs::write(&file, text).expect("writable");
    for options in [
        "--strategy optimal",
        "--strategy source",
        "--strategy graph",
        "--strategy dfs",
        "--strategy optimal --backend native",
    ] {
        let found = check(&file, options);
        assert_eq!(what(&found), ("violated", "data-race"), "{options}: {found}");
    }
    // If the thread that was there before has handed it on, all is well, and a round need not be gone through.
    let orders = "while (!atomic_load_explicit(&go, memory_order_acquire)) ;\n    while (!atomic_load_explicit(&ready";
    let text = text
        .replace("static atomic_int ready;", "static atomic_int go, ready;")
        .replace("    data = 3;", "    data = 3;\n    atomic_store_explicit(&go, 1, memory_order_release);")
        .replace("while (!atomic_load_explicit(&ready", orders);
    std::fs::write(&file, text).expect("writable");
    for options in ["--strategy optimal", "--strategy optimal --backend native"] {
        let found = check(&file, options);
        assert_eq!(what(&found), ("proved", ""), "{options}: {found}");
    }
}
