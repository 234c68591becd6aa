//! Programs that do the worst: each is a bug with its line, or is refused by name, and the next one finds everything in order.

mod common;

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{Check, root};

fn check(file: &Path, backend: &str, options: &str) -> Check {
    Check::run(file, &format!("--backend {backend} {options}"), "-w")
}

/// Two threads, the second of which does this in line 11.
fn program(body: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\
         static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
         static int zero; static int deep(int n) {{ char room[4096] = {{n}}; return deep(n + 1) + room[n % 4096]; }}\n\
         static void *idle(void *p) {{ return p; }}\n\
         static void *second(void *p) {{\n{body}\nreturn p; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, second, 0); pthread_join(t, 0); return 0; }}\n"
    )
}

/// What it does, the exit code, and the kind of the bug or a word of what is said.
const HOSTILE: &[(&str, i32, &str)] = &[
    ("pthread_mutex_lock(&lock); printf(\"%s\", (char *)0x4141414141);", 1, "out-of-bounds"),
    ("zero = deep(0);", 1, "crash"),
    ("((void (*)(void))0x1234567)();", 1, "crash"),
    ("((void (*)(void))&lock)();", 1, "crash"),
    ("_exit(0);", 0, ""),
    ("fork();", 3, "fork"),
    ("raise(SIGKILL);", 1, "crash"),
    (
        "pthread_t many; for (int i = 0; i < 10000; i++) pthread_create(&many, 0, idle, 0);",
        4,
        "more than 2048 threads, those that have ended included",
    ),
    ("memset((void *)((unsigned long)&lock & ~0xfffffful), 0x5a, 1 << 24);", 1, "out-of-bounds"),
    ("for (long *q = (long *)0x7f0000000000; ; q += 512) *q = 0;", 1, "out-of-bounds"),
    ("for (char *q = (char *)&p; ; q += 64) *q = 1;", 1, "out-of-bounds"),
    ("char *q = malloc(1l << 50); if (!q) abort();", 1, "crash"),
    ("long *q = malloc(8); free(q); *q = 1; free(q);", 1, "use-after-free"),
    ("memcpy(&zero, (void *)-8, 64);", 1, "out-of-bounds"),
    ("write(1, (void *)0x1234567890, 100);", 1, "out-of-bounds"),
];

#[test]
fn each_is_a_bug_or_a_clear_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("test.c");
    for (body, exit, what) in HOSTILE {
        std::fs::write(&file, program(body)).expect("writable");
        let found = check(&file, "native", "");
        assert_eq!(found.exit, *exit, "{body}: {}", found.json);
        match exit {
            1 => assert_eq!(found.json["bugs"][0]["kind"], *what, "{body}: {}", found.json),
            _ => assert!(found.json.to_string().contains(what), "{body}: {}", found.json),
        }
    }
}

