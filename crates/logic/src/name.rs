//! Names in formulas about recorded executions and in the files of these: plain ones as they are, others in quotes.

/// How much of a text is a plain name: letters, digits, `_`, `.`, `$`, and an index in brackets.
pub fn plain_length(text: &str) -> usize {
    let own = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
    let mut length = text.find(|c| !own(c)).unwrap_or(text.len());
    while length > 0 && text[length..].starts_with('[') {
        let ends = |c: char| matches!(c, ']' | '"') || c.is_control();
        let Some(end) = text[length..].find(ends).filter(|&end| text[length + end..].starts_with(']')) else { break };
        length += end + 1;
        length += text[length..].find(|c| !own(c)).unwrap_or(text.len() - length);
    }
    length
}

/// A name as files and formulas have it: in quotes, unless it is a plain one.
pub fn quoted(name: &str) -> String {
    if !name.is_empty() && plain_length(name) == name.len() { name.into() } else { in_quotes(name) }
}

/// Quotes and backslashes in it have a backslash before them; breaks of lines are letters behind one, and what no screen shows is a
/// number.
pub fn in_quotes(name: &str) -> String {
    let mut text = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text += "\\n",
            '\r' => text += "\\r",
            '\t' => text += "\\t",
            c if c.is_control() => text += &format!("\\u{:04x}", u32::from(c)),
            c => text.push(c),
        }
    }
    text + "\""
}

/// The name that a text begins with, in quotes: without them, and how long it is there with them. The error says what is wrong.
pub fn unquoted(text: &str) -> Result<(String, usize), &'static str> {
    const OPEN: &str = "this quote is never closed";
    let mut name = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' if name.is_empty() => return Err("a name is needed between the quotes"),
            '"' => return Ok((name, at + 1)),
            '\n' => return Err(OPEN),
            '\\' => name.push(match chars.next().ok_or(OPEN)?.1 {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                c @ ('"' | '\\') => c,
                'u' => {
                    let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                    let is_hex = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                    let code = is_hex.then(|| u32::from_str_radix(&digits, 16).ok()).flatten();
                    code.and_then(char::from_u32).ok_or("`\\u` in quotes has four digits behind it, as in `\\u001b`")?
                }
                _ => return Err("a backslash in quotes stands before `\"`, `\\`, `n`, `r`, `t` or `u001b`"),
            }),
            c => name.push(c),
        }
    }
    Err(OPEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        for name in [
            "a",
            "a[0].b",
            "thread 0.1",
            "a\"b",
            "a'b",
            "a\nb",
            "a\\n",
            "a[",
            "ä",
            "\t\r",
            "a[\"]",
            "\u{1b}[2J",
            "a[\0]",
            "\u{7}\u{9f}",
            "\\u0007",
        ] {
            let text = quoted(name);
            assert!(!text.contains(char::is_control), "{text:?}");
            match text.starts_with('"') {
                true => assert_eq!(unquoted(&format!("{text} r")), Ok((name.to_string(), text.len())), "{name:?}"),
                false => {
                    assert_eq!((text.as_str(), plain_length(&format!("{text} r"))), (name, name.len()), "{name:?}")
                }
            }
        }
        assert!(unquoted("\"").is_err() && unquoted("\"\"").is_err() && unquoted("\"a\\x\"").is_err());
        assert!(unquoted("\"\\u12\"").is_err() && unquoted("\"\\ud800\"").is_err() && unquoted("\"\\u+123\"").is_err());
    }
}
