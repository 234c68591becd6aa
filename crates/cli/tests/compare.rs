//! `threadbare compare`: every combination has its row, in the table and in the files.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

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
        (vec![model, "--strategies", "optimal", "--vary", "context-bound"], "--vary wants an option"),
        (vec![model, "--strategies", "dpor", "--vary", "context-bound=0..1", "-D", "N=1..2"], "only one parameter"),
        (vec![model, "--strategies", "dpor", "--vary", "contxt-bound=0..1"], "there are --runs, --seed, --depth-bound"),
        (vec![model, "--strategies", "scale", "--filters", "nsb"], "belongs to one strategy"),
        (vec![model, "--strategies", "optimal,scale --filters nsb"], "whose options"),
        (vec![model, "--strategies", "optimal --context-bound 1"], "cannot keep to --context-bound"),
        (vec![model, "--strategies", "optimal", "--beside", "nowhere.csv"], "cannot read nowhere.csv"),
        (vec![model, "--strategies", "optimal", "-D", "N=1..2", "-D", "M=1..2"], "only one parameter"),
        (vec![model, "--strategies", "optimal", "-D", "N=4..2"], "the first value is the smaller one"),
        (vec![model, "--strategies", "optimal", "-D", "M=4"], "no parameter `M`"),
        (vec!["missing.c", "--strategies", "optimal"], "missing.c"),
    ] {
        let (exit, text) = said(&words);
        assert!(exit == Some(2) && text.contains(what), "{words:?}: {exit:?} {text}");
    }
}

/// One table holds a strategy with several options, and `-D` means the same as in `check`.
#[test]
fn a_strategy_may_have_options() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (csv, svg) = (place("c.csv"), place("c.svg"));
    let entries = "optimal; scale --filters nsb; scale --filters nsb,lcd,ss --order bfs; stateful --superstep";
    let file = "programs/seeds/hash_table.c";
    let words = [file, "--strategies", entries, "--races", "allow", "-D", "N=2", "--csv", &csv, "--svg", &svg];
    let output = compare(&words);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&csv).expect("written");
    let runs: Vec<u64> = text
        .lines()
        .skip(1)
        .map(|line| {
            // Filters have commas.
            let cells: Vec<&str> = line.rsplit(',').collect();
            let number = |from_the_end: usize| cells[from_the_end].parse::<u64>().expect("a number");
            number(5) + number(4)
        })
        .collect();
    assert_eq!(runs.len(), 4, "{text}");
    assert_eq!(runs[..2], [1, 18], "{text}");
    assert!(std::fs::read_to_string(&svg).expect("bars").contains("hash_table.c N=2"));
    let mut check = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let words =
        ["check", file, "-D", "N=2", "--races", "allow", "--strategy", "scale", "--filters", "nsb", "--format", "json"];
    let output = check.current_dir(root).args(words).output().expect("threadbare starts");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["executions"].as_u64().zip(json["blocked"].as_u64()), Some((1, 17)), "{json}");
}

/// Options take several values, too; code of another level may have another verdict.
#[test]
fn an_option_may_take_several_values() {
    let entries = "stateful --context-bound 1; stateful -O 2 --context-bound 1";
    let peterson = ["programs/seeds/peterson.c", "--races", "allow", "--invariant", "exclusive", "-D", "ROUNDS=1"];
    let words: Vec<&str> = peterson.into_iter().chain(["--strategies", entries]).collect();
    let output = compare(&words);
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{table}{}", String::from_utf8_lossy(&output.stderr));
    assert!(table.contains("bounded") && table.contains("violated: invariant"), "{table}");
    let words = ["programs/models/philosophers.tb", "--strategies", "dpor,dfs", "--vary", "context-bound=0..2"];
    let output = compare(&[&words[..], &["--markdown", "-", "--show", "transitions"]].concat());
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(table.starts_with("| context-bound | `dpor` | `dfs` |\n"), "{table}");
    assert_eq!(table.lines().count(), 5, "{table}");
}

/// What cannot be checked is said with its place; where a result cannot be written, nothing is begun; a step is a step.
#[test]
fn what_is_wrong_is_said_in_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bad.tb");
    std::fs::write(&file, "shared x = 0\nthread t { x := }\n").expect("writable");
    let bad = compare(&[&file.display().to_string(), "--strategies", "optimal"]);
    let said = String::from_utf8_lossy(&bad.stdout).into_owned();
    assert!(bad.status.code() == Some(2) && said.contains("bad.tb:2: "), "{said}");
    let nowhere = folder.path().join("missing/c.csv").display().to_string();
    for (words, what) in [(["--csv", &nowhere], "cannot write"), (["-D", "N=2..6/0"], "a step is 1 at least")] {
        let output = compare(&[&["programs/models/readers.tb", "--strategies", "optimal"], &words[..]].concat());
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && complaint.contains(what), "{complaint}");
        assert!(output.stdout.is_empty());
    }
}

/// What was measured before Ctrl-C counts, and the search that goes on is told.
#[test]
fn an_interrupted_comparison_shows_what_it_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = folder.path().join("c.csv");
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command.args(["compare", "programs/models/fib_bench.tb", "--strategies", "optimal", "--time-limit", "100"]);
    command.args(["-D", "N=2..13", "--csv"]).arg(&csv).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("threadbare starts");
    std::thread::sleep(Duration::from_secs(3));
    // SAFETY: a signal to a child that has not been waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
    let output = child.wait_with_output().expect("it ends");
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(130), "{table}");
    assert!(table.contains("proved") && table.contains("not tried"), "{table}");
    assert_eq!(std::fs::read_to_string(&csv).expect("written").lines().count(), 13);
}
