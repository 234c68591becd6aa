//! Text into tokens. Every operator has the forms that people type.

use threadbare_core::source::{Complaint, Result, Source, Span};

use crate::name::unquoted;
use crate::syntax::{Binary, Quantifier, Relation, Unary};

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
    /// `A` and `E`; `EX` is two tokens. These and the ones below belong to the language of recorded executions.
    Path(Quantifier),
    Relation(Relation),
    /// `may`
    May,
    OpenSquare,
    CloseSquare,
    Semicolon,
    /// `define NAME =`
    Define(&'s str),
}

/// What is spoken of: the languages have the same operators, and differ in what stands between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Programs: LTL over expressions of C.
    Programs,
    /// Recorded executions: LTL and CTL over events and values, `||` is `parallel`.
    Sequences,
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

/// What stands in front of those above where executions are spoken of.
const SYMBOLS_OF_SEQUENCES: &[(&str, Token<'static>)] = &[
    ("||", Token::Relation(Relation::Parallel)),
    ("∥", Token::Relation(Relation::Parallel)),
    ("~>", Token::Relation(Relation::Directly)),
    ("<->", Token::Infix(Binary::Iff)),
    ("<=>", Token::Infix(Binary::Iff)),
    ("<>", Token::Prefix(Unary::Finally)),
    ("<", Token::Relation(Relation::Before)),
    ("≺", Token::Relation(Relation::Before)),
    ("[]", Token::Prefix(Unary::Globally)),
    ("[", Token::OpenSquare),
    ("]", Token::CloseSquare),
    (";", Token::Semicolon),
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

pub fn tokens(source: &Source, language: Language) -> Result<Vec<(Token<'_>, Span)>> {
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
                let what = match language {
                    Language::Programs => "is an expression of C",
                    Language::Sequences => "compares a variable",
                };
                Complaint::at(Span::new(at, at + 1), "this brace is never closed")
                    .note(format!("a proposition in braces {what}, as in `{{count <= 1}}`"))
            })?;
            if inner.trim().is_empty() {
                return Err(Complaint::at(
                    Span::new(at, at + inner.len() + 2),
                    "there is nothing between these braces",
                ));
            }
            list.push((Token::Braces(inner), Span::new(at, at + inner.len() + 2)));
            at += inner.len() + 2;
        } else if let Some(length) = definition(rest).filter(|_| language == Language::Sequences) {
            let name = rest["define".len()..length].trim_end_matches('=').trim();
            if is_operator_of_sequences(name) {
                let message = format!("`{name}` is an operator, and cannot be defined");
                return Err(Complaint::at(Span::new(at, at + length), message));
            }
            list.push((Token::Define(name), Span::new(at, at + length)));
            at += length;
        } else if language == Language::Sequences && is_wildcard(rest) {
            let word = &rest[..length_of_proposition(rest)];
            list.push((Token::Word(word), Span::new(at, at + word.len())));
            at += word.len();
        } else if first == '"' && language == Language::Sequences {
            unquoted(rest).map_err(|message| Complaint::at(Span::new(at, at + 1), message))?;
            let word = &rest[..length_of_proposition(rest)];
            list.push((Token::Word(word), Span::new(at, at + word.len())));
            at += word.len();
        } else if (is_letter(first) || first.is_ascii_digit()) && language == Language::Sequences {
            let word = &rest[..length_of_proposition(rest)];
            push_word_of_sequences(&mut list, word, at)?;
            at += word.len();
        } else if is_letter(first) || first.is_ascii_digit() {
            let word = &rest[..length_of_word(rest)];
            let span = Span::new(at, at + word.len());
            if !push_operators(&mut list, word, at) {
                list.push((word_token(word, span)?, span));
            }
            at += word.len();
        } else {
            let special = if language == Language::Sequences { SYMBOLS_OF_SEQUENCES } else { &[] };
            let mut symbols = special.iter().chain(SYMBOLS);
            let (symbol, token) =
                symbols.find(|(symbol, _)| rest.starts_with(symbol)).ok_or_else(|| stray(rest, at, &list, language))?;
            list.push((*token, Span::new(at, at + symbol.len())));
            at += symbol.len();
        }
    }
    // What is missing at the end is missing behind the last word.
    let end = list.last().map_or(0, |(_, span)| span.to as usize);
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
    length_of_word_but(text, is_operator)
}

fn length_of_word_but(text: &str, is_operator: fn(&str) -> bool) -> usize {
    let name = |text: &str| text.find(|c: char| !is_letter(c) && !c.is_ascii_digit()).unwrap_or(text.len());
    let mut length = quoted_length(text).unwrap_or_else(|| name(text));
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
            Some('(') => return length + closing(rest).map_or(0, |end| end + 1),
            _ => return length,
        };
    }
}

/// How long a name in quotes is.
fn quoted_length(text: &str) -> Option<usize> {
    text.starts_with('"').then(|| unquoted(text).ok()).flatten().map(|(_, length)| length)
}

/// The first parenthesis that closes, but for those in quotes.
fn closing(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find(['"', ')'])?;
        match quoted_length(&text[at..]) {
            Some(length) => at += length,
            None if text[at..].starts_with(')') => return Some(at),
            None => at += 1,
        }
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
    push_each(list, word, at);
    true
}

