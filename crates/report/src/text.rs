//! Text as a terminal shows it: columns, not bytes.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

pub fn char_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// Without what would move the cursor: tabs become spaces (to the next multiple of four), control characters a dot.
pub fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        if c == '\t' {
            let spaces = 4 - column % 4;
            clean.extend(std::iter::repeat_n(' ', spaces));
            column += spaces;
        } else if c.is_control() {
            clean.push('·');
            column += 1;
        } else {
            clean.push(c);
            column += char_width(c);
        }
    }
    clean
}

/// At most `room` columns; where something is cut off, `mark` says so.
pub fn fit(text: &str, room: usize, mark: &str) -> String {
    if width(text) <= room {
        return text.to_string();
    }
    let room_for_text = room.saturating_sub(width(mark));
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        if used + char_width(c) > room_for_text {
            break;
        }
        used += char_width(c);
        kept.push(c);
    }
    kept.truncate(kept.trim_end().len());
    if width(mark) <= room {
        kept += mark;
    }
    kept
}

/// The same for a name that may be alone on its line: its end says more than its beginning.
pub fn fit_name(text: &str, room: usize, mark: &str) -> String {
    if width(text) <= room || text.contains(' ') {
        return fit(text, room, mark);
    }
    let mut used = width(mark);
    let kept: Vec<char> = text
        .chars()
        .rev()
        .take_while(|&c| {
            used += char_width(c);
            used <= room
        })
        .collect();
    format!("{mark}{}", kept.into_iter().rev().collect::<String>())
}

/// Lines of at most `room` columns, cut between words. A word that is longer has a line of its own. What stands in
/// backticks stays together as far as half a line goes.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(last) if last.matches('`').count() % 2 == 1 && width(last) + 1 + width(word) <= room / 2 => {
                *last += " ";
                *last += word;
            }
            _ => words.push(word.to_string()),
        }
    }
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in &words {
        if !line.is_empty() && width(&line) + 1 + width(word) > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines.push(line);
    lines
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

/// `0.31 s`, `12.4 s`, `3 min 20 s`, `2 h 5 min`.
pub fn seconds(time: f64) -> String {
    match time {
        t if t < 0.01 => format!("{:.1} ms", t * 1000.0),
        t if t < 10.0 => format!("{t:.2} s"),
        t if t < 60.0 => format!("{t:.1} s"),
        t if t < 3600.0 => format!("{} min {} s", t as u64 / 60, t as u64 % 60),
        t => format!("{} h {} min", t as u64 / 3600, t as u64 % 3600 / 60),
    }
}

pub fn bytes(number: u64) -> String {
    match number as f64 / (1 << 20) as f64 {
        m if m < 10.0 => format!("{m:.1} MiB"),
        m if m < 1024.0 => format!("{m:.0} MiB"),
        m => format!("{:.1} GiB", m / 1024.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_not_bytes() {
        assert_eq!(width("a → b"), 5);
        assert_eq!(width("漢字"), 4);
        assert_eq!(fit("漢字かな", 5, "…"), "漢字…");
        assert_eq!(fit("abc", 3, "…"), "abc");
        assert_eq!(fit("abcd", 3, "..."), "...");
        assert_eq!(fit("abcd", 1, ".."), "");
        assert_eq!(fit_name("statistics[0].served", 9, "…"), "…].served");
        assert_eq!(fit_name("two words", 5, "…"), "two…");
        assert_eq!(clean("\tx\t\u{1b}[0m"), "    x   ·[0m");
    }

    #[test]
    fn long_texts_become_lines() {
        assert_eq!(wrap("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrap("extraordinarily long", 4), ["extraordinarily", "long"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("it is `a b` or `c`", 10), ["it is", "`a b` or", "`c`"]);
    }

    #[test]
    fn numbers_in_words() {
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
        assert_eq!(seconds(0.0031), "3.1 ms");
        assert_eq!(seconds(200.0), "3 min 20 s");
    }
}
