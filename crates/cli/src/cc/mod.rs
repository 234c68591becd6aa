//! `threadbare cc`: the compiler, and beside the machine code of each translation unit its source, so that `check` can explore what a
//! build system has built.
//!
//! clang does all that it was asked to do, with its own words and exit codes. What it assembles gets a section with the source
//! (`threadbare_vm::record`); where it would compile and link at once, it is called once for each source, and then to link.

mod words;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};

use threadbare_vm::record::{Kind, Record, SECTION};
use threadbare_vm::{LoadError, Tools, elf, foreign_libraries, include_folder, names_of, renamed_in, temporary_folder};

use crate::report;
use words::{Aim, Input, Language, Line, Meaning, with_responses};

pub const HELP: &str = "\
A drop-in compiler: clang, and beside the machine code the source, for `threadbare check`

Usage: threadbare cc [FLAGS OF CLANG...] FILE...

Whatever clang can do, it does: the words, the messages and the exit codes are clang's, and what it makes runs as ever. Each
object has its source in a section of its own, `.threadbare`, which gets through archives, libraries and executables, so that
`check`, `run` and `replay` take the result in the place of C files. Levels of -O, sanitizers and -flto are for the machine
code; `check -O` has its own.

Examples:
  CC=\"threadbare cc\" ./configure && make
  make CC=\"threadbare cc\"
  threadbare cc -pthread -O2 -o app main.c queue.c
  threadbare check ./app --args 2 input

By the name `threadbare-cc` (a link to threadbare) it is the same, for build systems that want one word.
`threadbare cc -help` shows clang's own options.
";

/// Why nothing was built, in our own words.
const FAILED: u8 = 1;

pub fn cc(words: impl Iterator<Item = std::ffi::OsString>) -> ExitCode {
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    if words == ["--help"] {
        crate::screen::print(HELP);
        return ExitCode::SUCCESS;
    }
    match build(words) {
        Ok(code) => code,
        Err(message) => {
            report::message(&message);
            ExitCode::from(FAILED)
        }
    }
}

fn build(words: Vec<String>) -> Result<ExitCode, String> {
    let tools = Tools::find().map_err(said)?;
    let line = Line::read(with_responses(words.clone()));
    let is_missing = |input: &Input| input.file != "-" && !Path::new(&input.file).exists();
    if line.aim == Aim::Elsewhere || line.inputs.iter().any(is_missing) {
        return Err(become_clang(&tools, &words));
    }
    let driver = Driver { folder: temporary_folder().map_err(said)?, tools };
    match line.aim {
        Aim::Objects => driver.objects(&words, &line),
        _ => driver.link(words, &line),
    }
}

fn said(error: LoadError) -> String {
    error.to_string()
}

/// In the place of this process. It comes back with an error only.
fn become_clang(tools: &Tools, words: &[String]) -> String {
    let error = Command::new(&tools.clang).args(words).exec();
    format!("cannot run {}: {}", tools.clang.display(), report::why(&error))
}

fn code_of(status: ExitStatus) -> ExitCode {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    ExitCode::from(code as u8)
}

struct Driver {
    tools: Tools,
    folder: tempfile::TempDir,
}

