//! The C runtime: its sources travel in the binary, are compiled once by the user's clang, and kept in a cache. Like an
//! archive, only the modules that define something still undefined are read.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustc_hash::{FxHashMap, FxHashSet};
use threadbare_ir::Module;

use crate::frontend::code::Linkage;
use crate::frontend::{LoadError, Tools};
use crate::link::Linked;

include!(concat!(env!("OUT_DIR"), "/runtime_sources.rs"));

/// `threadbare.h`, for programs under test.
pub const PUBLIC_HEADER: &str = include_str!("../../../include/threadbare.h");

const FLAGS: &[&str] = &[
    "-S",
    "-emit-llvm",
    "-std=gnu17",
    "-O1",
    // Reports name lines of the runtime, never its variables: their types would be half of the text.
    "-gline-tables-only",
    "-ffreestanding",
    "-fno-builtin",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-strict-aliasing",
];

/// Adds what of the runtime the program needs, and links.
pub fn add(tools: &Tools, modules: Vec<Module>, user_modules: usize) -> Result<Linked, LoadError> {
    add_with_texts(tools, modules, user_modules, &Linkage::default()).map(|(linked, _)| linked)
}

/// The same for a program with machine code, with the texts of the modules that were added.
pub fn add_with_texts(
    tools: &Tools,
    mut modules: Vec<Module>,
    user_modules: usize,
    code: &Linkage,
) -> Result<(Linked, Vec<Vec<u8>>), LoadError> {
    let mut texts = Vec::new();
    let runtime = Runtime::get(tools)?;
    let mut definer: FxHashMap<&str, &str> = FxHashMap::default();
    for (file, name) in runtime.index.lines().filter_map(|line| line.split_once(' ')) {
        definer.entry(name).or_insert(file);
    }
    let mut added = FxHashSet::default();
    let mut wanted = vec!["__tb_start".to_string(), "exit".to_string()];
    let by_code: FxHashSet<&str> = code.defined().collect();
    if !code.objects.is_empty() {
        let linked = Linked::new(modules, user_modules)?;
        let needed = code.needed().into_iter().chain(code.taken().cloned());
        wanted.extend(needed.filter(|name| !linked.defines(name) && !by_code.contains(name.as_str())));
        modules = linked.modules;
    }
    loop {
        let mut grew = false;
        for name in &wanted {
            if let Some(&file) = definer.get(name.as_str())
                && added.insert(file)
            {
                let text = runtime.text(tools, file)?;
                let module = threadbare_ir::parse_bytes(&text)
                    .map_err(|error| LoadError::Ir { file: PathBuf::from(format!("runtime/{file}")), error })?;
                modules.push(module);
                texts.push(text.into_owned());
                grew = true;
            }
        }
        if !grew {
            return Ok((Linked::new(modules, user_modules)?, texts));
        }
        let linked = Linked::new(modules, user_modules)?;
        wanted = linked.undefined();
        wanted.retain(|name| !by_code.contains(name.as_str()));
        modules = linked.modules;
    }
}

/// The names that a module defines for others, from the text alone.
fn defined_names(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let hidden = |rest: &str| rest.starts_with("internal ") || rest.starts_with("private ");
        if let Some(rest) = line.strip_prefix("define ") {
            let at = rest.find('@')?;
            let name = &rest[at + 1..];
            return (!hidden(rest)).then(|| &name[..name.find('(').unwrap_or(name.len())]);
        }
        let rest = line.strip_prefix('@')?;
        let (name, rest) = rest.split_once(" = ")?;
        (!hidden(rest) && !rest.starts_with("external ") && !rest.starts_with("extern_weak ")).then_some(name)
    })
}

/// The compiled runtime: in the cache, or in memory where there is none.
struct Runtime {
    /// A line for each name that it defines for others: the module, then the name.
    index: String,
    kept: Kept,
}

enum Kept {
    Folder(PathBuf),
    Texts(Vec<(String, String)>),
}

const INDEX: &str = "index";

