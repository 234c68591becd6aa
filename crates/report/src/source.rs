//! The program's source lines, and how places are named.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use threadbare_core::Place;

use crate::style::{Ink, Style};
use crate::text::{char_width, clean, fit, width};

/// Source files, read when they are first asked for.
#[derive(Default)]
pub struct Sources {
    files: RefCell<HashMap<String, Vec<String>>>,
    /// Paths below it are shown without it.
    folder: PathBuf,
}

impl Sources {
    /// Paths are shown as short as this folder allows.
    pub fn below(folder: impl Into<PathBuf>) -> Self {
        Sources { files: RefCell::default(), folder: folder.into() }
    }

    /// A file that need not be on the disk.
    pub fn with(self, file: &str, text: &str) -> Self {
        self.files.borrow_mut().insert(file.to_string(), text.lines().map(str::to_string).collect());
        self
    }

    /// The line of a place, as it stands in the file; nothing where that is not known.
    pub fn line(&self, place: &Place) -> Option<String> {
        let mut files = self.files.borrow_mut();
        let lines = files.entry(place.file.clone()).or_insert_with(|| {
            let bytes = std::fs::read(&place.file).unwrap_or_default();
            text_of(&bytes).lines().map(str::to_string).collect()
        });
        lines.get((place.line as usize).checked_sub(1)?).cloned()
    }

    /// The line without the space around it.
    pub fn code(&self, place: &Place) -> String {
        clean(self.line(place).unwrap_or_default().trim())
    }

    /// The same in little room: of a line with several statements, the one that the place is in.
    pub fn code_in(&self, place: &Place, room: usize, cut: &str) -> String {
        let whole = self.code(place);
        let line = self.line(place).unwrap_or_default();
        let at = (place.column.max(1) as usize - 1).min(line.len());
        let before = line.get(..at).map_or(0, |before| width(&clean(before.trim_start())));
        if width(&whole) <= room || before <= room / 2 {
            return fit(&whole, room, cut);
        }
        let mut start = if before > room { at } else { 0 };
        let mut depth = 0;
        for (i, c) in line.char_indices().take_while(|(i, _)| *i < at) {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                ';' | '{' | '}' if depth == 0 => start = i + 1,
                _ => {}
            }
        }
        if start == 0 {
            return fit(&whole, room, cut);
        }
        fit(&format!("{cut}{}", clean(line[start..].trim())), room, cut)
    }

    pub fn path(&self, file: &str) -> String {
        Path::new(file).strip_prefix(&self.folder).map_or(file.to_string(), |short| short.display().to_string())
    }

    /// `src/queue.c:12`
    pub fn place(&self, place: &Place) -> String {
        match place.file.is_empty() {
            true => format!("`{}`", place.function),
            false => format!("{}:{}", self.path(&place.file), place.line),
        }
    }

    /// `queue.c:12`, where there is little room.
    pub fn short(&self, place: &Place) -> String {
        let name = Path::new(&place.file).file_name().unwrap_or_default().to_string_lossy();
        match place.file.is_empty() {
            true => place.function.clone(),
            false => format!("{name}:{}", place.line),
        }
    }
}

/// The text of a source file. A byte that is none becomes one of one byte: clang counts columns in bytes.
fn text_of(bytes: &[u8]) -> String {
    let chunks = bytes.utf8_chunks();
    chunks.map(|chunk| chunk.valid().to_string() + &"?".repeat(chunk.invalid().len())).collect()
}

/// Where, and the line of the source with a mark below it. `who` is the thread that stands there.
pub fn excerpt(sources: &Sources, style: &Style, place: &Place, who: Option<&str>) -> String {
    let frame = |text: &str| style.paint(Ink::Frame, text);
    let who = who.map_or(String::new(), |who| format!(", {who}"));
    if place.file.is_empty() {
        return format!("  {} in `{}`{who}\n", frame("-->"), place.function);
    }
    let column = if place.column > 0 { format!(":{}", place.column) } else { String::new() };
    let mut text = format!("  {} {}{column} in `{}`{who}\n", frame("-->"), sources.place(place), place.function);
    let Some(line) = sources.line(place) else { return text };
    let number = place.line.to_string();
    let margin = " ".repeat(number.len());
    let bar = style.glyphs().rail.to_string();

    // clang counts columns in bytes.
    let at = (place.column.max(1) as usize - 1).min(line.len());
    let at = (0..=at).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0);
    let before = width(&clean(&line[..at]));
    let shown = clean(line.trim_end());
    let room = style.width.saturating_sub(number.len() + 5).max(20);
    let (shown, before) = window(&shown, before, room, style.glyphs().cut);
    let _ = writeln!(text, "  {margin} {}", frame(&bar));
    let _ = writeln!(text, "  {} {} {shown}", frame(&number), frame(&bar));
    if place.column > 0 {
        let _ = writeln!(text, "  {margin} {} {}{}", frame(&bar), " ".repeat(before), style.paint(Ink::Bad, "^"));
    }
    text
}

