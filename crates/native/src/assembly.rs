//! What is known of the memory that a piece of assembly accesses, from its text and its operands. If it accesses any, it is a visible
//! operation that conflicts with every access. Most locks that are written in assembly access one word, which one operand names: then
//! memory itself tells whether they have changed it, and a loop around them that waits is known as one.

use crate::copies::length;

/// Instructions that write at most sixteen bytes, and these only where their operand points.
const PLAIN: &[&str] = &[
    "lock", "xchg", "cmpxchg", "xadd", "add", "adc", "sub", "sbb", "inc", "dec", "and", "or", "xor", "neg", "not",
    "mov", "test", "cmp", "set", "pause", "nop", "mfence", "lfence", "sfence", "j",
];
/// Those of their names that do something else: strings, and bits beside the operand.
const STRINGS: &[&str] = &["movs", "cmps"];

/// The statements of a piece of assembly without labels: what they do, and their operands.
fn statements(template: &str) -> impl Iterator<Item = (&str, &str)> {
    template.split(['\n', ';']).filter_map(|statement| {
        let mut rest = statement.split('#').next().unwrap_or_default().trim();
        while let Some((first, behind)) = rest.split_once(char::is_whitespace) {
            if !(first.ends_with(':') || ["lock", "rep", "repz", "repnz"].contains(&first)) {
                break;
            }
            rest = behind.trim_start();
        }
        let (name, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        (!name.is_empty() && !name.ends_with(':')).then_some((name, operands.trim()))
    })
}

/// Whether it may access memory: if any of its operands is in memory, or may be.
pub fn accesses_memory(template: &str, constraints: &str) -> bool {
    let in_register = |operand: &str| operand.trim().starts_with(['$', '%']) && !operand.contains(['(', '[', ':']);
    let only_registers = |(name, operands): (&str, &str)| {
        let jumps = name.starts_with('j') && !operands.contains('*');
        jumps || !operands.is_empty() && operands.split(',').all(in_register)
    };
    constraints.split(',').any(|part| part.contains('*') || part == "~{memory}")
        || !statements(template).all(only_registers)
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
        name.starts_with('j')
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
    fn memory_is_known_by_operands_and_text() {
        for (template, constraints, accesses) in [
            ("bsrl $1,$0", "=r,r,~{flags}", false),
            ("addl $$3, $0", "=r,0,~{flags}", false),
            ("1: decl $0\n\tjnz 1b", "=r,0,~{flags}", false),
            ("lock; incl $0", "=*m,*m", true),
            ("movl ($1), $0", "=r,r", true),
            ("movl %fs:0, $0", "=r", true),
            ("incl counter", "", true),
            ("call f", "~{memory}", true),
            ("push $0", "r,~{memory}", true),
            ("cld; rep stosb", "", true),
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
            ("bts $1, $0", "=*m,r", "ptr elementtype(i64) %p, i64 70", None),
            ("rep movsb", "r", "ptr %p", None),
            ("movl $1, (%rdi)", "{di},r,~{memory}", "ptr %p, i32 1", None),
        ] {
            assert_eq!(found(template, constraints, arguments).as_deref(), pointer, "{template}");
        }
    }
}
