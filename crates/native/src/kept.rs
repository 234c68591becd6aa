//! Machine code that is the same for many programs, the C library's and the floor's, is made once and kept in the cache.

use std::path::{Path, PathBuf};

use threadbare_core::Hash128;
use threadbare_vm::{LoadError, cache_folder};

/// Objects by these names: from the cache, or as `make` makes them in `folder`, from these texts and nothing else.
pub fn objects(
    texts: &[&[u8]],
    names: &[&str],
    folder: &Path,
    make: impl FnOnce() -> Result<(), LoadError>,
) -> Result<Vec<PathBuf>, LoadError> {
    let mut hash = Hash128::new(0x0b7ec7);
    texts.iter().for_each(|text| hash.bytes(text));
    let kept = cache_folder().map(|folder| folder.join(format!("native-{:032x}", hash.finish().0)));
    let all_in = |folder: &Path| names.iter().map(|name| folder.join(name)).collect::<Vec<PathBuf>>();
    if let Some(kept) = &kept
        && kept.is_dir()
    {
        return Ok(all_in(kept));
    }
    make()?;
    if let Some(kept) = kept {
        // It only saves time: a full disk or a read-only home is no error.
        let _ = keep(&kept, &all_in(folder));
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
