//! The words of a compiler's command line, as far as it matters: what is compiled and how, where the result goes.

use std::path::Path;

/// Options whose value may be the next word. Those whose value always stands in the same word need no mention.
const WITH_VALUE: &[&str] = &[
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-F",
    "-T",
    "-u",
    "-z",
    "-e",
    "-h",
    "-A",
    "-B",
    "-G",
    "-b",
    "-arch",
    "-target",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-iwithsysroot",
    "-isystem-after",
    "-imultilib",
    "-ivfsoverlay",
    "-include-pch",
    "-cxx-isystem",
    "-stdlib++-isystem",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xanalyzer",
    "-Xopenmp-target",
    "-Xcuda-ptxas",
    "-mllvm",
    "-mlinker-version",
    "-rpath",
    "-rpath-link",
    "-soname",
    "-dumpdir",
    "-dyld-prefix",
    "-resource-dir",
    "-working-directory",
    "-serialize-diagnostics",
    "-fplugin",
    "-framework",
    "-install_name",
    "-exported_symbols_list",
    "-gcc-toolchain",
    "-ccc-gcc-name",
    "-ccc-install-dir",
    "-wrapper",
    "-specs",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "--param",
    "--sysroot",
    "--output",
    "--language",
    "--include",
    "--imacros",
    "--include-directory",
    "--define-macro",
    "--undefine-macro",
    "--library-directory",
    "--serialize-diagnostics",
    "--for-linker",
    "--entry",
    "--target-help-for",
    "--config",
    "--prefix",
    "--assert",
    "--std",
];

/// With one of these, or with a beginning of those below, nothing is assembled: the compiler does it alone.
const ELSEWHERE: &[&str] = &[
    "-E",
    "-S",
    "-M",
    "-MM",
    "-fsyntax-only",
    "-emit-llvm",
    "-emit-ast",
    "-emit-pch",
    "-###",
    "-cc1",
    "-cc1as",
    "--analyze",
    "--precompile",
    "--preprocess",
    "--assemble",
    "--dependencies",
    "--user-dependencies",
    "-rewrite-objc",
    "-dumpversion",
    "-dumpmachine",
    "--version",
    "--help",
    "-help",
    "--help-hidden",
    "--driver-mode=cl",
    "-extract-api",
    "--migrate",
    "--verify-debug-info",
    "--autocomplete",
    "-dM",
];
const ELSEWHERE_BEGINNINGS: &[&str] =
    &["-print-", "--print-", "--autocomplete=", "--emit-static-lib", "--offload", "-module-file-info"];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aim {
    /// Not ours: the compiler does it alone.
    Elsewhere,
    /// `-c`
    Objects,
    /// An executable, a library, or one object of many.
    Link,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Preprocessed,
    /// Its code comes without a source that could be executed.
    Other,
    /// For the linker.
    Object,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// The word's number.
    pub at: usize,
    pub file: String,
    pub language: Language,
    /// What `-x` said.
    pub named: Option<String>,
}

#[derive(Debug)]
pub struct Line {
    pub words: Vec<String>,
    pub aim: Aim,
    pub inputs: Vec<Input>,
    pub output: Option<String>,
    /// The words that say where the output goes, `-c`, and those of `-x`: their numbers.
    steering: Vec<usize>,
}

