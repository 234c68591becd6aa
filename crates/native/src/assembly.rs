//! What is known of a piece of assembly, from its text and its operands: whether it is refused, and what memory it accesses. If
//! any, it is a visible operation that conflicts with every access. Most locks that are written in assembly access one word, which
//! one operand names: then memory itself tells whether they have changed it, and a loop around them that waits is known as one.

use threadbare_vm::assembly::{SECTIONS, statements, without_comments};

use crate::copies::length;

/// Instructions that write at most sixteen bytes, and these only where their operand points.
const PLAIN: &[&str] = &[
    "lock", "xchg", "cmpxchg", "xadd", "add", "adc", "sub", "sbb", "inc", "dec", "and", "or", "xor", "neg", "not",
    "mov", "test", "cmp", "set", "pause", "nop", "mfence", "lfence", "sfence", "j",
];
/// Those of their names that do something else: strings, and what is larger.
const STRINGS: &[&str] = &["movs", "cmps", "movdir"];

/// Assembly that accesses nothing. Fences order nothing where there is one thread of the system.
const HARMLESS: &[&str] = &["nop", "pause", "rep", "mfence", "lfence", "sfence", "cpuid"];

/// Assembly that does not do the same each time, or leaves the program.
const REFUSED: &[&str] = &["xend", "xabort", "rdpkru", "wrpkru", "int", "hlt", "in", "out"];
/// The same, with what may follow for the size.
const REFUSED_OF_ANY_SIZE: &[&str] = &[
    "rdtsc", "rdrand", "rdseed", "rdpid", "rdpmc", "xbegin", "syscall", "sysenter", "rdfsbase", "rdgsbase", "wrfsbase",
    "wrgsbase",
];

/// What writes machine code as data, where nobody sees what it does.
const DATA: &[&str] = &[
    ".byte", ".2byte", ".4byte", ".8byte", ".word", ".short", ".hword", ".value", ".long", ".int", ".quad", ".octa",
    ".ascii", ".asciz", ".string", ".base64", ".single", ".float", ".double", ".tfloat", ".dc", ".dcb", ".ds", ".fill",
    ".skip", ".space", ".zero", ".org", ".sleb128", ".uleb128", ".incbin", ".insn",
];
/// What makes assembly of text, which it hides as well. Macros are looked into.
const MAKERS: &[&str] = &[".rept", ".rep", ".irp", ".irpc", ".include"];

/// Sections that hold no code, by how their names begin.
const NO_CODE: &[&str] = &[".note", ".data", ".rodata", ".bss", ".tdata", ".tbss", ".debug", ".comment"];

pub fn is_harmless(template: &str) -> bool {
    statements(template).all(|(name, _)| HARMLESS.contains(&name))
}

/// What of a piece of assembly is not for us.
pub fn refused_assembly(template: &str) -> Option<String> {
    let text = without_comments(template).to_lowercase();
    let mut place = Place { is_code: true, before: Vec::new() };
    let mut flags = "";
    // Notes for debuggers are made by macros, which exist only in the piece itself and write to a section of their own.
    let (mut macros, mut kept, mut in_macro) = (Vec::new(), 0, false);
    let unseen = |found: &str| Some(format!("the native backend cannot see the assembly that `{found}` makes"));
    for (name, operands) in statements(&text) {
        // Of the alternatives for two dialects, each.
        let names = || name.split(|char: char| !(char.is_ascii_alphanumeric() || "._".contains(char)));
        match name {
            ".macro" if in_macro => return unseen(".macro"),
            ".macro" => {
                macros.push(operands.split([' ', '\t', ',']).next().unwrap_or_default());
                (kept, in_macro) = (kept + 1, true);
            }
            ".endm" | ".endmacro" => in_macro = false,
            ".purgem" => kept -= i32::from(macros.contains(&operands)),
            _ if in_macro && names().any(|name| SECTIONS.contains(&name)) => return unseen(".macro"),
            _ if in_macro => {}
            _ => place.follow(name, operands),
        }
        let is_data = |name: &str| DATA.iter().any(|data| is_of_size(name, data));
        if let Some(found) = names().find(|name| place.is_code && !in_macro && is_data(name)) {
            return Some(format!("the native backend cannot see what the machine code does that `{found}` spells out"));
        }
        if let Some(found) = names().find(|name| MAKERS.contains(name)) {
            return unseen(found);
        }
        if place.is_code && !in_macro && names().any(|name| macros.contains(&name)) {
            return unseen(".macro");
        }
        let is_refused =
            |name: &str| REFUSED.contains(&name) || REFUSED_OF_ANY_SIZE.iter().any(|known| name.starts_with(known));
        if let Some(found) = names().find(|name| is_refused(name)) {
            return Some(format!("the native backend cannot control what the assembly instruction `{found}` does"));
        }
        if let Some(operand) = operands.split(',').map(str::trim).find(|operand| is_of_system_thread(operand)) {
            return Some(format!(
                "the native backend emulates threads, and `{operand}` is of the one thread of the system that runs them all"
            ));
        }
        // The code between the program's steps relies on these flags.
        match name {
            "std" => flags = "std",
            "cld" => flags = "",
            _ if name.starts_with("popf") && !text.contains("pushf") => flags = "popf",
            _ => {}
        }
    }
    match flags {
        // Another piece may make use of it.
        "" if kept > 0 => unseen(".macro"),
        "" => None,
        _ => Some(format!("the native backend cannot go on with the flags that `{flags}` leaves behind")),
    }
}

