//! The exact numbers of executions: every row of programs/counts/TABLE.

mod common;

use common::{Check, root};

/// Rows with more executions than this are for `make fuzz-engine` (`TB_ALL_COUNTS=1`).
const MOST: u64 = 50_000;

/// The rows whose numbers of executions are wanted, each checked with these options besides; how many there were.
fn check_rows(wanted: impl Fn(u64) -> bool, more: &str) -> usize {
    let folder = root().join("programs/counts");
    let table = std::fs::read_to_string(folder.join("TABLE")).expect("the table");
    let (mut rows, mut wrong) = (0, Vec::new());
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).skip(1) {
        let field: Vec<&str> = line.split('\t').collect();
        let (file, flags, options) = (field[0], field[1], field.get(4).copied().unwrap_or(""));
        let (executions, deadlocks): (u64, u64) =
            (field[2].parse().expect("a number"), field[3].parse().expect("a number"));
        if !wanted(executions) {
            continue;
        }
        rows += 1;
        let check = Check::run(&folder.join(file), &format!("{options} {more}"), flags);
        let found = check.json["executions"].as_u64();
        let bugs = check.json["bugs"].as_array().expect("a list");
        let stuck: u64 =
            bugs.iter().filter(|b| b["kind"] == "deadlock").filter_map(|b| b["occurrences"].as_u64()).sum();
        // Peterson's threads wait in a loop with two looks: half of what is begun turns out redundant.
        let blocked = if file == "peterson.c" { executions } else { 0 };
        // Several workers explore some branches beside others, in source mode, where one of them would have nothing to do
        // (explore/src/dpor/shared.rs). How many, and so how many executions turn out redundant, hangs on the clock.
        let as_many_redundant = more.contains("--jobs") || check.json["blocked"].as_u64() == Some(blocked);
        let verdict = if deadlocks > 0 { "violated" } else { "proved" };
        if found != Some(executions)
            || stuck != deadlocks
            || !as_many_redundant
            || check.json["verdict"] != verdict
            || check.exit != i32::from(deadlocks > 0)
        {
            wrong.push(format!("{line} {more}\n    found {found:?}, {stuck} deadlocks, {}", check.json));
        }
    }
    assert!(wrong.is_empty(), "{} of {rows} rows:\n{}", wrong.len(), wrong.join("\n"));
    rows
}

fn all() -> bool {
    std::env::var_os("TB_ALL_COUNTS").is_some()
}

#[test]
fn every_program_has_as_many_executions_as_the_table_says() {
    let rows = check_rows(|executions| all() || executions <= MOST, "");
    assert!(rows > 100, "only {rows} rows");
}

/// The same executions, however many explore.
#[test]
fn several_workers_find_as_many() {
    for jobs in ["--jobs 2", "--jobs 4"] {
        let rows = check_rows(|executions| all() || (500..=4 * MOST).contains(&executions), jobs);
        assert!(rows > 20, "only {rows} rows");
    }
}

#[test]
fn source_mode_finds_as_many() {
    let folder = root().join("programs/counts");
    for (file, flags, executions) in [
        ("fib_bench.c", "-DN=3 -DREADER", 1698),
        ("lastzero.c", "-DN=8", 704),
        ("indexer.c", "-DN=13", 64),
        ("bounded_buffer.c", "-DP=2 -DC=2", 64),
        ("increments.c", "-DN=4", 576),
        ("philosophers.c", "-DN=4 -DORDERED", 14),
    ] {
        let check = Check::run(&folder.join(file), "--strategy source", flags);
        assert_eq!(check.json["executions"], executions, "{file} {flags}");
        assert_eq!(check.json["verdict"], "proved", "{file} {flags}");
    }
}
