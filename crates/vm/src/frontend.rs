//! From C files to IR modules: finds clang 19, runs it and `opt`, reads the result; and the C runtime likewise, once.

pub mod code;
pub mod elf;
pub mod expressions;
pub mod flags;
pub mod record;
pub mod renamed;
mod straight;
pub mod texts;
mod units;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustc_hash::FxHashMap;
use threadbare_ir::{Module, ParseError};

use crate::link::{LinkError, Linked, refuse_other_choices};
use crate::lower::LowerError;
use code::Linkage;
use record::{Kind, Record};
pub use units::{Foreign, Offered};
use units::{Unit, Units};

/// The LLVM release whose IR we read.
pub const LLVM_MAJOR: u32 = 19;

/// What to compile, and how.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub files: Vec<PathBuf>,
    pub clang_flags: Vec<String>,
    /// 0 to 3.
    pub optimisation: u8,
    /// Every access to memory that another thread could reach is a visible operation.
    pub every_access: bool,
    /// Every value of a `nondet` is to be tried: those of more than 16 bits get the bounds that the program assumes, or are
    /// refused.
    pub exploring: bool,
    /// Functions of the program that are to hold in every state.
    pub invariants: Vec<String>,
    /// What is looked at in states besides.
    pub propositions: Vec<Proposition>,
    /// A function of the program that tells what matters of a state.
    pub abstraction: Option<String>,
    /// Variables by which states are not told apart, or parts of them.
    pub ignored: Vec<String>,
    /// Labels of the source, and those of `tb_label`, are operations of their own if somebody asks for these.
    pub labels: Vec<String>,
}

/// What holds in a state or does not, in the program's own words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proposition {
    /// A function of the program, `int f(void)`, that only looks.
    Function(String),
    /// An expression of C over what is declared at the end of some translation unit.
    Expression(String),
}

impl Proposition {
    pub fn words(&self) -> &str {
        match self {
            Proposition::Function(name) | Proposition::Expression(name) => name,
        }
    }
}

/// The functions that are called for these propositions.
pub fn functions_of(propositions: &[Proposition]) -> Vec<String> {
    let function = |(number, proposition): (usize, &Proposition)| match proposition {
        Proposition::Function(name) => name.clone(),
        Proposition::Expression(_) => expressions::function(number),
    };
    propositions.iter().enumerate().map(function).collect()
}

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("{0}")]
    Tool(String),
    #[error("cannot read {file}: {}", plain(error))]
    Unreadable { file: PathBuf, error: std::io::Error },
    #[error(
        "{file}: what kind of file is this? Threadbare takes C source (.c), LLVM IR (.ll), LLVM bitcode (.bc), models (.tb), \
         what `threadbare cc` has built, and beside C also objects, archives and assembler files (.s)"
    )]
    UnknownKind { file: PathBuf },
    #[error(
        "{file} is machine code without its source. Build it with `threadbare cc` in the place of the compiler, as in: make clean; \
         make CC=\"threadbare cc\". The native backend executes objects and archives as they are, but only beside a C file, as in: \
         threadbare check --backend native main.c part.o"
    )]
    NotBuilt { file: PathBuf },
    #[error("{file} is damaged or cut off, and cannot be read. Build it again")]
    Damaged { file: PathBuf },
    /// clang has said what is wrong; these are its words.
    #[error("{file} does not compile:\n{messages}")]
    Compile { file: PathBuf, messages: String },
    #[error("clang makes no LLVM IR of {file}: does a flag behind `--` ask for something else, as -E does?")]
    NotIr { file: PathBuf },
    #[error("-fsanitize={name} needs a library that is not here; leave it out: {advice}")]
    Sanitizer { name: String, advice: &'static str },
    #[error("`{flag}`: {language} is not supported, only C")]
    Language { flag: String, language: &'static str },
    #[error("{file} is no LLVM bitcode that LLVM {LLVM_MAJOR} can read:\n{messages}")]
    Bitcode { file: PathBuf, messages: String },
    #[error("{}:{}:{}: no LLVM IR that Threadbare can read: {}", .file.display(), .error.line, .error.column, .error.message)]
    Ir { file: PathBuf, error: ParseError },
    /// The place is the file, and the line that the IR at fault comes from, if that is known.
    #[error("{place}: Threadbare cannot read what clang makes of this: {} (line {} of the IR)", .error.message, .error.line)]
    CompiledIr { place: String, error: ParseError },
    #[error("{file} is code for {triple}; Threadbare executes code for x86-64")]
    Target { file: PathBuf, triple: String },
    #[error("{0}")]
    Invariant(String),
    /// A variable or function that somebody names is not there. `known` are names that could be meant for `name`.
    #[error("{message}")]
    NoSuch { message: String, name: String, known: Vec<String> },
    /// What the compiler says of an expression. `column` counts its bytes, from 1.
    #[error("{message}")]
    Proposition { number: usize, column: u32, message: String },
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error(transparent)]
    Lower(#[from] LowerError),
}

/// An error without the number, which says the same again.
fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error").map_or(text.clone(), |(words, _)| words.into())
}