impl Line {
    pub fn read(words: Vec<String>) -> Line {
        let mut line = Line { aim: Aim::Link, inputs: Vec::new(), output: None, steering: Vec::new(), words };
        let mut named: Option<String> = None;
        let mut only_files = false;
        let mut at = 0;
        while at < line.words.len() {
            let word = line.words[at].clone();
            let here = at;
            at += 1;
            if only_files || word == "-" || !word.starts_with('-') {
                let language = match &named {
                    Some(name) => by_name(name),
                    None => by_extension(&word),
                };
                line.inputs.push(Input { at: here, file: word, language, named: named.clone() });
                continue;
            }
            let mut value = || {
                let value = line.words.get(at).cloned();
                at += 1;
                value
            };
            match word.as_str() {
                "--" => only_files = true,
                "-c" | "--compile" => {
                    line.aim = if line.aim == Aim::Elsewhere { Aim::Elsewhere } else { Aim::Objects };
                    line.steering.push(here);
                }
                "-o" | "--output" => {
                    line.output = value();
                    line.steering.extend([here, here + 1]);
                }
                "-x" | "--language" => {
                    named = value();
                    line.steering.extend([here, here + 1]);
                }
                _ if ELSEWHERE.contains(&word.as_str())
                    || ELSEWHERE_BEGINNINGS.iter().any(|beginning| word.starts_with(beginning)) =>
                {
                    line.aim = Aim::Elsewhere;
                }
                _ if WITH_VALUE.contains(&word.as_str()) || word.starts_with("-Xarch_") => {
                    value();
                }
                _ => {
                    let joined = |beginnings: &[&str]| beginnings.iter().find_map(|b| word.strip_prefix(b));
                    if let Some(name) = joined(&["--language=", "-x"]) {
                        named = Some(name.into());
                        line.steering.push(here);
                    } else if let Some(file) = joined(&["--output=", "-o"]).filter(|_| !word.starts_with("-obj")) {
                        line.output = Some(file.into());
                        line.steering.push(here);
                    }
                }
            }
            if named.as_deref() == Some("none") {
                named = None;
            }
        }
        if line.inputs.is_empty() || line.aim == Aim::Link && line.is_of_headers() {
            line.aim = Aim::Elsewhere;
        }
        line
    }

    /// What the linker is told besides the inputs, a word each, with those of its own response files.
    pub fn for_linker(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (at, word) in self.words.iter().enumerate() {
            match word.strip_prefix("-Wl,") {
                Some(all) => words.extend(all.split(',').map(String::from)),
                None if at > 0 && ["-Xlinker", "--for-linker"].contains(&self.words[at - 1].as_str()) => {
                    words.push(word.clone());
                }
                // These the driver hands on.
                None if word == "-e" || word.starts_with("--entry") || word == "-T" => words.push(word.clone()),
                None if word.strip_prefix('-').is_some_and(super::is_joined_script) => words.push(word.clone()),
                None => {}
            }
        }
        with_responses(words)
    }

    /// All that is neither an input nor about the output or the language of inputs.
    pub fn options(&self) -> Vec<String> {
        let is_option = |at: &usize| !self.steering.contains(at) && !self.inputs.iter().any(|input| input.at == *at);
        (0..self.words.len()).filter(is_option).map(|at| self.words[at].clone()).filter(|word| word != "--").collect()
    }

    /// Words for the linker: inputs are replaced by these, and languages do not matter any more.
    pub fn link_words(&self, objects: &[String]) -> Vec<String> {
        let is_language = |at: usize| {
            self.steering.contains(&at)
                && (is_language_word(&self.words[at])
                    || at > 0 && matches!(self.words[at - 1].as_str(), "-x" | "--language"))
        };
        let mut objects = objects.iter();
        let mut words = Vec::new();
        for (at, word) in self.words.iter().enumerate() {
            if self.inputs.iter().any(|input| input.at == at) {
                words.extend(objects.next().cloned());
            } else if !is_language(at) && word != "--" {
                words.push(word.clone());
            }
        }
        words
    }

    /// What the meaning of a source hangs on.
    pub fn meaning(&self) -> Meaning {
        let mut meaning = Meaning::default();
        // What goes past the driver comes after its own words, and what is for the compiler proper last.
        let (mut preprocessor, mut compiler) = (Vec::new(), Vec::new());
        let mut words = self.options().into_iter();
        while let Some(word) = words.next() {
            if let Some((what, file)) = file_before(&word, &mut words) {
                meaning.read_before(what, file);
                continue;
            }
            let has_value = WITH_VALUE.contains(&word.as_str()) || word.starts_with("-Xarch_");
            let value = if has_value { words.next() } else { None };
            if let Some(past) = word.strip_prefix("-Wp,") {
                preprocessor.extend(past.split(',').map(String::from));
            } else if word == "-Xpreprocessor" {
                preprocessor.extend(value);
            } else if word == "-Xclang" {
                compiler.extend(value);
            } else if !is_without_meaning(&word) {
                meaning.flags.push(word);
                meaning.flags.extend(value);
            }
        }
        meaning.past_the_driver(preprocessor);
        meaning.past_the_driver(compiler);
        meaning
    }

