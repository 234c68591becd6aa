//! The one error of the reader: what is wrong, and where in the text.

use thiserror::Error;

/// Lines and columns count from 1; columns count bytes, as `llvm-as` does.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    pub line: u32,
    pub column: u32,
    pub message: String,
}

impl ParseError {
    /// Finds line and column only now: the reader carries byte offsets, which cost nothing while all is well.
    pub(crate) fn at(text: &[u8], offset: usize, message: impl Into<String>) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        let newlines = before[..line_start].iter().filter(|&&b| b == b'\n').count();
        ParseError {
            line: newlines as u32 + 1,
            column: (before.len() - line_start) as u32 + 1,
            message: message.into(),
        }
    }
}
