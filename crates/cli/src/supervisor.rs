//! The native backend runs the program in a worker process of ours, with the search: the same command again. The supervisor
//! waits for it, and survives whatever the program does to it.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use threadbare_native::Notes;

use crate::arguments::Format;
use crate::listing;

/// The variable that tells a worker where to note its steps.
const NOTES: &str = "THREADBARE_NATIVE_NOTES";

/// Where a worker notes its steps; there is none without a supervisor.
pub fn notes() -> Option<PathBuf> {
    std::env::var_os(NOTES).map(PathBuf::from)
}

/// Starts a worker with the same words, and gives what it came to. `None` in the worker itself.
pub fn supervise(format: Format) -> Option<ExitCode> {
    if notes().is_some() {
        return None;
    }
    let failed = |what: String| Some(listing::failure(format, &what, None, 2));
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => return failed(format!("cannot make a folder for temporary files: {error}")),
    };
    let file = folder.path().join("notes");
    let worker = std::env::current_exe()
        .and_then(|program| Command::new(program).args(std::env::args_os().skip(1)).env(NOTES, &file).spawn()?.wait());
    let status = match worker {
        Ok(status) => status,
        Err(error) => return failed(format!("cannot start a worker process: {error}")),
    };
    if let Some(code) = status.code() {
        return Some(ExitCode::from(code as u8));
    }
    let steps = Notes::read(&file).unwrap_or_default();
    let threads: Vec<String> = steps.iter().rev().take(20).rev().map(|(tid, _)| tid.0.to_string()).collect();
    let what = format!(
        "the worker process died ({status}) in step {} of an execution: the program has probably written over memory that is not its \
         own. The last threads that ran, by their numbers: {}",
        steps.len(),
        threads.join(" ")
    );
    Some(listing::failure(format, &what, None, 4))
}
