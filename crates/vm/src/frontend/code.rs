//! Machine code without a source: objects of another compiler, archives, assembler files, and the libraries of `-l`. The virtual
//! machine does not execute it; the native machine links it to the program. As a linker does, of an archive only those members are
//! taken that define what is still missing.

use std::path::{Path, PathBuf};
use std::process::Command;

use rustc_hash::{FxHashMap, FxHashSet};

use super::elf::{BY_RESOLVER, Elf, FUNCTION, Name, THREAD_LOCAL, UNKNOWN, is_elf};
use super::record::{Kind, Record, SECTION, records};
use super::renamed::{is_renamed, renamed};
use super::units::{Offered, SYSTEM};
use super::{LoadError, Sources, Tools, extension, flags, run};
use crate::link::{Definition, LinkError, Strength, bound};
use crate::lower::LowerError;

const NOT_FOUND: &str = "it was not found";

/// What is beside the sources, as it was named.
#[derive(Clone, Debug)]
pub enum Code {
    Object {
        name: String,
        bytes: Vec<u8>,
        /// As that of a unit.
        loaded: usize,
    },
    Archive {
        name: String,
        bytes: Vec<u8>,
    },
    Assembler(PathBuf),
    /// Words for the linker: `-L` and `-l`, and names of archives.
    Libraries(Vec<String>),
}

impl Code {
    pub fn name(&self) -> String {
        match self {
            Code::Object { name, .. } | Code::Archive { name, .. } => name.clone(),
            Code::Assembler(file) => file.display().to_string(),
            Code::Libraries(words) => words.join(" "),
        }
    }

    /// The names that it defines, as far as they are known.
    pub fn names(&self) -> Vec<String> {
        let objects = match self {
            Code::Object { name, bytes, .. } => Object::read(name, bytes.clone()).into_iter().collect(),
            Code::Archive { name, bytes } => members(name, bytes).unwrap_or_default(),
            Code::Assembler(_) | Code::Libraries(_) => Vec::new(),
        };
        objects.into_iter().flat_map(|object| object.defines.into_iter().map(|(name, _)| name)).collect()
    }
}

/// An object that can be linked.
#[derive(Clone, Debug)]
pub struct Object {
    /// As people know it: the file, and the member of an archive.
    pub file: String,
    pub member: Option<String>,
    pub bytes: Vec<u8>,
    loaded: usize,
    /// What it defines for others.
    defines: Vec<(String, Strength)>,
    /// What it cannot do without, and what it takes if it is there: the C library is.
    pub needs: Vec<String>,
    takes: Vec<String>,
}

const SLIM: &str = "it has no machine code: it was made with -flto";

const WRITABLE: u64 = 1;
const ALLOCATED: u64 = 2;

impl Object {
    fn read(file: &str, bytes: Vec<u8>) -> Option<Object> {
        let elf = Elf::read(&bytes).filter(Elf::is_object)?;
        let (mut defines, mut needs, mut takes) = (Vec::new(), Vec::new(), Vec::new());
        for name in elf.all_names()?.into_iter().filter(|name| !name.is_local && !name.name.is_empty()) {
            match (name.is_defined, name.is_weak) {
                (true, true) => defines.push((name.name, Strength::Weak)),
                (true, false) if name.is_common => defines.push((name.name, Strength::Common)),
                (true, false) => defines.push((name.name, Strength::Strong)),
                (false, false) => needs.push(name.name),
                (false, true) => takes.push(name.name),
            }
        }
        Some(Object { file: file.into(), member: None, loaded: 0, defines, needs, takes, bytes })
    }

    pub fn name(&self) -> String {
        let file = self.file.rsplit('/').next().unwrap_or_default();
        self.member.as_ref().map_or(file.into(), |member| format!("{file}({member})"))
    }

