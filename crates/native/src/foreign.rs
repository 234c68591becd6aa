//! Machine code without a source: objects of another compiler, members of archives, assembler files. It is linked to the program as it is,
//! and what it needs of the C library is ours, so that its locks, threads and memory are those of the program. What it accesses
//! nobody sees: a step in which it may have run counts as an effect, and the verdict rests on it. A call of it may access whatever another
//! thread accesses: before each the floor is told, and that is a visible operation, in conflict with every other that accesses memory. So
//! is whatever the thread does until it has returned.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};
use threadbare_ir::{Callee, Const, InstKind, Module, Value};
use threadbare_vm::{Linkage, LoadError, Object, Sources, Texts, Tools, elf, support_names};

use crate::calls::callee_in;
use crate::edit::Edit;
use crate::scan::{is_on_the_floor, unsupported};

/// In the program, and in the C library.
const CALLED: [&str; 2] = ["__tb_machine_code", "__tb_machine_code_again"];

/// Where the linker puts its code: the floor tells the engine. What the loader would call before there is anything to run on is
/// only data, and the C library calls it.
const CODE: &str = "tb_foreign";
const SECTIONS: [(&str, &str); 2] = [(".init_array", "tb_inits"), (".fini_array", "tb_finis")];
const EXECUTABLE: u64 = 4;

pub const CALLS: [&str; 2] = [
    "extern void (*__start_tb_inits[])(int, char **, char **) __attribute__((weak));
extern void (*__stop_tb_inits[])(int, char **, char **) __attribute__((weak));
extern void __tb_machine_code(u64);
void __tb_foreign_init(int argc, char **argv, char **envp)
{
    for (void (**f)(int, char **, char **) = __start_tb_inits; f < __stop_tb_inits; f++)
        __tb_machine_code(0), (*f)(argc, argv, envp);
}
",
    "extern void (*__start_tb_finis[])(void) __attribute__((weak)), (*__stop_tb_finis[])(void) __attribute__((weak));
void __tb_foreign_fini(void)
{
    for (void (**f)(void) = __stop_tb_finis; f > __start_tb_finis;)
        __tb_machine_code(0), (*--f)();
}
",
];

/// Names that the linker defines.
const BY_LINKER: &[&str] = &[
    "_GLOBAL_OFFSET_TABLE_",
    "_DYNAMIC",
    "_end",
    "end",
    "_edata",
    "edata",
    "_etext",
    "etext",
    "__bss_start",
    "__ehdr_start",
];

/// Instructions that do not do the same each time, or leave the program.
const REFUSED: &[&str] = &[
    "syscall", "sysenter", "int", "rdtsc", "rdtscp", "rdrand", "rdseed", "rdpid", "rdpmc", "xbegin", "wrfsbase",
    "wrgsbase",
];
/// The one word of the thread of the system that code may look at: what stack protectors compare.
const CANARY: &str = "%fs:0x28";

/// The names that it defines.
pub fn names(code: &Linkage) -> FxHashSet<&str> {
    code.defined().collect()
}

/// Its functions, each with the object that it is in.
pub fn functions(code: &Linkage) -> FxHashMap<String, String> {
    let of = |object: &Object| object.functions().into_iter().map(|name| (name, object.name())).collect::<Vec<_>>();
    code.objects.iter().flat_map(of).collect()
}

/// Complains of what cannot be linked, and of what nobody defines.
pub fn refuse(texts: &Texts, sources: &Sources) -> Result<(), LoadError> {
    let Texts { code, linked, tools, .. } = texts;
    let Some(first) = code.objects.first() else { return Ok(()) };
    let refused = |what: String| Err(unsupported(what, None, 0));
    if let Some(invariant) = sources.invariants.first() {
        let first = first.name();
        return refused(format!(
            "nobody sees when {first} changes what the invariant `{invariant}` looks at: there is no source of it"
        ));
    }
    for object in &code.objects {
        if let Some(why) = object.refusal() {
            return refused(format!("the native backend cannot execute {}: {why}", object.name()));
        }
    }
    let by_code = names(code);
    let known = |name: &str| {
        let section = name.starts_with("__start_") || name.starts_with("__stop_");
        by_code.contains(name) || linked.defines(name) || is_on_the_floor(name) || section || BY_LINKER.contains(&name)
    };
    let mut support = None;
    for object in &code.objects {
        for name in object.needs.iter().filter(|name| !known(name)) {
            if !support.get_or_insert_with(|| support_names(tools)).contains(name) {
                return refused(format!(
                    "`{name}`, which {} needs, is not supported: it is defined neither in the program nor in the C library of Threadbare{}",
                    object.name(),
                    linked.foreign.whence(name)
                ));
            }
        }
    }
    match code.objects.iter().find(|object| object.has_constructors()) {
        Some(object) if [true, false].iter().any(|init| !linked.constructors(*init).is_empty()) => refused(format!(
            "both {} and the program have constructors or destructors: the native backend does not know their order",
            object.name()
        )),
        _ => Ok(()),
    }
}

