//! A text that is read, a model or a formula, places in it, and what is wrong with it.

use std::fmt;

/// A stretch of the text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    pub from: u32,
    pub to: u32,
}

impl Span {
    pub fn new(from: usize, to: usize) -> Span {
        Span { from: from as u32, to: to as u32 }
    }

    /// From the start of this one to the end of the other.
    pub fn to(self, other: Span) -> Span {
        Span { from: self.from, to: other.to }
    }
}

/// A file with its text.
#[derive(Clone, Debug)]
pub struct Source {
    pub file: String,
    pub text: String,
    /// Where each line begins.
    lines: Vec<u32>,
}

/// Line and column, both from 1; columns count bytes, as clang's do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct LineColumn {
    pub line: u32,
    pub column: u32,
}

impl Source {
    pub fn new(file: impl Into<String>, text: impl Into<String>) -> Source {
        let text = text.into();
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        Source { file: file.into(), text, lines }
    }

    pub fn at(&self, span: Span) -> LineColumn {
        let line = self.lines.partition_point(|&start| start <= span.from);
        LineColumn { line: line as u32, column: span.from - self.lines[line - 1] + 1 }
    }

    pub fn words(&self, span: Span) -> &str {
        self.text.get(span.from as usize..span.to as usize).unwrap_or_default()
    }

    /// The words in one line: what stands on several is joined by single spaces.
    pub fn one_line(&self, span: Span) -> String {
        self.words(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Why a text is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Complaint {
    pub message: String,
    /// `None` for what stands nowhere in the text: a parameter of the command line.
    pub span: Option<Span>,
    /// What may help.
    pub notes: Vec<String>,
}

pub type Result<T> = std::result::Result<T, Box<Complaint>>;

impl Complaint {
    pub fn at(span: Span, message: impl Into<String>) -> Box<Complaint> {
        Box::new(Complaint { message: message.into(), span: Some(span), notes: Vec::new() })
    }

    pub fn nowhere(message: impl Into<String>) -> Box<Complaint> {
        Box::new(Complaint { message: message.into(), span: None, notes: Vec::new() })
    }

    pub fn note(mut self: Box<Self>, note: impl Into<String>) -> Box<Complaint> {
        self.notes.push(note.into());
        self
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_columns() {
        let source = Source::new("a.tb", "one\n\ntwo three");
        let at = |from, to| source.at(Span::new(from, to));
        assert_eq!(at(0, 3), LineColumn { line: 1, column: 1 });
        assert_eq!(at(4, 4), LineColumn { line: 2, column: 1 });
        assert_eq!(at(9, 14), LineColumn { line: 3, column: 5 });
        assert_eq!(source.one_line(Span::new(0, 8)), "one two");
    }
}