/// Whether memory of it is named, but for the word that stack protectors compare.
fn is_of_system_thread(operand: &str) -> bool {
    const CANARY: [&str; 2] = ["0x28", "40"];
    let behind = |segment: &str| operand.split_once(segment).map(|(_, rest)| rest.trim_start_matches(['[', ' ']));
    let is_canary = |rest: &str| {
        let end = |number: &&str| {
            !rest[number.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || "(+-*".contains(c))
        };
        CANARY.iter().filter(|number| rest.starts_with(**number)).any(end)
    };
    ["fs:", "gs:"].iter().filter_map(|segment| behind(segment)).any(|rest| !is_canary(rest))
}

/// Where a piece of assembly writes.
struct Place {
    is_code: bool,
    /// The same where each of the conditions began that are open.
    before: Vec<bool>,
}

impl Place {
    fn follow(&mut self, name: &str, operands: &str) {
        let before = self.before.last().copied().unwrap_or_default();
        match name {
            ".pushsection" | ".section" => self.is_code = may_hold_code(operands),
            ".data" | ".bss" => self.is_code = false,
            _ if SECTIONS.contains(&name) => self.is_code = true,
            // Whether what is behind it counts is not known.
            ".endif" => (self.is_code, _) = (self.is_code | before, self.before.pop()),
            _ if name.starts_with(".else") => self.is_code |= before,
            _ if name.starts_with(".if") => self.before.push(self.is_code),
            _ => {}
        }
    }
}

/// Of the operands that choose a section: it has flags that tell, or a name.
fn may_hold_code(operands: &str) -> bool {
    let (name, rest) = operands.split_once(',').unwrap_or((operands, ""));
    match rest.trim().strip_prefix('"') {
        Some(flags) => flags.split('"').next().is_some_and(|flags| flags.contains('x')),
        None => !NO_CODE.iter().any(|known| name.trim_matches('"').starts_with(known)),
    }
}

/// `.string`, `.string16`, `.dc.b`.
fn is_of_size(name: &str, directive: &str) -> bool {
    name.strip_prefix(directive).is_some_and(|size| {
        size.is_empty() || size.starts_with('.') || size.starts_with(|char: char| char.is_ascii_digit())
    })
}

/// Whether it may access memory: if any of its operands is in memory, or may be.
pub fn accesses_memory(template: &str, constraints: &str) -> bool {
    let in_register = |operand: &str| operand.trim().starts_with(['$', '%']) && !operand.contains(['(', '[', ':']);
    let only_registers = |(name, operands): (&str, &str)| {
        let jumps = name.starts_with('j') && is_near(operands);
        // Where this one writes, no operand tells.
        let hidden = name.contains("maskmov");
        jumps || !hidden && !operands.is_empty() && operands.split(',').all(in_register)
    };
    constraints.split(',').any(|part| part.contains('*') || part == "~{memory}")
        || !statements(template).all(only_registers)
}

/// Whether a jump goes to a place in the same piece of assembly, or one that the compiler knows of.
fn is_near(target: &str) -> bool {
    target.starts_with(".L")
        || target.starts_with("${")
        || target.trim_end_matches(['b', 'f']).bytes().all(|byte| byte.is_ascii_digit())
}