/// Writes the objects where the linker finds them.
pub fn write(code: &Linkage, folder: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let place = |section: &elf::Section| match section.flags & EXECUTABLE {
        0 => SECTIONS.iter().find(|(name, _)| *name == section.name).map(|(_, ours)| *ours),
        _ => Some(CODE),
    };
    let mut files = Vec::new();
    for (number, object) in code.objects.iter().enumerate() {
        let file = folder.join(format!("foreign{number}.o"));
        let bytes = elf::with_names(&object.bytes, place)
            .ok_or_else(|| LoadError::Tool(format!("{} is damaged", object.name())))?;
        std::fs::write(&file, bytes)
            .map_err(|error| LoadError::Tool(format!("cannot write {}: {error}", file.display())))?;
        files.push(file);
    }
    Ok(files)
}

/// Complains of instructions that nobody can control.
pub fn look_for_instructions(tools: &Tools, code: &Linkage, files: &[PathBuf], folder: &Path) -> Result<(), LoadError> {
    if files.is_empty() {
        return Ok(());
    }
    let mut command = tools.companion("llvm-objdump")?;
    command.args(["-d", "--no-show-raw-insn", "--no-leading-addr"]).args(files).current_dir(folder);
    let output = command.output().map_err(|error| LoadError::Tool(format!("cannot run llvm-objdump: {error}")))?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        return Err(LoadError::Tool(format!("llvm-objdump cannot read the machine code:\n{}", messages.trim_end())));
    }
    let (mut object, mut function) = (None, "");
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text.lines() {
        if let Some((file, _)) = line.split_once(":\tfile format ") {
            object = files.iter().position(|known| known.as_os_str() == file);
        } else if let Some(name) = line.strip_prefix('<').and_then(|line| line.strip_suffix(">:")) {
            function = name;
        } else if let Some(instruction) = uncontrolled(line) {
            let object = object.map_or(String::new(), |number| code.objects[number].name());
            let what =
                format!("the native backend cannot control what `{instruction}` does, in `{function}` of {object}");
            return Err(unsupported(what, None, 0));
        }
    }
    Ok(())
}

/// The instruction of a line, if nobody can control it.
fn uncontrolled(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let first = words.find(|word| !["lock", "rep", "repne", "notrack"].contains(word))?;
    let at_thread = line.contains("%fs:") && line.replace(CANARY, "").contains("%fs:") || line.contains("%gs:");
    (REFUSED.contains(&first) || at_thread).then(|| line.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Before calls that may lead to such code, the floor is told.
pub fn announce(module: &Module, by_code: &FxHashSet<&str>, is_library: bool, edit: &mut Edit) {
    if by_code.is_empty() {
        return;
    }
    for inst in module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.insts) {
        let InstKind::Call(call) = &inst.kind else { continue };
        let may_lead = match &call.callee {
            Callee::Value(Value::Const(Const::Global(name))) => by_code.contains(name.as_str()),
            Callee::Value(_) => true,
            Callee::Asm { .. } => false,
        };
        if may_lead {
            let line = inst.text_line as usize - 1;
            let callee = callee_in(&edit.lines[line]).unwrap_or("null");
            let called = CALLED[usize::from(is_library)];
            let call = format!("  call void @{called}(ptr {callee}){}\n", edit.place(line));
            edit.before(line, &call);
            edit.declare(&format!("void @{called}(ptr)"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_known_by_their_names() {
        for (line, found) in [
            ("\tsyscall", true),
            ("\trdtsc", true),
            ("\tint\t$0x80", true),
            ("\tint3", false),
            ("\tmovq\t%fs:0x28, %rax", false),
            ("\tmovq\t%fs:0x0, %rax", true),
            ("\tlock\t\tincl\t(%rdi)", false),
            ("\tretq", false),
        ] {
            assert_eq!(uncontrolled(line).is_some(), found, "{line}");
        }
    }

    #[test]
    fn calls_that_may_lead_there_are_announced() {
        let text = "declare i32 @theirs(i32)\ndeclare i32 @ours(i32)\n\
            define i32 @f(ptr %g) {\nentry:\n  %a = call i32 @theirs(i32 1)\n  %b = call i32 @ours(i32 %a)\n\
              %c = call i32 %g(i32 %b)\n  ret i32 %c\n}\n";
        let module = threadbare_ir::parse_bytes(text.as_bytes()).expect("it is IR");
        let announced = |names: &[&'static str]| {
            let mut edit = Edit::new(text);
            announce(&module, &names.iter().copied().collect(), false, &mut edit);
            let text = edit.finish();
            ["@theirs", "@ours", "%g"].map(|callee| text.contains(&format!("@__tb_machine_code(ptr {callee})")))
        };
        assert_eq!((announced(&["theirs"]), announced(&[])), ([true, false, true], [false; 3]));
    }
}
