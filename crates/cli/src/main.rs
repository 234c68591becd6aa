//! The command line: arguments → plan → run → report.

mod arguments;
mod cc;
mod check;
mod clocks;
mod compare;
mod confirm;
mod duel;
mod for_good;
mod hunt;
mod limits;
mod listing;
mod ltl;
mod our_fault;
mod plan;
mod replay;
mod report;
mod run;
mod run_model;
mod screen;
mod simulate;
mod story;
mod subject;
mod supervisor;
mod syn;
mod terminal;
mod told;
mod trace;

use std::process::ExitCode;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    our_fault::catch_panics();
    // The words of a compiler's line are its own.
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_default();
    if std::path::Path::new(&name).file_name().is_some_and(|name| name == "threadbare-cc") {
        return cc::cc(words);
    }
    if words.next().is_some_and(|word| word == "cc") {
        return cc::cc(words);
    }
    let arguments = match Arguments::read(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(error) => error.exit(),
    };
    let lost = if matches!(arguments.command, Command::Run(_)) { run::COULD_NOT_RUN } else { 2 };
    let code = match arguments.command {
        Command::Run(plan) => run::run(&plan),
        Command::Check(plan) => check::check(&plan),
        Command::Compare(plan) => compare::compare(&plan),
        Command::Replay(plan) => replay::replay(&plan),
        Command::Syn(plan) => syn::syn(&plan),
        Command::Cc { words } => cc::cc(words.into_iter()),
        Command::Later(words) => {
            let name = words.first().map_or(String::new(), |word| word.to_string_lossy().into_owned());
            if arguments::PLANNED.contains(&name.as_str()) {
                report::message(&format!("`threadbare {name}` is not yet available in this version"));
            } else if is_program(&name) {
                report::message(&format!("`{name}` is no command; to run a program: threadbare run {name}"));
            } else {
                report::message(&format!("there is no command `{name}`; `threadbare --help` lists those there are"));
            }
            ExitCode::from(2)
        }
    };
    let code = screen::finish(code, lost);
    supervisor::has_spoken();
    code
}

/// Whether a word in the place of a command is meant as a program to run.
fn is_program(word: &str) -> bool {
    let path = std::path::Path::new(word);
    path.extension().is_some_and(|extension| ["c", "i", "ll", "bc", "tb"].iter().any(|known| extension == *known))
}
