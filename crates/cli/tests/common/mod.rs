//! Running `threadbare check` and reading its answer.

use std::path::{Path, PathBuf};
use std::process::Command;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project")
}

pub struct Check {
    pub json: serde_json::Value,
    pub exit: i32,
}

impl Check {
    /// `options` and `flags` (for clang) as one would type them.
    pub fn run(file: &Path, options: &str, flags: &str) -> Check {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        command.current_dir(root()).arg("check").arg(file).args(["--format", "json"]);
        command.args(shlex::split(options).expect("options")).arg("--").args(shlex::split(flags).expect("flags"));
        let output = command.output().expect("threadbare starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let json = serde_json::from_str(&text).unwrap_or_else(|error| {
            panic!("{error}: {command:?} printed\n{text}\n{}", String::from_utf8_lossy(&output.stderr))
        });
        Check { json, exit: output.status.code().expect("an exit code") }
    }
}
