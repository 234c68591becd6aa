//! Models of the small language on the command line: what people see of mistakes, of bugs and of proofs, and that a
//! recorded bug can be replayed. The screens are snapshots; INSTA_UPDATE=always takes a change over.

mod common;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::root;

/// A folder with one model, in which commands run.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new(model: &str) -> Desk {
        let desk = Desk(tempfile::tempdir().expect("a folder"));
        std::fs::write(desk.0.path().join("model.tb"), model).expect("writable");
        desk
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        command.args(words).current_dir(self.0.path()).stdin(Stdio::null());
        command.env("COLUMNS", "100").env("LC_ALL", "C.UTF-8");
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the binary starts")
    }

    /// All that is printed and the exit code, with what differs from run to run taken out.
    fn screen(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let code = output.status.code().expect("an exit code");
        let both = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(both).expect("UTF-8");
        assert!(!text.contains("panicked"), "{text}");
        format!("$ threadbare {}\n{}[exit code {code}]\n", words.join(" "), without_figures(&text))
    }
}

/// Times and sizes differ from run to run.
fn without_figures(text: &str) -> String {
    let mut lines = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let line = match words.as_slice() {
            ["time" | "memory", ..] => format!("  {:<13}…", words[0]),
            ["violated", "after", .., strategy] => {
                let counts = line.rsplit_once(", ").map_or(line, |(counts, _)| counts);
                format!("{counts}, … {strategy}")
            }
            _ => line.to_string(),
        };
        let _ = writeln!(lines, "{line}");
    }
    lines
}

/// What is said about each of these programs, one after another.
fn complaints(programs: &[&str]) -> String {
    let mut text = String::new();
    for program in programs {
        let screen = Desk::new(program).screen(&["check", "model.tb"]);
        assert!(screen.ends_with("[exit code 2]\n"), "{program}\n{screen}");
        let said = screen.split_once('\n').expect("the command").1.replace("[exit code 2]\n", "");
        let _ = writeln!(text, "{said}");
    }
    text
}

#[test]
fn words_that_are_none() {
    insta::assert_snapshot!(complaints(&[
        "shared x = 0\nthread t { x := 1 @ 2 }\n",
        "thread t { assert true & false }\n",
        "shared x : int = 0\n",
        "thread t { error 'bad' }\n",
        "thread t { error \"bad }\n",
        "shared x = 12x\n",
        "shared x = 99999999999999999999\n",
        "# a comment\n",
        "shared naïve = 0\n",
    ]));
}

#[test]
fn sentences_that_are_none() {
    let deep = format!("thread t {{ assert {}true{} }}\n", "(".repeat(5000), ")".repeat(5000));
    let long = format!("shared x = {}1\nthread t {{ }}\n", "1 + ".repeat(100_000));
    insta::assert_snapshot!(complaints(&[
        "thread t",
        "thread t { assert true\n",
        "thread t { if true { error } }\n",
        "shared x = 0\nthread t { if !x == 0 then x := 1; else x := 2 }\n",
        "shared x = 0\nthread t { assert !x = 1 }\n",
        "thread t { let a = 1; assert a == 1 }\n",
        "let a = 1 in a\n",
        "thread t { assert 1 < 2 < 3 }\n",
        "shared x = 0\nthread t { cas(x, 0) }\n",
        "thread worker[i 0..3] { }\n",
        "thread worker[i in 3] { }\n",
        "shared then = 0\n",
        "let f(a, a) = a\n",
        "let rec k = 1\n",
        "thread t { assert \"text\" }\n",
        "thread t { assert 1 + if true then 1 else 2 == 2 }\n",
        "shared x = 0\nthread t { (fun () -> x)()[3] := 1 }\n",
        "x := 1\n",
        &deep,
        &long,
    ]));
}

#[test]
fn names_that_nobody_knows() {
    insta::assert_snapshot!(complaints(&[
        "shared count = 0\nthread t { conut := 1 }\n",
        "thread t { x := 1 }\nshared x = 0\n",
        "thread t { quux() }\n",
        "shared x = 0\nmutex x\n",
        "shared table[4] = 0\nthread t { table := 1 }\n",
        "shared x = 0\nthread t { x[1] := 1 }\n",
        "let f(n) = if n == 0 then 0 else f(n - 1)\n",
        "thread t { let x = ref 1 in (); x := 2 }\nthread u { x := 3 }\n",
    ]));
}

