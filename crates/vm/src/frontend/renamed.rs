//! Whether the names of an object are still those of its sources: `objcopy`, and partial links by the linker itself, change names,
//! and the sources know nothing of that.

use std::collections::{BTreeMap, BTreeSet};

use super::elf::{Elf, Name};
use super::record::{Kind, SECTION, records};
use crate::lower::LowerError;

/// What `threadbare cc` notes of an object that it has made: each name that others see, on a line of its own. In front of it stands
/// whether it is defined, weakly or in common, or needed, and behind it where it is.
pub fn names_of(elf: &Elf) -> Option<String> {
    let mut lines: Vec<String> = elf.all_names()?.iter().filter_map(|name| line_of(elf, name)).collect();
    lines.sort();
    Some(lines.join("\n"))
}

fn line_of(elf: &Elf, name: &Name) -> Option<String> {
    if name.is_local || name.name.is_empty() {
        return None;
    }
    let class = match (name.is_defined, name.is_common, name.is_weak) {
        (false, ..) => return Some(format!("n{}", name.name)),
        (_, true, _) => 'c',
        (_, _, true) => 'w',
        _ => 'd',
    };
    let section = elf.sections.get(name.section).map_or("", |section| section.name.as_str());
    Some(format!("{class}{}\t{section}+{}", name.name, name.value))
}

/// The names of some lines.
#[derive(Default)]
struct Names<'t> {
    /// Class and place.
    defined: BTreeMap<&'t str, (&'t str, &'t str)>,
    needed: BTreeSet<&'t str>,
}

impl<'t> Names<'t> {
    fn add(&mut self, lines: &'t str) {
        for line in lines.lines() {
            let (class, rest) = line.split_at(1);
            let (name, place) = rest.split_once('\t').unwrap_or((rest, ""));
            match class {
                "n" => _ = self.needed.insert(name),
                // What gives way to another one is gone.
                _ if class != "d" && self.defined.contains_key(name) => {}
                _ => _ = self.defined.insert(name, (class, place)),
            }
        }
    }
}

/// A name of an object that has another meaning than in its sources, as far as they are known.
pub fn renamed(elf: &Elf) -> Option<String> {
    let records = records(elf.content(elf.section(SECTION)?)?)?;
    let sources = records.iter().filter(|record| record.is_c()).count();
    let noted: Vec<String> = records
        .iter()
        .filter(|record| record.kind == Kind::Names)
        .map(|record| String::from_utf8_lossy(&record.text).into_owned())
        .collect();
    if sources != noted.len() || records.len() != 2 * sources {
        return None;
    }
    let (mut made, mut found) = (Names::default(), Names::default());
    noted.iter().for_each(|lines| made.add(lines));
    let lines = names_of(elf)?;
    found.add(&lines);
    // Who links several moves them.
    let same = |one: &(&str, &str), other: &(&str, &str)| one == other || sources > 1;
    let is_other = |name: &&str| match (made.defined.get(*name), found.defined.get(*name)) {
        (Some(one), Some(other)) => !same(one, other),
        _ => true,
    };
    let mut all = made.defined.keys().chain(found.defined.keys()).copied();
    let other = all.find(is_other).or_else(|| found.needed.difference(&made.needed).next().copied());
    other.map(String::from)
}

pub fn is_renamed(name: &str, file: &str) -> LowerError {
    let message = format!(
        "`{name}` is something else in {file} than in its source: names that objcopy or a partial link have changed are not supported"
    );
    LowerError::Unsupported { message, file: None, line: 0 }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn what_is_defined_strongly_counts() {
        let mut names = Names::default();
        names.add("wf\t.text+0\nna\ncx\t+4");
        names.add("df\t.text+16\nwx\t.data+0\nda\t.text+0");
        assert_eq!(names.defined["f"], ("d", ".text+16"));
        assert_eq!(names.defined["x"], ("c", "+4"));
        assert_eq!(names.defined["a"], ("d", ".text+0"));
        assert!(names.needed.contains("a"));
    }
}
