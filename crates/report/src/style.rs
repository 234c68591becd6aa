//! How a report may look: colours or none, how wide, which characters.

/// What the reader's terminal can show, and how much they asked for.
#[derive(Clone, Debug)]
pub struct Style {
    pub colours: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// Every step, not only those that matter.
    pub full: bool,
    /// Box drawing and arrows; plain ASCII otherwise.
    pub unicode: bool,
}

impl Default for Style {
    fn default() -> Self {
        Style { colours: false, width: 100, full: false, unicode: true }
    }
}

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ink {
    #[default]
    Plain,
    Bold,
    /// Source text, folded steps: there, but not the point.
    Dim,
    /// What is wrong.
    Bad,
    /// What is right.
    Good,
    /// Rails, arrows, margins.
    Frame,
    /// Blocking and preemption.
    Warn,
    /// Values and names of variables.
    Value,
}

impl Ink {
    pub fn code(self) -> &'static str {
        match self {
            Ink::Plain => "",
            Ink::Bold => "\x1b[1m",
            Ink::Dim => "\x1b[2m",
            Ink::Bad => "\x1b[1;31m",
            Ink::Good => "\x1b[1;32m",
            Ink::Frame => "\x1b[34m",
            Ink::Warn => "\x1b[33m",
            Ink::Value => "\x1b[36m",
        }
    }
}

/// The characters that drawings are made of.
pub struct Glyphs {
    pub rail: char,
    pub blocked: char,
    pub step: char,
    pub failed: char,
    pub marked: char,
    pub across: char,
    pub crossing: char,
    pub right: char,
    pub left: char,
    pub down: char,
    pub fold: char,
    pub top_left: char,
    pub bottom_left: char,
    pub bottom_right: char,
    pub end: char,
    pub check: char,
    pub becomes: &'static str,
    pub cut: &'static str,
    pub dash: &'static str,
}

impl Style {
    pub fn paint(&self, ink: Ink, text: &str) -> String {
        match self.colours && ink != Ink::Plain && !text.is_empty() {
            true => format!("{}{text}\x1b[0m", ink.code()),
            false => text.to_string(),
        }
    }

    pub fn glyphs(&self) -> &'static Glyphs {
        if self.unicode { &UNICODE } else { &ASCII }
    }

    /// Text of ours in characters that the terminal has.
    pub fn plain(&self, text: &str) -> String {
        if self.unicode {
            return text.to_string();
        }
        text.replace('→', "->").replace('…', "...").replace('–', "-").replace(['│', '┊'], "|").replace('·', "-")
    }
}

static UNICODE: Glyphs = Glyphs {
    rail: '│',
    blocked: '┊',
    step: '●',
    failed: '✗',
    marked: '◆',
    across: '─',
    crossing: '┼',
    right: '▶',
    left: '◀',
    down: '▼',
    fold: '⋮',
    top_left: '╭',
    bottom_left: '╰',
    bottom_right: '╯',
    end: '┴',
    check: '✓',
    becomes: "→",
    cut: "…",
    dash: "–",
};

static ASCII: Glyphs = Glyphs {
    rail: '|',
    blocked: ':',
    step: '*',
    failed: 'X',
    marked: '#',
    across: '-',
    crossing: '+',
    right: '>',
    left: '<',
    down: 'v',
    fold: ':',
    top_left: '+',
    bottom_left: '+',
    bottom_right: '+',
    end: '-',
    check: '+',
    becomes: "->",
    cut: "..",
    dash: "-",
};
