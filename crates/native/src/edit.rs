//! Changes in the text of IR: the lines stay those that the module was read from until all changes are made.

use rustc_hash::FxHashMap;

pub struct Edit {
    pub lines: Vec<String>,
    /// What comes before a line, and behind it.
    before: FxHashMap<usize, String>,
    behind: FxHashMap<usize, String>,
    /// What comes behind everything.
    end: String,
}

impl Edit {
    pub fn new(text: &str) -> Edit {
        let lines = text.lines().map(String::from).collect();
        Edit { lines, before: FxHashMap::default(), behind: FxHashMap::default(), end: String::new() }
    }

    pub fn before(&mut self, line: usize, text: &str) {
        *self.before.entry(line).or_default() += text;
    }

    pub fn behind(&mut self, line: usize, text: &str) {
        *self.behind.entry(line).or_default() += text;
    }

    /// What comes behind everything.
    pub fn append(&mut self, text: &str) {
        self.end += text;
    }

    /// Declares a function, unless it is: `void @f(ptr)`.
    pub fn declare(&mut self, function: &str) {
        let name = function.split_once('@').map_or("", |(_, name)| name);
        let name = format!("@{}(", name.split('(').next().unwrap_or(name));
        let declares = |line: &str| line.starts_with("declare ") && line.contains(&name);
        if !self.lines.iter().any(|line| declares(line)) && !self.end.lines().any(declares) {
            self.end += &format!("declare {function}\n");
        }
    }

    /// The debug information of a line, as more lines of the same place have it at their ends.
    pub fn place(&self, line: usize) -> String {
        let Some((_, node)) = self.lines[line].split_once("!dbg !") else { return String::new() };
        let number: String = node.chars().take_while(char::is_ascii_digit).collect();
        format!(", !dbg !{number}")
    }

    pub fn finish(self) -> String {
        let mut text = String::with_capacity(self.lines.iter().map(|line| line.len() + 1).sum());
        for (at, line) in self.lines.iter().enumerate() {
            text.extend(self.before.get(&at).map(String::as_str));
            text.push_str(line);
            text.push('\n');
            text.extend(self.behind.get(&at).map(String::as_str));
        }
        text + &self.end
    }
}

/// For tests: a text with changes made to it, which is IR before and after.
#[cfg(test)]
pub fn edited(text: &str, change: impl FnOnce(&threadbare_ir::Module, &mut Edit)) -> String {
    let parse =
        |text: &str| threadbare_ir::parse_bytes(text.as_bytes()).unwrap_or_else(|_| panic!("it is no IR:\n{text}"));
    let mut edit = Edit::new(text);
    change(&parse(text), &mut edit);
    let found = edit.finish();
    parse(&found);
    found
}
