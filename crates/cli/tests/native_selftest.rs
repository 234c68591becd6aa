//! Where the native backend cannot work, it says so at once: one message that names what is missing and what to do, exit code 2.

use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = "int main(void) { return 0; }\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.c"), PROGRAM).expect("room");
    folder
}

fn check(folder: &Path, before: &str, more: &[(&str, &str)]) -> Output {
    let words = format!("{before}exec \"$0\" check --backend native p.c");
    let mut command = Command::new("sh");
    command.current_dir(folder).args(["-c", &words, env!("CARGO_BIN_EXE_threadbare")]);
    command.envs(more.iter().copied()).output().expect("sh starts")
}

fn says(output: &Output, words: &[&str]) {
    let text = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(2), "{text}");
    for word in words.iter().chain(&["the native backend cannot work here", "--backend vm"]) {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!text.contains("panicked"), "{text}");
}

/// A library that answers for the system.
fn preloaded(folder: &Path, code: &str) -> String {
    let (source, library) = (folder.join("lack.c"), folder.join("lack.so"));
    std::fs::write(&source, format!("#include <errno.h>\n{code}\n")).expect("room");
    let clang = ["clang-19", "clang"].into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    let mut command = Command::new(clang.expect("clang"));
    let made = command.args(["-shared", "-fPIC", "-w", "-o"]).args([&library, &source]).status().expect("clang starts");
    assert!(made.success());
    library.display().to_string()
}

#[test]
fn a_limit_on_addresses_is_named() {
    let folder = folder();
    says(&check(folder.path(), "ulimit -v 1000000; ", &[]), &["ulimit -v", "976 MB", "`ulimit -v unlimited`"]);
    assert_eq!(check(folder.path(), "", &[]).status.code(), Some(0));
}

#[test]
fn calls_that_are_denied_are_named() {
    let folder = folder();
    for (code, words) in [
        ("int setitimer(int a, void *b, void *c) { errno = EPERM; return -1; }", ["`setitimer`", "sandbox"]),
        (
            "int sigaltstack(void *a, void *b) { errno = b && !a ? EPERM : 0; return b && !a ? -1 : 0; }",
            ["`sigaltstack`", "sandbox"],
        ),
        (
            "void *mmap64(void *, unsigned long, int, int, int, long); \
             long syscall(long, ...); \
             void *mmap(void *a, unsigned long n, int p, int f, int d, long o) \
             { if (f & 0x100000) { errno = ENOMEM; return (void *)-1; } return (void *)syscall(9, a, n, p, f, d, o); }",
            ["vm.overcommit_memory", "sysctl"],
        ),
        (
            "long syscall(long, ...); \
             void *mmap(void *a, unsigned long n, int p, int f, int d, long o) \
             { return (void *)syscall(9, f & 0x100000 ? 0 : a, n, p, f & ~0x100000, d, o); }",
            ["does not place memory", "Linux 4.17"],
        ),
    ] {
        let library = preloaded(folder.path(), code);
        says(&check(folder.path(), "", &[("LD_PRELOAD", &library)]), &words);
    }
}

#[test]
fn a_linker_that_is_not_there_is_named() {
    let folder = folder();
    let tools = folder.path().join("tools");
    std::fs::create_dir(&tools).expect("room");
    let beside = Path::new("/usr/lib/llvm-19/bin");
    for name in ["opt", "llvm-link", "llvm-symbolizer", "llvm-dis"] {
        std::os::unix::fs::symlink(beside.join(name), tools.join(name)).expect("room");
    }
    let clang = format!(
        "#!/bin/sh\ncase \"$*\" in *-shared*) echo 'clang: error: unable to execute command: Executable \"ld\" does not exist!' >&2; exit 1;; esac\n\
         exec {} \"$@\"\n",
        beside.join("clang").display()
    );
    std::fs::write(tools.join("clang"), clang).expect("room");
    std::fs::set_permissions(tools.join("clang"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
    let found = check(folder.path(), "", &[("THREADBARE_LLVM_BIN", &tools.display().to_string())]);
    says(&found, &["no linker", "binutils"]);
}