    fn elf(&self) -> Elf<'_> {
        Elf::read(&self.bytes).expect("it was read before")
    }

    /// The sources that `threadbare cc` has put into it.
    fn sources(&self) -> Option<Vec<Record>> {
        let elf = self.elf();
        let mut found = records(elf.content(elf.section(SECTION)?)?)?;
        found.retain(|record| record.kind != Kind::Names);
        Some(found)
    }

    /// The names of its functions, also of those that others do not see.
    pub fn functions(&self) -> Vec<String> {
        let names = self.elf().all_names().unwrap_or_default();
        let is_function = |name: &Name| name.is_defined && [FUNCTION, UNKNOWN].contains(&name.kind);
        names.into_iter().filter(|name| is_function(name) && !name.name.is_empty()).map(|name| name.name).collect()
    }

    /// Made with -flto, and not to be used without the compiler that made it.
    fn is_slim(&self) -> bool {
        const EXECUTABLE: u64 = 4;
        let elf = self.elf();
        let of_compiler = elf.sections.iter().any(|section| section.name.starts_with(".gnu.lto_"));
        of_compiler && !elf.sections.iter().any(|section| section.flags & EXECUTABLE != 0 && section.size > 0)
    }

    /// Of any kind, also of those that nobody supports.
    fn calls_functions_first(&self) -> bool {
        const CALLED: [&str; 7] =
            [".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors", ".init", ".fini"];
        let is_called =
            |name: &str| CALLED.iter().any(|known| name == *known || name.starts_with(&format!("{known}.")));
        self.elf().sections.iter().any(|section| section.size > 0 && is_called(&section.name))
    }

    pub fn has_constructors(&self) -> bool {
        self.elf().sections.iter().any(|section| [".init_array", ".fini_array"].contains(&section.name.as_str()))
    }

    /// Why it cannot be a part of a program whose threads are fibers, and which is loaded anywhere.
    pub fn refusal(&self) -> Option<String> {
        const ABSOLUTE: [u64; 4] = [10, 11, 12, 14];
        const ADDRESS: u64 = 1;
        const THREAD_LOCALS: [u64; 11] = [16, 17, 18, 19, 20, 21, 22, 23, 34, 35, 36];
        let elf = self.elf();
        let names = elf.all_names().unwrap_or_default();
        if let Some(name) = names.iter().find(|name| name.kind == THREAD_LOCAL) {
            return Some(format!("it has the thread-local variable `{}`, which is not emulated there", name.name));
        }
        if let Some(name) = names.iter().find(|name| name.kind == BY_RESOLVER) {
            return Some(format!("`{}` is chosen by a resolver when the program starts (ifunc)", name.name));
        }
        for section in &elf.sections {
            let name = section.name.as_str();
            let starts = [".init_array.", ".fini_array.", ".preinit_array", ".ctors", ".dtors"];
            let called = [".init", ".fini"].contains(&name) || starts.iter().any(|start| name.starts_with(start));
            if called && section.size > 0 {
                return Some(format!("it has constructors or destructors in an order of their own (section {name})"));
            }
            let Some(target) = elf.sections.get(section.info).filter(|target| target.flags & ALLOCATED != 0) else {
                continue;
            };
            for (kind, number) in elf.relocations(section) {
                let symbol = names.get(number).map(|name| name.name.as_str()).filter(|name| !name.is_empty());
                let symbol = symbol.map_or(String::new(), |name| format!(" for `{name}`"));
                if THREAD_LOCALS.contains(&kind) {
                    return Some(format!("it accesses thread-local variables by the hardware's own means{symbol}"));
                }
                if ABSOLUTE.contains(&kind) || kind == ADDRESS && target.flags & WRITABLE == 0 {
                    return Some(format!(
                        "it is not position-independent (section {} has an address in it{symbol}): compile it with -fPIC",
                        target.name
                    ));
                }
            }
        }
        None
    }
}

const MAGIC: &[u8] = b"!<arch>\n";
const THIN: &[u8] = b"!<thin>\n";

/// Whether a file is an archive of objects.
pub fn is_archive(start: &[u8]) -> bool {
    start.starts_with(MAGIC) || start.starts_with(THIN)
}