fn push_each(list: &mut Vec<(Token<'_>, Span)>, word: &str, at: usize) {
    for (i, byte) in word.bytes().enumerate() {
        let op = match byte {
            b'G' => Unary::Globally,
            b'F' => Unary::Finally,
            _ => Unary::Next,
        };
        list.push((Token::Prefix(op), Span::new(at + i, at + i + 1)));
    }
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

/// `*(x)` stands for every operation on `x`.
fn is_wildcard(text: &str) -> bool {
    text.starts_with("*(")
}

/// `define NAME =`, all of it.
fn definition(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("define").filter(|rest| rest.starts_with(char::is_whitespace))?;
    let name = rest.trim_start();
    let length = name.find(|c: char| !is_letter(c) && !c.is_ascii_digit()).filter(|length| *length > 0)?;
    let equals = name[length..].trim_start();
    equals.starts_with('=').then(|| text.len() - equals.len() + 1)
}

/// An event or a comparison: a word as above, `p0.*(x)`, and `=`, `<=` and their like with what stands behind them.
fn length_of_proposition(text: &str) -> usize {
    let mut length = match is_wildcard(text) {
        true => closing(text).map_or(1, |end| end + 1),
        false => length_of_word_but(text, is_operator_of_sequences),
    };
    if text[length..].starts_with(".*(") {
        length += closing(&text[length..]).map_or(2, |end| end + 1);
    }
    if is_operator_of_sequences(&text[..length]) {
        return length;
    }
    let rest = text[length..].trim_start();
    let Some(sign) = ["==", "!=", "<=", ">=", "=", "<", ">"].iter().find(|sign| rest.starts_with(**sign)) else {
        return length;
    };
    let value = rest[sign.len()..].trim_start();
    let digits = value.strip_prefix('-').map_or(value, str::trim_start);
    let behind = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    // `run = 0.1` is a thread, and `p < 0.1.3` is about events.
    let is_thread = behind.len() < digits.len() && behind.starts_with('.') && !sign.starts_with(['<', '>']);
    let is_number = is_thread || behind.len() < digits.len() && !behind.starts_with('.');
    // `p < q` is about events, and `p => q`, `p <=> q` are logic.
    let is_name = !sign.starts_with(['<', '>']) && value.starts_with(is_letter);
    if let Some(quoted) = quoted_length(value).filter(|_| !sign.starts_with(['<', '>'])) {
        return text.len() - value.len() + quoted;
    }
    if !is_number && !is_name {
        return length;
    }
    let own = |c: char| {
        is_letter(c) || c.is_ascii_digit() || matches!(c, '.' | ':' | '/') && is_name || c == '.' && is_thread
    };
    text.len() - digits.len() + digits.find(|c| !own(c)).unwrap_or(digits.len())
}

fn is_operator_of_sequences(word: &str) -> bool {
    word == "may" || is_operator(word)
}

fn push_word_of_sequences<'s>(list: &mut Vec<(Token<'s>, Span)>, word: &'s str, at: usize) -> Result<()> {
    let span = Span::new(at, at + word.len());
    let quantifier = |byte| if byte == b'A' { Quantifier::All } else { Quantifier::Some };
    if word == "may" {
        list.push((Token::May, span));
    } else if is_of_ctl(word) {
        list.push((Token::Path(quantifier(word.as_bytes()[0])), Span::new(at, at + 1)));
        if word.len() > 1 {
            push_each(list, &word[1..], at + 1);
        }
    } else if !push_operators(list, word, at) {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if is_number && word.contains('.') {
            // Threads have such names, and `0.1.3` is event 3 of the thread 0.1.
            list.push((Token::Word(word), span));
            return Ok(());
        }
        if is_number && !matches!(word, "0" | "1") {
            return Err(Complaint::at(span, format!("`{word}` is neither true nor false"))
                .note("events are called `p0.3` or `w(a,1)`, values are compared as in `a = 7`"));
        }
        list.push((word_token(word, span)?, span));
    }
    Ok(())
}

fn stray(rest: &str, at: usize, before: &[(Token<'_>, Span)], language: Language) -> Box<Complaint> {
    let c = rest.chars().next().unwrap_or_default();
    let shown = if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let is_word = |token: Option<&(Token<'_>, Span)>| matches!(token, Some((Token::Word(_), _)));
    let sign = match before {
        // `a != ` comes as `!` and `=`.
        [.., word, (Token::Prefix(Unary::Not), span)] if is_word(Some(word)) && span.to as usize == at => Some("!="),
        _ if is_word(before.last()) && c == '=' => Some("="),
        _ if is_word(before.last()) && c == '>' => Some(if rest.starts_with(">=") { ">=" } else { ">" }),
        _ => None,
    };
    if let (Language::Sequences, Some(sign)) = (language, sign) {
        return Complaint::at(Span::new(at, at + 1), format!("a number or a name is needed behind `{sign}`"))
            .note("as in `a >= 7`, `op = r`");
    }
    let complaint = Complaint::at(Span::new(at, at + c.len_utf8()), format!("`{shown}` means nothing here"));
    if language == Language::Sequences {
        return match c {
            '=' | '>' => {
                complaint.note("a variable or a part of an event stands on the left, as in `a >= 7`, `op = r`")
            }
            '*' => complaint.note("`*(x)` is every operation on `x`"),
            '}' => complaint.note("it closes no brace"),
            _ => complaint,
        };
    }
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
