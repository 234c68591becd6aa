//! Virtual files, on both backends: what programs read and write, which schedules matter, what stays on the host, and replays.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const BACKENDS: [&str; 2] = ["vm", "native"];

/// In the folder where its files are.
fn threadbare(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_threadbare")).current_dir(folder).args(words).output().expect("threadbare starts")
}

fn check(folder: &Path, backend: &str, options: &[&str]) -> Value {
    let words = [&["check", "p.c", "--format", "json", "--backend", backend], options, &["--", "-w"]].concat();
    let output = threadbare(folder, &words);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}, {backend} {options:?}"))
}

const HEAD: &str = "#include <assert.h>\n#include <errno.h>\n#include <fcntl.h>\n#include <pthread.h>\n#include <stdio.h>\n\
    #include <stdlib.h>\n#include <string.h>\n#include <sys/mman.h>\n#include <sys/stat.h>\n#include <unistd.h>\n";

/// A folder with a program that runs `body` in its main function, and a file to read.
fn folder_with(declarations: &str, body: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("{HEAD}{declarations}\nint main(int argc, char **argv) {{\n{body}\nreturn 0; }}\n");
    std::fs::write(folder.path().join("p.c"), text).expect("writable");
    std::fs::write(folder.path().join("input.txt"), "first line\nsecond 42\n").expect("writable");
    folder
}

/// What a file of the folder holds, and which there are.
fn on_the_host(folder: &Path) -> (String, Vec<String>) {
    let text = std::fs::read_to_string(folder.join("input.txt")).expect("it is there");
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    (text, names)
}