/// The objects of an archive. `None` if it cannot be read.
fn members(file: &str, bytes: &[u8]) -> Option<Vec<Object>> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let mut long_names: &[u8] = &[];
    let mut found = Vec::new();
    while rest.len() >= 60 {
        let (header, tail) = rest.split_at(60);
        let text = |range: std::ops::Range<usize>| std::str::from_utf8(&header[range]).ok().map(str::trim_end);
        let size: usize = text(48..58)?.parse().ok()?;
        let (mut content, tail) = tail.split_at_checked(size)?;
        rest = tail.get(size % 2..).unwrap_or_default();
        let name = text(0..16)?;
        let name = match name.strip_prefix("#1/") {
            // As BSD has it: the name stands before the content.
            Some(length) => {
                let (name, tail) = content.split_at_checked(length.parse().ok()?)?;
                content = tail;
                String::from_utf8_lossy(name).trim_end_matches('\0').to_string()
            }
            None if name == "//" => {
                long_names = content;
                continue;
            }
            None if name == "/" || name == "/SYM64/" => continue,
            None => match name.strip_prefix('/') {
                Some(at) => {
                    let name = long_names.get(at.parse().ok()?..)?.split(|&byte| byte == b'\n').next()?;
                    String::from_utf8_lossy(name).trim_end_matches('/').to_string()
                }
                None => name.trim_end_matches('/').to_string(),
            },
        };
        if is_elf(content) {
            let object = Object::read(file, content.to_vec())?;
            found.push(Object { member: Some(name), ..object });
        }
    }
    rest.iter().all(|&byte| byte == b'\n').then_some(found)
}

/// What only its compiler can make machine code of.
pub fn without_code(name: &str) -> LoadError {
    let message = format!("the native backend cannot execute {name}: {SLIM}");
    LowerError::Unsupported { message, file: None, line: 0 }.into()
}

fn unreadable(name: &str) -> LoadError {
    LoadError::Tool(format!("{name} is no archive of objects for x86-64 that Threadbare can read"))
}

/// All machine code of a program, and what of it is linked.
#[derive(Default)]
pub struct Linkage {
    pub objects: Vec<Object>,
    archives: Vec<Object>,
    /// Libraries that are not there as archives, with the reason.
    pub lacking: Vec<(String, &'static str)>,
    /// Those that are, as `libz`.
    pub found: Vec<String>,
}

impl Linkage {
    /// Reads it, after assembler files were assembled, and finds the libraries of `-l`.
    pub fn read(code: &[Code], sources: &Sources, tools: &Tools) -> Result<Linkage, LoadError> {
        let mut linkage = Linkage::default();
        for code in code {
            match code {
                Code::Object { .. } | Code::Assembler(_) => linkage.add_machine_code(code, sources, tools)?,
                Code::Archive { name, bytes } => linkage.add_archive(name, bytes)?,
                // Of those that are only there as shared ones the executable knows.
                Code::Libraries(words) => {
                    let lacking = linkage.lacking.len();
                    linkage.add_libraries(words, tools)?;
                    let is_file = |(name, _): &(String, &str)| name.starts_with('/');
                    let files: Vec<_> = linkage.lacking.drain(lacking..).filter(is_file).collect();
                    linkage.lacking.extend(files);
                }
            }
        }
        linkage.add_libraries(&sources.clang_flags, tools)?;
        // As a linker does, whether somebody needs it or not.
        match linkage.lacking.iter().find(|(_, why)| *why == NOT_FOUND) {
            Some((file, _)) => {
                let name = file.trim_start_matches("lib").trim_end_matches(".a");
                Err(LoadError::Tool(format!("cannot find -l{name}: there is neither {file} nor a shared library")))
            }
            None => Ok(linkage),
        }
    }

    /// Only the objects and assembler files.
    pub fn of_objects(code: &[Code], sources: &Sources, tools: &Tools) -> Result<Linkage, LoadError> {
        let mut linkage = Linkage::default();
        code.iter().try_for_each(|code| linkage.add_machine_code(code, sources, tools))?;
        Ok(linkage)
    }

    fn add_machine_code(&mut self, code: &Code, sources: &Sources, tools: &Tools) -> Result<(), LoadError> {
        match code {
            Code::Object { name, bytes, loaded } => self.add_object(name, bytes.clone(), *loaded),
            Code::Assembler(file) => {
                let mut command = Command::new(&tools.clang);
                command.args(["-c", "-fPIC", "-Wno-unused-command-line-argument", "-fno-color-diagnostics"]);
                command.args(flags::without_other_files(&sources.clang_flags)).args(["-o", "-"]).arg(file);
                let failed = |messages| LoadError::Compile { file: file.clone(), messages };
                let bytes = run(&mut command, "clang", &[])?.map_err(failed)?;
                self.add_object(&file.display().to_string(), bytes, 0)
            }
            Code::Archive { .. } | Code::Libraries(_) => Ok(()),
        }
    }

