//! What the README shows is what `threadbare` says: the blocks between `<!-- output of … -->` marks.

use std::path::Path;
use std::process::Command;

/// Times differ from run to run.
fn without_times(text: &str) -> String {
    let words = text.split_inclusive(char::is_whitespace).collect::<Vec<_>>();
    let is_unit = |word: &str| matches!(word.trim(), "ms" | "s");
    let mut out = String::new();
    for (i, word) in words.iter().enumerate() {
        let number = word.trim().parse::<f64>().is_ok() && words.get(i + 1).is_some_and(|next| is_unit(next));
        out += if number {
            "N "
        } else if i > 0 && is_unit(word) {
            "s "
        } else {
            word
        };
    }
    out
}

#[test]
fn the_readme_shows_real_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README");
    let mut shown = 0;
    for part in readme.split("<!-- output of `threadbare ").skip(1) {
        let (arguments, rest) = part.split_once("`: begin -->").unwrap_or_default();
        if arguments.is_empty() {
            continue;
        }
        let block = rest.split("```").nth(1).expect("a block of output").trim_start_matches('\n');
        let (prompt, expected) = block.split_once('\n').expect("a prompt and its output");
        assert_eq!(prompt, format!("$ threadbare {arguments}"));
        let run = Command::new(env!("CARGO_BIN_EXE_threadbare"))
            .args(arguments.split(' '))
            .current_dir(&root)
            .env("COLUMNS", "100")
            .env("LC_ALL", "C.UTF-8")
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
        assert_eq!(without_times(&said), without_times(expected), "`threadbare {arguments}` says something else");
        shown += 1;
    }
    assert!(shown >= 2, "the README shows the output of a run and of a check");
}