/// The only place whose sixteen bytes it may change, if that can be told: the pointer among the operands of its call.
pub fn only_changes<'t>(line: &'t str, template: &str, constraints: &str) -> Option<&'t str> {
    let is_plain = |name: &str| {
        PLAIN.iter().any(|known| name.starts_with(known)) && !STRINGS.iter().any(|known| name.starts_with(known))
    };
    if !statements(template).all(|(name, _)| is_plain(name)) {
        return None;
    }
    let mut arguments = arguments(line, constraints)?;
    // Which operand has which argument: what is given back in a register has none.
    let mut pointers = Vec::new();
    for (number, part) in constraints.split(',').filter(|part| !part.starts_with('~')).enumerate() {
        let argument = if part.starts_with('=') && !part.contains('*') { None } else { Some(arguments.next()?) };
        if part.contains('*') || template.contains(&format!("(${number})")) {
            pointers.push(pointer(argument?)?);
        }
    }
    let references = template.matches("($").count();
    let all_known = template.matches('(').count() == references && !template.contains('[');
    let direct = statements(template).all(|(name, operands)| {
        name.starts_with('j') && is_near(operands)
            || operands.is_empty()
            || operands.split(',').all(|operand| operand.trim().starts_with(['$', '%', '(']))
    });
    let first = *pointers.first()?;
    (all_known && direct && pointers.iter().all(|pointer| *pointer == first)).then_some(first)
}

/// The arguments of the call that a line is.
fn arguments<'t>(line: &'t str, constraints: &str) -> Option<impl Iterator<Item = &'t str> + use<'t>> {
    let (_, rest) = line.split_once(&format!("\"{constraints}\"("))?;
    let mut rest = Some(rest);
    Some(std::iter::from_fn(move || {
        let text = rest?;
        let argument = &text[..length(text)];
        rest = text[argument.len()..].strip_prefix(", ");
        Some(argument)
    }))
}

