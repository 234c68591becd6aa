//! The text of assembly, as far as machines have to understand it; and assembly outside of functions, which nobody executes. It may
//! define what C uses, put functions into the lists of the loader, or run as machine code that nobody sees: all of that is refused.

use threadbare_ir::Module;

use crate::lower::LowerError;

const PREFIXES: &[&str] =
    &["lock", "rep", "repe", "repz", "repne", "repnz", "xacquire", "xrelease", "notrack", "bnd", "data16", "rex64"];

/// What chooses the section that is written.
pub const SECTIONS: &[&str] = &[
    ".section",
    ".pushsection",
    ".popsection",
    ".previous",
    ".subsection",
    ".text",
    ".data",
    ".bss",
    ".init",
    ".fini",
];

/// Of assembly outside of functions: what says nothing about the program.
const WITHOUT_MEANING: &[&str] = &[".ident", ".file"];
/// Sections that nobody loads or calls, by how their names begin, and what may be written there.
const NOTES: &[&str] = &[".note", ".comment", ".debug"];
const IN_NOTES: &[&str] =
    &[".align", ".balign", ".p2align", ".byte", ".2byte", ".4byte", ".long", ".quad", ".ascii", ".asciz", ".string"];

/// The statements of a piece of assembly without labels and prefixes: what they do, and their operands.
pub fn statements(template: &str) -> impl Iterator<Item = (&str, &str)> {
    template.split(['\n', ';']).filter_map(|statement| {
        let mut rest = statement.split('#').next().unwrap_or_default().trim();
        loop {
            let first = rest.split([' ', '\t', ':']).next().unwrap_or_default();
            rest = match rest[first.len()..].trim_start() {
                behind if is_name(first) && behind.starts_with(':') => behind[1..].trim_start(),
                behind if PREFIXES.contains(&first) && !behind.is_empty() => behind,
                _ => break,
            };
        }
        let (name, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        (!name.is_empty()).then_some((name, operands.trim()))
    })
}

/// Of a label: `1`, `.Lagain`, `.Lagain${:uid}`.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_ascii_alphanumeric() || "._${}".contains(char))
}

pub fn without_comments(template: &str) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, comment)) = rest.split_once("/*") {
        text.push_str(before);
        text.push(' ');
        rest = comment.split_once("*/").map_or("", |(_, behind)| behind);
    }
    text + rest
}

/// Complains of assembly outside of functions that means something.
pub fn refuse_outside_of_functions(module: &Module) -> Result<(), LowerError> {
    let text: Vec<&str> = module.module_asm.iter().map(|(line, _)| line.as_str()).collect();
    let text = without_comments(&text.join("\n"));
    let mut in_note = false;
    for (name, operands) in statements(&text) {
        match name {
            ".section" | ".pushsection" => {
                in_note = NOTES.iter().any(|note| operands.trim_start_matches('"').starts_with(note));
                if in_note {
                    continue;
                }
            }
            ".popsection" | ".previous" | ".text" => {
                in_note = false;
                continue;
            }
            // Which version of a library's function is taken: here, all are ours.
            ".symver" if !is_defined(module, operands.split(',').next().unwrap_or_default().trim()) => continue,
            _ if WITHOUT_MEANING.contains(&name) || in_note && IN_NOTES.contains(&name) => continue,
            _ => {}
        }
        let message =
            format!("assembly outside of functions is not supported: `{}`", format!("{name} {operands}").trim());
        let file = module.source_filename.clone();
        let line = line_of(&file, name, operands);
        return Err(LowerError::Unsupported { message, file: Some(file), line });
    }
    Ok(())
}

fn is_defined(module: &Module, name: &str) -> bool {
    module.functions.iter().any(|function| function.name == name && !function.is_declaration())
        || module.globals.iter().any(|global| global.name == name && global.init.is_some())
        || module.aliases.iter().any(|alias| alias.name == name)
}

/// The compiler does not tell where it stands. 0 if it cannot be found.
fn line_of(file: &str, name: &str, operands: &str) -> u32 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let first = operands.split([' ', ',', '"', '\\', '%']).next().unwrap_or_default();
    let is_it = |line: &str| line.contains('"') && line.contains(name) && line.contains(first);
    text.lines().position(is_it).map_or(0, |line| line as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_notes_stand_outside_of_functions() {
        let refused = |assembly: &str| {
            let lines: String = assembly.lines().map(|line| format!("module asm \"{line}\"\n")).collect();
            let text = format!("{lines}@known = global i32 0\n");
            let module = threadbare_ir::parse_bytes(text.as_bytes()).expect("it is IR");
            refuse_outside_of_functions(&module).is_err()
        };
        for fine in [
            "",
            "# nothing",
            ".ident \\22it\\22",
            ".symver old, old@VERS_1",
            ".section .note.GNU-stack,\\22\\22,@progbits",
            ".pushsection .note.mine; .balign 4; 1: .long 1, 2; .asciz \\22a\\22; .popsection",
        ] {
            assert!(!refused(fine), "{fine}");
        }
        for bad in [
            "nop",
            ".globl f\nf: ret",
            ".set a, b",
            "a = b",
            ".symver known, other@@VERS_1",
            ".section .init_array,\\22aw\\22\n.quad c",
            ".data\n.long 7",
            ".pushsection .note.mine; .popsection; .long 7",
            ".pushsection .note.mine; .globl f; f: .long 7; .popsection",
        ] {
            assert!(refused(bad), "{bad}");
        }
    }
}