    fn add_libraries(&mut self, words: &[String], tools: &Tools) -> Result<(), LoadError> {
        for file in words.iter().filter(|word| word.starts_with('/')) {
            match std::fs::read(file) {
                Ok(bytes) => self.add_archive(file, &bytes)?,
                Err(_) => self.lacking.push((file.clone(), "it is not there any more")),
            }
        }
        let (folders, names) = libraries_in(words);
        for name in names.into_iter().filter(|name| !is_system(name)) {
            let file = |ending: &str| format!("lib{name}.{ending}");
            let found = find(&file("a"), &folders, tools);
            match found.and_then(|found| Some((std::fs::read(&found).ok()?, found))) {
                Some((bytes, found)) if is_archive(&bytes) => {
                    self.add_archive(&found.display().to_string(), &bytes)?;
                    self.found.push(format!("lib{name}"));
                }
                _ if find(&file("so"), &folders, tools).is_some() => {
                    self.lacking.push((file("so"), "there is no archive of it, and shared libraries are not loaded"));
                }
                _ => self.lacking.push((file("a"), NOT_FOUND)),
            }
        }
        Ok(())
    }

    fn add_object(&mut self, name: &str, bytes: Vec<u8>, loaded: usize) -> Result<(), LoadError> {
        let object =
            Object::read(name, bytes).ok_or_else(|| LoadError::Tool(format!("{name} is no object for x86-64")))?;
        if object.is_slim() {
            return Err(without_code(&object.name()));
        }
        self.objects.push(Object { loaded, ..object });
        Ok(())
    }

    fn add_archive(&mut self, name: &str, bytes: &[u8]) -> Result<(), LoadError> {
        if bytes.starts_with(THIN) {
            return Err(LoadError::Tool(format!(
                "{name} is a thin archive, which holds no objects: name these instead"
            )));
        }
        let (slim, members): (Vec<Object>, Vec<Object>) =
            members(name, bytes).ok_or_else(|| unreadable(name))?.into_iter().partition(Object::is_slim);
        for member in &members {
            if let Some(renamed) = renamed(&member.elf()) {
                return Err(is_renamed(&renamed, &member.name()).into());
            }
        }
        // What they define only their compiler knows.
        self.lacking.extend(slim.iter().map(|member| (member.name(), SLIM)));
        self.archives.extend(members);
        Ok(())
    }

    /// Takes members of archives that define what is missing, until nothing is. `missing` is what the sources need, `is_defined` what
    /// they define. Given are the sources of members that have some: these are to be compiled, and it is to be asked again.
    pub fn take(&mut self, missing: &[String], is_defined: impl Fn(&str) -> bool) -> Vec<Record> {
        let mut found = Vec::new();
        let mut wanted: FxHashSet<String> = missing.iter().cloned().collect();
        wanted.extend(self.objects.iter().flat_map(|object| object.needs.iter().cloned()));
        for (name, _) in self.objects.iter().flat_map(|object| &object.defines) {
            wanted.remove(name);
        }
        while let Some(at) = self.archives.iter().position(|member| {
            let helps = |name: &String| wanted.contains(name) && !is_defined(name);
            member.defines.iter().any(|(name, _)| helps(name))
        }) {
            let member = self.archives.remove(at);
            wanted.retain(|name| !member.defines.iter().any(|(defined, _)| defined == name));
            match member.sources() {
                Some(records) if records.iter().all(Record::is_c) => found.extend(records),
                _ => {
                    let defined: FxHashSet<&str> = self.defined().collect();
                    wanted.extend(member.needs.iter().filter(|name| !defined.contains(name.as_str())).cloned());
                    self.objects.push(member);
                }
            }
        }
        found
    }

    pub fn has_constructors(&self) -> bool {
        self.objects.iter().any(Object::has_constructors)
    }

    /// The files that are linked.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.objects.iter().map(|object| object.file.clone().into()).collect();
        files.dedup();
        files
    }

    /// The names that the objects define.
    pub fn defined(&self) -> impl Iterator<Item = &str> {
        self.objects.iter().flat_map(|object| object.defines.iter().map(|(name, _)| name.as_str()))
    }

    /// Those that they need and do not define themselves.
    pub fn needed(&self) -> Vec<String> {
        let defined: FxHashSet<&str> = self.defined().collect();
        let needs = self.objects.iter().flat_map(|object| &object.needs);
        needs.filter(|name| !defined.contains(name.as_str())).cloned().collect()
    }

