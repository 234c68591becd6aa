//! Text into tokens. Every operator has the forms that people type.

use threadbare_core::source::{Complaint, Result, Source, Span};

use crate::syntax::{Binary, Unary};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token<'s> {
    /// `G`, `F`, `X`, `!` …
    Prefix(Unary),
    Infix(Binary),
    Constant(bool),
    /// What stands between braces.
    Braces(&'s str),
    /// A proposition that needs no braces, or a name.
    Word(&'s str),
    Open,
    Close,
    Colon,
    End,
}

/// Longer ones first.
const SYMBOLS: &[(&str, Token<'static>)] = &[
    ("<->", Token::Infix(Binary::Iff)),
    ("<=>", Token::Infix(Binary::Iff)),
    ("->", Token::Infix(Binary::Implies)),
    ("=>", Token::Infix(Binary::Implies)),
    ("&&", Token::Infix(Binary::And)),
    ("/\\", Token::Infix(Binary::And)),
    ("||", Token::Infix(Binary::Or)),
    ("\\/", Token::Infix(Binary::Or)),
    ("[]", Token::Prefix(Unary::Globally)),
    ("<>", Token::Prefix(Unary::Finally)),
    ("&", Token::Infix(Binary::And)),
    ("|", Token::Infix(Binary::Or)),
    ("!", Token::Prefix(Unary::Not)),
    ("~", Token::Prefix(Unary::Not)),
    ("(", Token::Open),
    (")", Token::Close),
    (":", Token::Colon),
    ("¬", Token::Prefix(Unary::Not)),
    ("∧", Token::Infix(Binary::And)),
    ("∨", Token::Infix(Binary::Or)),
    ("→", Token::Infix(Binary::Implies)),
    ("⇒", Token::Infix(Binary::Implies)),
    ("↔", Token::Infix(Binary::Iff)),
    ("⇔", Token::Infix(Binary::Iff)),
    ("□", Token::Prefix(Unary::Globally)),
    ("◻", Token::Prefix(Unary::Globally)),
    ("◇", Token::Prefix(Unary::Finally)),
    ("◊", Token::Prefix(Unary::Finally)),
    ("⋄", Token::Prefix(Unary::Finally)),
    ("○", Token::Prefix(Unary::Next)),
    ("◯", Token::Prefix(Unary::Next)),
    ("⊤", Token::Constant(true)),
    ("⊥", Token::Constant(false)),
];

const WORDS: &[(&str, Token<'static>)] = &[
    ("X", Token::Prefix(Unary::Next)),
    ("next", Token::Prefix(Unary::Next)),
    ("F", Token::Prefix(Unary::Finally)),
    ("eventually", Token::Prefix(Unary::Finally)),
    ("G", Token::Prefix(Unary::Globally)),
    ("always", Token::Prefix(Unary::Globally)),
    ("not", Token::Prefix(Unary::Not)),
    ("U", Token::Infix(Binary::Until)),
    ("until", Token::Infix(Binary::Until)),
    ("R", Token::Infix(Binary::Release)),
    ("V", Token::Infix(Binary::Release)),
    ("release", Token::Infix(Binary::Release)),
    ("W", Token::Infix(Binary::WeakUntil)),
    ("weakuntil", Token::Infix(Binary::WeakUntil)),
    ("and", Token::Infix(Binary::And)),
    ("or", Token::Infix(Binary::Or)),
    ("implies", Token::Infix(Binary::Implies)),
    ("true", Token::Constant(true)),
    ("1", Token::Constant(true)),
    ("false", Token::Constant(false)),
    ("0", Token::Constant(false)),
];

/// The largest text.
const MOST_BYTES: usize = 1 << 20;

pub fn tokens(source: &Source) -> Result<Vec<(Token<'_>, Span)>> {
    let text = source.text.as_str();
    if text.len() > MOST_BYTES {
        return Err(Complaint::nowhere(format!("formulas of more than {} MiB", MOST_BYTES >> 20)));
    }
    let mut list: Vec<(Token<'_>, Span)> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if first == '#' || rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if first == '{' {
            let inner = inside_braces(rest).ok_or_else(|| {
                Complaint::at(Span::new(at, at + 1), "this brace is never closed")
                    .note("a proposition in braces is an expression of C, as in `{count <= 1}`")
            })?;
            if inner.trim().is_empty() {
                return Err(Complaint::at(
                    Span::new(at, at + inner.len() + 2),
                    "there is nothing between these braces",
                ));
            }
            list.push((Token::Braces(inner), Span::new(at + 1, at + 1 + inner.len())));
            at += inner.len() + 2;
        } else if is_letter(first) || first.is_ascii_digit() {
            let word = &rest[..length_of_word(rest)];
            let span = Span::new(at, at + word.len());
            if !push_operators(&mut list, word, at) {
                list.push((word_token(word, span)?, span));
            }
            at += word.len();
        } else {
            let (symbol, token) =
                SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)).ok_or_else(|| stray(first, at))?;
            list.push((*token, Span::new(at, at + symbol.len())));
            at += symbol.len();
        }
    }
    // What is missing at the end is missing behind the last word.
    let end = list.last().map_or(0, |(token, span)| span.to as usize + usize::from(matches!(token, Token::Braces(_))));
    list.push((Token::End, Span::new(end, end)));
    Ok(list)
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// The text from behind the first brace to the one that closes it. Braces in quotes do not count.
fn inside_braces(text: &str) -> Option<&str> {
    let (mut depth, mut quote, mut escaped) = (0u32, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[1..at]);
                }
            }
            _ => {}
        }
    }
    None
}

