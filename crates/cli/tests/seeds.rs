//! The programs of the SCALE thesis: as many executions and runs as programs/seeds/TABLE says.

mod common;

use common::{Check, root};

/// Rows with more runs than this are for `make fuzz-engine` (`TB_ALL_COUNTS=1`).
const MOST: u64 = 10_000;

struct Row {
    file: String,
    flags: String,
    executions: u64,
    runs: u64,
}

fn table() -> Vec<Row> {
    let text = std::fs::read_to_string(root().join("programs/seeds/TABLE")).expect("the table");
    let row = |line: &str| {
        let field: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| field[at].parse().expect("a number");
        Row { file: field[0].into(), flags: field[1].into(), executions: number(2), runs: number(3) }
    };
    text.lines().skip(1).map(row).collect()
}

fn check(row: &Row, options: &str) -> Check {
    let options = format!("--races allow {options}");
    Check::run(&root().join("programs/seeds").join(&row.file), &options, &row.flags)
}

fn is_wanted(row: &Row) -> bool {
    row.runs <= MOST || std::env::var_os("TB_ALL_COUNTS").is_some()
}

/// SCALE* of tables 6.1 to 6.3: only NotSeenBefore. Its own figures are those of the table, but for a handful of nodes that
/// its shorter hashes take for others in the largest rows.
#[test]
fn scale_needs_as_many_runs_as_in_the_thesis() {
    let rows = table();
    for row in rows.iter().filter(|row| is_wanted(row)) {
        let what = format!("{} {}", row.file, row.flags);
        let json = check(row, "--strategy scale --filters nsb").json;
        assert_eq!(json["verdict"], "proved", "{what}: {json}");
        let number = |name: &str| json[name].as_u64().expect("a number");
        assert_eq!(
            (number("executions"), number("executions") + number("blocked")),
            (row.executions, row.runs),
            "{what}"
        );
        if row.runs < MOST {
            let json = check(row, "--strategy scale --filters nsb=exact").json;
            assert_eq!(json["blocked"], row.runs - row.executions, "{what}, exactly");
        }
    }
}

/// Super steps never need more runs, and far fewer where threads keep out of each other's way.
#[test]
fn super_steps_save_runs() {
    for row in table().iter().filter(|row| row.runs <= MOST) {
        let json = check(row, "--strategy scale").json;
        let runs = json["executions"].as_u64().expect("a number") + json["blocked"].as_u64().expect("a number");
        assert_eq!((&json["verdict"], &json["executions"]), (&"proved".into(), &row.executions.into()), "{}", row.file);
        assert!(runs <= row.runs, "{} {}: {runs}", row.file, row.flags);
        // What the thesis needs.
        let published = [("-DN=1", 1), ("-DN=2", 2), ("-DN=3", 8), ("-DN=4", 32)];
        if let Some((_, most)) = published.iter().find(|(flags, _)| row.file == "hash_table.c" && *flags == row.flags) {
            assert!(runs <= *most, "{} {}: {runs}", row.file, row.flags);
        }
    }
}

/// Every row within a second, with fewer runs than the best complete search of the thesis: 324,000 against 431,894 in the
/// largest one.
#[test]
fn optimal_does_each_row_at_once() {
    for row in table() {
        let Check { json, exit } = check(&row, "--strategy optimal");
        assert_eq!(exit, 0, "{} {}: {json}", row.file, row.flags);
        assert_eq!(
            (&json["executions"], &json["blocked"]),
            (&row.executions.into(), &0.into()),
            "{} {}",
            row.file,
            row.flags
        );
    }
}
