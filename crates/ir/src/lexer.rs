//! Bytes to tokens, on demand and without allocation: a token borrows the text.
//!
//! A word is the longest run of LLVM's label characters, so that a misspelt word is reported whole. Quoted names and
//! strings stay raw here (`unescape` is for whoever keeps them). A malformed token is a token too (`Bad`): no rule of
//! the grammar accepts it, and the parser reports its message, so that lexing itself needs no error path.

use std::borrow::Cow;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token<'a> {
    /// `%name`
    Local(Symbol<'a>),
    /// `@name`
    Global(Symbol<'a>),
    /// `$name`
    Comdat(Symbol<'a>),
    /// `name:`, of a block, a field of a metadata node, or a part of `memory(…)`
    Label(Symbol<'a>),
    /// `!12`
    MdId(u32),
    /// `!dbg`, `!DILocation`, `!llvm.dbg.cu`
    MdName(&'a str),
    /// `!` before `{` or `"`
    Bang,
    /// `#3`
    AttrGroup(u32),
    /// `#dbg_value`, without the `#`
    DbgRecord(&'a str),
    /// `^7`
    Summary(u32),
    /// `"…"`, still escaped
    Str(&'a [u8]),
    /// `c"…"`, still escaped
    ByteStr(&'a [u8]),
    /// `-12`
    Int(&'a str),
    /// `1.5e+3`
    Float(&'a str),
    /// `0x3FF0000000000000`, `0xK…`, without the `0x`
    HexFloat(&'a str),
    Word(&'a str),
    Punct(u8),
    Ellipsis,
    Bad(&'static str),
    Eof,
}

/// The name behind a sigil, as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Symbol<'a> {
    Number(u32),
    Plain(&'a str),
    Quoted(&'a [u8]),
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexeme<'a> {
    pub token: Token<'a>,
    pub start: usize,
    pub end: usize,
    pub line: u32,
}

pub(crate) struct Lexer<'a> {
    text: &'a [u8],
    pos: usize,
    line: u32,
}

/// Characters of labels and words: letters, digits and `- $ . _`.
const LABEL_CHARS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric() || matches!(b, b'-' | b'$' | b'.' | b'_');
        byte += 1;
    }
    table
};

impl<'a> Lexer<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Lexer { text, pos: 0, line: 1 }
    }

    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    pub fn next(&mut self) -> Lexeme<'a> {
        self.skip_blanks_and_comments();
        let (start, line) = (self.pos, self.line);
        let token = self.token();
        Lexeme { token, start, end: self.pos, line }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.pos).copied()
    }

    fn skip_blanks_and_comments(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                b';' => {
                    let rest = &self.text[self.pos..];
                    // Stops before the newline, so that the next turn counts the line.
                    self.pos += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                    continue;
                }
                _ => return,
            }
            self.pos += 1;
        }
    }

    fn token(&mut self) -> Token<'a> {
        let Some(first) = self.peek() else {
            return Token::Eof;
        };
        match first {
            b'%' => self.sigil(Token::Local),
            b'@' => self.sigil(Token::Global),
            b'!' => self.metadata(),
            b'#' => self.hash(),
            b'^' => {
                self.pos += 1;
                self.number_id().map_or(Token::Bad("expected a number after '^'"), Token::Summary)
            }
            b'"' => self.quoted(),
            b'0'..=b'9' | b'-' | b'+' => self.number(),
            _ if LABEL_CHARS[first as usize] => self.word(first),
            b',' | b'=' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'|' | b':' | b'*' => {
                self.pos += 1;
                Token::Punct(first)
            }
            _ => {
                self.pos += 1;
                Token::Bad("unexpected character")
            }
        }
    }

    /// The run of label characters from here.
    fn run(&mut self) -> &'a str {
        let start = self.pos;
        let rest = &self.text[start..];
        let length = rest.iter().position(|&b| !LABEL_CHARS[b as usize]).unwrap_or(rest.len());
        self.pos += length;
        std::str::from_utf8(&rest[..length]).expect("label characters are ASCII")
    }

    /// What stands between quotes; `None` when the closing quote is missing. The text may hold newlines.
    fn between_quotes(&mut self) -> Option<&'a [u8]> {
        let start = self.pos + 1;
        let rest = &self.text[start..];
        let Some(length) = rest.iter().position(|&b| b == b'"') else {
            self.pos = self.text.len();
            return None;
        };
        let raw = &rest[..length];
        self.line += raw.iter().filter(|&&b| b == b'\n').count() as u32;
        self.pos = start + length + 1;
        Some(raw)
    }

    fn sigil(&mut self, make: fn(Symbol<'a>) -> Token<'a>) -> Token<'a> {
        self.pos += 1;
        match self.peek() {
            Some(b'"') => match self.between_quotes() {
                Some(raw) => make(Symbol::Quoted(raw)),
                None => Token::Bad("unterminated quoted name"),
            },
            Some(b) if b.is_ascii_digit() => {
                self.number_id().map_or(Token::Bad("malformed numbered name"), |n| make(Symbol::Number(n)))
            }
            Some(b) if LABEL_CHARS[b as usize] => make(Symbol::Plain(self.run())),
            _ => Token::Bad("expected a name after the sigil"),
        }
    }

    fn number_id(&mut self) -> Option<u32> {
        number_id(self.run())
    }

    fn metadata(&mut self) -> Token<'a> {
        self.pos += 1;
        match self.peek() {
            Some(b) if b.is_ascii_digit() => {
                self.number_id().map_or(Token::Bad("malformed metadata number"), Token::MdId)
            }
            Some(b) if LABEL_CHARS[b as usize] => Token::MdName(self.run()),
            _ => Token::Bang,
        }
    }

    fn hash(&mut self) -> Token<'a> {
        self.pos += 1;
        match self.peek() {
            Some(b) if b.is_ascii_digit() => {
                self.number_id().map_or(Token::Bad("malformed attribute group number"), Token::AttrGroup)
            }
            Some(b) if LABEL_CHARS[b as usize] => Token::DbgRecord(self.run()),
            _ => Token::Bad("expected a number or a debug record after '#'"),
        }
    }

    fn quoted(&mut self) -> Token<'a> {
        let Some(raw) = self.between_quotes() else {
            return Token::Bad("unterminated string");
        };
        if self.eat_colon() { Token::Label(Symbol::Quoted(raw)) } else { Token::Str(raw) }
    }

    fn eat_colon(&mut self) -> bool {
        let found = self.peek() == Some(b':');
        self.pos += usize::from(found);
        found
    }

    fn word(&mut self, first: u8) -> Token<'a> {
        let start = self.pos;
        let word = self.run();
        if self.eat_colon() {
            return Token::Label(Symbol::Plain(word));
        }
        if word == "c" && self.peek() == Some(b'"') {
            return self.between_quotes().map_or(Token::Bad("unterminated string"), Token::ByteStr);
        }
        match first {
            b'.' if word.starts_with("...") => {
                self.pos = start + 3;
                Token::Ellipsis
            }
            b'$' => {
                self.pos = start;
                self.sigil(Token::Comdat)
            }
            _ => Token::Word(word),
        }
    }

    /// A number, or a label that begins like one.
    fn number(&mut self) -> Token<'a> {
        let start = self.pos;
        // A leading '+' is no label character.
        self.pos += 1;
        self.run();
        if self.peek() == Some(b'+') && matches!(self.text[self.pos - 1], b'e' | b'E') {
            self.pos += 1;
            self.run();
        } else if self.peek() == Some(b':') && self.text[start] != b'+' {
            let label = ascii(&self.text[start..self.pos]);
            self.pos += 1;
            if !label.bytes().all(|b| b.is_ascii_digit()) {
                return Token::Label(Symbol::Plain(label));
            }
            return number_id(label).map_or(Token::Bad("malformed block number"), |n| Token::Label(Symbol::Number(n)));
        }
        let text = ascii(&self.text[start..self.pos]);
        if let Some(digits) = text.strip_prefix("0x") {
            return Token::HexFloat(digits);
        }
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        if !unsigned.is_empty() && unsigned.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('+') {
            return Token::Int(text);
        }
        if is_decimal_float(unsigned) { Token::Float(text) } else { Token::Bad("malformed number") }
    }
}

fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("label characters and '+' are ASCII")
}

fn number_id(digits: &str) -> Option<u32> {
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// Digits, a point, maybe digits, maybe an exponent: LLVM's form, stricter than what `f64` would read.
fn is_decimal_float(text: &str) -> bool {
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let Some((whole, rest)) = text.split_once('.') else {
        return false;
    };
    let (fraction, exponent) = match rest.split_once(['e', 'E']) {
        Some((fraction, exponent)) => (fraction, Some(exponent)),
        None => (rest, None),
    };
    let exponent_ok = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['-', '+']).unwrap_or(e);
        !e.is_empty() && digits(e)
    });
    !whole.is_empty() && digits(whole) && digits(fraction) && exponent_ok
}

/// `\\` is a backslash, `\xx` a byte; any other backslash stands for itself, as in LLVM.
pub(crate) fn unescape(raw: &[u8]) -> Cow<'_, [u8]> {
    if !raw.contains(&b'\\') {
        return Cow::Borrowed(raw);
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        bytes.push(match (first, tail) {
            (b'\\', [b'\\', after @ ..]) => {
                rest = after;
                b'\\'
            }
            (b'\\', [high, low, after @ ..]) => match (hex_digit(*high), hex_digit(*low)) {
                (Some(high), Some(low)) => {
                    rest = after;
                    high << 4 | low
                }
                _ => first,
            },
            _ => first,
        });
    }
    Cow::Owned(bytes)
}

fn hex_digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}