/// A name, and what belongs to it if it stands right behind it: `.part`, `@label`, `[index]`, and the arguments of a call.
fn length_of_word(text: &str) -> usize {
    let name = |text: &str| text.find(|c: char| !is_letter(c) && !c.is_ascii_digit()).unwrap_or(text.len());
    let mut length = name(text);
    // An operator's argument in parentheses is no call. A number may be that of a thread.
    if is_operator(&text[..length]) && !text.starts_with(|c: char| c.is_ascii_digit()) {
        return length;
    }
    loop {
        let rest = &text[length..];
        length += match rest.chars().next() {
            Some('.' | '@') if name(&rest[1..]) > 0 => 1 + name(&rest[1..]),
            Some('[') if !rest.starts_with("[]") => match rest.find(']') {
                Some(end) => end + 1,
                None => return length,
            },
            Some('(') => return length + rest.find(')').map_or(0, |end| end + 1),
            _ => return length,
        };
    }
}

fn is_operator(word: &str) -> bool {
    WORDS.iter().any(|(known, _)| *known == word) || is_row_of_operators(word) || is_of_ctl(word)
}

/// `GF` is `G F`.
fn is_row_of_operators(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|byte| matches!(byte, b'G' | b'F' | b'X'))
}

fn is_of_ctl(word: &str) -> bool {
    matches!(word, "A" | "E" | "AX" | "AF" | "AG" | "EX" | "EF" | "EG")
}

fn push_operators(list: &mut Vec<(Token<'_>, Span)>, word: &str, at: usize) -> bool {
    if !is_row_of_operators(word) {
        return false;
    }
    for (i, byte) in word.bytes().enumerate() {
        let op = match byte {
            b'G' => Unary::Globally,
            b'F' => Unary::Finally,
            _ => Unary::Next,
        };
        list.push((Token::Prefix(op), Span::new(at + i, at + i + 1)));
    }
    true
}

fn word_token(word: &str, span: Span) -> Result<Token<'_>> {
    if let Some((_, token)) = WORDS.iter().find(|(known, _)| *known == word) {
        return Ok(*token);
    }
    if is_of_ctl(word) {
        let advice = format!("formulas hold on every execution here; what is called `{word}` stands in braces");
        return Err(Complaint::at(span, format!("`{word}` is an operator of CTL, and this is LTL")).note(advice));
    }
    // A thread may be called by its number, but then something is asked of it.
    if word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Err(Complaint::at(span, format!("`{word}` is neither true nor false"))
            .note("comparisons stand in braces, as in `{count <= 1}`"));
    }
    Ok(Token::Word(word))
}

fn stray(c: char, at: usize) -> Box<Complaint> {
    let shown = if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let complaint = Complaint::at(Span::new(at, at + c.len_utf8()), format!("`{shown}` means nothing here"));
    match c {
        '=' | '<' | '>' | '+' | '-' | '*' | '/' | '%' | '^' => {
            complaint.note("comparisons and arithmetic stand in braces, as in `{count <= 1}`")
        }
        '}' => complaint.note("it closes no brace"),
        '@' => complaint.note("`t1@critical` holds where thread 0.1 stands at the label `critical`"),
        '[' => complaint.note("`[]` is the same as `G`; an index stands right behind its name"),
        _ => complaint,
    }
}
