//! The programs of the papers: as many executions, failures, states and runs as programs/seeds/TABLE says, their bugs are
//! found, and no row of the papers' tables needs more runs than there.

mod common;

use common::{Check, root};

/// Rows with more than that are for `make fuzz-engine` (`TB_ALL_COUNTS=1`).
const MOST: u64 = 10_000;

struct Row {
    file: String,
    flags: String,
    options: String,
    /// Complete executions, and those of them that fail.
    executions: Option<u64>,
    failing: u64,
    /// States and transitions of the whole graph, without main's start.
    graph: Option<(u64, u64)>,
    /// Of `scale --filters nsb`.
    runs: Option<u64>,
}

fn table() -> Vec<Row> {
    let text = std::fs::read_to_string(root().join("programs/seeds/TABLE")).expect("the table");
    let row = |line: &str| {
        let field: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| match field[at] {
            "-" => None,
            text => Some(text.parse::<u64>().unwrap_or_else(|_| panic!("{line}: `{text}` is no number"))),
        };
        Row {
            file: field[0].into(),
            flags: field[1].into(),
            options: field[2].into(),
            executions: number(3),
            failing: number(4).unwrap_or(0),
            graph: number(5).zip(number(6)),
            runs: number(7),
        }
    };
    text.lines().skip(1).map(row).collect()
}

impl Row {
    fn check(&self, options: &str) -> Check {
        check(&self.file, &format!("{} {options}", self.options), &self.flags)
    }

    fn name(&self) -> String {
        format!("{} {}", self.file, self.flags)
    }
}

fn check(file: &str, options: &str, flags: &str) -> Check {
    let options = format!("--races allow --minimise 0 {options}");
    Check::run(&root().join("programs/seeds").join(file), &options, flags)
}

fn is_wanted(number: u64) -> bool {
    number <= MOST || std::env::var_os("TB_ALL_COUNTS").is_some()
}

fn number(json: &serde_json::Value, name: &str) -> u64 {
    json[name].as_u64().unwrap_or_else(|| panic!("{name}: {json}"))
}

fn runs(json: &serde_json::Value) -> u64 {
    number(json, "executions") + number(json, "blocked")
}

/// In how many executions an assertion fails.
fn failures(json: &serde_json::Value) -> u64 {
    let bugs = json["bugs"].as_array().expect("bugs").iter();
    bugs.filter(|bug| bug["kind"] == "assertion").map(|bug| number(bug, "occurrences")).sum()
}

/// SCALE* of tables 6.1 to 6.3: only NotSeenBefore. Its own figures are those of the table, but for a handful of nodes that
/// its shorter hashes take for others in the largest rows.
#[test]
fn scale_needs_as_many_runs_as_in_the_thesis() {
    for row in table() {
        let Some(expected) = row.runs.filter(|&runs| is_wanted(runs)) else { continue };
        let json = row.check("--strategy scale --filters nsb").json;
        assert_eq!(json["verdict"], "proved", "{}: {json}", row.name());
        assert_eq!((Some(number(&json, "executions")), runs(&json)), (row.executions, expected), "{}", row.name());
        if expected < MOST {
            let json = row.check("--strategy scale --filters nsb=exact").json;
            assert_eq!(runs(&json), expected, "{}, exactly", row.name());
        }
    }
}

/// Super steps never need more runs, and far fewer where threads keep out of each other's way.
#[test]
fn super_steps_save_runs() {
    for row in table() {
        let Some(most) = row.runs.filter(|&runs| runs <= MOST) else { continue };
        let json = row.check("--strategy scale").json;
        assert_eq!((json["verdict"].as_str(), json["executions"].as_u64()), (Some("proved"), row.executions), "{json}");
        assert!(runs(&json) <= most, "{}: {}", row.name(), runs(&json));
        // What the thesis needs.
        let published = [("-DN=1", 1), ("-DN=2", 2), ("-DN=3", 8), ("-DN=4", 32)];
        if let Some((_, most)) = published.iter().find(|(flags, _)| row.file == "hash_table.c" && *flags == row.flags) {
            assert!(runs(&json) <= *most, "{}: {}", row.name(), runs(&json));
        }
    }
}

/// Every trace once, and in as many of them something fails. The largest rows with a graph take seconds, and are in CI, too.
#[test]
fn optimal_does_each_row_at_once() {
    for row in table() {
        let Some(executions) = row.executions.filter(|&n| is_wanted(n) || n < 500_000) else { continue };
        let json = row.check("--strategy optimal --max-bugs all").json;
        assert_eq!((number(&json, "executions"), number(&json, "blocked")), (executions, 0), "{}: {json}", row.name());
        assert_eq!(failures(&json), row.failing, "{}: {json}", row.name());
        assert_eq!(json["verdict"], if row.failing > 0 { "violated" } else { "proved" }, "{}: {json}", row.name());
    }
}

