//! What `check` says of the programs of tests/screens, as people see it at 80 columns. `TB_BLESS=1` takes a change over: look
//! at it with `git diff` first.

use std::path::Path;
use std::process::Command;

/// Without what differs from run to run.
fn screen_of(program: &Path) -> String {
    let source = std::fs::read_to_string(program).expect("a program");
    let options = source.lines().find_map(|line| line.strip_prefix("// options: ")).unwrap_or("");
    let output = Command::new(env!("CARGO_BIN_EXE_threadbare"))
        .current_dir(program.parent().expect("a folder"))
        .args(["check", &program.file_name().expect("a name").to_string_lossy()])
        .args(shlex::split(options).expect("options"))
        .env("COLUMNS", "80")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("threadbare starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let without_time = |line: &str| match line.split_once(" transitions, ") {
        Some((before, after)) => format!("{before} transitions, TIME{}\n", &after[after.find(" (").unwrap_or(0)..]),
        None if line.starts_with("  time ") => "  time         TIME\n".into(),
        None if line.starts_with("  memory ") => "  memory       MEMORY\n".into(),
        None => format!("{line}\n"),
    };
    text.lines().map(without_time).collect()
}

#[test]
fn screens_are_as_they_were_when_somebody_looked() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/screens");
    let mut programs: Vec<_> =
        std::fs::read_dir(folder).expect("the programs").map(|entry| entry.expect("an entry").path()).collect();
    programs.retain(|path| path.extension().is_some_and(|ending| ending == "c"));
    programs.sort();
    assert!(programs.len() >= 8, "only {} programs", programs.len());
    let mut wrong = Vec::new();
    for program in &programs {
        let (golden, screen) = (program.with_extension("txt"), screen_of(program));
        for line in screen.lines() {
            let columns = unicode_width::UnicodeWidthStr::width(line);
            assert!(columns <= 80, "{}: {columns} columns: {line}", program.display());
        }
        if std::env::var_os("TB_BLESS").is_some() {
            std::fs::write(&golden, &screen).expect("a place to write");
        }
        let known = std::fs::read_to_string(&golden).unwrap_or_default();
        if known != screen {
            wrong.push(format!("{}\nknown:\n{known}\nfound:\n{screen}", program.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