    /// Whether clang makes precompiled headers of the inputs.
    fn is_of_headers(&self) -> bool {
        self.inputs.iter().any(|input| match &input.named {
            Some(name) => name.ends_with("-header"),
            None => {
                let extension = Path::new(&input.file).extension().unwrap_or_default();
                ["h", "H", "hh", "hpp"].iter().any(|header| extension == *header)
            }
        })
    }
}

/// What the meaning of a source hangs on.
#[derive(Default, Debug)]
pub struct Meaning {
    pub flags: Vec<String>,
    /// Files that are read before it for their macros, and after these whole ones.
    pub macros: Vec<String>,
    pub headers: Vec<String>,
    precompiled: Vec<String>,
}

/// A file that is read before the source.
#[derive(Clone, Copy)]
enum Before {
    Macros,
    Header,
    Precompiled,
}

/// The file of an option that says so, which may be the next word.
fn file_before(word: &str, rest: &mut impl Iterator<Item = String>) -> Option<(Before, String)> {
    const OPTIONS: [(&str, Before); 5] = [
        ("-include-pch", Before::Precompiled),
        ("--include", Before::Header),
        ("-include", Before::Header),
        ("--imacros", Before::Macros),
        ("-imacros", Before::Macros),
    ];
    for (option, what) in OPTIONS {
        match word.strip_prefix(option) {
            Some("") => return Some((what, rest.next()?)),
            // Two dashes and more letters are another option.
            Some(file) if option.starts_with("--") => {
                if let Some(file) = file.strip_prefix('=') {
                    return Some((what, file.into()));
                }
            }
            Some(file) if !matches!(what, Before::Precompiled) => return Some((what, file.into())),
            _ => {}
        }
    }
    None
}

impl Meaning {
    fn read_before(&mut self, what: Before, file: String) {
        match what {
            Before::Macros => self.macros.push(file),
            Before::Header => self.headers.push(file),
            Before::Precompiled => self.precompiled.push(file),
        }
    }

    /// Words that the driver hands on as they are.
    fn past_the_driver(&mut self, words: Vec<String>) {
        const OF_FILES: [&str; 6] = ["-MD", "-MMD", "-MF", "-MT", "-MQ", "-dependency-file"];
        const OF_DRIVER: [&str; 6] = ["-D", "-U", "-I", "-isystem", "-iquote", "-idirafter"];
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            if let Some((what, file)) = file_before(&word, &mut words) {
                self.read_before(what, file);
            } else if OF_FILES.contains(&word.as_str()) {
                words.next();
            } else if OF_DRIVER.contains(&word.as_str()) {
                self.flags.push(word);
                self.flags.extend(words.next());
            } else if word.starts_with("-D") || word.starts_with("-U") {
                self.flags.push(word);
            } else if !["-MP", "-MG", "-MV", "-sys-header-deps", "-module-file-deps"].contains(&word.as_str()) {
                self.flags.extend(["-Xclang".into(), word]);
            }
        }
    }

    /// A precompiled header whose text is not read anyway.
    pub fn unknown_header(&self) -> Option<&str> {
        let is_of = |made: &str, header: &String| {
            [".pch", ".gch"].iter().any(|ending| made.strip_suffix(ending) == Some(header.as_str()))
        };
        let unknown = |made: &&String| !self.headers.iter().any(|header| is_of(made, header));
        self.precompiled.iter().find(unknown).map(String::as_str)
    }
}

fn is_language_word(word: &str) -> bool {
    word.starts_with("-x") || word.starts_with("--language")
}