/// What the floor has learned lately, as the virtual machine has it: time, cancellation, constructors, standard input.
#[test]
fn what_was_refused_gives_the_same_answers() {
    let answer = |check: &Check| {
        let bugs: Vec<_> = check.json["bugs"].as_array().expect("a list").iter().map(|b| b["kind"].clone()).collect();
        (check.exit, check.json["executions"].as_u64().filter(|_| check.exit == 0), bugs)
    };
    for name in ["cancelled-with-lock", "time-out-ignored", "timed-wait", "unchecked-timed-lock"] {
        for kind in ["bug", "fixed"] {
            let file = root().join(format!("programs/pairs/{name}-{kind}.c"));
            let [vm, native] = ["vm", "native"].map(|backend| check(&file, backend, "--strategy optimal"));
            assert_eq!(answer(&vm), answer(&native), "{name}-{kind}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (file, input) = (folder.path().join("test.c"), folder.path().join("input"));
    let text = "#include <assert.h>\n#include <stdio.h>\nstatic int order;\n\
                __attribute__((constructor(200))) static void first(void) { assert(order++ == 0); }\n\
                __attribute__((constructor)) static void second(void) { assert(order++ == 1); }\n\
                __attribute__((destructor)) static void last(void) { assert(order == WANTED); }\n\
                int main(void) { char line[8]; order += fgets(line, 8, stdin) && line[0] == 'h'; return 0; }\n";
    std::fs::write(&input, "hello\n").expect("writable");
    for (wanted, exit) in [("3", 0), ("2", 1)] {
        std::fs::write(&file, text.replace("WANTED", wanted)).expect("writable");
        let found = check(&file, "native", &format!("--stdin {}", input.display()));
        assert_eq!(found.exit, exit, "{}", found.json);
    }
}

/// What a supervisor may have of memory: it only waits.
const MOST_MEMORY: u64 = 64 << 20;

/// Pages of a process that are in memory.
fn memory_of(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

/// Processes that were started with a word.
fn processes_with(word: &str) -> Vec<String> {
    let list =
        std::fs::read_dir("/proc").expect("processes").filter_map(|entry| Some(entry.ok()?.path().join("cmdline")));
    let lines = list.filter_map(|file| Some(String::from_utf8_lossy(&std::fs::read(file).ok()?).replace('\0', " ")));
    lines.filter(|line| line.contains(word)).collect()
}

/// `make hostile`: many in a row, and nothing of them is left behind: no process, no file, no memory of the supervisor.
#[test]
#[ignore = "minutes"]
fn five_hundred_in_a_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, temporary) = (folder.path().join("test.c"), folder.path().join("temporary"));
    std::fs::create_dir(&temporary).expect("room");
    let mut most = 0;
    for (body, exit, what) in HOSTILE.iter().cycle().take(500) {
        std::fs::write(&file, program(body)).expect("writable");
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        command.args(["check", "--backend", "native", "--format", "json"]).arg(&file).args(["--", "-w"]);
        command.env("TMPDIR", &temporary).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("threadbare starts");
        let pid = child.id();
        let mut output = child.stdout.take().expect("piped");
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            output.read_to_string(&mut text).map(|_| text)
        });
        let status = loop {
            most = most.max(memory_of(pid));
            match child.try_wait().expect("our child") {
                Some(status) => break status,
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let text = reader.join().expect("it reads").expect("text");
        assert_eq!(status.code(), Some(*exit), "{body}: {text}");
        assert!(text.contains(what), "{body}: {text}");
        let left: Vec<_> = std::fs::read_dir(&temporary).expect("a folder").filter_map(Result::ok).collect();
        assert!(left.is_empty(), "{body} leaves {left:?}");
    }
    let left = processes_with(&file.display().to_string());
    assert!(left.is_empty(), "processes are left: {left:?}");
    assert!(most < MOST_MEMORY, "a supervisor had {} MB", most >> 20);
}

/// One that nobody explores to its end.
fn long_program(folder: &Path) -> PathBuf {
    let file = folder.join("long.c");
    let text = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x;\n\
                static void *run(void *p) { for (int i = 0; i < 20; i++) x = i; return p; }\n\
                int main(void) { pthread_t t; for (int i = 0; i < 4; i++) pthread_create(&t, 0, run, 0); pthread_exit(0); }\n";
    std::fs::write(&file, text).expect("writable");
    file
}

/// Whoever ended the supervisor left a worker behind that went on for ever.
#[test]
fn who_ends_the_supervisor_ends_the_worker() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = long_program(folder.path());
    let word = file.display().to_string();
    let until = |what: &str, is_so: &dyn Fn() -> bool| {
        let is_so = (0..600).any(|_| {
            is_so() || {
                std::thread::sleep(Duration::from_millis(50));
                false
            }
        });
        assert!(is_so, "{what}: {:?}", processes_with(&word));
    };
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGKILL] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        command.args(["check", "--backend", "native", "--strategy", "optimal", "--format", "json"]).arg(&file);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("threadbare starts");
        until("a worker", &|| processes_with(&word).iter().filter(|line| line.contains(" check ")).count() == 2);
        std::thread::sleep(Duration::from_secs(1));
        // SAFETY: a child of ours that nobody has waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
        let output = child.wait_with_output().expect("our child");
        until("nobody", &|| processes_with(&word).is_empty());
        if signal != libc::SIGKILL {
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(4), "{signal}: {text}");
            assert!(text.contains("\"bound\":\"interrupted\""), "{signal}: {text}");
        }
    }
}

/// What a terminal does at Ctrl-C, and `timeout` when the time is over: the worker was asked by both, took that for a second Ctrl-C, and
/// nothing was said.
#[test]
fn a_signal_to_all_processes_of_a_group_ends_the_search_with_what_is_known() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = long_program(folder.path());
    for (signal, also_alone, wait) in [
        (libc::SIGINT, false, 1500),
        (libc::SIGTERM, true, 1500),
        (libc::SIGHUP, false, 1500),
        // Before anything is explored.
        (libc::SIGINT, false, 100),
        (libc::SIGINT, true, 300),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        command.args(["check", "--backend", "native", "--strategy", "optimal", "--format", "json"]).arg(&file);
        command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("threadbare starts");
        std::thread::sleep(Duration::from_millis(wait));
        let pid = child.id() as i32;
        // SAFETY: a child of ours that nobody has waited for, and its group.
        unsafe {
            if also_alone {
                libc::kill(pid, signal);
                std::thread::sleep(Duration::from_millis(5));
            }
            libc::kill(-pid, signal);
        }
        let output = child.wait_with_output().expect("our child");
        let [text, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert_eq!(output.status.code(), Some(4), "{signal} after {wait} ms: {text}{error}");
        assert!(text.contains("\"bound\":\"interrupted\""), "{signal} after {wait} ms: {text}{error}");
    }
}