/// The pointer of an argument, without its attributes.
fn pointer(argument: &str) -> Option<&str> {
    let mut rest = argument.strip_prefix("ptr ")?;
    loop {
        if rest.starts_with(['%', '@']) || rest.starts_with("getelementptr ") {
            return Some(rest);
        }
        rest = match rest.strip_prefix("elementtype(") {
            Some(ty) => ty[length(ty)..].strip_prefix(") ")?,
            None => rest.split_once(' ')?.1,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assembly_is_known_by_its_instructions() {
        for (template, harmless, refused) in [
            ("", true, false),
            ("rep; nop", true, false),
            ("rep nop", true, false),
            ("\tmfence\n", true, false),
            ("1: nop", true, false),
            ("lock; xaddl $0, $1", false, false),
            ("lock xaddl $0, $1", false, false),
            ("1: lock; xaddl $0, $1", false, false),
            ("1: movl $0, $1", false, false),
            ("1:movl $0, $1", false, false),
            (".Lagain${:uid} : 2: incl $0", false, false),
            ("1: pause\n jmp 1b", false, false),
            ("rdtsc", false, true),
            ("lfence; rdtsc", false, true),
            ("1: rdtsc", false, true),
            ("1:rdrandl $0", false, true),
            ("jmp 1f\n2: SYSCALL\n1: jmp 2b", false, true),
            ("data16 syscall", false, true),
            ("/* of the system */ syscall # it is", false, true),
            ("$(syscall$|syscall$)", false, true),
            ("int $$0x80", false, true),
            ("int3", false, false),
            (".ascii \"\\017\\005\"", false, true),
            (".string16 \"a\"", false, true),
            (".dc.b 15, 5", false, true),
            (".fill 1, 2, 0x050f", false, true),
            (".macro out\nnop\n.endm", false, true),
            (".macro m n\n.byte \\n\n.endm\n990: nop\n.pushsection .note\nm 4\n.purgem m\n.popsection", false, false),
            (".macro m n\n.byte \\n\n.endm\n990: nop\n.pushsection .note\nm 4\n.popsection", false, true),
            (".macro m n\n.byte \\n\n.endm\n.pushsection .note\nm 4\n.popsection\nm 15\n.purgem m", false, true),
            (".macro m\n.popsection\n.byte 15\n.endm\n.pushsection .note\nm\n.purgem m", false, true),
            (".macro m\nsyscall\n.endm\n.purgem m", false, true),
            (".rept 2; nop; .endr", false, true),
            (".pushsection .note; .byte 1; .popsection; nop", false, false),
            (".pushsection .note; .byte 1; .popsection; .byte 15, 5", false, true),
            (".section mine; .byte 15, 5; .previous", false, true),
            (".section \"mine\", \"ax\"; .byte 15, 5; .previous", false, true),
            (".section mine, \"a\", @progbits; .byte 15, 5; .previous", false, false),
            (".ifndef a; .pushsection b, \"aG\"; a: .space 1; .popsection; .endif; nop", false, false),
            (".if 0; .pushsection .note; .endif; .byte 15, 5", false, true),
            (".if 0; .pushsection .note; .else; .byte 15, 5; .endif", false, true),
            ("movq %fs:0, $0", false, true),
            ("movq $$0, %gs:(%rax)", false, true),
            ("$(movq %fs:0x28, $0$|mov $0, fs:[0x28]$)", false, false),
            ("mov $0, qword ptr fs:[0]", false, true),
            ("movq %fs:40(%rax), $0", false, true),
            ("movq %fs:400, $0", false, true),
            ("std; rep movsb; cld", false, false),
            ("std", false, true),
            ("pushfq; popq $0", false, false),
            ("pushq $0; popfq", false, true),
            ("pushfq; orl $$0, (%rsp); popfq", false, false),
        ] {
            assert_eq!(is_harmless(template), harmless, "{template}");
            assert_eq!(refused_assembly(template).is_some(), refused, "{template}");
        }
    }

    #[test]
    fn memory_is_known_by_operands_and_text() {
        for (template, constraints, accesses) in [
            ("bsrl $1,$0", "=r,r,~{flags}", false),
            ("addl $$3, $0", "=r,0,~{flags}", false),
            ("1: decl $0\n\tjnz 1b", "=r,0,~{flags}", false),
            ("lock; incl $0", "=*m,*m", true),
            ("movl ($1), $0", "=r,r", true),
            ("movl %fs:40, $0", "=r", true),
            ("incl counter", "", true),
            ("call f", "~{memory}", true),
            ("push $0", "r,~{memory}", true),
            ("cld; rep stosb", "", true),
            ("jmp elsewhere", "", true),
            ("maskmovdqu $0, $1", "x,x,{di}", true),
            ("1: decl $0; jnz .Lagain${:uid}", "=r,0", false),
        ] {
            assert_eq!(accesses_memory(template, constraints), accesses, "{template}");
        }
    }

    #[test]
    fn the_one_word_that_a_lock_changes_is_found() {
        let found = |template: &str, constraints: &str, arguments: &str| {
            let line =
                format!("  %7 = call i32 asm sideeffect \"{template}\", \"{constraints}\"({arguments}) #2, !srcloc !8");
            only_changes(&line, template, constraints).map(String::from)
        };
        let element = "ptr nonnull elementtype(i32) getelementptr inbounds ([4 x i32], ptr @a, i64 0, i64 2)";
        let same = format!("{element}, i32 %v, {element}");
        let constant = "getelementptr inbounds ([4 x i32], ptr @a, i64 0, i64 2)";
        for (template, constraints, arguments, pointer) in [
            ("xchgl $0,$1", "=r,=*m,0,*m,~{memory}", same.as_str(), Some(constant)),
            ("xchgl $0,($1)", "=r,r,0,~{memory}", "ptr noundef %p, i32 %v", Some("%p")),
            (
                "lock; cmpxchgl $2,$1",
                "={ax},=*m,r,0,*m",
                "ptr elementtype(i32) %p, i32 1, i32 0, ptr elementtype(i32) %q",
                None,
            ),
            ("movl $1, 4($0)", "r,r,~{memory}", "ptr %p, i32 1", None),
            ("movl $1, 4$0", "=*m,r", "ptr elementtype(i32) %p, i32 1", None),
            ("movl $1, $0; jmp elsewhere", "=*m,r", "ptr elementtype(i32) %p, i32 1", None),
            ("1: movl $1, $0; jne 1b", "=*m,r", "ptr elementtype(i32) %p, i32 1", Some("%p")),
            ("movdir64b ($1), $0", "r,r,~{memory}", "ptr %p, ptr %p", None),
            ("bts $1, $0", "=*m,r", "ptr elementtype(i64) %p, i64 70", None),
            ("rep movsb", "r", "ptr %p", None),
            ("movl $1, (%rdi)", "{di},r,~{memory}", "ptr %p, i32 1", None),
        ] {
            assert_eq!(found(template, constraints, arguments).as_deref(), pointer, "{template}");
        }
    }
}