/// LLVM's programs that we call: clang, and its companions `opt` and `llvm-dis`.
#[derive(Clone, Debug)]
pub struct Tools {
    pub clang: PathBuf,
    /// Where clang was found, unless on the PATH.
    folder: Option<PathBuf>,
    /// What its name ends with: `-19`, or nothing.
    suffix: String,
    version: String,
}

const ADVICE: &str = "install it with: sudo apt-get install clang-19 llvm-19";
/// The variable that names the folder of LLVM's programs.
const FOLDER: &str = "THREADBARE_LLVM_BIN";

impl Tools {
    /// Looks for clang: in the folder that `THREADBARE_LLVM_BIN` names; else `clang-19` on the PATH, a plain `clang` that
    /// is new enough, and Debian's folder. Each start of a program costs time: the companions are left until needed.
    pub fn find() -> Result<Tools, LoadError> {
        let given = std::env::var_os(FOLDER).map(PathBuf::from);
        let folders = match &given {
            Some(folder) => vec![Some(folder.clone())],
            None => vec![None, Some(format!("/usr/lib/llvm-{LLVM_MAJOR}/bin").into())],
        };
        let mut unfit = None;
        for folder in folders {
            for suffix in [format!("-{LLVM_MAJOR}"), String::new()] {
                let name = format!("clang{suffix}");
                let clang = folder.as_ref().map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name));
                match known_version(&clang) {
                    Some(version) if major_of(&version) == Some(LLVM_MAJOR) => {
                        return Ok(Tools { clang, folder, suffix, version });
                    }
                    Some(version) => unfit = unfit.or(Some((clang, version))),
                    None => {}
                }
            }
        }
        let advice = match &given {
            Some(_) => format!("{ADVICE} and unset {FOLDER}, or let it name another folder"),
            None => ADVICE.into(),
        };
        Err(LoadError::Tool(match (unfit, given) {
            (Some((clang, version)), _) => format!(
                "Threadbare reads the output of clang {LLVM_MAJOR}, but `{}` is {}; {advice}",
                clang.display(),
                version.lines().next().map_or("something else", str::trim)
            ),
            (None, Some(folder)) => format!(
                "Threadbare needs clang {LLVM_MAJOR} to compile C, and there is none in {}, which {FOLDER} names; {advice}",
                folder.display()
            ),
            (None, None) => {
                format!("Threadbare needs clang {LLVM_MAJOR} to compile C, and there is none on the PATH; {advice}")
            }
        }))
    }

    /// `opt`, `llvm-dis` and the like. One that lies beside clang, or has the version in its name, is trusted.
    pub fn companion(&self, name: &str) -> Result<Command, LoadError> {
        let found = match &self.folder {
            Some(folder) => [format!("{name}-{LLVM_MAJOR}"), name.into()]
                .iter()
                .map(|name| folder.join(name))
                .find(|program| program.is_file()),
            None => {
                let program = PathBuf::from(format!("{name}{}", self.suffix));
                let fits = || version_of(&program).and_then(|version| major_of(&version)) == Some(LLVM_MAJOR);
                if self.suffix.is_empty() && !fits() { None } else { Some(program) }
            }
        };
        found.map(Command::new).ok_or_else(|| missing_companion(name))
    }
}

fn missing_companion(name: &str) -> LoadError {
    LoadError::Tool(format!(
        "clang {LLVM_MAJOR} is there, but `{name}`, which belongs to it, is not, or is of another version; {ADVICE}"
    ))
}

