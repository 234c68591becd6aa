//! The terminal that a report is for, and reports written to it.

use std::io::{ErrorKind, IsTerminal, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use threadbare_core::{Findings, Story};
use threadbare_report::{Progress, ProgressSnapshot, Sources, Style};

use crate::arguments::Format;
use crate::report;

/// Columns where nobody says how many.
const COLUMNS: usize = 100;
const FEWEST: usize = 72;

pub fn sources() -> Sources {
    Sources::below(std::env::current_dir().unwrap_or_default())
}

/// What the standard output can show.
pub fn style(full: bool) -> Style {
    style_of(&std::io::stdout(), full)
}

/// What the standard error can show.
pub fn error_style() -> Style {
    style_of(&std::io::stderr(), false)
}

fn style_of(stream: &(impl IsTerminal + AsRawFd), full: bool) -> Style {
    Style { colours: colours(stream.is_terminal()), width: columns(stream).max(FEWEST), full, unicode: is_utf8() }
}

/// Whether to write in colours: to a terminal that has them, for somebody who likes them (no-color.org).
fn colours(terminal: bool) -> bool {
    terminal && !is_dumb() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// A terminal that can do nothing but show text, line after line.
pub fn is_dumb() -> bool {
    std::env::var("TERM").is_ok_and(|term| term == "dumb")
}

/// Where messages go that are no report. In a file they stay as long as they are: somebody may look for their words.
pub fn error_columns() -> usize {
    let stream = std::io::stderr();
    match stream.is_terminal() || std::env::var_os("COLUMNS").is_some() {
        true => columns(&stream).max(FEWEST),
        false => usize::MAX,
    }
}

/// The terminal's own, or what COLUMNS says.
fn columns(stream: &(impl IsTerminal + AsRawFd)) -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: TIOCGWINSZ fills a winsize.
    let known = stream.is_terminal() && unsafe { libc::ioctl(stream.as_raw_fd(), libc::TIOCGWINSZ, &mut size) } == 0;
    match known && size.ws_col > 0 {
        true => size.ws_col.into(),
        false => said.unwrap_or(COLUMNS),
    }
}

/// Whether the locale has more than ASCII. The first of the three variables that is set decides, as everywhere.
fn is_utf8() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    // Without a locale at all, as in containers, terminals still show UTF-8; `C` and `POSIX` ask for ASCII.
    locale.is_none_or(|name| {
        let name = name.to_ascii_lowercase();
        name.contains("utf-8") || name.contains("utf8")
    })
}

/// Why the standard output could not be written.
static LOST: OnceLock<String> = OnceLock::new();

/// Unlike `print`, no panic where nobody reads: a pipe into `head` is enough. What else goes wrong is told by `finish`.
pub fn print(text: &str) {
    keep(std::io::stdout().write_all(text.as_bytes()));
}

fn keep(result: std::io::Result<()>) {
    if let Err(error) = result
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = LOST.set(report::why(&error));
    }
}

/// The exit code, if everything that was said could be written: nobody should take half a report for a whole one.
pub fn finish(code: ExitCode, lost: u8) -> ExitCode {
    keep(std::io::stdout().flush());
    match LOST.get() {
        None => code,
        Some(why) => {
            report::message(&format!("cannot write to the standard output: {why}"));
            ExitCode::from(lost)
        }
    }
}

pub fn findings(findings: &Findings, traces: &[String], full: bool) {
    print(&threadbare_report::findings(findings, &sources(), &style(full), traces));
}

/// One execution; `trace` is the file that replays it.
pub fn story(story: &Story, trace: Option<&str>, full: bool) {
    print(&threadbare_report::bug(story, &sources(), &style(full), trace));
}

/// The graph of a story, for Graphviz.
pub fn write_dot(file: &Path, story: &Story, full: bool) -> Result<(), String> {
    let graph = threadbare_report::dot(story, &sources(), &style(full));
    std::fs::write(file, graph).map_err(|error| format!("cannot write {}: {}", file.display(), report::why(&error)))
}

/// The line that says how far a search is: on a terminal only, and not for programs.
pub struct ProgressLine {
    progress: Progress,
    style: Style,
    start: Instant,
    drawn: Instant,
}

/// A search that is over by then needs none.
const PATIENCE: Duration = Duration::from_millis(400);

impl ProgressLine {
    /// `None` where nobody looks.
    pub fn open(format: Format) -> Option<ProgressLine> {
        let quiet = format != Format::Human || std::env::var_os("CI").is_some() || is_dumb();
        let now = Instant::now();
        (std::io::stderr().is_terminal() && !quiet).then(|| ProgressLine {
            progress: Progress::default(),
            style: style(false),
            start: now,
            drawn: now + PATIENCE,
        })
    }

    /// Whether it is time for another look; cheap.
    pub fn is_due(&self) -> bool {
        Instant::now() >= self.drawn
    }

    pub fn draw(&mut self, mut now: ProgressSnapshot) {
        now.elapsed = self.start.elapsed();
        self.drawn = Instant::now() + Duration::from_millis(150);
        if let Some(line) = self.progress.line(&now, &self.style) {
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        let _ = std::io::stderr().write_all(self.progress.clear().as_bytes());
    }
}
