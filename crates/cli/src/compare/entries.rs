//! What is compared: strategies, each with options of `check` of its own if it has any.
//!
//! `optimal,dpor,dfs` are three. Behind a name may stand options, as one would type them for `check`; then a semicolon ends
//! them: `optimal,dpor; scale --filters nsb,ss; scale --order bfs`.

use std::error::Error as _;
use std::ffi::OsString;
use std::fmt;

use clap::error::{ContextKind, ErrorKind};

use crate::arguments::{Arguments, CheckPlan, Command};

/// Options of `check` that make no sense for every strategy.
pub const BELONG_TO_ONE: &[&str] = &["--filters", "--order", "--capture", "--superstep", "--runs", "--seed"];

/// The options that an entry may have: those that say how to explore, then those that say what is checked.
/// Each with the field of `CheckPlan` that it sets, and whether it is a number.
const OPTIONS: &[(&str, &str, bool)] = &[
    ("filters", "--filters", false),
    ("order", "--order", false),
    ("capture", "--capture", false),
    ("superstep", "--superstep", false),
    ("symmetry", "--symmetry", false),
    ("runs", "--runs", true),
    ("seed", "--seed", true),
    ("depth_bound", "--depth-bound", true),
    ("context_bound", "--context-bound", true),
    ("max_bugs", "--max-bugs", true),
    ("jobs", "--jobs", true),
    ("backend", "--backend", false),
    ("races", "--races", false),
    ("optimisation", "-O", false),
    ("invariants", "--invariant", false),
    ("spurious", "--spurious", true),
    ("clock_jumps", "--clock-jumps", true),
    ("uninit", "--uninit", false),
    ("leaks", "--leaks", false),
    ("ignored", "--ignore", false),
    ("abstraction", "--abstraction", false),
    ("abstraction_sound", "--abstraction-sound", false),
];

/// Those of them that may take several numbers.
pub fn numbers() -> impl Iterator<Item = &'static str> {
    OPTIONS.iter().filter(|(_, _, is_number)| *is_number).map(|(_, option, _)| *option)
}

