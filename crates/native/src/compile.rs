//! From C files to a shared object that runs on the floor: clang makes IR of them, LLVM's ThreadSanitizer pass puts a call
//! before every access, and all is linked with the C runtime, which the virtual machine has as well, and with the floor
//! in the place of ThreadSanitizer's own runtime. Nothing is taken from the system's libraries.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use threadbare_vm::{LoadError, Sources, Texts, Tools};

use crate::scan;
use crate::world::OPERATIONS;

const FLOOR: &[(&str, &str)] = &[
    ("floor.h", include_str!("../runtime/floor.h")),
    ("floor.c", include_str!("../runtime/floor.c")),
    ("shadow.h", include_str!("../runtime/shadow.h")),
    ("accesses.c", include_str!("../runtime/accesses.c")),
    ("frames.c", include_str!("../runtime/frames.c")),
    ("heap.c", include_str!("../runtime/heap.c")),
];

/// Without the second option `x++` is announced as a write alone, and nobody could come in between. Variables that only their
/// function knows are taken out of memory: what is left there of earlier values would make states differ.
const INSTRUMENT: &[&str] =
    &["-S", "-tsan-instrument-read-before-write", "-tsan-instrument-func-entry-exit=0", "-tsan-distinguish-volatile"];

/// The C library is our own: it makes no mistakes, and what it does for the program is checked where it is announced.
const LIBRARY: &[&str] = &["-passes=function(mem2reg,tsan)"];

/// In the program AddressSanitizer's pass puts unused memory between variables, and a look at the shadow (runtime/shadow.h)
/// before accesses that may be wrong.
const PROGRAMS: &[&str] = &[
    "-passes=function(mem2reg,tsan),asan",
    "-asan-use-after-return=always",
    "-asan-constructor-kind=none",
    "-asan-destructor-kind=none",
    "-asan-use-odr-indicator=0",
    "-asan-use-private-alias=0",
    "-asan-mapping-offset=2147450880",
];

/// Machine code, as it stands: what the optimiser makes of it was decided before the accesses were announced.
const CODE: &[&str] =
    &["-O1", "-Xclang", "-disable-llvm-passes", "-fPIC", "-femulated-tls", "-Wno-override-module", "-c"];

const OWN_CODE: &[&str] = &[
    "-O2",
    "-fPIC",
    "-ffreestanding",
    "-fno-builtin",
    "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-mgeneral-regs-only",
    "-c",
];

/// Weak references to what nobody defines are null, whatever the libraries of this process have by that name.
const LINK: &[&str] = &[
    "-shared",
    "-nostdlib",
    "-Wl,-Bsymbolic",
    "-Wl,--no-undefined",
    "-Wl,-z,nodynamic-undefined-weak",
    "-Wl,-z,muldefs",
    "-Wl,-z,noexecstack",
];

/// The program, its file, and what is to be said of it.
pub fn compile(sources: &Sources, folder: &Path) -> Result<Texts, LoadError> {
    let texts = threadbare_vm::texts(sources, &["-fPIC", "-fno-omit-frame-pointer", "-fno-discard-value-names"])?;
    scan::refuse(&texts.linked)?;
    let tools = &texts.tools;
    let write = |name: &str, text: &[u8]| {
        std::fs::write(folder.join(name), text)
            .map_err(|error| LoadError::Tool(format!("cannot write {name}: {error}")))
    };
    for (name, text) in FLOOR {
        write(name, text.as_bytes())?;
    }
    write("operations.h", operations_header().as_bytes())?;
    write("operations.c", operations().as_bytes())?;
    let mut objects = Vec::new();
    let texts_of = [(&texts.own, "program", PROGRAMS), (&texts.runtime, "library", LIBRARY)];
    for (list, kind, passes) in texts_of {
        let names: Vec<String> = (0..list.len()).map(|i| format!("{kind}{i}.ll")).collect();
        for (i, (name, text)) in names.iter().zip(list).enumerate() {
            let text = String::from_utf8_lossy(text);
            match kind {
                "program" => write(name, marked(&scan::quieter(&texts.linked, i, &text), false).as_bytes())?,
                _ => write(name, marked(&text, true).as_bytes())?,
            }
        }
        // One module each: every start of a tool costs more than what it does.
        run(tools.companion("llvm-link")?.args(["-S", "-o"]).arg(format!("{kind}.ll")).args(&names), folder)?;
        let instrumented = format!("{kind}.tsan.ll");
        run(
            tools.companion("opt")?.args(INSTRUMENT).args(passes).args(["-o", &instrumented, &format!("{kind}.ll")]),
            folder,
        )?;
        if kind == "library" {
            let read = std::fs::read_to_string(folder.join(&instrumented));
            let text = read.map_err(|error| LoadError::Tool(error.to_string()))?;
            write(&instrumented, text.replace("@__tsan_", "@__tbl_").as_bytes())?;
        }
        let object = format!("{kind}.o");
        run(Command::new(&tools.clang).args(CODE).args(["-o", &object, &instrumented]), folder)?;
        objects.push(object);
    }
    for name in ["floor", "heap", "frames", "accesses", "operations"] {
        let object = format!("{name}.o");
        run(Command::new(&tools.clang).args(OWN_CODE).args(["-o", &object, &format!("{name}.c")]), folder)?;
        objects.push(object);
    }
    run(Command::new(&tools.clang).args(LINK).args(["-o", PROGRAM]).args(&objects), folder)?;
    Ok(texts)
}

