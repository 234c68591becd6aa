//! From C files to IR modules: finds clang 19, runs it and `opt`, reads the result; and the C runtime likewise, once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use threadbare_ir::{Module, ParseError};

use crate::link::{LinkError, Linked};
use crate::lower::LowerError;

/// The LLVM release whose IR we read.
pub const LLVM_MAJOR: u32 = 19;

/// What to compile, and how.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub files: Vec<PathBuf>,
    pub clang_flags: Vec<String>,
    /// 0 to 3.
    pub optimisation: u8,
}

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("{0}")]
    Tool(String),
    #[error("cannot read {file}: {error}")]
    Unreadable { file: PathBuf, error: std::io::Error },
    #[error("{file}: what kind of file is this? Threadbare takes C source (.c), LLVM IR (.ll) and LLVM bitcode (.bc)")]
    UnknownKind { file: PathBuf },
    /// clang has said what is wrong; these are its words.
    #[error("{file} does not compile:\n{messages}")]
    Compile { file: PathBuf, messages: String },
    #[error("{file}: {error}")]
    Ir { file: PathBuf, error: ParseError },
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error(transparent)]
    Lower(#[from] LowerError),
}

/// The programs that we call.
#[derive(Clone, Debug)]
pub struct Tools {
    pub clang: PathBuf,
    pub opt: PathBuf,
    pub dis: PathBuf,
    version: String,
}

const ADVICE: &str = "install it with: sudo apt-get install clang-19 llvm-19";

impl Tools {
    /// Looks for LLVM's tools: `THREADBARE_LLVM_BIN` (a folder), `clang-19` on the PATH, a plain `clang` that is new
    /// enough, and Debian's folder.
    pub fn find() -> Result<Tools, LoadError> {
        let mut folders: Vec<Option<PathBuf>> = Vec::new();
        match std::env::var_os("THREADBARE_LLVM_BIN") {
            Some(folder) => folders.push(Some(folder.into())),
            None => folders.extend([None, Some(format!("/usr/lib/llvm-{LLVM_MAJOR}/bin").into())]),
        }
        let mut unfit = None;
        for folder in &folders {
            for suffix in [format!("-{LLVM_MAJOR}"), String::new()] {
                let tool = |name: &str| {
                    let name = format!("{name}{suffix}");
                    folder.as_ref().map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name))
                };
                let Some(version) = version_of(&tool("clang")) else {
                    continue;
                };
                if major_of(&version) != Some(LLVM_MAJOR) {
                    unfit = Some((tool("clang"), version));
                    continue;
                }
                for other in ["opt", "llvm-dis"] {
                    if version_of(&tool(other)).and_then(|version| major_of(&version)) != Some(LLVM_MAJOR) {
                        return Err(LoadError::Tool(format!(
                            "clang {LLVM_MAJOR} is there, but its companion `{other}` of the same version is not; {ADVICE}"
                        )));
                    }
                }
                return Ok(Tools { clang: tool("clang"), opt: tool("opt"), dis: tool("llvm-dis"), version });
            }
        }
        Err(LoadError::Tool(match unfit {
            Some((clang, version)) => format!(
                "Threadbare reads the output of clang {LLVM_MAJOR}, but `{}` is {}; {ADVICE}",
                clang.display(),
                version.lines().next().unwrap_or("something else")
            ),
            None => {
                format!("Threadbare needs clang {LLVM_MAJOR} to compile C, and there is none on the PATH; {ADVICE}")
            }
        }))
    }
}

fn version_of(tool: &Path) -> Option<String> {
    let output = Command::new(tool).arg("--version").stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn major_of(version: &str) -> Option<u32> {
    let after = version.split("version ").nth(1)?;
    after.split('.').next()?.trim().parse().ok()
}

/// Compiles, reads and links everything.
pub fn load(sources: &Sources) -> Result<Linked, LoadError> {
    for file in &sources.files {
        std::fs::File::open(file)
            .and_then(|opened| opened.metadata())
            .and_then(|meta| if meta.is_dir() { Err(std::io::Error::other("it is a folder")) } else { Ok(()) })
            .map_err(|error| LoadError::Unreadable { file: file.clone(), error })?;
    }
    let tools = Tools::find()?;
    let folder = tempfile::tempdir()
        .map_err(|error| LoadError::Tool(format!("cannot make a folder for temporary files: {error}")))?;
    let include = folder.path().join("include");
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text).map_err(|error| LoadError::Tool(format!("cannot write {}: {error}", path.display())))
    };
    std::fs::create_dir(&include).map_err(|error| LoadError::Tool(error.to_string()))?;
    write(&include.join("threadbare.h"), crate::runtime::PUBLIC_HEADER)?;

    // clang is a process of its own: all files at a time.
    let results: Vec<Result<Module, LoadError>> = std::thread::scope(|scope| {
        let jobs: Vec<_> = sources
            .files
            .iter()
            .map(|file| {
                let (tools, include) = (&tools, &include);
                scope.spawn(move || module_of(tools, sources, file, include))
            })
            .collect();
        jobs.into_iter().map(|job| job.join().expect("a compile job does not panic")).collect()
    });
    let mut modules = Vec::new();
    for module in results {
        modules.push(module?);
    }
    let user_modules = modules.len();
    crate::runtime::add(&tools, modules, user_modules)
}