impl Driver {
    /// `-c`: the compiler does it, and the sources are written behind it.
    fn objects(&self, words: &[String], line: &Line) -> Result<ExitCode, String> {
        let wants = |input: &&Input| input.language != Language::Object;
        let inputs: Vec<&Input> = line.inputs.iter().filter(wants).collect();
        let stdin = stdin_of(&inputs)?;
        let include = include_folder(self.folder.path()).map_err(said)?;
        let ordinary = start(self.clang(words, &include, line), &stdin)?;
        let sources = self.sources(line, &inputs, &include, &stdin)?;
        let status = finish(ordinary)?;
        if !status.success() {
            return Ok(code_of(status));
        }
        for (input, source) in inputs.iter().zip(sources) {
            let stem = Path::new(&input.file).file_stem().unwrap_or_default();
            let object = line.output.clone().map_or_else(|| Path::new(stem).with_extension("o"), PathBuf::from);
            add(&object, &source.record()?)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Compiles what is to be compiled, with its source, and links it.
    fn link(self, words: Vec<String>, line: &Line) -> Result<ExitCode, String> {
        let inputs: Vec<&Input> = line.inputs.iter().filter(|input| input.language != Language::Object).collect();
        let remarks = remarks(line);
        if inputs.is_empty() && remarks.is_empty() {
            let Driver { folder, tools } = self;
            // Nobody else would take it away.
            drop(folder);
            return Err(become_clang(&tools, &words));
        }
        let stdin = stdin_of(&inputs)?;
        let include = include_folder(self.folder.path()).map_err(said)?;
        let sources = self.sources(line, &inputs, &include, &stdin)?;
        let mut dependencies = self.dependencies(line).into_iter();
        let prefix = format!("{}-", line.output.as_deref().unwrap_or("a"));
        let mut made = Vec::new();
        for (number, (input, source)) in inputs.iter().zip(sources).enumerate() {
            let stem = Path::new(&input.file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let folder = self.folder.path().join(number.to_string());
            std::fs::create_dir(&folder).map_err(|error| format!("cannot make a temporary folder: {error}"))?;
            let object = folder.join(if stem == "-" { "stdin".into() } else { stem }).with_extension("o");
            let mut words = line.options();
            words.extend(["-Wno-unused-command-line-argument", "-dumpdir", &prefix, "-c", "-o"].map(String::from));
            words.push(object.display().to_string());
            if input.language != Language::Other || input.named.is_some() {
                words.extend(dependencies.next().unwrap_or_default());
            }
            if let Some(language) = &input.named {
                words.extend(["-x".into(), language.clone()]);
            }
            words.push(input.file.clone());
            let status = finish(start(self.clang(&words, &include, line), &stdin)?)?;
            if !status.success() {
                return Ok(code_of(status));
            }
            add(&object, &source.record()?)?;
            made.push((input.at, object.display().to_string()));
        }
        let object_of = |input: &Input| {
            made.iter().find(|(at, _)| *at == input.at).map_or_else(|| input.file.clone(), |(_, object)| object.clone())
        };
        let mut words = line.link_words(&line.inputs.iter().map(object_of).collect::<Vec<_>>());
        words.retain(|word| !word.starts_with("-flto"));
        if !inputs.is_empty() {
            // Flags of the compiler were used before.
            words.push("-Wno-unused-command-line-argument".into());
        }
        if !remarks.is_empty() {
            let content: Vec<u8> = remarks.iter().flat_map(Record::to_bytes).collect();
            let object = self.folder.path().join("remarks.o");
            let bytes = elf::with_section(&elf::empty_object(), SECTION, &content).expect("an object of ours");
            std::fs::write(&object, bytes).map_err(|error| format!("cannot write {}: {error}", object.display()))?;
            words.push(object.display().to_string());
        }
        let response = self.folder.path().join("words");
        let quoted = words.iter().map(|word| format!("\"{}\"\n", word.replace('\\', "\\\\").replace('"', "\\\"")));
        std::fs::write(&response, quoted.collect::<String>()).map_err(|error| error.to_string())?;
        let long = words.iter().map(String::len).sum::<usize>() > 100_000;
        let words = if long { vec![format!("@{}", response.display())] } else { words };
        let status = finish(start(self.clang(&words, &include, line), &None)?)?;
        Ok(code_of(status))
    }

    /// The compiler as it was asked for. `threadbare.h` is there, behind all folders that it looks in.
    fn clang(&self, words: &[String], include: &Path, line: &Line) -> Command {
        let mut command = Command::new(&self.tools.clang);
        command.args(words);
        if line.words.iter().any(|word| word.starts_with("-flto")) {
            // Sections are for objects, and what that makes is none.
            command.arg("-fno-lto");
        }
        if line.aim == Aim::Objects || words.iter().any(|word| word == "-c") {
            command.env("C_INCLUDE_PATH", with_last("C_INCLUDE_PATH", include));
        }
        command
    }

    /// Begins to preprocess each input.
    fn sources<'a>(
        &self,
        line: &Line,
        inputs: &[&'a Input],
        include: &Path,
        stdin: &Option<Vec<u8>>,
    ) -> Result<Vec<Source<'a>>, String> {
        let directory = std::env::current_dir().unwrap_or_default();
        let meaning = line.meaning();
        let mut before = self.preprocessor(&meaning, include);
        match self.macros(&meaning, include)? {
            Some(file) => before.args(read_first("-include", &file.display().to_string())),
            // The compiler is going to say why.
            None => before.args(meaning.macros.iter().flat_map(|file| read_first("-imacros", file))),
        };
        before.args(meaning.headers.iter().flat_map(|file| read_first("-include", file)));
        let before: Vec<OsString> = before.get_args().map(OsString::from).collect();
        let begin = |(number, input): (usize, &&'a Input)| {
            let record = |kind, text: &str| Record {
                kind,
                file: if input.file == "-" { "<stdin>".into() } else { input.file.clone() },
                directory: directory.to_string_lossy().into_owned(),
                flags: meaning.flags.clone(),
                text: text.into(),
            };
            if input.language == Language::Other {
                return Ok(Source { input, record: record(Kind::Object, ""), making: None });
            }
            let preprocessed = input.language == Language::Preprocessed;
            let kind = if preprocessed { Kind::Preprocessed } else { Kind::C };
            if preprocessed {
                let text = match stdin.as_ref().filter(|_| input.file == "-") {
                    Some(text) => text.clone(),
                    // The compiler is going to say why not.
                    None => std::fs::read(&input.file).unwrap_or_default(),
                };
                return Ok(Source { input, record: Record { text, ..record(kind, "") }, making: None });
            }
            if let Some(header) = meaning.unknown_header() {
                let text = format!("it is compiled with the precompiled header {header}, whose text is not known here");
                report::message(&format!("{}: {text}: name the header itself (-include) for a check", input.file));
                return Ok(Source { input, record: record(Kind::Without, &text), making: None });
            }
            let result = self.folder.path().join(format!("{number}.c"));
            let mut command = Command::new(&self.tools.clang);
            command.args(&before).arg("-frewrite-includes");
            command.arg("-o").arg(&result).args(["-x", "c", &input.file]).stderr(Stdio::piped());
            let making = Some((start(command, stdin)?, result));
            Ok(Source { input, record: record(kind, ""), making })
        };
        inputs.iter().enumerate().map(begin).collect()
    }

    fn preprocessor(&self, meaning: &Meaning, include: &Path) -> Command {
        let mut command = Command::new(&self.tools.clang);
        command.args(&meaning.flags);
        command.args(["-E", "-O0", "-w", "-Wno-error", "-D__THREADBARE__=1", "-pthread"]);
        command.arg("-idirafter").arg(include);
        command
    }

    /// What `-imacros` changes, as a header: of files that are read for their macros the preprocessor leaves nothing in the text.
    fn macros(&self, meaning: &Meaning, include: &Path) -> Result<Option<PathBuf>, String> {
        if meaning.macros.is_empty() {
            return Ok(None);
        }
        let all = |files: &[String]| {
            let mut command = self.preprocessor(meaning, include);
            command.args(files.iter().flat_map(|file| read_first("-imacros", file)));
            let output = command.args(["-dM", "-x", "c", "/dev/null"]).stdin(Stdio::null()).output();
            let output = output.map_err(|error| report::why(&error))?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Ok::<_, String>(output.status.success().then_some(text))
        };
        let (Some(without), Some(with)) = (all(&[])?, all(&meaning.macros)?) else { return Ok(None) };
        let (without, with) = (by_name(&without), by_name(&with));
        let is_gone = |(name, line): &(&&str, &&str)| with.get(**name) != Some(*line);
        let gone = without.iter().filter(is_gone).map(|(name, _)| format!("#undef {name}\n"));
        let made = with.iter().filter(|(name, line)| without.get(**name) != Some(*line));
        let text: String = gone.chain(made.map(|(_, line)| format!("{line}\n"))).collect();
        let file = self.folder.path().join("macros.h");
        std::fs::write(&file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        Ok(Some(file))
    }

    /// Where clang would write dependencies, and of which target: the words that say so, for each file that it would compile.
    fn dependencies(&self, line: &Line) -> Vec<Vec<String>> {
        let wants = |word: &String| {
            ["-MD", "-MMD"].contains(&word.as_str()) || word.starts_with("-Wp,-MD,") || word.starts_with("-Wp,-MMD,")
        };
        if !line.words.iter().any(wants) {
            return Vec::new();
        }
        let output = Command::new(&self.tools.clang).arg("-###").args(&line.words).stdin(Stdio::null()).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stderr).into_owned()).unwrap_or_default();
        let jobs =
            text.lines().filter_map(shlex::split).filter(|words| words.get(1).is_some_and(|word| word == "-cc1"));
        jobs.map(|words| {
            let values =
                |name: &'static str| words.windows(2).filter(move |pair| pair[0] == name).map(|pair| pair[1].clone());
            let given = line.words.iter().any(|word| word.starts_with("-MT") || word.starts_with("-MQ"));
            let targets = values("-MT").filter(|_| !given).flat_map(|target| ["-MT".into(), target]);
            values("-dependency-file").take(1).flat_map(|file| ["-MF".into(), file]).chain(targets).collect()
        })
        .collect()
    }
}

/// The words by which the compiler itself reads a file first: its driver would take a precompiled one of that name instead.
fn read_first(option: &str, file: &str) -> [String; 4] {
    ["-Xclang", option, "-Xclang", file].map(String::from)
}

/// The definitions of `-dM`, each with its macro.
fn by_name(text: &str) -> BTreeMap<&str, &str> {
    let end = |name: char| name == ' ' || name == '(';
    text.lines().filter_map(|line| Some((line.strip_prefix("#define ")?.split(end).next()?, line))).collect()
}

/// A variable with a list of folders, with one more at its end.
fn with_last(name: &str, folder: &Path) -> String {
    match std::env::var(name) {
        Ok(list) if !list.is_empty() => format!("{list}:{}", folder.display()),
        _ => folder.display().to_string(),
    }
}

/// What an executable has to say besides its sources: objects and libraries that we have not made, and options that change what names
/// mean.
fn remarks(line: &Line) -> Vec<Record> {
    let record =
        |kind, file: &str, flags, text| Record { kind, file: file.into(), directory: String::new(), flags, text };
    let is_foreign =
        |bytes: &[u8]| elf::Elf::read(bytes).is_some_and(|elf| elf.is_object() && elf.section(SECTION).is_none());
    let objects = line.inputs.iter().filter(|input| input.language == Language::Object);
    let renamed = objects.clone().filter_map(|input| renamed_in(&input.file, &std::fs::read(&input.file).ok()?));
    let renamed = renamed.map(|file| format!("`{file}`, whose names are not those of its source").into_bytes());
    let renamed: Vec<Record> = renamed.map(|text| record(Kind::Linked, "", Vec::new(), text)).collect();
    let objects = objects.filter(|input| !input.file.ends_with(".a"));
    let objects: Vec<_> = objects.map(|input| (&input.file, std::fs::read(&input.file).unwrap_or_default())).collect();
    // What is nothing else, the linker reads as one.
    let is_script =
        |bytes: &[u8]| !["\x7fELF", "!<arch>", "!<thin>", "BC"].iter().any(|magic| bytes.starts_with(magic.as_bytes()));
    let scripts = objects.iter().filter(|(_, bytes)| is_script(bytes));
    let scripts = scripts.map(|(file, _)| format!("the script `{file}`").into_bytes());
    let scripts: Vec<Record> = scripts.map(|text| record(Kind::Linked, "", Vec::new(), text)).collect();
    let objects = objects.into_iter().filter(|(_, bytes)| is_foreign(bytes));
    let objects = objects.map(|(file, bytes)| record(Kind::Object, file, Vec::new(), bytes));
    let words = foreign_libraries(&line.words, &std::env::current_dir().unwrap_or_default());
    let libraries = (!words.is_empty()).then(|| record(Kind::Libraries, "", words, Vec::new()));
    let foreign = objects.chain(libraries).chain(scripts).chain(renamed);
    let meaning = |option: String| {
        let name = option.strip_prefix('-')?.trim_start_matches('-').split('=').next().unwrap_or_default();
        let one_dash = !option.starts_with("--");
        // The linker takes long names that are cut short.
        let is = |known: &&str| *known == name || name.len() > usize::from(one_dash) && known.starts_with(name);
        let kind = match name {
            "e" | "T" | "dT" => Kind::Linked,
            _ if MEANING.iter().any(is) => Kind::Linked,
            "dynamic-list" => Kind::Bound,
            _ if name.starts_with("Bsymbolic") => Kind::Bound,
            // With the name in the same word.
            _ if one_dash && (is_joined_entry(name) || is_joined_script(name)) => Kind::Linked,
            _ => return None,
        };
        Some(record(kind, "", Vec::new(), format!("`{option}`").into_bytes()))
    };
    foreign.chain(line.for_linker().into_iter().filter_map(meaning)).collect()
}

/// Options of the linker that change what names mean.
const MEANING: [&str; 8] = ["wrap", "defsym", "entry", "init", "fini", "script", "just-symbols", "default-script"];

/// `-TFILE`; `-Ttext` and its like have an address.
pub(crate) fn is_joined_script(name: &str) -> bool {
    const PLACES: [&str; 6] = ["Ttext", "Tdata", "Tbss", "Ttext-segment", "Trodata-segment", "Tldata-segment"];
    name.strip_prefix('T').is_some_and(|file| !file.is_empty()) && !PLACES.contains(&name)
}

/// `-eNAME`, as the linker takes it, and no other of its options.
fn is_joined_entry(name: &str) -> bool {
    const OTHERS: [&str; 8] = ["eh-", "emit-", "enable-", "embedded-", "end-", "error-", "exclude-", "export-"];
    name.starts_with('e') && !OTHERS.iter().any(|other| name.starts_with(other)) && name != "emulation"
}

/// What the standard input holds, if it is an input.
fn stdin_of(inputs: &[&Input]) -> Result<Option<Vec<u8>>, String> {
    if !inputs.iter().any(|input| input.file == "-") {
        return Ok(None);
    }
    let mut text = Vec::new();
    let read = std::io::stdin().read_to_end(&mut text);
    read.map_err(|error| format!("cannot read the standard input: {}", report::why(&error)))?;
    Ok(Some(text))
}

/// Starts a program with this as its standard input, or with ours.
fn start(mut command: Command, stdin: &Option<Vec<u8>>) -> Result<Child, String> {
    if stdin.is_some() {
        command.stdin(Stdio::piped());
    }
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|error| format!("cannot run {program}: {}", report::why(&error)))?;
    if let (Some(text), Some(mut pipe)) = (stdin.clone(), child.stdin.take()) {
        std::thread::spawn(move || pipe.write_all(&text));
    }
    Ok(child)
}