    /// Those that they take of the C library besides.
    pub fn taken(&self) -> impl Iterator<Item = &String> {
        self.objects.iter().flat_map(|object| &object.takes)
    }

    /// Complains of what is defined twice. `source_of` says which source defines a name so that nobody else may.
    pub fn refuse_doubles(&self, source_of: impl Fn(&str) -> Option<String>) -> Result<(), LinkError> {
        let mut seen: FxHashMap<&str, String> = FxHashMap::default();
        for object in &self.objects {
            for (name, _) in object.defines.iter().filter(|(_, strength)| *strength == Strength::Strong) {
                let first = source_of(name).or_else(|| seen.get(name.as_str()).cloned());
                if let Some(first) = first {
                    return Err(LinkError { name: name.clone(), first, second: object.name() });
                }
                seen.insert(name, object.name());
            }
        }
        Ok(())
    }

    /// Complains of definitions of the program that give way to some of it, or may: which one the linker takes is known if only one
    /// of them may give way, and matters where the other one is not executed.
    pub fn refuse_what_gives_way(
        &self,
        own: impl Iterator<Item = Definition>,
        is_executed: bool,
    ) -> Result<(), LowerError> {
        let refused = |message| Err(LowerError::Unsupported { message, file: None, line: 0 });
        for own in own.filter(|own| [Strength::Weak, Strength::Common].contains(&own.strength)) {
            let other = |object: &&Object| {
                let is_it = |(name, strength): &(String, Strength)| {
                    *name == own.name && (!is_executed || *strength == own.strength && own.strength == Strength::Weak)
                };
                object.loaded == own.loaded && object.defines.iter().any(is_it)
            };
            if let Some(object) = self.objects.iter().find(other) {
                let (name, file, object) = (&own.name, &own.file, object.name());
                return refused(match is_executed {
                    true => format!(
                        "`{name}` is weak in {file} and in {object}: the linker takes the first, which is not supported"
                    ),
                    false => format!(
                        "`{name}` of {file} gives way to that of {object}, which is machine code without a source: only the native \
                         backend executes it"
                    ),
                });
            }
        }
        match self.objects.iter().find(|object| object.calls_functions_first()) {
            Some(object) if !is_executed => refused(format!(
                "{} is machine code without a source and has constructors or destructors: only the native backend executes it",
                object.name()
            )),
            _ => Ok(()),
        }
    }

    /// What it defines for others.
    pub fn definitions(&self, offered: &Offered) -> impl Iterator<Item = Definition> {
        self.objects.iter().flat_map(move |object| {
            object.defines.iter().map(move |(name, strength)| Definition {
                name: name.clone(),
                strength: *strength,
                loaded: object.loaded,
                file: object.name(),
                own: bound(offered, object.loaded, name),
            })
        })
    }

    /// What the verdict of a machine that executes it rests on.
    pub fn assumption(&self) -> Option<String> {
        let mut files: Vec<(&str, Vec<&str>)> = Vec::new();
        for object in &self.objects {
            let file = object.file.rsplit('/').next().unwrap_or_default();
            if files.last().is_none_or(|(last, _)| *last != file) {
                files.push((file, Vec::new()));
            }
            let (_, members) = files.last_mut().expect("just added");
            members.extend(object.member.as_deref());
        }
        let words = files.iter().map(|(file, members)| match members.is_empty() {
            true => (*file).into(),
            false => format!("{file}: {}", members.join(", ")),
        });
        let words = words.collect::<Vec<String>>().join("; ");
        (!words.is_empty()).then(|| {
            format!(
                "machine code without a source ({words}) is executed, but nobody sees what it accesses: each call is one step, in all orders with \
                 other steps that access memory, and orders threads as a lock would; neither races with it nor its accesses outside of objects are found"
            )
        })
    }
}

/// Of an object or the members of an archive: the first whose names are not those of its source.
pub fn renamed_in(file: &str, bytes: &[u8]) -> Option<String> {
    if is_archive(bytes) {
        let members = members(file, bytes).unwrap_or_default();
        return members.iter().find(|member| renamed(&member.elf()).is_some()).map(Object::name);
    }
    let elf = Elf::read(bytes).filter(Elf::is_object)?;
    renamed(&elf).map(|_| file.into())
}

