//! The C programs under `tests/c`: each runs natively and on the virtual machine, and must do the same; or has an
//! error that the machine must report. `tests/c/README.md` tells how the folders are laid out.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A program of one or several files, with what lies beside it.
struct Case {
    name: String,
    files: Vec<PathBuf>,
    flags: Vec<String>,
    args: Vec<String>,
    stdin: Option<PathBuf>,
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c").join(name).canonicalize().expect("the folder is there")
}

fn words(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    shlex::split(text.trim()).expect("shell words")
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension() == Some(OsStr::new(extension))
}

fn cases(name: &str) -> Vec<Case> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder(name)).expect("readable").map(|entry| entry.expect("readable").path()).collect();
    entries.sort();
    let mut cases = Vec::new();
    for path in entries {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            let mut files = Vec::new();
            sources_below(&path, &mut files);
            files.sort();
            let mut flags = words(&path.join("flags"));
            if path.join("inc").is_dir() {
                flags.push(format!("-I{}", path.join("inc").display()));
            }
            let stdin = path.with_extension("stdin");
            cases.push(Case {
                name,
                files,
                flags,
                args: words(&path.with_extension("args")),
                stdin: stdin.exists().then_some(stdin),
            });
        } else if has_extension(&path, "c") {
            let stdin = path.with_extension("stdin");
            cases.push(Case {
                name,
                flags: words(&path.with_extension("flags")),
                args: words(&path.with_extension("args")),
                stdin: stdin.exists().then_some(stdin),
                files: vec![path],
            });
        }
    }
    cases
}

fn sources_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            sources_below(&path, files);
        } else if has_extension(&path, "c") {
            files.push(path);
        }
    }
}

/// Runs `job` for every item on all cores; it gives what is wrong.
fn for_each<T: Sync>(items: &[T], job: impl Fn(&T) -> Vec<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |n| n.get()) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = job(item);
                    wrong.lock().expect("no panic inside").extend(found);
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("no panic inside");
    wrong.sort();
    wrong
}

fn input(case: &Case) -> Stdio {
    match &case.stdin {
        Some(path) => std::fs::File::open(path).expect("readable").into(),
        None => Stdio::null(),
    }
}

/// The exit code as a shell shows it.
fn code(output: &Output) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or(0))
}

fn native(case: &Case, level: &str) -> Output {
    // Two groups may have programs of the same name.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let binary = folder.path().join(&case.name);
    let built = Command::new("clang-19")
        .args(["-w", "-pthread", &format!("-O{level}")])
        .args(&case.flags)
        .args(&case.files)
        .arg("-o")
        .arg(&binary)
        .args(["-lm", "-latomic"])
        .output()
        .expect("clang-19 runs");
    assert!(built.status.success(), "{}: {}", case.name, String::from_utf8_lossy(&built.stderr));
    Command::new(&binary).args(&case.args).stdin(input(case)).output().expect("the program runs")
}

fn on_the_machine(case: &Case, level: &str, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.args(["run", "-O", level]).args(options).args(&case.files);
    if !case.args.is_empty() {
        command.arg("--args").args(&case.args);
    }
    command.arg("--").arg("-w").args(&case.flags).stdin(input(case)).output().expect("threadbare runs")
}

/// Same output and exit code as the hardware, at both levels and under every seed.
fn equal_to_the_hardware(name: &str, at_least: usize, seeds: &[&str]) {
    let cases = cases(name);
    assert!(cases.len() >= at_least, "{} programs in {name}, {at_least} expected", cases.len());
    let wrong = for_each(&cases, |case| {
        let mut wrong = Vec::new();
        for level in ["0", "2"] {
            let expected = native(case, level);
            for seed in seeds {
                let found = on_the_machine(case, level, &["--seed", seed]);
                if found.stdout != expected.stdout || code(&found) != code(&expected) {
                    wrong.push(format!(
                        "{} -O {level} --seed {seed}: exit code {} instead of {}{}\n{}",
                        case.name,
                        code(&found),
                        code(&expected),
                        if found.stdout == expected.stdout { "" } else { ", other output" },
                        String::from_utf8_lossy(&found.stderr)
                    ));
                }
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "{} differences from the hardware:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn sequential_programs_do_what_the_hardware_does() {
    equal_to_the_hardware("seq", 150, &["0"]);
}

#[test]
fn threaded_programs_do_what_the_hardware_does() {
    equal_to_the_hardware("mt", 80, &["0", "7"]);
}

#[test]
fn strange_but_correct_programs_are_not_reported() {
    equal_to_the_hardware("ok", 25, &["0"]);
}

/// What `// expect: KIND LINE …` says.
struct Expectation {
    kind: String,
    line: u32,
    rest: Vec<String>,
    options: Vec<String>,
}

fn expectation(file: &Path) -> Expectation {
    let text = std::fs::read_to_string(file).expect("readable");
    let header = |name: &str| {
        text.lines()
            .take(10)
            .find_map(|line| line.strip_prefix("// ")?.strip_prefix(name))
            .map(|rest| rest.trim().to_string())
    };
    let expect = header("expect:").expect("an error program says what to expect");
    let mut parts = expect.splitn(3, ' ').map(str::to_string);
    Expectation {
        kind: parts.next().expect("a kind"),
        line: parts.next().and_then(|line| line.parse().ok()).expect("a line"),
        rest: parts.next().into_iter().collect(),
        options: header("options:").map(|options| shlex::split(&options).expect("shell words")).unwrap_or_default(),
    }
}

#[test]
fn erroneous_programs_are_reported_where_they_err() {
    let cases = cases("err");
    assert!(cases.len() >= 60, "{} programs", cases.len());
    let wrong = for_each(&cases, |case| {
        let expected = expectation(&case.files[0]);
        let options: Vec<&str> = expected.options.iter().map(String::as_str).collect();
        let output = on_the_machine(case, "0", &options);
        let report = String::from_utf8_lossy(&output.stderr).into_owned();
        let heading = match expected.kind.as_str() {
            "unsupported" => "not supported",
            "limit" => "limit reached",
            kind => kind,
        };
        let mut wrong = Vec::new();
        let mut check = |fits: bool, what: String| {
            if !fits {
                wrong.push(format!("{}: {what}\n{report}", case.name));
            }
        };
        check(report.starts_with(&format!("{heading}: ")), format!("a report of {heading}"));
        if expected.line > 0 {
            let place = format!("{}.c:{}:", case.name, expected.line);
            let first = report.lines().find(|line| line.contains("-->")).unwrap_or("").to_string();
            check(first.contains(&place), format!("the place {place}"));
        }
        for rest in &expected.rest {
            // `object NAME` and `contains TEXT`, in any order.
            let wanted: Vec<&str> = rest.split("contains ").flat_map(|part| part.split("object ")).collect();
            for text in wanted.into_iter().map(str::trim).filter(|text| !text.is_empty()) {
                check(report.contains(text), format!("the words `{text}`"));
            }
        }
        let unable = matches!(expected.kind.as_str(), "unsupported" | "limit");
        check(
            (code(&output) == 125) == unable && code(&output) != 0,
            format!("a fitting exit code, not {}", code(&output)),
        );
        wrong
    });
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
