//! Machine code is made once and kept in the cache: the C library's and the floor's, which is the same for many programs, and that
//! of the programs that were checked last.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use threadbare_core::Hash128;
use threadbare_vm::{LoadError, cache_folder};

/// Whose it is, as its folder in the cache is called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    Ours,
    Programs,
}

/// Programs that are kept.
const MOST_PROGRAMS: usize = 32;
const OURS: &str = "native-";
const PROGRAMS: &str = "program-";

/// Objects by these names: from the cache, or as `make` makes them in `folder`, from these texts and nothing else.
pub fn objects(
    whose: Whose,
    texts: &[&[u8]],
    names: &[&str],
    folder: &Path,
    make: impl FnOnce() -> Result<(), LoadError>,
) -> Result<Vec<PathBuf>, LoadError> {
    let mut hash = Hash128::new(0x0b7ec7);
    texts.iter().for_each(|text| hash.bytes(text));
    let prefix = if whose == Whose::Ours { OURS } else { PROGRAMS };
    let kept = cache_folder().map(|folder| folder.join(format!("{prefix}{:032x}", hash.finish().0)));
    let all_in = |folder: &Path| names.iter().map(|name| folder.join(name)).collect::<Vec<PathBuf>>();
    // It only saves time: a full disk or a read-only home is no error, nor is it that somebody removes what is kept.
    if let Some(kept) = &kept
        && all_in(kept).iter().zip(all_in(folder)).all(|(from, to)| std::fs::copy(from, to).is_ok())
    {
        let _ = std::fs::File::open(kept).and_then(|folder| folder.set_modified(SystemTime::now()));
        return Ok(all_in(folder));
    }
    make()?;
    if let Some(kept) = kept {
        let _ = keep(&kept, &all_in(folder));
        if whose == Whose::Programs {
            let _ = forget_oldest(&kept);
        }
    }
    Ok(all_in(folder))
}

/// Written aside and then renamed, so that another process never sees half of it.
fn keep(kept: &Path, files: &[PathBuf]) -> std::io::Result<()> {
    let parent = kept.parent().ok_or_else(|| std::io::Error::other("no parent"))?;
    std::fs::create_dir_all(parent)?;
    let aside = tempfile::tempdir_in(parent)?;
    for file in files {
        std::fs::copy(file, aside.path().join(file.file_name().unwrap_or_default()))?;
    }
    // Where another process was faster, what we have made is removed.
    std::fs::rename(aside.path(), kept)?;
    let _ = aside.keep();
    Ok(())
}

/// Of the programs beside this one those that nobody has needed for the longest time.
fn forget_oldest(kept: &Path) -> std::io::Result<()> {
    let parent = kept.parent().ok_or_else(|| std::io::Error::other("no parent"))?;
    let mut programs = Vec::new();
    for entry in std::fs::read_dir(parent)?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(PROGRAMS) {
            programs.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    programs.sort();
    let old = programs.len().saturating_sub(MOST_PROGRAMS);
    programs[..old].iter().try_for_each(|(_, folder)| std::fs::remove_dir_all(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_forgotten() {
        let cache = tempfile::tempdir().expect("a folder");
        let file = cache.path().join("program.o");
        std::fs::write(&file, "code").expect("writable");
        let folder = |i: usize| cache.path().join(format!("{PROGRAMS}{i}"));
        for i in 0..MOST_PROGRAMS + 3 {
            keep(&folder(i), std::slice::from_ref(&file)).expect("writable");
            let opened = std::fs::File::open(folder(i)).expect("just made");
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(i as u64);
            opened.set_modified(time).expect("our own");
        }
        std::fs::create_dir(cache.path().join("native-0")).expect("writable");
        forget_oldest(&folder(0)).expect("they are there");
        let there: Vec<usize> = (0..MOST_PROGRAMS + 3).filter(|&i| folder(i).is_dir()).collect();
        assert_eq!(there, (3..MOST_PROGRAMS + 3).collect::<Vec<_>>());
        assert!(cache.path().join("native-0").is_dir());
    }
}