/// What a program says of its version. The start of clang takes longer than all that is ours: what it said is kept for as
/// long as the file is the same.
fn known_version(tool: &Path) -> Option<String> {
    let key = identity_of_file(tool);
    let kept = key.as_ref().and_then(|_| crate::runtime::cache_folder()).map(|folder| folder.join("clang"));
    if let (Some(key), Some(kept)) = (&key, &kept)
        && let Ok(text) = std::fs::read_to_string(kept)
        && let Some(version) = text.strip_prefix(key.as_str())
    {
        return Some(version.into());
    }
    let version = version_of(tool)?;
    if let (Some(key), Some(kept), true) = (key, kept, major_of(&version) == Some(LLVM_MAJOR)) {
        // It only saves time. Written aside and renamed, so that nobody reads half of it.
        let _ = kept.parent().map(std::fs::create_dir_all);
        if let Some(Ok(mut aside)) = kept.parent().map(tempfile::NamedTempFile::new_in)
            && aside.write_all(format!("{key}{version}").as_bytes()).is_ok()
        {
            let _ = aside.persist(kept);
        }
    }
    Some(version)
}

/// Which file a program is: its place, size and times. Only for clang itself: a script may call now this, now that.
fn identity_of_file(tool: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let found = if tool.components().count() > 1 {
        tool.to_path_buf()
    } else {
        let folders = std::env::var_os("PATH")?;
        std::env::split_paths(&folders).map(|folder| folder.join(tool)).find(|program| program.is_file())?
    };
    let file = std::fs::canonicalize(found).ok()?;
    let mut start = [0; 4];
    std::fs::File::open(&file).and_then(|mut opened| std::io::Read::read_exact(&mut opened, &mut start)).ok()?;
    if &start != b"\x7fELF" || !file.file_name()?.to_str()?.starts_with("clang") {
        return None;
    }
    let meta = std::fs::metadata(&file).ok()?;
    let (changed, moved) = (meta.mtime_nsec() + 1_000_000_000 * meta.mtime(), meta.ctime());
    Some(format!("{}\n{} {} {changed} {moved}\n", file.display(), meta.size(), meta.ino()))
}

fn version_of(tool: &Path) -> Option<String> {
    let output = Command::new(tool).arg("--version").stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn major_of(version: &str) -> Option<u32> {
    let after = version.split("version ").nth(1)?;
    after.split('.').next()?.trim().parse().ok()
}

pub fn temporary_folder() -> Result<tempfile::TempDir, LoadError> {
    tempfile::tempdir().map_err(|error| {
        let place = std::env::temp_dir();
        let kind = std::io::Error::from(error.kind());
        LoadError::Tool(format!("cannot make a folder for temporary files in {} (TMPDIR): {kind}", place.display()))
    })
}

/// Compiles, reads and links everything.
pub fn load(sources: &Sources) -> Result<Linked, LoadError> {
    let units = Units::of(sources)?;
    let turns = units.turns();
    let Units { list: units, mut foreign, code, offered, .. } = units;
    foreign.leave_out(&code);
    flags::refuse_sanitizers(&sources.clang_flags)?;
    flags::refuse_other_languages(&sources.clang_flags)?;
    let tools = Tools::find()?;
    let folder = temporary_folder()?;
    let include = include_folder(folder.path())?;
    let places = expressions::places(&tools, sources, &units, &include)?;
    let modules = in_parallel(&units, |unit| module_of(&tools, sources, unit, &include, &places))?;
    let user_modules = modules.len();
    let mut linked = crate::runtime::add(&tools, modules, user_modules)?;
    let loaded: Vec<usize> = units.iter().map(|unit| unit.loaded).collect();
    refuse_other_choices(linked.definitions(&loaded, &offered))?;
    let beside = Linkage::of_objects(&code, sources, &tools)?;
    beside.refuse_what_gives_way(linked.definitions(&loaded, &offered), false)?;
    linked.foreign = foreign;
    linked.turns = loaded.iter().map(|&file| turns[file]).collect();
    linked.refuse_what_the_loader_would_do()?;
    Ok(linked)
}

/// A folder with `threadbare.h`, inside of this one.
pub fn include_folder(folder: &Path) -> Result<PathBuf, LoadError> {
    let include = folder.join("include");
    std::fs::create_dir(&include)
        .and_then(|()| std::fs::write(include.join("threadbare.h"), crate::runtime::PUBLIC_HEADER))
        .map_err(|error| LoadError::Tool(format!("cannot write {}: {error}", include.display())))?;
    Ok(include)
}

/// What becomes of each unit, in their order. clang is a process of its own: one for each processor at a time.
fn in_parallel<T: Send>(
    units: &[Unit],
    make: impl Fn(&Unit) -> Result<T, LoadError> + Sync,
) -> Result<Vec<T>, LoadError> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(2, |n| n.get()).min(units.len());
    let mut made: Vec<(usize, Result<T, LoadError>)> = std::thread::scope(|scope| {
        let work = || {
            let mut own = Vec::new();
            loop {
                let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(unit) = units.get(number) else { return own };
                own.push((number, make(unit)));
            }
        };
        let jobs: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        jobs.into_iter().flat_map(|job| job.join().expect("a compile job does not panic")).collect()
    });
    made.sort_by_key(|(number, _)| *number);
    made.into_iter().map(|(_, result)| result).collect()
}