fn finish(mut child: Child) -> Result<ExitStatus, String> {
    child.wait().map_err(|error| format!("cannot wait for the compiler: {}", report::why(&error)))
}

/// The source of an input, which may still be in the making.
struct Source<'a> {
    input: &'a Input,
    record: Record,
    making: Option<(Child, PathBuf)>,
}

impl Source<'_> {
    fn record(self) -> Result<Record, String> {
        let Some((child, file)) = self.making else { return Ok(self.record) };
        let output = child.wait_with_output().map_err(|error| report::why(&error))?;
        match (output.status.success(), std::fs::read(&file)) {
            (true, Ok(text)) => Ok(Record { text, ..self.record }),
            // The ordinary result is as good as ever: who checks it learns of this.
            _ => {
                let words = String::from_utf8_lossy(&output.stderr);
                let first = words.lines().find(|line| line.contains("error: ")).unwrap_or("the preprocessor failed");
                let text = format!("with __THREADBARE__ defined, it does not compile: {first}");
                report::message(&format!("{}: {text}", self.input.file));
                Ok(Record { kind: Kind::Without, text: text.into(), ..self.record })
            }
        }
    }
}

/// Puts a record into an object. What is no object (`-o /dev/null`) stays as it is.
fn add(object: &Path, record: &Record) -> Result<(), String> {
    let Ok(bytes) = std::fs::metadata(object).and_then(|meta| match meta.is_file() {
        true => std::fs::read(object),
        false => Err(std::io::Error::other("no file")),
    }) else {
        return Ok(());
    };
    // What has no source is kept as it is.
    let own = (record.kind == Kind::Object).then(|| Record { text: bytes.clone(), ..record.clone() });
    let mut section = own.as_ref().unwrap_or(record).to_bytes();
    let names = elf::Elf::read(&bytes).filter(|_| record.is_c()).and_then(|elf| names_of(&elf));
    if let Some(names) = names {
        let (file, text) = (record.file.clone(), names.into_bytes());
        let names = Record { kind: Kind::Names, file, directory: String::new(), flags: Vec::new(), text };
        section.extend(names.to_bytes());
    }
    match elf::with_section(&bytes, SECTION, &section) {
        Some(bytes) => std::fs::write(object, bytes)
            .map_err(|error| format!("cannot write {}: {}", object.display(), report::why(&error))),
        None => Ok(()),
    }
}