/// What is for the linker, the assembler, the optimiser, or for people; what is in the text already; what makes other files; and
/// what looks for errors that we look for ourselves.
fn is_without_meaning(word: &str) -> bool {
    const ALONE: &[&str] = &[
        "-c",
        "-v",
        "-w",
        "-s",
        "-pg",
        "-p",
        "-r",
        "-shared",
        "-static",
        "-static-libgcc",
        "-static-pie",
        "-shared-libgcc",
        "-pie",
        "-no-pie",
        "-nopie",
        "-rdynamic",
        "-pipe",
        "-nostdlib",
        "-nodefaultlibs",
        "-nostartfiles",
        "-pthread",
        "-pthreads",
        "-Qunused-arguments",
        "-pedantic",
        "-pedantic-errors",
        "--coverage",
        "-fpic",
        "-fPIC",
        "-fpie",
        "-fPIE",
        "-fno-pic",
        "-fno-PIC",
        "-fno-pie",
        "-fno-PIE",
        "-T",
        "-L",
        "-l",
        "-u",
        "-z",
        "-e",
        "-h",
        "-Xlinker",
        "-Xassembler",
        "-Xanalyzer",
        "-rpath",
        "-soname",
        "--entry",
        "-dumpdir",
        "-integrated-as",
        "-no-integrated-as",
        "-fintegrated-as",
        "-fno-integrated-as",
        "-fplt",
        "-fno-plt",
        "-MD",
        "-MMD",
        "-MP",
        "-MG",
        "-MV",
        "-MF",
        "-MT",
        "-MQ",
        "-MJ",
        "--serialize-diagnostics",
        "-serialize-diagnostics",
    ];
    const BEGINNINGS: &[&str] = &[
        "-O",
        "-g",
        "-W",
        "-R",
        "-L",
        "-l",
        "-MF",
        "-MT",
        "-MQ",
        "-MJ",
        "-flto",
        "-fno-lto",
        "-fsanitize",
        "-fno-sanitize",
        "-fprofile",
        "-fcoverage",
        "-ftest-coverage",
        "-fdiagnostics",
        "-fno-diagnostics",
        "-fcolor",
        "-fno-color",
        "-fansi",
        "-save-temps",
        "--save-temps",
        "-save-stats",
        "-ftime-trace",
        "-ftime-report",
        "-fsave-optimization",
        "-fuse-ld",
        "--ld-path",
        "-fdebug",
        "-ffile-prefix-map",
        "-fmacro-backtrace",
        "-fmessage-length",
        "-ferror-limit",
        "-fvisibility",
        "-fstack-protector",
        "-fstack-clash",
        "-fcf-protection",
        "-fvectorize",
        "-ftree-vectorize",
        "-fslp-vectorize",
        "-ffunction-sections",
        "-fdata-sections",
        "-fno-semantic-interposition",
        "-fsemantic-interposition",
        "-fno-omit-frame-pointer",
        "-fomit-frame-pointer",
        "-fasynchronous-unwind",
        "-fno-asynchronous-unwind",
        "-funwind-tables",
        "-fno-unwind-tables",
        "-fpass-plugin",
        "-rtlib",
        "--rtlib",
        "-unwindlib",
        "--unwindlib",
        "-femulated-tls",
    ];
    ALONE.contains(&word) || BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
}

fn by_name(language: &str) -> Language {
    match language {
        "c" => Language::C,
        "cpp-output" => Language::Preprocessed,
        "none" => Language::Object,
        _ => Language::Other,
    }
}

fn by_extension(file: &str) -> Language {
    match Path::new(file).extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "c" => Language::C,
        "i" => Language::Preprocessed,
        "s" | "S" | "sx" | "asm" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii" | "m" | "mi" | "mm"
        | "M" | "ll" | "bc" | "cu" | "f" | "F" | "f90" | "h" | "hh" | "H" | "hpp" => Language::Other,
        _ => Language::Object,
    }
}

/// Words with those of response files in their places. One that cannot be read is left to the compiler to complain of.
pub fn with_responses(words: Vec<String>) -> Vec<String> {
    fn add(word: String, depth: usize, all: &mut Vec<String>) {
        let text = word.strip_prefix('@').filter(|_| depth < 20).and_then(|file| std::fs::read_to_string(file).ok());
        match text.and_then(|text| split(&text)) {
            Some(words) => words.into_iter().for_each(|word| add(word, depth + 1, all)),
            None => all.push(word),
        }
    }
    let mut all = Vec::new();
    words.into_iter().for_each(|word| add(word, 0, &mut all));
    all
}