/// Each holds under the one schedule that it has, on both machines, and the host is as it was.
#[test]
fn one_thread() {
    let bodies = [
        // A file of the host.
        "char l[40]; FILE *f = fopen(\"input.txt\", \"r\"); assert(f); assert(fgets(l, 40, f) && !strcmp(l, \"first line\\n\"));\n\
         int n; char w[20]; assert(fscanf(f, \"%19s %d\", w, &n) == 2 && n == 42); assert(getc(f) == '\\n' && getc(f) == EOF && feof(f));\n\
         assert(ftell(f) == 21 && !fseek(f, 6, SEEK_SET) && getc(f) == 'l' && !fclose(f));",
        // It is written, in memory.
        "FILE *f = fopen(\"input.txt\", \"r+\"); fputs(\"FIRST\", f); rewind(f); char l[40]; fgets(l, 40, f);\n\
         assert(!strcmp(l, \"FIRST line\\n\")); fclose(f); f = fopen(\"input.txt\", \"a+\"); fputs(\"third\\n\", f); fclose(f);\n\
         struct stat s; assert(!stat(\"input.txt\", &s) && s.st_size == 27 && S_ISREG(s.st_mode));\n\
         f = fopen(\"input.txt\", \"w\"); fclose(f); assert(!stat(\"input.txt\", &s) && s.st_size == 0);",
        // It goes, and gets another name.
        "assert(!rename(\"input.txt\", \"other\") && access(\"input.txt\", F_OK) == -1 && errno == ENOENT && !access(\"other\", R_OK));\n\
         int fd = open(\"./other\", O_RDONLY); char b[5]; assert(read(fd, b, 5) == 5 && !memcmp(b, \"first\", 5)); assert(!unlink(\"other\"));\n\
         assert(read(fd, b, 1) == 1 && open(\"other\", O_RDONLY) == -1); close(fd); assert(remove(\"input.txt\") == -1);",
        // There is none.
        "assert(!fopen(\"missing\", \"r\") && errno == ENOENT && !fopen(\"missing\", \"r+\") && !fopen(\"no/where\", \"w\"));\n\
         assert(open(\"input.txt\", O_CREAT | O_EXCL | O_RDWR, 0600) == -1 && errno == EEXIST && !fopen(\"input.txt\", \"wx\"));",
        // Descriptors.
        "int fd = open(\"new\", O_CREAT | O_RDWR, 0644), d = dup(fd); assert(fd == 3 && d == 4 && write(fd, \"abcdef\", 6) == 6);\n\
         char b[8] = \"\"; assert(lseek(d, 0, SEEK_CUR) == 6 && pread(d, b, 8, 2) == 4 && !strcmp(b, \"cdef\") && pwrite(d, \"X\", 1, 0) == 1);\n\
         assert(!ftruncate(fd, 3) && lseek(fd, 0, SEEK_END) == 3 && !close(fd) && lseek(d, 0, SEEK_SET) == 0 && read(d, b, 8) == 3);\n\
         assert(!memcmp(b, \"Xbc\", 3) && fcntl(d, F_GETFL) == O_RDWR && !fcntl(d, F_SETFD, FD_CLOEXEC) && fcntl(d, F_GETFD) == 1);\n\
         assert(fcntl(d, F_DUPFD, 10) == 10 && !isatty(10) && !fsync(10) && close(9) == -1 && errno == EBADF && open(\"new\", O_RDONLY) == 3);",
        // Streams of descriptors, and back.
        "char name[] = \"tXXXXXX\"; int fd = mkstemp(name); FILE *f = fdopen(fd, \"w+\"); assert(f && fileno(f) == fd); fprintf(f, \"%d\", 17);\n\
         char b[4] = \"\"; assert(pread(fd, b, 4, 0) == 0); fflush(f); assert(pread(fd, b, 4, 0) == 2 && !strcmp(b, \"17\")); fclose(f);\n\
         f = tmpfile(); fputs(\"line\\n\", f); rewind(f); char *l = 0; size_t n = 0; assert(getline(&l, &n, f) == 5 && ungetc('q', f) == 'q' && getc(f) == 'q');\n\
         fpos_t p; assert(!fgetpos(f, &p) && !fsetpos(f, &p)); free(l); fclose(f);",
        // Buffers, which keep back what was written.
        "FILE *f = fopen(\"o\", \"w\"), *g = fopen(\"o\", \"r\"); fputs(\"x\", f); assert(getc(g) == EOF); fflush(f); clearerr(g); assert(getc(g) == 'x');\n\
         setvbuf(f, 0, _IONBF, 0); fputs(\"y\", f); assert(getc(g) == 'y'); clearerr(g); setvbuf(f, 0, _IOLBF, 0); fputs(\"a\\nb\", f); assert(getc(g) == 'a');",
        // Standard output and input are files.
        "assert(freopen(\"input.txt\", \"r\", stdin) && freopen(\"out\", \"w\", stdout)); char l[40]; scanf(\"%39s\", l); printf(\"<%s>\", l); fflush(stdout);\n\
         FILE *f = fopen(\"out\", \"r\"); assert(fgets(l, 40, f) && !strcmp(l, \"<first>\") && fileno(stdout) == 1);\n\
         write(1, \"!\", 1); int fd = open(\"out\", O_RDONLY); assert(read(fd, l, 40) == 8 && l[7] == '!');",
        // Devices.
        "FILE *f = fopen(\"/dev/null\", \"w\"); fputs(\"x\", f); assert(!fclose(f)); int fd = open(\"/dev/zero\", O_RDONLY); char b[4] = \"abc\";\n\
         assert(read(fd, b, 3) == 3 && !b[0] && !b[2]); fd = open(\"/dev/urandom\", O_RDONLY); long r, q; assert(read(fd, &r, 8) == 8 && read(fd, &q, 8) == 8 && r != q);",
        // A pipe, and memory.
        "int p[2]; assert(!pipe(p) && write(p[1], \"ab\", 2) == 2); char b[4]; assert(read(p[0], b, 4) == 2 && b[1] == 'b'); close(p[1]); assert(read(p[0], b, 4) == 0);\n\
         char *m = mmap(0, 5000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); assert(m != MAP_FAILED && m[4999] == 0); m[8191] = 1; assert(!munmap(m, 5000));",
        // Many: the lowest number that is free.
        "for (int i = 0; i < 2000; i++) { int fd = open(\"input.txt\", O_RDONLY); assert(fd == 3); close(fd); }\n\
         int n = 0; while (open(\"input.txt\", O_RDONLY) >= 0) n++; assert(n == 1021 && errno == EMFILE);",
    ];
    // One program for all: what it is compiled to is kept.
    let cases: String =
        bodies.iter().enumerate().map(|(i, body)| format!("case {i}: {{\n{body}\nbreak; }}\n")).collect();
    let folder = folder_with("", &format!("switch (atoi(argv[1])) {{\n{cases}}}"));
    let before = on_the_host(folder.path());
    for backend in BACKENDS {
        for (i, body) in bodies.iter().enumerate() {
            let answer = check(folder.path(), backend, &["--args", &i.to_string()]);
            assert_eq!(answer["verdict"], "proved", "{backend}: {body}\n{answer:#}");
            assert_eq!(answer["executions"], 1, "{backend}: {body}");
            assert_eq!(on_the_host(folder.path()), before, "{backend}: {body}");
        }
    }
}