/// The words for the linker that name code without a source: `folder` is where they were used.
pub fn foreign_libraries(words: &[String], folder: &Path) -> Vec<String> {
    let (folders, names) = libraries_in(words);
    let absolute = |file: &Path| folder.join(file).display().to_string();
    let is_foreign = |file: &Path| {
        let bytes = std::fs::read(file).unwrap_or_default();
        members("", &bytes).is_some_and(|members| members.iter().any(|member| member.sources().is_none()))
    };
    let archives = words.iter().filter(|word| word.ends_with(".a") && !word.starts_with('-')).map(Path::new);
    let mut found: Vec<String> = archives.filter(|file| is_foreign(file)).map(absolute).collect();
    let names: Vec<String> = names.iter().filter(|name| !is_system(name)).map(|name| format!("-l{name}")).collect();
    if !names.is_empty() {
        found.extend(folders.iter().map(|folder| format!("-L{}", absolute(folder))));
        found.extend(names);
    }
    found
}

/// What our own C library stands for.
fn is_system(name: &str) -> bool {
    let file = format!("lib{name}.");
    name == "util" || SYSTEM.iter().any(|known| file.starts_with(known))
}

/// The folders of `-L` and the libraries of `-l`.
fn libraries_in(flags: &[String]) -> (Vec<PathBuf>, Vec<String>) {
    let (mut folders, mut names) = (Vec::new(), Vec::new());
    let mut words = flags.iter();
    while let Some(word) = words.next() {
        let mut value = |rest: &str| if rest.is_empty() { words.next().cloned() } else { Some(rest.to_string()) };
        if let Some(rest) = word.strip_prefix("-L") {
            folders.extend(value(rest).map(PathBuf::from));
        } else if let Some(rest) = word.strip_prefix("-l") {
            names.extend(value(rest));
        }
    }
    (folders, names)
}

/// A library in these folders, or where the compiler looks.
fn find(file: &str, folders: &[PathBuf], tools: &Tools) -> Option<PathBuf> {
    let given = folders.iter().map(|folder| folder.join(file)).find(|place| place.is_file());
    given.or_else(|| {
        let output = Command::new(&tools.clang).arg(format!("-print-file-name={file}")).output().ok()?;
        let place = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        (place.components().count() > 1 && place.is_file()).then_some(place)
    })
}

/// The names that the compiler's own functions have, which only compute.
pub fn support_names(tools: &Tools) -> FxHashSet<String> {
    let archive = find("libgcc.a", &[], tools).and_then(|file| std::fs::read(file).ok()).unwrap_or_default();
    let members = members("libgcc.a", &archive).unwrap_or_default();
    members.into_iter().flat_map(|member| member.defines.into_iter().map(|(name, _)| name)).collect()
}

/// Whether a file is an assembler source.
pub fn is_assembler(file: &Path) -> bool {
    matches!(extension(file), "s" | "S" | "sx")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_name_libraries() {
        let flags = ["-lz", "-L", "one", "-Ltwo", "-O2", "-l", "bz2", "-lm"].map(String::from);
        let (folders, names) = libraries_in(&flags);
        assert_eq!(folders, [PathBuf::from("one"), "two".into()]);
        assert_eq!(names, ["z", "bz2", "m"]);
        assert!(is_system("m") && is_system("pthread") && !is_system("z") && !is_system("crypt"));
    }

    #[test]
    fn archives_have_members_with_long_names() {
        let object = super::super::elf::empty_object();
        let mut archive = MAGIC.to_vec();
        let mut add = |name: &str, content: &[u8]| {
            archive.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, content.len()).bytes());
            archive.extend(content);
            archive.resize(archive.len().next_multiple_of(2), b'\n');
        };
        add("/", b"table");
        add("//", b"a_very_long_name_of_a_member.o/\n");
        add("short.o/", &object);
        add("/0", &object);
        add("readme.txt/", b"no object");
        let names: Vec<_> = members("x.a", &archive).expect("an archive").into_iter().map(|it| it.name()).collect();
        assert_eq!(names, ["x.a(short.o)", "x.a(a_very_long_name_of_a_member.o)"]);
        assert!(members("x.a", &archive[..archive.len() - 30]).is_none());
    }
}