fn module_of(tools: &Tools, sources: &Sources, file: &Path, include: &Path) -> Result<Module, LoadError> {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let text = match extension {
        "ll" => std::fs::read(file).map_err(|error| LoadError::Unreadable { file: file.into(), error })?,
        "bc" => {
            let mut command = Command::new(&tools.dis);
            command.arg("-o").arg("-").arg(file);
            run(command, file)?
        }
        "c" | "i" => compile(tools, sources, file, include)?,
        _ => return Err(LoadError::UnknownKind { file: file.into() }),
    };
    threadbare_ir::parse_bytes(&text).map_err(|error| LoadError::Ir { file: file.into(), error })
}

/// At level 0 only private variables are cleaned up: no access of the source is lost. Above, the code is what the
/// compiler makes of it, without vectors, which would only be taken apart again.
fn compile(tools: &Tools, sources: &Sources, file: &Path, include: &Path) -> Result<Vec<u8>, LoadError> {
    let mut command = Command::new(&tools.clang);
    command.args(["-S", "-emit-llvm", "-g", "-pthread", "-fno-discard-value-names", "-D__THREADBARE__=1"]);
    command.args(["-Wno-unused-command-line-argument", "-fno-color-diagnostics"]);
    // Position-independent code would hold differences of addresses in 32 bits, which ours do not fit.
    command.args(["-fno-pic", "-fno-pie"]);
    match sources.optimisation {
        0 => command.args(["-O0", "-Xclang", "-disable-O0-optnone"]),
        level => command.arg(format!("-O{level}")).args(["-fno-vectorize", "-fno-slp-vectorize"]),
    };
    command.arg("-idirafter").arg(include).args(&sources.clang_flags);
    command.arg("-o").arg("-").arg(file);
    let text = run(command, file)?;
    if sources.optimisation > 0 {
        return Ok(text);
    }
    let mut command = Command::new(&tools.opt);
    command.args(["-S", "-passes=sroa", "-o", "-"]);
    pipe(command, &keep_undefined(&text), file)
}

/// When `sroa` turns a variable into values, it takes an uninitialised one for whatever is convenient, and the use of it
/// can no longer be seen. So every scalar variable is first given a value that `sroa` knows nothing of, and that
/// lowering takes for undefined.
fn keep_undefined(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let mut result = String::with_capacity(text.len() + text.len() / 8);
    let mut used = std::collections::BTreeSet::new();
    let mut number = 0;
    for line in text.lines() {
        result.push_str(line);
        result.push('\n');
        let Some((name, rest)) = line.strip_prefix("  %").and_then(|line| line.split_once(" = alloca ")) else { continue };
        let ty = rest.split(',').next().unwrap_or("");
        let scalar = matches!(ty, "ptr" | "float" | "double" | "x86_fp80")
            || ty.strip_prefix('i').is_some_and(|bits| bits.bytes().all(|digit| digit.is_ascii_digit()));
        // A second operand that is no alignment is the length of an array.
        if scalar && rest.split(',').nth(1).is_none_or(|next| next.trim_start().starts_with("align")) {
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
    result.into_bytes()
}

/// The function that gives an undefined value of the type behind its name.
pub const UNDEFINED: &str = "__tb_undefined.";

/// Runs a tool; what it says on a failure is the message, what it says otherwise (warnings) goes to the user.
fn run(command: Command, file: &Path) -> Result<Vec<u8>, LoadError> {
    pipe(command, &[], file)
}

fn pipe(mut command: Command, input: &[u8], file: &Path) -> Result<Vec<u8>, LoadError> {
    use std::io::Write;
    let name = command.get_program().to_os_string();
    let failed = |error: std::io::Error| LoadError::Tool(format!("cannot run {}: {error}", display(&name)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().map_err(failed)?;
    // A tool that ends early has its own message.
    let _ = writer.join();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(LoadError::Compile { file: file.into(), messages });
    }
    if !messages.trim().is_empty() {
        eprint!("{messages}");
    }
    Ok(output.stdout)
}

fn display(name: &OsString) -> String {
    name.to_string_lossy().into_owned()
}

impl Tools {
    /// What the results of these tools depend on.
    pub(crate) fn identity(&self) -> &str {
        &self.version
    }
}
