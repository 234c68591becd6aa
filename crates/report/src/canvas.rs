//! A sheet of characters to draw on: rails, arrows and text that know their columns.

use crate::style::{Ink, Style};
use crate::text::char_width;

/// What stands behind a character of two columns.
const TAIL: char = '\0';

#[derive(Default)]
pub struct Canvas {
    rows: Vec<Vec<(char, Ink)>>,
}

impl Canvas {
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// Makes room and gives the character there; a space where nothing was drawn.
    fn cell(&mut self, row: usize, column: usize) -> &mut (char, Ink) {
        if self.rows.len() <= row {
            self.rows.resize(row + 1, Vec::new());
        }
        let line = &mut self.rows[row];
        if line.len() <= column {
            line.resize(column + 1, (' ', Ink::Plain));
        }
        &mut line[column]
    }

    pub fn get(&self, row: usize, column: usize) -> char {
        self.rows.get(row).and_then(|line| line.get(column)).map_or(' ', |cell| cell.0)
    }

    pub fn put(&mut self, row: usize, column: usize, c: char, ink: Ink) {
        *self.cell(row, column) = (c, ink);
    }

    /// Writes from `column` on, and gives the column behind it.
    pub fn write(&mut self, row: usize, column: usize, text: &str, ink: Ink) -> usize {
        let mut at = column;
        for c in text.chars() {
            match char_width(c) {
                0 => continue,
                1 => self.put(row, at, c, ink),
                _ => {
                    self.put(row, at, c, ink);
                    self.put(row, at + 1, TAIL, ink);
                }
            }
            at += char_width(c);
        }
        at
    }

    pub fn render(&self, style: &Style) -> String {
        let mut text = String::new();
        for line in &self.rows {
            let used = line.iter().rposition(|cell| cell.0 != ' ').map_or(0, |last| last + 1);
            let mut ink = Ink::Plain;
            for &(c, wanted) in &line[..used] {
                if style.colours && wanted != ink && c != ' ' {
                    if ink != Ink::Plain {
                        text += "\x1b[0m";
                    }
                    text += wanted.code();
                    ink = wanted;
                }
                if c != TAIL {
                    text.push(c);
                }
            }
            if ink != Ink::Plain {
                text += "\x1b[0m";
            }
            text.push('\n');
        }
        text
    }
}
