//! From C files to a shared object that runs on the floor: clang makes IR of them, LLVM's ThreadSanitizer pass puts a call
//! before every access, and all is linked with the C runtime, which the virtual machine has as well, and with the floor
//! in the place of ThreadSanitizer's own runtime. Nothing is taken from the system's libraries but functions that only compute:
//! those of mathematics, as on the virtual machine, and what the compiler needs for wide integers and the like.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use threadbare_vm::{LoadError, MATH_NAMES, Signature, Sources, Texts, Tools};

use crate::edit::Edit;
use crate::kept::Whose;
use crate::lent::Lent;
use crate::observed::{self, Watched};
use crate::world::OPERATIONS;
use crate::{
    arrays, atomics, calls, choices, copies, foreign, kept, own, parts, scan, temporaries, traps, unseen, vectors,
    yields,
};

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
/// before accesses that may be wrong. Once all of that is there, what is computed in vain goes: it would tell states apart.
const PROGRAMS: &[&str] = &[
    "-passes=function(mem2reg,tsan),asan,function(adce)",
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

/// What the compiler makes calls of where there is no instruction: functions that only compute.
const SUPPORT: &[&str] = &["-lgcc"];

/// The program, what is to be said of it, and what its calls by pointers give and take.
pub fn compile(sources: &Sources, folder: &Path) -> Result<(Texts, Vec<Watched>, Vec<Signature>), LoadError> {
    let mut texts = threadbare_vm::texts(sources, &["-fPIC", "-fno-omit-frame-pointer", "-fno-discard-value-names"])?;
    scan::refuse(&texts)?;
    foreign::refuse(&texts, sources)?;
    if let Some(invariant) = sources.invariants.first() {
        unseen::refuse_beside(invariant, &texts.linked.modules[..texts.linked.user_modules])?;
    }
    let watched = observed::find(&mut texts.linked, sources)?;
    let choices = threadbare_vm::bounded_choices(&texts.linked);
    let (tools, by_code) = (&texts.tools, foreign::names(&texts.code));
    let mut kinds = Vec::new();
    let own = texts.own.iter().enumerate().map(|(i, text)| {
        let (text, module) = (String::from_utf8_lossy(text), &texts.linked.modules[i]);
        let (mut edit, lent) = (Edit::new(&text), Lent::of(module, &text));
        scan::quieten(&texts.linked, i, &mut edit);
        copies::announce(module, &mut edit);
        vectors::take_apart(module, sources.every_access, &mut edit);
        unseen::announce(module, &mut edit);
        atomics::announce(module, &mut edit);
        traps::announce(module, &mut edit);
        arrays::give_places(module, &mut edit);
        own::pass_over(module, &mut edit);
        foreign::announce(module, &by_code, false, &mut edit);
        calls::announce(&texts.linked, i, &mut kinds, &mut edit);
        choices::bound(i, &choices, &mut edit);
        observed::locate_in(i, &watched, &texts.linked, &mut edit);
        parts::take_apart(module, sources.every_access, &mut edit);
        observed::announce(module, sources.every_access, &mut edit);
        if !sources.every_access {
            yields::in_waiting_loops(module, &mut edit);
        }
        temporaries::become_casts(module, &mut edit);
        marked(&lent.show(&scan::without_constructors(&texts.linked, i, &edit.finish())), false)
    });
    let own: Vec<String> = own.collect();
    let mut objects = instrumented(tools, Whose::Programs, "program", PROGRAMS, &own, folder)?;
    let foreign = foreign::write(&texts.code, folder)?;
    foreign::look_for_instructions(tools, &texts.code, &foreign, folder)?;
    objects.extend(foreign);
    let library = texts.runtime.iter().zip(&texts.linked.modules[texts.linked.user_modules..]).map(|(text, module)| {
        let mut edit = Edit::new(&String::from_utf8_lossy(text));
        foreign::announce(module, &by_code, true, &mut edit);
        marked(&edit.finish(), true)
    });
    let library: Vec<String> = library.collect();
    objects.extend(instrumented(tools, Whose::Ours, "library", LIBRARY, &library, folder)?);
    let written = [operations_header(), operations() + &constructors(&texts)];
    let math = mathematics();
    let more = [("operations.h", &*written[0]), ("operations.c", &*written[1]), ("mathematics.c", &*math)];
    let floor: Vec<(&str, &str)> = FLOOR.iter().copied().chain(more).collect();
    let (sources, names): (Vec<&str>, Vec<String>) =
        floor.iter().filter_map(|(name, _)| Some((*name, format!("{}.o", name.strip_suffix(".c")?)))).unzip();
    let flags = OWN_CODE.join(" ");
    let of_floor = [tools.identity(), &flags].into_iter().chain(floor.iter().flat_map(|(name, text)| [*name, *text]));
    let of_floor: Vec<&[u8]> = of_floor.map(str::as_bytes).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    objects.extend(kept::objects(Whose::Ours, &of_floor, &names, folder, || {
        floor.iter().try_for_each(|(name, text)| write(folder, name, text))?;
        run(Command::new(&tools.clang).args(OWN_CODE).args(&sources), folder)
    })?);
    run(Command::new(&tools.clang).args(LINK).args(["-o", PROGRAM]).args(&objects).args(SUPPORT), folder)?;
    Ok((texts, watched, kinds))
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), LoadError> {
    std::fs::write(folder.join(name), text).map_err(|error| LoadError::Tool(format!("cannot write {name}: {error}")))
}

/// An object of these texts, which may have been made before.
fn instrumented(
    tools: &Tools,
    whose: Whose,
    kind: &str,
    passes: &[&str],
    texts: &[String],
    folder: &Path,
) -> Result<Vec<PathBuf>, LoadError> {
    let flags = [INSTRUMENT, passes, CODE].concat().join(" ");
    let made_of = [tools.identity(), &flags].into_iter().chain(texts.iter().map(String::as_str));
    let made_of: Vec<&[u8]> = made_of.map(str::as_bytes).collect();
    // Of the program, reports need the text as well.
    if whose == Whose::Programs {
        join(tools, kind, texts, folder)?;
    }
    kept::objects(whose, &made_of, &[&format!("{kind}.o")], folder, || {
        if whose == Whose::Ours {
            join(tools, kind, texts, folder)?;
        }
        module(tools, kind, passes, folder)
    })
}

/// One text of several: every start of a tool costs more than what it does.
fn join(tools: &Tools, kind: &str, texts: &[String], folder: &Path) -> Result<(), LoadError> {
    let whole = format!("{kind}.ll");
    if let [one] = texts {
        return write(folder, &whole, one);
    }
    let names: Vec<String> = (0..texts.len()).map(|i| format!("{kind}{i}.ll")).collect();
    names.iter().zip(texts).try_for_each(|(name, text)| write(folder, name, text))?;
    run(tools.companion("llvm-link")?.args(["-S", "-o", &whole]).args(&names), folder)
}

/// The object of a text.
fn module(tools: &Tools, kind: &str, passes: &[&str], folder: &Path) -> Result<(), LoadError> {
    let (whole, instrumented) = (format!("{kind}.ll"), format!("{kind}.tsan.ll"));
    run(tools.companion("opt")?.args(INSTRUMENT).args(passes).args(["-o", &instrumented, &whole]), folder)?;
    let read = std::fs::read_to_string(folder.join(&instrumented));
    let text = read.map_err(|error| LoadError::Tool(error.to_string()))?;
    let text = atomics::without_the_rest(&text)?;
    let text = if kind == "library" { text.replace("@__tsan_", "@__tbl_") } else { text };
    write(folder, &instrumented, &text)?;
    run(Command::new(&tools.clang).args(CODE).args(["-o", &format!("{kind}.o"), &instrumented]), folder)
}

/// The program before accesses are announced in it: one module of IR.
pub const TEXT: &str = "program.ll";

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
    if ["unable to execute command", "invalid linker", "posix_spawn failed"]
        .iter()
        .any(|words| messages.contains(words))
    {
        let why = messages.lines().next().unwrap_or_default();
        return Err(LoadError::Tool(format!(
            "the native backend cannot work here: clang finds no linker ({why}); install binutils or lld, or use --backend vm"
        )));
    }
    Err(LoadError::Tool(format!("{program} cannot make machine code of the program:\n{}", messages.trim_end())))
}