#[test]
fn values_of_the_wrong_type() {
    insta::assert_snapshot!(complaints(&[
        "shared x = 0\nthread t { assert x == 1 }\n",
        "shared x = 0\nthread t { if !x then error }\n",
        "shared x = 0\nthread t { x := true }\n",
        "param N = 3\nthread t { N := 4 }\n",
        "shared x = 0\nthread t { lock x }\n",
        "mutex m\nthread t { unlock !m }\n",
        "let f(a, b) = a + b\nthread t { assert f(1) == 1 }\n",
        "let f() = 1\nthread t { assert f == 1 }\n",
        "let f() = 1\nthread t { f; () }\n",
        "shared x = 0\nthread t { x; () }\n",
        "mutex m\nthread t { m; () }\n",
        "thread t { let y = if true then 1 else false in () }\n",
        "thread t { let y = if true then 1 in assert y == 1 }\n",
        "thread t { 3(4) }\n",
        "shared f = fun (x) -> x\n",
        "shared x = ()\n",
        "let same(a, b) = a == b\nshared x = 0\nthread t { assert same(x, x) }\n",
        "let id(x) = x\nthread t { assert id(true) && id(1) == 2 && id(1) }\n",
        "let rec f(x) = f\n",
        "shared x = 0\nthread t { let r = ref x in assert r == 1 }\n",
        "thread t { for i in 0..true do () }\n",
    ]));
}

#[test]
fn sizes_and_numbers_that_make_no_sense() {
    insta::assert_snapshot!(complaints(&[
        "shared x = 0\nshared a[!x] = 0\n",
        "param N = 0\nshared a[N] = 0\nthread t { }\n",
        "mutex m[-1]\nthread t { }\n",
        "shared x = 1 / 0\nthread t { }\n",
        "thread t[i in 0..5000] { }\n",
        "shared x = 0\n",
        "param N = 0\nthread t[i in 0..N] { }\n",
        "thread t { }\nfinally { }\nfinally { }\n",
        "shared x = 9_223_372_036_854_775_807 + 1\nthread t { }\n",
    ]));
}

