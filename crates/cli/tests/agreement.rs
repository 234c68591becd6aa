//! Machine code gives the answers of the virtual machine: every program of `programs/` and `tests/` that both backends run, and
//! random ones. The same verdict; with `optimal` the same number of executions; of a bug the same kind and line. What either
//! of them refuses is counted, by reason. CI takes a part; `TB_ALL_AGREEMENT=1` (`make agree-native`) all of it, and
//! `TB_FUZZ_C_CASES` and `TB_FUZZ_SEED` choose the random programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde_json::Value;
use threadbare_pl::{generate, generate_with_error_checks, to_c};

/// Of so many programs CI takes one.
const ONE_OF: usize = 24;
/// Seconds for the virtual machine, where all programs are compared and where some are. Native code may take longer, where it
/// knows less of what states have in common.
const PATIENCE: [u32; 2] = [10, 2];

fn all_are_asked_for() -> bool {
    std::env::var_os("TB_ALL_AGREEMENT").is_some()
}

fn patience() -> u32 {
    PATIENCE[usize::from(!all_are_asked_for())]
}

/// A temporary variable of the compiler's, or of `sleep`: inferred from variants of the programs, not seen in the states.
const FIRST_ROUND: &str = "fewer executions in native code: the first round of a waiting loop sets a variable that only the virtual machine has in memory";

/// Programs that give other answers, and why that is so.
const KNOWN: &[(&str, &str)] = &[
    ("tests/c/err/mutex_block_ends_locked.c", "native code does not notice that a block ends"),
    ("tests/c/seq/end_abort_handler.c", "the line of a call behind a signal handler is not known in native code"),
    ("tests/c/ok/detached_at_exit.c", FIRST_ROUND),
];

/// A thread's local state is its stack and its registers, where what nobody needs any more tells states apart that are one on the
/// virtual machine: rounds of a loop that waits are then gone through more often.
const DEAD_VALUES: &str = "more executions in native code, where dead values tell the rounds of waiting loops apart";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project")
}

struct Case {
    name: String,
    files: Vec<PathBuf>,
    options: Vec<String>,
    flags: Vec<String>,
    arguments: Vec<String>,
}

impl Case {
    fn check(&self, backend: &str, seconds: u32) -> (Value, i32) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        command.current_dir(root()).arg("check").args(&self.files).args(["--backend", backend, "--format", "json"]);
        command.args(["--minimise", "0", "--time-limit", &seconds.to_string()]).args(&self.options);
        if !self.options.iter().any(|option| option == "--strategy") {
            command.args(["--strategy", "optimal"]);
        }
        if !self.arguments.is_empty() {
            command.arg("--args").args(&self.arguments);
        }
        let output = command.arg("--").arg("-w").args(&self.flags).output().expect("threadbare starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let json = serde_json::from_str(&text).unwrap_or_else(|error| {
            panic!("{error}: {command:?} printed\n{text}\n{}", String::from_utf8_lossy(&output.stderr))
        });
        (json, output.status.code().expect("an exit code"))
    }
}

fn words(text: &str) -> Vec<String> {
    shlex::split(text.trim()).expect("shell words")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn entries(folder: &str) -> Vec<PathBuf> {
    let list = std::fs::read_dir(root().join(folder)).expect("a folder of programs");
    let mut list: Vec<PathBuf> = list.map(|entry| entry.expect("readable").path()).collect();
    list.sort();
    list
}

fn c_files(folder: &str) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "c")).collect()
}

fn name_of(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// The rows of a table: which of its columns are flags and options.
fn rows(folder: &str, flags: usize, options: usize, more: &str) -> Vec<Case> {
    let table = read(&root().join(folder).join("TABLE"));
    let case = |line: &str| {
        let field: Vec<&str> = line.split('\t').collect();
        let of = |at: usize| field.get(at).copied().unwrap_or("");
        // The search stops at the first bug.
        let options = format!("{} {more}", of(options).replace("--max-bugs all", ""));
        Case {
            name: format!("{folder}/{} {} {}", field[0], of(flags), options.trim()),
            files: vec![root().join(folder).join(field[0])],
            options: words(&options),
            flags: words(of(flags)),
            arguments: Vec::new(),
        }
    };
    table.lines().skip(1).filter(|line| !line.is_empty() && !line.starts_with('#')).map(case).collect()
}

/// A program of tests/c, whose README says what lies beside it.
fn beside(path: &Path) -> Option<Case> {
    let mut files = vec![path.to_path_buf()];
    let mut flags = words(&read(&path.with_extension("flags")));
    if path.is_dir() {
        let below = |folder: &Path| -> Vec<PathBuf> {
            std::fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path()).collect()
        };
        files = below(path);
        let folders: Vec<PathBuf> =
            files.iter().filter(|file| file.is_dir()).flat_map(|folder| below(folder)).collect();
        files.extend(folders);
        files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
        files.sort();
        flags = words(&read(&path.join("flags")));
        flags.push(format!("-I{}", path.join("inc").display()));
    } else if path.extension().is_none_or(|extension| extension != "c") {
        return None;
    }
    let stdin = path.with_extension("stdin");
    let options = if stdin.exists() { vec!["--stdin".into(), stdin.display().to_string()] } else { Vec::new() };
    Some(Case { name: name_of(path), files, options, flags, arguments: words(&read(&path.with_extension("args"))) })
}