/// Two threads do `each` to what `before` has made, and then `after` holds under each of so many schedules.
fn two_threads(variables: &str, before: &str, each: &str, after: &str) -> tempfile::TempDir {
    let declarations =
        format!("{variables}\nstatic void *each(void *a) {{ char c = *(char *)a; (void)c;\n{each}\nreturn 0; }}");
    let body = format!(
        "{before}\npthread_t t[2]; pthread_create(&t[0], 0, each, \"a\"); pthread_create(&t[1], 0, each, \"b\");\n\
         pthread_join(t[0], 0); pthread_join(t[1], 0);\n{after}"
    );
    folder_with(&declarations, &body)
}

/// `optimal` explores every schedule that can make a difference once: what is in conflict is seen in the number of executions.
#[test]
fn what_is_in_conflict() {
    let shared = "static int fd; static FILE *f;";
    for (executions, before, each, after) in [
        // The same description: each call is whole, in either order.
        (
            2,
            "fd = open(\"log\", O_CREAT | O_RDWR, 0600);",
            "char t[3] = {c, c, c}; write(fd, t, 3);",
            "char b[7] = \"\"; pread(fd, b, 6, 0); assert(!strcmp(b, \"aaabbb\") || !strcmp(b, \"bbbaaa\"));",
        ),
        // The same stream.
        (
            2,
            "f = fopen(\"log\", \"w+\");",
            "fprintf(f, \"%c%c\", c, c);",
            "rewind(f); char b[9]; assert(fgets(b, 9, f) && (!strcmp(b, \"aabb\") || !strcmp(b, \"bbaa\"))); fclose(f);",
        ),
        (2, "f = fopen(\"input.txt\", \"r\");", "getc(f);", "assert(getc(f) == 'r');"),
        // Other files.
        (
            1,
            "close(open(\"a\", O_CREAT | O_RDWR, 0600)); close(open(\"b\", O_CREAT | O_RDWR, 0600)); open(\"a\", O_WRONLY); open(\"b\", O_WRONLY);",
            "write(c == 'a' ? 3 : 4, &c, 1);",
            "",
        ),
        // Devices that have no state.
        (1, "fd = open(\"/dev/null\", O_RDWR);", "write(fd, &c, 1);", ""),
        // Who opens first gets the lower number.
        (2, "", "fd = 0; open(\"input.txt\", O_RDONLY);", "assert(open(\"input.txt\", O_RDONLY) == 5);"),
    ] {
        let each = each.replace("fd = 0; ", "");
        let folder = two_threads(shared, before, &each, after);
        for backend in BACKENDS {
            let answer = check(folder.path(), backend, &["--strategy", "optimal"]);
            assert_eq!(answer["verdict"], "proved", "{backend}: {each}\n{answer:#}");
            assert_eq!(answer["executions"], executions, "{backend}: {each}");
        }
    }
}

#[test]
fn a_bug_that_hangs_on_what_a_file_holds() {
    let after = "char b[3] = \"\"; int g = open(\"log\", O_RDONLY); read(g, b, 2);\nassert(b[0] == 'a');";
    let each = "int fd = open(\"log\", O_WRONLY | O_APPEND); write(fd, &c, 1); close(fd);";
    let folder = two_threads("", "close(open(\"log\", O_CREAT, 0600));", each, after);
    for backend in BACKENDS {
        for strategy in ["optimal", "graph", "stateful", "dfs"] {
            let answer = check(folder.path(), backend, &["--strategy", strategy]);
            let (verdict, line) = (&answer["verdict"], &answer["bugs"][0]["line"]);
            assert_eq!((verdict, line), (&"violated".into(), &20.into()), "{backend} {strategy}: {answer:#}");
        }
    }
}

