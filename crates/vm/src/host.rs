//! Files of the host, as they were when the program first asked for them: each is read once and kept, so that all executions of
//! a search see the same bytes. Nothing is ever written: what the program writes stays in its memory (runtime/file_node.c).

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io::{Error, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the runtime takes (tb_file.h): a larger file is not read.
const LARGEST: u64 = 16 << 20;

/// What there is to know of a path, but for the bytes: `struct tb_host_file` of tb_runtime.h.
#[derive(Clone, Default, Debug)]
pub struct HostFile {
    size: u64,
    mode: u32,
    access: u32,
    directory_access: u32,
    is_link: bool,
    /// The path without links and detours, and a zero.
    name: Vec<u8>,
}

impl HostFile {
    /// As the runtime has it, up to the end of the name.
    pub fn in_c(&self) -> Vec<u8> {
        let numbers = [self.mode, self.access, self.directory_access, self.is_link.into()];
        let numbers = numbers.into_iter().flat_map(u32::to_le_bytes);
        self.size.to_le_bytes().into_iter().chain(numbers).chain(self.name.iter().copied()).chain([0]).collect()
    }
}

/// The longest name, with its zero.
const MOST_NAME: usize = 4096;

#[derive(Default)]
struct Kept {
    /// By what the program calls them: an errno value, and what is known.
    paths: BTreeMap<Vec<u8>, (i32, HostFile)>,
    /// By their names.
    bytes: BTreeMap<Vec<u8>, Arc<[u8]>>,
}

/// A process explores one program.
static KEPT: Mutex<Kept> = Mutex::new(Kept { paths: BTreeMap::new(), bytes: BTreeMap::new() });

fn kept() -> MutexGuard<'static, Kept> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a path leads to, and an errno value or 0. Of a place where there is no file, but one could be made, that is ENOENT, and
/// there is a name.
pub fn host_file(path: &[u8]) -> (i32, HostFile) {
    let mut kept = kept();
    if let Some(known) = kept.paths.get(path) {
        return known.clone();
    }
    let found = look(path, &mut kept);
    kept.paths.insert(path.to_vec(), found.clone());
    found
}

/// The bytes of a regular file of that name.
pub fn host_bytes(name: &[u8]) -> Arc<[u8]> {
    kept().bytes.get(name).cloned().unwrap_or_default()
}

/// The files that there were, as the program calls them.
pub fn host_files_read() -> Vec<PathBuf> {
    let kept = kept();
    let files = kept.paths.iter().filter(|(_, (_, file))| kept.bytes.contains_key(&file.name));
    files.map(|(path, _)| PathBuf::from(OsStr::from_bytes(path))).collect()
}

static INPUT_READ: AtomicBool = AtomicBool::new(false);

/// Standard input was read in some execution.
pub fn input_was_read() -> bool {
    INPUT_READ.load(Relaxed)
}

pub fn note_input() {
    INPUT_READ.store(true, Relaxed);
}

fn number_of(error: &Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

fn access(path: &Path) -> u32 {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return 0 };
    let may = |how: i32| {
        // SAFETY: a string that ends.
        unsafe { libc::access(path.as_ptr(), how) == 0 }
    };
    [libc::R_OK, libc::W_OK, libc::X_OK].into_iter().filter(|how| may(*how)).fold(0, |all, how| all | how as u32)
}

fn look(path: &[u8], kept: &mut Kept) -> (i32, HostFile) {
    match find(path, kept) {
        Ok(file) if file.name.len() < MOST_NAME => (if file.mode == 0 { libc::ENOENT } else { 0 }, file),
        Ok(_) => (libc::ENAMETOOLONG, HostFile::default()),
        Err(error) => (number_of(&error), HostFile::default()),
    }
}

fn find(given: &[u8], kept: &mut Kept) -> Result<HostFile, Error> {
    let path = Path::new(OsStr::from_bytes(given));
    let missing = || Error::from_raw_os_error(libc::ENOENT);
    if given.is_empty() {
        return Err(missing());
    }
    let full = match path.canonicalize() {
        Ok(full) => full,
        Err(error) => {
            // The place of a new file: a link that leads nowhere is none.
            let new = error.kind() == std::io::ErrorKind::NotFound && !given.ends_with(b"/") && !path.is_symlink();
            let name = path.file_name().filter(|_| new).ok_or(error)?;
            let directory = match path.parent() {
                Some(parent) if parent != Path::new("") => parent.canonicalize()?,
                _ => std::env::current_dir()?,
            };
            let name = directory.join(name).as_os_str().as_bytes().to_vec();
            return Ok(HostFile { directory_access: access(&directory), name, ..HostFile::default() });
        }
    };
    let about = full.metadata()?;
    if about.is_file() && given.ends_with(b"/") {
        return Err(Error::from_raw_os_error(libc::ENOTDIR));
    }
    let name = full.as_os_str().as_bytes().to_vec();
    let mut size = about.len();
    if about.is_file() && size <= LARGEST {
        if !kept.bytes.contains_key(&name) {
            // Who may not read it may still look at it.
            let bytes: Arc<[u8]> = match read_some(&full) {
                Ok(bytes) => bytes.into(),
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Arc::default(),
                Err(error) => return Err(error),
            };
            kept.bytes.insert(name.clone(), bytes);
        }
        if access(&full) & libc::R_OK as u32 != 0 {
            // More than the largest is too large, though nobody knows by how much.
            size = kept.bytes[&name].len() as u64;
        }
    }
    Ok(HostFile {
        size,
        mode: about.mode(),
        access: access(&full),
        directory_access: full.parent().map_or(0, access),
        is_link: path.is_symlink(),
        name,
    })
}

/// A file, or more of it than the largest may have. Some files of the kernel say that they are empty, and never end, or have
/// nothing to read and wait.
fn read_some(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let opened = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(file)?;
    opened.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(folder: &Path, name: &str) -> Vec<u8> {
        folder.join(name).as_os_str().as_bytes().to_vec()
    }

    #[test]
    fn a_file_is_read_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = path(folder.path(), "a");
        std::fs::write(folder.path().join("a"), "first").expect("written");
        let (error, found) = host_file(&file);
        assert_eq!((error, found.size, &*host_bytes(&found.name)), (0, 5, &b"first"[..]));
        std::fs::write(folder.path().join("a"), "changed").expect("written");
        assert_eq!(host_file(&file).1.size, 5);
        let detour = path(folder.path(), "./a");
        assert_eq!(host_file(&detour).1.size, 5);
        assert_eq!(&*host_bytes(&found.name), b"first");
    }

    #[test]
    fn what_is_missing_stays_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = path(folder.path(), "new");
        let (error, found) = host_file(&file);
        assert_eq!((error, found.name.is_empty()), (libc::ENOENT, false));
        std::fs::write(folder.path().join("new"), "x").expect("written");
        assert_eq!(host_file(&file).0, libc::ENOENT);
        let nowhere = path(folder.path(), "no/where");
        let (error, found) = host_file(&nowhere);
        assert_eq!((error, found.name.is_empty()), (libc::ENOENT, true));
    }

    #[test]
    fn a_directory_is_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let (error, found) = host_file(folder.path().as_os_str().as_bytes());
        assert_eq!((error, found.mode & libc::S_IFMT), (0, libc::S_IFDIR));
        let (error, _) = host_file(&path(folder.path(), "a/"));
        assert_eq!(error, libc::ENOENT);
    }
}