/// The file that is made.
pub const PROGRAM: &str = "program.so";

fn run(command: &mut Command, folder: &Path) -> Result<(), LoadError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |error| LoadError::Tool(format!("cannot run {program}: {error}"));
    let output = command.current_dir(folder).output().map_err(failed)?;
    if output.status.success() {
        return Ok(());
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    Err(LoadError::Tool(format!("{program} cannot make machine code of the program:\n{}", messages.trim_end())))
}

/// IR whose functions the pass looks at, with frames that can be walked. The library's variables lie together, and its code.
fn marked(text: &str, library: bool) -> String {
    let mut result = String::with_capacity(text.len() + text.len() / 8);
    for line in text.lines() {
        if let Some((number, rest)) = line.strip_prefix("attributes #").and_then(|rest| rest.split_once(" = { ")) {
            let rest = rest.replace("\"frame-pointer\"=\"none\" ", "").replace("\"frame-pointer\"=\"all\" ", "");
            let address = if library { "" } else { "sanitize_address " };
            let _ =
                writeln!(result, "attributes #{number} = {{ sanitize_thread {address}\"frame-pointer\"=\"all\" {rest}");
            continue;
        }
        if let Some(head) = line.strip_prefix("define ").filter(|_| library).and_then(|line| line.strip_suffix(" {")) {
            let (head, debug) = head.split_at(head.find(" !dbg ").unwrap_or(head.len()));
            let _ = writeln!(result, "define {head} section \"tb_code\"{debug} {{");
            continue;
        }
        let own_variable = library
            && line.starts_with('@')
            && line.contains(" global ")
            && ![" external ", " extern_weak ", " thread_local", " section "].iter().any(|word| line.contains(word));
        match line.rfind(", align ").filter(|_| own_variable) {
            Some(at) => {
                let _ = writeln!(result, "{}, section \"tb_library\"{}", &line[..at], &line[at..]);
            }
            None => {
                result.push_str(line);
                result.push('\n');
            }
        }
    }
    result
}

fn operations_header() -> String {
    let mut text = String::from("/* Written by compile.rs. */\n");
    for (number, (_, operation)) in OPERATIONS.iter().enumerate() {
        let _ = writeln!(text, "#define OP_{operation:?} {number}");
    }
    text
}

/// A stub for each operation that the engine does itself. All arguments are words, whatever the C runtime calls them.
fn operations() -> String {
    let mut text = String::from("#include \"floor.h\"\n");
    for (name, operation) in OPERATIONS.iter().filter(|(name, _)| !name.is_empty()) {
        let _ = writeln!(
            text,
            "ENTRANCE(u64, __tb_{name}, u64 a, u64 b, u64 c) {{ return VISIBLE(OP_{operation:?}, a, b, c, 0); }}"
        );
    }
    text
}

/// The tool that knows the lines of addresses.
pub fn symbolizer(tools: &Tools) -> Result<Command, LoadError> {
    tools.companion("llvm-symbolizer")
}
