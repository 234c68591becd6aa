//! `threadbare compare`: every combination has its row, in the table and in the files.

use std::path::Path;
use std::process::{Command, Output};

fn compare(words: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.current_dir(root).arg("compare").args(words).output().expect("threadbare starts")
}

#[test]
fn every_combination_is_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (csv, svg, html) = (place("c.csv"), place("c.svg"), place("c.html"));
    let output = compare(&[
        "programs/models/readers.tb",
        "programs/counts/readers.c",
        "--strategies",
        "optimal,dpor+sleep,stateful",
        "--races",
        "allow",
        "-D",
        "N=2..4",
        "--csv",
        &csv,
        "--svg",
        &svg,
        "--html",
        &html,
    ]);
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{table}{}", String::from_utf8_lossy(&output.stderr));
    let read = |file: &str| std::fs::read_to_string(file).expect("written");
    let lines: Vec<String> = read(&csv).lines().map(String::from).collect();
    assert_eq!(lines.len(), 1 + 2 * 3 * 3);
    // 2^N traces.
    for line in lines.iter().filter(|line| line.contains("optimal")) {
        let words: Vec<&str> = line.split(',').collect();
        let n: u32 = words[2].parse().expect("a value");
        assert_eq!((words[4], words[6].parse()), ("proved", Ok(1u64 << n)), "{line}");
    }
    assert!(table.contains("programs/counts/readers.c") && table.matches("optimal").count() == 6, "{table}");
    assert!(read(&svg).starts_with("<svg") && read(&html).contains("</html>"));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let said = |words: &[&str]| {
        let output = compare(words);
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout),
        )
    };
    let model = "programs/models/readers.tb";
    for (words, what) in [
        (vec![model, "--strategies", "optimal,nonsense"], "nonsense"),
        (vec![model, "--strategies", "optimal", "--svg", "never-written.svg"], "a plot needs a parameter"),
        (vec![model, "--strategies", "optimal", "-D", "N=1..2", "-D", "M=1..2"], "only one parameter"),
        (vec![model, "--strategies", "optimal", "-D", "N=4..2"], "the first value is the smaller one"),
        (vec![model, "--strategies", "optimal", "-D", "M=4"], "no parameter `M`"),
        (vec!["missing.c", "--strategies", "optimal"], "missing.c"),
    ] {
        let (exit, text) = said(&words);
        assert!(exit == Some(2) && text.contains(what), "{words:?}: {exit:?} {text}");
    }
}