/// The part of a long line around the column that matters, and where that column is in it.
fn window(line: &str, column: usize, room: usize, cut: &str) -> (String, usize) {
    if width(line) <= room || column + 1 < room - width(cut) {
        return (fit(line, room, cut), column);
    }
    let start = column.saturating_sub(room / 2);
    let mut skipped = 0;
    let rest: String = line
        .chars()
        .skip_while(|&c| {
            let skip = skipped < start;
            skipped += if skip { char_width(c) } else { 0 };
            skip
        })
        .collect();
    (fit(&format!("{cut}{rest}"), room, cut), column - skipped + width(cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32, column: u32) -> Place {
        Place { file: "a.c".into(), line, column, function: "f".into() }
    }

    #[test]
    fn the_mark_stands_below_its_character() {
        let sources = Sources::default().with("a.c", "\tx = y;\n/* naïve 漢字 */ z = 1;\n");
        let style = Style { width: 60, ..Style::default() };
        assert_eq!(
            excerpt(&sources, &style, &place(1, 2), Some("thread 0")),
            "  --> a.c:1:2 in `f`, thread 0\n    │\n  1 │     x = y;\n    │     ^\n"
        );
        let column = "/* naïve 漢字 */ ".len() as u32 + 1;
        let shown = excerpt(&sources, &style, &place(2, column), Some("thread 0"));
        assert!(shown.ends_with("│ /* naïve 漢字 */ z = 1;\n    │                  ^\n"), "{shown}");
    }

    #[test]
    fn the_mark_stands_there_behind_strange_characters_too() {
        let style = Style { width: 60, ..Style::default() };
        let marked = |line: &[u8]| {
            let column = line.iter().position(|&byte| byte == b'@').expect("the place") as u32 + 1;
            let sources = Sources::default().with("a.c", &text_of(line));
            let shown = excerpt(&sources, &style, &place(1, column), None);
            let lines: Vec<&str> = shown.lines().collect();
            let before = |line: &str, mark: char| width(&line[..line.find(mark).expect("a mark")]);
            assert_eq!(before(lines[2], '@'), before(lines[3], '^'), "{shown}");
        };
        marked(b"ab\tc@;\r\n");
        marked("\u{e9} \u{6f22}e\u{301} @p;".as_bytes());
        marked(b"/* \xff\xfe */ @p");
        marked(b"\x1b[31m \t@");
        let past = excerpt(&Sources::default().with("a.c", "short"), &style, &place(1, 99), None);
        assert!(past.ends_with("│ short\n    │      ^\n"), "{past}");
    }

    #[test]
    fn long_lines_show_the_part_that_matters() {
        let line = format!("{}here{}", "a ".repeat(60), " b".repeat(60));
        let sources = Sources::default().with("a.c", &line);
        let style = Style { width: 50, ..Style::default() };
        let shown = excerpt(&sources, &style, &place(1, 121), Some("thread 0"));
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines.iter().all(|line| width(line) <= 50), "{shown}");
        let mark = width(&lines[3][..lines[3].find('^').unwrap()]);
        assert_eq!(width(&lines[2][..lines[2].find("here").unwrap()]), mark, "{shown}");
    }

    #[test]
    fn one_statement_of_many() {
        let line = "static void *one(void *x) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); return x; }";
        let sources = Sources::default().with("a.c", line);
        let column = line.find("pthread_mutex_lock(&b)").unwrap() as u32 + 1;
        assert_eq!(sources.code_in(&place(1, column), 30, "…"), "…pthread_mutex_lock(&b); retu…");
        assert_eq!(sources.code_in(&place(1, 1), 12, "…"), "static void…");
        let loop_of_one = Sources::default().with("a.c", "for (int i = 0; i < 9; i++) count(i);");
        assert_eq!(loop_of_one.code_in(&place(1, 29), 32, "…"), "for (int i = 0; i < 9; i++) cou…");
        assert_eq!(sources.code_in(&place(1, column), 100, "…"), line);
    }

    #[test]
    fn a_file_that_is_not_there_has_no_lines() {
        let place = Place { file: "/nowhere/a.c".into(), line: 3, column: 1, function: "f".into() };
        assert_eq!(Sources::default().line(&place), None);
        assert_eq!(Sources::below("/nowhere").place(&place), "a.c:3");
    }
}