impl Runtime {
    /// From the cache, or fresh from clang.
    fn get(tools: &Tools) -> Result<Runtime, LoadError> {
        let mut hash = threadbare_core::Hash128::new(2);
        hash.bytes(tools.identity().as_bytes());
        FLAGS.iter().for_each(|flag| hash.bytes(flag.as_bytes()));
        hash.bytes(SOURCES_HASH.as_bytes());
        let key = format!("runtime-{:032x}", hash.finish().0);
        let kept = cache_folder().map(|folder| folder.join(&key));
        if let Some(folder) = &kept
            && let Ok(index) = std::fs::read_to_string(folder.join(INDEX))
        {
            return Ok(Runtime { index, kept: Kept::Folder(folder.clone()) });
        }
        let texts = compile_all(tools)?;
        let mut index = String::new();
        for (file, text) in &texts {
            for name in defined_names(text) {
                index += &format!("{file} {name}\n");
            }
        }
        if let Some(folder) = kept {
            // The cache only saves time: a full disk or a read-only home is no error.
            let _ = write_all(&folder, &texts, &index);
        }
        Ok(Runtime { index, kept: Kept::Texts(texts) })
    }

    fn text(&self, tools: &Tools, file: &str) -> Result<Cow<'_, [u8]>, LoadError> {
        match &self.kept {
            Kept::Folder(folder) => match std::fs::read(kept_name(folder, file)) {
                Ok(text) => Ok(text.into()),
                // Somebody has removed it from the cache just now.
                Err(_) => compile_sources(tools, &[file]).map(|mut texts| texts.remove(0).1.into_bytes().into()),
            },
            Kept::Texts(texts) => {
                let (_, text) = texts.iter().find(|(name, _)| name == file).expect("in the index");
                Ok(text.as_bytes().into())
            }
        }
    }
}

/// Where what takes time to make is kept.
pub fn cache_folder() -> Option<PathBuf> {
    let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = from("XDG_CACHE_HOME").or_else(|| from("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("threadbare"))
}

fn modules() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    SOURCES.iter().filter(|(name, _)| name.ends_with(".c"))
}

fn kept_name(folder: &Path, file: &str) -> PathBuf {
    folder.join(file).with_extension("ll")
}

/// Written aside and then renamed, so that another process never sees half of it.
fn write_all(folder: &Path, texts: &[(String, String)], index: &str) -> std::io::Result<()> {
    let parent = folder.parent().ok_or_else(|| std::io::Error::other("no parent"))?;
    std::fs::create_dir_all(parent)?;
    let aside = tempfile::tempdir_in(parent)?;
    for (name, text) in texts {
        std::fs::write(kept_name(aside.path(), name), text)?;
    }
    std::fs::write(aside.path().join(INDEX), index)?;
    // Where another process was faster, what we have made is removed.
    std::fs::rename(aside.path(), folder)?;
    let _ = aside.keep();
    Ok(())
}

fn compile_all(tools: &Tools) -> Result<Vec<(String, String)>, LoadError> {
    let files: Vec<&str> = modules().map(|(name, _)| *name).collect();
    compile_sources(tools, &files)
}

fn compile_sources(tools: &Tools, files: &[&str]) -> Result<Vec<(String, String)>, LoadError> {
    let folder = crate::frontend::temporary_folder()?;
    for (name, text) in SOURCES {
        std::fs::write(folder.path().join(name), text).map_err(|error| LoadError::Tool(error.to_string()))?;
    }
    let next = std::sync::atomic::AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(2, |n| n.get());
    let results = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let compiled = compile_one(tools, folder.path(), file);
                    results.lock().expect("no panic inside").push((file.to_string(), compiled));
                }
            });
        }
    });
    let mut texts = Vec::new();
    for (file, result) in results.into_inner().expect("no panic inside") {
        texts.push((file, result?));
    }
    texts.sort();
    Ok(texts)
}

fn compile_one(tools: &Tools, folder: &Path, file: &str) -> Result<String, LoadError> {
    // A relative name, so that the text does not depend on where it was compiled.
    let output = Command::new(&tools.clang)
        .args(FLAGS)
        .args(["-fdebug-compilation-dir=runtime", "-o", "-", file])
        .current_dir(folder)
        .output()
        .map_err(|error| LoadError::Tool(format!("cannot run {}: {error}", tools.clang.display())))?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        return Err(LoadError::Tool(format!(
            "Threadbare's own C runtime does not compile here ({file}); are the C library's headers installed \
             (sudo apt-get install libc6-dev)?\n{messages}"
        )));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