/// The two orders lead to states that differ only in what the file holds. A search that took them for one would miss the bug.
#[test]
fn states_with_other_contents_are_others() {
    let each = "write(fd, &c, 1); sem_post(&done);";
    let variables = "#include <semaphore.h>\nstatic int fd; static sem_t done;";
    let before = "sem_init(&done, 0, 0); fd = open(\"log\", O_CREAT | O_RDWR | O_APPEND, 0600);";
    for bad in ["ab", "ba"] {
        let after = format!("char b[3] = \"\"; pread(fd, b, 2, 0); assert(strcmp(b, \"{bad}\"));");
        let folder = two_threads(variables, before, each, &after);
        for backend in BACKENDS {
            for strategy in ["graph", "stateful"] {
                let answer = check(folder.path(), backend, &["--strategy", strategy]);
                assert_eq!(answer["verdict"], "violated", "{backend} {strategy} {bad}: {answer:#}");
            }
        }
    }
}

/// Who reads from a pipe waits; what was written before a byte is there for who has read it.
#[test]
fn pipes_block() {
    let declarations = "static int ends[2], x;\nstatic void *reader(void *p) { char c; assert(read(ends[0], &c, 1) == 1 && x == 1);\n\
         assert(read(ends[0], &c, 1) == 0); return p; }";
    let body = |rest: &str| {
        format!(
            "pipe(ends); pthread_t t; pthread_create(&t, 0, reader, 0); x = 1; write(ends[1], \"x\", 1); {rest} pthread_join(t, 0);"
        )
    };
    for (rest, verdict, kind) in [("close(ends[1]);", "proved", Value::Null), ("", "violated", "deadlock".into())] {
        let folder = folder_with(declarations, &body(rest));
        for backend in BACKENDS {
            let answer = check(folder.path(), backend, &[]);
            assert_eq!(
                (&answer["verdict"], &answer["bugs"][0]["kind"]),
                (&verdict.into(), &kind),
                "{backend}: {answer:#}"
            );
        }
    }
    // A full one, and one that nobody reads.
    let declarations = "static int ends[2]; static char much[70000];\nstatic void *writer(void *p) { assert(write(ends[1], much, 70000) == 70000); return p; }";
    let body = "pipe(ends); pthread_t t; pthread_create(&t, 0, writer, 0); char *b = malloc(70000); int n = 0; while (n < 70000) n += read(ends[0], b, 70000);\n\
         pthread_join(t, 0); free(b); signal(SIGPIPE, SIG_IGN); close(ends[0]); assert(write(ends[1], \"x\", 1) == -1 && errno == EPIPE);";
    let folder = folder_with(&format!("#include <signal.h>\n{declarations}"), body);
    for backend in BACKENDS {
        assert_eq!(check(folder.path(), backend, &[])["verdict"], "proved", "{backend}");
    }
}

/// What is written before a stream is used is seen by who uses it next: a stream has a lock. Without one it is a race.
#[test]
fn streams_order_what_is_around_them() {
    let variables = "static FILE *f; static int x;";
    let racy = "x++; fputc(c, f);";
    let folder = two_threads(variables, "f = fopen(\"log\", \"w\");", racy, "");
    for backend in BACKENDS {
        let answer = check(folder.path(), backend, &[]);
        assert_eq!(answer["bugs"][0]["kind"], "data-race", "{backend}: {answer:#}");
    }
    let each = "flockfile(f); x++; putc_unlocked(c, f); funlockfile(f);";
    let folder = two_threads(variables, "f = fopen(\"log\", \"w\");", each, "assert(x == 2);");
    for backend in BACKENDS {
        let answer = check(folder.path(), backend, &[]);
        assert_eq!((&answer["verdict"], &answer["executions"]), (&"proved".into(), &2.into()), "{backend}: {answer:#}");
    }
}

#[test]
fn a_stream_that_is_closed_too_early() {
    let folder = folder_with(
        "static FILE *f;\nstatic void *end(void *p) { fclose(f); return p; }",
        "f = fopen(\"log\", \"w\"); pthread_t t; pthread_create(&t, 0, end, 0); fputs(\"x\", f); pthread_join(t, 0);",
    );
    for backend in BACKENDS {
        let answer = check(folder.path(), backend, &[]);
        assert_eq!(answer["bugs"][0]["kind"], "use-after-free", "{backend}: {answer:#}");
    }
}

/// A stream that is never closed is not lost memory, as it is not with glibc.
#[test]
fn what_is_left_open_is_no_leak() {
    let body = "FILE *f = fopen(\"log\", \"w\"); fputs(\"x\", f); f = 0; open(\"input.txt\", O_RDONLY); int p[2]; pipe(p); write(p[1], \"x\", 1); f = tmpfile(); f = 0;";
    let folder = folder_with("", body);
    for backend in BACKENDS {
        assert_eq!(check(folder.path(), backend, &["--leaks"])["verdict"], "proved", "{backend}");
    }
}