#[test]
fn options_that_make_no_sense() {
    let desk = Desk::new("param N = 2\nparam FAST = true\nshared x = 0\nthread t[i in 0..N] { x := i }\n");
    let mut text = String::new();
    for words in [
        &["check", "model.tb", "-O", "2"][..],
        &["check", "model.tb", "--races", "error"],
        &["check", "model.tb", "--leaks"],
        &["check", "model.tb", "--spurious", "1"],
        &["check", "model.tb", "--stdin", "input"],
        &["check", "model.tb", "--args", "3"],
        &["check", "model.tb", "--", "-DN=3"],
        &["check", "model.tb", "main.c"],
        &["check", "nowhere.tb"],
        &["check", "model.tb", "-D", "M=3"],
        &["check", "model.tb", "-D", "N=many"],
        &["check", "model.tb", "-DFAST=maybe"],
        &["check", "model.tb", "-DN=3", "-DN=4"],
        &["check", "model.tb", "--format", "json", "-D", "M=3"],
        &["run", "model.tb", "--uninit", "allow"],
        &["run", "model.tb", "-DM=1"],
        &["replay", "model.tb"],
    ] {
        let screen = desk.screen(words);
        assert!(screen.contains("[exit code 2]") || screen.contains("[exit code 125]"), "{screen}");
        let _ = writeln!(text, "{screen}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn what_is_wrong_with_a_model() {
    let mut text = String::new();
    for program in [
        // A thread waits for what nobody does.
        "shared flag = false\n\nthread waiter {\n  while not !flag do ()\n}\n",
        // A loop that never ends, and does nothing.
        "shared x = 0\n\nthread t {\n  x := 1;\n  let i = ref 0 in\n  while !i < 10 do\n    i := (!i + 1) % 5;\n  x := 2\n}\n",
        "shared table[4] = 0\nshared n = 0\n\nthread a {\n  n := 4\n}\n\nthread b {\n  table[!n] := 1\n}\n",
        "shared n = 1\n\nthread a {\n  n := 0\n}\n\nthread b {\n  let k = !n in\n  n := 10 / k\n}\n",
        "mutex m\n\nthread a {\n  lock m\n}\n\nthread b {\n  unlock m\n}\n",
        "mutex m\n\nthread a {\n  lock m;\n  lock m\n}\n",
        "shared x = 1\n\nthread t {\n  while true do x := !x * 2\n}\n",
        "thread t {\n  let n = choose(1, 3) in\n  if n * n == 4 then error \"four\"\n}\n",
        "thread t {\n  let n = choose(3, 1) in\n  ()\n}\n",
        "shared x = 0\n\nthread t {\n  assume !x == 1\n}\n",
    ] {
        let _ = writeln!(text, "{program}\n{}", Desk::new(program).screen(&["check", "model.tb"]));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn limits_are_said() {
    let mut text = String::new();
    for (program, options) in [
        ("shared x = 0\nthread t { while true do x := !x + 1 }\n", &["--depth-bound", "50"][..]),
        ("shared x = 0\nthread t { let i = ref 0 in while true do i := !i + 1 }\n", &["--step-limit", "9999"]),
        ("let rec f(n) = 1 + f(n + 1)\nthread t { f(0) }\n", &["--stack-limit", "99"]),
        (
            "shared x = 0\nlet rec f(c) = { let d = ref 0 in f(fun () -> !d + c()) }\nthread t { f(fun () -> 1) }\n",
            &["--program-memory", "1M", "--stack-limit", "99999999"],
        ),
    ] {
        let words = [&["check", "model.tb"], options].concat();
        let _ = writeln!(text, "{program}\n{}", Desk::new(program).screen(&words));
    }
    insta::assert_snapshot!(text);
}

fn model(name: &str) -> Desk {
    let file = root().join("programs/models").join(name);
    Desk::new(&std::fs::read_to_string(file).expect("a model"))
}

#[test]
fn bugs_and_proofs() {
    insta::assert_snapshot!("lost-update", model("counter.tb").screen(&["check", "model.tb"]));
    insta::assert_snapshot!("deadlock", model("philosophers.tb").screen(&["check", "model.tb", "-D", "N=3"]));
    insta::assert_snapshot!("error", model("error_trace.tb").screen(&["check", "model.tb"]));
    insta::assert_snapshot!("proof", model("peterson.tb").screen(&["check", "model.tb", "-D", "ROUNDS=2"]));
}

#[test]
fn one_execution() {
    let desk = model("readers.tb");
    let first = desk.screen(&["run", "model.tb", "--seed", "3"]);
    assert_eq!(first, desk.screen(&["run", "model.tb", "--seed", "3"]), "the same seed, the same execution");
    insta::assert_snapshot!("run", first);
    let failed: Vec<i32> = (0..20)
        .map(|seed| model("counter.tb").run(&["run", "model.tb", "--seed", &seed.to_string()]))
        .map(|output| output.status.code().expect("an exit code"))
        .collect();
    assert!(failed.contains(&0) && failed.contains(&134), "{failed:?}");
}

#[test]
fn executions_without_an_end() {
    let spins = Desk::new("shared x = 0\nthread a { x := 1 }\nthread b { while !x < 2 do () }\n");
    insta::assert_snapshot!("run-spins", spins.screen(&["run", "model.tb"]));
    let counts = "shared x = 0\nthread a { while true do x := (!x + 1) % 10 }\n";
    let limit = Desk::new(counts).screen(&["run", "model.tb", "--operation-limit", "20000"]);
    assert!(limit.contains("thread 0.0 (`a`) did 10000") && limit.contains("--> model.tb:2:"), "{limit}");
    assert!(limit.ends_with("[exit code 125]\n"), "{limit}");
    // A bug after a long time.
    let late = "shared x = 0\nthread a { for i in 0..20000 do x := i; assert !x == 0 }\n";
    insta::assert_snapshot!("run-long", Desk::new(late).screen(&["run", "model.tb"]));
}

#[test]
fn an_interrupt_ends_the_run_of_a_model() {
    let desk = Desk::new("shared x = 0\nthread a { while true do x := (!x + 1) % 10 }\n");
    let mut command = desk.command(&["run", "model.tb", "--operation-limit", "1000000000000"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    std::thread::sleep(std::time::Duration::from_secs(2));
    // SAFETY: a signal to a process that we started and have not waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("interrupted: thread 0.0 (`a`) was running, and stands here, after "), "{text}");
}

#[test]
fn a_recorded_bug_replays() {
    let desk = model("philosophers.tb");
    let check = desk.run(&["check", "model.tb", "-D", "N=3", "--trace", "bug.json"]);
    assert_eq!(check.status.code(), Some(1));
    let replay = desk.run(&["replay", "bug.json", "--format", "json"]);
    assert_eq!(replay.status.code(), Some(1));
    let answer: serde_json::Value = serde_json::from_slice(&replay.stdout).expect("JSON");
    assert_eq!(answer["bugs"][0]["kind"], "deadlock");
    assert_eq!(answer["bugs"][0]["threads"], 3);
    assert_eq!(answer["diverged"], serde_json::Value::Null);
    let human = desk.screen(&["replay", "bug.json"]);
    assert!(human.contains("the bug of the recording"), "{human}");
    // Another program now.
    let path = desk.0.path().join("model.tb");
    let text = std::fs::read_to_string(&path).expect("it is there");
    std::fs::write(&path, text.replace("  lock fork[right];\n", "").replace("  unlock fork[right];\n", ""))
        .expect("writable");
    let changed = desk.screen(&["replay", "bug.json"]);
    assert!(changed.contains("model.tb has changed since the recording"), "{changed}");
    assert!(changed.ends_with("[exit code 4]\n"), "{changed}");
}

#[test]
fn step_by_step() {
    let desk = model("counter.tb");
    let mut command = desk.command(&["replay", "--step", "model.tb", "-D", "N=2"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    child.stdin.take().expect("piped").write_all(b"1\n2\n0\nb\nq\n").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    insta::assert_snapshot!("step-by-step", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn several_bugs_of_one_model() {
    let desk = Desk::new(
        "shared x = 0\nthread a { x := 1; assert !x == 1 }\nthread b { x := 2; assert !x == 2 }\nthread c { if !x == 1 then error }\n",
    );
    let output = desk.run(&["check", "model.tb", "--max-bugs", "all", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let lines: Vec<_> = answer["bugs"].as_array().expect("a list").iter().map(|bug| bug["line"].as_u64()).collect();
    assert_eq!(lines.len(), 3, "{answer}");
    for line in [2, 3, 4] {
        assert!(lines.contains(&Some(line)), "{answer}");
    }
}

/// What the table says, on the command line: the rows that are quick.
#[test]
fn models_have_the_executions_of_the_table() {
    let folder = root().join("programs/models");
    let table = std::fs::read_to_string(folder.join("TABLE")).expect("the table");
    let mut rows = 0;
    for line in table.lines().skip(1).filter(|line| !line.contains("\t-\t-\t")) {
        let field: Vec<&str> = line.split('\t').collect();
        let (executions, deadlocks): (u64, u64) =
            (field[2].parse().expect("a number"), field[3].parse().expect("a number"));
        if executions > 5_000 {
            continue;
        }
        rows += 1;
        let definitions: Vec<String> = field[1].split_whitespace().map(|word| format!("-D {word}")).collect();
        let options = format!("--max-bugs all --minimise 0 {}", definitions.join(" "));
        let check = common::Check::run(Path::new(&folder.join(field[0])), &options, "");
        let bugs = check.json["bugs"].as_array().expect("a list");
        let stuck: u64 =
            bugs.iter().filter(|b| b["kind"] == "deadlock").filter_map(|b| b["occurrences"].as_u64()).sum();
        assert_eq!(check.json["executions"].as_u64(), Some(executions), "{line}: {}", check.json);
        assert_eq!(stuck, deadlocks, "{line}: {}", check.json);
        assert_eq!(check.exit, i32::from(!bugs.is_empty()), "{line}");
    }
    assert!(rows > 100, "only {rows} rows");
}

/// The program that the tour begins with does what the tour says.
#[test]
fn the_tour_holds() {
    let page = std::fs::read_to_string(root().join("docs/language.md")).expect("the page");
    let program = page.split("```\n").nth(1).expect("a program");
    let desk = Desk::new(program);
    assert_eq!(desk.run(&["check", "model.tb"]).status.code(), Some(1));
    assert_eq!(desk.run(&["check", "model.tb", "-D", "N=3"]).status.code(), Some(1));
    assert_eq!(desk.run(&["check", "model.tb", "-D", "N=1"]).status.code(), Some(0));
    let fragment = page.split("```\n").nth(3).expect("a second program");
    let whole = format!(
        "shared held = false\nshared table[4] = 0\nshared total = 0\nthread t {{\n{fragment}\n}}\n\
         finally {{ assert !total == 4 && !table[3] == 3 && !held }}\n"
    );
    assert_eq!(Desk::new(&whole).run(&["check", "model.tb"]).status.code(), Some(0));
}