fn there_are() -> String {
    let options: Vec<&str> = OPTIONS.iter().map(|(_, option, _)| *option).collect();
    format!("a strategy may have {}", options.join(", "))
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The strategy and its options, as they were typed.
    pub words: Vec<String>,
    /// The fields of `CheckPlan` that they set.
    pub given: Vec<String>,
    /// Entries that check the same must agree.
    pub checks: String,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entries(pub Vec<Entry>);

impl std::str::FromStr for Entries {
    type Err = String;

    fn from_str(text: &str) -> Result<Entries, String> {
        let mut entries: Vec<Entry> = Vec::new();
        for part in text.split(';').filter(|part| !part.trim().is_empty()) {
            let words = shlex::split(part).ok_or_else(|| format!("`{}` has a quote that does not end", part.trim()))?;
            let first_option = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
            let (names, options) = words.split_at(first_option);
            let names: Vec<&str> =
                names.iter().flat_map(|word| word.split(',')).filter(|name| !name.is_empty()).collect();
            if names.len() != 1 && !options.is_empty() {
                return Err(format!(
                    "whose options are those of `{}`? A semicolon stands before a strategy with options, as in 'A,B; C --filters nsb'",
                    part.trim()
                ));
            }
            for name in names {
                let entry = Entry::new(name, options)?;
                if entries.iter().any(|other| other.words == entry.words) {
                    return Err(format!("`{entry}` is there twice"));
                }
                entries.push(entry);
            }
        }
        if entries.is_empty() { Err("there is none".into()) } else { Ok(Entries(entries)) }
    }
}

impl Entry {
    /// `check` itself says whether it understands the words.
    fn new(name: &str, options: &[String]) -> Result<Entry, String> {
        let words: Vec<String> = std::iter::once(name.to_string()).chain(options.iter().cloned()).collect();
        let plan = check_plan(&words)?;
        // By less of a state, something may be missed.
        let by = (plan.ignored, plan.abstraction, plan.abstraction_sound);
        let CheckPlan { given, races, optimisation, invariants, spurious, clock_jumps, uninit, leaks, files, .. } =
            plan;
        if let [_, file, ..] = files.as_slice() {
            return Err(format!("`{}` in `{}` is no option", file.display(), words.join(" ")));
        }
        // The parser's own name for all of them is no field.
        let known = |field: &str| {
            ["files", "CheckPlan", "strategy"].contains(&field) || OPTIONS.iter().any(|(known, ..)| *known == field)
        };
        if let Some(field) = given.iter().find(|field| !known(field)) {
            let option = field.replace('_', "-");
            let entry = words.join(" ");
            return Err(format!("`--{option}` in `{entry}` does not say how to explore; {}", there_are()));
        }
        let what = (races, optimisation, invariants, spurious, clock_jumps, uninit, leaks, by);
        Ok(Entry { words, given, checks: format!("{what:?}") })
    }
}

fn check_plan(words: &[String]) -> Result<CheckPlan, String> {
    let line = ["threadbare", "check", "program", "--strategy"].map(OsString::from);
    match Arguments::read(line.into_iter().chain(words.iter().map(OsString::from))) {
        Ok(Arguments { command: Command::Check(plan) }) => Ok(*plan),
        Ok(_) => Err(format!("`{}` is no strategy", words.join(" "))),
        Err(error) => {
            // Only what is wrong: that it is an option with a bad value, and how to get help, is said once.
            if let (Some(option), Some(value), Some(wrong)) =
                (error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue), error.source())
            {
                let option = option.to_string();
                let option = option.split(' ').next().filter(|option| *option != "--strategy");
                let words: Vec<String> = option.map(String::from).into_iter().chain([value.to_string()]).collect();
                return Err(format!("`{}`: {wrong}", words.join(" ")));
            }
            let text = error.to_string();
            let wrong: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
            let wrong = wrong.join(" ");
            let wrong = wrong.strip_prefix("error: ").unwrap_or(&wrong);
            let known = match error.kind() {
                ErrorKind::UnknownArgument => format!("; {}", there_are()),
                _ => String::new(),
            };
            Err(format!("`{}`: {wrong}{known}", words.join(" ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        text.parse().map(|Entries(list)| list.iter().map(Entry::to_string).collect())
    }

    #[test]
    fn names_and_names_with_options() {
        assert_eq!(read("optimal,dpor, dfs"), Ok(["optimal", "dpor", "dfs"].map(String::from).to_vec()));
        assert_eq!(
            read("optimal,dfs; scale --filters nsb,ss --order bfs; stateful --superstep;"),
            Ok(["optimal", "dfs", "scale --filters nsb,ss --order bfs", "stateful --superstep"]
                .map(String::from)
                .to_vec())
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, what) in [
            ("", "there is none"),
            ("optimal,nonsense", "`nonsense`: there are auto, optimal, source"),
            ("optimal,scale --filters nsb", "whose options"),
            ("scale --filters xyz", "`--filters xyz`: `xyz` is no filter"),
            ("scale --fitlers nsb", "'--fitlers' found; a strategy may have --filters, --order, "),
            ("dfs --format json", "`--format` in `dfs --format json` does not say how to explore; a strategy may have"),
            ("dfs other.c", "there are auto, optimal, source"),
            ("dfs --superstep other.c", "`other.c` in `dfs --superstep other.c` is no option"),
            ("dfs; dfs", "`dfs` is there twice"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(what), "{text}: {error}");
            assert!(!error.contains("invalid value"), "the parser says that: {error}");
        }
    }

    #[test]
    fn entries_that_check_something_else_need_not_agree() {
        let checks = |text: &str| text.parse::<Entries>().expect("good").0.remove(0).checks;
        assert_eq!(checks("dfs --depth-bound 10"), checks("scale --order bfs --filters nsb"));
        assert_ne!(checks("dfs -O 2"), checks("dfs"));
        assert_ne!(checks("graph --ignore x"), checks("graph"));
        assert_eq!(checks("stateful --symmetry"), checks("stateful"));
    }
}