/// The whole graph. That main starts is a step of its own, which the numbers of the table do not count.
#[test]
fn stateful_visits_as_many_states() {
    for row in table() {
        let Some((states, transitions)) = row.graph.filter(|&(states, _)| is_wanted(states)) else { continue };
        let json = row.check("--strategy stateful --max-bugs all").json;
        assert_eq!(
            (number(&json, "states"), number(&json, "transitions")),
            (states + 1, transitions + 1),
            "{}: {json}",
            row.name()
        );
        assert_eq!(failures(&json) > 0, row.failing > 0 || row.file == "nonblocking_queue.c", "{}: {json}", row.name());
    }
}

/// Tables 6.1 to 6.3 of the SCALE thesis: the fewest runs of a complete search, SCALE or SCALE*; of the indexer, Inspect needs
/// one. Inspect does not explore everything in the other two, and CHESS is bounded. `docs/results/scale.md` has the times.
#[test]
fn no_row_of_the_thesis_needs_more_runs_than_there() {
    let published = [
        ("hash_table.c", "-DN=1", 1),
        ("hash_table.c", "-DN=2", 1),
        ("hash_table.c", "-DN=3", 1),
        ("hash_table.c", "-DN=4", 1),
        ("hash_table.c", "-DN=5", 1),
        ("hash_table.c", "-DN=6", 1),
        ("hash_table.c", "-DN=7", 1),
        ("thread_pool.c", "-DSIZE=1", 6),
        ("thread_pool.c", "-DSIZE=2", 124),
        ("thread_pool.c", "-DSIZE=3", 3_347),
        ("thread_pool.c", "-DSIZE=4", 127_766),
        ("reusable_barrier.c", "-DN=2 -DSTEPS=1", 6),
        ("reusable_barrier.c", "-DN=2 -DSTEPS=2", 54),
        ("reusable_barrier.c", "-DN=2 -DSTEPS=3", 486),
        ("reusable_barrier.c", "-DN=2 -DSTEPS=4", 4_374),
        // One more than printed: see `scale_needs_as_many_runs_as_in_the_thesis`.
        ("reusable_barrier.c", "-DN=2 -DSTEPS=5", 39_366),
        ("reusable_barrier.c", "-DN=3 -DSTEPS=1", 481),
        ("reusable_barrier.c", "-DN=3 -DSTEPS=2", 431_894),
        ("reusable_barrier.c", "-DN=4 -DSTEPS=1", 143_639),
    ];
    for (file, flags, most) in published {
        // States of threads that never meet are many, those of threads that wait for each other few.
        let at_once = if file == "hash_table.c" { "optimal" } else { "stateful" };
        for strategy in ["optimal", at_once] {
            let Check { json, exit } = check(file, &format!("--strategy {strategy}"), flags);
            // Whether memory goes while it is in use is more than stored states tell: of the pool, `optimal` proves it.
            let is_more = file == "thread_pool.c" && strategy == "stateful";
            assert!(exit == 0 || is_more && exit == 4, "{file} {flags}: {json}");
            assert!(runs(&json) <= most, "{file} {flags}: {} runs of {strategy}, {most} in the thesis", runs(&json));
        }
    }
}

/// Section 6.1: a number is lost. Main reads another one than it expects, or waits for ever for the one that was lost.
#[test]
fn the_queue_loses_a_number() {
    for n in 2..=10 {
        let flags = format!("-DN={n}");
        for strategy in ["optimal --max-bugs 2", "stateful --superstep --max-bugs 2", "scale --order bfs"] {
            let Check { json, exit } = check("nonblocking_queue.c", &format!("--strategy {strategy}"), &flags);
            // Breadth first ends with the shorter one of the two: the thread that waits.
            let any = strategy.starts_with("scale");
            assert!(exit == 1 && (any || failures(&json) > 0), "{strategy}, {n}: {json}");
        }
    }
}

