//! The folder of `check --syn-out`: one file for each execution, none of an earlier run among them, and no more than was asked for.

use std::path::{Path, PathBuf};

use threadbare_report::grouped;

use crate::report;

pub struct Folder {
    path: PathBuf,
    limit: u64,
    written: u64,
    left_out: u64,
}

impl Folder {
    /// Nothing is removed that an earlier run has left: somebody may still want it.
    pub fn open(path: &Path, limit: u64) -> Result<Folder, String> {
        let cannot = |what: &str, error: &std::io::Error| {
            format!("cannot {what} the folder of --syn-out, {}: {}", path.display(), report::why(error))
        };
        std::fs::create_dir_all(path).map_err(|error| cannot("make", &error))?;
        let mut earlier: Vec<String> = Vec::new();
        for entry in std::fs::read_dir(path).map_err(|error| cannot("read", &error))? {
            let name = entry.map_err(|error| cannot("read", &error))?.file_name().to_string_lossy().into_owned();
            if is_ours(&name) {
                earlier.push(name);
            }
        }
        earlier.sort();
        let folder = path.display();
        match earlier.as_slice() {
            [] => Ok(Folder { path: path.into(), limit, written: 0, left_out: 0 }),
            [one] => {
                Err(format!("{folder} has a sequence already, {one}; remove it, or give --syn-out another folder"))
            }
            [one, rest @ ..] => Err(format!(
                "{folder} has sequences already, {one} and {} more; remove them, or give --syn-out another folder",
                grouped(rest.len() as u64)
            )),
        }
    }

    fn file(&self, number: u64) -> PathBuf {
        self.path.join(format!("execution-{number}.syn"))
    }

    /// The sequence of the next execution, as long as there is room.
    pub fn add(&mut self, text: impl FnOnce() -> String) -> Result<(), String> {
        if self.written == self.limit {
            self.left_out += 1;
            return Ok(());
        }
        let file = self.file(self.written + 1);
        std::fs::write(&file, text())
            .map_err(|error| format!("cannot write {}: {}", file.display(), report::why(&error)))?;
        self.written += 1;
        Ok(())
    }

    /// The search begins again: what it has written so far does not count.
    pub fn begin_again(&mut self) -> Result<(), String> {
        for number in 1..=self.written {
            let file = self.file(number);
            std::fs::remove_file(&file)
                .map_err(|error| format!("cannot remove {}: {}", file.display(), report::why(&error)))?;
        }
        (self.written, self.left_out) = (0, 0);
        Ok(())
    }

    /// What there is in it now.
    pub fn told(&self) -> String {
        let what = if self.written == 1 { "sequence" } else { "sequences" };
        let written = format!("{} {what} written to {}", grouped(self.written), self.path.display());
        match self.left_out {
            0 => written,
            1 => format!("{written}; 1 more execution was left out: --syn-limit allows more"),
            more => format!("{written}; {} more executions were left out: --syn-limit allows more", grouped(more)),
        }
    }
}

fn is_ours(name: &str) -> bool {
    let number = name.strip_prefix("execution-").and_then(|rest| rest.strip_suffix(".syn"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_begins_again_leaves_no_stale_files() {
        let temporary = tempfile::tempdir().expect("a folder");
        let mut folder = Folder::open(temporary.path(), 2).expect("it is empty");
        (0..3).for_each(|_| folder.add(String::new).expect("writable"));
        assert!(folder.told().starts_with("2 sequences written") && folder.told().contains("1 more execution was"));
        folder.begin_again().expect("they are ours");
        folder.add(String::new).expect("writable");
        assert!(folder.told().starts_with("1 sequence written"), "{}", folder.told());
        assert_eq!(std::fs::read_dir(temporary.path()).expect("there").count(), 1);
    }
}
