//! Text into tokens.

use super::source::{Complaint, Result, Source, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token<'s> {
    Name(&'s str),
    Number(i64),
    /// What stands between double quotes.
    Text(&'s str),
    Keyword(&'static str),
    Symbol(&'static str),
    End,
}

const KEYWORDS: &[&str] = &[
    "param", "shared", "mutex", "let", "rec", "in", "fun", "if", "then", "else", "while", "do", "for", "thread",
    "finally", "ref", "not", "true", "false", "lock", "unlock", "cas", "choose", "assert", "assume", "error",
];

/// Longer ones first: `:=` is not `:` and `=`.
const SYMBOLS: &[&str] = &[
    ":=", "->", "..", "==", "!=", "<=", ">=", "&&", "||", "(", ")", "{", "}", "[", "]", ",", ";", "=", "<", ">", "+",
    "-", "*", "/", "%", "!",
];

/// The largest program: places are kept in 32 bits.
const MOST_BYTES: usize = 16 << 20;

pub fn tokens(source: &Source) -> Result<Vec<(Token<'_>, Span)>> {
    let text = source.text.as_str();
    if text.len() > MOST_BYTES {
        return Err(Complaint::nowhere(format!("a program of more than {} MiB", MOST_BYTES >> 20)));
    }
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            c if is_letter(c) => rest.find(|c: char| !is_letter(c) && !c.is_ascii_digit()).unwrap_or(rest.len()),
            c if c.is_ascii_digit() => rest.find(|c: char| !is_letter(c) && !c.is_ascii_digit()).unwrap_or(rest.len()),
            '"' => {
                let end = rest[1..].find(['"', '\n']).filter(|&end| rest[1 + end..].starts_with('"'));
                end.ok_or_else(|| Complaint::at(Span::new(at, at + 1), "this text has no closing quote"))? + 2
            }
            _ => SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)).map_or(0, |symbol| symbol.len()),
        };
        let span = Span::new(at, at + length);
        let word = &rest[..length];
        let token = match first {
            _ if length == 0 => return Err(stray(first, at)),
            c if is_letter(c) => match KEYWORDS.iter().find(|keyword| **keyword == word) {
                Some(keyword) => Token::Keyword(keyword),
                None => Token::Name(word),
            },
            c if c.is_ascii_digit() => Token::Number(number(word, span)?),
            '"' => Token::Text(&word[1..length - 1]),
            _ => {
                let symbol = SYMBOLS.iter().find(|symbol| **symbol == word);
                Token::Symbol(symbol.expect("it was found there"))
            }
        };
        list.push((token, span));
        at += length;
    }
    // What is missing at the end is missing behind the last word, not behind empty lines and comments.
    let end = list.last().map_or(0, |(_, span): &(Token<'_>, Span)| span.to as usize);
    list.push((Token::End, Span::new(end, end)));
    Ok(list)
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn number(word: &str, span: Span) -> Result<i64> {
    if let Some(at) = word.find(|c: char| !c.is_ascii_digit() && c != '_') {
        let (digits, rest) = word.split_at(at);
        return Err(Complaint::at(span, format!("`{word}` is neither a number nor a name"))
            .note(format!("names begin with a letter; if two words were meant: `{digits} {rest}`")));
    }
    let digits = word.replace('_', "");
    digits.parse().map_err(|_| Complaint::at(span, format!("{word} is too large: integers have 64 bits")))
}

fn stray(c: char, at: usize) -> Box<Complaint> {
    let span = Span::new(at, at + c.len_utf8());
    let complaint = Complaint::at(
        span,
        format!("`{}` means nothing here", if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }),
    );
    match c {
        '&' => complaint.note("`&&` is the logical and"),
        '|' => complaint.note("`||` is the logical or"),
        ':' => complaint.note("types are found out, not written; `:=` writes to a reference"),
        '\'' => complaint.note("texts stand in double quotes"),
        '#' => complaint.note("comments begin with `//`"),
        _ => complaint,
    }
}