fn all_cases() -> Vec<Case> {
    let mut cases = rows("programs/counts", 1, 4, "");
    cases.extend(rows("programs/seeds", 1, 2, "--races allow"));
    for path in ["programs/pairs", "programs/matching", "programs/temporal", "tests/screens"].map(c_files).concat() {
        let text = read(&path);
        let expected = text.lines().find_map(|line| line.trim().strip_prefix("// expect: ")).unwrap_or("");
        let options = expected.split_once("options=").map_or("", |(_, options)| options);
        let (files, options) = (vec![path.clone()], words(options));
        cases.push(Case { name: name_of(&path), files, options, flags: Vec::new(), arguments: Vec::new() });
    }
    for folder in ["tests/c/mt", "tests/c/ok", "tests/c/err", "tests/c/seq"] {
        cases.extend(entries(folder).iter().filter_map(|path| beside(path)));
    }
    cases
}

/// What came of a comparison.
enum Outcome {
    Agree,
    /// By whom, and why.
    Refused(&'static str, String),
    /// Native code is not searched for this.
    NotLookedFor(String),
    TooLong(&'static str),
    Known(&'static str),
    Differ(String),
}

/// Errors of memory that only the virtual machine is sure to see. Machine code may crash instead.
const OF_MEMORY: &[&str] = &["out-of-bounds", "use-after-free", "uninitialised-read", "leak"];

fn text(json: &Value, name: &str) -> String {
    json[name].as_str().unwrap_or_default().into()
}

fn refusal(json: &Value, exit: i32) -> Option<String> {
    // At run time it may come to light late, and is then why there is no answer.
    let reason = text(&json["error"], "message");
    let reason = reason.lines().next().unwrap_or_default().to_string();
    matches!(exit, 2 | 3)
        .then(|| reason.split('`').enumerate().map(|(i, part)| if i % 2 == 1 && i > 1 { "…" } else { part }).collect())
}

fn compare(case: &Case) -> Outcome {
    let (vm, vm_exit) = case.check("vm", patience());
    if let Some(reason) = refusal(&vm, vm_exit) {
        return Outcome::Refused("the virtual machine", reason);
    }
    if text(&vm, "verdict") == "unknown" {
        return Outcome::TooLong("on the virtual machine");
    }
    let (native, native_exit) = case.check("native", 6 * patience());
    if let Some(reason) = refusal(&native, native_exit) {
        return Outcome::Refused("the native backend", reason);
    }
    let kind = text(&vm["bugs"][0], "kind");
    if OF_MEMORY.contains(&kind.as_str()) && text(&native["bugs"][0], "kind") != kind {
        return Outcome::NotLookedFor(kind);
    }
    if text(&native, "verdict") == "unknown" {
        return Outcome::TooLong("as native code");
    }
    let answer = |json: &Value, exit: i32| {
        let verdict = text(json, "verdict");
        let counts = verdict != "violated";
        let bug = &json["bugs"][0];
        let number = |name: &str| json[name].as_u64().filter(|_| counts);
        let kind = text(bug, "kind");
        // Who goes round for ever may stand anywhere in the loop.
        let line = bug["line"].as_u64().filter(|_| kind != "livelock");
        (verdict, exit, number("executions"), number("cut"), kind, line)
    };
    if answer(&vm, vm_exit) == answer(&native, native_exit) {
        return Outcome::Agree;
    }
    let (of_vm, of_native) = (answer(&vm, vm_exit), answer(&native, native_exit));
    let is_more = (&of_vm.0, of_vm.1) == (&of_native.0, of_native.1) && of_native.2 > of_vm.2;
    if is_more && (waits(case) || agrees_when_optimised(case)) {
        return Outcome::Known(DEAD_VALUES);
    }
    match KNOWN.iter().find(|(name, _)| case.name.starts_with(name)) {
        Some((_, why)) => Outcome::Known(why),
        None => Outcome::Differ(format!("{}\n    vm     {vm}\n    native {native}", case.name)),
    }
}

/// Whether some execution is redundant: only threads that wait in loops make `optimal` begin such ones.
fn waits(case: &Case) -> bool {
    ["vm", "native"].iter().any(|backend| case.check(backend, 6 * patience()).0["blocked"] != 0)
}

/// Whether both explore as many if the compiler keeps fewer values that nobody needs any more.
fn agrees_when_optimised(case: &Case) -> bool {
    let options = case.options.iter().cloned().chain(["-O", "2"].map(String::from)).collect();
    let (name, files) = (case.name.clone(), case.files.clone());
    let (flags, arguments) = (case.flags.clone(), case.arguments.clone());
    let case = Case { name, files, options, flags, arguments };
    let [vm, native] = ["vm", "native"].map(|backend| case.check(backend, 6 * patience()).0);
    vm["executions"].is_u64() && vm["executions"] == native["executions"]
}

/// Compares them on all cores, says what came of it, and gives how many agree.
fn compare_all(cases: &[Case]) -> usize {
    let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |n| n.get()) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
                    let outcome = compare(case);
                    outcomes.lock().expect("no panic inside").push((case.name.clone(), outcome));
                }
            });
        }
    });
    let (mut agree, mut differ) = (0, Vec::new());
    let mut others: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, outcome) in outcomes.into_inner().expect("no panic inside") {
        let what = match outcome {
            Outcome::Agree => {
                agree += 1;
                continue;
            }
            Outcome::Differ(what) => {
                differ.push(what);
                continue;
            }
            Outcome::Refused(by, why) => format!("refused by {by}: {why}"),
            Outcome::NotLookedFor(kind) => format!("not looked for in native code: {kind}"),
            Outcome::TooLong(whom) => format!("takes too long {whom}"),
            Outcome::Known(why) => format!("known to differ: {why}"),
        };
        others.entry(what).or_default().push(name);
    }
    println!("{agree} of {} programs agree", cases.len());
    for (what, names) in &others {
        println!("{:5}  {what}  ({}{})", names.len(), names[0], if names.len() > 1 { ", …" } else { "" });
        if what.starts_with("known") || what.starts_with("takes too long as") {
            names.iter().for_each(|name| println!("           {name}"));
        }
    }
    assert!(differ.is_empty(), "{} of {} differ:\n{}", differ.len(), cases.len(), differ.join("\n"));
    agree
}