fn extension(file: &Path) -> &str {
    file.extension().and_then(|extension| extension.to_str()).unwrap_or("")
}

fn module_of(
    tools: &Tools,
    sources: &Sources,
    unit: &Unit,
    include: &Path,
    places: &expressions::Places,
) -> Result<Module, LoadError> {
    let file = unit.file.as_path();
    let parse = |text: &[u8]| threadbare_ir::parse_bytes(text);
    let owned = || file.to_path_buf();
    let mut module = match extension(file) {
        _ if unit.built.is_some() => {
            let text = compile(tools, sources, unit, include, places)?;
            let mut module = parse(&text).map_err(|error| unreadable_ir(file, &text, error))?;
            module.source_filename = file.display().to_string();
            module
        }
        "ll" => {
            let text = std::fs::read(file).map_err(|error| LoadError::Unreadable { file: owned(), error })?;
            parse(&text).map_err(|error| LoadError::Ir { file: owned(), error })?
        }
        "bc" => {
            let mut command = tools.companion("llvm-dis")?;
            command.arg("-o").arg("-").arg(file);
            let text = run(&mut command, "llvm-dis", &[])?
                .map_err(|messages| LoadError::Bitcode { file: owned(), messages })?;
            parse(&text).map_err(|error| unreadable_ir(file, &text, error))?
        }
        "c" | "i" => {
            let text = compile(tools, sources, unit, include, places)?;
            parse(&text).map_err(|error| unreadable_ir(file, &text, error))?
        }
        _ => return Err(LoadError::UnknownKind { file: owned() }),
    };
    if module.source_filename.is_empty() {
        module.source_filename = file.display().to_string();
    }
    // Sizes and calling conventions are those of one target. IR written by hand may leave it open.
    if module.triple.is_empty() || module.triple.starts_with("x86_64") {
        Ok(module)
    } else {
        Err(LoadError::Target { file: owned(), triple: module.triple })
    }
}

fn unreadable_ir(file: &Path, text: &[u8], error: ParseError) -> LoadError {
    let text = String::from_utf8_lossy(text);
    let number = error.line as usize;
    // Its labels and its place stand in a line of their own.
    if text.lines().nth(number.saturating_sub(1)).is_some_and(|line| line.contains("callbr ")) {
        let message = "assembly that jumps to labels of C (`asm goto`) is not supported".into();
        let line = source_line(&text, number).or_else(|| source_line(&text, number + 1)).unwrap_or(0);
        return LowerError::Unsupported { message, file: Some(file.display().to_string()), line }.into();
    }
    let place = match source_line(&text, number) {
        Some(line) => format!("{}:{line}", file.display()),
        None => file.display().to_string(),
    };
    LoadError::CompiledIr { place, error }
}

/// The line of the source that a line of IR comes from, by the debug information at its end.
fn source_line(text: &str, ir_line: usize) -> Option<u32> {
    let node_of = |text: &str, before: &str| -> Option<String> {
        let number: String = text.split_once(before)?.1.chars().take_while(char::is_ascii_digit).collect();
        (!number.is_empty()).then(|| format!("!{number} = "))
    };
    let node = |name: String| text.lines().find(|line| line.starts_with(&name));
    let line = text.lines().nth(ir_line.checked_sub(1)?)?;
    let mut place = node(node_of(line, "!dbg !")?)?;
    if let Some(variable) = node_of(place, "DIGlobalVariableExpression(var: !") {
        place = node(variable)?;
    }
    let number: String = place.split_once("line: ")?.1.chars().take_while(char::is_ascii_digit).collect();
    number.parse().ok()
}