/// As GNU has it: words end at white space, quotes of both kinds keep it, and a backslash keeps any character.
fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', _) => word.get_or_insert_default().push(letters.next()?),
            (letter, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (letter, None) if letter.is_whitespace() => words.extend(word.take()),
            (letter, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &str) -> Line {
        Line::read(words.split(' ').map(String::from).collect())
    }

    #[test]
    fn inputs_are_told_from_values() {
        let line = line("-I inc -DN=1 -MF a.d -MMD -o out a.c -x c b.txt -x none c.o -lm");
        let files: Vec<(&str, Language)> =
            line.inputs.iter().map(|input| (input.file.as_str(), input.language)).collect();
        assert_eq!(files, [("a.c", Language::C), ("b.txt", Language::C), ("c.o", Language::Object)]);
        assert_eq!((line.aim, line.output.as_deref()), (Aim::Link, Some("out")));
        let objects = ["A", "B", "c.o"].map(String::from);
        assert_eq!(line.link_words(&objects).join(" "), "-I inc -DN=1 -MF a.d -MMD -o out A B c.o -lm");
        assert_eq!(line.meaning().flags.join(" "), "-I inc -DN=1");
    }

    #[test]
    fn what_is_done() {
        for (words, aim) in [
            ("-c a.c", Aim::Objects),
            ("-c -E a.c", Aim::Elsewhere),
            ("-E -c a.c", Aim::Elsewhere),
            ("--version", Aim::Elsewhere),
            ("-print-prog-name=ld a.c", Aim::Elsewhere),
            ("-v", Aim::Elsewhere),
            ("a.o", Aim::Link),
            ("-xc -", Aim::Link),
            ("-MMD a.c -oapp", Aim::Link),
        ] {
            assert_eq!(line(words).aim, aim, "{words}");
        }
        assert_eq!(line("-MMD a.c -oapp").output.as_deref(), Some("app"));
    }

    #[test]
    fn meaning_is_kept() {
        let words = "-O2 -g -Wall -Wp,-DM=1 -Wp,-MD,x.d -std=c11 -fwrapv -fPIC -fsanitize=thread -include a.h -Iinc -isystem sys -Wl,-s -c a.c";
        assert_eq!(line(words).meaning().flags.join(" "), "-std=c11 -fwrapv -Iinc -isystem sys -DM=1");
    }

    #[test]
    fn files_that_are_read_before_have_many_forms() {
        for (words, flags, macros, headers, unknown) in [
            ("-imacros a.h -imacrosb.h --imacros c.h --imacros=d.h", "", "a.h b.h c.h d.h", "", None),
            ("-include a.h -includeb.h --include c.h --include=d.h", "", "", "a.h b.h c.h d.h", None),
            ("-Wp,-imacros,a.h -Wp,-include,b.h -Wp,-D,N -Wp,-UM", "-D N -UM", "a.h", "b.h", None),
            ("-Xpreprocessor -imacros -Xpreprocessor a.h -Xpreprocessor -DN", "-DN", "a.h", "", None),
            ("-Xclang -include -Xclang a.h -Xclang -fblocks", "-Xclang -fblocks", "", "a.h", None),
            ("-Xclang -include-pch -Xclang p.h.pch -Xclang -include -Xclang p.h", "", "", "p.h", None),
            ("-include-pch p.pch -include p.h", "", "", "p.h", Some("p.pch")),
            ("-Wp,-MMD,x.d -Wp,-MT,x -DN --include-directory inc", "-DN --include-directory inc", "", "", None),
        ] {
            let meaning = line(&format!("{words} -c x.c")).meaning();
            let all = (meaning.flags.join(" "), meaning.macros.join(" "), meaning.headers.join(" "));
            assert_eq!(all, (flags.into(), macros.into(), headers.into()), "{words}");
            assert_eq!(meaning.unknown_header(), unknown, "{words}");
        }
        assert_eq!(line("p.h").aim, Aim::Elsewhere);
        assert_eq!(line("-x c-header p.h -o p.pch").aim, Aim::Elsewhere);
    }

    #[test]
    fn response_files_have_quotes() {
        assert_eq!(
            split("a 'b c' \"d\\\"e\"\n-DX=\\'y\\' ''"),
            Some(["a", "b c", "d\"e", "-DX='y'", ""].map(String::from).to_vec())
        );
    }
}
