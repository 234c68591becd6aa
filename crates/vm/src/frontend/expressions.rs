//! Propositions that are expressions of C. The compiler itself reads them: each becomes a function at the end of a translation
//! unit, where all names of that unit mean what they mean in the program, macros and enumerators too. It belongs to the
//! first unit in which it makes sense.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{LoadError, Proposition, Sources, Tools, extension, run, with_flags};

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

/// The translation unit of each expression.
#[derive(Default)]
pub struct Places(Vec<(usize, PathBuf)>);

impl Places {
    /// What to compile instead of a file, if some expressions belong to it.
    pub fn text_for(&self, sources: &Sources, file: &Path) -> Option<String> {
        let own: Vec<usize> = self.0.iter().filter(|(_, unit)| unit == file).map(|(number, _)| *number).collect();
        (!own.is_empty()).then(|| text(sources, file, &own))
    }
}

/// The file and the functions of these expressions. Names in the file's folder are found as ever, and so is the file
/// itself: from where we are.
fn text(sources: &Sources, file: &Path, numbers: &[usize]) -> String {
    let mut text = format!("#include \"{}\"\n", file.display());
    for &number in numbers {
        let Proposition::Expression(expression) = &sources.propositions[number] else { continue };
        let line = expression.replace(['\n', '\r'], " ");
        let _ = write!(
            text,
            "int {}(void) {{ return !!(\n#line 1 \"{}\"\n{line}\n); }}\n",
            function(number),
            file_of(number)
        );
    }
    text
}

/// Finds the unit of each expression. With one unit there is nothing to find.
pub fn places(tools: &Tools, sources: &Sources, include: &Path) -> Result<Places, LoadError> {
    let propositions = sources.propositions.iter().enumerate();
    let is_expression = |proposition: &Proposition| matches!(proposition, Proposition::Expression(_));
    let mut open: Vec<usize> = propositions.filter(|(_, it)| is_expression(it)).map(|(number, _)| number).collect();
    if open.is_empty() {
        return Ok(Places::default());
    }
    let units: Vec<&PathBuf> = sources.files.iter().filter(|file| extension(file) == "c").collect();
    let Some((&first, others)) = units.split_first() else {
        let message =
            "expressions of C need the source of the program: of LLVM IR, name a function that says what is to hold";
        return Err(LoadError::Proposition { number: open[0], column: 1, message: message.into() });
    };
    let mut places = Places::default();
    if others.is_empty() {
        places.0 = open.into_iter().map(|number| (number, first.clone())).collect();
        return Ok(places);
    }
    let mut why = None;
    for unit in units {
        let mut command = Command::new(&tools.clang);
        command.args(["-fsyntax-only", "-pthread", "-D__THREADBARE__=1", "-fno-color-diagnostics", "-ferror-limit=0"]);
        with_flags(&mut command, sources, include);
        let said = run(command.args(["-x", "c", "-"]), "clang", text(sources, unit, &open).as_bytes())?;
        let messages = said.err().unwrap_or_default();
        let senseless = |number: &usize| messages.contains(&format!("{}:", file_of(*number)));
        places.0.extend(open.iter().filter(|number| !senseless(number)).map(|&number| (number, unit.clone())));
        open.retain(senseless);
        if open.is_empty() {
            return Ok(places);
        }
        why.get_or_insert(complaint(messages, unit));
    }
    Err(why.expect("there is a unit"))
}

/// What is wrong with an expression, or with the file itself, in the compiler's words.
pub fn complaint(messages: String, file: &Path) -> LoadError {
    let of_expression = |line: &str| {
        let (number, rest) = line.strip_prefix("<proposition ")?.split_once(">:")?;
        let mut parts = rest.splitn(3, ':');
        let (_, column, words) = (parts.next()?, parts.next()?, parts.next()?);
        let message = words.trim().strip_prefix("error: ").or(words.trim().strip_prefix("fatal error: "))?;
        // The compiler puts names in quotes, as we put them in backticks. Who knows the program has better advice.
        let message = message.replace('\'', "`");
        let message = message.split("; did you mean").next().unwrap_or_default();
        let message = message.split("; ISO C99").next().unwrap_or_default().to_string();
        Some(LoadError::Proposition { number: number.parse().ok()?, column: column.parse().ok()?, message })
    };
    messages.lines().find_map(of_expression).unwrap_or(LoadError::Compile { file: file.into(), messages })
}