#[test]
fn what_is_refused_has_a_name() {
    for (body, what) in [
        ("open(\".\", O_RDONLY);", "open of a directory (`.`) is not supported"),
        (
            "remove(\".\");",
            "unlink of what is no file of its own, but a directory, a link or a device, (`.`) is not supported",
        ),
        ("mmap(0, 4096, PROT_READ, MAP_PRIVATE, 3, 0);", "mmap of a file"),
        ("close(1);", "close of a standard descriptor"),
        (
            "int fd = open(\"o\", O_CREAT | O_WRONLY, 0600); lseek(fd, 20 << 20, SEEK_SET); write(fd, \"x\", 1);",
            "a file of more than 16 MB",
        ),
        ("struct flock l = {0}; fcntl(open(\"input.txt\", O_RDONLY), F_SETLK, &l);", "fcntl with locks"),
    ] {
        let folder = folder_with("", body);
        for backend in BACKENDS {
            let answer = check(folder.path(), backend, &[]).to_string();
            assert!(answer.contains(what) && answer.contains("p.c"), "{backend}: {body}: {answer}");
        }
    }
}

/// The verdict names the files that it rests on; a trace knows what they held.
#[test]
fn the_verdict_and_the_trace_know_the_files() {
    let body = "FILE *f = fopen(\"input.txt\", \"r\"); int c = getc(f); fclose(f);\nassert(c != 'f');";
    let folder = folder_with("", body);
    for backend in BACKENDS {
        let answer = check(folder.path(), backend, &["--trace", "t.json"]);
        assert_eq!(answer["verdict"], "violated", "{backend}");
        assert!(answer["assumptions"].to_string().contains("the file input.txt as it is now"), "{backend}: {answer:#}");
        let replay = || {
            let output = threadbare(folder.path(), &["replay", "t.json"]);
            (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
        };
        let (code, text) = replay();
        assert!(code == Some(1) && !text.contains("changed"), "{backend}: {text}");
        std::fs::write(folder.path().join("input.txt"), "other").expect("writable");
        let (_, text) = replay();
        assert!(text.contains("input.txt has changed since the recording"), "{backend}: {text}");
        std::fs::write(folder.path().join("input.txt"), "first line\nsecond 42\n").expect("writable");
    }
}

/// Executions are kept apart with or without the option, which says so.
#[test]
fn executions_are_isolated_in_any_case() {
    let set = "_Atomic int last;\nstatic void *set(void *to) { last = (int)(long)to; return 0; }";
    let body = "pthread_t t; pthread_create(&t, 0, set, (void *)1); set(0); pthread_join(t, 0);\n\
        FILE *f = fopen(\"count\", \"a+\"); fputs(\"x\", f); assert(ftell(f) == 1); fclose(f);";
    let folder = folder_with(set, body);
    for backend in BACKENDS {
        let output = threadbare(folder.path(), &["check", "p.c", "--isolate", "fork", "--backend", backend]);
        let (text, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.code() == Some(0) && text.contains("executions   2"), "{backend}: {text}{said}");
        assert!(said.contains("always isolated") && said.contains("refused by name"), "{backend}: {said}");
    }
    assert!(!folder.path().join("count").exists());
    let output = threadbare(folder.path(), &["check", "p.c", "--isolate", "vfork"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("fork"), "{said}");
}

/// A search does not care that a file changes meanwhile; and `run` writes nothing either.
#[test]
fn run_leaves_the_host_alone() {
    let folder = folder_with(
        "",
        "FILE *f = fopen(\"input.txt\", \"w\"); fputs(\"gone\", f); fclose(f); f = fopen(\"new\", \"w\"); fclose(f); puts(\"done\");",
    );
    let before = on_the_host(folder.path());
    let output = threadbare(folder.path(), &["run", "p.c"]);
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"done\n"[..]), "{output:?}");
    assert_eq!(on_the_host(folder.path()), before);
}