#[test]
fn programs_give_the_same_answers_on_both_machines() {
    let mut cases = all_cases();
    assert!(cases.len() > 800, "only {} programs", cases.len());
    if !all_are_asked_for() {
        let mut number = 0;
        cases.retain(|_| {
            number += 1;
            usize::is_multiple_of(number, ONE_OF)
        });
    }
    let most = cases.len();
    let agree = compare_all(&cases);
    assert!(2 * agree > most, "only {agree} of {most} agree");
}

/// So many random programs, by the seed of the first.
fn random_cases(folder: &Path, default: u64) -> Vec<Case> {
    let setting =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (cases, first) = (setting("TB_FUZZ_C_CASES", default), setting("TB_FUZZ_SEED", 0));
    let case = |seed: u64| {
        let program = match seed % 5 {
            0 => generate_with_error_checks(seed),
            _ => generate(seed, seed.is_multiple_of(4)),
        };
        let file = folder.join(format!("random{seed}.c"));
        // Every second one has its variables in pages of their own: natively each page has a history.
        let text = to_c(&program);
        let apart = |line: &str| match line.split_once(' ') {
            Some(("_Atomic" | "pthread_mutex_t" | "pthread_cond_t" | "sem_t", _)) => format!("_Alignas(4096) {line}\n"),
            _ => format!("{line}\n"),
        };
        let text = if seed.is_multiple_of(2) { text.lines().map(apart).collect() } else { text };
        std::fs::write(&file, text).expect("a place to write");
        Case {
            name: format!("random program {seed}"),
            files: vec![file],
            options: Vec::new(),
            flags: Vec::new(),
            arguments: Vec::new(),
        }
    };
    (first + 1..=first + cases).map(case).collect()
}

#[test]
fn random_programs_give_the_same_answers_on_both_machines() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = random_cases(folder.path(), 20);
    let agree = compare_all(&cases);
    assert!(2 * agree > cases.len(), "only {agree} of {} agree", cases.len());
}

/// Where states are stored, fewer may be the same than on the virtual machine; what is found must not be less. `optimal`, which stores
/// none, is the judge.
#[test]
fn stored_states_of_machine_code_lose_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut compared, mut violated) = (0, 0);
    for case in random_cases(folder.path(), 12) {
        let with = |strategy: &str, backend: &str| {
            let options = ["--strategy", strategy].map(String::from).to_vec();
            Case {
                name: case.name.clone(),
                files: case.files.clone(),
                options,
                flags: Vec::new(),
                arguments: Vec::new(),
            }
            .check(backend, 6 * patience())
        };
        let (truth, exit) = with("optimal", "vm");
        if refusal(&truth, exit).is_some() || text(&truth, "verdict") == "unknown" {
            continue;
        }
        for strategy in ["graph", "stateful", "scale"] {
            let (found, exit) = with(strategy, "native");
            if refusal(&found, exit).is_some() || text(&found, "verdict") == "unknown" {
                continue;
            }
            let is_violated = |json: &Value| text(json, "verdict") == "violated";
            // `stateful` may take a race for none where it comes to a known state: it says so, and proves nothing.
            assert!(
                is_violated(&found) == is_violated(&truth)
                    || text(&found, "verdict") == "bounded" && strategy == "stateful",
                "{} with {strategy}\n{truth}\n{found}",
                case.name
            );
            compared += 1;
            violated += u32::from(is_violated(&found));
        }
    }
    assert!(compared >= 6 && violated > 0, "{compared} compared, {violated} violated");
}
