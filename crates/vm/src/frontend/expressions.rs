//! Propositions that are expressions of C. The compiler itself reads them: each becomes a function at the end of a translation
//! unit, where all names of that unit mean what they mean in the program, macros and enumerators too. It belongs to the
//! first unit in which it makes sense.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{LoadError, Proposition, Sources, Tools, Unit, run_on, with_own_flags};

/// The function of a proposition.
pub fn function(number: usize) -> String {
    format!("__tb_holds_{number}")
}

/// Where the compiler finds its text.
fn file_of(number: usize) -> String {
    format!("<proposition {number}>")
}

/// The proposition whose text a file is. In debug information a folder stands before it.
pub fn number_of(file: &str) -> Option<usize> {
    file.rsplit('/').next()?.strip_prefix("<proposition ")?.strip_suffix('>')?.parse().ok()
}

/// What stands before an expression on its line: so the compiler complains of the expression where its value is of no use.
const BEFORE: &str = "!!(";

/// Where in an expression a column of its line is.
pub fn column_in(column: u32) -> u32 {
    column.saturating_sub(BEFORE.len() as u32).max(1)
}

/// What the compiler warns of in conditions: these are always true, or always false.
const MISTAKES: [&str; 3] = ["-Wpointer-bool-conversion", "-Wtautological-pointer-compare", "-Wstring-conversion"];

/// The translation unit of each expression.
#[derive(Default)]
pub struct Places(Vec<(usize, PathBuf)>);

impl Places {
    /// What to compile instead of a file, if some expressions belong to it.
    pub fn text_for(&self, sources: &Sources, unit: &Unit) -> Option<String> {
        let own: Vec<usize> = self.0.iter().filter(|(_, file)| *file == unit.file).map(|(number, _)| *number).collect();
        (!own.is_empty()).then(|| text(sources, unit, &own))
    }
}

/// The file and the functions of these expressions. Names in the file's folder are found as ever, and so is the file
/// itself: from where we are.
fn text(sources: &Sources, unit: &Unit, numbers: &[usize]) -> String {
    let mut text = match &unit.built {
        None => format!("#include \"{}\"\n", unit.file.display()),
        Some(record) => String::from_utf8_lossy(&record.text).into_owned() + "\n",
    };
    for mistake in MISTAKES {
        let _ = writeln!(text, "#pragma clang diagnostic error \"{mistake}\"");
    }
    for &number in numbers {
        let Proposition::Expression(expression) = &sources.propositions[number] else { continue };
        let line = expression.replace(['\n', '\r'], " ");
        let _ = write!(
            text,
            "int {}(void) {{ return\n#line 1 \"{}\"\n{BEFORE}{line}\n); }}\n",
            function(number),
            file_of(number)
        );
    }
    text
}

/// Finds the unit of each expression, where it makes sense.
pub fn places(tools: &Tools, sources: &Sources, units: &[Unit], include: &Path) -> Result<Places, LoadError> {
    let propositions = sources.propositions.iter().enumerate();
    let is_expression = |proposition: &Proposition| matches!(proposition, Proposition::Expression(_));
    let mut open: Vec<usize> = propositions.filter(|(_, it)| is_expression(it)).map(|(number, _)| number).collect();
    if open.is_empty() {
        return Ok(Places::default());
    }
    let units: Vec<&Unit> = units.iter().filter(|unit| unit.is_source()).collect();
    if units.is_empty() {
        let message =
            "expressions of C need the source of the program: of LLVM IR, name a function that says what is to hold";
        return Err(LoadError::Proposition { number: open[0], column: 1, message: message.into() });
    }
    let mut places = Places::default();
    let mut why = None;
    for unit in units {
        let mut command = Command::new(&tools.clang);
        command.args(["-fsyntax-only", "-pthread", "-D__THREADBARE__=1", "-fno-color-diagnostics", "-ferror-limit=0"]);
        // Of all warnings, those about mistakes are errors, and those that always are.
        command.args(["-Wno-everything", "-Werror=implicit", "-Werror=int-conversion"]);
        with_own_flags(&mut command, sources, unit, include);
        let said = run_on(&mut command, unit, Some(text(sources, unit, &open)))?;
        let messages = said.err().unwrap_or_default();
        let senseless = |number: &usize| {
            let is_error = |line: &str| line.starts_with(&format!("{}:", file_of(*number))) && line.contains("error: ");
            messages.lines().any(is_error)
        };
        places.0.extend(open.iter().filter(|number| !senseless(number)).map(|&number| (number, unit.file.clone())));
        open.retain(senseless);
        if open.is_empty() {
            return Ok(places);
        }
        // Of a unit that has the names, the compiler has more to say.
        let complaint = complaint(messages, &unit.file);
        if why.as_ref().is_none_or(is_unknown_name) {
            why = Some(complaint);
        }
    }
    Err(why.expect("there is a unit"))
}

/// What is wrong with an expression, or with the file itself, in the compiler's words.
pub fn complaint(messages: String, file: &Path) -> LoadError {
    let of_expression = |line: &str| {
        let (number, rest) = line.strip_prefix("<proposition ")?.split_once(">:")?;
        let mut parts = rest.splitn(3, ':');
        let (line, column, words) = (parts.next()?, parts.next()?, parts.next()?);
        let message = words.trim().strip_prefix("error: ").or(words.trim().strip_prefix("fatal error: "))?;
        // Behind its end the expression is cut off.
        let column = if line == "1" { column_in(column.parse().ok()?) } else { u32::MAX };
        // The compiler puts names in quotes, as we put them in backticks. Who knows the program has better advice.
        let message = message.replace('\'', "`");
        let message = message.split("; did you mean").next().unwrap_or_default();
        let message = in_our_words(message.split("; ISO C99").next().unwrap_or_default());
        Some(LoadError::Proposition { number: number.parse().ok()?, column, message })
    };
    messages.lines().find_map(of_expression).unwrap_or(LoadError::Compile { file: file.into(), messages })
}

/// An expression has a name that is not there.
fn is_unknown_name(error: &LoadError) -> bool {
    matches!(error, LoadError::Proposition { message, .. } if message.contains("undeclared"))
}

/// Some of the compiler's words are about what stands around the expression, or about programs and not about propositions.
fn in_our_words(message: &str) -> String {
    let name = message.split('`').nth(1).unwrap_or_default();
    if message.starts_with("invalid argument type") {
        return match name {
            "void" => "this has no value, and a proposition is true or false".into(),
            name => format!("this is a `{name}`, and a proposition is true or false"),
        };
    }
    // "[-Werror,-Wpointer-bool-conversion]" is no business of those who ask.
    let message = message.split(" [-W").next().unwrap_or_default();
    let is_constant = message.contains("will always evaluate to") || message.contains("a null pointer is always");
    match message {
        _ if is_constant && message.contains(" function ") => {
            format!("`{name}` is a function, and its address is never null: `{name}()` is what it gives")
        }
        _ if message.starts_with("address of") => format!(
            "the {}",
            message.replace("will always evaluate to `true`", "is never null, so that this is always true")
        ),
        message if message.starts_with("implicit conversion turns string literal") => "a text is always true".into(),
        message => message.to_string(),
    }
}