/// Section 6.5: what other tools miss since they never run the new thread first.
/// Main looks at an empty place, is overtaken, and steps over it on the strength of what it saw: the lanes show all three.
#[test]
fn the_way_to_the_lost_number_shows_what_was_out_of_date() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_threadbare"));
    let words = "check programs/seeds/nonblocking_queue.c --races allow --jobs 1 --max-bugs 2 -D N=2";
    let output = command.current_dir(root()).args(words.split(' ')).output().expect("threadbare starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, story) = text.split_once("assertion `*take() == i` failed\n").expect("the assertion");
    let at = |what: &str| story.find(what).unwrap_or_else(|| panic!("`{what}` is left out:\n{story}"));
    let (seen, changed) = (at("● read ring[0].number = NULL"), at("● ring[0].number: NULL → &numbers[0]"));
    assert!(seen < changed && changed < at("● front: 0 → 1"), "{story}");
    assert!(story.contains("steps left out"), "{story}");
}

#[test]
fn bugs_that_others_miss_are_found() {
    for file in ["producer_consumer.c", "new_thread_first.c"] {
        for strategy in ["optimal", "source", "dpor", "sleep", "scale", "sdpor", "stateful", "dpor --context-bound 1"] {
            let Check { json, exit } = check(file, &format!("--strategy {strategy}"), "");
            assert!(exit == 1 && failures(&json) > 0, "{file}, {strategy}: {json}");
        }
    }
}

/// Without `volatile`, the compiler leaves out the loop that waits.
#[test]
fn peterson_needs_volatile_where_the_compiler_is_clever() {
    for rounds in ["", "-DROUNDS=1", "-DROUNDS=2"] {
        for level in 0..=3 {
            for volatile in [true, false] {
                let flags = format!("{rounds} {}", if volatile { "-DVOLATILE" } else { "" });
                for strategy in ["stateful", "stateful --superstep", "sdpor", "stateful --context-bound 2"] {
                    let options = format!("--strategy {strategy} -O {level} --invariant exclusive");
                    let json = check("peterson.c", &options, &flags).json;
                    let holds = if strategy.contains("bound") { "bounded" } else { "proved" };
                    let expected = if volatile || level == 0 { holds } else { "violated" };
                    assert_eq!(json["verdict"], expected, "{options} {flags}: {json}");
                }
            }
        }
    }
}

/// What a reduction is for: on the programs of the paper that it comes from, it explores less than the search that it reduces.
#[test]
fn every_reduction_beats_what_it_reduces_on_the_programs_of_its_paper() {
    let (barrier, pool) = (("reusable_barrier.c", "-DN=3 -DSTEPS=1"), ("thread_pool.c", "-DSIZE=2"));
    let (sums, buffer) = (("opposite_sums.c", "-DN=20 -DATOMIC"), ("bounded_buffer.c", "-DOPS=2 -DCONSUMERS=1"));
    let peterson = ("peterson.c", "-DVOLATILE -DROUNDS=1");
    for (what, full, reduced, program) in [
        ("transitions", "dfs", "scale --filters nsb", barrier),
        ("transitions", "dfs", "scale --filters nsb", pool),
        ("transitions", "dfs", "scale", pool),
        ("transitions", "scale --filters nsb", "scale --filters nsb,ss", ("hash_table.c", "-DN=3")),
        ("transitions", "scale --filters nsb", "scale --filters nsb,ss", ("thread_pool.c", "-DSIZE=3")),
        ("transitions", "dfs", "sleep", barrier),
        ("transitions", "dfs", "dpor", barrier),
        ("transitions", "dfs", "dpor+sleep", barrier),
        ("transitions", "dfs", "source", barrier),
        ("transitions", "dfs", "optimal", barrier),
        ("transitions", "dfs", "stateful", barrier),
        ("transitions", "stateful", "stateful+sleep", ("hash_table.c", "-DN=3")),
        ("transitions", "dfs", "dpor --context-bound 2", sums),
        ("transitions", "dpor", "dpor --context-bound 2", sums),
        ("transitions", "dfs", "sdpor", sums),
        ("transitions", "dpor", "sdpor", sums),
        ("transitions", "dpor", "sdpor --capture delta", sums),
        ("transitions", "dpor", "sdpor", buffer),
        ("transitions", "dpor", "sdpor --capture delta", buffer),
        ("states", "stateful", "sdpor", buffer),
        ("states", "stateful", "stateful --superstep", peterson),
        ("states", "stateful", "sdpor", peterson),
    ] {
        let count = |strategy: &str| {
            let json = check(program.0, &format!("--strategy {strategy}"), program.1).json;
            assert!(["proved", "bounded"].contains(&json["verdict"].as_str().unwrap_or("")), "{strategy}: {json}");
            number(&json, what)
        };
        let (all, less) = (count(full), count(reduced));
        assert!(less < all, "{program:?}: {less} {what} of `{reduced}`, {all} of `{full}`");
    }
}
