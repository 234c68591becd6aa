//! What a person gets who gives Threadbare something that it cannot run: one clear message on stderr, nothing on stdout,
//! the right exit code, and never a panic.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const COULD_NOT_RUN: i32 = 125;
const WRONG_USAGE: i32 = 2;

/// A folder with files, in which commands run.
struct Desk(tempfile::TempDir);

/// What came of a command.
struct Answer {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Desk {
    fn new(files: &[(&str, &str)]) -> Desk {
        let desk = Desk(tempfile::tempdir().expect("a folder"));
        for (name, text) in files {
            desk.put(name, text.as_bytes());
        }
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("writable");
        std::fs::write(&path, bytes).expect("writable");
        path
    }

    fn script(&self, name: &str, text: &str) {
        let path = self.put(name, format!("#!/bin/sh\n{text}\n").as_bytes());
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("our own file");
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        command.args(words).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Answer {
        answer(self.command(words))
    }
}

/// Runs the command; what holds for every answer is checked here.
fn answer(mut command: Command) -> Answer {
    let output = command.output().expect("the binary starts");
    let answer = Answer {
        code: output.status.code().unwrap_or_else(|| panic!("{command:?} died: {}", output.status)),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    assert!(!answer.stderr.contains("went wrong inside"), "{command:?}: {}", answer.stderr);
    assert!(!answer.stderr.contains('\x1b'), "colours in a pipe: {}", answer.stderr);
    assert!(!answer.stderr.contains("os error"), "a number for a person: {}", answer.stderr);
    answer
}

impl Answer {
    #[track_caller]
    fn refused(self, code: i32, words: &[&str]) -> Answer {
        assert_eq!(self.code, code, "{}", self.stderr);
        assert_eq!(self.stdout, "");
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` expected in:\n{}", self.stderr);
        }
        assert!(self.stderr.ends_with('\n') && !self.stderr.ends_with("\n\n"), "lines: {:?}", self.stderr);
        self
    }

    /// Nothing but one line.
    #[track_caller]
    fn one_line(self) {
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
    }
}

const FINE: &str = "int main(void) { return 0; }\n";

#[test]
fn files_that_cannot_be_read() {
    let desk = Desk::new(&[("fine.c", FINE), ("program.txt", FINE), ("plain", FINE)]);
    let run = |file: &str, words: &[&str]| desk.run(&["run", file]).refused(COULD_NOT_RUN, words).one_line();
    run("missing.c", &["threadbare: cannot read missing.c: No such file or directory"]);
    let no_trace = "threadbare: cannot read missing.json: No such file or directory";
    desk.run(&["replay", "missing.json"]).refused(WRONG_USAGE, &[no_trace]).one_line();
    run("fine.c/below.c", &["cannot read fine.c/below.c: Not a directory"]);
    std::fs::create_dir(desk.path("folder.c")).expect("writable");
    std::fs::create_dir(desk.path("folder")).expect("writable");
    run("folder.c", &["cannot read folder.c: it is a folder"]);
    run("folder", &["cannot read folder: it is a folder"]);
    run("program.txt", &["program.txt: what kind of file is this?", ".c", ".ll", ".bc", ".tb"]);
    run("plain", &["plain: what kind of file is this?"]);
    run("missing.o", &["cannot read missing.o: No such file or directory"]);
    run("missing", &["cannot read missing: No such file or directory"]);
    // Nobody can read this one, not even root.
    symlink("circle.c", desk.path("circle.c")).expect("writable");
    run("circle.c", &["cannot read circle.c: Too many levels of symbolic links"]);
    let locked = desk.put("locked.c", FINE.as_bytes());
    std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o000)).expect("our own file");
    if std::fs::File::open(&locked).is_err() {
        run("locked.c", &["cannot read locked.c: Permission denied"]);
    }
    // One bad file among good ones.
    desk.run(&["run", "fine.c", "missing.c"]).refused(COULD_NOT_RUN, &["cannot read missing.c"]).one_line();
    let mut command = desk.command(&["run"]);
    command.arg(OsStr::from_bytes(b"na\xffme.c"));
    answer(command).refused(COULD_NOT_RUN, &["cannot read na", "No such file"]).one_line();
}

/// They stood before every verdict.
#[test]
fn warnings_of_clang_are_for_those_who_ask() {
    let desk = Desk::new(&[
        ("empty.c", "int main(int n, char **v) { if (n == 7); int unused; return 0; }\n"),
        ("wrong.c", "int main(int n, char **v) { if (n == 7); return x; }\n"),
    ]);
    for command in ["run", "check"] {
        let says = |flags: &[&str]| desk.run(&[&[command, "empty.c", "--"], flags].concat()).stderr;
        assert_eq!(says(&[]), "", "{command}");
        assert_eq!(says(&["-DN=2", "-Wno-unused"]), "", "{command}");
        assert!(says(&["-Wunused"]).contains("[-Wempty-body]"), "{command}");
        assert!(says(&["-Wall"]).contains("unused variable"), "{command}");
        let wrong = desk.run(&[command, "wrong.c"]).stderr;
        assert!(wrong.contains("wrong.c:1:49: error: use of undeclared identifier 'x'"), "{wrong}");
    }
}

#[test]
fn programs_without_a_beginning_or_with_two() {
    let desk = Desk::new(&[
        ("empty.c", ""),
        ("empty.ll", ""),
        ("one.c", "int main(void) { return 0; }\nint twice = 1;\n"),
        ("two.c", "int main(void) { return 0; }\n"),
        ("library.c", "int twice = 2;\n"),
    ]);
    for file in ["empty.c", "empty.ll", "library.c"] {
        desk.run(&["run", file]).refused(COULD_NOT_RUN, &["the program has no function `main`"]).one_line();
    }
    desk.run(&["run", "one.c", "two.c"])
        .refused(COULD_NOT_RUN, &["`main` is defined twice, in one.c and in two.c"])
        .one_line();
    desk.run(&["run", "one.c", "library.c"])
        .refused(COULD_NOT_RUN, &["`twice` is defined twice, in one.c and in library.c"])
        .one_line();
    // IR that was written by hand does not say where it comes from.
    let main = "define i32 @main() {\n  ret i32 0\n}\n";
    let desk = Desk::new(&[("a.ll", main), ("b.ll", main)]);
    desk.run(&["run", "a.ll", "b.ll"]).refused(125, &["`main` is defined twice, in a.ll and in b.ll"]).one_line();
}

#[test]
fn c_that_does_not_compile() {
    let desk = Desk::new(&[
        ("wrong.c", "int main(void) {\n  int x = ;\n  return y;\n}\n"),
        ("fine.c", FINE),
        ("main.c", "int f(void);\nint main(void) { return f(); }\n"),
    ]);
    let message = "wrong.c:2:11: error: expected expression\n    2 |   int x = ;\n";
    let said = desk
        .run(&["run", "wrong.c"])
        .refused(COULD_NOT_RUN, &["threadbare: wrong.c does not compile:\n", message, "2 errors generated."]);
    assert_eq!(said.stderr.matches("expected expression").count(), 1, "said once: {}", said.stderr);
    desk.run(&["run", "fine.c", "--", "--nonsense"]).refused(COULD_NOT_RUN, &["unknown argument: '--nonsense'"]);
    for flag in ["-E", "-M", "--version", "-fsyntax-only"] {
        desk.run(&["run", "fine.c", "--", flag])
            .refused(COULD_NOT_RUN, &["clang makes no LLVM IR of fine.c", "flag"])
            .one_line();
    }
    desk.run(&["run", "fine.c", "--", "-m32"])
        .refused(COULD_NOT_RUN, &["fine.c is code for i386", "x86-64"])
        .one_line();
    for (flag, words) in [
        ("-fsanitize=thread", "threadbare check` finds data races by itself"),
        ("-fsanitize=undefined,address", "-fsanitize-trap=undefined"),
        ("-fsanitize=fuzzer", "leave it out"),
    ] {
        let said = desk.run(&["run", "fine.c", "--", flag]).refused(COULD_NOT_RUN, &["threadbare: -fsanitize=", words]);
        said.one_line();
        desk.run(&["check", "fine.c", "--", flag]).refused(WRONG_USAGE, &["-fsanitize=", words]).one_line();
    }
    desk.run(&["run", "fine.c", "--", "-fsanitize=undefined", "-fsanitize-trap=undefined"]).ran(0);
    desk.run(&["run", "main.c"]).refused(COULD_NOT_RUN, &["the function `f` is defined neither", "main.c:2:"]);
    // Noise in the place of C: clang's words, whatever they are.
    let noise: Vec<u8> = (0u32..3000).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for name in ["noise.c", "noise.ll", "noise.bc"] {
        desk.put(name, &noise);
        desk.run(&["run", name]).refused(COULD_NOT_RUN, &[name]);
    }
}

/// LLVM IR of a small program, as the tests' own clang writes it.
fn compiled(desk: &Desk, name: &str, flags: &[&str]) -> Vec<u8> {
    let source = desk.put("source.c", b"int f(int x) { return x + 1; }\nint main(void) { return f(-1); }\n");
    let out = desk.path(name);
    let status = Command::new("clang-19").args(flags).arg("-o").arg(&out).arg(source).status().expect("clang-19 runs");
    assert!(status.success());
    std::fs::read(out).expect("just made")
}

#[test]
fn llvm_ir_that_is_broken() {
    let desk = Desk::new(&[]);
    let good = compiled(&desk, "good.ll", &["-S", "-emit-llvm"]);
    desk.run(&["run", "good.ll"]).ran(0);
    let text = String::from_utf8(good.clone()).expect("clang writes UTF-8");
    let line = text.lines().position(|line| line.contains("ret i32")).expect("f returns") + 1;
    desk.put("unknown.ll", text.replacen("ret i32", "frobnicate i32", 1).as_bytes());
    desk.run(&["run", "unknown.ll"])
        .refused(COULD_NOT_RUN, &[&format!("unknown.ll:{line}:3: "), "unknown instruction 'frobnicate'"])
        .one_line();
    desk.put("arm.ll", text.replace("x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu").as_bytes());
    desk.run(&["run", "arm.ll"]).refused(COULD_NOT_RUN, &["arm.ll is code for aarch64-unknown-linux-gnu"]).one_line();
    let end = text.find("\n}").expect("the end of a function");
    for cut in [end / 4, end / 2, end - 5, end] {
        desk.put("cut.ll", &good[..cut]);
        let said = desk.run(&["run", "cut.ll"]).refused(COULD_NOT_RUN, &["threadbare: "]);
        let names_place = said.stderr.contains("cut.ll:");
        assert!(names_place || said.stderr.contains("no function `main`"), "cut at {cut}: {}", said.stderr);
        said.one_line();
    }
}

#[test]
fn bitcode_that_is_broken() {
    let desk = Desk::new(&[("empty.bc", ""), ("text.bc", "int main(void) { return 0; }\n")]);
    let good = compiled(&desk, "good.bc", &["-c", "-emit-llvm"]);
    desk.run(&["run", "good.bc"]).ran(0);
    desk.put("cut.bc", &good[..good.len() / 2]);
    for file in ["empty.bc", "text.bc", "cut.bc"] {
        desk.run(&["run", file]).refused(COULD_NOT_RUN, &[file, "is no LLVM bitcode", "error: "]);
    }
}

impl Answer {
    /// The program ran.
    #[track_caller]
    fn ran(self, code: i32) {
        assert_eq!((self.code, self.stderr.as_str()), (code, ""));
    }
}

#[test]
fn wrong_usage() {
    let desk = Desk::new(&[("fine.c", FINE)]);
    let run = |words: &[&str], expected: &[&str]| desk.run(words).refused(WRONG_USAGE, expected);
    run(&[], &["Usage: threadbare", "run"]);
    run(&["run"], &["Usage: threadbare run FILE..."]);
    run(&["frobnicate"], &["there is no command `frobnicate`", "threadbare --help"]).one_line();
    run(&["--frobnicate"], &["unexpected argument '--frobnicate'"]);
    run(&["run", "fine.c", "--seed", "x"], &["'x'", "--seed", "a whole number"]);
    run(&["run", "fine.c", "--seed"], &["a value is required", "--seed"]);
    run(&["run", "fine.c", "--seed=-1"], &["'-1'", "--seed", "a whole number"]);
    run(&["run", "fine.c", "--seed", "-1"], &["'-1'", "--seed", "a whole number is needed, from 0 up"]);
    run(&["run", "fine.c", "-O", "9"], &["'9'", "-O", "0, 1, 2 and 3"]);
    run(&["run", "fine.c", "-O", "-1"], &["'-1'", "-O", "0, 1, 2 and 3"]);
    run(&["run", "fine.c", "-O", "s"], &["'s'", "-O", "there is no -Os here", "0, 1, 2 and 3"]);
    run(&["run", "-Os", "fine.c"], &["'s'", "-O", "there is no -Os here", "0, 1, 2 and 3"]);
    for limit in ["--step-limit", "--operation-limit", "--stack-limit"] {
        run(&["run", "fine.c", limit, "0"], &["'0'", limit, "a whole number is needed, from 1 up"]);
    }
    run(&["run", "fine.c", "--uninit", "maybe"], &["'maybe'", "--uninit"]);
    run(&["fine.c"], &["to run a program: threadbare run fine.c"]).one_line();
    run(&["run", "fine.c", "--step-limit", "many"], &["'many'", "--step-limit", "a whole number"]);
    run(&["run", "fine.c", "--stack-limit", "1e3"], &["'1e3'", "--stack-limit", "a whole number"]);
    run(&["run", "fine.c", "--memory-limit", "12X"], &["'12X'", "--memory-limit", "K, M or G"]);
    run(&["run", "fine.c", "--memory-limit", "1K"], &["'1K'", "--memory-limit", "at least 1M"]);
    run(&["run", "fine.c", "--memory-limit", "99999999999999999999G"], &["--memory-limit"]);
    let unknown =
        run(&["run", "fine.c", "--frobnicate"], &["unexpected argument '--frobnicate'", "behind `--`", "--args"]);
    assert!(!unknown.stderr.contains("-- --frobnicate"), "that would be clang's: {}", unknown.stderr);
    run(&["worker", "fine.c"], &["`threadbare worker` is not yet available"]).one_line();
}

#[test]
fn programs_that_go_beyond_the_limits() {
    let desk = Desk::new(&[
        ("recursion.c", "static int f(int n) {\n  return f(n + 1) + 1;\n}\nint main(void) { return f(0); }\n"),
        (
            "deep.c",
            "static int f(int n) { return n ? f(n - 1) + 1 : 0; }\nint main(void) { return f(150000) != 150000; }\n",
        ),
        ("loop.c", "int main(void) {\n  for (unsigned i = 1; i; i |= 1)\n    ;\n  return 0;\n}\n"),
        (
            "much.c",
            "#include <stdlib.h>\nint main(void) {\n  for (;;) {\n    char *p = malloc(1 << 20);\n    p[0] = 1;\n  }\n}\n",
        ),
        ("stack.c", "int main(int n, char **v) {\n  char a[n * 100000000l];\n  a[n] = 1;\n  return a[n];\n}\n"),
        ("static.c", "char big[3u << 30];\nint main(void) {\n  return big[0];\n}\n"),
        ("huge.c", "char big[5l << 30];\nint main(void) {\n  return big[0];\n}\n"),
        (
            "gigabyte.c",
            "#include <stdlib.h>\nint main(void) {\n  char *p = malloc(1l << 30);\n  p[0] = 40;\n  p[(1l << 30) - 1] = 2;\n  \
             int sum = p[0] + p[(1l << 30) - 1];\n  free(p);\n  return sum;\n}\n",
        ),
    ]);
    desk.run(&["run", "recursion.c", "--", "-w"]).refused(
        COULD_NOT_RUN,
        &["limit reached: ", "100000 nested calls", "--stack-limit", "recursion.c:2:", "in `f`, 99997 times"],
    );
    desk.run(&["run", "recursion.c", "--stack-limit", "50", "--", "-w"])
        .refused(COULD_NOT_RUN, &["50 nested calls", "recursion.c:2:"]);
    desk.run(&["run", "loop.c", "--step-limit", "10000"])
        .refused(COULD_NOT_RUN, &["limit reached: ", "endless loop", "--step-limit", "loop.c:2:"]);
    desk.run(&["run", "much.c", "--memory-limit", "64M"])
        .refused(COULD_NOT_RUN, &["limit reached: ", "64 MiB", "--memory-limit", "much.c:4:"]);
    desk.run(&["run", "stack.c", "--memory-limit", "16M"])
        .refused(COULD_NOT_RUN, &["limit reached: ", "16 MiB", "--memory-limit", "stack.c:2:"]);
    desk.run(&["run", "deep.c"]).refused(COULD_NOT_RUN, &["raise the limit with --stack-limit"]);
    desk.run(&["run", "deep.c", "--stack-limit", "200000"]).ran(0);
    desk.run(&["run", "static.c"])
        .refused(COULD_NOT_RUN, &["limit reached: global `big`: ", "3221225472 bytes", "2048 MiB", "--memory-limit"]);
    desk.run(&["run", "huge.c", "--memory-limit", "16G"])
        .refused(COULD_NOT_RUN, &["limit reached: ", "less than 4 GiB"]);
    desk.run(&["run", "gigabyte.c"]).ran(42);
    desk.run(&["run", "gigabyte.c", "--memory-limit", "512M"])
        .refused(COULD_NOT_RUN, &["limit reached: ", "1073741824 bytes", "512 MiB", "gigabyte.c:3:"]);
}

/// Every turn looked through all threads that had ever been.
#[test]
fn thread_after_thread_takes_linear_time() {
    let text = "#include <pthread.h>\nstatic int n;\nstatic void *add(void *p) { n++; return p; }\nint main(void) {\n\
                for (int i = 0; i < 40000; i++) {\n    pthread_t t;\n    pthread_create(&t, 0, add, 0);\n    \
                pthread_join(t, 0);\n  }\n  return n != 40000;\n}\n";
    let desk = Desk::new(&[("row.c", text)]);
    let start = std::time::Instant::now();
    desk.run(&["run", "row.c"]).ran(0);
    assert!(start.elapsed().as_secs() < 12, "{:?}", start.elapsed());
}

const APT: &str = "sudo apt-get install clang-19 llvm-19";

/// The real one, to be put somewhere else.
fn real(program: &str) -> PathBuf {
    let folders = std::env::var_os("PATH").expect("a PATH");
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.exists()).expect("LLVM 19")
}

#[test]
fn clang_that_is_missing_or_unfit() {
    let desk = Desk::new(&[("fine.c", FINE), ("none/readme", "")]);
    let with = |bin: Option<&Path>, path: &Path, file: &str, level: &str| {
        let mut command = desk.command(&["run", "-O", level, file]);
        command.env("PATH", path).env_remove("THREADBARE_LLVM_BIN");
        if let Some(folder) = bin {
            command.env("THREADBARE_LLVM_BIN", folder);
        }
        answer(command)
    };
    let none = desk.path("none");
    with(Some(&none), &none, "fine.c", "0")
        .refused(COULD_NOT_RUN, &["needs clang 19", &none.display().to_string(), "THREADBARE_LLVM_BIN", APT])
        .one_line();

    desk.script("old/clang-19", "echo 'Debian clang version 14.0.6'; echo 'Target: x86_64-pc-linux-gnu'");
    let old = desk.path("old");
    with(Some(&old), &none, "fine.c", "0")
        .refused(COULD_NOT_RUN, &["clang 19", "old/clang-19` is Debian clang version 14.0.6;", APT])
        .one_line();
    desk.script("broken/clang-19", "exit 1");
    with(Some(&desk.path("broken")), &none, "fine.c", "0").refused(COULD_NOT_RUN, &["needs clang 19", APT]).one_line();

    // clang alone, without the package of its companions: they are missed when they are needed.
    let half = desk.path("half");
    std::fs::create_dir(&half).expect("writable");
    symlink(real("clang-19"), half.join("clang-19")).expect("writable");
    with(Some(&half), &none, "fine.c", "0").refused(COULD_NOT_RUN, &["`opt`", APT]).one_line();
    compiled(&desk, "good.bc", &["-c", "-emit-llvm"]);
    with(Some(&half), &none, "good.bc", "2").refused(COULD_NOT_RUN, &["`llvm-dis`", APT]).one_line();
    with(None, &half, "fine.c", "0").refused(COULD_NOT_RUN, &["`opt`", APT]).one_line();

    // A plain clang of the right version, with companions of another one.
    let mixed = desk.path("mixed");
    desk.script("mixed/opt", "echo 'Debian LLVM version 14.0.6'");
    symlink(real("clang-19"), mixed.join("clang")).expect("writable");
    with(None, &mixed, "fine.c", "0").refused(COULD_NOT_RUN, &["`opt`", "another version", APT]).one_line();
}

#[test]
fn a_strange_environment() {
    let desk =
        Desk::new(&[("value.c", "#include <stdlib.h>\nint main(void) { return getenv(\"TB_STRANGE\") ? 7 : 8; }\n")]);
    let mut command = desk.command(&["run", "value.c"]);
    command.env("TB_STRANGE", OsStr::from_bytes(b"\xff\xfe"));
    answer(command).ran(7);

    let mut command = desk.command(&["run", "value.c"]);
    command.env("TMPDIR", desk.path("nowhere"));
    answer(command)
        .refused(COULD_NOT_RUN, &["cannot make a folder for temporary files in", "TMPDIR", "not found"])
        .one_line();

    // A message that nobody can take: the exit code is still right.
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("there on Linux");
    let code = |words: &[&str]| desk.command(words).stderr(full()).status().expect("the binary starts").code();
    assert_eq!(code(&["run", "missing.c"]), Some(COULD_NOT_RUN));
    assert_eq!(code(&["frobnicate"]), Some(WRONG_USAGE));
    assert_eq!(code(&["run", "--seed", "x"]), Some(WRONG_USAGE));
}

#[test]
fn mains_of_odd_types() {
    let desk = Desk::new(&[
        ("void.c", "void main(void) { }\n"),
        ("one.c", "int main(int argc) { return argc + 4; }\n"),
        ("double.c", "\ndouble main(void) { return 1.5; }\n"),
        ("struct.c", "struct s { long a, b, c; };\nstruct s main(void) { return (struct s){1, 2, 3}; }\n"),
    ]);
    desk.run(&["run", "void.c", "--", "-w"]).ran(0);
    desk.run(&["run", "one.c", "--", "-w"]).ran(5);
    for (file, place) in [("double.c", "double.c:2"), ("struct.c", "struct.c:2")] {
        let said = desk.run(&["run", file, "--", "-w"]).refused(COULD_NOT_RUN, &["`main` has a type", place]);
        assert!(!said.stderr.contains("runtime/"), "our own files are of no use: {}", said.stderr);
    }
}

#[test]
fn types_that_are_not_supported() {
    let half = "int main(void) {\n  volatile _Float16 x = 1;\n  return (int)x;\n}\n";
    let desk = Desk::new(&[
        ("half.c", half),
        ("quad.c", &half.replace("_Float16", "__float128")),
        ("value.c", "int main(void) {\n  double d = 2;\n  return (int)((__float128)d * d);\n}\n"),
        ("global.c", "__float128 x = 3;\nint main(void) {\n  return (int)x;\n}\n"),
        ("wide.c", "_BitInt(5000) x;\nint main(void) {\n  x = 3;\n  x /= 2;\n  return (int)x;\n}\n"),
    ]);
    let run = |file: &str, words: &[&str]| {
        let said = desk.run(&["run", file]).refused(COULD_NOT_RUN, words);
        let twice = said.stderr.matches("support").count();
        assert_eq!(twice, 1, "said once: {}", said.stderr);
    };
    run("half.c", &["not supported: the function `main` uses the type _Float16\n", "half.c:2:"]);
    run("quad.c", &["not supported: the function `main` uses the type __float128\n", "quad.c:2:"]);
    run("value.c", &["not supported: the function `main` uses the type __float128\n", "value.c:3:"]);
    run("global.c", &["not supported: the function `main` uses the type __float128\n", "global.c:3:"]);
    run("wide.c", &["wide.c:3: ", "more than 4096 bits"]);
}

#[test]
fn the_layout_of_reports() {
    let many = "x++; ".repeat(300);
    let desk = Desk::new(&[
        ("tab.c", "int main(void) {\n\tint *p = 0; /* \u{e9} \u{6f22} */ return *p;\n}\n"),
        ("long.c", &format!("int main(void) {{ int *p = 0, x = 0; {many} return *p + x; {many} }}\n")),
        (
            "calls.c",
            "#include <stdlib.h>\nstatic int get(int *p) {\n  return *p;\n}\nint main(void) {\n  int *p = malloc(4);\n  \
             free(p);\n  return get(p);\n}\n",
        ),
        ("plain.c", "#include <stdlib.h>\nint main(void) { char *p = malloc(3); free(p); return *p; }\n"),
        ("nothing.c", "#include <stdio.h>\nint\nmain(void) {\n  int unset;\n  if (unset) puts(\"set\");\n}\n"),
    ]);
    let report = |words: &[&str], code: i32| {
        let said = desk.run(words);
        assert_eq!(said.code, code, "{}", said.stderr);
        said.stderr
    };
    let tab = report(&["run", "tab.c"], 139);
    // One character of two bytes in one column, one of three in two.
    let shown = format!("\n  2 │     int *p = 0; /* \u{e9} \u{6f22} */ return *p;\n    │ {}^\n", " ".repeat(34));
    assert!(tab.contains(&shown), "{tab}");
    let long = report(&["run", "long.c"], 139);
    assert!(long.lines().all(|line| line.chars().count() <= 100), "{long}");
    let (line, caret) = (long.lines().nth(3).expect("the line"), long.lines().nth(4).expect("the caret"));
    let at = caret.chars().position(|c| c == '^').expect("a caret");
    assert_eq!(line.chars().skip(at).take(2).collect::<String>(), "*p", "{long}");
    // The optimiser leaves nothing of it.
    let nothing = report(&["run", "-O2", "nothing.c", "--", "-w"], 1);
    assert!(nothing.contains("--> nothing.c:3 in `main`"), "{nothing}");
    let calls = report(&["run", "calls.c"], 139);
    let order =
        ["calls.c:3:", "= called from calls.c:8 in `main`", "was allocated at calls.c:6", "was freed at calls.c:7"];
    let places: Vec<_> =
        order.iter().map(|word| calls.find(word).unwrap_or_else(|| panic!("{word}: {calls}"))).collect();
    assert!(places.is_sorted(), "{calls}");
    // Bytes that are no UTF-8 take one column each.
    desk.put("bytes.c", b"int main(void) {\n  int *p = 0; /* \xff\xfe */ return *p;\n}\n");
    let bytes = report(&["run", "bytes.c", "--", "-w"], 139);
    assert!(bytes.contains("/* ?? */ return *p;"), "{bytes}");
    // Without debug information nothing is made up.
    let mut clang = Command::new("clang-19");
    clang.args(["-S", "-emit-llvm", "-o"]).arg(desk.path("plain.ll")).arg(desk.path("plain.c"));
    assert!(clang.status().expect("clang-19 runs").success());
    let plain = report(&["run", "plain.ll"], 139);
    assert!(!plain.contains(":0") && plain.contains("was allocated in `main`"), "{plain}");
    assert_eq!(plain.matches("-g").count(), 1, "{plain}");
}

#[test]
fn values_that_were_never_set_can_be_allowed() {
    let text = "#include <stdlib.h>\nint main(void) {\n  int *p = malloc(4), x;\n  return *p > 0 || x > 0;\n}\n";
    let desk = Desk::new(&[("unset.c", text)]);
    for level in ["0", "2"] {
        desk.run(&["run", "-O", level, "--uninit", "allow", "unset.c", "--", "-w"]).ran(0);
    }
    desk.run(&["run", "unset.c", "--", "-w"]).refused(1, &["uninitialised-read: ", "unset.c:4:"]);
    let said = desk.run(&["check", "unset.c", "--", "-w"]);
    assert!(said.code == 1 && said.stdout.starts_with("uninitialised-read: "), "{}", said.stdout);
    // A proof says what it rests on, and does not claim what it did not look for.
    let said = desk.run(&["check", "--uninit", "allow", "unset.c", "--", "-w"]);
    assert!(said.code == 0 && said.stdout.contains("what was never set is zero (--uninit allow)"), "{}", said.stdout);
    assert!(!said.stdout.contains("uninitialised"), "{}", said.stdout);
}

#[test]
fn output_that_gets_lost() {
    let desk = Desk::new(&[("says.c", "#include <stdio.h>\nint main(void) { puts(\"something\"); return 3; }\n")]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let output = desk.command(&["run", "says.c"]).stdout(full).output().expect("the binary starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr, "threadbare: the program's output could not be written: No space left on device\n");
    assert_eq!(output.status.code(), Some(125));
}

#[test]
fn an_interrupt_ends_the_run() {
    let program = |wait: &str| {
        format!(
            "#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\natomic_int flag;\n\
             int main(void) {{ puts(\"ready\"); fflush(stdout);\n  puts(\"kept\");\n  {wait}\n}}\n"
        )
    };
    let desk = Desk::new(&[
        ("spin.c", &program("while (!(atomic_fetch_add(&flag, 2) & 1)) { }")),
        ("input.c", &program("for (;;) getchar();")),
        ("local.c", &program("for (unsigned i = 1; i; i |= 1) { }")),
        ("memory.c", &program("char *p = calloc(1, 1 << 29); for (;;) memset(p, *p + 1, 1 << 29);")),
    ]);
    for file in ["spin.c", "input.c", "local.c", "memory.c"] {
        let place = format!("{file}:8:");
        let limits = ["--operation-limit", "1000000000000", "--step-limit", "1000000000000"];
        let mut command = desk.command(&["run", file]);
        command.args(limits);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        // Before the program runs, an interrupt ends us at once.
        let mut ready = [0; 6];
        child.stdout.as_mut().expect("piped").read_exact(&mut ready).expect("the program runs");
        // SAFETY: a signal to a process that we started and have not waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
        let input = child.stdin.take();
        let output = child.wait_with_output().expect("it ends");
        drop(input);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(130), &b"kept\n"[..]), "{stderr}");
        assert!(stderr.starts_with("interrupted: the main thread") && stderr.contains(&place), "{stderr}");
    }
}
