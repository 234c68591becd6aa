//! A sequence from a file, whatever its format.

use threadbare_core::source::{Result, Source};

use crate::sequence::Sequence;
use crate::{json, log, text};

/// `.csv` is a log, what begins with a brace is JSON, and everything else the text format.
pub fn read(source: &Source) -> Result<Sequence> {
    if source.file.ends_with(".csv") {
        log::parse(source)
    } else if source.text.trim_start().starts_with('{') {
        json::parse(source)
    } else {
        text::parse(source)
    }
}