/// Attributes that would switch off what we need of a function, or say it twice, or ask for what a real machine has: profiles,
/// stacks in pieces, and words on the stack that AddressSanitizer's pass makes needless. A call of what only reads (`strlen`, and
/// what is declared `pure`) is dropped if nobody needs its result, once it is sure to return.
const NOT_FOR_US: &[&str] = &[
    "\"frame-pointer\"=\"none\"",
    "\"frame-pointer\"=\"non-leaf\"",
    "\"frame-pointer\"=\"all\"",
    "disable_sanitizer_instrumentation",
    "willreturn",
    "ssp",
    "sspstrong",
    "sspreq",
    "\"split-stack\"",
    "\"fentry-call\"=\"true\"",
    "\"instrument-function-entry-inlined\"=\"mcount\"",
    "\"instrument-function-entry-inlined\"=\"__fentry__\"",
];

/// IR whose functions the pass looks at, with frames that can be walked. The library's variables lie together, and its code.
fn marked(text: &str, library: bool) -> String {
    let mut result = String::with_capacity(text.len() + text.len() / 8);
    for line in text.lines() {
        if let Some((number, rest)) = line.strip_prefix("attributes #").and_then(|rest| rest.split_once(" = { ")) {
            let without = |text: String, word: &str| text.replace(&format!(" {word} "), " ");
            let rest = NOT_FOR_US.iter().fold(format!(" {rest}"), |rest, word| without(rest, word));
            let address = if library { "" } else { "sanitize_address " };
            let _ =
                writeln!(result, "attributes #{number} = {{ sanitize_thread {address}\"frame-pointer\"=\"all\"{rest}");
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

/// The functions of mathematics are those of the system, which the engine finds (image.rs). Under a name that somebody else defines
/// this is not found; the C library has them by another one as well.
fn mathematics() -> String {
    let mut text = String::from("/* Written by compile.rs. */\n");
    let _ = writeln!(text, "__attribute__((visibility(\"hidden\"))) void *tb_math[{}];", MATH_NAMES.len());
    for (number, name) in MATH_NAMES.iter().enumerate() {
        let entrance = |name: &str| format!(".globl {name}\\n.type {name}, @function\\n{name}:\\n");
        let (plain, marked) = (entrance(name), entrance(&format!("__tb_math_{name}")));
        let _ = writeln!(text, "__asm__(\".text\\n{plain}{marked}  jmp *tb_math+{}(%rip)\\n\");", 8 * number);
    }
    text
}

/// What is called before `main` and after it, in order.
fn constructors(texts: &Texts) -> String {
    let mut text = String::new();
    for (init, array) in [(true, "init"), (false, "fini")] {
        let mut names: Vec<String> =
            (0..texts.linked.constructors(init).len()).map(|number| scan::constructor_name(init, number)).collect();
        names.iter().for_each(|name| {
            let _ = writeln!(text, "extern void {name}(void);");
        });
        if texts.code.has_constructors() {
            text += foreign::CALLS[usize::from(!init)];
            names.push(format!("__tb_foreign_{array}"));
        }
        let list: String = names.iter().map(|name| format!("(void *){name}, ")).collect();
        let _ = writeln!(text, "void *const __tb_array_{array}[] = {{{list}(void *)0}};");
    }
    text
}

/// The tool that knows the lines of addresses.
pub fn symbolizer(tools: &Tools) -> Result<Command, LoadError> {
    tools.companion("llvm-symbolizer")
}
