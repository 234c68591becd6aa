//! A sequence from a file, whatever its format.

use threadbare_core::source::{Complaint, Result, Source};

use crate::sequence::Sequence;
use crate::{json, log, text};

/// `.csv` is a log, and so is what looks like one; what begins with a brace is JSON, and everything else the text format.
pub fn read(source: &Source) -> Result<Sequence> {
    // Some programs put a mark of the byte order first.
    let start = if source.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let is_csv =
        source.file.len() >= 4 && source.file.as_bytes()[source.file.len() - 4..].eq_ignore_ascii_case(b".csv");
    let sequence = if is_csv || log::is_log(&source.text[start..]) {
        log::parse(source, start)
    } else if source.text[start..].trim_start().starts_with('{') {
        json::parse(source, start)
    } else {
        text::parse_from(source, start)
    }?;
    match sequence.events.is_empty() {
        true => Err(Complaint::nowhere("there are no events in it")),
        false => Ok(sequence),
    }
}
