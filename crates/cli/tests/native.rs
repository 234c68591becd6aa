//! The native backend: machine code gives the answers of the virtual machine, survives what programs do to it, and refuses by
//! name what it cannot see.

mod common;

use std::path::PathBuf;
use std::process::Command;

use common::{Check, root};

fn check(file: &std::path::Path, backend: &str, options: &str, flags: &str) -> Check {
    Check::run(file, &format!("--backend {backend} {options}"), flags)
}

/// Verdict, number of executions where nothing ends the search early, and kinds of bugs.
fn answer(check: &Check) -> (String, Option<u64>, Vec<String>, i32) {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
    let verdict = text(&check.json["verdict"]);
    let executions = check.json["executions"].as_u64().filter(|_| verdict == "proved");
    let bugs = check.json["bugs"].as_array().expect("a list").iter().map(|bug| text(&bug["kind"])).collect();
    (verdict, executions, bugs, check.exit)
}

fn agree(file: &str, options: &str, flags: &str) {
    let file = root().join("programs").join(file);
    let [vm, native] = ["vm", "native"].map(|backend| check(&file, backend, options, flags));
    assert_eq!(answer(&vm), answer(&native), "{file:?} {options} {flags}\n{}\n{}", vm.json, native.json);
}

#[test]
fn both_machines_explore_as_many_executions() {
    for (file, options, flags) in [
        ("counts/filesystem.c", "", "-DN=17"),
        ("counts/indexer.c", "", "-DN=13"),
        ("counts/readers.c", "", "-DN=8"),
        ("counts/lastzero.c", "", "-DN=5"),
        ("counts/fib_bench.c", "", "-DN=3 -DREADER"),
        ("counts/mutex_counter.c", "", "-DN=5"),
        ("counts/bounded_buffer.c", "", "-DP=2 -DC=2"),
        ("counts/cond_barrier.c", "", "-DN=3 -DS=2"),
        ("counts/pthread_barrier.c", "", "-DN=3 -DS=2"),
        ("counts/philosophers.c", "", "-DN=4 -DORDERED"),
        ("counts/peterson.c", "", "-DK=2"),
        ("counts/spin_locks.c", "", "-DN=3 -DCAS"),
        ("counts/spin_barrier.c", "", "-DN=3"),
        ("counts/lastzero.c", "--races allow", "-DN=5 -DPLAIN"),
    ] {
        agree(file, &format!("--strategy optimal {options}"), flags);
    }
}

#[test]
fn both_machines_find_the_same_bugs() {
    for name in
        ["lock-order", "double-init", "foreign-unlock", "c11-lost-signal", "if-instead-of-while", "joined-twice"]
    {
        for kind in ["bug", "fixed"] {
            agree(&format!("pairs/{name}-{kind}.c"), "--strategy optimal", "");
        }
    }
}

#[test]
fn strategies_agree() {
    for strategy in ["source", "dfs", "random", "pct:3"] {
        let file = root().join("programs/pairs/lock-order-bug.c");
        let found = check(&file, "native", &format!("--strategy {strategy}"), "");
        assert_eq!(answer(&found).2, ["deadlock"], "{strategy}: {}", found.json);
    }
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, text: &str) -> PathBuf {
        let file = self.0.path().join("test.c");
        std::fs::write(&file, text).expect("writable");
        file
    }

    fn check(&self, text: &str, options: &str) -> Check {
        check(&self.file(text), "native", options, "")
    }
}

/// Two threads, the second of which does this.
fn threads(body: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\nint zero; int deep(int n) {{ char room[4096] = {{n}}; return deep(n + 1) + room[n % 4096]; }}\n\
         static void *second(void *p) {{\n{body}\nreturn p; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, second, 0); pthread_join(t, 0); return 0; }}\n"
    )
}

#[test]
fn crashes_are_bugs_with_their_lines() {
    let folder = Folder::new();
    for (body, kind) in [
        ("*(int *)p = 1;", "null-dereference"),
        ("return (void *)(long)(7 / zero);", "crash"),
        ("((void (*)(void))0x1234567)();", "crash"),
        ("zero = deep(0);", "crash"),
        ("abort();", "crash"),
        ("strcpy((char *)8, \"x\");", "null-dereference"),
        ("char *q = malloc(3); free(q); free(q);", "double-free"),
        ("free(&zero);", "invalid-free"),
    ] {
        let found = folder.check(&threads(body), "");
        let bug = &found.json["bugs"][0];
        assert_eq!((found.exit, bug["kind"].as_str()), (1, Some(kind)), "{body}: {}", found.json);
        // The call of what is far away is known by who called it.
        let line = if body.contains("deep") { 4 } else { 6 };
        assert_eq!(bug["line"], line, "{body}: {}", found.json);
    }
}

#[test]
fn a_bug_replays() {
    let folder = Folder::new();
    let file = folder.file(&threads("*(int *)p = 1;"));
    let trace = folder.0.path().join("bug.tbt");
    let options = format!("--trace {}", trace.display());
    assert_eq!(check(&file, "native", &options, "").exit, 1);
    let output = Command::new(env!("CARGO_BIN_EXE_threadbare")).arg("replay").arg(&trace).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("test.c:6") && text.contains("null pointer"), "{text}");
}

#[test]
fn what_cannot_be_seen_is_refused_by_name() {
    let folder = Folder::new();
    for (text, line, words) in [
        (threads("__asm__ volatile(\"nop\");"), 6, "assembly"),
        (threads("static long double x; x += 1;"), 6, "long double"),
        (threads("extern int elsewhere(void); elsewhere();"), 6, "`elsewhere`"),
        (threads("extern int fork(void); fork();"), 6, "fork"),
        (
            "struct big { long x[9]; } big; void take(struct big b) { (void)b; }\nint main(void) {\ntake(big); return 0; }\n".into(),
            3,
            "by value",
        ),
    ] {
        let found = folder.check(&text, "");
        let error = &found.json["error"];
        let message = error["message"].as_str().unwrap_or_default();
        assert!(found.exit == 3 && message.contains(words), "{text}: {}", found.json);
        assert!(line == 0 || error["line"] == line, "{text}: {}", found.json);
    }
    let refused = folder.check("int main(void) { return 0; }", "--strategy graph");
    assert_eq!(refused.exit, 2, "{}", refused.json);
}

#[test]
fn nothing_hangs_us() {
    let folder = Folder::new();
    let found = folder.check(&threads("while (!zero) {}"), "--time-limit 1");
    assert_eq!(found.exit, 4, "{}", found.json);
    // The memory of threads that there are not, our own data, ...: whatever it destroys, there is an answer.
    let wild = threads("for (char *q = (char *)environ; ; q -= 64) memset(q - 4096, 0x5a, 4096);");
    let found = folder.check(&wild.replace("#include <string.h>", "#include <string.h>\nextern char **environ;"), "");
    assert!(matches!(found.exit, 1 | 4), "{}", found.json);
}