/// The code is what the compiler makes of it, but without vectors, which would only be taken apart again, and without accesses that
/// the source does not make: a load that is done before it is known whether somebody wants it would be a race that nobody wrote.
fn optimise(command: &mut Command, level: u8) -> &mut Command {
    command.arg(format!("-O{level}")).args(["-fno-vectorize", "-fno-slp-vectorize"]);
    command.args(["-mllvm", "-force-attribute=sanitize_thread"])
}

/// At level 0 only private variables are cleaned up: no access of the source is lost. Above, see `optimise`.
fn compile(
    tools: &Tools,
    sources: &Sources,
    unit: &Unit,
    include: &Path,
    places: &expressions::Places,
) -> Result<Vec<u8>, LoadError> {
    let file = unit.file.as_path();
    let mut command = Command::new(&tools.clang);
    command.args(["-S", "-emit-llvm", "-g", "-pthread", "-fno-discard-value-names", "-D__THREADBARE__=1"]);
    command.args(["-Wno-unused-command-line-argument", "-fno-color-diagnostics"]);
    // Position-independent code would hold differences of addresses in 32 bits, which ours do not fit.
    command.args(["-fno-pic", "-fno-pie"]);
    match sources.optimisation {
        // The second flag asks for the marks where the blocks of variables begin and end, and for nothing else.
        0 => command.args(["-O0", "-Xclang", "-disable-O0-optnone", "-Xclang", "-fsanitize-address-use-after-scope"]),
        level => optimise(&mut command, level),
    };
    // Nobody need call what is only looked at.
    let is_function = |proposition: &Proposition| matches!(proposition, Proposition::Function(_));
    if !sources.invariants.is_empty() || sources.abstraction.is_some() || sources.propositions.iter().any(is_function) {
        command.args(["-Xclang", "-femit-all-decls"]);
    }
    with_flags(&mut command, sources, unit, include);
    command.arg("-o").arg("-");
    let failed = |messages| expressions::complaint(messages, file);
    let text = run_on(&mut command, unit, places.text_for(sources, unit))?;
    let text = text.map_err(failed)?;
    if !text.starts_with(b"; ModuleID") {
        return Err(LoadError::NotIr { file: file.into() });
    }
    if sources.optimisation > 0 {
        return Ok(text);
    }
    let mut command = tools.companion("opt")?;
    command.args(["-S", "-passes=mem2reg", "-o", "-"]);
    let text = run(&mut command, "opt", &keep_undefined(&text))?.map_err(failed)?;
    Ok(trust_lifetimes(&text))
}

/// What the user wants of clang, whatever it is called for.
fn with_flags(command: &mut Command, sources: &Sources, unit: &Unit, include: &Path) {
    if unit.built.is_some() || !flags::ask_for_warnings(&sources.clang_flags) {
        command.arg("-w");
    }
    with_own_flags(command, sources, unit, include);
}

/// The same without a word on warnings.
fn with_own_flags(command: &mut Command, sources: &Sources, unit: &Unit, include: &Path) {
    command.arg("-idirafter").arg(include);
    match &unit.built {
        None => command.args(flags::without_other_files(&sources.clang_flags)),
        Some(Record { flags, directory, .. }) => {
            // The folder may be gone: all headers are in the text.
            if Path::new(directory).is_dir() {
                command.current_dir(directory);
            }
            command.args(flags).arg(format!("-fdebug-compilation-dir={directory}"))
        }
    };
}

/// Runs the compiler on a unit, or on another text in its place.
fn run_on(command: &mut Command, unit: &Unit, text: Option<String>) -> Result<Result<Vec<u8>, String>, LoadError> {
    match (&unit.built, text) {
        (None, None) => run(command.arg(&unit.file), "clang", &[]),
        (None, Some(text)) => run(command.args(["-x", "c", "-"]), "clang", text.as_bytes()),
        (Some(record), text) => {
            let language = if record.kind == Kind::Preprocessed { "cpp-output" } else { "c" };
            let text = text.map_or_else(|| record.text.clone(), String::into_bytes);
            run(command.args(["-x", language, "-"]), "clang", &text)
        }
    }
}

/// Under these names, lowering takes the marks of where a variable's block begins and ends for what they say. In
/// optimised code they are hints: accesses may have been moved across them.
fn trust_lifetimes(text: &[u8]) -> Vec<u8> {
    const HINT: &[u8] = b"@llvm.lifetime.";
    let mut result = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| byte == b'@') {
        let (before, tail) = rest.split_at(at);
        result.extend_from_slice(before);
        let (name, replacement): (&[u8], &[u8]) =
            if tail.starts_with(HINT) { (HINT, b"@llvm.tb.lifetime.") } else { (b"@", b"@") };
        result.extend_from_slice(replacement);
        rest = &tail[name.len()..];
    }
    result.extend_from_slice(rest);
    result
}