/// Whatever two threads do to files at the same time, as long as they do not close them: the library itself has no data races.
#[test]
fn calls_at_the_same_time() {
    let pairs = [
        ("fcntl(fd, F_SETFL, O_APPEND);", "write(fd, \"x\", 1);"),
        ("struct stat s; fstat(fd, &s);", "unlink(\"log\");"),
        ("struct stat s; stat(\"log\", &s);", "write(fd, \"x\", 1);"),
        ("rename(\"log\", \"other\");", "close(open(\"log\", O_RDONLY));"),
        ("rewind(f);", "fputs(\"x\", f);"),
        ("fflush(0);", "fputs(\"x\", f);"),
        ("fflush(0);", "fclose(fopen(\"input.txt\", \"r\"));"),
        ("close(dup(fd));", "char b; read(fd, &b, 1);"),
        ("feof(f); ftell(f);", "getc(f);"),
        ("setvbuf(f, 0, _IONBF, 0);", "fprintf(f, \"%d\", 1);"),
        ("ftruncate(fd, 3);", "char b[4]; pread(fd, b, 4, 0);"),
        ("fclose(tmpfile());", "char t[] = \"tXXXXXX\"; close(mkstemp(t));"),
        ("truncate(\"log\", 0);", "fseek(f, 0, SEEK_END);"),
        ("int p[2]; pipe(p); write(p[1], \"x\", 1); close(p[0]); close(p[1]);", "open(\"log\", O_RDONLY);"),
        ("puts(\"x\");", "fputs(\"x\", f); access(\"log\", R_OK);"),
    ];
    let cases = |side: fn(&(&'static str, &'static str)) -> &'static str| -> String {
        pairs.iter().enumerate().map(|(i, pair)| format!("case {i}: {{ {} break; }}\n", side(pair))).collect()
    };
    let declarations = format!(
        "static int fd, which; static FILE *f;\nstatic void *first(void *a) {{ switch (which) {{\n{}}} return a; }}\n\
         static void *second(void *a) {{ switch (which) {{\n{}}} return a; }}",
        cases(|pair| pair.0),
        cases(|pair| pair.1),
    );
    let folder = folder_with(
        &declarations,
        "which = atoi(argv[1]); f = fopen(\"log\", \"w+\"); fputs(\"text\", f); rewind(f); fd = open(\"log\", O_RDWR);\n\
         pthread_t t[2]; pthread_create(&t[0], 0, first, 0); pthread_create(&t[1], 0, second, 0);\n\
         pthread_join(t[0], 0); pthread_join(t[1], 0);",
    );
    for backend in BACKENDS {
        for (i, pair) in pairs.iter().enumerate() {
            let answer = check(folder.path(), backend, &["--strategy", "optimal", "--args", &i.to_string()]);
            assert_eq!(answer["verdict"], "proved", "{backend}: {pair:?}\n{answer:#}");
        }
    }
}

/// What the locks of the runtime guard, not where they lie; who uses a file is never folded.
#[test]
fn schedules_name_files() {
    let threads = "pthread_t a, b; pthread_create(&a, 0, worker, \"a\"); pthread_create(&b, 0, worker, \"b\"); pthread_join(a, 0); pthread_join(b, 0);";
    let descriptor = "static int fd; static void *worker(void *p) { write(fd, p, 1); return 0; }";
    let body = format!(
        "fd = open(\"out.txt\", O_RDWR | O_CREAT, 0644);\n{threads}\nchar first = 0; lseek(fd, 0, SEEK_SET); read(fd, &first, 1);\nassert(first == 'a');"
    );
    let stream = "static FILE *out; static void *worker(void *p) { fputs(p, out); return 0; }";
    let puts = format!("out = fopen(\"out.txt\", \"w+\");\n{threads}\nrewind(out);\nassert(fgetc(out) == 'a');");
    let opens = "static int won; static void *worker(void *p) { if (open(\"out.txt\", O_CREAT | O_EXCL, 0644) >= 0) won = *(char *)p; return 0; }";
    let winner = format!("{threads}\nassert(won == 'a');");
    for (declarations, body, words, times) in [
        (descriptor, &body, "lock the file out.txt", 4),
        (stream, &puts, " lock the stream of out.txt", 4),
        (opens, &winner, " lock the table of files", 2),
    ] {
        let folder = folder_with(declarations, body);
        for backend in BACKENDS {
            let output = threadbare(folder.path(), &["check", "p.c", "--backend", backend, "--", "-w"]);
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(text.matches(words).count(), times, "{backend}\n{text}");
            let lanes = text.split_once("schedule: ").expect("a schedule").1;
            for noise in ["heap#", "+24", "__tbi_", "cancellation"] {
                assert!(!lanes.contains(noise), "{noise}: {backend}\n{text}");
            }
        }
    }
}
