//! The translation units of a program: files that somebody names, and the sources that `threadbare cc` has put into executables and
//! the shared libraries that they need.

use std::io::Read;
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{self, Code};
use super::elf::{Elf, is_elf};
use super::record::{Kind, Record, SECTION, records};
use super::renamed::{is_renamed, renamed};
use super::{LoadError, Sources, extension};
use crate::lower::LowerError;

pub struct Unit {
    /// As people know it.
    pub file: PathBuf,
    /// Its source, if that is no file.
    pub built: Option<Record>,
    /// The number of the file that the loader maps it with, in the order in which it looks names up: 0 is the executable, and what is
    /// linked to it.
    pub loaded: usize,
}

impl Unit {
    /// The source of a record.
    pub fn of(record: Record, loaded: usize) -> Unit {
        Unit { file: Path::new(&record.directory).join(&record.file), built: Some(record), loaded }
    }

    /// The compiler has its source.
    pub fn is_source(&self) -> bool {
        self.built.is_some() || extension(&self.file) == "c"
    }
}

#[derive(Default)]
pub struct Units {
    pub list: Vec<Unit>,
    pub foreign: Foreign,
    /// Machine code that was named beside them.
    pub code: Vec<Code>,
    /// How many shared libraries there are.
    shared: usize,
    /// Of files that the loader maps, by their numbers.
    pub offered: Offered,
    /// The libraries that they need, and the numbers of those.
    needs: FxHashMap<usize, Vec<String>>,
    numbers: FxHashMap<String, usize>,
}

/// The names that files offer to each other; of others, each file has its own.
pub type Offered = FxHashMap<usize, FxHashSet<String>>;

/// What executables hold beside what we have the source of.
#[derive(Clone, Default, Debug)]
pub struct Foreign {
    /// The names that they define.
    names: FxHashSet<String>,
    /// Machine code without a source, each with what it is.
    without: Vec<(String, String)>,
    /// Libraries of which we have no source, each with what that means.
    libraries: Vec<(String, &'static str)>,
}

const ELF_OF_32_BITS: u8 = 1;

/// What our own C library stands for.
pub const SYSTEM: [&str; 9] =
    ["libc.", "libm.", "libpthread.", "librt.", "libdl.", "libgcc_s.", "ld-linux", "libatomic.", "linux-vdso."];

impl Foreign {
    /// What a verdict rests on.
    pub fn assumptions(&self) -> Vec<String> {
        let without = self.without.iter().map(|(file, why)| format!("{file} is not executed: {why}"));
        let library = |(name, why): &(String, &str)| format!("nothing of {name} is executed: {why}");
        without.chain(self.libraries.iter().map(library)).collect()
    }

    /// Of a function that is nowhere: it may be in the executable all the same.
    pub fn whence(&self, name: &str) -> String {
        let others: Vec<&str> = self.without.iter().map(|(file, _)| file.as_str()).collect();
        match (self.names.contains(name), others.is_empty(), self.libraries.is_empty()) {
            (true, false, _) => format!("; it may come from {}, of which there is no source", others.join(", ")),
            (true, true, true) => {
                "; the executable has it from an object or a library that `threadbare cc` has not made".into()
            }
            (_, _, false) => {
                let names: Vec<&str> = self.libraries.iter().map(|(name, _)| name.as_str()).collect();
                let (_, why) = self.libraries[0];
                format!("; does it come from {}? Nothing of that is executed: {why}", names.join(", "))
            }
            (false, _, true) => String::new(),
        }
    }

    /// A machine that does not execute machine code.
    pub fn leave_out(&mut self, code: &[Code]) {
        for code in code.iter().filter(|code| !matches!(code, Code::Libraries(_))) {
            self.names.extend(code.names());
            let why = "it is machine code without a source, which only the native backend executes";
            self.without.push((code.name(), why.into()));
        }
    }

