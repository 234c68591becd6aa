//! `threadbare cc`: what build systems do with a compiler works, and what comes out is checked as its sources would be.

use std::path::Path;
use std::process::{Command, Output};

const TB: &str = env!("CARGO_BIN_EXE_threadbare");

/// A counter behind a lock, in two files. `-DRACE` leaves the lock out.
const COUNTER: &[(&str, &str)] = &[
    ("counter.h", "void add(int k);\nextern int total;\n#define TWO 2\n"),
    (
        "counter.c",
        "#include <pthread.h>\n#include \"counter.h\"\nint total;\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
         void add(int k)\n{\n#ifndef RACE\n    pthread_mutex_lock(&lock);\n#endif\n    total += k;\n#ifndef RACE\n    \
         pthread_mutex_unlock(&lock);\n#endif\n}\n",
    ),
    (
        "main.c",
        "#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include \"counter.h\"\n\
         static void *work(void *k)\n{\n    add(1);\n    return k;\n}\nint main(int argc, char **argv)\n{\n    \
         int n = argc > 1 ? atoi(argv[1]) : TWO;\n    pthread_t id[8];\n    for (int i = 0; i < n; i++)\n        \
         pthread_create(&id[i], NULL, work, NULL);\n    for (int i = 0; i < n; i++)\n        pthread_join(id[i], NULL);\n    \
         assert(total == n);\n    printf(\"total %d\\n\", total);\n    return 0;\n}\n",
    ),
];

struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let project = Project(tempfile::tempdir().expect("a folder"));
        files.iter().for_each(|(name, text)| project.write(name, text));
        project
    }

    fn counter() -> Project {
        Project::new(COUNTER)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).expect("a file");
    }

    /// A line of the shell; `$CC` is ours, `$TB` the binary.
    fn try_sh(&self, line: &str) -> Output {
        let mut command = Command::new("sh");
        command.current_dir(self.path()).args(["-c", line]).env("CC", format!("{TB} cc")).env("TB", TB);
        command.output().expect("a shell")
    }

    /// The same, which has to succeed: what it printed.
    fn sh(&self, line: &str) -> String {
        let output = self.try_sh(line);
        assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn json(&self, what: &str) -> serde_json::Value {
        let output = self.try_sh(&format!("$TB check --format json {what}"));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{what}: {error}\n{}", String::from_utf8_lossy(&output.stderr));
        })
    }

    /// Verdict, executions, transitions, and kind, file and line of bugs.
    fn answer(&self, what: &str) -> (String, u64, u64, Vec<String>) {
        let json = self.json(what);
        let bug = |bug: &serde_json::Value| format!("{} {}:{}", bug["kind"], bug["file"], bug["line"]);
        (
            json["verdict"].to_string(),
            json["executions"].as_u64().unwrap_or_default(),
            json["transitions"].as_u64().unwrap_or_default(),
            json["bugs"].as_array().map_or(Vec::new(), |bugs| bugs.iter().map(bug).collect()),
        )
    }

    /// Exit code and message of a check that is refused.
    fn refusal(&self, what: &str) -> (i32, String) {
        let output = self.try_sh(&format!("$TB check {what}"));
        (output.status.code().expect("a code"), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

const MAKEFILE: &str = "\
CFLAGS = -O2 -g -Wall -pthread -MMD -MP\n\
app: main.o libcounter.a\n\t$(CC) $(CFLAGS) -o $@ main.o -L. -lcounter\n\
libcounter.a: counter.o\n\t$(AR) rcs $@ $^\n\
shared: main.o libcounter.so\n\t$(CC) -pthread -o $@ main.o -L. -lcounter -Wl,-rpath,'$$ORIGIN'\n\
libcounter.so: counter.c\n\t$(CC) -shared -fPIC -O1 -o $@ $<\n\
-include *.d\n";

#[test]
fn a_makefile_with_an_archive_and_a_shared_library() {
    let project = Project::counter();
    project.write("Makefile", MAKEFILE);
    project.sh("make CC=\"$CC\" app");
    project.sh("rm -f libcounter.a.keep; mv libcounter.a kept.a; make CC=\"$CC\" shared; mv kept.a libcounter.a");
    assert_eq!(project.sh("./app 3; ./shared 4"), "total 3\ntotal 4\n");
    let sources = project.answer("main.c counter.c --strategy optimal --args 3");
    assert_eq!(sources.0, "\"proved\"");
    for app in ["./app", "./shared"] {
        assert_eq!(project.answer(&format!("{app} --strategy optimal --args 3")), sources, "{app}");
    }
    assert_eq!(project.answer("./app --backend native --strategy optimal --args 3").1, sources.1);
    assert_eq!(project.sh("$TB run ./app --args 2"), "total 2\n");
    // Dependency files know the headers: a change makes it build again.
    assert!(project.sh("cat main.d").contains("counter.h"));
    project.sh("sleep 1; touch counter.h");
    assert!(project.sh("make CC=\"$CC\" app").contains("main.c"));
}

#[test]
fn bugs_are_those_of_the_sources_and_replay() {
    let project = Project::counter();
    project.sh("$CC -DRACE -O2 -pthread main.c counter.c -o app");
    let found = project.answer("./app --trace t.json");
    assert_eq!(found, project.answer("main.c counter.c -- -DRACE"));
    assert_eq!(found.3, ["\"data-race\" \"counter.c\":10"]);
    let replayed = project.try_sh("$TB replay t.json");
    let text = String::from_utf8_lossy(&replayed.stdout).into_owned();
    assert!(text.contains("total += k;") && text.contains("the bug of the recording"), "{text}");
    project.sh("$TB check ./app --backend native --trace n.json; test $? = 1");
    assert_eq!(project.try_sh("$TB replay n.json").status.code(), Some(1));
    // Levels of the check are its own, and macros are there for formulas.
    assert_eq!(project.answer("./app -O 2").0, "\"violated\"");
    project.sh("$CC -pthread main.c counter.c -o good");
    assert_eq!(project.answer("./good --ltl 'G {total <= TWO}'").0, "\"proved\"");
    assert_eq!(project.answer("./good --ltl 'G {total < TWO}'").0, "\"violated\"");
}

#[test]
fn it_answers_as_clang_does() {
    let project = Project::counter();
    project.write("bad.c", "int main(void) { return x; }\n");
    project.write("undefined.c", "int f(void);\nint main(void) { return f(); }\n");
    project.write("warns.c", "int main(void) { int unused; return 0; }\n");
    project.write("words", "-DTEXT='\"a b\"' -c\n  warns.c\n");
    for words in [
        "--version",
        "-v",
        "-dumpmachine",
        "-print-prog-name=ld",
        "-print-search-dirs",
        "-E main.c",
        "-M main.c",
        "-MM main.c -MT x",
        "-S -o - counter.c",
        "-fsyntax-only main.c",
        "-c bad.c",
        "bad.c -o bad",
        "-c nowhere.c",
        "nowhere.c",
        "",
        "--no-such-option main.c",
        "-c -Wall warns.c",
        "-c -Wall -Werror warns.c",
        "-c @words",
        "-c @nowhere",
        "-c -o /dev/null warns.c",
        "-E -dM -x c /dev/null",
        "-### -c main.c",
    ] {
        // Temporary names differ from run to run.
        let [ours, clangs] = ["$CC", "clang-19"].map(|compiler| {
            let output = project.try_sh(&format!("{compiler} {words} </dev/null"));
            let text = [output.stdout, output.stderr].concat();
            (output.status.code(), String::from_utf8_lossy(&text).into_owned())
        });
        assert_eq!(ours, clangs, "{words}");
    }
    let failed = project.try_sh("$CC undefined.c");
    assert_eq!(failed.status.code(), Some(1));
    let text = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(text.contains("undefined reference to `f'") && text.contains("linker command failed"), "{text}");
}

#[test]
fn probes_of_configure_scripts() {
    let project = Project::new(&[("conftest.c", "int main(void) { return 0; }\n")]);
    // Does it work, what is the executable called, what do objects end with?
    project.sh("$CC -o conftest conftest.c && ./conftest");
    project.sh("$CC conftest.c && ./a.out");
    project.sh("$CC -c conftest.c && test -f conftest.o");
    project.sh("$CC -o conftest -g -O2 conftest.c -lm -lpthread");
    // From the standard input, with a language.
    project.sh("echo 'int main(void) { return 7; }' | $CC -x c - -o seven; ./seven; test $? = 7");
    assert_eq!(project.try_sh("$TB run ./seven").status.code(), Some(7));
    project.sh("echo 'int f(void) { return 3; }' | $CC -xc -c -o f.o -");
    // Is a function there?
    project.sh("echo 'char no_such_f(void); int main(void) { return no_such_f(); }' > conftest.c; ! $CC conftest.c 2>/dev/null");
    // Several sources at once, with dependencies.
    project.write("a.c", "#include \"h.h\"\nint g(void);\nint main(void) { return g() - H; }\n");
    project.write("b.c", "#include \"h.h\"\nint g(void) { return H; }\n");
    project.write("h.h", "#define H 5\n");
    for line in ["-MMD a.c b.c -o both", "-MD -MF d.d a.c -c", "-MMD -c a.c b.c", "-MMD -MT t a.c -c -o x.o"] {
        let made = |compiler: &str| {
            project.sh(&format!("rm -f *.d; {compiler} {line}; for f in *.d; do echo \"$f\"; cat \"$f\"; done"))
        };
        let [ours, clangs] = ["$CC", "clang-19"].map(made);
        // Objects that are between have names of their own.
        let plain = |text: String| text.lines().filter(|l| !l.contains("/tmp/")).collect::<Vec<_>>().join("\n");
        assert_eq!(plain(ours), plain(clangs), "{line}");
    }
    project.sh("./both");
}

#[test]
fn response_files_partial_links_and_stripping() {
    let project = Project::counter();
    project.write("list", "main.c 'counter.c' -pthread\n-o app\n");
    project.sh("$CC @list && ./app");
    project.sh(
        "$CC -c main.c counter.c && $CC -r -o all.o main.o counter.o && $CC -pthread all.o -o partial && ./partial",
    );
    project.sh("$CC -pthread -ffunction-sections -Wl,--gc-sections main.c counter.c -o collected");
    project.sh("strip -o stripped app; $CC -flto -O2 -pthread main.c counter.c -o lto && ./lto");
    project.sh("$CC -O2 -c -flto counter.c main.c && $CC -flto -pthread counter.o main.o -o lto2 && ./lto2");
    let sources = project.answer("main.c counter.c --strategy optimal");
    for app in ["app", "partial", "collected", "stripped", "lto", "lto2"] {
        assert_eq!(project.answer(&format!("./{app} --strategy optimal")), sources, "{app}");
    }
}

#[test]
fn flags_that_matter_are_kept() {
    let project = Project::new(&[
        ("first.h", "#define FROM_FIRST 3\n"),
        (
            "main.c",
            "#include <assert.h>\n#include <local.h>\nint main(void)\n{\n    unsigned char c = 255;\n    (void)c;\n    \
             assert(FROM_FIRST + FROM_LOCAL + N == 12);\n    assert((char)255 > 0);\n    return 0;\n}\n",
        ),
    ]);
    project.sh("mkdir inc build; echo '#define FROM_LOCAL 4' > inc/local.h");
    project.sh("cd build && $CC -std=c99 -DN=5 -funsigned-char -include ../first.h -I../inc ../main.c -o ../app");
    // The headers are in it, too.
    project.sh("rm -r inc first.h build");
    assert_eq!(project.answer("./app").0, "\"proved\"");
    assert_eq!(project.answer("./app --backend native").0, "\"proved\"");
}

#[test]
fn what_has_no_source_is_named() {
    let project = Project::counter();
    project.write("three.s", ".globl three\nthree:\n mov $3, %eax\n ret\n.section .note.GNU-stack,\"\",@progbits\n");
    project.write("calls.c", "int three(void);\nint main(void)\n{\n    return three() - 3;\n}\n");
    project.write("idle.c", "int main(void) { return 0; }\n");
    project.sh("$CC calls.c three.s -o calls && ./calls && $CC idle.c three.s -o idle");
    let (code, message) = project.refusal("./calls --backend vm");
    assert_eq!(code, 3, "{message}");
    assert!(message.contains("`three`") && message.contains("three.s") && message.contains("calls.c:4"), "{message}");
    let assumptions = project.json("./calls")["assumptions"].to_string();
    assert!(assumptions.contains("machine code without a source (three.s) is executed"), "{assumptions}");
    let assumptions = project.json("./idle")["assumptions"].to_string();
    assert!(assumptions.contains("three.s is not executed"), "{assumptions}");
    // An object of another compiler.
    project.sh("clang-19 -c counter.c -o foreign.o && $CC -pthread main.c foreign.o -o mixed && ./mixed");
    let (code, message) = project.refusal("./mixed --backend vm");
    assert_eq!(code, 3, "{message}");
    assert!(message.contains("`add`") || message.contains("`total`"), "{message}");
    let assumptions = project.json("./mixed --backend native")["assumptions"].to_string();
    assert!(assumptions.contains("(foreign.o) is executed"), "{assumptions}");
    // An archive, which is looked for again, and what has gone through another one.
    project.sh("rm foreign.o; clang-19 -fPIC -c counter.c -o other.o && ar rcs libother.a other.o && rm other.o");
    project.sh("$CC -pthread main.c libother.a -o archived && $CC -pthread main.c -L. -lother -o found && ./found");
    for file in ["archived", "found"] {
        let assumptions = project.json(&format!("./{file} --backend native"))["assumptions"].to_string();
        assert!(assumptions.contains("(libother.a: other.o) is executed"), "{file}: {assumptions}");
    }
    project.sh("$CC -c three.s -o three.o && ar rcs libthree.a three.o && $CC calls.c libthree.a -o through && rm three.o libthree.a");
    let assumptions = project.json("./through --backend native")["assumptions"].to_string();
    assert!(assumptions.contains("(three.s) is executed"), "{assumptions}");
    project.sh("rm libother.a");
    let (code, message) = project.refusal("./archived --backend native");
    assert!(code == 3 && message.contains("libother.a") && message.contains("not there any more"), "{message}");
    // A library of another compiler.
    project.sh(
        "clang-19 -shared -fPIC counter.c -o libother.so && $CC -pthread main.c -L. -lother -Wl,-rpath,$PWD -o linked",
    );
    let (code, message) = project.refusal("./linked");
    assert!(code == 3 && message.contains("libother.so"), "{message}");
    let (code, message) = {
        project.sh("$CC -pthread main.c counter.c -Wl,--wrap=add,--defsym=__wrap_add=add -o wrapped");
        project.refusal("./wrapped")
    };
    assert!(code == 3 && message.contains("--wrap=add"), "{message}");
}

#[test]
fn machine_code_without_sources_and_damage() {
    let project = Project::counter();
    project.sh("$CC -pthread main.c counter.c -o app && clang-19 -pthread main.c counter.c -o plain");
    let refused = |what: &str, words: &str| {
        let (code, message) = project.refusal(what);
        assert!(code == 2 && message.contains(words), "{what}: {code} {message}");
    };
    refused("./plain", "threadbare cc");
    refused("./app -- -DN=2", "`-DN=2` comes too late");
    project.sh("objcopy --remove-section .threadbare app bare");
    refused("./bare", "threadbare cc");
    let bytes = std::fs::read(project.path().join("app")).expect("it");
    let at = bytes.windows(8).position(|window| window == b"TB-UNIT1").expect("a record");
    let mut damaged = bytes.clone();
    damaged[at + 100] ^= 1;
    std::fs::write(project.path().join("damaged"), &damaged).expect("a file");
    refused("./damaged", "is damaged");
    std::fs::write(project.path().join("half"), &bytes[..bytes.len() / 2]).expect("a file");
    refused("./half", "is damaged");
    std::fs::write(project.path().join("narrow"), b"\x7fELF\x01\x01\x01").expect("a file");
    refused("./narrow", "a processor of 32 bits");
    project.write("text", "no program\n");
    refused("./text", "what kind of file");
    assert!(project.sh("$TB cc --help").contains("threadbare check ./app"));
}

/// What a file is its content says, and only then its name.
#[test]
fn executables_with_the_names_of_sources() {
    let project = Project::counter();
    for name in ["app.s", "app.S", "app.c"] {
        project.sh(&format!("$CC -pthread main.c counter.c -o {name}"));
        assert_eq!(project.answer(&format!("./{name}")).0, "\"proved\"", "{name}");
    }
}

/// The loader takes the first definition of a name that it comes to, weak or not.
#[test]
fn weak_definitions_before_strong_ones_in_libraries() {
    let main = "#include <assert.h>\nint lib(void);\nint limit(void);\nint main(void)\n{\n    \
                assert(limit() == LIMIT && lib() == LIB);\n    return 0;\n}\n";
    let project = Project::new(&[
        ("main.c", main),
        ("weak.c", "__attribute__((weak)) int limit(void) { return 1; }\n"),
        ("strong.c", "int limit(void) { return 7; }\n"),
        ("lib.c", "int limit(void);\nint lib(void) { return limit(); }\n"),
        ("own.c", "__attribute__((weak, visibility(\"hidden\"))) int limit(void) { return 1; }\n"),
        ("value.c", "extern int value;\nint value;\nint limit(void) { return value; }\n"),
        ("set.c", "int value = 7;\nint lib(void) { return value; }\n"),
        ("bound.c", "__attribute__((weak)) int limit(void) { return 2; }\nint lib(void) { return limit(); }\n"),
        ("lonely.c", "#include <assert.h>\nint lib(void);\nint main(void) { assert(lib() == LIB); }\n"),
    ]);
    let shared = |name: &str, how: &str| {
        project.sh(&format!("$CC -shared -fPIC {how} -o lib{name}.so"));
    };
    let link = |name: &str, how: &str| {
        project.sh(&format!("$CC {how} -L. -Wl,-rpath,'$ORIGIN' -o {name} && ./{name}"));
    };
    let refused = |what: &str, words: &[&str]| {
        for backend in ["vm", "native"] {
            let (code, message) = project.refusal(&format!("{what} --backend {backend}"));
            assert!(code == 3 && words.iter().all(|word| message.contains(word)), "{what} {backend}: {code} {message}");
        }
    };
    let proved = |what: &str| {
        for backend in ["vm", "native"] {
            assert_eq!(project.answer(&format!("{what} --backend {backend}")).0, "\"proved\"", "{what} {backend}");
        }
    };
    shared("strong", "strong.c lib.c");
    link("app", "-DLIMIT=1 -DLIB=1 main.c weak.c -lstrong");
    refused("./app", &["`limit` is weak in", "weak.c", "strong.c, of another loaded file"]);
    // Of two libraries.
    shared("first", "weak.c");
    link("two", "-DLIMIT=1 -DLIB=1 main.c -lfirst -lstrong");
    refused("./two", &["`limit` is weak in", "weak.c", "strong.c, of another loaded file"]);
    link("other_way", "-DLIMIT=7 -DLIB=7 main.c -lstrong -lfirst");
    proved("./other_way");
    // The weak one is an object without a source.
    project.sh("clang-19 -fPIC -c weak.c -o weak.o");
    link("object", "-DLIMIT=1 -DLIB=1 main.c weak.o -lstrong");
    let (code, message) = project.refusal("./object --backend native");
    assert!(code == 3 && message.contains("`limit` is weak in weak.o"), "{message}");
    // In one file the strong one counts, and of weak ones the first.
    shared("both", "weak.c strong.c lib.c");
    link("inside", "-DLIMIT=7 -DLIB=7 main.c -lboth");
    proved("./inside");
    shared("weak", "weak.c lib.c");
    link("weak_twice", "-DLIMIT=1 -DLIB=1 main.c weak.c -lweak");
    proved("./weak_twice");
    // What is hidden is what it is in its library.
    shared("own", "own.c lib.c");
    link("hidden", "-DLIMIT=7 -DLIB=1 main.c strong.c -lown");
    refused("./hidden", &["`limit` is hidden or protected in", "own.c", "strong.c, of another loaded file"]);
    // And what the linker has bound inside its library, of two weak ones.
    project.write("local.map", "{ global: lib; local: *; };\n");
    project.write("list", "{ lib; };\n");
    for (name, how) in [
        ("symbolic", "-Wl,-Bsymbolic"),
        ("functions", "-Wl,-Bsymbolic-functions"),
        ("local", "-Wl,--version-script=local.map"),
        ("listed", "-Xlinker --dynamic-list=list"),
    ] {
        shared(name, &format!("{how} bound.c"));
        link(&format!("by_{name}"), &format!("-DLIMIT=1 -DLIB=2 main.c weak.c -l{name}"));
        refused(
            &format!("./by_{name}"),
            &["`limit` is bound by the linker to the one in", "bound.c", "weak.c, of another"],
        );
        link(&format!("alone_{name}"), &format!("-DLIB=2 lonely.c -l{name}"));
        proved(&format!("./alone_{name}"));
    }
    shared("unbound", "bound.c");
    link("by_none", "-DLIMIT=1 -DLIB=1 main.c weak.c -lunbound");
    proved("./by_none");
    // Variables without a value: the linker makes that of the executable one with the library's, the loader takes the first.
    shared("set", "set.c");
    link("common", "-fcommon -DLIMIT=7 -DLIB=7 main.c value.c -lset");
    proved("./common");
    shared("value", "-fcommon value.c");
    link("common_first", "-DLIMIT=0 -DLIB=0 main.c -lvalue -lset");
    refused("./common_first", &["`value` is without a value in", "value.c", "set.c, of another loaded file"]);
}

/// Macros that clang learns of in other ways than by -D: without one of them a lock is gone, and nobody may call that proved.
#[test]
fn every_way_to_read_a_file_first_is_kept() {
    let project = Project::new(&[
        (
            "config.h",
            "#ifndef CONFIG\n#define CONFIG\n#define NOLOCK 1\n#undef LOCK\n#define TAKE(m) pthread_mutex_lock(m)\nint not_read = 1;\n\
             #endif\n",
        ),
        (
            "race.c",
            "#include <pthread.h>\nint n;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nvoid *t(void *x)\n{\n\
             #ifndef NOLOCK\n    pthread_mutex_lock(&m);\n#endif\n    n++;\n#ifndef NOLOCK\n    pthread_mutex_unlock(&m);\n\
             #endif\n    return x;\n}\nint main(void)\n{\n    pthread_t p, q;\n    pthread_create(&p, 0, t, 0);\n    \
             pthread_create(&q, 0, t, 0);\n    pthread_join(p, 0);\n    return pthread_join(q, 0);\n}\n",
        ),
        ("lock.c", "#ifdef LOCK\nint lock = 1;\n#endif\n#ifdef TAKE\nint take = 1;\n#endif\n"),
    ]);
    for how in [
        "",
        "-imacros config.h",
        "-imacrosconfig.h",
        "--imacros config.h",
        "--imacros=config.h",
        "-include config.h",
        "-Wp,-imacros,config.h",
        "-Wp,-include,config.h",
        "-Wp,-D,NOLOCK",
        "-Wp,-DNOLOCK",
        "-Xpreprocessor -imacros -Xpreprocessor config.h",
        "-Xpreprocessor -include -Xpreprocessor config.h",
        "-Xpreprocessor -D -Xpreprocessor NOLOCK",
        "-Xclang -include -Xclang config.h",
        "-Xclang -imacros -Xclang config.h",
        "-Xclang -DNOLOCK",
    ] {
        // The header is not looked for again.
        project.sh(&format!("cp config.h kept && $CC {how} -pthread race.c -o app && rm config.h"));
        let expected = if how.is_empty() { "\"proved\"" } else { "\"violated\"" };
        assert_eq!(project.answer("./app").0, expected, "{how}");
        project.sh("mv kept config.h");
    }
    // What a file takes back, and nothing of it besides macros.
    project.write(
        "main.c",
        "#include <assert.h>\nextern int take;\nint lock = 2;\nint main(void) { assert(take == 1 && lock == 2); }\n",
    );
    project.sh("$CC -DLOCK -imacros config.h main.c lock.c -o macros && ./macros");
    assert_eq!(project.answer("./macros").0, "\"proved\"");
    // Precompiled headers, as build systems use them.
    project.sh("$CC -x c-header config.h -o config.h.pch && $CC config.h -o other.pch");
    project.sh("$CC -Xclang -include-pch -Xclang config.h.pch -Xclang -include -Xclang config.h -c race.c && $CC race.o -o app");
    assert_eq!(project.answer("./app").0, "\"violated\"");
    project.sh("$CC -include-pch other.pch -c race.c && $CC race.o -o app");
    let (code, message) = project.refusal("./app");
    assert!(code != 0 && message.contains("precompiled header other.pch"), "{code} {message}");
}

/// The loader initialises libraries before those that need them, and finishes them afterwards.
#[test]
fn libraries_are_initialised_before_those_that_need_them() {
    let project = Project::new(&[
        (
            "low.c",
            "int low;\n__attribute__((constructor)) static void up(void) { low = 1; }\n__attribute__((destructor)) static void down(void) { low = 0; }\n",
        ),
        (
            "high.c",
            "#include <assert.h>\nextern int low;\nint high;\n__attribute__((constructor(101))) static void up(void) { assert(low == 1); high = 1; }\n\
             __attribute__((destructor)) static void down(void) { assert(low == 1); high = 0; }\n",
        ),
        (
            "main.c",
            "#include <assert.h>\nextern int high, low;\nstatic int seen;\n__attribute__((constructor(101))) static void up(void) { seen = high + low; }\n\
             __attribute__((destructor)) static void down(void) { assert(high == 1 && low == 1); }\nint main(void) { assert(seen == 2); }\n",
        ),
    ]);
    project.sh(
        "$CC -shared -fPIC low.c -o liblow.so && $CC -shared -fPIC high.c -L. -llow -Wl,-rpath,'$ORIGIN' -o libhigh.so",
    );
    for order in ["-lhigh -llow", "-llow -lhigh"] {
        project.sh(&format!("$CC main.c -L. {order} -Wl,-rpath,'$ORIGIN' -o app && ./app"));
        for backend in ["vm", "native"] {
            assert_eq!(project.answer(&format!("./app --backend {backend}")).0, "\"proved\"", "{order} {backend}");
        }
    }
}

/// Options of the linker in all their spellings, and that a link leaves nothing behind.
#[test]
fn options_that_change_what_names_mean_are_found_in_every_spelling() {
    let project = Project::new(&[
        (
            "main.c",
            "#include <assert.h>\n#include <unistd.h>\nvoid foo(void) { _exit(0); }\nint main(void) { assert(0); }\n",
        ),
        ("wrap.rsp", "--wrap=strlen\n"),
        ("quiet.c", "int main(void) { return 0; }\n"),
        ("names.ld", "another = main;\n"),
        ("insert.ld", "SECTIONS { .more : { *(.more) } } INSERT AFTER .text;\n"),
    ]);
    project.sh("$CC -c quiet.c -o wrap.o");
    for how in [
        "-e foo",
        "-Wl,-e,foo",
        "-Wl,-e -Wl,foo",
        "-Wl,-efoo",
        "-Xlinker --entry=foo",
        "-Wl,-init,foo",
        "-Wl,-fini=foo",
        "-Wl,@wrap.rsp",
        // The linker takes names that are cut short.
        "-Wl,--wra=strlen",
        "-Wl,--defsy=two=main",
        "-Wl,-ini=foo",
        "-Wl,--ent=foo",
        "-Wl,--just-sym=wrap.o",
        "-Wl,-Tinsert.ld",
    ] {
        project.sh(&format!("$CC {how} main.c -o app"));
        let (code, message) = project.refusal("./app");
        assert!(code == 3 && message.contains("was linked with `-"), "{how}: {code} {message}");
    }
    for how in
        ["-no-pie -Wl,-Ttext-segment=0x500000", "-Wl,-export-dynamic", "-Wl,--no-undefined,-z,now", "-Wl,-soname,x"]
    {
        project.sh(&format!("$CC {how} quiet.c -o app"));
        assert_eq!(project.answer("./app").0, "\"proved\"", "{how}");
    }
    project.sh("$CC quiet.c names.ld -o app");
    let (code, message) = project.refusal("./app");
    assert!(code == 3 && message.contains("was linked with the script `names.ld`"), "{code} {message}");
    project.sh("mkdir left && $CC -c main.c && TMPDIR=$PWD/left $CC main.o -Wl,--export-dynamic,--end-group,-O1 -o app || true");
    project.sh("TMPDIR=$PWD/left $CC main.o -o app && TMPDIR=$PWD/left $CC -shared -fPIC main.c -o lib.so");
    assert_eq!(project.sh("ls -A left"), "");
    let missing = project.try_sh("$CC main.c none.c -o app");
    let clangs = project.try_sh("clang-19 main.c none.c -o app");
    assert_eq!((missing.stderr, missing.status), (clangs.stderr, clangs.status));
}

/// A processor without features, wherever the check runs: libraries choose plain C then.
#[test]
fn the_virtual_processor_has_no_features() {
    let text = "#include <assert.h>\nint main(void)\n{\n    unsigned a = 0, b, c, d;\n    __asm__(\"cpuid\" : \"+a\"(a), \"=b\"(b), \
                \"=c\"(c), \"=d\"(d));\n    assert(a == 0 && b == 0 && c == 0 && d == 0);\n    return 0;\n}\n";
    let project = Project::new(&[("cpuid.c", text)]);
    project.sh("$CC cpuid.c -o app");
    assert_eq!(project.answer("./app --backend vm").0, "\"proved\"");
}

/// What changes names between the compiler and the linker: the sources know nothing of it, and the other function was executed.
#[test]
fn names_that_others_have_changed_in_objects_are_noticed() {
    let project = Project::new(&[
        ("two.c", "int one(void) { return 1; }\nint two(void) { return 2; }\n"),
        (
            "main.c",
            "#include <assert.h>\nint one(void), two(void);\nint common;\nint main(void) { assert(one() == 1 && two() == 2); }\n",
        ),
        ("swap", "one two\ntwo one\n"),
    ]);
    project.sh("$CC -c two.c main.c");
    for how in [
        "objcopy --redefine-syms=swap two.o x.o",
        "objcopy --redefine-sym one=other two.o x.o",
        "objcopy --weaken-symbol=one two.o x.o",
        "objcopy --localize-symbol=one two.o x.o",
        "ld -r --defsym=one=two two.o -o x.o",
        "objcopy --redefine-syms=swap two.o x.o; ar rcs x.a x.o; cp x.a x.o",
    ] {
        project.sh(&format!("rm -f x.a x.o; {how}"));
        project.try_sh("rm -f app; $CC main.o x.o -Wl,--unresolved-symbols=ignore-all -o app");
        let (code, message) = project.refusal("./app");
        assert!(code == 3 && message.contains("was linked with `x.o"), "{how}: {code} {message}");
        let (code, message) = project.refusal("--backend native main.o x.o");
        assert!(code == 3 && message.contains("is something else in x.o"), "{how}: {code} {message}");
    }
    for how in [
        "cp two.o x.o",
        "objcopy --strip-debug two.o x.o",
        "strip -g -o x.o two.o",
        "ld -r two.o -o x.o",
        "$CC -r two.o -o x.o",
        "ar rcs x.a two.o; cp x.a x.o",
    ] {
        project.sh(&format!("rm -f x.a x.o app; {how}; $CC main.o x.o -o app"));
        assert_eq!(project.answer("./app").0, "\"proved\"", "{how}");
    }
    project.sh("ld -r two.o main.o -o x.o; $CC x.o -o app");
    assert_eq!(project.answer("./app").0, "\"proved\"");
    assert_eq!(project.answer("x.o").0, "\"proved\"");
    project.sh("ld -r --wrap=one two.o main.o -o x.o");
    let (code, message) = project.refusal("x.o");
    assert!(code == 3 && message.contains("`__wrap_one` is something else in x.o"), "{code} {message}");
}
