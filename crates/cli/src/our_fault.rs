//! Where Threadbare itself is wrong: what it says then, and exit code 70. A panic in whatever thread ends the process: what the
//! others find after that is worth nothing.

use std::panic::PanicHookInfo;
use std::process::ExitCode;
use std::sync::Once;

use crate::arguments::Format;
use crate::{listing, terminal};

pub const OUR_FAULT: u8 = 70;

/// Says what went wrong, and how to report it.
pub fn say(format: Format, what: &str) -> ExitCode {
    let words = std::env::args().map(|word| shlex::try_quote(&word).map_or(word.clone(), |quoted| quoted.into_owned()));
    let line = words.skip(1).fold("threadbare".to_string(), |line, word| line + " " + &word);
    let report = "This is a fault of Threadbare, not of the program. Please report it, with the program and this line";
    listing::failure(format, &format!("{what}\n{report}:\n  {line}"), None, OUR_FAULT)
}

/// From here on panics are told in our own words.
pub fn catch_panics() {
    // Of several at a time one speaks, and the others wait for the end.
    static FIRST: Once = Once::new();
    std::panic::set_hook(Box::new(|panic| {
        FIRST.call_once(|| {
            terminal::put_back();
            say(asked_format(), &what_happened(panic));
            std::process::exit(OUR_FAULT.into());
        });
    }));
}

fn what_happened(panic: &PanicHookInfo<'_>) -> String {
    let what = panic.payload_as_str().unwrap_or("no reason given");
    let place = panic.location().map_or(String::new(), |at| format!(" ({}:{})", at.file(), at.line()));
    format!("something went wrong inside: {what}{place}")
}

/// The arguments may be what went wrong, so that they are looked at as they were typed.
fn asked_format() -> Format {
    let words: Vec<String> = std::env::args().collect();
    let apart = words.windows(2).any(|pair| pair == ["--format", "json"]);
    if apart || words.iter().any(|word| word == "--format=json") { Format::Json } else { Format::Human }
}

#[cfg(test)]
mod tests {
    /// Not a test by itself: the process ends.
    #[test]
    #[ignore = "the process of the test below"]
    fn a_worker_panics() {
        super::catch_panics();
        let worker = std::thread::spawn(|| panic!("the shelf is empty"));
        // Whoever waits for it must not tell a second story.
        worker.join().expect("it does not end");
    }

    #[test]
    fn a_panic_in_a_worker_is_one_message_and_exit_code_70() {
        let this = std::env::current_exe().expect("a test is a program");
        let output = std::process::Command::new(this)
            .args(["--ignored", "--exact", "our_fault::tests::a_worker_panics", "--nocapture"])
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(70), "{said}");
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 3, "{said}");
        assert!(lines[0].starts_with("threadbare: something went wrong inside: the shelf is empty ("), "{said}");
        assert!(lines[0].contains("our_fault.rs:"), "{said}");
        assert!(lines[1].contains("Please report it"), "{said}");
        assert!(lines[2].starts_with("  threadbare --ignored"), "{said}");
    }
}
