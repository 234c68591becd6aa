//! The programs of programs/pairs: each bug is found where its `// expect:` line says, by the schedule in tests/golden/pairs,
//! and its repaired twin is proved. `TB_BLESS=1` writes the schedules anew.

mod common;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Check, root};

/// The words of an `// expect:` line.
struct Expected {
    proved: bool,
    kinds: Vec<String>,
    lines: Vec<u64>,
    options: String,
}

fn expected(source: &str) -> Expected {
    let line = source.lines().find_map(|line| line.trim().strip_prefix("// expect: ")).expect("an expectation");
    let (line, options) = line.split_once("options=").unwrap_or((line, ""));
    let word = |name: &str| line.split_whitespace().find_map(|word| word.strip_prefix(name)).unwrap_or("");
    Expected {
        proved: line.starts_with("proved"),
        kinds: word("kind=").split('|').map(str::to_string).collect(),
        lines: word("line=").split('|').filter_map(|n| n.parse().ok()).collect(),
        options: options.trim().to_string(),
    }
}

/// Verdict, exit code and schedule, without what differs from run to run.
fn normalised(check: &Check) -> String {
    let mut text = format!("{} exit {}\n", check.json["verdict"].as_str().unwrap_or("?"), check.exit);
    for bug in check.json["bugs"].as_array().expect("a list") {
        let _ = writeln!(text, "{}: {} (line {})", bug["kind"].as_str().unwrap_or("?"), bug["message"], bug["line"]);
        for step in bug["schedule"].as_array().expect("a list") {
            let _ = writeln!(text, "  {} {}", step[0].as_str().unwrap_or("?"), step[1]);
        }
    }
    text
}

fn wrong(path: &Path) -> Option<String> {
    let source = std::fs::read_to_string(path).expect("a program");
    let expected = expected(&source);
    if expected.options.contains("--livelock") {
        return None;
    }
    // What the first search finds does not hang on time; what it is shortened to may.
    let check = Check::run(path, &format!("--minimise 0 {}", expected.options), "");
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let complaint = |what: String| Some(format!("{name}: {what}\n    {}", check.json));
    if expected.proved {
        let proved = check.json["verdict"] == "proved" && check.exit == 0;
        return if proved { None } else { complaint("is not proved".into()) };
    }
    let bug = &check.json["bugs"][0];
    if check.json["verdict"] != "violated" || check.exit != 1 {
        return complaint("is not found".into());
    }
    if !expected.kinds.iter().any(|kind| bug["kind"] == **kind) {
        return complaint(format!("is a {}", bug["kind"]));
    }
    if !bug["line"].as_u64().is_some_and(|line| expected.lines.contains(&line)) {
        return complaint(format!("is at line {}", bug["line"]));
    }
    let golden = root().join("tests/golden/pairs").join(format!("{name}.txt"));
    let found = normalised(&check);
    if std::env::var_os("TB_BLESS").is_some() {
        std::fs::create_dir_all(golden.parent().expect("a folder")).expect("a place to write");
        std::fs::write(&golden, &found).expect("a place to write");
    }
    match std::fs::read_to_string(&golden) {
        Ok(known) if known == found => None,
        Ok(known) => complaint(format!("has another schedule.\nknown:\n{known}found:\n{found}")),
        Err(error) => complaint(format!("{}: {error}", golden.display())),
    }
}

fn pairs(ending: &str) -> Vec<PathBuf> {
    let folder = root().join("programs/pairs");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the pairs").map(|e| e.expect("an entry").path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(ending));
    files.sort();
    files
}

fn check_all(ending: &str, least: usize) {
    let files = pairs(ending);
    assert!(files.len() >= least, "only {} programs", files.len());
    let wrong: Vec<String> = files.iter().filter_map(|path| wrong(path)).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), files.len(), wrong.join("\n"));
}

#[test]
fn every_bug_is_found() {
    check_all("-bug.c", 100);
}

#[test]
fn every_repaired_program_is_proved() {
    check_all("-fixed.c", 100);
}

/// What the replay of a bug of machine code has to say, if there is one.
fn replayed_natively(path: &Path, folder: &Path) -> Option<(bool, String)> {
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let options = expected(&std::fs::read_to_string(path).expect("a program")).options;
    let trace = folder.join(format!("{name}.json"));
    let options = format!("--backend native --minimise 0 --trace {} {options}", trace.display());
    let check = Check::run(path, &options, "");
    if check.json["verdict"] != "violated" {
        return None;
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    let output = command.arg("replay").arg(&trace).output().expect("threadbare starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some((text.contains("\nthe bug of the recording\n"), format!("{name}: {text}")))
}

/// Machine code learns where threads wait when they go round: a replay of a livelock ended before anybody had.
#[test]
fn every_bug_of_machine_code_replays() {
    let files = pairs("-bug.c");
    let folder = tempfile::tempdir().expect("a folder");
    let (next, found, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some((shows, what)) = replayed_natively(path, folder.path()) else { continue };
                    found.fetch_add(1, Ordering::Relaxed);
                    if !shows {
                        wrong.lock().expect("nobody panics").push(what);
                    }
                }
            });
        }
    });
    let (found, wrong) = (found.into_inner(), wrong.into_inner().expect("nobody panics"));
    assert!(wrong.is_empty(), "{} of {found}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(found >= 90, "only {found}");
}