    /// Libraries that are not there as archives, and those that are: the latter need not be there as shared ones.
    pub fn lack(&mut self, libraries: Vec<(String, &'static str)>, archives: &[String]) {
        let is_there = |name: &str| archives.iter().any(|archive| name.starts_with(&format!("{archive}.so")));
        self.libraries.retain(|(name, _)| !is_there(name));
        self.libraries.extend(libraries);
    }
}

impl Units {
    /// Complains of files that nobody can read, or of an unknown kind.
    pub fn of(sources: &Sources) -> Result<Units, LoadError> {
        let mut units = Units::default();
        let mut any_built = false;
        for file in &sources.files {
            let unreadable = |error| LoadError::Unreadable { file: file.clone(), error };
            let known = matches!(extension(file), "c" | "i" | "ll" | "bc");
            let is_program = is_program(file);
            if code::is_assembler(file) && !is_program {
                std::fs::metadata(file).map_err(unreadable)?;
                units.code.push(Code::Assembler(file.clone()));
                continue;
            }
            if !is_program {
                if !known && is_bitcode(file) {
                    return Err(code::without_code(&file.display().to_string()));
                }
                if !known && file.exists() && !file.is_dir() {
                    return Err(LoadError::UnknownKind { file: file.clone() });
                }
                std::fs::File::open(file)
                    .and_then(|opened| opened.metadata())
                    .and_then(|meta| if meta.is_dir() { Err(std::io::Error::other("it is a folder")) } else { Ok(()) })
                    .map_err(unreadable)?;
                units.list.push(Unit { file: file.clone(), built: None, loaded: 0 });
                continue;
            }
            let bytes = std::fs::read(file).map_err(unreadable)?;
            let name = file.display().to_string();
            if code::is_archive(&bytes) {
                units.code.push(Code::Archive { name, bytes });
                continue;
            }
            if bytes.get(4) == Some(&ELF_OF_32_BITS) {
                return Err(LoadError::Target { file: file.clone(), triple: "a processor of 32 bits".into() });
            }
            let elf = Elf::read(&bytes).ok_or_else(|| LoadError::Damaged { file: file.clone() })?;
            if elf.is_object() && elf.section(SECTION).is_none() {
                units.code.push(Code::Object { name, bytes, loaded: 0 });
                continue;
            }
            if let Some(name) = elf.is_object().then(|| renamed(&elf)).flatten() {
                return Err(is_renamed(&name, &file.display().to_string()).into());
            }
            any_built = true;
            let is_shared = !elf.is_object() && elf.section(".interp").is_none();
            let loaded = if is_shared { units.another_shared() } else { 0 };
            units.add(file, &elf, loaded)?.ok_or_else(|| LoadError::NotBuilt { file: file.clone() })?;
            units.add_libraries(file, &elf, loaded)?;
        }
        if let (true, Some(code)) = (units.list.is_empty(), units.code.first()) {
            return Err(LoadError::NotBuilt { file: code.name().into() });
        }
        match sources.clang_flags.first() {
            Some(flag) if any_built && units.list.iter().all(|unit| unit.built.is_some()) => Err(LoadError::Tool(
                format!("`{flag}` comes too late: the program is built, and flags for clang belong to `threadbare cc`"),
            )),
            _ => Ok(units),
        }
    }

    /// When the loader initialises each file, by its number: a library before those that need it. From the last file to the first, and
    /// of each its libraries first, as glibc does it.
    pub fn turns(&self) -> Vec<usize> {
        fn visit(units: &Units, file: usize, seen: &mut Vec<bool>, turns: &mut Vec<usize>, next: &mut usize) {
            if std::mem::replace(&mut seen[file], true) {
                return;
            }
            let needed = units.needs.get(&file).into_iter().flatten();
            needed.filter_map(|name| units.numbers.get(name)).for_each(|&on| visit(units, on, seen, turns, next));
            turns[file] = *next;
            *next += 1;
        }
        let count = self.shared + 1;
        let (mut seen, mut turns, mut next) = (vec![false; count], vec![0; count], 0);
        (0..count).rev().for_each(|file| visit(self, file, &mut seen, &mut turns, &mut next));
        turns
    }

    /// The number of one more shared library.
    fn another_shared(&mut self) -> usize {
        self.shared += 1;
        self.shared
    }