/// `mem2reg` and not `sroa`: the latter takes an access beyond a local variable for impossible and drops it, so that it could
/// not be reported. A variable that a pointer points to stays in memory: the pointer may be used after the variable's
/// block has ended. When `mem2reg` turns a variable into values, it takes an uninitialised one for whatever is convenient, and the use of it
/// can no longer be seen. So every scalar variable is first given a value that it knows nothing of, and that
/// lowering takes for undefined.
fn keep_undefined(text: &[u8]) -> Vec<u8> {
    let text = straight::straighten(&String::from_utf8_lossy(text));
    let mut result = String::with_capacity(text.len() + text.len() / 8);
    let mut used = std::collections::BTreeSet::new();
    let mut scalars: FxHashMap<&str, &str> = FxHashMap::default();
    let mut number = 0;
    let mut pinned = false;
    for line in text.lines() {
        result.push_str(line);
        result.push('\n');
        if line.starts_with("define ") {
            scalars.clear();
        }
        // Anew each time that the variable's block is entered.
        let variable = if let Some(entered) = line.strip_prefix("  call void @llvm.lifetime.start.p0(") {
            let name = entered.split_once("ptr %").and_then(|(_, name)| name.split(')').next());
            name.and_then(|name| scalars.get_key_value(name)).map(|(&name, &ty)| (name, ty))
        } else {
            let declared = scalar_variable(line);
            scalars.extend(declared);
            declared
        };
        let stored =
            line.strip_prefix("  store ptr %").and_then(|rest| rest.split_once(", ptr ")).map(|(name, _)| name);
        if let Some(name) = stored.filter(|name| scalars.contains_key(name)) {
            result += &format!("  call void @{PINNED}(ptr %{name})\n");
            pinned = true;
        }
        if let Some((name, ty)) = variable {
            number += 1;
            result += &format!(
                "  %tb.undefined.{number} = call {ty} @{UNDEFINED}{ty}()\n  store {ty} %tb.undefined.{number}, ptr %{name}\n"
            );
            used.insert(ty);
        }
    }
    for ty in used {
        result += &format!("declare {ty} @{UNDEFINED}{ty}()\n");
    }
    if pinned {
        result += &format!("declare void @{PINNED}(ptr)\n");
    }
    result.into_bytes()
}

/// Name and type of the scalar variable that a line of a function declares.
fn scalar_variable(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.strip_prefix("  %")?.split_once(" = alloca ")?;
    let ty = rest.split(',').next().unwrap_or("");
    let scalar = matches!(ty, "ptr" | "float" | "double" | "x86_fp80")
        || ty.strip_prefix('i').is_some_and(|bits| bits.bytes().all(|digit| digit.is_ascii_digit()));
    // A second operand that is no alignment is the length of an array.
    let single = rest.split(',').nth(1).is_none_or(|next| next.trim_start().starts_with("align"));
    (scalar && single).then_some((name, ty))
}

/// The function that keeps the variable whose address it is given in memory.
pub const PINNED: &str = "__tb_pinned";

/// The function that gives an undefined value of the type behind its name.
pub const UNDEFINED: &str = "__tb_undefined.";

/// Runs a tool: its output, or what it says on a failure. What it says otherwise (warnings) goes to the user.
fn run(command: &mut Command, name: &str, input: &[u8]) -> Result<Result<Vec<u8>, String>, LoadError> {
    let program = command.get_program().to_os_string();
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => missing_companion(name),
        _ => LoadError::Tool(format!("cannot run {}: {}", program.to_string_lossy(), plain(&error))),
    };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().map_err(failed)?;
    // A tool that ends early has its own message.
    let _ = writer.join();
    let messages = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let messages = messages.trim_end();
        return Ok(Err(if messages.is_empty() { format!("{name}: {}", output.status) } else { messages.into() }));
    }
    // Nobody is left to tell if that fails.
    let _ = std::io::stderr().write_all(messages.as_bytes());
    Ok(Ok(output.stdout))
}

impl Tools {
    /// What the results of these tools depend on.
    pub fn identity(&self) -> &str {
        &self.version
    }
}