    /// Adds the sources of an ELF file, if there are some.
    fn add(&mut self, file: &Path, elf: &Elf, loaded: usize) -> Result<Option<()>, LoadError> {
        let damaged = || LoadError::Damaged { file: file.into() };
        let Some(section) = elf.section(SECTION) else { return Ok(None) };
        self.offered.extend(elf.offered().map(|names| (loaded, names)));
        for record in records(elf.content(section).ok_or_else(damaged)?).ok_or_else(damaged)? {
            match record.kind {
                Kind::C | Kind::Preprocessed => self.list.push(Unit::of(record, loaded)),
                Kind::Object => self.code.push(Code::Object { name: record.file, bytes: record.text, loaded }),
                Kind::Libraries => self.code.push(Code::Libraries(record.flags)),
                Kind::Without => {
                    self.foreign.without.push((record.file, String::from_utf8_lossy(&record.text).into_owned()));
                }
                Kind::Names => {}
                Kind::Bound => {
                    self.offered.insert(loaded, FxHashSet::default());
                }
                Kind::Linked => {
                    let option = String::from_utf8_lossy(&record.text);
                    let message = format!(
                        "{} was linked with {option}, which is not supported: names may mean something else after it",
                        file.display()
                    );
                    return Err(LowerError::Unsupported { message, file: None, line: 0 }.into());
                }
            }
        }
        self.foreign.names.extend(elf.names().ok_or_else(damaged)?);
        Ok(Some(()))
    }

    /// Adds those of the shared libraries that it needs, and that these need.
    fn add_libraries(&mut self, file: &Path, elf: &Elf, loaded: usize) -> Result<(), LoadError> {
        let mut open: Vec<(PathBuf, String)> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut add = |file: &Path, elf: &Elf, open: &mut Vec<(PathBuf, String)>| {
            let (mut needed, folders) = elf.libraries();
            needed.retain(|name| !SYSTEM.iter().any(|known| name.starts_with(known)));
            for name in &needed {
                if seen.insert(name.clone()) {
                    open.push((library(name, &folders, file).unwrap_or_default(), name.clone()));
                }
            }
            needed
        };
        let needed = add(file, elf, &mut open);
        self.needs.insert(loaded, needed);
        let mut next = 0;
        while let Some((place, name)) = open.get(next).cloned() {
            next += 1;
            let bytes = std::fs::read(&place).unwrap_or_default();
            let found = match Elf::read(&bytes) {
                Some(elf) => {
                    let needed = add(&place, &elf, &mut open);
                    let loaded = self.another_shared();
                    self.needs.insert(loaded, needed);
                    self.numbers.insert(name.clone(), loaded);
                    self.add(&place, &elf, loaded)?
                }
                None => None,
            };
            if found.is_none() {
                self.foreign.libraries.push((name, "`threadbare cc` has not made it"));
            }
        }
        Ok(())
    }
}

/// Whether a file is an executable, an object, a shared library or an archive.
fn is_program(file: &Path) -> bool {
    let start = start_of(file);
    is_elf(&start) || code::is_archive(&start)
}

/// Whether it is what clang makes with -flto.
fn is_bitcode(file: &Path) -> bool {
    start_of(file).starts_with(b"BC\xc0\xde")
}

/// The first bytes, if there are some.
fn start_of(file: &Path) -> Vec<u8> {
    let mut start = Vec::new();
    let read = std::fs::File::open(file).and_then(|opened| opened.take(8).read_to_end(&mut start));
    read.map_or(Vec::new(), |_| start)
}

/// Where the loader finds a shared library.
fn library(name: &str, folders: &[String], of: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(name.into()).filter(|file: &PathBuf| file.is_file());
    }
    let full = std::fs::canonicalize(of).ok()?;
    let origin = full.parent()?.to_string_lossy();
    let own = folders.iter().map(|folder| folder.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin).into());
    let variable = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let given: Vec<PathBuf> = std::env::split_paths(&variable).collect();
    let system = ["/usr/local/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib", "/lib64"];
    let all = own.chain(given).chain(system.iter().map(PathBuf::from));
    all.map(|folder: PathBuf| folder.join(name)).find(|file| file.is_file())
}
